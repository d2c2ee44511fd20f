//! The sense of rules: what they accept, reject, and cannot evaluate, as far as that is certain.

use std::cell::OnceCell;
use std::collections::HashSet;

use kvrules_apiserver::object::ObjectSchema;
use kvrules_cel::ast::Expression;
use kvrules_diagnostics::{Diagnostic, SourceFile, Span, find_nearest};
use kvrules_generate::{ObjectGenerator, PlaceStep};
use kvrules_ir::Term;
use kvrules_lift::{
    DefinitionRule, LiftedExpression, RuleFailure, RuleSense, definition_rules, examine_rule, find_failure,
    is_implied, lift_expression,
};
use serde_json::{Value, json};

use super::keyword_rule;
use crate::lints;
use crate::message_mismatch::find_mismatch;
use crate::schema_location::SchemaLocation;
use crate::schema_review::{ReviewedSchema, SchemaVersion};

/// The most objects of a version that are tried to make rules end in errors.
const MOST_OBJECTS: usize = 600;

/// The most rules of one place of which each is compared with the others.
const MOST_COMPARED: usize = 40;

/// A rule with its formulas, and where it is written.
struct ExaminedRule {
    rule: DefinitionRule,
    /// The path of its schema, as the server writes it.
    path: String,
    expression: Expression,
    formulas: LiftedExpression,
    sense: RuleSense,
    is_about_updates: bool,
    /// The fields that it names.
    fields: HashSet<String>,
    span: Span,
}

/// Examines the rules of a version that the server accepts.
pub(super) fn check_sense(
    source: &SourceFile,
    version: &SchemaVersion<'_>,
    reviewed: &ReviewedSchema<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let rules = &reviewed.report.rules;
    let is_refused = !reviewed.errors.is_empty() || !reviewed.report.errors.is_empty();
    if is_refused || rules.is_empty() || rules.iter().any(|rule| !rule.errors.is_empty()) {
        return;
    }
    let root = SchemaLocation::root(version.node, Some(version.key));
    let examined: Vec<ExaminedRule> = definition_rules(&reviewed.schema)
        .into_iter()
        .filter_map(|rule| ExaminedRule::new(rule, &reviewed.schema, &root))
        .collect();
    let witnesses = WitnessSearch::new(&reviewed.schema);
    for (index, it) in examined.iter().enumerate() {
        findings.extend(message_finding(&root, it));
        let of_values = unknown_values(it);
        if !of_values.is_empty() {
            // Consequences of the wrong value are not reported too.
            findings.extend(of_values);
        } else if it.sense.is_always_true {
            let message = "the rule is true for every object that the schema accepts";
            let help = "remove it, or correct it: the server evaluates it at every write";
            findings.push(lints::CONSTANT_RULE.diagnostic_at(it.span, message).with_help(help));
        } else if it.sense.is_never_true {
            let message = "no object passes the rule: the server rejects every value at this place";
            findings.push(lints::CONSTANT_RULE.diagnostic_at(it.span, message));
        } else if let Some(other) = implying_rule(&examined, index) {
            findings.push(repeated_rule(it, other));
        } else if !it.is_about_updates {
            let failure = if it.sense.may_fail { witnesses.find(it) } else { None };
            let failing = failure.map(|failure| failing_rule(it, &failure));
            findings.extend(failing.or_else(|| keyword_finding(source, &root, it)));
        }
    }
}

fn message_finding(root: &SchemaLocation<'_>, it: &ExaminedRule) -> Option<Diagnostic> {
    let field = format!("{}.x-kubernetes-validations[{}].message", it.path, it.rule.index);
    let find_span = || Some(root.clone().follow_field(&field).inner?.value.span());
    find_mismatch(&it.formulas.holds, &it.rule.source.message, find_span)
}

/// The finding that a rule says the same as a keyword, unless it says more with its message or its reason.
fn keyword_finding(source: &SourceFile, root: &SchemaLocation<'_>, it: &ExaminedRule) -> Option<Diagnostic> {
    let source_rule = &it.rule.source;
    if !source_rule.message_expression.is_empty() || !source_rule.reason.is_empty() {
        return None;
    }
    let place = root.clone().follow_field(&format!("{}.x-kubernetes-validations", it.path));
    keyword_rule::find_keyword(source, &place, it.span, &it.rule, &it.formulas.holds)
}

impl ExaminedRule {
    fn new(rule: DefinitionRule, schema: &Value, root: &SchemaLocation<'_>) -> Option<Self> {
        let (expression, checked) = rule.check_types().ok()?;
        let optional: &[&str] = if rule.source.optional_old_self { &["oldSelf"] } else { &[] };
        let formulas = lift_expression(&expression, &checked, optional).ok()?;
        let sense = examine_rule(&rule, &formulas);
        let path = schema_path(&rule.place, schema);
        let place =
            root.clone().follow_field(&format!("{path}.x-kubernetes-validations[{}].rule", rule.index));
        let span = crate::schema_location::node_head_span(place.inner?.value);
        let is_about_updates = rule.source.is_transition_rule();
        let mut fields = HashSet::new();
        formulas.holds.visit_terms(&mut |term| {
            if let Term::Field(_, name) = term {
                fields.insert(name.clone());
            }
        });
        Some(Self { rule, path, expression, formulas, sense, is_about_updates, fields, span })
    }
}

