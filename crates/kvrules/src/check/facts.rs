//! Facts about what is at a place of a file, for hovers of editors.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_pages::prose::describe_requirements;
use kvrules_sources::crd::{
    EXPRESSION_LIMIT, Headroom, KubernetesVersion, NameFacts, RunResources, estimate_costs,
    find_oldest_versions, read_policies,
};
use kvrules_sources::{
    FileReading, OutlineKind, RuleAt, RuleHolder, outline_file, rule_at, with_expression_at,
};

use super::CheckSettings;
use crate::lift::{ExplainedRule, explain_policy, explain_rules};

/// The facts about a place.
#[derive(Clone, Debug)]
pub enum PlaceFacts {
    /// A name in an expression.
    Name(NameFacts),
    /// A rule.
    Rule(RuleFacts),
}

/// Facts about a rule.
#[derive(Clone, Debug, Default)]
pub struct RuleFacts {
    /// The name; empty if it has none.
    pub name: String,
    /// Sentences that say what it requires.
    pub sentences: Vec<String>,
    /// The reason why there are none.
    pub unknown: Option<String>,
    /// The estimated cost and the limit, if a server limits it.
    pub cost: Option<(u64, u64)>,
    /// The oldest minor that takes it; `None` if it is not known or all do.
    pub since: Option<KubernetesVersion>,
}

impl CheckSettings {
    /// Returns what is known about the place at an offset of a file, with its location. `reading` is the last that is known of the
    /// file.
    pub fn facts_at(
        &self,
        source: &SourceFile,
        reading: Option<&FileReading>,
        offset: u32,
    ) -> Option<(Span, PlaceFacts)> {
        let files: Vec<_> = std::iter::once(source).chain(self.schemas.files()).collect();
        let run = RunResources::of_files(&files).with_versions(self.versions);
        let name = with_expression_at(source, offset, &run, |expression| {
            Some((expression.name_at().span, PlaceFacts::Name(expression.facts_at()?)))
        });
        name.flatten()
            .or_else(|| {
                let rule = rule_at(source, offset)?;
                Some((rule.span, PlaceFacts::Rule(cel_rule_facts(source, &rule))))
            })
            .or_else(|| self.worded_rule_facts(source, reading?, offset))
    }

    /// The facts about a rule of a RuleSet or of an annotation.
    fn worded_rule_facts(
        &self,
        source: &SourceFile,
        reading: &FileReading,
        offset: u32,
    ) -> Option<(Span, PlaceFacts)> {
        let covers = |span: Span| span.start <= offset && offset <= span.end;
        // A rule of a RuleSet has the location of its name.
        let entries = outline_file(source).into_iter().flat_map(|entry| entry.children);
        let entry = entries.filter(|entry| entry.kind == OutlineKind::Rule).find(|entry| covers(entry.span));
        let is_in = |span: Span| {
            entry.as_ref().is_some_and(|entry| entry.span.start <= span.start && span.end <= entry.span.end)
        };
        let authored = reading.rule_sets.iter().flat_map(|set| &set.rules).find(|rule| is_in(rule.span));
        if let Some(rule) = authored {
            let sentences = vec![rule.requirement.clone()];
            let facts = RuleFacts { name: rule.name.clone(), sentences, ..RuleFacts::default() };
            return Some((rule.span, PlaceFacts::Rule(facts)));
        }
        let rules = reading.sets.iter().flat_map(|set| &set.rules);
        let (rule, span) =
            rules.filter_map(|rule| Some((rule, rule.origin.span()?))).find(|(_, span)| covers(*span))?;
        let sentences = vec![describe_requirements(rule, self.catalog.subject()).to_plain()];
        let facts = RuleFacts { name: rule.name.clone(), sentences, ..RuleFacts::default() };
        Some((span, PlaceFacts::Rule(facts)))
    }
}

impl RuleFacts {
    /// What is known from lifting a rule in CEL.
    pub(super) fn from_lift(rule: &ExplainedRule) -> Self {
        Self {
            name: rule.name.clone(),
            sentences: to_sentence(rule).into_iter().collect(),
            unknown: rule.meaning.as_ref().err().cloned(),
            ..Self::default()
        }
    }
}

/// The facts about a rule in CEL, from the same functions as `explain --lift`, `cost` and `minors`.
fn cel_rule_facts(source: &SourceFile, rule: &RuleAt) -> RuleFacts {
    let explained = match &rule.holder {
        RuleHolder::Definition { definition, version } => {
            let versions = ResourceVersion::of_definition(definition).into_iter();
            let version = versions.into_iter().find(|it| it.version == *version);
            version.map(|version| explain_rules(&version, Some(&rule.expression))).unwrap_or_default()
        }
        RuleHolder::Policy { kind, field } => {
            let policies = read_policies(source);
            let policy = policies.iter().find(|policy| policy.span == *kind);
            policy.map(|policy| explain_policy(policy, &policies, Some(field))).unwrap_or_default()
        }
    };
    let within = |span: Span| rule.span.start <= span.start && span.end <= rule.span.end;
    let costs = match rule.holder {
        RuleHolder::Definition { .. } => estimate_costs(source, Headroom::default()),
        RuleHolder::Policy { .. } => Vec::new(),
    };
    let costs = costs.iter().flat_map(|definition| &definition.versions).flat_map(|version| &version.rules);
    let cost = costs.into_iter().find(|cost| within(cost.span) && cost.text.trim() == rule.expression);
    let oldest = find_oldest_versions(source).into_iter();
    let oldest = oldest.filter(|found| found.reasons.iter().any(|reason| within(reason.primary.span)));
    RuleFacts {
        sentences: explained.iter().filter_map(to_sentence).collect(),
        unknown: explained.iter().find_map(|rule| rule.meaning.as_ref().err().cloned()),
        cost: cost.and_then(|cost| Some((cost.estimate?, EXPRESSION_LIMIT))),
        since: oldest.filter_map(|found| found.oldest).max(),
        name: explained.first().map(|rule| rule.name.clone()).unwrap_or_default(),
    }
}

fn to_sentence(rule: &ExplainedRule) -> Option<String> {
    let fails = &rule.meaning.as_ref().ok()?.fails;
    Some(match rule.kinds.as_slice() {
        [] => format!("Violated if {fails}"),
        kinds => format!("Violated by {} if {fails}", kinds.join(" and ")),
    })
}
