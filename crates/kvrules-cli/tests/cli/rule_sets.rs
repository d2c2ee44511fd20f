//! RuleSets in every command that takes them, as the guide shows it, and hostile ones.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::place::Place;

fn guide_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/rule-sets.md")
}

fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    page.split(fence.as_str()).skip(1).map(|part| part.split("```\n").next().unwrap()).collect()
}

/// The files of the guide.
fn place(page: &str) -> Place {
    let yaml = blocks(page, "yaml");
    Place::with(&[("web.yaml", yaml[0]), ("shop.yaml", yaml[1])])
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let page = std::fs::read_to_string(guide_path()).unwrap();
    let place = place(&page);
    let mut blessed = page.clone();
    for block in blocks(&page, "console") {
        let (command, shown) = block.strip_prefix("$ kvrules ").unwrap().split_once('\n').unwrap();
        let run = place.run(&command.split_whitespace().collect::<Vec<_>>());
        let printed = run.out.clone() + &run.err;
        if std::env::var_os("KVRULES_BLESS").is_some() {
            blessed = blessed.replace(block, &format!("$ kvrules {command}\n{printed}"));
        } else {
            assert_eq!(printed, shown, "{command}");
        }
        assert_eq!(run.code, Some(i32::from(command.starts_with("eval"))), "{command}: {run:?}");
    }
    if blessed != page {
        std::fs::write(guide_path(), blessed).unwrap();
    }
}

fn shop(replicas: u64, tier: &str, image: &str) -> Value {
    let container = json!({"name": "shop", "image": image, "resources": {"limits": {"memory": "1Gi"}}});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "labels": {"tier": tier}},
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [container]}}}})
}

#[test]
fn the_policy_and_the_schema_of_the_guide_agree() {
    let page = std::fs::read_to_string(guide_path()).unwrap();
    let place = place(&page);
    let args = ["compile", "web.yaml", "--target", "admission-policy,json-schema", "--out-dir", "build"];
    assert_eq!(place.run(&args).code, Some(0));
    let schema: Value = serde_json::from_str(&place.read("build/json-schema/web.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let ours = "registry.example.com/shop:1";
    let objects = [
        (shop(2, "web", ours), true),
        (shop(1, "web", ours), false),
        (shop(11, "web", ours), false),
        (shop(1, "batch", ours), true),
        (shop(2, "web", "example.com/shop:1"), false),
        (
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"template": {"spec":
            {"containers": [{"name": "a", "image": ours}]}}}}),
            false,
        ),
        (json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}), true),
    ];
    for (object, is_accepted) in objects {
        place.write("object.json", object.to_string());
        assert_eq!(validator.is_valid(&object), is_accepted, "{object}");
        for rules in ["build/admission-policy/web.yaml", "web.yaml"] {
            let run = place.run(&["eval", "--engine", "policy", "--rules", rules, "object.json"]);
            assert_eq!(run.code, Some(i32::from(!is_accepted)), "{object}: {run:?}");
        }
    }
}

const POND: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}
  scope: Namespaced
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
            properties: {depth: {type: integer}, name: {type: string, maxLength: 20}}
            x-kubernetes-validations: [{rule: has(self.depth)}]
";

const RULES: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: pond}
spec:
  subject: {apiVersion: example.com/v1, kind: Pond, schema: ../crds/pond.yaml}
  rules:
  - {name: depth, path: spec.depth, integer: {max: 9}}
  - {name: name, path: spec.name, immutable: onceSet}
";

