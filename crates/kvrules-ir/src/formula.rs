//! Meaning of a rule that was lifted from an expression: a formula over the values that the expression names.
//!
//! Atoms are strict: a comparison of a term without a value is false, and so is the opposite comparison. An expression
//! therefore lifts to two formulas, one for "true" and one for "false"; where neither holds, the server reports an error.

use std::fmt;
use std::hash::Hash;

use crate::members::{Members, retain_distinct};
use crate::predicate::join_parts;

/// A formula in normal form: its constructors flatten and simplify.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// All of these hold.
    All(Vec<Formula>),
    /// At least one of these holds.
    Any(Vec<Formula>),
    /// This does not hold.
    Not(Box<Formula>),
    /// The term has a value.
    Defined(Term),
    /// Both terms have values, and these are in the relation.
    Compare {
        /// Left side.
        left: Term,
        /// The relation.
        relation: TermRelation,
        /// Right side.
        right: Term,
    },
    /// The range has a value, and the formula holds for each of its entries.
    Each(Box<Quantification>),
    /// The range has a value, and the formula holds for at least one of its entries.
    Some(Box<Quantification>),
}

/// A formula about the entries of a list or map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantification {
    /// The list or map.
    pub range: Term,
    /// Variables of one entry.
    pub entry: EntryVariables,
    /// Condition on an entry.
    pub holds: Formula,
}

/// Variables that stand for one entry of a list or map. Every quantifier of a formula has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EntryVariables {
    /// The key of a map, the index of a list.
    pub key: Option<VariableId>,
    /// The value of a key, the item of a list.
    pub value: Option<VariableId>,
}

/// The number of a variable, unique in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// A value that is computed from an object, or no value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Always the same value.
    Constant(Constant),
    /// A value that the rule is given, such as `self`, `oldSelf` or `request`.
    Root(String),
    /// An entry of the quantifier that declares the variable.
    Variable(VariableId),
    /// A field of an object or a key of a map, by its name in the data.
    Field(Box<Term>, String),
    /// The item of a list or the value of a map at a computed index or key.
    Index(Box<Term>, Box<Term>),
    /// A function or an operator of the language. No value where it fails.
    Call(TermCall),
    /// A list of these.
    List(Vec<Term>),
    /// A list made from the entries of a list or map.
    Collect(Box<Collection>),
    /// The number of formulas that hold.
    Tally(Vec<Formula>),
}

/// A call of a function that computes a value of terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TermCall {
    /// The name of the function; an operator by its symbol, such as `+`.
    pub function: String,
    /// True if the first argument is the receiver of the call.
    pub is_member: bool,
    /// The arguments.
    pub arguments: Vec<Term>,
}

/// A list made from the entries of a list or map. It has a value if the condition is decided for each of them, and the result
/// has a value for each that it selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Collection {
    /// The list or map.
    pub range: Term,
    /// Variables of one entry.
    pub entry: EntryVariables,
    /// Condition under which an entry is selected.
    pub selected: Formula,
    /// Condition under which it is left out.
    pub left_out: Formula,
    /// Result for a selected entry.
    pub result: Term,
}

/// A value that a rule spells out.
#[derive(Clone, Debug)]
pub enum Constant {
    /// `null`
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// An integer without sign, as the language writes `1u`.
    Unsigned(u64),
    /// A number with a point.
    Float(f64),
    /// A text.
    Text(String),
    /// The name of a type.
    Type(String),
}

/// A relation between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermRelation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
}

