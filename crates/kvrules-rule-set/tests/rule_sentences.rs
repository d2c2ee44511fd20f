//! Sentences of rules: every word under every guard says both, with every path, value and negation.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::FileId;
use kvrules_rule_set::{SubjectDefinitions, WORDS, read_rule_set};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

fn fields() -> Value {
    let text = json!({"type": "string"});
    json!({
        "cert": text, "protocol": text, "name": text, "other": text,
        "n": {"type": "integer"}, "m": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
        "names": {"type": "array", "maxItems": 5, "items": text},
        "ports": {"type": "array", "maxItems": 5, "items": {"type": "object", "properties": {"x": text, "y": {"type": "integer"}}}},
        "labels": {"type": "object", "maxProperties": 5, "additionalProperties": text},
        "tls": {"type": "object", "properties": {"a": text, "b": {"type": "integer"}}},
    })
}

fn definition() -> Value {
    let of_spec = json!({"type": "object", "properties": fields()});
    let list = json!({"type": "array", "maxItems": 5, "items": of_spec});
    let map = json!({"type": "object", "maxProperties": 5, "additionalProperties": of_spec});
    let schema = json!({"type": "object", "properties": {"spec": of_spec, "list": list, "map": map}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

/// The requirement of a rule in words, and its message.
fn requirement(rule: &str) -> (String, String) {
    let text = format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: pond}}\nspec:\n  \
         subject: {{apiVersion: example.com/v1, kind: Pond}}\n  rules:\n  - {{name: a, {rule}}}\n"
    );
    let definitions = SubjectDefinitions { of_run: vec![definition()], ..SubjectDefinitions::default() };
    let stream = parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    // A product of words and guards has rules that every object passes, which is a finding of its own.
    let refused = findings.iter().find(|it| !["KR105", "KR202"].contains(&it.code));
    assert!(refused.is_none(), "{rule}: {refused:?}");
    let rule = set.unwrap().rules.remove(0);
    (rule.requirement, rule.message)
}

/// Words of a rule about values of `fields`, and the demand.
const DEMANDS: &[(&str, &str)] = &[
    ("path: cert, required: true", "`cert` is required"),
    ("path: cert, forbidden: true", "`cert` must not be set"),
    ("exactlyOneOf: [cert, n]", "exactly one of `cert` and `n` must be set"),
    ("atMostOneOf: [cert, n, on]", "at most one of `cert`, `n` and `on` must be set"),
    ("atLeastOneOf: [cert, n]", "at least one of `cert` and `n` must be set"),
    ("allOrNone: [cert, n]", "`cert` and `n` must be set together"),
    ("path: n, integer: {min: 2, max: 9}", "`n` must be from 2 to 9"),
    ("path: n, integer: {min: 3, max: 3}", "`n` must be 3"),
    ("path: ratio, number: {above: 0.5, max: 2}", "`ratio` must be greater than 0.5 and at most 2"),
    ("path: cert, quantity: {min: 1Gi}", "`cert` must be at least 1Gi"),
    ("path: name, length: {max: 1}", "`name` must have at most 1 character"),
    ("path: names, items: {min: 2}", "`names` must have at least 2 items"),
    ("path: labels, items: {max: 2}", "`labels` must have at most 2 keys"),
    ("path: name, in: [koi, \"\"]", "`name` must be `koi` or `\"\"`"),
    ("path: on, in: [true]", "`on` must be `true`"),
    ("path: name, pattern: ^a", "`name` must match `^a`"),
    ("path: name, format: ip", "`name` must be an IP address"),
    ("path: name, notIn: [koi]", "`name` must not be `koi`"),
    ("path: n, notIn: [1, 2]", "`n` must be neither `1` nor `2`"),
    ("path: name, notIn: [a, b, c]", "`name` must be none of `a`, `b` and `c`"),
    ("path: name, notPattern: ^a", "`name` must not match `^a`"),
    ("path: name, startsWith: a-", "`name` must start with `a-`"),
    ("path: name, startsWith: [a-, b-]", "`name` must start with `a-` or `b-`"),
    ("path: name, endsWith: [a, b, c]", "`name` must end with `a`, `b` or `c`"),
    ("path: name, contains: /", "`name` must contain `/`"),
    ("path: names, contains: koi", "`names` must contain `koi`"),
    ("path: name, notEmpty: true", "`name` is required and must have at least 1 character"),
    ("path: names, notEmpty: true", "`names` is required and must have at least 1 item"),
    ("path: name, startsWith: a, notIn: [ab]", "`name` must start with `a` and must not be `ab`"),
    ("path: ports, uniqueBy: [x, y]", "`ports` must not have two items with equal `x` and `y`"),
    ("path: names, uniqueBy: []", "`names` must not have equal items"),
    ("path: n, atLeast: m", "`n` must be at least `m`"),
    ("path: n, atMost: m", "`n` must be at most `m`"),
    ("path: n, above: m", "`n` must be greater than `m`"),
    ("path: n, below: m", "`n` must be less than `m`"),
    ("path: name, notEquals: other", "`name` must be different from `other`"),
    ("path: name, equals: other", "`name` must be equal to `other`"),
    ("path: \"names[*]\", refersTo: \"ports[*].x\"", "`names[*]` must be among `ports[*].x`"),
    ("path: name, required: true, pattern: ^a", "`name` is required and must match `^a`"),
    ("path: n, integer: {min: 2}, in: [3, 4]", "`n` must be at least 2 and must be `3` or `4`"),
    ("path: \"ports[*].x\", required: true", "in each item of `ports`, `x` is required"),
    ("path: \"ports[*].x\", forbidden: true", "in each item of `ports`, `x` must not be set"),
    (
        "path: \"labels[*]\", length: {min: 2}",
        "in each value of `labels`, the value must have at least 2 characters",
    ),
    (
        "path: \"ports[*].x\", required: true, atMostOneOf: [cert, n]",
        "at most one of `cert` and `n` must be set and in each item of `ports`, `x` is required",
    ),
    (
        "path: \"ports[*].x\", required: true, pattern: ^a",
        "in each item of `ports`, `x` is required and must match `^a`",
    ),
];

