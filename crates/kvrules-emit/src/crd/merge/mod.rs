//! Additions to a schema as edits of the text that it is written in.
//!
//! Nothing is moved or written again: each edit puts a text between two bytes of the file. A block of YAML gets lines at its own
//! indentation, after the line of its `type`; braces get members in the notation of JSON, which YAML reads as well.

mod block;
mod edit;
mod flow;

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::{INT_OR_STRING, KUBERNETES_PREFIX, VALIDATIONS};
use kvrules_syntax::Node;
use serde_json::Value;

use super::compile::{AdditionKind, SchemaAddition};
use super::entry::ValidationEntry;
use super::path::{NodePath, Segment};
pub(super) use edit::{TextInsertion, apply_edits};

/// A reason why an addition is impossible, with its location.
#[derive(Debug)]
pub(super) struct MergeObstacle {
    pub(super) span: Span,
    pub(super) message: &'static str,
}

/// Additions to one node.
#[derive(Debug, Default)]
struct NodeAdditions<'a> {
    keywords: Vec<(&'static str, &'a Value)>,
    entries: Vec<&'a ValidationEntry>,
}

/// The edits for additions that the schema at `root` does not have.
pub(super) fn merge_edits(
    text: &str,
    root: Node<'_>,
    additions: &[SchemaAddition],
) -> Result<Vec<TextInsertion>, MergeObstacle> {
    let mut edits = Vec::new();
    for (path, portion) in group_by_node(additions) {
        let Some(node) = find_node(root, path) else {
            return Err(MergeObstacle { span: root.span(), message: "missing node of the schema" });
        };
        edits.extend(at_node(text, node, &portion)?);
    }
    Ok(edits)
}

/// Additions by node, in the order in which they were made.
fn group_by_node(additions: &[SchemaAddition]) -> Vec<(&NodePath, NodeAdditions<'_>)> {
    let mut portions: Vec<(&NodePath, NodeAdditions<'_>)> = Vec::new();
    for addition in additions {
        let found = portions.iter().position(|(node, _)| **node == addition.node);
        let mut portion =
            found.map_or_else(|| (&addition.node, NodeAdditions::default()), |at| portions.remove(at));
        match &addition.what {
            AdditionKind::Validation(entry) => portion.1.entries.push(entry),
            AdditionKind::Keyword(keyword, value, _) => portion.1.keywords.push((keyword, value)),
        }
        portions.insert(found.unwrap_or(portions.len()), portion);
    }
    portions
}

fn find_node<'d>(root: Node<'d>, path: &NodePath) -> Option<Node<'d>> {
    path.0.iter().try_fold(root, |node, segment| match segment {
        Segment::Field(name) => node.get("properties")?.get(name),
        Segment::Items => node.get("items"),
        Segment::Values => node.get("additionalProperties"),
    })
}

fn at_node(
    text: &str,
    node: Node<'_>,
    portion: &NodeAdditions<'_>,
) -> Result<Vec<TextInsertion>, MergeObstacle> {
    let anchor = anchor_entry(text, node)?;
    let list = node.get(VALIDATIONS);
    let mut edits = Vec::new();
    let entries = if list.is_some() { &[][..] } else { &portion.entries };
    if is_flow(text, node) {
        edits.extend(flow::insert_members(text, anchor, &portion.keywords, entries));
    } else {
        edits.extend(block::insert_members(text, anchor, &portion.keywords, entries));
    }
    if let Some(list) = list.filter(|_| !portion.entries.is_empty()) {
        edits.push(if is_flow(text, list) {
            flow::insert_items(text, list, &portion.entries)
        } else {
            block::insert_items(text, list, &portion.entries)?
        });
    }
    Ok(edits)
}

/// Keys whose values are short, after which additions are written.
const ANCHORS: [&str; 2] = ["type", INT_OR_STRING];

/// The entry of a node after which additions are written: the last of those that stand on one line, `type` or one that
/// begins with `x-kubernetes-`, as the names of a schema are mostly in alphabetical order.
fn anchor_entry<'d>(text: &str, node: Node<'d>) -> Result<kvrules_syntax::Entry<'d>, MergeObstacle> {
    let on_one_line = |entry: &kvrules_syntax::Entry<'d>| {
        let between = entry.key.span().start as usize..entry.value.span().end as usize;
        let key = entry.key.text();
        let known = ANCHORS.contains(&key) || key.starts_with(KUBERNETES_PREFIX) && key < VALIDATIONS;
        let scalar = !entry.value.is_map() && !entry.value.is_list();
        known && scalar && text.get(between).is_some_and(|text| !text.contains('\n') && !text.contains('#'))
    };
    let found = node.entries().filter(on_one_line).last();
    found.ok_or(MergeObstacle {
        span: node.span().at_start(),
        message: "nothing can be added to this node, because its `type` and the value are not on one line",
    })
}

fn is_flow(text: &str, node: Node<'_>) -> bool {
    text.get(node.span().to_range()).is_some_and(|text| text.starts_with(['{', '[']))
}

/// The line break that is used at a place.
fn line_break(text: &str, at: usize) -> &'static str {
    let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| at + found);
    if text.get(..end).is_some_and(|text| text.ends_with('\r')) { "\r\n" } else { "\n" }
}

/// Returns the text before a position on its line.
fn text_before(text: &str, at: usize) -> &str {
    let start = text.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |found| found + 1);
    text.get(start..at).unwrap_or_default().trim_start_matches('\u{feff}')
}
