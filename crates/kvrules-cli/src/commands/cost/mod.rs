//! `kvrules cost`: what the rules of CustomResourceDefinitions and RuleSets cost, and the bounds that make them affordable.

mod html;
mod human;
mod inputs;
mod json;
mod layout;
mod matrix;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kvrules::crd::{
    CostOptions, DefinitionCost, DefinitionMatrix, Headroom, KubernetesVersions, RunResources, cost_matrix,
    estimate_costs, rule_set_costs, rule_set_matrix, with_bounds,
};
use kvrules::rule_set::RuleSet;
use kvrules::{FileContents, FileId, Operation, SourceFile, detect_contents, largest_first};
use rayon::ThreadPool;
use rayon::prelude::*;

use self::inputs::{CostInput, CostInputs, read_inputs, read_rule_sets, refuse_unpriced};
use crate::failure::{Failure, Status};
use crate::inputs::{VacantInputs, WantedContent, find_files, thread_pool};
use crate::naming::NamingBase;
use crate::options::{Global, InputArgs, KubernetesArgs};
use crate::outputs::{replace_if_unchanged, sweep_beside, unified_diff};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules cost crd.yaml                 every rule with its cost, the most expensive first
  kvrules cost web.yaml                 the same for the CEL of a RuleSet
  kvrules cost --over config/crd/       rules that the server would reject, and bounds to fix them
  kvrules cost --rewrite crd.yaml       equivalent rules that cost less, by proof
  kvrules cost --diff crd.yaml          show the bounds of --fix as a diff
  kvrules cost --fix crd.yaml           write them
  kvrules cost --fix --kubernetes 1.28..1.36 crd.yaml
                                        bounds under which all of these versions take the rules
  kvrules cost --output-format json crd.yaml
  kvrules cost --output-format html crd.yaml > cost.html
  kvrules cost --matrix crd.yaml        the share of the budget on every known Kubernetes version
  kvrules cost --kubernetes 1.28..1.30 crd.yaml
  kvrules cost --rewrite --kubernetes 1.28..1.36 crd.yaml
                                        equivalent rules that all of these versions take

The cost is the estimate that the API server makes when a definition is written. One rule, with all its \
evaluations, and one messageExpression may cost 10,000,000; all of one version 100,000,000. The rules of a RuleSet have these \
limits if they can be in a definition; servers do not estimate the costs of policies.

Proposed bounds are rounded and leave half of a budget free, because rules grow and servers change their estimates. \
With --headroom 0 they are as wide as possible: raise any of them by one and the rule is too expensive again.

Exit status:
  0  nothing is over its budget, or nothing has one
  1  something is, or was until --fix wrote bounds that do not suffice; with --diff, something would change; with --rewrite,
     a selected Kubernetes version rejects a rule
  2  a file could not be read or written
  3  nothing is over its budget, but some expressions have no cost; `kvrules check` reports why";

/// Show the cost of CEL rules, and the bounds that they need
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cost {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    kubernetes: KubernetesArgs,
    /// Show the share of the budget by Kubernetes version
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    matrix: bool,
    /// Format of the report
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: Format,
    /// Show only costs over budget
    #[arg(long)]
    over: bool,
    /// Show equivalent rules that cost less
    #[arg(long, conflicts_with_all = ["matrix", "diff"])]
    rewrite: bool,
    /// Write bounds that bring rules under their budgets; larger objects will be rejected
    #[arg(long)]
    fix: bool,
    /// Write nothing; show the changes of `--fix` as a diff, and fail if there are any
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Percentage of a budget that the proposed bounds leave free; with 0 they are as wide as possible and not rounded
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = clap::value_parser!(u8).range(0..=99))]
    headroom: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// For programs
    Json,
    /// An HTML page with pictures
    Html,
}

/// A file and what its rules cost: on the newest server, or by version.
struct PricedFile<C> {
    source: SourceFile,
    /// Path of the file, if it is one.
    path: Option<PathBuf>,
    costs: Vec<C>,
    /// The text with bounds, if some are to be written.
    bounded: Option<String>,
    /// True if a parser found errors, so that definitions may be missing.
    is_broken: bool,
    /// Number of definitions whose cost depends on parameters of a template.
    undecided: usize,
    /// RuleSets whose rules no server evaluates.
    unpriced: Vec<RuleSet>,
}

/// The files of a run with their costs.
struct PricedRun<C> {
    files: Vec<PricedFile<C>>,
    resources: RunResources,
    pool: ThreadPool,
    /// True if every file was read to its end, and every input has something with a cost.
    is_whole: bool,
}

