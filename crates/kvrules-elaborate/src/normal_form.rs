//! Decides the meaning of a rule once: guards, absence, defaults, bounds, and comparisons.
//!
//! The text that this implements is `docs/internals/meaning.md`.

use std::collections::BTreeSet;
use std::sync::Arc;

use kvrules_ir::{
    AuthoredRule, BoundValue, Constraint, ElaboratedRule, EnumValue, Interval, OmissionCause, OmissionKind,
    OmittedRule, OmittedRuleContent, Operand, OperandRelation, Path, Place, Predicate, RegexPattern,
    Requirement, Rule, RuleSet, Selector, ValueTest,
};

use crate::{UnresolvedReason, catalog::Catalog, resolve_path};

/// Result of elaborating the rules of a set.
#[derive(Debug, Default)]
pub struct Elaboration {
    /// The rules whose meaning is decided.
    pub rules: Vec<ElaboratedRule>,
    /// The rules that cannot be expressed as predicates, with the cause.
    pub left_out: Vec<OmittedRule>,
    /// Each path that does not resolve, with its place and why.
    pub unresolved: Vec<(Path, UnresolvedReason)>,
}

/// Decides the meaning of each rule of a set, for objects with the catalog's fields.
pub fn elaborate_rule_set(set: &RuleSet, catalog: &Catalog) -> Elaboration {
    let mut elaboration = Elaboration { left_out: set.unread.clone(), ..Elaboration::default() };
    for rule in &set.rules {
        let mut context = ElaborationContext { catalog, unresolved: Vec::new() };
        match context.rule(rule) {
            Ok(rule) => elaboration.rules.push(rule),
            Err(cause) => {
                elaboration.left_out.push(OmittedRule {
                    name: rule.name.clone(),
                    cause,
                    content: OmittedRuleContent::Rule(Arc::clone(rule)),
                    origin: rule.origin,
                });
            }
        }
        elaboration.unresolved.append(&mut context.unresolved);
    }
    elaboration
}

/// One rule being elaborated.
struct ElaborationContext<'c> {
    catalog: &'c Catalog,
    unresolved: Vec<(Path, UnresolvedReason)>,
}

/// Demand on each value: tests of its place, and further conditions that do not depend on the value.
#[derive(Default)]
struct ValueDemand {
    tests: Vec<ValueTest>,
    comparisons: Vec<(Operand, OperandRelation, Operand)>,
    /// Alternatives to the tests: texts of the object itself that an enumeration allows.
    alternatives: Vec<(Operand, OperandRelation, Operand)>,
    /// Conditions on arguments that are paths, whatever the values are.
    arguments: Vec<Predicate>,
    compared_with: Vec<String>,
}

impl ElaborationContext<'_> {
    fn rule(&mut self, rule: &Arc<Rule>) -> Result<ElaboratedRule, OmissionCause> {
        let subject = self.selector(&rule.path);
        let guard = rule.guard.as_ref().map(|guard| self.selector(guard)).transpose();
        let (subject, guard) = (subject?, guard?);
        let demand = self.demand(rule, &subject)?;
        let applies = guard.as_ref().map_or(Predicate::True, require_value);
        let holds =
            Predicate::all_of(demand.arguments.iter().cloned().chain([every_value(&subject, &demand)]));
        Ok(ElaboratedRule {
            name: rule.name.clone(),
            message: rule.message.clone(),
            severity: rule.severity,
            predicate: Predicate::implication_of(applies.clone(), holds),
            applies,
            requirement: Requirement {
                subject,
                guard,
                tests: demand.tests,
                compared_with: demand.compared_with,
            },
            written: AuthoredRule(Some(Arc::clone(rule))),
            origin: rule.origin,
        })
    }

    fn selector(&mut self, path: &Path) -> Result<Selector, OmissionCause> {
        resolve_path(path, self.catalog).map_err(|unresolved| {
            let cause = unresolved_cause(path, &unresolved);
            self.unresolved.push((path.clone(), unresolved));
            cause
        })
    }

    fn demand(&mut self, rule: &Rule, subject: &Selector) -> Result<ValueDemand, OmissionCause> {
        let mut demand = ValueDemand::default();
        let leaf = || subject.leaf.clone();
        match &rule.constraint {
            Constraint::Integer { min, max } => {
                let interval =
                    self.interval(&mut demand, min.as_ref(), max.as_ref(), &|| Operand::Integer(leaf()))?;
                demand.tests.push(ValueTest::Integer(interval));
            }
            Constraint::String { min_length, max_length } => {
                let length = || Operand::Length(leaf());
                let interval =
                    self.interval(&mut demand, min_length.as_ref(), max_length.as_ref(), &length)?;
                demand.tests.push(ValueTest::Length(interval));
            }
            Constraint::Enum { values } => self.values(&mut demand, values, &leaf())?,
            Constraint::Regex { pattern, .. } => {
                demand.tests.push(ValueTest::Matches(RegexPattern(pattern.clone())));
            }
        }
        Ok(demand)
    }

    /// Bounds that are numbers become an interval; bounds that are paths become comparisons.
    fn interval(
        &mut self,
        demand: &mut ValueDemand,
        min: Option<&BoundValue>,
        max: Option<&BoundValue>,
        value: &dyn Fn() -> Operand,
    ) -> Result<Interval, OmissionCause> {
        let mut interval = Interval::default();
        match min {
            Some(BoundValue::Number(number)) => interval.min = Some(number.ceil().ok_or_else(too_large)?),
            Some(BoundValue::Path(path)) => self.compare(demand, value(), OperandRelation::AtLeast, path)?,
            None => {}
        }
        match max {
            Some(BoundValue::Number(number)) => interval.max = Some(number.floor().ok_or_else(too_large)?),
            Some(BoundValue::Path(path)) => self.compare(demand, value(), OperandRelation::AtMost, path)?,
            None => {}
        }
        Ok(interval)
    }

    fn compare(
        &mut self,
        demand: &mut ValueDemand,
        value: Operand,
        relation: OperandRelation,
        path: &Path,
    ) -> Result<(), OmissionCause> {
        let place = self.one_place(path)?;
        demand.arguments.push(test_predicate(&place, ValueTest::Integer(Interval::default())));
        demand.compared_with.push(path.text.clone());
        demand.comparisons.push((value, relation, Operand::Integer(place)));
        Ok(())
    }

    fn values(
        &mut self,
        demand: &mut ValueDemand,
        values: &[EnumValue],
        leaf: &Place,
    ) -> Result<(), OmissionCause> {
        let mut texts = BTreeSet::new();
        for value in values {
            match value {
                EnumValue::Text(text) => {
                    texts.insert(text.clone());
                }
                EnumValue::Path(path) => {
                    let place = self.one_place(path)?;
                    demand.arguments.push(test_predicate(&place, ValueTest::Length(Interval::default())));
                    demand.compared_with.push(path.text.clone());
                    let (own, other) = (Operand::Text(leaf.clone()), Operand::Text(place));
                    demand.alternatives.push((own, OperandRelation::Equal, other));
                }
            }
        }
        demand.tests.push(ValueTest::OneOf(texts));
        Ok(())
    }

    /// The place of an argument: it must be one and not many.
    fn one_place(&mut self, path: &Path) -> Result<Place, OmissionCause> {
        let selector = self.selector(path)?;
        if selector.lists.is_empty() {
            return Ok(selector.leaf);
        }
        let text = format!("the argument `{}` can yield more than one value", path.text);
        Err(OmissionCause::new(OmissionKind::ManyValues, text))
    }
}

