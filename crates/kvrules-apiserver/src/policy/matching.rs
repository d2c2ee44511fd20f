//! Matches requests to policies and bindings: `matchConstraints`, `matchResources`, selectors of labels.

use serde_json::{Map, Value as Json};

use super::report::Mismatch;
use super::{Request, UnsupportedRequest};

/// Resources whose requests no policy sees: reviews that are not stored (exclusion/resources.go, `excluded`), and the
/// policies themselves (generic/plugin.go, `admissionResources`).
const EXEMPT: [(&str, &[&str]); 3] = [
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews"]),
    (
        "authorization.k8s.io",
        &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
    ),
    (
        "admissionregistration.k8s.io",
        &[
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
        ],
    ),
];

/// True if no policy sees requests for this resource.
pub(super) fn is_exempt(request: &Request) -> bool {
    EXEMPT.iter().any(|(group, resources)| *group == request.group && resources.contains(&&*request.resource))
}

/// The label that every namespace has, with its name.
// apis/core/v1/defaults.go, SetDefaults_Namespace
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The fields of a rule, in the order in which they are compared.
const RULE_FIELDS: [&str; 6] =
    ["apiGroups", "resources", "apiVersions", "scope", "operations", "resourceNames"];

/// Result of matching.
#[derive(Clone, Debug)]
pub(super) enum MatchOutcome {
    /// The request is excluded.
    Excluded(Mismatch),
    /// The request is included as it is.
    Exact,
    /// The request is included in one of these versions of its resource, if the server serves it.
    Equivalent(Vec<String>),
}

/// `matchConstraints` of a policy, or `matchResources` of a binding.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchResources {
    rules: Vec<ResourceRule>,
    excluded: Vec<ResourceRule>,
    namespaces: LabelSelector,
    objects: LabelSelector,
    /// True if a rule for one version of a resource applies to all of them: always, unless `matchPolicy` is `Exact`.
    is_equivalent: bool,
}

#[derive(Clone, Debug)]
struct ResourceRule {
    groups: Vec<String>,
    versions: Vec<String>,
    operations: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    scope: String,
}

/// A selector of labels; an empty one selects everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<LabelRequirement>);

