//! Emulator of the KubeVirt template validator as deployed, quirk for quirk.
//!
//! The validator is a webhook of KubeVirt's ssp-operator. It decodes a VirtualMachine into Go structs, the annotation
//! into rules, and walks the rules' paths over the structs with Go's reflection. What it answers follows from that, so
//! this crate does the same: [`Machine::decode_json`] and [`Rules::decode_annotation`] are Go's JSON decoder with Go's words,
//! [`Rules::evaluate_machine`] walks typed values, and where a path fails it walks a reference VirtualMachine whose domain is
//! full of blanks. Comments name the example that shows a quirk (E001 …) or the section of the description of the
//! deployed validator that states it (SEMANTICS 1 …).
//!
//! This is what happens on the cluster, not what rules mean; that is `kvrules-eval`'s.
//!
//! ```
//! let rules = r#"[{"name": "r", "message": "m", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest"}]"#;
//! let machine = r#"{"spec": {"template": {"spec": {"domain": {"memory": {"guest": "1.5Gi"}}}}}}"#;
//! let answer = kvrules_template_validator::evaluate_annotation(rules, machine);
//! assert_eq!(
//!     answer.status.unwrap()[0].error.as_deref(),
//!     Some("mismatching type: *resource.Quantity, not int or resource.Quantity")
//! );
//! ```

mod answer;
pub mod divergence;
mod evaluate;
mod rules;

mod machine;
mod path;
mod walk;

mod decode;
mod error;
mod json;
mod quantity;
mod schema;
mod time;
mod value;

pub use answer::{DenialCause, RuleStatus, ValidatorAnswer};
pub use error::DecodeError;
pub use machine::Machine;
pub use rules::Rules;

/// Returns the validator's answer to an annotation and the JSON of a VirtualMachine. The VirtualMachine is decoded first.
// ssp-operator webhooks/hook.go, admitVMTemplate: a VirtualMachine that does not decode is reported before the rules
// are read. Deletion and the choice of the annotation (getValidationRulesForVM) are left to the caller.
pub fn evaluate_annotation(annotation: &str, vm: &str) -> ValidatorAnswer {
    let machine = match Machine::decode_json(vm) {
        Ok(machine) => machine,
        Err(error) => {
            return ValidatorAnswer {
                vm_error: Some(error.go_text().to_owned()),
                ..ValidatorAnswer::default()
            };
        }
    };
    match Rules::decode_annotation(annotation) {
        Ok(rules) => rules.evaluate_machine(&machine),
        Err(error) => {
            ValidatorAnswer { parse_error: Some(error.go_text().to_owned()), ..ValidatorAnswer::default() }
        }
    }
}
