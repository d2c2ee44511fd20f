//! Objects and policies: the files of policies and what they refer to, the request, and answers for people.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kvrules::Sources;
use kvrules::crd::KubernetesVersion;
use kvrules::eval::{
    AdmissionAnswer, AdmissionVerdict, AllowedAction, DeclaredResource, Options, PolicyFailure, PolicyFile,
    PolicyFileRole, PolicyResult, PolicyResultKind, PolicyRules, RequestOperation, RequestSetup, RequestUser,
};
use kvrules::render::one_line as plain;

use super::crd::read_stored;
use super::rule_sets;
use crate::failure::Failure;
use crate::inputs::{InputSource, WantedContent, find_files, refuse_unknown_parameters};
use crate::options::{InputArgs, SubjectArgs};
use crate::settings::{Settings, to_failure};
use crate::terminal::ColorPainter;

/// The request that policies are evaluated on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for --engine policy")]
pub(super) struct PolicyArgs {
    /// Operation of the request [default: UPDATE for objects in the file of --old, else CREATE]
    #[arg(long, value_name = "OPERATION", value_parser = operation_parser(), ignore_case = true)]
    operation: Option<RequestOperation>,
    /// Files with parameters of policies; may be repeated. Parameters that no file contains do not exist then
    #[arg(long, value_name = "FILE")]
    params: Vec<PathBuf>,
    /// Evaluate as on a cluster without parameters
    #[arg(long, conflicts_with = "params")]
    no_params: bool,
    /// Files with Namespaces, for `namespaceSelector` and `namespaceObject`; may be repeated
    #[arg(long, value_name = "FILE")]
    namespace_object: Vec<PathBuf>,
    /// Namespace of objects and parameters that name none
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,
    /// Name of the user, for `request.userInfo`
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Group of the user; may be repeated
    #[arg(long, value_name = "NAME", requires = "user")]
    group: Vec<String>,
    /// Set `request.dryRun`
    #[arg(long)]
    dry_run: bool,
    /// Resource of a kind without a CustomResourceDefinition, such as `Pond.example.com=ponds` or, without namespaces,
    /// `Pond.example.com=ponds,cluster`; may be repeated
    #[arg(long, value_name = "KIND.GROUP=RESOURCE", value_parser = DeclaredResource::parse_declaration)]
    resource: Vec<DeclaredResource>,
    /// Action that `authorizer` allows, such as `get pods`, `update deployments.apps in shop`, `get pods/log named web`,
    /// `use secrets as serviceaccount shop:web`, `get /healthz`; `*` stands for any verb or resource, and `none` for no action at
    /// all; may be repeated. All other actions are not allowed
    #[arg(long, value_name = "ACTION", value_parser = parse_allowed)]
    allow: Vec<Option<AllowedAction>>,
}

/// Reads an action that is allowed; `None` for `none`.
fn parse_allowed(text: &str) -> Result<Option<AllowedAction>, String> {
    if text == "none" { Ok(None) } else { AllowedAction::parse_action(text).map(Some) }
}

/// Parses the name of an operation as policies write it.
fn operation_parser() -> impl TypedValueParser<Value = RequestOperation> {
    let names = [
        ("CREATE", "A new object"),
        ("UPDATE", "A change of an object in the file of --old"),
        ("DELETE", "The deletion of an object"),
        ("CONNECT", "A connection to a subresource, such as `pods/exec`"),
    ];
    PossibleValuesParser::new(names.map(|(name, help)| PossibleValue::new(name).help(help)))
        .try_map(|name| RequestOperation::from_name(&name.to_ascii_uppercase()).ok_or("unknown operation"))
}

/// Arguments of the command that policies need in addition to their own.
pub(super) struct PolicyInputs<'a> {
    pub(super) rules: &'a [PathBuf],
    pub(super) subject: &'a SubjectArgs,
    pub(super) old: Option<&'a Path>,
    pub(super) subresource: Option<&'a str>,
    pub(super) version: KubernetesVersion,
}

