//! Tables of neighbours: a document that the server accepts, edits of it, and what the server's source says of the result.
//!
//! A row is `class: edits => answers`, or `class: old: edits new: edits => answers` for a document that takes the place of
//! another, which the second edits are made to. An edit is `POINTER = JSON`; several are parted by ` ; `. Each answer is
//! what an answer of ours must begin with; `ok` stands for none, and ` | ` parts several.

use std::collections::BTreeMap;

use serde_json::Value;

/// Puts values at pointers; a new member or element is added.
pub(crate) fn edited(mut document: Value, edits: &str) -> Value {
    for edit in edits.split(" ; ").map(str::trim).filter(|edit| !edit.is_empty()) {
        let (pointer, value) = edit.split_once(" = ").unwrap_or_else(|| panic!("{edit}"));
        let value: Value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{edit}: {error}"));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap_or_else(|| panic!("{edit}"));
        match (parent, name.parse::<usize>()) {
            (Value::Array(items), Ok(index)) if index < items.len() => items[index] = value,
            (Value::Array(items), _) => items.push(value),
            (parent, _) => parent[name] = value,
        }
    }
    document
}

/// Holds the answers for every row of a table against it; how many rows each class has.
///
/// `accepted` gives the document that the rows of a class edit, `answer` what is said of the class, the document and the
/// one whose place it takes.
pub(crate) fn hold(
    table: &'static str,
    accepted: impl Fn(&str) -> Value,
    answer: impl Fn(&str, &Value, Option<&Value>) -> Vec<String>,
) -> BTreeMap<&'static str, usize> {
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (head, expected) = line.rsplit_once(" => ").unwrap_or_else(|| panic!("{line}"));
        let (class, edits) = head.split_once(": ").unwrap();
        *counts.entry(class).or_default() += 1;
        let (old, new) = match edits.strip_prefix("old: ").map(|rest| rest.split_once("new: ").unwrap()) {
            Some((old, new)) => {
                let old = edited(accepted(class), old);
                (Some(old.clone()), edited(old, new))
            }
            None => (None, edited(accepted(class), edits)),
        };
        let mut left = answer(class, &new, old.as_ref());
        let mut missing: Vec<&str> = expected.split(" | ").filter(|it| *it != "ok").collect();
        missing.retain(|wanted| match left.iter().position(|ours| ours.starts_with(wanted)) {
            Some(at) => {
                left.remove(at);
                false
            }
            None => true,
        });
        if !missing.is_empty() || !left.is_empty() {
            wrong.push(format!("{line}\n    missing {missing:?}\n    too many {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    counts
}
