//! Requests for subresources: a policy is exact only if they reach it, or the claim names them.

use kvrules_diagnostics::FileId;
use kvrules_emit::{Emission, Emitter, Fidelity, Request, find_emitter};
use kvrules_rule_set::{RuleSet, SubjectDefinitions, read_rule_set};
use kvrules_verify::{Report, verify_resources_with};

fn rule_set(api_version: &str, kind: &str, rest: &str) -> RuleSet {
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: a}}\nspec:\n  \
         subject: {{apiVersion: {api_version}, kind: {kind}}}\n{rest}"
    );
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut findings).unwrap();
    assert!(findings.is_empty(), "{text}: {findings:?}");
    set
}

fn of_rule(api_version: &str, kind: &str, rule: &str) -> RuleSet {
    rule_set(api_version, kind, &format!("  rules:\n  - {{name: r, {rule}}}\n"))
}

fn emission(set: &RuleSet) -> Emission {
    let versions = set.versions();
    let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
    find_emitter("admission-policy").unwrap().emit_versions(&request).unwrap()
}

fn verify(set: &RuleSet, change: &(dyn Fn(String) -> String + Sync)) -> Report {
    let versions = set.versions();
    let authored = std::slice::from_ref(set);
    let request = Request { resources: &versions, authored, ..Request::for_virtual_machines(&[]) };
    let emit = |target: &Emitter, request: &Request<'_>| {
        let mut emission = target.emit_versions(request)?;
        for file in &mut emission.files {
            file.text = change(std::mem::take(&mut file.text));
        }
        Ok(emission)
    };
    verify_resources_with(&emit, &[find_emitter("admission-policy").unwrap()], &request)
}

/// The subresources that the policy of a rule matches, and the claim.
fn matched(set: &RuleSet) -> (Vec<String>, Fidelity) {
    let emission = emission(set);
    let lines = emission.files[0].text.lines().map(str::trim);
    let resource = |line: &'_ str| !line.contains(' ');
    let names = lines.filter_map(|line| line.strip_prefix("- ")).filter(|line| resource(line));
    let matched = names.filter_map(|line| line.split_once('/').map(|(_, name)| name));
    (matched.map(str::to_owned).collect(), emission.fidelity[0].fidelity.clone())
}

