//! Checks that the server can read a document at all: fields that it does not know, and values of the wrong type.
//!
//! The server stops at the first value that it cannot read; here all are reported, and left out of what follows.

mod misread;
mod remedies;
mod tables;

use std::collections::BTreeSet;

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_syntax::value::ValueReader;
use kvrules_syntax::yaml11::read_as_yaml11;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use crate::lints;
use crate::plain;
use crate::text::{backtick_text, did_you_mean, server_words};

use misread::ExpectedType;
pub(crate) use tables::{AUDIT_ANNOTATION, MATCH, METADATA, NAMED, VALIDATION, of_kind};

/// Type that the server reads a value into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpectedShape {
    Text,
    Flag,
    Whole,
    Number,
    Anything,
    /// A value that the schema around it is for.
    Sample,
    Object(&'static [(&'static str, ExpectedShape)]),
    List(&'static ExpectedShape),
    Map(&'static ExpectedShape),
    /// A schema; `true` where a flag may stand instead, and `true` where a list of schemas may.
    Schema(bool, bool),
}

/// Result of checking the shape of a document.
#[derive(Default)]
pub(crate) struct ShapeCheck {
    pub(crate) findings: Vec<Diagnostic>,
    /// The values that the server cannot read.
    pub(crate) dropped: BTreeSet<Span>,
}

/// The finding that the server cannot decode a document although every value has the shape of its field, as a time that is
/// none or a number that is too large.
pub(crate) fn decode_finding(
    node: Node<'_>,
    error: Option<String>,
    known: &[Diagnostic],
) -> Option<Diagnostic> {
    let error = error.filter(|_| !known.iter().any(|finding| finding.is_of(&lints::KUBERNETES_SHAPE)))?;
    let span = node.get("kind").unwrap_or(node).span();
    Some(
        lints::KUBERNETES_SHAPE
            .diagnostic_at(span, "the server cannot decode the document")
            .with_label(server_words(&error)),
    )
}

/// Holds a document to a shape.
pub(crate) fn check_shape(node: Node<'_>, shape: &'static [(&'static str, ExpectedShape)]) -> ShapeCheck {
    let mut shaped = ShapeCheck::default();
    shaped.check_object(node, shape, false);
    shaped
}

impl ShapeCheck {
    fn check_value(&mut self, entry: Entry<'_>, shape: ExpectedShape) {
        let node = entry.value;
        if node.kind() == SyntaxKind::Parameter
            && !fits_shape(node, shape)
            && !matches!(shape, ExpectedShape::Text)
        {
            // It is a string before a template is rendered or processed, and may have the right type then.
            self.dropped.insert(node.span());
        }
        if matches!(node.kind(), SyntaxKind::Null | SyntaxKind::Hole | SyntaxKind::Parameter) {
            return;
        }
        if fits_shape(node, shape) {
            self.check_content(entry, shape);
        } else {
            self.add_wrong_type(entry, shape);
        }
    }

    fn check_content(&mut self, entry: Entry<'_>, shape: ExpectedShape) {
        let node = entry.value;
        match shape {
            ExpectedShape::Object(fields) => self.check_object(node, fields, false),
            ExpectedShape::List(of) => {
                node.items().for_each(|item| self.check_value(Entry { value: item, ..entry }, *of));
            }
            ExpectedShape::Map(of) => {
                for entry in node.entries().filter(|it| !it.key.is_merge_key()) {
                    self.findings.extend(misread::key_finding(entry.key));
                    self.check_value(entry, *of);
                }
            }
            ExpectedShape::Schema(..) if node.is_list() => {
                node.items().for_each(|item| {
                    self.check_value(Entry { value: item, ..entry }, ExpectedShape::Schema(false, false));
                });
            }
            ExpectedShape::Schema(..) if node.is_map() => self.check_object(node, tables::SCHEMA, true),
            ExpectedShape::Anything => {
                misread::check_values(node, ExpectedType::Anything, &mut self.findings);
            }
            ExpectedShape::Flag | ExpectedShape::Schema(..) => {
                self.findings.extend(misread::value_finding(node, ExpectedType::Flag));
            }
            ExpectedShape::Whole | ExpectedShape::Number => {
                self.findings.extend(misread::value_finding(node, ExpectedType::Number));
            }
            ExpectedShape::Text | ExpectedShape::Sample => {}
        }
    }

    fn check_object(
        &mut self,
        node: Node<'_>,
        fields: &'static [(&'static str, ExpectedShape)],
        is_schema: bool,
    ) {
        for entry in node.entries() {
            let name = entry.key.text();
            if entry.key.is_merge_key() {
                self.check_merged(entry.value, fields, is_schema);
                continue;
            }
            if is_schema {
                self.check_samples(entry, node);
            }
            match fields.iter().find(|(known, _)| *known == name) {
                Some((_, shape)) => self.check_value(entry, *shape),
                None => self.findings.push(unknown_field_finding(entry, fields, is_schema)),
            }
        }
    }

    /// Looks at the values in a schema, which are to be of its type.
    fn check_samples(&mut self, entry: Entry<'_>, schema: Node<'_>) {
        let wanted = || ExpectedType::of_type(schema.get("type").map(Node::text).unwrap_or_default());
        match entry.key.text() {
            "default" | "example" => misread::check_values(entry.value, wanted(), &mut self.findings),
            "enum" => {
                let mut each = |item| misread::check_values(item, wanted(), &mut self.findings);
                entry.value.items().for_each(&mut each);
            }
            _ => {}
        }
    }

    fn check_merged(
        &mut self,
        node: Node<'_>,
        fields: &'static [(&'static str, ExpectedShape)],
        is_schema: bool,
    ) {
        if node.is_map() {
            self.check_object(node, fields, is_schema);
        }
        for item in node.items().filter(|item| item.is_map()) {
            self.check_object(item, fields, is_schema);
        }
    }

    fn add_wrong_type(&mut self, entry: Entry<'_>, shape: ExpectedShape) {
        let (key, node) = (entry.key.text(), entry.value);
        let message =
            |found: &str| format!("{} must be {}, {found}", backtick_text(key), expected_name(shape));
        let finding = |found: &str| lints::KUBERNETES_SHAPE.diagnostic_at(node.span(), message(found));
        self.findings.push(match read_as_yaml11(node).filter(|_| matches!(shape, ExpectedShape::Text)) {
            Some(reading) => {
                let found = format!("but Kubernetes reads {}", misread::describe_scalar(node, reading));
                misread::with_repair(finding(&found), node, reading, ExpectedType::Text)
            }
            None => {
                finding(&format!("not {}", found_name(node))).help_if(remedies::of_value(key, node, shape))
            }
        });
        self.dropped.insert(node.span());
    }
}

