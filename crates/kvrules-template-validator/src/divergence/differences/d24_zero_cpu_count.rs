//! CPU counts of 0.

use serde_json::Value;

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::written_rule::fold_case;

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D24",
    name: "zero-cpu-count",
    summary: "a written 0 of cores, sockets or threads is 1 for the validator, and 0 by its meaning",
    applies,
    in_rule: None,
};

/// The object spells out a 0 there, a value or an argument is one of the counts, and the values pass where by their
/// meaning they do not, or the reverse.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.both_apply()) else { return false };
    let way = ["spec", "template", "spec", "domain", "cpu"];
    let cpu = way.iter().try_fold(context.object, |value, name| member(value, name));
    let paths = rule.written.path.iter().chain(&rule.written.arguments);
    let mut counts = paths.filter_map(|path| path.rsplit_once(".domain.cpu.").map(|(_, count)| count));
    let is_zero = |count: &str| cpu.and_then(|cpu| member(cpu, count)).is_some_and(|value| *value == 0);
    let is_count = |count: &&str| ["cores", "sockets", "threads"].contains(count);
    rule.written.kind != "enum"
        && counts.any(|count| is_count(&count) && is_zero(count))
        && rule.spec_satisfied() != rule.ssp_satisfied()
}

/// A member, whatever the letter case of its key, as the validator finds it.
fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.iter().find(|(key, _)| fold_case(key) == fold_case(name)).map(|(_, value)| value)
}