impl PolicyArgs {
    /// The first option that is set, as users write it.
    pub(super) fn first_option(&self) -> Option<&'static str> {
        let options = [
            (self.operation.is_some(), "--operation"),
            (!self.params.is_empty(), "--params"),
            (self.no_params, "--no-params"),
            (!self.namespace_object.is_empty(), "--namespace-object"),
            (self.namespace != "default", "--namespace"),
            (self.user.is_some(), "--user"),
            (self.dry_run, "--dry-run"),
            (!self.resource.is_empty(), "--resource"),
            (!self.allow.is_empty(), "--allow"),
        ];
        options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
    }

    /// True if the operation never has a stored object.
    pub(super) fn excludes_old(&self) -> bool {
        matches!(self.operation, Some(RequestOperation::Create | RequestOperation::Connect))
    }

    fn setup(&self, inputs: &PolicyInputs<'_>) -> RequestSetup {
        let user = self.user.clone().map(|name| RequestUser { name, groups: self.group.clone() });
        RequestSetup {
            operation: self.operation,
            user,
            subresource: inputs.subresource.unwrap_or_default().to_owned(),
            kubernetes: inputs.version,
            dry_run: self.dry_run,
            namespace: self.namespace.clone(),
            has_all_params: self.no_params,
            resources: self.resource.clone(),
            allowed: (!self.allow.is_empty()).then(|| self.allow.iter().flatten().cloned().collect()),
        }
    }

    /// Returns the policies and the stored objects of a run, as options of the evaluator.
    pub(super) fn policy_options(
        &self,
        settings: &Settings,
        inputs: &PolicyInputs<'_>,
        color: bool,
    ) -> Result<Options, Failure> {
        if inputs.rules.is_empty() {
            let help = "give the files with the policies and their bindings with `--rules FILE`";
            return Err(Failure::new("no policy to evaluate objects with").help(help));
        }
        let (sources, roles) = self.read_sources(settings, inputs)?;
        let file = |(source, (role, is_searched)): (_, &(PolicyFileRole, bool))| PolicyFile {
            source,
            role: *role,
            is_searched: *is_searched,
        };
        let files: Vec<_> = sources.files().iter().zip(&roles).map(file).collect();
        let policies = PolicyRules::read_files(&files, self.setup(inputs))
            .map_err(|faults| to_failure(&faults, &sources, color))?;
        for note in policies.notes() {
            settings.note(note);
        }
        let stored = inputs.old.map(|path| read_stored(path, color)).transpose()?;
        Ok(Options { policies: Some(Arc::new(policies)), stored, ..Options::default() })
    }

    /// Reads all files, each with its role, and if it was found in a directory.
    fn read_sources(
        &self,
        settings: &Settings,
        inputs: &PolicyInputs<'_>,
    ) -> Result<(Sources, Vec<(PolicyFileRole, bool)>), Failure> {
        let (mut sources, mut roles) = (Sources::default(), Vec::new());
        let schemas = Self::read_definitions(settings, inputs)?;
        let lists = [
            (PolicyFileRole::Rules, inputs.rules),
            (PolicyFileRole::Parameters, self.params.as_slice()),
            (PolicyFileRole::Namespaces, self.namespace_object.as_slice()),
        ];
        let mut known = Vec::new();
        for (role, paths) in lists {
            if paths.is_empty() {
                continue;
            }
            let args = InputArgs {
                paths: paths.to_vec(),
                stdin_filename: None,
                follow_links: false,
                jobs: None,
                allow_empty: false,
            };
            let found = find_files(&args, settings, WantedContent::Objects)?;
            if let Some(unread) = found.unread.first() {
                return Err(Failure::new(unread.to_string()));
            }
            for input in found.files {
                let text = input.read().map_err(|unread| Failure::new(unread.to_string()))?;
                let path = input.path().map(Path::to_owned);
                let parameters = settings.parameters();
                let (name, text) = rule_sets::to_policies(
                    input.name(),
                    path,
                    text,
                    &schemas,
                    inputs.version,
                    parameters,
                    &mut known,
                )?;
                roles.push((role, matches!(input, InputSource::Searched(_))));
                sources.add_file(name, text);
            }
        }
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        refuse_unknown_parameters(settings.parameters(), &known)?;
        for file in schemas.files() {
            roles.push((PolicyFileRole::Definitions, false));
            sources.add_file(file.name(), file.text());
        }
        Ok((sources, roles))
    }

    /// The files of `--schema`; none of the configuration.
    fn read_definitions(settings: &Settings, inputs: &PolicyInputs<'_>) -> Result<Sources, Failure> {
        if inputs.subject.schema.is_empty() {
            return Ok(Sources::default());
        }
        let (definitions, choices) = settings.definition_sources(inputs.subject)?;
        match choices.first() {
            Some(choice) => {
                let message =
                    format!("`#{choice}` selects a schema, but `--engine policy` reads all of them");
                Err(Failure::new(message).help(format!("leave out `#{choice}`")))
            }
            None => Ok(definitions),
        }
    }
}

