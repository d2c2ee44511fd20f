//! The place of a rule in a validation, which holds if the rule has no value there, and loops over lists and maps.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::PlaceStep;
use serde_json::Value;

use super::facts::{DataKind, data_kind, is_nullable};
use super::layout::{any_of, loop_text};
use super::names::LoopNames;
use super::path::ValuePath;
use super::stored::{StoredLoop, StoredPlace};

/// The place of one value, and its stored counterpart.
#[derive(Clone, Debug)]
pub(super) struct RulePlace<'s> {
    pub(super) path: ValuePath,
    pub(super) schema: &'s Value,
    pub(super) stored: StoredPlace<'s>,
    /// True if fields that the schema requires count as present. A server with newer rules may have older objects.
    pub(super) trusts_required: bool,
}

impl<'s> RulePlace<'s> {
    /// The place of an object.
    pub(super) fn of_object(version: &ResourceVersion, schema: &'s Value, stored: StoredPlace<'s>) -> Self {
        let path = ValuePath::of_variable("object");
        Self { path, schema, stored, trusts_required: version.authored.is_some() }
    }
}

/// Writes the condition of a rule at a place.
pub(super) type WriteBody<'b, 's> = dyn FnMut(&RulePlace<'s>, &mut LoopNames) -> Result<String, String> + 'b;

/// Writes the validation of a rule: `body` for every value at the end of some steps.
pub(super) fn write_place<'s>(
    start: RulePlace<'s>,
    steps: &[PlaceStep],
    names: &mut LoopNames,
    body: &mut WriteBody<'_, 's>,
) -> Result<String, String> {
    let fields = steps.iter().take_while(|step| matches!(step, PlaceStep::Field(_))).count();
    let (own, rest) = steps.split_at(fields);
    let mut place = start;
    let mut last_field = "item";
    let mut is_certain = place.trusts_required;
    for step in own {
        let PlaceStep::Field(name) = step else { continue };
        let below = place.schema.get("properties").and_then(|properties| properties.get(name));
        let schema = below.ok_or_else(|| format!("the schema does not have the field `{name}`"))?;
        let path = place.path.field(name);
        let stored = place.stored.field(name, schema, &path);
        is_certain &= is_required(place.schema, name) && !is_nullable(schema);
        place = RulePlace { path, schema, stored, ..place };
        last_field = name;
    }
    let mut parts = Vec::new();
    // A loop around has seen to it that its element is there.
    let is_loop_variable = own.is_empty() && place.path.text() != "object";
    if !(own.is_empty() || is_certain) || (is_loop_variable && is_nullable(place.schema)) {
        parts.push(place.path.absent_text(is_nullable(place.schema)));
    }
    if let StoredPlace::Required(old) = &place.stored
        && (!own.is_empty() || !is_loop_variable || is_nullable(place.schema) || !old.is_variable())
    {
        parts.push(old.absent_text(is_nullable(place.schema)));
    }
    parts.push(match rest.split_first() {
        None => body(&place, names)?,
        Some((_, rest)) => write_loop(place, last_field, rest, names, body)?,
    });
    Ok(any_of(&parts))
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|it| it == name))
}

/// Writes a loop over a list, or over the keys of a map.
fn write_loop<'s>(
    place: RulePlace<'s>,
    field: &str,
    rest: &[PlaceStep],
    names: &mut LoopNames,
    body: &mut WriteBody<'_, 's>,
) -> Result<String, String> {
    let element = PlaceElement::of_range(place, field, names)?;
    let text = write_place(element.place, rest, names, body)?;
    let text = match element.stored_loop {
        Some(stored_loop) => stored_loop.around(&text),
        None => text,
    };
    Ok(loop_text(&element.range, &element.variable, &text))
}

/// An element of a list, or the value of a key of a map, in a loop.
pub(super) struct PlaceElement<'s> {
    /// The list or the map.
    pub(super) range: String,
    /// The variable of the loop.
    pub(super) variable: String,
    pub(super) place: RulePlace<'s>,
    stored_loop: Option<StoredLoop>,
}

impl<'s> PlaceElement<'s> {
    /// An element of the value at a place, whose field has this name.
    pub(super) fn of_range(place: RulePlace<'s>, field: &str, names: &mut LoopNames) -> Result<Self, String> {
        let range = place.path.text();
        match data_kind(place.schema) {
            DataKind::List(schema, _) => {
                let variable = names.element_of(field);
                let (stored, stored_loop) = place.stored.item(place.schema, &variable, names);
                let path = ValuePath::of_variable(&variable);
                let place = RulePlace { path, schema, stored, trusts_required: place.trusts_required };
                Ok(Self { range, variable, place, stored_loop })
            }
            DataKind::Map(schema) => {
                let variable = names.named("key");
                let path = place.path.key(&variable);
                let stored = place.stored.key(&variable, schema, &path);
                let place = RulePlace { path, schema, stored, trusts_required: place.trusts_required };
                Ok(Self { range, variable, place, stored_loop: None })
            }
            _ => Err("its place is neither in a list nor in a map".to_owned()),
        }
    }
}
