//! Tests of reading schemas, and of the problems of those that cannot be read.

use std::fmt::Write as _;

use kvrules_diagnostics::{FileId, Origin};
use kvrules_ir::{Presence, Scalar, ValueType};

use super::super::CatalogField;
use super::*;

/// A definition with two versions, of which the second is stored.
const BOXES: &str = include_str!("tests/boxes.yaml");

fn read(text: &str, choice: Option<&str>) -> Result<Catalog, Vec<String>> {
    let file = SourceFile::new(FileId(0), "schema.yaml", text);
    read_catalog(&file, choice).map_err(|problems| {
        let reported = problems.into_iter().map(|problem| {
            let at = file.position_at(problem.span.start);
            let help = problem.help.map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{}:{}: {}{help}", at.line, at.column, problem.message)
        });
        reported.collect()
    })
}

fn problems(text: &str, choice: Option<&str>) -> Vec<String> {
    read(text, choice).unwrap_err()
}

fn at<'c>(catalog: &'c Catalog, path: &str) -> CatalogField<'c> {
    path.split('.').fold(catalog.root(), |field, name| match name {
        "*" => field.item_field().unwrap_or_else(|| panic!("{path}: {name}")),
        name => field.child_field(name).unwrap_or_else(|| panic!("{path}: {name}")),
    })
}

/// One field of a bare schema, as `type presence default`.
fn field(schema: &str) -> String {
    let catalog = read(&format!("properties: {{a: {schema}}}"), None).unwrap();
    reported(at(&catalog, "a"))
}

fn reported(field: CatalogField<'_>) -> String {
    let presence = match field.presence() {
        Presence::Required => "required",
        Presence::Defaulted => "defaulted",
        Presence::Optional => "optional",
    };
    let default = match field.default_value() {
        None => String::new(),
        Some(Scalar::Integer(number)) => format!(" {number}"),
        Some(Scalar::Text(text)) => format!(" {text:?}"),
        Some(Scalar::Boolean(truth)) => format!(" {truth}"),
    };
    let open = if field.is_open() { ", open" } else { "" };
    format!("{} {presence}{default}{open}", field.value_type().as_str())
}

#[test]
fn a_definition_is_read_by_its_stored_version() {
    let catalog = read(BOXES, None).unwrap();
    assert_eq!(catalog.kind(), Some("Box"));
    assert_eq!(catalog.subject().group.as_deref(), Some("example.com"));
    assert_eq!(catalog.subject().version.as_deref(), Some("v1"));
    assert!(catalog.root_steps().is_empty());
    let fields: Vec<_> = catalog.root().child_fields().map(CatalogField::name).collect();
    assert_eq!(fields, ["apiVersion", "kind", "metadata", "spec"]);
    assert_eq!(reported(at(&catalog, "metadata")), "object required");
    assert_eq!(reported(at(&catalog, "metadata.labels.*")), "string optional");
    let expected = [
        ("spec", "object required"),
        ("spec.size", "integer defaulted 3"),
        ("spec.memory", "quantity optional"),
        ("spec.port", "integer or string optional"),
        ("spec.colour", "string required"),
        ("spec.lid", "object defaulted"),
        ("spec.lid.closed", "boolean defaulted true"),
        ("spec.lid.name", "string required \"cover\""),
        ("spec.labels", "map optional"),
        ("spec.labels.*", "string optional"),
        ("spec.items", "list optional"),
        ("spec.items.*", "object optional"),
        ("spec.items.*.weight", "number required"),
        ("spec.extra", "any optional"),
        ("spec.settings", "object optional, open"),
        ("spec.settings.mode", "string optional"),
        ("spec.maybe", "string optional"),
        ("spec.since", "time optional"),
        ("spec.template", "object optional, open"),
        ("spec.template.metadata.name", "string defaulted"),
        ("spec.template.kind", "string required"),
        ("spec.template.spec", "any optional"),
    ];
    for (path, expected) in expected {
        assert_eq!(reported(at(&catalog, path)), expected, "{path}");
    }
    assert!(at(&catalog, "spec").child_field("old").is_none());
}

#[test]
fn a_version_or_a_kind_can_be_chosen() {
    for choice in ["v1alpha1", "Box/v1alpha1", "boxes.example.com/v1alpha1"] {
        let catalog = read(BOXES, Some(choice)).unwrap();
        assert_eq!(catalog.subject().version.as_deref(), Some("v1alpha1"), "{choice}");
        assert_eq!(reported(at(&catalog, "spec.old")), "string optional");
    }
    assert!(read(BOXES, Some("Box")).unwrap().root().child_field("spec").is_some());
    assert_eq!(
        problems(BOXES, Some("v1alpha")),
        ["12:3: `Box` has no version `v1alpha` (did you mean `v1alpha1`?)"]
    );
}

