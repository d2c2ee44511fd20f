//! `kvrules eval`: evaluates VirtualMachines against their rules, and objects against their CustomResourceDefinition or policies.
//!
//! The inputs are cut into jobs (`objects`), evaluated by several threads in the order in which they come (`threads`,
//! `object_evaluator`), each answer is laid out in one of the formats (`human`, `json`, `junit`), and what the jobs give is
//! printed in that order and counted (`output`, `tally`).

mod objects;
mod threads;

mod object_evaluator;

mod crd;
mod human;
mod json;
mod junit;
mod policy;
mod rule_sets;

mod output;
mod tally;

pub(crate) use rule_sets::to_policies;

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use kvrules::crd::KubernetesVersion;
use kvrules::eval::{Definitions, Engine, EvaluationRules, Evaluator, Options, WriteTarget};
use kvrules::rule_set::RuleSet;
use kvrules::{Catalog, FileId, SourceFile};

use self::object_evaluator::{ObjectEvaluator, VerdictView};
use self::output::Output;
use self::policy::{PolicyArgs, PolicyInputs};
use self::threads::in_order;
use crate::failure::{Failure, Status};
use crate::inputs::{WantedContent, find_files, refuse_unknown_parameters};
use crate::options::{Global, InputArgs, ParameterArgs, SubjectArgs};
use crate::settings::Settings;
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

const EXAMPLES: &str = "\
Examples:
  kvrules eval vm.yaml                      rules on the VirtualMachine itself
  kvrules eval bundle.yaml                  each template's VirtualMachine, rules of its template
  kvrules eval vms/ 'more/**/*.yaml'        objects in a directory and files that a glob matches
  kvrules eval --rules rules.yaml vm.yaml   rules in this file
  kvrules eval --rules bundle.yaml vms/     rules of the template that each label names
  kvrules eval --rules bundle.yaml --template fedora-server-small vm.yaml
  kvrules eval --engine both vm.yaml        meaning of the rules and answer of the deployed validator
  kvrules eval --schema crd.yaml object.yaml
  kvrules eval --schema crd.yaml object.yaml --old stored.yaml
  kvrules eval --schema crd.yaml written.yaml --old stored.yaml --subresource status
  kvrules eval --rules policies/ --params params.yaml deployment.yaml
  kvrules eval --rules server-rules.yaml server.json   documents of a JSON Schema
  kvrules eval --rules policy.yaml --old stored.yaml --user alice deployment.yaml
  kvrules eval --output-format junit vms/ > verdicts.xml
  oc get vm -A -o json | kvrules eval -

Objects are VirtualMachines, lists of them, and templates (Template of OpenShift, \
VirtualMachineTemplate of KubeVirt), in YAML or JSON. A template is processed first, as its \
engine does: a parameter has the value of --param, else its own, else a generated one. \
Generated values are always the same: of each class such as `[a-z0-9]{8}` the \
first character is taken.

Directories are searched for .yaml, .yml, .json, .ndjson and .jsonl files that git does not \
ignore. Objects other than VirtualMachines that were found in a directory, by a glob or through \
the configuration are skipped, with a note and a count in the summary. In a file that is named \
on the command line they are errors.

If --schema has schemas of several kinds and none is selected with `#KIND`, each object is \
evaluated with that of its own apiVersion and kind.

If the file of --rules has several rule sets and --template is not set, each VirtualMachine \
is evaluated against those of the template that its label `vm.kubevirt.io/template` names.

With --engine crd objects of any kind are evaluated as by an API server with the \
CustomResourceDefinitions in the file of --schema: unknown fields are dropped, defaults are \
applied, and metadata, schema, list types and rules are checked, in the server's words. An \
object that is also in the file of --old, by kind, namespace and name, is evaluated as an \
update; with --subresource status as a write of its status. This engine is the default if the \
file of --schema has CustomResourceDefinitions of other kinds than VirtualMachine and --rules \
is not set.

With --engine policy objects of any kind are evaluated as by the admission of an API server with \
the ValidatingAdmissionPolicies and bindings in the files of --rules. A policy without a binding is \
evaluated as if bound with Deny, and a RuleSet as the policies that it compiles to. The same files, and \
those of --schema, may contain CustomResourceDefinitions, which give the resource of a kind. This engine is the default if a file \
of --rules has policies or RuleSets.

