//! Values that a schema accepts and on which the atoms of a formula differ.

pub(crate) mod collector;
mod differing_texts;
mod incomplete_values;
mod near_texts;
mod plain_integers;
mod reduced_schema;

use std::collections::HashSet;
use std::sync::Arc;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::types::keyword_value;
use kvrules_generate::{ObjectGenerator, PlaceStep, PseudoRandom, make_items_distinct};
use kvrules_ir::Term;
use serde_json::Value as Json;

use crate::facts::without_patterns;
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use collector::Collector;
pub(crate) use incomplete_values::readable_texts;
use plain_integers::make_integers_plain;
use reduced_schema::reduced_schema;

/// A change that is tried at the end of some steps.
struct Change {
    steps: Vec<PlaceStep>,
    edits: Vec<Edit>,
}

/// Something that is done to a value.
#[derive(Clone, Debug, PartialEq)]
enum Edit {
    /// It becomes this value.
    Set(Json),
    /// It is taken away.
    Remove,
    /// It is made, unless it is there.
    Make,
    /// It gets this size: of a text, list or map.
    Resize(usize),
    /// It gets a key with this name.
    AddKey(String),
}

impl Edit {
    /// The value that is written.
    fn into_value(self) -> Option<Json> {
        match self {
            Self::Set(value) => Some(value),
            Self::Remove | Self::Make | Self::Resize(_) | Self::AddKey(_) => None,
        }
    }
}

/// Two places of one rule whose values are compared.
struct PlacePair(Vec<PlaceStep>, Vec<PlaceStep>);

/// The schema of objects that have a value of a schema in a field.
#[derive(Clone)]
struct WrappedSchema(Arc<Json>);

impl WrappedSchema {
    fn new(schema: Json) -> Self {
        Self(Arc::new(wrap_schema(schema)))
    }

    /// The schema of the value.
    fn value_schema(&self) -> &Json {
        self.0.get("properties").and_then(|properties| properties.get("v")).unwrap_or(&Json::Null)
    }
}

/// Makes values that a rule's schema accepts or nearly accepts, and on which the atoms of its formulas differ.
pub struct RuleValues {
    schema: WrappedSchema,
    wrapped: ObjectSchema,
    changes: Vec<Change>,
    /// The first places that a formula names and that may be absent.
    optional_places: Vec<Vec<PlaceStep>>,
    pairs: Vec<PlacePair>,
    /// The places of texts that functions read as something else, with texts that they can read.
    readings: Vec<(Vec<PlaceStep>, &'static [&'static str])>,
    chance: PseudoRandom,
    is_transition: bool,
    optional_old: bool,
    /// Values of the schema, made when they are needed.
    built: Vec<Json>,
    chance_of_built: PseudoRandom,
}

/// A value, and the one that it replaces where the rule is about updates.
pub(crate) type ValuePair = (Json, Option<Json>);

/// Number of changes at one place that are made alone.
const MOST_ROUNDS: usize = 8;

/// Number of values with one change.
const MOST_CHANGED: usize = 40;

/// Number of places that may be absent of which each combination is made.
const MOST_OPTIONAL: usize = 4;

/// The number of values of the schema that are made.
const MOST_BUILT: usize = 60;

impl RuleValues {
    /// The values for a rule.
    pub fn new(rule: &DefinitionRule, formulas: &LiftedExpression) -> Self {
        Self { optional_old: rule.source.optional_old_self, ..Self::of_schema(&rule.schema, formulas) }
    }

    /// Values for a rule that need not match the patterns of its schema: rules run on them as well, and a text that a pattern
    /// matches takes long to find.
    pub(crate) fn with_any_texts(rule: &DefinitionRule, formulas: &LiftedExpression) -> Self {
        let values = Self::of_reduced(&rule.schema, formulas, |reduced| without_patterns(&reduced));
        Self { optional_old: rule.source.optional_old_self, ..values }
    }

    /// Values of a schema for formulas about `self`.
    pub(crate) fn of_schema(schema: &Json, formulas: &LiftedExpression) -> Self {
        Self::of_reduced(schema, formulas, |reduced| reduced)
    }

