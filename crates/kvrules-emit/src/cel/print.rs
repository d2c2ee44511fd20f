//! Expressions as text on one line, with the parentheses that the grammar needs and no more.

use std::fmt::{self, Display, Formatter};

use kvrules_cel::literal::to_string_literal;

use super::expr::{Expr, Operator};

/// Precedence of an expression; a part with a lower precedence than its position requires is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Conditional,
    Or,
    And,
    Relation,
    Sum,
    Unary,
    Member,
}

impl Expr {
    /// The expression on one line if it fits in `width` characters, else over several.
    pub fn to_fitting_text(&self, width: usize) -> String {
        let line = self.to_string();
        // Servers refuse a text that is too large to be parsed.
        kvrules_cel::parse(&line).map_or(line, |expression| expression.to_fitting_text(width))
    }

    fn tightness(&self) -> Precedence {
        match self {
            Self::Conditional(..) => Precedence::Conditional,
            Self::Or(_) => Precedence::Or,
            Self::And(_) => Precedence::And,
            Self::Binary(_, Operator::Minus | Operator::Plus, _) => Precedence::Sum,
            Self::Binary(..) => Precedence::Relation,
            Self::Not(_) => Precedence::Unary,
            Self::Int(number) if *number < 0 => Precedence::Unary,
            _ => Precedence::Member,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => write_literal(f, text),
            Self::List(items) => write!(f, "[{}]", JoinedExprs(items, ", ", Precedence::Conditional)),
            Self::Name(name) => f.write_str(name),
            Self::Select(of, field) => write!(f, "{}.{field}", ExprAt(of, Precedence::Member)),
            Self::Index(of, key) => write!(f, "{}[{key}]", ExprAt(of, Precedence::Member)),
            Self::Has(of, field) => write!(f, "has({}.{field})", ExprAt(of, Precedence::Member)),
            Self::Call(name, arguments) => {
                write!(f, "{name}({})", JoinedExprs(arguments, ", ", Precedence::Conditional))
            }
            Self::Method(of, name, arguments) => {
                let arguments = JoinedExprs(arguments, ", ", Precedence::Conditional);
                write!(f, "{}.{name}({arguments})", ExprAt(of, Precedence::Member))
            }
            Self::Binary(left, operator, right) => {
                let (left_asks, right_asks) = match operator {
                    Operator::Minus | Operator::Plus => (Precedence::Sum, Precedence::Unary),
                    _ => (Precedence::Sum, Precedence::Sum),
                };
                write!(f, "{} {} {}", ExprAt(left, left_asks), operator.as_str(), ExprAt(right, right_asks))
            }
            Self::Not(inner) => write!(f, "!{}", ExprAt(inner, Precedence::Unary)),
            Self::And(parts) => write!(f, "{}", JoinedExprs(parts, " && ", Precedence::Relation)),
            Self::Or(parts) => write!(f, "{}", JoinedExprs(parts, " || ", Precedence::And)),
            Self::Conditional(condition, then, otherwise) => {
                let (condition, then) = (ExprAt(condition, Precedence::Or), ExprAt(then, Precedence::Or));
                write!(f, "{condition} ? {then} : {otherwise}")
            }
            Self::All(list, variable, body) => {
                write!(f, "{}.all({variable}, {body})", ExprAt(list, Precedence::Member))
            }
            Self::Exists(list, variable, body) => {
                write!(f, "{}.exists({variable}, {body})", ExprAt(list, Precedence::Member))
            }
            Self::Comprehension(list, name, variable, body) => {
                write!(f, "{}.{name}({variable}, {body})", ExprAt(list, Precedence::Member))
            }
            Self::EmptyMap => f.write_str("{}"),
        }
    }
}

/// An expression at a place that asks for some tightness.
struct ExprAt<'a>(&'a Expr, Precedence);

impl Display for ExprAt<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.tightness() < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

/// Expressions with a separator between them.
struct JoinedExprs<'a>(&'a [Expr], &'static str, Precedence);

impl Display for JoinedExprs<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, part) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(self.1)?;
            }
            write!(f, "{}", ExprAt(part, self.2))?;
        }
        Ok(())
    }
}

/// A text as a literal of the language.
pub(crate) fn quoted_text(text: &str) -> String {
    to_string_literal(text)
}

/// A text in single quotes.
fn write_literal(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(&to_string_literal(text))
}
