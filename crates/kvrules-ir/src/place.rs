//! Places in an object: a path with every name resolved and nothing left to choose.

use num_bigint::BigInt;

/// One place in an object, seen from the object's root or from a list element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Start of the steps.
    pub base: PlaceBase,
    /// Down from there.
    pub steps: Vec<PlaceStep>,
    /// Type that the catalog declares.
    pub value_type: ValueType,
    /// The value that is there when the object does not spell it out (see [`Presence::Defaulted`]).
    pub default: Option<Scalar>,
}

/// Start of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceBase {
    /// The subject's root; for a VirtualMachine the object itself.
    Root,
    /// The element that a quantifier is at: 0 is the innermost one around.
    Element(u32),
}

/// One step of a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceStep {
    /// A field of an object.
    Field {
        /// Its name in JSON.
        name: String,
        /// Condition under which the field exists.
        presence: Presence,
    },
    /// A key of a map; exists where the map has it.
    Key(String),
    /// One item of a list, from the end where negative; exists where the list is long enough.
    Item(i64),
}

impl PlaceStep {
    /// Returns when the step's target exists, given that its parent does.
    pub fn presence(&self) -> Presence {
        match self {
            Self::Field { presence, .. } => *presence,
            Self::Key(_) | Self::Item(_) => Presence::Optional,
        }
    }
}

/// Condition under which a field exists, given that its parent does. `null` is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Presence {
    /// Always, and every valid object spells it out.
    Required,
    /// Always: where the object does not spell it out, it has its default or zero value.
    Defaulted,
    /// Only where the object has it.
    Optional,
}

/// The type of a value, as the catalog knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// An integer.
    Integer,
    /// A resource quantity: a string such as `1.5Gi`, or a number.
    Quantity,
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// An integer or a string.
    IntOrString,
    /// A number.
    Number,
    /// A time, written as a string.
    Time,
    /// An object with known fields.
    Object,
    /// A map from strings.
    Map,
    /// A list.
    List,
    /// Anything.
    Any,
}

impl ValueType {
    /// Returns the name shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Quantity => "quantity",
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::IntOrString => "integer or string",
            Self::Number => "number",
            Self::Time => "time",
            Self::Object => "object",
            Self::Map => "map",
            Self::List => "list",
            Self::Any => "any",
        }
    }

    /// True if values of this type are neither objects nor lists.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Object | Self::Map | Self::List)
    }
}

/// A constant value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// An integer.
    Integer(BigInt),
    /// A text; also a quantity, as written.
    Text(String),
    /// A boolean.
    Boolean(bool),
}

impl Place {
    /// The value that is there when the place exists and the object does not spell it out: the default, else the
    /// zero value of the type. Objects, lists and values of any type have none that is a scalar.
    pub fn implicit_value(&self) -> Option<Scalar> {
        self.default.clone().or_else(|| match self.value_type {
            ValueType::Integer | ValueType::Number | ValueType::IntOrString => {
                Some(Scalar::Integer(BigInt::ZERO))
            }
            ValueType::Quantity => Some(Scalar::Text("0".to_owned())),
            ValueType::String | ValueType::Time => Some(Scalar::Text(String::new())),
            ValueType::Boolean => Some(Scalar::Boolean(false)),
            ValueType::Object | ValueType::Map | ValueType::List | ValueType::Any => None,
        })
    }

    /// The nearest place at or above this one that an object may lack; none if all of them always exist.
    pub fn last_optional(mut self) -> Option<Self> {
        let last = self.steps.iter().rposition(|step| step.presence() == Presence::Optional)?;
        if let Some(below) = self.steps.get(last + 1) {
            self.value_type = match below {
                PlaceStep::Field { .. } => ValueType::Object,
                PlaceStep::Key(_) => ValueType::Map,
                PlaceStep::Item(_) => ValueType::List,
            };
            self.default = None;
            self.steps.truncate(last + 1);
        }
        Some(self)
    }

    /// True if existence of this place implies existence of `other`.
    pub fn implies_existence_of(&self, other: &Self) -> bool {
        self.base == other.base && {
            // All steps after the last optional one of `other` exist with it, so only the steps up to that one must
            // be equal.
            let needed = other.steps.iter().rposition(|step| step.presence() == Presence::Optional);
            let needed = needed.map_or(0, |last| last + 1);
            self.steps.get(..needed).is_some_and(|own| other.steps.get(..needed) == Some(own))
        }
    }
}
