//! A plain evaluator of expressions in CEL, with three outcomes: a value, or an error, where a value may be true or false. It
//! follows the specification of CEL and shares no code with kvrules.

use std::cmp::Ordering;
use std::rc::Rc;

use super::expression::{Expr, Function, Macro, Op};
use super::value::{Val, read_duration, read_quantity};

/// The expression ends in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

/// Outcome of a rule for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    True,
    False,
    Error,
    /// A rule about updates, at a creation.
    Skipped,
}

impl Outcome {
    /// True if the rule does not reject the value.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Self::True | Self::Skipped)
    }
}

/// The variables that an expression sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    variables: Vec<(String, Val)>,
}

impl Scope {
    pub(crate) fn of(variables: Vec<(String, Val)>) -> Self {
        Self { variables }
    }

    /// Adds a variable of a loop.
    pub(crate) fn with_variable(&self, name: &str, value: Val) -> Self {
        let mut scope = self.clone();
        scope.variables.push((name.to_owned(), value));
        scope
    }

    fn find(&self, name: &str) -> Result<&Val, Failed> {
        self.variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value).ok_or(Failed)
    }
}

/// Evaluates a rule.
pub(crate) fn evaluate_rule(rule: &Expr, scope: &mut Scope) -> Outcome {
    match evaluate(rule, scope) {
        Ok(Val::Bool(true)) => Outcome::True,
        Ok(Val::Bool(false)) => Outcome::False,
        _ => Outcome::Error,
    }
}

/// Evaluates an expression.
pub(crate) fn evaluate(expr: &Expr, scope: &mut Scope) -> Result<Val, Failed> {
    match expr {
        Expr::Lit(value) => Ok(value.clone()),
        Expr::List(items) => {
            let items: Result<Vec<Val>, Failed> = items.iter().map(|item| evaluate(item, scope)).collect();
            Ok(Val::List(items?.into()))
        }
        Expr::Var(name) if matches!(name.as_str(), "int" | "string" | "null_type") => Ok(Val::text(name)),
        Expr::Var(name) => scope.find(name).cloned(),
        Expr::Field(target, field) => evaluate(target, scope)?.field(field).cloned().ok_or(Failed),
        Expr::Has(target, field) => match evaluate(target, scope)? {
            target @ Val::Map(_) => Ok(Val::Bool(target.field(field).is_some())),
            // cel-go, interpreter/attributes.go, refQualify: a test for presence finds nothing in null.
            Val::Null => Ok(Val::Bool(false)),
            _ => Err(Failed),
        },
        Expr::Index(target, index) => match (evaluate(target, scope)?, evaluate(index, scope)?) {
            (Val::List(items), Val::Int(index)) => {
                usize::try_from(index).ok().and_then(|index| items.get(index).cloned()).ok_or(Failed)
            }
            (target @ Val::Map(_), Val::Str(key)) => target.field(&key).cloned().ok_or(Failed),
            _ => Err(Failed),
        },
        Expr::Not(inner) => match evaluate(inner, scope)? {
            Val::Bool(value) => Ok(Val::Bool(!value)),
            _ => Err(Failed),
        },
        Expr::Neg(inner) => match evaluate(inner, scope)? {
            Val::Int(value) => value.checked_neg().map(Val::Int).ok_or(Failed),
            Val::Double(value) => Ok(Val::Double(-value)),
            _ => Err(Failed),
        },
        Expr::Bin(Op::Or, left, right) => either(expr_truth(left, scope), expr_truth(right, scope), true),
        Expr::Bin(Op::And, left, right) => either(expr_truth(left, scope), expr_truth(right, scope), false),
        Expr::Bin(op, left, right) => {
            let (left, right) = (evaluate(left, scope)?, evaluate(right, scope)?);
            binary(*op, &left, &right)
        }
        Expr::Cond(test, one, other) => match evaluate(test, scope)? {
            Val::Bool(true) => evaluate(one, scope),
            Val::Bool(false) => evaluate(other, scope),
            _ => Err(Failed),
        },
        Expr::Call(function, args) => {
            let args: Result<Vec<Val>, Failed> = args.iter().map(|arg| evaluate(arg, scope)).collect();
            call(*function, &args?)
        }
        Expr::Macro(kind, range, variable, body) => {
            let entries: Vec<Val> = match evaluate(range, scope)? {
                Val::List(items) => items.to_vec(),
                Val::Map(entries) => entries.iter().map(|(key, _)| Val::Str(Rc::clone(key))).collect(),
                _ => return Err(Failed),
            };
            comprehension(*kind, entries, variable, body, scope)
        }
        Expr::OrValue(target, field, default) => match evaluate(target, scope)?.field(field) {
            Some(value) => Ok(value.clone()),
            None => evaluate(default, scope),
        },
    }
}

