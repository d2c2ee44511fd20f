//! KV803 `decimal_suffix`: an amount of memory with a decimal suffix, where machines are given binary ones.

use kvrules_diagnostics::{Applicability, Diagnostic, Fix, Level, Lint};
use kvrules_elaborate::catalog::measures_memory;
use kvrules_ir::{Constraint, EnumValue};
use kvrules_kubernetes::quantity::Quantity;

use crate::{LintCheck, RuleView, arguments::enumerated_values, message_text::code, repair};

pub static LINT: Lint = Lint {
    code: "KV803",
    name: "decimal_suffix",
    level: Level::Warning,
    summary: "an amount of memory has a decimal suffix where binary ones are usual",
    fix: Some(Applicability::Unsafe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

/// Decimal suffixes, and the binary ones that are usual for memory.
const SUFFIXES: [(&str, &str); 6] =
    [("k", "Ki"), ("M", "Mi"), ("G", "Gi"), ("T", "Ti"), ("P", "Pi"), ("E", "Ei")];

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let Constraint::Enum { values } = &read.constraint else { return };
    if !measures_memory(&meaning.requirement.subject.leaf) {
        return;
    }
    for (_, node, value) in enumerated_values(rule, values) {
        let EnumValue::Text(text) = value else { continue };
        let suffix =
            SUFFIXES.iter().find_map(|(decimal, binary)| Some((text.strip_suffix(decimal)?, binary)));
        let Some((number, binary)) = suffix.filter(|_| Quantity::parse(text).is_ok()) else { continue };
        let message =
            format!("{} has a decimal suffix, and amounts of memory usually have binary ones", code(text));
        let help = format!("write {} if that is how machines write it", code(&format!("{number}{binary}")));
        let edit = repair::text(rule, node, &format!("{number}{binary}"));
        let title = format!("write `{number}{binary}`, which is another amount");
        found.push(
            LINT.diagnostic_at(node.span(), message)
                .with_help(help)
                .fix_if(edit.map(|edit| Fix::not_safe(title, [edit]))),
        );
    }
}
