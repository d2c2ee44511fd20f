//! The versions of a definition, each with its schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::policy_parameters::PolicyParameters;
use super::request_selection::RequestSelection;
use super::shared_schema::SharedSchema;

/// A version of a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceVersion {
    /// `metadata.name` of the definition, such as `ponds.example.com`.
    pub definition: String,
    /// The API group.
    pub group: String,
    /// The name of the version, such as `v1`.
    pub version: String,
    /// The name of the resource, such as `ponds`.
    pub plural: String,
    /// The kind of the objects.
    pub kind: String,
    /// True if the objects belong to namespaces.
    pub is_namespaced: bool,
    /// True if servers serve it.
    pub is_served: bool,
    /// The subresources whose requests change the object.
    pub subresources: Vec<WrittenSubresource>,
    /// Its value of `openAPIV3Schema`.
    pub schema: SharedSchema,
    /// The definition that it is a version of; null for a kind that Kubernetes itself serves.
    pub document: Arc<Json>,
    /// Names of the rules, if they are not those of the definition.
    pub authored: Option<AuthoredRules>,
}

/// A subresource whose requests change fields of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSubresource {
    /// Its name, such as `status`.
    pub name: String,
    /// Paths of the fields, such as `spec.replicas` and `spec.containers[*].resources`; the empty path is the object.
    pub fields: Vec<String>,
    /// True if admission sees the whole object, and not an object of another kind such as `Scale`.
    pub shows_object: bool,
    /// True if rules are evaluated for its requests.
    pub is_evaluated: bool,
}

/// Rules in the schema of a version that are written elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthoredRules {
    /// The name of all of them.
    pub name: String,
    /// The objects that they are about.
    pub objects: AuthoredObjects,
    /// The consequence for an object that violates one: `error`, `warn` or `audit`.
    pub severity: &'static str,
    /// The requests that are evaluated; `None` for all.
    pub selection: Option<RequestSelection>,
    /// The parameters that policies read from an object of the cluster.
    pub parameters: Option<PolicyParameters>,
    /// True if a parameter has no value at compile time.
    pub lacks_value: bool,
    /// The definition with the rules in it, if they are about a custom resource and reject objects.
    pub definition: Option<Json>,
    /// The name of each, by its place in the schema: `spec.x-kubernetes-validations[0]`.
    pub rule_names: BTreeMap<String, String>,
    /// These places, in the order in which the rules are written.
    pub places: Vec<String>,
    /// The policy whose validations they are; `None` if they are written as rules.
    pub policy: Option<PolicyOrigin>,
}

/// The objects that rules are about that are written elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthoredObjects {
    /// Objects of the version.
    #[default]
    OfVersion,
    /// Objects of all kinds. The version stands for one of them, and its schema has only what all have.
    OfAnyKind,
    /// JSON documents, which no server stores. The schema has the schema of a document in the field [`DOCUMENT_FIELD`], so that fields
    /// such as `metadata` mean in it what its author says.
    Documents,
}

/// The field that documents are in when they are evaluated as objects.
pub const DOCUMENT_FIELD: &str = "document";

/// A policy whose validations are the rules of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyOrigin {
    /// The policy.
    pub document: Json,
    /// The index of the validation of each rule, by the place of the rule in the schema.
    pub validations: BTreeMap<String, usize>,
    /// The validations that no rule about an object alone expresses, by their names, with the reasons.
    pub inexpressible: BTreeMap<String, String>,
    /// Treatment of objects for which an expression ends in an error.
    pub errors: ExpressionErrors,
}

/// Treatment of objects for which an expression of a policy ends in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionErrors {
    /// The object is rejected.
    Reject,
    /// The object is accepted: the failure policy ignores errors.
    Accept,
    /// Servers fill in fields of these objects before they evaluate policies, so that a missing field need not be an error.
    Unknown,
}

/// The subresources of a version of a definition. Rules are evaluated for requests for the status.
// apiextensions-apiserver registry/customresource/status_strategy.go, PrepareForUpdate; etcd.go, ScaleREST
fn subresources_of(version: &Json) -> Vec<WrittenSubresource> {
    let written = |name: &str, field: &str, shows_object| WrittenSubresource {
        name: name.to_owned(),
        fields: vec![field.to_owned()],
        shows_object,
        is_evaluated: shows_object,
    };
    let status = version.pointer("/subresources/status").filter(|status| status.is_object());
    let scale = version.pointer("/subresources/scale/specReplicasPath").and_then(Json::as_str);
    let status = status.map(|_| written("status", "status", true));
    status
        .into_iter()
        .chain(scale.map(|path| written("scale", path.trim_start_matches('.'), false)))
        .collect()
}

impl ResourceVersion {
    /// Returns the versions of a definition that have a schema, in their order.
    ///
    /// ```
    /// use kvrules_apiserver::definition::ResourceVersion;
    /// use serde_json::json;
    ///
    /// let schema = json!({"openAPIV3Schema": {"type": "object"}});
    /// let versions = ResourceVersion::of_definition(&json!({"metadata": {"name": "ponds.example.com"}, "spec": {
    ///     "group": "example.com", "names": {"kind": "Pond"}, "scope": "Namespaced",
    ///     "versions": [{"name": "v1", "served": true, "schema": schema}, {"name": "v2"}],
    /// }}));
    /// assert_eq!((versions.len(), versions[0].api_version().as_str()), (1, "example.com/v1"));
    /// ```
    pub fn of_definition(definition: &Json) -> Vec<Self> {
        Self::of_shared_definition(&Arc::new(definition.clone()))
    }

