//! The meaning of an annotation, asked as a user of the crates would: each rule as it was read and elaborated, and
//! what it says of an object.

mod show;

use kvrules_diagnostics::FileId;
use kvrules_elaborate::{annotation, catalog::Catalog, elaborate_rule_set, object};
use kvrules_ir::{ElaboratedRule, OmissionCause, OmissionKind, RuleSet};
use kvrules_syntax::parse_json;
use serde_json::{Value, json};

pub use show::show_predicate;

/// A rule of an annotation.
#[derive(Clone, Debug)]
pub struct ReadRule {
    /// Its name.
    pub name: String,
    /// Its meaning, or why it has none.
    pub rule: Result<ElaboratedRule, OmissionCause>,
}

/// A VirtualMachine with this annotation and nothing else.
pub fn annotated_machine(annotation: &str) -> String {
    let annotations = json!({ annotation::VM_ANNOTATION: annotation });
    json!({"kind": "VirtualMachine", "metadata": {"annotations": annotations}}).to_string()
}

/// The rule set of an annotation's text (201902); none where the text is no list of rules.
pub fn rule_set(annotation: &str) -> Option<RuleSet> {
    let text = annotated_machine(annotation);
    let document = parse_json(FileId(0), &text);
    let found = annotation::find_annotations(&document).into_iter().next()?;
    Some(annotation::read_rule_set(&found, "rules"))
}

/// Each rule of an annotation's text, in the order of the text.
pub fn read_rules(annotation: &str) -> Vec<ReadRule> {
    let Some(set) = rule_set(annotation) else { return Vec::new() };
    let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
    let read = elaboration.rules.into_iter().map(|rule| {
        let read = ReadRule { name: rule.name.clone(), rule: Ok(rule) };
        (read.rule.as_ref().ok().and_then(|rule| rule.origin.span()), read)
    });
    let left_out = elaboration.left_out.into_iter().map(|left_out| {
        (left_out.origin.span(), ReadRule { name: left_out.name, rule: Err(left_out.cause) })
    });
    let mut rules: Vec<_> = read.chain(left_out).collect();
    rules.sort_by_key(|(span, _)| span.map(|span| span.start));
    rules.into_iter().map(|(_, rule)| rule).collect()
}

/// A JSON text as `kvrules eval` reads objects: a number beyond 64 bits is refused and never rounded.
pub fn parse_machine(text: &str) -> Result<Value, String> {
    let document = parse_json(FileId(0), text);
    let root = document.root().ok_or("there is no object")?;
    object::document_value(root).map_err(|error| error.message)
}

/// Returns the name of a kind of cause in the cases.
pub fn cause_name(kind: OmissionKind) -> &'static str {
    match kind {
        OmissionKind::Unreadable => "unreadable",
        OmissionKind::UnknownRule => "unknown-rule",
        OmissionKind::PathSyntax => "path-syntax",
        OmissionKind::Regex => "regex",
        OmissionKind::UnknownField => "unknown-field",
        OmissionKind::PathConstruct => "path-construct",
        OmissionKind::ManyValues => "many-values",
    }
}
