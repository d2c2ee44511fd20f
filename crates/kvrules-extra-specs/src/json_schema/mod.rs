//! Definitions as a JSON Schema of a flavor's extra specs: an object of texts, as Nova stores them.

mod integer;

use kvrules_diagnostics::Exactness;
use serde_json::{Map, Value as Json, json};

use crate::definition::{Definition, EnumMember, Status, ValueType};
use crate::glance::{MetadefLoss, UNCHECKED_VALUES};
use crate::mode::ValidationMode;
use crate::overlap::find_overlaps;
use crate::portable::PortablePattern;
use crate::registry::{escape_pattern, name_pattern};
use kvrules_regex::python::PythonRegex;

/// A schema, and what it does not say as the definitions do.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtraSpecsSchema {
    /// The schema, of draft 2020-12.
    pub document: Json,
    /// Differences from the definitions.
    pub losses: Vec<MetadefLoss>,
}

/// A text with a character beyond ASCII.
const BEYOND_ASCII: &str = r"[^\x00-\x7f]";

/// White space, as Python drops it around numbers and words.
// Spelled out, because `\s` of ECMA is not Python's.
const SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// Makes the schema. With `strict` it refuses keys that are not defined, else it lets them be.
///
/// The schema is meant for the pairs that Nova's API takes: keys of letters, digits and `-_:. `, keys and values of at most 255
/// characters.
///
/// ```
/// use kvrules_extra_specs::{ValidationMode, json_schema, shipped_document};
///
/// let schema = json_schema(&shipped_document().expand_definitions(), ValidationMode::Strict);
/// assert_eq!(schema.document["additionalProperties"], false);
/// assert_eq!(schema.document["properties"]["hw:cpu_policy"]["enum"][0], "dedicated");
/// ```
pub fn json_schema(definitions: &[Definition], validation: ValidationMode) -> ExtraSpecsSchema {
    let (mut properties, mut patterns, mut losses) = (Map::new(), Map::new(), Vec::new());
    for definition in definitions {
        let mut lose =
            |kind, cause| losses.push(MetadefLoss { definition: definition.name.clone(), kind, cause });
        if !definition.is_patterned() {
            let schema = with_description(value_schema(definition, &mut lose), definition);
            // If two definitions have the same name, the first takes precedence, as in a registry.
            properties.entry(&definition.name).or_insert(schema);
            continue;
        }
        let name = name_pattern(&definition.pieces());
        if let Some(key) = PortablePattern::of(&name) {
            let schema = with_description(value_schema(definition, &mut lose), definition);
            patterns.entry(key.text).or_insert(schema);
        } else {
            lose(
                Exactness::Wider,
                "its name uses syntax that JSON Schema does not support: keys with the same prefix may have any value",
            );
            patterns.entry(begins_alike(&name)).or_insert_with(|| json!({}));
        }
    }
    for overlap in find_overlaps(definitions) {
        let cause = "the pattern of another name also matches its keys, and requires other values";
        let loss = MetadefLoss { definition: overlap.decides, kind: Exactness::Narrower, cause };
        if !losses.contains(&loss) {
            losses.push(loss);
        }
    }
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Extra specs of a flavor",
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": match validation {
            ValidationMode::Strict => json!(false),
            ValidationMode::Permissive | ValidationMode::Off => json!(true),
        },
    });
    ExtraSpecsSchema { document, losses }
}

/// Every key that begins as those of a name do, which no pattern of a schema can say.
fn begins_alike(name: &str) -> String {
    let begin = PythonRegex::new(name).map(|regex| regex.literal_ends().0).unwrap_or_default();
    let mut pattern = "^".to_owned();
    escape_pattern(&begin, &mut pattern);
    pattern
}

fn value_schema(
    definition: &Definition,
    lose: &mut impl FnMut(Exactness, &'static str),
) -> Map<String, Json> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("string"));
    match &definition.value.r#type {
        ValueType::Integer { min, max } => {
            lose(
                Exactness::Wider,
                "strings beyond ASCII are not checked: numbers in digits of other scripts",
            );
            let number = integer::range_pattern(*min, *max);
            schema.insert(
                "pattern".to_owned(),
                // Blanks beyond ASCII need not be listed: such texts pass anyway.
                json!(format!(r"^[\t-\r ]*(?:{number})[\t-\r ]*$|{BEYOND_ASCII}")),
            );
        }
        ValueType::Boolean => {
            schema.insert("pattern".to_owned(), json!(boolean_pattern()));
        }
        ValueType::String { pattern: Some(pattern), .. } => {
            match PortablePattern::of(pattern).map(PortablePattern::lenient) {
                Some((text, exact)) => {
                    schema.insert("pattern".to_owned(), json!(text));
                    if !exact {
                        lose(Exactness::Wider, UNCHECKED_VALUES);
                    }
                }
                None => lose(Exactness::Wider, "the pattern uses syntax that JSON Schema does not support"),
            }
        }
        ValueType::String { members: Some(members), .. } => {
            schema.insert("enum".to_owned(), members.iter().map(EnumMember::value).collect());
        }
        ValueType::String { .. } => {}
    }
    schema
}

/// The words for yes and no, in any letter case and with white space around.
fn boolean_pattern() -> String {
    // A pattern of JSON Schema has no flag for the case of letters.
    let either = |char: char| {
        if char.is_ascii_alphabetic() {
            format!("[{char}{}]", char.to_ascii_uppercase())
        } else {
            char.to_string()
        }
    };
    let words: Vec<String> =
        crate::python::BOOLEAN_WORDS.iter().map(|word| word.chars().map(either).collect()).collect();
    // str.strip drops U+001C to U+001F as well, other than `int`.
    let space = format!(r"[{SPACE}\x1c-\x1f]*");
    format!("^{space}(?:{}){space}$", words.join("|"))
}

fn with_description(mut schema: Map<String, Json>, definition: &Definition) -> Json {
    schema.insert("description".to_owned(), json!(definition.description));
    if matches!(definition.status, Status::Deprecated { .. }) {
        schema.insert("deprecated".to_owned(), json!(true));
    }
    schema.into()
}
