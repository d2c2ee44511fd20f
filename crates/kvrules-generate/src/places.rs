//! Places of errors in one form: fields with dots, items and keys as `[*]`.

use kvrules_apiserver::crd::{Failure, NOWHERE};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Map, Value};

/// A place in an object that one side rejects.
#[derive(Clone, Debug)]
pub struct RefusedPlace {
    /// The place, such as `spec.ports[*].name`.
    pub place: String,
    /// True if the reason may be a value below it.
    pub is_around: bool,
    /// True if it has too many items or fields.
    pub has_too_many: bool,
}

impl RefusedPlace {
    /// The place of a failure. Those of alternatives have no field: the server names the place in the text.
    // kube-openapi validate/schema_props.go, (*schemaPropsValidator).Validate
    pub fn of_failure(failure: &Failure, schema: &Value) -> Self {
        let named = failure.detail.trim_start_matches('"').split(['"', ' ']).next();
        let named = named.filter(|_| failure.field == NOWHERE);
        Self {
            place: normalize_field(named.unwrap_or(&failure.field), schema),
            is_around: named.is_some(),
            has_too_many: failure.reason == "FieldValueTooMany",
        }
    }
}

/// The place that a server names: `spec.ports[0].name` becomes `spec.ports[*].name`, and so does the key of a map, which some
/// messages write behind a dot.
fn normalize_field(field: &str, schema: &Value) -> String {
    let (mut place, mut rest, mut node) = (String::new(), field.trim_start_matches('.'), Some(schema));
    while !rest.is_empty() {
        let named = rest.trim_start_matches('.');
        let property = node.and_then(|node| property_at(node, named));
        if let (Some((name, child)), false) = (property, rest.starts_with('[')) {
            place.push_str(if place.is_empty() { "" } else { "." });
            place.push_str(name);
            (node, rest) = (Some(child), named.get(name.len()..).unwrap_or_default());
            continue;
        }
        let below = node.and_then(values_below);
        if rest.starts_with('[') || below.is_some() {
            place.push_str("[*]");
        } else {
            // A field that the schema does not name.
            place.push('.');
            place.push_str(named.split(['.', '[']).next().unwrap_or_default());
        }
        rest = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']').map_or("", |(_, behind)| behind),
            None => named.find(['.', '[']).and_then(|end| named.get(end..)).unwrap_or_default(),
        };
        node = below;
    }
    place
}

/// The property of a schema with which a text begins; names may have dots.
fn property_at<'s>(node: &'s Value, text: &str) -> Option<(&'s String, &'s Value)> {
    let is_named = |name: &str| {
        text.strip_prefix(name).is_some_and(|behind| behind.is_empty() || behind.starts_with(['.', '[']))
    };
    let properties = node.get("properties").and_then(Value::as_object)?;
    properties.iter().filter(|(name, _)| is_named(name)).max_by_key(|(name, _)| name.len())
}

/// The place of a JSON pointer into an object of a schema.
pub fn place_of_pointer(pointer: &str, schema: &Value) -> String {
    let mut place = String::new();
    let mut node = Some(schema);
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let property =
            node.and_then(|node| node.get("properties")).and_then(|properties| properties.get(&name));
        if property.is_some() {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(&name);
            node = property;
        } else {
            place.push_str("[*]");
            node = node.and_then(|node| node.get("items").or_else(|| node.get("additionalProperties")));
        }
    }
    place
}

/// A step from a value to one below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PlaceStep {
    /// A field of an object.
    Field(String),
    /// An item of a list, or the value of a key of a map.
    Any,
}

