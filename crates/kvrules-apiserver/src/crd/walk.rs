//! The walk over schema and object.

use std::collections::BTreeMap;
use std::sync::Arc;

use kvrules_cel::Expressions;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::go_text;
use kvrules_cel::value::{ErrorKind, EvalError, Value, from_schema};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::Value as Json;

use super::correlation::{CorrelatedValue, KeyedList, RatchetingContext};
use super::message::{MessageOutcome, evaluate_message};
use super::rule::Rule;
use super::{Failure, NOWHERE, OBJECT_LIMIT, RuleRunReport};
use crate::node::{SchemaStep, array_elements, spine_nodes, text_keyword, value_of};
use crate::server::ServerFeatures;

/// A node of a schema at which or below which there are rules. The schema itself is not copied: the walk follows it next to the tree.
#[derive(Debug, Default)]
pub(super) struct RuleNode {
    rules: Vec<Rule>,
    properties: BTreeMap<String, RuleNode>,
    items: Option<Box<RuleNode>>,
    values: Option<Box<RuleNode>>,
}

/// A node with its schema.
#[derive(Clone, Copy)]
struct SchemaNode<'s> {
    rules: &'s RuleNode,
    /// The schema as it is declared.
    schema: &'s Json,
    /// The schema by which rules see the value. At the root it has the fields of every object in the types that they have there.
    seen: &'s Json,
}

impl<'s> SchemaNode<'s> {
    fn new(rules: &'s RuleNode, schema: &'s Json) -> Self {
        Self { rules, schema, seen: schema }
    }
}

impl RuleNode {
    /// The tree of the rules of a schema.
    pub(super) fn root(schema: &Json, expressions: &Expressions) -> Self {
        Self::new(schema, expressions).unwrap_or_default()
    }

    /// True if the node or one below it has a rule.
    pub(super) fn has_rules(&self) -> bool {
        self.has_own_rules() || !self.properties.is_empty() || self.items.is_some() || self.values.is_some()
    }

    /// True if the node has a rule.
    pub(super) fn has_own_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// `None` if there is no rule.
    // apiextensions schema/cel/validation.go, validator: a node without rules at or below it has no validator.
    fn new(schema: &Json, expressions: &Expressions) -> Option<Self> {
        let mut node = Self::default();
        for (step, below) in spine_nodes(schema) {
            let Some(below) = Self::new(below, expressions) else { continue };
            match step {
                SchemaStep::Property(name) => _ = node.properties.insert(name.to_owned(), below),
                SchemaStep::Keyword("items") => node.items = Some(Box::new(below)),
                _ => node.values = Some(Box::new(below)),
            }
        }
        let rules = array_elements(schema, VALIDATIONS);
        node.rules.extend(rules.map(|(_, rule)| Rule::new(rule, schema, expressions)));
        node.has_rules().then_some(node)
    }
}

/// True if a node of a schema has a rule, or one below it whose values are validated.
pub(crate) fn has_rules(schema: &Json) -> bool {
    array_elements(schema, VALIDATIONS).next().is_some()
        || spine_nodes(schema).any(|(_, child)| has_rules(child))
}

/// Runs the rules of a tree over an object. `schema` is the schema as it is declared, `seen` as the rules of the root see it.
pub(super) fn run_rules(
    root: &RuleNode,
    [schema, seen]: [&Json; 2],
    object: &Json,
    old: Option<&Json>,
    server: &ServerFeatures,
) -> RuleRunReport {
    let mut walk = RuleWalk { report: RuleRunReport::default(), server };
    let correlated = old.filter(|_| server.objects.ratchets);
    let ratcheting =
        RatchetingContext::root(correlated.map(|old| CorrelatedValue::root(object, old, schema)));
    // The report already contains the error that stopped the walk.
    let root = SchemaNode { seen, ..SchemaNode::new(root, schema) };
    let _ = walk.walk_node(root, object, StoredValue { value: old, ratcheting }, "");
    walk.report.errors.sort();
    walk.report.excused.sort();
    walk.report
}

struct RuleWalk<'s> {
    report: RuleRunReport,
    server: &'s ServerFeatures,
}

/// No further rules will be run.
struct BudgetExceeded;

