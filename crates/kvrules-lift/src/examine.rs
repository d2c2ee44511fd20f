//! The sense of a rule: whether objects can pass it, violate it, or end it in an error.

use std::borrow::Cow;

use kvrules_ir::{Constant, Formula, Term, TermRelation};

use crate::atoms::replace_term;
use crate::certificate::Certificate;
use crate::decide::{Conversions, Decider, Satisfiability};
use crate::folding::fold_formula;
use crate::placed::RuleTiming;
use crate::proof::{certify_implication, is_implied};
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use crate::unknown_values::unknown_values;

/// The sense of a rule for the objects that its schema accepts. What is not known is false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSense {
    /// Every object passes.
    pub is_always_true: bool,
    /// No object passes.
    pub is_never_true: bool,
    /// Evaluation may end in an error because a field or a key is missing; a witness has to show that it does.
    pub may_fail: bool,
    /// The comparisons with values that the enum of a field does not have: the path, and the value.
    pub unknown_values: Vec<(String, String)>,
}

/// Examines the formulas of a rule.
pub fn examine_rule(rule: &DefinitionRule, formulas: &LiftedExpression) -> RuleSense {
    let schema = &rule.schema;
    let formulas = with_constant_fields(rule, formulas);
    let formulas =
        &LiftedExpression { holds: fold_formula(&formulas.holds), fails: fold_formula(&formulas.fails) };
    let facts = item_facts(formulas);
    let stored = RuleTiming::of_rule(rule).premise();
    let mut decider = decider_of(rule);
    let [holds, fails] =
        [&formulas.holds, &formulas.fails].map(|formula| decider.add_formula(formula, Conversions::MayFail));
    let mut is_never = |proposition| decider.can_hold(proposition) == Satisfiability::Never;
    let never = |formula| {
        (has_contradictory_loops(formula) || counts_entries(formula))
            && is_implied(&[formula, &stored], &Formula::False, schema)
    };
    let is_never_true = is_never(holds) || never(&formulas.holds);
    let never_fails = is_never(fails) || never(&formulas.fails);
    RuleSense {
        is_never_true,
        is_always_true: never_fails && !may_fail(formulas, &[], &mut decider, Conversions::MayFail),
        may_fail: may_fail(formulas, &facts, &mut decider.and_valid_stored(), Conversions::Succeed),
        unknown_values: unknown_values(formulas, schema),
    }
}

/// Returns the certificate of the proof that every object passes a rule, or that none does. `None` if there is none.
pub fn certify_constant_rule(
    rule: &DefinitionRule,
    formulas: &LiftedExpression,
    passes: bool,
) -> Option<Certificate> {
    let formulas = with_constant_fields(rule, formulas);
    let stored = RuleTiming::of_rule(rule).premise();
    if passes {
        certify_implication(&[&stored], &formulas.holds, &rule.schema)
    } else {
        certify_implication(&[&formulas.holds, &stored], &Formula::False, &rule.schema)
    }
}

/// The most nodes of a formula whose loops are compared with each other.
const MOST_NODES: usize = 200;

/// True if a formula has loops that may contradict each other, or a condition on entries that may contradict itself, which cells do not
/// show.
fn has_contradictory_loops(formula: &Formula) -> bool {
    let mut loops = Vec::new();
    collect_loops(formula, &mut loops);
    let are_several = loops.len() > 1 || loops.first().is_some_and(|it| compares_terms_again(&it.holds));
    are_several && formula.node_count() <= MOST_NODES
}

/// True if a formula is about selected entries, or about a size and single entries.
fn counts_entries(formula: &Formula) -> bool {
    let (mut sizes, mut entries, mut is_selecting) = (Vec::new(), Vec::new(), false);
    formula.visit_terms(&mut |term| match term {
        Term::Call(call) if call.function == "size" => sizes.extend(call.arguments.first()),
        Term::Field(of, _) | Term::Index(of, _) => entries.push(&**of),
        Term::Collect(_) => is_selecting = true,
        _ => {}
    });
    formula.node_count() <= MOST_NODES && (is_selecting || sizes.iter().any(|list| entries.contains(list)))
}

/// True if a formula compares a term several times.
fn compares_terms_again(formula: &Formula) -> bool {
    fn terms<'f>(formula: &'f Formula, found: &mut Vec<&'f Term>) -> bool {
        match formula {
            Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| terms(part, found)),
            Formula::Not(inner) => terms(inner, found),
            Formula::Compare { left, right, .. } => {
                let compared = [left, right].into_iter().filter(|term| !matches!(term, Term::Constant(_)));
                compared.into_iter().any(|term| {
                    let is_known = found.contains(&term);
                    found.push(term);
                    is_known
                })
            }
            _ => false,
        }
    }
    terms(formula, &mut Vec::new())
}

/// True if the evaluation of a rule may end in an error for a value that its schema accepts; false is a proof.
pub fn may_end_in_error(rule: &DefinitionRule, formulas: &LiftedExpression) -> bool {
    may_fail(formulas, &[], &mut decider_of(rule), Conversions::MayFail)
}

