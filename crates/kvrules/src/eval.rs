//! Does an object satisfy its rules? By their meaning, and by what the deployed validator answers.
//!
//! [`Evaluator::judge`] looks for VirtualMachines in a text: bare, in lists, or in templates, which are processed as
//! OpenShift does. Each is judged by the rules given with [`Evaluator::use_rules`], else by those that it carries,
//! else by those of its template.
//!
//! ```
//! use kvrules::{FileId, SourceFile, eval::{Engine, Evaluator, Options}};
//!
//! let vm = r#"{"kind": "VirtualMachine", "metadata": {"name": "v", "annotations": {"vm.kubevirt.io/validations":
//!   "[{\"name\": \"r\", \"rule\": \"integer\", \"message\": \"m\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 2}]"
//! }}, "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 4}}}}}}"#;
//! let mut evaluator = Evaluator::new(Options { engine: Engine::Both, ..Options::default() });
//! let judged = evaluator.judge(&SourceFile::new(FileId(0), "vm.json", vm));
//! assert!(judged[0].rejects() && !judged[0].differs());
//! ```

mod answer;

mod find;
mod rules;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use kvrules_diagnostics::{Level, SourceFile, Span};
use kvrules_elaborate::annotation::{self, Annotation, TEMPLATE_ANNOTATIONS, VM_ANNOTATION};
use kvrules_elaborate::object::{self, Values};
use kvrules_eval::{Outcome, explain};
use kvrules_lint::File;
use kvrules_ssp::{Answer as SspAnswer, Machine};
use kvrules_syntax::{Document, Entry, Node, ProblemKind, parse_stream};
use serde_json::Value;

use crate::input::Input;
use find::{Found, find, name_of};
use rules::Prepared;

pub use answer::{Fault, FoundValue, Judgement, RuleAnswer, SpecAnswer, SpecVerdict};
pub use kvrules_ssp::{Answer, Cause, Status};
pub use rules::Unsound;

/// Who is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The meaning of the rules.
    #[default]
    Spec,
    /// The deployed template validator.
    Ssp,
    /// Both.
    Both,
}

/// How to judge.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Who is asked.
    pub engine: Engine,
    /// Whether every rule is explained, and not only those that are violated.
    pub trace: bool,
    /// The values of parameters of templates; they come before what the template says.
    pub parameters: BTreeMap<String, String>,
}

/// Judges objects. It keeps the rules that it used last, since most objects of a run share them.
#[derive(Debug)]
pub struct Evaluator {
    options: Options,
    given: Option<Rc<Prepared>>,
    last: Option<Rc<Prepared>>,
}

impl Evaluator {
    /// Judges each object by its own rules.
    pub fn new(options: Options) -> Self {
        Self { options, given: None, last: None }
    }

    /// Judges every object by the rules in a text: its only rule set, or that of the template with this name.
    pub fn use_rules(&mut self, source: &SourceFile, template: Option<&str>) -> Result<(), String> {
        let input = Input::parse(source);
        let streams = input.streams(source.id());
        let documents: Vec<_> = streams.iter().flat_map(|stream| &stream.documents).collect();
        if let Some(broken) = input.told(&documents).into_iter().find(|document| is_broken(document)) {
            let Judgement { at, fault, .. } = unparsed(source, broken);
            let message = fault.map(|fault| fault.message).unwrap_or_default();
            return Err(format!("{}:{}:{}: {message}", source.name(), at.line, at.column));
        }
        let found = documents.iter().flat_map(|document| annotation::find(document));
        let wanted = |found: &Annotation<'_>| template.is_none_or(|name| found.name.as_deref() == Some(name));
        let mut found: Vec<_> = found.filter(wanted).collect();
        let (Some(annotation), true) = (found.pop(), found.is_empty()) else {
            return Err(not_one(source.name(), found.len(), template));
        };
        let prepared = if annotation.value.is_list() {
            let text = object::value(annotation.value, &Values::none()).map_err(|unlike| unlike.message)?;
            Some(Prepared::new(source, annotation, &text.to_string()))
        } else {
            let raw = annotation.value.text();
            let text = annotation.parameters.fill(raw).map_err(|name| {
                format!("parameter `{name}` in the rules of `{}` has no value", source.name())
            })?;
            let (key, text) = (annotation.key_text(), text.into_owned());
            if text == raw {
                Some(Prepared::new(source, annotation, &text))
            } else {
                Prepared::of_text(key, &text, source.name())
            }
        };
        self.given = prepared.map(Rc::new);
        Ok(())
    }

