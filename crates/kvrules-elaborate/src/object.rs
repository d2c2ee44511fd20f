//! Objects as they stand in a text, as JSON values: bare, or in a template that is processed as OpenShift does.

mod parameters;
mod value;

pub use parameters::Values;
pub use value::{Unlike, server_value, value};
