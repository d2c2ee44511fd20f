//! Checks that the values of keywords have the types that the server decodes them into.
//!
//! The server stops at the first value that does not fit and refuses the document as a whole.

use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN_FIELDS,
    VALIDATIONS,
};
use serde_json::Value;

use crate::node::{SchemaPath, SchemaStep};

/// Type that the server decodes the value of a keyword into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecodeTarget {
    Text,
    Flag,
    Float,
    Whole,
    Texts,
    Values,
    Schema,
    Schemas,
    SchemaMap,
    SchemaOrFlag,
    SchemaOrSchemas,
    Rules,
    Docs,
    Dependencies,
}

// apiextensions v1/types_jsonschema.go, JSONSchemaProps; the most common keywords first
#[rustfmt::skip]
const TARGETS: &[(&str, DecodeTarget)] = &[
    ("description", DecodeTarget::Text), ("type", DecodeTarget::Text), ("properties", DecodeTarget::SchemaMap),
    ("items", DecodeTarget::SchemaOrSchemas), ("required", DecodeTarget::Texts), ("format", DecodeTarget::Text),
    ("id", DecodeTarget::Text), ("$schema", DecodeTarget::Text), ("$ref", DecodeTarget::Text), ("title", DecodeTarget::Text),
    ("pattern", DecodeTarget::Text),
    (LIST_TYPE, DecodeTarget::Text), (MAP_TYPE, DecodeTarget::Text),
    ("maximum", DecodeTarget::Float), ("minimum", DecodeTarget::Float), ("multipleOf", DecodeTarget::Float),
    ("exclusiveMaximum", DecodeTarget::Flag), ("exclusiveMinimum", DecodeTarget::Flag), ("uniqueItems", DecodeTarget::Flag),
    ("nullable", DecodeTarget::Flag), (PRESERVE_UNKNOWN_FIELDS, DecodeTarget::Flag),
    (EMBEDDED_RESOURCE, DecodeTarget::Flag), (INT_OR_STRING, DecodeTarget::Flag),
    ("maxLength", DecodeTarget::Whole), ("minLength", DecodeTarget::Whole), ("maxItems", DecodeTarget::Whole),
    ("minItems", DecodeTarget::Whole), ("maxProperties", DecodeTarget::Whole), ("minProperties", DecodeTarget::Whole),
    ("enum", DecodeTarget::Values), (LIST_MAP_KEYS, DecodeTarget::Texts),
    ("allOf", DecodeTarget::Schemas), ("oneOf", DecodeTarget::Schemas),
    ("anyOf", DecodeTarget::Schemas), ("not", DecodeTarget::Schema),
    ("patternProperties", DecodeTarget::SchemaMap), ("definitions", DecodeTarget::SchemaMap),
    ("additionalProperties", DecodeTarget::SchemaOrFlag), ("additionalItems", DecodeTarget::SchemaOrFlag),
    ("dependencies", DecodeTarget::Dependencies), ("externalDocs", DecodeTarget::Docs),
    (VALIDATIONS, DecodeTarget::Rules),
];

/// The fields of an entry of `x-kubernetes-validations`.
// apiextensions v1/types_jsonschema.go, ValidationRule
const RULE_TARGETS: &[(&str, DecodeTarget)] = &[
    ("rule", DecodeTarget::Text),
    ("message", DecodeTarget::Text),
    ("messageExpression", DecodeTarget::Text),
    ("reason", DecodeTarget::Text),
    ("fieldPath", DecodeTarget::Text),
    ("optionalOldSelf", DecodeTarget::Flag),
];

/// The server's words for the first value that cannot be read.
pub(crate) fn find_decode_error(schema: &Value) -> Option<String> {
    decode_node(schema, &SchemaPath::root("spec.versions.schema.openAPIV3Schema"), "CustomResourceValidation")
}

