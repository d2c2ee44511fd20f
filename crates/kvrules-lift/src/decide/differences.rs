//! Contradictions between bounds of differences: `a <= b`, `b < c + 2` and `c < a - 1` have no values.
//!
//! The bounds are edges of a graph, and a circle whose bounds add up to less than zero is a contradiction (Bellman and Ford). It is
//! exact for integers, and for values between any two of which there are others.

use super::order_relations::{Bound, DifferenceBound, DifferenceValues, OrderRelation, ValueId};

/// The most values of one graph, and the most of its bounds. The work grows with their product.
const MOST_VALUES: usize = 80;
const MOST_BOUNDS: usize = 400;
/// The most excluded differences that are examined.
const MOST_EXCLUDED: usize = 24;

/// A value in the graph, by its place in it.
type Place = usize;

struct DifferenceGraph {
    values: Vec<ValueId>,
    /// The greater and the smaller value of each bound.
    edges: Vec<(Place, Place, Bound)>,
}

/// True if no values have all differences that cells with their values demand. `steps` counts the bounds that are examined.
pub(super) fn are_contradictory(
    relations: &[(OrderRelation, bool)],
    known: &mut DifferenceValues<'_>,
    steps: &mut usize,
) -> bool {
    let origin = known.origin();
    let mut bounds: Vec<DifferenceBound> =
        relations.iter().flat_map(|(relation, value)| relation.bounds(*value)).collect();
    let ends = relations.iter().flat_map(|(relation, _)| [relation.one, relation.other]);
    let values = with_related_values(ends.chain([origin]).collect(), known, &mut bounds);
    if values.len() > MOST_VALUES || bounds.len() > MOST_BOUNDS {
        return false;
    }
    let Some(mut graph) = DifferenceGraph::new(values, &bounds) else { return false };
    *steps += graph.edges.len();
    if graph.has_negative_circle(steps) {
        return true;
    }
    if graph.add_sums(known, origin, steps) && graph.has_negative_circle(steps) {
        return true;
    }
    let excluded = relations.iter().filter_map(|(relation, value)| {
        Some((relation.one, relation.other, relation.excluded_difference(*value)?))
    });
    excluded
        .take(MOST_EXCLUDED)
        .any(|(one, other, difference)| graph.forces_difference(one, other, difference, steps))
}

/// The values with those that they are made of, whose bounds by their schemas are added, and the order of the constants.
fn with_related_values(
    mut values: Vec<ValueId>,
    known: &DifferenceValues<'_>,
    bounds: &mut Vec<DifferenceBound>,
) -> Vec<ValueId> {
    let summands = |id: &ValueId| known.get(*id).map(|it| it.summands.as_slice()).unwrap_or_default();
    let parts: Vec<ValueId> = values.iter().flat_map(summands).map(|(id, _)| *id).collect();
    values.extend(parts);
    values.sort_unstable();
    values.dedup();
    let facts = |id: &ValueId| known.get(*id).map(|it| it.facts.as_slice()).unwrap_or_default();
    let facts: Vec<DifferenceBound> = values.iter().flat_map(facts).copied().collect();
    values.extend(facts.iter().flat_map(|fact| [fact.more, fact.less]));
    values.sort_unstable();
    values.dedup();
    bounds.extend(facts);
    add_orders_of_constants(&values, known, bounds);
    values
}

/// Each constant is less than the next one of its kind, or equal to it.
fn add_orders_of_constants(
    values: &[ValueId],
    known: &DifferenceValues<'_>,
    bounds: &mut Vec<DifferenceBound>,
) {
    let constants = values.iter().filter_map(|id| Some((*id, known.get(*id)?.constant.as_ref()?)));
    let constants: Vec<_> = constants.collect();
    for (at, (one, constant)) in constants.iter().enumerate() {
        for (other, next) in constants.iter().skip(at + 1) {
            let (less, more, bound) = match constant.order(next) {
                Some(std::cmp::Ordering::Less) => (*one, *other, Bound::BELOW_ZERO),
                Some(std::cmp::Ordering::Greater) => (*other, *one, Bound::BELOW_ZERO),
                Some(std::cmp::Ordering::Equal) => {
                    bounds.push(DifferenceBound { more: *one, less: *other, bound: Bound::ZERO });
                    (*one, *other, Bound::ZERO)
                }
                None => continue,
            };
            bounds.push(DifferenceBound { more: less, less: more, bound });
        }
    }
}

