//! Evaluating values.

use std::sync::OnceLock;

use kvrules_regex::python::{PythonError, PythonMatcher, PythonRegex};
use num_bigint::BigInt;

use super::definition::{NovaDefinition, NovaType};
use super::outcome::{NovaOutcome, NovaRefusal, NovaRefusalKind};
use crate::python::{parse_bool, parse_int};

/// A definition with its pattern compiled when first needed.
#[derive(Debug)]
// Compiled on first use, because most of the several hundred definitions are never needed.
pub(crate) struct PreparedDefinition {
    pub(crate) definition: NovaDefinition,
    matcher: OnceLock<Result<PythonMatcher, PythonError>>,
}

impl PreparedDefinition {
    pub(crate) fn new(definition: NovaDefinition) -> Self {
        Self { definition, matcher: OnceLock::new() }
    }

    /// Returns Nova's answer to a value.
    // nova api/validation/extra_specs/base.py, ExtraSpecValidator.validate.
    pub(crate) fn check(&self, value: &str) -> NovaOutcome {
        match self.definition.r#type {
            NovaType::Int => outcome_of_check(self.check_int(value)),
            // base.py, ExtraSpecValidator._validate_bool.
            NovaType::Bool if parse_bool(value).is_some() => NovaOutcome::Accepted,
            NovaType::Bool => refused_outcome(
                NovaRefusalKind::NotBool,
                format!("'{value}' is not a valid boolean-like value"),
            ),
            NovaType::Str => self.check_text(value),
        }
    }

    /// The greatest value is examined before the least, and messages show the number, not the text.
    // base.py, ExtraSpecValidator._validate_int: `value` is the number from there on, also in messages.
    fn check_int(&self, text: &str) -> Result<BigInt, NovaRefusal> {
        let Some(number) = parse_int(text) else {
            return Err(NovaRefusal::new(
                NovaRefusalKind::NotInt,
                format!("'{text}' is not a valid integer value"),
            ));
        };
        if let Some(max) = self.definition.max.as_ref().filter(|max| number > **max) {
            let text = format!("'{number}' is greater than the max value of '{max}'");
            return Err(NovaRefusal::new(NovaRefusalKind::TooBig, text));
        }
        if let Some(min) = self.definition.min.as_ref().filter(|min| number < **min) {
            let text = format!("'{number}' is less than the min value of '{min}'");
            return Err(NovaRefusal::new(NovaRefusalKind::TooSmall, text));
        }
        Ok(number)
    }

    /// A pattern, even an empty one, takes precedence over an enum.
    // base.py, ExtraSpecValidator._validate_str: it tests for the key `pattern`, whereas __post_init__ tests its value.
    fn check_text(&self, value: &str) -> NovaOutcome {
        let Some(pattern) = &self.definition.pattern else { return self.check_enum(value) };
        if pattern.is_empty() {
            // Nova keeps no regex of an empty pattern and then hands none to `re`.
            return NovaOutcome::Crash("TypeError");
        }
        let matcher = self.matcher.get_or_init(|| PythonRegex::new(pattern)?.compile_matcher());
        match matcher {
            Err(error) => error.python_class().map_or(NovaOutcome::Undecided, NovaOutcome::Crash),
            Ok(matcher) => match matcher.try_full_match(value) {
                Some(true) => NovaOutcome::Accepted,
                Some(false) => refused_outcome(
                    NovaRefusalKind::Pattern,
                    format!("'{value}' is not of the format '{pattern}'"),
                ),
                None => NovaOutcome::Undecided,
            },
        }
    }

    // base.py, ExtraSpecValidator._validate_str.
    fn check_enum(&self, value: &str) -> NovaOutcome {
        let Some(members) = &self.definition.members else { return NovaOutcome::Accepted };
        if members.iter().any(|member| member.is_text && member.text == value) {
            return NovaOutcome::Accepted;
        }
        let all: Vec<_> = members.iter().map(|member| member.text.as_str()).collect();
        refused_outcome(NovaRefusalKind::Enum, format!("'{value}' is not one of: {}", all.join(", ")))
    }
}

fn outcome_of_check(checked: Result<BigInt, NovaRefusal>) -> NovaOutcome {
    checked.map_or_else(NovaOutcome::Refused, |_| NovaOutcome::Accepted)
}

fn refused_outcome(kind: NovaRefusalKind, text: String) -> NovaOutcome {
    NovaOutcome::Refused(NovaRefusal::new(kind, text))
}
