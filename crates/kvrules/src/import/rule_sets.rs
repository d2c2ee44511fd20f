//! Rules of a file as RuleSets, with notes at their locations.

use std::sync::Arc;

use kvrules_diagnostics::{Diagnostic, Level, SourceFile, Span};
use kvrules_import::{
    ImportedForm, ImportedRule, ImportedRuleSet, import_definition_rules, import_schema_rules,
};
use kvrules_rule_set::RuleSubject;
use kvrules_sources::crd::RunResources;
use kvrules_syntax::pointer::find_node;
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::{Document, Node, source_stream};
use kvrules_test::verdicts::Definitions;

use super::context::ImportContext;
use super::policies::import_policies;
use super::read_back::leave_out_refused_rules;
use super::template_tags::TagTexts;
use super::templates::import_template;

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
    /// Rules in words or as expressions that accept more than their source.
    pub wider: usize,
}

/// Restates the rules of the CustomResourceDefinitions, policies and templates in a file as RuleSets.
///
/// # Errors
///
/// Findings of definitions that a server rejects, or that a given definition is not that of VirtualMachines.
///
/// ```
/// use kvrules::import::{ImportContext, import_rule_sets};
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
/// let imported = import_rule_sets(&SourceFile::new(FileId(0), "crd.yaml", text), ImportContext::default()).unwrap();
/// assert_eq!(imported.sets[0].document["spec"]["rules"][0]["integer"]["min"], 3);
/// assert_eq!((imported.counts().words, imported.counts().cel), (1, 1));
/// assert_eq!(imported.notes[0].message, "stays `cel`: no words express it");
/// ```
pub fn import_rule_sets(
    source: &SourceFile,
    context: ImportContext<'_>,
) -> Result<RuleSetImport, Vec<Diagnostic>> {
    let mut imported = RuleSetImport::default();
    let contents = kvrules_sources::detect_contents(source);
    if contents.has_definitions() {
        for text in Definitions::read_definitions(source)?.into_texts() {
            for set in import_definition_rules(&text.value, context.own_path) {
                let span = |rule: &ImportedRule| text.find_span(&rule.pointer).unwrap_or(text.span);
                let spans = set.rules.iter().map(span).collect();
                imported.add(set, spans, source, context);
            }
        }
    }
    if contents.has_policies() {
        let policies = kvrules_sources::crd::read_policies(source);
        let own = RunResources::of_files(&[source]);
        for (set, spans) in import_policies(&policies, context.resources.unwrap_or(&own)) {
            imported.add(set, spans, source, context);
        }
    }
    if contents.has_json_schemas() {
        import_schemas(source, context, &mut imported)?;
    }
    let reading = kvrules_sources::read_rules(source);
    if !reading.sets.is_empty() {
        let given = defined_virtual_machines(source, context)?;
        for set in &reading.sets {
            let (set, spans) = match &given {
                Some((subject, path)) => import_template(set, Some(subject), Some(path)),
                None => import_template(set, None, None),
            };
            imported.add(set, spans, source, context);
        }
    }
    if let Some(tags) = TagTexts::of_source(source) {
        imported.sets.iter_mut().for_each(|set| tags.restore_messages(set));
    }
    Ok(imported)
}

/// The RuleSets of the JSON Schemas in a file.
fn import_schemas(
    source: &SourceFile,
    context: ImportContext<'_>,
    imported: &mut RuleSetImport,
) -> Result<(), Vec<Diagnostic>> {
    let start = Span::new(source.id(), 0, 0);
    let refused = |span: Span, message: String| Diagnostic::refused_input("import", span, message);
    let Some(path) = context.own_path else {
        let message = "a RuleSet about documents names the file with their schema".to_owned();
        return Err(vec![refused(start, message).with_help("give the schema as a file")]);
    };
    let stream = source_stream(source);
    let roots: Vec<Node<'_>> = stream.documents.iter().filter_map(Document::root).collect();
    let [root] = roots.as_slice() else {
        let message = "a file with a schema has no other documents".to_owned();
        return Err(vec![refused(start, message)]);
    };
    let value = ValueReader::for_yaml12().with_lenient_reading().read_value(*root);
    let value = value.map_err(|error| vec![refused(error.span, error.message)])?;
    let sets = import_schema_rules(&Arc::new(value), path).map_err(|unknown| {
        let finding = refused(start, unknown.message);
        vec![match unknown.help {
            Some(help) => finding.with_help(help),
            None => finding,
        }]
    })?;
    for set in sets {
        let span = |rule: &ImportedRule| find_node(*root, &rule.pointer).map_or(root.span(), Node::span);
        let spans = set.rules.iter().map(span).collect();
        imported.add(set, spans, source, context);
    }
    Ok(())
}

/// VirtualMachines as a definition has them, with its path; `None` if none is given.
fn defined_virtual_machines<'c>(
    source: &SourceFile,
    context: ImportContext<'c>,
) -> Result<Option<(RuleSubject, &'c str)>, Vec<Diagnostic>> {
    let Some((file, path)) = context.schema else { return Ok(None) };
    let definitions = Definitions::read_definitions(file)?.into_texts();
    let values = definitions.iter().map(|text| &*text.value);
    let subject = RuleSubject::of_definitions(values, "kubevirt.io/v1", "VirtualMachine");
    let subject = subject.map_err(|unknown| {
        let span = Span::new(source.id(), 0, 0);
        let finding = Diagnostic::refused_input("import", span, unknown.message);
        vec![finding.with_help("`--schema` names the file that has it")]
    })?;
    Ok(Some((subject, path)))
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
    let wider = rule.wider.iter().map(|cause| note(Level::Warning, format!("not equal: {cause}")));
    of_form.into_iter().chain(wider).chain(lost).collect()
}

impl RuleSetImport {
    /// Adds a RuleSet with the locations of the rules that it was made of, without those that a reader refuses.
    fn add(
        &mut self,
        mut set: ImportedRuleSet,
        spans: Vec<Span>,
        source: &SourceFile,
        context: ImportContext<'_>,
    ) {
        leave_out_refused_rules(&mut set, source, context);
        for note in set.rules.iter().zip(spans).flat_map(|(rule, span)| rule_notes(rule, span)) {
            // A rule about several kinds of objects has its note once.
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.sets.push(set);
    }

    /// Returns the number of rules by their form.
    pub fn counts(&self) -> ImportedRuleCounts {
        let mut counts = ImportedRuleCounts::default();
        for rule in self.sets.iter().flat_map(|set| &set.rules) {
            counts.wider += usize::from(rule.wider.is_some());
            match rule.form {
                ImportedForm::Words => counts.words += 1,
                ImportedForm::Cel(_) => counts.cel += 1,
                ImportedForm::LeftOut(_) => counts.left_out += 1,
            }
        }
        counts
    }
}
