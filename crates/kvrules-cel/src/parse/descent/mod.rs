//! The parser for expressions without errors: recursive descent, with precedence climbing for the binary operators.
//!
//! It gives the same tree as the grammar of CEL.g4, which `convert` reads, at a small part of the time. It reports no
//! errors: for an expression that it does not take, the grammar has the server's words.

mod calls;
mod literals;
mod logic;
mod numbering;
mod operands;
mod tokens;

use crate::ast::{Expr, ExprKind, Expression, LiteralLists, Span, operators};
use crate::kubernetes::Dialect;
use tokens::{Token, TokenKind};

/// Parses an expression; `None` if it has an error.
pub(super) fn parse(source: &str, dialect: Dialect) -> Option<Expression> {
    let tokens = tokens::tokenize(source)?;
    let mut parser = Parser { source, tokens: &tokens, dialect };
    let mut root = parser.expression()?;
    parser.expect(TokenKind::End)?;
    let (node_count, depth) = numbering::number_nodes(&mut root);
    let literal_lists = LiteralLists::default();
    Some(Expression { source: source.to_owned(), root, node_count, depth, literal_lists })
}

/// The tokens that are left to read.
struct Parser<'a> {
    source: &'a str,
    tokens: &'a [Token],
    dialect: Dialect,
}

impl Parser<'_> {
    /// `conditionalOr ('?' conditionalOr ':' expr)?`
    // cel-go parser/parser.go, VisitExpr: the first branch is a `conditionalOr`, so that a choice in it needs parentheses
    fn expression(&mut self) -> Option<Expr> {
        let condition = self.disjunction()?;
        let Some(question) = self.accept(TokenKind::Question) else { return Some(condition) };
        let accepted = self.disjunction()?;
        self.expect(TokenKind::Colon)?;
        let rejected = self.expression()?;
        Some(self.operation(operators::CONDITIONAL, question.span, vec![condition, accepted, rejected]))
    }

    fn disjunction(&mut self) -> Option<Expr> {
        self.terms(TokenKind::Or, operators::OR, Self::conjunction)
    }

    fn conjunction(&mut self) -> Option<Expr> {
        self.terms(TokenKind::And, operators::AND, Self::comparison)
    }

    // cel-go parser/parser.go, VisitConditionalOr and VisitConditionalAnd; all terms are read before the tree is made
    fn terms(
        &mut self,
        kind: TokenKind,
        operator: &str,
        term: fn(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let first = term(self)?;
        if self.peek() != TokenKind::Or && self.peek() != TokenKind::And {
            return Some(first);
        }
        let (mut terms, mut places) = (vec![Some(first)], Vec::new());
        while let Some(token) = self.accept(kind) {
            places.push(token.span);
            terms.push(Some(term(self)?));
        }
        self.balance(operator, &mut terms, &places)
    }

    /// All comparisons have the same precedence and associate to the left.
    fn comparison(&mut self) -> Option<Expr> {
        self.binary(relation, Self::sum)
    }

    fn sum(&mut self) -> Option<Expr> {
        self.binary(additive, Self::product)
    }

    fn product(&mut self) -> Option<Expr> {
        self.binary(multiplicative, Self::unary)
    }

    // cel-go parser/parser.go, VisitRelation and VisitCalc: the rules of the grammar are left-recursive
    fn binary(
        &mut self,
        operator: fn(TokenKind) -> Option<&'static str>,
        operand: fn(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut left = operand(self)?;
        while let Some(function) = operator(self.peek()) {
            let token = self.next()?;
            let right = operand(self)?;
            left = self.operation(function, token.span, vec![left, right]);
        }
        Some(left)
    }

    /// A row of signs; an even number of them cancels out. A minus before a number belongs to the number.
    // cel-go parser/parser.go, VisitLogicalNot and VisitNegate: the node is placed at the first sign
    fn unary(&mut self) -> Option<Expr> {
        let kind = self.peek();
        let function = match kind {
            TokenKind::Not => operators::NOT,
            TokenKind::Minus if !self.is_signed_number() => operators::NEGATE,
            _ => return self.member(),
        };
        let first = self.next()?;
        let mut signs = 1;
        while self.accept(kind).is_some() {
            signs += 1;
        }
        let operand = self.member()?;
        Some(if signs % 2 == 0 { operand } else { self.operation(function, first.span, vec![operand]) })
    }

    // CEL.g4, literal: the sign is part of an integer or a double, and never of an unsigned integer
    fn is_signed_number(&self) -> bool {
        matches!(
            self.tokens,
            [
                Token { kind: TokenKind::Minus, .. },
                Token { kind: TokenKind::Int | TokenKind::Double, .. },
                ..
            ]
        )
    }

    fn operation(&self, function: &str, token: Span, args: Vec<Expr>) -> Expr {
        let kind = ExprKind::Call { function: function.to_owned(), receiver: None, args };
        self.node(kind, token, None)
    }

    /// A node at a token; its number comes later.
    fn node(&self, kind: ExprKind, token: Span, close: Option<Token>) -> Expr {
        let close = close.map(|close| close.span.start);
        let span = super::spans::span(self.source, &kind, token, close);
        let at = super::spans::sign_of(self.source, &kind, token.start).unwrap_or(token.start);
        Expr { id: 0, span: Span { start: span.start.min(at), ..span }, at, kind }
    }

    fn peek(&self) -> TokenKind {
        self.tokens.first().map_or(TokenKind::End, |token| token.kind)
    }

    fn next(&mut self) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        if self.peek() == kind { self.next() } else { None }
    }

    fn expect(&mut self, kind: TokenKind) -> Option<Token> {
        self.accept(kind)
    }

    fn text(&self, token: Token) -> Option<&str> {
        self.source.get(token.span.start..token.span.end)
    }
}

fn relation(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Equals => operators::EQUALS,
        TokenKind::NotEquals => operators::NOT_EQUALS,
        TokenKind::Less => operators::LESS,
        TokenKind::LessEquals => operators::LESS_EQUALS,
        TokenKind::Greater => operators::GREATER,
        TokenKind::GreaterEquals => operators::GREATER_EQUALS,
        TokenKind::In => operators::IN,
        _ => return None,
    })
}

fn additive(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Plus => Some(operators::ADD),
        TokenKind::Minus => Some(operators::SUBTRACT),
        _ => None,
    }
}

fn multiplicative(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Star => Some(operators::MULTIPLY),
        TokenKind::Slash => Some(operators::DIVIDE),
        TokenKind::Percent => Some(operators::MODULO),
        _ => None,
    }
}