#[test]
fn the_definition_of_the_subject_keeps_its_own_rules() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", RULES)]);
    let run = place.run(&["compile", "rules/pond.yaml", "--out-dir", "build", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let merged: Value = serde_yaml::from_str(&place.read("build/crd/pond.yaml")).unwrap();
    let spec = &merged["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    assert_eq!(spec["x-kubernetes-validations"], json!([{"rule": "has(self.depth)"}]));
    assert_eq!(spec["properties"]["depth"]["x-kubernetes-validations"][0]["rule"], "self <= 9");
    assert_eq!(place.run(&["check", "build/crd/pond.yaml", "build/admission-policy"]).code, Some(0));
    assert!(place.read("build/cel/pond.yaml").contains("path: spec.depth"));
}

#[test]
fn servers_from_1_30_on_take_policies_and_definitions() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", RULES)]);
    let servers = ["--kubernetes", "1.30..1.36"];
    let compile = ["compile", "rules/pond.yaml", "--target", "crd,admission-policy", "--out-dir", "build"];
    assert_eq!(place.run(&[&compile[..], &servers].concat()).code, Some(0));
    let files = ["check", "build/crd/pond.yaml", "build/admission-policy/pond.yaml"];
    let run = place.run(&[&files[..], &servers].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn formats_of_addresses_are_patterns_on_older_servers() {
    let crd = POND
        .replace("depth: {type: integer}", "depth: {type: integer}, address: {type: string, maxLength: 45}");
    let rules =
        RULES.replace("path: spec.depth", "path: spec.address").replace("integer: {max: 9}", "format: ip");
    let place = Place::with(&[("crds/pond.yaml", &crd), ("rules/pond.yaml", &rules)]);
    for (target, file) in [
        ("crd", "crd/pond.yaml"),
        ("cel", "cel/pond.yaml"),
        ("admission-policy", "admission-policy/pond.yaml"),
    ] {
        let servers = ["--kubernetes", "1.30..1.36", "--target", target];
        let run = place.run(&[&["compile", "rules/pond.yaml", "--out-dir", "build"][..], &servers].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(
            run.err.contains(&format!("restated in {target}: `isIP` needs Kubernetes 1.31 or newer")),
            "{run:?}"
        );
        let text = place.read(&format!("build/{file}"));
        assert!(text.contains("matches(") && !text.contains("isIP("), "{text}");
        let run = place.run(&[&["verify", "rules/pond.yaml"][..], &servers].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn rules_of_the_definition_itself_are_for_the_same_servers() {
    let with_rule = |rule: &str| {
        POND.replace("has(self.depth)", &format!("'{rule}'")).replace(
            "depth: {type: integer}",
            "depth: {type: integer}, address: {type: string, maxLength: 45}",
        )
    };
    let compile =
        ["compile", "rules/pond.yaml", "--target", "crd", "--out-dir", "build", "--kubernetes", "1.30..1.36"];
    let own = with_rule("!has(self.address) || isIP(self.address)");
    let place = Place::with(&[("crds/pond.yaml", &own), ("rules/pond.yaml", RULES)]);
    let run = place.run(&compile);
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = place.read("build/crd/pond.yaml");
    assert!(text.contains("restated: `isIP` needs Kubernetes 1.31 or newer"), "{text}");
    assert!(text.contains("message: 'failed rule: !has(self.address) || isIP(self.address)'"), "{text}");
    let run = place.run(&["check", "build/crd/pond.yaml", "--kubernetes", "1.30..1.36"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let own = with_rule("!has(self.address) || cidr(self.address).prefixLength() > 8");
    let place = Place::with(&[("crds/pond.yaml", &own), ("rules/pond.yaml", RULES)]);
    let run = place.run(&compile);
    assert_eq!(run.code, Some(2), "{run:?}");
    let cause = "unsupported in crd: the definition itself has a rule that servers reject, `spec.x-kubernetes-validations[0]`";
    assert!(run.err.contains(cause), "{run:?}");
    assert!(!place.path("build/crd/pond.yaml").exists());
}

#[test]
fn a_definition_that_cannot_be_read_is_named() {
    let place = Place::with(&[("rules/pond.yaml", RULES), ("crds/other.yaml", "kind: ConfigMap\n")]);
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("error[KR102]: cannot read `../crds/pond.yaml`"), "{run:?}");
    place.write("rules/pond.yaml", RULES.replace("crds/pond.yaml", "crds/other.yaml"));
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert!(run.out.contains("`../crds/other.yaml` has no CustomResourceDefinition"), "{run:?}");
}

#[test]
fn the_option_for_schemas_has_the_definitions_of_subjects() {
    let rules = RULES.replace(", schema: ../crds/pond.yaml", "");
    let object = "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a}\nspec: {depth: 10}\n";
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", &rules), ("a.yaml", object)]);
    let without = place.run(&["check", "rules/pond.yaml"]);
    assert!(without.out.contains("or `--schema FILE`"), "{without:?}");
    let with = |args: &[&str]| place.run(&[args, &["--schema", "crds/pond.yaml"]].concat());
    assert_eq!(with(&["check", "rules/pond.yaml"]).code, Some(0));
    assert_eq!(with(&["compile", "rules/pond.yaml", "--out-dir", "build"]).code, Some(0));
    assert!(place.read("build/crd/pond.yaml").contains("rule: self <= 9"));
    let verified = with(&["verify", "rules/pond.yaml"]);
    assert!(verified.err.contains("verified 1 RuleSet"), "{verified:?}");
    assert_eq!(with(&["docs", "rules/pond.yaml", "--out-dir", "pages"]).code, Some(0));
    let answer = with(&["eval", "--rules", "rules/pond.yaml", "a.yaml"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.out.contains("a: rejected"), "{answer:?}");
}

#[test]
fn a_rule_that_a_default_violates_is_not_written_into_a_definition() {
    let pond = POND.replace("depth: {type: integer", "depth: {type: integer, default: 10");
    assert_ne!(pond, POND);
    let place = Place::with(&[("crds/pond.yaml", &pond), ("rules/pond.yaml", RULES)]);
    let run = place.run(&["compile", "rules/pond.yaml", "-t", "crd", "--out-dir", "build"]);
    assert!(run.err.contains("unsupported in crd: servers reject the definition with it"), "{run:?}");
    assert!(run.err.contains("[depth].default"), "{run:?}");
    assert!(!place.read("build/crd/pond.yaml").contains("rule: self <= 9"), "{run:?}");
    for target in ["cel", "kubebuilder", "kube-rs"] {
        let run = place.run(&["compile", "rules/pond.yaml", "-t", target, "--out-dir", "other"]);
        assert!(
            run.err.contains(&format!("unsupported in {target}: servers reject the definition with it")),
            "{run:?}"
        );
    }
    let checked = place.run(&["check", "rules/pond.yaml"]);
    assert!(
        checked.out.contains("warning[KR204]: the default of `spec.depth` violates the rule"),
        "{checked:?}"
    );
    let verified = place.run(&["verify", "rules/pond.yaml", "-t", "crd"]);
    assert!(!verified.out.contains("claims to be exact"), "{verified:?}");
}

#[test]
fn rules_are_checked_in_a_set_with_another_error() {
    let rules = RULES.replace("name: pond}", "name: Bad_Name}").replace("integer: {max: 9}", "in: [many]");
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", &rules)]);
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert!(run.out.contains("error[KR101]: the name of a RuleSet must be a DNS subdomain"), "{run:?}");
    assert!(run.out.contains("`spec.depth` is an integer, but \"many\" is not"), "{run:?}");
    assert!(run.err.contains("1 RuleSet with 1 rule: 2 errors"), "{run:?}");
}

#[test]
fn two_rule_sets_with_one_name_are_refused() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/a.yaml", RULES), ("rules/b.yaml", RULES)]);
    let run = place.run(&["compile", "rules", "--out-dir", "build"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("two RuleSets with the name `pond`"), "{run:?}");
}

#[test]
fn targets_without_a_form_for_rule_sets_say_so() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/a.yaml", RULES)]);
    let run = place.run(&["compile", "rules/a.yaml", "--target", "markdown", "--out-dir", "build"]);
    assert_ne!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("markdown") && run.err.contains("RuleSets"), "{run:?}");
    let run = place.run(&["migrate", "rules/a.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("RuleSet"), "{run:?}");
}

#[test]
fn the_schema_of_rule_sets_accepts_the_guide_and_rejects_what_check_rejects() {
    let place = Place::with(&[]);
    let schema: Value = serde_json::from_str(&place.run(&["schema", "rule-set"]).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let page = std::fs::read_to_string(guide_path()).unwrap();
    let document: Value = serde_yaml::from_str(blocks(&page, "yaml")[0]).unwrap();
    assert!(validator.is_valid(&document));
    for (from, to) in [
        ("integer:", "integr:"),
        ("severity: warn", "severity: worn"),
        ("kind: RuleSet", "kind: RulSet"),
        ("required: true", "required: false"),
    ] {
        let text = blocks(&page, "yaml")[0].replace(from, to);
        let document: Value = serde_yaml::from_str(&text).unwrap();
        assert!(!validator.is_valid(&document), "{to}");
    }
}

#[test]
fn hostile_rule_sets_end_in_findings() {
    let nested = format!("{}{{path: spec.paused, in: [true]}}{}", "{not: ".repeat(3000), "}".repeat(3000));
    let long = "a".repeat(100_000);
    let many: Vec<_> = (0..2000)
        .map(|index| format!("\n  - {{name: r{index}, path: spec.replicas, integer: {{min: {index}}}}}"))
        .collect();
    let many = many.concat();
    let head = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: a}\nspec:\n  subject: {apiVersion: apps/v1, kind: Deployment}\n";
    let rules = [
        "  match: {}\n  rules: [{name: a, path: spec.paused, forbidden: true}]\n".to_owned(),
        "  rules: 5\n".to_owned(),
        "  rules: []\n".to_owned(),
        "  rules: [null, 1, [], {}]\n".to_owned(),
        format!("  rules: [{{name: a, path: spec.paused, in: [true], when: {nested}}}]\n"),
        format!("  rules: [{{name: a, path: {long}, required: true}}]\n"),
        format!("  rules: [{{name: a, path: \"{}\", required: true}}]\n", "[*]".repeat(5000)),
        "  rules: [{name: a, path: 'spec[', required: true}, {name: b, path: .., required: true}]\n".to_owned(),
        "  rules: [{name: a, path: spec.template.spec.containers, uniqueBy: [[]]}]\n".to_owned(),
        "  rules: [{name: a, path: spec.paused, in: [99999999999999999999999, 1e999, .nan]}]\n".to_owned(),
        "  rules: [{name: a, path: metadata.name, pattern: '(((('}]\n".to_owned(),
        "  rules: [{name: a, cel: 'self.'}, {name: b, cel: 5}]\n".to_owned(),
        "  rules: &a [*a]\n".to_owned(),
        "  rules: [{name: a, path: spec.paused, transitions: {a: b}}]\n  examples: {accept: 5, reject: [5, {object: []}]}\n".to_owned(),
        format!("  rules:{many}\n  - {{name: last, path: spec.replicas, integer: 7}}\n"),
    ];
    for rules in rules {
        let place = Place::with(&[("a.yaml", &format!("{head}{rules}"))]);
        let run = place.run(&["check", "a.yaml"]);
        let start: String = rules.chars().take(80).collect();
        assert_eq!(run.code, Some(1), "{start}: {}", run.err);
        assert!(run.out.contains("error["), "{start}: {}", run.err);
    }
}

#[test]
fn policies_select_and_schemas_say_that_they_cannot() {
    let rules = RULES.replace(
        "  rules:\n",
        "  match: {namespaces: {labels: {env: prod}}}\n  examples: {accept: [{spec: {depth: 3}}], reject: [{spec: {depth: 30}}]}\n  rules:\n",
    );
    let rules = rules.replace("apiVersion: example.com/v1, kind: Pond, ", "");
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x, labels: {env: LABEL}}\n";
    let pond =
        "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: a, namespace: x}\nspec: {depth: 30}\n";
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", &rules), ("pond.yaml", pond)]);
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(place.run(&["verify", "rules/pond.yaml"]).code, Some(0));
    let run = place.run(&["compile", "rules/pond.yaml", "--out-dir", "build"]);
    assert!(run.err.contains("a schema cannot select the objects of `match`"), "{run:?}");
    for (label, code) in [("prod", 1), ("test", 2)] {
        place.write("namespace.yaml", namespace.replace("LABEL", label));
        let args =
            ["eval", "--rules", "rules/pond.yaml", "--namespace-object", "namespace.yaml", "pond.yaml"];
        let run = place.run(&args);
        assert_eq!(run.code, Some(code), "{label}: {run:?}");
    }
}

#[test]
fn costs_are_those_of_the_definition_that_it_becomes() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", RULES)]);
    let run = place.run(&["cost", "rules/pond.yaml", "--output-format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let version = &report["files"][0]["definitions"][0]["versions"][0];
    assert_eq!(
        place.run(&["compile", "rules/pond.yaml", "--target", "crd", "--out-dir", "build"]).code,
        Some(0)
    );
    let merged = place.run(&["cost", "build/crd/pond.yaml", "--output-format", "json"]);
    let merged: Value = serde_json::from_str(&merged.out).unwrap();
    let merged = &merged["files"][0]["definitions"][0]["versions"][0];
    assert_eq!(version["total"], merged["total"]);
    let estimates = |version: &Value| -> Vec<(Value, Value)> {
        let rules = version["rules"].as_array().unwrap();
        rules.iter().map(|rule| (rule["expression"].clone(), rule["estimate"].clone())).collect()
    };
    let own = estimates(version);
    assert_eq!(own.len(), 2);
    assert!(own.iter().all(|rule| estimates(merged).contains(rule)), "{own:?}");
    let others: u64 =
        estimates(merged).iter().filter(|it| !own.contains(it)).map(|it| it.1.as_u64().unwrap()).sum();
    assert_eq!(version["ofOthers"], others);
}

#[test]
fn a_rule_over_its_budget_names_the_bounds_of_the_definition() {
    let pond = POND.replace("maxLength: 20}", "maxLength: 20}, fish: {type: array, items: {type: string}}");
    let rules = RULES.replace("path: spec.depth, integer: {max: 9}", "path: spec.fish, uniqueBy: []");
    let place = Place::with(&[("crds/pond.yaml", &pond), ("rules/pond.yaml", &rules)]);
    let run = place.run(&["cost", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("maxItems: ") && run.out.contains(" on spec.fish\n"), "{run:?}");
    // A rule that only a policy has is estimated by no server.
    place.write("rules/pond.yaml", rules.replace("uniqueBy: []", "uniqueBy: [], severity: warn"));
    let run = place.run(&["cost", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("policies have no limit on estimates"), "{run:?}");
    place.write("rules/pond.yaml", rules.replace("spec.fish", "spec.fsh"));
    let run = place.run(&["cost", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(2), "a rule is missing: {run:?}");
    let run = place.run(&["cost", "--matrix", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn fmt_lays_out_rule_sets_and_keeps_comments() {
    let rules = RULES.replace("kind: RuleSet\n", "").replace("spec:\n", "spec: # all\n") + "kind: RuleSet\n";
    let place = Place::with(&[("rules/pond.yaml", &rules)]);
    assert_eq!(place.run(&["fmt", "--check", "rules"]).code, Some(1));
    assert_eq!(place.run(&["fmt", "rules"]).code, Some(0));
    assert_eq!(place.read("rules/pond.yaml"), RULES.replace("spec:\n", "spec: # all\n"));
    assert_eq!(place.run(&["fmt", "--check", "rules"]).code, Some(0));
    place.write("rules/pond.yaml", rules.replace("kind: Pond", "kind: &kind Pond"));
    let run = place.run(&["fmt", "rules"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("anchors, tags and other marks"), "{run:?}");
}

#[test]
fn definition_and_policy_report_the_value() {
    let rules = RULES.replace(
        "integer: {max: 9}}",
        "integer: {max: 9}, reason: FieldValueForbidden, message: 'depth is {value}: {limit} at `{path}`'}",
    );
    let pond = "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: p}\nspec: {depth: 12}\n";
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", &rules), ("pond.yaml", pond)]);
    let run = place.run(&["compile", "rules/pond.yaml", "--out-dir", "build", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let expected = "depth is 12: at most 9 at `spec.depth`";
    for args in [
        &["eval", "--engine", "policy", "--rules", "rules/pond.yaml", "pond.yaml"][..],
        &["eval", "--schema", "build/crd/pond.yaml", "pond.yaml"],
    ] {
        let run = place.run(args);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains(expected), "{run:?}");
    }
    assert!(place.read("build/crd/pond.yaml").contains("reason: FieldValueForbidden"));
    assert!(!place.read("build/json-schema/pond.json").contains("{value}"));
    assert_eq!(place.run(&["check", "build/crd/pond.yaml", "build/admission-policy"]).code, Some(0));
    // Older servers have no such fields, and get the rule without them.
    let old = [
        "compile",
        "rules/pond.yaml",
        "--target",
        "crd,cel",
        "--out-dir",
        "old",
        "--verify",
        "--kubernetes",
        "1.26..1.36",
    ];
    let run = place.run(&old);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!place.read("old/crd/pond.yaml").contains("reason:"), "{run:?}");
}

#[test]
fn requests_of_other_users_and_operations_are_not_evaluated() {
    let rules = RULES
        .replace("  rules:", "  match: {operations: [UPDATE], exceptUsers: [admin]}\n  rules:")
        .replace(", immutable: onceSet", ", required: true");
    let pond =
        "apiVersion: example.com/v1\nkind: Pond\nmetadata: {name: p, namespace: ns}\nspec: {depth: 12}\n";
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", &rules), ("pond.yaml", pond)]);
    place.write("old.yaml", pond.replace("12", "1"));
    let run = place.run(&[
        "compile",
        "rules/pond.yaml",
        "--target",
        "admission-policy",
        "--out-dir",
        "build",
        "--verify",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let policy = place.read("build/admission-policy/pond.yaml");
    assert!(policy.contains("matchConditions:") && policy.contains("name: except-users"), "{policy}");
    assert_eq!(place.run(&["check", "build/admission-policy"]).code, Some(0));
    let eval = |more: &[&str]| {
        place.run(
            &[&["eval", "--engine", "policy", "--rules", "rules/pond.yaml"], more, &["pond.yaml"]].concat(),
        )
    };
    assert_eq!(eval(&["--old", "old.yaml", "--user", "alice"]).code, Some(1));
    assert_eq!(eval(&["--old", "old.yaml", "--user", "admin"]).code, Some(2), "no policy applies");
    let run = place.run(&["compile", "rules/pond.yaml", "--target", "json-schema", "--out-dir", "build"]);
    assert!(
        run.err.contains("a schema cannot select the requests of `match`")
            || run.out.contains("a schema cannot select the requests of `match`"),
        "{run:?}"
    );
}

const LIMITED: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: pond}
spec:
  subject: {apiVersion: example.com/v1, kind: Pond, schema: ../crds/pond.yaml}
  parameters:
    most: {type: integer}
  rules:
  - {name: depth, path: spec.depth, integer: {max: $(most)}}
";

#[test]
fn parameters_have_a_value_at_compile_time_or_in_the_cluster() {
    let place = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", LIMITED)]);
    let compile = ["compile", "rules/pond.yaml", "--out-dir", "build", "--verify"];
    let run = place.run(&compile);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("the parameter `most` of `pond` has no value"), "{run:?}");
    let run = place.run(&[&compile[..], &["--set", "most=7"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("build/json-schema/pond.json").contains("\"maximum\": 7"));
    let run = place.run(&[&compile[..], &["--set", "most=many"]].concat());
    assert!(
        run.code != Some(0) && run.err.contains("not an integer") || run.out.contains("not an integer"),
        "{run:?}"
    );
    let run = place.run(&[&compile[..], &["--set", "mst=7"]].concat());
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.err.contains("no RuleSet has the parameter `mst`") && run.err.contains("did you mean `most`?"),
        "{run:?}"
    );

    place.write(
        "rules/pond.yaml",
        LIMITED.replace("  rules:", "  parametersFrom: {name: limits, namespace: kvrules}\n  rules:"),
    );
    let run = place.run(&[
        "compile",
        "rules/pond.yaml",
        "--target",
        "admission-policy",
        "--out-dir",
        "policies",
        "--verify",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let policy = place.read("policies/admission-policy/pond.yaml");
    assert!(
        policy.contains("paramKind:")
            && policy.contains("paramRef:")
            && policy.contains("int(params.data['most'])"),
        "{policy}"
    );
    assert_eq!(place.run(&["check", "policies/admission-policy"]).code, Some(0));
    let run = place.run(&["compile", "rules/pond.yaml", "--target", "json-schema", "--out-dir", "schemas"]);
    assert!(
        run.err.contains("a parameter has no value") || run.out.contains("a parameter has no value"),
        "{run:?}"
    );
}

#[test]
fn rules_of_another_file_are_included() {
    let common = RULES
        .replace("kind: Pond, schema: ../crds/pond.yaml", "kind: Other")
        .replace("spec.depth", "depth")
        .replace("spec.name", "name");
    let rules = RULES.split("  rules:").next().unwrap().to_owned()
        + "  include: [{file: common/all.yaml, under: spec}]\n";
    let place = Place::with(&[
        ("crds/pond.yaml", POND),
        ("rules/common/all.yaml", &common),
        ("rules/pond.yaml", &rules),
    ]);
    let run = place.run(&["compile", "rules/pond.yaml", "--out-dir", "build", "--verify"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let direct = Place::with(&[("crds/pond.yaml", POND), ("rules/pond.yaml", RULES)]);
    assert_eq!(direct.run(&["compile", "rules/pond.yaml", "--out-dir", "build"]).code, Some(0));
    for file in ["build/crd/pond.yaml", "build/json-schema/pond.json"] {
        assert_eq!(place.read(file), direct.read(file), "{file}");
    }
    place.write("rules/common/all.yaml", common.replace("path: depth", "path: dpth"));
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("common/all.yaml:7: unknown field `dpth` in `spec`")
            || run.out.contains("common/all.yaml:7:"),
        "{run:?}"
    );
    std::fs::remove_file(place.path("rules/common/all.yaml")).unwrap();
    let run = place.run(&["check", "rules/pond.yaml"]);
    assert!(run.out.contains("cannot read `common/all.yaml`"), "{run:?}");
}

#[test]
fn a_brace_of_a_message_is_no_placeholder_and_no_tag_of_a_template() {
    let place = Place::with(&[(
        "web.yaml",
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
         subject: {apiVersion: apps/v1, kind: Deployment}\n  \
         rules: [{name: few, path: spec.replicas, integer: {max: 9}, message: 'not {1} and not \\{value}'}]\n",
    )]);
    let run = place.run(&["compile", "web.yaml", "--target", "admission-policy", "-o", "-"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("not {1} and not {value}"), "{run:?}");
}

#[test]
fn rules_that_cost_too_much_in_their_definition_are_reported() {
    let definition = |fish: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ponds.example.com}}
spec:
  group: example.com
  names: {{kind: Pond, plural: ponds, singular: pond, listKind: PondList}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{fish: {fish}}}}}}}}}
"
        )
    };
    let rules = "apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: ponds}
spec:
  subject: {schema: crd.yaml}
  rules:
  - {name: fish, path: \"spec.fish[*]\", pattern: \"^[a-z]+$\"}
  - {name: some, path: spec.fish, items: {min: 1}}
";
    let place = Place::with(&[
        ("crd.yaml", &definition("{type: array, items: {type: string}}")),
        ("rules.yaml", rules),
    ]);
    let run = place.run(&["check", "rules.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.out.contains("warning[KC304]: estimated rule cost ") && run.out.contains("rules.yaml:7:12"),
        "{run:?}"
    );
    assert_eq!(run.out.matches("KC304").count(), 1, "{run:?}");
    place.write("crd.yaml", definition("{type: array, maxItems: 10, items: {type: string, maxLength: 20}}"));
    let run = place.run(&["check", "rules.yaml"]);
    assert!(run.code == Some(0) && !run.out.contains("KC304"), "{run:?}");
}
