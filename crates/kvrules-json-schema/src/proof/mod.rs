//! Proofs about one schema: that no value satisfies it, and that it rejects a certain value.
//!
//! A proof is about a small schema in draft 2020-12 (`local_schema`) that accepts every value which the real one accepts, and
//! maybe more: what is invalid, unresolved, too large or not exactly expressible is left out. What the small schema rejects, the
//! real one rejects.

mod emptiness;
mod local_schema;

pub(crate) use emptiness::{ContradictoryParts, is_proved_empty, prove_empty};
pub(crate) use local_schema::{LocalSchema, SchemaDetail, is_deliberately_empty, keyword_span};

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]
mod tests;
