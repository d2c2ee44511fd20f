//! JSON Schemas of CustomResourceDefinitions, compared with the server.
//!
//! Objects are generated from the definition, most of them with something wrong in one place. Both sides evaluate each, and where
//! they differ, the emitted schema must have said so of that place. A difference that it claims must be shown by an object.
//! Rules in CEL take part if the schema expresses them, on objects that they treat differently; the others are left out.

mod annotations;
mod authored;
mod policies;
mod policy_schemas;
mod policy_trial;
mod requester;
mod single_rule;
mod trial;

use authored::EntryReading;
use jsonschema::Validator;
use kvrules_apiserver::definition::{PolicyOrigin, ResourceVersion};
use kvrules_diagnostics::Exactness;
use kvrules_emit::resource_schema::{KEYWORDS, set_name};
use kvrules_emit::{Artefact, Emission, EmitError, Emitter, Fidelity, Request, RuleFidelity};
use kvrules_generate::{ObjectGenerator, without_rules};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, definition_rules};
use rayon::prelude::*;
use serde_json::Value;

use self::trial::ResourceTrial;
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict};
use crate::report::{Report, RuleReport, SetReport, TargetReport};
use crate::run::{RunError, schema_in_files};

pub use self::trial::{ResourceComparison, ResourceDeparture};

/// Number of objects that each version is tried with, in addition to those that show a difference.
const OBJECTS: usize = 200;

/// Number of values that each rule is tried with.
const VALUES_OF_RULE: usize = 80;

/// Number of values that a rule is tried with alone, if no value has shown its difference.
const VALUES_ALONE: usize = 2_500;

/// Generates the files of a target for the versions of a request: the emitter itself, or a test that breaks its output.
pub type EmitResources<'a> = dyn Fn(&Emitter, &Request<'_>) -> Result<Emission, EmitError> + Sync + 'a;

/// Compares a schema, in draft 2020-12, with the server on so many objects. `fidelity` is what the schema claims.
///
/// # Errors
///
/// The schema is invalid.
///
/// ```
/// use kvrules_apiserver::definition::{PolicyOrigin, ResourceVersion};
/// use kvrules_verify::compare_resource_schema;
/// use serde_json::json;
///
/// let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 8}}}});
/// let definition = json!({"spec": {"group": "a.io", "names": {"kind": "A"}, "versions": [{"name": "v1", "schema": schema}]}});
/// let version = &ResourceVersion::of_definition(&definition)[0];
/// let emitted = json!({"properties": {"size": {"type": ["integer", "null"], "maximum": 9}}});
/// let compared = compare_resource_schema(version, &emitted, &[], 200).unwrap();
/// assert_eq!((compared.departures[0].place.as_str(), compared.departures[0].is_wider), ("size", true));
/// ```
pub fn compare_resource_schema(
    version: &ResourceVersion,
    emitted: &Value,
    fidelity: &[RuleFidelity],
    count: usize,
) -> Result<ResourceComparison, String> {
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(false)
        .build(emitted)
        .map_err(|error| format!("invalid schema: {error}"))?;
    let mut trial = ResourceTrial::new(version, validator, fidelity);
    let mut compared = trial.compare(count);
    trial.compare_rules(&mut compared, count.min(VALUES_OF_RULE));
    Ok(compared)
}

