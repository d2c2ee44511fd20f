//! Terms and formulas as texts that are equal for equal meanings: the names of bound variables do not count, nor the order of the sides
//! of an equality.

use std::collections::HashMap;

use kvrules_ir::{Constant, EntryVariables, Formula, Quantification, Term, TermRelation, VariableId};

/// The texts of variables.
type BoundKeys = HashMap<VariableId, String>;

pub(super) fn term_key(term: &Term) -> String {
    key(term, &BoundKeys::new(), 0)
}

/// The key of a formula about an entry, of which it names the key alone.
pub(super) fn entry_key(formula: &Formula, entry: EntryVariables) -> String {
    formula_key(formula, &with_entry(&BoundKeys::new(), entry, "", 0), 1)
}

/// True for the constant that selects all entries.
fn selects_all(formula: &Formula) -> bool {
    *formula == Formula::True
}

fn with_entry(bound: &BoundKeys, entry: EntryVariables, range: &str, depth: usize) -> BoundKeys {
    let mut bound = bound.clone();
    bound.extend(entry.key.map(|key| (key, format!("#{depth}"))));
    bound.extend(entry.value.map(|value| (value, format!("{range}[#{depth}]"))));
    bound
}

fn key(term: &Term, bound: &BoundKeys, depth: usize) -> String {
    let of = |term: &Term| key(term, bound, depth);
    let all = |terms: &[Term]| terms.iter().map(of).collect::<Vec<_>>().join(", ");
    match term {
        Term::Constant(Constant::Float(number)) => format!("float {}", number.to_bits()),
        Term::Constant(constant) => format!("{constant:?}"),
        Term::Root(name) => name.clone(),
        Term::Variable(variable) => {
            bound.get(variable).cloned().unwrap_or_else(|| format!("?{}", variable.0))
        }
        Term::Field(object, name) => format!("{}.{name:?}", of(object)),
        Term::Index(list, at) => format!("{}[{}]", of(list), of(at)),
        Term::Call(call) => {
            let mut arguments: Vec<&Term> = call.arguments.iter().collect();
            // A list with an entry for each of another has its size.
            while let ("size", [Term::Collect(it)]) = (call.function.as_str(), arguments.as_slice())
                && selects_all(&it.selected)
            {
                arguments = vec![&it.range];
            }
            let member = if call.is_member && call.function != "size" { "." } else { "" };
            let arguments: Vec<String> = arguments.into_iter().map(of).collect();
            format!("{member}{}({})", call.function, arguments.join(", "))
        }
        Term::List(items) => format!("list({})", all(items)),
        Term::Tally(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| formula_key(part, bound, depth)).collect();
            format!("tally({})", parts.join(", "))
        }
        Term::Collect(it) => {
            let range = of(&it.range);
            let inner = with_entry(bound, it.entry, &range, depth);
            let [selected, left_out] =
                [&it.selected, &it.left_out].map(|part| formula_key(part, &inner, depth + 1));
            format!("collect({range}; {selected}; {left_out}; {})", key(&it.result, &inner, depth + 1))
        }
    }
}

fn formula_key(formula: &Formula, bound: &BoundKeys, depth: usize) -> String {
    let parts = |parts: &[Formula]| {
        parts.iter().map(|part| formula_key(part, bound, depth)).collect::<Vec<_>>().join(", ")
    };
    let of_loop = |it: &Quantification| {
        let range = key(&it.range, bound, depth);
        let inner = with_entry(bound, it.entry, &range, depth);
        format!("({range}; {})", formula_key(&it.holds, &inner, depth + 1))
    };
    match formula {
        Formula::True => "true".to_owned(),
        Formula::False => "false".to_owned(),
        Formula::All(all) => format!("all({})", parts(all)),
        Formula::Any(any) => format!("any({})", parts(any)),
        Formula::Not(inner) => format!("not({})", formula_key(inner, bound, depth)),
        Formula::Defined(term) => format!("defined({})", key(term, bound, depth)),
        Formula::Compare { left, relation, right } => {
            let (mut left, mut right) = (key(left, bound, depth), key(right, bound, depth));
            if matches!(relation, TermRelation::Equal | TermRelation::NotEqual) && right < left {
                std::mem::swap(&mut left, &mut right);
            }
            format!("({left} {} {right})", relation.symbol())
        }
        Formula::Each(it) => format!("each{}", of_loop(it)),
        Formula::Some(it) => format!("some{}", of_loop(it)),
    }
}
