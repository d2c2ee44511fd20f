//! `cargo xtask test`: every check the house has, in the order in which a failure is cheapest to see. Steps that need no
//! result of the tests run next to them.

mod beside;
mod extent;
mod suites;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::docs::TRIED_WHEEL;
pub(crate) use crate::tools::cargo;
use crate::tools::{CARGO_DENY, spawn};
use crate::workspace::Workspace;
use crate::{Failure, check};
use beside::{BesideRun, BesideStep};
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
    /// All tests but those in doc comments. `--show-output`, which tells what was skipped, has `rustdoc` build each
    /// of those as a program of its own.
    Tests,
    /// A command of this program that runs next to the tests.
    Beside(&'static [&'static str]),
    /// Licences, duplicates and sources of the dependencies.
    Deny,
}

pub(crate) fn run(workspace: &Workspace, extent: TestExtent) -> Result<(), Failure> {
    let steps = steps(extent == TestExtent::Quick);
    if let TestExtent::Full { seed } = extent {
        println!("to repeat this run: cargo xtask test --full --seed {seed}");
    }
    let start = Instant::now();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mut beside = None;
        let mut result = Ok(());
        for (index, step) in steps.iter().enumerate() {
            if matches!(step.work, Work::Tests) {
                let root = workspace.root.clone();
                beside = Some(BesideRun::start(scope, root, beside_steps(&steps), &stop));
            }
            result = run_step(workspace, step, &label(&steps, index), extent);
            if let Err(reason) = &result {
                // The steps next to the tests may take a while to end.
                println!("{reason}");
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        result.and(beside.map_or(Ok(()), BesideRun::wait))
    })?;
    let total = steps.len();
    println!("xtask test: all {total} steps passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// `[9/13] docs`.
fn label(steps: &[Step], index: usize) -> String {
    format!("[{}/{}] {}", index + 1, steps.len(), steps.get(index).map_or("", |step| step.name))
}

/// The steps that run next to the tests.
fn beside_steps(steps: &[Step]) -> Vec<BesideStep> {
    let numbered = steps.iter().enumerate();
    let beside = numbered.filter_map(|(index, step)| match step.work {
        Work::Beside(args) => Some(BesideStep { label: label(steps, index), args }),
        _ => None,
    });
    beside.collect()
}

/// Runs a step of the main thread; the error is a report.
fn run_step(workspace: &Workspace, step: &Step, label: &str, extent: TestExtent) -> Result<(), String> {
    if matches!(step.work, Work::Beside(_)) {
        return Ok(());
    }
    let again = &step.again;
    println!("{label}: {again}");
    let began = Instant::now();
    let done = perform(workspace, &step.work, extent);
    let seconds = began.elapsed().as_secs_f64();
    done.map_err(|reason| format!("{label}: failed after {seconds:.1} s: {reason}\nto repeat it: {again}"))?;
    println!("{label}: passed in {seconds:.1} s");
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
    ];
    if !quick {
        // The wheel links the program anew, which tests run; so not next to them. Nothing there may build a program
        // otherwise than the tests do: it is gone until it is linked.
        steps.push(cargo_step("dist", &["xtask", "dist", "--try"], &[]));
    }
    steps.push(Step { name: "test", again: format!("cargo {}", TESTS.join(" ")), work: Work::Tests });
    steps.push(cargo_step("doctest", &DOC_TESTS, &[]));
    if !quick {
        let strict = [("RUSTDOCFLAGS", "-Dwarnings")];
        steps.push(cargo_step("doc", &["doc", "--workspace", "--no-deps", "--locked"], &strict));
        let again = format!("cargo-deny {}", deny_arguments(&DENY_CHECKS).join(" "));
        steps.push(Step { name: "deny", again, work: Work::Deny });
        steps.push(beside_step("docs", &["docs", TRIED_WHEEL]));
        steps.push(beside_step("nova", &["nova"]));
        steps.push(beside_step("cel", &["cel"]));
        steps.push(beside_step("z3", &["z3"]));
        steps.push(beside_step("ajv", &["ajv"]));
        steps.push(beside_step("playground", &["playground", "--test", "--if-installed"]));
    }
    steps
}

fn cargo_step(name: &'static str, args: &[&'static str], env: &[(&'static str, &'static str)]) -> Step {
    let variables: String = env.iter().map(|(key, value)| format!("{key}={value} ")).collect();
    let again = format!("{variables}cargo {}", args.join(" "));
    Step { name, again, work: Work::Cargo(args.to_vec(), env.to_vec()) }
}

fn beside_step(name: &'static str, args: &'static [&'static str]) -> Step {
    Step { name, again: format!("cargo xtask {}", args.join(" ")), work: Work::Beside(args) }
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
        Work::Tests => suites::run(workspace, &TESTS, &extent.variables()),
        Work::Beside(_) => Ok(()),
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
