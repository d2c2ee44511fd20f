//! Objects that pass a validation of a policy and that violate it: found as for rules of definitions, and shown only if the policy
//! itself answers so.

use std::sync::Arc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{
    Binding, BindingOutcome, Decision, DecisionOrigin, ParamReport, Policy, PolicyOutcome, Request,
    report_request,
};
use kvrules_lift::{DefinitionRule, PolicyLifter, PolicySubject, object_rules};
use kvrules_pages::fact::Fact;
use kvrules_schema_keywords::VALIDATIONS;
use serde_json::{Value as Json, json};

use crate::samples::{
    PlaceServer, RuleSample, complete_items, object_head, rule_samples, values_around, with_parts,
};

use super::param_samples::ParamSamples;
use super::rule_facts::CONFIRMED_ON;
use super::values::code_fact;

/// Number of objects that are tried: match conditions and a validation have to come together in one.
const VALUES: usize = 600;

/// Returns an object that passes a validation and one that violates it, as far as they were found, of the first kind that can violate it.
/// A validation may be about some of the kinds alone.
pub(super) fn validation_samples(
    document: &Json,
    policy: &Policy,
    subjects: &[PolicySubject],
    validation: usize,
) -> Vec<Fact> {
    let mut first = None;
    for subject in subjects {
        let sampled = SampledValidation::new(document, policy, subject, validation).find_objects();
        match sampled {
            Some(objects) if objects.fails.is_some() => return objects.to_facts(),
            found => first = first.or(found),
        }
    }
    if let Some(objects) = first {
        return objects.to_facts();
    }
    let with_params = |subject| ParamSamples { document, policy, subject, validation }.find_facts();
    subjects.iter().find_map(with_params).unwrap_or_default()
}

/// Objects that show what a validation demands, as far as they were found.
struct ValidationObjects {
    passes: Option<Json>,
    fails: Option<Json>,
}

impl ValidationObjects {
    fn to_facts(&self) -> Vec<Fact> {
        let fact = |kind: &str, label: &str, object: &Option<Json>| {
            Some(code_fact(kind, label, kvrules_syntax::to_yaml(object.as_ref()?).ok()?.trim_end()))
        };
        let passes = fact("passes", "Passes", &self.passes);
        passes.into_iter().chain(fact("fails", "Fails", &self.fails)).collect()
    }
}

/// A validation and the kind of objects that samples are of.
struct SampledValidation<'a> {
    document: &'a Json,
    policy: &'a Policy,
    subject: &'a PolicySubject,
    validation: usize,
    schema: Json,
    /// The types of the objects.
    types: ObjectSchema,
}

impl<'a> SampledValidation<'a> {
    fn new(document: &'a Json, policy: &'a Policy, subject: &'a PolicySubject, validation: usize) -> Self {
        let schema = subject.object_schema();
        let types = ObjectSchema::new(&schema).without_metadata_checks();
        Self { document, policy, subject, validation, schema, types }
    }

    fn find_objects(&self) -> Option<ValidationObjects> {
        let lifter = PolicyLifter::new(self.document, self.policy, self.subject);
        let formulas = lifter.lift_for_object(self.validation, CONFIRMED_ON).ok()?;
        let rules = object_rules(self.policy, &self.subject.object);
        let text = rules.into_iter().nth(self.validation)?.rule.ok()?;
        let entry = json!({ "rule": text });
        let mut schema = self.schema.clone();
        schema.as_object_mut()?.insert(VALIDATIONS.to_owned(), json!([entry]));
        let definition = DefinitionRule {
            place: Vec::new(),
            schema: Arc::new(schema),
            index: 0,
            source: RuleSource::from_json(&entry),
            constant_fields: Vec::new(),
        };
        let found =
            rule_samples(&definition, &formulas, ("", VALUES), &PlaceServer::new(&definition.schema, true));
        let sampled = |sample: Option<RuleSample>| Some(self.whole(&sample?.value));
        let fails = sampled(found.fails).filter(|object| self.violates(object) == Some(true));
        let passes = match &fails {
            // Objects that a match condition excludes pass too, but show nothing.
            Some(fails) => values_around(fails).into_iter().find(|near| self.violates(near) == Some(false)),
            None => None,
        };
        let passes = passes.or_else(|| sampled(found.passes).filter(|it| self.violates(it) == Some(false)));
        let closer =
            |passes: &Json| values_around(passes).into_iter().find(|near| self.violates(near) == Some(true));
        let fails = fails.map(|fails| passes.as_ref().and_then(closer).unwrap_or(fails));
        let whole = |object: Option<Json>, fails: bool| Some(self.complete(object?, fails));
        Some(ValidationObjects { passes: whole(passes, false), fails: whole(fails, true) })
    }

    /// The object with what every item of a list has.
    fn complete(&self, object: Json, fails: bool) -> Json {
        let PolicySubject { group, version, kind, .. } = self.subject;
        complete_items(object, (group, version, kind), &|object| self.violates(object) == Some(fails))
    }

    /// An object of the kind with the parts of a sample.
    fn whole(&self, parts: &Json) -> Json {
        with_parts(&object_head(&self.subject.api_version(), &self.subject.kind, false), parts)
    }

    /// True if the policy says that an object violates the validation; `None` if it does not evaluate it, or with an error.
    fn violates(&self, object: &Json) -> Option<bool> {
        let head = self.whole(&json!({}));
        if ["apiVersion", "kind"].iter().any(|name| object.get(*name) != head.get(*name)) {
            return None;
        }
        object.pointer("/metadata/name")?;
        if !self.types.admit_object(object, None).is_accepted() {
            return None;
        }
        let report = self.report(object)?;
        if report.skipped_by.is_some() {
            return None;
        }
        let is_about = |decision: &&Decision| decision.origin == DecisionOrigin::Validation(self.validation);
        match report.decisions.iter().find(is_about) {
            None => Some(false),
            Some(decision) => (!decision.is_error).then_some(true),
        }
    }

    fn report(&self, object: &Json) -> Option<ParamReport> {
        let (group, resource) = (&self.subject.group, &self.subject.resource);
        let operations = self.subject.matched_operations(self.document);
        let mut request = if operations.contains(&"CREATE") {
            Request::for_creation(group, resource, object.clone())
        } else {
            Request::for_update(group, resource, object.clone(), object.clone())
        };
        request.version.clone_from(&self.subject.version);
        let binding = Binding::for_policy("example", &self.policy.name);
        let reports = report_request(std::slice::from_ref(self.policy), &[binding], &request);
        let PolicyOutcome::Bound(bound) = reports.into_iter().next()?.outcome else { return None };
        let BindingOutcome::Evaluated(evaluated) = bound.into_iter().next()?.outcome else { return None };
        evaluated.into_iter().next()
    }
}
