//! `kvrules verify`: does every target say what the rules mean?

mod human;
mod json;
mod progress;
mod ssp;

use clap::{Args, ValueEnum};
use kvrules::verify::{Report, SspReport, compare_with_validator};
use kvrules::{Catalog, ElaboratedSet, Emitter, Operation, Request};

use self::progress::Progress;
use crate::failure::{Failure, Status};
use crate::inputs::{LoadedFiles, load_files_with, thread_pool};
use crate::options::{Global, InputArgs, KubernetesArgs, ParameterArgs, SubjectArgs};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::targets::TargetArgs;
use crate::terminal::{Terminal, print_error};

const EXAMPLES: &str = "\
Examples:
  kvrules verify templates/                     every rule, every target that enforces rules
  kvrules verify vm.yaml --target cel,openapi
  kvrules verify --output-format json > proof.json
  kvrules verify --against ssp templates/       differences from the deployed validator

For each rule and target, objects are generated for every case of the rule: absent, null, zero \
and defaulted fields, each bound and its neighbours in every spelling, strings that match and that \
do not, lists with no, one and several items. Each object is evaluated against the meaning of the \
rule and against the compiled target. A target that claims to be exact must agree on each; one that \
claims to be wider or narrower must differ only in that direction, and at least for one object.

Exit status:
  0  every claim holds
  1  a claim does not hold, or a rule has an error; with --against, a verdict differs
  2  a file could not be read or parsed, or a target could not be run
  3  no claim was disproved, but there were too many cases to try all, rules are left out of
     every target, or nothing could be compared";

/// Prove that every target has the meaning of the rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Verify {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    #[command(flatten)]
    parameters: ParameterArgs,
    /// Compare the meaning of rules with another engine instead of targets
    #[arg(long, value_name = "ENGINE", value_enum, conflicts_with_all = ["target", "option", "schema"])]
    against: Option<EngineName>,
    /// Format of the report
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// The deployed template validator
    Ssp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// For programs
    Json,
}

impl Verify {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?
            .with_kubernetes(&self.kubernetes)
            .with_parameters(&self.parameters);
        let about = settings.about(&self.subject)?;
        let (schemas, _) = settings.definition_sources(&self.subject)?;
        let loaded = load_files_with(&self.inputs, Operation::Verify, &settings, &about.catalog, schemas)?;
        loaded.tell_unread(terminal);
        if let Some(EngineName::Ssp) = self.against {
            return self.against_ssp(&loaded, terminal);
        }
        let targets = self.targets.chosen(&settings);
        let options = self.targets.options(&settings)?;
        let is_unread = !loaded.is_whole();
        let errors = loaded.readings.iter().filter(|reading| reading.has_errors()).count();
        let mut input = loaded.compile_input()?;
        input.report_unknown(terminal);
        let left_out = LeftOutRule::of(&input.sets);
        // A set of which every rule is left out is in no target.
        input.sets.retain(|set| !set.rules.is_empty());
        let request = input.request(&about, &options, &settings);
        let has_input = !input.is_empty();
        if !has_input && left_out.is_empty() && errors == 0 {
            return Err(Failure::new("no rules to verify"));
        }
        let targets = self.targets.available(&targets, &request, &settings, terminal)?.0;
        if has_input && !targets.iter().any(|target| is_verifiable(target, &request)) {
            return Err(Failure::new("nothing to verify: documents enforce no rules")
                .help("choose a target that enforces rules, such as `cel`"));
        }
        let progress = Progress::new();
        let show = |done, of| progress.show_progress(done, of);
        let report = thread_pool(&self.inputs)?
            .install(|| kvrules::verify::verify_targets(&targets, &request, &about.catalog, &show));
        progress.end();
        self.print_report(&report, &left_out, errors, terminal)?;
        Ok(match verify_status(&report, is_unread) {
            Status::Clean | Status::Inconclusive if errors > 0 => Status::Findings,
            // Nothing is proved for rules that were left out, or without any comparison.
            Status::Clean if !left_out.is_empty() || report.comparisons == 0 => Status::Inconclusive,
            status => status,
        })
    }

    /// Prints a report. No target expresses the `left_out` rules, and `errors` files have errors.
    fn print_report(
        &self,
        report: &Report,
        left_out: &[LeftOutRule],
        errors: usize,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let text = match self.output_format {
            Format::Human => {
                human::render_human(report, terminal.paint()) + &human::left_out(left_out, terminal.paint())
            }
            Format::Json => json::render_json(report, left_out, errors),
        };
        terminal.print(&text)?;
        terminal.print_status(&(human::verify_summary(report) + &human::left_out_note(left_out.len())));
        for set in &report.reduced {
            terminal.note(&format!(
                "the rules of {set} are many and its objects large: each rule was tried with fewer objects"
            ));
        }
        if errors > 0 {
            terminal.note(&format!("errors in {}; `kvrules check` reports them", count_noun(errors, "file")));
        }
        Ok(())
    }

    fn against_ssp(&self, loaded: &LoadedFiles, terminal: &mut Terminal) -> Result<Status, Failure> {
        let report = thread_pool(&self.inputs)?.install(|| {
            let mut report = SspReport::default();
            for source in loaded.sources.files() {
                report.extend_with(kvrules::with_documents(source, |file| {
                    compare_with_validator(&file.documents, file.input.name())
                }));
            }
            report
        });
        if report.rules == 0 {
            return Err(Failure::new("no rules to compare"));
        }
        let text = match self.output_format {
            Format::Human => ssp::render_ssp_report(&report, terminal.paint()),
            Format::Json => json::render_ssp_json(&report),
        };
        terminal.print(&text)?;
        terminal.print_status(&ssp::ssp_summary(&report));
        Ok(match (loaded.unread.is_empty(), report.departures.is_empty()) {
            (false, _) => Status::RunError,
            (true, false) => Status::Findings,
            (true, true) => Status::Clean,
        })
    }
}

