//! Go's messages for values that do not decode.

use std::fmt;

/// Reason why an annotation or a VirtualMachine does not decode, in the validator's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    text: String,
}

impl DecodeError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The validator's words.
    pub fn go_text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for DecodeError {}

/// An error on its way out through nested decoders.
#[derive(Clone, Debug)]
pub(crate) enum GoError {
    /// A value of the wrong type (`json.UnmarshalTypeError`), to which each decoder that it passes adds where it is.
    Type(TypeError),
    /// Any other, which stays as it is.
    Other(String),
}

#[derive(Clone, Debug)]
pub(crate) struct TypeError {
    /// Value that was found, such as `number 1.5`.
    value: String,
    /// Expected type.
    ty: String,
    /// The outermost struct that is known, without its package.
    owner: String,
    /// The keys that lead there.
    field: String,
}

impl GoError {
    /// A value of the wrong type, wherever it is.
    pub(crate) fn mismatch(value: impl Into<String>, ty: impl Into<String>) -> Self {
        let (owner, field) = (String::new(), String::new());
        Self::Type(TypeError { value: value.into(), ty: ty.into(), owner, field })
    }

    /// The error as a decoder that stands there passes it on.
    // encoding/json decode.go, decodeState.addErrorContext: the outer struct replaces the inner one, and the keys of an
    // inner decoder stay behind those of the outer one.
    pub(crate) fn at_location(mut self, place: &ErrorLocation) -> Self {
        if let Self::Type(error) = &mut self
            && !place.owner.is_empty()
        {
            place.owner.clone_into(&mut error.owner);
            let mut keys = place.keys.clone();
            keys.extend((!error.field.is_empty()).then_some(error.field.as_str()));
            error.field = keys.join(".");
        }
        self
    }
}

// encoding/json decode.go, UnmarshalTypeError.Error.
impl fmt::Display for GoError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(text) => formatter.write_str(text),
            Self::Type(TypeError { value, ty, owner, field }) if owner.is_empty() => {
                debug_assert!(field.is_empty());
                write!(formatter, "json: cannot unmarshal {value} into Go value of type {ty}")
            }
            Self::Type(TypeError { value, ty, owner, field }) => {
                write!(
                    formatter,
                    "json: cannot unmarshal {value} into Go struct field {owner}.{field} of type {ty}"
                )
            }
        }
    }
}

/// Location of a decoder: the struct whose field it decodes, and the keys that led to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorLocation {
    /// The struct's name without its package; empty outside every struct.
    pub(crate) owner: &'static str,
    pub(crate) keys: Vec<&'static str>,
}
