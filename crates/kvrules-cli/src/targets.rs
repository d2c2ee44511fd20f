//! Targets of a run and their options, by the command line and the configuration.
//!
//! Targets and their options are looked up in the registry, so a new target needs nothing here.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use kvrules::{Emitter, Options, Request, ResourceVersion, TargetOption, UnavailableTarget, is_applicable};
use kvrules_diagnostics::suggest_name;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::Terminal;

/// Selection of targets and their options.
#[derive(Debug, Default, Args)]
pub(crate) struct TargetArgs {
    /// Targets, or `all`; `TARGET:NAME=VALUE` also sets an option [default: the configuration's targets, else all]
    #[arg(short, long, value_name = "TARGET", value_delimiter = ',', value_parser = TargetNameParser, hide_possible_values = true)]
    pub(crate) target: Vec<String>,
    /// Set an option of a target; `compile --list-targets` lists all options [default: the configuration's]
    #[arg(long, value_name = "TARGET.NAME=VALUE")]
    pub(crate) option: Vec<String>,
}

/// Reads `TARGET` or `TARGET:NAME=VALUE`, of which the name must be `all` or that of a target.
#[derive(Clone)]
pub(crate) struct TargetNameParser;

fn target_names() -> PossibleValuesParser {
    PossibleValuesParser::new(all_names().into_iter().chain(["all"]))
}

impl TypedValueParser for TargetNameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let Some((name, option)) = value.to_str().and_then(|text| text.split_once(':')) else {
            return target_names().parse_ref(command, argument, value);
        };
        target_names().parse_ref(command, argument, OsStr::new(name)).map(|name| format!("{name}:{option}"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<_> = all_names().into_iter().chain(["all"]).map(PossibleValue::new).collect();
        Some(Box::new(names.into_iter()))
    }
}

/// The name of the target that an argument asks for.
pub(crate) fn name_of(target: &str) -> &str {
    target.split_once(':').map_or(target, |(name, _)| name)
}

/// The names of all targets, in order.
fn all_names() -> Vec<&'static str> {
    kvrules::all_targets().iter().map(|target| target.name).collect()
}

/// A kind of input that targets express.
struct InputKind {
    name: &'static str,
    is_given: fn(&Request<'_>) -> bool,
    is_expressed: fn(&Emitter) -> bool,
}

const INPUT_KINDS: [InputKind; 5] = [
    InputKind {
        name: "rules",
        is_given: |request| !request.sets.is_empty(),
        is_expressed: |target| target.rule_sets.is_some(),
    },
    InputKind {
        name: "definitions of extra specs",
        is_given: |request| !request.definitions.is_empty(),
        is_expressed: |target| target.extra_specs.is_some(),
    },
    InputKind {
        name: "CustomResourceDefinitions",
        is_given: |request| request.resources.iter().any(|version| version.authored.is_none()),
        is_expressed: |target| target.resources.is_some(),
    },
    InputKind {
        name: "RuleSets",
        is_given: |request| !request.authored.is_empty(),
        is_expressed: |target| target.authored.is_some(),
    },
    InputKind {
        name: "policies",
        is_given: |request| request.resources.iter().any(ResourceVersion::is_of_policy),
        is_expressed: Emitter::expresses_policies,
    },
];

impl TargetArgs {
    /// The targets that the options ask for, or else the configuration, ordered by name.
    pub(crate) fn chosen(&self, settings: &Settings) -> Vec<&'static Emitter> {
        kvrules::all_targets().iter().filter(|target| self.asks_for(target.name, settings)).copied().collect()
    }

    fn asks_for(&self, target: &str, settings: &Settings) -> bool {
        let configured = settings.config.targets.as_deref().unwrap_or_default();
        let names = if self.target.is_empty() { configured } else { &self.target };
        names.is_empty() || names.iter().any(|name| name_of(name) == "all" || name_of(name) == target)
    }

    /// True if the options or the configuration name a target, not only by `all` or by default.
    fn names(&self, target: &str, settings: &Settings) -> bool {
        let configured = settings.config.targets.as_deref().unwrap_or_default();
        let names = if self.target.is_empty() { configured } else { &self.target };
        names.iter().any(|name| name_of(name) == target)
    }

