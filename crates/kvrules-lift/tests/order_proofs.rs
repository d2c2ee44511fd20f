//! Contradictions over the order of several values, compared with all values of small domains.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

use kvrules_cel::value::from_schema;
use kvrules_generate::PseudoRandom;
use kvrules_ir::{Constant, Formula, Term, TermCall, TermRelation};
use kvrules_lift::{FormulaScope, is_implied, show_formula};
use serde_json::{Value, json};

/// Fields with all values that they may have, and the terms and constants that formulas compare.
struct Domain {
    schema: Value,
    values: Vec<Value>,
    terms: Vec<Term>,
    constants: Vec<Term>,
}

fn field(name: &str) -> Term {
    Term::Root("self".to_owned()).with_field(name)
}

fn call(function: &str, arguments: Vec<Term>) -> Term {
    Term::Call(TermCall { function: function.to_owned(), is_member: false, arguments })
}

fn method(function: &str, arguments: Vec<Term>) -> Term {
    Term::Call(TermCall { function: function.to_owned(), is_member: true, arguments })
}

fn integer(number: i64) -> Term {
    Term::Constant(Constant::Integer(number))
}

fn text(text: &str) -> Term {
    Term::Constant(Constant::Text(text.to_owned()))
}

/// All objects with each of the fields absent, if it may be, or one of its values.
fn objects(fields: &[(&str, &[Value], bool)]) -> Vec<Value> {
    let mut made = vec![json!({})];
    for (name, values, is_required) in fields {
        let mut next = if *is_required { Vec::new() } else { made.clone() };
        for object in &made {
            for value in *values {
                let mut object = object.clone();
                object[*name] = value.clone();
                next.push(object);
            }
        }
        made = next;
    }
    made
}

fn integers() -> Domain {
    let node = json!({"type": "integer", "minimum": 0, "maximum": 3});
    let values: Vec<Value> = (0..4).map(Value::from).collect();
    let [a, b, c] = ["a", "b", "c"].map(field);
    let twice = call("*", vec![integer(2), a.clone()]);
    Domain {
        schema: json!({"type": "object", "required": ["b"], "properties": {"a": node, "b": node, "c": node}}),
        values: objects(&[("a", &values, false), ("b", &values, true), ("c", &values, false)]),
        terms: vec![
            a.clone(),
            b.clone(),
            c.clone(),
            a.clone(),
            b.clone(),
            c.clone(),
            call("+", vec![a.clone(), integer(1)]),
            call("-", vec![b.clone(), integer(2)]),
            call("-", vec![a.clone(), b.clone()]),
            call("+", vec![a.clone(), call("-", vec![b, c])]),
            twice,
            call("neg", vec![a]),
        ],
        constants: (-1..5).map(integer).chain([Term::Constant(Constant::Float(1.5))]).collect(),
    }
}

fn numbers() -> Domain {
    let node = json!({"type": "number", "minimum": 0, "maximum": 1});
    let values = [0.0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 1.0].map(Value::from);
    Domain {
        schema: json!({"type": "object", "properties": {"a": node, "b": node, "c": {"type": "integer", "minimum": 0, "maximum": 1}}}),
        values: objects(&[("a", &values, false), ("b", &values, false), ("c", &[0.into(), 1.into()], false)]),
        terms: ["a", "b", "a", "b", "c"].map(field).to_vec(),
        constants: vec![
            Term::Constant(Constant::Float(0.5)),
            Term::Constant(Constant::Float(-0.0)),
            integer(0),
            integer(1),
        ],
    }
}

fn texts() -> Domain {
    let node = json!({"type": "string", "maxLength": 2});
    let values = ["", "A", "B", "C", "a", "aa", "ab", "aä", "b", "ba", "c", "ä"].map(Value::from);
    Domain {
        schema: json!({"type": "object", "properties": {"a": node, "b": node, "c": node}}),
        values: objects(&[("a", &values, false), ("b", &values, false), ("c", &values, false)]),
        terms: ["a", "b", "c", "a", "b"].map(field).to_vec(),
        constants: vec![text(""), text("a"), text("b")],
    }
}

fn durations() -> Domain {
    let node = json!({"type": "string", "maxLength": 9});
    let values = ["1s", "1500ms", "2s", "-3s", "x"].map(Value::from);
    let read = |term: Term| call("duration", vec![term]);
    let [a, b, c] = ["a", "b", "c"].map(|name| read(field(name)));
    Domain {
        schema: json!({"type": "object", "properties": {"a": node, "b": node, "c": {"type": "string", "format": "duration"}}}),
        values: objects(&[
            ("a", &values, false),
            ("b", &values, false),
            ("c", &["1s".into(), "2s".into()], false),
        ]),
        terms: vec![
            a.clone(),
            b.clone(),
            field("c"),
            call("+", vec![a.clone(), read(text("500ms"))]),
            call("-", vec![a, b]),
            c,
        ],
        constants: ["1s", "2s", "0s"].map(|constant| read(text(constant))).to_vec(),
    }
}