impl Cost {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?.with_kubernetes(&self.kubernetes);
        if let Some(versions) = self.matrix_versions(&settings) {
            return self.show_matrix(&settings, versions, terminal);
        }
        self.estimate_files(&settings, terminal)
    }

    /// Estimates costs on the newest server.
    fn estimate_files(&self, settings: &Settings, terminal: &mut Terminal) -> Result<Status, Failure> {
        let options = CostOptions {
            headroom: Headroom::from_percent(self.headroom),
            finds_cheaper: self.rewrite,
            servers: settings.kubernetes(),
            greatest: self.fix || self.diff,
        };
        let run = self.price_files(settings, terminal, |input, resources| {
            PricedFile::estimated(input.copy_source(), input.path.clone(), options, resources)
        })?;
        let PricedRun { files: mut priced, resources, pool, is_whole } = run;
        let broken = priced.iter().filter(|file| file.is_broken).count();
        if broken > 0 {
            terminal.note(&format!(
                "{} cannot be read completely; `kvrules check` reports why",
                count_noun(broken, "file")
            ));
        }
        let undecided = report_undecided(&priced, terminal);
        let is_whole = is_whole && undecided == 0;
        if self.diff {
            return show_difference(&priced, is_whole, terminal);
        }
        let mut is_written = true;
        if self.fix {
            (priced, is_written) = pool.install(|| write_bounds(priced, options, &resources, terminal))?;
        }
        self.show(&priced, settings, terminal)?;
        let definitions = || priced.iter().flat_map(|file| &file.costs);
        let is_over = definitions().any(|definition| {
            !human::exceeded_budgets(definition).is_empty() || human::rejected_rules(definition) > 0
        });
        let is_priced = definitions().all(|definition| human::unpriced(definition) == 0);
        Ok(match (is_whole && is_written, is_over) {
            (false, _) => Status::RunError,
            (true, true) => Status::Findings,
            (true, false) if !is_priced => Status::Inconclusive,
            (true, false) => Status::Clean,
        })
    }

    /// Reads the files and estimates their costs. Reports what could not be read, and inputs without anything that has a cost.
    fn price_files<C: Send>(
        &self,
        settings: &Settings,
        terminal: &Terminal,
        price: impl Fn(&CostInput, &RunResources) -> PricedFile<C> + Sync,
    ) -> Result<PricedRun<C>, Failure> {
        let found = find_files(&self.inputs, settings, WantedContent::Rules)?;
        let pool = thread_pool(&self.inputs)?;
        let CostInputs { files, unread, resources } = pool.install(|| read_inputs(&found.files));
        let size = |input: &CostInput| input.source.text().len();
        let files = pool.install(|| largest_first(&files, size, |input| price(input, &resources)));
        let unread: Vec<_> = found.unread.into_iter().chain(unread).collect();
        for file in &unread {
            terminal.unread(file);
        }
        if files.iter().all(|file| file.costs.is_empty()) {
            refuse_unpriced(files.iter().flat_map(|file| &file.unpriced))?;
        }
        let without = unpriced_contents(&files);
        let (allow_empty, operation) = (self.inputs.allow_empty, Operation::EstimateCost);
        let vacant = VacantInputs::of_operation(&found.requested_inputs, allow_empty, operation, |file| {
            without.get(file)
        });
        vacant.report_vacant(terminal);
        let is_whole = unread.is_empty() && !vacant.is_fault() && files.iter().all(|file| !file.is_broken);
        Ok(PricedRun { files, resources, pool, is_whole })
    }

    /// The versions whose costs are shown side by side; `None` for the costs on the newest server.
    fn matrix_versions(&self, settings: &Settings) -> Option<KubernetesVersions> {
        let writes = self.fix || self.diff;
        let versions = settings.kubernetes();
        if self.rewrite && !self.matrix {
            return None;
        }
        match (
            self.matrix && settings.config.kubernetes.is_none(),
            self.matrix || !versions.is_newest_alone(),
        ) {
            (true, _) => Some(KubernetesVersions::all_known()),
            (false, true) if !writes => Some(versions),
            _ => None,
        }
    }

    fn show_matrix(
        &self,
        settings: &Settings,
        versions: KubernetesVersions,
        terminal: &mut Terminal,
    ) -> Result<Status, Failure> {
        let run = self.price_files(settings, terminal, |input, resources| {
            PricedFile::by_version(input, versions, resources)
        })?;
        let PricedRun { files, is_whole, .. } = run;
        let rows = || files.iter().map(|file| (&file.source, file.costs.as_slice()));
        let text = match self.output_format {
            Format::Json => matrix::render_json(rows(), versions, self.over),
            Format::Html => html::render_grids(rows(), self.over, &NamingBase::new(None, settings)),
            Format::Human => matrix::render_human(rows(), self.over, terminal.paint()),
        };
        terminal.print(&text)?;
        let is_over = files.iter().flat_map(|file| &file.costs).any(matrix::is_over);
        Ok(match (is_whole, is_over) {
            (false, _) => Status::RunError,
            (true, true) => Status::Findings,
            (true, false) => Status::Clean,
        })
    }

    fn show(
        &self,
        priced: &[PricedFile<DefinitionCost>],
        settings: &Settings,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let files = || priced.iter().map(|file| (&file.source, file.costs.as_slice()));
        match self.output_format {
            Format::Json => terminal.print(&json::render_json(files(), self.over)),
            Format::Html => {
                terminal.print(&html::render_bars(files(), self.over, &NamingBase::new(None, settings)))
            }
            Format::Human => {
                let text = human::render_human(files(), self.over, terminal.paint());
                terminal.print(&text)?;
                terminal.print_status(&human::cost_summary(priced.iter().flat_map(|file| &file.costs)));
                Ok(())
            }
        }
    }
}

