//! The JSON Schemas of real definitions evaluate objects as the server does, except where they say that they do not.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::{Exactness, FileId};
use kvrules_emit::resource_schema::{
    KEYWORDS, OptionalNulls, ResourceSchemaOptions, UnknownFields, convert_resource,
};
use kvrules_emit::schema::Dialect;
use kvrules_emit::{Emission, EmitError, Emitter, Request, find_emitter};
use kvrules_syntax::parse_stream;
use kvrules_syntax::value::ValueReader;
use kvrules_verify::{ResourceComparison, compare_resource_schema, verify_resources_with};
use rayon::prelude::*;
use serde_json::{Value, json};

/// Number of objects that each version is tried with.
const OBJECTS: usize = 16;

/// The versions in the definitions of the recorded data, each schema of a definition once.
pub(crate) fn real_versions() -> Vec<ResourceVersion> {
    let mut versions: Vec<ResourceVersion> = Vec::new();
    for directory in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(directory, "yaml").unwrap_or_default() {
            let text = std::fs::read_to_string(&path).unwrap();
            let stream = parse_stream(FileId(0), &text);
            for root in stream.documents.iter().filter_map(kvrules_syntax::Document::root) {
                let value = ValueReader::for_kubernetes().read_value(root).unwrap();
                let read = ResourceVersion::of_definition(&value);
                versions.extend(read.into_iter().fold(
                    Vec::new(),
                    |mut kept: Vec<ResourceVersion>, version| {
                        if !kept.iter().any(|known| known.schema == version.schema) {
                            kept.push(version);
                        }
                        kept
                    },
                ));
            }
        }
    }
    versions
}

fn options(unknown_fields: UnknownFields, nulls: OptionalNulls) -> ResourceSchemaOptions {
    ResourceSchemaOptions { dialect: Dialect::JsonSchema202012, unknown_fields, nulls }
}

fn compare(version: &ResourceVersion, options: ResourceSchemaOptions, objects: usize) -> ResourceComparison {
    let made = convert_resource(version, options);
    compare_resource_schema(version, &made.schema, &made.fidelity, objects).unwrap()
}

#[test]
fn schemas_of_real_definitions_judge_as_the_server_does() {
    let versions = real_versions();
    if versions.is_empty() {
        return;
    }
    for options in [
        options(UnknownFields::Accept, OptionalNulls::Accept),
        options(UnknownFields::Reject, OptionalNulls::Reject),
    ] {
        let compared: Vec<_> =
            versions.par_iter().map(|version| (version, compare(version, options, OBJECTS))).collect();
        let sum = |count: fn(&ResourceComparison) -> usize| -> usize {
            compared.iter().map(|(_, compared)| count(compared)).sum()
        };
        let (objects, accepted) = (sum(|it| it.objects), sum(|it| it.accepted));
        let (declared, departures) = (sum(|it| it.declared), sum(|it| it.departures.len()));
        println!(
            "{} schemas: {objects} objects, {accepted} accepted by the server, {declared} as the fidelity says, {departures} departures",
            versions.len()
        );
        for (version, compared) in &compared {
            for departure in &compared.departures {
                println!("{}: {}: {}", version.definition, departure.place, departure.reason);
            }
        }
        assert_eq!(departures, 0);
        assert!(accepted * 10 > objects && accepted < objects, "objects of both kinds");
    }
}

/// The rules in CEL of real definitions: how many are expressed, and the reasons why others are not.
#[test]
fn most_rules_of_real_definitions_are_expressed() {
    let versions = real_versions();
    if versions.is_empty() {
        return;
    }
    let options = options(UnknownFields::Accept, OptionalNulls::Accept);
    let entries: Vec<_> =
        versions.par_iter().flat_map_iter(|version| convert_resource(version, options).fidelity).collect();
    let rules = entries.iter().filter(|entry| entry.rule.contains("x-kubernetes-validations"));
    let (mut exact, mut omitted) = (0, std::collections::BTreeMap::<String, usize>::new());
    for rule in rules {
        match rule.fidelity.exactness() {
            Exactness::Exact => exact += 1,
            _ => *omitted.entry(rule.fidelity.cause().unwrap_or_default().to_owned()).or_default() += 1,
        }
    }
    let count: usize = omitted.values().sum();
    println!("{exact} rules are expressed exactly, {count} are not:");
    for (cause, count) in &omitted {
        println!("  {count} {cause}");
    }
    assert!(exact > count, "{exact} {count}");
}

