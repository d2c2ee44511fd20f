//! `kvrules test`: suites of cases about rules, in our own format and those of other projects.

mod coverage;
mod disk;
mod github;
mod human;
mod json;
mod junit;
mod mutation;
mod tap;
mod update;
mod watch;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kvrules::crd::KubernetesVersions;
use kvrules::test::{
    CaseResult, CaseStatus, FoundSuites, MeasuredRules, MutationReport, RuleCoverage, SuiteLibrary, TestCase,
    TestSuite, collect_rules, find_format, find_suites, measure_coverage, measure_mutants,
    run_case_on_servers,
};
use kvrules::{Level, Sources};
use rayon::prelude::*;

use self::disk::Disk;
use crate::failure::{Failure, Status};
use crate::inputs::STACK;
use crate::options::{Global, KubernetesArgs};
use crate::paths::display_path;
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules test                          suites below the current directory
  kvrules test widgets.test.yaml        one suite
  kvrules test --filter replicas api/   cases whose name contains `replicas`
  kvrules test --format junit api/ > tests.xml
  kvrules test --kubernetes 1.30..1.36 widgets.test.yaml
  kvrules test --update widgets.test.yaml
  kvrules test --coverage widgets.test.yaml
  kvrules test --watch
  kvrules test --mutate --suggest missing.test.yaml widgets.test.yaml

Suites are files of `kind: RuleTests`, and files named `accept-*.yaml` and `reject-RULE-*.yaml` in a folder \
`tests/` next to the rules. Suites of openshift/api, istio/api, Kyverno (for ValidatingAdmissionPolicies, and \
ValidatingPolicies in plain CEL), kubescape, Gatekeeper (K8sNativeValidation), kat and kaptest are read as they are. \
The format is recognized by the content; --format-of selects one.

Exit status:
  0  all cases are as expected
  1  some cases differ, or a measure is below --fail-under
  2  a suite or a case cannot be read or evaluated, or no case was run";

/// Run test suites for rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Suites, and directories to search for them
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Number of cases to run in parallel [default: number of processors]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Format of the results
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: ResultFormat,
    /// Read every suite in this format
    #[arg(long, value_name = "NAME", value_parser = format_names())]
    format_of: Option<String>,
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    /// Write the actual messages in place of the expected ones
    #[arg(long)]
    update: bool,
    /// Run again whenever a file changes, until interrupted
    #[arg(long, conflicts_with = "update")]
    watch: bool,
    #[command(flatten)]
    measures: MeasureArgs,
}

/// Measures of what the cases reach.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
struct MeasureArgs {
    /// Show which outcomes of rules and branches the cases reach
    #[arg(long)]
    coverage: bool,
    /// Write the coverage to this file, in the format of lcov
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write the coverage to this file as a badge, in the JSON that shields.io reads
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,
    /// Change the rules, and show the changes that no case notices
    #[arg(long)]
    mutate: bool,
    /// Write cases that notice these changes to this file
    #[arg(long, value_name = "FILE")]
    suggest: Option<PathBuf>,
    /// Fail if the coverage or the mutation score is below this percentage
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
}

impl MeasureArgs {
    fn has_coverage(&self) -> bool {
        self.coverage || self.lcov.is_some() || self.badge.is_some()
    }

    fn has_mutants(&self) -> bool {
        self.mutate || self.suggest.is_some()
    }
}

/// Measures of a document with rules.
pub(super) struct Measured<'s> {
    pub(super) rules: MeasuredRules<'s>,
    pub(super) coverage: Vec<RuleCoverage>,
    pub(super) mutation: Option<MutationReport>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ResultFormat {
    /// Text for people
    Human,
    /// For programs
    Json,
    /// XML that most CI services read
    Junit,
    /// Test Anything Protocol, version 14
    Tap,
    /// Annotations of GitHub Actions
    Github,
}

/// The names of the formats of suites.
fn format_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(kvrules::test::FORMATS.iter().map(|format| format.name))
}

