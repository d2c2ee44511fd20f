//! The judge's own syntax tree of expressions, and how it is written in CEL.

use std::fmt;

use super::value::Val;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Lit(Val),
    List(Vec<Expr>),
    Var(String),
    Field(Box<Expr>, String),
    /// `has(target.field)`.
    Has(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Bin(Op, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function, or a method of the first argument.
    Call(Function, Vec<Expr>),
    /// `range.macro(variable, body)`.
    Macro(Macro, Box<Expr>, String, Box<Expr>),
    /// `target.?field.orValue(default)`.
    OrValue(Box<Expr>, String, Box<Expr>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// A function that the judge knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Size,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
    LowerAscii,
    IndexOf,
    String,
    Int,
    Type,
    Quantity,
    IsGreaterThan,
    IsLessThan,
    CompareTo,
    Duration,
    Sum,
    Min,
    Max,
    IsSorted,
    HasValue,
    Value,
}

/// A macro over a list or the keys of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Macro {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

impl Op {
    pub(crate) const NAMES: [(&str, Self, u8); 14] = [
        ("||", Self::Or, 1),
        ("&&", Self::And, 2),
        ("==", Self::Eq, 3),
        ("!=", Self::Ne, 3),
        ("<=", Self::Le, 3),
        (">=", Self::Ge, 3),
        ("<", Self::Lt, 3),
        (">", Self::Gt, 3),
        ("in", Self::In, 3),
        ("+", Self::Add, 4),
        ("-", Self::Sub, 4),
        ("*", Self::Mul, 5),
        ("/", Self::Div, 5),
        ("%", Self::Mod, 5),
    ];

    fn name_and_level(self) -> (&'static str, u8) {
        Self::NAMES.iter().find(|(_, op, _)| *op == self).map_or(("", 0), |(name, _, level)| (name, *level))
    }

    pub(crate) fn name(self) -> &'static str {
        self.name_and_level().0
    }
}

impl Function {
    /// Names, and true for methods.
    pub(crate) const NAMES: [(&str, Self, bool); 21] = [
        ("size", Self::Size, false),
        ("startsWith", Self::StartsWith, true),
        ("endsWith", Self::EndsWith, true),
        ("contains", Self::Contains, true),
        ("matches", Self::Matches, true),
        ("lowerAscii", Self::LowerAscii, true),
        ("indexOf", Self::IndexOf, true),
        ("string", Self::String, false),
        ("int", Self::Int, false),
        ("type", Self::Type, false),
        ("quantity", Self::Quantity, false),
        ("isGreaterThan", Self::IsGreaterThan, true),
        ("isLessThan", Self::IsLessThan, true),
        ("compareTo", Self::CompareTo, true),
        ("duration", Self::Duration, false),
        ("sum", Self::Sum, true),
        ("min", Self::Min, true),
        ("max", Self::Max, true),
        ("isSorted", Self::IsSorted, true),
        ("hasValue", Self::HasValue, true),
        ("value", Self::Value, true),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known, _)| *known == self).map_or("", |(name, ..)| name)
    }
}

