//! Objects that a schema may take, with something in particular at one place.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use kvrules_cel::object::ValueSchema;
use serde_json::{Map, Value, json};

use super::format;
use super::keyword::{
    EMBEDDED, INT_OR_STRING, default, flag, has_branches, is_meta, list, properties, property, schema, size,
    text, texts,
};
use super::place::Down;
use super::values::{another, matching};

/// What is to be at the place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Force<'f> {
    /// This value.
    Is(&'f Value),
    /// An object with this field.
    With(&'f str),
    /// An object without this field.
    Without(&'f str),
    /// A list or a map with so many elements.
    Count(usize),
    /// A list in which an element stands twice.
    Twice,
    /// Anything.
    Free,
}

/// Numbers that look as if by chance, and are the same in every run.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below `most`.
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % most.max(1)
    }
}

/// Values that expressions speak of.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    pub(super) texts: Vec<String>,
    pub(super) integers: Vec<i64>,
}

/// A pattern with the least and the greatest length of a text.
type PatternWithin = (String, i64, Option<i64>);

/// Makes objects.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) hints: Hints,
    /// The values of each scalar node that was met, by its text.
    scalars: RefCell<HashMap<String, Rc<Scalars>>>,
    /// More texts of nodes with a pattern than their values, by the text of the node.
    more: RefCell<HashMap<String, Vec<String>>>,
    /// A text of each pattern within its lengths.
    matching: RefCell<HashMap<PatternWithin, Option<String>>>,
}

/// A scalar node, and some values that it allows, the plainest first.
#[derive(Debug)]
struct Scalars {
    node: ValueSchema,
    values: Vec<Value>,
}

/// One object in the making.
pub(super) struct Making<'b> {
    builder: &'b Builder,
    chance: Chance,
    /// Whether elements that are counted are to be different ones.
    is_apart: bool,
    /// How much is put in that need not be, from 0 to 4.
    spread: usize,
}

/// Objects are not nested deeper, but where they must be.
const DEEPEST: usize = 24;

impl Builder {
    pub(super) fn with(hints: Hints) -> Self {
        Self { hints, ..Self::default() }
    }

    /// The `number`th object of a schema; the first have little in them. Nothing where the place cannot be.
    pub(super) fn object(
        &self,
        root: &Value,
        downs: &[Down],
        force: Force<'_>,
        number: usize,
    ) -> Option<Value> {
        let spread = (number % 5).min(number);
        let mut making =
            Making { builder: self, chance: Chance::new(number as u64), is_apart: number % 2 == 1, spread };
        making.at(root, downs, force, 0)
    }