impl Formula {
    /// All of `parts`, flattened, each once.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::True => {}
                Self::False => return Self::False,
                Self::All(inner) => kept.extend(inner),
                part => kept.push(part),
            }
        }
        retain_distinct(&mut kept);
        if has_opposites(&kept) {
            return Self::False;
        }
        if kept.iter().any(|part| part.tested_presence().is_some()) {
            // Strict atoms make a test of their terms' values superfluous.
            let known = Members::of(kept.iter().flat_map(Self::defined_terms).collect());
            let is_known =
                |part: &Self| part.tested_presence().map(|(term, is_there)| (known.contains(term), is_there));
            let tested: Vec<_> = kept.iter().map(is_known).collect();
            if tested.contains(&Some((true, false))) {
                return Self::False;
            }
            let mut tested = tested.into_iter();
            kept.retain(|_| tested.next().flatten() != Some((true, true)));
        }
        join_parts(kept, Self::True, Self::All)
    }

    /// At least one of `parts`, flattened, each once. A part that another part implies is absorbed.
    pub fn any_of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::False => {}
                Self::True => return Self::True,
                Self::Any(inner) => kept.extend(inner),
                part => kept.push(part),
            }
        }
        retain_distinct(&mut kept);
        if has_opposites(&kept) {
            return Self::True;
        }
        if kept.iter().any(|part| matches!(part, Self::All(_))) {
            let members = Members::of(kept.iter().collect());
            let is_absorbed = |part: &Self| matches!(part, Self::All(parts) if parts.iter().any(|inner| members.contains(inner)));
            let absorbed: Vec<bool> = kept.iter().map(is_absorbed).collect();
            let mut absorbed = absorbed.into_iter();
            kept.retain(|_| absorbed.next() != Some(true));
        }
        join_parts(kept, Self::False, Self::Any)
    }

    /// The opposite.
    pub fn negation_of(inner: Self) -> Self {
        match inner {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(inner) => *inner,
            inner => Self::Not(Box::new(inner)),
        }
    }

    /// The term has a value. Constants always have, and so have the values of a rule and the request of a policy.
    pub fn is_defined(term: Term) -> Self {
        match term {
            Term::Constant(_) | Term::Variable(_) | Term::Tally(_) => Self::True,
            Term::Root(name) if matches!(name.as_str(), "self" | "oldSelf" | "request") => Self::True,
            Term::List(items) => Self::all_of(items.into_iter().map(Self::is_defined)),
            term => Self::Defined(term),
        }
    }

    /// A comparison; of two constants of one type at once.
    pub fn comparison_of(left: Term, relation: TermRelation, right: Term) -> Self {
        match (&left, relation, &right) {
            (Term::Constant(one), TermRelation::Equal | TermRelation::NotEqual, Term::Constant(other))
                if one.same_type(other) =>
            {
                let holds = one.equals(other) == (relation == TermRelation::Equal);
                if holds { Self::True } else { Self::False }
            }
            _ => Self::Compare { left, relation, right },
        }
    }

    /// A term with this boolean value.
    pub fn has_truth(term: Term, value: bool) -> Self {
        Self::comparison_of(term, TermRelation::Equal, Term::Constant(Constant::Boolean(value)))
    }

    /// The term whose presence the formula tests, and true if it has to be there.
    fn tested_presence(&self) -> Option<(&Term, bool)> {
        match self {
            Self::Defined(term) => Some((term, true)),
            Self::Not(inner) => match &**inner {
                Self::Defined(term) => Some((term, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The terms that have a value wherever the formula holds, the fields on the way to them included.
    fn defined_terms(&self) -> Vec<&Term> {
        let mut terms = Vec::new();
        match self {
            Self::Compare { left, right, .. } => {
                left.collect_needed(&mut terms);
                right.collect_needed(&mut terms);
            }
            Self::Defined(term) => match term {
                Term::Field(of, _) => of.collect_needed(&mut terms),
                Term::Index(of, key) => {
                    of.collect_needed(&mut terms);
                    key.collect_needed(&mut terms);
                }
                _ => {}
            },
            Self::Each(inner) | Self::Some(inner) => inner.range.collect_needed(&mut terms),
            _ => {}
        }
        terms
    }

    /// The formulas directly inside this one, in their order; not those in its terms.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::All(parts) | Self::Any(parts) => parts,
            Self::Not(inner) => std::slice::from_ref(inner.as_ref()),
            Self::Each(inner) | Self::Some(inner) => std::slice::from_ref(&inner.holds),
            Self::True | Self::False | Self::Defined(_) | Self::Compare { .. } => &[],
        }
    }

    /// The terms of this formula, in their order; not those of the formulas inside it.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            Self::Compare { left, right, .. } => (Some(left), Some(right)),
            Self::Defined(term) => (Some(term), None),
            Self::Each(inner) | Self::Some(inner) => (Some(&inner.range), None),
            Self::True | Self::False | Self::All(_) | Self::Any(_) | Self::Not(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The number of nodes of the formula and its terms.
    pub fn node_count(&self) -> usize {
        let of_terms: usize = self.terms().map(Term::node_count).sum();
        1 + of_terms + self.children().iter().map(Self::node_count).sum::<usize>()
    }

    /// Calls `visit` on this formula and every formula inside it, outer ones first; not on those in terms.
    pub fn visit_formulas<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.children().iter().for_each(|part| part.visit_formulas(visit));
    }

    /// Calls `visit` on every term of the formula, outer ones first.
    pub fn visit_terms<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        self.terms().for_each(|term| term.visit_terms(visit));
        self.children().iter().for_each(|part| part.visit_terms(visit));
    }
}

impl Term {
    /// A field of this term.
    #[must_use]
    pub fn with_field(self, name: impl Into<String>) -> Self {
        Self::Field(Box::new(self), name.into())
    }

    /// A call of a function.
    pub fn call_of(function: &str, is_member: bool, arguments: Vec<Self>) -> Self {
        Self::Call(TermCall { function: function.to_owned(), is_member, arguments })
    }

    /// The number of items of a list or entries of a map, or of code points of a text.
    pub fn size_of(term: Self) -> Self {
        Self::call_of("size", false, vec![term])
    }

    fn collect_needed<'t>(&'t self, terms: &mut Vec<&'t Self>) {
        terms.push(self);
        match self {
            Self::Field(of, _) => of.collect_needed(terms),
            Self::Index(of, key) => {
                of.collect_needed(terms);
                key.collect_needed(terms);
            }
            Self::Call(call) => call.arguments.iter().for_each(|term| term.collect_needed(terms)),
            Self::List(items) => items.iter().for_each(|term| term.collect_needed(terms)),
            Self::Collect(inner) => inner.range.collect_needed(terms),
            Self::Constant(_) | Self::Root(_) | Self::Variable(_) | Self::Tally(_) => {}
        }
    }

    /// The number of nodes of the term.
    pub fn node_count(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Root(_) | Self::Variable(_) => 1,
            Self::Field(of, _) => 1 + of.node_count(),
            Self::Index(of, key) => 1 + of.node_count() + key.node_count(),
            Self::Call(call) => 1 + call.arguments.iter().map(Self::node_count).sum::<usize>(),
            Self::List(items) => 1 + items.iter().map(Self::node_count).sum::<usize>(),
            Self::Collect(inner) => {
                let formulas = inner.selected.node_count() + inner.left_out.node_count();
                1 + inner.range.node_count() + formulas + inner.result.node_count()
            }
            Self::Tally(parts) => 1 + parts.iter().map(Formula::node_count).sum::<usize>(),
        }
    }

    /// Calls `visit` on this term and every term in it.
    pub fn visit_terms<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        visit(self);
        match self {
            Self::Constant(_) | Self::Root(_) | Self::Variable(_) => {}
            Self::Field(of, _) => of.visit_terms(visit),
            Self::Index(of, key) => {
                of.visit_terms(visit);
                key.visit_terms(visit);
            }
            Self::Call(call) => call.arguments.iter().for_each(|term| term.visit_terms(visit)),
            Self::List(items) => items.iter().for_each(|term| term.visit_terms(visit)),
            Self::Collect(inner) => {
                inner.range.visit_terms(visit);
                inner.selected.visit_terms(visit);
                inner.left_out.visit_terms(visit);
                inner.result.visit_terms(visit);
            }
            Self::Tally(parts) => parts.iter().for_each(|part| part.visit_terms(visit)),
        }
    }
}

