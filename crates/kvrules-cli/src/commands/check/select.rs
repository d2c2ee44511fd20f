//! Options that select the findings that count.

use std::path::PathBuf;

use clap::Args;
use kvrules::select::{Choice, Grade, Selector};

/// Which findings count, and how much.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which findings count")]
pub(super) struct SelectArgs {
    /// Only these lints count: codes, beginnings of codes such as `KV3`, names, or ALL; instead of the configuration's
    /// `select` and `ignore`
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = selector)]
    select: Option<Vec<Selector>>,
    /// These lints do not count; of a lint named by both, the closer entry decides
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = selector)]
    ignore: Vec<Selector>,
    /// How bad the findings of a lint are: error, warning, info or off
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', value_parser = severity)]
    severity: Vec<(Selector, Grade)>,
    /// Do not show the findings that this file accepts [default: the configuration's]
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Accept what would be shown: write it to the baseline
    #[arg(long, conflicts_with = "watch")]
    pub(super) write_baseline: bool,
}

impl SelectArgs {
    pub(super) fn choice(&self) -> Choice {
        Choice { select: self.select.clone(), ignore: self.ignore.clone(), severity: self.severity.clone() }
    }
}

fn selector(text: &str) -> Result<Selector, String> {
    text.parse()
        .map_err(|unknown: kvrules::select::UnknownSelector| format!("{}; {}", unknown.message, unknown.help))
}

fn severity(text: &str) -> Result<(Selector, Grade), String> {
    let (code, word) = text.split_once('=').ok_or("write it as `KV301=warning`")?;
    let grade = Grade::ALL.into_iter().find(|grade| grade.as_str() == word.trim());
    let grade =
        grade.ok_or_else(|| format!("`{word}` is no level; the levels are error, warning, info and off"))?;
    Ok((selector(code)?, grade))
}
