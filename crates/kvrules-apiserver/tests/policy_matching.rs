//! Requests that match a policy with its binding, and the parameters used. The answers follow from the server's
//! source: policy/matching/matching.go, webhook/predicates, policy/generic/policy_dispatcher.go.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::policy::{Binding, Policy, Request, admit_request};
use serde_json::{Value, json};

/// A rule that matches every request.
fn any() -> Value {
    json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*", "*/*"]})
}

/// Any rule with other members.
fn rule(members: &Value) -> Value {
    let mut rule = any();
    for (name, member) in members.as_object().unwrap() {
        rule[name] = member.clone();
    }
    rule
}

fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}}})
}

/// True if a policy with these constraints denies a request; its only validation is false.
fn is_requested(constraints: &Value, binding: &Value, request: &Request) -> bool {
    let policy = Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": {
        "matchConstraints": constraints, "validations": [{"expression": "false"}]}}));
    let binding = Binding::from_json(&json!({"metadata": {"name": "b"}, "spec": {
        "policyName": "p", "validationActions": ["Deny"], "matchResources": binding}}));
    admit_request(&[policy], &[binding], request).unwrap().denial.is_some()
}

#[track_caller]
fn assert_asked(constraints: &Value, request: &Request, expected: bool) {
    assert_eq!(is_requested(constraints, &Value::Null, request), expected, "{constraints}");
    // A binding narrows in the same way.
    assert_eq!(is_requested(&Value::Null, constraints, request), expected, "{constraints}");
}

fn rules(members: &Value) -> Value {
    json!({ "resourceRules": [rule(members)] })
}

#[test]
fn no_rules_match_everything() {
    let request = Request::for_creation("", "pods", pod("a"));
    assert_asked(&Value::Null, &request, true);
    assert_asked(&json!({"resourceRules": []}), &request, true);
}

#[test]
fn a_subresource_is_another_resource() {
    let whole = Request::for_creation("", "pods", pod("a"));
    let exec = Request { subresource: "exec".to_owned(), operation: "CONNECT".to_owned(), ..whole.clone() };
    for (resources, of_whole, of_exec) in [
        (json!(["pods"]), true, false),
        (json!(["pods/exec"]), false, true),
        (json!(["pods/*"]), true, true),
        (json!(["*/exec"]), false, true),
        (json!(["*"]), true, false),
        (json!(["*/*"]), true, true),
        (json!(["services", "pods/log"]), false, false),
    ] {
        let constraints = rules(&json!({ "resources": resources }));
        assert_asked(&constraints, &whole, of_whole);
        assert_asked(&constraints, &exec, of_exec);
    }
}

#[test]
fn operations_groups_and_names_have_to_match() {
    let request = Request::for_creation("", "pods", pod("a"));
    for (members, expected) in [
        (json!({"operations": ["UPDATE"]}), false),
        (json!({"operations": ["UPDATE", "CREATE"]}), true),
        (json!({"apiGroups": ["apps"]}), false),
        (json!({"apiGroups": ["apps", ""]}), true),
        (json!({"resourceNames": ["b"]}), false),
        (json!({"resourceNames": ["b", "a"]}), true),
        (json!({"resourceNames": []}), true),
        // A name is not a pattern.
        (json!({"resourceNames": ["*"]}), false),
    ] {
        assert_asked(&rules(&members), &request, expected);
    }
}

#[test]
fn a_version_has_to_match_if_the_policy_is_exact() {
    let request = Request::for_creation("", "pods", pod("a"));
    let of = |version: &str, policy: &str| json!({"matchPolicy": policy, "resourceRules": [rule(&json!({"apiVersions": [version]}))]});
    assert_asked(&of("v1", "Exact"), &request, true);
    assert_asked(&of("v2", "Exact"), &request, false);
    assert_asked(&of("v2", "Equivalent"), &request, true);
    assert_asked(&rules(&json!({"apiVersions": ["v2"]})), &request, true);
}

#[test]
fn what_is_excluded_is_not_asked_about() {
    let request = Request::for_creation("", "pods", pod("a"));
    let excluding =
        |members: &Value| json!({"resourceRules": [any()], "excludeResourceRules": [rule(members)]});
    assert_asked(&excluding(&json!({})), &request, false);
    assert_asked(&excluding(&json!({"resourceNames": ["a"]})), &request, false);
    assert_asked(&excluding(&json!({"resourceNames": ["b"]})), &request, true);
    assert_asked(&excluding(&json!({"operations": ["DELETE"]})), &request, true);
}

