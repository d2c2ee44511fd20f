//! All rules and targets: each distinct rule by itself, so that a difference has one cause, and then each set as a whole.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Artefact, Emission, EmitError, Emitter, Fidelity, Request};
use kvrules_eval::{Outcome, Program};
use kvrules_ir::{ElaboratedRule, ElaboratedSet, Severity, ValueTest};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::claims::{
    ClaimFault, ClaimFinding, ClaimedAnswers, ObjectVerdict, TOO_LARGE, TOO_LARGE_PATTERNS, VerdictTally,
};
use crate::extra_specs::verify_definitions;
use crate::report::{Report, RuleReport, SetReport, TargetReport};
use crate::resources::verify_resources;
use crate::run::{ArtefactRunner, RunContext, RunError};
use crate::synthesise::{
    Candidate, SizeLimits, Synthesis, complete_objects, merge_elements, merge_fields, sample_candidates,
    stretch_objects, synthesise_objects,
};

/// Generates a target's files from a request: the emitter itself, or a test that breaks its output.
pub type EmitFn<'a> = dyn Fn(&Emitter, &Request<'_>) -> Result<Emission, EmitError> + Sync + 'a;

/// Verifies what targets claim of the rules and of the definitions of a request. The meaning of the rules was decided with the
/// catalog.
///
/// `progress` receives the number of steps that are done, and of all steps.
pub fn verify_targets(
    targets: &[&'static Emitter],
    request: &Request<'_>,
    catalog: &Catalog,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Report {
    let emit = |emitter: &Emitter, request: &Request<'_>| emitter.emit_rule_sets(request);
    let of_rules = if request.sets.is_empty() {
        Report::default()
    } else {
        verify_with(&emit, targets, request, catalog, progress)
    };
    let mut report = of_rules;
    if !request.definitions.is_empty() {
        report =
            report.merged_with(verify_definitions(&|form, request| (form.emit)(request), targets, request));
    }
    if !request.resources.is_empty() {
        report = report.merged_with(verify_resources(targets, request));
    }
    report
}

/// Verifies what targets claim of the rules of a request, with files that `emit` makes.
pub fn verify_with(
    emit: &EmitFn<'_>,
    targets: &[&'static Emitter],
    request: &Request<'_>,
    catalog: &Catalog,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Report {
    let targets: Vec<_> = targets.iter().copied().filter(|target| target.enforces_rules()).collect();
    let rules = distinct_rules(request.sets);
    let several: Vec<&ElaboratedSet> = request.sets.iter().filter(|set| set.rules.len() > 1).collect();
    let (done, steps) = (AtomicUsize::new(0), rules.len() + several.len());
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, steps);
    let work = VerifyWork { emit, targets: &targets, request, catalog };
    let alone: Vec<SingleRuleResult> = rules
        .par_iter()
        .map(|rule| {
            let alone = work.verify_rule(rule);
            step();
            alone
        })
        .collect();
    let by_rule: HashMap<&ElaboratedRule, &SingleRuleResult> =
        rules.iter().map(|rule| rule.rule).zip(&alone).collect();
    let together: Vec<Vec<SetReport>> = several
        .par_iter()
        .map(|set| {
            let reports = work.verify_set(set, &by_rule);
            step();
            reports
        })
        .collect();
    build_report(&targets, &rules, &alone, &together)
}

/// A rule, and the sets that have it.
struct DistinctRule<'a> {
    rule: &'a ElaboratedRule,
    sets: Vec<&'a ElaboratedSet>,
}

/// Equal rules count as one, because targets express them in the same way.
fn distinct_rules(sets: &[ElaboratedSet]) -> Vec<DistinctRule<'_>> {
    let mut rules: Vec<DistinctRule<'_>> = Vec::new();
    let mut known: HashMap<&ElaboratedRule, usize> = HashMap::new();
    for (set, rule) in sets.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule))) {
        let index = *known.entry(rule).or_insert(rules.len());
        match rules.get_mut(index) {
            Some(distinct) => distinct.sets.push(set),
            None => rules.push(DistinctRule { rule, sets: vec![set] }),
        }
    }
    rules
}

