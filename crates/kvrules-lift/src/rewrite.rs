//! Equivalent forms of rules in CEL: cheaper ones, and those that older servers take.
//!
//! Candidates are made by changing parts of a rule in its text. A form counts only if it is proved to be true and false for the same
//! values as the rule, and if the server's evaluation on objects agrees.

mod cheaper;
mod formats;
mod loops;
mod older;
mod parts;
mod proof;
mod search;

pub use proof::says_same;
pub use search::{EquivalentRule, find_form, find_form_for_servers, site_of_rule};
