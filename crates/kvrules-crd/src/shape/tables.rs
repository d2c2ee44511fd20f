//! The fields of the documents, from the API's types of Kubernetes 1.36.

use kvrules_kubernetes::keywords::{
    EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE_UNKNOWN_FIELDS,
    VALIDATIONS,
};

use super::ExpectedShape::{self, Anything, Flag, List, Map, Number, Object, Sample, Schema, Text, Whole};

use crate::resource::ResourceKind;

type Fields = &'static [(&'static str, ExpectedShape)];

/// The fields of a kind of document.
pub(crate) fn of_kind(kind: ResourceKind) -> Fields {
    match kind {
        ResourceKind::Definition => DEFINITION,
        ResourceKind::Policy => POLICY,
        ResourceKind::Binding => BINDING,
    }
}

const TEXTS: ExpectedShape = List(&Text);

/// A CustomResourceDefinition.
const DEFINITION: Fields = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Object(METADATA)),
    ("spec", Object(SPEC)),
    ("status", Object(STATUS)),
];

const SPEC: Fields = &[
    ("group", Text),
    ("names", Object(NAMES)),
    ("scope", Text),
    ("versions", List(&Object(VERSION))),
    ("conversion", Object(CONVERSION)),
    ("preserveUnknownFields", Flag),
];

const NAMES: Fields = &[
    ("plural", Text),
    ("singular", Text),
    ("shortNames", TEXTS),
    ("kind", Text),
    ("listKind", Text),
    ("categories", TEXTS),
];

const VERSION: Fields = &[
    ("name", Text),
    ("served", Flag),
    ("storage", Flag),
    ("deprecated", Flag),
    ("deprecationWarning", Text),
    ("schema", Object(&[("openAPIV3Schema", Schema(false, false))])),
    ("subresources", Object(&[("status", Object(&[])), ("scale", Object(SCALE))])),
    ("additionalPrinterColumns", List(&Object(COLUMN))),
    ("selectableFields", List(&Object(&[("jsonPath", Text)]))),
];

const SCALE: Fields =
    &[("specReplicasPath", Text), ("statusReplicasPath", Text), ("labelSelectorPath", Text)];

const COLUMN: Fields = &[
    ("name", Text),
    ("type", Text),
    ("format", Text),
    ("description", Text),
    ("priority", Whole),
    ("jsonPath", Text),
];

const CONVERSION: Fields = &[
    ("strategy", Text),
    ("webhook", Object(&[("clientConfig", Object(CLIENT)), ("conversionReviewVersions", TEXTS)])),
];

const CLIENT: Fields = &[
    ("url", Text),
    ("service", Object(&[("namespace", Text), ("name", Text), ("path", Text), ("port", Whole)])),
    ("caBundle", Text),
];

const STATUS: Fields = &[
    ("conditions", List(&Anything)),
    ("acceptedNames", Object(NAMES)),
    ("storedVersions", TEXTS),
    ("observedGeneration", Whole),
];

/// The metadata of every object.
pub(crate) const METADATA: Fields = &[
    ("name", Text),
    ("generateName", Text),
    ("namespace", Text),
    ("selfLink", Text),
    ("uid", Text),
    ("resourceVersion", Text),
    ("generation", Whole),
    ("creationTimestamp", Sample),
    ("deletionTimestamp", Sample),
    ("deletionGracePeriodSeconds", Whole),
    ("labels", Map(&Text)),
    ("annotations", Map(&Text)),
    ("ownerReferences", List(&Object(OWNER))),
    ("finalizers", TEXTS),
    ("managedFields", List(&Anything)),
];

const OWNER: Fields = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    ("uid", Text),
    ("controller", Flag),
    ("blockOwnerDeletion", Flag),
];

