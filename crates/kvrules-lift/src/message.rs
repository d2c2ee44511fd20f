//! Messages that contradict their rules.

use std::collections::BTreeSet;

use kvrules_ir::{Constant, Formula, Term, TermRelation};

use crate::message_order::find_turned_order;

/// A contradiction between a message and its rule.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageContradiction {
    /// The only number of the message is not the only bound of the rule.
    Number {
        /// The number in the message.
        stated: String,
        /// The bound of the rule, as the rule writes it.
        bound: String,
    },
    /// The message lists values, and one of them is not among those that the rule allows.
    Value {
        /// The value in the message.
        stated: String,
        /// The values that the rule allows.
        allowed: Vec<String>,
    },
    /// The message states an order that the rule has the other way round.
    Order {
        /// The words of the message, such as `must be less than`.
        stated: String,
    },
}

/// Words behind a number that make it a measure of its own.
const UNITS: [&str; 30] = [
    "s", "sec", "second", "m", "min", "minute", "h", "hour", "d", "day", "week", "month", "year", "ms",
    "milli", "k", "ki", "kb", "kib", "mi", "mb", "mib", "g", "gi", "gb", "gib", "t", "ti", "tb", "percent",
];

/// Finds what a message says otherwise than the formula of its rule. Only a message with one number, or with a list of quoted values, is
/// compared; bounds that differ by one say the same in other words. Of an
/// order, whether the message has it the other way round.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::{MessageContradiction, find_message_contradiction};
///
/// let eight = Term::Constant(Constant::Integer(8));
/// let rule = Formula::comparison_of(Term::Root("self".to_owned()), TermRelation::LessOrEqual, eight);
/// let found = find_message_contradiction(&rule, "must be at most 10");
/// assert!(matches!(found, Some(MessageContradiction::Number { .. })));
/// assert_eq!(find_message_contradiction(&rule, "must be less than 9"), None);
/// ```
pub fn find_message_contradiction(formula: &Formula, message: &str) -> Option<MessageContradiction> {
    let mut facts = RuleFacts::default();
    facts.collect(formula);
    let turned = || find_turned_order(formula, message);
    let turned = || turned().map(|stated| MessageContradiction::Order { stated: stated.to_owned() });
    contradicting_number(&facts, message).or_else(|| contradicting_value(&facts, message)).or_else(turned)
}

/// The constants that a rule compares values with.
#[derive(Default)]
struct RuleFacts {
    numbers: Vec<f64>,
    /// True if something else is compared or computed too.
    is_more: bool,
    texts: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl RuleFacts {
    fn collect(&mut self, formula: &Formula) {
        match formula {
            Formula::Compare { left, relation, right } => self.collect_comparison(left, *relation, right),
            _ => formula.terms().for_each(|term| self.collect_names(term)),
        }
        formula.children().iter().for_each(|part| self.collect(part));
    }

    fn collect_comparison(&mut self, left: &Term, relation: TermRelation, right: &Term) {
        self.collect_names(left);
        self.collect_names(right);
        let ((Term::Constant(constant), _) | (_, Term::Constant(constant))) = (left, right) else {
            self.is_more = true;
            return;
        };
        let is_order = matches!(relation, TermRelation::Less | TermRelation::LessOrEqual);
        match constant {
            #[expect(clippy::cast_precision_loss, reason = "compared with a number of a message")]
            Constant::Integer(number) if is_order => self.add_number(*number as f64),
            Constant::Float(number) if is_order => self.add_number(*number),
            Constant::Text(text) if relation == TermRelation::Equal && !is_call(left) => {
                self.texts.insert(text.clone());
            }
            _ => self.is_more = true,
        }
    }

    fn add_number(&mut self, number: f64) {
        if !self.numbers.contains(&number) {
            self.numbers.push(number);
        }
    }

    /// The names of fields, and whether something is computed or spelled out inside of a term.
    fn collect_names(&mut self, term: &Term) {
        let is_plain_size = matches!(term, Term::Call(call) if call.function == "size");
        term.visit_terms(&mut |inner| match inner {
            Term::Field(_, name) => _ = self.names.insert(name.clone()),
            Term::Call(call) if !(is_plain_size && call.function == "size") => self.is_more = true,
            Term::Collect(_) | Term::Index(..) | Term::List(_) | Term::Tally(_) => self.is_more = true,
            _ => {}
        });
    }
}

fn is_call(term: &Term) -> bool {
    matches!(term, Term::Call(_))
}

fn contradicting_number(facts: &RuleFacts, message: &str) -> Option<MessageContradiction> {
    let [bound] = facts.numbers.as_slice() else { return None };
    if facts.is_more || bound.abs() <= 1.0 {
        return None;
    }
    let stated = only_number(message)?;
    let number: f64 = stated.parse().ok()?;
    ((number - bound).abs() > 1.0)
        .then(|| MessageContradiction::Number { stated: stated.to_owned(), bound: bound.to_string() })
}

/// The only number of a text, where it stands alone and has no unit.
fn only_number(message: &str) -> Option<&str> {
    if !message.is_ascii() || message.contains('%') {
        return None;
    }
    let is_inside =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '/' | ':') || c.is_ascii_alphabetic();
    let mut words = message.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty());
    let mut found = None;
    while let Some(word) = words.next() {
        let word = word.trim_end_matches(['.', ':', '-']);
        if !word.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let is_number = word.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
        if !is_number || found.is_some() {
            return None;
        }
        let next = words.clone().next().unwrap_or_default().to_ascii_lowercase();
        let unit = next.trim_end_matches(['.', ':']);
        if UNITS.iter().any(|known| unit == *known || unit.strip_suffix('s') == Some(known))
            || unit.starts_with("milli")
        {
            return None;
        }
        found = Some(word);
    }
    found
}

