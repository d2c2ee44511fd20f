//! Schemas of CustomResourceDefinitions as JSON Schemas of the objects that people write.
//!
//! A server does not compare an object with the schema as it is written: it first drops unknown fields and nulls, and fills in
//! defaults. The JSON Schema says the same of the object before all that: a required field with a default may be absent, an
//! optional field that is not nullable may be null. A rule in CEL is expressed where its formula has a counterpart in keywords.

mod atoms;
mod branches;
mod claims;
mod lifted_rules;
mod lowering;
mod null_form;
mod objects;
mod openapi30;
mod quantity_atoms;
mod root;
mod rules;
mod scalars;
mod violated_defaults;

pub use claims::ClaimMemo;
pub use lifted_rules::RuleSchema;

use std::cell::Cell;
use std::collections::HashMap;

use kvrules_apiserver::definition::{ExpressionErrors, ResourceVersion, keyword_value, map_keyword};
use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{LIST_MAP_KEYS, LIST_TYPE};
use kvrules_lift::LiftedExpression;
use serde_json::{Map, Value};

use crate::schema::Dialect;
use crate::{Emitter, Fidelity, Request, RuleFidelity, TargetOption};

/// Treatment of fields that a schema does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    /// They are accepted, as servers do, which drop them.
    Accept,
    /// They are rejected, as servers do when strict validation is asked for.
    Reject,
}

/// Treatment of nulls in fields that are optional and not nullable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalNulls {
    /// They are accepted, as servers do, which drop them or replace them by defaults.
    Accept,
    /// They are rejected.
    Reject,
}

/// Choices about the schema of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceSchemaOptions {
    /// The dialect that it is written in.
    pub dialect: Dialect,
    /// Treatment of unknown fields.
    pub unknown_fields: UnknownFields,
    /// Treatment of nulls.
    pub nulls: OptionalNulls,
}

pub(crate) const UNKNOWN_FIELDS: TargetOption = TargetOption {
    name: "unknown-fields",
    values: &["accept", "reject"],
    default: "accept",
    summary: "accept or reject fields that the schema of a resource does not name; servers drop them",
};

pub(crate) const NULLS: TargetOption = TargetOption {
    name: "optional-nulls",
    values: &["accept", "reject"],
    default: "accept",
    summary: "accept or reject nulls in optional fields of a resource; servers drop them",
};

impl ResourceSchemaOptions {
    /// The options of a target in a request.
    pub(crate) fn chosen(request: &Request<'_>, emitter: &Emitter, dialect: Dialect) -> Self {
        let rejects = |option: &TargetOption| request.option_value(emitter, option.name) == "reject";
        Self {
            dialect,
            unknown_fields: if rejects(&UNKNOWN_FIELDS) {
                UnknownFields::Reject
            } else {
                UnknownFields::Accept
            },
            nulls: if rejects(&NULLS) { OptionalNulls::Reject } else { OptionalNulls::Accept },
        }
    }
}

/// The JSON Schema of a version of a definition.
#[derive(Clone, Debug)]
pub struct ResourceSchema {
    /// The schema, without `$schema` and `$id`.
    pub schema: Value,
    /// The fidelity to the keywords and the rules of the definition. The keywords that are expressed exactly are one entry, by the
    /// name [`KEYWORDS`].
    pub fidelity: Vec<RuleFidelity>,
}

/// The name of the entry for all keywords that have no entry of their own.
pub const KEYWORDS: &str = "schema";

/// Causes of differences that an option chooses, or that follow from an error of servers.
pub(crate) const CHOSEN: [&str; 4] = [
    "the schema rejects fields that it does not name",
    "the schema rejects nulls in optional fields",
    FORMAT,
    FRACTION,
];

const FORMAT: &str = "validators need not check `format`, and servers accept a list in place of the text";
const FRACTION: &str = "servers round it when they compare it with an integer";

/// Converts the schema of a version.
///
/// ```
/// use kvrules_apiserver::definition::{ExpressionErrors, ResourceVersion};
/// use kvrules_emit::resource_schema::{OptionalNulls, ResourceSchemaOptions, UnknownFields, convert_resource};
/// use kvrules_emit::schema::Dialect;
/// use serde_json::json;
///
/// let schema = json!({"openAPIV3Schema": {"type": "object", "required": ["mode", "size"], "properties": {
///     "mode": {"type": "string", "default": "auto"}, "size": {"type": "integer", "maximum": 8},
/// }}});
/// let version = &ResourceVersion::of_definition(&json!({"spec": {"group": "example.com", "names": {"kind": "Pond"},
///     "versions": [{"name": "v1", "schema": schema}]}}))[0];
/// let made = convert_resource(version, ResourceSchemaOptions {
///     dialect: Dialect::JsonSchema202012,
///     unknown_fields: UnknownFields::Accept,
///     nulls: OptionalNulls::Accept,
/// });
/// assert_eq!(made.schema["required"], json!(["apiVersion", "kind", "metadata", "size"]));
/// assert_eq!(made.schema["properties"]["mode"]["type"], json!(["string", "null"]));
/// ```
pub fn convert_resource(version: &ResourceVersion, options: ResourceSchemaOptions) -> ResourceSchema {
    convert_version(version, options, true).0
}