    /// What becomes of each object in a text, in their order.
    pub fn judge(&mut self, source: &SourceFile) -> Vec<Judgement> {
        let stream = parse_stream(source.id(), source.text());
        stream.documents.iter().flat_map(|document| self.document(source, document)).collect()
    }

    fn document(&mut self, source: &SourceFile, document: &Document<'_>) -> Vec<Judgement> {
        if is_broken(document) {
            return vec![unparsed(source, document)];
        }
        let Some(root) = document.root().filter(|root| root.kind() != kvrules_syntax::Kind::Null) else {
            return Vec::new();
        };
        let judge = |found| match found {
            Found::Machine(machine, template) => self.machine(source, document, machine, template),
            Found::Other(node, message) => refused(source, node, message),
        };
        find(root).into_iter().map(judge).collect()
    }

    fn machine(
        &mut self,
        source: &SourceFile,
        document: &Document<'_>,
        machine: Node<'_>,
        template: Option<Node<'_>>,
    ) -> Judgement {
        let values =
            template.map_or_else(Values::none, |template| Values::of(template, &self.options.parameters));
        let object = match object::value(machine, &values) {
            Ok(object) => object,
            Err(unlike) => {
                let fault = Fault::new(source, unlike.span, unlike.message);
                let fault = Some(fault);
                return Judgement { fault, ..nameless(source, machine, template) };
            }
        };
        let name = title(template, object.pointer("/metadata/name").and_then(Value::as_str));
        let mut judgement = Judgement { name, ..nameless(source, machine, template) };
        let prepared = match object.pointer("/spec/template") {
            Some(Value::Object(_)) => self.rules(source, document, machine, template, &values),
            _ => Err("this VirtualMachine has no object `.spec.template`, where rules look".to_owned()),
        };
        match prepared {
            Ok(prepared) => self.ask(source, machine, &object, &prepared, &mut judgement),
            Err(message) => judgement.fault = Some(Fault::new(source, machine.span(), message)),
        }
        judgement
    }

    /// The rules for a VirtualMachine.
    fn rules(
        &mut self,
        source: &SourceFile,
        document: &Document<'_>,
        machine: Node<'_>,
        template: Option<Node<'_>>,
        values: &Values,
    ) -> Result<Rc<Prepared>, String> {
        if let Some(given) = &self.given {
            return Ok(Rc::clone(given));
        }
        let own = annotation_of(machine, &[VM_ANNOTATION]);
        let entry = own.or_else(|| annotation_of(template?, &TEMPLATE_ANNOTATIONS)).ok_or_else(|| {
            format!("this VirtualMachine has no rules: there is no annotation `{VM_ANNOTATION}`")
        })?;
        let Some(raw) = entry.value.as_str() else {
            return Err(format!("the annotation `{}` is no text", entry.key.text()));
        };
        let filled = values.fill(raw)?;
        let text = filled.as_str().ok_or("the parameters make the rules something else than a text")?;
        if let Some(last) = self.last.as_ref().filter(|last| last.text == text && last.unsound.is_none()) {
            return Ok(Rc::clone(last));
        }
        let here = |found: &Annotation<'_>| found.value.span() == entry.value.span();
        let prepared = if raw == text {
            let annotation = annotation::find(document).into_iter().find(here);
            annotation.map(|annotation| Prepared::new(source, annotation, text))
        } else {
            None
        };
        let prepared = prepared.or_else(|| Prepared::of_text(entry.key.text(), text, source.name()));
        let prepared = Rc::new(prepared.ok_or("the rules could not be read")?);
        self.last = Some(Rc::clone(&prepared));
        Ok(prepared)
    }

    /// Asks the engines.
    fn ask(
        &self,
        source: &SourceFile,
        machine: Node<'_>,
        object: &Value,
        prepared: &Prepared,
        judgement: &mut Judgement,
    ) {
        if self.options.engine != Engine::Spec {
            judgement.ssp = Some(ssp(prepared, &text_of(object, source.slice(machine.span()))));
        }
        if self.options.engine == Engine::Ssp {
            return;
        }
        match &prepared.unsound {
            None => judgement.spec = Some(spec(prepared, object, self.options.trace)),
            Some(unsound) => {
                let message = "its rules have errors, so what they say cannot be trusted";
                let fault = Fault::new(source, machine.span(), message.to_owned());
                judgement.fault = Some(Fault { unsound: Some(unsound.clone()), ..fault });
            }
        }
    }
}

