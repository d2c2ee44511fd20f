//! Artefacts of definitions of extra specs: what the JSON Schema and Glance's metadata definitions accept for keys with values, against
//! what Nova accepts, by an evaluator of the judge's own.

use kvrules::extra_specs::parse_definitions;
use kvrules::{Emitter, Exactness, FileId, Request, TargetOutput, all_targets, compile_targets};
use regex::Regex;
use serde_json::{Map, Value as Json, json};

use super::engines::read_documents;
use super::{Claim, refute};
use crate::{Random, Tally};

/// Most definitions of one document.
const DEFINITIONS: usize = 4;

/// Names with the patterns of their parameters, and keys that may fit. Some keys fit several names.
const NAMES: [(&str, &[(&str, &str)]); 9] = [
    ("acme:tier", &[]),
    ("acme:size", &[]),
    ("plain", &[]),
    ("acme:a.b", &[]),
    ("acme:disk.{num}", &[("num", "[0-9]+")]),
    ("acme:{key}", &[("key", "[a-z]+")]),
    ("acme{group}:part", &[("group", "([a-z]{1,2})?")]),
    ("other:x{rest}", &[("rest", "(:[ab]+)*")]),
    ("other:{one}-{two}", &[("one", "a|ab"), ("two", r"\d")]),
];
const KEYS: [&str; 20] = [
    "acme:tier",
    "acme:size",
    "plain",
    "acme:a.b",
    "acme:axb",
    "acme:disk.1",
    "acme:disk.12",
    "acme:disk.",
    "acme:diskx1",
    "acme:key",
    "acme:KEY",
    "acme:part",
    "acmeab:part",
    "acmeabc:part",
    "other:x",
    "other:x:a:bb",
    "other:x:",
    "other:ab-1",
    "other:b-1",
    "unknown",
];

/// Patterns of values, and strings around what they match.
const PATTERNS: [&str; 9] = ["[a-z]+", "a|ab", r"\d+", "a.b", "(?:ab)*", "^a$", r"[^:]+:\d", "a{2,3}", r"\w"];
const TEXTS: [&str; 24] = [
    "", "a", "b", "ab", "abab", "aba", "A", "aa", "aaa", "aaaa", "1", "12", "a.b", "axb", "a\nb", "a\n",
    " a", "x:1", "x:", "gold", "Gold", "é", "٣", "_",
];
const WORDS: [&str; 18] = [
    "1", "t", "true", "on", "y", "yes", "0", "f", "false", "off", "n", "no", "TRUE", " Yes\t", "2", "",
    "truee", "\u{1c}on",
];

