//! Options for losses, and the report of losses.

use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::loss::{Loss, LossPolicy, LossReport};
use kvrules::render::json_text;
use kvrules::{ElaboratedSet, TargetOutput};

use crate::failure::Failure;
use crate::options::loss_parser;
use crate::outputs::replace_file;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error};

/// Options about losses.
#[derive(Debug, Args)]
pub(in crate::commands) struct LossArgs {
    /// Level of a rule that a target does not express exactly [default: the configuration's, else error for narrower or
    /// incomparable, and warn for wider or unsupported]
    #[arg(long, value_name = "LEVEL", value_parser = loss_parser())]
    loss: Option<Loss>,
    /// Write the fidelity of each target to each rule to this file, as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    loss_report: Option<PathBuf>,
}

impl LossArgs {
    /// Reports the fidelity of each output to each rule, graded by the options, or else by the configuration.
    pub(super) fn report(
        &self,
        settings: &Settings,
        sets: &[ElaboratedSet],
        outputs: &[TargetOutput],
    ) -> LossReport {
        let configured = || kvrules::configured_losses(&settings.config);
        let policy = self.loss.map_or_else(configured, LossPolicy::for_all_targets);
        LossReport::new(sets, outputs, &policy)
    }

    /// True if the report goes to standard output.
    pub(super) fn is_printed(&self) -> bool {
        self.loss_report.as_deref() == Some(Path::new("-"))
    }

    /// Writes the report to the requested file.
    pub(super) fn write(&self, report: &LossReport, terminal: &mut Terminal) -> Result<(), Failure> {
        let Some(path) = &self.loss_report else { return Ok(()) };
        let text =
            serde_json::to_string_pretty(report).map_err(|error| Failure::new(error.to_string()))? + "\n";
        if self.is_printed() {
            terminal.print(&json_text(&text))
        } else {
            replace_file(path, &json_text(&text))
        }
    }
}

/// Says that nothing is written, and what to do about it.
pub(super) fn report_refusal(report: &LossReport, terminal: &Terminal) {
    let paint = terminal.paint_error();
    let rules = count_noun(report.error_count(), "rule");
    print_error(&format!(
        "{}: {rules} would change meaning in a target; nothing was written\n  \
         {}: `--loss warn` writes them anyway, `--target` selects other targets\n",
        paint.red("error"),
        paint.blue("help"),
    ));
}
