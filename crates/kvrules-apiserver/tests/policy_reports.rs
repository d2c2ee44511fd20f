//! Reports on requests: constraints that exclude them, parameters, annotations of audit events.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::policy::{
    Binding, BindingOutcome, DecisionOrigin, Mismatch, Policy, PolicyOutcome, Request, ResourceScope,
    answer_from_reports, report_request,
};
use kvrules_apiserver::server::ServerFeatures;
use serde_json::{Value as Json, json};

fn policy(spec: &Json) -> Policy {
    Policy::from_json(&json!({"metadata": {"name": "p"}, "spec": spec}))
}

fn binding(spec: &Json) -> Binding {
    let mut whole = json!({"policyName": "p", "validationActions": ["Deny"]});
    whole.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    Binding::from_json(&json!({"metadata": {"name": "b"}, "spec": whole}))
}

fn request(namespace: &str) -> Request {
    let object = json!({"apiVersion": "garden.example.com/v1", "kind": "Pond",
        "metadata": {"name": "mill", "namespace": namespace, "labels": {"a": "b"}}, "depth": 9});
    Request::for_creation("garden.example.com", "ponds", object)
}

fn config_map(name: &str, data: &Json) -> (String, Json) {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
        "metadata": {"name": name, "namespace": "default", "labels": {"limits": "yes"}}});
    (name.to_owned(), map)
}

/// The result of a policy alone.
fn outcome(spec: &Json, request: &Request) -> PolicyOutcome {
    report_request(&[policy(spec)], &[binding(&json!({}))], request).remove(0).outcome
}

#[test]
fn the_constraint_that_excludes_a_request_is_the_nearest_rule_and_its_field() {
    let rule = |group: &str, version: &str, operation: &str, resource: &str| json!({"apiGroups": [group], "apiVersions": [version], "operations": [operation], "resources": [resource]});
    let with =
        |rules: &[Json]| outcome(&json!({"matchConstraints": {"resourceRules": rules}}), &request("default"));
    let far = rule("apps", "v1", "CREATE", "ponds");
    let near = rule("garden.example.com", "v1", "UPDATE", "ponds");
    assert_eq!(with(&[far.clone(), near]), PolicyOutcome::NotMatched(Mismatch::Rules(1, "operations")));
    assert_eq!(with(&[far.clone(), far]), PolicyOutcome::NotMatched(Mismatch::Rules(0, "apiGroups")));
    let exact = Request { is_exact: true, ..request("default") };
    let other_version =
        json!({"matchConstraints": {"resourceRules": [rule("garden.example.com", "v2", "CREATE", "ponds")]}});
    assert_eq!(outcome(&other_version, &exact), PolicyOutcome::NeedsConversion(vec!["v2".to_owned()]));
    assert!(matches!(outcome(&other_version, &request("default")), PolicyOutcome::Bound(_)));
    let names = json!({"matchConstraints": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}}});
    assert_eq!(outcome(&names, &request("default")), PolicyOutcome::NotMatched(Mismatch::NamespaceSelector));
    let labels = json!({"matchConstraints": {"namespaceSelector": {"matchLabels": {"team": "blue"}}}});
    assert!(matches!(outcome(&labels, &request("default")), PolicyOutcome::Unsupported(_)));
}

#[test]
fn every_selected_parameter_is_evaluated_and_annotations_are_joined() {
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "object.depth <= int(params.data.max)"}],
        "auditAnnotations": [
            {"key": "max", "valueExpression": "params.data.max"},
            {"key": "same", "valueExpression": "'x'"},
            {"key": "none", "valueExpression": "null"},
        ],
    });
    let by_label = json!({"paramRef": {"selector": {"matchLabels": {"limits": "yes"}}, "parameterNotFoundAction": "Deny"}});
    let mut request = request("default");
    let mut other = config_map("other", &json!({}));
    other.1["kind"] = "Secret".into();
    request.params =
        vec![config_map("a", &json!({"max": "5"})), config_map("b", &json!({"max": "20"})), other];
    let (policies, bindings) = ([policy(&spec)], [binding(&by_label)]);
    let reports = report_request(&policies, &bindings, &request);
    let PolicyOutcome::Bound(bound) = &reports[0].outcome else { panic!("{reports:?}") };
    let BindingOutcome::Evaluated(params) = &bound[0].outcome else { panic!("{bound:?}") };
    let failed: Vec<_> = params.iter().map(|it| (it.param.as_deref().unwrap(), it.decisions.len())).collect();
    assert_eq!(failed, [("a", 1), ("b", 0)]);
    let answer = answer_from_reports(&policies, &bindings, &request, &reports);
    assert_eq!(json!(answer.audit), json!({"p/max": "5, 20", "p/same": "x"}));
}

