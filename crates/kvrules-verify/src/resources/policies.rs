//! Policies with the rules of CustomResourceDefinitions, compared with the server that evaluates the rules itself.
//!
//! Each rule is tried by itself on values that it treats differently, in creations and in updates: of the same object, of one with
//! another value at the place of the rule, of one with other values elsewhere, and of one with its lists in another order. Then
//! all rules are tried together.

use std::collections::HashMap;
use std::ops::Range;

use kvrules_apiserver::definition::{AuthoredObjects, RequestSelection, ResourceVersion};
use kvrules_apiserver::policy::acceptance::review_binding;
use kvrules_apiserver::policy::{Binding, Policy};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_diagnostics::Exactness;
use kvrules_emit::resource_schema::{KEYWORDS, set_name};
use kvrules_emit::{Emission, EmitError, Fidelity, RuleFidelity};
use kvrules_generate::{ObjectGenerator, PlaceStep, schema_at_place};
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, VALIDATIONS};
use kvrules_lift::{DefinitionRule, RuleValues, definition_rules, lift_expression};
use serde_json::{Value, json};

use super::policy_trial::{PolicyDeparture, PolicyTrial};
use super::single_rule::with_single_rule;
use super::{RuleWork, VerifiedVersion};
use crate::claims::{ClaimFault, ClaimFinding, ObjectVerdict};
use crate::report::{RuleReport, SetReport};
use crate::run::{parse_documents, require_requests, review_on_servers};

/// Number of values that each rule is tried with.
const VALUES: usize = 40;

/// Number of requests that each value is tried in.
const TRIALS: usize = 12;

/// Reason why a rule is not tried.
const TOO_MANY: &str = "the rules are too many, and the objects too large, to try this one";

/// Number of values that are tried to show that a request for a subresource may violate a rule.
const WRITTEN_VALUES: usize = 2000;

/// Number of objects that all rules of a version are tried with.
const OBJECTS: usize = 60;

type EmitVersion<'a> = dyn Fn(&ResourceVersion) -> Result<Emission, EmitError> + 'a;

/// Files for servers.
#[derive(Clone, Copy)]
pub(super) struct PolicyFiles<'a> {
    pub(super) emit: &'a EmitVersion<'a>,
    pub(super) servers: KubernetesVersions,
}

/// Verifies the claims about the rules of a version.
pub(super) fn verify_policies(version: &ResourceVersion, files: PolicyFiles<'_>) -> VerifiedVersion {
    let set = set_name(version);
    let whole = match RunPolicies::of_version(version, files) {
        Ok(whole) => whole,
        Err(cause) => return not_run(set, cause),
    };
    let mut objects = 0;
    let mut rules = Vec::new();
    let known: HashMap<String, DefinitionRule> =
        definition_rules(&version.schema).into_iter().map(|rule| (rule.name_by_place(), rule)).collect();
    let work = RuleWork::of_version(version, TRIALS, false);
    let (values, affordable) = (work.values_of_rule(VALUES), work.affordable_rules());
    let mut remaining = RemainingValidations { whole: &whole, first: 0 };
    for (index, entry) in whole.fidelity.iter().enumerate() {
        let rule = known.get(&entry.rule);
        let (finding, tried) = match rule {
            Some(_) if index >= affordable => (ClaimFinding::Inconclusive(TOO_MANY.to_owned()), 0),
            Some(rule) => verify_rule(version, rule, (entry, values), &mut remaining, files),
            None => (keywords_finding(entry), 0),
        };
        objects += tried;
        let (rule, claim) = (entry.rule.clone(), entry.fidelity.clone());
        rules.push(RuleReport { rule, sets: vec![set.clone()], claim, finding, objects: tried });
    }
    let report = (rules.len() > 2).then(|| verify_whole(version, set, &whole));
    objects += report.as_ref().map_or(0, |report| report.objects);
    VerifiedVersion { rules, is_reduced: values < VALUES, set: report, objects }
}

fn not_run(set: String, cause: String) -> VerifiedVersion {
    let finding = ClaimFinding::Fault(ClaimFault::CannotRun(cause));
    let claim = Fidelity::Exact;
    let rule = RuleReport { rule: KEYWORDS.to_owned(), sets: vec![set], claim, finding, objects: 0 };
    VerifiedVersion { rules: vec![rule], objects: 0, ..VerifiedVersion::default() }
}

