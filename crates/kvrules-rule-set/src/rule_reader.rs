//! Reading of rules: their names, the values that they are about, and their conditions.

use std::collections::BTreeSet;

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_generate::schema_at_place;
use kvrules_syntax::{Document, Node};
use serde_json::Value as Json;

use crate::condition::Condition;
use crate::describe::describe_rule;
use crate::field_path::to_field_path;
use crate::lints;
use crate::lower::to_cel;
use crate::mapping::require;
use crate::message::{MessageSubject, MessageTemplate, path_below, read_message};
use crate::parameters::{ParameterView, RuleSetParameters};
use crate::path::{PathStep, RulePath};
use crate::place::choose_place;
use crate::raw_defaults::fit_to_defaults;
use crate::reader::{ConditionReader, RuleContext};
use crate::rule_set::{AuthoredRule, RuleSeverity, reason_of};
use crate::shape;
use crate::subject::RuleSubject;

pub(crate) fn read_rules(
    rules: Node<'_>,
    context: RuleContext<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<AuthoredRule> {
    let mut read: Vec<AuthoredRule> = Vec::new();
    let mut known = BTreeSet::new();
    for node in rules.items() {
        if !node.is_map() {
            let message = "a rule must be a mapping with a `name` and the words of the rule";
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(node.span(), message));
            continue;
        }
        let Some(name) = read_rule_name(node, findings) else { continue };
        if !known.insert(name.clone()) {
            let span = node.get("name").map_or(node.span(), Node::span);
            findings.push(lints::RULE_SET_SHAPE.diagnostic_at(span, format!("duplicate rule name `{name}`")));
            continue;
        }
        read.extend(read_rule(node, name, context, findings));
    }
    read
}

