//! The JSON Schema of RuleSets, for editors.

use serde_json::{Map, Value as Json, json};

use crate::compared::ComparedAs;
use crate::conditions::CONNECTIVES;
use crate::rule_reader::known_reasons;
use crate::rule_set::RuleSeverity;
use crate::words::WORDS;

/// Returns the JSON Schema of RuleSets, draft 2020-12, in which every word has its description.
///
/// ```
/// let schema = kvrules_rule_set::rule_set_schema();
/// assert_eq!(schema["properties"]["kind"]["const"], "RuleSet");
/// ```
pub fn rule_set_schema() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "RuleSet of kvrules",
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "additionalProperties": false,
        "properties": {
            "apiVersion": {"const": "kvrules.dev/v1alpha1"},
            "kind": {"const": "RuleSet"},
            "metadata": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": false,
                "properties": {
                    "name": {"type": "string", "description": "Name of the RuleSet, and of the files and policies that it becomes."},
                    "labels": {"type": "object"},
                    "annotations": {"type": "object"},
                },
            },
            "spec": spec_schema(),
        },
        "$defs": {"condition": condition_schema()},
    })
}

fn spec_schema() -> Json {
    json!({
        "type": "object",
        "required": ["subject"],
        "anyOf": [{"required": ["rules"]}, {"required": ["include"]}],
        "additionalProperties": false,
        "properties": {
            "subject": {
                "description": "The objects that the rules are about: of a kind, of any kind (`any`), or documents of a schema.",
                "oneOf": [{"const": "any", "description": "Objects of any kind."}, {
                    "type": "object",
                    "anyOf": [{"required": ["apiVersion", "kind"]}, {"required": ["schema"]}],
                    "dependentRequired": {"component": ["schema"], "apiVersion": ["kind"], "kind": ["apiVersion"]},
                    "additionalProperties": false,
                    "properties": {
                        "apiVersion": {"type": "string", "description": "Such as `apps/v1`."},
                        "kind": {"type": "string", "description": "Such as `Deployment`."},
                        "schema": {"type": "string", "description": "File with the CustomResourceDefinition of the kind, a JSON Schema or an OpenAPI document, from the folder of this file."},
                        "component": {"type": "string", "minLength": 1, "description": "Name of the schema in a file with several, or a JSON pointer to it."},
                    },
                }],
            },
            "match": match_schema(),
            "parameters": parameters_schema(),
            "parametersFrom": {
                "description": "The object of the cluster from which policies read the parameters: by default a ConfigMap.",
                "type": "object", "required": ["name"], "additionalProperties": false,
                "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "name": {"type": "string"},
                    "namespace": {"type": "string", "description": "Without it, the namespace of the object that is evaluated."}},
            },
            "include": {
                "description": "Other RuleSet files, whose rules are about this subject.",
                "type": "array",
                "items": {"type": "object", "required": ["file"], "additionalProperties": false, "properties": {
                    "file": {"type": "string", "description": "The file, from the folder of this one."},
                    "under": {"type": "string", "description": "Path that all paths of its rules start from, such as `spec.template`."},
                    "namePrefix": {"type": "string", "description": "Start of the names of its rules."},
                }},
            },
            "rules": {"type": "array", "minItems": 1, "items": rule_schema()},
            "examples": {
                "description": "Objects with the verdict that is expected of them. `kvrules check` and `kvrules test` compare.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "accept": {"type": "array", "items": example_schema(true)},
                    "reject": {"type": "array", "items": example_schema(false)},
                },
            },
        },
    })
}

fn parameters_schema() -> Json {
    json!({
        "description": "Values that `$(name)` stands for in limits and choices of rules.",
        "type": "object",
        "propertyNames": {"pattern": "^[a-zA-Z][a-zA-Z0-9-]*$"},
        "additionalProperties": {"type": "object", "required": ["type"], "additionalProperties": false, "properties": {
            "type": {"enum": ["integer", "number", "string"]},
            "default": {"type": ["number", "string"]},
            "description": {"type": "string"},
        }},
    })
}

