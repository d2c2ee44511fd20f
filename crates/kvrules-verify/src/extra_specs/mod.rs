//! The proof that targets say what definitions of extra specs mean.
//!
//! From each definition keys and values are made: texts that the patterns of its name and value describe and texts near
//! them, bounds and their neighbours in every spelling, and words of every sort. The definitions judge each pair, and so
//! do the targets. Pairs that Nova's API never takes are left out: keys with other characters than letters,
//! digits and `-_:. `, and keys and values of more than 255 characters.

mod keys;
mod metadefs;
mod schema;
mod values;

use std::collections::BTreeMap;

use kvrules_diagnostics::Exactness;
use kvrules_emit::{Fidelity, RuleFidelity};
use kvrules_extra_specs::glance::MetadefLoss;
use kvrules_extra_specs::{
    Artefact, ChosenValues, Definition, DefinitionMatch, DefinitionRegistry, Target, TargetFiles,
};
use rayon::prelude::*;
use serde_json::{Value, json};

use self::keys::DefinitionKeys;
use self::metadefs::MetadefJudge;
use self::schema::SchemaJudge;
use crate::judge::{ClaimFault, ClaimFinding, ObjectVerdict, VerdictTally};
use crate::report::{Report, RuleReport, SetReport, TargetReport};
use crate::run::RunError;

/// The name under which reports list definitions, where they list rule sets.
pub const SET: &str = "extra specs";

/// Returns the fidelity of a target for each definition, in the order of these.
pub fn target_fidelities(definitions: &[Definition], losses: &[MetadefLoss]) -> Vec<RuleFidelity> {
    let mut by_name: BTreeMap<&str, Vec<&MetadefLoss>> = BTreeMap::new();
    for loss in losses {
        by_name.entry(&loss.definition).or_default().push(loss);
    }
    let to_fidelity = |definition: &Definition| RuleFidelity {
        set: SET.to_owned(),
        rule: definition.name.clone(),
        fidelity: losses_to_fidelity(by_name.get(definition.name.as_str()).map_or(&[], Vec::as_slice)),
    };
    definitions.iter().map(to_fidelity).collect()
}

fn losses_to_fidelity(losses: &[&MetadefLoss]) -> Fidelity {
    let causes: Vec<&str> = losses.iter().map(|loss| loss.cause).collect();
    let exactness = losses.iter().fold(Exactness::Exact, |joined, loss| joined.join_with(loss.kind));
    Fidelity::with_cause(exactness, causes.join("; "))
}

/// Something made of definitions, ready to judge pairs.
trait PairJudge: Sync {
    /// Returns the verdict on a value under a key of the definition.
    fn judge_value(&self, definition: &Definition, key: &str, value: &str) -> ObjectVerdict;

    /// Returns the verdict on a flavor with this one extra spec; `None` if it judges no flavors.
    fn says_of_all(&self, _key: &str, _value: &str) -> Option<ObjectVerdict> {
        None
    }
}

/// A pair with what it means.
struct JudgedPair {
    key: String,
    value: String,
    meant: ObjectVerdict,
}

