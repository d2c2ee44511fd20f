//! `cargo xtask test`: every check the house has, in the order in which a failure is cheapest to see.

mod extent;
mod suites;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

pub(crate) use crate::tools::cargo;
use crate::tools::{CARGO_DENY, spawn};
use crate::workspace::Workspace;
use crate::{Failure, check, dist, docs};
pub(crate) use extent::TestExtent;

/// Arguments of cargo for the tests. All of them run, so that one run names every failure.
const TESTS: [&str; 5] = ["test", "--workspace", "--locked", "--no-fail-fast", "--tests"];

/// Arguments of cargo for the examples in doc comments.
const DOC_TESTS: [&str; 5] = ["test", "--workspace", "--locked", "--no-fail-fast", "--doc"];

/// One thing to do and how it is called when it fails.
struct Step {
    name: &'static str,
    /// Command that runs this step alone.
    again: String,
    work: Work,
}

enum Work {
    /// The house's tidy, in this process.
    Check,
    /// A cargo command with variables of its environment.
    Cargo(Vec<&'static str>, Vec<(&'static str, &'static str)>),
    /// Checks of the documentation as it is read: Sphinx, mdBook and their links.
    Docs,
    /// All tests but those in doc comments. `--show-output`, which tells what was skipped, has `rustdoc` build each
    /// of those as a program of its own.
    Tests,
    /// Release artifacts, built and used.
    Dist,
    /// Licences, duplicates and sources of the dependencies.
    Deny,
}

pub(crate) fn run(workspace: &Workspace, extent: TestExtent) -> Result<(), Failure> {
    let steps = steps(extent == TestExtent::Quick);
    if let TestExtent::Full { seed } = extent {
        println!("to repeat this run: cargo xtask test --full --seed {seed}");
    }
    let total = steps.len();
    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        let label = format!("[{}/{total}] {}", index + 1, step.name);
        println!("{label}: {}", step.again);
        let began = Instant::now();
        if let Err(reason) = perform(workspace, &step.work, extent) {
            let seconds = began.elapsed().as_secs_f64();
            let again = &step.again;
            return Err(Failure::Failed(format!(
                "{label}: failed after {seconds:.1} s: {reason}\nto repeat it: {again}"
            )));
        }
        println!("{label}: passed in {:.1} s", began.elapsed().as_secs_f64());
    }
    println!("xtask test: all {total} steps passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn steps(quick: bool) -> Vec<Step> {
    let mut steps = vec![
        cargo_step("fmt", &["fmt", "--all", "--check"], &[]),
        Step { name: "check", again: "cargo xtask check".into(), work: Work::Check },
        cargo_step(
            "clippy",
            &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
            &[],
        ),
        // Before the tests, because they run the command line as a person would.
        cargo_step("build", &["build", "--workspace", "--locked"], &[]),
        Step { name: "test", again: format!("cargo {}", TESTS.join(" ")), work: Work::Tests },
        cargo_step("doctest", &DOC_TESTS, &[]),
    ];
    if !quick {
        let strict = [("RUSTDOCFLAGS", "-Dwarnings")];
        steps.push(cargo_step("doc", &["doc", "--workspace", "--no-deps", "--locked"], &strict));
        let again = format!("cargo-deny {}", deny_arguments(&DENY_CHECKS).join(" "));
        steps.push(Step { name: "deny", again, work: Work::Deny });
        steps.push(Step { name: "docs", again: "cargo xtask docs".into(), work: Work::Docs });
        steps.push(Step { name: "dist", again: "cargo xtask dist --try".into(), work: Work::Dist });
        steps.push(cargo_step("nova", &["xtask", "nova"], &[]));
        steps.push(cargo_step("cel", &["xtask", "cel"], &[]));
        steps.push(cargo_step("ajv", &["xtask", "ajv"], &[]));
    }
    steps
}

fn cargo_step(name: &'static str, args: &[&'static str], env: &[(&'static str, &'static str)]) -> Step {
    let variables: String = env.iter().map(|(key, value)| format!("{key}={value} ")).collect();
    let again = format!("{variables}cargo {}", args.join(" "));
    Step { name, again, work: Work::Cargo(args.to_vec(), env.to_vec()) }
}

fn perform(workspace: &Workspace, work: &Work, extent: TestExtent) -> Result<(), String> {
    match work {
        Work::Check => match check::run(workspace, false) {
            Ok(()) => Ok(()),
            Err(Failure::Failed(text) | Failure::Usage(text)) => Err(text),
        },
        Work::Cargo(args, env) => {
            let mut command = Command::new(cargo());
            command.args(args).envs(env.iter().copied());
            spawn(&workspace.root, command)
        }
        Work::Docs => docs::build(workspace),
        Work::Tests => suites::run(workspace, &TESTS, &extent.variables()),
        Work::Dist => dist::try_out(workspace),
        Work::Deny => deny(workspace),
    }
}

const DENY_CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

fn deny_arguments(checks: &[&'static str]) -> Vec<&'static str> {
    let mut args = vec!["--locked", "--config", "deny.toml", "check"];
    args.extend(checks);
    args
}

fn deny(workspace: &Workspace) -> Result<(), String> {
    let program = CARGO_DENY.program(workspace)?;
    run_deny(workspace, &program, &DENY_CHECKS)?;
    if std::env::var("KVRULES_ADVISORIES").is_ok_and(|value| value == "1") {
        return run_deny(workspace, &program, &["advisories"]);
    }
    println!(
        "advisories were not checked (no network is assumed); KVRULES_ADVISORIES=1 cargo xtask test checks them"
    );
    Ok(())
}

fn run_deny(workspace: &Workspace, program: &Path, checks: &[&'static str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(deny_arguments(checks));
    spawn(&workspace.root, command)
}
