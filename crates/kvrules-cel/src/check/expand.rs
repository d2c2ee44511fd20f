//! Writes macros out.
//!
//! The shapes of the loops are facts of cel-go's macros: costs count their accumulators and list literals, so the
//! expansion decides what a macro costs.

use crate::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, NodeId, operators};
use crate::kubernetes::{CelEngine, Dialect};

use super::core::{
    ACCUMULATOR, CoreField, CoreId, CoreItem, CoreKind, CoreLoop, CoreNode, CorePair, CoreTree,
};

/// Functions that only expansions call.
pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
pub(crate) const MAP_INSERT: &str = "cel.@mapInsert";
pub(crate) const SORT_BY_KEYS: &str = "@sortByAssociatedKeys";

/// The name of the list that `sortBy` sorts.
const SORT_INPUT: &str = "@__sortBy_input__";
/// The loop variable of a binding.
const UNUSED: &str = "#unused";

/// The expression with its macros written out.
pub(crate) fn expand_macros(expression: &Expression, dialect: Dialect) -> CoreTree {
    expand_part(&expression.root, dialect)
}

/// A part of an expression with its macros written out.
pub(crate) fn expand_part(part: &Expr, dialect: Dialect) -> CoreTree {
    let has_bindings = dialect.engine == CelEngine::Kyverno;
    let mut expander = Expander { next: 0, has_bindings };
    let root = expander.expand_node(part);
    CoreTree { root, node_count: expander.next }
}

struct Expander {
    next: CoreId,
    /// True if `cel.bind` is a macro.
    has_bindings: bool,
}

/// Makes nodes of an expansion; they all report errors where the macro stands.
struct MacroBuilder<'a> {
    expander: &'a mut Expander,
    at: usize,
}

impl Expander {
    fn new_node(&mut self, origin: Option<NodeId>, at: usize, kind: CoreKind) -> CoreNode {
        let id = self.next;
        self.next += 1;
        CoreNode { id, origin, at, kind }
    }

    fn expand_node(&mut self, expr: &Expr) -> CoreNode {
        let at = expr.at;
        let kind = match &expr.kind {
            ExprKind::Literal(literal) => CoreKind::Literal(literal.clone()),
            ExprKind::Ident(name) => CoreKind::Ident(name.clone()),
            ExprKind::Select { operand, field } => self.expand_select(operand, field, false),
            ExprKind::Has { operand, field, .. } => self.expand_select(operand, field, true),
            ExprKind::Call { .. } if self.has_bindings && expr.as_binding().is_some() => {
                self.expand_binding(at, expr)
            }
            ExprKind::Call { function, receiver, args } => {
                self.expand_call(function, receiver.as_deref(), args)
            }
            ExprKind::List(elements) => CoreKind::List(
                elements
                    .iter()
                    .map(|element| CoreItem {
                        optional: element.optional,
                        value: self.expand_node(&element.value),
                    })
                    .collect(),
            ),
            ExprKind::Map(entries) => CoreKind::Map(
                entries
                    .iter()
                    .map(|entry| CorePair {
                        optional: entry.optional,
                        key: self.expand_node(&entry.key),
                        value: self.expand_node(&entry.value),
                    })
                    .collect(),
            ),
            ExprKind::Struct { type_name, fields } => {
                let fields = fields
                    .iter()
                    .map(|field| CoreField {
                        at: field.at,
                        name: field.field.clone(),
                        optional: field.optional,
                        value: self.expand_node(&field.value),
                    })
                    .collect();
                CoreKind::Struct { type_name: type_name.clone(), fields }
            }
            ExprKind::Comprehension(comprehension) => self.expand_comprehension(at, comprehension),
            ExprKind::OptMap { flat, target, var, body } => self.opt_map(at, *flat, target, var, body),
            ExprKind::SortBy { range, var, key } => self.sort_by(at, range, var, key),
        };
        self.new_node(Some(expr.id), at, kind)
    }

    /// `cel.bind(name, value, body)`
    // cel-go ext/bindings.go, celBind
    fn expand_binding(&mut self, at: usize, expr: &Expr) -> CoreKind {
        let Some((name, value, body)) = expr.as_binding() else { return CoreKind::List(Vec::new()) };
        let (value, body) = (self.expand_node(value), self.expand_node(body));
        MacroBuilder { expander: self, at }.binding(name, value, body).kind
    }

