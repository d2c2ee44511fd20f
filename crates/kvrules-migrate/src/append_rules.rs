//! Rules that join others: the VirtualMachine has the annotation already.

use std::collections::BTreeSet;

use kvrules_diagnostics::{Edit, FileId, SourceFile};
use kvrules_elaborate::annotation::{Annotation, Key, read_rule_set};
use kvrules_syntax::{Document, Node, NodeStyle, Notation, edit::quote_json, parse_json};

use crate::{MigrationStep, lines::FileLines, move_obstacle::MoveObstacle};

/// Appends the rules of one annotation to another. A rule that is there already is not written twice; one whose name is
/// taken by another rule gets a name of its own. Both are reported.
pub(crate) fn append_to_annotation(
    source: &SourceFile,
    from: &Annotation<'_>,
    to: &Annotation<'_>,
    step: &mut MigrationStep,
) -> Result<(), MoveObstacle> {
    let help = "repair the JSON, or bring the rules together by hand";
    let obstacle = |why: &str| MoveObstacle::at(to.value.span(), why, help);
    let json = to.json().filter(|json| json.problems().is_empty());
    let list = json.and_then(Document::root).filter(|root| root.is_list());
    let list = list.ok_or_else(|| {
        obstacle("the rules at the VirtualMachine cannot be read, so that none can join them")
    })?;
    let text = from.value.text();
    let old = parse_json(FileId(0), text);
    let items = rewrite_items(text, &old, from, to, step);
    if items.is_empty() {
        return Ok(());
    }
    let edit = append_items(source, to, list, &items);
    step.edits.push(
        edit.ok_or_else(|| {
            obstacle("the rules at the VirtualMachine are written so that none can join them")
        })?,
    );
    Ok(())
}

/// The texts of the rules that are to come, without the indentation they had.
fn rewrite_items(
    text: &str,
    old: &Document<'_>,
    from: &Annotation<'_>,
    to: &Annotation<'_>,
    step: &mut MigrationStep,
) -> Vec<String> {
    let (mine, theirs) = (read_rule_set(from, ""), read_rule_set(to, ""));
    let mut taken: BTreeSet<String> = theirs.rules.iter().map(|rule| rule.name.clone()).collect();
    let mut items = Vec::new();
    let written = old.root().into_iter().flat_map(Node::items);
    for (node, place) in written.zip(from.root().into_iter().flat_map(Node::items)) {
        let rule = mine.rules.iter().find(|rule| rule.origin.span() == Some(place.span()));
        let title = rule.map_or_else(String::new, |rule| rule.name.clone());
        if rule.is_some_and(|rule| theirs.rules.contains(rule)) {
            step.change(
                place.span(),
                format!("left out the rule `{title}`, which the VirtualMachine has already"),
            );
            continue;
        }
        let mut item = unindent_node(text, node);
        if taken.contains(&title) {
            let free = free_name(&title, &taken);
            step.change(place.span(), format!("renamed the rule `{title}` to `{free}`, since the VirtualMachine has another one of that name"));
            item = with_name(text, node, &free).unwrap_or(item);
            taken.insert(free);
        } else {
            taken.insert(title);
        }
        items.push(item);
    }
    items
}

fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    (2..=taken.len() + 2)
        .map(|number| format!("{name}-{number}"))
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// The text of a rule with another name in it.
fn with_name(text: &str, rule: Node<'_>, name: &str) -> Option<String> {
    let value = rule.get(Key::Name.as_str())?.span().to_range();
    let outer = rule.span().to_range();
    let whole = format!(
        "{}{}{}",
        text.get(outer.start..value.start)?,
        quote_json(name),
        text.get(value.end..outer.end)?
    );
    Some(without_margin(&whole, line_indentation(text, rule)))
}

fn unindent_node(text: &str, node: Node<'_>) -> String {
    without_margin(text.get(node.span().to_range()).unwrap_or_default(), line_indentation(text, node))
}

/// Returns the indentation of the line that a node begins on.
fn line_indentation(text: &str, node: Node<'_>) -> usize {
    let before = text.get(..node.span().start as usize).unwrap_or_default();
    let line = before.get(before.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or_default();
    line.len() - line.trim_start_matches(' ').len()
}

fn without_margin(text: &str, margin: usize) -> String {
    let lines = text.split('\n').enumerate().map(|(number, line)| {
        let blank = line.len() - line.trim_start_matches(' ').len();
        if number == 0 { line } else { line.get(margin.min(blank)..).unwrap_or(line) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Puts items behind the last one of a list, laid out as that is where its scalar has room for lines.
fn append_items(source: &SourceFile, to: &Annotation<'_>, list: Node<'_>, items: &[String]) -> Option<Edit> {
    let neighbour = list.items().last();
    let in_lines = to.value.style() == NodeStyle::Literal;
    let place = neighbour.map_or_else(|| list.span(), Node::span);
    let lines = FileLines::new(source);
    let lead = lines.before(place.start as usize);
    let blank = lead.trim_matches([' ', '>']).is_empty();
    let own_line = in_lines && blank && neighbour.is_some();
    let line_break = lines.line_break();
    let shaped = items.iter().map(|item| {
        if own_line { item.replace('\n', &format!("{line_break}{lead}")) } else { join_lines(item) }
    });
    let separator = if own_line { format!(",{line_break}{lead}") } else { ", ".to_owned() };
    let written = shaped.collect::<Vec<_>>().join(&separator);
    let written = if own_line {
        written
    } else {
        list.notation().escape_json(&written).or_else(|| plain_text(list.notation(), &written))?
    };
    let (at, text) = match neighbour {
        Some(rule) => (rule.span().end as usize, format!("{separator}{written}")),
        None => (list.span().start as usize + 1, written),
    };
    Some(Edit { span: lines.span(at, at)?, replacement: text })
}

/// A rule on one line. A string of JSON holds no line break, so every break is between its parts.
fn join_lines(item: &str) -> String {
    item.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

fn plain_text(notation: Notation, text: &str) -> Option<String> {
    (notation == Notation::Json(None)).then(|| text.to_owned())
}
