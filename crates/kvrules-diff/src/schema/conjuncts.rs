//! Requirements of a node by keywords, next to its type and in `allOf`.

use serde_json::{Value, json};

use super::edit::ObjectEdit;
use super::keyword::{keyword_flag, keyword_list, keyword_texts};
use kvrules_kubernetes::keywords::INT_OR_STRING;

/// A requirement: a keyword with its value. A bound has its flag for exclusion with it.
type Requirement = (String, Value);

/// Keywords that decide more than which values are accepted: the type that rules see.
const TYPES: [&str; 4] = ["type", "format", "nullable", INT_OR_STRING];

/// True if the keywords of an edit require nothing on the side `other` that the node of the accepting side does not require.
pub(super) fn are_required(accepting: &Value, other: &Value, edit: &ObjectEdit) -> bool {
    let is_null = [accepting, other].iter().any(|node| keyword_flag(node, "nullable"));
    let keys: Vec<&str> = edit.keys.iter().filter_map(|key| key.first()).map(String::as_str).collect();
    let is_about_values = matches!(edit.change.what, "value" | "size" | "branches");
    if is_null || !is_about_values || keys.iter().any(|key| TYPES.contains(key)) {
        return false;
    }
    let mut known = Vec::new();
    collect_requirements(accepting, &mut |requirement| known.push(requirement));
    let mut demanded = Vec::new();
    for key in keys {
        collect_keyword(other, key, &mut |requirement| demanded.push(requirement));
    }
    demanded.iter().all(|wanted| known.iter().any(|known| is_implied_by(wanted, known)))
}

fn collect_requirements(node: &Value, found: &mut dyn FnMut(Requirement)) {
    for key in node.as_object().into_iter().flatten().map(|(key, _)| key.as_str()) {
        collect_keyword(node, key, found);
    }
}

fn collect_keyword(node: &Value, key: &str, found: &mut dyn FnMut(Requirement)) {
    let Some(value) = node.get(key) else { return };
    let is_flag = |flag: &str| keyword_flag(node, flag);
    match key {
        "allOf" => keyword_list(node, key).iter().for_each(|branch| collect_requirements(branch, found)),
        "required" => {
            for name in keyword_texts(node, key) {
                found((key.to_owned(), name.into()));
            }
        }
        "minimum" | "exclusiveMinimum" => {
            found(("minimum".to_owned(), json!([node.get("minimum"), is_flag("exclusiveMinimum")])));
        }
        "maximum" | "exclusiveMaximum" => {
            found(("maximum".to_owned(), json!([node.get("maximum"), is_flag("exclusiveMaximum")])));
        }
        _ => found((key.to_owned(), value.clone())),
    }
}

/// True if a value that satisfies the second requirement satisfies the first.
fn is_implied_by((wanted, value): &Requirement, (known, other): &Requirement) -> bool {
    if wanted != known {
        return false;
    }
    if value == other {
        return true;
    }
    let numbers = || Some((value.as_u64()?, other.as_u64()?));
    // Rounding keeps the order, so a difference of the rounded bounds is one of the bounds.
    let bounds = || Some((value.get(0)?.as_f64()?, other.get(0)?.as_f64()?));
    match wanted.as_str() {
        "minimum" => bounds().is_some_and(|(least, known)| known > least),
        "maximum" => bounds().is_some_and(|(most, known)| known < most),
        "minLength" | "minItems" | "minProperties" => numbers().is_some_and(|(least, known)| known >= least),
        "maxLength" | "maxItems" | "maxProperties" => numbers().is_some_and(|(most, known)| known <= most),
        "enum" => {
            let listed = |value: &Value| value.as_array().cloned().unwrap_or_default();
            let allowed = listed(value);
            !allowed.is_empty() && listed(other).iter().all(|value| allowed.contains(value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_follows_from_the_same_or_a_narrower_one() {
        let implied = |wanted: Value, known: Value| {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            collect_requirements(&wanted, &mut |it| one.push(it));
            collect_requirements(&known, &mut |it| other.push(it));
            one.iter().all(|wanted| other.iter().any(|known| is_implied_by(wanted, known)))
        };
        assert!(implied(
            json!({"enum": ["a", "b"]}),
            json!({"allOf": [{"enum": ["b", "c"]}, {"enum": ["a"]}]})
        ));
        assert!(implied(json!({"maxLength": 9}), json!({"allOf": [{"allOf": [{"maxLength": 5}]}]})));
        assert!(!implied(json!({"maxLength": 5}), json!({"maxLength": 9})));
        assert!(!implied(json!({"minimum": 3, "exclusiveMinimum": true}), json!({"minimum": 3})));
        assert!(implied(json!({"minimum": 3, "exclusiveMinimum": true}), json!({"minimum": 3.5})));
        assert!(!implied(
            json!({"maximum": 9_007_199_254_740_992_u64}),
            json!({"maximum": 9_007_199_254_740_993_u64})
        ));
        assert!(!implied(json!({"anyOf": [{"minLength": 3}]}), json!({"anyOf": [{"minLength": 4}]})));
    }
}
