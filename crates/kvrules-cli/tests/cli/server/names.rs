//! Facts about names, and names that fit.

use serde_json::{Value, json};

use super::editor::{Editor, to_position, uri};
use crate::place::{GOOD, Place};

/// A definition with a rule; `|` is the place that is asked about.
fn definition(rule: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          spec:\n            type: object\n            x-kubernetes-validations:\n            - rule: |\n                \
         // 𝒳\n                {rule}\n              message: few\n            properties:\n              fish:\n                \
         type: array\n                maxItems: 20\n                description: The fish in it.\n                items:\n                  \
         type: object\n                  properties:\n                    name: {{type: string, maxLength: 30, default: carp}}\n                    \
         kind: {{type: string, enum: [carp, koi]}}\n              depth-max: {{type: integer, minimum: 1}}\n"
    )
}

/// A policy about deployments.
fn policy(expression: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
         matchConstraints:\n    resourceRules:\n    - {{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}}\n  \
         variables:\n  - {{name: containers, expression: object.spec.template.spec.containers}}\n  validations:\n  - expression: \"{expression}\"\n"
    )
}

/// Asks about the place of `|` in a text, which is taken out.
fn ask(editor: &mut Editor, uri: &str, version: i64, method: &str, text: &str) -> Value {
    let offset =
        text.find('|').map_or(0, |first| text.rfind('|').filter(|last| *last != first).unwrap_or(first));
    let mut without = text.to_owned();
    without.remove(offset);
    editor.change_file(uri, version, &[json!({"text": without})]);
    let at = to_position(&without, u64::try_from(offset).unwrap_or_default(), "utf-16");
    editor.request(method, &json!({"textDocument": {"uri": uri}, "position": at}))
}

fn labels(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().into_iter().flatten().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn fields_functions_and_values_are_offered() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file(&uri, GOOD);
    editor.findings(&uri, 1);
    let mut version = 1;
    let mut offer = |text: &str| {
        version += 1;
        ask(&mut editor, &uri, version, "textDocument/completion", text)
    };
    let found = offer(&definition("self.|"));
    assert_eq!(labels(&found)[..2], ["depth__dash__max", "fish"], "{found}");
    assert_eq!(found["items"][1]["detail"], "list of object");
    assert!(labels(&offer(&definition("self.fish.a|"))).contains(&"all"));
    let found = offer(&definition("self.fish.all(f, f.na|me == 'x')"));
    assert_eq!(labels(&found)[..2], ["kind", "name"]);
    assert_eq!(found["items"][1]["textEdit"]["newText"], "name");
    let edit = &found["items"][1]["textEdit"]["range"];
    assert_eq!(edit["end"]["character"].as_i64(), edit["start"]["character"].as_i64().map(|start| start + 2));
    assert!(labels(&offer(&definition("self.fish[0].name.start|"))).contains(&"startsWith"));
    assert_eq!(labels(&offer(&definition("self.fish.exists(f, f.kind == '|')"))), ["carp", "koi"]);
    assert_eq!(labels(&offer(&definition("self.fish.exists(f, f.kind in ['koi', '|')"))), ["carp", "koi"]);
    let found = offer(&definition("true && |"));
    assert!(
        ["self", "oldSelf", "has", "quantity"].iter().all(|name| labels(&found).contains(name)),
        "{found}"
    );
    assert!(labels(&offer(&policy("object.spec.|"))).contains(&"replicas"));
    assert_eq!(labels(&offer(&policy("variables.|"))), ["containers"]);
    assert!(labels(&offer(&policy("variables.containers.all(c, c.|"))).contains(&"image"));
    assert!(labels(&offer(&policy("|"))).contains(&"variables"));
    assert_eq!(offer("kind: |\n"), Value::Null);
    editor.leave();
}

/// A RuleSet about deployments, whose second rule is being written.
fn rule_set(line: &str) -> String {
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: web}}\nspec:\n  subject: {{apiVersion: apps/v1, kind: Deployment}}\n  \
         rules:\n  - {{name: a, path: spec.replicas, integer: {{max: 3}}}}\n  {line}\n"
    )
}

