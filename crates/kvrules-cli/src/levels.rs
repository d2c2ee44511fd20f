//! Levels of findings: which are shown, and which make a run fail.

use clap::{Args, ValueEnum};
use kvrules::{Diagnostic, Level};

/// Options about levels of findings.
#[derive(Debug, Args)]
pub(crate) struct LevelArgs {
    /// Minimum level of findings to show; the summary counts the others [default: warning, or that of --fail-on if it is lower]
    #[arg(long, value_name = "LEVEL", value_enum)]
    level: Option<MinimumLevel>,
    /// Minimum level of findings that makes the exit status 1
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "error")]
    fail_on: FailOn,
}

/// The lowest level that is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MinimumLevel {
    Error,
    Warning,
    Info,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl LevelArgs {
    /// True if a finding of this level makes the run fail.
    pub(crate) fn fails(&self, level: Level) -> bool {
        match self.fail_on {
            FailOn::Error => level >= Level::Error,
            FailOn::Warning => level >= Level::Warning,
            FailOn::Info => level >= Level::Info,
            FailOn::Never => false,
        }
    }

    /// The worst level that passes.
    pub(crate) fn passing(&self) -> Option<Level> {
        [Level::Error, Level::Warning, Level::Info].into_iter().find(|level| !self.fails(*level))
    }

    /// The lowest level that is shown. Findings that make the exit status 1 are shown unless an option hides them.
    pub(crate) fn lowest(&self) -> Level {
        let usual = if self.fails(Level::Info) { Level::Info } else { Level::Warning };
        match self.level {
            None => usual,
            Some(level) => level.to_level(),
        }
    }
}

impl MinimumLevel {
    /// The level.
    pub(crate) fn to_level(self) -> Level {
        match self {
            Self::Error => Level::Error,
            Self::Warning => Level::Warning,
            Self::Info => Level::Info,
        }
    }
}

/// Returns a hint on how to show the hidden findings.
pub(crate) fn hidden_findings_hint(hidden: &[Diagnostic]) -> String {
    let has = |level: Level| hidden.iter().any(|found| found.level == level);
    match (has(Level::Warning), has(Level::Info)) {
        (false, false) => String::new(),
        (true, false) => "; `--level warning` shows the warnings".to_owned(),
        (false, true) => "; `--level info` shows the notes".to_owned(),
        (true, true) => "; `--level info` shows all of them".to_owned(),
    }
}
