//! The rules that cases are about: definitions, policies, RuleSets, and rules of templates, as one server has them.

mod definition;
mod per_server;
mod policy;
mod rule_set;
mod template;

use std::path::PathBuf;
use std::sync::Arc;

use kvrules_diagnostics::{FileId, Span, quote_names, suggest_nearest};
use serde_json::Value;

pub use definition::DefinitionSubject;
pub(crate) use definition::definition_rule_name;
pub use policy::PolicySubject;
pub(crate) use policy::{deny_binding, validation_aliases};
pub use rule_set::RuleSetSubject;
pub(crate) use rule_set::rules_of;
pub(crate) use template::TemplateRule;
pub use template::TemplateSubject;

/// The rules of a case.
#[derive(Debug, Default)]
pub struct Subject {
    /// Definitions; the one of the object's kind decides first.
    pub definitions: Vec<Arc<DefinitionSubject>>,
    /// Policies with their bindings.
    pub policies: Option<PolicySubject>,
    /// RuleSets.
    pub rule_sets: Vec<RuleSetSubject>,
    /// Rules of templates.
    pub template: Option<TemplateSubject>,
}

/// Origin of a document with rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleOrigin {
    /// Path of the file.
    pub path: PathBuf,
    /// Index of the document in the file.
    pub document: usize,
    /// The file in the sources.
    pub file: Option<FileId>,
    /// Location of the document.
    pub span: Span,
}

/// A rule that cases can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRule {
    /// Its place, such as `spec.x-kubernetes-validations[0]`, or its name.
    pub name: String,
    /// Other names: its message, its expression.
    pub aliases: Vec<String>,
}

impl Subject {
    /// Creates a subject of one definition.
    pub fn of_definition(definition: DefinitionSubject) -> Self {
        Self { definitions: vec![Arc::new(definition)], ..Self::default() }
    }

    /// Creates a subject of policies.
    pub fn of_policies(policies: PolicySubject) -> Self {
        Self { policies: Some(policies), ..Self::default() }
    }

    /// Creates a subject of a RuleSet.
    pub fn of_rule_set(set: RuleSetSubject) -> Self {
        Self { rule_sets: vec![set], ..Self::default() }
    }

    /// True without any rules.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
            && self.policies.is_none()
            && self.rule_sets.is_empty()
            && self.template.is_none()
    }

    /// Returns the rules that cases can name, in the order of the documents.
    pub fn named_rules(&self) -> Vec<NamedRule> {
        let of_definitions = self.definitions.iter().flat_map(|it| it.named_rules());
        let of_policies = self.policies.iter().flat_map(PolicySubject::named_rules);
        let of_sets = self.rule_sets.iter().flat_map(RuleSetSubject::named_rules);
        let of_template = self.template.iter().flat_map(TemplateSubject::named_rules);
        of_definitions.chain(of_policies).chain(of_sets).chain(of_template).collect()
    }

    /// True if a case can name this rule: by its place, its message, its expression, or a field that the schema declares.
    pub fn has_rule(&self, name: &str) -> bool {
        let wanted = rule_slug(name);
        self.named_rules().iter().any(|rule| rule.has_name(&wanted))
            || self.definitions.iter().any(|definition| definition.has_field(name))
    }

    /// Returns advice for a name that no rule has: the nearest one, or the names of a few rules.
    pub(crate) fn describe_rule_names(&self, name: &str) -> Option<String> {
        const MOST_NAMES: usize = 6;
        let rules = self.named_rules();
        let names = rules.iter().flat_map(|rule| std::iter::once(&rule.name).chain(&rule.aliases));
        let listed: Vec<_> = rules.iter().map(|rule| &rule.name).collect();
        let list = || format!("the rules are {}", quote_names(&listed, MOST_NAMES));
        suggest_nearest(name, names.map(String::as_str)).or_else(|| (!listed.is_empty()).then(list))
    }

    /// Returns the definition of a kind.
    pub fn find_definition(&self, api_version: &str, kind: &str) -> Option<&DefinitionSubject> {
        self.definitions.iter().map(|it| &**it).find(|definition| definition.is_for(api_version, kind))
    }

    /// Returns the RuleSet of an origin and a document.
    pub(crate) fn find_rule_set(&self, origin: &RuleOrigin, document: &Value) -> Option<&RuleSetSubject> {
        self.rule_sets.iter().find(|set| set.origin == *origin && set.document == *document)
    }

    /// Returns the same rules with another document in place of the one of this origin; what a server would refuse is evaluated.
    pub(crate) fn with_document(&self, origin: &RuleOrigin, old: &Value, new: &Value) -> Self {
        let definitions = self.definitions.iter().map(|it| {
            let is_it = it.origin == *origin && it.document == *old;
            // Others keep what they have compiled. Cases fail where a server refuses one, and mutants are measured with cases that pass.
            if is_it { Arc::new(it.with_unreviewed(new.clone())) } else { Arc::clone(it) }
        });
        let policies = self.policies.as_ref().map(|policies| {
            let documents = policies.documents().map(|(own, document)| {
                if own == origin && document == old { new.clone() } else { document.clone() }
            });
            policies.with_documents(documents.collect()).without_review()
        });
        let rule_sets = self.rule_sets.iter().map(|set| {
            let is_it = set.origin == *origin && set.document == *old;
            if is_it { set.with_document(new) } else { set.clone() }
        });
        let template = self.template.as_ref().and_then(|template| {
            let is_it = template.origin == *origin;
            template.with_text(new.as_str().filter(|_| is_it).unwrap_or(&template.text))
        });
        Self { definitions: definitions.collect(), policies, rule_sets: rule_sets.collect(), template }
    }

    /// Returns the documents with rules and their origins.
    pub fn documents(&self) -> Vec<(&RuleOrigin, &Value)> {
        let definitions = self.definitions.iter().map(|it| (&it.origin, &it.document));
        let rule_sets = self.rule_sets.iter().map(|it| (&it.origin, &it.document));
        let policies = self.policies.iter().flat_map(PolicySubject::documents);
        definitions.chain(policies).chain(rule_sets).collect()
    }
}

impl NamedRule {
    /// True if one of the names has this slug.
    pub(crate) fn has_name(&self, slug: &str) -> bool {
        rule_slug(&self.name) == slug || self.aliases.iter().any(|alias| rule_slug(alias) == slug)
    }

    /// Returns the slugs of all names.
    pub(crate) fn slugs(&self) -> impl Iterator<Item = String> {
        std::iter::once(&self.name).chain(&self.aliases).map(|name| rule_slug(name))
    }
}

/// Returns a name in lower-case letters and digits with single dashes between them, as file names have it.
///
/// ```
/// use kvrules::test::rule_slug;
///
/// assert_eq!(rule_slug("spec.x-kubernetes-validations[0]"), "spec-x-kubernetes-validations-0");
/// assert_eq!(rule_slug("at most 5 replicas!"), "at-most-5-replicas");
/// ```
pub fn rule_slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
