//! KV408 `idle_bound`: a bound that every value meets.

use kvrules_diagnostics::{Applicability, Diagnostic, Edit, Fix, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{Interval, ValueTest, ValueType};
use kvrules_kubernetes::quantity::Quantity;

use crate::{LintCheck, RuleView, message_text::code, repair};

pub static LINT: Lint = Lint {
    code: "KV408",
    name: "idle_bound",
    level: Level::Warning,
    summary: "a bound is met by every value that the field can have",
    fix: Some(Applicability::Safe),
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((_, meaning)) = rule.understood() else { return };
    let value_type = meaning.requirement.subject.leaf.value_type;
    for test in &meaning.requirement.tests {
        match test {
            ValueTest::Length(interval) => check_length(rule, interval, found),
            ValueTest::Integer(interval) if value_type == ValueType::Integer => {
                check_integer_range(rule, interval, found);
            }
            _ => {}
        }
    }
}

fn check_length(rule: &RuleView<'_>, interval: &Interval, found: &mut Vec<Diagnostic>) {
    let zero = interval.min.as_ref().is_some_and(|min| *min == 0.into());
    // Another lint reports negative lengths.
    let negative = |length: Quantity| length.floor().is_some_and(|floor| floor < 0.into());
    if zero && !rule.number_argument(Key::MinLength).is_some_and(|(_, length)| negative(length)) {
        report_idle_bound(rule, Key::MinLength, "every string has at least `0` characters".to_owned(), found);
    }
}

/// Integers in the API have 64 bits at most, some of them without sign.
fn check_integer_range(rule: &RuleView<'_>, interval: &Interval, found: &mut Vec<Diagnostic>) {
    let low = interval
        .min
        .as_ref()
        .is_some_and(|min| i64::try_from(min).map_or_else(|_| *min < 0.into(), |min| min == i64::MIN));
    let high = interval
        .max
        .as_ref()
        .is_some_and(|max| u64::try_from(max).map_or_else(|_| *max > 0.into(), |max| max == u64::MAX));
    for (key, _) in [(Key::Min, low), (Key::Max, high)].into_iter().filter(|(_, idle)| *idle) {
        let Some((node, _)) = rule.number_text(key) else { continue };
        let relation = if key == Key::Min { "less" } else { "more" };
        let message = format!("no value of an integer field is {relation} than {}", code(node.text()));
        report_idle_bound(rule, key, message, found);
    }
}

/// The bound taken out. The last argument stays, since a rule without any is another error; `min` goes before `max`.
fn remove_bound(rule: &RuleView<'_>, key: Key) -> Option<Edit> {
    let other = match key {
        Key::Min => Key::Max,
        Key::MinLength => Key::MaxLength,
        _ => Key::Min,
    };
    let stays = rule.number_text(other).is_some_and(|(_, text)| key != Key::Max || text.len() < 18);
    stays.then(|| repair::remove_entry(rule, key))?
}

fn report_idle_bound(rule: &RuleView<'_>, key: Key, message: String, found: &mut Vec<Diagnostic>) {
    if let Some((node, _)) = rule.number_text(key) {
        let help = format!("remove `{}`, which has no effect", key.as_str());
        let fix =
            remove_bound(rule, key).map(|edit| Fix::safe_fix(format!("remove `{}`", key.as_str()), [edit]));
        found.push(LINT.diagnostic_at(node.span(), message).with_help(help).fix_if(fix));
    }
}