/// Converts the schema of a version; returns true as well if the fidelity depends on the dialect. Without `makes_schema` only the
/// fidelity is found, and the schema is anything.
fn convert_version(
    version: &ResourceVersion,
    options: ResourceSchemaOptions,
    makes_schema: bool,
) -> (ResourceSchema, bool) {
    let origin = version.authored.as_ref().and_then(|authored| authored.policy.as_ref());
    let mut converter = Converter {
        options,
        makes_schema,
        depends_on_dialect: Cell::new(false),
        path: Vec::new(),
        losses: Vec::new(),
        known_losses: HashMap::new(),
        is_inverted: false,
        rules: HashMap::new(),
        policy_only: version.policy_only_cause(),
        errors: origin.map_or(ExpressionErrors::Reject, |policy| policy.errors),
        policy_formulas: origin.map(|policy| rules::lift_validations(version, policy)),
    };
    let schema = converter.convert_root(version);
    let schema = match options.dialect {
        Dialect::OpenApi30 if makes_schema => openapi30::to_openapi30(&schema),
        Dialect::OpenApi30 | Dialect::JsonSchema202012 | Dialect::OpenApi31 => schema,
    };
    let set = set_name(version);
    let to_fidelity = |(rule, exactness, cause): (String, Exactness, String)| RuleFidelity {
        set: set.clone(),
        rule,
        fidelity: Fidelity::with_cause(exactness, cause),
    };
    let keywords = (KEYWORDS.to_owned(), options.exactness(), options.cause());
    let rules = rules::rule_entries(&version.schema, &converter.rules);
    let inexpressible = origin.into_iter().flat_map(|policy| &policy.inexpressible);
    let inexpressible =
        inexpressible.map(|(name, cause)| (name.clone(), Exactness::Unsupported, cause.clone()));
    let entries = std::iter::once(keywords).chain(converter.losses).chain(rules).chain(inexpressible);
    let fidelity = entries.map(to_fidelity).collect();
    (ResourceSchema { schema: Value::Object(schema), fidelity }, converter.depends_on_dialect.get())
}

/// The name of a version in reports, such as `ponds.example.com/v1`.
pub fn set_name(version: &ResourceVersion) -> String {
    match &version.authored {
        Some(_) => version.file_stem(),
        None => format!("{}/{}", version.definition, version.version),
    }
}

impl ResourceSchemaOptions {
    fn exactness(self) -> Exactness {
        let accepts = (self.unknown_fields, self.nulls) == (UnknownFields::Accept, OptionalNulls::Accept);
        if accepts { Exactness::Exact } else { Exactness::Narrower }
    }

    fn cause(self) -> String {
        let [unknown, nulls, ..] = CHOSEN;
        match (self.unknown_fields, self.nulls) {
            (UnknownFields::Accept, OptionalNulls::Accept) => String::new(),
            (UnknownFields::Reject, OptionalNulls::Accept) => unknown.to_owned(),
            (UnknownFields::Accept, OptionalNulls::Reject) => nulls.to_owned(),
            (UnknownFields::Reject, OptionalNulls::Reject) => {
                format!("{unknown}, and nulls in optional fields")
            }
        }
    }
}

/// Treatment of a null in a place by servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NullTreatment {
    /// It is compared with the schema.
    Kept,
    /// The field is dropped, and that is an error.
    DroppedRequired,
    /// The field is dropped, or gets its default.
    Replaced,
}

