//! Rules added to definitions that exist: nothing but additions, in whatever style the file has.

use kvrules_emit::Fidelity;
use kvrules_ir::{ElaboratedSet, Interval, Predicate, Subject, ValueTest, ValueType};
use serde_json::Value;

use super::cases::{between, cases, one_of, place, test};
use super::support::{Server, merged, rule, schema, set, standalone, subject_of};

/// A definition without its rules.
fn without_rules(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.shift_remove("x-kubernetes-validations");
        fields.values_mut().for_each(without_rules);
    }
    if let Value::Array(items) = value {
        items.iter_mut().for_each(without_rules);
    }
}

#[test]
fn rules_stand_in_a_definition_that_exists_where_they_stand_in_one_of_their_own() {
    let vm = Subject::virtual_machine();
    let mut compared = 0;
    for (name, predicate) in cases() {
        let set = set(vec![rule(name, predicate)]);
        let own = standalone(&set);
        if own.fidelity[0].fidelity.cause().is_some_and(|cause| cause.contains("maxItems")) {
            continue; // our bounds are no part of the other definition
        }
        let wanted = schema(&own.files[0].text);
        let mut bare: Value = serde_yaml::from_str(&own.files[0].text).unwrap();
        without_rules(&mut bare);
        let pretty = serde_json::to_string_pretty(&bare).unwrap();
        for text in [
            serde_yaml::to_string(&bare).unwrap(),
            pretty.clone(),
            bare.to_string(),
            pretty.replace('\n', "\r\n"),
        ] {
            let made = merged(&set, vm, &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(schema(&made.files[0].text), wanted, "{name}\n{}", made.files[0].text);
            is_only_longer(&text, &made.files[0].text);
            let again = merged(&set, vm, &made.files[0].text).unwrap();
            assert_eq!(again.files[0].text, made.files[0].text, "{name}");
            assert_eq!(again.fidelity, made.fidelity, "{name}");
            compared += 1;
        }
    }
    println!("{compared} definitions");
    assert!(compared > 350, "{compared}");
}

/// The bytes of one text stand in the other, in their order.
pub(crate) fn is_only_longer(before: &str, after: &str) {
    let mut rest = after.bytes();
    assert!(before.bytes().all(|byte| rest.any(|other| other == byte)), "{before}\n{after}");
}

fn rules() -> ElaboratedSet {
    let field = |path: &str, kind| place(path, kind);
    let size = field("spec|size", ValueType::Integer);
    let interval: Interval = between(1, 9);
    let mode = field("^mode", ValueType::String);
    let modes =
        Predicate::each_element(field("spec|parts?", ValueType::List), test(mode, one_of(&["a", "b"])));
    set(vec![rule("size", test(size, ValueTest::Integer(interval))), rule("mode", modes)])
}

fn definition(schema: &str) -> String {
    let head = "\
# A definition.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
";
    let lines = schema
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("        {line}\n") });
    format!("{head}{}", lines.collect::<String>())
}

/// Merges, and holds the result to what every result must be.
fn merge(text: &str) -> String {
    let made = merged(&rules(), &subject_of("Thing"), text).unwrap_or_else(|error| panic!("{error}"));
    assert!(made.fidelity.iter().all(|entry| entry.fidelity == Fidelity::Exact), "{:?}", made.fidelity);
    let text_made = &made.files[0].text;
    is_only_longer(text, text_made);
    Server::new(&schema(text_made));
    let again = merged(&rules(), &subject_of("Thing"), text_made).unwrap();
    assert_eq!(again.files[0].text, *text_made);
    text_made.clone()
}

#[test]
fn lines_are_added_at_the_indentation_of_their_node() {
    insta::assert_snapshot!(merge(&definition(
        "\
type: object # the root
required: [spec]
properties:
  # What is wanted.
  spec:
      required:
          - size   # always
      type: object   # with fields

      properties:
          size: {type: integer, description: 'how many'}
          parts:
          - x
"
        .replace("          - x\n", "            items:\n              required: [mode]\n              properties:\n                mode:\n                  # one letter\n                  type: string\n                  description: |+\n                    The mode.\n\n              type: object\n            type: array\n")
        .as_str()
    )));
}