/// A schema in which a rule is expressed wrongly is found out.
#[test]
fn a_rule_that_is_expressed_wrongly_breaks_the_claim() {
    let rules = |rule: &str| {
        json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}], "properties": {
            "a": {"type": "integer"}, "b": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}}}})
    };
    let schema = |spec: Value| json!({"type": "object", "properties": {"spec": spec}});
    let pairs = [
        ("!has(self.a) || self.a > 3", "!has(self.a) || self.a > 4"),
        ("has(self.a) == has(self.b)", "has(self.a) || has(self.b)"),
        ("self.b.startsWith('x')", "self.b.endsWith('x')"),
        ("self.list.all(i, i > 2)", "self.list.exists(i, i > 2)"),
        ("self.list.filter(i, i > 2).size() <= 1", "self.list.filter(i, i > 2).size() <= 2"),
        ("self.list.exists_one(i, i == 7)", "self.list.exists(i, i == 7)"),
        ("size(self.list) < 4", "size(self.list) <= 4"),
        ("self.a in [1, 2, 3]", "self.a in [1, 2]"),
        ("[has(self.a), has(self.b)].exists_one(x, x)", "[has(self.a), has(self.b)].exists(x, x)"),
        ("self.list.all(x, self.list.exists_one(y, x == y))", "size(self.list) >= 0"),
    ];
    let options = options(UnknownFields::Accept, OptionalNulls::Accept);
    for (rule, other) in pairs {
        for (rule, other) in [(rule, other), (other, rule)] {
            let right = version(&schema(rules(rule)));
            let wrong = convert_resource(&version(&schema(rules(other))), options);
            let fidelity = convert_resource(&right, options).fidelity;
            assert!(
                fidelity.iter().all(|entry| entry.fidelity.exactness() == Exactness::Exact),
                "{rule}: {fidelity:?}"
            );
            let compared = compare_resource_schema(&right, &wrong.schema, &fidelity, 80).unwrap();
            assert!(!compared.departures.is_empty(), "{rule} expressed as {other}");
            let compared = compare(&right, options, 80);
            assert!(compared.departures.is_empty(), "{rule}: {:?}", compared.departures);
        }
    }
}

/// `quantity` has no integer as its argument: an integer in a field that may have one passes only rules that convert it first.
#[test]
fn quantities_of_integers_that_are_not_converted_are_rejected() {
    let quantity =
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]});
    for (rule, accepts_integers) in [
        ("quantity(self).isGreaterThan(quantity('2'))", false),
        ("quantity(string(self)).isGreaterThan(quantity('2'))", true),
        ("quantity(self) == quantity('7')", false),
        ("isQuantity(self)", false),
        ("isQuantity(string(self))", true),
        ("quantity('9').compareTo(quantity(self)) > 0", false),
    ] {
        let mut size = quantity.clone();
        size["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        let spec = json!({"type": "object", "properties": {"size": size}});
        let version = version(&json!({"type": "object", "properties": {"spec": spec}}));
        let made = convert_resource(&version, options(UnknownFields::Accept, OptionalNulls::Accept));
        let compared = compare_resource_schema(&version, &made.schema, &made.fidelity, 200).unwrap();
        assert_eq!(compared.departures, [], "{rule}");
        let validator = jsonschema::validator_for(&made.schema).unwrap();
        let object = |size: Value| json!({"apiVersion": "a.io/v1", "kind": "Pond", "metadata": {"name": "a"}, "spec": {"size": size}});
        assert_eq!(validator.is_valid(&object(json!(7))), accepts_integers, "{rule}");
        assert!(validator.is_valid(&object(json!("7"))), "{rule}");
    }
}

