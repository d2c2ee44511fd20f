//! The objects of one version, evaluated by the server and by an emitted schema.

use jsonschema::Validator;
use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::definition::{AuthoredObjects, DOCUMENT_FIELD, ResourceVersion};
use kvrules_apiserver::object::{ObjectSchema, has_null};
use kvrules_diagnostics::Exactness;
use kvrules_emit::RuleFidelity;
use kvrules_emit::resource_schema::KEYWORDS;
use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING, LIST_MAP_KEYS, VALIDATIONS};
use kvrules_kubernetes::quantity::Quantity;
use serde_json::{Value, json};

use kvrules_generate::{
    ObjectGenerator, RefusedPlace, all_places, place_of_pointer, place_text, schema_at_place, value_at,
    value_variants, with_value_at,
};
use kvrules_lift::{RuleValues, definition_rules, lift_expression};

/// Result of comparing the schema of a version with the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceComparison {
    /// Number of objects that both sides evaluated.
    pub objects: usize,
    /// Number of them that the server accepts.
    pub accepted: usize,
    /// Number of them that the schema evaluates in another way, as its fidelity says.
    pub declared: usize,
    /// The objects that it evaluates in another way, although its fidelity does not say so.
    pub departures: Vec<ResourceDeparture>,
    /// The places for which no object that the server accepts was generated, if all places were to be tried.
    pub untried: Vec<String>,
}

/// An object on which a schema departs from the server although it claims not to.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDeparture {
    /// The object.
    pub object: Value,
    /// True if the schema accepts it and the server rejects it; false if it is the other way round.
    pub is_wider: bool,
    /// The place that one side rejects.
    pub place: String,
    /// The reason.
    pub reason: String,
}

/// Objects that show a difference: one that the schema accepts and the server rejects, and one the other way round.
#[derive(Clone, Default)]
struct ShownDifference {
    wider: Option<Value>,
    narrower: Option<Value>,
}

/// A version and a schema that is compared with the server.
pub(super) struct ResourceTrial<'f> {
    version: ResourceVersion,
    /// A name that the definition allows.
    name: Value,
    /// The schema without the rules in CEL that are not expressed.
    schema: Value,
    server: ObjectSchema,
    validator: Validator,
    fidelity: &'f [RuleFidelity],
    shown: Vec<ShownDifference>,
    objects: usize,
}

/// The pointer to a document in the object that it is evaluated in.
const DOCUMENT_POINTER: &str = "/document";

/// Number of objects that are tried to show one difference.
const TRIES: usize = 12;

/// Number of objects that are tried to reach one place.
const TRIES_TO_REACH: usize = 40;

/// Number of places of a version that are tried one by one.
const MOST_PLACES: usize = 6_000;

impl<'f> ResourceTrial<'f> {
    pub(super) fn new(version: &ResourceVersion, validator: Validator, fidelity: &'f [RuleFidelity]) -> Self {
        let schema = with_expressed_rules(&version.schema, "", fidelity);
        // Metadata that every object must have is not a matter of the definition.
        let server = ObjectSchema::new(&schema).without_metadata_checks();
        let name = name_of_objects(&schema);
        let shown = vec![ShownDifference::default(); fidelity.len()];
        Self { version: version.clone(), name, schema, server, validator, fidelity, shown, objects: 0 }
    }

    /// Returns the number of objects that both sides evaluated.
    pub(super) fn objects(&self) -> usize {
        self.objects
    }

    /// Returns the objects that show the difference of an entry of the fidelity: a wider and a narrower schema.
    pub(super) fn shown(&self, entry: usize) -> (Option<&Value>, Option<&Value>) {
        let shown = self.shown.get(entry);
        (shown.and_then(|shown| shown.wider.as_ref()), shown.and_then(|shown| shown.narrower.as_ref()))
    }

    /// Compares both sides on so many objects.
    pub(super) fn compare(&mut self, count: usize) -> ResourceComparison {
        let mut compared = ResourceComparison::default();
        let schema = self.schema.clone();
        let mut generator = ObjectGenerator::new(&schema);
        for index in 0..count {
            self.evaluate_object(generator.generate_object(index), &mut compared);
        }
        compared
    }

