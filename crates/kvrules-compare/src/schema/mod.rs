//! Two structural schemas, as CustomResourceDefinitions have them.
//!
//! `walk` notes every place where they differ, with what the kind of the difference says of its direction: a bound that goes
//! up, a rule that is added. `values` decides which values two nodes allow, `cel` and `rules` compare rules, `build` makes
//! objects, `judge` says what a server answers to them, and `settle` puts it together: the direction, and whole objects that
//! show it.

mod blame;
mod build;
mod cel;
mod edit;
mod format;
mod judge;
mod keyword;
mod place;
mod rules;
mod settle;
mod shrink;
mod values;
mod walk;

use serde_json::{Map, Value};

pub use judge::{Judge, Refusal, Verdict};
pub use place::{Step, path_text};

pub(crate) use shrink::shrink;

use build::{Builder, Hints};
use settle::{Bench, Side};

use crate::report::Comparison;

/// Compares two schemas, the values of `openAPIV3Schema`. `head` has the fields that every object gets: `apiVersion`, `kind`
/// and a name.
pub fn compare(old: &Value, new: &Value, head: &Value) -> Comparison {
    let edits = walk::edits(old, new);
    let compared = walk::count(old, new);
    if edits.is_empty() {
        return Comparison { changes: Vec::new(), compared };
    }
    let mut hints = Hints::default();
    for schema in [old, new] {
        hints_of(schema, &mut hints);
    }
    let side = |schema| Side { schema, judge: Judge::new(schema), builder: Builder::with(hints.clone()) };
    let head = head.as_object().cloned().unwrap_or_else(Map::new);
    let bench = Bench { old: side(old), new: side(new), head };
    let changes = edits.into_iter().map(|edit| bench.settle(edit)).collect();
    Comparison { changes, compared }
}

/// `number` objects that a schema may or may not take, made from it: for whoever wants to ask two schemas the same.
pub fn objects(schema: &Value, number: usize) -> Vec<Value> {
    let mut hints = Hints::default();
    hints_of(schema, &mut hints);
    let builder = Builder::with(hints);
    (0..number).filter_map(|number| builder.object(schema, &[], build::Force::Free, number)).collect()
}

/// The values that all rules of a schema speak of.
fn hints_of(schema: &Value, hints: &mut Hints) {
    match schema {
        Value::Object(keywords) => {
            for rule in keyword::list(schema, keyword::RULES) {
                cel::hints(keyword::text(rule, "rule"), hints);
            }
            keywords.values().for_each(|value| hints_of(value, hints));
        }
        Value::Array(parts) => parts.iter().for_each(|part| hints_of(part, hints)),
        _ => {}
    }
}
