//! The tree of an expression.
//!
//! Macros stay what was written: a quantifier is one [`Comprehension`] node with its kind, not a fold over an
//! accumulator, since cost, messages and evaluation all ask which macro it was. Operators are calls of functions
//! with the server's internal names ([`operators`]).

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::value::Value;

/// A number that identifies a node within its tree; also an index into tables next to the tree.
pub type NodeId = u32;

/// The bytes of the source that a node covers, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// A parsed expression together with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The text it was parsed from.
    pub source: String,
    /// The tree.
    pub root: Expr,
    /// One more than the greatest [`NodeId`] in the tree.
    pub node_count: NodeId,
    /// Maximum depth of the tree; see [`crate::stack`].
    pub depth: usize,
    /// Values that every evaluation uses.
    pub(crate) literal_lists: LiteralLists,
}

/// The values of the lists in an expression whose elements are literals, by the number of the node. The first evaluation makes
/// them.
#[derive(Debug, Default)]
pub(crate) struct LiteralLists(OnceLock<HashMap<NodeId, Value>>);

impl LiteralLists {
    /// Returns the values, which `make` makes if there are none yet.
    pub(crate) fn get_or_make(
        &self,
        make: impl FnOnce() -> HashMap<NodeId, Value>,
    ) -> &HashMap<NodeId, Value> {
        self.0.get_or_init(make)
    }
}

