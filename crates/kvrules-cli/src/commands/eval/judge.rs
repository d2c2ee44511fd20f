//! One thread's work: a job becomes verdicts, laid out and counted.

use std::sync::Arc;

use kvrules::eval::{EvaluationFault, Evaluator, Judgement};
use kvrules::{FileId, SourceFile, Sources};

use super::objects::{Input, Job, Part};
use super::tally::Tally;
use super::{OutputFormat, human, json, junit};
use crate::failure::Status;
use crate::terminal::Paint;
use crate::text::{Unread, read};

/// Presentation of verdicts.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) format: OutputFormat,
    /// JSON is written line by line, and not as one array.
    pub(super) lines: bool,
    pub(super) paint: Paint,
    pub(super) color_errors: bool,
}

/// Result of a job.
pub(super) struct Answered<'i> {
    pub(super) input: &'i Input,
    pub(super) events: Vec<Event>,
    pub(super) tally: Tally,
    pub(super) status: Status,
    /// The testcases of JUnit.
    pub(super) cases: junit::Count,
    /// Objects that are something else than a VirtualMachine, and were not asked for.
    pub(super) others: usize,
    /// True if there is anything to report.
    pub(super) is_told: bool,
}

/// Something to be printed.
pub(super) enum Event {
    /// Part of the result.
    Result(String),
    /// Findings in rules, laid out.
    Findings(Arc<str>),
    /// The reason why an object was not judged.
    Fault(String),
    /// Input that could not be read.
    Unread(Unread),
}

/// Judges what one thread is given.
pub(super) struct Judge {
    evaluator: Evaluator,
    view: View,
    /// The findings that were laid out last: many objects share their rules.
    laid_out: Option<(Arc<Sources>, Arc<str>)>,
}

impl Judge {
    pub(super) fn new(evaluator: Evaluator, view: View) -> Self {
        Self { evaluator, view, laid_out: None }
    }

    pub(super) fn answer<'i>(&mut self, job: Job<'i>) -> Answered<'i> {
        let mut answered = Answered {
            input: job.input,
            events: Vec::new(),
            tally: Tally::default(),
            status: Status::Clean,
            cases: junit::Count::default(),
            others: 0,
            is_told: false,
        };
        match job.part {
            Part::Whole => self.text(job.input.read(), None, &mut answered),
            Part::Unread(unread, line) => self.unread(unread, line, &mut answered),
            Part::Lines(bytes, first) => {
                for (line, bytes) in (first..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
                    if !bytes.trim_ascii().is_empty() {
                        let text = read(job.input.name.clone(), bytes);
                        self.text(text.map_err(|unread| shifted(unread, line)), Some(line), &mut answered);
                    }
                }
            }
        }
        answered
    }

    fn text(&mut self, text: Result<String, Unread>, line: Option<u32>, answered: &mut Answered<'_>) {
        let text = match text {
            Ok(text) => text,
            Err(unread) => return self.unread(unread, line, answered),
        };
        let file = &answered.input.name;
        let name = line.map_or_else(|| file.clone(), |line| format!("{file}, line {line}"));
        for mut judgement in self.evaluator.evaluate_objects(&SourceFile::new(FileId(0), name, text)) {
            if answered.input.is_searched() && is_no_machine(&judgement) {
                answered.others += 1;
                continue;
            }
            shift(&mut judgement, line);
            self.judgement(&judgement, answered);
        }
    }

    fn judgement(&mut self, judgement: &Judgement, answered: &mut Answered<'_>) {
        answered.is_told = true;
        answered.tally.add(judgement);
        answered.status = answered.status.max(status(judgement));
        let file = &answered.input.name;
        let text = match self.view.format {
            OutputFormat::Human => human::text(file, judgement, self.view.paint),
            OutputFormat::Json => self.json(&json::record(file, judgement)),
            OutputFormat::Junit => junit::cases(file, judgement, &mut answered.cases),
        };
        answered.result(&text);
        if let Some(fault) = &judgement.fault {
            let told = human::fault(&answered.input.name, judgement, fault);
            answered.events.extend(self.findings(fault).map(Event::Findings));
            answered.events.push(Event::Fault(told));
        }
    }

    /// Of a line that could not be read it is said that an object was not judged, of anything else that it is unread.
    fn unread(&self, unread: Unread, line: Option<u32>, answered: &mut Answered<'_>) {
        answered.is_told = true;
        answered.status = Status::RunError;
        match line {
            Some(_) => answered.tally.not_judged += 1,
            None => answered.tally.unread += 1,
        }
        let text = unread_text(self.view, &answered.input.name, line, &unread, &mut answered.cases);
        answered.result(&text);
        answered.events.push(Event::Unread(unread));
    }

    fn json(&self, record: &json::Record<'_>) -> String {
        json::text(record, self.view.lines)
    }

    /// The findings in rules, laid out.
    fn findings(&mut self, fault: &EvaluationFault) -> Option<Arc<str>> {
        let unsound = fault.unsound.as_ref()?;
        if let Some((sources, text)) = &self.laid_out
            && Arc::ptr_eq(sources, &unsound.sources)
        {
            return Some(Arc::clone(text));
        }
        let text: Arc<str> = human::findings(unsound, self.view.color_errors).into();
        self.laid_out = Some((Arc::clone(&unsound.sources), Arc::clone(&text)));
        Some(text)
    }
}

/// The result for what could not be read.
pub(super) fn unread_text(
    view: View,
    name: &str,
    line: Option<u32>,
    unread: &Unread,
    cases: &mut junit::Count,
) -> String {
    match view.format {
        OutputFormat::Human => String::new(),
        OutputFormat::Json => json::text(&json::unread(name, line, unread), view.lines),
        OutputFormat::Junit => junit::unread(name, line, unread, cases),
    }
}

impl Answered<'_> {
    /// Adds to the result.
    fn result(&mut self, text: &str) {
        match self.events.last_mut() {
            Some(Event::Result(before)) => before.push_str(text),
            _ if text.is_empty() => {}
            _ => self.events.push(Event::Result(text.to_owned())),
        }
    }
}

fn status(judgement: &Judgement) -> Status {
    if judgement.is_incomplete() {
        Status::RunError
    } else if judgement.is_rejected() {
        Status::Findings
    } else {
        Status::Clean
    }
}

/// True if a judgement is about an object of another kind.
fn is_no_machine(judgement: &Judgement) -> bool {
    judgement.fault.as_ref().is_some_and(|fault| fault.is_other_kind)
}

/// Moves places in a line to where the line stands in its file.
fn shift(judgement: &mut Judgement, line: Option<u32>) {
    let before = line.unwrap_or(1) - 1;
    judgement.at.line += before;
    if let Some(fault) = &mut judgement.fault {
        fault.at.line += before;
    }
    for error in judgement.crd.iter_mut().flat_map(|answer| &mut answer.errors) {
        error.at.line += before;
    }
}

/// Moves the place of a bad byte in a line to where the line stands in its file.
fn shifted(mut unread: Unread, line: u32) -> Unread {
    if let Some(at) = &mut unread.at {
        at.line += line - 1;
    }
    unread
}
