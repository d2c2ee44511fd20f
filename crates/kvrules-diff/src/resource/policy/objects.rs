//! Objects of requests on which the expressions of a policy differ.

use kvrules_apiserver::object::ValueSchema;
use kvrules_apiserver::policy::Request;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom, values_below};
use kvrules_kubernetes_types::{BuiltInResource, Minor, find_kind, find_resources, resolve_schema};
use serde_json::{Map, Value, json};

use super::read_paths::{ReadPath, ReadPaths};

/// Makes objects of one resource with the fields that expressions read.
pub(super) struct PolicyObjects<'p> {
    schema: Value,
    paths: &'p ReadPaths,
    chance: PseudoRandom,
    head: Map<String, Value>,
}

impl<'p> PolicyObjects<'p> {
    /// The objects of a request's resource: of a built-in type by its schema, else with types by the constants of comparisons.
    pub(super) fn new(request: &Request, paths: &'p ReadPaths) -> Self {
        let built_in = built_in_type(request);
        let schema = built_in.and_then(|it| {
            let mut minors = Minor::newest_first().filter(|minor| it.minors.contains(*minor));
            resolve_schema(minors.next()?, it, &|name| paths.has_name(name))
        });
        let (group, version) =
            built_in.map_or((&*request.group, &*request.version), |it| (it.group, it.version));
        let api = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let kind = built_in.map_or("Example", |it| it.kind);
        let head = [("apiVersion", json!(api)), ("kind", json!(kind))];
        Self {
            schema: schema.unwrap_or_else(|| inferred_schema(paths)),
            paths,
            chance: PseudoRandom::new(),
            head: head.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
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
                    let fits =
                        |value: &&Value| node.is_some_and(|node| ValueSchema::new(node).allows_value(value));
                    let values: Vec<&Value> = path.values.iter().filter(fits).collect();
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

/// The built-in type of the object of a request; what is written to a subresource has a type of its own.
fn built_in_type(request: &Request) -> Option<&'static BuiltInResource> {
    let is_own = |it: &&BuiltInResource| it.version == request.version && it.plural == request.resource;
    let resource = find_resources(&request.group).find(is_own)?;
    if request.subresource.is_empty() {
        return Some(resource);
    }
    let part = resource.subresources.iter().find(|part| part.name == request.subresource)?;
    let (api, kind) = part.kind.rsplit_once('/')?;
    let (group, version) = api.rsplit_once('/').unwrap_or(("", api));
    find_kind(Minor::NEWEST, group, version, kind)
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
