//! The policies in an emitted file, ready to evaluate.

use kvrules_apiserver::policy::{Binding, Policy, PolicyAnswer, Request as Admission, admit_request};
use kvrules_emit::{Emission, Request, find_emitter};
use kvrules_ir::ElaboratedSet;
use serde::Deserialize as _;
use serde_json::{Value, json};

/// Returns the output of the target.
pub(crate) fn emit(sets: &[ElaboratedSet]) -> Emission {
    find_emitter("admission-policy").unwrap().emit_rule_sets(&Request::for_virtual_machines(sets)).unwrap()
}

/// The documents of a file.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    // A file of comments alone is one document, which is null.
    documents
        .map(|document| Value::deserialize(document).unwrap())
        .filter(|document| !document.is_null())
        .collect()
}

/// The policies of a file with their bindings.
pub(crate) struct Validators {
    policies: Vec<Policy>,
    bindings: Vec<Binding>,
}

impl Validators {
    /// Those of a file.
    pub(crate) fn of(text: &str) -> Self {
        let documents = documents(text);
        let of = |kind: &str| {
            let wanted = kind.to_owned();
            documents.iter().filter(move |document| document["kind"] == *wanted)
        };
        Self {
            policies: of("ValidatingAdmissionPolicy").map(Policy::from_json).collect(),
            bindings: of("ValidatingAdmissionPolicyBinding").map(Binding::from_json).collect(),
        }
    }

    /// Returns the server's answer to the creation of a machine.
    pub(crate) fn answer(&self, machine: &Value) -> PolicyAnswer {
        let mut machine = machine.clone();
        machine["metadata"]["name"] = json!("vm1");
        admit_request(
            &self.policies,
            &self.bindings,
            &Admission::for_creation("kubevirt.io", "virtualmachines", machine),
        )
        .unwrap()
    }

    /// Returns true if a machine of a template is accepted, and true if there are no warnings.
    pub(crate) fn judge(&self, template: &str, machine: &Value) -> (bool, bool) {
        let mut machine = machine.clone();
        machine["metadata"]["labels"] = json!({ "vm.kubevirt.io/template": template });
        let answer = self.answer(&machine);
        (answer.denial.is_none(), answer.warnings.is_empty())
    }
}
