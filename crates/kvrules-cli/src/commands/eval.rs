//! `kvrules eval`: does each VirtualMachine satisfy its rules?

mod human;
mod json;
mod objects;

use std::path::PathBuf;
use std::rc::Rc;

use clap::{Args, ValueEnum};
use kvrules::eval::{Engine, Evaluator, Fault, Options};
use kvrules::{FileId, SourceFile, Sources};

use self::objects::{Objects, Piece};
use crate::failure::{Failure, Status};
use crate::terminal::Terminal;
use crate::text::read_text;

const EXAMPLES: &str = "\
Examples:
  kvrules eval vm.yaml                      by the rules on the VirtualMachine itself
  kvrules eval bundle.yaml                  each template's VirtualMachine by its template's rules
  kvrules eval --rules rules.yaml vm.yaml   by these rules
  kvrules eval --rules bundle.yaml --template fedora-server-small vm.yaml
  kvrules eval --engine both vm.yaml        what rules mean, and what the deployed validator answers
  oc get vm -A -o json | kvrules eval -

Objects are VirtualMachines, lists of them, and templates, in YAML or JSON. A template is
processed first, as OpenShift does: a parameter has the value of --param, else its own, else
one that is generated. Generated values are always the same: of each class such as
`[a-z0-9]{8}` the first character is taken.

Each object in --output-format json has these fields:
  file, line, column, name
  spec     verdict (satisfied, warned, rejected), and rules: name, outcome, severity,
           message, reason, guard, values (location, value, origin, failures)
  ssp      verdict (allowed, denied), vmError, parseError, panic, succeeded,
           status (name, skipped, satisfied, error, message), causes (field, message)
  differ   whether one engine rejects what the other lets pass
  error    why the object was not judged

The exit status is 0 when nothing is rejected, 1 when something is, and 2 when something
could not be judged: it is no VirtualMachine, has no rules or rules with errors, or could not
be read. The other objects are judged all the same.";

/// Judge VirtualMachines by their rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Eval {
    /// Files with objects, or `-` for standard input
    #[arg(value_name = "OBJECT", required = true)]
    objects: Vec<PathBuf>,
    /// Who judges
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "spec")]
    engine: EngineName,
    /// Judge by the rule set in this file, and not by the rules that objects carry
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Of the rule sets in the file of --rules, take that of the template with this name
    #[arg(long, value_name = "NAME", requires = "rules")]
    template: Option<String>,
    /// Give a parameter of templates a value; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, String)>,
    /// Read one object a line; so is every file that ends in .ndjson or .jsonl
    #[arg(long)]
    ndjson: bool,
    /// Show for each rule all values found, their places and their origins
    #[arg(long)]
    trace: bool,
    /// How verdicts are shown; json is an array, or a line for each object when objects are read by lines
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "human")]
    output_format: OutputFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// The meaning of the rules
    Spec,
    /// The template validator that is deployed on clusters
    Ssp,
    /// Both, and where they differ
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    Human,
    Json,
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() {
        Err("there is no name before `=`".to_owned())
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

impl Eval {
    pub(crate) fn run(&self, terminal: &mut Terminal) -> Result<Status, Failure> {
        let mut evaluator = Evaluator::new(self.options());
        if let Some(path) = &self.rules {
            let text = read_text(path).map_err(|unread| Failure::new(unread.to_string()))?;
            let source = SourceFile::new(FileId(0), path.to_string_lossy(), text);
            evaluator.use_rules(&source, self.template.as_deref()).map_err(Failure::new)?;
        }
        let objects = Objects::new(&self.objects, self.ndjson)?;
        let mut output = Output::new(self.output_format, objects.is_all_lines(), terminal);
        objects.each(&mut |piece| output.piece(piece, &mut evaluator))?;
        output.finish()
    }

    fn options(&self) -> Options {
        let engine = match self.engine {
            EngineName::Spec => Engine::Spec,
            EngineName::Ssp => Engine::Ssp,
            EngineName::Both => Engine::Both,
        };
        Options { engine, trace: self.trace, parameters: self.param.iter().cloned().collect() }
    }
}

/// What is printed, and what it amounts to.
struct Output<'t> {
    format: OutputFormat,
    /// JSON is written line by line, and not as one array.
    lines: bool,
    terminal: &'t mut Terminal,
    /// What is not yet printed.
    text: String,
    judged: usize,
    /// How many objects are in the JSON.
    recorded: usize,
    /// The text whose findings were told last: rules that many objects share are told once.
    told: Option<Rc<Sources>>,
    status: Status,
}

