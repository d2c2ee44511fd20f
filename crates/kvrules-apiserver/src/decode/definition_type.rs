//! Types that the server decodes a CustomResourceDefinition into.

use super::go_type::{GoStruct, GoType, OBJECT_META, TEXT, TEXTS};

const TEXT_POINTER: GoType = GoType::TextPointer("string");

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
        ("deprecationWarning", TEXT_POINTER),
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
    fields: &[("specReplicasPath", TEXT), ("statusReplicasPath", TEXT), ("labelSelectorPath", TEXT_POINTER)],
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
    fields: &[("url", TEXT_POINTER), ("service", GoType::Pointer(&SERVICE)), ("caBundle", GoType::Bytes)],
};

const SERVICE: GoStruct = GoStruct {
    name: "ServiceReference",
    fields: &[("namespace", TEXT), ("name", TEXT), ("path", TEXT_POINTER), ("port", GoType::Int32Pointer)],
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