fn expr_truth(expr: &Expr, scope: &mut Scope) -> Result<bool, Failed> {
    match evaluate(expr, scope)? {
        Val::Bool(value) => Ok(value),
        _ => Err(Failed),
    }
}

/// `||` and `&&`: one side that decides does so although the other one fails.
fn either(left: Result<bool, Failed>, right: Result<bool, Failed>, decisive: bool) -> Result<Val, Failed> {
    if left == Ok(decisive) || right == Ok(decisive) {
        return Ok(Val::Bool(decisive));
    }
    left.and(right).map(Val::Bool)
}

fn binary(op: Op, left: &Val, right: &Val) -> Result<Val, Failed> {
    let truth = match op {
        Op::Eq => left.equals(right),
        Op::Ne => !left.equals(right),
        Op::Lt => left.compare(right).ok_or(Failed)? == Ordering::Less,
        Op::Le => left.compare(right).ok_or(Failed)? != Ordering::Greater,
        Op::Gt => left.compare(right).ok_or(Failed)? == Ordering::Greater,
        Op::Ge => left.compare(right).ok_or(Failed)? != Ordering::Less,
        Op::In => match (left, right) {
            (_, Val::List(items)) => items.iter().any(|item| item.equals(left)),
            (Val::Str(key), Val::Map(_)) => right.field(key).is_some(),
            _ => return Err(Failed),
        },
        _ => return arithmetic(op, left, right),
    };
    Ok(Val::Bool(truth))
}

fn arithmetic(op: Op, left: &Val, right: &Val) -> Result<Val, Failed> {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => {
            let result = match op {
                Op::Add => left.checked_add(*right),
                Op::Sub => left.checked_sub(*right),
                Op::Mul => left.checked_mul(*right),
                Op::Div => left.checked_div(*right),
                Op::Mod => left.checked_rem(*right),
                _ => None,
            };
            result.map(Val::Int).ok_or(Failed)
        }
        (Val::Double(left), Val::Double(right)) => match op {
            Op::Add => Ok(Val::Double(left + right)),
            Op::Sub => Ok(Val::Double(left - right)),
            Op::Mul => Ok(Val::Double(left * right)),
            Op::Div => Ok(Val::Double(left / right)),
            _ => Err(Failed),
        },
        (Val::Str(left), Val::Str(right)) if op == Op::Add => Ok(Val::Str(format!("{left}{right}").into())),
        (Val::List(left), Val::List(right)) if op == Op::Add => {
            Ok(Val::List(left.iter().chain(right.iter()).cloned().collect()))
        }
        _ => Err(Failed),
    }
}

fn comprehension(
    kind: Macro,
    entries: Vec<Val>,
    variable: &str,
    body: &Expr,
    scope: &mut Scope,
) -> Result<Val, Failed> {
    let mut outcomes = Vec::with_capacity(entries.len());
    for entry in &entries {
        scope.variables.push((variable.to_owned(), entry.clone()));
        let outcome = evaluate(body, scope);
        scope.variables.pop();
        outcomes.push(outcome);
    }
    if kind == Macro::Map {
        return Ok(Val::List(outcomes.into_iter().collect::<Result<Vec<Val>, Failed>>()?.into()));
    }
    let mut truths = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        truths.push(match outcome {
            Ok(Val::Bool(value)) => Ok(value),
            _ => Err(Failed),
        });
    }
    match kind {
        Macro::All => truths.into_iter().try_fold_either(false),
        Macro::Exists => truths.into_iter().try_fold_either(true),
        Macro::ExistsOne => {
            let truths = truths.into_iter().collect::<Result<Vec<bool>, Failed>>()?;
            Ok(Val::Bool(truths.into_iter().filter(|truth| *truth).count() == 1))
        }
        Macro::Filter | Macro::Map => {
            let truths = truths.into_iter().collect::<Result<Vec<bool>, Failed>>()?;
            let kept = entries.into_iter().zip(truths).filter(|(_, truth)| *truth).map(|(entry, _)| entry);
            Ok(Val::List(kept.collect()))
        }
    }
}

/// Joins truths by `&&` or `||`.
trait FoldEither: Iterator<Item = Result<bool, Failed>> + Sized {
    fn try_fold_either(self, decisive: bool) -> Result<Val, Failed> {
        let mut joined = Ok(!decisive);
        for truth in self {
            if truth == Ok(decisive) {
                return Ok(Val::Bool(decisive));
            }
            joined = joined.and(truth);
        }
        joined.map(Val::Bool)
    }
}

impl<I: Iterator<Item = Result<bool, Failed>>> FoldEither for I {}

