//! Declares the fields that alternatives mention next to them: a structural schema must declare every field.

use kvrules_diagnostics::Exactness;
use std::rc::Rc;

use super::{LostConstraint, SchemaShape, ValueKinds};
use crate::note::ImportNoteKind;

/// Declares all that the alternatives and negations of a shape mention.
pub(crate) fn declare_branch_fields(shape: &mut SchemaShape) {
    let groups = shape.groups.clone();
    for group in &groups {
        // Every branch says of what kind the field is, or that there is none.
        let is_sure = |branch: &SchemaShape, name: &str| match branch.object.fields.get(name) {
            Some(field) => field.kinds != ValueKinds::ALL,
            None => branch.object.forbids_field(name) && branch.groups.is_empty(),
        };
        // Items, which have no name, are declared by each branch for itself.
        let always =
            |name: &str| !name.is_empty() && group.branches.iter().all(|branch| is_sure(branch, name));
        group.branches.iter().for_each(|branch| declare_from_branch(shape, branch, &always));
    }
    let nots = shape.nots.clone();
    for not in &nots {
        declare_from_branch(shape, not, &|_| false);
    }
    let contains = shape.list.contains.clone();
    for contains in &contains {
        absorb_item(shape, &contains.shape, &|_| false);
    }
    let dependents = shape.object.dependents.clone();
    let names = dependents.iter().flat_map(|(name, others)| others.iter().chain([name]));
    names.for_each(|name| declare_field(shape, name));
}

/// Declares what a branch mentions. `always` says of which fields every branch says what kind they are.
fn declare_from_branch(shape: &mut SchemaShape, branch: &SchemaShape, always: &dyn Fn(&str) -> bool) {
    let is_map = shape.object.fields.is_empty() && shape.object.additional.is_some();
    if !is_map {
        for (name, field) in branch.object.fields.iter().filter(|(name, _)| *name != "metadata") {
            absorb_field(shape, name, field, always(name));
        }
        branch.object.required.iter().for_each(|name| declare_field(shape, name));
        for (name, others) in &branch.object.dependents {
            others.iter().chain([name]).for_each(|name| declare_field(shape, name));
        }
    }
    if let Some(items) = &branch.list.items {
        absorb_item(shape, items, always);
    }
    for contains in &branch.list.contains {
        absorb_item(shape, &contains.shape, always);
    }
    let inner = branch.groups.iter().flat_map(|group| &group.branches).chain(&branch.nots);
    inner.for_each(|inner| declare_from_branch(shape, inner, &|_| false));
}

fn absorb_field(shape: &mut SchemaShape, name: &str, field: &Rc<SchemaShape>, is_sure: bool) {
    if let Some(found) = shape.object.fields.get_mut(name) {
        merge_into(Rc::make_mut(found), field);
        return;
    }
    let mut skeleton = without_constraints(field);
    if !is_sure && skeleton.kinds != ValueKinds::ALL {
        skeleton.lost.push(LostConstraint {
            kind: ImportNoteKind::Loss,
            effect: Exactness::Narrower,
            keyword: "properties",
            span: field.at,
            message: format!(
                "`{name}` must have its type even if the branch that declares it does not apply"
            ),
        });
    }
    shape.object.fields.set(name.to_owned(), Rc::new(skeleton));
}

fn absorb_item(shape: &mut SchemaShape, item: &Rc<SchemaShape>, always: &dyn Fn(&str) -> bool) {
    match &mut shape.list.items {
        Some(found) => merge_into(Rc::make_mut(found), item),
        None if !always("") => {
            // Outside of the branch, items may have any type.
            let mut items = without_constraints(item);
            items.kinds = ValueKinds::ALL;
            shape.list.items = Some(Rc::new(items));
        }
        None => shape.list.items = Some(Rc::new(without_constraints(item))),
    }
}

fn merge_into(found: &mut SchemaShape, more: &Rc<SchemaShape>) {
    if found.is_hoisted {
        found.kinds = found.kinds.or(more.kinds);
        found.description = found.description.take().or_else(|| more.description.clone());
    }
    declare_from_branch(found, more, &|_| false);
}

/// Returns a shape without its constraints on values.
fn without_constraints(shape: &Rc<SchemaShape>) -> SchemaShape {
    let mut skeleton = SchemaShape::of(shape.kinds, shape.at);
    if skeleton.kinds.is_empty() {
        skeleton.kinds = ValueKinds::ALL;
    }
    skeleton.is_hoisted = true;
    skeleton.title.clone_from(&shape.title);
    skeleton.description.clone_from(&shape.description);
    skeleton.object.is_open = shape.object.is_open;
    if shape.object.fields.is_empty() && shape.object.additional.is_some() {
        skeleton.object.additional =
            shape.object.additional.as_ref().map(self::without_constraints).map(Rc::new);
    }
    declare_from_branch(&mut skeleton, shape, &|_| true);
    skeleton
}

/// Declares a field of which only the name is known.
fn declare_field(shape: &mut SchemaShape, name: &str) {
    let object = &mut shape.object;
    let is_free = object.additional.is_some() || object.fields.is_empty() && !object.is_closed;
    if !is_free && !object.fields.contains(name) {
        let field = SchemaShape { is_hoisted: true, ..SchemaShape::any(shape.at) };
        object.fields.set(name.to_owned(), Rc::new(field));
    }
}
