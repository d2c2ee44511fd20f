//! Texts of scalars and of containers in brackets.

use std::ops::Range;

use kvrules_syntax::{Node, NodeStyle};

use super::Role;

/// The bytes of a scalar, with the header of a block.
pub(super) fn written_range(source: &str, node: Node<'_>) -> Range<usize> {
    let own = node.span().to_range();
    if !matches!(node.style(), NodeStyle::Literal | NodeStyle::Folded) {
        return own;
    }
    let before = source.get(..own.start).unwrap_or_default();
    let head = before.rfind(['|', '>']).filter(|head| {
        let rest = before.get(head + 1..).unwrap_or_default().trim();
        rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+'))
    });
    head.unwrap_or(own.start)..own.end
}

/// A scalar on one line, as it is written if it is on one line.
pub(super) fn inline_text(source: &str, node: Node<'_>) -> String {
    let written = source.get(node.span().to_range()).unwrap_or_default().trim();
    if written.contains(['\n', '\r']) { double_quoted(node.text()) } else { written.to_owned() }
}

/// A string of JSON, which is one of YAML too.
fn double_quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A container in brackets.
pub(super) fn flow_text(source: &str, node: Node<'_>, role: Role) -> String {
    if node.is_map() {
        let mut entries: Vec<_> = node.entries().collect();
        entries.sort_by_key(|entry| role.position(entry.key.text()));
        let entries = entries.into_iter().map(|entry| {
            let value = flow_text(source, entry.value, role.below(entry.key.text()));
            let key = inline_text(source, entry.key);
            if value.is_empty() { format!("{key}:") } else { format!("{key}: {value}") }
        });
        return format!("{{{}}}", entries.collect::<Vec<_>>().join(", "));
    }
    if node.is_container() {
        let items: Vec<_> = node.items().map(|item| flow_text(source, item, role)).collect();
        return format!("[{}]", items.join(", "));
    }
    inline_text(source, node)
}

/// The header and the lines of a block scalar; `None` for another scalar.
///
/// # Errors
///
/// The header is more than the kind of the block and how it ends.
pub(super) fn block_lines(
    source: &str,
    node: Node<'_>,
    indent: usize,
) -> Result<Option<(String, Vec<String>)>, &'static str> {
    if !matches!(node.style(), NodeStyle::Literal | NodeStyle::Folded) {
        return Ok(None);
    }
    let written = source.get(written_range(source, node)).unwrap_or_default().trim_end();
    let mut lines = written.lines();
    let head = lines.next().unwrap_or_default().trim_end();
    if !["|", "|-", ">", ">-"].contains(&head) {
        return Err("a block scalar with a number, a plus or a comment in its header keeps the layout");
    }
    let lines: Vec<&str> = lines.collect();
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = lines.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| spaces(line));
    let written = |line: &&str| {
        let text = line.get(own.min(spaces(line))..).unwrap_or_default();
        if text.trim().is_empty() { String::new() } else { format!("{}{text}", " ".repeat(indent)) }
    };
    Ok(Some((head.to_owned(), lines.iter().map(written).collect())))
}
