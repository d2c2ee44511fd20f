//! The approval that definitions in groups of Kubernetes need.

use super::internal::{Definition, text_member};
use crate::field_error::{ErrorType, FieldError};
use crate::go_url::parse_request;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// State of an approval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

/// Validates the approval of a definition. An update may keep the previous state.
// apiextensions validation.go, validateAPIApproval
pub(super) fn validate_approval(
    definition: &Definition<'_>,
    old: Option<&Definition<'_>>,
    errors: &mut Vec<FieldError>,
) {
    // apiextensions apihelpers/helpers.go, IsProtectedCommunityGroup
    let is_within = |domain: &str| {
        definition.group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let approval = read_approval(definition);
    if !["k8s.io", "kubernetes.io"].into_iter().any(is_within)
        // An update may leave the state as it is, so that a client that does not know the annotation can change the rest.
        || old.is_some_and(|old| self::read_approval(old) == approval)
    {
        return;
    }
    let field = format!("metadata.annotations[{ANNOTATION}]");
    let needed = format!("protected groups must have approval annotation \"{ANNOTATION}\"");
    match approval {
        Approval::Missing => {
            errors.push(FieldError::new(ErrorType::Required, field, format!("{needed}, {SEE}")));
        }
        Approval::Invalid => errors.push(FieldError::new(
            ErrorType::Invalid,
            field,
            format!("{needed} with either a URL or a reason starting with \"unapproved\", {SEE}"),
        )),
        Approval::Bypassed | Approval::Approved => {}
    }
}

// apiextensions apihelpers/helpers.go, GetAPIApprovalState
fn read_approval(definition: &Definition<'_>) -> Approval {
    let annotations = definition.metadata.get("annotations");
    let value = annotations.map(|annotations| text_member(annotations, ANNOTATION)).unwrap_or_default();
    match parse_request(value) {
        _ if value.is_empty() => Approval::Missing,
        _ if value.starts_with("unapproved") => Approval::Bypassed,
        Ok(url) if !url.host.is_empty() && !url.scheme.is_empty() => Approval::Approved,
        _ => Approval::Invalid,
    }
}
