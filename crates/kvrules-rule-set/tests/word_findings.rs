//! Wrong values of each word: a finding at its place, in one sentence.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use kvrules_diagnostics::{Diagnostic, FileId, Level};
use kvrules_rule_set::{SubjectDefinitions, WORDS, read_rule_set};
use kvrules_syntax::parse_stream;

const NAMES: &str = "path: 'spec.template.spec.containers[*].name'";

/// Words of a rule, the text that is marked, the code, the message, and the start of the help.
const WRONG: &[(&str, &str, &str, &str, &str)] = &[
    (
        "path: spec.replicas, required: no",
        "no",
        "KR101",
        "`required` can only be `true`; leave it out otherwise",
        "",
    ),
    (
        "path: spec.replicas, forbidden: 5",
        "5",
        "KR101",
        "`forbidden` can only be `true`; leave it out otherwise",
        "",
    ),
    ("required: true", "required", "KR101", "`required` needs a `path`", ""),
    ("exactlyOneOf: [spec.paused]", "[spec.paused]", "KR101", "two paths or more are expected", ""),
    ("atMostOneOf: spec.paused", "spec.paused", "KR101", "a list of paths is expected", ""),
    ("atLeastOneOf: [spec.paused, 5]", "5", "KR101", "a path must be a string", ""),
    (
        "allOrNone: [spec.paused, spec.pausd]",
        ".pausd",
        "KR103",
        "unknown field `pausd` in `spec`",
        "did you mean `paused`?",
    ),
    ("path: spec.replicas, integer: {min: 1.5}", "1.5", "KR101", "`min` of `integer` must be an integer", ""),
    (
        "path: spec.replicas, integer: {min: 5, max: 2}",
        "5",
        "KR105",
        "`min` is greater than `max`, so that no value passes",
        "",
    ),
    (
        "path: spec.paused, integer: {min: 5}",
        "spec.paused",
        "KR104",
        "`integer` is for an integer, but `spec.paused` is a boolean",
        "words for a boolean: `in`",
    ),
    (
        "path: spec.replicas, number: {min: 1}",
        "spec.replicas",
        "KR104",
        "`number` is for a number, but `spec.replicas` is an integer",
        "words for an integer: `integer`",
    ),
    (
        "path: metadata.name, quantity: {min: big}",
        "big",
        "KR101",
        "`min` of `quantity` must be a quantity, such as `64Mi`",
        "",
    ),
    (
        "path: spec.replicas, quantity: {min: 1}",
        "spec.replicas",
        "KR104",
        "`quantity` is for a string or an int-or-string, but `spec.replicas` is an integer",
        "",
    ),
    (
        "path: metadata.name, length: {min: -1}",
        "-1",
        "KR101",
        "`min` of `length` must be an integer from 0",
        "",
    ),
    (
        "path: metadata.name, items: {min: 1}",
        "metadata.name",
        "KR104",
        "`items` is for a list or a map, but `metadata.name` is a string",
        "words for a string: `",
    ),
    ("path: spec.replicas, in: 5", "5", "KR101", "`in` must be a list", ""),
    ("path: spec.replicas, in: [1, 1]", "1", "KR101", "duplicate value 1", ""),
    ("path: spec.replicas, in: [1, a]", "a", "KR104", "`spec.replicas` is an integer, but \"a\" is not", ""),
    (
        "path: spec.replicas, notIn: []",
        "[]",
        "KR105",
        "`notIn` is an empty list, so that every value passes",
        "",
    ),
    ("path: spec.replicas, notIn: [a]", "a", "KR104", "`spec.replicas` is an integer, but \"a\" is not", ""),
    (
        "path: spec.replicas, notPattern: a",
        "spec.replicas",
        "KR104",
        "`notPattern` is for a string, but `spec.replicas` is an integer",
        "words for an integer: `integer`",
    ),
    (
        "path: metadata.name, startsWith: 5",
        "5",
        "KR101",
        "`startsWith` must be a string, and 5 is none",
        "put it in quotation marks: `\"5\"`",
    ),
    ("path: metadata.name, startsWith: [a, a]", "a", "KR101", "duplicate text \"a\"", ""),
    (
        "path: metadata.name, endsWith: ''",
        "''",
        "KR101",
        "the text of `endsWith` is empty, so that every value passes",
        "",
    ),
    (
        "path: metadata.finalizers, contains: [a, b]",
        "[a, b]",
        "KR101",
        "`contains` is one value",
        "for several that must all be there",
    ),
    (
        "path: spec.template.spec.containers, contains: a",
        "spec.template.spec.containers",
        "KR104",
        "the items of `spec.template.spec.containers` are not scalars, but an object",
        "write the path of a field",
    ),
    (
        "path: metadata.finalizers, contains: 5",
        "5",
        "KR104",
        "an item of `metadata.finalizers` is a string, but 5 is not",
        "put it in quotation marks",
    ),
    (
        "path: spec.replicas, notEmpty: true",
        "spec.replicas",
        "KR104",
        "`notEmpty` is for a string, a list or a map, but `spec.replicas` is an integer",
        "words for an integer",
    ),
    (
        "path: metadata.name, notEmpty: 1",
        "1",
        "KR101",
        "`notEmpty` can only be `true`; leave it out otherwise",
        "",
    ),
    (
        "path: spec.replicas, above: 5",
        "5",
        "KR101",
        "`above` names the path of another field, not a value",
        "write `integer: {min: 6}`",
    ),
    (
        "path: spec.replicas, below: 5",
        "5",
        "KR101",
        "`below` names the path of another field, not a value",
        "write `integer: {max: 4}`",
    ),
    (
        "path: spec.replicas, notEquals: 5",
        "5",
        "KR101",
        "`notEquals` names the path of another field, not a value",
        "write `notIn: [5]`",
    ),
    (
        "path: metadata.name, in: [a], notIn: [a]",
        "[a]",
        "KR105",
        "no value of `in` passes the other words",
        "",
    ),
    ("path: spec.replicas, integer: {above: 1}", "above", "KR101", "unknown key `above` in `integer`", ""),
    (
        "path: metadata.name, quantity: {min: 1Gi, above: 2Gi}",
        "above",
        "KR101",
        "`quantity` has both `min` and `above`",
        "leave out one of them",
    ),
    (
        "path: metadata.name, quantity: {above: 1Gi, max: 1Gi}",
        "1Gi",
        "KR105",
        "`above` is not less than `max`, so that no value passes",
        "",
    ),
    (
        "path: metadata.name, quantity: {}",
        "{}",
        "KR101",
        "`quantity` has none of `min`, `max`, `above` and `below`",
        "",
    ),
    (
        "path: metadata.name, pattern: '('",
        "'('",
        "KR101",
        "invalid pattern: the group `(` has no closing `)`",
        "",
    ),
    (
        "path: metadata.name, pattern: '^$(tier)-'",
        "$(",
        "KR101",
        "a pattern cannot have parameters",
        "write `cel`",
    ),
    (
        "path: metadata.name, format: dns-labl",
        "dns-labl",
        "KR101",
        "unknown format `dns-labl`",
        "did you mean `dns-label`?",
    ),
    (
        "path: spec.template.spec.containers, uniqueBy: [nam]",
        "nam",
        "KR103",
        "unknown field `nam` in `spec.template.spec.containers[*]`",
        "did you mean `name`?",
    ),
    (
        "path: spec.replicas, atLeast: 5",
        "5",
        "KR101",
        "`atLeast` names the path of another field, not a value",
        "write `integer: {min: 5}`",
    ),
    (
        "path: spec.replicas, atMost: spec.paused",
        "spec.paused",
        "KR104",
        "`spec.replicas` is an integer, and `spec.paused` is a boolean: they cannot be compared",
        "",
    ),
    ("path: spec.replicas, equals: [spec.paused]", "[spec.paused]", "KR101", "a path must be a string", ""),
    (
        "path: metadata.name, refersTo: spec.replicas",
        "spec.replicas",
        "KR104",
        "`metadata.name` is a string, and `spec.replicas` is an integer: one cannot refer to the other",
        "",
    ),
    (
        "path: spec.selector, immutable: never",
        "never",
        "KR101",
        "`immutable` must be `always`, `onceSet` or `whileSet`",
        "known",
    ),
    (
        "path: spec.replicas, noRemoval: true",
        "spec.replicas",
        "KR104",
        "`noRemoval` is for a list or a map, but `spec.replicas` is an integer",
        "",
    ),
    (
        "path: metadata.name, transitions: {a: b}",
        "b",
        "KR101",
        "the values that may follow `a` must be a list",
        "",
    ),
    (
        "cel: self.spec.replica > 5",
        ".replica",
        "KR106",
        "undefined field `replica`",
        "did you mean `replicas`?",
    ),
    ("cel: self.spec.replicas", "self.spec.replicas", "KR106", "the expression must be a boolean", ""),
    ("cel: 'self.spec.'", ".", "KR106", "invalid expression: no viable alternative at input `.`", ""),
    (
        "each: spec.template.spec, cel: 'self.containers.name == 1'",
        ".name",
        "KR106",
        "type `list(object)` does not support field selection",
        "",
    ),
    ("cel: self.spec.replicas <= $(most)", "$(most)", "KR101", "unknown parameter `most`", "declare it"),
    ("path: spec.replicas, required: true, when: []", "[]", "KR101", "`when` has no conditions", ""),
    (
        "path: metadata.name, pattern: '^a', in: [b, c]",
        "[b, c]",
        "KR105",
        "no value of `in` passes the other words",
        "",
    ),
    (
        "path: spec.replicas, integr: {min: 1}",
        "integr",
        "KR101",
        "unknown word `integr`",
        "did you mean `integer`?",
    ),
    ("path: spec.replicas", "name", "KR101", "missing word that says what is required", "add one"),
    (
        "any: [{path: 'spec.template.spec.containers[*].image', startsWith: a}]",
        "'spec.template.spec.containers[*].image'",
        "KR101",
        "`spec.template.spec.containers[*].image` is several values, and the condition may mean each of them or some",
        "write `each: \"spec.template.spec.containers[*]\"` or `some: \"spec.template.spec.containers[*]\"`",
    ),
    ("any: [{cel: 'true'}]", "cel", "KR101", "a condition cannot use `cel`", ""),
    ("any: []", "[]", "KR101", "`any` must be a list of conditions", ""),
    (
        "any: [{path: spec.replicas, required: true}], path: spec.replicas",
        "path",
        "KR101",
        "`path` cannot be next to `any`",
        "put both into a list",
    ),
    (
        "some: 'spec.template.spec.containers', path: name, in: [a]",
        "'spec.template.spec.containers'",
        "KR101",
        "`some` is about the items of a list or the values of a map",
        "write `spec.template.spec.containers[*]`",
    ),
    (
        "some: 'spec.template.spec.containers[*]', path: nam, in: [a]",
        "nam",
        "KR103",
        "unknown field `nam` in `spec.template.spec.containers[*]`",
        "did you mean `name`?",
    ),
    (
        "count: 2",
        "2",
        "KR101",
        "`count` must be a mapping with `of`, and `min` or `max`",
        "write `count: {of:",
    ),
    (
        "count: {of: 'spec.template.spec.containers[*]', min: 0}, path: name, in: [a]",
        "{of: 'spec.template.spec.containers[*]', min: 0}",
        "KR101",
        "every list has so many items, and the rule says nothing",
        "raise `min`",
    ),
    (
        "some: 'spec.template.spec.containers[*]', count: {of: 'spec.template.spec.containers[*]', min: 1}, path: name, in: [a]",
        "count",
        "KR101",
        "`count` cannot be next to `some`",
        "put one inside the other",
    ),
    (
        "anyOf: [{path: spec.replicas, required: true}]",
        "anyOf",
        "KR101",
        "unknown word `anyOf`",
        "write `any: [CONDITION, …]`",
    ),
];

