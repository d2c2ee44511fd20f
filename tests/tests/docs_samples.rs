//! The values and objects that pages print: each is evaluated again by the emulation of the server, apart from the code that found it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules::Sources;
use kvrules::docs::fact::{Fact, FactValue, Piece};
use kvrules::docs::resource_pages::{ResourcePage, ResourceRule};
use kvrules::docs::{Document, RuleLocations};
use kvrules::eval::Definitions;
use kvrules_apiserver::crd::with_object_meta;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_tests::pages::resource_document;
use serde_json::{Value, json};

/// The definitions of a file, and their pages; nothing if a server rejects one.
fn read_pages(name: &str, text: &str) -> Option<(Vec<Value>, Document)> {
    let mut sources = Sources::default();
    let id = sources.add_file(name, text);
    let resources = Definitions::read_definitions(sources.get(id).unwrap()).ok()?.into_texts();
    let places = RuleLocations { sources: &sources, link: None };
    let document = resource_document(places, &resources).unwrap();
    Some((resources.into_iter().map(|resource| Value::clone(&resource.value)).collect(), document))
}

/// The printed sample of a fact: the value, and the one that it replaces.
fn printed_sample(fact: &Fact) -> (Value, Option<Value>) {
    let yaml =
        |text: &str| serde_yaml::from_str::<Value>(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    match &fact.value {
        FactValue::Line(pieces) => match pieces.as_slice() {
            [Piece::Code(value)] => (yaml(value), None),
            [Piece::Code(old), Piece::Words(words), Piece::Code(value)] if words.as_str() == " becomes " => {
                (yaml(value), Some(yaml(old)))
            }
            other => panic!("{other:?}"),
        },
        FactValue::Code(code) => {
            match code.strip_prefix("# stored\n").and_then(|rest| rest.split_once("\n# updated\n")) {
                Some((old, value)) => (yaml(value), Some(yaml(old))),
                None => (yaml(code), None),
            }
        }
        FactValue::List(_) => panic!("{fact:?}"),
    }
}

/// The schema at a path of a page, such as `spec.disks[].name` or `spec.labels.*`.
fn schema_at<'s>(schema: &'s Value, path: &str) -> &'s Value {
    let mut node = schema;
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = if let Some(after) = rest.strip_prefix("[]") {
            (&node["items"], after)
        } else if let Some(after) = rest.strip_prefix("['") {
            let (name, after) = after.split_once("']").unwrap();
            (&node["properties"][name], after)
        } else {
            let plain = rest.strip_prefix('.').unwrap_or(rest);
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            let (name, after) = plain.split_at(end);
            if name == "*" {
                (&node["additionalProperties"], after)
            } else {
                (&node["properties"][name], after)
            }
        };
        (node, rest) = (step, after);
    }
    assert!(node.is_object(), "{path}");
    node
}

/// A schema with none of its rules but those that are kept at the node itself.
fn with_rules(schema: &Value, own: &[Value]) -> Value {
    fn drop_rules(node: &mut Value) {
        match node {
            Value::Object(keywords) => {
                if keywords.get("x-kubernetes-validations").is_some_and(Value::is_array) {
                    keywords.shift_remove("x-kubernetes-validations");
                }
                keywords.values_mut().for_each(drop_rules);
            }
            Value::Array(items) => items.iter_mut().for_each(drop_rules),
            _ => {}
        }
    }
    let mut schema = schema.clone();
    drop_rules(&mut schema);
    schema["x-kubernetes-validations"] = own.to_vec().into();
    schema
}

/// True if a server takes a value of a schema, in place of another.
fn is_accepted(schema: &Value, value: &Value, old: Option<&Value>) -> bool {
    let server =
        ObjectSchema::new(&json!({"type": "object", "properties": {"v": schema}})).without_metadata_checks();
    let stored = old.map(|old| {
        let stored = server.admit_object(&json!({ "v": old }), None);
        assert!(stored.is_accepted(), "{old}: {:?}", stored.errors);
        stored.stored
    });
    let answer = server.admit_object(&json!({ "v": value }), stored.as_ref());
    assert!(answer.warnings.is_empty(), "{value}: {:?}", answer.warnings);
    answer.is_accepted()
}

/// True if an update of a value is stored as another one.
fn changes_stored_value(schema: &Value, value: &Value, old: &Value) -> bool {
    let server =
        ObjectSchema::new(&json!({"type": "object", "properties": {"v": schema}})).without_metadata_checks();
    let stored = server.admit_object(&json!({ "v": old }), None).stored;
    server.admit_object(&json!({ "v": value }), Some(&stored)).stored != stored
}

/// Numbers of printed values.
#[derive(Debug, Default)]
struct Printed {
    rules: usize,
    passing: usize,
    failing: usize,
    objects: usize,
}