fn call(function: Function, args: &[Val]) -> Result<Val, Failed> {
    let ordered = |least: bool, items: &[Val]| {
        let mut best = items.first().cloned().ok_or(Failed)?;
        for item in items {
            let order = item.compare(&best).ok_or(Failed)?;
            if order == (if least { Ordering::Less } else { Ordering::Greater }) {
                best = item.clone();
            }
        }
        Ok(best)
    };
    let value = match (function, args) {
        (Function::Size, [Val::Str(text)]) => Val::Int(text.chars().count() as i64),
        (Function::Size, [Val::List(items)]) => Val::Int(items.len() as i64),
        (Function::Size, [Val::Map(entries)]) => Val::Int(entries.len() as i64),
        (Function::StartsWith, [Val::Str(text), Val::Str(part)]) => Val::Bool(text.starts_with(&**part)),
        (Function::EndsWith, [Val::Str(text), Val::Str(part)]) => Val::Bool(text.ends_with(&**part)),
        (Function::Contains, [Val::Str(text), Val::Str(part)]) => Val::Bool(text.contains(&**part)),
        (Function::Matches, [Val::Str(text), Val::Str(pattern)]) => {
            Val::Bool(is_pattern_match(pattern, text).ok_or(Failed)?)
        }
        (Function::LowerAscii, [Val::Str(text)]) => Val::text(&text.to_ascii_lowercase()),
        (Function::IndexOf, [Val::Str(text), Val::Str(part)]) => {
            let at = text.find(&**part).map(|at| text[..at].chars().count() as i64);
            Val::Int(at.unwrap_or(-1))
        }
        (Function::String, [Val::Int(value)]) => Val::text(&value.to_string()),
        (Function::String, [Val::Bool(value)]) => Val::text(&value.to_string()),
        (Function::String, [Val::Str(text)]) => Val::Str(Rc::clone(text)),
        (Function::Int, [Val::Int(value)]) => Val::Int(*value),
        (Function::Int, [Val::Str(text)]) => Val::Int(text.parse().map_err(|_| Failed)?),
        (Function::Type, [value]) => Val::text(type_name(value)),
        (Function::Quantity, [Val::Str(text)]) => Val::Quantity(read_quantity(text).ok_or(Failed)?),
        (Function::Duration, [Val::Str(text)]) => Val::Duration(read_duration(text).ok_or(Failed)?),
        (Function::IsGreaterThan, [Val::Quantity(one), Val::Quantity(other)]) => Val::Bool(one > other),
        (Function::IsLessThan, [Val::Quantity(one), Val::Quantity(other)]) => Val::Bool(one < other),
        (Function::CompareTo, [Val::Quantity(one), Val::Quantity(other)]) => Val::Int(one.cmp(other) as i64),
        (Function::Sum, [Val::List(items)]) => {
            items.iter().try_fold(Val::Int(0), |sum, item| arithmetic(Op::Add, &sum, item))?
        }
        (Function::Min, [Val::List(items)]) => ordered(true, items)?,
        (Function::Max, [Val::List(items)]) => ordered(false, items)?,
        (Function::IsSorted, [Val::List(items)]) => {
            let is_above = |pair: &[Val]| pair[0].compare(&pair[1]) == Some(Ordering::Greater);
            Val::Bool(!items.windows(2).any(is_above))
        }
        _ => return Err(Failed),
    };
    Ok(value)
}

fn type_name(value: &Val) -> &'static str {
    match value {
        Val::Null => "null_type",
        Val::Bool(_) => "bool",
        Val::Int(_) => "int",
        Val::Double(_) => "double",
        Val::Str(_) => "string",
        Val::List(_) => "list",
        Val::Map(_) => "map",
        Val::Quantity(_) | Val::Duration(_) => "other",
    }
}

/// A pattern, and its meaning as a program.
type KnownPattern = (&'static str, fn(&str) -> bool);

/// Patterns that the judge writes.
pub(crate) const PATTERNS: [KnownPattern; 7] = [
    ("^a", |text| text.starts_with('a')),
    ("b$", |text| text.ends_with('b')),
    ("^[ab]*$", |text| text.chars().all(|c| matches!(c, 'a' | 'b'))),
    ("^[ab]+$", |text| !text.is_empty() && text.chars().all(|c| matches!(c, 'a' | 'b'))),
    ("^a?b?$", |text| matches!(text, "" | "a" | "b" | "ab")),
    ("^.{2}$", |text| text.chars().count() == 2 && !text.contains('\n')),
    ("ab", |text| text.contains("ab")),
];

/// True if a text matches a pattern; `None` if the judge does not know the pattern.
pub(crate) fn is_pattern_match(pattern: &str, text: &str) -> Option<bool> {
    let known = PATTERNS.iter().find(|(known, _)| *known == pattern);
    known.map(|(_, is_match)| is_match(text)).or_else(|| literal_pattern(pattern, text))
}

/// A pattern of letters with anchors.
fn literal_pattern(pattern: &str, text: &str) -> Option<bool> {
    let (is_start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (is_end, letters) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    if !letters.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    Some(match (is_start, is_end) {
        (true, true) => text == letters,
        (true, false) => text.starts_with(letters),
        (false, true) => text.ends_with(letters),
        (false, false) => text.contains(letters),
    })
}
