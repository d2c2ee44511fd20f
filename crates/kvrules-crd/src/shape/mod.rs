//! Checks that the server can read a document at all: fields that it does not know, and values of the wrong type.
//!
//! The server stops at the first value that it cannot read; here all are told, and left out of what follows.

mod misread;
mod remedies;
mod tables;

use std::collections::BTreeSet;

use kvrules_diagnostics::Span;
use kvrules_syntax::yaml11::read_as_yaml11;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use crate::finding::{Finding, FindingKind};
use crate::json::number_to_json;
use crate::plain;
use crate::text::{code, did_you_mean};

use misread::Wanted;
pub(crate) use tables::of_kind;

/// Type that the server reads a value into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Text,
    Flag,
    Whole,
    Number,
    Anything,
    /// A value that the schema around it is for.
    Sample,
    Object(&'static [(&'static str, Shape)]),
    List(&'static Shape),
    Map(&'static Shape),
    /// A schema; `true` where a flag may stand instead, and `true` where a list of schemas may.
    Schema(bool, bool),
}

/// Result of checking the shape of a document.
#[derive(Default)]
pub(crate) struct Shaped {
    pub(crate) findings: Vec<Finding>,
    /// The values that the server cannot read.
    pub(crate) dropped: BTreeSet<Span>,
}

/// The finding that the server cannot decode a document although every value has the shape of its field, as a time that is
/// none or a number that is too large.
pub(crate) fn undecoded(node: Node<'_>, mistake: Option<String>, known: &[Finding]) -> Option<Finding> {
    let mistake = mistake.filter(|_| !known.iter().any(|finding| finding.kind == FindingKind::Shape))?;
    let span = node.get("kind").unwrap_or(node).span();
    Some(Finding::new(FindingKind::Shape, span, "the server cannot decode the document").server(mistake))
}

/// Holds a document to a shape.
pub(crate) fn check(node: Node<'_>, shape: &'static [(&'static str, Shape)]) -> Shaped {
    let mut shaped = Shaped::default();
    shaped.object(node, shape, false);
    shaped
}

impl Shaped {
    fn value(&mut self, entry: Entry<'_>, shape: Shape) {
        let node = entry.value;
        if node.kind() == SyntaxKind::Parameter && !fits(node, shape) && !matches!(shape, Shape::Text) {
            // It is a string before a template is rendered or processed, and may have the right type then.
            self.dropped.insert(node.span());
        }
        if matches!(node.kind(), SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Parameter) {
            return;
        }
        if fits(node, shape) { self.inside(entry, shape) } else { self.wrong(entry, shape) }
    }

    fn inside(&mut self, entry: Entry<'_>, shape: Shape) {
        let node = entry.value;
        match shape {
            Shape::Object(fields) => self.object(node, fields, false),
            Shape::List(of) => {
                node.items().for_each(|item| self.value(Entry { value: item, ..entry }, *of));
            }
            Shape::Map(of) => {
                for entry in node.entries().filter(|it| it.key.text() != "<<") {
                    self.findings.extend(misread::key(entry.key));
                    self.value(entry, *of);
                }
            }
            Shape::Schema(..) if node.is_list() => {
                node.items()
                    .for_each(|item| self.value(Entry { value: item, ..entry }, Shape::Schema(false, false)));
            }
            Shape::Schema(..) if node.is_map() => self.object(node, tables::SCHEMA, true),
            Shape::Anything => misread::within(node, Wanted::Anything, &mut self.findings),
            Shape::Flag | Shape::Schema(..) => self.findings.extend(misread::value(node, Wanted::Flag)),
            Shape::Whole | Shape::Number => self.findings.extend(misread::value(node, Wanted::Number)),
            Shape::Text | Shape::Sample => {}
        }
    }

    fn object(&mut self, node: Node<'_>, fields: &'static [(&'static str, Shape)], is_schema: bool) {
        for entry in node.entries() {
            let name = entry.key.text();
            if name == "<<" && node.has_merges() {
                self.merged(entry.value, fields, is_schema);
                continue;
            }
            if is_schema {
                self.samples(entry, node);
            }
            match fields.iter().find(|(known, _)| *known == name) {
                Some((_, shape)) => self.value(entry, *shape),
                None => self.findings.push(unknown(entry, fields, is_schema)),
            }
        }
    }

    /// Looks at the values in a schema, which are to be of its type.
    fn samples(&mut self, entry: Entry<'_>, schema: Node<'_>) {
        let wanted = || Wanted::of_type(schema.get("type").map(Node::text).unwrap_or_default());
        match entry.key.text() {
            "default" | "example" => misread::within(entry.value, wanted(), &mut self.findings),
            "enum" => {
                let mut each = |item| misread::within(item, wanted(), &mut self.findings);
                entry.value.items().for_each(&mut each);
            }
            _ => {}
        }
    }

    fn merged(&mut self, node: Node<'_>, fields: &'static [(&'static str, Shape)], is_schema: bool) {
        if node.is_map() {
            self.object(node, fields, is_schema);
        }
        for item in node.items().filter(|item| item.is_map()) {
            self.object(item, fields, is_schema);
        }
    }

    fn wrong(&mut self, entry: Entry<'_>, shape: Shape) {
        let (key, node) = (entry.key.text(), entry.value);
        let message = |found: &str| format!("{} must be {}, {found}", code(key), wanted(shape));
        let finding = |found: &str| Finding::new(FindingKind::Shape, node.span(), message(found));
        self.findings.push(match read_as_yaml11(node).filter(|_| matches!(shape, Shape::Text)) {
            Some(reading) => {
                let found = format!("but Kubernetes reads {}", misread::describe_scalar(node, reading));
                misread::repaired(finding(&found), node, reading, Wanted::Text)
            }
            None => finding(&format!("not {}", found(node))).help_if(remedies::of_value(key, node, shape)),
        });
        self.dropped.insert(node.span());
    }
}

fn fits(node: Node<'_>, shape: Shape) -> bool {
    let kind = plain::kind(node);
    match shape {
        Shape::Anything | Shape::Sample => true,
        Shape::Text => kind == SyntaxKind::String,
        Shape::Flag => matches!(kind, SyntaxKind::True | SyntaxKind::False),
        Shape::Whole => {
            kind == SyntaxKind::Number && number_to_json(node).is_some_and(|number| number.is_i64())
        }
        Shape::Number => kind == SyntaxKind::Number,
        Shape::Object(_) | Shape::Map(_) => kind == SyntaxKind::Map,
        Shape::List(_) => kind == SyntaxKind::List,
        Shape::Schema(flag, list) => {
            kind == SyntaxKind::Map
                || (flag && matches!(kind, SyntaxKind::True | SyntaxKind::False))
                || (list && kind == SyntaxKind::List)
        }
    }
}

fn wanted(shape: Shape) -> &'static str {
    match shape {
        Shape::Text => "a string",
        Shape::Flag => "`true` or `false`",
        Shape::Whole => "an integer",
        Shape::Number => "a number",
        Shape::Anything | Shape::Sample => "anything",
        Shape::Object(_) | Shape::Map(_) => "an object",
        Shape::List(_) => "a list",
        Shape::Schema(false, _) => "a schema",
        Shape::Schema(true, _) => "a schema, `true` or `false`",
    }
}

fn found(node: Node<'_>) -> &'static str {
    match plain::kind(node) {
        SyntaxKind::True | SyntaxKind::False => "a boolean",
        SyntaxKind::Number => "a number",
        SyntaxKind::String => "a string",
        SyntaxKind::List => "a list",
        SyntaxKind::Map => "an object",
        _ => "nothing",
    }
}

/// A field that the server does not know. It warns, and goes on without it.
fn unknown(entry: Entry<'_>, fields: &'static [(&'static str, Shape)], is_schema: bool) -> Finding {
    let name = entry.key.text();
    let what = if is_schema { "keyword" } else { "field" };
    let message = format!("unknown {what} {} is dropped by the server", code(name));
    let meant = || did_you_mean(name, fields.iter().map(|(known, _)| *known));
    let remedy = if is_schema { remedies::of_keyword(name).map(str::to_owned) } else { None };
    Finding::new(FindingKind::Dropped, entry.key.span(), message).help_if(remedy.or_else(meant))
}