/// Inputs that every step uses.
struct VerifyWork<'a> {
    emit: &'a EmitFn<'a>,
    targets: &'a [&'static Emitter],
    request: &'a Request<'a>,
    catalog: &'a Catalog,
}

/// Result for a rule by itself.
struct SingleRuleResult {
    synthesis: Synthesis,
    expected: Vec<ObjectVerdict>,
    targets: Vec<TargetResult>,
}

/// Result for one target of a rule.
struct TargetResult {
    claim: Fidelity,
    finding: ClaimFinding,
    objects: usize,
    runner: Option<ArtefactRunner>,
}

impl VerifyWork<'_> {
    fn verify_rule(&self, distinct: &DistinctRule<'_>) -> SingleRuleResult {
        let rule = distinct.rule;
        let synthesis =
            bound_synthesis(&synthesise_objects(&[rule], &SizeLimits::default()), most_of_rule(distinct));
        let used_by = distinct.sets.first().map(|set| set.used_by.clone()).unwrap_or_default();
        let name = distinct.sets.first().map(|set| set.name.clone()).unwrap_or_default();
        let set = ElaboratedSet { name, used_by, rules: vec![rule.clone()], left_out: Vec::new() };
        let expected = rule_verdicts(rule, &synthesis.objects);
        let most = most_of_rule(distinct);
        let verify =
            |target: &&'static Emitter| self.verify_target(target, &set, &synthesis, &expected, most);
        let targets = self.targets.iter().map(verify).collect();
        SingleRuleResult { synthesis, expected: expected.unwrap_or_default(), targets }
    }

    fn verify_target(
        &self,
        target: &'static Emitter,
        set: &ElaboratedSet,
        synthesis: &Synthesis,
        expected: &Result<Vec<ObjectVerdict>, String>,
        most: usize,
    ) -> TargetResult {
        let broken = |claim, reason: String| TargetResult {
            claim,
            finding: ClaimFinding::Fault(ClaimFault::CannotRun(reason)),
            objects: 0,
            runner: None,
        };
        let inconclusive = |claim, reason: String| TargetResult {
            claim,
            finding: ClaimFinding::Inconclusive(reason),
            objects: 0,
            runner: None,
        };
        let (runner, fidelity) = match self.build_runner(target, set) {
            Ok(made) => made,
            Err((claim, why)) if why.is_too_large() => return inconclusive(claim, why.0),
            Err((claim, RunError(reason))) => return broken(claim, reason),
        };
        let Some(claim) = fidelity.into_iter().next() else {
            return broken(Fidelity::Exact, "the target does not report how exact it is".to_owned());
        };
        let expected = match expected {
            Ok(expected) => expected,
            Err(reason) => return broken(claim, reason.clone()),
        };
        let lines = runner.lines();
        let own_objects = lines != SizeLimits::default() || runner.demands_more();
        let mut complete = synthesis.complete;
        let evaluated = match set.rules.first().filter(|_| own_objects) {
            // The artefact has bounds of its own, so objects on both sides of them are needed.
            Some(rule) => {
                let Synthesis { mut objects, complete: whole } =
                    bound_synthesis(&synthesise_objects(&[rule], &lines), most);
                complete &= whole;
                runner.complete(&mut objects);
                add_stretched_objects(&mut objects, &[rule], &lines)
                    .and_then(|()| rule_verdicts(rule, &objects))
                    .map_err(RunError)
                    .and_then(|expected| compare_verdicts(&runner, &objects, &expected))
            }
            None => compare_verdicts(&runner, &synthesis.objects, expected),
        };
        match evaluated {
            Ok(tally) => {
                let objects = tally.objects;
                let finding = tally.finding(&claim, complete);
                TargetResult { claim, finding, objects, runner: Some(runner) }
            }
            Err(RunError(reason)) => inconclusive(claim, reason),
        }
    }

    /// Returns the runner for the files that a target generates for a set, and its claim for each rule.
    fn build_runner(
        &self,
        target: &'static Emitter,
        set: &ElaboratedSet,
    ) -> Result<(ArtefactRunner, Vec<Fidelity>), (Fidelity, RunError)> {
        let sets = std::slice::from_ref(set);
        let request = Request { sets, ..*self.request };
        let emission = (self.emit)(target, &request);
        let emission = emission.map_err(|error| (Fidelity::Exact, RunError(error.message)))?;
        let fidelity: Vec<_> = emission.fidelity.into_iter().map(|rule| rule.fidelity).collect();
        let context = RunContext { set, request: &request, catalog: self.catalog };
        let artefact = target.rule_set_artefact().unwrap_or(Artefact::Document);
        match ArtefactRunner::new(artefact, &emission.files, &context) {
            Ok(runner) => Ok((runner, fidelity)),
            Err(broken) => Err((fidelity.into_iter().next().unwrap_or(Fidelity::Exact), broken)),
        }
    }

    /// Compares a set as a whole with its rules one by one, target by target.
    fn verify_set(
        &self,
        set: &ElaboratedSet,
        by_rule: &HashMap<&ElaboratedRule, &SingleRuleResult>,
    ) -> Vec<SetReport> {
        let rules: Vec<_> = set.rules.iter().collect();
        if !fit_in_memory(&rules) {
            let inconclusive = || SetReport {
                set: set.name.clone(),
                inconclusive: Some(TOO_LARGE_PATTERNS.to_owned()),
                ..SetReport::default()
            };
            return self.targets.iter().map(|_| inconclusive()).collect();
        }
        let alone: Vec<&SingleRuleResult> =
            rules.iter().filter_map(|rule| by_rule.get(rule).copied()).collect();
        let (mut objects, is_cut) =
            spread_sample(&synthesise_objects(&rules, &SizeLimits::default()).objects, most_objects(set) / 2);
        let (mut beside, is_cut_beside) = objects_of_all(&alone, merge_fields);
        complete_objects(&rules, &mut beside);
        objects.extend(beside);
        let is_cut = is_cut || is_cut_beside;
        if is_cut {
            objects = sample_candidates(&objects, most_without_proof(set));
        }
        let report = |(index, target): (usize, &&'static Emitter)| {
            let results: Vec<&TargetResult> =
                alone.iter().filter_map(|alone| alone.targets.get(index)).collect();
            let SetComparison { fault, objects, has_own_claims } =
                self.compare_set(target, set, &objects, &results, &alone);
            let is_cut = is_cut && fault.is_none();
            // The claim is the fidelity to each rule, which is proved of each.
            let is_sample =
                is_cut && !has_own_claims && results.iter().all(|result| result.finding.is_proved());
            let inconclusive = (is_cut && !is_sample).then(|| TOO_LARGE.to_owned());
            SetReport { set: set.name.clone(), fault, inconclusive, is_sample, objects }
        };
        self.targets.iter().enumerate().map(report).collect()
    }

    fn compare_set(
        &self,
        target: &'static Emitter,
        set: &ElaboratedSet,
        objects: &[Candidate],
        alone: &[&TargetResult],
        rules: &[&SingleRuleResult],
    ) -> SetComparison {
        let cannot_run = |reason: String| SetComparison::of_fault(Some(ClaimFault::CannotRun(reason)), 0);
        let (runner, fidelity) = match self.build_runner(target, set) {
            Ok(made) => made,
            // A set that is too large is not at fault, and its rules are inconclusive already.
            Err((_, why)) if why.is_too_large() => return SetComparison::of_fault(None, 0),
            Err((_, RunError(reason))) => return cannot_run(reason),
        };
        if fidelity.len() != alone.len() {
            let reason =
                format!("the target claims something of {} rules of {}", fidelity.len(), alone.len());
            return cannot_run(reason);
        }
        if fidelity.iter().zip(alone).any(|(whole, alone)| whole.as_str() != alone.claim.as_str()) {
            let (mut woven, _) = objects_of_all(rules, merge_elements);
            complete_objects(&set.rules.iter().collect::<Vec<_>>(), &mut woven);
            let objects = [objects, &woven].concat();
            let (fault, objects) = evaluated_by_claims(&runner, set, &fidelity, objects);
            return SetComparison { fault, objects, has_own_claims: true };
        }
        // A rule that cannot run alone has a fault already.
        let Some(parts) = alone.iter().map(|result| result.runner.as_ref()).collect::<Option<Vec<_>>>()
        else {
            return SetComparison::of_fault(None, 0);
        };
        let mut tally = VerdictTally::default();
        let mut objects = Cow::Borrowed(objects);
        if runner.demands_more() {
            runner.complete(objects.to_mut());
        }
        for object in objects.iter() {
            let actual = parts
                .iter()
                .map(|part| part.object_verdict(object))
                .collect::<Result<Option<Vec<ObjectVerdict>>, _>>();
            if let (Ok(Some(parts)), Ok(Some(actual))) = (actual, runner.object_verdict(object)) {
                let rejects = parts.iter().any(|actual| actual.rejects);
                let warns = parts.iter().any(|actual| actual.warns);
                tally.note(&object.value, ObjectVerdict { rejects, warns }, actual);
            }
        }
        let evaluated = tally.objects;
        SetComparison::of_fault(tally.fault(), evaluated)
    }
}

