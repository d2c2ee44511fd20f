//! Claims of compile, docs and verify: never more than is true, and never success if nothing was checked.

use serde_json::Value;

use crate::place::{BAD, GOOD, Place};

const JSON_SCHEMA: &str = r#"{"type": "object", "properties": {"spec": {"type": "object", "properties": {"depth": {"type": "integer"}}}}}"#;

const OPENAPI: &str = r#"{"openapi": "3.0.0",
  "paths": {"/apis/example.com/v1/namespaces/{namespace}/ponds/{name}": {
    "put": {"x-kubernetes-group-version-kind": {"group": "example.com", "version": "v1", "kind": "Pond"}}}},
  "components": {"schemas": {"Pond": {"type": "object",
    "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Pond"}],
    "properties": {"spec": {"type": "object", "properties": {"depth": {"type": "integer"}}}}}}}}"#;

const DEPTH: &str = r#"vm.kubevirt.io/validations: |
  [{"name": "depth", "rule": "integer", "message": "shallow", "path": "jsonpath::.spec.depth", "max": 8}]
"#;

/// A rule that no predicate says.
const FILTERED: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "filtered", "rule": "enum", "message": "sata",
    "path": "jsonpath::.spec.domain.devices.disks[?(@.name=='a')].disk.bus", "values": ["sata"]
  }]
"#;

const MEMORY: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "memory", "rule": "integer", "message": "more memory",
    "path": "jsonpath::.spec.domain.memory.guest", "min": 2147483648
  }]
"#;

fn crd(kind: &str, plural: &str, field: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.example.com}}\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n  - {{name: v1, served: \
         true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: \
         {{{field}: {{type: integer}}}}}}}}}}}}}}\n"
    )
}

