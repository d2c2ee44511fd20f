//! Predicates as demands: `Every disk's `disk.bus` must be `virtio`. Disks without `disk` are not checked.`
//!
//! Each shape of predicate has its sentence; what has none of its own is expressed clause by clause, so that every
//! predicate is expressed and none is expressed wrongly.

use kvrules_ir::{
    ElaboratedRule, Interval, Operand, Place, PlaceBase, Predicate, Severity, Subject, ValueTest, ValueType,
};

use super::author_view::{rebase_to_root, subject_noun};
use super::clause::{operand_prose, own_presence, predicate_clause};
use super::inline::Prose;
use super::noun::{ElementNoun, path_of, present_part};
use super::phrase::{PhraseVerb, VerbMood, VerbPhrase, join_phrases, relation_phrase, test_phrase};
use super::scope::SentenceScope;

/// Statements about a predicate.
#[derive(Default)]
struct PredicateSentences {
    /// Requirements, each to become a sentence.
    demands: Vec<Prose>,
    /// Cases that are not checked, each to become a sentence.
    notes: Vec<Prose>,
}

/// Returns the requirements of a rule about such objects, in sentences.
pub fn describe_requirements(rule: &ElaboratedRule, subject: &Subject) -> Prose {
    describe_rebased(&rebase_to_root(rule, subject), subject)
}

/// The same of a rule whose places are seen from where paths start.
pub(crate) fn describe_rebased(rule: &ElaboratedRule, subject: &Subject) -> Prose {
    let mood = if rule.severity == Severity::Error { VerbMood::Must } else { VerbMood::Should };
    let wording = match &rule.predicate {
        Predicate::True => {
            PredicateSentences::demand(format!("every {} passes this rule", subject_noun(subject)).into())
        }
        Predicate::False => {
            PredicateSentences::demand(format!("no {} passes this rule", subject_noun(subject)).into())
        }
        predicate => describe_predicate(predicate, &SentenceScope::root(mood)),
    };
    wording.sentences()
}

impl PredicateSentences {
    fn demand(demand: Prose) -> Self {
        Self { demands: vec![demand], notes: Vec::new() }
    }

    fn and(mut self, other: Self) -> Self {
        self.demands.extend(other.demands);
        self.notes.extend(other.notes);
        self
    }

    fn note(mut self, note: Prose) -> Self {
        self.notes.push(note);
        self
    }

    /// The same under a condition: `when …, this`, and `then that`.
    fn when(mut self, condition: &Prose) -> Self {
        for (index, demand) in self.demands.iter_mut().enumerate() {
            let start = if index == 0 {
                Prose::from("when ").add_prose(condition).text(", ")
            } else {
                Prose::from("then also ")
            };
            *demand = start.add_prose(demand);
        }
        self
    }

    /// All demands in one.
    fn in_one(&self) -> Prose {
        let all: Vec<Prose> = self.demands.iter().chain(&self.notes).cloned().collect();
        Prose::join_with(&all, "; ", "; ")
    }

    fn sentences(self) -> Prose {
        let sentence = |prose: Prose| prose.to_capitalised().text(".");
        let all: Vec<Prose> = self.demands.into_iter().chain(self.notes).map(sentence).collect();
        Prose::join_with(&all, " ", " ")
    }
}

fn describe_predicate(predicate: &Predicate, scope: &SentenceScope) -> PredicateSentences {
    if scope.every && !is_distributive(predicate) {
        return one_by_one(predicate, scope);
    }
    match predicate {
        Predicate::True | Predicate::False => describe_constant(predicate == &Predicate::True),
        Predicate::All(parts) => describe_all(parts, scope),
        Predicate::Any(parts) => describe_any(predicate, parts, scope),
        Predicate::Not(inner) => describe_negation(inner, scope),
        Predicate::Each { list, holds } => describe_each(list, holds, scope),
        Predicate::Some { list, holds } => describe_some(list, holds, scope),
        Predicate::Present(place) => PredicateSentences::demand(scope.demand_presence(place)),
        Predicate::Test { .. } | Predicate::Compare { .. } => {
            describe_all(std::slice::from_ref(predicate), scope)
        }
    }
}

