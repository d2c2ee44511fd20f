//! Cures for operators and functions on values of other types.

use kvrules_cel::ast::{Expr, ExprKind, Literal, operators};

use super::{Cure, FaultyExpression, in_parentheses};
use crate::rendered_types::{parse_overload, split_types};

pub(super) fn cure(faulty: FaultyExpression<'_>) -> Option<Cure> {
    if let Some((_, found)) = faulty.issue.message.split_once("expected type 'bool' but found '") {
        return Some(condition_cure(found.trim_end_matches('\'')));
    }
    let (function, types) = parse_overload(&faulty.issue.message)?;
    let types = split_types(types.trim_start_matches('(').trim_end_matches(')'));
    let ExprKind::Call { args, receiver, .. } = &faulty.node()?.kind else { return None };
    match (types.as_slice(), args.as_slice()) {
        ([left, right], [one, other]) => {
            binary_cure(faulty, &function, [left.as_str(), right.as_str()], [one, other])
        }
        ([of], [_]) if function == operators::NOT => Some(condition_cure(of)),
        ([of, ..], _) if function == operators::CONDITIONAL => Some(condition_cure(of)),
        ([_], _) if receiver.is_some() => call_cure(&function, types.first()?),
        _ => None,
    }
}

/// Advice for a value in the place of a condition.
fn condition_cure(of: &str) -> Cure {
    Cure::advice(match of {
        "int" | "uint" | "double" => "a number is not a condition: compare it, such as `… > 0`",
        "string" => "a text is not a condition: compare it, such as `… != ''`",
        of if of.starts_with("list(") || of.starts_with("map(") => "write `size(…) > 0`",
        of if of.starts_with("optional_type") => "write `….hasValue()`, or `….orValue(false)`",
        "dyn" => "compare it, since its type is unknown: `… == true`",
        _ => "write `has(…)` to test that it is there",
    })
}

fn call_cure(function: &str, types: &str) -> Option<Cure> {
    let (of, arguments) = types.split_once(".(")?;
    let arguments = arguments.trim_end_matches(')');
    match (function, of, arguments) {
        ("startsWith" | "endsWith" | "contains" | "matches", "string", "int" | "double" | "bool") => {
            Some(Cure::advice("put the argument in quotation marks"))
        }
        ("startsWith" | "endsWith" | "contains" | "matches" | "split", "int" | "double" | "uint", _) => {
            Some(Cure::advice(format!("convert the number to a text first: `string(…).{function}(…)`")))
        }
        ("contains", of, _) if of.starts_with("list(") => Some(Cure::advice("write `item in list`")),
        ("distinct", "string", _) => Some(Cure::advice("it is a function of lists")),
        ("startsWith" | "endsWith" | "matches", of, _) if of.starts_with("list(") => Some(Cure::advice(
            format!("write `.all(item, item.{function}(…))` for every item, or `exists` for one"),
        )),
        _ => None,
    }
}

const NUMBERS: [&str; 3] = ["int", "uint", "double"];

/// One side of an operator.
#[derive(Clone, Copy)]
struct Operand<'e> {
    expr: &'e Expr,
    text: &'e str,
    ty: &'e str,
}

impl Operand<'_> {
    fn replaced(self, text: String) -> Cure {
        Cure::replacement(self.expr.span.start..self.expr.span.end, text)
    }

    fn is_literal(self) -> bool {
        matches!(self.expr.kind, ExprKind::Literal(_))
    }

    fn is_structure(self) -> bool {
        ["selfType", "list(", "map("].iter().any(|start| self.ty.starts_with(start))
    }
}

