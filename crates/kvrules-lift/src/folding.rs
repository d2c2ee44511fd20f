//! What is known of a formula without a value: comparisons of constants, and tests of texts that are parts of each other by their form.

use std::collections::HashSet;

use kvrules_cel::value::Value;
use kvrules_ir::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};

use crate::atoms::still_defined;
use crate::evaluate::FormulaScope;

/// Integers beyond which a server rounds them to compare them with numbers.
const MOST_EXACT: u64 = 1 << 53;

/// The formula with the answers of what depends on no value.
pub(crate) fn fold_formula(formula: &Formula) -> Formula {
    let of_loop = |it: &Quantification| {
        let range = fold_term(&it.range);
        Box::new(Quantification { range, entry: it.entry, holds: fold_formula(&it.holds) })
    };
    match formula {
        Formula::True | Formula::False => formula.clone(),
        Formula::All(parts) => Formula::all_of(parts.iter().map(fold_formula)),
        Formula::Any(parts) => Formula::any_of(parts.iter().map(fold_formula)),
        Formula::Not(inner) => Formula::negation_of(fold_formula(inner)),
        Formula::Each(it) => Formula::Each(of_loop(it)),
        Formula::Some(it) => Formula::Some(of_loop(it)),
        Formula::Defined(term) if matches!(term, Term::Call(_)) && is_closed(term) => {
            truth(FormulaScope::new().value_of(term).is_some())
        }
        Formula::Defined(term) => still_defined(fold_term(term)),
        Formula::Compare { left, relation, right } => fold_comparison(formula, left, *relation, right),
    }
}

fn truth(holds: bool) -> Formula {
    if holds { Formula::True } else { Formula::False }
}

fn fold_comparison(formula: &Formula, left: &Term, relation: TermRelation, right: &Term) -> Formula {
    if is_closed(left) && is_closed(right) {
        let scope = FormulaScope::new();
        let values = [left, right].map(|term| scope.value_of(term));
        return if has_order(&values, relation) {
            truth(scope.formula_holds(formula))
        } else {
            formula.clone()
        };
    }
    let (left, right) = (fold_term(left), fold_term(right));
    if let (Term::Call(test), TermRelation::Equal, Term::Constant(Constant::Boolean(wanted))) =
        (&left, relation, &right)
        && let Some(holds) = answer_of_test(test)
    {
        return if holds == *wanted { Formula::Defined(left) } else { Formula::False };
    }
    Formula::comparison_of(left, relation, right)
}

/// False for an order in which implementations of the language differ: with what is not a number, and between integers that a server
/// rounds and numbers. Nothing is claimed of those.
fn has_order(values: &[Option<Value>; 2], relation: TermRelation) -> bool {
    if matches!(relation, TermRelation::Equal | TermRelation::NotEqual) {
        return !matches!(
            values,
            [Some(Value::Int(_)), Some(Value::Double(_))] | [Some(Value::Double(_)), Some(Value::Int(_))]
        );
    }
    match values {
        [Some(Value::Int(number)), Some(Value::Double(other))]
        | [Some(Value::Double(other)), Some(Value::Int(number))] => {
            !other.is_nan() && number.unsigned_abs() < MOST_EXACT
        }
        [Some(Value::Double(one)), Some(Value::Double(other))] => !one.is_nan() && !other.is_nan(),
        _ => true,
    }
}

/// True for a term that names no value that a rule is given, and no entry of a loop around it.
fn is_closed(term: &Term) -> bool {
    let (mut bound, mut used, mut has_root) = (HashSet::new(), HashSet::new(), false);
    term.visit_terms(&mut |part| match part {
        Term::Root(_) => has_root = true,
        Term::Variable(variable) => {
            used.insert(*variable);
        }
        Term::Collect(it) => bind(it, &mut bound),
        _ => {}
    });
    !has_root && used.is_subset(&bound)
}

fn bind(it: &Collection, bound: &mut HashSet<VariableId>) {
    let mut add = |entry: EntryVariables| bound.extend([entry.key, entry.value].into_iter().flatten());
    add(it.entry);
    for formula in [&it.selected, &it.left_out] {
        formula.visit_formulas(&mut |part| {
            if let Formula::Each(inner) | Formula::Some(inner) = part {
                add(inner.entry);
            }
        });
    }
}

