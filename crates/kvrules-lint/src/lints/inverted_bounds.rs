//! KV403 `inverted_bounds`: a lower bound above the upper one.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::{Key, RuleKind};

use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::edit::Rewriter;

use crate::{LintCheck, RuleView, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV403",
    name: "inverted_bounds",
    level: Level::Error,
    summary: "`min` is above `max`, or `minLength` above `maxLength`",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let (low, high) = match rule.kind() {
        Some(RuleKind::Integer) => (Key::Min, Key::Max),
        Some(RuleKind::String) => (Key::MinLength, Key::MaxLength),
        _ => return,
    };
    let (Some((min, least)), Some((max, greatest))) = (rule.number_argument(low), rule.number_argument(high))
    else {
        return;
    };
    // Another lint reports negative lengths.
    let negative =
        |number: &Quantity| low == Key::MinLength && number.floor().is_some_and(|floor| floor < 0.into());
    if least <= greatest || negative(&least) || negative(&greatest) {
        return;
    }
    let message = format!(
        "`{}` {} exceeds `{}` {}, so no value satisfies the rule",
        low.as_str(),
        code(min.text()),
        high.as_str(),
        code(max.text())
    );
    let finding = LINT.diagnostic_at(min.span(), message).with_secondary_label(max.span(), "the upper bound");
    let finding = finding.with_help(format!("swap `{}` and `{}`", low.as_str(), high.as_str()));
    let title = "swap the bounds, so that values between them satisfy the rule";
    let edits = Rewriter::new(rule.source).swap_scalars(min, max);
    found.push(finding.fix_if(edits.map(|edits| Fix::not_safe(title, edits))));
}
