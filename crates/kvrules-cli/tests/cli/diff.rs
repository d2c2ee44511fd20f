//! `kvrules diff`: files, directories and revisions of git, existing objects, exit statuses, and bad input.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::process::Command;

use crate::place::{GOOD, Place};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {plural: ponds, kind: Pond}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              depth: {type: integer, maximum: 9}
              fish: {type: array, items: {type: string}}
";

fn deeper() -> String {
    CRD.replace("maximum: 9", "maximum: 20")
}

fn shallower() -> String {
    CRD.replace("maximum: 9", "maximum: 5")
}

const EXTRA: &str = "kind: ExtraSpecDefinitions
version: 1
definitions:
  - {name: 'acme:tier', description: x, value: {type: string, enum: [gold, silver]}}
";

#[test]
fn a_stricter_bound_is_told_with_its_places_and_an_object() {
    let place = Place::with(&[("old.yaml", CRD), ("new.yaml", &shallower())]);
    let run = place.run(&["diff", "old.yaml", "new.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("tightened: maximum 9 → 5 (old.yaml:16:38 → new.yaml:16:38)"), "{run:?}");
    assert!(run.out.contains("\"spec\":{\"depth\":6}"), "{run:?}");
    assert!(run.err.contains("compared 5 fields: 1 tightened"), "{run:?}");
}

#[test]
fn the_status_follows_what_is_asked_for() {
    let place = Place::with(&[("old.yaml", CRD), ("low.yaml", &shallower()), ("high.yaml", &deeper())]);
    let code = |new: &str, fail_on: &str| place.run(&["diff", "old.yaml", new, "--fail-on", fail_on]).code;
    assert_eq!((code("low.yaml", "tightened"), code("high.yaml", "tightened")), (Some(1), Some(0)));
    assert_eq!((code("low.yaml", "loosened"), code("high.yaml", "loosened")), (Some(0), Some(1)));
    assert_eq!(
        (code("low.yaml", "any"), code("high.yaml", "any"), code("old.yaml", "any")),
        (Some(1), Some(1), Some(0))
    );
}

#[test]
fn what_cannot_be_told_is_neither_success_nor_failure() {
    let rule = |text: &str| {
        let rules = format!(
            "x-kubernetes-validations: [{{rule: \"{text}\"}}]\n            properties:\n              depth:"
        );
        CRD.replacen("properties:\n              depth:", &rules, 1)
    };
    // Both rules always hold, which only evaluation can show.
    let (one, other) = (rule("size(string(self)) >= 0 || true"), rule("!has(self.depth) || self.depth <= 9"));
    let place = Place::with(&[("old.yaml", &one), ("new.yaml", &other)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "any"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("no difference found in"), "{run:?}");
}

/// A policy about Deployments with one validation.
fn policy(rule: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  \
         matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], \
         resources: [deployments]}}]}}\n  validations: [{{expression: \"{rule}\"}}]\n"
    )
}

#[test]
fn an_undecided_direction_counts_as_what_a_run_fails_on() {
    let old = policy("object.metadata.name.startsWith('a') || object.spec.replicas > 3");
    let new = policy("object.metadata.name.endsWith('a') || object.spec.replicas > 2");
    let place = Place::with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let run = |fail_on: &str| place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", fail_on]);
    assert_eq!(["tightened", "loosened", "any"].map(|it| run(it).code), [Some(3), Some(1), Some(1)]);
    let human = run("any");
    assert!(human.out.contains("loosened (tightening unknown): rule "), "{human:?}");
    assert!(human.err.contains("1 loosened (tightening unknown)"), "{human:?}");
    let format = |name: &str| place.run(&["diff", "old.yaml", "new.yaml", "--output-format", name]).out;
    assert!(format("markdown").contains("| loosened (tightening unknown) |"), "{}", format("markdown"));
    assert!(format("html").contains("tightening unknown; "), "{}", format("html"));
    let json: serde_json::Value = serde_json::from_str(&format("json")).unwrap();
    let change = &json["pairs"][0]["changes"][0];
    assert_eq!(
        [&change["direction"], &change["tightens"], &change["loosens"], &change["proved"]],
        [&"loosened-tightening-unknown".into(), &"unknown".into(), &"yes".into(), &serde_json::json!(false)]
    );
}

#[test]
fn a_policy_that_only_one_side_has_counts() {
    let both = policy("object.spec.replicas < 9");
    let other = policy("object.spec.replicas < 5").replace("{name: p}", "{name: q}");
    let place = Place::with(&[("old/a.yaml", &both), ("new/a.yaml", &both), ("new/b.yaml", &other)]);
    let code =
        |one: &str, two: &str, fail_on: &str| place.run(&["diff", one, two, "--fail-on", fail_on]).code;
    assert_eq!((code("old", "new", "tightened"), code("old", "new", "loosened")), (Some(1), Some(0)));
    assert_eq!((code("new", "old", "tightened"), code("new", "old", "loosened")), (Some(0), Some(1)));
}

#[test]
fn requests_have_the_types_of_the_schema() {
    let about = |rule: &str| policy(rule).replace("[apps]", "[example.com]").replace("deployments", "ponds");
    let crd = CRD
        .replace("names:", "scope: Namespaced\n  names:")
        .replace("- name: v1\n", "- name: v1\n    served: true\n    storage: true\n")
        .replace("maximum: 9", "minimum: 3");
    let place = Place::with(&[
        ("old.yaml", &about("object.spec.depth != object.metadata.generation")),
        ("new.yaml", &about("object.spec.depth == object.metadata.generation")),
        ("crd.yaml", &crd),
    ]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--schema", "crd.yaml", "--output-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let change = &json["pairs"][0]["changes"][0];
    let objects = ["refused", "accepted"].map(|it| change[it]["object"].clone());
    assert!(objects.iter().any(|object| object["kind"] == "Pond"), "{run:?}");
    for depth in objects.iter().filter_map(|object| object.pointer("/spec/depth")) {
        assert!(depth.as_i64() >= Some(3), "{run:?}");
    }
    let unknown = place.run(&["diff", "old.yaml", "new.yaml"]);
    assert!(unknown.out.contains("give its definition with `--schema`"), "{unknown:?}");
}

#[test]
fn an_object_that_only_loses_fields_is_not_rejected() {
    let old = CRD.replace("depth: {", "gone: {type: string}\n              depth: {");
    let object = "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a}\nspec: {gone: x}\n";
    let place = Place::with(&[("old.yaml", &old), ("new.yaml", CRD), ("a.yaml", object)]);
    for format in ["human", "markdown", "html"] {
        let run =
            place.run(&["diff", "old.yaml", "new.yaml", "--corpus", "a.yaml", "--output-format", format]);
        assert!(run.err.contains("0 of 1 existing object would be rejected; 1 would lose fields"), "{run:?}");
        assert!(run.out.contains("spec.gone"), "{run:?}");
    }
}

#[test]
fn a_corpus_without_objects_of_the_compared_kinds_is_an_error() {
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let place = Place::with(&[("old.yaml", CRD), ("new.yaml", &shallower()), ("a.yaml", other)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--corpus", "a.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.err.contains("nothing to evaluate: the files of `--corpus` have 1 object of other kinds"),
        "{run:?}"
    );
}

#[test]
fn references_are_followed_as_the_checks_follow_them() {
    let schema = |kind: &str, defs: &str, target: &str, head: &str| {
        format!(
            r#"{{{head}"type": "object", {defs}: {{"a": {{"$id": "inner.json", "$defs": {{"n": {{"$anchor": "n", "type": "{kind}"}}}}}},
                "description": "text"}}, "properties": {{"x": {{"$ref": "{target}"}}}}}}"#
        )
    };
    let id = r#""$id": "https://schemas.example/s.json", "#;
    let draft7 = r#""$schema": "http://json-schema.org/draft-07/schema#", "#;
    let modern = r#""$schema": "https://json-schema.org/draft/2020-12/schema", "#;
    for (target, head) in [
        // Nothing is a keyword below `$defs` in draft 7.
        ("#/$defs/a/$defs/n", draft7.to_owned()),
        ("https://schemas.example/s.json#/$defs/a/$defs/n", format!("{draft7}{id}")),
    ] {
        let sides = ["string", "integer"].map(|kind| schema(kind, r#""$defs""#, target, &head));
        let place = Place::with(&[("old.json", &sides[0]), ("new.json", &sides[1])]);
        let run = place.run(&["diff", "old.json", "new.json"]);
        assert!(run.out.contains("type string → integer"), "{target}: {run:?}");
    }
    for target in ["inner.json#n", "https://schemas.example/inner.json#/$defs/n", "s.json#/$defs/a/$defs/n"] {
        let sides = ["string", "integer"].map(|kind| {
            schema(kind, r#""$defs""#, target, &format!("{modern}{id}"))
                .replace(r#""description": "text""#, r#""b": true"#)
        });
        let place = Place::with(&[("old.json", &sides[0]), ("new.json", &sides[1])]);
        let run = place.run(&["diff", "old.json", "new.json"]);
        assert!(run.out.contains("type string → integer"), "{target}: {run:?}");
    }
}

#[test]
fn existing_objects_that_would_be_refused_are_named_with_what_updates_may_do() {
    let objects = "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: deep}\nspec: {depth: 7}\n---\n\
                   apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: flat}\nspec: {depth: 1}\n";
    let place = Place::with(&[("old.yaml", CRD), ("new.yaml", &shallower()), ("objects/a.yaml", objects)]);
    let run =
        place.run(&["diff", "old.yaml", "new.yaml", "--corpus", "objects/*.yaml", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("deep (objects/a.yaml:1:1)"), "{run:?}");
    assert!(
        run.out.contains("rejected when created; an update that leaves `spec.depth` alone passes"),
        "{run:?}"
    );
    assert!(!run.out.contains("flat"), "{run:?}");
    assert!(run.err.contains("1 of 2 existing objects would be rejected"), "{run:?}");
}

#[test]
fn machines_are_judged_by_both_rule_sets() {
    let stricter = GOOD.replace("\"max\": 8", "\"max\": 4");
    let machine = "kind: VirtualMachine\nmetadata: {name: big}\nspec: {template: {spec: {domain: {cpu: {cores: 6}}}}}\n";
    let place = Place::with(&[("old.yaml", GOOD), ("new.yaml", &stricter), ("vm.yaml", machine)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--corpus", "vm.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("tightened: max 8 → 4"), "{run:?}");
    assert!(
        run.out.contains(
            "big (vm.yaml:1:1)\n    cores: at most 8 cores\n    rejected when created and at every update"
        ),
        "{run:?}"
    );
}

#[test]
fn flavors_are_judged_by_both_documents() {
    let fewer = EXTRA.replace("gold, silver", "gold");
    let flavors = "[{\"Name\": \"f\", \"Properties\": \"acme:tier='silver'\"}]";
    let place = Place::with(&[("old.yaml", EXTRA), ("new.yaml", &fewer), ("flavors.json", flavors)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--corpus", "flavors.json"]);
    assert!(run.out.contains("tightened: enum gold, silver → gold"), "{run:?}");
    assert!(run.out.contains("{\"acme:tier\":\"silver\"}"), "{run:?}");
    assert!(run.out.contains("an update that leaves `acme:tier` alone passes"), "{run:?}");
}

#[test]
fn directories_are_matched_by_path_and_name() {
    let place = Place::with(&[
        ("old/a/pond.yaml", CRD),
        ("old/gone.yaml", &CRD.replace("ponds.example", "lakes.example")),
        ("new/a/pond.yaml", &deeper()),
        ("new/come.yaml", &CRD.replace("ponds.example", "seas.example").replace("maximum: 9", "maximum: 1")),
    ]);
    let run = place.run(&["diff", "old", "new"]);
    assert!(
        run.out.contains("loosened: maximum 9 → 20 (old/a/pond.yaml:16:38 → new/a/pond.yaml:16:38)"),
        "{run:?}"
    );
    let single = place.run(&["diff", "old/a", "new/a", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&single.out).unwrap();
    assert_eq!(report["pairs"][0]["changes"][0]["direction"], "loosened");
    assert_eq!(report["counts"]["loosened"], 1);
}

fn git(place: &Place, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command
        .current_dir(place.path("."))
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn files_and_directories_are_read_at_a_revision() {
    let place = Place::with(&[("crds/pond.yaml", CRD), ("crds/notes.txt", "x")]);
    if !git(&place, &["init", "-q"]) {
        // Without git, only the error can be tested.
        let run = place.run(&["diff", "git:HEAD:crds/pond.yaml", "crds/pond.yaml"]);
        assert!(run.err.contains("git"), "{run:?}");
        return;
    }
    assert!(git(&place, &["add", "."]) && git(&place, &["commit", "-q", "-m", "one"]));
    place.write("crds/pond.yaml", shallower());
    for (old, new) in [("git:HEAD:crds/pond.yaml", "crds/pond.yaml"), ("git:HEAD:crds", "crds")] {
        let run = place.run(&["diff", old, new, "--fail-on", "tightened"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains("(git:HEAD:crds/pond.yaml:16:38 → crds/pond.yaml:16:38)"), "{run:?}");
    }
    for (old, words) in [
        ("git:nowhere:crds/pond.yaml", "cannot read `git:nowhere:crds/pond.yaml`"),
        ("git:HEAD:crds/lake.yaml", "cannot read `git:HEAD:crds/lake.yaml`"),
        ("git:HEAD", "missing revision or path in `git:HEAD`"),
        ("git:--help:x", "missing revision or path in `git:--help:x`"),
    ] {
        let run = place.run(&["diff", old, "crds/pond.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_an_error_that_says_why() {
    let place = Place::with(&[
        ("crd.yaml", CRD),
        ("rules.yaml", GOOD),
        ("empty.yaml", ""),
        ("map.yaml", "a: 1\n"),
        (
            "extra.yaml",
            "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions: [{name: 'acme:tier', description: d, value: {type: string}}]\n",
        ),
        ("config.json", "{\"$schema\": \"https://example.com/config.json\", \"items\": {}}"),
        ("flavor.yaml", "extra_specs: {'hw:cpu_policy': dedicated}\n"),
        (
            "astray.json",
            "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"items\": {\"$ref\": \"other.json\"}}",
        ),
        ("broken.yaml", "kind: CustomResourceDefinition\nspec: [\n"),
    ]);
    place.write("binary.yaml", b"a: \x00\x01\xff");
    for (new, words) in [
        ("missing.yaml", "missing.yaml: no such file"),
        ("binary.yaml", "binary.yaml:1:4: unexpected zero byte"),
        ("empty.yaml", "empty.yaml: nothing recognized in this file"),
        ("map.yaml", "map.yaml: nothing recognized in this file"),
        ("config.json", "config.json: nothing recognized in this file"),
        ("flavor.yaml", "flavor.yaml: `kvrules diff` does not apply to the flavors in this file"),
        ("broken.yaml", "broken.yaml:"),
        (
            "extra.yaml",
            "the document of extra specs `extra specs` is compared only with another one: they are about extra specs of flavors",
        ),
        ("astray.json", "astray.json:2:11: the reference `other.json` points to another document"),
        (
            "rules.yaml",
            "cannot compare: the definition `ponds.example.com/v1` is about `Pond` of `example.com/v1`, and the template `rules` about \
             `VirtualMachine` of `kubevirt.io/v1`: no object is both",
        ),
    ] {
        let run = place.run(&["diff", "crd.yaml", new]);
        assert_eq!(run.code, Some(2), "{new}: {run:?}");
        assert!(run.err.contains(words), "{new}: {run:?}");
        assert!(run.out.is_empty(), "{new}: {run:?}");
    }
}

#[test]
fn a_values_schema_of_a_chart_is_compared_and_files_are_held_to_it() {
    let schema = |least: u32| {
        format!(
            "{{\"type\": \"object\", \"properties\": {{\n\"port\": {{\"type\": \"integer\", \"minimum\": {least}}}}}}}\n"
        )
    };
    let place =
        Place::with(&[("old.json", &schema(1)), ("new.json", &schema(1024)), ("env/a.yaml", "port: 80\n")]);
    let run = place.run(&["diff", "old.json", "new.json", "--corpus", "env", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in [
        "JSON Schema old.json → new.json",
        "tightened: minimum 1 → 1024 (old.json:2:29 → new.json:2:29)",
        "valid before, rejected now: {\"port\":1}",
        "port: 80 is less than the minimum of 1024",
    ] {
        assert!(run.out.contains(words), "{words}: {run:?}");
    }
}

#[test]
fn hostile_schemas_end_in_an_answer() {
    let definitions = |most: u32| {
        let below = |level: u32| {
            let next = format!("{{\"$ref\": \"#/$defs/d{}\"}}", level + 1);
            format!("\"d{level}\": {{\"properties\": {{\"x\": {next}, \"y\": {next}}}}}")
        };
        let levels: Vec<String> = (0..40).map(below).collect();
        format!(
            "{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}, \"d40\": {{\"maximum\": {most}}}}}}}",
            levels.join(", ")
        )
    };
    let deep = format!(
        "{{\"$schema\": \"https://json-schema.org/schema\", \"not\": {}{}}}",
        "{\"items\": ".repeat(10_000),
        "}".repeat(10_000)
    );
    let place = Place::with(&[
        ("wide.json", &definitions(3)),
        ("wider.json", &definitions(2)),
        ("round.json", "{\"$schema\": \"https://json-schema.org/schema\", \"allOf\": [{\"$ref\": \"#\"}]}"),
        ("deep.json", &deep),
    ]);
    let run = place.run(&["diff", "wide.json", "wider.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("tightened: maximum 3 → 2"), "{}", run.out);
    let run = place.run(&["diff", "wide.json", "round.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = place.run(&["diff", "wide.json", "deep.json"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("nesting of lists and objects is too deep"), "{}", run.err);
}

#[test]
fn hostile_definitions_end_in_an_answer() {
    let rule = |bound: &str| {
        let text = format!("self > {bound} && ").repeat(70_000) + "true";
        CRD.replace(
            "depth: {type: integer, maximum: 9}",
            &format!("depth: {{type: integer, x-kubernetes-validations: [{{rule: '{text}'}}]}}"),
        )
    };
    let levels = "abcdefghijk".chars().zip("bcdefghijkl".chars());
    let bomb: String = std::iter::once("a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(
            levels.map(|(one, next)| format!("{next}: &{next} [{}]\n", vec![format!("*{one}"); 9].join(","))),
        )
        .chain(["kind: CustomResourceDefinition\n".to_owned()])
        .collect();
    let deep =
        format!("kind: CustomResourceDefinition\nspec: {}1{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let place = Place::with(&[
        ("long.yaml", &rule("1")),
        ("longer.yaml", &rule("2")),
        ("bomb.yaml", &bomb),
        ("deep.yaml", &deep),
    ]);
    let run = place.run(&["diff", "long.yaml", "longer.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("unknown: rule self > 1") && run.out.len() < 5000, "{}", run.err);
    for (name, words) in
        [("bomb.yaml", "expands too much"), ("deep.yaml", "nesting of lists and objects is too deep")]
    {
        let run = place.run(&["diff", "long.yaml", name]);
        assert_eq!(run.code, Some(2), "{name}: {}", run.err);
        assert!(run.err.contains(words), "{name}: {}", run.err);
    }
}

#[test]
fn what_changed_alike_in_many_sets_is_told_once() {
    let bundle = |most: &str| {
        let templates = ["a", "b"].map(|name| {
            let rules = GOOD.replace("\"max\": 8", most).replace('\n', "\n      ");
            let head =
                format!("kind: Template\nmetadata: {{name: {name}}}\nobjects:\n- kind: VirtualMachine\n");
            format!("{head}  metadata:\n    annotations:\n      {rules}")
        });
        templates.join("\n---\n")
    };
    let place = Place::with(&[("old.yaml", &bundle("\"max\": 8")), ("new.yaml", &bundle("\"max\": 9"))]);
    let run = place.run(&["diff", "old.yaml", "new.yaml"]);
    assert_eq!(run.out.matches("loosened: max 8 → 9").count(), 1, "{run:?}");
    assert!(run.out.contains("rule set a\n") && run.out.contains("  also in b\n"), "{run:?}");
    assert!(run.err.contains("compared 2 rules: 2 loosened"), "{run:?}");
}

#[test]
fn a_page_has_a_timeline_of_what_changed() {
    let place = Place::with(&[("o<l>d.yaml", CRD), ("new.yaml", &shallower()), ("same.yaml", CRD)]);
    let run = place.run(&["diff", "o<l>d.yaml", "new.yaml", "--output-format", "html"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("<h2>schema ponds.example.com/v1</h2>"), "{run:?}");
    assert!(run.out.contains("o&lt;l&gt;d.yaml is the first version."), "{run:?}");
    assert!(run.out.contains("new.yaml: tightened: spec.depth: maximum 9 → 5."), "{run:?}");
    let run = place.run(&["diff", "o<l>d.yaml", "same.yaml", "--output-format", "html"]);
    assert!(run.out.contains("<p>compared 5 fields: no differences</p>"), "{run:?}");
    assert!(!run.out.contains("<svg"), "{run:?}");
}

#[test]
fn a_report_in_markdown_is_a_table_for_each_thing() {
    let place = Place::with(&[("old.yaml", CRD), ("new.yaml", &shallower())]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--format", "markdown"]);
    assert!(run.out.contains("### schema <code>ponds.example.com/v1</code>"), "{run:?}");
    assert!(run.out.contains("| <code>spec.depth</code> | tightened | maximum 9 → 5 |"), "{run:?}");
}

#[test]
fn a_directory_of_a_revision_gives_the_files_that_the_directory_gives() {
    let place = Place::with(&[
        ("rules/a.yaml", GOOD),
        ("rules/b.yaml.j2", GOOD),
        ("rules/c.tpl", GOOD),
        ("rules/.hidden.yaml", GOOD),
        ("rules/.hidden/d.yaml", GOOD),
        ("rules/ignored.yaml", GOOD),
        ("rules/deep/kept.yaml", GOOD),
        ("rules/deep/also-ignored.yaml", GOOD),
        ("rules/excluded/e.yaml", GOOD),
        ("rules/deep/.gitignore", "also-*\n!kept.yaml\n"),
        (".gitignore", "ignored.yaml\nkept.yaml\n"),
        ("kvrules.toml", "inputs = ['rules']\nexclude = ['rules/excluded']\n"),
    ]);
    let git = |args: &[&str]| {
        let run = std::process::Command::new("git").args(args).current_dir(place.path("")).output().unwrap();
        assert!(run.status.success(), "{args:?} {}", String::from_utf8_lossy(&run.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "-f", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"]);
    let names = |side: &str| {
        let run = place.run(&["diff", side, "rules", "--output-format", "json"]);
        assert_eq!(run.code, Some(0), "{side} {run:?}");
        let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(
            (report["added"].clone(), report["removed"].clone()),
            (serde_json::json!([]), serde_json::json!([])),
            "{side}"
        );
        run.err
    };
    let counted = names("rules");
    assert_eq!(names("git:HEAD:rules"), counted);
    assert!(counted.starts_with("compared 4 rules"), "{counted}");
    assert_eq!(names("git:HEAD:./rules"), counted);
}

/// Rules that are left out, `count` of them with a bound, in the annotation of a template.
fn left_out(keys: &str, count: usize, most: u32) -> String {
    let rule = |at: usize| format!("{{\"name\": \"r{at}\", \"message\": \"m\", {keys}, \"max\": {most}}}");
    let rules: Vec<String> = (0..count).map(rule).collect();
    format!("vm.kubevirt.io/validations: |\n  [{}]\n", rules.join(",\n   "))
}

const UNKNOWN_FIELD: &str = "\"rule\": \"integer\", \"path\": \"jsonpath::.spec.nowhere\"";
const UNKNOWN_KIND: &str = "\"rule\": \"integr\", \"path\": \"jsonpath::.spec.domain.cpu.cores\"";

#[test]
fn changed_rules_that_are_left_out_on_both_sides_are_unknown_with_the_cause() {
    for (keys, cause) in
        [(UNKNOWN_FIELD, "names the unknown field `nowhere`"), (UNKNOWN_KIND, "unknown rule kind `integr`")]
    {
        let place = Place::with(&[
            ("old.yaml", &left_out(keys, 300, 8)),
            ("new.yaml", &left_out(keys, 300, 4)),
            ("wide.yaml", &left_out(keys, 300, 8).replace(": \"", ":   \"")),
        ]);
        let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "tightened"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.err.contains("compared 300 rules: 300 unknown"), "{}", run.err);
        assert!(run.out.contains("unknown: rule left out (old.yaml:2:4 → new.yaml:2:4)"), "{}", run.out);
        assert!(run.out.contains(cause), "{}", run.out);
        let run = place.run(&["diff", "old.yaml", "new.yaml", "--output-format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!((&report["counts"]["unknown"], &report["compared"]), (&300.into(), &300.into()));
        let change = &report["pairs"][0]["changes"][299];
        assert_eq!((&change["at"], &change["direction"]), (&"r299".into(), &"unknown".into()));
        assert!(change["notes"][0].as_str().unwrap().contains(cause), "{change}");
        // The same keys and values are the same rule.
        let run = place.run(&["diff", "old.yaml", "wide.yaml", "--fail-on", "any"]);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
        assert!(run.err.contains("compared 300 rules: no differences"), "{}", run.err);
    }
}

#[test]
fn a_rule_that_is_left_out_and_differs_in_its_message_alone_is_a_changed_message() {
    for keys in [UNKNOWN_FIELD, UNKNOWN_KIND] {
        let old = left_out(keys, 3, 8);
        let place = Place::with(&[
            ("old.yaml", old.as_str()),
            ("new.yaml", &old.replacen("\"m\"", "\"n\"", 1)),
            ("both.yaml", &left_out(keys, 3, 4).replacen("\"m\"", "\"n\"", 1)),
            ("list.yaml", &old.replacen("\"m\"", "[\"n\"]", 1)),
        ]);
        let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "tightened"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.err.contains("compared 3 rules: 1 message only"), "{}", run.err);
        let run = place.run(&["diff", "old.yaml", "new.yaml", "--output-format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let change = &report["pairs"][0]["changes"][0];
        assert_eq!((&change["at"], &change["direction"]), (&"r0".into(), &"message-only".into()), "{change}");
        assert_eq!(
            (&change["limits"][0]["before"], &change["limits"][0]["after"]),
            (&"m".into(), &"n".into())
        );
        // Any other difference leaves the direction unknown, and so does a message that is not a string.
        let run = place.run(&["diff", "old.yaml", "both.yaml"]);
        assert!(run.err.contains("compared 3 rules: 3 unknown"), "{}", run.err);
        let run = place.run(&["diff", "old.yaml", "list.yaml"]);
        assert!(run.err.contains("compared 3 rules: 1 unknown"), "{}", run.err);
    }
}

#[test]
fn conditions_around_a_rule_and_annotations_that_are_no_lists_are_unknown_where_they_differ() {
    let conditional = |tag: &str, most: u32| {
        let opened = GOOD.replace("[{\n", &format!("[{{% if {tag} %}}{{\n"));
        opened.replace("\"max\": 8\n  }", &format!("\"max\": {most}\n  }}{{% endif %}}"))
    };
    let map = |name: &str| format!("vm.kubevirt.io/validations: |\n  {{\"name\": \"{name}\"}}\n");
    for (old, new, code) in [
        (conditional("a", 8), conditional("a", 8), 0),
        (conditional("a", 8), conditional("b", 8), 3),
        (conditional("a", 8), conditional("a", 4), 3),
        (map("a"), map("a"), 0),
        (map("a"), map("b"), 3),
    ] {
        let place = Place::with(&[("old.yaml", &old), ("new.yaml", &new)]);
        let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "any"]);
        assert_eq!(run.code, Some(code), "{old} {new} {run:?}");
        assert_eq!(run.err.contains("no differences"), code == 0, "{run:?}");
    }
}

#[test]
fn two_sides_without_a_rule_or_a_definition_are_nothing_to_compare() {
    let specs = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions: []\n";
    let place = Place::with(&[("rules.yaml", "vm.kubevirt.io/validations: '[]'\n"), ("specs.yaml", specs)]);
    for (name, noun) in [("rules.yaml", "rule"), ("specs.yaml", "definition")] {
        let run = place.run(&["diff", name, name]);
        let words = format!("nothing to compare: neither `{name}` nor `{name}` has a {noun}");
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(&words), "{run:?}");
    }
}

/// A definition that is complete, with a text put in place of another.
fn definition(old: &str, new: &str) -> String {
    let whole = CRD
        .replace("group: example.com", "group: example.com\n  scope: Namespaced")
        .replace("- name: v1", "- name: v1\n    served: true\n    storage: true");
    assert!(whole.contains(old), "{old}");
    whole.replacen(old, new, 1)
}

#[test]
fn changes_of_a_definition_outside_of_its_schemas_are_reported() {
    let cases = [
        ("scope: Namespaced", "scope: Cluster", "incomparable: scope Namespaced → Cluster"),
        ("served: true", "served: false", "tightened: served true → false"),
        ("plural: ponds,", "plural: ponds, shortNames: [po],", "equal: shortNames [\"po\"] added"),
        ("  scope:", "  preserveUnknownFields: true\n  scope:", "unknown: preserveUnknownFields true added"),
        ("    storage:", "    deprecated: true\n    storage:", "equal: deprecated true added"),
        (
            "    storage:",
            "    subresources: {scale: {specReplicasPath: .spec.depth, statusReplicasPath: .status.depth}}\n    storage:",
            "unknown: subresources",
        ),
    ];
    for (old, new, line) in cases {
        let place =
            Place::with(&[("old.yaml", &definition("v1", "v1")), ("new.yaml", &definition(old, new))]);
        let run = place.run(&["diff", "old.yaml", "new.yaml"]);
        assert!(
            run.out.contains(line) && run.out.contains("definition ponds.example.com"),
            "{line}: {run:?}"
        );
        assert!(!run.err.contains("no differences"), "{run:?}");
        assert!(run.out.contains("new.yaml:"), "{run:?}");
    }
    // The only version of a definition may have another name on the other side.
    let matured = definition("- name: v1\n    served: true", "- name: v2\n    served: false");
    let place = Place::with(&[("old.yaml", &definition("v1", "v1")), ("new.yaml", &matured)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "any"]);
    assert!(run.out.contains("incomparable: name v1 → v2"), "{run:?}");
    assert!(run.out.contains("tightened: served true → false") && run.code == Some(1), "{run:?}");
    let same = definition("kind: Pond}", "kind: Pond, singular: pond, listKind: PondList}");
    let place = Place::with(&[("old.yaml", &definition("v1", "v1")), ("new.yaml", &same)]);
    let run = place.run(&["diff", "old.yaml", "new.yaml"]);
    assert!(run.err.contains("no differences"), "defaults are no changes: {run:?}");
}

#[test]
fn an_update_that_the_server_rejects_is_called_that() {
    let place = Place::with(&[
        ("old.yaml", &definition("v1", "v1")),
        ("new.yaml", &definition("scope: Namespaced", "scope: Cluster")),
    ]);
    let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "tightened"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("the server rejects this update of the definition: field is immutable"),
        "{run:?}"
    );
}

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limits}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas > 3
";

#[test]
fn policies_are_compared_by_the_requests_that_they_deny() {
    let cases = [
        ("replicas > 3\n", "replicas > 3\n  - expression: object.spec.paused\n", "tightened", 1),
        (
            "  validations:",
            "  failurePolicy: Ignore\n  validations:",
            "loosened: failurePolicy Fail → Ignore",
            0,
        ),
        ("replicas > 3\n", "replicas > 3\n    message: more\n", "message only: message more added", 0),
        ("CREATE", "UPDATE", "incomparable: resourceRules", 1),
        ("> 3\n", "> 4\n", "admitted before, denied now: CREATE of deployments (apps/v1)", 1),
        (
            "  validations:",
            "  matchConditions: [{name: a, expression: 'true'}]\n  validations:",
            "equal: rule added",
            0,
        ),
        (
            "  validations:",
            "  matchConditions: [{name: a, expression: object.metadata.name == 'x'}]\n  validations:",
            "loosened: rule added",
            0,
        ),
        (
            "  validations:",
            "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  validations:",
            "unknown: paramKind",
            3,
        ),
    ];
    for (old, new, line, code) in cases {
        let changed = POLICY.replace(old, new);
        // A definition next to it does not hide the policy.
        let beside = |policy: &str| format!("{}---\n{policy}", definition("v1", "v1"));
        for (one, other) in [(POLICY.to_owned(), changed.clone()), (beside(POLICY), beside(&changed))] {
            let place = Place::with(&[("old.yaml", &one), ("new.yaml", &other)]);
            let run = place.run(&["diff", "old.yaml", "new.yaml", "--fail-on", "tightened"]);
            assert!(run.out.contains(line) && run.out.contains("limits"), "{line}: {run:?}");
            assert_eq!(run.code, Some(code), "{line}: {run:?}");
        }
    }
    let place = Place::with(&[
        ("old.yaml", POLICY),
        ("new.yaml", &POLICY.replace("limits}", "limits, labels: {a: b}}")),
    ]);
    let run = place.run(&["diff", "old.yaml", "new.yaml"]);
    assert!(run.err.contains("no differences"), "{run:?}");
}
