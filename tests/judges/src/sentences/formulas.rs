//! Sentences about rules in CEL on pages of definitions and policies: read back, and compared with the rule for every state of a small domain.

use kvrules::docs::fact::{FactValue, Piece};

use super::formula_reader::{read_sentence, split_pieces};
use crate::decisions::evaluate::Outcome;
use crate::decisions::place::{Place, State, write_definition};
use crate::decisions::value::Val;
use crate::pages::rules_of_definitions;
use crate::samples::policies::DocumentedPolicy;
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 8;

/// The kind of claim.
pub(super) const KIND: &str = "sentence of a rule in CEL";

/// Judges the sentences on the page of a generated definition.
pub(super) fn judge_page(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(&mut random)).collect();
    let Some(rules) = rules_of_definitions(&write_definition(&places).text) else {
        tally.unjudged("a definition has no page");
        return;
    };
    for place in &places {
        let states = place.states(&place.rules.iter().collect::<Vec<_>>(), &mut random);
        for rule in &place.rules {
            // Equal texts at other places are about other fields.
            let mut written = rules.iter().filter(|it| it.expression() == Some(&*rule.text));
            let (Some(page), None) = (written.next(), written.next()) else { continue };
            let Some(FactValue::Line(sentence)) = page.fact("accepted").map(|fact| &fact.value) else {
                tally.unjudged("a rule in CEL has no sentence");
                continue;
            };
            let Some(said) = read_sentence(sentence) else {
                tally.missed(KIND);
                tally.unjudged(&format!("a sentence is not understood: {} ({})", show(sentence), rule.text));
                continue;
            };
            let wrong = states.iter().find(|state| {
                let outcome = rule.outcome(state);
                outcome != Outcome::Skipped && (outcome == Outcome::True) != said.holds(&variables(state))
            });
            let refutation = wrong
                .map(|state| format!("{}\nsays {}\nvalue {}", rule.text, show(sentence), state.describe()));
            tally.judge(KIND, format!("seed {seed}, case {case}"), refutation);
        }
    }
}

/// Policies of one case.
const POLICIES: usize = 8;

/// The kind of claim about a validation.
pub(super) const POLICY_KIND: &str = "sentence of a validation";

/// Judges the sentences on the pages of generated policies.
pub(super) fn judge_policies(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    for _ in 0..POLICIES {
        match DocumentedPolicy::generate(&mut random) {
            Some(documented) => {
                judge_policy(&documented, &mut random, &format!("seed {seed}, case {case}"), tally)
            }
            None => tally.unjudged("a policy has no page"),
        }
    }
}

fn judge_policy(documented: &DocumentedPolicy, random: &mut Random, origin: &str, tally: &mut Tally) {
    let objects = documented.shape.values(&documented.policy.constants(), random);
    for (index, text, page) in documented.validations() {
        let Some(FactValue::Line(sentence)) = page.fact("accepted").map(|fact| &fact.value) else {
            tally.unjudged("a validation has no sentence");
            continue;
        };
        let Some(said) = read_sentence(sentence) else {
            tally.missed(POLICY_KIND);
            tally.unjudged(&format!("a sentence is not understood: {} ({text})", show(sentence)));
            continue;
        };
        // An error is no value; the page has another line about what happens then.
        let wrong = objects.iter().find(|object| {
            let is_true = documented.policy.outcome(index, object) == Outcome::True;
            is_true != said.holds(&request_variables(object))
        });
        let refutation =
            wrong.map(|object| format!("{text}\nsays {}\nobject {}", show(sentence), object.to_json()));
        tally.judge(POLICY_KIND, origin, refutation);
    }
}

/// The reader takes a name for a field of `self`.
fn request_variables(object: &Val) -> Vec<(String, Val)> {
    vec![("self".to_owned(), Val::Map([("object".into(), object.clone())].into()))]
}

fn variables(state: &State) -> Vec<(String, Val)> {
    let mut variables = vec![("self".to_owned(), state.value.clone())];
    variables.extend(state.old.iter().map(|old| ("oldSelf".to_owned(), old.clone())));
    variables
}

fn show(sentence: &[Piece]) -> String {
    let show = |piece: &Piece| match piece {
        Piece::Code(code) => format!("`{code}`"),
        other => split_pieces(std::slice::from_ref(other)).map_or_else(String::new, |it| format!("{it:?}")),
    };
    let plain = |piece: &Piece| match piece {
        Piece::Words(words) => words.as_str().to_owned(),
        Piece::Text(text) => text.plain.clone(),
        other => show(other),
    };
    sentence.iter().map(plain).collect()
}
