//! Artefacts of definitions: what targets make of rules in CEL, on values around the constants of the rules.

use kvrules::eval::Definitions;
use kvrules::{Emitter, Exactness, FileId, Request, SourceFile, TargetOutput, all_targets, compile_targets};
use serde_json::{Value as Json, json};

use super::engines::{Answer, engines_of};
use super::{Claim, refute};
use crate::decisions::place::{Place, State, write_definition};
use crate::decisions::schema::Shape;
use crate::{Random, Tally};

/// Most places of one definition.
const PLACES: i64 = 2;

/// Objects of one definition.
const OBJECTS: usize = 40;

/// A state of each place.
type States = Vec<State>;

/// Judges the artefacts of a generated definition.
pub(super) fn judge_definition(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let places: Vec<Place> = (0..random.between(1, PLACES)).map(|_| Place::generate(&mut random)).collect();
    let text = write_definition(&places).text;
    let Ok(definitions) =
        Definitions::read_definitions(&SourceFile::new(FileId(0), "crd.yaml", text.clone()))
    else {
        tally.unjudged("a definition is refused");
        return;
    };
    let versions = definitions.into_versions();
    let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
    // The definition itself is what the server of `decisions` is compared with.
    let is_judged = |it: &&Emitter| it.resources.is_some() && it.name != "crd";
    let targets: Vec<&Emitter> = all_targets().iter().copied().filter(is_judged).collect();
    let Ok(outputs) = compile_targets(&targets, &request) else {
        tally.unjudged("a target fails");
        return;
    };
    let objects = random_objects(&mut random, &places);
    for output in &outputs {
        for engine in engines_of(output) {
            let kind = format!("definition: {} by {}", output.target, engine.name);
            for (states, is_update) in &objects {
                let seen = |states: &States, random: &mut Random| {
                    let values = states.iter().zip(&places).enumerate().map(|(index, (state, place))| {
                        let value = place.shape.with_nulls(state.value.to_json(), random);
                        let value = if engine.sees_defaults {
                            value
                        } else {
                            drop_defaults(value, &place.shape, random)
                        };
                        (format!("p{index}"), value)
                    });
                    to_object(values.collect())
                };
                let object = seen(states, &mut random);
                let stored = is_update.then(|| {
                    let old = states.iter().zip(&places).enumerate().filter_map(|(index, (state, place))| {
                        let old = state.old.as_ref()?.to_json();
                        Some((format!("p{index}"), place.shape.with_nulls(old, &mut random)))
                    });
                    to_object(old.collect())
                });
                let Answer::Accepted(accepted) = (engine.answer)(&object, stored.as_ref()) else {
                    tally.unjudged(&format!("{kind}: no answer"));
                    continue;
                };
                let claims = claims_of(output, &places, states);
                let shown = refute(&claims, accepted).map(|reason| {
                    let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
                    let stored = stored.as_ref().map(|it| format!("\nstored {it}")).unwrap_or_default();
                    format!("{text}\nobject {object}{stored}\n{reason}\n{}", files.join("\n---\n"))
                });
                tally.judge(&kind, format!("seed {seed}, case {case}"), shown);
            }
        }
    }
}

/// States of all places together: creations, and updates of an object that the server has stored.
fn random_objects(random: &mut Random, places: &[Place]) -> Vec<(States, bool)> {
    let states: Vec<Vec<State>> =
        places.iter().map(|place| place.states(&place.rules.iter().collect::<Vec<_>>(), random)).collect();
    let mut objects = Vec::new();
    for index in 0..OBJECTS {
        let is_update = index % 2 == 1;
        let chosen: Option<States> = states
            .iter()
            .zip(places)
            .map(|(states, place)| {
                let value = random.choose(states).value.clone();
                if !is_update {
                    return Some(State { value, old: None });
                }
                let stored = (0..20).map(|_| random.choose(states).value.clone());
                let mut stored = stored.map(|value| State { value, old: None });
                let stored = stored.find(|stored| place.accepts(stored))?;
                Some(State { value, old: Some(stored.value) })
            })
            .collect();
        objects.extend(chosen.map(|states| (states, is_update)));
    }
    objects
}

fn to_object(spec: Vec<(String, Json)>) -> Json {
    let spec: serde_json::Map<String, Json> = spec.into_iter().collect();
    json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "pond"}, "spec": spec})
}

/// Leaves out some fields that a server fills in with the same value.
fn drop_defaults(mut value: Json, shape: &Shape, random: &mut Random) -> Json {
    if let (Json::Object(map), Shape::Object { fields }) = (&mut value, shape) {
        for field in fields {
            if field.default.is_some() && map.get(field.name) == field.default.as_ref() && random.chance(1, 2)
            {
                map.remove(field.name);
            } else if let Some(inner) = map.get_mut(field.name) {
                *inner = drop_defaults(inner.take(), &field.shape, random);
            }
        }
    }
    value
}

/// The claim of a target about each rule, and whether the rule passes.
fn claims_of(output: &TargetOutput, places: &[Place], states: &States) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (index, (place, state)) in places.iter().zip(states).enumerate() {
        for (at, rule) in place.rules.iter().enumerate() {
            let name = format!("spec.p{index}.x-kubernetes-validations[{at}]");
            let found = output.resources.fidelity.iter().find(|claim| claim.rule == name);
            let exactness = found.map_or(Exactness::Unsupported, |claim| claim.fidelity.exactness());
            claims.push(Claim { rule: rule.text.clone(), holds: rule.outcome(state).passes(), exactness });
        }
    }
    claims
}