/// The verdict in a word.
pub(super) fn verdict_word(answer: &AdmissionAnswer, paint: ColorPainter) -> String {
    let word = answer.verdict.as_str();
    match answer.verdict {
        AdmissionVerdict::Rejected => paint.red(word),
        AdmissionVerdict::Accepted if !answer.warnings.is_empty() => paint.yellow("accepted with warnings"),
        AdmissionVerdict::Accepted => paint.green(word),
        AdmissionVerdict::NotMatched => paint.yellow("no policy applies"),
        AdmissionVerdict::Unknown => paint.yellow(word),
    }
}

/// Describes each policy that denies, warns or audits, and with `trace` or without any result all the others.
pub(super) fn describe_answer(answer: &AdmissionAnswer, trace: bool, paint: ColorPainter) -> String {
    let shows_all = trace || answer.verdict == AdmissionVerdict::NotMatched;
    let mut text = String::new();
    for result in &answer.policies {
        if shows_all || !result.failures.is_empty() {
            text += &describe_result(result, paint);
        }
    }
    // Those of policies are among the failures.
    let failures = || answer.policies.iter().flat_map(|result| &result.failures);
    let is_of_policy =
        |warning: &&String| failures().any(|failure| warning.ends_with(failure.message.as_str()));
    let others = answer.warnings.iter().filter(|warning| !is_of_policy(warning));
    text.extend(others.map(|warning| format!("  warning: {}\n", plain(warning))));
    let annotations = answer.audit.iter().filter(|(key, _)| trace || !key.ends_with("/validation_failure"));
    text.extend(
        annotations.map(|(key, value)| format!("  audit annotation `{}`: {}\n", plain(key), plain(value))),
    );
    text
}

fn describe_result(result: &PolicyResult, paint: ColorPainter) -> String {
    let outcome = match result.outcome {
        PolicyResultKind::Denied => paint.red("denied"),
        PolicyResultKind::Warned => paint.yellow("warned"),
        other => other.as_str().to_owned(),
    };
    let mut text = format!("  {}: {outcome}", plain(&result_title(result)));
    match &result.reason {
        Some(reason) => {
            let _ = write!(text, ": {}\n    at {}\n", plain(reason), place(&result.file, result.at));
        }
        None => text.push('\n'),
    }
    text.extend(result.failures.iter().map(describe_failure));
    text
}

/// The policy, its binding, and the parameter.
pub(super) fn result_title(result: &PolicyResult) -> String {
    let binding = result.binding.iter().map(|name| format!("binding `{name}`"));
    let param = result.param.iter().map(|name| format!("parameter `{name}`"));
    let details: Vec<_> = binding.chain(param).collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    format!("policy `{}`{details}", result.policy)
}

/// The message of a failure, its reason and consequences, and its location.
pub(super) fn describe_failure(failure: &PolicyFailure) -> String {
    let kind = match (failure.error, failure.ignored) {
        (true, true) => "error, ignored by `failurePolicy`: ",
        (true, false) => "error: ",
        (false, _) => "",
    };
    let actions = failure.actions.join(", ");
    let details = if failure.ignored { String::new() } else { format!(" ({}; {actions})", failure.reason) };
    let field = failure.field.trim_start_matches("spec.");
    format!(
        "    {kind}{}{details}\n      `{}` at {}\n",
        plain(&failure.message),
        plain(field),
        place(&failure.file, failure.at)
    )
}

fn place(file: &str, at: kvrules::eval::ObjectLocation) -> String {
    format!("{}:{}:{}", plain(file), at.line, at.column)
}
