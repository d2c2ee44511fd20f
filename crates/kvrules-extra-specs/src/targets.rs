//! The targets of definitions: what they are called, what can be chosen about them, and how they are made.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::definition::Definition;
use crate::glance::{MetadefLoss, write_metadefs};
use crate::json_schema::json_schema;
use crate::mode::ValidationMode;

/// A target that definitions compile to.
#[derive(Debug)]
pub struct Target {
    /// The name on the command line. Rules may have a target of the same name.
    pub name: &'static str,
    /// A short description of what it makes.
    pub summary: &'static str,
    /// Kind of its files, for those who run them.
    pub artefact: Artefact,
    /// The options that it accepts.
    pub choices: &'static [TargetChoice],
    make: fn(&[Definition], &ChosenValues) -> TargetFiles,
}

/// Something that can be chosen about a target. Any text will do.
#[derive(Debug)]
pub struct TargetChoice {
    /// Its name.
    pub name: &'static str,
    /// Value if unset.
    pub default: &'static str,
    /// A short description of what it decides.
    pub summary: &'static str,
}

/// Chosen values, by the names of choices.
pub type ChosenValues = BTreeMap<String, String>;

/// Kind of the files of a target, and so how they evaluate an extra spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// One JSON Schema of all extra specs of a flavor, which takes the flavor or refuses it.
    Schema,
    /// Glance's metadata definitions: forms for people. Nova never looks at them, so what they refuse may still be set.
    Metadefs,
}

/// The files of a target, and what they do not say as the definitions do.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetFiles {
    /// The files: their names, and their content.
    pub files: Vec<(String, Json)>,
    /// Differences from the definitions.
    pub losses: Vec<MetadefLoss>,
}

/// Every target of definitions, ordered by name.
pub static TARGETS: &[&Target] = &[&GLANCE_METADEFS, &JSON_SCHEMA];

static GLANCE_METADEFS: Target = Target {
    name: "glance-metadefs",
    summary: "metadata definitions for Glance, one file for each namespace of extra specs",
    artefact: Artefact::Metadefs,
    choices: &[TargetChoice {
        name: "namespace-prefix",
        default: "OS::Compute::ExtraSpecs::",
        summary: "how the names of Glance's namespaces begin",
    }],
    make: |definitions, chosen| {
        let prefix = chosen.get("namespace-prefix").map_or("OS::Compute::ExtraSpecs::", String::as_str);
        let made = write_metadefs(definitions, prefix);
        let files = made.files.into_iter().map(|file| (file.name, file.document));
        TargetFiles { files: files.collect(), losses: made.losses }
    },
};

static JSON_SCHEMA: Target = Target {
    name: "json-schema",
    summary: "a JSON Schema of draft 2020-12 for the extra specs of a flavor",
    artefact: Artefact::Schema,
    choices: &[],
    make: |definitions, _| {
        let made = json_schema(definitions, ValidationMode::Strict);
        TargetFiles {
            files: vec![("extra-specs.schema.json".to_owned(), made.document)],
            losses: made.losses,
        }
    },
};

impl Target {
    /// Makes the files. The definitions are those of one layer, see
    /// [`DefinitionRegistry::in_force`](crate::DefinitionRegistry::in_force).
    pub fn make_files(&self, definitions: &[Definition], chosen: &ChosenValues) -> TargetFiles {
        (self.make)(definitions, chosen)
    }

    /// True if its files decide about flavors, and are not only read.
    pub fn is_enforced(&self) -> bool {
        self.artefact == Artefact::Schema
    }
}
