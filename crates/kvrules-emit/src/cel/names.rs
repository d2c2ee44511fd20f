//! Names of fields and of loop variables.

use kvrules_cel::types::RESERVED;
use kvrules_ir::{Place, PlaceStep};

/// Variables of the server and types, which a loop variable would hide.
const TAKEN: [&str; 21] = [
    "self",
    "oldSelf",
    "object",
    "oldObject",
    "request",
    "params",
    "namespaceObject",
    "variables",
    "authorizer",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "bytes",
    "list",
    "map",
    "type",
    "null_type",
    "dyn",
    "optional",
];

/// True if a name can be selected as it is.
pub(super) fn is_identifier(name: &str) -> bool {
    is_plain(name) && !RESERVED.contains(&name)
}

/// True if a name consists of letters, digits and underscores and begins with no digit.
pub(super) fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name for the elements of a list, none of those in use around it.
pub(super) fn variable_name(list: &Place, outer: &[String]) -> String {
    let plural = list.steps.iter().rev().find_map(|step| match step {
        PlaceStep::Field { name, .. } => Some(name.as_str()),
        PlaceStep::Key(_) | PlaceStep::Item(_) => None,
    });
    loop_variable(plural.unwrap_or_default(), |name| outer.iter().any(|taken| taken == name))
}

/// A name for the elements of a list with this name, none of those in use.
pub(crate) fn loop_variable(plural: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let own = singular_name(plural).filter(|name| is_identifier(name) && !is_reserved_variable(name));
    let name = own.unwrap_or_else(|| "item".to_owned());
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name));
    free.unwrap_or(name)
}

/// True for a variable of the server or a type, which a loop variable of the same name would hide.
pub(crate) fn is_reserved_variable(name: &str) -> bool {
    TAKEN.contains(&name)
}

/// One of what a list's name says there are several of.
fn singular_name(plural: &str) -> Option<String> {
    if plural == "interfaces" {
        return Some("iface".to_owned()); // The usual name among operators
    }
    let es = ["sses", "xes", "ches", "shes"];
    if let Some(stem) = plural.strip_suffix("ies") {
        return Some(format!("{stem}y"));
    }
    if es.iter().any(|ending| plural.ends_with(ending)) {
        return plural.strip_suffix("es").map(str::to_owned);
    }
    plural.strip_suffix('s').filter(|stem| !stem.ends_with('s')).map(str::to_owned)
}
