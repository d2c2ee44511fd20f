//! Options that select the findings that count.

use std::path::PathBuf;

use clap::Args;
use kvrules::select::{Grade, LintChoice, Selector};

/// Selection and severity of findings.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Selection of findings")]
pub(super) struct SelectArgs {
    /// Report only these lints: codes, beginnings of codes such as `KV3`, names, or ALL; instead of the configuration's `select`
    /// and `ignore`
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = parse_selector)]
    select: Option<Vec<Selector>>,
    /// Ignore these lints; if --select names a lint too, the more specific entry counts
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = parse_selector)]
    ignore: Vec<Selector>,
    /// Severity of a lint: error, warning, info or off
    #[arg(long, value_name = "CODE=LEVEL", value_delimiter = ',', value_parser = parse_severity)]
    severity: Vec<(Selector, Grade)>,
    /// Hide findings that this file accepts [default: the configuration's]
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Accept the findings that would be shown: write them to the baseline
    #[arg(long, conflicts_with = "watch")]
    pub(super) write_baseline: bool,
}

impl SelectArgs {
    pub(super) fn choice(&self) -> LintChoice {
        LintChoice {
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            severity: self.severity.clone(),
        }
    }
}

fn parse_selector(text: &str) -> Result<Selector, String> {
    text.parse()
        .map_err(|unknown: kvrules::select::UnknownSelector| format!("{}; {}", unknown.message, unknown.help))
}

fn parse_severity(text: &str) -> Result<(Selector, Grade), String> {
    let (code, word) = text.split_once('=').ok_or("write it as `KV301=warning`")?;
    let grade = Grade::ALL.into_iter().find(|grade| grade.as_str() == word.trim());
    let grade =
        grade.ok_or_else(|| format!("unknown level `{word}`, expected error, warning, info or off"))?;
    Ok((parse_selector(code)?, grade))
}
