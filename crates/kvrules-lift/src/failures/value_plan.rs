//! A plan for a value: what it has to be, and what is in it.

use std::collections::HashMap;

use kvrules_generate::{ObjectGenerator, make_items_distinct, values_below};
use kvrules_ir::{Constant, VariableId};
use serde_json::{Map, Value as Json, json};

use crate::facts::{NumberRange, number_range};

/// The most items that a list is filled with.
const MOST_ITEMS: usize = 40;

/// A step from a value to one in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlanStep {
    /// A field, or a key that is written out.
    Field(String),
    /// The item with this number.
    Item(usize),
    /// An entry that a variable stands for.
    Entry(VariableId),
}

impl PlanStep {
    /// The schema at the end of the step.
    pub(super) fn schema_below<'s>(&self, node: &'s Json) -> Option<&'s Json> {
        let property = match self {
            Self::Field(name) => node.get("properties").and_then(|properties| properties.get(name)),
            Self::Item(_) | Self::Entry(_) => None,
        };
        property.or_else(|| values_below(node))
    }
}

/// A plan for a value.
#[derive(Clone, Debug, Default)]
pub(super) struct ValuePlan {
    pub(super) is_absent: bool,
    pub(super) value: Option<Json>,
    pub(super) excluded: Vec<Json>,
    /// Comparisons with constants: the constant, whether the value is on the left of `<`, and whether that holds.
    pub(super) bounds: Vec<(Constant, bool, bool)>,
    /// The same of its size; `None` for an equality.
    pub(super) sizes: Vec<(Constant, Option<bool>, bool)>,
    /// The type that it has to have, of several.
    kind: Option<&'static str>,
    below: Vec<(PlanStep, ValuePlan)>,
}

impl ValuePlan {
    /// The plan at the end of a step.
    pub(super) fn below(&mut self, step: PlanStep) -> &mut Self {
        let at = self.below.iter().position(|(known, _)| *known == step).unwrap_or(self.below.len());
        if at == self.below.len() {
            self.below.push((step, Self::default()));
        }
        #[expect(clippy::indexing_slicing, reason = "it is there or was pushed")]
        &mut self.below[at].1
    }

    /// Takes in that `type` is this type, or another one.
    pub(super) fn add_type(&mut self, name: &str, holds: bool) {
        self.kind = match (name, holds) {
            ("int", true) | ("string", false) => Some("integer"),
            ("string", true) | ("int", false) => Some("string"),
            _ => return,
        };
    }

    /// The value that is planned for a schema, made from another one if there is one. `None` if it is to be absent.
    pub(super) fn to_value(
        &self,
        schema: &Json,
        base: Option<Json>,
        keys: &HashMap<VariableId, String>,
    ) -> Option<Json> {
        if self.is_absent {
            return None;
        }
        if let Some(value) = &self.value {
            return Some(value.clone());
        }
        let least = || ObjectGenerator::new(schema).generate_with(&[], 0).unwrap_or_default();
        let mut value = base.unwrap_or_else(least);
        match &mut value {
            Json::Object(fields) => self.plan_fields(fields, schema, keys),
            Json::Array(items) => *items = self.to_items(std::mem::take(items), schema, keys),
            _ => value = self.to_scalar(value, schema),
        }
        Some(value)
    }

    fn plan_fields(&self, fields: &mut Map<String, Json>, schema: &Json, keys: &HashMap<VariableId, String>) {
        let mut unnamed = ["a", "b", "c", "d", "e", "f"].into_iter();
        for (step, plan) in &self.below {
            let key = match step {
                PlanStep::Field(name) => Some(name.clone()),
                PlanStep::Entry(variable) => {
                    keys.get(variable).cloned().or_else(|| unnamed.next().map(str::to_owned))
                }
                PlanStep::Item(_) => None,
            };
            let (Some(key), Some(node)) = (key, step.schema_below(schema)) else { continue };
            let made = plan.to_value(node, fields.remove(&key), keys);
            fields.extend(made.map(|value| (key, value)));
        }
        let (least, _) = self.size_of(schema);
        let values = schema.get("additionalProperties").filter(|node| node.is_object());
        for (node, number) in values.into_iter().flat_map(|node| (0..least).map(move |number| (node, number)))
        {
            if fields.len() < least {
                fields.insert(format!("key{number}"), ObjectGenerator::new(node).generate_valid(0));
            }
        }
    }