fn version(schema: &Value) -> ResourceVersion {
    let definition = json!({"metadata": {"name": "ponds.a.io"}, "spec": {"group": "a.io", "names": {"kind": "Pond"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}});
    ResourceVersion::of_definition(&definition).remove(0)
}

/// Every keyword, with the nulls, defaults and branches that make them differ.
#[test]
fn schemas_of_all_keywords_judge_as_the_server_does() {
    let text = json!({"type": "string", "minLength": 2, "maxLength": 4});
    let defaulted = json!({"type": "string", "enum": ["A", "B"], "default": "B"});
    let nullable = json!({"type": "string", "nullable": true});
    let fields = [
        json!({"type": "object", "required": ["a"], "properties": {"a": text, "b": nullable}}),
        json!({"type": "object", "required": ["a", "m"], "properties": {"a": text, "m": defaulted}}),
        json!({"type": "object", "properties": {"a": text, "m": defaulted},
            "anyOf": [{"properties": {"m": {"enum": ["A"]}}, "required": ["a"]}, {"properties": {"m": {"enum": ["B"]}}}]}),
        json!({"type": "object", "properties": {"a": text, "b": nullable, "c": text},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}),
        json!({"type": "object", "properties": {"a": text, "m": defaulted}, "not": {"required": ["a", "m"]}}),
        json!({"type": "object", "properties": {"a": text}, "not": {"required": ["a"], "properties": {"a": {"enum": ["aaa"]}}}}),
        json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 3, "exclusiveMinimum": true},
            "minProperties": 1, "maxProperties": 2}),
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "maxProperties": 2}),
        json!({"type": "array", "items": {"type": "string", "nullable": true}, "x-kubernetes-list-type": "set",
            "minItems": 1, "maxItems": 3}),
        json!({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}}),
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^a"}),
        json!({"x-kubernetes-int-or-string": true, "minimum": 5, "maxLength": 2}),
        json!({"type": "number", "multipleOf": 0.5, "maximum": 9, "exclusiveMaximum": true, "nullable": true,
            "enum": [1, 2.5]}),
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "string", "pattern": "(?i)^\\pL+$", "allOf": [{"minLength": 2}], "not": {"maxLength": 1}}),
        json!({"type": "object", "properties": {"a": text}, "minProperties": 1}),
        json!({"type": "integer", "format": "int32", "maximum": 4_294_967_295_u64, "minimum": 0}),
        json!({"type": "integer", "format": "int32", "nullable": true}),
        json!({"type": "integer", "minimum": 1.5}),
        json!({"type": "object", "properties": {"a": text, "m": defaulted}, "allOf": [{"minProperties": 2}]}),
        json!({"type": "object", "properties": {"a": text, "m": defaulted},
            "oneOf": [{"properties": {"m": {"not": {"enum": ["B"]}}}}, {"properties": {"m": {"enum": ["B"]}, "a": {"enum": ["aaa"]}}}]}),
    ];
    let mut accepted = 0;
    for field in &fields {
        for required in [json!([]), json!(["spec"])] {
            let version =
                version(&json!({"type": "object", "required": required, "properties": {"spec": field}}));
            let compared = compare(&version, options(UnknownFields::Accept, OptionalNulls::Accept), 250);
            assert_eq!(compared.departures, [], "{field}");
            let versions = [version];
            let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
            let report =
                verify_resources_with(&emit_schema, &[find_emitter("json-schema").unwrap()], &request);
            assert!(report.all_claims_hold(), "{field} {report:?}");
            assert!(report.comparisons > 200 || report.is_inconclusive(), "each field is tried: {field}");
            accepted += compared.accepted;
        }
    }
    assert!(accepted > 2_000, "{accepted}");
}

