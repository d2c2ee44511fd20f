//! Checks of a schema that are skipped: an update may keep what the stored definition already has.

use std::collections::HashSet;
use std::sync::Arc;

use crate::server::ServerFeatures;

/// Options for checking a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    /// True if the version has the status subresource.
    pub has_status: bool,
    /// Checks to skip.
    pub lenient: Vec<Leniency>,
    /// The server.
    pub server: ServerFeatures,
    /// Expressions of the definition that is replaced.
    pub stored: Arc<StoredExpressions>,
}

/// The texts of the expressions of a stored definition, wherever they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredExpressions {
    /// Rules.
    pub rules: HashSet<String>,
    /// Expressions of messages.
    pub messages: HashSet<String>,
}

/// A check that an update passes over.
// apiextensions validation.go, validationOptions
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leniency {
    /// Schemas may be non-structural; their rules are then not compiled.
    NonStructural,
    /// `type` may be any text.
    UnknownTypes,
    /// Defaults may have unknown fields.
    UnprunedDefaults,
    /// Items of sets may be compared in parts.
    NonAtomicSets,
    /// Keys of lists may be nullable and optional.
    ListKeys,
    /// A rule and a message may cost more than the limit of one expression.
    RuleCost,
}

impl SchemaOptions {
    /// Options for a new definition.
    pub fn new(has_status: bool) -> Self {
        Self { has_status, ..Self::default() }
    }

    /// True if a check is skipped.
    pub fn has_leniency(&self, leniency: Leniency) -> bool {
        self.lenient.contains(&leniency)
    }
}
