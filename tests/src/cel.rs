//! Expressions of CEL with their values, evaluated here and told so that another engine can evaluate them too.
//!
//! [`evaluate_line`] gives one line of JSON for each evaluation: the expression, what it sees, and what it comes to; or why it is
//! not for the other engine. `tests/cel/other.py` reads them.

mod rules;
mod typed;

use std::collections::BTreeSet;

use kvrules_cel::ast::{ExprKind, Expression};
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::functions::{Library, find_libraries};
use kvrules_cel::parse;
use kvrules_cel::value::{ErrorKind, Value as CelValue, from_json};
use serde_json::{Value, json};

use typed::typed_json;

/// An expression, and the variables that it is asked with.
struct CelQuestion<'a> {
    /// Origin of the expression.
    id: String,
    expression: &'a str,
    /// Each variable with its value and what is known of its type.
    variables: Vec<(&'static str, CelValue, ExpressionShape<'a>)>,
}

/// The evaluations of a line: a recorded definition with its objects (`crd`), or one expression (`expression`, `self`).
pub fn evaluate_line(line: &str) -> Result<Vec<Value>, serde_json::Error> {
    let case: Value = serde_json::from_str(line)?;
    let mut reported = Vec::new();
    if let Some(expression) = case["expression"].as_str() {
        let variables = vec![("self", from_json(&case["self"]), ExpressionShape::Known)];
        reported.extend(evaluate_question(&CelQuestion { id: expression.to_owned(), expression, variables }));
    } else {
        rules::each_rule(&case, &mut |requested| reported.extend(evaluate_question(requested)));
    }
    Ok(reported)
}

/// The line of one evaluation; none of an expression that does not parse.
fn evaluate_question(requested: &CelQuestion<'_>) -> Option<Value> {
    let expression = parse(requested.expression).ok()?;
    let out = |why: String| Some(json!({"id": requested.id, "expression": requested.expression, "out": why}));
    if let Some(why) = foreign_reasons(&expression) {
        return out(why);
    }
    let mut variables = serde_json::Map::new();
    let mut scope = Scope::default();
    for (name, value, shape) in &requested.variables {
        match typed_json(value) {
            Ok(value) => variables.insert((*name).to_owned(), value),
            Err(why) => return out(why.to_owned()),
        };
        scope.variables.insert(name, (value.clone(), *shape));
    }
    let ours = match evaluate_expression(&expression, &scope, CALL_LIMIT).result {
        Ok(value) => match typed_json(&value) {
            Ok(value) => json!({"value": value}),
            Err(why) => return out(why.to_owned()),
        },
        Err(error) if error.kind == ErrorKind::Cancelled => {
            return out("dearer than the server allows".to_owned());
        }
        Err(error) => json!({"error": error.to_string()}),
    };
    Some(
        json!({"id": requested.id, "expression": requested.expression, "variables": variables, "ours": ours}),
    )
}

/// Returns the reasons why an expression is not in the CEL that both engines support.
fn foreign_reasons(expression: &Expression) -> Option<String> {
    let mut found = BTreeSet::new();
    expression.root.visit_nodes(&mut |expr| match &expr.kind {
        ExprKind::Call { function, receiver, .. } => {
            let namespace = receiver.as_ref().and_then(|receiver| match &receiver.kind {
                ExprKind::Ident(name) => Some(format!("{name}.{function}")),
                _ => None,
            });
            let name = namespace.filter(|name| find_libraries(name).next().is_some());
            let name = name.as_deref().unwrap_or(function);
            let mut of = find_libraries(name).peekable();
            let is_foreign =
                of.peek().is_some() && !of.any(|it| matches!(it, Library::Standard | Library::Strings));
            // Kubernetes adds these two to the library of strings.
            if is_foreign || matches!(name, "find" | "findAll") {
                found.insert(format!("the function {name}"));
            }
        }
        ExprKind::Comprehension(it) if it.var2.is_some() => {
            found.insert("a macro with two variables".to_owned());
        }
        ExprKind::SortBy { .. } => {
            found.insert("the macro sortBy".to_owned());
        }
        _ => {}
    });
    found.into_iter().next()
}
