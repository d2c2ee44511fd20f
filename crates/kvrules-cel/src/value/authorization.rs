//! Checks of authorization, and the source of their answers.

use std::fmt::Debug;
use std::sync::Arc;

/// A question to an authorizer: the action of a user on a resource or a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationCheck {
    /// The namespace and the name of the service account that acts; `None` for the user of the request.
    pub account: Option<(String, String)>,
    /// The verb.
    pub verb: String,
    /// The path, if it is not a resource.
    pub path: Option<String>,
    /// The API group.
    pub group: String,
    /// The resource.
    pub resource: String,
    /// Its subresource, or empty.
    pub subresource: String,
    /// The namespace, or empty.
    pub namespace: String,
    /// The name, or empty.
    pub name: String,
}

/// Answers to checks.
pub trait AuthorizationSource: Debug + Send + Sync {
    /// True if the action is allowed.
    fn allows_action(&self, check: &AuthorizationCheck) -> bool;
}

/// A value of the authorization library.
// apiserver pkg/cel/library/authz.go
#[derive(Clone, Debug)]
pub struct Authorization {
    /// The state of the check so far.
    pub check: AuthorizationCheck,
    /// Type of the value.
    pub kind: AuthorizationKind,
    /// The resource of the request, for `authorizer.requestResource`.
    pub request_resource: Arc<AuthorizationCheck>,
    /// Source of the answers.
    pub source: Arc<dyn AuthorizationSource>,
}

/// Type of a value of the authorization library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationKind {
    /// `authorizer`
    Authorizer,
    /// The result of `path(…)`.
    PathCheck,
    /// The result of `group(…)`.
    GroupCheck,
    /// The result of `resource(…)`.
    ResourceCheck,
    /// The result of `check(…)`: allowed or not.
    Decision(bool),
}

impl Authorization {
    /// The variable `authorizer` of a request for a resource.
    pub fn for_request(source: Arc<dyn AuthorizationSource>, resource: AuthorizationCheck) -> Self {
        let check = AuthorizationCheck::default();
        Self { check, kind: AuthorizationKind::Authorizer, request_resource: Arc::new(resource), source }
    }

    /// The name of the type.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            AuthorizationKind::Authorizer => "kubernetes.authorization.Authorizer",
            AuthorizationKind::PathCheck => "kubernetes.authorization.PathCheck",
            AuthorizationKind::GroupCheck => "kubernetes.authorization.GroupCheck",
            AuthorizationKind::ResourceCheck => "kubernetes.authorization.ResourceCheck",
            AuthorizationKind::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    /// The check of the resource of the request: `authorizer.requestResource`.
    // authz.go, NewResourceAuthorizerVal
    pub(crate) fn request_check(&self) -> Self {
        let check = (*self.request_resource).clone();
        Self { check, kind: AuthorizationKind::ResourceCheck, ..self.clone() }
    }
}
