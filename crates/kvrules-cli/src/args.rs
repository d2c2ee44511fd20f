//! The command line.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::{
    check, compile, completions, cost, diff, docs, eval, explain, flavor, fmt, init, lints, man, migrate,
    schema, verify,
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
  kvrules verify templates/            prove that every target has the meaning of the rules
  kvrules diff old.yaml new.yaml       report what became stricter or looser
  kvrules migrate --diff templates/    migrate old forms of the annotation to the new one
  kvrules fmt templates/               format the JSON of rules
  kvrules explain KV102                explain a lint
  kvrules flavor check flavors.yaml    check extra specs of OpenStack flavors
  kvrules cost crd.yaml                show the cost of the rules of a definition

Exit status: 0 nothing to report, 1 findings or rejected objects, 2 errors of usage, configuration or files.";

/// Check, verify and compile validation rules of KubeVirt templates, CustomResourceDefinitions, admission policies and flavors.
#[derive(Debug, Parser)]
#[command(name = "kvrules", version, after_help = EXAMPLES, max_term_width = 100)]
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
    Cost(cost::Cost),
    Compile(compile::Compile),
    Docs(docs::Docs),
    Eval(eval::Eval),
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
            Self::Cost(cost) => cost.run(global, terminal),
            Self::Compile(compile) => compile.run(global, terminal),
            Self::Docs(docs) => docs.run(global, terminal),
            Self::Eval(eval) => eval.run(global, terminal),
            Self::Verify(verify) => verify.run(global, terminal),
            Self::Diff(diff) => diff.run(global, terminal),
            Self::Migrate(migrate) => migrate.run(global, terminal),
            Self::Fmt(fmt) => fmt.run(global, terminal),
            Self::Lints(lints) => lints.run(terminal),
            Self::Flavor(flavor) => flavor.run(global, terminal),
            Self::Import(import) => import.run(terminal),
            Self::Explain(explain) => explain.run(terminal),
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
}
