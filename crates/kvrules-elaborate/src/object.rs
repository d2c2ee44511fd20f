//! Objects as they are in a text, as JSON values: bare, or in a template that is processed as its engine does.

mod parameters;
mod process;

pub use parameters::{ParameterValues, whole_reference};
pub use process::process_object;

use kvrules_syntax::Node;
use kvrules_syntax::value::{NotJsonError, ValueReader};
use serde_json::Value;

/// The value of an object for a Kubernetes API server, with the parameters of its template.
pub fn object_value(node: Node<'_>, parameters: &ParameterValues) -> Result<Value, NotJsonError> {
    ValueReader::for_kubernetes().with_exact_integers().with_texts(parameters).read_value(node)
}
