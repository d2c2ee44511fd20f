//! One rule as an object in JSON.
//!
//! The text is put together here and not by `serde_json`, whose numbers end at 64 bits.

use kvrules_ir::{BoundValue, Constraint, ElaboratedRule, EnumValue, Path, Rule, Severity};
use kvrules_syntax::edit::quote_json;
use kvrules_syntax::layout::JsonLayout;

use super::number;

/// Prefix of a path.
const PREFIX: &str = "jsonpath::";

/// The rule, or why it cannot be written.
pub(super) fn write_rule(rule: &ElaboratedRule) -> Result<JsonLayout, String> {
    match &rule.written.0 {
        Some(rule) => write_plain_rule(rule),
        None => Err("the rule was generated and has no source text".to_owned()),
    }
}

/// The rule as it is written, or why it cannot be. Of its paths only the texts count.
pub(super) fn write_plain_rule(rule: &Rule) -> Result<JsonLayout, String> {
    let mut members = rule_members(rule)?;
    members.sort_by_key(|(key, _)| Rule::place_of(key));
    Ok(JsonLayout::Object(members.into_iter().map(|(key, value)| (escape_text(key), value)).collect()))
}

/// Keys and values as JSON.
fn rule_members(rule: &Rule) -> Result<RuleArguments, String> {
    let (kind, arguments) = constraint_members(&rule.constraint)?;
    let mut members = vec![("name", string_json(&rule.name)), ("path", path_json(&rule.path))];
    members.extend(rule.guard.iter().map(|guard| ("valid", path_json(guard))));
    members.extend([("rule", string_json(kind)), ("message", string_json(&rule.message))]);
    if rule.severity == Severity::Warning {
        members.push(("justWarning", JsonLayout::Scalar("true".to_owned())));
    }
    members.extend(arguments);
    Ok(members)
}

type RuleArguments = Vec<(&'static str, JsonLayout)>;

fn constraint_members(constraint: &Constraint) -> Result<(&'static str, RuleArguments), String> {
    Ok(match constraint {
        Constraint::Integer { min, max } => ("integer", bound_members([("min", min), ("max", max)])?),
        Constraint::String { min_length, max_length } => {
            ("string", bound_members([("minLength", min_length), ("maxLength", max_length)])?)
        }
        Constraint::Enum { values } => {
            let values = values.iter().map(value_json).collect::<Result<Vec<_>, _>>()?;
            ("enum", vec![("values", JsonLayout::List(values))])
        }
        Constraint::Regex { pattern, .. } => ("regex", vec![("regex", string_json(pattern))]),
    })
}

fn bound_members(bounds: [(&'static str, &Option<BoundValue>); 2]) -> Result<RuleArguments, String> {
    let given = bounds.into_iter().filter_map(|(key, bound)| Some((key, bound.as_ref()?)));
    given.map(|(key, bound)| Ok((key, self::bound_json(bound)?))).collect()
}

fn bound_json(bound: &BoundValue) -> Result<JsonLayout, String> {
    match bound {
        BoundValue::Path(to) => Ok(path_json(to)),
        BoundValue::Number(quantity) => {
            let digits = number::to_decimal(quantity);
            digits
                .map(JsonLayout::Scalar)
                .ok_or_else(|| "a bound has more digits than can be written".to_owned())
        }
    }
}

fn value_json(value: &EnumValue) -> Result<JsonLayout, String> {
    match value {
        EnumValue::Path(to) => Ok(path_json(to)),
        EnumValue::Text(value) if value.starts_with(PREFIX) => {
            Err(format!("the value `{value}` would be read as a path"))
        }
        EnumValue::Text(value) => Ok(string_json(value)),
    }
}

fn path_json(path: &Path) -> JsonLayout {
    string_json(&format!("{PREFIX}{}", path.text))
}

fn string_json(value: &str) -> JsonLayout {
    JsonLayout::Scalar(escape_text(value))
}

fn escape_text(text: &str) -> String {
    quote_json(text)
}
