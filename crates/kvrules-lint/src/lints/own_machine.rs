//! KV910 `own_machine`: a VirtualMachine that violates the rules that stand next to it.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_eval::{Explanation, explain_rule, predicate_holds};
use kvrules_ir::{ElaboratedRule, Severity};
use kvrules_syntax::Node;

use super::instancetype_conflict::{ALWAYS_SET, has_instancetype};
use crate::{
    LintCheck, LintedAnnotation,
    machines::{location_span, node_at},
    message_text::{code, rule_title},
    parameter_values::is_parametrized,
};

pub static LINT: Lint = Lint {
    code: "KV910",
    name: "own_machine",
    level: Level::Warning,
    summary: "a template's own VirtualMachine violates one of its rules",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Annotation(check);

fn check(annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    for own in annotated.own_machines().iter().filter(|own| own.is_rejected) {
        let (Some(node), object) = (own.node(annotated), &own.object) else { continue };
        let rules = annotated.elaboration.rules.iter();
        for rule in
            rules.filter(|rule| rule.severity == Severity::Error && !predicate_holds(&rule.predicate, object))
        {
            let Ok(explanation) = explain_rule(rule, object) else { continue };
            // If the value of a parameter is the cause, KV117 reports it.
            if !is_of_parameter(annotated, node, &explanation) {
                found.push(violation_diagnostic(node, rule, &explanation));
            }
        }
    }
}

/// True if the failing value uses a parameter.
fn is_of_parameter(annotated: &LintedAnnotation<'_>, machine: Node<'_>, explanation: &Explanation) -> bool {
    let Some(template) = annotated.annotation.template else { return false };
    let failing =
        explanation.values.iter().find(|value| !value.passes_tests()).or(explanation.values.first());
    let node = failing.and_then(|value| node_at(machine, &value.finding.location));
    node.is_some_and(|node| is_parametrized(template, node))
}

fn violation_diagnostic(machine: Node<'_>, rule: &ElaboratedRule, explanation: &Explanation) -> Diagnostic {
    let failing =
        explanation.values.iter().find(|value| !value.passes_tests()).or(explanation.values.first());
    let subject = &rule.requirement.subject;
    let location = failing
        .map_or_else(|| format!(".spec.template{}", subject.text), |value| value.finding.location.clone());
    let message = format!(
        "the VirtualMachine next to its rules violates {}: {}",
        rule_title(&rule.name),
        explanation.reason
    );
    // KubeVirt rejects a machine that sets what its instance type sets.
    let is_set_elsewhere = has_instancetype(machine)
        && subject.text.strip_prefix(".spec.").is_some_and(|field| ALWAYS_SET.contains(&field));
    let help = if is_set_elsewhere {
        let field = code(&subject.text);
        format!(
            "remove the rule: the instance type of the VirtualMachine sets {field}, which conflicts with one of its own"
        )
    } else {
        format!("give {} a value that passes, or change the rule", code(&subject.text))
    };
    let finding = LINT.diagnostic_at(location_span(machine, &location), message).with_help(help);
    match rule.origin.span() {
        Some(rule) => finding.with_secondary_label(rule.first_byte(), "the rule"),
        None => finding,
    }
}
