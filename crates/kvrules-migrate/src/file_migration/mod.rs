//! Migration of a file: the steps until none has anything left to do, and the proof that the rules still
//! mean what they meant.

mod edit_history;
mod governed_rules;
mod proof;

use std::sync::Arc;

use kvrules_diagnostics::{Diagnostic, Edit, SourceFile};
use kvrules_elaborate::{annotation, catalog::Catalog};
use kvrules_sources::{FileReading, ParsedFile, read_rules_with, with_documents};
use kvrules_syntax::{Document, edit::apply_edits};
use kvrules_triage::{FixOptions, fix_file, is_offered};

pub use proof::{EquivalenceProof, MeaningChange};

use crate::{MigrationOptions, MigrationStep, REFUSAL, StepChange};
use edit_history::EditHistory;
use governed_rules::GovernedRules;

/// Each round does something, and a file needs two or three; more than this are a bug in kvrules.
const MOST_ROUNDS: usize = 64;

/// Result for a file.
#[derive(Debug)]
pub struct Migration {
    /// The text after it. Where something could not be migrated it is the text as it was.
    pub text: String,
    /// The changes that were made, in the order of the steps.
    pub changes: Vec<MigrationChange>,
    /// The changes left for the user to make by hand, in the same order.
    pub notes: Vec<MigrationChange>,
    /// The changes that were impossible; the file is then left alone.
    pub refusals: Vec<Diagnostic>,
    /// Proof that the rules keep their meaning.
    pub proof: EquivalenceProof,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationChange {
    /// The line of the file as it was, from 1.
    pub line: u32,
    /// Description of the change, in the past tense and without a final stop.
    pub what: String,
}

/// First words of changes, and their conditional form.
const VERBS: [(&str, &str); 6] = [
    ("moved ", "would move "),
    ("renamed ", "would rename "),
    ("wrote ", "would write "),
    ("left out ", "would leave out "),
    ("brought ", "would bring "),
    ("repaired ", "would repair "),
];

impl MigrationChange {
    /// Returns the change in the conditional, if nothing was done yet: `would move 3 rules …`.
    ///
    /// ```
    /// use kvrules::migrate::MigrationChange;
    ///
    /// let change = MigrationChange { line: 3, what: "renamed the annotation".to_owned() };
    /// assert_eq!(change.conditional_message(), "would rename the annotation");
    /// ```
    pub fn conditional_message(&self) -> String {
        let known =
            VERBS.iter().find_map(|(past, would)| Some(format!("{would}{}", self.what.strip_prefix(past)?)));
        known.unwrap_or_else(|| self.what.clone())
    }
}

/// In one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationOutcome {
    /// There is nothing in an old form.
    Current,
    /// Everything is in the new form, and every rule means what it meant.
    Migrated,
    /// Everything is in the new form, and some verdicts are others than before.
    Changed,
    /// Something is in the way, and the file stays as it is.
    Refused,
}

impl Migration {
    /// Returns the outcome for the file.
    ///
    /// ```
    /// use kvrules::migrate::{MigrationOptions, MigrationOutcome, migrate_file};
    /// use kvrules::{Catalog, FileId, SourceFile};
    ///
    /// let outcome = |text: &str| {
    ///     let source = SourceFile::new(FileId(0), "a.yaml", text);
    ///     migrate_file(&source, Catalog::kubevirt_vm(), MigrationOptions::default()).outcome()
    /// };
    /// assert_eq!(outcome("vm.kubevirt.io/validations: '[]'\n"), MigrationOutcome::Current);
    /// assert_eq!(outcome("validations: '[]'\n"), MigrationOutcome::Migrated);
    /// assert_eq!(outcome("validations: '[{'\n"), MigrationOutcome::Refused);
    /// ```
    pub fn outcome(&self) -> MigrationOutcome {
        match (self.refusals.is_empty(), self.proof.departures.is_empty(), self.changes.is_empty()) {
            (false, _, _) => MigrationOutcome::Refused,
            (true, false, _) => MigrationOutcome::Changed,
            (true, true, true) => MigrationOutcome::Current,
            (true, true, false) => MigrationOutcome::Migrated,
        }
    }
}

