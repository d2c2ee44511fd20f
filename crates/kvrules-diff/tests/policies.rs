//! Changes of admission policies and their bindings, with requests that the emulated server answers differently.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_diff::resource::compare_policies;
use kvrules_diff::{Change, Direction};
use kvrules_lift::PolicyLifter;
use serde_json::{Value, json};

fn deployments() -> Value {
    json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"]})
}

/// A policy about Deployments with these members of its specification.
fn policy(members: &Value) -> Value {
    let mut spec = json!({
        "matchConstraints": {"resourceRules": [deployments()]},
        "validations": [{"expression": "object.spec.replicas <= 5", "message": "at most 5"}],
    });
    spec.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({"kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"}, "spec": spec})
}

fn only(old: &Value, new: &Value) -> Change {
    let comparison = compare_policies(&policy(old), &policy(new));
    assert_eq!(comparison.changes.len(), 1, "{comparison:#?}");
    comparison.changes.into_iter().next().unwrap()
}

/// Constraints with a changed part.
fn matching(key: &str, value: Value) -> Value {
    let mut constraints = json!({"resourceRules": [deployments()]});
    constraints[key] = value;
    json!({ "matchConstraints": constraints })
}

fn rules(changes: &Value) -> Value {
    let mut rule = deployments();
    rule.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    matching("resourceRules", json!([rule]))
}

#[test]
fn a_validation_is_compared_by_the_requests_that_it_denies() {
    let with = |rule: &str| json!({"validations": [{"expression": rule, "message": "m"}]});
    for (old, new, direction) in [
        ("object.spec.replicas <= 5", "object.spec.replicas <= 4", Direction::Tightened),
        ("object.spec.replicas <= 5", "object.spec.replicas <= 6", Direction::Loosened),
        ("object.spec.replicas <= 5", "object.spec.replicas >= 3", Direction::Incomparable),
        ("object.spec.replicas <= 5", "5 >= object.spec.replicas", Direction::Equal),
        (
            "object.spec.replicas <= 5",
            "has(object.spec.replicas) && object.spec.replicas <= 5",
            Direction::Equal,
        ),
        (
            "object.spec.template.spec.containers.all(c, c.image.startsWith('registry/'))",
            "object.spec.template.spec.containers.all(c, c.image.startsWith('registry/') || c.image == 'busybox')",
            Direction::Loosened,
        ),
    ] {
        let change = only(&with(old), &with(new));
        assert_eq!(change.direction, direction, "{old}; {new}: {change:#?}");
        assert_eq!(change.refused.is_some(), direction.is_tightening());
        assert_eq!(change.accepted.is_some(), direction.is_loosening());
    }
}

#[test]
fn an_added_validation_denies_a_request_that_was_admitted() {
    let old = json!({});
    let new = json!({"validations": [
        {"expression": "object.spec.replicas <= 5", "message": "at most 5"},
        {"expression": "object.spec.template.metadata.labels['app'] == 'web'"},
    ]});
    let change = only(&old, &new);
    assert_eq!((change.what, change.direction, change.proved), ("rule added", Direction::Tightened, true));
    let request = change.refused.as_ref().unwrap().request.as_ref().unwrap();
    assert_eq!((request.group.as_str(), request.resource.as_str()), ("apps", "deployments"));
    let gone = only(&new, &old);
    assert_eq!((gone.what, gone.direction, gone.proved), ("rule removed", Direction::Loosened, true));
}

#[test]
fn variables_are_put_in_before_expressions_are_compared() {
    let old = json!({"validations": [{"expression": "object.spec.replicas <= 5"}]});
    let new = |limit: u32| {
        json!({
            "variables": [
                {"name": "most", "expression": limit.to_string()},
                {"name": "fits", "expression": "object.spec.replicas <= variables.most"},
            ],
            "validations": [{"expression": "variables.fits"}],
        })
    };
    let found = compare_policies(&policy(&old), &policy(&new(5))).changes;
    assert!(found.iter().all(|change| change.direction == Direction::Equal), "{found:#?}");
    let found = compare_policies(&policy(&new(5)), &policy(&new(4))).changes;
    let rule = found.iter().find(|change| change.what == "rule").unwrap();
    assert_eq!((rule.direction, rule.at.as_str()), (Direction::Tightened, "spec.validations"));
}