    /// Values of the part of a schema that formulas need, after a change of that.
    fn of_reduced(schema: &Json, formulas: &LiftedExpression, change: impl FnOnce(Json) -> Json) -> Self {
        let mut names = HashSet::new();
        for formula in [&formulas.holds, &formulas.fails] {
            formula.visit_terms(&mut |term| {
                if let Term::Field(_, name) = term {
                    names.insert(name.clone());
                }
            });
        }
        let schema = WrappedSchema::new(change(reduced_schema(schema, &names)));
        let wrapped = ObjectSchema::sharing_schema(Arc::clone(&schema.0)).without_metadata_checks();
        let mut collector = Collector::default();
        collector.collect(&formulas.holds);
        collector.collect(&formulas.fails);
        let changes = collector.changes();
        let optional = changes.iter().filter(|change| change.edits.contains(&Edit::Remove));
        Self {
            wrapped,
            optional_places: optional.map(|change| change.steps.clone()).take(MOST_OPTIONAL).collect(),
            changes,
            pairs: collector.pairs,
            readings: collector.readings,
            chance: PseudoRandom::new(),
            is_transition: collector.has_old,
            optional_old: false,
            built: Vec::new(),
            chance_of_built: PseudoRandom::new(),
            schema,
        }
    }

    /// A value of the schema.
    fn built_value(&mut self, index: usize) -> Json {
        let index = index % MOST_BUILT;
        let schema = self.schema.clone();
        let mut generator = ObjectGenerator::new(schema.value_schema());
        std::mem::swap(&mut generator.chance, &mut self.chance_of_built);
        while self.built.len() <= index {
            let next = self.built.len();
            // Of three, one has something changed that no formula names.
            self.built.push(match next % 3 {
                2 => generator.generate_object(next),
                _ => generator.generate_valid(next),
            });
        }
        std::mem::swap(&mut generator.chance, &mut self.chance_of_built);
        self.built.get(index).cloned().unwrap_or_default()
    }

    /// A value as the server stores it, and an old one where the rule is about updates. `None` if the schema rejects it.
    pub fn next_pair(&mut self, index: usize) -> Option<(Json, Option<Json>)> {
        let (value, old) = self.make_pair(index);
        let value = self.store_value(value)?;
        Some(match old {
            Some(old) => (value, Some(self.store_value(old)?)),
            None => (value, None),
        })
    }

    /// As [`Self::next_pair`], with what formulas name taken over from another such pair, with few changes.
    pub(crate) fn next_near(&mut self, index: usize, other: &ValuePair) -> Option<ValuePair> {
        let mut near = self.built_value(index);
        self.take_over(&mut near, &other.0);
        // A value without other parts has to differ in those that are named.
        let rarity = if near == other.0 { 1 } else { 4 };
        self.change(&mut near, rarity);
        let mut old = other.1.clone();
        if let Some(old) = &mut old {
            self.change(old, 4);
        }
        let near = self.store_value(near)?;
        match old {
            Some(old) => Some((near, Some(self.store_value(old)?))),
            None => Some((near, None)),
        }
    }

    /// Gives a value the parts of another that formulas name, lists and maps as a whole.
    fn take_over(&mut self, value: &mut Json, other: &Json) {
        let pairs = self.pairs.iter().flat_map(|PlacePair(one, other)| [one, other]);
        for place in self.changes.iter().map(|change| &change.steps).chain(pairs) {
            let fields = place.iter().take_while(|step| matches!(step, PlaceStep::Field(_))).count();
            for length in 0..=fields {
                let way = place.get(..length).unwrap_or_default();
                let edit = match kvrules_generate::value_at(other, way) {
                    None => Edit::Remove,
                    Some(_) if length < fields => continue,
                    Some(part) => Edit::Set(part.clone()),
                };
                edit_value(value, self.schema.value_schema(), way, &edit, &mut self.chance);
                break;
            }
        }
    }

    /// A value as people would write it, and an old one where the rule is about updates.
    pub(crate) fn make_pair(&mut self, index: usize) -> (Json, Option<Json>) {
        let value = self.make_value(index);
        let old = self.is_transition.then(|| self.make_old(&value, index));
        (value, old.flatten())
    }

    /// The value that another one replaces, unless that is created.
    fn make_old(&mut self, value: &Json, index: usize) -> Option<Json> {
        let is_creation = self.optional_old && self.chance.number_below(4) == 0;
        let old = match self.chance.number_below(3) {
            0 => value.clone(),
            1 => {
                let mut old = value.clone();
                self.change(&mut old, 1);
                old
            }
            _ => self.make_value(index / 2),
        };
        (!is_creation).then_some(old)
    }