    fn expand_select(&mut self, operand: &Expr, field: &str, test: bool) -> CoreKind {
        CoreKind::Select { operand: Box::new(self.expand_node(operand)), field: field.to_owned(), test }
    }

    fn expand_call(&mut self, function: &str, receiver: Option<&Expr>, args: &[Expr]) -> CoreKind {
        let target = receiver.map(|receiver| Box::new(self.expand_node(receiver)));
        CoreKind::Call {
            function: function.to_owned(),
            target,
            args: args.iter().map(|arg| self.expand_node(arg)).collect(),
        }
    }

    fn expand_comprehension(&mut self, at: usize, written: &Comprehension) -> CoreKind {
        let range = self.expand_node(&written.range);
        let condition = written.condition.as_ref().map(|condition| self.expand_node(condition));
        let body = self.expand_node(&written.body);
        let mut made = MacroBuilder { expander: self, at };
        let var = &written.var.name;
        let (init, until, step, result) = match written.kind {
            ComprehensionKind::All => made.all(body),
            ComprehensionKind::Exists => made.exists(body),
            ComprehensionKind::ExistsOne => made.exists_one(body),
            ComprehensionKind::Map | ComprehensionKind::TransformList => made.map(condition, body),
            ComprehensionKind::Filter => {
                let element = made.ident(var);
                made.map(Some(body), element)
            }
            ComprehensionKind::TransformMap => {
                let key = made.ident(var);
                made.insert(condition, vec![key, body])
            }
            ComprehensionKind::TransformMapEntry => made.insert(condition, vec![body]),
        };
        CoreKind::Loop(Box::new(CoreLoop {
            range,
            var: var.clone(),
            var2: written.var2.as_ref().map(|var| var.name.clone()),
            accumulator: ACCUMULATOR.to_owned(),
            init,
            condition: until,
            step,
            result,
        }))
    }

    /// `target.hasValue() ? optional.of(body with var = target.value()) : optional.none()`
    // cel-go cel/library.go, optMap and optFlatMap: the target is in the tree twice, and so costs twice
    fn opt_map(&mut self, at: usize, flat: bool, target: &Expr, var: &str, body: &Expr) -> CoreKind {
        let tested = self.expand_node(target);
        let copied = self.expand_node(target);
        let body = self.expand_node(body);
        let mut made = MacroBuilder { expander: self, at };
        let has_value = made.member("hasValue", tested, Vec::new());
        let value = made.member("value", copied, Vec::new());
        let bound = made.binding(var, value, body);
        let some = if flat { bound } else { made.namespaced("of", vec![bound]) };
        let none = made.namespaced("none", Vec::new());
        let args = vec![has_value, some, none];
        CoreKind::Call { function: operators::CONDITIONAL.to_owned(), target: None, args }
    }

    /// `input.@sortByAssociatedKeys(input.map(var, key))` with `input = range`
    // cel-go ext/lists.go, sortByMacro
    fn sort_by(&mut self, at: usize, range: &Expr, var: &str, key: &Expr) -> CoreKind {
        let range = self.expand_node(range);
        let key = self.expand_node(key);
        let mut made = MacroBuilder { expander: self, at };
        let (init, condition, step, result) = made.map(None, key);
        let input = made.ident(SORT_INPUT);
        let accumulator = ACCUMULATOR.to_owned();
        let var = var.to_owned();
        let keys = CoreLoop { range: input, var, var2: None, accumulator, init, condition, step, result };
        let keys = made.node(CoreKind::Loop(Box::new(keys)));
        let input = made.ident(SORT_INPUT);
        let sorted = made.member(SORT_BY_KEYS, input, vec![keys]);
        made.binding(SORT_INPUT, range, sorted).kind
    }
}

type LoopParts = (CoreNode, CoreNode, CoreNode, CoreNode);

