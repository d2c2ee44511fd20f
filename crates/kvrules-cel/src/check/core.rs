//! The tree that checker and cost work on: macros expanded into loops, as the server does.
//!
//! Types, messages and costs of a macro are those of its expansion, down to the accumulator, so both read this tree
//! instead of knowing each macro.

use crate::ast::{Literal, NodeId};

/// The number of a node of this tree.
pub(crate) type CoreId = usize;

/// An expanded expression.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    /// The tree.
    pub(crate) root: Node,
    /// One more than the greatest number.
    pub(crate) node_count: CoreId,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) id: CoreId,
    /// The node as written that has this node's type; none inside of an expansion.
    pub(crate) origin: Option<NodeId>,
    /// Byte offset at which the server reports an error of this node.
    pub(crate) at: usize,
    pub(crate) kind: Kind,
}

/// Kind of a node.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Literal(Literal),
    Ident(String),
    Select { operand: Box<Node>, field: String, test: bool },
    Call { function: String, target: Option<Box<Node>>, args: Vec<Node> },
    List(Vec<Item>),
    Map(Vec<Pair>),
    Struct { type_name: String, fields: Vec<Field> },
    Loop(Box<Loop>),
}

/// An element of a list.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) optional: bool,
    pub(crate) value: Node,
}

/// An entry of a map.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) optional: bool,
    pub(crate) key: Node,
    pub(crate) value: Node,
}

/// A field of a struct literal.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) at: usize,
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) value: Node,
}

/// A fold: `accumulator` starts at `init` and becomes `step` for each element of `range` while `condition` holds.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) range: Node,
    pub(crate) var: String,
    pub(crate) var2: Option<String>,
    pub(crate) accumulator: String,
    pub(crate) init: Node,
    pub(crate) condition: Node,
    pub(crate) step: Node,
    pub(crate) result: Node,
}

/// The variable that loops count in.
pub(crate) const ACCUMULATOR: &str = "@result";

impl Loop {
    /// True if this only names a value: it loops over nothing.
    pub(crate) fn is_binding(&self) -> bool {
        self.accumulator != ACCUMULATOR
            && matches!(&self.range.kind, Kind::List(items) if items.is_empty())
            && matches!(self.condition.kind, Kind::Literal(Literal::Bool(false)))
    }
}

impl Node {
    /// The dotted name this node spells, if it is one.
    pub(crate) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            Kind::Ident(name) => Some(name.clone()),
            Kind::Select { operand, field, test: false } => {
                Some(format!("{}.{field}", operand.qualified_name()?))
            }
            _ => None,
        }
    }

    /// Calls `visit` on this node and every node below it.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The nodes directly below.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Literal(_) | Kind::Ident(_) => Vec::new(),
            Kind::Select { operand, .. } => vec![operand],
            Kind::Call { target, args, .. } => target.as_deref().into_iter().chain(args).collect(),
            Kind::List(items) => items.iter().map(|item| &item.value).collect(),
            Kind::Map(pairs) => pairs.iter().flat_map(|pair| [&pair.key, &pair.value]).collect(),
            Kind::Struct { fields, .. } => fields.iter().map(|field| &field.value).collect(),
            Kind::Loop(fold) => {
                vec![&fold.range, &fold.init, &fold.condition, &fold.step, &fold.result]
            }
        }
    }
}