/// The steps to a place such as `spec.ports[*].name` in a schema; `None` if the schema does not have it. Names may have dots.
pub fn parse_place(place: &str, schema: &Value) -> Option<Vec<PlaceStep>> {
    let (mut steps, mut rest, mut node) = (Vec::new(), place, schema);
    while !rest.is_empty() {
        if let Some(below) = rest.strip_prefix("[*]") {
            node = values_below(node)?;
            steps.push(PlaceStep::Any);
            rest = below;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let (name, child) = property_at(node, rest)?;
        steps.push(PlaceStep::Field(name.clone()));
        (node, rest) = (child, rest.get(name.len()..)?);
    }
    Some(steps)
}

/// Returns the steps to a field such as `spec.containers[*].resources`, whose names have no dots.
///
/// ```
/// use kvrules_generate::{PlaceStep, field_steps, place_text};
///
/// let steps = field_steps("spec.containers[*].resources");
/// assert_eq!((steps.len(), place_text(&steps).as_str()), (4, "spec.containers[*].resources"));
/// assert!(field_steps("").is_empty());
/// ```
pub fn field_steps(path: &str) -> Vec<PlaceStep> {
    let names = path.split('.').filter(|name| !name.is_empty());
    let steps = names.flat_map(|name| {
        let field = name.trim_end_matches("[*]");
        let items = name.get(field.len()..).unwrap_or_default().len() / "[*]".len();
        std::iter::once(PlaceStep::Field(field.to_owned())).chain(std::iter::repeat_n(PlaceStep::Any, items))
    });
    steps.collect()
}

/// The schema of the items of a list, or of the values of a map.
pub fn values_below(node: &Value) -> Option<&Value> {
    node.get("items").or_else(|| node.get("additionalProperties")).filter(|below| below.is_object())
}

/// Returns the schema of the values at a place of another; `None` if it does not have the place.
///
/// ```
/// use kvrules_generate::{parse_place, schema_at_place};
/// use serde_json::json;
///
/// let schema = json!({"properties": {"ports": {"items": {"properties": {"name": {"type": "string"}}}}}});
/// let place = parse_place("ports[*].name", &schema).unwrap();
/// assert_eq!(schema_at_place(&schema, &place), Some(&json!({"type": "string"})));
/// ```
pub fn schema_at_place<'s>(schema: &'s Value, place: &[PlaceStep]) -> Option<&'s Value> {
    place.iter().try_fold(schema, |node, step| match step {
        PlaceStep::Field(name) => node.get("properties")?.get(name),
        PlaceStep::Any => values_below(node),
    })
}

/// As [`schema_at_place`], to change the schema.
pub fn schema_at_place_mut<'s>(schema: &'s mut Value, place: &[PlaceStep]) -> Option<&'s mut Value> {
    place.iter().try_fold(schema, |node, step| match step {
        PlaceStep::Field(name) => node.get_mut("properties")?.get_mut(name),
        PlaceStep::Any => {
            let keyword = if node.get("items").is_some() { "items" } else { "additionalProperties" };
            node.get_mut(keyword)
        }
    })
}

/// Returns a schema without its rules in CEL.
///
/// ```
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "true"}]});
/// assert_eq!(kvrules_generate::without_rules(&schema), json!({"type": "object"}));
/// ```
pub fn without_rules(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut kept = Map::new();
    for (keyword, value) in fields {
        let value = match keyword.as_str() {
            VALIDATIONS if value.is_array() => continue,
            "properties" => match value {
                Value::Object(properties) => {
                    properties.iter().map(|(name, below)| (name.clone(), without_rules(below))).collect()
                }
                other => other.clone(),
            },
            "items" | "additionalProperties" => without_rules(value),
            _ => value.clone(),
        };
        kept.insert(keyword.clone(), value);
    }
    Value::Object(kept)
}

/// Returns the path of a place in a schema as a server names it: `properties[spec].items`.
pub fn server_path(schema: &Value, place: &[PlaceStep]) -> String {
    let mut node = schema;
    let mut parts = Vec::new();
    for step in place {
        match step {
            PlaceStep::Field(name) => {
                parts.push(format!("properties[{name}]"));
                node = node.get("properties").and_then(|fields| fields.get(name)).unwrap_or(&Value::Null);
            }
            PlaceStep::Any => {
                parts.push(
                    if node.get("items").is_some() { "items" } else { "additionalProperties" }.to_owned(),
                );
                node = values_below(node).unwrap_or(&Value::Null);
            }
        }
    }
    parts.join(".")
}

/// The steps to every place of a schema, except for those in metadata and within branches.
pub fn all_places(schema: &Value) -> Vec<Vec<PlaceStep>> {
    let mut places = Vec::new();
    collect_places(schema, &mut Vec::new(), &mut places);
    let head = ["apiVersion", "kind", "metadata"].map(|name| PlaceStep::Field(name.to_owned()));
    places.retain(|steps| steps.first().is_some_and(|first| !head.contains(first)));
    places
}

fn collect_places(node: &Value, steps: &mut Vec<PlaceStep>, places: &mut Vec<Vec<PlaceStep>>) {
    places.push(steps.clone());
    for (name, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        steps.push(PlaceStep::Field(name.clone()));
        collect_places(child, steps, places);
        steps.pop();
    }
    if let Some(below) = values_below(node) {
        steps.push(PlaceStep::Any);
        collect_places(below, steps, places);
        steps.pop();
    }
}

/// The text of a place.
pub fn place_text(steps: &[PlaceStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PlaceStep::Field(name) if text.is_empty() => text.push_str(name),
            PlaceStep::Field(name) => text.extend([".", name.as_str()]),
            PlaceStep::Any => text.push_str("[*]"),
        }
    }
    text
}
