//! Values that expressions compute with.
//!
//! A [`Value`] is cheap to clone. JSON becomes values in `json`, with the types of a schema if there is one.

pub(crate) mod address;
mod authorization;
mod compare;
pub mod duration;
pub mod error;
mod go_key;
mod json;
pub mod quantity;
pub mod semver;
pub mod time;
pub mod zone;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

pub use authorization::{Authorization, AuthorizationCheck, AuthorizationKind, AuthorizationSource};
pub use error::{ErrorKind, EvalError};
pub use go_key::GoKey;
pub use json::{from_json, from_schema, go_type};
use quantity::KubeQuantity;
use semver::Semver;
use time::Timestamp;

use crate::types::unescape_property;

/// A value at run time.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(Arc<str>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `google.protobuf.Duration`, in nanoseconds
    Duration(i64),
    /// `list`
    List(Arc<List>),
    /// `map`
    Map(Arc<Entries>),
    /// An object with declared properties.
    Object(Arc<Object>),
    /// `optional_type`
    Optional(Option<Arc<Value>>),
    /// `type`, by its name
    Type(Arc<str>),
    /// `kubernetes.Quantity`
    Quantity(Arc<KubeQuantity>),
    /// `kubernetes.URL`, its text
    Url(Arc<str>),
    /// `net.IP`
    Ip(IpAddr),
    /// `net.CIDR`: an address and the length of the prefix
    Cidr(IpAddr, u8),
    /// `kubernetes.Semver`
    Semver(Arc<Semver>),
    /// `kubernetes.NamedFormat`, by its name
    Format(&'static str),
    /// A value of the authorization library, from `authorizer` to a decision.
    Authorization(Arc<Authorization>),
    /// Data whose schema has no type; compared with other such data, but never visible.
    Opaque(Arc<serde_json::Value>),
    /// Data that cannot be read as its schema says; an error as soon as it is examined.
    Invalid(Arc<str>),
    /// A value that the caller has not given, by name; an expression that uses it is refused.
    Unknown(&'static str),
}

/// A list, with the equality its schema gives it.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The elements.
    pub items: Vec<Value>,
    /// `x-kubernetes-list-type`.
    pub kind: ListKind,
}

/// Comparison and addition of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ListKind {
    /// By position: what an expression made.
    #[default]
    Made,
    /// By position: two lists that an expression put together.
    Joined,
    /// By position: what a schema describes.
    Atomic,
    /// Without order, by what each element was decoded as.
    Set(Vec<GoKey>),
    /// By the values of the fields with these names.
    Map(Vec<String>),
}

impl List {
    /// True if a schema describes the elements.
    pub(crate) fn is_declared(&self) -> bool {
        !matches!(self.kind, ListKind::Made | ListKind::Joined)
    }
}

/// The entries of a map.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    entries: BTreeMap<Key, Value>,
    /// True if a schema describes the values.
    pub(crate) is_declared: bool,
}

impl Entries {
    /// The value of a key; an error if the map can only have keys of another type.
    // apiserver pkg/cel/common valuesunstructured.go, unstructuredMap.Find
    pub(crate) fn find(&self, key: &Value) -> Result<Option<&Value>, EvalError> {
        match key {
            key if self.is_declared && !matches!(key, Value::String(_)) => Err(EvalError::no_such_overload()),
            key => Ok(look_up(&self.entries, key)),
        }
    }
}

impl std::ops::Deref for Entries {
    type Target = BTreeMap<Key, Value>;

    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

/// An object with declared properties.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The declared fields that are there, by their names in the data.
    pub fields: BTreeMap<String, Value>,
    /// Fields beyond the declared ones; compared, but never visible.
    pub unknown: BTreeMap<String, serde_json::Value>,
    /// The declared fields that are null: absent, but counted.
    pub nulls: BTreeSet<String>,
}

impl Object {
    /// Returns the number of fields of the data, visible or not.
    pub fn len(&self) -> usize {
        self.fields.len() + self.unknown.len() + self.nulls.len()
    }

    /// True if the data has no field.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A field by its escaped name. A name without two underscores is the field itself, whether it has to be escaped or not.
    // apiserver pkg/cel/common valuesunstructured.go, unstructuredMap.Find; pkg/cel/escaping.go, Unescape
    pub(crate) fn find(&self, name: &str) -> Option<&Value> {
        if !name.contains("__") {
            return self.fields.get(name);
        }
        self.fields.get(&unescape_property(name)?)
    }

