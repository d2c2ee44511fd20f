//! Values of an object next to the stored values that they replace.
//!
//! An update excuses an error only if the value is unchanged, and the server decides that by its schema: a field that no
//! schema describes has no counterpart, so nothing at or above it counts as unchanged.

use std::collections::HashMap;

use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::Value as Json;

use crate::node::{schema_keyword, text_keyword};

/// A value and its stored counterpart.
// apiserver cel/common/equality.go, CorrelatedObject
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrelatedValue<'a> {
    new: &'a Json,
    old: &'a Json,
    schema: &'a Json,
}

impl<'a> CorrelatedValue<'a> {
    /// An object and the stored object.
    pub(crate) fn root(new: &'a Json, old: &'a Json, schema: &'a Json) -> Self {
        Self { new, old, schema }
    }

    /// A field of both; none if one of them lacks it, or no schema describes it.
    // equality.go, Key
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        let (new, old) = (self.new.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        let property = self.schema.get("properties").and_then(|properties| properties.get(name));
        let schema = property.or_else(|| schema_keyword(self.schema, "additionalProperties"))?;
        Some(Self { new, old, schema })
    }

    /// The elements of both, if both are lists.
    pub(crate) fn elements(self) -> CorrelatedElements<'a> {
        let pairing = match (text_keyword(self.schema, LIST_TYPE), self.old.as_array()) {
            ("map", Some(old)) => Some(KeyedList::new(self.schema, old)),
            _ => None,
        };
        CorrelatedElements {
            list: self.new.as_array().map(Vec::as_slice).unwrap_or_default(),
            schema: self.schema,
            pairing,
        }
    }

    /// True if the value equals the stored one.
    // equality.go, CachedDeepEqual
    pub(crate) fn is_unchanged(self) -> bool {
        match (self.new, self.old) {
            (Json::Array(new), Json::Array(old)) => new.len() == old.len() && self.is_list_unchanged(),
            (Json::Object(new), Json::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.field(name).is_some_and(Self::is_unchanged))
            }
            (new, old) => new == old,
        }
    }

    // equality.go, CachedDeepEqual for arrays
    fn is_list_unchanged(self) -> bool {
        let elements = self.elements();
        for index in 0..elements.list.len() {
            match elements.get(index) {
                Some(element) if element.is_unchanged() => {}
                Some(_) => return false,
                // Elements that cannot be paired leave the lists to be compared whole.
                None => return elements.pairing.is_none() && self.new == self.old,
            }
        }
        true
    }
}

/// The elements of a list, by which their stored counterparts are found.
#[derive(Debug)]
pub(crate) struct CorrelatedElements<'a> {
    list: &'a [Json],
    schema: &'a Json,
    /// Only the elements of lists with keys have counterparts.
    pairing: Option<KeyedList<'a>>,
}

impl<'a> CorrelatedElements<'a> {
    /// An element and its counterpart.
    // equality.go, Index
    pub(crate) fn get(&self, index: usize) -> Option<CorrelatedValue<'a>> {
        let new = self.list.get(index)?;
        let old = self.pairing.as_ref()?.get(new)?;
        Some(CorrelatedValue { new, old, schema: schema_keyword(self.schema, "items")? })
    }
}

/// The elements of a list of type `map`, by their keys.
// apiserver cel/common/maplist.go
#[derive(Debug)]
pub(crate) struct KeyedList<'a> {
    keys: Vec<&'a str>,
    items: HashMap<String, &'a Json>,
}

impl<'a> KeyedList<'a> {
    /// Takes the elements of a list; none if the schema is not that of a list with keys.
    pub(crate) fn new(list: &'a Json, items: &'a [Json]) -> Self {
        let keys = list.get(LIST_MAP_KEYS).and_then(Json::as_array);
        let mut keys: Vec<&str> = keys.into_iter().flatten().filter_map(Json::as_str).collect();
        if text_keyword(list, "type") != "array" || text_keyword(list, LIST_TYPE) != "map" {
            keys.clear();
        }
        let mut found = Self { keys, items: HashMap::new() };
        for item in items {
            if let Some(key) = found.item_key(item) {
                found.items.entry(key).or_insert(item);
            }
        }
        found
    }

    /// The first element with the keys of another.
    pub(crate) fn get(&self, item: &Json) -> Option<&'a Json> {
        self.items.get(&self.item_key(item)?).copied()
    }

    /// The values of all keys; none if one is absent or no scalar.
    fn item_key(&self, item: &Json) -> Option<String> {
        let fields = item.as_object().filter(|_| !self.keys.is_empty())?;
        let value =
            |key: &&str| fields.get(*key).filter(|it| !(it.is_null() || it.is_array() || it.is_object()));
        let values: Option<Vec<String>> =
            self.keys.iter().map(|key| value(key).map(Json::to_string)).collect();
        Some(values?.join("\0"))
    }
}

/// The stored counterpart of a node while rules run.
// apiextensions schema/cel/validation.go, ratchetingOptions
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RatchetingContext<'a> {
    current: Option<CorrelatedValue<'a>>,
    /// The nearest ancestor with a counterpart, if the node itself has none.
    above: Option<CorrelatedValue<'a>>,
}

impl<'a> RatchetingContext<'a> {
    pub(crate) fn root(correlated: Option<CorrelatedValue<'a>>) -> Self {
        Self { current: correlated, above: None }
    }

    /// Of a field. Old and new object are brought to the same version, so a change of `apiVersion` and `kind` cannot be seen.
    pub(crate) fn field(self, name: &str) -> Self {
        match self.current {
            None => self,
            Some(_) if self.above.is_none() && matches!(name, "apiVersion" | "kind") => Self::default(),
            Some(current) => Self { current: current.field(name), above: Some(current) },
        }
    }

    /// The elements of a list, if the list has a counterpart.
    pub(crate) fn elements(self) -> Option<CorrelatedElements<'a>> {
        self.current.map(CorrelatedValue::elements)
    }

    /// Of an element out of [`Self::elements`].
    pub(crate) fn element(self, elements: Option<&CorrelatedElements<'a>>, index: usize) -> Self {
        match (self.current, elements) {
            (Some(current), Some(elements)) => Self { current: elements.get(index), above: Some(current) },
            _ => self,
        }
    }

    /// True if the failure of a rule is excused.
    // validation.go, shouldRatchetError
    pub(crate) fn is_unchanged(self) -> bool {
        self.current.or(self.above).is_some_and(CorrelatedValue::is_unchanged)
    }
}
