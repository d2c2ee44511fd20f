//! Annotations that RuleSets become, compared with the meaning of the words.
//!
//! The rules are read back from the files. Objects are made of their predicates, which show every case of every place in them, and of the
//! values that the expression of the RuleSet's rule treats differently.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::resource_schema::set_name;
use kvrules_emit::{Emission, EmitError, Fidelity, Request, RuleFidelity};
use kvrules_eval::{Outcome, Program};
use kvrules_generate::{ObjectGenerator, without_rules};
use kvrules_ir::ElaboratedRule;
use kvrules_lift::{RuleValues, lift_expression};
use kvrules_rule_set::{AuthoredRule, RuleSet};
use serde_json::Value;

use super::VerifiedVersion;
use super::trial::{add_head, name_of_objects};
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict, VerdictTally};
use crate::report::RuleReport;
use crate::run::read_annotation;
use crate::synthesise::{SizeLimits, synthesise_objects};

/// Number of values of each rule that objects are made of.
const VALUES: usize = 60;

/// Maximum number of objects that one rule is tried with.
const MOST_OBJECTS: usize = 600;

/// Verifies the rules of one severity.
pub(super) fn verify_annotation(
    version: &ResourceVersion,
    emission: Result<Emission, EmitError>,
    request: &Request<'_>,
) -> VerifiedVersion {
    let set = set_name(version);
    let read = emission.map_err(|error| error.message).and_then(|emission| {
        let rules = read_back(&emission)?;
        Ok((emission, rules))
    });
    let report = |rule: &str, claim: Fidelity, (finding, objects)| RuleReport {
        rule: rule.to_owned(),
        sets: vec![set.clone()],
        claim,
        finding,
        objects,
    };
    let rules: Vec<RuleReport> = match read {
        Err(cause) => vec![report(&set, Fidelity::Exact, (not_run(cause), 0))],
        Ok((emission, read)) => {
            let trial = AnnotationTrial::new(version, request, &read);
            let verified =
                |entry: &RuleFidelity| report(&entry.rule, entry.fidelity.clone(), trial.verify_claim(entry));
            emission.fidelity.iter().map(verified).collect()
        }
    };
    let objects = rules.iter().map(|rule| rule.objects).sum();
    VerifiedVersion { rules, objects, ..VerifiedVersion::default() }
}

fn not_run(cause: String) -> ClaimFinding {
    ClaimFinding::Fault(ClaimFault::CannotRun(cause))
}

/// The rules of all files.
fn read_back(emission: &Emission) -> Result<Vec<ElaboratedRule>, String> {
    let read = |file| read_annotation(file, "", Catalog::kubevirt_vm()).map_err(|error| error.0);
    let files: Vec<Vec<ElaboratedRule>> = emission.files.iter().map(read).collect::<Result<_, _>>()?;
    Ok(files.into_iter().flatten().collect())
}

struct AnnotationTrial<'a> {
    version: &'a ResourceVersion,
    set: Option<&'a RuleSet>,
    read: &'a [ElaboratedRule],
    /// The definition without rules.
    server: ObjectSchema,
    name: Value,
}

impl<'a> AnnotationTrial<'a> {
    fn new(version: &'a ResourceVersion, request: &Request<'a>, read: &'a [ElaboratedRule]) -> Self {
        let name = version.authored.as_ref().map(|authored| authored.name.as_str());
        let set = request.authored.iter().find(|set| Some(set.name.as_str()) == name);
        let bare = without_rules(&version.schema);
        let server = ObjectSchema::new(&bare).without_metadata_checks();
        Self { version, set, read, server, name: name_of_objects(&bare) }
    }

