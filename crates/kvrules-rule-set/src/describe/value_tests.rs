//! Tests of values in words: of a demand (`must be`), of a statement (`is`, `is not`), and the limit by itself.

use kvrules_diagnostics::join_words;
use serde_json::Value as Json;

use crate::compared::ComparedAs;
use crate::condition::{Affix, Bounds, Comparison, StoredTest, ValueFormat, ValueTest};
use crate::path::RulePath;

impl ValueTest {
    /// The limit by itself, such as `2 to 10`.
    pub(super) fn describe_limit(&self) -> Option<String> {
        Some(match self {
            Self::Number(bounds) => limits(bounds),
            Self::Quantity(bounds) => limits(bounds),
            Self::Length(bounds) | Self::Items(bounds) => limits(bounds),
            Self::Pattern(pattern) => format!("`{pattern}`"),
            Self::In(values) => choices(values, "or"),
            Self::InQuantities(values) => join_words(values, "or"),
            Self::Affix(_, texts) => join_words(&quote_texts(texts), "or"),
            Self::Contains(value) => choices(std::slice::from_ref(value), "or"),
            Self::Format(format) => format.describe().to_owned(),
            Self::UniqueBy(_) => return None,
        })
    }

    pub(super) fn describe_demand(&self, is_map: bool) -> String {
        match self {
            Self::Pattern(pattern) => format!("must match `{pattern}`"),
            Self::UniqueBy(keys) => match equal_keys(keys) {
                None => "must not have equal items".to_owned(),
                Some(keys) => format!("must not have two items with equal {keys}"),
            },
            Self::Length(bounds) => format!("must have {}", count(bounds, "character")),
            Self::Items(bounds) => format!("must have {}", count(bounds, item_word(is_map))),
            Self::Number(bounds) => format!("must be {}", range(bounds)),
            Self::Quantity(bounds) => format!("must be {}", range(bounds)),
            Self::In(values) => format!("must be {}", choices(values, "or")),
            Self::InQuantities(values) => format!("must be {}", join_words(values, "or")),
            Self::Affix(place, texts) => {
                format!("must {} {}", place.describe(), join_words(&quote_texts(texts), "or"))
            }
            Self::Contains(value) => format!("must contain {}", choices(std::slice::from_ref(value), "or")),
            Self::Format(format) => format!("must be {}", format.describe()),
        }
    }

    /// The demand that a value fails.
    pub(super) fn describe_denial(&self, is_map: bool) -> String {
        let state = self.describe_state(false, is_map);
        let verbs = [
            ("is not ", "must not be "),
            ("is ", "must be "),
            ("does not ", "must not "),
            ("has ", "must have "),
            ("starts ", "must start "),
            ("ends ", "must end "),
        ];
        let told = verbs.into_iter().find_map(|(verb, demand)| Some((demand, state.strip_prefix(verb)?)));
        told.map_or(state.clone(), |(demand, rest)| format!("{demand}{rest}"))
    }

    pub(super) fn describe_state(&self, is_so: bool, is_map: bool) -> String {
        let (is, has) = if is_so { ("is", "has") } else { ("is not", "does not have") };
        match self {
            Self::Pattern(pattern) if is_so => format!("matches `{pattern}`"),
            Self::Pattern(pattern) => format!("does not match `{pattern}`"),
            Self::UniqueBy(keys) => match (equal_keys(keys), is_so) {
                (None, true) => "has no equal items".to_owned(),
                (None, false) => "has equal items".to_owned(),
                (Some(keys), true) => format!("has no two items with equal {keys}"),
                (Some(keys), false) => format!("has two items with equal {keys}"),
            },
            Self::Length(bounds) => format!("{has} {}", count(bounds, "character")),
            Self::Items(bounds) => format!("{has} {}", count(bounds, item_word(is_map))),
            Self::Number(bounds) => format!("{is} {}", grouped_range(bounds)),
            Self::Quantity(bounds) => format!("{is} {}", grouped_range(bounds)),
            Self::In(values) => choice_state("is", "is not", &quote_values(values), is_so),
            Self::InQuantities(values) => choice_state("is", "is not", values, is_so),
            Self::Affix(place, texts) => {
                let not = format!("does not {}", place.describe());
                choice_state(place.describe_state(), &not, &quote_texts(texts), is_so)
            }
            Self::Contains(value) => choice_state(
                "contains",
                "does not contain",
                &quote_values(std::slice::from_ref(value)),
                is_so,
            ),
            Self::Format(format) => format!("{is} {}", format.describe()),
        }
    }
}

/// The paths in which items are compared; `None` for the items themselves.
fn equal_keys(keys: &[(RulePath, ComparedAs)]) -> Option<String> {
    match keys {
        [(key, _)] if key.0.is_empty() => None,
        keys => Some(keys.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(" and ")),
    }
}

