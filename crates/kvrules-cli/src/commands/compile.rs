//! `kvrules compile`: from rules to the files of each target.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, builder::PossibleValuesParser};
use ignore::WalkBuilder;
use kvrules::render::{Format, Options, render};
use kvrules::{ElaboratedSet, Emitter, Output, Reading, Request, Template};

use super::fidelity;
use crate::failure::{Failure, Status};
use crate::inputs::{Loaded, load};
use crate::options::{Global, InputArgs, SubjectArgs};
use crate::outputs::{Plan, Wanted, unified};
use crate::settings::Settings;
use crate::terminal::{Terminal, tell};
use crate::text::{Unread, read_text};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kvrules compile                      compile what kvrules.toml names
  kvrules compile templates/ --target openapi,cel --out-dir build
  kvrules compile vm.yaml --target openapi -o -
  kvrules compile --check              for CI: fail if committed output is stale
  kvrules compile --diff               show what compiling would change

A rule that a target cannot say exactly is listed with its cause. Nothing is written when a
rule has an error. The exit status is 0 when all is compiled, 1 when a rule has an error or
(with --check or --diff) output would change, and 2 when something could not be read or
written.";

/// Compile rules to every target, and say how exact each result is
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compile {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// The targets to compile to, or `all` [default: the configuration's targets, else all]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = targets())]
    target: Vec<String>,
    /// Write to this directory, each target to one of its own name in it
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Write the only file of the only target here; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A directory of document templates that replace built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Write nothing; fail if anything would change, and name it
    #[arg(long)]
    check: bool,
    /// Write nothing; show what would change, and fail if anything would
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Remove files of earlier runs that are no longer produced
    #[arg(long, conflicts_with_all = ["check", "diff", "output"])]
    prune: bool,
}

fn targets() -> PossibleValuesParser {
    PossibleValuesParser::new(kvrules::targets().iter().map(|target| target.name).chain(["all"]))
}