#[test]
fn of_several_definitions_one_must_be_chosen() {
    let two = format!("{BOXES}---\n{}", BOXES.replace("Box", "Crate").replace("boxes", "crates"));
    assert_eq!(
        problems(&two, None),
        ["81:11: there are 2 CustomResourceDefinitions: `Box`, `Crate` (choose one with `FILE#Box`)"]
    );
    assert_eq!(read(&two, Some("Crate")).unwrap().kind(), Some("Crate"));
    assert_eq!(read(&two, Some("Crate/v1alpha1")).unwrap().kind(), Some("Crate"));
    assert_eq!(
        problems(&two, Some("Crates")),
        ["81:11: unknown CustomResourceDefinition `Crates` (did you mean `Crate`?)"]
    );
    let same = format!("{BOXES}---\n{}", BOXES.replace("example.com", "example.org"));
    assert!(problems(&same, Some("Box"))[0].contains("`boxes.example.com`, `boxes.example.org`"));
    assert_eq!(
        read(&same, Some("boxes.example.org")).unwrap().subject().group.as_deref(),
        Some("example.org")
    );
    // Documents other than definitions are skipped, as in the files of a chart.
    assert!(read(&format!("kind: Service\napiVersion: v1\n---\n{BOXES}"), None).is_ok());
}

#[test]
fn paths_of_a_virtual_machine_start_at_its_template() {
    let machine = BOXES
        .replace("kind: Box", "kind: VirtualMachine")
        .replace("group: example.com", "group: kubevirt.io");
    let catalog = read(&machine, None).unwrap();
    assert_eq!(catalog.root_steps(), ["spec", "template"]);
    // The built-in catalog takes precedence for KubeVirt's own kind, even if the definition declares less.
    assert_eq!(reported(at(&catalog, "spec")), "object defaulted");
    let other = machine.replace("kubevirt.io", "example.org");
    assert!(read(&other, None).unwrap().root_steps().is_empty());
    let steps = |path: &str, text: &str| {
        let path = crate::path::parse(path, Origin::default()).unwrap();
        crate::resolve_path(&path, &read(text, None).unwrap()).unwrap().leaf.steps.len()
    };
    assert_eq!(steps(".spec.size", BOXES), 2);
    assert_eq!(steps(".spec.domain", &machine), 4);
}

#[test]
fn names_that_a_schema_leaves_open_are_of_any_type() {
    let catalog = read(BOXES, None).unwrap();
    let resolve = |path: &str| {
        let path = crate::path::parse(path, Origin::default()).unwrap();
        crate::resolve_path(&path, &catalog).map(|selector| selector.leaf.value_type)
    };
    assert_eq!(resolve(".spec.settings.mode"), Ok(ValueType::String));
    assert_eq!(resolve(".spec.settings.other.deeper"), Ok(ValueType::Any));
    assert!(resolve(".spec.other").is_err());
}

#[test]
fn types_are_known_in_every_notation() {
    let expected = [
        ("{type: [string, 'null']}", "string optional"),
        ("{type: [integer, string]}", "integer or string optional"),
        ("{oneOf: [{type: string}, {type: integer}]}", "integer or string optional"),
        ("{oneOf: [{type: string}, {type: boolean}]}", "any optional"),
        ("{type: string, format: quantity}", "quantity optional"),
        ("{type: string, format: int-or-string}", "integer or string optional"),
        ("{type: object}", "any optional"),
        ("{type: object, additionalProperties: false}", "object optional"),
        ("{type: object, additionalProperties: true}", "map optional"),
        ("{properties: {b: {}}, additionalProperties: true}", "object optional, open"),
        ("{type: object, properties: {b: {}}, oneOf: [{}]}", "object optional, open"),
        ("{items: {}}", "list optional"),
        ("true", "any optional"),
        ("{}", "any optional"),
    ];
    for (schema, expected) in expected {
        assert_eq!(field(schema), expected, "{schema}");
    }
    // A property with the schema `false` is not a field.
    assert!(read("properties: {a: false, b: true}", None).unwrap().root().child_field("a").is_none());
}

