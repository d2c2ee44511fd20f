//! Parts as clauses: each is a list of literals, one of which must hold.

use kvrules_rule_set::RulePath;
use serde_json::Value as Json;

use super::literal::{Atom, Literal, Part};

/// Literals, one of which must hold.
pub(super) type Clause = Vec<Literal>;

/// The most clauses of a part, and the most literals of a clause.
const MOST_CLAUSES: usize = 24;
const MOST_LITERALS: usize = 8;
/// The most paths that are counted by trying all cases.
const MOST_COUNTED: usize = 8;

/// The clauses of a part; `None` if there are too many.
pub(super) fn to_clauses(part: &Part) -> Option<Vec<Clause>> {
    let mut clauses = distribute(&merge_tests(&count_presence(part)))?;
    clauses.iter_mut().for_each(simplify);
    clauses.iter_mut().for_each(absorb_presence);
    clauses.retain(|clause| !is_tautology(clause));
    let mut at = 0;
    while at < clauses.len() {
        let clause = clauses.remove(at);
        if !is_redundant(&clause, &clauses) {
            clauses.insert(at, clause);
            at += 1;
        }
    }
    Some(clauses)
}

fn distribute(part: &Part) -> Option<Vec<Clause>> {
    match part {
        Part::Literal(literal) => Some(vec![vec![literal.clone()]]),
        Part::All(parts) => {
            let mut all: Vec<Clause> = Vec::new();
            for part in parts {
                all.extend(distribute(part)?);
            }
            (all.len() <= MOST_CLAUSES).then_some(all)
        }
        Part::Any(parts) => {
            let mut all: Vec<Clause> = vec![Vec::new()];
            for part in parts {
                let others = distribute(part)?;
                all = all.iter().flat_map(|one| others.iter().map(move |other| join(one, other))).collect();
                if all.len() > MOST_CLAUSES || all.iter().any(|clause| clause.len() > MOST_LITERALS) {
                    return None;
                }
            }
            Some(all)
        }
    }
}

fn join(one: &Clause, other: &Clause) -> Clause {
    let mut joined = one.clone();
    joined.extend(other.iter().filter(|literal| !one.contains(literal)).cloned());
    joined
}

/// Values of one path in several lists become one list.
fn simplify(clause: &mut Clause) {
    let mut at = 0;
    while at < clause.len() {
        let later = clause
            .get(at)
            .and_then(|one| clause.iter().skip(at + 1).position(|other| union(one, other, true).is_some()));
        let Some(later) = later.map(|offset| at + 1 + offset) else {
            at += 1;
            continue;
        };
        let other = clause.remove(later);
        if let Some(one) = clause.get_mut(at)
            && let Some(joined) = union(one, &other, true)
        {
            *one = joined;
        }
    }
}

/// Drops each literal that holds only if a path has a value, next to the literal that it has one.
fn absorb_presence(clause: &mut Clause) {
    let present: Vec<Literal> =
        clause.iter().filter(|it| it.is_positive && matches!(it.atom, Atom::Present(_))).cloned().collect();
    clause.retain(|literal| {
        let implies = |present: &Literal| {
            let is_below = match (&literal.atom, &present.atom) {
                (Atom::Present(path), Atom::Present(above)) => path.0.starts_with(&above.0),
                _ => {
                    literal.is_without(&present.opposite())
                        && !matches!(literal.atom, Atom::Loop(..) | Atom::Refers(..))
                }
            };
            literal != present && is_below
        };
        !literal.is_positive || !present.iter().any(implies)
    });
}

/// Two lists of values of one path as one; for literals of a sign.
fn union(one: &Literal, other: &Literal, is_positive: bool) -> Option<Literal> {
    if one.is_positive != is_positive || other.is_positive != is_positive {
        return None;
    }
    let (Atom::Test(path, "in", values), Atom::Test(same, "in", others)) = (&one.atom, &other.atom) else {
        return None;
    };
    let (values, others) = (values.as_array()?, others.as_array()?);
    let mut all = values.clone();
    all.extend(others.iter().filter(|value| !values.contains(value)).cloned());
    (path == same).then(|| Literal { is_positive, atom: Atom::Test(path.clone(), "in", Json::Array(all)) })
}

/// "Not this value, and not that value" as "none of these values", "not less than, and not greater than" as bounds.
fn merge_tests(part: &Part) -> Part {
    match part {
        Part::All(parts) => {
            let mut kept: Vec<Part> = Vec::new();
            for part in parts.iter().map(merge_tests) {
                let joined =
                    kept.iter().enumerate().find_map(|(at, known)| Some((at, join_tests(known, &part)?)));
                match joined.and_then(|(at, joined)| Some((kept.get_mut(at)?, joined))) {
                    Some((known, joined)) => *known = joined,
                    None => kept.push(part),
                }
            }
            if kept.len() == 1 { kept.remove(0) } else { Part::All(kept) }
        }
        Part::Any(parts) => Part::Any(parts.iter().map(merge_tests).collect()),
        Part::Literal(_) => part.clone(),
    }
}

fn join_tests(one: &Part, other: &Part) -> Option<Part> {
    let (Part::Literal(one), Part::Literal(other)) = (one, other) else { return None };
    if let Some(joined) = union(one, other, false) {
        return Some(Part::Literal(joined));
    }
    let (Atom::Test(path, word, limits), Atom::Test(same, same_word, others)) = (&one.atom, &other.atom)
    else {
        return None;
    };
    if !one.is_positive || !other.is_positive || path != same || word != same_word {
        return None;
    }
    let (mut limits, others) = (limits.as_object()?.clone(), others.as_object()?);
    if others.keys().any(|key| limits.contains_key(key)) {
        return None;
    }
    limits.extend(others.clone());
    // In the order of the guide.
    for upper in ["max", "below"] {
        if let Some(most) = limits.shift_remove(upper) {
            limits.insert(upper.to_owned(), most);
        }
    }
    Some(Part::Literal(Literal::of(Atom::Test(path.clone(), word, Json::Object(limits)))))
}

