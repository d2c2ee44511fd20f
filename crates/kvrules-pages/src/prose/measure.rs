//! Numbers with their units.

use kvrules_ir::{Interval, Place, PlaceStep, ValueType};
use kvrules_kubernetes::quantity::{in_human_units, shortest_binary};
use num_bigint::BigInt;

use super::inline::Prose;

/// Unit of the number at a place, or of the length of its string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasureUnit {
    /// Bytes of memory or storage.
    Bytes,
    /// Characters of a text.
    Characters,
    /// Just a number.
    Number,
}

/// Names of quantities that are counted in bytes, wherever they stand.
const IN_BYTES: [&str; 9] = [
    "memory",
    "guest",
    "maxGuest",
    "addedOverhead",
    "capacity",
    "storage",
    "ephemeral-storage",
    "size",
    "sizeLimit",
];

impl MeasureUnit {
    /// Returns the unit of the number at a place.
    pub(crate) fn of(place: &Place) -> Self {
        let name = match place.steps.last() {
            Some(PlaceStep::Field { name, .. } | PlaceStep::Key(name)) => name.as_str(),
            _ => "",
        };
        let is_bytes = IN_BYTES.contains(&name) || name.starts_with("hugepages-");
        if place.value_type == ValueType::Quantity && is_bytes { Self::Bytes } else { Self::Number }
    }

    /// `2 GiB (2147483648 bytes)`, `3 characters`, `4`.
    pub(crate) fn amount(self, number: &BigInt) -> String {
        let plain = self.plain(number);
        let human = in_human_units(number);
        if self == Self::Bytes && human != number.to_string() { format!("{human} ({plain})") } else { plain }
    }

    /// In the units people read: `2 GiB`, `3 characters`, `4`.
    pub(crate) fn human(self, number: &BigInt) -> String {
        let human = in_human_units(number);
        if self == Self::Bytes && human != number.to_string() { human } else { self.plain(number) }
    }

    /// As [`Self::amount`], and how to write it.
    pub(crate) fn limit(self, number: &BigInt) -> Prose {
        let amount = Prose::from(self.amount(number));
        let written = shortest_binary(number);
        let is_short = self == Self::Bytes && written != number.to_string();
        if is_short { amount.text(", written ").code(written) } else { amount }
    }

    /// `at least 2`, `between 1 and 3 characters`; `None` without a bound.
    pub(crate) fn range(self, interval: &Interval) -> Option<String> {
        Some(match (&interval.min, &interval.max) {
            (None, None) => return None,
            (Some(min), None) => format!("at least {}", self.amount(min)),
            (None, Some(max)) => format!("at most {}", self.amount(max)),
            (Some(min), Some(max)) if min == max => format!("exactly {}", self.amount(min)),
            (Some(min), Some(max)) if self == Self::Bytes || min > max => {
                format!("at least {} and at most {}", self.amount(min), self.amount(max))
            }
            (Some(min), Some(max)) => format!("between {min} and {}", self.amount(max)),
        })
    }

    fn plain(self, number: &BigInt) -> String {
        let is_one = *number == BigInt::from(1);
        match self {
            Self::Bytes => format!("{number} {}", if is_one { "byte" } else { "bytes" }),
            Self::Characters => format!("{number} {}", if is_one { "character" } else { "characters" }),
            Self::Number => number.to_string(),
        }
    }
}