fn document(words: &str) -> String {
    format!(
        "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {{name: web}}\nspec:\n  \
         subject: {{apiVersion: apps/v1, kind: Deployment}}\n  rules:\n  - {{name: r, {words}}}\n"
    )
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let stream = parse_stream(FileId(0), text);
    let mut findings = Vec::new();
    read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut findings);
    findings.retain(|it| it.level == Level::Error);
    findings
}

#[test]
fn wrong_values_are_found_at_their_places() {
    for (words, marked, code, message, help) in WRONG {
        let text = document(words);
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{words}: {found:?}");
        let finding = &found[0];
        assert_eq!((finding.code, finding.message.as_str()), (*code, *message), "{words}");
        let shown = text.get(finding.primary.span.to_range()).unwrap_or_default();
        assert_eq!(shown, *marked, "{words}");
        let advice = finding.help.clone().unwrap_or_default();
        assert!(advice.starts_with(help), "{words}: {advice}");
    }
}

#[test]
fn words_about_items_with_updates_are_found() {
    let found = errors(&document(&format!("{NAMES}, immutable: always")));
    assert_eq!(found[0].code, "KR107", "{found:?}");
}

#[test]
fn each_word_is_among_the_wrong_ones() {
    for word in WORDS {
        let key = format!("{}:", word.name);
        assert!(WRONG.iter().any(|(words, ..)| words.contains(&key)), "{}", word.name);
    }
}
