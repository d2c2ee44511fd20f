//! KV910 `own_machine`: a VirtualMachine that violates the rules that stand beside it.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_eval::{Explanation, explain, holds};
use kvrules_ir::{ElaboratedRule, Severity};
use kvrules_syntax::Node;

use crate::{
    Annotated, Check, Lint,
    machines::place,
    words::{code, start, title},
};

pub(crate) static LINT: Lint = Lint {
    code: "KV910",
    name: "own_machine",
    level: Level::Warning,
    summary: "a template's own VirtualMachine violates one of its rules",
    fix: None,
    check: Check::Annotation(check),
};

fn check(annotated: &Annotated<'_>, found: &mut Vec<Diagnostic>) {
    for own in annotated.own_machines().iter().filter(|own| own.is_rejected) {
        let (Some(node), object) = (own.node(annotated), &own.object) else { continue };
        let rules = annotated.elaboration.rules.iter();
        for rule in rules.filter(|rule| rule.severity == Severity::Error && !holds(&rule.predicate, object)) {
            if let Ok(explanation) = explain(rule, object) {
                found.push(violated(node, rule, &explanation));
            }
        }
    }
}

fn violated(machine: Node<'_>, rule: &ElaboratedRule, explanation: &Explanation) -> Diagnostic {
    let failing = explanation.values.iter().find(|value| !value.passes()).or(explanation.values.first());
    let subject = &rule.requirement.subject;
    let location = failing
        .map_or_else(|| format!(".spec.template{}", subject.text), |value| value.finding.location.clone());
    let message =
        format!("the VirtualMachine beside its rules violates {}: {}", title(&rule.name), explanation.reason);
    let finding = LINT
        .at(place(machine, &location), message)
        .help(format!("give {} a value that passes, or change the rule", code(&subject.text)));
    match rule.origin.span() {
        Some(rule) => finding.also(start(rule), "the rule"),
        None => finding,
    }
}
