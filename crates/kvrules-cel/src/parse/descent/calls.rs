//! Calls of functions, and the macros among them.

use super::Parser;
use super::tokens::TokenKind;
use crate::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, Var};
use crate::parse::macros::{MacroShape, find_macro_shape, is_accumulator};

impl Parser<'_> {
    /// A call from its opening parenthesis on.
    // cel-go parser/parser.go, expandMacro: a call with another number of arguments is an ordinary call
    pub(super) fn call(&mut self, function: String, receiver: Option<Expr>) -> Option<Expr> {
        let open = self.expect(TokenKind::LeftParenthesis)?;
        let mut args = Vec::new();
        if self.peek() != TokenKind::RightParenthesis {
            args.push(self.expression()?);
            while self.accept(TokenKind::Comma).is_some() {
                args.push(self.expression()?);
            }
        }
        let close = self.expect(TokenKind::RightParenthesis)?;
        let kind = match (find_macro_shape(&function, receiver.is_some(), args.len(), self.dialect), receiver)
        {
            (None, receiver) => ExprKind::Call { function, receiver: receiver.map(Box::new), args },
            (Some(MacroShape::Has), _) => has(args)?,
            (Some(shape), Some(target)) => member_macro(shape, target, args)?,
            (Some(_), None) => return None,
        };
        Some(self.node(kind, open.span, Some(close)))
    }
}

// cel-go parser/macro.go, MakeHas
fn has(args: Vec<Expr>) -> Option<ExprKind> {
    let Expr { kind: ExprKind::Select { operand, field }, at, .. } = args.into_iter().next()? else {
        return None;
    };
    Some(ExprKind::Has { operand, field, select_at: at })
}

fn member_macro(shape: MacroShape, target: Expr, args: Vec<Expr>) -> Option<ExprKind> {
    let mut args = args.into_iter();
    match shape {
        MacroShape::Has => None,
        MacroShape::Loop { kind, variables, condition } => {
            comprehension(kind, variables, condition, target, &mut args)
        }
        MacroShape::OptMap { flat } => {
            let var = variable(args.next()?)?.name;
            Some(ExprKind::OptMap { flat, target: Box::new(target), var, body: Box::new(args.next()?) })
        }
        MacroShape::SortBy => {
            let var = variable(args.next()?)?.name;
            Some(ExprKind::SortBy { range: Box::new(target), var, key: Box::new(args.next()?) })
        }
    }
}

// cel-go ext/comprehensions.go, extractIterVars: the two variables must differ
fn comprehension(
    kind: ComprehensionKind,
    variables: usize,
    has_condition: bool,
    range: Expr,
    args: &mut dyn Iterator<Item = Expr>,
) -> Option<ExprKind> {
    let var = loop_variable(args.next()?)?;
    let var2 = if variables == 2 { Some(loop_variable(args.next()?)?) } else { None };
    if var2.as_ref().is_some_and(|second| second.name == var.name) {
        return None;
    }
    let condition = if has_condition { Some(args.next()?) } else { None };
    let body = args.next()?;
    Some(ExprKind::Comprehension(Box::new(Comprehension { kind, range, var, var2, condition, body })))
}

// A variable with the name of the accumulator would change what the expansion computes.
fn loop_variable(arg: Expr) -> Option<Var> {
    variable(arg).filter(|var| !is_accumulator(&var.name))
}

/// The name that an argument is, if it is nothing else.
fn variable(arg: Expr) -> Option<Var> {
    match arg {
        Expr { kind: ExprKind::Ident(name), span, .. } if !name.starts_with('.') => {
            Some(Var { id: 0, span, name })
        }
        _ => None,
    }
}
