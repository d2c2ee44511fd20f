//! The registry of the named differences: one file each, in the order of their ids.

mod d01_unreadable_quantity;
mod d02_length_in_bytes;
mod d03_reference_object;
mod d04_empty_list_stops;
mod d05_type_names;
mod d06_unknown_kind;
mod d07_rounded_bounds;
mod d08_absent_pointer;
mod d09_null_item;
mod d10_unreadable_integer;
mod d11_error_of_warning;
mod d12_no_message;
mod d13_name_taken;
mod d14_path_construct;
mod d15_unknown_field;
mod d16_key_spelling;
mod d17_argument_of_list;
mod d18_bad_regex;
mod d19_defaults;
mod d20_machine_refused;
mod d21_annotation_refused;
mod d22_panic;
mod d23_argument_read;
mod d24_zero_cpu_count;
mod d25_null_in_values;
mod d26_path_not_rooted;
mod d27_index_fails_walk;
mod d28_machine_key_spelling;

use crate::context::Context;

/// A named difference between what rules mean and what the deployed validator does.
#[derive(Debug)]
pub struct Difference {
    /// Stable id, such as `D1`.
    pub id: &'static str,
    /// The name, which is also its page's.
    pub name: &'static str,
    /// What differs, in one sentence.
    pub summary: &'static str,
    /// Whether it applies to a rule and an object, or to the whole where the context has no rule.
    pub applies: fn(&Context<'_>) -> bool,
}

/// Every named difference, in the order of their ids.
pub static DIFFERENCES: &[&Difference] = &[
    &d01_unreadable_quantity::DIFFERENCE,
    &d02_length_in_bytes::DIFFERENCE,
    &d03_reference_object::DIFFERENCE,
    &d04_empty_list_stops::DIFFERENCE,
    &d05_type_names::DIFFERENCE,
    &d06_unknown_kind::DIFFERENCE,
    &d07_rounded_bounds::DIFFERENCE,
    &d08_absent_pointer::DIFFERENCE,
    &d09_null_item::DIFFERENCE,
    &d10_unreadable_integer::DIFFERENCE,
    &d11_error_of_warning::DIFFERENCE,
    &d12_no_message::DIFFERENCE,
    &d13_name_taken::DIFFERENCE,
    &d14_path_construct::DIFFERENCE,
    &d15_unknown_field::DIFFERENCE,
    &d16_key_spelling::DIFFERENCE,
    &d17_argument_of_list::DIFFERENCE,
    &d18_bad_regex::DIFFERENCE,
    &d19_defaults::DIFFERENCE,
    &d20_machine_refused::DIFFERENCE,
    &d21_annotation_refused::DIFFERENCE,
    &d22_panic::DIFFERENCE,
    &d23_argument_read::DIFFERENCE,
    &d24_zero_cpu_count::DIFFERENCE,
    &d25_null_in_values::DIFFERENCE,
    &d26_path_not_rooted::DIFFERENCE,
    &d27_index_fails_walk::DIFFERENCE,
    &d28_machine_key_spelling::DIFFERENCE,
];
