//! Passing the tests of a rule, for predicates that change one thing and ask whether the verdict changes with it.

use kvrules_ir::{Scalar, ValueTest};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_regex::Matcher;
use num_bigint::BigInt;
use serde_json::Value;

use crate::divergence::spec_result::EvaluatedRule;

/// The tests of a rule on texts.
pub(crate) struct TextTests<'r> {
    tests: &'r [ValueTest],
    matcher: Option<Matcher>,
}

impl<'r> TextTests<'r> {
    pub(crate) fn from_rule(read: &'r EvaluatedRule) -> Self {
        Self::new(&read.rule.requirement.tests)
    }

    fn new(tests: &'r [ValueTest]) -> Self {
        let matcher = tests.iter().find_map(|test| match test {
            ValueTest::Matches(pattern) => kvrules_regex::compile_matcher(&pattern.0).ok(),
            _ => None,
        });
        Self { tests, matcher }
    }

    /// True if a string passes, with its length computed by `length`.
    pub(crate) fn passes_with_length(&self, text: &str, length: fn(&str) -> usize) -> bool {
        self.tests.iter().all(|test| match test {
            ValueTest::Integer(_) => true,
            ValueTest::Length(interval) => interval.contains(&BigInt::from(length(text))),
            ValueTest::OneOf(texts) => texts.contains(text),
            ValueTest::Matches(_) => self.matcher.as_ref().is_some_and(|matcher| matcher.is_match(text)),
        })
    }

    /// True if there are strings, and all of them pass.
    pub(crate) fn all_pass<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        let mut texts = texts.into_iter().peekable();
        texts.peek().is_some() && texts.all(|text| self.passes_with_length(text, code_points))
    }
}

/// True if a constant passes the tests of a rule.
pub(crate) fn passes_tests(value: &Scalar, tests: &[ValueTest]) -> bool {
    let text = match value {
        Scalar::Integer(number) => number.to_string(),
        Scalar::Text(text) => text.clone(),
        Scalar::Boolean(truth) => truth.to_string(),
    };
    let number = || Quantity::parse_trimmed(&text).ok()?.to_integer();
    let is_integer = |test: &ValueTest| match test {
        ValueTest::Integer(interval) => number().is_some_and(|number| interval.contains(&number)),
        _ => true,
    };
    tests.iter().all(is_integer) && TextTests::new(tests).passes_with_length(&text, code_points)
}

/// The length of a text by its meaning.
pub(crate) fn code_points(text: &str) -> usize {
    text.chars().count()
}

/// The texts of the values that a rule evaluates by its meaning; objects and lists have none.
pub(crate) fn evaluated_texts(read: &EvaluatedRule) -> Vec<Option<String>> {
    read.explanation.values.iter().map(|evaluated| value_text(&evaluated.finding.value)).collect()
}

fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) => Some(value.to_string()),
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            Some(float.map_or_else(|| number.to_string(), |float| float.to_string()))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