/// The values of a definition.
#[derive(Clone, Debug)]
enum ValueKind {
    Integer { min: Option<i64>, max: Option<i64> },
    Boolean,
    Text,
    Enum(Vec<&'static str>),
    Pattern(&'static str),
}

/// A definition.
#[derive(Clone, Debug)]
struct SpecDefinition {
    name: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    value: ValueKind,
}

/// Accepts or rejects a key with a value.
type AskPair = Box<dyn Fn(&str, &str) -> bool>;

/// Judges the artefacts of generated definitions.
pub(super) fn judge_extra_specs(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let definitions = random_definitions(&mut random);
    let text = to_document(&definitions).to_string();
    let (document, problems) = parse_definitions(FileId(0), &text);
    if !problems.is_empty() {
        tally.unjudged("a definition of an extra spec is refused");
        return;
    }
    let read = document.expand_definitions();
    let request = Request { definitions: &read, ..Request::for_virtual_machines(&[]) };
    let targets: Vec<&Emitter> =
        all_targets().iter().copied().filter(|it| it.extra_specs.is_some()).collect();
    let Ok(outputs) = compile_targets(&targets, &request) else {
        tally.unjudged("a target of extra specs fails");
        return;
    };
    for output in &outputs {
        let Some(ask) = engine_of(output) else {
            tally.unjudged(&format!("extra specs: {}: no engine reads it", output.target));
            continue;
        };
        for key in KEYS {
            let found = find_definition(&definitions, key);
            for value in values_around(found, &mut random) {
                if found.is_some_and(|found| exactness_of(output, found) == Exactness::Unsupported) {
                    // A form has no field for it, and says nothing of its values.
                    continue;
                }
                let accepted = ask(key, &value);
                let (kind, refutation) = judge_pair(output, found, key, &value, accepted);
                let shown = refutation.map(|reason| {
                    let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
                    format!("{text}\n{key} = {value:?}\n{reason}\n{}", files.join("\n---\n"))
                });
                tally.judge(&kind, format!("seed {seed}, case {case}"), shown);
            }
        }
    }
}

/// The kind of the claim about a pair, and the reason why an answer contradicts it.
fn judge_pair(
    output: &TargetOutput,
    found: Option<&SpecDefinition>,
    key: &str,
    value: &str,
    accepted: bool,
) -> (String, Option<String>) {
    let claims = &output.extra_specs.fidelity;
    let target = output.target;
    let Some(definition) = found else {
        // A name that a schema cannot express lets other keys pass.
        let may_accept = claims
            .iter()
            .any(|claim| matches!(claim.fidelity.exactness(), Exactness::Wider | Exactness::Incomparable));
        let refutation = (accepted && !may_accept).then(|| format!("accepted, and nothing defines {key}"));
        return (format!("extra specs: {target}: keys without definition"), refutation);
    };
    let claim = claims.iter().find(|claim| claim.rule == definition.name);
    let is_affected = claim.is_none_or(|claim| may_differ(claim.fidelity.cause().unwrap_or_default(), value));
    // An inexact claim about some values would hide a wrong one about the others.
    let exactness = if is_affected { exactness_of(output, definition) } else { Exactness::Exact };
    let claim = Claim { rule: definition.name.to_owned(), holds: definition.value.accepts(value), exactness };
    (format!("extra specs: {target} by jsonschema"), refute(&[claim], accepted))
}

/// True if the cause of an inexact claim is about a value: other spellings are not, and strings beyond ASCII.
fn may_differ(cause: &str, value: &str) -> bool {
    let differs = |cause: &str| match cause {
        _ if cause.starts_with("strings beyond ASCII are not checked") => !value.is_ascii(),
        "other spellings of a number are not JSON integers" => !matches_whole("0|-?[1-9][0-9]*", value),
        "other words than true and false are not JSON booleans" => !matches!(value, "true" | "false"),
        _ => true,
    };
    cause.split("; ").any(differs)
}

fn exactness_of(output: &TargetOutput, definition: &SpecDefinition) -> Exactness {
    let claim = output.extra_specs.fidelity.iter().find(|claim| claim.rule == definition.name);
    claim.map_or(Exactness::Unsupported, |claim| claim.fidelity.exactness())
}

fn random_definitions(random: &mut Random) -> Vec<SpecDefinition> {
    let mut names = NAMES.to_vec();
    let count = 1 + random.below(DEFINITIONS);
    (0..count)
        .map(|_| {
            let (name, parameters) = names.remove(random.below(names.len()));
            SpecDefinition { name, parameters, value: ValueKind::generate(random) }
        })
        .collect()
}

impl ValueKind {
    fn generate(random: &mut Random) -> Self {
        match random.below(5) {
            0 => {
                let min = random.chance(2, 3).then(|| random.between(-12, 12));
                let max = random.chance(2, 3).then(|| min.unwrap_or(0) + random.between(0, 120));
                Self::Integer { min, max }
            }
            1 => Self::Boolean,
            2 => Self::Text,
            3 => {
                let start = random.below(TEXTS.len());
                let count = 1 + random.below(3);
                Self::Enum(TEXTS.into_iter().cycle().skip(start).take(count).collect())
            }
            _ => Self::Pattern(PATTERNS[random.below(PATTERNS.len())]),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Integer { min, max } => {
                let mut value = json!({"type": "integer"});
                for (name, bound) in [("min", min), ("max", max)] {
                    if let Some(bound) = bound {
                        value[name] = json!(bound);
                    }
                }
                value
            }
            Self::Boolean => json!({"type": "boolean"}),
            Self::Text => json!({"type": "string"}),
            Self::Enum(members) => json!({"type": "string", "enum": members}),
            Self::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
        }
    }

    /// True if Nova accepts the value (nova api/validation/extra_specs/base.py, `_validate_*`).
    fn accepts(&self, value: &str) -> bool {
        match self {
            Self::Integer { min, max } => read_integer(value).is_some_and(|number| {
                min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
            }),
            Self::Boolean => {
                let word =
                    value.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
                let words = ["1", "t", "true", "on", "y", "yes", "0", "f", "false", "off", "n", "no"];
                words.contains(&word.to_lowercase().as_str())
            }
            Self::Text => true,
            Self::Enum(members) => members.contains(&value),
            Self::Pattern(pattern) => matches_whole(pattern, value),
        }
    }
}

/// `int(text)` of Python, for digits of ASCII and of one other script.
fn read_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let is_between_digits = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    let value = |digit: char| match digit {
        '٠'..='٩' => Some(i64::from(u32::from(digit) - u32::from('٠'))),
        _ => digit.to_digit(10).map(i64::from),
    };
    let digits: Option<Vec<i64>> = digits.chars().filter(|c| *c != '_').map(value).collect();
    let digits = digits.filter(|digits| is_between_digits && !digits.is_empty())?;
    digits.iter().try_fold(0i64, |sum, digit| sum.checked_mul(10)?.checked_add(*digit)).map(|sum| sign * sum)
}

/// True if a regular expression matches the whole string, as with `re.fullmatch` of Python.
fn matches_whole(pattern: &str, text: &str) -> bool {
    Regex::new(&format!(r"\A(?:{pattern})\z")).is_ok_and(|pattern| pattern.is_match(text))
}

impl SpecDefinition {
    /// True if the key is the name, or matches it; everything but parameters is literal.
    fn has_key(&self, key: &str) -> bool {
        let mut pattern = regex::escape(self.name);
        for (parameter, own) in self.parameters {
            pattern = pattern.replace(&regex::escape(&format!("{{{parameter}}}")), &format!("(?:{own})"));
        }
        matches_whole(&pattern, key)
    }
}

/// The definition that decides about a key: one with this very name, else the first that matches.
fn find_definition<'d>(definitions: &'d [SpecDefinition], key: &str) -> Option<&'d SpecDefinition> {
    let exact = definitions.iter().find(|definition| definition.name == key);
    exact.or_else(|| definitions.iter().find(|definition| definition.has_key(key)))
}

