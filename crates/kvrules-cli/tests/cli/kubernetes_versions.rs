//! `--kubernetes` and `kvrules minors`: definitions and objects on the servers of Kubernetes versions.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::Value;

use crate::place::Place;

/// The blocks of a language in the guide's page.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/kubernetes-versions.md");
    let page = std::fs::read_to_string(path).unwrap();
    let fence = format!("```{language}\n");
    let parts = page.split(fence.as_str()).skip(1);
    parts.map(|part| part.split("```\n").next().unwrap().to_owned()).collect()
}

/// The files of the guide.
fn place() -> Place {
    let yaml = blocks("yaml");
    let files: Vec<_> = ["fish.yaml", "ponds.yaml", "shells.yaml"].into_iter().zip(&yaml).collect();
    Place::with(&files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>())
}

/// The commands of a block, each with its output.
fn commands(block: &str) -> Vec<(String, String)> {
    let parts = block.split("$ kvrules ").filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (command, shown) = part.split_once('\n').unwrap();
            (command.to_owned(), shown.to_owned())
        })
        .collect()
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let place = place();
    let mut tried = 0;
    for (command, shown) in blocks("console").iter().flat_map(|block| commands(block)) {
        let args: Vec<_> = command.split_whitespace().collect();
        let run = place.run(&args);
        assert_eq!(run.out.clone() + &run.err, shown, "{command}");
        let is_clean = ["minors", "compile", "verify"].contains(&args[0]) || command.contains("build/");
        assert_eq!(run.code, Some(i32::from(!is_clean)), "{command}");
        tried += 1;
    }
    assert_eq!(tried, 8);
}

#[test]
fn the_option_overrides_the_configuration() {
    let place = place();
    place.write("kvrules.toml", "kubernetes = '1.28..1.36'\n");
    let check = |args: &[&str]| place.run(&[&["check", "ponds.yaml"], args].concat());
    assert_eq!(check(&[]).code, Some(1));
    assert_eq!(check(&["--kubernetes", "1.31..1.36"]).code, Some(0));
    assert_eq!(check(&["--no-config"]).code, Some(0));
}