/// Verifies targets of definitions of one layer (see [`DefinitionRegistry::in_force`]); `chosen` is what is chosen about each.
///
/// ```
/// use kvrules_extra_specs::{TARGETS, shipped_document};
///
/// let definitions: Vec<_> = shipped_document().expand_definitions().into_iter().take(3).collect();
/// let report = kvrules_verify::extra_specs::verify_definitions(TARGETS, &definitions, &|_| Default::default());
/// assert!(report.all_claims_hold() && report.comparisons > 100);
/// ```
pub fn verify_definitions(
    targets: &[&'static Target],
    definitions: &[Definition],
    chosen: &dyn Fn(&Target) -> ChosenValues,
) -> Report {
    verify_made(targets, definitions, &|target| target.make_files(definitions, &chosen(target)))
}

/// The same with files from elsewhere, such as some that were changed.
pub fn verify_made(
    targets: &[&'static Target],
    definitions: &[Definition],
    make: &dyn Fn(&'static Target) -> TargetFiles,
) -> Report {
    let registry = DefinitionRegistry::new([definitions.to_vec()]);
    let keys = DefinitionKeys::new(&registry, definitions);
    let pairs: Vec<Vec<JudgedPair>> =
        definitions.par_iter().map(|one| candidate_pairs(&registry, &keys, one)).collect();
    let mut report = Report {
        extra_specs: definitions.len(),
        objects: pairs.iter().map(Vec::len).sum(),
        ..Report::default()
    };
    for target in targets {
        let files = make(target);
        let target_report = of_target(target, definitions, &registry, &files, &pairs);
        report.comparisons += target_report.rules.iter().map(|rule| rule.objects).sum::<usize>();
        report.comparisons += target_report.sets.iter().map(|set| set.objects).sum::<usize>();
        report.targets.push(target_report);
    }
    report
}

fn candidate_pairs(
    registry: &DefinitionRegistry,
    keys: &DefinitionKeys,
    definition: &Definition,
) -> Vec<JudgedPair> {
    let values = values::candidate_values(definition, keys.others(&definition.name));
    let of_key = |key: &String| {
        let found = registry.find_definition(key).filter(|found| found.definition.name == definition.name);
        let judged = |found: DefinitionMatch<'_>| {
            let meant = |value: &String| {
                found.accepts_value(value).map(|accepts| ObjectVerdict { rejects: !accepts, warns: false })
            };
            let pair = |value: &String| {
                Some(JudgedPair { key: key.clone(), value: value.clone(), meant: meant(value)? })
            };
            values.iter().filter_map(pair).collect::<Vec<_>>()
        };
        found.map_or_else(Vec::new, judged)
    };
    keys.of(&definition.name).iter().flat_map(of_key).collect()
}

fn of_target(
    target: &'static Target,
    definitions: &[Definition],
    registry: &DefinitionRegistry,
    made: &TargetFiles,
    pairs: &[Vec<JudgedPair>],
) -> TargetReport {
    let claims = target_fidelities(definitions, &made.losses);
    let judge: Result<Box<dyn PairJudge>, RunError> = match target.artefact {
        Artefact::Schema => SchemaJudge::new(made).map(|schema| Box::new(schema) as Box<dyn PairJudge>),
        Artefact::Metadefs => {
            MetadefJudge::new(made, registry).map(|files| Box::new(files) as Box<dyn PairJudge>)
        }
    };
    let of_definition = |((definition, claim), pairs): ((&Definition, &RuleFidelity), &Vec<JudgedPair>)| {
        let (finding, objects) = match &judge {
            Ok(judge) => check_claim(judge.as_ref(), definition, &claim.fidelity, pairs),
            Err(RunError(cause)) => (ClaimFinding::Fault(ClaimFault::CannotRun(cause.clone())), 0),
        };
        RuleReport {
            rule: definition.name.clone(),
            sets: vec![SET.to_owned()],
            claim: claim.fidelity.clone(),
            finding,
            objects,
        }
    };
    let rules = definitions.par_iter().zip(&claims).zip(pairs).map(of_definition).collect();
    let sets = judge
        .iter()
        .filter_map(|judge| check_whole_flavor(judge.as_ref(), definitions, registry, pairs))
        .collect();
    TargetReport { target: target.name, rules, sets }
}

/// Holds a target to what it claims of one definition.
fn check_claim(
    judge: &dyn PairJudge,
    definition: &Definition,
    claim: &Fidelity,
    pairs: &[JudgedPair],
) -> (ClaimFinding, usize) {
    if pairs.is_empty() {
        let why = "no key that Nova's API accepts, or no decidable value, could be generated for it";
        return (ClaimFinding::Inconclusive(why.to_owned()), 0);
    }
    let mut tally = VerdictTally::default();
    for pair in pairs {
        tally.note(
            &to_flavor(&pair.key, &pair.value),
            pair.meant,
            judge.judge_value(definition, &pair.key, &pair.value),
        );
    }
    let objects = tally.objects;
    (tally.finding(claim, true), objects)
}

/// Checks that the whole judges flavors as its parts do, and rejects undefined keys.
fn check_whole_flavor(
    judge: &dyn PairJudge,
    definitions: &[Definition],
    registry: &DefinitionRegistry,
    pairs: &[Vec<JudgedPair>],
) -> Option<SetReport> {
    let mut tally = VerdictTally::default();
    let mut families = std::collections::BTreeSet::new();
    for (definition, pairs) in definitions.iter().zip(pairs) {
        // One definition of each family is enough, because each answer is about the whole document.
        if definition.family.as_ref().is_some_and(|family| !families.insert(family)) {
            continue;
        }
        let taken = pairs.iter().find(|pair| !pair.meant.rejects);
        let refused = pairs.iter().find(|pair| pair.meant.rejects);
        for pair in taken.into_iter().chain(refused) {
            let part = judge.judge_value(definition, &pair.key, &pair.value);
            tally.note(&to_flavor(&pair.key, &pair.value), part, judge.says_of_all(&pair.key, &pair.value)?);
            let unknown = format!("{}-x", pair.key);
            if registry.find_definition(&unknown).is_none() {
                let meant = judge.judge_value(definition, &unknown, &pair.value);
                let said = judge.says_of_all(&unknown, &pair.value)?;
                tally.note(&to_flavor(&unknown, &pair.value), meant, said);
            }
        }
    }
    let objects = tally.objects;
    (objects > 0).then(|| SetReport {
        set: SET.to_owned(),
        fault: tally.fault(),
        inconclusive: None,
        objects,
    })
}

fn to_flavor(key: &str, value: &str) -> Value {
    json!({ key: value })
}
