//! A structural schema drawn from rules alone: the fields that they refer to, and room for all others.

use std::collections::{BTreeMap, BTreeSet};

use kvrules_ir::{ElaboratedRule, ElaboratedSet, Place, PlaceStep, Presence, Selector, Subject, ValueType};
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value, json};

use super::path::{NodePath, Segment};
use super::rebase::{leads_to, reached_nodes};
use super::schema::StructuralSchema;

/// The schema of the objects that a rule set is about.
///
/// Fields that every valid object spells out are required, since rules below them are not run where they are missing.
/// Everything that is not mentioned is preserved as it is.
pub(super) fn outline_schema(set: &ElaboratedSet, subject: &Subject) -> StructuralSchema {
    let mut root = NodeOutline::default();
    let of_every_object =
        [("apiVersion", ValueType::String), ("kind", ValueType::String), ("metadata", ValueType::Object)];
    for (name, value_type) in of_every_object {
        root.child_outline(&Segment::Field(name.to_owned())).value_type = Some(value_type);
    }
    let start: Vec<_> = subject.root_steps().iter().map(|name| Segment::Field((*name).to_owned())).collect();
    root.at(&start);
    for rule in &set.rules {
        root.add_rule(rule);
    }
    let mut value = root.object();
    // The server accepts no schema for an object's own metadata other than `type: object`.
    if let Some(properties) = value.get_mut("properties") {
        properties["metadata"] = json!({ "type": "object" });
    }
    StructuralSchema { value, shared: BTreeSet::new() }
}

/// Known types and fields of a node.
#[derive(Debug, Default)]
struct NodeOutline {
    value_type: Option<ValueType>,
    /// By name, with whether they are required.
    fields: BTreeMap<String, (bool, NodeOutline)>,
    items: Option<Box<NodeOutline>>,
    values: Option<Box<NodeOutline>>,
}

impl NodeOutline {
    fn add_rule(&mut self, rule: &ElaboratedRule) {
        for (node, place) in reached_nodes(&rule.predicate, &NodePath::default()) {
            self.add(&node, &place);
        }
        let requirement = &rule.requirement;
        for selector in [Some(&requirement.subject), requirement.guard.as_ref()].into_iter().flatten() {
            self.select(selector);
        }
    }

    /// Adds the places of a path, which give the types of elements that the predicate does not look into.
    fn select(&mut self, selector: &Selector) {
        let mut around = vec![NodePath::default()];
        for list in &selector.lists {
            let node = leads_to(list, &around);
            self.add(&node, list);
            around.push(node.child_path(Segment::Items));
        }
        self.add(&leads_to(&selector.leaf, &around), &selector.leaf);
    }

    /// Adds a place that leads to a node.
    fn add(&mut self, node: &NodePath, place: &Place) {
        let (start, _) = node.0.split_at_checked(node.0.len() - place.steps.len()).unwrap_or_default();
        let mut at = self.at(start);
        for step in &place.steps {
            at = at.step(step);
        }
        at.value_type = at.value_type.or(Some(place.value_type));
    }

    fn step(&mut self, step: &PlaceStep) -> &mut Self {
        match step {
            PlaceStep::Field { name, presence } => {
                let (required, field) = self.fields.entry(name.clone()).or_default();
                *required |= *presence == Presence::Required;
                field
            }
            PlaceStep::Key(_) => self.child_outline(&Segment::Values),
            PlaceStep::Item(_) => self.child_outline(&Segment::Items),
        }
    }

    /// The node one step below, which is there from now on.
    fn child_outline(&mut self, segment: &Segment) -> &mut Self {
        match segment {
            Segment::Items => self.items.get_or_insert_default(),
            Segment::Values => self.values.get_or_insert_default(),
            Segment::Field(name) => &mut self.fields.entry(name.clone()).or_default().1,
        }
    }

    fn at(&mut self, node: &[Segment]) -> &mut Self {
        node.iter().fold(self, |node, segment| node.child_outline(segment))
    }

    fn value(&self) -> Value {
        if let Some(items) = &self.items {
            return json!({ "type": "array", "items": items.value() });
        }
        if let Some(values) = &self.values {
            return json!({ "type": "object", "additionalProperties": values.value() });
        }
        if !self.fields.is_empty() {
            return self.object();
        }
        match self.value_type {
            Some(ValueType::Integer) => json!({ "type": "integer" }),
            Some(ValueType::Number) => json!({ "type": "number" }),
            Some(ValueType::String) => json!({ "type": "string" }),
            Some(ValueType::Time) => json!({ "type": "string", "format": "date-time" }),
            Some(ValueType::Boolean) => json!({ "type": "boolean" }),
            Some(ValueType::Quantity | ValueType::IntOrString) => json!({
                "anyOf": [{ "type": "integer" }, { "type": "string" }],
                INT_OR_STRING: true,
            }),
            Some(ValueType::Object | ValueType::Map) => self.object(),
            Some(ValueType::List) => json!({ "type": "array", "items": open_schema() }),
            Some(ValueType::Any) | None => open_schema(),
        }
    }

    fn object(&self) -> Value {
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("object"));
        object.insert(PRESERVE_UNKNOWN_FIELDS.to_owned(), json!(true));
        let required = self.fields.iter().filter(|(_, (required, _))| *required).map(|(name, _)| name);
        let required: Vec<_> = required.collect();
        if !required.is_empty() {
            object.insert("required".to_owned(), json!(required));
        }
        if !self.fields.is_empty() {
            let fields = self.fields.iter().map(|(name, (_, field))| (name.clone(), field.value()));
            object.insert("properties".to_owned(), Value::Object(fields.collect()));
        }
        Value::Object(object)
    }
}

/// A value of any type, of which rules see nothing.
fn open_schema() -> Value {
    json!({ PRESERVE_UNKNOWN_FIELDS: true })
}
