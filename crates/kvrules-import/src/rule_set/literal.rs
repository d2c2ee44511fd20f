//! Conditions in the parts that words can express.

use kvrules_ir::Constant;
use kvrules_rule_set::RulePath;
use serde_json::{Value as Json, json};

/// A condition in negation normal form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    All(Vec<Part>),
    Any(Vec<Part>),
    Literal(Literal),
}

/// An atom or its opposite.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    pub(super) is_positive: bool,
    pub(super) atom: Atom,
}

/// Something that one word can express.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// The path has a value.
    Present(RulePath),
    /// The value at the path passes a word with its argument.
    Test(RulePath, &'static str, Json),
    /// The values at two paths are in the relation of a word.
    Compares(RulePath, &'static str, RulePath),
    /// The number of paths with a value is as a word says.
    Count(&'static str, Vec<RulePath>),
    /// The part holds for every item.
    Loop(RulePath, Box<Part>),
    /// Every value at one path is among those at another.
    Refers(RulePath, RulePath),
}

/// The relation of a value to a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Literal {
    pub(super) fn of(atom: Atom) -> Self {
        Self { is_positive: true, atom }
    }

    /// True if it is about the value of a path that another literal says is absent.
    pub(super) fn is_without(&self, absence: &Self) -> bool {
        let (Atom::Present(absent), false) = (&absence.atom, absence.is_positive) else { return false };
        let is_on_way = |path: &RulePath| path.0.starts_with(&absent.0);
        match &self.atom {
            Atom::Test(path, ..) | Atom::Loop(path, _) => is_on_way(path),
            Atom::Compares(one, _, two) => is_on_way(one) || is_on_way(two),
            Atom::Refers(from, _) => is_on_way(from),
            Atom::Present(_) | Atom::Count(..) => false,
        }
    }

    pub(super) fn opposite(&self) -> Self {
        if let (true, Some(atom)) = (self.is_positive, opposite_test(&self.atom)) {
            return Self::of(atom);
        }
        Self { is_positive: !self.is_positive, atom: self.atom.clone() }
    }
}

/// The test that a value passes exactly if it fails another one: another boolean, or the other side of a single bound.
fn opposite_test(atom: &Atom) -> Option<Atom> {
    let Atom::Test(path, word, argument) = atom else { return None };
    let argument = match *word {
        "in" => match argument.as_array()?.as_slice() {
            [Json::Bool(value)] => json!([!value]),
            _ => return None,
        },
        "integer" | "length" | "items" => {
            let bounds = argument.as_object().filter(|bounds| bounds.len() == 1)?;
            match (bounds.get("min").and_then(Json::as_i64), bounds.get("max").and_then(Json::as_i64)) {
                (Some(min), None) if *word == "integer" || min > 0 => json!({"max": min.checked_sub(1)?}),
                (None, Some(max)) => json!({"min": max.checked_add(1)?}),
                _ => return None,
            }
        }
        "number" | "quantity" => {
            let bounds = argument.as_object().filter(|bounds| bounds.len() == 1)?;
            let sides = [("min", "below"), ("max", "above"), ("above", "max"), ("below", "min")];
            let (bound, other) =
                sides.into_iter().find_map(|(own, other)| Some((bounds.get(own)?, other)))?;
            json!({ other: bound })
        }
        _ => return None,
    };
    Some(Atom::Test(path.clone(), word, argument))
}

/// The number of a constant, as JSON has it.
pub(super) fn constant_value(constant: &Constant) -> Option<Json> {
    Some(match constant {
        Constant::Boolean(value) => json!(value),
        Constant::Integer(value) => json!(value),
        Constant::Float(value) => json!(value),
        Constant::Text(text) => json!(text),
        Constant::Null | Constant::Unsigned(_) | Constant::Type(_) => return None,
    })
}