    /// A value with the least that the schema asks for, in which the places that may be absent are there or not as the bits of `index`
    /// say, and an old value where the rule is about updates. `None` if there are no more of them.
    pub(crate) fn make_least_pair(&mut self, index: usize) -> Option<(Json, Option<Json>)> {
        let all = 1 << self.optional_places.len();
        if index >= all {
            return None;
        }
        let value = self.make_least(index);
        // The old value has those that the new one lacks, or is nearly the same.
        let old = self.is_transition.then(|| match self.chance.number_below(2) {
            0 => Some(self.make_least(all - 1 - index)),
            _ => self.make_old(&value, index),
        });
        Some((value, old.flatten()))
    }

    fn make_least(&mut self, index: usize) -> Json {
        let schema = self.schema.clone();
        let mut value = ObjectGenerator::new(schema.value_schema()).generate_valid(0);
        self.change(&mut value, 2);
        for (bit, steps) in self.optional_places.iter().enumerate() {
            let edit = if index >> bit & 1 == 1 { Edit::Make } else { Edit::Remove };
            edit_value(&mut value, schema.value_schema(), steps, &edit, &mut self.chance);
        }
        value
    }

    /// A value as people would write it, with defaults left out.
    pub fn make_value(&mut self, index: usize) -> Json {
        let mut value = self.built_value(index);
        self.change(&mut value, 2);
        if self.chance.number_below(6) == 0 {
            repeat_item(&mut value);
        }
        value
    }

    /// Returns a value with each of the changes that distinguish the formulas made alone, as far as they change it: the first of each
    /// place first.
    pub fn changed_values(&self, value: &Json) -> Vec<Json> {
        let mut chance = PseudoRandom::new();
        let mut found = Vec::new();
        for round in 0..MOST_ROUNDS {
            for change in &self.changes {
                let Some(edit) = change.edits.get(round) else { continue };
                let mut changed = value.clone();
                edit_value(&mut changed, self.schema.value_schema(), &change.steps, edit, &mut chance);
                if changed != *value && !found.contains(&changed) && found.len() < MOST_CHANGED {
                    found.push(changed);
                }
            }
        }
        found
    }

    /// Applies some of the changes: of `1 / rarity`.
    fn change(&mut self, value: &mut Json, rarity: usize) {
        for index in 0..self.changes.len() {
            if self.chance.number_below(rarity + 1) != 0 {
                continue;
            }
            let Some(change) = self.changes.get(index) else { continue };
            let Some(edit) = self.chance.choose_one(&change.edits) else { continue };
            edit_value(value, self.schema.value_schema(), &change.steps, edit, &mut self.chance);
        }
        for index in 0..self.pairs.len() {
            let Some(PlacePair(from, to)) = self.pairs.get(index) else { continue };
            let (from, to) = if self.chance.number_below(2) == 0 { (from, to) } else { (to, from) };
            if self.chance.number_below(rarity + 1) == 0
                && let Some(found) = kvrules_generate::value_at(value, from).cloned()
            {
                let edit = Edit::Set(nearby(found, &mut self.chance));
                edit_value(value, self.schema.value_schema(), to, &edit, &mut self.chance);
            }
        }
    }

    /// The value as the server stores it, if the schema accepts it.
    pub fn accepted_value(&self, value: &Json) -> Option<Json> {
        let admission = self.wrapped.admit_value(wrap_value(value.clone()));
        if !admission.is_accepted() {
            return None;
        }
        unwrap_value(admission.stored)
    }

    /// The value as the server reads it, before it validates it.
    pub(crate) fn decoded(&self, value: &Json) -> Option<Json> {
        let decoded = self.wrapped.decode_new_value(wrap_value(value.clone()))?;
        unwrap_value(decoded.into_object()).filter(|value| !value.is_null())
    }

    /// The value as the server stores it, if rules run on it.
    pub(crate) fn stored(&self, value: &Json) -> Option<Json> {
        self.store_value(value.clone())
    }

    fn store_value(&self, value: Json) -> Option<Json> {
        unwrap_value(self.wrapped.value_for_rules(wrap_value(value))?).filter(|value| !value.is_null())
    }
}

/// The schema of objects with such a value as their only field.
fn wrap_schema(schema: Json) -> Json {
    let keywords = [("type".to_owned(), "object".into()), ("properties".to_owned(), wrap_value(schema))];
    Json::Object(keywords.into_iter().collect())
}

/// An object with a value as its only field. `json!` would serialise the value into a copy.
fn wrap_value(value: Json) -> Json {
    Json::Object(std::iter::once(("v".to_owned(), value)).collect())
}

/// The only field of an object, as expressions can read it.
fn unwrap_value(mut object: Json) -> Option<Json> {
    let mut value = object.as_object_mut()?.remove("v")?;
    make_integers_plain(&mut value);
    Some(value)
}