/// A suite with the results of its cases.
pub(super) struct RunSuite<'s> {
    pub(super) suite: &'s TestSuite,
    pub(super) cases: Vec<(&'s TestCase, CaseResult)>,
}

/// Number of cases by status, and of errors in suites.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) broken: usize,
    pub(super) skipped: usize,
    pub(super) errors: usize,
}

impl Test {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let unread = |path: &PathBuf| path.metadata().err().map(|error| Failure::file("read", path, &error));
        if let Some(failure) = self.paths.iter().find_map(unread) {
            return Err(failure);
        }
        if self.measures.fail_under.is_some() && !self.measures.has_coverage() && !self.measures.has_mutants()
        {
            let failure = Failure::new("`--fail-under` has nothing to compare");
            return Err(failure.help("add `--coverage`, `--mutate` or both"));
        }
        if self.watch {
            return watch::watch_suites(self, global, terminal);
        }
        self.run_once(&Disk::new(&self.paths), global, terminal)
    }

    /// Runs the suites in files once.
    fn run_once(&self, disk: &Disk<'_>, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?.with_kubernetes(&self.kubernetes);
        let versions = settings.kubernetes();
        let mut library = SuiteLibrary::new(disk);
        let format = self.format_of.as_deref().and_then(find_format);
        let found = find_suites(&mut library, &self.paths, format);
        let mut sources = library.into_sources();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.map_or(0, NonZeroUsize::get))
            .stack_size(STACK)
            .build();
        let pool = pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
        let is_shown = matches!(self.output_format, ResultFormat::Human | ResultFormat::Json);
        if (self.measures.coverage || self.measures.mutate) && !is_shown {
            terminal.note("coverage and mutants are in the formats `human` and `json` only");
        }
        let run = pool.install(|| self.run_suites(&found, versions));
        let measured = pool.install(|| self.measure(&found));
        self.show((&run, &measured), &mut sources, terminal)?;
        self.write_measures(&measured, &sources, terminal)?;
        let counts = Counts::of_suites(&run);
        if self.update {
            update::update_messages(&run, &sources, terminal)?;
        }
        let status = self.finish(&found, counts, terminal);
        Ok(if status == Status::Clean && self.is_below(&measured, terminal) {
            Status::Findings
        } else {
            status
        })
    }

    fn measure<'s>(&self, found: &'s FoundSuites) -> Vec<Measured<'s>> {
        if !self.measures.has_coverage() && !self.measures.has_mutants() {
            return Vec::new();
        }
        let measure = |rules: MeasuredRules<'s>| Measured {
            coverage: if self.measures.has_coverage() { measure_coverage(&rules) } else { Vec::new() },
            mutation: self.measures.has_mutants().then(|| measure_mutants(&rules)),
            rules,
        };
        collect_rules(&found.suites).into_iter().map(measure).collect()
    }

    /// Writes the files that options ask for.
    fn write_measures(
        &self,
        measured: &[Measured<'_>],
        sources: &Sources,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.measures.lcov {
            coverage::write_lcov(path, measured, sources)?;
        }
        if let Some(path) = &self.measures.badge {
            coverage::write_badge(path, measured)?;
        }
        if let Some(path) = &self.measures.suggest {
            mutation::write_suggestions(path, measured, terminal)?;
        }
        Ok(())
    }

    /// True if a measure is below the percentage that is asked for.
    fn is_below(&self, measured: &[Measured<'_>], terminal: &Terminal) -> bool {
        let Some(least) = self.measures.fail_under.map(usize::from) else { return false };
        let mut is_below = false;
        let mut compare = |name: &str, percent: usize| {
            if percent < least {
                terminal.warning(&format!("the {name} is {percent} %, less than {least} %"), None);
                is_below = true;
            }
        };
        let count = coverage::total_count(measured);
        if self.measures.has_coverage() && count.total > 0 {
            compare("coverage", count.to_percent());
        }
        for one in measured {
            if let Some(percent) = one.mutation.as_ref().and_then(MutationReport::total_score) {
                compare("mutation score", percent);
            }
        }
        if measured.is_empty() || self.measures.has_coverage() && count.total == 0 {
            terminal.warning("the cases are about no rules that can be measured", None);
            is_below = true;
        }
        is_below
    }

    fn run_suites<'s>(&self, found: &'s FoundSuites, versions: KubernetesVersions) -> Vec<RunSuite<'s>> {
        let is_wanted = |case: &&TestCase| self.filter.as_ref().is_none_or(|text| case.name.contains(text));
        let all = found
            .suites
            .iter()
            .map(|suite| (suite, suite.cases.iter().filter(is_wanted).collect::<Vec<_>>()));
        let run = |(suite, cases): (&'s TestSuite, Vec<&'s TestCase>)| RunSuite {
            suite,
            cases: cases.into_par_iter().map(|case| (case, run_case_on_servers(case, versions))).collect(),
        };
        all.collect::<Vec<_>>().into_par_iter().map(run).collect()
    }

    fn show(
        &self,
        (run, measured): (&[RunSuite<'_>], &[Measured<'_>]),
        sources: &mut Sources,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        match self.output_format {
            ResultFormat::Human => {
                let mut text = human::render_human(run, sources, terminal);
                if self.measures.has_coverage() {
                    text += &coverage::render_coverage(measured, sources, terminal.paint());
                }
                if self.measures.has_mutants() {
                    text += &mutation::render_mutation(measured, terminal.paint());
                }
                terminal.print(&text)
            }
            ResultFormat::Json => terminal.print(&json::render_json(run, measured, sources)),
            ResultFormat::Junit => terminal.print(&junit::render_junit(run, sources)),
            ResultFormat::Tap => terminal.print(&tap::render_tap(run, sources)),
            ResultFormat::Github => terminal.print(&github::render_github(run, sources)),
        }
    }

    /// Reports what was not run, and returns the status.
    fn finish(&self, found: &FoundSuites, counts: Counts, terminal: &Terminal) -> Status {
        let run = counts.passed + counts.failed + counts.broken;
        if run + counts.skipped + counts.errors > 0 {
            terminal.print_status(&counts.describe());
        }
        for path in &found.vacant {
            let path = display_path(path);
            terminal.error(
                &format!("no test suite in `{path}`"),
                Some("`kvrules test --help` lists the formats"),
            );
        }
        if run == 0 && found.vacant.is_empty() && counts.errors == 0 {
            let (message, help) = match (&self.filter, counts.skipped) {
                (Some(text), 0) => (format!("no case has `{text}` in its name"), None),
                _ => ("no case was run".to_owned(), Some("the results name the reasons")),
            };
            terminal.error(&message, help);
        }
        let is_incomplete = run == 0 || counts.errors > 0 || counts.broken > 0 || !found.vacant.is_empty();
        match (is_incomplete, counts.failed) {
            (true, _) => Status::RunError,
            (false, 0) => Status::Clean,
            (false, _) => Status::Findings,
        }
    }
}

impl Counts {
    fn of_suites(run: &[RunSuite<'_>]) -> Self {
        let mut counts = Self::default();
        for one in run {
            counts.errors += one.suite.findings.iter().filter(|it| it.level == Level::Error).count();
            for (_, result) in &one.cases {
                match result.status {
                    CaseStatus::Passed => counts.passed += 1,
                    CaseStatus::Failed => counts.failed += 1,
                    CaseStatus::Broken => counts.broken += 1,
                    CaseStatus::Skipped => counts.skipped += 1,
                }
            }
        }
        counts
    }

    fn describe(self) -> String {
        let mut parts = vec![format!("{} passed", count_noun(self.passed, "case"))];
        let others = [(self.failed, "failed"), (self.broken, "not evaluated"), (self.skipped, "skipped")];
        parts.extend(
            others.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")),
        );
        if self.errors > 0 {
            parts.push(count_noun(self.errors, "error") + " in suites");
        }
        parts.join(", ")
    }
}
