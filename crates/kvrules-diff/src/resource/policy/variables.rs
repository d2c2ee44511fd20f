//! Expressions of a policy with its variables put in.

use kvrules_cel::ast::ExprKind;
use serde_json::Value;

/// Expressions grow no longer by variables.
const LONGEST: usize = 20_000;

/// All expressions that decide, with variables put in.
pub(super) fn all_expressions(content: &Value) -> Vec<String> {
    let found = ["matchConditions", "validations"].iter().flat_map(|key| entries(content, key));
    found.map(|entry| entry.inlined).collect()
}

/// An entry of a list with an expression.
#[derive(Clone, Debug)]
pub(super) struct ExpressionEntry<'v> {
    pub(super) index: usize,
    pub(super) value: &'v Value,
    /// The expression with variables put in.
    pub(super) inlined: String,
}

/// The entries of a list of a policy.
pub(super) fn entries<'v>(content: &'v Value, key: &str) -> Vec<ExpressionEntry<'v>> {
    let list = content.pointer(&format!("/spec/{key}")).and_then(Value::as_array).into_iter().flatten();
    let variables = variables_of(content);
    let text =
        |value: &Value| value.get("expression").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    list.enumerate()
        .map(|(index, value)| ExpressionEntry {
            index,
            value,
            inlined: inline_variables(&text(value), &variables),
        })
        .collect()
}

/// The variables of a policy, each with those before it put in.
fn variables_of(content: &Value) -> Vec<(String, String)> {
    let list = content.pointer("/spec/variables").and_then(Value::as_array).into_iter().flatten();
    let mut known: Vec<(String, String)> = Vec::new();
    for variable in list {
        let text =
            |key: &str| variable.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let inlined = inline_variables(&text("expression"), &known);
        known.push((text("name"), inlined));
    }
    known
}

/// The expression with the expressions of variables in place of `variables.name`.
fn inline_variables(text: &str, variables: &[(String, String)]) -> String {
    let Ok(expression) = kvrules_cel::parse(text) else { return text.to_owned() };
    let mut places: Vec<(usize, usize, &str)> = Vec::new();
    let _ = kvrules_cel::stack::with_room(expression.depth, || {
        expression.root.visit_nodes(&mut |node| {
            if let ExprKind::Select { operand, field } = &node.kind
                && matches!(&operand.kind, ExprKind::Ident(name) if name == "variables")
                && let Some((_, value)) = variables.iter().find(|(name, _)| name == field)
            {
                places.push((node.span.start, node.span.end, value));
            }
        });
    });
    places.sort_unstable();
    let mut inlined = expression.source.clone();
    for (start, end, value) in places.into_iter().rev() {
        if inlined.len() + value.len() > LONGEST
            || !inlined.is_char_boundary(start)
            || !inlined.is_char_boundary(end)
        {
            return text.to_owned();
        }
        inlined.replace_range(start..end, &format!("({value})"));
    }
    inlined
}
