//! Nodes of a schema where a predicate can stand.
//!
//! A rule at a node is run for each value there, and for none if the node is absent. So a predicate may be at a node
//! if it refers to nothing outside, and where the node may be absent, holds without it.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Predicate, Presence, ValueType};

use super::absence::PresenceQuestions;
use super::path::{NodePath, Segment};
use super::rebase;

/// A part of a rule at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedPredicate {
    /// The node.
    pub(super) node: NodePath,
    /// The predicate, seen from there.
    pub(super) predicate: Predicate,
}

/// Abilities that a schema gives to rules.
pub(super) trait SchemaGround {
    /// True if a field is spelled out in every valid object that spells out what is around it.
    fn keeps(&self, around: &NodePath, name: &str, presence: Presence) -> bool;
    /// True if a node can have rules.
    fn carries(&self, node: &NodePath) -> bool;
}

/// The parts of a predicate, each with the nodes where it may stand, the deepest first. Where all parts hold, the
/// predicate does, and the other way round.
pub(super) fn find_placements(predicate: &Predicate, ground: &dyn SchemaGround) -> Vec<Vec<PlacedPredicate>> {
    let mut parts: Vec<Vec<PlacedPredicate>> = Vec::new();
    let root = PlacedPredicate { node: NodePath::default(), predicate: predicate.clone() };
    descend_nodes(vec![root], ground, &mut parts);
    join_at_node(parts)
}

/// A test that also asks for its field, as two parts: the field is there, and what is there passes. The second may stand
/// further down.
pub(super) fn split_presence(
    placed: &PlacedPredicate,
    ground: &dyn SchemaGround,
) -> Option<Vec<Vec<PlacedPredicate>>> {
    let Predicate::Test { place, test } = &placed.predicate else { return None };
    let mut place = place.clone();
    // If the predicate fails without the field, a default cannot satisfy it, so the field is treated as optional
    // and without a default.
    if !PresenceQuestions::of(&placed.predicate).fail_without(place.steps.len()) {
        return None;
    }
    let Some(PlaceStep::Field { presence, .. }) = place.steps.last_mut() else { return None };
    *presence = Presence::Optional;
    place.default = None;
    let present = Predicate::presence_of(place.clone());
    let test = Predicate::Test { place, test: test.clone() };
    let passes = Predicate::any_of([Predicate::negation_of(present.clone()), test]);
    let mut parts = Vec::new();
    for predicate in [present, passes] {
        descend_nodes(vec![PlacedPredicate { node: placed.node.clone(), predicate }], ground, &mut parts);
    }
    Some(parts)
}

/// Follows the last of the nodes found so far further down.
fn descend_nodes(
    mut found: Vec<PlacedPredicate>,
    ground: &dyn SchemaGround,
    parts: &mut Vec<Vec<PlacedPredicate>>,
) {
    let Some(last) = found.last().cloned() else { return };
    if let Predicate::All(own) = &last.predicate {
        for part in own {
            descend_nodes(
                vec![PlacedPredicate { node: last.node.clone(), predicate: part.clone() }],
                ground,
                parts,
            );
        }
        return;
    }
    found.extend(child_placements(&last, ground));
    if let Some(element) = found.last().and_then(|last| of_elements(last, ground)) {
        found.push(element);
        return descend_nodes(found, ground, parts);
    }
    found.reverse();
    parts.push(found);
}

/// The nodes below, by fields, up to where they can be followed.
fn child_placements(from: &PlacedPredicate, ground: &dyn SchemaGround) -> Vec<PlacedPredicate> {
    let common = common_fields(&from.predicate);
    let questions = PresenceQuestions::of(&from.predicate);
    let (mut found, mut node) = (Vec::new(), from.node.clone());
    for (taken, (name, presence)) in (1..).zip(&common) {
        let next = node.child_path(Segment::Field(name.clone()));
        let steady = ground.keeps(&node, name, *presence) || questions.hold_without(taken);
        if !steady || !ground.carries(&next) {
            break;
        }
        node = next;
        found.push(PlacedPredicate {
            node: node.clone(),
            predicate: rebase::predicate_below(&from.predicate, taken),
        });
    }
    found
}

/// The fields that all places of a predicate begin with.
fn common_fields(predicate: &Predicate) -> Vec<(String, Presence)> {
    let places = rebase::predicate_places(predicate);
    let mut rooted = places.iter().map(|(place, _)| place).filter(|place| place.base == PlaceBase::Root);
    let Some(first) = rooted.next() else { return Vec::new() };
    let fields = |place: &Place| -> Vec<(String, Presence)> {
        let field = |step: &PlaceStep| match step {
            PlaceStep::Field { name, presence } => Some((name.clone(), *presence)),
            PlaceStep::Key(_) | PlaceStep::Item(_) => None,
        };
        place.steps.iter().map_while(field).collect()
    };
    rooted.fold(fields(first), |common, place| {
        common
            .into_iter()
            .zip(fields(place))
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one)
            .collect()
    })
}

/// A demand on each element of the list that a predicate stands at is a demand at the list's items.
fn of_elements(list: &PlacedPredicate, ground: &dyn SchemaGround) -> Option<PlacedPredicate> {
    let Predicate::Each { list: place, holds } = &list.predicate else { return None };
    let here = place.base == PlaceBase::Root && place.steps.is_empty() && place.value_type == ValueType::List;
    let node = list.node.child_path(Segment::Items);
    let predicate = rebase::of_element(holds).filter(|_| here && ground.carries(&node))?;
    Some(PlacedPredicate { node, predicate })
}

/// Parts with the same deepest node become one rule there.
fn join_at_node(parts: Vec<Vec<PlacedPredicate>>) -> Vec<Vec<PlacedPredicate>> {
    let mut joined: Vec<Vec<PlacedPredicate>> = Vec::new();
    for part in parts {
        let same = |own: &&mut Vec<PlacedPredicate>| {
            own.first().map(|own| &own.node) == part.first().map(|part| &part.node)
        };
        match joined.iter_mut().find(same) {
            Some(own) => {
                own.truncate(part.len());
                own.iter_mut().zip(part).for_each(|(own, part)| {
                    own.predicate = Predicate::all_of([own.predicate.clone(), part.predicate]);
                });
            }
            None => joined.push(part),
        }
    }
    joined
}