fn read_rule_name(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<String> {
    let name = require(node, "name", "the rule", findings)?;
    let text = name.as_str().filter(|text| !text.trim().is_empty() && !text.contains(['\n', '\r']));
    if text.is_none() {
        findings.push(
            lints::RULE_SET_SHAPE.diagnostic_at(name.span(), "the name of a rule must be one line of text"),
        );
    }
    text.map(str::to_owned)
}

/// Reads a document that is one entry of `spec.rules`, about a known subject; `None` if it has an error.
///
/// ```
/// use kvrules_diagnostics::FileId;
/// use kvrules_rule_set::{RuleSubject, read_single_rule};
///
/// let subject = RuleSubject::built_in("apps/v1", "Deployment", &["spec", "replicas"].into()).unwrap();
/// let text = "{name: replicas, path: spec.replicas, integer: {min: 2}}";
/// let stream = kvrules_syntax::parse_stream(FileId(0), text);
/// let rule = read_single_rule(&stream.documents[0], &subject, &mut Vec::new()).unwrap();
/// assert_eq!(rule.expression, "self >= 2");
/// ```
pub fn read_single_rule(
    document: &Document<'_>,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    read_rule_with(document, subject, &RuleSetParameters::default(), findings)
}

/// Reads a document that is one entry of `spec.rules` of a set with parameters; `None` if it has an error.
pub(crate) fn read_rule_with(
    document: &Document<'_>,
    subject: &RuleSubject,
    parameters: &RuleSetParameters,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let node = document.root()?;
    let name = read_rule_name(node, findings)?;
    let view = ParameterView { parameters, is_symbolic: false };
    let context = RuleContext { subject, view, prefix: &RulePath::default() };
    read_rule(node, name, context, findings).filter(|_| findings.is_empty())
}

/// The keys of a rule that are not words.
pub const RULE_KEYS: &[&str] = &["name", "each", "path", "as", "when", "message", "reason", "severity"];

/// The keys of a rule that are about none of its conditions.
pub(crate) const OUTER_KEYS: &[&str] = &["name", "each", "when", "message", "reason", "severity"];

/// The keys of a rule that join conditions, or say of how many items one holds.
pub const REQUIRED_KEYS: &[&str] = &["all", "any", "not", "some", "count"];

fn read_rule(
    node: Node<'_>,
    name: String,
    context: RuleContext<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let head = RuleHead {
        name,
        span: node.get("name").map_or(node.span(), Node::span),
        severity: read_severity(node, findings),
        message: read_message(node, findings),
        reason: read_reason(node, findings),
    };
    let (scope, schema) = read_scope(node, context, findings)?;
    if let Some(cel) = node.get("cel").filter(|_| scope.0.is_empty() && !context.prefix.0.is_empty()) {
        let message = "an expression about the object cannot be included below another path";
        let finding = lints::RULE_SET_SHAPE.diagnostic_at(cel.span(), message);
        findings.push(finding.with_help("use words, or `each` with an expression about its items"));
        return None;
    }
    let mut reader = ConditionReader::new(findings, context, scope.clone(), schema);
    let is_tree = REQUIRED_KEYS.iter().any(|key| node.get(key).is_some());
    let demand =
        if is_tree { reader.read_required(node, OUTER_KEYS) } else { reader.read_words(node, RULE_KEYS) };
    let when = node.get("when").map(|when| reader.read_when(when));
    let demand = demand?;
    if demand.reads_stored() && scope.has_each() {
        let span = node.get("each").map_or(node.span(), Node::span);
        let message = "an update is compared as a whole object, and not item by item";
        findings.push(lints::RULE_UPDATE.diagnostic_at(span, message));
        return None;
    }
    if demand.mixes_stored() {
        let span = node.get("name").map_or(node.span(), Node::span);
        let message = "a rule about updates is not evaluated for new objects, for which its other words would not count";
        let finding = lints::RULE_UPDATE.diagnostic_at(span, message);
        findings.push(finding.with_help("write two rules: one about updates, and one with the other words"));
        return None;
    }
    let condition = match when {
        None => demand.clone(),
        Some(None) => return None,
        Some(Some(when)) => {
            let mut parts = vec![Condition::Not(Box::new(when))];
            match demand.clone() {
                Condition::Any(any) => parts.extend(any),
                demand => parts.push(demand),
            }
            Condition::Any(parts)
        }
    };
    // That of `some` and `count` is one from an item.
    let path = node.get("path").filter(|_| !is_tree).and_then(Node::as_str);
    let path = path.and_then(|path| RulePath::parse(path).ok());
    let start = if scope.0.is_empty() { context.prefix } else { &scope };
    let of_scope = (!scope.0.is_empty()).then(|| scope.clone());
    let path = path.map(|path| start.join_path(&path)).or(of_scope);
    build_rule(head, ReadCondition { scope, path, demand, condition }, context.subject, findings)
}

/// The parts of a rule that do not depend on the subject.
struct RuleHead<'d> {
    name: String,
    span: Span,
    severity: Option<RuleSeverity>,
    message: Option<MessageTemplate<'d>>,
    reason: Option<&'static str>,
}

/// The condition of a rule, with what it is about.
struct ReadCondition {
    scope: RulePath,
    /// The path of the rule, from the object.
    path: Option<RulePath>,
    /// The condition without `when`.
    demand: Condition,
    condition: Condition,
}

