//! Computes the values that one schema allows and another does not, without regard to their fields and items.

use std::collections::HashSet;
use std::rc::Rc;

use jsonschema::Validator;
use serde_json::{Map, Number, Value, json};

use kvrules_regex::{Automaton, TextDemands, TextSearch};

use super::flat_schema::{FlatSchema, NumberLimit};
use super::keywords::{limits_value, pattern_automaton};
use super::value_kinds::ValueKinds;

/// The values of one schema that are none of another's.
#[derive(Debug)]
pub(super) struct SchemaExcess {
    /// Some of them, the plainest first.
    pub(super) values: Vec<Value>,
    /// True if it is certain that no such value exists.
    pub(super) is_none: bool,
}

/// Texts are not made longer.
const LONGEST: usize = 4096;
/// Integers between two limits are visited one by one when there are no more.
const MOST_NUMBERS: f64 = 500.0;

/// Maximum number of listed values that one schema allows and another does not.
const MOST_LISTED: usize = 60;

/// True if a value has a single spelling, so that it is listed if its text is.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::String(_))
}

/// Returns values that `one` allows and `other` does not.
pub(super) fn find_excess(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> SchemaExcess {
    let (own, its) = (ValueValidator::new(one), ValueValidator::new(other));
    if let Some(listed) = one.listed_values() {
        let is_reported = listed.iter().all(|value| !value.is_object() && !value.is_array());
        // A validator compares each value with the whole list.
        let known: Option<HashSet<String>> =
            other.listed_values().map(|listed| listed.iter().map(Value::to_string).collect());
        let free = ValueValidator::without_lists(other);
        let is_its = |value: &Value| match &known {
            Some(known) if known.contains(&value.to_string()) => free.allows_value(value),
            Some(_) if is_plain(value) => false,
            _ => its.allows_value(value),
        };
        let mut values = Vec::new();
        for value in listed {
            if values.len() < MOST_LISTED && !is_its(&value) && own.allows_value(&value) {
                values.push(value);
            }
        }
        return SchemaExcess { is_none: values.is_empty() && is_reported, values };
    }
    let mut found = SchemaExcess { values: Vec::new(), is_none: true };
    for kind in one.allowed_kinds().each_kind() {
        let is_implied = other.allowed_kinds().intersects_with(kind) && is_implied(kind, one, other);
        if is_implied {
            continue;
        }
        let differs = |value: &Value| {
            ValueKinds::kind_of_value(value) == kind && own.allows_value(value) && !its.allows_value(value)
        };
        let (candidates, is_all) = candidate_values(kind, one, other);
        let mut values: Vec<Value> = candidates.into_iter().filter(differs).collect();
        found.is_none &= is_all && values.is_empty();
        let mut kept: Vec<Value> = Vec::new();
        for value in values.drain(..) {
            if !kept.contains(&value) {
                kept.push(value);
            }
        }
        found.values.extend(kept);
    }
    found
}

/// Some values of a schema's own, the plainest first.
pub(super) fn sample_values(flat: &FlatSchema<'_>, kind: ValueKinds) -> Vec<Value> {
    let own = ValueValidator::new(flat);
    let listed = flat.listed_values().unwrap_or_default();
    let all = listed.into_iter().chain(candidate_values(kind, flat, flat).0);
    let mut kept: Vec<Value> = Vec::new();
    for value in all.filter(|value| ValueKinds::kind_of_value(value) == kind && own.allows_value(value)) {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// Constraints of a schema on values by themselves, as a validator.
struct ValueValidator(Option<Validator>);

impl ValueValidator {
    fn new(flat: &FlatSchema<'_>) -> Self {
        Self::of_keywords(flat, &limits_value)
    }

    /// The same without lists of values.
    fn without_lists(flat: &FlatSchema<'_>) -> Self {
        Self::of_keywords(flat, &|key| limits_value(key) && !matches!(key, "enum" | "const"))
    }

    fn of_keywords(flat: &FlatSchema<'_>, is_kept: &dyn Fn(&str) -> bool) -> Self {
        if flat.never.is_some() {
            return Self(jsonschema::draft202012::new(&json!(false)).ok());
        }
        let only = |fields: &Map<String, Value>| -> Value {
            let kept = fields.iter().filter(|(key, _)| is_kept(key));
            Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
        };
        let parts: Vec<Value> = flat.parts.iter().map(|(fields, _)| only(fields)).collect();
        let schema = json!({"allOf": parts});
        let options = jsonschema::draft202012::options().should_validate_formats(true).offline();
        Self(if parts.is_empty() { None } else { options.build(&schema).ok() })
    }

    fn allows_value(&self, value: &Value) -> bool {
        self.0.as_ref().is_none_or(|schema| schema.is_valid(value))
    }
}

/// True if each value of a kind that `one` allows is also allowed by `other`.
fn is_implied(kind: ValueKinds, one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> bool {
    if other.listed_values().is_some() {
        return false;
    }
    match kind {
        ValueKinds::STRING => are_texts_implied(one, other),
        ValueKinds::INTEGER => are_limits_implied(one, other) && are_factors_implied(one, other, true),
        ValueKinds::FRACTION => are_limits_implied(one, other) && are_factors_implied(one, other, false),
        _ => true,
    }
}

fn are_limits_implied(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> bool {
    let within = |own: Option<NumberLimit>, its: Option<NumberLimit>, sign: f64| match (own, its) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some((own, own_out)), Some((its, its_out))) => {
            let (own, its) = (own * sign, its * sign);
            own > its || own >= its && (own_out || !its_out)
        }
    };
    within(one.lower_limit(), other.lower_limit(), 1.0)
        && within(one.upper_limit(), other.upper_limit(), -1.0)
}

fn are_factors_implied(one: &FlatSchema<'_>, other: &FlatSchema<'_>, whole: bool) -> bool {
    let mut own = one.multiple_factors();
    own.extend(whole.then_some(1.0));
    let divides = |factor: f64| own.iter().any(|own| (own / factor).fract() == 0.0);
    other.multiple_factors().into_iter().all(divides)
}

fn are_texts_implied(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> bool {
    let own_formats = one.keyword_texts("format");
    if other.keyword_texts("format").iter().any(|format| is_checked(format) && !own_formats.contains(format))
    {
        return false;
    }
    let search = PatternSearch::new(one);
    let (least, most) = (one.at_least("minLength"), one.at_most("maxLength"));
    let (its_least, its_most) = (other.at_least("minLength"), other.at_most("maxLength"));
    let is_shorter = least >= its_least || search.has_none((least, Some(its_least.saturating_sub(1))), None);
    let is_longer = its_most.is_none_or(|its| {
        most.is_some_and(|own| own <= its) || search.has_none((its.saturating_add(1).max(least), most), None)
    });
    let own = one.keyword_texts("pattern");
    let lacks = other.keyword_texts("pattern").into_iter().filter(|pattern| !own.contains(pattern));
    is_shorter && is_longer && lacks.into_iter().all(|pattern| search.has_none((least, most), Some(pattern)))
}

/// True if a validator checks a format; other formats only inform readers.
pub(super) fn is_checked(format: &str) -> bool {
    jsonschema::draft202012::options().is_known_format(jsonschema::Draft::Draft202012, format)
}

/// The texts that all patterns of a schema match.
struct PatternSearch {
    own: Vec<Rc<Automaton>>,
    /// True if no automaton could be made of a pattern.
    is_blind: bool,
}

impl PatternSearch {
    fn new(flat: &FlatSchema<'_>) -> Self {
        let patterns = flat.keyword_texts("pattern");
        let own: Vec<Rc<Automaton>> =
            patterns.iter().filter_map(|pattern| pattern_automaton(pattern)).collect();
        Self { is_blind: own.len() < patterns.len(), own }
    }

    /// A text of a length, and one that a pattern does not match.
    fn search_text(&self, length: (usize, Option<usize>), lacking: Option<&str>) -> Option<TextSearch> {
        if self.is_blind || length.0 > LONGEST {
            return None;
        }
        let matches: Vec<&Automaton> = self.own.iter().map(Rc::as_ref).collect();
        let lacking = match lacking {
            Some(pattern) => Some(pattern_automaton(pattern)?),
            None => None,
        };
        let lacks: Vec<&Automaton> = lacking.iter().map(Rc::as_ref).collect();
        if matches.is_empty() && lacks.is_empty() {
            return Some(TextSearch::Found("a".repeat(length.0)));
        }
        Some((TextDemands { matches: &matches, lacks: &lacks, length }).find_text())
    }

    fn has_none(&self, length: (usize, Option<usize>), lacking: Option<&str>) -> bool {
        length.1.is_some_and(|most| most < length.0)
            || matches!(self.search_text(length, lacking), Some(TextSearch::Nothing))
    }

    fn find_text(&self, length: (usize, Option<usize>), lacking: Option<&str>) -> Option<String> {
        match self.search_text(length, lacking) {
            Some(TextSearch::Found(text)) => Some(text),
            _ => None,
        }
    }
}

/// Values of a kind that may distinguish two schemas, and whether these are all that there are.
fn candidate_values(kind: ValueKinds, one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> (Vec<Value>, bool) {
    match kind {
        ValueKinds::NULL => (vec![Value::Null], true),
        ValueKinds::BOOLEAN => (vec![json!(true), json!(false)], true),
        ValueKinds::INTEGER => candidate_integers(one, other),
        ValueKinds::FRACTION => (candidate_fractions(one, other), false),
        ValueKinds::STRING => (candidate_texts(one, other), false),
        ValueKinds::ARRAY => (vec![json!([]), json!(["a"]), json!([1]), json!([{}])], false),
        _ => (vec![json!({}), json!({"a": 1}), json!({"a": "a"})], false),
    }
}

fn neighbor_numbers(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> Vec<f64> {
    let mut numbers = vec![1.0, 0.0];
    for flat in [one, other] {
        numbers.extend(flat.lower_limit().into_iter().chain(flat.upper_limit()).map(|(limit, _)| limit));
        numbers.extend(flat.multiple_factors());
        numbers.extend(flat.listed_values().into_iter().flatten().filter_map(|value| value.as_f64()));
    }
    numbers
}

fn candidate_integers(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> (Vec<Value>, bool) {
    if let (Some((low, _)), Some((high, _))) = (one.lower_limit(), one.upper_limit())
        && high - low <= MOST_NUMBERS
    {
        let (mut at, mut all) = (low.ceil(), Vec::new());
        while at <= high {
            all.extend(to_integer(at));
            at += 1.0;
        }
        return (all, low.abs() < 9e15 && high.abs() < 9e15);
    }
    let near = neighbor_numbers(one, other);
    let around = near.iter().flat_map(|limit| (-2..=2).map(move |step| limit.floor() + f64::from(step)));
    let mut numbers: Vec<f64> = around.collect();
    let multiples = |number: f64| {
        one.multiple_factors().into_iter().flat_map(move |factor| {
            let below = (number / factor).floor() * factor;
            [below, below + factor, below - factor]
        })
    };
    numbers.extend(near.iter().copied().flat_map(multiples).collect::<Vec<_>>());
    // Add more numbers than an `enum` is likely to list.
    numbers.extend((0..8).map(|step| 101.0 + f64::from(step)));
    numbers.extend([10.0, -10.0, 4e9, 1e15]);
    numbers.sort_by(|one, other| one.abs().total_cmp(&other.abs()).then(other.total_cmp(one)));
    (numbers.into_iter().filter_map(to_integer).collect(), false)
}

#[expect(clippy::cast_possible_truncation, reason = "the number is checked to be small and whole")]
fn to_integer(number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < 9e15).then(|| json!(number as i64))
}

fn candidate_fractions(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> Vec<Value> {
    let mut numbers = vec![0.5, -0.5];
    for limit in neighbor_numbers(one, other) {
        numbers.extend([limit, limit + 0.5, limit - 0.5, limit + 0.125, limit - 0.125]);
    }
    if let (Some((low, _)), Some((high, _))) = (one.lower_limit(), one.upper_limit()) {
        numbers.push(f64::midpoint(low, high));
    }
    let factors: Vec<f64> = one.multiple_factors();
    let multiples = numbers.clone();
    numbers.extend(
        factors.iter().flat_map(|factor| multiples.iter().map(move |it| (it / factor).floor() * factor)),
    );
    numbers.extend(factors.iter().map(|factor| factor * 3.0));
    numbers.into_iter().filter_map(Number::from_f64).map(Value::Number).collect()
}

fn candidate_texts(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> Vec<Value> {
    let mut texts: Vec<String> = ["a", "", "A", "0", "a-b", "\u{1}?"].map(str::to_owned).to_vec();
    texts.extend(
        one.keyword_texts("format").iter().filter_map(|format| sample_format(format)).map(str::to_owned),
    );
    let search = PatternSearch::new(one);
    let (least, most) = (one.at_least("minLength"), one.at_most("maxLength"));
    let (its_least, its_most) = (other.at_least("minLength"), other.at_most("maxLength"));
    let lengths =
        [Some(least), most, Some(its_least), its_least.checked_sub(1), its_most, its_most.map(|it| it + 1)];
    for length in lengths.into_iter().flatten().filter(|length| *length <= LONGEST) {
        texts.push("a".repeat(length));
        texts.extend(search.find_text((length, Some(length)), None));
    }
    texts.extend(search.find_text((least, most), None));
    for pattern in other.keyword_texts("pattern") {
        texts.extend(search.find_text((least, most), Some(pattern)));
    }
    for text in
        other.listed_values().into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned))
    {
        texts.push(format!("{text}a"));
    }
    texts.into_iter().map(Value::from).collect()
}

/// A text of each format that validators check.
const SAMPLES: &[(&str, &str)] = &[
    ("date", "2024-01-31"),
    ("date-time", "2024-01-31T12:00:00Z"),
    ("duration", "P1D"),
    ("email", "a@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("iri", "https://example.com/a"),
    ("iri-reference", "/a"),
    ("json-pointer", "/a"),
    ("regex", "^a$"),
    ("relative-json-pointer", "0"),
    ("time", "12:00:00Z"),
    ("uri", "https://example.com/a"),
    ("uri-reference", "/a"),
    ("uri-template", "/{a}"),
    ("uuid", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"),
];

fn sample_format(format: &str) -> Option<&'static str> {
    SAMPLES.iter().find(|(known, _)| *known == format).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_has_its_format() {
        for (format, text) in SAMPLES {
            let schema = json!({"format": format});
            let options = jsonschema::draft202012::options().should_validate_formats(true);
            assert!(is_checked(format), "{format}");
            assert!(options.build(&schema).unwrap().is_valid(&json!(text)), "{format}");
        }
        assert!(!is_checked("int32"));
    }
}