fn is_tautology(clause: &Clause) -> bool {
    clause.iter().any(|literal| clause.contains(&literal.opposite()))
}

/// True if other clauses imply it: one of them has no other literals, or two of them resolve to it.
fn is_redundant(clause: &Clause, others: &[Clause]) -> bool {
    let is_within = |literals: &[Literal]| literals.iter().all(|it| clause.contains(it));
    if others.iter().any(|other| is_within(other)) {
        return true;
    }
    let pairs = others.iter().flat_map(|one| one.iter().map(move |literal| (one, literal)));
    pairs.into_iter().any(|(one, literal)| {
        let opposite = literal.opposite();
        let rest = |of: &Clause, without: &Literal| -> Vec<Literal> {
            of.iter().filter(|it| *it != without).cloned().collect()
        };
        let of_one = rest(one, literal);
        others
            .iter()
            .filter(|other| other.contains(&opposite))
            .any(|other| is_within(&of_one) && is_within(&rest(other, &opposite)))
    })
}

/// Parts that are about presence alone become counts, if one says the same in all cases.
fn count_presence(part: &Part) -> Part {
    let (parts, is_all) = match part {
        Part::All(parts) => (parts, true),
        Part::Any(parts) => (parts, false),
        Part::Literal(Literal { is_positive, atom: Atom::Loop(list, inner) }) => {
            let atom = Atom::Loop(list.clone(), Box::new(count_presence(inner)));
            return Part::Literal(Literal { is_positive: *is_positive, atom });
        }
        Part::Literal(_) => return part.clone(),
    };
    if let Some(count) = as_count(part) {
        return Part::Literal(Literal::of(count));
    }
    let rejoin = |parts: Vec<Part>| if is_all { Part::All(parts) } else { Part::Any(parts) };
    let is_counted = |part: &Part| is_about_presence(part) && (is_all || !is_guard(part, parts));
    let (about_presence, others): (Vec<Part>, Vec<Part>) = parts.iter().cloned().partition(is_counted);
    if !others.is_empty()
        && about_presence.len() > 1
        && let Some(count) = as_count(&rejoin(about_presence))
    {
        let mut joined: Vec<Part> = others.iter().map(count_presence).collect();
        joined.push(Part::Literal(Literal::of(count)));
        return rejoin(joined);
    }
    rejoin(parts.iter().map(count_presence).collect())
}

/// True if a part states the absence of a path that another of the parts tests. It does not choose between paths then.
fn is_guard(part: &Part, parts: &[Part]) -> bool {
    let Part::Literal(absence) = part else { return false };
    parts.iter().any(|other| has_guarded(other, absence))
}

fn has_guarded(part: &Part, absence: &Literal) -> bool {
    match part {
        Part::All(parts) | Part::Any(parts) => parts.iter().any(|part| has_guarded(part, absence)),
        Part::Literal(other) => other.is_without(absence),
    }
}

fn is_about_presence(part: &Part) -> bool {
    match part {
        Part::All(parts) | Part::Any(parts) => parts.iter().all(is_about_presence),
        Part::Literal(literal) => matches!(literal.atom, Atom::Present(_)),
    }
}

fn collect_paths(part: &Part, paths: &mut Vec<RulePath>) {
    match part {
        Part::All(parts) | Part::Any(parts) => parts.iter().for_each(|part| collect_paths(part, paths)),
        Part::Literal(Literal { atom: Atom::Present(path), .. }) if !paths.contains(path) => {
            paths.push(path.clone());
        }
        Part::Literal(_) => {}
    }
}

/// The count that says the same as a part about presence, whatever is there.
fn as_count(part: &Part) -> Option<Atom> {
    if !is_about_presence(part) {
        return None;
    }
    let mut paths = Vec::new();
    collect_paths(part, &mut paths);
    let is_prefix = |one: &RulePath| paths.iter().any(|other| other != one && other.0.starts_with(&one.0));
    if !(2..=MOST_COUNTED).contains(&paths.len()) || paths.iter().any(is_prefix) {
        return None;
    }
    let words = ["exactlyOneOf", "atMostOneOf", "atLeastOneOf", "allOrNone"];
    let says = |word: &&&str| {
        (0..1_usize << paths.len()).all(|case| {
            let present: Vec<&RulePath> = paths
                .iter()
                .enumerate()
                .filter(|(at, _)| case >> at & 1 == 1)
                .map(|(_, path)| path)
                .collect();
            let expected = match **word {
                "exactlyOneOf" => present.len() == 1,
                "atMostOneOf" => present.len() <= 1,
                "atLeastOneOf" => !present.is_empty(),
                _ => present.is_empty() || present.len() == paths.len(),
            };
            holds_with(part, &present) == expected
        })
    };
    let word = words.iter().find(says)?;
    Some(Atom::Count(word, paths))
}

fn holds_with(part: &Part, present: &[&RulePath]) -> bool {
    match part {
        Part::All(parts) => parts.iter().all(|part| holds_with(part, present)),
        Part::Any(parts) => parts.iter().any(|part| holds_with(part, present)),
        Part::Literal(Literal { is_positive, atom: Atom::Present(path) }) => {
            present.contains(&path) == *is_positive
        }
        Part::Literal(_) => false,
    }
}
