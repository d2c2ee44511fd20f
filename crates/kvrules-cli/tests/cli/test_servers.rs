//! `kvrules test --kubernetes`: cases on the servers of several versions.

use crate::place::Place;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, kind: Pond, singular: pond, listKind: PondList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name: {type: string, format: k8s-short-name}
              depth: {type: integer, format: int32}
";

const SUITE: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleTests
rules: [pond.yaml]
base: {apiVersion: example.com/v1, kind: Pond, metadata: {name: a, namespace: b}, spec: {depth: 1}}
cases:
- {name: a name in capitals is rejected, patch: {spec: {name: Big}}, expect: reject}
- {name: a shallow pond is accepted, expect: accept}
";

#[test]
fn a_case_that_differs_on_some_servers_names_them() {
    let place = Place::with(&[("pond.yaml", CRD), ("pond.test.yaml", SUITE)]);
    let newest = place.run(&["test"]);
    assert_eq!(newest.code, Some(0), "{newest:?}");
    let all = place.run(&["test", "--kubernetes", "1.33..1.36"]);
    assert_eq!(all.code, Some(1), "{all:?}");
    assert!(
        all.out.contains("on Kubernetes 1.33, 1.34: expected reject, and the object is accepted"),
        "{all:?}"
    );
    assert!(all.err.contains("1 case passed, 1 failed"), "{all:?}");
    assert_eq!(place.run(&["test", "--kubernetes", "1.35,1.36"]).code, Some(0));
    let unknown = place.run(&["test", "--kubernetes", "1.20"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("known versions are 1.25"), "{unknown:?}");
}

#[test]
fn a_definition_that_an_older_server_refuses_is_an_error_there() {
    let crd = CRD.replace(
        "            properties:\n              name:",
        "            x-kubernetes-validations:\n            - rule: \"!has(self.name) || isCIDR(self.name)\"\n            properties:\n              name:",
    );
    let suite = SUITE.replace(
        "- {name: a name in capitals is rejected, patch: {spec: {name: Big}}, expect: reject}\n",
        "",
    );
    let place = Place::with(&[("pond.yaml", &crd), ("pond.test.yaml", &suite)]);
    assert_eq!(place.run(&["test"]).code, Some(0));
    let older = place.run(&["test", "--kubernetes", "1.30..1.36"]);
    assert_eq!(older.code, Some(2), "{older:?}");
    assert!(older.out.contains("on Kubernetes 1.30: the server refuses the definition"), "{older:?}");
}

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: addresses}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - {expression: 'isIP(object.data.address)', message: must be an address}
";

const POLICY_SUITE: &str = "\
apiVersion: kvrules.dev/v1alpha1
kind: RuleTests
rules: [policy.yaml]
base: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {address: here}}
cases:
- {name: a word is rejected, expect: reject}
";

#[test]
fn policies_are_those_of_their_server() {
    let object =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {address: 10.0.0.1}\n";
    let files = [("policy.yaml", POLICY), ("policy.test.yaml", POLICY_SUITE), ("object.yaml", object)];
    let place = Place::with(&files);
    assert_eq!(place.run(&["test", "--kubernetes", "1.31..1.36"]).code, Some(0));
    let old = place.run(&["test", "--kubernetes", "1.30"]);
    assert_eq!(old.code, Some(2), "{old:?}");
    assert!(old.out.contains("undeclared reference to 'isIP'"), "{old:?}");
    let eval =
        |version| place.run(&["eval", "--rules", "policy.yaml", "--kubernetes", version, "object.yaml"]);
    assert_eq!(eval("1.31").code, Some(0));
    let old = eval("1.30");
    assert!(old.code == Some(2) && old.err.contains("undeclared reference to 'isIP'"), "{old:?}");
    let oldest = eval("1.29");
    let text = "Kubernetes 1.29 does not serve `admissionregistration.k8s.io/v1`";
    assert!(oldest.code == Some(2) && oldest.err.contains(text), "{oldest:?}");
    let minors = place.run(&["minors", "policy.yaml"]);
    assert!(minors.out.contains("addresses  Kubernetes 1.31 or newer  policy.yaml:2"), "{minors:?}");
    let check = place.run(&["check", "--kubernetes", "1.30..1.36", "policy.yaml"]);
    assert!(check.out.contains("needs Kubernetes 1.31 or newer: `isIP`"), "{check:?}");
}
