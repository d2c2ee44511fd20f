//! `kvrules minors`: the oldest Kubernetes version that takes each definition, and why not the one before.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use clap::{Args, ValueEnum};
use kvrules::crd::{KubernetesVersion, OldestVersion, find_oldest_versions, is_broken};
use kvrules::render::{json_text, one_line};
use kvrules::{
    Diagnostic, FileContents, FileId, Operation, SourceFile, Sources, detect_contents, largest_first,
};
use serde_json::{Value, json};

use crate::commands::eval::to_policies;
use crate::failure::{Failure, Status};
use crate::inputs::{InputSource, VacantInputs, WantedContent, find_files, thread_pool};
use crate::options::{Global, InputArgs};
use crate::settings::Settings;
use crate::terminal::{ColorPainter, Terminal};
use crate::text::UnreadFile;

const EXAMPLES: &str = "\
Examples:
  kvrules minors crd.yaml
  kvrules minors --output-format json config/crd/

For a RuleSet the policies that it compiles to are examined. A definition counts as new: a server of minor N compiles new expressions with the functions of minor N-1.

Exit status:
  0  the newest Kubernetes takes every definition
  1  it rejects one; `kvrules check` reports why
  2  a file could not be read";

/// Show the oldest Kubernetes version that takes each definition
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minors {
    #[command(flatten)]
    inputs: InputArgs,
    /// Format of the report
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// For programs
    Json,
}

/// A file and the oldest versions of its definitions.
struct ExaminedFile {
    source: SourceFile,
    found: Vec<OldestVersion>,
    is_broken: bool,
}

impl Minors {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let inputs = find_files(&self.inputs, &settings, WantedContent::Rules)?;
        let examine = |input: &InputSource| -> Result<ExaminedFile, UnreadFile> {
            let source = examined_source(input)?;
            let found = find_oldest_versions(&source);
            Ok(ExaminedFile { is_broken: is_broken(&source), found, source })
        };
        let pool = thread_pool(&self.inputs)?;
        let results = pool.install(|| largest_first(&inputs.files, InputSource::size, examine));
        let (mut files, mut unread) = (Vec::new(), inputs.unread);
        for result in results {
            match result {
                Ok(file) => files.push(file),
                Err(file) => unread.push(file),
            }
        }
        for file in &unread {
            terminal.unread(file);
        }
        let without = files_without_definitions(&files);
        let vacant = VacantInputs::of_operation(
            &inputs.requested_inputs,
            self.inputs.allow_empty,
            Operation::EstimateCost,
            |file| without.get(file),
        );
        vacant.report_vacant(terminal);
        if files.iter().any(|file| file.is_broken) {
            terminal.note("some files cannot be parsed completely; `kvrules check` reports why");
        }
        terminal.print(&self.render(&files, terminal.paint()))?;
        if files.iter().all(|file| file.found.is_empty() && !file.is_broken)
            && unread.is_empty()
            && !vacant.is_fault()
            && !self.inputs.allow_empty
        {
            let message = "no definition and no policy whose versions are known";
            let help = "parameters of templates decide about them; process the template first";
            return Err(Failure::new(message).help(help));
        }
        let is_whole = unread.is_empty() && !vacant.is_fault() && files.iter().all(|file| !file.is_broken);
        let is_taken = files.iter().flat_map(|file| &file.found).all(|found| found.oldest.is_some());
        Ok(match (is_whole, is_taken) {
            (false, _) => Status::RunError,
            (true, false) => Status::Findings,
            (true, true) => Status::Clean,
        })
    }

    fn render(&self, files: &[ExaminedFile], paint: ColorPainter) -> String {
        match self.output_format {
            Format::Human => files.iter().map(|file| render_human(file, paint)).collect(),
            Format::Json => {
                let files: Vec<Value> = files.iter().map(file_json).collect();
                format!("{}\n", json_text(&format!("{:#}", json!({"files": files}))))
            }
        }
    }
}

/// Returns the text of a file; of RuleSets that of the policies that they compile to.
fn examined_source(input: &InputSource) -> Result<SourceFile, UnreadFile> {
    let (name, text) = (input.name(), input.read()?);
    let path = input.path().map(Path::to_owned);
    let newest = KubernetesVersion::NEWEST;
    let compiled =
        to_policies(name.clone(), path, text, &Sources::default(), newest, &BTreeMap::new(), &mut Vec::new());
    match compiled {
        Ok((name, text)) => Ok(SourceFile::new(FileId(0), name, text)),
        Err(Failure::Message { message, help }) => Err(UnreadFile { name, at: None, message, help }),
        Err(Failure::Rendered(message)) => Err(UnreadFile { name, at: None, message, help: None }),
    }
}

/// The contents of the files without a definition.
fn files_without_definitions(files: &[ExaminedFile]) -> HashMap<String, FileContents> {
    let without = files.iter().filter(|file| file.found.is_empty() && !file.is_broken);
    without.map(|file| (file.source.name().to_owned(), detect_contents(&file.source))).collect()
}

fn render_human(file: &ExaminedFile, paint: ColorPainter) -> String {
    let mut text = String::new();
    let name = one_line(file.source.name());
    for found in &file.found {
        let line = file.source.position_at(found.span.start).line;
        let oldest = match found.oldest {
            Some(version) => paint.green(&format!("Kubernetes {version} or newer")),
            None => paint.red("rejected by the newest Kubernetes; `kvrules check` reports why"),
        };
        let oldest = if found.is_undecided {
            format!("{oldest} as far as it is known before rendering the template")
        } else {
            oldest
        };
        let _ = writeln!(text, "{}  {oldest}  {name}:{line}", paint.bold(&one_line(&found.name)));
        for (finding, note) in notes(found) {
            let at = file.source.position_at(finding.primary.span.start);
            let _ =
                writeln!(text, "  {name}:{}:{}  {note}{}", at.line, at.column, one_line(&finding.message));
            if !finding.primary.text.is_empty() {
                let _ = writeln!(text, "      {}", one_line(&finding.primary.text));
            }
        }
    }
    text
}

/// The reasons why no older version takes a definition, and the notes about what is ignored.
fn notes(found: &OldestVersion) -> impl Iterator<Item = (&Diagnostic, &'static str)> {
    let reasons = found.reasons.iter().map(|finding| (finding, ""));
    reasons.chain(found.ignored.iter().map(|finding| (finding, "note: ")))
}

fn file_json(file: &ExaminedFile) -> Value {
    let finding = |finding: &Diagnostic| {
        let at = file.source.position_at(finding.primary.span.start);
        json!({"message": finding.message, "detail": finding.primary.text, "field": finding.field,
            "line": at.line, "column": at.column})
    };
    let definition = |found: &OldestVersion| {
        json!({
            "name": found.name,
            "line": file.source.position_at(found.span.start).line,
            "oldest": found.oldest.map(|version| version.to_string()),
            "undecided": found.is_undecided,
            "reasons": found.reasons.iter().map(finding).collect::<Vec<_>>(),
            "ignored": found.ignored.iter().map(finding).collect::<Vec<_>>(),
        })
    };
    json!({"file": file.source.name(), "definitions": file.found.iter().map(definition).collect::<Vec<_>>()})
}
