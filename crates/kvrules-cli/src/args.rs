//! The command line.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    check, compile, completions, cost, diff, docs, eval, explain, flavor, fmt, init, lints, man, migrate,
    minors, new, schema, server, test, verify,
};
use crate::deferred::Deferred;
use crate::failure::{Failure, Status};
use crate::options::Global;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kvrules check templates/             check every file below a directory
  kvrules compile                      compile the inputs of kvrules.toml
  kvrules compile rules.yaml --target openapi -o -
  kvrules docs --out-dir docs/rules    generate pages about rules
  kvrules eval vm.yaml                 evaluate a VirtualMachine against its rules
  kvrules test                         run the test suites of rules
  kvrules verify templates/            prove that every target has the meaning of the rules
  kvrules diff old.yaml new.yaml       report what became stricter or looser
  kvrules migrate --diff templates/    migrate old forms of the annotation to the new one
  kvrules fmt templates/               format the JSON of rules
  kvrules explain KV102                explain a lint
  kvrules flavor check flavors.yaml    check extra specs of OpenStack flavors
  kvrules cost crd.yaml                show the cost of the rules of a definition

Exit status: 0 nothing to report, 1 findings or rejected objects, 2 errors of usage, configuration or files.";

/// The help of all of kvrules: the commands in groups, instead of clap's one list.
fn help_template() -> StyledStr {
    let header = Styles::styled().get_header().to_owned();
    let mut template = StyledStr::new();
    let _ = write!(template, "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}");
    let _ = write!(template, "{header}Options:{header:#}\n{{options}}{{after-help}}");
    template
}

/// The commands, by what they are used for.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Check rules", &["check", "fix", "fmt", "cost", "minors", "verify"]),
    ("Try and compare rules", &["eval", "test", "diff"]),
    ("Generate files from rules", &["compile", "docs"]),
    ("Take over other notations", &["migrate", "import", "flavor"]),
    (
        "Help and setup",
        &["lints", "explain", "init", "new", "server", "schema", "completions", "man", "help"],
    ),
];

/// The command line as clap knows it.
pub(crate) fn command_line() -> clap::Command {
    let command = Cli::command();
    let list = list_commands(&command);
    command.before_help(list)
}

/// Parses the arguments of a program, its name first.
///
/// # Errors
///
/// Arguments that are invalid, or ask for help or the version.
pub(crate) fn parse_arguments<A>(arguments: impl IntoIterator<Item = A>) -> Result<Cli, clap::Error>
where
    A: Into<OsString> + Clone,
{
    let mut command = command_line();
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Lists the commands with what they do, group by group.
fn list_commands(all: &clap::Command) -> StyledStr {
    let header = Styles::styled().get_header().to_owned();
    let literal = Styles::styled().get_literal().to_owned();
    let about = |name: &str| match all.find_subcommand(name).and_then(clap::Command::get_about) {
        Some(about) => about.ansi().to_string(),
        None => "Print this message or the help of a command".to_owned(),
    };
    let mut list = StyledStr::new();
    for (index, (title, names)) in GROUPS.into_iter().enumerate() {
        let is_last = index + 1 == GROUPS.len();
        let _ = writeln!(list, "{header}{title}:{header:#}");
        for name in names {
            let _ = writeln!(list, "  {literal}{name:11}{literal:#}  {}", about(name));
        }
        if !is_last {
            let _ = writeln!(list);
        }
    }
    list
}

/// Check, verify and compile validation rules of KubeVirt templates, CustomResourceDefinitions, admission policies and flavors.
#[derive(Debug, Parser)]
#[command(name = "kvrules", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(help_template = help_template())]
#[command(arg_required_else_help = true, propagate_version = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// The subcommands. The text about each is also that of its arguments, which a test compares.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check rules and report problems
    Check(Deferred<check::Check>),
    /// Apply safe fixes, and report what remains
    Fix(Deferred<check::Fix>),
    /// Show the cost of CEL rules, and the bounds that they need
    Cost(Deferred<cost::Cost>),
    /// Show the oldest Kubernetes version that takes each definition
    Minors(Deferred<minors::Minors>),
    /// Compile rules to every target, and report how exact each is
    Compile(Deferred<compile::Compile>),
    /// Generate pages about rules, definitions, policies and RuleSets
    Docs(Deferred<docs::Docs>),
    /// Evaluate objects against rules, definitions or admission policies
    Eval(Deferred<eval::Eval>),
    /// Run test suites for rules
    Test(Deferred<test::Test>),
    /// Prove that every target has the meaning of the rules
    Verify(Deferred<verify::Verify>),
    /// Compare two schemas or rule sets by the objects that they accept
    Diff(Deferred<diff::Compare>),
    /// Migrate old forms of the annotation to the new one
    Migrate(Deferred<migrate::Migrate>),
    /// Format RuleSets and the JSON of rules
    Fmt(Deferred<fmt::Fmt>),
    /// List the lints of `check`
    #[command(alias = "rules")]
    Lints(Deferred<lints::Lints>),
    // These have subcommands, which the completion of `kvrules help` lists.
    Flavor(flavor::Flavor),
    Import(flavor::Import),
    /// Explain a lint, a difference between engines, or rules in CEL
    Explain(Deferred<explain::Explain>),
    /// Create a configuration, an example and a CI job
    Init(Deferred<init::Init>),
    New(new::New),
    /// Run the language server for editors
    Server(Deferred<server::LanguageServer>),
    /// Print the JSON Schema of the configuration or of a report
    Schema(Deferred<schema::SchemaOf>),
    /// Print a completion script for a shell
    Completions(Deferred<completions::Completions>),
    /// Print the manual page of kvrules or of one command
    Man(Deferred<man::ManPage>),
}