impl TermRelation {
    /// The relation that holds of two values exactly when this one does not.
    #[must_use]
    pub fn opposite(self) -> Option<Self> {
        match self {
            Self::Equal => Some(Self::NotEqual),
            Self::NotEqual => Some(Self::Equal),
            Self::Less | Self::LessOrEqual => None,
        }
    }

    /// The symbol in CEL.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        }
    }
}

impl Constant {
    fn same_type(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// The answer of `==` for constants of one type: the two zeros are equal.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(one), Self::Float(other)) => {
                one.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
            }
            _ => self == other,
        }
    }

    fn identity(&self) -> (u8, u64, &str) {
        match self {
            Self::Null => (0, 0, ""),
            Self::Boolean(value) => (1, u64::from(*value), ""),
            Self::Integer(value) => (2, value.cast_unsigned(), ""),
            Self::Unsigned(value) => (3, *value, ""),
            Self::Float(value) => (4, value.to_bits(), ""),
            Self::Text(text) => (5, 0, text),
            Self::Type(name) => (6, 0, name),
        }
    }
}

/// Equality of what is written; floats by their bits.
impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Constant {}

impl Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Unsigned(value) => write!(f, "{value}u"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Type(name) => f.write_str(name),
        }
    }
}

/// True if one of some parts is the opposite of another.
fn has_opposites(parts: &[Formula]) -> bool {
    let negated = parts.iter().filter_map(|part| match part {
        Formula::Not(inner) => Some(&**inner),
        _ => None,
    });
    let mut negated = negated.peekable();
    if negated.peek().is_none() {
        return false;
    }
    let members = Members::of(parts.iter().collect());
    negated.any(|inner| members.contains(inner))
}
