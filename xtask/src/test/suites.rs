//! Runs all tests and reports what they print: how many recorded cases agree, and what was skipped. A suite that is skipped although
//! the directory of its data exists is a failure.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::tools::cargo;
use crate::workspace::{SHARED, Workspace};

/// Lines of passing tests that are worth repeating.
#[derive(Debug, Default, PartialEq, Eq)]
struct Printed {
    skipped: Vec<String>,
    agreed: Vec<String>,
    /// True within the output of passing tests, which is not shown.
    in_successes: bool,
}

impl Printed {
    /// Takes a line of libtest's output with `--show-output`. Returns true if it is to be shown.
    fn take(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.in_successes = true,
            "failures:" => self.in_successes = false,
            _ if line.starts_with("test result:") => self.in_successes = false,
            _ => {}
        }
        if self.in_successes {
            let line = line.trim();
            if line.starts_with("skipped: ") {
                self.skipped.push(line.to_owned());
            } else if line.contains(" agree") {
                self.agreed.push(line.to_owned());
            }
        }
        !self.in_successes
    }

    /// The skipped suites whose data exists.
    fn faults(&self, has_shared: bool) -> Vec<&str> {
        let start = format!("skipped: {SHARED}/");
        let skipped = self.skipped.iter().map(String::as_str);
        skipped.filter(|line| has_shared && line.starts_with(&start)).collect()
    }
}

pub(super) fn run(workspace: &Workspace, args: &[&str], variables: &[(&str, String)]) -> Result<(), String> {
    let mut command = Command::new(cargo());
    command.args(args).args(["--", "--show-output"]).current_dir(&workspace.root);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).env("INSTA_UPDATE", "no");
    let mut child = command.spawn().map_err(|error| format!("cargo test could not be started: {error}"))?;
    let mut printed = Printed::default();
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(|error| format!("cargo test: {error}"))?;
        if printed.take(&line) {
            println!("{line}");
        }
    }
    let status = child.wait().map_err(|error| format!("cargo test: {error}"))?;
    report(&printed);
    if !status.success() {
        return Err(status.to_string());
    }
    let shared = workspace.shared_directory();
    match printed.faults(shared.is_dir()).as_slice() {
        [] => Ok(()),
        faults => Err(format!("{} skipped although {} exists", faults.len(), shared.display())),
    }
}

fn report(printed: &Printed) {
    for line in &printed.agreed {
        println!("{line}");
    }
    println!("{} skipped", printed.skipped.len());
    for line in &printed.skipped {
        println!("  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "running 2 tests\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\n12 of 12 cases agree\n\
        skipped: ../shared/x.jsonl is absent\nskipped: there is no strace\n\nsuccesses:\n    a\n\nfailures:\n\n\
        ---- b stdout ----\nskipped on the way\n\ntest result: FAILED. 1 passed; 1 failed\n";

    #[test]
    fn what_passing_tests_print_is_collected_and_what_failing_ones_print_is_shown() {
        let mut printed = Printed::default();
        let shown: Vec<_> = OUTPUT.lines().filter(|line| printed.take(line)).collect();
        assert!(shown.contains(&"---- b stdout ----") && !shown.contains(&"---- a stdout ----"), "{shown:?}");
        assert_eq!(printed.agreed, ["12 of 12 cases agree"]);
        assert_eq!(printed.skipped.len(), 2);
        assert_eq!(printed.faults(true), ["skipped: ../shared/x.jsonl is absent"]);
        assert!(printed.faults(false).is_empty());
    }
}