#[test]
fn validations_that_exist_are_kept_and_appended_to() {
    insta::assert_snapshot!(merge(&definition(
        "\
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [size]
    properties:
      size:
        type: integer
        x-kubernetes-validations:
        # theirs
        - rule: self != 7
          message: |
            not seven
        # done

        description: how many
      parts:
        type: array
        items:
          type: object
          required: [mode]
          properties:
            mode:
              type: string
              x-kubernetes-validations: [{rule: \"self != 'x'\", message: no x}] # theirs
"
    )));
}

#[test]
fn braces_get_members_of_json() {
    insta::assert_snapshot!(merge(&definition(
        "{type: object, required: [spec], properties: {spec: {
  type: object, required: [size],
  properties: {
    size: {
      description: 'how many',
      type: integer
    },
    parts: {type: array, items: {type: object, required: [mode], properties: {mode: {type: string, \"x-kubernetes-validations\": [ ]}}}}
  }
}}}"
    )));
}

#[test]
fn line_breaks_of_windows_stay() {
    let text = definition(
        "\
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [size]
    properties:
      size:
        type: integer
      parts: {type: array, items: {type: object, required: [mode], properties: {mode: {type: string}}}}
",
    );
    let made = merge(&text.replace('\n', "\r\n"));
    assert_eq!(made.replace("\r\n", "\n"), merge(&text));
    assert_eq!(made.matches('\n').count(), made.matches("\r\n").count());
}

#[test]
fn a_file_without_a_last_line_break_and_a_byte_order_mark_stays_so() {
    let text = definition(
        "\
properties:
  spec:
    properties:
      size: {type: integer}
      parts: {items: {type: object, required: [mode], properties: {mode: {type: string}}}, type: array}
    required: [size]
    type: object
required: [spec]
type: object
",
    );
    let made = merge(&format!("\u{feff}{}", text.trim_end()));
    assert!(made.starts_with('\u{feff}') && made.ends_with("type: object"));
}

#[test]
fn a_rule_stands_above_a_node_that_others_share() {
    let text = definition(
        "\
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [size, other]
    properties:
      other: &number
        type: integer
      size: *number
      parts:
        type: array
        items:
          type: object
          required: [mode]
          properties: {mode: {type: string}}
",
    );
    let made = merge(&text);
    let spec = &schema(&made)["properties"]["spec"];
    assert_eq!(spec["x-kubernetes-validations"][0]["rule"], "self.size >= 1 && self.size <= 9");
    assert_eq!(spec["x-kubernetes-validations"][0]["fieldPath"], ".size");
    assert_eq!(spec["properties"]["other"], serde_json::json!({ "type": "integer" }));
}

#[test]
fn other_documents_of_the_file_and_other_versions_stay_as_they_are() {
    let one =
        definition("type: object\nproperties: {}\n").replace("Thing", "Other").replace("things", "others");
    let mut two = definition(
        "type: object\nrequired: [spec]\nproperties: {spec: {type: object, required: [size], properties: {size: {type: integer}, parts: {type: array, items: {type: object, required: [mode], properties: {mode: {type: string}}}}}}}",
    );
    two = two.replace("  - name: v1\n", "  - name: v0\n    served: false\n    storage: false\n    schema: {openAPIV3Schema: {type: object}}\n  - name: v1\n");
    let text = format!("{one}---\n{two}");
    let made = merged(&rules(), &subject_of("Thing"), &text).unwrap();
    is_only_longer(&text, &made.files[0].text);
    assert!(made.files[0].text.starts_with(&format!("{one}---\n")));
    assert!(made.files[0].text.contains("schema: {openAPIV3Schema: {type: object}}\n"));
    assert_eq!(made.files[0].text.matches("x-kubernetes-validations").count(), 2);
}
