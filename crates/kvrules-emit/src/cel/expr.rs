//! CEL expressions as a tree, in negation normal form.
//!
//! Constructors fold constants, flatten `&&` and `||`, and push a negation down to where it is a single `!` or
//! another operator. So the tree says what a person would write, and equal meanings tend to be equal trees.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

/// Parts in their order, each once.
struct Distinct<T> {
    parts: Vec<T>,
    /// Their indices by their hashes: only parts with the same hash are compared.
    by_hash: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { parts: Vec::new(), by_hash: HashMap::new(), hasher: RandomState::new() }
    }
}

impl<T: Eq + Hash> Distinct<T> {
    fn push(&mut self, part: T) {
        let alike = self.by_hash.entry(self.hasher.hash_one(&part)).or_default();
        if !alike.iter().any(|at| self.parts.get(*at) == Some(&part)) {
            alike.push(self.parts.len());
            self.parts.push(part);
        }
    }
}

/// A CEL expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Expr {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
    /// `[a, b]`
    List(Vec<Expr>),
    /// A variable or a type.
    Name(String),
    /// `of.field`
    Select(Box<Expr>, String),
    /// `of[key]`
    Index(Box<Expr>, Box<Expr>),
    /// `has(of.field)`
    Has(Box<Expr>, String),
    /// `name(arguments)`
    Call(&'static str, Vec<Expr>),
    /// `receiver.name(arguments)`
    Method(Box<Expr>, &'static str, Vec<Expr>),
    /// `left operator right`
    Binary(Box<Expr>, Operator, Box<Expr>),
    /// `!inner`
    Not(Box<Expr>),
    /// `a && b`
    And(Vec<Expr>),
    /// `a || b`
    Or(Vec<Expr>),
    /// `condition ? then : otherwise`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `list.all(variable, body)`
    All(Box<Expr>, String, Box<Expr>),
    /// `list.exists(variable, body)`
    Exists(Box<Expr>, String, Box<Expr>),
    /// `list.filter(variable, body)`, `list.map(variable, body)`
    Comprehension(Box<Expr>, &'static str, String, Box<Expr>),
    /// `{}`
    EmptyMap,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `in`
    In,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

impl Operator {
    /// Its text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::In => "in",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }

    /// The operator that holds where this one does not.
    fn opposite(self) -> Option<Self> {
        match self {
            Self::Equal => Some(Self::NotEqual),
            Self::NotEqual => Some(Self::Equal),
            Self::Less => Some(Self::AtLeast),
            Self::AtLeast => Some(Self::Less),
            Self::AtMost => Some(Self::Greater),
            Self::Greater => Some(Self::AtMost),
            Self::In | Self::Minus | Self::Plus => None,
        }
    }
}

impl Expr {
    /// A variable or a type.
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// A text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// `self.field`
    pub fn select_field(self, field: impl Into<String>) -> Self {
        Self::Select(Box::new(self), field.into())
    }

    /// `self[key]`
    pub fn index_by(self, key: Self) -> Self {
        Self::Index(Box::new(self), Box::new(key))
    }

    /// `name(argument)`
    pub fn call_function(name: &'static str, argument: Self) -> Self {
        Self::Call(name, vec![argument])
    }

    /// `self.name(argument)`
    pub fn call_method(self, name: &'static str, argument: Self) -> Self {
        Self::Method(Box::new(self), name, vec![argument])
    }

    /// `self operator right`
    pub fn apply_operator(self, operator: Operator, right: Self) -> Self {
        Self::Binary(Box::new(self), operator, Box::new(right))
    }

    /// `condition ? self : otherwise`
    pub fn if_then_else(self, condition: Self, otherwise: Self) -> Self {
        match condition {
            Self::Bool(true) => self,
            Self::Bool(false) => otherwise,
            condition => Self::Conditional(Box::new(condition), Box::new(self), Box::new(otherwise)),
        }
    }

    /// Every part holds.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat =
            parts.into_iter().flat_map(|part| if let Self::And(inner) = part { inner } else { vec![part] });
        Self::joined(flat, true, Self::And)
    }

    /// At least one part holds.
    pub fn any_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat =
            parts.into_iter().flat_map(|part| if let Self::Or(inner) = part { inner } else { vec![part] });
        Self::joined(flat, false, Self::Or)
    }

    /// Joins parts: those equal to `neutral` are dropped, and its opposite decides the result.
    fn joined(parts: impl Iterator<Item = Self>, neutral: bool, join: fn(Vec<Self>) -> Self) -> Self {
        let mut kept = Distinct::default();
        for part in parts {
            match part {
                Self::Bool(value) if value != neutral => return Self::Bool(value),
                Self::Bool(_) => {}
                part => kept.push(part),
            }
        }
        let mut kept = kept.parts;
        match kept.len() {
            0 => Self::Bool(neutral),
            1 => kept.pop().unwrap_or(Self::Bool(neutral)),
            _ => join(kept),
        }
    }

    /// The opposite, in normal form.
    #[expect(clippy::should_implement_trait, reason = "a constructor in a row of constructors")]
    pub fn not(self) -> Self {
        match self {
            Self::Bool(value) => Self::Bool(!value),
            Self::Not(inner) => *inner,
            Self::And(parts) => Self::any_of(parts.into_iter().map(Self::not)),
            Self::Or(parts) => Self::all_of(parts.into_iter().map(Self::not)),
            Self::All(list, variable, body) => Self::Exists(list, variable, Box::new(body.not())),
            Self::Exists(list, variable, body) => Self::All(list, variable, Box::new(body.not())),
            Self::Binary(left, operator, right) => match operator.opposite() {
                Some(opposite) => Self::Binary(left, opposite, right),
                None => Self::Not(Box::new(Self::Binary(left, operator, right))),
            },
            other => Self::Not(Box::new(other)),
        }
    }

    /// The body holds for each element.
    pub fn all(self, variable: String, body: Self) -> Self {
        match body {
            Self::Bool(true) => Self::Bool(true),
            Self::Bool(false) => {
                Self::call_function("size", self).apply_operator(Operator::Equal, Self::Int(0))
            }
            body => Self::All(Box::new(self), variable, Box::new(body)),
        }
    }

    /// The body holds for at least one element.
    pub fn exists(self, variable: String, body: Self) -> Self {
        match body {
            Self::Bool(false) => Self::Bool(false),
            Self::Bool(true) => {
                Self::call_function("size", self).apply_operator(Operator::Greater, Self::Int(0))
            }
            body => Self::Exists(Box::new(self), variable, Box::new(body)),
        }
    }

    /// The elements for which the body holds.
    pub fn filter(self, variable: String, body: Self) -> Self {
        Self::Comprehension(Box::new(self), "filter", variable, Box::new(body))
    }

    /// Maps each element with the body.
    pub fn map(self, variable: String, body: Self) -> Self {
        Self::Comprehension(Box::new(self), "map", variable, Box::new(body))
    }

    /// The text with values in the place of each `%s` and `%d`.
    pub fn format_text(text: impl Into<String>, values: Vec<Self>) -> Self {
        Self::from_text(text).call_method("format", Self::List(values))
    }

    /// The value is one of several.
    pub fn one_of(self, values: Vec<Self>) -> Self {
        let mut values = values;
        match values.len() {
            0 => Self::Bool(false),
            1 => values.pop().map_or(Self::Bool(false), |only| self.apply_operator(Operator::Equal, only)),
            _ => self.apply_operator(Operator::In, Self::List(values)),
        }
    }

    /// True if this is only about what exists, and so false only where something is missing.
    pub(crate) fn asks_for_existence(&self) -> bool {
        match self {
            Self::Has(..) => true,
            Self::And(parts) => parts.iter().all(Self::asks_for_existence),
            Self::All(_, _, body) | Self::Exists(_, _, body) => body.asks_for_existence(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use super::*;

    #[derive(Debug)]
    struct Counted<'c>(u32, &'c Cell<u32>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn of_many_parts_each_is_kept_once_and_compared_with_few() {
        let compared = Cell::new(0);
        let mut distinct = Distinct::default();
        for part in (0..2000).chain(0..2000) {
            distinct.push(Counted(part, &compared));
        }
        assert!(distinct.parts.iter().map(|part| part.0).eq(0..2000));
        assert!(compared.get() < 2100, "{}", compared.get());
    }
}