/// True if a predicate about an element can use `every disk's …` instead of `the disk's …`.
fn is_distributive(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::All(parts) => parts.iter().all(is_distributive),
        Predicate::Any(parts) => {
            let (conditions, rest) = split_conditions(parts);
            let own = conditions.iter().all(|condition| own_presence(condition).is_some());
            let rest = Predicate::any_of(rest.into_iter().cloned());
            match value_claim(&rest) {
                Some((topic, _)) => own && topic.place().base == PlaceBase::Element(0),
                None => own && !conditions.is_empty() && is_distributive(&rest),
            }
        }
        Predicate::Not(inner) => own_presence(inner).is_some(),
        Predicate::Each { .. } => true,
        Predicate::Present(place) | Predicate::Test { place, .. } => place.base == PlaceBase::Element(0),
        Predicate::Compare { left, .. } => left.place().base == PlaceBase::Element(0),
        Predicate::True | Predicate::False | Predicate::Some { .. } => false,
    }
}

/// `for every disk: …`
fn one_by_one(predicate: &Predicate, scope: &SentenceScope) -> PredicateSentences {
    let noun = scope.element().map(ElementNoun::singular).unwrap_or_default();
    let inner = describe_predicate(predicate, &scope.settled()).in_one();
    PredicateSentences::demand(Prose::from("for every ").add_prose(&noun).text(": ").add_prose(&inner))
}

fn describe_constant(truth: bool) -> PredicateSentences {
    PredicateSentences::demand(if truth { "any value passes".into() } else { "nothing passes".into() })
}

/// A predicate as claim about one value, alternatives joined.
fn value_claim(predicate: &Predicate) -> Option<(Operand, Vec<&Predicate>)> {
    let topic = match predicate {
        Predicate::Test { place, .. } => Operand::Text(place.clone()),
        Predicate::Compare { left: Operand::Length(place), .. } => Operand::Length(place.clone()),
        Predicate::Compare { left, .. } => Operand::Text(left.place().clone()),
        Predicate::Any(parts) => {
            let topics: Option<Vec<_>> = parts.iter().map(value_claim).collect();
            let topics = topics?;
            let (first, _) = topics.first()?;
            return topics
                .iter()
                .all(|(topic, atoms)| topic == first && atoms.len() == 1)
                .then(|| (first.clone(), parts.iter().collect()));
        }
        _ => return None,
    };
    Some((topic, vec![predicate]))
}

fn atom_phrase(predicate: &Predicate, scope: &SentenceScope) -> Option<VerbPhrase> {
    match predicate {
        Predicate::Test { place, test } => Some(test_phrase(test, place)),
        Predicate::Compare { relation: how, right, .. } => {
            let rest = Prose::from(relation_phrase(*how)).text(" ").add_prose(&scope.compared(right));
            Some(VerbPhrase { verb: PhraseVerb::Be, rest })
        }
        _ => None,
    }
}

/// Demands on one value become one sentence; demands that something exists come last.
fn describe_all(parts: &[Predicate], scope: &SentenceScope) -> PredicateSentences {
    let mut groups: Vec<(Operand, Vec<Vec<&Predicate>>)> = Vec::new();
    let mut others: Vec<&Predicate> = Vec::new();
    for part in parts {
        match value_claim(part) {
            Some((topic, atoms)) => match groups.iter_mut().find(|(known, _)| *known == topic) {
                Some((_, claims)) => claims.push(atoms),
                None => groups.push((topic, vec![atoms])),
            },
            None => others.push(part),
        }
    }
    // Comparisons come before the other tests, and requirements on every element before those on some element.
    groups.sort_by_key(|(_, claims)| !claims.iter().flatten().any(|atom| is_comparison(atom)));
    others.sort_by_key(|part| matches!(part, Predicate::Some { .. }));
    let topics: Vec<Place> = groups.iter().map(|(topic, _)| topic.place().clone()).collect();
    let leads = others.iter().any(|part| matches!(part, Predicate::Each { .. } | Predicate::Any(_)));
    // A sentence about a value implies that its field is present, so the other sentences need not repeat that.
    let inner = scope.knowing(topics.iter().cloned());
    let groups = groups.iter().map(|(topic, claims)| group_sentence(topic, claims, &topics, scope));
    let others = others.iter().map(|part| describe_predicate(part, &inner));
    let ordered: Vec<PredicateSentences> =
        if leads { others.chain(groups).collect() } else { groups.chain(others).collect() };
    ordered.into_iter().fold(PredicateSentences::default(), PredicateSentences::and)
}

/// True if a test requires nothing of a value beyond its type.
fn is_trivial(predicate: &Predicate) -> bool {
    let Predicate::Test { place, test } = predicate else { return false };
    match test {
        ValueTest::Integer(interval) => {
            *interval == Interval::default() && place.value_type == ValueType::Integer
        }
        ValueTest::Length(interval) => {
            *interval == Interval::default() && place.value_type == ValueType::String
        }
        _ => false,
    }
}

