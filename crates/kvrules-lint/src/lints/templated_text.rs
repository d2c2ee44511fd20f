//! KV017 `templated_text`: rules that template tags affect.

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile, Span};
use kvrules_elaborate::annotation::Annotation;
use kvrules_syntax::{Document, Node, Problem, templated::Template};

use crate::{LintCheck, LintedFile, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV017",
    name: "templated_text",
    level: Level::Info,
    summary: "template tags affect rules, which cannot be checked before rendering",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::File(check);

const REMEDY: &str = "render the template and check the result";

fn check(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let Some(template) = file.template() else { return };
    let unrendered = file.documents.iter().find_map(|document: &&Document<'_>| document.template_problem());
    let finding = unrendered
        .map(|problem| unread_diagnostic(template, problem))
        .or_else(|| unclosed_diagnostic(template, file.source))
        .or_else(|| undecided_diagnostic(template, file));
    found.extend(finding.map(|finding| finding.with_help(REMEDY)));
}

/// The text around the tags is not YAML.
fn unread_diagnostic(template: &Template, problem: &Problem) -> Diagnostic {
    let tag = template.last_tag_before(problem.span).unwrap_or(problem.span);
    let finding =
        LINT.diagnostic_at(tag, "the rest of the file cannot be read before the template is rendered");
    if tag == problem.span {
        finding
    } else {
        finding.with_secondary_label(problem.span, "what follows is not read")
    }
}

fn unclosed_diagnostic(template: &Template, source: &SourceFile) -> Option<Diagnostic> {
    let range = template.unclosed_tag()?;
    let tag = source.text().get(range.clone())?.trim_end();
    let opening = tag.get(..2)?;
    let (start, end) = (u32::try_from(range.start).ok()?, u32::try_from(range.start + 2).ok()?);
    Some(LINT.diagnostic_at(
        Span::new(source.id(), start, end),
        format!("unclosed template tag {}", code(opening)),
    ))
}

/// Reports what tags leave undecided about the rules; `None` for a file without such tags.
fn undecided_diagnostic(template: &Template, file: &LintedFile<'_>) -> Option<Diagnostic> {
    let annotations = || file.annotations.iter().map(|linted| &linted.annotation);
    let rules = || annotations().flat_map(Annotation::rules);
    let is_undecided = |rule: &Node<'_>| rule.is_templated() || rule.is_open();
    if let Some(first) = rules().find(is_undecided) {
        let (number, all) = (rules().filter(is_undecided).count(), rules().count());
        let what = match (number, all) {
            (1, 1) => "the rule".to_owned(),
            (number, all) if number == all => format!("all {all} rules"),
            (number, all) => format!("{number} of {all} rules"),
        };
        let message = format!("template tags affect {what}, which can be checked only in part");
        return Some(LINT.diagnostic_at(first_tag(template, first), message));
    }
    let open =
        annotations().find(|annotation| annotation.value.is_templated() || annotation.value.is_open())?;
    let message = "template tags generate the rules of this annotation, which are not checked";
    Some(LINT.diagnostic_at(open.key.unwrap_or(open.value).span(), message))
}

/// The first tag in a rule, or the start of the rule.
fn first_tag(template: &Template, rule: Node<'_>) -> Span {
    let span = rule.span();
    template.first_tag_in(span).unwrap_or(Span { end: span.end.min(span.start + 1), ..span })
}
