//! Targets that the rules are checked against, in addition to the checks of the rules themselves.

use std::borrow::Cow;

use clap::Args;
use kvrules::crd::KubernetesVersions;
use kvrules::loss::LossPolicy;
use kvrules::{Emitter, FileReading, Options, Request};

use crate::failure::Failure;
use crate::options::SubjectArgs;
use crate::settings::{RuleSubject, Settings};
use crate::targets::{TargetNameParser, name_of, options_in};

/// Selection of targets to check rules for.
#[derive(Debug, Args)]
pub(super) struct TargetsArgs {
    /// Report rules that these targets, or `all`, do not express exactly; `TARGET:NAME=VALUE` also sets an option [default: the
    /// configuration's targets, if any]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = TargetNameParser, hide_possible_values = true)]
    target: Vec<String>,
}

/// The targets, and what they need to be made.
#[derive(Debug)]
pub(super) struct Targets {
    chosen: Vec<&'static Emitter>,
    options: Options,
    policy: LossPolicy,
    about: RuleSubject,
    servers: KubernetesVersions,
}

impl TargetsArgs {
    /// The targets of the command line, or else of the configuration. `None` if neither names any.
    pub(super) fn targets(
        &self,
        subject: &SubjectArgs,
        settings: &Settings,
    ) -> Result<Option<Targets>, Failure> {
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
        Ok(Some(Targets {
            chosen: targets,
            options,
            policy,
            about: settings.about(subject)?,
            servers: settings.kubernetes(),
        }))
    }
}

impl Targets {
    /// Returns the reading of a file, with the losses of the targets among its findings.
    pub(super) fn heeded<'r>(&self, reading: &'r FileReading) -> Cow<'r, FileReading> {
        let sets = kvrules::merge_rule_sets(reading.sets.clone());
        let request = Request {
            subject: self.about.catalog.subject(),
            schema: self.about.schema(),
            schema_choice: self.about.choice.as_deref(),
            options: &self.options,
            servers: self.servers,
            ..Request::for_virtual_machines(&sets)
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