/// Result of comparing a set as a whole with its rules one by one.
struct SetComparison {
    fault: Option<ClaimFault>,
    objects: usize,
    /// True if the target claims something else of a rule in the set than of the rule by itself.
    has_own_claims: bool,
}

impl SetComparison {
    fn of_fault(fault: Option<ClaimFault>, objects: usize) -> Self {
        Self { fault, objects, has_own_claims: false }
    }
}

/// Maximum number of evaluations for one target: each rule of a set with each object.
const MAX_EVALUATIONS: usize = 100_000;

/// Maximum number of objects that a set is evaluated on.
fn most_objects(set: &ElaboratedSet) -> usize {
    MAX_EVALUATIONS / set.rules.len().max(1)
}

/// Maximum number of objects that a single rule is evaluated on. It depends on the smallest set with the rule, so
/// that it does not change with the number of sets that are verified together.
fn most_of_rule(distinct: &DistinctRule<'_>) -> usize {
    distinct.sets.iter().map(|set| most_objects(set)).max().unwrap_or(MAX_EVALUATIONS)
}

/// Divisor of the evaluations without a proof of a set: of each object its rules are evaluated one by one, and then all
/// together, for each target.
const WITHOUT_PROOF: usize = 10;

/// An evaluation of a rule that lists so many values takes twice the time.
const VALUES_PER_EVALUATION: usize = 100;

