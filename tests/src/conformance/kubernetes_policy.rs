//! Answers of a Kubernetes API server about admission policies. `kind` says what a row is about: in `policy` and
//! `binding`, whether `doc` is accepted, and if not each cause; in `runtime`, what each of `vms` is answered under
//! `policy` and `binding`. A row is one case: all its machines agree, or it differs.
//!
//! Code and message of a refused document are not compared, since they only repeat its causes. An expression that the
//! evaluator refuses by name is an answer that differs.

use kvrules_apiserver::policy::acceptance::{PolicyRejection, review_binding, review_policy};
use kvrules_apiserver::policy::{Binding, Policy, PolicyAnswer, Request, admit_request};
use serde_json::{Value, json};

use super::{CaseFormat, Outcome, row::CaseRow};

/// The three kinds, each a format, so that each is counted for itself.
pub(super) const POLICY: CaseFormat = CaseFormat {
    name: "kubernetes-policy",
    recognises: |row| is_document(row, "policy"),
    judge: judge_policy,
};
pub(super) const BINDING: CaseFormat = CaseFormat {
    name: "kubernetes-binding",
    recognises: |row| is_document(row, "binding"),
    judge: judge_binding,
};
pub(super) const RUNTIME: CaseFormat =
    CaseFormat { name: "kubernetes-runtime", recognises: is_runtime, judge: judge_runtime };

fn is_document(row: &CaseRow, kind: &str) -> bool {
    row.string_member("kind").as_deref() == Some(kind)
        && row.raw_member("doc").is_some()
        && row.raw_member("expect").is_some()
}

fn is_runtime(row: &CaseRow) -> bool {
    row.string_member("kind").as_deref() == Some("runtime")
        && ["policy", "binding", "vms", "expect"].iter().all(|key| row.raw_member(key).is_some())
}

fn judge_policy(row: &CaseRow) -> Outcome {
    judge_document(row, review_policy)
}

fn judge_binding(row: &CaseRow) -> Outcome {
    judge_document(row, review_binding)
}

fn judge_document(row: &CaseRow, review: fn(&Value) -> Vec<PolicyRejection>) -> Outcome {
    let refusals = review(&row.value_member("doc").unwrap_or_default());
    compare_answers(
        &recorded_review(&row.value_member("expect").unwrap_or_default()),
        &shown_review(&refusals),
    )
}

fn judge_runtime(row: &CaseRow) -> Outcome {
    let member = |key| row.value_member(key).unwrap_or_default();
    let (policy, binding, expect) = (member("policy"), member("binding"), member("expect"));
    let (of_policy, of_binding) = (review_policy(&policy), review_binding(&binding));
    let recorded = json!({
        "policy": recorded_review(&expect["policy"]),
        "binding": recorded_review(&expect["binding"]),
        "vms": list_items(&expect["vms"]).map(recorded_machine).collect::<Vec<_>>(),
    });
    // A refused document does not exist when the machines are sent.
    let policies: Vec<Policy> =
        of_policy.is_empty().then(|| Policy::from_json(&policy)).into_iter().collect();
    let bindings: Vec<Binding> =
        of_binding.is_empty().then(|| Binding::from_json(&binding)).into_iter().collect();
    let machines = member("vms");
    let ours = json!({
        "policy": shown_review(&of_policy),
        "binding": shown_review(&of_binding),
        "vms": list_items(&machines).map(|vm| creation_answer(&policies, &bindings, vm)).collect::<Vec<_>>(),
    });
    compare_answers(&recorded, &ours)
}

/// Returns the answer to the creation of a machine.
fn creation_answer(policies: &[Policy], bindings: &[Binding], vm: &Value) -> Value {
    let request = Request::for_creation("kubevirt.io", "virtualmachines", without_nulls(vm));
    let mut shown = match admit_request(policies, bindings, &request) {
        Ok(answer) => shown_answer(&answer),
        Err(feature) => return format!("refused by name: {feature}").into(),
    };
    shown["name"] = vm["metadata"]["name"].clone();
    shown
}

fn shown_answer(answer: &PolicyAnswer) -> Value {
    let denial = answer.denial.as_ref();
    json!({
        "accepted": denial.is_none(),
        "code": denial.map_or(201, |it| it.code),
        "reason": denial.map(|it| &it.reason),
        "message": denial.map(|it| &it.message),
        "causes": denial.iter().map(|it| json!({ "message": it.cause })).collect::<Vec<_>>(),
        "warnings": answer.warnings,
    })
}

fn recorded_machine(expect: &Value) -> Value {
    json!({
        "name": expect["name"],
        "accepted": expect["accepted"],
        "code": expect["code"],
        "reason": expect["reason"],
        "message": expect["message"],
        "causes": list_items(&expect["causes"]).collect::<Vec<_>>(),
        "warnings": list_items(&expect["warnings"]).collect::<Vec<_>>(),
    })
}

fn shown_review(refusals: &[PolicyRejection]) -> Value {
    let causes = refusals.iter().map(|it| cause_json(&it.field, &it.reason, &it.message));
    json!({ "accepted": refusals.is_empty(), "causes": causes.collect::<Vec<_>>() })
}

/// The causes in the order of ours: by field, reason and message.
fn recorded_review(expect: &Value) -> Value {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let mut refusals: Vec<PolicyRejection> = list_items(&expect["causes"])
        .map(|it| PolicyRejection {
            field: text(it, "field"),
            reason: text(it, "reason"),
            message: text(it, "message"),
        })
        .collect();
    refusals.sort();
    json!({ "accepted": expect["accepted"], "causes": shown_review(&refusals)["causes"] })
}

fn cause_json(field: &str, reason: &str, message: &str) -> Value {
    json!({ "field": field, "reason": reason, "message": message })
}

/// Of two answers, the members that are not alike.
fn compare_answers(recorded: &Value, ours: &Value) -> Outcome {
    if recorded == ours {
        return Outcome::Agrees;
    }
    Outcome::Differs {
        expected: only_unlike(recorded, ours).to_string(),
        actual: only_unlike(ours, recorded).to_string(),
    }
}

/// A list in which only single elements are unlike is shown by these: a row may have many machines.
fn only_unlike(shown: &Value, other: &Value) -> Value {
    match (shown, other) {
        (Value::Object(shown), Value::Object(other)) if shown.contains_key("vms") => {
            let unlike = shown.iter().filter(|(key, it)| other.get(*key) != Some(*it));
            unlike.map(|(key, it)| (key.clone(), only_unlike(it, &other[key]))).collect()
        }
        (Value::Array(shown), Value::Array(other)) if shown.len() == other.len() => shown
            .iter()
            .zip(other)
            .filter(|(shown, other)| shown != other)
            .map(|(it, _)| it.clone())
            .collect(),
        (shown, _) => shown.clone(),
    }
}

/// The server drops nulls of fields that may not be null before policies are asked.
fn without_nulls(json: &Value) -> Value {
    match json {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, it)| !it.is_null());
            kept.map(|(name, it)| (name.clone(), without_nulls(it))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn list_items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
