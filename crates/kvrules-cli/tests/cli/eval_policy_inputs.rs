//! `kvrules eval --engine policy` with wrong inputs: each is an error that says what to do.

use crate::place::{Place, Run};

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
";
const BINDING: &str = "\
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec:
  policyName: p
  validationActions: [Deny]
";
const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n";

fn eval(rules: &str, args: &[&str]) -> Run {
    eval_files(rules, &[], args)
}

fn eval_files(rules: &str, files: &[(&str, &str)], args: &[&str]) -> Run {
    let place = Place::with(&[("rules.yaml", rules), ("web.yaml", WEB)]);
    for (name, text) in files {
        place.write(name, text);
    }
    place.run(&[&["eval", "--engine", "policy", "--rules", "rules.yaml", "web.yaml"], args].concat())
}

/// Asserts that a run fails with this message on standard error, and evaluates nothing.
#[track_caller]
fn refuses(run: &Run, expected: &str) {
    assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
    assert!(run.out.is_empty() && run.err.contains(expected), "{}{}", run.out, run.err);
}

#[test]
fn files_without_policies_are_errors() {
    refuses(&eval("", &[]), "no ValidatingAdmissionPolicy or binding in this file");
    refuses(&eval("- 1\n", &[]), "not an object: missing `kind`");
    refuses(&eval(WEB, &[]), "no ValidatingAdmissionPolicy in these files");
    refuses(&eval("a: [1\n", &[]), "this cannot be read");
    let place = Place::with(&[("web.yaml", WEB)]);
    place.write("rules.yaml", b"\xff\xfe\x00kind\x00\x01".as_slice());
    let run = place.run(&["eval", "--engine", "policy", "--rules", "rules.yaml", "web.yaml"]);
    refuses(&run, "rules.yaml");
    refuses(&place.run(&["eval", "--engine", "policy", "web.yaml"]), "no policy to evaluate objects with");
    refuses(&place.run(&["eval", "--engine", "policy", "--rules", "none.yaml", "web.yaml"]), "none.yaml");
}

#[test]
fn a_policy_that_the_server_rejects_is_reported_with_its_findings() {
    let run = eval(&POLICY.replace("replicas <= 5", "replicas"), &[]);
    refuses(&run, "expression must evaluate to `bool`, not `dyn`");
    assert!(run.err.contains("rules.yaml:9:17"), "{}", run.err);
    refuses(
        &eval(&POLICY.replace("/v1\n", "/v2\n"), &[]),
        "unsupported API version `admissionregistration.k8s.io/v2`",
    );
    let beta = eval(&POLICY.replace("/v1\n", "/v1beta1\n"), &[]);
    assert_eq!(beta.code, Some(0), "{}{}", beta.out, beta.err);
}

