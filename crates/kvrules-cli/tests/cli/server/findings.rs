//! What is published is what `check` reports.

use serde_json::json;

use super::editor::{Editor, fresh_findings, shown_findings, uri};
use crate::place::{BAD, GOOD, ODD, Place};

/// A policy, a definition with a rule behind characters of several bytes, and a RuleSet whose subject is in another file.
const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
    matchConstraints:\n    resourceRules:\n    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}\n  \
    validations:\n  - message: 'größer 𝒳'\n    expression: \"'𝒳é' == object.spec.replica\"\n  - expression: |\n      \
    // 𝒳 Grüße\n      object.spec.replicas < 'é𝒳' && object.spec.foo\n";
const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ponds.example.com}\nspec:\n  \
    group: example.com\n  scope: Namespaced\n  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}\n  \
    versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
    properties:\n          spec:\n            type: object\n            x-kubernetes-validations:\n            - rule: \"self.fish == '𝒳é' || \
    self.dept > 3\"\n            properties:\n              fish: {type: string}\n              depth: {type: integer}\n";
const RULE_SET: &str = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: ponds}\nspec:\n  subject: {schema: \
    pond.yaml, apiVersion: example.com/v1, kind: Pond}\n  rules:\n  - {name: depth, path: spec.dept, integer: {max: 3}}\n";

#[test]
fn the_findings_in_files_of_every_kind_are_those_of_check() {
    let place = Place::with(&[
        ("good.yaml", GOOD),
        ("bad.yaml", BAD),
        ("odd.yaml", ODD),
        ("policy.yaml", POLICY),
        ("pond.yaml", DEFINITION),
        ("rules.yaml", RULE_SET),
        ("flavor.yaml", "extra_specs: {'hw:cpu_policy': dedicted}\n"),
        ("broken.yaml", "kind: [\r\n𝒳: \"é"),
        ("rules.md", &format!("# Grüße 𝒳\n\n```yaml\n{BAD}```\n")),
        ("other.yaml", "kind: Deployment\napiVersion: apps/v1\n"),
    ]);
    let mut counts = Vec::new();
    for encoding in ["utf-8", "utf-16"] {
        let mut editor = Editor::open(&place, &[encoding]);
        for name in place.files(".") {
            let uri = uri(&place.path(&name));
            editor.open_file(&uri, &place.read(&name));
            let found = shown_findings(&editor.findings(&uri, 1));
            assert_eq!(found, fresh_findings(&place, &name, encoding), "{name}");
            counts.push((name, found.len()));
        }
        editor.leave();
    }
    let without: Vec<&str> =
        counts.iter().filter(|(_, found)| *found == 0).map(|(name, _)| name.as_str()).collect();
    assert_eq!(without, ["good.yaml", "other.yaml", "good.yaml", "other.yaml"]);
}

#[test]
fn findings_in_recorded_files_are_those_of_check() {
    let Some(mut files) = kvrules_testdata::list_files("kubernetes/crds", "yaml") else { return };
    files.extend(kvrules_testdata::list_files("kubevirt/virt-template", "yaml").unwrap_or_default());
    files.sort_by_key(|path| std::fs::metadata(path).map_or(0, |file| file.len()));
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-16"]);
    for path in files.iter().step_by(4) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        place.write("recorded.yaml", &text);
        let uri = format!("{}?{}", uri(&place.path("recorded.yaml")), path.display());
        editor.open_file(&uri, &text);
        let found = shown_findings(&editor.findings(&uri, 1));
        assert_eq!(found, fresh_findings(&place, "recorded.yaml", "utf-16"), "{}", path.display());
        editor.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    }
    editor.leave();
}

#[test]
fn the_nearest_configuration_of_a_file_counts() {
    let place = Place::with(&[
        ("kvrules.toml", "[lint]\nignore = ['KV106']\npage-url = 'https://example.com/lints'\n"),
        ("rules/odd.yaml", ODD),
        ("other/kvrules.toml", "[lint]\nseverity = { KV106 = 'error' }\n"),
        ("other/odd.yaml", ODD),
        ("broken/kvrules.toml", "[lint]\nignored = []\n"),
        ("broken/odd.yaml", ODD),
    ]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    let found = |editor: &mut Editor, name: &str| {
        let uri = uri(&place.path(name));
        editor.open_file(&uri, ODD);
        editor.next_findings(&uri, 1)
    };
    assert_eq!(found(&mut editor, "rules/odd.yaml"), Vec::<serde_json::Value>::new());
    let other = found(&mut editor, "other/odd.yaml");
    assert_eq!((other.len(), &other[0]["severity"], &other[0]["code"]), (1, &json!(1), &json!("KV106")));
    let broken = found(&mut editor, "broken/odd.yaml");
    let message = broken[0]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("this file is not checked: ") && message.contains("ignored"), "{message}");

    place.write("kvrules.toml", "[lint]\npage-url = 'https://example.com/lints'\n");
    let changed = json!({"changes": [{"uri": uri(&place.path("kvrules.toml")), "type": 2}]});
    editor.published.clear();
    editor.notify("workspace/didChangeWatchedFiles", &changed);
    let found = editor.findings(&uri(&place.path("rules/odd.yaml")), 1);
    let page = "https://example.com/lints/KV106-unknown-key.html";
    assert_eq!((found.len(), &found[0]["codeDescription"]["href"]), (1, &json!(page)));
    editor.leave();
}

#[test]
fn named_files_are_read_from_the_editor_and_else_from_the_disk() {
    let place = Place::with(&[("pond.yaml", DEFINITION), ("rules.yaml", RULE_SET)]);
    let mut editor = Editor::open(&place, &["utf-8"]);
    let (rules, pond) = (uri(&place.path("rules.yaml")), uri(&place.path("pond.yaml")));
    editor.open_file(&rules, RULE_SET);
    assert_eq!(editor.findings(&rules, 1).len(), 1, "spec.dept is unknown");
    let with_field = DEFINITION.replace("depth:", "dept:");
    editor.published.clear();
    editor.open_file(&pond, &with_field);
    assert_eq!(editor.next_findings(&rules, 1).len(), 0, "the open definition has the field");
    editor.published.clear();
    editor.change_file(&pond, 2, &[json!({"text": DEFINITION})]);
    assert_eq!(editor.next_findings(&rules, 1).len(), 1);
    editor.change_file(&pond, 3, &[json!({"text": with_field})]);
    assert_eq!(editor.next_findings(&rules, 1).len(), 0);
    editor.notify("textDocument/didClose", &json!({"textDocument": {"uri": pond}}));
    assert_eq!(editor.next_findings(&rules, 1).len(), 1, "the file on disk has no such field");
    editor.leave();
}

#[test]
fn files_that_were_never_saved_are_checked() {
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-16"]);
    editor.open_file("untitled:Untitled-1", BAD);
    assert_eq!(editor.findings("untitled:Untitled-1", 1)[0]["code"], "KV205");
    editor.leave();
}