/// Words that are about an update, which rules about items cannot use.
const UPDATES: &[(&str, &str)] = &[
    ("path: name, immutable: always", "`name` is immutable"),
    ("path: name, immutable: onceSet", "`name` is immutable once set"),
    ("path: name, immutable: whileSet", "`name` is immutable while it is set"),
    ("path: names, noRemoval: true", "items of `names` must not be removed"),
    ("path: labels, noRemoval: true", "keys of `labels` must not be removed"),
    ("path: name, transitions: {A: [B, C]}", "`name` may change only from `A` to `B` or `C`"),
];

/// Conditions of `when`, and how a sentence begins with them.
const GUARDS: &[(&str, &str)] = &[
    ("path: protocol, required: true", "if `protocol` is set"),
    ("path: protocol, forbidden: true", "if `protocol` is not set"),
    ("path: protocol, in: [HTTP]", "if `protocol` is `HTTP`"),
    ("path: protocol, in: [A, B]", "if `protocol` is `A` or `B`"),
    ("not: {path: protocol, in: [A, B]}", "unless `protocol` is `A` or `B`"),
    ("not: {path: protocol, required: true}", "if `protocol` is not set"),
    ("not: {path: protocol, forbidden: true}", "if `protocol` is set"),
    ("not: {not: {path: protocol, in: [A]}}", "if `protocol` is `A`"),
    (
        "all: [{path: protocol, required: true}, {path: m, integer: {min: 2}}]",
        "if `protocol` is set and `m` is at least 2",
    ),
    (
        "any: [{path: protocol, forbidden: true}, {path: m, integer: {min: 2}}]",
        "if `protocol` is not set or `m` is at least 2",
    ),
    (
        "not: {any: [{path: protocol, required: true}, {path: other, in: [a, b]}]}",
        "if `protocol` is not set and `other` is neither `a` nor `b`",
    ),
    (
        "not: {all: [{path: protocol, required: true}, {path: other, in: [a, b, c]}]}",
        "if `protocol` is not set or `other` is none of `a`, `b` and `c`",
    ),
    (
        "all: [{any: [{path: protocol, required: true}, {path: m, integer: {max: 2}}]}, {path: other, in: [a, b]}]",
        "if (`protocol` is set or `m` is at most 2) and (`other` is `a` or `b`)",
    ),
    (
        "path: protocol, pattern: ^a, length: {max: 3}",
        "if `protocol` matches `^a` and `protocol` has at most 3 characters",
    ),
    (
        "not: {path: ratio, number: {above: 1, below: 2}}",
        "unless `ratio` is (greater than 1 and less than 2)",
    ),
    ("exactlyOneOf: [protocol, m]", "if exactly one of `protocol` and `m` is set"),
    ("not: {exactlyOneOf: [protocol, m]}", "if none or more than one of `protocol` and `m` is set"),
    ("not: {atMostOneOf: [protocol, m]}", "if more than one of `protocol` and `m` is set"),
    ("not: {atLeastOneOf: [protocol, m]}", "if none of `protocol` and `m` is set"),
    ("allOrNone: [protocol, m]", "if all or none of `protocol` and `m` are set"),
    ("not: {allOrNone: [protocol, m]}", "if some but not all of `protocol` and `m` are set"),
    ("path: m, atLeast: n", "if `m` is at least `n`"),
    ("not: {path: m, equals: n}", "unless `m` is equal to `n`"),
    ("path: protocol, format: ip", "if `protocol` is an IP address"),
    ("path: protocol, notIn: [A]", "if `protocol` is set and `protocol` is not `A`"),
    ("path: protocol, notPattern: ^a", "if `protocol` is set and `protocol` does not match `^a`"),
    ("path: protocol, startsWith: [a, b]", "if `protocol` starts with `a` or `b`"),
    ("not: {path: protocol, endsWith: [a, b]}", "unless `protocol` ends with `a` or `b`"),
    (
        "all: [{not: {path: protocol, startsWith: [a, b]}}, {path: on, in: [true]}]",
        "if `protocol` starts with neither `a` nor `b` and `on` is `true`",
    ),
    ("path: ports, notEmpty: true", "if `ports` has at least 1 item"),
    ("path: protocol, contains: a", "if `protocol` contains `a`"),
    (
        "any: [{not: {path: protocol, contains: a}}, {path: on, in: [true]}]",
        "if `protocol` does not contain `a` or `on` is `true`",
    ),
    ("path: m, above: n", "if `m` is greater than `n`"),
    ("path: m, below: n", "if `m` is less than `n`"),
    ("path: m, notEquals: n", "if `m` is different from `n`"),
    ("path: ports, uniqueBy: [x]", "if `ports` has no two items with equal `x`"),
    (
        "all: [{not: {path: ports, uniqueBy: [x]}}, {path: on, in: [true]}]",
        "if `ports` has two items with equal `x` and `on` is `true`",
    ),
    ("path: \"ports[*].x\", required: true", "if `x` is set in some item of `ports`"),
    ("path: \"ports[*].x\", forbidden: true", "if `x` is not set in some item of `ports`"),
    ("not: {path: \"ports[*].x\", required: true}", "if `x` is set in no item of `ports`"),
    ("path: \"ports[*].x\", in: [a, b]", "if (`x` is `a` or `b`) in some item of `ports`"),
    ("path: \"labels[*]\", in: [a]", "if some value of `labels` is `a`"),
    ("not: {path: \"labels[*]\", in: [a, b]}", "if no value of `labels` is `a` or `b`"),
    (
        "path: \"labels[*]\", in: [a], length: {max: 3}",
        "if some value of `labels` is `a` and some value of `labels` has at most 3 characters",
    ),
];

