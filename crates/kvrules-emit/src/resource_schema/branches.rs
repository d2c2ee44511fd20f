//! `allOf`, `anyOf`, `oneOf` and `not`. What is in them restricts values that the schema around them describes: fields in them
//! have the defaults, and the nulls, that they have there.

use kvrules_apiserver::definition::map_keyword;
use kvrules_apiserver::object::ValueSchema;
use kvrules_diagnostics::Exactness;
use serde_json::{Map, Value, json};

use super::objects::add_conjunct;
use super::{Converter, OptionalNulls, field_node, is_true};

/// The value that a place has if it is absent.
enum AbsentValue {
    /// The default does not satisfy the branch, so the place must be there.
    Violates,
    /// Without a default, or with one that satisfies the branch.
    Passes,
}

/// The default of a field.
fn default_value(field: Option<&Map<String, Value>>) -> Option<&Value> {
    map_keyword(field?, "default").filter(|default| !default.is_null())
}

impl Converter {
    /// Adds the branches of a node. `around` is the schema that describes the same value; `None` if there is none.
    pub(super) fn add_branches(
        &mut self,
        node: &Map<String, Value>,
        around: Option<&Map<String, Value>>,
        made: &mut Map<String, Value>,
    ) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(branches) =
                map_keyword(node, keyword).and_then(Value::as_array).filter(|it| !it.is_empty())
            else {
                continue;
            };
            let before = self.is_inverted;
            self.is_inverted |= keyword == "oneOf";
            let convert = |branch: &Map<String, Value>| Value::from(self.convert_branch(branch, around));
            let branches: Vec<Value> = branches.iter().filter_map(Value::as_object).map(convert).collect();
            self.is_inverted = before;
            match (made.get_mut(keyword), keyword) {
                (Some(Value::Array(known)), "allOf") => known.extend(branches),
                (Some(_), _) => add_conjunct(made, json!({ keyword: branches })),
                (None, _) => drop(made.insert(keyword.to_owned(), branches.into())),
            }
        }
        if let Some(inner) = map_keyword(node, "not").and_then(Value::as_object) {
            let before = std::mem::replace(&mut self.is_inverted, true);
            let inner = self.convert_branch(inner, around);
            self.is_inverted = before;
            made.insert("not".to_owned(), inner.into());
        }
    }

    fn convert_branch(
        &mut self,
        branch: &Map<String, Value>,
        around: Option<&Map<String, Value>>,
    ) -> Map<String, Value> {
        let mut made = Map::new();
        if self.makes_schema {
            super::scalars::copy_descriptions(branch, &mut made);
            made.remove("default");
            super::scalars::add_type(branch, &mut made);
        }
        self.add_scalar_keywords(branch, &mut made);
        for keyword in ["minItems", "maxItems", "uniqueItems"] {
            if let Some(bound) = map_keyword(branch, keyword) {
                made.insert(keyword.to_owned(), bound.clone());
            }
        }
        self.add_property_counts(branch, around.unwrap_or(branch), &mut made);
        self.add_branch_fields(branch, around, &mut made);
        if let Some(items) = map_keyword(branch, "items").and_then(Value::as_object) {
            let around = around.and_then(|around| map_keyword(around, "items")).and_then(Value::as_object);
            let items = self.within("[*]", |it| it.convert_branch(items, around));
            made.insert("items".to_owned(), items.into());
        }
        self.add_branches(branch, around, &mut made);
        made
    }

    fn add_branch_fields(
        &mut self,
        branch: &Map<String, Value>,
        around: Option<&Map<String, Value>>,
        made: &mut Map<String, Value>,
    ) {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (name, property) in
            map_keyword(branch, "properties").and_then(Value::as_object).into_iter().flatten()
        {
            let Some(property) = property.as_object() else { continue };
            let outer = around.and_then(|around| field_node(around, name)?.as_object());
            let converted = self.within(name, |it| it.convert_branch(property, outer));
            match self.absent_value(name, property, outer) {
                AbsentValue::Violates => {
                    required.push(name.clone());
                    properties.insert(name.clone(), self.not_null(converted, outer).into());
                }
                AbsentValue::Passes => {
                    properties.insert(name.clone(), self.or_replaced_null(converted, outer).into());
                }
            }
        }
        let names = map_keyword(branch, "required").and_then(Value::as_array).into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            let outer = around.and_then(|around| field_node(around, name)?.as_object());
            if default_value(outer).is_some() && !required.iter().any(|known| known == name) {
                continue;
            }
            if !required.iter().any(|known| known == name) {
                required.push(name.to_owned());
            }
            let known = properties.remove(name).and_then(|known| known.as_object().cloned());
            let schema = self.not_null(known.unwrap_or_default(), outer);
            if !schema.is_empty() {
                properties.insert(name.to_owned(), schema.into());
            }
        }
        if !properties.is_empty() {
            made.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() {
            made.insert("required".to_owned(), required.into());
        }
    }

    /// The value of an absent field, compared with a branch.
    fn absent_value(
        &mut self,
        name: &str,
        branch: &Map<String, Value>,
        outer: Option<&Map<String, Value>>,
    ) -> AbsentValue {
        let Some(default) = default_value(outer) else {
            return AbsentValue::Passes;
        };
        if default.is_object() || default.is_array() {
            let cause = format!("a branch restricts `{name}`, which has a default");
            self.within(name, |it| it.note_loss("default", Exactness::Incomparable, &cause));
            return AbsentValue::Passes;
        }
        if allows_scalar(branch, default) { AbsentValue::Passes } else { AbsentValue::Violates }
    }

    /// True if the server drops or replaces a null in a field, and the schema accepts it.
    fn is_null_replaced(&self, outer: Option<&Map<String, Value>>) -> bool {
        self.options.nulls == OptionalNulls::Accept && outer.is_some_and(|outer| !is_true(outer, "nullable"))
    }

    fn or_replaced_null(
        &self,
        schema: Map<String, Value>,
        outer: Option<&Map<String, Value>>,
    ) -> Map<String, Value> {
        // A null that is kept is compared with type and `enum` alone.
        let is_kept = outer.is_some_and(|outer| is_true(outer, "nullable")) && !schema.contains_key("enum");
        if schema.is_empty() || !(self.is_null_replaced(outer) || is_kept) {
            return schema;
        }
        let alternatives = json!([{ "type": "null" }, schema]);
        [("anyOf".to_owned(), alternatives)].into_iter().collect()
    }

    fn not_null(&self, schema: Map<String, Value>, outer: Option<&Map<String, Value>>) -> Map<String, Value> {
        if !self.is_null_replaced(outer) {
            return schema;
        }
        let excluded = json!({ "not": { "type": "null" } });
        if schema.is_empty() {
            return excluded.as_object().cloned().unwrap_or_default();
        }
        let mut schema = schema;
        add_conjunct(&mut schema, excluded);
        schema
    }
}

/// True if a value that is neither an object nor a list satisfies a branch.
fn allows_scalar(branch: &Map<String, Value>, value: &Value) -> bool {
    let count = |keyword: &str| {
        let branches = map_keyword(branch, keyword).and_then(Value::as_array).into_iter().flatten();
        let branches: Vec<_> = branches.filter_map(Value::as_object).collect();
        (branches.iter().filter(|branch| allows_scalar(branch, value)).count(), branches.len())
    };
    let (all, of_all) = count("allOf");
    let (any, of_any) = count("anyOf");
    let (one, of_one) = count("oneOf");
    let inner = map_keyword(branch, "not").and_then(Value::as_object);
    ValueSchema::new(&Value::Object(branch.clone())).allows_value(value)
        && all == of_all
        && (any > 0 || of_any == 0)
        && (one == 1 || of_one == 0)
        && inner.is_none_or(|inner| !allows_scalar(inner, value))
}
