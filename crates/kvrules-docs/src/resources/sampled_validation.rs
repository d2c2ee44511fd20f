//! The answer of a policy itself about an object, for the samples of one of its validations.

use std::cell::OnceCell;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{
    Binding, BindingOutcome, DecisionOrigin, ParamReport, Policy, PolicyOutcome, Request, report_request,
};
use kvrules_lift::PolicySubject;
use serde_json::{Value as Json, json};

use crate::samples::{object_head, with_parts};

/// A validation of a policy and the kind of objects that samples are of.
pub(super) struct SampledValidation<'a> {
    pub(super) document: &'a Json,
    pub(super) policy: &'a Policy,
    pub(super) subject: &'a PolicySubject,
    pub(super) validation: usize,
    /// The types of the objects.
    types: ObjectSchema,
    /// The policy with this validation alone: others may ask what is not known here, such as permissions.
    alone: Policy,
    /// The policy with each of the other validations alone, once an object is asked about.
    others: OnceCell<Vec<Policy>>,
}

impl<'a> SampledValidation<'a> {
    pub(super) fn new(
        document: &'a Json,
        policy: &'a Policy,
        subject: &'a PolicySubject,
        validation: usize,
    ) -> Self {
        let types = ObjectSchema::new(&subject.object_schema()).without_metadata_checks();
        let alone = Policy::from_json(&with_one_validation(document, validation));
        Self { document, policy, subject, validation, types, alone, others: OnceCell::new() }
    }

    /// An object of the kind with the parts of a sample.
    pub(super) fn whole_object(&self, parts: &Json) -> Json {
        with_parts(&object_head(&self.subject.api_version(), &self.subject.kind, false), parts)
    }

    /// True if the policy says that an object violates the validation, with parameters if it has any; `None` if it does not evaluate it,
    /// or with an error.
    pub(super) fn is_violated_by(&self, object: &Json, params: Option<&Json>) -> Option<bool> {
        let head = self.whole_object(&json!({}));
        if ["apiVersion", "kind"].iter().any(|name| object.get(*name) != head.get(*name)) {
            return None;
        }
        object.pointer("/metadata/name")?;
        let admission = self.types.admit_object(object, None);
        if !admission.is_accepted() {
            return None;
        }
        let report = self.report(&self.alone, &admission.stored, params);
        let report = report.filter(|report| report.skipped_by.is_none())?;
        let is_about = DecisionOrigin::Validation(0);
        match report.decisions.iter().find(|decision| decision.origin == is_about) {
            // A match condition that ends in an error denies the object whatever the validation says.
            None => report.decisions.is_empty().then_some(false),
            Some(decision) => (!decision.is_error).then_some(true),
        }
    }

    /// True if another validation of the policy rejects an object, also by an error. Validations that cannot be evaluated here do not count:
    /// those about permissions, namespaces or parameters.
    pub(super) fn is_rejected_by_others(&self, object: &Json) -> bool {
        let admission = self.types.admit_object(object, None);
        let others = self.others.get_or_init(|| {
            let others = (0..self.policy.validations.len()).filter(|index| *index != self.validation);
            others.map(|index| Policy::from_json(&with_one_validation(self.document, index))).collect()
        });
        others.iter().filter_map(|policy| self.report(policy, &admission.stored, None)).any(|report| {
            report.decisions.iter().any(|decision| {
                let is_known = !decision.is_error || self.policy.param_kind.is_none();
                is_known && decision.origin == DecisionOrigin::Validation(0)
            })
        })
    }

    /// The answer of a policy to a request with the object, which creates it if the policy sees such requests.
    fn report(&self, policy: &Policy, object: &Json, params: Option<&Json>) -> Option<ParamReport> {
        let (group, resource) = (&self.subject.group, &self.subject.resource);
        let operations = self.subject.matched_operations(self.document);
        let mut request = if operations.contains(&"CREATE") {
            Request::for_creation(group, resource, object.clone())
        } else {
            Request::for_update(group, resource, object.clone(), object.clone())
        };
        request.version.clone_from(&self.subject.version);
        request.params = params.map(|params| ("params".to_owned(), params.clone())).into_iter().collect();
        let binding = self.binding(params.is_some());
        let reports = report_request(std::slice::from_ref(policy), &[binding], &request);
        let PolicyOutcome::Bound(bound) = reports.into_iter().next()?.outcome else { return None };
        let BindingOutcome::Evaluated(evaluated) = bound.into_iter().next()?.outcome else { return None };
        evaluated.into_iter().next()
    }

    fn binding(&self, has_params: bool) -> Binding {
        if !has_params {
            return Binding::for_policy("example", &self.policy.name);
        }
        let spec = json!({"policyName": self.policy.name, "validationActions": ["Deny"],
            "paramRef": {"name": "params", "parameterNotFoundAction": "Deny"}});
        Binding::from_json(&json!({"metadata": {"name": "example"}, "spec": spec}))
    }
}

/// The document of a policy with one of its validations.
fn with_one_validation(document: &Json, validation: usize) -> Json {
    let mut document = document.clone();
    if let Some(spec) = document.get_mut("spec").and_then(Json::as_object_mut) {
        let one = spec.get("validations").and_then(|all| all.get(validation)).cloned();
        spec.insert("validations".to_owned(), Json::Array(one.into_iter().collect()));
        spec.shift_remove("auditAnnotations");
    }
    document
}