/// What the paths of a rule start from: the path in front of them, if there is no `each`, and the start of the sentence.
const SCOPES: &[(&str, &str)] = &[
    ("each: spec, ", "in `spec`, "),
    ("each: \"list[*]\", ", "in each item of `list`, "),
    ("each: \"map[*]\", ", "in each value of `map`, "),
];

#[test]
fn every_word_under_every_guard_says_both() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (each, scope) in SCOPES {
        let updates = UPDATES.iter().filter(|_| !each.contains('*'));
        for (words, demand) in DEMANDS.iter().chain(updates) {
            let (said, message) = requirement(&format!("{each}{words}"));
            assert_eq!(said, format!("{scope}{demand}"), "{each}{words}");
            assert_eq!(said, message);
            for (guard, condition) in GUARDS {
                let rule = format!("{each}{words}, when: {{{guard}}}");
                let (said, wanted) = (requirement(&rule).0, format!("{scope}{condition}, {demand}"));
                if said != wanted {
                    wrong.push(format!("{rule}\n  {said}\n  {wanted}"));
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 3_000, "{count}");
}

#[test]
fn the_table_has_every_word() {
    for word in WORDS.iter().filter(|word| word.name != "cel") {
        let is_in = |text: &str| text.contains(&format!("{}: ", word.name));
        assert!(DEMANDS.iter().chain(UPDATES).any(|(words, _)| is_in(words)), "{}", word.name);
        let is_guard = GUARDS.iter().any(|(guard, _)| is_in(guard));
        let is_listed = ["integer", "number", "quantity", "items", "atMost"].contains(&word.name);
        assert!(is_guard || is_listed || !word.is_of_conditions(), "{}", word.name);
    }
}

#[test]
fn rules_about_the_object_name_whole_paths() {
    for (rule, said) in [
        (
            "path: spec.cert, forbidden: true, when: {path: spec.protocol, in: [HTTP]}",
            "if `spec.protocol` is `HTTP`, `spec.cert` must not be set",
        ),
        (
            "path: spec.cert, required: true, when: {path: spec.protocol, required: true}",
            "if `spec.protocol` is set, `spec.cert` is required",
        ),
        (
            "path: \"map[*].ports[*].x\", in: [a], when: {path: \"list[*].ports[*].x\", in: [b]}",
            "if `x` is `b` in some item of `ports` in some item of `list`, in each value of `map`, in each item of `ports`, \
             `x` must be `a`",
        ),
        (
            "each: \"map[*].labels[*]\", required: true",
            "in each value of `map[*].labels`, the value is required",
        ),
    ] {
        assert_eq!(requirement(rule).0, said, "{rule}");
    }
}

#[test]
fn conditions_of_a_rule_say_what_an_absent_value_means() {
    for (rule, expected) in CONDITIONS {
        assert_eq!(requirement(rule).0, *expected, "{rule}");
    }
}

/// Rules about the whole object that require conditions, and their sentences.
const CONDITIONS: &[(&str, &str)] = &[
    (
        "any: [{path: spec.n, integer: {min: 3}}, {path: spec.name, in: [a, b]}]",
        "it is required that `spec.n` is at least 3 or (`spec.name` is `a` or `b`)",
    ),
    (
        "any: [{path: spec.n, required: true}, {path: spec.m, required: true}]",
        "`spec.n` is required or `spec.m` is required",
    ),
    (
        "any: [{not: {path: spec.n, required: true}}, {path: spec.m, required: true}]",
        "if `spec.n` is set, `spec.m` is required",
    ),
    (
        "all: [{path: spec.n, integer: {min: 3}}, {path: spec.name, in: [a]}]",
        "`spec.n` is required and must be at least 3 and `spec.name` is required and must be `a`",
    ),
    (
        "not: {all: [{path: spec.on, in: [true]}, {path: spec.n, in: [1]}]}",
        "it is required that `spec.on` is not `true` or `spec.n` is not `1`",
    ),
    (
        "some: 'spec.ports[*]', path: x, in: [a]",
        "it is required that `x` is `a` in some item of `spec.ports`",
    ),
    (
        "count: {of: 'spec.names[*]', min: 2}, in: [a, b]",
        "it is required that at least 2 items of `spec.names` are `a` or `b`",
    ),
    (
        "count: {of: 'spec.ports[*]', min: 1, max: 3}, any: [{path: x, in: [a]}, {path: y, in: [1]}]",
        "it is required that (`x` is `a` or `y` is `1`) in 1 to 3 items of `spec.ports`",
    ),
    (
        "all: [{each: 'spec.ports[*]', path: x, required: true}, {each: 'list[*].ports[*]', path: y, in: [1]}]",
        "(in each item of `spec.ports`, `x` is required) and in each item of `list`, in each item of `ports`, `y` is required and must be `1`",
    ),
    (
        "all: [{each: 'spec.names[*]', pattern: a}, {each: 'spec.labels[*]', pattern: a}]",
        "(in each item of `spec.names`, the value must match `a`) and in each value of `spec.labels`, the value must match `a`",
    ),
    (
        "path: spec.n, required: true, when: {not: {count: {of: 'spec.ports[*]', max: 1}, path: y, integer: {min: 2}}}",
        "if `y` is at least 2 in more than one item of `spec.ports`, `spec.n` is required",
    ),
    (
        "path: spec.n, required: true, when: {each: 'spec.ports[*]', path: y, required: true}",
        "if `y` is set in each item of `spec.ports`, `spec.n` is required",
    ),
];