#[test]
fn defaults_are_constants_of_the_type() {
    let expected = [
        ("{type: integer, default: 2.0}", "integer defaulted 2"),
        ("{type: integer, default: 99999999999999999999}", "integer defaulted 99999999999999999999"),
        ("{type: number, default: 1.50}", "number defaulted \"1.5\""),
        ("{type: string, format: quantity, default: 1Gi}", "quantity defaulted \"1Gi\""),
        ("{type: string, default: ''}", "string defaulted \"\""),
        ("{type: boolean, default: false}", "boolean defaulted false"),
        ("{type: array, default: [1], items: {type: integer}}", "list defaulted"),
        ("{type: string, default: null}", "string optional"),
    ];
    for (schema, expected) in expected {
        assert_eq!(field(schema), expected, "{schema}");
    }
    assert_eq!(
        problems("properties:\n  a: {type: integer, default: x}\n  b: {type: string, default: 1}\n", None),
        [
            "2:31: the default is a string, and the type is integer (give a default of the type, or leave it out)",
            "3:30: the default is the number `1`, and the type is string (give a default of the type, or leave it out)",
        ]
    );
    // The server sets defaults before it checks required fields. A `null` where it is allowed counts as absent.
    let text = "required: [a, b]\nproperties:\n  a: {type: integer, default: 1}\n  b: {type: integer, nullable: true}\n";
    let catalog = read(text, None).unwrap();
    assert_eq!(reported(at(&catalog, "a")), "integer defaulted 1");
    assert_eq!(reported(at(&catalog, "b")), "integer optional");
}

/// Schemas as Kubernetes publishes them.
const OPENAPI: &str = r##"{"openapi": "3.0.0", "components": {"schemas": {
  "com.example.v1.Box": {"type": "object", "required": ["spec"],
    "x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Box", "version": "v1"}],
    "properties": {"spec": {"default": {}, "allOf": [{"$ref": "#/components/schemas/com.example.v1.BoxSpec"}]}}},
  "com.example.v1.BoxSpec": {"type": "object", "properties": {
    "memory": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
    "port": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
    "inner": {"$ref": "#/components/schemas/com.example.v1.BoxSpec"}, "lost": {"type": "integer"}}},
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": "string", "format": "int-or-string"}}}}"##;

#[test]
fn a_schema_of_an_openapi_document_is_chosen_by_its_name_or_kind() {
    for choice in ["Box", "com.example.v1.Box"] {
        let catalog = read(OPENAPI, Some(choice)).unwrap();
        assert_eq!((catalog.kind(), catalog.subject().group.as_deref()), (Some("Box"), Some("example.com")));
        assert_eq!(reported(at(&catalog, "spec")), "object defaulted");
        assert_eq!(reported(at(&catalog, "spec.memory")), "quantity optional");
        assert_eq!(reported(at(&catalog, "spec.port")), "integer or string optional");
    }
    assert_eq!(
        problems(OPENAPI, Some("Boxes")),
        ["2:3: unknown schema `Boxes` (did you mean `com.example.v1.Box`?)"]
    );
    assert!(problems(OPENAPI, None)[0].starts_with("2:3: there are 4 schemas: `com.example.v1.Box`, "));
}

#[test]
fn a_schema_that_contains_itself_ends_in_a_field_of_any_type() {
    let catalog = read(OPENAPI, Some("Box")).unwrap();
    assert_eq!(reported(at(&catalog, "spec.inner")), "any optional");
    let own = "properties: {next: {$ref: '#'}, all: {type: array, items: {$ref: '#'}}}";
    let catalog = read(own, None).unwrap();
    assert_eq!(reported(at(&catalog, "next")), "object optional");
    assert_eq!(reported(at(&catalog, "next.next")), "any optional");
    let round = "$ref: '#/$defs/a'\n$defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}";
    assert!(problems(round, None)[0].contains("has no fields"));
}

#[test]
fn all_of_joins_what_is_said_of_a_property() {
    let text = "allOf:\n- {required: [a], properties: {a: {type: integer}}}\n\
                - {properties: {a: {default: 4}, b: {type: string}}}\n";
    let catalog = read(text, None).unwrap();
    assert_eq!(reported(at(&catalog, "a")), "integer defaulted 4");
    assert_eq!(reported(at(&catalog, "b")), "string optional");
}

#[test]
fn references_that_lead_nowhere_are_problems_with_their_places() {
    let text = "properties:\n  a: {$ref: '#/no'}\n  b: {$ref: 'other.yaml#/x'}\n";
    let found = problems(text, None);
    assert!(found[0].starts_with("2:13: unresolved reference `#/no` ("), "{found:?}");
    assert!(
        found[1].starts_with("3:13: the reference `other.yaml#/x` points outside this file ("),
        "{found:?}"
    );
}

