//! Output of `kvrules docs --format json`, as far as a book needs it.

use serde::Deserialize;

/// All rule sets of some files.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    /// The sets, in the order of the files.
    pub(crate) sets: Vec<RuleSet>,
}

/// Rules that are used together.
#[derive(Debug, Deserialize)]
pub(crate) struct RuleSet {
    /// As it was written.
    pub(crate) name: String,
    /// As it is shown: unique.
    pub(crate) title: String,
    /// Its content, in a sentence.
    pub(crate) summary: Text,
    /// The templates and machines that use it.
    pub(crate) used_by: Vec<String>,
    /// `3 templates`.
    pub(crate) users_counted: String,
    /// The same by what the names begin with; empty if they are few.
    pub(crate) users: Vec<UserGroup>,
    /// Rules that no predicate says.
    #[serde(default)]
    pub(crate) left_out: Vec<LeftOut>,
    /// Its rules.
    pub(crate) rules: Vec<Rule>,
}

/// Some of those who use a rule set.
#[derive(Debug, Deserialize)]
pub(crate) struct UserGroup {
    pub(crate) title: String,
    pub(crate) names: Vec<String>,
}

/// A rule that no predicate says.
#[derive(Debug, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) title: String,
    pub(crate) cause: Text,
}

/// One rule.
#[derive(Debug, Deserialize)]
pub(crate) struct Rule {
    /// As it was written.
    pub(crate) name: String,
    /// As it is shown: never empty.
    pub(crate) title: String,
    /// Unique in its set.
    pub(crate) anchor: String,
    /// Unique among all rules.
    pub(crate) label: String,
    /// Its requirement.
    pub(crate) sentence: Text,
    /// `error` or `warning`.
    pub(crate) severity: String,
    pub(crate) severity_text: Text,
    pub(crate) message: Text,
    pub(crate) field: Field,
    pub(crate) limits: Vec<Limit>,
    pub(crate) values_text: Option<Text>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) applies: Option<Text>,
    pub(crate) absent: Option<Text>,
    #[serde(default)]
    pub(crate) compared_with: Vec<String>,
    pub(crate) examples: Examples,
    pub(crate) cel: Vec<Cel>,
    pub(crate) said_by: Vec<SaidBy>,
    pub(crate) source: Option<Source>,
    pub(crate) deprecation: Option<Deprecation>,
    /// Output of a user's template for it.
    pub(crate) body: Option<Body>,
}

/// Output of a user's template for a rule or an extra spec.
#[derive(Debug, Deserialize)]
pub(crate) struct Body {
    pub(crate) markdown: Option<String>,
}

/// Text that is escaped for Markdown already.
#[derive(Debug, Deserialize)]
pub(crate) struct Text {
    pub(crate) markdown: String,
}

/// The field that a rule looks at.
#[derive(Debug, Deserialize)]
pub(crate) struct Field {
    pub(crate) path: String,
    pub(crate) r#type: String,
    pub(crate) type_text: Text,
    pub(crate) default_text: Option<Text>,
}

/// A bound.
#[derive(Debug, Deserialize)]
pub(crate) struct Limit {
    pub(crate) label: String,
    pub(crate) text: Text,
}

/// A regular expression and its reading.
#[derive(Debug, Deserialize)]
pub(crate) struct Pattern {
    pub(crate) code: String,
    pub(crate) reading: Option<Text>,
}

/// Values that pass and fail.
#[derive(Debug, Deserialize)]
pub(crate) struct Examples {
    pub(crate) passes: Vec<Example>,
    pub(crate) fails: Vec<Example>,
}

/// A value.
#[derive(Debug, Deserialize)]
pub(crate) struct Example {
    pub(crate) code: String,
    pub(crate) beside: Vec<Beside>,
}

/// A value that another is compared with.
#[derive(Debug, Deserialize)]
pub(crate) struct Beside {
    pub(crate) path: String,
    pub(crate) code: String,
}

/// An expression that enforces the rule.
#[derive(Debug, Deserialize)]
pub(crate) struct Cel {
    pub(crate) target: String,
    pub(crate) rule: String,
}

/// Targets that say the rule equally well, for the same reason.
#[derive(Debug, Deserialize)]
pub(crate) struct SaidBy {
    pub(crate) label: String,
    pub(crate) targets: Vec<String>,
    pub(crate) cause: Option<Text>,
}

/// Location of a definition.
#[derive(Debug, Deserialize)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) link: Option<String>,
}

/// Deprecation of a rule.
#[derive(Debug, Deserialize)]
pub(crate) struct Deprecation {
    pub(crate) text: Text,
    pub(crate) replacement: Option<String>,
}

impl RuleSet {
    /// Returns the name of a rule of this set in references: `set/title`, or if two rules share the title `set/anchor`.
    pub(crate) fn full_name(&self, rule: &Rule) -> String {
        let sharing = self.rules.iter().filter(|other| other.title == rule.title).count();
        let name = if sharing > 1 { &rule.anchor } else { &rule.title };
        format!("{}/{name}", self.title)
    }
}
