//! Which targets the rules are checked against, beside what they say by themselves.

use std::borrow::Cow;

use clap::{Args, builder::PossibleValuesParser};
use kvrules::loss::LossPolicy;
use kvrules::{Emitter, Options, Reading, Request};

use crate::failure::Failure;
use crate::options::SubjectArgs;
use crate::settings::{About, Settings};

/// Which targets the rules are for.
#[derive(Debug, Args)]
pub(super) struct TargetsArgs {
    /// Find rules that these targets, or `all`, do not say exactly [default: the configuration's targets, if it names any]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = names(), hide_possible_values = true)]
    target: Vec<String>,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(kvrules::targets().iter().map(|target| target.name).chain(["all"]))
}

/// The targets, and what they need to be made.
#[derive(Debug)]
pub(super) struct Targets {
    chosen: Vec<&'static Emitter>,
    options: Options,
    policy: LossPolicy,
    about: About,
}

impl TargetsArgs {
    /// The targets that the command line names, or else the configuration; none where nobody does.
    pub(super) fn targets(
        &self,
        subject: &SubjectArgs,
        settings: &Settings,
    ) -> Result<Option<Targets>, Failure> {
        let is_named =
            |target: &&&Emitter| self.target.iter().any(|name| name == target.name || name == "all");
        let mut targets: Vec<_> = kvrules::targets().iter().filter(is_named).copied().collect();
        if targets.is_empty() {
            targets = kvrules::configured_targets(&settings.config);
        }
        if targets.is_empty() {
            return Ok(None);
        }
        let options = kvrules::configured_options(&settings.config);
        let policy = kvrules::configured_losses(&settings.config);
        Ok(Some(Targets { chosen: targets, options, policy, about: settings.about(subject)? }))
    }
}

impl Targets {
    /// What became of a file, with what the targets do not say exactly among its findings.
    pub(super) fn heeded<'r>(&self, reading: &'r Reading) -> Cow<'r, Reading> {
        let sets = kvrules::unite(reading.sets.clone());
        let request = Request {
            subject: self.about.catalog.subject(),
            schema: self.about.schema(),
            schema_choice: self.about.choice.as_deref(),
            options: &self.options,
            ..Request::of(&sets)
        };
        let found = kvrules::lint_targets(&self.chosen, &request, &self.policy);
        if found.is_empty() {
            return Cow::Borrowed(reading);
        }
        let mut heeded = reading.clone();
        heeded.diagnostics.extend(found);
        heeded.diagnostics.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        Cow::Owned(heeded)
    }
}
