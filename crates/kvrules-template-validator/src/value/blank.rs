//! The reference VM, made as it is examined: 64 blank interfaces of 16 blank ports each need no memory.

use std::sync::LazyLock;

use super::{ValueData, ZERO};
use crate::schema::{GoField, GoSchema, GoShape, GoType};

static BLANK: ValueData = ValueData::Blank;

/// Number of blanks in a list unless its field is named below.
// ssp-operator kubevirtjobs/virtualmachine.go: MaxItems, MaxPortsPerIface and MaxNTPServers.
static ITEMS: ValueData = ValueData::Blanks(64);
static PORTS: ValueData = ValueData::Blanks(16);
static NTP_SERVERS: ValueData = ValueData::Blanks(8);

static SET: LazyLock<ValueData> = LazyLock::new(|| ValueData::Pointer(Box::new(ValueData::Zero)));
static SET_BLANK: LazyLock<ValueData> = LazyLock::new(|| ValueData::Pointer(Box::new(ValueData::Blank)));
static TRAY: LazyLock<ValueData> = LazyLock::new(|| ValueData::Text("closed".to_owned()));

/// The validator makes a random one for each evaluation (E190). Ours is the same every time, so that output is too.
// kubevirt.io/api core/v1 defaults.go, SetDefaults_Firmware.
static UUID: LazyLock<ValueData> =
    LazyLock::new(|| ValueData::Text("5d307ca9-b3ef-428c-8861-06e72d69f223".to_owned()));

/// A field of a blank struct.
// ssp-operator kubevirtjobs/refgen.go, makeStruct, with NumItems.ForField: by Go name, so any `Ports` has 16 items.
pub(super) fn blank_field(owner: &GoType, field: &GoField) -> &'static ValueData {
    if !field.is_exported() {
        return &ZERO;
    }
    let schema = GoSchema::get();
    match &schema.type_of(field.ty).shape {
        GoShape::Pointer(inner) if is_struct(schema.type_of(*inner)) => &SET_BLANK,
        // Only structs are filled: a pointer to anything else points to a zero value.
        GoShape::Pointer(_) => &SET,
        GoShape::Struct(_) => &BLANK,
        GoShape::List(_) => match field.go.as_str() {
            "Ports" => &PORTS,
            "NTPServers" => &NTP_SERVERS,
            _ => &ITEMS,
        },
        // KubeVirt's own defaults (SEMANTICS 8). The default of `cdrom.readonly` has no visible effect, because the
        // field is a pointer.
        GoShape::String if owner.go == "v1.CDRomTarget" && field.go == "Tray" => &TRAY,
        GoShape::String if owner.go == "v1.Firmware" && field.go == "UUID" => &UUID,
        _ => &ZERO,
    }
}

/// An item of a blank list. Only structs are filled.
// ssp-operator kubevirtjobs/refgen.go, makeStruct.
pub(super) fn blank_item(ty: &GoType) -> &'static ValueData {
    if is_struct(ty) { &BLANK } else { &ZERO }
}

fn is_struct(ty: &GoType) -> bool {
    matches!(ty.shape, GoShape::Struct(_))
}
