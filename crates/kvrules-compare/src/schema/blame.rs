//! Whether a difference is to blame for what two schemas say of an object, where they differ in more than one place.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::judge::{Judge, Verdict};
use super::place::Down;

/// The two schemas that lie between the old and the new one: the old one with a difference and no other, the new one without it.
pub(super) struct Blame<'s> {
    schemas: (&'s Value, &'s Value),
    downs: &'s [Down],
    keys: &'s [Vec<String>],
    applied: OnceCell<Judge>,
    reverted: OnceCell<Judge>,
}

impl<'s> Blame<'s> {
    pub(super) fn new(schemas: (&'s Value, &'s Value), downs: &'s [Down], keys: &'s [Vec<String>]) -> Self {
        Self { schemas, downs, keys, applied: OnceCell::new(), reverted: OnceCell::new() }
    }

    /// Whether the difference makes the new schema refuse what the old one accepts or, with `refused` off, the reverse.
    pub(super) fn is_to_blame(&self, refused: bool, ask: &dyn Fn(&Judge) -> Verdict) -> bool {
        let (old, new) = self.schemas;
        let applied = self.applied.get_or_init(|| Judge::new(&self.transplanted(old, new)));
        let verdict = ask(applied);
        if if refused { verdict.refuses() } else { verdict.accepts() } {
            return true;
        }
        let reverted = self.reverted.get_or_init(|| Judge::new(&self.transplanted(new, old)));
        let verdict = ask(reverted);
        if refused { verdict.accepts() } else { verdict.refuses() }
    }

    /// A schema with what is different taken from another.
    fn transplanted(&self, into: &Value, from: &Value) -> Value {
        let mut made = into.clone();
        for key in self.keys {
            let way: Vec<String> =
                self.downs.iter().flat_map(Down::tokens).chain(key.iter().cloned()).collect();
            let value = way.iter().try_fold(from, |at, token| at.get(token)).cloned();
            put(&mut made, &way, value);
        }
        made
    }
}

/// Puts a value at a path, or takes away what is there.
fn put(schema: &mut Value, way: &[String], value: Option<Value>) {
    let (Some((first, rest)), Some(fields)) = (way.split_first(), schema.as_object_mut()) else { return };
    match (rest.is_empty(), value) {
        (true, Some(value)) => _ = fields.insert(first.clone(), value),
        (true, None) => _ = fields.shift_remove(first),
        (false, value) => {
            let inner = fields.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            put(inner, rest, value);
        }
    }
}
