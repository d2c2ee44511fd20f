//! Admits an object of a CustomResourceDefinition as the server does: it decodes the metadata, drops unknown fields and nulls
//! that are not allowed, fills in defaults, and validates the rest against the metadata's rules, the schema, the subresource
//! for scaling, the list types and the rules of the definition.
//!
//! Order and words are the server's. Rules do not run after some errors (`blocks_rules`).

mod descriptions;
pub(crate) mod embedded;
mod error_path;
mod lists;
mod metadata;
mod prepare;
mod scale;
mod validate;
mod value;
mod words;

use std::sync::Arc;

use kvrules_cel::Expressions;
use kvrules_cel::types::is_embedded;
use kvrules_kubernetes::keywords::LIST_TYPE;
use serde_json::{Map, Value as Json};

use crate::crd::{CompiledSchema, CorrelatedValue, Failure};
use crate::dropped_fields::drop_rule_fields;
use crate::field_error::ErrorType;
use crate::node::{bool_keyword, text_keyword, value_of};
use crate::object_meta::TypeErrorHandling;
use crate::server::{ObjectFeatures, ServerFeatures};

pub use crate::crd::NOWHERE;
pub use descriptions::{text_without_descriptions, without_descriptions};
pub use error_path::error_path;
pub use metadata::ObjectScope;
pub use prepare::has_null;
pub use scale::ScalePaths;
use validate::CompiledPatterns;
pub use validate::Format;
pub use value::{ValueSchema, is_enforced_format};

/// A schema that objects are checked against: the value of `openAPIV3Schema` of a definition that the server accepts.
#[derive(Debug)]
pub struct ObjectSchema {
    schema: Arc<Json>,
    used: UsedKeywords,
    patterns: CompiledPatterns,
    rules: CompiledSchema,
    has_status: bool,
    is_nameless: bool,
    scope: ObjectScope,
    scale: Option<ScalePaths>,
    server: ServerFeatures,
}

/// Result of admitting an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admission {
    /// Errors for which it is rejected, by field, kind and message; empty if it is stored.
    pub errors: Vec<Failure>,
    /// The server's warnings: unknown fields, and failures of rules that an update excuses.
    pub warnings: Vec<String>,
    /// The paths of the fields that the schema does not know, which are dropped.
    pub unknown: Vec<String>,
    /// Those of the errors that come from rules.
    pub by_rules: Vec<Failure>,
    /// The object as it would be stored.
    pub stored: Json,
    /// Cost of the rules; `None` if they did not run.
    pub cost: Option<u64>,
}

impl Admission {
    /// True if the object is stored.
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }
}

impl ObjectSchema {
    /// Makes a schema ready for any number of objects.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let schema = ObjectSchema::new(&json!({"type": "object", "properties": {"spec": {
    ///     "type": "object",
    ///     "properties": {"n": {"type": "integer", "minimum": 10}, "s": {"type": "string", "default": "x"}},
    /// }}}));
    /// let object = json!({"metadata": {"name": "a"}, "spec": {"n": 9, "zz": 1}});
    /// let answer = schema.admit_object(&object, None);
    /// assert_eq!(answer.errors[0].detail, "spec.n in body should be greater than or equal to 10");
    /// assert_eq!(answer.warnings, ["unknown field \"spec.zz\""]);
    /// assert_eq!(answer.stored["spec"], json!({"n": 9, "s": "x"}));
    /// ```
    pub fn new(schema: &Json) -> Self {
        Self::sharing_expressions(schema, &Expressions::default())
    }

