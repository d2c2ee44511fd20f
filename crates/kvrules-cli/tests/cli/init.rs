//! `kvrules init`: what it writes works, and what is there stays.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::place::{GOOD, Place};

#[test]
fn what_is_written_can_be_checked_tested_and_compiled() {
    for ci in ["github", "gitlab", "pre-commit", "none"] {
        let place = Place::with(&[]);
        let run = place.run(&["init", "new/pond", "--ci", ci]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let check = place.run_in("new/pond", &["check", "--fail-on", "info"]);
        assert_eq!((check.code, check.out.as_str()), (Some(0), ""), "{check:?}");
        let test = place.run_in("new/pond", &["test"]);
        assert_eq!((test.code, test.err.as_str()), (Some(0), "5 cases passed\n"), "{test:?}");
        let compile = place.run_in("new/pond", &["compile"]);
        assert_eq!(compile.code, Some(0), "{compile:?}");
        assert!(place.files("new/pond/build/kvrules").contains(&"json-schema/example.json".to_owned()));
    }
}

const FLAVORS: &str = "- Name: m1\n  RAM: 8\n  VCPUs: 1\n  Properties: {'hw:numa_nodes': '1'}\n";
const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\n\
    spec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], \
    resources: [deployments]}\n  validations:\n  - {expression: object.spec.replicas < 9, message: fewer than 9 replicas}\n";
const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bs.b.com}\n\
    spec:\n  group: b.com\n  scope: Cluster\n  names: {plural: bs, singular: b, kind: B, listKind: BList}\n  versions:\n  \
    - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object}}\n";

