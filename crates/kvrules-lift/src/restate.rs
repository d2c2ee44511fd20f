//! Rules that say the same as one keyword of the schema.

use kvrules_ir::{Constant, Formula, Term, TermCall, TermRelation};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::{Value as Json, json};

use crate::certificate::Certificate;
use crate::decide::{Conversions, Decider};
use crate::proof::certify_implication;

/// A keyword that says the same as a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RestatedKeyword {
    /// The properties from the place of the rule to the schema that the keyword belongs to.
    pub path: Vec<String>,
    /// Its name.
    pub keyword: &'static str,
    /// Its value.
    pub value: Json,
    /// True if the bound itself is excluded, which `exclusiveMinimum` or `exclusiveMaximum` says in addition.
    pub is_exclusive: bool,
}

/// The most nodes of a formula that is compared with keywords.
const MOST_NODES: usize = 120;

/// Finds the keyword that accepts exactly the values for which a formula about `self` holds; `schema` is the schema of `self`.
///
/// That both say the same is proved for every value that the rest of the schema accepts.
///
/// ```
/// use kvrules_ir::{Constant, Formula, Term, TermRelation};
/// use kvrules_lift::find_restated_keyword;
/// use serde_json::json;
///
/// let zero = Term::Constant(Constant::Integer(0));
/// let formula = Formula::comparison_of(zero, TermRelation::Less, Term::Root("self".to_owned()));
/// let found = find_restated_keyword(&formula, &json!({"type": "integer"})).unwrap();
/// assert_eq!((found.keyword, found.value), ("minimum", json!(1)));
/// ```
pub fn find_restated_keyword(formula: &Formula, schema: &Json) -> Option<RestatedKeyword> {
    find_with_formula(formula, schema).map(|(found, _)| found)
}

/// Returns the certificates of the proofs that a formula implies the keyword that it restates, and that the keyword implies the formula.
pub fn certify_keyword(formula: &Formula, schema: &Json) -> [Option<Certificate>; 2] {
    let Some((_, keyword)) = find_with_formula(formula, schema) else { return [None, None] };
    [(formula, &keyword), (&keyword, formula)].map(|(one, other)| certify_implication(&[one], other, schema))
}

fn find_with_formula(formula: &Formula, schema: &Json) -> Option<(RestatedKeyword, Formula)> {
    if formula.node_count() > MOST_NODES {
        return None;
    }
    let mut atoms = Vec::new();
    collect_atoms(formula, &mut atoms);
    let found = atoms.into_iter().filter_map(|atom| {
        let (found, subject) = keyword_of_atom(&atom, schema)?;
        // A keyword says nothing of a field that is absent.
        let absent = Formula::negation_of(Formula::is_defined(subject));
        Some((found, Formula::any_of([absent, atom])))
    });
    let keywords: Vec<(RestatedKeyword, Formula)> = found.collect();
    let mut decider = Decider::new(schema);
    let rule = decider.add_formula(formula, Conversions::MayFail);
    let says_the_same = keywords.iter().position(|(_, keyword)| {
        let keyword = decider.add_formula(keyword, Conversions::MayFail);
        decider.implies(rule, keyword) && decider.implies(keyword, rule)
    });
    keywords.get(says_the_same?).cloned()
}

/// The parts of a formula that a keyword may say: single conditions, and the equalities of one value together.
fn collect_atoms(formula: &Formula, atoms: &mut Vec<Formula>) {
    match formula {
        Formula::All(parts) => {
            for part in parts {
                collect_atoms(part, atoms);
            }
        }
        Formula::Any(parts) => {
            let equalities = parts.iter().filter(|part| is_equality(part));
            atoms.push(Formula::any_of(equalities.cloned()));
            for part in parts {
                collect_atoms(part, atoms);
            }
        }
        Formula::Defined(_) | Formula::Compare { .. } => atoms.push(formula.clone()),
        Formula::True | Formula::False | Formula::Not(_) | Formula::Each(_) | Formula::Some(_) => {}
    }
}

fn is_equality(formula: &Formula) -> bool {
    matches!(formula, Formula::Compare { relation: TermRelation::Equal, right: Term::Constant(_), .. })
}

/// The keyword that says an atom, and the value whose presence it depends on.
fn keyword_of_atom(atom: &Formula, schema: &Json) -> Option<(RestatedKeyword, Term)> {
    if let Formula::Defined(Term::Field(parent, name)) = atom {
        let (path, node) = plain_schema(parent, schema)?;
        let field = node.get("properties")?.get(name)?;
        // `required` accepts a null, for which `has` is false.
        if field.get("nullable") == Some(&Json::Bool(true)) {
            return None;
        }
        let keyword =
            RestatedKeyword { path, keyword: "required", value: json!([name]), is_exclusive: false };
        return Some((keyword, (**parent).clone()));
    }
    let subject = subject_of(atom)?;
    let (path, node) = plain_schema(subject, schema)?;
    let (keyword, value, is_exclusive) = match atom {
        Formula::Compare {
            left,
            relation: TermRelation::Equal,
            right: Term::Constant(Constant::Boolean(true)),
        } => {
            let Term::Call(call) = left else { return None };
            ("pattern", Json::from(pattern_of(call)?), false)
        }
        Formula::Compare { left: Term::Constant(bound), relation, right } => {
            bound_keyword(right, node, integer_or_number(bound)?, *relation, true)?
        }
        Formula::Compare { left, relation, right: Term::Constant(bound) }
            if *relation != TermRelation::Equal =>
        {
            bound_keyword(left, node, integer_or_number(bound)?, *relation, false)?
        }
        _ => ("enum", enum_of(atom, subject)?, false),
    };
    let is_written = node.get(keyword).is_some();
    (!is_written).then(|| (RestatedKeyword { path, keyword, value, is_exclusive }, subject.clone()))
}

