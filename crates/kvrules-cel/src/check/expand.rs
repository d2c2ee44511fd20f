//! Writes macros out.
//!
//! The shapes of the loops are facts of cel-go's macros: costs count their accumulators and list literals, so the
//! expansion decides what a macro costs.

use crate::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, NodeId, operators};

use super::core::{ACCUMULATOR, Core, CoreId, Field, Item, Kind, Loop, Node, Pair};

/// Functions that only expansions call.
pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
pub(crate) const MAP_INSERT: &str = "cel.@mapInsert";
pub(crate) const SORT_BY_KEYS: &str = "@sortByAssociatedKeys";

/// The name of the list that `sortBy` sorts.
const SORT_INPUT: &str = "@__sortBy_input__";
/// The loop variable of a binding.
const UNUSED: &str = "#unused";

/// The expression with its macros written out.
pub(crate) fn expand(expression: &Expression) -> Core {
    expand_part(&expression.root)
}

/// A part of an expression with its macros written out.
pub(crate) fn expand_part(part: &Expr) -> Core {
    let mut expander = Expander { next: 0 };
    let root = expander.node(part);
    Core { root, node_count: expander.next }
}

struct Expander {
    next: CoreId,
}

/// Makes nodes of an expansion; they all report errors where the macro stands.
struct Made<'a> {
    expander: &'a mut Expander,
    at: usize,
}

impl Expander {
    fn make(&mut self, origin: Option<NodeId>, at: usize, kind: Kind) -> Node {
        let id = self.next;
        self.next += 1;
        Node { id, origin, at, kind }
    }

