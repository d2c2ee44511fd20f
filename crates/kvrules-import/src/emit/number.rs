//! Bounds and factors of numbers. The server compares integers with bounds whose fraction is cut off, and refuses
//! every integer where a bound has one, so bounds of integers are rounded, and those of other numbers are expressed by rules.

use kvrules_diagnostics::Exactness;
use serde_json::{Number, Value, json};

use super::{Keywords, ShapeEmitter, set_keyword};
use crate::shape::{NumberBound, SchemaShape, ValueKinds};

/// End of a range that a bound limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeEnd {
    Min,
    Max,
}

impl RangeEnd {
    fn keyword(self) -> &'static str {
        match self {
            Self::Min => "minimum",
            Self::Max => "maximum",
        }
    }

    fn strict_keyword(self) -> &'static str {
        match self {
            Self::Min => "exclusiveMinimum",
            Self::Max => "exclusiveMaximum",
        }
    }
}

impl ShapeEmitter {
    /// Writes the constraints on numbers, of some of their kinds. `rules` is true if rules can stand on the node.
    pub(super) fn numbers(
        &mut self,
        shape: &SchemaShape,
        kinds: ValueKinds,
        rules: bool,
        out: &mut Keywords,
    ) {
        for (end, bound) in [(RangeEnd::Min, &shape.numbers.min), (RangeEnd::Max, &shape.numbers.max)] {
            if let Some(bound) = bound {
                if kinds.meets(ValueKinds::FRACTION) {
                    self.bound(shape, end, bound, rules, out);
                } else {
                    self.whole_bound(shape, end, bound, out);
                }
            }
        }
        self.number_format(shape, kinds, out);
        for factor in &shape.numbers.factors {
            let factor =
                if kinds.meets(ValueKinds::FRACTION) { Some(factor.clone()) } else { whole_factor(factor) };
            match factor {
                Some(factor) if factor.is_f64() => {
                    let message = "the server cannot check multiples of a fraction for integers";
                    self.lose(Exactness::Wider, shape, "multipleOf", message);
                }
                Some(factor) if factor.as_u64() == Some(1) && !kinds.meets(ValueKinds::FRACTION) => {}
                Some(factor) => super::sides::add_conjunct(out, json!({ "multipleOf": factor })),
                None => self.lose(Exactness::Wider, shape, "multipleOf", "the factor is out of range"),
            }
        }
    }

    /// `int32` and its like, of which only the former refuses anything that its type does not.
    fn number_format(&mut self, shape: &SchemaShape, kinds: ValueKinds, out: &mut Keywords) {
        let Some(format) = &shape.numbers.format else { return };
        let range = -2_147_483_648.0..=2_147_483_647.0;
        // If a bound is outside of its format, the server rejects every value.
        let fits = ["minimum", "maximum"].iter().all(|keyword| {
            out.get(*keyword).and_then(Value::as_f64).is_none_or(|bound| range.contains(&bound))
        });
        let is_typed = out.get("type").and_then(Value::as_str);
        let is_expressed = match format.as_str() {
            "int32" => is_typed == Some("integer") && fits,
            "int64" => is_typed == Some("integer"),
            _ => is_typed == Some("number"),
        };
        if is_expressed {
            set_keyword(out, "format", format.as_str());
        } else if format == "int32" && kinds.meets(ValueKinds::INTEGER) {
            self.lose(Exactness::Wider, shape, "format", "the server does not check the format `int32` here");
        }
    }

    /// A bound of integers.
    fn whole_bound(&mut self, shape: &SchemaShape, end: RangeEnd, bound: &NumberBound, out: &mut Keywords) {
        let float = bound.value.as_f64().unwrap_or_default();
        let is_strict = bound.is_exclusive && float.fract() == 0.0;
        let rounded = if end == RangeEnd::Min { float.ceil() } else { float.floor() };
        let value = bound.value.as_i64().or_else(|| to_integer(rounded));
        match value {
            Some(value) => {
                set_keyword(out, end.keyword(), value);
                if is_strict {
                    set_keyword(out, end.strict_keyword(), true);
                }
            }
            // The bound is beyond all integers of 64 bits, so either all of them satisfy it or none does.
            None if (end == RangeEnd::Min) == (float > 0.0) => self.exclude(shape, ValueKinds::NUMBER, out),
            None => {}
        }
    }

    /// A bound of numbers that may have fractions.
    fn bound(
        &mut self,
        shape: &SchemaShape,
        end: RangeEnd,
        bound: &NumberBound,
        rules: bool,
        out: &mut Keywords,
    ) {
        let float = bound.value.as_f64().unwrap_or_default();
        let is_strict = bound.is_exclusive;
        let keyword = if is_strict { end.strict_keyword() } else { end.keyword() };
        // The server truncates a fraction towards zero. That is correct on one side of zero for inclusive bounds,
        // and on the other for strict ones.
        let outward = (end == RangeEnd::Min) == (float > 0.0);
        let is_right = float.fract() == 0.0 || outward == is_strict;
        if !is_right && rules {
            let sign = match (end, is_strict) {
                (RangeEnd::Min, false) => ">=",
                (RangeEnd::Min, true) => ">",
                (RangeEnd::Max, false) => "<=",
                (RangeEnd::Max, true) => "<",
            };
            let rule = format!("self {sign} {float:?}");
            let words = match (end, is_strict) {
                (RangeEnd::Min, false) => "at least",
                (RangeEnd::Min, true) => "greater than",
                (RangeEnd::Max, false) => "at most",
                (RangeEnd::Max, true) => "less than",
            };
            return self.rule(out, shape, keyword, rule, &format!("must be {words} {}", bound.value));
        }
        if !is_right {
            let effect = if is_strict { Exactness::Narrower } else { Exactness::Wider };
            let message = "the server cuts the fraction of the bound off if the value is an integer";
            self.lose(effect, shape, keyword, message);
        }
        set_keyword(out, end.keyword(), Value::Number(bound.value.clone()));
        if is_strict {
            set_keyword(out, end.strict_keyword(), true);
        }
    }
}

fn to_integer(float: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
    (float.abs() < 9.2e18).then_some(float as i64)
}

/// The factor whose integer multiples are the integers among the multiples of a number: of 1.5 it is 3.
fn whole_factor(factor: &Number) -> Option<Number> {
    if !factor.is_f64() {
        return Some(factor.clone());
    }
    let text = factor.to_string();
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let places = i32::try_from(fraction.len()).ok()? - exponent.parse::<i32>().ok()?;
    let numerator: u64 = format!("{whole}{fraction}").parse().ok()?;
    if places <= 0 {
        return numerator.checked_mul(10u64.checked_pow(places.unsigned_abs())?).map(Number::from);
    }
    let denominator = 10u64.checked_pow(places.unsigned_abs())?;
    Some(Number::from(numerator / common_divisor(numerator, denominator)))
}

/// The greatest common divisor.
fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one.max(1) } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_of_integers_is_whole() {
        let factor = |text: &str| whole_factor(&serde_json::from_str(text).unwrap()).unwrap().to_string();
        assert_eq!([factor("0.5"), factor("1.5"), factor("2.25"), factor("7")], ["1", "3", "9", "7"]);
        assert!(whole_factor(&serde_json::from_str("1e30").unwrap()).is_none());
    }
}
