//! Words that compare values: by their meaning if the schema or the rule names one, in the evaluation and in the expression alike.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
#![expect(clippy::too_many_lines, reason = "a table")]

use kvrules_apiserver::crd::CompiledSchema;
use kvrules_diagnostics::FileId;
use kvrules_rule_set::{RuleSet, SubjectDefinitions, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

/// The pattern of controller-gen.
const PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

fn definition() -> Value {
    let text = json!({"type": "string", "maxLength": 40});
    let quantity = json!({"type": "string", "format": "quantity", "maxLength": 40});
    let generated = json!({"x-kubernetes-int-or-string": true, "pattern": PATTERN, "maxLength": 40});
    let of_format = |format: &str| json!({"type": "string", "format": format, "maxLength": 40});
    let item = json!({"type": "object", "properties": {"q": quantity, "t": of_format("date-time")}});
    let spec = json!({"type": "object", "properties": {
        "text": text, "other": text, "q": quantity, "r": quantity, "g": generated, "h": generated, "n": {"type": "integer"},
        "day": of_format("date"), "eve": of_format("date"), "at": of_format("date-time"), "until": of_format("date-time"),
        "wait": of_format("duration"), "most": of_format("duration"), "data": of_format("byte"), "copy": of_format("byte"),
        "list": {"type": "array", "maxItems": 5, "items": item},
        "known": {"type": "array", "maxItems": 5, "items": quantity},
    }});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn read(subject: &str, rule: &str) -> (Option<RuleSet>, Vec<String>) {
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {subject}\n  rules:\n  - {{name: a, {rule}}}\n"
    );
    let definitions = SubjectDefinitions { of_run: vec![definition()], ..SubjectDefinitions::default() };
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    (set, findings.into_iter().map(|it| it.message).collect())
}

fn pond(rule: &str) -> RuleSet {
    let (set, findings) = read("{apiVersion: example.com/v1, kind: Pond}", rule);
    assert_eq!(findings, Vec::<String>::new(), "{rule}");
    set.unwrap()
}

/// The verdicts by the words and by the expression.
fn verdicts(set: &RuleSet, object: &Value) -> (bool, bool) {
    let by_words = set.find_violations(object, None).is_empty();
    let version = set.versions().remove(0);
    let report = CompiledSchema::new(&version.schema).validate_object(object, None);
    (by_words, report.errors.is_empty())
}

#[test]
fn values_are_compared_by_their_meaning() {
    for (rule, passes, fails) in [
        (
            "path: spec.q, atLeast: spec.r",
            json!({"q": "1Gi", "r": "512Mi"}),
            json!({"q": "512Mi", "r": "1Gi"}),
        ),
        ("path: spec.q, atMost: spec.r", json!({"q": "900m", "r": "1"}), json!({"q": "1", "r": "900m"})),
        ("path: spec.q, equals: spec.r", json!({"q": "1Gi", "r": "1024Mi"}), json!({"q": "1Gi", "r": "1G"})),
        ("path: spec.q, equals: spec.r", json!({"q": "1", "r": "1000m"}), json!({"q": "many", "r": "many"})),
        ("path: spec.g, atLeast: spec.h", json!({"g": 2, "h": "1500m"}), json!({"g": "1500m", "h": 2})),
        ("path: spec.q, atLeast: spec.g", json!({"q": "2", "g": 2}), json!({"q": "999m", "g": 1})),
        (
            "path: spec.q, atLeast: spec.text",
            json!({"q": "1Gi", "text": "512Mi"}),
            json!({"q": "1Gi", "text": "x"}),
        ),
        ("path: spec.q, atLeast: spec.n", json!({"q": "10", "n": 9}), json!({"q": "9", "n": 10})),
        ("path: spec.q, in: [1Gi, 2Gi]", json!({"q": "1024Mi"}), json!({"q": "1G"})),
        ("path: spec.g, in: [1, 2]", json!({"g": "1000m"}), json!({"g": 3})),
        (
            "path: spec.text, atLeast: spec.other, as: quantity",
            json!({"text": "1Gi", "other": "512Mi"}),
            json!({"text": "512Mi", "other": "1Gi"}),
        ),
        (
            "path: spec.text, atLeast: spec.other, as: version",
            json!({"text": "1.10.0", "other": "1.9.0"}),
            json!({"text": "1.9.0", "other": "1.10.0"}),
        ),
        (
            "path: spec.text, atMost: spec.other, as: duration",
            json!({"text": "90s", "other": "2m"}),
            json!({"text": "2m", "other": "90s"}),
        ),
        (
            "path: spec.text, equals: spec.other, as: duration",
            json!({"text": "60s", "other": "1m"}),
            json!({"text": "a minute", "other": "a minute"}),
        ),
        (
            "path: spec.text, atLeast: spec.other, as: text",
            json!({"text": "512Mi", "other": "1Gi"}),
            json!({"text": "1Gi", "other": "512Mi"}),
        ),
        (
            "path: spec.text, atLeast: spec.other",
            json!({"text": "512Mi", "other": "1Gi"}),
            json!({"text": "1Gi", "other": "512Mi"}),
        ),
        (
            "path: spec.at, atLeast: spec.until",
            json!({"at": "2026-01-01T01:00:00Z", "until": "2026-01-01T02:00:00+02:00"}),
            json!({"at": "2026-01-01T02:00:00+02:00", "until": "2026-01-01T01:00:00Z"}),
        ),
        (
            "path: spec.day, atMost: spec.eve",
            json!({"day": "2026-01-09", "eve": "2026-01-10"}),
            json!({"day": "2026-01-10", "eve": "2026-01-09"}),
        ),
        (
            "path: spec.wait, atMost: spec.most",
            json!({"wait": "90s", "most": "2m"}),
            json!({"wait": "2m", "most": "90s"}),
        ),
        (
            "path: spec.wait, equals: spec.most",
            json!({"wait": "60s", "most": "1m"}),
            json!({"wait": "61s", "most": "1m"}),
        ),
        (
            "path: spec.data, equals: spec.copy",
            json!({"data": "YQ==", "copy": "YQ=="}),
            json!({"data": "YQ==", "copy": "Yg=="}),
        ),
        (
            "path: \"spec.list[*].q\", refersTo: \"spec.known[*]\"",
            json!({"list": [{"q": "1Gi"}, {"q": "x"}], "known": ["1024Mi", "x"]}),
            json!({"list": [{"q": "1Gi"}], "known": ["1G"]}),
        ),
        (
            "path: spec.list, uniqueBy: [q]",
            json!({"list": [{"q": "1Gi"}, {"q": "1G"}, {}]}),
            json!({"list": [{"q": "1Gi"}, {"q": "1024Mi"}]}),
        ),
        (
            "path: spec.list, uniqueBy: [t]",
            json!({"list": [{"t": "2026-01-01T01:00:00Z"}, {"t": "2026-01-01T01:00:00+02:00"}]}),
            json!({"list": [{"t": "2026-01-01T01:00:00Z"}, {"t": "2026-01-01T03:00:00+02:00"}]}),
        ),
        (
            "path: spec.n, integer: {min: 5}, when: {not: {path: spec.q, atLeast: spec.r}}",
            json!({"q": "1Gi", "r": "512Mi", "n": 1}),
            json!({"q": "x", "r": "512Mi", "n": 1}),
        ),
    ] {
        let set = pond(rule);
        for (spec, verdict) in [(passes, true), (fails, false)] {
            let object = json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "a"}, "spec": spec});
            assert_eq!(
                verdicts(&set, &object),
                (verdict, verdict),
                "{rule}: {object}\n{}",
                set.rules[0].expression
            );
        }
    }
}

