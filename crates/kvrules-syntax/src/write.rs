//! Writes YAML. All that kvrules writes as YAML without a text to edit comes from here.

use std::fmt;

use serde::Serialize;

use crate::edit::for_older_readers;

/// The reason why a value cannot be written as YAML, such as a map whose keys are maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError(String);

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

/// Writes a value as a YAML document that readers of YAML 1.1, such as Kubernetes, read alike: `on`, `1_000` and `2020-01-01`
/// are in quotation marks.
///
/// ```
/// let schema = serde_json::json!({"type": "string", "enum": ["on", "up"]});
/// assert_eq!(kvrules_syntax::to_yaml(&schema).unwrap(), "type: string\nenum:\n- \"on\"\n- up\n");
/// assert_eq!(kvrules_syntax::to_yaml("2020-01-01").unwrap(), "\"2020-01-01\"\n");
/// ```
///
/// # Errors
///
/// A value that YAML cannot express.
pub fn to_yaml(value: &(impl Serialize + ?Sized)) -> Result<String, WriteError> {
    serde_yaml::to_string(value).map(for_older_readers).map_err(|error| WriteError(error.to_string()))
}
