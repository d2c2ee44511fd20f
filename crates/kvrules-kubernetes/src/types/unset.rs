//! Fields that a server writes as null when they are unset.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::types::index::{BuiltInResource, schema_texts};
use crate::types::minor::Minor;

/// The fields by schema, whose form is described in the file.
static FACTS: &str = include_str!("../../data/unset-fields.txt");

/// Adds the fields to an object that the server's type has as null if they are unset, which expressions of policies can see.
///
/// ```
/// use kvrules_kubernetes::types::{Minor, fill_unset_fields, find_kind};
/// use serde_json::json;
///
/// let roles = find_kind(Minor::NEWEST, "rbac.authorization.k8s.io", "v1", "ClusterRole").unwrap();
/// let mut role = json!({"metadata": {"name": "a"}});
/// fill_unset_fields(Minor::NEWEST, roles, &mut role);
/// assert_eq!(role, json!({"metadata": {"name": "a"}, "rules": null}));
/// ```
// apimachinery pkg/runtime converter.go, structToUnstructured: without `omitempty` a nil slice, map or pointer is null
pub fn fill_unset_fields(minor: Minor, resource: &BuiltInResource, object: &mut Value) {
    fill_schema(minor, resource.schema, object);
}

fn fill_schema(minor: Minor, name: &str, object: &mut Value) {
    let Some(schema) = schema_texts(name)
        .iter()
        .find(|text| text.minors.contains(minor))
        .and_then(|text| text.parse_schema())
    else {
        return;
    };
    fill_node(minor, schema, object);
    let Some(fields) = object.as_object_mut() else { return };
    for field in unset_fields().get(name).into_iter().flatten() {
        fields.entry(*field).or_insert(Value::Null);
    }
}

// The nesting of objects is bounded by their parser, so this may recurse.
fn fill_node(minor: Minor, schema: &Value, value: &mut Value) {
    let referred = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref")).and_then(Value::as_str);
    if let Some(name) = referred {
        return fill_schema(minor, name, value);
    }
    match value {
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items.iter_mut() {
                    fill_node(minor, schema, item);
                }
            }
        }
        Value::Object(fields) => {
            let declared = schema.get("properties");
            let other = schema.get("additionalProperties").filter(|schema| schema.is_object());
            for (name, value) in fields.iter_mut() {
                if let Some(schema) = declared.and_then(|declared| declared.get(name)).or(other) {
                    fill_node(minor, schema, value);
                }
            }
        }
        _ => {}
    }
}

fn unset_fields() -> &'static BTreeMap<&'static str, Vec<&'static str>> {
    static INDEX: OnceLock<BTreeMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let lines = FACTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once(' '))
            .map(|(name, fields)| (name, fields.split(' ').collect()))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::types::find_kind;

    fn filled(group: &str, kind: &str, mut object: Value) -> Value {
        let resource = find_kind(Minor::NEWEST, group, "v1", kind).expect("a kind");
        fill_unset_fields(Minor::NEWEST, resource, &mut object);
        object
    }

    #[test]
    fn only_what_lacks_omitempty_is_null() {
        let rbac = "rbac.authorization.k8s.io";
        assert_eq!(filled(rbac, "Role", json!({})), json!({"rules": null}));
        assert_eq!(
            filled(rbac, "Role", json!({"rules": [{"verbs": []}]})),
            json!({"rules": [{"verbs": []}]})
        );
        assert_eq!(filled(rbac, "RoleBinding", json!({"roleRef": {}})), json!({"roleRef": {}}));
        assert_eq!(filled("", "Secret", json!({})), json!({}));
        assert_eq!(filled("apps", "Deployment", json!({"spec": {}})), json!({"spec": {}}));
    }

    #[test]
    fn fields_deep_in_an_object_are_filled_too() {
        let pod = json!({"spec": {"volumes": [{"name": "a", "projected": {}}, {"name": "b"}]}});
        let expected =
            json!({"spec": {"volumes": [{"name": "a", "projected": {"sources": null}}, {"name": "b"}]}});
        assert_eq!(filled("", "Pod", pod), expected);
        let claim = json!({"spec": {"dataSource": {"kind": "a", "name": "b"}}});
        let data = json!({"kind": "a", "name": "b", "apiGroup": null});
        assert_eq!(filled("", "PersistentVolumeClaim", claim), json!({"spec": {"dataSource": data}}));
    }

    #[test]
    fn every_fact_is_about_a_field_that_is_optional_in_the_newest_schema_with_it() {
        for (name, fields) in unset_fields() {
            let texts = schema_texts(name);
            let schema =
                texts.last().and_then(|text| text.parse_schema()).unwrap_or_else(|| panic!("{name}"));
            for field in fields {
                assert!(schema["properties"].get(*field).is_some(), "{name}.{field}");
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                assert!(!required.iter().any(|name| name == field), "{name}.{field}");
            }
        }
    }
}
