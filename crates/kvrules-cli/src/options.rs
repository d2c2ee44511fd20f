//! Options that several subcommands share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use kvrules::crd::KubernetesVersions;
use kvrules::loss::Loss;
use kvrules::render::RenderFormat;

use crate::terminal::ColorChoice;

/// Parses a format of findings.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = RenderFormat> {
    PossibleValuesParser::new(RenderFormat::ALL.map(RenderFormat::name))
        .try_map(|name| RenderFormat::from_name(&name).ok_or("unknown format"))
}

/// Parses a level of losses.
pub(crate) fn loss_parser() -> impl TypedValueParser<Value = Loss> {
    PossibleValuesParser::new(Loss::ALL.map(Loss::as_str))
        .try_map(|word| Loss::ALL.into_iter().find(|loss| loss.as_str() == word).ok_or("unknown level"))
}

/// Options of every subcommand.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use this configuration file instead of the nearest one
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Ignore configuration files
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
    /// Use of colours; `auto` depends on the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// Selection of input files.
#[derive(Debug, Default, Args)]
pub(crate) struct InputArgs {
    /// Files, directories and globs to read, or `-` for standard input [default: the configuration's inputs]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// File name of standard input, for messages and to distinguish Markdown from YAML
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,
    /// Follow symbolic links that lead out of a directory, and enter linked directories
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Number of files to process in parallel [default: number of processors]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Accept files and directories in which kvrules recognizes nothing
    #[arg(long)]
    pub(crate) allow_empty: bool,
}

/// Selection of servers.
#[derive(Clone, Debug, Args)]
pub(crate) struct KubernetesArgs {
    /// Kubernetes versions: 1.29, 1.28..1.36, 1.30,1.33 or `all`
    ///
    /// Without it, those of the configuration, else the newest.
    #[arg(long, value_name = "VERSIONS")]
    pub(crate) kubernetes: Option<KubernetesVersions>,
}

/// Values of parameters.
#[derive(Debug, Args)]
pub(crate) struct ParameterArgs {
    /// Value of a parameter of a RuleSet, in place of its default
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub(crate) set: Vec<(String, String)>,
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write `NAME=VALUE`".to_owned()),
    }
}

/// Schema of the objects that rules apply to.
#[derive(Debug, Default, Args)]
pub(crate) struct SubjectArgs {
    /// Schema of the objects that rules apply to: a CustomResourceDefinition, OpenAPI or JSON Schema file, or a directory of
    /// them; `#NAME` selects a version, kind or schema. Policies and RuleSets may be about the kinds of all CustomResourceDefinitions in them [default: the configuration's, else VirtualMachine]
    #[arg(long, value_name = "PATH[#NAME]", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) schema: Vec<String>,
}
