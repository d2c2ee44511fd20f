//! Definitions as a JSON Schema of a flavor's extra specs: an object of texts, as Nova stores them.

mod integer;

use serde_json::{Map, Value as Json, json};

use crate::definition::{Definition, EnumMember, Status, ValueType};
use crate::glance::{Loss, LossKind, portable_pattern};
use crate::mode::Validation;
use crate::registry::regex;
use kvrules_regex::python::PythonRegex;

/// A schema, and what it does not say as the definitions do.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtraSpecsSchema {
    /// The schema, of draft 2020-12.
    pub document: Json,
    /// What it says otherwise.
    pub losses: Vec<Loss>,
}

/// More characters than `int` of Python reads.
const MAX_DIGITS: usize = 4300;

/// White space, as Python drops it around numbers and words.
const SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// Makes the schema. With `strict` it refuses keys that are not defined, else it lets them be.
///
/// ```
/// use kvrules_extra_specs::{Validation, json_schema, shipped};
///
/// let schema = json_schema(&shipped().definitions(), Validation::Strict);
/// assert_eq!(schema.document["additionalProperties"], false);
/// assert_eq!(schema.document["properties"]["hw:cpu_policy"]["enum"][0], "dedicated");
/// ```
pub fn json_schema(definitions: &[Definition], validation: Validation) -> ExtraSpecsSchema {
    let (mut properties, mut patterns, mut losses) = (Map::new(), Map::new(), Vec::new());
    for definition in definitions {
        let mut lose = |kind, cause| losses.push(Loss { definition: definition.name.clone(), kind, cause });
        if !definition.is_patterned() {
            let schema = described(value(definition, &mut lose), definition);
            properties.entry(&definition.name).or_insert(schema);
            continue;
        }
        match portable_pattern(&regex(&definition.pieces())) {
            Some((key, exact)) => {
                if !exact {
                    lose(LossKind::Narrower, "the classes of the name's pattern are those of ASCII");
                }
                let schema = described(value(definition, &mut lose), definition);
                patterns.entry(key).or_insert(schema);
            }
            None => lose(LossKind::Unsupported, "the pattern of the name has what JSON Schema does not know"),
        }
    }
    overlaps(definitions, &mut losses);
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Extra specs of a flavor",
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": match validation {
            Validation::Strict => json!(false),
            Validation::Permissive | Validation::Off => json!(true),
        },
    });
    ExtraSpecsSchema { document, losses }
}

fn value(definition: &Definition, lose: &mut impl FnMut(LossKind, &'static str)) -> Map<String, Json> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("string"));
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            lose(
                LossKind::Narrower,
                "numbers with underscores, or in digits of other scripts, are no numbers here",
            );
            let number = integer::pattern(*min, *max);
            schema.insert("pattern".to_owned(), json!(format!("^[{SPACE}]*(?:{number})[{SPACE}]*$")));
            schema.insert("maxLength".to_owned(), json!(MAX_DIGITS));
        }
        ValueType::Boolean => {
            schema.insert("pattern".to_owned(), json!(boolean()));
        }
        ValueType::String { pattern: Some(pattern), .. } => match portable_pattern(pattern) {
            Some((text, exact)) => {
                schema.insert("pattern".to_owned(), json!(text));
                if !exact {
                    lose(LossKind::Narrower, "the classes of the pattern are those of ASCII");
                }
            }
            None => lose(LossKind::Wider, "the pattern has what JSON Schema does not know"),
        },
        ValueType::String { members: Some(members), .. } => {
            schema.insert("enum".to_owned(), members.iter().map(EnumMember::value).collect());
        }
        ValueType::String { .. } => {}
    }
    schema
}

/// The words for yes and no, in any letter case and with white space around.
fn boolean() -> String {
    let either = |char: char| {
        if char.is_ascii_alphabetic() {
            format!("[{char}{}]", char.to_ascii_uppercase())
        } else {
            char.to_string()
        }
    };
    let words: Vec<String> =
        crate::python::BOOLEAN_WORDS.iter().map(|word| word.chars().map(either).collect()).collect();
    let space = format!(r"[{SPACE}\x1c-\x1f]*");
    format!("^{space}(?:{}){space}$", words.join("|"))
}

fn described(mut schema: Map<String, Json>, definition: &Definition) -> Json {
    schema.insert("description".to_owned(), json!(definition.description));
    if matches!(definition.status, Status::Deprecated { .. }) {
        schema.insert("deprecated".to_owned(), json!(true));
    }
    schema.into()
}

/// Where a pattern also takes the key of another definition, the schema asks for both, and only one of them decides.
fn overlaps(definitions: &[Definition], losses: &mut Vec<Loss>) {
    let matchers: Vec<_> = definitions
        .iter()
        .filter(|definition| definition.is_patterned())
        .filter_map(|definition| PythonRegex::new(&regex(&definition.pieces())).ok()?.matcher().ok())
        .collect();
    for definition in definitions.iter().filter(|definition| !definition.is_patterned()) {
        if matchers.iter().any(|matcher| matcher.is_match(&definition.name)) {
            let cause = "the pattern of another name takes this key too, and asks for its own values";
            losses.push(Loss { definition: definition.name.clone(), kind: LossKind::Narrower, cause });
        }
    }
}