fn too_large() -> OmissionCause {
    OmissionCause::unreadable_rule("a bound has more than ten thousand digits")
}

fn unresolved_cause(path: &Path, unresolved: &UnresolvedReason) -> OmissionCause {
    let text = &path.text;
    match unresolved {
        UnresolvedReason::UnknownField { name, .. } => OmissionCause::new(
            OmissionKind::UnknownField,
            format!("`{text}` names the unknown field `{name}`"),
        ),
        UnresolvedReason::NotAList { parent, .. } => {
            OmissionCause::new(OmissionKind::UnknownField, format!("`{parent}` in `{text}` is not a list"))
        }
        UnresolvedReason::Unsupported { construct, .. } => {
            OmissionCause::new(OmissionKind::PathConstruct, format!("`{text}` uses {construct}"))
        }
    }
}

/// Requires at least one value.
fn require_value(selector: &Selector) -> Predicate {
    quantify(selector, Predicate::presence_of(selector.leaf.clone()), Predicate::some_element)
}

/// Requires a value, and that every value meets the demand.
fn every_value(selector: &Selector, demand: &ValueDemand) -> Predicate {
    let met = demand_predicate(&selector.leaf, demand);
    if selector.lists.is_empty() {
        // A test fails without a value, so it also requires the value.
        return met;
    }
    let each = Predicate::implication_of(Predicate::presence_of(selector.leaf.clone()), met);
    Predicate::all_of([require_value(selector), quantify(selector, each, Predicate::each_element)])
}

/// The value at `leaf` meets the demand. Arguments start at the root, which no quantifier moves.
fn demand_predicate(leaf: &Place, demand: &ValueDemand) -> Predicate {
    let compared = |(left, relation, right): &(Operand, OperandRelation, Operand)| Predicate::Compare {
        left: left.clone(),
        relation: *relation,
        right: right.clone(),
    };
    let tests = Predicate::all_of(demand.tests.iter().map(|test| test_predicate(leaf, test.clone())));
    let tests = Predicate::any_of(std::iter::once(tests).chain(demand.alternatives.iter().map(compared)));
    Predicate::all_of(std::iter::once(tests).chain(demand.comparisons.iter().map(compared)))
}

fn test_predicate(place: &Place, test: ValueTest) -> Predicate {
    match &test {
        // Objects and lists have no text to test.
        _ if !place.value_type.is_scalar() => Predicate::False,
        ValueTest::OneOf(values) if values.is_empty() => Predicate::False,
        ValueTest::Integer(interval) | ValueTest::Length(interval) if interval.is_empty() => Predicate::False,
        _ => Predicate::Test { place: place.clone(), test },
    }
}

/// Wraps the predicate of one value in the lists that lead to it.
fn quantify(selector: &Selector, inner: Predicate, wrap: fn(Place, Predicate) -> Predicate) -> Predicate {
    selector.lists.iter().rev().fold(inner, |inner, list| wrap(list.clone(), inner))
}
