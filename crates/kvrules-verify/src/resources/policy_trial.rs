//! Requests about the objects of a version, answered by its rules and by a policy.

use kvrules_apiserver::definition::{PolicyParameters, ResourceVersion, WrittenSubresource};
use kvrules_apiserver::object::ObjectSchema;
use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use kvrules_apiserver::server::ServerFeatures;
use kvrules_generate::{PlaceStep, field_steps, without_rules};
use kvrules_rule_set::{copy_field, nest_value, write_subresource};
use serde_json::{Value, json};

use super::requester::Requester;
use super::trial::{add_head, name_of_objects};

/// A request that rules and policy answer differently.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PolicyDeparture {
    /// The object, and for an update the stored one as `oldObject`.
    pub(super) request: Value,
    /// True if the policy accepts it and the rules reject it.
    pub(super) is_wider: bool,
}

/// A version with a policy, and what requests have shown.
pub(super) struct PolicyTrial {
    version: ResourceVersion,
    name: Value,
    /// The server without rules: a policy is asked only about objects that the schema accepts.
    bare: ObjectSchema,
    server: ObjectSchema,
    /// The server that evaluates the policies.
    features: ServerFeatures,
    policies: Vec<Policy>,
    bindings: Vec<Binding>,
    /// The users whose requests are tried.
    requesters: Vec<Requester>,
    /// The parameters that policies read, by their names.
    params: Vec<(String, Value)>,
    /// Objects that the rules accept, and that they reject, for requests that turn one into another.
    accepted: Vec<Value>,
    rejected: Vec<Value>,
    pub(super) evaluated: usize,
    pub(super) wider: Option<PolicyDeparture>,
    pub(super) narrower: Option<PolicyDeparture>,
    /// Part of an expression that the policy engine could not evaluate.
    pub(super) unsupported: Option<String>,
}

impl PolicyTrial {
    pub(super) fn new(version: &ResourceVersion, policies: Vec<Policy>, bindings: Vec<Binding>) -> Self {
        let schema = |schema: &Value| ObjectSchema::new(schema).without_metadata_checks();
        let bare = without_rules(&version.schema);
        Self {
            name: name_of_objects(&bare),
            bare: schema(&bare),
            server: schema(&version.schema),
            features: ServerFeatures::default(),
            version: version.clone(),
            requesters: Requester::of_version(version),
            params: params_of(version),
            policies,
            bindings,
            accepted: Vec::new(),
            rejected: Vec::new(),
            evaluated: 0,
            wider: None,
            narrower: None,
            unsupported: None,
        }
    }

    /// On another server.
    pub(super) fn on_server(self, features: ServerFeatures) -> Self {
        let rules = if self.version.excuses_unchanged() { features } else { features.without_excuses() };
        let (bare, server) = (self.bare.on_server(features), self.server.on_server(rules));
        Self { bare, server, features, ..self }
    }

    /// The object as the server reads it, if its schema accepts it.
    pub(super) fn stored_form(&self, object: &Value) -> Option<Value> {
        let object = self.with_head(object);
        let admission = self.bare.admit_object(&object, None);
        admission.is_accepted().then_some(admission.stored)
    }

    /// The object with its kind and a name; rules may be about the name.
    fn with_head(&self, object: &Value) -> Value {
        let own = object
            .pointer("/metadata/name")
            .filter(|name| name.as_str().is_some_and(|name| !name.is_empty()));
        let name = own.unwrap_or(&self.name).clone();
        let mut object = object.clone();
        add_head(&mut object, &self.version, &name);
        object
    }

    /// Compares the answers to a creation, or to an update of a stored object.
    pub(super) fn evaluate_object(&mut self, object: &Value, stored: Option<&Value>) {
        let object = self.with_head(object);
        let admission = self.bare.admit_object(&object, stored);
        // A number such as 1.0 ends a rule in an error that a policy does not have (`is_number_form`).
        let is_read_alike =
            [Some(&admission.stored), stored].into_iter().flatten().all(|it| !has_integral_double(it));
        if !admission.is_accepted() || !is_read_alike {
            return;
        }
        let is_accepted = self.server.admit_object(&object, stored).is_accepted();
        let operation = if stored.is_some() { "UPDATE" } else { "CREATE" };
        for index in 0..self.requesters.len() {
            let Some(requester) = self.requesters.get(index).cloned() else { continue };
            let is_selected = requester.is_selected(&self.version, operation);
            match self.answer(admission.stored.clone(), stored, &requester) {
                Err(cause) => self.unsupported = Some(cause),
                Ok((is_admitted, request)) => {
                    self.evaluated += 1;
                    if (is_accepted || !is_selected) != is_admitted {
                        self.note(request, is_admitted);
                    }
                }
            }
        }
    }

