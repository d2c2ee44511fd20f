//! Objects with parameters that a validation of a policy compares them with: one that passes with its parameters, and one that violates the
//! validation.

use std::sync::Arc;

use kvrules_apiserver::crd::RuleSource;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{
    Binding, BindingOutcome, DecisionOrigin, ParamReport, Policy, PolicyExpression, PolicyOutcome, Request,
    report_request,
};
use kvrules_generate::PlaceStep;
use kvrules_lift::{DefinitionRule, PolicyLifter, PolicySubject, inline_variables, rename_roots};
use kvrules_pages::fact::Fact;
use kvrules_schema_keywords::VALIDATIONS;
use serde_json::{Value as Json, json};

use super::rule_facts::CONFIRMED_ON;
use super::values::code_fact;
use crate::samples::{PlaceServer, RuleSample, object_head, rule_samples, with_parts};

/// Number of pairs that are tried.
const VALUES: usize = 300;

/// The names of expressions, and what they are in a rule about an object with its parameters.
const NAMES: &[(&str, &str)] = &[("object", "self.object"), ("params", "self.params")];

/// A validation that compares objects with parameters.
pub(super) struct ParamSamples<'a> {
    pub(super) document: &'a Json,
    pub(super) policy: &'a Policy,
    pub(super) subject: &'a PolicySubject,
    pub(super) validation: usize,
}

impl ParamSamples<'_> {
    /// Returns the pairs that were found, as facts.
    pub(super) fn find_facts(&self) -> Option<Vec<Fact>> {
        let rule = self.rule_about_pairs()?;
        let lifter = PolicyLifter::new(self.document, self.policy, self.subject);
        let formulas = lifter.lift_for_object_and_params(self.validation, CONFIRMED_ON).ok()?;
        let server = PlaceServer::new(&rule.schema, false);
        let found = rule_samples(&rule, &formulas, ("", VALUES), &server);
        let fact = |kind: &str, label: &str, sample: Option<RuleSample>, violates: bool| {
            let pair = sample?.value;
            let (object, params) = (self.whole_object(&pair)?, self.whole_params(&pair)?);
            (self.violates(&object, &params)? == violates).then_some(())?;
            let yaml = |value: &Json| Some(kvrules_syntax::to_yaml(value).ok()?.trim_end().to_owned());
            let text = format!("# parameters\n{}\n---\n# object\n{}", yaml(&params)?, yaml(&object)?);
            Some(code_fact(kind, label, text))
        };
        let passes = fact("passes", "Passes", found.passes, false);
        Some(passes.into_iter().chain(fact("fails", "Fails", found.fails, true)).collect())
    }

    /// The validation where the match conditions hold, as a rule about an object and the parameters.
    fn rule_about_pairs(&self) -> Option<DefinitionRule> {
        let text = |expression: PolicyExpression| {
            let inlined = inline_variables(self.policy, expression).ok()?;
            let is_renamable = !inlined.root.declares_name(|name| name == "self");
            let renamed = is_renamable.then(|| rename_roots(&inlined, NAMES).ok())??;
            Some(format!("({renamed}\n)"))
        };
        let guards: Option<Vec<String>> = (0..self.policy.conditions.len())
            .map(|index| text(PolicyExpression::MatchCondition(index)))
            .collect();
        let (guards, validation) = (guards?, text(PolicyExpression::Validation(self.validation))?);
        let rule = if guards.is_empty() {
            validation
        } else {
            format!("{} ? {validation} : true", guards.join(" && "))
        };
        let entry = json!({ "rule": rule });
        let (object, params) = (self.subject.object_schema(), self.subject.params.as_ref()?);
        let schema = json!({
            "type": "object",
            "required": ["object", "params"],
            "properties": {"object": object, "params": params},
            VALIDATIONS: [entry],
        });
        Some(DefinitionRule {
            place: vec![PlaceStep::Any],
            schema: Arc::new(schema),
            index: 0,
            source: RuleSource::from_json(&entry),
            constant_fields: Vec::new(),
        })
    }

    /// An object of the kind with the parts of a pair.
    fn whole_object(&self, pair: &Json) -> Option<Json> {
        let head = object_head(&self.subject.api_version(), &self.subject.kind, false);
        Some(with_parts(&head, pair.get("object")?))
    }

    /// Parameters of the policy's kind with the parts of a pair.
    fn whole_params(&self, pair: &Json) -> Option<Json> {
        let kind = self.policy.param_kind.as_ref()?;
        Some(with_parts(&object_head(&kind.api_version, &kind.kind, false), pair.get("params")?))
    }

    /// True if the policy says that an object violates the validation with parameters; `None` if it does not evaluate it, or with an
    /// error.
    fn violates(&self, object: &Json, params: &Json) -> Option<bool> {
        object.pointer("/metadata/name")?;
        let types = ObjectSchema::new(&self.subject.object_schema()).without_metadata_checks();
        if !types.admit_object(object, None).is_accepted() {
            return None;
        }
        let report = self.report(object, params).filter(|report| report.skipped_by.is_none())?;
        let is_about = DecisionOrigin::Validation(self.validation);
        match report.decisions.iter().find(|decision| decision.origin == is_about) {
            None => Some(false),
            Some(decision) => (!decision.is_error).then_some(true),
        }
    }

    fn report(&self, object: &Json, params: &Json) -> Option<ParamReport> {
        let (group, resource) = (&self.subject.group, &self.subject.resource);
        let operations = self.subject.matched_operations(self.document);
        let mut request = if operations.contains(&"CREATE") {
            Request::for_creation(group, resource, object.clone())
        } else {
            Request::for_update(group, resource, object.clone(), object.clone())
        };
        request.version.clone_from(&self.subject.version);
        request.params = vec![("params".to_owned(), params.clone())];
        let spec = json!({"policyName": self.policy.name, "validationActions": ["Deny"],
            "paramRef": {"name": "params", "parameterNotFoundAction": "Deny"}});
        let binding = Binding::from_json(&json!({"metadata": {"name": "example"}, "spec": spec}));
        let reports = report_request(std::slice::from_ref(self.policy), &[binding], &request);
        let PolicyOutcome::Bound(bound) = reports.into_iter().next()?.outcome else { return None };
        let BindingOutcome::Evaluated(evaluated) = bound.into_iter().next()?.outcome else { return None };
        evaluated.into_iter().next()
    }
}
