//! The sense of a rule: whether objects can pass it, violate it, or end it in an error.

use std::borrow::Cow;
use std::sync::Arc;

use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::{ErrorKind, Value, from_schema};
use kvrules_ir::{Constant, Formula, Term, TermRelation};
use serde_json::Value as Json;

use crate::atoms::replace_term;
use crate::decide::{Conversions, Decider, Satisfiability};
use crate::facts::allowed_values;
use crate::rules::DefinitionRule;
use crate::state::LiftedExpression;
use crate::synthesise::RuleValues;

/// The sense of a rule for the objects that its schema accepts. What is not known is false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSense {
    /// Every object passes.
    pub is_always_true: bool,
    /// No object passes.
    pub is_never_true: bool,
    /// Evaluation may end in an error because a field or a key is missing; a witness has to show that it does.
    pub may_fail: bool,
    /// The comparisons with values that the enum of a field does not have: the path, and the value.
    pub unknown_values: Vec<(String, String)>,
}

/// Examines the formulas of a rule.
pub fn examine_rule(rule: &DefinitionRule, formulas: &LiftedExpression) -> RuleSense {
    let schema = &rule.schema;
    let formulas = with_constant_fields(rule, formulas);
    let formulas = formulas.as_ref();
    let mut decider = Decider::new(schema);
    let [holds, fails] =
        [&formulas.holds, &formulas.fails].map(|formula| decider.add_formula(formula, Conversions::MayFail));
    let mut is_never = |proposition| decider.can_hold(proposition) == Satisfiability::Never;
    let (is_never_true, never_fails) = (is_never(holds), is_never(fails));
    RuleSense {
        is_never_true,
        is_always_true: never_fails && !may_fail(formulas, &mut decider, Conversions::MayFail),
        may_fail: may_fail(formulas, &mut decider, Conversions::Succeed),
        unknown_values: unknown_values(formulas, schema),
    }
}

/// True if the evaluation of a rule may end in an error for a value that its schema accepts; false is a proof.
pub fn may_end_in_error(rule: &DefinitionRule, formulas: &LiftedExpression) -> bool {
    may_fail(formulas, &mut Decider::new(&rule.schema), Conversions::MayFail)
}

/// True if a rule may end in an error for a value of its schema, or a loop of it for an entry.
fn may_fail<'a>(formulas: &'a LiftedExpression, decider: &mut Decider<'a>, conversions: Conversions) -> bool {
    if may_be_undecided([&formulas.holds, &formulas.fails], decider, conversions) {
        return true;
    }
    let mut loops = Vec::new();
    collect_loops(&formulas.holds, &mut loops);
    collect_loops(&formulas.fails, &mut loops);
    let mut entries = Vec::new();
    for it in &loops {
        if !entries.contains(&it.entry) {
            entries.push(it.entry);
        }
    }
    entries.into_iter().any(|entry| {
        // `each` and `some` of one loop are the two sides of its body.
        let sides = loops.iter().filter(|it| it.entry == entry).map(|it| &it.holds);
        may_be_undecided(sides, decider, conversions)
    })
}

/// True if none of some formulas need hold.
fn may_be_undecided<'a>(
    sides: impl IntoIterator<Item = &'a Formula>,
    decider: &mut Decider<'a>,
    conversions: Conversions,
) -> bool {
    let sides: Vec<_> = sides.into_iter().map(|side| decider.add_formula(side, conversions)).collect();
    let one_holds = decider.any_of(sides);
    let none_holds = decider.negation_of(one_holds);
    decider.can_hold(none_holds) == Satisfiability::Perhaps
}

/// The formulas with the values that no update changes in place of the stored ones.
fn with_constant_fields<'f>(
    rule: &DefinitionRule,
    formulas: &'f LiftedExpression,
) -> Cow<'f, LiftedExpression> {
    if rule.source.optional_old_self || rule.constant_fields.is_empty() {
        return Cow::Borrowed(formulas);
    }
    let value = |root: &str, way: &[String]| {
        way.iter().fold(Term::Root(root.to_owned()), |term, name| term.with_field(name.clone()))
    };
    let replace = |formulas: LiftedExpression, way: &Vec<String>| {
        let (old, new) = (value("oldSelf", way), value("self", way));
        let replace = |formula: &Formula| replace_term(formula, &old, &new);
        LiftedExpression { holds: replace(&formulas.holds), fails: replace(&formulas.fails) }
    };
    Cow::Owned(rule.constant_fields.iter().fold(formulas.clone(), replace))
}