impl MacroBuilder<'_> {
    fn node(&mut self, kind: CoreKind) -> CoreNode {
        self.expander.new_node(None, self.at, kind)
    }

    fn literal(&mut self, literal: Literal) -> CoreNode {
        self.node(CoreKind::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> CoreNode {
        self.node(CoreKind::Ident(name.to_owned()))
    }

    fn accumulator(&mut self) -> CoreNode {
        self.ident(ACCUMULATOR)
    }

    fn global(&mut self, function: &str, args: Vec<CoreNode>) -> CoreNode {
        self.node(CoreKind::Call { function: function.to_owned(), target: None, args })
    }

    fn member(&mut self, function: &str, target: CoreNode, args: Vec<CoreNode>) -> CoreNode {
        self.node(CoreKind::Call { function: function.to_owned(), target: Some(Box::new(target)), args })
    }

    fn namespaced(&mut self, function: &str, args: Vec<CoreNode>) -> CoreNode {
        self.global(&format!("optional.{function}"), args)
    }

    fn binding(&mut self, name: &str, value: CoreNode, body: CoreNode) -> CoreNode {
        let range = self.node(CoreKind::List(Vec::new()));
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(name);
        self.node(CoreKind::Loop(Box::new(CoreLoop {
            range,
            var: UNUSED.to_owned(),
            var2: None,
            accumulator: name.to_owned(),
            init: value,
            condition,
            step,
            result: body,
        })))
    }

    // cel-go parser/macro.go, makeQuantifier; with two variables ext/comprehensions.go, quantifierAll
    fn all(&mut self, body: CoreNode) -> LoopParts {
        let init = self.literal(Literal::Bool(true));
        let so_far = self.accumulator();
        let condition = self.global(NOT_STRICTLY_FALSE, vec![so_far]);
        let so_far = self.accumulator();
        let step = self.global(operators::AND, vec![so_far, body]);
        (init, condition, step, self.accumulator())
    }

    // cel-go parser/macro.go, makeQuantifier; with two variables ext/comprehensions.go, quantifierExists
    fn exists(&mut self, body: CoreNode) -> LoopParts {
        let init = self.literal(Literal::Bool(false));
        let so_far = self.accumulator();
        let none_yet = self.global(operators::NOT, vec![so_far]);
        let condition = self.global(NOT_STRICTLY_FALSE, vec![none_yet]);
        let so_far = self.accumulator();
        let step = self.global(operators::OR, vec![so_far, body]);
        (init, condition, step, self.accumulator())
    }

    // cel-go parser/macro.go, makeQuantifier: the condition is `true`, so that the loop never ends early
    fn exists_one(&mut self, body: CoreNode) -> LoopParts {
        let init = self.literal(Literal::Int(0));
        let condition = self.literal(Literal::Bool(true));
        let so_far = self.accumulator();
        let one = self.literal(Literal::Int(1));
        let more = self.global(operators::ADD, vec![so_far, one]);
        let step = self.unless_skipped(Some(body), more);
        let count = self.accumulator();
        let one = self.literal(Literal::Int(1));
        let result = self.global(operators::EQUALS, vec![count, one]);
        (init, condition, step, result)
    }

    // cel-go parser/macro.go, MakeMap and MakeFilter; ext/comprehensions.go, transformList
    fn map(&mut self, condition: Option<CoreNode>, body: CoreNode) -> LoopParts {
        let init = self.node(CoreKind::List(Vec::new()));
        let always = self.literal(Literal::Bool(true));
        let so_far = self.accumulator();
        let one = self.node(CoreKind::List(vec![CoreItem { optional: false, value: body }]));
        let more = self.global(operators::ADD, vec![so_far, one]);
        let step = self.unless_skipped(condition, more);
        (init, always, step, self.accumulator())
    }

    // cel-go ext/comprehensions.go, transformMap and transformMapEntry
    fn insert(&mut self, condition: Option<CoreNode>, added: Vec<CoreNode>) -> LoopParts {
        let init = self.node(CoreKind::Map(Vec::new()));
        let always = self.literal(Literal::Bool(true));
        let mut args = vec![self.accumulator()];
        args.extend(added);
        let more = self.global(MAP_INSERT, args);
        let step = self.unless_skipped(condition, more);
        (init, always, step, self.accumulator())
    }

    fn unless_skipped(&mut self, condition: Option<CoreNode>, step: CoreNode) -> CoreNode {
        let Some(condition) = condition else { return step };
        let so_far = self.accumulator();
        self.global(operators::CONDITIONAL, vec![condition, step, so_far])
    }
}
