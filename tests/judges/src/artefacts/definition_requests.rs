//! Requests for policies of definitions with subresources: rules in CEL about `spec.p0` and `status.p1`, some of which requests for the
//! status or for the scale change.

use kvrules::eval::Definitions;
use kvrules::{
    Exactness, FileId, Request as CompileRequest, SourceFile, TargetOutput, compile_targets, find_emitter,
};
use kvrules_apiserver::policy::Request;
use serde_json::{Value as Json, json};

use super::engines::{Answer, PolicyEngine};
use super::requests::StoringRequest;
use super::{Claim, refute};
use crate::decisions::place::{Place, State, write_definition};
use crate::decisions::schema::Shape;
use crate::decisions::value::Val;
use crate::words::{insert_at, read_path, values_at};
use crate::{Random, Tally};

/// Requests of each kind for one definition.
const ROUNDS: usize = 12;

/// Counts that a scale may have.
const COUNTS: [i64; 5] = [0, 1, 2, 3, 5];

/// The paths of the two places in objects.
const PATHS: [&str; 2] = ["spec.p0", "status.p1"];

/// A definition with subresources.
struct Definition {
    places: Vec<Place>,
    has_status: bool,
    /// The path of the replicas.
    scaled: Option<String>,
    text: String,
}

/// The value of each place; `None` if the object has none.
type Values = Vec<Option<Val>>;

/// Judges the policy of a generated definition with subresources.
pub(super) fn judge_definition_requests(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let Some(definition) = Definition::generate(&mut random) else { return };
    let Some(output) = definition.compile() else {
        tally.unjudged("a definition with subresources is refused");
        return;
    };
    let Some(engine) = PolicyEngine::of_output(&output) else { return };
    let domains: Vec<Vec<State>> = definition
        .places
        .iter()
        .map(|place| place.states(&place.rules.iter().collect::<Vec<_>>(), &mut random))
        .collect();
    for _ in 0..ROUNDS {
        let sent = random_values(&mut random, &domains);
        let stored = (0..20).map(|_| random_values(&mut random, &domains));
        let stored = stored.into_iter().find(|stored| definition.accepts(stored));
        for asked in definition.requests(&mut random, &sent, stored.as_ref()) {
            let kind = format!("policy of a definition: {}", asked.name());
            let Answer::Accepted(accepted) = engine.answer(&asked.request) else {
                tally.unjudged(&format!("{kind}: no answer"));
                continue;
            };
            let refutation = definition.refute(&output, &asked, accepted).map(|reason| {
                let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
                format!("{}\n{}\n{reason}\n{}", definition.text, asked.describe(), files.join("\n---\n"))
            });
            tally.judge(&kind, format!("seed {seed}, case {case}"), refutation);
        }
    }
}

fn random_values(random: &mut Random, domains: &[Vec<State>]) -> Values {
    let choose = |states: &Vec<State>| {
        let is_there = !states.is_empty() && random.chance(4, 5);
        is_there.then(|| random.choose(states).value.clone())
    };
    domains.iter().map(choose).collect()
}

impl Definition {
    /// `None` if the generated text is not JSON.
    fn generate(random: &mut Random) -> Option<Self> {
        let places: Vec<Place> = PATHS.iter().map(|_| Place::generate(random)).collect();
        let has_status = random.chance(2, 3);
        let mut counts = Vec::new();
        collect_counts(&places[0].shape, PATHS[0], &mut counts);
        let scaled = (!counts.is_empty() && random.chance(2, 3)).then(|| random.choose(&counts).clone());
        let mut document: Json = serde_json::from_str(&write_definition(&places).text).ok()?;
        let version = &mut document["spec"]["versions"][0];
        let properties = &mut version["schema"]["openAPIV3Schema"]["properties"];
        let moved = properties["spec"]["properties"].as_object_mut()?.remove("p1")?;
        properties["status"] = json!({"type": "object", "properties": {"p1": moved}});
        version["subresources"] = json!({});
        if has_status {
            version["subresources"]["status"] = json!({});
        }
        if let Some(path) = &scaled {
            version["subresources"]["scale"] =
                json!({"specReplicasPath": format!(".{path}"), "statusReplicasPath": ".status.replicas"});
        }
        Some(Self { places, has_status, scaled, text: document.to_string() })
    }

    fn compile(&self) -> Option<TargetOutput> {
        let source = SourceFile::new(FileId(0), "crd.json", &*self.text);
        let versions = Definitions::read_definitions(&source).ok()?.into_versions();
        let request = CompileRequest { resources: &versions, ..CompileRequest::for_virtual_machines(&[]) };
        compile_targets(&[find_emitter("admission-policy")?], &request).ok()?.into_iter().next()
    }

