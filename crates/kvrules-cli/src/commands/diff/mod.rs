//! `kvrules diff`: what changed between two schemas or rule sets, in what they accept.

mod html;
mod human;
mod markdown;
mod side;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kvrules::crd::RunResources;
use kvrules::diff::{
    Change, Corpus, CorpusReport, Diff, EffectAnswer, IncomparableReason, NamedPair, SideFile, UnpairedUnit,
    UpdateOutcome, compare_named_sides,
};
use kvrules::render::json_text;
use kvrules::{Operation, detect_contents};
use serde::Serialize;

use self::side::corpus_inputs;
use crate::failure::{Failure, Status};
use crate::inputs::{applicable_help, inapplicable_message};
use crate::naming::NamingBase;
use crate::options::{Global, SubjectArgs};
use crate::sentences::count_noun;
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::text::UnreadFile;

pub(super) use self::human::describe_limits;
pub(super) use self::side::{SideInput, read_beside, to_unread};

const EXAMPLES: &str = "\
Examples:
  kvrules diff old.yaml new.yaml
  kvrules diff git:HEAD:crds/widgets.yaml crds/widgets.yaml
  kvrules diff git:v1.2:templates templates --fail-on tightened
  kvrules diff old.yaml new.yaml --corpus 'backup/**/*.yaml'
  kvrules diff crd.yaml policy.yaml
  kvrules diff ponds.yaml openapi.yaml --as Pond=PondInput
  kvrules diff git:main:crd.yaml crd.yaml --output-format markdown > comment.md
  kvrules diff git:v1.2:crd.yaml crd.yaml --output-format html > changes.html

OLD and NEW are KubeVirt templates, CustomResourceDefinitions, admission policies, RuleSets, JSON Schemas, OpenAPI \
documents or definitions of extra specs: a file, a directory, or `git:REVISION:PATH`, which is read with \
`git show`. Policies and bindings are compared by the requests that they deny, webhooks as they are written. \
Units are matched by path and name: the template, the CustomResourceDefinition and its \
version, the title of a JSON Schema, the name of a schema in OpenAPI. Templates, definitions, policies, RuleSets and \
schemas are also compared with each other if they are about the same kind of objects; `--as` pairs two by name.

Exit status:
  0  compared; with --fail-on, no change of that kind was found
  1  with --fail-on, a change of that kind was found
  2  a file could not be read, or there was nothing to compare
  3  with --fail-on, no change of that kind was found, and at least one change is undecided";

/// Compare two schemas or rule sets by the objects that they accept
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// Old side: a file, a directory, or `git:REVISION:PATH`
    #[arg(value_name = "OLD")]
    old: String,
    /// New side, in the same form
    #[arg(value_name = "NEW")]
    new: String,
    /// Compare what the old side calls OLD with what the new side calls NEW: a template, definition, policy, RuleSet or schema
    #[arg(long = "as", value_name = "OLD=NEW", value_parser = parse_pair)]
    pairs: Vec<NamedPair>,
    /// Existing objects to check against the new side: files, directories and globs
    #[arg(long, value_name = "GLOB")]
    corpus: Vec<PathBuf>,
    /// Exit with 1 if there are such changes
    #[arg(long, value_name = "CHANGE", value_enum)]
    fail_on: Option<FailOn>,
    /// Format of the report
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: Format,
    /// Show the proofs that changes have no effect: the facts they use and the cases they try, as far as a separate checker accepts them
    #[arg(long)]
    explain_proof: bool,
    #[command(flatten)]
    subject: SubjectArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Something that was accepted is rejected
    Tightened,
    /// Something that was rejected is accepted
    Loosened,
    /// Either
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// For programs
    Json,
    /// For a comment on a pull request
    Markdown,
    /// An HTML page with a timeline of the changes
    Html,
}

/// All that there is to report.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    diff: Diff,
    #[serde(skip_serializing_if = "Option::is_none")]
    corpus: Option<CorpusReport>,
}

/// Splits `OLD=NEW`.
fn parse_pair(text: &str) -> Result<NamedPair, String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err("write the name on the old side, `=`, and the name on the new side".to_owned()),
    }
}