#[test]
fn references_that_lead_nowhere_are_errors_at_their_place() {
    let run = eval(&format!("{POLICY}{}", BINDING.replace("policyName: p", "policyName: other")), &[]);
    refuses(&run, "binding `b` names the missing policy `other`");
    assert!(run.err.contains("rules.yaml:15:15"), "{}", run.err);
    refuses(&eval(&format!("{POLICY}---\n{POLICY}"), &[]), "duplicate policy `p`");
    let kind = |kind: &str| POLICY.replace("spec:\n", &format!("spec:\n  paramKind: {kind}\n"));
    let unknown = eval(&kind("{apiVersion: rules.example.com/v1, kind: Limit}"), &[]);
    refuses(&unknown, "unknown resource of kind `Limit.rules.example.com`");
    let known = kind("{apiVersion: v1, kind: ConfigMap}");
    refuses(&eval(&known, &[]), "parameters of policy `p` are not given");
    let run = eval(&known, &["--no-params"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let with_ref = format!("{BINDING}  paramRef: {{name: limits, parameterNotFoundAction: Deny}}\n");
    let rules = kind("{apiVersion: v1, kind: ConfigMap}") + &with_ref;
    refuses(&eval(&rules, &[]), "parameters of binding `b` are not given");
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n";
    let run = eval_files(&rules, &[("params.yaml", other)], &["--params", "params.yaml"]);
    assert_eq!(run.code, Some(1));
    let expected = "no params found for policy binding with `Deny` parameterNotFoundAction";
    assert!(run.out.contains(expected) && run.out.contains("`paramRef` at rules.yaml:18:13"), "{}", run.out);
    let allow = rules.replace("parameterNotFoundAction: Deny", "parameterNotFoundAction: Allow");
    let run = eval(&allow, &["--no-params"]);
    assert!(
        run.code == Some(2) && run.out.contains("no parameters: no parameter is selected"),
        "{}",
        run.out
    );
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: limits}\n";
    let run = eval_files(&rules, &[("params.yaml", secret)], &["--params", "params.yaml"]);
    refuses(&run, "no policy has parameters of kind `Secret`");
}

#[test]
fn objects_and_namespaces_without_usable_metadata_are_errors() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: x\n";
    let run = eval_files(POLICY, &[("n.yaml", namespace)], &["--namespace-object", "n.yaml"]);
    refuses(&run, "missing `metadata.name` of this Namespace");
    refuses(
        &eval_files(POLICY, &[("n.yaml", WEB)], &["--namespace-object", "n.yaml"]),
        "not a Namespace, but a `Deployment`",
    );
    let place = Place::with(&[
        ("rules.yaml", POLICY),
        ("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: []\n"),
    ]);
    refuses(&place.run(&["eval", "--rules", "rules.yaml", "web.yaml"]), "`metadata` is not an object");
    place.write("web.yaml", "spec: {}\n");
    refuses(
        &place.run(&["eval", "--rules", "rules.yaml", "web.yaml"]),
        "missing `kind`, which selects the resource",
    );
    place.write("web.yaml", "");
    refuses(&place.run(&["eval", "--rules", "rules.yaml", "web.yaml"]), "no object to evaluate");
    place.write("web.yaml", b"\xff\x00\x01\x02".as_slice());
    let run = place.run(&["eval", "--rules", "rules.yaml", "web.yaml"]);
    refuses(&run, "web.yaml");
}

#[test]
fn options_that_do_not_go_together_are_errors() {
    refuses(&eval(POLICY, &["--param", "A=b"]), "`--param` has no effect with `--engine policy`");
    refuses(
        &eval(POLICY, &["--operation", "UPDATE"]),
        "no stored object for the update; pass it with `--old`",
    );
    refuses(&eval(POLICY, &["--operation", "CREATE", "--old", "web.yaml"]), "`--old` has no effect");
    refuses(&eval(POLICY, &["--allow", "get"]), "write VERB RESOURCE.GROUP");
    refuses(&eval(POLICY, &["--resource", "ponds"]), "KIND.GROUP=RESOURCE");
    refuses(&eval(POLICY, &["--group", "a"]), "--user");
    let place = Place::with(&[("vm.yaml", "kind: VirtualMachine\n")]);
    refuses(&place.run(&["eval", "--user", "ann", "vm.yaml"]), "`--user` requires `--engine policy`");
    refuses(&place.run(&["eval", "--subresource", "status", "vm.yaml"]), "`--subresource` requires");
}

#[test]
fn what_an_expression_reads_and_nobody_gives_is_named() {
    let with = |expression: &str| POLICY.replace("object.spec.replicas <= 5", expression);
    for (expression, expected) in [
        (
            "request.userInfo.username == 'a'",
            "policy `p` reads `userInfo`, which is not given; give the user with `--user NAME`",
        ),
        (
            "namespaceObject.metadata.name == 'a'",
            "reads `namespaceObject`, which is not given; give the namespace `default`",
        ),
        (
            "authorizer.requestResource.check('get').allowed()",
            "reads `authorizer`, which is not given; declare its answers",
        ),
    ] {
        let run = eval(&with(expression), &[]);
        assert!(run.code == Some(2) && run.err.contains(expected), "{}", run.err);
    }
    let run = eval(&POLICY.replace("[v1]", "[v1beta1]"), &[]);
    let expected = "policy `p` matches `v1beta1`, to which the server converts this object of `v1`";
    assert!(run.code == Some(2) && run.err.contains(expected), "{}", run.err);
}