/// The one value that an atom is about.
fn subject_of(atom: &Formula) -> Option<&Term> {
    let mut terms = match atom {
        Formula::Any(parts) => return parts.first().and_then(subject_of),
        Formula::Compare { left, right, .. } => [left, right].into_iter(),
        _ => return None,
    }
    .filter(|term| !matches!(term, Term::Constant(_)));
    let (term, None) = (terms.next()?, terms.next()) else { return None };
    match term {
        Term::Call(TermCall { arguments, .. }) => arguments.first(),
        term => Some(term),
    }
}

/// The properties on the way to a value of `self`, and its schema if it has one type and no null.
fn plain_schema<'s>(term: &Term, schema: &'s Json) -> Option<(Vec<String>, &'s Json)> {
    let (path, node) = match term {
        Term::Root(name) if name == "self" => (Vec::new(), schema),
        Term::Field(of, name) => {
            let (mut path, node) = plain_schema(of, schema)?;
            path.push(name.clone());
            (path, node.get("properties")?.get(name)?)
        }
        _ => return None,
    };
    let is_true = |keyword: &str| node.get(keyword) == Some(&Json::Bool(true));
    let is_plain = node.get("type").is_some_and(Json::is_string)
        && !is_true("nullable")
        && !is_true(INT_OR_STRING)
        // Sizes of bytes are those of what the text encodes.
        && node.get("format").is_none_or(|format| format != "byte");
    is_plain.then_some((path, node))
}

fn pattern_of(call: &TermCall) -> Option<&str> {
    match (call.function.as_str(), call.arguments.as_slice()) {
        ("matches", [_, Term::Constant(Constant::Text(pattern))]) => Some(pattern),
        _ => None,
    }
}

fn integer_or_number(constant: &Constant) -> Option<serde_json::Number> {
    match constant {
        Constant::Integer(value) => Some((*value).into()),
        Constant::Float(value) => serde_json::Number::from_f64(*value),
        _ => None,
    }
}

/// The keyword of an order between a term and a number, `is_least` where the number is on the left.
fn bound_keyword(
    term: &Term,
    node: &Json,
    bound: serde_json::Number,
    relation: TermRelation,
    is_least: bool,
) -> Option<(&'static str, Json, bool)> {
    let is_strict = match relation {
        TermRelation::Less => true,
        TermRelation::LessOrEqual => false,
        TermRelation::Equal | TermRelation::NotEqual => return None,
    };
    let ty = node.get("type")?.as_str()?;
    let keywords = match (term, ty) {
        (Term::Call(call), _) if call.function == "size" => size_keywords(ty)?,
        (Term::Root(_) | Term::Field(..), "integer" | "number") => ["minimum", "maximum"],
        _ => return None,
    };
    let keyword = if is_least { keywords[0] } else { keywords[1] };
    // Between integers and sizes there is a next one.
    let counts = ty != "number";
    let step = match (is_strict && counts, is_least) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => -1,
    };
    let value = if counts { json!(bound.as_i64()?.checked_add(step)?) } else { Json::Number(bound) };
    let is_negative_size = matches!(term, Term::Call(_)) && value.as_i64().is_none_or(|value| value < 0);
    (!is_negative_size).then_some((keyword, value, is_strict && !counts))
}

/// The least and the greatest size of values of a type.
fn size_keywords(ty: &str) -> Option<[&'static str; 2]> {
    match ty {
        "string" => Some(["minLength", "maxLength"]),
        "array" => Some(["minItems", "maxItems"]),
        "object" => Some(["minProperties", "maxProperties"]),
        _ => None,
    }
}

/// The values that a term is equal to one of.
fn enum_of(atom: &Formula, subject: &Term) -> Option<Json> {
    let value = |part: &Formula| match part {
        Formula::Compare { left, relation: TermRelation::Equal, right: Term::Constant(constant) }
            if left == subject =>
        {
            match constant {
                Constant::Text(text) => Some(Json::from(text.as_str())),
                Constant::Integer(value) => Some(Json::from(*value)),
                _ => None,
            }
        }
        _ => None,
    };
    match atom {
        Formula::Any(parts) => parts.iter().map(value).collect::<Option<Vec<_>>>().map(Json::from),
        part => Some(json!([value(part)?])),
    }
}
