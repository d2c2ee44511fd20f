//! Errors of expressions say what to write, and where a fix can, it writes it: the result has no error.

use crate::place::{Place, Run};

/// A definition with a rule about the whole object, in a block scalar.
fn definition(rule: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ponds.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: ponds, singular: pond, kind: Pond, listKind: PondList}}
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
            required: [text, count, part, items, list, one, two, ready, labels]
            properties:
              text: {{type: string, maxLength: 10}}
              count: {{type: integer}}
              part: {{type: number}}
              ready: {{type: boolean}}
              one: {{type: object, properties: {{x: {{type: string, maxLength: 5}}}}}}
              two: {{type: object, properties: {{z: {{type: string, maxLength: 5}}}}}}
              list: {{type: array, maxItems: 5, items: {{type: string, maxLength: 4}}}}
              labels: {{type: object, maxProperties: 5, additionalProperties: {{type: string, maxLength: 5}}}}
              items:
                type: array
                maxItems: 5
                items: {{type: object, required: [name], properties: {{name: {{type: string, maxLength: 4}}}}}}
        x-kubernetes-validations:
        - message: m
          rule: |-
            {rule}
"
    )
}

fn check(place: &Place, args: &[&str]) -> Run {
    place.run(&[&["check", "pond.yaml"], args].concat())
}

/// Checks that the help of an expression has a text, and that the fix, if one is expected, makes this of it, without an error.
fn cured(rule: &str, help: &str, fixed: Option<&str>) {
    let place = Place::with(&[("pond.yaml", &definition(rule))]);
    let run = place.run(&["check", "pond.yaml"]);
    assert_eq!(run.code, Some(1), "{rule}: {run:?}");
    assert!(run.out.contains(help), "{rule}: {help}: {}", run.out);
    let Some(fixed) = fixed else { return };
    place.run(&["check", "pond.yaml", "--fix", "--unsafe-fixes", "--select", "KC302,KC303"]);
    assert!(
        place.read("pond.yaml").contains(&format!("            {fixed}\n")),
        "{rule}: {}",
        place.read("pond.yaml")
    );
    let again = check(&place, &["--select", "KC302,KC303"]);
    assert_eq!(again.code, Some(0), "{rule}: {again:?}");
}

#[test]
fn names_and_fields() {
    cured("self.count > 1", "did you mean `self.spec.count`?", Some("self.spec.count > 1"));
    cured("spec.count > 1", "write `self.spec`", Some("self.spec.count > 1"));
    cured("self.metadata.namespace == 'a'", "can read only `metadata.name`", None);
    cured("self.spec.txt == 'a'", "did you mean `text`?", None);
    cured("self.spec.unknown == 'a'", "declare `unknown` under `properties` of `self.spec`", None);
    cured(
        "self.spec.text == Large",
        "put a text in quotation marks: `'Large'`",
        Some("self.spec.text == 'Large'"),
    );
    cured("self.spec.items.name == 'a'", "write `self.spec.items.all(item, item.name …)`", None);
    cured("self.spec.items.length > 1", "write `self.spec.items.size()`", Some("self.spec.items.size() > 1"));
    cured(
        "self.spec.labels.app.kubernetes == 'a'",
        "a key with dots or slashes is written in brackets",
        None,
    );
}

#[test]
fn other_advice_comes_before_quotation_marks() {
    cured("oldSelff == self", "did you mean `oldSelf`?", None);
    cured("object == self.spec", "use `self` or `oldSelf`", None);
    let policy = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a.example.com}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  variables:
  - {name: most, expression: '3'}
  validations:
  - expression: object.metadata.generation < most
";
    let place = Place::with(&[("policy.yaml", policy)]);
    let run = place.run(&["check", "policy.yaml"]);
    assert!(run.out.contains("write `variables.most`"), "{run:?}");
    place.run(&["check", "policy.yaml", "--fix"]);
    assert!(place.read("policy.yaml").contains("< variables.most"), "{}", place.read("policy.yaml"));
}

#[test]
fn functions_of_other_languages() {
    for (rule, fixed) in [
        ("self.spec.text.length() > 3", "size(self.spec.text) > 3"),
        ("len(self.spec.items) > 0", "size(self.spec.items) > 0"),
        ("self.spec.text.toLowerCase() == 'a'", "self.spec.text.lowerAscii() == 'a'"),
        ("self.spec.text.hasPrefix('a')", "self.spec.text.startsWith('a')"),
        ("self.spec.labels.hasKey('a')", "'a' in self.spec.labels"),
        ("self.spec.items.isEmpty()", "size(self.spec.items) == 0"),
    ] {
        cured(rule, "write `", Some(fixed));
    }
    cured("regex.match(self.spec.text, 'a')", "write `text.matches('…')`", None);
    cured("self.spec.list.unique()", "exists_one(b, b == a)", None);
}