/// Repeats the last item of the lists in a value: rules are about equal items too.
fn repeat_item(value: &mut Json) {
    match value {
        Json::Array(items) => {
            items.iter_mut().for_each(repeat_item);
            let last = items.last().cloned();
            items.extend(last);
        }
        Json::Object(fields) => fields.values_mut().for_each(repeat_item),
        _ => {}
    }
}

/// The same number or one next to it.
fn nearby(value: Json, chance: &mut PseudoRandom) -> Json {
    match value.as_i64() {
        Some(number) => match chance.number_below(3) {
            0 => number.saturating_add(1).into(),
            1 => number.saturating_sub(1).into(),
            _ => value,
        },
        None => value,
    }
}

/// Edits the value at the end of some steps, with what is missing on the way made from the schema.
fn edit_value(object: &mut Json, schema: &Json, steps: &[PlaceStep], edit: &Edit, chance: &mut PseudoRandom) {
    let Some((step, rest)) = steps.split_first() else {
        return apply_edit(object, schema, edit);
    };
    let is_removed = rest.is_empty() && *edit == Edit::Remove;
    match (step, object) {
        (PlaceStep::Field(name), Json::Object(fields)) => {
            if is_removed {
                fields.remove(name);
                return;
            }
            let property = keyword_value(schema, "properties").and_then(|it| keyword_value(it, name));
            let below = property
                .or_else(|| keyword_value(schema, "additionalProperties").filter(|it| it.is_object()));
            let Some(below) = below else { return };
            let index = chance.number_below(60);
            let make = || ObjectGenerator::new(below).generate_valid(index);
            edit_value(fields.entry(name.clone()).or_insert_with(make), below, rest, edit, chance);
        }
        (PlaceStep::Any, Json::Array(items)) => {
            let Some(below) = keyword_value(schema, "items") else { return };
            if is_removed {
                items.pop();
                return;
            }
            edit_items(items, below, rest, edit, chance);
        }
        (PlaceStep::Any, Json::Object(fields)) => {
            let Some(below) = keyword_value(schema, "additionalProperties").filter(|it| it.is_object())
            else {
                return;
            };
            let known = fields.keys().nth(chance.number_below(3)).cloned();
            let key = known.unwrap_or_else(|| {
                ["a", "b", "c"].get(chance.number_below(3)).map_or("a", |key| *key).to_owned()
            });
            if is_removed {
                fields.remove(&key);
                return;
            }
            let index = chance.number_below(60);
            let make = || ObjectGenerator::new(below).generate_valid(index);
            edit_value(fields.entry(key).or_insert_with(make), below, rest, edit, chance);
        }
        _ => {}
    }
}

/// Edits one item of a list, a new one, or all of them.
fn edit_items(
    items: &mut Vec<Json>,
    schema: &Json,
    steps: &[PlaceStep],
    edit: &Edit,
    chance: &mut PseudoRandom,
) {
    if items.is_empty() || chance.number_below(4) == 0 && items.len() < 5 {
        items.push(ObjectGenerator::new(schema).generate_valid(chance.number_below(60)));
    }
    let at = if chance.number_below(5) == 0 { None } else { Some(chance.number_below(items.len())) };
    for (index, item) in items.iter_mut().enumerate() {
        if at.is_none_or(|at| at == index) {
            edit_value(item, schema, steps, edit, chance);
        }
    }
}

fn apply_edit(value: &mut Json, schema: &Json, edit: &Edit) {
    let generate = |keyword: &str, index: usize| {
        let below = schema.get(keyword).cloned().unwrap_or_default();
        ObjectGenerator::new(&below).generate_valid(index)
    };
    match (edit, &mut *value) {
        (Edit::Set(new), _) => *value = new.clone(),
        (Edit::AddKey(key), Json::Object(fields)) => {
            fields.insert(key.clone(), generate("additionalProperties", key.len()));
        }
        (Edit::Resize(size), Json::Array(items)) => {
            items.truncate(*size);
            items.extend((items.len()..*size).map(|index| generate("items", index)));
            make_items_distinct(items, schema);
        }
        (Edit::Resize(size), Json::Object(fields)) => {
            let known = std::mem::take(fields).into_iter();
            let more = (0..*size).map(|index| (format!("k{index}"), generate("additionalProperties", index)));
            *fields = known.chain(more).take(*size).collect();
        }
        (Edit::Resize(size), Json::String(text)) => *text = "a".repeat(*size),
        (Edit::Remove | Edit::Make | Edit::Resize(_) | Edit::AddKey(_), _) => {}
    }
}
