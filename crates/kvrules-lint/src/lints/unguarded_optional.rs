//! KV303 `unguarded_optional`: a rule that machines violate by leaving something out.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_syntax::edit::ScalarEdit;

use crate::{
    LintCheck, RuleView,
    message_text::code,
    paths::up_to,
    presence::{asks_for_more_than_nothing, has_no_argument, subject_path},
    repair,
    shape::path_prefix,
};

pub static LINT: Lint = Lint {
    code: "KV303",
    name: "unguarded_optional",
    level: Level::Warning,
    summary: "a rule without `valid` is violated by machines that lack an optional field",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    if read.guard.is_some() || has_no_argument(read) {
        return;
    }
    let subject = subject_path(read, meaning);
    let Some(step) = subject.last_optional() else { return };
    let many = !subject.selector.lists.is_empty();
    // "At least this much memory" requires memory. "At least this much for each disk" does not require disks.
    if !many && asks_for_more_than_nothing(read, meaning) {
        return;
    }
    let Some(written) = rule.key_value(Key::Path).and_then(|node| rule.written(node)) else { return };
    let lacking = code(up_to(&read.path.text, step));
    let message =
        format!("{}s without {}{lacking} violate the rule", rule.thing(), if many { "any " } else { "" });
    let valid = code(&format!(r#""valid": "{}{}""#, path_prefix(rule.dialect()), read.path.text));
    let help = format!("add {valid} to skip the rule on them");
    let edit = repair::insert_entry(rule, &[Key::Path], Key::Valid, ScalarEdit::Text(written.node.text()));
    let title = format!("add {valid}, which skips the rule on them");
    let finding = LINT.diagnostic_at(written.span_of_step(rule, step), message).with_help(help);
    found.push(finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))));
}
