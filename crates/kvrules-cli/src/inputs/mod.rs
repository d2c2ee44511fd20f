//! The files of a run: found, read and understood, in an order that does not depend on how many work on it.

mod compile_input;
mod exclude;
mod find;
mod glob;
mod listing;
mod requested;
mod resources;
mod subjects;
mod texts;

pub(crate) use compile_input::refuse_missing_value;
pub(crate) use find::{InputSource, WantedContent, find_files, search_files};
pub(crate) use listing::{IGNORE_FILES, SearchExclusions};
pub(crate) use requested::{RequestedInput, VacantInputs, applicable_help, inapplicable_message};
pub(crate) use subjects::read_subjects;
pub(crate) use texts::InputTexts;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use kvrules::check::RunContext;
use kvrules::crd::{KubernetesVersions, RunResources};
use kvrules::extra_specs::Definition;
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{
    Catalog, Diagnostic, FileReading, FixOptions, FixedFile, Level, Operation, ReadContext, SourceFile,
    Sources, SubjectFiles, TemplateReadability, UnitEngine, UnitKind, all_unit_kinds,
};
use kvrules_diagnostics::suggest_nearest;
use rayon::prelude::*;

use self::requested::vacant_help;
use self::resources::PreparedDefinitions;
use crate::definitions::configured_definitions;
use crate::failure::{Failure, Status};
use crate::options::InputArgs;
use crate::progress::Progress;
use crate::sentences::{count_noun, describe_levels};
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error, render_findings};
use crate::text::UnreadFile;

/// Files that were read.
#[derive(Debug)]
pub(crate) struct LoadedFiles {
    /// The texts.
    pub(crate) sources: Sources,
    /// Path of each, in their order; `None` for standard input.
    pub(crate) paths: Vec<Option<PathBuf>>,
    /// Reading of each, in their order.
    pub(crate) readings: Vec<FileReading>,
    /// The files that could not be read.
    pub(crate) unread: Vec<UnreadFile>,
    /// Inputs that were requested.
    pub(crate) requested_inputs: Vec<RequestedInput>,
    /// True if inputs in which nothing is recognized are not an error.
    pub(crate) allow_empty: bool,
    /// The operation that they are for.
    pub(crate) operation: Operation,
    /// The definitions of extra specs of the configuration.
    pub(crate) definitions: Vec<Vec<Definition>>,
    /// Files of `--schema` with definitions, which policies refer to.
    pub(crate) schemas: Sources,
    /// The definitions and policies of the files and of those of `--schema`.
    pub(crate) resources: RunResources,
    /// The Kubernetes versions that definitions are for.
    pub(crate) versions: KubernetesVersions,
    /// True if findings have their proofs.
    pub(crate) explains_proofs: bool,
    /// The files with the definitions that RuleSets name.
    pub(crate) subjects: SubjectFiles,
    /// The definitions of each, in their order, if they were read at once.
    pub(crate) prepared: Vec<PreparedDefinitions>,
}

/// Finds and reads the files that the command line or the configuration names, for an operation. Their rules are about objects
/// with the catalog's fields.
pub(crate) fn load_files(
    args: &InputArgs,
    operation: Operation,
    settings: &Settings,
    catalog: &Catalog,
) -> Result<LoadedFiles, Failure> {
    load_files_with(args, operation, settings, catalog, Sources::default())
}

