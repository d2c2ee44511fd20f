//! The paths of a rule as they are written, and where their steps stand.

use std::ops::Range;

use kvrules_diagnostics::{Origin, Span};
use kvrules_elaborate::{
    UnresolvedReason,
    annotation::{Key, has_prefix, optional_path, path_text},
    path::{PathError, parse},
    resolve_path,
};
use kvrules_ir::Path;
use kvrules_syntax::{Node, SyntaxKind};

use crate::{RuleView, escaped_spans};

/// A path of a rule.
#[derive(Debug)]
pub(crate) struct WrittenPath<'a> {
    pub node: Node<'a>,
    /// Text for the path parser: without the notation's prefix, with parameters put in.
    pub text: String,
    /// The parsed path, or its syntax error.
    pub parsed: Result<Path, PathError>,
    /// Reason why it does not resolve, if it parses.
    pub unresolved: Option<UnresolvedReason>,
    /// The bytes of the string before the text, less those that the text has in addition; none if parameters
    /// changed the text.
    shift: Option<isize>,
}

/// The paths of a rule: of `path` and `valid`, and of the arguments that its kind takes. Those whose parameters have
/// no value are left out, and all where a parser had to guess what the strings are.
pub(crate) fn rule_paths<'a>(rule: &RuleView<'a>) -> Vec<WrittenPath<'a>> {
    if rule.uncertain {
        return Vec::new();
    }
    let own = [Key::Path, Key::Valid].into_iter().filter_map(|key| rule.key_value(key));
    let own = own.filter(|node| {
        node.as_str().is_some_and(|text| !text.is_empty() && without_misspelt_prefix(text).is_none())
    });
    let arguments = rule.arguments().flat_map(|(_, node)| std::iter::once(node).chain(node.items()));
    let arguments = arguments.filter(|node| {
        let text = node.as_str().and_then(|text| rule.fill_parameters(text));
        text.is_some_and(|text| optional_path(&text, rule.dialect()).is_some())
    });
    own.chain(arguments).filter_map(|node| path_in_string(rule, node)).collect()
}

/// Returns the rest after a misspelt prefix `jsonpath::`.
pub(crate) fn without_misspelt_prefix(text: &str) -> Option<&str> {
    if has_prefix(text) {
        return None;
    }
    let (word, rest) = text.trim_start().split_at_checked("jsonpath".len())?;
    (word.eq_ignore_ascii_case("jsonpath") && rest.starts_with([':', '.', ' ']))
        .then(|| rest.trim_start_matches([':', ' ']))
}

/// The path in a string.
pub(crate) fn path_in_string<'a>(rule: &RuleView<'a>, node: Node<'a>) -> Option<WrittenPath<'a>> {
    let string = node.as_str().filter(|_| node.kind() == SyntaxKind::String)?;
    let filled = rule.fill_parameters(string)?;
    let (text, before) = path_text(&filled, rule.dialect());
    let added = (text.len() + before).saturating_sub(filled.len());
    let shift = isize::try_from(before).ok()? - isize::try_from(added).ok()?;
    let parsed = parse(&text, Origin::default());
    let unresolved = parsed.as_ref().ok().and_then(|path| resolve_path(path, rule.catalog).err());
    Some(WrittenPath { node, text, parsed, unresolved, shift: (filled == string).then_some(shift) })
}

impl WrittenPath<'_> {
    /// The place of a part of the text; of the whole string if that cannot be determined.
    pub(crate) fn span_of(&self, rule: &RuleView<'_>, range: Range<usize>) -> Span {
        let Some(shift) = self.shift else { return self.node.span() };
        let at = |offset: usize| offset.saturating_add_signed(shift);
        escaped_spans::span_of(rule.source, self.node, at(range.start)..at(range.end))
    }

    /// The place of a step, counted from 0; of the whole text where the steps cannot be distinguished.
    pub(crate) fn span_of_step(&self, rule: &RuleView<'_>, step: usize) -> Span {
        let range = step_ranges(&self.text).into_iter().nth(step).unwrap_or(0..self.text.len());
        self.span_of(rule, range)
    }
}

/// The path up to one of its steps, which are counted from 0; the whole path if its steps have no separate
/// locations.
pub(crate) fn up_to(text: &str, step: usize) -> &str {
    step_ranges(text).get(step).and_then(|range| text.get(..range.end)).unwrap_or(text)
}

/// A path that parses, with other text in place of one of its steps (names without their dots).
pub(crate) fn with_step(text: &str, step: usize, replacement: &str) -> Option<String> {
    let range = step_ranges(text).into_iter().nth(step)?;
    Some(format!("{}{replacement}{}", text.get(..range.start)?, text.get(range.end..)?))
}

/// The bytes of each step of a path that parses, names without their dots.
fn step_ranges(text: &str) -> Vec<Range<usize>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        match c {
            '$' | '@' | ' ' => at += 1,
            '}' => {
                steps.push(at..text.len());
                break;
            }
            '[' => {
                let end = at + bracket_len(rest);
                let times = names_inside(text.get(at..end).unwrap_or_default());
                steps.extend(std::iter::repeat_n(at..end, times));
                at = end;
            }
            '.' if rest.starts_with("..") => {
                steps.push(at..at + 2);
                at += 2;
            }
            _ => {
                let start = at + usize::from(c == '.');
                let end = start + name_len(text.get(start..).unwrap_or_default());
                steps.push(start..end);
                at = end.max(at + c.len_utf8());
            }
        }
    }
    steps
}

fn bracket_len(rest: &str) -> usize {
    let close = if rest.starts_with("[?(") { ")]" } else { "]" };
    rest.find(close).map_or(rest.len(), |at| at + close.len())
}

/// `['a.b']` is two steps.
fn names_inside(bracket: &str) -> usize {
    let is_name = bracket.starts_with("['") && !bracket.contains(',');
    let dots = || bracket.matches('.').count() - bracket.matches("\\.").count();
    1 + if is_name { dots() } else { 0 }
}

fn name_len(rest: &str) -> usize {
    let mut escaped = false;
    rest.find(|c: char| {
        let ends = !escaped && matches!(c, ' ' | '\t' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}');
        escaped = c == '\\' && !escaped;
        ends
    })
    .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_where_they_stand() {
        let text = ".spec.disks[*]['a\\.b.c']..name[?(@.x==\"]\")].y";
        let found: Vec<_> = step_ranges(text).into_iter().map(|range| text.get(range).unwrap()).collect();
        let name = "['a\\.b.c']";
        assert_eq!(found, ["spec", "disks", "[*]", name, name, "..", "name", "[?(@.x==\"]\")]", "y"]);
    }
}
