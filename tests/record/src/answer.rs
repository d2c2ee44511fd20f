//! The answers of a program to all runs, kept in a file.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::counts::{Counts, count};
use crate::inputs::write_inputs;
use crate::matrix::{Run, all_runs};
use crate::run::{Output, Runner};

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub run: Run,
    pub digest: u64,
    pub counts: Counts,
}

/// Runs everything that contains a text in its name, and writes the answers beside the inputs, in a file for the program.
///
/// # Errors
///
/// If inputs cannot be written, or the program cannot be started.
pub fn record(runner: &Runner, only: &str) -> Result<Vec<Answer>, String> {
    let mut runs = all_runs(&write_inputs(&runner.inputs())?);
    runs.retain(|run| run.name().contains(only));
    let answers = answer_all(runner, &runs)?;
    let lines: Vec<String> = answers.iter().map(|answer| format!("{}\n", to_line(answer))).collect();
    let path = answers_path(runner);
    fs::write(&path, lines.concat()).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(answers)
}

/// The file with the answers of a program: beside it.
fn answers_path(runner: &Runner) -> PathBuf {
    runner.program().with_extension("answers.jsonl")
}

fn to_line(answer: &Answer) -> Value {
    json!({"run": answer.run.name(), "digest": format!("{:016x}", answer.digest), "counts": answer.counts})
}

/// Answers runs, on all processors.
fn answer_all(runner: &Runner, runs: &[Run]) -> Result<Vec<Answer>, String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Answer)>> = Mutex::new(Vec::with_capacity(runs.len()));
    let failure: Mutex<Option<String>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, found, failure) = (&next, &found, &failure);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(index) else { return };
                    if index % 1000 == 0 {
                        eprintln!("{index} of {} runs", runs.len());
                    }
                    match runner.run(&run.args(), worker) {
                        Ok(output) => {
                            let answer = to_answer(run, &output);
                            found
                                .lock()
                                .unwrap_or_else(std::sync::PoisonError::into_inner)
                                .push((index, answer));
                        }
                        Err(message) => {
                            *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                                Some(message);
                            return;
                        }
                    }
                }
            });
        }
    });
    if let Some(message) = failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(message);
    }
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by_key(|(index, _)| *index);
    Ok(found.into_iter().map(|(_, answer)| answer).collect())
}

fn to_answer(run: &Run, output: &Output) -> Answer {
    Answer { run: run.clone(), digest: digest(output), counts: count(output) }
}

/// FNV-1a of everything that a run prints and writes: the same on every machine, and enough to see whether two answers differ.
fn digest(output: &Output) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(output.status.to_string().as_bytes());
    for (name, text) in &output.parts {
        add(name.as_bytes());
        add(text.as_bytes());
    }
    hash
}
