//! Compares CustomResourceDefinitions apart from their schemas.

use kvrules_apiserver::definition::review_envelope;
use serde_json::{Value, json};

use super::differences::{Difference, differences};
use super::{Verdict, leaves, to_change};
use crate::report::{Change, ChangedLimit, Comparison, Direction};

/// Compares two definitions, without the schemas of their versions, without versions that only one side has, and without
/// `subresources.status`: [`schema::compare_versions`](crate::schema::compare_versions) is about these. `matched` names a version of each side
/// that are compared with each other; other versions are matched by name.
///
/// ```
/// use kvrules_diff::{Direction, resource::compare_definitions};
/// use serde_json::json;
///
/// let with = |served: bool| json!({"spec": {"versions": [{"name": "v1", "served": served, "storage": true}]}});
/// let changes = compare_definitions(&with(true), &with(false), ["v1", "v1"]).changes;
/// assert_eq!((changes[0].at.as_str(), changes[0].direction), ("spec.versions[v1]", Direction::Tightened));
/// ```
pub fn compare_definitions(old: &Value, new: &Value, matched: [&str; 2]) -> Comparison {
    let mut sides = (envelope(old), envelope(new));
    let renamed = rename_version(&mut sides.0, matched);
    let found = differences(&sides.0, &sides.1);
    let immutable = if found.is_empty() { Vec::new() } else { immutable_fields(old, new) };
    let change = |difference: &Difference<'_>| {
        let verdict = verdict(difference)?;
        let mut change = to_change(difference, &verdict);
        if immutable.contains(&difference.path) {
            change
                .notes
                .push("the server rejects this update of the definition: field is immutable".to_owned());
        }
        Some(change)
    };
    let changes = renamed.into_iter().chain(found.iter().filter_map(change));
    Comparison { changes: changes.collect(), compared: leaves(&sides.0), steps: 0 }
}

/// The specification of a definition with the server's defaults (apiextensions `defaults.go`,
/// SetDefaults_CustomResourceDefinitionSpec), without schemas.
fn envelope(definition: &Value) -> Value {
    let mut spec = definition.get("spec").cloned().unwrap_or_default();
    if let Some(map) = spec.as_object_mut() {
        let conversion = map.entry("conversion").or_insert(Value::Null);
        if conversion.is_null() {
            *conversion = json!({"strategy": "None"});
        }
    }
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        names.entry("singular").or_insert_with(|| json!(kind.to_lowercase()));
        names.entry("listKind").or_insert_with(|| json!(format!("{kind}List")));
    }
    for version in spec.get_mut("versions").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(version) = version.as_object_mut() {
            version.remove("schema");
        }
        let subresources = version.get_mut("subresources").and_then(Value::as_object_mut);
        let is_empty = subresources.is_some_and(|map| {
            map.remove("status");
            map.is_empty()
        });
        if let Some(version) = version.as_object_mut().filter(|_| is_empty) {
            version.remove("subresources");
        }
    }
    json!({"spec": spec})
}

/// Gives a version of an envelope the name that it has on the other side. Returns the change, if the names differ.
fn rename_version(envelope: &mut Value, [old, new]: [&str; 2]) -> Option<Change> {
    let versions = envelope.pointer_mut("/spec/versions").and_then(Value::as_array_mut)?;
    let mut found = versions.iter_mut().filter_map(|version| version.get_mut("name"));
    let name = found.find(|name| *name == old).filter(|_| old != new)?;
    *name = json!(new);
    let mut change = Change::new(
        format!("spec.versions[{old}]"),
        "value",
        vec![ChangedLimit::new("name", Some(old), Some(new))],
    );
    change.direction = Direction::Incomparable;
    change.proved = true;
    change.notes.push(ADDRESSED.to_owned());
    Some(change)
}

/// Returns the changed fields that a server does not let a stored definition change.
fn immutable_fields(old: &Value, new: &Value) -> Vec<String> {
    let failures = review_envelope(new, Some(old));
    let immutable = failures.into_iter().filter(|failure| failure.detail == "field is immutable");
    immutable.map(|failure| failure.field).collect()
}

/// Reason why a change of a name is neither stricter nor milder.
const ADDRESSED: &str =
    "requests address objects by it, so that existing requests and manifests no longer fit";

/// Returns the effect of a difference on the objects that are accepted; `None` if it is reported elsewhere.
fn verdict(difference: &Difference<'_>) -> Option<Verdict> {
    use Direction::{Equal, Incomparable, Loosened, Tightened, Unknown};
    let is = |value: Option<&Value>| value.is_some_and(|value| *value == Value::Bool(true));
    let keys = difference.keys.get(1..).unwrap_or_default();
    Some(match keys {
        ["versions"] if difference.before.is_none() || difference.after.is_none() => return None,
        ["versions", "served"] if is(difference.after) => {
            Verdict::new(Loosened, "the version is served: requests of it are accepted")
        }
        ["versions", "served"] => Verdict::new(Tightened, "the version is no longer served"),
        ["scope" | "group"] | ["names", "kind" | "plural"] => Verdict::new(
            Incomparable,
            "requests address objects by it: existing requests and manifests do not fit",
        ),
        ["versions", "storage"] => Verdict::new(Equal, "objects are stored in another version"),
        ["names", ..]
        | [
            "versions",
            "additionalPrinterColumns" | "deprecated" | "deprecationWarning" | "selectableFields",
            ..,
        ] => Verdict::new(Equal, "the same objects are accepted"),
        // The values at the paths of `scale` must be in the range of replicas (ValidateCustomResource of the scale strategy).
        ["versions", "subresources", ..] => {
            Verdict::new(Unknown, "a server validates the replicas of `scale`, which is not compared")
        }
        ["conversion", ..] => Verdict::new(Unknown, "conversion between versions is not compared"),
        _ => Verdict::new(Unknown, ""),
    })
}