#[test]
fn the_example_is_for_what_the_project_has() {
    for (file, text, found, example, cases) in [
        ("templates/fedora.yaml", GOOD, "templates", "vm.kubevirt.io/validations", None),
        ("config/crd.yaml", DEFINITION, "CustomResourceDefinitions", "CustomResourceDefinition", Some(3)),
        ("policies/a.yaml", POLICY, "admission policies", "ValidatingAdmissionPolicy", Some(3)),
        ("flavors/a.yaml", FLAVORS, "flavors", "hw:cpu_policy", None),
    ] {
        let place = Place::with(&[(file, text)]);
        let run = place.run(&["init", "--ci", "none"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let folder = file.split('/').next().unwrap_or_default();
        assert!(run.err.contains(&format!("found 1 file with {found}, as in `./{folder}`")), "{}", run.err);
        assert!(place.read("rules/example.yaml").contains(example), "{file}");
        let check = place.run(&["check", "--fail-on", "info"]);
        assert_eq!((check.code, check.out.as_str()), (Some(0), ""), "{file}: {check:?}");
        if let Some(cases) = cases {
            let test = place.run(&["test", "rules"]);
            assert_eq!(
                (test.code, test.err),
                (Some(0), format!("{cases} cases passed\n")),
                "{file}: {}",
                test.out
            );
        }
        assert_eq!(run.err.contains("kvrules test"), cases.is_some(), "{}", run.err);
        assert_eq!(
            run.err.contains("kvrules compile"),
            !["flavors/a.yaml", "policies/a.yaml"].contains(&file),
            "{}",
            run.err
        );
        if run.err.contains("kvrules compile") {
            let compile = place.run(&["compile"]);
            assert_eq!(compile.code, Some(0), "{file}: {compile:?}");
        }
        assert_eq!(place.read(file), text);
    }
}

#[test]
fn the_files_are_told_and_so_are_the_next_steps() {
    let place = Place::with(&[]);
    let run = place.run(&["init"]);
    assert_eq!(
        run.out,
        "wrote ./kvrules.toml\nwrote ./rules/example.yaml\nwrote ./.github/workflows/kvrules.yml\n"
    );
    assert!(run.err.contains("kvrules check ") && run.err.contains("kvrules compile "), "{run:?}");
    assert_eq!(place.files("."), [".github/workflows/kvrules.yml", "kvrules.toml", "rules/example.yaml"]);
}

#[test]
fn what_is_there_is_never_changed_and_nothing_is_half_written() {
    let place = Place::with(&[("rules/example.yaml", GOOD), (".pre-commit-config.yaml", "repos: []\n")]);
    let run = place.run(&["init", "--ci", "pre-commit"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    let text =
        "error: `./rules/example.yaml`, `./.pre-commit-config.yaml` already exist; nothing was written\n";
    assert!(run.err.starts_with(text), "{run:?}");
    assert_eq!(place.files("."), [".pre-commit-config.yaml", "rules/example.yaml"]);
    assert_eq!(place.read("rules/example.yaml"), GOOD);
}

#[test]
#[cfg(unix)]
fn where_a_file_cannot_be_written_the_others_are_taken_back() {
    // A file is in place of the directory of the workflow, so only the last file fails.
    let place = Place::with(&[(".github", "")]);
    let run = place.run(&["init", "--ci", "github"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(place.files("."), [".github"]);
}

#[test]
fn the_job_is_for_gitlab_where_gitlab_is_used() {
    let place = Place::with(&[(".gitlab-ci.yml", "stages: [test]\n")]);
    let run = place.run(&["init"]);
    assert!(run.out.ends_with("wrote ./.gitlab/kvrules.yml\n"), "{run:?}");
    assert_eq!(place.read(".gitlab-ci.yml"), "stages: [test]\n");
}

#[test]
fn the_configuration_names_every_key_there_is_and_fits_the_schema() {
    let place = Place::with(&[]);
    place.run(&["init", "--ci", "none"]);
    // A commented `key = value` counts as an entry; a sentence does not.
    let entry = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let lines = |text: &str| -> Vec<String> {
        let bare = |line: &str| line.strip_prefix("# ").filter(|rest| entry(rest)).unwrap_or(line).to_owned();
        text.lines().map(bare).collect()
    };
    let everything = lines(&place.read("kvrules.toml")).join("\n");
    let schema: Value = serde_json::from_str(&place.run(&["schema", "config"]).out).unwrap();
    let table: toml::Table = everything.parse().unwrap();
    let value = serde_json::to_value(&table).unwrap();
    jsonschema::validate(&schema, &value).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&value), keys(&schema["properties"]));
    assert_eq!(keys(&value["lint"]), keys(&schema["properties"]["lint"]["properties"]));
    let target = &schema["properties"]["target"]["properties"]["markdown"]["properties"];
    assert_eq!(keys(&value["target"]["markdown"]), keys(target));
    // Each is explained: the line before an entry is a sentence, or another entry's heading.
    let text = place.read("kvrules.toml");
    let lines: Vec<_> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| entry(pair[1].trim_start_matches("# "))) {
        assert!(pair[0].starts_with("# ") && pair[0].ends_with(['.', '`']), "{pair:?}");
    }
}

#[test]
fn the_jobs_run_commands_that_kvrules_understands() {
    for (ci, file) in [("github", ".github/workflows/kvrules.yml"), ("gitlab", ".gitlab/kvrules.yml")] {
        let place = Place::with(&[]);
        place.run(&["init", "--ci", ci]);
        let text = place.read(file);
        let commands: Vec<_> = text.lines().filter_map(|line| line.split_once("kvrules ")).collect();
        let mut ran = 0;
        for (before, args) in commands.iter().filter(|(before, _)| before.trim_end().ends_with(['-', ':'])) {
            let args: Vec<_> = args.split_whitespace().collect();
            let run = place.run(&args);
            // Nothing was compiled yet, so the comment that comes later is stale.
            let expected = i32::from(args.contains(&"--check"));
            assert_eq!(run.code, Some(expected), "{before} {args:?}: {run:?}");
            ran += 1;
        }
        assert_eq!(ran, 3, "{ci}");
    }
}

#[test]
fn rules_that_exist_are_among_the_inputs() {
    let broken = DEFINITION.replace("type: object", "type: objct");
    let cases = [
        (vec!["config/crd/b.yaml"], "inputs = [\"rules\", \"config/crd\"]"),
        (vec!["b.yaml", "crds/b.yaml"], "inputs = [\".\"]"),
        (vec!["a/b.yaml", "a/c/b.yaml", "d/b.yaml"], "inputs = [\"rules\", \"a\", \"d\"]"),
        (vec!["rules/b.yaml"], "inputs = [\"rules\"]"),
    ];
    for (files, line) in cases {
        let files: Vec<(&str, &str)> = files.into_iter().map(|file| (file, broken.as_str())).collect();
        let place = Place::with(&files);
        let run = place.run(&["init", "--ci", "none"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(place.read("kvrules.toml").contains(line), "{line}: {}", place.read("kvrules.toml"));
        // The first command that a user runs checks the rules that exist.
        let check = place.run(&["check"]);
        assert_eq!(check.code, Some(1), "{check:?}");
        assert!(check.out.contains("objct"), "{check:?}");
    }
}