fn is_comparison(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::Compare { .. })
}

/// One sentence about one value.
fn group_sentence(
    topic: &Operand,
    claims: &[Vec<&Predicate>],
    topics: &[Place],
    scope: &SentenceScope,
) -> PredicateSentences {
    let is_trivial = claims.iter().flatten().all(|atom| is_trivial(atom));
    if is_trivial && topics.len() > 1 {
        // An argument that may have any value is only required to exist.
        let mut before = topics.iter().take_while(|other| *other != topic.place());
        let uncertain = scope
            .uncertain_parts(topic.place())
            .filter(|needed| !before.any(|other| other.implies_existence_of(needed)));
        let demand = uncertain.map(|needed| scope.demand_presence(&needed));
        return PredicateSentences { demands: demand.into_iter().collect(), notes: Vec::new() };
    }
    let several = claims.len() > 1;
    let phrases = |atoms: &[&Predicate]| -> Vec<VerbPhrase> {
        let wording = atoms.iter().filter(|part| !(several && self::is_trivial(part)));
        wording.filter_map(|part| atom_phrase(part, scope)).collect()
    };
    let wording: Vec<VerbPhrase> = match claims {
        [alternatives] if alternatives.len() > 1 => phrases(alternatives),
        claims => claims.iter().flat_map(|atoms| phrases(atoms)).collect(),
    };
    let is_choice = claims.iter().any(|atoms| atoms.len() > 1);
    if is_choice && claims.len() > 1 {
        // A sentence cannot contain both `and` and `or`, so each choice gets its own.
        let each =
            claims.iter().map(|atoms| group_sentence(topic, std::slice::from_ref(atoms), topics, scope));
        return each.fold(PredicateSentences::default(), PredicateSentences::and);
    }
    let link = if is_choice { " or " } else { " and " };
    let sentence = operand_prose(topic, scope).text(" ").add_prose(&join_phrases(&wording, scope.mood, link));
    PredicateSentences::demand(sentence.add_prose(&required_places(topic, claims, topics, scope)))
}

/// Returns the places that must exist for a claim to hold: `; it must be set`.
fn required_places(
    topic: &Operand,
    claims: &[Vec<&Predicate>],
    topics: &[Place],
    scope: &SentenceScope,
) -> Prose {
    let modal = scope.mood.modal();
    let own = scope.uncertain_parts(topic.place()).map(|needed| {
        if needed.steps.len() == topic.place().steps.len() && !matches!(topic, Operand::Length(_)) {
            Prose::from(format!("; it {modal} be set"))
        } else {
            Prose::from(", and ").add_prose(&scope.demand_presence(&needed))
        }
    });
    let one_only = claims.iter().filter(|atoms| atoms.len() == 1).flatten();
    let compared = one_only.filter_map(|atom| match atom {
        Predicate::Compare { right, .. } => scope.uncertain_parts(right.place()),
        _ => None,
    });
    let settled = scope.settled();
    let others = compared
        .filter(|needed| !topics.iter().any(|topic| topic.implies_existence_of(needed)))
        .map(|needed| Prose::from(", and ").add_prose(&settled.demand_presence(&needed)));
    own.into_iter().chain(others).fold(Prose::default(), |prose, wording| prose.add_prose(&wording))
}

/// Splits alternatives into the conditions that they hang on and the rest.
fn split_conditions(parts: &[Predicate]) -> (Vec<&Predicate>, Vec<&Predicate>) {
    let (negated, rest): (Vec<_>, Vec<_>) = parts.iter().partition(|part| matches!(part, Predicate::Not(_)));
    let inner = negated.into_iter().filter_map(|part| match part {
        Predicate::Not(inner) => Some(&**inner),
        _ => None,
    });
    (inner.collect(), rest)
}

