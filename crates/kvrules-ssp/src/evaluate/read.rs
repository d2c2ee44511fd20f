//! Reads results as integers or as texts.

use std::borrow::Cow;

use super::Fault;
use crate::quantity::as_int64;
use crate::rules::round;
use crate::schema::{Own, Schema, Shape, Type};
use crate::value::Value;
use crate::walk::{NIL, PRIVATE};

/// Types that Go's conversion names. A type with a name of its own is another type (E224).
const INTEGERS: [&str; 6] = ["int", "int32", "int64", "uint", "uint32", "uint64"];

/// Each result as an integer; the first that cannot be read is the error (E220).
pub(super) fn integers(values: &[Value<'_>]) -> Result<Vec<i64>, Fault> {
    values.iter().map(|value| integer(*value)).collect()
}

fn integer(value: Value<'_>) -> Result<i64, Fault> {
    if value.is_private() {
        return Err(Fault::Panic(PRIVATE));
    }
    let ty = value.ty();
    let number = if INTEGERS.contains(&ty.go.as_str()) {
        // What is past the greatest integer wraps around.
        value.int().or_else(|| value.uint().map(u64::cast_signed))
    } else if is_quantity(ty) {
        let quantity = value.indirect().ok_or(Fault::Panic(NIL))?;
        quantity.scaled().and_then(|(number, scale)| as_int64(number, scale))
    } else {
        value.float().map(round)
    };
    number.ok_or_else(|| Fault::Error(format!("mismatching type: {}, not int or resource.Quantity", ty.go)))
}

/// A quantity or a pointer to one.
fn is_quantity(ty: &Type) -> bool {
    let inner = match ty.shape {
        Shape::Pointer(inner) => Schema::get().ty(inner),
        _ => ty,
    };
    inner.own == Own::Quantity
}

/// Each result as a text: a string's own, or else its type's name (SEMANTICS 13).
pub(super) fn texts<'a>(values: &[Value<'a>]) -> Result<Vec<Cow<'a, str>>, Fault> {
    values.iter().map(|value| text(*value)).collect()
}

fn text(value: Value<'_>) -> Result<Cow<'_, str>, Fault> {
    if value.is_private() {
        return Err(Fault::Panic(PRIVATE));
    }
    let name = || Cow::Owned(format!("<{} Value>", value.ty().go));
    Ok(value.text().map_or_else(name, Cow::Borrowed))
}