impl DifferenceGraph {
    fn new(values: Vec<ValueId>, bounds: &[DifferenceBound]) -> Option<Self> {
        let place = |id: &ValueId| values.binary_search(id).ok();
        let edge = |it: &DifferenceBound| Some((place(&it.more)?, place(&it.less)?, it.bound));
        let edges = bounds.iter().map(edge).collect::<Option<Vec<_>>>()?;
        Some(Self { values, edges })
    }

    fn place(&self, id: ValueId) -> Option<Place> {
        self.values.binary_search(&id).ok()
    }

    /// True if some bounds contradict each other.
    fn has_negative_circle(&self, steps: &mut usize) -> bool {
        let mut most = vec![Some(Bound::ZERO); self.values.len()];
        // Without a circle no way has more edges than there are values.
        (0..=self.values.len()).all(|_| self.shorten(&mut most, steps))
    }

    /// Lowers the greatest differences by one edge more; false if nothing changes.
    fn shorten(&self, most: &mut [Option<Bound>], steps: &mut usize) -> bool {
        *steps += self.edges.len();
        let mut is_changed = false;
        for (more, less, bound) in &self.edges {
            let Some(way) = most.get(*less).copied().flatten().and_then(|way| way.plus(*bound)) else {
                continue;
            };
            if let Some(known) = most.get_mut(*more)
                && known.is_none_or(|known| way < known)
            {
                *known = Some(way);
                is_changed = true;
            }
        }
        is_changed
    }

    /// The most by which each value exceeds one of them.
    fn most_above(&self, start: Place, steps: &mut usize) -> Vec<Option<Bound>> {
        let mut most = vec![None; self.values.len()];
        if let Some(first) = most.get_mut(start) {
            *first = Some(Bound::ZERO);
        }
        for _ in 0..self.values.len() {
            if !self.shorten(&mut most, steps) {
                break;
            }
        }
        most
    }

    /// Adds the bounds of sums that follow from those of their summands.
    fn add_sums(&mut self, known: &DifferenceValues<'_>, origin: ValueId, steps: &mut usize) -> bool {
        let sums: Vec<(Place, &[(ValueId, i128)])> = self
            .values
            .iter()
            .enumerate()
            .filter_map(|(place, id)| Some((place, known.get(*id)?.summands.as_slice())))
            .filter(|(_, summands)| !summands.is_empty())
            .collect();
        let Some(origin) = self.place(origin).filter(|_| !sums.is_empty()) else { return false };
        let above = self.most_above(origin, steps);
        let below = self.reversed().most_above(origin, steps);
        let whole =
            |bounds: &[Option<Bound>], id: &ValueId| Some(bounds.get(self.place(*id)?).copied().flatten()?.0);
        let mut edges = Vec::new();
        for (sum, summands) in sums {
            let total = |positive: &[Option<Bound>], negative: &[Option<Bound>]| {
                summands.iter().try_fold(0_i128, |total, (id, factor)| {
                    let bound = whole(if *factor > 0 { positive } else { negative }, id)?;
                    total.checked_add(bound.checked_mul(factor.checked_abs()?)?)
                })
            };
            edges.extend(total(&above, &below).map(|most| (sum, origin, Bound(most, 0))));
            edges.extend(total(&below, &above).map(|most| (origin, sum, Bound(most, 0))));
        }
        let is_added = !edges.is_empty();
        self.edges.extend(edges);
        is_added
    }

    fn reversed(&self) -> Self {
        let edges = self.edges.iter().map(|(more, less, bound)| (*less, *more, *bound)).collect();
        Self { values: self.values.clone(), edges }
    }

    /// True if the bounds leave one difference of two values.
    fn forces_difference(&self, one: ValueId, other: ValueId, difference: i128, steps: &mut usize) -> bool {
        let (Some(one), Some(other)) = (self.place(one), self.place(other)) else { return false };
        let most = |more: Place, less: Place, steps: &mut usize| {
            self.most_above(less, steps).get(more).copied().flatten()
        };
        most(one, other, steps).is_some_and(|bound| bound <= Bound(difference, 0))
            && most(other, one, steps).is_some_and(|bound| bound <= Bound(-difference, 0))
    }
}