#[test]
fn types_that_do_not_fit() {
    for (rule, fixed) in [
        ("self.spec.text + 1 == 'a1'", "self.spec.text + string(1) == 'a1'"),
        ("self.spec.count == '3'", "self.spec.count == 3"),
        ("self.spec.text == 3", "self.spec.text == '3'"),
        ("self.spec.part * 2 > 1.0", "self.spec.part * 2.0 > 1.0"),
        ("self.spec.ready == 'true'", "self.spec.ready == true"),
        ("self.spec.text in 'abc'", "'abc'.contains(self.spec.text)"),
        ("quantity(self.spec.text) > quantity('1')", "quantity(self.spec.text).isGreaterThan(quantity('1'))"),
        (
            "quantity(self.spec.text) <= quantity('1')",
            "!quantity(self.spec.text).isGreaterThan(quantity('1'))",
        ),
        ("self.spec.one == self.spec.two", "dyn(self.spec.one) == self.spec.two"),
        ("self.spec.list > 2", "size(self.spec.list) > 2"),
    ] {
        cured(rule, "write `", Some(fixed));
    }
    cured("duration(self.spec.text) > 5", "such as `duration('5m')`", None);
    cured("!self.spec.count", "a number is not a condition: compare it", None);
    cured("self.spec.count && true", "a number is not a condition: compare it", None);
    cured("self.spec.text.startsWith(1)", "put the argument in quotation marks", None);
}

#[test]
fn what_does_not_parse() {
    for (rule, fixed) in [
        ("has(self.spec['text'])", "has(self.spec.text)"),
        ("has(self.spec.labels['a/b'])", "'a/b' in self.spec.labels"),
        ("!has(self.spec.labels['a/b'])", "!('a/b' in self.spec.labels)"),
        ("self.spec.text.matches(\"a\\d\")", "self.spec.text.matches(r\"a\\d\")"),
    ] {
        cured(rule, "write `", Some(fixed));
    }
    cured("has(oldSelf)", "set `optionalOldSelf: true`", None);
    cured("self.spec.text.matches(/a/)", "a pattern is a text", None);
    cured("self.spec.items[*].name == 'a'", "write `.all(item, …)`", None);
    cured("if (self.spec.ready) true", "write `condition ? value : other`", None);
}

#[test]
fn a_rule_that_begins_with_an_exclamation_mark_is_quoted() {
    for (rule, left) in
        [("!has(self.spec.one.x)", "is empty"), ("!has(self.spec.one.x) == true", "is only `== true`")]
    {
        let text = definition("x")
            .replace("          rule: |-\n            x\n", &format!("          rule: {rule}\n"));
        let place = Place::with(&[("pond.yaml", &text)]);
        let run = place.run(&["check", "pond.yaml"]);
        assert!(
            run.out.contains(&format!("`!` begins a YAML tag here, so that `rule` {left}")),
            "{rule}: {}",
            run.out
        );
        place.run(&["check", "pond.yaml", "--fix"]);
        assert!(place.read("pond.yaml").contains(&format!("          rule: \"{rule}\"\n")), "{rule}");
    }
}

#[test]
fn what_may_be_absent_is_tested_first() {
    for (rule, fixed) in [
        ("self.spec.one.x != ''", "!has(self.spec.one.x) || self.spec.one.x != ''"),
        ("self.spec.labels['a/b'] == 'x'", "!('a/b' in self.spec.labels) || self.spec.labels['a/b'] == 'x'"),
        ("self.spec.list[0] == 'x'", "size(self.spec.list) <= 0 || self.spec.list[0] == 'x'"),
    ] {
        let place = Place::with(&[("pond.yaml", &definition(rule))]);
        let run = place.run(&["check", "pond.yaml", "--select", "KC307"]);
        assert!(
            run.out.contains("to accept that, or") && run.out.contains("to reject it"),
            "{rule}: {}",
            run.out
        );
        place.run(&["check", "pond.yaml", "--fix", "--unsafe-fixes", "--select", "KC307"]);
        assert!(
            place.read("pond.yaml").contains(&format!("            {fixed}\n")),
            "{rule}: {}",
            place.read("pond.yaml")
        );
        assert_eq!(check(&place, &["--select", "KC307"]).out, "", "{rule}");
    }
}

#[test]
fn expressions_of_policies_are_guarded() {
    let policy = |validation: &str, condition: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: r.example.com}}
spec:
  matchConstraints:
    resourceRules:
    - {{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}}
  matchConditions:
  - name: a
    expression: {condition}
  validations:
  - expression: {validation}
