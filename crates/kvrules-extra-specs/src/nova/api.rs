//! The requests that set extra specs: `POST /flavors/{id}/os-extra_specs` and `PUT …/os-extra_specs/{key}`.
//!
//! A request is checked against a JSON Schema first, then pair by pair against the validator (from microversion 2.86
//! on), and the first error ends it. The schema's words are `jsonschema`'s, and so is the order in which it finds
//! errors: values in the order of the body, then keys, then what is too much or too little.

use kvrules_diagnostics::FileId;
use kvrules_syntax::parse_json;

use super::{NovaOutcome, NovaValidator};
use crate::python::{PyValue, string_repr};

/// The first microversion that validates.
// nova api/openstack/compute/flavors_extraspecs.py, FlavorExtraSpecsController._check_extra_specs_value.
pub const VALIDATES_FROM: Microversion = Microversion(2, 86);

/// The greatest number of characters of a value.
// nova api/validation/parameter_types.py, metadata.
const MAX_VALUE: usize = 255;

/// Pattern of the schema for keys.
// nova api/openstack/compute/schemas/flavors_extraspecs.py, _metadata_key.
const KEY_PATTERN: &str = "^[a-zA-Z0-9-_:. ]{1,255}$";

/// A microversion of the API, such as 2.86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Microversion(pub u32, pub u32);

impl Microversion {
    /// Reads `2.86`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self(major.parse().ok()?, minor.parse().ok()?))
    }
}

/// Request to the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiRequest<'r> {
    /// All pairs of `extra_specs`.
    Post,
    /// The one pair of this key.
    Put(&'r str),
}

/// Response of the API.
#[derive(Clone, Debug, PartialEq)]
pub enum ApiResponse {
    /// 200, and these pairs are stored.
    Stored(Vec<(String, PyValue)>),
    /// 400 with a message.
    BadRequest(String),
    /// 500: the validator fell over.
    Crash(&'static str),
    /// It cannot be determined.
    Undecided,
}

impl ApiResponse {
    /// The status; none if it cannot be determined.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Stored(_) => Some(200),
            Self::BadRequest(_) => Some(400),
            Self::Crash(_) => Some(500),
            Self::Undecided => None,
        }
    }
}

/// Answers a request with a body of JSON.
///
/// Since `validation` was never released, a query has no say.
///
/// ```
/// use kvrules_extra_specs::nova::{NovaValidator, api};
/// use kvrules_extra_specs::shipped_document;
///
/// let nova = NovaValidator::from_definitions(&shipped_document().expand_definitions());
/// let body = r#"{"extra_specs": {"hw:numa_nodes": 1.0}}"#;
/// let version = api::Microversion::parse("2.86").unwrap();
/// let response = api::answer_request(&nova, version, api::ApiRequest::Post, body);
/// assert_eq!(response.status(), Some(400));
/// ```
// nova api/openstack/compute/flavors_extraspecs.py, FlavorExtraSpecsController.create and update.
pub fn answer_request(
    nova: &NovaValidator,
    version: Microversion,
    request: ApiRequest<'_>,
    body: &str,
) -> ApiResponse {
    let document = parse_json(FileId(0), body);
    let parsed = document.root().filter(|_| document.problems().is_empty()).and_then(PyValue::from_json);
    // nova api/openstack/wsgi.py, _process_stack answers a MalformedRequestBody so.
    let Some(body) = parsed else { return ApiResponse::BadRequest("Malformed request body".to_owned()) };
    let checked = match request {
        ApiRequest::Post => post_schema(&body),
        ApiRequest::Put(_) => put_schema(&body),
    };
    let pairs = match checked {
        Ok(pairs) => pairs,
        Err(message) => return ApiResponse::BadRequest(message),
    };
    if let Some(refusal) = check_pairs(nova, version, pairs) {
        return refusal;
    }
    match request {
        // FlavorExtraSpecsController.update compares the key of the URL after the pairs were checked.
        ApiRequest::Put(key) => match pairs.iter().find(|(name, _)| name == key) {
            Some(pair) => ApiResponse::Stored(vec![pair.clone()]),
            None => ApiResponse::BadRequest("Request body and URI mismatch".to_owned()),
        },
        // FlavorExtraSpecsController.create answers with the body as it came: a number is still a number.
        ApiRequest::Post => ApiResponse::Stored(pairs.to_vec()),
    }
}

/// Returns the error of the request's schema about a key, before the validator sees it; in its words.
///
/// ```
/// use kvrules_extra_specs::nova::api::key_error;
/// assert_eq!(key_error("hw:cpu_policy"), None);
/// assert!(key_error("acme:größe").is_some_and(|message| message.contains("does not match any of the regexes")));
/// ```
pub fn key_error(key: &str) -> Option<String> {
    (!is_key(key)).then(|| unmatched_message(&[key]))
}

/// Returns the error of a request's schema about a string value; in its words.
pub fn text_error(key: &str, value: &str) -> Option<String> {
    let value = PyValue::Str(value.to_owned());
    value_error(&value).map(|message| in_field(key, &value, &message))
}

type SpecPairs = [(String, PyValue)];

