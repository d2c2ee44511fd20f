//! KV410 `never_passes`: a demand that no value of the field can meet.

use kvrules_diagnostics::{Diagnostic, Level, Lint};
use kvrules_elaborate::annotation::Key;
use kvrules_ir::{Constraint, Interval, ValueTest, ValueType};

use crate::{
    LintCheck, RuleView,
    message_text::{code, of_type, vm_path},
    values::all_impossible,
};

pub static LINT: Lint = Lint {
    code: "KV410",
    name: "never_passes",
    level: Level::Error,
    summary: "no value that the field can have satisfies the rule",
    fix: None,
};

pub(super) const CHECK: LintCheck = LintCheck::Rule(check);

fn check(rule: &RuleView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((read, meaning)) = rule.understood() else { return };
    let value_type = meaning.requirement.subject.leaf.value_type;
    for test in &meaning.requirement.tests {
        match test {
            ValueTest::Integer(interval) if interval.is_empty() => {
                nothing_between(rule, Key::Min, Key::Max, found);
            }
            ValueTest::Length(interval) if interval.is_empty() => {
                nothing_between(rule, Key::MinLength, Key::MaxLength, found);
            }
            ValueTest::Integer(interval) if value_type == ValueType::Integer => {
                check_integer_range(rule, interval, found);
            }
            _ => {}
        }
    }
    if let Constraint::Enum { values } = &read.constraint
        && all_impossible(value_type, values)
    {
        let Some(list) = rule.key_value(Key::Values).or_else(|| rule.key_value(Key::Included)) else {
            return;
        };
        let (field, what) = (vm_path(&read.path.text), of_type(value_type));
        let message = format!("{field} is {what}, and none of these is how {what} is written");
        found
            .push(LINT.diagnostic_at(list.span(), message).with_help("write values that the field can have"));
    }
}

/// Bounds between two integers. Those that are inverted, or below zero for a length, are errors of their own.
fn nothing_between(rule: &RuleView<'_>, low: Key, high: Key, found: &mut Vec<Diagnostic>) {
    let (Some((min, least)), Some((max, greatest))) = (rule.number_argument(low), rule.number_argument(high))
    else {
        return;
    };
    let negative = || low == Key::MinLength && greatest.floor().is_some_and(|floor| floor < 0.into());
    if least > greatest || negative() {
        return;
    }
    let message = format!("no integer is between {} and {}", code(min.text()), code(max.text()));
    let finding = LINT.diagnostic_at(min.span(), message).with_secondary_label(max.span(), "the upper bound");
    found.push(finding.with_help("write bounds that are integers"));
}

/// Integers in the API have 64 bits at most, some of them without sign.
fn check_integer_range(rule: &RuleView<'_>, interval: &Interval, found: &mut Vec<Diagnostic>) {
    let low = interval.min.as_ref().is_some_and(|min| *min > 0.into() && u64::try_from(min).is_err());
    let high = interval.max.as_ref().is_some_and(|max| *max < 0.into() && i64::try_from(max).is_err());
    for (key, _) in [(Key::Min, low), (Key::Max, high)].into_iter().filter(|(_, beyond)| *beyond) {
        let Some((node, _)) = rule.number_argument(key) else { continue };
        let relation = if key == Key::Min { "at least" } else { "at most" };
        let message = format!("no value of an integer field is {relation} {}", code(node.text()));
        found.push(
            LINT.diagnostic_at(node.span(), message).with_help("write a number that has 64 bits or fewer"),
        );
    }
}
