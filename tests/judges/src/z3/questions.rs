//! Questions to the solver as JSON: schemas, expressions and conditions.

use serde_json::{Value as Json, json};

use crate::decisions::domain::{Condition, Domain};
use crate::decisions::evaluate::Outcome;
use crate::decisions::expression::Expr;
use crate::decisions::schema::{Field, Shape};
use crate::decisions::value::Val;

/// Writes the question whether a state of a domain satisfies a condition.
pub(super) fn write_question(domain: &Domain, condition: &Condition) -> Json {
    let rule = |rule: &crate::decisions::place::Rule| json!({"expr": write_expression(&rule.expr), "old": rule.is_transition});
    let rules: Vec<Json> = domain.rules.iter().map(rule).collect();
    json!({"shape": write_shape(&domain.shape), "rules": rules, "condition": write_condition(condition)})
}

fn write_condition(condition: &Condition) -> Json {
    let joined = |name: &str, parts: &[Condition]| {
        let parts = parts.iter().map(write_condition);
        Json::Array(std::iter::once(json!(name)).chain(parts).collect())
    };
    match condition {
        Condition::Outcome(rule, outcome) => json!(["outcome", rule, outcome_name(*outcome)]),
        Condition::All(parts) => joined("all", parts),
        Condition::Any(parts) => joined("any", parts),
        Condition::Not(part) => json!(["not", write_condition(part)]),
    }
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::True => "true",
        Outcome::False => "false",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
    }
}

fn write_shape(shape: &Shape) -> Json {
    match shape {
        Shape::Int { least, most } => json!({"kind": "int", "least": least, "most": most}),
        Shape::Number => json!({"kind": "number"}),
        Shape::Bool => json!({"kind": "bool"}),
        Shape::Text { among, longest } => json!({"kind": "text", "among": among, "longest": longest}),
        Shape::Quantity | Shape::Duration => json!({"kind": "text", "longest": 6}),
        Shape::IntOrText => json!({"kind": "int_or_text"}),
        Shape::List { items, fewest, most } => {
            json!({"kind": "list", "items": write_shape(items), "fewest": fewest, "most": most})
        }
        Shape::Map { values, most } => json!({"kind": "map", "values": write_shape(values), "most": most}),
        Shape::Object { fields } => {
            let field = |field: &Field| {
                let shape = write_shape(&field.shape);
                json!({"name": field.name, "present": field.is_present(), "shape": shape})
            };
            json!({"kind": "object", "fields": fields.iter().map(field).collect::<Vec<_>>()})
        }
    }
}

/// Writes an expression as a list of its kind and its parts.
fn write_expression(expr: &Expr) -> Json {
    let write = write_expression;
    match expr {
        Expr::Lit(Val::Int(value)) => json!(["int", value]),
        Expr::Lit(Val::Str(text)) => json!(["str", &**text]),
        Expr::Lit(Val::Bool(value)) => json!(["bool", value]),
        // The judge writes no other literals.
        Expr::Lit(_) => json!(["double"]),
        Expr::List(items) => with_parts(vec![json!("list")], items),
        Expr::Var(name) => json!(["var", name]),
        Expr::Field(target, name) => json!(["field", write(target), name]),
        Expr::Has(target, name) => json!(["has", write(target), name]),
        Expr::Index(target, index) => json!(["index", write(target), write(index)]),
        Expr::Not(inner) => json!(["not", write(inner)]),
        Expr::Neg(inner) => json!(["neg", write(inner)]),
        Expr::Bin(op, left, right) => json!(["bin", op.name(), write(left), write(right)]),
        Expr::Cond(test, one, other) => json!(["cond", write(test), write(one), write(other)]),
        Expr::Call(function, arguments) => with_parts(vec![json!("call"), json!(function.name())], arguments),
        Expr::Macro(kind, range, variable, body) => {
            json!(["macro", kind.name(), write(range), variable, write(body)])
        }
        Expr::OrValue(target, name, default) => json!(["or_value", write(target), name, write(default)]),
    }
}

fn with_parts(mut list: Vec<Json>, parts: &[Expr]) -> Json {
    list.extend(parts.iter().map(write_expression));
    Json::Array(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::parse::parse_expression;

    #[test]
    fn an_expression_is_written_as_a_tree() {
        let written = |text: &str| parse_expression(text).map(|expr| write_expression(&expr).to_string());
        let expected = r#"["bin","&&",["has",["var","self"],"l"],["macro","all",["field",["var","self"],"l"],"x",["bin",">",["var","x"],["int",1]]]]"#;
        assert_eq!(written("has(self.l) && self.l.all(x, x > 1)").as_deref(), Some(expected));
        let expected = r#"["call","endsWith",["or_value",["var","self"],"s",["str",""]],["str","a"]]"#;
        assert_eq!(written("self.?s.orValue('').endsWith('a')").as_deref(), Some(expected));
    }
}
