//! `kvrules flavor compile`: definitions as a JSON Schema, or as files that Glance loads.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::extra_specs::{
    Definition, Registry, Validation,
    glance::{Loss, LossKind, write},
    json_schema, layers,
};
use serde_json::Value;

use super::given::DefinitionArgs;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::outputs::replace_all;
use crate::paths;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::text::read_text;
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor compile --target json-schema --out-dir build/
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --definitions acme.yaml
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --check

What a target cannot say exactly is told on standard error: how many extra specs, how, and why.

Exit status: 0 all is written, or with --check up to date; 1 with --check, something is not; 2 something could not be
read or written.";

/// Make a JSON Schema of flavors, or Glance's metadata definitions, from the definitions of extra specs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Compile {
    /// What to make
    #[arg(long, value_name = "TARGET", value_enum)]
    target: Target,
    /// The directory to write to
    #[arg(long, value_name = "DIR")]
    out_dir: PathBuf,
    #[command(flatten)]
    definitions: DefinitionArgs,
    /// Leave out the definitions of Nova, which are built in
    #[arg(long)]
    own_only: bool,
    /// Let the JSON Schema take keys without definition
    #[arg(long)]
    permissive: bool,
    /// How the names of Glance's namespaces begin
    #[arg(long, value_name = "TEXT", default_value = "OS::Compute::ExtraSpecs::")]
    namespace_prefix: String,
    /// Write nothing, and fail where what is there is not what would be written
    #[arg(long)]
    check: bool,
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
        given.tell(&[], terminal);
        if given.has_errors() {
            return Ok(Status::Trouble);
        }
        let of_all = if self.own_only { given.layers } else { layers(given.layers) };
        let definitions = Registry::new(of_all).in_force();
        let (files, losses) = self.make(&definitions);
        let told: Vec<_> =
            files.iter().map(|(name, document)| (self.out_dir.join(name), text(document))).collect();
        if self.check {
            return Ok(compare(&told, terminal));
        }
        fs::create_dir_all(&self.out_dir).map_err(|error| Failure::file("make", &self.out_dir, &error))?;
        let files: Vec<(&Path, &str)> =
            told.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
        replace_all(&files)?;
        tell(&losses, definitions.len(), terminal);
        terminal.say(&format!("wrote {} to `{}`", count(files.len(), "file"), paths::shown(&self.out_dir)));
        Ok(Status::Clean)
    }

    fn make(&self, definitions: &[Definition]) -> (Vec<(String, Value)>, Vec<Loss>) {
        match self.target {
            Target::JsonSchema => {
                let mode = if self.permissive { Validation::Permissive } else { Validation::Strict };
                let schema = json_schema(definitions, mode);
                (vec![("extra-specs.schema.json".to_owned(), schema.document)], schema.losses)
            }
            Target::GlanceMetadefs => {
                let made = write(definitions, &self.namespace_prefix);
                (made.files.into_iter().map(|file| (file.name, file.document)).collect(), made.losses)
            }
        }
    }
}

/// Holds what would be written against what is there.
fn compare(files: &[(PathBuf, String)], terminal: &Terminal) -> Status {
    let stale: Vec<_> =
        files.iter().filter(|(path, text)| !read_text(path).is_ok_and(|old| old == *text)).collect();
    for (path, _) in &stale {
        terminal.say(&format!("`{}` is not up to date", paths::shown(path)));
    }
    if stale.is_empty() { Status::Clean } else { Status::Findings }
}

fn text(document: &Value) -> String {
    // Values with texts for keys can always be written.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Tells how exact the target is: the numbers, and each cause with how often it holds.
fn tell(losses: &[Loss], all: usize, terminal: &Terminal) {
    let mut causes: Vec<(LossKind, &str, Vec<&str>)> = Vec::new();
    for loss in losses {
        match causes.iter_mut().find(|(kind, cause, _)| (*kind, *cause) == (loss.kind, loss.cause)) {
            Some((_, _, names)) => names.push(&loss.definition),
            None => causes.push((loss.kind, loss.cause, vec![&loss.definition])),
        }
    }
    let inexact: std::collections::BTreeSet<_> = losses.iter().map(|loss| loss.definition.as_str()).collect();
    terminal.say(&format!("{} of {} are said exactly", all - inexact.len(), count(all, "extra spec")));
    for (kind, cause, names) in causes {
        let word = match kind {
            LossKind::Wider => "wider",
            LossKind::Narrower => "narrower",
            LossKind::Unsupported => "left out",
        };
        let few = crate::words::few(&names, "extra spec");
        terminal.say(&format!("  {word}: {cause} ({few})"));
    }
}