/// Adds the paths of keywords that the server drops with a warning. Lists and maps are decoded in two steps, and the inner
/// one drops without a warning.
pub(crate) fn collect_unknown_keywords(schema: &Value, path: &str, paths: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let path = format!("{path}.{keyword}");
        let Some((_, target)) = TARGETS.iter().find(|(known, _)| known == keyword) else {
            if !matches!(keyword.as_str(), "default" | "example") {
                paths.push(path);
            }
            continue;
        };
        match target {
            DecodeTarget::Schema => collect_unknown_keywords(value, &path, paths),
            DecodeTarget::Schemas => {
                for (index, branch) in value.as_array().into_iter().flatten().enumerate() {
                    collect_unknown_keywords(branch, &format!("{path}[{index}]"), paths);
                }
            }
            DecodeTarget::SchemaMap => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    collect_unknown_keywords(schema, &format!("{path}.{name}"), paths);
                }
            }
            DecodeTarget::Rules => {
                for (index, rule) in value.as_array().into_iter().flatten().enumerate() {
                    let names = rule.as_object().into_iter().flatten().map(|(name, _)| name);
                    let names = names.filter(|name| RULE_TARGETS.iter().all(|(known, _)| known != name));
                    paths.extend(names.map(|name| format!("{path}[{index}].{name}")));
                }
            }
            DecodeTarget::Docs => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                let names = names.filter(|name| !matches!(name.as_str(), "description" | "url"));
                paths.extend(names.map(|name| format!("{path}.{name}")));
            }
            _ => {}
        }
    }
}

/// A schema as the server holds it: without keywords that it drops, and without those that equal none.
pub(crate) fn decode_schema(schema: &Value) -> Value {
    let Some(keywords) = schema.as_object() else { return schema.clone() };
    let kept =
        keywords.iter().filter_map(|(keyword, value)| Some((keyword.clone(), kept_keyword(keyword, value)?)));
    let mut kept: Vec<(String, Value)> = kept.collect();
    kept.sort_by(|(one, _), (other, _)| one.cmp(other));
    Value::Object(kept.into_iter().collect())
}

/// The value of a keyword as the server holds it; none if the server drops it.
fn kept_keyword(keyword: &str, value: &Value) -> Option<Value> {
    match target_of(keyword) {
        None if matches!(keyword, "default" | "example") => (!value.is_null()).then(|| value.clone()),
        None => None,
        Some(target) => keyword_meaning(keyword, value, target),
    }
}

fn target_of(keyword: &str) -> Option<DecodeTarget> {
    TARGETS.iter().find(|(known, _)| *known == keyword).map(|(_, target)| *target)
}

/// True if the [`decode_schema`]s of two schemas are equal, without computing them. The first difference decides.
pub(crate) fn have_same_meaning(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return decode_schema(one) == decode_schema(other);
    };
    let own = one.iter().all(|(keyword, value)| is_same_keyword(keyword, Some(value), other.get(keyword)));
    let mut others = other.iter().filter(|(keyword, _)| !one.contains_key(*keyword));
    own && others.all(|(keyword, value)| is_same_keyword(keyword, None, Some(value)))
}

fn is_same_keyword(keyword: &str, one: Option<&Value>, other: Option<&Value>) -> bool {
    match (target_of(keyword), one, other) {
        (
            Some(DecodeTarget::Schema | DecodeTarget::SchemaOrFlag | DecodeTarget::SchemaOrSchemas),
            Some(one @ Value::Object(_)),
            Some(other @ Value::Object(_)),
        ) => have_same_meaning(one, other),
        (Some(DecodeTarget::SchemaMap), Some(Value::Object(one)), Some(Value::Object(other))) => {
            let is_same = |(name, one): (&String, &Value)| {
                other.get(name).is_some_and(|other| have_same_meaning(one, other))
            };
            one.len() == other.len() && one.iter().all(is_same)
        }
        _ => {
            let kept = |value: Option<&Value>| kept_keyword(keyword, value?);
            kept(one) == kept(other)
        }
    }
}

/// Keywords behind pointers, which differ from none even when they are empty.
// apiextensions v1/types_jsonschema.go: these fields are pointers, so an empty string and `false` are kept.
const POINTERS: &[&str] = &["$ref", LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN_FIELDS];

