//! Conditions as sentences: what a rule requires, and the case that `when` names.
//!
//! A sentence has every path, value and negation of its condition, and one meaning: operands that are themselves joined are in
//! parentheses, and what follows `in each item of …,` is about the item up to the end of the sentence.

mod counted;
mod demands;
mod states;
mod value_tests;

use kvrules_diagnostics::join_words;
use serde_json::Value as Json;

use self::demands::Demands;
use crate::condition::Condition;
use crate::path::{PathStep, RulePath};
use crate::place::holds_for;
use crate::shape::{ValueType, is_nullable, schema_at};

impl Condition {
    /// Describes what the condition requires of a value with this schema, without a full stop.
    ///
    /// ```
    /// use kvrules_rule_set::{Bounds, Condition, RulePath, ValueTest};
    /// use serde_json::json;
    ///
    /// let bounds = Bounds::with_limits(Some(2.into()), Some(10.into()));
    /// let condition = Condition::Passes(RulePath::parse("spec.replicas").unwrap(), ValueTest::Number(bounds));
    /// let demand = condition.describe_demand(&json!({}));
    /// assert_eq!(demand, "`spec.replicas` is required and must be from 2 to 10");
    /// ```
    pub fn describe_demand(&self, schema: &Json) -> String {
        Demands { schema, known: Vec::new() }.describe(self)
    }

    /// Calls `visit` with the limit of each test that has one.
    pub(crate) fn visit_limits(&self, visit: &mut dyn FnMut(String)) {
        match self {
            Self::Passes(_, test) => test.describe_limit().into_iter().for_each(visit),
            Self::Compares(_, _, other, _) | Self::RefersTo(_, other, _) => visit(format!("`{other}`")),
            // The limits of its condition are not those of the number.
            Self::CountItems(..) => {}
            _ => self.children().iter().for_each(|one| one.visit_limits(visit)),
        }
    }
}

/// The requirement of a rule about the values at `scope`, in an object with this schema.
pub(crate) fn describe_rule(scope: &RulePath, condition: &Condition, schema: &Json) -> String {
    // A rule is about values that are there.
    let own = RulePath::default();
    let at_scope = schema_at(schema, scope).unwrap_or(&Json::Null);
    let demand = Demands { schema: at_scope, known: vec![&own] }.describe(condition);
    // A rule is not evaluated for an item that is null.
    let is_of_items =
        scope.0.last() == Some(&PathStep::Each) && schema_at(schema, scope).is_some_and(is_nullable);
    let is_skipped = is_of_items && !holds_for(condition, &Json::Null);
    match describe_scope(scope, schema) {
        Some(scope) if is_skipped => format!("{scope} that is set, {demand}"),
        Some(scope) => format!("{scope}, {demand}"),
        None => demand,
    }
}

/// The values that a rule is about, such as ``in each item of `spec.ports` ``; `None` for the object.
pub(crate) fn describe_scope(scope: &RulePath, schema: &Json) -> Option<String> {
    Some(match scope.0.split_last()? {
        (PathStep::Each, list) => format!("in each {}", items_noun(schema, &RulePath(list.to_vec()), false)),
        _ => format!("in `{scope}`"),
    })
}

/// The path whose absence is the condition.
fn absent_path(condition: &Condition) -> Option<&RulePath> {
    match condition {
        Condition::Not(inner) => match &**inner {
            Condition::Present(path) => Some(path),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a value in a demand.
fn demanded_name(path: &RulePath) -> String {
    if path.0.is_empty() { "the value".to_owned() } else { format!("`{path}`") }
}

fn listed_paths(paths: &[RulePath], word: &str) -> String {
    let listed: Vec<_> = paths.iter().map(demanded_name).collect();
    join_words(&listed, word)
}

/// ``item of `spec.ports` ``, or the value of a map.
fn items_noun(schema: &Json, list: &RulePath, is_plural: bool) -> String {
    let noun = match (is_map_at(schema, list), is_plural) {
        (true, false) => "value",
        (true, true) => "values",
        (false, false) => "item",
        (false, true) => "items",
    };
    let of = if list.0.is_empty() { "it".to_owned() } else { format!("`{list}`") };
    format!("{noun} of {of}")
}

fn is_map_at(schema: &Json, path: &RulePath) -> bool {
    schema_at(schema, path).is_some_and(|found| ValueType::of_schema(found) == ValueType::Map)
}

fn item_schema<'s>(schema: &'s Json, list: &RulePath) -> &'s Json {
    let items = RulePath(vec![PathStep::Each]);
    schema_at(schema, &list.join_path(&items)).unwrap_or(&Json::Null)
}
