//! Expectations of new users: hints that help, options of the configuration that count, numbers that people would write.

use crate::place::{BAD, GOOD, ODD, Place};

/// A definition with a rule at its root's `spec`.
fn definition(rule: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: ponds.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties:\n          spec:\n            type: object\n            properties:\n              name: {{type: string}}\n              \
         fish: {{type: array, items: {{type: string}}}}\n            x-kubernetes-validations:\n            - rule: \"{rule}\"\n"
    )
}

fn policy(spec: &str, expression: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: a.example.com}}\nspec:\n\
         {spec}  matchConstraints:\n    resourceRules:\n    - apiGroups: [apps]\n      apiVersions: [v1]\n      operations: [CREATE]\n      \
         resources: [deployments]\n  validations:\n  - expression: {expression}\n"
    )
}

#[test]
fn functions_of_cel_are_suggested() {
    for (rule, intended) in [
        ("self.name.startWith('a')", "startsWith"),
        ("self.name.endWith('a')", "endsWith"),
        ("self.name.contain('a')", "contains"),
        ("self.name.lowerAscci() == 'a'", "lowerAscii"),
        ("self.name.replce('a', 'b') == 'a'", "replace"),
        ("sise(self.name) > 1", "size"),
        ("self.fish.exist(f, f == 'a')", "exists"),
        ("quantty('1') == quantity('1')", "quantity"),
    ] {
        let run = Place::with(&[("crd.yaml", &definition(rule))]).run(&["check", "crd.yaml"]);
        assert!(run.out.contains(&format!("did you mean `{intended}`?")), "{rule}\n{}", run.out);
    }
    let run = Place::with(&[("crd.yaml", &definition("self.name.sparkle()"))]).run(&["check", "crd.yaml"]);
    assert!(run.code == Some(1) && !run.out.contains("did you mean"), "{run:?}");
}

#[test]
fn a_hint_names_the_missing_part_and_never_what_was_written() {
    let run = Place::with(&[("a.yaml", &policy("", "params.max > 1"))]).run(&["check", "a.yaml"]);
    assert!(
        run.out.contains("undeclared reference to `params`") && run.out.contains("in `spec.paramKind`"),
        "{}",
        run.out
    );
    assert!(!run.out.contains("did you mean `params`"), "{}", run.out);
    let run = Place::with(&[("a.yaml", &policy("", "param.max > 1"))]).run(&["check", "a.yaml"]);
    assert!(run.out.contains("did you mean `params`?"), "{}", run.out);
    let run = Place::with(&[("a.yaml", GOOD)]).run(&[
        "check",
        "--select",
        "KV30",
        "--severity",
        "KV303=loud",
        "a.yaml",
    ]);
    assert!(!run.err.contains("did you mean `loud`"), "{run:?}");
}