    /// Returns the targets that support a request, and those that are left out, which are reported. A target that
    /// the user named is not left out: if it expresses nothing of the request, or does not support it, that is a failure.
    pub(crate) fn available(
        &self,
        targets: &[&'static Emitter],
        request: &Request<'_>,
        settings: &Settings,
        terminal: &Terminal,
    ) -> Result<(Vec<&'static Emitter>, Vec<UnavailableTarget>), Failure> {
        if let Some(failure) = self.inapplicable(request) {
            return Err(failure);
        }
        let (made, left_out) = kvrules::partition_targets(targets, request);
        if let Some(named) = left_out.iter().find(|left_out| self.names(left_out.target, settings)) {
            let UnavailableTarget { target, cause } = named;
            return Err(Failure::new(format!("cannot generate the target `{target}`: {cause}")));
        }
        for UnavailableTarget { target, cause } in &left_out {
            terminal.note(&format!("the target `{target}` is left out: {cause}"));
        }
        Ok((made, left_out))
    }

    /// The failure if the options name a target that expresses nothing of a request.
    fn inapplicable(&self, request: &Request<'_>) -> Option<Failure> {
        let given: Vec<&InputKind> = INPUT_KINDS.iter().filter(|kind| (kind.is_given)(request)).collect();
        let chosen = self.target.iter().filter_map(|target| kvrules::find_emitter(name_of(target)));
        let target = chosen.into_iter().find(|target| !is_applicable(target, request))?;
        if let Some(cause) = target.unfit_cause(request) {
            return Some(Failure::new(format!("cannot generate the target `{}`: {cause}", target.name)));
        }
        let names = |kinds: &[&InputKind], word: &str| {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
            names.join(word)
        };
        let required: Vec<&InputKind> =
            INPUT_KINDS.iter().filter(|kind| (kind.is_expressed)(target)).collect();
        if given.is_empty() {
            return None;
        }
        let is_of_definitions = request.resources.iter().any(|version| version.authored.is_none());
        if is_of_definitions && target.resources.as_ref().is_some_and(|form| form.is_for_ranges) {
            let what = format!("`{}` makes definitions of definitions for older servers only", target.name);
            return Some(
                Failure::new(what).help("add the Kubernetes versions, such as `--kubernetes 1.30..1.36`"),
            );
        }
        let (required, only) = (names(&required, " or "), names(&given, " and "));
        let others = kvrules::all_targets().iter().filter(|other| is_applicable(other, request));
        let others: Vec<_> = others.map(|target| format!("`{}`", target.name)).collect();
        Some(
            Failure::new(format!("`{}` requires {required}, but there are only {only}", target.name))
                .help(format!("targets of {only}: {}", others.join(", "))),
        )
    }

    /// Returns the options of targets: those of the configuration, overridden by those of the command line.
    pub(crate) fn options(&self, settings: &Settings) -> Result<Options, Failure> {
        let chosen: Vec<&str> =
            all_names().into_iter().filter(|name| self.asks_for(name, settings)).collect();
        let configured = settings.config.target.iter().flat_map(|(target, config)| {
            let options = config.options.iter();
            options.map(|(name, value)| ((target.clone(), name.clone()), value.clone()))
        });
        let mut options: Options = configured.collect();
        options.extend(options_in(&self.target, &chosen)?);
        for written in &self.option {
            let (key, value) = read_option(written, &chosen)?;
            options.insert(key, value);
        }
        Ok(options)
    }
}

/// The options in arguments of the form `TARGET:NAME=VALUE`, of targets that are among the chosen ones.
pub(crate) fn options_in(requested: &[String], chosen: &[&str]) -> Result<Options, Failure> {
    let written = requested.iter().filter_map(|requested| requested.split_once(':'));
    written.map(|(target, option)| read_option(&format!("{target}.{option}"), chosen)).collect()
}

/// Reads `TARGET.NAME=VALUE`. The name of a target may have points, that of an option has none.
fn read_option(written: &str, chosen: &[&str]) -> Result<((String, String), String), Failure> {
    let parts = written.split_once('=').and_then(|(key, value)| Some((key.rsplit_once('.')?, value)));
    let Some(((target, name), value)) = parts else {
        return Err(Failure::new(format!("invalid `--option {written}`, expected `TARGET.NAME=VALUE`"))
            .help("`kvrules compile --list-targets` lists targets and their options"));
    };
    if !all_names().contains(&target) {
        let help = suggest_name(target, &all_names());
        return Err(Failure::new(format!("unknown target `{target}`")).help(help));
    }
    if !chosen.contains(&target) {
        return Err(Failure::new(format!("unused `--option {written}`: its target is not selected"))
            .help(format!("add `--target {target}`")));
    }
    let options = kvrules::find_emitter(target).map_or(&[][..], |known| known.options);
    let Some(option) = options.iter().find(|option| option.name == name) else {
        let names: Vec<_> = options.iter().map(|option| option.name).collect();
        let help = if names.is_empty() { "it has no options".to_owned() } else { suggest_name(name, &names) };
        return Err(Failure::new(format!("unknown option `{name}` of the target `{target}`")).help(help));
    };
    check_value(target, option, value)?;
    Ok(((target.to_owned(), name.to_owned()), value.to_owned()))
}

fn check_value(target: &str, option: &TargetOption, value: &str) -> Result<(), Failure> {
    if option.values.is_empty() || option.values.contains(&value) {
        return Ok(());
    }
    Err(Failure::new(format!("invalid value `{value}` for `{target}.{}`", option.name))
        .help(suggest_name(value, option.values)))
}
