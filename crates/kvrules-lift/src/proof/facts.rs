//! Facts about the atoms of a formula that the search for a case does not know by itself: how numbers that are compared with several
//! constants relate, and fields of equal objects.

use std::collections::HashMap;

use kvrules_ir::{Constant, Formula, Term, TermCall, TermRelation};
use serde_json::Value;

use crate::atoms::{at_least as at_least_of, still_defined};
use crate::quick_hash::QuickSet;

/// Variables of loops within terms, once a formula is made free of loops.
pub(super) const FIRST_INNER: u32 = 1 << 24;

/// The most atoms for which facts are looked up.
const MOST_ATOMS: usize = 120;

/// A comparison of two terms.
type Comparison<'f> = (&'f Term, TermRelation, &'f Term);

/// The facts that every object of a schema has, as far as they concern the atoms of a formula without loops.
pub(super) fn implied_facts(formula: &Formula, schema: &Value) -> Vec<Formula> {
    let mut atoms = AtomFacts::default();
    atoms.collect_comparisons(formula);
    if atoms.comparisons.len() > MOST_ATOMS {
        return Vec::new();
    }
    atoms.add_constant_facts(schema);
    atoms.add_equality_facts(formula);
    atoms.add_quantity_facts();
    atoms.facts.extend(size_facts(formula, schema));
    atoms.facts
}

/// The terms that a formula compares for equality with terms other than constants: their fields are equal too.
pub(super) fn equal_terms(formula: &Formula) -> Vec<&Term> {
    let mut atoms = AtomFacts::default();
    atoms.collect_comparisons(formula);
    atoms.equalities().into_iter().flat_map(|(left, right)| [left, right]).collect()
}

#[derive(Default)]
struct AtomFacts<'f> {
    comparisons: Vec<Comparison<'f>>,
    known: QuickSet<Comparison<'f>>,
    facts: Vec<Formula>,
}

impl<'f> AtomFacts<'f> {
    fn collect_comparisons(&mut self, formula: &'f Formula) {
        match formula {
            Formula::All(parts) | Formula::Any(parts) => {
                for part in parts {
                    self.collect_comparisons(part);
                }
            }
            Formula::Not(inner) => self.collect_comparisons(inner),
            Formula::Compare { left, relation, right } => {
                let comparison = (left, *relation, right);
                if self.known.insert(comparison) {
                    self.comparisons.push(comparison);
                }
            }
            _ => {}
        }
    }

    /// A fact about a term that need not have a value.
    fn add_if_defined(&mut self, term: &Term, fact: Formula) {
        let absent = Formula::negation_of(still_defined(term.clone()));
        self.facts.push(Formula::any_of([absent, fact]));
    }

    /// Facts about terms that are compared with constants for equality.
    fn add_constant_facts(&mut self, schema: &Value) {
        let mut numbers = QuickSet::default();
        let mut truths = QuickSet::default();
        for (left, relation, right) in self.comparisons.clone() {
            let orders = matches!(relation, TermRelation::Less | TermRelation::LessOrEqual);
            let ((term, Term::Constant(constant)) | (Term::Constant(constant), term)) = (left, right) else {
                continue;
            };
            if orders || !is_plain(term) {
                continue;
            }
            match constant {
                Constant::Integer(number) if is_integer(term, schema) && numbers.insert((term, *number)) => {
                    self.add_order_facts(term, *number);
                }
                Constant::Boolean(_) if truths.insert(term) => self.add_truth_fact(term),
                _ => {}
            }
        }
    }

    /// A number is less than a constant, equal, or greater.
    fn add_order_facts(&mut self, term: &Term, number: i64) {
        let less = integer_order(term, TermRelation::Less, number);
        let equal = Formula::comparison_of(term.clone(), TermRelation::Equal, integer(number));
        let greater = Formula::all_of([
            still_defined(term.clone()),
            Formula::negation_of(integer_order(term, TermRelation::LessOrEqual, number)),
        ]);
        self.add_if_defined(term, Formula::any_of([less.clone(), equal.clone(), greater.clone()]));
        let differ = Formula::negation_of(equal);
        for order in [less, greater] {
            self.add_if_defined(term, Formula::any_of([differ.clone(), Formula::negation_of(order)]));
        }
    }