/// The claim about keywords is that the policy has none.
fn keywords_finding(entry: &RuleFidelity) -> ClaimFinding {
    match entry.fidelity.exactness() {
        Exactness::Unsupported => ClaimFinding::Unsupported,
        _ => ClaimFinding::Inconclusive("it is not a rule".to_owned()),
    }
}

/// The fields of match constraints that select objects by labels.
const SELECTORS: [&str; 2] = ["namespaceSelector", "objectSelector"];

/// Removes the selectors, which have been compared: generated objects have other labels.
fn remove_selectors(document: &mut Value) {
    let constraints = document.pointer_mut("/spec/matchConstraints").and_then(Value::as_object_mut);
    if let Some(constraints) = constraints {
        for name in SELECTORS {
            constraints.shift_remove(name);
        }
    }
}

/// The policies of a version, which the server accepts.
struct RunPolicies {
    documents: Vec<Value>,
    fidelity: Vec<RuleFidelity>,
    servers: KubernetesVersions,
}

impl RunPolicies {
    fn of_version(version: &ResourceVersion, files: PolicyFiles<'_>) -> Result<Self, String> {
        let emission = (files.emit)(version).map_err(|error| error.message)?;
        let documents = parse_documents(&emission.files).map_err(|error| error.0)?;
        let servers = files.servers;
        let mut found = Self { documents, fidelity: emission.fidelity, servers };
        let policies = found.of_kind("ValidatingAdmissionPolicy");
        let refusals = policies.flat_map(|policy| review_on_servers(policy, servers));
        let of_bindings = found.of_kind("ValidatingAdmissionPolicyBinding").flat_map(review_binding);
        if let Some(refusal) = refusals.chain(of_bindings).next() {
            return Err(format!("the API server rejects it: {}: {}", refusal.field, refusal.message));
        }
        let wanted = version.authored.as_ref().map(|authored| match authored.severity {
            "warn" => "Warn",
            "audit" => "Audit",
            _ => "Deny",
        });
        for binding in found.of_kind("ValidatingAdmissionPolicyBinding") {
            let actions = binding.pointer("/spec/validationActions");
            if wanted.is_some_and(|wanted| actions != Some(&json!([wanted]))) {
                return Err("the binding has other actions than the rules".to_owned());
            }
        }
        let selection = version.selection();
        for policy in found.of_kind("ValidatingAdmissionPolicy") {
            for name in SELECTORS {
                let constraints = policy.pointer("/spec/matchConstraints").and_then(|it| it.get(name));
                if constraints != selection.and_then(|selection| selection.selectors.get(name)) {
                    return Err(format!("the policy has another `{name}` than the RuleSet"));
                }
            }
        }
        found.documents.iter_mut().for_each(remove_selectors);
        for policy in found.of_kind("ValidatingAdmissionPolicy") {
            let operations = selection.map_or(vec!["CREATE", "UPDATE"], RequestSelection::listed_operations);
            let is_of_version =
                version.authored.is_none() || version.authored_objects() == AuthoredObjects::OfAnyKind;
            let evaluated = version.written_subresources().filter(|written| written.is_evaluated);
            let evaluated = evaluated.map(|written| version.subresource_name(written));
            for resource in std::iter::once(version.plural.clone()).chain(evaluated) {
                let resource = (resource.as_str(), is_of_version);
                require_requests(policy, (&version.group, &version.version), resource, &operations)?;
            }
        }
        Ok(found)
    }

    fn of_kind<'d>(&'d self, kind: &'static str) -> impl Iterator<Item = &'d Value> {
        let is_kind = move |document: &&Value| document.get("kind").and_then(Value::as_str) == Some(kind);
        self.documents.iter().filter(is_kind)
    }

    fn trial(&self, version: &ResourceVersion) -> PolicyTrial {
        let policies = self.of_kind("ValidatingAdmissionPolicy").map(Policy::from_json).collect();
        // Violations that are only reported are compared as if they were denied.
        let actions = |binding: &Value| {
            let mut binding = binding.clone();
            if let Some(actions) =
                binding.pointer_mut("/spec/validationActions").filter(|_| !version.rejects())
            {
                *actions = json!(["Deny"]);
            }
            Binding::from_json(&binding)
        };
        let bindings = self.of_kind("ValidatingAdmissionPolicyBinding").map(actions).collect();
        let server = ServerFeatures::of_version(self.servers.oldest());
        PolicyTrial::new(version, policies, bindings).on_server(server)
    }

