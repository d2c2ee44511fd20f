//! Messages of rules: texts with the value, the limit and the path.

use std::ops::Range;

use kvrules_apiserver::cost::{EXPRESSION_LIMIT, RuleSite};
use kvrules_cel::literal::to_string_literal;
use kvrules_diagnostics::{Diagnostic, find_nearest};
use kvrules_generate::{PlaceStep, schema_at_place, server_path};
use kvrules_syntax::Node;
use serde_json::Value as Json;

use crate::condition::Condition;
use crate::lints;
use crate::lower::value_text;
use crate::path::{PathStep, RulePath};
use crate::place::PlacedCondition;
use crate::shape::ValueType;

/// Bytes of a message, as servers limit them.
// apiextensions validation.go, ValidateCustomResourceDefinitionOpenAPISchema: message
const MOST_BYTES: usize = 2048;

/// Bytes of a message that an expression computes; a longer one is not used.
// apiserver apis/cel/config.go, MaxEvaluatedMessageExpressionSizeBytes
const MOST_COMPUTED_BYTES: usize = 5120;

/// Characters of a value in a message; longer ones are cut.
const MOST_CHARACTERS: u64 = 200;

/// A message as it is written.
#[derive(Clone, Debug)]
pub(crate) struct MessageTemplate<'d> {
    node: Node<'d>,
    parts: Vec<MessagePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePart {
    Text(String),
    Placeholder(Placeholder, Range<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placeholder {
    Value,
    Limit,
    Path,
}

const PLACEHOLDERS: [(&str, Placeholder); 3] =
    [("value", Placeholder::Value), ("limit", Placeholder::Limit), ("path", Placeholder::Path)];

/// A message as targets write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenMessage {
    /// The text, with `<value>` for a value.
    pub(crate) text: String,
    /// The expression in CEL that computes it at the place of the rule; `None` if the text has no value.
    pub(crate) expression: Option<String>,
}

/// Reads a message; `None` if there is none, or it is not a message.
pub(crate) fn read_message<'d>(
    node: Node<'d>,
    findings: &mut Vec<Diagnostic>,
) -> Option<MessageTemplate<'d>> {
    let entry = node.entry("message")?;
    let message = entry.value;
    if message.has_tags() {
        // A finding within a tag would not be shown.
        let finding = lints::RULE_SET_SHAPE
            .diagnostic_at(entry.key.span(), "the message has a template tag, which nothing renders");
        findings.push(finding.with_help("render the file first, or write `\\{` for a brace"));
        return None;
    }
    let text = message.as_str().unwrap_or_default();
    let problem = if text.trim().is_empty() {
        "`message` must be a text"
    } else if text.contains(['\n', '\r']) {
        "`message` must be one line"
    } else if text.len() > MOST_BYTES {
        "`message` must not have more than 2048 bytes"
    } else {
        return read_parts(message, text, findings).map(|parts| MessageTemplate { node: message, parts });
    };
    findings.push(lints::RULE_SET_SHAPE.diagnostic_at(message.span(), problem));
    None
}

fn read_parts(node: Node<'_>, text: &str, findings: &mut Vec<Diagnostic>) -> Option<Vec<MessagePart>> {
    let (mut parts, mut plain, mut at) = (Vec::new(), String::new(), 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        // Braces written twice would be the tags of template engines.
        if rest.starts_with("\\{") {
            plain.push('{');
            at += 2;
            continue;
        }
        let Some(name) = placeholder_name(rest) else {
            plain.push(c);
            at += c.len_utf8();
            continue;
        };
        let range = at..at + name.len() + 2;
        let Some((_, placeholder)) = PLACEHOLDERS.iter().find(|(known, _)| *known == name) else {
            findings.push(unknown_placeholder(node, name, range));
            return None;
        };
        if !plain.is_empty() {
            parts.push(MessagePart::Text(std::mem::take(&mut plain)));
        }
        at = range.end;
        parts.push(MessagePart::Placeholder(*placeholder, range));
    }
    if !plain.is_empty() {
        parts.push(MessagePart::Text(plain));
    }
    Some(parts)
}

/// The name in braces at the start of a text.
fn placeholder_name(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic())).then_some(name)
}

