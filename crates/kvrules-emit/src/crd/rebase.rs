//! Predicates seen from another place.

use kvrules_ir::{Operand, Place, PlaceBase, PlaceStep, Predicate, Selector};

use super::path::{NodePath, Segment};

/// The predicate with each place changed. `change` receives the number of quantifiers around the place, on top of `depth`.
pub(super) fn each_place(
    predicate: &Predicate,
    depth: u32,
    change: &impl Fn(Place, u32) -> Place,
) -> Predicate {
    let place = |place: &Place| change(place.clone(), depth);
    let again = |inner: &Predicate| each_place(inner, depth, change);
    let deeper = |inner: &Predicate| each_place(inner, depth + 1, change);
    match predicate {
        Predicate::True => Predicate::True,
        Predicate::False => Predicate::False,
        Predicate::All(parts) => Predicate::all_of(parts.iter().map(again)),
        Predicate::Any(parts) => Predicate::any_of(parts.iter().map(again)),
        Predicate::Not(inner) => Predicate::negation_of(again(inner)),
        Predicate::Each { list, holds } => Predicate::each_element(place(list), deeper(holds)),
        Predicate::Some { list, holds } => Predicate::some_element(place(list), deeper(holds)),
        Predicate::Present(found) => Predicate::presence_of(place(found)),
        Predicate::Test { place: found, test } => Predicate::Test { place: place(found), test: test.clone() },
        Predicate::Compare { left, relation, right } => Predicate::Compare {
            left: rebase_operand(left, &place),
            relation: *relation,
            right: rebase_operand(right, &place),
        },
    }
}

fn rebase_operand(operand: &Operand, change: &impl Fn(&Place) -> Place) -> Operand {
    match operand {
        Operand::Integer(place) => Operand::Integer(change(place)),
        Operand::Length(place) => Operand::Length(change(place)),
        Operand::Text(place) => Operand::Text(change(place)),
    }
}

/// The places of a predicate, each with the number of quantifiers around it.
pub(crate) fn predicate_places(predicate: &Predicate) -> Vec<(Place, u32)> {
    let found = std::cell::RefCell::new(Vec::new());
    each_place(predicate, 0, &|place, depth| {
        found.borrow_mut().push((place.clone(), depth));
        place
    });
    found.into_inner()
}

/// The predicate seen from so many steps below its root; only for predicates all of whose places from the root take
/// these steps.
pub(super) fn predicate_below(predicate: &Predicate, steps: usize) -> Predicate {
    each_place(predicate, 0, &|mut place, _| {
        if place.base == PlaceBase::Root {
            place.steps.drain(..steps.min(place.steps.len()));
        }
        place
    })
}

/// Returns the predicate of an element as a predicate about the element alone; `None` if it reads more than that.
pub(super) fn of_element(holds: &Predicate) -> Option<Predicate> {
    let alone = predicate_places(holds).iter().all(|(place, depth)| match place.base {
        PlaceBase::Root => false,
        PlaceBase::Element(out) => out <= *depth,
    });
    alone.then(|| {
        each_place(holds, 0, &|mut place, depth| {
            if place.base == PlaceBase::Element(depth) {
                place.base = PlaceBase::Root;
            }
            place
        })
    })
}

/// The places of a predicate that stands at a node, each with the node of the schema that it leads to.
pub(super) fn reached_nodes(predicate: &Predicate, node: &NodePath) -> Vec<(NodePath, Place)> {
    let mut found = Vec::new();
    collect_reached(predicate, &mut vec![node.clone()], &mut found);
    found
}

/// `around` holds the node of the root, then those of the elements, the innermost last.
fn collect_reached(predicate: &Predicate, around: &mut Vec<NodePath>, found: &mut Vec<(NodePath, Place)>) {
    let place = |place: &Place, around: &[NodePath]| (leads_to(place, around), place.clone());
    match predicate {
        Predicate::True | Predicate::False | Predicate::All(_) | Predicate::Any(_) | Predicate::Not(_) => {
            predicate.children().iter().for_each(|part| collect_reached(part, around, found));
        }
        Predicate::Each { list, holds } | Predicate::Some { list, holds } => {
            let list = place(list, around);
            around.push(list.0.child_path(Segment::Items));
            found.push(list);
            collect_reached(holds, around, found);
            around.pop();
        }
        Predicate::Present(own) | Predicate::Test { place: own, .. } => found.push(place(own, around)),
        Predicate::Compare { left, right, .. } => {
            found.extend([left, right].map(|operand| place(operand.place(), around)));
        }
    }
}

/// The node that a place leads to, with the nodes of the root and of the elements around.
pub(super) fn leads_to(place: &Place, around: &[NodePath]) -> NodePath {
    let start = match place.base {
        PlaceBase::Root => around.first(),
        PlaceBase::Element(out) => around.iter().rev().nth(usize::try_from(out).unwrap_or(usize::MAX)),
    };
    place
        .steps
        .iter()
        .fold(start.cloned().unwrap_or_default(), |node, step| node.child_path(step_segment(step)))
}

fn step_segment(step: &PlaceStep) -> Segment {
    match step {
        PlaceStep::Field { name, .. } => Segment::Field(name.clone()),
        PlaceStep::Key(_) => Segment::Values,
        PlaceStep::Item(_) => Segment::Items,
    }
}

/// A path seen from a node; nothing if it does not lead through it.
pub(super) fn rebase_selector(selector: &Selector, node: &NodePath) -> Option<Selector> {
    let mut seen = selector.clone();
    for segment in &node.0 {
        let first = seen.lists.first_mut().unwrap_or(&mut seen.leaf);
        match segment {
            Segment::Field(name) => match first.steps.first() {
                Some(PlaceStep::Field { name: own, .. }) if own == name => drop(first.steps.remove(0)),
                _ => return None,
            },
            Segment::Items => {
                let list = seen.lists.first().filter(|list| list.steps.is_empty());
                list?;
                seen.lists.remove(0);
                seen.lists.first_mut().unwrap_or(&mut seen.leaf).base = PlaceBase::Root;
            }
            Segment::Values => return None,
        }
    }
    Some(seen)
}
