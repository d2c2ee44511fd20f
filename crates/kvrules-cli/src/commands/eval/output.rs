//! Printed output, in the order of the inputs, and its summary.

use std::collections::HashSet;
use std::sync::Arc;

use kvrules::eval::Engine;
use kvrules::render::one_line as plain;
use kvrules::render::xml::{self, JunitCount};

use super::OutputFormat;
use super::object_evaluator::{JobResult, PrintEvent, VerdictView, unread_text};
use super::objects::Input;
use super::tally::VerdictCounts;
use crate::failure::{Failure, Status};
use crate::inputs::{RequestedInput, VacantInputs};
use crate::sentences::count_noun;
use crate::terminal::Terminal;
use crate::text::UnreadFile;

/// Message about an input without objects, and what to do.
const OBJECTS: (&str, &str) =
    ("no object to evaluate", "`--allow-empty` accepts directories without objects to evaluate");

/// Number of bytes that are gathered before they are printed.
const ENOUGH: usize = 1 << 16;

/// Prints what the jobs gave.
pub(super) struct Output<'t, 'i> {
    view: VerdictView,
    engine: Engine,
    terminal: &'t mut Terminal,
    /// Text that is not yet printed.
    text: String,
    /// True if the JSON already contains an object.
    recorded: bool,
    /// The findings that were reported last: rules that many objects share are reported once.
    last_findings: Option<Arc<str>>,
    current: Option<Current<'i>>,
    tally: VerdictCounts,
    /// The files of directories and patterns that hold no object to evaluate.
    skipped: HashSet<String>,
    status: Status,
}

/// The input that is being printed.
struct Current<'i> {
    input: &'i Input,
    /// True if anything was reported about it.
    is_reported: bool,
    others: usize,
    has_suite: bool,
}

impl<'t, 'i> Output<'t, 'i> {
    pub(super) fn new(view: VerdictView, engine: Engine, terminal: &'t mut Terminal) -> Self {
        Self {
            view,
            engine,
            terminal,
            text: String::new(),
            recorded: false,
            last_findings: None,
            current: None,
            tally: VerdictCounts::default(),
            skipped: HashSet::new(),
            status: Status::Clean,
        }
    }

    /// Writes the start of the output.
    pub(super) fn begin(&mut self) {
        if self.view.format == OutputFormat::Junit {
            self.text += &xml::junit_start("eval", "");
        }
    }

    /// A path below which nothing could be examined.
    pub(super) fn unread(&mut self, unread: &UnreadFile) -> Result<(), Failure> {
        self.tally.unread += 1;
        self.trouble(unread)
    }

    /// An input of which there is nothing else to say.
    fn trouble(&mut self, unread: &UnreadFile) -> Result<(), Failure> {
        self.status = Status::RunError;
        let mut cases = JunitCount::default();
        let text = unread_text(self.view, &unread.name, None, unread, &mut cases);
        if self.view.format == OutputFormat::Junit {
            self.text += &xml::junit_suite_start(&unread.name, Some(cases));
        }
        self.result(&text);
        if self.view.format == OutputFormat::Junit {
            self.text += xml::JUNIT_SUITE_END;
        }
        self.print()?;
        self.terminal.unread(unread);
        Ok(())
    }

    /// Adds the result of the next job.
    pub(super) fn take(&mut self, answered: JobResult<'i>) -> Result<(), Failure> {
        let JobResult { input, events, tally, status, cases, others, is_reported } = answered;
        if self.current.as_ref().is_none_or(|current| !std::ptr::eq(current.input, input)) {
            self.close()?;
            self.current = Some(Current { input, is_reported: false, others: 0, has_suite: false });
        }
        // The number of test cases precedes them, so it is available only for an input that is evaluated as a
        // whole.
        let cases = (!input.by_lines).then_some(cases);
        for event in events {
            self.event(event, cases)?;
        }
        self.tally.absorb(tally);
        self.status = self.status.max(status);
        if let Some(current) = &mut self.current {
            current.others += others;
            current.is_reported |= is_reported;
        }
        if self.text.len() > ENOUGH { self.print() } else { Ok(()) }
    }

    fn event(&mut self, event: PrintEvent, cases: Option<JunitCount>) -> Result<(), Failure> {
        match event {
            PrintEvent::Result(text) => {
                self.open(cases);
                self.result(&text);
            }
            // Compared by text, because another thread may report findings about the same rules.
            PrintEvent::Findings(text) if self.last_findings.as_ref() == Some(&text) => {}
            PrintEvent::Findings(text) => {
                self.print()?;
                self.terminal.failure(&Failure::Rendered(text.to_string()));
                self.last_findings = Some(text);
            }
            PrintEvent::Fault(message) => {
                self.print()?;
                self.terminal.failure(&Failure::new(message));
            }
            PrintEvent::Unread(unread) => {
                self.print()?;
                self.terminal.unread(&unread);
            }
        }
        Ok(())
    }

