//! Facts about the atoms of a formula that the search for a case does not know by itself: sizes and patterns of a schema, how
//! texts and numbers that are compared with several constants relate, and fields of equal objects.

use kvrules_ir::{Constant, Formula, Term, TermRelation};
use kvrules_regex::{Automaton, TextDemands, TextSearch};
use serde_json::Value;

/// The most atoms for which facts are looked up.
const MOST_ATOMS: usize = 120;
/// The most conditions on one text that are compared with each other.
const MOST_CONDITIONS: usize = 12;
/// Longer sizes are not compared with patterns.
const LONGEST: i64 = 300;

/// A formula without loops together with the facts that every object of a schema has, as far as they concern its atoms.
pub(super) fn add_facts(formula: &Formula, schema: &Value) -> Formula {
    let facts = implied_facts(formula, schema);
    integer_orders(&Formula::all_of(std::iter::once(formula.clone()).chain(facts)), schema)
}

fn implied_facts(formula: &Formula, schema: &Value) -> Vec<Formula> {
    let mut atoms = AtomFacts { schema, comparisons: Vec::new(), terms: Vec::new(), facts: Vec::new() };
    atoms.collect_comparisons(formula);
    formula.visit_terms(&mut |term| atoms.add_term(term));
    if atoms.comparisons.len() > MOST_ATOMS {
        return Vec::new();
    }
    for term in atoms.terms.clone() {
        atoms.add_size_facts(&term);
        atoms.add_order_facts(&term);
        atoms.add_truth_facts(&term);
        atoms.add_text_facts(&term);
    }
    atoms.add_equality_facts();
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

    /// The constants that a term is compared with, in an order or only for equality.
    fn constants_of<'a>(&'a self, term: &'a Term, is_order: bool) -> impl Iterator<Item = &'a Constant> {
        self.comparisons.iter().filter_map(move |(left, relation, right)| {
            let orders = matches!(relation, TermRelation::Less | TermRelation::LessOrEqual);
            match (left, right) {
                (found, Term::Constant(constant)) | (Term::Constant(constant), found)
                    if found == term && orders == is_order =>
                {
                    Some(constant)
                }
                _ => None,
            }
        })
    }

    /// A fact about a term that need not have a value.
    fn add_if_defined(&mut self, term: &Term, fact: Formula) {
        let absent = Formula::negation_of(Formula::is_defined(term.clone()));
        self.facts.push(Formula::any_of([absent, fact]));
    }

    /// The least and the greatest size by the schema.
    fn add_size_facts(&mut self, term: &Term) {
        let Some(node) = sized_term(term).and_then(|of| self.node_of(of)) else { return };
        let (least, most) = match node.get("type").and_then(Value::as_str) {
            Some("string") if node.get("format").is_none() => ("minLength", "maxLength"),
            Some("array") => ("minItems", "maxItems"),
            Some("object") if node.get("properties").is_none() => ("minProperties", "maxProperties"),
            _ => return,
        };
        let [least, most] = [least, most].map(|key| node.get(key).and_then(Value::as_i64));
        let least = least.map(|least| at_most(integer(least), term.clone()));
        let most = most.map(|most| at_most(term.clone(), integer(most)));
        let facts: Vec<Formula> = least.into_iter().chain(most).collect();
        for fact in facts {
            self.add_if_defined(term, fact);
        }
    }

    /// A number is less than a constant, equal, or greater.
    fn add_order_facts(&mut self, term: &Term) {
        let constants: Vec<Constant> =
            self.constants_of(term, false).filter(|it| matches!(it, Constant::Integer(_))).cloned().collect();
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
        let is_truth = self.constants_of(term, false).any(|it| matches!(it, Constant::Boolean(_)));
        if is_truth {
            let sides = [true, false].map(|value| Formula::has_truth(term.clone(), value));
            self.add_if_defined(term, Formula::any_of(sides));
        }
    }

    /// Relations between the conditions on one text: its schema's pattern, patterns of rules, texts, sizes.
    fn add_text_facts(&mut self, term: &Term) {
        let own = self.node_of(term).filter(|node| node.get("format").is_none());
        let own = own.and_then(|node| node.get("pattern")?.as_str()).map(str::to_owned);
        let mut conditions: Vec<TextCondition> = Vec::new();
        if let Some(pattern) = &own {
            let call = Term::call_of(
                "matches",
                true,
                vec![term.clone(), Term::Constant(Constant::Text(pattern.clone()))],
            );
            let matches = Formula::has_truth(call, true);
            self.add_if_defined(term, matches.clone());
            conditions.extend(TextCondition::new(matches, pattern));
        }
        let size = Term::size_of(term.clone());
        let mut sizes: Vec<i64> = [true, false]
            .into_iter()
            .flat_map(|is_order| {
                self.constants_of(&size, is_order).filter_map(integer_of).collect::<Vec<_>>()
            })
            .collect();
        for text in self.constants_of(term, false).filter_map(text_of).collect::<Vec<_>>() {
            let equal = Formula::comparison_of(
                term.clone(),
                TermRelation::Equal,
                Term::Constant(Constant::Text(text.clone())),
            );
            conditions.extend(TextCondition::new(equal, &format!("^{}$", quoted(&text))));
        }
        for call in self.terms.iter().filter(|it| is_test_of(it, term)) {
            let pattern = tested_pattern(call);
            conditions.extend(
                pattern.and_then(|it| TextCondition::new(Formula::has_truth(call.clone(), true), &it)),
            );
        }
        if !conditions.is_empty() && !self.terms.contains(&size) {
            self.add_size_facts(&size);
            let node = self.node_of(term).filter(|node| node.get("format").is_none());
            let limits = ["minLength", "maxLength"].map(|key| node?.get(key)?.as_i64());
            sizes.extend(limits.into_iter().flatten());
        }
        if !conditions.is_empty() || !sizes.is_empty() {
            self.add_empty_text(term, &size, &sizes, &mut conditions);
        }
        conditions.truncate(MOST_CONDITIONS);
        let mut facts = Vec::new();
        for (at, one) in conditions.iter().enumerate() {
            facts.extend(conditions.iter().skip(at + 1).flat_map(|other| one.relations_to(other)));
            facts.extend(sizes.iter().flat_map(|bound| one.sizes_around(*bound, &size)));
        }
        for fact in facts {
            self.add_if_defined(term, fact);
        }
    }

    /// A text of size 0 is the empty text. Only of texts that are compared with texts, or have the type by the schema.
    fn add_empty_text(
        &mut self,
        term: &Term,
        size: &Term,
        sizes: &[i64],
        conditions: &mut Vec<TextCondition>,
    ) {
        let is_text = !conditions.is_empty()
            || self
                .node_of(term)
                .is_some_and(|node| node.get("type").and_then(Value::as_str) == Some("string"));
        if !is_text || sizes.is_empty() {
            return;
        }
        let empty = Formula::comparison_of(
            term.clone(),
            TermRelation::Equal,
            Term::Constant(Constant::Text(String::new())),
        );
        let longer = at_most(integer(1), size.clone());
        self.add_if_defined(term, Formula::any_of([empty.clone(), longer]));
        if !conditions.iter().any(|it| it.formula == empty) {
            conditions.extend(TextCondition::new(empty, "^$"));
        }
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

    fn node_of(&self, term: &Term) -> Option<&Value> {
        node_of(term, self.schema)
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
    let of_parts = |parts: &[Formula]| -> Vec<Formula> {
        parts.iter().map(|part| integer_orders(part, schema)).collect()
    };
    let less =
        |term: &Term, number: i64| Formula::comparison_of(term.clone(), TermRelation::Less, integer(number));
    let not_less = |term: &Term, number: i64| {
        let defined = Formula::is_defined(term.clone());
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

fn integer(number: i64) -> Term {
    Term::Constant(Constant::Integer(number))
}

fn at_most(left: Term, right: Term) -> Formula {
    Formula::comparison_of(left, TermRelation::LessOrEqual, right)
}

fn integer_of(constant: &Constant) -> Option<i64> {
    match constant {
        Constant::Integer(number) => Some(*number),
        _ => None,
    }
}

fn text_of(constant: &Constant) -> Option<String> {
    match constant {
        Constant::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// Of `size(x)`, `x`.
fn sized_term(term: &Term) -> Option<&Term> {
    match term {
        Term::Call(call) if call.function == "size" => call.arguments.first(),
        _ => None,
    }
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
    let absent = |term: &Term| Formula::negation_of(Formula::is_defined(term.clone()));
    Formula::any_of([
        Formula::comparison_of(one.clone(), TermRelation::Equal, other.clone()),
        Formula::all_of([absent(&one), absent(&other)]),
    ])
}

/// True for calls such as `term.startsWith(…)`.
fn is_test_of(call: &Term, term: &Term) -> bool {
    matches!(call, Term::Call(call) if call.arguments.first() == Some(term) && call.arguments.len() == 2)
}

/// The pattern that texts match for which a call with a constant is true.
fn tested_pattern(call: &Term) -> Option<String> {
    let Term::Call(call) = call else { return None };
    let [_, Term::Constant(Constant::Text(text))] = call.arguments.as_slice() else { return None };
    match call.function.as_str() {
        "matches" => Some(text.clone()),
        "contains" => Some(quoted(text)),
        "startsWith" => Some(format!("^{}", quoted(text))),
        "endsWith" => Some(format!("{}$", quoted(text))),
        _ => None,
    }
}

/// A pattern for a text, each character of it literally.
fn quoted(text: &str) -> String {
    let mut pattern = String::new();
    for char in text.chars() {
        if char.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

/// A condition on a text with the automaton of the texts that meet it.
struct TextCondition {
    formula: Formula,
    automaton: Automaton,
}

impl TextCondition {
    fn new(formula: Formula, pattern: &str) -> Option<Self> {
        let automaton = kvrules_regex::parse(pattern).ok()?.to_automaton()?;
        Some(Self { formula, automaton })
    }

    fn is_met(&self, value: bool) -> Formula {
        if value { self.formula.clone() } else { Formula::negation_of(self.formula.clone()) }
    }

    /// What is excluded of the two conditions together.
    fn relations_to(&self, other: &Self) -> Vec<Formula> {
        let both = [&self.automaton, &other.automaton];
        [(true, true), (true, false), (false, true), (false, false)]
            .into_iter()
            .filter(|(one, second)| {
                let with = |wanted: bool| -> Vec<&Automaton> {
                    both.into_iter()
                        .zip([*one, *second])
                        .filter(|(_, is)| *is == wanted)
                        .map(|(it, _)| it)
                        .collect()
                };
                is_empty(&with(true), &with(false), (0, None))
            })
            .map(|(one, second)| Formula::any_of([self.is_met(!one), other.is_met(!second)]))
            .collect()
    }

    /// The sizes of the texts that meet it, compared with a bound and its neighbours.
    fn sizes_around(&self, bound: i64, size: &Term) -> Vec<Formula> {
        let mut facts = Vec::new();
        for bound in [bound.saturating_sub(1), bound, bound.saturating_add(1)] {
            let Ok(number) = usize::try_from(bound) else { continue };
            if bound > LONGEST {
                continue;
            }
            if is_empty(&[&self.automaton], &[], (number + 1, None)) {
                facts.push(Formula::any_of([self.is_met(false), at_most(size.clone(), integer(bound))]));
            }
            if number > 0 && is_empty(&[&self.automaton], &[], (0, Some(number - 1))) {
                facts.push(Formula::any_of([self.is_met(false), at_most(integer(bound), size.clone())]));
            }
        }
        facts
    }
}

/// True if no text of these lengths matches and lacks these.
fn is_empty(matches: &[&Automaton], lacks: &[&Automaton], length: (usize, Option<usize>)) -> bool {
    matches!((TextDemands { matches, lacks, length }).find_text(), TextSearch::Nothing)
}
