//! Fixes, ignores, formatting, outlines and the ways to declarations.

#![expect(clippy::indexing_slicing, reason = "an answer of another form fails the test")]

use serde_json::{Value, json};

use super::editor::{Editor, to_position, uri};
use crate::place::Place;

/// A policy with a variable.
const POLICY: &str = include_str!("policy.yaml");

/// An annotation with a superfluous comma, a wrong type of quotation marks, and an unknown key; behind characters of several units.
const BROKEN: &str = "# 𝒳\nvm.kubevirt.io/validations: |\n  [{\"name\": \"é𝒳\", 'rule': \"integer\", \"message\": \"at most 8 cores\", \"colour\": \
                      \"red\",\n    \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"valid\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 8,}]\n";

/// An editor with one open file that was checked.
fn open_with(place: &Place, name: &str, text: &str) -> (Editor, String) {
    let mut editor = Editor::open(place, &["utf-16"]);
    let uri = uri(&place.path(name));
    editor.open_file(&uri, text);
    editor.findings(&uri, 1);
    (editor, uri)
}

/// The code actions about a range.
fn actions(editor: &mut Editor, uri: &str, range: &Value, only: &Value) -> Vec<Value> {
    let context = json!({"diagnostics": [], "only": only});
    let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
    editor.request("textDocument/codeAction", &params).as_array().cloned().unwrap_or_default()
}

/// A text after the edits of an answer, which are in UTF-16.
fn apply(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let fits = |(at, _): &(usize, char)| {
            to_position(text, u64::try_from(*at).unwrap_or_default(), "utf-16") == *position
        };
        text.char_indices().find(fits).map_or(text.len(), |(at, _)| at)
    };
    let mut ordered: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap_or_default())
        })
        .collect();
    ordered.sort_unstable();
    let mut changed = text.to_owned();
    for (start, end, new) in ordered.into_iter().rev() {
        changed.replace_range(start..end, new);
    }
    changed
}

fn edits_of<'a>(action: &'a Value, uri: &str) -> &'a [Value] {
    action["edit"]["changes"][uri].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn each_fix_is_an_action_and_ends_its_finding() {
    let place = Place::with(&[("a.yaml", BROKEN)]);
    let (mut editor, uri) = open_with(&place, "a.yaml", BROKEN);
    let found = editor.findings(&uri, 1);
    assert!(found.len() >= 3, "{found:?}");
    let mut version = 1;
    let mut fixes = 0;
    for finding in &found {
        let all = actions(&mut editor, &uri, &finding["range"], &json!(["quickfix"]));
        let own: Vec<&Value> = all.iter().filter(|action| action["diagnostics"][0] == *finding).collect();
        assert!(!own.is_empty(), "{finding}");
        for action in own {
            fixes += usize::from(action["isPreferred"] == true);
            let changed = apply(BROKEN, edits_of(action, &uri));
            assert_ne!(changed, BROKEN);
            editor.change_file(&uri, version + 1, &[json!({"text": changed})]);
            version += 1;
            let left = editor.findings(&uri, version);
            let is_it = |other: &&Value| other["code"] == finding["code"];
            assert!(
                left.iter().filter(is_it).count() < found.iter().filter(is_it).count(),
                "{action}\n{changed}"
            );
            assert!(!left.iter().any(|other| other["code"] == "KV951"), "unused ignore: {changed}");
        }
        editor.change_file(&uri, version + 1, &[json!({"text": BROKEN})]);
        version += 1;
        editor.findings(&uri, version);
    }
    assert!(fixes >= 2);
    editor.leave();
}

#[test]
fn fix_all_does_what_the_command_does() {
    let place = Place::with(&[("a.yaml", BROKEN)]);
    let (mut editor, uri) = open_with(&place, "a.yaml", BROKEN);
    let start = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let all = actions(&mut editor, &uri, &start, &json!(["source.fixAll"]));
    assert_eq!((all.len(), &all[0]["kind"]), (1, &json!("source.fixAll")));
    let changed = apply(BROKEN, edits_of(&all[0], &uri));
    assert!(place.run(&["fix", "a.yaml"]).code.is_some());
    assert_eq!(changed, place.read("a.yaml"));
    assert!(actions(&mut editor, &uri, &start, &json!(["refactor"])).is_empty());
    editor.leave();
}

