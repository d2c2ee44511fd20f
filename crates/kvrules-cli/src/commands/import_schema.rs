//! `kvrules import schema`: a CustomResourceDefinition from a JSON Schema or an OpenAPI document.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::import::{
    DefinitionNames, ImportOptions, ImportedSchema, build_definition, import_schema, notes_to_diagnostics,
    to_yaml,
};
use kvrules::loss::Loss;
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{Diagnostic, Exactness, Sources};

use crate::failure::{Failure, Status};
use crate::inputs::InputSource;
use crate::options::{format_parser, loss_parser};
use crate::outputs::replace_file;
use crate::sentences::count_noun;
use crate::terminal::{Terminal, print_error, render_findings};

const EXAMPLES: &str = "\
Examples:
  kvrules import schema box.json --group example.com --kind Box > crd.yaml
  kvrules import schema openapi.yaml --schema Box --under spec -o crd.yaml
  kvrules import schema old-crd.yaml --loss error

A schema with `spec` among its properties describes the whole resource. For any other, --under names the field of the \
resource that it describes.

Exit status:
  0  the definition is written
  1  it would lose a constraint, and --loss is `error`; nothing is written
  2  the schema could not be read or converted";

/// Convert a JSON Schema (drafts 4 to 2020-12) or a schema of an OpenAPI document to a CustomResourceDefinition
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportSchema {
    /// File with the schema, in JSON or YAML, or `-` for standard input; a definition of an old version is accepted too
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Name of the schema in `definitions`, `$defs` or `components.schemas` [default: the only one]
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Field of the resource that the schema describes [default: the whole resource]
    #[arg(long, value_name = "FIELD")]
    under: Option<String>,
    #[command(flatten)]
    names: NameArgs,
    /// Write only the structural schema
    #[arg(long)]
    bare: bool,
    /// Level of a keyword that cannot be converted exactly
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = loss_parser())]
    loss: Loss,
    /// Format of findings, on standard error
    #[arg(long, alias = "format", value_name = "FORMAT", default_value = "human", value_parser = format_parser())]
    output_format: RenderFormat,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Names of the definition.
#[derive(Debug, Args)]
struct NameArgs {
    /// API group [default: example.com]
    #[arg(long, value_name = "NAME", conflicts_with = "bare")]
    group: Option<String>,
    /// Kind [default: the name or title of the schema, else Resource]
    #[arg(long, value_name = "NAME", conflicts_with = "bare")]
    kind: Option<String>,
    /// Plural name in URLs [default: derived from the kind]
    #[arg(long, value_name = "NAME", conflicts_with = "bare")]
    plural: Option<String>,
    /// Version [default: v1]
    #[arg(long, value_name = "NAME", conflicts_with = "bare")]
    version: Option<String>,
    /// Scope of the resources [default: namespaced]
    #[arg(long, value_name = "SCOPE", value_enum, ignore_case = true, conflicts_with = "bare")]
    scope: Option<Scope>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scope {
    Namespaced,
    Cluster,
}

impl ImportSchema {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let input = if self.file == Path::new("-") {
            InputSource::Stdin("<stdin>".to_owned())
        } else {
            InputSource::File(self.file.clone())
        };
        let text = input.read().map_err(|unread| Failure::new(format!("cannot read {unread}")))?;
        let mut sources = Sources::default();
        let id = sources.add_file(input.name(), text);
        let Some(source) = sources.get(id) else { return Ok(Status::RunError) };
        let options = ImportOptions { schema: self.schema.clone(), under: self.under.clone() };
        let imported = match import_schema(source, &options) {
            Ok(imported) => imported,
            Err(problems) => {
                self.show(&problems, &sources, terminal);
                return Ok(Status::RunError);
            }
        };
        self.show(&notes_to_diagnostics(&imported.notes, self.loss), &sources, terminal);
        let lost = imported.notes.iter().filter(|note| note.effect != Exactness::Exact).count();
        if lost > 0 && self.loss == Loss::Error {
            terminal.print_status(&format!(
                "{} would be lost; nothing is written",
                count_noun(lost, "constraint")
            ));
            return Ok(Status::Findings);
        }
        self.write(imported, terminal)?;
        Ok(Status::Clean)
    }

    fn write(&self, imported: ImportedSchema, terminal: &mut Terminal) -> Result<(), Failure> {
        let document = if self.bare {
            imported.schema
        } else {
            build_definition(&imported.schema, &self.names.names().with_fallback(imported.names)).map_err(
                |bad| {
                    let option = format!("set it with `--{}`", bad.what);
                    Failure::new(format!(
                        "`{}` is not a valid {}, which is {}",
                        bad.name, bad.what, bad.expected
                    ))
                    .help(option)
                },
            )?
        };
        let text = to_yaml(&document);
        match &self.output {
            Some(path) if path != Path::new("-") => replace_file(path, &text),
            _ => terminal.print_file(&text),
        }
    }

    /// Shows findings on standard error; the definition has standard output.
    fn show(&self, found: &[Diagnostic], sources: &Sources, terminal: &Terminal) {
        if found.is_empty() && self.output_format == RenderFormat::Human {
            return;
        }
        let tool_version = kvrules::VERSION.to_owned();
        let color = terminal.paint_error().0;
        let text = render_findings(
            self.output_format,
            found,
            sources,
            &RenderOptions { color, tool_version, ..RenderOptions::default() },
        );
        print_error(&if text.ends_with('\n') { text } else { text + "\n" });
    }
}

impl NameArgs {
    fn names(&self) -> DefinitionNames {
        let scope = self.scope.map(|scope| format!("{scope:?}"));
        let Self { group, kind, plural, version, .. } = self;
        DefinitionNames {
            group: group.clone(),
            kind: kind.clone(),
            plural: plural.clone(),
            version: version.clone(),
            scope,
            singular: None,
            list_kind: None,
        }
    }
}
