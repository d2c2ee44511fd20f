//! The walk over schema and object.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::correlation::{Correlated, MapList, Ratcheting};
use super::message::{Message, message};
use super::rule::Rule;
use super::{Failure, NOWHERE, OBJECT_LIMIT, RuleRunReport};
use crate::Expressions;
use crate::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use crate::go_text;
use crate::node::{elements, spine, text};
use crate::value::{ErrorKind, EvalError, Value, from_schema};

/// A node of a schema at which or below which there are rules.
#[derive(Debug)]
pub(super) struct Node {
    /// By which the value is seen. At the root it has the fields of every object in the types that they have there.
    schema: Json,
    rules: Vec<Rule>,
    properties: BTreeMap<String, Node>,
    items: Option<Box<Node>>,
    values: Option<Box<Node>>,
}

impl Node {
    /// The tree of the rules of a schema; `seen` is the schema by which the rules at the root see the object.
    pub(super) fn root(schema: &Json, seen: Json, expressions: &Expressions) -> Self {
        let root = Self::new(schema, expressions).unwrap_or_else(|| Self::empty(schema));
        Self { schema: seen, ..root }
    }

    /// True if the node or one below it has a rule.
    pub(super) fn has_rules(&self) -> bool {
        !self.rules.is_empty() || !self.properties.is_empty() || self.items.is_some() || self.values.is_some()
    }

    fn empty(schema: &Json) -> Self {
        let schema = schema.clone();
        Self { schema, rules: Vec::new(), properties: BTreeMap::new(), items: None, values: None }
    }

    /// `None` where there is no rule.
    fn new(schema: &Json, expressions: &Expressions) -> Option<Self> {
        let rules = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        let rules: Vec<Rule> =
            rules.into_iter().flatten().map(|rule| Rule::new(rule, schema, expressions)).collect();
        let properties = schema.get("properties").and_then(Json::as_object);
        let properties: BTreeMap<String, Node> = properties
            .into_iter()
            .flatten()
            .filter_map(|(name, property)| Some((name.clone(), Self::new(property, expressions)?)))
            .collect();
        let below = |child: &Json| Self::new(child, expressions);
        let child = |name: &str| schema.get(name).filter(|it| it.is_object()).and_then(below).map(Box::new);
        let (items, values) = (child("items"), child("additionalProperties"));
        let is_empty = rules.is_empty() && properties.is_empty() && items.is_none() && values.is_none();
        let schema = schema.clone();
        (!is_empty).then_some(Self { schema, rules, properties, items, values })
    }
}

/// True if a node of a schema has a rule, or one below it whose values are validated.
pub(crate) fn has_rules(schema: &Json) -> bool {
    elements(schema, "x-kubernetes-validations").next().is_some()
        || spine(schema).any(|(_, child)| has_rules(child))
}

/// Runs the rules of a tree over an object. `schema` is the schema as it is declared.
pub(super) fn validate(root: &Node, schema: &Json, object: &Json, old: Option<&Json>) -> RuleRunReport {
    let mut walk = Walk { report: RuleRunReport::default() };
    let ratcheting = Ratcheting::root(old.map(|old| Correlated::root(object, old, schema)));
    // Stopping early is part of the report already.
    let _ = walk.node(root, object, Stored { value: old, ratcheting }, "");
    walk.report.errors.sort();
    walk.report.excused.sort();
    walk.report
}

struct Walk {
    report: RuleRunReport,
}

/// No further rules will be run.
struct Stopped;

/// The stored value of a node.
#[derive(Clone, Copy)]
struct Stored<'a> {
    /// The value that `oldSelf` names; none below lists without keys.
    value: Option<&'a Json>,
    ratcheting: Ratcheting<'a>,
}

