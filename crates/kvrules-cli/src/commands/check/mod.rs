//! `kvrules check`: what is wrong with the rules.

mod classify;
mod fix;
mod old_resources;
mod select;
mod statistics;
mod summary;
mod targets;
mod unchecked_files;
mod watch;

use std::path::PathBuf;

use clap::Args;
use kvrules::render::{RenderFormat, RenderOptions, check_page_url};
use kvrules::{Diagnostic, Level, Operation};

use self::classify::FindingClassifier;
pub(crate) use self::classify::configured_selection;
use self::select::SelectArgs;
use self::summary::print_summary;
use self::targets::TargetsArgs;
use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, load_files_with};
use crate::levels::LevelArgs;
use crate::options::{Global, InputArgs, KubernetesArgs, SubjectArgs, format_parser};
use crate::outputs::replace_file;
use crate::settings::{RuleSubject, Settings};
use crate::terminal::{Terminal, render_findings, to_file};

const EXAMPLES: &str = "\
Examples:
  kvrules check                        check the inputs of kvrules.toml
  kvrules check templates/ vm.yaml     check a directory and a file
  kvrules check 'templates/**/*.yaml'  check the files that a glob matches
  oc get templates -o yaml | kvrules check -
  kvrules check --output-format sarif --output-file kvrules.sarif templates/
  kvrules check --select KV3,missing_key --ignore KV303 templates/
  kvrules check --diff templates/      show the changes of --fix as a diff
  kvrules check --fix templates/       apply fixes, and report remaining findings
  kvrules check --baseline kvrules-baseline.json --write-baseline templates/
  kvrules check --old released/crd.yaml crd.yaml
  kvrules check --kubernetes 1.28..1.36 crd.yaml

Findings go to standard output, the summary to standard error.

Exit status:
  0  no finding at the level of --fail-on or above, shown or not, or --exit-zero is given
  1  at least one such finding
  2  an input could not be read or parsed";

const FIX_EXAMPLES: &str = "\
Examples:
  kvrules fix templates/               apply fixes, and report remaining findings
  kvrules fix --diff templates/        show the changes as a diff, and write nothing
  kvrules fix --unsafe-fixes a.yaml    also apply fixes that may change the meaning of rules
  kvrules fix --select KV106 a.yaml    apply the fixes of one lint

It does what `kvrules check --fix` does.

Exit status:
  0  no finding remains at the level of --fail-on or above, or --exit-zero is given; with --diff, nothing would change
  1  at least one finding remains; with --diff, something would change
  2  an input could not be read, parsed or written";

/// Check rules and report problems
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Check {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    /// Format of findings
    #[arg(long, alias = "format", value_name = "FORMAT", default_value = "human", value_parser = format_parser())]
    output_format: RenderFormat,
    /// Write findings to this file
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    levels: LevelArgs,
    /// Address of the pages of lints, for links in terminals and SARIF: `{page}` is replaced by the name of a page [default: the
    /// configuration's]
    #[arg(long, value_name = "URL", value_parser = page_url)]
    page_url: Option<String>,
    /// Exit with 0 despite findings; files that cannot be read still make it 2
    #[arg(long)]
    exit_zero: bool,
    /// Show the number of findings of each lint instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Show the proofs of KC308, KC310, KC311 and KC313: the facts they use and the cases they try, as far as a separate checker accepts them
    #[arg(long)]
    explain_proof: bool,
    #[command(flatten)]
    targets: TargetsArgs,
    #[command(flatten)]
    selection: SelectArgs,
    /// Check definitions and policies as updates of those in FILE: unchanged parts have to meet fewer requirements
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "fix", "diff"])]
    old: Vec<PathBuf>,
    #[command(flatten)]
    fix: fix::FixArgs,
    /// Check again whenever a file changes
    #[arg(long)]
    watch: bool,
}

fn page_url(url: &str) -> Result<String, String> {
    check_page_url(url).map(|()| url.to_owned())
}

/// Apply safe fixes, and report what remains
#[derive(Debug, Args)]
#[command(after_help = FIX_EXAMPLES, mut_arg("fix", |arg| arg.hide(true)))]
#[command(mut_arg("watch", |arg| arg.hide(true)), mut_arg("old", |arg| arg.hide(true)))]
#[command(mut_arg("write_baseline", |arg| arg.hide(true)))]
#[command(mut_group("repairing", |group| group.arg("unsafe_fixes")))]
pub(crate) struct Fix {
    #[command(flatten)]
    check: Check,
}

