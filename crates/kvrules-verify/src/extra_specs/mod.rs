//! The proof that targets say what definitions of extra specs mean.
//!
//! From each definition keys and values are made: texts that the patterns of its name and value describe and texts near
//! them, bounds and their neighbours in every spelling, and words of every sort. The definitions evaluate each pair, and so
//! do the targets. Pairs that Nova's API never takes are left out: keys with other characters than letters,
//! digits and `-_:. `, and keys and values of more than 255 characters.

mod keys;
mod metadefs;
mod schema;
mod values;

use kvrules_emit::{
    EXTRA_SPECS, Emission, Emitter, ExtraSpecArtefact, ExtraSpecEmitter, Fidelity, OutputFile, Request,
    RuleFidelity,
};
use kvrules_extra_specs::{Definition, DefinitionMatch, DefinitionRegistry};
use rayon::prelude::*;
use serde_json::{Value, json};

use self::keys::DefinitionKeys;
use self::metadefs::MetadefEvaluator;
use self::schema::SchemaEvaluator;
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict, VerdictTally};
use crate::report::{Report, RuleReport, SetReport, TargetReport};
use crate::run::RunError;

/// Makes the files of a form for extra specs.
pub type EmitExtraSpecs<'a> = dyn Fn(&ExtraSpecEmitter, &Request<'_>) -> Emission + 'a;

/// Something made of definitions, ready to evaluate pairs.
trait PairEvaluator: Sync {
    /// Returns the verdict on a value under a key of the definition.
    fn evaluate_value(&self, definition: &Definition, key: &str, value: &str) -> ObjectVerdict;

    /// Returns the verdict on a flavor with this one extra spec; `None` if it evaluates no flavors.
    fn says_of_all(&self, _key: &str, _value: &str) -> Option<ObjectVerdict> {
        None
    }
}

/// A pair with what it means.
struct EvaluatedPair {
    key: String,
    value: String,
    expected: ObjectVerdict,
}

