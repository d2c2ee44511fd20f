//! `kvrules flavor check`: are the extra specs of flavors and the properties of images right?

use std::path::{Path, PathBuf};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use kvrules::extra_specs::{
    CheckMode, DefinitionConflict, FlavorChecker, FlavorFindings, Flavors, ValidationMode, parse_arguments,
    read_flavor_file,
};
use kvrules::render::{RenderFormat, RenderOptions, one_line};
use kvrules::{Diagnostic, Level, Sources};

use crate::definitions::{DefinitionArgs, OwnDefinitions};
use crate::failure::{Failure, Status};
use crate::inputs::InputSource;
use crate::levels::{LevelArgs, hidden_findings_hint};
use crate::options::{Global, format_parser};
use crate::outputs::replace_file;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::{Terminal, render_findings, to_file};
use crate::text::UnreadFile;

const EXAMPLES: &str = "\
Examples:
  kvrules flavor check hw:cpu_policy=dedicated hw:numa_nodes=2
  kvrules flavor check flavors.yaml
  openstack flavor list --long -f json | kvrules flavor check -
  kvrules flavor check --validation permissive --definitions acme.yaml flavors.json
  kvrules flavor check --nova-compat --output-format json flavors.json

Arguments with `=` are pairs, others are files; write `./a=b` for a file with `=` in its name.

Exit status:
  0  Nova's definitions and yours accept every extra spec
  1  an extra spec is rejected, or there is a finding at the level of --fail-on or above
  2  an input could not be read or parsed";

/// Check extra specs: keys, values and deprecations
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Check {
    /// Extra specs, files of flavors in YAML or JSON, or `-` for standard input
    #[arg(value_name = "KEY=VALUE|FILE", required = true)]
    given: Vec<String>,
    /// Treatment of undefined keys and invalid values: `strict` rejects both, `permissive` only notes undefined keys on standard
    /// error, `off` checks nothing [default: strict, or with --nova-compat as in Nova's API]
    #[arg(long, value_name = "MODE", value_parser = validation_parser())]
    validation: Option<ValidationMode>,
    /// Behave exactly as Nova's own code, with its messages
    #[arg(long)]
    nova_compat: bool,
    #[command(flatten)]
    definitions: DefinitionArgs,
    #[command(flatten)]
    levels: LevelArgs,
    /// Format of findings
    #[arg(long, alias = "format", value_name = "FORMAT", default_value = "human", value_parser = format_parser())]
    output_format: RenderFormat,
    /// Write findings to this file
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,
}

/// Input that was read.
#[derive(Debug, Default)]
struct LoadedFlavors {
    sources: Sources,
    flavors: Vec<Flavors>,
    unread: Vec<UnreadFile>,
}

fn validation_parser() -> impl TypedValueParser<Value = ValidationMode> {
    PossibleValuesParser::new(ValidationMode::ALL.map(ValidationMode::as_str))
        .try_map(|word| word.parse::<ValidationMode>())
}

