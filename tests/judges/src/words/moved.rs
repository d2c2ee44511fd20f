//! Rules about other fields: a rule about the fields of a pond becomes one about fields of another kind with the same types.

use serde_json::{Map, Value as Json, json};

use super::AuthoredRule;
use super::authored::growth_rule;
use super::said::{Change, Path, Said};
use super::values::{Step, read_path, values_at};

/// The paths of fields of a pond, each with the path in the other kind; what none of them names has no place there.
#[derive(Clone, Debug)]
pub struct Moves {
    /// Fields of the object, such as `spec.n`. Each begins with `spec.`.
    pub fields: Vec<(&'static str, String)>,
    /// Fields of the items of `spec.l`.
    pub items: Vec<(&'static str, &'static str)>,
}

/// Names of the fields of items. No value of a rule is written like one of them.
const ITEM_FIELDS: [&str; 5] = ["k", "n", "q", "d", "x"];

impl Moves {
    /// Returns the rule about the other fields; `None` if one of its fields has no place there.
    pub fn move_rule(&self, rule: &AuthoredRule) -> Option<AuthoredRule> {
        if let (Some(_), Said::Changes(path, Change::Grows { strictly })) =
            (rule.rule.get("cel"), &rule.meaning)
        {
            let name = rule.rule.get("name")?.as_str()?;
            return Some(growth_rule(name, self.move_steps(path)?, *strictly));
        }
        Some(AuthoredRule {
            rule: self.move_words(&rule.rule)?,
            meaning: self.move_meaning(&rule.meaning)?,
            is_about_updates: rule.is_about_updates,
        })
    }

    /// Returns the values of the fields of a pond in an object of the other kind.
    pub fn move_object(&self, pond: &Json, mut object: Json) -> Json {
        for (from, to) in &self.fields {
            let path = read_path(from).unwrap_or_default();
            for value in values_at(pond, &path) {
                let is_list = *from == "spec.l";
                let value = if is_list { self.move_items(value) } else { value.clone() };
                insert_at(&mut object, &read_path(to).unwrap_or_default(), value);
            }
        }
        object
    }

    fn move_items(&self, items: &Json) -> Json {
        let move_item = |item: &Json| {
            let mut moved = json!({});
            for (from, to) in &self.items {
                if let Some(value) = item.get(from) {
                    insert_at(&mut moved, &read_path(to).unwrap_or_default(), value.clone());
                }
            }
            moved
        };
        items.as_array().into_iter().flatten().map(move_item).collect()
    }

    fn move_words(&self, words: &Json) -> Option<Json> {
        Some(match words {
            Json::String(text) if text.starts_with("spec.") || ITEM_FIELDS.contains(&text.as_str()) => {
                self.move_path(text)?.into()
            }
            Json::Array(items) => items.iter().map(|item| self.move_words(item)).collect::<Option<_>>()?,
            Json::Object(fields) => {
                let moved = fields.iter().map(|(word, value)| Some((word.clone(), self.move_words(value)?)));
                Json::Object(moved.collect::<Option<Map<_, _>>>()?)
            }
            other => other.clone(),
        })
    }

    fn move_meaning(&self, said: &Said) -> Option<Said> {
        let all = |parts: &[Said]| parts.iter().map(|part| self.move_meaning(part)).collect::<Option<_>>();
        let steps = |path: &Path| self.move_steps(path);
        let every = |paths: &[Path]| paths.iter().map(steps).collect::<Option<_>>();
        let below = |inner: &Said| self.move_meaning(inner).map(Box::new);
        Some(match said {
            Said::And(parts) => Said::And(all(parts)?),
            Said::Or(parts) => Said::Or(all(parts)?),
            Said::Not(inner) => Said::Not(below(inner)?),
            Said::Set(path) => Said::Set(steps(path)?),
            Said::Passes { path, test, if_absent } => {
                Said::Passes { path: steps(path)?, test: self.move_test(test)?, if_absent: *if_absent }
            }
            Said::Compares { one, how, other, if_absent } => {
                Said::Compares { one: steps(one)?, how: *how, other: steps(other)?, if_absent: *if_absent }
            }
            Said::Count { paths, least, most } => {
                Said::Count { paths: every(paths)?, least: *least, most: *most }
            }
            Said::Together(paths) => Said::Together(every(paths)?),
            Said::Each(path, inner) => Said::Each(steps(path)?, below(inner)?),
            Said::SoMany { list, least, most, said } => {
                Said::SoMany { list: steps(list)?, least: *least, most: *most, said: below(said)? }
            }
            Said::Within(path, inner) => Said::Within(steps(path)?, below(inner)?),
            Said::Among(from, to) => Said::Among(steps(from)?, steps(to)?),
            Said::Changes(path, change) => Said::Changes(steps(path)?, change.clone()),
        })
    }

