//! One thread's work: a job becomes verdicts, laid out and counted.

use std::sync::Arc;

use kvrules::eval::{Evaluation, EvaluationFault, Evaluator};
use kvrules::render::xml::JunitCount;
use kvrules::{FileId, SourceFile, Sources};

use super::objects::{Input, InputPart, Job};
use super::tally::VerdictCounts;
use super::{OutputFormat, human, json, junit};
use crate::failure::Status;
use crate::terminal::ColorPainter;
use crate::text::{UnreadFile, read_text_from};

/// Presentation of verdicts.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerdictView {
    pub(super) format: OutputFormat,
    /// JSON is written line by line, and not as one array.
    pub(super) lines: bool,
    /// True if all results of policies are shown.
    pub(super) trace: bool,
    pub(super) paint: ColorPainter,
    pub(super) color_errors: bool,
}

/// Result of a job.
pub(super) struct JobResult<'i> {
    pub(super) input: &'i Input,
    pub(super) events: Vec<PrintEvent>,
    pub(super) tally: VerdictCounts,
    pub(super) status: Status,
    /// The testcases of JUnit.
    pub(super) cases: JunitCount,
    /// Objects that are something else than a VirtualMachine, and were not asked for.
    pub(super) others: usize,
    /// True if there is anything to report.
    pub(super) is_reported: bool,
}

/// Something to be printed.
pub(super) enum PrintEvent {
    /// Part of the result.
    Result(String),
    /// Findings in rules, laid out.
    Findings(Arc<str>),
    /// The reason why an object was not evaluated.
    Fault(String),
    /// Input that could not be read.
    Unread(UnreadFile),
}

/// Evaluates what one thread is given.
pub(super) struct ObjectEvaluator {
    evaluator: Evaluator,
    view: VerdictView,
    /// The findings that were laid out last: many objects share their rules.
    laid_out: Option<(Arc<Sources>, Arc<str>)>,
}

impl ObjectEvaluator {
    pub(super) fn new(evaluator: Evaluator, view: VerdictView) -> Self {
        Self { evaluator, view, laid_out: None }
    }

