//! The tree that checker and cost work on: macros expanded into loops, as the server does.
//!
//! Types, messages and costs of a macro are those of its expansion, down to the accumulator, so both read this tree
//! instead of knowing each macro.

use crate::ast::{Literal, NodeId};

/// The number of a node of this tree.
pub(crate) type CoreId = usize;

/// An expanded expression.
#[derive(Clone, Debug)]
pub(crate) struct CoreTree {
    /// The tree.
    pub(crate) root: CoreNode,
    /// One more than the greatest number.
    pub(crate) node_count: CoreId,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct CoreNode {
    pub(crate) id: CoreId,
    /// The node as written that has this node's type; none inside of an expansion.
    pub(crate) origin: Option<NodeId>,
    /// Byte offset at which the server reports an error of this node.
    pub(crate) at: usize,
    pub(crate) kind: CoreKind,
}

/// Kind of a node.
#[derive(Clone, Debug)]
pub(crate) enum CoreKind {
    Literal(Literal),
    Ident(String),
    Select { operand: Box<CoreNode>, field: String, test: bool },
    Call { function: String, target: Option<Box<CoreNode>>, args: Vec<CoreNode> },
    List(Vec<CoreItem>),
    Map(Vec<CorePair>),
    Struct { type_name: String, fields: Vec<CoreField> },
    Loop(Box<CoreLoop>),
}

/// An element of a list.
#[derive(Clone, Debug)]
pub(crate) struct CoreItem {
    pub(crate) optional: bool,
    pub(crate) value: CoreNode,
}

/// An entry of a map.
#[derive(Clone, Debug)]
pub(crate) struct CorePair {
    pub(crate) optional: bool,
    pub(crate) key: CoreNode,
    pub(crate) value: CoreNode,
}

/// A field of a struct literal.
#[derive(Clone, Debug)]
pub(crate) struct CoreField {
    pub(crate) at: usize,
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) value: CoreNode,
}

/// A fold: `accumulator` starts at `init` and becomes `step` for each element of `range` while `condition` holds.
#[derive(Clone, Debug)]
pub(crate) struct CoreLoop {
    pub(crate) range: CoreNode,
    pub(crate) var: String,
    pub(crate) var2: Option<String>,
    pub(crate) accumulator: String,
    pub(crate) init: CoreNode,
    pub(crate) condition: CoreNode,
    pub(crate) step: CoreNode,
    pub(crate) result: CoreNode,
}

/// The variable that loops count in.
pub(crate) const ACCUMULATOR: &str = "@result";

impl CoreLoop {
    /// True if this only names a value: it loops over nothing.
    // cel-go cel/library.go, optMap, and ext/lists.go, sortByMacro: a loop over `[]` whose accumulator is the name
    pub(crate) fn is_binding(&self) -> bool {
        self.accumulator != ACCUMULATOR
            && matches!(&self.range.kind, CoreKind::List(items) if items.is_empty())
            && matches!(self.condition.kind, CoreKind::Literal(Literal::Bool(false)))
    }
}

impl CoreNode {
    /// The dotted name this node spells, if it is one.
    pub(crate) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            CoreKind::Ident(name) => Some(name.clone()),
            CoreKind::Select { operand, field, test: false } => {
                Some(format!("{}.{field}", operand.qualified_name()?))
            }
            _ => None,
        }
    }

    /// Calls `visit` on this node and every node below it.
    pub(crate) fn visit_nodes<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.visit_nodes(visit);
        }
    }

    /// The nodes directly below.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            CoreKind::Literal(_) | CoreKind::Ident(_) => Vec::new(),
            CoreKind::Select { operand, .. } => vec![operand],
            CoreKind::Call { target, args, .. } => target.as_deref().into_iter().chain(args).collect(),
            CoreKind::List(items) => items.iter().map(|item| &item.value).collect(),
            CoreKind::Map(pairs) => pairs.iter().flat_map(|pair| [&pair.key, &pair.value]).collect(),
            CoreKind::Struct { fields, .. } => fields.iter().map(|field| &field.value).collect(),
            CoreKind::Loop(fold) => {
                vec![&fold.range, &fold.init, &fold.condition, &fold.step, &fold.result]
            }
        }
    }
}
