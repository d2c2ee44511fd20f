//! Statements that contradict each other because of what values are: constants differ, orders have no circles, and a schema has bounds.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use kvrules_ir::{Constant, Term};
use kvrules_kubernetes::keywords::INT_OR_STRING;
use serde_json::Value as Json;

use super::Statement;
use super::keys::term_key;

/// The most inequalities of one elimination.
const MOST_INEQUALITIES: usize = 1_500;
/// The most excluded equalities that are examined.
const MOST_EXCLUDED: usize = 24;

/// The schema as it is read for terms.
pub(super) struct SchemaReader<'s> {
    pub(super) schema: &'s Json,
}

/// A statement with its answer.
pub(super) type Literal = (Statement, bool);

impl<'s> SchemaReader<'s> {
    /// The schema of a part of the object or of the stored object.
    fn node(&self, term: &Term) -> Option<&'s Json> {
        match term {
            Term::Root(name) if name == "self" || name == "oldSelf" => Some(self.schema),
            Term::Field(of, name) => {
                let node = self.node(of)?;
                let property = node.get("properties").and_then(|all| all.get(name));
                property.or_else(|| entries_of(node))
            }
            Term::Index(of, _) => entries_of(self.node(of)?),
            _ => None,
        }
    }

    /// The schema that a value has. Stored objects may be older than the schema, and some values may be null.
    pub(super) fn facts(&self, term: &Term) -> Option<&'s Json> {
        let mut root = term;
        while let Term::Field(of, _) | Term::Index(of, _) = root {
            root = of;
        }
        let is_stored = matches!(root, Term::Root(name) if name == "oldSelf");
        self.typed_node(term).filter(|_| !is_stored)
    }

    /// The schema of a value that has its type.
    fn typed_node(&self, term: &Term) -> Option<&'s Json> {
        let node = self.node(term)?;
        let is_declared =
            |of: &Term, name: &str| self.node(of).and_then(|of| of.get("properties")?.get(name)).is_some();
        let may_be_null = is_true(node, "nullable")
            && match term {
                Term::Field(of, name) => !is_declared(of, name),
                _ => true,
            };
        (!may_be_null && !is_true(node, INT_OR_STRING)).then_some(node)
    }

    fn type_of(&self, term: &Term) -> Option<&'s str> {
        self.typed_node(term)?.get("type")?.as_str()
    }

    pub(super) fn is_list(&self, term: &Term) -> bool {
        self.node(term).and_then(|node| node.get("type")).is_some_and(|kind| kind == "array")
    }

    pub(super) fn is_integer(&self, term: &Term) -> bool {
        match term {
            Term::Constant(constant) => matches!(constant, Constant::Integer(_)),
            Term::Tally(_) => true,
            Term::Call(call) => match call.function.as_str() {
                "size" | "int" | "indexOf" | "lastIndexOf" | "compareTo" | "sign" => true,
                "+" | "-" | "*" | "neg" => call.arguments.iter().all(|part| self.is_integer(part)),
                _ => false,
            },
            _ => self.type_of(term) == Some("integer"),
        }
    }

    /// True if a field has a value wherever the object around it has.
    pub(super) fn is_always_there(&self, object: &Term, name: &str) -> bool {
        let Some(node) = self.facts(object) else { return false };
        let Some(property) = node.get("properties").and_then(|all| all.get(name)) else { return false };
        let required = node.get("required").and_then(Json::as_array).into_iter().flatten();
        let has_default = property.get("default").is_some_and(|default| !default.is_null());
        !is_true(property, "nullable") && (has_default || required.into_iter().any(|known| known == name))
    }

    /// True if both terms have values of one kind that has an order.
    pub(super) fn are_ordered(&self, one: &Term, other: &Term) -> bool {
        let kind = |term: &Term| match term {
            Term::Constant(Constant::Integer(_)) => Some("integer"),
            Term::Constant(Constant::Text(_)) => Some("string"),
            Term::Constant(Constant::Boolean(_)) => Some("boolean"),
            Term::Constant(Constant::Float(_)) => Some("number"),
            term if self.is_integer(term) => Some("integer"),
            term => self.type_of(term).filter(|kind| ["number", "string", "boolean"].contains(kind)),
        };
        let is_number = |kind: &str| kind == "integer" || kind == "number";
        match (kind(one), kind(other)) {
            (Some(one), Some(other)) => one == other || is_number(one) && is_number(other),
            _ => false,
        }
    }

    /// The name of the type in CEL that all values of a term have.
    pub(super) fn type_name(&self, term: &Term) -> Option<&'static str> {
        let format = self.typed_node(term)?.get("format").and_then(Json::as_str).unwrap_or_default();
        match self.type_of(term)? {
            "integer" => Some("int"),
            "boolean" => Some("bool"),
            "string" if !["byte", "date", "date-time", "duration"].contains(&format) => Some("string"),
            _ => None,
        }
    }

    /// The values that the schema lists.
    pub(super) fn listed(&self, term: &Term) -> Option<Vec<Constant>> {
        let node = self.facts(term).filter(|node| !is_true(node, "nullable"))?;
        if node.get("type").is_some_and(|kind| kind == "boolean") {
            return Some(vec![Constant::Boolean(true), Constant::Boolean(false)]);
        }
        let constant = |value: &Json| match value {
            Json::String(text) => Some(Constant::Text(text.clone())),
            Json::Number(number) => number.as_i64().map(Constant::Integer),
            Json::Bool(value) => Some(Constant::Boolean(*value)),
            _ => None,
        };
        node.get("enum")?.as_array()?.iter().map(constant).collect()
    }

    /// The least and the greatest value of an integer.
    fn integer_bounds(&self, term: &Term) -> [Option<i128>; 2] {
        match term {
            Term::Tally(parts) => [Some(0), i128::try_from(parts.len()).ok()],
            Term::Call(call) => match (call.function.as_str(), call.arguments.as_slice()) {
                ("size", [of]) => {
                    let [least, most] = self.size_bounds(of);
                    [Some(least.unwrap_or(0).max(0)), most]
                }
                ("compareTo" | "sign", _) => [Some(-1), Some(1)],
                _ => [None, None],
            },
            _ => {
                let Some(node) = self.facts(term) else { return [None, None] };
                let bound = |keyword: &str, exclusive: &str, step: f64, round: fn(f64) -> f64| {
                    let bound = round(node.get(keyword)?.as_f64()?);
                    let is_excluded = is_true(node, exclusive) && node.get(keyword)?.as_f64() == Some(bound);
                    whole(if is_excluded { bound + step } else { bound })
                };
                [
                    bound("minimum", "exclusiveMinimum", 1.0, f64::ceil),
                    bound("maximum", "exclusiveMaximum", -1.0, f64::floor),
                ]
            }
        }
    }

    pub(super) fn size_bounds(&self, of: &Term) -> [Option<i128>; 2] {
        let Some(node) = self.facts(of) else { return [None, None] };
        let names = match node.get("type").and_then(Json::as_str) {
            Some("string") if node.get("format").is_none_or(|format| format != "byte") => {
                ["minLength", "maxLength"]
            }
            Some("array") => ["minItems", "maxItems"],
            Some("object") => ["minProperties", "maxProperties"],
            _ => return [None, None],
        };
        names.map(|name| node.get(name)?.as_i64().map(i128::from))
    }

    /// True if statements contradict each other. False if that is not known.
    pub(super) fn are_contradictory(&self, literals: &[Literal]) -> bool {
        self.excludes_values(literals) || self.has_impossible_order(literals)
    }

    /// True if a term equals two constants, or none of those that its schema lists.
    fn excludes_values(&self, literals: &[Literal]) -> bool {
        let mut equal = BTreeMap::<String, (&Term, Vec<(&Constant, bool)>)>::new();
        for (statement, holds) in literals {
            if let Statement::Equal(left, right) = statement
                && let (term, Term::Constant(constant)) | (Term::Constant(constant), term) = (left, right)
            {
                equal.entry(term_key(term)).or_insert_with(|| (term, Vec::new())).1.push((constant, *holds));
            }
        }
        equal.values().any(|(term, constants)| {
            let fits = |value: &Constant| {
                constants.iter().all(|(constant, holds)| match equality(value, constant) {
                    Some(is_equal) => is_equal == *holds,
                    None => true,
                })
            };
            let kind_of = |name: &str| {
                constants
                    .iter()
                    .any(|(it, holds)| matches!(it, Constant::Type(other) if (other == name) != *holds))
            };
            let is_type = matches!(term, Term::Call(call) if call.function == "type"
                && call.arguments.first().and_then(|of| self.type_name(of)).is_some_and(kind_of));
            let mut alone = constants.iter().filter(|(_, holds)| *holds);
            is_type
                || alone.any(|(value, _)| !fits(value))
                || self.listed(term).is_some_and(|listed| !listed.is_empty() && !listed.iter().any(fits))
                || self.facts(term).is_some_and(|node| {
                    let is_null = constants.contains(&(&Constant::Null, true));
                    is_null && matches!(term, Term::Field(..)) && !is_true(node, "nullable")
                })
        })
    }

    fn has_impossible_order(&self, literals: &[Literal]) -> bool {
        let mut system = OrderSystem::new(self);
        let mut excluded = Vec::new();
        for (statement, holds) in literals {
            let added = match (statement, holds) {
                (Statement::Equal(left, right), true) if term_key(left) != term_key(right) => {
                    system.add(left, right, false).and_then(|()| system.add(right, left, false))
                }
                (Statement::Equal(left, right), false) => {
                    excluded.push((left, right));
                    Some(())
                }
                (Statement::Less(left, right), true) => system.add(left, right, true),
                (Statement::Less(left, right), false) => system.add(right, left, false),
                _ => Some(()),
            };
            if added.is_none() {
                return true;
            }
        }
        for (left, right) in &excluded {
            system.note_term(left);
            system.note_term(right);
        }
        system.add_known();
        if is_infeasible(&system.inequalities, &system.integers) {
            return true;
        }
        // An order has either answer unless the values are equal.
        excluded.truncate(MOST_EXCLUDED);
        excluded.into_iter().any(|(left, right)| {
            [(left, right), (right, left)].into_iter().all(|(less, more)| {
                let mut with = system.clone();
                with.add(less, more, true).is_some() && is_infeasible(&with.inequalities, &with.integers)
            })
        })
    }
}

