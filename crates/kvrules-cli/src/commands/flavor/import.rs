//! `kvrules import`: what others write, as definitions of extra specs or of resources.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use kvrules::extra_specs::{Document, write_yaml};

use super::{metadefs, nova};
use crate::commands::import_rule_set::ImportRuleSet;
use crate::commands::import_schema::ImportSchema;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::paths;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules import nova --output nova.json
  kvrules import nova --python /opt/nova/bin/python > nova.json
  kvrules import metadefs /etc/glance/metadefs > metadefs.yaml
  kvrules import schema box.json --kind Box > crd.yaml
  kvrules import ruleset crd.yaml > rules.yaml";

/// Import definitions of resources and of extra specs, and rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Import {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    Nova(nova::Nova),
    Schema(Box<ImportSchema>),
    #[command(name = "ruleset")]
    RuleSet(Box<ImportRuleSet>),
    /// Convert Glance's metadata definitions of flavors to definitions of extra specs
    Metadefs {
        /// File, or directory of .json files
        #[arg(value_name = "FILE|DIR")]
        path: PathBuf,
    },
}

impl Import {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        match &self.from {
            From::Nova(nova) => nova.run(terminal),
            From::Schema(schema) => schema.run(terminal),
            From::RuleSet(rule_set) => rule_set.run(global, terminal),
            From::Metadefs { path } => Self::metadefs(path, terminal),
        }
    }

    fn metadefs(path: &Path, terminal: &mut Terminal) -> Result<Status, Failure> {
        let Some(definitions) = metadefs::read_if(path, terminal)? else {
            return Err(Failure::new(format!("no metadata definitions in `{}`", paths::display_path(path))));
        };
        let mut seen = std::collections::HashSet::new();
        let (kept, twice): (Vec<_>, Vec<_>) =
            definitions.into_iter().partition(|definition| seen.insert(definition.name.clone()));
        for definition in twice {
            terminal.note(&format!("duplicate definition of `{}`; the first is used", definition.name));
        }
        let document = Document::new(kept.into_iter().map(Into::into).collect());
        terminal.print_file(&write_yaml(&document))?;
        Ok(Status::Clean)
    }
}
