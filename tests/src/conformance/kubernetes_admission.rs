//! Answers of a Kubernetes API server's admission to requests: `case` has policies, bindings, parameters, namespaces and requests,
//! `expect` whether each document is accepted, and if all are, the answer to each request. The server serves widgets in `v1` alone.

use std::sync::Arc;

use kvrules_apiserver::policy::acceptance::{PolicyRejection, review_binding, review_policy};
use kvrules_apiserver::policy::{
    AuthorizationCheck, AuthorizationSource, Binding, Policy, PolicyAnswer, Request, ResourceScope,
    admit_request,
};
use serde_json::{Value, json};

use super::kubernetes_crd::AnswerDifferences;
use super::{CaseFormat, Outcome, row::CaseRow};
use crate::objects::or_empty;

pub(super) const FORMAT: CaseFormat = CaseFormat { name: "kubernetes-admission", recognises: is_case, judge };

/// Policies and bindings with mistakes. `mutation` says what was made of a document that is right.
pub(super) const DOCUMENT: CaseFormat =
    CaseFormat { name: "kubernetes-document", recognises: is_document, judge: judge_document };

fn is_case(row: &CaseRow) -> bool {
    row.raw_member("case").is_some() && row.raw_member("expect").is_some()
}

fn is_document(row: &CaseRow) -> bool {
    ["mutation", "doc", "expect"].iter().all(|key| row.raw_member(key).is_some())
}

fn judge_document(row: &CaseRow) -> Outcome {
    let (document, expect) =
        (row.value_member("doc").unwrap_or_default(), row.value_member("expect").unwrap_or_default());
    let mut unlike = AnswerDifferences::default();
    compare_review(&document, &expect, "document", &mut unlike);
    unlike.outcome()
}

fn judge(row: &CaseRow) -> Outcome {
    let (case, expect) =
        (row.value_member("case").unwrap_or_default(), row.value_member("expect").unwrap_or_default());
    let mut unlike = AnswerDifferences::default();
    let documents = || list_items(&case["policies"]).chain(list_items(&case["bindings"]));
    for (at, document) in documents().enumerate() {
        compare_review(document, &expect["documents"][at], &format!("document {at}"), &mut unlike);
    }
    let Some(results) = expect["results"].as_array() else { return unlike.outcome() };
    let mut policies: Vec<Policy> = list_items(&case["policies"]).map(Policy::from_json).collect();
    for kind in policies.iter_mut().filter_map(|policy| policy.param_kind.as_mut()) {
        kind.scope = (kind.kind == "ConfigMap").then_some(ResourceScope::Namespaced);
    }
    let bindings: Vec<Binding> = list_items(&case["bindings"]).map(Binding::from_json).collect();
    for (at, input) in list_items(&case["requests"]).enumerate() {
        let ours = match admit_request(&policies, &bindings, &request(&case, input)) {
            Ok(answer) => shown_answer(answer),
            Err(feature) => json!({ "refused by name": feature.to_string() }),
        };
        let recorded = recorded_answer(results.get(at).unwrap_or(&Value::Null));
        unlike.compare(format!("request {at}"), recorded, ours);
    }
    unlike.outcome()
}

fn request(case: &Value, input: &Value) -> Request {
    let text = |field: &str| input[field].as_str().unwrap_or_default().to_owned();
    let namespaces = || list_items(&case["namespaces"]);
    let own = |namespace: &&Value| namespace["metadata"]["name"] == input["namespace"];
    let object = if input["object"].is_null() { &input["old"] } else { &input["object"] };
    let params = list_items(&case["params"]);
    Request {
        operation: text("operation"),
        version: "v1".to_owned(),
        name: text("name"),
        namespace: text("namespace"),
        object: input["object"].clone(),
        old_object: input["old"].clone(),
        namespace_object: namespaces().find(own).cloned().unwrap_or_default(),
        extra: json!({
            "userInfo": {"username": input["user"], "groups": input["groups"]},
            "dryRun": input["dryRun"],
            // The requests were recorded without options.
            "options": {},
        }),
        params: params
            .map(|it| (it["metadata"]["name"].as_str().unwrap_or_default().to_owned(), it.clone()))
            .collect(),
        served: Some(vec!["v1".to_owned()]),
        authorizer: Some(Arc::new(NoPermissions)),
        ..Request::for_creation("example.com", &text("resource"), object.clone())
    }
}

/// Allows nothing.
#[derive(Debug)]
struct NoPermissions;

impl AuthorizationSource for NoPermissions {
    fn allows_action(&self, _: &AuthorizationCheck) -> bool {
        false
    }
}

fn recorded_answer(expect: &Value) -> Value {
    json!({
        "denied": expect["denied"],
        "code": expect["code"],
        "reason": expect["reason"],
        "message": expect["message"],
        "cause": expect["cause"],
        "warnings": or_empty(&expect["warnings"]),
        "audit": expect["audit"],
    })
}

fn shown_answer(answer: PolicyAnswer) -> Value {
    let denial = answer.denial.as_ref();
    json!({
        "denied": denial.is_some(),
        "code": denial.map(|it| it.code),
        "reason": denial.map(|it| &it.reason),
        "message": denial.map(|it| &it.message),
        "cause": denial.map(|it| &it.cause),
        "warnings": answer.warnings,
        "audit": answer.audit,
    })
}

fn compare_review(document: &Value, expect: &Value, name: &str, unlike: &mut AnswerDifferences) {
    let rejections = match document["kind"].as_str() {
        Some("ValidatingAdmissionPolicy") => review_policy(document),
        Some("ValidatingAdmissionPolicyBinding") => review_binding(document),
        other => {
            let refusal =
                format!("refused by name: the review of a {}", other.unwrap_or("document without kind"));
            unlike.compare(name, expect.clone(), refusal.into());
            return;
        }
    };
    let recorded = list_items(&expect["errors"]).map(|error| {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        PolicyRejection { field: text("field"), reason: text("type"), message: text("detail") }
    });
    unlike.compare(format!("{name} accepted"), expect["accepted"].clone(), rejections.is_empty().into());
    unlike.compare(format!("{name} causes"), shown_causes(recorded.collect()), shown_causes(rejections));
}

fn shown_causes(mut causes: Vec<PolicyRejection>) -> Value {
    causes.sort();
    causes.iter().map(|it| json!({"field": it.field, "reason": it.reason, "message": it.message})).collect()
}

fn list_items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
