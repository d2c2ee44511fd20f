//! A rule with tests of what is missing where it ends in errors.

use kvrules_apiserver::crd::RuleSource;
use kvrules_lift::{DefinitionRule, RuleFailures, RuleOfPlace, lift_expression};

use crate::guards::{Absence, FirstCause, GuardedExpression, guard_expression};

/// The rule with tests after which no errors are found, where what is missing passes. `error` is the server's text.
pub(super) fn guard_rule(
    rule: &DefinitionRule<'_>,
    error: &str,
    others: &[RuleOfPlace<'_>],
) -> Option<GuardedExpression> {
    let mut find_error = |text: &str| find_error(rule, text, others);
    guard_expression(&rule.source.rule, FirstCause::Error(error), Absence::Passes, &mut find_error)
}

/// The error in which another form of a rule ends; an empty text if the form is none that a server takes.
fn find_error(rule: &DefinitionRule<'_>, text: &str, others: &[RuleOfPlace<'_>]) -> Option<String> {
    let source = RuleSource { rule: text.to_owned(), ..rule.source.clone() };
    let form = DefinitionRule { source, ..rule.clone() };
    let lifted = form.check_types().ok().and_then(|(expression, checked)| {
        let formulas = lift_expression(&expression, &checked, form.optional_roots()).ok()?;
        Some((expression, formulas))
    });
    let Some((expression, formulas)) = lifted else { return Some(String::new()) };
    let mut failures = RuleFailures::default();
    failures.find_failure(0, &form, &expression, &formulas, others).map(|failure| failure.error.clone())
}
