//! Values that pass and values that fail, and keys that match and keys that do not. They are made on both sides of
//! each constraint, and evaluated by kvrules-extra-specs.

use kvrules_extra_specs::{
    Checker, Definition, DefinitionRegistry, Finding, Parameter, ValidationMode, Value, ValueType,
};
use kvrules_pages::document::{Example, Examples};
use kvrules_pages::prose::text_code;

use kvrules_regex::python::PythonRegex;

use super::pattern::ascii_regex;

/// Number of each sort that are shown.
const SHOWN: usize = 4;

/// Texts that are longer than this do not help.
const LONGEST: usize = 40;

/// Values of an extra spec.
pub(super) fn value_examples(definition: &Definition) -> Examples {
    let registry = DefinitionRegistry::new([vec![plain_definition(definition)]]);
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let verdict = |value: &str| {
        let findings = checker.check_one("key", value);
        let is_decided = !findings.iter().any(Finding::is_undecided);
        is_decided.then(|| !findings.iter().any(Finding::is_rejection))
    };
    let value = &definition.value;
    let texts = [described_values(value), candidate_texts(&value.r#type)].concat();
    choose_examples(&texts, verdict)
}

/// Keys that a name with parameters takes, and keys that it nearly takes; none for a plain name.
pub(super) fn key_examples(definition: &Definition) -> Examples {
    if !definition.is_patterned() {
        return Examples::default();
    }
    let registry = DefinitionRegistry::new([vec![definition.clone()]]);
    choose_examples(&candidate_keys(definition), |key| Some(registry.find_definition(key).is_some()))
}

/// Strings grouped by their description, up to the number that is shown.
fn choose_examples(texts: &[String], verdict: impl Fn(&str) -> Option<bool>) -> Examples {
    let mut examples = Examples::default();
    for text in texts {
        let Some(passes) = verdict(text) else { continue };
        let sort = if passes { &mut examples.passes } else { &mut examples.fails };
        if sort.len() < SHOWN && !sort.iter().any(|known| known.json == text.as_str()) {
            sort.push(Example { json: text.as_str().into(), code: text_code(text), beside: Vec::new() });
        }
    }
    examples
}

/// Returns the code in the description of a string value: its author's own examples.
fn described_values(value: &Value) -> Vec<String> {
    let ValueType::String { members: None, .. } = &value.r#type else { return Vec::new() };
    let parts = value.description.split('`').skip(1).step_by(2);
    parts.filter(|part| part.chars().count() <= LONGEST).map(str::to_owned).collect()
}

/// Texts on both sides of what a type asks for, the plainest first.
fn candidate_texts(value: &ValueType) -> Vec<String> {
    match value {
        ValueType::Integer { min, max } => {
            let step = |number: i128, by: i128| number.checked_add(by);
            let inside = min.iter().flat_map(|min| [Some(*min), step(*min, 1)]);
            let inside = inside.chain(max.iter().flat_map(|max| [step(*max, -1), Some(*max)]));
            let outside = [min.and_then(|min| step(min, -1)), max.and_then(|max| step(max, 1))];
            let numbers = inside.chain(outside).chain([Some(0), Some(1), Some(-1)]).flatten();
            let words = ["1.5", "many"].map(str::to_owned);
            numbers.map(|number| number.to_string()).chain(words).collect()
        }
        ValueType::Boolean => ["true", "false", "yes", "0", "enabled", "2", ""].map(str::to_owned).to_vec(),
        ValueType::String { pattern: Some(pattern), .. } => {
            [distinct_shapes(&of_pattern(pattern)), vec![String::new()]].concat()
        }
        ValueType::String { members: Some(members), .. } => {
            let values = members.iter().map(|member| member.value().to_owned());
            let first = members.first().map(kvrules_extra_specs::EnumMember::value).unwrap_or_default();
            let near = [first.to_uppercase(), format!("{first}-"), String::new()];
            values.chain(near).collect()
        }
        ValueType::String { .. } => Vec::new(),
    }
}

/// Texts that an expression matches and nearly matches, the plain and short ones first.
fn of_pattern(pattern: &str) -> Vec<String> {
    let Some(regex) = ascii_regex(pattern) else { return Vec::new() };
    let is_plain = |text: &String| {
        let chars = text.chars().count();
        (1..=LONGEST).contains(&chars) && text.chars().all(|c| c.is_ascii_graphic())
    };
    let mut texts: Vec<String> =
        kvrules_verify::generate_texts(&regex.to_re2()).into_iter().filter(is_plain).collect();
    let marks = |text: &str| text.chars().filter(char::is_ascii_punctuation).count();
    texts.sort_by_key(|text| (marks(text), text.chars().count(), text.clone()));
    texts
}

/// The first of several strings that look the same.
fn distinct_shapes(texts: &[String]) -> Vec<String> {
    let mut shapes: Vec<String> = Vec::new();
    let is_new = |text: &&String| {
        let shape = text_shape(text);
        let is_new = !shapes.contains(&shape);
        shapes.push(shape);
        is_new
    };
    texts.iter().filter(is_new).cloned().collect()
}

/// Returns the shape of a string: letters and digits by their kind, in a row only once.
fn text_shape(text: &str) -> String {
    let kind = |c: char| match c {
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        '0'..='9' => '0',
        c => c,
    };
    let mut shape: Vec<char> = text.chars().map(kind).collect();
    shape.dedup();
    shape.into_iter().collect()
}

/// Keys with texts in the place of one parameter after the other, and the name as it is written, which some take for a key.
fn candidate_keys(definition: &Definition) -> Vec<String> {
    let texts = |parameter: &Parameter| {
        [vec![String::new()], distinct_shapes(&of_pattern(&parameter.pattern))].concat()
    };
    let all: Vec<Vec<String>> = definition.parameters.iter().map(texts).collect();
    let usual: Vec<&str> =
        definition.parameters.iter().zip(&all).map(|(one, texts)| first_match(one, texts)).collect();
    let filled = |at: usize, text: &str| {
        let texts = usual.iter().enumerate().map(|(other, usual)| if other == at { text } else { *usual });
        let pairs = definition.parameters.iter().zip(texts);
        pairs.fold(definition.name.clone(), |name, (one, text)| name.replace(&one.to_placeholder(), text))
    };
    let varied = all.iter().enumerate().flat_map(|(at, texts)| texts.iter().map(move |text| (at, text)));
    varied.map(|(at, text)| filled(at, text)).chain([definition.name.clone()]).collect()
}

/// The first text that a parameter takes.
fn first_match<'t>(parameter: &Parameter, texts: &'t [String]) -> &'t str {
    let matcher = PythonRegex::new(&parameter.pattern).and_then(|regex| regex.compile_matcher());
    let is_taken = |text: &&String| matcher.as_ref().is_ok_and(|matcher| matcher.is_match(text));
    texts.iter().find(is_taken).map(String::as_str).unwrap_or_default()
}

/// A definition of the same value under a plain key, to ask about values alone.
fn plain_definition(definition: &Definition) -> Definition {
    Definition { name: "key".to_owned(), parameters: Vec::new(), ..definition.clone() }
}