#[test]
fn constraints_are_compared_as_sets_of_requests() {
    for (members, direction) in [
        (rules(&json!({"operations": ["CREATE"]})), Direction::Loosened),
        (rules(&json!({"operations": ["CREATE", "UPDATE", "DELETE"]})), Direction::Tightened),
        (rules(&json!({"operations": ["UPDATE", "CREATE"]})), Direction::Equal),
        (rules(&json!({"operations": ["CREATE", "CONNECT"]})), Direction::Incomparable),
        (rules(&json!({"resources": ["deployments", "statefulsets"]})), Direction::Tightened),
        (rules(&json!({"resources": ["*"]})), Direction::Tightened),
        // An asterisk for the subresource includes the resource itself.
        (rules(&json!({"resources": ["deployments/*"]})), Direction::Tightened),
        (rules(&json!({"resources": ["deployments/scale"]})), Direction::Incomparable),
        // Every version of the resource is converted, as long as the policy is not `Exact`.
        (rules(&json!({"apiVersions": ["*"]})), Direction::Equal),
        (rules(&json!({"apiGroups": ["apps", "batch"]})), Direction::Tightened),
        (rules(&json!({"scope": "Namespaced"})), Direction::Loosened),
        (rules(&json!({"scope": "*"})), Direction::Equal),
        (rules(&json!({"resourceNames": ["a"]})), Direction::Loosened),
        (matching("resourceRules", json!([deployments(), deployments()])), Direction::Equal),
        (matching("excludeResourceRules", json!([deployments()])), Direction::Loosened),
        (matching("objectSelector", json!({"matchLabels": {"a": "b"}})), Direction::Loosened),
        (
            matching("namespaceSelector", json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]})),
            Direction::Loosened,
        ),
        (matching("namespaceSelector", json!({})), Direction::Equal),
        (matching("matchPolicy", json!("Exact")), Direction::Loosened),
    ] {
        let change = only(&json!({}), &members);
        assert_eq!(change.direction, direction, "{members}: {change:#?}");
        let back = only(&members, &json!({}));
        let opposite = match direction {
            Direction::Tightened => Direction::Loosened,
            Direction::Loosened => Direction::Tightened,
            other => other,
        };
        assert_eq!(back.direction, opposite, "back from {members}: {back:#?}");
        assert_eq!(back.refused.is_some(), opposite.is_tightening());
    }
}

#[test]
fn a_selector_that_selects_the_same_is_equal() {
    let one = matching("objectSelector", json!({"matchLabels": {"a": "b"}}));
    let other = matching(
        "objectSelector",
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}),
    );
    assert_eq!(only(&one, &other).direction, Direction::Equal);
    let exists =
        matching("objectSelector", json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]}));
    let not_in = matching(
        "objectSelector",
        json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]}),
    );
    assert_eq!(only(&exists, &not_in).direction, Direction::Incomparable);
}

#[test]
fn conditions_decide_which_requests_are_validated() {
    let with = |condition: &str| json!({"matchConditions": [{"name": "c", "expression": condition}]});
    let change = only(&json!({}), &with("request.operation == 'CREATE'"));
    assert_eq!((change.what, change.direction), ("rule added", Direction::Loosened));
    assert_eq!(change.accepted.unwrap().request.unwrap().operation, "UPDATE");
    let change = only(&with("request.operation == 'CREATE'"), &json!({}));
    assert_eq!(change.direction, Direction::Tightened);
    assert_eq!(only(&json!({}), &with("true")).direction, Direction::Equal);
}

#[test]
fn a_failure_policy_is_shown_by_an_error() {
    let change = only(&json!({}), &json!({"failurePolicy": "Ignore"}));
    assert_eq!(change.direction, Direction::Loosened);
    let witness = change.accepted.unwrap();
    assert!(
        witness.object.pointer("/spec/replicas").is_none() && witness.because.contains("no such key"),
        "{witness:?}"
    );
}

#[test]
fn a_policy_with_parameters_is_unknown_where_they_decide() {
    let with = |rule: &str| {
        json!({
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            "validations": [{"expression": rule, "message": "m"}],
        })
    };
    let change = only(
        &with("object.spec.replicas <= int(params.data.most)"),
        &with("object.spec.replicas < int(params.data.most)"),
    );
    assert_eq!(change.direction, Direction::Unknown);
    assert!(change.notes.iter().any(|note| note.contains("parameters")), "{:?}", change.notes);
    // The form is enough here.
    let change = only(
        &with("object.spec.replicas <= int(params.data.most)"),
        &with("int(params.data.most) >= object.spec.replicas"),
    );
    assert_eq!(change.direction, Direction::Equal);
}

fn binding(members: &Value) -> Value {
    let mut spec = json!({"policyName": "p", "validationActions": ["Deny"]});
    spec.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({"kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"}, "spec": spec})
}

#[test]
fn a_binding_is_compared_for_a_policy_that_denies_everything() {
    let selector = json!({"matchResources": {"namespaceSelector": {"matchLabels": {"env": "prod"}}}});
    for (old, new, direction) in [
        (json!({}), json!({"validationActions": ["Audit"]}), Direction::Loosened),
        (
            json!({"validationActions": ["Warn"]}),
            json!({"validationActions": ["Deny", "Audit"]}),
            Direction::Tightened,
        ),
        (
            json!({"validationActions": ["Warn"]}),
            json!({"validationActions": ["Audit"]}),
            Direction::MessageOnly,
        ),
        (json!({}), selector.clone(), Direction::Loosened),
        (selector, json!({}), Direction::Tightened),
        (json!({}), json!({"policyName": "q"}), Direction::Unknown),
        (
            json!({}),
            json!({"paramRef": {"name": "x", "parameterNotFoundAction": "Deny"}}),
            Direction::Unknown,
        ),
    ] {
        let changes = compare_policies(&binding(&old), &binding(&new)).changes;
        assert_eq!(changes[0].direction, direction, "{old} {new}: {changes:#?}");
        assert_eq!(changes[0].refused.is_some(), direction.is_tightening(), "{old} {new}: {changes:#?}");
        assert_eq!(changes[0].accepted.is_some(), direction.is_loosening(), "{old} {new}: {changes:#?}");
    }
}

