//! The place of a test in an expression.

use std::ops::Range;

use kvrules_cel::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, operators};

use super::Absence;
use super::access::Access;

/// The part of an expression that a test is about.
#[derive(Debug)]
pub(super) struct GuardPlace {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// The construct around it.
    around: Around,
    /// Its outermost operator.
    operator: Operator,
    /// True if an item that lacks something is left out, since the part selects items.
    selects: bool,
}

/// The construct directly around a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// An operand of `&&`.
    And,
    /// An operand of `||`.
    Or,
    /// Parentheses, the body of a loop, a branch, or nothing.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Choice,
    Other,
}

impl GuardPlace {
    /// The texts in front of the part and behind it.
    pub(super) fn texts(&self, access: &Access<'_>, absence: Absence) -> (String, String) {
        let passes = absence == Absence::Passes && !self.selects;
        let (test, sign) = if passes { (&access.negative, "||") } else { (&access.positive, "&&") };
        // Both sides keep their meaning with as few parentheses as possible.
        let inner = match (passes, self.operator) {
            (_, Operator::Choice) | (false, Operator::Or) => ("(", ")"),
            _ => ("", ""),
        };
        let outer = if passes && self.around == Around::And { ("(", ")") } else { ("", "") };
        (format!("{}{test} {sign} {}", outer.0, inner.0), format!("{}{}", inner.1, outer.1))
    }
}

/// The smallest boolean part that has all places of an access.
pub(super) fn find_place(root: &Expr, source: &str, access: &Access<'_>) -> Option<GuardPlace> {
    let first = access.nodes.first()?;
    let around_first = enclosing_loop(root, first);
    let same_scope = |node: &&&Expr| {
        let own = enclosing_loop(root, node);
        match (own, around_first) {
            (None, None) => true,
            (Some(own), Some(other)) => std::ptr::eq(own, other),
            _ => false,
        }
    };
    let nodes: Vec<&Expr> = access.nodes.iter().filter(same_scope).copied().collect();
    let (scope, selects) = match around_first {
        None => (root, false),
        Some(it) => (
            &it.body,
            match it.kind {
                ComprehensionKind::All => false,
                ComprehensionKind::Exists | ComprehensionKind::ExistsOne | ComprehensionKind::Filter => true,
                _ => return None,
            },
        ),
    };
    nodes.iter().all(|node| contains(scope, node)).then_some(())?;
    Some(descend(scope, source, &nodes, selects))
}

/// The innermost loop that declares a name of a part.
fn enclosing_loop<'e>(root: &'e Expr, part: &Expr) -> Option<&'e Comprehension> {
    let mut names = Vec::new();
    part.visit_nodes(&mut |node| {
        if let ExprKind::Ident(name) = &node.kind {
            names.push(name.as_str());
        }
    });
    let mut found = None;
    root.visit_nodes(&mut |node| {
        // Outer loops are visited first.
        if let ExprKind::Comprehension(it) = &node.kind
            && contains(node, part)
            && !contains(&it.range, part)
            && it.variable_names().any(|name| names.contains(&name))
        {
            found = Some(&**it);
        }
    });
    found
}

fn contains(outer: &Expr, inner: &Expr) -> bool {
    outer.span.start <= inner.span.start && inner.span.end <= outer.span.end
}

fn descend(scope: &Expr, source: &str, nodes: &[&Expr], selects: bool) -> GuardPlace {
    let (mut current, mut around) = (scope, Around::Whole);
    while let ExprKind::Call { function, receiver: None, args } = &current.kind {
        let operator = match function.as_str() {
            operators::AND => Around::And,
            operators::OR => Around::Or,
            operators::CONDITIONAL => {
                // The condition decides between two parts, and has no value of its own to fall back on.
                let branch = args.iter().skip(1).find(|arg| nodes.iter().all(|node| contains(arg, node)));
                let Some(branch) = branch else { break };
                (current, around) = (branch, Around::Whole);
                continue;
            }
            _ => break,
        };
        let mut operands = Vec::new();
        collect_operands(current, function, source, true, &mut operands);
        let reads = |operand: &&Expr| nodes.iter().any(|node| contains(operand, node));
        let first = operands.iter().position(reads);
        let last = operands.iter().rposition(reads);
        let (Some(first), Some(last)) = (first, last) else { break };
        let Some([one, rest @ ..]) = operands.get(first..=last) else { break };
        if let Some(other) = rest.last() {
            if first == 0 && last + 1 == operands.len() {
                break;
            }
            let range = with_parentheses(one, source).start..with_parentheses(other, source).end;
            let operator = if operator == Around::And { Operator::And } else { Operator::Or };
            let around = if operator == Operator::And { Around::And } else { Around::Or };
            return GuardPlace { range, around, operator, selects };
        }
        let is_parenthesised = with_parentheses(one, source) != (one.span.start..one.span.end);
        around = if is_parenthesised { Around::Whole } else { operator };
        current = one;
    }
    let operator = match &current.kind {
        ExprKind::Call { function, receiver: None, .. } => match function.as_str() {
            operators::AND => Operator::And,
            operators::OR => Operator::Or,
            operators::CONDITIONAL => Operator::Choice,
            _ => Operator::Other,
        },
        _ => Operator::Other,
    };
    GuardPlace { range: current.span.start..current.span.end, around, operator, selects }
}

/// The operands of a chain of one operator; what stands in parentheses is one operand.
fn collect_operands<'e>(
    expr: &'e Expr,
    chain: &str,
    source: &str,
    is_outermost: bool,
    operands: &mut Vec<&'e Expr>,
) {
    match &expr.kind {
        ExprKind::Call { function, receiver: None, args }
            if function == chain
                && (is_outermost || with_parentheses(expr, source) == (expr.span.start..expr.span.end)) =>
        {
            for arg in args {
                collect_operands(arg, chain, source, false, operands);
            }
        }
        _ => operands.push(expr),
    }
}

/// The bytes of an operand with the parentheses around it.
fn with_parentheses(expr: &Expr, source: &str) -> Range<usize> {
    let (mut start, mut end) = (expr.span.start, expr.span.end);
    loop {
        let before = source.get(..start).unwrap_or_default().trim_end();
        let after = source.get(end..).unwrap_or_default();
        let gap = after.len() - after.trim_start().len();
        let is_call = before
            .strip_suffix('(')
            .is_some_and(|name| name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        if !before.ends_with('(') || is_call || !after.trim_start().starts_with(')') {
            return start..end;
        }
        start = before.len() - 1;
        end += gap + 1;
    }
}
