//! Documents as a Kubernetes API server reads them: plain scalars by YAML 1.1, paths of fields, and the size of requests.

mod definition;
mod field;
mod object;
pub mod plain;
mod request;

pub use definition::find_definitions;
pub use field::{FoundField, find_field, follow_field};
pub use object::{TypedObject, find_objects, list_items};
pub use request::{REQUEST_BYTES, is_too_large};
