//! `docs` of definitions and policies: pages, data, stale pages, and what has no page.

use serde_json::Value;

use crate::place::Place;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [depth]
            x-kubernetes-validations:
            - {rule: self.depth >= oldSelf.depth, message: a pond cannot become shallower}
            properties:
              depth: {type: integer, minimum: 1, maximum: 500, description: Depth in cm.}
";

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas.example.com}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - {expression: object.spec.replicas > 1, message: run at least two replicas}
";

const BINDING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: replicas.example.com, validationActions: [Warn]}
";

#[test]
fn definitions_policies_and_rule_sets_share_an_index() {
    let rules = r#"vm.kubevirt.io/validations: '[{"name": "a", "rule": "integer", "message": "m", "min": 1, "path": "jsonpath::.spec.domain.cpu.cores"}]'"#;
    let place = Place::with(&[
        ("crd.yaml", DEFINITION),
        ("policy.yaml", POLICY),
        ("binding.yaml", BINDING),
        ("rules.yaml", rules),
    ]);
    let run = place.run(&["docs", ".", "--out-dir", "o"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 4 pages to o\n"));
    let index = place.read("o/index.md");
    assert!(index.starts_with("<!-- Generated") && index.contains("\n# Validation rules\n"), "{index}");
    assert!(
        index.contains("- [Pond (example.com/v1)](ponds.example.com_v1.md): 2 fields, 1 rule\n"),
        "{index}"
    );
    assert!(
        index.contains("- [replicas.example.com](replicas.example.com.md): 1 validation, 1 binding\n"),
        "{index}"
    );
    let page = place.read("o/ponds.example.com_v1.md");
    assert!(
        page.contains("**`spec.depth`**: integer, required\n\nDepth in cm.\n\n- **Limits:** 1 to 500\n"),
        "{page}"
    );
    assert!(page.contains("- **Defined in:** crd.yaml, line 20\n"), "{page}");
    let page = place.read("o/replicas.example.com.md");
    assert!(page.contains("**`everywhere`**\n\n- **Actions:** `Warn`: "), "{page}");
}

#[test]
fn a_changed_definition_makes_its_page_stale() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    let make = ["docs", "crd.yaml", "--out-dir", "o", "--format", "html"];
    assert_eq!(place.run(&make).code, Some(0));
    let check = [&make[..], &["--check"]].concat();
    assert_eq!(place.run(&check).code, Some(0));
    place.write("crd.yaml", DEFINITION.replace("maximum: 500", "maximum: 600"));
    let run = place.run(&check);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("\n+<dt>Limits</dt><dd>1 to 600<span class=\"kvp-box\""), "{run:?}");
    assert!(place.read("o/ponds.example.com_v1.html").contains("1 to 500"), "nothing is written");
}

#[test]
fn a_change_of_each_kind_of_source_makes_its_page_stale() {
    let files = [
        ("crd.yaml", DEFINITION),
        ("policy.yaml", POLICY),
        ("binding.yaml", BINDING),
        ("web.yaml", RULE_SET),
    ];
    let place = Place::with(&files);
    let make = ["docs", ".", "--out-dir", "o"];
    assert_eq!(place.run(&make).code, Some(0));
    let check = [&make[..], &["--check"]].concat();
    for (file, text, old, new, page) in [
        ("crd.yaml", DEFINITION, "Depth in cm.", "Depth in m.", "ponds.example.com_v1.md"),
        ("policy.yaml", POLICY, "replicas > 1", "replicas > 2", "replicas.example.com.md"),
        ("binding.yaml", BINDING, "[Warn]", "[Deny]", "replicas.example.com.md"),
        ("web.yaml", RULE_SET, "max: 10", "max: 20", "web.md"),
    ] {
        assert_eq!(place.run(&check).code, Some(0), "{file}");
        assert!(text.contains(old), "{file}");
        place.write(file, text.replace(old, new));
        let run = place.run(&check);
        assert_eq!(run.code, Some(1), "{file}: {run:?}");
        assert!(run.out.contains(&format!("--- a/o/{page}\n")), "{file}: {run:?}");
        place.write(file, text);
    }
}

