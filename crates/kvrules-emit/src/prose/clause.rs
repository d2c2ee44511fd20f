//! Predicates as conditions: `at least one disk has `disk``.

use kvrules_ir::{Operand, Place, PlaceBase, Predicate};

use super::inline::Prose;
use super::noun::{Noun, path_of, present_part};
use super::phrase::{Mood, Phrase, Verb, join_phrases, phrase, relation};
use super::scope::Scope;

/// A predicate as a clause that can follow `when`.
pub(crate) fn clause(predicate: &Predicate, scope: &Scope) -> Prose {
    match predicate {
        Predicate::True => "every object qualifies".into(),
        Predicate::False => "no object qualifies".into(),
        Predicate::All(parts) => several(parts, " and ", scope),
        Predicate::Any(parts) => several(parts, " or ", scope),
        Predicate::Not(inner) => negated(inner, scope),
        Predicate::Each { list, holds } => each_clause(list, holds, scope),
        Predicate::Some { list, holds } => some(list, holds, scope),
        Predicate::Present(place) => present(place, scope),
        Predicate::Test { place, test } => {
            scope.name(place).text(" ").add_prose(&join_phrases(&[phrase(test, place)], Mood::Is, ""))
        }
        Predicate::Compare { left, relation: how, right } => {
            let rest = Prose::from(relation(*how)).text(" ").add_prose(&scope.compared(right));
            subject(left, scope).text(" ").add_prose(&join_phrases(
                &[Phrase { verb: Verb::Be, rest }],
                Mood::Is,
                "",
            ))
        }
    }
}

/// The left side of a comparison.
pub(crate) fn subject(operand: &Operand, scope: &Scope) -> Prose {
    match operand {
        Operand::Length(place) => Prose::from("the number of characters in ").add_prose(&scope.name(place)),
        Operand::Integer(place) | Operand::Text(place) => scope.name(place),
    }
}

/// Clauses in a row; those that are rows themselves stand in parentheses.
fn several(parts: &[Predicate], link: &str, scope: &Scope) -> Prose {
    let one = |part: &Predicate| {
        let said = clause(part, scope);
        let is_row = matches!(part, Predicate::All(_) | Predicate::Any(_));
        if is_row { Prose::from("(").add_prose(&said).text(")") } else { said }
    };
    Prose::join_with(&parts.iter().map(one).collect::<Vec<_>>(), link, link)
}

fn present(place: &Place, scope: &Scope) -> Prose {
    let place = &present_part(place);
    match place.base {
        PlaceBase::Root => scope.name(place).text(" is set"),
        PlaceBase::Element(_) => element_of(place, scope).text(" has ").code(path_of(place)),
    }
}

fn element_of(place: &Place, scope: &Scope) -> Prose {
    scope.name(&Place { steps: Vec::new(), ..place.clone() })
}

fn negated(inner: &Predicate, scope: &Scope) -> Prose {
    match inner {
        Predicate::Present(place) if place.base == PlaceBase::Root => {
            scope.name(&present_part(place)).text(" is not set")
        }
        Predicate::Present(place) => {
            element_of(place, scope).text(" has no ").code(path_of(&present_part(place)))
        }
        Predicate::Some { list, holds } => match own_presence(holds) {
            _ if **holds == Predicate::True => {
                Prose::from("there is no ").add_prose(&Noun::of(list).singular())
            }
            Some(place) => {
                Prose::from("no ").add_prose(&Noun::of(list).singular()).text(" has ").code(path_of(&place))
            }
            None => Prose::from("it does not hold that ").add_prose(&some(list, holds, scope)),
        },
        inner => Prose::from("it does not hold that (").add_prose(&clause(inner, scope)).text(")"),
    }
}

fn each_clause(list: &Place, holds: &Predicate, scope: &Scope) -> Prose {
    let noun = Noun::of(list).singular();
    if *holds == Predicate::False {
        return Prose::from("there is no ").add_prose(&noun);
    }
    let inner = clause(holds, &scope.enter(list, false));
    Prose::from("for every ").add_prose(&noun).text(" (").add_prose(&inner).text(")")
}

fn some(list: &Place, holds: &Predicate, scope: &Scope) -> Prose {
    let noun = Noun::of(list).singular();
    match own_presence(holds) {
        _ if *holds == Predicate::True => Prose::from("there is at least one ").add_prose(&noun),
        Some(place) => Prose::from("at least one ").add_prose(&noun).text(" has ").code(path_of(&place)),
        None => {
            let inner = clause(holds, &scope.enter(list, false));
            Prose::from("for at least one ").add_prose(&noun).text(" ").add_prose(&inner)
        }
    }
}

/// The place below the innermost element whose presence is all that a predicate asks for.
pub(crate) fn own_presence(predicate: &Predicate) -> Option<Place> {
    match predicate {
        Predicate::Present(place) if place.base == PlaceBase::Element(0) => Some(present_part(place)),
        _ => None,
    }
}