impl Macro {
    pub(crate) const NAMES: [(&str, Self); 5] = [
        ("all", Self::All),
        ("exists", Self::Exists),
        ("exists_one", Self::ExistsOne),
        ("filter", Self::Filter),
        ("map", Self::Map),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

impl Expr {
    pub(crate) fn int(value: i64) -> Self {
        Self::Lit(Val::Int(value))
    }

    pub(crate) fn text(value: &str) -> Self {
        Self::Lit(Val::text(value))
    }

    pub(crate) fn var(name: &str) -> Self {
        Self::Var(name.to_owned())
    }

    pub(crate) fn bin(op: Op, left: Self, right: Self) -> Self {
        Self::Bin(op, Box::new(left), Box::new(right))
    }

    pub(crate) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub(crate) fn dot(self, field: &str) -> Self {
        Self::Field(Box::new(self), field.to_owned())
    }

    pub(crate) fn has(self, field: &str) -> Self {
        Self::Has(Box::new(self), field.to_owned())
    }

    pub(crate) fn call(function: Function, args: Vec<Self>) -> Self {
        Self::Call(function, args)
    }

    /// Returns the direct parts.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Lit(_) | Self::Var(_) => Vec::new(),
            Self::List(items) | Self::Call(_, items) => items.iter().collect(),
            Self::Field(one, _) | Self::Has(one, _) | Self::Not(one) | Self::Neg(one) => vec![one],
            Self::Index(one, two)
            | Self::Bin(_, one, two)
            | Self::Macro(_, one, _, two)
            | Self::OrValue(one, _, two) => {
                vec![one, two]
            }
            Self::Cond(one, two, three) => vec![one, two, three],
        }
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Lit(_) | Self::Var(_) => Vec::new(),
            Self::List(items) | Self::Call(_, items) => items.iter_mut().collect(),
            Self::Field(one, _) | Self::Has(one, _) | Self::Not(one) | Self::Neg(one) => vec![one],
            Self::Index(one, two)
            | Self::Bin(_, one, two)
            | Self::Macro(_, one, _, two)
            | Self::OrValue(one, _, two) => {
                vec![one, two]
            }
            Self::Cond(one, two, three) => vec![one, two, three],
        }
    }

    /// Calls `visit` with the expression and everything in it.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        for child in self.children() {
            child.visit(visit);
        }
    }

    /// True if the expression names the variable.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.visit(&mut |it| found |= matches!(it, Self::Var(known) if known == name));
        found
    }

    fn level(&self) -> u8 {
        match self {
            Self::Cond(..) => 0,
            Self::Bin(op, ..) => op.name_and_level().1,
            Self::Not(_) | Self::Neg(_) => 6,
            Self::Lit(Val::Int(value)) if *value < 0 => 6,
            Self::Lit(Val::Double(value)) if *value < 0.0 => 6,
            _ => 7,
        }
    }
}

/// Writes a part, in parentheses if it binds less than `least`.
fn write_part(f: &mut fmt::Formatter<'_>, part: &Expr, least: u8) -> fmt::Result {
    if part.level() < least { write!(f, "({part})") } else { write!(f, "{part}") }
}

fn write_list(f: &mut fmt::Formatter<'_>, items: &[Expr]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lit(value) => write_literal(f, value),
            Self::List(items) => {
                write!(f, "[")?;
                write_list(f, items)?;
                write!(f, "]")
            }
            Self::Var(name) => write!(f, "{name}"),
            Self::Field(target, field) => {
                write_part(f, target, 7)?;
                write!(f, ".{field}")
            }
            Self::Has(target, field) => {
                write!(f, "has(")?;
                write_part(f, target, 7)?;
                write!(f, ".{field})")
            }
            Self::Index(target, index) => {
                write_part(f, target, 7)?;
                write!(f, "[{index}]")
            }
            Self::Not(inner) => {
                write!(f, "!")?;
                write_part(f, inner, 7)
            }
            Self::Neg(inner) => {
                write!(f, "-")?;
                write_part(f, inner, 7)
            }
            Self::Bin(op, left, right) => {
                let (name, level) = op.name_and_level();
                write_part(f, left, level)?;
                write!(f, " {name} ")?;
                write_part(f, right, level + 1)
            }
            Self::Cond(test, one, two) => {
                write_part(f, test, 1)?;
                write!(f, " ? ")?;
                write_part(f, one, 1)?;
                write!(f, " : ")?;
                write_part(f, two, 0)
            }
            Self::Call(function, args) => write_call(f, *function, args),
            Self::Macro(kind, range, variable, body) => {
                write_part(f, range, 7)?;
                write!(f, ".{}({variable}, {body})", kind.name())
            }
            Self::OrValue(target, field, default) => {
                write_part(f, target, 7)?;
                write!(f, ".?{field}.orValue({default})")
            }
        }
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, function: Function, args: &[Expr]) -> fmt::Result {
    let known = Function::NAMES.iter().find(|(_, known, _)| *known == function);
    match (known, args) {
        (Some((name, _, true)), [receiver, rest @ ..]) => {
            write_part(f, receiver, 7)?;
            write!(f, ".{name}(")?;
            write_list(f, rest)?;
        }
        (Some((name, ..)), args) => {
            write!(f, "{name}(")?;
            write_list(f, args)?;
        }
        (None, _) => {}
    }
    write!(f, ")")
}

fn write_literal(f: &mut fmt::Formatter<'_>, value: &Val) -> fmt::Result {
    match value {
        Val::Null => write!(f, "null"),
        Val::Bool(value) => write!(f, "{value}"),
        Val::Int(value) => write!(f, "{value}"),
        Val::Double(value) => write!(f, "{value:?}"),
        Val::Str(text) => write!(f, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Val::List(_) | Val::Map(_) | Val::Quantity(_) | Val::Duration(_) => Err(fmt::Error),
    }
}
