//! Checks a literal template of `format` against a literal list of values.
//!
//! The words for a wrong clause are those of cel-go's strings library.

use crate::check::core::{CoreItem, CoreKind, CoreNode};
use crate::check::{TypeError, TypeFacts};
use crate::functions::template::{PRINTABLE, TemplateClause};
use crate::types::Type;

/// The error in `template.format(values)`, if there is one.
// cel-go ext/formatting.go, stringFormatValidator.Validate: only a literal template with a literal list is checked
pub(super) fn check_format_call(
    call: &CoreNode,
    template: &str,
    values: &[CoreItem],
    facts: &TypeFacts,
) -> Option<TypeError> {
    let whole = |message: String| Some((call.at, message));
    let mut used = 0;
    let mut rest = template;
    while let Some((_, after)) = rest.split_once('%') {
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            continue;
        }
        if after.is_empty() {
            return whole("unexpected end of string".to_owned());
        }
        let Some(value) = values.get(used) else { return whole(format!("index {used} out of range")) };
        let clause = match TemplateClause::parse_clause(after) {
            Ok(clause) => clause,
            Err(reason) => return whole(format!("could not parse formatting clause: {reason}")),
        };
        if let Err((at, reason)) = check_verb(clause.verb, &value.value, facts) {
            return Some((at, format!("error during formatting: {reason}")));
        }
        used += 1;
        rest = clause.rest;
    }
    let given = values.len();
    let too_many = format!("too many arguments supplied to string.format (expected {used}, got {given})");
    (given > used).then_some((call.at, too_many))
}

fn check_verb(verb: char, value: &CoreNode, facts: &TypeFacts) -> Result<(), TypeError> {
    if verb == 's' {
        return is_printable(value, facts);
    }
    let ty = type_of(value, facts);
    let is_integer = matches!(ty, Type::Int | Type::Uint);
    let (fits, words) = match verb {
        'd' => (is_integer, "decimal clause can only be used on integers"),
        'f' => (is_float(ty), "fixed-point clause can only be used on doubles"),
        'e' => (is_float(ty), "scientific clause can only be used on doubles"),
        'b' => (is_integer || *ty == Type::Bool, "only integers and bools can be formatted as binary"),
        'o' => (is_integer, "octal clause can only be used on integers"),
        _ => (
            is_integer || matches!(ty, Type::String | Type::Bytes),
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
    };
    if fits || ty.is_dyn() {
        Ok(())
    } else {
        Err((value.at, format!("{words}, was given {}", runtime_name(ty))))
    }
}

/// Texts count as well: `NaN` and the infinities are written as texts.
// cel-go ext/formatting.go, stringFormatter.Fixed and Scientific: "NaN", "Infinity" and "-Infinity"
fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Double | Type::String)
}

/// Everything but objects, optionals and the types of libraries can be printed, also inside of literals.
fn is_printable(value: &CoreNode, facts: &TypeFacts) -> Result<(), TypeError> {
    let ty = type_of(value, facts);
    if matches!(ty, Type::Object(_) | Type::Opaque(_) | Type::Optional(_) | Type::Error) {
        return Err((value.at, format!("{PRINTABLE}, was given {}", runtime_name(ty))));
    }
    match &value.kind {
        CoreKind::List(items) => items.iter().try_for_each(|item| is_printable(&item.value, facts)),
        CoreKind::Map(pairs) => pairs.iter().try_for_each(|pair| {
            is_printable(&pair.key, facts)?;
            is_printable(&pair.value, facts)
        }),
        _ => Ok(()),
    }
}

fn type_of<'a>(node: &CoreNode, facts: &'a TypeFacts) -> &'a Type {
    facts.types.get(node.id).unwrap_or(&Type::Dyn)
}

/// The name of a type without its parameters.
fn runtime_name(ty: &Type) -> String {
    match ty {
        Type::Null => "null_type".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Map(..) => "map".to_owned(),
        Type::Optional(_) => "optional_type".to_owned(),
        Type::Type(_) => "type".to_owned(),
        other => other.to_string(),
    }
}
