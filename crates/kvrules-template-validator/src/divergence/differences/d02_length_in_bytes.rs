//! Lengths in bytes and in code points.

use crate::divergence::context::DifferenceContext;
use crate::divergence::difference::Difference;
use crate::divergence::text_tests::{TextTests, code_points, evaluated_texts};

pub(super) static DIFFERENCE: Difference = Difference {
    id: "D2",
    name: "length-in-bytes",
    summary: "the validator measures strings in bytes of UTF-8, the meaning in code points",
    applies,
    in_rule: None,
};

/// With bytes in place of code points, the texts of the object pass or fail otherwise.
fn applies(context: &DifferenceContext<'_>) -> bool {
    let Some(rule) = context.rule.filter(|rule| rule.written.kind == "string") else { return false };
    let Some((read, seen)) = rule.evaluated_values() else { return false };
    if seen.is_reference() {
        return false;
    }
    let (tests, own) = (TextTests::from_rule(read), evaluated_texts(read));
    let pass = |length: fn(&str) -> usize| {
        own.iter().flatten().all(|text| {
            if rule.has_arguments() {
                rule.has_length_in_bounds(length(text))
            } else {
                tests.passes_with_length(text, length)
            }
        })
    };
    pass(code_points) != pass(str::len)
}
