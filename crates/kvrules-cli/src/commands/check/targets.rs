//! Targets that the rules are checked against, in addition to the checks of the rules themselves.

use clap::Args;
use kvrules::Emitter;
use kvrules::check::CheckedTargets;

use crate::failure::Failure;
use crate::options::SubjectArgs;
use crate::settings::Settings;
use crate::targets::{TargetNameParser, name_of, options_in};

/// Selection of targets to check rules for.
#[derive(Debug, Default, Args)]
pub(super) struct TargetsArgs {
    /// Report rules that these targets, or `all`, do not express exactly; `TARGET:NAME=VALUE` also sets an option [default: the
    /// configuration's targets, if any]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = TargetNameParser, hide_possible_values = true)]
    target: Vec<String>,
}

impl TargetsArgs {
    /// The targets of the command line, or else of the configuration. `None` if neither names any.
    pub(super) fn targets(
        &self,
        subject: &SubjectArgs,
        settings: &Settings,
    ) -> Result<Option<CheckedTargets>, Failure> {
        let requested: Vec<&str> = self.target.iter().map(|requested| name_of(requested)).collect();
        let is_named = |target: &&&Emitter| requested.contains(&target.name) || requested.contains(&"all");
        let mut targets: Vec<_> = kvrules::all_targets().iter().filter(is_named).copied().collect();
        if targets.is_empty() {
            targets = kvrules::configured_targets(&settings.config);
        }
        if targets.is_empty() {
            return Ok(None);
        }
        let chosen: Vec<&str> = targets.iter().map(|target| target.name).collect();
        let mut options = kvrules::configured_options(&settings.config);
        options.extend(options_in(&self.target, &chosen)?);
        let policy = kvrules::configured_losses(&settings.config);
        let about = settings.about(subject)?;
        let schema = about.schema().map(|file| file.with_text(file.text()));
        Ok(Some(CheckedTargets {
            targets,
            options,
            policy,
            catalog: about.catalog,
            schema,
            schema_choice: about.choice,
            servers: settings.kubernetes(),
        }))
    }
}
