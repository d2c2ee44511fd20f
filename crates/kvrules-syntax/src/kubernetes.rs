//! Documents as a Kubernetes API server reads them: plain scalars by YAML 1.1, paths of fields, and the size of requests.

mod field;
pub mod plain;
mod request;

pub use field::{FoundField, find_field, follow_field};
pub use request::{REQUEST_BYTES, is_too_large};

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use serde_json::Value;

use crate::Node;
use crate::value::ValueReader;

/// The value of a node as a server gets it, without the entries and items whose values are in `dropped`; `None` if it is
/// larger than a request. Parts that cannot be read are `null`.
pub fn request_value(node: Node<'_>, dropped: &BTreeSet<Span>) -> Option<Value> {
    ValueReader::kubernetes().with_limit(REQUEST_BYTES).without(dropped).lenient().read(node).ok()
}
