//! The parser's tree to ours.

use std::collections::BTreeMap;

use cel::common::ast::{
    CallExpr, EntryExpr, Expr as Parsed, IdedEntryExpr, IdedExpr, ListExpr, LiteralValue, MapExpr,
    SelectExpr, SourceInfo, StructExpr,
};

use super::macros::{MacroShape, find_macro_shape, name};
use crate::ast::{
    Comprehension, ComprehensionKind, Element, Entry, Expr, ExprKind, Expression, Literal, LiteralLists,
    NodeId, Span, StructField, Var,
};
use crate::issue::Issue;
use crate::kubernetes::Dialect;

/// Makes our tree; fails only on what the parser itself should have refused.
pub(super) fn convert_tree(
    source: &str,
    root: IdedExpr,
    info: &SourceInfo,
    dialect: Dialect,
) -> Result<Expression, Vec<Issue>> {
    let mut converter =
        Converter { source, info, dialect, closing: closing_brackets(source), next: 0, depth: 0, deepest: 0 };
    match converter.expr(root) {
        Some(root) => Ok(Expression {
            source: source.to_owned(),
            root,
            node_count: converter.next,
            depth: converter.deepest,
            literal_lists: LiteralLists::default(),
        }),
        None => Err(vec![Issue::without_location("unsupported expression")]),
    }
}

struct Converter<'a> {
    source: &'a str,
    info: &'a SourceInfo,
    dialect: Dialect,
    /// Position of the closing bracket of each opening one.
    closing: BTreeMap<usize, usize>,
    next: NodeId,
    depth: usize,
    deepest: usize,
}