#[test]
fn the_data_of_resources_is_what_its_schema_says() {
    let place = Place::with(&[("crd.yaml", DEFINITION), ("policy.yaml", POLICY)]);
    let run = place.run(&["docs", "crd.yaml", "policy.yaml", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let schema: Value = serde_json::from_str(&place.run(&["schema", "pages"]).out).unwrap();
    jsonschema::validate(&schema, &document).unwrap();
    let section = &document["resources"][0]["sections"][2];
    assert_eq!(section["entries"][0]["name"], "spec.depth");
    assert_eq!(section["rules"][0]["facts"][0]["kind"], "message");
    assert_eq!(document["resources"][1]["group"], "Admission policies");
}

#[test]
fn what_has_no_page_is_an_error_or_a_note() {
    let unserved = DEFINITION.replace("served: true", "served: false");
    let place = Place::with(&[
        ("crd.yaml", DEFINITION),
        ("copy.yaml", DEFINITION),
        ("binding.yaml", BINDING),
        ("unserved.yaml", &unserved),
        ("bad.yaml", &DEFINITION.replace("type: integer", "type: int")),
    ]);
    for (files, code, message) in [
        (
            &["binding.yaml"][..],
            2,
            "error: binding.yaml:2: the policy `replicas.example.com` of the binding `everywhere` is not",
        ),
        (
            &["unserved.yaml"],
            2,
            "error: unserved.yaml:2: no version of the definition `ponds.example.com` is served and has a schema",
        ),
        (
            &["crd.yaml", "copy.yaml"],
            2,
            "error: two definitions of `ponds.example.com` with the version `v1`",
        ),
        (&["bad.yaml"], 1, "error[KC"),
    ] {
        let run = place.run(&[&["docs"], files, &["--out-dir", "o"]].concat());
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.err.starts_with(message), "{run:?}");
        assert!(!place.path("o").exists(), "{files:?}");
    }
    let run = place.run(&["docs", "crd.yaml", "binding.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("is not among the inputs; the pages leave it out\n"), "{run:?}");
}

#[test]
fn a_template_of_the_user_lays_out_fields() {
    let place = Place::with(&[("crd.yaml", DEFINITION)]);
    place.write(
        "mine/markdown/_resource_entry.md.j2",
        "FIELD {{ entry.name | code }} {{ entry.summary.value }}{% if entry.is_required %}, required{% endif %}\n",
    );
    let run = place.run(&["docs", "crd.yaml", "--out-dir", "o", "--templates", "mine"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("o/ponds.example.com_v1.md").contains("\nFIELD `spec.depth` integer, required\n"));
}

const RULE_SET: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: web}
spec:
  subject: {apiVersion: apps/v1, kind: Deployment}
  rules:
  - {name: replicas, path: spec.replicas, integer: {min: 2, max: 10}}
  - {name: paused, path: spec.paused, in: [false], severity: warn}
";

#[test]
fn a_rule_set_has_a_page_with_objects_that_pass_and_fail() {
    let place = Place::with(&[("web.yaml", RULE_SET)]);
    let run = place.run(&["docs", "web.yaml", "--out-dir", "o"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 2 pages to o\n"));
    let page = place.read("o/web.md");
    for wanted in [
        "- **Objects:** `Deployment` in `apps/v1`\n",
        "- **Required:** `spec.replicas` must be from 2 to 10\n",
        "- **Violations:** are rejected\n",
        "- **Violations:** are reported to the client as warnings\n",
        "Passes:\n\n```yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: example\nspec:\n  replicas: 2\n```\n",
        "spec:\n  replicas: 1\n```\n",
        "## Fidelity of targets\n",
        ": exact in `admission-policy`",
        "; unsupported in `cel`, `crd`, ",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
}

#[test]
fn items_in_objects_of_rule_sets_are_complete() {
    let rules = RULE_SET.split("  rules:\n").next().unwrap_or_default();
    let ports =
        "  - {name: ports, path: 'spec.template.spec.containers[*].ports', uniqueBy: [containerPort]}\n";
    let place = Place::with(&[("web.yaml", &format!("{rules}  rules:\n{ports}"))]);
    assert_eq!(place.run(&["docs", "web.yaml", "--out-dir", "o"]).code, Some(0));
    let page = place.read("o/web.md");
    let port = "        - containerPort: 8080\n";
    let items =
        |ports: &str| format!("      containers:\n      - name: example\n        ports:\n{ports}```\n");
    for wanted in [items(port), items(&port.repeat(2))] {
        assert!(page.contains(&wanted), "{wanted}\n{page}");
    }
}

#[test]
fn pages_name_files_from_the_repository_and_no_machine_paths() {
    let place = Place::with(&[
        ("repo/.git/HEAD", ""),
        ("repo/sub/crd.yaml", DEFINITION),
        ("elsewhere/policy.yaml", POLICY),
    ]);
    let inside = |args: &[&str]| {
        let mut command = place.command(
            &[&["docs", "crd.yaml", "../../elsewhere/policy.yaml", "--format", "json"], args].concat(),
        );
        let output = command.current_dir(place.path("repo/sub")).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        [0, 1].map(|index| document["resources"][index]["source"]["file"].as_str().unwrap().to_owned())
    };
    assert_eq!(inside(&[]), ["sub/crd.yaml", "policy.yaml"]);
    assert_eq!(inside(&["--relative-to", "."]), ["crd.yaml", "../../elsewhere/policy.yaml"]);
}

#[test]
fn many_definitions_are_listed_by_their_groups() {
    let definition =
        |group: &str, plural: &str| DEFINITION.replace("example.com", group).replace("ponds", plural);
    let names: Vec<String> = (0..14).map(|index| format!("ponds{index}")).collect();
    let files: Vec<(String, String)> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let group = if index % 2 == 0 { "a.example.com" } else { "b.example.com" };
            (format!("{name}.yaml"), definition(group, name))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::with(&files);
    let run = place.run(&["docs", ".", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let index = place.read("o/index.md");
    assert!(
        index.contains("\n### a.example.com\n\n- [Pond (a.example.com/v1)](ponds0.a.example.com_v1.md)"),
        "{index}"
    );
    assert!(index.contains("\n### b.example.com\n\n- "), "{index}");
}

#[test]
fn pages_without_errors_are_written_if_it_is_asked_for() {
    let other = DEFINITION.replace("ponds", "lakes").replace("Pond", "Lake").replace("pond", "lake");
    let annotated = other.replace("lakes.example.com}", "lakes.example.com, annotations: {'a/': b}}");
    let bad = DEFINITION.replace("type: integer", "type: int").replace("ponds", "seas");
    let place = Place::with(&[("a.yaml", DEFINITION), ("b.yaml", &annotated), ("c.yaml", &bad)]);
    let make = ["docs", "a.yaml", "b.yaml", "c.yaml", "--out-dir", "o"];
    let run = place.run(&make);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(!place.path("o").exists(), "nothing is written");
    let run = place.run(&[&make[..], &["--keep-going"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("invalid annotation key `a/`") && run.err.ends_with("wrote 3 pages to o\n"),
        "{run:?}"
    );
    let pages = [".kvrules-manifest", "index.md", "lakes.example.com_v1.md", "ponds.example.com_v1.md"];
    assert_eq!(place.files("o"), pages);
}

#[test]
fn inputs_that_are_missing_are_not_served() {
    let place = Place::with(&[("empty/a.txt", "x")]);
    for (path, message) in [("missing", "missing"), ("empty", "no ")] {
        let run = place.run(&["docs", path, "--serve=0"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(message) && !run.err.contains("watching"), "{run:?}");
    }
}

#[test]
fn pages_show_what_changed_since_revisions() {
    let place = Place::with(&[("crds/pond.yaml", DEFINITION)]);
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(place.path(".")).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        command.args(args).output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        let run = place.run(&["docs", "crds", "--since", "v1", "--out-dir", "o"]);
        assert!(run.err.contains("git"), "{run:?}");
        return;
    }
    let commit = |tag: &str| git(&["add", "."]) && git(&["commit", "-q", "-m", tag]) && git(&["tag", tag]);
    assert!(commit("v1"));
    place.write("crds/pond.yaml", DEFINITION.replace("maximum: 500", "maximum: 400"));
    place.write("crds/policy.yaml", POLICY);
    assert!(commit("v2"));
    let run = place.run(&["docs", "crds", "--since", "v1", "--since", "v2", "--out-dir", "o"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "wrote 3 pages to o\n"));
    let page = place.read("o/ponds.example.com_v1.md");
    for wanted in [
        "## Changes since v1\n",
        "- **v2:** tightened: `spec.depth`: maximum 500 → 400\n",
        "- **now:** accepts the same objects\n",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    assert!(place.read("o/replicas.example.com.md").contains("- **v2:** new\n"));
    let run =
        place.run(&["docs", "crds", "--since", "v1", "--since", "v2", "--format", "html", "--out-dir", "h"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        place
            .read("h/ponds.example.com_v1.html")
            .contains("v1 is the first version. v2: tightened: spec.depth")
    );
    let template = |least: u32| {
        let rule = format!(
            r#"{{"name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "message": "few cores", "min": {least}}}"#
        );
        format!(
            "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata:\n  name: linux\n  annotations:\n    validations: |\n      [{rule}]\nobjects: []\n"
        )
    };
    place.write("templates/linux.yaml", template(1));
    assert!(commit("v3"));
    place.write("templates/linux.yaml", template(2));
    let run = place.run(&["docs", "templates", "--since", "v3", "--out-dir", "t"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let page = place.read("t/linux.md");
    assert!(page.contains("## Changes since v3\n") && page.contains("- **now:** tightened: "), "{page}");
    let run = place.run(&["docs", "templates", "--since", "v3", "--format", "html", "--out-dir", "h"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let page = place.read("h/linux.html");
    assert!(page.contains("v3 is the first version. now: tightened: "), "{page}");
    for (args, message) in [
        (["docs", "crds", "--since", "v9"], "cannot read `git:v9:./crds`"),
        (["docs", "crds/*.yaml", "--since", "v1"], "`--since` cannot follow `crds/*.yaml`"),
    ] {
        let run = place.run(&[&args[..], &["--out-dir", "p"]].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(message), "{run:?}");
    }
}

#[test]
fn validations_and_updates_have_objects_that_pass_and_fail() {
    let rules = RULE_SET.split("  rules:\n").next().unwrap_or_default();
    let updates = format!(
        "{rules}  rules:\n  - {{name: strategy, path: spec.strategy.type, transitions: {{Recreate: [RollingUpdate]}}}}\n"
    );
    let place = Place::with(&[("policy.yaml", POLICY), ("binding.yaml", BINDING), ("web.yaml", &updates)]);
    let run = place.run(&["docs", ".", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let object = |rest: &str| {
        format!("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: example\nspec:\n{rest}")
    };
    let page = place.read("o/replicas.example.com.md");
    for (label, replicas) in [("Passes", 2), ("Fails", 1)] {
        let wanted = format!("{label}:\n\n```yaml\n{}\n```\n", object(&format!("  replicas: {replicas}")));
        assert!(page.contains(&wanted), "{wanted}\n{page}");
    }
    let page = place.read("o/web.md");
    let update = |old: &str, new: &str| {
        let of = |value: &str| object(&format!("  strategy:\n    type: {value}"));
        format!("# stored\n{}\n# updated\n{}\n", of(old), of(new))
    };
    let (passes, fails) = (update("Recreate", "RollingUpdate"), update("RollingUpdate", "Recreate"));
    for wanted in [passes, fails, "- **Allowed changes:** from `Recreate` to `RollingUpdate`\n".to_owned()] {
        assert!(page.contains(&wanted), "{wanted}\n{page}");
    }
}