impl Command {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        match self {
            Self::Check(Deferred(check)) => check.run(global, terminal),
            Self::Fix(Deferred(fix)) => fix.run(global, terminal),
            Self::Cost(Deferred(cost)) => cost.run(global, terminal),
            Self::Minors(Deferred(minors)) => minors.run(global, terminal),
            Self::Compile(Deferred(compile)) => compile.run(global, terminal),
            Self::Docs(Deferred(docs)) => docs.run(global, terminal),
            Self::Eval(Deferred(eval)) => eval.run(global, terminal),
            Self::Test(Deferred(test)) => test.run(global, terminal),
            Self::Verify(Deferred(verify)) => verify.run(global, terminal),
            Self::Diff(Deferred(diff)) => diff.run(global, terminal),
            Self::Migrate(Deferred(migrate)) => migrate.run(global, terminal),
            Self::Fmt(Deferred(fmt)) => fmt.run(global, terminal),
            Self::Lints(Deferred(lints)) => lints.run(terminal),
            Self::Flavor(flavor) => flavor.run(global, terminal),
            Self::Import(import) => import.run(global, terminal),
            Self::Explain(Deferred(explain)) => explain.run(global, terminal),
            Self::Init(Deferred(init)) => init.run(terminal),
            Self::New(new) => new.run(global, terminal),
            Self::Server(Deferred(server)) => server.run(global, terminal),
            Self::Schema(Deferred(schema)) => schema.run(terminal),
            Self::Completions(Deferred(completions)) => completions.run(command_line(), terminal),
            Self::Man(Deferred(man)) => man.run(command_line(), terminal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command_line().debug_assert();
    }

    #[test]
    fn each_command_is_in_one_group_of_the_help() {
        let mut known: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        let mut command = command_line();
        command.build();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(known, all);
        // Longer texts would wrap in a terminal of 80 columns.
        let abouts = command.get_subcommands().filter_map(clap::Command::get_about);
        let long: Vec<String> =
            abouts.map(ToString::to_string).filter(|about| about.chars().count() > 65).collect();
        assert!(long.is_empty(), "{long:?}");
    }

    #[test]
    fn the_list_of_commands_has_the_text_of_their_help() {
        let mut built = command_line();
        built.build();
        for command in command_line().get_subcommands() {
            let about = built.find_subcommand(command.get_name()).and_then(clap::Command::get_about);
            assert_eq!(about.map(ToString::to_string), command.get_about().map(ToString::to_string));
        }
    }

    #[test]
    fn every_output_format_is_also_called_format() {
        let mut command = command_line();
        command.build();
        let mut left: Vec<&clap::Command> = vec![&command];
        let mut found = 0;
        while let Some(command) = left.pop() {
            for arg in command.get_arguments().filter(|arg| arg.get_id() == "output_format") {
                found += 1;
                let aliases = arg.get_all_aliases().unwrap_or_default();
                assert_eq!((arg.get_long(), aliases.as_slice()), (Some("output-format"), &["format"][..]));
            }
            left.extend(command.get_subcommands());
        }
        assert!(found >= 9, "{found}");
    }
}