    /// The finding about a rule, and the number of objects that both sides evaluated.
    fn verify_claim(&self, entry: &RuleFidelity) -> (ClaimFinding, usize) {
        let shown = self.version.shown_rule_name(&entry.rule);
        let found = self.set.and_then(|set| Some((set, set.rules.iter().find(|rule| rule.name == shown)?)));
        let Some((set, rule)) = found else {
            return (not_run("the RuleSet does not have the rule".to_owned()), 0);
        };
        let own: Vec<&ElaboratedRule> = self.read.iter().filter(|read| is_of_rule(read, rule, set)).collect();
        match (&entry.fidelity, own.is_empty()) {
            (Fidelity::Unsupported(_), true) => return (ClaimFinding::Unsupported, 0),
            (Fidelity::Unsupported(_), false) => {
                return (not_run("the annotation has the rule all the same".to_owned()), 0);
            }
            (_, true) => return (not_run("the annotation does not have the rule".to_owned()), 0),
            (_, false) => {}
        }
        let programs = own.iter().map(|rule| Program::new(rule)).collect::<Result<Vec<_>, _>>();
        let programs = match programs {
            Ok(programs) => programs,
            Err(error) => return (not_run(error.to_string()), 0),
        };
        let mut tally = VerdictTally::default();
        for object in self.objects(&own, set, rule) {
            let is_violated = set.find_violations(&object, None).iter().any(|found| found.name == rule.name);
            let is_rejected =
                programs.iter().any(|program| program.evaluate_object(&object).outcome == Outcome::Violated);
            let verdict = |is_violated: bool| ObjectVerdict { rejects: is_violated, warns: false };
            tally.note(&object, verdict(is_violated), verdict(is_rejected));
        }
        let objects = tally.objects;
        if objects == 0 {
            let cause = "no object that the definition accepts was generated".to_owned();
            return (ClaimFinding::Inconclusive(cause), 0);
        }
        (tally.finding(&entry.fidelity, true), objects)
    }

    /// The objects that show a case, as a server with the definition stores them.
    fn objects(&self, read: &[&ElaboratedRule], set: &RuleSet, rule: &AuthoredRule) -> Vec<Value> {
        let made = synthesise_objects(read, &SizeLimits::default()).objects;
        let mut made: Vec<Value> =
            made.into_iter().filter(|candidate| candidate.served).map(|candidate| candidate.value).collect();
        made.extend(self.objects_of_rule(set, rule));
        for object in &mut made {
            add_head(object, self.version, &self.name);
            add_required(object, &self.version.schema, 0);
        }
        let stored = |object: &Value| {
            let admission = self.server.admit_object(object, None);
            admission.is_accepted().then_some(admission.stored)
        };
        made.iter().filter_map(stored).take(MOST_OBJECTS).collect()
    }

    fn objects_of_rule(&self, set: &RuleSet, rule: &AuthoredRule) -> Vec<Value> {
        let Some(placed) = rule.to_definition_rule(&set.subject) else { return Vec::new() };
        let lifted = placed
            .check_types()
            .and_then(|(expression, checked)| lift_expression(&expression, &checked, &[]));
        let Ok(formulas) = lifted else { return Vec::new() };
        let mut values = RuleValues::new(&placed, &formulas);
        let mut generator = ObjectGenerator::new(&self.version.schema);
        let mut object = |index: usize| {
            let value = values.make_value(index);
            match placed.place.as_slice() {
                [] => Some(value),
                place => generator.generate_holding(place, index, &value),
            }
        };
        (0..VALUES).filter_map(&mut object).collect()
    }
}

/// Adds the fields that a schema requires; those in the items of a list with other values for each item.
fn add_required(value: &mut Value, node: &Value, index: usize) {
    match value {
        Value::Object(fields) => {
            let names = node.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in names.filter_map(Value::as_str) {
                let Some(below) = node.get("properties").and_then(|known| known.get(name)) else { continue };
                if !fields.contains_key(name) {
                    fields.insert(name.to_owned(), ObjectGenerator::new(below).generate_valid(index));
                }
            }
            for (name, below) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    add_required(field, below, index);
                }
            }
        }
        Value::Array(items) => {
            let below = node.get("items").unwrap_or(&Value::Null);
            items.iter_mut().enumerate().for_each(|(index, item)| add_required(item, below, index));
        }
        _ => {}
    }
}

/// True if a rule of the annotation was made of a rule: it has the name, or the name with a number.
fn is_of_rule(read: &ElaboratedRule, rule: &AuthoredRule, set: &RuleSet) -> bool {
    let numbered = || {
        let rest = read.name.strip_prefix(rule.name.as_str()).is_some_and(|rest| rest.starts_with(" ("));
        rest && set.rules.iter().all(|other| other.name != read.name)
    };
    read.name == rule.name || numbered()
}
