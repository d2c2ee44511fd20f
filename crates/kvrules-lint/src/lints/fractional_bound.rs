//! KV409 `fractional_bound`: a bound between two integers.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{BoundValue, Constraint, ValueTest};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{
    SyntaxKind,
    edit::{Rewriter, ScalarEdit},
};

use crate::{LintCheck, RuleView, message_text::code};

pub static LINT: Lint = Lint {
    code: "KV409",
    name: "fractional_bound",
    level: Level::Warning,
    summary: "a bound of an integer has a fraction",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let (low, high, keys) = match &read.constraint {
        Constraint::Integer { min, max } => (min, max, [Key::Min, Key::Max]),
        Constraint::String { min_length, max_length } => {
            (min_length, max_length, [Key::MinLength, Key::MaxLength])
        }
        Constraint::Enum { .. } | Constraint::Regex { .. } => return,
    };
    // Other lints report bounds without a value between them, and negative lengths.
    let empty = |test: &ValueTest| matches!(test, ValueTest::Integer(found) | ValueTest::Length(found) if found.is_empty());
    if meaning.requirement.tests.iter().any(empty) {
        return;
    }
    for (key, bound) in keys.into_iter().zip([low, high]) {
        let Some(BoundValue::Number(number)) = bound else { continue };
        let negative =
            || keys.contains(&Key::MinLength) && number.floor().is_some_and(|floor| floor < 0.into());
        if !number.is_integer() && !negative() {
            found.extend(bound_diagnostic(rule, key, number));
        }
    }
}

fn bound_diagnostic(rule: &RuleView<'_>, key: Key, number: &Quantity) -> Option<Diagnostic> {
    let (node, text) = rule.number_text(key)?;
    let least = matches!(key, Key::Min | Key::MinLength);
    let (inside, most) = if least { (number.ceil()?, "least") } else { (number.floor()?, "most") };
    let message = format!(
        "`{}` is {}, but only integers are compared with it: it requires at {most} `{inside}`",
        key.as_str(),
        code(node.text()),
    );
    // The deployed validator rounds halves away from zero (D7). Adding zero takes the sign off it.
    let rounded = text.parse::<f64>().ok().map(|number| format!("{:.0}", number.round() + 0.0));
    let help = match rounded.filter(|rounded| *rounded != inside.to_string()) {
        Some(rounded) => format!("write `{inside}`, since the deployed validator rounds to `{rounded}`"),
        None => format!("write `{inside}`"),
    };
    let whole = inside.to_string();
    let edit = (node.kind() == SyntaxKind::Number)
        .then(|| Rewriter::new(rule.source).replace_scalar(node, ScalarEdit::Literal(&whole)));
    let fix = edit.flatten().map(|edit| Fix::safe_fix(format!("write `{whole}`"), [edit]));
    Some(LINT.diagnostic_at(node.span(), message).with_help(help).fix_if(fix))
}
