//! Operators and functions of rules.

use kvrules_cel::ast::{Expr, ExprKind, Literal, Span, operators};
use serde_json::Value;

use super::equality::EqualityWriter;
use super::facts::{DataKind, ListType, TypedForm, data_kind, is_same_in_policies};
use super::pieces::{Origin, Piece};
use super::rewrite::{Rewriter, list_items};

const ADDED: &str = "the rule adds to a list of the type `set` or `map`";
const CONDITIONAL: &str = "the rule chooses between values that are of other types in policies";
const OF_SEVERAL_SCHEMAS: &str = "the rule compares values of different schemas";
const ITEMS: &str = "the rule compares a computed list whose items are of another type in policies";
const TYPE: &str = "the rule asks for the type of an object";

impl<'s> Rewriter<'_, 's> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        function: &str,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Result<Piece<'s>, String> {
        match (function, receiver, args) {
            (operators::EQUALS | operators::NOT_EQUALS, None, [left, right]) => {
                self.equality(expr, left, right, function == operators::NOT_EQUALS)
            }
            (operators::IN, None, [item, range]) => self.membership(expr, item, range),
            (operators::CONDITIONAL, None, [condition, yes, no]) => {
                self.conditional(expr, condition, yes, no)
            }
            (operators::INDEX | operators::OPT_INDEX, None, [base, key]) => {
                self.index(expr, base, key, function == operators::OPT_INDEX)
            }
            (operators::OPT_SELECT, None, [base, field]) => self.optional_select(expr, base, field),
            (operators::ADD, None, [left, right]) => self.addition(expr, left, right),
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                None,
                [left, right],
            ) => {
                let parts = vec![
                    (left.span, self.comparand(left, right)?),
                    (right.span, self.comparand(right, left)?),
                ];
                Ok(Piece::made(self.source.replace_parts(expr, parts)))
            }
            ("size", None, [of]) | ("size", Some(of), []) => {
                let of_text = self.rewrite(of)?.text;
                Ok(Piece::made(self.source.replace_parts(expr, vec![(of.span, of_text)])))
            }
            ("hasValue" | "value" | "orValue" | "or", Some(optional), _) => {
                self.optional_method(expr, function, optional, args)
            }
            _ => self.other_call(expr, function, receiver, args),
        }
    }

    /// A function that works with values, and not with their schemas.
    fn other_call(
        &mut self,
        expr: &Expr,
        function: &str,
        receiver: Option<&Expr>,
        args: &[Expr],
    ) -> Result<Piece<'s>, String> {
        let is_arithmetic = function.starts_with(['_', '-', '!']);
        let mut parts: Vec<(Span, String)> = Vec::new();
        for part in receiver.into_iter().chain(args) {
            let piece = self.rewrite(part)?;
            if function == "type" && is_object(&piece) {
                return Err(TYPE.to_owned());
            }
            let text = if is_arithmetic {
                self.convert_piece_strictly(piece)?
            } else {
                piece.converted(self.names, &mut self.remaining)?
            };
            parts.push((part.span, text));
        }
        Ok(Piece::made(self.source.replace_parts(expr, parts)))
    }

    /// An operand of a comparison. Next to a literal a number needs no conversion: numbers are compared across their types.
    fn comparand(&mut self, expr: &Expr, other: &Expr) -> Result<String, String> {
        let is_number = matches!(other.kind, ExprKind::Literal(Literal::Int(_) | Literal::Double(_)));
        let piece = self.rewrite(expr)?;
        match piece.origin {
            Origin::Data { schema, .. }
                if is_number && matches!(data_kind(schema), DataKind::Typed(TypedForm::Double)) =>
            {
                Ok(piece.text)
            }
            _ => self.convert_piece_strictly(piece),
        }
    }

    fn equality(
        &mut self,
        expr: &Expr,
        left: &Expr,
        right: &Expr,
        is_negated: bool,
    ) -> Result<Piece<'s>, String> {
        let (first, second) = (self.rewrite(left)?, self.rewrite(right)?);
        let is_number =
            |side: &Expr| matches!(side.kind, ExprKind::Literal(Literal::Int(_) | Literal::Double(_)));
        let first = first.without_null(self.names);
        let second = second.without_null(self.names);
        let texts = match (&first.origin, &second.origin) {
            (Origin::Data { schema, .. }, Origin::Made) if is_typed_list(schema) => {
                (first.converted(self.names, &mut self.remaining)?, second.text)
            }
            (Origin::Data { schema, .. }, _) if is_container(schema) => {
                return self.container_equality(left, right, (first, second), is_negated);
            }
            (Origin::Items(items), _) if !super::facts::has_same_equality(items) => {
                return Err(ITEMS.to_owned());
            }
            (Origin::Data { schema, .. }, _) if is_number(right) && is_double(schema) => {
                (first.text, second.text)
            }
            (_, Origin::Data { schema, .. }) if is_number(left) && is_double(schema) => {
                (first.text, second.text)
            }
            // The right side is compared as the left side says, which is by position.
            (Origin::Made | Origin::Items(_), Origin::Data { schema, .. })
                if super::facts::has_same_equality(schema) =>
            {
                let first = if matches!(first.origin, Origin::Items(_)) {
                    first.text
                } else {
                    first.converted(self.names, &mut self.remaining)?
                };
                (first, second.text)
            }
            (Origin::Items(_), Origin::Items(items)) if super::facts::has_same_equality(items) => {
                (first.text, second.text)
            }
            _ => (
                first.converted(self.names, &mut self.remaining)?,
                second.converted(self.names, &mut self.remaining)?,
            ),
        };
        Ok(Piece::made(self.source.replace_parts(expr, vec![(left.span, texts.0), (right.span, texts.1)])))
    }

    /// Equality with a list, map or object of the object on the left.
    fn container_equality(
        &mut self,
        left: &Expr,
        right: &Expr,
        sides: (Piece<'s>, Piece<'s>),
        is_negated: bool,
    ) -> Result<Piece<'s>, String> {
        let (first, second) = sides;
        let Origin::Data { schema, .. } = first.origin else { return Err(OF_SEVERAL_SCHEMAS.to_owned()) };
        let is_null = matches!(right.kind, ExprKind::Literal(Literal::Null));
        let is_same_schema = match second.origin {
            Origin::Data { schema: other, .. } => std::ptr::eq(schema, other) || schema == other,
            Origin::Items(items) => list_items(&first).is_some_and(|own| std::ptr::eq(own, items)),
            Origin::Made => is_null || is_scalar_list(schema),
            Origin::Optional(_) => false,
        };
        if !is_same_schema && !is_same_in_policies(schema) {
            return Err(OF_SEVERAL_SCHEMAS.to_owned());
        }
        let (first, second) = (parenthesise(left, first.text), parenthesise(right, second.text));
        let text = if is_null {
            format!("{first} == null")
        } else {
            EqualityWriter { names: self.names, remaining: &mut self.remaining }
                .write_equal(&first, &second, schema)?
        };
        Ok(Piece::made(if is_negated { format!("!({text})") } else { format!("({text})") }))
    }

    fn membership(&mut self, expr: &Expr, item: &Expr, range: &Expr) -> Result<Piece<'s>, String> {
        let list = self.rewrite(range)?;
        let own = self.rewrite(item)?.without_null(self.names);
        let is_object = |schema| matches!(data_kind(schema), DataKind::Object);
        let list_text = match (list_items(&list), list.origin) {
            (Some(items), _) if super::facts::has_same_equality(items) => list.text,
            (None, Origin::Data { schema, .. }) if !is_object(schema) => list.text,
            _ => list.converted(self.names, &mut self.remaining)?,
        };
        let item_text = match own.origin {
            Origin::Data { schema, .. } if super::facts::has_same_equality(schema) => own.text,
            _ => own.converted(self.names, &mut self.remaining)?,
        };
        Ok(Piece::made(
            self.source.replace_parts(expr, vec![(item.span, item_text), (range.span, list_text)]),
        ))
    }

    fn conditional(
        &mut self,
        expr: &Expr,
        condition: &Expr,
        yes: &Expr,
        no: &Expr,
    ) -> Result<Piece<'s>, String> {
        let test = self.convert(condition)?;
        let branches =
            (self.rewrite(yes)?.without_null(self.names), self.rewrite(no)?.without_null(self.names));
        let (first, second, origin) = self.join(branches, (yes, no))?;
        let parts = vec![(condition.span, test), (yes.span, first), (no.span, second)];
        Ok(Piece { text: self.source.replace_parts(expr, parts), origin })
    }

    /// Two values of which an expression has one: data of one schema stays data.
    fn join(
        &mut self,
        pieces: (Piece<'s>, Piece<'s>),
        exprs: (&Expr, &Expr),
    ) -> Result<(String, String, Origin<'s>), String> {
        let (first, second) = pieces;
        let is_container = |origin: Origin<'s>| match origin {
            Origin::Data { schema, .. } => is_container(schema),
            _ => false,
        };
        let joined = match (first.origin, second.origin) {
            (Origin::Data { schema, .. }, Origin::Data { schema: other, .. }) => {
                (std::ptr::eq(schema, other) || schema == other).then_some(first.origin)
            }
            (Origin::Optional(schema), Origin::Optional(other)) => {
                std::ptr::eq(schema, other).then_some(first.origin)
            }
            (origin, Origin::Made) if is_container(origin) => is_empty(exprs.1).then_some(origin),
            (Origin::Made, origin) if is_container(origin) => is_empty(exprs.0).then_some(origin),
            (Origin::Items(_), Origin::Made) if is_empty(exprs.1) => Some(first.origin),
            (Origin::Made, Origin::Items(_)) if is_empty(exprs.0) => Some(second.origin),
            _ => None,
        };
        if let Some(origin) = joined {
            return Ok((first.text, second.text, origin));
        }
        let converted = first
            .converted(self.names, &mut self.remaining)
            .and_then(|first| Ok((first, second.converted(self.names, &mut self.remaining)?)));
        let (first, second) = converted.map_err(|_| CONDITIONAL.to_owned())?;
        Ok((first, second, Origin::Made))
    }

    fn index(
        &mut self,
        expr: &Expr,
        base: &Expr,
        key: &Expr,
        is_optional: bool,
    ) -> Result<Piece<'s>, String> {
        let value = self.rewrite(base)?;
        let value = if is_optional { value.without_null(self.names) } else { value };
        let key_text = self.convert(key)?;
        let (schema, was_optional) = match value.origin {
            Origin::Data { schema, .. } => (Some(schema), false),
            Origin::Optional(schema) => (Some(schema), true),
            _ => (None, false),
        };
        let below = schema.and_then(|schema| match data_kind(schema) {
            DataKind::List(items, _) => Some(items),
            DataKind::Map(values) => Some(values),
            _ => None,
        });
        let below = below.or_else(|| list_items(&value));
        let origin = match below {
            Some(below) if is_optional || was_optional => Origin::Optional(below),
            Some(schema) => Origin::Data { schema, is_nullable: false },
            None => Origin::Made,
        };
        let text = self.source.replace_parts(expr, vec![(base.span, value.text), (key.span, key_text)]);
        Ok(Piece { text, origin })
    }

    fn addition(&mut self, expr: &Expr, left: &Expr, right: &Expr) -> Result<Piece<'s>, String> {
        let mut parts = Vec::new();
        for side in [left, right] {
            let piece = self.rewrite(side)?;
            if let Origin::Data { schema, .. } = piece.origin
                && let DataKind::List(_, ListType::Set | ListType::Map(_)) = data_kind(schema)
            {
                return Err(ADDED.to_owned());
            }
            parts.push((side.span, self.convert_piece_strictly(piece)?));
        }
        Ok(Piece::made(self.source.replace_parts(expr, parts)))
    }

    /// A function of an optional.
    fn optional_method(
        &mut self,
        expr: &Expr,
        function: &str,
        optional: &Expr,
        args: &[Expr],
    ) -> Result<Piece<'s>, String> {
        let target = self.rewrite(optional)?;
        let Origin::Optional(schema) = target.origin else {
            return self.other_call(expr, function, Some(optional), args);
        };
        let data = Origin::Data { schema, is_nullable: false };
        match (function, args) {
            ("hasValue", _) => {
                Ok(Piece::made(self.source.replace_parts(expr, vec![(optional.span, target.text)])))
            }
            ("value", _) => {
                let text = self.source.replace_parts(expr, vec![(optional.span, target.text)]);
                Ok(Piece { text, origin: data })
            }
            ("orValue", [default]) => {
                let other = self.rewrite(default)?.without_null(self.names);
                let is_data = is_container(schema)
                    && (is_empty(default)
                        || matches!(other.origin, Origin::Data { schema: own, .. } if own == schema));
                if is_data {
                    let parts = vec![(optional.span, target.text), (default.span, other.text)];
                    return Ok(Piece { text: self.source.replace_parts(expr, parts), origin: data });
                }
                self.other_call(expr, function, Some(optional), args)
            }
            ("or", [other]) => {
                let second = self.rewrite(other)?;
                if matches!(second.origin, Origin::Optional(own) if std::ptr::eq(own, schema)) {
                    let parts = vec![(optional.span, target.text), (other.span, second.text)];
                    return Ok(Piece { text: self.source.replace_parts(expr, parts), origin: target.origin });
                }
                self.other_call(expr, function, Some(optional), args)
            }
            _ => self.other_call(expr, function, Some(optional), args),
        }
    }
}

fn is_object(piece: &Piece<'_>) -> bool {
    matches!(piece.origin, Origin::Data { schema, .. } if matches!(data_kind(schema), DataKind::Object))
}

fn is_container(schema: &Value) -> bool {
    !matches!(data_kind(schema), DataKind::Scalar | DataKind::Typed(_))
}

fn is_double(schema: &Value) -> bool {
    matches!(data_kind(schema), DataKind::Typed(TypedForm::Double))
}

/// True if a list has scalars that are the same in policies.
fn is_scalar_list(schema: &Value) -> bool {
    matches!(data_kind(schema), DataKind::List(items, _) if matches!(data_kind(items), DataKind::Scalar))
}

/// True if a list, compared by position, has scalars of other types in policies.
fn is_typed_list(schema: &Value) -> bool {
    matches!(data_kind(schema), DataKind::List(items, ListType::Atomic)
        if matches!(data_kind(items), DataKind::Typed(_)))
}

/// True for a list or a map without entries, written out.
fn is_empty(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::List(elements) => elements.is_empty(),
        ExprKind::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn parenthesise(expr: &Expr, text: String) -> String {
    if super::rewrite::is_member(expr) { text } else { format!("({text})") }
}