/// The keywords of a schema.
pub(super) const SCHEMA: Fields = &[
    ("id", Text),
    ("$schema", Text),
    ("$ref", Text),
    ("description", Text),
    ("type", Text),
    ("format", Text),
    ("title", Text),
    ("default", Sample),
    ("maximum", Number),
    ("exclusiveMaximum", Flag),
    ("minimum", Number),
    ("exclusiveMinimum", Flag),
    ("maxLength", Whole),
    ("minLength", Whole),
    ("pattern", Text),
    ("maxItems", Whole),
    ("minItems", Whole),
    ("uniqueItems", Flag),
    ("multipleOf", Number),
    ("enum", List(&Sample)),
    ("maxProperties", Whole),
    ("minProperties", Whole),
    ("required", TEXTS),
    ("items", Schema(false, true)),
    ("allOf", List(&Schema(false, false))),
    ("oneOf", List(&Schema(false, false))),
    ("anyOf", List(&Schema(false, false))),
    ("not", Schema(false, false)),
    ("properties", Map(&Schema(false, false))),
    ("additionalProperties", Schema(true, false)),
    ("patternProperties", Map(&Schema(false, false))),
    ("dependencies", Map(&Anything)),
    ("additionalItems", Schema(true, false)),
    ("definitions", Map(&Schema(false, false))),
    ("externalDocs", Object(&[("description", Text), ("url", Text)])),
    ("example", Sample),
    ("nullable", Flag),
    (PRESERVE_UNKNOWN_FIELDS, Flag),
    (EMBEDDED_RESOURCE, Flag),
    (INT_OR_STRING, Flag),
    (LIST_MAP_KEYS, TEXTS),
    (LIST_TYPE, Text),
    (MAP_TYPE, Text),
    (VALIDATIONS, List(&Object(RULE))),
];

const RULE: Fields = &[
    ("rule", Text),
    ("message", Text),
    ("messageExpression", Text),
    ("reason", Text),
    ("fieldPath", Text),
    ("optionalOldSelf", Flag),
];

/// A ValidatingAdmissionPolicy.
const POLICY: Fields = &[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", Object(METADATA)),
    ("spec", Object(POLICY_SPEC)),
    ("status", Anything),
];

const POLICY_SPEC: Fields = &[
    ("paramKind", Object(&[("apiVersion", Text), ("kind", Text)])),
    ("matchConstraints", Object(MATCH)),
    ("validations", List(&Object(VALIDATION))),
    ("failurePolicy", Text),
    ("auditAnnotations", List(&Object(AUDIT_ANNOTATION))),
    ("matchConditions", List(&Object(NAMED))),
    ("variables", List(&Object(NAMED))),
];

pub(crate) const AUDIT_ANNOTATION: Fields = &[("key", Text), ("valueExpression", Text)];

pub(crate) const VALIDATION: Fields =
    &[("expression", Text), ("message", Text), ("reason", Text), ("messageExpression", Text)];

pub(crate) const NAMED: Fields = &[("name", Text), ("expression", Text)];

pub(crate) const MATCH: Fields = &[
    ("namespaceSelector", Object(SELECTOR)),
    ("objectSelector", Object(SELECTOR)),
    ("resourceRules", List(&Object(RESOURCE_RULE))),
    ("excludeResourceRules", List(&Object(RESOURCE_RULE))),
    ("matchPolicy", Text),
];

const RESOURCE_RULE: Fields = &[
    ("resourceNames", TEXTS),
    ("operations", TEXTS),
    ("apiGroups", TEXTS),
    ("apiVersions", TEXTS),
    ("resources", TEXTS),
    ("scope", Text),
];

const SELECTOR: Fields = &[
    ("matchLabels", Map(&Text)),
    ("matchExpressions", List(&Object(&[("key", Text), ("operator", Text), ("values", TEXTS)]))),
];

/// A ValidatingAdmissionPolicyBinding.
const BINDING: Fields =
    &[("apiVersion", Text), ("kind", Text), ("metadata", Object(METADATA)), ("spec", Object(BINDING_SPEC))];

const BINDING_SPEC: Fields = &[
    ("policyName", Text),
    ("paramRef", Object(PARAM_REF)),
    ("matchResources", Object(MATCH)),
    ("validationActions", TEXTS),
];

const PARAM_REF: Fields =
    &[("name", Text), ("namespace", Text), ("selector", Object(SELECTOR)), ("parameterNotFoundAction", Text)];
