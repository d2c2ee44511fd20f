//! The layout of RuleSets: keys in one order, an indentation of two, and every comment and value as it was.
//!
//! The author chooses between `{…}` and lines: what is written in braces stays so if it fits on a line and has no comment inside.
//! A document is laid out only if the result has the same values and comments, which is tested on the result.

mod comments;
mod scalars;

use std::ops::Range;

use kvrules_diagnostics::{FileId, Span};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node, Notation, SyntaxKind, parse_stream};

use self::comments::{Comments, comment_texts, find_comments};
use crate::words::WORDS;

/// Columns that a line with braces or brackets may have.
const WIDTH: usize = 100;

/// A RuleSet in its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSetLayout {
    /// The bytes of the document in the file.
    pub range: Range<usize>,
    /// The text in place of them.
    pub text: String,
}

/// The reason why a RuleSet keeps its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutRefusal {
    /// Location of the reason.
    pub span: Span,
    /// The reason.
    pub message: String,
    /// Advice.
    pub help: &'static str,
}

/// Lays out the RuleSet in a document of a file with this text.
///
/// # Errors
///
/// The document has errors, template tags, anchors or tags, or is not YAML that starts at the first column.
///
/// ```
/// use kvrules_diagnostics::FileId;
///
/// let text = "kind: RuleSet\napiVersion:   kvrules.dev/v1alpha1 # the first\n";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let laid_out = kvrules_rule_set::lay_out_rule_set(text, &stream.documents[0]).unwrap();
/// assert_eq!(laid_out.text, "apiVersion: kvrules.dev/v1alpha1 # the first\nkind: RuleSet");
/// ```
pub fn lay_out_rule_set(text: &str, document: &Document<'_>) -> Result<RuleSetLayout, LayoutRefusal> {
    let Some(root) = document.root() else {
        return Err(refusal(Span::default(), "the document is empty".to_owned(), REPAIR));
    };
    check_form(text, document, root)?;
    let start = root.span().start as usize;
    let last = last_end(text, root);
    let end = last + text.get(last..).unwrap_or_default().find(['\n', '\r']).unwrap_or(text.len() - last);
    let range = start..end;
    let mut scalars = Vec::new();
    scalar_ranges(text, root, &mut scalars);
    let found = find_comments(text, range.clone(), &scalars).map_err(|at| {
        let message = "anchors, tags and other marks of YAML are kept as they are, and so is the layout";
        let span = Span::new(
            root.span().file,
            u32::try_from(at).unwrap_or_default(),
            u32::try_from(at + 1).unwrap_or_default(),
        );
        refusal(span, message.to_owned(), "write the values without them")
    })?;
    let mut anchors = Vec::new();
    anchor_offsets(root, &mut anchors);
    let break_text = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut writer =
        Writer { source: text, comments: Comments::attach(text, found.clone(), &anchors), lines: Vec::new() };
    writer.write_map(root, 0, Role::Document)?;
    let written = writer.lines.join(break_text);
    let before = (document_value(document), comment_texts(&found));
    if written_facts(&written) != before {
        let message = "the layout would change a value or a comment, which is a bug in kvrules".to_owned();
        return Err(refusal(root.span(), message, "leave the document as it is and report the bug"));
    }
    Ok(RuleSetLayout { range, text: written })
}

const REPAIR: &str = "run `kvrules check` for the errors";

fn refusal(span: Span, message: String, help: &'static str) -> LayoutRefusal {
    LayoutRefusal { span, message, help }
}

fn check_form(text: &str, document: &Document<'_>, root: Node<'_>) -> Result<(), LayoutRefusal> {
    if document.template().is_some() {
        let message = "a RuleSet with template tags keeps its layout".to_owned();
        return Err(refusal(root.span(), message, "render the template and format the result"));
    }
    if let Some(problem) = document.problems().first() {
        return Err(refusal(problem.span, "a RuleSet with errors keeps its layout".to_owned(), REPAIR));
    }
    let start = root.span().start as usize;
    let is_at_start =
        text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with(['\n', '\u{feff}']));
    let is_flow = text.get(start..).is_some_and(|rest| rest.starts_with('{'));
    if root.notation() != Notation::Yaml || !is_at_start || is_flow || !root.is_map() {
        let message =
            "only a RuleSet in lines of YAML that start at the first column gets a layout".to_owned();
        return Err(refusal(root.span(), message, "write it as a YAML document of its own"));
    }
    Ok(())
}

