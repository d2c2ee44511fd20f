//! KV111 `empty_annotation`: an annotation without rules.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_syntax::{Document, Problem, ProblemKind, SyntaxKind};

use crate::{LintCheck, LintedAnnotation};

pub static LINT: Lint = Lint {
    code: "KV111",
    name: "empty_annotation",
    level: Level::Warning,
    summary: "an annotation has no rules",
    fix: None,
};

pub(super) const CHECK: LintCheck =
    LintCheck::ProblemOrAnnotation(&[ProblemKind::JsonEmpty], to_diagnostic, check);

const REMEDY: &str = "remove the annotation, or write rules in it";

fn to_diagnostic(problem: &Problem, _: &SourceFile) -> Diagnostic {
    LINT.diagnostic_at(problem.span, "the annotation is empty").with_help(REMEDY)
}

fn check(annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    let annotation = &annotated.annotation;
    if let Some(key) = annotation.key.filter(|_| annotation.value.kind() == SyntaxKind::Null) {
        found.push(LINT.diagnostic_at(key.span(), "the annotation has no value").with_help(REMEDY));
    }
    let root = annotation.json().and_then(Document::root).or(annotation.root());
    let Some(root) = root else { return };
    let what = match root.kind() {
        SyntaxKind::Null => "null",
        SyntaxKind::List if root.items().next().is_none() => "an empty list",
        _ => return,
    };
    found.push(
        LINT.diagnostic_at(root.span(), format!("the annotation is {what} and has no rules"))
            .with_help(REMEDY),
    );
}
