//! An output as a bag of facts: what two outputs do not share is what differs, wherever in a list it stands.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::run::Output;

/// The values of a place, each with its number. A place is the way to a value without the indices of lists.
pub type Facts = BTreeMap<(String, String), i64>;

/// Longest text of a value in an example.
const LONGEST: usize = 300;

/// Returns the facts of an output.
pub fn flatten(output: &Output) -> Facts {
    let mut facts = Facts::new();
    add(&mut facts, "exit", &output.status.to_string());
    for (name, text) in &output.parts {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => flatten_value(&value, name, &mut facts),
            Err(_) => text.lines().for_each(|line| add(&mut facts, &place_of(name), line)),
        }
    }
    facts
}

/// Files that a target writes have names of their inputs: what differs in them is of one kind.
fn place_of(part: &str) -> String {
    match part.split_once('/') {
        Some((target, name)) => {
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            format!("{target}/*.{extension}")
        }
        None => part.to_owned(),
    }
}

fn add(facts: &mut Facts, place: &str, value: &str) {
    let value: String = value.chars().take(LONGEST).collect();
    *facts.entry((place.to_owned(), value)).or_default() += 1;
}

fn flatten_value(value: &Value, place: &str, facts: &mut Facts) {
    match value {
        Value::Array(items) => {
            items.iter().for_each(|item| flatten_value(item, &format!("{place}[]"), facts))
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                // Names of rules, fields and files are values, not places.
                let is_name = name.len() < 24 && name.chars().all(|it| it.is_ascii_alphanumeric());
                let below = format!("{place}.{}", if is_name { name } else { "*" });
                flatten_value(field, &below, facts);
            }
        }
        Value::String(text) => add(facts, place, text),
        other => add(facts, place, &other.to_string()),
    }
}

/// The facts that one side has and the other has not, by place: those before and those after.
pub fn differ(before: &Facts, after: &Facts) -> BTreeMap<String, [Vec<String>; 2]> {
    let mut found: BTreeMap<String, [Vec<String>; 2]> = BTreeMap::new();
    let sides = [(before, after, 0), (after, before, 1)];
    for (own, other, side) in sides {
        for ((place, value), number) in own {
            let shared = other.get(&(place.clone(), value.clone())).copied().unwrap_or_default();
            for _ in shared..*number {
                let place = found.entry(place.clone()).or_default();
                if let Some(values) = place.get_mut(side) {
                    values.push(value.clone());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(stdout: &str) -> Output {
        Output { status: 0, parts: vec![("stdout".to_owned(), stdout.to_owned())] }
    }

    #[test]
    fn the_place_in_a_list_does_not_count() {
        let [one, other] = [r#"[{"code": "A"}, {"code": "B"}]"#, r#"[{"code": "B"}, {"code": "A"}]"#];
        assert!(differ(&flatten(&output(one)), &flatten(&output(other))).is_empty());
        let found = differ(&flatten(&output(one)), &flatten(&output(r#"[{"code": "A"}, {"code": "C"}]"#)));
        assert_eq!(found["stdout[].code"], [vec!["B".to_owned()], vec!["C".to_owned()]]);
    }

    #[test]
    fn values_are_counted() {
        let found = differ(&flatten(&output("a\na\n")), &flatten(&output("a\n")));
        assert_eq!(found["stdout"], [vec!["a".to_owned()], vec![]]);
    }
}