    /// Compares both sides on so many values of each rule, which it treats differently.
    pub(super) fn compare_rules(&mut self, compared: &mut ResourceComparison, count: usize) {
        let schema = self.schema.clone();
        let mut generator = ObjectGenerator::new(&schema);
        // Schemas reject quantities in unusual spellings.
        let respells = self.fidelity.iter().any(|entry| {
            entry.fidelity.exactness() == Exactness::Narrower && entry.rule.contains(VALIDATIONS)
        });
        for rule in definition_rules(&schema) {
            let Ok((expression, checked)) = rule.check_types() else { continue };
            let Ok(formulas) = lift_expression(&expression, &checked, &[]) else { continue };
            let mut values = RuleValues::new(&rule, &formulas);
            for index in 0..count {
                let value = values.make_value(index);
                let Some(object) = generator.generate_holding(&rule.place, index, &value) else { continue };
                let others = if respells {
                    vec![with_signs(&object, &schema), without_digits(&object, &schema)]
                } else {
                    Vec::new()
                };
                for respelt in others.into_iter().filter(|respelt| *respelt != object) {
                    self.evaluate_object(respelt, compared);
                }
                self.evaluate_object(object, compared);
            }
        }
    }

    /// Compares both sides on values of every place: of all types, and next to all limits.
    pub(super) fn compare_places(&mut self, compared: &mut ResourceComparison) {
        let schema = self.schema.clone();
        let mut generator = ObjectGenerator::new(&schema);
        let places = all_places(&schema);
        for (index, steps) in places.iter().enumerate() {
            if index >= MOST_PLACES {
                compared.untried.extend(places.iter().skip(index).map(|steps| place_text(steps)));
                return;
            }
            let base = (0..TRIES_TO_REACH).find_map(|attempt| {
                let mut object = generator.generate_with(steps, attempt)?;
                add_head(&mut object, &self.version, &self.name);
                self.server.admit_object(&object, None).is_accepted().then_some(object)
            });
            let found = base.as_ref().and_then(|base| Some((base, value_at(base, steps)?)));
            let Some((base, value)) = found else {
                compared.untried.push(place_text(steps));
                continue;
            };
            let node = schema_at_place(&schema, steps);
            for variant in node.map(|node| value_variants(value, node)).unwrap_or_default() {
                let object = with_value_at(base, steps, variant.as_ref());
                if let Some(object) = object {
                    self.evaluate_object(object, compared);
                }
            }
        }
    }

    /// Looks for objects that show the differences that none has shown yet.
    pub(super) fn show_differences(&mut self, compared: &mut ResourceComparison) {
        let schema = self.schema.clone();
        let mut generator = ObjectGenerator::new(&schema);
        for index in 0..self.fidelity.len() {
            let Some(entry) = self.fidelity.get(index).filter(|entry| is_shown_at_place(entry)) else {
                continue;
            };
            for attempt in 0..TRIES {
                let is_shown = self.shown(index) != (None, None);
                let object =
                    if is_shown { None } else { generator.generate_difference(&entry.rule, attempt) };
                let Some(object) = object else { break };
                self.evaluate_object(object, compared);
            }
        }
    }

