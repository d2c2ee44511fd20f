//! The proof of a migration: the rules for each VirtualMachine before and after, side by side.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use kvrules_elaborate::{catalog::Catalog, elaborate_rule_set};
use kvrules_eval::{Outcome, Program};
use kvrules_ir::{AnnotationDialect, ElaboratedRule, Predicate, Rule, RuleSet, Severity};
use serde_json::Value;

use super::governed_rules::GovernedRules;

/// Numbers of comparisons, and the differences.
#[derive(Debug, Default)]
pub struct EquivalenceProof {
    /// Number of compared rules, counted once for each VirtualMachine that they govern.
    pub rules: usize,
    /// On how many objects the verdicts were compared.
    pub objects: usize,
    /// The rules that now mean something else.
    pub departures: Vec<MeaningChange>,
}

/// A rule that means something else than before.
#[derive(Debug)]
pub struct MeaningChange {
    /// Its name.
    pub rule: String,
    /// An object on which the verdicts differ; none if none was found.
    pub object: Option<Value>,
    /// The verdict there before, in one word.
    pub before: &'static str,
    /// The verdict there now.
    pub after: &'static str,
}

/// Compares the rules before and after. An error says that rules were lost or came from nowhere.
pub(super) fn prove_equivalence(
    before: &GovernedRules,
    after: &GovernedRules,
    catalog: &Catalog,
) -> Result<EquivalenceProof, String> {
    if before.len() != after.len() {
        return Err(
            "the migration would leave rules without their VirtualMachine, which is a bug in kvrules"
                .to_owned(),
        );
    }
    let mut proof = EquivalenceProof::default();
    let mut seen: Vec<Arc<Rule>> = Vec::new();
    for (old, new) in before.iter().zip(after) {
        for rule in old {
            proof.rules += 1;
            let Some(partner) = find_partner(rule, new) else {
                return Err(format!(
                    "the migration would lose the rule `{}`, which is a bug in kvrules",
                    rule.name
                ));
            };
            if is_same_rule(rule, partner) && seen.contains(rule) {
                continue;
            }
            seen.push(Arc::clone(rule));
            compare_rules(rule, partner, catalog, &mut proof);
        }
        let orphan = new.iter().find(|rule| find_partner(rule, old).is_none());
        if let Some(orphan) = orphan {
            return Err(format!(
                "the migration would invent the rule `{}`, which is a bug in kvrules",
                orphan.name
            ));
        }
    }
    Ok(proof)
}

/// The rule that one became: the same, the same under another name, or another of the same name.
fn find_partner<'r>(rule: &Rule, among: &'r [Arc<Rule>]) -> Option<&'r Arc<Rule>> {
    let find = |fits: &dyn Fn(&Rule) -> bool| among.iter().find(|other| fits(other));
    find(&|other| other == rule)
        .or_else(|| find(&|other| is_same_rule(rule, other)))
        .or_else(|| find(&|other| other.name == rule.name))
}

/// True if two rules differ only in their names.
fn is_same_rule(rule: &Rule, other: &Rule) -> bool {
    let Rule { name: _, message, path, guard, constraint, severity, origin: _ } = rule;
    (message, path, guard, constraint, severity)
        == (&other.message, &other.path, &other.guard, &other.constraint, &other.severity)
}

fn compare_rules(rule: &Arc<Rule>, partner: &Arc<Rule>, catalog: &Catalog, proof: &mut EquivalenceProof) {
    let (old, new) = (elaborate_rule(rule, catalog), elaborate_rule(partner, catalog));
    let (Some(old), Some(new)) = (old, new) else {
        // Rules without a predicate are the same only if they are written the same.
        if !is_same_rule(rule, partner) {
            let (before, after) = ("unknown", "unknown");
            proof.departures.push(MeaningChange { rule: rule.name.clone(), object: None, before, after });
        }
        return;
    };
    let Some(MeaningComparison { objects, departure }) = cached_comparison(&old, &new) else { return };
    proof.objects += objects;
    if let Some((object, before, after)) = departure {
        proof.departures.push(MeaningChange { rule: rule.name.clone(), object, before, after });
    }
}

/// Result of comparing two meanings.
#[derive(Clone, Debug)]
struct MeaningComparison {
    /// On how many objects.
    objects: usize,
    /// An object that shows a difference where one was found, and the verdicts on it.
    departure: Option<(Option<Value>, &'static str, &'static str)>,
}

/// Meanings of a rule, before and after: condition, requirement and severity.
type MeaningPairs = [(Predicate, Predicate, Severity); 2];

thread_local! {
    /// Templates of a collection have most rules in common, and a comparison depends only on the meanings.
    static KNOWN: RefCell<HashMap<MeaningPairs, Option<MeaningComparison>>> = RefCell::new(HashMap::new());
}

/// As many comparisons are remembered.
const MOST_KNOWN: usize = 2000;

/// The comparison of two meanings, made once for each; none if one of them cannot be run.
fn cached_comparison(old: &ElaboratedRule, new: &ElaboratedRule) -> Option<MeaningComparison> {
    let of = |rule: &ElaboratedRule| (rule.applies.clone(), rule.predicate.clone(), rule.severity);
    let meanings = [of(old), of(new)];
    let found = KNOWN.with_borrow(|known| known.get(&meanings).cloned());
    found.unwrap_or_else(|| {
        let compared = compare_meanings(old, new);
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(meanings, compared.clone());
        });
        compared
    })
}

fn compare_meanings(old: &ElaboratedRule, new: &ElaboratedRule) -> Option<MeaningComparison> {
    let (Ok(first), Ok(second)) = (Program::new(old), Program::new(new)) else { return None };
    let objects = kvrules_verify::generate_objects(&[old, new]);
    let count = objects.len();
    let differ = find_witness(&first, &second, objects);
    let same = old.predicate == new.predicate && old.applies == new.applies && old.severity == new.severity;
    let verdict = |program: &Program| {
        differ.as_ref().map_or("unknown", |object| program.evaluate_object(object).outcome.as_str())
    };
    let verdicts = (verdict(&first), verdict(&second));
    let departure = (differ.is_some() || !same).then_some((differ, verdicts.0, verdicts.1));
    Some(MeaningComparison { objects: count, departure })
}

/// An object on which two verdicts differ: one that is rejected by one of them, if there is one.
fn find_witness(first: &Program, second: &Program, objects: Vec<Value>) -> Option<Value> {
    let mut slight = None;
    for object in objects {
        let (before, after) = (first.evaluate_object(&object), second.evaluate_object(&object));
        if before == after {
            continue;
        }
        if (before.outcome == Outcome::Violated) != (after.outcome == Outcome::Violated) {
            return Some(object);
        }
        slight.get_or_insert(object);
    }
    slight
}

fn elaborate_rule(rule: &Arc<Rule>, catalog: &Catalog) -> Option<ElaboratedRule> {
    let set = RuleSet {
        name: String::new(),
        dialect: AnnotationDialect::Annotation201902,
        rules: vec![Arc::clone(rule)],
        unread: Vec::new(),
        origin: rule.origin,
    };
    elaborate_rule_set(&set, catalog).rules.into_iter().next()
}