    /// A term that is compared with `true` or `false` is one of them.
    fn add_truth_fact(&mut self, term: &Term) {
        let sides = [true, false].map(|value| Formula::has_truth(term.clone(), value));
        self.add_if_defined(term, Formula::any_of(sides));
    }

    /// A comparison of a quantity holds only if its text is one.
    fn add_quantity_facts(&mut self) {
        for (left, relation, right) in &self.comparisons {
            for text in [*left, *right].into_iter().flat_map(quantity_texts) {
                let holds = Formula::comparison_of((*left).clone(), *relation, (*right).clone());
                let function = "isQuantity".to_owned();
                let call = TermCall { function, is_member: false, arguments: vec![text.clone()] };
                let is_quantity = Formula::has_truth(Term::Call(call), true);
                self.facts.push(Formula::any_of([Formula::negation_of(holds), is_quantity]));
            }
        }
    }

    /// The pairs of terms, none of them a constant, that are compared for equality.
    fn equalities(&self) -> Vec<(&'f Term, &'f Term)> {
        let equality = |(left, relation, right): &Comparison<'f>| {
            let is_equality = matches!(relation, TermRelation::Equal | TermRelation::NotEqual);
            (is_equality && !matches!(right, Term::Constant(_))).then_some((*left, *right))
        };
        self.comparisons.iter().filter_map(equality).collect()
    }

    /// Equal objects have equal fields, and equal values are not in an order.
    fn add_equality_facts(&mut self, formula: &Formula) {
        let equalities = self.equalities();
        if equalities.is_empty() {
            return;
        }
        let fields = fields_of_objects(formula);
        let names = |object: &Term| fields.get(object).map(Vec::as_slice).unwrap_or_default();
        for (left, right) in equalities {
            let differ = Formula::negation_of(Formula::comparison_of(
                left.clone(),
                TermRelation::Equal,
                right.clone(),
            ));
            for [one, other] in [[left, right], [right, left]] {
                let less = Formula::comparison_of(one.clone(), TermRelation::Less, other.clone());
                self.facts.push(Formula::any_of([differ.clone(), Formula::negation_of(less)]));
            }
            let of_left = names(left);
            let of_right = names(right).iter().filter(|name| !of_left.contains(name));
            for name in of_left.iter().chain(of_right) {
                let fields = [left, right].map(|of| of.clone().with_field(*name));
                self.facts.push(Formula::any_of([differ.clone(), are_alike(fields)]));
            }
        }
    }
}

/// The most entries of one map that are counted.
const MOST_ENTRIES: usize = 4;

/// A list or map with entries that a formula names has at least as many.
fn size_facts(formula: &Formula, schema: &Value) -> Vec<Formula> {
    let (mut sizes, mut entries) = (Vec::new(), HashMap::<&Term, Vec<&Term>>::new());
    formula.visit_terms(&mut |term| match term {
        Term::Call(call) if call.function == "size" => {
            sizes.extend(call.arguments.first().filter(|of| !sizes.contains(of)));
        }
        // An entry within a term is there if there is one: its list may be empty.
        Term::Field(of, _) | Term::Index(of, _) if !names_inner_variable(term) => {
            let known = entries.entry(of).or_default();
            if !known.contains(&term) {
                known.push(term);
            }
        }
        _ => {}
    });
    let mut facts = Vec::new();
    for of in sizes {
        let named = entries.get(of).map(Vec::as_slice).unwrap_or_default();
        let at_least = |number: i64| {
            let less = integer_order(&Term::size_of(of.clone()), TermRelation::Less, number);
            Formula::negation_of(less)
        };
        // Different names are different entries.
        let by_name: Vec<Formula> = named
            .iter()
            .filter(|term| matches!(term, Term::Field(..)))
            .take(MOST_ENTRIES)
            .map(|term| still_defined((*term).clone()))
            .collect();
        for number in 1_i64.. {
            if usize::try_from(number).is_ok_and(|number| number > by_name.len()) {
                break;
            }
            let have_fewer = Formula::negation_of(at_least_of(&by_name, number));
            facts.push(Formula::any_of([have_fewer, at_least(number)]));
        }
        let is_list = node_of(of, schema).and_then(|node| node.get("type")).is_some_and(|it| it == "array");
        for term in named {
            let Term::Index(_, key) = term else { continue };
            let absent = Formula::negation_of(still_defined((*term).clone()));
            let least = match &**key {
                Term::Constant(Constant::Integer(number)) if is_list => number.saturating_add(1).max(1),
                _ => 1,
            };
            facts.push(Formula::any_of([absent, at_least(least)]));
        }
    }
    facts
}