/// So much is gathered before it is printed.
const ENOUGH: usize = 1 << 16;

impl<'t> Output<'t> {
    fn new(format: OutputFormat, lines: bool, terminal: &'t mut Terminal) -> Self {
        Self {
            format,
            lines,
            terminal,
            text: String::new(),
            judged: 0,
            recorded: 0,
            told: None,
            status: Status::Clean,
        }
    }

    fn piece(&mut self, piece: Piece, evaluator: &mut Evaluator) -> Result<(), Failure> {
        let Piece { file, line, text } = piece;
        let text = match text {
            Ok(text) => text,
            Err(unread) => {
                self.status = Status::Trouble;
                self.record(&json::unread(&file, line, &unread))?;
                self.terminal.unread(&unread);
                return Ok(());
            }
        };
        let name = line.map_or_else(|| file.clone(), |line| format!("{file}, line {line}"));
        for mut judgement in evaluator.judge(&SourceFile::new(FileId(0), name, text)) {
            shift(&mut judgement, line);
            self.status = self.status.max(status(&judgement));
            self.record(&json::record(&file, &judgement))?;
            if self.format == OutputFormat::Human {
                self.text += &human::text(&file, &judgement, self.terminal.paint());
            }
            if let Some(fault) = &judgement.fault {
                self.print()?;
                self.findings(fault);
                human::fault(&file, &judgement, fault, self.terminal);
            }
            self.judged += 1;
        }
        if self.text.len() > ENOUGH { self.print() } else { Ok(()) }
    }

    /// Tells the findings in rules, once for all objects that share them.
    fn findings(&mut self, fault: &Fault) {
        let Some(unsound) = &fault.unsound else { return };
        if !self.told.as_ref().is_some_and(|told| Rc::ptr_eq(told, &unsound.sources)) {
            human::findings(unsound, self.terminal);
            self.told = Some(Rc::clone(&unsound.sources));
        }
    }

    /// Adds an object's JSON, when that is asked for.
    fn record(&mut self, record: &json::Record<'_>) -> Result<(), Failure> {
        if self.format == OutputFormat::Human {
            return Ok(());
        }
        let text = serde_json::to_string(record);
        let text = text.map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
        if self.lines {
            self.text += &(text + "\n");
        } else {
            let before = if self.recorded == 0 { "[" } else { "," };
            self.text.extend([before, "\n", &text]);
        }
        self.recorded += 1;
        Ok(())
    }

    fn print(&mut self) -> Result<(), Failure> {
        self.terminal.print(&std::mem::take(&mut self.text))
    }

    fn finish(mut self) -> Result<Status, Failure> {
        if self.format == OutputFormat::Json && !self.lines {
            self.text += if self.recorded == 0 { "[]\n" } else { "\n]\n" };
        }
        self.print()?;
        if self.judged == 0 && self.status == Status::Clean {
            return Err(Failure::new("there is no object to judge"));
        }
        Ok(self.status)
    }
}

fn status(judgement: &kvrules::eval::Judgement) -> Status {
    if judgement.is_incomplete() {
        Status::Trouble
    } else if judgement.rejects() {
        Status::Findings
    } else {
        Status::Clean
    }
}

/// Moves places in a line to where the line stands in its file.
fn shift(judgement: &mut kvrules::eval::Judgement, line: Option<u32>) {
    let before = line.unwrap_or(1) - 1;
    judgement.at.line += before;
    if let Some(fault) = &mut judgement.fault {
        fault.at.line += before;
    }
}