fn build_rule(
    head: RuleHead<'_>,
    read: ReadCondition,
    subject: &RuleSubject,
    findings: &mut Vec<Diagnostic>,
) -> Option<AuthoredRule> {
    let (schema, path) = (&subject.schema, read.path.as_ref());
    let shows_value = head.message.as_ref().is_some_and(MessageTemplate::shows_value);
    let placed = choose_place(&read.scope, &read.condition, subject, shows_value);
    let at_place = schema_at_place(schema, &placed.place)?;
    let Some(expression) = to_cel(&placed.condition, at_place) else {
        let message = "the schema declares no type for a path of the rule";
        findings.push(lints::WORD_TYPE.diagnostic_at(head.span, message));
        return None;
    };
    let expression =
        fit_to_defaults(schema, &placed.place, expression, |node| to_cel(&placed.condition, node));
    let requirement = describe_rule(&read.scope, &read.condition, schema);
    let (message, message_expression) = match &head.message {
        Some(template) => {
            let about = MessageSubject { path, demand: &read.demand, placed: &placed, schema };
            let written = template.write_message(&about, findings)?;
            (written.text, written.expression)
        }
        None => (requirement.clone(), None),
    };
    let below = path.and_then(|path| path_below(path, &placed.place));
    // The field of an error is one of the definition, which need not declare the names of the metadata.
    let place = subject.place_in_version(&placed.place);
    let declared = schema_at_place(&subject.version.schema, &place);
    let field_path = below.zip(declared).and_then(|(below, declared)| to_field_path(&below, declared));
    Some(AuthoredRule {
        name: head.name,
        span: head.span,
        severity: head.severity?,
        scope: read.scope,
        condition: read.condition,
        requirement,
        message,
        message_expression,
        reason: head.reason.or_else(|| reason_of(&placed.condition)),
        field_path,
        place,
        placed: placed.condition,
        expression,
        symbolic: None,
    })
}

fn read_scope<'s>(
    node: Node<'_>,
    context: RuleContext<'s>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(RulePath, &'s Json)> {
    let schema = &context.subject.schema;
    let Some(each) = node.get("each") else { return Some((RulePath::default(), schema)) };
    let mut reader = ConditionReader::new(findings, context, RulePath::default(), schema);
    let target = reader.read_any_path(each)?;
    // apiextensions schema/validation.go, validateMetadata
    let is_metadata = target.path.0.first() == Some(&PathStep::Field("metadata".to_owned()));
    if is_metadata && !context.subject.is_of_documents() {
        let message = "`each` cannot lead into `metadata`, in which a definition has no rules";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(each.span(), message));
        return None;
    }
    let crosses_key = (1..=target.path.0.len()).any(|count| {
        let before = RulePath(target.path.0.iter().take(count - 1).cloned().collect());
        let step = target.path.0.get(count - 1);
        matches!(step, Some(PathStep::Field(_)))
            && shape::schema_at(schema, &before).is_some_and(shape::is_map)
    });
    if crosses_key {
        findings.push(
            lints::RULE_SET_SHAPE.diagnostic_at(each.span(), "`each` cannot lead through a key of a map"),
        );
        return None;
    }
    let items = shape::schema_at(schema, &target.path)?;
    Some((target.path, items))
}

fn read_severity(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<RuleSeverity> {
    let Some(severity) = node.get("severity") else { return Some(RuleSeverity::default()) };
    let found = RuleSeverity::ALL.iter().find(|(name, _)| severity.as_str() == Some(name));
    if found.is_none() {
        let message = "`severity` must be `error`, `warn` or `audit`";
        findings.push(lints::RULE_SET_SHAPE.diagnostic_at(severity.span(), message));
    }
    found.map(|(_, severity)| *severity)
}

/// The kinds of errors that servers know.
// apiextensions types_jsonschema.go, FieldValueErrorReason
const REASONS: [&str; 4] =
    ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];

fn read_reason(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<&'static str> {
    let reason = node.get("reason")?;
    let found = REASONS.into_iter().find(|known| reason.as_str() == Some(known));
    if found.is_none() {
        let known = REASONS.map(|known| format!("`{known}`")).join(", ");
        let finding = lints::RULE_SET_SHAPE
            .diagnostic_at(reason.span(), format!("unknown reason `{}`", reason.text()))
            .with_help(format!("servers know {known}"));
        findings.push(finding);
    }
    found
}

/// The kinds of errors that servers know, for the JSON Schema of RuleSets.
pub(crate) fn known_reasons() -> [&'static str; 4] {
    REASONS
}
