//! Objects that a request for a subresource adds around the field that it writes: the scale of an object without `spec` adds one.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::ast::Expression;
use kvrules_generate::{PlaceStep, schema_at_place, schema_at_place_mut, without_rules};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, PlaceRead, place_reads};
use kvrules_rule_set::nest_value;
use serde_json::{Value, json};

/// Returns an object that a write of a field may add, and with which the rule may be violated, although it passes without the object.
/// The rule does not read the field itself.
// apiextensions-apiserver registry/customresource/etcd.go, scaleUpdatedObjectInfo.UpdatedObject: SetNestedField
pub(super) fn find_added_object<'f>(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    expression: &Expression,
    field: &'f [PlaceStep],
) -> Option<&'f [PlaceStep]> {
    let reads = place_reads(&rule.place, &expression.root);
    let around = (1..field.len()).filter_map(|length| field.get(..length));
    around.filter(|added| is_optional(&version.schema, added)).find(|added| {
        let is_noticed = |read: &PlaceRead| {
            read.path.starts_with(added) && read.path.len() < field.len() && field.starts_with(&read.path)
        };
        reads.iter().any(is_noticed) && may_violate(version, rule, &reads, (added, field))
    })
}

/// True if objects may lack what is at the end of a path.
fn is_optional(schema: &Value, path: &[PlaceStep]) -> bool {
    let Some((PlaceStep::Field(name), around)) = path.split_last() else { return false };
    let parent = schema_at_place(schema, around);
    let required = parent.and_then(|parent| parent.get("required")).and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)));
    let has_default = schema_at_place(schema, path).is_some_and(|node| node.get("default").is_some());
    !is_required && !has_default
}

/// True if the rule passes without the added object and is violated with it, as far as other fields do not matter; if they do, `true`.
fn may_violate(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    reads: &[PlaceRead],
    (added, field): (&[PlaceStep], &[PlaceStep]),
) -> bool {
    let is_below = |path: &[PlaceStep]| path.starts_with(added);
    // The first read is that of the place.
    let is_alone = is_below(&rule.place) || reads.iter().skip(1).all(|read| is_below(&read.path));
    if !is_alone {
        return true;
    }
    let Some(schema) = schema_around(&version.schema, rule, (added, field)) else { return true };
    let server = ObjectSchema::new(&schema).without_metadata_checks();
    let parents = added.get(..added.len().saturating_sub(1)).unwrap_or_default();
    let before = server.admit_object(&nest_value(parents, json!({})), None);
    let after = server.admit_object(&nest_value(field, 1.into()), Some(&before.stored));
    before.is_accepted() && !after.by_rules.is_empty()
}

/// The schema of an object that has only the added object, with one rule. The written field has any count.
fn schema_around(
    schema: &Value,
    rule: &DefinitionRule,
    (added, field): (&[PlaceStep], &[PlaceStep]),
) -> Option<Value> {
    let mut node = without_rules(schema_at_place(schema, added)?);
    *schema_at_place_mut(&mut node, field.get(added.len()..)?)? = json!({"type": "integer"});
    for step in added.iter().rev() {
        let PlaceStep::Field(name) = step else { return None };
        node = json!({"type": "object", "properties": { name: node }});
    }
    let mut entry = json!({"rule": rule.source.rule});
    if let Some(fields) = entry.as_object_mut().filter(|_| rule.source.optional_old_self) {
        fields.insert("optionalOldSelf".to_owned(), true.into());
    }
    let place = schema_at_place_mut(&mut node, &rule.place)?.as_object_mut()?;
    place.insert(VALIDATIONS.to_owned(), json!([entry]));
    Some(node)
}
