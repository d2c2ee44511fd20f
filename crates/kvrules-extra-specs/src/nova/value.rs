//! Judging values.

use std::sync::OnceLock;

use kvrules_regex::python::{PythonError, PythonMatcher, PythonRegex};
use num_bigint::BigInt;

use super::definition::{NovaDefinition, NovaType};
use super::outcome::{Outcome, Refusal, RefusalKind};
use crate::python::{parse_bool, parse_int};

/// A definition with its pattern compiled when first needed.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) definition: NovaDefinition,
    matcher: OnceLock<Result<PythonMatcher, PythonError>>,
}

impl Prepared {
    pub(crate) fn new(definition: NovaDefinition) -> Self {
        Self { definition, matcher: OnceLock::new() }
    }

    /// Returns Nova's answer to a value.
    pub(crate) fn check(&self, value: &str) -> Outcome {
        match self.definition.r#type {
            NovaType::Int => from(self.check_int(value)),
            NovaType::Bool if parse_bool(value).is_some() => Outcome::Accepted,
            NovaType::Bool => {
                refused(RefusalKind::NotBool, format!("'{value}' is not a valid boolean-like value"))
            }
            NovaType::Str => self.check_text(value),
        }
    }

    /// The greatest value is looked at before the least, and messages show the number, not the text.
    fn check_int(&self, text: &str) -> Result<BigInt, Refusal> {
        let Some(number) = parse_int(text) else {
            return Err(Refusal::new(RefusalKind::NotInt, format!("'{text}' is not a valid integer value")));
        };
        if let Some(max) = self.definition.max.as_ref().filter(|max| number > **max) {
            let text = format!("'{number}' is greater than the max value of '{max}'");
            return Err(Refusal::new(RefusalKind::TooBig, text));
        }
        if let Some(min) = self.definition.min.as_ref().filter(|min| number < **min) {
            let text = format!("'{number}' is less than the min value of '{min}'");
            return Err(Refusal::new(RefusalKind::TooSmall, text));
        }
        Ok(number)
    }

    /// A pattern, if only an empty one, stands before an enum.
    fn check_text(&self, value: &str) -> Outcome {
        let Some(pattern) = &self.definition.pattern else { return self.check_enum(value) };
        if pattern.is_empty() {
            // Nova keeps no regex of an empty pattern and then hands none to `re`.
            return Outcome::Crash("TypeError");
        }
        let matcher = self.matcher.get_or_init(|| PythonRegex::new(pattern)?.compile_matcher());
        match matcher {
            Err(error) => error.python_class().map_or(Outcome::Undecided, Outcome::Crash),
            Ok(matcher) => match matcher.try_full_match(value) {
                Some(true) => Outcome::Accepted,
                Some(false) => {
                    refused(RefusalKind::Pattern, format!("'{value}' is not of the format '{pattern}'"))
                }
                None => Outcome::Undecided,
            },
        }
    }

    fn check_enum(&self, value: &str) -> Outcome {
        let Some(members) = &self.definition.members else { return Outcome::Accepted };
        if members.iter().any(|member| member.is_text && member.text == value) {
            return Outcome::Accepted;
        }
        let all: Vec<_> = members.iter().map(|member| member.text.as_str()).collect();
        refused(RefusalKind::Enum, format!("'{value}' is not one of: {}", all.join(", ")))
    }
}

fn from(checked: Result<BigInt, Refusal>) -> Outcome {
    checked.map_or_else(Outcome::Refused, |_| Outcome::Accepted)
}

fn refused(kind: RefusalKind, text: String) -> Outcome {
    Outcome::Refused(Refusal::new(kind, text))
}