    /// As [`Self::of_definition`], without a copy of the definition.
    pub fn of_shared_definition(document: &Arc<Json>) -> Vec<Self> {
        let definition = &**document;
        let text = |value: &Json, pointer: &str| {
            value.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        let plural = match text(definition, "/spec/names/plural") {
            plural if plural.is_empty() => {
                let name = text(definition, "/metadata/name");
                name.split('.').next().unwrap_or_default().to_owned()
            }
            plural => plural,
        };
        let versions = definition.pointer("/spec/versions").and_then(Json::as_array);
        let read = |(number, version): (usize, &Json)| {
            Some(Self {
                definition: text(definition, "/metadata/name"),
                group: text(definition, "/spec/group"),
                version: text(version, "/name"),
                plural: plural.clone(),
                kind: text(definition, "/spec/names/kind"),
                is_namespaced: text(definition, "/spec/scope") == "Namespaced",
                is_served: version.get("served") == Some(&Json::Bool(true)),
                subresources: subresources_of(version),
                schema: SharedSchema::of_version(document, number)?,
                document: Arc::clone(document),
                authored: None,
            })
        };
        versions.into_iter().flatten().enumerate().filter_map(read).collect()
    }

    /// Returns the subresources whose requests change the object as an update does, and its fields; none if no update is evaluated.
    pub fn written_subresources(&self) -> impl Iterator<Item = &WrittenSubresource> {
        let has_updates = self.selection().is_none_or(|selection| selection.selects_operation("UPDATE"));
        self.subresources.iter().filter(move |_| has_updates)
    }

    /// True if the status is a subresource.
    pub fn has_status(&self) -> bool {
        self.subresources.iter().any(|written| written.name == "status")
    }

    /// Returns the name of a subresource as policies match it, such as `pods/resize`.
    pub fn subresource_name(&self, written: &WrittenSubresource) -> String {
        let is_one = self.authored_objects() != AuthoredObjects::OfAnyKind;
        format!("{}/{}", if is_one { &self.plural } else { "*" }, written.name)
    }

    /// Returns the name of a file about it, such as `ponds.example.com_v1`.
    pub fn file_stem(&self) -> String {
        match &self.authored {
            Some(authored) if authored.severity == "error" => authored.name.clone(),
            Some(authored) => format!("{}.{}", authored.name, authored.severity),
            None => format!("{}_{}", self.definition, self.version),
        }
    }

    /// Returns the name that reports show for a rule, which is found by its place in the schema.
    pub fn shown_rule_name<'n>(&'n self, place: &'n str) -> &'n str {
        let names = self.authored.as_ref().map(|authored| &authored.rule_names);
        names.and_then(|names| names.get(place)).map_or(place, String::as_str)
    }

    /// True if an object that violates a rule is rejected, and not only reported.
    pub fn rejects(&self) -> bool {
        self.authored.as_ref().is_none_or(|authored| authored.severity == "error")
    }

    /// Returns the requests for which authored rules are evaluated; `None` for all.
    pub fn selection(&self) -> Option<&RequestSelection> {
        self.authored.as_ref()?.selection.as_ref()
    }

    /// Returns the parameters that policies with the rules read from an object of the cluster.
    pub fn parameters(&self) -> Option<&PolicyParameters> {
        self.authored.as_ref()?.parameters.as_ref()
    }

    /// Returns the reason why only a policy can express the rules; `None` if a schema can.
    pub fn policy_only_cause(&self) -> Option<&'static str> {
        let selection = self.selection();
        if self.authored.as_ref().is_some_and(|authored| authored.lacks_value) {
            return Some("a parameter has no value; give it a default, or one with `--set NAME=VALUE`");
        }
        match (self.rejects(), selection) {
            (false, _) => Some("a schema can only reject, and this rule only reports"),
            (true, Some(_)) if self.is_of_policy() => {
                Some("a schema cannot select objects as `matchConstraints` do")
            }
            (true, Some(selection)) if selection.selects_resources_alone() => {
                Some("a schema cannot select the `resources` of `match`")
            }
            (true, Some(selection)) if selection.selectors.is_empty() => {
                Some("a schema cannot select the requests of `match`")
            }
            (true, Some(_)) => Some("a schema cannot select the objects of `match`"),
            (true, None) => None,
        }
    }

    /// True if the rules are the validations of a policy.
    pub fn is_of_policy(&self) -> bool {
        self.authored.as_ref().is_some_and(|authored| authored.policy.is_some())
    }

    /// True if an update that leaves a violating value as it is passes a policy with the rules: so do servers that evaluate the rules of a
    /// definition. Rules that are written elsewhere have no such server to copy, and a policy that repeats the comparison is hard to read.
    pub fn excuses_unchanged(&self) -> bool {
        self.authored.is_none()
    }

    /// Returns the objects that its rules are about.
    pub fn authored_objects(&self) -> AuthoredObjects {
        self.authored.as_ref().map(|authored| authored.objects).unwrap_or_default()
    }

    /// True if its rules are about JSON documents.
    pub fn is_of_documents(&self) -> bool {
        self.authored_objects() == AuthoredObjects::Documents
    }

    /// Returns the name of the objects for readers, such as `Pond in example.com/v1`.
    pub fn objects_name(&self) -> String {
        match self.authored_objects() {
            AuthoredObjects::OfVersion => format!("{} in {}", self.kind, self.api_version()),
            AuthoredObjects::OfAnyKind => "objects of any kind".to_owned(),
            AuthoredObjects::Documents => self.kind.clone(),
        }
    }

    /// Returns what its rules are about of an object that is generated from its schema: of a document, the document.
    pub fn evaluated_object<'o>(&self, object: &'o Json) -> &'o Json {
        if self.is_of_documents() { object.get(DOCUMENT_FIELD).unwrap_or(object) } else { object }
    }

    /// Returns the `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}