/// The stored value of a node.
#[derive(Clone, Copy)]
struct StoredValue<'a> {
    /// The value that `oldSelf` names; none below lists without keys.
    value: Option<&'a Json>,
    ratcheting: RatchetingContext<'a>,
}

impl RuleWalk<'_> {
    // schema/cel/validation.go, (*Validator).validate: no rule runs on null, so one about null stands on the node above.
    fn walk_node(
        &mut self,
        node: SchemaNode<'_>,
        json: &Json,
        old: StoredValue<'_>,
        path: &str,
    ) -> Result<(), BudgetExceeded> {
        if json.is_null() {
            return Ok(());
        }
        self.walk_rules(node, json, old, path)?;
        match json {
            Json::Array(items) => self.walk_list(node, items, old, path),
            Json::Object(fields) => {
                for (name, field) in fields {
                    self.walk_field(node, (name, field), old, path)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // validation.go, validateArray
    fn walk_list(
        &mut self,
        node: SchemaNode<'_>,
        items: &[Json],
        old: StoredValue<'_>,
        path: &str,
    ) -> Result<(), BudgetExceeded> {
        let Some((child, schema)) = node.rules.items.as_deref().zip(value_of(node.schema, "items")) else {
            return Ok(());
        };
        let child = SchemaNode::new(child, schema);
        let values = old.value.and_then(Json::as_array).map(|old| KeyedList::new(node.schema, old));
        let elements = old.ratcheting.elements();
        for (index, item) in items.iter().enumerate() {
            let old = StoredValue {
                value: values.as_ref().and_then(|values| values.get(item)),
                ratcheting: old.ratcheting.element(elements.as_ref(), index),
            };
            self.walk_node(child, item, old, &format!("{path}[{index}]"))?;
        }
        Ok(())
    }

    // validation.go, validateMap
    fn walk_field(
        &mut self,
        node: SchemaNode<'_>,
        (name, value): (&String, &Json),
        old: StoredValue<'_>,
        path: &str,
    ) -> Result<(), BudgetExceeded> {
        let SchemaNode { rules, schema, .. } = node;
        let (child, schema, path) = match (rules.properties.get(name), &rules.values) {
            (Some(child), _) => {
                let path = match path {
                    _ if name.is_empty() => format!("{path}[]"),
                    "" => name.to_owned(),
                    _ => format!("{path}.{name}"),
                };
                (child, value_of(schema, "properties").and_then(|properties| properties.get(name)), path)
            }
            (None, Some(child)) => {
                (&**child, value_of(schema, "additionalProperties"), format!("{path}[{name}]"))
            }
            (None, None) => return Ok(()),
        };
        let Some(schema) = schema else { return Ok(()) };
        let old = StoredValue {
            value: old.value.and_then(|old| old.get(name)),
            ratcheting: old.ratcheting.field(name),
        };
        self.walk_node(SchemaNode::new(child, schema), value, old, &path)
    }

    // schema/cel/validation.go, validateExpressions
    fn walk_rules(
        &mut self,
        node: SchemaNode<'_>,
        json: &Json,
        old: StoredValue<'_>,
        path: &str,
    ) -> Result<(), BudgetExceeded> {
        let SchemaNode { rules, seen, .. } = node;
        if !rules.has_own_rules() {
            return Ok(());
        }
        let value = from_schema(json, seen);
        let old_value = old.value.filter(|old| !old.is_null()).map(|old| from_schema(old, seen));
        for rule in &rules.rules {
            // A transition rule has nothing to compare on creation.
            if rule.uses_old_self && !rule.source.optional_old_self && old_value.is_none() {
                continue;
            }
            let mut scope = rule_scope(seen, rule, &value, old_value.as_ref());
            scope.costs = self.server.runtime;
            let at = ValueLocation { path, json, schema: seen, rule, old: old.ratcheting };
            self.run_rule(rule, &scope, &at)?;
        }
        Ok(())
    }

    // schema/cel/validation.go, validateExpressions, the body of its loop
    fn run_rule(
        &mut self,
        rule: &Rule,
        scope: &Scope<'_>,
        at: &ValueLocation<'_>,
    ) -> Result<(), BudgetExceeded> {
        let expression = match &*rule.expression {
            Ok(expression) => expression,
            Err(error) => {
                let text = format!("rule compile error: compilation failed: {error}");
                self.report.errors.push(invalid_type_failure(at, text));
                return Ok(());
            }
        };
        let outcome = evaluate_expression(expression, scope, CALL_LIMIT);
        if outcome.cost > self.budget_left() {
            self.report.cost = self.report.cost.saturating_add(outcome.cost);
            let text = "validation failed due to running out of cost budget, no further validation rules will be run";
            self.report.errors.push(invalid_type_failure(at, text.to_owned()));
            return Err(BudgetExceeded);
        }
        self.report.cost += outcome.cost;
        match outcome.result {
            Ok(Value::Bool(true)) => Ok(()),
            Ok(_) => self.add_rule_failure(rule, scope, at),
            Err(error) => {
                let stop = error.kind == ErrorKind::Cancelled;
                // An update excuses a rule that is false, never one that fails.
                self.report
                    .errors
                    .push(invalid_type_failure(at, error_text(&error, rule.source.display_text())));
                if stop { Err(BudgetExceeded) } else { Ok(()) }
            }
        }
    }

    // schema/cel/validation.go, validateExpressions after a false result, and fieldErrorForReason
    fn add_rule_failure(
        &mut self,
        rule: &Rule,
        scope: &Scope<'_>,
        at: &ValueLocation<'_>,
    ) -> Result<(), BudgetExceeded> {
        match evaluate_message(rule, scope, self.budget_left(), self.server) {
            MessageOutcome::Stop(text, cost) => {
                self.report.cost = self.report.cost.saturating_add(cost);
                self.add_failure(at, invalid_type_failure(at, text));
                Err(BudgetExceeded)
            }
            MessageOutcome::Text(detail, cost) => {
                self.report.cost += cost;
                let field = match &rule.field {
                    Some(below) if at.path.is_empty() => below.clone(),
                    Some(below) => format!("{}.{below}", at.path),
                    None => at.path_text(),
                };
                let reason = if rule.source.reason.is_empty() { INVALID } else { &rule.source.reason };
                // field.Duplicate takes no detail.
                let detail = if reason == "FieldValueDuplicate" { String::new() } else { detail };
                self.add_failure(
                    at,
                    Failure { field, reason: reason.to_owned(), detail, value: at.value(self.server) },
                );
                Ok(())
            }
        }
    }

    fn budget_left(&self) -> u64 {
        OBJECT_LIMIT.saturating_sub(self.report.cost)
    }

    fn add_failure(&mut self, at: &ValueLocation<'_>, failure: Failure) {
        // schema/cel/validation.go, addErr in validateExpressions: a transition rule is about the update itself, so it is
        // never excused.
        if !at.rule.uses_old_self && at.old.is_unchanged() {
            self.report.excused.push(failure);
        } else {
            self.report.errors.push(failure);
        }
    }
}

/// Location at which a rule runs.
struct ValueLocation<'a> {
    path: &'a str,
    json: &'a Json,
    schema: &'a Json,
    rule: &'a Rule,
    old: RatchetingContext<'a>,
}

impl ValueLocation<'_> {
    /// The path as the server writes it.
    fn path_text(&self) -> String {
        if self.path.is_empty() { NOWHERE.to_owned() } else { self.path.to_owned() }
    }

    /// The value as the server shows it; lists and objects are not shown.
    fn value(&self, server: &ServerFeatures) -> String {
        if !server.objects.shows_values {
            return go_text::quote_string(text_keyword(self.schema, "type"));
        }
        let is_container = matches!(text_keyword(self.schema, "type"), "object" | "array");
        if is_container { String::new() } else { go_text::format_json_value(self.json) }
    }
}

const INVALID: &str = "FieldValueInvalid";

/// A failure that is not about the value: in its place the server shows the type.
fn invalid_type_failure(at: &ValueLocation<'_>, detail: String) -> Failure {
    let value = go_text::quote_string(text_keyword(at.schema, "type"));
    Failure { field: at.path_text(), reason: INVALID.to_owned(), detail, value }
}

// schema/cel/validation.go, validationActivationWithOldSelf
fn rule_scope<'a>(schema: &'a Json, rule: &Rule, value: &Value, old: Option<&Value>) -> Scope<'a> {
    let shape = ExpressionShape::Schema(schema);
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
// schema/cel/validation.go, validateExpressions, which compares the beginnings of error texts
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
