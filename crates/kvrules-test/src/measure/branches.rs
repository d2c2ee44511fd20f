//! The branches of an expression: its boolean parts, each with the loops around it.

use kvrules_cel::SourceText;
use kvrules_cel::ast::{ComprehensionKind, Expr, ExprKind, Expression, Literal, operators};

/// A boolean part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// Its text.
    pub(super) text: String,
    /// First byte in the expression.
    pub(super) start: usize,
    /// The loops around it, outer ones first.
    loops: Vec<Loop>,
}

/// A loop: the text of its range, and its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Loop {
    range: String,
    variables: String,
}

/// A comparison with an integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    /// The comparison.
    pub(super) text: String,
    /// The value that satisfies it and is next to one that does not.
    pub(super) inside: i64,
    /// The value next to it that does not satisfy it.
    pub(super) outside: i64,
    /// The side that is compared.
    operand: String,
    loops: Vec<Loop>,
}

/// Finds the branches of an expression: operands of `&&`, `||`, `!` and `?:`, and the bodies of loops.
pub(super) fn find_branches(expression: &Expression) -> (Vec<Branch>, Vec<Boundary>) {
    let source = SourceText::new(expression);
    let mut finder = Finder { source, loops: Vec::new(), branches: Vec::new(), boundaries: Vec::new() };
    finder.visit(&expression.root);
    (finder.branches, finder.boundaries)
}

impl Branch {
    /// Returns a rule that is false exactly if the branch has this outcome for some entry of the loops around it.
    pub(super) fn probe(&self, outcome: bool) -> String {
        let text = &self.text;
        wrap(&self.loops, if outcome { format!("!({text})") } else { format!("({text})") })
    }
}

impl Boundary {
    /// Returns a rule that is false exactly if the compared side has this value for some entry of the loops around it.
    pub(super) fn probe(&self, value: i64) -> String {
        wrap(&self.loops, format!("!(({}) == {value})", self.operand))
    }
}

fn wrap(loops: &[Loop], body: String) -> String {
    loops.iter().rev().fold(body, |body, one| format!("({}).all({}, {body})", one.range, one.variables))
}

struct Finder<'s> {
    source: SourceText<'s>,
    loops: Vec<Loop>,
    branches: Vec<Branch>,
    boundaries: Vec<Boundary>,
}

impl Finder<'_> {
    fn text_of(&self, expr: &Expr) -> String {
        self.source.node_text(expr.span).to_owned()
    }

    fn add_branch(&mut self, expr: &Expr) {
        let is_inner = matches!(&expr.kind, ExprKind::Call { function, .. }
            if [operators::AND, operators::OR, operators::NOT, operators::CONDITIONAL].contains(&function.as_str()));
        if is_inner || matches!(expr.kind, ExprKind::Literal(_)) {
            return;
        }
        let start = self.source.balanced_range(expr.span).start;
        let branch = Branch { text: self.text_of(expr), start, loops: self.loops.clone() };
        if !self.branches.contains(&branch) {
            self.branches.push(branch);
        }
    }

    fn visit(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call { function, args, .. } => {
                let operands = match function.as_str() {
                    operators::AND | operators::OR | operators::NOT => args.as_slice(),
                    operators::CONDITIONAL => args.get(..1).unwrap_or_default(),
                    _ => &[],
                };
                for operand in operands {
                    self.add_branch(operand);
                }
                self.add_boundary(expr, function, args);
            }
            ExprKind::Comprehension(it) => {
                self.visit(&it.range);
                let variables = it.var2.as_ref().map_or_else(
                    || it.var.name.clone(),
                    |second| format!("{}, {}", it.var.name, second.name),
                );
                let is_boolean = matches!(
                    it.kind,
                    ComprehensionKind::All
                        | ComprehensionKind::Exists
                        | ComprehensionKind::ExistsOne
                        | ComprehensionKind::Filter
                );
                self.loops.push(Loop { range: self.text_of(&it.range), variables });
                if is_boolean {
                    self.add_branch(&it.body);
                }
                it.condition.iter().for_each(|condition| self.visit(condition));
                self.visit(&it.body);
                self.loops.pop();
                return;
            }
            // The names that these bind are not in scope of a probe.
            ExprKind::OptMap { target, .. } => return self.visit(target),
            ExprKind::SortBy { range, .. } => return self.visit(range),
            _ => {}
        }
        for child in expr.children() {
            self.visit(child);
        }
    }

    fn add_boundary(&mut self, expr: &Expr, function: &str, args: &[Expr]) {
        let [left, right] = args else { return };
        let integer = |expr: &Expr| match &expr.kind {
            ExprKind::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        };
        let (operand, bound, is_mirrored) = match (integer(left), integer(right)) {
            (None, Some(bound)) => (left, bound, false),
            (Some(bound), None) => (right, bound, true),
            _ => return,
        };
        let (next, previous) = (bound.saturating_add(1), bound.saturating_sub(1));
        let (inside, outside) = match (function, is_mirrored) {
            (operators::LESS_EQUALS, false) | (operators::GREATER_EQUALS, true) => (bound, next),
            (operators::GREATER_EQUALS, false) | (operators::LESS_EQUALS, true) => (bound, previous),
            (operators::LESS, false) | (operators::GREATER, true) => (previous, bound),
            (operators::GREATER, false) | (operators::LESS, true) => (next, bound),
            _ => return,
        };
        let (text, operand, loops) = (self.text_of(expr), self.text_of(operand), self.loops.clone());
        self.boundaries.push(Boundary { text, inside, outside, operand, loops });
    }
}
