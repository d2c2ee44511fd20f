//! The fields of a catalog as a structural schema.

use kvrules_ir::{Presence, ValueType};
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::{Map, Value, json};

use super::{Catalog, CatalogField};

/// The part of a catalog that a structural schema has.
#[derive(Clone, Copy)]
pub struct StructuralDetail<'w> {
    /// True for the names of fields that it has.
    pub is_wanted: &'w dyn Fn(&str) -> bool,
    /// True if quantities have `format: quantity`, which no engine knows.
    pub names_quantities: bool,
}

/// Returns the schema of a VirtualMachine with some of its fields and those on the way to `.spec.template`.
///
/// ```
/// use kvrules_elaborate::catalog::{StructuralDetail, virtual_machine_schema};
///
/// let schema = virtual_machine_schema(StructuralDetail { is_wanted: &|name| name != "spec", names_quantities: true });
/// let memory = "/properties/spec/properties/template/properties/spec/properties/domain/properties/memory/properties/guest";
/// assert!(schema.pointer(memory).is_none(), "`spec` of the template is not wanted");
///
/// let schema = virtual_machine_schema(StructuralDetail { is_wanted: &|_| true, names_quantities: true });
/// assert_eq!(schema.pointer(memory).unwrap()["format"], "quantity");
/// ```
pub fn virtual_machine_schema(detail: StructuralDetail<'_>) -> Value {
    let (template, machine) = (Catalog::kubevirt_vm(), Catalog::kubevirt_machine());
    let mut schema = detail.field_schema(machine.root());
    let mut node = &mut schema;
    for step in template.root_steps() {
        let Some(keywords) = node.as_object_mut() else { return schema };
        let required = keywords.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut().filter(|names| !names.contains(&json!(step))) {
            required.push(json!(step));
        }
        let fields = keywords.entry("properties").or_insert_with(|| json!({}));
        let Some(fields) = fields.as_object_mut() else { return schema };
        node = fields.entry(*step).or_insert_with(|| json!({"type": "object"}));
    }
    *node = detail.field_schema(template.root());
    schema
}

impl StructuralDetail<'_> {
    fn field_schema(self, field: CatalogField<'_>) -> Value {
        let typed = |name: &str| json!({ "type": name });
        match field.value_type() {
            ValueType::Integer => typed("integer"),
            ValueType::String | ValueType::Time => typed("string"),
            ValueType::Boolean => typed("boolean"),
            ValueType::Number => typed("number"),
            ValueType::Quantity if self.names_quantities => {
                json!({INT_OR_STRING: true, "format": "quantity"})
            }
            ValueType::Quantity | ValueType::IntOrString => json!({ INT_OR_STRING: true }),
            ValueType::Object => self.object_schema(field),
            ValueType::Map => match field.item_field() {
                Some(value) => json!({"type": "object", "additionalProperties": self.field_schema(value)}),
                None => json!({"type": "object", PRESERVE_UNKNOWN_FIELDS: true}),
            },
            ValueType::List => match field.item_field() {
                Some(item) => json!({"type": "array", "items": self.field_schema(item)}),
                None => json!({ PRESERVE_UNKNOWN_FIELDS: true }),
            },
            ValueType::Any => json!({ PRESERVE_UNKNOWN_FIELDS: true }),
        }
    }

    fn object_schema(self, field: CatalogField<'_>) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for child in field.child_fields().filter(|child| (self.is_wanted)(child.name())) {
            if child.presence() == Presence::Required {
                required.push(Value::from(child.name()));
            }
            properties.insert(child.name().to_owned(), self.field_schema(child));
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if let (Some(keywords), false) = (schema.as_object_mut(), required.is_empty()) {
            keywords.insert("required".to_owned(), required.into());
        }
        schema
    }
}
