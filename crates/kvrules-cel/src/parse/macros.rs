//! Recognises calls of macros, and checks their arguments while the parser reads.
//!
//! The macros are registered with the parser so that a wrong argument is reported together with syntax errors, as the
//! server does. None of them expands.

use std::sync::{Arc, LazyLock};

use cel::common::ast::{Expr, IdedExpr};
use cel::parser::{Macro, MacroExprHelper};
use cel::{Env, ParseError};

use crate::ast::ComprehensionKind;
use crate::kubernetes::{Dialect, gate_of_macro};

/// Expression that a macro call becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroShape {
    /// `has(a.b)`
    Has,
    /// A loop with this many variables; with a condition between variables and body or not.
    Loop { kind: ComprehensionKind, variables: usize, condition: bool },
    /// `optMap`, `optFlatMap`
    OptMap { flat: bool },
    /// `sortBy`
    SortBy,
}

/// Every macro: its name, true if it has a receiver, the number of arguments, and its meaning.
pub(crate) fn macro_table() -> impl Iterator<Item = (&'static str, bool, usize, MacroShape)> {
    MACROS.iter().copied()
}

/// The macro for a call, by its name, whether there is a receiver, and the number of arguments.
// cel-go parser/macro.go, makeMacroKey: name, number of arguments and call style identify a macro
pub(super) fn find_macro_shape(
    function: &str,
    has_receiver: bool,
    args: usize,
    dialect: Dialect,
) -> Option<MacroShape> {
    let (_, _, _, shape) = MACROS.iter().find(|(name, receiver, count, _)| {
        *name == function && *receiver == has_receiver && *count == args
    })?;
    has_macro(function, args, dialect).then_some(*shape)
}

const fn one(kind: ComprehensionKind) -> MacroShape {
    MacroShape::Loop { kind, variables: 1, condition: false }
}

const fn two(kind: ComprehensionKind) -> MacroShape {
    MacroShape::Loop { kind, variables: 2, condition: false }
}

const fn conditional(kind: ComprehensionKind, variables: usize) -> MacroShape {
    MacroShape::Loop { kind, variables, condition: true }
}

/// Name, whether it is a member call, number of arguments, meaning.
// cel-go parser/macro.go, AllMacros; ext/comprehensions.go; cel/library.go, optMap and optFlatMap; ext/lists.go, sortByMacro
const MACROS: &[(&str, bool, usize, MacroShape)] = &[
    ("has", false, 1, MacroShape::Has),
    ("all", true, 2, one(ComprehensionKind::All)),
    ("exists", true, 2, one(ComprehensionKind::Exists)),
    ("exists_one", true, 2, one(ComprehensionKind::ExistsOne)),
    ("map", true, 2, one(ComprehensionKind::Map)),
    ("map", true, 3, conditional(ComprehensionKind::Map, 1)),
    ("filter", true, 2, one(ComprehensionKind::Filter)),
    ("all", true, 3, two(ComprehensionKind::All)),
    ("exists", true, 3, two(ComprehensionKind::Exists)),
    ("exists_one", true, 3, two(ComprehensionKind::ExistsOne)),
    ("existsOne", true, 3, two(ComprehensionKind::ExistsOne)),
    ("transformList", true, 3, two(ComprehensionKind::TransformList)),
    ("transformList", true, 4, conditional(ComprehensionKind::TransformList, 2)),
    ("transformMap", true, 3, two(ComprehensionKind::TransformMap)),
    ("transformMap", true, 4, conditional(ComprehensionKind::TransformMap, 2)),
    ("transformMapEntry", true, 3, two(ComprehensionKind::TransformMapEntry)),
    ("transformMapEntry", true, 4, conditional(ComprehensionKind::TransformMapEntry, 2)),
    ("optMap", true, 2, MacroShape::OptMap { flat: false }),
    ("optFlatMap", true, 2, MacroShape::OptMap { flat: true }),
    ("sortBy", true, 2, MacroShape::SortBy),
];

/// The names that the server's expansions use for their own variables.
// cel-go parser/macro.go, AccumulatorName; the second is the one that the server's environment selects
const ACCUMULATORS: [&str; 2] = ["__result__", "@result"];

/// True if the name is one of the server's own variables.
pub(super) fn is_accumulator(name: &str) -> bool {
    ACCUMULATORS.contains(&name)
}

