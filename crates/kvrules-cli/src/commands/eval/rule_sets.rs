//! RuleSets as the policies that they compile to, which objects are evaluated with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules::crd::{KubernetesVersion, RunResources};
use kvrules::eval::{Engine, EvaluationRules};
use kvrules::rule_set::RuleSet;
use kvrules::{
    Catalog, Diagnostic, FileId, FileReading, Level, ReadContext, SourceFile, Sources, compile_policies,
    detect_contents, has_compiled_units,
};

use crate::failure::Failure;
use crate::inputs::{WantedContent, read_subjects, refuse_missing_value, search_files};
use crate::options::InputArgs;
use crate::settings::Settings;
use crate::text::{PathOrigin, read_text};

/// Returns the name and the text of a file; of one with RuleSets those of the policies that it compiles to, whose parameters become
/// `known`. Their subjects may be
/// kinds of `schemas`. The definitions of the subjects are added: they give the resource of a kind.
pub(crate) fn to_policies(
    name: String,
    path: Option<PathBuf>,
    text: String,
    schemas: &Sources,
    version: KubernetesVersion,
    parameters: &BTreeMap<String, String>,
    known: &mut Vec<String>,
) -> Result<(String, String), Failure> {
    let source = SourceFile::new(FileId(0), name.as_str(), text);
    if !has_compiled_units(&source) {
        return Ok((name, source.text().to_owned()));
    }
    let reading = read_rules(&source, path, schemas, parameters)?;
    known.extend(reading.rule_sets.iter().flat_map(|set| set.parameters.names()).map(str::to_owned));
    if let Some(set) = reading.rule_sets.iter().find(|set| set.subject.is_of_documents()) {
        let message =
            format!("the RuleSet `{}` is about documents of a schema, which no server receives", set.name);
        return Err(Failure::new(message).help("evaluate them with `--engine spec`"));
    }
    let whole = compile_policies(&source, &reading, version).map_err(|error| Failure::new(error.message))?;
    Ok((format!("{name} (compiled)"), whole))
}

/// Reads the RuleSets of a file. Their subjects may be kinds of `schemas`.
fn read_rules(
    source: &SourceFile,
    path: Option<PathBuf>,
    schemas: &Sources,
    parameters: &BTreeMap<String, String>,
) -> Result<FileReading, Failure> {
    let subjects = read_subjects(std::slice::from_ref(source), &[path], parameters);
    let files: Vec<_> = schemas.files().iter().chain([source]).collect();
    let resources = RunResources::of_files(&files);
    let context =
        ReadContext::new(Catalog::kubevirt_vm()).with_resources(&resources).with_subjects(&subjects);
    let reading = kvrules::read_file(source, &context);
    if let Some(error) = reading.diagnostics.iter().find(|found| found.level == Level::Error) {
        return Err(invalid_rules(source, error));
    }
    for set in &reading.rule_sets {
        refuse_missing_value(set)?;
    }
    Ok(reading)
}

/// Returns the RuleSets in a file of rules; `None` if it has none.
pub(super) fn read_sets_of_file(
    path: &Path,
    schemas: &Sources,
    parameters: &BTreeMap<String, String>,
) -> Result<Option<Vec<RuleSet>>, Failure> {
    let text = read_text(path, PathOrigin::Argument).map_err(|unread| Failure::new(unread.to_string()))?;
    let source = SourceFile::new(FileId(0), path.to_string_lossy(), text);
    read_sets(&source, Some(path.to_owned()), schemas, parameters)
}

fn read_sets(
    source: &SourceFile,
    path: Option<PathBuf>,
    schemas: &Sources,
    parameters: &BTreeMap<String, String>,
) -> Result<Option<Vec<RuleSet>>, Failure> {
    if !has_compiled_units(source) {
        return Ok(None);
    }
    read_rules(source, path, schemas, parameters).map(|reading| Some(reading.rule_sets))
}

/// Returns the engine for the rules in files and directories. What cannot be read is reported later.
pub(super) fn engine_for_rules(paths: &[PathBuf], settings: &Settings) -> Engine {
    let args = InputArgs { paths: paths.to_vec(), ..InputArgs::default() };
    // Standard input can be read once.
    let is_stdin = paths.iter().any(|path| path.as_os_str() == "-");
    let found = search_files(&args, settings, WantedContent::Objects).ok().filter(|_| !is_stdin);
    let (mut contents, mut sets) = (Vec::new(), Vec::new());
    for input in found.iter().flat_map(|found| &found.files) {
        let Ok(text) = input.read() else { continue };
        let source = SourceFile::new(FileId(0), input.name(), text);
        contents.push(detect_contents(&source));
        let path = input.path().map(Path::to_owned);
        let reading = read_sets(&source, path, &Sources::default(), &BTreeMap::new());
        sets.extend(reading.ok().flatten().unwrap_or_default());
    }
    EvaluationRules::Given(&contents, &sets).default_engine()
}

fn invalid_rules(source: &SourceFile, error: &Diagnostic) -> Failure {
    let at = source.position_at(error.primary.span.start);
    let message = format!("{}:{}:{}: {}", source.name(), at.line, at.column, error.message);
    Failure::new(message).help("`kvrules check` reports all errors of the RuleSet")
}
