//! KV117 `parameter_violates_rule`: a value of a parameter, written or generated, that violates a rule of the template.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_syntax::Node;

use crate::{
    LintCheck, LintedAnnotation,
    message_text::{code, rule_title},
    parameter_values::{ParameterViolation, ViolationExtent, find_violations},
};

pub static LINT: Lint = Lint {
    code: "KV117",
    name: "parameter_violates_rule",
    level: Level::Warning,
    summary: "the default of a parameter, or what it generates, violates a rule of the template",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Annotation(check);

fn check(annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(find_violations(annotated).iter().map(violation_diagnostic));
}

fn violation_diagnostic(violation: &ParameterViolation<'_, '_>) -> Diagnostic {
    let ParameterViolation { parameter, place, rule, extent, reason } = violation;
    let text = |key: &str| parameter.get(key).filter(|node| !node.text().is_empty());
    let name = parameter.get("name").map_or("", Node::text);
    let rule_title = rule_title(&rule.name);
    let (at, message) = match (extent, text("value"), text("from")) {
        (ViolationExtent::SoleValue, Some(value), _) => {
            let what = format!("the value {} of the parameter {}", code(value.text()), code(name));
            (value, format!("{what} violates {rule_title}: {reason}"))
        }
        (ViolationExtent::AllGenerated, _, Some(from)) => {
            (from, format!("every generated value of {} violates {rule_title}: {reason}", code(name)))
        }
        (ViolationExtent::SomeGenerated, _, Some(from)) => {
            (from, format!("some generated values of {} violate {rule_title}: {reason}", code(name)))
        }
        (ViolationExtent::Unknown, _, Some(from)) => {
            let what = format!("generated values of {}", code(name));
            (from, format!("cannot decide if all {what} satisfy {rule_title}: too many to try"))
        }
        _ => {
            let what = format!("the parameter {} has no value, and an empty string", code(name));
            (parameter.get("name").unwrap_or(*parameter), format!("{what} violates {rule_title}: {reason}"))
        }
    };
    let help = match extent {
        ViolationExtent::SoleValue => "give the parameter a value that passes, or change the rule",
        ViolationExtent::AllGenerated | ViolationExtent::SomeGenerated => "change `from`, or the rule",
        ViolationExtent::Unknown => "make `from` simpler, or the rule",
    };
    let level = if *extent == ViolationExtent::Unknown { Level::Info } else { LINT.level };
    let finding = LINT
        .diagnostic_at(at.span(), message)
        .with_secondary_label(place.span().first_byte(), "the value that it is a part of")
        .with_help(help);
    let finding = Diagnostic { level, ..finding };
    match rule.origin.span() {
        Some(rule) => finding.with_secondary_label(rule.first_byte(), "the rule"),
        None => finding,
    }
}
