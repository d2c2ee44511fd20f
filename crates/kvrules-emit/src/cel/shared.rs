//! Sub-expressions that several rules need, under names of their own: the `variables` of a policy.
//!
//! Two sorts are worth a name: the object that most rules look into, such as the `domain` of a virtual machine, and each
//! list that they loop over. A list that is absent counts as an empty one and an object as one without fields, so no
//! variable ever fails. None holds an optional, since the server loses the type of what is inside.

use std::collections::BTreeMap;

use kvrules_ir::{Operand, Place, PlaceBase, PlaceStep, Predicate, Presence};

use super::names;

/// The shared parts with a name; empty by default.
#[derive(Debug, Default)]
pub(crate) struct SharedParts {
    pub(super) start: Option<StartObject>,
    pub(super) lists: Vec<(Place, String)>,
}

/// An object near the root, where the ways of rules begin.
#[derive(Clone, Debug)]
pub(super) struct StartObject {
    pub(super) name: String,
    /// The way to it from the root. None of its steps is optional.
    pub(super) steps: Vec<PlaceStep>,
    /// True if an object without fields stands for it where it is not spelled out.
    pub(super) may_be_empty: bool,
}

/// Shorter ways are as short as the name would be.
const SHORTEST: usize = 3;

impl SharedParts {
    /// Returns the parts that predicates have in common.
    pub(crate) fn of<'p>(predicates: impl IntoIterator<Item = &'p Predicate>) -> Self {
        let mut found = ReadPaths::default();
        for predicate in predicates {
            found.predicate(predicate);
        }
        let start = found.start();
        let mut taken: Vec<String> = start.iter().map(|start| start.name.clone()).collect();
        let mut lists = Vec::new();
        for list in found.lists {
            let Some(PlaceStep::Field { name, .. }) = list.steps.last() else { continue };
            if names::is_identifier(name) {
                lists.push((list.clone(), unique_name(name, &mut taken)));
            }
        }
        Self { start, lists }
    }

    /// The same without a name for the object where ways begin, if there is one.
    pub(crate) fn without_start(self) -> Self {
        Self { start: None, ..self }
    }

    /// The name of the object where ways begin.
    pub(crate) fn start_name(&self) -> Option<&str> {
        self.start.as_ref().map(|start| start.name.as_str())
    }

    /// Returns the start of the path to a place, if not the root.
    pub(super) fn start(&self, place: &Place) -> Option<&StartObject> {
        self.start.as_ref().filter(|start| {
            place.base == PlaceBase::Root
                && place.steps.len() > start.steps.len()
                && place.steps.starts_with(&start.steps)
        })
    }

    /// The name of a list.
    pub(super) fn list(&self, place: &Place) -> Option<&str> {
        self.lists.iter().find(|(list, _)| list == place).map(|(_, name)| name.as_str())
    }
}

fn unique_name(name: &str, taken: &mut Vec<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or_else(|| name.to_owned());
    taken.push(name.clone());
    name
}

/// Paths and lists that predicates read from the root.
#[derive(Default)]
struct ReadPaths {
    /// Number of places below each path of fields that are always present.
    ways: BTreeMap<Vec<PlaceStep>, usize>,
    lists: Vec<Place>,
}

impl ReadPaths {
    fn predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Each { list, .. } | Predicate::Some { list, .. } => {
                self.place(list);
                if list.base == PlaceBase::Root && !self.lists.contains(list) {
                    self.lists.push(list.clone());
                }
            }
            Predicate::Present(place) | Predicate::Test { place, .. } => self.place(place),
            Predicate::Compare { left, right, .. } => {
                for place in [left, right].map(Operand::place) {
                    self.place(place);
                }
            }
            _ => {}
        }
        predicate.children().iter().for_each(|part| self.predicate(part));
    }

    fn place(&mut self, place: &Place) {
        if place.base != PlaceBase::Root {
            return;
        }
        let is_certain = |step: &&PlaceStep| {
            matches!(step, PlaceStep::Field { name, presence }
                if *presence != Presence::Optional && names::is_identifier(name))
        };
        let certain =
            place.steps.iter().take_while(is_certain).count().min(place.steps.len().saturating_sub(1));
        for length in SHORTEST..=certain {
            if let Some(way) = place.steps.get(..length) {
                *self.ways.entry(way.to_vec()).or_default() += 1;
            }
        }
    }

    /// The way that most places share, the longest of such.
    fn start(&self) -> Option<StartObject> {
        let (steps, _) = self.ways.iter().max_by_key(|(way, count)| (**count, way.len()))?;
        let Some(PlaceStep::Field { name, .. }) = steps.last() else { return None };
        let may_be_empty = steps.iter().any(|step| step.presence() == Presence::Defaulted);
        Some(StartObject { name: name.clone(), steps: steps.clone(), may_be_empty })
    }
}
