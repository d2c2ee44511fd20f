//! The digits after the point: comparison with a bound, and which of them still make a whole number of base units.
//!
//! The caller adds trailing zeros, which do not change the value; bounds have none.

use super::digits::{common_prefix, digit_class, follow_digits};
use super::expression::Expression;

/// Fractions allowed before a suffix.
#[derive(Clone, Copy)]
pub(super) enum FractionKind {
    /// Before a power of ten: any, with at most so many digits.
    Decimal { places: usize },
    /// Before a power of two: those that end like a multiple of 1/8.
    Binary,
}

/// The ends of three-digit multiples of 1/8 that are not multiples of 1/4.
const EIGHTHS: [&str; 4] = ["12", "37", "62", "87"];
/// All multiples of 1/8 with fewer than three digits.
const SHORT: [&str; 4] = ["25", "75", "5", ""];

/// Treatment of zero as a fraction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ZeroFraction {
    Allowed,
    Excluded,
}

impl FractionKind {
    /// All fractions of the kind.
    pub(super) fn any(self, zero: ZeroFraction) -> Expression {
        match self {
            Self::Decimal { places } if zero == ZeroFraction::Excluded => Expression::sequence([
                Expression::digits(0, Some(places.saturating_sub(1))),
                Expression::one_of("123456789"),
            ]),
            _ => self.assemble(zero, |tail| tail.after(&[])),
        }
    }

    /// The fractions not less than `low`, which is not empty.
    pub(super) fn at_least(self, low: &[u8]) -> Expression {
        self.assemble(ZeroFraction::Allowed, |tail| at_least(&[], low, tail))
    }

    /// The fractions not greater than `high`.
    pub(super) fn at_most(self, high: &[u8], zero: ZeroFraction) -> Expression {
        match self {
            Self::Decimal { places } if zero == ZeroFraction::Excluded => {
                let zeros = std::iter::repeat_n(0, places.saturating_sub(1));
                self.fractions_between(&zeros.chain([1]).collect::<Vec<_>>(), high)
            }
            _ => self.assemble(zero, |tail| at_most(&[], high, tail)),
        }
    }

    pub(super) fn fractions_between(self, low: &[u8], high: &[u8]) -> Expression {
        self.assemble(ZeroFraction::Allowed, |tail| digits_between(low, high, tail))
    }

    /// Puts a comparison together from what may follow once it is decided.
    ///
    /// Before a power of two, what may follow depends on the last digits passed. Where three more digits come, it does
    /// not: those fractions are one expression and a common end. The others are listed digit by digit.
    fn assemble(self, zero: ZeroFraction, compare: impl Fn(TailDigits) -> Expression) -> Expression {
        match self {
            Self::Decimal { places } => compare(TailDigits::Places(places)),
            Self::Binary => {
                let eighth = Expression::either(EIGHTHS.map(Expression::literal));
                let end =
                    Expression::sequence([Expression::digits(0, None), eighth, Expression::literal("5")]);
                Expression::either([
                    Expression::sequence([compare(TailDigits::Long), end]),
                    compare(TailDigits::Short(zero)),
                ])
            }
        }
    }
}

/// Digits allowed after the comparison is decided.
#[derive(Clone, Copy)]
enum TailDigits {
    /// As many digits as are left of these.
    Places(usize),
    /// Nothing here: the common end follows.
    Long,
    /// At most two digits, such that the whole ends like a multiple of 1/8.
    Short(ZeroFraction),
}

impl TailDigits {
    fn after(self, passed: &[u8]) -> Expression {
        match self {
            Self::Places(places) => Expression::digits(0, Some(places.saturating_sub(passed.len()))),
            Self::Long => Expression::empty(),
            Self::Short(zero) => {
                let fitting = SHORT.into_iter().filter(|rest| ends_like_an_eighth(passed, rest, zero));
                Expression::either(fitting.map(Expression::literal))
            }
        }
    }

    /// Returns the expression for a text that ends after these digits, before the comparison is decided by a digit.
    fn stop(self, passed: &[u8]) -> Expression {
        match self {
            Self::Places(_) => Expression::empty(),
            Self::Short(zero) if ends_like_an_eighth(passed, "", zero) => Expression::empty(),
            Self::Short(_) | Self::Long => Expression::never(),
        }
    }
}

/// True if the last three digits of both together are those of a multiple of 1/8, or all of them if fewer.
fn ends_like_an_eighth(passed: &[u8], rest: &str, zero: ZeroFraction) -> bool {
    let text: String = passed.iter().map(|value| char::from(b'0' + value)).chain(rest.chars()).collect();
    let digits = text.trim_end_matches('0');
    let eighth = digits.strip_suffix('5').is_some_and(|front| EIGHTHS.iter().any(|end| front.ends_with(end)));
    eighth || SHORT.contains(&digits) && (zero == ZeroFraction::Allowed || !digits.is_empty())
}

fn digits_between(low: &[u8], high: &[u8], tail: TailDigits) -> Expression {
    let (common, rest) = low.split_at(common_prefix(low, high));
    let decided = match (rest, high.get(common.len()..)) {
        ([low_digit, lows @ ..], Some([high_digit, highs @ ..])) => Expression::either([
            Expression::sequence([
                digit_class([low_digit]),
                at_least(&passing_digits(common, *low_digit), lows, tail),
            ]),
            leaving_digits(common, low_digit + 1..*high_digit, tail),
            Expression::sequence([
                digit_class([high_digit]),
                at_most(&passing_digits(common, *high_digit), highs, tail),
            ]),
        ]),
        (_, highs) => at_most(common, highs.unwrap_or_default(), tail),
    };
    Expression::sequence([digit_class(common), decided])
}

/// Returns the expression for what may follow `passed` so as not to be less than `low`.
fn at_least(passed: &[u8], low: &[u8], tail: TailDigits) -> Expression {
    let all = [passed, low].concat();
    follow_digits(low, &tail.after(&all), |position, at| {
        let before = all.iter().take(passed.len() + position).copied().collect::<Vec<_>>();
        leaving_digits(&before, at + 1..10, tail)
    })
}

/// Returns the expression for what may follow `passed` so as not to be greater than `high`.
fn at_most(passed: &[u8], high: &[u8], tail: TailDigits) -> Expression {
    let all = [passed, high].concat();
    follow_digits(high, &tail.stop(&all), |position, at| {
        let before = all.iter().take(passed.len() + position).copied().collect::<Vec<_>>();
        Expression::either([tail.stop(&before), leaving_digits(&before, 0..at, tail)])
    })
}

/// One of the given digits after those passed, and what may follow it; digits with the same tail share it.
fn leaving_digits(passed: &[u8], choices: std::ops::Range<u8>, tail: TailDigits) -> Expression {
    let mut groups: Vec<(Expression, Vec<u8>)> = Vec::new();
    for choice in choices {
        let after = tail.after(&passing_digits(passed, choice));
        match groups.iter_mut().find(|(known, _)| *known == after) {
            Some((_, members)) => members.push(choice),
            None => groups.push((after, vec![choice])),
        }
    }
    Expression::either(groups.into_iter().map(|(after, members)| {
        let one = Expression::one_of_digits(members.into_iter().map(|value| char::from(b'0' + value)));
        Expression::sequence([one, after])
    }))
}

fn passing_digits(passed: &[u8], digit: u8) -> Vec<u8> {
    [passed, &[digit]].concat()
}
