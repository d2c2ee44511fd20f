//! Verdicts of rules about whole objects, by the meaning of their conditions.

use std::borrow::Cow;

use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{Value, from_schema};
use serde_json::Value as Json;

use crate::condition::Condition;
use crate::evaluation_memory::ValueMemory;
use crate::meaning::{EvaluatedValue, find_value, find_values};
use crate::path::RulePath;
use crate::rule_set::{AuthoredRule, RuleSet};
use crate::shape::schema_at;

impl RuleSet {
    /// Returns an object as rules see it: with the defaults of the definition in place of absent fields and of nulls, and without
    /// the fields that the definition does not have. An object that a server cannot read is returned as it is, and so is one of a
    /// kind without a definition: what the code of Kubernetes fills in is not known.
    ///
    /// Every evaluation of whole objects by the meaning of words reads them here.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    /// use serde_json::json;
    ///
    /// let spec = json!({"type": "object", "properties": {"depth": {"type": "integer", "default": 1}}});
    /// let definition = json!({"spec": {"group": "example.com", "names": {"kind": "Pond", "plural": "ponds"}, "versions": [
    ///     {"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}});
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: pond}\nspec:\n  \
    ///     subject: {apiVersion: example.com/v1, kind: Pond}\n  rules: [{name: depth, path: spec.depth, integer: {min: 2}}]\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let definitions = SubjectDefinitions { of_run: vec![definition], ..SubjectDefinitions::default() };
    /// let set = read_rule_set(&stream.documents[0], &definitions, &mut Vec::new()).unwrap();
    /// assert_eq!(*set.read_object(&json!({"spec": {}})), json!({"spec": {"depth": 1}}));
    /// assert_eq!(set.find_violations(&json!({"spec": {}}), None).len(), 1);
    /// ```
    pub fn read_object<'o>(&self, object: &'o Json) -> Cow<'o, Json> {
        let subject = &self.subject;
        let schema = subject.definition.as_ref().map(|_| &subject.version.schema);
        let read = schema.and_then(|schema| subject.defaults.fill_in(schema, object));
        read.map_or(Cow::Borrowed(object), Cow::Owned)
    }
}

impl RuleSet {
    /// Returns the rules that an object violates. In an update, what the object violates already in its stored form counts too: a
    /// server excuses it if the value does not change.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    /// use serde_json::json;
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
    ///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
    ///     rules: [{name: paused, path: spec.paused, in: [false]}]\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
    /// assert_eq!(set.find_violations(&json!({"spec": {"paused": true}}), None)[0].name, "paused");
    /// assert!(set.find_violations(&json!({"spec": {}}), None).is_empty());
    /// ```
    pub fn find_violations(&self, object: &Json, stored: Option<&Json>) -> Vec<&AuthoredRule> {
        let (object, stored) = (self.read_object(object), stored.map(|stored| self.read_object(stored)));
        let values = ValueMemory::default();
        let is_violated =
            |rule: &&AuthoredRule| self.is_violated_with(rule, &object, stored.as_deref(), &values);
        self.rules.iter().filter(is_violated).collect()
    }

    /// Returns the first of the selected rules that an object violates, and evaluates none after it.
    pub fn find_violation(
        &self,
        object: &Json,
        stored: Option<&Json>,
        is_selected: impl Fn(&AuthoredRule) -> bool,
    ) -> Option<&AuthoredRule> {
        let (object, stored) = (self.read_object(object), stored.map(|stored| self.read_object(stored)));
        let values = ValueMemory::default();
        let mut selected = self.rules.iter().filter(|rule| is_selected(rule));
        selected.find(|rule| self.is_violated_with(rule, &object, stored.as_deref(), &values))
    }

