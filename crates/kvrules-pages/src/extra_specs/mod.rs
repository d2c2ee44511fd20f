//! Documents about extra specs, as data, and their files.

mod render;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Examples, Page, PatternText, Text};
use super::fact::{Piece, Reference, ReferenceTarget};

pub use render::render_extra_specs;

/// All pages about some definitions of extra specs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Pages of kvrules about extra specs", deny_unknown_fields)]
pub struct SpecsDocument {
    /// The version of kvrules.
    pub version: String,
    /// Number of extra specs.
    pub overview: Text,
    /// The namespaces in alphabetical order; extra specs without one are last.
    pub groups: Vec<SpecGroup>,
}

/// The extra specs of a namespace.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecGroup {
    /// The namespace without parameters, such as `hw`; empty if names have none.
    pub name: String,
    /// The same as a heading, never empty.
    pub title: String,
    /// The name of its page without extension: of `a-z`, `0-9`, `.`, `_` and `-`.
    pub anchor: String,
    /// Number of its extra specs, without a full stop.
    pub summary: Text,
    /// Its extra specs, ordered by name; a family is one of them.
    pub specs: Vec<SpecPage>,
}

/// The description of an extra spec, or of a family of similar ones.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecPage {
    /// Its heading and its facts.
    #[serde(flatten)]
    pub page: Page,
    /// Description of its effect, in one line.
    pub summary: Text,
    /// `integer`, `boolean` or `string`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The type, and how values of it are written.
    pub type_text: Text,
    /// Meaning of the value.
    pub value_description: Option<Text>,
    /// The allowed values, if they are listed.
    pub values: Vec<SpecValue>,
    /// The parameters of the name.
    pub parameters: Vec<SpecParameter>,
    /// The names of a family; empty for a single extra spec.
    pub members: Vec<SpecMember>,
    /// Keys that match this name and keys that nearly do; empty if the name has no parameters.
    pub keys: Examples,
    /// `supported`, `experimental` or `deprecated`.
    pub status: String,
    /// Support status, with release and reason of a deprecation.
    pub status_text: Text,
    /// The replacement.
    pub replacement: Option<SpecLink>,
    /// The virt drivers that support it; empty if unknown.
    pub virt_drivers: Vec<String>,
    /// The extra specs that must be set with it.
    pub requires: Vec<SpecLink>,
    /// The first release that supports it.
    pub since: Option<String>,
    /// The image property of the same meaning.
    pub image_property: Option<String>,
    /// The property of Glance's metadata definitions for it.
    pub metadef: Option<Metadef>,
}

/// An allowed value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecValue {
    /// The value.
    pub value: String,
    /// The same as code, with invisible characters escaped.
    pub code: String,
    /// Its meaning.
    pub description: Option<Text>,
}

/// A parameter of a name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecParameter {
    /// Its name, in braces as in the name of the extra spec.
    pub name: String,
    /// The Python regular expression that its whole value matches.
    pub pattern: PatternText,
    /// Its meaning.
    pub description: Option<Text>,
}

/// One name of a family.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecMember {
    /// The key, parameters in braces.
    pub name: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
}

/// A link to another extra spec.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecLink {
    /// Its name as it is written.
    pub name: String,
    /// The page that describes it, without extension; unset if none does.
    pub page: Option<String>,
    /// Its anchor there.
    pub anchor: Option<String>,
    /// Its label.
    pub label: Option<String>,
}

impl SpecLink {
    /// Returns the link as a piece of a fact.
    pub(super) fn to_piece(&self) -> Piece {
        let Self { name, page, anchor, label } = self.clone();
        Piece::Reference(Reference { to: ReferenceTarget::ExtraSpec, name, page, anchor, label })
    }
}

/// A property of Glance's metadata definitions.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metadef {
    /// The file, such as `hw.json`.
    pub file: String,
    /// The property in it.
    pub property: String,
}
