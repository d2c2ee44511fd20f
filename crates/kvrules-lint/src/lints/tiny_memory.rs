//! KV801 `tiny_memory`: a bound of memory that is below one mebibyte.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_kubernetes::quantity::in_human_units;
use num_bigint::BigInt;

use crate::{
    LintCheck, RuleView,
    memory::{MEBIBYTE, memory_bounds},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV801",
    name: "tiny_memory",
    level: Level::Warning,
    summary: "a bound of memory is below 1 MiB, though it is counted in bytes",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    for bound in memory_bounds(rule).into_iter().filter(|bound| bound.bytes < BigInt::from(MEBIBYTE)) {
        let written = code(bound.node.text());
        let message = format!(
            "`{}` is {written}, and memory is counted in bytes: that is less than 1 MiB",
            bound.key.as_str()
        );
        let likely = likely_amount(&bound.bytes);
        let help = format!("write {} where {} are meant", code(&likely.to_string()), in_human_units(&likely));
        found.push(LINT.diagnostic_at(bound.node.span(), message).with_help(help));
    }
}

/// The most likely amount: numbers up to 64 in gibibytes, numbers from 65,536 on in kibibytes, others in mebibytes.
fn likely_amount(number: &BigInt) -> BigInt {
    let unit = match number {
        small if *small <= BigInt::from(64) => 30,
        large if *large >= BigInt::from(64 << 10) => 10,
        _ => 20,
    };
    number << unit
}
