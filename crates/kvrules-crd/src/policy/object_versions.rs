//! Policies as rules about the objects that they match, in the schemas of these objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_apiserver::definition::{
    AuthoredObjects, AuthoredRules, ExpressionErrors, PolicyOrigin, RequestSelection, ResourceVersion,
};
use kvrules_apiserver::policy::{Binding, FailurePolicy, Policy, ValidationAction};
use kvrules_generate::without_rules;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_kubernetes::types::drop_requirements;
use kvrules_lift::{PolicySubject, object_rules};
use serde_json::{Value, json};

use super::kinds::{PolicyKinds, subjects_of_kinds};
use crate::resource::ResourceKind;
use crate::resource_text::ResourceText;
use crate::run_resources::RunResources;

/// The name under which a policy matches objects of kinds that are not known.
const OTHER_KINDS: &str = "spec.matchConstraints";

/// Returns a version for each kind of objects that the policies among resources match by its name, if its schema is known: a kind
/// that Kubernetes itself serves, or one of the definitions of the run. The rules of its schema are the validations of the policy.
/// Bindings among the resources say what happens to objects that violate them; without one, they are rejected.
///
/// ```
/// use kvrules_crd::{ResourceKind, ResourceText, RunResources, policy_versions};
/// use kvrules_diagnostics::FileId;
///
/// let text = "{kind: ValidatingAdmissionPolicy, metadata: {name: few}, spec: {matchConstraints: {resourceRules: [
///     {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]},
///     validations: [{expression: object.spec.replicas < 5}]}}";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let node = stream.documents[0].root().unwrap();
/// let value = kvrules_syntax::value::ValueReader::for_kubernetes().read_value(node).unwrap();
/// let policy = ResourceText::new(ResourceKind::Policy, node, value.into());
/// let versions = policy_versions(&[policy], &RunResources::default());
/// assert_eq!(versions[0].kind, "Deployment");
/// assert_eq!(versions[0].schema["x-kubernetes-validations"][0]["rule"], "self.spec.replicas < 5");
/// ```
pub fn policy_versions(resources: &[ResourceText], run: &RunResources) -> Vec<ResourceVersion> {
    let of_kind = |kind| resources.iter().filter(move |resource| resource.kind == kind);
    let bindings: Vec<Binding> =
        of_kind(ResourceKind::Binding).map(|binding| Binding::from_json(&binding.value)).collect();
    let versions = |policy: &ResourceText| PolicyReader::new(&policy.value, &bindings, run).versions();
    of_kind(ResourceKind::Policy).flat_map(versions).collect()
}

/// A policy that is restated for the kinds that it matches.
struct PolicyReader<'a> {
    document: &'a Value,
    policy: Policy,
    kinds: Vec<MatchedKind>,
    has_others: bool,
    severity: &'static str,
}

/// The validations of a policy as rules.
struct RestatedPolicy {
    /// Entries of `x-kubernetes-validations`.
    rules: Vec<Value>,
    /// The names by the places of the rules.
    names: BTreeMap<String, String>,
    origin: PolicyOrigin,
}

/// A kind of objects that a policy matches.
struct MatchedKind {
    subject: PolicySubject,
    /// True if Kubernetes itself serves it.
    is_built_in: bool,
    is_namespaced: bool,
}

impl<'a> PolicyReader<'a> {
    fn new(document: &'a Value, bindings: &[Binding], run: &RunResources) -> Self {
        let policy = Policy::from_json(document);
        let kinds = PolicyKinds::find_kinds(document, run);
        let matched = subjects_of_kinds(document, &kinds).into_iter().map(|(subject, kind)| MatchedKind {
            subject,
            is_built_in: kind.is_built_in(),
            is_namespaced: kind.is_namespaced(),
        });
        let severity = severity_of(bindings.iter().filter(|binding| binding.policy == policy.name));
        Self { document, kinds: matched.collect(), policy, has_others: kinds.has_others, severity }
    }

    fn versions(&self) -> Vec<ResourceVersion> {
        self.kinds.iter().map(|kind| self.version_for(kind)).collect()
    }

    fn version_for(&self, kind: &MatchedKind) -> ResourceVersion {
        let MatchedKind { subject, is_built_in, is_namespaced } = kind;
        let mut schema = with_head(without_rules(&subject.object));
        if *is_built_in {
            drop_requirements(&mut schema);
        }
        require_head(&mut schema);
        let restated = self.restate(kind);
        if let Some(keywords) = schema.as_object_mut() {
            keywords.insert(VALIDATIONS.to_owned(), restated.rules.into());
        }
        let authored = AuthoredRules {
            name: self.file_name(subject),
            objects: AuthoredObjects::OfVersion,
            severity: self.severity,
            selection: selection_of(self.document),
            parameters: None,
            lacks_value: false,
            definition: None,
            places: restated.names.keys().cloned().collect(),
            rule_names: restated.names,
            policy: Some(restated.origin),
        };
        ResourceVersion {
            definition: subject.resource_name(),
            group: subject.group.clone(),
            version: subject.version.clone(),
            plural: subject.resource.clone(),
            kind: subject.kind.clone(),
            is_namespaced: *is_namespaced,
            is_served: true,
            subresources: Vec::new(),
            schema: schema.into(),
            document: Arc::default(),
            authored: Some(authored),
        }
    }