fn emit_schema(target: &Emitter, request: &Request<'_>) -> Result<Emission, EmitError> {
    (target.resources.as_ref().unwrap().emit)(request)
}

/// Where the generator makes no object that the server accepts, nothing is proved.
#[test]
fn a_claim_about_objects_that_the_server_rejects_is_undecided() {
    let name = json!({"type": "string", "pattern": "^o-[0-9]$"});
    let metadata = json!({"type": "object", "properties": {"name": name}});
    for (depth, is_decided) in
        [(json!({"type": "integer"}), true), (json!({"type": "integer", "not": {"minimum": -9}}), false)]
    {
        let versions = [version(&json!({"type": "object", "required": ["depth"],
            "properties": {"metadata": metadata, "depth": depth}}))];
        let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
        let report = verify_resources_with(&emit_schema, &[find_emitter("json-schema").unwrap()], &request);
        assert_eq!(
            (report.all_claims_hold(), report.is_inconclusive()),
            (true, !is_decided),
            "{depth} {report:?}"
        );
    }
}

/// A comparison that could not fail would prove nothing: schemas with one keyword changed are found out.
#[test]
fn changed_schemas_are_found_out() {
    let field = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "maxLength": 3}, "n": {"type": "integer", "minimum": 1}, "m": {"type": "string", "default": "x"}}});
    let version = version(&json!({"type": "object", "properties": {"spec": field}}));
    let made = convert_resource(&version, options(UnknownFields::Accept, OptionalNulls::Accept));
    assert!(
        made.fidelity
            .iter()
            .all(|entry| entry.rule == KEYWORDS && entry.fidelity.exactness() == Exactness::Exact)
    );
    for (pointer, value) in [
        ("/properties/spec/properties/a/maxLength", json!(4)),
        ("/properties/spec/properties/n/minimum", json!(2)),
        ("/properties/spec/properties/n/type", json!("integer")),
        ("/properties/spec/required", json!([])),
        ("/properties/spec/required", json!(["a", "m"])),
    ] {
        let mut changed = made.schema.clone();
        *changed.pointer_mut(pointer).unwrap() = value.clone();
        let compared = compare_resource_schema(&version, &changed, &made.fidelity, 400).unwrap();
        assert!(!compared.departures.is_empty(), "{pointer} {value}");
    }
}

/// Files without a keyword are found out by the claim about all keywords, in JSON Schema and in both versions of OpenAPI.
#[test]
fn files_that_lack_a_keyword_break_the_claim() {
    let versions = [version(
        &json!({"type": "object", "properties": {"spec": {"type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 1, "exclusiveMinimum": true, "nullable": true}}}}}),
    )];
    for (target, openapi) in [("json-schema", "3.0"), ("openapi", "3.0"), ("openapi", "3.1")] {
        let options =
            [(("openapi".to_owned(), "version".to_owned()), openapi.to_owned())].into_iter().collect();
        let request =
            Request { resources: &versions, options: &options, ..Request::for_virtual_machines(&[]) };
        let targets = [find_emitter(target).unwrap()];
        let emit = emit_schema;
        assert!(verify_resources_with(&emit, &targets, &request).all_claims_hold(), "{target} {openapi}");
        for (from, to) in [
            ("exclusiveMinimum", "x-exclusiveMinimum"),
            ("required", "x-required"),
            ("nullable", "x-nullable"),
        ] {
            let broken = |target: &Emitter, request: &Request<'_>| {
                let mut emission = emit(target, request)?;
                for file in &mut emission.files {
                    file.text = file.text.replace(from, to);
                }
                Ok(emission)
            };
            let is_same =
                emit(targets[0], &request).unwrap().files == broken(targets[0], &request).unwrap().files;
            let holds = verify_resources_with(&broken, &targets, &request).all_claims_hold();
            assert_eq!(holds, is_same, "{target} {openapi} {from}");
        }
    }
}
