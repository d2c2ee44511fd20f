//! Bounds that a rule draws by itself, so that a keyword with the same bound refuses nothing more.

use kvrules_ir::{Place, PlaceBase, PlaceStep, Predicate, ValueTest};
use kvrules_regex::{TextDemands, TextSearch};
use num_bigint::BigInt;

use super::bounds::SchemaBound;
use super::path::{NodePath, Segment};
use super::rebase::leads_to;

/// True if a predicate at a node rejects every string beyond a bound. False if that is not plain to see, and for lists,
/// whose length no rule limits.
pub(super) fn implies_bound(predicate: &Predicate, node: &NodePath, bound: &SchemaBound) -> bool {
    bound.keyword == "maxLength" && BoundLimits { bound }.hold(predicate, &mut vec![node.clone()])
}

struct BoundLimits<'a> {
    bound: &'a SchemaBound,
}

impl BoundLimits<'_> {
    /// `around` holds the node of the root, then those of the elements, the innermost last.
    fn hold(&self, predicate: &Predicate, around: &mut Vec<NodePath>) -> bool {
        match predicate {
            Predicate::All(parts) => parts.iter().any(|part| self.hold(part, around)),
            Predicate::Any(parts) => parts.iter().all(|part| self.hold(part, around)),
            // An absent string cannot be too long.
            Predicate::Not(inner) => match &**inner {
                Predicate::Present(place) => {
                    is_reachable(place, around) && self.is_at_or_below(&leads_to(place, around))
                }
                _ => false,
            },
            Predicate::Each { list, holds } => {
                let list = (is_reachable(list, around)).then(|| leads_to(list, around));
                list.is_some_and(|list| {
                    around.push(list.child_path(Segment::Items));
                    let hold = self.hold(holds, around);
                    around.pop();
                    hold
                })
            }
            Predicate::Test { place, test } => {
                is_reachable(place, around)
                    && leads_to(place, around) == self.bound.node
                    && is_shorter(test, self.bound.most)
            }
            Predicate::False => true,
            _ => false,
        }
    }

    fn is_at_or_below(&self, node: &NodePath) -> bool {
        self.bound.node.0.starts_with(&node.0)
    }
}

/// True if a place is seen from the innermost element, or from the root outside of lists: claims about other places
/// hold only if the list has elements. Claims about a single item or key do not hold for its neighbours.
fn is_reachable(place: &Place, around: &[NodePath]) -> bool {
    let base = if around.len() > 1 { PlaceBase::Element(0) } else { PlaceBase::Root };
    place.base == base && place.steps.iter().all(|step| matches!(step, PlaceStep::Field { .. }))
}

/// True if no text of more than so many characters passes.
fn is_shorter(test: &ValueTest, most: u64) -> bool {
    let fits = |length: usize| u64::try_from(length).is_ok_and(|length| length <= most);
    match test {
        ValueTest::Length(interval) => interval.max.as_ref().is_some_and(|max| *max <= BigInt::from(most)),
        ValueTest::OneOf(texts) => texts.iter().all(|text| fits(text.chars().count())),
        ValueTest::Matches(pattern) => {
            let automaton = kvrules_regex::parse(&pattern.0).ok().and_then(|regex| regex.to_automaton());
            let longer = usize::try_from(most).ok().map(|most| (most.saturating_add(1), None));
            automaton.zip(longer).is_some_and(|(automaton, length)| {
                let demands = TextDemands { matches: &[&automaton], length, ..TextDemands::default() };
                demands.find_text() == TextSearch::Nothing
            })
        }
        ValueTest::Integer(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use kvrules_ir::{Presence, RegexPattern, ValueType};

    use super::*;

    fn field(name: &str, base: PlaceBase) -> Place {
        let step = PlaceStep::Field { name: name.to_owned(), presence: Presence::Optional };
        Place { base, steps: vec![step], value_type: ValueType::String, default: None }
    }

    fn image(pattern: &str) -> Predicate {
        let image = field("image", PlaceBase::Element(0));
        let test = ValueTest::Matches(RegexPattern(pattern.to_owned()));
        let test = Predicate::Test { place: image.clone(), test };
        let holds = Predicate::implication_of(Predicate::presence_of(image), test);
        Predicate::each_element(field("volumes", PlaceBase::Root), holds)
    }

    fn bound(most: u64) -> SchemaBound {
        let field = |name: &str| Segment::Field(name.to_owned());
        let node = NodePath(vec![field("volumes"), Segment::Items, field("image")]);
        SchemaBound { node, keyword: "maxLength", most }
    }

    #[test]
    fn a_bound_beyond_what_the_rule_allows_refuses_nothing_more() {
        let root = NodePath::default();
        assert!(implies_bound(&image("^.{3,6}$"), &root, &bound(6)));
        assert!(!implies_bound(&image("^.{3,6}$"), &root, &bound(5)));
        assert!(!implies_bound(&image("^.{3,6}"), &root, &bound(52)));
        assert!(implies_bound(&image("^a?(b|cd)$"), &root, &bound(3)));
    }

    #[test]
    fn what_is_said_only_of_a_list_with_elements_bounds_nothing_else() {
        let test = ValueTest::Length(kvrules_ir::Interval { min: None, max: Some(2.into()) });
        let name = Predicate::Test { place: field("name", PlaceBase::Root), test };
        let in_list = Predicate::each_element(field("volumes", PlaceBase::Root), name.clone());
        let node = NodePath(vec![Segment::Field("name".to_owned())]);
        let bound = SchemaBound { node, keyword: "maxLength", most: 10 };
        assert!(implies_bound(&name, &NodePath::default(), &bound));
        assert!(!implies_bound(&in_list, &NodePath::default(), &bound));
    }
}
