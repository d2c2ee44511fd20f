//! Values as expressions see them, with their order and equality.

use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Value as Json, json};

/// A value. Objects are maps: the difference is in the schema.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Bool(bool),
    Int(i64),
    Double(f64),
    Str(Rc<str>),
    List(Rc<[Val]>),
    Map(Rc<[(Rc<str>, Val)]>),
    /// A quantity, in thousandths.
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
            Self::Quantity(_) | Self::Duration(_) => Json::Null,
        }
    }
}

/// Reads a quantity in thousandths: digits with an optional fraction, and a suffix.
pub(crate) fn read_quantity(text: &str) -> Option<i128> {
    let end =
        text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-' && c != '+').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let thousandths = read_decimal(number, 3)?;
    let factor = match suffix {
        "" => 1,
        "m" => return (thousandths % 1000 == 0).then_some(thousandths / 1000),
        "k" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    Some(thousandths * factor)
}

/// Reads a duration of one unit in nanoseconds.
pub(crate) fn read_duration(text: &str) -> Option<i128> {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let nanoseconds = match unit {
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "" if number == "0" => 1,
        _ => return None,
    };
    Some(read_decimal(number, 3)? * nanoseconds / 1000)
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