    fn is_violated_with<'o>(
        &'o self,
        rule: &AuthoredRule,
        object: &'o Json,
        stored: Option<&'o Json>,
        values: &ValueMemory<'o>,
    ) -> bool {
        self.evaluate_with((&rule.scope, &rule.condition), object, stored, values).contains(&false)
    }

    /// True if an object violates a rule of the set, or a rule that would take the place of one. The object and its stored form are those
    /// that [`read_object`](Self::read_object) returned, so that many rules can be asked about them.
    ///
    /// ```
    /// use kvrules_diagnostics::FileId;
    /// use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
    /// use serde_json::json;
    ///
    /// let text = "apiVersion: kvrules.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: web}\nspec:\n  \
    ///     subject: {apiVersion: apps/v1, kind: Deployment}\n  \
    ///     rules: [{name: paused, path: spec.paused, in: [false]}]\n";
    /// let stream = kvrules_syntax::parse_stream(FileId(0), text);
    /// let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut Vec::new()).unwrap();
    /// let (paused, unpaused) = (json!({"spec": {"paused": true}}), json!({"spec": {"paused": false}}));
    /// assert!(set.is_violated(&set.rules[0], &set.read_object(&paused), None));
    /// assert!(!set.is_violated(&set.rules[0], &set.read_object(&unpaused), None));
    /// ```
    pub fn is_violated(&self, rule: &AuthoredRule, object: &Json, stored: Option<&Json>) -> bool {
        let stated = (&rule.scope, &rule.condition);
        self.evaluate_condition(stated, object, stored).contains(&false)
    }

    /// Evaluates a condition for each value at a scope of an object that was read.
    pub(crate) fn evaluate_condition(
        &self,
        (scope, condition): (&RulePath, &Condition),
        object: &Json,
        stored: Option<&Json>,
    ) -> Vec<bool> {
        self.evaluate_with((scope, condition), object, stored, &ValueMemory::default())
    }

    fn evaluate_with<'o>(
        &'o self,
        (scope, condition): (&RulePath, &Condition),
        object: &'o Json,
        stored: Option<&'o Json>,
        memory: &ValueMemory<'o>,
    ) -> Vec<bool> {
        let schema = &self.subject.schema;
        let Some(schema) = schema_at(schema, scope) else { return Vec::new() };
        // An expression about the object sees the names of its metadata.
        let sees_names = scope.0.is_empty() && condition.has_cel() && !self.subject.is_of_documents();
        let schema = if sees_names { self.memory.schema_with_names(schema) } else { schema };
        let stored = stored.filter(|_| !scope.has_each()).and_then(|stored| find_value(stored, scope));
        let holds_for = |value: &'o Json| {
            let cel = |text: &str, given: EvaluatedValue<'_>| {
                let parsed = self.memory.parse(text)?;
                // A rule about updates holds for creations.
                if given.stored.is_none() && parsed.is_transition {
                    return Some(true);
                }
                let of_self = if std::ptr::eq(given.value, value) {
                    memory.value_of(value, schema)
                } else {
                    from_schema(given.value, schema)
                };
                evaluate_with_self(&parsed.expression, of_self, given.stored, schema)
            };
            condition.holds_for(EvaluatedValue { value, stored, schema: Some(schema) }, &cel)
        };
        find_values(object, scope).into_iter().map(holds_for).collect()
    }
}

/// The result of a parsed expression.
pub(crate) fn evaluate_on(expression: &Expression, given: EvaluatedValue<'_>, schema: &Json) -> Option<bool> {
    evaluate_with_self(expression, from_schema(given.value, schema), given.stored, schema)
}

/// The result of an expression in CEL for a value; `None` for an error.
fn evaluate_with_self(
    expression: &Expression,
    of_self: Value,
    stored: Option<&Json>,
    schema: &Json,
) -> Option<bool> {
    let shape = ExpressionShape::Schema(schema);
    let mut scope = Scope::default();
    scope.variables.insert("self", (of_self, shape));
    if let Some(stored) = stored {
        scope.variables.insert("oldSelf", (from_schema(stored, schema), shape));
    }
    match evaluate_expression(expression, &scope, CALL_LIMIT).result {
        Ok(Value::Bool(result)) => Some(result),
        _ => None,
    }
}
