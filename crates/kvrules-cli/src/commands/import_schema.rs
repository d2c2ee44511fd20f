//! `kvrules import schema`: a CustomResourceDefinition from a JSON Schema or an OpenAPI document.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::import::{
    DefinitionNames, ImportOptions, ImportedSchema, build_definition, import_schema, notes_to_diagnostics,
    to_yaml,
};
use kvrules::loss::Loss;
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{Diagnostic, Exactness, SchemaBundle, SourceFile, Sources, bundle_files};

use super::diff::read_beside;
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
  kvrules import schema tree.json --under spec --recursion 3

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
    /// Write a recursive schema out in itself this many times, and allow every value below, with a loss [default: refuse recursion]
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u8).range(0..=20))]
    recursion: Option<u8>,
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
        let options = ImportOptions {
            schema: self.schema.clone(),
            under: self.under.clone(),
            recursion: self.recursion.map(usize::from),
        };
        let bundle = bundle_files(source, &mut |named| read_beside(source.name(), named).ok());
        let whole = bundle.as_ref().map(|bundle| SourceFile::new(id, source.name(), bundle.text.clone()));
        let in_document = |found: Vec<Diagnostic>| match &bundle {
            Some(bundle) => found.into_iter().map(|found| document_finding(bundle, found)).collect(),
            None => found,
        };
        let imported = match import_schema(whole.as_ref().unwrap_or(source), &options) {
            Ok(imported) => imported,
            Err(problems) => {
                self.show(&in_document(problems), &sources, terminal);
                return Ok(Status::RunError);
            }
        };
        let found = in_document(notes_to_diagnostics(&imported.notes, self.loss));
        self.show(&found, &sources, terminal);
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

/// A finding about a document with files in it, at its place in the document.
fn document_finding(bundle: &SchemaBundle, mut found: Diagnostic) -> Diagnostic {
    let (span, is_in_file) = bundle.document_span(found.primary.span);
    found.primary.span = span;
    if is_in_file {
        let files: Vec<String> = bundle.files.iter().map(|file| format!("`{file}`")).collect();
        found.message = format!("in {}: {}", files.join(", "), found.message);
    }
    found
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
