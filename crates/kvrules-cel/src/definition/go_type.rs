//! What the server decodes a document into: its own types, as far as they decide which documents decode.

/// A type of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GoType {
    /// A text, and what its type is called.
    Text(&'static str),
    /// A text behind a pointer, so that an empty one differs from none.
    TextPointer,
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
    /// What the server calls the type in its errors.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Text(name) => name.to_owned(),
            Self::TextPointer => "string".to_owned(),
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

const TEXT: GoType = GoType::Text("string");
const TEXTS: GoType = GoType::List(&TEXT);

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

// apiextensions v1 types.go
pub(crate) const DEFINITION: GoStruct = GoStruct {
    name: "CustomResourceDefinition",
    fields: &[
        ("apiVersion", TEXT),
        ("kind", TEXT),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&SPEC)),
        ("status", GoType::Struct(&STATUS)),
    ],
};

pub(crate) const SPEC: GoStruct = GoStruct {
    name: "CustomResourceDefinitionSpec",
    fields: &[
        ("group", TEXT),
        ("names", GoType::Struct(&NAMES)),
        ("scope", GoType::Text("v1.ResourceScope")),
        ("versions", GoType::List(&GoType::Struct(&VERSION))),
        ("conversion", GoType::Pointer(&CONVERSION)),
        ("preserveUnknownFields", GoType::Bool),
    ],
};

const NAMES: GoStruct = GoStruct {
    name: "CustomResourceDefinitionNames",
    fields: &[
        ("plural", TEXT),
        ("singular", TEXT),
        ("shortNames", TEXTS),
        ("kind", TEXT),
        ("listKind", TEXT),
        ("categories", TEXTS),
    ],
};

const VERSION: GoStruct = GoStruct {
    name: "CustomResourceDefinitionVersion",
    fields: &[
        ("name", TEXT),
        ("served", GoType::Bool),
        ("storage", GoType::Bool),
        ("deprecated", GoType::Bool),
        ("deprecationWarning", GoType::TextPointer),
        ("schema", GoType::Pointer(&VALIDATION)),
        ("subresources", GoType::Pointer(&SUBRESOURCES)),
        ("additionalPrinterColumns", GoType::List(&GoType::Struct(&COLUMN))),
        ("selectableFields", GoType::List(&GoType::Struct(&SELECTABLE))),
    ],
};

pub(crate) const VALIDATION: GoStruct =
    GoStruct { name: "CustomResourceValidation", fields: &[("openAPIV3Schema", GoType::Schema)] };

pub(crate) const SUBRESOURCES: GoStruct = GoStruct {
    name: "CustomResourceSubresources",
    fields: &[("status", GoType::Pointer(&STATUS_SUBRESOURCE)), ("scale", GoType::Pointer(&SCALE))],
};

const STATUS_SUBRESOURCE: GoStruct = GoStruct { name: "CustomResourceSubresourceStatus", fields: &[] };

const SCALE: GoStruct = GoStruct {
    name: "CustomResourceSubresourceScale",
    fields: &[
        ("specReplicasPath", TEXT),
        ("statusReplicasPath", TEXT),
        ("labelSelectorPath", GoType::TextPointer),
    ],
};

pub(crate) const COLUMN: GoStruct = GoStruct {
    name: "CustomResourceColumnDefinition",
    fields: &[
        ("name", TEXT),
        ("type", TEXT),
        ("format", TEXT),
        ("description", TEXT),
        ("priority", GoType::Int32),
        ("jsonPath", TEXT),
    ],
};

pub(crate) const SELECTABLE: GoStruct = GoStruct { name: "SelectableField", fields: &[("jsonPath", TEXT)] };

const CONVERSION: GoStruct = GoStruct {
    name: "CustomResourceConversion",
    fields: &[
        ("strategy", GoType::Text("v1.ConversionStrategyType")),
        ("webhook", GoType::Pointer(&WEBHOOK)),
    ],
};

const WEBHOOK: GoStruct = GoStruct {
    name: "WebhookConversion",
    fields: &[("clientConfig", GoType::Pointer(&CLIENT_CONFIG)), ("conversionReviewVersions", TEXTS)],
};

const CLIENT_CONFIG: GoStruct = GoStruct {
    name: "WebhookClientConfig",
    fields: &[
        ("url", GoType::TextPointer),
        ("service", GoType::Pointer(&SERVICE)),
        ("caBundle", GoType::Bytes),
    ],
};

const SERVICE: GoStruct = GoStruct {
    name: "ServiceReference",
    fields: &[
        ("namespace", TEXT),
        ("name", TEXT),
        ("path", GoType::TextPointer),
        ("port", GoType::Int32Pointer),
    ],
};

const STATUS: GoStruct = GoStruct {
    name: "CustomResourceDefinitionStatus",
    fields: &[
        ("conditions", GoType::List(&GoType::Struct(&CONDITION))),
        ("acceptedNames", GoType::Struct(&NAMES)),
        ("storedVersions", TEXTS),
        ("observedGeneration", GoType::Int64),
    ],
};

const CONDITION: GoStruct = GoStruct {
    name: "CustomResourceDefinitionCondition",
    fields: &[
        ("type", GoType::Text("v1.CustomResourceDefinitionConditionType")),
        ("status", GoType::Text("v1.ConditionStatus")),
        ("lastTransitionTime", GoType::Time),
        ("reason", TEXT),
        ("message", TEXT),
        ("observedGeneration", GoType::Int64),
    ],
};
