//! Expressions of policies that end in errors for objects that a server has, and guarded ones, which do not.
#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{FileId, Level, SourceFile};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

/// A policy about resources, with its expressions.
struct PolicyText {
    group: &'static str,
    resource: &'static str,
    operations: Value,
    rest: Value,
}

impl PolicyText {
    fn about(group: &'static str, resource: &'static str, rest: Value) -> Self {
        Self { group, resource, operations: json!(["CREATE", "UPDATE"]), rest }
    }

    fn validating(group: &'static str, resource: &'static str, expression: &str) -> Self {
        Self::about(group, resource, json!({"validations": [{"expression": expression}]}))
    }

    /// The findings that expressions end in errors.
    fn failures(&self, run: &RunResources) -> Vec<(Level, String)> {
        let mut spec = self.rest.clone();
        let rule = json!({"apiGroups": [self.group], "apiVersions": ["v1"], "operations": self.operations, "resources": [self.resource]});
        spec["matchConstraints"] = json!({"resourceRules": [rule]});
        let text =
            json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "p"}, "spec": spec})
            .to_string();
        failures_of(&text, run)
    }
}

/// The findings that expressions of a policy end in errors: the level, and the field, the message and the help.
fn failures_of(text: &str, run: &RunResources) -> Vec<(Level, String)> {
    let source = SourceFile::new(FileId(0), "policy.yaml", text);
    let stream = parse_stream(FileId(0), text);
    let documents: Vec<_> = stream.documents.iter().collect();
    let found = check_in_run(&source, &documents, &StoredResources::default(), run).findings;
    let failing = found.into_iter().filter(|it| it.code == "KC307");
    failing
        .map(|it| {
            let field = it.field.clone().unwrap_or_default();
            (it.level, format!("{field}: {}; {}", it.message, it.help.unwrap_or_default()))
        })
        .collect()
}

/// Asserts that one expression ends in an error, in these words.
fn assert_failure(policy: &PolicyText, run: &RunResources, level: Level, words: &[&str]) {
    let found = policy.failures(run);
    let [(known, finding)] = found.as_slice() else { panic!("{}: {found:?}", policy.rest) };
    assert_eq!(*known, level, "{finding}");
    for word in words {
        assert!(finding.contains(word), "{word}: {finding}");
    }
}

#[test]
fn a_validation_about_permissions_does_not_hide_that_another_ends_in_an_error() {
    let of = |check: &str| {
        let validations = json!([
            {"expression": "object.roleRef.name != 'cluster-admin' || object.subjects.all(s, s.kind == 'Group')"},
            {"expression": format!("authorizer.group('').resource('pods').check('bind').{check}")},
        ]);
        PolicyText::about(
            "rbac.authorization.k8s.io",
            "clusterrolebindings",
            json!({"validations": validations}),
        )
    };
    let run = RunResources::default();
    assert_failure(&of("allowed()"), &run, Level::Warning, &["validations[0]", "without `object.subjects`"]);
    // A user with permissions is refused by the second one.
    assert_eq!(of("allowed() == false").failures(&run), []);
}

#[test]
fn values_of_built_in_kinds_that_end_expressions_in_errors_are_found() {
    let refused = "the server refuses the request with";
    let cases = [
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, p.targetPort > 0)",
            "`object.spec.ports[].targetPort` is a string",
        ),
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, p.targetPort.matches('^[a-z]+$'))",
            "`object.spec.ports[].targetPort` is an integer",
        ),
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, quantity(p.targetPort).isGreaterThan(quantity('1')))",
            "`object.spec.ports[].targetPort` is an integer",
        ),
        (
            "policy",
            "poddisruptionbudgets",
            "!has(object.spec.maxUnavailable) || object.spec.maxUnavailable >= 1",
            "`object.spec.maxUnavailable` is a string",
        ),
        (
            "apps",
            "deployments",
            "object.spec.strategy.rollingUpdate.maxSurge <= 1",
            "`object.spec.strategy.rollingUpdate.maxSurge` is a string",
        ),
        ("", "services", "!has(object.spec.ports) || object.spec.ports[1].port > 80", "a list has no item 1"),
        (
            "",
            "pods",
            "object.spec.containers.all(c, c.image.split(':')[1] != 'latest')",
            "a list has no item 1",
        ),
        ("apps", "deployments", "100 / object.spec.replicas > 3", "a divisor is zero"),
        ("apps", "deployments", "10 % object.spec.replicas == 0", "a divisor is zero"),
        ("", "configmaps", "object.data['mode'] == 'x'", "without `object.data`"),
        ("", "configmaps", "has(object.data) && object.data['mode'] == 'x'", "without `object.data.mode`"),
        (
            "",
            "pods",
            "has(object.metadata.labels) && object.metadata.labels[object.metadata.name] == 'x'",
            "whose `object.metadata.labels` does not have the key",
        ),
        (
            "",
            "pods",
            "object.spec.containers.filter(c, c.image == 'a')[0].name == 'x'",
            "a list has no item 0",
        ),
        (
            "",
            "pods",
            "namespaceObject.metadata.labels['team'] == 'x'",
            "without `namespaceObject.metadata.labels.team`",
        ),
    ];
    for (group, resource, expression, words) in cases {
        let policy = PolicyText::validating(group, resource, expression);
        assert_failure(&policy, &RunResources::default(), Level::Warning, &[words, refused]);
    }
}

