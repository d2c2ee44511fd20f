//! Objects that a schema accepts, or nearly accepts.

use std::cell::RefCell;
use std::collections::HashMap;

use kvrules_apiserver::definition::keyword_value;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING};
use kvrules_regex::{TextDemands, TextSearch};
use serde_json::{Map, Number, Value, json};

use crate::changes::{change_somewhere, differing_value};
use crate::distinct_items::make_items_distinct;
use crate::formats::sample_format;
use crate::places::{PlaceStep, parse_place, values_below};
use crate::random::PseudoRandom;

/// Deeper values are left out where they may be.
const DEEP: usize = 12;

/// Number of fields that are tried to reach the least number.
const TRIES_TO_FILL: usize = 20;

/// Generates objects of a schema.
pub struct ObjectGenerator<'s> {
    schema: &'s Value,
    /// Source of its choices.
    pub chance: PseudoRandom,
}

impl<'s> ObjectGenerator<'s> {
    /// A generator for a schema, which need not be that of a whole resource.
    pub fn new(schema: &'s Value) -> Self {
        Self { schema, chance: PseudoRandom::new() }
    }

    /// Generates an object without anything that is changed on purpose.
    ///
    /// ```
    /// use kvrules_generate::ObjectGenerator;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 7}}});
    /// assert!(ObjectGenerator::new(&schema).generate_valid(0)["n"].as_i64() >= Some(7));
    /// ```
    pub fn generate_valid(&mut self, index: usize) -> Value {
        // From nearly nothing to nearly everything; other indices make other choices.
        self.chance.skip_numbers(index);
        self.build_value(self.schema, index % 5 * 20 + 5, 0)
    }

    /// Generates an object; of four, one has nothing changed.
    pub fn generate_object(&mut self, index: usize) -> Value {
        // From nearly nothing to nearly everything.
        let fill = index % 5 * 20 + 5;
        let mut object = self.build_value(self.schema, fill, 0);
        if !index.is_multiple_of(4) {
            change_somewhere(&mut object, &mut self.chance);
        }
        object
    }

    /// Generates an object that shows a difference of a keyword at a place, such as `spec.ports.x-kubernetes-list-map-keys`. None
    /// if the place cannot be reached.
    pub fn generate_difference(&mut self, rule: &str, attempt: usize) -> Option<Value> {
        let (place, keyword) = rule.rsplit_once('.').unwrap_or(("", rule));
        let steps = parse_place(place, self.schema)?;
        self.build_along(self.schema, &steps, attempt, &mut |generator, value, node| match keyword {
            "maxProperties" if keyword_value(node, "additionalProperties").is_none() => {
                generator.build_all_fields(node)
            }
            _ => differing_value(value, node, keyword, attempt),
        })
    }

    /// Generates an object that has a place.
    pub fn generate_with(&mut self, steps: &[PlaceStep], attempt: usize) -> Option<Value> {
        self.build_along(self.schema, steps, attempt, &mut |_, value, _| value)
    }

    /// Generates an object that has this value at the end of some steps.
    pub fn generate_holding(&mut self, steps: &[PlaceStep], attempt: usize, value: &Value) -> Option<Value> {
        self.build_along(self.schema, steps, attempt, &mut |_, _, _| value.clone())
    }

    /// Builds a value that has something at the end of some steps, and changes that.
    fn build_along(
        &mut self,
        node: &Value,
        steps: &[PlaceStep],
        attempt: usize,
        change: &mut dyn FnMut(&mut Self, Value, &Value) -> Value,
    ) -> Option<Value> {
        let branch = self.choose_branch(node);
        let node = branch.as_ref().unwrap_or(node);
        let mut value = self.build_value(node, attempt % 4 * 20, 0);
        match steps {
            [] => Some(change(self, value, node)),
            [PlaceStep::Field(name), rest @ ..] => {
                let child = keyword_value(node, "properties")?.get(name)?;
                let inner = self.build_along(child, rest, attempt, change)?;
                if !value.is_object() {
                    value = json!({});
                }
                let fields = value.as_object_mut()?;
                fields.insert(name.clone(), inner);
                remove_surplus(fields, node, name);
                Some(value)
            }
            [PlaceStep::Any, rest @ ..] => {
                let inner = self.build_along(values_below(node)?, rest, attempt, change)?;
                match &mut value {
                    Value::Array(list) => {
                        list.truncate(list.len().saturating_sub(1));
                        list.push(inner);
                    }
                    Value::Object(fields) => drop(fields.insert("a".to_owned(), inner)),
                    _ => return None,
                }
                Some(value)
            }
        }
    }

    /// All fields of an object, and one that its schema does not name.
    fn build_all_fields(&mut self, node: &Value) -> Value {
        let properties = keyword_value(node, "properties").and_then(Value::as_object).into_iter().flatten();
        let build = |(name, property): (&String, &Value)| (name.clone(), self.build_value(property, 0, 0));
        let all: Map<String, Value> = properties.map(build).collect();
        all.into_iter().chain([("unknownField".to_owned(), 1.into())]).collect()
    }

