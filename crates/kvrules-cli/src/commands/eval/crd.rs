//! Objects and their definitions: the files that say what is defined and what is stored, and answers for people.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use kvrules::crd::KubernetesVersion;
use kvrules::eval::{CrdAnswer, CrdVerdict, Definitions, Options, StoredObjects};
use kvrules::render::one_line as plain;
use kvrules::{Diagnostic, SourceFile, Sources};

use crate::failure::Failure;
use crate::options::SubjectArgs;
use crate::settings::{Settings, to_failure};
use crate::terminal::ColorPainter;
use crate::text::{PathOrigin, read_text};

/// Cost limit for the rules of an object.
const BUDGET: u64 = 10_000_000;

/// Inputs of the engine.
#[derive(Clone, Copy)]
pub(super) struct CrdInputs<'a> {
    /// The file with the definitions.
    pub(super) subject: &'a SubjectArgs,
    /// The file with the stored objects.
    pub(super) old: Option<&'a Path>,
    /// The Kubernetes version of the server.
    pub(super) version: KubernetesVersion,
}

/// Returns the definitions and the stored objects of a run, as options of the evaluator.
pub(super) fn crd_options(
    settings: &Settings,
    inputs: &CrdInputs<'_>,
    color: bool,
) -> Result<Options, Failure> {
    let CrdInputs { subject, old, version } = *inputs;
    let help = "give the file with the CustomResourceDefinitions with `--schema FILE`";
    let (sources, choices) = settings.definition_sources(subject)?;
    if sources.files().is_empty() {
        return Err(Failure::new("no definition to evaluate objects against").help(help));
    }
    if let Some(choice) = choices.first() {
        let message =
            format!("`#{choice}` selects a schema, but objects select it by their `apiVersion` and `kind`");
        return Err(Failure::new(message).help(format!("leave out `#{choice}`")));
    }
    let read = |file: &SourceFile| {
        Definitions::read_for_server(file, version).map_err(|faults| to_failure(&faults, &sources, color))
    };
    let definitions = sources.files().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let definitions = definitions.into_iter().reduce(Definitions::merged_with).map(Arc::new);
    let stored = old.map(|path| read_stored(path, color));
    Ok(Options { definitions, stored: stored.transpose()?, ..Options::default() })
}

/// Reads the stored objects.
pub(super) fn read_stored(path: &Path, color: bool) -> Result<Arc<StoredObjects>, Failure> {
    let text = read_text(path, PathOrigin::Argument).map_err(|unread| Failure::new(unread.to_string()))?;
    let mut sources = Sources::default();
    sources.add_file(path.to_string_lossy(), text);
    read_or_fail(&sources, color, StoredObjects::read_objects)
}

fn read_or_fail<T>(
    sources: &Sources,
    color: bool,
    read: impl Fn(&SourceFile) -> Result<T, Vec<Diagnostic>>,
) -> Result<Arc<T>, Failure> {
    let file = sources.files().first().ok_or_else(|| Failure::new("no input file"))?;
    read(file).map(Arc::new).map_err(|faults| to_failure(&faults, sources, color))
}

/// The verdict in a word.
pub(super) fn verdict_word(answer: &CrdAnswer, paint: ColorPainter) -> String {
    let word = answer.verdict.as_str();
    match answer.verdict {
        CrdVerdict::Rejected => paint.red(word),
        CrdVerdict::Accepted if !answer.warnings.is_empty() => paint.yellow("accepted with warnings"),
        CrdVerdict::Accepted => paint.green(word),
    }
}

/// Describes the errors of an object, each with its location, the warnings, and the trace.
pub(super) fn describe_answer(file: &str, answer: &CrdAnswer) -> String {
    let mut text = String::new();
    for error in &answer.errors {
        let (line, column) = (error.at.line, error.at.column);
        let _ = write!(text, "  {}\n    at {}:{line}:{column}\n", plain(&error.text), plain(file));
    }
    text.extend(answer.warnings.iter().map(|warning| format!("  warning: {}\n", plain(warning))));
    if let Some(stored) = &answer.stored {
        let cost = match answer.cost {
            Some(cost) => format!("the rules cost {cost} of {BUDGET}"),
            None => "the rules were not evaluated".to_owned(),
        };
        let operation = match answer.subresource {
            Some(subresource) => format!("{} of `{subresource}`", answer.operation),
            None => answer.operation.to_owned(),
        };
        let _ = write!(text, "  {operation}: {cost}\n  stored: {}\n", plain(&stored.to_string()));
    }
    text
}

/// All messages about an object, for its test case.
pub(super) fn testcase_body(file: &str, answer: &CrdAnswer) -> String {
    let line = |line: &str| line.trim_start().to_owned();
    describe_answer(file, answer).lines().map(line).collect::<Vec<_>>().join("\n")
}
