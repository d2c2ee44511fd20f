//! Decodes JSON into Go's types, as `encoding/json` does.
//!
//! A value of the wrong type is recorded and decoding continues, so the first one is reported. A type with its own
//! decoder stops at once, so its error is reported even after an earlier one was recorded.

mod custom_decoding;
mod sanitize;

use std::collections::BTreeMap;

use crate::error::{ErrorLocation, GoError};
use crate::json::{Cursor, decode_string};
use crate::schema::{CustomDecoding, GoField, GoSchema, GoShape, TypeId};
use crate::value::{ListData, ValueData};

pub(crate) use custom_decoding::found_type_name;

/// A text that is decoded, and what was wrong with it so far.
struct Decoder<'t> {
    cursor: Cursor<'t>,
    schema: &'static GoSchema,
    place: ErrorLocation,
    noted: Option<GoError>,
}

/// Decodes a text that is known to be JSON.
// encoding/json decode.go, Unmarshal: each call has its own saved error, also the one inside an UnmarshalJSON.
pub(crate) fn decode_type(text: &str, ty: TypeId) -> Result<ValueData, GoError> {
    let mut data = ValueData::Zero;
    let schema = GoSchema::get();
    let cursor = Cursor::new(text);
    let mut decoder = Decoder { cursor, schema, place: ErrorLocation::default(), noted: None };
    if schema.type_of(ty).own == CustomDecoding::Spec {
        // kubevirt.io/api core/v1 types.go decodes into VMISpecAlias, a type that has no UnmarshalJSON.
        decoder.plain(ty, &mut data)?;
    } else {
        decoder.value(ty, &mut data)?;
    }
    decoder.noted.map_or(Ok(data), Err)
}

