//! Checks that the values of keywords have the types that the server decodes them into.
//!
//! The server stops at the first value that does not fit and refuses the document as a whole.

use serde_json::Value;

use crate::node::{SchemaPath, Step};

/// Type that the server decodes the value of a keyword into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
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

#[rustfmt::skip]
const TARGETS: &[(&str, Target)] = &[
    ("id", Target::Text), ("$schema", Target::Text), ("$ref", Target::Text), ("description", Target::Text),
    ("type", Target::Text), ("format", Target::Text), ("title", Target::Text), ("pattern", Target::Text),
    ("x-kubernetes-list-type", Target::Text), ("x-kubernetes-map-type", Target::Text),
    ("maximum", Target::Float), ("minimum", Target::Float), ("multipleOf", Target::Float),
    ("exclusiveMaximum", Target::Flag), ("exclusiveMinimum", Target::Flag), ("uniqueItems", Target::Flag),
    ("nullable", Target::Flag), ("x-kubernetes-preserve-unknown-fields", Target::Flag),
    ("x-kubernetes-embedded-resource", Target::Flag), ("x-kubernetes-int-or-string", Target::Flag),
    ("maxLength", Target::Whole), ("minLength", Target::Whole), ("maxItems", Target::Whole),
    ("minItems", Target::Whole), ("maxProperties", Target::Whole), ("minProperties", Target::Whole),
    ("enum", Target::Values), ("required", Target::Texts), ("x-kubernetes-list-map-keys", Target::Texts),
    ("items", Target::SchemaOrSchemas), ("allOf", Target::Schemas), ("oneOf", Target::Schemas),
    ("anyOf", Target::Schemas), ("not", Target::Schema), ("properties", Target::SchemaMap),
    ("patternProperties", Target::SchemaMap), ("definitions", Target::SchemaMap),
    ("additionalProperties", Target::SchemaOrFlag), ("additionalItems", Target::SchemaOrFlag),
    ("dependencies", Target::Dependencies), ("externalDocs", Target::Docs),
    ("x-kubernetes-validations", Target::Rules),
];

/// The fields of an entry of `x-kubernetes-validations`.
const RULE_TARGETS: &[(&str, Target)] = &[
    ("rule", Target::Text),
    ("message", Target::Text),
    ("messageExpression", Target::Text),
    ("reason", Target::Text),
    ("fieldPath", Target::Text),
    ("optionalOldSelf", Target::Flag),
];

/// The server's words for the first value that cannot be read.
pub(crate) fn mistake(schema: &Value) -> Option<String> {
    node(schema, &SchemaPath::root("spec.versions.schema.openAPIV3Schema"), "CustomResourceValidation")
}

/// Adds the paths of keywords that the server drops with a warning. Lists and maps are decoded in two steps, and the inner
/// one drops without a warning.
pub(crate) fn unknown(schema: &Value, path: &str, paths: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let path = format!("{path}.{keyword}");
        let Some((_, target)) = TARGETS.iter().find(|(known, _)| known == keyword) else {
            if !matches!(keyword.as_str(), "default" | "example") {
                paths.push(path);
            }
            continue;
        };
        match target {
            Target::Schema => unknown(value, &path, paths),
            Target::Schemas => {
                for (index, branch) in value.as_array().into_iter().flatten().enumerate() {
                    unknown(branch, &format!("{path}[{index}]"), paths);
                }
            }
            Target::SchemaMap => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    unknown(schema, &format!("{path}.{name}"), paths);
                }
            }
            Target::Rules => {
                for (index, rule) in value.as_array().into_iter().flatten().enumerate() {
                    let names = rule.as_object().into_iter().flatten().map(|(name, _)| name);
                    let names = names.filter(|name| RULE_TARGETS.iter().all(|(known, _)| known != name));
                    paths.extend(names.map(|name| format!("{path}[{index}].{name}")));
                }
            }
            Target::Docs => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                let names = names.filter(|name| !matches!(name.as_str(), "description" | "url"));
                paths.extend(names.map(|name| format!("{path}.{name}")));
            }
            _ => {}
        }
    }
}

/// A schema as the server holds it: without keywords that it drops, and without those that equal none.
pub(crate) fn meaning(schema: &Value) -> Value {
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

fn target_of(keyword: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == keyword).map(|(_, target)| *target)
}

/// True if the [`meaning`]s of two schemas are equal, without computing them. The first difference decides.
pub(crate) fn have_same_meaning(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return meaning(one) == meaning(other);
    };
    let own = one.iter().all(|(keyword, value)| is_same_keyword(keyword, Some(value), other.get(keyword)));
    let mut others = other.iter().filter(|(keyword, _)| !one.contains_key(*keyword));
    own && others.all(|(keyword, value)| is_same_keyword(keyword, None, Some(value)))
}