    /// As [`Self::new`], with expressions that were parsed before.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let rules = json!([{"rule": "self.n > 1", "message": "too few"}]);
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "x-kubernetes-validations": rules});
    /// let expressions = kvrules_cel::Expressions::default();
    /// let schema = ObjectSchema::sharing_expressions(&schema, &expressions).without_metadata_checks();
    /// assert_eq!(schema.admit_object(&json!({"n": 1}), None).errors[0].detail, "too few");
    /// ```
    pub fn sharing_expressions(schema: &Json, expressions: &Expressions) -> Self {
        Self::sharing_schema_and_expressions(Arc::new(without_descriptions(schema)), expressions)
    }

    /// As [`Self::new`], with a schema that is not copied. It should have no descriptions, which take memory.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let schema = std::sync::Arc::new(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    /// let server = ObjectSchema::sharing_schema(schema);
    /// assert!(!server.without_metadata_checks().admit_object(&json!({"n": "a"}), None).is_accepted());
    /// ```
    pub fn sharing_schema(schema: Arc<Json>) -> Self {
        Self::sharing_schema_and_expressions(schema, &Expressions::default())
    }

    /// As [`Self::sharing_schema`], with expressions that were parsed before.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let schema = std::sync::Arc::new(json!({"type": "object"}));
    /// let server = ObjectSchema::sharing_schema_and_expressions(schema, &kvrules_cel::Expressions::default());
    /// assert!(server.without_metadata_checks().admit_object(&json!({}), None).is_accepted());
    /// ```
    pub fn sharing_schema_and_expressions(schema: Arc<Json>, expressions: &Expressions) -> Self {
        let patterns = CompiledPatterns::from_schema(&schema);
        let used = UsedKeywords::of_schema(&schema);
        let rules = CompiledSchema::of_shared(Arc::clone(&schema), expressions);
        let scope = ObjectScope::default();
        let server = ServerFeatures::default();
        let (has_status, is_nameless, scale) = (false, false, None);
        Self { schema, used, patterns, rules, has_status, is_nameless, scope, scale, server }
    }

    /// Prepares a version of a definition: its schema, its subresources, and the scope of its objects. None if the version has no
    /// schema.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let version = json!({
    ///     "schema": {"openAPIV3Schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    ///     "subresources": {"scale": {"specReplicasPath": ".n", "statusReplicasPath": ".m"}},
    /// });
    /// let schema = ObjectSchema::of_version(&json!({"spec": {"scope": "Cluster"}}), &version).unwrap();
    /// let answer = schema.admit_object(&json!({"metadata": {"name": "a"}, "n": -1}), None);
    /// assert_eq!(answer.errors[0].to_message(), ".n: Invalid value: -1: should be a non-negative integer");
    /// ```
    pub fn of_version(definition: &Json, version: &Json) -> Option<Self> {
        let schema = version.pointer("/schema/openAPIV3Schema").filter(|schema| schema.is_object())?;
        let has_status = version.pointer("/subresources/status").is_some_and(Json::is_object);
        let scope = match definition.pointer("/spec/scope").and_then(Json::as_str) {
            Some("Namespaced") => ObjectScope::Namespaced,
            _ => ObjectScope::Cluster,
        };
        let scale = version.pointer("/subresources/scale").and_then(ScalePaths::from_json);
        Some(Self { scope, scale, ..Self::new(schema).with_status(has_status) })
    }

    /// On the server of a version.
    ///
    /// ```
    /// use kvrules_apiserver::{object::ObjectSchema, server::ServerFeatures};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer",
    ///     "x-kubernetes-validations": [{"rule": "self > 1"}]}}});
    /// let schema = ObjectSchema::new(&schema).without_metadata_checks();
    /// let older = schema.on_server(ServerFeatures::of_version("1.34".parse().unwrap()));
    /// let answer = older.admit_object(&json!({"n": 0}), None);
    /// assert_eq!(answer.errors[0].to_message(), "n: Invalid value: \"integer\": failed rule: self > 1");
    /// ```
    #[must_use]
    pub fn on_server(self, server: ServerFeatures) -> Self {
        if server == self.server {
            return self;
        }
        let schema = Arc::new(drop_rule_fields(&self.schema, &server).into_owned());
        let rules = CompiledSchema::of_shared(Arc::clone(&schema), &Expressions::default()).on_server(server);
        Self { schema, rules, server, ..self }
    }

    /// Returns the schema, without descriptions.
    pub fn declared_schema(&self) -> &Json {
        &self.schema
    }

    /// With the status as a subresource if `has_status` is set. The status in an object is then not validated.
    #[must_use]
    pub fn with_status(self, has_status: bool) -> Self {
        Self { has_status, ..self }
    }

    /// True if the status is a subresource.
    pub fn has_status(&self) -> bool {
        self.has_status
    }

    /// Without looking at the metadata that every object must have: for what is not a whole object.
    #[must_use]
    pub fn without_metadata_checks(self) -> Self {
        Self { is_nameless: true, ..self }
    }

    /// Admits an object that is created, or that replaces a stored one.
    // apiextensions customresource/strategy.go and validator.go, Validate and ValidateUpdate
    pub fn admit_object(&self, object: &Json, stored: Option<&Json>) -> Admission {
        match self.decode_object(object.clone(), TypeErrorHandling::Refuse) {
            Ok(decoded) => self.admit_decoded(decoded, stored),
            Err(failure) => decode_failure(object, failure),
        }
    }

    /// As [`Self::admit_object`] for a value that is created and no whole object, without a copy of it. A value that cannot be
    /// decoded is rejected, and null is stored.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let number = json!({"type": "integer", "default": 3});
    /// let schema = ObjectSchema::new(&json!({"type": "object", "properties": {"n": number}})).without_metadata_checks();
    /// assert_eq!(schema.admit_value(json!({})).stored, json!({"n": 3}));
    /// ```
    pub fn admit_value(&self, value: Json) -> Admission {
        match self.decode_object(value, TypeErrorHandling::Refuse) {
            Ok(decoded) => self.admit_decoded(decoded, None),
            Err(failure) => decode_failure(&Json::Null, failure),
        }
    }

    /// Returns a value that is created, and no whole object, as rules read it. `None` if it cannot be decoded, or has errors other than
    /// violated bounds and patterns and repeated items, which do not keep rules from running.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let number = json!({"type": "integer", "maximum": 3, "default": 5});
    /// let schema = ObjectSchema::new(&json!({"type": "object", "properties": {"n": number}})).without_metadata_checks();
    /// assert_eq!(schema.value_for_rules(json!({})), Some(json!({"n": 5})));
    /// assert_eq!(schema.value_for_rules(json!({"n": "a"})), None);
    /// ```
    pub fn value_for_rules(&self, value: Json) -> Option<Json> {
        let object = self.decode_object(value, TypeErrorHandling::Refuse).ok()?.object;
        let features = self.server.objects;
        let mut errors = validate::check_object(&self.schema, &self.patterns, &object, None, features);
        if self.used.has_resources {
            errors.extend(embedded::embedded_violations(&object, &self.schema, features));
        }
        let is_harmless = |error: &Failure| {
            [ErrorType::Invalid, ErrorType::Duplicate].iter().any(|kind| kind.cause_name() == error.reason)
        };
        errors.iter().all(is_harmless).then_some(object)
    }

    /// As [`Self::admit_object`], for an object that was read.
    pub fn admit_decoded(&self, decoded: DecodedObject, stored: Option<&Json>) -> Admission {
        let DecodedObject { mut object, unknown } = decoded;
        let old = stored.map(|stored| self.decode_stored(stored));
        if self.has_status {
            keep_status(&mut object, old.as_ref());
        }
        let mut errors = Vec::new();
        if !self.is_nameless {
            metadata::complete_metadata(&mut object, old.as_ref(), self.scope);
            errors.extend(metadata::metadata_violations(&object, old.as_ref(), self.scope));
        }
        errors.extend(validate::check_object(
            &self.schema,
            &self.patterns,
            &object,
            old.as_ref(),
            self.server.objects,
        ));
        if let Some(scale) = &self.scale {
            errors.extend(scale.spec_violations(&object));
            errors.extend(scale.status_violations(&object));
        }
        if self.used.has_resources {
            errors.extend(embedded::embedded_violations(&object, &self.schema, self.server.objects));
        }
        self.admit_effective((object, old.as_ref()), errors, unknown, self.server)
    }

    /// Returns an object that is created as the server reads it, with defaults and without what it drops, before it is
    /// validated. `None` if it cannot be decoded.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let number = json!({"type": "integer", "default": 3, "maximum": 2});
    /// let schema = ObjectSchema::new(&json!({"type": "object", "properties": {"n": number}})).without_metadata_checks();
    /// assert_eq!(schema.decode_new_object(&json!({"m": 1})), Some(json!({"n": 3})));
    /// ```
    pub fn decode_new_object(&self, object: &Json) -> Option<Json> {
        self.decode_new_value(object.clone()).map(|decoded| decoded.object)
    }

    /// As [`Self::decode_new_object`], without a copy of the object, which can be admitted afterwards.
    pub fn decode_new_value(&self, object: Json) -> Option<DecodedObject> {
        self.decode_object(object, TypeErrorHandling::Refuse).ok()
    }

    /// Admits a write to the status subresource: it takes the status of `object`, and keeps everything else of the
    /// stored object. Only the status is validated against its schema, and the resources in it are not checked, according to
    /// the source of the server; all rules run.
    ///
    /// ```
    /// use kvrules_apiserver::object::ObjectSchema;
    /// use serde_json::json;
    ///
    /// let number = json!({"type": "integer", "maximum": 5});
    /// let schema = json!({"type": "object", "properties": {"n": number, "status": number}});
    /// let schema = ObjectSchema::new(&schema).with_status(true).without_metadata_checks();
    /// let answer = schema.admit_status(&json!({"n": 3, "status": 6}), &json!({"n": 2}));
    /// assert_eq!((answer.stored["n"].clone(), answer.errors[0].field.as_str()), (json!(2), "status"));
    /// ```
    // apiextensions customresource/status_strategy.go, ValidateUpdate
    pub fn admit_status(&self, object: &Json, stored: &Json) -> Admission {
        let DecodedObject { object: written, unknown } =
            match self.decode_object(object.clone(), TypeErrorHandling::Refuse) {
                Ok(decoded) => decoded,
                Err(failure) => return decode_failure(object, failure),
            };
        let server = self.server.for_status_writes();
        let old = self.decode_stored(stored);
        let mut object = old.clone();
        keep_status(&mut object, Some(&written));
        let status = properties(&self.schema).and_then(|properties| properties.get(STATUS));
        let mut errors = match (status, object.get(STATUS)) {
            (Some(schema), Some(value)) => {
                let old = CorrelatedValue::root(&object, &old, &self.schema).field(STATUS);
                validate::check_below(schema, &self.patterns, value, STATUS, old, server.objects)
            }
            _ => Vec::new(),
        };
        errors.extend(self.scale.iter().flat_map(|scale| scale.status_violations(&object)));
        self.admit_effective((object, Some(&old)), errors, unknown, server)
    }

    /// Runs the checks of every write, after those of the schema.
    // apiextensions customresource/strategy.go, Validate: list types, then rules
    fn admit_effective(
        &self,
        (effective, old): (Json, Option<&Json>),
        mut errors: Vec<Failure>,
        unknown: Vec<String>,
        server: ServerFeatures,
    ) -> Admission {
        // An update may keep the duplicates that the stored object has, and then any others.
        let has_duplicates = |object: &Json| !lists::duplicate_elements(object, &self.schema).is_empty();
        if self.used.has_list_types && !old.is_some_and(has_duplicates) {
            errors.extend(lists::duplicate_elements(&effective, &self.schema));
        }
        let mut warnings: Vec<String> =
            unknown.iter().map(|field| format!("unknown field {field:?}")).collect();
        let (mut by_rules, mut cost) = (Vec::new(), None);
        if errors.iter().any(|error| blocks_rules(error, self.server.objects)) {
            if self.rules.has_rules() {
                errors.push(not_checked());
            }
        } else {
            let report = match old.and_then(|old| self.with_generations(&effective, old)) {
                Some([effective, old]) => self.rules.validate_on(&effective, Some(&old), &server),
                None => self.rules.validate_on(&effective, old, &server),
            };
            errors.extend(report.errors.iter().cloned());
            by_rules = report.errors;
            warnings.extend(report.excused.iter().map(Failure::to_message));
            cost = Some(report.cost);
        }
        if errors.is_empty() && !self.is_nameless {
            warnings.extend(metadata::finalizer_warnings(&effective, old));
        }
        for failure in errors.iter_mut().chain(&mut by_rules) {
            words::restate_failure(failure, self.server.objects);
        }
        // The server's own order of the others depends on the order of maps.
        errors.sort_by_cached_key(|error| (error.detail == RULES_NOT_CHECKED, error.clone()));
        warnings.sort();
        warnings.dedup();
        Admission { errors, warnings, unknown, by_rules, stored: effective, cost }
    }

    /// Returns an object and the stored one with their generations, which rules of the root compare, if a write raises it: if anything
    /// but the metadata and a status of its own changes.
    // apiextensions customresource/strategy.go, PrepareForUpdate
    fn with_generations(&self, object: &Json, old: &Json) -> Option<[Json; 2]> {
        let is_same = |name: &String| {
            name == "metadata" || self.has_status && name == STATUS || object.get(name) == old.get(name)
        };
        let mut names = [object, old].into_iter().filter_map(Json::as_object).flat_map(Map::keys);
        if self.is_nameless || !self.rules.has_root_rules() || names.all(is_same) {
            return None;
        }
        let stored = old.pointer("/metadata/generation").and_then(Json::as_i64).unwrap_or(1);
        let with = |object: &Json, generation: i64| {
            let mut object = object.clone();
            if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
                metadata.insert("generation".to_owned(), generation.into());
            }
            object
        };
        Some([with(object, stored.saturating_add(1)), with(old, stored)])
    }

    /// An object as the server reads it.
    // apiextensions customresource_handler.go, unstructuredSchemaCoercer.apply; then unstructuredDefaulter.Default
    fn decode_object(&self, mut object: Json, lenience: TypeErrorHandling) -> Result<DecodedObject, Failure> {
        prepare::read_numbers(&mut object);
        let mut unknown = Vec::new();
        if !self.is_nameless {
            unknown.extend(metadata::decode_metadata(&mut object, lenience)?);
        }
        unknown.extend(prepare::unknown_fields(&mut object, &self.schema));
        if has_null(&object) {
            prepare::drop_nulls(&mut object, &self.schema);
        }
        if self.used.has_resources {
            embedded::decode_embedded(&mut object, &self.schema, lenience, &mut unknown)?;
        }
        if self.used.has_defaults {
            prepare::fill_defaults(&mut object, &self.schema, self.server.objects);
        }
        Ok(DecodedObject { object, unknown })
    }

    /// An object as the server reads it from storage, where nothing is an error.
    fn decode_stored(&self, object: &Json) -> Json {
        match self.decode_object(object.clone(), TypeErrorHandling::Drop) {
            Ok(DecodedObject { mut object, .. }) => {
                if !self.is_nameless {
                    metadata::complete_metadata(&mut object, None, self.scope);
                }
                object
            }
            Err(_) => object.clone(),
        }
    }
}

