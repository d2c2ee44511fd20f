//! Objects as they are in a text, as JSON values: bare, or in a template that is processed as its engine does.

mod parameters;
mod process;
mod value;

pub use parameters::{Values, whole_reference};
pub use process::process;
pub use value::{Unlike, server_value, value};
