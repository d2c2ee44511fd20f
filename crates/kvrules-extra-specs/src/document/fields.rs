//! Reading fields of a mapping, with a problem for each that is not as it must be.

use kvrules_diagnostics::{Diagnostic, Span, suggest_name};
use kvrules_syntax::{Node, SyntaxKind};

use super::findings::DocumentFindings;
use crate::lints;

/// Advice about a `type`, as validators of Nova give one, where definitions have patterns.
// nova api/validation/extra_specs/base.py, ExtraSpecValidator
fn type_help(key: &str, value: Node<'_>, known: &[&str]) -> Option<String> {
    if key != "type" || !known.contains(&"pattern") {
        return None;
    }
    let pattern = match value.text() {
        "int" | "integer" => "[0-9]+",
        "bool" | "boolean" => "(true|false)",
        _ => ".+",
    };
    Some(format!("write a pattern in place of the type, as `pattern: '{pattern}'`"))
}

/// A mapping that is being read, and where problems go.
pub(super) struct MappingReader<'d, 'p> {
    pub(super) node: Node<'d>,
    /// Name of the mapping in messages: `the definition`.
    what: &'static str,
    pub(super) problems: &'p mut DocumentFindings,
}

impl<'d, 'p> MappingReader<'d, 'p> {
    /// Begins to read a mapping that has these keys.
    pub(super) fn new(
        node: Node<'d>,
        what: &'static str,
        known: &[&str],
        problems: &'p mut DocumentFindings,
    ) -> Option<Self> {
        if !node.is_map() {
            problems.push_undecided(wrong_type(node, what, "a mapping"));
            return None;
        }
        for entry in node.entries() {
            let key = entry.key.text();
            // `<<` is YAML's merge key; `Node::get` looks into its mapping.
            if !known.contains(&key) && !entry.key.is_merge_key() {
                let problem = lints::DEFINITION_SHAPE
                    .diagnostic_at(entry.key.span(), format!("unknown key `{key}` in {what}"));
                let help = type_help(key, entry.value, known).unwrap_or_else(|| suggest_name(key, known));
                problems.push(problem.with_help(help));
            }
        }
        Some(Self { node, what, problems })
    }

    /// The value of a key that may be missing. `null` is missing.
    pub(super) fn get(&self, key: &str) -> Option<Node<'d>> {
        self.node.get(key).filter(|node| node.kind() != SyntaxKind::Null)
    }

    /// The value of a key that must be there.
    pub(super) fn require(&mut self, key: &str) -> Option<Node<'d>> {
        let found = self.get(key);
        if found.is_none() {
            let span = self.place();
            let message = format!("missing `{key}` in {}", self.what);
            self.problems.push_undecided(lints::DEFINITION_SHAPE.diagnostic_at(span, message));
        }
        found
    }

    /// A narrow place for what concerns the whole mapping: its first key.
    pub(super) fn place(&self) -> Span {
        self.node.entries().next().map_or(self.node.span(), |entry| entry.key.span())
    }

    /// The text of a key. Numbers and booleans are not strings, and a string needs quotation marks.
    pub(super) fn text_entry(&mut self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        read_text(node, &format!("`{key}`"), self.problems)
    }

    /// The texts of a key.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let node = self.get(key)?;
        if !node.is_list() {
            self.problems.push_undecided(wrong_type(node, &format!("`{key}`"), "a list"));
            return None;
        }
        let what = format!("an item of `{key}`");
        Some(node.items().filter_map(|item| read_text(item, &what, self.problems)).collect())
    }

    /// The whole number of a key.
    pub(super) fn integer(&mut self, key: &str) -> Option<i128> {
        let node = self.get(key)?;
        let value = (node.kind() == SyntaxKind::Number).then(|| node.text().parse().ok()).flatten();
        if value.is_none() {
            let problem = wrong_type(node, &format!("`{key}`"), "an integer");
            let is_whole = node.text().trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
            self.problems.push_undecided(match node.kind() {
                SyntaxKind::Number if is_whole => {
                    Diagnostic { message: format!("`{key}` exceeds the range of numbers"), ..problem }
                }
                SyntaxKind::Number => {
                    let message = format!("`{key}` must be an integer in digits, not `{}`", node.text());
                    Diagnostic { message, ..problem }
                }
                _ => problem,
            });
        }
        value
    }
}

/// The text that a node is.
pub(super) fn read_text(node: Node<'_>, what: &str, problems: &mut DocumentFindings) -> Option<String> {
    if let Some(text) = node.as_str() {
        return Some(text.to_owned());
    }
    let problem = wrong_type(node, what, "a string");
    let scalar = matches!(node.kind(), SyntaxKind::Number | SyntaxKind::True | SyntaxKind::False);
    problems.push_undecided(if scalar {
        problem.with_help(format!("put it in quotation marks: `\"{}\"`", node.text()))
    } else {
        problem
    });
    None
}

/// The value of another type than is wanted.
pub(super) fn wrong_type(node: Node<'_>, what: &str, wanted: &str) -> Diagnostic {
    let found = match node.kind() {
        SyntaxKind::Null => "nothing",
        SyntaxKind::True | SyntaxKind::False => "a boolean",
        SyntaxKind::Number => "a number",
        SyntaxKind::String => "a string",
        SyntaxKind::List => "a list",
        SyntaxKind::Map => "a mapping",
        _ => "something unreadable",
    };
    lints::DEFINITION_SHAPE.diagnostic_at(node.span(), format!("{what} must be {wanted}, not {found}"))
}
