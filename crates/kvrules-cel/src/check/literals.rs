//! Literals that a function would refuse whenever it runs (patterns, durations, timestamps and templates), and
//! literals whose elements are not of one type.

use crate::ast::Literal;
use crate::value::duration::parse_duration;
use crate::value::time::Timestamp;

use super::core::{CoreKind, CoreNode, CoreTree};
use super::{TypeError, TypeFacts};

mod format;
mod homogeneous;

/// The errors in literal arguments.
// cel-go cel/validator.go, ExtendedValidations and formatValidator.Validate
pub(super) fn check_literals(core: &CoreTree, facts: &TypeFacts) -> Vec<TypeError> {
    let mut errors = Vec::new();
    core.root.visit_nodes(&mut |node| errors.extend(call_error(node, facts)));
    homogeneous::check_homogeneous(&core.root, facts, &mut errors);
    errors
}

fn call_error(node: &CoreNode, facts: &TypeFacts) -> Option<TypeError> {
    let CoreKind::Call { function, target, args } = &node.kind else { return None };
    match (function.as_str(), target.as_deref(), args.as_slice()) {
        // cel-go cel/validator.go, compileRegex
        ("matches", Some(_), [pattern]) | ("matches", None, [_, pattern]) => {
            check_argument(pattern, is_pattern, "matches")
        }
        // cel-go cel/validator.go, evalCall: whatever the conversion answers when it runs
        ("duration", None, [text]) => check_argument(text, |text| parse_duration(text).is_some(), "duration"),
        ("timestamp", None, [text]) => check_argument(
            text,
            |text| Timestamp::parse(text).is_some_and(|it| it.in_range().is_ok()),
            "timestamp",
        ),
        ("format", Some(template), [values]) => match (&template.kind, &values.kind) {
            (CoreKind::Literal(Literal::String(template)), CoreKind::List(values)) => {
                format::check_format_call(node, template, values, facts)
            }
            _ => None,
        },
        _ => None,
    }
}

fn check_argument(argument: &CoreNode, is_right: fn(&str) -> bool, function: &str) -> Option<TypeError> {
    let is_right = match &argument.kind {
        CoreKind::Literal(Literal::String(text)) => is_right(text),
        CoreKind::Literal(Literal::Int(seconds)) if function == "timestamp" => {
            Timestamp::from_seconds(*seconds, 0).is_ok()
        }
        _ => true,
    };
    (!is_right).then(|| (argument.at, format!("invalid {function} argument")))
}

fn is_pattern(text: &str) -> bool {
    kvrules_regex::parse(text).is_ok()
}
