//! `kvrules schema`: the JSON Schemas of our own formats.

use clap::{Args, ValueEnum};
use kvrules::loss::LossReport;
use kvrules::select::BaselineFile;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;

use crate::commands::migrate::MigrationReport;
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules schema config > kvrules.schema.json
  kvrules schema diagnostics
  kvrules schema loss-report";

/// Print the JSON Schema of the configuration or of a report
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaOf {
    /// What the schema describes
    #[arg(value_enum, value_name = "NAME")]
    name: Name,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// kvrules.toml
    Config,
    /// What `check --output-format json` prints
    Diagnostics,
    /// What `compile --loss-report` writes
    LossReport,
    /// What `check --write-baseline` writes
    Baseline,
    /// What `migrate --report` writes
    Migration,
    /// What `docs --format json` prints
    Pages,
    /// What `docs --extra-specs --format json` prints
    ExtraSpecPages,
    /// Definitions of extra specs
    ExtraSpecs,
}

impl SchemaOf {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let schema = match self.name {
            Name::Config => kvrules::config::schema(kvrules::targets()),
            Name::Diagnostics => of_output::<Report>(),
            Name::LossReport => of_output::<LossReport>(),
            Name::Baseline => of_output::<BaselineFile>(),
            Name::Migration => of_output::<MigrationReport>(),
            Name::Pages => of_output::<kvrules::docs::Document>(),
            Name::ExtraSpecPages => of_output::<kvrules::docs::SpecsDocument>(),
            Name::ExtraSpecs => kvrules::extra_specs::schema().try_into().unwrap_or_default(),
        };
        let text = serde_json::to_string_pretty(&schema);
        terminal.print(&(text.map_err(|error| Failure::new(error.to_string()))? + "\n"))?;
        Ok(Status::Clean)
    }
}

/// The schema of something that is written.
fn of_output<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The findings in the order of files and places.
// The structs below only describe; a test holds real output against them.
#[derive(JsonSchema, Serialize)]
#[schemars(title = "Findings of kvrules")]
struct Report(Vec<Finding>);

/// One finding.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Finding {
    /// The stable code, such as `KV102`.
    code: String,
    /// The name, such as `missing_key`.
    name: String,
    /// How bad it is.
    #[schemars(extend("enum" = ["error", "warning", "info"]))]
    level: String,
    /// What is wrong, in one sentence.
    message: String,
    /// What to do about it.
    help: Option<String>,
    /// The field that a Kubernetes API server names in its error, as it writes it: `spec.validation.openAPIV3Schema…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What is said at the place.
    label: Option<String>,
    /// The file.
    file: Option<String>,
    /// Where the place begins.
    start: Option<End>,
    /// Where the place ends, exclusive.
    end: Option<End>,
    /// Other places that matter.
    secondary: Vec<Place>,
    /// What would repair it.
    fix: Option<Repair>,
}

/// Edits of the file that a finding is in, which together repair it.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Repair {
    /// What is done.
    title: String,
    /// How far it may be trusted.
    #[schemars(extend("enum" = ["safe", "unsafe", "display-only"]))]
    applicability: String,
    /// The edits, which do not overlap.
    edits: Vec<Change>,
}

/// One stretch of a file, and what is to stand there.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Change {
    /// Where the stretch begins.
    start: Option<End>,
    /// Where the stretch ends, exclusive.
    end: Option<End>,
    /// The text that is to stand there.
    replacement: String,
}

/// A place and what is said there.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Place {
    /// What is said at the place.
    label: Option<String>,
    /// The file.
    file: Option<String>,
    /// Where the place begins.
    start: Option<End>,
    /// Where the place ends, exclusive.
    end: Option<End>,
}

/// One end of a place.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct End {
    /// The line, counted from 1.
    line: u32,
    /// The column in characters, counted from 1.
    column: u32,
    /// The offset in bytes, counted from 0.
    offset: u32,
}