fn contradicting_value(facts: &RuleFacts, message: &str) -> Option<MessageContradiction> {
    if facts.is_more || !facts.numbers.is_empty() || facts.texts.len() < 2 {
        return None;
    }
    let quoted = quoted_words(message);
    let is_allowed = |word: &str| facts.texts.iter().any(|text| text.eq_ignore_ascii_case(word));
    let is_list = quoted.iter().filter(|word| is_allowed(word)).count() > 0;
    // A path such as `spec.phase` is named by its field.
    let is_name = |word: &str| word.rsplit('.').next().is_some_and(|name| facts.names.contains(name));
    let other = quoted.iter().find(|word| !is_allowed(word) && !is_name(word))?;
    is_list.then(|| MessageContradiction::Value {
        stated: (*other).to_owned(),
        allowed: facts.texts.iter().cloned().collect(),
    })
}

/// The words between quotation marks.
fn quoted_words(message: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for mark in ['\'', '"', '`'] {
        // Apostrophes and the like leave an odd number of marks.
        let parts: Vec<&str> = message.split(mark).collect();
        if parts.len() % 2 == 1 {
            words.extend(parts.iter().skip(1).step_by(2).copied());
        }
    }
    let is_word = |word: &&str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
    };
    words.retain(is_word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(number: i64) -> Formula {
        let constant = Term::Constant(Constant::Integer(number));
        Formula::comparison_of(Term::Root("self".to_owned()), TermRelation::LessOrEqual, constant)
    }

    fn one_of(values: &[&str]) -> Formula {
        let equal = |value: &&str| {
            let constant = Term::Constant(Constant::Text((*value).to_owned()));
            Formula::comparison_of(
                Term::Root("self".to_owned()).with_field("mode"),
                TermRelation::Equal,
                constant,
            )
        };
        Formula::any_of(values.iter().map(equal))
    }

    #[test]
    fn a_number_must_be_the_bound_of_the_rule() {
        for message in ["must be at most 10", "no more than 10 items", "10 is the limit.", "at most 3"] {
            assert!(find_message_contradiction(&bound(8), message).is_some(), "{message}");
        }
        for message in [
            "must be at most 8",
            "must be less than 9",
            "at most 5 minutes",
            "at most 5 seconds.",
            "not over 80 %",
            "between 1-10",
            "of 2 to 10",
            "see v1 of RFC-1035",
            "at most 10.5",
            "too many",
        ] {
            assert_eq!(find_message_contradiction(&bound(8), message), None, "{message}");
        }
        assert_eq!(find_message_contradiction(&bound(0), "must be at most 10"), None);
        let two = Formula::all_of([bound(8), Formula::negation_of(bound(3))]);
        assert_eq!(find_message_contradiction(&two, "must be at most 10"), None);
    }

    #[test]
    fn an_order_must_be_that_of_the_rule() {
        for message in
            ["must be at least 8", "it must not be less than 8.", "size must be greater than 7 items"]
        {
            let message = format!("value {message}");
            assert!(find_message_contradiction(&bound(8), &message).is_some(), "{message}");
        }
        for message in [
            "value must be at most 8",
            "value must not be more than 8",
            "value is greater than 8",
            "fish must be set for more than 8",
            "value must be greater than 8 if nothing else is set",
            "value must be at least the minimum",
        ] {
            assert_eq!(find_message_contradiction(&bound(8), message), None, "{message}");
        }
    }

    #[test]
    fn the_fields_of_an_order_must_be_those_of_the_rule() {
        let field = |name: &str| Term::Root("self".to_owned()).with_field(name);
        let rule = Formula::comparison_of(field("minSize"), TermRelation::LessOrEqual, field("maxSize"));
        for message in
            ["minSize must be greater than maxSize", "`spec.maxSize` must be less than `spec.minSize`"]
        {
            assert!(find_message_contradiction(&rule, message).is_some(), "{message}");
        }
        for message in [
            "minSize must be less than or equal to maxSize",
            "maxSize must be at least minSize",
            "minSize must not be greater than maxSize",
            "minSize must be greater than zero",
            "minSize is greater than maxSize",
        ] {
            assert_eq!(find_message_contradiction(&rule, message), None, "{message}");
        }
    }

    #[test]
    fn quoted_values_must_be_those_of_the_rule() {
        let rule = one_of(&["Fast", "Safe"]);
        for message in ["must be 'Fast' or 'Slow'", "`mode` is one of `Safe`, `Sound`"] {
            assert!(find_message_contradiction(&rule, message).is_some(), "{message}");
        }
        for message in [
            "must be 'Fast' or 'Safe'",
            "`mode` is one of `fast`, `safe`",
            "'mode' can't be 'Slow'",
            "only 'Other' is wrong",
            "must be Fast or Slow",
        ] {
            assert_eq!(find_message_contradiction(&rule, message), None, "{message}");
        }
    }
}