/// Verifies what targets claim of the definitions of a request. Targets that express none are left out.
pub(crate) fn verify_resources(targets: &[&'static Emitter], request: &Request<'_>) -> Report {
    let emit = |target: &Emitter, request: &Request<'_>| target.emit_versions(request);
    verify_resources_with(&emit, targets, request)
}

/// The same with files that `emit` makes.
///
/// ```
/// use kvrules_apiserver::definition::{PolicyOrigin, ResourceVersion};
/// use kvrules_emit::{Request, find_emitter};
/// use kvrules_verify::verify_resources_with;
/// use serde_json::json;
///
/// let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 8}}}});
/// let definition = json!({"metadata": {"name": "as.a.io"}, "spec": {"group": "a.io", "names": {"kind": "A"},
///     "versions": [{"name": "v1", "schema": schema}]}});
/// let versions = ResourceVersion::of_definition(&definition);
/// let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
/// let targets = [find_emitter("json-schema").unwrap()];
/// let emit = |target: &kvrules_emit::Emitter, request: &Request<'_>| {
///     (target.resources.as_ref().unwrap().emit)(request)
/// };
/// assert!(verify_resources_with(&emit, &targets, &request).all_claims_hold());
/// ```
pub fn verify_resources_with(
    emit: &EmitResources<'_>,
    targets: &[&'static Emitter],
    request: &Request<'_>,
) -> Report {
    let mut report = count_inputs(request);
    let meanings = authored::confirm_rule_sets(request);
    let of_meanings: usize = meanings.values().map(|rule| rule.values).sum();
    report.objects += of_meanings;
    report.comparisons += of_meanings;
    for target in targets.iter().filter(|target| target.expresses_versions(request)) {
        let emit_version = |version: &ResourceVersion| {
            let request =
                Request { resources: std::slice::from_ref(version), sets: &[], definitions: &[], ..*request };
            emit(target, &request)
        };
        let of_version =
            |version: &ResourceVersion| verify_on_target(target, version, &emit_version, request);
        let has_form = |version: &&ResourceVersion| target.form_of_version(version, request).is_some();
        let versions: Vec<&ResourceVersion> = request.resources.iter().filter(has_form).collect();
        let verified: Vec<VerifiedVersion> = versions.par_iter().map(|version| of_version(version)).collect();
        let sets = verified.iter().filter_map(|version| version.set.clone()).collect();
        report.note_reduced(
            versions.iter().zip(&verified).filter(|it| it.1.is_reduced).map(|it| set_name(it.0)),
        );
        report.objects += verified.iter().map(|version| version.objects).sum::<usize>();
        report.comparisons += verified.iter().map(|version| version.objects).sum::<usize>();
        let named = versions.iter().zip(verified).flat_map(|(version, verified)| {
            let name = |rule: RuleReport| {
                let shown = version.shown_rule_name(&rule.rule).to_owned();
                let set = version.authored.as_ref().map(|authored| authored.name.clone());
                let confirmed = set.and_then(|set| meanings.get(&(set, shown.clone())));
                let is_fault = matches!(rule.finding, ClaimFinding::Fault(_) | ClaimFinding::Unsupported);
                let own = authored::meaning_finding(confirmed).filter(|_| !is_fault);
                RuleReport { rule: shown, finding: own.unwrap_or(rule.finding), ..rule }
            };
            let is_shown = |rule: &RuleReport| {
                let authored = version.authored.as_ref();
                let is_rule = authored.is_none_or(|authored| authored.rule_names.contains_key(&rule.rule));
                is_rule || matches!(rule.finding, ClaimFinding::Fault(_))
            };
            verified.rules.into_iter().filter(is_shown).map(name).collect::<Vec<_>>()
        });
        let rules = named.collect();
        report.targets.push(TargetReport { target: target.name, rules, sets });
    }
    report
}

/// Verifies one version by what the files of a target are.
fn verify_on_target(
    target: &'static Emitter,
    version: &ResourceVersion,
    emit_version: &(dyn Fn(&ResourceVersion) -> Result<Emission, EmitError> + Sync),
    request: &Request<'_>,
) -> VerifiedVersion {
    let artefact = target.rule_set_artefact();
    let is_policy = artefact == Some(Artefact::Policies);
    if let Some(read_entries) = target.authored.as_ref().and_then(|form| form.read_entries) {
        let reading = EntryReading::Text(read_entries);
        authored::verify_entries(version, reading, emit_version(version), request)
    } else if artefact == Some(Artefact::Annotation) {
        annotations::verify_annotation(version, emit_version(version), request)
    } else if let Some(artefact @ (Artefact::Definition | Artefact::ValidationRules)) = artefact {
        let reading = EntryReading::Run(artefact);
        authored::verify_entries(version, reading, emit_version(version), request)
    } else if let Some(cause) = version.policy_only_cause().filter(|_| !is_policy) {
        only_of_policies(version, cause)
    } else if let Some(origin) = policy_origin(version) {
        policy_schemas::verify_policy_schema(target, version, origin, emit_version)
    } else if is_policy {
        let files = policies::PolicyFiles { emit: emit_version, servers: request.servers };
        policies::verify_policies(version, files)
    } else {
        verify_version(target, version, emit_version)
    }
}

/// A report with the numbers of what is verified.
fn count_inputs(request: &Request<'_>) -> Report {
    let count = |is_counted: fn(&ResourceVersion) -> bool| {
        request.resources.iter().filter(|version| is_counted(version)).count()
    };
    Report {
        resources: count(|version| version.authored.is_none()),
        rule_sets: request.authored.len(),
        policies: count(ResourceVersion::is_of_policy),
        ..Report::default()
    }
}

/// The policy whose validations the rules of a version are.
fn policy_origin(version: &ResourceVersion) -> Option<&PolicyOrigin> {
    version.authored.as_ref()?.policy.as_ref()
}

#[derive(Default)]
struct VerifiedVersion {
    rules: Vec<RuleReport>,
    /// True if rules were tried with fewer values, because they are many and the objects large.
    is_reduced: bool,
    /// Result for all rules together, if they are tried so.
    set: Option<SetReport>,
    objects: usize,
}

/// Rules that a schema cannot have.
fn only_of_policies(version: &ResourceVersion, cause: &str) -> VerifiedVersion {
    let rule = |rule: DefinitionRule| RuleReport {
        rule: rule.name_by_place(),
        sets: vec![set_name(version)],
        claim: Fidelity::Unsupported(cause.to_owned()),
        finding: ClaimFinding::Unsupported,
        objects: 0,
    };
    let rules = definition_rules(&version.schema).into_iter().map(rule).collect();
    VerifiedVersion { rules, objects: 0, ..VerifiedVersion::default() }
}

/// Verifies the claims about a version. Keywords are tried on the version without its rules: most generated objects violate some
/// rule, and would show nothing about keywords.
fn verify_version(
    target: &Emitter,
    version: &ResourceVersion,
    emit: &dyn Fn(&ResourceVersion) -> Result<Emission, EmitError>,
) -> VerifiedVersion {
    let set = set_name(version);
    let bare = ResourceVersion { schema: without_rules(&version.schema).into(), ..version.clone() };
    let emitted = || Ok((run_emission(target, emit(version))?, run_emission(target, emit(&bare))?.0));
    let ((validator, fidelity), of_keywords) = match emitted() {
        Ok(made) => made,
        Err(cause) => {
            let finding = ClaimFinding::Fault(ClaimFault::CannotRun(cause));
            let claim = Fidelity::Exact;
            let rule = RuleReport { rule: KEYWORDS.to_owned(), sets: vec![set], claim, finding, objects: 0 };
            return VerifiedVersion { rules: vec![rule], objects: 0, ..VerifiedVersion::default() };
        }
    };
    let mut trial = ResourceTrial::new(&bare, of_keywords, &fidelity);
    let mut compared = trial.compare(OBJECTS);
    trial.show_differences(&mut compared);
    trial.compare_places(&mut compared);
    let mut of_rules = ResourceTrial::new(version, validator, &fidelity);
    let mut compared_rules = of_rules.compare(OBJECTS / 4);
    let work = RuleWork::of_version(version, 1, true);
    let values = work.values_of_rule(VALUES_OF_RULE);
    of_rules.compare_rules(&mut compared_rules, values);
    compared.departures.extend(compared_rules.departures);
    let objects = trial.objects() + of_rules.objects();
    let rule = |(index, entry): (usize, &RuleFidelity)| {
        // Differences from rules are shown where the rules run.
        let own = if is_rule_entry(entry) { &of_rules } else { &trial };
        let found = own.finding(index, entry, &compared);
        let is_unshown = is_rule_entry(entry) && matches!(found, ClaimFinding::Inconclusive(_));
        let alone = if is_unshown { show_alone(target, version, &entry.rule, emit) } else { None };
        RuleReport {
            rule: entry.rule.clone(),
            sets: vec![set.clone()],
            claim: entry.fidelity.clone(),
            finding: alone.unwrap_or(found),
            objects,
        }
    };
    let rules = fidelity.iter().enumerate().map(rule).collect();
    VerifiedVersion { rules, is_reduced: values < VALUES_OF_RULE, set: None, objects }
}

/// Shows the difference of one rule on objects that no other rule rejects; `None` if it cannot.
fn show_alone(
    target: &Emitter,
    version: &ResourceVersion,
    name: &str,
    emit: &dyn Fn(&ResourceVersion) -> Result<Emission, EmitError>,
) -> Option<ClaimFinding> {
    let rule = definition_rules(&version.schema).into_iter().find(|rule| rule.name_by_place() == name)?;
    let single = single_rule::with_single_rule(version, &rule);
    let (validator, fidelity) = run_emission(target, emit(&single)).ok()?;
    let name = DefinitionRule { index: 0, ..rule }.name_by_place();
    let index = fidelity.iter().position(|entry| entry.rule == name)?;
    let mut trial = ResourceTrial::new(&single, validator, &fidelity);
    let mut compared = ResourceComparison::default();
    trial.compare_rules(&mut compared, VALUES_ALONE);
    let finding = trial.finding(index, fidelity.get(index)?, &compared);
    compared.departures.is_empty().then_some(finding)
}

/// True if an entry is about a rule in CEL, and not about a keyword.
fn is_rule_entry(entry: &RuleFidelity) -> bool {
    let (_, keyword) = entry.rule.rsplit_once('.').unwrap_or(("", &entry.rule));
    keyword.starts_with(VALIDATIONS)
}

/// The work that the rules of one version are worth.
#[derive(Clone, Copy, Debug)]
struct RuleWork {
    /// Number of rules.
    rules: usize,
    /// Number of objects that each value of a rule is tried in.
    trials: usize,
    /// Number of rules that run on an object.
    runs: usize,
    /// Number of values in one object.
    size: usize,
}

/// Number of values in all objects that are made for the rules of one version.
const MOST_VALUES: usize = 4_000_000;

/// Number of rules that run on all objects together.
const MOST_RULE_RUNS: usize = 4_000_000;

impl RuleWork {
    /// `runs_all` if all rules run on each object, and not the one alone that it is made for.
    fn of_version(version: &ResourceVersion, trials: usize, runs_all: bool) -> Self {
        let object = ObjectGenerator::new(&version.schema).generate_valid(0);
        let rules = definition_rules(&version.schema).len();
        Self { rules, trials, runs: if runs_all { rules } else { 1 }, size: count_values(&object) }
    }

    /// Number of values that each rule is tried with: so many, or fewer if the rules are many and the objects large.
    fn values_of_rule(self, wanted: usize) -> usize {
        let rules = self.rules.saturating_mul(self.trials).max(1);
        let by_size = MOST_VALUES / rules.saturating_mul(self.size).max(1);
        let by_runs = MOST_RULE_RUNS / rules.saturating_mul(self.runs).max(1);
        by_size.min(by_runs).clamp(1, wanted)
    }

    /// Number of rules that are tried at all.
    fn affordable_rules(self) -> usize {
        MOST_VALUES / self.trials.saturating_mul(self.size).max(1)
    }
}

/// Number of values in a value.
fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(count_values).sum(),
        Value::Array(items) => items.iter().map(count_values).sum::<usize>(),
        _ => 0,
    }
}

