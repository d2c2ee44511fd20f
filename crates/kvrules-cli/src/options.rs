//! Options that several subcommands share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, builder::NonEmptyStringValueParser};

use crate::terminal::ColorChoice;

/// Options of every subcommand.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Read this configuration instead of the nearest one
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
    /// When to use colours; `auto` looks at the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// Which files to read, and how.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files, directories and globs to read, or `-` for standard input [default: the configuration's inputs]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The name of what comes on standard input, for messages and to tell Markdown from YAML
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,
    /// Read also what links lead to that lie in a directory and lead out of it, and enter linked directories
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// How many files to work on at a time [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Accept files and directories in which nothing is of a kind that kvrules knows
    #[arg(long)]
    pub(crate) allow_empty: bool,
}

/// What the rules are about.
#[derive(Debug, Args)]
pub(crate) struct SubjectArgs {
    /// The schema of the objects that rules are about: a CustomResourceDefinition, OpenAPI or JSON Schema file, or a
    /// directory of them; `#NAME` chooses a version, kind or schema [default: the configuration's, else VirtualMachine]
    #[arg(long, value_name = "PATH[#NAME]", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) schema: Vec<String>,
}
