//! `kvrules import ruleset`: RuleSets from rules in other notations.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::check::path_between;
use kvrules::crd::RunResources;
use kvrules::import::{ImportContext, ImportedRuleSet, RuleSetImport, import_rule_sets, to_yaml};
use kvrules::render::{RenderFormat, RenderOptions};
use kvrules::{Diagnostic, FileContents, Operation, Sources, detect_contents, largest_first};

use crate::failure::{Failure, Status};
use crate::inputs::{InputSource, InputTexts, VacantInputs, WantedContent, find_files, thread_pool};
use crate::options::{Global, InputArgs, format_parser};
use crate::outputs::replace_file;
use crate::paths;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::{Terminal, print_error, render_findings};

const EXAMPLES: &str = "\
Examples:
  kvrules import ruleset crd.yaml > rules.yaml
  kvrules import ruleset config/crd/ -o rules/all.yaml
  kvrules import ruleset policies/ -o rules.yaml
  kvrules import ruleset server.schema.json -o rules.yaml
  kvrules import ruleset templates/ --schema virtualmachines.kubevirt.io.yaml -o rules.yaml
  kvrules import ruleset --output-format json crd.yaml -o rules.yaml

A rule is written in words only if it is proved that words say the same; else it stays an expression, as `cel`, and a keyword of a \
JSON Schema is left out. A note on standard error gives the reason.

Exit status:
  0  the RuleSets are written
  1  rules are left out, because a RuleSet cannot express them
  2  a file could not be read, or has no rules";

