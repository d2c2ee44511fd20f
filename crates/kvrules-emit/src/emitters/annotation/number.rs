//! Numbers with all their digits.

use std::cmp::Ordering;

use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;

/// Fractions with more digits are not written out.
const MOST_DIGITS: usize = 1_000;

/// The number in decimal; `None` where that would be too long.
pub(super) fn to_decimal(number: &Quantity) -> Option<String> {
    if let Some(integer) = number.to_integer() {
        return Some(integer.to_string());
    }
    if number.compare_integer(&BigInt::ZERO) == Ordering::Less {
        let above = number.ceil()?;
        return to_fraction(number, &format!("-{}", above.magnitude()), Ordering::Less);
    }
    to_fraction(number, &number.floor()?.to_string(), Ordering::Greater)
}

/// Adds digits behind the point until the number is reached. `away` is how the number compares with what is nearer to
/// zero.
fn to_fraction(number: &Quantity, whole: &str, away: Ordering) -> Option<String> {
    let mut text = format!("{whole}.");
    for _ in 0..MOST_DIGITS {
        let digit = (0..=9).rev().find(|digit| {
            let reached = Quantity::parse(&format!("{text}{digit}"));
            reached.is_ok_and(|reached| matches!(number.compare_quantity(&reached), order if order == away || order == Ordering::Equal))
        })?;
        text.push_str(&digit.to_string());
        if Quantity::parse(&text).is_ok_and(|reached| reached == *number) {
            return Some(text);
        }
    }
    None
}
