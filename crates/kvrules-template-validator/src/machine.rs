//! A VirtualMachine, decoded.

use crate::decode::decode_type;
use crate::error::DecodeError;
use crate::json;
use crate::schema::{GoSchema, GoShape, TypeId};
use crate::value::{GoValue, ValueData};

/// A VirtualMachine as the validator holds it.
///
/// ```
/// use kvrules_template_validator::Machine;
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
    data: ValueData,
    has_template: bool,
}

impl Machine {
    /// Decodes the JSON of a VirtualMachine.
    // ssp-operator webhooks/utils.go, GetAdmissionReviewVM.
    pub fn decode_json(text: &str) -> Result<Self, DecodeError> {
        json::check_json(text).map_err(DecodeError::new)?;
        let schema = GoSchema::get();
        let machine = schema.pointed_type(schema.root());
        let mut data = decode_type(text, machine).map_err(|error| DecodeError::new(error.to_string()))?;
        let template = ["Spec", "Template"];
        let has_template = find_member(machine, &mut data, &template).is_some_and(|(_, data)| is_set(data));
        set_defaults(machine, &mut data);
        Ok(Self { data: ValueData::Pointer(Box::new(data)), has_template })
    }

    /// Returns the value at which every query starts.
    pub(crate) fn root_value(&self) -> GoValue<'_> {
        GoValue::new(GoSchema::get().root(), &self.data)
    }

    /// True if the template is set; without one, any rule panics (E341).
    pub(crate) fn has_template(&self) -> bool {
        self.has_template
    }
}

/// A VirtualMachine whose domain has everything, blank (SEMANTICS 8).
// ssp-operator kubevirtjobs/virtualmachine.go, NewDefaultVirtualMachine: outside of the domain nothing is filled.
pub(crate) fn reference_value() -> GoValue<'static> {
    use std::sync::LazyLock;

    static REFERENCE: LazyLock<ValueData> = LazyLock::new(|| {
        let schema = GoSchema::get();
        let machine = schema.pointed_type(schema.root());
        let mut data = ValueData::Zero;
        if let Some((_, domain)) = make_member(machine, &mut data, &["Spec", "Template", "Spec", "Domain"]) {
            *domain = ValueData::Blank;
        }
        ValueData::Pointer(Box::new(data))
    });
    GoValue::new(GoSchema::get().root(), &REFERENCE)
}

fn is_set(data: &ValueData) -> bool {
    matches!(data, ValueData::Pointer(_))
}

/// A CPU has one socket, core and thread if these are unset or 0 (SEMANTICS 9).
// ssp-operator webhooks/admission.go, setDefaultValues. It runs only if there are rules; without them nobody looks.
fn set_defaults(machine: TypeId, data: &mut ValueData) {
    let cpu = find_member(machine, data, &["Spec", "Template", "Spec", "Domain", "CPU"]);
    let Some((ty, data)) = cpu.filter(|(_, data)| is_set(data)) else { return };
    for name in ["Sockets", "Cores", "Threads"] {
        if let Some((_, count)) = make_member(ty, data, &[name])
            && matches!(count, ValueData::Zero | ValueData::Uint(0))
        {
            *count = ValueData::Uint(1);
        }
    }
}

/// The member that a row of Go names leads to, if all before it is there.
fn find_member<'d>(
    ty: TypeId,
    data: &'d mut ValueData,
    names: &[&str],
) -> Option<(TypeId, &'d mut ValueData)> {
    let Some((name, rest)) = names.split_first() else { return Some((ty, data)) };
    let (field, at, _) = find_field(ty, name)?;
    let fields = match data {
        ValueData::Struct(fields) => fields,
        ValueData::Pointer(inner) => match inner.as_mut() {
            ValueData::Struct(fields) => fields,
            _ => return None,
        },
        _ => return None,
    };
    find_member(field, fields.get_mut(at)?, rest)
}

/// The same, made where it is missing.
fn make_member<'d>(
    ty: TypeId,
    data: &'d mut ValueData,
    names: &[&str],
) -> Option<(TypeId, &'d mut ValueData)> {
    let Some((name, rest)) = names.split_first() else { return Some((ty, data)) };
    let (inner, at, fields) = find_field(ty, name)?;
    let is_pointer = matches!(GoSchema::get().type_of(ty).shape, GoShape::Pointer(_));
    let data = if is_pointer { data.pointed_mut()? } else { data };
    make_member(inner, data.field_mut(fields, at)?, rest)
}

/// A field's type, its place, and how many fields there are.
fn find_field(ty: TypeId, go: &str) -> Option<(TypeId, usize, usize)> {
    let schema = GoSchema::get();
    let fields = schema.fields(schema.pointed_type(ty));
    let at = fields.iter().position(|field| field.go == go)?;
    Some((fields.get(at)?.ty, at, fields.len()))
}