// FlavorExtraSpecsController._check_extra_specs_value: JSON Schema has no maximum length of a number, so the text of a
// number is measured here, with nova utils.py, check_string_length.
fn check_pairs(nova: &NovaValidator, version: Microversion, pairs: &SpecPairs) -> Option<ApiResponse> {
    for (name, value) in pairs {
        let text = value.to_str();
        let length = text.chars().count();
        if !matches!(value, PyValue::Str(_)) && length > MAX_VALUE {
            let message = format!("extra_specs value has {length} characters, more than {MAX_VALUE}.");
            return Some(ApiResponse::BadRequest(message));
        }
        if version < VALIDATES_FROM {
            continue;
        }
        match nova.check_pair(name, &text) {
            NovaOutcome::Accepted => {}
            NovaOutcome::Refused(refusal) => return Some(ApiResponse::BadRequest(refusal.text)),
            NovaOutcome::Crash(class) => return Some(ApiResponse::Crash(class)),
            NovaOutcome::Unstable { .. } | NovaOutcome::Undecided => return Some(ApiResponse::Undecided),
        }
    }
    None
}

/// `{"extra_specs": {…}}` and nothing else.
// nova api/openstack/compute/schemas/flavors_extraspecs.py, create. jsonschema raises the first error in the order of the
// schema's keywords: type, properties, required, additionalProperties.
fn post_schema(body: &PyValue) -> Result<&SpecPairs, String> {
    let PyValue::Dict(entries) = body else { return Err(not_an_object(body)) };
    let found = entries.iter().find(|(key, _)| key == "extra_specs").map(|(_, value)| value);
    let Some(specs) = found else { return Err("'extra_specs' is a required property".to_owned()) };
    let at = |message: String| in_field("extra_specs", specs, &message);
    let PyValue::Dict(pairs) = specs else { return Err(at(not_an_object(specs))) };
    check_values(pairs)?;
    check_keys(pairs).map_err(at)?;
    let mut others: Vec<_> =
        entries.iter().map(|(key, _)| key.as_str()).filter(|key| *key != "extra_specs").collect();
    // jsonschema _keywords.py, additionalProperties sorts them; _utils.py, extras_msg writes them.
    others.sort_unstable();
    if others.is_empty() {
        return Ok(pairs);
    }
    let names: Vec<_> = others.iter().map(|key| string_repr(key)).collect();
    let verb = if others.len() == 1 { "was" } else { "were" };
    Err(format!("Additional properties are not allowed ({} {verb} unexpected)", names.join(", ")))
}

/// One pair.
// nova api/openstack/compute/schemas/flavors_extraspecs.py, update: minProperties and maxProperties come last.
fn put_schema(body: &PyValue) -> Result<&SpecPairs, String> {
    let PyValue::Dict(pairs) = body else { return Err(not_an_object(body)) };
    check_values(pairs)?;
    check_keys(pairs)?;
    match pairs.len() {
        0 => Err(format!("{} should be non-empty", body.to_repr())),
        1 => Ok(pairs),
        _ => Err(format!("{} has too many properties", body.to_repr())),
    }
}

// jsonschema _keywords.py, additionalProperties: one error for all keys that no pattern matches.
fn check_keys(pairs: &SpecPairs) -> Result<(), String> {
    let mut strange: Vec<_> = pairs.iter().map(|(key, _)| key.as_str()).filter(|key| !is_key(key)).collect();
    strange.sort_unstable();
    if strange.is_empty() {
        return Ok(());
    }
    Err(unmatched_message(&strange))
}

fn unmatched_message(strange: &[&str]) -> String {
    let names: Vec<_> = strange.iter().map(|key| string_repr(key)).collect();
    let verb = if strange.len() == 1 { "does" } else { "do" };
    format!("{} {verb} not match any of the regexes: '{KEY_PATTERN}'", names.join(", "))
}

/// The pattern is searched for, and its `$` lets one line feed at the end pass.
// jsonschema _keywords.py, patternProperties uses re.search; Python's `$` also matches before a final line feed.
fn is_key(key: &str) -> bool {
    let key = key.strip_suffix('\n').unwrap_or(key);
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':' | '.' | ' ');
    (1..=255).contains(&key.chars().count()) && key.chars().all(is_allowed)
}

/// Texts of at most 255 characters, and numbers; under keys that are none the schema does not look.
// jsonschema _keywords.py, patternProperties.
fn check_values(pairs: &SpecPairs) -> Result<(), String> {
    let mut wrong = pairs
        .iter()
        .filter(|(key, _)| is_key(key))
        .filter_map(|(key, value)| Some((key, value, value_error(value)?)));
    wrong.next().map_or(Ok(()), |(key, value, message)| Err(in_field(key, value, &message)))
}

// jsonschema _keywords.py, type and maxLength; a boolean is no number (_types.py, is_number).
fn value_error(value: &PyValue) -> Option<String> {
    match value {
        PyValue::Int(_) | PyValue::Float(_) => None,
        PyValue::Str(text) if text.chars().count() <= MAX_VALUE => None,
        PyValue::Str(_) => Some(format!("{} is too long", value.to_repr())),
        _ => Some(format!("{} is not of type 'string', 'number'", value.to_repr())),
    }
}

fn not_an_object(value: &PyValue) -> String {
    format!("{} is not of type 'object'", value.to_repr())
}

// nova api/validation/validators.py, _SchemaValidator.validate: the field is the last step of the error's path.
fn in_field(field: &str, value: &PyValue, message: &str) -> String {
    format!("Invalid input for field/attribute {field}. Value: {}. {message}", value.to_str())
}