/// Verifies what targets claim of the definitions of a request, in files that `emit` makes. Targets without a form for extra
/// specs are left out.
///
/// ```
/// use kvrules_emit::{EMITTERS, Request};
/// use kvrules_extra_specs::shipped_document;
/// use kvrules_verify::extra_specs::verify_definitions;
///
/// let definitions: Vec<_> = shipped_document().expand_definitions().into_iter().take(3).collect();
/// let request = Request { definitions: &definitions, ..Request::for_virtual_machines(&[]) };
/// let report = verify_definitions(&|form, request| (form.emit)(request), EMITTERS, &request);
/// assert!(report.all_claims_hold() && report.comparisons > 100);
/// ```
pub fn verify_definitions(
    emit: &EmitExtraSpecs<'_>,
    targets: &[&'static Emitter],
    request: &Request<'_>,
) -> Report {
    let definitions = request.definitions;
    let registry = DefinitionRegistry::new([definitions.to_vec()]);
    let keys = DefinitionKeys::new(&registry, definitions);
    let pairs: Vec<Vec<EvaluatedPair>> =
        definitions.par_iter().map(|one| candidate_pairs(&registry, &keys, one)).collect();
    let mut report = Report {
        extra_specs: definitions.len(),
        objects: pairs.iter().map(Vec::len).sum(),
        ..Report::default()
    };
    for target in targets {
        let Some(form) = &target.extra_specs else { continue };
        let emission = emit(form, request);
        let target_report = of_target(target.name, form.artefact, definitions, &registry, &emission, &pairs);
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
) -> Vec<EvaluatedPair> {
    let values = values::candidate_values(definition, keys.others(&definition.name));
    let of_key = |key: &String| {
        let found = registry.find_definition(key).filter(|found| found.definition.name == definition.name);
        let evaluated = |found: DefinitionMatch<'_>| {
            let expected = |value: &String| {
                found.accepts_value(value).map(|accepts| ObjectVerdict { rejects: !accepts, warns: false })
            };
            let pair = |value: &String| {
                Some(EvaluatedPair { key: key.clone(), value: value.clone(), expected: expected(value)? })
            };
            values.iter().filter_map(pair).collect::<Vec<_>>()
        };
        found.map_or_else(Vec::new, evaluated)
    };
    keys.of(&definition.name).iter().flat_map(of_key).collect()
}

/// Makes the files of a form ready to evaluate pairs.
fn pair_evaluator(
    artefact: ExtraSpecArtefact,
    emission: &Emission,
    registry: &DefinitionRegistry,
) -> Result<Box<dyn PairEvaluator>, RunError> {
    let parse = |file: &OutputFile| {
        serde_json::from_str(&file.text).map_err(|error| RunError(format!("`{}`: {error}", file.path)))
    };
    let documents = emission.files.iter().map(parse).collect::<Result<Vec<Value>, RunError>>()?;
    Ok(match artefact {
        ExtraSpecArtefact::Schema => Box::new(SchemaEvaluator::new(&documents)?),
        ExtraSpecArtefact::Metadefs => Box::new(MetadefEvaluator::new(&documents, registry)?),
    })
}

fn of_target(
    target: &'static str,
    artefact: ExtraSpecArtefact,
    definitions: &[Definition],
    registry: &DefinitionRegistry,
    emission: &Emission,
    pairs: &[Vec<EvaluatedPair>],
) -> TargetReport {
    let evaluator = pair_evaluator(artefact, emission, registry);
    let of_definition =
        |((definition, claim), pairs): ((&Definition, &RuleFidelity), &Vec<EvaluatedPair>)| {
            let (finding, objects) = match &evaluator {
                Ok(evaluator) => check_claim(evaluator.as_ref(), definition, &claim.fidelity, pairs),
                Err(RunError(cause)) => (ClaimFinding::Fault(ClaimFault::CannotRun(cause.clone())), 0),
            };
            RuleReport {
                rule: definition.name.clone(),
                sets: vec![EXTRA_SPECS.to_owned()],
                claim: claim.fidelity.clone(),
                finding,
                objects,
            }
        };
    let rules = definitions.par_iter().zip(&emission.fidelity).zip(pairs).map(of_definition).collect();
    let sets = evaluator
        .iter()
        .filter_map(|evaluator| check_whole_flavor(evaluator.as_ref(), definitions, registry, pairs))
        .collect();
    TargetReport { target, rules, sets }
}

/// Holds a target to what it claims of one definition.
fn check_claim(
    evaluator: &dyn PairEvaluator,
    definition: &Definition,
    claim: &Fidelity,
    pairs: &[EvaluatedPair],
) -> (ClaimFinding, usize) {
    if pairs.is_empty() {
        let why = "no key that Nova's API accepts, or no decidable value, could be generated for it";
        return (ClaimFinding::Inconclusive(why.to_owned()), 0);
    }
    let mut tally = VerdictTally::default();
    for pair in pairs {
        tally.note(
            &to_flavor(&pair.key, &pair.value),
            pair.expected,
            evaluator.evaluate_value(definition, &pair.key, &pair.value),
        );
    }
    let objects = tally.objects;
    (tally.finding(claim, true), objects)
}

/// Checks that the whole evaluates flavors as its parts do, and rejects undefined keys.
fn check_whole_flavor(
    evaluator: &dyn PairEvaluator,
    definitions: &[Definition],
    registry: &DefinitionRegistry,
    pairs: &[Vec<EvaluatedPair>],
) -> Option<SetReport> {
    let mut tally = VerdictTally::default();
    let mut families = std::collections::BTreeSet::new();
    for (definition, pairs) in definitions.iter().zip(pairs) {
        // One definition of each family is enough, because each answer is about the whole document.
        if definition.family.as_ref().is_some_and(|family| !families.insert(family)) {
            continue;
        }
        let taken = pairs.iter().find(|pair| !pair.expected.rejects);
        let refused = pairs.iter().find(|pair| pair.expected.rejects);
        for pair in taken.into_iter().chain(refused) {
            let part = evaluator.evaluate_value(definition, &pair.key, &pair.value);
            tally.note(
                &to_flavor(&pair.key, &pair.value),
                part,
                evaluator.says_of_all(&pair.key, &pair.value)?,
            );
            let unknown = format!("{}-x", pair.key);
            if registry.find_definition(&unknown).is_none() {
                let expected = evaluator.evaluate_value(definition, &unknown, &pair.value);
                let actual = evaluator.says_of_all(&unknown, &pair.value)?;
                tally.note(&to_flavor(&unknown, &pair.value), expected, actual);
            }
        }
    }
    let objects = tally.objects;
    (objects > 0).then(|| SetReport {
        set: EXTRA_SPECS.to_owned(),
        fault: tally.fault(),
        objects,
        ..SetReport::default()
    })
}

fn to_flavor(key: &str, value: &str) -> Value {
    json!({ key: value })
}