/// Finds and reads files as [`load_files`] does. Their policies may refer to the definitions in `schemas`.
pub(crate) fn load_files_with(
    args: &InputArgs,
    operation: Operation,
    settings: &Settings,
    catalog: &Catalog,
    schemas: Sources,
) -> Result<LoadedFiles, Failure> {
    let found = find_files(args, settings, WantedContent::Rules)?;
    let pool = thread_pool(args)?;
    pool.install(|| {
        let InputTexts { sources, paths, unread, requested_inputs } = found.read_texts();
        let mut loaded = LoadedFiles {
            sources,
            paths,
            readings: Vec::new(),
            unread,
            requested_inputs,
            allow_empty: args.allow_empty,
            operation,
            definitions: Vec::new(),
            schemas,
            resources: RunResources::default(),
            versions: read_for(operation, settings),
            explains_proofs: settings.explains_proofs,
            subjects: SubjectFiles::default(),
            prepared: Vec::new(),
        };
        let progress = Progress::new("checking", loaded.sources.files().len());
        loaded.collect_resources();
        loaded.subjects =
            subjects::read_subjects(loaded.sources.files(), &loaded.paths, settings.parameters());
        let read = loaded.run_context(catalog).read_files(loaded.sources.files(), |parsed, reading| {
            progress.step();
            PreparedDefinitions::read_for(operation, parsed, (reading, loaded.versions))
        });
        (loaded.readings, loaded.prepared) = read.into_iter().unzip();
        progress.end();
        if loaded.readings.iter().any(|reading| reading.uses_definitions) {
            loaded.definitions = configured_definitions(settings)?;
            loaded.read_dependents(catalog, |reading| reading.uses_definitions);
        }
        loaded.unread_templates();
        loaded.check_parameters(settings)?;
        Ok(loaded)
    })
}

/// The servers that inputs are checked for. What is compiled and verified is read as the newest server reads it, and written for others.
fn read_for(operation: Operation, settings: &Settings) -> KubernetesVersions {
    match operation {
        Operation::Compile | Operation::Verify => KubernetesVersions::default(),
        _ => settings.kubernetes(),
    }
}

/// True if nothing in a file is of a known kind. A file with syntax errors may have been anything.
fn is_unknown(reading: &FileReading) -> bool {
    !reading.contents.is_known() && !reading.has_errors()
}

/// True if a file has something that `check` looks at, or syntax errors.
fn is_checked(reading: &FileReading) -> bool {
    reading.contents.has_input_of(Operation::Check) || reading.has_errors()
}

/// `; 3 files of no known kind`, or nothing.
pub(crate) fn unknown_files_note(files: usize) -> String {
    if files == 0 { String::new() } else { format!("; {} of no known kind", count_noun(files, "file")) }
}

/// The stack of every thread: nesting in a file is nesting on the stack, and documents may be hundreds of levels deep. Pages that
/// are not touched cost nothing.
pub(crate) const STACK: usize = 64 << 20;