/// Rules with the subresources that their policies match; all of these are exact.
const EXACT: &[(&str, &str, &str, &[&str])] = &[
    ("v1", "Pod", r#"path: "spec.containers[*].resources.limits.memory", quantity: {max: 8Gi}"#, &["resize"]),
    ("v1", "Pod", r#"path: "spec.initContainers[*].resources.limits.cpu", required: true"#, &["resize"]),
    ("v1", "Pod", r#"path: "spec.containers[*].image", pattern: "^a/""#, &[]),
    ("v1", "Pod", r#"path: "spec.ephemeralContainers[*].image", pattern: "^a/""#, &["ephemeralcontainers"]),
    ("v1", "Pod", "path: spec.ephemeralContainers, forbidden: true", &["ephemeralcontainers"]),
    ("v1", "Pod", "path: status.phase, in: [Running]", &["status"]),
    ("v1", "Pod", "path: spec.hostNetwork, in: [false]", &[]),
    ("apps/v1", "Deployment", r#"path: 'metadata.labels["team"]', required: true"#, &[]),
    ("v1", "Namespace", "path: spec.finalizers, items: {max: 2}", &["finalize"]),
    (
        "certificates.k8s.io/v1",
        "CertificateSigningRequest",
        r#"path: "status.conditions[*].reason", required: true"#,
        &["approval", "status"],
    ),
    ("resource.k8s.io/v1", "ResourceClaim", r#"path: 'metadata.labels["team"]', required: true"#, &[]),
];

#[test]
fn policies_match_the_subresources_that_write_what_their_rules_read() {
    for (api_version, kind, rule, expected) in EXACT {
        let set = of_rule(api_version, kind, rule);
        let (names, claim) = matched(&set);
        assert_eq!(
            (names.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), claim.as_str()),
            (*expected, "exact"),
            "{rule}"
        );
        let report = verify(&set, &|text| text);
        assert!(
            report.all_claims_hold() && report.targets[0].count_results().exact == 1,
            "{rule}: {report:?}"
        );
    }
}

/// Rules with subresources whose requests do not show the object, or are there for something else.
const WIDER: &[(&str, &str, &str, &str)] = &[
    ("v1", "Pod", r#"path: 'metadata.labels["team"]', required: true"#, "`pods/status`"),
    ("v1", "Pod", "path: spec.nodeName, pattern: \"^a\"", "`pods/binding`"),
    ("v1", "Service", r#"path: 'metadata.annotations["team"]', required: true"#, "`services/status`"),
    ("apps/v1", "Deployment", "path: spec.replicas, integer: {max: 3}", "`deployments/scale`"),
    (
        "apps/v1",
        "Deployment",
        r#"path: 'metadata.annotations["team"]', required: true"#,
        "`deployments/status`",
    ),
];

#[test]
fn claims_name_the_subresources_that_pass_a_policy_by() {
    for (api_version, kind, rule, cause) in WIDER {
        let set = of_rule(api_version, kind, rule);
        let (_, claim) = matched(&set);
        assert_eq!(claim.as_str(), "wider", "{rule}");
        assert!(claim.cause().unwrap().contains(cause), "{rule}: {claim:?}");
        let report = verify(&set, &|text| text);
        assert_eq!(report.targets[0].count_results().as_claimed, 1, "{rule}: {report:?}");
    }
}

#[test]
fn rules_of_creations_alone_are_not_asked_about_changes() {
    for rule in [
        r#"path: "spec.ephemeralContainers[*].image", pattern: "^a/""#,
        r#"path: 'metadata.labels["a"]', required: true"#,
    ] {
        let set = rule_set(
            "v1",
            "Pod",
            &format!("  match: {{operations: [CREATE]}}\n  rules:\n  - {{name: r, {rule}}}\n"),
        );
        let (names, claim) = matched(&set);
        assert_eq!((names.len(), claim.as_str()), (0, "exact"));
        assert!(verify(&set, &|text| text).all_claims_hold());
    }
}

#[test]
fn a_policy_that_subresources_pass_by_is_found_out() {
    for (api_version, kind, rule, subresources) in EXACT {
        for name in *subresources {
            let set = of_rule(api_version, kind, rule);
            let without = |text: String| {
                let kept = text.lines().filter(|line| !line.trim().ends_with(&format!("/{name}")));
                kept.fold(String::new(), |text, line| text + line + "\n")
            };
            assert!(!verify(&set, &without).all_claims_hold(), "{rule} {name}");
        }
    }
    let set = of_rule("v1", "Pod", "path: spec.hostNetwork, in: [false]");
    for (from, to) in [
        ("Equivalent", "Exact"),
        ("- UPDATE", "- UPDATE\n      - DELETE"),
        ("- UPDATE", "- UPDATE\n      - CONNECT"),
    ] {
        assert!(!verify(&set, &|text| text.replace(from, to)).all_claims_hold(), "{to}");
    }
}

#[test]
fn rules_that_only_report_never_deny() {
    let rest = "  parameters: {most: {type: integer, default: 3}}\n  parametersFrom: {name: limits, namespace: a}\n  rules:\n";
    let text = |severity: &str| {
        let rules = format!(
            "{rest}  - {{name: r, path: spec.paused, in: [false], severity: {severity}}}\n  - {{name: n, path: spec.replicas, integer: {{max: $(most)}}, severity: {severity}}}\n"
        );
        emission(&rule_set("apps/v1", "Deployment", &rules)).files[0].text.clone()
    };
    for severity in ["warn", "audit"] {
        assert!(text(severity).contains("parameterNotFoundAction: Allow"), "{severity}");
    }
    assert!(text("error").contains("parameterNotFoundAction: Deny"));
}
