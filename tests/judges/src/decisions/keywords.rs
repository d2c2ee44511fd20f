//! Keywords of schemas as rules of the judge: `maxLength: 3` of `spec.p0.s` as `!has(self.s) || size(self.s) <= 3`.

use serde_json::Value as Json;

use super::expression::{Expr, Function, Op};
use super::place::Rule;
use super::schema::Shape;
use super::value::Val;

/// Writes a keyword of a field below a place as a rule; `None` if the judge does not know the keyword or the field.
pub(crate) fn keyword_rule(
    shape: &Shape,
    path: &[&str],
    (keyword, limit, is_exclusive): (&str, &str, bool),
) -> Option<Rule> {
    let mut value = Expr::var("self");
    let mut here = shape;
    let mut guards = Vec::new();
    for name in path {
        let Shape::Object { fields } = here else { return None };
        here = &fields.iter().find(|field| field.name == *name)?.shape;
        guards.push(value.clone().has(name));
        value = value.dot(name);
    }
    let condition = if keyword == "required" {
        let names = limit.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
        let has = names.map(|name| value.clone().has(name));
        has.reduce(|one, other| Expr::bin(Op::And, one, other))?
    } else {
        value_condition(here, value, keyword, &serde_json::from_str(limit).ok()?, is_exclusive)?
    };
    let or_absent = |inner, guard: Expr| Expr::bin(Op::Or, guard.negated(), inner);
    Some(Rule::new(guards.into_iter().rev().fold(condition, or_absent)))
}

fn value_condition(
    shape: &Shape,
    value: Expr,
    keyword: &str,
    limit: &Json,
    is_exclusive: bool,
) -> Option<Expr> {
    let literal = || read_literal(shape, limit);
    let size = || Expr::call(Function::Size, vec![value.clone()]);
    let at_least = if is_exclusive { Op::Gt } else { Op::Ge };
    let at_most = if is_exclusive { Op::Lt } else { Op::Le };
    Some(match keyword {
        "minimum" => Expr::bin(at_least, value, literal()?),
        "maximum" => Expr::bin(at_most, value, literal()?),
        "multipleOf" => Expr::bin(Op::Eq, Expr::bin(Op::Mod, value, literal()?), Expr::int(0)),
        "minLength" | "minItems" | "minProperties" => Expr::bin(Op::Ge, size(), Expr::int(limit.as_i64()?)),
        "maxLength" | "maxItems" | "maxProperties" => Expr::bin(Op::Le, size(), Expr::int(limit.as_i64()?)),
        "enum" => {
            let listed: Option<Vec<Expr>> =
                limit.as_array()?.iter().map(|it| read_literal(shape, it)).collect();
            Expr::bin(Op::In, value, Expr::List(listed?))
        }
        "pattern" => Expr::call(Function::Matches, vec![value, Expr::text(limit.as_str()?)]),
        _ => return None,
    })
}

fn read_literal(shape: &Shape, value: &Json) -> Option<Expr> {
    Some(Expr::Lit(match (shape, value) {
        (Shape::Number, Json::Number(number)) => Val::Double(number.as_f64()?),
        (_, Json::Number(number)) => Val::Int(number.as_i64()?),
        (_, Json::String(text)) => Val::text(text),
        (_, Json::Bool(value)) => Val::Bool(*value),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::schema::Field;
    use super::*;

    #[test]
    fn a_keyword_of_a_field_is_a_rule_about_values_that_have_it() {
        let field =
            |name, shape| Field { name, shape, is_required: false, default: None, is_nullable: false };
        let text = Shape::Text { among: None, longest: 3 };
        let below = Shape::Object { fields: vec![field("s", text), field("d", Shape::Number)] };
        let shape = Shape::Object { fields: vec![field("o", below)] };
        let rule = |path: &[&str], keyword, limit, is_exclusive| {
            keyword_rule(&shape, path, (keyword, limit, is_exclusive)).map(|rule| rule.text)
        };
        assert_eq!(
            rule(&["o", "s"], "maxLength", "2", false).as_deref(),
            Some("!has(self.o) || (!has(self.o.s) || size(self.o.s) <= 2)")
        );
        assert_eq!(
            rule(&["o", "d"], "minimum", "2", true).as_deref(),
            Some("!has(self.o) || (!has(self.o.d) || self.o.d > 2.0)")
        );
        assert_eq!(
            rule(&["o"], "required", "[s, d]", false).as_deref(),
            Some("!has(self.o) || has(self.o.s) && has(self.o.d)")
        );
        assert_eq!(rule(&["x"], "maxLength", "2", false), None);
        assert_eq!(rule(&["o", "s"], "format", "\"x\"", false), None);
    }
}
