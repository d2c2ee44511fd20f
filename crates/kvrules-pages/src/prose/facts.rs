//! A rule's details, in addition to its demand.

use kvrules_ir::{
    ElaboratedRule, Interval, Operand, OperandRelation, Predicate, Severity, Subject, ValueTest, ValueType,
};

use super::absence::{collect_comparisons, default_of};
use super::author_view::subject_with_article;
use super::clause::predicate_clause;
use super::inline::Prose;
use super::measure::MeasureUnit;
use super::noun::path_of;
use super::phrase::VerbMood;
use super::scope::SentenceScope;
use super::value::{scalar_code, text_code};
use kvrules_regex::description::DescriptionPiece;
use num_bigint::BigInt;

/// A bound of a value, or of its length.
#[derive(Debug)]
pub(crate) struct ValueBound {
    /// `Minimum`, `Maximum`, and the same of lengths.
    pub(crate) label: &'static str,
    /// The bound for people and for machines.
    pub(crate) wording: Prose,
    /// The number, and the number in the units people read; nothing if it is read from the object.
    pub(crate) number: Option<(BigInt, String)>,
}

/// Requirements on a value, part by part.
#[derive(Debug, Default)]
pub(crate) struct ValueDemands {
    pub(crate) bounds: Vec<ValueBound>,
    /// The texts that are allowed.
    pub(crate) values: Vec<String>,
    /// The same, including lists that are read from the object. `None` without a list.
    pub(crate) values_said: Option<Prose>,
    /// The regular expression, as its author wrote it.
    pub(crate) pattern: Option<String>,
}

/// The type of the value, and what a rule of this sort makes of it.
pub(crate) fn value_type(rule: &ElaboratedRule) -> Prose {
    let leaf = &rule.requirement.subject.leaf;
    let wording = Prose::from(leaf.value_type.as_str());
    let wants_integer = rule.requirement.tests.iter().any(|test| matches!(test, ValueTest::Integer(_)));
    match leaf.value_type {
        ValueType::Quantity if wants_integer && MeasureUnit::of(leaf) == MeasureUnit::Bytes => {
            wording.text(", such as ").code("1.5Gi").text("; it must be a whole number of bytes")
        }
        ValueType::Quantity if wants_integer => wording.text("; it must be an integer"),
        value_type if !value_type.is_scalar() => wording.text(", which is not a scalar and never passes"),
        _ => wording,
    }
}

/// Returns the requirements on the value of a rule whose places are seen from the start of paths.
pub(crate) fn rule_demands(rule: &ElaboratedRule) -> ValueDemands {
    let unit = MeasureUnit::of(&rule.requirement.subject.leaf);
    let compared: Vec<_> = collect_comparisons(&rule.predicate);
    let equals: Vec<&Operand> = of_relation(&compared, OperandRelation::Equal);
    let mut demands = ValueDemands::default();
    for test in &rule.requirement.tests {
        match test {
            ValueTest::Integer(interval) => {
                demands.bounds.extend(interval_bounds(interval, unit, ["Minimum", "Maximum"]));
            }
            ValueTest::Length(interval) => {
                let labels = ["Minimum length", "Maximum length"];
                demands.bounds.extend(interval_bounds(interval, MeasureUnit::Characters, labels));
            }
            ValueTest::OneOf(values) => {
                demands.values.extend(values.iter().cloned());
                let values = values.iter().map(|value| Prose::of_code(text_code(value)));
                let values: Vec<Prose> =
                    values.chain(equals.iter().map(|operand| other_operand(operand))).collect();
                let none = Prose::from("none");
                demands.values_said =
                    Some(if values.is_empty() { none } else { Prose::join_with(&values, ", ", ", ") });
            }
            ValueTest::Matches(pattern) => demands.pattern = Some(pattern.0.clone()),
        }
    }
    for (relation, label, length) in [
        (OperandRelation::AtLeast, "Minimum", "Minimum length"),
        (OperandRelation::AtMost, "Maximum", "Maximum length"),
    ] {
        let wording =
            compared.iter().filter(|(_, how, _)| *how == relation).map(|(left, _, right)| ValueBound {
                label: if matches!(left, Operand::Length(_)) { length } else { label },
                wording: other_operand(right),
                number: None,
            });
        demands.bounds.extend(wording);
    }
    demands
}

/// A regular expression in words; nothing if it says too much for that.
pub fn pattern_in_words(pattern: &str) -> Option<Prose> {
    Some(describe_pieces(&kvrules_regex::parse(pattern).ok()?.describe_in_words()?))
}

/// Returns the description of a regular expression as running text.
pub fn describe_pieces(pieces: &[DescriptionPiece]) -> Prose {
    pieces.iter().fold(Prose::default(), |prose, piece| match piece {
        DescriptionPiece::Words(words) => prose.text(words),
        DescriptionPiece::Code(code) => prose.code(text_code(code)),
    })
}

fn of_relation<'p>(
    compared: &[(&Operand, OperandRelation, &'p Operand)],
    relation: OperandRelation,
) -> Vec<&'p Operand> {
    compared.iter().filter(|(_, how, _)| *how == relation).map(|(_, _, right)| *right).collect()
}

/// An operand that is read from the object itself.
fn other_operand(operand: &Operand) -> Prose {
    let wording = match operand {
        Operand::Length(_) => Prose::from("the number of characters in "),
        Operand::Integer(_) | Operand::Text(_) => Prose::from("the value of "),
    };
    let wording = wording.code(path_of(operand.place()));
    match default_of(operand.place()) {
        Some(default) => wording.text(" (").code(scalar_code(&default)).text(" if unset)"),
        None => wording,
    }
}

fn interval_bounds(interval: &Interval, unit: MeasureUnit, labels: [&'static str; 2]) -> Vec<ValueBound> {
    let [least, most] = labels;
    let bound = |label, number: &BigInt| ValueBound {
        label,
        wording: unit.limit(number),
        number: Some((number.clone(), unit.human(number))),
    };
    let least = interval.min.as_ref().map(|min| bound(least, min));
    let most = interval.max.as_ref().map(|max| bound(most, max));
    least.into_iter().chain(most).collect()
}

/// Returns the condition under which the rule applies; `None` if it always does.
pub(crate) fn condition_prose(rule: &ElaboratedRule) -> Option<Prose> {
    match &rule.applies {
        Predicate::True => None,
        Predicate::False => Some("Never.".into()),
        applies => Some(
            Prose::from("When ")
                .add_prose(&predicate_clause(applies, &SentenceScope::root(VerbMood::Is)))
                .text("; otherwise the rule is skipped."),
        ),
    }
}

/// Returns the outcome for an object that violates the rule.
pub(crate) fn violation_outcome(severity: Severity, subject: &Subject) -> Prose {
    let (level, outcome) = match severity {
        Severity::Error => ("Error", "rejected"),
        Severity::Warning => ("Warning", "accepted with a warning"),
    };
    format!("{level}: {} that violates the rule is {outcome}.", subject_with_article(subject)).into()
}
