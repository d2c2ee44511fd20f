//! Rules of a file as RuleSets, with notes at their locations.

use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Span};
use kvrules_import::{ImportedForm, ImportedRule, ImportedRuleSet, import_definition_rules};
use kvrules_verdicts::Definitions;

/// The RuleSets that the rules of a file become.
#[derive(Clone, Debug, Default)]
pub struct RuleSetImport {
    /// The RuleSets.
    pub sets: Vec<ImportedRuleSet>,
    /// A note for each rule that is not in words, or not carried over as a whole.
    pub notes: Vec<Diagnostic>,
}

/// Number of rules by the form that they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportedRuleCounts {
    /// Rules in words.
    pub words: usize,
    /// Rules that stay expressions.
    pub cel: usize,
    /// Rules that are left out.
    pub left_out: usize,
}

/// Restates the rules of the CustomResourceDefinitions in a file as RuleSets. `schema_file` is the path of the file from the folder of the
/// RuleSets.
///
/// # Errors
///
/// Findings of definitions that a server rejects.
///
/// ```
/// use kvrules::import::import_rule_sets;
/// use kvrules::{FileId, SourceFile};
///
/// let text = r#"
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {name: ponds.example.com}
/// spec:
///   {group: example.com, scope: Namespaced, names: {kind: Pond, plural: ponds}, versions: [{name: v1, served: true, storage: true,
///     schema: {openAPIV3Schema: {type: object, properties: {depth: {type: integer,
///       x-kubernetes-validations: [{rule: self > 2}, {rule: self % 2 == 0}]}}}}}]}
/// "#;
/// let imported = import_rule_sets(&SourceFile::new(FileId(0), "crd.yaml", text), Some("crd.yaml")).unwrap();
/// assert_eq!(imported.sets[0].document["spec"]["rules"][0]["integer"]["min"], 3);
/// assert_eq!((imported.counts().words, imported.counts().cel), (1, 1));
/// assert_eq!(imported.notes[0].message, "stays `cel`: no words express it");
/// ```
pub fn import_rule_sets(
    source: &SourceFile,
    schema_file: Option<&str>,
) -> Result<RuleSetImport, Vec<Diagnostic>> {
    let mut imported = RuleSetImport::default();
    for text in Definitions::read_definitions(source)?.into_texts() {
        for set in import_definition_rules(&text.value, schema_file) {
            for rule in &set.rules {
                let span = text.find_span(&rule.pointer).unwrap_or(text.span);
                imported.notes.extend(rule_notes(rule, span));
            }
            imported.sets.push(set);
        }
    }
    Ok(imported)
}

fn rule_notes(rule: &ImportedRule, span: Span) -> Vec<Diagnostic> {
    let note = |level: Level, message: String| Diagnostic {
        level,
        ..Diagnostic::refused_input("import", span, message)
    };
    let of_form = match &rule.form {
        ImportedForm::Words => None,
        ImportedForm::Cel(reason) => Some(note(Level::Info, format!("stays `cel`: {reason}"))),
        ImportedForm::LeftOut(reason) => Some(note(Level::Warning, format!("left out: {reason}"))),
    };
    let lost = rule.lost.iter().map(|lost| note(Level::Warning, format!("{lost} is not carried over")));
    of_form.into_iter().chain(lost).collect()
}

impl RuleSetImport {
    /// Returns the number of rules by their form.
    pub fn counts(&self) -> ImportedRuleCounts {
        let mut counts = ImportedRuleCounts::default();
        for rule in self.sets.iter().flat_map(|set| &set.rules) {
            match rule.form {
                ImportedForm::Words => counts.words += 1,
                ImportedForm::Cel(_) => counts.cel += 1,
                ImportedForm::LeftOut(_) => counts.left_out += 1,
            }
        }
        counts
    }
}
