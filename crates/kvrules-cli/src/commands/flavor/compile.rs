//! `kvrules flavor compile`: definitions as a JSON Schema, or as files that Glance loads.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kvrules::Exactness;
use kvrules::extra_specs::{
    Definition, DefinitionRegistry, ValidationMode, definition_layers,
    glance::{MetadefLoss, write_metadefs},
    json_schema,
};
use serde_json::Value;

use super::own_definitions::DefinitionArgs;
use crate::commands::compile::outcome;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::outputs::{OutputRequest, WritePlan};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor compile --target json-schema --out-dir build/
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --definitions acme.yaml
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --check

Extra specs that a target cannot express exactly are reported on standard error: their number, fidelity and cause.

A file that kvrules did not write is overwritten only with --force.

Exit status: 0 written, or with --check up to date; 1 with --check, not up to date; 2 a file could not be read or written.";

/// Generate a JSON Schema of flavors, or Glance's metadata definitions, from definitions of extra specs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Compile {
    /// Target to compile to
    #[arg(long, value_name = "TARGET", value_enum)]
    target: Target,
    /// Directory to write to
    #[arg(long, value_name = "DIR")]
    out_dir: PathBuf,
    #[command(flatten)]
    definitions: DefinitionArgs,
    /// Leave out Nova's built-in definitions
    #[arg(long)]
    own_only: bool,
    /// Accept undefined keys in the JSON Schema
    #[arg(long)]
    permissive: bool,
    /// Prefix of the names of Glance's namespaces
    #[arg(long, value_name = "PREFIX", default_value = "OS::Compute::ExtraSpecs::")]
    namespace_prefix: String,
    /// Write nothing; list the files that would change, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Remove files of earlier runs that are no longer generated
    #[arg(long, conflicts_with = "check")]
    prune: bool,
    /// Overwrite files that kvrules did not write, and a damaged list of generated files
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    JsonSchema,
    GlanceMetadefs,
}

impl Compile {
    pub(super) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let given = self.definitions.read(&settings)?;
        given.report_problems(&[], terminal);
        if given.has_errors() {
            return Ok(Status::RunError);
        }
        let of_all = if self.own_only { given.layers } else { definition_layers(given.layers) };
        let definitions = DefinitionRegistry::new(of_all).in_force();
        let (files, losses) = self.make(&definitions);
        let plan = self.plan(files)?;
        if self.check {
            return outcome::print_check(&plan, "kvrules flavor compile", terminal);
        }
        plan.carry_out(self.prune, self.force)?;
        report_losses(&losses, definitions.len(), terminal);
        outcome::note_earlier(&plan, self.prune, terminal);
        outcome::say_written(&plan, std::slice::from_ref(&self.out_dir), terminal);
        Ok(Status::Clean)
    }

    fn plan(&self, files: Vec<(String, Value)>) -> Result<WritePlan, Failure> {
        let target = self.target.name();
        let wanted = files.into_iter().map(|(path, document)| OutputRequest {
            target,
            directory: self.out_dir.clone(),
            path,
            text: render_json(&document),
        });
        WritePlan::new(&[(target, self.out_dir.clone())], wanted.collect(), self.prune)
    }

    fn make(&self, definitions: &[Definition]) -> (Vec<(String, Value)>, Vec<MetadefLoss>) {
        match self.target {
            Target::JsonSchema => {
                let mode = if self.permissive { ValidationMode::Permissive } else { ValidationMode::Strict };
                let schema = json_schema(definitions, mode);
                (vec![("extra-specs.schema.json".to_owned(), schema.document)], schema.losses)
            }
            Target::GlanceMetadefs => {
                let made = write_metadefs(definitions, &self.namespace_prefix);
                (made.files.into_iter().map(|file| (file.name, file.document)).collect(), made.losses)
            }
        }
    }
}

impl Target {
    /// The name under which `kvrules compile` has the target too.
    fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::GlanceMetadefs => "glance-metadefs",
        }
    }
}

fn render_json(document: &Value) -> String {
    // A `Value` has string keys, so serializing it cannot fail.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Reports how exact the target is: the numbers, and each cause with how often it holds.
fn report_losses(losses: &[MetadefLoss], all: usize, terminal: &Terminal) {
    let mut causes: Vec<(Exactness, &str, Vec<&str>)> = Vec::new();
    for loss in losses {
        match causes.iter_mut().find(|(kind, cause, _)| (*kind, *cause) == (loss.kind, loss.cause)) {
            Some((_, _, names)) => names.push(&loss.definition),
            None => causes.push((loss.kind, loss.cause, vec![&loss.definition])),
        }
    }
    let inexact: std::collections::BTreeSet<_> = losses.iter().map(|loss| loss.definition.as_str()).collect();
    terminal.print_status(&format!(
        "{} of {} are expressed exactly",
        all - inexact.len(),
        count_noun(all, "extra spec")
    ));
    for (kind, cause, names) in causes {
        let word = match kind {
            Exactness::Unsupported => "left out",
            other => other.as_str(),
        };
        let few = crate::sentences::list_few(&names, "extra spec");
        terminal.print_status(&format!("  {word}: {cause} ({few})"));
    }
}
