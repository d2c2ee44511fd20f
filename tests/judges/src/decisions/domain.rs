//! Domains of places, and the search for a state in them that refutes a claim about rules.

use super::evaluate::Outcome;
use super::place::{Place, Rule, State};
use super::schema::Shape;
use crate::Random;

/// A condition on the outcomes of rules for one state. Rules are named by their index in the domain.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Outcome(usize, Outcome),
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
}

impl Condition {
    /// The rule does not reject the state.
    pub(crate) fn passes(rule: usize) -> Self {
        Self::Any(vec![Self::Outcome(rule, Outcome::True), Self::Outcome(rule, Outcome::Skipped)])
    }

    pub(crate) fn fails(rule: usize) -> Self {
        Self::passes(rule).negated()
    }

    /// No rule rejects the state.
    pub(crate) fn all_pass(rules: impl IntoIterator<Item = usize>) -> Self {
        Self::All(rules.into_iter().map(Self::passes).collect())
    }

    /// All the rules are true. A rule that is skipped is not.
    pub(crate) fn all_true(rules: &[usize]) -> Self {
        Self::All(rules.iter().map(|rule| Self::Outcome(*rule, Outcome::True)).collect())
    }

    /// Exactly one of two conditions holds.
    pub(crate) fn differ(one: Self, other: Self) -> Self {
        let only = |holds: &Self, not: &Self| Self::All(vec![holds.clone(), not.clone().negated()]);
        Self::Any(vec![only(&one, &other), only(&other, &one)])
    }

    pub(crate) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// True if the condition holds for these outcomes.
    pub(crate) fn holds(&self, outcome: &impl Fn(usize) -> Outcome) -> bool {
        match self {
            Self::Outcome(rule, wanted) => outcome(*rule) == *wanted,
            Self::All(parts) => parts.iter().all(|part| part.holds(outcome)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(outcome)),
            Self::Not(part) => !part.holds(outcome),
        }
    }
}

/// States of a schema, with the outcome of each rule in each of them.
#[derive(Debug)]
pub(crate) struct Domain {
    pub(crate) shape: Shape,
    pub(crate) rules: Vec<Rule>,
    pub(crate) states: Vec<State>,
    outcomes: Vec<Vec<Outcome>>,
}

impl Domain {
    pub(crate) fn new<'r>(
        shape: &Shape,
        rules: impl IntoIterator<Item = &'r Rule>,
        random: &mut Random,
    ) -> Self {
        let place = Place { shape: shape.clone(), rules: rules.into_iter().cloned().collect() };
        let states = place.states(&place.rules.iter().collect::<Vec<_>>(), random);
        let outcomes_of = |rule: &Rule| states.iter().map(|state| rule.outcome(state)).collect();
        let outcomes = place.rules.iter().map(outcomes_of).collect();
        Self { shape: place.shape, rules: place.rules, states, outcomes }
    }

    /// Returns the first state for which a condition holds.
    pub(crate) fn find(&self, condition: &Condition) -> Option<&State> {
        let holds = |state: usize| condition.holds(&|rule: usize| self.outcomes[rule][state]);
        (0..self.states.len()).find(|state| holds(*state)).map(|state| &self.states[state])
    }

    /// Returns the outcome of each rule for a state, which need not be one of the domain.
    pub(crate) fn outcomes_of(&self, state: &State) -> impl Fn(usize) -> Outcome {
        let outcomes: Vec<Outcome> = self.rules.iter().map(|rule| rule.outcome(state)).collect();
        move |rule| outcomes[rule]
    }

    /// True if the stored value of a state passes the rules about all writes.
    pub(crate) fn admits(&self, state: &State) -> bool {
        state.old.as_ref().is_none_or(|old| {
            let stored = State { value: old.clone(), old: None };
            self.rules.iter().all(|rule| rule.outcome(&stored).passes())
        })
    }

    /// True if some states are updates.
    pub(crate) fn has_updates(&self) -> bool {
        self.states.iter().any(|state| state.old.is_some())
    }
}

