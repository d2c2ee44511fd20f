//! Decides which requests reach a policy. One that is not asked lets everything through.

use serde_json::Value;

/// The requests that must reach a policy.
pub(super) struct RequiredRequests {
    pub(super) group: String,
    /// The versions in which the API serves the resource.
    pub(super) versions: Vec<String>,
    pub(super) resource: String,
    /// The operations that reach the policy, and no others.
    pub(super) operations: Vec<&'static str>,
}

/// Checks that every wanted request reaches a policy.
// admission/plugin/policy/matching/matching.go, Matcher.Matches
pub(super) fn check_requests(policy: &Value, wanted: &RequiredRequests) -> Result<(), String> {
    let constraints = policy.pointer("/spec/matchConstraints").unwrap_or(&Value::Null);
    let narrowed = ["excludeResourceRules", "namespaceSelector", "objectSelector"];
    let is_empty = |value: &Value| {
        value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty)
    };
    if let Some(key) =
        narrowed.into_iter().find(|key| constraints.get(key).is_some_and(|value| !is_empty(value)))
    {
        return Err(format!("`{key}` excludes objects of the kind from the policy"));
    }
    for operation in ["CREATE", "UPDATE", "DELETE", "CONNECT"] {
        let is_wanted = wanted.operations.contains(&operation);
        for version in &wanted.versions {
            let is_matched = matches_request(constraints, wanted, operation, version);
            if is_matched && !is_wanted {
                return Err(format!("the policy matches {operation}, which the rules are not about"));
            }
            if !is_matched && is_wanted {
                let RequiredRequests { group, resource, .. } = wanted;
                return Err(format!(
                    "the policy does not match {operation} of `{resource}` in `{group}/{version}`"
                ));
            }
        }
    }
    Ok(())
}

/// Checks that a policy evaluates these operations in one version: requests in other versions not at all if the rules are about
/// one (`is_of_version`), else converted to it.
pub(crate) fn require_requests(
    policy: &Value,
    (group, version): (&str, &str),
    (resource, is_of_version): (&str, bool),
    operations: &[&'static str],
) -> Result<(), String> {
    let wanted = RequiredRequests {
        group: group.to_owned(),
        versions: vec![version.to_owned()],
        resource: resource.to_owned(),
        operations: operations.to_vec(),
    };
    let is_exact =
        policy.pointer("/spec/matchConstraints/matchPolicy").and_then(Value::as_str) == Some("Exact");
    match (is_of_version, is_exact) {
        (true, false) => {
            return Err(format!("the policy evaluates requests in other versions than `{group}/{version}`"));
        }
        (false, true) => {
            return Err(format!(
                "requests in other versions than `{group}/{version}` do not reach the policy"
            ));
        }
        _ => {}
    }
    check_requests(policy, &wanted)
}

fn matches_request(constraints: &Value, wanted: &RequiredRequests, operation: &str, version: &str) -> bool {
    // Without a policy of its own for versions, a request in another version is converted.
    let converts = constraints.get("matchPolicy").and_then(Value::as_str) != Some("Exact");
    let rules = constraints.get("resourceRules").and_then(Value::as_array).into_iter().flatten();
    rules.into_iter().any(|rule| {
        let names = |key: &str, fits: &dyn Fn(&str) -> bool| {
            let listed = rule.get(key).and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(Value::as_str).any(|name| name == "*" || fits(name))
        };
        let is_served = |name: &str| wanted.versions.iter().any(|served| served == name);
        let is_scoped = rule.get("scope").and_then(Value::as_str).is_some_and(|scope| scope != "*");
        let is_named =
            rule.get("resourceNames").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        names("apiGroups", &|name| name == wanted.group)
            && names("apiVersions", &|name| name == version || (converts && is_served(name)))
            && names("operations", &|name| name == operation)
            && names("resources", &|name| name == wanted.resource || name == "*/*")
            && !is_scoped
            && !is_named
    })
}
