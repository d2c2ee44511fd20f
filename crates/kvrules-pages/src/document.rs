//! Document about rule sets, as data that templates lay out and that programs read.

use kvrules_diagnostics::Exactness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::resources::ResourcePage;
pub use super::text::{Source, Text};

/// All pages about some rule sets.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Pages of kvrules", deny_unknown_fields)]
pub struct Document {
    /// The version of kvrules.
    pub version: String,
    /// Number of rule sets, and of the templates that use them.
    pub overview: Text,
    /// Explanation of paths.
    pub reading: Text,
    /// The rule sets, in the order of the inputs.
    pub sets: Vec<SetPage>,
    /// The definitions and policies, in the order of the inputs.
    #[serde(default)]
    pub resources: Vec<ResourcePage>,
}

/// The page of a rule set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SetPage {
    /// The name of the first template that uses it.
    pub name: String,
    /// The name as a heading: never empty, and unique.
    pub title: String,
    /// The name of its page without extension, and its anchor on a page of several: of `a-z`, `0-9`, `.`, `_` and `-`.
    pub anchor: String,
    /// Number of its rules, without a full stop.
    pub summary: Text,
    /// The group that it is shown in, if sets are grouped.
    pub group: Option<String>,
    /// The templates that use it, in alphabetical order.
    pub used_by: Vec<String>,
    /// Number of the templates that use it: `3 templates`.
    pub users_counted: String,
    /// The templates that use it, grouped by the beginning of their names; empty if they are few.
    pub users: Vec<UserGroup>,
    /// Its location.
    pub source: Option<Source>,
    /// The rules, in their order.
    pub rules: Vec<RulePage>,
    /// The rules that are left out of every target.
    pub left_out: Vec<LeftOutRule>,
    /// The changes since earlier versions, if these are known.
    pub changes: Option<SetChanges>,
}

/// Changes of a rule set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SetChanges {
    /// The heading: `Changes since v1.2`.
    pub title: String,
    /// The changes of each version, the oldest first.
    pub facts: Vec<Fact>,
}

impl SetPage {
    /// Returns the name of a rule of this set in references: `set/title`, or `set/anchor` if two rules share the title.
    pub fn full_name(&self, rule: &RulePage) -> String {
        let sharing = self.rules.iter().filter(|other| other.page.title == rule.page.title).count();
        let name = if sharing > 1 { &rule.page.anchor } else { &rule.page.title };
        format!("{}/{name}", self.title)
    }
}

/// A group of the templates that use a rule set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UserGroup {
    /// The beginning of their names.
    pub title: String,
    /// Their names.
    pub names: Vec<String>,
}

/// A rule that no target can express.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOutRule {
    /// Its name.
    pub name: String,
    /// The name as a heading, never empty.
    pub title: String,
    /// The reason.
    pub cause: Text,
    /// Its location.
    pub source: Option<Source>,
}

/// The description of one rule or extra spec.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Page {
    /// Its name; of an extra spec the key as it is written in the definition, parameters in braces: `hw:numa_cpus.{num}`.
    pub name: String,
    /// The name as a heading, never empty.
    pub title: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// A label that is unique among all pages.
    pub label: String,
    /// Its effect in its author's words; unset for rules.
    pub description: Option<Text>,
    /// The requirement for the value, in sentences generated from its meaning.
    pub sentence: Text,
    /// Everything else that readers learn, in the order in which pages list it.
    pub facts: Vec<Fact>,
    /// Bounds of the value, or of its length.
    pub limits: Vec<Limit>,
    /// The regular expression that the value must match; of an extra spec, one of Python for the whole value.
    pub pattern: Option<PatternText>,
    /// Values that pass and that fail. Of a rule, only `kvrules docs` fills this field and the next three.
    pub examples: Examples,
    /// Fidelity of each target.
    pub fidelity: Vec<TargetFidelity>,
    /// The same for people: targets of equal fidelity are grouped.
    pub said_by: Vec<FidelityGroup>,
    /// Its location; unset for a built-in definition.
    pub source: Option<Source>,
    /// Content below its heading, if a template of the user defines it.
    pub body: Option<Body>,
}

