//! `kvrules compile`: from rules to the files of each target.

mod fidelity;
mod list;
mod losses;
pub(super) mod outcome;
pub(super) mod templates;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use kvrules::{
    Catalog, ElaboratedSet, Emitter, Level, Operation, Options, Request, TargetOutput, Template,
    UnavailableTarget,
};

use self::list::{ListFormat, list_targets};
use self::losses::LossArgs;
use super::verify;
use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, load_files_with};
use crate::options::{Global, InputArgs, KubernetesArgs, ParameterArgs, SubjectArgs};
use crate::outputs::{OutputRequest, WritePlan};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::targets::TargetArgs;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules compile                      compile the inputs of kvrules.toml
  kvrules compile templates/ --target openapi,cel --out-dir build
  kvrules compile vm.yaml --target openapi -o -
  kvrules compile --loss error         fail unless every target is exact
  kvrules compile --loss-report loss.json
  kvrules compile --check              for CI: fail if committed output is stale
  kvrules compile --diff               show the changes as a diff
  kvrules compile --list-targets       list targets and options

Fidelity of a target to a rule: exact, wider (accepts more than the rule), narrower (accepts less), \
incomparable (accepts more here, less there), or unsupported. Unless --loss is set, narrower and \
incomparable are errors, and warnings if an option of the target causes them; wider and unsupported are warnings.

Exit status:
  0  everything is compiled, or up to date
  1  a rule has an error, --loss does not allow the loss of a target, or (with --check or --diff)
     output would change; nothing is written
  2  a file could not be read, parsed or written";

/// Compile rules to every target, and report how exact each is
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compile {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// List the targets and their options, and exit
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "human")]
    #[arg(conflicts_with_all = ["paths", "target", "option", "output", "out_dir", "check", "diff", "prune"])]
    list_targets: Option<ListFormat>,
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    generation: GenerateArgs,
}

/// Targets, the treatment of losses, and where the files go: the options of every command that generates targets.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(in crate::commands) struct GenerateArgs {
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    losses: LossArgs,
    /// Write to this directory, each target to a subdirectory with its name
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Write the only file of a single target to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Directory of document templates that replace built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Write nothing; list the files that would change, and fail if there are any
    #[arg(long)]
    check: bool,
    /// Write nothing; show the changes as a diff, and fail if there are any
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Write nothing unless `kvrules verify` succeeds
    #[arg(long)]
    verify: bool,
    /// Remove files of earlier runs that are no longer generated
    #[arg(long, conflicts_with_all = ["check", "diff", "output"])]
    prune: bool,
    /// Overwrite files that kvrules did not write, and a damaged list of generated files
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    force: bool,
}

impl Compile {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        if let Some(format) = self.list_targets {
            terminal.print(&list_targets(format, terminal.paint()))?;
            return Ok(Status::Clean);
        }
        let settings = Settings::load(global, terminal)?
            .with_kubernetes(&self.kubernetes)
            .with_parameters(&self.parameters);
        let generator = self.generation.generator(&settings, "kvrules compile")?;
        let about = settings.about(&self.subject)?;
        let (schemas, _) = settings.definition_sources(&self.subject)?;
        let loaded = load_files_with(&self.inputs, Operation::Compile, &settings, &about.catalog, schemas)?;
        let status = loaded.report_errors(terminal);
        note_warnings(&loaded, terminal);
        if status == Status::Clean && loaded.count_parts() == 0 && !loaded.has_server_units() {
            return Err(loaded.without_rules());
        }
        if status != Status::Clean {
            terminal.print_status(&format!("{}; nothing was written", loaded.summary()));
            return Ok(status);
        }
        let input = loaded.compile_input()?;
        if let Some(failure) = input.only_unknown().filter(|_| loaded.count_parts() == 0) {
            return Err(failure);
        }
        input.report_unknown(terminal);
        let request = Request {
            templates: &generator.templates,
            ..input.request(&about, &generator.options, &settings)
        };
        generator.run(&request, &about.catalog, terminal)
    }
}