fn to_document(definitions: &[SpecDefinition]) -> Json {
    let entry = |definition: &SpecDefinition| {
        let mut entry =
            json!({"name": definition.name, "description": "d", "value": definition.value.to_json()});
        let parameter =
            |(name, pattern): &(&str, &str)| json!({"name": name, "pattern": pattern, "description": "p"});
        if !definition.parameters.is_empty() {
            entry["parameters"] = definition.parameters.iter().map(parameter).collect();
        }
        entry
    };
    let entries: Vec<Json> = definitions.iter().map(entry).collect();
    json!({"kind": "ExtraSpecDefinitions", "version": 1, "definitions": entries})
}

/// Values at and around the constants of a definition, in several spellings, and some others.
fn values_around(definition: Option<&SpecDefinition>, random: &mut Random) -> Vec<String> {
    let mut values: Vec<String> = (0..3).map(|_| (*random.choose(&TEXTS)).to_owned()).collect();
    match definition.map(|definition| &definition.value) {
        Some(ValueKind::Integer { min, max }) => {
            let bounds = [*min, *max, Some(0), Some(99), Some(100)];
            let numbers: Vec<i64> =
                bounds.into_iter().flatten().flat_map(|it| [it - 1, it, it + 1]).collect();
            values.extend(numbers.iter().map(ToString::to_string));
            for _ in 0..6 {
                let number = random.choose(&numbers).abs();
                let spellings = [
                    format!(" {number}\n"),
                    format!("+{number}"),
                    format!("-{number}"),
                    format!("00{number}"),
                    format!("0_{number}"),
                    format!("_{number}"),
                    format!("{number}.0"),
                    format!("\u{1c}{number}"),
                    format!("\u{a0}{number}"),
                    format!("- {number}"),
                ];
                values.push(random.choose(&spellings).clone());
            }
        }
        Some(ValueKind::Boolean) => values.extend(WORDS.map(str::to_owned)),
        Some(_) => values.extend(TEXTS.map(str::to_owned)),
        None => {}
    }
    values
}