impl Compile {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let targets = self.chosen(&settings);
        let templates = self.read_templates(&settings)?;
        let catalog = settings.catalog(&self.subject)?;
        let loaded = load(&self.inputs, &settings, &catalog)?;
        let status = report(&loaded, terminal);
        if status != Status::Clean {
            terminal.say(&format!("{}; nothing was written", loaded.summary()));
            return Ok(status);
        }
        let sets = kvrules::unite(loaded.readings.into_iter().flat_map(|reading| reading.sets).collect());
        let request = Request { templates: &templates, subject: catalog.subject(), ..Request::of(&sets) };
        let outputs = kvrules::compile(&targets, &request).map_err(|error| Failure::new(error.message))?;
        if sets.is_empty() && self.output.is_some() {
            return Err(Failure::new("there are no rules to compile"));
        }
        if self.output.as_deref() == Some(Path::new("-")) {
            return self.print(&sets, &outputs, terminal);
        }
        let plan = self.plan(&settings, &outputs)?;
        if self.check {
            return checked(&plan, terminal);
        }
        if self.diff {
            return differences(&plan, terminal);
        }
        plan.carry_out(self.prune)?;
        let paint = terminal.paint();
        // An empty table would only be a heading.
        let table = if sets.is_empty() { String::new() } else { fidelity::table(&sets, &outputs, paint) };
        let table = table + &fidelity::causes(&sets, &outputs, paint);
        terminal.print(&table)?;
        self.conclude(&plan, &self.places(&settings, &targets), terminal);
        Ok(Status::Clean)
    }

    /// The targets that the options ask for, or else the configuration.
    fn chosen(&self, settings: &Settings) -> Vec<&'static Emitter> {
        let configured = settings.config.targets.as_deref().unwrap_or_default();
        let names = if self.target.is_empty() { configured } else { &self.target };
        let all = names.is_empty() || names.iter().any(|name| name == "all");
        let is_chosen = |target: &&&Emitter| all || names.iter().any(|name| name == target.name);
        kvrules::targets().iter().filter(is_chosen).copied().collect()
    }

    /// The user's own document templates, by their names below the directory.
    fn read_templates(&self, settings: &Settings) -> Result<Vec<Template>, Failure> {
        let configured = || settings.config.templates.as_ref().map(|path| settings.path(path));
        let Some(root) = self.templates.clone().or_else(configured) else { return Ok(Vec::new()) };
        let mut templates = Vec::new();
        let walk = WalkBuilder::new(&root).require_git(false).sort_by_file_path(Path::cmp).build();
        for entry in walk {
            let entry = entry.map_err(|error| Failure::new(Unread::walking(&error).to_string()))?;
            if entry.path().is_file() {
                let text = read_text(entry.path()).map_err(|unread| Failure::new(unread.to_string()))?;
                let name = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                templates.push(Template { name: name.to_string_lossy().replace('\\', "/"), text });
            }
        }
        let of_target = |template: &Template| {
            kvrules::targets().iter().any(|target| template.name.starts_with(&format!("{}/", target.name)))
        };
        if !templates.iter().any(of_target) {
            return Err(Failure::new(format!("`{}` holds no template of any target", root.display()))
                .help("they have names such as `markdown/rule_set.md.j2`"));
        }
        Ok(templates)
    }

    /// Where everything goes.
    fn plan(&self, settings: &Settings, outputs: &[Output]) -> Result<Plan, Failure> {
        if let Some(path) = &self.output {
            return Plan::single(path.clone(), only_file(outputs)?.to_owned());
        }
        let directories: Vec<_> =
            outputs.iter().map(|output| (output.target, self.directory(output.target, settings))).collect();
        let wanted = outputs.iter().zip(&directories).flat_map(|(output, (target, directory))| {
            output.emission.files.iter().map(|file| Wanted {
                target,
                directory: directory.clone(),
                path: file.path.clone(),
                text: file.text.clone(),
            })
        });
        Plan::new(&directories, wanted.collect(), self.prune)
    }

    fn directory(&self, target: &str, settings: &Settings) -> PathBuf {
        let own = settings.config.target.get(target).and_then(|target| target.out_dir.as_ref());
        match (&self.out_dir, own) {
            (Some(directory), _) => directory.join(target),
            (None, Some(own)) => settings.path(own),
            (None, None) => settings.path(&settings.config.out_dir).join(target),
        }
    }

    /// `-o -`: the file is the result, so the table goes to standard error.
    fn print(
        &self,
        sets: &[ElaboratedSet],
        outputs: &[Output],
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        if self.check || self.diff {
            return Err(Failure::new("standard output has no earlier state to compare with")
                .help("use `--check` and `--diff` with `--out-dir` or with a file"));
        }
        terminal.print(only_file(outputs)?)?;
        let causes = fidelity::causes(sets, outputs, terminal.paint_error());
        terminal.say(causes.trim());
        Ok(Status::Clean)
    }

    fn conclude(&self, plan: &Plan, places: &[PathBuf], terminal: &Terminal) {
        for path in &plan.stale {
            let what = if self.prune { "removed" } else { "no longer produced" };
            terminal.note(&format!("{what}: {}", path.display()));
        }
        if !plan.stale.is_empty() && !self.prune {
            terminal.say("  `--prune` removes what is no longer produced");
        }
        let written = plan.changed().count();
        let unchanged = plan.files.len() - written;
        let unchanged = if unchanged > 0 { format!(", {unchanged} unchanged") } else { String::new() };
        let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        terminal.say(&format!("\nwrote {} to {}{unchanged}", count(written, "file"), places.join(", ")));
    }

    /// Where output goes, as the user named it.
    fn places(&self, settings: &Settings, targets: &[&Emitter]) -> Vec<PathBuf> {
        if let Some(place) = self.output.as_ref().or(self.out_dir.as_ref()) {
            return vec![place.clone()];
        }
        let place = |target: &&Emitter| {
            let own = settings.config.target.get(target.name).and_then(|target| target.out_dir.as_ref());
            settings.path(own.unwrap_or(&settings.config.out_dir))
        };
        targets.iter().map(place).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Shows findings and files that could not be read. Unless the answer is clean, nothing may be written.
fn report(loaded: &Loaded, terminal: &Terminal) -> Status {
    let options = Options { color: terminal.paint_error().0, ..Options::default() };
    let text = render(Format::Human, &loaded.diagnostics(), &loaded.sources, &options);
    if !text.is_empty() {
        tell(&format!("{text}\n"));
    }
    loaded.unread.iter().for_each(|unread| terminal.unread(unread));
    if loaded.rules() == 0 && !loaded.readings.is_empty() {
        terminal.note(&format!("no rules were found in {}", count(loaded.readings.len(), "file")));
    }
    match (loaded.unread.is_empty(), loaded.readings.iter().any(Reading::has_errors)) {
        (false, _) => Status::Trouble,
        (true, true) => Status::Findings,
        (true, false) => Status::Clean,
    }
}

/// The text of the only file, for `--output`.
fn only_file(outputs: &[Output]) -> Result<&str, Failure> {
    let mut files = outputs.iter().flat_map(|output| &output.emission.files);
    match (files.next(), files.count()) {
        (Some(file), 0) => Ok(&file.text),
        (None, _) => Err(Failure::new("there is no file to write to `--output`")),
        (Some(_), more) => {
            Err(Failure::new(format!("`--output` takes one file, and there are {}", more + 1))
                .help("choose one target with `--target` and one rule set, or use `--out-dir`"))
        }
    }
}

/// `--check`: names what would change.
fn checked(plan: &Plan, terminal: &mut Terminal) -> Result<Status, Failure> {
    let changed = plan.changed().map(|file| {
        let what = if file.old.is_some() { "would change" } else { "would be created" };
        format!("{what}: {}\n", file.path.display())
    });
    let stale = plan.stale.iter().map(|path| format!("no longer produced: {}\n", path.display()));
    let text: String = changed.chain(stale).collect();
    terminal.print(&text)?;
    if text.is_empty() {
        terminal.say(&format!("{} up to date", count(plan.files.len(), "file")));
        return Ok(Status::Clean);
    }
    terminal.say(&format!("{} not up to date; run `kvrules compile`", count(text.lines().count(), "file")));
    Ok(Status::Findings)
}

/// `--diff`: shows what would change.
fn differences(plan: &Plan, terminal: &mut Terminal) -> Result<Status, Failure> {
    let shown = plan.changed().map(|file| {
        let old = file.old.as_deref().map(String::from_utf8_lossy);
        unified(&file.path, old.as_deref(), &file.text)
    });
    terminal.print(&shown.collect::<String>())?;
    for path in &plan.stale {
        terminal.note(&format!("no longer produced: {}", path.display()));
    }
    let same = plan.changed().next().is_none() && plan.stale.is_empty();
    Ok(if same { Status::Clean } else { Status::Findings })
}