/// The values and the comments of a text.
fn written_facts(text: &str) -> (Option<serde_json::Value>, Vec<String>) {
    let stream = parse_stream(FileId(0), text);
    let [document] = stream.documents.as_slice() else { return (None, Vec::new()) };
    let mut scalars = Vec::new();
    if let Some(root) = document.root().filter(|_| document.problems().is_empty()) {
        scalar_ranges(text, root, &mut scalars);
    }
    let comments = find_comments(text, 0..text.len(), &scalars).unwrap_or_default();
    (document_value(document), comment_texts(&comments))
}

fn document_value(document: &Document<'_>) -> Option<serde_json::Value> {
    document.root().and_then(|root| ValueReader::for_kubernetes().read_value(root).ok())
}

/// True for a container in brackets or braces. A list in lines may start with its first item, which may be in brackets.
fn is_flow(text: &str, node: Node<'_>) -> bool {
    let start = node.span().start;
    let first = node.entries().next().map(|entry| entry.key).or_else(|| node.items().next());
    let is_outside = first.is_none_or(|first| first.span().start > start);
    is_outside && text.get(start as usize..).is_some_and(|rest| rest.starts_with(['{', '[']))
}

/// The end of the last text of a node: the span of a container may have comments behind it.
fn last_end(text: &str, node: Node<'_>) -> usize {
    let last = match node.kind() {
        SyntaxKind::Map => node.entries().last().map(|entry| entry.value),
        SyntaxKind::List => node.items().last(),
        _ => None,
    };
    match last {
        Some(last) if is_flow(text, node) => closing_bracket(text, last_end(text, last)),
        Some(last) => last_end(text, last),
        None if is_flow(text, node) => closing_bracket(text, node.span().start as usize + 1),
        None => {
            let own = node.span().to_range();
            own.start + text.get(own.clone()).unwrap_or_default().trim_end().len()
        }
    }
}

/// The byte behind the bracket that closes a container, from the end of its last item on.
fn closing_bracket(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match c {
            '}' | ']' => return at + 1,
            '#' => {
                let rest = text.get(at..).unwrap_or_default();
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            }
            c => at += c.len_utf8(),
        }
    }
    at
}

/// The bytes of a container in brackets.
fn flow_range(text: &str, node: Node<'_>) -> Range<usize> {
    node.span().start as usize..last_end(text, node)
}

fn scalar_ranges(text: &str, node: Node<'_>, found: &mut Vec<Range<usize>>) {
    if node.is_alias() {
        return;
    }
    if !node.is_container() {
        found.push(scalars::written_range(text, node));
        return;
    }
    for entry in node.entries() {
        found.push(entry.key.span().to_range());
        scalar_ranges(text, entry.value, found);
    }
    node.items().for_each(|item| scalar_ranges(text, item, found));
}

/// The starts of all entries and items.
fn anchor_offsets(node: Node<'_>, found: &mut Vec<usize>) {
    for entry in node.entries() {
        found.push(entry.key.span().start as usize);
        anchor_offsets(entry.value, found);
    }
    for item in node.items() {
        found.push(item.span().start as usize);
        anchor_offsets(item, found);
    }
}

/// The mapping that is written, by which its keys are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Document,
    Spec,
    Rule,
    Example,
    /// Written by others, or of few keys.
    Other,
}

impl Role {
    /// The role of the value of a key.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Document, "spec") => Self::Spec,
            (Self::Spec, "rules") => Self::Rule,
            (Self::Spec, "examples") | (Self::Example, "accept" | "reject") => Self::Example,
            _ => Self::Other,
        }
    }

    /// The position of a key; unknown keys are last.
    fn position(self, key: &str) -> usize {
        let of = |keys: &[&str]| keys.iter().position(|known| *known == key).unwrap_or(keys.len());
        match self {
            Self::Document => of(&["apiVersion", "kind", "metadata", "spec"]),
            Self::Spec => {
                of(&["subject", "match", "parameters", "parametersFrom", "include", "rules", "examples"])
            }
            Self::Rule => {
                let words = WORDS.iter().map(|word| word.name);
                let keys: Vec<&str> =
                    RULE_HEAD.iter().copied().chain(words).chain(RULE_TAIL.iter().copied()).collect();
                of(&keys)
            }
            Self::Example => of(&["name", "object", "old", "violates"]),
            Self::Other => 0,
        }
    }
}

const RULE_HEAD: &[&str] = &["name", "each", "some", "count", "all", "any", "not", "path"];
const RULE_TAIL: &[&str] = &["as", "when", "message", "reason", "fieldPath", "severity"];

