//! The meaning of conditions: a plain evaluation on JSON values, against which everything else is compared.

use std::cmp::Ordering;
use std::net::IpAddr;

use kvrules_cel::value::from_schema;
use kvrules_kubernetes::quantity::Quantity;
use serde_json::{Number, Value as Json};

use crate::compared::{ComparedAs, quantity_text};
use crate::condition::{Affix, Bounds, Comparison, Condition, StoredTest, ValueFormat, ValueTest};
use crate::path::{PathStep, RulePath};
use crate::shape::schema_at;

/// A value, and the stored one in an update.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedValue<'v> {
    /// The value.
    pub value: &'v Json,
    /// The stored value; `None` in a creation.
    pub stored: Option<&'v Json>,
    /// The schema of both, by which servers compare values: items of lists of type `set` and `map` in any order. Without it every
    /// order counts.
    pub schema: Option<&'v Json>,
}

impl<'v> EvaluatedValue<'v> {
    /// An item of a list or a value of a map, whose stored form is not known.
    fn of_item(value: &'v Json) -> Self {
        Self { value, stored: None, schema: None }
    }
}

/// Evaluates expressions in CEL over a value; `None` for an error.
pub type EvaluateCel<'a> = dyn Fn(&str, EvaluatedValue<'_>) -> Option<bool> + 'a;

impl Condition {
    /// True if the condition holds for a value. An expression in CEL that ends in an error does not hold.
    ///
    /// ```
    /// use kvrules_rule_set::{Bounds, Condition, EvaluatedValue, RulePath, ValueTest};
    /// use serde_json::json;
    ///
    /// let bounds = Bounds::with_limits(Some(2.into()), None);
    /// let condition = Condition::Passes(RulePath::parse("spec.replicas").unwrap(), ValueTest::Number(bounds));
    /// let holds = |value| {
    ///     let value = EvaluatedValue { value: &value, stored: None, schema: None };
    ///     condition.holds_for(value, &|_, _| None)
    /// };
    /// assert!(holds(json!({"spec": {"replicas": 2}})));
    /// assert!(!holds(json!({"spec": {"replicas": 1}})) && !holds(json!({})));
    /// ```
    pub fn holds_for(&self, given: EvaluatedValue<'_>, cel: &EvaluateCel<'_>) -> bool {
        let value = given.value;
        match self {
            Self::All(all) => all.iter().all(|one| one.holds_for(given, cel)),
            Self::Any(any) => any.iter().any(|one| one.holds_for(given, cel)),
            Self::Not(inner) => !inner.holds_for(given, cel),
            Self::Present(path) => find_value(value, path).is_some(),
            Self::Passes(path, test) => find_value(value, path).is_some_and(|found| test.is_passed_by(found)),
            Self::Compares(one, how, other, read_as) => {
                match (find_value(value, one), find_value(value, other)) {
                    (Some(one), Some(other)) => how.holds_for(one, other, *read_as),
                    _ => false,
                }
            }
            Self::CountPresent { paths, least, most } => {
                let present = paths.iter().filter(|path| find_value(value, path).is_some()).count();
                (*least..=*most).contains(&present)
            }
            Self::ForAll(path, inner) => {
                items_at(value, path).iter().all(|item| inner.holds_for(EvaluatedValue::of_item(item), cel))
            }
            Self::CountItems(path, bounds, inner) => {
                let items = items_at(value, path).into_iter();
                let count = items.filter(|item| inner.holds_for(EvaluatedValue::of_item(item), cel)).count();
                is_count_within(bounds, count)
            }
            Self::RefersTo(from, to, read_as) => {
                let known = find_values(value, to);
                find_values(value, from)
                    .iter()
                    .all(|found| known.iter().any(|other| are_equal(found, other, *read_as)))
            }
            Self::Stored(path, test) => {
                let schema = given.schema.and_then(|schema| schema_at(schema, path));
                given.stored.is_none_or(|stored| {
                    test.allows(find_value(stored, path), find_value(value, path), schema)
                })
            }
            Self::Cel(text) => cel(text, given) == Some(true),
        }
    }
}

/// The value at a path without `[*]`; none if it is absent or `null`.
pub(crate) fn find_value<'v>(value: &'v Json, path: &RulePath) -> Option<&'v Json> {
    let step = |value: &'v Json, step: &PathStep| match step {
        PathStep::Field(name) => value.get(name),
        PathStep::Each => None,
    };
    path.0.iter().try_fold(value, step).filter(|found| !found.is_null())
}