    /// Adds to the result. Each object of a JSON array comes with the comma before it.
    fn result(&mut self, text: &str) {
        let is_array = self.view.format == OutputFormat::Json && !self.view.lines;
        match text.strip_prefix(',').filter(|_| is_array && !self.recorded) {
            Some(first) => self.text.extend(["[", first]),
            None => self.text += text,
        }
        self.recorded |= !text.is_empty();
    }

    fn open(&mut self, cases: Option<JunitCount>) {
        if let Some(current) = self.current.as_mut()
            && self.view.format == OutputFormat::Junit
            && !current.has_suite
        {
            current.has_suite = true;
            self.text += &xml::junit_suite_start(&current.input.name, cases);
        }
    }

    /// Ends the current input, and reports an empty one.
    fn close(&mut self) -> Result<(), Failure> {
        let Some(current) = self.current.take() else { return Ok(()) };
        let Current { input, is_reported, others, has_suite } = current;
        if has_suite {
            self.text += xml::JUNIT_SUITE_END;
        }
        let name = &input.name;
        match (is_reported, input.is_searched(), others) {
            (true, _, 0) => return Ok(()),
            (true, ..) => {
                let others = count_noun(others, "object");
                let kinds = if self.engine == Engine::Crd { "those defined" } else { "VirtualMachine" };
                let note = format!("{name}: skipped {others} of other kinds than {kinds}");
                self.terminal.note(&plain(&note));
            }
            (false, true, _) => {
                self.tally.skipped += 1;
                self.skipped.insert(name.clone());
                let what = match self.engine {
                    Engine::Crd => "object that is defined",
                    Engine::Policy => "object",
                    Engine::Spec | Engine::Ssp | Engine::Both => "VirtualMachine",
                };
                self.terminal.note(&plain(&format!("{name}: skipped, it has no {what}")));
            }
            (false, false, _) => {
                let (name, message) = (name.clone(), "no object to evaluate".to_owned());
                self.tally.not_evaluated += 1;
                return self.trouble(&UnreadFile { name, at: None, message, help: None });
            }
        }
        Ok(())
    }

    /// Writes the end of the output; returns the status of the whole run.
    pub(super) fn finish(
        mut self,
        unused_parameters: &[&str],
        requested_inputs: &[RequestedInput],
        allow_empty: bool,
    ) -> Result<Status, Failure> {
        self.close()?;
        self.text += match (self.view.format, self.view.lines, self.recorded) {
            (OutputFormat::Json, false, false) => "[]\n",
            (OutputFormat::Json, false, true) => "\n]\n",
            (OutputFormat::Junit, ..) => xml::JUNIT_END,
            _ => "",
        };
        self.print()?;
        self.hints(unused_parameters);
        self.terminal.print_status(&self.tally.summary(self.engine));
        if self.tally.evaluated() == 0
            && !self.tally.is_unmatched()
            && self.status == Status::Clean
            && !allow_empty
        {
            return Err(Failure::new("no object to evaluate"));
        }
        if self.tally.is_unmatched() && self.status == Status::Clean {
            let help = "a policy applies if its `matchConstraints`, the `matchResources` of a binding and all \
                        `matchConditions` include the request";
            return Err(Failure::new("no policy applies to any object").help(help));
        }
        let vacant =
            VacantInputs::new(requested_inputs, allow_empty, OBJECTS, |file| !self.skipped.contains(file));
        vacant.report_vacant(self.terminal);
        Ok(if vacant.is_fault() { Status::RunError } else { self.status })
    }

    /// Parameters that are perhaps misspelt, and where the differences that were met are explained.
    fn hints(&self, unused_parameters: &[&str]) {
        for name in unused_parameters {
            self.terminal.note(&plain(&format!("unknown template parameter `{name}`")));
        }
        let mut ids: Vec<_> = self.tally.differences.iter().copied().collect();
        // `D2` before `D10`.
        ids.sort_by_key(|id| id.len());
        match ids.as_slice() {
            [] => {}
            [id] => self.terminal.note(&format!("see `kvrules explain {id}` for the difference")),
            [id, ..] => {
                let ids = ids.join(", ");
                self.terminal.note(&format!("the engines differ by {ids}; see `kvrules explain {id}`"));
            }
        }
    }

    fn print(&mut self) -> Result<(), Failure> {
        self.terminal.print(&std::mem::take(&mut self.text))
    }
}
