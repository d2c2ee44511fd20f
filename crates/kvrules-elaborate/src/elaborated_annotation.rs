//! An annotation as it is read, with the meaning of its rules.

use kvrules_ir::{ElaboratedSet, RuleSet, RuleSetUser};

use crate::annotation::{Annotation, read_rule_set};
use crate::catalog::Catalog;
use crate::normal_form::{Elaboration, elaborate_rule_set};

/// An annotation, what was read of it, and what it means.
#[derive(Debug)]
pub struct ElaboratedAnnotation<'d> {
    /// As it is written.
    pub annotation: Annotation<'d>,
    /// As it is read.
    pub set: RuleSet,
    /// Meaning of the rules.
    pub elaboration: Elaboration,
    /// The fields that its paths can name.
    pub catalog: &'d Catalog,
}

impl<'d> ElaboratedAnnotation<'d> {
    /// Reads and elaborates an annotation; `fallback` names its rule set where nothing in the document does.
    pub fn new(annotation: Annotation<'d>, fallback: &str, catalog: &'d Catalog) -> Self {
        let set = read_rule_set(&annotation, fallback);
        let elaboration = elaborate_rule_set(&set, catalog);
        Self { annotation, set, elaboration, catalog }
    }

    /// Returns the rule set without the document that it is in, with its one user.
    pub fn into_set(self) -> ElaboratedSet {
        let Self { set, elaboration, .. } = self;
        let user = RuleSetUser { name: set.name.clone(), dialect: set.dialect, origin: set.origin };
        ElaboratedSet {
            name: set.name,
            used_by: vec![user],
            rules: elaboration.rules,
            left_out: elaboration.left_out,
        }
    }
}