impl Compare {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?;
        let (about, unchosen) = settings.checked_subject(&self.subject)?;
        let (schemas, _) = settings.definition_sources(&self.subject)?;
        let old = SideInput::read(&self.old, 0, &settings, &about.catalog, &schemas)?;
        let new = SideInput::read(&self.new, old.next, &settings, &about.catalog, &schemas)?;
        let units = || old.parts.iter().chain(&new.parts).flat_map(|part| &part.units);
        if let Some(failure) = unchosen.filter(|_| units().any(|unit| unit.content.is_about_catalog())) {
            return Err(failure);
        }
        let mut unread: Vec<UnreadFile> = old.unread.into_iter().chain(new.unread).collect();
        for (name, parts) in [(&self.old, &old.parts), (&self.new, &new.parts)] {
            if parts.iter().all(|part| part.units.is_empty()) && unread.is_empty() {
                return Err(nothing_to_compare(name, parts));
            }
        }
        for unread in &unread {
            terminal.unread(unread);
        }
        if [&old.parts, &new.parts].iter().any(|parts| parts.iter().all(|part| part.units.is_empty())) {
            return Ok(Status::RunError);
        }
        let files = old.parts.iter().map(|part| &part.source).chain(schemas.files());
        let files: Vec<_> = files.chain(new.parts.iter().map(|part| &part.source)).collect();
        let run = RunResources::of_files(&files).with_proofs(self.explain_proof);
        let diff = compare_named_sides(&old.parts, &new.parts, &self.pairs, &run).map_err(to_failure)?;
        if diff.compared == 0 && diff.is_empty() && unread.is_empty() {
            return Err(self.empty(&diff));
        }
        let corpus = Corpus::of_named_sides(&old.parts, &new.parts, &self.pairs, &run).map_err(to_failure)?;
        let corpus = self.surveyed(&corpus, &settings, &mut unread, terminal)?;
        let report = Report { diff, corpus };
        let text = match self.output_format {
            Format::Human => human::render_human(&report, terminal.paint()),
            Format::Markdown => markdown::render_markdown(&report),
            Format::Html => {
                html::render_html(&report, &self.old, &self.new, &NamingBase::new(None, &settings))
            }
            Format::Json => {
                let text = serde_json::to_string_pretty(&report);
                json_text(&text.map_err(|error| Failure::new(error.to_string()))?).into_owned() + "\n"
            }
        };
        terminal.print(&text)?;
        terminal.print_status(&human::diff_summary(&report));
        Ok(if unread.is_empty() { self.status(&report) } else { Status::RunError })
    }

    /// Both sides are of a kind that is compared, and neither says anything.
    fn empty(&self, diff: &Diff) -> Failure {
        let noun = human::unit_noun(diff);
        Failure::new(format!("nothing to compare: neither `{}` nor `{}` has a {noun}", self.old, self.new))
    }

    /// Evaluates existing objects.
    fn surveyed(
        &self,
        corpus: &Corpus,
        settings: &Settings,
        unread: &mut Vec<UnreadFile>,
        terminal: &Terminal,
    ) -> Result<Option<CorpusReport>, Failure> {
        if self.corpus.is_empty() {
            return Ok(None);
        }
        let mut surveyed = CorpusReport::default();
        for (number, input) in
            corpus_inputs(&self.corpus, settings, unread, terminal)?.into_iter().enumerate()
        {
            let source = match side::to_source_file(input.name(), input.read(), number) {
                Ok(source) => source,
                Err(found) => {
                    terminal.unread(&found);
                    unread.push(found);
                    continue;
                }
            };
            if let Err(found) = corpus.evaluate_objects(&source, &mut surveyed) {
                let found = side::to_unread(found);
                terminal.unread(&found);
                unread.push(found);
            }
        }
        if surveyed.objects == 0 && unread.is_empty() {
            let others = count_noun(surveyed.others, "object");
            let found = if surveyed.others == 0 {
                "no object".to_owned()
            } else {
                format!("{others} of other kinds")
            };
            return Err(Failure::new(format!("nothing to evaluate: the files of `--corpus` have {found}"))
                .help(
                    "name files with objects of the compared kinds, with flavors, or with VirtualMachines",
                ));
        }
        Ok(Some(surveyed))
    }

    /// An undecided direction counts as what `--fail-on` names: the run is inconclusive unless something was found.
    fn status(&self, report: &Report) -> Status {
        let Some(fail_on) = self.fail_on else { return Status::Clean };
        let [tightens, loosens] = Self::overall_answers(report);
        let answer = match fail_on {
            FailOn::Tightened => tightens,
            FailOn::Loosened => loosens,
            FailOn::Any => tightens.max(loosens),
        };
        match answer {
            EffectAnswer::Yes => Status::Findings,
            EffectAnswer::Unknown => Status::Inconclusive,
            EffectAnswer::No => Status::Clean,
        }
    }

    /// If anything is newly rejected, and if anything is newly accepted.
    fn overall_answers(report: &Report) -> [EffectAnswer; 2] {
        // A warning does not reject anything.
        let counted = || report.diff.changes().filter(|change| change.what != "warning");
        let [mut tightens, mut loosens] = [Change::tightens, Change::loosens]
            .map(|answer| counted().map(answer).max().unwrap_or(EffectAnswer::No));
        // Without a schema nothing is accepted, and without a restriction more is.
        let has = |units: &[UnpairedUnit], is_restriction: bool| {
            units.iter().any(|unit| unit.kind.is_restriction == is_restriction)
        };
        let Diff { added, removed, .. } = &report.diff;
        if has(removed, false) || has(added, true) {
            tightens = EffectAnswer::Yes;
        }
        if has(removed, true) || has(added, false) {
            loosens = EffectAnswer::Yes;
        }
        if let Some(corpus) = &report.corpus {
            if corpus.undecided > 0 {
                tightens = tightens.max(EffectAnswer::Unknown);
            }
            if !corpus.refused.is_empty() {
                tightens = EffectAnswer::Yes;
            }
        }
        [tightens, loosens]
    }
}

