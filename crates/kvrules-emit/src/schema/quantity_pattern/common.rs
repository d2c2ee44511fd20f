//! Short expressions over the spellings that people use for quantities.
//!
//! A common spelling has neither sign nor exponent nor leading zeros, and at most two digits after the point, which the
//! suffixes `n`, `u` and `m` do without. What is not spelled so does not match. What is spelled so matches if it is meant.

use std::collections::BTreeSet;

use num_bigint::{BigInt, BigUint, Sign};

use super::NEVER;
use super::expression::Expression;
use super::numbers::integers_between;

/// Longer expressions are divided.
pub const LONGEST: usize = 599;

/// Units of fractions: hundredths with decimal suffixes, and with binary ones quarters, of which each is a whole number
/// of units.
#[derive(Clone, Copy)]
pub(super) struct FractionGrid {
    parts: u8,
    hundredths: u8,
}

pub(super) const HUNDREDTHS: FractionGrid = FractionGrid { parts: 100, hundredths: 1 };
const QUARTERS: FractionGrid = FractionGrid { parts: 4, hundredths: 25 };

/// Expressions of which one of each list must match for a quantity in a common spelling that is an integer between two
/// bounds, both inclusive where given. None is longer than [`LONGEST`], for bounds of 64 bits.
///
/// ```
/// use kvrules_emit::schema::quantity_pattern::common_between;
/// let least = common_between(Some(&1_073_741_824.into()), None);
/// assert_eq!(least.len(), 1);
/// assert!(least[0].iter().all(|pattern| pattern.len() < 600));
/// ```
pub fn common_between(min: Option<&BigInt>, max: Option<&BigInt>) -> Vec<Vec<String>> {
    let both = suffix_alternatives(min, max);
    if both.iter().all(|one| one.anchored().len() <= LONGEST) {
        return vec![pack_alternatives(both)];
    }
    vec![pack_alternatives(suffix_alternatives(min, None)), pack_alternatives(suffix_alternatives(None, max))]
}

/// As few expressions as hold the alternatives, in their order.
pub(super) fn pack_alternatives(alternatives: Vec<Expression>) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    let mut open: Vec<Expression> = Vec::new();
    for alternative in alternatives {
        let with = Expression::either(open.iter().cloned().chain([alternative.clone()]));
        if with.anchored().len() > LONGEST && !open.is_empty() {
            patterns.push(Expression::either(std::mem::take(&mut open)).anchored());
        }
        open.push(alternative);
    }
    match Expression::either(open) {
        none if none == Expression::never() && patterns.is_empty() => vec![NEVER.to_owned()],
        none if none == Expression::never() => patterns,
        last => patterns.into_iter().chain([last.anchored()]).collect(),
    }
}

/// The spellings with each suffix; suffixes with the same numbers together.
fn suffix_alternatives(min: Option<&BigInt>, max: Option<&BigInt>) -> Vec<Expression> {
    let negative = max.is_some_and(|max| max.sign() == Sign::Minus);
    if negative || min.zip(max).is_some_and(|(min, max)| min > max) {
        return Vec::new();
    }
    let with_zero = min.is_none_or(|min| min.sign() != Sign::Plus);
    let least = min.and_then(BigInt::to_biguint).unwrap_or_default().max(BigUint::from(1_u8));
    let most = max.and_then(BigInt::to_biguint);
    let zero = if with_zero { zero_expression() } else { Expression::never() };
    let all = std::iter::once(zero).chain([unit_spellings(&least, most.as_ref())]);
    let decimal = with_suffixes("kMGTPE", "", 1000, HUNDREDTHS, &least, most.as_ref());
    let binary = with_suffixes("KMGTPE", "i", 1024, QUARTERS, &least, most.as_ref());
    all.chain(decimal).chain(binary).filter(|one| *one != Expression::never()).collect()
}

/// Zero with any suffix.
pub(super) fn zero_expression() -> Expression {
    let binary = Expression::sequence([Expression::one_of("KMGTPE"), Expression::literal("i")]);
    let suffix = Expression::either([Expression::one_of("numkMGTPE"), binary]).optional();
    Expression::sequence([Expression::literal("0"), after_point(&[0].into()), suffix])
}

/// Integers without suffix, and in thousandths, millionths and billionths.
fn unit_spellings(least: &BigUint, most: Option<&BigUint>) -> Expression {
    if most.is_some_and(|most| most < least) {
        return Expression::never();
    }
    let endings = [("m", 3), ("u", 6), ("n", 9)]
        .map(|(letter, zeros)| Expression::literal(&("0".repeat(zeros) + letter)));
    let endings = std::iter::once(after_point(&[0].into())).chain(endings);
    Expression::sequence([integers_between(least, most), Expression::either(endings)])
}