/// The keywords in a schema that need a walk of their own over each object.
#[derive(Clone, Copy, Debug, Default)]
struct UsedKeywords {
    /// True if values are resources.
    has_resources: bool,
    /// True if lists have a type.
    has_list_types: bool,
    /// True if values have a default.
    has_defaults: bool,
}

impl UsedKeywords {
    fn of_schema(schema: &Json) -> Self {
        let mut used = Self::default();
        used.collect(schema);
        used
    }

    fn collect(&mut self, schema: &Json) {
        self.has_resources |= is_embedded(schema);
        self.has_defaults |= prepare::schema_default(schema).is_some();
        self.has_list_types |= matches!(text_keyword(schema, LIST_TYPE), "set" | "map");
        for (_, below) in crate::node::spine_nodes(schema) {
            self.collect(below);
        }
    }
}

/// An object after reading, and the paths of the fields that were dropped.
#[derive(Debug)]
pub struct DecodedObject {
    object: Json,
    unknown: Vec<String>,
}

impl DecodedObject {
    /// Returns the object as the server reads it, with defaults and without what it drops.
    pub fn object(&self) -> &Json {
        &self.object
    }

    /// Returns the object itself.
    pub fn into_object(self) -> Json {
        self.object
    }
}

/// Returns the answer for an object that cannot be decoded: nothing else is checked.
fn decode_failure(object: &Json, failure: Failure) -> Admission {
    Admission { errors: vec![failure], stored: object.clone(), ..Admission::default() }
}

