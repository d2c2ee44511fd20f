//! Rule sets that are made and not read.

use kvrules_diagnostics::Origin;
use kvrules_ir::{AuthoredRule, ElaboratedRule, ElaboratedSet, Predicate, Requirement, Selector, Severity};

use super::cases::memory;
use super::rules::audience;

/// A set with one rule that is made and not read.
pub(crate) fn of_predicate(name: &str, severity: Severity, predicate: Predicate) -> ElaboratedSet {
    let subject = Selector { text: ".spec".to_owned(), lists: Vec::new(), leaf: memory() };
    let rule = ElaboratedRule {
        name: name.to_owned(),
        message: name.to_owned(),
        severity,
        applies: Predicate::True,
        predicate,
        requirement: Requirement { subject, guard: None, tests: Vec::new(), compared_with: Vec::new() },
        written: AuthoredRule::default(),
        origin: Origin::default(),
    };
    ElaboratedSet {
        name: name.to_owned(),
        used_by: audience(&[name]),
        rules: vec![rule],
        left_out: Vec::new(),
    }
}