fn of_validations(expressions: &[&str]) -> Value {
    let validations: Vec<Value> = expressions.iter().map(|text| json!({"expression": text})).collect();
    policy(&json!({"validations": validations}))
}

#[test]
fn validations_are_proved_to_imply_others() {
    let both = "object.spec.replicas <= 5 && object.spec.replicas >= 1";
    let found = compare_policies(
        &of_validations(&[both]),
        &of_validations(&["object.spec.replicas < 6", "!(object.spec.replicas < 1)"]),
    )
    .changes;
    assert!(found.iter().all(|change| change.direction == Direction::Equal && change.proved), "{found:#?}");
    // A validation that others imply is removed.
    let found = compare_policies(
        &of_validations(&["object.spec.replicas <= 5", "object.spec.replicas <= 9"]),
        &of_validations(&["object.spec.replicas <= 5"]),
    )
    .changes;
    assert_eq!(found[0].direction, Direction::Equal);
    assert_eq!(found[0].proofs[0].by, ["object.spec.replicas <= 5"]);
    // An error denies, so the test for presence lets more through.
    let found = compare_policies(
        &of_validations(&["object.metadata.labels.size() > 0"]),
        &of_validations(&["!has(object.metadata.labels) || object.metadata.labels.size() > 0"]),
    )
    .changes;
    assert_eq!((found[0].direction, found[0].proved), (Direction::Loosened, true), "{found:#?}");
}

/// Validations of which many imply others.
const POOL: &[&str] = &[
    "object.spec.replicas <= 5",
    "object.spec.replicas < 5",
    "!has(object.spec.replicas) || object.spec.replicas <= 5",
    "has(object.spec.replicas)",
    "object.spec.replicas in [1, 3]",
    "object.spec.replicas == 3",
    "has(object.metadata.labels)",
    "has(object.metadata.labels) && 'a' in object.metadata.labels",
    "object.metadata.labels['a'] == 'b'",
    "object.metadata.?labels.a.orValue('b') == 'b'",
    "object.spec.template.spec.containers.all(c, c.name != 'x')",
    "!object.spec.template.spec.containers.exists(c, c.name == 'x')",
    "object.spec.template.spec.containers.all(c, has(c.image) && c.name != 'x')",
    "request.operation == 'CREATE' || object.spec.replicas <= 5",
    "oldObject == null || oldObject.spec.replicas == object.spec.replicas",
    "request.operation == 'CREATE'",
    "oldObject == null",
];

#[test]
fn no_request_contradicts_a_claim_about_validations() {
    let (mut equal, mut one_sided, mut requests) = (0, 0, 0);
    for (at, old) in POOL.iter().enumerate() {
        // Half of the pairs.
        for (_, new) in POOL.iter().enumerate().filter(|(other, _)| (at + other) % 2 == 1) {
            let sides = [of_validations(&[old]), of_validations(&[new])];
            let [change] = compare_policies(&sides[0], &sides[1]).changes.try_into().unwrap();
            let (may_tighten, may_loosen) = match (change.direction, change.proved) {
                (Direction::Equal, _) => (false, false),
                (Direction::Tightened, true) => (true, false),
                (Direction::Loosened, true) => (false, true),
                _ => continue,
            };
            equal += usize::from(change.direction == Direction::Equal);
            one_sided += usize::from(change.direction != Direction::Equal);
            let both = of_validations(&[old, new]);
            let subjects = kvrules_crd::policy_subjects(&both, &kvrules_crd::RunResources::default());
            let policy = Policy::from_json(&both);
            let lifter = PolicyLifter::new(&both, &policy, &subjects[0]);
            for side in 0..2 {
                let (_, formulas) = lifter.lift_unconfirmed(PolicyExpression::Validation(side)).unwrap();
                for (_, request, params) in lifter.generate_requests(&formulas).take(60).flatten() {
                    requests += 1;
                    let passes = |side| {
                        let value =
                            policy.evaluate_expression(PolicyExpression::Validation(side), &request, &params);
                        matches!(value, Some(Ok(kvrules_cel::value::Value::Bool(true))))
                    };
                    let (before, after) = (passes(0), passes(1));
                    assert!(may_tighten || !before || after, "{old} → {new}: {:?}", request.object);
                    assert!(may_loosen || before || !after, "{old} → {new}: {:?}", request.object);
                }
            }
        }
    }
    println!("{equal} equal, {one_sided} in one direction, {requests} requests");
    assert!(equal >= 2 && one_sided >= 20, "{equal} {one_sided}");
}