With --engine spec and RuleSets in the file of --rules, objects are evaluated by the meaning of the words, as new objects, \
whether or not `match` selects them. This is the default for RuleSets about documents of a JSON Schema; each file, or each line \
of .ndjson, is a document.

Each object in --output-format json has these fields:
  file, line, column, name
  spec         verdict (satisfied, warned, rejected), and rules: name, outcome, severity,
               message, reason, guard, values (location, value, origin, failures)
  ssp          verdict (allowed, denied), vmError, parseError, panic, succeeded,
               status (name, skipped, satisfied, error, message), causes (field, message)
  crd          verdict (accepted, rejected), operation (create, update), subresource (status),
               errors (type, field, detail, text, line, column), warnings, celCost, and with
               --trace stored
  policy       verdict (accepted, rejected, not matched, unknown), operation, resource, subresource,
               denial (status, reason, message), warnings, auditAnnotations, policies (policy,
               binding, param, outcome, reason, file, line, column, failures)
  differ       true if one engine rejects the object and the other accepts it
  differences  rule, spec, ssp, named (id, name, summary)
  error        reason why the object was not evaluated

--output-format junit has a testsuite for each input, and in it a testcase for each object and \
rule. Warnings are not failures; they are in the testcase's system-out.

Verdicts go to standard output; errors, notes and the summary go to standard error.
The exit status is 0 if no object is rejected, 1 if one is, and 2 if one could not be evaluated:
it is not a VirtualMachine, has no rules or rules with errors, or could not be read. The other \
objects are evaluated anyway. It is never 0 if nothing was evaluated, or if no policy applies to \
any object.";

