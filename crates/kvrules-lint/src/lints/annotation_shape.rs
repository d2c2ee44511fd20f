//! KV101 `annotation_shape`: an annotation that is not a string with a list of objects.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint, Span};
use kvrules_elaborate::annotation::Key;
use kvrules_syntax::{Document, Node, SyntaxKind};

use crate::{
    LintCheck, LintedAnnotation,
    message_text::{code, describe_value},
    repair::enclose_value,
};

pub static LINT: Lint = Lint {
    code: "KV101",
    name: "annotation_shape",
    level: Level::Error,
    summary: "the annotation is not a string that contains a JSON list of objects",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Annotation(check);

fn check(annotated: &LintedAnnotation<'_>, found: &mut Vec<Diagnostic>) {
    let annotation = &annotated.annotation;
    if let Some(key) = annotation.key {
        found.extend(check_value(key, annotation.value));
    }
    // A plain word as the value is already reported as a JSON error.
    let json = annotation
        .json()
        .filter(|json| json.problems().is_empty() || annotation.root().is_some_and(Node::is_map));
    found.extend(json.and_then(Document::root).and_then(no_list));
    let items = annotation.root().into_iter().flat_map(Node::items);
    found.extend(items.zip(1..).filter_map(|(item, number)| no_rule(item, number)));
}

/// The value of an annotation that stands in YAML.
fn check_value(key: Node<'_>, value: Node<'_>) -> Option<Diagnostic> {
    if matches!(
        value.kind(),
        SyntaxKind::String | SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Parameter
    ) {
        return None;
    }
    let message =
        format!("the value of {} must be a string, not {}", code(key.text()), describe_value(value));
    let help = match value.kind() {
        SyntaxKind::List => "put `|` behind the key and the rules below it as JSON",
        _ => "put `|` behind the key, and a JSON list of rules below it",
    };
    Some(LINT.diagnostic_at(key.span(), message).with_help(help))
}

fn no_list(root: Node<'_>) -> Option<Diagnostic> {
    match root.kind() {
        SyntaxKind::List | SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Parameter => None,
        SyntaxKind::Map => Some(
            LINT.diagnostic_at(
                opening_bracket(root),
                "the annotation must be a list of rules, not an object",
            )
            .with_help("put `[` before it and `]` behind it")
            .fix_if(in_brackets(root)),
        ),
        _ => Some(LINT.diagnostic_at(
            root.span(),
            format!("the annotation must be a list of rules, not {}", describe_value(root)),
        )),
    }
}

/// Nothing reads an object, so that a rule has no meaning before it stands in a list.
fn in_brackets(root: Node<'_>) -> Option<Fix> {
    let is_rule = root.entries().any(|entry| Key::from_text(entry.key.text()).is_some());
    is_rule.then(|| Some(Fix::safe_fix("put the rule into a list", enclose_value(root, "[", "]")?)))?
}

fn no_rule(item: Node<'_>, number: usize) -> Option<Diagnostic> {
    if matches!(item.kind(), SyntaxKind::Map | SyntaxKind::Hole | SyntaxKind::Parameter) {
        return None;
    }
    let message = format!("item {number} of the list must be an object, not {}", describe_value(item));
    let span = if item.is_list() { opening_bracket(item) } else { item.span() };
    Some(LINT.diagnostic_at(span, message).with_help("remove it, or write a rule in `{` and `}`"))
}

/// The opening bracket.
fn opening_bracket(node: Node<'_>) -> Span {
    let span = node.span();
    Span { end: span.end.min(span.start + 1), ..span }
}