impl Printed {
    fn check_page(&mut self, page: &ResourcePage, definition: &Value) {
        let versions = definition["spec"]["versions"].as_array().unwrap();
        let is_of_page =
            |version: &&Value| page.title.ends_with(&format!("/{})", version["name"].as_str().unwrap()));
        let version = versions.iter().find(is_of_page).unwrap();
        let schema = &version["schema"]["openAPIV3Schema"];
        for section in &page.sections {
            for fact in section.facts.iter().filter(|fact| fact.kind.ends_with("-object")) {
                let server = ObjectSchema::of_version(definition, version).unwrap();
                let answer = server.admit_object(&printed_sample(fact).0, None);
                assert!(answer.is_accepted() && answer.warnings.is_empty(), "{}: {answer:?}", page.title);
                self.objects += 1;
            }
            let path = section.title.strip_suffix(" fields").unwrap_or_default();
            self.check_rules(schema, path, &section.rules, &page.title);
            for entry in &section.entries {
                self.check_rules(schema, &entry.name, &entry.rules, &page.title);
            }
        }
    }

    fn check_rules(&mut self, schema: &Value, path: &str, rules: &[ResourceRule], title: &str) {
        if rules.is_empty() {
            return;
        }
        let node = schema_at(schema, path);
        let node = if path.is_empty() { with_object_meta(node) } else { node.clone() };
        let written = node["x-kubernetes-validations"].as_array().unwrap();
        assert_eq!(written.len(), rules.len());
        for (rule, source) in rules.iter().zip(written) {
            self.rules += 1;
            let at = format!("{title} {path}: {source}");
            let sample = |kind: &str| {
                let fact = rule.facts.iter().find(|fact| fact.kind == kind)?;
                let (value, old) = printed_sample(fact);
                let inner = |value: Value| {
                    let is_bare = path.is_empty() || path.ends_with([']', '*']) && !path.ends_with("']");
                    if is_bare { value } else { value.as_object().unwrap().values().next().unwrap().clone() }
                };
                Some((inner(value), old.map(inner)))
            };
            if let Some((value, old)) = sample("passes") {
                assert!(is_accepted(&node, &value, old.as_ref()), "{at}: {value} {old:?}");
                let is_change = old.as_ref().is_none_or(|old| changes_stored_value(&node, &value, old));
                assert!(is_change, "{at}: {value} {old:?}");
                self.passing += 1;
            }
            if let Some((value, old)) = sample("fails") {
                let alone = with_rules(&node, std::slice::from_ref(source));
                assert!(!is_accepted(&alone, &value, old.as_ref()), "{at}: {value} {old:?}");
                let none = with_rules(&node, &[]);
                assert!(is_accepted(&none, &value, old.as_ref()), "{at}: {value} {old:?}");
                self.failing += 1;
            }
        }
    }

    /// Checks all pages about a file.
    fn check_file(&mut self, name: &str, text: &str) -> bool {
        let Some((definitions, document)) = read_pages(name, text) else { return false };
        for page in &document.resources {
            let is_about = |value: &&Value| value["metadata"]["name"] == page.name.as_str();
            self.check_page(page, definitions.iter().find(is_about).unwrap());
        }
        true
    }
}

#[test]
fn every_printed_value_of_our_definitions_has_its_verdict() {
    let mut printed = Printed::default();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/definitions");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            printed.check_file("crd.yaml", &std::fs::read_to_string(&path).unwrap()),
            "{}",
            path.display()
        );
    }
    println!("docs: {printed:?}");
    assert!(printed.rules >= 60 && printed.objects >= 13, "{printed:?}");
    assert!(printed.passing >= 54 && printed.failing >= 50, "{printed:?}");
}

#[test]
fn an_update_that_passes_changes_what_is_stored() {
    // The server drops `q: null`, which was the only change.
    let text = r#"
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
            properties:
              l: {type: array, maxItems: 2, items: {type: object, properties: {a: {type: integer, minimum: 2, maximum: 5}, s: {type: string, enum: [a, b, ab]}}}}
              b: {type: integer}
              q: {type: string, maxLength: 6}
            x-kubernetes-validations:
            - {rule: "!(!has(oldSelf.l) || size(oldSelf.l) > 0)"}
            - {rule: "!has(oldSelf.l) || oldSelf.l.all(x, has(x.s) && x.s.indexOf('a') <= -1)"}
            - {rule: "!has(self.q) || quantity(self.q).isLessThan(quantity('1'))"}
"#;
    let mut printed = Printed::default();
    assert!(printed.check_file("crd.yaml", text));
    assert!(printed.passing >= 2, "{printed:?}");
}

#[test]
fn every_printed_value_of_real_definitions_has_its_verdict() {
    let mut printed = Printed::default();
    for folder in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(folder, "yaml").unwrap_or_default() {
            printed.check_file("crd.yaml", &std::fs::read_to_string(&path).unwrap());
        }
    }
    println!("docs: {printed:?}");
    assert!(printed.rules == 0 || printed.passing > 1_000 && printed.failing > 1_000, "{printed:?}");
}
