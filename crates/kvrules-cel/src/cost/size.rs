//! Sizes and costs: unsigned 64-bit numbers that stay at the greatest one instead of overflowing.

/// The unknown size and the unknown cost.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The cost of reading one byte or code point of a string.
// cel-go common, StringTraversalCostFactor and RegexStringLengthCostFactor
pub(crate) const TRAVERSAL: f64 = 0.1;
/// The cost of one character of a regular expression.
pub(crate) const REGEX: f64 = 0.25;

/// The least and the greatest size of a value.
// cel-go checker/cost.go, SizeEstimate
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeRange {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl SizeRange {
    pub(crate) const UNKNOWN: Self = Self { min: 0, max: UNKNOWN };

    pub(crate) fn exact_size(size: u64) -> Self {
        Self { min: size, max: size }
    }

    pub(crate) fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The cost of a pass over the value.
    pub(crate) fn pass_cost(self, factor: f64) -> u64 {
        scale_saturating(self.max, factor)
    }
}

/// A number times a factor, rounded up, as 64-bit floats give it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the server computes in floats; casts of Rust saturate as its checks do"
)]
// cel-go checker/cost.go, multiplyByCostFactor
pub(crate) fn scale_saturating(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).ceil() as u64
}

/// The quotient rounded up, as 64-bit floats give it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "as in `scale`"
)]
pub(crate) fn ceil_quotient(number: u64, divisor: u64) -> u64 {
    (number as f64 / divisor as f64).ceil() as u64
}