#[test]
fn quantities_of_built_in_kinds_are_known() {
    let pod = "{apiVersion: v1, kind: Pod}";
    let rule =
        "each: 'spec.containers[*]', path: resources.limits.memory, atLeast: resources.requests.memory";
    let (set, findings) = read(pod, rule);
    assert_eq!(findings, Vec::<String>::new());
    let expression = set.unwrap().rules[0].expression.clone();
    assert!(
        expression
            .contains("quantity(self.limits['memory']).compareTo(quantity(self.requests['memory'])) >= 0"),
        "{expression}"
    );
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim}";
    let (set, findings) = read(claim, "path: spec.resources.requests.storage, in: [1Gi, 10Gi]");
    assert_eq!(findings, Vec::<String>::new());
    let object = |size: &str| json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": {"resources": {"requests": {"storage": size}}}});
    let set = set.unwrap();
    assert!(set.find_violations(&object("1024Mi"), None).is_empty());
    assert_eq!(set.find_violations(&object("1G"), None).len(), 1);
}

#[test]
fn readings_that_do_not_fit_are_refused() {
    for (rule, message) in [
        ("path: spec.n, atLeast: spec.text, as: version", "cannot be compared as versions"),
        ("path: spec.wait, atLeast: spec.text", "cannot be compared"),
        ("path: spec.wait, atLeast: spec.at", "cannot be compared"),
        ("path: spec.text, atLeast: spec.other, as: quantities", "unknown reading `quantities`"),
        (
            "path: spec.text, pattern: a, as: quantity",
            "`as` is for `atLeast`, `atMost`, `above`, `below`, `equals` and `notEquals`",
        ),
        ("path: spec.q, in: [1Gi, 1024Mi]", "duplicate value \"1024Mi\": it is equal to `1Gi`"),
        ("path: spec.q, in: [much]", "\"much\" is not a quantity"),
        (
            "path: spec.n, integer: {min: 1}, when: {path: spec.text, atLeast: spec.other, as: duration}",
            "cannot be in `when`",
        ),
        ("path: \"spec.list[*].t\", refersTo: \"spec.known[*]\"", "one cannot refer to the other"),
    ] {
        let (_, findings) = read("{apiVersion: example.com/v1, kind: Pond}", rule);
        assert!(findings.iter().any(|it| it.contains(message)), "{rule}: {findings:?}");
    }
}
