//! The document in which definitions are written: YAML or JSON, one description for readers, writers and editors.
//!
//! ```yaml
//! kind: ExtraSpecDefinitions
//! version: 1
//! definitions:
//!   - name: acme:tier
//!     description: The service level of the instance.
//!     value:
//!       type: string
//!       enum: [gold, silver]
//! ```

mod expand;
mod fields;
mod findings;
mod read;
mod verify;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use read::{is_definitions, parse_definitions, read_document};
pub(crate) use read::{read_proven, syntax_message};

use crate::definition::{Definition, Parameter, Status, Value};
use kvrules_diagnostics::Origin;

/// Value of `kind` in a document.
pub const KIND: &str = "ExtraSpecDefinitions";

/// The version of the format.
pub const VERSION: u32 = 1;

/// Definitions as they are written.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Definitions of extra specs", deny_unknown_fields)]
pub struct Document {
    /// Location of the JSON Schema of this format, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Always `ExtraSpecDefinitions`.
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// The version of the format, 1.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// The definitions, in the order in which their patterns are tried.
    pub definitions: Vec<Entry>,
}

/// One entry: a definition, or with `for-each` one for each of several names.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Entry {
    /// The key, with parameters in braces: `hw:numa_cpus.{num}`.
    pub name: String,
    /// Description of the extra spec.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub description: String,
    /// A word in braces and its replacements in the name and in the descriptions; each replacement gives one definition.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default, extend("maxProperties" = 1))]
    pub for_each: BTreeMap<String, Vec<String>>,
    /// The parameters of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub parameters: Vec<Parameter>,
    /// The allowed values.
    pub value: Value,
    /// Support status.
    #[serde(skip_serializing_if = "Status::is_supported")]
    #[schemars(default)]
    pub status: Status,
    /// The virt drivers that support it. For documentation only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub virt_drivers: Vec<String>,
    /// The extra specs that must be set with it. For documentation only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub requires: Vec<String>,
    /// The first release that supports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The image property of the same meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_property: Option<String>,
    /// Location of the name.
    #[serde(skip)]
    pub origin: Origin,
}

impl Document {
    /// A document of these entries.
    pub fn new(definitions: Vec<Entry>) -> Self {
        Self { schema: None, kind: KIND.to_owned(), version: VERSION, definitions }
    }

    /// The definitions, those of families each for itself.
    pub fn expand_definitions(&self) -> Vec<Definition> {
        self.definitions.iter().flat_map(Entry::expanded).collect()
    }
}

impl From<Definition> for Entry {
    fn from(definition: Definition) -> Self {
        Self {
            name: definition.name,
            description: definition.description,
            for_each: BTreeMap::new(),
            parameters: definition.parameters,
            value: definition.value,
            status: definition.status,
            virt_drivers: definition.virt_drivers,
            requires: definition.requires,
            since: definition.since,
            image_property: definition.image_property,
            origin: definition.origin,
        }
    }
}

/// The document as YAML; the same document always gives the same text, and [`parse_definitions`] gives it back.
pub fn write_yaml(document: &Document) -> String {
    // Only maps with keys other than strings cannot be written, and the document has none.
    kvrules_syntax::to_yaml(document).unwrap_or_default()
}

/// The document as JSON.
pub fn write_json(document: &Document) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON Schema of the format.
pub fn document_schema() -> serde_json::Value {
    schemars::schema_for!(Document).to_value()
}