#[test]
fn a_parameter_in_name_or_message_never_drops_the_rule_from_a_target() {
    let template = r#"apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: linux}
objects:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata:
    name: linux
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "cores-${LEVEL}-${KNOWN}", "rule": "integer", "message": "ask ${OWNER}",
          "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8}]
parameters:
- {name: LEVEL}
- {name: OWNER, generate: expression, from: "[a-z]{4}"}
- {name: KNOWN, value: main}
"#;
    let place = Place::with(&[("linux.yaml", template)]);
    let run = place.run(&["compile", "linux.yaml", "--out-dir", "o", "--loss-report", "loss.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&place.read("loss.json")).unwrap();
    let rule = &report["sets"][0]["rules"][0];
    assert_eq!((&rule["name"], &rule["left_out"]), (&"cores-${LEVEL}-main".into(), &false.into()));
    for target in kvrules::all_targets().iter().filter(|target| target.rule_sets.is_some()) {
        assert_eq!(rule["targets"][target.name]["fidelity"], "exact", "{}", target.name);
        let all: String = place
            .files(&format!("o/{}", target.name))
            .iter()
            .map(|file| place.read(&format!("o/{}/{file}", target.name)))
            .collect();
        // Pages escape what their format would take for markup.
        assert!(all.contains("OWNER") || all.contains("LEVEL"), "{}: {all}", target.name);
    }
    let annotation = place.read("o/annotation/linux.json");
    assert!(annotation.contains(r#""name": "cores-${LEVEL}-main""#), "{annotation}");
    assert!(annotation.contains(r#""message": "ask ${OWNER}""#), "{annotation}");
    let run = place.run(&["verify", "linux.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn template_tags_in_name_or_message_never_drop_the_rule_from_a_target() {
    let chart = r#"apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {{ .Release.Name }}
  annotations:
    vm.kubevirt.io/validations: |
      [{"name": "cores-{{ .Values.level }}", "rule": "integer", "message": {{ .Values.text | quote }},
        "path": "jsonpath::.spec.domain.cpu.cores", "max": 8},
       {"name": "open", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": {{ .Values.most }}}]
"#;
    let place = Place::with(&[("chart.yaml", chart)]);
    let run = place.run(&["compile", "chart.yaml", "--out-dir", "o", "--loss-report", "loss.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&place.read("loss.json")).unwrap();
    let rules = report["sets"][0]["rules"].as_array().unwrap();
    let reported =
        |at: usize| (rules[at]["name"].as_str().unwrap(), rules[at]["left_out"].as_bool().unwrap());
    assert_eq!(reported(0), ("cores-{{ .Values.level }}", false));
    assert_eq!(reported(1), ("open", true), "what the tags decide is not known");
    assert!(place.read("o/annotation/chart.json").contains("cores-{{ .Values.level }}"));
    assert!(place.read("o/cel/chart.yaml").contains("{{ .Values.text | quote }}"));
}

#[test]
fn targets_that_cannot_be_made_of_a_schema_are_left_out_with_a_note_and_listed_in_the_report() {
    let place = Place::with(&[("pond.json", JSON_SCHEMA), ("api.json", OPENAPI), ("rules.yaml", DEPTH)]);
    for (schema, absent) in [("pond.json", &["admission-policy", "crd"][..]), ("api.json", &["crd"])] {
        let run = place.run(&[
            "compile",
            "--schema",
            schema,
            "rules.yaml",
            "--out-dir",
            "o",
            "--loss-report",
            "l.json",
        ]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let report: Value = serde_json::from_str(&place.read("l.json")).unwrap();
        let left_out: Vec<_> =
            report["left_out"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        assert_eq!(left_out, absent);
        for target in absent {
            assert!(run.err.contains(&format!("note: the target `{target}` is left out: ")), "{run:?}");
            assert!(report["targets"].as_array().unwrap().iter().all(|one| one["name"] != *target));
        }
        let run = place.run(&["verify", "--schema", schema, "rules.yaml", "--output-format", "json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let proof: Value = serde_json::from_str(&run.out).unwrap();
        let targets = proof["targets"].as_array().unwrap();
        assert!(
            targets.len() >= 4 && targets.iter().all(|target| target["counts"]["wrong"] == 0),
            "{}",
            run.out
        );
        let run = place.run(&["docs", "--schema", schema, "rules.yaml", "--out-dir", "pages"]);
        assert_eq!(
            (run.code, place.files("pages").contains(&"rules.md".to_owned())),
            (Some(0), true),
            "{run:?}"
        );
        assert!(run.err.contains("leave out the target `crd`"), "{run:?}");
    }
}

#[test]
fn targets_that_are_asked_for_by_name_and_cannot_be_made_are_refused_with_the_reason() {
    let config = "targets = [\"crd\"]\n";
    let place = Place::with(&[("pond.json", JSON_SCHEMA), ("rules.yaml", DEPTH), ("c/kvrules.toml", config)]);
    for command in ["compile", "verify"] {
        for (target, cause) in [("crd", "has none"), ("admission-policy", "group, version and resource")] {
            let run = place.run(&[command, "--schema", "pond.json", "rules.yaml", "--target", target]);
            assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
            assert!(run.err.contains(&format!("cannot generate the target `{target}`: ")), "{run:?}");
            assert!(run.err.contains(cause), "{run:?}");
        }
    }
    let run = place.run(&["compile", "--config", "c/kvrules.toml", "--schema", "pond.json", "rules.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn the_resource_of_a_policy_comes_from_the_schema_or_is_asked_for() {
    let place = Place::with(&[
        ("pond.json", JSON_SCHEMA),
        ("api.json", OPENAPI),
        ("crd.yaml", &crd("Pond", "waters", "depth")),
        ("rules.yaml", DEPTH),
    ]);
    let policy = |args: &[&str]| {
        let run = place.run(&[&["compile", "rules.yaml", "-o", "-"], args].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out
    };
    let text = policy(&["--schema", "crd.yaml", "-t", "admission-policy"]);
    assert!(
        text.contains("- example.com\n") && text.contains("- v1\n") && text.contains("- waters\n"),
        "{text}"
    );
    let text = policy(&["--schema", "api.json", "-t", "admission-policy"]);
    assert!(text.contains("- example.com\n") && text.contains("- ponds\n"), "{text}");
    for requested_inputs in [
        &["-t", "admission-policy:resource=apps/v1/deployments"][..],
        &["-t", "admission-policy", "--option", "admission-policy.resource=apps/v1/deployments"],
    ] {
        let text = policy(&[&["--schema", "pond.json"], requested_inputs].concat());
        assert!(text.contains("- apps\n") && text.contains("- deployments\n"), "{text}");
    }
    let text = policy(&["-t", "cel:messages=plain", "--schema", "pond.json"]);
    assert!(!text.contains("messageExpression"), "an option behind its target: {text}");
}

#[test]
fn rules_that_are_left_out_make_a_verification_inconclusive() {
    let place = Place::with(&[("filtered.yaml", FILTERED), ("good.yaml", GOOD), ("bad.yaml", BAD)]);
    for files in [&["filtered.yaml"][..], &["filtered.yaml", "good.yaml"]] {
        let run = place.run(&[&["verify", "--target", "cel"], files].concat());
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(
            run.out.contains("left out of every target") && run.out.contains("a filter `[?(…)]`"),
            "{run:?}"
        );
        assert!(run.err.contains("1 rule is left out of every target"), "{run:?}");
    }
    let run = place.run(&["verify", "filtered.yaml", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["leftOut"][0]["rule"], "filtered");
    // An error in a rule is what `check` calls it.
    let run = place.run(&["verify", "bad.yaml", "good.yaml", "--target", "cel"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(place.run(&["verify", "bad.yaml"]).code, Some(1));
}

#[test]
fn inputs_without_rules_write_nothing_and_are_2() {
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n";
    let place = Place::with(&[("other.yaml", "kind: ConfigMap\n"), ("none.yaml", webhook)]);
    for command in [
        &["compile", "--out-dir", "o"][..],
        &["docs", "--out-dir", "o"],
        &["compile", "--out-dir", "o", "--check"],
    ] {
        // An unrecognized input has an error of its own.
        let run = place.run(&[command, &["other.yaml"]].concat());
        assert!(run.code == Some(2) && run.out.is_empty() && !run.err.is_empty(), "{run:?}");
        let run = place.run(&[command, &["none.yaml"]].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        let verb = command[0];
        let message = format!("`kvrules {verb}` does not apply to the webhook configurations in this file");
        assert!(run.err.contains(&message), "{run:?}");
        assert!(!place.path("o").exists());
    }
}

#[test]
fn quantities_are_plain_unless_they_are_asked_for_exactly() {
    let place = Place::with(&[("memory.yaml", MEMORY)]);
    let patterns = |target: &str| {
        let run = place.run(&["compile", "memory.yaml", "--loss", "allow", "-t", target, "-o", "-"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let lines = run.out.lines().filter(|line| line.contains("pattern")).map(str::len);
        (lines.max().unwrap(), run.out)
    };
    for target in ["json-schema", "openapi"] {
        assert!(patterns(target).0 < 680, "{target}");
        assert!(patterns(&format!("{target}:quantities=plain")).0 < 680, "{target}");
        assert!(patterns(&format!("{target}:quantities=exact")).0 > 5_000, "{target}");
    }
    // A narrower pattern that the options ask for is an error only with `--loss error`.
    let run =
        place.run(&["compile", "memory.yaml", "-t", "json-schema", "--out-dir", "o", "--loss", "error"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let run = place.run(&["compile", "memory.yaml", "-t", "json-schema", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.err.contains("narrower in json-schema: the schema rejects quantities with a sign, an exponent"),
        "{run:?}"
    );
    for option in ["plain", "exact"] {
        let target = format!("json-schema:quantities={option},openapi:quantities={option}");
        let run = place.run(&["verify", "memory.yaml", "--target", &target]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let word = if option == "plain" { "narrower" } else { "wider" };
        assert!(run.out.contains(&format!("{word}, as claimed")), "{run:?}");
    }
    place.write("kvrules.toml", "[target.json-schema]\noptions = { quantities = \"exact\" }\n");
    assert!(patterns("json-schema").0 > 5_000, "the configuration chooses too");
}

#[test]
fn a_schema_is_chosen_among_files_and_directories() {
    let place = Place::with(&[
        ("crds/pond.yaml", &crd("Pond", "ponds", "depth")),
        ("crds/deep/lake.yaml", &crd("Lake", "lakes", "area")),
        ("crds/readme.md", "not a schema"),
        ("crds/values.yaml", "a: 1\n"),
        ("empty/values.yaml", "a: 1\n"),
        ("rules.yaml", DEPTH),
    ]);
    let check = |schemas: &[&str]| {
        let schemas = schemas.iter().flat_map(|schema| ["--schema", schema]);
        place.run(&["check", "rules.yaml"].into_iter().chain(schemas).collect::<Vec<_>>())
    };
    for right in [
        &["crds#Pond"][..],
        &["crds#ponds.example.com"],
        &["crds#Pond.example.com"],
        &["crds#Pond/v1"],
        &["crds/pond.yaml"],
        &["crds/pond.yaml", "empty"],
    ] {
        assert_eq!(check(right).code, Some(0), "{right:?}: {:?}", check(right));
    }
    let run = check(&["crds#Lake"]);
    assert!(run.code == Some(1) && run.out.contains("unknown field `depth`"), "{run:?}");
    for (wrong, message) in [
        (&["crds"][..], "ambiguous schema, 2 candidates"),
        (&["crds/pond.yaml", "crds/deep/lake.yaml"], "choose one with `#KIND`"),
        (&["crds#River"], "unknown schema `River`"),
        (&["crds#Pond/v2"], "unknown schema `Pond/v2`"),
        (&["empty"], "no schema found in `empty`"),
        (&["nowhere"], "cannot read the schema nowhere"),
    ] {
        let run = check(wrong);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(message), "{run:?}");
    }
}

#[test]
fn every_command_with_a_schema_takes_a_directory() {
    let place = Place::with(&[
        ("crds/pond.yaml", &crd("Pond", "ponds", "depth")),
        ("rules.yaml", DEPTH),
        (
            "pond.yaml",
            "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a, namespace: b}\nspec: {depth: 3}\n",
        ),
    ]);
    for command in [
        &["check", "rules.yaml"][..],
        &["compile", "rules.yaml", "--out-dir", "o"],
        &["verify", "rules.yaml", "--target", "cel,crd,admission-policy"],
        &["docs", "rules.yaml", "--out-dir", "pages"],
        &["diff", "rules.yaml", "rules.yaml"],
        &["eval", "--rules", "rules.yaml", "pond.yaml"],
        &["eval", "--engine", "crd", "pond.yaml"],
    ] {
        let run = place.run(&[command, &["--schema", "crds"]].concat());
        assert_eq!(run.code, Some(0), "{command:?}: {run:?}");
    }
}

#[test]
fn an_empty_disk_is_refused_with_and_without_kubevirts_definition() {
    let Some(definition) = kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let definition = definition.to_str().unwrap();
    let bus = |field: &str, values: &str| {
        format!(
            "vm.kubevirt.io/validations: |\n  [{{\"name\": \"bus\", \"rule\": \"enum\", \"message\": \"bus\", \"path\": \
             \"jsonpath::.spec.domain.devices.{field}\", \"valid\": \"jsonpath::.spec.domain.devices.{field}\", \"values\": [{values}]}}]\n"
        )
    };
    let machine = |devices: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: a, namespace: b}}\nspec: {{running: false, \
             template: {{spec: {{domain: {{devices: {devices}}}}}}}}}\n"
        )
    };
    for (field, values, devices) in [
        ("disks[*].disk.bus", r#""sata", "virtio""#, "{disks: [{name: a, disk: {}}]}"),
        ("disks[*].cdrom.bus", r#""sata""#, "{disks: [{name: a, cdrom: {}}]}"),
        ("interfaces[*].model", r#""virtio""#, "{interfaces: [{name: a, masquerade: {}}]}"),
    ] {
        let place = Place::with(&[("rules.yaml", &bus(field, values)), ("machine.yaml", &machine(devices))]);
        let with = |version: &str| format!("{definition}#{version}");
        let plain = place.run(&["eval", "--rules", "rules.yaml", "machine.yaml"]);
        assert_eq!(plain.code, Some(1), "{plain:?}");
        for version in ["v1", "v1alpha3"] {
            let eval =
                place.run(&["eval", "--schema", &with(version), "--rules", "rules.yaml", "machine.yaml"]);
            assert_eq!((eval.code, &eval.out), (Some(1), &plain.out), "{eval:?}");
            let targets = "admission-policy,annotation,cel,crd,json-schema,openapi";
            let verify =
                place.run(&["verify", "--schema", &with(version), "rules.yaml", "--target", targets]);
            assert_eq!(verify.code, Some(0), "{verify:?}");
        }
        let text = |args: &[&str]| {
            let run =
                place.run(&[&["compile", "rules.yaml", "-o", "-", "-t", "admission-policy"], args].concat());
            assert_eq!(run.code, Some(0), "{run:?}");
            run.out
        };
        assert_eq!(text(&[]), text(&["--schema", definition]));
    }
}

#[test]
fn a_schema_file_that_another_reader_of_yaml_refuses_ends() {
    // libyaml refuses the second document, which is not a definition in any case.
    let text = crd("Pond", "ponds", "depth") + "---\na: 'x\n\nb'\n  c: [\n---\n%TAG\n";
    let place = Place::with(&[("crd.yaml", &text), ("rules.yaml", DEPTH)]);
    for target in ["cel", "admission-policy", "crd"] {
        let run = place.run(&["compile", "--schema", "crd.yaml", "rules.yaml", "-t", target, "-o", "-"]);
        assert!(run.code.is_some(), "{target}: {run:?}");
        assert!(run.code == Some(2) || run.out.contains("depth"), "{target}: {run:?}");
    }
}

#[test]
fn cost_without_expressions_claims_nothing_of_budgets() {
    let place = Place::with(&[("crd.yaml", &crd("Pond", "ponds", "depth")), ("vm.yaml", GOOD)]);
    let run = place.run(&["cost", "crd.yaml"]);
    assert!(run.err.contains("priced nothing: no expressions in 1 definition"), "{run:?}");
    assert!(run.code == Some(0) && !run.err.contains("budget"), "{run:?}");
    let run = place.run(&["cost", "vm.yaml"]);
    assert!(run.err.contains("priced nothing: there are no CustomResourceDefinitions"), "{run:?}");
    assert!(run.code == Some(2) && !run.err.contains("budget"), "{run:?}");
}