impl Converter<'_> {
    fn expr(&mut self, parsed: IdedExpr) -> Option<Expr> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let id = self.id();
        let token = self.token(parsed.id);
        let kind = self.kind(parsed.expr);
        self.depth -= 1;
        let kind = kind?;
        let close = self.closing.get(&token.start).copied();
        let span = super::spans::span(self.source, &kind, token, close);
        let at = super::spans::sign_of(self.source, &kind, token.start).unwrap_or(token.start);
        Some(Expr { id, span: Span { start: span.start.min(at), ..span }, at, kind })
    }

    fn kind(&mut self, parsed: Parsed) -> Option<ExprKind> {
        Some(match parsed {
            Parsed::Unspecified | Parsed::Comprehension(_) => return None,
            Parsed::Literal(value) => ExprKind::Literal(literal(value)),
            Parsed::Ident(name) => ExprKind::Ident(name),
            Parsed::Select(SelectExpr { operand, field, .. }) => {
                ExprKind::Select { operand: self.boxed(*operand)?, field }
            }
            Parsed::List(list) => ExprKind::List(self.list(list)?),
            Parsed::Map(MapExpr { entries }) => ExprKind::Map(self.all(entries, Self::entry)?),
            Parsed::Struct(StructExpr { type_name, entries }) => {
                ExprKind::Struct { type_name, fields: self.all(entries, Self::field)? }
            }
            Parsed::Call(call) => self.call(call)?,
        })
    }

    fn call(&mut self, call: CallExpr) -> Option<ExprKind> {
        let CallExpr { func_name, target, args } = call;
        match (find_macro_shape(&func_name, target.is_some(), args.len(), self.dialect), target) {
            (Some(shape), Some(target)) => self.member_macro(shape, *target, args),
            (Some(_), None) => self.has(args),
            (None, target) => {
                let receiver = match target {
                    Some(target) => Some(self.boxed(*target)?),
                    None => None,
                };
                Some(ExprKind::Call { function: func_name, receiver, args: self.all(args, Self::expr)? })
            }
        }
    }

    fn has(&mut self, args: Vec<IdedExpr>) -> Option<ExprKind> {
        let arg = args.into_iter().next()?;
        let select_at = self.token(arg.id).start;
        let Parsed::Select(SelectExpr { operand, field, .. }) = arg.expr else { return None };
        Some(ExprKind::Has { operand: self.boxed(*operand)?, field, select_at })
    }

    fn member_macro(&mut self, shape: MacroShape, target: IdedExpr, args: Vec<IdedExpr>) -> Option<ExprKind> {
        let mut args = args.into_iter();
        match shape {
            MacroShape::Has => None,
            MacroShape::Loop { kind, variables, condition } => {
                self.comprehension(kind, variables, condition, target, &mut args)
            }
            MacroShape::OptMap { flat } => {
                let target = self.boxed(target)?;
                let var = name(&args.next()?)?.to_owned();
                Some(ExprKind::OptMap { flat, target, var, body: self.boxed(args.next()?)? })
            }
            MacroShape::SortBy => {
                let range = self.boxed(target)?;
                let var = name(&args.next()?)?.to_owned();
                Some(ExprKind::SortBy { range, var, key: self.boxed(args.next()?)? })
            }
        }
    }

    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        variables: usize,
        has_condition: bool,
        range: IdedExpr,
        args: &mut dyn Iterator<Item = IdedExpr>,
    ) -> Option<ExprKind> {
        let range = self.expr(range)?;
        let var = self.var(&args.next()?)?;
        let var2 = if variables == 2 { Some(self.var(&args.next()?)?) } else { None };
        let condition = if has_condition { Some(self.expr(args.next()?)?) } else { None };
        let body = self.expr(args.next()?)?;
        Some(ExprKind::Comprehension(Box::new(Comprehension { kind, range, var, var2, condition, body })))
    }

    fn var(&mut self, parsed: &IdedExpr) -> Option<Var> {
        Some(Var { id: self.id(), span: self.token(parsed.id), name: name(parsed)?.to_owned() })
    }

    fn list(&mut self, list: ListExpr) -> Option<Vec<Element>> {
        let optional: Vec<usize> = list.optional_indices;
        let values = list.elements.into_iter().enumerate();
        values
            .map(|(index, value)| {
                Some(Element { optional: optional.contains(&index), value: self.expr(value)? })
            })
            .collect()
    }

    fn entry(&mut self, parsed: IdedEntryExpr) -> Option<Entry> {
        let EntryExpr::MapEntry(entry) = parsed.expr else { return None };
        let (id, at) = (self.id(), self.token(parsed.id).start);
        let (key, value) = (self.expr(entry.key)?, self.expr(entry.value)?);
        Some(Entry { id, at, optional: entry.optional, key, value })
    }

    fn field(&mut self, parsed: IdedEntryExpr) -> Option<StructField> {
        let EntryExpr::StructField(field) = parsed.expr else { return None };
        let (id, at) = (self.id(), self.token(parsed.id).start);
        let value = self.expr(field.value)?;
        Some(StructField { id, at, optional: field.optional, field: field.field, value })
    }

    fn boxed(&mut self, parsed: IdedExpr) -> Option<Box<Expr>> {
        Some(Box::new(self.expr(parsed)?))
    }

    fn all<A, B>(&mut self, items: Vec<A>, one: fn(&mut Self, A) -> Option<B>) -> Option<Vec<B>> {
        items.into_iter().map(|item| one(self, item)).collect()
    }

    fn id(&mut self) -> NodeId {
        let id = self.next;
        self.next += 1;
        id
    }

    /// The token at which the parser places a node; its offsets are bytes, the end included.
    fn token(&self, id: u64) -> Span {
        let (start, stop) = self.info.offset_for(id).unwrap_or_default();
        let start = (start as usize).min(self.source.len());
        let end = (stop as usize).saturating_add(1).min(self.source.len());
        Span { start, end: end.max(start) }
    }
}

fn literal(value: LiteralValue) -> Literal {
    match value {
        LiteralValue::Boolean(value) => Literal::Bool(value.into_inner()),
        LiteralValue::Bytes(value) => Literal::Bytes(value.inner().to_vec()),
        LiteralValue::Double(value) => Literal::Double(value.into_inner()),
        LiteralValue::Int(value) => Literal::Int(value.into_inner()),
        LiteralValue::Null => Literal::Null,
        LiteralValue::String(value) => Literal::String(value.inner().to_owned()),
        LiteralValue::UInt(value) => Literal::Uint(value.into_inner()),
    }
}

/// Returns the position of the closing bracket of each opening one outside of strings and comments.
fn closing_brackets(source: &str) -> BTreeMap<usize, usize> {
    let mut open = Vec::new();
    let mut closing = BTreeMap::new();
    for (offset, token) in super::tokens::split_tokens(source) {
        match token.chars().next() {
            Some('(' | '[' | '{') => open.push(offset),
            Some(')' | ']' | '}') => {
                if let Some(start) = open.pop() {
                    closing.insert(start, offset);
                }
            }
            _ => {}
        }
    }
    closing
}
