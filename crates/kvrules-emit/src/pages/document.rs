//! Document about rule sets, as data that templates lay out and that programs read.

use schemars::JsonSchema;
use serde::Serialize;

/// Words, ready for each format: what the author wrote is escaped in all but `plain`.
///
/// The words of kvrules are on one line. Those of authors may be several blocks where they are declared to be marked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Text {
    /// Without markup, code in backticks.
    pub plain: String,
    /// As Markdown.
    pub markdown: String,
    /// As reStructuredText.
    pub restructuredtext: String,
    /// As HTML.
    pub html: String,
}

/// All pages about some rule sets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "Pages of kvrules", deny_unknown_fields)]
pub struct Document {
    /// The version of kvrules.
    pub version: String,
    /// How many rule sets there are, and who uses them.
    pub overview: Text,
    /// How paths are to be read.
    pub reading: Text,
    /// The rule sets, in the order of the inputs.
    pub sets: Vec<SetPage>,
}

/// What there is to say of a rule set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SetPage {
    /// The name of the first template that uses it.
    pub name: String,
    /// The name as a heading: never empty, and unlike that of any other set.
    pub title: String,
    /// The name of its page without extension, and its anchor on a page of several: of `a-z`, `0-9`, `.`, `_` and `-`.
    pub anchor: String,
    /// How many rules it has, without a full stop.
    pub summary: Text,
    /// The group that it is shown in, where sets are grouped.
    pub group: Option<String>,
    /// Who uses it, in alphabetical order.
    pub used_by: Vec<String>,
    /// `3 templates`.
    pub users_counted: String,
    /// Who uses it, by what the names begin with; empty where they are few.
    pub users: Vec<UserGroup>,
    /// Where it is written.
    pub source: Option<Source>,
    /// The rules, in their order.
    pub rules: Vec<RulePage>,
    /// The rules that no target has.
    pub left_out: Vec<LeftOutRule>,
}

/// Some of those who use a rule set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UserGroup {
    /// What their names begin with.
    pub title: String,
    /// Their names.
    pub names: Vec<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Source {
    /// The file, as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Where it can be looked at, where the configuration says so.
    pub link: Option<String>,
}

/// A rule that cannot be said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOutRule {
    /// Its name.
    pub name: String,
    /// The name as a heading, never empty.
    pub title: String,
    /// Why it cannot be said.
    pub cause: Text,
    /// Where it is written.
    pub source: Option<Source>,
}

/// What there is to say of a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RulePage {
    /// Its name.
    pub name: String,
    /// The name as a heading, never empty.
    pub title: String,
    /// Its anchor, unique on its page.
    pub anchor: String,
    /// True if the anchor differs from what Markdown processors make of the heading.
    pub has_own_anchor: bool,
    /// A label that is unique among all pages.
    pub label: String,
    /// What it demands, in sentences made from its meaning.
    pub sentence: Text,
    /// True if breaking it rejects the object.
    pub severity: Severity,
    /// What becomes of an object that breaks it.
    pub severity_text: Text,
    /// What its author tells those who break it.
    pub message: Text,
    /// The values that it judges.
    pub field: Field,
    /// Bounds of the value, or of its length.
    pub limits: Vec<Limit>,
    /// The values that are allowed, where they are listed.
    pub values: Vec<String>,
    /// The same with those that are read from the object; nothing where no list is given.
    pub values_text: Option<Text>,
    /// The regular expression that the value must match.
    pub pattern: Option<PatternText>,
    /// When the rule applies; nothing where it always does.
    pub applies: Option<Text>,
    /// What becomes of the rule where the value is absent; nothing where it never is.
    pub absent: Option<Text>,
    /// Paths in the object that take part in the comparison.
    pub compared_with: Vec<String>,
    /// Values that pass and that fail. Filled by `kvrules docs` alone, as is what follows.
    pub examples: Examples,
    /// The CEL that enforces it.
    pub cel: Vec<CelRule>,
    /// How exactly each target says it.
    pub fidelity: Vec<TargetFidelity>,
    /// The same for people: the targets that say it alike together.
    pub said_by: Vec<SaidBy>,
    /// Where it is written.
    pub source: Option<Source>,
    /// That its field has had its day.
    pub deprecation: Option<Deprecated>,
    /// What stands below its heading, where a template of the user's own says so.
    pub body: Option<Body>,
}

/// What stands below a heading as templates of the user's own lay it out; nothing in formats for which there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Body {
    /// As Markdown.
    pub markdown: Option<String>,
    /// As reStructuredText.
    pub restructuredtext: Option<String>,
    /// As HTML.
    pub html: Option<String>,
}

/// True if breaking a rule rejects the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It does.
    Error,
    /// It is only reported.
    Warning,
}

/// The values that a rule judges.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Field {
    /// The path, as its author wrote it, without prefix.
    pub path: String,
    /// Its type, such as `quantity`.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The type, and what a rule of this sort makes of it.
    pub type_text: Text,
    /// The value where the object does not spell it out.
    pub default: Option<String>,
    /// The same, and whether the rule takes it.
    pub default_text: Option<Text>,
    /// When the field exists, given that its parent does.
    pub presence: Presence,
}

/// When a field exists, given that its parent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// Always, spelled out.
    Required,
    /// Always, with its default where it is not spelled out.
    Defaulted,
    /// When the object has it.
    Optional,
}

/// A bound.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limit {
    /// `Minimum`, `Maximum`, `Minimum length` or `Maximum length`.
    pub label: String,
    /// The bound for people and for machines: `2 GiB (2147483648 bytes)`.
    pub text: Text,
    /// The number in base units; nothing where it is read from the object.
    pub machine: Option<String>,
    /// The number in the units people read, such as `2 GiB`.
    pub human: Option<String>,
}

/// A regular expression.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PatternText {
    /// As its author wrote it.
    pub source: String,
    /// The same as code, with what cannot be seen spelled out.
    pub code: String,
    /// What it says in words; nothing where that would take too many.
    pub reading: Option<Text>,
}

/// Values of the field of a rule.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Examples {
    /// Values that pass.
    pub passes: Vec<Example>,
    /// Values that fail.
    pub fails: Vec<Example>,
}

/// A value of the field of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Example {
    /// The value as JSON.
    pub json: serde_json::Value,
    /// The same as code, with what cannot be seen spelled out.
    pub code: String,
    /// The values beside which it does, of a rule that compares places.
    pub beside: Vec<Beside>,
}

/// A value that another is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Beside {
    /// Its path, as rules write paths.
    pub path: String,
    /// The value as JSON.
    pub json: serde_json::Value,
    /// The same as code, with what cannot be seen spelled out.
    pub code: String,
}

/// A validation rule in CEL.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CelRule {
    /// The target whose dialect it is: `cel` or `admission-policy`.
    pub target: String,
    /// The expression, over several lines where it is long.
    pub rule: String,
}

/// How exactly a target says a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TargetFidelity {
    /// The target.
    pub target: String,
    /// `exact`, `wider`, `narrower`, `incomparable` or `unsupported`.
    pub fidelity: String,
    /// Why it is not exact.
    pub cause: Option<Text>,
}

/// Targets that say a rule equally well, for the same reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SaidBy {
    /// How well: `Said exactly by`, `Wider in`, `Narrower in`, `Wider and narrower in`, `Not said by`.
    pub label: String,
    /// The targets.
    pub targets: Vec<String>,
    /// Why they do not say it exactly.
    pub cause: Option<Text>,
}

/// That a field has had its day.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deprecated {
    /// What became of it.
    pub text: Text,
    /// The path that took its place.
    pub replacement: Option<String>,
}