#[test]
fn a_scope_tells_objects_of_namespaces_from_others() {
    let namespaced = Request::for_creation("", "pods", pod("a"));
    let cluster = Request::for_creation("", "nodes", json!({"kind": "Node", "metadata": {"name": "a"}}));
    // The server names the namespace itself in such a request.
    let mut namespace =
        Request::for_creation("", "namespaces", json!({"kind": "Namespace", "metadata": {"name": "a"}}));
    namespace.namespace = "a".to_owned();
    for (scope, expected) in
        [("*", [true, true, true]), ("Namespaced", [true, false, false]), ("Cluster", [false, true, true])]
    {
        let constraints = rules(&json!({ "scope": scope }));
        for (request, expected) in [&namespaced, &cluster, &namespace].into_iter().zip(expected) {
            assert_asked(&constraints, request, expected);
        }
    }
}

/// Selectors of labels, and whether `{"app": "web"}` meets them.
fn selectors() -> [(Value, bool); 12] {
    let one = |key: &str, operator: &str, values: &Value| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
    [
        (json!({}), true),
        (json!({"matchLabels": {"app": "web"}}), true),
        (json!({"matchLabels": {"app": "db"}}), false),
        (json!({"matchLabels": {"app": "web", "tier": "a"}}), false),
        (one("app", "In", &json!(["db", "web"])), true),
        (one("app", "In", &json!(["db"])), false),
        (one("app", "NotIn", &json!(["web"])), false),
        // A missing label matches `NotIn` for every list of values.
        (one("tier", "NotIn", &json!(["a"])), true),
        (one("app", "Exists", &Value::Null), true),
        (one("tier", "Exists", &Value::Null), false),
        (one("app", "DoesNotExist", &Value::Null), false),
        (one("tier", "DoesNotExist", &Value::Null), true),
    ]
}

#[test]
fn objects_are_selected_by_the_labels_of_either_state() {
    let unlabeled =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}});
    for (selector, expected) in selectors() {
        let constraints = json!({"objectSelector": selector, "resourceRules": [any()]});
        assert_asked(&constraints, &Request::for_creation("", "pods", pod("a")), expected);
        assert_asked(&constraints, &Request::for_deletion("", "pods", pod("a")), expected);
        let of_nothing =
            is_requested(&constraints, &Value::Null, &Request::for_creation("", "pods", unlabeled.clone()));
        for (new, old) in [(pod("a"), unlabeled.clone()), (unlabeled.clone(), pod("a"))] {
            assert_asked(&constraints, &Request::for_update("", "pods", new, old), expected || of_nothing);
        }
    }
}

#[test]
fn namespaces_are_selected_by_their_labels() {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"app": "web"}}});
    for (selector, expected) in selectors() {
        let constraints = json!({"namespaceSelector": selector, "resourceRules": [any()]});
        let mut request = Request::for_creation("", "pods", pod("a"));
        request.namespace_object = namespace.clone();
        assert_asked(&constraints, &request, expected);
        // A namespace has its own labels: new ones while it is written, the stored ones when it goes.
        assert_asked(&constraints, &Request::for_creation("", "namespaces", namespace.clone()), expected);
        assert_asked(&constraints, &Request::for_deletion("", "namespaces", namespace.clone()), expected);
        // A namespace selector never excludes cluster-scoped resources.
        let node = Request::for_creation("", "nodes", json!({"kind": "Node", "metadata": {"name": "a"}}));
        assert_asked(&constraints, &node, true);
    }
}

#[test]
fn a_selector_of_namespaces_whose_labels_are_not_given_is_refused_by_name() {
    let constraints = |operation: &str| json!({"namespaceSelector": {"matchLabels": {"app": "web"}}, "resourceRules": [rule(&json!({"operations": [operation]}))]});
    let policy = |operation: &str| {
        Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": {
            "matchConstraints": constraints(operation), "validations": [{"expression": "false"}]}}))
    };
    let request = Request::for_creation("", "pods", pod("a"));
    let refusal = policy("CREATE").matches_request(&request).unwrap_err();
    assert_eq!(refusal.to_string(), "a selector of namespaces without the namespace's labels");
    // If the rules exclude the request, the selector is not evaluated.
    assert_eq!(policy("DELETE").matches_request(&request), Ok(false));
}

#[test]
fn policies_and_reviews_of_access_are_exempt() {
    for (group, resource, expected) in [
        ("admissionregistration.k8s.io", "validatingadmissionpolicies", false),
        ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", false),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations", true),
        ("authorization.k8s.io", "subjectaccessreviews", false),
        ("authentication.k8s.io", "tokenreviews", false),
        ("example.com", "tokenreviews", true),
    ] {
        let request = Request::for_creation(group, resource, json!({"metadata": {"name": "a"}}));
        assert_asked(&json!({"resourceRules": [any()]}), &request, expected);
    }
}

