//! The four kinds of rules, with their messages word for word (SEMANTICS 19).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use super::RuleFault;
use super::read::{integers, texts};
use super::resolve::find;
use crate::machine::Machine;
use crate::rules::{BoundArgument, Rule, TextArgument};

/// True if a rule is satisfied, with its message.
type KindVerdict = Result<(bool, String), RuleFault>;

/// The kind of that name, to the letter (E210).
// ssp-operator validation/specialized.go, RuleType.IsValid and Rule.Specialize.
pub(super) fn kind(name: &str) -> Option<fn(&Rule, &Machine) -> KindVerdict> {
    match name {
        "integer" => Some(integer),
        "string" => Some(string),
        "enum" => Some(enumeration),
        "regex" => Some(regex),
        _ => None,
    }
}

/// Two bounds, either of which may be missing.
// ssp-operator validation/specialized.go, Range.
struct Interval {
    min: Option<i64>,
    max: Option<i64>,
}

impl Interval {
    // Range.Decode: the error of `min` is reported before one of `max`.
    fn of(
        min: Option<&BoundArgument>,
        max: Option<&BoundArgument>,
        machine: &Machine,
    ) -> Result<Self, RuleFault> {
        let number = |bound: Option<&BoundArgument>| bound.map(|bound| number(bound, machine)).transpose();
        Ok(Self { min: number(min)?, max: number(max)? })
    }

    fn is_above(&self, value: i64) -> bool {
        self.min.is_some_and(|min| value < min)
    }

    fn is_below(&self, value: i64) -> bool {
        self.max.is_some_and(|max| value > max)
    }

    fn contains(&self, value: i64) -> bool {
        !self.is_above(value) && !self.is_below(value)
    }

    fn texts(&self) -> (String, String) {
        let text = |bound: Option<i64>| bound.map_or_else(|| "N/A".to_owned(), |bound| bound.to_string());
        (text(self.min), text(self.max))
    }
}

// ssp-operator validation/specialized.go, decodeInt.
fn number(bound: &BoundArgument, machine: &Machine) -> Result<i64, RuleFault> {
    match bound {
        BoundArgument::Number(number) => Ok(*number),
        BoundArgument::Path(path) => one(integers(&find(path, machine)?)?),
    }
}

/// The only value of an argument (E193).
// ssp-operator validation/specialized.go, decodeInt and decodeString.
fn one<T>(values: Vec<T>) -> Result<T, RuleFault> {
    let count = values.len();
    let mut values = values.into_iter();
    match (values.next(), count) {
        (Some(one), 1) => Ok(one),
        _ => Err(RuleFault::Error(format!("expected one value, found {count}"))),
    }
}

// ErrNoValuesFound, which the Apply of every kind returns.
fn some<T>(values: Vec<T>) -> Result<Vec<T>, RuleFault> {
    if values.is_empty() { Err("no values were found".into()) } else { Ok(values) }
}

fn found<'a>(rule: &'a Rule, machine: &'a Machine) -> Result<Vec<Cow<'a, str>>, RuleFault> {
    some(texts(&find(&rule.path, machine)?)?)
}

// ssp-operator validation/specialized.go, NewIntRule, intRule.Apply and intRule.String.
fn integer(rule: &Rule, machine: &Machine) -> KindVerdict {
    let interval = Interval::of(rule.min.as_ref(), rule.max.as_ref(), machine)?;
    let values = some(integers(&find(&rule.path, machine)?)?)?;
    let satisfied = values.iter().all(|value| interval.contains(*value));
    let (min, max) = interval.texts();
    if satisfied {
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        // Go's `%v` of a slice: blanks between values, and no commas.
        return Ok((true, format!("All values [{}] are in interval [{min}, {max}]", values.join(" "))));
    }
    let mut message = String::new();
    for (at, value) in values.iter().enumerate() {
        // Commas separate all values, even those without a message (E216).
        let comma = if at == 0 { "" } else { ", " };
        message.push_str(comma);
        // Writing to a string cannot fail.
        if interval.is_above(*value) {
            let _ = write!(message, "value {value} is lower than minimum [{min}]");
        }
        // A value can be both if `min` is above `max`; nothing separates the two messages (E217).
        if interval.is_below(*value) {
            let _ = write!(message, "value {value} is higher than maximum [{max}]");
        }
    }
    Ok((false, message))
}

// ssp-operator validation/specialized.go, NewStringRule, stringRule.Apply and stringRule.String.
fn string(rule: &Rule, machine: &Machine) -> KindVerdict {
    let interval = Interval::of(rule.min_length.as_ref(), rule.max_length.as_ref(), machine)?;
    let values = found(rule, machine)?;
    // Bytes, not characters (E278).
    let length = |value: &Cow<'_, str>| i64::try_from(value.len()).unwrap_or(i64::MAX);
    let satisfied = values.iter().all(|value| interval.contains(length(value)));
    let (min, max) = interval.texts();
    let message = if satisfied {
        // The validator's own spelling.
        format!("Lengts of all strings are in interval [{min}, {max}]")
    } else {
        format!("Lengths of some strings are not in interval [{min}, {max}]")
    };
    Ok((satisfied, message))
}

// ssp-operator validation/specialized.go, NewEnumRule, enumRule.Apply and containsOnly: `values` are read before the
// path is walked, so their error comes first.
fn enumeration(rule: &Rule, machine: &Machine) -> KindVerdict {
    let allowed = rule.values.iter().map(|value| match value {
        TextArgument::Literal(text) => Ok(Cow::Borrowed(text.as_str())),
        TextArgument::Path(path) => one(texts(&find(path, machine)?)?),
    });
    let allowed = allowed.collect::<Result<Vec<_>, _>>()?;
    let values = found(rule, machine)?;
    let set: HashSet<&str> = allowed.iter().map(AsRef::as_ref).collect();
    let satisfied = values.iter().all(|value| set.contains(value.as_ref()));
    let (values, allowed) = (values.join(", "), allowed.join(", "));
    let message = if satisfied {
        format!("All [{values}] are in [{allowed}]")
    } else {
        format!("Some of [{values}] are not in [{allowed}]")
    };
    Ok((satisfied, message))
}

// ssp-operator validation/specialized.go, NewRegexRule and regexRule.Apply: MatchString searches (E302).
fn regex(rule: &Rule, machine: &Machine) -> KindVerdict {
    let matcher = rule.matcher().map_err(RuleFault::Error)?;
    let values = found(rule, machine)?;
    let satisfied = values.iter().all(|value| matcher.is_match(value));
    let (values, pattern) = (values.join(", "), &rule.regex);
    let message = if satisfied {
        format!("All [{values}] match {pattern}")
    } else {
        format!("Some of [{values}] do not match {pattern}")
    };
    Ok((satisfied, message))
}
