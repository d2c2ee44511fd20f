//! Content of a value. Its type determines how to read it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The content of a value. What is [`Zero`](Self::Zero) was never set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ValueData {
    /// The zero value of any type: an empty text, 0, a nil pointer, no list, a struct of zeros.
    Zero,
    /// A struct of the reference VM: as if every pointer in it were set and every list filled.
    Blank,
    /// A list of the reference VM, of so many items.
    Blanks(usize),
    Text(String),
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// A pointer that is set.
    Pointer(Box<ValueData>),
    /// A struct, field by field.
    Struct(Vec<ValueData>),
    List(ListData),
    Map(BTreeMap<String, ValueData>),
}

/// A list, with what an earlier and longer one left in its memory: Go decodes a second list for the same key over
/// the items of the first.
#[derive(Clone, Debug, Default, PartialEq)]
// encoding/json decode.go, decodeState.array: SetLen shortens a slice and leaves its memory.
pub(crate) struct ListData {
    memory: Vec<ValueData>,
    length: usize,
}

impl ListData {
    /// The items that count.
    pub(crate) fn visible_items(&self) -> &[ValueData] {
        self.memory.get(..self.length).unwrap_or_default()
    }

    /// The same, to be changed.
    pub(crate) fn shown_mut(&mut self) -> &mut [ValueData] {
        self.memory.get_mut(..self.length).unwrap_or_default()
    }

    /// The item to decode into, new or not.
    pub(crate) fn item_slot(&mut self, at: usize) -> Option<&mut ValueData> {
        if at >= self.memory.len() {
            self.memory.resize(at + 1, ValueData::Zero);
        }
        self.length = self.length.max(at + 1);
        self.memory.get_mut(at)
    }

    /// Ends the list behind so many items. An empty list gets memory of its own.
    pub(crate) fn end_at(&mut self, length: usize) {
        self.length = length;
        // An empty array is a new slice there, so nothing of the earlier list can come back.
        if length == 0 {
            self.memory.clear();
        }
    }
}

impl FromIterator<ValueData> for ListData {
    fn from_iter<I: IntoIterator<Item = ValueData>>(items: I) -> Self {
        let memory: Vec<ValueData> = items.into_iter().collect();
        Self { length: memory.len(), memory }
    }
}

impl ValueData {
    /// The field of a struct, to be set.
    pub(crate) fn field_mut(&mut self, fields: usize, at: usize) -> Option<&mut Self> {
        if !matches!(self, Self::Struct(_)) {
            *self = Self::Struct(vec![Self::Zero; fields]);
        }
        if let Self::Struct(fields) = self { fields.get_mut(at) } else { None }
    }

    /// Returns the target of a pointer, to be set.
    // encoding/json decode.go, decodeState.indirect: a nil pointer gets a new zero value.
    pub(crate) fn pointed_mut(&mut self) -> Option<&mut Self> {
        if !matches!(self, Self::Pointer(_)) {
            *self = Self::Pointer(Box::new(Self::Zero));
        }
        if let Self::Pointer(inner) = self { Some(inner) } else { None }
    }
}

/// A byte of a string.
pub(super) fn byte_data(byte: u8) -> &'static ValueData {
    static BYTES: LazyLock<Vec<ValueData>> =
        LazyLock::new(|| (0..=u8::MAX).map(|byte| ValueData::Uint(byte.into())).collect());
    BYTES.get(usize::from(byte)).unwrap_or(&ValueData::Zero)
}