/// Returns the message with which a policy denies a request, with one binding.
fn denial(policy: &Value, binding: &Value, request: &Request) -> Option<String> {
    let policy = Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": policy}));
    let mut spec = json!({"policyName": "p", "validationActions": ["Deny"]});
    spec.as_object_mut().unwrap().extend(binding.as_object().unwrap().clone());
    let binding = Binding::from_json(&json!({"metadata": {"name": "b"}, "spec": spec}));
    let denial = admit_request(&[policy], &[binding], request).unwrap().denial?;
    denial.cause.split_once(": ").map(|(_, message)| message.to_owned())
}

#[test]
fn each_parameter_that_is_selected_is_asked_for_itself() {
    let param = |name: &str, namespace: &str, team: &str, max: u8| {
        let metadata = json!({"name": name, "namespace": namespace, "labels": {"team": team}});
        (name.to_owned(), json!({"metadata": metadata, "max": max}))
    };
    let mut request = Request::for_creation("", "pods", pod("a"));
    request.params =
        vec![param("a", "shop", "x", 9), param("b", "shop", "x", 1), param("a", "other", "y", 0)];
    let policy = json!({"paramKind": {"apiVersion": "v1", "kind": "Limit"}, "validations": [
        {"expression": "params.max > 1", "messageExpression": "'max ' + string(params.max)"}]});
    let with = |reference: Value| denial(&policy, &json!({ "paramRef": reference }), &request);
    assert_eq!(with(json!({"name": "a"})), None);
    assert_eq!(with(json!({"name": "a", "namespace": "other"})).as_deref(), Some("max 0"));
    assert_eq!(with(json!({"selector": {"matchLabels": {"team": "x"}}})).as_deref(), Some("max 1"));
    assert_eq!(with(json!({"selector": {}})).as_deref(), Some("max 1"), "those of the namespace");
    let selector = json!({"matchLabels": {"team": "z"}});
    assert_eq!(with(json!({"selector": selector, "parameterNotFoundAction": "Allow"})), None);
    let missing = with(json!({"selector": selector, "parameterNotFoundAction": "Deny"})).unwrap();
    assert!(missing.starts_with("failed to configure binding: no params found"), "{missing}");
}

#[test]
fn a_deletion_has_the_kind_of_what_is_deleted() {
    let request = Request::for_deletion("", "pods", pod("a"));
    for expression in [
        "object == null && oldObject.metadata.name == 'a'",
        "request.operation == 'DELETE' && request.name == 'a' && request.namespace == 'shop'",
        "request.kind.kind == 'Pod' && request.kind.version == 'v1'",
        "request.resource.resource == 'pods' && !has(request.subResource)",
    ] {
        let policy = json!({"validations": [{"expression": expression}]});
        assert_eq!(denial(&policy, &json!({}), &request), None, "{expression}");
    }
}

#[test]
fn a_subresource_is_named_in_the_request() {
    let mut request = Request::for_creation("", "pods", pod("a"));
    request.subresource = "exec".to_owned();
    let expression = "request.subResource == 'exec' && request.requestSubResource == 'exec'";
    let policy = json!({"validations": [{"expression": expression}]});
    assert_eq!(denial(&policy, &json!({}), &request), None);
}

#[test]
fn the_presence_of_a_variable_is_a_question_to_it() {
    let request = Request::for_creation("", "pods", pod("a"));
    let variables = json!([
        {"name": "labels", "expression": "object.metadata.labels"},
        {"name": "broken", "expression": "object.spec.nothing"},
    ]);
    for (expression, expected) in [
        ("has(variables.labels)", None),
        ("has(variables.labels.app) && !has(variables.labels.tier)", None),
        ("variables.?labels.hasValue()", None),
        ("variables.?labels.?tier.orValue('none') == 'none'", None),
        ("variables.?labels.app.orValue('none') == 'web'", None),
        ("!has(variables.labels)", Some("failed expression: !has(variables.labels)")),
        (
            "has(variables.broken)",
            Some(
                "expression 'has(variables.broken)' resulted in error: composited variable \"broken\" fails to evaluate: no such key: spec",
            ),
        ),
    ] {
        let policy = json!({"variables": variables, "validations": [{"expression": expression}]});
        assert_eq!(denial(&policy, &json!({}), &request).as_deref(), expected, "{expression}");
    }
}
