//! Requests by their names.

use serde::Deserialize;
use serde_json::json;

use crate::check::{check_source, repair_source};
use crate::cost::estimate_source;
use crate::messages::{ObjectRequest, Refusal, RepairRequest, Source};
use crate::sentences::describe_source;
use crate::targets::compile_source;
use crate::verdict::evaluate_object;

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "request", rename_all = "camelCase")]
enum Request {
    Check(Source),
    Repair(RepairRequest),
    Sentences(Source),
    Targets(Source),
    Costs(Source),
    Evaluate(ObjectRequest),
}

/// Answers a request, which is a JSON object with `text` and maybe the `name` of a source:
///
/// | `request` | further members | members of the answer |
/// |---|---|---|
/// | `check` | | `findings`, as `kvrules check --output-format json` prints them |
/// | `repair` | `finding`, the index of the finding; all with a safe fix by default | `text` |
/// | `sentences` | | `rules` with `name`, `line`, `sentences`, `unknown` |
/// | `targets` | | `report`, as `kvrules compile --loss-report` writes it |
/// | `costs` | | `kubernetes`, `definitions` with the costs of their rules, and `oldest` versions |
/// | `evaluate` | `object`, and maybe `old` | `engine`, and `objects` with their verdicts |
///
/// If there is no answer, the only member is `error`, the reason.
pub fn answer_request(request: &[u8]) -> String {
    let answered = serde_json::from_slice(request)
        .map_err(|error| Refusal(format!("invalid request: {error}")))
        .and_then(|request| match request {
            Request::Check(source) => check_source(&source),
            Request::Repair(request) => repair_source(&request),
            Request::Sentences(source) => describe_source(&source),
            Request::Targets(source) => compile_source(&source),
            Request::Costs(source) => estimate_source(&source),
            Request::Evaluate(request) => evaluate_object(&request),
        });
    answered.unwrap_or_else(|Refusal(reason)| json!({"error": reason}).to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn ask(request: &Value) -> Value {
        serde_json::from_str(&answer_request(request.to_string().as_bytes())).unwrap()
    }

    const RULES: &str = "vm.kubevirt.io/validations: |\n  [{\"name\": \"cores\", \"rule\": \"integer\", \"message\": \"few cores\",\n    \
        \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 2}]\n";

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          depth:
            type: integer
            x-kubernetes-validations: [{rule: self > 3, message: too shallow}]
";

    const RULE_SET: &str = "apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: web}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules:
  - name: replicas
    path: spec.replicas
    integer: {min: 2}
    message: two replicas at least
";

    #[test]
    fn an_invalid_request_has_an_error_with_the_reason() {
        for request in [&b""[..], b"\xff", b"{}", br#"{"request": "x"}"#, br#"{"request": "check"}"#] {
            let answer: Value = serde_json::from_str(&answer_request(request)).unwrap();
            let message = answer["error"].as_str().unwrap();
            assert!(message.starts_with("invalid request: "), "{message}");
        }
    }

    #[test]
    fn a_fix_is_applied_by_the_index_of_its_finding() {
        let text = RULES.replace("\"integer\",", "\"integer\"");
        let found = ask(&json!({"request": "check", "text": text}));
        let index = found["findings"].as_array().unwrap().iter().position(|it| !it["fix"].is_null()).unwrap();
        let fixed = ask(&json!({"request": "repair", "text": text, "finding": index}));
        assert_eq!(fixed["text"], RULES);
        assert_eq!(ask(&json!({"request": "repair", "text": text}))["text"], RULES);
    }

    #[test]
    fn rules_of_every_source_have_sentences() {
        for (text, sentence) in [
            (RULES, "The number of CPU cores must be at most 2, and `.spec.domain.cpu` must be set."),
            (DEFINITION, "Violated if self <= 3"),
            (RULE_SET, "`spec.replicas` must be at least 2"),
        ] {
            let answer = ask(&json!({"request": "sentences", "text": text}));
            assert_eq!(answer["rules"][0]["sentences"][0], sentence, "{answer}");
        }
    }

    #[test]
    fn targets_have_their_fidelity() {
        for text in [RULES, DEFINITION, RULE_SET] {
            let answer = ask(&json!({"request": "targets", "text": text}));
            let targets = answer["report"]["targets"].as_array().unwrap();
            assert!(targets.iter().any(|target| target["totals"]["exact"].as_u64() > Some(0)), "{answer}");
        }
    }

    #[test]
    fn costs_are_estimated_for_all_minors() {
        for text in [DEFINITION, RULE_SET] {
            let answer = ask(&json!({"request": "costs", "text": text}));
            let rule = &answer["definitions"][0]["rules"][0];
            assert!(rule["costs"].as_array().unwrap().len() > 5, "{answer}");
            assert!(answer["oldest"][0]["kubernetes"].is_string(), "{answer}");
        }
    }

    #[test]
    fn objects_are_evaluated_by_the_rules_of_every_source() {
        let machine = "kind: VirtualMachine\nmetadata: {name: a}\nspec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n";
        let pond = "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a, namespace: b}\ndepth: 3\n";
        let deployment =
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: b}\nspec: {replicas: 1}\n";
        for (text, object, engine) in
            [(RULES, machine, "spec"), (DEFINITION, pond, "crd"), (RULE_SET, deployment, "policy")]
        {
            let answer = ask(&json!({"request": "evaluate", "text": text, "object": object}));
            assert_eq!(answer["engine"], engine, "{answer}");
            assert_eq!(answer["objects"][0][engine]["verdict"], "rejected", "{answer}");
        }
    }

    #[test]
    fn what_cannot_be_evaluated_has_a_reason() {
        let broken = RULE_SET.replace("integer:", "integers:");
        let reason = |text: &str| {
            ask(&json!({"request": "evaluate", "text": text, "object": "a: 1"}))["error"].clone()
        };
        assert!(reason(&broken).as_str().unwrap().starts_with("the RuleSet has errors"));
        assert!(reason("").is_string() && reason("a: 1").is_string());
    }

    #[test]
    fn hostile_texts_have_answers() {
        let deep = "[".repeat(100_000);
        let long = "a: [1, 2]\n".repeat(100_000);
        for text in ["", "\0\u{1}\u{feff}\u{85}", "%&*!@", &deep, &long] {
            for request in ["check", "repair", "sentences", "targets", "costs", "evaluate"] {
                let answer = ask(&json!({"request": request, "text": text, "object": text}));
                assert!(answer.is_object(), "{request}");
            }
        }
    }

    #[test]
    fn an_old_object_makes_a_request_an_update() {
        let pond = |depth: u8| {
            format!(
                "apiVersion: example.com/v1\nkind: Pond\nmetadata: {{name: a, namespace: b, resourceVersion: '1'}}\ndepth: {depth}\n"
            )
        };
        let answer =
            ask(&json!({"request": "evaluate", "text": DEFINITION, "object": pond(2), "old": pond(2)}));
        assert_eq!(answer["objects"][0]["crd"]["operation"], "update", "{answer}");
    }
}