    fn build_value(&mut self, node: &Value, fill: usize, depth: usize) -> Value {
        let branch = self.choose_branch(node);
        let node = branch.as_ref().unwrap_or(node);
        // One pass in place of a search for each of these keywords.
        let (mut listed, mut default, mut is_of_two_types, mut kind) = (None, None, false, None);
        for (keyword, value) in node.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "enum" => listed = value.as_array().filter(|values| !values.is_empty()),
                "default" => default = Some(value),
                "type" => kind = value.as_str(),
                INT_OR_STRING => is_of_two_types = value == &Value::Bool(true),
                _ => {}
            }
        }
        if let Some(values) = listed {
            return self.chance.choose_one(values).cloned().unwrap_or_default();
        }
        if let Some(default) = default
            && self.chance.number_below(4) == 0
        {
            return default.clone();
        }
        if is_of_two_types {
            return if self.chance.number_below(2) == 0 {
                self.build_number(node)
            } else {
                self.build_text(node)
            };
        }
        match kind {
            Some("object") => self.build_object(node, fill, depth),
            Some("array") => self.build_list(node, fill, depth),
            Some("string") => self.build_text(node),
            Some("integer" | "number") => self.build_number(node),
            Some("boolean") => (self.chance.number_below(2) == 0).into(),
            _ => json!({ "a": self.chance.number_below(3) }),
        }
    }

    /// The node with one of its alternatives merged into it.
    fn choose_branch(&mut self, node: &Value) -> Option<Value> {
        let is_junctor = |keyword: &String| matches!(keyword.as_str(), "allOf" | "anyOf" | "oneOf");
        if !node.as_object()?.keys().any(is_junctor) {
            return None;
        }
        let mut merged = None;
        for keyword in ["anyOf", "oneOf"] {
            let branches = keyword_value(node, keyword).and_then(Value::as_array).filter(|it| !it.is_empty());
            let Some(branch) = branches.and_then(|branches| self.chance.choose_one(branches)) else {
                continue;
            };
            let into = merged.get_or_insert_with(|| node.clone());
            merge_schema(into, branch);
        }
        for branch in keyword_value(node, "allOf").and_then(Value::as_array).into_iter().flatten() {
            merge_schema(merged.get_or_insert_with(|| node.clone()), branch);
        }
        merged
    }

    fn build_object(&mut self, node: &Value, fill: usize, depth: usize) -> Value {
        let mut fields = Map::new();
        let required: Vec<&str> = strings(node, "required").collect();
        for (name, property) in
            keyword_value(node, "properties").and_then(Value::as_object).into_iter().flatten()
        {
            let is_wanted = required.contains(&name.as_str())
                || (depth < DEEP && self.chance.number_below(100) < fill.saturating_sub(depth * 5));
            if is_wanted {
                fields.insert(name.clone(), self.build_value(property, fill, depth + 1));
            }
        }
        if let Some(values) = keyword_value(node, "additionalProperties").filter(|values| values.is_object())
        {
            for name in ["a", "b", "c"].iter().take(self.chance.number_below(4)) {
                fields.insert((*name).to_owned(), self.build_value(values, fill, depth + 1));
            }
        }
        self.fill_up(&mut fields, node, fill, depth);
        remove_surplus(&mut fields, node, "");
        if keyword_value(node, EMBEDDED_RESOURCE) == Some(&json!(true)) {
            fields.insert("apiVersion".to_owned(), "v1".into());
            fields.insert("kind".to_owned(), "Kind".into());
        }
        Value::Object(fields)
    }

    /// Adds fields up to the least number.
    fn fill_up(&mut self, fields: &mut Map<String, Value>, node: &Value, fill: usize, depth: usize) {
        let least = bound(node, "minProperties").and_then(|least| usize::try_from(least).ok()).unwrap_or(0);
        if fields.len() >= least {
            return;
        }
        let properties = keyword_value(node, "properties").and_then(Value::as_object).into_iter().flatten();
        let properties: Vec<(&String, &Value)> = properties.collect();
        for _ in 0..TRIES_TO_FILL {
            if fields.len() >= least {
                return;
            }
            if let Some((name, property)) = self.chance.choose_one(&properties) {
                fields.insert((*name).clone(), self.build_value(property, fill, depth + 1));
            }
        }
    }

    fn build_list(&mut self, node: &Value, fill: usize, depth: usize) -> Value {
        let least = bound(node, "minItems").unwrap_or(0).clamp(0, 20);
        let most = bound(node, "maxItems").unwrap_or(3).clamp(0, 20);
        let wanted = if depth >= DEEP {
            least
        } else {
            least + i64::try_from(self.chance.number_below(3)).unwrap_or(0)
        };
        let count = wanted.min(most.max(least));
        let Some(items) = keyword_value(node, "items") else { return json!([]) };
        let mut built = (0..count).map(|_| self.build_value(items, fill, depth + 1)).collect();
        make_items_distinct(&mut built, node);
        Value::Array(built)
    }

    fn build_text(&mut self, node: &Value) -> Value {
        let least = bound(node, "minLength").unwrap_or(0).clamp(0, 300);
        let most = bound(node, "maxLength");
        if let Some(text) = keyword_value(node, "format").and_then(Value::as_str).and_then(sample_format) {
            return text.into();
        }
        if let Some(pattern) = keyword_value(node, "pattern").and_then(Value::as_str) {
            let length =
                (usize::try_from(least).unwrap_or(0), most.and_then(|most| usize::try_from(most).ok()));
            if let Some(text) = known_text(pattern, length) {
                return text.into();
            }
        }
        let wanted = least.max(i64::try_from(self.chance.number_below(4)).unwrap_or(0));
        let length = most.map_or(wanted, |most| wanted.min(most));
        "a".repeat(usize::try_from(length).unwrap_or(0)).into()
    }

    fn build_number(&mut self, node: &Value) -> Value {
        let (least, most) = (bound(node, "minimum"), bound(node, "maximum"));
        let step = bound(node, "multipleOf").unwrap_or(1).max(1);
        let number = match (least, most, self.chance.number_below(3)) {
            (Some(least), _, 0) => least,
            (_, Some(most), 1) => most,
            (Some(least), ..) => least.saturating_add(step),
            (None, Some(most), _) => most.saturating_sub(step),
            (None, None, _) => i64::try_from(self.chance.number_below(100)).unwrap_or(0),
        };
        Value::Number(Number::from(number - number % step))
    }
}