    /// The validations, without those of other rules.
    fn validations(&self) -> Vec<&Value> {
        let policies = self.of_kind("ValidatingAdmissionPolicy");
        let lists = policies.filter_map(|policy| policy.pointer("/spec/validations")?.as_array());
        lists.flatten().collect()
    }

    /// The policies with some of their validations.
    fn with_validations(&self, kept: &Range<usize>) -> Self {
        let mut documents = self.documents.clone();
        let mut index = 0;
        let lists = documents.iter_mut().filter_map(|document| document.pointer_mut("/spec/validations"));
        for list in lists.filter_map(Value::as_array_mut) {
            list.retain(|_| {
                index += 1;
                kept.contains(&(index - 1))
            });
        }
        Self { documents, fidelity: self.fidelity.clone(), servers: self.servers }
    }
}

/// The validations of all rules, in the order of the rules.
struct RemainingValidations<'p> {
    whole: &'p RunPolicies,
    /// The first validation of the next rule.
    first: usize,
}

impl RemainingValidations<'_> {
    /// Takes the validations of the next rule, of which there are as many as the rule has by itself, with the same messages. Their
    /// expressions may use variables that they share with others.
    fn take_alike(&mut self, single: &RunPolicies) -> Option<RunPolicies> {
        let number = single.validations().len();
        let taken = self.whole.with_validations(&(self.first..self.first + number));
        self.first += number;
        let messages = |run: &RunPolicies| -> Vec<Option<Value>> {
            run.validations().iter().map(|validation| validation.get("message").cloned()).collect()
        };
        (messages(&taken) == messages(single)).then_some(taken)
    }
}

/// Verifies the claim about one rule.
fn verify_rule(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    (entry, values): (&RuleFidelity, usize),
    remaining: &mut RemainingValidations<'_>,
    files: PolicyFiles<'_>,
) -> (ClaimFinding, usize) {
    let claim = entry.fidelity.exactness();
    let single = with_single_rule(version, rule);
    let run = match RunPolicies::of_version(&single, files) {
        Ok(run) => run,
        Err(cause) => return (ClaimFinding::Fault(ClaimFault::CannotRun(cause)), 0),
    };
    let Some(run) = remaining.take_alike(&run) else {
        let cause = "the rule by itself has another validation than among the other rules".to_owned();
        return (ClaimFinding::Fault(ClaimFault::CannotRun(cause)), 0);
    };
    if claim == Exactness::Unsupported {
        let finding = if run.validations().is_empty() {
            ClaimFinding::Unsupported
        } else {
            ClaimFinding::Fault(ClaimFault::CannotRun("the policy has the rule all the same".to_owned()))
        };
        return (finding, 0);
    }
    let mut trial = run.trial(&single);
    let claims_wider = matches!(claim, Exactness::Wider | Exactness::Incomparable);
    try_rule(&mut trial, &single, (rule, values), claims_wider);
    (finding_of_trial(claim, &trial), trial.evaluated)
}

fn finding_of_trial(claim: Exactness, trial: &PolicyTrial) -> ClaimFinding {
    if let Some(cause) = &trial.unsupported {
        return ClaimFinding::Fault(ClaimFault::CannotRun(cause.clone()));
    }
    let allows_wider = matches!(claim, Exactness::Wider | Exactness::Incomparable);
    let allows_narrower = matches!(claim, Exactness::Narrower | Exactness::Incomparable);
    let unclaimed = [(&trial.wider, allows_wider), (&trial.narrower, allows_narrower)];
    let mut unclaimed = unclaimed.into_iter().filter(|(_, is_allowed)| !is_allowed);
    if let Some(departure) = unclaimed.find_map(|(side, _)| side.as_ref()) {
        return ClaimFinding::Fault(departure.to_fault());
    }
    let request = |side: &Option<PolicyDeparture>| side.as_ref().map(|departure| departure.request.clone());
    match claim {
        _ if trial.evaluated == 0 => {
            ClaimFinding::Inconclusive("no object that the schema accepts was generated".to_owned())
        }
        Exactness::Exact => ClaimFinding::Exact,
        _ if trial.wider.is_none() && trial.narrower.is_none() => {
            ClaimFinding::Inconclusive("no generated object shows the difference".to_owned())
        }
        _ => ClaimFinding::AsClaimed { wider: request(&trial.wider), narrower: request(&trial.narrower) },
    }
}

