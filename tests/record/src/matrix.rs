//! Which commands run on which inputs.

use crate::inputs::Input;
use crate::run::WRITTEN;

/// Commands about one file. `{}` is its path.
const FILE_COMMANDS: [&str; 13] = [
    "check --level info --output-format json {}",
    "compile --target all --loss allow --loss-report - --out-dir written {}",
    "cost --output-format json {}",
    "docs --format json {}",
    "eval --output-format json {}",
    "fix --diff {}",
    "flavor check --output-format json {}",
    "fmt --diff {}",
    "import ruleset {}",
    "import schema {}",
    "migrate --diff {}",
    "minors --output-format json {}",
    "verify --output-format json {}",
];

/// Commands about two files.
const PAIR_COMMANDS: [&str; 1] = ["diff --output-format json {} {}"];

/// Commands about a folder of suites.
const SUITE_COMMANDS: [&str; 2] =
    ["test --output-format json {}", "test --mutate --coverage --output-format json {}"];

/// Commands without inputs.
const PLAIN_COMMANDS: [&str; 9] = [
    "--help",
    "compile --list-targets=json",
    "flavor definitions --output-format json",
    "lints",
    "schema config",
    "schema diagnostics",
    "schema loss-report",
    "completions bash",
    "man",
];

/// A command with its inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The command with its options, without inputs.
    pub command: String,
    /// The inputs.
    pub inputs: Vec<String>,
}

impl Run {
    fn new(command: &str, inputs: &[&str]) -> Self {
        Self { command: command.to_owned(), inputs: inputs.iter().map(|it| (*it).to_owned()).collect() }
    }

    /// The arguments of the program.
    pub fn args(&self) -> Vec<String> {
        let mut inputs = self.inputs.iter();
        let argument = |word: &str| match word {
            "{}" => inputs.next().cloned().unwrap_or_default(),
            word => word.to_owned(),
        };
        let mut args: Vec<String> = vec!["--no-config".to_owned()];
        args.extend(self.command.split(' ').map(argument));
        args
    }

    /// The name of the run in records.
    pub fn name(&self) -> String {
        if self.inputs.is_empty() {
            return self.command.clone();
        }
        format!("{} < {}", self.title(), self.inputs.join(" "))
    }

    /// The command without places of inputs and of written files.
    pub fn title(&self) -> String {
        let words: Vec<&str> =
            self.command.split(' ').filter(|word| !["{}", "--out-dir", WRITTEN].contains(word)).collect();
        words.join(" ")
    }
}

/// Returns the runs of all commands, in the order of their names.
pub fn all_runs(inputs: &[Input]) -> Vec<Run> {
    let mut runs: Vec<Run> = PLAIN_COMMANDS.iter().map(|command| Run::new(command, &[])).collect();
    for input in inputs {
        match input {
            Input::File(path) => runs.extend(FILE_COMMANDS.iter().map(|it| Run::new(it, &[path]))),
            Input::Suites(path) => runs.extend(SUITE_COMMANDS.iter().map(|it| Run::new(it, &[path]))),
            Input::Pair(old, new) => runs.extend(PAIR_COMMANDS.iter().map(|it| Run::new(it, &[old, new]))),
        }
    }
    runs.sort();
    runs
}
