//! Reads results as integers or as texts.

use std::borrow::Cow;

use super::RuleFault;
use crate::quantity::as_int64;
use crate::rules::round_half_away;
use crate::schema::{CustomDecoding, GoSchema, GoShape, GoType};
use crate::value::GoValue;
use crate::walk::{NIL, PRIVATE};

/// Types that Go's conversion names. A type with a name of its own is another type (E224).
// ssp-operator validation/path/conv.go, toInt64.
const INTEGERS: [&str; 6] = ["int", "int32", "int64", "uint", "uint32", "uint64"];

/// Each result as an integer; the first that cannot be read is the error (E220).
pub(super) fn integers(values: &[GoValue<'_>]) -> Result<Vec<i64>, RuleFault> {
    values.iter().map(|value| integer(*value)).collect()
}

// ssp-operator validation/path/path.go, Results.AsInt64. Each result is read by Interface, which panics on a private one.
fn integer(value: GoValue<'_>) -> Result<i64, RuleFault> {
    if value.is_private() {
        return Err(RuleFault::Panic(PRIVATE));
    }
    let ty = value.ty();
    let number = if INTEGERS.contains(&ty.go.as_str()) {
        // Go's conversion to `int64` wraps around for larger unsigned integers.
        value.int().or_else(|| value.uint().map(u64::cast_signed))
    } else if is_quantity(ty) {
        // A nil pointer to a quantity is dereferenced (E330).
        let quantity = value.follow_pointers().ok_or(RuleFault::Panic(NIL))?;
        quantity.scaled().and_then(|(number, scale)| as_int64(number, scale))
    } else {
        // Only a constant in a path is a float.
        value.float().map(round_half_away)
    };
    number
        .ok_or_else(|| RuleFault::Error(format!("mismatching type: {}, not int or resource.Quantity", ty.go)))
}

/// A quantity or a pointer to one.
fn is_quantity(ty: &GoType) -> bool {
    let inner = match ty.shape {
        GoShape::Pointer(inner) => GoSchema::get().type_of(inner),
        _ => ty,
    };
    inner.own == CustomDecoding::Quantity
}

/// Each result as a text: a string's own, or else its type's name (SEMANTICS 13).
pub(super) fn texts<'a>(values: &[GoValue<'a>]) -> Result<Vec<Cow<'a, str>>, RuleFault> {
    values.iter().map(|value| text(*value)).collect()
}

// ssp-operator validation/path/path.go, Results.AsString. `<T Value>` is what reflect's Value.String gives for any
// value that is not a string.
fn text(value: GoValue<'_>) -> Result<Cow<'_, str>, RuleFault> {
    if value.is_private() {
        return Err(RuleFault::Panic(PRIVATE));
    }
    let name = || Cow::Owned(format!("<{} Value>", value.ty().go));
    Ok(value.text().map_or_else(name, Cow::Borrowed))
}