/// Tries a rule on values that it treats differently.
fn try_rule(
    trial: &mut PolicyTrial,
    version: &ResourceVersion,
    (rule, count): (&DefinitionRule, usize),
    claims_wider: bool,
) {
    let mut generator = ObjectGenerator::new(&version.schema);
    let lifted = rule.check_types().and_then(|(expression, checked)| {
        let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
        lift_expression(&expression, &checked, optional)
    });
    let mut values = lifted.ok().map(|formulas| RuleValues::new(rule, &formulas));
    let mut node_generator = ObjectGenerator::new(&rule.schema);
    let mut make_value = |index: usize| match &mut values {
        Some(values) if index % 4 != 3 => values.make_value(index),
        _ => node_generator.generate_valid(index),
    };
    let mut hold = |index: usize, value: &Value| match rule.place.as_slice() {
        [] => Some(value.clone()),
        place => generator.generate_holding(place, index, value),
    };
    // Only few objects pass a rule and violate it with other values of the fields that a subresource writes.
    for index in (VALUES..WRITTEN_VALUES).filter(|_| claims_wider) {
        if trial.wider.is_some() {
            break;
        }
        if let Some(object) = hold(index, &make_value(index)) {
            trial.evaluate_subresources(&object);
        }
    }
    for index in 0..count {
        let value = make_value(index);
        let Some(object) = hold(index, &value) else { continue };
        trial.evaluate_object(&object, None);
        trial.evaluate_subresources(&object);
        let with_nulls = with_some_nulls(&object, &version.schema, index);
        let with_days = with_long_durations(&object, &version.schema, "1 day");
        let with_seconds = with_long_durations(&object, &version.schema, "1 sec");
        for variant in [&with_nulls, &with_days, &with_seconds].into_iter().filter(|it| **it != object) {
            trial.evaluate_object(variant, None);
        }
        let other = with_keys_of(make_value(index / 2 + VALUES), &value, &version.schema, &rule.place);
        let olds = [
            Some(object.clone()),
            hold(index, &other),
            hold(index + 1, &value),
            Some(with_reversed_lists(&object)),
            Some(with_nulls),
            Some(with_other_last_items(&object)),
            hold(index + 2, &make_value(index + 5)),
        ];
        for old in olds.into_iter().flatten() {
            if let Some(stored) = trial.stored_form(&old) {
                trial.evaluate_object(&object, Some(&stored));
            }
        }
    }
}

/// The value with the keys of another, so that a server takes it for the stored form of the same item.
fn with_keys_of(mut value: Value, other: &Value, schema: &Value, place: &[PlaceStep]) -> Value {
    let Some((PlaceStep::Any, around)) = place.split_last() else { return value };
    let list = schema_at_place(schema, around);
    let keys = list.and_then(|list| list.get(LIST_MAP_KEYS)).and_then(Value::as_array);
    for key in keys.into_iter().flatten().filter_map(Value::as_str) {
        if let (Some(fields), Some(own)) = (value.as_object_mut(), other.get(key)) {
            fields.insert(key.to_owned(), own.clone());
        }
    }
    value
}

fn with_reversed_lists(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().rev().map(with_reversed_lists).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_reversed_lists(value))).collect()
        }
        other => other.clone(),
    }
}

/// The object with another scalar at the end of its lists, which keep their sizes.
fn with_other_last_items(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(with_other_last_items).collect();
            match items.last_mut() {
                Some(Value::String(text)) => text.push('x'),
                Some(number) if number.is_i64() => {
                    *number = number.as_i64().map(|number| number.saturating_add(1)).into();
                }
                _ => {}
            }
            items.into()
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_other_last_items(value))).collect()
        }
        other => other.clone(),
    }
}

