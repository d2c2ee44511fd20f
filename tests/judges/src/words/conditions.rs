//! Random conditions: those of `when`, and those that a rule requires.

use serde_json::{Map, Value as Json, json};

use super::authored::{PLACES, Place, WordMeaning, word_of_path, word_of_paths};
use super::said::Said;
use super::values::{Step, read_path};
use crate::Random;

/// The use of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// In `when`, where `[*]` means that some item satisfies a word.
    Case,
    /// In a rule, where a path has no `[*]`.
    Required,
}

/// Writes the keys of a rule that requires conditions, and what they mean.
pub(super) fn required_conditions(random: &mut Random, place: Place) -> (Map<String, Json>, Said) {
    loop {
        let (written, said) = condition(random, place, (2, Nature::Required));
        // Words without a connective are those of other rules, and `each` of a rule has another meaning.
        let joins = |fields: &Map<String, Json>| {
            ["all", "any", "not", "some", "count"].iter().any(|key| fields.contains_key(*key))
        };
        if let Json::Object(fields) = written
            && joins(&fields)
            && !fields.contains_key("each")
        {
            return (fields, said);
        }
    }
}

/// Writes a condition with so many levels, and what it means.
pub(super) fn condition(random: &mut Random, place: Place, (depth, nature): (usize, Nature)) -> (Json, Said) {
    if depth > 0 && random.chance(2, 5) {
        return joined(random, place, (depth, nature));
    }
    if depth > 0 && place.each.is_none() && random.chance(1, 4) {
        return quantified(random, (depth, nature));
    }
    if place.fields.len() > 2 && random.chance(1, 6) {
        let (word, value, said) = word_of_paths(random, place);
        return (json!({ word: value }), said);
    }
    let (path, kind) = loop {
        let found = *random.choose(place.fields);
        if nature == Nature::Case || !found.0.contains('*') {
            break found;
        }
    };
    let found = word_of_path(random, place, path, kind).filter(|(word, _, _)| *word != "refersTo");
    let (word, value, meaning) = found.unwrap_or(("required", true.into(), WordMeaning::Required));
    let mut json = Map::new();
    if !path.is_empty() {
        json.insert("path".to_owned(), path.into());
    }
    json.insert(word.to_owned(), value);
    let steps = read_path(path).unwrap_or_default();
    (Json::Object(json), meaning.case_of(steps))
}

/// Several conditions, or the opposite of one.
fn joined(random: &mut Random, place: Place, (depth, nature): (usize, Nature)) -> (Json, Said) {
    let mut parts = Vec::new();
    for _ in 0..random.between(1, 3) {
        parts.push(condition(random, place, (depth - 1, nature)));
    }
    let choice = random.below(4);
    if choice == 3 {
        let (json, said) = parts.remove(0);
        return (json!({ "not": json }), Said::Not(Box::new(said)));
    }
    let (json, said): (Vec<Json>, Vec<Said>) = parts.into_iter().unzip();
    match choice {
        0 => (json!({ "any": json }), Said::Or(said)),
        1 => (json!({ "all": json }), Said::And(said)),
        _ => (Json::Array(json), Said::And(said)),
    }
}

/// A condition about each item of a list, some, or a number of them.
fn quantified(random: &mut Random, (depth, nature): (usize, Nature)) -> (Json, Said) {
    let place = loop {
        let found = *random.choose(&PLACES);
        if found.each.is_some_and(|each| each.ends_with("[*]")) {
            break found;
        }
    };
    let each = place.each.unwrap_or_default();
    let mut list = read_path(each).unwrap_or_default();
    assert_eq!(list.pop(), Some(Step::Each), "the path ends with the items");
    let (inner, said) = condition(random, place, (depth - 1, nature));
    let mut fields = match inner {
        Json::Object(fields) => fields,
        other => Map::from_iter([("all".to_owned(), other)]),
    };
    let said = Box::new(said);
    let (key, value, said) = match random.below(3) {
        0 => ("each", json!(each), Said::Each(list, said)),
        1 => {
            let none = Said::Each(list, Box::new(Said::Not(said)));
            ("some", json!(each), Said::Not(Box::new(none)))
        }
        _ => {
            let (least, most) = (random.below(3) as u64, random.below(3) as u64);
            let (value, least, most) = match random.below(3) {
                0 => (json!({"of": each, "min": least + 1}), least + 1, u64::MAX),
                1 => (json!({ "of": each, "max": most }), 0, most),
                _ => (json!({"of": each, "min": least, "max": least + most}), least, least + most),
            };
            ("count", value, Said::SoMany { list, least, most, said })
        }
    };
    fields.insert(key.to_owned(), value);
    (Json::Object(fields), said)
}
