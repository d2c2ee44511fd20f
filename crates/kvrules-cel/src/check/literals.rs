//! Literals that a function would refuse whenever it runs (patterns, durations, timestamps and templates), and
//! literals whose elements are not of one type.

use crate::ast::Literal;
use crate::kubernetes::Dialect;
use crate::value::duration::parse_duration;
use crate::value::time::Timestamp;

use super::core::{CoreKind, CoreNode, CoreTree};
use super::{CheckedExpression, TypeError, TypeFacts};

mod format;
mod homogeneous;

/// The errors in literal arguments.
// cel-go cel/validator.go, ExtendedValidations and formatValidator.Validate
pub(super) fn check_literals(core: &CoreTree, facts: &TypeFacts, dialect: Dialect) -> Vec<TypeError> {
    let mut errors = Vec::new();
    if dialect.checks_literals {
        core.root.visit_nodes(&mut |node| errors.extend(call_error(node, facts)));
    }
    if !dialect.checks_homogeneity_early {
        homogeneous::check_homogeneous(&core.root, facts, true, &mut errors);
    }
    errors
}

/// The errors in literals that older servers find together with those of types.
// cel-go v0.16 checker.go, checkCreateList and checkCreateMap with HomogeneousAggregateLiterals
pub(super) fn check_early(core: &CoreTree, facts: &TypeFacts, dialect: Dialect) -> Vec<TypeError> {
    let mut errors = Vec::new();
    if dialect.checks_homogeneity_early {
        homogeneous::check_homogeneous(&core.root, facts, false, &mut errors);
    }
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

/// Returns the reason why a server that does not check literals cannot make a program of an expression, in the words of the
/// conversion that fails.
// cel-go v0.16 cel/program.go, newProgram with OptOptimize: constant calls are evaluated, and patterns compiled
pub fn literal_problem(checked: &CheckedExpression) -> Option<String> {
    let mut problem = None;
    checked.core.root.visit_nodes(&mut |node| {
        if problem.is_none() {
            problem = conversion_problem(node);
        }
    });
    problem
}

fn conversion_problem(node: &CoreNode) -> Option<String> {
    let CoreKind::Call { function, target, args } = &node.kind else { return None };
    let (("matches", Some(_), [argument])
    | ("matches", None, [_, argument])
    | ("duration" | "timestamp", None, [argument])) = (function.as_str(), target, args.as_slice())
    else {
        return None;
    };
    let CoreKind::Literal(Literal::String(text)) = &argument.kind else { return None };
    let converts = |ty: &str| Some(format!("type conversion error from 'string' to 'google.protobuf.{ty}'"));
    match function.as_str() {
        "duration" if parse_duration(text).is_none() => converts("Duration"),
        "timestamp" if Timestamp::parse(text).is_none_or(|it| it.in_range().is_err()) => {
            converts("Timestamp")
        }
        "matches" => {
            let error = kvrules_regex::parse(text).err()?;
            Some(error.go_text())
        }
        _ => None,
    }
}

fn is_pattern(text: &str) -> bool {
    kvrules_regex::parse(text).is_ok()
}