fn keyword_meaning(keyword: &str, value: &Value, target: DecodeTarget) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    // For Semantic.DeepEqual empty lists and maps equal none, and an unset string is an empty one.
    let each = |values: &Value| values.as_array().map(|all| all.iter().map(decode_schema).collect::<Value>());
    let decoded = match target {
        DecodeTarget::Schema | DecodeTarget::SchemaOrFlag => return Some(decode_schema(value)),
        DecodeTarget::SchemaOrSchemas => return Some(each(value).unwrap_or_else(|| decode_schema(value))),
        DecodeTarget::Docs => return Some(value.clone()),
        // The server holds a double, so 1 and 1.0 are the same.
        DecodeTarget::Float => return Some(value.as_f64().map_or_else(|| value.clone(), Value::from)),
        DecodeTarget::Schemas => each(value).unwrap_or_else(|| value.clone()),
        DecodeTarget::SchemaMap => {
            let mut members: Vec<_> = value.as_object().into_iter().flatten().collect();
            members.sort_by_key(|(name, _)| *name);
            members.into_iter().map(|(name, schema)| (name.clone(), decode_schema(schema))).collect()
        }
        DecodeTarget::Rules => value.as_array().into_iter().flatten().map(rule_meaning).collect(),
        _ => value.clone(),
    };
    (POINTERS.contains(&keyword) || !crate::node::is_zero(&decoded)).then_some(decoded)
}

fn rule_meaning(rule: &Value) -> Value {
    let fields = RULE_TARGETS.iter().filter_map(|(name, _)| {
        let value = rule.get(name)?;
        // `reason` is a pointer; for the others an empty string equals none.
        let counts = *name == "reason" || !(value.is_null() || value.as_str().is_some_and(str::is_empty));
        counts.then(|| ((*name).to_owned(), value.clone()))
    });
    Value::Object(fields.collect())
}

fn decode_node(schema: &Value, path: &SchemaPath<'_>, owner: &str) -> Option<String> {
    let Some(keywords) = schema.as_object() else {
        return decode_error(schema, owner, path, "v1.JSONSchemaProps");
    };
    keywords.iter().find_map(|(keyword, value)| {
        let (_, target) = TARGETS.iter().find(|(known, _)| known == keyword)?;
        keyword_value(value, *target, &path.join(SchemaStep::Keyword(keyword)))
    })
}

fn keyword_value(value: &Value, target: DecodeTarget, path: &SchemaPath<'_>) -> Option<String> {
    const OWNER: &str = "JSONSchemaProps";
    if value.is_null() {
        return None;
    }
    let each = |values: &Value| {
        values.as_array().and_then(|all| all.iter().find_map(|one| decode_node(one, path, OWNER)))
    };
    let every = |values: &Value| {
        values.as_object().and_then(|all| all.values().find_map(|one| decode_node(one, path, OWNER)))
    };
    match (target, value) {
        (DecodeTarget::Schemas | DecodeTarget::SchemaOrSchemas, Value::Array(_)) => each(value),
        (DecodeTarget::SchemaMap, Value::Object(_)) => every(value),
        (
            DecodeTarget::Schema | DecodeTarget::SchemaOrFlag | DecodeTarget::SchemaOrSchemas,
            Value::Object(_),
        ) => decode_node(value, path, OWNER),
        (DecodeTarget::SchemaOrFlag, Value::Bool(_))
        | (DecodeTarget::SchemaOrSchemas, _)
        | (DecodeTarget::Values, Value::Array(_))
        | (DecodeTarget::Docs | DecodeTarget::Dependencies, Value::Object(_)) => None,
        // apiextensions v1/marshal.go, (*JSONSchemaPropsOrBool).UnmarshalJSON
        (DecodeTarget::SchemaOrFlag, _) => Some("boolean or JSON schema expected".to_owned()),
        (DecodeTarget::Rules, Value::Array(entries)) => {
            entries.iter().find_map(|entry| decode_rule(entry, path))
        }
        (DecodeTarget::Texts, Value::Array(texts)) => {
            texts.iter().find_map(|text| decode_scalar(text, DecodeTarget::Text, OWNER, path))
        }
        _ => decode_scalar(value, target, OWNER, path),
    }
}

