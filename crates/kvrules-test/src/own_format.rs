//! Our own format: `kind: RuleTests`, a file with cases about the rules of other files.

use std::collections::BTreeMap;

use crate::verdicts::RequestOperation;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `apiVersion` of the format.
pub const API_VERSION: &str = "kvrules.dev/v1alpha1";
/// `kind` of the format.
pub const KIND: &str = kvrules_sources::RULE_TESTS_KIND;

/// Cases about the rules of other files.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Test suite of kvrules")]
pub struct RuleTestsFile {
    /// `kvrules.dev/v1alpha1`
    #[schemars(extend("const" = "kvrules.dev/v1alpha1"))]
    pub api_version: String,
    /// `RuleTests`
    #[schemars(extend("const" = "RuleTests"))]
    pub kind: String,
    /// Name of the suite.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Files with the rules: CustomResourceDefinitions, policies with their bindings, templates; relative to this file.
    #[schemars(length(min = 1))]
    pub rules: Vec<String>,
    /// Parameters of policies, in addition to those of cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ObjectSource>,
    /// Object that the patches of cases without an `object` change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ObjectSource>,
    /// Objects that cases use by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<String, ObjectSource>,
    /// The cases.
    #[schemars(length(min = 1))]
    pub cases: Vec<RuleTest>,
}

/// An object, or the file that it is in.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum ObjectSource {
    /// The first object of a file, relative to the suite.
    File(ObjectFile),
    /// The object itself.
    Inline(Map<String, Value>),
}

/// A file with an object.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectFile {
    /// Path, relative to the suite.
    pub file: String,
}

/// An object of a case.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum CaseObject {
    /// Name of one of the suite's `objects`.
    Named(String),
    /// The object, or its file.
    Given(ObjectSource),
}

/// One case.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleTest {
    /// Name of the case, unique in the suite.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The object; the suite's `base` if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<CaseObject>,
    /// JSON merge patch of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Map<String, Value>>,
    /// The stored object that the object replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<CaseObject>,
    /// JSON merge patch of the stored object; without `old`, of the suite's `base`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_patch: Option<Map<String, Value>>,
    /// Operation; by default an update if there is a stored object, else a creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<RequestOperation>,
    /// Subresource that is written, such as `status`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// User of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<TestUser>,
    /// Labels of the object's namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// Parameters of policies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ObjectSource>,
    /// Expected answer.
    pub expect: TestVerdict,
    /// Rules that must be violated: names, places, messages, expressions, or paths of fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Texts that must be in the messages of the rejection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<TestText>,
    /// Texts that must be in the warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<TestText>,
    /// The whole object as it must be stored, without the metadata that the server sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Map<String, Value>>,
}

/// Expected answer of a case.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TestVerdict {
    /// The object is accepted, and no rule warns.
    #[default]
    Accept,
    /// The object is accepted with a warning.
    Warn,
    /// The object is rejected.
    Reject,
    /// The object is rejected because an expression ends in an error.
    Error,
    /// No rule applies to the object.
    Skip,
}

/// User of a request.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TestUser {
    /// Name of the user.
    pub name: String,
    /// Groups of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

/// An expected text.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum TestText {
    /// Part of a message.
    Part(String),
    /// A whole message.
    Exact(ExactText),
    /// A pattern (RE2) that matches part of a message.
    Pattern(PatternText),
}

/// A whole message.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExactText {
    /// The message.
    pub exact: String,
}

/// A pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PatternText {
    /// The pattern.
    pub pattern: String,
}

/// Returns the JSON Schema of the format.
///
/// ```
/// assert_eq!(kvrules::test::suite_schema()["title"], "Test suite of kvrules");
/// ```
pub fn suite_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<RuleTestsFile>().to_value()
}

impl RuleTestsFile {
    /// Renders the suite as YAML.
    pub fn render_yaml(&self) -> String {
        // The type has a form in YAML for every value.
        kvrules_syntax::to_yaml(self).unwrap_or_default()
    }
}

/// Applies a JSON merge patch.
///
/// ```
/// use serde_json::json;
///
/// let mut object = json!({"spec": {"a": 1, "b": 2}});
/// kvrules::test::apply_merge_patch(&mut object, &json!({"spec": {"b": null, "c": 3}}));
/// assert_eq!(object, json!({"spec": {"a": 1, "c": 3}}));
/// ```
// RFC 7396, section 2
pub fn apply_merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(fields) = target.as_object_mut() else { return };
    for (name, value) in patch {
        if value.is_null() {
            fields.shift_remove(name);
        } else {
            apply_merge_patch(fields.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}
