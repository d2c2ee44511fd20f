//! Values as expressions see them, with their order and equality.

use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Value as Json, json};

/// A value. Objects are maps: the difference is in the schema.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Str(Rc<str>),
    List(Rc<[Val]>),
    Map(Rc<[(Rc<str>, Val)]>),
    /// A quantity, in billionths.
    Quantity(i128),
    /// A duration, in nanoseconds.
    Duration(i128),
}

impl Val {
    pub(crate) fn text(text: &str) -> Self {
        Self::Str(text.into())
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(key, _)| &**key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// CEL's `==`. Values of different types are unequal, except for numbers.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Str(one), Self::Str(other)) => one == other,
            (Self::Int(_) | Self::Double(_), Self::Int(_) | Self::Double(_)) => {
                self.compare(other) == Some(Ordering::Equal)
            }
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| one.equals(other))
            }
            (Self::Map(one), Self::Map(other)) => {
                let is_in_other = |(key, value): &(Rc<str>, Self)| {
                    other.iter().any(|(name, it)| name == key && it.equals(value))
                };
                one.len() == other.len() && one.iter().all(is_in_other)
            }
            (Self::Quantity(one), Self::Quantity(other)) | (Self::Duration(one), Self::Duration(other)) => {
                one == other
            }
            _ => false,
        }
    }

    /// CEL's order, if the two have one.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(one), Self::Bool(other)) => Some(one.cmp(other)),
            (Self::Int(one), Self::Int(other)) => Some(one.cmp(other)),
            (Self::Double(one), Self::Double(other)) => one.partial_cmp(other),
            // cel-go compares a double with an integer as doubles.
            (Self::Int(one), Self::Double(other)) => (*one as f64).partial_cmp(other),
            (Self::Double(one), Self::Int(other)) => one.partial_cmp(&(*other as f64)),
            (Self::Str(one), Self::Str(other)) => Some(one.cmp(other)),
            (Self::Duration(one), Self::Duration(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Bool(value) => json!(value),
            Self::Int(value) => json!(value),
            Self::Double(value) => json!(value),
            Self::Str(text) => json!(&**text),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Self::Map(entries) => {
                Json::Object(entries.iter().map(|(key, value)| (key.to_string(), value.to_json())).collect())
            }
            Self::Null | Self::Quantity(_) | Self::Duration(_) => Json::Null,
        }
    }
}

/// Reads a quantity in billionths: digits with an optional fraction, and a suffix or an exponent.
pub(crate) fn read_quantity(text: &str) -> Option<i128> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let billionths = read_decimal(number.strip_prefix('+').unwrap_or(number), 9)?;
    let power = |exponent: u32| 10_i128.checked_pow(exponent);
    let divided = |divisor: i128| (billionths % divisor == 0).then_some(billionths / divisor);
    let factor = match suffix {
        "" => 1,
        "n" => return divided(power(9)?),
        "u" => return divided(power(6)?),
        "m" => return divided(power(3)?),
        "k" => power(3)?,
        "M" => power(6)?,
        "G" => power(9)?,
        "T" => power(12)?,
        "P" => power(15)?,
        "E" => power(18)?,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "Pi" => 1 << 50,
        "Ei" => 1 << 60,
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            let scale = power(exponent.unsigned_abs())?;
            return if exponent < 0 { divided(scale) } else { billionths.checked_mul(scale) };
        }
    };
    billionths.checked_mul(factor)
}

/// Reads a duration in nanoseconds: numbers with units, as Go writes them.
pub(crate) fn read_duration(text: &str) -> Option<i128> {
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(end);
        let end = behind.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let nanoseconds = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        total += read_decimal(number, 9)? * nanoseconds / 1_000_000_000;
        rest = behind;
    }
    (!text.is_empty()).then_some(if is_negative { -total } else { total })
}

/// Reads a decimal number, scaled by a power of ten.
fn read_decimal(text: &str, scale: usize) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty()
        || fraction.len() > scale
        || !(whole.to_owned() + fraction).chars().all(|c| c.is_ascii_digit())
    {
        return None;
    }
    let value: i128 = format!("{whole}{fraction:0<scale$}").parse().ok()?;
    Some(if is_negative { -value } else { value })
}