/// Numbers with these suffixes, each of which stands for `step` times the one before it.
fn with_suffixes(
    letters: &str,
    ending: &str,
    step: u32,
    grid: FractionGrid,
    least: &BigUint,
    most: Option<&BigUint>,
) -> Vec<Expression> {
    let mut groups: Vec<(Expression, String)> = Vec::new();
    let mut factor = BigUint::from(1_u8);
    for letter in letters.chars() {
        factor *= step;
        let in_parts = |bound: &BigUint| bound * grid.parts;
        // Rounded towards what lies between the bounds.
        let from = (in_parts(least) + &factor - 1_u8) / &factor;
        let to = most.map(|most| in_parts(most) / &factor);
        let numbers = numbers_between(&from.max(BigUint::from(1_u8)), to.as_ref(), grid);
        match groups.iter_mut().find(|(known, _)| *known == numbers) {
            Some((_, letters)) => letters.push(letter),
            None => groups.push((numbers, letter.to_string())),
        }
    }
    let suffix =
        |letters: &str| Expression::sequence([Expression::one_of(letters), Expression::literal(ending)]);
    groups.into_iter().map(|(numbers, letters)| Expression::sequence([numbers, suffix(&letters)])).collect()
}

/// The numbers between two bounds that are given in parts of one.
pub(super) fn numbers_between(from: &BigUint, to: Option<&BigUint>, grid: FractionGrid) -> Expression {
    if to.is_some_and(|to| to < from) {
        return Expression::never();
    }
    let last = grid.parts - 1;
    let (whole, part) = split_bound(from, grid);
    let end = to.map(|to| split_bound(to, grid));
    if let Some((_, rest)) = end.as_ref().filter(|(end, _)| *end == whole) {
        return numbers_at(&whole, part..=*rest, grid);
    }
    // From `starts` up to `below`, every fraction is allowed, so only the integer part matters.
    let starts = if part == 0 && whole > BigUint::ZERO { whole.clone() } else { &whole + 1_u8 };
    let below = end.as_ref().map(|(end, rest)| if *rest == last { end + 1_u8 } else { end.clone() });
    let first = if starts == whole { Expression::never() } else { numbers_at(&whole, part..=last, grid) };
    let highest = end.as_ref().filter(|(_, rest)| *rest != last);
    let highest = highest.map_or_else(Expression::never, |(end, rest)| numbers_at(end, 0..=*rest, grid));
    Expression::either([first, any_fraction(&starts, below.as_ref(), grid), highest])
}

/// The whole part of a bound, and how many parts of one there are next to it.
fn split_bound(bound: &BigUint, grid: FractionGrid) -> (BigUint, u8) {
    let part = bound % grid.parts;
    (bound / grid.parts, part.to_u32_digits().first().and_then(|part| u8::try_from(*part).ok()).unwrap_or(0))
}

/// The numbers with one whole part and some of the fractions.
fn numbers_at(whole: &BigUint, parts: std::ops::RangeInclusive<u8>, grid: FractionGrid) -> Expression {
    let mut hundredths: BTreeSet<u8> = parts.map(|part| part * grid.hundredths).collect();
    if *whole == BigUint::ZERO {
        hundredths.remove(&0);
    }
    Expression::sequence([Expression::literal(&whole.to_string()), after_point(&hundredths)])
}

/// The numbers whose whole part is at least one and less than another, with any fraction.
fn any_fraction(first: &BigUint, below: Option<&BigUint>, grid: FractionGrid) -> Expression {
    let last = below.map(|below| below - 1_u8);
    if last.as_ref().is_some_and(|last| last < first) {
        return Expression::never();
    }
    let all: BTreeSet<u8> = (0..grid.parts).map(|part| part * grid.hundredths).collect();
    Expression::sequence([integers_between(first, last.as_ref()), after_point(&all)])
}

/// A point and these hundredths in one or two digits; nothing for zero hundredths.
fn after_point(hundredths: &BTreeSet<u8>) -> Expression {
    let digit = |value: u8| char::from(b'0' + value);
    let mut groups: Vec<(BTreeSet<u8>, Vec<char>)> = Vec::new();
    for tens in 0..10 {
        let ones: BTreeSet<u8> =
            hundredths.iter().filter(|value| **value / 10 == tens).map(|value| value % 10).collect();
        match groups.iter_mut().find(|(known, _)| *known == ones) {
            Some((_, tens_of)) => tens_of.push(digit(tens)),
            None => groups.push((ones, vec![digit(tens)])),
        }
    }
    let texts = groups.into_iter().map(|(ones, tens)| {
        let second = Expression::one_of_digits(ones.iter().map(|value| digit(*value)));
        // A zero at the end may be left out.
        let second = if ones.contains(&0) { second.optional() } else { second };
        Expression::sequence([Expression::one_of_digits(tens), second])
    });
    let part = Expression::sequence([Expression::literal("."), Expression::either(texts)]);
    if hundredths.contains(&0) { part.optional() } else { part }
}

#[cfg(test)]
mod tests {
    use kvrules_kubernetes::quantity::Quantity;
    use regex::Regex;

    use super::*;

    /// Bounds that released templates have, and others.
    const BOUNDS: [i128; 16] = [
        0,
        1,
        7,
        8,
        1024,
        536_870_912,
        1_000_000_000,
        1_073_741_824,
        1_610_612_736,
        2_147_483_648,
        2_147_483_647,
        4_294_967_296,
        123_456_789_012,
        1 << 40,
        i64::MAX as i128,
        u64::MAX as i128,
    ];
    const SUFFIXES: [&str; 16] =
        ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