    fn accepts(&self, values: &Values) -> bool {
        let pairs = self.places.iter().zip(values);
        pairs.into_iter().all(|(place, value)| {
            value.iter().all(|it| place.accepts(&State { value: it.clone(), old: None }))
        })
    }

    /// One request of each operation and subresource.
    fn requests(&self, random: &mut Random, sent: &Values, stored: Option<&Values>) -> Vec<StoringRequest> {
        let has_spec = random.chance(9, 10);
        let seed = random.next_number();
        let object = |values: &Values| self.to_object(values, has_spec, &mut Random::new(seed));
        let status_of = |stored: Option<&Values>| {
            if self.has_status { stored.and_then(|stored| stored[1].clone()) } else { sent[1].clone() }
        };
        let created = object(&vec![sent[0].clone(), status_of(None)]);
        let mut requests = vec![StoringRequest {
            request: Request::for_creation("example.com", "ponds", created.clone()),
            after: Some(created),
            before: None,
        }];
        let Some(stored) = stored else { return requests };
        let before = object(stored);
        let mut update = |subresource: &str, after: Json, shown: Option<(Json, Json)>| {
            let (new, old) = shown.unwrap_or_else(|| (after.clone(), before.clone()));
            let request = Request::for_update("example.com", "ponds", new, old);
            let request =
                Request { subresource: subresource.to_owned(), version: "v1".to_owned(), ..request };
            requests.push(StoringRequest { request, after: Some(after), before: Some(before.clone()) });
        };
        update("", object(&vec![sent[0].clone(), status_of(Some(stored))]), None);
        if self.has_status {
            update("status", object(&vec![stored[0].clone(), sent[1].clone()]), None);
        }
        if let Some((count, after)) = self.scaled_object(random, &before) {
            let scale = |count: i64| json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": count}});
            update("scale", after, Some((scale(count), scale(0))));
        }
        requests.push(StoringRequest {
            request: Request::for_deletion("example.com", "ponds", before.clone()),
            after: None,
            before: Some(before.clone()),
        });
        requests
    }

    /// The object with the values of the places; without `spec` only if that has no value.
    fn to_object(&self, values: &Values, has_spec: bool, random: &mut Random) -> Json {
        let mut object =
            json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "pond"}});
        if has_spec {
            object["spec"] = json!({});
        }
        for ((value, path), place) in values.iter().zip(PATHS).zip(&self.places) {
            if let Some(value) = value {
                let value = place.shape.with_nulls(value.to_json(), random);
                insert_at(&mut object, &read_path(path).unwrap_or_default(), value);
            }
        }
        object
    }

    /// The object with another count; `None` if the schema does not admit it.
    fn scaled_object(&self, random: &mut Random, before: &Json) -> Option<(i64, Json)> {
        let path = read_path(self.scaled.as_ref()?)?;
        let count = *random.choose(&COUNTS);
        let mut after = before.clone();
        insert_at(&mut after, &path, count.into());
        let place = value_of(&after, PATHS[0])?;
        let shape = &self.places[0].shape;
        shape.read(place)?;
        shape.has_required_fields(place).then_some((count, after))
    }

    fn refute(&self, output: &TargetOutput, asked: &StoringRequest, accepted: bool) -> Option<String> {
        let Some(after) = &asked.after else {
            return (!accepted).then(|| "rejected, and no object is stored".to_owned());
        };
        let mut claims = Vec::new();
        for (place, path) in self.places.iter().zip(PATHS) {
            let read = |object: &Json| value_of(object, path).and_then(|value| place.shape.read(value));
            let state = read(after).map(|value| State { value, old: asked.before.as_ref().and_then(read) });
            for (index, rule) in place.rules.iter().enumerate() {
                let name = format!("{path}.x-kubernetes-validations[{index}]");
                let found = output.resources.fidelity.iter().find(|claim| claim.rule == name);
                let exactness = found.map_or(Exactness::Unsupported, |claim| claim.fidelity.exactness());
                let holds = state.as_ref().is_none_or(|state| rule.outcome(state).passes());
                claims.push(Claim { rule: format!("{path}: {}", rule.text), holds, exactness });
            }
        }
        refute(&claims, accepted)
    }
}

fn value_of<'o>(object: &'o Json, path: &str) -> Option<&'o Json> {
    values_at(object, &read_path(path)?).first().copied()
}

/// The paths of integers that are there once in a value.
fn collect_counts(shape: &Shape, path: &str, found: &mut Vec<String>) {
    match shape {
        Shape::Int { .. } => found.push(path.to_owned()),
        Shape::Object { fields } => {
            fields
                .iter()
                .for_each(|field| collect_counts(&field.shape, &format!("{path}.{}", field.name), found));
        }
        _ => {}
    }
}
