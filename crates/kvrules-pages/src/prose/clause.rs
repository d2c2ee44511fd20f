//! Predicates as conditions: `at least one disk has `disk``.

use kvrules_ir::{Operand, Place, PlaceBase, Predicate};

use super::inline::Prose;
use super::noun::{ElementNoun, path_of, present_part};
use super::phrase::{PhraseVerb, VerbMood, VerbPhrase, join_phrases, relation_phrase, test_phrase};
use super::scope::SentenceScope;

/// A predicate as a clause that can follow `when`.
pub(crate) fn predicate_clause(predicate: &Predicate, scope: &SentenceScope) -> Prose {
    match predicate {
        Predicate::True => "every object qualifies".into(),
        Predicate::False => "no object qualifies".into(),
        Predicate::All(parts) => join_clauses(parts, " and ", scope),
        Predicate::Any(parts) => join_clauses(parts, " or ", scope),
        Predicate::Not(inner) => negated_clause(inner, scope),
        Predicate::Each { list, holds } => each_clause(list, holds, scope),
        Predicate::Some { list, holds } => some_clause(list, holds, scope),
        Predicate::Present(place) => presence_clause(place, scope),
        Predicate::Test { place, test } => scope.name(place).text(" ").add_prose(&join_phrases(
            &[test_phrase(test, place)],
            VerbMood::Is,
            "",
        )),
        Predicate::Compare { left, relation: how, right } => {
            let rest = Prose::from(relation_phrase(*how)).text(" ").add_prose(&scope.compared(right));
            operand_prose(left, scope).text(" ").add_prose(&join_phrases(
                &[VerbPhrase { verb: PhraseVerb::Be, rest }],
                VerbMood::Is,
                "",
            ))
        }
    }
}

/// The left side of a comparison.
pub(crate) fn operand_prose(operand: &Operand, scope: &SentenceScope) -> Prose {
    match operand {
        Operand::Length(place) => Prose::from("the number of characters in ").add_prose(&scope.name(place)),
        Operand::Integer(place) | Operand::Text(place) => scope.name(place),
    }
}

/// A sequence of clauses; nested sequences are in parentheses.
fn join_clauses(parts: &[Predicate], link: &str, scope: &SentenceScope) -> Prose {
    let one = |part: &Predicate| grouped_clause(part, scope);
    Prose::join_with(&parts.iter().map(one).collect::<Vec<_>>(), link, link)
}

/// A clause as a part of another: sequences are in parentheses.
fn grouped_clause(part: &Predicate, scope: &SentenceScope) -> Prose {
    let wording = predicate_clause(part, scope);
    let is_row = matches!(part, Predicate::All(_) | Predicate::Any(_));
    if is_row { Prose::from("(").add_prose(&wording).text(")") } else { wording }
}

fn presence_clause(place: &Place, scope: &SentenceScope) -> Prose {
    let place = &present_part(place);
    match place.base {
        PlaceBase::Root => scope.name(place).text(" is set"),
        PlaceBase::Element(_) => element_of(place, scope).text(" has ").code(path_of(place)),
    }
}

fn element_of(place: &Place, scope: &SentenceScope) -> Prose {
    scope.name(&Place { steps: Vec::new(), ..place.clone() })
}

fn negated_clause(inner: &Predicate, scope: &SentenceScope) -> Prose {
    match inner {
        Predicate::Present(place) if place.base == PlaceBase::Root => {
            scope.name(&present_part(place)).text(" is not set")
        }
        Predicate::Present(place) => {
            element_of(place, scope).text(" has no ").code(path_of(&present_part(place)))
        }
        Predicate::Some { list, holds } => match own_presence(holds) {
            _ if **holds == Predicate::True => {
                Prose::from("there is no ").add_prose(&ElementNoun::of(list).singular())
            }
            Some(place) => Prose::from("no ")
                .add_prose(&ElementNoun::of(list).singular())
                .text(" has ")
                .code(path_of(&place)),
            None => Prose::from("it does not hold that ").add_prose(&some_clause(list, holds, scope)),
        },
        inner => Prose::from("it does not hold that (").add_prose(&predicate_clause(inner, scope)).text(")"),
    }
}

fn each_clause(list: &Place, holds: &Predicate, scope: &SentenceScope) -> Prose {
    let noun = ElementNoun::of(list).singular();
    if *holds == Predicate::False {
        return Prose::from("there is no ").add_prose(&noun);
    }
    let inner = predicate_clause(holds, &scope.enter(list, false));
    Prose::from("for every ").add_prose(&noun).text(" (").add_prose(&inner).text(")")
}

fn some_clause(list: &Place, holds: &Predicate, scope: &SentenceScope) -> Prose {
    let noun = ElementNoun::of(list).singular();
    match own_presence(holds) {
        _ if *holds == Predicate::True => Prose::from("there is at least one ").add_prose(&noun),
        Some(place) => Prose::from("at least one ").add_prose(&noun).text(" has ").code(path_of(&place)),
        None => {
            let inner = grouped_clause(holds, &scope.enter(list, false));
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