#[test]
fn guarded_expressions_and_values_that_a_server_excludes_have_no_findings() {
    let right = [
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, type(p.targetPort) == string || p.targetPort > 0)",
        ),
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, type(p.targetPort) == int || p.targetPort.matches('^[a-z]+$'))",
        ),
        ("", "services", "!has(object.spec.ports) || object.spec.ports.all(p, string(p.targetPort) != '80')"),
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, p.targetPort == 80 || p.targetPort == 'http')",
        ),
        (
            "",
            "services",
            "!has(object.spec.ports) || size(object.spec.ports) < 2 || object.spec.ports[1].port > 80",
        ),
        ("apps", "deployments", "object.spec.replicas == 0 || 100 / object.spec.replicas > 3"),
        ("apps", "deployments", "100 / (object.spec.replicas + 1) > 3 || object.spec.replicas / 2 < 3"),
        (
            "",
            "pods",
            "object.spec.containers.all(c, !c.image.contains(':') || c.image.split(':')[1] != 'latest')",
        ),
        (
            "",
            "pods",
            "!has(object.metadata.labels) || !(object.metadata.name in object.metadata.labels) || object.metadata.labels[object.metadata.name] == 'x'",
        ),
        (
            "",
            "pods",
            "!('team' in namespaceObject.metadata.labels) || namespaceObject.metadata.labels['team'] == 'x'",
        ),
        (
            "",
            "configmaps",
            "!has(object.data) || !('n' in object.data) || !object.data.n.matches('^[0-9]{1,3}$') || int(object.data.n) < 10",
        ),
        (
            "",
            "configmaps",
            "!has(object.data) || !('n' in object.data) || !isQuantity(object.data.n) || quantity(object.data.n).isLessThan(quantity('1Gi'))",
        ),
        // The server validates these: a Pod has a container, quantities and times can be read, and a port is not zero.
        ("", "pods", "object.spec.containers[0].image != ''"),
        ("", "pods", "!has(object.spec.initContainers) || object.spec.initContainers[0].image != ''"),
        (
            "",
            "pods",
            "object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits['memory']).isLessThan(quantity('1Gi')))",
        ),
        ("", "pods", "timestamp(object.metadata.creationTimestamp) > timestamp('2024-01-01T00:00:00Z')"),
        ("autoscaling", "horizontalpodautoscalers", "100 / object.spec.maxReplicas > 1"),
        ("", "services", "!has(object.spec.ports) || object.spec.ports.all(p, 65536 / p.port > 0)"),
    ];
    for (group, resource, expression) in right {
        let found = PolicyText::validating(group, resource, expression).failures(&RunResources::default());
        assert!(found.is_empty(), "{expression}: {found:?}");
    }
}

