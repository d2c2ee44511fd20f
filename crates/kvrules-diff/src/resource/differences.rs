//! The smallest parts in which two trees differ.

use serde_json::{Map, Value};

/// A part that differs. Entries of lists are matched by their names.
pub(super) struct Difference<'v> {
    /// Path for users: keys with dots between them, entries of lists as `versions[v1]`.
    pub(super) path: String,
    /// The keys on the path, without entries of lists.
    pub(super) keys: Vec<&'v str>,
    /// Value on the old side; `None` if absent.
    pub(super) before: Option<&'v Value>,
    /// Value on the new side.
    pub(super) after: Option<&'v Value>,
    /// Path of the old value, or of the closest one around it.
    pub(super) old: Vec<String>,
    /// Path of the new value, or of the closest one around it.
    pub(super) new: Vec<String>,
}

/// Keys that name the entries of a list, the first that all entries have.
const NAMES: [&str; 2] = ["name", "expression"];

/// Returns the differences of two trees, in the order of the old one; what only the new one has comes after it.
pub(super) fn differences<'v>(old: &'v Value, new: &'v Value) -> Vec<Difference<'v>> {
    let mut walk = Walk { found: Vec::new() };
    walk.pair(old, new, &Place::default());
    walk.found
}

/// The place that a walk has reached on both sides.
#[derive(Clone, Default)]
struct Place<'v> {
    path: String,
    keys: Vec<&'v str>,
    old: Vec<String>,
    new: Vec<String>,
}

struct Walk<'v> {
    found: Vec<Difference<'v>>,
}

impl<'v> Walk<'v> {
    fn pair(&mut self, old: &'v Value, new: &'v Value, place: &Place<'v>) {
        match (old, new) {
            (Value::Object(one), Value::Object(other)) => self.maps(one, other, place),
            (Value::Array(one), Value::Array(other)) if !one.is_empty() && !other.is_empty() => {
                match key_of_entries(one, other) {
                    Some(key) => self.lists(one, other, key, place),
                    None if one != other => self.report(Some(old), Some(new), place.clone()),
                    None => {}
                }
            }
            _ if old != new => self.report(Some(old), Some(new), place.clone()),
            _ => {}
        }
    }

    fn maps(&mut self, old: &'v Map<String, Value>, new: &'v Map<String, Value>, place: &Place<'v>) {
        for (key, before) in old {
            let inner = place.field(key);
            match new.get(key) {
                Some(after) => self.pair(before, after, &inner),
                None => self.report(Some(before), None, inner),
            }
        }
        for (key, after) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            self.report(None, Some(after), place.field(key));
        }
    }

    fn lists(&mut self, old: &'v [Value], new: &'v [Value], key: &str, place: &Place<'v>) {
        let mut left: Vec<(usize, &Value)> = new.iter().enumerate().collect();
        for (number, before) in old.iter().enumerate() {
            let partner = left.iter().position(|(_, after)| after.get(key) == before.get(key));
            match partner.map(|at| left.remove(at)) {
                Some((other, after)) => {
                    self.pair(before, after, &place.entry(before, key, Some(number), Some(other)));
                }
                None => self.report(Some(before), None, place.entry(before, key, Some(number), None)),
            }
        }
        for (number, after) in left {
            self.report(None, Some(after), place.entry(after, key, None, Some(number)));
        }
    }

    fn report(&mut self, before: Option<&'v Value>, after: Option<&'v Value>, place: Place<'v>) {
        let Place { path, keys, old, new } = place;
        self.found.push(Difference { path, keys, before, after, old, new });
    }
}

impl<'v> Place<'v> {
    fn field(&self, key: &'v str) -> Self {
        let mut inner = self.clone();
        if !inner.path.is_empty() {
            inner.path.push('.');
        }
        inner.path.push_str(key);
        inner.keys.push(key);
        inner.old.push(key.to_owned());
        inner.new.push(key.to_owned());
        inner
    }

    /// An entry of a list, with its number on each side.
    fn entry(&self, entry: &Value, key: &str, old: Option<usize>, new: Option<usize>) -> Self {
        let mut inner = self.clone();
        // Only names are added to the path. Other keys are expressions, which would make it hard to read.
        if let Some(name) = entry.get(key).and_then(Value::as_str).filter(|_| key == "name") {
            inner.path = format!("{}[{name}]", inner.path);
        }
        inner.old.extend(old.map(|number| number.to_string()));
        inner.new.extend(new.map(|number| number.to_string()));
        inner
    }
}

/// Returns the key by which the entries of two lists are matched: each side has it in every entry, as a string.
fn key_of_entries(old: &[Value], new: &[Value]) -> Option<&'static str> {
    let has =
        |key: &str, side: &[Value]| side.iter().all(|entry| entry.get(key).is_some_and(Value::is_string));
    NAMES.into_iter().find(|key| has(key, old) && has(key, new))
}
