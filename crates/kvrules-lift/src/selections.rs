//! Selections of entries whose condition may have no value for an entry: sentences about their number have to require one.

use kvrules_ir::{Collection, Formula, Quantification, Term};
use serde_json::Value as Json;

use crate::decide::{Conversions, Decider, Satisfiability};
use crate::rules::DefinitionRule;

/// Returns the formula of a rule with the requirements that it implies on each entry of which it selects some: that the condition and the
/// result have a value. Requirements that the schema guarantees are left out. `None` if one cannot be expressed by terms that have a value.
pub fn require_decided_selections(formula: &Formula, rule: &DefinitionRule) -> Option<Formula> {
    let mut has_selections = false;
    formula.visit_terms(&mut |term| has_selections |= matches!(term, Term::Collect(_)));
    if !has_selections {
        return Some(formula.clone());
    }
    let has_stored = !rule.source.optional_old_self;
    Requirements { whole: formula, schema: &rule.schema, has_stored }.in_formula(formula)
}

/// The most terms whose presence is required of an entry.
const MOST_TERMS: usize = 8;

struct Requirements<'a> {
    /// The formula of the rule, which has the loops around selections.
    whole: &'a Formula,
    schema: &'a Json,
    has_stored: bool,
}

impl Requirements<'_> {
    fn in_formula(&self, formula: &Formula) -> Option<Formula> {
        let parts = |parts: &[Formula]| -> Option<Vec<Formula>> {
            parts.iter().map(|part| self.in_formula(part)).collect()
        };
        let in_loop = |it: &Quantification| -> Option<Box<Quantification>> {
            let holds = self.in_formula(&it.holds)?;
            Some(Box::new(Quantification { range: it.range.clone(), entry: it.entry, holds }))
        };
        let mut required = Vec::new();
        let formula = match formula {
            Formula::True | Formula::False => formula.clone(),
            Formula::All(all) => Formula::all_of(parts(all)?),
            Formula::Any(any) => Formula::any_of(parts(any)?),
            Formula::Not(inner) => Formula::negation_of(self.in_formula(inner)?),
            Formula::Each(it) => {
                self.collect(&it.range, &mut required)?;
                Formula::Each(in_loop(it)?)
            }
            Formula::Some(it) => {
                self.collect(&it.range, &mut required)?;
                Formula::Some(in_loop(it)?)
            }
            Formula::Defined(term) => {
                self.collect(term, &mut required)?;
                formula.clone()
            }
            Formula::Compare { left, right, .. } => {
                self.collect(left, &mut required)?;
                self.collect(right, &mut required)?;
                formula.clone()
            }
        };
        Some(Formula::all_of(required.into_iter().chain([formula])))
    }

    /// Adds what a term requires of the entries from which it selects. `None` if that cannot be expressed.
    fn collect(&self, term: &Term, required: &mut Vec<Formula>) -> Option<()> {
        match term {
            Term::Constant(_) | Term::Root(_) | Term::Variable(_) => Some(()),
            Term::Field(of, _) => self.collect(of, required),
            Term::Index(of, key) => {
                self.collect(of, required)?;
                self.collect(key, required)
            }
            Term::Call(call) => call.arguments.iter().try_for_each(|it| self.collect(it, required)),
            Term::List(items) => items.iter().try_for_each(|it| self.collect(it, required)),
            Term::Tally(parts) => parts.iter().all(|part| self.is_complete(part)).then_some(()),
            Term::Collect(it) => {
                self.collect(&it.range, required)?;
                if !self.is_complete(&it.selected) {
                    return None;
                }
                if !self.always_holds(&[], &Formula::Defined(term.clone()), &it.range) {
                    required.push(self.requirement(it)?);
                }
                Some(())
            }
        }
    }

    /// True if a formula requires all that its selections need.
    fn is_complete(&self, formula: &Formula) -> bool {
        self.in_formula(formula).as_ref() == Some(formula)
    }

    /// The terms that have a value for each entry exactly if the condition and the result have one.
    fn requirement(&self, it: &Collection) -> Option<Formula> {
        let selected = Formula::all_of([it.selected.clone(), Formula::is_defined(it.result.clone())]);
        let decided = Formula::any_of([selected, it.left_out.clone()]);
        let mut terms = Vec::new();
        for formula in [&it.selected, &it.left_out] {
            formula.visit_formulas(&mut |part| terms.extend(part.terms()));
        }
        terms.push(&it.result);
        let mut paths = Vec::new();
        for term in &terms {
            collect_paths(term, &mut paths);
        }
        [paths, terms].into_iter().find_map(|terms| {
            let mut parts: Vec<Formula> = Vec::new();
            for part in terms.into_iter().map(|term| Formula::is_defined(term.clone())) {
                let is_new = part != Formula::True && !parts.contains(&part);
                if is_new && !self.always_holds(&[], &part, &it.range) {
                    parts.push(part);
                }
            }
            if parts.is_empty() || parts.len() > MOST_TERMS {
                return None;
            }
            let there = Formula::all_of(parts);
            let is_equal = self.always_holds(&[&there], &decided, &it.range)
                && self.always_holds(&[&decided], &there, &it.range);
            let each = Quantification { range: it.range.clone(), entry: it.entry, holds: there };
            is_equal.then(|| Formula::Each(Box::new(each)))
        })
    }

    /// True if it is proved that a formula holds for each entry of a range for which the premises hold.
    fn always_holds(&self, premises: &[&Formula], formula: &Formula, range: &Term) -> bool {
        let mut decider =
            if self.has_stored { Decider::with_stored(self.schema) } else { Decider::new(self.schema) };
        // Its loops and selections tell the decider what their variables are.
        decider.add_formula(self.whole, Conversions::MayFail);
        let proposition = decider.add_formula(formula, Conversions::MayFail);
        let mut parts = vec![decider.negation_of(proposition)];
        parts.push(decider.add_presence(range, Conversions::MayFail));
        parts.extend(premises.iter().map(|premise| decider.add_formula(premise, Conversions::MayFail)));
        let case = decider.all_of(parts);
        decider.can_hold(case) == Satisfiability::Never
    }
}

/// Adds the paths in a term: fields and items of values and entries.
fn collect_paths<'t>(term: &'t Term, paths: &mut Vec<&'t Term>) {
    match term {
        Term::Field(..) | Term::Index(..) => paths.push(term),
        Term::Call(call) => call.arguments.iter().for_each(|it| collect_paths(it, paths)),
        Term::List(items) => items.iter().for_each(|it| collect_paths(it, paths)),
        Term::Constant(_) | Term::Root(_) | Term::Variable(_) | Term::Collect(_) | Term::Tally(_) => {}
    }
}
