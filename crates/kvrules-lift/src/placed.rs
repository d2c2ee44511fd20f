//! Formulas of rules at their places, and the same formulas seen from a place around theirs.

use std::collections::HashSet;
use std::rc::Rc;

use kvrules_generate::{PlaceStep, schema_at_place, values_below};
use kvrules_ir::{EntryVariables, Formula, Quantification, Term, VariableId};
use serde_json::Value;

use crate::atoms::replace_term;
use crate::rules::DefinitionRule;

/// Variables of loops that are added around formulas; those of rules are small numbers.
const FIRST_VARIABLE: u32 = 1 << 16;

/// The writes in which a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleTiming {
    /// In all writes, without the stored value.
    Always,
    /// In updates.
    Update,
    /// In all writes, with the stored value if there is one.
    Optional,
}

impl RuleTiming {
    /// The writes in which a rule of a schema runs: without `optionalOldSelf`, one that names `oldSelf` runs in updates alone.
    pub fn of_rule(rule: &DefinitionRule) -> Self {
        match (rule.source.optional_old_self, rule.source.is_transition_rule()) {
            (true, _) => Self::Optional,
            (false, true) => Self::Update,
            (false, false) => Self::Always,
        }
    }

    /// The condition that is true whenever the rule runs.
    pub fn premise(self) -> Formula {
        if self == Self::Update { stored_value_exists() } else { Formula::True }
    }

    /// The condition on which a write passes the rule, given the one on which its expression is true.
    pub fn passing_condition(self, holds: Formula) -> Formula {
        match self {
            Self::Update => Formula::any_of([Formula::negation_of(stored_value_exists()), holds]),
            Self::Always | Self::Optional => holds,
        }
    }
}

/// Returns the condition that there is a stored value, as there is in updates.
pub fn stored_value_exists() -> Formula {
    Formula::Defined(Term::Root("oldSelf".to_owned()))
}

/// A condition on the values at a place.
#[derive(Clone, Debug)]
pub struct PlacedFormula {
    /// The steps from the object.
    pub place: Vec<PlaceStep>,
    /// The writes in which it applies.
    pub timing: RuleTiming,
    /// The condition, about `self` and `oldSelf`.
    pub formula: Rc<Formula>,
    /// A name for users.
    pub name: String,
}

impl PlacedFormula {
    /// Returns the formula of a rule of a schema at its place.
    pub fn of_rule(rule: &DefinitionRule, formula: Formula, name: String) -> Self {
        let timing = RuleTiming::of_rule(rule);
        Self { place: rule.place.clone(), timing, formula: Rc::new(formula), name }
    }

    /// Returns the same condition on the values `above` its place, in a write that has a stored value or not. `None` if it cannot be
    /// expressed there.
    pub fn seen_from(&self, above: usize, is_update: bool, schema: &Value) -> Option<Formula> {
        let formula = match (self.timing, is_update) {
            (RuleTiming::Always, _) | (RuleTiming::Update | RuleTiming::Optional, true) => {
                (*self.formula).clone()
            }
            (RuleTiming::Update, false) => return Some(Formula::True),
            (RuleTiming::Optional, false) => without_stored(&self.formula)?,
        };
        let (way, rest) = self.place.split_at_checked(above)?;
        let has_stored = self.timing != RuleTiming::Always && is_update;
        let root = |name: &str| Term::Root(name.to_owned());
        let stored = has_stored.then(|| root("oldSelf"));
        let node = schema_at_place(schema, way)?;
        Self::wrap(&formula, root("self"), stored, rest, node, FIRST_VARIABLE)
    }

    /// The condition on the values at the end of some steps from a term.
    fn wrap(
        formula: &Formula,
        term: Term,
        stored: Option<Term>,
        steps: &[PlaceStep],
        node: &Value,
        variable: u32,
    ) -> Option<Formula> {
        let absent = |term: &Term| Formula::negation_of(Formula::is_defined(term.clone()));
        match steps.split_first() {
            None => {
                let formula = replace_term(formula, &Term::Root("self".to_owned()), &term);
                Some(match stored {
                    Some(stored) => replace_term(&formula, &Term::Root("oldSelf".to_owned()), &stored),
                    None => formula,
                })
            }
            Some((PlaceStep::Field(name), rest)) => {
                let term = term.with_field(name.clone());
                let stored = stored.map(|stored| stored.with_field(name.clone()));
                let no_stored = stored.as_ref().map(absent);
                let node = node.get("properties")?.get(name)?;
                let inner = Self::wrap(formula, term.clone(), stored, rest, node, variable)?;
                Some(Formula::any_of([absent(&term), inner].into_iter().chain(no_stored)))
            }
            // The type of the list decides with which item of the stored list a server compares.
            Some((PlaceStep::Any, _)) if stored.is_some() => None,
            Some((PlaceStep::Any, rest)) => {
                let node =
                    values_below(node).filter(|node| node.get("nullable") != Some(&Value::Bool(true)))?;
                let value = VariableId(variable);
                let holds = Self::wrap(formula, Term::Variable(value), None, rest, node, variable + 1)?;
                let entry = EntryVariables { key: None, value: Some(value) };
                Some(Formula::Each(Box::new(Quantification { range: term, entry, holds })))
            }
        }
    }

    /// Returns the names of the fields that it mentions.
    pub fn field_names(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        self.formula.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term {
                names.insert(name.clone());
            }
        });
        names
    }
}

/// The formula in writes without a stored value. `None` if it counts with it.
fn without_stored(formula: &Formula) -> Option<Formula> {
    let parts = |parts: &[Formula]| parts.iter().map(without_stored).collect::<Option<Vec<_>>>();
    match formula {
        Formula::All(all) => parts(all).map(Formula::all_of),
        Formula::Any(any) => parts(any).map(Formula::any_of),
        Formula::Not(inner) => without_stored(inner).map(Formula::negation_of),
        Formula::Each(it) | Formula::Some(it) => {
            let of_stored = mentions_stored(&Formula::Defined(it.range.clone()));
            (!of_stored && !mentions_stored(&it.holds))
                .then(|| formula.clone())
                .or_else(|| of_stored.then_some(Formula::False))
        }
        other if !mentions_stored(other) => Some(other.clone()),
        other => {
            let mut is_strict = true;
            other.visit_terms(&mut |term| is_strict &= !matches!(term, Term::Tally(_) | Term::Collect(_)));
            is_strict.then_some(Formula::False)
        }
    }
}

fn mentions_stored(formula: &Formula) -> bool {
    let mut found = false;
    formula.visit_terms(&mut |term| found |= matches!(term, Term::Root(name) if name == "oldSelf"));
    found
}