    fn node(&mut self, expr: &Expr) -> Node {
        let at = expr.at;
        let kind = match &expr.kind {
            ExprKind::Literal(literal) => Kind::Literal(literal.clone()),
            ExprKind::Ident(name) => Kind::Ident(name.clone()),
            ExprKind::Select { operand, field } => self.select(operand, field, false),
            ExprKind::Has { operand, field, .. } => self.select(operand, field, true),
            ExprKind::Call { function, receiver, args } => self.call(function, receiver.as_deref(), args),
            ExprKind::List(elements) => Kind::List(
                elements
                    .iter()
                    .map(|element| Item { optional: element.optional, value: self.node(&element.value) })
                    .collect(),
            ),
            ExprKind::Map(entries) => Kind::Map(
                entries
                    .iter()
                    .map(|entry| Pair {
                        optional: entry.optional,
                        key: self.node(&entry.key),
                        value: self.node(&entry.value),
                    })
                    .collect(),
            ),
            ExprKind::Struct { type_name, fields } => {
                let fields = fields
                    .iter()
                    .map(|field| Field {
                        at: field.at,
                        name: field.field.clone(),
                        optional: field.optional,
                        value: self.node(&field.value),
                    })
                    .collect();
                Kind::Struct { type_name: type_name.clone(), fields }
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(at, comprehension),
            ExprKind::OptMap { flat, target, var, body } => self.opt_map(at, *flat, target, var, body),
            ExprKind::SortBy { range, var, key } => self.sort_by(at, range, var, key),
        };
        self.make(Some(expr.id), at, kind)
    }

    fn select(&mut self, operand: &Expr, field: &str, test: bool) -> Kind {
        Kind::Select { operand: Box::new(self.node(operand)), field: field.to_owned(), test }
    }

    fn call(&mut self, function: &str, receiver: Option<&Expr>, args: &[Expr]) -> Kind {
        let target = receiver.map(|receiver| Box::new(self.node(receiver)));
        Kind::Call {
            function: function.to_owned(),
            target,
            args: args.iter().map(|arg| self.node(arg)).collect(),
        }
    }

    fn comprehension(&mut self, at: usize, written: &Comprehension) -> Kind {
        let range = self.node(&written.range);
        let condition = written.condition.as_ref().map(|condition| self.node(condition));
        let body = self.node(&written.body);
        let mut made = Made { expander: self, at };
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
        Kind::Loop(Box::new(Loop {
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
    fn opt_map(&mut self, at: usize, flat: bool, target: &Expr, var: &str, body: &Expr) -> Kind {
        let tested = self.node(target);
        let copied = self.node(target);
        let body = self.node(body);
        let mut made = Made { expander: self, at };
        let has_value = made.member("hasValue", tested, Vec::new());
        let value = made.member("value", copied, Vec::new());
        let bound = made.binding(var, value, body);
        let some = if flat { bound } else { made.namespaced("of", vec![bound]) };
        let none = made.namespaced("none", Vec::new());
        let args = vec![has_value, some, none];
        Kind::Call { function: operators::CONDITIONAL.to_owned(), target: None, args }
    }

    /// `input.@sortByAssociatedKeys(input.map(var, key))` with `input = range`
    fn sort_by(&mut self, at: usize, range: &Expr, var: &str, key: &Expr) -> Kind {
        let range = self.node(range);
        let key = self.node(key);
        let mut made = Made { expander: self, at };
        let (init, condition, step, result) = made.map(None, key);
        let input = made.ident(SORT_INPUT);
        let accumulator = ACCUMULATOR.to_owned();
        let var = var.to_owned();
        let keys = Loop { range: input, var, var2: None, accumulator, init, condition, step, result };
        let keys = made.node(Kind::Loop(Box::new(keys)));
        let input = made.ident(SORT_INPUT);
        let sorted = made.member(SORT_BY_KEYS, input, vec![keys]);
        made.binding(SORT_INPUT, range, sorted).kind
    }
}

type Parts = (Node, Node, Node, Node);

impl Made<'_> {
    fn node(&mut self, kind: Kind) -> Node {
        self.expander.make(None, self.at, kind)
    }

    fn literal(&mut self, literal: Literal) -> Node {
        self.node(Kind::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> Node {
        self.node(Kind::Ident(name.to_owned()))
    }

    fn accumulator(&mut self) -> Node {
        self.ident(ACCUMULATOR)
    }

    fn global(&mut self, function: &str, args: Vec<Node>) -> Node {
        self.node(Kind::Call { function: function.to_owned(), target: None, args })
    }

    fn member(&mut self, function: &str, target: Node, args: Vec<Node>) -> Node {
        self.node(Kind::Call { function: function.to_owned(), target: Some(Box::new(target)), args })
    }

    fn namespaced(&mut self, function: &str, args: Vec<Node>) -> Node {
        self.global(&format!("optional.{function}"), args)
    }

    fn binding(&mut self, name: &str, value: Node, body: Node) -> Node {
        let range = self.node(Kind::List(Vec::new()));
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(name);
        self.node(Kind::Loop(Box::new(Loop {
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

    fn all(&mut self, body: Node) -> Parts {
        let init = self.literal(Literal::Bool(true));
        let so_far = self.accumulator();
        let condition = self.global(NOT_STRICTLY_FALSE, vec![so_far]);
        let so_far = self.accumulator();
        let step = self.global(operators::AND, vec![so_far, body]);
        (init, condition, step, self.accumulator())
    }

    fn exists(&mut self, body: Node) -> Parts {
        let init = self.literal(Literal::Bool(false));
        let so_far = self.accumulator();
        let none_yet = self.global(operators::NOT, vec![so_far]);
        let condition = self.global(NOT_STRICTLY_FALSE, vec![none_yet]);
        let so_far = self.accumulator();
        let step = self.global(operators::OR, vec![so_far, body]);
        (init, condition, step, self.accumulator())
    }

    fn exists_one(&mut self, body: Node) -> Parts {
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

    fn map(&mut self, condition: Option<Node>, body: Node) -> Parts {
        let init = self.node(Kind::List(Vec::new()));
        let always = self.literal(Literal::Bool(true));
        let so_far = self.accumulator();
        let one = self.node(Kind::List(vec![Item { optional: false, value: body }]));
        let more = self.global(operators::ADD, vec![so_far, one]);
        let step = self.unless_skipped(condition, more);
        (init, always, step, self.accumulator())
    }

    fn insert(&mut self, condition: Option<Node>, added: Vec<Node>) -> Parts {
        let init = self.node(Kind::Map(Vec::new()));
        let always = self.literal(Literal::Bool(true));
        let mut args = vec![self.accumulator()];
        args.extend(added);
        let more = self.global(MAP_INSERT, args);
        let step = self.unless_skipped(condition, more);
        (init, always, step, self.accumulator())
    }

    fn unless_skipped(&mut self, condition: Option<Node>, step: Node) -> Node {
        let Some(condition) = condition else { return step };
        let so_far = self.accumulator();
        self.global(operators::CONDITIONAL, vec![condition, step, so_far])
    }
}
