//! Selects the findings in a file with template tags that hold whatever is rendered.

use kvrules_diagnostics::{Diagnostic, Edit, Lint, Span};
use kvrules_elaborate::template::Template;
use kvrules_syntax::{Node, templated::Template as Tags};

use crate::{LintedFile, lints};

/// Leaves out findings that tags may be the cause of, and repairs that would write over them.
pub(crate) fn keep_reported(file: &LintedFile<'_>, found: &mut Vec<Diagnostic>) {
    let Some(template) = file.template() else { return };
    let open = open_places(file);
    found.retain(|finding| {
        finding.is_of(&lints::TEMPLATED_TEXT) || (is_reported(template, finding) && !open.may_cause(finding))
    });
    for finding in found {
        if finding.fix.as_ref().is_some_and(|fix| fix.edits.iter().any(|edit| overwrites_tag(template, edit)))
        {
            finding.fix = None;
        }
        restore_tags(&mut finding.message);
        finding.help.iter_mut().for_each(restore_tags);
        finding.secondary.iter_mut().for_each(|label| restore_tags(&mut label.text));
    }
}

/// True if no tag is part of the places of a finding, and no condition separates them.
fn is_reported(template: &Tags, finding: &Diagnostic) -> bool {
    let others = finding.secondary.iter().map(|label| label.span);
    let spans = || std::iter::once(finding.primary.span).chain(others.clone());
    !spans().any(|span| template.touches_span(span)) && template.are_together(spans())
}

fn overwrites_tag(template: &Tags, edit: &Edit) -> bool {
    template.touches_span(edit.span) || find_placeholder(&edit.replacement).is_some()
}

/// Places to which tags may add something.
struct TaggedPlaces {
    rules: Vec<Span>,
    /// Keys of annotations.
    annotations: Vec<Span>,
    /// Annotations of templates whose list of parameters is not known.
    parameters: Vec<Span>,
}

/// Groups of lints about what stands there, which holds whatever stands next to it, and others of them.
const GROUPS_OF_TEXT: [&str; 3] = ["KV00", "KV01", "KV2"];
const LINTS_OF_TEXT: [&Lint; 5] =
    [&lints::EMPTY_KEY, &lints::WRONG_TYPE, &lints::UNKNOWN_KEY, &lints::UNKNOWN_KIND, &lints::REGEX_SYNTAX];

impl TaggedPlaces {
    /// True if a finding reports something as missing or unseen in a place that tags may fill.
    fn may_cause(&self, finding: &Diagnostic) -> bool {
        let place = finding.primary.span;
        let inside = |span: &Span| span.start <= place.start && place.start < span.end.max(span.start + 1);
        if finding.is_of(&lints::EMPTY_ANNOTATION) && self.annotations.iter().any(inside) {
            return true;
        }
        if finding.is_of(&lints::PARAMETER_WITHOUT_VALUE) {
            return self.parameters.iter().any(inside);
        }
        let is_about_text = GROUPS_OF_TEXT.iter().any(|group| finding.code.starts_with(group))
            || LINTS_OF_TEXT.iter().any(|lint| finding.is_of(lint));
        !is_about_text && self.rules.iter().any(inside)
    }
}

fn open_places(file: &LintedFile<'_>) -> TaggedPlaces {
    let annotations = || file.annotations.iter().map(|linted| &linted.annotation);
    let rules = annotations().flat_map(|annotation| annotation.rules().filter(|rule| rule.is_open()));
    let keys = annotations().filter(|annotation| annotation.value.is_open());
    let unknown =
        annotations().filter(|annotation| annotation.template.is_some_and(Template::has_open_parameters));
    TaggedPlaces {
        rules: rules.map(Node::span).collect(),
        annotations: keys.filter_map(|annotation| annotation.key).map(Node::span).collect(),
        parameters: unknown.map(|annotation| annotation.value.span()).collect(),
    }
}

/// Writes `{{ … }}` where a text quotes what was put in the place of a tag.
fn restore_tags(text: &mut String) {
    while let Some((start, end)) = find_placeholder(text) {
        text.replace_range(start..end, "{{ … }}");
    }
}

/// The first `${___}` of a text.
fn find_placeholder(text: &str) -> Option<(usize, usize)> {
    text.match_indices("${_").find_map(|(at, _)| {
        let rest = text.get(at + 2..)?;
        let len = rest.len() - rest.trim_start_matches('_').len();
        rest.get(len..)?.starts_with('}').then_some((at, at + 2 + len + 1))
    })
}
