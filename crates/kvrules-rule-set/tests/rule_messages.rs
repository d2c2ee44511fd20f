//! Messages with placeholders, reasons and fields, and what is selected.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::{Diagnostic, FileId};
use kvrules_rule_set::{AuthoredRule, RuleSet, SubjectDefinitions, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

fn pond() -> Value {
    let text = json!({"type": "string"});
    let spec = json!({"type": "object", "properties": {
        "depth": {"type": "integer"},
        "name": {"type": "string", "maxLength": 20},
        "long": text,
        "memory": {"x-kubernetes-int-or-string": true, "maxLength": 20},
        "a-b": {"type": "object", "properties": {"x": {"type": "boolean"}}},
        "fish": {"type": "array", "maxItems": 9, "items": {"type": "object", "properties": {"kind": text, "weight": {"type": "integer"}}}},
    }});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn read(head: &str, rule: &str) -> (Option<RuleSet>, Vec<Diagnostic>) {
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Pond}}\n{head}  rules:\n  - {{name: a, {rule}}}\n"
    );
    let definitions = SubjectDefinitions { of_run: vec![pond()], ..SubjectDefinitions::default() };
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    (set, findings)
}

fn rule(text: &str) -> AuthoredRule {
    let (set, findings) = read("", text);
    assert!(findings.is_empty(), "{text}: {findings:?}");
    set.unwrap().rules.remove(0)
}

#[test]
fn placeholders_become_texts_and_expressions() {
    let depth = "path: spec.depth, integer: {min: 2, max: 9}";
    for (own, static_text, expression) in [
        (
            format!("{depth}, message: '{{path}}: {{limit}}, not {{value}}'"),
            "spec.depth: 2 to 9, not <value>",
            Some("'spec.depth: 2 to 9, not %s'.format([string(self)])"),
        ),
        (format!("{depth}, message: 'is \\{{value}}'"), "is {value}", None),
        ("path: spec.depth, integer: {min: 2}, message: 'at least {limit}'".to_owned(), "at least 2", None),
        (
            "path: spec.memory, quantity: {min: 1Gi}, message: 'no {value}'".to_owned(),
            "no <value>",
            Some("'no %s'.format([string(self)])"),
        ),
        (format!("{depth}, message: '{{limit}} {{ {{ }}'"), "2 to 9 { { }", None),
        (
            "path: spec.name, length: {min: 2}, message: '`{value}` has not {limit}'".to_owned(),
            "`<value>` has not at least 2",
            Some("'`%s` has not at least 2'.format([self])"),
        ),
        (
            "path: spec.long, pattern: '^a', message: '{value}'".to_owned(),
            "<value>",
            Some("'%s'.format([size(self) > 200 ? self.substring(0, 200) + '...' : self])"),
        ),
        (
            "path: spec.fish, items: {max: 3}, message: '{value} of {limit}'".to_owned(),
            "<value> of at most 3",
            Some("'%s of at most 3'.format([string(size(self))])"),
        ),
        (
            "path: 'spec.fish[*].kind', in: [koi], message: 'no 100% {value}'".to_owned(),
            "no 100% <value>",
            Some("'no 100%% %s'.format([size(self) > 200 ? self.substring(0, 200) + '...' : self])"),
        ),
        (
            "path: spec.depth, atMost: spec.depth2, message: '{limit}'".replace("depth2", "depth"),
            "`spec.depth`",
            None,
        ),
    ] {
        let (set, findings) = read("", &own);
        // A value that is compared with itself is an idle rule.
        let findings: Vec<_> = findings.iter().filter(|it| !["KR109", "KR202"].contains(&it.code)).collect();
        assert!(findings.is_empty(), "{own}: {findings:?}");
        let rule = set.unwrap().rules.remove(0);
        assert_eq!(rule.message, static_text, "{own}");
        assert_eq!(rule.message_expression.as_deref(), expression, "{own}");
    }
}

