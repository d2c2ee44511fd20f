//! Solves comparisons between places: systems of differences between integers, and texts that are equal.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::address::Address;
use crate::case::SearchCase;
use crate::term_comparison::{ComparedTerm, TermComparison, TermOrder};
use crate::unknown_reason::Conflict;
use crate::value_facts::narrow_interval;

/// Finds numbers that stand to each other as they must, and settles each place on its own. A conflict is a proof.
pub(crate) fn settle_numbers(case: &mut SearchCase<'_>) -> Result<(), Conflict> {
    for TermComparison { left, order, right } in &case.comparisons {
        if left == right && !order.is_reflexive() {
            return Err(Conflict);
        }
    }
    let mut system = ComparisonSystem::from_case(case);
    let solution = system.solve().ok_or(Conflict)?;
    for (term, number) in system.terms.keys().zip(solution) {
        let (ComparedTerm::Integer(address) | ComparedTerm::Length(address) | ComparedTerm::Text(address)) =
            term;
        let Some(known) = case.values.get_mut(address) else { continue };
        let interval =
            if matches!(term, ComparedTerm::Integer(_)) { &mut known.integer } else { &mut known.length };
        narrow_interval(interval, Some(number.clone()), Some(number))?;
    }
    Ok(())
}

/// Upper bounds of differences between terms.
struct ComparisonSystem<'p> {
    terms: BTreeMap<ComparedTerm<'p>, usize>,
    /// `terms[to] - terms[from] <= bound`; 0 is the constant zero.
    edges: Vec<(usize, usize, BigInt)>,
}

impl<'p> ComparisonSystem<'p> {
    fn from_case(case: &SearchCase<'p>) -> Self {
        let numeric = |term: &&ComparedTerm<'p>| !matches!(term, ComparedTerm::Text(_));
        let compared = case.comparisons.iter().flat_map(|one| [&one.left, &one.right]).filter(numeric);
        let mut terms: BTreeMap<_, _> = compared.map(|term| (term.clone(), 0)).collect();
        for (at, index) in terms.values_mut().enumerate() {
            *index = at + 1;
        }
        let mut system = Self { terms, edges: Vec::new() };
        system.bounds(case);
        for TermComparison { left, order, right } in &case.comparisons {
            let (Some(left), Some(right)) = (system.terms.get(left), system.terms.get(right)) else {
                continue;
            };
            let (left, right) = (*left, *right);
            if matches!(order, TermOrder::AtMost | TermOrder::Equal) {
                system.edges.push((right, left, 0.into()));
            }
            if matches!(order, TermOrder::AtLeast | TermOrder::Equal) {
                system.edges.push((left, right, 0.into()));
            }
            match order {
                TermOrder::Less => system.edges.push((right, left, (-1).into())),
                TermOrder::More => system.edges.push((left, right, (-1).into())),
                _ => {}
            }
        }
        system
    }

    /// Adds what is known of each term alone.
    fn bounds(&mut self, case: &SearchCase<'p>) {
        for (term, index) in &self.terms {
            let (ComparedTerm::Integer(address)
            | ComparedTerm::Length(address)
            | ComparedTerm::Text(address)) = term;
            let Some(known) = case.values.get(address) else { continue };
            let is_length = matches!(term, ComparedTerm::Length(_));
            let interval = if is_length { &known.length } else { &known.integer };
            let least = interval.min.clone().or_else(|| is_length.then_some(BigInt::ZERO));
            self.edges.extend(interval.max.clone().map(|max| (0, *index, max)));
            self.edges.extend(least.map(|min| (*index, 0, -min)));
        }
    }

    /// Numbers for the terms in their order; none if there are none. By Bellman and Ford: a cycle whose bounds add up
    /// to less than nothing is a contradiction.
    fn solve(&mut self) -> Option<Vec<BigInt>> {
        let mut numbers = vec![BigInt::ZERO; self.terms.len() + 1];
        for _ in 0..=numbers.len() {
            let mut changed = false;
            for (from, to, bound) in &self.edges {
                let most = numbers.get(*from)? + bound;
                let number = numbers.get_mut(*to)?;
                if *number > most {
                    (*number, changed) = (most, true);
                }
            }
            if !changed {
                let zero = numbers.first()?.clone();
                return Some(numbers.into_iter().skip(1).map(|number| number - &zero).collect());
            }
        }
        None
    }
}

/// The places whose texts must be equal, in groups; places that stand alone are in no group.
pub(crate) fn equal_texts<'p>(case: &SearchCase<'p>) -> Result<Vec<Vec<Address<'p>>>, Conflict> {
    let mut groups: Vec<Vec<Address<'p>>> = Vec::new();
    let texts = |wanted: TermOrder| {
        case.comparisons.iter().filter_map(move |one| match (&one.left, &one.right) {
            (ComparedTerm::Text(left), ComparedTerm::Text(right)) if one.order == wanted => {
                Some([left.clone(), right.clone()])
            }
            _ => None,
        })
    };
    for pair in texts(TermOrder::Equal) {
        let (touched, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| pair.iter().any(|place| group.contains(place)));
        let mut joined: Vec<_> = touched.into_iter().flatten().chain(pair).collect();
        joined.sort();
        joined.dedup();
        groups = others;
        groups.push(joined);
    }
    for pair in texts(TermOrder::Different) {
        if groups.iter().any(|group| pair.iter().all(|place| group.contains(place))) {
            return Err(Conflict);
        }
    }
    Ok(groups)
}