/// As many threads as the options ask for.
pub(crate) fn thread_pool(args: &InputArgs) -> Result<rayon::ThreadPool, Failure> {
    let threads = args.jobs.map_or(0, std::num::NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}

/// Refuses values of the command line for parameters that no RuleSet has.
pub(crate) fn refuse_unknown_parameters(
    given: &BTreeMap<String, String>,
    known: &[&str],
) -> Result<(), Failure> {
    let Some(name) = given.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let help = suggest_nearest(name, known.iter().copied())
        .unwrap_or_else(|| "a RuleSet declares it in `parameters`".to_owned());
    Err(Failure::new(format!("no RuleSet has the parameter `{name}`")).help(help))
}

impl LoadedFiles {
    /// All findings, file by file.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.readings.iter().flat_map(|reading| reading.diagnostics.iter().cloned()).collect()
    }

    /// Refuses values of the command line for parameters that no RuleSet has.
    fn check_parameters(&self, settings: &Settings) -> Result<(), Failure> {
        let sets = || self.readings.iter().flat_map(|reading| &reading.rule_sets);
        let known: Vec<&str> = sets().flat_map(|set| set.parameters.names()).collect();
        let has_errors = self.readings.iter().any(FileReading::has_errors);
        if has_errors { Ok(()) } else { refuse_unknown_parameters(settings.parameters(), &known) }
    }

    /// True if the inputs have units that an API server gets, as they are or in a compiled form.
    pub(crate) fn has_server_units(&self) -> bool {
        let engines = [UnitEngine::Server, UnitEngine::Admission, UnitEngine::CompiledAdmission];
        self.readings.iter().any(|reading| reading.contents.is_evaluated_by(&engines))
    }

    /// Repairs a file, with the findings of the Kubernetes versions that it was read for.
    pub(crate) fn fix_file(
        &self,
        file: &SourceFile,
        catalog: &Catalog,
        options: &FixOptions<'_>,
    ) -> FixedFile {
        let run = RunResources::default().with_versions(self.versions);
        let context = ReadContext::new(catalog).with_resources(&run).with_subjects(&self.subjects);
        kvrules::fix_file_in(file, &context, options)
    }

    /// Reads some of the files again; their texts have changed.
    pub(crate) fn read_again(&mut self, indices: &[usize], catalog: &Catalog) {
        let run = RunResources::default().with_versions(self.versions);
        let context = ReadContext::new(catalog).with_resources(&run).with_subjects(&self.subjects);
        let files = self.sources.files();
        let read = |index: &usize| files.get(*index).map(|file| kvrules::read_file(file, &context));
        let readings: Vec<_> = indices.par_iter().map(read).collect();
        self.replace_readings(indices, readings);
        self.apply_definitions(catalog);
    }

    /// Reads the files again whose findings depend on other files.
    pub(crate) fn apply_definitions(&mut self, catalog: &Catalog) {
        self.collect_resources();
        let depends = |reading: &FileReading| reading.uses_definitions || reading.contents.has_policies();
        self.read_dependents(catalog, depends);
    }

    /// Collects the definitions and policies to which those of other files refer.
    fn collect_resources(&mut self) {
        let files: Vec<_> = self.sources.files().iter().chain(self.schemas.files()).collect();
        let resources =
            RunResources::of_files(&files).with_versions(self.versions).with_proofs(self.explains_proofs);
        // `docs` refuses inputs with errors, and shows no warnings.
        let shows_warnings = self.operation != Operation::Document;
        self.resources = if shows_warnings { resources } else { resources.for_errors() };
    }

    /// Reads some of the files again, with the definitions of extra specs of the configuration and of the inputs.
    fn read_dependents(&mut self, catalog: &Catalog, depends: impl Fn(&FileReading) -> bool) {
        let mut readings = std::mem::take(&mut self.readings);
        let run = self.run_context(catalog);
        run.read_dependents(self.sources.files(), &mut readings, &self.definitions, depends);
        self.readings = readings;
    }

    /// The facts that the files share.
    fn run_context<'a>(&'a self, catalog: &'a Catalog) -> RunContext<'a> {
        RunContext { catalog, resources: &self.resources, subjects: &self.subjects }
    }

    fn replace_readings(&mut self, indices: &[usize], readings: Vec<Option<FileReading>>) {
        for (index, reading) in indices.iter().zip(readings) {
            if let (Some(place), Some(reading)) = (self.readings.get_mut(*index), reading) {
                *place = reading;
            }
        }
    }

    /// The inputs without anything that the operation applies to. What cannot be read is not such an input: that is reported by
    /// itself. What no command applies to is reported by `check`.
    pub(crate) fn vacant(&self) -> VacantInputs<'_> {
        let files: HashMap<&str, &FileReading> =
            self.sources.files().iter().map(SourceFile::name).zip(&self.readings).collect();
        let unread: HashSet<&str> = self.unread.iter().map(|unread| unread.name.as_str()).collect();
        VacantInputs::of_operation(&self.requested_inputs, self.allow_empty, self.operation, |file| {
            let reading = files.get(file).filter(|_| !unread.contains(file))?;
            let is_reported = match self.operation {
                Operation::Check => reading.contents.has_unchecked_units() || reading.has_errors(),
                _ => !reading.contents.is_known() && reading.has_errors(),
            };
            (!is_reported).then_some(&reading.contents)
        })
    }

    /// True if everything could be read, and something was recognized in every input.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread.is_empty() && !self.vacant().is_fault()
    }

    /// Reports what could not be read, and where nothing was recognized.
    pub(crate) fn tell_unread(&self, terminal: &Terminal) {
        self.unread.iter().for_each(|unread| terminal.unread(unread));
        self.vacant().report_vacant(terminal);
    }

    /// Shows errors, what could not be read, and where nothing was recognized. Unless the status is clean, nothing may be written.
    pub(crate) fn report_errors(&self, terminal: &Terminal) -> Status {
        let options = RenderOptions { color: terminal.paint_error().0, ..RenderOptions::default() };
        let mut errors = self.diagnostics();
        errors.retain(|found| found.level == Level::Error);
        let text = render_findings(RenderFormat::Human, &errors, &self.sources, &options);
        if !text.is_empty() {
            print_error(&format!("{text}\n"));
        }
        self.tell_unread(terminal);
        match (self.is_whole(), errors.is_empty()) {
            (false, _) => Status::RunError,
            (true, false) => Status::Findings,
            (true, true) => Status::Clean,
        }
    }

    /// `; 3 files of no known kind`, or nothing.
    pub(crate) fn unknown(&self) -> String {
        unknown_files_note(self.readings.iter().filter(|reading| is_unknown(reading)).count())
    }

    /// Summarises the checked files and the findings, in one line.
    pub(crate) fn summary(&self) -> String {
        match self.checked() {
            Some(checked) => format!("{checked}: {}{}", self.found(), self.unknown()),
            None => self.nothing(),
        }
    }

    /// Describes the number of files that were checked, and their contents. `None` without any file.
    pub(crate) fn checked(&self) -> Option<String> {
        let files = self.readings.iter().filter(|reading| is_checked(reading)).count();
        (files > 0).then(|| {
            format!("checked {}{}, {}", count_noun(files, "file"), self.templates(files), self.amount())
        })
    }

    /// The summary where [`Self::checked`] is none.
    pub(crate) fn nothing(&self) -> String {
        format!("nothing was checked{}", self.unknown())
    }

    /// Says how many of the checked files are templates, of which only what stands between the tags was checked.
    fn templates(&self, files: usize) -> String {
        let templates = self.readings.iter().filter(|reading| reading.templated.is_some()).count();
        match templates {
            0 => String::new(),
            _ if templates == files => " (as written, not rendered)".to_owned(),
            1 => " (1 a template, as written and not rendered)".to_owned(),
            _ => format!(" ({templates} of them templates, as written and not rendered)"),
        }
    }

    /// Counts templates as unread that break off before their rules.
    fn unread_templates(&mut self) {
        let read = self.sources.files().iter().zip(&self.readings);
        self.unread.extend(read.filter_map(|(file, reading)| {
            let Some(TemplateReadability::Unread(span)) = reading.templated else { return None };
            let message = "the template cannot be read without rendering".to_owned();
            let help = Some("render it and check the result".to_owned());
            Some(UnreadFile {
                name: file.name().to_owned(),
                at: Some(file.position_at(span.start)),
                message,
                help,
            })
        }));
    }

    /// The failure that the operation has nothing to work on.
    pub(crate) fn without_rules(&self) -> Failure {
        let files = count_noun(self.readings.len(), "file");
        let units = self.readings.iter().flat_map(|reading| &reading.contents.units);
        let subjects: BTreeSet<_> = units.map(|unit| unit.kind.subject).collect();
        let subjects: Vec<_> = subjects.into_iter().collect();
        Failure::new(format!("no rules were found in {files}; nothing was written"))
            .help(vacant_help(self.operation, &subjects))
    }

    /// The number of parts, such as rules, of the units that the operation applies to.
    pub(crate) fn count_parts(&self) -> usize {
        self.readings.iter().map(|reading| reading.contents.count_parts(self.operation)).sum()
    }

    /// Describes the number of units of each kind.
    fn amount(&self) -> String {
        let mut amounts = self.amounts();
        if amounts.is_empty() {
            amounts.push("0 rules".to_owned());
        }
        amounts.join(", ")
    }

    /// True if the inputs have anything that is checked.
    pub(crate) fn has_units(&self) -> bool {
        let units = self.readings.iter().flat_map(|reading| &reading.contents.units);
        units.into_iter().any(|unit| unit.kind.operations.contains(&Operation::Check))
    }

    fn amounts(&self) -> Vec<String> {
        let mut counts: HashMap<&UnitKind, (usize, usize)> = HashMap::new();
        for unit in self.readings.iter().flat_map(|reading| &reading.contents.units) {
            let (units, parts) = counts.entry(unit.kind).or_default();
            *units += 1;
            *parts += unit.parts;
        }
        let checked = all_unit_kinds().filter(|kind| kind.operations.contains(&Operation::Check));
        let counted = checked.filter_map(|kind| Some((kind, counts.get(kind)?)));
        counted.map(|(kind, (units, parts))| kind.describe_amount(*units, *parts)).collect()
    }

    /// `2 errors, 1 warning`, or `no findings`.
    pub(crate) fn found(&self) -> String {
        describe_levels(
            self.readings.iter().flat_map(|reading| &reading.diagnostics).map(|found| found.level),
        )
    }
}