#[test]
fn paths_words_and_keys_of_our_notations_are_offered() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file(&uri, &rule_set(""));
    assert_eq!(editor.findings(&uri, 1).len(), 0);
    let mut version = 1;
    let mut offer = |text: &str| {
        version += 1;
        ask(&mut editor, &uri, version, "textDocument/completion", text)
    };
    let found = offer(&rule_set("- path: spec.re|"));
    assert!(labels(&found).contains(&"replicas"), "{found}");
    let edit = &found["items"][0]["textEdit"]["range"];
    assert_eq!(edit["end"]["character"].as_i64(), edit["start"]["character"].as_i64().map(|start| start + 2));
    assert!(labels(&offer(&rule_set("- path: \"spec.template.spec.|\""))).contains(&"containers[*]"));
    let found = offer(&rule_set("- path: spec.replicas\n    inte|"));
    assert!(labels(&found).contains(&"integer: {min: 1, max: 10}"), "{found}");
    assert!(!labels(&found).iter().any(|label| label.starts_with("pattern")), "{found}");
    assert!(labels(&offer(&rule_set("- na|"))).contains(&"name"));
    let annotation = |rest: &str| format!("vm.kubevirt.io/validations: '[{{{rest}");
    assert!(labels(&offer(&annotation("\"na|"))).contains(&"justWarning"));
    assert_eq!(labels(&offer(&annotation("\"rule\": \"|")))[..1], ["integer"]);
    let path = "\"path\": \"jsonpath::.spec.domain.cpu.co|";
    assert!(labels(&offer(&annotation(path))).contains(&"cores"));
    editor.leave();
}

#[test]
fn functions_of_newer_servers_are_not_offered() {
    let place = Place::with(&[("kvrules.toml", "kubernetes = '1.28..1.36'\n")]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file(&uri, GOOD);
    editor.findings(&uri, 1);
    let found = ask(&mut editor, &uri, 2, "textDocument/completion", &definition("true && |"));
    assert!(labels(&found).contains(&"has") && !labels(&found).contains(&"quantity"), "{found}");
    editor.leave();
}

#[test]
fn facts_about_fields_functions_and_rules_are_shown() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file(&uri, GOOD);
    let mut version = 1;
    let mut hover = |text: &str| {
        version += 1;
        let answer = ask(&mut editor, &uri, version, "textDocument/hover", text);
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let field = hover(&definition("self.fi|sh.size() < 3"));
    assert_eq!(field, "```\nfish: list of object\n```\n\nLimits: at most 20 items\n\nThe fish in it.");
    let nested = hover(&definition("self.fish.all(f, f.na|me != '')"));
    assert_eq!(nested, "```\nname: string\n```\n\nDefault: `\"carp\"`\n\nLimits: at most 30 characters");
    let function = hover(&definition("isQuan|tity('1')"));
    assert_eq!(function, "```\nisQuantity(string) -> bool\n```\n\nKubernetes 1.29 and newer");
    let rule = hover(&definition("self.fish.size() <| 3"));
    assert!(rule.contains("Violated if") && rule.contains("Estimated cost: "), "{rule}");
    let message = hover(&definition("self.fish.size() < 3").replace("few", "fe|w"));
    assert_eq!(message, rule, "on the message of the rule");
    let variable = hover(&policy("variables.contai|ners.size() < 3"));
    assert!(variable.contains("object.spec.template.spec.containers"), "{variable}");
    let annotation = hover(&GOOD.replace("at most", "at mo|st"));
    assert!(annotation.contains("must be at most 8"), "{annotation}");
    let word = hover(&rule_set("").replace("max: 3", "ma|x: 3"));
    assert!(word.starts_with("**a**\n\n") && word.contains('3'), "{word}");
    assert_eq!(hover("kind: Depl|oyment\n"), "");
    editor.leave();
}
