//! One object in the making.

use kvrules_generate::PseudoRandom;
use serde_json::{Map, Value, json};

use super::ForcedContent;
use super::branches::{BANNED, choose_branch};
use super::scalars::{ScalarValues, is_scalar};
use crate::schema::keyword::{
    EMBEDDED, LIST_KEYS, LIST_TYPE, PRESERVE, default_value, find_property, is_meta, keyword_flag,
    keyword_schema, keyword_size, keyword_text, keyword_texts, properties,
};
use crate::schema::place::NodeStep;

/// Maximum depth of objects, unless the schema requires more.
const DEEPEST: usize = 24;
/// Lists and maps do not get longer.
const LONGEST: usize = 300;

/// One object in the making.
pub(super) struct ObjectBuilder<'b> {
    scalars: &'b ScalarValues,
    chance: PseudoRandom,
    /// True if elements that are counted must be different.
    is_apart: bool,
    /// Amount of optional content, from 0 to 4.
    spread: usize,
}

/// Required fields of an object, beyond what its node requires.
#[derive(Default)]
struct WantedFields<'w> {
    with: Option<(&'w str, Value)>,
    without: Option<&'w str>,
    /// Number of them, if there may be any.
    count: Option<usize>,
}

impl<'b> ObjectBuilder<'b> {
    pub(super) fn new(scalars: &'b ScalarValues, number: usize) -> Self {
        let spread = (number % 5).min(number);
        Self { scalars, chance: PseudoRandom::with_seed(number as u64), is_apart: number % 2 == 1, spread }
    }

    pub(super) fn build_at(
        &mut self,
        node: &Value,
        downs: &[NodeStep],
        force: ForcedContent<'_>,
        depth: usize,
    ) -> Option<Value> {
        let node = &*choose_branch(node, &mut self.chance);
        let Some((down, rest)) = downs.split_first() else { return self.build_forced(node, force, depth) };
        let below = match (down.of(node), force) {
            (Some(below), _) => self.build_at(below, rest, force, depth + 1)?,
            // A field that is not declared may have any value.
            (None, ForcedContent::Exactly(value)) if rest.is_empty() => value.clone(),
            (None, _) => return None,
        };
        match down {
            NodeStep::Property(name) => self.build_with_field(node, name, below, depth),
            NodeStep::Values => self.build_with_field(node, "k", below, depth),
            NodeStep::Items => {
                let least = keyword_size(node, "minItems").unwrap_or(0).max(1);
                let mut items =
                    self.build_items(node, usize::try_from(least).ok()?.saturating_sub(1), depth)?;
                items.retain(|item| !is_apart_by_keys(node) || key_of(node, item) != key_of(node, &below));
                items.push(below);
                Some(Value::Array(items))
            }
        }
    }

    fn build_with_field(&mut self, node: &Value, name: &str, value: Value, depth: usize) -> Option<Value> {
        self.build_fields(node, depth, WantedFields { with: Some((name, value)), ..WantedFields::default() })
            .map(Value::Object)
    }

    fn build_forced(&mut self, node: &Value, force: ForcedContent<'_>, depth: usize) -> Option<Value> {
        match force {
            // An empty list or object as the example asks only for the type.
            ForcedContent::Like(value) if *value == json!({}) || *value == json!([]) => {
                let alike = |made: &Value| {
                    made.is_object() == value.is_object() && made.is_array() == value.is_array()
                };
                self.build_any(node, depth).filter(alike).or_else(|| Some(value.clone()))
            }
            ForcedContent::Like(value) | ForcedContent::Exactly(value) => Some(value.clone()),
            ForcedContent::With(name) => {
                let below =
                    find_property(node, name).or_else(|| keyword_schema(node, "additionalProperties"));
                let value =
                    below.map_or_else(|| Some(json!("a")), |below| self.build_any(below, depth + 1))?;
                self.build_with_field(node, name, value, depth)
            }
            ForcedContent::Without(name) => self
                .build_fields(node, depth, WantedFields { without: Some(name), ..WantedFields::default() })
                .map(Value::Object),
            ForcedContent::Count(count) if keyword_text(node, "type") == "array" => {
                self.build_counted(node, count, depth)
            }
            ForcedContent::Count(count) => self
                .build_fields(node, depth, WantedFields { count: Some(count), ..WantedFields::default() })
                .map(Value::Object),
            ForcedContent::DuplicateItem => {
                let one = self.build_any(keyword_schema(node, "items")?, depth + 1)?;
                let least = usize::try_from(keyword_size(node, "minItems").unwrap_or(0)).ok()?;
                let mut all = self.build_items(node, least.saturating_sub(2), depth)?;
                all.extend([one.clone(), one]);
                Some(Value::Array(all))
            }
            ForcedContent::Anything => self.build_any(node, depth),
        }
    }