/// What the rules mean for an object.
fn spec(prepared: &Prepared, object: &Value, trace: bool) -> SpecAnswer {
    let (mut verdict, mut answers) = (SpecVerdict::Satisfied, Vec::new());
    for (rule, program) in &prepared.rules {
        let said = program.verdict(object);
        let violated = said.outcome == Outcome::Violated;
        if said.rejects() {
            verdict = SpecVerdict::Rejected;
        } else if violated && verdict == SpecVerdict::Satisfied {
            verdict = SpecVerdict::Warned;
        }
        let explanation = if trace || violated { explain(rule, object).ok() } else { None };
        answers.push(RuleAnswer::new(rule, said.outcome, explanation, trace));
    }
    let left_out = prepared.left_out.iter();
    answers.extend(left_out.map(|rule| RuleAnswer::not_judged(&rule.name, rule.cause.text.clone())));
    SpecAnswer { verdict, rules: answers }
}

/// The JSON of an object: as it is written, if it is JSON already and has no parameters, since the validator quotes it.
fn text_of<'t>(object: &Value, written: &'t str) -> Cow<'t, str> {
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(written).is_ok();
    if !written.contains("${") && is_json() { Cow::Borrowed(written) } else { Cow::Owned(object.to_string()) }
}

/// What the deployed validator answers.
fn ssp(prepared: &Prepared, object: &str) -> SspAnswer {
    let machine = match Machine::decode(object) {
        Ok(machine) => machine,
        Err(error) => return SspAnswer { vm_error: Some(error.to_string()), ..SspAnswer::default() },
    };
    match &prepared.ssp {
        Ok(rules) => rules.evaluate(&machine),
        Err(error) => SspAnswer { parse_error: Some(error.to_string()), ..SspAnswer::default() },
    }
}

impl Fault {
    fn new(source: &SourceFile, span: Span, message: String) -> Self {
        Self { at: source.position(span.start), message, unsound: None }
    }
}

/// The first of some annotations that an object has.
fn annotation_of<'d>(node: Node<'d>, keys: &[&str]) -> Option<Entry<'d>> {
    let annotations = node.get("metadata")?.get("annotations")?;
    keys.iter().find_map(|key| annotations.entry(key))
}

/// What an object is called: by its template's name too, where it is in one.
fn title(template: Option<Node<'_>>, own: Option<&str>) -> Option<String> {
    let own = own.filter(|name| !name.is_empty());
    match (template.and_then(name_of), own) {
        (Some(template), Some(own)) => Some(format!("{template}/{own}")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

/// An object of which nothing is known yet but its place and the name that is written.
fn nameless(source: &SourceFile, node: Node<'_>, template: Option<Node<'_>>) -> Judgement {
    let at = source.position(node.span().start);
    Judgement { name: title(template, name_of(node)), at, spec: None, ssp: None, fault: None }
}

fn refused(source: &SourceFile, node: Node<'_>, message: String) -> Judgement {
    let fault = Some(Fault::new(source, node.span(), message));
    Judgement { fault, ..nameless(source, node, None) }
}

/// Whether a document could not be read. Of a key that stands twice the last one counts, for Kubernetes as for us.
fn is_broken(document: &Document<'_>) -> bool {
    document.problems().iter().any(|problem| problem.kind != ProblemKind::DuplicateKey)
}

/// A document that the parser could not read, with the first thing that is wrong.
fn unparsed(source: &SourceFile, document: &Document<'_>) -> Judgement {
    let found = kvrules_lint::lint(&File { source, documents: &[document], annotations: &[] });
    let first = found.into_iter().find(|found| found.level == Level::Error);
    let problem = document.problems().first().map(|problem| problem.span.start).unwrap_or_default();
    let (at, message) = first.map_or((problem, "this cannot be read".to_owned()), |found| {
        (found.primary.span.start, found.message)
    });
    let at = source.position(at);
    let name = document.root().and_then(name_of).map(str::to_owned);
    Judgement { name, at, spec: None, ssp: None, fault: Some(Fault { at, message, unsound: None }) }
}

fn not_one(file: &str, more: usize, template: Option<&str>) -> String {
    match (more, template) {
        (0, None) => format!("`{file}` has no rule set"),
        (0, Some(name)) => format!("`{file}` has no rule set of a template `{name}`"),
        (more, None) => format!("`{file}` has {} rule sets; choose one with `--template NAME`", more + 1),
        (more, Some(name)) => format!("`{file}` has {} rule sets of a template `{name}`", more + 1),
    }
}
