//! Conversion between versions, and the webhook that does it.

use kvrules_cel::base64::decode_base64;
use kvrules_cel::names::{label_1035, subdomain_errors};
use serde_json::Value as Json;

use super::internal::{ConversionSpec, object_member, text_member};
use crate::field_error::{ErrorType, FieldError};
use crate::go_url;

const CLIENT: &str = "spec.conversion.webhookClientConfig";
const VERSIONS: &str = "spec.conversion.conversionReviewVersions";
const NOT_WITHOUT_WEBHOOK: &str = "should not be set when strategy is not set to Webhook";

/// Options by which an update may keep what is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConversionOptions {
    /// True if one of the review versions must be known to the server.
    pub(super) requires_known_review_version: bool,
    /// True if a CA bundle may be anything.
    pub(super) allows_invalid_bundle: bool,
}

/// Validates a conversion.
// apiextensions validation.go, validateCustomResourceConversion
pub(super) fn validate_conversion(
    conversion: &ConversionSpec<'_>,
    options: ConversionOptions,
    errors: &mut Vec<FieldError>,
) {
    let field = "spec.conversion.strategy";
    // apiextensions validation.go, validateEnumStrings: an empty value is missing, not unsupported.
    if conversion.strategy.is_empty() {
        errors.push(FieldError::new(ErrorType::Required, field, ""));
    } else if !matches!(conversion.strategy, "None" | "Webhook") {
        let detail = "supported values: \"None\", \"Webhook\"";
        errors.push(FieldError::new(ErrorType::NotSupported, field, detail));
    }
    if conversion.strategy != "Webhook" {
        let set = [(CLIENT, conversion.client.is_some()), (VERSIONS, !conversion.review_versions.is_empty())];
        let set = set.into_iter().filter(|(_, is_set)| *is_set);
        errors
            .extend(set.map(|(field, _)| FieldError::new(ErrorType::Forbidden, field, NOT_WITHOUT_WEBHOOK)));
        return;
    }
    if let Some(client) = conversion.client {
        validate_client(client, options, errors);
    } else {
        let detail = "required when strategy is set to Webhook";
        errors.push(FieldError::new(ErrorType::Required, CLIENT, detail));
    }
    validate_review_versions(&conversion.review_versions, options, errors);
}

fn validate_client(client: &Json, options: ConversionOptions, errors: &mut Vec<FieldError>) {
    match (client.get("url").and_then(Json::as_str), object_member(client, "service")) {
        // A missing and an empty object differ here: the server compares pointers with nil.
        (Some(url), None) => validate_url(url, errors),
        (None, Some(service)) => validate_service(service, errors),
        _ => {
            let detail = "exactly one of url or service is required";
            errors.push(FieldError::new(ErrorType::Required, CLIENT, detail));
        }
    }
    let bundle = decode_base64(text_member(client, "caBundle")).unwrap_or_default();
    // apiserver util/webhook, ValidateCABundle; called only if there are bytes.
    if let Some(why) = bundle_problem(&bundle).filter(|_| !options.allows_invalid_bundle) {
        errors.push(FieldError::new(ErrorType::Invalid, format!("{CLIENT}.caBundle"), why));
    }
}

// apiserver util/webhook/validation.go, ValidateWebhookURL
fn validate_url(url: &str, errors: &mut Vec<FieldError>) {
    let field = format!("{CLIENT}.url");
    let form = "; desired format: https://host[/path]";
    let mut refuse = |kind, detail: String| errors.push(FieldError::new(kind, field.clone(), detail));
    let url = match go_url::parse(url) {
        Ok(url) => url,
        Err(why) => return refuse(ErrorType::Required, format!("url must be a valid URL: {why}{form}")),
    };
    if url.scheme != "https" {
        refuse(ErrorType::Invalid, format!("'https' is the only allowed URL scheme{form}"));
    }
    if url.host.is_empty() {
        refuse(ErrorType::Invalid, format!("host must be specified{form}"));
    }
    for (is_set, detail) in [
        (url.user.is_some(), "user information is not permitted in the URL"),
        (!url.fragment.is_empty(), "fragments are not permitted in the URL"),
        (!url.query.is_empty(), "query parameters are not permitted in the URL"),
    ] {
        if is_set {
            refuse(ErrorType::Invalid, detail.to_owned());
        }
    }
}