fn entries_of(node: &Json) -> Option<&Json> {
    node.get("items").or_else(|| node.get("additionalProperties")).filter(|below| below.is_object())
}

fn is_true(node: &Json, keyword: &str) -> bool {
    node.get(keyword) == Some(&Json::Bool(true))
}

/// A number without a fraction, as far as it is exact.
fn whole(number: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "numbers beyond 2^53 are left out")]
    (number.abs() < 9_007_199_254_740_992.0).then_some(number as i128)
}

/// The order of two constants of one kind.
pub(super) fn order(one: &Constant, other: &Constant) -> Option<Ordering> {
    match (one, other) {
        (Constant::Integer(one), Constant::Integer(other)) => Some(one.cmp(other)),
        (Constant::Unsigned(one), Constant::Unsigned(other)) => Some(one.cmp(other)),
        (Constant::Text(one), Constant::Text(other)) => Some(one.as_bytes().cmp(other.as_bytes())),
        (Constant::Boolean(one), Constant::Boolean(other)) => Some(one.cmp(other)),
        (one, other) => small_number(one)?.partial_cmp(&small_number(other)?),
    }
}

/// A number that is exact as one with a point.
fn small_number(constant: &Constant) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers are exact")]
    match constant {
        Constant::Integer(number) if number.unsigned_abs() < 1 << 53 => Some(*number as f64),
        Constant::Unsigned(number) if *number < 1 << 53 => Some(*number as f64),
        Constant::Float(number) => Some(*number),
        _ => None,
    }
}