    /// Compares the answers to requests for subresources that turn objects which the rules accept into others with the written fields of
    /// this one, or of earlier ones.
    pub(super) fn evaluate_subresources(&mut self, object: &Value) {
        let Some(stored) = self.stored_form(object) else { return };
        let subresources: Vec<_> = self.version.written_subresources().cloned().collect();
        if subresources.is_empty() {
            return;
        }
        let is_accepted = self.server.admit_object(&stored, None).is_accepted();
        for written in &subresources {
            if is_accepted {
                let others = self.rejected.iter().chain([&stored]);
                let changes: Vec<Value> =
                    others.flat_map(|other| changed_objects(&stored, other, written)).collect();
                for changed in &changes {
                    self.evaluate_written(written, changed, &stored);
                }
            }
            for before in self.accepted.clone() {
                let changes = changed_objects(&before, &stored, written);
                for changed in &changes {
                    self.evaluate_written(written, changed, &before);
                }
            }
        }
        let kept = if is_accepted { &mut self.accepted } else { &mut self.rejected };
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(stored);
    }

    /// Compares the answers to a request for a subresource.
    fn evaluate_written(&mut self, written: &WrittenSubresource, changed: &Value, stored: &Value) {
        if changed == stored || !self.bare.admit_object(changed, Some(stored)).is_accepted() {
            return;
        }
        let is_accepted = self.server.admit_object(changed, Some(stored)).is_accepted();
        let shown = if written.shows_object { changed.clone() } else { part_of(changed) };
        let (group, plural) = (&self.version.group, &self.version.plural);
        let request = Request::for_update(group, plural, shown, stored.clone());
        let request = Request { subresource: written.name.clone(), ..request };
        for requester in self.requesters.clone() {
            let is_selected = requester.is_selected(&self.version, "UPDATE");
            match self.admits(request.clone(), &requester) {
                Err(cause) => self.unsupported = Some(cause),
                Ok(is_admitted) => {
                    self.evaluated += 1;
                    if (is_accepted || !is_selected) != is_admitted {
                        let subresource = &written.name;
                        let shown =
                            json!({"subresource": subresource, "object": changed, "oldObject": stored});
                        self.note(shown, is_admitted);
                    }
                }
            }
        }
    }

    fn note(&mut self, request: Value, is_wider: bool) {
        let side = if is_wider { &mut self.wider } else { &mut self.narrower };
        let is_smaller =
            |known: &PolicyDeparture| request.to_string().len() < known.request.to_string().len();
        if side.as_ref().is_none_or(is_smaller) {
            *side = Some(PolicyDeparture { request, is_wider });
        }
    }

    /// True if the policy admits the request, and the request.
    fn answer(
        &self,
        object: Value,
        stored: Option<&Value>,
        requester: &Requester,
    ) -> Result<(bool, Value), String> {
        let shown = match stored {
            Some(stored) => json!({"object": object, "oldObject": stored}),
            None => object.clone(),
        };
        let (group, plural) = (&self.version.group, &self.version.plural);
        let request = match stored {
            Some(stored) => Request::for_update(group, plural, object, stored.clone()),
            None => Request::for_creation(group, plural, object),
        };
        Ok((self.admits(request, requester)?, shown))
    }

    /// True if the policy admits the request of a user.
    fn admits(&self, request: Request, requester: &Requester) -> Result<bool, String> {
        let extra = requester.to_extra();
        let params = self.params.clone();
        let request = Request { server: self.features, extra, params, ..request };
        let answer = admit_request(&self.policies, &self.bindings, &request);
        let answer = answer.map_err(|what| format!("{what} is not evaluated"))?;
        Ok(answer.denial.is_none())
    }
}

/// Number of objects of each kind that later ones are combined with.
const KEPT: usize = 3;

/// The objects that requests for a subresource make of a stored one: with the written fields of another, and with other numbers.
fn changed_objects(stored: &Value, other: &Value, written: &WrittenSubresource) -> Vec<Value> {
    let mut changed = vec![write_subresource(written, stored, other)];
    if written.shows_object || stored != other {
        return changed;
    }
    for steps in written.fields.iter().map(|field| field_steps(field)) {
        let pointer = steps.iter().fold(String::new(), |to, step| to + "/" + step_name(step));
        let number = stored.pointer(&pointer).and_then(Value::as_i64).unwrap_or_default();
        for value in [number.saturating_add(1), 0, 1, 100_000] {
            let mut object = stored.clone();
            copy_field(&mut object, &nest_value(&steps, value.into()), &steps);
            changed.push(object);
        }
    }
    changed
}

fn step_name(step: &PlaceStep) -> &str {
    match step {
        PlaceStep::Field(name) => name,
        PlaceStep::Any => "-",
    }
}

/// The object that admission sees of a request for a subresource of another kind, such as a scale.
fn part_of(object: &Value) -> Value {
    let replicas = object.pointer("/spec/replicas").cloned();
    let mut part = json!({"metadata": {"name": object.pointer("/metadata/name")}, "spec": {}});
    if let (Some(replicas), Some(spec)) = (replicas, part.get_mut("spec").and_then(Value::as_object_mut)) {
        spec.insert("replicas".to_owned(), replicas);
    }
    part
}

/// The object with the parameters of the rules, as its values are at compile time.
fn params_of(version: &ResourceVersion) -> Vec<(String, Value)> {
    let parameters = version.parameters();
    let named = |parameters: &PolicyParameters| {
        let name = parameters.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        (name.to_owned(), parameters.object.clone())
    };
    parameters.map(named).into_iter().collect()
}

/// True if a value has a number such as 1.0.
fn has_integral_double(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_integral_double),
        Value::Object(fields) => fields.values().any(has_integral_double),
        Value::Number(number) => {
            !number.is_i64() && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}
