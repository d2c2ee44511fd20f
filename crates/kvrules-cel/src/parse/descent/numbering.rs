//! The numbers of the nodes, in the order in which a reader meets them: a node before what is below it.

use crate::ast::{Comprehension, Expr, ExprKind, NodeId};

/// Numbers all nodes; returns how many there are and how many lie above each other at most.
pub(super) fn number_nodes(root: &mut Expr) -> (NodeId, usize) {
    let mut numbering = Numbering { next: 0, depth: 0, deepest: 0 };
    numbering.expr(root);
    (numbering.next, numbering.deepest)
}

struct Numbering {
    next: NodeId,
    depth: usize,
    deepest: usize,
}

impl Numbering {
    fn id(&mut self) -> NodeId {
        let id = self.next;
        self.next += 1;
        id
    }

    fn expr(&mut self, expr: &mut Expr) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        expr.id = self.id();
        self.kind(&mut expr.kind);
        self.depth -= 1;
    }

    fn kind(&mut self, kind: &mut ExprKind) {
        match kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } | ExprKind::Has { operand, .. } => self.expr(operand),
            ExprKind::Call { receiver, args, .. } => {
                if let Some(receiver) = receiver {
                    self.expr(receiver);
                }
                for arg in args {
                    self.expr(arg);
                }
            }
            ExprKind::List(elements) => elements.iter_mut().for_each(|it| self.expr(&mut it.value)),
            ExprKind::Map(entries) => {
                for entry in entries {
                    entry.id = self.id();
                    self.expr(&mut entry.key);
                    self.expr(&mut entry.value);
                }
            }
            ExprKind::Struct { fields, .. } => {
                for field in fields {
                    field.id = self.id();
                    self.expr(&mut field.value);
                }
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExprKind::OptMap { target: range, body, .. } | ExprKind::SortBy { range, key: body, .. } => {
                self.expr(range);
                self.expr(body);
            }
        }
    }

    fn comprehension(&mut self, comprehension: &mut Comprehension) {
        self.expr(&mut comprehension.range);
        comprehension.var.id = self.id();
        if let Some(var) = &mut comprehension.var2 {
            var.id = self.id();
        }
        comprehension.condition.iter_mut().for_each(|condition| self.expr(condition));
        self.expr(&mut comprehension.body);
    }
}
