//! Expressions as text on one line, with the parentheses that the grammar needs and no more.

use std::fmt::{self, Display, Formatter, Write};

use super::expr::{Expr, Operator};

/// Precedence of an expression; a part with a lower precedence than its position requires is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tightness {
    Conditional,
    Or,
    And,
    Relation,
    Sum,
    Unary,
    Member,
}

impl Expr {
    pub(super) fn tightness(&self) -> Tightness {
        match self {
            Self::Conditional(..) => Tightness::Conditional,
            Self::Or(_) => Tightness::Or,
            Self::And(_) => Tightness::And,
            Self::Binary(_, Operator::Minus | Operator::Plus, _) => Tightness::Sum,
            Self::Binary(..) => Tightness::Relation,
            Self::Not(_) => Tightness::Unary,
            Self::Int(number) if *number < 0 => Tightness::Unary,
            _ => Tightness::Member,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => literal(f, text),
            Self::List(items) => write!(f, "[{}]", Joined(items, ", ", Tightness::Conditional)),
            Self::Name(name) => f.write_str(name),
            Self::Select(of, field) => write!(f, "{}.{field}", At(of, Tightness::Member)),
            Self::Index(of, key) => write!(f, "{}[{key}]", At(of, Tightness::Member)),
            Self::Has(of, field) => write!(f, "has({}.{field})", At(of, Tightness::Member)),
            Self::Call(name, arguments) => {
                write!(f, "{name}({})", Joined(arguments, ", ", Tightness::Conditional))
            }
            Self::Method(of, name, arguments) => {
                let arguments = Joined(arguments, ", ", Tightness::Conditional);
                write!(f, "{}.{name}({arguments})", At(of, Tightness::Member))
            }
            Self::Binary(left, operator, right) => {
                let (left_asks, right_asks) = match operator {
                    Operator::Minus | Operator::Plus => (Tightness::Sum, Tightness::Unary),
                    _ => (Tightness::Sum, Tightness::Sum),
                };
                write!(f, "{} {} {}", At(left, left_asks), operator.as_str(), At(right, right_asks))
            }
            Self::Not(inner) => write!(f, "!{}", At(inner, Tightness::Unary)),
            Self::And(parts) => write!(f, "{}", Joined(parts, " && ", Tightness::Relation)),
            Self::Or(parts) => write!(f, "{}", Joined(parts, " || ", Tightness::And)),
            Self::Conditional(condition, then, otherwise) => {
                let (condition, then) = (At(condition, Tightness::Or), At(then, Tightness::Or));
                write!(f, "{condition} ? {then} : {otherwise}")
            }
            Self::All(list, variable, body) => {
                write!(f, "{}.all({variable}, {body})", At(list, Tightness::Member))
            }
            Self::Exists(list, variable, body) => {
                write!(f, "{}.exists({variable}, {body})", At(list, Tightness::Member))
            }
            Self::Comprehension(list, name, variable, body) => {
                write!(f, "{}.{name}({variable}, {body})", At(list, Tightness::Member))
            }
            Self::EmptyMap => f.write_str("{}"),
        }
    }
}

/// An expression at a place that asks for some tightness.
pub(super) struct At<'a>(pub(super) &'a Expr, pub(super) Tightness);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.tightness() < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

/// Expressions with a separator between them.
struct Joined<'a>(&'a [Expr], &'static str, Tightness);

impl Display for Joined<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, part) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(self.1)?;
            }
            write!(f, "{}", At(part, self.2))?;
        }
        Ok(())
    }
}

/// A text in single quotes.
fn literal(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('\'')?;
    for character in text.chars() {
        match character {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            // Line separators and the byte order mark would be altered or refused on the way through YAML.
            control if control.is_control() || matches!(control, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                write!(f, "\\u{:04x}", u32::from(control))?;
            }
            other => f.write_char(other)?,
        }
    }
    f.write_char('\'')
}