/// Migrates every annotation of a file to the form of 201902. Markdown and reStructuredText are recognized by their names.
///
/// If any part of the file cannot be migrated, the text stays as it is, and the result lists the refusals.
///
/// ```
/// use kvrules::migrate::{MigrationOptions, migrate_file};
/// use kvrules::{Catalog, FileId, SourceFile};
///
/// let text = "validations: '[{\"name\": \"cores\", \"rule\": \"integer\", \"message\": \"m\", \
///             \"path\": \"spec.domain.cpu.cores\", \"max\": 8}]'\n";
/// let source = SourceFile::new(FileId(0), "a.yaml", text);
/// let migration = migrate_file(&source, Catalog::kubevirt_vm(), MigrationOptions::default());
/// assert!(migration.text.contains("jsonpath::.spec.domain.cpu.cores"));
/// assert_eq!((migration.proof.rules, migration.proof.departures.len()), (1, 0));
/// ```
pub fn migrate_file(source: &SourceFile, catalog: &Catalog, options: MigrationOptions) -> Migration {
    let mut work = MigrationWork::new(source);
    if !["validation", "rule"].iter().any(|word| source.text().contains(word)) {
        return work.into_migration(EquivalenceProof::default());
    }
    for _ in 0..MOST_ROUNDS {
        if let RoundResult::Last(after) = work.run_round(catalog, options) {
            let proof = work.prove_equivalence(source, &after, catalog);
            return work.into_migration(proof);
        }
    }
    work.refuse_migration(source, "the migration of this file does not terminate, which is a bug in kvrules");
    work.into_migration(EquivalenceProof::default())
}

/// Result of a round.
enum RoundResult {
    /// There was something to do, and there may be more.
    Step,
    /// Nothing was left, or something is in the way; and the rules as they are now.
    Last(GovernedRules),
}

struct MigrationWork<'s> {
    original: &'s SourceFile,
    now: Arc<SourceFile>,
    /// The rules when all errors of their JSON were repaired: what the proof starts from.
    sound: Option<GovernedRules>,
    back: EditHistory,
    changes: Vec<MigrationChange>,
    notes: Vec<MigrationChange>,
    refusals: Vec<Diagnostic>,
}

