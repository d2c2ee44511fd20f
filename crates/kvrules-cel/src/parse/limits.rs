//! Limits of the server's parser on size, checked before anything recurses.

use crate::issue::Issue;

use super::nesting::Nesting;

/// Longer expressions, in code points, are refused.
// cel-go parser/parser.go, NewParser: the three limits are its defaults, which the server leaves unset
const CODE_POINTS: usize = 100_000;

/// More nesting is refused.
const NESTING: usize = 250;

/// More errors than these are not reported.
pub(super) const REPORTED_ERRORS: usize = 100;

/// Handed to the parser; never reached, since [`check_source_limits`] comes first.
pub(super) const PARSER_DEPTH: u16 = 600;

/// Refuses what is too long or too deep; otherwise a bound of the depth of the tree.
// cel-go parser/parser.go, recursionListener and checkAndIncrementRecursionDepth
pub(super) fn check_source_limits(source: &str) -> Result<usize, Issue> {
    let size = source.chars().count();
    if size > CODE_POINTS {
        let message = format!("expression code point size exceeds limit: size: {size}, limit {CODE_POINTS}");
        return Err(Issue::without_location(message));
    }
    let nesting = Nesting::measure_nesting(source);
    if nesting.rules > NESTING {
        return Err(Issue::without_location(format!("expression recursion limit exceeded: {NESTING}")));
    }
    if nesting.operations > NESTING {
        return Err(Issue::without_location("max recursion depth exceeded"));
    }
    Ok(nesting.operations + nesting.brackets)
}