/// Returns the `message` that shows a text as it is, without placeholders; `None` if there is none, because the text is empty, has several
/// lines or is too long.
///
/// ```
/// use kvrules_rule_set::to_message;
///
/// assert_eq!(to_message("at most {limit}").unwrap(), "at most \\{limit}");
/// assert_eq!(to_message("one of {1, 2}").unwrap(), "one of {1, 2}");
/// assert_eq!(to_message("two\nlines"), None);
/// ```
pub fn to_message(text: &str) -> Option<String> {
    let text = text.trim();
    let mut message = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        // Two braces would be a tag of a template.
        let is_tag = rest.starts_with("{{") || rest.starts_with("{%") || message.ends_with("\\{");
        let is_read_otherwise =
            c == '{' && (message.ends_with('\\') || is_tag || placeholder_name(rest).is_some());
        if is_read_otherwise {
            message.push('\\');
        }
        message.push(c);
    }
    let is_possible = !message.is_empty() && !message.contains(['\n', '\r']) && message.len() <= MOST_BYTES;
    is_possible.then_some(message)
}

fn unknown_placeholder(node: Node<'_>, name: &str, range: Range<usize>) -> Diagnostic {
    let known = PLACEHOLDERS.iter().map(|(name, _)| *name);
    let help = match find_nearest(name, known) {
        Some(near) => format!("did you mean `{{{near}}}`?"),
        None => format!(
            "known are `{{value}}`, `{{limit}}` and `{{path}}`; for a text in braces write `\\{{{name}}}`"
        ),
    };
    let message = format!("unknown placeholder `{{{name}}}` in a message");
    lints::RULE_SET_SHAPE.diagnostic_at(node.span_of(range), message).with_help(help)
}

impl MessageTemplate<'_> {
    /// True if the message has the value at the path, which is known at a place from which only one value is read.
    pub(crate) fn shows_value(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, MessagePart::Placeholder(Placeholder::Value, _)))
    }

    /// Writes the message of a rule at its place.
    pub(crate) fn write_message(
        &self,
        about: &MessageSubject<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<WrittenMessage> {
        let mut written = MessageText::default();
        for part in &self.parts {
            let result = match part {
                MessagePart::Text(plain) => {
                    written.push_text(plain);
                    continue;
                }
                MessagePart::Placeholder(placeholder, range) => {
                    (about.write_part(*placeholder, &mut written), range)
                }
            };
            if let (Err((message, help)), range) = result {
                let span = self.node.span_of(range.clone());
                findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, message).with_help(help));
                return None;
            }
        }
        let result = about.check_message(written);
        let report = |(message, help): MessageFault| {
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(self.node.span(), message).with_help(help));
        };
        result.map_err(report).ok()
    }
}

/// A problem of a message, and advice.
type MessageFault = (String, &'static str);

/// The rule that a message is about.
pub(crate) struct MessageSubject<'a> {
    /// The path of the rule from the object.
    pub(crate) path: Option<&'a RulePath>,
    /// The requirement without its condition.
    pub(crate) demand: &'a Condition,
    pub(crate) placed: &'a PlacedCondition,
    pub(crate) schema: &'a Json,
}

impl MessageSubject<'_> {
    /// Writes what a placeholder stands for.
    fn write_part(&self, placeholder: Placeholder, written: &mut MessageText) -> Result<(), MessageFault> {
        let no_path =
            || ("a message with placeholders needs a `path`".to_owned(), "write the names of the fields");
        let path = self.path.ok_or_else(no_path)?;
        match placeholder {
            Placeholder::Value => written.push_value(shown_value(path, self.placed, self.schema)?),
            Placeholder::Path => written.push_text(&path.to_string()),
            Placeholder::Limit => {
                let limit =
                    limit_of(self.demand).map_err(|message| (message.to_owned(), "write the limit as text"));
                let limit = limit?;
                written.push_text(unrepeated(&written.text, &limit));
            }
        }
        Ok(())
    }

    /// The message, if servers show it.
    fn check_message(&self, written: MessageText) -> Result<WrittenMessage, MessageFault> {
        let MessageText { text, format, values, most_bytes } = written;
        if text.len() > MOST_BYTES {
            return Err((
                "`message` must not have more than 2048 bytes".to_owned(),
                "leave out placeholders",
            ));
        }
        if values.is_empty() {
            return Ok(WrittenMessage { text, expression: None });
        }
        if text.len() + most_bytes > MOST_COMPUTED_BYTES {
            let message = "the message with its values may have more than the 5,120 bytes that servers show";
            return Err((message.to_owned(), "use `{value}` less often"));
        }
        let expression = format!("{}.format([{}])", to_string_literal(&format), values.join(", "));
        if let Some(cost) = excessive_cost(&expression, self.placed, self.schema) {
            let message = format!("the message costs {cost}, more than the limit of {EXPRESSION_LIMIT}");
            return Err((message, "leave out `{value}`, or add bounds to the schema"));
        }
        Ok(WrittenMessage { text, expression: Some(expression) })
    }
}

/// A limit such as `at least 2` without the words that the text before it has already.
fn unrepeated<'l>(before: &str, limit: &'l str) -> &'l str {
    let repeated =
        ["at least ", "at most ", "from ", "one of "].into_iter().find(|words| before.ends_with(words));
    repeated.and_then(|words| limit.strip_prefix(words)).unwrap_or(limit)
}

