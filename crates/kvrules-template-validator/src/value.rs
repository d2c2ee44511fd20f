//! Values as Go's reflection shows them: a type, what is there, and whether it may be examined.

mod blank;
mod data;

pub(crate) use data::{ListData, ValueData};

use crate::schema::{CustomDecoding, GoSchema, GoShape, GoType, TypeId};

/// Data of an absent value.
static ZERO: ValueData = ValueData::Zero;

/// A value of a Go type, which may be a nil pointer.
#[derive(Clone, Copy, Debug)]
// reflect's Value, as far as the walk uses it. `private` goes on to all that is reached from there.
pub(crate) struct GoValue<'a> {
    ty: TypeId,
    data: &'a ValueData,
    /// True if it was reached through a field that Go does not export.
    private: bool,
}

/// A nil pointer to a struct whose fields count as those of the outer one.
#[derive(Debug)]
pub(crate) struct NilEmbedded;

impl<'a> GoValue<'a> {
    /// A value that no private field led to.
    pub(crate) fn new(ty: TypeId, data: &'a ValueData) -> Self {
        Self { ty, data, private: false }
    }

    /// Returns the value of `reflect.ValueOf(nil)`.
    pub(crate) fn invalid() -> Self {
        Self::new(TypeId::INVALID, &ZERO)
    }

    /// Its type.
    pub(crate) fn ty(self) -> &'static GoType {
        GoSchema::get().type_of(self.ty)
    }

    /// True if reading it panics (E335).
    pub(crate) fn is_private(self) -> bool {
        self.private
    }

    fn child_value(self, ty: TypeId, data: &'a ValueData) -> Self {
        Self { ty, data, private: self.private }
    }

    /// Follows pointers to their value; `None` for a nil one.
    // client-go third_party/forked/golang/template/exec.go, indirect.
    pub(crate) fn follow_pointers(self) -> Option<Self> {
        let mut value = self;
        while let GoShape::Pointer(inner) = value.ty().shape {
            let ValueData::Pointer(data) = value.data else { return None };
            value = value.child_value(inner, data);
        }
        Some(value)
    }

    fn field(self, at: usize) -> Option<Self> {
        let schema = GoSchema::get();
        let field = schema.fields(self.ty).get(at)?;
        let data = match self.data {
            ValueData::Struct(fields) => fields.get(at).unwrap_or(&ZERO),
            ValueData::Blank => blank::blank_field(self.ty(), field),
            _ => &ZERO,
        };
        Some(Self { ty: field.ty, data, private: self.private || !field.is_exported() })
    }

    /// The field that a name leads to, if it leads anywhere.
    // reflect value.go, Value.FieldByIndex: a nil pointer on the way panics (E338).
    pub(crate) fn find_field(self, name: &str) -> Result<Option<Self>, NilEmbedded> {
        let GoShape::Struct(inner) = &self.ty().shape else { return Ok(None) };
        let Some(way) = inner.find_path_field(name) else { return Ok(None) };
        let mut value = self;
        for at in way {
            let Some(next) = value.follow_pointers().ok_or(NilEmbedded)?.field(*at) else { return Ok(None) };
            value = next;
        }
        Ok(Some(value))
    }

    /// Returns the value of a key in a map.
    pub(crate) fn map_entry(self, key: &str) -> Option<Self> {
        match (&self.ty().shape, self.data) {
            (GoShape::Map(item), ValueData::Map(entries)) => Some(self.child_value(*item, entries.get(key)?)),
            _ => None,
        }
    }

    /// The length of a list; none of anything else.
    pub(crate) fn list_length(self) -> Option<usize> {
        let GoShape::List(_) = self.ty().shape else { return None };
        Some(match self.data {
            ValueData::List(list) => list.visible_items().len(),
            ValueData::Blanks(length) => *length,
            _ => 0,
        })
    }

    /// An item of a list.
    pub(crate) fn list_item(self, at: usize) -> Option<Self> {
        let GoShape::List(item) = self.ty().shape else { return None };
        let data = match self.data {
            ValueData::List(list) => list.visible_items().get(at)?,
            ValueData::Blanks(length) if at < *length => blank::blank_item(GoSchema::get().type_of(item)),
            _ => return None,
        };
        Some(self.child_value(item, data))
    }

    /// All that a struct, a map, a list or a string is made of. A map's values come in the order of their keys, which
    /// is one of the orders that Go may take.
    // client-go util/jsonpath/jsonpath.go, JSONPath.evalWildcard: private fields too, and the bytes of a string.
    pub(crate) fn children(self) -> Vec<Self> {
        match &self.ty().shape {
            GoShape::Struct(inner) => (0..inner.fields.len()).filter_map(|at| self.field(at)).collect(),
            GoShape::Map(item) => match self.data {
                ValueData::Map(entries) => {
                    entries.values().map(|data| self.child_value(*item, data)).collect()
                }
                _ => Vec::new(),
            },
            GoShape::List(_) => {
                (0..self.list_length().unwrap_or_default()).filter_map(|at| self.list_item(at)).collect()
            }
            GoShape::String => {
                let bytes = self.text().unwrap_or_default().bytes();
                bytes.map(|byte| self.child_value(TypeId::BYTE, data::byte_data(byte))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The text of a string, of whatever name the type is.
    pub(crate) fn text(self) -> Option<&'a str> {
        match (&self.ty().shape, self.data) {
            (GoShape::String, ValueData::Text(text)) => Some(text),
            (GoShape::String, _) => Some(""),
            _ => None,
        }
    }

    /// A boolean.
    pub(crate) fn boolean(self) -> Option<bool> {
        let GoShape::Bool = self.ty().shape else { return None };
        Some(matches!(self.data, ValueData::Bool(true)))
    }

    /// A signed integer.
    pub(crate) fn int(self) -> Option<i64> {
        let GoShape::Int(_) = self.ty().shape else { return None };
        Some(if let ValueData::Int(int) = self.data { *int } else { 0 })
    }

    /// An unsigned integer.
    pub(crate) fn uint(self) -> Option<u64> {
        let GoShape::Uint(_) = self.ty().shape else { return None };
        Some(if let ValueData::Uint(uint) = self.data { *uint } else { 0 })
    }

    /// A constant with a point.
    pub(crate) fn float(self) -> Option<f64> {
        if let ValueData::Float(float) = self.data { Some(*float) } else { None }
    }

    /// The parts of a quantity that make it readable: the integer and its power of ten. None if the quantity is a
    /// big decimal, or the value no quantity.
    // apimachinery resource/quantity.go, Quantity.AsInt64: if `d.Dec` is set, `i` does not count.
    pub(crate) fn scaled(self) -> Option<(i64, i64)> {
        if self.ty().own != CustomDecoding::Quantity {
            return None;
        }
        let decimal = self.field(1)?.field(0)?.follow_pointers();
        let amount = self.field(0)?;
        if decimal.is_some() { None } else { Some((amount.field(0)?.int()?, amount.field(1)?.int()?)) }
    }
}
