//! Formulas as parts that words can express: presence, tests of one value, comparisons of two, counts and loops.
//!
//! The translation is a proposal. It ignores that a comparison of an absent value is false; the proof decides if that matters.

use kvrules_ir::{Constant, Formula, Quantification, Term, TermRelation};
use kvrules_rule_set::{PathStep, RulePath};
use serde_json::Value as Json;

use super::literal::{Atom, Literal, Part, Relation};
use super::value_test::{quantity_test, size_test, text_test, value_test};

/// A value that paths start from, with the terms that stand for it.
#[derive(Clone, Debug)]
pub(super) struct PartScope<'s> {
    pub(super) roots: Vec<Term>,
    pub(super) schema: &'s Json,
}

impl<'s> PartScope<'s> {
    /// The value that a rule is about.
    pub(super) fn of_self(schema: &'s Json) -> Self {
        Self { roots: vec![Term::Root("self".to_owned())], schema }
    }

    /// The path of a term with the schema of its values.
    pub(super) fn path_of(&self, term: &Term) -> Option<(RulePath, &'s Json)> {
        if self.roots.contains(term) {
            return Some((RulePath::default(), self.schema));
        }
        let (of, name) = match term {
            Term::Field(of, name) => (of, name),
            Term::Index(of, key) => match &**key {
                Term::Constant(Constant::Text(name)) => (of, name),
                _ => return None,
            },
            _ => return None,
        };
        let (mut path, schema) = self.path_of(of)?;
        let below = schema.get("properties").and_then(|fields| fields.get(name));
        let below = below.or_else(|| schema.get("additionalProperties").filter(|it| it.is_object()))?;
        path.0.push(PathStep::Field(name.clone()));
        Some((path, below))
    }

    /// The scope of the items of a loop.
    fn of_items(looped: &Quantification, list: &'s Json) -> Option<Self> {
        let schema = list.get("items").or_else(|| list.get("additionalProperties"))?;
        let mut roots: Vec<Term> = looped.entry.value.map(Term::Variable).into_iter().collect();
        if let Some(key) = looped.entry.key {
            roots.push(Term::Index(Box::new(looped.range.clone()), Box::new(Term::Variable(key))));
        }
        Some(Self { roots, schema })
    }

    /// The part that a formula, or its opposite, is; `None` if no words express it.
    pub(super) fn part_of(&self, formula: &Formula, is_positive: bool) -> Option<Part> {
        let list = |parts: &[Formula]| {
            parts.iter().map(|part| self.part_of(part, is_positive)).collect::<Option<Vec<_>>>()
        };
        match formula {
            Formula::True => Some(constant(is_positive)),
            Formula::False => Some(constant(!is_positive)),
            Formula::All(parts) if is_positive => list(parts).map(Part::All),
            Formula::Any(parts) if !is_positive => list(parts).map(Part::All),
            Formula::All(parts) | Formula::Any(parts) => list(parts).map(Part::Any),
            Formula::Not(inner) => self.part_of(inner, !is_positive),
            Formula::Defined(term) => {
                let (path, _) = self.path_of(term)?;
                Some(if path.0.is_empty() {
                    constant(is_positive)
                } else {
                    literal(Atom::Present(path), is_positive)
                })
            }
            Formula::Compare { left, relation, right } => {
                let found = self.comparison(left, *relation, right)?;
                Some(if is_positive { Part::Literal(found) } else { Part::Literal(found.opposite()) })
            }
            Formula::Each(looped) => self.loop_of(looped, true, is_positive),
            Formula::Some(looped) => self.loop_of(looped, false, !is_positive),
        }
    }

    fn loop_of(&self, looped: &Quantification, inner_sign: bool, is_positive: bool) -> Option<Part> {
        let (path, list) = self.path_of(&looped.range)?;
        if let Some(reference) = self.reference(looped, &path, list).filter(|_| inner_sign) {
            return Some(literal(reference, is_positive));
        }
        let inner = Self::of_items(looped, list)?.part_of(&looped.holds, inner_sign)?;
        Some(literal(Atom::Loop(path, Box::new(inner)), is_positive))
    }

    /// `for each item, some item of another list is equal`.
    fn reference(&self, looped: &Quantification, from: &RulePath, list: &'s Json) -> Option<Atom> {
        let Formula::Some(among) = &looped.holds else { return None };
        let (to, known) = self.path_of(&among.range)?;
        let (items, others) = (Self::of_items(looped, list)?, Self::of_items(among, known)?);
        let Formula::Compare { left, relation: TermRelation::Equal, right } = &among.holds else {
            return None;
        };
        let pair = items.path_of(left).zip(others.path_of(right));
        let ((one, _), (other, _)) = pair.or_else(|| items.path_of(right).zip(others.path_of(left)))?;
        let each = |list: &RulePath, below: &RulePath| {
            list.join_path(&RulePath(vec![PathStep::Each])).join_path(below)
        };
        Some(Atom::Refers(each(from, &one), each(&to, &other)))
    }

