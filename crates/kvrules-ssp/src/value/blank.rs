//! The reference VM, made as it is examined: 64 blank interfaces of 16 blank ports each need no memory.

use std::sync::LazyLock;

use super::{Data, ZERO};
use crate::schema::{Field, Schema, Shape, Type};

static BLANK: Data = Data::Blank;

/// Number of blanks in a list unless its field is named below.
static ITEMS: Data = Data::Blanks(64);
static PORTS: Data = Data::Blanks(16);
static NTP_SERVERS: Data = Data::Blanks(8);

static SET: LazyLock<Data> = LazyLock::new(|| Data::Pointer(Box::new(Data::Zero)));
static SET_BLANK: LazyLock<Data> = LazyLock::new(|| Data::Pointer(Box::new(Data::Blank)));
static TRAY: LazyLock<Data> = LazyLock::new(|| Data::Text("closed".to_owned()));

/// The validator makes a random one for each evaluation (E190). Ours is the same every time, so that output is too.
static UUID: LazyLock<Data> = LazyLock::new(|| Data::Text("5d307ca9-b3ef-428c-8861-06e72d69f223".to_owned()));

/// A field of a blank struct.
pub(super) fn field(owner: &Type, field: &Field) -> &'static Data {
    if !field.is_exported() {
        return &ZERO;
    }
    let schema = Schema::get();
    match &schema.ty(field.ty).shape {
        Shape::Pointer(inner) if is_struct(schema.ty(*inner)) => &SET_BLANK,
        Shape::Pointer(_) => &SET,
        Shape::Struct(_) => &BLANK,
        Shape::List(_) => match field.go.as_str() {
            "Ports" => &PORTS,
            "NTPServers" => &NTP_SERVERS,
            _ => &ITEMS,
        },
        // KubeVirt's own defaults (SEMANTICS 8). That `cdrom.readonly` is true cannot be seen: it is a pointer.
        Shape::String if owner.go == "v1.CDRomTarget" && field.go == "Tray" => &TRAY,
        Shape::String if owner.go == "v1.Firmware" && field.go == "UUID" => &UUID,
        _ => &ZERO,
    }
}

/// An item of a blank list. Only structs are filled.
pub(super) fn item(ty: &Type) -> &'static Data {
    if is_struct(ty) { &BLANK } else { &ZERO }
}

fn is_struct(ty: &Type) -> bool {
    matches!(ty.shape, Shape::Struct(_))
}
