//! Objects as they stand in a text, as JSON values: bare, or in a template that is processed as its engine does.

mod parameters;
mod process;
mod value;

pub use parameters::{Values, whole_reference};
pub use process::process_object;
pub use value::{Unlike, node_to_json, server_value};
