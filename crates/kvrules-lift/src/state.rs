//! The state of lifting one expression, and its results.

use std::collections::HashMap;

use kvrules_cel::ast::Expr;
use kvrules_cel::check::CheckedExpression;
use kvrules_cel::types::{Type, unescape_property};
use kvrules_ir::{Formula, Term, VariableId};

use serde_json::Value as Json;

use crate::facts::node_below;
use crate::opaque::{Opaque, OpaqueKind};

/// The two formulas of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiftedExpression {
    /// Holds exactly where the expression evaluates to true.
    pub holds: Formula,
    /// Holds exactly where it evaluates to false. Where neither does, evaluation ends in an error.
    pub fails: Formula,
}

/// A term that an expression is under a condition. The conditions of an expression's terms exclude each other; where none
/// holds, evaluation ends in an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GuardedTerm {
    pub(crate) when: Formula,
    pub(crate) term: Term,
}

impl GuardedTerm {
    pub(crate) fn always(term: Term) -> Self {
        Self { when: Formula::True, term }
    }
}

/// The most nodes of a formula.
const MOST_NODES: usize = 8_000;

/// The state of lifting one expression.
pub(crate) struct Lifter<'a> {
    pub(crate) checked: &'a CheckedExpression,
    pub(crate) optional_roots: &'a [&'a str],
    /// The names that stand for no object where their value is null.
    pub(crate) nullable_roots: &'a [&'a str],
    /// The schema whose properties are the roots, for expressions whose types are not known before evaluation.
    pub(crate) values: Option<&'a Json>,
    /// The schemas of variables.
    nodes: HashMap<VariableId, &'a Json>,
    /// Names of loops, innermost last, each with the terms that it may stand for.
    pub(crate) bindings: Vec<(String, Vec<GuardedTerm>)>,
    next_variable: u32,
    work: usize,
}

impl<'a> Lifter<'a> {
    pub(crate) fn new(checked: &'a CheckedExpression, optional_roots: &'a [&'a str]) -> Self {
        Self {
            checked,
            optional_roots,
            nullable_roots: &[],
            values: None,
            nodes: HashMap::new(),
            bindings: Vec::new(),
            next_variable: 0,
            work: 0,
        }
    }

    pub(crate) fn new_variable(&mut self) -> VariableId {
        self.next_variable += 1;
        VariableId(self.next_variable - 1)
    }

    /// The type of an expression; an opaque reason where it has none.
    pub(crate) fn type_of(&self, expr: &Expr) -> Option<&'a Type> {
        self.checked.type_of(expr.id)
    }

    /// True if types may be unknown, and follow from the schema.
    pub(crate) fn is_dynamic(&self, expr: &Expr) -> bool {
        self.values.is_some() && self.type_of(expr) == Some(&Type::Dyn)
    }

    /// True for a map, false for a list; `term` is what the expression is.
    pub(crate) fn is_map(&self, expr: &Expr, term: &Term) -> Option<bool> {
        match self.type_of(expr)? {
            Type::Map(..) => Some(true),
            Type::List(_) => Some(false),
            Type::Dyn if self.values.is_some() => {
                let kind = self.node_of(term).and_then(|node| node.get("type")?.as_str());
                Some(kind == Some("object"))
            }
            _ => None,
        }
    }

    /// Notes the schema of the entries of a list or map.
    pub(crate) fn note_entries(&mut self, variable: VariableId, range: &Term) {
        if let Some(node) = self.node_of(range).and_then(|node| node_below(node, None)) {
            self.nodes.insert(variable, node);
        }
    }

