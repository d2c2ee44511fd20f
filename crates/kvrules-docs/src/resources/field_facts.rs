//! The facts about a field: everything that its schema says, apart from type, description and rules.

use kvrules_apiserver::definition::keyword_value;
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use kvrules_pages::document::Text;
use kvrules_pages::fact::{Fact, Piece};
use kvrules_pages::fact_picture::FactPicture;
use kvrules_pages::prose::{pattern_code, pattern_in_words};
use serde_json::Value as Json;

use super::bounds::{bound_words, bounds_picture};
use super::values::{
    code_fact, is_true, join_codes, line_fact, text_of, texts_of, value_code, value_fact, word_fact,
    words_piece,
};

/// Returns the facts about the values of a schema, in the order in which pages list them.
pub(super) fn field_facts(node: &Json) -> Vec<Fact> {
    let default = keyword_value(node, "default").filter(|value| !value.is_null());
    let bounds = bound_words(node);
    let mut facts: Vec<Fact> =
        default.map(|value| value_fact("default", "Default", value)).into_iter().collect();
    facts.extend(enum_fact(node));
    if !bounds.is_empty() {
        let mut line = vec![Piece::of_text(bounds.join(", "))];
        line.extend(bounds_picture(node).map(Piece::Picture));
        facts.push(line_fact("limits", "Limits", line));
    }
    facts.extend(pattern_facts(node));
    facts.extend(format_fact(node));
    facts.extend(list_type_fact(node));
    facts.extend(map_type_fact(node));
    if is_true(node, "nullable") {
        facts.push(word_fact("nullable", "Null", "allowed"));
    }
    if is_true(node, PRESERVE_UNKNOWN_FIELDS) {
        facts.push(word_fact("unknown-fields", "Unknown fields", "kept"));
    }
    facts.extend(alternative_facts(node));
    let example = keyword_value(node, "example").filter(|value| !value.is_null());
    facts.extend(example.map(|value| value_fact("example", "Example", value)));
    facts.extend(more_fact(node));
    facts
}

fn enum_fact(node: &Json) -> Option<Fact> {
    let values = keyword_value(node, "enum")?.as_array()?;
    let items = values.iter().map(|value| vec![Piece::Code(value_code(value))]);
    Some(line_fact("values", "Allowed values", Piece::join_with(items, ", ")))
}

fn pattern_facts(node: &Json) -> Vec<Fact> {
    let pattern = text_of(node, "/pattern");
    if pattern.is_empty() {
        return Vec::new();
    }
    let picture = Piece::Picture(FactPicture::Pattern { source: pattern.to_owned() });
    let code = line_fact("pattern", "Regular expression", vec![Piece::Code(pattern_code(pattern)), picture]);
    let reading = pattern_in_words(pattern);
    let reading =
        reading.map(|words| line_fact("pattern", "In words", vec![Piece::Text(Text::from_prose(&words))]));
    [code].into_iter().chain(reading).collect()
}

fn format_fact(node: &Json) -> Option<Fact> {
    let format = Some(text_of(node, "/format")).filter(|format| !format.is_empty())?;
    Some(line_fact("format", "Format", vec![Piece::of_code(format)]))
}

fn list_type_fact(node: &Json) -> Option<Fact> {
    let line = match text_of(node, "/x-kubernetes-list-type") {
        "" => return None,
        "set" => vec![words_piece("set: no two items are equal")],
        "map" => {
            let keys = texts_of(node, "/x-kubernetes-list-map-keys");
            let mut line = vec![words_piece("map: no two items have the same ")];
            line.extend(join_codes(&keys, "and"));
            line
        }
        "atomic" => vec![words_piece("atomic: replaced as a whole when it is applied")],
        other => vec![Piece::of_code(other)],
    };
    Some(line_fact("list-type", "List type", line))
}

