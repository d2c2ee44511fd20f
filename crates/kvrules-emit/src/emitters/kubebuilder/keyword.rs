//! Markers of keywords: bounds, patterns, enumerations, and counts of fields.

use kvrules_rule_set::{AuthoredRule, Bounds, Condition, PathStep, RulePath, ValueTest};
use kvrules_syntax::edit::quote_json;
use serde_json::Value;

use super::quote_text;

/// The marker of each count of fields, on the type that has the fields.
// controller-tools pkg/crd/markers/validation.go, ExactlyOneOf, AtMostOneOf, AtLeastOneOf
pub(super) const COUNTS: [(&str, usize, Option<usize>); 3] =
    [("ExactlyOneOf", 1, Some(1)), ("AtMostOneOf", 0, Some(1)), ("AtLeastOneOf", 1, None)];

/// The markers that say the same as a rule at its place, with their arguments; `None` if keywords cannot express it, or if the schema has one of
/// them already.
pub(super) fn keyword_markers(rule: &AuthoredRule, node: &Value) -> Option<Vec<(String, String)>> {
    if node.get("nullable") == Some(&Value::Bool(true)) {
        return None;
    }
    let markers = match plain_test(&rule.placed) {
        Some(test) => test_markers(test, node)?,
        None => vec![count_marker(&rule.placed, node)?],
    };
    let is_free = |(name, _): &(String, String)| {
        let mut letters = name.chars();
        let keyword: String =
            letters.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(letters).collect();
        node.get(&keyword).is_none()
    };
    markers.iter().all(is_free).then_some(markers)
}

/// The test of the value at the place of a rule.
fn plain_test(placed: &Condition) -> Option<&ValueTest> {
    let is_value = |path: &RulePath| path.0.is_empty();
    match placed {
        Condition::Passes(path, test) if is_value(path) => Some(test),
        Condition::Any(parts) => match parts.as_slice() {
            [Condition::Not(absent), Condition::Passes(path, test)] if is_value(path) => {
                matches!(&**absent, Condition::Present(path) if is_value(path)).then_some(test)
            }
            _ => None,
        },
        _ => None,
    }
}

fn test_markers(test: &ValueTest, node: &Value) -> Option<Vec<(String, String)>> {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    Some(match (test, kind) {
        (ValueTest::Number(bounds), "integer") => bound_markers(bounds, ["Minimum", "Maximum"]),
        (ValueTest::Length(bounds), "string") => bound_markers(bounds, ["MinLength", "MaxLength"]),
        (ValueTest::Items(bounds), "array") => bound_markers(bounds, ["MinItems", "MaxItems"]),
        (ValueTest::Items(bounds), "object") => bound_markers(bounds, ["MinProperties", "MaxProperties"]),
        (ValueTest::Pattern(pattern), "string") => vec![("Pattern".to_owned(), quote_text(pattern))],
        (ValueTest::In(values), "string" | "integer") => {
            let quoted = |value: &Value| value.as_str().map_or_else(|| value.to_string(), quote_json);
            let values: Vec<String> = values.iter().map(quoted).collect();
            vec![("Enum".to_owned(), format!("{{{}}}", values.join(",")))]
        }
        _ => return None,
    })
}

fn bound_markers<T: std::fmt::Display>(bounds: &Bounds<T>, [min, max]: [&str; 2]) -> Vec<(String, String)> {
    let marker = |name: &str, bound: &Option<T>| Some((name.to_owned(), bound.as_ref()?.to_string()));
    [marker(min, &bounds.min), marker(max, &bounds.max)].into_iter().flatten().collect()
}

/// The marker for a number of fields of the object.
fn count_marker(placed: &Condition, node: &Value) -> Option<(String, String)> {
    let Condition::CountPresent { paths, least, most } = placed else { return None };
    let names: Option<Vec<&str>> = paths.iter().map(|path| plain_field(path, node)).collect();
    let is_count = |(_, min, max): &&(&str, usize, Option<usize>)| {
        least == min && max.map_or(*most >= paths.len(), |max| *most == max)
    };
    let (name, ..) = COUNTS.iter().find(is_count)?;
    Some(((*name).to_owned(), names?.join(";")))
}

/// A field that is there exactly if `has` says so.
fn plain_field<'p>(path: &'p RulePath, node: &Value) -> Option<&'p str> {
    let [PathStep::Field(name)] = path.0.as_slice() else { return None };
    let field = node.get("properties")?.get(name)?;
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric());
    (is_plain && field.get("nullable") != Some(&Value::Bool(true))).then_some(name)
}
