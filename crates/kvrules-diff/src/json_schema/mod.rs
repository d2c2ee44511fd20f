//! Two schemas in JSON Schema (draft 4 to 2020-12) or OpenAPI, as a validator reads them: what is not mentioned is allowed,
//! and a default fills nothing in.
//!
//! `adapt` writes every dialect as draft 2020-12, `flat_schema` takes references and `allOf` away, `walk` notes every place where two
//! schemas differ, `values` decides which values one allows by itself, `build` makes whole values, `schema_validator` asks a validator
//! about them, `canonical_proof` proves that there are none, and `witness_search` puts it together. Verdicts come from the
//! `jsonschema` crate alone.
//!
//! ```
//! use kvrules_diff::{Direction, json_schema};
//! use serde_json::json;
//!
//! let with_most = |most: i32| {
//!     let document = json!({"properties": {"n": {"type": "integer", "maximum": most}}});
//!     json_schema::SchemaSource::from_pointers(&document, &[String::new()]).remove(0)
//! };
//! let comparison = json_schema::compare_schemas(&with_most(9), &with_most(5), &|_| false)?;
//! let change = &comparison.changes[0];
//! assert_eq!((change.at.as_str(), change.direction), ("n", Direction::Tightened));
//! assert_eq!(change.refused.as_ref().map(|witness| &witness.object), Some(&json!({"n": 6})));
//! # Ok::<(), json_schema::InvalidSide>(())
//! ```

mod adapt;
mod build;
mod canonical_proof;
mod cost;
mod flat_schema;
mod keywords;
mod schema_edit;
mod schema_equality;
mod schema_validator;
mod source;
mod value_kinds;
mod value_step;
mod values;
mod walk;
mod witness_search;

use serde_json::Value;

pub use canonical_proof::ContainmentProof;
pub use schema_validator::{InvalidSchema, SchemaValidator, ValueRefusal};
pub use source::SchemaSource;
pub use witness_search::InvalidSide;

use crate::report::Comparison;

/// Compares two schemas. The target of a reference with `is_apart` is left out, since it is compared by itself.
///
/// # Errors
///
/// The reason why no validator accepts one of the schemas. It is reported only if they differ.
pub fn compare_schemas(
    old: &SchemaSource,
    new: &SchemaSource,
    is_apart: &dyn Fn(&str) -> bool,
) -> Result<Comparison, InvalidSide> {
    let walk::WalkResult { edits, compared, steps } = walk::find_edits(old, new, is_apart);
    if edits.is_empty() {
        return Ok(Comparison { compared, steps, ..Comparison::default() });
    }
    let (changes, search_steps) = witness_search::SchemaPair::new(old, new)?.resolve_edits(&edits);
    Ok(Comparison { changes, compared, steps: steps + search_steps })
}

/// `number` values made from a schema, which it may accept or reject, for comparing two schemas.
pub fn generate_values(source: &SchemaSource, number: usize) -> Vec<Value> {
    let known = build::ScalarCache::default();
    let made = |number| {
        build::ValueBuilder::new(source, number, &known).build_at_place(&[], &build::SchemaAttempt::Anything)
    };
    (0..number).filter_map(made).collect()
}
