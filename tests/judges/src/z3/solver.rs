//! The solver: a process of Python with z3, which answers one question a line.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value as Json;

/// The variable with the Python that has z3.
const PYTHON: &str = "KVRULES_Z3_PYTHON";

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/z3/decide.py");

/// An answer about a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// No state satisfies it.
    Nowhere,
    /// This value does, in an update of the stored one if there is one.
    State(Json, Option<Json>),
    /// Not decided, with the reason.
    Unknown(String),
}

/// A running process.
#[derive(Debug)]
pub(super) struct Solver {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Solver {
    /// Starts the process.
    pub(super) fn start() -> Result<Self, String> {
        let python = std::env::var_os(PYTHON).ok_or_else(|| format!("{PYTHON} is not set"))?;
        let mut command = Command::new(python);
        command.args(["-B", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| format!("z3 could not be started: {error}"))?;
        let (questions, answers) = (process.stdin.take(), process.stdout.take());
        let (Some(questions), Some(answers)) = (questions, answers) else {
            return Err("z3 has no pipes".to_owned());
        };
        Ok(Self { process, questions, answers: BufReader::new(answers) })
    }

    /// Asks a question; the error is that of the process.
    pub(super) fn ask(&mut self, question: &Json) -> Result<Answer, String> {
        let failed = |error: std::io::Error| format!("z3 does not answer: {error}");
        writeln!(self.questions, "{question}").and_then(|()| self.questions.flush()).map_err(failed)?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(failed)?;
        read_answer(&line).ok_or_else(|| format!("z3 does not answer {question}: {line:?}"))
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        // It has ended already if an answer was not read.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_answer(line: &str) -> Option<Answer> {
    let mut answer: Json = serde_json::from_str(line).ok()?;
    match answer["answer"].as_str()? {
        "none" => Some(Answer::Nowhere),
        "state" => {
            let old = answer["old"].take();
            Some(Answer::State(answer["value"].take(), (!old.is_null()).then_some(old)))
        }
        "unknown" => Some(Answer::Unknown(answer["reason"].as_str()?.to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_three_kinds_are_read_and_nothing_else() {
        assert_eq!(read_answer(r#"{"answer": "none"}"#), Some(Answer::Nowhere));
        let state = r#"{"answer": "state", "value": {"a": 1}, "old": null}"#;
        assert_eq!(read_answer(state), Some(Answer::State(json!({"a": 1}), None)));
        let unknown = r#"{"answer": "unknown", "reason": "a number"}"#;
        assert_eq!(read_answer(unknown), Some(Answer::Unknown("a number".into())));
        for broken in ["", "{}", r#"{"answer": "maybe"}"#] {
            assert_eq!(read_answer(broken), None, "{broken}");
        }
    }
}