#[test]
fn optional_fields_that_the_server_does_not_fill_in_are_missing() {
    let cases = [
        ("", "services", "object.spec.ports.all(p, p.port > 80)", "without `object.spec.ports`"),
        ("", "services", "object.spec.selector['app'] == 'a'", "without `object.spec.selector`"),
        (
            "",
            "services",
            "!has(object.spec.ports) || object.spec.ports.all(p, p.name != 'a')",
            "without `object.spec.ports[].name`",
        ),
        (
            "",
            "pods",
            "object.spec.containers.all(c, c.resources.requests['cpu'] != '1')",
            "without `object.spec.containers[].resources.requests`",
        ),
        (
            "apps",
            "deployments",
            "object.spec.template.spec.containers.all(c, !has(c.resources.limits) || c.resources.requests.cpu != '1')",
            "without `object.spec.template.spec.containers[].resources.requests`",
        ),
        (
            "",
            "services",
            "object.spec.type == 'ExternalName' || object.spec.ports.all(p, p.port > 80)",
            "without `object.spec.ports`",
        ),
        (
            "",
            "pods",
            "object.spec.containers.all(c, c.env.all(e, e.name != 'A'))",
            "without `object.spec.containers[].env`",
        ),
        (
            "",
            "pods",
            "object.spec.containers.all(c, c.livenessProbe.httpGet.port == 1)",
            "without `object.spec.containers[].livenessProbe`",
        ),
        ("", "pods", "object.spec.runtimeClassName == 'x'", "without `object.spec.runtimeClassName`"),
        (
            "apps",
            "deployments",
            "object.spec.template.spec.volumes.all(v, v.name != 'x')",
            "without `object.spec.template.spec.volumes`",
        ),
        (
            "apps",
            "deployments",
            "object.spec.template.spec.serviceAccountName != 'default'",
            "without `object.spec.template.spec.serviceAccountName`",
        ),
        ("apps", "deployments", "object.spec.paused == true", "without `object.spec.paused`"),
        (
            "batch",
            "cronjobs",
            "object.spec.jobTemplate.spec.backoffLimit < 3",
            "without `object.spec.jobTemplate.spec.backoffLimit`",
        ),
        (
            "batch",
            "jobs",
            "object.spec.ttlSecondsAfterFinished < 3",
            "without `object.spec.ttlSecondsAfterFinished`",
        ),
        (
            "networking.k8s.io",
            "ingresses",
            "object.spec.ingressClassName == 'nginx'",
            "without `object.spec.ingressClassName`",
        ),
        (
            "networking.k8s.io",
            "ingresses",
            "object.spec.rules.all(r, r.host != '')",
            "without `object.spec.rules",
        ),
        (
            "networking.k8s.io",
            "networkpolicies",
            "object.spec.egress.all(e, has(e.to))",
            "without `object.spec.egress`",
        ),
        (
            "rbac.authorization.k8s.io",
            "clusterroles",
            "object.rules.all(r, r.resources.all(n, n != '*'))",
            "without `object.rules[].resources`",
        ),
        (
            "storage.k8s.io",
            "storageclasses",
            "object.parameters['type'] == 'ssd'",
            "without `object.parameters`",
        ),
    ];
    for (group, resource, expression, words) in cases {
        let policy = PolicyText::validating(group, resource, expression);
        assert_failure(&policy, &RunResources::default(), Level::Warning, &[words]);
    }
}

#[test]
fn optional_fields_that_the_server_fills_in_or_demands_are_not_missing() {
    let right = [
        ("", "pods", "object.spec.volumes.all(v, v.name != 'x')"),
        ("", "pods", "object.spec.serviceAccountName != 'default' && object.spec.enableServiceLinks"),
        ("", "pods", "object.spec.tolerations.exists(t, has(t.key)) && object.spec.priority < 3"),
        ("", "pods", "object.spec.containers.all(c, c.image != '' && c.terminationMessagePath != '')"),
        (
            "",
            "pods",
            "object.spec.containers.all(c, !has(c.livenessProbe) || c.livenessProbe.timeoutSeconds < 3)",
        ),
        ("", "services", "object.spec.sessionAffinity == 'None' && object.spec.type != 'NodePort'"),
        (
            "",
            "persistentvolumeclaims",
            "object.spec.accessModes.all(m, m != 'ReadWriteMany') && object.spec.volumeMode != 'Block'",
        ),
        ("", "namespaces", "object.metadata.labels['kubernetes.io/metadata.name'] != 'a' || true"),
        ("", "secrets", "object.type != 'Opaque'"),
        (
            "apps",
            "statefulsets",
            "object.spec.podManagementPolicy == 'Parallel' && object.spec.updateStrategy.type == 'OnDelete'",
        ),
        ("batch", "jobs", "object.spec.backoffLimit < 3 && object.spec.completionMode != 'Indexed'"),
        ("batch", "cronjobs", "object.spec.concurrencyPolicy == 'Forbid' && object.spec.suspend == false"),
        ("networking.k8s.io", "networkpolicies", "object.spec.policyTypes.exists(t, t == 'Egress')"),
        ("autoscaling", "horizontalpodautoscalers", "object.spec.minReplicas > 1"),
        ("storage.k8s.io", "storageclasses", "object.reclaimPolicy == 'Retain'"),
        // The server refuses objects for which these would end in an error.
        ("", "services", "object.spec.type != 'NodePort' || object.spec.ports.all(p, p.nodePort > 30000)"),
        (
            "",
            "services",
            "object.spec.type in ['ClusterIP', 'ExternalName'] || object.spec.ports.all(p, p.port > 80)",
        ),
        (
            "",
            "services",
            "object.spec.type == 'ExternalName' || object.spec.clusterIP == 'None' || object.spec.ports.all(p, p.port > 80)",
        ),
        (
            "networking.k8s.io",
            "ingresses",
            "has(object.spec.defaultBackend) || object.spec.rules.all(r, has(r.host))",
        ),
        (
            "rbac.authorization.k8s.io",
            "clusterroles",
            "object.rules.all(r, has(r.nonResourceURLs) || r.resources.all(n, n != '*'))",
        ),
    ];
    for (group, resource, expression) in right {
        let found = PolicyText::validating(group, resource, expression).failures(&RunResources::default());
        assert!(found.is_empty(), "{expression}: {found:?}");
    }
}

