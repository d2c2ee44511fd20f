//! Keywords of a node that is full: a second `not`, pattern or group of alternatives goes into `allOf`.

use std::rc::Rc;

use kvrules_diagnostics::Exactness;
use serde_json::{Value, json};

use super::{Keywords, ShapeEmitter, set_keyword};
use crate::note::{ImportNoteKind, ImportProblem};
use crate::shape::{ContainsConstraint, LostConstraint, SchemaShape, ShapeGroup, ValueKinds};

/// Adds a schema that must hold as well: next to the others where its keywords are free, else in `allOf`.
pub(super) fn add_conjunct(out: &mut Keywords, schema: Value) {
    let Value::Object(keywords) = schema else { return };
    if keywords.is_empty() {
        return;
    }
    if keywords.keys().all(|keyword| keyword != "allOf" && !out.contains_key(keyword)) {
        out.extend(keywords);
        return;
    }
    match out.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(Value::Object(keywords)),
        None => set_keyword(out, "allOf", vec![Value::Object(keywords)]),
    }
}

impl ShapeEmitter {
    /// The alternatives and negations of a shape, on a node of the spine.
    pub(super) fn sides(
        &mut self,
        shape: &SchemaShape,
        spine: &SchemaShape,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        for group in &shape.groups {
            self.group(group, spine, out)?;
        }
        for not in &shape.nots {
            let branch = self.negated(|emitter| emitter.branch(not, spine))?;
            add_conjunct(out, json!({ "not": branch }));
        }
        for pattern in shape.texts.patterns.iter().skip(1) {
            add_conjunct(out, json!({ "pattern": pattern }));
        }
        for format in shape.texts.formats.iter().skip(1) {
            add_conjunct(out, json!({ "format": format }));
        }
        Ok(())
    }

    fn group(
        &mut self,
        group: &ShapeGroup,
        spine: &SchemaShape,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        let losses = self.losses;
        let is_closed = |branch: &Rc<SchemaShape>| {
            branch.object.is_closed || !branch.kinds.and(spine.kinds).meets(ValueKinds::OBJECT)
        };
        let are_closed = spine.object.additional.is_none() && group.branches.iter().all(is_closed);
        let mut branches = Vec::new();
        for branch in &group.branches {
            self.is_among_closed = are_closed;
            let written = self.branch(branch, spine)?;
            // A branch without keywords is always true, so the whole `anyOf` is.
            if written.is_empty() && !group.is_one {
                return Ok(());
            }
            branches.push(Value::Object(written));
        }
        // Of branches that accept more than they should, two may hold where one does in the source.
        let is_one = group.is_one && self.losses == losses;
        if group.is_one && !is_one {
            let message = "`oneOf` is written as `anyOf`, since a branch is not expressed exactly";
            let (kind, effect, span) = (ImportNoteKind::Loss, Exactness::Wider, group.at);
            self.lost(&LostConstraint { kind, effect, keyword: "oneOf", span, message: message.to_owned() });
            if branches.iter().any(|branch| *branch == json!({})) {
                return Ok(());
            }
        }
        add_conjunct(out, json!({ if is_one { "oneOf" } else { "anyOf" }: branches }));
        Ok(())
    }

    /// Requires that a list contains something: not all of its items lack it.
    pub(super) fn contains(
        &mut self,
        contains: &ContainsConstraint,
        shape: &SchemaShape,
        spine: &SchemaShape,
        out: &mut Keywords,
    ) -> Result<(), ImportProblem> {
        if contains.min == 0 && contains.max.is_none() {
            return Ok(());
        }
        let is_list = spine.kinds.present() == ValueKinds::ARRAY;
        if !(contains.min == 1 && contains.max.is_none() && is_list) {
            self.lose(Exactness::Wider, shape, "contains", "items that are of a kind cannot be counted here");
            return Ok(());
        }
        let any = SchemaShape::any(shape.at);
        let items = spine.list.items.as_deref().unwrap_or(&any);
        let item = self.branch(&contains.shape, items)?;
        add_conjunct(out, json!({"not": {"items": {"not": item}}}));
        Ok(())
    }
}