fn item_word(is_map: bool) -> &'static str {
    if is_map { "key" } else { "item" }
}

/// A range of which two sides are in parentheses, so that a negation is about both.
fn grouped_range<T: std::fmt::Display>(bounds: &Bounds<T>) -> String {
    let text = range(bounds);
    if text.contains(" and ") { format!("({text})") } else { text }
}

fn range<T: std::fmt::Display>(bounds: &Bounds<T>) -> String {
    if bounds.above.is_some() || bounds.below.is_some() {
        let sides = [
            ("at least", &bounds.min),
            ("greater than", &bounds.above),
            ("at most", &bounds.max),
            ("less than", &bounds.below),
        ];
        let told = sides
            .into_iter()
            .filter_map(|(words, limit)| Some(format!("{words} {}", shown(limit.as_ref()?))));
        return told.collect::<Vec<_>>().join(" and ");
    }
    match (bounds.min.as_ref().map(shown), bounds.max.as_ref().map(shown)) {
        (Some(min), Some(max)) if min == max => min,
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any number".to_owned(),
    }
}

/// A limit; an integer without the point that a number has.
fn shown<T: std::fmt::Display>(limit: &T) -> String {
    let text = limit.to_string();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// `2 to 10`, without a preposition.
fn limits<T: std::fmt::Display>(bounds: &Bounds<T>) -> String {
    range(bounds).trim_start_matches("from ").to_owned()
}

/// `2 to 10 items`
fn count(bounds: &Bounds<u64>, noun: &str) -> String {
    let number = match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min == max => format!("exactly {min}"),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        _ => range(bounds),
    };
    let is_one = bounds.max.or(bounds.min) == Some(1);
    format!("{number} {noun}{}", if is_one { "" } else { "s" })
}

fn choices(values: &[Json], word: &str) -> String {
    join_words(&quote_values(values), word)
}

fn quote_values(values: &[Json]) -> Vec<String> {
    values.iter().map(|value| format!("`{}`", plain(value))).collect()
}

fn quote_texts(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| format!("`{}`", plain(&Json::from(text.as_str())))).collect()
}

/// A statement that one of some values is or is not so, with the verbs for one value.
fn choice_state(verb: &str, not: &str, values: &[String], is_so: bool) -> String {
    match (values, is_so) {
        ([_, _], false) => format!("{verb} neither {}", join_words(values, "nor")),
        ([_, _, _, ..], false) => format!("{verb} none of {}", join_words(values, "and")),
        (_, false) => format!("{not} {}", join_words(values, "or")),
        (_, true) => format!("{verb} {}", join_words(values, "or")),
    }
}

impl Affix {
    fn describe(self) -> &'static str {
        match self {
            Self::Start => "start with",
            Self::End => "end with",
            Self::Inside => "contain",
        }
    }

    fn describe_state(self) -> &'static str {
        match self {
            Self::Start => "starts with",
            Self::End => "ends with",
            Self::Inside => "contains",
        }
    }
}

/// A value as it is written; a string without characters to see is in quotation marks.
fn plain(value: &Json) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() && text.trim() == text => text.to_owned(),
        _ => value.to_string(),
    }
}

impl Comparison {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
            Self::Above => "greater than",
            Self::Below => "less than",
            Self::Equal => "equal to",
            Self::NotEqual => "different from",
        }
    }
}

impl ValueFormat {
    fn describe(self) -> &'static str {
        match self {
            Self::Quantity => "a quantity, such as `1.5Gi`",
            Self::Ip => "an IP address",
            Self::Cidr => "a range of IP addresses, such as `10.0.0.0/8`",
            Self::DnsLabel => "a DNS label",
            Self::DnsSubdomain => "a DNS subdomain",
        }
    }
}

impl StoredTest {
    pub(super) fn describe(&self, subject: &str, is_map: bool) -> String {
        match self {
            Self::Always => format!("{subject} is immutable"),
            Self::OnceSet => format!("{subject} is immutable once set"),
            Self::WhileSet => format!("{subject} is immutable while it is set"),
            Self::NoRemoval => format!("{}s of {subject} must not be removed", item_word(is_map)),
            Self::Transitions(allowed) => {
                let steps = allowed.iter().filter(|(_, to)| !to.is_empty());
                let step = |(from, to): &(String, Vec<String>)| {
                    let to: Vec<Json> = to.iter().map(|to| Json::from(to.as_str())).collect();
                    format!("from `{}` to {}", plain(&Json::from(from.as_str())), choices(&to, "or"))
                };
                let steps: Vec<_> = steps.map(step).collect();
                if steps.is_empty() {
                    format!("{subject} must not change")
                } else {
                    format!("{subject} may change only {}", steps.join(", "))
                }
            }
        }
    }
}
