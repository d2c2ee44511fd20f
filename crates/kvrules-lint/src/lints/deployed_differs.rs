//! KV903 `deployed_differs`: the deployed validator interprets a rule differently from its meaning.

use kvrules_diagnostics::{Diagnostic, Level};
use kvrules_differ::Effect;

use crate::{Check, Lint, RuleView, deployed::report};

pub(crate) static LINT: Lint = Lint {
    code: "KV903",
    name: "deployed_differs",
    level: Level::Info,
    summary: "the deployed validator interprets a rule differently from its meaning",
    fix: None,
    check: Check::Rule(check),
};

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let says = |rule: &str, because: &str| {
        format!("the deployed validator interprets {rule} differently from its meaning: {because}")
    };
    report(&LINT, Effect::Differs, says, rule, found);
}
