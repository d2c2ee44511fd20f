//! Objects of requests on which the expressions of a policy differ.

use kvrules_apiserver::object::ValueSchema;
use kvrules_apiserver::policy::Request;
use kvrules_crd::RunResources;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom, values_below};
use serde_json::{Map, Value, json};

use super::object_types::ObjectType;
use super::read_paths::{ReadPath, ReadPaths};

/// Number of values of other fields that are tried for a field.
const TRIES: usize = 6;

/// Makes objects of one resource with the fields that expressions read.
pub(super) struct PolicyObjects<'p> {
    schema: Value,
    /// The type, if it is known.
    kind: Option<ObjectType>,
    /// Values of all fields: where two fields are compared, the values of one are those of the other.
    common: Vec<Value>,
    paths: &'p ReadPaths,
    chance: PseudoRandom,
    head: Map<String, Value>,
}

impl<'p> PolicyObjects<'p> {
    /// The objects of a request's resource: of a known type by its schema, else with types by the constants of comparisons.
    pub(super) fn new(request: &Request, paths: &'p ReadPaths, run: &RunResources) -> Self {
        let kind = ObjectType::of_request(request, paths, run);
        let (api, name) = match &kind {
            Some(known) => (known.api_version.clone(), known.kind.clone()),
            None if request.group.is_empty() => (request.version.clone(), "Example".to_owned()),
            None => (format!("{}/{}", request.group, request.version), "Example".to_owned()),
        };
        let head = [("apiVersion", json!(api)), ("kind", json!(name))];
        let schema = kind.as_ref().map_or_else(|| inferred_schema(paths), |known| known.schema.clone());
        let mut common: Vec<Value> = Vec::new();
        for path in paths.constants.values() {
            let near = near_values(node_of(&schema, &path.steps));
            let new = path.values.iter().cloned().chain(near).filter(|value| !common.contains(value));
            common.extend(new.collect::<Vec<_>>());
        }
        Self {
            schema,
            kind,
            common,
            paths,
            chance: PseudoRandom::new(),
            head: head.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    /// True if the type of the objects is known.
    pub(super) fn is_typed(&self) -> bool {
        self.kind.is_some()
    }

    /// True if objects of the type can be in a namespace, or cannot.
    pub(super) fn fits_scope(&self, namespace: &str) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind.is_namespaced != namespace.is_empty())
    }

    /// The object as policies see it, if a server takes it in place of `stored`.
    pub(super) fn admitted(&self, object: Value, stored: Option<&Value>) -> Option<Value> {
        match &self.kind {
            Some(kind) => kind.admitted(&object, stored),
            None => Some(object),
        }
    }

    /// The `number`th object with this metadata; the first have little in them.
    pub(super) fn make_object(&mut self, number: usize, metadata: &Map<String, Value>) -> Value {
        let mut object = ObjectGenerator::new(&self.schema).generate_valid(number);
        let paths: Vec<&ReadPath> = self.paths.constants.values().collect();
        for path in paths {
            match self.chance.number_below(6) {
                0 | 1 => {}
                2 => _ = set_value(&mut object, &self.schema, &path.steps, None),
                _ => {
                    let node = node_of(&self.schema, &path.steps);
                    let allowed = node.map(ValueSchema::new);
                    let fits =
                        |value: &&Value| allowed.as_ref().is_some_and(|schema| schema.allows_value(value));
                    let values: Vec<&Value> = match self.chance.number_below(3) {
                        0 => (0..TRIES)
                            .filter_map(|_| self.chance.choose_one(&self.common))
                            .filter(fits)
                            .collect(),
                        _ => path.values.iter().filter(fits).collect(),
                    };
                    let made = node
                        .map(|node| ObjectGenerator::new(node).generate_valid(self.chance.number_below(60)));
                    let value = self.chance.choose_one(&values).map(|value| (*value).clone()).or(made);
                    _ = set_value(&mut object, &self.schema, &path.steps, value);
                }
            }
        }
        let mut fields = self.head.clone();
        fields.extend(object.as_object().cloned().unwrap_or_default());
        fields.extend(self.head.clone());
        let mut all = metadata.clone();
        let labels = all.remove("labels");
        let mut own = fields.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(Value::Object(labels)) = labels {
            let known = own.entry("labels").or_insert_with(|| json!({}));
            if let Some(known) = known.as_object_mut() {
                known.extend(labels);
            }
        }
        own.extend(all);
        fields.insert("metadata".to_owned(), Value::Object(own));
        Value::Object(fields)
    }
}

