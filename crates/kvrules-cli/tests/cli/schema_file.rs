//! `--schema`: rules about objects that a schema file describes.

use crate::place::{GOOD, Place};

/// A definition of our own: nothing in it is called as in a VirtualMachine.
const POND: &str = r"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [depth]
            properties:
              depth: {type: integer}
              pump:
                type: object
                default: {}
                properties: {watts: {type: integer, default: 40}}
              fish:
                type: array
                items: {type: object, required: [species], properties: {species: {type: string}}}
              notes: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

const RULES: &str = r#"vm.kubevirt.io/validations: |
  [{
    "name": "depth", "rule": "integer", "message": "1 to 20 deep",
    "path": "jsonpath::.spec.depth", "min": 1, "max": 20
  }, {
    "name": "watts", "rule": "integer", "message": "at most 100 watts",
    "path": "jsonpath::.spec.pump.watts", "max": 100
  }, {
    "name": "fish", "rule": "enum", "message": "known fish", "valid": "jsonpath::.spec.fish[*].species",
    "path": "jsonpath::.spec.fish[*].species", "values": ["carp", "koi"]
  }]
"#;

fn pond() -> Place {
    Place::with(&[("pond.yaml", POND), ("rules.yaml", RULES)])
}

#[test]
fn rules_are_checked_against_the_fields_of_the_schema() {
    let place = pond();
    let run = place.run(&["check", "--schema", "pond.yaml", "rules.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    let run = place.run(&["check", "rules.yaml", "--output-format", "concise"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("unknown field `depth` of `.spec`"), "{run:?}");
    // A rule about a machine does not apply to a pond.
    place.write("machine.yaml", GOOD);
    let run = place.run(&["check", "--schema", "pond.yaml", "machine.yaml", "--output-format", "concise"]);
    assert!(run.code == Some(1) && run.out.contains("unknown field `domain` of `.spec`"), "{run:?}");
}

#[test]
fn expressions_start_at_the_object() {
    let run = pond().run(&["compile", "--schema", "pond.yaml", "rules.yaml", "--target", "cel", "-o", "-"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("self.spec.depth >= 1 && self.spec.depth <= 20"), "{run:?}");
    // The default of the schema satisfies the rule, so a missing field is not tested.
    assert!(run.out.contains("!has(self.spec.pump.watts) ||\n    self.spec.pump.watts <= 100"), "{run:?}");
    assert!(run.out.contains("self.spec.fish.all(item, item.species in ['carp', 'koi'])"), "{run:?}");
    assert!(!run.out.contains("template"), "{run:?}");
}

#[test]
fn every_target_is_made_of_rules_about_another_object() {
    let place = pond();
    let run = place.run(&["compile", "--schema", "pond.yaml", "rules.yaml", "--out-dir", "o"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let schema = place.read("o/openapi/rules.yaml");
    assert!(schema.contains("depth:\n              type: integer\n              minimum: 1"), "{schema}");
    assert!(!schema.contains("template"), "{schema}");
    assert!(place.read("o/markdown/rules.md").contains("`.spec.depth` must be between 1 and 20."));
}

#[test]
fn what_a_schema_leaves_open_no_expression_sees() {
    let place = pond();
    let text = r#"vm.kubevirt.io/validations: |
  [{
    "name": "mood", "rule": "integer", "message": "m", "max": 3,
    "path": "jsonpath::.spec.notes.mood", "valid": "jsonpath::.spec.notes.mood"
  }, {
    "name": "label", "rule": "string", "message": "l", "maxLength": 3,
    "path": "jsonpath::.metadata.labels.l", "valid": "jsonpath::.metadata.labels.l"
  }, {
    "name": "name", "rule": "string", "message": "n", "maxLength": 3, "path": "jsonpath::.metadata.name"
  }]
"#;
    place.write("open.yaml", text);
    let run = place.run(&["compile", "--schema", "pond.yaml", "open.yaml", "--target", "cel", "-o", "-"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("self.metadata.name"), "{run:?}");
    assert!(!run.out.contains("self.metadata.labels") && !run.out.contains("self.spec.notes"), "{run:?}");
    assert!(
        run.out.contains("# mood: unsupported: ") && run.out.contains("# label: unsupported: "),
        "{run:?}"
    );
}

#[test]
fn a_part_of_the_file_is_chosen_behind_a_hash() {
    let place = pond();
    for choice in ["pond.yaml#v1", "pond.yaml#Pond", "pond.yaml#Pond/v1"] {
        assert_eq!(place.run(&["check", "--schema", choice, "rules.yaml"]).code, Some(0), "{choice}");
    }
    let run = place.run(&["check", "--schema", "pond.yaml#v2", "rules.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`Pond` has no version `v2`") && run.err.contains("pond.yaml:8:3"), "{run:?}");
    // A `#` in the name of a file does not separate a choice.
    place.write("pond#v2.yaml", POND);
    assert_eq!(place.run(&["check", "--schema", "pond#v2.yaml", "rules.yaml"]).code, Some(0));
}

#[test]
fn the_configuration_names_the_schema_from_its_own_directory() {
    let place = pond();
    place.write("kvrules.toml", "inputs = ['rules.yaml']\nschema = 'pond.yaml#v1'\n");
    place.write("below/a.txt", "");
    assert_eq!(place.run_in("below", &["check"]).code, Some(0));
    // The option wins, and starts at the working directory.
    place.write("below/other.yaml", POND.replace("depth", "width"));
    let run = place.run_in("below", &["check", "--schema", "other.yaml", "--output-format", "concise"]);
    assert!(run.code == Some(1) && run.out.contains("unknown field `depth`"), "{run:?}");
    place.write("kvrules.toml", "inputs = ['rules.yaml']\nschema = 'lost.yaml'\n");
    let run = place.run(&["check"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.err.contains("cannot read the schema lost.yaml") && run.err.contains("kvrules.toml:2:10"),
        "{run:?}"
    );
}

#[test]
fn a_schema_that_cannot_be_read_stops_everything() {
    let place = pond();
    place.write("binary.yaml", [b'a', 0, b'b']);
    place.write("service.yaml", "apiVersion: v1\nkind: Service\n");
    place.write("typo.yaml", "properties:\n  a: {type: strng}\n");
    let reported = [
        ("none.yaml", "cannot read the schema none.yaml: no such file"),
        ("binary.yaml", "cannot read the schema binary.yaml:1:2: unexpected zero byte"),
        ("service.yaml", "a schema is required here, not a `Service`"),
        ("typo.yaml", "typo.yaml:2:13"),
        ("pond.yaml#", "`Pond` has no version ``"),
    ];
    for (schema, message) in reported {
        let run = place.run(&["compile", "--schema", schema, "rules.yaml", "--out-dir", "o"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{schema}: {run:?}");
        assert!(run.err.contains(message), "{schema}: {run:?}");
        assert!(!place.path("o").exists(), "{schema}");
    }
    assert_eq!(place.run(&["check", "--schema", "", "rules.yaml"]).code, Some(2));
}

#[test]
fn objects_of_the_schema_are_judged_by_rules_from_a_file() {
    let place = pond();
    place.write("good.yaml", "kind: Pond\nmetadata: {name: a}\nspec: {depth: 3}\n");
    place.write("bad.yaml", "kind: Pond\nmetadata: {name: b}\nspec: {depth: 30, fish: [{species: eel}]}\n");
    let args = ["eval", "--schema", "pond.yaml", "--rules", "rules.yaml"];
    let run = place.run(&[&args[..], &["good.yaml"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = place.run(&[&args[..], &["bad.yaml"]].concat());
    assert!(run.code == Some(1) && run.out.contains("`30`") && run.out.contains("`eel`"), "{run:?}");
    // Without rules from a file the definition is evaluated, and the deployed validator only supports machines.
    let run = place.run(&["eval", "--schema", "pond.yaml", "good.yaml"]);
    assert!(run.code == Some(2) && run.err.contains("missing `apiVersion`"), "{run:?}");
    let run = place.run(&[&args[..], &["good.yaml", "--engine", "ssp"]].concat());
    assert!(run.code == Some(2) && run.err.contains("only VirtualMachines"), "{run:?}");
    place.write("machine.yaml", "kind: VirtualMachine\nspec: {}\n");
    let run = place.run(&[&args[..], &["machine.yaml"]].concat());
    assert!(run.code == Some(2) && run.err.contains("not a Pond, but a `VirtualMachine`"), "{run:?}");
}

#[test]
fn a_schema_file_with_documents_that_the_yaml_library_refuses_comes_to_an_end() {
    let place = pond();
    let plain = place.run(&["compile", "--schema", "pond.yaml", "rules.yaml", "-t", "cel", "-o", "-"]);
    assert_eq!(plain.code, Some(0), "{plain:?}");
    for broken in
        ["x: 1\nx: 2\n", "a: b: c\n", "a: *nope\n", "\t- a\n", "a: [1,\n---\nb: 1\n", "a: \"\\q\"\n"]
    {
        place.write("broken.yaml", format!("{POND}\n---\n{broken}"));
        for target in ["cel", "crd", "admission-policy"] {
            let args = ["compile", "--schema", "broken.yaml", "rules.yaml", "-t", target, "-o", "-"];
            let run = place.run(&args);
            assert!(matches!(run.code, Some(0..=2)), "{broken:?} {target}: {run:?}");
            assert!(target != "cel" || run.code != Some(0) || run.out == plain.out, "{broken:?}: {run:?}");
        }
    }
}
