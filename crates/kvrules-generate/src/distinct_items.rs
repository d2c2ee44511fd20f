//! Items of lists that a server requires to differ: those of sets, and those of lists with keys.

use kvrules_apiserver::definition::keyword_value;
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use serde_json::{Value, json};

/// The most values that are tried for a key.
const TRIES: usize = 24;

/// Changes the items of a list that equal one before them, if its schema declares it a set, or have the same keys, if it is one of the type
/// `map`. An item that no change distinguishes is left out, as long as the list stays long enough.
///
/// ```
/// use kvrules_generate::make_items_distinct;
/// use serde_json::json;
///
/// let properties = json!({"name": {"type": "string"}, "n": {"type": "integer"}});
/// let schema = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
///     "items": {"type": "object", "properties": properties}});
/// let mut items = vec![json!({"name": "a", "n": 1}), json!({"name": "a", "n": 2})];
/// make_items_distinct(&mut items, &schema);
/// assert_eq!(items, [json!({"name": "a", "n": 1}), json!({"name": "a1", "n": 2})]);
/// ```
pub fn make_items_distinct(items: &mut Vec<Value>, schema: &Value) {
    let Some(identity) = ItemIdentity::of_list(schema) else { return };
    let least = keyword_value(schema, "minItems").and_then(Value::as_u64).unwrap_or(0);
    let mut known: Vec<Value> = Vec::new();
    let mut left = items.len();
    items.retain_mut(|item| {
        let is_distinct = identity.make_distinct(item, &known);
        let is_kept = is_distinct || u64::try_from(left).unwrap_or(u64::MAX) <= least;
        left -= usize::from(!is_kept);
        known.push(identity.of_item(item));
        is_kept
    });
}

/// The part of an item by which it differs from others.
enum ItemIdentity<'s> {
    /// The whole item, with its schema.
    Whole(&'s Value),
    /// These fields, with their schemas.
    Keys(Vec<(&'s str, &'s Value)>),
}

impl<'s> ItemIdentity<'s> {
    /// `None` for lists whose items may be equal, and for those with keys that the schema does not declare.
    fn of_list(schema: &'s Value) -> Option<Self> {
        let items = keyword_value(schema, "items")?;
        match keyword_value(schema, LIST_TYPE).and_then(Value::as_str)? {
            "set" => Some(Self::Whole(items)),
            "map" => {
                let properties = keyword_value(items, "properties")?;
                let keys = keyword_value(schema, LIST_MAP_KEYS)?.as_array()?.iter().filter_map(Value::as_str);
                let keys: Option<Vec<_>> = keys.map(|key| Some((key, properties.get(key)?))).collect();
                keys.filter(|keys| !keys.is_empty()).map(Self::Keys)
            }
            _ => None,
        }
    }

    fn of_item(&self, item: &Value) -> Value {
        match self {
            Self::Whole(_) => item.clone(),
            Self::Keys(keys) => {
                keys.iter().map(|(key, _)| item.get(key).cloned().unwrap_or_default()).collect()
            }
        }
    }

    /// Changes an item until it differs from those that are known. False if no change helps; the item is as before then.
    fn make_distinct(&self, item: &mut Value, known: &[Value]) -> bool {
        if !known.contains(&self.of_item(item)) {
            return true;
        }
        let before = item.clone();
        let changes: Vec<(Option<&str>, &Value)> = match self {
            Self::Whole(schema) => vec![(None, *schema)],
            Self::Keys(keys) => keys.iter().map(|(key, schema)| (Some(*key), *schema)).collect(),
        };
        for (key, schema) in changes {
            let old = key.map_or(Some(&before), |key| before.get(key)).cloned().unwrap_or_default();
            for value in other_values(&old, schema) {
                match (key, item.as_object_mut()) {
                    (Some(key), Some(fields)) => drop(fields.insert(key.to_owned(), value)),
                    (None, _) => *item = value,
                    (Some(_), None) => return false,
                }
                if !known.contains(&self.of_item(item)) {
                    return true;
                }
            }
            *item = before.clone();
        }
        false
    }
}

/// Other values that a schema of a scalar accepts, near to one.
fn other_values(value: &Value, schema: &Value) -> Vec<Value> {
    let bound = |name: &str| keyword_value(schema, name).and_then(Value::as_i64);
    if let Some(values) = keyword_value(schema, "enum").and_then(Value::as_array) {
        return values.clone();
    }
    let restricts_texts = ["pattern", "format"].iter().any(|name| keyword_value(schema, name).is_some());
    match keyword_value(schema, "type").and_then(Value::as_str) {
        Some("boolean") => vec![json!(false), json!(true)],
        Some("integer" | "number") => {
            let step = bound("multipleOf").unwrap_or(1).max(1);
            let (least, most) = (bound("minimum").unwrap_or(i64::MIN), bound("maximum").unwrap_or(i64::MAX));
            let start = value.as_i64().unwrap_or_else(|| least.max(0));
            let distances = (1..).flat_map(|number| [number * step, -number * step]).take(TRIES);
            let numbers = distances.map(|distance| start.saturating_add(distance));
            numbers.filter(|number| (least..=most).contains(number)).map(Value::from).collect()
        }
        Some("string") if !restricts_texts => {
            let text = value.as_str().unwrap_or("a");
            let most = bound("maxLength").and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
            let texts = (1..TRIES).map(|number| {
                let end = number.to_string();
                let start: String = text.chars().take(most.saturating_sub(end.len())).collect();
                start + &end
            });
            texts.filter(|text| text.len() <= most).map(Value::from).collect()
        }
        _ => Vec::new(),
    }
}
