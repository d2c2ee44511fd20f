//! Rules of a definition as expressions of a policy.
//!
//! A rule sees the object by its schema: fields by escaped names, no nulls in fields, numbers that are doubles, formatted texts as
//! times and durations, lists that are equal in any order. A policy sees the object as it is. Each part of a rule that reads data
//! is rewritten so that its value is that of the rule; all other text stays as the author wrote it.

use kvrules_cel::SourceText;
use kvrules_cel::ast::{
    Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, Span, operators,
};
use kvrules_cel::stack::with_room;
use serde_json::Value;

use super::facts::{DataKind, data_kind, field_by_escaped_name, is_nullable};
use super::names::LoopNames;
use super::path::{has_text, is_selectable, optional_select_text, select_text};
use super::pieces::{Origin, Piece, Remaining};
use super::stored::optional_without_null;
use crate::cel::is_reserved_variable;

/// The values that a rule names.
#[derive(Clone, Debug)]
pub(super) struct RuleValues<'s> {
    /// The value of `self`.
    pub(super) own: String,
    /// Its schema.
    pub(super) schema: &'s Value,
    /// The value of `oldSelf`.
    pub(super) old: OldValue,
}

/// The value of `oldSelf`.
#[derive(Clone, Debug)]
pub(super) enum OldValue {
    /// The stored value.
    Stored(String),
    /// An optional of the stored value.
    Optional(String),
    /// The place has none.
    Absent,
}

/// A rule, rewritten.
#[derive(Clone, Debug)]
pub(super) struct RewrittenRule {
    pub(super) text: String,
    pub(super) remaining: Remaining,
}

/// Rewrites an expression of a rule.
///
/// # Errors
///
/// A policy cannot have the same value; the reason.
pub(super) fn rewrite_expression(
    expression: &Expression,
    values: &RuleValues<'_>,
    names: &mut LoopNames,
) -> Result<RewrittenRule, String> {
    let rewrite = || {
        let source = SourceText::new(expression);
        let mut rewriter =
            Rewriter { source, values, locals: Vec::new(), names, remaining: Remaining::default() };
        let text = rewriter.convert(&expression.root)?;
        Ok(RewrittenRule { text: text.trim().to_owned(), remaining: rewriter.remaining })
    };
    with_room(expression.depth.saturating_mul(2), rewrite).unwrap_or_else(|| Err("it is too deep".to_owned()))
}

/// A variable of a loop around a part.
struct LocalVariable<'s> {
    name: String,
    renamed: String,
    origin: Origin<'s>,
}

pub(super) struct Rewriter<'e, 's> {
    pub(super) source: SourceText<'e>,
    values: &'e RuleValues<'s>,
    locals: Vec<LocalVariable<'s>>,
    pub(super) names: &'e mut LoopNames,
    pub(super) remaining: Remaining,
}

