//! The language of each expression of a policy: one that was stored before may use what its server has, a new one what the minor
//! before had.

use std::collections::BTreeSet;

use kvrules_cel::kubernetes::{Dialect, ExpressionAge};
use serde_json::Value as Json;

use super::fields::PolicyField;
use crate::policy::PolicyEngine;
use crate::server::ServerFeatures;

/// The languages of the expressions of a policy on a server.
#[derive(Clone, Debug, Default)]
pub(super) struct PolicyLanguages {
    of_new: Dialect,
    of_stored: Dialect,
    engine: PolicyEngine,
    stored: StoredExpressions,
}

/// The expressions of a stored policy.
// admissionregistration validation.go, findValidatingPolicyPreexistingExpressions: without variables
#[derive(Clone, Debug, Default)]
struct StoredExpressions {
    conditions: BTreeSet<String>,
    validations: BTreeSet<String>,
    messages: BTreeSet<String>,
    annotations: BTreeSet<String>,
}

impl PolicyLanguages {
    /// The languages for a policy that is created, or that replaces an old one.
    pub(super) fn on_server(server: &ServerFeatures, old: Option<&Json>) -> Self {
        let stored = old.map(StoredExpressions::of_policy).unwrap_or_default();
        let (of_new, of_stored) = (server.dialect(ExpressionAge::New), server.dialect(ExpressionAge::Stored));
        Self { of_new, of_stored, engine: PolicyEngine::Server, stored }
    }

    /// The languages of an engine, which do not depend on the version of a server.
    pub(super) fn of_engine(engine: PolicyEngine) -> Self {
        let dialect = Dialect::of_engine(engine.cel_engine());
        Self { of_new: dialect, of_stored: dialect, engine, stored: StoredExpressions::default() }
    }

    /// The engine whose libraries the expressions may use.
    pub(super) fn engine(&self) -> PolicyEngine {
        self.engine
    }

    fn choose(&self, is_stored: bool) -> Dialect {
        if is_stored { self.of_stored } else { self.of_new }
    }

    pub(super) fn of_condition(&self, source: &str) -> Dialect {
        self.choose(self.stored.conditions.contains(source))
    }

    /// Variables are compared with validations, too.
    // admissionregistration validation.go, validateVariable
    pub(super) fn of_validation(&self, source: &str) -> Dialect {
        self.choose(self.stored.validations.contains(source))
    }

    pub(super) fn of_message(&self, source: &str) -> Dialect {
        self.choose(self.stored.messages.contains(source))
    }

    pub(super) fn of_annotation(&self, source: &str) -> Dialect {
        self.choose(self.stored.annotations.contains(source))
    }
}

impl StoredExpressions {
    fn of_policy(policy: &Json) -> Self {
        let spec = PolicyField::root(policy).child("spec");
        let texts = |list: &str, name: &str| {
            spec.items(list).iter().map(|item| item.child(name).text().to_owned()).collect()
        };
        Self {
            conditions: texts("matchConditions", "expression"),
            validations: texts("validations", "expression"),
            messages: texts("validations", "messageExpression"),
            annotations: texts("auditAnnotations", "valueExpression"),
        }
    }
}