// apiserver util/webhook/validation.go, ValidateWebhookService
fn validate_service(service: &Json, errors: &mut Vec<FieldError>) {
    let mut refuse = |kind, name: &str, detail: String| {
        errors.push(FieldError::new(kind, format!("{CLIENT}.service.{name}"), detail));
    };
    // The server hands over the two in the other order, so it names the one that is there.
    for (missing, named) in [("name", "namespace"), ("namespace", "name")] {
        if text_member(service, missing).is_empty() {
            refuse(ErrorType::Required, named, String::new());
        }
    }
    let port = service.get("port").and_then(Json::as_i64).unwrap_or(443);
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        refuse(ErrorType::Invalid, "port", detail.to_owned());
    }
    for problem in path_problems(text_member(service, "path")) {
        refuse(ErrorType::Invalid, "path", problem);
    }
}

fn path_problems(path: &str) -> Vec<String> {
    let empty = |index: usize| format!("segment[{index}] may not be empty");
    match path {
        "" | "/" => return Vec::new(),
        "//" => return vec![empty(0)],
        _ => {}
    }
    let mut problems = Vec::new();
    if !path.starts_with('/') {
        problems.push("must start with a '/'".to_owned());
    }
    let mut rest = path.chars();
    rest.next();
    let rest = rest.as_str();
    for (index, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if step.is_empty() {
            problems.push(empty(index));
        } else {
            problems
                .extend(subdomain_errors(step).iter().map(|problem| format!("segment[{index}]: {problem}")));
        }
    }
    problems
}

/// The versions of a review that the server knows.
// apiextensions validation.go, acceptedConversionReviewVersions
const KNOWN_REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// True if the server knows one of the versions.
pub(super) fn has_known_review_version(versions: &[&str]) -> bool {
    versions.iter().any(|version| KNOWN_REVIEW_VERSIONS.contains(version))
}

// apiextensions validation.go, validateConversionReviewVersions
fn validate_review_versions(versions: &[&str], options: ConversionOptions, errors: &mut Vec<FieldError>) {
    if versions.is_empty() {
        errors.push(FieldError::new(ErrorType::Required, VERSIONS, ""));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let mut refuse = |detail: &str| {
            errors.push(FieldError::new(ErrorType::Invalid, format!("{VERSIONS}[{index}]"), detail));
        };
        // A duplicate is not checked further.
        if versions.iter().take(index).any(|seen| seen == version) {
            refuse("duplicate version");
        } else {
            for problem in label_1035(version) {
                refuse(&problem);
            }
        }
    }
    if options.requires_known_review_version && !has_known_review_version(versions) {
        let detail = "must include at least one of v1, v1beta1";
        errors.push(FieldError::new(ErrorType::Invalid, VERSIONS, detail));
    }
}

/// Returns the reason why bytes are not CA certificates; `None` if they are, or if they are empty.
// client-go transport, rootCertPool and createErrorParsingCAData
pub(super) fn bundle_problem(bundle: &[u8]) -> Option<String> {
    if bundle.is_empty() {
        return None;
    }
    let why = |why: &str| Some(format!("unable to load root certificates: {why}"));
    let text = String::from_utf8_lossy(bundle);
    let mut blocks = text.split("-----BEGIN ").skip(1).filter_map(|block| block.split_once("-----"));
    let is_certificate = |(label, rest): (&str, &str)| {
        let body = rest.split_once(&format!("-----END {label}-----"))?.0;
        let der = decode_base64(&body.split_whitespace().collect::<String>()).ok()?;
        (label == "CERTIFICATE").then(|| der.first() == Some(&0x30) && der.len() > 2)
    };
    match blocks.find_map(is_certificate) {
        Some(true) => None,
        Some(false) => why("failed to parse certificate: x509: malformed certificate"),
        None => why("unable to parse bytes as PEM block"),
    }
}