/// Returns the errors that the keywords of a schema, without its rules, find in a value.
pub(crate) fn keyword_violations(schema: &Json, value: &Json) -> Vec<Failure> {
    let features = ServerFeatures::default().objects;
    validate::check_object(schema, &CompiledPatterns::from_schema(schema), value, None, features)
}

/// The field that a write may leave aside.
const STATUS: &str = "status";

/// Gives an object the status of another.
fn keep_status(object: &mut Json, other: Option<&Json>) {
    let Some(fields) = object.as_object_mut() else { return };
    match other.and_then(|other| other.get(STATUS)) {
        Some(status) => fields.insert(STATUS.to_owned(), status.clone()),
        None => fields.shift_remove(STATUS),
    };
}

/// True if the server runs no rules after an error.
// customresource/strategy.go, hasBlockingErr: rules expect a value of the declared shape and size. A violated bound or
// pattern does not block them.
fn blocks_rules(error: &Failure, features: ObjectFeatures) -> bool {
    if features.enum_stops_rules && error.reason == ErrorType::NotSupported.cause_name() {
        return true;
    }
    [ErrorType::Required, ErrorType::TooLong, ErrorType::TooMany, ErrorType::TypeInvalid]
        .iter()
        .any(|kind| kind.cause_name() == error.reason)
}

