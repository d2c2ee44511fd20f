//! Values of words that fit the type of a field, to begin a rule with.

use kvrules_kubernetes::keywords::LIST_TYPE;
use serde_json::Value as Json;

use crate::compared::ComparedAs;
use crate::path::{PathStep, RulePath};
use crate::shape::{ValueType, child_schema, enum_values, is_map, may_be_absent, schema_at};

/// A field that a rule is to be about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedField<'s> {
    pub(crate) path: &'s RulePath,
    pub(crate) schema: &'s Json,
    /// The schema of the object.
    pub(crate) root: &'s Json,
}

impl OfferedField<'_> {
    fn value_type(&self) -> ValueType {
        ValueType::of_schema(self.schema)
    }

    /// The path of the object that has the field, and its schema.
    fn parent(&self) -> Option<(RulePath, &Json)> {
        let (_, steps) = self.path.0.split_last()?;
        let parent = RulePath(steps.to_vec());
        let schema = schema_at(self.root, &parent)?;
        Some((parent, schema))
    }

    pub(crate) fn may_be_absent(&self) -> bool {
        let Some(PathStep::Field(name)) = self.path.0.last() else { return false };
        self.parent().is_some_and(|(_, parent)| may_be_absent(parent, name))
    }

    fn is_text(&self) -> bool {
        self.value_type() == ValueType::String && enum_values(self.schema).is_none()
    }

    fn count(&self, keyword: &str) -> Option<u64> {
        self.schema.get(keyword).and_then(Json::as_u64)
    }

    /// Bounds that are narrower than those of the schema.
    fn count_bounds(&self, (least, most): (&str, &str), usual: (u64, u64)) -> Option<String> {
        let min = self.count(least).map_or(usual.0, |it| it.saturating_add(1).max(usual.0));
        let max = self.count(most).map_or(usual.1, |it| it.saturating_sub(1).min(usual.1));
        (min <= max).then(|| format!("{{min: {min}, max: {max}}}"))
    }

    /// The path to a sibling of the same type.
    fn sibling(&self) -> Option<String> {
        let (parent, schema) = self.parent().filter(|_| !self.path.has_each())?;
        let Some(PathStep::Field(own)) = self.path.0.last() else { return None };
        let is_like = |(name, schema): &(&String, &Json)| {
            *name != own && ValueType::of_schema(schema) == self.value_type() && enum_values(schema).is_none()
        };
        let (name, _) = schema.get("properties")?.as_object()?.iter().find(is_like)?;
        let step = RulePath(vec![PathStep::Field(name.clone())]);
        Some(parent.join_path(&step).to_string())
    }

    /// The first two fields that the object may lack.
    fn optional_fields(&self) -> Option<String> {
        if self.value_type() != ValueType::Object || is_map(self.schema) || self.path.has_each() {
            return None;
        }
        let names = self.schema.get("properties")?.as_object()?.keys();
        let mut optional = names.filter(|name| may_be_absent(self.schema, name));
        let path =
            |name: &String| self.path.join_path(&RulePath(vec![PathStep::Field(name.clone())])).to_string();
        let (one, other) = (path(optional.next()?), path(optional.next()?));
        Some(format!("[{}, {}]", in_yaml(&one.into()), in_yaml(&other.into())))
    }
}

/// A value in a flow collection: a plain scalar if it has letters and digits alone.
pub(crate) fn in_yaml(value: &Json) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_word);
    let is_other =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str());
    if is_plain && !is_other { text.to_owned() } else { value.to_string() }
}

pub(super) fn nothing(_: &OfferedField<'_>) -> Option<String> {
    None
}

pub(super) fn offer_required(field: &OfferedField<'_>) -> Option<String> {
    (field.may_be_absent() && !field.path.has_each()).then(|| "true".to_owned())
}

pub(super) fn offer_forbidden(field: &OfferedField<'_>) -> Option<String> {
    offer_required(field)
}

pub(super) fn offer_exactly_one(field: &OfferedField<'_>) -> Option<String> {
    field.optional_fields()
}

pub(super) fn offer_at_most_one(field: &OfferedField<'_>) -> Option<String> {
    field.optional_fields()
}

pub(super) fn offer_at_least_one(field: &OfferedField<'_>) -> Option<String> {
    field.optional_fields()
}