impl Check {
    pub(super) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let given = self.definitions.read(&settings)?;
        let loaded = self.load()?;
        if self.validation == Some(ValidationMode::Off) {
            loaded.unread.iter().for_each(|unread| terminal.unread(unread));
            return Ok(if loaded.unread.is_empty() { Status::Clean } else { Status::RunError });
        }
        let mode = CheckMode { validation: self.validation, nova: self.nova_compat };
        let checker = FlavorChecker::new(given.layers.clone(), mode);
        let mut evaluated = FlavorFindings::default();
        for flavors in &loaded.flavors {
            let one = checker.check_flavors(flavors);
            evaluated.findings.extend(one.findings);
            evaluated.logged.extend(one.logged);
        }
        let lowest = self.levels.lowest();
        let (shown, hidden): (Vec<_>, Vec<_>) =
            evaluated.findings.iter().cloned().partition(|found| found.level >= lowest);
        self.show(&shown, &settings, &loaded.sources, terminal)?;
        given.report_problems(&conflict_findings(&checker), terminal);
        tell_logged(&evaluated.logged, &loaded.sources, terminal);
        loaded.unread.iter().for_each(|unread| terminal.unread(unread));
        terminal.print_status(&format!(
            "{}{}",
            check_summary(&loaded, &evaluated),
            hidden_findings_hint(&hidden)
        ));
        let fails = evaluated.findings.iter().any(|found| self.levels.fails(found.level));
        Ok(check_status(&given, &loaded, fails))
    }

    /// Reads what is given: the pairs together as one flavor, and the files.
    fn load(&self) -> Result<LoadedFlavors, Failure> {
        let (pairs, files): (Vec<_>, Vec<_>) = self.given.iter().partition(|given| is_pair(given));
        if files.iter().any(|file| *file == "-") && files.len() > 1 {
            return Err(Failure::new("standard input (`-`) cannot be read together with files"));
        }
        let mut loaded = LoadedFlavors::default();
        if !pairs.is_empty() {
            let pairs: Vec<&str> = pairs.iter().map(|pair| pair.as_str()).collect();
            let id = loaded.sources.add_file(
                "<arguments>",
                pairs.join(
                    "
",
                ) + "
",
            );
            loaded.flavors.push(parse_arguments(id, &pairs));
        }
        for file in files {
            let input = if file == "-" {
                InputSource::Stdin("<stdin>".to_owned())
            } else {
                InputSource::File(Path::new(file).to_owned())
            };
            match input.read() {
                Ok(text) => loaded.add(input.name(), text),
                Err(unread) => loaded.unread.push(unread),
            }
        }
        Ok(loaded)
    }

    fn show(
        &self,
        found: &[Diagnostic],
        settings: &Settings,
        sources: &Sources,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let paint = if self.output_file.is_some() { terminal.paint_file() } else { terminal.paint() };
        let summaries = kvrules::all_lints().iter().map(|lint| (lint.code, lint.summary)).collect();
        let tool_version = kvrules::VERSION.to_owned();
        let options = RenderOptions {
            color: paint.0,
            tool_version,
            summaries,
            passing: self.levels.passing(),
            page_url: settings.config.lint.page_url.as_ref().map(|url| url.get_ref().clone()),
            links_codes: self.output_file.is_none() && terminal.shows_links(),
            ..RenderOptions::default()
        };
        let text = render_findings(self.output_format, found, sources, &options);
        match &self.output_file {
            Some(path) => replace_file(path, &to_file(&text)),
            // An empty line separates the last excerpt from the summary.
            None if self.output_format == RenderFormat::Human && !text.is_empty() => {
                terminal.print(&format!("{text}\n"))
            }
            None => terminal.print(&text),
        }
    }
}

impl LoadedFlavors {
    fn add(&mut self, name: String, text: String) {
        let id = self.sources.add_file(name, text);
        let read = self.sources.get(id).map(read_flavor_file);
        self.flavors.extend(read);
    }
}

/// True if an argument is a pair: whatever contains `=`, unless a directory comes before it.
fn is_pair(given: &str) -> bool {
    given.split_once('=').is_some_and(|(key, _)| !key.starts_with(['.', '/']))
}

/// Returns the findings about conflicts of an operator's definitions with others.
fn conflict_findings(checker: &FlavorChecker) -> Vec<Diagnostic> {
    checker.registry().conflicts().iter().map(DefinitionConflict::to_diagnostic).collect()
}

fn tell_logged(logged: &[Diagnostic], sources: &Sources, terminal: &Terminal) {
    for found in logged {
        let file = sources.get(found.primary.span.file);
        let place = file.map_or(String::new(), |file| {
            let at = file.position_at(found.primary.span.start);
            format!("{}:{}:{}: ", one_line(file.name()), at.line, at.column)
        });
        let help = found.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        terminal.print_status(&format!("info: {place}{}{}", one_line(&found.message), one_line(&help)));
    }
}

fn check_summary(loaded: &LoadedFlavors, evaluated: &FlavorFindings) -> String {
    let flavors = loaded.flavors.iter().flat_map(|all| &all.flavors);
    let specs: usize = flavors.clone().map(|flavor| flavor.specs.len()).sum();
    let number = |level: Level| evaluated.findings.iter().filter(|found| found.level == level).count();
    let nouns = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "note")];
    let counts: Vec<_> = nouns
        .iter()
        .map(|(level, noun)| (number(*level), noun))
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count_noun(number, noun))
        .collect();
    let counts = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
    let logged = match evaluated.logged.len() {
        0 => String::new(),
        number => format!("; {} without definition", count_noun(number, "key")),
    };
    let images = loaded.flavors.iter().flat_map(|all| &all.images);
    let properties: usize = images.clone().map(|image| image.properties.len()).sum();
    let of_flavors =
        format!("{} in {}", count_noun(specs, "extra spec"), count_noun(flavors.clone().count(), "flavor"));
    let nouns = if properties == 1 { "1 property".to_owned() } else { format!("{properties} properties") };
    let of_images = format!("{nouns} in {}", count_noun(images.clone().count(), "image"));
    let checked = match (flavors.count(), images.count()) {
        (_, 0) => of_flavors,
        (0, _) => of_images,
        _ => format!("{of_flavors}, {of_images}"),
    };
    format!("checked {checked}: {counts}{logged}")
}

fn check_status(given: &OwnDefinitions, loaded: &LoadedFlavors, fails: bool) -> Status {
    match (given.has_errors() || !loaded.unread.is_empty(), fails) {
        (true, _) => Status::RunError,
        (false, true) => Status::Findings,
        (false, false) => Status::Clean,
    }
}