/// A copy may be changed, so it gets values of its own.
impl Clone for LiteralLists {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// They follow from the tree.
impl PartialEq for LiteralLists {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Number of the node.
    pub id: NodeId,
    /// Range in the source.
    pub span: Span,
    /// The byte offset at which the server reports an error of this node: the operator of an operation, the dot
    /// of a selection, the bracket of a call.
    pub at: usize,
    /// Kind of the node.
    pub kind: ExprKind,
}

/// Kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// A name; with its dot in front when it was written with one.
    Ident(String),
    /// `operand.field`.
    Select {
        /// The operand of the selection.
        operand: Box<Expr>,
        /// The field as written, that is, escaped.
        field: String,
    },
    /// `has(operand.field)`.
    Has {
        /// The operand of the selection.
        operand: Box<Expr>,
        /// The field as written.
        field: String,
        /// Byte offset at which the server reports errors of the selection inside.
        select_at: usize,
    },
    /// A function or an operator; `_?._` and `_[?_]` as well.
    Call {
        /// Name, or one of [`operators`].
        function: String,
        /// The receiver, before the dot. For `strings.quote(x)` the name `strings`.
        receiver: Option<Box<Expr>>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `[a, ?b]`.
    List(Vec<Element>),
    /// `{k: v, ?k: v}`.
    Map(Vec<Entry>),
    /// `pkg.Type{field: value}`.
    Struct {
        /// The name of the type.
        type_name: String,
        /// The fields.
        fields: Vec<StructField>,
    },
    /// A loop.
    Comprehension(Box<Comprehension>),
    /// `target.optMap(var, body)` or `target.optFlatMap(var, body)`.
    OptMap {
        /// True if the body itself returns an optional.
        flat: bool,
        /// The optional.
        target: Box<Expr>,
        /// The name of its value in the body.
        var: String,
        /// Expression that is computed from the value.
        body: Box<Expr>,
    },
    /// `range.sortBy(var, key)`.
    SortBy {
        /// The list.
        range: Box<Expr>,
        /// The name of an element in the key.
        var: String,
        /// The sort key.
        key: Box<Expr>,
    },
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5`
    Double(f64),
    /// `'a'`
    String(String),
    /// `b'a'`
    Bytes(Vec<u8>),
}

/// An element of a list literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// True if it was written with a question mark: omitted if it has no value.
    pub optional: bool,
    /// The element.
    pub value: Expr,
}

/// An entry of a map literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of the entry, in the same sequence as the nodes.
    pub id: NodeId,
    /// The byte offset of its colon.
    pub at: usize,
    /// True if it was written with a question mark: omitted if it has no value.
    pub optional: bool,
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// A field of a struct literal.
#[derive(Clone, Debug, PartialEq)]
pub struct StructField {
    /// Number of the field, in the same sequence as the nodes.
    pub id: NodeId,
    /// The byte offset of its colon.
    pub at: usize,
    /// True if it was written with a question mark.
    pub optional: bool,
    /// The name of the field.
    pub field: String,
    /// The value.
    pub value: Expr,
}

/// A loop over a list or the keys of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// The macro.
    pub kind: ComprehensionKind,
    /// The list or map to loop over.
    pub range: Expr,
    /// The variable: an element or a key; with two variables an index or a key.
    pub var: Var,
    /// The second variable: an element or the value of a key.
    pub var2: Option<Var>,
    /// The condition in the middle of `map(x, condition, body)` and `transform…`.
    pub condition: Option<Expr>,
    /// The predicate, or what is collected.
    pub body: Expr,
}

/// The variable of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The node it was written as.
    pub id: NodeId,
    /// Its place.
    pub span: Span,
    /// Its name.
    pub name: String,
}

/// Kind of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComprehensionKind {
    /// `all`
    All,
    /// `exists`
    Exists,
    /// `exists_one`, and `existsOne` with two variables
    ExistsOne,
    /// `map`
    Map,
    /// `filter`
    Filter,
    /// `transformList`
    TransformList,
    /// `transformMap`
    TransformMap,
    /// `transformMapEntry`
    TransformMapEntry,
}

/// The names of operators as functions.
pub mod operators {
    /// `c ? a : b`
    pub const CONDITIONAL: &str = "_?_:_";
    /// `a && b`
    pub const AND: &str = "_&&_";
    /// `a || b`
    pub const OR: &str = "_||_";
    /// `!a`
    pub const NOT: &str = "!_";
    /// `a - b`
    pub const SUBTRACT: &str = "_-_";
    /// `a + b`
    pub const ADD: &str = "_+_";
    /// `a * b`
    pub const MULTIPLY: &str = "_*_";
    /// `a / b`
    pub const DIVIDE: &str = "_/_";
    /// `a % b`
    pub const MODULO: &str = "_%_";
    /// `a == b`
    pub const EQUALS: &str = "_==_";
    /// `a != b`
    pub const NOT_EQUALS: &str = "_!=_";
    /// `a >= b`
    pub const GREATER_EQUALS: &str = "_>=_";
    /// `a <= b`
    pub const LESS_EQUALS: &str = "_<=_";
    /// `a > b`
    pub const GREATER: &str = "_>_";
    /// `a < b`
    pub const LESS: &str = "_<_";
    /// `-a`
    pub const NEGATE: &str = "-_";
    /// `a[b]`
    pub const INDEX: &str = "_[_]";
    /// `a[?b]`
    pub const OPT_INDEX: &str = "_[?_]";
    /// `a.?b`; the field is a string literal
    pub const OPT_SELECT: &str = "_?._";
    /// `a in b`
    pub const IN: &str = "@in";
}

impl Expr {
    /// The dotted name this node spells (`a.b.c`), if it is one.
    pub fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Ident(name) => Some(name.clone()),
            ExprKind::Select { operand, field } => Some(format!("{}.{field}", operand.qualified_name()?)),
            _ => None,
        }
    }

    /// Returns the name, the value and the body of `cel.bind(name, value, body)`, which is a macro of some engines; `None` for
    /// any other node.
    ///
    /// ```
    /// let expression = kvrules_cel::parse("cel.bind(n, object.n, n > 1)").unwrap();
    /// assert_eq!(expression.root.as_binding().unwrap().0, "n");
    /// assert!(kvrules_cel::parse("cel.bind(n, object.n)").unwrap().root.as_binding().is_none());
    /// ```
    // cel-go ext/bindings.go, celBind
    pub fn as_binding(&self) -> Option<(&str, &Expr, &Expr)> {
        let ExprKind::Call { function, receiver: Some(receiver), args } = &self.kind else { return None };
        let [Expr { kind: ExprKind::Ident(name), .. }, value, body] = args.as_slice() else { return None };
        let is_library = matches!(&receiver.kind, ExprKind::Ident(library) if library == "cel");
        (function == "bind" && is_library).then_some((name.as_str(), value, body))
    }

    /// Calls `visit` on this node and every node below it, in the order in which they were written.
    pub fn visit_nodes<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        for child in self.children() {
            child.visit_nodes(visit);
        }
    }

