//! KV903 `deployed_differs`: the deployed validator reads a rule in another way than it is meant.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_differ::Effect;

use crate::{Check, Lint, RuleView, deployed::report};

pub(crate) static LINT: Lint = Lint {
    code: "KV903",
    name: "deployed_differs",
    level: Level::Info,
    summary: "the deployed validator reads a rule in another way than it is meant",
    fix: None,
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator takes {rule} in another way than it is meant: {because}")
    };
    report(&LINT, Effect::Differs, says, rule, found);
}