    /// The field of a key; an error if no field can have it.
    pub(crate) fn find_key(&self, key: &Value) -> Result<Option<&Value>, EvalError> {
        match key {
            Value::String(name) => Ok(self.find(name)),
            _ => Err(EvalError::no_such_overload()),
        }
    }
}

/// The key of a map. Equal numbers of several types are several keys, of which a lookup takes the one that is there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `false`, `true`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// The bits of `1.0`, which are those of 0.0 for -0.0; only a map that is written out has such a key.
    Double(u64),
    /// Text.
    String(Arc<str>),
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// A list that an expression makes.
    pub fn from_items(items: Vec<Value>) -> Self {
        Self::List(Arc::new(List { items, kind: ListKind::Made }))
    }

    /// A map.
    pub fn from_entries(entries: BTreeMap<Key, Value>) -> Self {
        Self::Map(Arc::new(Entries { entries, is_declared: false }))
    }

    /// A map whose values a schema describes.
    pub(crate) fn from_declared_entries(entries: BTreeMap<Key, Value>) -> Self {
        Self::Map(Arc::new(Entries { entries, is_declared: true }))
    }

    /// An optional with a value.
    pub fn optional_of(value: Value) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// The name of the type, as `type(x)` and the texts of errors have it.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) | Self::Object(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Url(_) => "kubernetes.URL",
            Self::Ip(_) => "net.IP",
            Self::Cidr(..) => "net.CIDR",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authorization(it) => it.type_name(),
            Self::Opaque(_) => "unknown",
            Self::Invalid(_) | Self::Unknown(_) => "error",
        }
    }

    /// The value itself, or the error it stands for.
    pub fn into_result(self) -> Result<Self, EvalError> {
        match self {
            Self::Invalid(message) => Err(EvalError::new(message.to_string())),
            Self::Unknown(name) => {
                Err(EvalError::unsupported_feature(format!("`{name}`, which the request does not give,")))
            }
            value => Ok(value),
        }
    }

    /// The size as `size()` has it, for values that have one.
    pub fn cel_size(&self) -> Option<u64> {
        let size = match self {
            // cel-go common/types/string.go, Size: code points
            Self::String(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.items.len(),
            Self::Map(map) => map.len(),
            // apiserver pkg/cel/common values.go, unstructuredMap.Size: all fields of the data, declared or not
            Self::Object(object) => object.len(),
            Self::Ip(address) => {
                if address.is_ipv4() {
                    4
                } else {
                    16
                }
            }
            Self::Cidr(_, prefix) => usize::from(*prefix).div_ceil(8),
            _ => return None,
        };
        Some(size as u64)
    }

    /// As the key of a map; `None` for values that cannot be one.
    pub fn to_key(&self) -> Option<Key> {
        match self {
            Self::Bool(value) => Some(Key::Bool(*value)),
            Self::Int(value) => Some(Key::Int(*value)),
            Self::Uint(value) => Some(Key::Uint(*value)),
            // NaN is not equal to itself, so no lookup can find it.
            Self::Double(value) => (!value.is_nan()).then(|| Key::Double((*value + 0.0).to_bits())),
            Self::String(text) => Some(Key::String(Arc::clone(text))),
            _ => None,
        }
    }

    /// A number that is an integer, whatever its type.
    pub(crate) fn integer(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(i128::from(*value)),
            Self::Uint(value) => Some(i128::from(*value)),
            Self::Double(value) => double_to_integer(*value),
            _ => None,
        }
    }
}

/// The value of a key in a map: of the key itself, else of an equal integer of another type.
// cel-go common/types/map.go, refValMapAccessor.Find: a double finds integers, and an integer finds no double
pub(crate) fn look_up<'m>(map: &'m BTreeMap<Key, Value>, key: &Value) -> Option<&'m Value> {
    if let Some(found) = key.to_key().and_then(|key| map.get(&key)) {
        return Some(found);
    }
    let integer = key.integer()?;
    let int = i64::try_from(integer).ok().and_then(|key| map.get(&Key::Int(key)));
    int.or_else(|| u64::try_from(integer).ok().and_then(|key| map.get(&Key::Uint(key))))
}

/// A double that is an integer, as that.
fn double_to_integer(value: f64) -> Option<i128> {
    let in_range = value.is_finite() && value.abs() < 1e30 && value.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 10^30")]
    in_range.then_some(value as i128)
}

impl Key {
    /// The key as a value.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Self::String(text) => Value::String(Arc::clone(text)),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::string(text)
    }
}
