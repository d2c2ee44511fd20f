//! `kvrules test`: suites of cases about rules, in our own format and those of other projects.

mod disk;
mod github;
mod human;
mod json;
mod junit;
mod tap;
mod update;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kvrules::test::{
    CaseResult, CaseStatus, FoundSuites, SuiteLibrary, TestCase, TestSuite, find_format, find_suites,
    run_case,
};
use kvrules::{Level, Sources};
use rayon::prelude::*;

use self::disk::Disk;
use crate::failure::{Failure, Status};
use crate::inputs::STACK;
use crate::paths::display_path;
use crate::sentences::count_noun;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules test                          suites below the current directory
  kvrules test widgets.test.yaml        one suite
  kvrules test --filter replicas api/   cases whose name contains `replicas`
  kvrules test --format junit api/ > tests.xml
  kvrules test --update widgets.test.yaml

Suites are files of `kind: RuleTests`, and files named `accept-*.yaml` and `reject-RULE-*.yaml` in a folder \
`tests/` next to the rules. Suites of openshift/api, istio/api, Kyverno (for ValidatingAdmissionPolicies, and \
ValidatingPolicies in plain CEL), kubescape, Gatekeeper (K8sNativeValidation), kat and kaptest are read as they are. \
The format is recognized by the content; --format-of selects one.

Exit status:
  0  all cases are as expected
  1  some cases differ
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
    /// Write the actual messages in place of the expected ones
    #[arg(long)]
    update: bool,
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
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        if let Some(missing) = self.paths.iter().find(|path| !path.exists()) {
            let error = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(Failure::file("read", missing, &error));
        }
        let mut library = SuiteLibrary::new(&Disk);
        let format = self.format_of.as_deref().and_then(find_format);
        let found = find_suites(&mut library, &self.paths, format);
        let mut sources = library.into_sources();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.map_or(0, NonZeroUsize::get))
            .stack_size(STACK)
            .build();
        let pool = pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
        let run = pool.install(|| self.run_suites(&found));
        self.show(&run, &mut sources, terminal)?;
        let counts = Counts::of_suites(&run);
        if self.update {
            update::update_messages(&run, &sources, terminal)?;
        }
        Ok(self.finish(&found, counts, terminal))
    }

    fn run_suites<'s>(&self, found: &'s FoundSuites) -> Vec<RunSuite<'s>> {
        let is_wanted = |case: &&TestCase| self.filter.as_ref().is_none_or(|text| case.name.contains(text));
        let all = found
            .suites
            .iter()
            .map(|suite| (suite, suite.cases.iter().filter(is_wanted).collect::<Vec<_>>()));
        let run = |(suite, cases): (&'s TestSuite, Vec<&'s TestCase>)| RunSuite {
            suite,
            cases: cases.into_par_iter().map(|case| (case, run_case(case))).collect(),
        };
        all.collect::<Vec<_>>().into_par_iter().map(run).collect()
    }

    fn show(
        &self,
        run: &[RunSuite<'_>],
        sources: &mut Sources,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        match self.output_format {
            ResultFormat::Human => {
                let text = human::render_human(run, sources, terminal);
                terminal.print(&text)
            }
            ResultFormat::Json => terminal.print(&json::render_json(run, sources)),
            ResultFormat::Junit => terminal.print(&junit::render_junit(run, sources)),
            ResultFormat::Tap => terminal.print(&tap::render_tap(run, sources)),
            ResultFormat::Github => terminal.print(&github::render_github(run, sources)),
        }
    }

    /// Reports what was not run, and returns the status.
    fn finish(&self, found: &FoundSuites, counts: Counts, terminal: &Terminal) -> Status {
        terminal.print_status(&counts.describe());
        for path in &found.vacant {
            let path = display_path(path);
            terminal.error(
                &format!("no test suite in `{path}`"),
                Some("`kvrules test --help` lists the formats"),
            );
        }
        let run = counts.passed + counts.failed + counts.broken;
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