    fn move_test(&self, test: &super::Test) -> Option<super::Test> {
        Some(match test {
            super::Test::Unique(keys) => {
                super::Test::Unique(keys.iter().map(|key| self.move_steps(key)).collect::<Option<_>>()?)
            }
            other => other.clone(),
        })
    }

    fn move_steps(&self, path: &Path) -> Option<Path> {
        let mut text = String::new();
        for step in path {
            match step {
                Step::Each => text.push_str("[*]"),
                Step::Field(name) => {
                    text.push_str(if text.is_empty() { "" } else { "." });
                    text.push_str(name);
                }
            }
        }
        read_path(&self.move_path(&text)?)
    }

    /// The path in the other kind, from the object or from an item.
    fn move_path(&self, path: &str) -> Option<String> {
        if !path.starts_with("spec.") {
            let known = self.items.iter().find(|(from, _)| *from == path);
            let is_item_field = ITEM_FIELDS.contains(&path);
            return if is_item_field { Some(known?.1.to_owned()) } else { Some(path.to_owned()) };
        }
        let (to, rest) = self.fields.iter().find_map(|(from, to)| {
            let rest = path.strip_prefix(from)?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some((to, rest))
        })?;
        Some(match rest.strip_prefix("[*].").filter(|_| path.starts_with("spec.l[")) {
            Some(field) => format!("{to}[*].{}", self.move_path(field)?),
            None => format!("{to}{rest}"),
        })
    }
}

/// Puts a value into an object, with the objects around it.
pub fn insert_at(object: &mut Json, path: &[Step], value: Json) {
    let Some((Step::Field(name), rest)) = path.split_first() else {
        *object = value;
        return;
    };
    if let Json::Object(fields) = object {
        insert_at(fields.entry(name.clone()).or_insert_with(|| json!({})), rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Situation;

    fn moves() -> Moves {
        Moves {
            fields: vec![("spec.n", "status.count".to_owned()), ("spec.l", "spec.containers".to_owned())],
            items: vec![("k", "image"), ("q", "resources.cpu")],
        }
    }

    #[test]
    fn a_rule_moves_with_its_meaning() {
        let rule = AuthoredRule {
            rule: json!({"name": "a", "each": "spec.l[*]", "path": "k", "in": ["a"]}),
            meaning: Said::Each(
                read_path("spec.l").unwrap_or_default(),
                Box::new(Said::Set(read_path("q").unwrap_or_default())),
            ),
            is_about_updates: false,
        };
        let moved = moves().move_rule(&rule).expect("all fields have a place");
        let expected = json!({"name": "a", "each": "spec.containers[*]", "path": "image", "in": ["a"]});
        assert_eq!(moved.rule, expected);
        let holds = |object: &Json| moved.meaning.holds(Situation { value: object, stored: None });
        assert!(holds(&json!({"spec": {"containers": [{"resources": {"cpu": "1"}}]}})));
        assert!(!holds(&json!({"spec": {"containers": [{"image": "a"}]}})));
    }

    #[test]
    fn a_field_without_a_place_has_no_rule() {
        let rule = |path: &str| AuthoredRule {
            rule: json!({"name": "a", "path": path, "required": true}),
            meaning: Said::Set(read_path(path).unwrap_or_default()),
            is_about_updates: false,
        };
        assert!(moves().move_rule(&rule("spec.n")).is_some());
        assert!(moves().move_rule(&rule("spec.m")).is_none());
        assert!(moves().move_rule(&rule("spec.l[*].d")).is_none());
    }

    #[test]
    fn an_object_moves_with_its_items() {
        let pond = json!({"spec": {"n": 1, "m": 2, "l": [{"k": "a", "q": "1", "d": "b"}]}});
        let moved = moves().move_object(&pond, json!({"kind": "Pod"}));
        let containers = json!([{"image": "a", "resources": {"cpu": "1"}}]);
        let expected = json!({"kind": "Pod", "status": {"count": 1}, "spec": {"containers": containers}});
        assert_eq!(moved, expected);
    }
}
