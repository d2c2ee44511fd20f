//! Additions to what is written in lines.

use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::{Entry as Member, Node};
use serde_json::{Value, json};

use super::super::cost;
use super::super::entry::ValidationEntry;
use super::edit::TextInsertion;
use super::{MergeObstacle, line_break, text_before};

/// New members of a map, on lines after that of one of its members.
pub(super) fn insert_members(
    text: &str,
    anchor: Member<'_>,
    keywords: &[(&'static str, &Value)],
    entries: &[&ValidationEntry],
) -> Option<TextInsertion> {
    let indent = text_before(text, anchor.key.span().start as usize).chars().count();
    let mut lines = Vec::new();
    for (keyword, value) in keywords {
        lines.extend(yaml_lines(&json!({ *keyword: value })));
    }
    if !entries.is_empty() {
        lines.push(format!("{VALIDATIONS}:"));
        lines.extend(items_of(entries));
    }
    (!lines.is_empty()).then(|| after_line(text, anchor.value.span().end as usize, indent, &lines))
}

/// New items of a list, on lines after its last one.
pub(super) fn insert_items(
    text: &str,
    list: Node<'_>,
    entries: &[&ValidationEntry],
) -> Result<TextInsertion, MergeObstacle> {
    let obstacle =
        MergeObstacle { span: list.span(), message: "nothing can be appended to these validations" };
    let Some(final_item) = list.items().last() else { return Err(obstacle) };
    let start = final_item.span().start as usize;
    let dash = text.get(..start).map(|before| before.trim_end().len()).unwrap_or_default();
    if !text.get(..dash).is_some_and(|text| text.ends_with('-')) {
        return Err(obstacle);
    }
    let indent = text_before(text, dash - 1).chars().count();
    let end = text.get(..list.span().end as usize).map_or(0, |text| text.trim_end().len());
    Ok(after_line(text, end, indent, &items_of(entries)))
}

fn items_of(entries: &[&ValidationEntry]) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in entries {
        let comment = format!("# {}: costs {} of the limit", entry.name, cost::cost_share(entry.cost));
        lines.push(comment.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.extend(yaml_lines(&json!([entry.value()])));
    }
    lines
}

/// A value on lines.
fn yaml_lines(value: &Value) -> Vec<String> {
    let text = crate::yaml::to_yaml(value).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Lines after the one that holds a place.
fn after_line(text: &str, place: usize, indent: usize, lines: &[String]) -> TextInsertion {
    let line_break = line_break(text, place);
    let end = text.get(place..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| place + found);
    let at = text.get(..end).filter(|text| text.ends_with('\r')).map_or(end, |text| text.len() - 1);
    let indent = " ".repeat(indent);
    let lines = lines.iter().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!("{indent}{line}") };
        format!("{line_break}{line}")
    });
    TextInsertion { at, text: lines.collect() }
}