/// A schema of the fields that expressions read, each with the type of what it is compared with.
fn inferred_schema(paths: &ReadPaths) -> Value {
    let mut schema = json!({"type": "object", "properties": {}});
    for path in paths.constants.values() {
        let kind = path.values.iter().find_map(|value| match value {
            Value::String(_) => Some("string"),
            Value::Number(_) => Some("integer"),
            Value::Bool(_) => Some("boolean"),
            _ => None,
        });
        declare(&mut schema, &path.steps, kind);
    }
    schema
}

fn declare(node: &mut Value, steps: &[PlaceStep], kind: Option<&str>) {
    let Some(fields) = node.as_object_mut() else { return };
    match steps.split_first() {
        None => {
            if !fields.contains_key("properties") && !fields.contains_key("items") {
                fields.insert("type".to_owned(), kind.unwrap_or("string").into());
            }
        }
        Some((PlaceStep::Field(name), rest)) => {
            fields.insert("type".to_owned(), "object".into());
            let properties = fields.entry("properties").or_insert_with(|| json!({}));
            if let Some(properties) = properties.as_object_mut() {
                declare(properties.entry(name.clone()).or_insert_with(|| json!({})), rest, kind);
            }
        }
        Some((PlaceStep::Any, rest)) => {
            fields.insert("type".to_owned(), "array".into());
            declare(fields.entry("items").or_insert_with(|| json!({})), rest, kind);
        }
    }
}

/// A few values that many fields may have, and those at the bounds of a field.
fn near_values(node: Option<&Value>) -> Vec<Value> {
    let bounds = ["minimum", "maximum"].iter().filter_map(|key| node?.get(*key)?.as_i64());
    let numbers = [0, 1, 2]
        .into_iter()
        .chain(bounds.flat_map(|bound| [bound.saturating_sub(1), bound, bound.saturating_add(1)]));
    numbers
        .map(Value::from)
        .chain(["a", "b"].map(Value::from))
        .chain([true, false].map(Value::from))
        .collect()
}

fn node_of<'s>(schema: &'s Value, steps: &[PlaceStep]) -> Option<&'s Value> {
    steps.iter().try_fold(schema, |node, step| below(node, step))
}

fn below<'s>(node: &'s Value, step: &PlaceStep) -> Option<&'s Value> {
    match step {
        PlaceStep::Field(name) => {
            node.get("properties").and_then(|all| all.get(name)).or_else(|| node.get("additionalProperties"))
        }
        PlaceStep::Any => values_below(node),
    }
}

/// Sets the value at the end of some steps, or takes it away.
fn set_value(object: &mut Value, schema: &Value, steps: &[PlaceStep], value: Option<Value>) -> Option<()> {
    let (step, rest) = steps.split_first()?;
    let node = below(schema, step)?;
    match step {
        PlaceStep::Field(name) => {
            if !object.is_object() {
                *object = json!({});
            }
            let fields = object.as_object_mut()?;
            match (rest.is_empty(), value) {
                (true, Some(value)) => _ = fields.insert(name.clone(), value),
                (true, None) => _ = fields.shift_remove(name),
                (false, None) if !fields.contains_key(name) => {}
                (false, value) => {
                    set_value(fields.entry(name.clone()).or_insert_with(|| json!({})), node, rest, value)?;
                }
            }
        }
        PlaceStep::Any => {
            if !object.is_array() {
                *object = json!([]);
            }
            let items = object.as_array_mut()?;
            match (rest.is_empty(), value) {
                (true, Some(value)) => items.push(value),
                (true, None) => _ = items.pop(),
                (false, value) => {
                    if items.is_empty() {
                        items.push(json!({}));
                    }
                    set_value(items.last_mut()?, node, rest, value)?;
                }
            }
        }
    }
    Some(())
}
