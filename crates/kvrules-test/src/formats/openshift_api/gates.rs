//! Feature gates: the definitions that a suite is about.

use serde_json::Value;

use crate::document::{field, list_items, text_field};

/// Annotation with the feature sets of a definition or of gates.
const FEATURE_SET: &str = "release.openshift.io/feature-set";
/// Prefix of the annotations with cluster profiles.
const PROFILE: &str = "include.release.openshift.io/";
/// Annotation with major versions.
const MAJOR: &str = "release.openshift.io/major-version";

/// True if a suite is about a definition. The runner does not know the key `featureGate`, so that a suite with it is for all
/// definitions of its name.
///
/// # Errors
///
/// A gate that the payload of the definition does not list.
// crd_filter.go, perTestRuntimeInfo
pub(super) fn is_for_definition(
    suite: &Value,
    definition: &Value,
    payloads: &[Value],
) -> Result<bool, String> {
    let gates: Vec<&str> = list_items(field(suite, "featureGates")).filter_map(Value::as_str).collect();
    if gates.is_empty() {
        return Ok(true);
    }
    let annotations = annotations_of(definition);
    let sets: Vec<&str> =
        text_field(annotations, FEATURE_SET).split(',').filter(|it| !it.is_empty()).collect();
    if sets.contains(&"CustomNoUpgrade") {
        return Ok(!gates.iter().any(|gate| gate.starts_with('-')));
    }
    let Some(profile) = cluster_profile(annotations) else { return Ok(true) };
    let Some(payload) = find_payload(payloads, profile, &sets, &major_versions(annotations)) else {
        return Err(format!("no file of feature gates for the cluster profile `{profile}`"));
    };
    let mut is_for = true;
    for gate in gates {
        let (name, wanted) = gate.strip_prefix('-').map_or((gate, true), |name| (name, false));
        let Some(is_on) = gate_status(payload, name) else {
            return Err(format!("the payload of a definition does not list the feature gate `{name}`"));
        };
        is_for &= is_on == wanted;
    }
    Ok(is_for)
}

fn annotations_of(document: &Value) -> &Value {
    field(field(document, "metadata"), "annotations")
}

/// Returns the first cluster profile.
// crd_filter.go, clusterProfilesFrom: a sorted set
fn cluster_profile(annotations: &Value) -> Option<&str> {
    let all = annotations.as_object().into_iter().flatten();
    all.filter(|(key, on)| key.starts_with(PROFILE) && *on == "true").map(|(key, _)| key.as_str()).min()
}

// crd_filter.go, versionsFrom
fn major_versions(annotations: &Value) -> Vec<u64> {
    text_field(annotations, MAJOR).split(',').filter_map(|it| it.parse().ok()).collect()
}

/// Returns the first file of gates with the cluster profile, one of the feature sets (`Default` if there is none), and one of
/// the versions.
// crd_filter.go, featureGatesForClusterProfileFeatureSetVersion
fn find_payload<'p>(
    payloads: &'p [Value],
    profile: &str,
    sets: &[&str],
    majors: &[u64],
) -> Option<&'p Value> {
    let is_its = |payload: &&Value| {
        let own = annotations_of(payload);
        let set = feature_set(payload);
        let is_of_set = if sets.is_empty() { set == "Default" } else { sets.contains(&set) };
        own.get(profile).is_some()
            && is_of_set
            && (majors.is_empty() || major_versions(own).iter().any(|it| majors.contains(it)))
    };
    payloads.iter().find(is_its)
}

/// Returns the feature set of a file of gates: that of the annotation, else of the specification, where an empty one is the default.
// openshift/hypershift test/envtest/crd_filter.go, matchesFeatureSet
fn feature_set(payload: &Value) -> &str {
    let annotated = annotations_of(payload).get(FEATURE_SET).and_then(Value::as_str);
    let specified = || match text_field(field(payload, "spec"), "featureSet") {
        "" => "Default",
        set => set,
    };
    annotated.unwrap_or_else(specified)
}

fn gate_status(payload: &Value, name: &str) -> Option<bool> {
    let lists = payload.pointer("/status/featureGates/0")?;
    let has = |list: &str| list_items(field(lists, list)).any(|gate| text_field(gate, "name") == name);
    // Disabled gates are written last, and so count if a gate is in both lists.
    if has("disabled") { Some(false) } else { has("enabled").then_some(true) }
}
