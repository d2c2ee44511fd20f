//! The project's own tools, run as `cargo xtask <command>`, with one file for each command. They only use the
//! standard library, so that the first `cargo xtask test` in a fresh clone starts at once.

mod ajv;
mod bench;
mod cast;
mod cel;
mod check;
mod codegen;
mod conformance;
mod dist;
mod docs;
mod fuzz;
mod judge;
mod kubernetes_types;
mod nova;
mod playground;
mod record;
mod scan;
mod test;
mod tools;
mod verify;
mod workspace;

use std::process::ExitCode;

use docs::DocsOptions;
use playground::PlaygroundOptions;
use record::RecordOptions;
use test::TestExtent;
use workspace::Workspace;

/// Reason why a command failed.
enum Failure {
    /// The command line was not understood; ends with status 2.
    Usage(String),
    /// The command ran and says no; ends with status 1.
    Failed(String),
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

const HELP: &str = "\
Development tools of kvrules.

usage: cargo xtask <command> [options]

  codegen [--check]  write the registries of lints, targets and sources and the lists of lint pages;
                     with --check, write nothing and fail if one of them is stale
  check [--update-words]
                     repository checks: crate dependencies, module cycles, stale generated files, sizes, openings,
                     leftovers, caches, machine paths, lint pages, features and levels of packages, words and names, subjects
                     of commits; with --update-words, first write the numbers of public functions of one word
  test [--quick | --full [--seed N]]
                     everything that CI runs, in order, up to the first failure; --quick skips doc, deny, docs, dist,
                     nova, cel, z3, ajv and playground; --full tries ten times as many random inputs, from a seed that is printed
  bench [args…]      run the benchmarks of kvrules-tests, passing args to cargo bench
  cast               write the picture at the top of the README from a run of `kvrules check`; a test fails if it is stale
  docs [--all] [--tried-wheel]
                     build and check the documentation: the Python package and its tests, the book, the examples and pages
                     of recorded definitions, with --all of all 104, with Sphinx and mdBook, and every link of the pages;
                     fetches both below target/; with --tried-wheel, install the wheel that `dist --try` left
  verify [args…]     prove every claim of every target about every recorded rule list and every released bundle,
                     in some minutes, passing args to the test; `test` checks only some of the lists
  fuzz [--seconds N] [--seed N] [--target read|fix|migrate|fmt]
                     damage examples for a minute, or for N seconds, and check the guarantees of reading, fixing,
                     migrating and formatting
  hostile [--runs N] [--seed N]
                     run the program on 5,000 cases, or on N: damaged files of every kind through every subcommand, held
                     to status, memory, time, order of output, places and formats; a random seed is printed
  judge [NAME…] [--seed N] [--minutes M | --claims N]
                     judge random claims of the product, of all judges or the named ones, each for a minute, for M minutes,
                     or N claims; a random seed is printed; the judge `z3` runs only if it is named, with z3 from PyPI
  record [--base REV] [--only TEXT] [--instructions]
                     run every command on every recorded and generated input, and keep a digest and counts of each answer
                     below target/record; with --base, also with the program of a revision, and list what differs by kind;
                     fails if a count is worse without a reason in tests/record/reasons.txt; with --only, the runs whose names
                     contain TEXT; with --instructions, count those of ten runs with callgrind instead
  nova [--newest]    compare extra specs with the real packages of Nova and Glance, which are fetched from PyPI and kept
                     below target/; with --newest, list the definitions in which the newest Nova differs from kvrules
  kubernetes-types   write the catalog of the built-in resources of Kubernetes from the recorded types; a test of
                     kvrules-kubernetes fails if it is stale
  cel                evaluate the recorded rules with another engine of CEL too, which is fetched from PyPI and kept
                     below target/, and compare kvrules-cel with it
  z3                 judge claims about rules of definitions with z3, which is fetched from PyPI and kept below target/, on a
                     fixed seed
  playground [--test] [--if-installed]
                     build the playground in target/playground: the page of docs/playground with the WebAssembly of
                     kvrules-wasm, and check its size; with --test, try it in headless Chromium with node and packages from npm,
                     and take screenshots; with --if-installed, skip it if Rust's target wasm32-unknown-unknown is absent
  ajv                judge generated objects by emitted JSON Schemas with ajv too, which is fetched from npm and kept below
                     target/, and compare the verdicts with those of `jsonschema`
  dist [--profile P] [--target T] [--manifests] [--try]
                     build the release artifacts in target/dist: an archive with the programs, completions, manual
                     pages and licences, the Python wheel, checksums, and manifests for package managers; with
                     --manifests, only checksums and manifests; with --try, build from the dev profile and test them
  conformance FILE… [--all]
                     run the recorded cases in FILEs, whose formats are recognised by their fields, and show how
                     many agree and which differ: the first 20 of each file, or with --all every one
  help               this text

Environment:
  CI                   when set, no progress bars and no questions
  KVRULES_VERIFY_SETS  names of rule sets, separated by commas; `verify` checks only these recorded lists
  KVRULES_SHARED       directory of recorded data, for tests as well, if it is not ../shared beside the repository
  KVRULES_ADVISORIES   when 1, `test` also checks dependencies against the advisory database (needs the network)

Exit status: 0 all is well, 1 findings or a failed step, 2 invalid command line.
For conformance: 0 every case agrees, 1 some differ, 2 invalid command line, file or line.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(status) => status,
        Err(Failure::Failed(text)) => {
            eprintln!("{text}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(text)) => {
            eprintln!("error: {text}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(args: &[String]) -> Result<ExitCode, Failure> {
    let Some((command, rest)) = args.split_first() else {
        return Err(Failure::Usage("no command given".into()));
    };
    let wants_help = command != "bench" && rest.iter().any(|arg| arg == "--help" || arg == "-h");
    if wants_help || matches!(command.as_str(), "help" | "--help" | "-h") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    match command.as_str() {
        "codegen" => codegen::run(&Workspace::find()?, flag(rest, "--check")?),
        "check" => check::run(&Workspace::find()?, flag(rest, "--update-words")?),
        "test" => test::run(&Workspace::find()?, TestExtent::from_args(rest)?),
        "bench" => bench::run(&Workspace::find()?, rest),
        "cast" => no_arguments(rest).and_then(|()| cast::run(&Workspace::find()?)),
        "docs" => docs::run(&Workspace::find()?, DocsOptions::from_args(rest)?),
        "verify" => verify::run(&Workspace::find()?, rest),
        "nova" => nova::run(&Workspace::find()?, flag(rest, "--newest")?),
        "dist" => dist::run(&Workspace::find()?, rest),
        "playground" => playground::run(&Workspace::find()?, PlaygroundOptions::from_args(rest)?),
        "ajv" => no_arguments(rest).and_then(|()| ajv::run(&Workspace::find()?)),
        "cel" => no_arguments(rest).and_then(|()| cel::run(&Workspace::find()?)),
        "kubernetes-types" => {
            no_arguments(rest).and_then(|()| kubernetes_types::write_catalog(&Workspace::find()?))
        }
        "z3" => no_arguments(rest).and_then(|()| judge::run_solver(&Workspace::find()?)),
        "record" => record::run(&Workspace::find()?, &RecordOptions::from_args(rest)?),
        "judge" => judge::run(&Workspace::find()?, rest),
        program @ ("fuzz" | "hostile") => fuzz::run(&Workspace::find()?, program, rest),
        "conformance" => return conformance::run(&Workspace::find()?, rest),
        _ => Err(Failure::Usage(format!("unknown command `{command}`"))),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// True if the only option of a command is given; any other is an error.
fn flag(args: &[String], name: &str) -> Result<bool, Failure> {
    match args.iter().find(|arg| *arg != name) {
        Some(other) => Err(Failure::Usage(format!("unexpected argument `{other}`"))),
        None => Ok(!args.is_empty()),
    }
}

fn no_arguments(args: &[String]) -> Result<(), Failure> {
    match args.first() {
        Some(other) => Err(Failure::Usage(format!("unexpected argument `{other}`"))),
        None => Ok(()),
    }
}