pub(super) fn offer_all_or_none(field: &OfferedField<'_>) -> Option<String> {
    field.optional_fields()
}

pub(super) fn offer_integer(field: &OfferedField<'_>) -> Option<String> {
    if field.value_type() != ValueType::Integer {
        return None;
    }
    let bound = |name: &str| field.schema.get(name).and_then(Json::as_i64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let usual = least.unwrap_or(0).checked_add(1)?;
    let min = most.map_or(usual, |most| usual.min(most));
    let max = most.map_or(min.checked_add(9), |most| most.checked_sub(1))?;
    (min <= max).then(|| format!("{{min: {min}, max: {max}}}"))
}

pub(super) fn offer_number(field: &OfferedField<'_>) -> Option<String> {
    if field.value_type() != ValueType::Number {
        return None;
    }
    let bound = |name: &str| field.schema.get(name).and_then(Json::as_f64);
    let (least, most) = (bound("minimum").unwrap_or(0.0), bound("maximum"));
    let max = most.unwrap_or(least + 10.0);
    let (min, max) = (least + (max - least) / 4.0, max - (max - least) / 4.0);
    (min < max).then(|| format!("{{min: {min:?}, max: {max:?}}}"))
}

/// Parts of names of fields whose strings are probably quantities, without a format in the schema.
const QUANTITY_NAMES: [&str; 6] = ["memory", "cpu", "storage", "size", "capacity", "quota"];

pub(super) fn offer_quantity(field: &OfferedField<'_>) -> Option<String> {
    let is_declared = field.schema.get("format").and_then(Json::as_str) == Some("quantity");
    let is_named = match field.path.0.last() {
        Some(PathStep::Field(name)) => QUANTITY_NAMES.iter().any(|part| name.to_lowercase().contains(part)),
        _ => false,
    };
    let has_pattern = field.schema.get("pattern").is_some();
    let is_bare = !has_pattern && field.schema.get("maxLength").is_none();
    let is_quantity = match field.value_type() {
        // Generated definitions give quantities a pattern.
        ValueType::IntOrString => has_pattern || is_named,
        _ => field.is_text() && is_bare && (is_declared || is_named),
    };
    is_quantity.then(|| "{min: 100m, max: 64Gi}".to_owned())
}

pub(super) fn offer_length(field: &OfferedField<'_>) -> Option<String> {
    if !field.is_text() || field.schema.get("format").is_some() {
        return None;
    }
    field.count_bounds(("minLength", "maxLength"), (1, 63))
}

pub(super) fn offer_items(field: &OfferedField<'_>) -> Option<String> {
    match field.value_type() {
        ValueType::List => field.count_bounds(("minItems", "maxItems"), (1, 10)),
        ValueType::Map => field.count_bounds(("minProperties", "maxProperties"), (1, 10)),
        _ => None,
    }
}

/// Most of the values of the enumeration: a rule about all of them would say nothing.
pub(super) fn offer_choice(field: &OfferedField<'_>) -> Option<String> {
    if field.value_type() == ValueType::Boolean {
        return Some("[true]".to_owned());
    }
    if ComparedAs::of_schema(field.schema) != ComparedAs::Plain {
        return None;
    }
    let known = enum_values(field.schema).filter(|_| field.value_type() == ValueType::String);
    match known.map(Vec::as_slice) {
        Some([] | [_]) => None,
        Some([values @ .., _]) => {
            let values: Vec<_> = values.iter().take(8).map(in_yaml).collect();
            Some(format!("[{}]", values.join(", ")))
        }
        None => field.is_text().then(|| "[one, another]".to_owned()),
    }
}

pub(super) fn offer_pattern(field: &OfferedField<'_>) -> Option<String> {
    let is_open = field.schema.get("pattern").is_none() && field.schema.get("format").is_none();
    (field.is_text() && is_open).then(|| "\"^[a-z0-9.-]+$\"".to_owned())
}

/// The last value of the enumeration.
pub(super) fn offer_denied_choice(field: &OfferedField<'_>) -> Option<String> {
    let is_text = field.value_type() == ValueType::String;
    if !is_text || ComparedAs::of_schema(field.schema) != ComparedAs::Plain {
        return None;
    }
    match enum_values(field.schema).map(Vec::as_slice) {
        Some([_, .., last]) => Some(format!("[{}]", in_yaml(last))),
        Some(_) => None,
        None => Some("[one, another]".to_owned()),
    }
}

pub(super) fn offer_denied_pattern(field: &OfferedField<'_>) -> Option<String> {
    offer_pattern(field).map(|_| "\"[A-Z]\"".to_owned())
}

pub(super) fn offer_start(field: &OfferedField<'_>) -> Option<String> {
    offer_pattern(field).map(|_| "one-".to_owned())
}

pub(super) fn offer_end(field: &OfferedField<'_>) -> Option<String> {
    offer_pattern(field).map(|_| "\"-one\"".to_owned())
}

pub(super) fn offer_contained(field: &OfferedField<'_>) -> Option<String> {
    let items = child_schema(field.schema, &PathStep::Each).filter(|_| field.value_type() == ValueType::List);
    let Some(items) = items else { return offer_pattern(field).map(|_| "one".to_owned()) };
    let of_items = ValueType::of_schema(items);
    match enum_values(items).and_then(|known| known.first()) {
        Some(first) => (of_items == ValueType::String).then(|| in_yaml(first)),
        None => (of_items == ValueType::String).then(|| "one".to_owned()),
    }
}

pub(super) fn offer_not_empty(field: &OfferedField<'_>) -> Option<String> {
    let is_usual = matches!(field.value_type(), ValueType::List | ValueType::Map) || field.is_text();
    (is_usual && !field.path.has_each()).then(|| "true".to_owned())
}

pub(super) fn offer_format(field: &OfferedField<'_>) -> Option<String> {
    let is_open = field.schema.get("pattern").is_none() && field.schema.get("format").is_none();
    (field.is_text() && is_open).then(|| "dns-label".to_owned())
}

/// The first scalar field of items, or no field for scalar items; none if the server requires distinct items already.
pub(super) fn offer_unique(field: &OfferedField<'_>) -> Option<String> {
    if field.value_type() != ValueType::List {
        return None;
    }
    let list_type = field.schema.get(LIST_TYPE).and_then(Json::as_str);
    if matches!(list_type, Some("set" | "map")) {
        return None;
    }
    let items = child_schema(field.schema, &PathStep::Each)?;
    if ValueType::of_schema(items).is_scalar() {
        return Some("[]".to_owned());
    }
    let properties = items.get("properties")?.as_object()?;
    let is_key = |name: &&str| properties.get(*name).is_some_and(|it| ValueType::of_schema(it).is_scalar());
    let usual = ["name", "id", "key"].into_iter().find(is_key);
    let key = usual.or_else(|| properties.keys().map(String::as_str).find(is_key))?;
    Some(format!("[{}]", in_yaml(&key.into())))
}

fn offer_comparison(field: &OfferedField<'_>, types: &[ValueType]) -> Option<String> {
    types.contains(&field.value_type()).then(|| field.sibling()).flatten().map(|path| in_yaml(&path.into()))
}

pub(super) fn offer_at_least(field: &OfferedField<'_>) -> Option<String> {
    offer_comparison(field, &[ValueType::Integer, ValueType::Number])
}

pub(super) fn offer_at_most(field: &OfferedField<'_>) -> Option<String> {
    offer_at_least(field)
}

pub(super) fn offer_equals(field: &OfferedField<'_>) -> Option<String> {
    offer_comparison(field, &[ValueType::Integer, ValueType::Number, ValueType::Boolean])
}

pub(super) fn offer_immutable(field: &OfferedField<'_>) -> Option<String> {
    let is_single = !field.path.0.is_empty() && !field.path.has_each();
    is_single.then(|| if field.may_be_absent() { "onceSet" } else { "always" }.to_owned())
}

pub(super) fn offer_no_removal(field: &OfferedField<'_>) -> Option<String> {
    let is_collection = matches!(field.value_type(), ValueType::List | ValueType::Map);
    (is_collection && !field.path.has_each()).then(|| "true".to_owned())
}

/// A step from the first value of the enumeration to the second.
pub(super) fn offer_transitions(field: &OfferedField<'_>) -> Option<String> {
    let known = enum_values(field.schema).filter(|_| field.value_type() == ValueType::String)?;
    let [from, to, ..] = known.as_slice() else { return None };
    (!field.path.has_each()).then(|| format!("{{{}: [{}]}}", in_yaml(from), in_yaml(to)))
}