/// True if two constants are equal. `None` if it is not known.
fn equality(one: &Constant, other: &Constant) -> Option<bool> {
    let is_number =
        |it: &Constant| matches!(it, Constant::Integer(_) | Constant::Unsigned(_) | Constant::Float(_));
    match order(one, other) {
        Some(order) => Some(order == Ordering::Equal),
        None if is_number(one) && is_number(other) => None,
        None => Some(one == other),
    }
}

/// A sum of values that is at most a bound, or less than it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Inequality {
    sum: BTreeMap<String, i128>,
    bound: i128,
    is_strict: bool,
}

/// The inequalities that statements imply.
#[derive(Clone)]
struct OrderSystem<'s> {
    schema: &'s SchemaReader<'s>,
    inequalities: BTreeSet<Inequality>,
    integers: BTreeSet<String>,
    /// Terms and constants that values stand for.
    terms: BTreeMap<String, Term>,
}

type Sum = (BTreeMap<String, i128>, i128);

impl<'s> OrderSystem<'s> {
    fn new(schema: &'s SchemaReader<'s>) -> Self {
        Self { schema, inequalities: BTreeSet::new(), integers: BTreeSet::new(), terms: BTreeMap::new() }
    }

    /// Adds that a value is less than another, or at most the other. `None` if it is false by itself.
    fn add(&mut self, less: &Term, more: &Term, is_strict: bool) -> Option<()> {
        let number = |term: &Term| match term {
            Term::Constant(Constant::Float(number)) => Some(*number),
            _ => None,
        };
        let (one, other) = (self.sum(less), self.sum(more));
        let (sum, is_strict) = match (one, other) {
            (Some(less), Some(more)) => (subtract(less, &more), is_strict),
            // An integer and a number with a point: the integer next to the number.
            (Some(less), None) if let Some(bound) = number(more).and_then(|it| whole(it.floor())) => {
                let is_open = is_strict && number(more).is_some_and(|number| number.fract() == 0.0);
                (subtract(less, &(BTreeMap::new(), bound)), is_open)
            }
            (None, Some(more)) if let Some(bound) = number(less).and_then(|it| whole(it.ceil())) => {
                let is_open = is_strict && number(less).is_some_and(|number| number.fract() == 0.0);
                (subtract((BTreeMap::new(), bound), &more), is_open)
            }
            _ => {
                let (less, more) = (self.note_dense(less), self.note_dense(more));
                if less == more {
                    return (!is_strict).then_some(());
                }
                let sum = BTreeMap::from([(less, 1), (more, -1)]);
                self.inequalities.insert(Inequality { sum, bound: 0, is_strict });
                return Some(());
            }
        };
        if let Some((sum, constant)) = sum {
            let bound = -constant - i128::from(is_strict);
            self.inequalities.insert(Inequality { sum, bound, is_strict: false });
        }
        Some(())
    }

