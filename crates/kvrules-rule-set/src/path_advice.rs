//! Paths that are written as in another notation: `.spec.replicas`, `$.spec.replicas`, `self.spec.replicas`, `/spec/replicas`, `spec.ports[0]`,
//! and keys with dots.

use serde_json::Value as Json;

use crate::path::{PathStep, RulePath};
use crate::shape::{self, locate_path, schema_at};

/// Beginnings of paths in other notations.
const STARTS: [&str; 6] = ["jsonpath::", "$", "self.", "object.", "oldSelf.", "."];

/// Returns the path that was meant, if it leads somewhere from a value with this schema and is written otherwise.
pub(crate) fn suggest_path(written: &str, schema: &Json) -> Option<String> {
    let mut text = written.trim();
    let mut is_changed = true;
    while is_changed {
        let shorter = STARTS.iter().find_map(|start| text.strip_prefix(start));
        is_changed = shorter.is_some();
        text = shorter.unwrap_or(text);
    }
    let pointer = text.strip_prefix('/').map(|pointer| pointer.replace('/', "."));
    let text = with_all_items(pointer.as_deref().unwrap_or(text));
    let path = RulePath::parse(&text).ok().filter(|path| !path.0.is_empty())?;
    let found = if locate_path(schema, &path).is_ok() { path } else { join_key(&path, schema)? };
    let shown = found.to_string();
    (shown != written).then_some(shown)
}

/// `ports[*]` in place of `ports[0]`, `ports[]` and `ports.0`.
fn with_all_items(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('[') {
        made.push_str(before);
        let (inside, after) = behind.split_once(']').unwrap_or((behind, ""));
        let is_index = inside.chars().all(|c| c.is_ascii_digit() || c == '-');
        made.push('[');
        made.push_str(if is_index { "*" } else { inside });
        made.push(']');
        rest = after;
    }
    made.push_str(rest);
    let is_index = |step: &&str| !step.is_empty() && step.chars().all(|c| c.is_ascii_digit());
    let steps: Vec<&str> = made.split('.').collect();
    if !steps.iter().any(&is_index) || made.contains('"') {
        return made;
    }
    let joined = steps.iter().enumerate().map(|(at, step)| match is_index(step) {
        true => "[*]".to_owned(),
        false if at == 0 => (*step).to_owned(),
        false => format!(".{step}"),
    });
    joined.collect()
}

/// The path whose last steps are one key of a map: `labels["app.kubernetes.io/name"]`.
fn join_key(path: &RulePath, schema: &Json) -> Option<RulePath> {
    (1..path.0.len()).find_map(|count| {
        let map = RulePath(path.0.iter().take(count).cloned().collect());
        schema_at(schema, &map).filter(|found| shape::is_map(found))?;
        let names = path.0.iter().skip(count).map(|step| match step {
            PathStep::Field(name) => Some(name.as_str()),
            PathStep::Each => None,
        });
        let key = names.collect::<Option<Vec<&str>>>()?.join(".");
        let joined = map.join_path(&RulePath(vec![PathStep::Field(key)]));
        locate_path(schema, &joined).is_ok().then_some(joined)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_other_notations_are_known() {
        let port = json!({"type": "object", "properties": {"port": {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "spec": {"type": "object", "properties": {"ports": {"type": "array", "items": port}}},
        }});
        for (written, meant) in [
            (".spec.ports", "spec.ports"),
            ("$.spec.ports[0].port", "spec.ports[*].port"),
            ("self.spec.ports[].port", "spec.ports[*].port"),
            ("object.spec", "spec"),
            ("/spec/ports/0/port", "spec.ports[*].port"),
            ("jsonpath::.spec.ports[*].port", "spec.ports[*].port"),
            ("labels.app.kubernetes.io/name", "labels[\"app.kubernetes.io/name\"]"),
            (".labels.a.b", "labels[\"a.b\"]"),
        ] {
            assert_eq!(suggest_path(written, &schema).as_deref(), Some(meant), "{written}");
        }
        for written in ["spec.ports", "spec.port", "", "...", "[", "labels[*].a.b"] {
            assert_eq!(suggest_path(written, &schema), None, "{written}");
        }
    }
}
