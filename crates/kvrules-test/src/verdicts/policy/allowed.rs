//! Declared answers of the authorizer.

use std::sync::Arc;

use kvrules_apiserver::policy::{AuthorizationCheck, AuthorizationSource};

/// An action that the authorizer allows: `VERB RESOURCE[.GROUP][/SUBRESOURCE] [named NAME] [in NAMESPACE]
/// [as serviceaccount NAMESPACE:NAME]`, or `VERB /PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedAction {
    verb: String,
    target: ActionTarget,
    /// `None` for any.
    name: Option<String>,
    /// `None` for any, and for no namespace.
    namespace: Option<String>,
    /// `None` for the user of the request.
    account: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ActionTarget {
    Any,
    Path(String),
    Resource { group: String, resource: String, subresource: String },
}

impl AllowedAction {
    /// Reads an action.
    ///
    /// # Errors
    ///
    /// A sentence with the form.
    ///
    /// ```
    /// use kvrules::eval::AllowedAction;
    ///
    /// assert!(AllowedAction::parse_action("update deployments.apps/scale named web in shop").is_ok());
    /// assert!(AllowedAction::parse_action("get /healthz").is_ok());
    /// assert!(AllowedAction::parse_action("get pods on shop").unwrap_err().contains("unknown word `on`"));
    /// ```
    pub fn parse_action(text: &str) -> Result<Self, String> {
        let form = "write VERB RESOURCE.GROUP, such as `update deployments.apps in shop`";
        let mut words = text.split_whitespace();
        let (Some(verb), Some(target)) = (words.next(), words.next()) else { return Err(form.to_owned()) };
        let target = parse_target(target).ok_or(form)?;
        let mut action = Self { verb: verb.to_owned(), target, name: None, namespace: None, account: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().map(str::to_owned).ok_or(format!("missing value after `{word}`"));
            match word {
                "named" => action.name = Some(value()?),
                "in" => action.namespace = Some(value()?),
                "as" if value()? == "serviceaccount" => {
                    let account = value()?;
                    let parts = account.split_once(':');
                    let (namespace, name) = parts.ok_or("write `as serviceaccount NAMESPACE:NAME`")?;
                    action.account = Some((namespace.to_owned(), name.to_owned()));
                }
                "as" => return Err("write `as serviceaccount NAMESPACE:NAME`".to_owned()),
                other => return Err(format!("unknown word `{other}`; {form}")),
            }
        }
        Ok(action)
    }

    // plugin/pkg/auth/authorizer/rbac/rbac.go, RuleAllows
    fn allows_check(&self, check: &AuthorizationCheck) -> bool {
        let is_target = match (&self.target, &check.path) {
            (ActionTarget::Any, None) => true,
            (ActionTarget::Path(path), Some(asked)) => match path.strip_suffix('*') {
                Some(start) => asked.starts_with(start),
                None => path == asked,
            },
            (ActionTarget::Resource { group, resource, subresource }, None) => {
                (group, resource, subresource) == (&check.group, &check.resource, &check.subresource)
            }
            _ => false,
        };
        is_target
            && (self.verb == "*" || self.verb == check.verb)
            && self.name.as_ref().is_none_or(|name| *name == check.name)
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == check.namespace)
            && self.account == check.account
    }
}

fn parse_target(text: &str) -> Option<ActionTarget> {
    if text == "*" {
        return Some(ActionTarget::Any);
    }
    if text.starts_with('/') {
        return Some(ActionTarget::Path(text.to_owned()));
    }
    let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
    let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
    let [group, resource, subresource] = [group, resource, subresource].map(str::to_owned);
    (!resource.is_empty()).then_some(ActionTarget::Resource { group, resource, subresource })
}

/// The actions as an authorizer.
#[derive(Debug)]
struct DeclaredAnswers(Vec<AllowedAction>);

impl AuthorizationSource for DeclaredAnswers {
    fn allows_action(&self, check: &AuthorizationCheck) -> bool {
        self.0.iter().any(|action| action.allows_check(check))
    }
}

/// Returns an authorizer that allows these actions, and no other ones.
pub(super) fn to_authorizer(actions: &[AllowedAction]) -> Arc<dyn AuthorizationSource> {
    Arc::new(DeclaredAnswers(actions.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(action: &str, check: &AuthorizationCheck) -> bool {
        to_authorizer(&[AllowedAction::parse_action(action).unwrap()]).allows_action(check)
    }

    #[test]
    fn an_action_allows_what_it_names_and_nothing_else() {
        let check = AuthorizationCheck {
            verb: "update".to_owned(),
            group: "apps".to_owned(),
            resource: "deployments".to_owned(),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            ..AuthorizationCheck::default()
        };
        for action in [
            "update deployments.apps",
            "* deployments.apps in shop",
            "update deployments.apps named web in shop",
            "* *",
        ] {
            assert!(allows(action, &check), "{action}");
        }
        for action in [
            "get deployments.apps",
            "update deployments",
            "update deployments.apps/scale",
            "update deployments.apps in other",
            "update deployments.apps named other",
            "update deployments.apps as serviceaccount shop:web",
            "update /deployments",
        ] {
            assert!(!allows(action, &check), "{action}");
        }
    }

    #[test]
    fn paths_and_service_accounts_are_told_apart() {
        let account = Some(("shop".to_owned(), "web".to_owned()));
        let path = Some("/healthz/ready".to_owned());
        let check =
            AuthorizationCheck { verb: "get".to_owned(), path, account, ..AuthorizationCheck::default() };
        assert!(allows("get /healthz/* as serviceaccount shop:web", &check));
        assert!(!allows("get /healthz/*", &check) && !allows("* * as serviceaccount shop:web", &check));
        for wrong in
            ["get", "get pods in", "get pods as shop:web", "get pods as serviceaccount web", "get .apps"]
        {
            assert!(AllowedAction::parse_action(wrong).is_err(), "{wrong}");
        }
    }
}