#[test]
fn a_text_that_no_function_can_read_passes_or_is_refused() {
    let readers = [
        ("int(object.data.n) < 10", "`object.data.n` is not an integer"),
        ("quantity(object.data.n).isLessThan(quantity('1Gi'))", "`object.data.n` is not a quantity"),
        ("duration(object.data.n) < duration('1h')", "`object.data.n` is not a duration"),
        ("timestamp(object.data.n) < timestamp('2031-01-01T00:00:00Z')", "`object.data.n` is not a time"),
    ];
    for (reader, words) in readers {
        let expression = format!("!has(object.data) || !('n' in object.data) || {reader}");
        let with = |failure_policy: &str, list: &str| {
            let mut rest = json!({"failurePolicy": failure_policy, "validations": [{"expression": "object.metadata.name != 'a'"}]});
            rest[list] = json!([{"name": "c", "expression": expression}]);
            PolicyText::about("", "configmaps", rest)
        };
        let run = RunResources::default();
        // A validation refuses such a text, which may be on purpose; a condition refuses objects that it is to leave out.
        let refused = "the server refuses the request with";
        assert_failure(&with("Fail", "validations"), &run, Level::Info, &[words, refused]);
        assert_failure(&with("Fail", "matchConditions"), &run, Level::Warning, &[words, refused]);
        let passes = "`failurePolicy: Ignore` lets the request through after";
        assert_failure(&with("Ignore", "validations"), &run, Level::Warning, &[words, passes]);
    }
}

#[test]
fn errors_of_variables_messages_and_annotations_are_found() {
    let run = RunResources::default();
    let of_variable = json!({
        "variables": [{"name": "second", "expression": "object.spec.containers[1]"}],
        "validations": [{"expression": "variables.second.image != 'a'"}],
    });
    let words = ["spec.validations[0].expression", "a list has no item 1", "index out of bounds: 1"];
    assert_failure(&PolicyText::about("", "pods", of_variable), &run, Level::Warning, &words);
    let message = |expression: &str, other: &str| {
        let validation = json!({"expression": "object.spec.replicas < 5", "messageExpression": expression, "message": other});
        PolicyText::about("apps", "deployments", json!({"validations": [validation]}))
    };
    let words = [
        "spec.validations[0].messageExpression",
        "the expression of the message ends in an error for a `Deployment` without `object.metadata.labels`",
        "the server shows `message` in its place after",
    ];
    assert_failure(
        &message("'too many of ' + object.metadata.labels.team", "at most 4"),
        &run,
        Level::Warning,
        &words,
    );
    let guarded = message("'too many of ' + object.metadata.?labels.team.orValue('no team')", "at most 4");
    assert_eq!(guarded.failures(&run), Vec::new());
    // It is shown only where the validation is false: for more than four replicas.
    let unreached = message("'share: ' + string(100 / object.spec.replicas)", "at most 4");
    assert_eq!(unreached.failures(&run), Vec::new());
    let annotation = |expression: &str| {
        PolicyText::about(
            "apps",
            "deployments",
            json!({
                "validations": [{"expression": "object.spec.replicas < 5"}],
                "auditAnnotations": [{"key": "team", "valueExpression": expression}],
            }),
        )
    };
    let words = ["spec.auditAnnotations[0].valueExpression", "without `object.metadata.labels`"];
    assert_failure(&annotation("string(object.metadata.labels.team)"), &run, Level::Warning, &words);
    let guarded = annotation("has(object.metadata.labels) ? object.metadata.labels.?team.orValue('') : null");
    assert_eq!(guarded.failures(&run), Vec::new());
}