/// Verifies before anything is written: nothing if every claim holds, and otherwise what came of it, which is reported.
pub(crate) fn verify_before_write(
    targets: &[&'static Emitter],
    request: &Request<'_>,
    catalog: &Catalog,
    terminal: &Terminal,
) -> Option<Status> {
    let progress = Progress::new();
    let report = kvrules::verify::verify_targets(targets, request, catalog, &|done, of| {
        progress.show_progress(done, of);
    });
    progress.end();
    let status = Some(verify_status(&report, false)).filter(|status| *status != Status::Clean)?;
    print_error(&human::render_human(&report, terminal.paint_error()));
    terminal.print_status(&format!("{}; nothing was written", human::verify_summary(&report)));
    Some(status)
}

/// True if a target expresses rules or definitions of the request in a form that can be run.
fn is_verifiable(target: &Emitter, request: &Request<'_>) -> bool {
    let of_definitions = target.extra_specs.is_some() && !request.definitions.is_empty();
    let of_resources = target.expresses_versions(request);
    of_definitions || of_resources || (target.enforces_rules() && !request.sets.is_empty())
}

/// A rule that no target says, so that nothing can be proved of it.
#[derive(Debug)]
struct LeftOutRule {
    set: String,
    rule: String,
    cause: String,
}

impl LeftOutRule {
    /// Those of all sets.
    fn of(sets: &[ElaboratedSet]) -> Vec<Self> {
        let of_set = |set: &ElaboratedSet| {
            let name = set.name.clone();
            let rules = set.left_out.iter().map(move |rule| Self {
                set: name.clone(),
                rule: rule.name.clone(),
                cause: rule.cause.text.clone(),
            });
            rules.collect::<Vec<_>>()
        };
        sets.iter().flat_map(of_set).collect()
    }
}

fn verify_status(report: &Report, is_unread: bool) -> Status {
    match (is_unread, report.all_claims_hold(), report.is_inconclusive()) {
        (true, ..) => Status::RunError,
        (_, false, _) => Status::Findings,
        (_, true, true) => Status::Inconclusive,
        (_, true, false) => Status::Clean,
    }
}