/// True for terms about an entry of a loop within a term.
fn names_inner_variable(term: &Term) -> bool {
    match term {
        Term::Variable(variable) => variable.0 >= FIRST_INNER,
        Term::Field(of, _) => names_inner_variable(of),
        Term::Index(of, key) => names_inner_variable(of) || names_inner_variable(key),
        Term::Call(call) => call.arguments.iter().any(names_inner_variable),
        Term::List(items) => items.iter().any(names_inner_variable),
        Term::Root(_) | Term::Constant(_) | Term::Collect(_) | Term::Tally(_) => false,
    }
}

/// True for terms about which there are facts.
fn is_plain(term: &Term) -> bool {
    !matches!(term, Term::Constant(_) | Term::Tally(_) | Term::Collect(_) | Term::List(_))
}

/// The names of the fields that a formula mentions, by the object that has them.
fn fields_of_objects(formula: &Formula) -> HashMap<&Term, Vec<&str>> {
    let mut fields: HashMap<&Term, Vec<&str>> = HashMap::new();
    formula.visit_terms(&mut |term| {
        if let Term::Field(of, name) = term {
            let names = fields.entry(of).or_default();
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    });
    fields
}

/// True if a formula mentions a field of one of some objects.
pub(super) fn mentions_field_of(formula: &Formula, objects: &[Term]) -> bool {
    let mut found = false;
    formula.visit_terms(&mut |term| {
        found |= matches!(term, Term::Field(of, _) if objects.contains(&**of));
    });
    found
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
    // A field that is null counts as one without a value; other values may be null.
    let is_declared = |of: &Term, name: &String| {
        node_of(of, schema).and_then(|of| of.get("properties")?.get(name)).is_some()
    };
    let is_field = matches!(term, Term::Field(of, name) if is_declared(of, name));
    let is_integer = |node: &Value| {
        node.get("type").and_then(Value::as_str) == Some("integer")
            && (is_field || node.get("nullable") != Some(&Value::Bool(true)))
    };
    match term {
        Term::Call(call) => matches!(call.function.as_str(), "size" | "int"),
        _ => node_of(term, schema).is_some_and(is_integer),
    }
}

/// The formula with an order between an integer and a constant in the form `term < constant`, which all of them have in proofs.
pub(super) fn with_integer_order(formula: Formula, schema: &Value) -> Formula {
    let Formula::Compare { left, relation, right } = &formula else { return formula };
    let not_less = |term: &Term, number: i64| {
        let less = integer_order(term, TermRelation::Less, number);
        Formula::all_of([still_defined(term.clone()), Formula::negation_of(less)])
    };
    match (left, relation, right) {
        (term, TermRelation::LessOrEqual, Term::Constant(Constant::Integer(number)))
            if *number < i64::MAX && is_integer(term, schema) =>
        {
            integer_order(term, TermRelation::LessOrEqual, *number)
        }
        (Term::Constant(Constant::Integer(number)), TermRelation::Less, term)
            if *number < i64::MAX && is_integer(term, schema) =>
        {
            not_less(term, number + 1)
        }
        (Term::Constant(Constant::Integer(number)), TermRelation::LessOrEqual, term)
            if is_integer(term, schema) =>
        {
            not_less(term, *number)
        }
        _ => formula,
    }
}

/// The comparison of a term with a number, in the form that orders of integers have in proofs.
fn integer_order(term: &Term, relation: TermRelation, number: i64) -> Formula {
    match (relation, number.checked_add(1)) {
        (TermRelation::LessOrEqual, Some(next)) => {
            Formula::comparison_of(term.clone(), TermRelation::Less, integer(next))
        }
        _ => Formula::comparison_of(term.clone(), relation, integer(number)),
    }
}

fn integer(number: i64) -> Term {
    Term::Constant(Constant::Integer(number))
}

/// Both have the same value, or neither has one.
fn are_alike([one, other]: [Term; 2]) -> Formula {
    let absent = |term: &Term| Formula::negation_of(still_defined(term.clone()));
    Formula::any_of([
        Formula::comparison_of(one.clone(), TermRelation::Equal, other.clone()),
        Formula::all_of([absent(&one), absent(&other)]),
    ])
}
