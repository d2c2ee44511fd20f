//! KV802 `memory_not_whole_mib`: a bound of memory that is not a whole number of mebibytes.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_kubernetes::quantity::in_human_units;
use num_bigint::BigInt;

use crate::{
    LintCheck, RuleView,
    memory::{MEBIBYTE, memory_bounds},
    message_text::code,
};

pub static LINT: Lint = Lint {
    code: "KV802",
    name: "memory_not_whole_mib",
    level: Level::Warning,
    summary: "a bound of memory is not a whole number of mebibytes",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let mebibyte = BigInt::from(MEBIBYTE);
    for bound in memory_bounds(rule) {
        let over = &bound.bytes % &mebibyte;
        // One byte more or less is an exclusive bound. Another lint reports less than a mebibyte.
        let beside = over == BigInt::from(1) || over == BigInt::from(MEBIBYTE - 1);
        if over == BigInt::ZERO || beside || bound.bytes < mebibyte {
            continue;
        }
        let (below, written) = (&bound.bytes - &over, code(bound.node.text()));
        let nearest = if over < BigInt::from(MEBIBYTE / 2) { below } else { below + &mebibyte };
        let message = match in_human_units(&bound.bytes) {
            units if units.ends_with('B') && !units.ends_with("iB") => {
                format!("{written} is {units}, in decimal units, and not a whole number of MiB")
            }
            _ => format!("{written} is not a whole number of MiB"),
        };
        let likely = likely_bytes(&bound.bytes).unwrap_or(nearest);
        let help = format!("write {} for {}", code(&likely.to_string()), in_human_units(&likely));
        found.push(LINT.diagnostic_at(bound.node.span(), message).with_help(help));
    }
}

/// The same number of binary units, where the bound is a whole number of decimal ones.
fn likely_bytes(bytes: &BigInt) -> Option<BigInt> {
    [(1_000_000_000, 30), (1_000_000, 20)].into_iter().find_map(|(decimal, binary)| {
        let decimal = BigInt::from(decimal);
        (bytes % &decimal == BigInt::ZERO).then(|| (bytes / decimal) << binary)
    })
}