fn describe_any(whole: &Predicate, parts: &[Predicate], scope: &SentenceScope) -> PredicateSentences {
    if value_claim(whole).is_some() {
        return describe_all(std::slice::from_ref(whole), scope);
    }
    let (conditions, rest) = split_conditions(parts);
    if conditions.is_empty() {
        return PredicateSentences::demand(
            Prose::from("at least one of these must hold: ").add_prose(&describe_alternatives(parts, scope)),
        );
    }
    let condition = Predicate::all_of(conditions.iter().map(|condition| (*condition).clone()));
    if rest.is_empty() {
        let both = predicate_clause(&condition, &scope.settled());
        let start = format!("it {} not be that ", scope.mood.modal());
        return PredicateSentences::demand(Prose::from(start).add_prose(&both));
    }
    let rest = Predicate::any_of(rest.into_iter().cloned());
    let granted = conditions.iter().filter_map(|condition| match condition {
        Predicate::Present(place) | Predicate::Test { place, .. } => Some(place.clone()),
        _ => None,
    });
    let inner = scope.knowing(granted);
    if !scope.every {
        return describe_predicate(&rest, &inner).when(&predicate_clause(&condition, scope));
    }
    let plural = scope.element().map(ElementNoun::plural).unwrap_or_default();
    let without = |place: Place| {
        Prose::default().add_prose(&plural).text(" without ").code(path_of(&place)).text(" are not checked")
    };
    let notes = conditions.iter().filter_map(|condition| own_presence(condition)).map(without);
    notes.fold(describe_predicate(&rest, &inner), PredicateSentences::note)
}

fn describe_alternatives(parts: &[Predicate], scope: &SentenceScope) -> Prose {
    let clauses: Vec<Prose> = parts.iter().map(|part| predicate_clause(part, &scope.settled())).collect();
    Prose::join_with(&clauses, "; ", "; or ")
}

fn describe_negation(inner: &Predicate, scope: &SentenceScope) -> PredicateSentences {
    let must = scope.mood.modal();
    let may = if scope.mood == VerbMood::Should { "should" } else { "may" };
    PredicateSentences::demand(match inner {
        Predicate::Present(place) if scope.every => {
            let noun = scope.element().map(ElementNoun::singular).unwrap_or_default();
            Prose::from("no ")
                .add_prose(&noun)
                .text(&format!(" {may} have "))
                .code(path_of(&present_part(place)))
        }
        Predicate::Present(place) => scope.name(&present_part(place)).text(&format!(" {must} not be set")),
        Predicate::Some { list, holds } => {
            let noun = ElementNoun::of(list).singular();
            match own_presence(holds) {
                Some(place) => {
                    Prose::from("no ").add_prose(&noun).text(&format!(" {may} have ")).code(path_of(&place))
                }
                None if **holds == Predicate::True => {
                    Prose::from(format!("there {must} be no ")).add_prose(&noun)
                }
                None => Prose::from(format!("it {must} not be that "))
                    .add_prose(&clause_of_some(list, holds, scope)),
            }
        }
        inner => Prose::from(format!("it {must} not be that ")).add_prose(&predicate_clause(inner, scope)),
    })
}

fn clause_of_some(list: &Place, holds: &Predicate, scope: &SentenceScope) -> Prose {
    predicate_clause(&Predicate::some_element(list.clone(), holds.clone()), scope)
}

fn describe_each(list: &Place, holds: &Predicate, scope: &SentenceScope) -> PredicateSentences {
    if *holds == Predicate::False {
        let noun = ElementNoun::of(list).singular();
        return within_elements(
            scope,
            PredicateSentences::demand(
                Prose::from(format!("there {} be no ", scope.mood.modal())).add_prose(&noun),
            ),
        );
    }
    within_elements(scope, describe_predicate(holds, &scope.settled().enter(list, true)))
}

/// Said of every element around: `in every volume, …`.
fn within_elements(scope: &SentenceScope, mut wording: PredicateSentences) -> PredicateSentences {
    if let Some(noun) = scope.element().filter(|_| scope.every) {
        let start = Prose::from("in every ").add_prose(&noun.singular()).text(", ");
        for demand in &mut wording.demands {
            *demand = start.clone().add_prose(demand);
        }
    }
    wording
}

fn describe_some(list: &Place, holds: &Predicate, scope: &SentenceScope) -> PredicateSentences {
    let noun = ElementNoun::of(list).singular();
    let must = scope.mood.modal();
    let one = Prose::from("at least one ").add_prose(&noun);
    PredicateSentences::demand(match (holds, own_presence(holds)) {
        (Predicate::True, _) => Prose::from(format!("there {must} be ")).add_prose(&one),
        (_, Some(place)) => one.text(&format!(" {must} have ")).code(path_of(&place)),
        (Predicate::Some { list: deeper, holds }, None) => {
            let inner = describe_some(deeper, holds, &scope.enter(list, false)).in_one();
            Prose::from("in ").add_prose(&one).text(", ").add_prose(&inner)
        }
        _ => {
            let inner = predicate_clause(holds, &scope.enter(list, false));
            Prose::from("for ").add_prose(&one).text(" it must hold that ").add_prose(&inner)
        }
    })
}