#[test]
fn the_format_of_pages_may_be_json_in_the_configuration() {
    let place = Place::with(&[
        ("rules/a.yaml", GOOD),
        ("kvrules.toml", "inputs = ['rules']\n\n[docs]\nformat = 'json'\n"),
    ]);
    let run = place.run(&["docs"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(document.is_object(), "{document}");
    place.write("kvrules.toml", "inputs = ['rules']\n\n[docs]\nformat = 'json'\nout-dir = 'pages'\n");
    let run = place.run(&["docs"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(
        place
            .files("pages")
            .iter()
            .filter(|name| name.rsplit('.').next() == Some("json") && !name.starts_with('.'))
            .count(),
        1
    );
}

#[test]
fn pages_name_files_by_their_path_from_the_configuration() {
    let place = Place::with(&[("rules/a.yaml", GOOD), ("kvrules.toml", "")]);
    let file = place.path("rules/a.yaml");
    let run = place.run(&["docs", "--format", "json", file.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("\"rules/a.yaml\"") && !run.out.contains(file.to_str().unwrap()), "{}", run.out);
    let named = place.run(&["docs", "--format", "json", "rules/a.yaml"]);
    assert_eq!(run.out, named.out);
}

#[test]
fn import_schema_takes_the_kind_from_the_name_of_the_only_schema() {
    let api = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    Pond: {type: object, properties: {spec: {type: object}}}\n";
    let defs = r#"{"$defs": {"Pond": {"type": "object", "properties": {"spec": {"type": "object"}}}}}"#;
    for (name, text) in [("api.yaml", api), ("defs.json", defs)] {
        let run = Place::with(&[(name, text)]).run(&["import", "schema", name]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.out.contains("kind: Pond\n"), "{}", run.out);
    }
}

#[test]
fn proposed_bounds_are_round_and_leave_half_of_the_budget() {
    let text = definition("self.fish.all(a, self.fish.all(b, a.size() + b.size() > 0))");
    let place = Place::with(&[("crd.yaml", &text)]);
    let bounds = |args: &[&str]| -> Vec<u64> {
        let run = place.run(&[&["cost", "--over", "--format", "json", "crd.yaml"], args].concat());
        let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let mut found = Vec::new();
        collect(&report, &mut found);
        found
    };
    let (half, all) = (bounds(&[]), bounds(&["--headroom", "0"]));
    assert!(
        !half.is_empty() && half.iter().all(|bound| bound.to_string().trim_end_matches('0').len() == 1),
        "{half:?}"
    );
    assert!(all.iter().max() > half.iter().max(), "{half:?} {all:?}");
    assert!(bounds(&["--headroom", "90"]).iter().max() < half.iter().max());
    assert_eq!(place.run(&["cost", "--fix", "crd.yaml"]).code, Some(0));
    let run = place.run(&["cost", "--format", "json", "crd.yaml"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let mut estimates = Vec::new();
    estimated(&report, &mut estimates);
    assert!(estimates.iter().all(|estimate| *estimate <= 5_000_000), "{estimates:?}");
    assert_eq!(place.run(&["cost", "--headroom", "100", "crd.yaml"]).code, Some(2));
}

fn collect(value: &serde_json::Value, found: &mut Vec<u64>) {
    found.extend(value.get("most").and_then(serde_json::Value::as_u64));
    each(value, &mut |inner| collect(inner, found));
}

fn estimated(value: &serde_json::Value, found: &mut Vec<u64>) {
    found.extend(value.get("estimate").and_then(serde_json::Value::as_u64));
    each(value, &mut |inner| estimated(inner, found));
}

fn each(value: &serde_json::Value, take: &mut dyn FnMut(&serde_json::Value)) {
    match value {
        serde_json::Value::Object(fields) => fields.values().for_each(take),
        serde_json::Value::Array(items) => items.iter().for_each(take),
        _ => {}
    }
}

#[test]
fn the_message_about_a_baseline_counts_findings_and_files() {
    let place = Place::with(&[("a.yaml", BAD), ("b.yaml", ODD), ("c.yaml", GOOD)]);
    let write = ["check", "--baseline", "base.json", "--write-baseline", "a.yaml", "b.yaml", "c.yaml"];
    let run = place.run(&write);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("now accepts 2 findings (1 error, 1 warning) in 2 of 3 files\n"), "{run:?}");
    place.write("a.yaml", GOOD);
    assert!(place.run(&write).err.contains("now accepts 1 finding (1 warning) in 1 of 3 files, 2 before\n"));
}

#[test]
fn progress_is_shown_on_terminals_alone() {
    let files: Vec<_> = (0..100).map(|number| format!("d/{number}.yaml")).collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), GOOD)).collect();
    let run = Place::with(&files).run(&["check", "d"]);
    assert_eq!(run.err, "checked 100 files, 100 rules in 100 rule sets: no findings\n");
}

#[test]
fn a_schema_300_levels_deep_is_checked() {
    let levels = 300;
    let nested = format!(
        "{}{{\"type\":\"string\",\"minLength\":5,\"maxLength\":2}}{}",
        "{\"type\":\"object\",\"properties\":{\"a\":".repeat(levels),
        "}}".repeat(levels)
    );
    let json = format!(
        "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{{\"name\":\"ponds.example.com\"}},\
         \"spec\":{{\"group\":\"example.com\",\"scope\":\"Namespaced\",\"names\":{{\"plural\":\"ponds\",\"singular\":\"pond\",\"kind\":\"Pond\",\
         \"listKind\":\"PondList\"}},\"versions\":[{{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{{\"openAPIV3Schema\":{nested}}}}}]}}}}"
    );
    let place = Place::with(&[
        ("deep.json", &json),
        ("object.yaml", "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a}\n"),
    ]);
    let run = place.run(&["check", "deep.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("KC208") && !run.out.contains("too deep"), "{}", run.out.len());
    assert_eq!(place.run(&["cost", "deep.json"]).code, Some(0));
    assert_eq!(place.run(&["diff", "deep.json", "deep.json"]).code, Some(0));
    assert_eq!(place.run(&["eval", "--engine", "crd", "--schema", "deep.json", "object.yaml"]).code, Some(0));
}
