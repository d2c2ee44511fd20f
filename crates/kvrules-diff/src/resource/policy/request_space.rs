//! Requests that stand for all requests: constraints of policies and bindings only compare with the names that they have, so a
//! request with one of these names, or another name, for each part decides for all.

use kvrules_apiserver::policy::Request;
use serde_json::{Map, Value, json};

/// The operations of admission.
const OPERATIONS: [&str; 4] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
/// The group and the resource that stand for all that constraints do not name.
pub(super) const PLACEHOLDERS: [&str; 2] = ["other.example.com", "others"];
/// The most requests that are compared.
const MOST_REQUESTS: usize = 60_000;
/// The most values of labels that are combined.
const MOST_LABELS: usize = 64;

/// Values for each part of a request.
#[derive(Debug, Default)]
pub(super) struct RequestSpace {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    subresources: Vec<String>,
    names: Vec<String>,
    /// Labels of objects, and of namespaces.
    labels: [Vec<Map<String, Value>>; 2],
    is_cut: bool,
}

/// The requests of a space; `is_complete` if every other request is matched like one of them.
pub(super) struct SpaceRequests {
    pub(super) requests: Vec<Request>,
    pub(super) is_complete: bool,
}

impl RequestSpace {
    /// The space of the names in some constraints.
    pub(super) fn of_constraints(constraints: &[&Value]) -> Self {
        let mut space = Self { subresources: vec![String::new()], ..Self::default() };
        let rules = |key: &'static str| constraints.iter().flat_map(move |it| list(it, key));
        for rule in rules("resourceRules").chain(rules("excludeResourceRules")) {
            add_names(&mut space.groups, texts(rule, "apiGroups"));
            add_names(&mut space.versions, texts(rule, "apiVersions"));
            add_names(&mut space.names, texts(rule, "resourceNames"));
            for entry in texts(rule, "resources") {
                let (resource, subresource) = entry.split_once('/').unwrap_or((entry, ""));
                add_names(&mut space.resources, [resource].into_iter());
                add_names(&mut space.subresources, [subresource].into_iter());
            }
        }
        // Namespaces are matched in a way of their own.
        space.groups.push(String::new());
        space.resources.push("namespaces".to_owned());
        for (names, other) in [
            (&mut space.groups, PLACEHOLDERS[0]),
            (&mut space.versions, "v9"),
            (&mut space.resources, PLACEHOLDERS[1]),
            (&mut space.subresources, "other"),
            (&mut space.names, "example"),
        ] {
            add_names(names, [other].into_iter());
        }
        space.groups.dedup();
        for (number, key) in ["objectSelector", "namespaceSelector"].into_iter().enumerate() {
            let selectors: Vec<&Value> = constraints.iter().filter_map(|it| it.get(key)).collect();
            let (labels, is_cut) = label_sets(&selectors);
            space.is_cut |= is_cut;
            if let Some(known) = space.labels.get_mut(number) {
                *known = labels;
            }
        }
        space
    }

    /// All requests of the space, named parts first.
    pub(super) fn all_requests(&self) -> SpaceRequests {
        let mut requests = Vec::new();
        let [object_labels, namespace_labels] = &self.labels;
        for parts in self.all_parts() {
            for operation in OPERATIONS {
                for namespace in ["example", ""] {
                    if lacks_its_namespace(parts, operation, namespace) {
                        continue;
                    }
                    for (labels, of_namespace) in pairs(object_labels, namespace_labels) {
                        if requests.len() >= MOST_REQUESTS {
                            return SpaceRequests { requests, is_complete: false };
                        }
                        requests.push(request(parts, operation, namespace, labels, of_namespace));
                    }
                }
            }
        }
        SpaceRequests { requests, is_complete: !self.is_cut }
    }

    /// Every group, version, resource, subresource and name together.
    fn all_parts(&self) -> impl Iterator<Item = [&String; 5]> {
        let resources = pairs(&self.resources, &self.subresources);
        let of_resource =
            resources.flat_map(|it| pairs(&self.versions, &self.names).map(move |other| (it, other)));
        of_resource.flat_map(|((resource, subresource), (version, name))| {
            self.groups.iter().map(move |group| [group, version, resource, subresource, name])
        })
    }
}

