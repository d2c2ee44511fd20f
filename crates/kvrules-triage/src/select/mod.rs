//! Selection of the findings that count: by code, by file, by severity, and by ignores next to them in the text.
//!
//! A [`LintSelection`] is what the configuration and the command line choose. [`LintSelection::select_findings`] holds a [`FileReading`] against it
//! and against the ignores in the text, and returns the treatment of each finding; no finding is lost. A [`Baseline`]
//! then takes out what was there before.
//!
//! ```
//! use kvrules::select::{LintChoice, LintSelection};
//! use kvrules::{FileId, SourceFile};
//!
//! let text = r#"
//! vm.kubevirt.io/validations: |
//!   [{
//!     "name": "cores", "rule": "integer", "message": "at most 8 cores", "colour": "red",
//!     "path": "jsonpath::.spec.domain.cpu.cores", "max": 8, "x-kvrules-ignore": "KV303"
//!   }]
//! "#;
//! let source = SourceFile::new(FileId(0), "rules.yaml", text);
//! let reading = kvrules::read_rules(&source);
//! let codes = |found: &[kvrules::Diagnostic]| found.iter().map(|found| found.code).collect::<Vec<_>>();
//! assert_eq!(codes(&reading.diagnostics), ["KV106", "KV303"]);
//!
//! let selected = LintSelection::default().select_findings(&reading, &source, None);
//! assert_eq!((codes(&selected.shown), codes(&selected.ignored)), (vec!["KV106"], vec!["KV303"]));
//!
//! let no_keys = LintChoice { ignore: vec!["unknown_key".parse().unwrap()], ..LintChoice::default() };
//! let selected = LintSelection::new(&[no_keys], Vec::new()).select_findings(&reading, &source, None);
//! assert!(selected.shown.is_empty());
//! ```

mod apply;
mod baseline;
mod codes;
mod inline;
mod lint_set;
mod pattern;

use std::path::Path;

use kvrules_diagnostics::{Diagnostic, Level, Lint, SourceFile};
use kvrules_sources::FileReading;
use serde::{Deserialize, Serialize};

pub use baseline::{Baseline, BaselineFile, BaselineSplit};
pub use codes::{Selector, UnknownSelector};
pub use kvrules_sources::{IgnoreDirective, IgnoreEntry, IgnoreFault};
pub use pattern::{FilePattern, PatternError};

use crate::registry::LINTS;
use lint_set::{LintSet, index_of};

/// Choice of lints from one source, the configuration or the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintChoice {
    /// The lints that count, and no others.
    pub select: Option<Vec<Selector>>,
    /// Lints that do not count.
    pub ignore: Vec<Selector>,
    /// Severities of their findings.
    pub severity: Vec<(Selector, Grade)>,
}

/// Severity to give the findings of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As bad as an error.
    Error,
    /// As bad as a warning.
    Warning,
    /// A note.
    Info,
    /// They do not count.
    Off,
}

impl Grade {
    /// Every grade, the worst first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Info, Self::Off];

    /// Returns its name in a configuration: `error`, `warning`, `info` or `off`.
    ///
    /// ```
    /// use kvrules::select::Grade;
    ///
    /// assert_eq!(Grade::ALL.map(Grade::as_str), ["error", "warning", "info", "off"]);
    /// ```
    pub fn as_str(self) -> &'static str {
        self.to_level().map_or("off", Level::as_str)
    }

    /// Returns the level; `None` for findings that do not count.
    ///
    /// ```
    /// use kvrules::{Level, select::Grade};
    ///
    /// assert_eq!(Grade::Info.to_level(), Some(Level::Info));
    /// assert_eq!(Grade::Off.to_level(), None);
    /// ```
    pub fn to_level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Info => Some(Level::Info),
            Self::Off => None,
        }
    }
}

/// Lints that do not count in some files.
#[derive(Clone, Debug)]
pub struct PerFileIgnores {
    /// The files.
    pub files: FilePattern,
    /// The lints.
    pub ignore: Vec<Selector>,
}

/// Selection of the lints that count, with their severity and files.
///
/// Of what one place says, the selector that describes a lint most closely decides: a code or name before a prefix, a
/// longer prefix before a shorter one, any of them before `ALL`. Between equals `ignore` wins.
#[derive(Clone, Debug)]
pub struct LintSelection {
    /// For each lint of the registry: whether it counts.
    on: LintSet,
    /// For each lint of the registry: the level of its findings, where one was chosen.
    levels: Vec<Option<Level>>,
    per_file: Vec<(FilePattern, LintSet)>,
}

/// Findings in a file after selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedFindings {
    /// Those that count, with what there is to say about the ignores of the file; in the order of the text.
    pub shown: Vec<Diagnostic>,
    /// Those that an ignore in the file is for.
    pub ignored: Vec<Diagnostic>,
    /// Those that were not selected, for this file or at all.
    pub unselected: Vec<Diagnostic>,
}

