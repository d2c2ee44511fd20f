//! Documents whose kind a known group does not have, unknown parameters and other input that would be passed over.

use crate::place::Place;

const POLICY: &str = "admissionregistration.k8s.io/v1";
const DEFINITION: &str = "apiextensions.k8s.io/v1";
const OURS: &str = "kvrules.dev/v1alpha1";

#[test]
fn misspelt_kinds_of_known_groups_are_errors() {
    let cases = [
        (OURS, "Ruleset", "KR101", "`RuleSet`"),
        (OURS, "RuleTest", "KR101", "`RuleTests`"),
        (OURS, "Rules", "KR101", "`RuleSet`"),
        (OURS, "Constraint", "KR101", "known: `RuleSet`, `RuleTests`"),
        ("kvrules.dev", "Ruleset", "KR101", "`RuleSet`"),
        (POLICY, "ValidatingAdmisionPolicy", "KP101", "`ValidatingAdmissionPolicy`"),
        (POLICY, "validatingadmissionpolicy", "KP101", "`ValidatingAdmissionPolicy`"),
        (POLICY, "ValidatingAdmissionPolicyBindings", "KP101", "`ValidatingAdmissionPolicyBinding`"),
        (DEFINITION, "CustomResourceDefintion", "KC101", "`CustomResourceDefinition`"),
        ("apiextension.k8s.io/v1", "CustomResourceDefinition", "KC101", "`apiextensions.k8s.io/v1`"),
        ("kvrule.dev/v1alpha1", "RuleSet", "KR101", "`kvrules.dev/v1alpha1`"),
    ];
    for (version, kind, code, help) in cases {
        let text = format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{}}\n");
        let listed =
            format!("apiVersion: v1\nkind: List\nitems:\n- {}", text.trim_end().replace('\n', "\n  "));
        for text in [text, listed] {
            let place = Place::with(&[("a/a.yaml", text.as_str()), ("a/b.yaml", "kind: ConfigMap\n")]);
            let run = place.run(&["check", "a"]);
            assert_eq!(run.code, Some(1), "{text}: {run:?}");
            assert!(run.out.contains(code) && run.out.contains(help), "{text}: {run:?}");
        }
    }
}

#[test]
fn other_kinds_of_known_groups_are_none_of_our_business() {
    let kinds = [
        (POLICY, "ValidatingAdmissionPolicyList"),
        (POLICY, "ValidatingWebhookConfiguration"),
        (DEFINITION, "ConversionReview"),
        ("example.com/v1", "Ruleset"),
        ("{{ .Values.api }}", "Ruleset"),
    ];
    for (version, kind) in kinds {
        let text = format!("apiVersion: \"{version}\"\nkind: {kind}\nmetadata: {{name: a}}\n");
        let place = Place::with(&[("a.yaml", text.as_str())]);
        let run = place.run(&["check", "--allow-empty", "a.yaml"]);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{text}: {run:?}");
    }
}

const SET: &str = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: limits}\nspec:\n  \
    subject: {apiVersion: apps/v1, kind: Deployment}\n  parameters: {most: {type: integer, default: 3}}\n  \
    rules:\n  - {name: replicas, path: spec.replicas, integer: {max: $(most)}}\n";
const OBJECT: &str =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: b}\nspec: {replicas: 2}\n";

#[test]
fn a_parameter_that_no_rule_set_has_is_refused() {
    let place = Place::with(&[("set.yaml", SET), ("object.yaml", OBJECT)]);
    for engine in ["spec", "policy"] {
        let eval = |set: &str| {
            place.run(&["eval", "--engine", engine, "--set", set, "--rules", "set.yaml", "object.yaml"])
        };
        let unknown = eval("mots=1");
        assert_eq!(unknown.code, Some(2), "{unknown:?}");
        assert!(unknown.err.contains("no RuleSet has the parameter `mots`"), "{unknown:?}");
        assert!(unknown.err.contains("did you mean `most`?"), "{unknown:?}");
        assert_eq!((eval("most=1").code, eval("most=2").code), (Some(1), Some(0)));
    }
    let other = place.run(&["eval", "--engine", "crd", "--set", "most=1", "object.yaml"]);
    assert_eq!(other.code, Some(2), "{other:?}");
}

#[test]
fn minors_answers_for_the_policies_of_a_rule_set() {
    let place = Place::with(&[("set.yaml", SET)]);
    let run = place.run(&["minors", "set.yaml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("Kubernetes 1.30 or newer"), "{run:?}");
    let broken = Place::with(&[("set.yaml", &SET.replace("spec.replicas", "spec.replica"))]);
    let run = broken.run(&["minors", "set.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
}

const CHART: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
    metadata: {name: 'NAME'}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
    names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}\n  versions:\n  - name: v1\n    served: true\n    \
    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: TYPE}}}}\n";

#[test]
fn minors_and_check_agree_about_what_a_template_decides() {
    let chart = |name: &str, ty: &str| CHART.replace("NAME", name).replace("TYPE", ty);
    let (group, whole) = ("ponds.{{ .Values.group }}", "{{ .Release.Name }}");
    for (name, ty, accepted) in
        [(group, "string", true), (whole, "string", true), (group, "strng", false), ("a.b", "string", false)]
    {
        let place = Place::with(&[("crd.yaml", &chart(name, ty))]);
        let (check, minors) = (place.run(&["check", "crd.yaml"]), place.run(&["minors", "crd.yaml"]));
        let expected = Some(i32::from(!accepted));
        assert_eq!((check.code, minors.code), (expected, expected), "{check:?} {minors:?}");
        assert!(minors.out.starts_with(name), "{minors:?}");
        assert_eq!(minors.out.contains("before rendering"), name != "a.b", "{minors:?}");
    }
}

const EXPENSIVE: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
    metadata: {name: ponds.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
    names: {kind: Pond, plural: ponds, singular: pond, listKind: PondList}\n  versions:\n  - name: v1\n    served: true\n    \
    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          sizes:\n            \
    type: array\n            items:\n              x-kubernetes-int-or-string: true\n            \
    x-kubernetes-validations:\n            - rule: self.all(x, self.exists_one(y, y == x))\n";

#[test]
fn a_fix_that_older_servers_reject_leaves_the_finding() {
    for (versions, status) in [("1.34..1.36", 0), ("1.30..1.36", 1), ("1.33", 1)] {
        let place = Place::with(&[("crd.yaml", EXPENSIVE)]);
        let fixed = place.run(&["check", "--fix", "--unsafe-fixes", "--kubernetes", versions, "crd.yaml"]);
        let again = place.run(&["check", "--kubernetes", versions, "crd.yaml"]);
        assert_eq!((fixed.code, again.code), (Some(status), Some(status)), "{versions}: {fixed:?} {again:?}");
    }
}
