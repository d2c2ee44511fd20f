//! Rules of templates, evaluated by their meaning.

use crate::verdicts::{Evaluator, Options};
use kvrules_diagnostics::{SourceFile, Span};
use kvrules_ir::{ElaboratedSet, Predicate};

use super::{NamedRule, RuleOrigin};

/// The rules of a template, an annotation, or a file with rules.
#[derive(Debug)]
pub struct TemplateSubject {
    /// Origin of the rules.
    pub origin: RuleOrigin,
    /// The text that they are in.
    pub text: String,
    evaluator: Evaluator,
    rules: Vec<TemplateRule>,
    sets: Vec<ElaboratedSet>,
}

/// A rule of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateRule {
    /// Its name and its message.
    pub(crate) named: NamedRule,
    /// Its location.
    pub(crate) span: Option<Span>,
    /// True if it is skipped for some objects.
    pub(crate) has_guard: bool,
}

impl TemplateSubject {
    /// Reads the rules of a text.
    ///
    /// # Errors
    ///
    /// A sentence with the reason: it cannot be read, or has no rules.
    pub fn read_rules(origin: RuleOrigin, source: &SourceFile) -> Result<Self, String> {
        let mut evaluator = Evaluator::new(Options { trace: true, ..Options::default() });
        evaluator.use_rules(source, None)?;
        let sets = kvrules_sources::read_rules(source).sets;
        let mut rules: Vec<TemplateRule> = Vec::new();
        for rule in sets.iter().flat_map(|set| &set.rules) {
            let named = NamedRule { name: rule.name.clone(), aliases: vec![rule.message.clone()] };
            if !rules.iter().any(|known| known.named == named) {
                let has_guard = rule.applies != Predicate::True;
                rules.push(TemplateRule { named, span: rule.origin.span(), has_guard });
            }
        }
        Ok(Self { origin, text: source.text().to_owned(), evaluator, rules, sets })
    }

    /// Returns the sets of rules with their meaning.
    pub(crate) fn sets(&self) -> &[ElaboratedSet] {
        &self.sets
    }

    /// Returns the rules.
    pub(crate) fn rules(&self) -> &[TemplateRule] {
        &self.rules
    }

    /// Returns the rules of another text in the same file; `None` if it cannot be read.
    pub(crate) fn with_text(&self, text: &str) -> Option<Self> {
        let source = SourceFile::new(self.origin.file.unwrap_or_default(), "rules.yaml", text);
        Self::read_rules(self.origin.clone(), &source).ok()
    }

    /// Returns an evaluator for objects, with the rules.
    pub(crate) fn evaluator(&self) -> Evaluator {
        self.evaluator.clone()
    }

    pub(super) fn named_rules(&self) -> Vec<NamedRule> {
        self.rules.iter().map(|rule| rule.named.clone()).collect()
    }
}