#[test]
fn references_to_parameters_depend_on_the_scope_of_their_kind() {
    let decide = |scope: Option<ResourceScope>, reference: Json, namespace: &str| {
        let mut policy = policy(&json!({
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "validations": [{"expression": "true"}]}));
        policy.param_kind.as_mut().unwrap().scope = scope;
        let mut request = request(namespace);
        request.params = vec![config_map("a", &json!({}))];
        let binding = binding(&json!({"paramRef": reference}));
        let reports = report_request(&[policy], &[binding], &request);
        let PolicyOutcome::Bound(bound) = &reports[0].outcome else { panic!("{reports:?}") };
        match &bound[0].outcome {
            BindingOutcome::ParamError(decision) => {
                assert!(decision.always && decision.origin == DecisionOrigin::ParamRef);
                decision.message.clone()
            }
            BindingOutcome::NoParams => "none".to_owned(),
            BindingOutcome::Evaluated(params) => params.len().to_string(),
            other => panic!("{other:?}"),
        }
    };
    let (namespaced, cluster) = (Some(ResourceScope::Namespaced), Some(ResourceScope::Cluster));
    let by_name = json!({"name": "a", "parameterNotFoundAction": "Deny"});
    let in_other = json!({"name": "a", "namespace": "other", "parameterNotFoundAction": "Allow"});
    assert_eq!(decide(namespaced, by_name.clone(), "default"), "1");
    assert_eq!(
        decide(namespaced, by_name.clone(), ""),
        "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    );
    assert_eq!(decide(cluster, by_name.clone(), ""), "1");
    assert_eq!(
        decide(cluster, in_other.clone(), ""),
        "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
    );
    assert_eq!(decide(namespaced, in_other, "default"), "none");
    assert_eq!(
        decide(namespaced, by_name, "other"),
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    );
}

#[test]
fn ignored_errors_are_reported_and_do_not_deny() {
    let spec = |failure: &str| {
        json!({"failurePolicy": failure, "validations": [{"expression": "object.missing == 1"}],
            "matchConditions": [{"name": "shallow", "expression": "object.depth < 5"}]})
    };
    let mut shallow = request("default");
    shallow.object["depth"] = 1.into();
    for (failure, is_ignored) in [("Ignore", true), ("Fail", false)] {
        let (policies, bindings) = ([policy(&spec(failure))], [binding(&json!({}))]);
        let reports = report_request(&policies, &bindings, &shallow);
        let PolicyOutcome::Bound(bound) = &reports[0].outcome else { panic!("{reports:?}") };
        let BindingOutcome::Evaluated(params) = &bound[0].outcome else { panic!("{bound:?}") };
        let decision = &params[0].decisions[0];
        assert_eq!((decision.is_error, decision.is_ignored), (true, is_ignored));
        let answer = answer_from_reports(&policies, &bindings, &shallow, &reports);
        assert_eq!(answer.denial.is_none(), is_ignored);
    }
    let reports = report_request(&[policy(&spec("Fail"))], &[binding(&json!({}))], &request("default"));
    let PolicyOutcome::Bound(bound) = &reports[0].outcome else { panic!("{reports:?}") };
    let BindingOutcome::Evaluated(params) = &bound[0].outcome else { panic!("{bound:?}") };
    assert_eq!((params[0].skipped_by, params[0].decisions.len()), (Some(0), 0));
}

#[test]
fn before_1_32_functions_of_kubernetes_cost_a_policy_1() {
    let find = "object.text.find('a') == ''";
    // Each search costs 2,500 and more, where it has a cost of its own.
    let validations: Vec<Json> =
        (0..6).map(|_| json!({"expression": vec![find; 100].join(" && ")})).collect();
    let rules = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]);
    let spec = json!({"matchConstraints": {"resourceRules": rules}, "validations": validations});
    let object = json!({"apiVersion": "garden.example.com/v1", "kind": "Pond", "metadata": {"name": "mill"},
        "text": "b".repeat(100_000)});
    let on = |version: &str| {
        let server = ServerFeatures::of_version(version.parse().unwrap());
        let request =
            Request { server, ..Request::for_creation("garden.example.com", "ponds", object.clone()) };
        let outcome = outcome(&spec, &request);
        let PolicyOutcome::Bound(bindings) = outcome else { panic!("{outcome:?}") };
        let BindingOutcome::Evaluated(params) = &bindings[0].outcome else { panic!("{bindings:?}") };
        params[0].decisions.iter().map(|it| it.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(on("1.31"), [""; 0]);
    assert!(on("1.32")[0].contains("cost limit exceeded"), "{:?}", on("1.32"));
    assert_eq!(on("1.32"), on("1.36"));
}