/// The description of a rule.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RulePage {
    /// Its heading and its facts.
    #[serde(flatten)]
    pub page: Page,
    /// True if the anchor differs from what Markdown processors make of the heading.
    pub has_own_anchor: bool,
    /// Effect of a violation.
    pub severity: Severity,
    /// Effect of a violation, in a sentence.
    pub severity_text: Text,
    /// The author's message for objects that violate it.
    pub message: Text,
    /// The values that it checks.
    pub field: Field,
    /// The allowed values, if they are listed.
    pub values: Vec<String>,
    /// The same with those that are read from the object; unset if no list is given.
    pub values_text: Option<Text>,
    /// Condition under which the rule applies; unset if it always does.
    pub applies: Option<Text>,
    /// Result of the rule if the value is absent; unset if it never is.
    pub absent: Option<Text>,
    /// Paths in the object that take part in the comparison.
    pub compared_with: Vec<String>,
    /// The CEL that enforces it. Only `kvrules docs` fills this field and the next.
    pub cel: Vec<CelRule>,
    /// Deprecation of its field.
    pub deprecation: Option<Deprecated>,
}

/// Content below a heading as the user's own templates render it; unset for formats without a template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Body {
    /// As Markdown.
    pub markdown: Option<String>,
    /// As reStructuredText.
    pub restructuredtext: Option<String>,
    /// As HTML.
    pub html: Option<String>,
}

/// Effect of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The object is rejected.
    Error,
    /// The violation is only reported.
    Warning,
}

impl Severity {
    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The values that a rule checks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Field {
    /// The path, as its author wrote it, without prefix.
    pub path: String,
    /// Its type, such as `quantity`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The type, and how a rule of this kind interprets it.
    pub type_text: Text,
    /// The default value.
    pub default: Option<String>,
    /// The same, and whether the rule uses it.
    pub default_text: Option<Text>,
    /// Presence of the field if its parent is present.
    pub presence: Presence,
}

/// Presence of a field if its parent is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// Always present in the object.
    Required,
    /// Always present, with its default if the object omits it.
    Defaulted,
    /// Present only if the object has it.
    Optional,
}

/// A bound.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limit {
    /// `Minimum`, `Maximum`, `Minimum length` or `Maximum length`.
    pub label: String,
    /// The bound for people and for machines: `2 GiB (2147483648 bytes)`.
    pub text: Text,
    /// The number in base units; unset if it is read from the object.
    pub machine: Option<String>,
    /// The number in units for people, such as `2 GiB`.
    pub human: Option<String>,
}

/// A regular expression.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PatternText {
    /// The expression as its author wrote it.
    pub source: String,
    /// The same as code, with invisible characters escaped.
    pub code: String,
    /// Its meaning in words; unset if that would be too long.
    pub reading: Option<Text>,
}

/// Values of the field of a rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Examples {
    /// Values that pass.
    pub passes: Vec<Example>,
    /// Values that fail.
    pub fails: Vec<Example>,
}

/// A value of the field of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Example {
    /// The value as JSON.
    pub json: serde_json::Value,
    /// The same as code, with invisible characters escaped.
    pub code: String,
    /// The values of the other fields, for a rule that compares fields.
    pub beside: Vec<Beside>,
}

/// A value that another is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Beside {
    /// Its path, as rules write paths.
    pub path: String,
    /// The value as JSON.
    pub json: serde_json::Value,
    /// The same as code, with invisible characters escaped.
    pub code: String,
}

/// A validation rule in CEL.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CelRule {
    /// The target whose dialect it is: `cel` or `admission-policy`.
    pub target: String,
    /// The expression, over several lines if it is long.
    pub rule: String,
}

/// Fidelity of a target to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TargetFidelity {
    /// The target.
    pub target: String,
    /// `exact`, `wider`, `narrower`, `incomparable` or `unsupported`.
    #[schemars(with = "String")]
    pub fidelity: Exactness,
    /// The reason, if it is not exact.
    pub cause: Option<Text>,
}

/// Targets of equal fidelity to a rule, for the same reason.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FidelityGroup {
    /// Fidelity of the targets: `Exact in`, `Wider in`, `Narrower in`, `Incomparable in`, `Unsupported in`.
    pub label: String,
    /// The targets.
    pub targets: Vec<String>,
    /// The reason, if they are not exact.
    pub cause: Option<Text>,
}

/// Deprecation of a field.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deprecated {
    /// Description of the deprecation.
    pub text: Text,
    /// The path to use instead.
    pub replacement: Option<String>,
}