    fn evaluate_object(&mut self, mut object: Value, compared: &mut ResourceComparison) {
        if self.version.is_of_documents() && object.get(DOCUMENT_FIELD).is_none() {
            // There is no document in it.
            return;
        }
        add_head(&mut object, &self.version, &self.name);
        let admission = self.server.admit_object(&object, None);
        let evaluated = self.version.evaluated_object(&object);
        let error = self.validator.iter_errors(evaluated).next();
        self.objects += 1;
        compared.objects += 1;
        compared.accepted += usize::from(admission.is_accepted());
        let errors = admission.errors.iter().filter(|failure| !is_consequence(failure));
        let refused: Vec<RefusedPlace> =
            errors.map(|failure| RefusedPlace::of_failure(failure, &self.schema)).collect();
        if error.is_none() && !refused.is_empty() && admission.errors.iter().all(is_number_form) {
            compared.declared += 1;
            return;
        }
        let (is_wider, reason) = match (admission.errors.first(), &error) {
            (Some(failure), None) => (true, format!("the server: {}", failure.to_message())),
            (None, Some(error)) => (false, format!("the schema: {error}")),
            _ => return,
        };
        let places = match error {
            // An alternative is reported at the value around it.
            Some(error) => {
                let around = if self.version.is_of_documents() { DOCUMENT_POINTER } else { "" };
                let pointer = format!("{around}{}", error.instance_path().as_str());
                let place = place_of_pointer(&pointer, &self.schema);
                vec![RefusedPlace { place, is_around: true, has_too_many: false }]
            }
            None => refused,
        };
        // Options reject objects with unknown fields or nulls, and no others.
        let is_optional = !admission.unknown.is_empty() || has_null(&object);
        let covering = |place: &RefusedPlace| {
            let entries = self.fidelity.iter();
            let is_covered = |entry: &RuleFidelity| {
                declares(entry, place, is_wider) && (entry.rule != KEYWORDS || is_optional)
            };
            entries.into_iter().position(is_covered)
        };
        if let Some(RefusedPlace { place, .. }) = places.iter().find(|place| covering(place).is_none()) {
            let place = place.clone();
            let object = self.version.evaluated_object(&object).clone();
            compared.departures.push(ResourceDeparture { object, is_wider, place, reason });
            return;
        }
        compared.declared += 1;
        let entries: Vec<usize> = places.iter().filter_map(covering).collect();
        for entry in entries {
            let Some(shown) = self.shown.get_mut(entry) else { continue };
            let side = if is_wider { &mut shown.wider } else { &mut shown.narrower };
            side.get_or_insert_with(|| self.version.evaluated_object(&object).clone());
        }
    }
}

/// True for the error that other errors have as a consequence: that rules did not run.
fn is_consequence(failure: &Failure) -> bool {
    failure.detail.starts_with("some validation rules were not checked")
}

/// True if a rule cannot read a number such as 1.0 in a field of integers, or of integers and strings. To a schema it equals 1.
// apiserver pkg/cel/common/values.go, UnstructuredToVal
fn is_number_form(failure: &Failure) -> bool {
    let texts = ["invalid data, expected int, got float64", "invalid data, expected XIntOrString value"];
    texts.iter().any(|text| failure.detail.starts_with(text))
}

/// True if an entry is about a difference in one place.
fn is_shown_at_place(entry: &RuleFidelity) -> bool {
    !matches!(entry.fidelity.exactness(), Exactness::Exact | Exactness::Unsupported) && entry.rule != KEYWORDS
}

/// True if an entry says that the schema departs in this direction at a place.
fn declares(entry: &RuleFidelity, refused: &RefusedPlace, is_wider: bool) -> bool {
    let is_direction = match entry.fidelity.exactness() {
        Exactness::Exact => false,
        Exactness::Wider | Exactness::Unsupported => is_wider,
        Exactness::Narrower => !is_wider,
        Exactness::Incomparable => true,
    };
    if !is_direction || entry.rule == KEYWORDS {
        return is_direction;
    }
    let (path, keyword) = entry.rule.rsplit_once('.').unwrap_or(("", &entry.rule));
    let below = refused.place.strip_prefix(path);
    let is_here = match keyword {
        EMBEDDED_RESOURCE => below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        LIST_MAP_KEYS => below.is_some_and(|rest| rest.is_empty() || rest == "[*]"),
        "minProperties" | "maxProperties" if below == Some("") => {
            refused.has_too_many == (keyword == "maxProperties")
        }
        // Of the rules in CEL only those are on both sides that are expressed exactly, or that the schema makes narrower.
        _ if keyword.starts_with(VALIDATIONS) => {
            entry.fidelity.exactness() == Exactness::Narrower
                && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        }
        _ => below == Some(""),
    };
    is_here || (refused.is_around && path.starts_with(&refused.place))
}

