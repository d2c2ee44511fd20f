//! Objects that a schema accepts, or nearly accepts: for those who try schemas and rules.
//!
//! Choices are the same in every run.

mod changes;
mod distinct_items;
mod formats;
mod object;
mod parts;
mod places;
mod random;

pub use changes::{value_at, value_variants, with_value_at};
pub use distinct_items::make_items_distinct;
pub use formats::sample_format;
pub use object::{ObjectGenerator, text_matching, text_of_length};
pub use parts::{
    ValueStep, find_part, find_part_mut, parts_of, remove_part, schema_of_part, with_part, without_part,
};
pub use places::{
    PlaceStep, RefusedPlace, all_places, field_steps, parse_place, place_of_pointer, place_text,
    schema_at_place, schema_at_place_mut, server_path, values_below, without_rules,
};
pub use random::PseudoRandom;