#[test]
fn actions_wait_for_the_findings_of_the_newest_text() {
    let place = Place::with(&[]);
    let (mut editor, uri) = open_with(&place, "a.yaml", "");
    editor.change_file(&uri, 2, &[json!({"text": BROKEN})]);
    let everywhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let found = actions(&mut editor, &uri, &everywhere, &Value::Null);
    assert!(found.len() >= 4, "{found:?}");
    editor.change_file(&uri, 3, &[json!({"text": format!("{BROKEN}\n# {}", "x".repeat(3_000_000))})]);
    let context = json!({"diagnostics": []});
    let params = json!({"textDocument": {"uri": uri}, "range": everywhere, "context": context});
    let waiting = editor.ask("textDocument/codeAction", &params);
    editor.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    let answer = editor.answer(&json!(waiting));
    assert!(answer.is_array() || answer["message"] == "file was closed", "{answer}");
    editor.leave();
}

#[test]
fn a_file_is_formatted_as_by_the_command() {
    let unformatted = "# é𝒳\nvm.kubevirt.io/validations: |\n  [{\"rule\": \"enum\", \"name\": \"é\", \"message\": \"m\",\n   \"path\": \
                       \"jsonpath::.spec.domain.machine.type\", \"values\": [\"a\"]}]\nother: 𝒳\n";
    let place = Place::with(&[("a.yaml", unformatted)]);
    let (mut editor, uri) = open_with(&place, "a.yaml", unformatted);
    let params = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": true}});
    let edits = editor.request("textDocument/formatting", &params);
    let changed = apply(unformatted, edits.as_array().map(Vec::as_slice).unwrap_or_default());
    assert_eq!(place.run(&["fmt", "a.yaml"]).code, Some(0));
    assert_eq!(changed, place.read("a.yaml"));
    editor.change_file(&uri, 2, &[json!({"text": changed})]);
    assert_eq!(editor.request("textDocument/formatting", &params), json!([]));
    editor.leave();
}

#[test]
fn an_outline_has_rules_and_variables() {
    let place = Place::with(&[]);
    let (mut editor, uri) = open_with(&place, "a.yaml", POLICY);
    let outline = editor.request("textDocument/documentSymbol", &json!({"textDocument": {"uri": uri}}));
    let names: Vec<&str> = outline[0]["children"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(
        (outline[0]["name"].as_str(), names),
        (Some("p"), vec!["replicas", "validations[0]", "validations[1]"])
    );
    editor.leave();
}

#[test]
fn a_declaration_is_found_in_the_file_or_in_another() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      \
        openAPIV3Schema:\n        type: object\n        x-kubernetes-validations:\n        - rule: \"self.fish.all(f, f.é == '𝒳' || f.depth > 3)\"\n        \
        properties:\n          fish: {type: array, items: {type: object, properties: {depth: {type: integer}}}}\n";
    let rules = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nspec:\n  subject: {schema: ../pond.yaml}\n";
    let place = Place::with(&[]);
    let mut editor = Editor::open(&place, &["utf-16"]);
    let mut go = |name: &str, text: &str, needle: &str| {
        let address = uri(&place.path(name));
        editor.open_file(&address, text);
        let at = to_position(
            text,
            u64::try_from(text.find(needle).unwrap_or_default()).unwrap_or_default() + 2,
            "utf-16",
        );
        let params = json!({"textDocument": {"uri": address}, "position": at});
        editor.request("textDocument/definition", &params)
    };
    let declared = |text: &str, needle: &str| {
        to_position(text, u64::try_from(text.find(needle).unwrap_or_default()).unwrap_or_default(), "utf-16")
    };
    assert_eq!(
        go("crd.yaml", definition, "depth > 3")["range"]["start"],
        declared(definition, "depth: {type")
    );
    assert_eq!(go("crd.yaml", definition, "fish.all")["range"]["start"], declared(definition, "fish: {type"));
    assert_eq!(go("crd.yaml", definition, "kind:"), Value::Null);
    assert_eq!(
        go("p.yaml", POLICY, "replicas < 5")["range"]["start"],
        declared(POLICY, "replicas, expression")
    );
    assert_eq!(go("rules/a.yaml", rules, "../pond")["uri"], uri(&place.path("pond.yaml")));
    editor.leave();
}
