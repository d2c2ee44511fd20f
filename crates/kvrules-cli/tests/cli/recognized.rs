//! A run over nothing is never green: what is not recognized, and what another command looks at, is named.

use crate::place::{GOOD, Place};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ponds.example.com}\n\
    spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}\n  \
    versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema: {type: object}\n";

const COMMANDS: [&[&str]; 10] = [
    &["check"],
    &["check", "--fix"],
    &["check", "--fix", "--diff"],
    &["fmt"],
    &["compile"],
    &["docs", "--out-dir", "pages"],
    &["verify"],
    &["cost"],
    &["migrate"],
    &["eval"],
];

#[test]
fn a_named_input_in_which_nothing_is_recognized_is_an_error_of_every_command() {
    for text in ["", "kind: Service\n", "{\"a\": [1, 2]}", "- just\n- a list\n", "# a comment\n"] {
        let place = Place::with(&[("a.yaml", text)]);
        for command in COMMANDS {
            let run = place.run(&[command, &["a.yaml"]].concat());
            assert_eq!(run.code, Some(2), "{command:?} {text:?} {run:?}");
            assert!(run.err.contains("error: ") && run.err.contains("a.yaml"), "{command:?} {run:?}");
            assert!(!run.err.contains("no findings"), "{command:?} {run:?}");
            assert!(!place.path("target").exists() && !place.path("pages").exists(), "{command:?}");
        }
        let run = place.run(&["diff", "a.yaml", "a.yaml"]);
        assert_eq!(run.code, Some(2), "{run:?}");
    }
}

#[test]
fn a_directory_without_anything_recognized_is_a_warning_and_2() {
    let place =
        Place::with(&[("d/a.yaml", "kind: Service\n"), ("d/b.json", "{}"), ("d/c.md", "# Nothing\n")]);
    for command in COMMANDS {
        let run = place.run(&[command, &["d"]].concat());
        assert_eq!(run.code, Some(2), "{command:?} {run:?}");
        assert!(run.err.contains("warning: d: no") || run.err.contains("error: "), "{command:?} {run:?}");
        assert_eq!(place.run(&[command, &["d/**/*.yaml"]].concat()).code, Some(2), "{command:?}");
    }
    assert_eq!(place.run(&["diff", "d", "d"]).code, Some(2));
    let run = place.run(&["check", "d"]);
    assert!(run.err.starts_with("warning: d: nothing recognized in 3 files\n  help: "), "{run:?}");
}

#[test]
fn annotations_are_laid_out_and_migrated_and_a_file_that_can_have_none_is_an_error() {
    let place = Place::with(&[
        ("crd.yaml", CRD),
        ("d/crd.yaml", CRD),
        ("d/s.json", r#"{"type": "module", "properties": {}}"#),
    ]);
    for command in
        [&["fmt"][..], &["fmt", "--check"], &["fmt", "--diff"], &["migrate"], &["migrate", "--check"]]
    {
        let run = place.run(&[command, &["crd.yaml"]].concat());
        assert_eq!(run.code, Some(2), "{command:?} {run:?}");
        assert!(
            run.err.starts_with(&format!(
                "error: crd.yaml: `kvrules {}` does not apply to the CustomResourceDefinitions in this file\n  help: ",
                command[0]
            )),
            "{run:?}"
        );
        assert!(!run.err.contains("nothing would change"), "{run:?}");
        let run = place.run(&[command, &["d"]].concat());
        assert_eq!(run.code, Some(2), "{command:?} {run:?}");
        assert!(run.err.contains("does not apply to the CustomResourceDefinitions in 2 files\n"), "{run:?}");
        assert_eq!(place.run(&[command, &["--allow-empty", "d"]].concat()).code, Some(0), "{command:?}");
    }
    // Machines without rules are not an error, because they could have some.
    let place = Place::with(&[
        ("vm.yaml", "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\n"),
        ("crd.yaml", CRD),
    ]);
    assert_eq!(place.run(&["fmt", "--check", "vm.yaml"]).code, Some(0));
    let run = place.run(&["fmt", "--check", "."]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "nothing would change, 1 without rules\n"));
}