/// The object with null in every third nullable field.
fn with_some_nulls(value: &Value, schema: &Value, index: usize) -> Value {
    match value {
        Value::Array(items) => {
            let below = schema.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| with_some_nulls(item, below, index)).collect()
        }
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let values = schema.get("additionalProperties").unwrap_or(&Value::Null);
            let below = |name: &str| properties.and_then(|known| known.get(name)).unwrap_or(values);
            let field =
                |(name, value): (&String, &Value)| (name.clone(), with_some_nulls(value, below(name), index));
            let mut fields: serde_json::Map<String, Value> = fields.iter().map(field).collect();
            let nullable =
                properties.into_iter().flatten().filter(|(_, it)| it.get("nullable") == Some(&json!(true)));
            for (position, (name, _)) in nullable.enumerate() {
                if position % 3 == index % 3 {
                    fields.insert(name.clone(), Value::Null);
                }
            }
            fields.into()
        }
        other => other.clone(),
    }
}

/// The object with durations in a form that only schemas have.
fn with_long_durations(value: &Value, schema: &Value, text: &str) -> Value {
    match value {
        Value::String(_) if schema.get("format") == Some(&json!("duration")) => text.into(),
        Value::Array(items) => {
            let below = schema.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| with_long_durations(item, below, text)).collect()
        }
        Value::Object(fields) => {
            let below = |name: &str| {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                property.or_else(|| schema.get("additionalProperties")).unwrap_or(&Value::Null)
            };
            let field = |(name, value): (&String, &Value)| {
                (name.clone(), with_long_durations(value, below(name), text))
            };
            fields.iter().map(field).collect()
        }
        other => other.clone(),
    }
}

/// Tries all rules of a version together, apart from those that the policy does not have.
fn verify_whole(version: &ResourceVersion, set: String, whole: &RunPolicies) -> SetReport {
    let is_left_out = |name: &str| {
        let entry = whole.fidelity.iter().find(|entry| entry.rule == name);
        entry.is_none_or(|entry| entry.fidelity.exactness() == Exactness::Unsupported)
    };
    let schema = without_left_out(&version.schema, "", &is_left_out);
    let is_exact = |entry: &RuleFidelity| {
        matches!(entry.fidelity.exactness(), Exactness::Exact | Exactness::Unsupported)
    };
    if !whole.fidelity.iter().all(is_exact) {
        // A difference could not be ascribed to a rule; each is tried by itself.
        return SetReport { set, ..SetReport::default() };
    }
    let version = ResourceVersion { schema: schema.into(), ..version.clone() };
    let mut trial = whole.trial(&version);
    let mut generator = ObjectGenerator::new(&version.schema);
    for index in 0..OBJECTS {
        let object = generator.generate_object(index);
        trial.evaluate_object(&object, None);
        for old in [object.clone(), generator.generate_valid(index), with_reversed_lists(&object)] {
            if let Some(stored) = trial.stored_form(&old) {
                trial.evaluate_object(&object, Some(&stored));
            }
        }
    }
    let departure = trial.wider.as_ref().or(trial.narrower.as_ref());
    SetReport {
        set,
        fault: departure.map(PolicyDeparture::to_fault),
        objects: trial.evaluated,
        ..SetReport::default()
    }
}

/// The schema without the rules that a policy does not have.
fn without_left_out(node: &Value, path: &str, is_left_out: &dyn Fn(&str) -> bool) -> Value {
    let Value::Object(keywords) = node else { return node.clone() };
    let separator = if path.is_empty() { "" } else { "." };
    let reduce = |(keyword, value): (&String, &Value)| {
        let reduced = match (keyword.as_str(), value) {
            (VALIDATIONS, Value::Array(rules)) => {
                let name = |index| format!("{path}{separator}x-kubernetes-validations[{index}]");
                let kept = rules.iter().enumerate().filter(|(index, _)| !is_left_out(&name(*index)));
                kept.map(|(_, rule)| rule.clone()).collect()
            }
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, child)| {
                    (name.clone(), without_left_out(child, &format!("{path}{separator}{name}"), is_left_out))
                })
                .collect(),
            ("items" | "additionalProperties", _) => {
                without_left_out(value, &format!("{path}[*]"), is_left_out)
            }
            _ => value.clone(),
        };
        (keyword.clone(), reduced)
    };
    keywords.iter().map(reduce).collect()
}

impl PolicyDeparture {
    fn to_fault(&self) -> ClaimFault {
        let verdict = |rejects: bool| ObjectVerdict { rejects, warns: false };
        ClaimFault::UnclaimedDeparture {
            way: if self.is_wider { Exactness::Wider } else { Exactness::Narrower },
            object: self.request.clone(),
            expected: verdict(self.is_wider),
            actual: verdict(!self.is_wider),
        }
    }
}