/// The contents of the files without anything that has a cost.
fn unpriced_contents<C>(priced: &[PricedFile<C>]) -> HashMap<String, FileContents> {
    let without =
        priced.iter().filter(|file| file.costs.is_empty() && !file.is_broken && file.undecided == 0);
    without.map(|file| (file.source.name().to_owned(), detect_contents(&file.source))).collect()
}

impl<C> PricedFile<C> {
    /// Prices the definitions and the RuleSets of a file.
    fn priced(
        source: SourceFile,
        path: Option<PathBuf>,
        resources: &RunResources,
        mut costs: Vec<C>,
        of_set: impl Fn(&RuleSet) -> C,
    ) -> Self {
        let found = read_rule_sets(&source, path.as_deref(), resources);
        costs.extend(found.sets.iter().map(of_set));
        let is_broken = kvrules::crd::is_broken(&source) || found.is_broken;
        Self { source, path, costs, bounded: None, is_broken, undecided: 0, unpriced: found.unpriced }
    }
}

impl PricedFile<DefinitionMatrix> {
    fn by_version(input: &CostInput, versions: KubernetesVersions, resources: &RunResources) -> Self {
        let source = input.copy_source();
        let costs = cost_matrix(&source, versions);
        Self::priced(source, input.path.clone(), resources, costs, |set| rule_set_matrix(set, versions))
    }
}

impl PricedFile<DefinitionCost> {
    fn estimated(
        source: SourceFile,
        path: Option<PathBuf>,
        options: CostOptions,
        resources: &RunResources,
    ) -> Self {
        let costs = estimate_costs(&source, options);
        let bounded = with_bounds(&source, &costs);
        let undecided = kvrules::crd::undecided_costs(&source);
        let priced = Self::priced(source, path, resources, costs, |set| rule_set_costs(set, options));
        Self { bounded, undecided, ..priced }
    }
}

/// Writes the bounds and estimates the cost again. The result also states if all files were written.
fn write_bounds(
    mut priced: Vec<PricedFile<DefinitionCost>>,
    options: CostOptions,
    resources: &RunResources,
    terminal: &Terminal,
) -> Result<(Vec<PricedFile<DefinitionCost>>, bool), Failure> {
    if priced.iter().any(|file| file.path.is_none() && file.bounded.is_some()) {
        let help = "name the file, or see the change with `--diff`";
        return Err(Failure::new("cannot write bounds to standard input").help(help));
    }
    sweep_beside(priced.iter().filter_map(|file| file.path.as_deref()));
    let (mut written, mut unwritten) = (0, 0);
    for file in &mut priced {
        let Some((path, bounded)) = file.path.as_deref().zip(file.bounded.as_deref()) else { continue };
        match replace_if_unchanged(path, file.source.text(), bounded) {
            Ok(_) => written += 1,
            Err(why) => {
                terminal.failure(&why.failure(file.source.name()));
                unwritten += 1;
                file.bounded = None;
            }
        }
    }
    if written > 0 {
        terminal.print_status(&format!("wrote bounds to {}", count_noun(written, "file")));
    }
    let again = |file: PricedFile<DefinitionCost>| match file.bounded {
        Some(text) => {
            let source = SourceFile::new(FileId(0), file.source.name(), text);
            PricedFile::estimated(source, file.path, options, resources)
        }
        None => file,
    };
    Ok((priced.into_par_iter().map(again).collect(), unwritten == 0))
}

/// Shows the bounds that would be written.
fn show_difference(
    priced: &[PricedFile<DefinitionCost>],
    is_read: bool,
    terminal: &mut Terminal,
) -> Result<Status, Failure> {
    let mut changes = 0;
    for file in priced {
        let Some(bounded) = &file.bounded else { continue };
        changes += 1;
        terminal.print(&unified_diff(Path::new(file.source.name()), Some(file.source.text()), bounded))?;
    }
    terminal.print_status(&match changes {
        0 => "nothing would change".to_owned(),
        number => format!("`--fix` would write bounds to {}", count_noun(number, "file")),
    });
    Ok(match (is_read, changes) {
        (false, _) => Status::RunError,
        (true, 0) => Status::Clean,
        (true, _) => Status::Findings,
    })
}

/// Reports definitions whose cost depends on parameters; returns their number.
fn report_undecided(priced: &[PricedFile<DefinitionCost>], terminal: &Terminal) -> usize {
    let undecided: usize = priced.iter().map(|file| file.undecided).sum();
    if undecided > 0 {
        let definitions = count_noun(undecided, "definition");
        terminal.error(
            &format!("the cost of {definitions} depends on parameters of a template"),
            Some("process the template and estimate the result"),
        );
    }
    undecided
}
