//! `fieldPath` of a rule: `.a.b`, `['a']`.

use std::fmt::Write as _;

use serde_json::Value as Json;

/// The path as the API shows it: names after dots, keys of maps in brackets. `None` when it is empty or leads
/// nowhere in the schema.
///
/// ```
/// use kvrules_cel::crd::normalize_field_path;
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {
///     "m": {"type": "object", "additionalProperties": {"type": "string"}},
/// }});
/// assert_eq!(normalize_field_path(".m['k']", &schema).as_deref(), Some("m[k]"));
/// assert_eq!(normalize_field_path(".nope", &schema), None);
/// ```
pub fn normalize(path: &str, schema: &Json) -> Option<String> {
    let mut rest = path;
    let mut at = schema;
    let mut shown = String::new();
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        rest = after;
        if let Some(property) = at.get("properties").and_then(|it| it.get(&name)) {
            if !shown.is_empty() {
                shown.push('.');
            }
            shown.push_str(&name);
            at = property;
        } else {
            at = at.get("additionalProperties").filter(|it| it.is_object())?;
            let _ = write!(shown, "[{name}]");
        }
    }
    Some(shown).filter(|shown| !shown.is_empty())
}

/// The first step and what is after it.
fn step(text: &str) -> Option<(String, &str)> {
    if let Some(after) = text.strip_prefix('.') {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        let (name, rest) = after.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.to_owned(), rest));
    }
    let quoted = text.strip_prefix("['")?;
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => name.push(chars.next()?.1),
            '\'' => return Some((name, quoted.get(at..)?.strip_prefix("']")?)),
            other => name.push(other),
        }
    }
    None
}