fn is_same_keyword(keyword: &str, one: Option<&Value>, other: Option<&Value>) -> bool {
    match (target_of(keyword), one, other) {
        (
            Some(Target::Schema | Target::SchemaOrFlag | Target::SchemaOrSchemas),
            Some(one @ Value::Object(_)),
            Some(other @ Value::Object(_)),
        ) => have_same_meaning(one, other),
        (Some(Target::SchemaMap), Some(Value::Object(one)), Some(Value::Object(other))) => {
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
const POINTERS: &[&str] =
    &["$ref", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields"];

fn keyword_meaning(keyword: &str, value: &Value, target: Target) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    let each = |values: &Value| values.as_array().map(|all| all.iter().map(meaning).collect::<Value>());
    let meant = match target {
        Target::Schema | Target::SchemaOrFlag => return Some(meaning(value)),
        Target::SchemaOrSchemas => return Some(each(value).unwrap_or_else(|| meaning(value))),
        Target::Docs => return Some(value.clone()),
        Target::Float => return Some(value.as_f64().map_or_else(|| value.clone(), Value::from)),
        Target::Schemas => each(value).unwrap_or_else(|| value.clone()),
        Target::SchemaMap => {
            let mut members: Vec<_> = value.as_object().into_iter().flatten().collect();
            members.sort_by_key(|(name, _)| *name);
            members.into_iter().map(|(name, schema)| (name.clone(), meaning(schema))).collect()
        }
        Target::Rules => value.as_array().into_iter().flatten().map(rule_meaning).collect(),
        _ => value.clone(),
    };
    (POINTERS.contains(&keyword) || !crate::node::is_zero(&meant)).then_some(meant)
}

fn rule_meaning(rule: &Value) -> Value {
    let fields = RULE_TARGETS.iter().filter_map(|(name, _)| {
        let value = rule.get(name)?;
        let counts = *name == "reason" || !(value.is_null() || value.as_str().is_some_and(str::is_empty));
        counts.then(|| ((*name).to_owned(), value.clone()))
    });
    Value::Object(fields.collect())
}

fn node(schema: &Value, path: &SchemaPath<'_>, owner: &str) -> Option<String> {
    let Some(keywords) = schema.as_object() else {
        return refuse(schema, owner, path, "v1.JSONSchemaProps");
    };
    keywords.iter().find_map(|(keyword, value)| {
        let (_, target) = TARGETS.iter().find(|(known, _)| known == keyword)?;
        keyword_value(value, *target, &path.join(Step::Keyword(keyword)))
    })
}

fn keyword_value(value: &Value, target: Target, path: &SchemaPath<'_>) -> Option<String> {
    const OWNER: &str = "JSONSchemaProps";
    if value.is_null() {
        return None;
    }
    let each =
        |values: &Value| values.as_array().and_then(|all| all.iter().find_map(|one| node(one, path, OWNER)));
    let every = |values: &Value| {
        values.as_object().and_then(|all| all.values().find_map(|one| node(one, path, OWNER)))
    };
    match (target, value) {
        (Target::Schemas | Target::SchemaOrSchemas, Value::Array(_)) => each(value),
        (Target::SchemaMap, Value::Object(_)) => every(value),
        (Target::Schema | Target::SchemaOrFlag | Target::SchemaOrSchemas, Value::Object(_)) => {
            node(value, path, OWNER)
        }
        (Target::SchemaOrFlag, Value::Bool(_))
        | (Target::SchemaOrSchemas, _)
        | (Target::Values, Value::Array(_))
        | (Target::Docs | Target::Dependencies, Value::Object(_)) => None,
        (Target::SchemaOrFlag, _) => Some("boolean or JSON schema expected".to_owned()),
        (Target::Rules, Value::Array(entries)) => entries.iter().find_map(|entry| rule(entry, path)),
        (Target::Texts, Value::Array(texts)) => {
            texts.iter().find_map(|text| scalar(text, Target::Text, OWNER, path))
        }
        _ => scalar(value, target, OWNER, path),
    }
}

fn rule(entry: &Value, path: &SchemaPath<'_>) -> Option<String> {
    // Lists and maps are read in two steps, and the outer one puts its own name before the field.
    let text = path.to_string();
    let in_steps = text.contains(".items") || text.contains(".additionalProperties");
    let owner = if in_steps { "JSONSchemaProps" } else { "ValidationRule" };
    let Some(fields) = entry.as_object() else {
        return refuse(entry, "JSONSchemaProps", path, "v1.ValidationRule");
    };
    fields.iter().filter(|(_, value)| !value.is_null()).find_map(|(field, value)| {
        let (_, target) = RULE_TARGETS.iter().find(|(known, _)| known == field)?;
        scalar(value, *target, owner, &path.join(Step::Keyword(field)))
    })
}

fn scalar(value: &Value, target: Target, owner: &str, path: &SchemaPath<'_>) -> Option<String> {
    let fits = match target {
        Target::Text => value.is_string() || value.is_null(),
        Target::Flag => value.is_boolean(),
        Target::Float => value.is_number(),
        Target::Whole => value.is_i64(),
        _ => false,
    };
    if fits { None } else { refuse(value, owner, path, name(target)) }
}

/// Returns the server's name for a target.
fn name(target: Target) -> &'static str {
    match target {
        Target::Text => "string",
        Target::Flag => "bool",
        Target::Float => "float64",
        Target::Whole => "int64",
        Target::Texts => "[]string",
        Target::Values => "[]v1.JSON",
        Target::Schema | Target::SchemaOrFlag | Target::SchemaOrSchemas => "v1.JSONSchemaProps",
        Target::Schemas => "[]v1.JSONSchemaProps",
        Target::SchemaMap => "map[string]v1.JSONSchemaProps",
        Target::Rules => "v1.ValidationRules",
        Target::Docs => "v1.ExternalDocumentation",
        Target::Dependencies => "v1.JSONSchemaDependencies",
    }
}

fn refuse(value: &Value, owner: &str, path: &SchemaPath<'_>, target: &str) -> Option<String> {
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
                let expected = meaning(one) == meaning(other);
                assert_eq!(have_same_meaning(one, other), expected, "{one} and {other}");
                same += usize::from(expected);
            }
        }
        assert!(same > schemas.len() && same < schemas.len() * schemas.len());
    }
}
