//! Decodes JSON into Go's types, as `encoding/json` does.
//!
//! A value of the wrong type is noted and decoding goes on, so the first one is told. A type that decodes itself stops
//! it at once, so its error is told although an earlier one was noted.

mod custom_decoding;
mod sanitize;

use std::collections::BTreeMap;

use crate::error::{GoError, Place};
use crate::json::{Cursor, string};
use crate::schema::{Field, Own, Schema, Shape, TypeId};
use crate::value::{Data, List};

/// A text that is decoded, and what was wrong with it so far.
struct Decoder<'t> {
    cursor: Cursor<'t>,
    schema: &'static Schema,
    place: Place,
    noted: Option<GoError>,
}

/// Decodes a text that is known to be JSON.
pub(crate) fn decode(text: &str, ty: TypeId) -> Result<Data, GoError> {
    let mut data = Data::Zero;
    let schema = Schema::get();
    let cursor = Cursor::new(text);
    let mut decoder = Decoder { cursor, schema, place: Place::default(), noted: None };
    if schema.ty(ty).own == Own::Spec {
        decoder.plain(ty, &mut data)?;
    } else {
        decoder.value(ty, &mut data)?;
    }
    decoder.noted.map_or(Ok(data), Err)
}

impl Decoder<'_> {
    fn note(&mut self, found: impl Into<String>, ty: TypeId) {
        if self.noted.is_none() {
            let wanted = &self.schema.ty(ty).go;
            self.noted = Some(GoError::mismatch(found, wanted).within(&self.place));
        }
    }

    /// Decodes the next value over what is there.
    fn value(&mut self, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
        if let Shape::Pointer(inner) = self.schema.ty(ty).shape {
            if self.cursor.first() == b'n' {
                self.cursor.scalar();
                *data = Data::Zero;
                return Ok(());
            }
            return match data.pointed_mut() {
                Some(pointed) => self.value(inner, pointed),
                None => Ok(()),
            };
        }
        if self.schema.ty(ty).own == Own::Standard {
            return self.plain(ty, data);
        }
        let text = self.cursor.value();
        custom_decoding::decode(text, ty, data).map_err(|error| error.within(&self.place))
    }

    fn plain(&mut self, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
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
    fn null(&mut self, ty: TypeId, data: &mut Data) {
        self.cursor.scalar();
        if let Shape::List(_) | Shape::Map(_) = self.schema.ty(ty).shape {
            *data = Data::Zero;
        }
    }

    fn text(&mut self, ty: TypeId, data: &mut Data) {
        let literal = self.cursor.scalar();
        match self.schema.ty(ty).shape {
            Shape::String => *data = Data::Text(string(literal).into_owned()),
            _ => self.note("string", ty),
        }
    }

    fn boolean(&mut self, ty: TypeId, data: &mut Data) {
        let literal = self.cursor.scalar();
        match self.schema.ty(ty).shape {
            Shape::Bool => *data = Data::Bool(literal == "true"),
            _ => self.note("bool", ty),
        }
    }

    fn number(&mut self, ty: TypeId, data: &mut Data) {
        let literal = self.cursor.scalar();
        let decoded = match self.schema.ty(ty).shape {
            Shape::Int(bits) => int(literal, bits).map(Data::Int),
            Shape::Uint(bits) => uint(literal, bits).map(Data::Uint),
            _ => return self.note("number", ty),
        };
        match decoded {
            Some(decoded) => *data = decoded,
            None => self.note(format!("number {literal}"), ty),
        }
    }

    fn array(&mut self, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
        let Shape::List(item) = self.schema.ty(ty).shape else {
            self.note("array", ty);
            self.cursor.value();
            return Ok(());
        };
        if !matches!(data, Data::List(_)) {
            *data = Data::List(List::default());
        }
        let Data::List(list) = data else { return Ok(()) };
        self.cursor.step();
        let mut length = 0;
        while !self.cursor.closes(b']') {
            if let Some(slot) = list.slot(length) {
                self.value(item, slot)?;
            }
            length += 1;
        }
        list.end(length);
        Ok(())
    }

    fn object(&mut self, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
        match &self.schema.ty(ty).shape {
            Shape::Map(item) => self.map(*item, data),
            Shape::Struct(_) => self.fields(ty, data),
            _ => {
                self.note("object", ty);
                self.cursor.value();
                Ok(())
            }
        }
    }

    fn map(&mut self, item: TypeId, data: &mut Data) -> Result<(), GoError> {
        if !matches!(data, Data::Map(_)) {
            *data = Data::Map(BTreeMap::default());
        }
        let Data::Map(entries) = data else { return Ok(()) };
        self.cursor.step();
        while !self.cursor.closes(b'}') {
            let key = self.cursor.key().into_owned();
            let mut entry = Data::Zero;
            self.value(item, &mut entry)?;
            entries.insert(key, entry);
        }
        Ok(())
    }

    fn fields(&mut self, ty: TypeId, data: &mut Data) -> Result<(), GoError> {
        let (depth, owner) = (self.place.keys.len(), self.place.owner);
        self.cursor.step();
        while !self.cursor.closes(b'}') {
            let key = self.cursor.key();
            if self.field(ty, &key, data)?.is_none() {
                self.cursor.value();
            }
            self.place.keys.truncate(depth);
            self.place.owner = owner;
        }
        Ok(())
    }

    /// Decodes the next value into the field of that key, if there is one.
    fn field(&mut self, ty: TypeId, key: &str, data: &mut Data) -> Result<Option<()>, GoError> {
        let schema = self.schema;
        let Shape::Struct(inner) = &schema.ty(ty).shape else { return Ok(None) };
        let Some((last, outer)) = inner.key(key).and_then(<[usize]>::split_last) else { return Ok(None) };
        let (mut holder, mut slot) = (ty, data);
        for at in outer {
            let Some((field, inner)) = enter(schema, holder, slot, *at) else { return Ok(None) };
            self.place.keys.push(&field.go);
            (holder, slot) = (field.ty, inner);
        }
        let Some((field, slot)) = enter(schema, holder, slot, *last) else { return Ok(None) };
        self.place.keys.push(if field.json.is_empty() { &field.go } else { &field.json });
        let owner = &schema.ty(ty).go;
        self.place.owner = owner.rsplit('.').next().unwrap_or_default();
        self.value(field.ty, slot).map(Some)
    }
}

/// The field of a struct, which is made if a nil pointer stands in its place.
fn enter<'d>(
    schema: &'static Schema,
    ty: TypeId,
    data: &'d mut Data,
    at: usize,
) -> Option<(&'static Field, &'d mut Data)> {
    let data = if let Shape::Pointer(_) = schema.ty(ty).shape { data.pointed_mut()? } else { data };
    let fields = schema.fields(schema.pointed(ty));
    Some((fields.get(at)?, data.field_mut(fields.len(), at)?))
}

/// An integer of so many bits. `2.0` and `1e3` are none (E352).
pub(crate) fn int(literal: &str, bits: u32) -> Option<i64> {
    let number: i64 = literal.parse().ok()?;
    let spare = 64 - bits;
    (number << spare >> spare == number).then_some(number)
}

fn uint(literal: &str, bits: u32) -> Option<u64> {
    let number: u64 = literal.parse().ok()?;
    let spare = 64 - bits;
    (number << spare >> spare == number).then_some(number)
}
