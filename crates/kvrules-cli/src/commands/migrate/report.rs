//! The report of a migration for programs.

use kvrules::SourceFile;
use kvrules::migrate::{EquivalenceProof, MigrationChange};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::run::{FileStanding, MigratedFile, MigrationRun};

/// Result of the migration of each file, and the proof that the meaning of its rules is unchanged.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(title = "Migration by kvrules", deny_unknown_fields)]
pub(crate) struct MigrationReport {
    /// The files, in the order in which they were named.
    files: Vec<FileReport>,
    /// The files that could not be read.
    unread: Vec<UnreadReport>,
}

/// A file.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct FileReport {
    /// Its name.
    file: String,
    /// Result: `current` needs no change, `pending` would change, `written` has changed, `held-back` would change verdicts,
    /// `refused` cannot be migrated, `unwritten` could not be written.
    #[schemars(extend("enum" = ["current", "pending", "written", "held-back", "refused", "unwritten"]))]
    outcome: &'static str,
    /// The changes that were made or would be made.
    changes: Vec<Line>,
    /// Steps to do by hand.
    notes: Vec<Line>,
    /// Reasons against a migration; if there are any, the file is unchanged.
    refusals: Vec<Refusal>,
    /// The reason why it could not be written.
    unwritten: Option<String>,
    /// Comparison of the rules before and after; unset if nothing changes.
    proof: Option<ProofReport>,
}

/// A note about a line.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Line {
    /// The line of the file as it was, from 1.
    line: u32,
    /// The note, in a sentence.
    what: String,
}

/// Something that cannot be migrated.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Refusal {
    /// The line, from 1.
    line: u32,
    /// The column in characters, from 1.
    column: u32,
    /// The reason.
    message: String,
    /// Advice on what to do.
    help: Option<String>,
}

/// The comparison of the rules before and after.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct ProofReport {
    /// Number of compared rules, counted once for each VirtualMachine that they apply to.
    rules: usize,
    /// Number of objects that they were compared on.
    objects: usize,
    /// The rules whose verdicts change.
    departures: Vec<DepartureReport>,
}

/// A rule whose verdict changes.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct DepartureReport {
    /// Its name.
    rule: String,
    /// An object that shows it; unset if none was found.
    object: Option<Value>,
    /// The verdict for the object before.
    before: String,
    /// The verdict for the object after.
    after: String,
}

/// A file that could not be read.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct UnreadReport {
    /// Its name.
    file: String,
    /// The reason.
    message: String,
}

impl MigrationReport {
    /// The report of a run.
    pub(super) fn of(run: &MigrationRun) -> Self {
        let unread = run
            .unread
            .iter()
            .map(|unread| UnreadReport { file: unread.name.clone(), message: unread.message.clone() });
        Self {
            files: run.each().map(|(source, file)| of_file(source, file)).collect(),
            unread: unread.collect(),
        }
    }
}

fn of_file(source: &SourceFile, file: &MigratedFile) -> FileReport {
    let migration = &file.migration;
    let refusals = migration.refusals.iter().map(|found| {
        let at = source.position_at(found.primary.span.start);
        Refusal { line: at.line, column: at.column, message: found.message.clone(), help: found.help.clone() }
    });
    let unwritten = match &file.standing {
        FileStanding::WriteFailed(why) => Some(why.message.clone()),
        _ => None,
    };
    FileReport {
        file: source.name().to_owned(),
        outcome: standing_word(&file.standing),
        changes: migration.changes.iter().map(change_line).collect(),
        notes: migration.notes.iter().map(change_line).collect(),
        refusals: refusals.collect(),
        unwritten,
        proof: (!migration.changes.is_empty()).then(|| proof_report(&migration.proof)),
    }
}

fn standing_word(standing: &FileStanding) -> &'static str {
    match standing {
        FileStanding::Current => "current",
        FileStanding::Pending => "pending",
        FileStanding::Written { .. } => "written",
        FileStanding::VerdictsChange => "held-back",
        FileStanding::Refused => "refused",
        FileStanding::WriteFailed(_) => "unwritten",
    }
}

fn change_line(change: &MigrationChange) -> Line {
    Line { line: change.line, what: change.what.clone() }
}

fn proof_report(proof: &EquivalenceProof) -> ProofReport {
    let departures = proof.departures.iter().map(|departure| DepartureReport {
        rule: departure.rule.clone(),
        object: departure.object.clone(),
        before: departure.before.to_owned(),
        after: departure.after.to_owned(),
    });
    ProofReport { rules: proof.rules, objects: proof.objects, departures: departures.collect() }
}
