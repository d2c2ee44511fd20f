//! The types of the server's CEL, and how a schema declares them.
//!
//! A [`Type`] is what the checker computes with. A [`TypeDeclaration`] is what a schema node declares: a type together with the
//! sizes that cost estimates need.

mod declaration;
mod escape;
mod messages;
mod schema;

use std::fmt;
use std::sync::Arc;

use crate::functions::SignatureType;

pub use declaration::{DeclarationShape, TypeDeclaration};
pub(crate) use escape::escape_word;
pub use escape::{RESERVED, escape_property, unescape_property};
pub(crate) use messages::{message_field, message_type};
pub use schema::{
    MentionedProperties, REQUEST_BYTES, ROOT_TYPE_NAME, declare_mentioned, declare_mentioned_in,
    declare_schema, is_embedded, keyword_value, map_keyword, resource_property, size_bound,
};
pub(crate) use schema::{bool_keyword, declare_named};

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Anything; nothing is checked.
    Dyn,
    /// The type of something that is wrong; never reported again.
    Error,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `duration`
    Duration,
    /// `timestamp`
    Timestamp,
    /// `list(T)`
    List(Arc<Type>),
    /// `map(K, V)`
    Map(Arc<Type>, Arc<Type>),
    /// `optional_type(T)`
    Optional(Arc<Type>),
    /// A type without visible parts that compares by value, such as `net.IP`.
    Opaque(Arc<str>),
    /// A type with named fields: an object of a schema, or one of Kubernetes' own such as `kubernetes.Quantity`.
    Object(Arc<str>),
    /// The type of a type; without parameter the type of `type` itself.
    Type(Option<Arc<Type>>),
    /// A type that is not known yet; the number of the checker's variable.
    Var(usize),
}

impl Type {
    /// `list(element)`
    pub fn list_of(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// `map(key, value)`
    pub fn map_of(key: Self, value: Self) -> Self {
        Self::Map(Arc::new(key), Arc::new(value))
    }

    /// `optional_type(value)`
    pub fn optional_of(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// True if values of this type are not checked.
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn)
    }

    /// The types a type is made of: an element, or key and value.
    pub fn type_parameters(&self) -> Vec<&Self> {
        match self {
            Self::List(inner) | Self::Optional(inner) | Self::Type(Some(inner)) => vec![inner],
            Self::Map(key, value) => vec![key, value],
            _ => Vec::new(),
        }
    }

    /// The type of a signature; `variable` gives the types of its letters.
    pub(crate) fn from_signature(ty: SignatureType, variable: &mut dyn FnMut(char) -> Self) -> Self {
        match ty {
            SignatureType::Dyn => Self::Dyn,
            SignatureType::Null => Self::Null,
            SignatureType::Bool => Self::Bool,
            SignatureType::Int => Self::Int,
            SignatureType::Uint => Self::Uint,
            SignatureType::Double => Self::Double,
            SignatureType::String => Self::String,
            SignatureType::Bytes => Self::Bytes,
            SignatureType::Timestamp => Self::Timestamp,
            SignatureType::Duration => Self::Duration,
            SignatureType::Param(letter) => variable(letter),
            SignatureType::List(element) => Self::list_of(Self::from_signature(*element, variable)),
            SignatureType::Map(key, value) => {
                let key = Self::from_signature(*key, variable);
                Self::map_of(key, Self::from_signature(*value, variable))
            }
            SignatureType::Optional(value) => Self::optional_of(Self::from_signature(*value, variable)),
            SignatureType::Type(inner) => Self::Type(Some(Arc::new(Self::from_signature(*inner, variable)))),
            SignatureType::Opaque(name) => Self::from_library_name(name),
        }
    }

    /// A type of a library by its name. The address types are opaque, the others count as objects.
    pub(crate) fn from_library_name(name: &str) -> Self {
        if name.starts_with("net.") { Self::Opaque(name.into()) } else { Self::Object(name.into()) }
    }
}

impl fmt::Display for Type {
    // cel-go checker/format.go, FormatCELType
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Self::Optional(value) => write!(f, "optional_type({value})"),
            Self::Opaque(name) | Self::Object(name) => f.write_str(name),
            Self::Type(None) => f.write_str("type"),
            Self::Type(Some(inner)) => write!(f, "type({inner})"),
            Self::Var(number) => write!(f, "_var{number}"),
        }
    }
}