#[derive(Clone, Debug)]
struct LabelRequirement {
    key: String,
    operator: LabelOperator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelOperator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl MatchResources {
    /// Reads the member of a specification; what is missing matches everything.
    pub(super) fn from_json(json: &Json) -> Self {
        let rules = |list: &str| list_items(json, list).map(ResourceRule::from_json).collect();
        Self {
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
            namespaces: LabelSelector::from_json(json.get("namespaceSelector")),
            objects: LabelSelector::from_json(json.get("objectSelector")),
            // The API defaults to Equivalent; Exact turns off the second loop of matching.go, matchesResourceRules.
            is_equivalent: json.get("matchPolicy").and_then(Json::as_str) != Some("Exact"),
        }
    }

    /// Returns the constraint that excludes a request, or how it matches (matching.go, `Matcher.Matches`). The labels of a
    /// namespace that the request does not have are required only if everything else matches.
    pub(super) fn match_request(&self, request: &Request) -> Result<MatchOutcome, UnsupportedRequest> {
        let labels =
            [&request.object, &request.old_object].map(|it| (!it.is_null()).then(|| object_labels(it)));
        let has_labels = self.objects.is_empty()
            || labels.into_iter().flatten().any(|labels| self.objects.matches_labels(labels));
        if !has_labels {
            return Ok(MatchOutcome::Excluded(Mismatch::ObjectSelector));
        }
        let matches = |rule: &ResourceRule| rule.matches_request(request, self.is_equivalent);
        // Exclusion wins over inclusion, and without rules every resource is included.
        if let Some(index) = self.excluded.iter().position(|rule| rule.matches_request(request, false)) {
            return Ok(MatchOutcome::Excluded(Mismatch::Excluded(index)));
        }
        if let Some((index, rule)) = self.excluded.iter().enumerate().find(|(_, rule)| matches(rule)) {
            if request.is_exact && request.served.is_none() {
                return Err(UnsupportedRequest(request.unknown_versions(&rule.versions)));
            }
            return Ok(MatchOutcome::Excluded(Mismatch::Excluded(index)));
        }
        let versions = match self.rules.iter().find(|rule| rule.matches_request(request, false)) {
            Some(_) => None,
            None if self.rules.is_empty() => None,
            None => match self.rules.iter().find(|rule| matches(rule)) {
                Some(rule) => Some(rule.versions.clone()),
                None => return Ok(MatchOutcome::Excluded(self.nearest_rule(request))),
            },
        };
        if !self.matches_namespace(request)? {
            return Ok(MatchOutcome::Excluded(Mismatch::NamespaceSelector));
        }
        Ok(versions.map_or(MatchOutcome::Exact, MatchOutcome::Equivalent))
    }

    /// The rule of which most fields match a request, and the first field that does not.
    fn nearest_rule(&self, request: &Request) -> Mismatch {
        let differing = |rule: &ResourceRule| rule.differing_field(request, self.is_equivalent);
        let differing = self.rules.iter().map(differing).enumerate();
        let fields = differing.filter_map(|(index, field)| Some((index, field?)));
        // Of several that are equally near the first one.
        let nearest = fields.rev().max_by_key(|(_, field)| RULE_FIELDS.iter().position(|it| it == field));
        nearest.map_or(Mismatch::Rules(0, "resources"), |(index, field)| Mismatch::Rules(index, field))
    }

    /// namespace/matcher.go, `MatchNamespaceSelector`
    fn matches_namespace(&self, request: &Request) -> Result<bool, UnsupportedRequest> {
        let is_namespace = request.resource == "namespaces";
        if self.namespaces.is_empty() || (request.namespace.is_empty() && !is_namespace) {
            return Ok(true);
        }
        let written = matches!(&*request.operation, "CREATE" | "UPDATE") && request.subresource.is_empty();
        let namespace = match (is_namespace, written) {
            (true, true) => &request.object,
            // On deletion, the namespace is the stored object.
            (true, false) if request.namespace_object.is_null() => &request.old_object,
            _ => &request.namespace_object,
        };
        if namespace.is_null() && self.namespaces.reads_only(NAME_LABEL) {
            let labels = serde_json::json!({NAME_LABEL: request.namespace});
            return Ok(self.namespaces.matches_labels(&labels));
        }
        if namespace.is_null() {
            return Err(UnsupportedRequest(
                "a selector of namespaces without the namespace's labels".to_owned(),
            ));
        }
        Ok(self.namespaces.matches_labels(object_labels(namespace)))
    }
}

impl ResourceRule {
    fn from_json(json: &Json) -> Self {
        Self {
            groups: text_list(json, "apiGroups"),
            versions: text_list(json, "apiVersions"),
            operations: text_list(json, "operations"),
            resources: text_list(json, "resources"),
            names: text_list(json, "resourceNames"),
            scope: json.get("scope").and_then(Json::as_str).unwrap_or("*").to_owned(),
        }
    }

    /// rules.go, `Matcher.Matches`, and the names that matching.go compares.
    fn matches_request(&self, request: &Request, is_equivalent: bool) -> bool {
        self.differing_field(request, is_equivalent).is_none()
    }

    /// The first of [`RULE_FIELDS`] that excludes a request.
    fn differing_field(&self, request: &Request, is_equivalent: bool) -> Option<&'static str> {
        let holds = |list: &[String], value: &str| list.iter().any(|it| it == "*" || it == value);
        let matching = [
            holds(&self.groups, &request.group),
            self.resources.iter().any(|resource| is_resource(resource, request)),
            holds(&self.versions, &request.version) || is_equivalent && request.may_serve(&self.versions),
            self.is_of_scope(request),
            holds(&self.operations, &request.operation),
            self.names.is_empty() || self.names.contains(&request.name),
        ];
        RULE_FIELDS.into_iter().zip(matching).find(|(_, matches)| !matches).map(|(field, _)| field)
    }

    /// Namespaces are cluster-scoped, though requests for them name a namespace.
    fn is_of_scope(&self, request: &Request) -> bool {
        let is_namespace = request.group.is_empty() && request.resource == "namespaces";
        let is_cluster = is_namespace || request.namespace.is_empty();
        match &*self.scope {
            // admission/plugin/webhook/predicates/rules/rules.go, scope: the request decides, not the type of the resource.
            "Namespaced" => !is_cluster,
            "Cluster" => is_cluster,
            other => other == "*",
        }
    }
}