    fn comparison(&self, left: &Term, relation: TermRelation, right: &Term) -> Option<Literal> {
        if let (Term::Constant(limit), false) = (left, matches!(right, Term::Constant(_))) {
            return self.with_constant(right, turn_relation(relation), limit);
        }
        if let Term::Constant(limit) = right {
            return self.with_constant(left, relation_of(relation), limit);
        }
        let ((one, _), (other, _)) = (self.path_of(left)?, self.path_of(right)?);
        Some(match relation {
            TermRelation::Equal => Literal::of(Atom::Compares(one, "equals", other)),
            TermRelation::NotEqual => Literal::of(Atom::Compares(one, "equals", other)).opposite(),
            TermRelation::LessOrEqual => Literal::of(Atom::Compares(one, "atMost", other)),
            TermRelation::Less => Literal::of(Atom::Compares(one, "atLeast", other)).opposite(),
        })
    }

    fn with_constant(&self, term: &Term, relation: Relation, limit: &Constant) -> Option<Literal> {
        if let Some((path, schema)) = self.path_of(term) {
            return value_test(path, relation, limit, schema);
        }
        match term {
            Term::Tally(parts) => self.count(parts, relation, limit),
            Term::Call(call) if call.function == "size" => {
                let (path, schema) = self.path_of(call.arguments.first()?)?;
                size_test(path, relation, limit, schema)
            }
            Term::Call(call) if call.function == "compareTo" => match (call.arguments.as_slice(), limit) {
                ([value, bound], Constant::Integer(0)) => self.quantity(value, relation, bound),
                _ => None,
            },
            Term::Call(call) => {
                let (path, _) = self.path_of(call.arguments.first()?)?;
                let argument = match call.arguments.get(1) {
                    Some(Term::Constant(Constant::Text(text))) => Some(text.as_str()),
                    Some(_) => return None,
                    None => None,
                };
                let test = text_test(path, &call.function, argument)?;
                match (relation, limit) {
                    (Relation::Equal, Constant::Boolean(true)) => Some(test),
                    (Relation::Equal, Constant::Boolean(false)) => Some(test.opposite()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A comparison of two quantities, one of which is constant.
    fn quantity(&self, value: &Term, relation: Relation, bound: &Term) -> Option<Literal> {
        let parsed = |term: &'_ Term| match term {
            Term::Call(call) if call.function == "quantity" => call.arguments.first().cloned(),
            _ => None,
        };
        let Term::Constant(Constant::Text(bound)) = parsed(bound)? else { return None };
        let text = parsed(value)?;
        let value = match &text {
            Term::Call(call) if call.function == "string" => call.arguments.first()?,
            text => text,
        };
        Some(quantity_test(self.path_of(value)?.0, relation, &bound))
    }

    /// The number of fields that are there.
    fn count(&self, parts: &[Formula], relation: Relation, limit: &Constant) -> Option<Literal> {
        let Constant::Integer(limit) = limit else { return None };
        let path = |part: &Formula| match part {
            Formula::Defined(term) => self.path_of(term).map(|(path, _)| path),
            _ => None,
        };
        let paths: Vec<RulePath> = parts.iter().map(path).collect::<Option<_>>()?;
        let word = match (relation, limit) {
            (Relation::Equal, 1) => "exactlyOneOf",
            (Relation::AtMost, 1) | (Relation::Less, 2) => "atMostOneOf",
            (Relation::AtLeast, 1) | (Relation::Greater, 0) => "atLeastOneOf",
            _ => return None,
        };
        (paths.len() > 1).then(|| Literal::of(Atom::Count(word, paths)))
    }
}

fn relation_of(relation: TermRelation) -> Relation {
    match relation {
        TermRelation::Equal => Relation::Equal,
        TermRelation::NotEqual => Relation::NotEqual,
        TermRelation::Less => Relation::Less,
        TermRelation::LessOrEqual => Relation::AtMost,
    }
}

/// The relation with the sides exchanged.
fn turn_relation(relation: TermRelation) -> Relation {
    match relation {
        TermRelation::Less => Relation::Greater,
        TermRelation::LessOrEqual => Relation::AtLeast,
        other => relation_of(other),
    }
}

fn literal(atom: Atom, is_positive: bool) -> Part {
    Part::Literal(Literal { is_positive, atom })
}

fn constant(holds: bool) -> Part {
    if holds { Part::All(Vec::new()) } else { Part::Any(Vec::new()) }
}
