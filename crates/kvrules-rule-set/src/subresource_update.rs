//! Requests for subresources of built-in resources: of the fields of the object, those that a subresource writes change.

use kvrules_apiserver::definition::WrittenSubresource;
use kvrules_generate::{PlaceStep, field_steps};
use serde_json::{Value as Json, json};

/// Returns the object that a request for a subresource makes of the stored one: with the fields that the subresource writes of another.
///
/// ```
/// use kvrules_rule_set::{built_in_subresources, write_subresource};
/// use serde_json::json;
///
/// let resize = built_in_subresources("", "v1", "pods").into_iter().find(|it| it.name == "resize").unwrap();
/// let pod = |image: &str, cpu: u8| {
///     json!({"spec": {"containers": [{"image": image, "resources": {"limits": {"cpu": cpu}}}]}})
/// };
/// assert_eq!(write_subresource(&resize, &pod("a", 1), &pod("b", 2)), pod("a", 2));
/// ```
// pkg/registry, PrepareForUpdate of the strategies of subresources
pub fn write_subresource(written: &WrittenSubresource, stored: &Json, sent: &Json) -> Json {
    let mut object = stored.clone();
    written.fields.iter().for_each(|field| copy_field(&mut object, sent, &field_steps(field)));
    object
}

/// Returns an object with a value at a field alone.
pub fn nest_value(steps: &[PlaceStep], value: Json) -> Json {
    steps.iter().rev().fold(value, |below, step| match step {
        PlaceStep::Field(name) => json!({ name: below }),
        PlaceStep::Any => json!([below]),
    })
}

/// Makes the values of a field those of another object.
pub fn copy_field(target: &mut Json, source: &Json, steps: &[PlaceStep]) {
    match (steps, target) {
        ([], target) => *target = source.clone(),
        ([PlaceStep::Field(name), below @ ..], Json::Object(fields)) => match (below, source.get(name)) {
            ([], None) => {
                fields.shift_remove(name);
            }
            ([], Some(value)) => {
                fields.insert(name.clone(), value.clone());
            }
            (_, Some(value)) => copy_field(fields.entry(name).or_insert_with(|| json!({})), value, below),
            (_, None) => {
                if let Some(own) = fields.get_mut(name) {
                    copy_field(own, &Json::Null, below);
                }
            }
        },
        ([PlaceStep::Any, below @ ..], Json::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                copy_field(item, source.get(index).unwrap_or(&Json::Null), below);
            }
        }
        _ => {}
    }
}