impl<'s> Rewriter<'_, 's> {
    /// A part, with its value as the rule has it.
    pub(super) fn convert(&mut self, expr: &Expr) -> Result<String, String> {
        self.rewrite(expr)?.converted(self.names, &mut self.remaining)
    }

    /// Converts a part whose null ends in an error anyway.
    pub(super) fn convert_piece_strictly(&mut self, piece: Piece<'s>) -> Result<String, String> {
        let piece = match piece.origin {
            Origin::Data { schema, .. } => Piece::data(piece.text, schema),
            _ => piece,
        };
        piece.converted(self.names, &mut self.remaining)
    }

    /// A part in which data may still be as it is in the object.
    pub(super) fn rewrite(&mut self, expr: &Expr) -> Result<Piece<'s>, String> {
        match &expr.kind {
            ExprKind::Literal(_) => Ok(Piece::made(self.source.node_text(expr.span).to_owned())),
            ExprKind::Ident(name) => Ok(self.variable(name)),
            ExprKind::Select { operand, field } => self.select(expr, operand, field),
            ExprKind::Has { operand, field, .. } => self.has(expr, operand, field),
            ExprKind::Call { function, receiver, args } => {
                self.call(expr, function, receiver.as_deref(), args)
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(expr, comprehension),
            ExprKind::OptMap { flat, target, var, body } => self.opt_map(expr, *flat, target, var, body),
            ExprKind::SortBy { range, var, key } => self.sort_by(expr, range, var, key),
            ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Struct { .. } => {
                self.with_converted_children(expr)
            }
        }
    }

    fn with_converted_children(&mut self, expr: &Expr) -> Result<Piece<'s>, String> {
        let mut parts = Vec::new();
        for child in expr.children() {
            parts.push((child.span, self.convert(child)?));
        }
        Ok(Piece::made(self.source.replace_parts(expr, parts)))
    }

    fn variable(&self, name: &str) -> Piece<'s> {
        if let Some(local) = self.locals.iter().rev().find(|local| local.name == name) {
            return Piece { text: local.renamed.clone(), origin: local.origin };
        }
        let RuleValues { own, schema, old } = self.values;
        match (name.trim_start_matches('.'), old) {
            ("self", _) => Piece::data(own.clone(), schema),
            ("oldSelf", OldValue::Stored(text)) => Piece::data(text.clone(), schema),
            ("oldSelf", OldValue::Optional(text)) => {
                Piece { text: text.clone(), origin: Origin::Optional(schema) }
            }
            _ => Piece::made(name.to_owned()),
        }
    }

    /// The operand of a step, with the parentheses that it needs.
    pub(super) fn operand(&mut self, expr: &Expr) -> Result<Piece<'s>, String> {
        let piece = self.rewrite(expr)?;
        let text = if is_member(expr) { piece.text } else { format!("({})", piece.text) };
        Ok(Piece { text, ..piece })
    }

    fn select(&mut self, expr: &Expr, operand: &Expr, field: &str) -> Result<Piece<'s>, String> {
        let base = self.operand(operand)?;
        let (schema, is_optional) = match base.origin {
            Origin::Data { schema, .. } => (schema, false),
            Origin::Optional(schema) => (schema, true),
            Origin::Made | Origin::Items(_) => {
                return Ok(Piece::made(self.source.replace_parts(expr, vec![(operand.span, base.text)])));
            }
        };
        let (name, below) = field_below(schema, field)?;
        if is_optional {
            return Ok(self.optional_field(&base.text, &name, below));
        }
        let origin = Origin::Data { schema: below, is_nullable: is_field_nullable(schema, below) };
        Ok(Piece { text: select_text(&base.text, &name), origin })
    }

    /// A field as an optional, which is empty for null.
    fn optional_field(&mut self, base: &str, name: &str, below: &'s Value) -> Piece<'s> {
        let text = optional_select_text(base, name);
        let text = if is_nullable(below) { optional_without_null(&text, self.names) } else { text };
        Piece { text, origin: Origin::Optional(below) }
    }

    fn has(&mut self, expr: &Expr, operand: &Expr, field: &str) -> Result<Piece<'s>, String> {
        let base = self.operand(operand)?.without_null(self.names);
        let (schema, is_optional) = match base.origin {
            Origin::Data { schema, .. } => (schema, false),
            Origin::Optional(schema) => (schema, true),
            Origin::Made | Origin::Items(_) => {
                return Ok(Piece::made(self.source.replace_parts(expr, vec![(operand.span, base.text)])));
            }
        };
        let (name, below) = field_below(schema, field)?;
        let text = match (is_optional, is_field_nullable(schema, below)) {
            (true, true) => {
                format!("({}.orValue(null) != null)", optional_select_text(&base.text, &name))
            }
            (true, false) if is_selectable(&name) => has_text(&base.text, &name),
            (true, false) => format!("{}.hasValue()", optional_select_text(&base.text, &name)),
            (false, false) => has_text(&base.text, &name),
            (false, true) => {
                format!("({} && {} != null)", has_text(&base.text, &name), select_text(&base.text, &name))
            }
        };
        Ok(Piece::made(text))
    }

    /// `base.?field`
    pub(super) fn optional_select(
        &mut self,
        expr: &Expr,
        operand: &Expr,
        field: &Expr,
    ) -> Result<Piece<'s>, String> {
        let base = self.operand(operand)?.without_null(self.names);
        let (Origin::Data { schema, .. } | Origin::Optional(schema)) = base.origin else {
            return Ok(Piece::made(self.source.replace_parts(expr, vec![(operand.span, base.text)])));
        };
        let ExprKind::Literal(Literal::String(name)) = &field.kind else {
            return Err("the rule selects a field by an expression".to_owned());
        };
        let (name, below) = field_below(schema, name)?;
        Ok(self.optional_field(&base.text, &name, below))
    }

    fn comprehension(&mut self, expr: &Expr, it: &Comprehension) -> Result<Piece<'s>, String> {
        let range = self.rewrite(&it.range)?;
        let (first, second) = loop_origins(&range, it.var2.is_some());
        let mut parts = vec![(it.range.span, range.text.clone())];
        self.declare(&it.var.name, it.var.span, first, &mut parts);
        if let Some(var) = &it.var2 {
            self.declare(&var.name, var.span, second, &mut parts);
        }
        let inner: Result<Vec<(Span, String)>, String> =
            it.condition.iter().chain([&it.body]).map(|part| Ok((part.span, self.convert(part)?))).collect();
        self.locals.truncate(self.locals.len() - 1 - usize::from(it.var2.is_some()));
        parts.extend(inner?);
        let origin = match (it.kind, list_items(&range)) {
            (ComprehensionKind::Filter, Some(items)) => Origin::Items(items),
            _ => Origin::Made,
        };
        Ok(Piece { text: self.source.replace_parts(expr, parts), origin })
    }

    /// Declares a variable of the rule, under another name if it would hide one of the policy.
    fn declare(&mut self, name: &str, span: Span, origin: Origin<'s>, parts: &mut Vec<(Span, String)>) {
        let is_hiding = is_reserved_variable(name) && !matches!(name, "self" | "oldSelf");
        let renamed = if is_hiding { self.names.named(&format!("{name}_")) } else { name.to_owned() };
        if is_hiding {
            parts.push((span, renamed.clone()));
        }
        self.locals.push(LocalVariable { name: name.to_owned(), renamed, origin });
    }

    fn opt_map(
        &mut self,
        expr: &Expr,
        flat: bool,
        target: &Expr,
        var: &str,
        body: &Expr,
    ) -> Result<Piece<'s>, String> {
        if is_reserved_variable(var) {
            return Err(format!("the rule names a variable `{var}`"));
        }
        let range = self.rewrite(target)?;
        let origin = match range.origin {
            Origin::Optional(schema) => Origin::Data { schema, is_nullable: false },
            _ => Origin::Made,
        };
        self.locals.push(LocalVariable { name: var.to_owned(), renamed: var.to_owned(), origin });
        let made = if flat { self.rewrite(body) } else { self.convert(body).map(Piece::made) };
        self.locals.pop();
        let made = made?;
        let origin = if flat { made.origin } else { Origin::Made };
        let text = self.source.replace_parts(expr, vec![(target.span, range.text), (body.span, made.text)]);
        Ok(Piece { text, origin })
    }

    fn sort_by(&mut self, expr: &Expr, range: &Expr, var: &str, key: &Expr) -> Result<Piece<'s>, String> {
        if is_reserved_variable(var) {
            return Err(format!("the rule names a variable `{var}`"));
        }
        let list = self.rewrite(range)?;
        let (origin, _) = loop_origins(&list, false);
        self.locals.push(LocalVariable { name: var.to_owned(), renamed: var.to_owned(), origin });
        let by = self.convert(key);
        self.locals.pop();
        let origin = list_items(&list).map_or(Origin::Made, Origin::Items);
        let text = self.source.replace_parts(expr, vec![(range.span, list.text), (key.span, by?)]);
        Ok(Piece { text, origin })
    }
}