impl Fix {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        self.check.run_fixes(global, terminal)
    }
}

impl Check {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        if self.watch {
            return watch::watch_files(self, global, terminal);
        }
        let settings = Settings::load(global, terminal)?
            .with_kubernetes(&self.kubernetes)
            .with_proofs(self.explain_proof);
        let (about, mut loaded) = self.load(&settings)?;
        old_resources::check_as_update(&self.old, &mut loaded, terminal)?;
        if self.fix.is_requested() {
            return fix::run_fixes(self, &settings, &about.catalog, loaded, terminal);
        }
        self.report(&settings, &loaded, terminal)
    }

    /// Repairs what has a fix, as with `--fix`; with `--diff`, shows the changes.
    ///
    /// # Errors
    ///
    /// Options that have no meaning for repairs.
    fn run_fixes(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        if self.watch || !self.old.is_empty() || self.selection.write_baseline {
            let without = "`--watch`, `--old` and `--write-baseline` cannot be used with `kvrules fix`";
            return Err(Failure::new(without).help("use `kvrules check`"));
        }
        let settings = Settings::load(global, terminal)?
            .with_kubernetes(&self.kubernetes)
            .with_proofs(self.explain_proof);
        let (about, loaded) = self.load(&settings)?;
        fix::run_fixes(self, &settings, &about.catalog, loaded, terminal)
    }

    /// Reads the inputs: rules of annotations with the schema of their objects, and policies with the definitions among the schemas.
    fn load(&self, settings: &Settings) -> Result<(RuleSubject, LoadedFiles), Failure> {
        let (about, ambiguity) = settings.checked_subject(&self.subject)?;
        let (schemas, _) = settings.definition_sources(&self.subject)?;
        let loaded = load_files_with(&self.inputs, Operation::Check, settings, &about.catalog, schemas)?;
        match ambiguity {
            Some(failure) if loaded.readings.iter().any(|reading| !reading.sets.is_empty()) => Err(failure),
            _ => Ok((about, loaded)),
        }
    }

    /// Shows what was found in what was read. `--watch` comes here after every change.
    fn report(
        &self,
        settings: &Settings,
        loaded: &LoadedFiles,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let classifier = FindingClassifier::new(self, settings, terminal)?;
        let lowest = self.levels.lowest();
        if self.selection.write_baseline {
            classifier.accept(loaded, |found| found.level >= lowest, terminal)?;
            loaded.tell_unread(terminal);
            return Ok(if loaded.is_whole() { Status::Clean } else { Status::RunError });
        }
        let selected = classifier.classify_findings(loaded);
        let (shown, hidden): (Vec<_>, Vec<_>) =
            selected.findings.iter().cloned().partition(|found| found.level >= lowest);
        self.show(&shown, settings, loaded, terminal)?;
        loaded.tell_unread(terminal);
        let overlooked = unchecked_files::report_unchecked(loaded, terminal);
        print_summary(loaded, &selected, &shown, &hidden, terminal);
        let status = self.status(loaded, &selected.findings);
        Ok(if overlooked && !loaded.allow_empty { Status::RunError } else { status })
    }

    /// Returns the status of a run with these findings.
    fn status(&self, loaded: &LoadedFiles, findings: &[Diagnostic]) -> Status {
        let failing = findings.iter().any(|found| self.levels.fails(found.level));
        match (loaded.is_whole(), failing && !self.exit_zero) {
            (false, _) => Status::RunError,
            (true, true) => Status::Findings,
            (true, false) => Status::Clean,
        }
    }

    fn show(
        &self,
        found: &[Diagnostic],
        settings: &Settings,
        loaded: &LoadedFiles,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let paint = if self.output_file.is_some() { terminal.paint_file() } else { terminal.paint() };
        let tool_version = kvrules::VERSION.to_owned();
        let passing = if self.exit_zero { Some(Level::Error) } else { self.levels.passing() };
        let summaries = kvrules::all_lints().iter().map(|lint| (lint.code, lint.summary)).collect();
        let configured = || settings.config.lint.page_url.as_ref().map(|url| url.get_ref().clone());
        let options = RenderOptions {
            color: paint.0,
            tool_version,
            summaries,
            passing,
            page_url: self.page_url.clone().or_else(configured),
            links_codes: self.output_file.is_none() && terminal.shows_links(),
            ..RenderOptions::default()
        };
        let text = if self.statistics {
            statistics::render_statistics(self.output_format, found, paint)?
        } else {
            render_findings(self.output_format, found, &loaded.sources, &options)
        };
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