/// A policy about Deployments with several validations.
fn deployments_with(expressions: &[&str], failure_policy: &str) -> PolicyText {
    let validations: Vec<_> = expressions.iter().map(|text| json!({"expression": text})).collect();
    let rest = json!({"failurePolicy": failure_policy, "validations": validations});
    PolicyText::about("apps", "deployments", rest)
}

#[test]
fn errors_are_found_next_to_validations_that_accept_few_objects() {
    let of_several = [
        ("object.metadata.labels['team'].startsWith('x-')", "without `object.metadata.labels"),
        (
            "object.metadata.annotations['owner'].matches('^[a-z]{3}@example[.]com$')",
            "without `object.metadata.annotations",
        ),
        (
            "object.spec.template.spec.containers.all(c, c.image.startsWith('reg.example.com/') && c.resources.limits['memory'] == '1Gi')",
            "without `object.spec.template.spec.containers[].resources.limits",
        ),
        (
            "object.spec.strategy.rollingUpdate.maxSurge < 5",
            "`object.spec.strategy.rollingUpdate.maxSurge` is a string",
        ),
        ("100 / int(object.metadata.annotations['n']) > 3", "without `object.metadata.annotations"),
        ("object.spec.template.spec.containers[2].name == 'sidecar'", "a list has no item 2"),
        ("object.spec.template.metadata.labels['a'] == object.metadata.labels['b']", "without `object."),
        (
            "object.spec.template.spec.nodeSelector['zone'] in ['a', 'b']",
            "without `object.spec.template.spec.nodeSelector",
        ),
        (
            "object.spec.template.spec.securityContext.runAsUser > 1000",
            "without `object.spec.template.spec.securityContext.runAsUser`",
        ),
    ];
    let right = [
        "object.spec.replicas > 3 && object.spec.replicas < 7",
        "object.metadata.name.matches('^[a-z]{3}-[0-9]{4}$')",
    ];
    let expressions: Vec<_> = of_several.iter().map(|(text, _)| *text).chain(right).collect();
    for failure_policy in ["Fail", "Ignore"] {
        let found = deployments_with(&expressions, failure_policy).failures(&RunResources::default());
        assert_eq!(found.len(), of_several.len(), "{found:#?}");
        for ((index, (expression, words)), (_, finding)) in of_several.iter().enumerate().zip(found) {
            assert!(finding.starts_with(&format!("spec.validations[{index}]")), "{expression}: {finding}");
            assert!(finding.contains(words), "{expression}: {finding}");
        }
    }
}

#[test]
fn errors_of_requests_that_other_validations_refuse_are_not_reported() {
    // A request that is refused with a message loses nothing by the error.
    let guarded: [&[&str]; 4] = [
        &[
            "object.metadata.labels['team'] != ''",
            "has(object.metadata.labels) && 'team' in object.metadata.labels",
        ],
        &[
            "object.spec.strategy.rollingUpdate.maxSurge < 5",
            "type(object.spec.strategy.rollingUpdate.maxSurge) == int",
        ],
        &[
            "object.spec.template.spec.containers[2].name == 'sidecar'",
            "size(object.spec.template.spec.containers) > 3",
        ],
        &[
            "100 / object.spec.replicas > 3",
            "object.spec.replicas > 1",
            "object.metadata.name.startsWith('a')",
        ],
    ];
    for expressions in guarded {
        for failure_policy in ["Fail", "Ignore"] {
            let found = deployments_with(expressions, failure_policy).failures(&RunResources::default());
            assert_eq!(found, Vec::new(), "{expressions:?}");
        }
    }
}

#[test]
fn the_error_of_another_expression_is_mentioned() {
    let both = ["object.metadata.labels['a'] != 'x'", "object.metadata.labels['b'] != 'x'"];
    let found = deployments_with(&both, "Fail").failures(&RunResources::default());
    let [(_, one), (_, other)] = found.as_slice() else { panic!("{found:?}") };
    assert!(one.ends_with("the server refuses the request with `no such key: a`"), "{one}");
    assert!(other.ends_with("the server refuses the request with `no such key: b`"), "{other}");
    // Neither has a value without the other.
    let both = [
        "object.metadata.labels['a'] > object.metadata.labels['b']",
        "object.metadata.labels['a'] != object.metadata.labels['b']",
    ];
    let found = deployments_with(&both, "Fail").failures(&RunResources::default());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, it)| it.ends_with("or the error of another expression")), "{found:#?}");
    // Parameters of an unknown kind are there.
    let rest = json!({"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}, "validations": [
        {"expression": "object.metadata.labels['a'] != params.spec.name"}, {"expression": "object.metadata.labels['b'] != 'x'"}]});
    let found = PolicyText::about("apps", "deployments", rest).failures(&RunResources::default());
    let [(_, one)] = found.as_slice() else { panic!("{found:?}") };
    assert!(!one.contains("another expression"), "{one}");
    let ignored = deployments_with(&both, "Ignore").failures(&RunResources::default());
    assert!(ignored.iter().all(|(_, it)| !it.contains("another expression")), "{ignored:#?}");
}