struct Converter {
    options: ResourceSchemaOptions,
    /// False if only the fidelity is wanted. What nodes become then lacks keywords, and nothing may depend on it.
    makes_schema: bool,
    /// True if a rule is expressed in some dialects only.
    depends_on_dialect: Cell<bool>,
    /// The fields and items around the present one, as a server writes them.
    path: Vec<String>,
    losses: Vec<(String, Exactness, String)>,
    /// The positions of the losses by their names.
    known_losses: HashMap<String, usize>,
    /// True in `not` and `oneOf`, where a branch that accepts more makes the whole accept less.
    is_inverted: bool,
    /// The rules that are not expressed exactly and the reasons, by their names.
    rules: HashMap<String, (Exactness, String)>,
    /// The reason why no rule is expressed.
    policy_only: Option<&'static str>,
    /// Treatment of objects for which a rule ends in an error.
    errors: ExpressionErrors,
    /// The formulas of the rules, or the reasons for which they have none, if they are validations of a policy.
    policy_formulas: Option<Vec<Result<LiftedExpression, String>>>,
}

impl Converter {
    /// Converts the schema of a value.
    fn convert_node(&mut self, schema: &Value, null: NullTreatment) -> Map<String, Value> {
        let mut made = Map::new();
        let Some(node) = schema.as_object() else { return made };
        if !self.makes_schema && !may_have_claims(node) {
            return made;
        }
        if self.makes_schema {
            scalars::copy_descriptions(node, &mut made);
            scalars::add_type(node, &mut made);
        }
        self.add_scalar_keywords(node, &mut made);
        self.add_object_keywords(node, &mut made);
        self.add_list_keywords(node, &mut made);
        self.add_branches(node, Some(node), &mut made);
        self.add_rules(schema, &mut made);
        if self.makes_schema { self.with_null(made, node, null) } else { made }
    }

    fn add_list_keywords(&mut self, node: &Map<String, Value>, made: &mut Map<String, Value>) {
        for keyword in ["minItems", "maxItems"] {
            if let Some(bound) = map_keyword(node, keyword) {
                made.insert(keyword.to_owned(), bound.clone());
            }
        }
        match map_keyword(node, LIST_TYPE).and_then(Value::as_str) {
            Some("set") => {
                made.insert("uniqueItems".to_owned(), true.into());
            }
            // The keys of a single item are unique.
            Some("map")
                if map_keyword(node, "maxItems").and_then(Value::as_u64).is_some_and(|most| most < 2) => {}
            Some("map") => self.note_loss(
                LIST_MAP_KEYS,
                Exactness::Wider,
                "a schema cannot compare the keys of items with each other",
            ),
            _ => {}
        }
        if let Some(items) = map_keyword(node, "items").filter(|items| items.is_object()) {
            let of_null = if has_default(items) { NullTreatment::Replaced } else { NullTreatment::Kept };
            let null = self.null_treatment(items, of_null);
            let items = self.within("[*]", |converter| converter.convert_node(items, null));
            if self.makes_schema {
                made.insert("items".to_owned(), items.into());
            }
        }
    }

    /// Notes that a keyword of the present node is not expressed exactly.
    fn note_loss(&mut self, keyword: &str, exactness: Exactness, cause: &str) {
        let separator = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{separator}{keyword}", self.path.concat());
        // Several branches may have the same keyword.
        let known = self.known_losses.get(&path).and_then(|index| self.losses.get_mut(*index));
        let Some((_, joined, _)) = known else {
            self.known_losses.insert(path.clone(), self.losses.len());
            self.losses.push((path, exactness, cause.to_owned()));
            return;
        };
        *joined = joined.join_with(exactness);
    }

    /// Converts something below a field or an item.
    fn within<T>(&mut self, step: &str, convert: impl FnOnce(&mut Self) -> T) -> T {
        let is_first = self.path.is_empty() || step.starts_with('[');
        self.path.push(if is_first { step.to_owned() } else { format!(".{step}") });
        let made = convert(self);
        self.path.pop();
        made
    }
}

/// False if a node has only keywords that are expressed exactly, and nothing below it.
fn may_have_claims(node: &Map<String, Value>) -> bool {
    let is_exact = |keyword: &String| {
        matches!(
            keyword.as_str(),
            "default" | "description" | "enum" | "maxLength" | "minLength" | "nullable" | "title" | "type"
        )
    };
    !node.keys().all(is_exact)
}

fn has_default(schema: &Value) -> bool {
    keyword_value(schema, "default").is_some_and(|default| !default.is_null())
}

fn is_true(node: &Map<String, Value>, keyword: &str) -> bool {
    map_keyword(node, keyword) == Some(&Value::Bool(true))
}

/// The schema of a field: its property's, else that of all further fields.
fn field_node<'n>(node: &'n Map<String, Value>, name: &str) -> Option<&'n Value> {
    let property = map_keyword(node, "properties").and_then(|properties| properties.get(name));
    property.or_else(|| map_keyword(node, "additionalProperties")).filter(|field| field.is_object())
}
