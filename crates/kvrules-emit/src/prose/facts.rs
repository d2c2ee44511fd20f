//! A rule's details, one labelled line each.

use kvrules_ir::{
    ElaboratedRule, Interval, Operand, Predicate, Relation, Severity, Subject, Test, ValueType,
};

use super::absence::{comparisons, default_of, if_absent, if_defaulted};
use super::clause::clause;
use super::inline::{Prose, one_line};
use super::measure::Unit;
use super::noun::path_of;
use super::phrase::Mood;
use super::rooted::one;
use super::scope::Scope;
use super::value::{pattern_code, scalar_code, text_code};

/// A label and what is said under it.
pub(crate) type Fact = (&'static str, Prose);

/// Everything about a rule but its name and its demand. Its places are seen from where paths start.
pub(crate) fn facts(rule: &ElaboratedRule, subject: &Subject) -> Vec<Fact> {
    let mut facts = vec![("Field", Prose::of_code(text_code(&rule.requirement.subject.text)))];
    facts.push(("Type", value_type(rule)));
    facts.extend(limits(rule));
    facts.extend(if_defaulted(rule).map(|said| ("Default", said)));
    facts.extend(if_absent(rule).map(|said| ("If absent", said.capitalised().text("."))));
    facts.push(("Applies", applies(rule)));
    facts.push(("Severity", severity(rule.severity, subject)));
    facts.push(("Message", message(&rule.message)));
    facts
}

fn value_type(rule: &ElaboratedRule) -> Prose {
    let leaf = &rule.requirement.subject.leaf;
    let said = Prose::from(leaf.value_type.as_str());
    let wants_integer = rule.requirement.tests.iter().any(|test| matches!(test, Test::Integer(_)));
    match leaf.value_type {
        ValueType::Quantity if wants_integer && Unit::of(leaf) == Unit::Bytes => {
            said.text(", such as ").code("1.5Gi").text("; it must come to whole bytes")
        }
        ValueType::Quantity if wants_integer => said.text("; it must come to a whole number"),
        value_type if !value_type.is_scalar() => said.text(", which has no text and so never passes"),
        _ => said,
    }
}

fn limits(rule: &ElaboratedRule) -> Vec<Fact> {
    let unit = Unit::of(&rule.requirement.subject.leaf);
    let compared: Vec<_> = comparisons(&rule.predicate);
    let equals: Vec<&Operand> = of_relation(&compared, Relation::Equal);
    let mut facts = Vec::new();
    for test in &rule.requirement.tests {
        match test {
            Test::Integer(interval) => facts.extend(bounds(interval, unit, ["Minimum", "Maximum"])),
            Test::Length(interval) => {
                facts.extend(bounds(interval, Unit::Characters, ["Minimum length", "Maximum length"]));
            }
            Test::OneOf(values) => {
                let values = values.iter().map(|value| Prose::of_code(text_code(value)));
                let values: Vec<Prose> = values.chain(equals.iter().map(|operand| other(operand))).collect();
                let none = Prose::from("none");
                let said = if values.is_empty() { none } else { Prose::join(&values, ", ", ", ") };
                facts.push(("Allowed values", said));
            }
            Test::Matches(pattern) => {
                facts.push(("Regular expression", Prose::of_code(pattern_code(&pattern.0))));
            }
        }
    }
    for (relation, label, length) in
        [(Relation::AtLeast, "Minimum", "Minimum length"), (Relation::AtMost, "Maximum", "Maximum length")]
    {
        let said = compared.iter().filter(|(_, how, _)| *how == relation).map(|(left, _, right)| {
            (if matches!(left, Operand::Length(_)) { length } else { label }, other(right))
        });
        facts.extend(said);
    }
    facts
}

fn of_relation<'p>(compared: &[(&Operand, Relation, &'p Operand)], relation: Relation) -> Vec<&'p Operand> {
    compared.iter().filter(|(_, how, _)| *how == relation).map(|(_, _, right)| *right).collect()
}

/// An operand that is read from the object itself.
fn other(operand: &Operand) -> Prose {
    let said = match operand {
        Operand::Length(_) => Prose::from("the number of characters in "),
        Operand::Integer(_) | Operand::Text(_) => Prose::from("the value of "),
    };
    let said = said.code(path_of(operand.place()));
    match default_of(operand.place()) {
        Some(default) => said.text(" (").code(scalar_code(&default)).text(" if left out)"),
        None => said,
    }
}

fn bounds(interval: &Interval, unit: Unit, labels: [&'static str; 2]) -> Vec<Fact> {
    let [least, most] = labels;
    let least = interval.min.as_ref().map(|min| (least, unit.limit(min)));
    let most = interval.max.as_ref().map(|max| (most, unit.limit(max)));
    least.into_iter().chain(most).collect()
}

fn applies(rule: &ElaboratedRule) -> Prose {
    match &rule.applies {
        Predicate::True => "Always.".into(),
        Predicate::False => "Never.".into(),
        applies => Prose::from("When ")
            .with(&clause(applies, &Scope::root(Mood::Is)))
            .text("; else the rule is skipped."),
    }
}

fn severity(severity: Severity, subject: &Subject) -> Prose {
    let (level, outcome) = match severity {
        Severity::Error => ("Error", "rejected"),
        Severity::Warning => ("Warning", "accepted with a warning"),
    };
    format!("{level}: {} that breaks the rule is {outcome}.", one(subject)).into()
}

fn message(message: &str) -> Prose {
    if one_line(message).trim().is_empty() { "(none)".into() } else { message.into() }
}
