//! One node by itself: what its keywords for scalars ask of a value.

use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Map, Value as Json};

use super::validate::{self, CompiledPatterns};
use crate::server::ServerFeatures;

/// A node without what is below it, its branches and its rules.
///
/// ```
/// use kvrules_apiserver::object::ValueSchema;
/// use serde_json::json;
///
/// let node = ValueSchema::new(&json!({"type": "array", "maxItems": 1, "items": {"type": "string"}}));
/// assert!(node.allows_value(&json!([1, 2])) && !node.allows_value(&json!("a")));
/// assert!(!ValueSchema::new(&json!({"type": "string", "format": "ipv4"})).allows_value(&json!("1.2.3")));
/// ```
#[derive(Debug)]
pub struct ValueSchema {
    schema: Json,
    patterns: CompiledPatterns,
}

/// The keywords that are about a value by itself.
const KEYWORDS: [&str; 13] = [
    "type",
    "format",
    "nullable",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    INT_OR_STRING,
];

impl ValueSchema {
    /// Makes a node ready.
    pub fn new(node: &Json) -> Self {
        let kept =
            KEYWORDS.iter().filter_map(|keyword| Some(((*keyword).to_owned(), node.get(keyword)?.clone())));
        let schema = Json::Object(kept.collect::<Map<_, _>>());
        Self { patterns: CompiledPatterns::from_schema(&schema), schema }
    }

    /// True if a value satisfies all of them.
    pub fn allows_value(&self, value: &Json) -> bool {
        validate::is_valid_value(&self.schema, &self.patterns, value, ServerFeatures::default().objects)
    }

    /// True if the type of a value is allowed. If a format is set, a list passes as a string.
    pub fn allows_type_of(&self, value: &Json) -> bool {
        validate::allows_type(&self.schema, value)
    }
}

/// True if the server enforces a format of strings.
pub fn is_enforced_format(format: &str) -> bool {
    validate::is_enforced_format(format)
}
