//! Documents about extra specs, as data, and the files made of it.

mod render;

use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Body, Examples, Limit, PatternText, SaidBy, Source, TargetFidelity, Text};

pub use render::render_extra_specs;

/// All pages about some definitions of extra specs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Pages of kvrules about extra specs", deny_unknown_fields)]
pub struct SpecsDocument {
    /// The version of kvrules.
    pub version: String,
    /// How many extra specs there are.
    pub overview: Text,
    /// The namespaces in alphabetical order; names without one are last.
    pub groups: Vec<SpecGroup>,
}

/// The extra specs of a namespace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecGroup {
    /// The namespace without parameters, such as `hw`; empty where names have none.
    pub name: String,
    /// The same as a heading, never empty.
    pub title: String,
    /// The name of its page without extension: of `a-z`, `0-9`, `.`, `_` and `-`.
    pub anchor: String,
    /// How many extra specs it has, without a full stop.
    pub summary: Text,
    /// Its extra specs, ordered by name; a family is one of them.
    pub specs: Vec<SpecPage>,
}

/// What there is to say of an extra spec, or of a family of them that are alike.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecPage {
    /// The key as it is written in the definition, parameters in braces: `hw:numa_cpus.{num}`.
    pub name: String,
    /// The name as a heading, never empty.
    pub title: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// What it does, in one line.
    pub summary: Text,
    /// What it does.
    pub description: Text,
    /// What its value must be, in a sentence.
    pub sentence: Text,
    /// `integer`, `boolean` or `string`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The type, and how values of it are written.
    pub type_text: Text,
    /// What the value means.
    pub value_description: Option<Text>,
    /// Bounds of the value.
    pub limits: Vec<Limit>,
    /// The values that are allowed, where they are listed.
    pub values: Vec<SpecValue>,
    /// The regular expression of Python that the whole value must match.
    pub pattern: Option<PatternText>,
    /// The parameters of the name.
    pub parameters: Vec<SpecParameter>,
    /// The names that a family stands for; empty for one extra spec.
    pub members: Vec<SpecMember>,
    /// Keys that are of this name and keys that are nearly; empty where the name has no parameters.
    pub keys: Examples,
    /// Values that pass and that fail.
    pub examples: Examples,
    /// `supported`, `experimental` or `deprecated`.
    pub status: String,
    /// How far it is supported, since when not, and why.
    pub status_text: Text,
    /// What to use instead.
    pub replacement: Option<SpecLink>,
    /// The virt drivers that know it; empty where that is not said.
    pub virt_drivers: Vec<String>,
    /// The extra specs that must be set with it.
    pub requires: Vec<SpecLink>,
    /// The first release that knows it.
    pub since: Option<String>,
    /// The image property of the same meaning.
    pub image_property: Option<String>,
    /// Where Glance's metadata definitions have it.
    pub metadef: Option<Metadef>,
    /// How exactly each target says it.
    pub fidelity: Vec<TargetFidelity>,
    /// The same for people: the targets that say it alike together.
    pub said_by: Vec<SaidBy>,
    /// Where it is written; nothing for what is built in.
    pub source: Option<Source>,
    /// What stands below its heading, where a template of the user's own says so.
    pub body: Option<Body>,
}

/// A value that is allowed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecValue {
    /// The value.
    pub value: String,
    /// The same as code, with what cannot be seen spelled out.
    pub code: String,
    /// What it means.
    pub description: Option<Text>,
}

/// A part of a name that varies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecParameter {
    /// Its name, in braces as it stands in the name of the extra spec.
    pub name: String,
    /// The regular expression of Python that the whole of it matches.
    pub pattern: PatternText,
    /// What it stands for.
    pub description: Option<Text>,
}

/// One name of a family.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecMember {
    /// The key, parameters in braces.
    pub name: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
}

/// Another extra spec, and where it is described.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SpecLink {
    /// Its name as it is written.
    pub name: String,
    /// The page that describes it, without extension; nothing where none does.
    pub page: Option<String>,
    /// Its anchor there.
    pub anchor: Option<String>,
    /// Its label.
    pub label: Option<String>,
}

/// A property of Glance's metadata definitions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metadef {
    /// The file, such as `hw.json`.
    pub file: String,
    /// The property in it.
    pub property: String,
}
