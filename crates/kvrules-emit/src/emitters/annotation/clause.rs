//! The requirements of a RuleSet's rule, each of which one rule of the annotation may express.

use kvrules_rule_set::{AuthoredRule, Comparison, Condition, PathStep, RulePath, ValueTest};

/// A requirement on the values at a path.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// Paths that all have values if the requirement applies.
    pub(super) guards: Vec<RulePath>,
    /// The path, from the object.
    pub(super) subject: RulePath,
    pub(super) demand: Demand,
}

/// The requirement on each value.
#[derive(Clone, Debug)]
pub(super) enum Demand {
    /// There is one.
    Value,
    /// It passes a test.
    Test(ValueTest),
    /// It compares so with the value at another path.
    Comparison(Comparison, RulePath),
}

/// Splits the condition of a rule.
///
/// # Errors
///
/// The part that no rule of the annotation expresses, as a cause.
pub(super) fn split_rule(rule: &AuthoredRule) -> Result<Vec<Clause>, String> {
    let guards =
        if rule.scope.0.is_empty() || rule.scope.has_each() { vec![] } else { vec![rule.scope.clone()] };
    let mut splitter = Splitter { clauses: Vec::new() };
    splitter.split(&rule.condition, &rule.scope, &guards)?;
    Ok(join_presence(&splitter.clauses))
}

/// Joins the requirement of a value with that on the value: a rule of the annotation without `valid` requires both.
fn join_presence(clauses: &[Clause]) -> Vec<Clause> {
    let mut joined: Vec<Clause> = Vec::new();
    let required: Vec<Clause> =
        clauses.iter().filter(|clause| matches!(clause.demand, Demand::Value)).cloned().collect();
    let is_required = |clause: &Clause, required: &Clause| {
        let mut guards = required.guards.clone();
        guards.push(clause.subject.clone());
        required.subject == clause.subject && clause.guards == guards
    };
    for clause in clauses {
        let has_test = |other: &Clause| !matches!(other.demand, Demand::Value) && is_required(other, clause);
        match required.iter().find(|required| is_required(clause, required)) {
            _ if matches!(clause.demand, Demand::Value) && clauses.iter().any(has_test) => {}
            Some(required) => joined.push(Clause { guards: required.guards.clone(), ..clause.clone() }),
            None => joined.push(clause.clone()),
        }
    }
    joined
}

struct Splitter {
    clauses: Vec<Clause>,
}

impl Splitter {
    /// Splits a condition about the values at a path, which applies if other paths have values.
    fn split(&mut self, condition: &Condition, at: &RulePath, guards: &[RulePath]) -> Result<(), String> {
        let mut add = |path: &RulePath, demand: Demand| {
            self.clauses.push(Clause { guards: guards.to_vec(), subject: at.join_path(path), demand });
            Ok(())
        };
        let cause = match condition {
            Condition::All(parts) => return parts.iter().try_for_each(|part| self.split(part, at, guards)),
            Condition::Any(parts) => return self.split_alternatives(parts, at, guards),
            Condition::ForAll(list, inner) => {
                let items = at.join_path(list).join_path(&RulePath(vec![PathStep::Each]));
                return self.split(inner, &items, guards);
            }
            Condition::Present(path) => return add(path, Demand::Value),
            Condition::Passes(path, test) => return add(path, Demand::Test(test.clone())),
            Condition::Compares(one, how, other, _) => {
                return add(one, Demand::Comparison(*how, at.join_path(other)));
            }
            Condition::Not(_) => "no rule of the annotation forbids a value",
            Condition::CountItems(..) => "no rule of the annotation counts items for which something is so",
            Condition::CountPresent { .. } => "no rule of the annotation counts the fields that are set",
            Condition::RefersTo(..) => "no rule of the annotation compares the items of two lists",
            Condition::Stored(..) => "rules of the annotation do not know the stored object",
            Condition::Cel(_) => "the annotation has no expressions in CEL",
        };
        Err(cause.to_owned())
    }

    /// Splits alternatives: paths that have no value, and one requirement.
    fn split_alternatives(
        &mut self,
        parts: &[Condition],
        at: &RulePath,
        guards: &[RulePath],
    ) -> Result<(), String> {
        let (mut guards, mut demands) = (guards.to_vec(), Vec::new());
        for part in parts {
            match part {
                Condition::Not(_) if is_denial(parts) => {}
                Condition::Not(inner) => add_guards(inner, at, &mut guards)?,
                demand => demands.push(demand),
            }
        }
        match demands.as_slice() {
            [demand] => self.split(demand, at, &guards),
            [] if is_denial(parts) => Err("no rule of the annotation excludes values".to_owned()),
            [] => Err("no rule of the annotation forbids a value".to_owned()),
            _ => Err("no rule of the annotation has alternatives".to_owned()),
        }
    }
}

/// True for a test that a value must fail.
fn is_denial(parts: &[Condition]) -> bool {
    let is_test =
        |part: &Condition| matches!(part, Condition::Not(inner) if matches!(**inner, Condition::Passes(..)));
    parts.last().is_some_and(is_test) && parts.iter().all(|part| matches!(part, Condition::Not(_)))
}

/// Adds the paths that have values if a condition holds, which requires nothing else.
fn add_guards(condition: &Condition, at: &RulePath, guards: &mut Vec<RulePath>) -> Result<(), String> {
    match condition {
        Condition::Present(path) => guards.push(at.join_path(path)),
        Condition::All(parts) => return parts.iter().try_for_each(|part| add_guards(part, at, guards)),
        _ => return Err("`valid` of the annotation tests only if a path has a value".to_owned()),
    }
    Ok(())
}