/// Removes fields beyond the greatest number, but neither required ones nor the wanted one.
fn remove_surplus(fields: &mut Map<String, Value>, node: &Value, wanted: &str) {
    let most = bound(node, "maxProperties").and_then(|most| usize::try_from(most).ok());
    let Some(mut surplus) = most.map(|most| fields.len().saturating_sub(most)) else { return };
    let required: Vec<&str> = strings(node, "required").collect();
    fields.retain(|name, _| {
        let is_kept = surplus == 0 || name == wanted || required.contains(&name.as_str());
        surplus -= usize::from(!is_kept);
        is_kept
    });
}

fn strings<'v>(node: &'v Value, keyword: &str) -> impl Iterator<Item = &'v str> + use<'v> {
    keyword_value(node, keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn bound(node: &Value, keyword: &str) -> Option<i64> {
    let value = keyword_value(node, keyword)?;
    #[expect(clippy::cast_possible_truncation, reason = "an example need not be exact")]
    value.as_i64().or_else(|| value.as_f64().map(|float| float as i64))
}

/// Adds the keywords of a branch to a schema: names that it requires, and restrictions of its fields.
fn merge_schema(into: &mut Value, branch: &Value) {
    let (Some(into), Some(branch)) = (into.as_object_mut(), branch.as_object()) else { return };
    for (keyword, value) in branch {
        match (into.get_mut(keyword), value) {
            (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
                known.extend(more.clone());
            }
            (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                for (name, property) in more {
                    match known.get_mut(name) {
                        Some(known) => merge_schema(known, property),
                        None => drop(known.insert(name.clone(), property.clone())),
                    }
                }
            }
            _ => drop(into.insert(keyword.clone(), value.clone())),
        }
    }
}

/// Returns a text that a regular expression matches, if one is found.
///
/// ```
/// assert_eq!(kvrules_generate::text_matching("^v[0-9]$").as_deref(), Some("v0"));
/// ```
pub fn text_matching(pattern: &str) -> Option<String> {
    known_text(pattern, (0, None))
}

/// Returns a text of some length that a regular expression matches, if one is found.
///
/// ```
/// let text = kvrules_generate::text_of_length("^[ab]+$", (3, Some(4))).unwrap();
/// assert_eq!(text.len(), 3);
/// ```
pub fn text_of_length(pattern: &str, length: (usize, Option<usize>)) -> Option<String> {
    known_text(pattern, length)
}

/// The least and the greatest length of a text.
type Lengths = (usize, Option<usize>);

thread_local! {
    /// Texts that were found: a definition has the same patterns in many places, and the search is long.
    static TEXTS: RefCell<HashMap<(String, Lengths), Option<String>>> = RefCell::default();
}

/// The most texts that are kept.
const MOST_TEXTS: usize = 2_000;

fn known_text(pattern: &str, length: Lengths) -> Option<String> {
    let key = (pattern.to_owned(), length);
    if let Some(known) = TEXTS.with_borrow(|texts| texts.get(&key).cloned()) {
        return known;
    }
    let found = find_text(pattern, length);
    TEXTS.with_borrow_mut(|texts| {
        if texts.len() >= MOST_TEXTS {
            texts.clear();
        }
        texts.insert(key, found.clone());
    });
    found
}

fn find_text(pattern: &str, length: Lengths) -> Option<String> {
    let regex = kvrules_regex::parse(pattern).ok()?;
    // To make an automaton takes long, and most patterns show what their shortest text is.
    if let Some(text) = regex.shortest_text()
        && text.len() >= length.0
    {
        return length.1.is_none_or(|most| text.len() <= most).then_some(text);
    }
    let automaton = regex.to_automaton()?;
    match (TextDemands { matches: &[&automaton], lacks: &[], length }).find_text() {
        TextSearch::Found(text) => Some(text),
        _ => None,
    }
}
