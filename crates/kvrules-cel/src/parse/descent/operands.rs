//! Operands of operators: constants, names, calls, selections, lists, maps and messages.

use super::tokens::{Token, TokenKind};
use super::{Parser, literals};
use crate::ast::{Element, Entry, Expr, ExprKind, Literal, StructField, operators};
use crate::types::RESERVED;

impl Parser<'_> {
    /// A primary expression with the selections, indices and calls behind it.
    pub(super) fn member(&mut self) -> Option<Expr> {
        let mut operand = self.primary()?;
        loop {
            operand = match self.peek() {
                TokenKind::Dot => self.selection(operand)?,
                TokenKind::LeftBracket => self.index(operand)?,
                _ => return Some(operand),
            };
        }
    }

    // cel-go parser/parser.go, VisitSelect and VisitMemberCall; a call after `.?` is no rule of the grammar
    fn selection(&mut self, operand: Expr) -> Option<Expr> {
        let dot = self.next()?;
        let optional = self.accept(TokenKind::Question).is_some();
        let name = self.expect(TokenKind::Identifier)?;
        let field = self.text(name)?.to_owned();
        if optional {
            let literal = self.node(ExprKind::Literal(Literal::String(field)), dot.span, None);
            return Some(self.operation(operators::OPT_SELECT, dot.span, vec![operand, literal]));
        }
        if self.peek() == TokenKind::LeftParenthesis {
            return self.call(field, Some(operand));
        }
        Some(self.node(ExprKind::Select { operand: Box::new(operand), field }, dot.span, None))
    }

    // cel-go parser/parser.go, VisitIndex
    fn index(&mut self, operand: Expr) -> Option<Expr> {
        let open = self.next()?;
        let optional = self.accept(TokenKind::Question).is_some();
        let index = self.expression()?;
        let close = self.expect(TokenKind::RightBracket)?;
        let function = if optional { operators::OPT_INDEX } else { operators::INDEX };
        let kind =
            ExprKind::Call { function: function.to_owned(), receiver: None, args: vec![operand, index] };
        Some(self.node(kind, open.span, Some(close)))
    }

    fn primary(&mut self) -> Option<Expr> {
        match self.peek() {
            TokenKind::Identifier => self.name(false),
            TokenKind::Dot => {
                self.next()?;
                self.name(true)
            }
            TokenKind::LeftParenthesis => {
                self.next()?;
                let nested = self.expression()?;
                self.expect(TokenKind::RightParenthesis)?;
                Some(nested)
            }
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.map(),
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> Option<Expr> {
        let negative = self.accept(TokenKind::Minus).is_some();
        let token = self.next()?;
        if negative && !matches!(token.kind, TokenKind::Int | TokenKind::Double) {
            return None;
        }
        let literal = literals::literal_value(token.kind, self.text(token)?, negative)?;
        Some(self.node(ExprKind::Literal(literal), token.span, None))
    }

    /// A name, the call of a global function, or a message.
    // cel-go parser/parser.go, VisitIdentOrGlobalCall: reserved words are refused here alone, so that they can name fields
    fn name(&mut self, leading_dot: bool) -> Option<Expr> {
        if self.begins_message() {
            return self.message(leading_dot);
        }
        let token = self.expect(TokenKind::Identifier)?;
        let text = self.text(token)?;
        // The reserved words `true`, `false`, `null` and `in` are tokens of their own and do not get here.
        if RESERVED.contains(&text) {
            return None;
        }
        let name = if leading_dot { format!(".{text}") } else { text.to_owned() };
        if self.peek() == TokenKind::LeftParenthesis {
            return self.call(name, None);
        }
        Some(self.node(ExprKind::Ident(name), token.span, None))
    }

    /// True if names separated by dots and a brace come next.
    fn begins_message(&self) -> bool {
        let mut tokens = self.tokens;
        loop {
            tokens = match tokens {
                [
                    Token { kind: TokenKind::Identifier, .. },
                    Token { kind: TokenKind::Dot, .. },
                    rest @ ..,
                ] => rest,
                [Token { kind: TokenKind::Identifier, .. }, Token { kind, .. }, ..] => {
                    return *kind == TokenKind::LeftBrace;
                }
                _ => return false,
            };
        }
    }

    // cel-go parser/parser.go, VisitCreateMessage
    fn message(&mut self, leading_dot: bool) -> Option<Expr> {
        let mut type_name = String::new();
        loop {
            let name = self.expect(TokenKind::Identifier)?;
            if leading_dot || !type_name.is_empty() {
                type_name.push('.');
            }
            type_name.push_str(self.text(name)?);
            if self.accept(TokenKind::Dot).is_none() {
                break;
            }
        }
        let open = self.expect(TokenKind::LeftBrace)?;
        let (fields, close) = self.items(TokenKind::RightBrace, Self::field)?;
        Some(self.node(ExprKind::Struct { type_name, fields }, open.span, Some(close)))
    }

    // cel-go parser/parser.go, VisitIFieldInitializerList
    fn field(&mut self) -> Option<StructField> {
        let optional = self.accept(TokenKind::Question).is_some();
        let name = self.expect(TokenKind::Identifier)?;
        let field = self.text(name)?.to_owned();
        let colon = self.expect(TokenKind::Colon)?;
        Some(StructField { id: 0, at: colon.span.start, optional, field, value: self.expression()? })
    }

    // cel-go parser/parser.go, VisitCreateList and visitListInit
    fn list(&mut self) -> Option<Expr> {
        let open = self.next()?;
        let (elements, close) = self.items(TokenKind::RightBracket, |parser| {
            let optional = parser.accept(TokenKind::Question).is_some();
            Some(Element { optional, value: parser.expression()? })
        })?;
        Some(self.node(ExprKind::List(elements), open.span, Some(close)))
    }

    // cel-go parser/parser.go, VisitCreateStruct and VisitMapInitializerList
    fn map(&mut self) -> Option<Expr> {
        let open = self.next()?;
        let (entries, close) = self.items(TokenKind::RightBrace, |parser| {
            let optional = parser.accept(TokenKind::Question).is_some();
            let key = parser.expression()?;
            let colon = parser.expect(TokenKind::Colon)?;
            Some(Entry { id: 0, at: colon.span.start, optional, key, value: parser.expression()? })
        })?;
        Some(self.node(ExprKind::Map(entries), open.span, Some(close)))
    }

    /// Items separated by commas, up to a closing bracket. A comma is also allowed after the last item, or alone.
    fn items<T>(
        &mut self,
        closing: TokenKind,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<(Vec<T>, Token)> {
        let mut items = Vec::new();
        if self.peek() != TokenKind::Comma && self.peek() != closing {
            items.push(item(self)?);
            while self.peek() == TokenKind::Comma && self.tokens.get(1).is_some_and(|it| it.kind != closing) {
                self.next()?;
                items.push(item(self)?);
            }
        }
        self.accept(TokenKind::Comma);
        Some((items, self.expect(closing)?))
    }
}
