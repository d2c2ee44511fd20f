//! One case: what is known of an object in which a row of demands is met.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_ir::{Place, Predicate, ValueType};

use crate::address::{Address, Scope, Segment, needed};
use crate::goal::{Agenda, Goal};
use crate::term_comparison::{Comparison, Order, Term};
use crate::unknown_reason::Conflict;
use crate::value_facts::{Fact, Known};

/// Facts that are known of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case<'p> {
    /// Addresses that exist, of all that may be absent, with all above them.
    pub(crate) present: BTreeSet<Address<'p>>,
    absent: BTreeSet<Address<'p>>,
    /// Values of places that are known to exist.
    pub(crate) values: BTreeMap<Address<'p>, Known<'p>>,
    /// The types of places that are known to exist.
    pub(crate) types: BTreeMap<Address<'p>, ValueType>,
    pub(crate) comparisons: Vec<Comparison<'p>>,
    /// Demands on every element of a list.
    demands: Vec<Demand<'p>>,
    /// The elements of lists that are known to exist.
    elements: BTreeMap<Address<'p>, BTreeSet<Address<'p>>>,
    count: usize,
    /// True if a place has different types in different predicates, so that no conflict proves anything.
    pub(crate) mixed: bool,
}

/// A demand on every element of a list.
#[derive(Clone, Debug)]
struct Demand<'p> {
    list: Address<'p>,
    predicate: &'p Predicate,
    holds: bool,
    scope: Scope<'p>,
}

impl<'p> Case<'p> {
    /// The number of things that are known, which a copy copies.
    pub(crate) fn weight(&self) -> usize {
        let places = self.present.len() + self.absent.len() + self.values.len() + self.types.len();
        places + self.comparisons.len() + self.demands.len() + self.elements.len()
    }

    /// A place exists.
    pub(crate) fn has(
        &mut self,
        place: &Place,
        address: &Address<'p>,
        agenda: &mut Agenda<'p>,
    ) -> Result<(), Conflict> {
        if let Some(known) = self.types.insert(address.clone(), place.value_type) {
            self.mixed |= known != place.value_type;
        }
        self.exists(address, agenda)
    }

    fn exists(&mut self, address: &[Segment<'p>], agenda: &mut Agenda<'p>) -> Result<(), Conflict> {
        for length in 1..=needed(address) {
            let above: Address<'p> = address.iter().take(length).copied().collect();
            if needed(&above) < length || self.present.contains(&above) {
                continue;
            }
            if self.absent.contains(&above) {
                return Err(Conflict);
            }
            if let Some((Segment::Item(_), list)) = above.split_last() {
                self.enters(list.to_vec(), above.clone(), agenda);
            }
            self.present.insert(above);
        }
        Ok(())
    }

    /// A place does not exist.
    pub(crate) fn lacks(&mut self, address: &[Segment<'p>]) -> Result<(), Conflict> {
        let address: Address<'p> = address.iter().take(needed(address)).copied().collect();
        let always = matches!(address.last(), None | Some(Segment::Element(_)));
        if always || self.present.contains(&address) {
            return Err(Conflict);
        }
        self.absent.insert(address);
        Ok(())
    }

    /// A place exists, and this is so of its value.
    pub(crate) fn learn(
        &mut self,
        place: &'p Place,
        address: Address<'p>,
        fact: Fact<'p>,
        agenda: &mut Agenda<'p>,
    ) -> Result<(), Conflict> {
        self.has(place, &address, agenda)?;
        let known = self.values.entry(address).or_insert_with(|| Known::new(place));
        self.mixed |= known.value_type != place.value_type || known.is_odd;
        known.learn(fact)
    }

    /// Adds a comparison of two operands.
    pub(crate) fn compare(&mut self, left: Term<'p>, order: Order, right: Term<'p>) {
        self.comparisons.push(Comparison { left, order, right });
    }

    /// Every element of a list must be so, those that are known and those that will be.
    pub(crate) fn every(
        &mut self,
        list: Address<'p>,
        predicate: &'p Predicate,
        holds: bool,
        scope: Scope<'p>,
        agenda: &mut Agenda<'p>,
    ) {
        let demand = Demand { list, predicate, holds, scope };
        let known = self.elements.get(&demand.list).into_iter().flatten();
        agenda.goals.extend(known.map(|element| demand.goal_for_element(element)));
        self.demands.push(demand);
    }

    /// A list has an element that may be another than those that are known.
    pub(crate) fn element(
        &mut self,
        list: Address<'p>,
        agenda: &mut Agenda<'p>,
    ) -> Result<Address<'p>, Conflict> {
        self.exists(&list, agenda)?;
        self.count += 1;
        let mut element = list.clone();
        element.push(Segment::Element(self.count));
        self.present.insert(element.clone());
        self.enters(list, element.clone(), agenda);
        Ok(element)
    }

    fn enters(&mut self, list: Address<'p>, element: Address<'p>, agenda: &mut Agenda<'p>) {
        let demands = self.demands.iter().filter(|demand| demand.list == list);
        agenda.goals.extend(demands.map(|demand| demand.goal_for_element(&element)));
        self.elements.entry(list).or_default().insert(element);
    }
}

impl<'p> Demand<'p> {
    /// The demand on one element.
    fn goal_for_element(&self, element: &Address<'p>) -> Goal<'p> {
        let inside = self.scope.iter().chain([element]).cloned().collect();
        Goal::Holds(self.predicate, self.holds, inside)
    }
}
