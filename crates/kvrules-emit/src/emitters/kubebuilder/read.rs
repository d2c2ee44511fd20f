//! Reading of marker comments, as controller-gen understands them.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::{parse_place, schema_at_place};
use kvrules_rule_set::{Bounds, Condition, RulePath, ValueTest, to_cel};
use serde_json::{Map, Value};

use super::PREFIX;
use super::keyword::COUNTS;
use crate::source_markers::read_blocks;

/// The entries of `x-kubernetes-validations` that the markers of a file mean, with their paths. A marker of a keyword is an entry without
/// a message.
pub(super) fn read_entries(text: &str, version: &ResourceVersion) -> Vec<(String, Value)> {
    let read = |(path, lines): (String, Vec<&str>)| {
        let node =
            parse_place(&path, &version.schema).and_then(|place| schema_at_place(&version.schema, &place))?;
        let markers: Option<Vec<&str>> = lines.iter().map(|line| line.strip_prefix(PREFIX)).collect();
        let entry = match markers?.as_slice() {
            [marker] if marker.starts_with("XValidation:") => {
                Value::Object(read_arguments(marker.strip_prefix("XValidation:")?)?)
            }
            markers => keyword_entry(markers, node)?,
        };
        Some((path, entry))
    };
    read_blocks(text, &version.kind).into_iter().filter_map(read).collect()
}

/// `key="value",key=`value``
fn read_arguments(text: &str) -> Option<Map<String, Value>> {
    let (mut fields, mut rest) = (Map::new(), text);
    while !rest.is_empty() {
        let (key, behind) = rest.split_once('=')?;
        let (value, behind) = read_string(behind)?;
        fields.insert(key.to_owned(), value.into());
        rest = behind.strip_prefix(',').unwrap_or(behind);
    }
    Some(fields)
}

/// A string of Go at the start of a text, and the text behind it.
fn read_string(text: &str) -> Option<(String, &str)> {
    if let Some(raw) = text.strip_prefix('`') {
        let (value, behind) = raw.split_once('`')?;
        return Some((value.to_owned(), behind));
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

/// Returns the requirement of markers of keywords, as an expression.
fn keyword_entry(markers: &[&str], node: &Value) -> Option<Value> {
    let mut bounds: (Option<String>, Option<String>) = (None, None);
    let mut condition = None;
    let mut of_bounds = None;
    for marker in markers {
        let (name, argument) = marker.split_once('=')?;
        if let Some(kind) = name.strip_prefix("Min").or_else(|| name.strip_prefix("Max")) {
            let slot = if name.starts_with("Min") { &mut bounds.0 } else { &mut bounds.1 };
            *slot = Some(argument.to_owned());
            of_bounds = Some(kind.to_owned());
        } else {
            condition = Some(single_condition(name, argument)?);
        }
    }
    if let Some(kind) = of_bounds {
        condition = Some(Condition::Passes(RulePath::default(), bounds_test(&kind, &bounds)?));
    }
    let rule = to_cel(&condition?, node)?;
    Some(Value::Object([("rule".to_owned(), Value::from(rule))].into_iter().collect()))
}

fn bounds_test(kind: &str, (min, max): &(Option<String>, Option<String>)) -> Option<ValueTest> {
    let count = |text: &Option<String>| text.as_ref().map(|text| text.parse::<u64>());
    let counts = || Some(Bounds::with_limits(count(min).transpose().ok()?, count(max).transpose().ok()?));
    let integer = |text: &Option<String>| text.as_ref().map(|text| text.parse::<i64>());
    match kind {
        "imum" => {
            let (min, max) = (integer(min).transpose().ok()?, integer(max).transpose().ok()?);
            Some(ValueTest::Number(Bounds::with_limits(min.map(Into::into), max.map(Into::into))))
        }
        "Length" => counts().map(ValueTest::Length),
        "Items" | "Properties" => counts().map(ValueTest::Items),
        _ => None,
    }
}

fn single_condition(name: &str, argument: &str) -> Option<Condition> {
    let of_value = |test: ValueTest| Condition::Passes(RulePath::default(), test);
    match name {
        "Pattern" => Some(of_value(ValueTest::Pattern(read_string(argument)?.0))),
        "Enum" => {
            let values = argument.strip_prefix('{')?.strip_suffix('}')?;
            let values: Vec<Value> = serde_json::from_str(&format!("[{values}]")).ok()?;
            Some(of_value(ValueTest::In(values)))
        }
        name => {
            let (_, least, most) = COUNTS.iter().find(|(known, ..)| *known == name)?;
            let paths: Vec<RulePath> =
                argument.split(';').map(|path| RulePath::parse(path).ok()).collect::<Option<_>>()?;
            let most = most.unwrap_or(paths.len());
            Some(Condition::CountPresent { paths, least: *least, most })
        }
    }
}
