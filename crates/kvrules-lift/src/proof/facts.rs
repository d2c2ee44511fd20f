//! Facts about the atoms of a formula that the search for a case does not know by itself: how numbers that are compared with several
//! constants relate, and fields of equal objects.

use kvrules_ir::{Constant, Formula, Term, TermCall, TermRelation};
use serde_json::Value;

use crate::atoms::still_defined;

/// The most atoms for which facts are looked up.
const MOST_ATOMS: usize = 120;

/// A formula without loops together with the facts that every object of a schema has, as far as they concern its atoms.
pub(super) fn add_facts(formula: &Formula, schema: &Value) -> Formula {
    let facts = implied_facts(formula, schema);
    if facts.is_empty() {
        return integer_orders(formula, schema);
    }
    integer_orders(&Formula::all_of(std::iter::once(formula.clone()).chain(facts)), schema)
}

fn implied_facts(formula: &Formula, schema: &Value) -> Vec<Formula> {
    let mut atoms = AtomFacts { schema, comparisons: Vec::new(), terms: Vec::new(), facts: Vec::new() };
    atoms.collect_comparisons(formula);
    if atoms.comparisons.len() > MOST_ATOMS {
        return Vec::new();
    }
    formula.visit_terms(&mut |term| atoms.add_term(term));
    for term in atoms.terms.clone() {
        atoms.add_order_facts(&term);
        atoms.add_truth_facts(&term);
    }
    atoms.add_equality_facts();
    atoms.add_quantity_facts();
    atoms.facts
}

/// A comparison of two terms.
type Comparison = (Term, TermRelation, Term);

struct AtomFacts<'s> {
    schema: &'s Value,
    comparisons: Vec<Comparison>,
    terms: Vec<Term>,
    facts: Vec<Formula>,
}

impl AtomFacts<'_> {
    fn collect_comparisons(&mut self, formula: &Formula) {
        match formula {
            Formula::All(parts) | Formula::Any(parts) => {
                for part in parts {
                    self.collect_comparisons(part);
                }
            }
            Formula::Not(inner) => self.collect_comparisons(inner),
            Formula::Compare { left, relation, right } => {
                let comparison = (left.clone(), *relation, right.clone());
                if !self.comparisons.contains(&comparison) {
                    self.comparisons.push(comparison);
                }
            }
            _ => {}
        }
    }

    fn add_term(&mut self, term: &Term) {
        let is_plain = !matches!(term, Term::Constant(_) | Term::Tally(_) | Term::Collect(_) | Term::List(_));
        if is_plain && !self.terms.contains(term) {
            self.terms.push(term.clone());
        }
    }

    /// The constants that a term is compared with for equality.
    fn constants_of<'a>(&'a self, term: &'a Term) -> impl Iterator<Item = &'a Constant> {
        self.comparisons.iter().filter_map(move |(left, relation, right)| {
            let orders = matches!(relation, TermRelation::Less | TermRelation::LessOrEqual);
            match (left, right) {
                (found, Term::Constant(constant)) | (Term::Constant(constant), found)
                    if found == term && !orders =>
                {
                    Some(constant)
                }
                _ => None,
            }
        })
    }

    /// A fact about a term that need not have a value.
    fn add_if_defined(&mut self, term: &Term, fact: Formula) {
        let absent = Formula::negation_of(still_defined(term.clone()));
        self.facts.push(Formula::any_of([absent, fact]));
    }

    /// A number is less than a constant, equal, or greater.
    fn add_order_facts(&mut self, term: &Term) {
        let constants: Vec<Constant> =
            self.constants_of(term).filter(|it| matches!(it, Constant::Integer(_))).cloned().collect();
        if !is_integer(term, self.schema) {
            return;
        }
        for constant in constants {
            let constant = Term::Constant(constant);
            let compare = |left: &Term, relation, right: &Term| {
                Formula::comparison_of(left.clone(), relation, right.clone())
            };
            let less = compare(term, TermRelation::Less, &constant);
            let equal = compare(term, TermRelation::Equal, &constant);
            let greater = compare(&constant, TermRelation::Less, term);
            self.add_if_defined(term, Formula::any_of([less.clone(), equal.clone(), greater.clone()]));
            let differ = Formula::negation_of(equal);
            for order in [less, greater] {
                self.add_if_defined(term, Formula::any_of([differ.clone(), Formula::negation_of(order)]));
            }
        }
    }

    /// What is compared with `true` or `false` is one of them.
    fn add_truth_facts(&mut self, term: &Term) {
        let is_truth = self.constants_of(term).any(|it| matches!(it, Constant::Boolean(_)));
        if is_truth {
            let sides = [true, false].map(|value| Formula::has_truth(term.clone(), value));
            self.add_if_defined(term, Formula::any_of(sides));
        }
    }

    /// A comparison of a quantity holds only if its text is one.
    fn add_quantity_facts(&mut self) {
        let mut facts = Vec::new();
        for (left, relation, right) in &self.comparisons {
            let holds = Formula::comparison_of(left.clone(), *relation, right.clone());
            for text in [left, right].into_iter().flat_map(quantity_texts) {
                let function = "isQuantity".to_owned();
                let call = TermCall { function, is_member: false, arguments: vec![text.clone()] };
                let is_quantity = Formula::has_truth(Term::Call(call), true);
                facts.push(Formula::any_of([Formula::negation_of(holds.clone()), is_quantity]));
            }
        }
        self.facts.extend(facts);
    }

    /// Equal objects have equal fields, and equal values are not in an order.
    fn add_equality_facts(&mut self) {
        let mut facts = Vec::new();
        for (left, relation, right) in &self.comparisons {
            let is_equality = matches!(relation, TermRelation::Equal | TermRelation::NotEqual);
            if !is_equality || matches!(right, Term::Constant(_)) {
                continue;
            }
            let differ = Formula::negation_of(Formula::comparison_of(
                left.clone(),
                TermRelation::Equal,
                right.clone(),
            ));
            for [one, other] in [[left, right], [right, left]] {
                let less = Formula::comparison_of(one.clone(), TermRelation::Less, other.clone());
                facts.push(Formula::any_of([differ.clone(), Formula::negation_of(less)]));
            }
            for name in
                self.terms.iter().filter_map(|term| field_of(term, left).or_else(|| field_of(term, right)))
            {
                let fields = [left, right].map(|of| of.clone().with_field(name));
                facts.push(Formula::any_of([differ.clone(), are_alike(fields)]));
            }
        }
        self.facts.extend(facts);
    }
}

