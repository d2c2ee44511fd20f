//! Requested inputs, and whether they contain anything that the command applies to: a run over nothing is not a success.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kvrules::{FileContents, Operation, UnitKind, all_unit_kinds, unit_kinds_of};

use crate::sentences::{count_noun, join_words};
use crate::terminal::Terminal;

/// An input of the command line or the configuration, and its files.
#[derive(Clone, Debug)]
pub(crate) struct RequestedInput {
    /// The file, directory or pattern as it was written.
    pub(super) name: String,
    /// True if it names one file, or standard input.
    pub(super) is_named: bool,
    /// The names of its files.
    pub(super) files: Vec<String>,
}

/// Inputs without anything that a command applies to.
#[derive(Debug, Default)]
pub(crate) struct VacantInputs<'a> {
    inputs: Vec<VacantInput<'a>>,
    is_allowed: bool,
}

#[derive(Debug)]
struct VacantInput<'a> {
    requested: &'a RequestedInput,
    /// Message about it, before "in this file".
    message: String,
    help: String,
}

impl<'a> VacantInputs<'a> {
    /// Returns the inputs without any file that `is_known`, with the same message for each. `is_allowed` accepts them.
    pub(crate) fn new(
        requested: &'a [RequestedInput],
        is_allowed: bool,
        (nothing, help): (&str, &str),
        is_known: impl Fn(&str) -> bool,
    ) -> Self {
        let is_vacant = |requested: &&RequestedInput| !requested.files.iter().any(|file| is_known(file));
        let vacant =
            |requested| VacantInput { requested, message: nothing.to_owned(), help: help.to_owned() };
        Self { inputs: requested.iter().filter(is_vacant).map(vacant).collect(), is_allowed }
    }

    /// Returns the inputs without any unit that an operation applies to. Files without contents were reported otherwise.
    pub(crate) fn of_operation<'c>(
        requested: &'a [RequestedInput],
        is_allowed: bool,
        operation: Operation,
        contents: impl Fn(&str) -> Option<&'c FileContents>,
    ) -> Self {
        let vacant = |requested: &'a RequestedInput| {
            let (mut subjects, mut is_broken) = (BTreeSet::new(), false);
            for file in &requested.files {
                let contents = contents(file)?;
                // A file with syntax errors may have been anything. Commands that do not show these errors must not be silent about it.
                let is_unrecognised =
                    contents.is_broken && contents.units.is_empty() && !shows_syntax_errors(operation);
                is_broken |= is_unrecognised;
                if !is_unrecognised && contents.has_input_of(operation) {
                    return None;
                }
                subjects.extend(contents.units.iter().map(|unit| unit.kind.subject));
            }
            let subjects: Vec<_> = subjects.into_iter().collect();
            let message = inapplicable_message(operation, &subjects);
            let help = if is_broken && subjects.is_empty() {
                "`kvrules check` reports its syntax errors".to_owned()
            } else {
                vacant_help(operation, &subjects)
            };
            Some(VacantInput { requested, message, help })
        };
        Self { inputs: requested.iter().filter_map(vacant).collect(), is_allowed }
    }

    /// True if this makes a run fail.
    pub(crate) fn is_fault(&self) -> bool {
        !self.inputs.is_empty() && !self.is_allowed
    }

    /// Reports an error for each file that is named, and a warning for each directory or pattern.
    pub(crate) fn report_vacant(&self, terminal: &Terminal) {
        if self.is_allowed {
            return;
        }
        for (index, VacantInput { requested, message, help }) in self.inputs.iter().enumerate() {
            let is_last = self.inputs.get(index + 1).is_none_or(|next| next.help != *help);
            let help = is_last.then_some(help.as_str());
            if requested.is_named {
                terminal.error(&format!("{}: {message} in this file", requested.name), help);
            } else {
                let files = count_noun(requested.files.len(), "file");
                terminal.warning(&format!("{}: {message} in {files}", requested.name), help);
            }
        }
    }
}

/// True if the command of an operation shows the syntax errors of its inputs.
fn shows_syntax_errors(operation: Operation) -> bool {
    !matches!(operation, Operation::Format | Operation::Migrate | Operation::EstimateCost)
}

/// Says that an operation applies to nothing in an input with units of these subjects.
pub(crate) fn inapplicable_message(operation: Operation, subjects: &[&str]) -> String {
    if subjects.is_empty() {
        return "nothing recognized".to_owned();
    }
    format!("`{}` does not apply to the {}", operation.command(), join_words(subjects, "or"))
}

/// As [`applicable_help`], for a command with `--allow-empty`.
pub(super) fn vacant_help(operation: Operation, subjects: &[&str]) -> String {
    let help = applicable_help(operation, subjects);
    if subjects.is_empty() { help + "; `--allow-empty` accepts inputs without them" } else { help }
}

/// True for units that users write on purpose, unlike documents whose kind is an error.
fn is_wanted(kind: &UnitKind) -> bool {
    !kind.is_unchecked() && !kind.is_error()
}

/// Explains what an operation applies to, and which commands apply to units of these subjects instead.
pub(crate) fn applicable_help(operation: Operation, subjects: &[&str]) -> String {
    if subjects.is_empty() {
        let known = subjects_of(all_unit_kinds().filter(|kind| is_wanted(kind)));
        let known = join_words(&known, "and");
        return format!("kvrules reads {known}");
    }
    let own = join_words(&subjects_of(unit_kinds_of(operation)), "and");
    let mut help = format!("`{}` applies to {own}", operation.command());
    if let [subject] = subjects {
        let has_subject = |kind: &&UnitKind| kind.subject == *subject;
        let operations = all_unit_kinds().find(has_subject).map_or(&[][..], |kind| kind.operations);
        let commands = operations.iter().filter(|operation| **operation != Operation::CheckUpdate);
        let commands: Vec<String> = commands
            .enumerate()
            .map(|(index, operation)| {
                let command = operation.command();
                let short = command.strip_prefix("kvrules ").filter(|_| index > 0);
                format!("`{}`", short.unwrap_or(command))
            })
            .collect();
        if !commands.is_empty() {
            let verb = if commands.len() == 1 { "applies" } else { "apply" };
            let _ = write!(help, "; {} {verb} to {subject}", join_words(&commands, "and"));
        }
    }
    help
}

/// The subjects of kinds of units, each once.
fn subjects_of(kinds: impl Iterator<Item = &'static UnitKind>) -> Vec<&'static str> {
    kinds.map(|kind| kind.subject).collect::<BTreeSet<_>>().into_iter().collect()
}
