//! Admission policies over the creation of an object.

use kvrules_cel::policy::acceptance::{review_binding, review_policy};
use kvrules_cel::policy::{Binding, Policy, Request, admit};
use kvrules_emit::OutputFile;
use serde_json::{Value, json};

use super::{Broken, Context, documents};
use crate::judge::Said;
use crate::synthesise::merge;

/// The label that says which template a VirtualMachine was made from.
const TEMPLATE: &str = "vm.kubevirt.io/template";

/// Policies with their bindings.
pub(crate) struct Policies {
    judges: Vec<Policy>,
    bindings: Vec<Binding>,
    /// What every object has beside what it is asked about: what it is, and which template it was made from.
    head: Value,
    group: String,
    resource: String,
}

impl Policies {
    /// The policies and bindings of all files.
    pub(super) fn new(files: &[OutputFile], context: &Context<'_>) -> Result<Self, Broken> {
        let mut documents = documents::documents(files)?;
        documents.iter_mut().for_each(heard);
        let policies = documents::of_kind(&documents, "ValidatingAdmissionPolicy");
        let bindings = documents::of_kind(&documents, "ValidatingAdmissionPolicyBinding");
        let refusals = policies.iter().flat_map(|policy| review_policy(policy));
        if let Some(refusal) =
            refusals.chain(bindings.iter().flat_map(|binding| review_binding(binding))).next()
        {
            return Err(Broken(format!("the API server refuses it: {}: {}", refusal.field, refusal.message)));
        }
        let subject = context.request.subject;
        let of_rules = |at: &str| {
            let found = policies.iter().find_map(|policy| policy.pointer(at)).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        let group = subject.group.clone().unwrap_or_default();
        let version = subject.version.clone().unwrap_or_else(|| "v1".to_owned());
        let resource = of_rules("/spec/matchConstraints/resourceRules/0/resources/0");
        let api = if group.is_empty() { version } else { format!("{group}/{version}") };
        let template =
            context.set.used_by.first().map_or(context.set.name.as_str(), |user| user.name.as_str());
        let head = json!({
            "apiVersion": api,
            "kind": subject.noun(),
            "metadata": {"name": "verified", "namespace": "default", "labels": {TEMPLATE: template},
                         "annotations": {TEMPLATE: template}},
        });
        Ok(Self {
            judges: policies.into_iter().map(Policy::read).collect(),
            bindings: bindings.into_iter().map(Binding::read).collect(),
            head,
            group,
            resource,
        })
    }

    /// What the policies answer to the creation of an object.
    pub(super) fn says(&self, object: &Value) -> Result<Said, Broken> {
        let mut whole = self.head.clone();
        merge(&mut whole, object);
        let request = Request::create(&self.group, &self.resource, whole);
        let answer = admit(&self.judges, &self.bindings, &request);
        let answer = answer.map_err(|what| Broken(format!("{what} is not evaluated")))?;
        Ok(Said { rejects: answer.denial.is_some(), warns: !answer.warnings.is_empty() })
    }
}

/// What only the audit log is told is told as a warning, so that it can be heard.
fn heard(document: &mut Value) {
    let actions = document.pointer_mut("/spec/validationActions").and_then(Value::as_array_mut);
    if let Some(action) = actions.and_then(|actions| actions.iter_mut().find(|action| *action == "Audit")) {
        *action = json!("Warn");
    }
}