/// A message as a text, and as a format with values. A server has no bound for the size of `'a' + string(1)`, and so rejects its cost;
/// that of a format does not depend on the values.
#[derive(Default)]
struct MessageText {
    text: String,
    format: String,
    values: Vec<String>,
    most_bytes: usize,
}

impl MessageText {
    fn push_text(&mut self, plain: &str) {
        self.text.push_str(plain);
        self.format.push_str(&plain.replace('%', "%%"));
    }

    fn push_value(&mut self, value: ShownValue) {
        self.text.push_str("<value>");
        self.format.push_str("%s");
        self.values.push(value.text);
        self.most_bytes += value.most_bytes;
    }
}

/// The estimated cost of a message that a server rejects for it.
// apiextensions schema/cel/compilation.go, compileRule: the cost of a messageExpression is not multiplied.
fn excessive_cost(expression: &str, placed: &PlacedCondition, schema: &Json) -> Option<u64> {
    let site = RuleSite::new(schema, &server_path(schema, &placed.place)).ok()?;
    site.message_expression(expression).ok().filter(|cost| *cost > EXPRESSION_LIMIT)
}

/// A value in a message.
struct ShownValue {
    text: String,
    most_bytes: usize,
}

/// The value at a path as a string, at the place of the rule.
fn shown_value(
    path: &RulePath,
    placed: &PlacedCondition,
    schema: &Json,
) -> Result<ShownValue, (String, &'static str)> {
    let below = path_below(path, &placed.place).filter(|below| !below.has_each());
    let at_place = schema_at_place(schema, &placed.place);
    let found = below.zip(at_place).and_then(|(below, node)| value_text(&below, node));
    let Some(found) = found else {
        let message = "`{value}` is one value, but the rule is about several at its place".to_owned();
        return Err((message, "name the list with `each`, and give the paths from its items"));
    };
    let of_path = ValueType::of_schema(found.schema);
    let (text, most_bytes) = match of_path {
        ValueType::String => cut_text(&found.text, found.schema),
        ValueType::IntOrString => cut_text(&format!("string({})", found.text), found.schema),
        ValueType::Integer | ValueType::Number | ValueType::Boolean => {
            (format!("string({})", found.text), 32)
        }
        ValueType::List | ValueType::Map => (format!("string(size({}))", found.text), 20),
        _ => {
            let message =
                format!("`{{value}}` shows scalars and sizes, but `{path}` is {}", of_path.describe());
            return Err((message, "leave out `{value}`"));
        }
    };
    let text = match found.guard {
        Some(guard) if text.contains(" ? ") => format!("{guard} ? ({text}) : 'no value'"),
        Some(guard) => format!("{guard} ? {text} : 'no value'"),
        None => text,
    };
    Ok(ShownValue { text, most_bytes })
}

/// A string with its first characters alone if it may be long.
fn cut_text(text: &str, schema: &Json) -> (String, usize) {
    let bound = schema.get("maxLength").and_then(Json::as_u64).filter(|bound| *bound <= MOST_CHARACTERS);
    let bytes = |characters: u64| usize::try_from(characters).unwrap_or(usize::MAX).saturating_mul(4);
    if let Some(bound) = bound {
        return (text.to_owned(), bytes(bound));
    }
    let first = format!("{text}.substring(0, {MOST_CHARACTERS}) + '...'");
    (format!("size({text}) > {MOST_CHARACTERS} ? {first} : {text}"), bytes(MOST_CHARACTERS) + 3)
}

/// The path from a place; `None` if it does not lead through the place.
pub(crate) fn path_below(path: &RulePath, place: &[PlaceStep]) -> Option<RulePath> {
    let is_same = |(step, at): (&PathStep, &PlaceStep)| match (step, at) {
        (PathStep::Field(name), PlaceStep::Field(known)) => name == known,
        (PathStep::Each, PlaceStep::Any) => true,
        _ => false,
    };
    let leads_through = path.0.len() >= place.len() && path.0.iter().zip(place).all(is_same);
    leads_through.then(|| RulePath(path.0.iter().skip(place.len()).cloned().collect()))
}

/// The limit of the only word of a rule that has one.
fn limit_of(demand: &Condition) -> Result<String, &'static str> {
    let mut limits = Vec::new();
    demand.visit_limits(&mut |limit| limits.push(limit));
    match limits.len() {
        0 => Err("`{limit}` needs a word with a limit, such as `integer` or `in`"),
        1 => Ok(limits.remove(0)),
        _ => Err("`{limit}` is one limit, but the rule has several"),
    }
}