/// The schema and the name of a field of an object, or of the value of a key of a map.
fn field_below<'s>(schema: &'s Value, field: &str) -> Result<(String, &'s Value), String> {
    match data_kind(schema) {
        DataKind::Map(values) => Ok((field.to_owned(), values)),
        _ => field_by_escaped_name(schema, field)
            .ok_or_else(|| format!("the schema does not have the field `{field}`")),
    }
}

/// True if a rule does not see the field if it is null. It does see the null of a key of a map.
fn is_field_nullable(schema: &Value, below: &Value) -> bool {
    is_nullable(below) && !matches!(data_kind(schema), DataKind::Map(_))
}

/// The schema of the items of a list of data.
pub(super) fn list_items<'s>(list: &Piece<'s>) -> Option<&'s Value> {
    match list.origin {
        Origin::Items(items) => Some(items),
        Origin::Data { schema, .. } => match data_kind(schema) {
            DataKind::List(items, _) => Some(items),
            _ => None,
        },
        _ => None,
    }
}

/// The origins of the variables of a loop: with two, of an index or a key, and of an element.
fn loop_origins<'s>(range: &Piece<'s>, has_two: bool) -> (Origin<'s>, Origin<'s>) {
    let data = |schema| Origin::Data { schema, is_nullable: false };
    let element = list_items(range).map_or(Origin::Made, data);
    if !has_two {
        return (element, Origin::Made);
    }
    let value = match range.origin {
        Origin::Data { schema, .. } => match data_kind(schema) {
            DataKind::Map(values) => data(values),
            _ => element,
        },
        _ => element,
    };
    (Origin::Made, value)
}

/// True if a node is a value to which a step can be added without parentheses.
pub(super) fn is_member(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { function, .. } => {
            let is_step = [operators::INDEX, operators::OPT_INDEX, operators::OPT_SELECT];
            is_step.contains(&function.as_str()) || function.starts_with(|first: char| first.is_alphabetic())
        }
        ExprKind::Literal(Literal::Int(value)) => *value >= 0,
        ExprKind::Literal(Literal::Double(value)) => value.is_sign_positive(),
        _ => true,
    }
}