/// Comparisons of quantities by functions.
fn quantities() -> Domain {
    let node = json!({"type": "string", "maxLength": 9});
    let values = ["500m", "0.6", "1", "1000m", "1.2", "1400m", "2", "3", "4Ki", "x"].map(Value::from);
    let read = |term: Term| call("quantity", vec![term]);
    let sides: Vec<Term> = ["a", "b"]
        .map(|name| read(field(name)))
        .into_iter()
        .chain([read(text("1")), read(text("2000m"))])
        .collect();
    let mut terms = Vec::new();
    for left in &sides {
        for right in &sides {
            if left != right {
                terms.push(method("compareTo", vec![left.clone(), right.clone()]));
            }
        }
    }
    Domain {
        schema: json!({"type": "object", "properties": {"a": node, "b": node}}),
        values: objects(&[("a", &values, false), ("b", &values, false)]),
        terms,
        constants: [-1, 0, 1].map(integer).to_vec(),
    }
}

const RELATIONS: [TermRelation; 4] =
    [TermRelation::Equal, TermRelation::NotEqual, TermRelation::Less, TermRelation::LessOrEqual];

impl Domain {
    fn comparison(&self, chance: &mut PseudoRandom, share_of_constants: usize) -> Formula {
        let pick = |from: &[Term], chance: &mut PseudoRandom| from[chance.number_below(from.len())].clone();
        let left = pick(&self.terms, chance);
        let is_constant = chance.number_below(100) < share_of_constants;
        let right = pick(if is_constant { &self.constants } else { &self.terms }, chance);
        let relation = RELATIONS[chance.number_below(4)];
        let (left, right) = if chance.number_below(2) == 0 { (left, right) } else { (right, left) };
        Formula::comparison_of(left, relation, right)
    }

    fn formula(&self, chance: &mut PseudoRandom, share_of_constants: usize) -> Formula {
        let count = 2 + chance.number_below(5);
        let parts = (0..count).map(|_| match chance.number_below(8) {
            0 => Formula::any_of((0..2).map(|_| self.comparison(chance, share_of_constants))),
            1 => Formula::negation_of(self.comparison(chance, share_of_constants)),
            2 => {
                let (one, other) = (
                    self.comparison(chance, share_of_constants),
                    self.comparison(chance, share_of_constants),
                );
                Formula::any_of([Formula::negation_of(one), other])
            }
            _ => self.comparison(chance, share_of_constants),
        });
        Formula::all_of(parts.collect::<Vec<_>>())
    }
}

/// The numbers of formulas that no value satisfies, and of those that are proved to be.
fn compare_with_all_values(domain: &Domain, share_of_constants: usize, seed: u64) -> (usize, usize) {
    let values: Vec<_> = domain.values.iter().map(|value| from_schema(value, &domain.schema)).collect();
    let mut chance = PseudoRandom::with_seed(seed);
    let (mut never, mut proved) = (0, 0);
    for _ in 0..(400_000 / values.len()).min(1_500) {
        let formula = domain.formula(&mut chance, share_of_constants);
        let holding = values.iter().zip(&domain.values).find(|(value, _)| {
            FormulaScope::new().with_root("self", (*value).clone()).formula_holds(&formula)
        });
        let is_never = is_implied(&[&formula], &Formula::False, &domain.schema);
        if let Some((_, value)) = holding {
            assert!(!is_never, "{value} satisfies {}", show_formula(&formula));
        } else {
            never += 1;
            proved += usize::from(is_never);
        }
    }
    (never, proved)
}

#[test]
fn no_value_satisfies_what_is_proved_to_be_contradictory() {
    let domains = [
        ("integers", integers(), 30, 85),
        ("numbers", numbers(), 30, 90),
        ("texts", texts(), 40, 95),
        ("durations", durations(), 30, 50),
        ("quantities", quantities(), 100, 80),
    ];
    for (name, domain, share_of_constants, percent) in domains {
        let (never, proved) = compare_with_all_values(&domain, share_of_constants, 7);
        assert!(never > 60, "{name}: {never}");
        assert!(proved * 100 >= never * percent, "{name}: {proved} of {never}");
    }
}
