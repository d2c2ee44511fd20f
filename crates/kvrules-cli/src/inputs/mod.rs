//! The files of a run: found, read and understood, in an order that does not depend on how many work on it.

mod exclude;
mod find;
mod glob;
mod listing;
mod requested;

pub(crate) use find::{InputSource, WantedContent, find_files, has_extension, is_readable, search_files};
pub(crate) use listing::{IGNORE_FILES, SearchExclusions};
pub(crate) use requested::{ANNOTATIONS, KINDS, RequestedInput, SoughtContent, VacantInputs};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use kvrules::{Catalog, Diagnostic, FileReading, Level, SourceFile, Sources, TemplateReadability};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::options::InputArgs;
use crate::progress::Progress;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::text::UnreadFile;

/// Files that were read.
#[derive(Debug, Default)]
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
    pub(crate) asked: Vec<RequestedInput>,
    /// True if inputs in which nothing is recognized are not an error.
    pub(crate) allow_empty: bool,
}

/// Finds and reads the files that the command line or the configuration names. Their rules are about objects with the
/// catalog's fields.
pub(crate) fn load_files(
    args: &InputArgs,
    settings: &Settings,
    catalog: &Catalog,
) -> Result<LoadedFiles, Failure> {
    let found = find_files(args, settings, WantedContent::Rules)?;
    let pool = thread_pool(args)?;
    pool.install(|| {
        let texts: Vec<_> = found.files.par_iter().map(|input| (input, input.read())).collect();
        let mut loaded = LoadedFiles {
            unread: found.unread,
            asked: found.asked,
            allow_empty: args.allow_empty,
            ..LoadedFiles::default()
        };
        for (input, text) in texts {
            match text {
                Ok(text) => {
                    loaded.sources.add_file(input.name(), text);
                    loaded.paths.push(input.path().map(Path::to_owned));
                }
                Err(unread) => loaded.unread.push(unread),
            }
        }
        let progress = Progress::new("checking", loaded.sources.files().len());
        let read = |file: &SourceFile| {
            let reading = kvrules::read_rules_with(file, catalog);
            progress.step();
            reading
        };
        loaded.readings = kvrules::largest_first(loaded.sources.files(), |file| file.text().len(), read);
        progress.end();
        loaded.unread_templates();
        Ok(loaded)
    })
}

/// True if nothing in a file is of a known kind. A file with syntax errors may have been anything.
fn is_unknown(reading: &FileReading) -> bool {
    !reading.contents.is_known() && !reading.has_errors()
}

/// True if a file has something that `check` looks at, or syntax errors.
fn is_checked(reading: &FileReading) -> bool {
    reading.contents.checked > 0 || reading.contents.is_broken || reading.has_errors()
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

impl LoadedFiles {
    /// All findings, file by file.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.readings.iter().flat_map(|reading| reading.diagnostics.iter().cloned()).collect()
    }

    /// The inputs in which nothing was recognized. What cannot be read is not such an input: that is reported by itself.
    pub(crate) fn vacant(&self) -> VacantInputs<'_> {
        let files = || self.sources.files().iter().zip(&self.readings);
        let unknown: HashSet<&str> =
            files().filter(|(_, reading)| is_unknown(reading)).map(|(file, _)| file.name()).collect();
        let unread: HashSet<&str> = self.unread.iter().map(|unread| unread.name.as_str()).collect();
        VacantInputs::new(&self.asked, self.allow_empty, |file| {
            !unknown.contains(file) || unread.contains(file)
        })
    }

    /// True if everything could be read, and something was recognized in every input.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread.is_empty() && !self.vacant().is_fault()
    }

    /// Reports what could not be read, and where nothing was recognized.
    pub(crate) fn tell_unread(&self, terminal: &Terminal) {
        self.unread.iter().for_each(|unread| terminal.unread(unread));
        self.vacant().report_vacant(KINDS, terminal);
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

    /// The failure that there is nothing to make anything of.
    pub(crate) fn without_rules(&self) -> Failure {
        let files = count_noun(self.readings.len(), "file");
        Failure::new(format!("no rules were found in {files}; nothing was written"))
            .help("rules are in the annotation `vm.kubevirt.io/validations`; `kvrules check` reports what was recognised")
    }

    /// The number of extra specs that are defined.
    pub(crate) fn extra_specs(&self) -> usize {
        self.readings.iter().map(|reading| reading.definitions.len()).sum()
    }

    /// The number of templates of VirtualMachines, with rules or without.
    pub(crate) fn templates_found(&self) -> usize {
        self.readings.iter().map(|reading| reading.templates).sum()
    }

    /// The number of rules.
    pub(crate) fn rules(&self) -> usize {
        self.readings.iter().map(|reading| reading.rules).sum()
    }

    fn amount(&self) -> String {
        let sets = self.readings.iter().map(|reading| reading.sets.len()).sum();
        let rules = format!("{} in {}", count_noun(self.rules(), "rule"), count_noun(sets, "rule set"));
        let mut parts = Vec::new();
        if self.extra_specs() > 0 {
            parts.push(count_noun(self.extra_specs(), "extra spec"));
        }
        parts.extend(self.kubernetes());
        if self.rules() == 0 && self.templates_found() > 0 {
            parts.push(format!("{} without rules", count_noun(self.templates_found(), "template")));
        }
        if self.rules() > 0 || parts.is_empty() {
            parts.insert(0, rules);
        }
        parts.join(", ")
    }

    /// Definitions with their rules, and policies; nothing if there are none.
    pub(crate) fn kubernetes(&self) -> Vec<String> {
        let sum = |number: fn(&FileReading) -> usize| self.readings.iter().map(number).sum::<usize>();
        let definitions = sum(|reading| reading.kubernetes.definitions);
        let rules = count_noun(sum(|reading| reading.kubernetes.rules), "rule");
        let policies = sum(|reading| reading.kubernetes.policies);
        let definitions =
            (definitions > 0).then(|| format!("{} with {rules}", count_noun(definitions, "definition")));
        let policies = match policies {
            0 => None,
            1 => Some("1 policy or binding".to_owned()),
            number => Some(format!("{number} policies and bindings")),
        };
        definitions.into_iter().chain(policies).collect()
    }

    /// `2 errors, 1 warning`, or `no findings`.
    pub(crate) fn found(&self) -> String {
        let nouns = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "note")];
        let levels =
            || self.readings.iter().flat_map(|reading| &reading.diagnostics).map(|found| found.level);
        let counted = nouns.map(|(level, noun)| (levels().filter(|found| *found == level).count(), noun));
        let counts: Vec<_> = counted
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| count_noun(*number, noun))
            .collect();
        if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") }
    }
}
