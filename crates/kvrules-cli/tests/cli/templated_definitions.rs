//! Definitions and policies with template tags: what the tags leave open is left out and named, all else is checked.

use crate::place::{Place, Run};

/// A definition as charts have it. `RULE` and `SCHEMA` stand for what a test is about.
const CHART: &str = r#"{{- if .Values.crds.enabled }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ponds.example.com
  labels:
    {{- include "chart.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: {{ .Values.policy | quote }}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
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
              depth: {type: integer}
              name: {type: string, maxLength: 10}
SCHEMA
            x-kubernetes-validations:
            - rule: RULE
{{- end }}
"#;

fn chart(rule: &str, schema: &str) -> String {
    let schema = schema.lines().fold(String::new(), |text, line| format!("{text}              {line}\n"));
    CHART.replace("SCHEMA\n", &schema).replace("RULE", rule)
}

fn check(text: &str) -> Run {
    Place::with(&[("crd.yaml", text)]).run(&["check", "--level", "info", "crd.yaml"])
}

#[test]
fn a_definition_within_a_condition_is_checked_as_any_other() {
    let sound = check(&chart("self.depth > 0", ""));
    assert_eq!(sound.code, Some(0), "{sound:?}");
    assert!(sound.out.contains("info[KV017]"), "{sound:?}");
    for (rule, code, words) in [
        ("self.depht > 0", "KC303", "undefined field `depht`"),
        ("self.depth > 'a'", "KC303", "no matching overload of"),
        ("self.depth > ", "KC302", "syntax error"),
        ("self.depth + 1", "KC303", "must evaluate to a boolean"),
    ] {
        let run = check(&chart(rule, ""));
        assert_eq!(run.code, Some(1), "{rule} {run:?}");
        assert!(run.out.contains(code) && run.out.contains(words), "{rule} {run:?}");
    }
    for (schema, code) in [
        ("bad: {type: objct}", "KC201"),
        ("list: {type: array}", "KC201"),
        ("late: {type: string, pattern: '(?=a)'}", "KC204"),
        ("default: {type: integer, default: a}", "KC205"),
        ("keys: {type: array, x-kubernetes-list-type: map, items: {type: object}}", "KC206"),
    ] {
        let run = check(&chart("true", schema));
        assert!(run.code == Some(1) && run.out.contains(code), "{schema} {run:?}");
    }
}

#[test]
fn costs_are_reported_where_no_tag_has_a_part_in_them() {
    let list = "fish: {type: array, items: {type: string}}";
    let rule = "self.fish.all(a, self.fish.all(b, a != b || a == b))";
    assert!(check(&chart(rule, list)).out.contains("KC304"));
    let open = "fish: {type: array, maxItems: {{ .Values.most }}, items: {type: string}}";
    assert!(!check(&chart(rule, open)).out.contains("KC304"));
}

#[test]
fn what_a_tag_puts_in_is_unknown_and_named_in_kv017() {
    for (from, to, field) in [
        ("name: ponds.example.com", "name: {{ .Values.plural }}.example.com", "metadata.name"),
        ("group: example.com", "group: {{ .Values.group }}", "spec.group"),
        ("scope: Namespaced", "scope: {{ .Values.scope | default \"Cluster\" }}", "spec.scope"),
        ("kind: Pond,", "kind: \"{{ .Values.kind }}\",", "spec.names.kind"),
        ("- name: v1", "- name: {{ .Values.version }}", "spec.versions[0].name"),
        ("served: true", "served: {{ .Values.served }}", "spec.versions[0].served"),
        ("storage: true", "storage: {{ eq .Values.version \"v1\" }}", "spec.versions[0].storage"),
    ] {
        let text = chart("self.depth > 0", "")
            .replace("    {{- include \"chart.labels\" . | nindent 4 }}\n", "    a: b\n");
        let text = text.replace("{{ .Values.policy | quote }}", "keep");
        assert!(text.contains(from), "{from}");
        let run = check(&text.replace(from, to));
        assert_eq!(run.code, Some(0), "{to} {run:?}");
        let reported = format!("template tags affect `{field}`, which cannot be checked");
        assert!(run.out.contains(&reported), "{to}\n{}", run.out);
    }
}

#[test]
fn a_rule_with_a_tag_in_it_is_left_out_and_the_others_are_checked() {
    let two = "self.depth < {{ .Values.most }}\n            - rule: self.depht > 0";
    let run = check(&chart(two, ""));
    assert_eq!(run.out.matches("error[").count(), 1, "{run:?}");
    assert!(run.out.contains("undefined field `depht`"), "{run:?}");
    assert!(run.out.contains("x-kubernetes-validations[0].rule`"), "{run:?}");
}

#[test]
fn properties_that_a_tag_may_add_are_not_missing() {
    for schema in [
        "{{- include \"chart.properties\" . | nindent 14 }}",
        "{{- if .Values.more }}\nmore: {type: integer}\n{{- end }}",
        "{{- range .Values.names }}\n{{ . }}: {type: integer}\n{{- end }}",
        "{{ toYaml .Values.properties | indent 14 }}",
    ] {
        let run = check(&chart("self.other > 0", schema));
        assert_eq!(run.code, Some(0), "{schema} {run:?}");
        assert!(run.out.contains("KV017"), "{schema} {run:?}");
        // A syntax error depends on the text of the rule alone, so it is reported in a template as well.
        assert!(check(&chart("self.other > ", schema)).out.contains("KC302"), "{schema}");
    }
}

#[test]
fn versions_in_a_loop_are_neither_missing_nor_twice() {
    let versions = "  versions:\n  {{- range $index, $version := .Values.versions }}\n  - name: {{ $version }}\n    served: true\n    \
        storage: {{ eq $index 0 }}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
        spec:\n            type: object\n            properties: {depth: {type: integer}}\n            \
        x-kubernetes-validations:\n            - rule: self.depht > 0\n  {{- end }}\n";
    let text = chart("true", "");
    let head = text.split("  versions:").next().unwrap_or_default();
    let text = format!("{head}{versions}").replace("{{- if .Values.crds.enabled }}\n", "");
    let run = check(&text);
    assert_eq!(run.out.matches("error[").count(), 1, "{run:?}");
    assert!(run.out.contains("undefined field `depht`"), "{run:?}");
}

#[test]
fn alternatives_of_a_condition_are_not_held_against_each_other() {
    let text = chart("self.depth > 0", "").replace(
        "  scope: Namespaced\n",
        "  {{- if .Values.cluster }}\n  scope: Cluster\n  {{- else }}\n  scope: Namespaced\n  {{- end }}\n",
    );
    let run = check(&text);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn jinja_is_read_like_helm() {
    let jinja = |text: &str| {
        text.replace("{{- if .Values.crds.enabled }}", "{% if crds_enabled %}")
            .replace("{{- end }}", "{% endif %}")
            .replace(
                "    {{- include \"chart.labels\" . | nindent 4 }}\n",
                "{% for key, value in labels.items() %}\n    {{ key }}: {{ value }}\n{% endfor %}\n",
            )
            .replace("{{ .Values.policy | quote }}", "\"{{ policy }}\"")
    };
    let run = check(&jinja(&chart("self.depth > 0", "")));
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = check(&jinja(&chart("self.depht > 0", "")));
    assert!(run.code == Some(1) && run.out.contains("undefined field `depht`"), "{run:?}");
}

#[test]
fn policies_with_tags_are_checked_where_the_tags_leave_nothing_open() {
    let policy = |name: &str, expression: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: {name}\nspec:\n  \
             failurePolicy: {{{{ .Values.failurePolicy }}}}\n  matchConstraints:\n    resourceRules:\n    - apiGroups: [apps]\n      \
             apiVersions: [v1]\n      operations: [CREATE]\n      resources: [deployments]\n  validations:\n  \
             - expression: {expression}\n    message: at most {{{{ .Values.most }}}}\n"
        )
    };
    let name = "\"{{ include \"chart.fullname\" . }}-replicas\"";
    let run = check(&policy(name, "object.spec.replicas <= {{ .Values.most }}"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("`metadata.name`") && run.out.contains("`spec.failurePolicy`"), "{run:?}");
    let run = check(&policy(name, "object.spec.replicas <="));
    assert!(run.code == Some(1) && run.out.contains("KC302"), "{run:?}");
    let run = check(&policy(name, "objct.spec.replicas <= 3"));
    assert!(run.code == Some(1) && run.out.contains("undeclared reference to `objct`"), "{run:?}");
    let run = check(&policy("A_B", "object.spec.replicas <= 3"));
    assert!(run.code == Some(1) && run.out.contains("KC102"), "{run:?}");
}

#[test]
fn a_definition_that_only_a_rendered_template_has_is_not_compared() {
    let place = Place::with(&[("chart.yaml", &chart("self.depth > 1", ""))]);
    let run = place.run(&["diff", "chart.yaml", "chart.yaml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("chart.yaml:1:1: template tags keep this file from being compared"), "{run:?}");
    assert!(run.err.contains("render the template and compare the result"), "{run:?}");
}