fn not_checked() -> Failure {
    Failure { value: "null".to_owned(), ..Failure::new(NOWHERE, ErrorType::Invalid, RULES_NOT_CHECKED) }
}

const RULES_NOT_CHECKED: &str = "some validation rules were not checked because the object was invalid; correct the \
                                 existing errors to complete validation";

/// The fields that every resource has.
const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The properties of a node.
fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    value_of(schema, "properties").and_then(Json::as_object)
}

/// The schema of a field: its property's, else that of all further fields.
// The server's walks over structural schemas look at Properties first, then at AdditionalProperties.
fn field_schema<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    // Properties are found as keywords are: comparing few names is faster than hashing one.
    let property = value_of(schema, "properties").and_then(|properties| value_of(properties, name));
    property.or_else(|| value_of(schema, "additionalProperties").filter(|values| values.is_object()))
}

/// A field below a field, as the server's paths have it: keys of maps in brackets.
fn child_path(path: &str, name: &str, schema: &Json) -> String {
    let mut path = path.to_owned();
    push_child(&mut path, name, schema);
    path
}

/// Adds a field to a path, as [`child_path`] has it.
fn push_child(path: &mut String, name: &str, schema: &Json) {
    let is_property = properties(schema).is_some_and(|properties| properties.contains_key(name));
    let (before, after) = match (is_property || META_FIELDS.contains(&name), path.is_empty()) {
        (true, true) => ("", ""),
        (true, false) => (".", ""),
        (false, _) => ("[", "]"),
    };
    path.extend([before, name, after]);
}

#[cfg(test)]
mod tests;