"
        )
    };
    for (validation, condition, fixed) in [
        (
            "object.spec.replicas >= oldObject.spec.replicas",
            "'true'",
            "expression: \"oldObject == null || object.spec.replicas >= oldObject.spec.replicas\"",
        ),
        (
            "object.spec.template.spec.containers.all(c, c.securityContext.privileged == false)",
            "'true'",
            "!has(c.securityContext) || !has(c.securityContext.privileged) || c.securityContext.privileged == false",
        ),
        (
            "object.spec.replicas > 1",
            "object.metadata.labels['tier'] == 'web'",
            "has(object.metadata.labels) && 'tier' in object.metadata.labels && object.metadata.labels['tier'] == 'web'",
        ),
    ] {
        let place = Place::with(&[("policy.yaml", &policy(validation, condition))]);
        let run = place.run(&["check", "policy.yaml", "--select", "KC307"]);
        assert!(run.out.contains("KC307"), "{validation}: {run:?}");
        place.run(&["check", "policy.yaml", "--fix", "--unsafe-fixes", "--select", "KC307"]);
        assert!(place.read("policy.yaml").contains(fixed), "{fixed}: {}", place.read("policy.yaml"));
        let again = place.run(&["check", "policy.yaml", "--select", "KC307"]);
        assert_eq!(again.out, "", "{validation}: {again:?}");
    }
}

/// A definition with a version `v1` that is stored and has these fields and rules in `spec`, and others before it.
fn versions(others: &str, head: &str, spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ponds.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: ponds, kind: Pond}}
  conversion: {{strategy: None}}
  versions:
{others}  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
{head}        properties:
          spec: {spec}
"
    )
}

fn codes(text: &str) -> String {
    Place::with(&[("pond.yaml", text)]).run(&["check", "--level", "info", "pond.yaml"]).out
}

#[test]
fn values_are_removable_unless_a_rule_around_them_keeps_them() {
    let spec = |rules: &str| {
        format!(
            "{{type: object, {rules}properties: {{owner: {{type: string, maxLength: 9, x-kubernetes-validations: [{{rule: 'self == oldSelf'}}]}}}}}}"
        )
    };
    let rule = |text: &str| format!("x-kubernetes-validations: [{{rule: '{text}'}}], ");
    let found = codes(&versions("", "", &spec("")));
    assert!(found.contains("KC213") && found.contains("has(self.owner) == has(oldSelf.owner)"), "{found}");
    for kept in [
        spec("required: [owner], "),
        spec(&rule("has(self.owner) == has(oldSelf.owner)")),
        spec(&rule("self == oldSelf")),
    ] {
        let found = codes(&versions("", "", &kept));
        assert!(!found.contains("`owner` can be removed"), "{kept}: {found}");
    }
    let root = "        x-kubernetes-validations: [{rule: '!has(oldSelf.spec) || !has(oldSelf.spec.owner) || has(self.spec) && has(self.spec.owner)'}]\n";
    let found = codes(&versions("", root, &spec("")));
    assert!(!found.contains("KC213"), "{found}");
}

#[test]
fn fields_are_lost_unless_the_stored_version_keeps_them() {
    let other = "  - name: v0\n    served: true\n    storage: false\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: object, properties: {b: {type: string}}}, c: {type: string}}}}}}\n";
    let found = codes(&versions(other, "", "{type: object}"));
    assert!(
        found.contains("`spec.a` and `spec.c` of `v0` cannot be stored: `v1` does not declare them"),
        "{found}"
    );
    for kept in [
        "{type: object, x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, properties: {c: {type: string}, a: {type: object, properties: {b: {type: string}}}}}",
        "{type: object, properties: {c: {type: string}, a: {type: object, additionalProperties: {type: string}}}}",
    ] {
        let found = codes(&versions(other, "", kept));
        assert!(!found.contains("KC212"), "{kept}: {found}");
    }
    let webhook = versions(other, "", "{type: object}").replace("strategy: None", "strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.example.com'}}");
    assert!(!codes(&webhook).contains("KC212"), "{}", codes(&webhook));
}

#[test]
fn defaults_of_required_fields_apply_unless_the_object_may_be_absent() {
    let spec = "{type: object, required: [mode], properties: {mode: {type: string, default: open}, user: {type: object}}}";
    let found = codes(&versions("", "", spec));
    assert!(found.contains("KC211") && found.contains("write `default: {mode: open}`"), "{found}");
    for head in ["        required: [spec]\n", "        x-kubernetes-validations: [{rule: has(self.spec)}]\n"]
    {
        assert!(!codes(&versions("", head, spec)).contains("KC211"), "{head}");
    }
    assert!(!codes(&versions("", "", &spec.replace("required: [mode], ", ""))).contains("KC211"));
}
