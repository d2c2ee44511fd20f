//! `spec.match` of a Gatekeeper constraint: what it selects by kind, namespace, scope and name. Labels are compared like those of
//! bindings.
// gatekeeper pkg/mutation/match/match.go

use serde_json::Value as Json;

use super::Request;

/// The parts of `spec.match` that a binding of the server does not have.
#[derive(Clone, Debug)]
pub(super) struct ConstraintMatch(Json);

/// A test of one field of a match.
type MatchTest = fn(&ConstraintMatch, &MatchedObject<'_>) -> bool;

impl ConstraintMatch {
    /// Reads the match of a constraint.
    pub(super) fn from_json(json: &Json) -> Self {
        Self(json.clone())
    }

    /// Returns the field of the match that excludes a request; `None` if none does.
    // match.go, Matches and topLevelMatchers
    pub(super) fn excluding_field(&self, request: &Request) -> Option<&'static str> {
        let object = if request.object.is_null() { &request.old_object } else { &request.object };
        let object = MatchedObject::new(object, request);
        let tests: [(&str, MatchTest); 5] = [
            ("kinds", Self::matches_kind),
            ("scope", Self::matches_scope),
            ("namespaces", Self::matches_namespaces),
            ("excludedNamespaces", Self::matches_other_namespaces),
            ("name", Self::matches_name),
        ];
        tests.into_iter().find(|(_, test)| !test(self, &object)).map(|(field, _)| field)
    }

    fn texts<'a>(json: &'a Json, list: &str) -> Vec<&'a str> {
        json.get(list).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
    }

    // match.go, kindsMatch
    fn matches_kind(&self, object: &MatchedObject<'_>) -> bool {
        let has = |entry: &Json, list: &str, wanted: &str| {
            let items = Self::texts(entry, list);
            items.is_empty() || items.iter().any(|it| *it == wanted || *it == "*")
        };
        let kinds = self.0.get("kinds").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        kinds.is_empty()
            || kinds.iter().any(|it| has(it, "apiGroups", object.group) && has(it, "kinds", object.kind))
    }

    // match.go, scopeMatch
    fn matches_scope(&self, object: &MatchedObject<'_>) -> bool {
        let has_namespace = !object.namespace.is_empty();
        match self.0.get("scope").and_then(Json::as_str) {
            Some("Cluster") => object.is_namespace || !has_namespace,
            Some("Namespaced") => !object.is_namespace && has_namespace,
            _ => true,
        }
    }

    // match.go, namespacesMatch: what has no namespace is not excluded
    fn matches_namespaces(&self, object: &MatchedObject<'_>) -> bool {
        let names = Self::texts(&self.0, "namespaces");
        let own = object.own_namespace();
        names.is_empty() || own.is_empty() || names.iter().any(|it| matches_wildcard(it, own))
    }

    // match.go, excludedNamespacesMatch
    fn matches_other_namespaces(&self, object: &MatchedObject<'_>) -> bool {
        let own = object.own_namespace();
        let mut names = Self::texts(&self.0, "excludedNamespaces").into_iter();
        own.is_empty() || !names.any(|it| matches_wildcard(it, own))
    }

    // match.go, namesMatch
    fn matches_name(&self, object: &MatchedObject<'_>) -> bool {
        let name = self.0.get("name").and_then(Json::as_str).unwrap_or_default();
        name.is_empty()
            || matches_wildcard(name, object.name)
            || (name.ends_with('*')
                && !object.generate_name.is_empty()
                && matches_wildcard(name, object.generate_name))
    }
}

/// Facts about an object that constraints select by.
struct MatchedObject<'o> {
    group: &'o str,
    kind: &'o str,
    name: &'o str,
    generate_name: &'o str,
    namespace: &'o str,
    is_namespace: bool,
}

impl<'o> MatchedObject<'o> {
    fn new(object: &'o Json, request: &'o Request) -> Self {
        let text = |pointer: &str| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        let group = text("/apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
        let kind = text("/kind");
        let is_namespace = kind == "Namespace" && group.is_empty();
        // A request about a namespace names it as its own.
        let namespace = match text("/metadata/namespace") {
            "" if !is_namespace => request.namespace.as_str(),
            namespace => namespace,
        };
        let (name, generate_name) = (text("/metadata/name"), text("/metadata/generateName"));
        Self { group, kind, name, generate_name, namespace, is_namespace }
    }

    /// The namespace that the object is in, or is.
    fn own_namespace(&self) -> &'o str {
        if self.is_namespace { self.name } else { self.namespace }
    }
}

/// True if a name matches a text with `*` at one end or both.
// gatekeeper pkg/util/wildcard.go, Matches
fn matches_wildcard(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_constraint_selects_by_kind_namespace_scope_and_name() {
        let pod = |namespace: &str| {
            Request::for_creation(
                "",
                "pods",
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": namespace}}),
            )
        };
        for (matching, namespace, expected) in [
            (json!({}), "a", None),
            (json!({"kinds": [{"apiGroups": [""], "kinds": ["Pod"]}]}), "a", None),
            (json!({"kinds": [{"apiGroups": ["apps"], "kinds": ["*"]}]}), "a", Some("kinds")),
            (json!({"namespaces": ["kube-*"]}), "kube-system", None),
            (json!({"namespaces": ["kube-*"]}), "a", Some("namespaces")),
            (json!({"excludedNamespaces": ["*-system"]}), "kube-system", Some("excludedNamespaces")),
            (json!({"scope": "Cluster"}), "a", Some("scope")),
            (json!({"name": "b*"}), "a", Some("name")),
        ] {
            let found = ConstraintMatch::from_json(&matching).excluding_field(&pod(namespace));
            assert_eq!(found, expected, "{matching}");
        }
    }
}