    fn node_of(&self, term: &Term) -> Option<&'a Json> {
        match term {
            Term::Root(name) => self.values?.get("properties")?.get(name),
            Term::Variable(variable) => self.nodes.get(variable).copied(),
            Term::Field(of, name) => node_below(self.node_of(of)?, Some(name)),
            Term::Index(of, _) => node_below(self.node_of(of)?, None),
            Term::Collect(it) if matches!(it.result, Term::Variable(_)) => self.node_of(&it.range),
            Term::Call(call) if call.function == "+" => {
                call.arguments.iter().find_map(|argument| self.node_of(argument))
            }
            _ => None,
        }
    }

    /// Refuses formulas that have become too large.
    pub(crate) fn charge(&mut self, expr: &Expr, nodes: usize) -> Result<(), Opaque> {
        self.work += nodes;
        if nodes > MOST_NODES || self.work > 50 * MOST_NODES {
            return Err(Opaque::at(expr, OpaqueKind::TooLarge));
        }
        Ok(())
    }
}

/// The value of a map at a key.
pub(crate) fn entry_of(map: Term, key: Term) -> Term {
    match key {
        Term::Constant(kvrules_ir::Constant::Text(name)) => map.with_field(name),
        key => Term::Index(Box::new(map), Box::new(key)),
    }
}

/// The name in the data of a field that is selected.
pub(crate) fn property_name(expr: &Expr, field: &str) -> Result<String, Opaque> {
    let unknown = || Opaque::at(expr, OpaqueKind::Construct("a field with a name that is not valid"));
    let field = field.trim_matches('`');
    let plain = || (!field.contains("__")).then(|| field.to_owned());
    unescape_property(field).or_else(plain).ok_or_else(unknown)
}

/// The two formulas of a relation between two terms, for every combination of the terms that they may be.
pub(crate) fn combine(
    left: &[GuardedTerm],
    right: &[GuardedTerm],
    relate: impl Fn(&Term, &Term) -> (Formula, Formula),
) -> LiftedExpression {
    let (mut holds, mut fails) = (Vec::new(), Vec::new());
    for left in left {
        for right in right {
            let when = || [left.when.clone(), right.when.clone()];
            let (yes, no) = relate(&left.term, &right.term);
            holds.push(Formula::all_of(when().into_iter().chain([yes])));
            fails.push(Formula::all_of(when().into_iter().chain([no])));
        }
    }
    LiftedExpression { holds: Formula::any_of(holds), fails: Formula::any_of(fails) }
}

impl LiftedExpression {
    pub(crate) fn constant(value: bool) -> Self {
        let it = Self { holds: Formula::True, fails: Formula::False };
        if value { it } else { it.swapped() }
    }

    /// `!self`
    pub(crate) fn swapped(self) -> Self {
        Self { holds: self.fails, fails: self.holds }
    }

    /// `self && other`: false wins over an error.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            holds: Formula::all_of([self.holds, other.holds]),
            fails: Formula::any_of([self.fails, other.fails]),
        }
    }

    /// All of `parts`, joined at once.
    pub(crate) fn all_of(parts: Vec<Self>) -> Self {
        let (holds, fails): (Vec<_>, Vec<_>) = parts.into_iter().map(|it| (it.holds, it.fails)).unzip();
        Self { holds: Formula::all_of(holds), fails: Formula::any_of(fails) }
    }

    /// The same, and an error where a condition does not hold.
    pub(crate) fn where_known(self, known: &Formula) -> Self {
        Self {
            holds: Formula::all_of([known.clone(), self.holds]),
            fails: Formula::all_of([known.clone(), self.fails]),
        }
    }

    /// `self ? yes : no`
    pub(crate) fn choose(self, yes: Self, no: Self) -> Self {
        let Self { holds, fails } = self;
        let join = |yes: Formula, no: Formula| {
            Formula::any_of([Formula::all_of([holds.clone(), yes]), Formula::all_of([fails.clone(), no])])
        };
        Self { holds: join(yes.holds, no.holds), fails: join(yes.fails, no.fails) }
    }

    /// Condition under which evaluation ends in a value.
    pub fn is_decided(&self) -> Formula {
        Formula::any_of([self.holds.clone(), self.fails.clone()])
    }
}
