//! Bounds of memory, as the lints on units look at them.

use kvrules_elaborate::{annotation::Key, catalog::measures_memory};
use kvrules_ir::ValueTest;
use kvrules_syntax::Node;
use num_bigint::BigInt;

use crate::RuleView;

/// Bytes in a mebibyte.
pub(crate) const MEBIBYTE: u32 = 1 << 20;

/// A bound of memory that the rule writes out.
pub(crate) struct MemoryBound<'a> {
    pub key: Key,
    pub node: Node<'a>,
    /// In bytes.
    pub bytes: BigInt,
}

/// The bounds of a rule about memory, less those that every amount meets.
pub(crate) fn memory_bounds<'a>(rule: &RuleView<'a>) -> Vec<MemoryBound<'a>> {
    let Some((_, meaning)) = rule.understood() else { return Vec::new() };
    if !measures_memory(&meaning.requirement.subject.leaf) {
        return Vec::new();
    }
    let intervals = meaning.requirement.tests.iter().filter_map(|test| match test {
        ValueTest::Integer(interval) if !interval.is_empty() => Some(interval),
        _ => None,
    });
    let bounds =
        intervals.flat_map(|interval| [(Key::Min, interval.min.as_ref()), (Key::Max, interval.max.as_ref())]);
    let written = bounds.filter_map(|(key, bytes)| {
        let (node, _) = rule.number_text(key)?;
        Some(MemoryBound { key, node, bytes: bytes.filter(|bytes| **bytes > BigInt::ZERO)?.clone() })
    });
    written.collect()
}
