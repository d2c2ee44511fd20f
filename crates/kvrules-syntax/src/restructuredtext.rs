//! Examples in reStructuredText, parsed in place.
//!
//! An example is the content of `code-block`, `code` or `sourcecode`, or of a literal block behind `::` where `highlight` has
//! named its language. What `literalinclude` refers to is in another file, and is none.

use std::{borrow::Cow, ops::Range};

use crate::markdown::FencedBlock;

/// All examples of a reStructuredText in their order; one without a language has the one that `highlight` names last.
///
/// ```
/// use kvrules_syntax::restructuredtext::find_code_blocks;
///
/// let text = "Rules::\n\n  none\n\n.. code-block:: yaml\n   :linenos:\n\n   a: b\n   c: d\n\nEnd.\n";
/// let found: Vec<_> = find_code_blocks(text).iter().map(|block| (block.language, &text[block.range.clone()])).collect();
/// assert_eq!(found, [("", "  none\n"), ("yaml", "   a: b\n   c: d\n")]);
/// ```
pub fn find_code_blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let lines = split_lines(text);
    let mut found = Vec::new();
    let (mut at, mut default) = (0, "");
    while let Some(line) = lines.get(at) {
        at += 1;
        let (language, has_options) = match line_head(line.text) {
            LineHead::Code(language) => (if language.is_empty() { default } else { language }, true),
            LineHead::Highlight(language) => {
                default = language;
                continue;
            }
            LineHead::Opaque => {
                at = end_of_block(&lines, at, line.indent);
                continue;
            }
            LineHead::Literal => (default, false),
            LineHead::Text => continue,
        };
        let end = end_of_block(&lines, at, line.indent);
        found.extend(code_block(text, language, lines.get(at..end).unwrap_or_default(), has_options));
        at = end;
    }
    found
}

#[derive(Clone, Copy, Debug)]
struct Line<'t> {
    text: &'t str,
    range: (usize, usize),
    indent: usize,
}

/// Start of a block in a line.
enum LineHead<'t> {
    /// A block of code in a language.
    Code(&'t str),
    /// The language of the code blocks that name none.
    Highlight(&'t str),
    /// A block whose content is not text, such as a comment.
    Opaque,
    /// A literal block.
    Literal,
    Text,
}

const CODE: [&str; 3] = ["code-block", "code", "sourcecode"];

fn split_lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let line = |text: &'_ str| (text.len() - text.trim_start_matches([' ', '\t']).len(), text.len());
    text.split_inclusive('\n')
        .map(|text| {
            let (indent, len) = line(text);
            at += len;
            Line { text, range: (at - len, at), indent }
        })
        .collect()
}

fn line_head(line: &str) -> LineHead<'_> {
    // A directive may stand in the item of a list.
    let line = line.trim();
    let item = line.trim_start_matches(['-', '*', '+']).trim_start();
    let directive = if item.starts_with(".. ") { item } else { line };
    let Some(rest) = directive.strip_prefix("..") else {
        return if line.ends_with("::") { LineHead::Literal } else { LineHead::Text };
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return if line.ends_with("::") { LineHead::Literal } else { LineHead::Text };
    }
    match rest.trim_start().split_once("::") {
        Some((name, language)) if CODE.contains(&name) => LineHead::Code(first_word(language)),
        Some(("highlight", language)) => LineHead::Highlight(first_word(language)),
        Some(("literalinclude" | "raw" | "parsed-literal" | "math" | "image", _)) => LineHead::Opaque,
        // The content of other directives, such as notes, is text with blocks of its own.
        Some((name, _)) if !name.is_empty() && !name.contains(' ') => LineHead::Text,
        // Targets, footnotes and substitutions hold no block; anything else is a comment.
        _ if rest.trim_start().starts_with(['_', '[', '|']) => LineHead::Text,
        _ => LineHead::Opaque,
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Returns the end of the lines that are indented deeper than `indent`.
fn end_of_block(lines: &[Line<'_>], from: usize, indent: usize) -> usize {
    let rest = lines.get(from..).unwrap_or_default();
    let over = |line: &Line<'_>| !line.text.trim().is_empty() && line.indent <= indent;
    rest.iter().position(over).map_or(lines.len(), |len| from + len)
}

/// The content among the lines below a head: without options, and without the empty lines around it.
fn code_block<'s>(
    text: &'s str,
    language: &'s str,
    lines: &[Line<'_>],
    has_options: bool,
) -> Option<FencedBlock<'s>> {
    let is_blank = |line: &Line<'_>| line.text.trim().is_empty();
    let options = if has_options {
        lines.iter().take_while(|line| !is_blank(line) && line.text.trim_start().starts_with(':')).count()
    } else {
        0
    };
    let rest = lines.get(options..)?;
    // Behind options, or a paragraph that ends in `::`, an empty line comes first.
    if !rest.first().is_some_and(is_blank) && (options > 0 || !has_options) {
        return None;
    }
    let first = rest.iter().position(|line| !is_blank(line))?;
    let last = rest.iter().rposition(|line| !is_blank(line))?;
    let range: Range<usize> = rest.get(first)?.range.0..rest.get(last)?.range.1;
    Some(FencedBlock { language, text: Cow::Borrowed(text.get(range.clone())?), range })
}

#[cfg(test)]
mod tests {
    use super::find_code_blocks;

    fn shown(text: &str) -> Vec<(&str, &str)> {
        let shown =
            |block: &crate::markdown::FencedBlock<'_>| text.get(block.range.clone()).unwrap_or("?").trim();
        find_code_blocks(text).iter().map(|block| (block.language, shown(block))).collect()
    }

    #[test]
    fn each_directive_for_code_is_an_example() {
        let text = ".. code-block:: yaml\n\n  a\n\n.. code:: json\n   b\n\n.. sourcecode:: yaml\n   :caption: x\n\n   c\n";
        assert_eq!(shown(text), [("yaml", "a"), ("json", "b"), ("yaml", "c")]);
    }

    #[test]
    fn highlight_names_the_language_of_literal_blocks_below_it() {
        let text = "::\n\n  a\n\n.. highlight:: yaml\n\nAs here::\n\n  b: c\n\n  d\n\nand\n\n.. code-block::\n\n  e\n";
        assert_eq!(shown(text), [("", "a"), ("yaml", "b: c\n\n  d"), ("yaml", "e")]);
    }

    #[test]
    fn code_inside_notes_and_lists_is_found_and_code_inside_comments_is_not() {
        let text = ".. note:: see\n\n   .. code-block:: yaml\n\n      a\n\n   text\n\n- .. code:: yaml\n\n     b\n\n.. comment\n\n   .. code:: yaml\n\n      c\n";
        assert_eq!(shown(text), [("yaml", "a"), ("yaml", "b")]);
    }

    #[test]
    fn what_another_file_holds_is_no_example() {
        assert_eq!(shown(".. literalinclude:: a.yaml\n   :language: yaml\n\ntext\n"), []);
        assert_eq!(shown("A paragraph::\nwithout an empty line\n"), []);
    }

    #[test]
    fn an_example_may_hold_what_looks_like_a_directive() {
        assert_eq!(
            shown(".. code:: rst\n\n   .. code:: yaml\n\n      a\n"),
            [("rst", ".. code:: yaml\n\n      a")]
        );
    }
}
