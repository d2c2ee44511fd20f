//! Equality of data: as rules have it, and as servers decide that an update leaves a value unchanged. A policy compares lists by
//! position and maps by all their entries.

use kvrules_cel::types::escape_property;
use serde_json::Value;

use super::facts::{
    DataKind, ListType, data_kind, declared_fields, has_same_equality, has_unknown_fields, is_nullable,
    is_unchanged_if_equal,
};
use super::names::LoopNames;
use super::path::{has_text, select_text};
use super::pieces::{BYTES, Remaining, convert_scalar};
use crate::cel::quoted_text;

const LIST_OF_OTHERS: &str = "the rule compares lists whose items are of another type in policies";
const SET_OF_OTHERS: &str =
    "the rule compares lists of the type `set` whose items are lists, objects, numbers or formatted texts";
const ESCAPED_KEY: &str = "the rule compares lists of the type `map` by a key whose name rules escape";
const HIDDEN: &str = "the rule compares fields that the schema does not describe";

/// Writes comparisons of data.
pub(super) struct EqualityWriter<'w> {
    pub(super) names: &'w mut LoopNames,
    pub(super) remaining: &'w mut Remaining,
}

impl EqualityWriter<'_> {
    /// True if a rule has two values of a schema for equal.
    // apiserver pkg/cel/common values.go, Equal of unstructuredMap, unstructuredList, unstructuredSetList, unstructuredMapList
    pub(super) fn write_equal(&mut self, left: &str, right: &str, schema: &Value) -> Result<String, String> {
        if has_same_equality(schema) {
            return Ok(format!("{left} == {right}"));
        }
        match data_kind(schema) {
            DataKind::Scalar => Ok(format!("{left} == {right}")),
            DataKind::Typed(form) => {
                let convert = |text, remaining: &mut _| convert_scalar(text, form, remaining);
                let left = convert(left, self.remaining).map_err(|_| BYTES.to_owned())?;
                Ok(format!("{left} == {}", convert(right, self.remaining)?))
            }
            DataKind::List(items, list_type) => self.write_lists_equal(left, right, items, list_type),
            DataKind::Map(values) => {
                let key = self.names.named("key");
                let (of_left, of_right) = (format!("{left}[{key}]"), format!("{right}[{key}]"));
                let equal = self.write_equal(&of_left, &of_right, values)?;
                Ok(format!(
                    "size({left}) == size({right}) && {left}.all({key}, {key} in {right} && ({equal}))"
                ))
            }
            DataKind::Object if has_unknown_fields(schema) => Err(HIDDEN.to_owned()),
            DataKind::Object => self.write_objects_equal(left, right, schema),
            DataKind::Hidden => Err(HIDDEN.to_owned()),
        }
    }

    fn write_lists_equal(
        &mut self,
        left: &str,
        right: &str,
        items: &Value,
        list_type: ListType<'_>,
    ) -> Result<String, String> {
        let same_size = format!("size({left}) == size({right})");
        let item = self.names.named("item");
        match list_type {
            ListType::Atomic => {
                let DataKind::Typed(form) = data_kind(items) else { return Err(LIST_OF_OTHERS.to_owned()) };
                let converted = convert_scalar(&item, form, self.remaining)?;
                Ok(format!("{left}.map({item}, {converted}) == {right}.map({item}, {converted})"))
            }
            ListType::Set if matches!(data_kind(items), DataKind::Scalar) => {
                Ok(format!("{same_size} && {right}.all({item}, {item} in {left})"))
            }
            ListType::Set => Err(SET_OF_OTHERS.to_owned()),
            ListType::Map(keys) => {
                let keys = key_names(keys);
                if keys.iter().any(|key| escape_property(key).as_deref() != Some(key)) {
                    return Err(ESCAPED_KEY.to_owned());
                }
                if has_same_equality(items) {
                    return Ok(format!("{same_size} && {right}.all({item}, {item} in {left})"));
                }
                let other = self.names.named("other");
                let equal = self.write_equal(&other, &item, items)?;
                let same = same_keys(&keys, &other, &item);
                Ok(format!("{same_size} && {right}.all({item}, {left}.exists({other}, {same} && {equal}))"))
            }
        }
    }

    /// Fields with null are counted, and not compared.
    fn write_objects_equal(&mut self, left: &str, right: &str, schema: &Value) -> Result<String, String> {
        let is_special = |field: &Value| is_nullable(field) || !has_same_equality(field);
        let special: Vec<_> = declared_fields(schema).filter(|(_, field)| is_special(field)).collect();
        let mut parts = vec![format!("size({left}) == size({right})")];
        parts.extend(self.write_other_fields(left, right, schema, &special, false));
        for (name, field) in special {
            let (of_left, of_right) = (select_text(left, name), select_text(right, name));
            let (has_left, has_right) = (has_text(left, name), has_text(right, name));
            let equal = self.write_equal(&of_left, &of_right, field)?;
            parts.push(if is_nullable(field) {
                format!("(!{has_left} || {of_left} == null || {has_right} && {of_right} != null && {equal})")
            } else {
                format!("(!{has_left} || {has_right} && {equal})")
            });
        }
        Ok(parts.join(" && "))
    }

    /// The fields apart from special ones are on both sides, and equal.
    fn write_other_fields(
        &mut self,
        left: &str,
        right: &str,
        schema: &Value,
        special: &[(&String, &Value)],
        is_strict: bool,
    ) -> Option<String> {
        if special.len() == declared_fields(schema).count() && !is_strict {
            return None;
        }
        let key = self.names.named("key");
        let equal = format!("{left}[{key}] == {right}[{key}]");
        let names: Vec<String> = special.iter().map(|(name, _)| quoted_text(name)).collect();
        let listed = names.join(", ");
        Some(match (special.is_empty(), is_strict) {
            (true, _) => format!("{left}.all({key}, {key} in {right} && {equal})"),
            (false, false) => {
                format!("{left}.all({key}, {key} in [{listed}] || {key} in {right} && {equal})")
            }
            (false, true) => {
                format!("{left}.all({key}, {key} in {right} && ({key} in [{listed}] || {equal}))")
            }
        })
    }

    /// True if a value of an update counts as unchanged; `None` if it never does. Both are there, and neither is null.
    // apiserver cel/common/equality.go, CachedDeepEqual
    pub(super) fn write_unchanged(&mut self, new: &str, old: &str, schema: &Value) -> Option<String> {
        if is_unchanged_if_equal(schema) {
            return Some(format!("{new} == {old}"));
        }
        match data_kind(schema) {
            DataKind::List(items, ListType::Map(keys)) => {
                let item = self.names.named("item");
                let same_size = format!("size({new}) == size({old})");
                if is_unchanged_if_equal(items) {
                    return Some(format!("{same_size} && {new}.all({item}, {item} in {old})"));
                }
                let other = self.names.named("other");
                let same = same_keys(&key_names(keys), &other, &item);
                Some(match self.write_unchanged(&item, &other, items) {
                    Some(text) => {
                        format!("{same_size} && {new}.all({item}, {old}.exists({other}, {same} && {text}))")
                    }
                    None => format!("size({new}) == 0 && size({old}) == 0"),
                })
            }
            DataKind::Map(values) => {
                let key = self.names.named("key");
                let below = self.write_unchanged(&format!("{new}[{key}]"), &format!("{old}[{key}]"), values);
                let below = below.map_or("false".to_owned(), |text| format!("({text})"));
                Some(format!("size({new}) == size({old}) && {new}.all({key}, {key} in {old} && {below})"))
            }
            DataKind::Object => self.write_object_unchanged(new, old, schema),
            // A field that no schema describes has no counterpart.
            DataKind::Hidden => Some(format!("{new} == {old} && (type({new}) != map || size({new}) == 0)")),
            _ => Some(format!("{new} == {old}")),
        }
    }

    fn write_object_unchanged(&mut self, new: &str, old: &str, schema: &Value) -> Option<String> {
        let has_unknown = has_unknown_fields(schema);
        let declares = |name: &str| declared_fields(schema).any(|(declared, _)| declared == name);
        let is_embedded = kvrules_cel::types::is_embedded(schema);
        if is_embedded && !["apiVersion", "kind", "metadata"].into_iter().all(declares) {
            return None;
        }
        let mut parts = vec![format!("size({new}) == size({old})")];
        if is_embedded {
            // Fields of metadata are described by no schema.
            parts.push(format!("(!has({new}.metadata) || size({new}.metadata) == 0)"));
        }
        let special: Vec<_> =
            declared_fields(schema).filter(|(_, field)| !is_unchanged_if_equal(field)).collect();
        if has_unknown {
            let key = self.names.named("key");
            let names: Vec<String> = declared_fields(schema).map(|(name, _)| quoted_text(name)).collect();
            parts.push(format!("{new}.all({key}, {key} in [{}])", names.join(", ")));
        }
        parts.extend(self.write_other_fields(new, old, schema, &special, true));
        for (name, field) in special {
            let (of_new, of_old) = (select_text(new, name), select_text(old, name));
            let absent = format!("!{}", has_text(new, name));
            let unchanged = self.write_unchanged(&of_new, &of_old, field);
            let unchanged = match unchanged {
                Some(text) if is_nullable(field) => {
                    format!("({of_new} == null || {of_old} == null ? {of_new} == {of_old} : {text})")
                }
                Some(text) => text,
                None => "false".to_owned(),
            };
            parts.push(format!("({absent} || {unchanged})"));
        }
        Some(parts.join(" && "))
    }
}

/// The names of keys.
pub(super) fn key_names(keys: &[Value]) -> Vec<&str> {
    keys.iter().filter_map(Value::as_str).collect()
}

/// True if two items have the same keys.
pub(super) fn same_keys(keys: &[&str], left: &str, right: &str) -> String {
    let equal = |key: &&str| format!("{} == {}", select_text(left, key), select_text(right, key));
    keys.iter().map(equal).collect::<Vec<_>>().join(" && ")
}
