//! Parts of rules, each of which should be true and false for some object that a rule is tested with.

use kvrules_generate::{PlaceStep, schema_at_place_mut};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_lift::{DefinitionRule, definition_rules};
use serde_json::{Number, Value as Json, json};

use crate::condition::{Bounds, Condition, ValueTest};
use crate::describe::describe_scope;
use crate::lower::to_cel;
use crate::path::{PathStep, RulePath};
use crate::place::to_place_step;
use crate::rule_set::{AuthoredRule, RuleSet};
use crate::shape::{child_schema, is_map, may_be_absent, schema_at};

/// A condition within a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RulePart {
    /// Its description.
    pub text: String,
    /// The values that it is about.
    scope: RulePath,
    condition: Condition,
}

/// A bound of a number, a length or a number of items, with a value on each side.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleBoundary {
    /// Its description.
    pub text: String,
    /// The last value that passes, and the condition that a value is this one.
    pub inside: (i64, RulePart),
    /// The first value that does not pass, and the condition that a value is this one.
    pub outside: (i64, RulePart),
}

impl RulePart {
    /// Returns the text if the part is an expression in CEL.
    pub fn as_expression(&self) -> Option<&str> {
        match &self.condition {
            Condition::Cel(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the same part with another expression in CEL.
    #[must_use]
    pub fn with_expression(&self, text: &str) -> Self {
        Self { condition: Condition::Cel(text.to_owned()), ..self.clone() }
    }
}

impl RuleSet {
    /// Returns the rule as a part: true for each value that satisfies it.
    pub fn whole_rule(&self, rule: &AuthoredRule) -> RulePart {
        RulePart { text: rule.name.clone(), scope: rule.scope.clone(), condition: rule.condition.clone() }
    }

    /// Returns the steps to the values at a path from a scope such as `spec.ports[*]`, which may be empty, and their schema; `None` if
    /// the subject has no such field.
    pub fn find_field(&self, scope: &str, path: &str) -> Option<(Vec<PlaceStep>, &Json)> {
        let whole = RulePath::parse(scope).ok()?.join_path(&RulePath::parse(path).ok()?);
        let schema = schema_at(&self.subject.schema, &whole)?;
        Some((whole.0.iter().map(to_place_step).collect(), schema))
    }

    /// Returns a rule as one of a definition, at the values that it is about; `None` if the schema declares no type for one of its
    /// paths.
    pub fn rule_at_scope(&self, rule: &AuthoredRule) -> Option<DefinitionRule<'static>> {
        let node = schema_at(&self.subject.schema, &rule.scope)?;
        let entry = json!({"rule": to_cel(&rule.condition, node)?, "message": rule.message});
        let place: Vec<PlaceStep> = rule.scope.0.iter().map(to_place_step).collect();
        let place = self.subject.place_in_version(&place);
        let mut schema = self.subject.version.schema.clone();
        let at_scope = schema_at_place_mut(&mut schema, &place)?.as_object_mut()?;
        at_scope.insert(VALIDATIONS.to_owned(), json!([entry]));
        definition_rules(&schema).into_iter().next()
    }

    /// Evaluates a part for each of the values that it is about.
    pub fn evaluate_part(&self, part: &RulePart, object: &Json, stored: Option<&Json>) -> Vec<bool> {
        let (object, stored) = (self.read_object(object), stored.map(|stored| self.read_object(stored)));
        self.evaluate_condition((&part.scope, &part.condition), &object, stored.as_deref())
    }

    /// Returns the operands within a rule, the bodies of its loops and its expressions in CEL. The presence of a value that is always
    /// there is none of them.
    pub fn list_parts(&self, rule: &AuthoredRule) -> Vec<RulePart> {
        let mut finder = Finder { set: self, parts: Vec::new(), boundaries: Vec::new() };
        finder.visit(&rule.scope, &rule.condition);
        finder.parts
    }

    /// Returns the integer bounds of a rule.
    pub fn list_boundaries(&self, rule: &AuthoredRule) -> Vec<RuleBoundary> {
        let mut finder = Finder { set: self, parts: Vec::new(), boundaries: Vec::new() };
        finder.visit(&rule.scope, &rule.condition);
        finder.boundaries
    }
}

struct Finder<'s> {
    set: &'s RuleSet,
    parts: Vec<RulePart>,
    boundaries: Vec<RuleBoundary>,
}

impl Finder<'_> {
    fn visit(&mut self, scope: &RulePath, condition: &Condition) {
        match condition {
            Condition::All(operands) | Condition::Any(operands) => {
                for operand in operands {
                    if operands.len() > 1 {
                        self.add_part(scope, operand);
                    }
                    self.visit(scope, operand);
                }
            }
            Condition::Not(inner) => {
                self.add_part(scope, inner);
                self.visit(scope, inner);
            }
            Condition::ForAll(list, body) | Condition::CountItems(list, _, body) => {
                let each = RulePath(vec![PathStep::Each]);
                let items = scope.join_path(list).join_path(&each);
                self.add_part(&items, body);
                self.visit(&items, body);
            }
            Condition::Passes(path, test) => self.add_boundaries(scope, path, test),
            Condition::Cel(_) => self.add(scope, condition),
            _ => {}
        }
    }

