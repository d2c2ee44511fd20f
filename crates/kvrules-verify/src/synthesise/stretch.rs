//! Objects made longer: lists and texts of objects that a rule accepts, drawn beyond the lines of an artefact.

use std::collections::HashMap;
use std::fmt::Write as _;

use kvrules_syntax::pointer::escape_step;
use serde_json::Value;

use super::SizeLimits;
use super::candidate::Candidate;

/// Number of objects that are stretched at each place.
const MOST: usize = 8;

/// Each list and each text of some objects, at a time one of them, just beyond each line. What is in a list is repeated; a
/// text is repeated at either end, or gets zeros before its digits.
pub(crate) fn stretch_objects<'o>(
    objects: impl IntoIterator<Item = &'o Candidate>,
    lines: &SizeLimits,
) -> Vec<Candidate> {
    let mut stretched = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for object in objects {
        let mut places = Vec::new();
        find_stretchable(&object.value, &mut String::new(), &mut String::new(), &mut places);
        for (pointer, kind) in places {
            let count = seen.entry(kind).or_default();
            *count += 1;
            if *count <= MOST {
                let longer = object.value.pointer(&pointer).map(|value| longer_values(value, lines));
                stretched.extend(longer.into_iter().flatten().filter_map(|value| {
                    let mut whole = object.value.clone();
                    *whole.pointer_mut(&pointer)? = value;
                    Some(Candidate { value: whole, served: object.served })
                }));
            }
        }
    }
    stretched
}

/// The lists with elements and the texts below a value: each with its JSON pointer, and with its place whatever the index.
fn find_stretchable(
    value: &Value,
    pointer: &mut String,
    kind: &mut String,
    places: &mut Vec<(String, String)>,
) {
    let (pointer_end, kind_end) = (pointer.len(), kind.len());
    match value {
        Value::Array(items) if !items.is_empty() => {
            places.push((pointer.clone(), kind.clone()));
            kind.push_str("/*");
            for (index, item) in items.iter().enumerate() {
                let _ = write!(pointer, "/{index}");
                find_stretchable(item, pointer, kind, places);
                pointer.truncate(pointer_end);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let token = escape_step(name);
                let _ = write!(pointer, "/{token}");
                let _ = write!(kind, "/{token}");
                find_stretchable(value, pointer, kind, places);
                pointer.truncate(pointer_end);
                kind.truncate(kind_end);
            }
        }
        Value::String(_) => places.push((pointer.clone(), kind.clone())),
        _ => {}
    }
    kind.truncate(kind_end);
}

fn longer_values(value: &Value, lines: &SizeLimits) -> Vec<Value> {
    match value {
        Value::Array(items) => {
            let lengths = lines.items.iter().map(|length| length + 1).filter(|length| *length > items.len());
            lengths.flat_map(|length| ends_repeated(items, length)).map(Value::Array).collect()
        }
        Value::String(text) => {
            let chars: Vec<char> = text.chars().collect();
            let lengths =
                lines.lengths.iter().map(|length| length + 1).filter(|length| *length > chars.len());
            let texts = lengths.flat_map(|length| {
                let repeated = ends_repeated(&chars, length).into_iter().map(String::from_iter);
                repeated.chain([with_zeros(text, length - chars.len())]).collect::<Vec<String>>()
            });
            texts.map(Value::String).collect()
        }
        _ => Vec::new(),
    }
}

/// The items, with the last or the first of them repeated.
fn ends_repeated<T: Clone>(items: &[T], length: usize) -> Vec<Vec<T>> {
    let more = length.saturating_sub(items.len());
    let of = |item: Option<&T>| item.map(|item| std::iter::repeat_n(item.clone(), more).collect::<Vec<T>>());
    let behind = of(items.last()).map(|more| [items, &more].concat());
    let before = of(items.first()).map(|more| [&more, items].concat());
    behind.into_iter().chain(before).collect()
}

/// A number with leading zeros after its sign, which do not change the value.
fn with_zeros(text: &str, count: usize) -> String {
    let sign = text.strip_prefix(['+', '-']).map_or("", |rest| text.strip_suffix(rest).unwrap_or_default());
    let digits = text.strip_prefix(sign).unwrap_or(text);
    format!("{sign}{}{digits}", "0".repeat(count))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn longer_than_three(value: Value) -> Vec<Value> {
        let lines = SizeLimits { items: [3].into(), lengths: [3].into() };
        stretch_objects([&Candidate::new(value)], &lines).into_iter().map(|object| object.value).collect()
    }

    #[test]
    fn lists_at_every_level_are_drawn_beyond_the_line() {
        let shown = longer_than_three(json!({"a": [{"b": [1, 2]}]}));
        let inner = |items: Value| json!({"a": [{"b": items}]});
        let item = json!({"b": [1, 2]});
        assert!(shown.contains(&json!({"a": [item, item, item, item]})));
        assert!(shown.contains(&inner(json!([1, 2, 2, 2]))));
        assert!(shown.contains(&inner(json!([1, 1, 1, 2]))));
    }

    #[test]
    fn a_number_keeps_its_value() {
        assert!(longer_than_three(json!({"a": "-1"})).contains(&json!({"a": "-001"})));
        assert!(longer_than_three(json!({"a": "1k"})).contains(&json!({"a": "001k"})));
    }

    #[test]
    fn what_is_empty_or_long_enough_stays() {
        assert_eq!(longer_than_three(json!({"a": [], "b": "1234", "c": 1})), Vec::<Value>::new());
    }
}
