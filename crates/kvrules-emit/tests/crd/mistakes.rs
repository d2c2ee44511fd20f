//! Schemas that rules cannot be merged into: an error with its place, and no file.

use kvrules_ir::{Predicate, ValueTest, ValueType};

use super::cases::{between, place, test};
use super::support::{merged, rule, set, subject_of};

fn find_error(text: &str) -> String {
    let size: Predicate = test(place("spec|size", ValueType::Integer), ValueTest::Integer(between(1, 9)));
    let made = merged(&set(vec![rule("size", size)]), &subject_of("Thing"), text);
    made.map(|emission| format!("{:?}", emission.files)).unwrap_err().message
}

fn definition(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {{kind: Thing, plural: things}}
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
{schema}"
    )
}

#[test]
fn what_is_no_definition_is_an_error_at_its_beginning() {
    let none = "not a CustomResourceDefinition; rules can only be merged into one";
    assert_eq!(find_error("a: 1\n"), format!("crd.yaml:1:1: {none}"));
    assert_eq!(find_error(""), format!("crd.yaml:1:1: {none}"));
    assert_eq!(find_error("\n{\"type\": \"object\", \"properties\": {}}"), format!("crd.yaml:2:1: {none}"));
}

#[test]
fn a_definition_of_other_objects_is_an_error() {
    let other = definition("        type: object\n").replace("Thing", "Other");
    assert_eq!(find_error(&other), "crd.yaml:1:1: this is not the CustomResourceDefinition of `Thing`");
}

#[test]
fn a_version_that_is_not_there_is_an_error() {
    let other = definition("        type: object\n").replace("name: v1\n", "name: v2\n");
    assert_eq!(find_error(&other), "crd.yaml:7:5: unknown version `v1` of the definition");
    let none = other.replace("name: v2\n", "name: v1\n").replace("openAPIV3Schema", "schema");
    assert_eq!(find_error(&none), "crd.yaml:7:5: missing schema `openAPIV3Schema` in the version");
}

#[test]
fn a_path_that_the_schema_does_not_have_is_an_error_at_the_nearest_node() {
    let text = definition(
        "        type: object
        properties:
          spec:
            type: object
            properties: {other: {type: integer}}
",
    );
    assert_eq!(find_error(&text), "crd.yaml:13:11: the schema has no `size` at `.spec`, which a rule reads");
}

#[test]
fn a_schema_that_is_not_structural_is_an_error_at_its_mistake() {
    let text = definition(
        "        type: object
        properties:
          spec:
            type: object
            properties:
              size: {description: no type}
",
    );
    assert_eq!(
        find_error(&text),
        "crd.yaml:16:15: the schema is not structural: `type` must not be empty for specified object fields"
    );
    let reference = text.replace("description: no type", "$ref: '#/x'");
    assert!(
        find_error(&reference).contains(": the schema is not structural: "),
        "{}",
        find_error(&reference)
    );
    assert!(
        find_error(&definition("        - a\n")).contains("11:9: "),
        "{}",
        find_error(&definition("        - a\n"))
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_where_it_ends() {
    let text = definition("        type: object\n        properties: {spec: {type: [\n");
    let reported = find_error(&text);
    assert!(reported.starts_with("crd.yaml:1") && reported.contains("cannot be parsed"), "{reported}");
}