#[test]
fn a_test_suite_is_named_with_the_command_that_runs_it() {
    let suite = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleTests\nrules: [crd.yaml]\ncases: []\n";
    let place = Place::with(&[
        ("a.test.yaml", suite),
        ("d/a.test.yaml", suite),
        ("e/b.yaml", suite),
        ("d/crd.yaml", CRD),
    ]);
    for command in ["check", "fmt", "compile", "verify", "cost", "migrate"] {
        let run = place.run(&[command, "a.test.yaml"]);
        let message = format!(
            "error: a.test.yaml: `kvrules {command}` does not apply to the test suites in this file\n"
        );
        assert!(run.code == Some(2) && run.err.contains(&message), "{run:?}");
        assert!(run.err.contains("; `kvrules test` applies to test suites\n"), "{run:?}");
        let run = place.run(&[command, "e"]);
        assert!(
            run.code == Some(2) && run.err.contains("does not apply to the test suites in 1 file"),
            "{run:?}"
        );
    }
    // Next to rules a suite is expected.
    let run = place.run(&["check", "d"]);
    assert!(
        run.code == Some(0) && run.err.starts_with("checked 1 file, 1 definition with 0 rules: "),
        "{run:?}"
    );
    assert!(!run.err.contains("suite") && !run.err.contains("no known kind"), "{run:?}");
}

