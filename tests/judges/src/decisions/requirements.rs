//! Requirements on the `spec` of an object and of the stored one, which several notations can say.

use serde_json::{Value as Json, json};

use super::evaluate::PATTERNS;
use super::expression::Expr;
use super::generate::{RuleMaker, generate_object};
use super::keywords::keyword_rule;
use super::schema::{Field, Shape};
use crate::Random;

/// The writes that a requirement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    Creations,
    Updates,
}

/// A requirement. The expressions are about `self`, the `spec`, and `oldSelf`, the stored one.
#[derive(Clone, Debug)]
pub(crate) enum Requirement {
    Condition {
        when: When,
        expr: Expr,
    },
    /// A keyword of a field of `spec`.
    Keyword {
        field: &'static str,
        keyword: &'static str,
        limit: Json,
    },
}

/// The fields of an object: optional ones without bounds, which every notation can declare.
pub(crate) fn generate_fields(random: &mut Random) -> Shape {
    let mut shape = generate_object(random);
    // A number without a fraction is an integer for some sides, and a number for others.
    while has_untyped(&shape) {
        shape = generate_object(random);
    }
    relax(&mut shape);
    shape
}

/// The objects with a `spec` of these fields.
pub(crate) fn objects_with(spec: &Shape) -> Shape {
    let field =
        Field { name: "spec", shape: spec.clone(), is_required: false, default: None, is_nullable: false };
    Shape::Object { fields: vec![field] }
}

fn has_untyped(shape: &Shape) -> bool {
    match shape {
        Shape::Number | Shape::IntOrText => true,
        Shape::List { items: inner, .. } | Shape::Map { values: inner, .. } => has_untyped(inner),
        Shape::Object { fields } => fields.iter().any(|field| has_untyped(&field.shape)),
        _ => false,
    }
}

/// Removes bounds, defaults, and what is required.
fn relax(shape: &mut Shape) {
    match shape {
        Shape::Int { least, most } => (*least, *most) = (None, None),
        Shape::Text { among, .. } => *among = None,
        Shape::List { items, fewest, .. } => {
            *fewest = 0;
            relax(items);
        }
        Shape::Map { values, .. } => relax(values),
        Shape::Object { fields } => {
            for field in fields {
                (field.is_required, field.default) = (false, None);
                relax(&mut field.shape);
            }
        }
        _ => {}
    }
}

/// The schema of the types alone. The sizes of a shape are those of the small domain.
pub(crate) fn types_of(shape: &Shape) -> Json {
    match shape {
        Shape::Int { .. } => json!({"type": "integer"}),
        Shape::Number => json!({"type": "number"}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Text { .. } | Shape::Quantity | Shape::Duration => json!({"type": "string"}),
        Shape::IntOrText => json!({"x-kubernetes-int-or-string": true}),
        Shape::List { items, .. } => json!({"type": "array", "items": types_of(items)}),
        Shape::Map { values, .. } => json!({"type": "object", "additionalProperties": types_of(values)}),
        Shape::Object { fields } => {
            let types = fields.iter().map(|field| (field.name.to_owned(), types_of(&field.shape)));
            json!({"type": "object", "properties": types.collect::<serde_json::Map<_, _>>()})
        }
    }
}

impl Requirement {
    /// Makes a requirement; `says_all` is false if only keywords are wanted.
    pub(crate) fn generate(random: &mut Random, spec: &Shape, says_all: bool) -> Self {
        if !says_all || random.chance(1, 4) {
            return Self::generate_keyword(random, spec);
        }
        let is_transition = random.chance(1, 3);
        let depth = random.below(3);
        let expr = RuleMaker::new(random, "self", spec, is_transition).condition(depth);
        let when = match random.below(8) {
            0 => When::Creations,
            1 | 2 => When::Updates,
            _ => When::Always,
        };
        let when = if expr.mentions("oldSelf") { When::Updates } else { when };
        Self::Condition { when, expr }
    }

    fn generate_keyword(random: &mut Random, spec: &Shape) -> Self {
        let Shape::Object { fields } = spec else { unreachable!("a spec is an object") };
        let field = random.choose(fields);
        let size = json!(random.between(0, 3));
        let is_first = random.chance(1, 2);
        let keyword = |one, other, limit| (if is_first { one } else { other }, limit);
        let (keyword, limit) = match &field.shape {
            _ if random.chance(1, 5) => ("required", json!([field.name])),
            Shape::Int { .. } => keyword("minimum", "maximum", json!(random.between(-1, 4))),
            Shape::Text { .. } => match random.below(4) {
                0 => ("pattern", json!(random.choose(&PATTERNS).0)),
                1 => ("enum", json!(if is_first { vec!["a", "b"] } else { vec!["a", "ab", ""] })),
                _ => keyword("minLength", "maxLength", size),
            },
            Shape::List { .. } => keyword("minItems", "maxItems", size),
            _ => ("required", json!([field.name])),
        };
        Self::Keyword { field: field.name, keyword, limit }
    }

    /// A requirement that is equal, weaker, stronger, or changed in one part.
    pub(crate) fn changed(&self, random: &mut Random, spec: &Shape) -> Self {
        match self {
            Self::Condition { when, expr } => {
                let mut maker = RuleMaker::new(random, "self", spec, expr.mentions("oldSelf"));
                let expr = maker.related(expr);
                let when = if expr.mentions("oldSelf") { When::Updates } else { *when };
                Self::Condition { when, expr }
            }
            Self::Keyword { field, keyword, limit } if limit.is_i64() => {
                let moved = limit.as_i64().unwrap_or_default() + random.between(-1, 1);
                // Sizes have no sign.
                let least = if keyword.ends_with("imum") { i64::MIN } else { 0 };
                Self::Keyword { field, keyword, limit: json!(moved.max(least)) }
            }
            Self::Keyword { .. } => Self::generate_keyword(random, spec),
        }
    }

    /// The requirement in CEL about `self`, the `spec`. A keyword is about the values that are there.
    pub(crate) fn expression(&self, spec: &Shape) -> (When, Expr) {
        match self {
            Self::Condition { when, expr } => (*when, expr.clone()),
            Self::Keyword { field, keyword, limit } => {
                let path: &[&str] = if *keyword == "required" { &[] } else { &[field] };
                let rule = keyword_rule(spec, path, (keyword, &limit.to_string(), false));
                (When::Always, rule.map_or(Expr::Lit(super::value::Val::Bool(true)), |rule| rule.expr))
            }
        }
    }
}

/// Makes the requirements of two sides, which differ in one or in none.
pub(crate) fn generate_requirements(
    random: &mut Random,
    spec: &Shape,
    says_all: [bool; 2],
) -> [Vec<Requirement>; 2] {
    let says_both = says_all[0] && says_all[1];
    let old: Vec<Requirement> =
        (0..1 + random.below(2)).map(|_| Requirement::generate(random, spec, says_both)).collect();
    let mut new = old.clone();
    let at = random.below(new.len());
    match random.below(8) {
        0 if new.len() > 1 => drop(new.remove(at)),
        1 => new.push(Requirement::generate(random, spec, says_all[1])),
        2..=4 => new[at] = new[at].changed(random, spec),
        _ => {}
    }
    [old, new]
}