fn fits_shape(node: Node<'_>, shape: ExpectedShape) -> bool {
    let kind = plain::kind(node);
    match shape {
        ExpectedShape::Anything | ExpectedShape::Sample => true,
        ExpectedShape::Text => kind == SyntaxKind::String,
        ExpectedShape::Flag => matches!(kind, SyntaxKind::True | SyntaxKind::False),
        ExpectedShape::Whole => {
            kind == SyntaxKind::Number
                && ValueReader::for_kubernetes().read_number(node).is_some_and(|number| number.is_i64())
        }
        ExpectedShape::Number => kind == SyntaxKind::Number,
        ExpectedShape::Object(_) | ExpectedShape::Map(_) => kind == SyntaxKind::Map,
        ExpectedShape::List(_) => kind == SyntaxKind::List,
        ExpectedShape::Schema(flag, list) => {
            kind == SyntaxKind::Map
                || (flag && matches!(kind, SyntaxKind::True | SyntaxKind::False))
                || (list && kind == SyntaxKind::List)
        }
    }
}

fn expected_name(shape: ExpectedShape) -> &'static str {
    match shape {
        ExpectedShape::Text => "a string",
        ExpectedShape::Flag => "`true` or `false`",
        ExpectedShape::Whole => "an integer",
        ExpectedShape::Number => "a number",
        ExpectedShape::Anything | ExpectedShape::Sample => "anything",
        ExpectedShape::Object(_) | ExpectedShape::Map(_) => "an object",
        ExpectedShape::List(_) => "a list",
        ExpectedShape::Schema(false, _) => "a schema",
        ExpectedShape::Schema(true, _) => "a schema, `true` or `false`",
    }
}

fn found_name(node: Node<'_>) -> &'static str {
    match plain::kind(node) {
        SyntaxKind::True | SyntaxKind::False => "a boolean",
        SyntaxKind::Number => "a number",
        SyntaxKind::String => "a string",
        SyntaxKind::List => "a list",
        SyntaxKind::Map => "an object",
        _ => "nothing",
    }
}

/// A field that the server does not know, which it ignores with a warning.
fn unknown_field_finding(
    entry: Entry<'_>,
    fields: &'static [(&'static str, ExpectedShape)],
    is_schema: bool,
) -> Diagnostic {
    let name = entry.key.text();
    let what = if is_schema { "keyword" } else { "field" };
    let message = format!("unknown {what} {} is dropped by the server", backtick_text(name));
    let suggestion = || did_you_mean(name, fields.iter().map(|(known, _)| *known));
    let remedy = if is_schema { remedies::of_keyword(name).map(str::to_owned) } else { None };
    lints::DROPPED_KEYWORD.diagnostic_at(entry.key.span(), message).help_if(remedy.or_else(suggestion))
}