/// Maximum number of objects that a set is evaluated on without a proof.
fn most_without_proof(set: &ElaboratedSet) -> usize {
    let listed = |rule: &ElaboratedRule| -> usize {
        let values = rule.requirement.tests.iter();
        values.map(|test| if let ValueTest::OneOf(values) = test { values.len() } else { 0 }).sum()
    };
    let weight: usize = set.rules.iter().map(|rule| 1 + listed(rule) / VALUES_PER_EVALUATION).sum();
    MAX_EVALUATIONS / (WITHOUT_PROOF * weight.max(1))
}

/// Divisor of the objects if there are too many for a proof: this part is enough to find a fault that many of them
/// show.
const SAMPLE: usize = 4;

/// The objects if there are at most so many, else some of them, the first among these; and true if some were left out.
fn spread_sample(objects: &[Candidate], most: usize) -> (Vec<Candidate>, bool) {
    if objects.len() <= most.max(1) {
        return (objects.to_vec(), false);
    }
    (sample_candidates(objects, most / SAMPLE), true)
}

fn bound_synthesis(synthesis: &Synthesis, most: usize) -> Synthesis {
    let (objects, is_cut) = spread_sample(&synthesis.objects, most);
    Synthesis { objects, complete: synthesis.complete && !is_cut }
}

