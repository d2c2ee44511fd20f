//! Walks a path over a VirtualMachine, as client-go's JSONPath does with Go's reflection.

mod compare;
mod filter;
mod select;
mod state;

pub(crate) use state::PathWalk;

use crate::value::GoValue;

/// Reason why a walk ended without results.
#[derive(Debug)]
pub(crate) enum WalkStop<'a> {
    /// An error, with what the failing step hands out all the same: an existence filter counts it (E123).
    Error(Vec<GoValue<'a>>),
    /// Message of a Go panic.
    Panic(&'static str),
    /// More work than a path may ask for. The validator itself knows no bound.
    TooMuch,
}

/// Go's words for a look at a private field (E335).
// reflect value.go, Value.Interface.
pub(crate) const PRIVATE: &str =
    "reflect.Value.Interface: cannot return value obtained from unexported field or method";

/// Go's words for a use of a nil pointer (E326).
pub(crate) const NIL: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Go's words for a nil pointer in the place of an embedded struct (E338).
// reflect value.go, Value.FieldByIndex, which FieldByName calls for promoted fields.
const NIL_EMBEDDED: &str = "reflect: indirection through nil pointer to embedded struct";

/// Go's words for a slice of nothing at all, which a `{range}` over nothing can come to.
// client-go util/jsonpath/jsonpath.go, JSONPath.evalArray asks for the type to write its error.
const NO_TYPE: &str = "reflect: call of reflect.Value.Type on zero Value";
