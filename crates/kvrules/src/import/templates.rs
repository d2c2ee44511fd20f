//! Rules of templates for a RuleSet about VirtualMachines.

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use kvrules_emit::Fidelity;
use kvrules_emit::cel::{Dialect, lower_predicate, rule_message};
use kvrules_import::{ImportedRuleSet, ObjectRule, import_object_rules};
use kvrules_ir::{ElaboratedRule, ElaboratedSet, Severity};
use kvrules_rule_set::{RuleSeverity, RuleSubject};

/// The version of VirtualMachines that rules without a definition are about.
const VERSION: &str = "v1";

/// Restates the rules of an annotation, with their locations. Without a subject they are about VirtualMachines as the catalog has them.
pub(super) fn import_template(
    set: &ElaboratedSet,
    subject: Option<&RuleSubject>,
    schema_file: Option<&str>,
) -> (ImportedRuleSet, Vec<Span>) {
    let (mut rules, mut spans) = (Vec::new(), Vec::new());
    for rule in &set.rules {
        rules.push(object_rule(rule));
        spans.push(rule.origin.span().unwrap_or_default());
    }
    for omitted in &set.left_out {
        rules.push(ObjectRule {
            expression: Err(omitted.cause.to_string()),
            ..without_expression(&omitted.name)
        });
        spans.push(omitted.origin.span().unwrap_or_default());
    }
    let known = subject.cloned().or_else(|| RuleSubject::virtual_machine(VERSION, &mentioned_names(&rules)));
    let imported =
        known.map(|subject| import_object_rules(&set_name(&set.name), &subject, schema_file, None, &rules));
    (imported.unwrap_or_default(), spans)
}

/// The names in the expressions of rules, among them those of all fields that they read.
fn mentioned_names(rules: &[ObjectRule]) -> BTreeSet<&str> {
    let texts = rules.iter().filter_map(|rule| rule.expression.as_deref().ok());
    texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect()
}

fn without_expression(name: &str) -> ObjectRule {
    ObjectRule {
        name: Some(name.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|name| !name.is_empty()),
        source: name.to_owned(),
        pointer: String::new(),
        expression: Err(String::new()),
        message: String::new(),
        severity: RuleSeverity::Error,
        lost: Vec::new(),
        wider: None,
        forgives_errors: false,
    }
}

/// The rule as an expression about a VirtualMachine, which rejects no object that the rule accepts.
fn object_rule(rule: &ElaboratedRule) -> ObjectRule {
    let mut wider = None;
    let expression = match lower_predicate(&rule.predicate, Dialect::VIRTUAL_MACHINE_SCHEMA) {
        Ok(lowered) if matches!(lowered.fidelity, Fidelity::Exact | Fidelity::Wider(_)) => {
            wider = lowered.fidelity.cause().map(str::to_owned);
            Ok(lowered.expression.to_string())
        }
        Ok(lowered) => Err(lowered.fidelity.cause().unwrap_or_default().to_owned()),
        Err(unsupported) => Err(unsupported.cause),
    };
    let severity = match rule.severity {
        Severity::Error => RuleSeverity::Error,
        Severity::Warning => RuleSeverity::Warn,
    };
    ObjectRule { expression, message: rule_message(rule), severity, wider, ..without_expression(&rule.name) }
}

/// The name of a set as a DNS subdomain.
fn set_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let text: String = name.chars().map(letter).collect();
    let parts = text.split('.').map(|part| part.trim_matches('-')).filter(|part| !part.is_empty());
    let joined = parts.collect::<Vec<_>>().join(".");
    if joined.is_empty() { "rules".to_owned() } else { joined }
}