/// The failure that two sides cannot be compared.
fn to_failure(why: IncomparableReason) -> Failure {
    match why {
        IncomparableReason::Subjects(message) => Failure::new(format!("cannot compare: {message}")).help(
            "compare rules about the same kind of objects; `--as OLD=NEW` pairs two that are called differently",
        ),
        IncomparableReason::Names(message) => Failure::new(message),
        IncomparableReason::Schema(found) => Failure::new(side::to_unread(found).to_string()),
    }
}

/// The failure that a side has nothing that is compared.
fn nothing_to_compare(name: &str, parts: &[SideFile]) -> Failure {
    let contents: Vec<_> = parts.iter().map(|part| detect_contents(&part.source)).collect();
    if contents.iter().any(|contents| contents.has_input_of(Operation::Compare)) {
        return Failure::new(format!("nothing to compare in `{name}`"));
    }
    let units = contents.iter().flat_map(|contents| &contents.units);
    let subjects: BTreeSet<_> = units.map(|unit| unit.kind.subject).collect();
    let subjects: Vec<_> = subjects.into_iter().collect();
    let message = inapplicable_message(Operation::Compare, &subjects);
    let place = match parts {
        [part] if part.path.is_empty() => "this file".to_owned(),
        parts => count_noun(parts.len(), "file"),
    };
    Failure::new(format!("{name}: {message} in {place}")).help(applicable_help(Operation::Compare, &subjects))
}

/// Describes the result for updates, in a sentence.
fn describe_updates(refused: &kvrules::diff::RefusedObject) -> String {
    let parts: Vec<String> = refused
        .reasons
        .iter()
        .filter_map(|reason| Some(format!("`{}`", reason.unchanged.as_ref()?)))
        .collect();
    let mut distinct = parts.clone();
    distinct.dedup();
    match refused.updates {
        UpdateOutcome::Passes if distinct.is_empty() => {
            "rejected when created; an update that leaves this alone passes".to_owned()
        }
        UpdateOutcome::Passes => {
            format!("rejected when created; an update that leaves {} alone passes", distinct.join(" and "))
        }
        UpdateOutcome::Refused => "rejected when created and at every update".to_owned(),
        UpdateOutcome::Status => {
            "rejected when the status is written; an update of all else passes".to_owned()
        }
        UpdateOutcome::Whole => "rejected as it is".to_owned(),
    }
}
