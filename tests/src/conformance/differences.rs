//! Cases that show the named differences between what rules mean and what the deployed validator does: a row of
//! `kubevirt-ssp` with `spec`, the outcome of each rule by its meaning, `differs`, for each rule the ids of the
//! differences that explain it, and `whole`, those of the whole annotation where the validator told nothing of single
//! rules. Both models must answer so, and the ids must be those that `kvrules-template-validator` names.

use serde_json::{Value, json};

use super::{CaseFormat, Outcome, kubevirt_ssp, row::CaseRow};

pub(super) const FORMAT: CaseFormat =
    CaseFormat { name: "differences", recognises: is_case, judge: run_case };

fn is_case(row: &CaseRow) -> bool {
    row.string_member("rules").is_some()
        && row.raw_member("vm").is_some()
        && row.raw_member("expected").is_some()
        && row.raw_member("differs").is_some()
}

fn run_case(row: &CaseRow) -> Outcome {
    let answer = kubevirt_ssp::run_case(row);
    if answer != Outcome::Agrees {
        return answer;
    }
    let member = |key| row.value_member(key).unwrap_or_default();
    let expected = json!({ "spec": member("spec"), "differs": member("differs"), "whole": member("whole") });
    let actual = named_differences(
        &row.string_member("rules").unwrap_or_default(),
        row.raw_member("vm").unwrap_or_default(),
    );
    if expected == actual {
        return Outcome::Agrees;
    }
    Outcome::Differs { expected: expected.to_string(), actual: actual.to_string() }
}

/// Meaning of rules for a machine and the named differences, in the form of the rows.
pub fn named_differences(rules: &str, machine: &str) -> Value {
    match kvrules_template_validator::divergence::compare_annotation(rules, machine) {
        Ok(comparison) => {
            let spec = comparison
                .rules
                .iter()
                .map(|rule| rule.context.spec.outcome().map_or("left out", |outcome| outcome.as_str()));
            let differs = comparison.rules.iter().map(|rule| rule.named.as_slice());
            json!({
                "spec": spec.collect::<Vec<_>>(),
                "differs": differs.collect::<Vec<_>>(),
                "whole": comparison.whole,
            })
        }
        Err(error) => Value::String(format!("the object is no JSON: {error}")),
    }
}