    /// Values of a scalar node, made once for each.
    fn scalars(&self, node: &Value) -> Rc<Scalars> {
        let key = node.to_string();
        if let Some(known) = self.scalars.borrow().get(&key) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.made(node));
        self.scalars.borrow_mut().insert(key, Rc::clone(&made));
        made
    }

    /// For each number another value of a scalar node, as far as there are.
    fn nth(&self, node: &Value, index: usize) -> Option<Value> {
        const MOST: usize = 40;
        let scalars = self.scalars(node);
        let made = match text(node, "type") {
            "integer" => json!(100 + index),
            _ => json!(format!("item-{index}")),
        };
        let fits = scalars.node.allows(&made);
        if let Some(value) = scalars.values.get(index).cloned().or(fits.then_some(made)) {
            return Some(value);
        }
        let pattern = text(node, "pattern");
        let length = (size(node, "minLength").unwrap_or(0), size(node, "maxLength"));
        let (mut more, at) = (self.more.borrow_mut(), index.checked_sub(scalars.values.len())?);
        let more = more.entry(node.to_string()).or_default();
        while more.len() <= at.min(MOST) && !pattern.is_empty() {
            let listed = scalars.values.iter().filter_map(Value::as_str);
            let known: Vec<&str> = listed.chain(more.iter().map(String::as_str)).collect();
            let found = another(pattern, length, &known)?;
            more.push(found);
        }
        more.get(at).map(|text| json!(text)).filter(|value| scalars.node.allows(value))
    }

    fn made(&self, node: &Value) -> Scalars {
        let mut values: Vec<Value> = list(node, "enum").to_vec();
        values.extend(default(node).cloned());
        let wanted = text(node, "type");
        let mixed = flag(node, INT_OR_STRING);
        if mixed || wanted == "integer" || wanted == "number" {
            values.extend([json!(1), json!(0)]);
            for keyword in ["minimum", "maximum", "multipleOf"] {
                values.extend(node.get(keyword).filter(|bound| bound.is_number()).cloned());
            }
            if let Some(low) = node.get("minimum").and_then(Value::as_i64) {
                values.push(json!(low.saturating_add(1)));
            }
            if let Some(high) = node.get("maximum").and_then(Value::as_i64) {
                values.push(json!(high.saturating_sub(1)));
            }
            values.extend([json!(2), json!(3), json!(-1), json!(10)]);
            values.extend(self.hints.integers.iter().map(|number| json!(number)));
        }
        if wanted == "number" {
            values.extend([json!(1.5), json!(0.25)]);
        }
        if mixed || wanted == "string" {
            values.extend(self.texts(node).into_iter().map(Value::from));
        }
        if wanted == "boolean" {
            values.extend([json!(false), json!(true)]);
        }
        let node = ValueSchema::new(node);
        let mut kept: Vec<Value> = Vec::new();
        for value in values.into_iter().filter(|value| !value.is_null() && node.allows(value)) {
            if !kept.contains(&value) {
                kept.push(value);
            }
        }
        Scalars { node, values: kept }
    }

    fn texts(&self, node: &Value) -> Vec<String> {
        let (least, most) = (size(node, "minLength").unwrap_or(0), size(node, "maxLength"));
        let mut texts: Vec<String> =
            format::sample(text(node, "format")).map(str::to_owned).into_iter().collect();
        let pattern = text(node, "pattern");
        if !pattern.is_empty() {
            let key = (pattern.to_owned(), least, most);
            let known = self.matching.borrow().get(&key).cloned();
            let found = known.unwrap_or_else(|| matching(pattern, least, most));
            self.matching.borrow_mut().insert(key, found.clone());
            texts.extend(found);
        }
        let length = usize::try_from(least.max(1)).unwrap_or(1).min(4096);
        texts.extend([
            "a".repeat(length),
            "b".repeat(length),
            String::new(),
            "1".repeat(length),
            "a-1".to_owned(),
        ]);
        texts.extend(self.hints.texts.iter().cloned());
        let sizes = self.hints.integers.iter().filter(|size| (2..=300).contains(*size));
        texts.extend(sizes.filter_map(|size| usize::try_from(*size).ok()).map(|size| "a".repeat(size)));
        texts
    }
}

