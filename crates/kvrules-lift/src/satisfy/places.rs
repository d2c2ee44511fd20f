//! The places of a value that terms name: made, written and taken away.

use kvrules_cel::value::Value;
use kvrules_generate::{
    ObjectGenerator, ValueStep, find_part, find_part_mut, make_items_distinct, remove_part, schema_of_part,
};
use kvrules_ir::Term;
use serde_json::{Value as Json, json};

use super::workpiece::{Binding, Workpiece};

impl Workpiece<'_> {
    /// The way to the part that a term names, which need not exist. `None` for what is computed and for the old value.
    pub(super) fn way_of(&mut self, term: &Term) -> Option<Vec<ValueStep>> {
        match term {
            Term::Root(name) => (name == "self").then(Vec::new),
            Term::Variable(variable) => match self.binding(*variable)? {
                Binding::Part(way) => Some(way.clone()),
                Binding::Key(_) => None,
            },
            Term::Field(of, name) => {
                let mut way = self.way_of(of)?;
                way.push(ValueStep::Name(name.clone()));
                Some(way)
            }
            Term::Index(of, key) => {
                let mut way = self.way_of(of)?;
                way.push(match self.value_of(key)? {
                    Value::Int(index) => ValueStep::Index(usize::try_from(index).ok()?),
                    Value::String(name) => ValueStep::Name(name.to_string()),
                    _ => return None,
                });
                Some(way)
            }
            _ => None,
        }
    }

    /// Makes a value for each step of a way that does not have one.
    pub(super) fn make_present(&mut self, way: &[ValueStep]) -> bool {
        let mut value = self.value.clone();
        for length in 1..=way.len() {
            let Some((last, before)) = way.get(..length).and_then(<[_]>::split_last) else { return false };
            let Some(node) = schema_of_part(self.schema, way.get(..length).unwrap_or_default()) else {
                return false;
            };
            let make = |index| ObjectGenerator::new(node).generate_valid(index);
            match (find_part_mut(&mut value, before), last) {
                (Some(Json::Object(fields)), ValueStep::Name(name)) => {
                    let part = fields.entry(name.clone()).or_insert(Json::Null);
                    if part.is_null() {
                        *part = make(0);
                    }
                }
                (Some(Json::Array(items)), ValueStep::Index(index)) if *index < MOST_ITEMS => {
                    items.extend((items.len()..=*index).map(make));
                }
                _ => return false,
            }
        }
        if value != self.value {
            self.replace_value(value);
        }
        true
    }

    /// Takes away the part at the end of a way, or one on the way to it, as the schema allows. Variables that stand for it stay.
    pub(super) fn make_absent(&mut self, way: &[ValueStep]) -> bool {
        let removable = |length: &usize| {
            let (before, last) = (way.get(..length - 1)?, way.get(length - 1)?);
            let node = schema_of_part(self.schema, before)?;
            let required = node.get("required").and_then(Json::as_array).into_iter().flatten();
            let is_required = |name: &str| required.into_iter().any(|known| known == name);
            matches!(last, ValueStep::Name(name) if !is_required(name)).then_some(())
        };
        let lengths: Vec<usize> = (1..=way.len()).filter(|length| removable(length).is_some()).collect();
        // Mostly the part itself: the less is taken away, the more of the other formulas stays true.
        let chosen = if self.chance.number_below(4) == 0 {
            self.chance.choose_one(&lengths).copied()
        } else {
            lengths.last().copied()
        };
        let Some(way) = chosen.and_then(|length| way.get(..length)) else { return false };
        let mut value = self.value.clone();
        let is_removed = remove_part(&mut value, way);
        self.replace_value(value);
        is_removed
    }

    /// Writes a part at the end of a way that exists.
    pub(super) fn write_part(&mut self, way: &[ValueStep], part: Json) -> bool {
        let mut value = std::mem::take(&mut self.value);
        let is_written = find_part_mut(&mut value, way).map(|old| *old = part).is_some();
        self.replace_value(value);
        is_written
    }

    /// Adds an entry to a list or map, with a schema that says what its entries are. Returns the way to it.
    pub(super) fn add_entry(&mut self, way: &[ValueStep]) -> Option<Vec<ValueStep>> {
        let node = schema_of_part(self.schema, way)?;
        let below = ["items", "additionalProperties"].iter().find_map(|name| node.get(name));
        let below = below.filter(|below| below.is_object())?;
        let number = self.chance.number_below(60);
        let made = ObjectGenerator::new(below).generate_valid(number);
        let mut value = self.value.clone();
        let step = match find_part_mut(&mut value, way)? {
            Json::Array(items) if items.len() < MOST_ITEMS => {
                let known = items.len();
                items.push(made);
                make_items_distinct(items, node);
                // Else the schema has no other item.
                (items.len() > known).then_some(ValueStep::Index(known))?
            }
            Json::Object(fields) if fields.len() < MOST_ITEMS => {
                let names = ["example", "other", "third"].into_iter().map(str::to_owned);
                let mut names = names.chain((0..MOST_ITEMS).map(|number| format!("key-{number}")));
                let name = names.find(|name| !fields.contains_key(name))?;
                fields.insert(name.clone(), made);
                ValueStep::Name(name)
            }
            _ => return None,
        };
        self.replace_value(value);
        Some(way.iter().cloned().chain([step]).collect())
    }

    /// Takes an entry out of a list or map.
    pub(super) fn remove_entry(&mut self, way: &[ValueStep]) {
        let mut value = std::mem::take(&mut self.value);
        remove_part(&mut value, way);
        self.replace_value(value);
    }

    /// Gives the last step of a way, a key of a map, another name.
    pub(super) fn rename_key(&mut self, way: &[ValueStep], name: &str) -> bool {
        let Some((ValueStep::Name(old), before)) = way.split_last() else { return false };
        let mut value = self.value.clone();
        let Some(Json::Object(fields)) = find_part_mut(&mut value, before) else { return false };
        if fields.contains_key(name) {
            return false;
        }
        let Some(part) = fields.remove(old) else { return false };
        fields.insert(name.to_owned(), part);
        self.replace_value(value);
        self.rename_ways(way, &ValueStep::Name(name.to_owned()));
        true
    }

    /// Gives the text, list or map at the end of a way a size.
    pub(super) fn resize_part(&mut self, way: &[ValueStep], size: usize) -> bool {
        if size > MOST_ITEMS {
            return false;
        }
        let node = schema_of_part(self.schema, way);
        match find_part(&self.value, way).cloned() {
            Some(Json::String(text)) => {
                let text = resized_text(&text, node.unwrap_or(&json!({})), size);
                self.write_part(way, text.into())
            }
            Some(Json::Array(mut items)) => {
                items.truncate(size);
                let (count, mut is_done) = (items.len(), self.write_part(way, Json::Array(items)));
                for _ in count..size {
                    is_done &= self.add_entry(way).is_some();
                }
                is_done
            }
            Some(Json::Object(fields)) => {
                let kept: serde_json::Map<_, _> = fields.into_iter().take(size).collect();
                let (count, mut is_done) = (kept.len(), self.write_part(way, Json::Object(kept)));
                for _ in count..size {
                    is_done &= self.add_entry(way).is_some();
                }
                is_done
            }
            _ => false,
        }
    }
}

/// The most entries of a list or map that are made on purpose, and the longest text.
const MOST_ITEMS: usize = 300;

fn resized_text(text: &str, node: &Json, size: usize) -> String {
    let pattern = node.get("pattern").and_then(Json::as_str);
    let matching = pattern.and_then(|pattern| kvrules_generate::text_of_length(pattern, (size, Some(size))));
    matching.unwrap_or_else(|| text.chars().chain("-example".chars().cycle()).take(size).collect())
}