/// Another rule of the same place that no object passes without passing this one too. Of two that mean the same, the later
/// repeats the earlier.
fn implying_rule(examined: &[ExaminedRule], index: usize) -> Option<&ExaminedRule> {
    let it = examined.get(index)?;
    let others = examined.iter().enumerate().filter(|(_, other)| other.rule.place == it.rule.place);
    if others.clone().count() > MOST_COMPARED || it.is_about_updates {
        return None;
    }
    let implies = |one: &ExaminedRule, other: &ExaminedRule| {
        is_implied(&[&one.formulas.holds], &other.formulas.holds, &it.rule.schema)
    };
    let is_comparable = |other: &ExaminedRule| {
        !other.is_about_updates
            && !other.sense.is_always_true
            && !other.sense.is_never_true
            // A rule about other fields implies nothing about these.
            && it.fields.is_subset(&other.fields)
    };
    others
        .filter(|(at, other)| *at != index && is_comparable(other))
        .find(|(at, other)| implies(other, it) && (*at < index || !implies(it, other)))
        .map(|(_, other)| other)
}

fn repeated_rule(it: &ExaminedRule, other: &ExaminedRule) -> Diagnostic {
    let message =
        format!("another rule of the same place implies the rule: `{}`", short(&other.rule.source.rule));
    lints::REPEATED_RULE.diagnostic_at(it.span, message).with_help("remove it, or correct one of the two")
}

fn unknown_values(it: &ExaminedRule) -> Vec<Diagnostic> {
    let values = it.sense.unknown_values.iter();
    values.map(|(path, value)| enum_finding(&it.rule.schema, path, value, it.span)).collect()
}

/// The finding that a field is compared with a text that its enum does not have; `path` starts at `self`.
pub(crate) fn enum_finding(schema: &Value, path: &str, value: &str, span: Span) -> Diagnostic {
    let known = enum_of(schema, path);
    // Parts of a request are names of their own in policies.
    let shown = ["self.object", "self.oldObject", "self.params"].iter().find(|root| path.starts_with(**root));
    let shown = shown.and_then(|_| path.strip_prefix("self.")).unwrap_or(path);
    let message = format!("`{shown}` is never `{value}`: its `enum` does not have it");
    let help = match find_nearest(value, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("it has {}", known.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", "))
        }
    };
    lints::UNKNOWN_ENUM_VALUE.diagnostic_at(span, message).with_help(help)
}

/// The texts that a field may be; `path` starts at `self`.
fn enum_of(schema: &Value, path: &str) -> Vec<String> {
    let mut names = path.split('.').skip(1);
    let node = names.try_fold(schema, |node, name| node.get("properties")?.get(name));
    let values = node.and_then(|node| node.get("enum")).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn failing_rule(it: &ExaminedRule, failure: &RuleFailure) -> Diagnostic {
    let key = failure.error.strip_prefix("no such key: ").unwrap_or(&failure.error);
    let message =
        format!("the rule ends in an error where `{key}` is absent, although the schema accepts that");
    let example = short(&failure.value.to_string());
    let help = format!(
        "test it with `has` first, or make it required or give it a default; the server refuses `{example}` with \
         `{}` and not with the message",
        failure.error
    );
    lints::FAILING_RULE.diagnostic_at(it.span, message).with_help(help)
}

/// A text in one line, shortened.
fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The path of a place in a schema, as the server writes it.
fn schema_path(place: &[PlaceStep], schema: &Value) -> String {
    let (mut path, mut node) = (String::new(), Some(schema));
    for step in place {
        match step {
            PlaceStep::Field(name) => {
                path.extend([".properties[", name.as_str(), "]"]);
                node = node.and_then(|node| node.get("properties")?.get(name));
            }
            PlaceStep::Any => {
                let is_list = node.is_some_and(|node| node.get("items").is_some());
                let keyword = if is_list { "items" } else { "additionalProperties" };
                path.extend([".", keyword]);
                node = node.and_then(|node| node.get(keyword));
            }
        }
    }
    path
}

/// Looks for objects that the server rejects only because a rule ends in an error.
struct WitnessSearch<'s> {
    schema: &'s Value,
    server: OnceCell<ObjectSchema>,
    left: std::cell::Cell<usize>,
}

impl<'s> WitnessSearch<'s> {
    fn new(schema: &'s Value) -> Self {
        Self { schema, server: OnceCell::new(), left: std::cell::Cell::new(MOST_OBJECTS) }
    }

    fn find(&self, it: &ExaminedRule) -> Option<RuleFailure> {
        let server = self.server.get_or_init(|| ObjectSchema::new(self.schema).without_metadata_checks());
        let mut generator = ObjectGenerator::new(self.schema);
        let mut attempt = 0;
        let mut is_sole_error = |value: &Value| {
            attempt += 1;
            let Some(left) = self.left.get().checked_sub(1) else { return false };
            self.left.set(left);
            let Some(mut object) = generator.generate_holding(&it.rule.place, attempt, value) else {
                return false;
            };
            let Some(fields) = object.as_object_mut() else { return false };
            fields.insert("metadata".to_owned(), json!({ "name": "example" }));
            let errors = server.admit_object(&object, None).errors;
            !errors.is_empty() && errors.iter().all(|error| error.detail.starts_with("no such key"))
        };
        find_failure(&it.rule, &it.expression, &it.formulas, &mut is_sole_error)
    }
}