    /// A list of `count` elements, distinct if required; `None` if they cannot be built.
    fn build_counted(&mut self, node: &Value, count: usize, depth: usize) -> Option<Value> {
        let mut items = self.build_items(node, count, depth)?;
        if let Some(below) = keyword_schema(node, "items").filter(|_| self.is_apart) {
            let plain = |node: &Value| matches!(keyword_text(node, "type"), "string" | "integer");
            let keys = properties(below).filter(|(_, node)| plain(node)).map(|(name, _)| name.as_str());
            let keys: Vec<&str> = keys.collect();
            let numbered = items.into_iter().enumerate();
            items = numbered.map(|(at, item)| distinct_item(item, below, &keys, at, self.scalars)).collect();
        }
        Some(Value::Array(items))
    }

    /// Some value of a node; nothing if none was found that it may have.
    fn build_any(&mut self, node: &Value, depth: usize) -> Option<Value> {
        let is_nullable = keyword_flag(node, "nullable");
        if is_nullable && self.spread > 1 && self.chance.number_below(8) == 0 {
            return Some(Value::Null);
        }
        self.build_some(node, depth).or_else(|| is_nullable.then_some(Value::Null))
    }

    fn build_some(&mut self, node: &Value, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        if is_scalar(node) {
            let known = self.scalars.node_values(node);
            let at = if self.spread == 0 { 0 } else { self.chance.number_below(known.values.len()) };
            return known.values.get(at).cloned();
        }
        let node = &*choose_branch(node, &mut self.chance);
        match keyword_text(node, "type") {
            "object" => self.build_fields(node, depth, WantedFields::default()).map(Value::Object),
            "array" => {
                let least = usize::try_from(keyword_size(node, "minItems").unwrap_or(0)).ok()?;
                let more = if self.spread == 0 { 0 } else { self.chance.number_below(3) };
                let count = (least + more).min(maximum_of(node, "maxItems").max(least));
                let items =
                    self.build_items(node, count, depth).or_else(|| self.build_items(node, least, depth));
                items.map(Value::Array)
            }
            _ => Some(json!({})),
        }
    }

    /// The fields of an object: those it must have, and some others. Nothing if one that it must have cannot be.
    fn build_fields(
        &mut self,
        node: &Value,
        depth: usize,
        wish: WantedFields<'_>,
    ) -> Option<Map<String, Value>> {
        let is_wish = |name: &str| wish.with.as_ref().is_some_and(|(with, _)| *with == name);
        let (required, banned) = (keyword_texts(node, "required"), keyword_texts(node, BANNED));
        let is_out =
            |name: &str| wish.without == Some(name) || is_wish(name) || (depth == 0 && is_meta(name));
        let mut fields: Map<String, Value> = Map::new();
        if keyword_flag(node, EMBEDDED) {
            for (name, value) in [("apiVersion", "v1"), ("kind", "Pod")] {
                if !is_out(name) {
                    fields.insert(name.to_owned(), json!(value));
                }
            }
        }
        for name in required.iter().filter(|name| !is_out(name)) {
            let below = find_property(node, name).or_else(|| keyword_schema(node, "additionalProperties"));
            // A required field with a default may be absent.
            if below.is_some_and(|below| default_value(below).is_some()) && self.chance.number_below(2) == 0 {
                continue;
            }
            let value = below.map_or_else(|| Some(json!("a")), |below| self.build_any(below, depth + 1))?;
            fields.insert((*name).to_owned(), value);
        }
        let may = |name: &str| !is_out(name) && !banned.contains(&name);
        let free: Vec<(&String, &Value)> =
            properties(node).filter(|(name, _)| may(name) && !fields.contains_key(*name)).collect();
        // Fields that defaults fill in count towards `minProperties` and `maxProperties` as well.
        let filled = properties(node).filter(|(name, below)| {
            default_value(below).is_some() && !fields.contains_key(*name) && !is_wish(name)
        });
        let (used, filled) = (fields.len() + usize::from(wish.with.is_some()), filled.count());
        let room = |most: usize| most.saturating_sub(used + filled);
        let least =
            keyword_size(node, "minProperties").and_then(|least| usize::try_from(least).ok()).unwrap_or(0);
        let range = match wish.count {
            Some(count) => (room(count), room(count)),
            None => (room(least), room(maximum_of(node, "maxProperties"))),
        };
        self.add_optional_fields(node, depth, &free, range, &mut fields);
        fields.extend(wish.with.map(|(name, value)| (name.to_owned(), value)));
        // Sort by the order of the schema, for readability.
        let order =
            |name: &String| properties(node).position(|(known, _)| known == name).unwrap_or(usize::MAX);
        let mut sorted: Vec<(String, Value)> = fields.into_iter().collect();
        sorted.sort_by_key(|(name, _)| order(name));
        Some(sorted.into_iter().collect())
    }