/// What a search found: a state, none, or the reason why it cannot say.
pub(crate) type Found = Result<Option<State>, String>;

/// A way to find a state of a domain.
pub(crate) trait Search {
    /// Returns a state for which a condition holds.
    fn find(&mut self, domain: &Domain, condition: &Condition) -> Found;

    /// True if no value of the schema is left out when nothing is found.
    fn is_complete(&self) -> bool;
}

/// The search that tries each state of the small domain.
#[derive(Debug)]
pub(crate) struct Exhaustive;

impl Search for Exhaustive {
    fn find(&mut self, domain: &Domain, condition: &Condition) -> Found {
        Ok(domain.find(condition).cloned())
    }

    fn is_complete(&self) -> bool {
        false
    }
}

/// Objects that a change rejects newly, and those that it accepts newly.
#[derive(Debug)]
pub(crate) struct Directions {
    pub(crate) tightens: Found,
    pub(crate) loosens: Found,
}

impl Directions {
    /// Searches for states that one of two conditions accepts.
    pub(crate) fn find(search: &mut dyn Search, domain: &Domain, old: &Condition, new: &Condition) -> Self {
        let mut only = |accepts: &Condition, rejects: &Condition| {
            search.find(domain, &Condition::All(vec![accepts.clone(), rejects.clone().negated()]))
        };
        Self { tightens: only(old, new), loosens: only(new, old) }
    }

    /// Returns why a claim about the directions is wrong. A claimed direction without a state is wrong if the search is complete.
    pub(crate) fn refute(
        &self,
        is_tightening: bool,
        is_loosening: bool,
        is_complete: bool,
    ) -> Result<Option<String>, String> {
        let mut undecided = None;
        for (found, is_claimed) in [(&self.tightens, is_tightening), (&self.loosens, is_loosening)] {
            match found {
                Ok(Some(state)) if !is_claimed => return Ok(Some(state.describe())),
                Ok(None) if is_claimed && is_complete => return Ok(Some("no value shows it".to_owned())),
                Err(reason) if !is_claimed || is_complete => undecided = Some(reason.clone()),
                _ => {}
            }
        }
        undecided.map_or(Ok(None), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::super::expression::{Expr, Op};
    use super::super::schema::Field;
    use super::*;

    /// A domain with the rules `self.a > 0` and `self.a > 1`.
    fn domain() -> Domain {
        let shape = Shape::Int { least: None, most: None };
        let shape = Shape::Object {
            fields: vec![Field { name: "a", shape, is_required: true, default: None, is_nullable: false }],
        };
        let rule = |least| Rule::new(Expr::bin(Op::Gt, Expr::var("self").dot("a"), Expr::int(least)));
        Domain::new(&shape, &[rule(0), rule(1)], &mut Random::new(1))
    }

    #[test]
    fn a_state_is_found_for_which_the_condition_holds() {
        let domain = domain();
        let found = domain.find(&Condition::All(vec![Condition::passes(0), Condition::fails(1)]));
        assert_eq!(found.map(State::describe).as_deref(), Some(r#"{"a":1}"#));
        assert!(domain.find(&Condition::All(vec![Condition::fails(0), Condition::passes(1)])).is_none());
        assert!(domain.find(&Condition::differ(Condition::passes(0), Condition::passes(0))).is_none());
    }

    #[test]
    fn a_direction_that_is_not_claimed_is_refuted_and_a_claimed_one_if_the_search_is_complete() {
        let (domain, old, new) = (domain(), Condition::passes(0), Condition::passes(1));
        let directions = Directions::find(&mut Exhaustive, &domain, &old, &new);
        assert_eq!(directions.refute(true, false, true), Ok(None));
        assert_eq!(directions.refute(false, false, false), Ok(Some(r#"{"a":1}"#.into())));
        assert_eq!(directions.refute(true, true, false), Ok(None));
        assert_eq!(directions.refute(true, true, true), Ok(Some("no value shows it".into())));
    }
}