impl<'s> MigrationWork<'s> {
    fn new(original: &'s SourceFile) -> Self {
        Self {
            original,
            now: Arc::new(original.with_text(original.text())),
            sound: None,
            back: EditHistory::default(),
            changes: Vec::new(),
            notes: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// One step further. A text is parsed once: what comes to nothing leaves it as it is for the next.
    fn run_round(&mut self, catalog: &Catalog, options: MigrationOptions) -> RoundResult {
        let now = Arc::clone(&self.now);
        with_documents(&now, |file| self.run_steps(file, catalog, options))
    }

    fn run_steps(
        &mut self,
        file: &ParsedFile<'_>,
        catalog: &Catalog,
        options: MigrationOptions,
    ) -> RoundResult {
        let has_rules = |document: &&&Document<'_>| !annotation::find_annotations(document).is_empty();
        let documents: Vec<_> = file.documents.iter().filter(has_rules).copied().collect();
        let mut stepped =
            self.run_step(&documents, crate::fix_indentation) || self.repair_json(&documents, catalog);
        if !stepped && self.sound.is_none() {
            self.sound = Some(governed_rules::find_governed_rules(file));
            self.refuse_unreadable(file);
        }
        if !stepped && self.refusals.is_empty() {
            stepped = self
                .run_step(&documents, |source, document| crate::rewrite_rules(source, document, options))
                || self.run_step(&documents, crate::relocate_annotation);
        }
        if stepped && self.refusals.is_empty() {
            return RoundResult::Step;
        }
        RoundResult::Last(governed_rules::find_governed_rules(file))
    }

    /// Takes one step in every document with an annotation; whether anything came of it.
    fn run_step(
        &mut self,
        documents: &[&Document<'_>],
        take: impl Fn(&SourceFile, &Document<'_>) -> MigrationStep,
    ) -> bool {
        let mut step = MigrationStep::default();
        for document in documents {
            step.extend_with(render_step(document, take(&self.now, document)));
        }
        if step.is_empty() {
            return false;
        }
        let text = apply_edits(self.now.text(), &step.edits);
        self.take_over(step, text);
        true
    }

    fn take_over(&mut self, step: MigrationStep, text: Option<String>) {
        let MigrationStep { edits, changes, notes, refusals } = step;
        self.refusals.extend(refusals.into_iter().map(|found| self.back.original_diagnostic(found)));
        let line = |at: u32| self.original.position_at(self.back.original_offset(at)).line;
        let to_change =
            |found: StepChange| MigrationChange { line: line(found.span.start), what: found.what };
        self.changes.extend(changes.into_iter().map(to_change));
        self.notes.extend(notes.into_iter().map(to_change));
        match text {
            Some(text) => {
                self.back.push_edits(&edits);
                self.now = Arc::new(self.now.with_text(text));
            }
            None => {
                self.refuse_migration(
                    self.original,
                    "the edits of this file overlap, which is a bug in kvrules",
                );
            }
        }
    }

    /// Repairs the JSON of annotations in an old form, where that is certain.
    fn repair_json(&mut self, documents: &[&Document<'_>], catalog: &Catalog) -> bool {
        let Some(found) = self.json_findings(documents, catalog) else { return false };
        if !found.iter().any(|found| is_offered(found, false)) {
            return false;
        }
        let accept = |_: &SourceFile, reading: &FileReading| {
            reading.diagnostics.iter().filter(|found| is_of_json(found)).cloned().collect()
        };
        let fixed = fix_file(&self.now, catalog, &FixOptions { unsafe_fixes: false, accept: &accept });
        if fixed.applied.is_empty() {
            return false;
        }
        for found in found.iter().filter(|found| is_offered(found, false)) {
            let line = self.original.position_at(self.back.original_offset(found.primary.span.start)).line;
            let what = found.fix.as_ref().map(|fix| fix.title.clone()).unwrap_or_default();
            self.changes.push(MigrationChange { line, what: format!("repaired the JSON: {what}") });
        }
        self.back.push_difference(self.now.text(), fixed.source.text());
        self.now = Arc::new(self.now.with_text(fixed.source.text()));
        true
    }

    /// The errors of JSON; empty if the file has nothing in an older form, so that they do not matter.
    fn json_findings(&self, documents: &[&Document<'_>], catalog: &Catalog) -> Option<Vec<Diagnostic>> {
        let is_broken = |found: &annotation::Annotation<'_>| {
            crate::is_old(found) && found.json().is_some_and(|json| !json.problems().is_empty())
        };
        let broken =
            documents.iter().any(|document| annotation::find_annotations(document).iter().any(is_broken));
        broken
            .then(|| read_rules_with(&self.now, catalog).diagnostics.into_iter().filter(is_of_json).collect())
    }

    /// Refuses what cannot be read to its end, for whatever is moved would be moved unread.
    fn refuse_unreadable(&mut self, file: &ParsedFile<'_>) {
        let found = governed_rules::find_unreadable(file);
        self.refusals.extend(found.into_iter().map(|found| self.back.original_diagnostic(found)));
    }

    fn prove_equivalence(
        &mut self,
        source: &SourceFile,
        after: &GovernedRules,
        catalog: &Catalog,
    ) -> EquivalenceProof {
        let before = match &self.sound {
            Some(before) if self.refusals.is_empty() && !self.changes.is_empty() => before,
            _ => return EquivalenceProof::default(),
        };
        match proof::prove_equivalence(before, after, catalog) {
            Ok(proof) => proof,
            Err(why) => {
                self.refuse_migration(source, &why);
                EquivalenceProof::default()
            }
        }
    }

    fn refuse_migration(&mut self, source: &SourceFile, why: &str) {
        let span = kvrules_diagnostics::Span::new(source.id(), 0, 0);
        let help = "leave the file as it is and report the bug";
        self.refusals.push(Diagnostic::refused_input(REFUSAL, span, why).with_help(help));
    }

    fn into_migration(self, proof: EquivalenceProof) -> Migration {
        let Self { original, now, changes, notes, mut refusals, .. } = self;
        if refusals.is_empty() {
            let text = now.text().to_owned();
            return Migration { text, changes, notes, refusals, proof };
        }
        refusals.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        refusals.dedup();
        let text = original.text().to_owned();
        Migration {
            text,
            changes: Vec::new(),
            notes: Vec::new(),
            refusals,
            proof: EquivalenceProof::default(),
        }
    }
}

/// A step that stays clear of template tags, or the refusal of one that does not.
fn render_step(document: &Document<'_>, step: MigrationStep) -> MigrationStep {
    let Some(template) = document.template() else { return step };
    let unclear = |edit: &&Edit| {
        template.touches_span(edit.span) || template.is_open(edit.span) || template.is_conditional(edit.span)
    };
    let Some(edit) = step.edits.iter().find(unclear) else { return step };
    let place = template.first_tag_in(edit.span).unwrap_or(edit.span);
    let why = "template tags affect what would be migrated here";
    let help = "migrate the rendered template, or edit this by hand";
    let refusal = Diagnostic::refused_input(REFUSAL, place, why).with_help(help);
    MigrationStep { refusals: vec![refusal], ..MigrationStep::default() }
}

fn is_of_json(found: &Diagnostic) -> bool {
    found.name.starts_with("json_")
}