/// The validator of an emission, and the claims.
fn run_emission(
    target: &Emitter,
    emission: Result<Emission, EmitError>,
) -> Result<(Validator, Vec<RuleFidelity>), String> {
    let pointer = match target.rule_set_artefact() {
        Some(Artefact::Schema(pointer)) => pointer,
        _ => "",
    };
    let emission = emission.map_err(|error| error.message)?;
    let validator = schema_in_files(&emission.files, pointer).map_err(|RunError(cause)| cause)?;
    Ok((validator, emission.fidelity))
}

impl ResourceTrial<'_> {
    /// Returns the result of checking one claim.
    fn finding(&self, index: usize, entry: &RuleFidelity, compared: &ResourceComparison) -> ClaimFinding {
        // A departure that no entry explains contradicts the claim about all keywords.
        if let Some(departure) = compared.departures.first().filter(|_| entry.rule == KEYWORDS) {
            return ClaimFinding::Fault(departure.to_fault());
        }
        let (wider, narrower) = self.shown(index);
        match entry.fidelity.exactness() {
            _ if entry.rule == KEYWORDS && !compared.untried.is_empty() => {
                ClaimFinding::Inconclusive(untried_reason(&compared.untried))
            }
            Exactness::Exact => ClaimFinding::Exact,
            Exactness::Unsupported => ClaimFinding::Unsupported,
            _ if wider.is_none() && narrower.is_none() => {
                ClaimFinding::Inconclusive("no generated object shows the difference".to_owned())
            }
            _ => ClaimFinding::AsClaimed { wider: wider.cloned(), narrower: narrower.cloned() },
        }
    }
}

/// The reason why the claim about all keywords is not decided.
fn untried_reason(places: &[String]) -> String {
    let first = places.first().map_or("", String::as_str);
    let more = match places.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    format!("no object that the server accepts was generated with the field `{first}`{more}")
}

impl ResourceDeparture {
    fn to_fault(&self) -> ClaimFault {
        let verdict = |rejects: bool| ObjectVerdict { rejects, warns: false };
        ClaimFault::UnclaimedDeparture {
            way: if self.is_wider { Exactness::Wider } else { Exactness::Narrower },
            object: self.object.clone(),
            expected: verdict(self.is_wider),
            actual: verdict(!self.is_wider),
        }
    }
}
