//! Changes of admission policies and their bindings, with requests that the emulated server answers differently.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_crd::RunResources;
use kvrules_diff::{Change, Comparison, Direction, EffectAnswer};
use kvrules_lift::PolicyLifter;
use serde_json::{Value, json};

fn compare_policies(old: &Value, new: &Value) -> Comparison {
    kvrules_diff::resource::compare_policies(old, new, &RunResources::default())
}

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

#[test]
fn a_direction_without_a_proof_is_unknown_next_to_an_example_of_the_other() {
    let with = |rule: &str| json!({"validations": [{"expression": rule}]});
    for (old, new) in [
        (
            "object.metadata.name.startsWith('a') || object.spec.replicas > 3",
            "object.metadata.name.endsWith('a') || object.spec.replicas > 2",
        ),
        (
            "url(object.metadata.name).getHost() == 'a' || object.spec.replicas > 3",
            "url(object.metadata.name).getPort() == '1' || object.spec.replicas > 2",
        ),
        (
            "object.metadata.name.split('-').size() == 7 || object.spec.replicas > 3",
            "object.metadata.name.split('.').size() == 7 || object.spec.replicas > 2",
        ),
    ] {
        let change = only(&with(old), &with(new));
        assert!(change.loosens() != EffectAnswer::No, "{change:#?}");
        assert!(change.tightens() != EffectAnswer::No, "{change:#?}");
        if change.tightens() == EffectAnswer::Unknown {
            assert!(!change.proved && !change.notes.is_empty(), "{change:#?}");
        }
        let back = only(&with(new), &with(old));
        assert!(back.tightens() != EffectAnswer::No && back.loosens() != EffectAnswer::No, "{back:#?}");
    }
}

#[test]
fn parts_of_constraints_are_compared_on_top_of_each_other() {
    let with = |resources: &[&str], excluded: &[&str]| {
        let rule = |resources: &[&str]| {
            let mut rule = deployments();
            rule["resources"] = json!(resources);
            rule
        };
        let mut constraints = json!({"resourceRules": [rule(resources)]});
        if !excluded.is_empty() {
            constraints["excludeResourceRules"] = json!([rule(excluded)]);
        }
        json!({ "matchConstraints": constraints })
    };
    // Neither change has an effect without the other one.
    let old = policy(&with(&["deployments"], &["statefulsets"]));
    let new = policy(&with(&["deployments", "statefulsets"], &[]));
    let changes = compare_policies(&old, &new).changes;
    assert!(changes.iter().any(|change| change.tightens() == EffectAnswer::Yes), "{changes:#?}");
    let changes = compare_policies(&new, &old).changes;
    assert!(changes.iter().any(|change| change.loosens() == EffectAnswer::Yes), "{changes:#?}");
}

#[test]
fn a_condition_that_may_end_in_an_error_may_deny_more() {
    let with = |condition: &str| json!({"matchConditions": [{"name": "c", "expression": condition}]});
    let change = only(&json!({}), &with("object.spec.paused == false"));
    assert!(change.tightens() != EffectAnswer::No && change.loosens() == EffectAnswer::Yes, "{change:#?}");
    let change = only(&json!({}), &with("has(object.metadata.labels)"));
    assert_eq!((change.direction, change.proved), (Direction::Loosened, true), "{change:#?}");
    // Errors are ignored.
    let ignoring = |members: Value| {
        let mut members = members;
        members["failurePolicy"] = json!("Ignore");
        members
    };
    let change = only(&ignoring(json!({})), &ignoring(with("object.spec.paused == false")));
    assert_eq!(change.tightens(), EffectAnswer::No, "{change:#?}");
}

#[test]
fn an_audit_annotation_that_ends_in_an_error_denies() {
    let with = |value: &str| json!({"auditAnnotations": [{"key": "a", "valueExpression": value}]});
    let change = only(&json!({}), &with("'constant'"));
    assert_eq!((change.direction, change.proved), (Direction::Equal, true), "{change:#?}");
    let change = only(&json!({}), &with("object.metadata.labels['team']"));
    assert_eq!(change.loosens(), EffectAnswer::No, "{change:#?}");
    assert!(change.tightens() != EffectAnswer::No, "{change:#?}");
}

#[test]
fn a_denial_has_the_message_of_the_validation_that_changed() {
    let entry = |rule: &str, message: &str| json!({"expression": rule, "message": message});
    let first = |most: u32| entry(&format!("object.spec.replicas <= {most}"), "first");
    let second = |most: u32| entry(&format!("object.spec.replicas * 2 <= {most}"), "second");
    let old = policy(&json!({"validations": [first(9), second(30)]}));
    let new = policy(&json!({"validations": [first(5), second(8)]}));
    let changes = compare_policies(&old, &new).changes;
    let because: Vec<&str> =
        changes.iter().filter_map(|change| Some(change.refused.as_ref()?.because.as_str())).collect();
    assert_eq!(because, ["first", "second"], "{changes:#?}");
}

