//! Steps that run next to the tests: they wait for Python and for files for the most part, and the tests for single cores.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

/// A command of this program that runs as a step.
#[derive(Clone, Debug)]
pub(super) struct BesideStep {
    /// Number and name, as in `[9/13] docs`.
    pub(super) label: String,
    /// Arguments of this program.
    pub(super) args: &'static [&'static str],
}

/// The steps next to the tests, while they run.
pub(super) struct BesideRun<'scope> {
    steps: ScopedJoinHandle<'scope, Result<(), String>>,
}

impl<'scope> BesideRun<'scope> {
    /// Starts the steps, one after the other in a thread of their own. None is started after `stop` is set.
    pub(super) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        root: PathBuf,
        steps: Vec<BesideStep>,
        stop: &'env AtomicBool,
    ) -> Self {
        Self { steps: scope.spawn(move || run_all(&root, &steps, stop)) }
    }

    /// Waits for the steps; the error is the report of the first that failed.
    pub(super) fn wait(self) -> Result<(), String> {
        self.steps.join().unwrap_or_else(|_| Err("a step next to the tests panicked".into()))
    }
}

fn run_all(root: &PathBuf, steps: &[BesideStep], stop: &AtomicBool) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    for step in steps.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        let mut command = Command::new(&program);
        command.args(step.args).current_dir(root);
        run_step(command, step)?;
    }
    Ok(())
}

/// Runs a step and prints what it printed in one piece, so that the output of the tests is not torn apart.
fn run_step(mut command: Command, step: &BesideStep) -> Result<(), String> {
    let BesideStep { label, args } = step;
    let again = format!("cargo xtask {}", args.join(" "));
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{label}: could not be started: {error}"))?;
    let seconds = began.elapsed().as_secs_f64();
    let mut text = format!("{label}: {again}\n");
    for stream in [&output.stdout, &output.stderr] {
        text.push_str(&String::from_utf8_lossy(stream));
    }
    if !output.status.success() {
        print!("{text}");
        let status = output.status;
        return Err(format!("{label}: failed after {seconds:.1} s: {status}\nto repeat it: {again}"));
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{label}: passed in {seconds:.1} s, next to the tests");
    print!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step() -> BesideStep {
        BesideStep { label: "[1/2] docs".into(), args: &["docs"] }
    }

    #[test]
    fn a_step_that_fails_is_an_error_with_the_command_that_repeats_it() {
        let mut command = Command::new("cargo");
        command.arg("no-such-command");
        let error = run_step(command, &step()).unwrap_err();
        assert!(error.starts_with("[1/2] docs: failed after "), "{error}");
        assert!(error.ends_with("\nto repeat it: cargo xtask docs"), "{error}");
        let missing = run_step(Command::new("./no such program"), &step()).unwrap_err();
        assert!(missing.starts_with("[1/2] docs: could not be started"), "{missing}");
    }

    #[test]
    fn no_step_is_started_after_another_failed() {
        let stop = AtomicBool::new(true);
        assert_eq!(run_all(&PathBuf::from("/"), &[step()], &stop), Ok(()));
        let mut command = Command::new("cargo");
        command.arg("--version");
        assert_eq!(run_step(command, &step()), Ok(()));
    }
}