/// The texts that are quantities if a term has a value.
fn quantity_texts(term: &Term) -> Vec<&Term> {
    let Term::Call(call) = term else { return Vec::new() };
    match (call.function.as_str(), call.arguments.as_slice()) {
        ("quantity", [text]) => vec![text],
        ("compareTo" | "isGreaterThan" | "isLessThan" | "add" | "sub" | "sign", arguments) => {
            arguments.iter().flat_map(quantity_texts).collect()
        }
        _ => Vec::new(),
    }
}

/// The schema of a part of `self`.
fn node_of<'s>(term: &Term, schema: &'s Value) -> Option<&'s Value> {
    match term {
        Term::Root(name) if name == "self" => Some(schema),
        Term::Field(of, name) => {
            let node = node_of(of, schema)?;
            node.get("properties").and_then(|all| all.get(name)).or_else(|| node.get("additionalProperties"))
        }
        Term::Index(of, _) => kvrules_generate::values_below(node_of(of, schema)?),
        _ => None,
    }
}

/// True for terms whose values are integers.
fn is_integer(term: &Term, schema: &Value) -> bool {
    let is_integer = |node: &Value| node.get("type").and_then(Value::as_str) == Some("integer");
    match term {
        Term::Call(call) => matches!(call.function.as_str(), "size" | "int"),
        _ => node_of(term, schema).is_some_and(is_integer),
    }
}

/// The formula with all orders between integers and constants in one form, `term < constant`.
fn integer_orders(formula: &Formula, schema: &Value) -> Formula {
    if !has_integer_order(formula) {
        return formula.clone();
    }
    let of_parts = |parts: &[Formula]| -> Vec<Formula> {
        parts.iter().map(|part| integer_orders(part, schema)).collect()
    };
    let less =
        |term: &Term, number: i64| Formula::comparison_of(term.clone(), TermRelation::Less, integer(number));
    let not_less = |term: &Term, number: i64| {
        let defined = still_defined(term.clone());
        Formula::all_of([defined, Formula::negation_of(less(term, number))])
    };
    match formula {
        Formula::All(parts) => Formula::all_of(of_parts(parts)),
        Formula::Any(parts) => Formula::any_of(of_parts(parts)),
        Formula::Not(inner) => Formula::negation_of(integer_orders(inner, schema)),
        Formula::Compare { left, relation, right } => match (left, relation, right) {
            (term, TermRelation::LessOrEqual, Term::Constant(Constant::Integer(number)))
                if is_integer(term, schema) && *number < i64::MAX =>
            {
                less(term, number + 1)
            }
            (Term::Constant(Constant::Integer(number)), TermRelation::Less, term)
                if is_integer(term, schema) && *number < i64::MAX =>
            {
                not_less(term, number + 1)
            }
            (Term::Constant(Constant::Integer(number)), TermRelation::LessOrEqual, term)
                if is_integer(term, schema) =>
            {
                not_less(term, *number)
            }
            _ => formula.clone(),
        },
        _ => formula.clone(),
    }
}

/// True if a formula has an order between a term and an integer, outside of loops.
fn has_integer_order(formula: &Formula) -> bool {
    let is_integer = |term: &Term| matches!(term, Term::Constant(Constant::Integer(_)));
    match formula {
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(has_integer_order),
        Formula::Not(inner) => has_integer_order(inner),
        Formula::Compare { left, relation: TermRelation::Less | TermRelation::LessOrEqual, right } => {
            is_integer(left) || is_integer(right)
        }
        _ => false,
    }
}

fn integer(number: i64) -> Term {
    Term::Constant(Constant::Integer(number))
}

/// The name of a field of an object.
fn field_of<'t>(term: &'t Term, object: &Term) -> Option<&'t str> {
    match term {
        Term::Field(of, name) if **of == *object => Some(name),
        _ => None,
    }
}

/// Both have the same value, or neither has one.
fn are_alike([one, other]: [Term; 2]) -> Formula {
    let absent = |term: &Term| Formula::negation_of(still_defined(term.clone()));
    Formula::any_of([
        Formula::comparison_of(one.clone(), TermRelation::Equal, other.clone()),
        Formula::all_of([absent(&one), absent(&other)]),
    ])
}