/// True if a dialect has a macro.
fn has_macro(name: &str, args: usize, dialect: Dialect) -> bool {
    gate_of_macro(name, args).is_none_or(|gate| dialect.has_gate(gate))
}

/// A parser environment with the checks.
pub(super) fn parser_environment(dialect: Dialect) -> Arc<Env> {
    static NEWEST: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(new_environment(Dialect::NEWEST)));
    if dialect == Dialect::NEWEST { Arc::clone(&NEWEST) } else { Arc::new(new_environment(dialect)) }
}

fn new_environment(dialect: Dialect) -> Env {
    let mut environment = Env::default();
    for (name, receiver, args, shape) in
        MACROS.iter().filter(|(name, _, args, _)| has_macro(name, *args, dialect))
    {
        let check = checker(*shape);
        let checked =
            if *receiver { Macro::receiver(*name, *args, check) } else { Macro::global(*name, *args, check) };
        // The table names each call once, so there is no duplicate to refuse.
        let _ = environment.add_macro(checked);
    }
    environment
}

type Checked = Result<Option<IdedExpr>, ParseError>;

fn checker(
    shape: MacroShape,
) -> impl Fn(&mut MacroExprHelper<'_>, &mut Option<IdedExpr>, &mut Vec<IdedExpr>) -> Checked {
    move |helper, _, args| match find_error(shape, args) {
        None => Ok(None),
        Some((id, message)) => Err(helper.new_error(id, encode_error(id, &message))),
    }
}

fn find_error(shape: MacroShape, args: &[IdedExpr]) -> Option<(u64, String)> {
    let simple = "argument must be a simple name";
    match shape {
        MacroShape::Has => has_error(args.first()?),
        MacroShape::OptMap { flat } => {
            let function = if flat { "optFlatMap" } else { "optMap" };
            let message = format!("{function}() variable name must be a simple identifier");
            let first = args.first()?;
            name(first).is_none().then_some((first.id, message))
        }
        MacroShape::SortBy => {
            let first = args.first()?;
            name(first).is_none().then(|| (first.id, simple.to_owned()))
        }
        MacroShape::Loop { variables, .. } => {
            let error = args.iter().take(variables).find_map(variable_error);
            error.or_else(|| duplicate(args, variables))
        }
    }
}

// cel-go parser/macro.go, MakeHas
fn has_error(arg: &IdedExpr) -> Option<(u64, String)> {
    let selection = matches!(&arg.expr, Expr::Select(select) if !select.test);
    (!selection).then(|| (arg.id, "invalid argument to has() macro".to_owned()))
}

// cel-go parser/macro.go, makeQuantifier; ext/comprehensions.go, extractIterVars
fn variable_error(arg: &IdedExpr) -> Option<(u64, String)> {
    match name(arg) {
        None => Some((arg.id, "argument must be a simple name".to_owned())),
        Some(name) if is_accumulator(name) => {
            Some((arg.id, "iteration variable overwrites accumulator variable".to_owned()))
        }
        Some(_) => None,
    }
}

// cel-go ext/comprehensions.go, extractIterVars
fn duplicate(args: &[IdedExpr], variables: usize) -> Option<(u64, String)> {
    let [first, second, ..] = args else { return None };
    let same = variables == 2 && name(first) == name(second);
    same.then(|| (second.id, format!("duplicate variable name: {}", name(second).unwrap_or_default())))
}

/// The name, if the argument is nothing else; a leading dot makes it another thing.
pub(super) fn name(arg: &IdedExpr) -> Option<&str> {
    match &arg.expr {
        Expr::Ident(name) if !name.starts_with('.') => Some(name),
        _ => None,
    }
}

/// The parser's own positions of macro errors count bytes, so the node rides along in the message.
fn encode_error(id: u64, message: &str) -> String {
    format!("\u{0}{id}\u{0}{message}")
}

/// The byte offset and the message of an error made by [`encode_error`].
pub(super) fn decode_error(error: &ParseError) -> Option<(usize, String)> {
    let (id, message) = error.msg.strip_prefix('\u{0}')?.split_once('\u{0}')?;
    let info = error.source_info.as_ref()?;
    let (start, _) = info.offset_for(id.parse().ok()?).unwrap_or_default();
    Some((usize::try_from(start).ok()?, message.to_owned()))
}
