//! The proof that targets say what rules mean: objects are synthesised from each rule, and the reference evaluator and
//! the emitted artefact evaluate them all.
//!
//! The way is: `synthesise` makes the objects, every case of every place that the rule refers to; `run` runs an
//! artefact by what it is (see [`Artefact`](kvrules_emit::Artefact)), never by its target's name; `claims` puts the two
//! answers side by side and holds the target to what it claims ([`Fidelity`](kvrules_emit::Fidelity)); [`verify_targets`] does
//! so for all rules and targets. [`compare_with_validator`] lists where the meaning differs from the template validator of today.
//!
//! ```
//! use kvrules_elaborate::catalog::Catalog;
//! use kvrules_emit::{Request, find_emitter};
//! use kvrules_ir::ElaboratedSet;
//!
//! let sets: [ElaboratedSet; 0] = [];
//! let targets = [find_emitter("openapi").unwrap()];
//! let report = kvrules_verify::verify_targets(&targets, &Request::for_virtual_machines(&sets), Catalog::kubevirt_vm(), &|_, _| ());
//! assert!(report.all_claims_hold());
//! ```

mod report;

mod verify;

mod synthesise;

mod run;

mod resources;

mod claims;

mod validator_comparison;

pub mod extra_specs;

pub use claims::{ClaimFault, ClaimFinding, ObjectVerdict};
pub use report::{Report, ResultCount, RuleReport, SetReport, TargetReport};
pub use resources::{
    EmitResources, ResourceComparison, ResourceDeparture, compare_resource_schema, verify_resources_with,
};
pub use run::RunError;
pub use validator_comparison::{SspReport, ValidatorDeparture, VerdictChange, compare_with_validator};
pub use verify::{EmitFn, verify_targets, verify_with};

/// Objects that show every case of some rules, if these are not too many, from small to large, for comparing rules
/// without a target.
pub fn generate_objects(rules: &[&kvrules_ir::ElaboratedRule]) -> Vec<serde_json::Value> {
    let made = synthesise::synthesise_objects(rules, &synthesise::SizeLimits::default()).objects;
    made.into_iter().filter(|candidate| candidate.served).map(|candidate| candidate.value).collect()
}

/// Strings that a regular expression matches and strings that it nearly matches, made from the expression itself,
/// for showing what it means. The caller tests them.
pub fn generate_texts(pattern: &str) -> Vec<String> {
    synthesise::pattern_texts(pattern)
}
