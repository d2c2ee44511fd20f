//! Values of a schema as a person would write them.

use kvrules_apiserver::object::ValueSchema;
use kvrules_generate::{ObjectGenerator, sample_format, text_of_length};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Map, Value as Json, json};

use super::usual::{usual_integers, usual_strings};

/// The optional fields that are filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// None.
    Required,
    /// All, as far as the number of values allows.
    All,
}

/// Deeper objects are filled in only as far as they must be.
const DEEP: usize = 12;

/// Writes values of a schema.
pub(super) struct ValueWriter {
    pub(super) fill: Fill,
    /// Number of values that may still be written for optional fields.
    pub(super) budget: usize,
}

impl ValueWriter {
    /// Writes the value of a field of a name.
    pub(super) fn write_value(&mut self, name: &str, node: &Json, depth: usize) -> Json {
        self.budget = self.budget.saturating_sub(1);
        if let Some(value) = given_value(node) {
            return value;
        }
        match node.get("type").and_then(Json::as_str).unwrap_or_default() {
            "object" => self.write_object(node, depth),
            "array" => self.write_list(name, node, depth),
            _ => scalar_values(name, node).into_iter().next().unwrap_or_else(|| generated_value(node)),
        }
    }

    fn is_filled(&self, depth: usize) -> bool {
        self.fill == Fill::All && self.budget > 0 && depth < DEEP
    }

    fn write_object(&mut self, node: &Json, depth: usize) -> Json {
        let mut fields = Map::new();
        let required = node.get("required").and_then(Json::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Json::as_str).collect();
        let least = count_keyword(node, "minProperties");
        for (name, below) in node.get("properties").and_then(Json::as_object).into_iter().flatten() {
            if required.contains(&name.as_str())
                || self.is_filled(depth)
                || fields.len() + required.len() < least
            {
                fields.insert(name.clone(), self.write_value(name, below, depth + 1));
            }
        }
        if let Some(below) = node.get("additionalProperties").filter(|below| below.is_object()) {
            let wanted = least.max(usize::from(self.is_filled(depth)));
            for key in ["example", "other", "third"].into_iter().take(wanted) {
                fields.insert(key.to_owned(), self.write_value(key, below, depth + 1));
            }
        }
        Json::Object(fields)
    }

    fn write_list(&mut self, name: &str, node: &Json, depth: usize) -> Json {
        let Some(below) = node.get("items").filter(|below| below.is_object()) else { return json!([]) };
        let count = count_keyword(node, "minItems").max(usize::from(self.is_filled(depth)));
        let mut items: Vec<Json> = Vec::new();
        for index in 0..count.min(20) {
            let mut item = self.write_value(name, below, depth + 1);
            if items.contains(&item) {
                item = scalar_values(name, below).into_iter().nth(index).unwrap_or(item);
            }
            items.push(item);
        }
        Json::Array(items)
    }
}

/// A value that the schema itself proposes.
fn given_value(node: &Json) -> Option<Json> {
    let own = ["default", "example"].into_iter().filter_map(|keyword| node.get(keyword));
    let listed = node.get("enum").and_then(Json::as_array).into_iter().flatten();
    own.chain(listed).find(|value| !value.is_null() && **value != json!("")).cloned()
}

/// Values of a scalar schema for a field of a name, the best first.
pub(super) fn scalar_values(name: &str, node: &Json) -> Vec<Json> {
    let schema = ValueSchema::new(node);
    let is_mixed = node.get(INT_OR_STRING) == Some(&Json::Bool(true));
    let mut values: Vec<Json> = given_value(node).into_iter().collect();
    values.extend(node.get("enum").and_then(Json::as_array).into_iter().flatten().cloned());
    match node.get("type").and_then(Json::as_str).unwrap_or_default() {
        "string" => {
            values.extend(string_format(node));
            values.extend(usual_strings(name).map(|text| json!(text)));
            values.extend(patterned(node));
        }
        "integer" | "number" => values.extend(numbers(name, node)),
        "boolean" => values.extend([json!(true), json!(false)]),
        _ if is_mixed => {
            values.extend(usual_integers(name).map(|number| json!(number)));
            values.extend(usual_strings(name).map(|text| json!(text)));
        }
        _ => {}
    }
    values.retain(|value| schema.allows_value(value));
    values
}

fn string_format(node: &Json) -> Option<Json> {
    sample_format(node.get("format")?.as_str()?).map(|text| json!(text))
}

/// A text of the pattern or the length that is required.
fn patterned(node: &Json) -> Option<Json> {
    let length =
        (count_keyword(node, "minLength"), node.get("maxLength").map(|_| count_keyword(node, "maxLength")));
    match node.get("pattern").and_then(Json::as_str) {
        Some(pattern) => text_of_length(pattern, length).map(|text| json!(text)),
        None => Some(json!("example-".repeat(length.0 / 8 + 1).trim_end_matches('-'))),
    }
}

/// Usual numbers, and those at the bounds.
fn numbers(name: &str, node: &Json) -> Vec<Json> {
    let usual = usual_integers(name).map(|number| json!(number));
    let bounds =
        ["minimum", "maximum", "multipleOf"].into_iter().filter_map(|keyword| node.get(keyword)).cloned();
    let inner = [("minimum", 1.0), ("maximum", -1.0)].into_iter().filter_map(|(keyword, step)| {
        let number = node.get(keyword)?.as_f64()? + step;
        #[expect(clippy::cast_possible_truncation, reason = "a bound plus one; the schema decides")]
        Some(json!(number as i64))
    });
    usual.chain(bounds).chain(inner).collect()
}

fn generated_value(node: &Json) -> Json {
    ObjectGenerator::new(node).generate_valid(0)
}

fn count_keyword(node: &Json, keyword: &str) -> usize {
    node.get(keyword).and_then(Json::as_u64).and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}