#[test]
fn where_every_rule_has_an_error_nothing_is_verified() {
    let place = Place::with(&[("bad.yaml", "vm.kubevirt.io/validations: '[{\"name\": \"a\"}]'\n")]);
    let run = place.run(&["verify", "bad.yaml"]);
    assert!(
        run.code == Some(1) && run.err.starts_with("nothing was verified; 1 rule is left out"),
        "{run:?}"
    );
    assert!(run.err.contains("\nnote: errors in 1 file; "), "{run:?}");
    let run = place.run(&["verify", "bad.yaml", "--output-format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["holds"], &report["inconclusive"]), (&false.into(), &true.into()), "{report}");
    assert_eq!(report["filesWithErrors"], 1, "{report}");
}

#[test]
fn one_empty_directory_among_others_is_enough_for_2() {
    let place = Place::with(&[("good/a.yaml", GOOD), ("other/b.yaml", "kind: Service\n")]);
    let run = place.run(&["check", "good", "other"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.starts_with("warning: other: nothing recognized in 1 file\n"), "{run:?}");
    assert_eq!(place.run(&["check", "good"]).code, Some(0));
    assert_eq!(place.run(&["check", "."]).code, Some(0));
}

#[test]
fn allow_empty_accepts_inputs_in_which_nothing_is_recognized() {
    let place = Place::with(&[("d/a.yaml", "kind: Service\n"), ("a.yaml", "")]);
    std::fs::create_dir(place.path("e")).unwrap();
    for command in [&["check"][..], &["check", "--fix"], &["fmt"], &["cost"], &["migrate"], &["eval"]] {
        for input in ["d", "e"] {
            let run = place.run(&[command, &["--allow-empty", input]].concat());
            assert_eq!(run.code, Some(0), "{command:?} {input} {run:?}");
            assert!(!run.err.contains("no findings"), "{command:?} {input} {run:?}");
        }
    }
    assert_eq!(place.run(&["check", "--allow-empty", "a.yaml"]).code, Some(0));
}

#[test]
fn the_summary_says_how_many_files_are_of_no_known_kind() {
    let place = Place::with(&[
        ("d/a.yaml", GOOD),
        ("d/b.yaml", "kind: Service\n"),
        ("d/c.json", "[]"),
        ("d/d.md", "# x\n"),
    ]);
    let run = place.run(&["check", "d"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.err, "checked 1 file, 1 rule in 1 rule set: no findings; 3 files of no known kind\n");
    for command in ["fmt", "migrate"] {
        let run = place.run(&[command, "d"]);
        assert!(
            run.err.contains("3 files of no known kind") || run.err.contains("3 of no known kind"),
            "{run:?}"
        );
    }
}

#[test]
fn a_machine_without_rules_is_recognized() {
    let machine = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\n";
    let place = Place::with(&[
        ("vm.yaml", machine),
        ("list.yaml", "kind: List\nitems:\n- kind: Template\n"),
        ("crd.yaml", CRD),
    ]);
    for file in ["vm.yaml", "list.yaml", "crd.yaml"] {
        let run = place.run(&["check", file]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn a_list_of_objects_is_one_of_rules_only_if_it_looks_like_one() {
    let others = [
        r#"[{"path": "/index.html", "message": "moved"}]"#,
        r#"[{"rule": "no-unused-vars", "path": "a.js", "message": "x is not used"}]"#,
        r#"[{"name": "a", "path": "b", "message": "c"}]"#,
        r#"[{"rule": {"id": 1}}]"#,
        r#"[{"message": "hello"}]"#,
        r#"[{"rule": "regex"}]"#,
    ];
    for text in others {
        let run = Place::with(&[("d/a.json", text), ("d/b.yaml", GOOD)]).run(&["check", "d"]);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{text}");
    }
    let rules = [
        r#"[{"rule": "integer", "name": "a"}]"#,
        r#"[{"path": "jsonpath::.spec.domain.cpu.cores", "message": "m"}]"#,
        r#"[{"name": "a", "values": ["jsonpath::.spec.domain.cpu.cores"]}]"#,
        r#"[{"rule": "enum", "values": ["a"]}, {"message": "x"}]"#,
    ];
    for text in rules {
        let run = Place::with(&[("d/a.json", text)]).run(&["check", "d"]);
        assert_eq!(run.code, Some(1), "{text} {run:?}");
    }
}

#[test]
fn keys_that_are_nearly_those_of_annotations_are_found() {
    let machine = |key: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: a\n  annotations:\n    {key}: '[]'\n"
        )
    };
    for (key, intended) in [
        ("vm.kubevirt.io/validation", "vm.kubevirt.io/validations"),
        ("kubevirt.io/validations", "vm.kubevirt.io/validations"),
        ("vm.kubevirt.io/valdiations", "vm.kubevirt.io/validations"),
        ("validatons", "validations"),
    ] {
        let run = Place::with(&[("a.yaml", &machine(key))]).run(&["check", "a.yaml"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(
            run.out.contains("error[KV019]") && run.out.contains(&format!("did you mean `{intended}`?")),
            "{run:?}"
        );
    }
    for key in ["vm.kubevirt.io/os", "description", "template.kubevirt.io/editable"] {
        assert_eq!(Place::with(&[("a.yaml", &machine(key))]).run(&["check", "a.yaml"]).code, Some(0));
    }
    // A list of rules under any other name is meant to be read.
    let rules = r#"[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 1}]"#;
    let text = machine("example.com/rules").replace("[]", rules);
    assert!(Place::with(&[("a.yaml", &text)]).run(&["check", "a.yaml"]).out.contains("KV019"));
}

/// Documents without a `kind`: their text, the summary of the check, and a change that makes it fail.
const WITHOUT_KIND: [(&str, &str, &str, (&str, &str)); 8] = [
    (
        "schema.json",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}"#,
        "1 JSON Schema",
        ("object", "objekt"),
    ),
    (
        "plain.yaml",
        "type: object\nproperties:\n  a: {type: integer, minimum: 1, maximum: 5}\n",
        "1 JSON Schema",
        ("maximum: 5", "maximum: 0"),
    ),
    (
        "api.yaml",
        "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\ncomponents: {schemas: {Box: {type: object, pattern: a}}}\n",
        "1 OpenAPI document with 1 schema",
        ("pattern: a", "minProperties: -1"),
    ),
    (
        "flavors.json",
        r#"[{"Name": "a", "ID": "1", "RAM": 1, "VCPUs": 1, "Properties": {"hw:cpu_policy": "dedicated"}}]"#,
        "1 flavor with 1 extra spec",
        ("dedicated", "dedicted"),
    ),
    (
        "columns.json",
        r#"[{"Name": "a", "Properties": "hw:cpu_policy='dedicated', hw:numa_nodes='2'"}, {"Name": "b", "Properties": {"hw:a": "b"}}]"#,
        "2 flavors with 3 extra specs",
        ("nodes='2'", "nodes='two'"),
    ),
    (
        "specs.yaml",
        "hw:cpu_policy: dedicated\nquota:cpu_shares: '10'\n",
        "1 flavor with 2 extra specs",
        ("'10'", "'ten'"),
    ),
    (
        "one.json",
        r#"{"extra_specs": {"hw:cpu_policy": "dedicated"}}"#,
        "1 flavor with 1 extra spec",
        ("policy", "pollicy"),
    ),
    (
        "metadef.json",
        r#"{"namespace": "OS::Compute::X", "display_name": "X", "properties": {"a": {"title": "A", "type": "string"}}}"#,
        "1 metadata namespace with 1 definition",
        ("\"string\"", "\"text\""),
    ),
];

#[test]
fn documents_without_a_kind_are_checked_by_their_content() {
    for (name, text, summary, (right, wrong)) in WITHOUT_KIND {
        let place = Place::with(&[(name, text), ("d/rules.yaml", GOOD)]);
        let run = place.run(&["check", name]);
        assert!(run.err.contains(&format!("checked 1 file, {summary}: ")), "{run:?}");
        place.write(&format!("d/{name}"), text.replace(right, wrong));
        let run = place.run(&["check", "d"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains("error[K"), "{run:?}");
        let run = place.run(&["compile", name]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("`kvrules compile` does not apply to the "), "{run:?}");
    }
}

#[test]
fn flavors_are_checked_against_definitions_of_the_inputs_and_of_the_configuration() {
    let own = "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n\
               - {name: 'acme:tier', description: The service level., value: {type: string, enum: [gold]}}\n";
    let flavor = |tier: &str| format!("extra_specs: {{'acme:tier': {tier}}}\n");
    let place = Place::with(&[("a.yaml", &flavor("gold")), ("own.yaml", own)]);
    assert_eq!(place.run(&["check", "a.yaml"]).code, Some(1), "the key is unknown to Nova");
    let run = place.run(&["check", "a.yaml", "own.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("1 extra spec, 1 flavor with 1 extra spec: no findings"), "{run:?}");
    place.write("kvrules.toml", "[extra-specs]\ndefinitions = [\"own.yaml\"]\n");
    assert_eq!(place.run(&["check", "a.yaml"]).code, Some(0));
    assert_eq!(place.run(&["fix", "a.yaml"]).code, Some(0));
    place.write("a.yaml", flavor("tin"));
    let run = place.run(&["check", "a.yaml"]);
    assert!(run.code == Some(1) && run.out.contains("KX201"), "{run:?}");
    place.write("own.yaml", "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions: [{name: 5}]\n");
    let run = place.run(&["check", "a.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("`extra-specs.definitions`"), "{run:?}");
}

#[test]
fn the_objects_that_check_does_not_look_at_are_named() {
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n";
    let place = Place::with(&[("w.yaml", webhook), ("d/w.yaml", webhook), ("d/rules.yaml", GOOD)]);
    for command in [&["check"][..], &["fix"], &["fix", "--diff"]] {
        let run = place.run(&[command, &["w.yaml"]].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        let warning = "w.yaml:2:7: webhook configurations are not checked by `kvrules check`";
        assert!(run.err.contains(warning), "{run:?}");
        assert_eq!(place.run(&[command, &["d"]].concat()).code, Some(2));
        assert_ne!(place.run(&[command, &["--allow-empty", "d"]].concat()).code, Some(2));
    }
    assert!(place.run(&["check", "w.yaml"]).err.ends_with("\nnothing was checked\n"));
}
#[test]
fn configurations_that_refer_to_a_schema_are_none() {
    for text in [
        r#"{"$schema": "https://example.com/renovate-schema.json", "extends": []}"#,
        r#"{"type": "module", "properties": []}"#,
        r#"{"namespace": "x", "replicas": 1}"#,
    ] {
        let run = Place::with(&[("d/a.json", text), ("d/b.yaml", GOOD)]).run(&["check", "d"]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn resources_next_to_admission_policies_are_named_as_not_checked() {
    let version = "apiVersion: admissionregistration.k8s.io/v1\n";
    let binding = format!(
        "{version}kind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec: {{policyName: p, validationActions: [Deny]}}\n"
    );
    for (kind, what) in [
        ("MutatingAdmissionPolicy", "mutating admission policies"),
        ("MutatingAdmissionPolicyBinding", "mutating admission policies"),
        ("ValidatingWebhookConfiguration", "webhook configurations"),
        ("MutatingWebhookConfiguration", "webhook configurations"),
    ] {
        let other = format!("{version}kind: {kind}\nmetadata: {{name: a}}\n");
        let list = format!(
            "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: admissionregistration.k8s.io/v1beta1, kind: {kind}}}\n"
        );
        for text in [other.clone(), format!("{binding}---\n{other}"), list] {
            let place = Place::with(&[("a.yaml", &text)]);
            // The policy of the binding is in another file.
            let run = place.run(&["check", "--ignore", "KP105", "a.yaml"]);
            assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{kind} {run:?}");
            let warning = format!(
                " {what} are not checked by `kvrules check`\n  help: use `kubectl apply --dry-run=server`"
            );
            assert!(run.err.starts_with("warning: a.yaml:") && run.err.contains(&warning), "{kind} {run:?}");
            assert_eq!(place.run(&["check", "--allow-empty", "a.yaml"]).code, Some(0), "{kind}");
        }
    }
    let place = Place::with(&[("a.yaml", "apiVersion: example.com/v1\nkind: MutatingAdmissionPolicy\n")]);
    assert!(place.run(&["check", "a.yaml"]).err.contains("nothing recognized"));
}