/// A definition of gadgets whose `size` is an integer.
const GADGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size, mode]
              x-kubernetes-validations: [{rule: self.size != 7}]
              properties:
                size: {type: integer, minimum: 3}
                low: {type: integer}
                ratio: {type: number}
                on: {type: boolean}
                mode: {type: string, enum: [a, b]}
                tags: {type: array, maxItems: 2, items: {type: string}}
                note: {type: string, default: none}
";

fn gadgets() -> RunResources {
    let stream = kvrules_syntax::parse_stream(kvrules_diagnostics::FileId(0), GADGETS);
    let mut run = RunResources::default();
    run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    run
}

#[test]
fn requests_for_a_custom_kind_have_objects_that_its_schema_accepts() {
    let run = gadgets();
    let schema =
        run.definitions().next().unwrap().pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap();
    let server = kvrules_apiserver::object::ObjectSchema::new(schema);
    let with = |rule: &str| {
        let resources = json!({"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
            "resources": ["gadgets"]});
        policy(
            &json!({"matchConstraints": {"resourceRules": [resources]}, "validations": [{"expression": rule}]}),
        )
    };
    for (old, new) in [
        // Neither rule has a constant that would tell the type.
        ("object.spec.size > object.spec.low", "object.spec.size >= object.spec.low"),
        ("object.spec.size < 9", "object.spec.size < 8"),
        ("object.spec.ratio < 0.5", "object.spec.ratio < 0.25"),
        ("object.spec.on", "!object.spec.on"),
        ("object.spec.tags.exists(t, t == 'x')", "object.spec.tags.all(t, t == 'x')"),
        ("object.spec.note == 'none'", "object.spec.note != 'none'"),
    ] {
        let change = kvrules_diff::resource::compare_policies(&with(old), &with(new), &run).changes.remove(0);
        let witnesses: Vec<_> = change.refused.iter().chain(&change.accepted).collect();
        assert!(!witnesses.is_empty(), "{old} → {new}: {change:#?}");
        for witness in witnesses {
            let stored = witness.previous.as_ref();
            let answer = server.admit_object(&witness.object, stored);
            assert!(answer.is_accepted() && answer.unknown.is_empty(), "{old} → {new}: {answer:#?}");
            assert_eq!(witness.object["kind"], "Gadget");
        }
        assert!(!change.notes.iter().any(|note| note.contains("--schema")), "{change:#?}");
    }
    // Without the definition the types are guessed, and a note says so.
    let changes = compare_policies(&with("object.spec.size < 9"), &with("object.spec.size < 8")).changes;
    assert!(changes[0].notes.iter().any(|note| note.contains("--schema")), "{changes:#?}");
}

#[test]
fn requests_for_a_built_in_kind_have_the_fields_that_its_schema_requires() {
    let with = |rule: &str| policy(&json!({"validations": [{"expression": rule}]}));
    let rule = |most: u32| format!("object.spec.template.spec.containers.size() <= {most}");
    let changes = compare_policies(&with(&rule(2)), &with(&rule(1))).changes;
    let object = &changes[0].refused.as_ref().unwrap().object;
    assert!(object.pointer("/spec/selector").is_some_and(Value::is_object), "{object}");
    let containers = object.pointer("/spec/template/spec/containers").and_then(Value::as_array).unwrap();
    assert!(containers.iter().all(|it| it["name"].is_string()), "{object}");
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
            let may = |answer| answer != EffectAnswer::No;
            let (may_tighten, may_loosen) = (may(change.tightens()), may(change.loosens()));
            if may_tighten && may_loosen {
                continue;
            }
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

#[test]
fn work_for_each_changed_validation_does_not_grow_with_their_number() {
    let steps = |count: usize| {
        let side = |most: u32| {
            let rules: Vec<String> = (0..count)
                .map(|at| format!("!has(object.metadata.labels) || !('l{at}' in object.metadata.labels) || size(object.metadata.labels['l{at}']) < {most}"))
                .collect();
            let entry =
                |(at, rule): (usize, &String)| json!({"expression": rule, "message": format!("l{at}")});
            policy(&json!({"validations": rules.iter().enumerate().map(entry).collect::<Vec<_>>()}))
        };
        let comparison = compare_policies(&side(5), &side(4));
        assert_eq!(comparison.changes.len(), count);
        comparison.steps
    };
    let (few, many) = (steps(8), steps(32));
    println!("8 validations: {few} steps, 32: {many}");
    assert!(many <= few * 5, "{few} {many}");
}
