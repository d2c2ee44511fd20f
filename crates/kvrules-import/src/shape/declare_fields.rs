//! Declares the fields that alternatives mention next to them: a structural schema must declare every field.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Kinds, Lost, Shape};
use crate::note::{ImportEffect, ImportNoteKind};

/// Declares all that the alternatives and negations of a shape mention.
pub(crate) fn hoist(shape: &mut Shape) {
    let groups = shape.groups.clone();
    for group in &groups {
        let mut typed: HashMap<&str, usize> = HashMap::new();
        for branch in &group.branches {
            let fields = branch.object.fields.iter().filter(|(_, field)| field.kinds != Kinds::ALL);
            fields.for_each(|(name, _)| *typed.entry(name).or_default() += 1);
        }
        let always = |name: &str| typed.get(name) == Some(&group.branches.len());
        group.branches.iter().for_each(|branch| absorb(shape, branch, &always));
    }
    let nots = shape.nots.clone();
    for not in &nots {
        absorb(shape, not, &|_| false);
    }
    let contains = shape.list.contains.clone();
    for contains in &contains {
        absorb_item(shape, &contains.shape, &|_| false);
    }
    let dependents = shape.object.dependents.clone();
    let names = dependents.iter().flat_map(|(name, others)| others.iter().chain([name]));
    names.for_each(|name| declare(shape, name));
}

/// Declares what a branch mentions. `always` says of which fields every branch says what kind they are.
fn absorb(shape: &mut Shape, branch: &Shape, always: &dyn Fn(&str) -> bool) {
    let is_map = shape.object.fields.is_empty() && shape.object.additional.is_some();
    if !is_map {
        for (name, field) in branch.object.fields.iter().filter(|(name, _)| *name != "metadata") {
            absorb_field(shape, name, field, always(name));
        }
        branch.object.required.iter().for_each(|name| declare(shape, name));
        for (name, others) in &branch.object.dependents {
            others.iter().chain([name]).for_each(|name| declare(shape, name));
        }
    }
    if let Some(items) = &branch.list.items {
        absorb_item(shape, items, always);
    }
    for contains in &branch.list.contains {
        absorb_item(shape, &contains.shape, always);
    }
    let inner = branch.groups.iter().flat_map(|group| &group.branches).chain(&branch.nots);
    inner.for_each(|inner| absorb(shape, inner, &|_| false));
}

fn absorb_field(shape: &mut Shape, name: &str, field: &Rc<Shape>, is_sure: bool) {
    if let Some(found) = shape.object.fields.get_mut(name) {
        merge_into(Rc::make_mut(found), field);
        return;
    }
    let mut skeleton = skeleton(field);
    if !is_sure && skeleton.kinds != Kinds::ALL {
        skeleton.lost.push(Lost {
            kind: ImportNoteKind::Loss,
            effect: ImportEffect::Narrower,
            keyword: "properties",
            span: field.at,
            message: format!(
                "`{name}` must have its type even if the branch that declares it does not apply"
            ),
        });
    }
    shape.object.fields.set(name.to_owned(), Rc::new(skeleton));
}

fn absorb_item(shape: &mut Shape, item: &Rc<Shape>, always: &dyn Fn(&str) -> bool) {
    match &mut shape.list.items {
        Some(found) => merge_into(Rc::make_mut(found), item),
        None if !always("") => {
            // Which kind items are is not known beyond the branch.
            let mut items = skeleton(item);
            items.kinds = Kinds::ALL;
            shape.list.items = Some(Rc::new(items));
        }
        None => shape.list.items = Some(Rc::new(skeleton(item))),
    }
}

fn merge_into(found: &mut Shape, more: &Rc<Shape>) {
    if found.is_hoisted {
        found.kinds = found.kinds.or(more.kinds);
        found.description = found.description.take().or_else(|| more.description.clone());
    }
    absorb(found, more, &|_| false);
}

/// Returns a shape without its constraints on values.
fn skeleton(shape: &Rc<Shape>) -> Shape {
    let mut skeleton = Shape::of(shape.kinds, shape.at);
    if skeleton.kinds.is_empty() {
        skeleton.kinds = Kinds::ALL;
    }
    skeleton.is_hoisted = true;
    skeleton.title.clone_from(&shape.title);
    skeleton.description.clone_from(&shape.description);
    skeleton.object.is_open = shape.object.is_open;
    if shape.object.fields.is_empty() && shape.object.additional.is_some() {
        skeleton.object.additional = shape.object.additional.as_ref().map(self::skeleton).map(Rc::new);
    }
    absorb(&mut skeleton, shape, &|_| true);
    skeleton
}

/// Declares a field of which nothing but the name is known.
fn declare(shape: &mut Shape, name: &str) {
    let object = &mut shape.object;
    let is_free = object.additional.is_some() || object.fields.is_empty() && !object.is_closed;
    if !is_free && !object.fields.contains(name) {
        let field = Shape { is_hoisted: true, ..Shape::any(shape.at) };
        object.fields.set(name.to_owned(), Rc::new(field));
    }
}
