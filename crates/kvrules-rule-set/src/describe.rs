//! Conditions as sentences: what a rule requires, and the case that `when` names.
//!
//! A sentence has every path, value and negation of its condition, and one meaning: operands that are themselves joined are in
//! parentheses, and what follows `in each item of …,` is about the item up to the end of the sentence.

mod states;
mod value_tests;

use kvrules_diagnostics::join_words;
use serde_json::Value as Json;

use self::states::together_paths;
use crate::condition::Condition;
use crate::path::{PathStep, RulePath};
use crate::shape::{ValueType, schema_at};

impl Condition {
    /// Describes what the condition requires of a value with this schema, without a full stop.
    ///
    /// ```
    /// use kvrules_rule_set::{Bounds, Condition, RulePath, ValueTest};
    /// use serde_json::json;
    ///
    /// let bounds = Bounds::with_limits(Some(2.into()), Some(10.into()));
    /// let condition = Condition::Passes(RulePath::parse("spec.replicas").unwrap(), ValueTest::Number(bounds));
    /// assert_eq!(condition.describe_demand(&json!({})), "`spec.replicas` must be from 2 to 10");
    /// ```
    pub fn describe_demand(&self, schema: &Json) -> String {
        match self {
            Self::All(all) => join_demands(all, schema),
            Self::Any(any) => describe_alternatives(any, schema),
            Self::Not(inner) => match &**inner {
                Self::Present(path) => format!("{} must not be set", demanded_name(path)),
                Self::Passes(path, test) => {
                    format!("{} {}", demanded_name(path), test.describe_denial(is_map_at(schema, path)))
                }
                _ => format!("it is required that {}", self.describe_state(schema)),
            },
            Self::Present(path) => format!("{} is required", demanded_name(path)),
            Self::Passes(path, test) => {
                let is_map = is_map_at(schema, path);
                format!("{} {}", demanded_name(path), test.describe_demand(is_map))
            }
            Self::Compares(one, how, other, _) => {
                format!("{} must be {} {}", demanded_name(one), how.describe(), demanded_name(other))
            }
            Self::CountPresent { paths, least, most } => {
                let count = states::describe_count(paths.len(), (*least, *most));
                format!("{count} of {} must be set", listed_paths(paths, "and"))
            }
            Self::ForAll(path, inner) => {
                let items = items_noun(schema, path);
                format!("in each {items}, {}", inner.describe_demand(item_schema(schema, path)))
            }
            Self::RefersTo(from, to, _) => format!("{} must be among `{to}`", demanded_name(from)),
            Self::Stored(path, test) => test.describe(&demanded_name(path), is_map_at(schema, path)),
            Self::Cel(text) => {
                format!("the rule must hold: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Calls `visit` with the limit of each test that has one.
    pub(crate) fn visit_limits(&self, visit: &mut dyn FnMut(String)) {
        match self {
            Self::Passes(_, test) => test.describe_limit().into_iter().for_each(visit),
            Self::Compares(_, _, other, _) | Self::RefersTo(_, other, _) => visit(format!("`{other}`")),
            _ => self.children().iter().for_each(|one| one.visit_limits(visit)),
        }
    }
}

/// The requirement of a rule about the values at `scope`, in an object with this schema.
pub(crate) fn describe_rule(scope: &RulePath, condition: &Condition, schema: &Json) -> String {
    let demand = condition.describe_demand(schema_at(schema, scope).unwrap_or(&Json::Null));
    match describe_scope(scope, schema) {
        Some(scope) => format!("{scope}, {demand}"),
        None => demand,
    }
}

/// The values that a rule is about, such as ``in each item of `spec.ports` ``; `None` for the object.
pub(crate) fn describe_scope(scope: &RulePath, schema: &Json) -> Option<String> {
    Some(match scope.0.split_last()? {
        (PathStep::Each, list) => format!("in each {}", items_noun(schema, &RulePath(list.to_vec()))),
        _ => format!("in `{scope}`"),
    })
}

/// Alternatives: conditions under which a demand applies, and the demand.
fn describe_alternatives(any: &[Condition], schema: &Json) -> String {
    let (conditions, demands) = split_conditions(any);
    let demand = match (together_paths(&demands), demands.as_slice()) {
        (Some(paths), _) => format!("{} must be set together", listed_paths(&paths, "and")),
        (None, [one]) => one.describe_demand(schema),
        (None, several) => {
            let several = several.iter().map(|one| match one {
                Condition::All(all) if all.len() > 1 => format!("({})", one.describe_demand(schema)),
                one => one.describe_demand(schema),
            });
            several.collect::<Vec<_>>().join(" or ")
        }
    };
    match conditions.as_slice() {
        [] => demand,
        [Condition::Not(unless)] if matches!(**unless, Condition::Passes(..) | Condition::Compares(..)) => {
            format!("unless {}, {demand}", unless.describe_state(schema))
        }
        [one] => format!("if {}, {demand}", one.describe_state(schema)),
        several => {
            let all = Condition::All(several.iter().map(|one| (*one).clone()).collect());
            format!("if {}, {demand}", all.describe_state(schema))
        }
    }
}

/// The conditions of alternatives, which are the negations in front, and the demands. That a value is absent for which a demand tests
/// the value is left out: every test passes then.
fn split_conditions(any: &[Condition]) -> (Vec<&Condition>, Vec<&Condition>) {
    let is_tested = |path: &RulePath| {
        any.iter().any(|one| match one {
            Condition::Passes(of, _) => of == path,
            Condition::Not(fails) => matches!(&**fails, Condition::Passes(of, _) if of == path),
            Condition::Compares(one, _, other, _) => one == path || other == path,
            _ => false,
        })
    };
    let told: Vec<&Condition> = any.iter().filter(|one| !absent_path(one).is_some_and(is_tested)).collect();
    let leading = told.iter().take_while(|one| negated(one).is_some()).count();
    let leading = if leading == told.len() { leading.saturating_sub(1) } else { leading };
    let conditions = told.iter().take(leading).filter_map(|one| negated(one)).collect();
    (conditions, told.into_iter().skip(leading).collect())
}

fn negated(condition: &Condition) -> Option<&Condition> {
    match condition {
        Condition::Not(inner) => Some(inner),
        _ => None,
    }
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

/// Several demands as one sentence, which names a path once if they follow each other. Those about items come last, because what follows
/// is about the item.
fn join_demands(all: &[Condition], schema: &Json) -> String {
    let mut told = Vec::new();
    let mut subject = None;
    let (of_items, others): (Vec<&Condition>, Vec<&Condition>) =
        all.iter().partition(|one| matches!(one, Condition::ForAll(..)));
    for one in others {
        let path = demanded_path(one);
        let demand = one.describe_demand(schema);
        let named = path.filter(|_| path == subject).map(|path| format!("{} ", demanded_name(path)));
        let rest = named.and_then(|named| demand.strip_prefix(&named).map(str::to_owned));
        told.push(rest.unwrap_or(demand));
        subject = path;
    }
    let merged = merge_items(&of_items);
    told.extend(merged.iter().map(|one| one.describe_demand(schema)));
    told.join(" and ")
}

/// Demands about items with one for each list.
fn merge_items(of_items: &[&Condition]) -> Vec<Condition> {
    let mut merged: Vec<(&RulePath, Vec<Condition>)> = Vec::new();
    for one in of_items {
        let Condition::ForAll(list, inner) = one else { continue };
        match merged.iter_mut().find(|(known, _)| *known == list) {
            Some((_, inside)) => inside.push((**inner).clone()),
            None => merged.push((list, vec![(**inner).clone()])),
        }
    }
    let to_condition = |(list, mut inside): (&RulePath, Vec<Condition>)| {
        let inner = if inside.len() == 1 { inside.remove(0) } else { Condition::All(inside) };
        Condition::ForAll(list.clone(), Box::new(inner))
    };
    merged.into_iter().map(to_condition).collect()
}

/// The path of a condition about the value there and nothing else.
fn demanded_path(condition: &Condition) -> Option<&RulePath> {
    match condition {
        Condition::Present(path) | Condition::Passes(path, _) => Some(path),
        Condition::Not(inner) => match &**inner {
            Condition::Present(path) | Condition::Passes(path, _) => Some(path),
            _ => None,
        },
        Condition::Any(any) => match any.as_slice() {
            [absent, test] => demanded_path(test).filter(|path| absent_path(absent) == Some(*path)),
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
fn items_noun(schema: &Json, list: &RulePath) -> String {
    let noun = if is_map_at(schema, list) { "value" } else { "item" };
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
