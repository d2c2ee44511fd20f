//! Kinds of comparable units.

use std::fmt::{Display, Formatter};

use serde::{Serialize, Serializer};

use super::UnitContent;

/// A kind of comparable units, in the words of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComparableKind {
    /// Name of one.
    pub name: &'static str,
    /// Name of all such units in a list of kinds.
    pub subject: &'static str,
    /// Name of the parts that are compared and counted.
    pub part: &'static str,
    /// True if more is accepted without such a unit. Without a schema nothing is.
    pub is_restriction: bool,
}

impl ComparableKind {
    pub(super) const fn new(name: &'static str, subject: &'static str) -> Self {
        Self { name, subject, part: "field", is_restriction: false }
    }
}

impl Display for ComparableKind {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Serialize for ComparableKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// The kind of RuleSets.
pub(super) const RULE_SET: ComparableKind =
    ComparableKind { is_restriction: true, ..ComparableKind::new("RuleSet", "RuleSets") };

impl UnitContent {
    /// True for rules about the objects of the catalog.
    pub fn is_about_catalog(&self) -> bool {
        matches!(self, Self::Rules(_))
    }

    /// Returns the kind of this unit.
    ///
    /// ```
    /// use kvrules::{Catalog, FileId, SourceFile, diff::read_units};
    ///
    /// let source = SourceFile::new(FileId(0), "a.json", r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#);
    /// let units = read_units(&source, Catalog::kubevirt_vm()).unwrap();
    /// assert_eq!(units[0].content.kind().to_string(), "JSON Schema");
    /// ```
    pub fn kind(&self) -> ComparableKind {
        match self {
            Self::Rules(_) => ComparableKind {
                part: "rule",
                is_restriction: true,
                ..ComparableKind::new("rule set", "rules of templates")
            },
            Self::Schema(_) => ComparableKind::new("schema", "CustomResourceDefinitions"),
            Self::JsonSchema(_) => ComparableKind::new("JSON Schema", "JSON Schemas"),
            Self::RuleSet(_) => RULE_SET,
            Self::Policy(policy) => ComparableKind {
                is_restriction: true,
                ..ComparableKind::new(policy.kind, "admission policies")
            },
            Self::ExtraSpecs(_) => ComparableKind {
                part: "definition",
                ..ComparableKind::new("extra specs", "definitions of extra specs")
            },
        }
    }
}
