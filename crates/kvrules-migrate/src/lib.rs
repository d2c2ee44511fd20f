//! Old forms of the annotation to the new one, as edits, and the one layout of its JSON.
//!
//! A migration is a few steps over a document, each of which gives edits and says what they do: [`fix_indentation`] repairs the
//! accident of indentation that the published text of 201901 has, [`rewrite_rules`] brings the keys and paths of each rule into the
//! form of 201902, [`relocate_annotation`] moves the annotation from the template to the VirtualMachine that its rules govern.
//! [`migrate_file`] applies the edits of one step, parses again, and goes on until no step has anything left to do; then it proves
//! that the rules mean what they meant. What was not meant to change keeps every byte: there is no printer of YAML here.
//!
//! A change that cannot be made with certainty is a refusal, and a file with a refusal is left alone.

mod append_rules;
mod detached_value;
mod file_migration;
mod format;
mod format_file;
mod indent;
mod indentation;
mod insert;
mod lines;
mod move_obstacle;
mod relocate;
mod renamed_fields;
mod rewrite;

pub use file_migration::{
    EquivalenceProof, MeaningChange, Migration, MigrationChange, MigrationOutcome, migrate_file,
};
pub use format::{FORMAT, FormatResult, canonical_rules, format_annotations};
pub use format_file::{FormattedFile, format_file};
pub use indentation::fix_indentation;
pub use relocate::relocate_annotation;
pub use rewrite::{is_old, rewrite_rules};

use kvrules_diagnostics::{Diagnostic, Edit, Span};

/// Options for the changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MigrationOptions {
    /// Paths of fields that KubeVirt reads under a newer name become that name. This changes which field a rule looks at.
    pub paths: bool,
}

/// Result of one step on a document.
#[derive(Debug, Default)]
pub struct MigrationStep {
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
    /// Descriptions of the edits, in the order of the text.
    pub changes: Vec<StepChange>,
    /// Changes that the user must make by hand, because of another change.
    pub notes: Vec<StepChange>,
    /// Parts that cannot be migrated, with the reasons.
    pub refusals: Vec<Diagnostic>,
}

/// One thing that a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepChange {
    /// Location, in the text before the step.
    pub span: Span,
    /// Description of the change, in the past tense and without a final stop.
    pub what: String,
}

/// The name under which refusals appear among other findings.
pub const REFUSAL: &str = "migrate";

impl MigrationStep {
    /// True if the step has no edits and no refusals.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.refusals.is_empty()
    }

    /// Takes over another step of the same text.
    pub fn extend_with(&mut self, other: Self) {
        self.edits.extend(other.edits);
        self.changes.extend(other.changes);
        self.notes.extend(other.notes);
        self.refusals.extend(other.refusals);
    }

    fn change(&mut self, span: Span, what: impl Into<String>) {
        self.changes.push(StepChange { span, what: what.into() });
    }

    fn refuse(&mut self, span: Span, why: impl Into<String>, help: &str) {
        self.refusals.push(Diagnostic::refused_input(REFUSAL, span, why).with_help(help));
    }
}