/// True if the expressions of some rules fit into memory together; every engine compiles them in its own way.
fn fit_in_memory(rules: &[&ElaboratedRule]) -> bool {
    let patterns: HashSet<&str> = rules
        .iter()
        .flat_map(|rule| &rule.requirement.tests)
        .filter_map(
            |test| if let ValueTest::Matches(pattern) = test { Some(pattern.0.as_str()) } else { None },
        )
        .collect();
    let bytes = patterns.iter().filter_map(|pattern| kvrules_regex::compile_matcher(pattern).ok());
    bytes
        .map(|matcher| matcher.byte_size())
        .try_fold(0_usize, |sum, bytes| {
            let sum = sum.saturating_add(bytes);
            (sum <= MOST_BYTES).then_some(sum)
        })
        .is_some()
}

/// The expressions of the rules of one set take so many bytes at most.
const MOST_BYTES: usize = 128 << 20;

/// Limit on the objects that are merged for all rules of a set: each rule has its own and one of every other.
const MOST_MERGED: usize = 1_000_000;

/// The objects of each rule, put into an object that keeps the other rules, so that no other rule hides what is said of it; and
/// whether some were left out.
fn objects_of_all(alone: &[&SingleRuleResult], merge: fn(&mut Value, &Value)) -> (Vec<Candidate>, bool) {
    let keeps = |alone: &&SingleRuleResult| {
        let mut kept = alone.synthesis.objects.iter().zip(&alone.expected);
        let found = kept.find(|(object, expected)| object.served && **expected == ObjectVerdict::default());
        found.map(|(object, _)| object.value.clone())
    };
    let kept: Vec<_> = alone.iter().map(keeps).collect();
    let most = MAX_EVALUATIONS / (2 * alone.len() * alone.len()).max(1);
    let stride = (alone.len() * alone.len()).div_ceil(MOST_MERGED).max(1);
    let (mut objects, mut is_cut) = (Vec::new(), stride > 1);
    for (at, own) in alone.iter().enumerate().step_by(stride) {
        let mut base = json!({});
        for (_, other) in kept.iter().enumerate().filter(|(index, _)| *index != at) {
            if let Some(other) = other {
                merge(&mut base, other);
            }
        }
        let (own, is_own_cut) = spread_sample(&own.synthesis.objects, most);
        is_cut |= is_own_cut;
        objects.extend(own.iter().map(|object| {
            let mut value = base.clone();
            merge(&mut value, &object.value);
            Candidate { value, served: object.served }
        }));
    }
    (objects, is_cut)
}

/// Compares the verdicts of an artefact on objects with the meaning.
fn compare_verdicts(
    runner: &ArtefactRunner,
    objects: &[Candidate],
    expected: &[ObjectVerdict],
) -> Result<VerdictTally, RunError> {
    let mut tally = VerdictTally::default();
    for (object, expected) in objects.iter().zip(expected) {
        if let Some(actual) = runner.object_verdict(object)? {
            tally.note(&object.value, *expected, actual);
        }
    }
    Ok(tally)
}

/// Adds, to objects that all rules accept, the same ones with lists and texts beyond the lines of an artefact.
fn add_stretched_objects(
    objects: &mut Vec<Candidate>,
    rules: &[&ElaboratedRule],
    lines: &SizeLimits,
) -> Result<(), String> {
    let programs = rules.iter().map(|rule| Program::new(rule)).collect::<Result<Vec<_>, _>>();
    let programs = programs.map_err(|error| error.to_string())?;
    let is_kept = |object: &&Candidate| {
        object.served
            && programs
                .iter()
                .all(|program| program.evaluate_object(&object.value).outcome != Outcome::Violated)
    };
    let longer = stretch_objects(objects.iter().filter(is_kept), lines);
    objects.extend(longer);
    Ok(())
}