impl Decoder<'_> {
    // encoding/json decode.go, decodeState.saveError.
    fn note_mismatch(&mut self, found: impl Into<String>, ty: TypeId) {
        if self.noted.is_none() {
            let wanted = &self.schema.type_of(ty).go;
            self.noted = Some(GoError::mismatch(found, wanted).at_location(&self.place));
        }
    }

    /// Decodes the next value over what is there.
    // encoding/json decode.go, decodeState.indirect.
    fn value(&mut self, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        if let GoShape::Pointer(inner) = self.schema.type_of(ty).shape {
            if self.cursor.first() == b'n' {
                self.cursor.scalar();
                *data = ValueData::Zero;
                return Ok(());
            }
            return match data.pointed_mut() {
                Some(pointed) => self.value(inner, pointed),
                None => Ok(()),
            };
        }
        if self.schema.type_of(ty).own == CustomDecoding::Standard {
            return self.plain(ty, data);
        }
        let text = self.cursor.value();
        custom_decoding::decode_custom(text, ty, data).map_err(|error| error.at_location(&self.place))
    }

    // encoding/json decode.go, decodeState.value.
    fn plain(&mut self, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        match self.cursor.first() {
            b'{' => return self.object(ty, data),
            b'[' => return self.array(ty, data),
            b'"' => self.text(ty, data),
            b'n' => self.null(ty, data),
            b't' | b'f' => self.boolean(ty, data),
            _ => self.number(ty, data),
        }
        Ok(())
    }

    /// `null` empties what Go can empty, and leaves anything else as it is (E018, E357).
    // encoding/json decode.go, decodeState.literalStore.
    fn null(&mut self, ty: TypeId, data: &mut ValueData) {
        self.cursor.scalar();
        if let GoShape::List(_) | GoShape::Map(_) = self.schema.type_of(ty).shape {
            *data = ValueData::Zero;
        }
    }

    fn text(&mut self, ty: TypeId, data: &mut ValueData) {
        let literal = self.cursor.scalar();
        match self.schema.type_of(ty).shape {
            GoShape::String => *data = ValueData::Text(decode_string(literal).into_owned()),
            _ => self.note_mismatch("string", ty),
        }
    }

    fn boolean(&mut self, ty: TypeId, data: &mut ValueData) {
        let literal = self.cursor.scalar();
        match self.schema.type_of(ty).shape {
            GoShape::Bool => *data = ValueData::Bool(literal == "true"),
            _ => self.note_mismatch("bool", ty),
        }
    }

    // encoding/json decode.go, decodeState.literalStore: the error has the number only if the type is a number, too.
    fn number(&mut self, ty: TypeId, data: &mut ValueData) {
        let literal = self.cursor.scalar();
        let decoded = match self.schema.type_of(ty).shape {
            GoShape::Int(bits) => parse_int(literal, bits).map(ValueData::Int),
            GoShape::Uint(bits) => parse_uint(literal, bits).map(ValueData::Uint),
            _ => return self.note_mismatch("number", ty),
        };
        match decoded {
            Some(decoded) => *data = decoded,
            None => self.note_mismatch(format!("number {literal}"), ty),
        }
    }

    // encoding/json decode.go, decodeState.array.
    fn array(&mut self, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        let GoShape::List(item) = self.schema.type_of(ty).shape else {
            self.note_mismatch("array", ty);
            self.cursor.value();
            return Ok(());
        };
        if !matches!(data, ValueData::List(_)) {
            *data = ValueData::List(ListData::default());
        }
        let ValueData::List(list) = data else { return Ok(()) };
        self.cursor.step();
        let mut length = 0;
        while !self.cursor.closes(b']') {
            if let Some(slot) = list.item_slot(length) {
                self.value(item, slot)?;
            }
            length += 1;
        }
        list.end_at(length);
        Ok(())
    }

    // encoding/json decode.go, decodeState.object.
    fn object(&mut self, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        match &self.schema.type_of(ty).shape {
            GoShape::Map(item) => self.map(*item, data),
            GoShape::Struct(_) => self.fields(ty, data),
            _ => {
                self.note_mismatch("object", ty);
                self.cursor.value();
                Ok(())
            }
        }
    }

    fn map(&mut self, item: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        if !matches!(data, ValueData::Map(_)) {
            *data = ValueData::Map(BTreeMap::default());
        }
        let ValueData::Map(entries) = data else { return Ok(()) };
        self.cursor.step();
        while !self.cursor.closes(b'}') {
            let key = self.cursor.key().into_owned();
            // decodeState.object clears its element before each key, so a second value of a key does not add to the first.
            let mut entry = ValueData::Zero;
            self.value(item, &mut entry)?;
            entries.insert(key, entry);
        }
        Ok(())
    }

    fn fields(&mut self, ty: TypeId, data: &mut ValueData) -> Result<(), GoError> {
        let (depth, owner) = (self.place.keys.len(), self.place.owner);
        self.cursor.step();
        while !self.cursor.closes(b'}') {
            let key = self.cursor.key();
            if self.field(ty, &key, data)?.is_none() {
                self.cursor.value();
            }
            // An error is located by the fields around it, so a field that is done must not be left behind.
            self.place.keys.truncate(depth);
            self.place.owner = owner;
        }
        Ok(())
    }

    /// Decodes the next value into the field of that key, if there is one.
    fn field(&mut self, ty: TypeId, key: &str, data: &mut ValueData) -> Result<Option<()>, GoError> {
        let schema = self.schema;
        let GoShape::Struct(inner) = &schema.type_of(ty).shape else { return Ok(None) };
        let Some((last, outer)) = inner.find_json_field(key).and_then(<[usize]>::split_last) else {
            return Ok(None);
        };
        let (mut holder, mut slot) = (ty, data);
        for at in outer {
            let Some((field, inner)) = enter_field(schema, holder, slot, *at) else { return Ok(None) };
            // Embedded structs have no key; the path in an error names them by their Go name.
            self.place.keys.push(&field.go);
            (holder, slot) = (field.ty, inner);
        }
        let Some((field, slot)) = enter_field(schema, holder, slot, *last) else { return Ok(None) };
        self.place.keys.push(if field.json.is_empty() { &field.go } else { &field.json });
        // reflect's Type.Name, which UnmarshalTypeError.Struct is, has no package.
        let owner = &schema.type_of(ty).go;
        self.place.owner = owner.rsplit('.').next().unwrap_or_default();
        self.value(field.ty, slot).map(Some)
    }
}

/// The field of a struct. A nil pointer is replaced by a new value.
// encoding/json decode.go, decodeState.object: nil pointers to embedded structs are set on the way to a field.
fn enter_field<'d>(
    schema: &'static GoSchema,
    ty: TypeId,
    data: &'d mut ValueData,
    at: usize,
) -> Option<(&'static GoField, &'d mut ValueData)> {
    let data = if let GoShape::Pointer(_) = schema.type_of(ty).shape { data.pointed_mut()? } else { data };
    let fields = schema.fields(schema.pointed_type(ty));
    Some((fields.get(at)?, data.field_mut(fields.len(), at)?))
}

/// An integer of so many bits. `2.0` and `1e3` are none (E352).
// encoding/json decode.go, decodeState.literalStore: strconv.ParseInt with 64 bits, then OverflowInt.
pub(crate) fn parse_int(literal: &str, bits: u32) -> Option<i64> {
    let number: i64 = literal.parse().ok()?;
    let spare = 64 - bits;
    (number << spare >> spare == number).then_some(number)
}

fn parse_uint(literal: &str, bits: u32) -> Option<u64> {
    let number: u64 = literal.parse().ok()?;
    let spare = 64 - bits;
    (number << spare >> spare == number).then_some(number)
}