fn match_schema() -> Json {
    let values = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
    let requirement = json!({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        "properties": {"notIn": values, "exists": {"type": "boolean"}}});
    let labels = json!({"type": "object", "minProperties": 1, "additionalProperties": {"anyOf": [{"type": "string"}, values, requirement]}});
    let names = |description: &str| json!({"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}, "description": description});
    json!({
        "description": "The objects and requests that are evaluated. Policies alone can select; other targets say so.",
        "type": "object",
        "minProperties": 1,
        "additionalProperties": false,
        "properties": {
            "namespaces": {
                "description": "Objects in namespaces with one of these names, or with all of these labels.",
                "anyOf": [
                    names("Names of namespaces."),
                    {"type": "object", "minProperties": 1, "additionalProperties": false,
                        "properties": {"names": names("Names of namespaces."), "labels": labels}},
                ],
            },
            "exceptNamespaces": names("No objects in namespaces with one of these names."),
            "labels": {"allOf": [labels], "description": "Objects with all of these labels, before or after the request: a value, one of several, `{notIn: […]}`, `{exists: true}`."},
            "resources": names("Resources with their group, such as `deployments.apps`, `services` or `*.batch`, for the subject `any`; without it, all."),
            "operations": {"type": "array", "minItems": 1, "items": {"enum": ["CREATE", "UPDATE"]},
                "description": "Requests with one of these operations; without it, creations and updates."},
            "users": names("Requests of these users."),
            "groups": names("Requests of members of these groups."),
            "exceptUsers": names("No requests of these users."),
            "exceptGroups": names("No requests of members of these groups."),
        },
    })
}

fn example_schema(is_accepted: bool) -> Json {
    let mut properties = json!({
        "name": {"type": "string"},
        "object": {"type": "object", "description": "The object, or the part of it that rules are about."},
        "old": {"type": "object", "description": "The stored object, for an update."},
    });
    if let Some(fields) = properties.as_object_mut().filter(|_| !is_accepted) {
        let violates = json!({"type": "array", "items": {"type": "string"}, "description": "Names of the rules that it violates."});
        fields.insert("violates".to_owned(), violates);
        let messages = json!({"type": "array", "items": {"type": "string", "minLength": 1}, "description": "Parts of messages of the violated rules."});
        fields.insert("messages".to_owned(), messages);
    }
    let whole = json!({"type": "object", "required": ["object"], "additionalProperties": false, "properties": properties});
    // An object by itself is an example, too.
    json!({"type": "object", "if": {"required": ["object"]}, "then": whole})
}

fn rule_schema() -> Json {
    let severities: Vec<_> = RuleSeverity::ALL.iter().map(|(name, _)| *name).collect();
    let mut properties = word_schemas(true);
    let others = json!({
        "name": {"type": "string", "description": "Name of the rule; no other rule of the set has it."},
        "each": {"type": "string", "description": "Value, or items of a list or values of a map, that the rule is about, such as `spec.ports[*]`. Other paths start from it."},
        "when": {"$ref": "#/$defs/condition", "description": "The rule applies only if this holds."},
        "message": {"type": "string", "maxLength": 2048, "description": "Text for users whose object violates the rule, with `{value}`, `{limit}` and `{path}` in place of these; `\\{` is a brace."},
        "reason": {"enum": known_reasons(), "description": "The kind of error that a definition reports."},
        "severity": {"enum": severities, "default": "error", "description": "What happens to an object that violates the rule."},
    });
    if let Json::Object(others) = others {
        properties.extend(others);
    }
    properties.extend(joining_schemas(true));
    json!({"type": "object", "required": ["name"], "additionalProperties": false, "properties": properties})
}

/// The schema of `path` and the words.
fn word_schemas(is_rule: bool) -> Map<String, Json> {
    let mut properties = Map::new();
    let path = "Path such as `spec.ports[*].name` or `metadata.labels[\"app.kubernetes.io/name\"]`.";
    properties.insert("path".to_owned(), json!({"type": "string", "description": path}));
    let names = ComparedAs::NAMES.map(|(name, _)| name);
    let of_values = "How words that compare two paths read strings, if the schema does not say it.";
    properties.insert("as".to_owned(), json!({"enum": names, "description": of_values}));
    for word in WORDS.iter().filter(|word| is_rule || word.is_of_conditions()) {
        let mut schema = (word.schema)();
        if let Some(keywords) = schema.as_object_mut() {
            keywords.insert("description".to_owned(), format!("Holds if {}.", word.summary).into());
        }
        properties.insert(word.name.to_owned(), schema);
    }
    properties
}

fn condition_schema() -> Json {
    let list = json!({"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/condition"}});
    let quantifiers = quantifier_schemas();
    // A connective stands alone, but for the list of whose items it speaks.
    let joined = CONNECTIVES.iter().map(|name| {
        let mut properties = quantifiers.clone();
        properties.insert((*name).to_owned(), connective_schema(name));
        json!({"type": "object", "required": [name], "additionalProperties": false, "properties": properties})
    });
    let mut words = word_schemas(false);
    words.extend(quantifiers.clone());
    let words = json!({"type": "object", "minProperties": 1, "additionalProperties": false, "properties": words,
        "not": {"anyOf": [{"required": ["each", "some"]}, {"required": ["each", "count"]}, {"required": ["some", "count"]}]}});
    json!({"anyOf": std::iter::once(list).chain(joined).chain([words]).collect::<Vec<Json>>()})
}

/// The schemas of the keys that join conditions, and of those that name a list.
fn joining_schemas(is_rule: bool) -> Map<String, Json> {
    let mut schemas = quantifier_schemas();
    schemas.retain(|name, _| !(is_rule && name == "each"));
    schemas.extend(CONNECTIVES.iter().map(|name| ((*name).to_owned(), connective_schema(name))));
    schemas
}

fn connective_schema(name: &str) -> Json {
    let condition = json!({"$ref": "#/$defs/condition"});
    let (schema, holds) = match name {
        "all" => {
            (json!({"type": "array", "minItems": 1, "items": condition}), "all conditions of the list hold")
        }
        "any" => (
            json!({"type": "array", "minItems": 1, "items": condition}),
            "at least one condition of the list holds",
        ),
        _ => (condition, "the condition does not hold"),
    };
    described(schema, format!("Holds if {holds}. In conditions a word about an absent value does not hold."))
}

fn quantifier_schemas() -> Map<String, Json> {
    let items = json!({"type": "string", "pattern": "\\[\\*\\]$"});
    let count = json!({"type": "object", "required": ["of"], "anyOf": [{"required": ["min"]}, {"required": ["max"]}],
        "additionalProperties": false, "properties": {
            "of": items, "min": {"type": "integer", "minimum": 0}, "max": {"type": "integer", "minimum": 0},
    }});
    let of = "Items of a list or values of a map, such as `spec.ports[*]`, from which the paths of the other keys start;";
    Map::from_iter([
        ("each".to_owned(), described(items.clone(), format!("{of} they hold for each."))),
        ("some".to_owned(), described(items, format!("{of} they hold for at least one."))),
        (
            "count".to_owned(),
            described(count, "The number of items for which the other keys hold.".to_owned()),
        ),
    ])
}

fn described(mut schema: Json, description: String) -> Json {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert("description".to_owned(), description.into());
    }
    schema
}