    fn matches(patterns: &[Vec<Regex>], text: &str) -> bool {
        patterns.iter().all(|any| any.iter().any(|pattern| pattern.is_match(text)))
    }

    fn compiled(min: Option<i128>, max: Option<i128>) -> Vec<Vec<Regex>> {
        let (min, max) = (min.map(BigInt::from), max.map(BigInt::from));
        let patterns = common_between(min.as_ref(), max.as_ref());
        for pattern in patterns.iter().flatten() {
            assert!(pattern.len() < 600, "{min:?} {max:?}: {} characters", pattern.len());
        }
        patterns.iter().map(|any| any.iter().map(|one| Regex::new(one).unwrap()).collect()).collect()
    }

    fn is_intended(text: &str, min: Option<i128>, max: Option<i128>) -> bool {
        let quantity = Quantity::parse(text).unwrap();
        quantity.is_integer()
            && min.is_none_or(|min| quantity.compare_integer(&min.into()).is_ge())
            && max.is_none_or(|max| quantity.compare_integer(&max.into()).is_le())
    }

    /// Common spellings at and around a bound.
    fn near(bound: i128, suffix: &str) -> Vec<String> {
        let factor = |letters: &str, step: i128| {
            letters
                .chars()
                .position(|letter| suffix.starts_with(letter))
                .map(|at| step.pow(u32::try_from(at).unwrap() + 1))
        };
        let whole = match (suffix, suffix.ends_with('i')) {
            ("", _) => bound,
            ("n", _) => bound * 1_000_000_000,
            ("u", _) => bound * 1_000_000,
            ("m", _) => bound * 1_000,
            (_, true) => bound / factor("KMGTPE", 1024).unwrap(),
            (_, false) => bound / factor("kMGTPE", 1000).unwrap(),
        };
        let steps = [-1000, -10, -1, 0, 1, 2, 9, 100];
        let wholes = steps.iter().map(|step| whole + step).chain([
            whole * 2,
            whole * 10,
            whole / 2,
            whole / 10,
            0,
            1,
            512,
        ]);
        let fractions: &[&str] = if ["n", "u", "m"].contains(&suffix) {
            &[""]
        } else {
            &["", ".0", ".5", ".50", ".25", ".75", ".48", ".01", ".99"]
        };
        let wholes = wholes.filter(|whole| *whole >= 0);
        wholes
            .flat_map(|whole| fractions.iter().map(move |fraction| format!("{whole}{fraction}{suffix}")))
            .collect()
    }

    /// Bounds of every sort: below, above, and both, near to each other and far.
    fn intervals() -> Vec<(Option<i128>, Option<i128>)> {
        let one = BOUNDS.iter().flat_map(|bound| [(Some(*bound), None), (None, Some(*bound))]);
        let pairs = BOUNDS.windows(2).filter_map(|pair| Some((Some(*pair.first()?), Some(*pair.last()?))));
        let close =
            BOUNDS.iter().flat_map(|bound| [(Some(*bound), Some(bound + 3)), (Some(-5), Some(*bound))]);
        one.chain(pairs.filter(|(low, high)| low <= high))
            .chain(close)
            .chain([(None, None), (None, Some(-1))])
            .collect()
    }

    #[test]
    fn common_spellings_match_just_where_they_are_meant_with_patterns_under_600_characters() {
        let (mut evaluated, mut matched) = (0, 0);
        for (min, max) in intervals() {
            let patterns = compiled(min, max);
            for bound in [min, max].into_iter().flatten().chain([1000]).filter(|bound| *bound >= 0) {
                for text in SUFFIXES.iter().flat_map(|suffix| near(bound, suffix)) {
                    let found = matches(&patterns, &text);
                    assert_eq!(found, is_intended(&text, min, max), "{text} in {min:?} to {max:?}");
                    evaluated += 1;
                    matched += usize::from(found);
                }
            }
        }
        assert!(evaluated > 100_000 && matched > evaluated / 10, "{matched} of {evaluated} match");
    }

    #[test]
    fn bounds_that_released_templates_have_take_at_most_three_patterns() {
        for bound in [536_870_912_i128, 1_073_741_824, 1_610_612_736, 2_147_483_648, 4_294_967_296, 8, 16] {
            for (min, max) in [(Some(bound), None), (None, Some(bound))] {
                let patterns = compiled(min, max);
                assert!(patterns.len() == 1 && patterns[0].len() <= 3, "{min:?} {max:?}: {patterns:?}");
            }
        }
    }

    #[test]
    fn other_spellings_are_refused_whatever_they_mean() {
        let patterns = compiled(Some(1), None);
        for text in [
            "+2", "02", "2e3", "2E3", "2.", ".5Ki", "1.500G", " 2Gi", "2000.0m", "-1", "2 Gi", "2gi", "2K",
            "",
        ] {
            assert!(!matches(&patterns, text), "{text}");
        }
    }
}
