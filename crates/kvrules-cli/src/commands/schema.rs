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
    /// The format to describe
    #[arg(value_enum, value_name = "NAME")]
    name: Name,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// kvrules.toml
    Config,
    /// Output of `check --output-format json`
    Diagnostics,
    /// Output of `compile --loss-report`
    LossReport,
    /// Output of `check --write-baseline`
    Baseline,
    /// Output of `migrate --report`
    Migration,
    /// Output of `docs --format json`
    Pages,
    /// Output of `docs --extra-specs --format json`
    ExtraSpecPages,
    /// Definitions of extra specs
    ExtraSpecs,
    /// RuleSets
    RuleSet,
    /// Test suites of `kvrules test`
    RuleTests,
}

impl SchemaOf {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let schema = match self.name {
            Name::Config => kvrules::config::config_schema(kvrules::all_targets()),
            Name::Diagnostics => of_output::<Report>(),
            Name::LossReport => of_output::<LossReport>(),
            Name::Baseline => of_output::<BaselineFile>(),
            Name::Migration => of_output::<MigrationReport>(),
            Name::Pages => of_output::<kvrules::docs::Document>(),
            Name::ExtraSpecPages => of_output::<kvrules::docs::SpecsDocument>(),
            Name::RuleTests => kvrules::test::suite_schema().try_into().unwrap_or_default(),
            Name::RuleSet => kvrules::rule_set::rule_set_schema().try_into().unwrap_or_default(),
            Name::ExtraSpecs => kvrules::extra_specs::document_schema().try_into().unwrap_or_default(),
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

/// The findings in the order of files and locations.
// The structs below exist only for their schemas; a test compares them with real output.
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
    /// The severity.
    #[schemars(extend("enum" = ["error", "warning", "info"]))]
    level: String,
    /// Description of the problem, in one sentence.
    message: String,
    /// Advice on what to do.
    help: Option<String>,
    /// The field that a Kubernetes API server names in its error, as it writes it: `spec.validation.openAPIV3Schema…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Label of the location.
    label: Option<String>,
    /// The file.
    file: Option<String>,
    /// Start of the location.
    start: Option<End>,
    /// End of the location, exclusive.
    end: Option<End>,
    /// Related locations.
    secondary: Vec<Place>,
    /// The fix, if any.
    fix: Option<Repair>,
    /// The proof, with `--explain-proof`.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
}

/// The proof of a finding.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Proof {
    /// A certificate for each part of the proof; null for a part without one.
    certificates: Vec<Option<serde_json::Value>>,
}

/// A fix: edits of the file with the finding, to be applied together.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Repair {
    /// Description of the fix.
    title: String,
    /// Safety of the fix.
    #[schemars(extend("enum" = ["safe", "unsafe", "display-only"]))]
    applicability: String,
    /// The edits, which do not overlap.
    edits: Vec<Change>,
}

/// The replacement of a range of a file.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Change {
    /// Start of the range.
    start: Option<End>,
    /// End of the range, exclusive.
    end: Option<End>,
    /// The new content of the range.
    replacement: String,
}

/// A location and its label.
#[derive(JsonSchema, Serialize)]
#[schemars(deny_unknown_fields)]
struct Place {
    /// Label of the location.
    label: Option<String>,
    /// The file.
    file: Option<String>,
    /// Start of the location.
    start: Option<End>,
    /// End of the location, exclusive.
    end: Option<End>,
}

/// A position in a file.
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