fn engine_of(output: &TargetOutput) -> Option<AskPair> {
    let documents: Vec<Json> = output.output_files().flat_map(|file| read_documents(&file.text)).collect();
    match output.target {
        "json-schema" => {
            let validator = jsonschema::validator_for(documents.first()?).ok()?;
            Some(Box::new(move |key, value| validator.is_valid(&json!({ key: value }))))
        }
        "glance-metadefs" => form_engine(&documents),
        _ => None,
    }
}

/// Metadata definitions as a dashboard uses them: a form with a field for each property, of the type of the property.
fn form_engine(documents: &[Json]) -> Option<AskPair> {
    let mut fields: Vec<(String, String, jsonschema::Validator)> = Vec::new();
    for document in documents {
        let associations = document["resource_type_associations"].as_array()?;
        let flavor = associations.iter().find(|association| association["name"] == "OS::Nova::Flavor")?;
        let prefix = flavor["prefix"].as_str().unwrap_or_default();
        for (name, property) in document["properties"].as_object()? {
            let limits = ["type", "enum", "pattern", "minimum", "maximum"];
            let limits =
                limits.into_iter().filter_map(|limit| Some((limit.to_owned(), property.get(limit)?.clone())));
            let schema = Json::Object(limits.collect::<Map<_, _>>());
            let kind = property["type"].as_str()?.to_owned();
            fields.push((format!("{prefix}{name}"), kind, jsonschema::validator_for(&schema).ok()?));
        }
    }
    Some(Box::new(move |key, value| {
        let field = fields.iter().find(|(known, _, _)| known == key);
        field.is_some_and(|(_, kind, validator)| validator.is_valid(&entered(kind, value)))
    }))
}

/// A value as a form sends it: a number in a field for numbers, a mark in a box.
fn entered(kind: &str, value: &str) -> Json {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match (kind, value) {
        ("integer", _) if is_number => {
            value.parse::<i64>().map_or_else(|_| json!(value), |number| json!(number))
        }
        ("boolean", "true" | "false") => json!(value == "true"),
        _ => json!(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_python_reads_them() {
        for (text, number) in [(" 1_000\n", 1000), ("+7", 7), ("-007", -7), ("1٣", 13), ("\u{a0}5", 5)] {
            assert_eq!(read_integer(text), Some(number), "{text:?}");
        }
        for text in ["", "_1", "1__0", "+ 1", "0x1", "1.0", "\u{1c}1", "--1"] {
            assert_eq!(read_integer(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_cause_is_about_some_values_alone() {
        let ascii = "strings beyond ASCII are not checked: numbers in digits of other scripts";
        let spelling = "other spellings of a number are not JSON integers";
        assert!(may_differ(ascii, "1٣") && !may_differ(ascii, "13"));
        assert!(may_differ(spelling, "+1") && !may_differ(spelling, "-1"));
        assert!(may_differ(&format!("{spelling}; the bound is too large for a metadef"), "1"));
    }

    #[test]
    fn an_exact_name_decides_before_a_pattern_that_comes_first() {
        let definition = |index: usize, value| {
            let (name, parameters) = NAMES[index];
            SpecDefinition { name, parameters, value }
        };
        let definitions = [definition(5, ValueKind::Boolean), definition(0, ValueKind::Text)];
        let name = |key: &str| find_definition(&definitions, key).map(|found| found.name);
        assert_eq!(name("acme:tier"), Some("acme:tier"));
        assert_eq!(name("acme:size"), Some("acme:{key}"));
        assert_eq!(name("acme:KEY"), None);
        assert!(definition(4, ValueKind::Text).has_key("acme:disk.1"));
        assert!(!definition(4, ValueKind::Text).has_key("acme:diskx1"), "a dot is a dot");
    }
}
