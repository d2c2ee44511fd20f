//! One case: what is known of an object in which a row of demands is met.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_ir::{Place, Predicate, ValueType};

use crate::address::{Address, AddressSegment, Scope, required_length};
use crate::goal::{GoalAgenda, SearchGoal};
use crate::term_comparison::{ComparedTerm, TermComparison, TermOrder};
use crate::unknown_reason::Conflict;
use crate::value_facts::{KnownFacts, ValueFact};

/// Facts that are known of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchCase<'p> {
    /// Addresses that exist, of all that may be absent, with all above them.
    pub(crate) present: BTreeSet<Address<'p>>,
    absent: BTreeSet<Address<'p>>,
    /// Values of places that are known to exist.
    pub(crate) values: BTreeMap<Address<'p>, KnownFacts<'p>>,
    /// The types of places that are known to exist.
    pub(crate) types: BTreeMap<Address<'p>, ValueType>,
    pub(crate) comparisons: Vec<TermComparison<'p>>,
    /// Demands on every element of a list.
    demands: Vec<ElementDemand<'p>>,
    /// The elements of lists that are known to exist.
    elements: BTreeMap<Address<'p>, BTreeSet<Address<'p>>>,
    count: usize,
    /// True if a place has different types in different predicates, so that no conflict proves anything.
    pub(crate) mixed: bool,
}

/// A demand on every element of a list.
#[derive(Clone, Debug)]
struct ElementDemand<'p> {
    list: Address<'p>,
    predicate: &'p Predicate,
    holds: bool,
    scope: Scope<'p>,
}

impl<'p> SearchCase<'p> {
    /// The number of things that are known, which a copy copies.
    pub(crate) fn weight(&self) -> usize {
        let places = self.present.len() + self.absent.len() + self.values.len() + self.types.len();
        places + self.comparisons.len() + self.demands.len() + self.elements.len()
    }

    /// A place exists.
    pub(crate) fn require_place(
        &mut self,
        place: &Place,
        address: &Address<'p>,
        agenda: &mut GoalAgenda<'p>,
    ) -> Result<(), Conflict> {
        if let Some(known) = self.types.insert(address.clone(), place.value_type) {
            self.mixed |= known != place.value_type;
        }
        self.require_address(address, agenda)
    }

    fn require_address(
        &mut self,
        address: &[AddressSegment<'p>],
        agenda: &mut GoalAgenda<'p>,
    ) -> Result<(), Conflict> {
        for length in 1..=required_length(address) {
            let above: Address<'p> = address.iter().take(length).copied().collect();
            if required_length(&above) < length || self.present.contains(&above) {
                continue;
            }
            if self.absent.contains(&above) {
                return Err(Conflict);
            }
            if let Some((AddressSegment::Item(_), list)) = above.split_last() {
                self.enter_element(list.to_vec(), above.clone(), agenda);
            }
            self.present.insert(above);
        }
        Ok(())
    }

    /// A place does not exist.
    pub(crate) fn forbid_address(&mut self, address: &[AddressSegment<'p>]) -> Result<(), Conflict> {
        let address: Address<'p> = address.iter().take(required_length(address)).copied().collect();
        let always = matches!(address.last(), None | Some(AddressSegment::Element(_)));
        if always || self.present.contains(&address) {
            return Err(Conflict);
        }
        self.absent.insert(address);
        Ok(())
    }

    /// A place exists, and this is so of its value.
    pub(crate) fn learn_fact(
        &mut self,
        place: &'p Place,
        address: Address<'p>,
        fact: ValueFact<'p>,
        agenda: &mut GoalAgenda<'p>,
    ) -> Result<(), Conflict> {
        self.require_place(place, &address, agenda)?;
        let known = self.values.entry(address).or_insert_with(|| KnownFacts::new(place));
        self.mixed |= known.value_type != place.value_type || known.is_odd;
        known.add_fact(fact)
    }

    /// Adds a comparison of two operands.
    pub(crate) fn add_comparison(
        &mut self,
        left: ComparedTerm<'p>,
        order: TermOrder,
        right: ComparedTerm<'p>,
    ) {
        self.comparisons.push(TermComparison { left, order, right });
    }

    /// Every element of a list must be so, those that are known and those that will be.
    pub(crate) fn require_each_element(
        &mut self,
        list: Address<'p>,
        predicate: &'p Predicate,
        holds: bool,
        scope: Scope<'p>,
        agenda: &mut GoalAgenda<'p>,
    ) {
        let demand = ElementDemand { list, predicate, holds, scope };
        let known = self.elements.get(&demand.list).into_iter().flatten();
        agenda.goals.extend(known.map(|element| demand.goal_for_element(element)));
        self.demands.push(demand);
    }

    /// A list has an element that may be another than those that are known.
    pub(crate) fn require_element(
        &mut self,
        list: Address<'p>,
        agenda: &mut GoalAgenda<'p>,
    ) -> Result<Address<'p>, Conflict> {
        self.require_address(&list, agenda)?;
        self.count += 1;
        let mut element = list.clone();
        element.push(AddressSegment::Element(self.count));
        self.present.insert(element.clone());
        self.enter_element(list, element.clone(), agenda);
        Ok(element)
    }

    fn enter_element(&mut self, list: Address<'p>, element: Address<'p>, agenda: &mut GoalAgenda<'p>) {
        let demands = self.demands.iter().filter(|demand| demand.list == list);
        agenda.goals.extend(demands.map(|demand| demand.goal_for_element(&element)));
        self.elements.entry(list).or_default().insert(element);
    }
}

impl<'p> ElementDemand<'p> {
    /// The demand on one element.
    fn goal_for_element(&self, element: &Address<'p>) -> SearchGoal<'p> {
        let inside = self.scope.iter().chain([element]).cloned().collect();
        SearchGoal::Holds(self.predicate, self.holds, inside)
    }
}
