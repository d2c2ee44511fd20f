//! A VirtualMachine, decoded.

use crate::decode::decode;
use crate::error::DecodeError;
use crate::json;
use crate::schema::{Schema, Shape, TypeId};
use crate::value::{Data, Value};

/// A VirtualMachine as the validator holds it.
///
/// ```
/// use kvrules_ssp::Machine;
///
/// let error = Machine::decode_json(r#"{"spec": {"running": "yes"}}"#).unwrap_err();
/// assert_eq!(
///     error.go_text(),
///     "json: cannot unmarshal string into Go struct field VirtualMachineSpec.spec.running of type bool"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    /// A pointer to the whole.
    data: Data,
    has_template: bool,
}

impl Machine {
    /// Decodes the JSON of a VirtualMachine.
    pub fn decode_json(text: &str) -> Result<Self, DecodeError> {
        json::check(text).map_err(DecodeError::new)?;
        let schema = Schema::get();
        let machine = schema.pointed(schema.root());
        let mut data = decode(text, machine).map_err(|error| DecodeError::new(error.to_string()))?;
        let template = ["Spec", "Template"];
        let has_template = member(machine, &mut data, &template).is_some_and(|(_, data)| is_set(data));
        set_defaults(machine, &mut data);
        Ok(Self { data: Data::Pointer(Box::new(data)), has_template })
    }

    /// Returns the value at which every query starts.
    pub(crate) fn root(&self) -> Value<'_> {
        Value::new(Schema::get().root(), &self.data)
    }

    /// True if the template is set; without one, any rule panics (E341).
    pub(crate) fn has_template(&self) -> bool {
        self.has_template
    }
}

/// A VirtualMachine whose domain has everything, blank (SEMANTICS 8).
pub(crate) fn reference() -> Value<'static> {
    use std::sync::LazyLock;

    static REFERENCE: LazyLock<Data> = LazyLock::new(|| {
        let schema = Schema::get();
        let machine = schema.pointed(schema.root());
        let mut data = Data::Zero;
        if let Some((_, domain)) = make(machine, &mut data, &["Spec", "Template", "Spec", "Domain"]) {
            *domain = Data::Blank;
        }
        Data::Pointer(Box::new(data))
    });
    Value::new(Schema::get().root(), &REFERENCE)
}

fn is_set(data: &Data) -> bool {
    matches!(data, Data::Pointer(_))
}

/// A CPU has one socket, core and thread where it says nothing or 0 (SEMANTICS 9).
fn set_defaults(machine: TypeId, data: &mut Data) {
    let cpu = member(machine, data, &["Spec", "Template", "Spec", "Domain", "CPU"]);
    let Some((ty, data)) = cpu.filter(|(_, data)| is_set(data)) else { return };
    for name in ["Sockets", "Cores", "Threads"] {
        if let Some((_, count)) = make(ty, data, &[name])
            && matches!(count, Data::Zero | Data::Uint(0))
        {
            *count = Data::Uint(1);
        }
    }
}

/// The member that a row of Go names leads to, if all before it is there.
fn member<'d>(ty: TypeId, data: &'d mut Data, names: &[&str]) -> Option<(TypeId, &'d mut Data)> {
    let Some((name, rest)) = names.split_first() else { return Some((ty, data)) };
    let (field, at, _) = field(ty, name)?;
    let fields = match data {
        Data::Struct(fields) => fields,
        Data::Pointer(inner) => match inner.as_mut() {
            Data::Struct(fields) => fields,
            _ => return None,
        },
        _ => return None,
    };
    member(field, fields.get_mut(at)?, rest)
}

/// The same, made where it is not there.
fn make<'d>(ty: TypeId, data: &'d mut Data, names: &[&str]) -> Option<(TypeId, &'d mut Data)> {
    let Some((name, rest)) = names.split_first() else { return Some((ty, data)) };
    let (inner, at, fields) = field(ty, name)?;
    let is_pointer = matches!(Schema::get().ty(ty).shape, Shape::Pointer(_));
    let data = if is_pointer { data.pointed_mut()? } else { data };
    make(inner, data.field_mut(fields, at)?, rest)
}

/// A field's type, its place, and how many fields there are.
fn field(ty: TypeId, go: &str) -> Option<(TypeId, usize, usize)> {
    let schema = Schema::get();
    let fields = schema.fields(schema.pointed(ty));
    let at = fields.iter().position(|field| field.go == go)?;
    Some((fields.get(at)?.ty, at, fields.len()))
}
