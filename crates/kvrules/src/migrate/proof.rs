//! The proof of a migration: the rules for each VirtualMachine before and after, side by side.

use std::sync::Arc;

use kvrules_elaborate::{catalog::Catalog, elaborate};
use kvrules_eval::{Outcome, Program};
use kvrules_ir::{Dialect, ElaboratedRule, Rule, RuleSet};
use serde_json::Value;

use super::governed::Governed;

/// What was compared, and what is not the same.
#[derive(Debug, Default)]
pub struct Proof {
    /// How many rules were compared, once for each VirtualMachine that they govern.
    pub rules: usize,
    /// On how many objects the verdicts were compared.
    pub objects: usize,
    /// The rules that now mean something else.
    pub departures: Vec<Departure>,
}

/// A rule that means something else than before.
#[derive(Debug)]
pub struct Departure {
    /// Its name.
    pub rule: String,
    /// An object on which the verdicts differ; none where none was found.
    pub object: Option<Value>,
    /// The verdict there before, in one word.
    pub before: &'static str,
    /// The verdict there now.
    pub after: &'static str,
}

/// Compares the rules before and after. An error says that rules were lost or came from nowhere.
pub(super) fn prove(before: &Governed, after: &Governed, catalog: &Catalog) -> Result<Proof, String> {
    if before.len() != after.len() {
        return Err(
            "the migration would leave rules without their VirtualMachine, which is a mistake in kvrules"
                .to_owned(),
        );
    }
    let mut proof = Proof::default();
    let mut seen: Vec<Arc<Rule>> = Vec::new();
    for (old, new) in before.iter().zip(after) {
        for rule in old {
            proof.rules += 1;
            let Some(partner) = partner(rule, new) else {
                return Err(format!(
                    "the migration would lose the rule `{}`, which is a mistake in kvrules",
                    rule.name
                ));
            };
            if same(rule, partner) && seen.contains(rule) {
                continue;
            }
            seen.push(Arc::clone(rule));
            compare(rule, partner, catalog, &mut proof);
        }
        let orphan = new.iter().find(|rule| partner(rule, old).is_none());
        if let Some(orphan) = orphan {
            return Err(format!(
                "the migration would make up the rule `{}`, which is a mistake in kvrules",
                orphan.name
            ));
        }
    }
    Ok(proof)
}

/// The rule that one became: the same, the same under another name, or another of the same name.
fn partner<'r>(rule: &Rule, among: &'r [Arc<Rule>]) -> Option<&'r Arc<Rule>> {
    let find = |fits: &dyn Fn(&Rule) -> bool| among.iter().find(|other| fits(other));
    find(&|other| other == rule)
        .or_else(|| find(&|other| same(rule, other)))
        .or_else(|| find(&|other| other.name == rule.name))
}

/// Whether two rules differ in nothing but their names.
fn same(rule: &Rule, other: &Rule) -> bool {
    let Rule { name: _, message, path, guard, constraint, severity, origin: _ } = rule;
    (message, path, guard, constraint, severity)
        == (&other.message, &other.path, &other.guard, &other.constraint, &other.severity)
}

fn compare(rule: &Arc<Rule>, partner: &Arc<Rule>, catalog: &Catalog, proof: &mut Proof) {
    let (old, new) = (meaning(rule, catalog), meaning(partner, catalog));
    let (Some(old), Some(new)) = (old, new) else {
        // A rule of which no predicate can be made is the same only if it is written the same.
        if !same(rule, partner) {
            let (before, after) = ("unknown", "unknown");
            proof.departures.push(Departure { rule: rule.name.clone(), object: None, before, after });
        }
        return;
    };
    let (Ok(first), Ok(second)) = (Program::new(&old), Program::new(&new)) else { return };
    let objects = kvrules_verify::objects(&[&old, &new]);
    proof.objects += objects.len();
    let differ = shown(&first, &second, objects);
    let same = old.predicate == new.predicate && old.applies == new.applies && old.severity == new.severity;
    if differ.is_none() && same {
        return;
    }
    let verdict = |program: &Program| {
        differ.as_ref().map_or("unknown", |object| program.verdict(object).outcome.as_str())
    };
    let (before, after) = (verdict(&first), verdict(&second));
    proof.departures.push(Departure { rule: rule.name.clone(), object: differ, before, after });
}

/// An object on which two verdicts differ: one that is rejected by one of them, where there is such a one.
fn shown(first: &Program, second: &Program, objects: Vec<Value>) -> Option<Value> {
    let mut slight = None;
    for object in objects {
        let (before, after) = (first.verdict(&object), second.verdict(&object));
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

fn meaning(rule: &Arc<Rule>, catalog: &Catalog) -> Option<ElaboratedRule> {
    let set = RuleSet {
        name: String::new(),
        dialect: Dialect::Annotation201902,
        rules: vec![Arc::clone(rule)],
        unread: Vec::new(),
        origin: rule.origin,
    };
    elaborate(&set, catalog).rules.into_iter().next()
}
