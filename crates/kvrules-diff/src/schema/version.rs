//! One version of a definition, and what it means that its status becomes a subresource or is one no more.

use serde_json::Value;

use super::edit::{ObjectAttempt, ObjectEdit};
use super::keyword::{PRESERVE, RULES, find_property, keyword_flag, keyword_list, keyword_texts};
use super::place::NodeStep;
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit};

/// One version of a CustomResourceDefinition, as far as it decides what is accepted.
#[derive(Clone, Copy, Debug)]
pub struct Version<'s> {
    /// The value of `openAPIV3Schema`.
    pub schema: &'s Value,
    /// True if the status is a subresource.
    pub has_status: bool,
}

impl<'s> From<&'s Value> for Version<'s> {
    fn from(schema: &'s Value) -> Self {
        Self { schema, has_status: false }
    }
}

/// The field that a write to the subresource takes.
pub(super) const STATUS: &str = "status";

/// True if a location is in the status.
pub(super) fn is_of_status(downs: &[NodeStep]) -> bool {
    matches!(downs.first(), Some(NodeStep::Property(name)) if name == STATUS)
}

/// Compares the status subresource: if it exists, a write of the whole object ignores the status, and nothing in the
/// status is rejected.
pub(super) fn compare_subresources(old: Version<'_>, new: Version<'_>) -> Option<ObjectEdit> {
    if old.has_status == new.has_status {
        return None;
    }
    let shown = |has: bool| has.then_some("{}");
    let limits = vec![ChangedLimit::new("subresources.status", shown(old.has_status), shown(new.has_status))];
    let mut change = Change::new(STATUS, "status subresource", limits);
    let way = ["subresources", STATUS].map(str::to_owned).to_vec();
    let site = |has: bool| if has { ChangeSite::Definition(way.clone()) } else { ChangeSite::Absent };
    (change.old, change.new) = (site(old.has_status), site(new.has_status));
    let note = if new.has_status {
        "`status` in an object is now ignored, and writes to `/status` set it"
    } else {
        "`status` in an object is now used, and the subresource `/status` is removed"
    };
    change.notes.push(note.to_owned());
    let values = ["a", "A"].map(Value::from).into_iter().chain([Value::from(1), Value::from(true)]);
    let objects = [serde_json::json!({}), serde_json::json!({"unknownField": 1}), serde_json::json!([])];
    let mut attempts: Vec<ObjectAttempt> =
        values.chain(objects).map(|value| ObjectAttempt::WithValue(STATUS.to_owned(), value)).collect();
    attempts.extend([
        ObjectAttempt::With(STATUS.to_owned()),
        ObjectAttempt::Anything,
        ObjectAttempt::Without(STATUS.to_owned()),
    ]);
    Some(ObjectEdit {
        change,
        downs: Vec::new(),
        keys: Vec::new(),
        bound: subresource_bound(old, new),
        refused: attempts.clone(),
        accepted: attempts,
        looked_at: 0,
        is_cut: false,
        is_message: false,
        pair: None,
        moves_status: true,
        proofs: Vec::new(),
        open_questions: Vec::new(),
    })
}

/// Without the status an object may break what asks for one, and nothing else.
fn subresource_bound(old: Version<'_>, new: Version<'_>) -> ImpliedDirection {
    let sides = [old.schema, new.schema];
    let asks = |schema: &Value| {
        keyword_texts(schema, "required").contains(&STATUS)
            || super::keyword::has_branches(schema)
            || ["minProperties", "maxProperties"].iter().any(|key| schema.get(*key).is_some())
            || (find_property(schema, STATUS).is_some() && !keyword_list(schema, RULES).is_empty())
    };
    if sides.into_iter().any(asks) {
        ImpliedDirection::Open
    } else if sides.into_iter().all(takes_anything) {
        ImpliedDirection::Equal
    } else if new.has_status {
        ImpliedDirection::Looser
    } else {
        ImpliedDirection::Tighter
    }
}

/// True if a schema rejects no status for its content.
fn takes_anything(schema: &Value) -> bool {
    const SAYING_NOTHING: [&str; 6] =
        ["description", "title", "example", "externalDocs", "nullable", PRESERVE];
    match find_property(schema, STATUS) {
        // A status that is not declared is rejected as an unknown field or preserved; its content has no effect.
        None => true,
        Some(status) => {
            keyword_flag(status, PRESERVE)
                && status
                    .as_object()
                    .is_some_and(|it| it.keys().all(|key| SAYING_NOTHING.contains(&key.as_str())))
        }
    }
}
