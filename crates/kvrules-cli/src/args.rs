//! The command line.

use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::{
    check, compile, completions, cost, diff, docs, eval, explain, flavor, fmt, init, lints, man, migrate,
    minors, schema, test, verify,
};
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
    ("Help and setup", &["lints", "explain", "init", "schema", "completions", "man", "help"]),
];

/// Lists the commands with what they do, group by group.
fn list_commands() -> StyledStr {
    let all = Command::augment_subcommands(clap::Command::new("kvrules"));
    let header = Styles::styled().get_header().to_owned();
    let literal = Styles::styled().get_literal().to_owned();
    let about = |name: &str| match all.find_subcommand(name).and_then(clap::Command::get_about) {
        Some(about) => about.to_string(),
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
#[command(before_help = list_commands(), help_template = help_template())]
#[command(arg_required_else_help = true, propagate_version = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Check),
    /// Apply safe fixes, and report what remains
    #[command(after_help = check::FIX_EXAMPLES, mut_arg("fix", |arg| arg.hide(true)))]
    #[command(mut_arg("watch", |arg| arg.hide(true)), mut_arg("old", |arg| arg.hide(true)))]
    #[command(mut_arg("write_baseline", |arg| arg.hide(true)))]
    #[command(mut_group("repairing", |group| group.arg("unsafe_fixes")))]
    Fix(check::Check),
    Cost(cost::Cost),
    Minors(minors::Minors),
    Compile(compile::Compile),
    Docs(docs::Docs),
    Eval(eval::Eval),
    Test(test::Test),
    Verify(verify::Verify),
    Diff(diff::Compare),
    Migrate(migrate::Migrate),
    Fmt(fmt::Fmt),
    #[command(alias = "rules")]
    Lints(lints::Lints),
    Flavor(flavor::Flavor),
    Import(flavor::Import),
    Explain(explain::Explain),
    Init(init::Init),
    Schema(schema::SchemaOf),
    Completions(completions::Completions),
    Man(man::ManPage),
}

impl Command {
    pub(crate) fn run(&self, global: &Global, terminal: &mut Terminal) -> Result<Status, Failure> {
        match self {
            Self::Check(check) => check.run(global, terminal),
            Self::Fix(check) => check.run_fixes(global, terminal),
            Self::Cost(cost) => cost.run(global, terminal),
            Self::Minors(minors) => minors.run(global, terminal),
            Self::Compile(compile) => compile.run(global, terminal),
            Self::Docs(docs) => docs.run(global, terminal),
            Self::Eval(eval) => eval.run(global, terminal),
            Self::Test(test) => test.run(global, terminal),
            Self::Verify(verify) => verify.run(global, terminal),
            Self::Diff(diff) => diff.run(global, terminal),
            Self::Migrate(migrate) => migrate.run(global, terminal),
            Self::Fmt(fmt) => fmt.run(global, terminal),
            Self::Lints(lints) => lints.run(terminal),
            Self::Flavor(flavor) => flavor.run(global, terminal),
            Self::Import(import) => import.run(global, terminal),
            Self::Explain(explain) => explain.run(global, terminal),
            Self::Init(init) => init.run(terminal),
            Self::Schema(schema) => schema.run(terminal),
            Self::Completions(completions) => completions.run(Cli::command(), terminal),
            Self::Man(man) => man.run(Cli::command(), terminal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn each_command_is_in_one_group_of_the_help() {
        let mut known: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        let mut command = Cli::command();
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
    fn every_output_format_is_also_called_format() {
        let mut command = Cli::command();
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
