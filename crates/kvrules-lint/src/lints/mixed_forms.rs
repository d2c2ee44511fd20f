//! KV112 `mixed_forms`: paths of two versions in one annotation.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, SourceFile};
use kvrules_elaborate::annotation::{Key, PREFIX, has_prefix, path_text};
use kvrules_ir::AnnotationDialect;
use kvrules_syntax::{
    Node,
    edit::{Rewriter, ScalarEdit},
};

use crate::{LintCheck, LintedAnnotation, LintedFile};

pub static LINT: Lint = Lint {
    code: "KV112",
    name: "mixed_forms",
    level: Level::Error,
    summary: "one annotation has paths with `jsonpath::` and paths without",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    file.annotations.iter().for_each(|annotated| check_annotation(file.source, annotated, found));
}

fn check_annotation(source: &SourceFile, annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    let Some(mixture) = annotated.annotation.form().mixture else { return };
    found.push(
        LINT.diagnostic_at(
            mixture.bare,
            "a path without `jsonpath::` in an annotation that has paths with it",
        )
        .with_secondary_label(mixture.prefixed, "a path with it")
        .with_help("put `jsonpath::` before every path")
        .fix_if(prefix_fix(source, annotated)),
    );
}

/// The prefix before each path that lacks it. In version 201901 it would have to go instead.
fn prefix_fix(source: &SourceFile, annotated: &LintedAnnotation<'_>) -> Option<Fix> {
    let annotation = &annotated.annotation;
    if annotation.form().dialect == AnnotationDialect::Annotation201901 {
        return None;
    }
    let bare = |path: &Node<'_>| path.as_str().is_some_and(|text| !text.is_empty() && !has_prefix(text));
    let paths = annotation.rules().flat_map(|rule| [Key::Path, Key::Valid].map(|key| rule.get(key.as_str())));
    let edits = paths.flatten().filter(bare).map(|path| {
        let (text, _) = path_text(path.text(), AnnotationDialect::Annotation201901);
        Rewriter::new(source).replace_scalar(path, ScalarEdit::Text(&format!("{PREFIX}{text}")))
    });
    Some(Fix::safe_fix(format!("put `{PREFIX}` before every path"), edits.collect::<Option<Vec<_>>>()?))
}