struct Writer<'t> {
    source: &'t str,
    comments: Comments,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn write_map(&mut self, node: Node<'_>, indent: usize, role: Role) -> Result<(), LayoutRefusal> {
        let mut entries: Vec<_> = node.entries().collect();
        entries.sort_by_key(|entry| role.position(entry.key.text()));
        for (index, entry) in entries.into_iter().enumerate() {
            let start = entry.key.span().start as usize;
            self.write_leading(start, indent, index > 0);
            let key = scalars::inline_text(self.source, entry.key);
            let line = format!("{}{key}:", " ".repeat(indent));
            let below = role.below(entry.key.text());
            self.write_value(line, entry.value, (start, indent), below)?;
        }
        Ok(())
    }

    fn write_list(&mut self, node: Node<'_>, indent: usize, role: Role) -> Result<(), LayoutRefusal> {
        for (index, item) in node.items().enumerate() {
            let start = item.span().start as usize;
            self.write_leading(start, indent, index > 0);
            let dash = format!("{}-", " ".repeat(indent));
            if !item.is_container() || self.is_on_one_line(item, indent + 2) {
                self.write_value(dash, item, (start, indent), role)?;
                continue;
            }
            // The first line of the item is behind its dash.
            let first = self.lines.len();
            match item.kind() {
                SyntaxKind::Map => self.write_map(item, indent + 2, role)?,
                _ => self.write_list(item, indent + 2, role)?,
            }
            let text_line = |line: &String| !line.trim_start().starts_with('#') && !line.trim().is_empty();
            let at = self.lines.iter().skip(first).position(text_line).map_or(first, |at| at + first);
            for comment in self.lines.iter_mut().take(at).skip(first) {
                *comment = format!("{}{}", " ".repeat(indent), comment.trim_start());
            }
            if let Some(line) = self.lines.get_mut(at) {
                *line = format!("{dash} {}", line.trim_start());
            }
        }
        Ok(())
    }

    /// Writes a value behind the start of its line.
    fn write_value(
        &mut self,
        line: String,
        value: Node<'_>,
        (start, indent): (usize, usize),
        role: Role,
    ) -> Result<(), LayoutRefusal> {
        if !value.is_container() {
            return self.write_scalar(line, value, (start, indent));
        }
        if self.is_on_one_line(value, line.chars().count() + 1) {
            let flow = scalars::flow_text(self.source, value, role);
            let mut behind = self.comments.take_behind(start);
            behind.extend(self.comments.take_within(flow_range(self.source, value)));
            self.lines.push(with_comments(format!("{line} {flow}"), &behind));
            return Ok(());
        }
        let behind = self.comments.take_behind(start);
        self.lines.push(with_comments(line, &behind));
        match value.kind() {
            SyntaxKind::Map => self.write_map(value, indent + 2, role),
            _ => self.write_list(value, indent, role),
        }
    }

    fn write_scalar(
        &mut self,
        line: String,
        value: Node<'_>,
        (start, indent): (usize, usize),
    ) -> Result<(), LayoutRefusal> {
        let behind = self.comments.take_behind(start);
        let Some((head, below)) = scalars::block_lines(self.source, value, indent + 2)
            .map_err(|message| refusal(value.span(), message.to_owned(), "write the text in another way"))?
        else {
            let text = scalars::inline_text(self.source, value);
            let line = if text.is_empty() { line } else { format!("{line} {text}") };
            self.lines.push(with_comments(line, &behind));
            return Ok(());
        };
        self.lines.push(with_comments(format!("{line} {head}"), &behind));
        self.lines.extend(below);
        Ok(())
    }

    /// Writes the blank line and the comments before something.
    fn write_leading(&mut self, start: usize, indent: usize, may_be_blank: bool) {
        let (comments, is_blank) = self.comments.take_before(start);
        if is_blank && may_be_blank {
            self.lines.push(String::new());
        }
        self.lines.extend(comments.into_iter().map(|comment| format!("{}{comment}", " ".repeat(indent))));
    }

    /// True if a container stays in brackets: it is empty, or written so, has no comment inside and fits behind so many columns.
    fn is_on_one_line(&self, node: Node<'_>, columns: usize) -> bool {
        let is_empty = node.entries().next().is_none() && node.items().next().is_none();
        let is_kept = is_flow(self.source, node) && !self.comments.has_within(&flow_range(self.source, node));
        is_empty
            || (is_kept
                && columns + scalars::flow_text(self.source, node, Role::Other).chars().count() <= WIDTH)
    }
}

fn with_comments(line: String, comments: &[String]) -> String {
    if comments.is_empty() { line } else { format!("{line} {}", comments.join(" ")) }
}