impl Walk {
    fn node(&mut self, node: &Node, json: &Json, old: Stored<'_>, path: &str) -> Result<(), Stopped> {
        if json.is_null() {
            return Ok(());
        }
        self.rules(node, json, old, path)?;
        match json {
            Json::Array(items) => self.list(node, items, old, path),
            Json::Object(fields) => {
                for (name, field) in fields {
                    self.field(node, (name, field), old, path)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // validation.go, validateArray
    fn list(&mut self, node: &Node, items: &[Json], old: Stored<'_>, path: &str) -> Result<(), Stopped> {
        let Some(child) = &node.items else { return Ok(()) };
        let values = old.value.and_then(Json::as_array).map(|old| MapList::new(&node.schema, old));
        let elements = old.ratcheting.elements();
        for (index, item) in items.iter().enumerate() {
            let old = Stored {
                value: values.as_ref().and_then(|values| values.get(item)),
                ratcheting: old.ratcheting.element(elements.as_ref(), index),
            };
            self.node(child, item, old, &format!("{path}[{index}]"))?;
        }
        Ok(())
    }

    // validation.go, validateMap
    fn field(
        &mut self,
        node: &Node,
        (name, value): (&String, &Json),
        old: Stored<'_>,
        path: &str,
    ) -> Result<(), Stopped> {
        let (child, path) = match (node.properties.get(name), &node.values) {
            (Some(child), _) if name.is_empty() => (child, format!("{path}[]")),
            (Some(child), _) if path.is_empty() => (child, name.to_owned()),
            (Some(child), _) => (child, format!("{path}.{name}")),
            (None, Some(child)) => (&**child, format!("{path}[{name}]")),
            (None, None) => return Ok(()),
        };
        let old =
            Stored { value: old.value.and_then(|old| old.get(name)), ratcheting: old.ratcheting.field(name) };
        self.node(child, value, old, &path)
    }

    fn rules(&mut self, node: &Node, json: &Json, old: Stored<'_>, path: &str) -> Result<(), Stopped> {
        if node.rules.is_empty() {
            return Ok(());
        }
        let value = from_schema(json, &node.schema);
        let old_value = old.value.filter(|old| !old.is_null()).map(|old| from_schema(old, &node.schema));
        for rule in &node.rules {
            if rule.uses_old_self && !rule.source.optional_old_self && old_value.is_none() {
                continue;
            }
            let scope = scope(node, rule, &value, old_value.as_ref());
            let at = Place { path, json, schema: &node.schema, rule, old: old.ratcheting };
            self.rule(rule, &scope, &at)?;
        }
        Ok(())
    }

    fn rule(&mut self, rule: &Rule, scope: &Scope<'_>, at: &Place<'_>) -> Result<(), Stopped> {
        let expression = match &*rule.expression {
            Ok(expression) => expression,
            Err(error) => {
                let text = format!("rule compile error: compilation failed: {error}");
                self.report.errors.push(invalid(at, text));
                return Ok(());
            }
        };
        let outcome = evaluate_expression(expression, scope, CALL_LIMIT);
        if outcome.cost > self.left() {
            self.report.cost = self.report.cost.saturating_add(outcome.cost);
            let text = "validation failed due to running out of cost budget, no further validation rules will be run";
            self.report.errors.push(invalid(at, text.to_owned()));
            return Err(Stopped);
        }
        self.report.cost += outcome.cost;
        match outcome.result {
            Ok(Value::Bool(true)) => Ok(()),
            Ok(_) => self.failed(rule, scope, at),
            Err(error) => {
                let stop = error.kind == ErrorKind::Cancelled;
                // An update excuses a rule that is false, never one that fails.
                self.report.errors.push(invalid(at, error_text(&error, rule.source.display_text())));
                if stop { Err(Stopped) } else { Ok(()) }
            }
        }
    }

    fn failed(&mut self, rule: &Rule, scope: &Scope<'_>, at: &Place<'_>) -> Result<(), Stopped> {
        match message(rule, scope, self.left()) {
            Message::Stop(text, cost) => {
                self.report.cost = self.report.cost.saturating_add(cost);
                self.fail(at, invalid(at, text));
                Err(Stopped)
            }
            Message::Text(detail, cost) => {
                self.report.cost += cost;
                let field = match &rule.field {
                    Some(below) if at.path.is_empty() => below.clone(),
                    Some(below) => format!("{}.{below}", at.path),
                    None => at.field(),
                };
                let reason = if rule.source.reason.is_empty() { INVALID } else { &rule.source.reason };
                let detail = if reason == "FieldValueDuplicate" { String::new() } else { detail };
                self.fail(at, Failure { field, reason: reason.to_owned(), detail, value: at.value() });
                Ok(())
            }
        }
    }

    fn left(&self) -> u64 {
        OBJECT_LIMIT.saturating_sub(self.report.cost)
    }

    fn fail(&mut self, at: &Place<'_>, failure: Failure) {
        if !at.rule.uses_old_self && at.old.is_unchanged() {
            self.report.excused.push(failure);
        } else {
            self.report.errors.push(failure);
        }
    }
}

/// Location at which a rule runs.
struct Place<'a> {
    path: &'a str,
    json: &'a Json,
    schema: &'a Json,
    rule: &'a Rule,
    old: Ratcheting<'a>,
}

impl Place<'_> {
    /// The path as the server writes it.
    fn field(&self) -> String {
        if self.path.is_empty() { NOWHERE.to_owned() } else { self.path.to_owned() }
    }

    /// The value as the server shows it; lists and objects are not shown.
    fn value(&self) -> String {
        let is_container = matches!(text(self.schema, "type"), "object" | "array");
        if is_container { String::new() } else { go_text::value(self.json) }
    }
}

const INVALID: &str = "FieldValueInvalid";

/// A failure that is not about the value: in its place the server shows the type.
fn invalid(at: &Place<'_>, detail: String) -> Failure {
    let value = go_text::quote(text(at.schema, "type"));
    Failure { field: at.field(), reason: INVALID.to_owned(), detail, value }
}

fn scope<'a>(node: &'a Node, rule: &Rule, value: &Value, old: Option<&Value>) -> Scope<'a> {
    let shape = ExpressionShape::Schema(&node.schema);
    let mut scope = Scope::default();
    scope.variables.insert("self", (value.clone(), shape));
    if rule.source.optional_old_self {
        let old = Value::Optional(old.cloned().map(Arc::new));
        scope.variables.insert("oldSelf", (old, shape));
    } else if let Some(old) = old {
        scope.variables.insert("oldSelf", (old.clone(), shape));
    }
    scope
}

/// An error's text, with what stands for the rule.
fn error_text(error: &EvalError, rule: &str) -> String {
    match error.kind {
        ErrorKind::Overload | ErrorKind::Mismatch => format!(
            "'{error}': call arguments did not match a supported operator, function or macro signature for rule: \
             {rule}"
        ),
        ErrorKind::Cancelled => {
            format!(
                "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
            )
        }
        _ => format!("{error} evaluating rule: {rule}"),
    }
}
