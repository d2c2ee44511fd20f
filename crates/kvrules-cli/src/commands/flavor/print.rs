//! `kvrules flavor definitions`: the definitions that flavors are checked against.

use clap::{Args, ValueEnum};
use kvrules::extra_specs::{Document, SHIPPED_YAML, shipped_document, write_json, write_yaml};

use crate::definitions::DefinitionArgs;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor definitions > nova.yaml
  kvrules flavor definitions --output-format json --definitions acme.yaml";

/// Print the definitions of extra specs: Nova's built-in ones, then your own
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Definitions {
    #[command(flatten)]
    definitions: DefinitionArgs,
    /// Format of the definitions
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "yaml")]
    output_format: Notation,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Notation {
    Yaml,
    Json,
}

impl Definitions {
    pub(super) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let given = self.definitions.read(&settings)?;
        let own = given.layers.iter().flatten().cloned();
        let mut document = Document::new(shipped_document().definitions.clone());
        document.definitions.extend(own.map(Into::into));
        let text = match self.output_format {
            // The file as it is shipped, with its comments.
            Notation::Yaml if given.layers.is_empty() => SHIPPED_YAML.to_owned(),
            Notation::Yaml => write_yaml(&document),
            Notation::Json => write_json(&document),
        };
        terminal.print_file(&text)?;
        given.report_problems(&[], terminal);
        Ok(if given.has_errors() { Status::RunError } else { Status::Clean })
    }
}
