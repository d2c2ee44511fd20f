//! Rules of templates, evaluated by their meaning.

use kvrules_diagnostics::SourceFile;
use kvrules_verdicts::{Evaluator, Options};

use super::{NamedRule, RuleOrigin};

/// The rules of a template, an annotation, or a file with rules.
#[derive(Debug)]
pub struct TemplateSubject {
    /// Origin of the rules.
    pub origin: RuleOrigin,
    /// The text that they are in.
    pub text: String,
    evaluator: Evaluator,
    rules: Vec<NamedRule>,
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
        let mut rules: Vec<NamedRule> = Vec::new();
        for rule in sets.iter().flat_map(|set| &set.rules) {
            let named = NamedRule { name: rule.name.clone(), aliases: vec![rule.message.clone()] };
            if !rules.contains(&named) {
                rules.push(named);
            }
        }
        Ok(Self { origin, text: source.text().to_owned(), evaluator, rules })
    }

    /// Returns an evaluator for objects, with the rules.
    pub(crate) fn evaluator(&self) -> Evaluator {
        self.evaluator.clone()
    }

    pub(super) fn named_rules(&self) -> Vec<NamedRule> {
        self.rules.clone()
    }
}