    /// An integer as a sum of others and a constant.
    fn sum(&mut self, term: &Term) -> Option<Sum> {
        if !self.schema.is_integer(term) {
            return None;
        }
        if let Term::Constant(Constant::Integer(number)) = term {
            return Some((BTreeMap::new(), i128::from(*number)));
        }
        if let Term::Call(call) = term {
            match (call.function.as_str(), call.arguments.as_slice()) {
                ("+", [one, other]) => {
                    let negative = scale(self.sum(other)?, -1)?;
                    return subtract(self.sum(one)?, &negative);
                }
                ("-", [one, other]) => return subtract(self.sum(one)?, &self.sum(other)?),
                ("neg", [of]) => return scale(self.sum(of)?, -1),
                ("*", [one, other]) => {
                    let (one, other) = (self.sum(one)?, self.sum(other)?);
                    let (factor, of) = if one.0.is_empty() { (one.1, other) } else { (other.1, one) };
                    if factor_is_constant(call.arguments.as_slice()) {
                        return scale(of, factor);
                    }
                }
                _ => {}
            }
        }
        let key = term_key(term);
        self.integers.insert(key.clone());
        self.terms.insert(key.clone(), term.clone());
        Some((BTreeMap::from([(key, 1)]), 0))
    }

    fn note_dense(&mut self, term: &Term) -> String {
        let key = term_key(term);
        self.terms.insert(key.clone(), term.clone());
        key
    }

    fn note_term(&mut self, term: &Term) {
        if self.sum(term).is_none() {
            self.note_dense(term);
        }
    }

    /// Adds the bounds of the schema, and the order of the constants.
    fn add_known(&mut self) {
        for (key, term) in self.terms.clone() {
            if self.integers.contains(&key) {
                let [least, most] = self.schema.integer_bounds(&term);
                let of = |factor| BTreeMap::from([(key.clone(), factor)]);
                let above = least.map(|least| Inequality { sum: of(-1), bound: -least, is_strict: false });
                let below = most.map(|most| Inequality { sum: of(1), bound: most, is_strict: false });
                self.inequalities.extend(above.into_iter().chain(below));
            } else if let Some(node) = self.schema.facts(&term) {
                let float =
                    |keyword: &str| Some(Term::Constant(Constant::Float(node.get(keyword)?.as_f64()?)));
                let is_number = node.get("type").is_some_and(|kind| kind == "number");
                let least = float("minimum").filter(|_| is_number).map(|least| (least, term.clone()));
                let most = float("maximum").filter(|_| is_number).map(|most| (term.clone(), most));
                let empty = Term::Constant(Constant::Text(String::new()));
                let text = (self.schema.type_of(&term) == Some("string")).then(|| (empty, term.clone()));
                for (less, more) in [least, most, text].into_iter().flatten() {
                    // One that says nothing is none.
                    let _ = self.add(&less, &more, false);
                }
            }
        }
        let constants: Vec<(String, Constant)> = self
            .terms
            .iter()
            .filter_map(|(key, term)| match term {
                Term::Constant(constant) => Some((key.clone(), constant.clone())),
                _ => None,
            })
            .collect();
        for (key, one) in &constants {
            for (other_key, other) in constants.iter().filter(|(other, _)| other != key) {
                let is_strict = match order(one, other) {
                    Some(Ordering::Less) => true,
                    Some(Ordering::Equal) => false,
                    _ => continue,
                };
                let sum = BTreeMap::from([(key.clone(), 1), (other_key.clone(), -1)]);
                self.inequalities.insert(Inequality { sum, bound: 0, is_strict });
            }
        }
    }
}

