//! Names of rules that had none.

use std::collections::BTreeSet;

use kvrules_generate::PlaceStep;

use super::candidates::RuleEntry;

/// Returns a name that no other rule of the set has: its own, or the field and the word, such as `replicas-integer`.
pub(super) fn rule_name(
    own: Option<&str>,
    entry: &RuleEntry,
    place: &[PlaceStep],
    used: &mut BTreeSet<String>,
) -> String {
    let is_frame = |key: &str| matches!(key, "name" | "each" | "path" | "when" | "message" | "severity");
    let word = entry.keys().find(|key| !is_frame(key)).map_or("rule", String::as_str);
    let field = entry.get("path").and_then(serde_json::Value::as_str).map(last_name);
    let field = field.filter(|name| !name.is_empty()).unwrap_or_else(|| last_field(place));
    let made =
        [field.as_str(), word].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("-");
    let stem = own.map_or(made, str::to_owned);
    let mut name = stem.clone();
    let mut number = 2;
    while !used.insert(name.clone()) {
        name = format!("{stem}-{number}");
        number += 1;
    }
    name
}

fn last_name(path: &str) -> String {
    let is_letter = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut names = path.split(|c: char| !is_letter(c)).filter(|name| !name.is_empty());
    names.next_back().unwrap_or_default().to_owned()
}

fn last_field(place: &[PlaceStep]) -> String {
    let fields = place.iter().rev().filter_map(|step| match step {
        PlaceStep::Field(name) => Some(last_name(name)),
        PlaceStep::Any => None,
    });
    fields.into_iter().next().unwrap_or_default()
}
