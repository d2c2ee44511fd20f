//! Common parts of repairs: replacing a path by another, and when a repair is not certain enough.

use kvrules_diagnostics::{Diagnostic, Edit, Origin, SourceFile, Span};
use kvrules_elaborate::{
    annotation::{Key, PREFIX, has_prefix},
    path::parse,
    resolve_path,
};
use kvrules_syntax::{
    Document, Node, Problem, ProblemKind,
    edit::{Rewriter, ScalarEdit},
    find_parameters,
};

use crate::{LintedFile, RuleView, paths::WrittenPath};

/// Takes repairs back on lines where a parser had to guess: what looks like a missing comma may be a missing quotation
/// mark.
pub(crate) fn withdraw_on_guesses<'f>(
    document: &Document<'_>,
    source: &SourceFile,
    repairs: impl Iterator<Item = &'f mut Diagnostic>,
) {
    let line = |span: Span| source.position_at(span.start).line;
    let mut lines: Option<Vec<u32>> = None;
    for found in repairs {
        let lines = lines.get_or_insert_with(|| {
            let guesses = document.problems().iter().filter(|problem| is_guess(problem));
            guesses.map(|problem| line(problem.span)).collect()
        });
        if lines.contains(&line(found.primary.span)) {
            found.fix = None;
        }
    }
}

/// Takes repairs back that would change what template tags make.
pub(crate) fn withdraw_at_tags(file: &LintedFile<'_>, found: &mut [Diagnostic]) {
    let templates: Vec<_> = file.documents.iter().filter_map(|document| document.template()).collect();
    if templates.is_empty() {
        return;
    }
    let at_tag = |edit: &Edit| {
        templates.iter().any(|template| template.touches_span(edit.span) || template.is_open(edit.span))
    };
    for found in found {
        found.fix.take_if(|fix| fix.edits.iter().any(at_tag));
    }
}

fn is_guess(problem: &Problem) -> bool {
    match problem.kind {
        ProblemKind::JsonUnclosed | ProblemKind::JsonInnerQuote | ProblemKind::JsonTrailing => true,
        ProblemKind::JsonMissingValue => !problem.detail.is_empty(),
        // Replacing unusual white space is certain, so it is not a guess.
        ProblemKind::JsonUnexpected => !problem.detail.starts_with("U+"),
        _ => false,
    }
}

/// Puts a path in place of another, with the prefix that the other has. None if the text depends on parameters.
pub(crate) fn replace_path(rule: &RuleView<'_>, node: Node<'_>, path: &str) -> Option<Edit> {
    let prefix = if has_prefix(node.text()) { PREFIX } else { "" };
    text(rule, node, &format!("{prefix}{path}"))
}

/// Puts a string in place of a scalar. None if that depends on parameters.
pub(crate) fn text(rule: &RuleView<'_>, node: Node<'_>, text: &str) -> Option<Edit> {
    let fixed = find_parameters(node.text()).next().is_none();
    fixed.then(|| Rewriter::new(rule.source).replace_scalar(node, ScalarEdit::Text(text)))?
}

/// A path in place of one that is wrong, if it leads somewhere.
pub(crate) fn path_that_resolves(rule: &RuleView<'_>, written: &WrittenPath<'_>, new: &str) -> Option<Edit> {
    resolve_path(&parse(new, Origin::default()).ok()?, rule.catalog).ok()?;
    replace_path(rule, written.node, new)
}

/// Adds an entry to a rule, behind the last of these keys that it has.
pub(crate) fn insert_entry(
    rule: &RuleView<'_>,
    behind: &[Key],
    key: Key,
    value: ScalarEdit<'_>,
) -> Option<Edit> {
    let entry = behind.iter().rev().find_map(|key| rule.find_entry(*key))?;
    Rewriter::new(rule.source).insert_after(rule.node, entry, key.as_str(), value)
}

/// Takes an entry out of a rule.
pub(crate) fn remove_entry(rule: &RuleView<'_>, key: Key) -> Option<Edit> {
    Rewriter::new(rule.source).remove_entry(rule.node, rule.find_entry(key)?)
}

/// Gives an entry of a rule another key.
pub(crate) fn rename_key(rule: &RuleView<'_>, key: Key, new: Key) -> Option<Edit> {
    Rewriter::new(rule.source).rename_key(rule.find_entry(key)?, new.as_str())
}

/// Puts JSON around a value: brackets, or quotation marks.
pub(crate) fn enclose_value(node: Node<'_>, open: &str, close: &str) -> Option<[Edit; 2]> {
    let written = |mark: &str| node.notation().escape_json(mark);
    Some([
        Edit::insert_at(node.span(), written(open)?),
        Edit::insert_at(node.span().at_end(), written(close)?),
    ])
}