/// Evaluate objects against rules, definitions or admission policies
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Eval {
    /// Files, directories and globs with objects, or `-` for standard input [default: the configuration's inputs]
    #[arg(value_name = "OBJECT")]
    objects: Vec<PathBuf>,
    /// Engine to evaluate with [default: policy if --rules has admission policies, crd if --schema is a CustomResourceDefinition, else
    /// spec]
    #[arg(long, value_name = "ENGINE", value_enum)]
    engine: Option<EngineName>,
    /// Evaluate the rules in this file instead of those of the objects; of policies also those in directories, may be repeated
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Use the rule set of this template from the file of --rules
    #[arg(long, value_name = "NAME", requires = "rules")]
    template: Option<String>,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Kubernetes version of the server, for `--engine crd` and `policy`
    #[arg(long, value_name = "VERSION")]
    kubernetes: Option<KubernetesVersion>,
    /// Stored objects: an object that is among them is evaluated as an update; for `--engine crd` and `policy`
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// Evaluate requests for this subresource: `status` with `--engine crd`, any with `--engine policy`
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Set a parameter of templates; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_parameter)]
    param: Vec<(String, String)>,
    #[command(flatten)]
    parameters: ParameterArgs,
    /// Read one object per line; always on for files that end in .ndjson or .jsonl
    #[arg(long)]
    ndjson: bool,
    /// File name of standard input, for messages; if it ends in .ndjson or .jsonl, each line is an object
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// Follow symbolic links that lead out of a directory, and enter linked directories
    #[arg(long)]
    follow_links: bool,
    /// Number of threads; the output does not depend on it [default: number of processors]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Accept directories without objects to evaluate
    #[arg(long)]
    allow_empty: bool,
    /// Show all values that each rule reads, with location and origin; with `--engine crd` the object as it would be stored, and
    /// the cost of its rules; with `--engine policy` all policies
    #[arg(long)]
    trace: bool,
    /// Format of verdicts; json is an array, or one line per object if objects are read by line
    #[arg(long, alias = "format", value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: OutputFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// The meaning of the rules
    Spec,
    /// The deployed template validator
    Ssp,
    /// Both, with their differences
    Both,
    /// An API server with the CustomResourceDefinitions in the file of --schema
    Crd,
    /// The admission of an API server with the ValidatingAdmissionPolicies in the files of --rules
    Policy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Text for people
    Human,
    /// For programs
    Json,
    /// For continuous integration
    Junit,
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() {
        Err("missing name before `=`".to_owned())
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

impl Eval {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        let settings = Settings::load(global, terminal)?.with_parameters(&self.parameters);
        let found = find_files(&self.inputs(), &settings, WantedContent::Objects)?;
        let engine = self.engine(&settings);
        let evaluator = self.evaluator(&settings, engine, terminal.paint_error().0)?;
        let inputs = objects::eval_inputs(found.files, self.ndjson);
        let view = VerdictView {
            format: self.output_format,
            lines: !inputs.is_empty() && inputs.iter().all(|input| input.by_lines),
            trace: self.trace,
            paint: terminal.paint(),
            color_errors: terminal.paint_error().0,
        };
        let work = || {
            let mut evaluator = ObjectEvaluator::new(evaluator.clone(), view);
            move |job| evaluator.answer(job)
        };
        let mut output = Output::new(view, engine, terminal);
        output.begin();
        for unread in &found.unread {
            output.unread(unread)?;
        }
        let take = |answered| output.take(answered);
        in_order(self.threads(), work, |give| objects::send_jobs(&inputs, give), take)?;
        // The inputs of the configuration are for rules as well.
        let requested = if self.objects.is_empty() { &[] } else { found.requested_inputs.as_slice() };
        output.finish(&evaluator.unused_parameters(), requested, self.allow_empty)
    }

    fn inputs(&self) -> InputArgs {
        InputArgs {
            paths: self.objects.clone(),
            stdin_filename: self.stdin_filename.clone(),
            follow_links: self.follow_links,
            jobs: self.jobs,
            allow_empty: self.allow_empty,
        }
    }

    fn threads(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(processors)
    }

    fn evaluator(&self, settings: &Settings, engine: Engine, color: bool) -> Result<Evaluator, Failure> {
        self.check_options(engine)?;
        let version = self.kubernetes.unwrap_or_else(|| settings.kubernetes().newest());
        if engine == Engine::Crd {
            refuse_unknown_parameters(settings.parameters(), &[])?;
            let inputs = crd::CrdInputs { subject: &self.subject, old: self.old.as_deref(), version };
            let options = crd::crd_options(settings, &inputs, color)?;
            let is_status = self.subresource.is_some();
            let target = if is_status { WriteTarget::Status } else { WriteTarget::Object };
            return Ok(Evaluator::new(Options { engine, trace: self.trace, target, ..options }));
        }
        if engine == Engine::Policy {
            let inputs = PolicyInputs {
                rules: &self.rules,
                subject: &self.subject,
                old: self.old.as_deref(),
                subresource: self.subresource.as_deref(),
                version,
            };
            let options = self.policy.policy_options(settings, &inputs, color)?;
            return Ok(Evaluator::new(Options { engine, trace: self.trace, ..options }));
        }
        if let Some(rules) = self.rules.first()
            && let (schemas, _) = settings.definition_sources(&self.subject)?
            && let Some(sets) = rule_sets::read_sets_of_file(rules, &schemas, settings.parameters())?
        {
            let known: Vec<&str> = sets.iter().flat_map(|set| set.parameters.names()).collect();
            refuse_unknown_parameters(settings.parameters(), &known)?;
            return self.words_evaluator(engine, sets);
        }
        refuse_unknown_parameters(settings.parameters(), &[])?;
        let kinds = settings.kinds(&self.subject)?.filter(|_| engine == Engine::Spec).map(Arc::new);
        let catalog = match &kinds {
            Some(_) => Cow::Borrowed(Catalog::kubevirt_vm()),
            None => settings.catalog(&self.subject)?,
        };
        if engine != Engine::Spec && !catalog.subject().is_virtual_machine() {
            let message =
                "the deployed validator supports only VirtualMachines, but the schema is for other objects";
            return Err(Failure::new(message).help("leave out `--engine`, or `--schema`"));
        }
        let options = Options {
            engine,
            trace: self.trace,
            parameters: self.param.iter().cloned().collect(),
            catalog: Some(Arc::new(catalog.into_owned())),
            kinds,
            ..Options::default()
        };
        let mut evaluator = Evaluator::new(options);
        if let Some(path) = self.rules.first() {
            let text =
                read_text(path, PathOrigin::Argument).map_err(|unread| Failure::new(unread.to_string()))?;
            let source = SourceFile::new(FileId(0), path.to_string_lossy(), text);
            evaluator.use_rules(&source, self.template.as_deref()).map_err(Failure::new)?;
        }
        Ok(evaluator)
    }

    /// The evaluator for RuleSets, by the meaning of their words.
    fn words_evaluator(&self, engine: Engine, sets: Vec<RuleSet>) -> Result<Evaluator, Failure> {
        if engine != Engine::Spec {
            let message = "the deployed validator evaluates the annotations of templates, and not RuleSets";
            return Err(
                Failure::new(message).help("leave out `--engine`, or evaluate with `spec` or `policy`")
            );
        }
        let rule_sets = Some(Arc::new(sets));
        Ok(Evaluator::new(Options { engine, trace: self.trace, rule_sets, ..Options::default() }))
    }

    /// Refuses options that do not go together.
    fn check_options(&self, engine: Engine) -> Result<(), Failure> {
        if !matches!(engine, Engine::Crd | Engine::Policy) && self.kubernetes.is_some() {
            let message = "`--kubernetes` requires `--engine crd` or `--engine policy`";
            return Err(Failure::new(message).help("leave out one of the two options"));
        }
        if engine == Engine::Policy {
            return self.check_policy_options();
        }
        let is_crd = engine == Engine::Crd;
        let is_status = self.subresource.as_deref() == Some("status");
        let conflicts = [
            (
                is_crd && !self.rules.is_empty(),
                "`--rules` has no effect with `--engine crd`, which evaluates definitions",
            ),
            (
                is_crd && !self.param.is_empty(),
                "`--param` has no effect with `--engine crd`, which processes no templates",
            ),
            (!is_crd && self.old.is_some(), "`--old` requires `--engine crd` or `--engine policy`"),
            (
                !is_crd && self.subresource.is_some(),
                "`--subresource` requires `--engine crd` or `--engine policy`",
            ),
            (
                is_crd && self.subresource.is_some() && !is_status,
                "`--engine crd` evaluates no subresource other than `status`",
            ),
            (
                is_crd && is_status && self.old.is_none(),
                "`--subresource status` requires the stored objects, with `--old FILE`",
            ),
        ];
        let Some((_, message)) = conflicts.into_iter().find(|(is_conflict, _)| *is_conflict) else {
            return self.check_other_engines();
        };
        let help = match self.engine {
            Some(_) => "leave out one of the two options",
            None if is_crd => "name the engine with `--engine`, or leave out the option",
            None => "give the CustomResourceDefinitions with `--schema`, and no `--rules`",
        };
        Err(Failure::new(message).help(help))
    }

    /// Refuses options of policies with other engines.
    fn check_other_engines(&self) -> Result<(), Failure> {
        if let Some(option) = self.policy.first_option() {
            let help = "give the policies with `--rules FILE`, and `--engine policy`";
            return Err(Failure::new(format!("`{option}` requires `--engine policy`")).help(help));
        }
        if self.rules.len() > 1 {
            let help = "put the rules into one file, or evaluate policies with `--engine policy`";
            return Err(Failure::new("`--rules` takes one file with this engine").help(help));
        }
        Ok(())
    }

    fn check_policy_options(&self) -> Result<(), Failure> {
        let conflicts = [
            (self.template.is_some(), "`--template` has no effect with `--engine policy`"),
            (
                !self.param.is_empty(),
                "`--param` has no effect with `--engine policy`; parameters of policies are given with `--params FILE`",
            ),
            (
                self.old.is_some() && self.policy.excludes_old(),
                "`--old` has no effect with this `--operation`, which has no stored object",
            ),
        ];
        match conflicts.into_iter().find(|(is_conflict, _)| *is_conflict) {
            Some((_, message)) => Err(Failure::new(message).help("leave out one of the two options")),
            None => Ok(()),
        }
    }

    /// The engine that the options name or imply.
    fn engine(&self, settings: &Settings) -> Engine {
        match self.engine {
            Some(EngineName::Ssp) => Engine::Ssp,
            Some(EngineName::Both) => Engine::Both,
            Some(EngineName::Crd) => Engine::Crd,
            Some(EngineName::Policy) => Engine::Policy,
            Some(EngineName::Spec) => Engine::Spec,
            None if self.rules.is_empty() => self.engine_for_schema(settings),
            None => rule_sets::engine_for_rules(&self.rules, settings),
        }
    }

    /// The engine for the definitions in files of schemas. One that cannot be read is reported later, when it is used.
    fn engine_for_schema(&self, settings: &Settings) -> Engine {
        let sources = settings.definition_sources(&self.subject);
        let whole = sources.ok().filter(|(_, choices)| choices.is_empty());
        let files = whole.iter().flat_map(|(sources, _)| sources.files());
        let kinds: Vec<String> = files.flat_map(Definitions::kinds_in).collect();
        EvaluationRules::Defined { kinds: &kinds, is_update: self.old.is_some() }.default_engine()
    }
}
