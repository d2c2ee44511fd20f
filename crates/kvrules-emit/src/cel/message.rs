//! Messages as the server accepts them.

use kvrules_ir::ElaboratedRule;

/// The message of a rule on one line: the server rejects line breaks, and messages that are blank.
pub fn rule_message(rule: &ElaboratedRule) -> String {
    let message = on_one_line(&rule.message);
    if message.is_empty() {
        format!("the rule `{}` is not satisfied", on_one_line(&rule.name))
    } else {
        message
    }
}

fn on_one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}