impl Default for LintSelection {
    /// Everything counts, as much as its lint says.
    fn default() -> Self {
        Self::new(&[], Vec::new())
    }
}

impl LintSelection {
    /// Creates the selection that results from the choices. Each is more important than those before it: its `select`
    /// replaces all that they select, and without one it is added on top of them.
    ///
    /// ```
    /// use kvrules::select::{LintChoice, LintSelection};
    /// use kvrules::{FileId, SourceFile};
    ///
    /// let source = SourceFile::new(FileId(0), "a.yaml", "validations: '[]'\n");
    /// let reading = kvrules::read_rules(&source);
    /// let choice = |code: &str| LintChoice { select: Some(vec![code.parse().unwrap()]), ..LintChoice::default() };
    /// let count = |choices: &[LintChoice]| {
    ///     LintSelection::new(choices, Vec::new()).select_findings(&reading, &source, None).shown.len()
    /// };
    /// assert_eq!((count(&[choice("KV1")]), count(&[choice("KV1"), choice("KV3")])), (1, 0));
    /// ```
    pub fn new(choices: &[LintChoice], per_file: Vec<PerFileIgnores>) -> Self {
        let mut selection = Self {
            on: LintSet::from_predicate(|_| true),
            levels: vec![None; LINTS.len()],
            per_file: per_file.into_iter().map(|one| (one.files, covered_lints(&one.ignore))).collect(),
        };
        for choice in choices {
            selection.add_choice(choice);
        }
        selection
    }

    fn add_choice(&mut self, choice: &LintChoice) {
        let mut on = LintSet::empty_set();
        for (index, (lint, level)) in LINTS.iter().zip(&mut self.levels).enumerate() {
            if is_on(lint, choice, self.on.has_index(index)) {
                on.add_index(index);
            }
            let chosen = find_closest_grade(lint, &choice.severity).and_then(|(_, grade)| grade.to_level());
            *level = chosen.or(*level);
        }
        self.on = on;
    }

    /// Applies the selection to the findings in a file. `path` is the file relative to the base of the patterns of files; `None` if
    /// the file is outside of it.
    ///
    /// ```
    /// use kvrules::{FileId, SourceFile, select::LintSelection};
    ///
    /// let text = "# kvrules: ignore[KV111] rules follow\nvalidations: '[]'\n# kvrules: ignore[KV301]\n";
    /// let source = SourceFile::new(FileId(0), "a.yaml", text);
    /// let selected = LintSelection::default().select_findings(&kvrules::read_rules(&source), &source, None);
    /// let names = |found: &[kvrules::Diagnostic]| found.iter().map(|found| found.name).collect::<Vec<_>>();
    /// assert_eq!(names(&selected.ignored), ["empty_annotation"]);
    /// assert_eq!(names(&selected.shown), ["unused_ignore"]);
    /// ```
    pub fn select_findings(
        &self,
        reading: &FileReading,
        source: &SourceFile,
        path: Option<&Path>,
    ) -> SelectedFindings {
        apply::select_findings(self, reading, source, path)
    }

    /// The lints that count in a file.
    fn of_file(&self, path: Option<&Path>) -> LintSet {
        let matching = self.per_file.iter().filter(|(files, _)| path.is_some_and(|path| files.matches(path)));
        let mut off = LintSet::empty_set();
        for (_, lints) in matching {
            off.add_all(lints);
        }
        self.on.difference_with(&off)
    }

    /// The level that was chosen for a lint.
    fn level_of_lint(&self, index: usize) -> Option<Level> {
        self.levels.get(index).copied().flatten()
    }
}

/// True if a lint counts after a choice; `before` is true if it counted without it.
fn is_on(lint: &Lint, choice: &LintChoice, before: bool) -> bool {
    let close = |selectors: &[Selector]| {
        selectors.iter().filter(|selector| selector.covers_lint(lint)).map(Selector::closeness).max()
    };
    let (graded, off) = match find_closest_grade(lint, &choice.severity) {
        Some((closeness, grade)) => (Some(closeness), grade == Grade::Off),
        None => (None, false),
    };
    let ignored = close(&choice.ignore).max(graded.filter(|_| off));
    match &choice.select {
        Some(select) => {
            close(select).is_some_and(|selected| ignored.is_none_or(|ignored| selected > ignored))
        }
        None => before && ignored.is_none(),
    }
}

/// The grade that is chosen most closely for a lint; of equals the last.
fn find_closest_grade(lint: &Lint, severity: &[(Selector, Grade)]) -> Option<(usize, Grade)> {
    let covering = severity.iter().filter(|(selector, _)| selector.covers_lint(lint));
    covering.map(|(selector, grade)| (selector.closeness(), *grade)).max_by_key(|(closeness, _)| *closeness)
}

/// The lints that any of the selectors is for.
fn covered_lints(selectors: &[Selector]) -> LintSet {
    LintSet::from_predicate(|lint| selectors.iter().any(|selector| selector.covers_lint(lint)))
}

#[cfg(test)]
mod tests;
