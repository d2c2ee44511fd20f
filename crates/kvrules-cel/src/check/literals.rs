//! Literals that a function would refuse whenever it runs (patterns, durations, timestamps and templates), and
//! literals whose elements are not of one type.

use crate::ast::Literal;
use crate::value::duration::parse_duration;
use crate::value::time::Timestamp;

use super::core::{Core, Kind, Node};
use super::{Facts, Mistake};

mod format;
mod homogeneous;

/// The errors in literal arguments.
pub(super) fn check(core: &Core, facts: &Facts) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    core.root.walk(&mut |node| mistakes.extend(call_mistake(node, facts)));
    homogeneous::check(&core.root, facts, &mut mistakes);
    mistakes
}

fn call_mistake(node: &Node, facts: &Facts) -> Option<Mistake> {
    let Kind::Call { function, target, args } = &node.kind else { return None };
    match (function.as_str(), target.as_deref(), args.as_slice()) {
        ("matches", Some(_), [pattern]) | ("matches", None, [_, pattern]) => {
            wrong(pattern, is_pattern, "matches")
        }
        ("duration", None, [text]) => wrong(text, |text| parse_duration(text).is_some(), "duration"),
        ("timestamp", None, [text]) => {
            wrong(text, |text| Timestamp::parse(text).is_some_and(|it| it.in_range().is_ok()), "timestamp")
        }
        ("format", Some(template), [values]) => match (&template.kind, &values.kind) {
            (Kind::Literal(Literal::String(template)), Kind::List(values)) => {
                format::mistake(node, template, values, facts)
            }
            _ => None,
        },
        _ => None,
    }
}

fn wrong(argument: &Node, is_right: fn(&str) -> bool, function: &str) -> Option<Mistake> {
    let is_right = match &argument.kind {
        Kind::Literal(Literal::String(text)) => is_right(text),
        Kind::Literal(Literal::Int(seconds)) if function == "timestamp" => {
            Timestamp::from_seconds(*seconds, 0).is_ok()
        }
        _ => true,
    };
    (!is_right).then(|| (argument.at, format!("invalid {function} argument")))
}

fn is_pattern(text: &str) -> bool {
    kvrules_regex::parse(text).is_ok()
}