    /// The validations as rules about the objects of a kind.
    fn restate(&self, kind: &MatchedKind) -> RestatedPolicy {
        let MatchedKind { subject, is_built_in, .. } = kind;
        let (mut rules, mut names) = (Vec::new(), BTreeMap::new());
        let mut origin = PolicyOrigin {
            document: self.document.clone(),
            validations: BTreeMap::new(),
            inexpressible: BTreeMap::new(),
            errors: self.errors(*is_built_in),
        };
        let only_updates = (!subject.matched_operations(self.document).contains(&"CREATE"))
            .then(|| "the policy does not evaluate the creation of objects".to_owned());
        for rule in object_rules(&self.policy, &subject.object) {
            let name = format!("spec.validations[{}]", rule.validation);
            match only_updates.clone().map_or(rule.rule, Err) {
                Ok(text) => {
                    let place = format!("{VALIDATIONS}[{}]", rules.len());
                    origin.validations.insert(place.clone(), rule.validation);
                    names.insert(place, name);
                    rules.push(self.entry(&text, rule.validation));
                }
                Err(cause) => {
                    origin.inexpressible.insert(name.clone(), cause);
                    names.insert(name.clone(), name);
                }
            }
        }
        if self.has_others {
            let cause = "the policy also matches objects of kinds that are not known".to_owned();
            origin.inexpressible.insert(OTHER_KINDS.to_owned(), cause);
            names.insert(OTHER_KINDS.to_owned(), OTHER_KINDS.to_owned());
        }
        RestatedPolicy { rules, names, origin }
    }

    fn entry(&self, rule: &str, validation: usize) -> Value {
        let message = self.policy.validations.get(validation).map_or("", |it| it.message.as_str());
        if message.is_empty() { json!({"rule": rule}) } else { json!({"rule": rule, "message": message}) }
    }

    fn errors(&self, is_built_in: bool) -> ExpressionErrors {
        match (self.policy.failure_policy, is_built_in) {
            (FailurePolicy::Ignore, _) => ExpressionErrors::Accept,
            (FailurePolicy::Fail, true) => ExpressionErrors::Unknown,
            (FailurePolicy::Fail, false) => ExpressionErrors::Reject,
        }
    }

    /// The name of the policy, with the resource if it matches several.
    fn file_name(&self, subject: &PolicySubject) -> String {
        if self.kinds.len() == 1 {
            return self.policy.name.clone();
        }
        format!("{}_{}_{}", self.policy.name, subject.resource_name(), subject.version)
    }
}

/// The schema with the fields that rules of definitions see in every object.
fn with_head(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    let properties = keywords.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return schema };
    for name in ["apiVersion", "kind"] {
        properties.entry(name).or_insert_with(|| json!({"type": "string"}));
    }
    let metadata = properties.entry("metadata").or_insert_with(|| json!({"type": "object"}));
    let Some(metadata) = metadata.as_object_mut() else { return schema };
    let fields = metadata.entry("properties").or_insert_with(|| json!({}));
    for name in ["name", "generateName"] {
        if let Some(fields) = fields.as_object_mut() {
            fields.entry(name).or_insert_with(|| json!({"type": "string"}));
        }
    }
    schema
}

/// Requires what every object has.
fn require_head(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    let required = keywords.entry("required").or_insert_with(|| json!([]));
    for name in ["apiVersion", "kind", "metadata"].map(Value::from) {
        if let Some(required) = required.as_array_mut().filter(|required| !required.contains(&name)) {
            required.push(name);
        }
    }
}

/// The consequence for objects that violate a policy with these bindings.
fn severity_of<'b>(bindings: impl Iterator<Item = &'b Binding>) -> &'static str {
    let actions: Vec<ValidationAction> =
        bindings.flat_map(|binding| binding.actions.iter().copied()).collect();
    match () {
        () if actions.is_empty() || actions.contains(&ValidationAction::Deny) => "error",
        () if actions.contains(&ValidationAction::Warn) => "warn",
        () => "audit",
    }
}

/// The parts of match constraints that select some of the objects of a resource.
fn selection_of(document: &Value) -> Option<RequestSelection> {
    let constraints = document.pointer("/spec/matchConstraints")?.as_object()?;
    let is_empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        other => other.is_null(),
    };
    let rules = constraints.get("resourceRules").and_then(Value::as_array).into_iter().flatten();
    let names_some = |rule: &Value| rule.get("resourceNames").is_some_and(|names| !is_empty(names));
    let by_name = rules.filter(|rule| names_some(rule)).count() > 0;
    let selectors = ["namespaceSelector", "objectSelector", "excludeResourceRules"];
    let selects = |name: &&str| constraints.get(*name).is_some_and(|selector| !is_empty(selector));
    (by_name || selectors.iter().any(selects))
        .then(|| RequestSelection { selectors: constraints.clone(), ..RequestSelection::default() })
}