fn factor_is_constant(arguments: &[Term]) -> bool {
    arguments.iter().any(|part| matches!(part, Term::Constant(Constant::Integer(_))))
}

fn scale((sum, constant): Sum, factor: i128) -> Option<Sum> {
    let scaled = sum.into_iter().map(|(key, count)| Some((key, count.checked_mul(factor)?)));
    Some((scaled.collect::<Option<_>>()?, constant.checked_mul(factor)?))
}

fn subtract((mut sum, constant): Sum, other: &Sum) -> Option<Sum> {
    for (key, count) in &other.0 {
        let known = sum.entry(key.clone()).or_default();
        *known = known.checked_sub(*count)?;
    }
    sum.retain(|_, count| *count != 0);
    Some((sum, constant.checked_sub(other.1)?))
}

/// True if no values meet all inequalities (Fourier and Motzkin). Sums of integers are divided by what all factors have in common, and
/// their bounds rounded. False if there are too many.
fn is_infeasible(given: &BTreeSet<Inequality>, integers: &BTreeSet<String>) -> bool {
    let mut system: BTreeSet<Inequality> =
        given.iter().filter_map(|it| tighten(it.clone(), integers)).collect();
    loop {
        if system.iter().any(|it| it.sum.is_empty() && (it.bound < 0 || it.bound == 0 && it.is_strict)) {
            return true;
        }
        let mut uses = BTreeMap::<&String, [usize; 2]>::new();
        for (key, factor) in system.iter().flat_map(|it| &it.sum) {
            if let Some(count) = uses.entry(key).or_default().get_mut(usize::from(*factor > 0)) {
                *count += 1;
            }
        }
        let Some(key) =
            uses.iter().min_by_key(|(_, [less, more])| less * more).map(|(key, _)| (*key).clone())
        else {
            return false;
        };
        let (with, mut rest): (BTreeSet<_>, BTreeSet<_>) =
            system.into_iter().partition(|it| it.sum.contains_key(&key));
        let factor = |it: &Inequality| it.sum.get(&key).copied().unwrap_or_default();
        for upper in with.iter().filter(|it| factor(it) > 0) {
            for lower in with.iter().filter(|it| factor(it) < 0) {
                let combined = combine(upper, -factor(lower), lower, factor(upper));
                rest.extend(combined.and_then(|it| tighten(it, integers)));
            }
        }
        if rest.len() > MOST_INEQUALITIES {
            return false;
        }
        system = rest;
    }
}

fn combine(one: &Inequality, by: i128, other: &Inequality, other_by: i128) -> Option<Inequality> {
    let (sum, bound) = scale((one.sum.clone(), one.bound), by)?;
    let negative = scale((other.sum.clone(), other.bound), other_by.checked_neg()?)?;
    let (sum, bound) = subtract((sum, bound), &negative)?;
    Some(Inequality { sum, bound, is_strict: one.is_strict || other.is_strict })
}

/// The inequality in its smallest form. `None` if it says nothing.
fn tighten(mut it: Inequality, integers: &BTreeSet<String>) -> Option<Inequality> {
    let is_integer = it.sum.keys().all(|key| integers.contains(key));
    if it.sum.is_empty() {
        return (it.bound < 0 || it.bound == 0 && it.is_strict).then_some(it);
    }
    let divisor = it.sum.values().fold(0_u128, |divisor, count| {
        let (mut one, mut other) = (divisor, count.unsigned_abs());
        while other != 0 {
            (one, other) = (other, one % other);
        }
        one
    });
    let divisor = i128::try_from(divisor).ok().filter(|divisor| *divisor > 0)?;
    if is_integer {
        let bound = if it.is_strict { it.bound.checked_sub(1)? } else { it.bound };
        (it.bound, it.is_strict) = (bound.div_euclid(divisor), false);
    } else if it.bound % divisor == 0 {
        it.bound /= divisor;
    } else {
        return Some(it);
    }
    it.sum.values_mut().for_each(|count| *count /= divisor);
    Some(it)
}