fn collect_loops<'f>(formula: &'f Formula, loops: &mut Vec<&'f kvrules_ir::Quantification>) {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| collect_loops(part, loops)),
        Formula::Not(inner) => collect_loops(inner, loops),
        Formula::Each(it) | Formula::Some(it) => {
            loops.push(it);
            collect_loops(&it.holds, loops);
        }
        _ => {}
    }
}

/// The comparisons of a field with texts that its enum does not have.
fn unknown_values(formulas: &LiftedExpression, schema: &Json) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect_unknown(&formulas.holds, schema, &mut found);
    collect_unknown(&formulas.fails, schema, &mut found);
    found
}

fn collect_unknown(formula: &Formula, schema: &Json, found: &mut Vec<(String, String)>) {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            for part in parts {
                collect_unknown(part, schema, found);
            }
        }
        Formula::Not(inner) => collect_unknown(inner, schema, found),
        Formula::Compare {
            left,
            relation: TermRelation::Equal | TermRelation::NotEqual,
            right: Term::Constant(constant @ Constant::Text(text)),
        } => {
            let Some((path, node)) = node_of_path(left, schema) else { return };
            let Some(allowed) = allowed_values(Some(node)) else { return };
            let is_unknown =
                !allowed.contains(constant) && matches!(allowed.first(), Some(Constant::Text(_)));
            let entry = (path, text.clone());
            if is_unknown && !found.contains(&entry) {
                found.push(entry);
            }
        }
        _ => {}
    }
}

/// The path and the schema of a field of `self`.
fn node_of_path<'s>(term: &Term, schema: &'s Json) -> Option<(String, &'s Json)> {
    match term {
        Term::Root(name) if name == "self" => Some((name.clone(), schema)),
        Term::Field(of, name) => {
            let (path, node) = node_of_path(of, schema)?;
            Some((format!("{path}.{name}"), node.get("properties")?.get(name)?))
        }
        _ => None,
    }
}

/// A value for which a rule ends in an error, and the error.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleFailure {
    /// The value, as people would write it.
    pub value: Json,
    /// The server's text.
    pub error: String,
}

/// Number of values that are tried to make a rule end in an error.
const TRIES: usize = 60;

/// Looks for values that end a rule in an error because something is missing, and that `is_accepted` does not reject for another reason.
pub fn find_failure(
    rule: &DefinitionRule,
    expression: &Expression,
    formulas: &LiftedExpression,
    is_accepted: &mut dyn FnMut(&Json) -> bool,
) -> Option<RuleFailure> {
    let mut values = RuleValues::new(rule, formulas);
    (0..TRIES).find_map(|index| {
        let value = values.make_value(index);
        // Most values end in no error, and then whether the server runs the rule does not matter.
        let decoded = values.decoded(&value)?;
        let error = evaluation_error(rule, expression, &decoded)?;
        (values.stored(&value).is_some() && is_accepted(&value)).then_some(RuleFailure { value, error })
    })
}

fn evaluation_error(rule: &DefinitionRule, expression: &Expression, value: &Json) -> Option<String> {
    let shape = ExpressionShape::Schema(&rule.schema);
    let mut scope = Scope::default();
    scope.variables.insert("self", (from_schema(value, &rule.schema), shape));
    if rule.source.optional_old_self {
        scope.variables.insert("oldSelf", (Value::Optional(None::<Arc<Value>>), shape));
    }
    let error = evaluate_expression(expression, &scope, CALL_LIMIT).result.err()?;
    let text = error.to_string();
    // A text that is no quantity is refused on purpose.
    let is_absent = error.kind != ErrorKind::Cancelled && text.starts_with("no such key");
    is_absent.then_some(text)
}
