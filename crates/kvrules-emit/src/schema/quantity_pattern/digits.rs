//! Texts of digits, one after the other.

use super::expression::Expression;

/// Number of nested runs of digits before starting over from the front: engines limit how deep brackets nest.
const NESTED: usize = 16;

/// Texts that go along given digits and may leave them at any position. `leave` says what may stand at a position
/// instead of its digit and the rest, `end` what follows when all digits were passed.
pub(super) fn follow_digits(
    path: &[u8],
    end: &Expression,
    leave: impl Fn(usize, u8) -> Expression,
) -> Expression {
    let steps: Vec<Step> = path.iter().enumerate().map(|(at, digit)| (*digit, leave(at, *digit))).collect();
    let runs: Vec<&[Step]> = steps.chunk_by(PartialEq::eq).collect();
    let blocks = runs.chunks(NESTED).enumerate().map(|(block, inside)| {
        let passed = runs.iter().take(block * NESTED).flat_map(|run| run.iter().map(|(digit, _)| digit));
        let innermost = if (block + 1) * NESTED >= runs.len() { end.clone() } else { Expression::never() };
        let nested = inside.iter().rev().fold(innermost, along_run);
        Expression::sequence([digit_class(passed), nested])
    });
    if runs.is_empty() { end.clone() } else { Expression::either(blocks) }
}

/// A digit on the path and what may stand in its place.
type Step = (u8, Expression);

/// Passes equal steps and goes on with `after`, or leaves at any of them.
fn along_run(after: Expression, run: &&[Step]) -> Expression {
    let Some((value, leave)) = run.first() else { return after };
    let earlier = digit_literal(*value).repeated(0, Some(run.len() - 1));
    let all = digit_class(run.iter().map(|(value, _)| value));
    Expression::either([Expression::sequence([earlier, leave.clone()]), Expression::sequence([all, after])])
}

/// Returns the length of the common prefix of two digit strings.
pub(super) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// These digits as they are.
pub(super) fn digit_class<'a>(values: impl IntoIterator<Item = &'a u8>) -> Expression {
    Expression::literal(&values.into_iter().map(|value| char::from(b'0' + value)).collect::<String>())
}

pub(super) fn digit_literal(value: u8) -> Expression {
    digit_class([&value])
}