/// True for requests that do not exist: those for a part of a namespace are in the namespace itself.
// apiserver pkg/endpoints/request/requestinfo.go, NewRequestInfo
fn lacks_its_namespace(
    [_, _, resource, subresource, _]: [&String; 5],
    operation: &str,
    namespace: &str,
) -> bool {
    let is_part = operation == "CONNECT" || (operation != "DELETE" && !subresource.is_empty());
    resource == "namespaces" && namespace.is_empty() && is_part
}

/// Each of some values with each of others.
fn pairs<'v, A, B>(ones: &'v [A], others: &'v [B]) -> impl Iterator<Item = (&'v A, &'v B)> {
    ones.iter().flat_map(move |one| others.iter().map(move |other| (one, other)))
}

fn request(
    [group, version, resource, subresource, name]: [&String; 5],
    operation: &str,
    namespace: &str,
    labels: &Map<String, Value>,
    of_namespace: &Map<String, Value>,
) -> Request {
    let is_namespace = resource == "namespaces" && group.is_empty();
    let own = if is_namespace { of_namespace } else { labels };
    let mut metadata = Map::from_iter([("name".to_owned(), json!(name))]);
    if !own.is_empty() {
        metadata.insert("labels".to_owned(), Value::Object(own.clone()));
    }
    if !namespace.is_empty() {
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    let object = json!({ "metadata": metadata });
    let mut request = Request::for_creation(group, resource, object);
    operation.clone_into(&mut request.operation);
    version.clone_into(&mut request.version);
    subresource.clone_into(&mut request.subresource);
    let mut known = of_namespace.clone();
    known.insert("kubernetes.io/metadata.name".to_owned(), json!(namespace));
    if !namespace.is_empty() {
        request.namespace_object = json!({"metadata": {"name": namespace, "labels": known}});
    }
    with_objects(request)
}

/// The request with its object where the operation has it.
pub(super) fn with_objects(mut request: Request) -> Request {
    match request.operation.as_str() {
        "UPDATE" => request.old_object = request.object.clone(),
        "DELETE" => request.old_object = std::mem::take(&mut request.object),
        _ => {}
    }
    request
}

fn list<'j>(json: &'j Value, key: &str) -> impl Iterator<Item = &'j Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn texts<'j>(json: &'j Value, key: &str) -> impl Iterator<Item = &'j str> {
    list(json, key).filter_map(Value::as_str)
}

fn add_names<'t>(known: &mut Vec<String>, names: impl Iterator<Item = &'t str>) {
    for name in names {
        if name != "*" && !known.iter().any(|it| it == name) {
            known.push(name.to_owned());
        }
    }
}

/// The labels that selectors distinguish: each key with each value, with another value, and without it. True if there are too many.
fn label_sets(selectors: &[&Value]) -> (Vec<Map<String, Value>>, bool) {
    let mut keys: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |key: &str, values: Vec<String>| match keys.iter_mut().find(|(known, _)| known == key) {
        Some((_, known)) => known.extend(values),
        None => keys.push((key.to_owned(), values)),
    };
    for selector in selectors {
        for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            add(key, value.as_str().map(str::to_owned).into_iter().collect());
        }
        for entry in list(selector, "matchExpressions") {
            let key = entry.get("key").and_then(Value::as_str).unwrap_or_default();
            add(key, texts(entry, "values").map(str::to_owned).collect());
        }
    }
    let mut sets = vec![Map::new()];
    for (key, mut values) in keys {
        values.sort();
        values.dedup();
        values.push("other".to_owned());
        let mut longer = sets.clone();
        for value in values {
            longer.extend(sets.iter().map(|set| {
                let mut set = set.clone();
                set.insert(key.clone(), json!(value));
                set
            }));
        }
        sets = longer;
        if sets.len() > MOST_LABELS {
            sets.truncate(MOST_LABELS);
            return (sets, true);
        }
    }
    (sets, false)
}
