//! Objects as they are in a text, as JSON values: bare, or in a template that is processed as its engine does.

mod parameters;
mod process;
mod value;

pub use parameters::{ParameterValues, whole_reference};
pub use process::process_object;
pub use value::{NotJsonError, node_to_json, server_value};
