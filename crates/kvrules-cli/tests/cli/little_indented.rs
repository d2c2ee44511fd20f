//! Quoted scalars with less indentation than YAML 1.2 asks for, as Go's reader takes them, in the commands that write.

use serde_json::Value;

use crate::place::Place;

/// An old annotation between quotation marks whose lines begin at the first column, with a comma too many.
const OLD: &str = r#"apiVersion: template.openshift.io/v1
kind: Template
metadata:
  name: a
  annotations:
    validations: "[
{\"name\": \"cores\", \"rule\": \"integer\",
\"path\": \"/spec.template.spec.domain.cpu.cores\", \"message\": \"few\", \"min\": 1,}
]"
objects:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata: {name: b}
  spec: {template: {spec: {domain: {cpu: {cores: 2}}}}}
"#;

#[test]
fn little_indented_rules_are_repaired_laid_out_and_migrated() {
    let place = Place::with(&[("a.yaml", OLD)]);
    // The rules of the only annotation in the file, as libyaml and a JSON reader see them.
    let rules = |key: &str| -> Value {
        let root: serde_yaml::Value = serde_yaml::from_str(&place.read("a.yaml")).unwrap();
        let holder = if key == "validations" { &root } else { &root["objects"][0] };
        serde_json::from_str(holder["metadata"]["annotations"][key].as_str().unwrap()).unwrap()
    };
    let run = place.run(&["check", "--fix", "--output-format", "concise", "a.yaml"]);
    assert!(run.err.starts_with("fixed 1 finding in 1 file"), "{run:?}");
    assert_eq!(place.read("a.yaml"), OLD.replace("1,}", "1}"));
    let repaired = rules("validations");

    let run = place.run(&["fmt", "a.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(place.read("a.yaml").contains("objects:\n- apiVersion: kubevirt.io/v1\n"));
    assert_eq!(rules("validations"), repaired);

    place.write("a.yaml", OLD.replace("1,}", "1}"));
    let run = place.run(&["migrate", "--write", "a.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let moved = rules("vm.kubevirt.io/validations");
    assert_eq!(moved[0]["path"], "jsonpath::.spec.domain.cpu.cores", "{}", place.read("a.yaml"));
    assert_eq!((&moved[0]["min"], &moved[0]["name"]), (&repaired[0]["min"], &repaired[0]["name"]));
    assert_eq!(place.run(&["check", "a.yaml"]).code, Some(0), "{}", place.read("a.yaml"));
}
