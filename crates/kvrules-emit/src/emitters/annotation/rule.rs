//! One rule as an object in JSON.
//!
//! The text is put together here and not by `serde_json`, whose numbers end at 64 bits.

use kvrules_ir::{BoundValue, Constraint, ElaboratedRule, EnumValue, Path, Rule, Severity};
use kvrules_syntax::layout::JsonLayout;
use serde_json::Value;

use super::number;

/// Prefix of a path.
const PREFIX: &str = "jsonpath::";

/// The rule, or why it cannot be written.
pub(super) fn written(rule: &ElaboratedRule) -> Result<JsonLayout, String> {
    let Some(rule) = &rule.written.0 else {
        return Err("the rule was generated and has no source text".to_owned());
    };
    let mut members = members(rule)?;
    members.sort_by_key(|(key, _)| Rule::place_of(key));
    Ok(JsonLayout::Object(members.into_iter().map(|(key, value)| (text(key), value)).collect()))
}

/// Keys and values as JSON.
fn members(rule: &Rule) -> Result<Arguments, String> {
    let (kind, arguments) = constraint(&rule.constraint)?;
    let mut members = vec![("name", string(&rule.name)), ("path", path(&rule.path))];
    members.extend(rule.guard.iter().map(|guard| ("valid", path(guard))));
    members.extend([("rule", string(kind)), ("message", string(&rule.message))]);
    if rule.severity == Severity::Warning {
        members.push(("justWarning", JsonLayout::Scalar("true".to_owned())));
    }
    members.extend(arguments);
    Ok(members)
}

type Arguments = Vec<(&'static str, JsonLayout)>;

fn constraint(constraint: &Constraint) -> Result<(&'static str, Arguments), String> {
    Ok(match constraint {
        Constraint::Integer { min, max } => ("integer", bounds([("min", min), ("max", max)])?),
        Constraint::String { min_length, max_length } => {
            ("string", bounds([("minLength", min_length), ("maxLength", max_length)])?)
        }
        Constraint::Enum { values } => {
            let values = values.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            ("enum", vec![("values", JsonLayout::List(values))])
        }
        Constraint::Regex { pattern, .. } => ("regex", vec![("regex", string(pattern))]),
    })
}

fn bounds(bounds: [(&'static str, &Option<BoundValue>); 2]) -> Result<Arguments, String> {
    let given = bounds.into_iter().filter_map(|(key, bound)| Some((key, bound.as_ref()?)));
    given.map(|(key, bound)| Ok((key, self::bound(bound)?))).collect()
}

fn bound(bound: &BoundValue) -> Result<JsonLayout, String> {
    match bound {
        BoundValue::Path(to) => Ok(path(to)),
        BoundValue::Number(quantity) => {
            let digits = number::decimal(quantity);
            digits
                .map(JsonLayout::Scalar)
                .ok_or_else(|| "a bound has more digits than can be written".to_owned())
        }
    }
}

fn value(value: &EnumValue) -> Result<JsonLayout, String> {
    match value {
        EnumValue::Path(to) => Ok(path(to)),
        EnumValue::Text(value) if value.starts_with(PREFIX) => {
            Err(format!("the value `{value}` would be read as a path"))
        }
        EnumValue::Text(value) => Ok(string(value)),
    }
}

fn path(path: &Path) -> JsonLayout {
    string(&format!("{PREFIX}{}", path.text))
}

fn string(value: &str) -> JsonLayout {
    JsonLayout::Scalar(text(value))
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}
