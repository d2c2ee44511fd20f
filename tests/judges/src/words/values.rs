//! Values of objects: paths, tests of values and their order, written for the judge alone.

use std::cmp::Ordering;
use std::net::IpAddr;

use serde_json::Value as Json;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Field(String),
    /// Every item of a list, or value of a map.
    Each,
}

/// A test of a value that is there.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// A number or a quantity on one side of a limit.
    Above {
        limit: String,
        included: bool,
    },
    Below {
        limit: String,
        included: bool,
    },
    /// All of the tests.
    All(Vec<Test>),
    /// The number of characters.
    Characters {
        least: u64,
        most: u64,
    },
    /// The number of items, or keys.
    Items {
        least: u64,
        most: u64,
    },
    /// A regular expression matches in the string.
    Matches(String),
    /// A string with one of these texts at a place, or a list with one of them.
    Starts(Vec<String>),
    Ends(Vec<String>),
    Contains(Vec<String>),
    /// The value does not pass.
    Fails(Box<Test>),
    /// One of these values, as they are written without quotation marks.
    OneOf(Vec<String>),
    Quantity,
    Ip,
    Cidr,
    DnsLabel,
    DnsSubdomain,
    /// No two items are equal in all of these paths, or altogether.
    Unique(Vec<Vec<Step>>),
}

/// Reads a path such as `spec.list[*].name` or `labels["a/b"]`.
pub fn read_path(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]") {
            steps.push(Step::Each);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("[\"") {
            let (name, after) = after.split_once("\"]")?;
            steps.push(Step::Field(name.to_owned()));
            rest = after;
        } else {
            let plain = rest.strip_prefix('.').unwrap_or(rest);
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            let (name, after) = plain.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(Step::Field(name.to_owned()));
            rest = after;
        }
    }
    Some(steps)
}

/// The values at a path; `null` is none.
pub fn values_at<'v>(value: &'v Json, path: &[Step]) -> Vec<&'v Json> {
    let Some((step, rest)) = path.split_first() else {
        return if value.is_null() { Vec::new() } else { vec![value] };
    };
    let next: Vec<&Json> = match (step, value) {
        (Step::Field(name), Json::Object(fields)) => fields.get(name).into_iter().collect(),
        (Step::Each, Json::Array(items)) => items.iter().collect(),
        (Step::Each, Json::Object(fields)) => fields.values().collect(),
        _ => Vec::new(),
    };
    next.into_iter().flat_map(|value| values_at(value, rest)).collect()
}

/// The items of a list, or the values of a map.
pub fn items_of(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

/// The items of a list, or the keys of a map as texts.
pub fn item_keys(value: &Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items.clone(),
        Json::Object(fields) => fields.keys().map(|key| Json::from(key.as_str())).collect(),
        _ => Vec::new(),
    }
}

/// True if two values are equal; numbers by their value.
pub fn equal_values(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal_values(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|it| equal_values(value, it)))
        }
        _ => one == other,
    }
}

/// The order of two numbers, or of two quantities.
pub fn compare(one: &Json, other: &Json) -> Option<Ordering> {
    magnitude(&written(one))?.partial_cmp(&magnitude(&written(other))?)
}

/// A value as a sentence writes it: a string without quotation marks.
pub fn written(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The size of a number or a quantity in thousandths. The judge uses small ones alone, so that a double holds them exactly.
pub fn magnitude(text: &str) -> Option<f64> {
    let units = [
        ("Ki", 1024e3),
        ("Mi", 1_048_576e3),
        ("Gi", 1_073_741_824e3),
        ("m", 1.0),
        ("k", 1e6),
        ("M", 1e9),
        ("G", 1e12),
    ];
    let (number, unit) =
        units.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size))).unwrap_or((text, 1e3));
    let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
    number.parse::<f64>().ok().filter(|_| is_number).map(|number| number * unit)
}

impl Test {
    /// True if a value passes.
    pub fn passes(&self, value: &Json) -> bool {
        match self {
            Self::Above { limit, included } => {
                order_to(value, limit).is_some_and(|order| order.is_gt() || *included && order.is_eq())
            }
            Self::Below { limit, included } => {
                order_to(value, limit).is_some_and(|order| order.is_lt() || *included && order.is_eq())
            }
            Self::All(tests) => tests.iter().all(|test| test.passes(value)),
            Self::Characters { least, most } => {
                value.as_str().is_some_and(|text| (*least..=*most).contains(&(text.chars().count() as u64)))
            }
            Self::Items { least, most } => {
                let is_container = value.is_array() || value.is_object();
                is_container && (*least..=*most).contains(&(item_keys(value).len() as u64))
            }
            Self::Matches(pattern) => {
                let pattern = regex::Regex::new(pattern);
                value.as_str().is_some_and(|text| pattern.is_ok_and(|pattern| pattern.is_match(text)))
            }
            Self::Starts(texts) => has_text(value, texts, |value, text| value.starts_with(text)),
            Self::Ends(texts) => has_text(value, texts, |value, text| value.ends_with(text)),
            Self::Contains(texts) => match value {
                Json::Array(items) => items.iter().any(|item| texts.contains(&written(item))),
                value => has_text(value, texts, |value, text| value.contains(text)),
            },
            Self::Fails(test) => !test.passes(value),
            Self::OneOf(values) => values.iter().any(|known| *known == written(value)),
            Self::Quantity => magnitude(&written(value)).is_some(),
            Self::Ip => value.as_str().is_some_and(|text| text.parse::<IpAddr>().is_ok()),
            Self::Cidr => value.as_str().is_some_and(is_cidr),
            Self::DnsLabel => value.as_str().is_some_and(|text| text.len() <= 63 && is_label(text)),
            Self::DnsSubdomain => {
                value.as_str().is_some_and(|text| text.len() <= 253 && text.split('.').all(is_label))
            }
            Self::Unique(keys) => value.as_array().is_some_and(|items| are_unique(items, keys)),
        }
    }
}

fn has_text(value: &Json, texts: &[String], has: impl Fn(&str, &str) -> bool) -> bool {
    value.as_str().is_some_and(|value| texts.iter().any(|text| has(value, text)))
}

fn order_to(value: &Json, limit: &str) -> Option<Ordering> {
    magnitude(&written(value))?.partial_cmp(&magnitude(limit)?)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

fn is_label(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn are_unique(items: &[Json], keys: &[Vec<Step>]) -> bool {
    let part = |item: &Json, key: &[Step]| values_at(item, key).first().map(|value| (*value).clone());
    let are_equal = |one: &Json, other: &Json| match keys {
        [] => equal_values(one, other),
        keys => keys.iter().all(|key| match (part(one, key), part(other, key)) {
            (Some(one), Some(other)) => equal_values(&one, &other),
            (one, other) => one == other,
        }),
    };
    items
        .iter()
        .enumerate()
        .all(|(index, one)| items.iter().skip(index + 1).all(|other| !are_equal(one, other)))
}
