//! RuleSets.

use kvrules_rule_set::{SubjectDefinitions, is_rule_set, read_rule_set};
use kvrules_syntax::Document;

use crate::input::ParsedFile;
use crate::reading::FileReading;
use crate::rule_set_costs::find_expensive_rules;
use crate::source::{ReadContext, Source, add_findings, note_unread};
use crate::units::{FileContents, Operation, Unit, UnitCount, UnitEngine, UnitKind};

pub(crate) static SOURCE: Source = Source { name: "rule-sets", kinds: &[&RULE_SET], find, check };

static RULE_SET: UnitKind = UnitKind {
    singular: "RuleSet",
    plural: "RuleSets",
    count: UnitCount::UnitsWithParts("rule"),
    subject: "RuleSets",
    engine: Some(UnitEngine::CompiledAdmission),
    operations: &[
        Operation::Check,
        Operation::Format,
        Operation::Compile,
        Operation::Verify,
        Operation::Document,
        Operation::Evaluate,
        Operation::Compare,
        Operation::EstimateCost,
        Operation::Explain,
        Operation::Test,
    ],
};

fn find(file: &ParsedFile<'_>, _: &[bool]) -> Vec<Unit> {
    let found = file.documents.iter().enumerate().filter(|(_, document)| is_rule_set(document));
    let unit = |(document, found): (usize, &&Document<'_>)| {
        Some(Unit { kind: &RULE_SET, span: found.root()?.span().first_byte(), parts: 0, document })
    };
    found.filter_map(unit).collect()
}

fn check(file: &ParsedFile<'_>, context: &ReadContext<'_>, reading: &mut FileReading) {
    if !reading.contents.has_rule_sets() {
        return;
    }
    let definitions = subject_definitions(file, context);
    for index in 0..reading.contents.units.len() {
        let Some(unit) = reading.contents.units.get_mut(index).filter(|unit| *unit.kind == RULE_SET) else {
            continue;
        };
        let Some(document) = file.documents.get(unit.document) else { continue };
        note_unread(document, reading);
        if document.template_problem().is_some() || document.has_unread_parts() {
            continue;
        }
        let mut findings = Vec::new();
        let set = read_rule_set(document, &definitions, &mut findings);
        if let (Some(set), Some(unit)) = (set, reading.contents.units.get_mut(index)) {
            unit.parts = set.rules.len();
            findings.extend(find_expensive_rules(&set));
            reading.rule_sets.push(set);
        }
        add_findings(document, findings, reading);
    }
}

/// The definitions that subjects of RuleSets in a file may be of: those of the files that they name, of the run and of the file.
fn subject_definitions(file: &ParsedFile<'_>, context: &ReadContext<'_>) -> SubjectDefinitions {
    let mut of_run = kvrules_crd::read_definition_values(&file.documents);
    of_run.extend(context.resources.0.definitions().cloned());
    let of_file = context.subjects.map(|subjects| subjects.named_in(file.source.name())).unwrap_or_default();
    let included = context.subjects.map(|subjects| subjects.included_in(file.source.name()));
    let parameters = context.subjects.map(|subjects| subjects.parameters().clone());
    SubjectDefinitions {
        of_file,
        of_run,
        included: included.unwrap_or_default(),
        parameters: parameters.unwrap_or_default(),
    }
}

impl FileContents {
    /// True if there are RuleSets in the file.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, detect_contents};
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\n";
    /// assert!(detect_contents(&SourceFile::new(FileId(0), "web.yaml", text)).has_rule_sets());
    /// ```
    pub fn has_rule_sets(&self) -> bool {
        self.units.iter().any(|unit| *unit.kind == RULE_SET)
    }
}