    /// Adds an operand that is not itself made of operands.
    fn add_part(&mut self, scope: &RulePath, condition: &Condition) {
        let is_inner = matches!(condition, Condition::All(_) | Condition::Any(_) | Condition::Not(_));
        let is_fixed = matches!(condition, Condition::Present(path) if !self.may_be_absent(scope, path));
        if !is_inner && !is_fixed {
            self.add(scope, condition);
        }
    }

    fn add(&mut self, scope: &RulePath, condition: &Condition) {
        let text = match condition {
            Condition::Cel(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            condition => condition.describe_state(self.schema_of(scope)),
        };
        let text = self.text_at(scope, text);
        let part = RulePart { text, scope: scope.clone(), condition: condition.clone() };
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// A description with the values that it is about.
    fn text_at(&self, scope: &RulePath, text: String) -> String {
        match describe_scope(scope, &self.set.subject.schema) {
            Some(scope) => format!("{scope}, {text}"),
            None => text,
        }
    }

    fn schema_of(&self, scope: &RulePath) -> &Json {
        schema_at(&self.set.subject.schema, scope).unwrap_or(&Json::Null)
    }

    fn may_be_absent(&self, scope: &RulePath, path: &RulePath) -> bool {
        let mut node = schema_at(&self.set.subject.schema, scope);
        path.0.iter().any(|step| {
            let parent = node;
            node = parent.and_then(|parent| child_schema(parent, step));
            match (parent, step) {
                (Some(parent), PathStep::Field(name)) => is_map(parent) || may_be_absent(parent, name),
                _ => true,
            }
        })
    }

    fn add_boundaries(&mut self, scope: &RulePath, path: &RulePath, test: &ValueTest) {
        let (min, max, least) = match test {
            ValueTest::Number(bounds) => {
                (as_integer(bounds.min.as_ref()), as_integer(bounds.max.as_ref()), i64::MIN)
            }
            ValueTest::Length(bounds) | ValueTest::Items(bounds) => {
                (as_count(bounds.min), as_count(bounds.max), 0)
            }
            _ => return,
        };
        let sides = [(min, -1_i64), (max, 1)];
        for (bound, step) in sides {
            let Some((inside, outside)) = bound.and_then(|it| Some((it, it.checked_add(step)?))) else {
                continue;
            };
            // No list has less than no items.
            if outside < least {
                continue;
            }
            let is_value = |value: i64| {
                let condition = Condition::Passes(path.clone(), exactly(test, value));
                (value, RulePart { text: String::new(), scope: scope.clone(), condition })
            };
            let state = Condition::Passes(path.clone(), test.clone()).describe_state(self.schema_of(scope));
            let boundary = RuleBoundary {
                text: self.text_at(scope, state),
                inside: is_value(inside),
                outside: is_value(outside),
            };
            if !self.boundaries.contains(&boundary) {
                self.boundaries.push(boundary);
            }
        }
    }
}

fn as_integer(bound: Option<&Number>) -> Option<i64> {
    bound.and_then(Number::as_i64)
}

fn as_count(bound: Option<u64>) -> Option<i64> {
    bound.and_then(|bound| i64::try_from(bound).ok())
}

/// A test of the same kind that one value passes.
fn exactly(test: &ValueTest, value: i64) -> ValueTest {
    let count = || u64::try_from(value).ok();
    match test {
        ValueTest::Length(_) => ValueTest::Length(Bounds::with_limits(count(), count())),
        ValueTest::Items(_) => ValueTest::Items(Bounds::with_limits(count(), count())),
        _ => ValueTest::Number(Bounds::with_limits(Some(value.into()), Some(value.into()))),
    }
}