fn decode_rule(entry: &Value, path: &SchemaPath<'_>) -> Option<String> {
    // Lists and maps are read in two steps, and the outer one puts its own name before the field.
    let text = path.to_string();
    let in_steps = text.contains(".items") || text.contains(".additionalProperties");
    let owner = if in_steps { "JSONSchemaProps" } else { "ValidationRule" };
    let Some(fields) = entry.as_object() else {
        return decode_error(entry, "JSONSchemaProps", path, "v1.ValidationRule");
    };
    fields.iter().filter(|(_, value)| !value.is_null()).find_map(|(field, value)| {
        let (_, target) = RULE_TARGETS.iter().find(|(known, _)| known == field)?;
        decode_scalar(value, *target, owner, &path.join(SchemaStep::Keyword(field)))
    })
}

fn decode_scalar(value: &Value, target: DecodeTarget, owner: &str, path: &SchemaPath<'_>) -> Option<String> {
    let fits = match target {
        DecodeTarget::Text => value.is_string() || value.is_null(),
        DecodeTarget::Flag => value.is_boolean(),
        DecodeTarget::Float => value.is_number(),
        // Go decodes an `int64` from digits only: `1.0` is an error.
        DecodeTarget::Whole => value.is_i64(),
        _ => false,
    };
    if fits { None } else { decode_error(value, owner, path, name(target)) }
}

/// Returns the server's name for a target.
fn name(target: DecodeTarget) -> &'static str {
    match target {
        DecodeTarget::Text => "string",
        DecodeTarget::Flag => "bool",
        DecodeTarget::Float => "float64",
        DecodeTarget::Whole => "int64",
        DecodeTarget::Texts => "[]string",
        DecodeTarget::Values => "[]v1.JSON",
        DecodeTarget::Schema | DecodeTarget::SchemaOrFlag | DecodeTarget::SchemaOrSchemas => {
            "v1.JSONSchemaProps"
        }
        DecodeTarget::Schemas => "[]v1.JSONSchemaProps",
        DecodeTarget::SchemaMap => "map[string]v1.JSONSchemaProps",
        DecodeTarget::Rules => "v1.ValidationRules",
        DecodeTarget::Docs => "v1.ExternalDocumentation",
        DecodeTarget::Dependencies => "v1.JSONSchemaDependencies",
    }
}

fn decode_error(value: &Value, owner: &str, path: &SchemaPath<'_>, target: &str) -> Option<String> {
    let found = match value {
        Value::Null => return None,
        Value::Bool(_) => "bool".to_owned(),
        // The number is shown where it is one but does not fit.
        Value::Number(number) if target == "int64" => format!("number {number}"),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
    };
    Some(format!("json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {target}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_have_the_same_meaning_if_their_meanings_are_equal() {
        let schemas = [
            json!(null),
            json!({}),
            json!({"type": "object"}),
            json!({"type": "object", "title": "", "unknown": 1, "default": null, "properties": {}}),
            json!({"properties": {"a": {}, "b": {"type": "string"}}, "type": "object"}),
            json!({"type": "object", "properties": {"b": {"type": "string", "nullable": false}, "a": {}}}),
            json!({"type": "object", "properties": {"b": {"type": "string"}, "c": {}}}),
            json!({"type": "object", "properties": {"b": {"type": "string"}}}),
            json!({"type": "object", "properties": {"b": {"type": "string"}, "a": null}}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string", "title": ""}}),
            json!({"type": "array", "items": [{"type": "string"}]}),
            json!({"additionalProperties": true}),
            json!({"additionalProperties": {"maximum": 1}}),
            json!({"additionalProperties": {"maximum": 1.0}}),
            json!({"not": {"required": ["a"]}}),
            json!({"not": {"required": ["a"]}, "x-kubernetes-list-type": ""}),
            json!({"x-kubernetes-validations": [{"rule": "true", "message": ""}]}),
            json!({"x-kubernetes-validations": [{"rule": "true"}]}),
        ];
        let mut same = 0;
        for one in &schemas {
            for other in &schemas {
                let expected = decode_schema(one) == decode_schema(other);
                assert_eq!(have_same_meaning(one, other), expected, "{one} and {other}");
                same += usize::from(expected);
            }
        }
        assert!(same > schemas.len() && same < schemas.len() * schemas.len());
    }
}