impl Making<'_> {
    fn at(&mut self, node: &Value, downs: &[Down], force: Force<'_>, depth: usize) -> Option<Value> {
        let node = &*self.chosen(node);
        let Some((down, rest)) = downs.split_first() else { return self.forced(node, force, depth) };
        let below = self.at(down.of(node)?, rest, force, depth + 1)?;
        match down {
            Down::Property(name) => {
                let mut fields = self.fields(node, depth, None);
                fields.insert(name.clone(), below);
                Some(Value::Object(fields))
            }
            Down::Items => {
                let least = size(node, "minItems").unwrap_or(0).max(1);
                let mut items = self.items(node, usize::try_from(least).ok()?.saturating_sub(1), depth);
                items.push(below);
                Some(Value::Array(items))
            }
            Down::Values => {
                let mut fields = self.fields(node, depth, None);
                fields.remove("k0");
                fields.insert("k".to_owned(), below);
                Some(Value::Object(fields))
            }
        }
    }

    fn forced(&mut self, node: &Value, force: Force<'_>, depth: usize) -> Option<Value> {
        match force {
            Force::Is(value) => {
                // Of a list or an object only the type is asked for.
                let is_empty = *value == json!({}) || *value == json!([]);
                if is_empty {
                    self.any(node, depth)
                        .filter(|made| {
                            made.is_object() == value.is_object() && made.is_array() == value.is_array()
                        })
                        .or_else(|| Some(value.clone()))
                } else {
                    Some(value.clone())
                }
            }
            Force::With(name) => {
                let mut fields = self.fields(node, depth, None);
                let below = property(node, name).or_else(|| schema(node, "additionalProperties"));
                let value = match below {
                    Some(below) => self.any(below, depth + 1)?,
                    None => json!("a"),
                };
                fields.insert(name.to_owned(), value);
                Some(Value::Object(fields))
            }
            Force::Without(name) => Some(Value::Object(self.fields(node, depth, Some(name)))),
            Force::Count(count) if text(node, "type") == "array" => {
                let mut items = self.items(node, count, depth);
                if self.is_apart
                    && let Some(below) = schema(node, "items")
                {
                    let plain = |node: &Value| matches!(text(node, "type"), "string" | "integer");
                    let keys: Vec<&str> = properties(below)
                        .filter(|(_, node)| plain(node))
                        .map(|(name, _)| name.as_str())
                        .collect();
                    let numbered = items.into_iter().enumerate();
                    items = numbered.map(|(at, item)| apart(item, below, &keys, at, self.builder)).collect();
                }
                Some(Value::Array(items))
            }
            Force::Count(count) => self.keys(node, count, depth).map(Value::Object),
            Force::Twice => {
                let items = schema(node, "items")?;
                let one = self.any(items, depth + 1)?;
                let least = usize::try_from(size(node, "minItems").unwrap_or(0)).ok()?;
                let mut all = self.items(node, least.saturating_sub(2), depth);
                all.extend([one.clone(), one]);
                Some(Value::Array(all))
            }
            Force::Free => self.any(node, depth),
        }
    }

    /// Some value of a node.
    fn any(&mut self, node: &Value, depth: usize) -> Option<Value> {
        let node = &*self.chosen(node);
        if depth > DEEPEST {
            return None;
        }
        match text(node, "type") {
            "object" => Some(Value::Object(self.fields(node, depth, None))),
            "array" => {
                let least = usize::try_from(size(node, "minItems").unwrap_or(0)).ok()?;
                let more = if self.spread == 0 { 0 } else { self.chance.below(3) };
                let most =
                    size(node, "maxItems").and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
                Some(Value::Array(self.items(node, (least + more).min(most.max(least)), depth)))
            }
            "" if !flag(node, INT_OR_STRING) => Some(json!({})),
            _ => {
                let scalars = self.builder.scalars(node);
                let at = if self.spread == 0 { 0 } else { self.chance.below(scalars.values.len()) };
                scalars.values.get(at).cloned()
            }
        }
    }

    /// The fields of an object: those it must have, and some others.
    fn fields(&mut self, node: &Value, depth: usize, without: Option<&str>) -> Map<String, Value> {
        let required = texts(node, "required");
        let count = properties(node).count().max(1);
        let mut fields = Map::new();
        for (name, below) in properties(node) {
            if without == Some(name.as_str()) || (depth == 0 && is_meta(name)) {
                continue;
            }
            let must = required.contains(&name.as_str());
            let likely = depth < 8 && self.chance.below(4 * count.div_ceil(4)) < self.spread;
            if must || likely {
                let value = self.any(below, depth + 1);
                fields.extend(value.map(|value| (name.clone(), value)));
            }
        }
        if flag(node, EMBEDDED) {
            fields.insert("apiVersion".to_owned(), json!("v1"));
            fields.insert("kind".to_owned(), json!("Pod"));
        }
        let least = usize::try_from(size(node, "minProperties").unwrap_or(0)).unwrap_or(0);
        let wanted = if self.spread > 1 { least.max(self.chance.below(3)) } else { least };
        if schema(node, "additionalProperties").is_some() && fields.len() < wanted {
            let more = self.keys(node, wanted - fields.len(), depth).unwrap_or_default();
            fields.extend(more);
        }
        fields
    }

    /// A map with so many keys.
    fn keys(&mut self, node: &Value, count: usize, depth: usize) -> Option<Map<String, Value>> {
        let below = schema(node, "additionalProperties");
        if count > 300 {
            return None;
        }
        let Some(below) = below else {
            // Of declared fields as many as there are, those that must be there first.
            let required = texts(node, "required");
            let mut names: Vec<(&String, &Value)> = properties(node).collect();
            let turn = self.chance.below(names.len());
            names.rotate_left(turn);
            names.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
            let names = names.into_iter().take(count);
            return names.map(|(name, below)| Some((name.clone(), self.any(below, depth + 1)?))).collect();
        };
        let hints = self.builder.hints.texts.clone();
        let name = |index: usize| {
            let hint = hints.get(index).filter(|_| self.spread > 2);
            hint.cloned().unwrap_or_else(|| format!("k{index}"))
        };
        let names: Vec<String> = (0..count).map(name).collect();
        names.into_iter().map(|name| Some((name, self.any(below, depth + 1)?))).collect()
    }

    /// A list of so many elements, different ones where they are to be.
    fn items(&mut self, node: &Value, count: usize, depth: usize) -> Vec<Value> {
        let Some(below) = schema(node, "items").filter(|_| count <= 300) else { return Vec::new() };
        let keys: Vec<&str> = texts(node, super::keyword::LIST_KEYS);
        let distinct = matches!(text(node, super::keyword::LIST_TYPE), "set" | "map");
        let mut items = Vec::new();
        for index in 0..count {
            let Some(mut item) = self.any(below, depth + 1) else { break };
            if distinct {
                item = apart(item, below, &keys, index, self.builder);
            }
            items.push(item);
        }
        items
    }

    /// A node with one of its branches put in, for those that have some.
    fn chosen<'n>(&mut self, node: &'n Value) -> Cow<'n, Value> {
        if !has_branches(node) {
            return Cow::Borrowed(node);
        }
        let mut merged = node.clone();
        for junctor in super::keyword::JUNCTORS {
            let branches = list(node, junctor);
            if let Some(fields) = merged.as_object_mut() {
                fields.remove(junctor);
            }
            let at = self.chance.below(branches.len());
            let wanted = branches.iter().enumerate().filter(|(index, _)| junctor == "allOf" || *index == at);
            for (_, branch) in wanted {
                let branch = self.chosen(branch);
                merge(&mut merged, &branch);
            }
        }
        Cow::Owned(merged)
    }
}