/// The term with the values of functions of constants.
fn fold_term(term: &Term) -> Term {
    match term {
        Term::Constant(_) | Term::Root(_) | Term::Variable(_) => term.clone(),
        Term::Field(of, name) => fold_term(of).with_field(name.clone()),
        Term::Index(of, key) => Term::Index(Box::new(fold_term(of)), Box::new(fold_term(key))),
        Term::List(items) => Term::List(items.iter().map(fold_term).collect()),
        Term::Tally(parts) => Term::Tally(parts.iter().map(fold_formula).collect()),
        Term::Collect(it) => Term::Collect(Box::new(Collection {
            range: fold_term(&it.range),
            entry: it.entry,
            selected: fold_formula(&it.selected),
            left_out: fold_formula(&it.left_out),
            result: fold_term(&it.result),
        })),
        Term::Call(call) => fold_call(call),
    }
}

fn fold_call(call: &TermCall) -> Term {
    let arguments: Vec<Term> = call.arguments.iter().map(fold_term).collect();
    if let ("size", [Term::Call(sum)]) = (call.function.as_str(), arguments.as_slice())
        && let Some(sizes) = size_of_joined_text(sum)
    {
        return sizes;
    }
    let is_constant = !arguments.is_empty() && arguments.iter().all(|it| matches!(it, Term::Constant(_)));
    let folded = Term::Call(TermCall { arguments, ..call.clone() });
    let value = is_constant.then(|| FormulaScope::new().value_of(&folded)).flatten();
    value.and_then(constant_of).map_or(folded, Term::Constant)
}

fn constant_of(value: Value) -> Option<Constant> {
    Some(match value {
        Value::Bool(value) => Constant::Boolean(value),
        Value::Int(value) => Constant::Integer(value),
        Value::Double(value) => Constant::Float(value),
        Value::String(text) => Constant::Text(text.to_string()),
        _ => return None,
    })
}

/// The answer of a test of a text whose form decides it, wherever the test has one.
fn answer_of_test(call: &TermCall) -> Option<bool> {
    let [text, part] = call.arguments.as_slice() else { return None };
    let (parts, wanted) = (summands(text), summands(part));
    let (starts, ends) = (parts.starts_with(&wanted), parts.ends_with(&wanted));
    let holds = match call.function.as_str() {
        "startsWith" => starts,
        "endsWith" => ends,
        "contains" => starts || ends || parts.windows(wanted.len().max(1)).any(|some| some == wanted),
        _ => return None,
    };
    let is_empty = |it: &Term| matches!(it, Term::Constant(Constant::Text(text)) if text.is_empty());
    if holds || wanted.iter().all(is_empty) {
        return Some(true);
    }
    // A text with more in it is part of no shorter one.
    let rest = [wanted.strip_prefix(parts.as_slice()), wanted.strip_suffix(parts.as_slice())];
    rest.into_iter().flatten().any(has_written_text).then_some(false)
}

/// The size of a text that is joined of others: the sum of their sizes.
fn size_of_joined_text(sum: &TermCall) -> Option<Term> {
    let parts = summands(&Term::Call(sum.clone()));
    let is_text = parts.len() > 1 && parts.iter().any(|it| matches!(it, Term::Constant(Constant::Text(_))));
    let size = |part: Term| match part {
        Term::Constant(Constant::Text(text)) => {
            let size = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            Term::Constant(Constant::Integer(size))
        }
        part => Term::size_of(part),
    };
    let add = |sum: Term, size: Term| Term::call_of("+", false, vec![sum, size]);
    is_text.then(|| parts.into_iter().map(size).reduce(add)).flatten()
}

/// The terms that a sum joins, in their order.
fn summands(term: &Term) -> Vec<Term> {
    match term {
        Term::Call(TermCall { function, arguments, .. }) if function == "+" => {
            arguments.iter().flat_map(summands).collect()
        }
        term => vec![term.clone()],
    }
}

fn has_written_text(parts: &[Term]) -> bool {
    parts.iter().any(|it| matches!(it, Term::Constant(Constant::Text(text)) if !text.is_empty()))
}