    /// Adds fields that need not be there, at least and at most so many: some of the declared ones, then others.
    fn add_optional_fields(
        &mut self,
        node: &Value,
        depth: usize,
        declared: &[(&String, &Value)],
        (few, many): (usize, usize),
        fields: &mut Map<String, Value>,
    ) {
        let goal = fields.len().saturating_add(many);
        let least = fields.len().saturating_add(few);
        let count = declared.len().max(1);
        for (name, below) in declared {
            let likely = depth < 8 && self.chance.number_below(4 * count.div_ceil(4)) < self.spread;
            if likely && fields.len() < goal {
                fields.extend(self.build_any(below, depth + 1).map(|value| ((*name).clone(), value)));
            }
        }
        let turn = self.chance.number_below(declared.len());
        for (name, below) in declared.iter().cycle().skip(turn).take(declared.len()) {
            if fields.len() < least && !fields.contains_key(*name) {
                fields.extend(self.build_any(below, depth + 1).map(|value| ((*name).clone(), value)));
            }
        }
        let values = keyword_schema(node, "additionalProperties");
        let is_open = keyword_flag(node, PRESERVE) || keyword_flag(node, "additionalProperties");
        if values.is_none() && !is_open {
            return;
        }
        let more = if values.is_some() && self.spread > 1 { self.chance.number_below(3) } else { 0 };
        let wanted = least.max((fields.len() + more).min(goal)).min(fields.len() + LONGEST);
        let hints = if self.spread > 2 { self.scalars.hints.texts.clone() } else { Vec::new() };
        let names = hints.into_iter().chain((0..).map(|index| format!("k{index}")));
        for name in names.take(LONGEST * 2) {
            if fields.len() >= wanted {
                break;
            }
            let value = values.map_or_else(|| Some(json!("a")), |below| self.build_any(below, depth + 1));
            let Some(value) = value else { break };
            if find_property(node, &name).is_none() {
                fields.entry(name).or_insert(value);
            }
        }
    }

    /// A list of so many elements, different ones where they are to be; nothing if they cannot be made.
    fn build_items(&mut self, node: &Value, count: usize, depth: usize) -> Option<Vec<Value>> {
        if count == 0 {
            return Some(Vec::new());
        }
        let below = keyword_schema(node, "items").filter(|_| count <= LONGEST)?;
        let keys: Vec<&str> = keyword_texts(node, LIST_KEYS);
        let distinct = is_apart_by_keys(node);
        let mut items = Vec::new();
        for index in 0..count {
            let mut item = self.build_any(below, depth + 1)?;
            if distinct {
                item = distinct_item(item, below, &keys, index, self.scalars);
            }
            items.push(item);
        }
        Some(items)
    }
}

/// Returns the maximum that a node declares, or `usize::MAX`.
fn maximum_of(node: &Value, keyword: &str) -> usize {
    keyword_size(node, keyword).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX)
}

/// True if the elements of a list must be different.
fn is_apart_by_keys(node: &Value) -> bool {
    matches!(keyword_text(node, LIST_TYPE), "set" | "map")
}

/// Returns the key that identifies an element in a list.
fn key_of(list: &Value, item: &Value) -> Vec<Option<Value>> {
    let keys = keyword_texts(list, LIST_KEYS);
    if keys.is_empty() {
        vec![Some(item.clone())]
    } else {
        keys.iter().map(|key| item.get(*key).cloned()).collect()
    }
}

/// An element that is another than those before it.
fn distinct_item(
    mut item: Value,
    node: &Value,
    keys: &[&str],
    index: usize,
    scalars: &ScalarValues,
) -> Value {
    match item.as_object_mut() {
        Some(fields) => {
            for key in keys.iter().take(1) {
                if let Some(value) = find_property(node, key).and_then(|node| scalars.nth_value(node, index))
                {
                    fields.insert((*key).to_owned(), value);
                }
            }
        }
        None => item = scalars.nth_value(node, index).unwrap_or(item),
    }
    item
}
