//! A reader of RuleSets' words with a meaning of its own, after `docs/guide/rule-set-words.md`: it evaluates the rules of a document for an
//! object.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::evaluate::{Outcome, Scope, evaluate_rule, is_pattern_match};
use super::parse::parse_expression;
use super::value::{Val, read_quantity};

/// The document uses something that the judge does not know: the name of a word, or what is special about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownWord(pub(crate) String);

type Answer = Result<bool, UnknownWord>;

fn unknown(what: &str) -> UnknownWord {
    UnknownWord(what.to_owned())
}

/// How a word treats values that are not there, and several ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In a rule: it passes without a value, and holds of every one.
    Rule,
    /// In `when`: it fails without a value, and holds of some.
    Condition,
}

/// True if an object passes an entry of `spec.rules`.
pub(crate) fn passes_entry(entry: &Json, object: &Val) -> Answer {
    let scopes = match entry.get("each").and_then(Json::as_str) {
        Some(path) => values_at(object, path)?,
        None => vec![object.clone()],
    };
    for scope in scopes {
        let applies = entry.get("when").map_or(Ok(true), |when| holds(when, &scope))?;
        if applies && !words_hold(entry, &scope, Position::Rule)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if a condition of `when` holds.
fn holds(condition: &Json, scope: &Val) -> Answer {
    let all = |parts: &[Json]| -> Answer {
        for part in parts {
            if !holds(part, scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    if let Json::Array(parts) = condition {
        return all(parts);
    }
    let parts = |key: &str| condition.get(key).and_then(Json::as_array);
    if let Some(parts) = parts("all") {
        return all(parts);
    }
    if let Some(parts) = parts("any") {
        for part in parts {
            if holds(part, scope)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if let Some(inner) = condition.get("not") {
        return Ok(!holds(inner, scope)?);
    }
    words_hold(condition, scope, Position::Condition)
}

/// True if all words of a mapping hold.
fn words_hold(words: &Json, scope: &Val, position: Position) -> Answer {
    let Json::Object(entries) = words else { return Err(unknown("a condition that is no mapping")) };
    let path = words.get("path").and_then(Json::as_str).unwrap_or_default();
    for (word, argument) in entries {
        if matches!(word.as_str(), "name" | "path" | "each" | "when" | "message" | "severity" | "reason") {
            continue;
        }
        if !word_holds(word, argument, path, scope, position)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn word_holds(word: &str, argument: &Json, path: &str, scope: &Val, position: Position) -> Answer {
    let count_present = || -> Result<(usize, usize), UnknownWord> {
        let paths: Vec<&str> = argument.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let mut present = 0;
        for path in &paths {
            present += usize::from(!values_at(scope, path)?.is_empty());
        }
        Ok((present, paths.len()))
    };
    match word {
        "required" | "forbidden" => {
            if path.contains("[*]") && path != "[*]" {
                return Err(unknown("presence below items"));
            }
            let is_wanted = (word == "required") == (argument == &Json::Bool(true));
            return Ok(values_at(scope, path)?.is_empty() != is_wanted);
        }
        "exactlyOneOf" => return count_present().map(|(present, _)| present == 1),
        "atMostOneOf" => return count_present().map(|(present, _)| present <= 1),
        "atLeastOneOf" => return count_present().map(|(present, _)| present >= 1),
        "allOrNone" => return count_present().map(|(present, total)| present == 0 || present == total),
        _ => {}
    }
    let values = values_at(scope, path)?;
    let mut verdicts = Vec::new();
    for value in &values {
        match word {
            "atLeast" | "atMost" | "equals" => {
                let other = argument.as_str().ok_or_else(|| unknown(word))?;
                let others = values_at(scope, other)?;
                if others.len() > 1 {
                    return Err(unknown("a comparison with several values"));
                }
                verdicts.extend(others.first().map(|other| are_ordered(word, value, other)));
            }
            _ => verdicts.push(value_holds(word, argument, value)?),
        }
    }
    Ok(match position {
        Position::Rule => verdicts.into_iter().all(|holds| holds),
        Position::Condition => verdicts.into_iter().any(|holds| holds),
    })
}

fn are_ordered(word: &str, value: &Val, other: &Val) -> bool {
    match word {
        "equals" => value.equals(other),
        "atLeast" => value.compare(other).is_some_and(|order| order != Ordering::Less),
        _ => value.compare(other).is_some_and(|order| order != Ordering::Greater),
    }
}

/// True if a word holds of a value.
fn value_holds(word: &str, argument: &Json, value: &Val) -> Answer {
    let size = match value {
        Val::Str(text) => text.chars().count() as f64,
        Val::List(items) => items.len() as f64,
        Val::Map(entries) => entries.len() as f64,
        _ => 0.0,
    };
    Ok(match (word, value) {
        ("integer" | "number", Val::Int(number)) => is_within(argument, *number as f64),
        ("number", Val::Double(number)) => is_within(argument, *number),
        ("integer", Val::Str(_) | Val::Double(_)) | ("number", Val::Str(_)) => false,
        ("length", Val::Str(_)) | ("items", Val::List(_) | Val::Map(_)) => is_within(argument, size),
        ("length", Val::Int(_)) => false,
        ("quantity", Val::Str(text)) => {
            let bound = |key: &str| argument.get(key).map(|limit| read_quantity(&plain_text(limit)));
            let Some(value) = read_quantity(text) else { return Ok(false) };
            let compare = |key: &str, passes: fn(i128, i128) -> bool| match bound(key) {
                None => Ok(true),
                Some(Some(limit)) => Ok(passes(value, limit)),
                Some(None) => Err(unknown("a limit that is no quantity")),
            };
            compare("min", |value, limit| value >= limit)?
                && compare("max", |value, limit| value <= limit)?
                && compare("above", |value, limit| value > limit)?
                && compare("below", |value, limit| value < limit)?
        }
        ("in", value) => argument.as_array().into_iter().flatten().any(|listed| is_listed(listed, value)),
        ("pattern", Val::Str(text)) => {
            let pattern = argument.as_str().unwrap_or_default();
            is_pattern_match(pattern, text).ok_or_else(|| unknown("a pattern"))?
        }
        ("pattern", Val::Int(_)) => false,
        ("cel", value) => {
            let text = argument.as_str().unwrap_or_default();
            let expr = parse_expression(text).ok_or_else(|| unknown("an expression"))?;
            evaluate_rule(&expr, &mut Scope::of(vec![("self".to_owned(), value.clone())])) == Outcome::True
        }
        _ => return Err(unknown(word)),
    })
}

fn plain_text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_listed(listed: &Json, value: &Val) -> bool {
    match (listed, value) {
        (Json::Number(number), Val::Int(value)) => number.as_f64() == Some(*value as f64),
        (Json::Number(number), Val::Double(value)) => number.as_f64() == Some(*value),
        (listed, value) => *listed == value.to_json(),
    }
}

/// True if a number is within `min` and `max`, or `above` and `below`.
fn is_within(limits: &Json, number: f64) -> bool {
    let limit = |key: &str| limits.get(key).and_then(Json::as_f64);
    limit("min").is_none_or(|limit| number >= limit)
        && limit("max").is_none_or(|limit| number <= limit)
        && limit("above").is_none_or(|limit| number > limit)
        && limit("below").is_none_or(|limit| number < limit)
}

/// The values at a path: `spec.ports[*].name`, `["key"]`.
fn values_at(scope: &Val, path: &str) -> Result<Vec<Val>, UnknownWord> {
    let mut values = vec![scope.clone()];
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix("[*]") {
            rest = behind;
            values = values.iter().flat_map(items_of).collect();
            continue;
        }
        if let Some(behind) = rest.strip_prefix("[\"") {
            let (key, behind) = behind.split_once("\"]").ok_or_else(|| unknown("a path"))?;
            rest = behind;
            values = values.iter().filter_map(|value| value.field(key).cloned()).collect();
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if name.is_empty() {
            return Err(unknown("a path"));
        }
        rest = behind;
        values = values.iter().filter_map(|value| value.field(name).cloned()).collect();
    }
    Ok(values)
}

fn items_of(value: &Val) -> Vec<Val> {
    match value {
        Val::List(items) => items.to_vec(),
        Val::Map(entries) => entries.iter().map(|(_, value)| value.clone()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(a: i64, items: &[i64]) -> Val {
        let items: Vec<Val> = items.iter().map(|item| Val::Int(*item)).collect();
        Val::Map(vec![("a".into(), Val::Int(a)), ("l".into(), Val::List(items.into()))].into())
    }

    #[test]
    fn words_hold_without_a_value_in_rules_and_fail_in_conditions() {
        let rule = json!({"path": "b", "integer": {"min": 1}});
        assert_eq!(passes_entry(&rule, &object(0, &[])), Ok(true));
        let guarded =
            json!({"path": "a", "integer": {"min": 1}, "when": {"path": "b", "integer": {"min": 1}}});
        assert_eq!(passes_entry(&guarded, &object(0, &[])), Ok(true));
        let some = json!({"path": "a", "in": [7], "when": {"path": "l[*]", "in": [2]}});
        assert_eq!(passes_entry(&some, &object(0, &[1, 2])), Ok(false));
        assert_eq!(passes_entry(&some, &object(0, &[1])), Ok(true));
        assert_eq!(
            passes_entry(&json!({"path": "a", "unheard": 1}), &object(0, &[])),
            Err(unknown("unheard"))
        );
    }
}