fn binary_cure(
    faulty: FaultyExpression<'_>,
    function: &str,
    [left_type, right_type]: [&str; 2],
    [one, other]: [&Expr; 2],
) -> Option<Cure> {
    let left = Operand { expr: one, text: faulty.text(one), ty: left_type };
    let right = Operand { expr: other, text: faulty.text(other), ty: right_type };
    if let Some(cure) = ordered_objects(function, left, right) {
        return Some(cure);
    }
    if function == operators::IN && right.ty == "string" {
        let text = format!("{}.contains({})", in_parentheses(other, right.text), left.text);
        return Some(Cure::replacement(one.span.start..other.span.end, text));
    }
    // The operand of the first type and that of one of the others, in whatever order they are written.
    let mixed = |of: &str, with: &[&str]| {
        [(left, right), (right, left)]
            .into_iter()
            .find(|(one, other)| one.ty == of && with.contains(&other.ty))
    };
    if function == operators::ADD
        && let Some((_, number)) = mixed("string", &NUMBERS)
    {
        return Some(number.replaced(format!("string({})", number.text)));
    }
    if let Some((int, float)) = mixed("int", &["double"]) {
        return Some(mixed_numbers(int, float));
    }
    if let Some((text, number)) = mixed("string", &NUMBERS) {
        return Some(number_and_text(text, number));
    }
    if let Some((truth, text)) = mixed("bool", &["string"]) {
        return Some(boolean_and_text(truth, text));
    }
    if [operators::EQUALS, operators::NOT_EQUALS].contains(&function)
        && left.is_structure()
        && right.is_structure()
    {
        let cure = left.replaced(format!("dyn({})", left.text)).guess();
        let help =
            format!("compare their fields, or write `dyn({})` to compare whatever they are", left.text);
        return Some(cure.in_words(help));
    }
    for (of, example) in [("duration", "duration('5m')"), ("timestamp", "timestamp('2026-01-31T00:00:00Z')")]
    {
        if mixed(of, &["int", "string"]).is_some() {
            return Some(Cure::advice(format!("compare it with a value of its type, such as `{example}`")));
        }
    }
    let (list, number) =
        [(left, right), (right, left)].into_iter().find(|(list, _)| list.ty.starts_with("list("))?;
    NUMBERS.contains(&number.ty).then(|| {
        list.replaced(format!("size({})", list.text))
            .guess()
            .in_words(format!("compare the number of items: `size({})`", list.text))
    })
}

/// Quantities and versions are ordered by functions.
fn ordered_objects(function: &str, left: Operand<'_>, right: Operand<'_>) -> Option<Cure> {
    let read = match left.ty {
        "kubernetes.Quantity" => "quantity",
        "kubernetes.Semver" => "semver",
        _ => return None,
    };
    let (negation, method) = match function {
        operators::LESS => ("", "isLessThan"),
        operators::GREATER => ("", "isGreaterThan"),
        operators::LESS_EQUALS => ("!", "isGreaterThan"),
        operators::GREATER_EQUALS => ("!", "isLessThan"),
        _ => return None,
    };
    let argument = match right.ty {
        ty if ty == left.ty => right.text.to_owned(),
        "string" => format!("{read}({})", right.text),
        _ => return None,
    };
    let text = format!("{negation}{}.{method}({argument})", in_parentheses(left.expr, left.text));
    Some(Cure::replacement(left.expr.span.start..right.expr.span.end, text))
}

/// A literal takes the type of the other side; a field is converted.
fn mixed_numbers(int: Operand<'_>, float: Operand<'_>) -> Cure {
    if int.is_literal() {
        return int.replaced(format!("{}.0", int.text));
    }
    match float.text.strip_suffix(".0") {
        Some(whole) if float.is_literal() => float.replaced(whole.to_owned()),
        _ => int.replaced(format!("double({})", int.text)),
    }
}

/// A text that is a number loses its quotation marks; else one side is converted.
fn number_and_text(text: Operand<'_>, number: Operand<'_>) -> Cure {
    if let ExprKind::Literal(Literal::String(content)) = &text.expr.kind {
        return match content.parse::<i64>() {
            Ok(value) => text.replaced(value.to_string()),
            Err(_) => Cure::advice(format!("`{}` is a number: compare it with one", number.text)),
        };
    }
    if number.is_literal() {
        let quoted = format!("'{}'", number.text);
        let help =
            format!("`{}` is a text: compare it with `{quoted}`, or convert it with `int(…)`", text.text);
        return number.replaced(quoted).guess().in_words(help);
    }
    Cure::advice(format!("convert one of them: `int({})` or `string({})`", text.text, number.text))
}

fn boolean_and_text(truth: Operand<'_>, text: Operand<'_>) -> Cure {
    match (&text.expr.kind, &truth.expr.kind) {
        (ExprKind::Literal(Literal::String(content)), _) if ["true", "false"].contains(&content.as_str()) => {
            text.replaced(content.clone())
        }
        (_, ExprKind::Literal(Literal::Bool(value))) => truth.replaced(format!("'{value}'")),
        _ => Cure::advice(format!("convert one of them: `string({})`", truth.text)),
    }
}
