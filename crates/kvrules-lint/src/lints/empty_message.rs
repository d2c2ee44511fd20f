//! KV701 `empty_message`: a message without a word.

use kvrules_diagnostics::{Diagnostic, Level, Lint};

use crate::{
    LintCheck, RuleView,
    message::{is_blank, message_node},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV701",
    name: "empty_message",
    level: Level::Warning,
    summary: "a message has no words",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some(node) = message_node(rule).filter(|node| is_blank(node.text())) else { return };
    let wording = match node.text().trim() {
        "" => "the message is blank".to_owned(),
        marks => format!("the message {} has no words", code(marks)),
    };
    found.push(
        LINT.diagnostic_at(node.span(), wording)
            .with_help("write a message for users whose machine violates the rule"),
    );
}