/// Checks that a set as a whole departs from the meaning of its rules only as it claims. If a rule is emitted
/// differently in a set than by itself (the others leave it less of the budget, or have drawn its bounds already), the
/// claims for the set count, and the verdict of each rule by itself is not a measure.
fn evaluated_by_claims(
    runner: &ArtefactRunner,
    set: &ElaboratedSet,
    claims: &[Fidelity],
    mut objects: Vec<Candidate>,
) -> (Option<ClaimFault>, usize) {
    let actual: Vec<_> = set
        .rules
        .iter()
        .zip(claims)
        .filter(|(_, claim)| !matches!(claim, Fidelity::Unsupported(_)))
        .collect();
    let (rules, claims): (Vec<_>, Vec<_>) = actual.into_iter().unzip();
    let drawn = add_stretched_objects(&mut objects, &rules, &runner.lines());
    runner.complete(&mut objects);
    let expected = drawn.and_then(|()| {
        rules
            .iter()
            .map(|rule| rule_verdicts(rule, &objects))
            .collect::<Result<Vec<Vec<ObjectVerdict>>, String>>()
    });
    let expected = match expected {
        Ok(expected) => expected,
        Err(reason) => return (Some(ClaimFault::CannotRun(reason)), 0),
    };
    let mut claimed = ClaimedAnswers::of(&claims);
    for (at, object) in objects.iter().enumerate() {
        if let Ok(Some(actual)) = runner.object_verdict(object) {
            let expected: Vec<ObjectVerdict> =
                expected.iter().filter_map(|actual| actual.get(at).copied()).collect();
            claimed.note(&object.value, &expected, actual);
        }
    }
    claimed.fault()
}

/// Returns the verdict of a rule on each object; an error if one of its expressions cannot be used.
fn rule_verdicts(rule: &ElaboratedRule, objects: &[Candidate]) -> Result<Vec<ObjectVerdict>, String> {
    let program = Program::new(rule).map_err(|error| error.to_string())?;
    let actual = |object: &Candidate| {
        let violated = program.evaluate_object(&object.value).outcome == Outcome::Violated;
        ObjectVerdict {
            rejects: violated && rule.severity == Severity::Error,
            warns: violated && rule.severity == Severity::Warning,
        }
    };
    Ok(objects.iter().map(actual).collect())
}

fn build_report(
    targets: &[&'static Emitter],
    rules: &[DistinctRule<'_>],
    alone: &[SingleRuleResult],
    together: &[Vec<SetReport>],
) -> Report {
    let target = |(index, target): (usize, &&'static Emitter)| {
        let rule = |(distinct, alone): (&DistinctRule<'_>, &SingleRuleResult)| {
            let result = alone.targets.get(index)?;
            Some(RuleReport {
                rule: distinct.rule.name.clone(),
                sets: distinct.sets.iter().map(|set| set.name.clone()).collect(),
                claim: result.claim.clone(),
                finding: result.finding.clone(),
                objects: result.objects,
            })
        };
        TargetReport {
            target: target.name,
            rules: rules.iter().zip(alone).filter_map(rule).collect(),
            sets: together.iter().filter_map(|sets| sets.get(index).cloned()).collect(),
        }
    };
    let targets: Vec<_> = targets.iter().enumerate().map(target).collect();
    let evaluated = |target: &TargetReport| {
        target.rules.iter().map(|rule| rule.objects).sum::<usize>()
            + target.sets.iter().map(|set| set.objects).sum::<usize>()
    };
    Report {
        rules: rules.len(),
        extra_specs: 0,
        resources: 0,
        rule_sets: 0,
        policies: 0,
        objects: alone.iter().map(|alone| alone.synthesis.objects.len()).sum(),
        comparisons: targets.iter().map(evaluated).sum(),
        reduced: Vec::new(),
        targets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results for rules about a field each.
    fn results(count: usize) -> Vec<SingleRuleResult> {
        let one = |index: usize| SingleRuleResult {
            synthesis: Synthesis {
                objects: vec![Candidate::new(json!({ format!("f{index}"): 1 }))],
                complete: true,
            },
            expected: vec![ObjectVerdict::default()],
            targets: Vec::new(),
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn objects_beside_those_of_many_other_rules_are_merged_a_bounded_number_of_times() {
        let made = |count: usize| objects_of_all(&results(count).iter().collect::<Vec<_>>(), merge_fields);
        let (objects, is_cut) = made(40);
        let fields = |object: &Candidate| object.value.as_object().map_or(0, serde_json::Map::len);
        assert!(!is_cut && objects.len() == 40 && objects.iter().all(|object| fields(object) == 40));
        let (objects, is_cut) = made(1500);
        assert!(is_cut && !objects.is_empty() && objects.len() * 1500 <= MOST_MERGED, "{}", objects.len());
    }
}