#[test]
fn an_unknown_version_is_refused_with_the_known_ones() {
    let place = place();
    let run = place.run(&["check", "--kubernetes", "1.24", "ponds.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("known versions are 1.25, 1.26") && run.err.contains("1.36"), "{run:?}");
    place.write("kvrules.toml", "kubernetes = '1.40'\n");
    let run = place.run(&["check", "ponds.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("kvrules.toml:1:14") && run.err.contains("known versions are"), "{run:?}");
}

#[test]
fn programs_get_the_costs_by_version_and_the_oldest_version() {
    let place = place();
    let json = |args: &[&str]| -> Value { serde_json::from_str(&place.run(args).out).unwrap() };
    let report = json(&["cost", "--kubernetes", "1.28,1.29", "--output-format", "json", "fish.yaml"]);
    assert_eq!(report["kubernetes"], serde_json::json!(["1.28", "1.29"]));
    let estimates = &report["files"][0]["definitions"][0]["versions"][0]["rules"][0]["estimates"];
    assert!(estimates["1.28"].as_u64() > Some(10_000_000) && estimates["1.29"].as_u64() < Some(10_000_000));
    let report = json(&["minors", "--output-format", "json", "fish.yaml"]);
    assert_eq!(report["files"][0]["definitions"][0]["oldest"], "1.29");
}

#[test]
fn objects_are_evaluated_on_the_server_of_a_version() {
    let place = place();
    place.write(
        "shoal.yaml",
        "apiVersion: example.com/v1\nkind: Shoal\nmetadata: {name: a, namespace: b}\nfish: [{kind: Eel}]\n",
    );
    let eval = |version: &str| {
        place.run(&[
            "eval",
            "--engine",
            "crd",
            "--schema",
            "fish.yaml",
            "--kubernetes",
            version,
            "shoal.yaml",
        ])
    };
    let (old, new) = (eval("1.27"), eval("1.36"));
    assert_eq!((old.code, new.code), (Some(1), Some(1)));
    assert!(new.out.contains("some validation rules were not checked"), "{new:?}");
    assert!(
        !old.out.contains("some validation rules were not checked"),
        "an enum does not stop rules there: {old:?}"
    );
    let none = place.run(&["eval", "--engine", "spec", "--kubernetes", "1.30", "shoal.yaml"]);
    assert_eq!(none.code, Some(2));
}

/// A template with a rule about a quantity, and one about an integer.
const TEMPLATE: &str = r#"
apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: small}
objects:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata:
    name: vm
    annotations:
      vm.kubevirt.io/validations: |
        [{"name": "memory", "path": "jsonpath::.spec.domain.memory.guest", "rule": "integer", "message": "too small", "min": 1073741824},
         {"name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "message": "too many", "max": 16}]
  spec: {template: {spec: {domain: {cpu: {cores: 1}, memory: {guest: 2Gi}, devices: {}}}}}
"#;

#[test]
fn compiled_rules_are_those_that_all_servers_take() {
    let place = Place::with(&[("small.yaml", TEMPLATE)]);
    let compile = |target: &str, versions: &str| {
        place.run(&["compile", "small.yaml", "--target", target, "--kubernetes", versions, "-o", "-"])
    };
    let newest = compile("cel", "1.36");
    assert!(newest.out.contains("# for Kubernetes 1.30 and later"), "{newest:?}");
    assert!(newest.out.contains(".format(["), "{newest:?}");
    let joined = compile("cel", "1.29..1.36");
    assert!(joined.out.contains("# for Kubernetes 1.29 and later"), "{joined:?}");
    assert!(!joined.out.contains(".format(") && joined.out.contains("' + string("), "{joined:?}");
    let old = compile("cel", "1.28..1.36");
    assert!(old.out.contains("# memory: unsupported: `quantity` needs Kubernetes 1.29 or newer"), "{old:?}");
    let policies = compile("admission-policy", "1.29..1.36");
    let text = "`admissionregistration.k8s.io/v1` needs Kubernetes 1.30 or newer";
    assert!(policies.code == Some(2) && policies.err.contains(text), "{policies:?}");
    for versions in ["1.25..1.36", "1.29", "1.30..1.33"] {
        let targets = if versions == "1.30..1.33" { "cel,crd,admission-policy" } else { "cel,crd" };
        let run = place.run(&["verify", "small.yaml", "--target", targets, "--kubernetes", versions]);
        assert!(run.code == Some(0) && run.err.contains("every claim holds"), "{versions}: {run:?}");
    }
}

#[test]
fn rules_of_definitions_are_restated_or_left_out_for_older_servers() {
    let crd = place();
    let compile = |target: &str, versions: &str| {
        crd.run(&["compile", "ponds.yaml", "--target", target, "--kubernetes", versions, "-o", "-"])
    };
    assert!(compile("admission-policy", "1.31..1.36").out.contains("# for Kubernetes 1.31 and later"));
    let old = compile("admission-policy", "1.30..1.36");
    assert!(old.code == Some(0) && old.out.contains("# for Kubernetes 1.30 and later"), "{old:?}");
    assert!(old.out.contains("network.matches('^((25[0-5]|") && !old.out.contains("isCIDR("), "{old:?}");
    // Without older servers the definition would be what it is.
    let newest = compile("crd", "1.36");
    assert!(
        newest.code == Some(2)
            && newest.err.contains("`crd` makes definitions of definitions for older servers only"),
        "{newest:?}"
    );
    let ponds = blocks("yaml").remove(1).replace("rule: isCIDR(self)", "rule: cidr(self).prefixLength() > 8");
    crd.write("ponds.yaml", ponds);
    let left_out = compile("crd", "1.30..1.36");
    let text =
        "# spec.network.x-kubernetes-validations[0]: unsupported: `cidr` needs Kubernetes 1.31 or newer";
    assert!(left_out.code == Some(0) && left_out.out.contains(text), "{left_out:?}");
    assert!(!left_out.out.contains("x-kubernetes-validations:"), "{left_out:?}");
}

#[test]
fn the_loss_report_names_restated_rules() {
    let place = place();
    let run = place.run(&[
        "compile",
        "ponds.yaml",
        "--target",
        "crd",
        "--kubernetes",
        "1.30..1.36",
        "--out-dir",
        "build",
        "--loss-report",
        "loss.json",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&place.read("loss.json")).unwrap();
    let target = &report["sets"][0]["rules"][0]["targets"]["crd"];
    assert_eq!(target["fidelity"], "exact");
    assert_eq!(target["restated"], "`isCIDR` needs Kubernetes 1.31 or newer");
}

#[test]
fn bounds_are_proposed_for_all_selected_servers() {
    let place = place();
    let fix = place.run(&["cost", "--fix", "--kubernetes", "1.28..1.36", "fish.yaml"]);
    assert_eq!(fix.code, Some(0), "{fix:?}");
    let check = place.run(&["check", "--kubernetes", "1.28..1.36", "--ignore", "KC307", "fish.yaml"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    let newest = place.run(&["cost", "--diff", "--kubernetes", "1.36", "fish.yaml"]);
    assert!(newest.code == Some(0) && newest.err.contains("nothing would change"), "{newest:?}");
}