/// True if a part that is missing, or has another type, may end a rule in an error; false is a proof. Texts are taken to be readable.
pub(crate) fn may_lack_value(rule: &DefinitionRule, formulas: &LiftedExpression) -> bool {
    let facts = item_facts(formulas);
    may_fail(formulas, &facts, &mut decider_of(rule).and_valid_stored(), Conversions::Succeed)
}

/// Answers about a rule. It runs without a stored value only if that is optional.
pub(crate) fn decider_of<'a>(rule: &'a DefinitionRule<'_>) -> Decider<'a> {
    let schema = &rule.schema;
    if rule.source.optional_old_self { Decider::new(schema) } else { Decider::with_stored(schema) }
}

/// Conditions of items by their number: there is one if the list is longer.
pub(crate) fn item_facts(formulas: &LiftedExpression) -> Vec<Formula> {
    let mut facts = Vec::new();
    for formula in [&formulas.holds, &formulas.fails] {
        formula.visit_terms(&mut |term| {
            if let Term::Index(list, number) = term
                && let Term::Constant(Constant::Integer(_)) = &**number
            {
                let fact = item_fact(term, list, number);
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        });
    }
    facts
}

fn item_fact(item: &Term, list: &Term, number: &Term) -> Formula {
    let size = Term::size_of(list.clone());
    let there = Formula::Defined(item.clone());
    let absent = Formula::negation_of(there.clone());
    let is_longer = Formula::comparison_of(number.clone(), TermRelation::Less, size.clone());
    let is_shorter = Formula::comparison_of(size, TermRelation::LessOrEqual, number.clone());
    let no_list = Formula::negation_of(Formula::is_defined(list.clone()));
    Formula::any_of([no_list, Formula::all_of([there, is_longer]), Formula::all_of([absent, is_shorter])])
}

/// True if a rule may end in an error for a value of its schema, or a loop of it for an entry.
fn may_fail<'a>(
    formulas: &'a LiftedExpression,
    facts: &'a [Formula],
    decider: &mut Decider<'a>,
    conversions: Conversions,
) -> bool {
    let mut loops = Vec::new();
    collect_loops(&formulas.holds, &mut loops);
    collect_loops(&formulas.fails, &mut loops);
    if !loops.is_empty() {
        // Loops of which no entry fails are known once both sides were added.
        decider.add_formula(&formulas.holds, conversions);
        decider.add_formula(&formulas.fails, conversions);
    }
    decider.take_loops_as_decided(true);
    let sides = [&formulas.holds, &formulas.fails];
    let is_undecided = may_be_undecided(sides, None, facts, decider, conversions);
    decider.take_loops_as_decided(false);
    if is_undecided {
        return true;
    }
    let mut entries = Vec::new();
    for it in &loops {
        if !entries.contains(&it.entry) {
            entries.push(it.entry);
        }
    }
    entries.into_iter().any(|entry| {
        // `each` and `some` of one loop are the two sides of its body.
        let of_entry = loops.iter().filter(|it| it.entry == entry);
        let range = of_entry.clone().map(|it| &it.range).next();
        may_be_undecided(of_entry.map(|it| &it.holds), range, facts, decider, conversions)
    })
}

/// True if none of some formulas need hold; they are about entries of the range, if there is one.
fn may_be_undecided<'a>(
    sides: impl IntoIterator<Item = &'a Formula>,
    range: Option<&'a Term>,
    facts: &'a [Formula],
    decider: &mut Decider<'a>,
    conversions: Conversions,
) -> bool {
    let sides: Vec<_> = sides.into_iter().map(|side| decider.add_formula(side, conversions)).collect();
    let one_holds = decider.any_of(sides);
    let none_holds = decider.negation_of(one_holds);
    let known = facts.iter().map(|fact| decider.add_formula(fact, conversions));
    let mut known: Vec<_> = known.collect();
    known.extend(range.map(|range| decider.add_presence(range, conversions)));
    let case = decider.all_of(std::iter::once(none_holds).chain(known));
    decider.can_hold(case) != Satisfiability::Never
}

/// The formulas with the values that no update changes in place of the stored ones.
pub(crate) fn with_constant_fields<'f>(
    rule: &DefinitionRule,
    formulas: &'f LiftedExpression,
) -> Cow<'f, LiftedExpression> {
    if rule.source.optional_old_self || rule.constant_fields.is_empty() {
        return Cow::Borrowed(formulas);
    }
    let value = |root: &str, way: &[String]| {
        way.iter().fold(Term::Root(root.to_owned()), |term, name| term.with_field(name.clone()))
    };
    let replace = |formulas: LiftedExpression, way: &Vec<String>| {
        let (old, new) = (value("oldSelf", way), value("self", way));
        let replace = |formula: &Formula| replace_term(formula, &old, &new);
        LiftedExpression { holds: replace(&formulas.holds), fails: replace(&formulas.fails) }
    };
    Cow::Owned(rule.constant_fields.iter().fold(formulas.clone(), replace))
}

fn collect_loops<'f>(formula: &'f Formula, loops: &mut Vec<&'f kvrules_ir::Quantification>) {
    formula.visit_formulas(&mut |part| {
        if let Formula::Each(it) | Formula::Some(it) = part {
            loops.push(it);
        }
    });
}
