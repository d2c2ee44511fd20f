//! Putting an object together from what is known of its places.

use std::collections::BTreeMap;

use kvrules_ir::ValueType;
use serde_json::{Map, Value, json};

use crate::address::{Address, AddressSegment};

/// A part of an object that is being made.
#[derive(Debug, Default)]
struct ObjectPart<'p> {
    value: Option<Value>,
    value_type: Option<ValueType>,
    fields: BTreeMap<&'p str, ObjectPart<'p>>,
    items: BTreeMap<i64, ObjectPart<'p>>,
    elements: BTreeMap<usize, ObjectPart<'p>>,
}

/// The object in which these places exist and have these values, and nothing else is spelled out.
pub(crate) fn build_object<'p>(
    present: impl IntoIterator<Item = (Address<'p>, Option<ValueType>)>,
    values: impl IntoIterator<Item = (Address<'p>, Value)>,
) -> Value {
    let mut root = ObjectPart::default();
    for (address, value_type) in present {
        let part = root.part_at(&address);
        part.value_type = part.value_type.or(value_type);
    }
    for (address, value) in values {
        root.part_at(&address).value = Some(value);
    }
    root.into_value()
}

impl<'p> ObjectPart<'p> {
    fn part_at(&mut self, address: &[AddressSegment<'p>]) -> &mut Self {
        address.iter().fold(self, |part, segment| match segment {
            AddressSegment::Constant(name) | AddressSegment::Optional(name) | AddressSegment::Key(name) => {
                part.fields.entry(name).or_default()
            }
            AddressSegment::Item(index) => part.items.entry(*index).or_default(),
            AddressSegment::Element(number) => part.elements.entry(*number).or_default(),
        })
    }

    fn into_value(self) -> Value {
        if !self.items.is_empty() || !self.elements.is_empty() {
            return build_list(self.items, self.elements.into_values());
        }
        if !self.fields.is_empty() {
            let fields = self.fields.into_iter().map(|(name, part)| (name.to_owned(), part.into_value()));
            return Value::Object(fields.collect::<Map<_, _>>());
        }
        self.value.unwrap_or_else(|| default_value(self.value_type))
    }
}

/// A list with items where paths name them, counted from the front or from the end, and others if there is room.
fn build_list<'p>(
    items: BTreeMap<i64, ObjectPart<'p>>,
    elements: impl Iterator<Item = ObjectPart<'p>>,
) -> Value {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for (index, part) in items {
        let (end, position) = if index < 0 {
            (&mut back, index.unsigned_abs() - 1)
        } else {
            (&mut front, index.unsigned_abs())
        };
        // Items at high indexes would need very long lists. They can be left out, because each object is evaluated
        // afterwards.
        let Some(position) = usize::try_from(position).ok().filter(|position| *position < 1000) else {
            continue;
        };
        if end.len() <= position {
            end.resize(position + 1, Value::Null);
        }
        if let Some(slot) = end.get_mut(position) {
            *slot = part.into_value();
        }
    }
    back.reverse();
    front.extend(elements.map(ObjectPart::into_value));
    front.append(&mut back);
    Value::Array(front)
}

/// Some value of a type.
fn default_value(value_type: Option<ValueType>) -> Value {
    match value_type {
        Some(ValueType::Integer | ValueType::IntOrString | ValueType::Number) => json!(0),
        Some(ValueType::Quantity) => json!("0"),
        Some(ValueType::String | ValueType::Time) => json!(""),
        Some(ValueType::Boolean) => json!(false),
        Some(ValueType::List) => json!([]),
        Some(ValueType::Object | ValueType::Map | ValueType::Any) | None => json!({}),
    }
}
