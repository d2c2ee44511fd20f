//! Schemas against the reference meaning, and the documents as a person reads them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop at the first surprise"
)]

#[path = "schema/agreement.rs"]
mod agreement;
#[path = "schema/cases.rs"]
mod cases;
#[path = "schema/document.rs"]
mod document;
#[path = "schema/domain.rs"]
mod domain;
#[path = "schema/mutation.rs"]
mod mutation;
#[path = "schema/ordered.rs"]
mod ordered;
#[path = "schema/patterns.rs"]
mod patterns;
#[path = "schema/places.rs"]
mod places;
#[path = "schema/random.rs"]
mod random;
#[path = "schema/synthesis.rs"]
mod synthesis;