/// True if an entry of `resources`, such as `pods`, `pods/exec` or `*/scale`, is the resource of a request.
fn is_resource(entry: &str, request: &Request) -> bool {
    // An entry without a slash does not include subresources, and neither does `*`.
    let (resource, subresource) = entry.split_once('/').unwrap_or((entry, ""));
    (resource == "*" || resource == request.resource)
        && (subresource == "*" || subresource == request.subresource)
}

impl LabelSelector {
    /// Reads a `LabelSelector`; of one that no server accepts nothing is left.
    // apimachinery meta/v1/helpers.go, LabelSelectorAsSelector
    pub(crate) fn from_json(json: Option<&Json>) -> Self {
        let Some(json) = json else { return Self::default() };
        let equal = json.get("matchLabels").and_then(Json::as_object).into_iter().flatten();
        let equal = equal.map(|(key, value)| LabelRequirement {
            key: key.clone(),
            operator: LabelOperator::In,
            values: value.as_str().map(str::to_owned).into_iter().collect(),
        });
        Self(
            equal
                .chain(list_items(json, "matchExpressions").filter_map(LabelRequirement::from_json))
                .collect(),
        )
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it selects by one label alone.
    fn reads_only(&self, label: &str) -> bool {
        self.0.iter().all(|requirement| requirement.key == label)
    }

    /// True if an object's labels meet all requirements.
    pub(super) fn matches_labels(&self, labels: &Json) -> bool {
        self.matches_values(|key| labels.get(key).and_then(Json::as_str))
    }

    /// True if labels meet all requirements; `label` gives the value of the label with a name.
    pub(crate) fn matches_values<'o>(&self, label: impl Fn(&str) -> Option<&'o str>) -> bool {
        self.0.iter().all(|requirement| requirement.matches_value(label(&requirement.key)))
    }

    /// Labels that meet the requirements, unless these contradict each other.
    pub(crate) fn example_labels(&self) -> Map<String, Json> {
        let of_key = |key: &str| {
            let own: Vec<_> = self.0.iter().filter(|it| it.key == key).collect();
            let listed = own.iter().filter(|it| it.operator == LabelOperator::In).flat_map(|it| &it.values);
            let named = listed.map(String::as_str).chain(["a", "b", "c"]);
            named
                .map(Some)
                .chain([None])
                .find(|value| own.iter().all(|it| it.matches_value(*value)))
                .flatten()
        };
        let is_needed =
            |it: &&LabelRequirement| matches!(it.operator, LabelOperator::In | LabelOperator::Exists);
        let needed = self.0.iter().filter(is_needed);
        needed.filter_map(|it| Some((it.key.clone(), of_key(&it.key)?.into()))).collect()
    }
}

impl LabelRequirement {
    fn from_json(json: &Json) -> Option<Self> {
        let operator = match json.get("operator")?.as_str()? {
            "In" => LabelOperator::In,
            "NotIn" => LabelOperator::NotIn,
            "Exists" => LabelOperator::Exists,
            "DoesNotExist" => LabelOperator::DoesNotExist,
            _ => return None,
        };
        Some(Self { key: json.get("key")?.as_str()?.to_owned(), operator, values: text_list(json, "values") })
    }

    /// labels/selector.go, `Requirement.Matches`: `NotIn` holds also without the label.
    fn matches_value(&self, value: Option<&str>) -> bool {
        let is_listed = value.is_some_and(|value| self.values.iter().any(|it| it == value));
        match self.operator {
            LabelOperator::In => is_listed,
            LabelOperator::NotIn => !is_listed,
            LabelOperator::Exists => value.is_some(),
            LabelOperator::DoesNotExist => value.is_none(),
        }
    }
}

/// The labels of an object; null if it has none.
pub(super) fn object_labels(object: &Json) -> &Json {
    object.pointer("/metadata/labels").unwrap_or(&Json::Null)
}

fn list_items<'j>(json: &'j Json, list: &str) -> impl Iterator<Item = &'j Json> {
    json.get(list).and_then(Json::as_array).into_iter().flatten()
}

fn text_list(json: &Json, list: &str) -> Vec<String> {
    list_items(json, list).filter_map(Json::as_str).map(str::to_owned).collect()
}
