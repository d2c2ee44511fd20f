//! Values on pages of definitions: held to all rules of their place by the evaluator of the judge of decisions.

use serde_json::Value as Json;

use crate::decisions::evaluate::Outcome;
use crate::decisions::place::{Place, Rule, State, write_definition};
use crate::pages::rules_of_definitions;
use crate::{Random, Tally};

/// Places of one definition.
const PLACES: usize = 8;

/// Kinds of claim, with the fact that makes it.
const KINDS: [(&str, &str); 2] =
    [("passes", "value of a definition that passes"), ("fails", "value of a definition that fails")];

/// Judges the values on the page of a generated definition.
pub(super) fn judge_page(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let places: Vec<Place> = (0..PLACES).map(|_| Place::generate(&mut random)).collect();
    let Some(rules) = rules_of_definitions(&write_definition(&places).text) else {
        tally.unjudged("a definition has no page");
        return;
    };
    for (index, place) in places.iter().enumerate() {
        for rule in &place.rules {
            // Equal texts at other places are about other fields.
            let mut written = rules.iter().filter(|it| it.expression() == Some(&*rule.text));
            let (Some(page), None) = (written.next(), written.next()) else { continue };
            for (fact, kind) in KINDS {
                let Some(sample) = page.sample(fact) else {
                    tally.missed(kind);
                    continue;
                };
                let name = format!("p{index}");
                let refutation = match read_state(place, &name, &sample) {
                    Some(state) => refute(place, rule, &state, fact == "passes"),
                    None => Some("the schema does not admit it".to_owned()),
                };
                let details = refutation.map(|reason| {
                    format!("{}\nrule {}\n{fact} {sample:?}\n{reason}", place.describe(), rule.text)
                });
                tally.judge(kind, format!("seed {seed}, case {case}"), details);
            }
        }
    }
}

/// The printed value of a field, and the stored one that it replaces.
fn read_state(place: &Place, name: &str, (value, old): &(String, Option<String>)) -> Option<State> {
    let read = |text: &str| {
        let object: Json = serde_yaml::from_str(text).ok()?;
        place.shape.read(object.get(name)?)
    };
    let old = match old {
        Some(old) => Some(read(old)?),
        None => None,
    };
    Some(State { value: read(value)?, old })
}

/// The reason why a value is not what the page says.
fn refute(place: &Place, rule: &Rule, state: &State, is_pass: bool) -> Option<String> {
    let stored = state.old.as_ref().map(|old| State { value: old.clone(), old: None });
    if stored.is_some_and(|stored| !place.accepts(&stored)) {
        return Some("the stored value cannot have been stored".to_owned());
    }
    if is_pass {
        return (!place.accepts(state)).then(|| "a rule rejects it".to_owned());
    }
    let outcome = rule.outcome(state);
    (outcome != Outcome::False).then(|| format!("the rule is {outcome:?}"))
}
