//! `cargo xtask test`: every check the house has, in the order in which a failure is cheapest to see.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::workspace::Workspace;
use crate::{Failure, check};

const CARGO_DENY_VERSION: &str = "0.20.2";
const TOOLS: &str = "target/tools";
const TOOLS_BUILD: &str = "target/tools-build";

/// One thing to do and how it is called when it fails.
struct Step {
    name: &'static str,
    /// What a person types to see this step alone.
    again: String,
    work: Work,
}

enum Work {
    /// The house's tidy, in this process.
    Check,
    /// A cargo command with variables of its environment.
    Cargo(Vec<&'static str>, Vec<(&'static str, &'static str)>),
    /// Licences, duplicates and sources of the dependencies.
    Deny,
}

pub(crate) fn run(workspace: &Workspace, quick: bool) -> Result<(), Failure> {
    let steps = steps(quick);
    let total = steps.len();
    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        let label = format!("[{}/{total}] {}", index + 1, step.name);
        println!("{label}: {}", step.again);
        let began = Instant::now();
        if let Err(reason) = perform(workspace, &step.work) {
            let seconds = began.elapsed().as_secs_f64();
            let again = &step.again;
            return Err(Failure::Failed(format!(
                "{label}: failed after {seconds:.1} s: {reason}\nto see it again: {again}"
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
        cargo_step("test", &["test", "--workspace", "--locked"], &[]),
    ];
    if !quick {
        let strict = [("RUSTDOCFLAGS", "-Dwarnings")];
        steps.push(cargo_step("doc", &["doc", "--workspace", "--no-deps", "--locked"], &strict));
        let again = format!("{TOOLS}/bin/{}", deny_arguments(&DENY_CHECKS).join(" "));
        steps.push(Step { name: "deny", again, work: Work::Deny });
    }
    steps
}

fn cargo_step(name: &'static str, args: &[&'static str], env: &[(&'static str, &'static str)]) -> Step {
    let variables: String = env.iter().map(|(key, value)| format!("{key}={value} ")).collect();
    let again = format!("{variables}cargo {}", args.join(" "));
    Step { name, again, work: Work::Cargo(args.to_vec(), env.to_vec()) }
}

fn perform(workspace: &Workspace, work: &Work) -> Result<(), String> {
    match work {
        Work::Check => match check::run(workspace) {
            Ok(()) => Ok(()),
            Err(Failure::Failed(text) | Failure::Usage(text)) => Err(text),
        },
        Work::Cargo(args, env) => {
            let mut command = Command::new(cargo());
            command.args(args).envs(env.iter().copied());
            spawn(workspace, command)
        }
        Work::Deny => deny(workspace),
    }
}

const DENY_CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

fn deny_arguments(checks: &[&'static str]) -> Vec<&'static str> {
    let mut args = vec!["cargo-deny", "--locked", "--config", "deny.toml", "check"];
    args.extend(checks);
    args
}

fn deny(workspace: &Workspace) -> Result<(), String> {
    install_cargo_deny(workspace)?;
    run_deny(workspace, &DENY_CHECKS)?;
    if std::env::var("KVRULES_ADVISORIES").is_ok_and(|value| value == "1") {
        return run_deny(workspace, &["advisories"]);
    }
    println!(
        "advisories were not checked (no network is assumed); KVRULES_ADVISORIES=1 cargo xtask test checks them"
    );
    Ok(())
}

fn run_deny(workspace: &Workspace, checks: &[&'static str]) -> Result<(), String> {
    let mut command = Command::new(workspace.root.join(TOOLS).join("bin/cargo-deny"));
    command.args(deny_arguments(checks).iter().skip(1));
    spawn(workspace, command)
}

/// Builds the one tool that rustup does not bring, at a fixed version, under `target`.
fn install_cargo_deny(workspace: &Workspace) -> Result<(), String> {
    if workspace.exists(&format!("{TOOLS}/bin/cargo-deny")) {
        return Ok(());
    }
    println!("cargo-deny is not there yet; installing {CARGO_DENY_VERSION} into {TOOLS}");
    let mut command = Command::new(cargo());
    command.args(["install", "cargo-deny", "--locked", "--version", CARGO_DENY_VERSION]);
    command.args(["--root", TOOLS, "--target-dir", TOOLS_BUILD]);
    let installed = spawn(workspace, command);
    // What was built on the way is several times the size of the tool, and of no further use.
    let _ = std::fs::remove_dir_all(workspace.root.join(TOOLS_BUILD));
    installed
}

/// Runs a command at the root, with its output shown and nothing to read from.
fn spawn(workspace: &Workspace, mut command: Command) -> Result<(), String> {
    command.current_dir(&workspace.root).stdin(Stdio::null());
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_TERM_PROGRESS_WHEN", "never").env("INSTA_UPDATE", "no");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(format!("could not be started: {error}")),
    }
}

/// The cargo that started this tool, so that a chosen toolchain stays chosen.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}
