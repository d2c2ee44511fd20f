//! Admission policies over the creation of an object.

use kvrules_apiserver::definition::WrittenSubresource;
use kvrules_apiserver::policy::acceptance::{
    PolicyRejection, policy_refusals_on, review_binding, review_policy,
};
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_cel::kubernetes::KubernetesVersions;
use kvrules_emit::{OutputFile, PolicyResource, policy_resource};
use kvrules_generate::{PlaceStep, field_steps};
use kvrules_rule_set::{copy_field, nest_value};
use serde_json::{Value, json};

use super::policy_requests::{self, RequiredRequests};
use super::{RunContext, RunError, documents};
use crate::claims::ObjectVerdict;
use crate::synthesise::merge_fields;

/// The label that says which template a VirtualMachine was made from.
const TEMPLATE: &str = "vm.kubevirt.io/template";

/// Policies with their bindings.
pub(crate) struct Policies {
    evaluates: Vec<Policy>,
    bindings: Vec<Binding>,
    /// Fixed members of every object: its kind, and the template it was made from.
    head: Value,
    resource: PolicyResource,
    /// The oldest of the servers, whose functions cost the least and know the least.
    server: ServerFeatures,
}

impl Policies {
    /// The policies and bindings of all files.
    pub(super) fn new(files: &[OutputFile], context: &RunContext<'_>) -> Result<Self, RunError> {
        let mut documents = documents::parse_documents(files)?;
        documents.iter_mut().for_each(audit_to_warn);
        let policies = documents::of_kind(&documents, "ValidatingAdmissionPolicy");
        let bindings = documents::of_kind(&documents, "ValidatingAdmissionPolicyBinding");
        let refusals = policies.iter().flat_map(|policy| review_on_servers(policy, context.request.servers));
        if let Some(refusal) =
            refusals.chain(bindings.iter().flat_map(|binding| review_binding(binding))).next()
        {
            return Err(RunError(format!(
                "the API server rejects it: {}: {}",
                refusal.field, refusal.message
            )));
        }
        let subject = context.request.subject;
        let resource = policy_resource(context.request).map_err(RunError)?;
        let wanted = required_requests(&resource, context);
        for policy in &policies {
            policy_requests::check_requests(policy, &wanted).map_err(RunError)?;
        }
        let PolicyResource { group, version, .. } = &resource;
        let api = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
        let template =
            context.set.used_by.first().map_or(context.set.name.as_str(), |user| user.name.as_str());
        let head = json!({
            "apiVersion": api,
            "kind": subject.kind_noun(),
            "metadata": {"name": "verified", "namespace": "default", "labels": {TEMPLATE: template},
                         "annotations": {TEMPLATE: template}},
        });
        Ok(Self {
            evaluates: policies.into_iter().map(Policy::from_json).collect(),
            bindings: bindings.into_iter().map(Binding::from_json).collect(),
            head,
            resource,
            server: ServerFeatures::of_version(context.request.servers.oldest()),
        })
    }

    /// Returns the verdict of the policies on the creation of an object.
    pub(super) fn object_verdict(&self, object: &Value) -> Result<ObjectVerdict, RunError> {
        let mut whole = self.head.clone();
        merge_fields(&mut whole, object);
        let actual = self.answer(whole.clone())?;
        if actual.rejects && self.is_reached_by_subresource(&whole)? {
            return Ok(ObjectVerdict { rejects: false, ..actual });
        }
        Ok(actual)
    }

    fn answer(&self, whole: Value) -> Result<ObjectVerdict, RunError> {
        self.answer_request(Request::for_creation(&self.resource.group, &self.resource.name, whole))
    }

    fn answer_request(&self, request: Request) -> Result<ObjectVerdict, RunError> {
        let request = Request { server: self.server, ..request };
        let answer = admit_request(&self.evaluates, &self.bindings, &request);
        let answer = answer.map_err(|what| RunError(format!("{what} is not evaluated")))?;
        Ok(ObjectVerdict { rejects: answer.denial.is_some(), warns: !answer.warnings.is_empty() })
    }

    /// True if a request for a subresource turns an object that is accepted into this one, and is admitted.
    fn is_reached_by_subresource(&self, whole: &Value) -> Result<bool, RunError> {
        for written in &self.resource.subresources {
            for before in earlier_objects(whole, written) {
                if self.answer(before.clone())?.rejects {
                    continue;
                }
                let shown = if written.shows_object { whole.clone() } else { json!({"metadata": {}}) };
                let (group, name) = (&self.resource.group, &self.resource.name);
                let request = Request::for_update(group, name, shown, before);
                let request = Request { subresource: written.name.clone(), ..request };
                if !self.answer_request(request)?.rejects {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Objects that a request for a subresource may turn into another.
fn earlier_objects(whole: &Value, written: &WrittenSubresource) -> Vec<Value> {
    let mut objects = Vec::new();
    for steps in written.fields.iter().map(|field| field_steps(field)) {
        let mut before = whole.clone();
        copy_field(&mut before, &Value::Null, &steps);
        let names = steps.iter().filter_map(|step| match step {
            PlaceStep::Field(name) => Some(format!("/{name}")),
            PlaceStep::Any => None,
        });
        let number = whole.pointer(&names.collect::<String>()).and_then(Value::as_i64);
        let counts = number.filter(|number| (0..=i64::from(i32::MAX)).contains(number));
        // Only a count is written to a subresource of another kind.
        if written.name != "scale" {
            objects.extend((before != *whole).then_some(before));
            continue;
        }
        let others = counts.map(|count| [0, 1, 2, 3, count.saturating_sub(1), count.saturating_add(1)]);
        for other in others.into_iter().flatten().filter(|other| *other >= 0) {
            let mut before = whole.clone();
            copy_field(&mut before, &nest_value(&steps, json!(other)), &steps);
            objects.push(before);
        }
    }
    objects
}

/// The errors of the newest server, and of each of some others, about a policy.
pub(crate) fn review_on_servers(policy: &Value, servers: KubernetesVersions) -> Vec<PolicyRejection> {
    let on_older = servers
        .iter()
        .flat_map(|version| policy_refusals_on(&ServerFeatures::of_version(version), policy, None));
    review_policy(policy).into_iter().chain(on_older).collect()
}

/// Returns the requests that policies must match: writes of objects in every version that the API serves, and of their
/// status if the rules are about it.
fn required_requests(resource: &PolicyResource, context: &RunContext<'_>) -> RequiredRequests {
    let served = &context.request.subject.served;
    let versions =
        if served.contains(&resource.version) { served.clone() } else { vec![resource.version.clone()] };
    let operations = vec!["CREATE", "UPDATE"];
    RequiredRequests { group: resource.group.clone(), versions, resource: resource.name.clone(), operations }
}

/// Replaces the action `Audit` by `Warn`, so that violations are visible.
fn audit_to_warn(document: &mut Value) {
    let actions = document.pointer_mut("/spec/validationActions").and_then(Value::as_array_mut);
    if let Some(action) = actions.and_then(|actions| actions.iter_mut().find(|action| *action == "Audit")) {
        *action = json!("Warn");
    }
}