#[test]
fn messages_of_several_words_about_a_path_name_it_once() {
    for (own, message) in [
        ("required: true, pattern: '^a'", "`spec.name` is required and must match `^a`"),
        ("pattern: '^a', length: {max: 3}", "`spec.name` must match `^a` and must have at most 3 characters"),
        (
            "required: true, exactlyOneOf: [spec.depth, spec.long], pattern: '^a'",
            "`spec.name` is required and exactly one of `spec.depth` and `spec.long` must be set and \
             `spec.name` must match `^a`",
        ),
    ] {
        assert_eq!(rule(&format!("path: spec.name, {own}")).message, message, "{own}");
    }
}

#[test]
fn a_value_that_may_be_absent_is_guarded() {
    let removed = rule("path: spec.name, immutable: onceSet, message: 'was {value}'");
    let expression = removed.message_expression.unwrap();
    assert_eq!(
        expression,
        "'was %s'.format([has(self.spec) && has(self.spec.name) ? self.spec.name : 'no value'])"
    );
}

#[test]
fn messages_that_servers_would_not_show_are_findings() {
    let many = "{value} ".repeat(8);
    for (own, expected) in [
        (
            "path: spec.depth, integer: {min: 2}, message: '{valeu}'",
            "unknown placeholder `{valeu}` in a message",
        ),
        (
            "exactlyOneOf: [spec.depth, spec.name], message: '{path}'",
            "a message with placeholders needs a `path`",
        ),
        ("path: spec.depth, required: true, message: '{limit}'", "`{limit}` needs a word with a limit"),
        ("path: spec.name, length: {min: 2}, pattern: '^a', message: '{limit}'", "`{limit}` is one limit"),
        (
            "path: 'spec.fish[*].kind', in: [koi], when: {path: spec.name, in: [a]}, message: '{value}'",
            "`{value}` is one value",
        ),
        ("path: spec.a-b, required: true, message: '{value}'", "`{value}` shows scalars and sizes"),
        (&format!("path: spec.long, pattern: '^a', message: '{many}'"), "more than the 5,120 bytes"),
        ("path: spec.depth, integer: {min: 2}, reason: Invalid", "unknown reason `Invalid`"),
    ] {
        let (_, findings) = read("", own);
        assert!(findings.iter().any(|it| it.message.contains(expected)), "{own}: {findings:?}");
    }
}

#[test]
fn errors_name_the_field_of_the_rule() {
    let entry = |text: &str| rule(text).to_entry();
    let conditional = entry("path: spec.depth, integer: {min: 2}, when: {path: spec.name, in: [a]}");
    assert_eq!((&conditional["fieldPath"], conditional.get("reason")), (&json!(".depth"), None));
    let required = entry("path: spec.a-b.x, required: true, reason: FieldValueInvalid");
    assert_eq!(required["reason"], "FieldValueInvalid");
    assert!(required["fieldPath"] == "['a-b'].x" || required["fieldPath"] == ".spec['a-b'].x", "{required}");
    let deep = entry("path: spec.depth, integer: {min: 2}");
    assert_eq!(deep.get("fieldPath"), None, "the place is the field");
    let label = entry("path: spec.depth, integer: {min: 2}, when: {path: metadata.name, in: [a]}");
    assert_eq!(label["fieldPath"], ".spec.depth");
    let name = entry("path: metadata.name, in: [a]");
    assert_eq!(name.get("fieldPath"), None, "the definition does not declare it");
}

#[test]
fn selections_are_checked() {
    let rule = "path: spec.depth, immutable: always";
    for (own, expected) in [
        ("{operations: [DELETE]}", "rules cannot be evaluated for the operation `DELETE`"),
        ("{operations: [create]}", "rules cannot be evaluated for the operation `create`"),
        ("{users: alice}", "`users` must be a list of strings"),
        ("{groups: []}", "`groups` must be a list of strings"),
        ("{}", "`match` selects nothing"),
        ("{operations: [CREATE, UPDATE]}", "`match` selects nothing"),
        ("{operations: [CREATE]}", "`match` selects no updates, which the rule `a` is about"),
    ] {
        let (_, findings) = read(&format!("  match: {own}\n"), rule);
        assert!(findings.iter().any(|it| it.message.contains(expected)), "{own}: {findings:?}");
    }
}