/// An element that is another than those before it.
fn apart(mut item: Value, node: &Value, keys: &[&str], index: usize, builder: &Builder) -> Value {
    match item.as_object_mut() {
        Some(fields) => {
            for key in keys.iter().take(1) {
                if let Some(value) = property(node, key).and_then(|node| builder.nth(node, index)) {
                    fields.insert((*key).to_owned(), value);
                }
            }
        }
        None => item = builder.nth(node, index).unwrap_or(item),
    }
    item
}

/// Puts what a branch asks for into a node.
fn merge(node: &mut Value, branch: &Value) {
    let (Some(fields), Some(more)) = (node.as_object_mut(), branch.as_object()) else { return };
    for (keyword, value) in more {
        match (keyword.as_str(), fields.get_mut(keyword)) {
            ("required", Some(Value::Array(known))) => {
                known.extend(value.as_array().cloned().unwrap_or_default());
            }
            ("properties", Some(Value::Object(known))) => {
                for (name, below) in value.as_object().into_iter().flatten() {
                    match known.get_mut(name) {
                        Some(spine) => merge(spine, below),
                        None => _ = known.insert(name.clone(), below.clone()),
                    }
                }
            }
            ("items", Some(spine)) => merge(spine, value),
            ("type", _) => {}
            _ => _ = fields.insert(keyword.clone(), value.clone()),
        }
    }
}