/// The targets of a run with their options, ready to generate files.
pub(in crate::commands) struct Generator<'a> {
    args: &'a GenerateArgs,
    settings: &'a Settings,
    targets: Vec<&'static Emitter>,
    pub(in crate::commands) options: Options,
    templates: Vec<Template>,
    /// The command to repeat, for messages.
    command: &'static str,
    /// True if `--out-dir` holds the files of a single target itself, without a directory for each target.
    pub(in crate::commands) is_flat: bool,
}

impl GenerateArgs {
    /// Reads the options and the configuration.
    pub(in crate::commands) fn generator<'a>(
        &'a self,
        settings: &'a Settings,
        command: &'static str,
    ) -> Result<Generator<'a>, Failure> {
        self.only_one_result()?;
        let targets = self.targets.chosen(settings);
        let options = self.targets.options(settings)?;
        let configured = || settings.config.templates.as_ref().map(|path| settings.path(path));
        let root = self.templates.clone().or_else(configured);
        let templates = root.map_or_else(|| Ok(Vec::new()), |root| templates::read_templates(&root))?;
        Ok(Generator { args: self, settings, targets, options, templates, command, is_flat: false })
    }

    /// Standard output holds one thing: a file, a report, what would change, or else the table.
    fn only_one_result(&self) -> Result<(), Failure> {
        let printed = self.output.as_deref() == Some(Path::new("-"));
        if printed && (self.check || self.diff) {
            return Err(Failure::new("standard output has no earlier content to compare with")
                .help("use `--check` and `--diff` with `--out-dir` or with a file"));
        }
        if self.losses.is_printed() && (printed || self.check || self.diff) {
            return Err(Failure::new("the report and the output cannot both go to standard output")
                .help("give `--loss-report` a file"));
        }
        Ok(())
    }
}

