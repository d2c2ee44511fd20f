//! RuleSets about VirtualMachines as annotations: what the words of the annotation say, and what they cannot, with the reason.

use serde_json::{Value, json};

use crate::place::Place;

const RULES: &str = r#"apiVersion: kvrules.dev/v1alpha1
kind: RuleSet
metadata: {name: machines}
spec:
  subject: {schema: vm.yaml}
  rules:
  - {name: memory, path: spec.template.spec.domain.memory.guest, quantity: {min: 2Gi}, required: true}
  - {name: machine-type, path: spec.template.spec.domain.machine.type, pattern: "^q35"}
  - {name: bus, path: "spec.template.spec.domain.devices.disks[*].disk.bus", in: [virtio, sata], message: use virtio or sata}
  - {name: cores, path: spec.template.spec.domain.cpu.cores, integer: {min: 2, max: 8}}
  - {name: some-cores, path: spec.template.spec.domain.cpu.cores, integer: {min: 1}}
  - {name: hostname, path: spec.template.spec.hostname, length: {min: 3, max: 20}, severity: warn}
  - {name: interfaces, each: "spec.template.spec.domain.devices.interfaces[*]", path: model, in: [virtio, e1000e]}
  - {name: sockets, path: spec.template.spec.domain.cpu.sockets, atMost: spec.template.spec.domain.cpu.cores}
  - {name: firmware, path: spec.template.spec.domain.firmware.serial, required: true, when: {path: spec.template.spec.domain.firmware.uuid, required: true}}
  - {name: one, exactlyOneOf: [spec.template.spec.hostname, spec.template.spec.subdomain]}
  - {name: running, path: spec.runStrategy, in: [Always]}
  - {name: fixed, path: spec.template.spec.hostname, immutable: onceSet}
  - {name: named, each: "spec.template.spec.volumes[*]", path: persistentVolumeClaim.claimName, required: true}
  - {name: legacy, path: spec.template.spec.subdomain, forbidden: true}
  - {name: logged, path: spec.template.spec.hostname, pattern: "^vm", severity: audit}
"#;

fn place() -> Option<Place> {
    let definition = kvrules_testdata::read_text(kvrules_testdata::VIRTUAL_MACHINES)?;
    Some(Place::with(&[("vm.yaml", &definition), ("rules.yaml", RULES)]))
}

/// The claims about rules, with parts of their causes.
const CLAIMS: [(&str, &str, &str); 15] = [
    ("memory", "narrower", "rejects quantities with a fraction of a base unit, such as `2147483648.5`"),
    (
        "machine-type",
        "narrower",
        "rejects objects without `.spec.domain.machine.type`, which counts as the empty text",
    ),
    ("bus", "narrower", "rejects objects without `.spec.domain.devices.disks[*].disk.bus`"),
    ("cores", "narrower", "rejects objects without `.spec.domain.cpu.cores`, which counts as 1"),
    // The default passes.
    ("some-cores", "exact", ""),
    ("hostname", "narrower", "rejects objects without `.spec.hostname`, which counts as the empty text"),
    ("interfaces", "narrower", "rejects objects without `.spec.domain.devices.interfaces[*].model`"),
    ("sockets", "narrower", "rejects objects without `.spec.domain.cpu.cores`, with which it compares"),
    (
        "firmware",
        "unsupported",
        "to the annotation, `.spec.domain.firmware.serial` counts as the empty text where it is absent",
    ),
    ("one", "unsupported", "no rule of the annotation counts the fields that are set"),
    (
        "running",
        "unsupported",
        "rules of the annotation read `spec.template` alone, and `spec.runStrategy` is outside",
    ),
    ("fixed", "unsupported", "rules of the annotation do not know the stored object"),
    ("named", "unsupported", ""),
    ("legacy", "unsupported", "no rule of the annotation forbids a value"),
    ("logged", "unsupported", "the annotation writes no audit log"),
];

#[test]
fn rules_that_the_annotation_can_say_are_written_and_verified() {
    let Some(place) = place() else { return };
    let refused = place.run(&["compile", "rules.yaml", "--target", "annotation", "--out-dir", "build"]);
    assert!(refused.code == Some(1) && refused.err.contains("error: narrower in annotation"), "{refused:?}");
    let run = place.run(&[
        "compile",
        "rules.yaml",
        "--target",
        "annotation",
        "--out-dir",
        "build",
        "--loss",
        "warn",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let written: Value = serde_json::from_str(&place.read("build/annotation/machines.json")).unwrap();
    let rules = written.as_array().unwrap();
    let names: Vec<&str> = rules.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    let said: Vec<&str> =
        CLAIMS.iter().filter(|(_, claim, _)| *claim != "unsupported").map(|(name, ..)| *name).collect();
    assert_eq!(names, said);
    let path = "jsonpath::.spec.domain.memory.guest";
    let message = "`spec.template.spec.domain.memory.guest` must be at least 2Gi and is required";
    assert_eq!(
        rules[0],
        json!({"name": "memory", "path": path, "rule": "integer", "message": message, "min": 2_147_483_648_u64})
    );
    assert_eq!(rules[5]["justWarning"], true);
    let run = place.run(&["verify", "rules.yaml", "--target", "annotation", "--output-format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).unwrap();
    for (name, claim, cause) in CLAIMS {
        let found =
            report["targets"][0]["rules"].as_array().unwrap().iter().find(|rule| rule["rule"] == name);
        let text = found.unwrap().to_string();
        assert!(text.contains(&format!("\"{claim}\"")) && text.contains(cause), "{name}: {text}");
    }
}

#[test]
fn the_annotation_means_for_machines_what_the_words_say() {
    let Some(place) = place() else { return };
    place.run(&["compile", "rules.yaml", "--target", "annotation", "--out-dir", "build", "--loss", "warn"]);
    let machine = r#"{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm"}, "spec": {"runStrategy": "Always",
        "template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {"disks": [{"name": "a", "disk": {"bus": "scsi"}}]}}}}}}"#;
    place.write("vm.json", machine);
    let wrapped =
        format!("vm.kubevirt.io/validations: |\n{}", indent(&place.read("build/annotation/machines.json")));
    place.write("annotation.yaml", &wrapped);
    let by_words = place.run(&["eval", "--engine", "spec", "--rules", "rules.yaml", "vm.json"]);
    let by_annotation = place.run(&["eval", "--rules", "annotation.yaml", "vm.json"]);
    for run in [&by_words, &by_annotation] {
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(
            run.out.contains("`memory`") && run.out.contains("`bus`") && !run.out.contains("`machine-type`"),
            "{run:?}"
        );
    }
}

fn indent(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

#[test]
fn rules_about_other_kinds_are_no_rules_of_the_annotation() {
    let rules = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
        subject: {apiVersion: apps/v1, kind: Deployment}\n  rules:\n  - {name: replicas, path: spec.replicas, integer: {min: 2}}\n";
    let place = Place::with(&[("rules.yaml", rules)]);
    let run = place.run(&["compile", "rules.yaml", "--target", "annotation", "--out-dir", "build"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("the annotation is about VirtualMachines of `kubevirt.io/v1`"), "{run:?}");
    let run = place.run(&["verify", "rules.yaml", "--output-format", "json"]);
    assert!(run.code == Some(0) && !run.out.contains("\"annotation\""), "{run:?}");
}