/// The definition of ponds, whose `spec` has these rules.
fn ponds(rules: &[&str]) -> RunResources {
    let size = json!({"x-kubernetes-int-or-string": true});
    let rules: Vec<_> = rules.iter().map(|rule| json!({"rule": rule})).collect();
    let spec = json!({"type": "object", "required": ["parts", "names"], "x-kubernetes-validations": rules, "properties": {
        "depth": {"type": "integer"}, "floor": {"type": "integer", "default": 0}, "size": size,
        "parts": {"type": "integer", "minimum": 0}, "count": {"type": "integer", "minimum": 1, "default": 1},
        "names": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "string"},
    }});
    let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let text = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"plural": "ponds", "kind": "Pond"}, "versions": [version]}})
    .to_string();
    let stream = parse_stream(FileId(0), &text);
    let mut run = RunResources::default();
    run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    run
}

#[test]
fn definitions_of_the_run_say_which_values_objects_have() {
    let of_ponds = |expression: &str| PolicyText::validating("example.com", "ponds", expression);
    let cases = [
        ("object.spec.depth > object.spec.floor", "without `object.spec.depth`"),
        ("!has(object.spec.size) || object.spec.size > 2", "`object.spec.size` is a string"),
        ("!has(object.spec.size) || isQuantity(object.spec.size)", "`object.spec.size` is an integer"),
        ("object.spec.names[0] != ''", "a list has no item 0"),
        ("object.spec.floor / object.spec.parts < 9", "a divisor is zero"),
    ];
    for (expression, words) in cases {
        assert_failure(&of_ponds(expression), &ponds(&[]), Level::Warning, &[words]);
    }
    let right = [
        "!has(object.spec.depth) || object.spec.depth > object.spec.floor",
        "!has(object.spec.size) || type(object.spec.size) == string || object.spec.size > 2",
        "object.spec.floor / object.spec.count < 9",
        "size(object.spec.names) == 0 || object.spec.names[0] != ''",
    ];
    for expression in right {
        assert_eq!(of_ponds(expression).failures(&ponds(&[])), Vec::new(), "{expression}");
    }
    // The server runs the rules of the definition first.
    let guards = ["has(self.depth)", "size(self.names) > 0", "self.parts != 0"];
    for expression in ["object.spec.depth > 1", "object.spec.names[0] != ''", "9 / object.spec.parts < 9"] {
        assert_eq!(of_ponds(expression).failures(&ponds(&guards)), Vec::new(), "{expression}");
    }
}

#[test]
fn errors_of_recorded_policies_about_machines_are_found() {
    let Some(rows) = kvrules_testdata::read_rows("kubernetes/vap-cases.jsonl") else { return };
    let Some(definition) = kvrules_testdata::read_text("kubernetes/crds/virtualmachines.kubevirt.io.yaml")
    else {
        return;
    };
    let stream = parse_stream(FileId(0), &definition);
    let mut run = RunResources::default();
    run.add_documents(&stream.documents.iter().collect::<Vec<_>>());
    let policies = rows.iter().flat_map(|row| [row.get("doc"), row.get("policy")]).flatten();
    let texts: BTreeSet<String> = policies.map(Value::to_string).collect();
    let mut found = 0;
    for text in &texts {
        for (_, finding) in failures_of(text, &run) {
            found += 1;
            let policy: Value = serde_json::from_str(text).unwrap_or_default();
            let field =
                finding.split(':').next().unwrap_or_default().replace(['[', '.'], "/").replace(']', "");
            println!("{}\n   {finding}", policy.pointer(&format!("/{field}")).unwrap_or(&policy));
        }
    }
    println!("{} policies, {found} findings", texts.len());
    assert_eq!(found, 16, "each was read; read those that are new");
}