impl Generator<'_> {
    /// Returns a request for rule sets with the options of the run.
    pub(in crate::commands) fn request<'r>(&'r self, sets: &'r [ElaboratedSet]) -> Request<'r> {
        Request {
            options: &self.options,
            templates: &self.templates,
            servers: self.settings.kubernetes(),
            ..Request::for_virtual_machines(sets)
        }
    }

    /// Generates the targets of a request and writes them, or compares them with earlier files.
    pub(in crate::commands) fn run(
        &self,
        request: &Request<'_>,
        catalog: &Catalog,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let (targets, left_out) =
            self.args.targets.available(&self.targets, request, self.settings, terminal)?;
        let outputs = kvrules::compile_targets(&targets, request).map_err(|error| match targets.len() {
            0 | 1 => Failure::new(error.message),
            _ => Failure::new(error.message).help("to leave out a target, select the others with `--target`"),
        })?;
        if self.args.verify
            && let Some(status) = verify::verify_before_write(&targets, request, catalog, terminal)
        {
            return Ok(status);
        }
        self.write(request, &outputs, &left_out, terminal)
    }

    /// Reports what is lost; where that is not an error, writes, or compares with what is there.
    fn write(
        &self,
        request: &Request<'_>,
        outputs: &[TargetOutput],
        left_out: &[UnavailableTarget],
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let args = self.args;
        let losses = args.losses.report(self.settings, request.sets, outputs).without_unavailable(left_out);
        let amount = fidelity::compiled_amount(request);
        let printed = args.output.as_deref() == Some(Path::new("-"));
        let text = if printed { only_file(outputs)? } else { "" };
        let plan = if printed { WritePlan::default() } else { self.plan(outputs)? };
        let is_refused = losses.error_count() > 0;
        let writes = !(printed || args.check || args.diff);
        if writes && !is_refused {
            plan.carry_out(args.prune, args.force)?;
        }
        // An empty table would only be a heading.
        if writes && !args.losses.is_printed() && !losses.sets.is_empty() {
            terminal.print(&(fidelity::fidelity_table(&amount, &losses, terminal.paint()) + "\n"))?;
        }
        fidelity::report_losses(&losses, terminal);
        fidelity::report_restated(&losses, terminal);
        args.losses.write(&losses, terminal)?;
        if is_refused {
            losses::report_refusal(&losses, terminal);
            return Ok(Status::Findings);
        }
        match (printed, args.check, args.diff) {
            (true, ..) => terminal.print_file(text)?,
            (_, true, _) => return outcome::print_check(&plan, self.command, terminal),
            (_, _, true) => return outcome::print_differences(&plan, terminal),
            _ => self.conclude(&plan, outputs, terminal),
        }
        if outputs.iter().all(|output| output.output_files().next().is_none()) {
            let message = match outputs {
                [_] => "the target expresses none of the rules",
                _ => "no target expresses any of the rules",
            };
            return Err(Failure::new(message).help("`kvrules compile --list-targets` lists the others"));
        }
        Ok(Status::Clean)
    }

    /// Plans where all outputs go.
    fn plan(&self, outputs: &[TargetOutput]) -> Result<WritePlan, Failure> {
        if let Some(path) = &self.args.output {
            return WritePlan::single(path.clone(), only_file(outputs)?.to_owned());
        }
        let directories: Vec<_> =
            outputs.iter().map(|output| (output.target, self.directory(output.target))).collect();
        let wanted = outputs.iter().zip(&directories).flat_map(|(output, (target, directory))| {
            output.output_files().map(|file| OutputRequest {
                target,
                directory: directory.clone(),
                path: file.path.clone(),
                text: file.text.clone(),
            })
        });
        WritePlan::new(&directories, wanted.collect(), self.args.prune)
    }

    fn directory(&self, target: &str) -> PathBuf {
        let settings = self.settings;
        let own = settings.config.target.get(target).and_then(|target| target.out_dir.as_ref());
        match (&self.args.out_dir, own) {
            (Some(directory), _) if self.is_flat && self.targets.len() == 1 => directory.clone(),
            (Some(directory), _) => directory.join(target),
            (None, Some(own)) => settings.path(own),
            (None, None) => settings.path(&settings.config.out_dir).join(target),
        }
    }

    fn conclude(&self, plan: &WritePlan, outputs: &[TargetOutput], terminal: &Terminal) {
        outcome::note_earlier(plan, self.args.prune, terminal);
        let places = self.places(outputs);
        outcome::say_written(plan, &places, terminal);
    }

    /// Returns the output directories or file, as the user named them.
    fn places(&self, outputs: &[TargetOutput]) -> Vec<PathBuf> {
        let settings = self.settings;
        if let Some(place) = self.args.output.as_ref().or(self.args.out_dir.as_ref()) {
            return vec![place.clone()];
        }
        let place = |output: &TargetOutput| {
            let own = settings.config.target.get(output.target).and_then(|target| target.out_dir.as_ref());
            settings.path(own.unwrap_or(&settings.config.out_dir))
        };
        outputs.iter().map(place).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Names the number of warnings, if there are no errors. They are for `check`: a bundle may have hundreds, between which what
/// compiling has to say would be lost.
fn note_warnings(loaded: &LoadedFiles, terminal: &Terminal) {
    let found = || loaded.readings.iter().flat_map(|reading| &reading.diagnostics);
    let count = |level| found().filter(|found| found.level == level).count();
    let warnings = count(Level::Warning);
    if count(Level::Error) == 0 && warnings > 0 {
        terminal
            .note(&format!("`kvrules check` reports {} about the rules", count_noun(warnings, "warning")));
    }
}

/// The text of the only file, for `--output`.
fn only_file(outputs: &[TargetOutput]) -> Result<&str, Failure> {
    let mut files = outputs.iter().flat_map(TargetOutput::output_files);
    match (files.next(), files.count()) {
        (Some(file), 0) => Ok(&file.text),
        (None, _) => Err(Failure::new("no file to write to `--output`")),
        (Some(_), more) => Err(Failure::new(format!(
            "`--output` accepts a single file, but there are {}",
            more + 1
        ))
        .help(
            "choose one target with `--target` and one rule set or definition version, or use `--out-dir`",
        )),
    }
}
