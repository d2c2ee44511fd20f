//! Signatures of functions and macros in words, for authors.

use std::fmt;

use crate::ast::ComprehensionKind;
use crate::functions::{A, LIST_A, MAP_A_B, Overload, SignatureType, all_overloads};
use crate::kubernetes::{Gate, KubernetesVersion, find_gate, gate_of_macro, gate_of_overload};
use crate::parse::{MacroShape, macro_table};

/// A function or a macro as authors write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFunction {
    /// The name.
    pub name: &'static str,
    /// True if it is written `a.f(b)`.
    pub is_member: bool,
    /// The ways to call it.
    pub signatures: Vec<String>,
    /// The types of its receivers; empty for other functions.
    pub receivers: Vec<SignatureType>,
    /// The first minor that takes it in a new expression; `None` if all known ones do.
    pub since: Option<KubernetesVersion>,
}

/// Returns the functions and macros that can be written as calls, ordered by name; members apart from others of the same name.
///
/// ```
/// use kvrules_cel::named_functions;
/// let found = named_functions();
/// let quantity = found.iter().find(|function| function.name == "quantity").unwrap();
/// assert_eq!(quantity.signatures, ["quantity(string) -> Quantity"]);
/// assert_eq!(quantity.since, "1.29".parse().ok());
/// let contains = found.iter().find(|function| function.name == "contains").unwrap();
/// assert_eq!((contains.signatures[0].as_str(), contains.since), ("string.contains(string) -> bool", None));
/// ```
pub fn named_functions() -> Vec<NamedFunction> {
    let mut found: Vec<NamedFunction> = Vec::new();
    for (name, is_member, args, shape) in macro_table() {
        let since = first_minor(gate_of_macro(name, args));
        let receiver = match shape {
            MacroShape::OptMap { .. } => SignatureType::Optional(&A),
            MacroShape::SortBy => LIST_A,
            MacroShape::Has | MacroShape::Loop { .. } => SignatureType::List(&A),
        };
        let receivers =
            if matches!(shape, MacroShape::Loop { .. }) { vec![receiver, MAP_A_B] } else { vec![receiver] };
        let receivers = if is_member { receivers } else { Vec::new() };
        add_function(&mut found, (name, is_member), macro_signature(name, shape), receivers, since);
    }
    let is_call = |overload: &&Overload| overload.name.starts_with(char::is_alphabetic);
    for overload in all_overloads().filter(is_call) {
        let since = first_minor(gate_of_overload(overload.id));
        let receiver = overload.params.first().copied().filter(|_| overload.member);
        let (name, receivers) = ((overload.name, overload.member), receiver.into_iter().collect());
        add_function(&mut found, name, overload.to_string(), receivers, since);
    }
    found.sort_by_key(|function| (function.name, function.is_member));
    found
}

fn first_minor(gate: Option<Gate>) -> Option<KubernetesVersion> {
    gate.and_then(find_gate).and_then(|gate| gate.new_from)
}

/// Adds a way to call a function. Of several ways, the oldest minor counts.
fn add_function(
    found: &mut Vec<NamedFunction>,
    (name, is_member): (&'static str, bool),
    signature: String,
    receivers: Vec<SignatureType>,
    since: Option<KubernetesVersion>,
) {
    match found.iter_mut().find(|known| known.name == name && known.is_member == is_member) {
        Some(known) => {
            known.signatures.push(signature);
            known.receivers.extend(receivers);
            known.since = known.since.min(since);
        }
        None => {
            found.push(NamedFunction { name, is_member, signatures: vec![signature], receivers, since });
        }
    }
}

/// The signature of a macro, whose arguments are names and expressions.
fn macro_signature(name: &str, shape: MacroShape) -> String {
    match shape {
        MacroShape::Has => "has(e.f) -> bool".to_owned(),
        MacroShape::OptMap { .. } => format!("optional.{name}(x, value) -> optional"),
        MacroShape::SortBy => format!("list.{name}(x, key) -> list"),
        MacroShape::Loop { kind, variables, condition } => {
            let names = if variables == 2 { "key, x" } else { "x" };
            let condition = if condition { ", condition" } else { "" };
            let (last, result) = match kind {
                ComprehensionKind::All | ComprehensionKind::Exists | ComprehensionKind::ExistsOne => {
                    ("condition", "bool")
                }
                ComprehensionKind::Filter => ("condition", "list"),
                ComprehensionKind::Map | ComprehensionKind::TransformList => ("value", "list"),
                ComprehensionKind::TransformMap => ("value", "map"),
                ComprehensionKind::TransformMapEntry => ("entry", "map"),
            };
            format!("list.{name}({names}{condition}, {last}) -> {result}")
        }
    }
}

impl fmt::Display for Overload {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = match self.params.split_first() {
            Some((receiver, rest)) if self.member => {
                write!(out, "{receiver}.")?;
                rest
            }
            _ => self.params,
        };
        write!(out, "{}(", self.name)?;
        for (index, argument) in arguments.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(out, "{comma}{argument}")?;
        }
        write!(out, ") -> {}", self.result)
    }
}

impl fmt::Display for SignatureType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => out.write_str("any"),
            Self::Null => out.write_str("null"),
            Self::Bool => out.write_str("bool"),
            Self::Int => out.write_str("int"),
            Self::Uint => out.write_str("uint"),
            Self::Double => out.write_str("double"),
            Self::String => out.write_str("string"),
            Self::Bytes => out.write_str("bytes"),
            Self::Timestamp => out.write_str("timestamp"),
            Self::Duration => out.write_str("duration"),
            Self::Param(letter) => write!(out, "{letter}"),
            Self::List(item) => write!(out, "list({item})"),
            Self::Map(key, value) => write!(out, "map({key}, {value})"),
            Self::Optional(value) => write!(out, "optional({value})"),
            Self::Type(value) => write!(out, "type({value})"),
            Self::Opaque(name) => out.write_str(name.rsplit('.').next().unwrap_or(name)),
        }
    }
}
