//! Schemas with the validations of recorded policies, compared with the policies.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use kvrules::crd::{ResourceKind, RunResources, policy_versions, read_policies};
use kvrules::verify::{ClaimFinding, Report, verify_resources_with};
use kvrules::{FileId, Request, ResourceVersion, SourceFile, find_emitter};
use kvrules_diagnostics::Exactness;
use kvrules_emit::{Emission, EmitError, Emitter};
use kvrules_tests::policies::recorded_policies;
use serde_json::{Value as Json, json};

fn verify_versions(
    versions: &[ResourceVersion],
    emit: &(dyn Fn(&Emitter, &Request<'_>) -> Result<Emission, EmitError> + Sync),
) -> Report {
    let request = Request { resources: versions, ..Request::for_virtual_machines(&[]) };
    let targets = ["json-schema", "openapi"].map(|name| find_emitter(name).unwrap());
    verify_resources_with(emit, &targets, &request)
}

#[test]
fn schemas_of_recorded_policies_say_what_they_claim() {
    let mut policies = recorded_policies();
    if policies.is_empty() {
        return;
    }
    let stride =
        std::env::var("KVRULES_VERIFY_STRIDE").ok().and_then(|stride| stride.parse().ok()).unwrap_or(5);
    let bindings = policies.iter().filter(|it| it.kind == ResourceKind::Binding).cloned().collect::<Vec<_>>();
    policies.retain(|it| it.kind == ResourceKind::Policy);
    let count = policies.len();
    let mut policies: Vec<_> = policies.into_iter().step_by(stride).collect();
    policies.extend(bindings);
    let versions = policy_versions(&policies, &RunResources::default());
    let report = verify_versions(&versions, &|target, request| target.emit_versions(request));
    let (mut exact, mut wider, mut unsupported, mut inconclusive) = (0, 0, 0, Vec::new());
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for target in &report.targets {
        for rule in &target.rules {
            match &rule.finding {
                ClaimFinding::Exact => exact += 1,
                ClaimFinding::AsClaimed { .. } => wider += 1,
                ClaimFinding::Unsupported => {
                    unsupported += 1;
                    if let kvrules_emit::Fidelity::Unsupported(cause) = &rule.claim {
                        *causes.entry(cause.clone()).or_default() += 1;
                    }
                }
                ClaimFinding::Inconclusive(cause) => {
                    inconclusive.push(format!("{:?} {}: {cause}", rule.sets, rule.rule))
                }
                ClaimFinding::Fault(fault) => {
                    panic!("{} {:?} {}: {fault:?}", target.target, rule.sets, rule.rule)
                }
            }
        }
    }
    println!(
        "{} of {count} policies, for {} kinds: {} objects, {exact} exact, {wider} wider, {unsupported} unsupported, {} inconclusive, 0 wrong",
        count.div_ceil(stride),
        versions.len(),
        report.objects,
        inconclusive.len()
    );
    for (cause, count) in causes {
        println!("  {count} unsupported: {cause}");
    }
    assert!(exact + wider > 400 / stride / 2, "too few: {exact} exact, {wider} wider");
    assert!(inconclusive.is_empty(), "{inconclusive:#?}");
}

fn policy_of(validations: &[&str]) -> Vec<ResourceVersion> {
    let validations: Vec<Json> = validations.iter().map(|text| json!({"expression": text})).collect();
    let rule = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"]});
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": validations},
    });
    let policies = read_policies(&SourceFile::new(FileId(0), "policy.json", policy.to_string()));
    policy_versions(&policies, &RunResources::default())
}

#[test]
fn a_schema_that_says_something_else_is_noticed() {
    let replicas = "!has(object.spec.replicas) || object.spec.replicas <= 5";
    let changes = [
        (replicas, "<= 5", "< 5"),
        (replicas, "<= 5", "<= 6"),
        ("has(object.spec.paused)", "has", "!has"),
        ("object.spec.template.spec.containers.all(c, c.image.startsWith('a/'))", "'a/'", "'a'"),
        ("object.kind == 'Pod' || object.spec.template.spec.serviceAccountName != 'root'", "'root'", "'rot'"),
    ];
    for (validation, from, to) in changes {
        let versions = policy_of(&[validation]);
        let honest = verify_versions(&versions, &|target, request| target.emit_versions(request));
        assert!(honest.all_claims_hold(), "{validation}: {honest:?}");
        let broken = |target: &Emitter, request: &Request<'_>| {
            let change = |version: &ResourceVersion| {
                let mut version = version.clone();
                let origin = version.authored.as_mut().unwrap().policy.as_mut().unwrap();
                let text = origin.document.to_string();
                assert!(text.contains(from), "{text}");
                origin.document = serde_json::from_str(&text.replace(from, to)).unwrap();
                version
            };
            let versions: Vec<_> = request.resources.iter().map(change).collect();
            target.emit_versions(&Request { resources: &versions, ..*request })
        };
        let report = verify_versions(&versions, &broken);
        let is_fault = |target: &kvrules::verify::TargetReport| {
            target.rules.iter().any(|rule| matches!(rule.finding, ClaimFinding::Fault(_)))
        };
        assert!(report.targets.iter().all(is_fault), "{validation} as {to}: {report:?}");
    }
}

#[test]
fn names_that_are_words_of_the_language_are_read_as_policies_read_them() {
    let versions = policy_of(&[
        "!has(object.metadata.namespace) || object.metadata.namespace != 'kube-system'",
        "!has(object.metadata.labels) || !has(object.metadata.labels.namespace) || object.metadata.labels.namespace == 'a'",
    ]);
    let rules: Vec<&str> = (0..2)
        .filter_map(|index| versions[0].schema["x-kubernetes-validations"][index]["rule"].as_str())
        .collect();
    assert!(rules[0].contains("self.metadata.__namespace__"), "{rules:?}");
    assert!(rules[1].contains("self.metadata.labels.namespace"), "{rules:?}");
    let report = verify_versions(&versions, &|target, request| target.emit_versions(request));
    assert!(report.all_claims_hold(), "{report:?}");
    let claims = report.targets.iter().flat_map(|target| &target.rules).map(|rule| rule.claim.exactness());
    assert!(claims.into_iter().all(|exactness| exactness == Exactness::Exact), "{report:?}");
}
