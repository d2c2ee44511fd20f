//! `kvrules flavor compile`: `kvrules compile` of definitions of extra specs, the built-in ones included.

use clap::Args;
use kvrules::extra_specs::{DefinitionRegistry, definition_layers};
use kvrules::{Catalog, Request};

use crate::commands::compile::GenerateArgs;
use crate::definitions::DefinitionArgs;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor compile --target json-schema --out-dir build/
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --definitions acme.yaml
  kvrules flavor compile --target glance-metadefs --out-dir metadefs/ --check

It does what `kvrules compile` does, for the built-in definitions and your own. The files of a single target are written to the \
directory itself, those of several to a subdirectory each.

Exit status:
  0  everything is compiled, or up to date
  1  --loss does not allow the loss of a target, or (with --check or --diff) output would change; nothing is written
  2  a file could not be read, parsed or written";

/// Compile definitions of extra specs to a JSON Schema of flavors and to Glance's metadata definitions
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Compile {
    #[command(flatten)]
    definitions: DefinitionArgs,
    /// Leave out Nova's built-in definitions
    #[arg(long)]
    own_only: bool,
    /// Accept undefined keys in the JSON Schema: `--option json-schema.undefined-keys=accept`
    #[arg(long)]
    permissive: bool,
    /// Prefix of the names of Glance's namespaces: `--option glance-metadefs.namespace-prefix=PREFIX`
    #[arg(long, value_name = "PREFIX")]
    namespace_prefix: Option<String>,
    #[command(flatten)]
    generation: GenerateArgs,
}

impl Compile {
    pub(super) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let mut generator = self.generation.generator(&settings, "kvrules flavor compile")?;
        generator.is_flat = true;
        let given = self.definitions.read(&settings)?;
        given.report_problems(&[], terminal);
        if given.has_errors() {
            return Ok(Status::RunError);
        }
        generator.options.extend(self.option_flags());
        let layers = if self.own_only { given.layers } else { definition_layers(given.layers) };
        let definitions = DefinitionRegistry::new(layers).in_force();
        if definitions.is_empty() {
            return Err(Failure::new("no definitions of extra specs to compile")
                .help("name a file with `--definitions`, or leave out `--own-only`"));
        }
        let request = Request { definitions: &definitions, ..generator.request(&[]) };
        generator.run(&request, Catalog::kubevirt_vm(), terminal)
    }

    /// The options of targets that have a flag of their own.
    fn option_flags(&self) -> impl Iterator<Item = ((String, String), String)> {
        let undefined = self.permissive.then_some(("json-schema", "undefined-keys", "accept"));
        let prefix = self.namespace_prefix.as_deref();
        let prefix = prefix.map(|prefix| ("glance-metadefs", "namespace-prefix", prefix));
        let flags = undefined.into_iter().chain(prefix);
        flags.map(|(target, name, value)| ((target.to_owned(), name.to_owned()), value.to_owned()))
    }
}