    fn to_items(&self, known: Vec<Json>, schema: &Json, keys: &HashMap<VariableId, String>) -> Vec<Json> {
        let (least, most) = self.size_of(schema);
        let Some(node) = values_below(schema) else { return known };
        if self.below.is_empty() && self.sizes.is_empty() {
            return known;
        }
        let mut known = known.into_iter();
        let mut items = Vec::new();
        let numbered = |number: usize| self.below.iter().find(|(step, _)| *step == PlanStep::Item(number));
        for number in 0.. {
            let Some((_, plan)) = numbered(number) else { break };
            items.extend(plan.to_value(node, known.next(), keys));
        }
        for (_, plan) in self.below.iter().filter(|(step, _)| matches!(step, PlanStep::Entry(_))) {
            items.extend(plan.to_value(node, known.next(), keys));
        }
        for number in items.len()..least {
            items.push(known.next().unwrap_or_else(|| ObjectGenerator::new(node).generate_valid(number * 5)));
        }
        items.truncate(most);
        make_items_distinct(&mut items, schema);
        items
    }

    /// The least and the greatest size.
    fn size_of(&self, schema: &Json) -> (usize, usize) {
        let keyword =
            |name: &str| schema.get(name).and_then(Json::as_u64).and_then(|it| usize::try_from(it).ok());
        let least = ["minItems", "minProperties", "minLength"].into_iter().find_map(keyword).unwrap_or(0);
        let (mut least, mut most) = (least, usize::MAX);
        let mut differs = Vec::new();
        for (constant, side, holds) in &self.sizes {
            let Constant::Integer(number) = constant else { continue };
            let number = usize::try_from((*number).max(0)).unwrap_or(0);
            match (side, holds) {
                (None, true) => (least, most) = (number, number),
                (None, false) => differs.push(number),
                (Some(true), true) => most = most.min(number.saturating_sub(1)),
                (Some(true), false) => least = least.max(number),
                (Some(false), true) => least = least.max(number.saturating_add(1)),
                (Some(false), false) => most = most.min(number),
            }
        }
        while differs.contains(&least) && least < most {
            least += 1;
        }
        (least.min(MOST_ITEMS), most)
    }

    fn to_scalar(&self, value: Json, schema: &Json) -> Json {
        let is_wanted = |value: &Json| !self.excluded.contains(value);
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return values.iter().find(|value| is_wanted(value)).cloned().unwrap_or(value);
        }
        let kind = self.kind.or_else(|| schema.get("type").and_then(Json::as_str));
        match (kind, value) {
            (Some("boolean"), value) => {
                [value, json!(true), json!(false)].into_iter().find(is_wanted).unwrap_or_default()
            }
            (Some("integer" | "number"), value) => self.to_number(value, schema),
            (_, Json::Number(number)) if self.kind != Some("string") => self.to_number(number.into(), schema),
            (_, value) => self.to_text(value, schema),
        }
    }

    fn to_text(&self, value: Json, schema: &Json) -> Json {
        let (least, most) = if self.sizes.is_empty() { (0, usize::MAX) } else { self.size_of(schema) };
        let known = value.as_str().unwrap_or_default();
        let size = known.chars().count();
        if value.is_string() && least <= size && size <= most && !self.excluded.contains(&value) {
            return value;
        }
        let filled: Json = "a".repeat(least.max(1).min(most)).into();
        if self.excluded.contains(&filled) { "other".into() } else { filled }
    }

    fn to_number(&self, value: Json, schema: &Json) -> Json {
        let is_integer = schema.get("type").and_then(Json::as_str) != Some("number");
        if self.bounds.is_empty() && self.excluded.is_empty() && value.is_number() {
            return value;
        }
        let mut range = number_range(schema).unwrap_or_else(NumberRange::any_integer);
        for (constant, is_left, holds) in &self.bounds {
            range.add_comparison(constant, *is_left, *holds);
        }
        let [least, most] = range.ends();
        let near = [least.map(|it| it + 1.0), most.map(|it| it - 1.0), least, most];
        let around = [0.0, 1.0, 2.0, 3.0, 7.0].map(Some);
        let mut numbers = near.into_iter().chain(around).flatten();
        let to_value = |number: f64| to_number(number, is_integer);
        let is_possible = |number: &f64| {
            let inside = range.contains(&Constant::Float(*number));
            inside && to_value(*number).is_some_and(|value| !self.excluded.contains(&value))
        };
        numbers.find(is_possible).and_then(to_value).unwrap_or(value)
    }
}

/// A number as data has it.
fn to_number(number: f64, is_integer: bool) -> Option<Json> {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        return Some((number as i64).into());
    }
    (!is_integer).then(|| number.into())
}