    pub(super) fn answer<'i>(&mut self, job: Job<'i>) -> JobResult<'i> {
        let mut answered = JobResult {
            input: job.input,
            events: Vec::new(),
            tally: VerdictCounts::default(),
            status: Status::Clean,
            cases: JunitCount::default(),
            others: 0,
            is_reported: false,
        };
        match job.part {
            InputPart::Whole => self.text(job.input.read(), None, &mut answered),
            InputPart::Unread(unread, line) => self.unread(unread, line, &mut answered),
            InputPart::Lines(bytes, first) => {
                for (line, bytes) in (first..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
                    if !bytes.trim_ascii().is_empty() {
                        let text = read_text_from(job.input.name.clone(), bytes);
                        self.text(
                            text.map_err(|unread| shift_unread(unread, line)),
                            Some(line),
                            &mut answered,
                        );
                    }
                }
            }
        }
        answered
    }

    fn text(&mut self, text: Result<String, UnreadFile>, line: Option<u32>, answered: &mut JobResult<'_>) {
        let text = match text {
            Ok(text) => text,
            Err(unread) => return self.unread(unread, line, answered),
        };
        let file = &answered.input.name;
        let name = line.map_or_else(|| file.clone(), |line| format!("{file}, line {line}"));
        for mut evaluation in self.evaluator.evaluate_objects(&SourceFile::new(FileId(0), name, text)) {
            if answered.input.is_searched() && is_no_machine(&evaluation) {
                answered.others += 1;
                continue;
            }
            shift_locations(&mut evaluation, line);
            self.evaluation(&evaluation, answered);
        }
    }

    fn evaluation(&mut self, evaluation: &Evaluation, answered: &mut JobResult<'_>) {
        answered.is_reported = true;
        answered.tally.add(evaluation);
        answered.status = answered.status.max(evaluation_status(evaluation));
        let file = &answered.input.name;
        let text = match self.view.format {
            OutputFormat::Human => {
                human::render_evaluation(file, evaluation, self.view.trace, self.view.paint)
            }
            OutputFormat::Json => self.json(&json::evaluation_record(file, evaluation)),
            OutputFormat::Junit => junit::evaluation_testcases(file, evaluation, &mut answered.cases),
        };
        answered.result(&text);
        if let Some(fault) = &evaluation.fault {
            let text = human::render_fault(&answered.input.name, evaluation, fault);
            answered.events.extend(self.findings(fault).map(PrintEvent::Findings));
            answered.events.push(PrintEvent::Fault(text));
        }
    }

    /// For an unreadable line, reports that the object was not evaluated; for other input, that it could not be
    /// read.
    fn unread(&self, unread: UnreadFile, line: Option<u32>, answered: &mut JobResult<'_>) {
        answered.is_reported = true;
        answered.status = Status::RunError;
        match line {
            Some(_) => answered.tally.not_evaluated += 1,
            None => answered.tally.unread += 1,
        }
        let text = unread_text(self.view, &answered.input.name, line, &unread, &mut answered.cases);
        answered.result(&text);
        answered.events.push(PrintEvent::Unread(unread));
    }

    fn json(&self, record: &json::Record<'_>) -> String {
        json::render_record(record, self.view.lines)
    }

    /// The findings in rules, laid out.
    fn findings(&mut self, fault: &EvaluationFault) -> Option<Arc<str>> {
        let unsound = fault.unsound.as_ref()?;
        if let Some((sources, text)) = &self.laid_out
            && Arc::ptr_eq(sources, &unsound.sources)
        {
            return Some(Arc::clone(text));
        }
        let text: Arc<str> = human::render_unsound(unsound, self.view.color_errors).into();
        self.laid_out = Some((Arc::clone(&unsound.sources), Arc::clone(&text)));
        Some(text)
    }
}

/// The result for what could not be read.
pub(super) fn unread_text(
    view: VerdictView,
    name: &str,
    line: Option<u32>,
    unread: &UnreadFile,
    cases: &mut JunitCount,
) -> String {
    match view.format {
        OutputFormat::Human => String::new(),
        OutputFormat::Json => json::render_record(&json::unread_record(name, line, unread), view.lines),
        OutputFormat::Junit => junit::unread_testcase(name, line, unread, cases),
    }
}

impl JobResult<'_> {
    /// Adds to the result.
    fn result(&mut self, text: &str) {
        match self.events.last_mut() {
            Some(PrintEvent::Result(before)) => before.push_str(text),
            _ if text.is_empty() => {}
            _ => self.events.push(PrintEvent::Result(text.to_owned())),
        }
    }
}

fn evaluation_status(evaluation: &Evaluation) -> Status {
    if evaluation.is_incomplete() {
        Status::RunError
    } else if evaluation.is_rejected() {
        Status::Findings
    } else {
        Status::Clean
    }
}

/// True if an evaluation is about an object of another kind.
fn is_no_machine(evaluation: &Evaluation) -> bool {
    evaluation.fault.as_ref().is_some_and(|fault| fault.is_other_kind)
}

/// Converts locations in a line to locations in its file.
fn shift_locations(evaluation: &mut Evaluation, line: Option<u32>) {
    let before = line.unwrap_or(1) - 1;
    evaluation.at.line += before;
    if let Some(fault) = &mut evaluation.fault {
        fault.at.line += before;
    }
    for error in evaluation.crd.iter_mut().flat_map(|answer| &mut answer.errors) {
        error.at.line += before;
    }
}

/// Converts the location of an invalid byte in a line to one in its file.
fn shift_unread(mut unread: UnreadFile, line: u32) -> UnreadFile {
    if let Some(at) = &mut unread.at {
        at.line += line - 1;
    }
    unread
}