/// Convert the rules of CustomResourceDefinitions, admission policies, templates and JSON Schemas to RuleSets, in words where a proof shows that they say the same
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportRuleSet {
    #[command(flatten)]
    inputs: InputArgs,
    /// File with the CustomResourceDefinition of VirtualMachines, for rules of templates
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Format of notes, on standard error
    #[arg(long, alias = "format", value_name = "FORMAT", default_value = "human", value_parser = format_parser())]
    output_format: RenderFormat,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Result of the import of one file.
type FileImport = Result<RuleSetImport, Vec<Diagnostic>>;

impl ImportRuleSet {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let found = find_files(&self.inputs, &settings, WantedContent::Rules)?;
        let pool = thread_pool(&self.inputs)?;
        let InputTexts { mut sources, paths, unread, requested_inputs } = pool.install(|| found.read_texts());
        for file in &unread {
            terminal.unread(file);
        }
        let schema = self.read_schema(&mut sources)?;
        let contents: HashMap<&str, FileContents> =
            sources.files().iter().map(|file| (file.name(), detect_contents(file))).collect();
        let has_input =
            |name: &str| contents.get(name).is_some_and(|contents| contents.has_input_of(Operation::Restate));
        let vacant = VacantInputs::of_operation(
            &requested_inputs,
            self.inputs.allow_empty,
            Operation::Restate,
            |file| contents.get(file).filter(|_| !has_input(file)),
        );
        vacant.report_vacant(terminal);
        let files: Vec<&kvrules::SourceFile> = sources.files().iter().collect();
        let resources = RunResources::of_files(&files);
        let schema = schema.and_then(|(id, path)| Some((sources.get(id)?, path)));
        let numbered: Vec<_> = sources.files().iter().zip(&paths).collect();
        let import = |(file, path): &(&kvrules::SourceFile, &Option<PathBuf>)| -> FileImport {
            if !has_input(file.name()) {
                return Ok(RuleSetImport::default());
            }
            let own_path = path.as_deref().map(|path| self.schema_name(path));
            let context = ImportContext {
                own_path: own_path.as_deref(),
                schema: schema.as_ref().map(|(file, path)| (*file, path.as_str())),
                resources: Some(&resources),
            };
            import_rule_sets(file, context)
        };
        let results: Vec<FileImport> =
            pool.install(|| largest_first(&numbered, |(file, _)| file.text().len(), import));
        if !unread.is_empty() || vacant.is_fault() {
            return Ok(Status::RunError);
        }
        self.report(results, &sources, terminal)
    }

    /// The definition of VirtualMachines, with its path in RuleSets.
    fn read_schema(&self, sources: &mut Sources) -> Result<Option<(kvrules::FileId, String)>, Failure> {
        let Some(path) = &self.schema else { return Ok(None) };
        let input = InputSource::File(path.clone());
        let text = input.read().map_err(|unread| Failure::new(format!("cannot read {unread}")))?;
        Ok(Some((sources.add_file(input.name(), text), self.schema_name(path))))
    }

    /// The path of a definition as a RuleSet in the output names it.
    fn schema_name(&self, path: &Path) -> String {
        let folder = self.output.as_deref().and_then(Path::parent).filter(|it| !it.as_os_str().is_empty());
        match folder {
            Some(folder) => path_between(&paths::absolute_path(folder), &paths::absolute_path(path)),
            None => paths::display_path(path),
        }
    }

    fn report(
        &self,
        results: Vec<FileImport>,
        sources: &Sources,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let (mut all, mut faults) = (RuleSetImport::default(), Vec::new());
        for result in results {
            match result {
                Ok(imported) => {
                    all.sets.extend(imported.sets);
                    all.notes.extend(imported.notes);
                }
                Err(found) => faults.extend(found),
            }
        }
        if !faults.is_empty() {
            self.show(&faults, sources, terminal);
            return Ok(Status::RunError);
        }
        self.show(&all.notes, sources, terminal);
        let counts = all.counts();
        let number = counts.words + counts.cel + counts.left_out;
        if number == 0 {
            return Err(Failure::new("the inputs have no rules; nothing was written".to_owned()));
        }
        let written = with_different_names(all.sets)?;
        let texts: Vec<String> = written.iter().map(|set| to_yaml(&set.document)).collect();
        if !texts.is_empty() {
            self.write(&texts.join("---\n"), terminal)?;
        }
        let wider = match counts.wider {
            0 => String::new(),
            wider => format!("; {wider} accept more than before"),
        };
        terminal.print_status(&format!(
            "imported {}: {} in words, {} as `cel`, {} left out{wider}",
            count_noun(number, "rule"),
            counts.words,
            counts.cel,
            counts.left_out
        ));
        Ok(if counts.left_out > 0 { Status::Findings } else { Status::Clean })
    }

    fn write(&self, text: &str, terminal: &mut Terminal) -> Result<(), Failure> {
        match &self.output {
            Some(path) if path != Path::new("-") => replace_file(path, text),
            _ => terminal.print_file(text),
        }
    }

    /// Shows notes on standard error; the RuleSets have standard output.
    fn show(&self, found: &[Diagnostic], sources: &Sources, terminal: &Terminal) {
        if found.is_empty() && self.output_format == RenderFormat::Human {
            return;
        }
        let tool_version = kvrules::VERSION.to_owned();
        let color = terminal.paint_error().0;
        let options = RenderOptions { color, tool_version, ..RenderOptions::default() };
        let text = render_findings(self.output_format, found, sources, &options);
        print_error(&if text.ends_with('\n') { text } else { text + "\n" });
    }
}

/// The RuleSets that have rules. No two may have the same name.
fn with_different_names(sets: Vec<ImportedRuleSet>) -> Result<Vec<ImportedRuleSet>, Failure> {
    let mut known = HashSet::new();
    for set in &sets {
        if !known.insert(set.name.clone()) {
            let message =
                format!("two inputs become a RuleSet with the name `{}`; nothing was written", set.name);
            return Err(Failure::new(message).help("leave one of them out"));
        }
    }
    let has_rules = |set: &ImportedRuleSet| {
        set.document
            .pointer("/spec/rules")
            .and_then(|rules| rules.as_array())
            .is_some_and(|it| !it.is_empty())
    };
    Ok(sets.into_iter().filter(has_rules).collect())
}