/// The schema with those rules in CEL that are expressed, and may be made narrower.
fn with_expressed_rules(schema: &Value, path: &str, fidelity: &[RuleFidelity]) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let separator = if path.is_empty() { "" } else { "." };
    let is_expressed = |index: usize| {
        let name = format!("{path}{separator}x-kubernetes-validations[{index}]");
        let is_expressed = |exactness| matches!(exactness, Exactness::Exact | Exactness::Narrower);
        fidelity.iter().any(|entry| entry.rule == name && is_expressed(entry.fidelity.exactness()))
    };
    let reduce = |(keyword, value): (&String, &Value)| {
        let reduced = match (keyword.as_str(), value) {
            (VALIDATIONS, Value::Array(rules)) => {
                let kept = rules.iter().enumerate().filter(|(index, _)| is_expressed(*index));
                kept.map(|(_, rule)| rule.clone()).collect()
            }
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, child)| {
                    let below = format!("{path}{separator}{name}");
                    (name.clone(), with_expressed_rules(child, &below, fidelity))
                })
                .collect(),
            ("items" | "additionalProperties", _) => {
                with_expressed_rules(value, &format!("{path}[*]"), fidelity)
            }
            _ => value.clone(),
        };
        (keyword.clone(), reduced)
    };
    keywords.iter().map(reduce).collect()
}

/// A field of the metadata that is kept, and the values that servers decode.
type KeptField = (&'static str, fn(&Value) -> bool);

pub(super) fn add_head(object: &mut Value, version: &ResourceVersion, name: &Value) {
    let Some(fields) = object.as_object_mut() else { return };
    let is_of_any = version.authored_objects() == AuthoredObjects::OfAnyKind;
    for (head, own) in [("apiVersion", version.api_version()), ("kind", version.kind.clone())] {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        if !(is_of_any && fields.get(head).is_some_and(is_text)) {
            fields.insert(head.to_owned(), own.into());
        }
    }
    let mut metadata = json!({ "name": name });
    // The fields that rules of RuleSets may be about; definitions restrict names alone.
    let kept: &[KeptField] = match version.authored {
        Some(_) => &[
            ("labels", is_map_of_texts),
            ("annotations", is_map_of_texts),
            ("name", Value::is_string),
            ("generateName", Value::is_string),
            ("finalizers", is_list_of_texts),
        ],
        None => &[("labels", is_map_of_texts), ("annotations", is_map_of_texts)],
    };
    for (kept, is_fitting) in kept {
        let value = fields.get("metadata").and_then(|own| own.get(*kept)).filter(|it| is_fitting(it));
        if let (Some(value), Some(metadata)) = (value, metadata.as_object_mut()) {
            metadata.insert((*kept).to_owned(), value.clone());
        }
    }
    fields.insert("metadata".to_owned(), metadata);
}

fn is_map_of_texts(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.values().all(Value::is_string))
}

fn is_list_of_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

/// The object with a sign before all texts that are quantities, which is a spelling that few people use.
fn with_signs(object: &Value, schema: &Value) -> Value {
    with_other_quantities(object, schema, &|text| format!("+{text}"))
}

/// The object with a quantity without a digit in place of each one, which is zero.
fn without_digits(object: &Value, schema: &Value) -> Value {
    with_other_quantities(object, schema, &|_| "Gi".to_owned())
}

fn with_other_quantities(value: &Value, node: &Value, respell: &dyn Fn(&str) -> String) -> Value {
    let is_quantity =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && Quantity::parse(text).is_ok();
    let has_both = || node.get(INT_OR_STRING) == Some(&json!(true));
    match value {
        Value::String(text) if is_quantity(text) => respell(text).into(),
        Value::Number(number) if number.is_u64() && has_both() => respell(&number.to_string()).into(),
        Value::Array(items) => {
            let below = node.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| with_other_quantities(item, below, respell)).collect()
        }
        Value::Object(fields) => {
            let below = |name: &str| {
                let property = node.get("properties").and_then(|properties| properties.get(name));
                property.or_else(|| node.get("additionalProperties")).unwrap_or(&Value::Null)
            };
            let field = |(name, value): (&String, &Value)| {
                (name.clone(), with_other_quantities(value, below(name), respell))
            };
            fields.iter().map(field).collect()
        }
        other => other.clone(),
    }
}

/// A name of objects: any, unless the definition restricts it.
pub(super) fn name_of_objects(schema: &Value) -> Value {
    let restricted = schema.pointer("/properties/metadata/properties/name");
    restricted.map_or_else(|| "example".into(), |node| ObjectGenerator::new(node).generate_object(0))
}
