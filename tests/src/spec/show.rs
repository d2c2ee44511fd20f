//! A predicate in a line of words, for cases about its form.

use kvrules_ir::{Interval, Operand, OperandRelation, Place, PlaceBase, PlaceStep, Predicate, ValueTest};

/// A predicate in words: `each .spec.template.spec.domain.devices.disks: (not has @.disk or @.disk.bus in [sata])`.
/// Places in the element around begin with `@`, in the one around that with `@@`.
pub fn show_predicate(predicate: &Predicate) -> String {
    let joined = |parts: &[Predicate], word: &str| {
        format!("({})", parts.iter().map(show_predicate).collect::<Vec<_>>().join(word))
    };
    match predicate {
        Predicate::True => "always".to_owned(),
        Predicate::False => "never".to_owned(),
        Predicate::All(parts) => joined(parts, " and "),
        Predicate::Any(parts) => joined(parts, " or "),
        Predicate::Not(inner) => format!("not {}", show_predicate(inner)),
        Predicate::Each { list, holds } => format!("each {}: {}", place(list), show_predicate(holds)),
        Predicate::Some { list, holds } => format!("some {}: {}", place(list), show_predicate(holds)),
        Predicate::Present(found) => format!("has {}", place(found)),
        Predicate::Test { place: found, test } => format!("{} {}", place(found), passes(test)),
        Predicate::Compare { left, relation, right } => {
            let relation = match relation {
                OperandRelation::AtLeast => ">=",
                OperandRelation::AtMost => "<=",
                OperandRelation::Equal => "=",
            };
            format!("{} {relation} {}", operand(left), operand(right))
        }
    }
}

fn passes(test: &ValueTest) -> String {
    match test {
        ValueTest::Integer(interval) => format!("integer {}", bounds(interval)),
        ValueTest::Length(interval) => format!("length {}", bounds(interval)),
        ValueTest::OneOf(texts) => {
            format!("in [{}]", texts.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
        }
        ValueTest::Matches(pattern) => format!("matches {}", pattern.0),
    }
}

fn bounds(interval: &Interval) -> String {
    let bound = |bound: &Option<_>| bound.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{}..{}", bound(&interval.min), bound(&interval.max))
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Integer(found) | Operand::Text(found) => place(found),
        Operand::Length(found) => format!("length of {}", place(found)),
    }
}

fn place(place: &Place) -> String {
    let mut text = match place.base {
        PlaceBase::Root => String::new(),
        PlaceBase::Element(depth) => "@".repeat(usize::try_from(depth).unwrap_or(0) + 1),
    };
    for step in &place.steps {
        match step {
            PlaceStep::Field { name, .. } => text.push_str(&format!(".{name}")),
            PlaceStep::Key(key) => text.push_str(&format!("['{key}']")),
            PlaceStep::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
