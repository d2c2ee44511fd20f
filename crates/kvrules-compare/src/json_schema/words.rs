//! Keywords: which decide what is accepted, and how patterns are read.

use kvrules_regex::ecma::to_re2;
use kvrules_regex::{Automaton, Demands, TextSearch};

/// What limits a value by itself.
pub(super) const OF_VALUES: [&str; 12] = [
    "type",
    "enum",
    "const",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
];

/// What counts items and fields.
pub(super) const OF_SIZES: [&str; 4] = ["minItems", "maxItems", "minProperties", "maxProperties"];

/// What has schemas about the same value.
pub(super) const BRANCHES: [&str; 9] = [
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// What is compared as a whole.
pub(super) const OTHERS: [&str; 6] =
    ["uniqueItems", "contains", "minContains", "maxContains", "propertyNames", "dependentRequired"];

/// What is looked into, field by field and item by item.
const BELOW: [&str; 7] =
    ["properties", "patternProperties", "additionalProperties", "required", "items", "prefixItems", RULES];

/// Rules in CEL, which no validator of JSON Schema runs.
pub(super) const RULES: &str = "x-kubernetes-validations";

/// Whether a keyword decides what is accepted; `$ref` and `allOf` are what they lead to.
pub(super) fn decides(keyword: &str) -> bool {
    [&OF_VALUES[..], &OF_SIZES, &BRANCHES, &OTHERS, &BELOW].iter().any(|list| list.contains(&keyword))
}

/// What a pattern matches, where an automaton can be made of it.
pub(super) fn automaton(pattern: &str) -> Option<Automaton> {
    kvrules_regex::parse(&to_re2(pattern).ok()?).ok()?.automaton()
}

/// Whether a pattern matches a name. One that cannot be read matches none; the validator has the last word.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let regex = to_re2(pattern).ok().and_then(|pattern| kvrules_regex::parse(&pattern).ok());
    regex.and_then(|regex| regex.matcher().ok()).is_some_and(|matcher| matcher.is_match(name))
}

/// A text that a pattern matches and others do not.
pub(super) fn name_for(pattern: &str, others: &[&str]) -> Option<String> {
    let own = automaton(pattern)?;
    let lacks: Vec<Automaton> = others.iter().filter_map(|pattern| automaton(pattern)).collect();
    let lacks: Vec<&Automaton> = lacks.iter().collect();
    match (Demands { matches: &[&own], lacks: &lacks, length: (1, Some(64)) }).search() {
        TextSearch::Found(text) => Some(text),
        TextSearch::Nothing | TextSearch::TooLarge => None,
    }
}