#[test]
fn references_to_anchors_and_identifiers_are_followed() {
    let text = r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x.example/s.json", "type": "object",
  "properties": {"a": {"$ref": "#named"}, "b": {"$ref": "https://x.example/s.json#/$defs/text"}, "c": {"$ref": "inner.json"}},
  "$defs": {"number": {"$anchor": "named", "type": "integer"}, "text": {"type": "string"}, "inner": {
    "$id": "inner.json", "type": "object", "properties": {"d": {"$ref": "#/$defs/text"}}, "$defs": {"text": {"type": "boolean"}}}}}"##;
    let catalog = read(text, None).unwrap();
    assert_eq!(reported(at(&catalog, "a")), "integer optional");
    assert_eq!(reported(at(&catalog, "b")), "string optional");
    assert_eq!(reported(at(&catalog, "c.d")), "boolean optional");
    let without_own =
        text.replace(r#""$id": "https://x.example/s.json", "#, "").replace("https://x.example/s.json", "");
    assert_eq!(reported(at(&read(&without_own, None).unwrap(), "c.d")), "boolean optional");
    let unknown = text.replace("https://json-schema.org/draft/2020-12/schema", "https://x.example/dialect");
    let unknown = unknown.replace("#named", "#/$defs/number").replace("https://x.example/s.json#", "#");
    let unknown = unknown.replace("inner.json\"}", "#/$defs/inner\"}");
    assert_eq!(reported(at(&read(&unknown, None).unwrap(), "a")), "integer optional");
    let lost = problems(&text.replace("#named", "#nowhere"), None);
    assert!(lost[0].starts_with("2:32: unresolved reference `#nowhere` ("), "{lost:?}");
}

#[test]
fn what_is_no_schema_is_told_with_its_place() {
    let first = |text: &str| problems(text, None)[0].clone();
    let start = |text: &str| first(text).split(" (").next().unwrap().to_owned();
    assert_eq!(start(""), "1:1: a schema is required here, not nothing");
    assert_eq!(start("apiVersion: v1\nkind: Pod\n"), "2:1: a schema is required here, not a `Pod`");
    assert_eq!(start("[1]"), "1:1: a schema is required here, not a list");
    assert_eq!(start("properties: [1]\ntype: object\n"), "1:13: `properties` must be a map, not a list");
    assert_eq!(start("properties: {a: {type: strng}}"), "1:24: unknown type `strng`");
    assert_eq!(start("properties: {a: 1}"), "1:17: a schema must be a map, not a number");
    assert!(start("properties: {a: \n  - b: [}").contains("this is neither YAML nor JSON"));
    assert!(start("type: object").ends_with("the schema has no fields"));
    let stored = BOXES.replace("storage: true", "storage: false");
    assert_eq!(
        first(&stored),
        "12:3: no version of `Box` is stored (mark one with `storage: true`, or choose one with `FILE#v1alpha1`)"
    );
    let old = BOXES.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1");
    assert_eq!(start(&old), "1:13: unsupported version `apiextensions.k8s.io/v1beta1` of definitions");
    let empty = BOXES.replace("openAPIV3Schema", "openAPISchema");
    assert_eq!(start(&empty), "23:11: the version `v1` has no schema");
    assert_eq!(
        start("a: {}\nproperties: {}\n---\ntype: object\n"),
        "4:1: second schema in one file, and only one is read"
    );
}

#[test]
fn hostile_schemas_end_in_a_problem() {
    // Each definition doubles what the one before it has.
    let mut doubling = "$ref: '#/$defs/d0'\n$defs:\n".to_owned();
    for level in 0..60 {
        let below = level + 1;
        let reference = format!("{{$ref: '#/$defs/d{below}'}}");
        let _ = writeln!(doubling, "  d{level}: {{properties: {{a: {reference}, b: {reference}}}}}");
    }
    doubling.push_str("  d60: {type: string}\n");
    assert!(problems(&doubling, None)[0].contains("expands to more than"));
    // A chain of references is as deep as it is long.
    let mut chain = "$ref: '#/$defs/d0'\n$defs:\n".to_owned();
    for level in 0..5000 {
        let _ = writeln!(chain, "  d{level}: {{properties: {{a: {{$ref: '#/$defs/d{}'}}}}}}", level + 1);
    }
    chain.push_str("  d5000: {type: string}\n");
    assert!(problems(&chain, None)[0].contains("nest deeper than"));
    let nested = format!("{}{{}}{}", "{\"properties\": {\"a\": ".repeat(3000), "}}".repeat(3000));
    assert!(read(&nested, None).is_err());
}