fn map_type_fact(node: &Json) -> Option<Fact> {
    let line = match text_of(node, "/x-kubernetes-map-type") {
        "" | "granular" => return None,
        "atomic" => vec![words_piece("atomic: replaced as a whole when it is applied")],
        other => vec![Piece::of_code(other)],
    };
    Some(line_fact("map-type", "Map type", line))
}

/// Constraints by other schemas: `oneOf` and the like, those by lists of required fields in words.
fn alternative_facts(node: &Json) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (keyword, label, words) in [
        ("oneOf", "Exactly one of", "exactly one of "),
        ("anyOf", "At least one of", "at least one of "),
        ("allOf", "All of", ""),
        ("not", "Not", ""),
    ] {
        let Some(value) = keyword_value(node, keyword).filter(|value| !value.is_null()) else { continue };
        // Every such field has this branch, which says no more than the type.
        if keyword == "anyOf" && is_true(node, INT_OR_STRING) && is_int_or_string(value) {
            continue;
        }
        if let Some(fields) = Some(value).filter(|_| keyword == "oneOf").and_then(exclusive_fields) {
            let mut line = vec![words_piece("at most one of ")];
            line.extend(join_codes(&fields, "and"));
            line.push(words_piece(" is set"));
            facts.push(line_fact(keyword, "Fields", line));
            continue;
        }
        let alternatives = Some(words).filter(|words| !words.is_empty()).and_then(|_| required_fields(value));
        if let Some(fields) = alternatives {
            let mut line = vec![words_piece(words)];
            line.extend(join_codes(&fields, "and"));
            line.push(words_piece(" is set"));
            facts.push(line_fact(keyword, "Fields", line));
        } else {
            facts.push(schema_fact(keyword, label, value));
        }
    }
    facts
}

fn is_int_or_string(value: &Json) -> bool {
    *value == serde_json::json!([{"type": "integer"}, {"type": "string"}])
}

/// The fields of which one branch forbids all, and the others require one each.
fn exclusive_fields(branches: &Json) -> Option<Vec<&str>> {
    let branches = branches.as_array()?;
    let forbidden = |branch: &'_ Json| {
        let keywords = branch.as_object().filter(|keywords| keywords.len() == 1)?;
        let inner = keywords.get("not")?.as_object().filter(|inner| inner.len() == 1)?;
        Some(inner.get("anyOf")?.clone())
    };
    let at = branches.iter().position(|branch| forbidden(branch).is_some())?;
    let of_none = forbidden(branches.get(at)?)?;
    let others = branches.iter().enumerate().filter(|(index, _)| *index != at);
    let required = others.map(|(_, branch)| only_required(branch)).collect::<Option<Vec<&str>>>()?;
    let mut none: Vec<&str> = required_fields(&of_none)?;
    let mut each = required.clone();
    none.sort_unstable();
    each.sort_unstable();
    (none == each).then_some(required)
}

/// The field that each branch requires, if that is all that each demands.
fn required_fields(branches: &Json) -> Option<Vec<&str>> {
    let branches = branches.as_array().filter(|branches| branches.len() > 1)?;
    branches.iter().map(only_required).collect()
}

fn only_required(branch: &Json) -> Option<&str> {
    let keywords = branch.as_object().filter(|keywords| keywords.len() == 1)?;
    match keywords.get("required")?.as_array()?.as_slice() {
        [field] => field.as_str(),
        _ => None,
    }
}

fn schema_fact(kind: &str, label: &str, value: &Json) -> Fact {
    let code = serde_json::to_string_pretty(value).unwrap_or_default();
    code_fact(kind, &format!("{label} (schema)"), code)
}

fn more_fact(node: &Json) -> Option<Fact> {
    let docs = keyword_value(node, "externalDocs")?;
    let url = Some(text_of(docs, "/url")).filter(|url| url.starts_with("http"))?;
    let text = match text_of(docs, "/description") {
        "" => url,
        text => text,
    };
    let link = Piece::Link { text: text.to_owned(), url: Some(url.to_owned()) };
    Some(line_fact("external-docs", "See also", vec![link]))
}
