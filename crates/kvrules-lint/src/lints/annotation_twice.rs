//! KV110 `annotation_twice`: rules on a template that the rules of its VM hide.

use kvrules_diagnostics::{Diagnostic, Level, Lint, Span};
use kvrules_elaborate::annotation::{Annotation, AnnotationHolder, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};
use kvrules_elaborate::template::TemplateKind;
use kvrules_syntax::Node;

use crate::{LintCheck, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV110",
    name: "annotation_twice",
    level: Level::Warning,
    summary: "the rules of a template are hidden by those of its VirtualMachine",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let with_rules = || {
        file.annotations.iter().map(|linted| &linted.annotation).filter(|annotation| has_rules(annotation))
    };
    for annotation in with_rules() {
        let (Some(key), Some(template)) = (annotation.key, on_template(annotation)) else { continue };
        let hides = |other: &&Annotation<'_>| {
            other.holder == AnnotationHolder::VirtualMachine { template: Some(template) }
                && other.key_text() == VM_ANNOTATION
        };
        let Some(other) = with_rules().find(hides).and_then(|other| other.key) else { continue };
        found.push(hidden_diagnostic(key, other.span()));
    }
}

fn has_rules(annotation: &Annotation<'_>) -> bool {
    annotation.rules().next().is_some()
}

fn on_template(annotation: &Annotation<'_>) -> Option<Span> {
    // Annotations on a VirtualMachineTemplate are never read, which KV109 reports.
    if annotation.template.is_some_and(|template| template.kind() == TemplateKind::KubeVirt) {
        return None;
    }
    match annotation.holder {
        AnnotationHolder::Template { id } if TEMPLATE_ANNOTATIONS.contains(&annotation.key_text()) => {
            Some(id)
        }
        _ => None,
    }
}

fn hidden_diagnostic(key: Node<'_>, other: Span) -> Diagnostic {
    let message =
        format!("unused rules in {}: those of the VirtualMachine take precedence", code(key.text()));
    LINT.diagnostic_at(key.span(), message)
        .with_secondary_label(other, "these rules are used")
        .with_help("keep the rules in one place")
}