/// The values at a path, which may have `[*]`.
pub(crate) fn find_values<'v>(value: &'v Json, path: &RulePath) -> Vec<&'v Json> {
    let mut found = vec![value];
    for step in &path.0 {
        found = found
            .into_iter()
            .flat_map(|value| match step {
                PathStep::Field(name) => value.get(name).into_iter().collect(),
                PathStep::Each => values_within(value),
            })
            .collect();
    }
    found.retain(|value| !value.is_null());
    found
}

/// The items of the list, or the values of the map, at a path without `[*]`.
fn items_at<'v>(value: &'v Json, path: &RulePath) -> Vec<&'v Json> {
    find_value(value, path).map(values_within).unwrap_or_default()
}

fn values_within(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

impl ValueTest {
    /// True if a value that is there passes.
    pub(crate) fn is_passed_by(&self, value: &Json) -> bool {
        match self {
            Self::Number(bounds) => value
                .as_number()
                .is_some_and(|number| is_within(bounds, |limit| Some(compare_numbers(number, limit)))),
            Self::Quantity(bounds) => {
                quantity_text(value).and_then(|text| Quantity::parse(&text).ok()).is_some_and(|quantity| {
                    is_within(bounds, |limit| Some(quantity.compare_quantity(&Quantity::parse(limit).ok()?)))
                })
            }
            Self::Length(bounds) => {
                value.as_str().is_some_and(|text| is_count_within(bounds, text.chars().count()))
            }
            Self::Items(bounds) => match value {
                Json::Array(items) => is_count_within(bounds, items.len()),
                Json::Object(fields) => is_count_within(bounds, fields.len()),
                _ => false,
            },
            Self::Pattern(pattern) => value.as_str().is_some_and(|text| {
                kvrules_regex::compile_matcher(pattern).is_ok_and(|matcher| matcher.is_match(text))
            }),
            Self::In(values) => values.iter().any(|known| equal_values(known, value)),
            Self::InQuantities(values) => {
                let is_it = |known: &String| {
                    ComparedAs::Quantity
                        .compare(value, &Json::from(known.as_str()))
                        .is_some_and(Ordering::is_eq)
                };
                values.iter().any(is_it)
            }
            Self::Affix(place, texts) => {
                value.as_str().is_some_and(|value| texts.iter().any(|text| place.is_of(value, text)))
            }
            Self::Contains(known) => {
                value.as_array().is_some_and(|items| items.iter().any(|item| equal_values(known, item)))
            }
            Self::Format(ValueFormat::Quantity) => {
                quantity_text(value).is_some_and(|text| ValueFormat::Quantity.is_of(&text))
            }
            Self::Format(format) => value.as_str().is_some_and(|text| format.is_of(text)),
            Self::UniqueBy(keys) => value.as_array().is_some_and(|items| are_unique(items, keys)),
        }
    }
}

fn are_unique(items: &[Json], keys: &[(RulePath, ComparedAs)]) -> bool {
    let is_same = |one: &Json, other: &Json| {
        keys.iter().all(|(key, read_as)| match (find_value(one, key), find_value(other, key)) {
            (Some(one), Some(other)) => are_equal(one, other, *read_as),
            (one, other) => one.is_none() && other.is_none(),
        })
    };
    items
        .iter()
        .enumerate()
        .all(|(index, one)| items.iter().skip(index + 1).all(|other| !is_same(one, other)))
}

fn is_within<T>(bounds: &Bounds<T>, compare: impl Fn(&T) -> Option<Ordering>) -> bool {
    let passes = |limit: &Option<T>, test: fn(Ordering) -> bool| {
        limit.as_ref().is_none_or(|limit| compare(limit).is_some_and(test))
    };
    passes(&bounds.min, Ordering::is_ge)
        && passes(&bounds.max, Ordering::is_le)
        && passes(&bounds.above, Ordering::is_gt)
        && passes(&bounds.below, Ordering::is_lt)
}

fn is_count_within(bounds: &Bounds<u64>, count: usize) -> bool {
    is_within(bounds, |limit| Some((count as u64).cmp(limit)))
}

fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    if let (Some(one), Some(other)) = (one.as_i64(), other.as_i64()) {
        return one.cmp(&other);
    }
    let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(f64::NAN));
    one.partial_cmp(&other).unwrap_or(Ordering::Less)
}

