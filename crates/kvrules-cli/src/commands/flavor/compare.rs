//! `kvrules flavor compare`: two registries side by side.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use kvrules::extra_specs::{Definition, RegistryNote, RegistryNoteKind, cross_check, shipped_document};
use kvrules::render::{json_text, one_line};
use serde::Serialize;

use super::metadefs;
use crate::definitions::OwnDefinitions;
use crate::failure::{Failure, Status};
use crate::paths;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor compare builtin /etc/glance/metadefs
  kvrules flavor compare acme-old.yaml acme.yaml
  kvrules flavor compare builtin acme.yaml --output-format json

Exit status: 0 no differences; 1 differences; 2 a file could not be read.";

/// Compare definitions of extra specs with others, or with Glance's metadata definitions
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Compare {
    /// First side: a file or directory of definitions or of metadata definitions, or `builtin`
    first: PathBuf,
    /// Second side, in the same form
    second: PathBuf,
    /// Kinds of differences to ignore
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = PossibleValuesParser::new(RegistryNoteKind::ALL.map(RegistryNoteKind::as_str)))]
    ignore: Vec<String>,
    /// Format of the report
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: ReportFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReportFormat {
    Human,
    Json,
}

/// One line of the report.
#[derive(Serialize)]
struct Entry<'n> {
    kind: &'static str,
    name: &'n str,
    message: &'n str,
}

impl Compare {
    pub(super) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let (first, second) =
            (read_definitions(&self.first, terminal)?, read_definitions(&self.second, terminal)?);
        let mut notes = cross_check(&first, &second);
        notes.retain(|note| !self.ignore.iter().any(|kind| kind == note.kind.as_str()));
        let text = match self.output_format {
            ReportFormat::Human => render_human(&notes),
            ReportFormat::Json => render_json(&notes),
        };
        terminal.print(&text)?;
        let counted =
            RegistryNoteKind::ALL.map(|kind| (kind, notes.iter().filter(|note| note.kind == kind).count()));
        let counts: Vec<_> = counted
            .iter()
            .filter(|(_, number)| *number > 0)
            .map(|(kind, number)| format!("{} {number}", kind.as_str()))
            .collect();
        let counts = if counts.is_empty() { "no differences".to_owned() } else { counts.join(", ") };
        let (one, other) = (count_noun(first.len(), "definition"), count_noun(second.len(), "definition"));
        terminal.print_status(&format!("compared {one} with {other}: {counts}"));
        Ok(if notes.is_empty() { Status::Clean } else { Status::Findings })
    }
}

/// The definitions of a file or a directory, whatever they are written in.
fn read_definitions(path: &Path, terminal: &Terminal) -> Result<Vec<Definition>, Failure> {
    if path == Path::new("builtin") && !path.exists() {
        return Ok(shipped_document().expand_definitions());
    }
    if let Some(definitions) = metadefs::read_if(path, terminal)? {
        return Ok(definitions);
    }
    let given = OwnDefinitions::read(path).map_err(Failure::new)?;
    given.report_problems(&[], terminal);
    if given.has_errors() {
        return Err(Failure::new(format!("incomplete definitions in `{}`", paths::display_path(path))));
    }
    Ok(given.layers.concat())
}

fn render_human(notes: &[RegistryNote]) -> String {
    let line = |note: &RegistryNote| format!("{}: {}", note.kind.as_str(), one_line(&note.message));
    let lines: Vec<_> = notes.iter().map(line).collect();
    if lines.is_empty() {
        String::new()
    } else {
        lines.join(
            "
",
        ) + "
"
    }
}

fn render_json(notes: &[RegistryNote]) -> String {
    let entry = |note: &'_ RegistryNote| {
        serde_json::json!(Entry { kind: note.kind.as_str(), name: &note.name, message: &note.message })
    };
    let entries: Vec<_> = notes.iter().map(entry).collect();
    json_text(&serde_json::to_string_pretty(&entries).unwrap_or_default()).into_owned() + "\n"
}