    /// The nodes directly below this one, in the order in which they were written.
    pub fn children(&self) -> Vec<&Expr> {
        self.kind.children()
    }

    /// Returns the node with other nodes in place of those directly below it.
    #[must_use]
    pub fn map_children(mut self, change: &mut dyn FnMut(Expr) -> Expr) -> Self {
        self.kind = self.kind.map_children(change);
        self
    }

    /// True if this node or one below it declares a variable with a name that passes.
    pub fn declares_name(&self, passes: impl Fn(&str) -> bool) -> bool {
        let mut found = false;
        self.visit_nodes(&mut |node| found = found || node.kind.declared_names().into_iter().any(&passes));
        found
    }
}

impl ExprKind {
    /// The names of the variables that a node of this kind declares, in their order.
    pub fn declared_names(&self) -> Vec<&str> {
        match self {
            ExprKind::Comprehension(comprehension) => comprehension.variable_names().collect(),
            ExprKind::OptMap { var, .. } | ExprKind::SortBy { var, .. } => vec![var],
            _ => Vec::new(),
        }
    }

    /// The nodes directly below a node of this kind, in the order in which they were written.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Literal(_) | ExprKind::Ident(_) => Vec::new(),
            ExprKind::Select { operand, .. } | ExprKind::Has { operand, .. } => vec![operand],
            ExprKind::Call { receiver, args, .. } => receiver.as_deref().into_iter().chain(args).collect(),
            ExprKind::List(elements) => elements.iter().map(|element| &element.value).collect(),
            ExprKind::Map(entries) => entries.iter().flat_map(|entry| [&entry.key, &entry.value]).collect(),
            ExprKind::Struct { fields, .. } => fields.iter().map(|field| &field.value).collect(),
            ExprKind::Comprehension(it) => {
                [&it.range].into_iter().chain(&it.condition).chain([&it.body]).collect()
            }
            ExprKind::OptMap { target: range, body, .. } | ExprKind::SortBy { range, key: body, .. } => {
                vec![range, body]
            }
        }
    }
}

impl ExprKind {
    fn map_children(mut self, change: &mut dyn FnMut(Expr) -> Expr) -> Self {
        // A literal stands in while a node is changed.
        let mut replace = |node: &mut Expr| {
            let placeholder = Expr { id: 0, span: node.span, at: 0, kind: ExprKind::List(Vec::new()) };
            let taken = std::mem::replace(node, placeholder);
            *node = change(taken);
        };
        match &mut self {
            ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } | ExprKind::Has { operand, .. } => replace(operand),
            ExprKind::Call { receiver, args, .. } => {
                receiver.as_deref_mut().into_iter().chain(args).for_each(replace);
            }
            ExprKind::List(elements) => elements.iter_mut().for_each(|it| replace(&mut it.value)),
            ExprKind::Map(entries) => entries.iter_mut().for_each(|it| {
                replace(&mut it.key);
                replace(&mut it.value);
            }),
            ExprKind::Struct { fields, .. } => fields.iter_mut().for_each(|it| replace(&mut it.value)),
            ExprKind::Comprehension(it) => {
                replace(&mut it.range);
                it.condition.iter_mut().for_each(&mut replace);
                replace(&mut it.body);
            }
            ExprKind::OptMap { target: range, body, .. } | ExprKind::SortBy { range, key: body, .. } => {
                replace(range);
                replace(body);
            }
        }
        self
    }
}

impl Comprehension {
    /// The names of its variables, in their order.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.var).chain(&self.var2).map(|var| var.name.as_str())
    }
}
