//! Expressions with the variables of their policy put in.

use kvrules_apiserver::policy::{Policy, PolicyExpression};
use kvrules_cel::ast::{Expr, ExprKind, Expression};

use crate::lifter::MOST_DEPTH;
use crate::opaque::{Opaque, OpaqueKind};

/// The longest text that putting in variables may lead to, in bytes.
const LONGEST: usize = 16_384;

/// The names that a loop of an expression must not hide from the variables that are put in.
const ROOTS: &[&str] =
    &["object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"];

/// Returns an expression in which `variables.name` is the variable's own expression. The server computes a variable where it is
/// first read, with the same value or error.
///
/// # Errors
///
/// The expression does not parse, or is too large then, or reads `variables` in another way.
///
/// ```
/// use kvrules_apiserver::policy::{Policy, PolicyExpression};
/// let policy = serde_json::json!({"spec": {"variables": [{"name": "n", "expression": "object.n"}],
///     "validations": [{"expression": "variables.n > 1"}]}});
/// let inlined = kvrules_lift::inline_variables(&Policy::from_json(&policy), PolicyExpression::Validation(0)).unwrap();
/// assert_eq!(inlined.source, "(object.n) > 1");
/// ```
pub fn inline_variables(policy: &Policy, expression: PolicyExpression) -> Result<Expression, Opaque> {
    let invalid = || Opaque::whole(OpaqueKind::Invalid);
    let source = policy.expression_source(expression).ok_or_else(invalid)?;
    let parsed = source.parsed.as_ref().map_err(|_| invalid())?;
    let mut known: Vec<(&str, String)> = Vec::new();
    if mentions_variables(parsed) {
        for variable in &policy.variables {
            let parsed = variable.expression.parsed.as_ref().map_err(|_| invalid())?;
            let text = put_in(parsed, &known)?;
            known.push((&variable.name, text));
        }
    }
    kvrules_cel::parse(&put_in(parsed, &known)?).map_err(|_| invalid())
}

fn mentions_variables(expression: &Expression) -> bool {
    if expression.depth > MOST_DEPTH {
        return false;
    }
    let mut found = false;
    expression.root.visit_nodes(&mut |node| found |= is_variables(node));
    found
}

fn is_variables(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Ident(name) if name == "variables")
}

/// The text of an expression with those of the variables that it names; of two with one name, the later counts.
fn put_in(expression: &Expression, known: &[(&str, String)]) -> Result<String, Opaque> {
    if expression.depth > MOST_DEPTH {
        return Err(Opaque::whole(OpaqueKind::TooLarge));
    }
    if expression.root.declares_name(|name| ROOTS.contains(&name)) {
        return Err(Opaque::whole(OpaqueKind::Construct("a loop over a name such as `object`")));
    }
    let mut places = Vec::new();
    let mut is_inlinable = true;
    let mut selected = 0_usize;
    let mut mentioned = 0_usize;
    expression.root.visit_nodes(&mut |node| {
        mentioned += usize::from(is_variables(node));
        let (operand, field, is_test) = match &node.kind {
            ExprKind::Select { operand, field } => (operand, field, false),
            ExprKind::Has { operand, field, .. } => (operand, field, true),
            _ => return,
        };
        if !is_variables(operand) {
            return;
        }
        selected += 1;
        match known.iter().rev().find(|(name, _)| name == field) {
            Some(_) if is_test => places.push((node.span.start, node.span.end, "true")),
            Some((_, text)) => places.push((operand.span.start, node.span.end, text.as_str())),
            None => is_inlinable = false,
        }
    });
    if !is_inlinable || selected != mentioned {
        return Err(Opaque::whole(OpaqueKind::Construct("`variables` as a value")));
    }
    places.sort_by_key(|(start, ..)| *start);
    let source = &expression.source;
    let (mut text, mut from) = (String::new(), 0);
    for (start, end, value) in places {
        let close = if value.contains("//") { "\n)" } else { ")" };
        // A line break ends a comment of the variable.
        text.extend([source.get(from..start).unwrap_or_default(), "(", value, close]);
        from = end;
        if text.len() > LONGEST {
            return Err(Opaque::whole(OpaqueKind::TooLarge));
        }
    }
    text.push_str(source.get(from..).unwrap_or_default());
    Ok(text)
}

/// Returns the text of an expression with other names for some of the names of its policy.
///
/// # Errors
///
/// A name of the policy that has no other name, or a name that would mean something else then.
///
/// ```
/// use kvrules_lift::rename_roots;
///
/// let parsed = |text: &str| kvrules_cel::parse(text).unwrap();
/// let renamed = rename_roots(&parsed("object.spec.object > 1"), &[("object", "self")]);
/// assert_eq!(renamed.unwrap(), "self.spec.object > 1");
/// assert_eq!(rename_roots(&parsed("request.name == ''"), &[("object", "self")]).unwrap_err(), "request");
/// ```
pub fn rename_roots(expression: &Expression, names: &[(&str, &str)]) -> Result<String, String> {
    if expression.depth > MOST_DEPTH {
        return Err("an expression that is nested too deep".to_owned());
    }
    let mut places = Vec::new();
    let mut other = None;
    expression.root.visit_nodes(&mut |node| {
        let ExprKind::Ident(name) = &node.kind else { return };
        match names.iter().find(|(old, _)| old == name) {
            Some((_, new)) => places.push((node.span.start, node.span.end, *new)),
            None if ROOTS.contains(&name.as_str()) || names.iter().any(|(_, new)| new == name) => {
                other = Some(name.clone());
            }
            None => {}
        }
    });
    match other {
        Some(name) => Err(name),
        None => Ok(replace_places(&expression.source, places)),
    }
}

/// Returns a text with other values at some places, which have a start and an end.
pub(super) fn replace_places<V: AsRef<str> + Ord>(
    source: &str,
    mut places: Vec<(usize, usize, V)>,
) -> String {
    places.sort();
    let (mut text, mut from) = (String::new(), 0);
    for (start, end, value) in places {
        text.push_str(source.get(from..start).unwrap_or_default());
        text.push_str(value.as_ref());
        from = end;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    text
}
