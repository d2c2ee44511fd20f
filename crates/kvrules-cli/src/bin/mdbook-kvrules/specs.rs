//! Output of `kvrules docs --extra-specs --format json`, as far as a book needs it.

use serde::Deserialize;

use crate::pages::{Body, Examples, Limit, Pattern, SaidBy, Source, Text};

/// All extra specs.
#[derive(Debug, Deserialize)]
pub(crate) struct SpecsDocument {
    pub(crate) groups: Vec<Group>,
}

/// The extra specs of a namespace.
#[derive(Debug, Deserialize)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) anchor: String,
    pub(crate) specs: Vec<Spec>,
}

/// An extra spec, or a family of similar ones.
#[derive(Debug, Deserialize)]
pub(crate) struct Spec {
    /// The key, parameters in braces.
    pub(crate) name: String,
    /// As it is shown: never empty.
    pub(crate) title: String,
    /// Unique among all extra specs.
    pub(crate) label: String,
    pub(crate) summary: Text,
    pub(crate) description: Text,
    pub(crate) sentence: Text,
    pub(crate) type_text: Text,
    pub(crate) value_description: Option<Text>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) values: Vec<Value>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) members: Vec<Member>,
    pub(crate) keys: Examples,
    pub(crate) examples: Examples,
    /// `supported`, `experimental` or `deprecated`.
    pub(crate) status: String,
    pub(crate) status_text: Text,
    pub(crate) replacement: Option<Link>,
    pub(crate) virt_drivers: Vec<String>,
    pub(crate) requires: Vec<Link>,
    pub(crate) since: Option<String>,
    pub(crate) image_property: Option<String>,
    pub(crate) metadef: Option<Metadef>,
    pub(crate) said_by: Vec<SaidBy>,
    pub(crate) source: Option<Source>,
    /// Output of a user's template for it.
    pub(crate) body: Option<Body>,
}

/// A value that is allowed.
#[derive(Debug, Deserialize)]
pub(crate) struct Value {
    pub(crate) code: String,
    pub(crate) description: Option<Text>,
}

/// A part of a name that varies.
#[derive(Debug, Deserialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) pattern: Pattern,
    pub(crate) description: Option<Text>,
}

/// One name of a family.
#[derive(Debug, Deserialize)]
pub(crate) struct Member {
    pub(crate) name: String,
}

/// Another extra spec.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    pub(crate) name: String,
}

/// A property of Glance's metadata definitions.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadef {
    pub(crate) file: String,
    pub(crate) property: String,
}

impl SpecsDocument {
    /// The extra specs of a namespace, or of all namespaces if none is named. Empty if the namespace is unknown.
    pub(crate) fn of_group(&self, name: Option<&str>) -> Vec<&Spec> {
        let is_meant = |group: &&Group| name.is_none_or(|name| group.title == name || group.anchor == name);
        self.groups.iter().filter(is_meant).flat_map(|group| &group.specs).collect()
    }

    /// The known namespaces, for the error about an unknown one.
    pub(crate) fn names(&self) -> String {
        let names = self.groups.iter().map(|group| format!("`{}`", group.anchor));
        names.collect::<Vec<_>>().join(", ")
    }
}
