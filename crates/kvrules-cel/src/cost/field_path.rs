//! The `fieldPath` of a rule: which ones name a field of the schema.

use serde_json::Value;

/// Whether a path names a declared field: steps `.name` or `['name']`, none of them into a list.
pub(super) fn is_valid(path: &str, schema: &Value) -> bool {
    walk(path, schema).is_some()
}

fn walk(path: &str, schema: &Value) -> Option<()> {
    let (mut rest, mut node) = (path, schema);
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        node = child(node, &name)?;
        rest = after;
    }
    Some(())
}

/// The name of the first step, and what follows it.
fn step(path: &str) -> Option<(String, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.to_owned(), after));
    }
    let quoted = path.strip_prefix("['")?;
    let mut before = None;
    let end = quoted.find(|char| {
        let ends = char == '\'' && before != Some('\\');
        before = Some(char);
        ends
    })?;
    let (name, after) = quoted.split_at_checked(end)?;
    Some((name.replace("\\'", "'"), after.strip_prefix("']")?))
}

/// The schema of a property or of a map's value; `null` where nothing more is known of it.
fn child<'a>(node: &'a Value, name: &str) -> Option<&'a Value> {
    if let Some(properties) = node.get("properties").and_then(Value::as_object) {
        return properties.get(name);
    }
    match node.get("additionalProperties")? {
        Value::Null => None,
        Value::Bool(_) => Some(&Value::Null),
        values => Some(values),
    }
}