/// True if two values are equal; numbers by their value.
fn equal_values(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => compare_numbers(one, other).is_eq(),
        _ => one == other,
    }
}

/// True if two values are equal as they are written, or by their meaning.
fn are_equal(one: &Json, other: &Json, read_as: ComparedAs) -> bool {
    match read_as {
        // Servers compare what they read.
        ComparedAs::OfFormat(_) => read_as.compare(one, other).is_some_and(Ordering::is_eq),
        _ => equal_values(one, other) || read_as.compare(one, other).is_some_and(Ordering::is_eq),
    }
}

/// True if a server finds a value equal to the stored one.
fn is_unchanged(value: &Json, stored: &Json, schema: Option<&Json>) -> bool {
    match schema {
        Some(schema) => {
            from_schema(value, schema).try_equals(&from_schema(stored, schema)).unwrap_or_default()
        }
        None => equal_values(value, stored),
    }
}

impl Comparison {
    fn holds_for(self, one: &Json, other: &Json, read_as: ComparedAs) -> bool {
        let ordering = match (read_as, one, other) {
            (ComparedAs::Plain, Json::Number(one), Json::Number(other)) => compare_numbers(one, other),
            (ComparedAs::Plain, Json::String(one), Json::String(other)) => one.cmp(other),
            (ComparedAs::Plain, one, other) => {
                return match self {
                    Self::Equal => one == other,
                    Self::NotEqual => one != other,
                    _ => false,
                };
            }
            _ => match read_as.compare(one, other) {
                Some(ordering) => ordering,
                None => return false,
            },
        };
        match self {
            Self::AtLeast => ordering.is_ge(),
            Self::AtMost => ordering.is_le(),
            Self::Above => ordering.is_gt(),
            Self::Below => ordering.is_lt(),
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
        }
    }
}

impl Affix {
    /// True if a string has the text at the place.
    pub(crate) fn is_of(self, value: &str, text: &str) -> bool {
        match self {
            Self::Start => value.starts_with(text),
            Self::End => value.ends_with(text),
            Self::Inside => value.contains(text),
        }
    }
}

impl ValueFormat {
    /// True if a text is in the format.
    pub(crate) fn is_of(self, text: &str) -> bool {
        match self {
            Self::Quantity => Quantity::parse(text).is_ok(),
            Self::Ip => is_ip(text),
            Self::Cidr => is_cidr(text),
            Self::DnsLabel => is_dns_label(text),
            Self::DnsSubdomain => text.len() <= 253 && text.split('.').all(is_dns_part),
        }
    }
}

fn is_ip(text: &str) -> bool {
    // Kubernetes takes neither zones nor addresses of version 4 in version 6.
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Ok(IpAddr::V4(_)) => true,
        Err(_) => false,
    }
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    let is_plain =
        bits.bytes().all(|digit| digit.is_ascii_digit()) && (bits == "0" || !bits.starts_with('0'));
    is_ip(address) && is_plain && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}

fn is_dns_label(text: &str) -> bool {
    text.len() <= 63 && is_dns_part(text)
}

fn is_dns_part(text: &str) -> bool {
    let is_end =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let bytes = text.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    bytes.iter().all(inner) && is_end(bytes.first()) && is_end(bytes.last())
}

impl StoredTest {
    fn allows(&self, stored: Option<&Json>, value: Option<&Json>, schema: Option<&Json>) -> bool {
        match (self, stored, value) {
            (Self::Always, None, value) => value.is_none(),
            (_, None, _) | (Self::WhileSet, _, None) => true,
            (Self::Always | Self::OnceSet | Self::WhileSet, Some(stored), Some(value)) => {
                is_unchanged(value, stored, schema)
            }
            (Self::NoRemoval, Some(Json::Array(stored)), Some(Json::Array(items))) => {
                let schema = schema.and_then(|schema| schema.get("items"));
                stored.iter().all(|old| items.iter().any(|new| is_unchanged(new, old, schema)))
            }
            (Self::NoRemoval, Some(Json::Object(stored)), Some(Json::Object(fields))) => {
                stored.keys().all(|key| fields.contains_key(key))
            }
            (Self::Transitions(allowed), Some(stored), Some(value)) => {
                let is_listed = |(from, to): &(String, Vec<String>)| {
                    stored == from.as_str() && to.iter().any(|to| value == to.as_str())
                };
                equal_values(stored, value) || allowed.iter().any(is_listed)
            }
            (_, Some(_), None) | (Self::NoRemoval, ..) => false,
        }
    }
}
