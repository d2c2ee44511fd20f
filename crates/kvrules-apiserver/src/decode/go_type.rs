//! Types that the server decodes a document into, as far as they decide which documents decode.

/// A type of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GoType {
    /// A text, and what its type is called.
    Text(&'static str),
    /// A text behind a pointer, so that an empty one differs from none, and what its type is called.
    TextPointer(&'static str),
    Bool,
    BoolPointer,
    Int32,
    Int32Pointer,
    Int64,
    Int64Pointer,
    /// Bytes, written in base64.
    Bytes,
    Time,
    /// Anything at all.
    Anything,
    Struct(&'static GoStruct),
    /// A struct behind a pointer.
    Pointer(&'static GoStruct),
    List(&'static GoType),
    /// A map of texts to values of a type.
    Map(&'static GoType),
    /// A schema, which has rules of its own.
    Schema,
}

/// A struct of the server.
#[derive(Debug)]
pub(crate) struct GoStruct {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [(&'static str, GoType)],
}

impl GoType {
    /// Name of the type in the server's errors.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Text(name) | Self::TextPointer(name) => name.to_owned(),
            Self::Bool | Self::BoolPointer => "bool".to_owned(),
            Self::Int32 | Self::Int32Pointer => "int32".to_owned(),
            Self::Int64 | Self::Int64Pointer => "int64".to_owned(),
            Self::Bytes => "[]uint8".to_owned(),
            Self::Time => "v1.Time".to_owned(),
            Self::Anything => "interface {}".to_owned(),
            Self::Struct(of) | Self::Pointer(of) => format!("v1.{}", of.name),
            Self::List(of) => format!("[]{}", of.name()),
            Self::Map(of) => format!("map[string]{}", of.name()),
            Self::Schema => "v1.JSONSchemaProps".to_owned(),
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::Int32 | Self::Int32Pointer | Self::Int64 | Self::Int64Pointer)
    }
}

pub(super) const TEXT: GoType = GoType::Text("string");
pub(super) const TEXTS: GoType = GoType::List(&TEXT);

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go
pub(crate) const OBJECT_META: GoStruct = GoStruct {
    name: "ObjectMeta",
    fields: &[
        ("name", TEXT),
        ("generateName", TEXT),
        ("namespace", TEXT),
        ("selfLink", TEXT),
        ("uid", GoType::Text("types.UID")),
        ("resourceVersion", TEXT),
        ("generation", GoType::Int64),
        ("creationTimestamp", GoType::Time),
        ("deletionTimestamp", GoType::Time),
        ("deletionGracePeriodSeconds", GoType::Int64Pointer),
        ("labels", GoType::Map(&TEXT)),
        ("annotations", GoType::Map(&TEXT)),
        ("ownerReferences", GoType::List(&GoType::Struct(&OWNER))),
        ("finalizers", TEXTS),
        ("managedFields", GoType::List(&GoType::Struct(&MANAGED_FIELDS))),
    ],
};

const OWNER: GoStruct = GoStruct {
    name: "OwnerReference",
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("name", TEXT),
        ("uid", GoType::Text("types.UID")),
        ("controller", GoType::BoolPointer),
        ("blockOwnerDeletion", GoType::BoolPointer),
    ],
};

const MANAGED_FIELDS: GoStruct = GoStruct {
    name: "ManagedFieldsEntry",
    fields: &[
        ("manager", TEXT),
        ("operation", GoType::Text("v1.ManagedFieldsOperationType")),
        ("apiVersion", TEXT),
        ("time", GoType::Time),
        ("fieldsType", TEXT),
        ("fieldsV1", GoType::Anything),
        ("subresource", TEXT),
    ],
};
