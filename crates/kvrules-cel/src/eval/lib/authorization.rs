//! The authorizer of policies.

use std::sync::Arc;

use super::{EvalResult, Native, no_such_overload};
use crate::names::{label_errors, subdomain_errors};
use crate::value::{Authorization, AuthorizationCheck, AuthorizationKind as Kind, EvalError, Value};

// apiserver pkg/cel/library/authz.go, authzLibraryDecls
pub(super) fn find_authorization_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("path", true) => |args| {
            step(args, Kind::Authorizer, Kind::PathCheck, |check, text| {
                check.path = Some(not_empty("path", text)?);
                Ok(())
            })
        },
        ("group", true) => |args| {
            step(args, Kind::Authorizer, Kind::GroupCheck, |check, text| {
                text.clone_into(&mut check.group);
                Ok(())
            })
        },
        ("serviceAccount", true) => service_account,
        ("resource", true) => |args| {
            step(args, Kind::GroupCheck, Kind::ResourceCheck, |check, text| {
                check.resource = not_empty("resource", text)?;
                Ok(())
            })
        },
        ("subresource", true) => |args| refine(args, |check| &mut check.subresource),
        ("namespace", true) => |args| refine(args, |check| &mut check.namespace),
        ("name", true) => |args| refine(args, |check| &mut check.name),
        // The authorizer of RBAC does not look at selectors: rbac.go, RuleAllows.
        ("fieldSelector" | "labelSelector", true) => {
            |args| step(args, Kind::ResourceCheck, Kind::ResourceCheck, |_, _| Ok(()))
        }
        ("check", true) => check_action,
        ("allowed", true) => |args| decision(args, |allowed| Ok(Value::Bool(allowed))),
        ("errored", true) => |args| decision(args, |_| Ok(Value::Bool(false))),
        ("error", true) => |args| decision(args, |_| Ok("".into())),
        ("reason", true) => {
            |args| decision(args, |_| Err(EvalError::unsupported_feature("the reason of the authorizer")))
        }
        _ => return None,
    })
}

/// Makes one value of another with a text.
fn step(
    args: &[Value],
    from: Kind,
    to: Kind,
    set: impl FnOnce(&mut AuthorizationCheck, &str) -> Result<(), EvalError>,
) -> EvalResult {
    match args {
        [Value::Authorization(before), Value::String(text)] if before.kind == from => {
            let mut after = Authorization { kind: to, ..(**before).clone() };
            set(&mut after.check, text)?;
            Ok(Value::Authorization(Arc::new(after)))
        }
        _ => no_such_overload(),
    }
}

fn refine(args: &[Value], field: fn(&mut AuthorizationCheck) -> &mut String) -> EvalResult {
    step(args, Kind::ResourceCheck, Kind::ResourceCheck, |check, text| {
        text.clone_into(field(check));
        Ok(())
    })
}

fn not_empty(what: &str, text: &str) -> Result<String, EvalError> {
    if text.trim().is_empty() {
        return Err(EvalError::new(format!("{what} must not be empty")));
    }
    Ok(text.to_owned())
}

// authz.go, authorizerServiceAccount
fn service_account(args: &[Value]) -> EvalResult {
    let [Value::Authorization(before), Value::String(namespace), Value::String(name)] = args else {
        return no_such_overload();
    };
    if before.kind != Kind::Authorizer {
        return no_such_overload();
    }
    if !subdomain_errors(name).is_empty() {
        return Err(EvalError::new("Invalid service account name"));
    }
    if !label_errors(namespace).is_empty() {
        return Err(EvalError::new("Invalid service account namespace"));
    }
    let mut after = (**before).clone();
    after.check.account = Some((namespace.to_string(), name.to_string()));
    Ok(Value::Authorization(Arc::new(after)))
}

// authz.go, pathCheckVal.Authorize and resourceCheckVal.Authorize
fn check_action(args: &[Value]) -> EvalResult {
    match args {
        [Value::Authorization(before), Value::String(verb)]
            if matches!(before.kind, Kind::PathCheck | Kind::ResourceCheck) =>
        {
            let mut after = (**before).clone();
            verb.as_ref().clone_into(&mut after.check.verb);
            after.kind = Kind::Decision(after.source.allows_action(&after.check));
            Ok(Value::Authorization(Arc::new(after)))
        }
        _ => no_such_overload(),
    }
}

fn decision(args: &[Value], answer: impl FnOnce(bool) -> EvalResult) -> EvalResult {
    match args {
        [Value::Authorization(made)] => match made.kind {
            Kind::Decision(allowed) => answer(allowed),
            _ => no_such_overload(),
        },
        _ => no_such_overload(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
    use crate::value::AuthorizationSource;

    #[derive(Debug)]
    struct OnlyPods;

    impl AuthorizationSource for OnlyPods {
        fn allows_action(&self, check: &AuthorizationCheck) -> bool {
            check.resource == "pods" && check.verb == "get" && check.account.is_none()
        }
    }

    fn evaluate(text: &str) -> (Result<Value, EvalError>, u64) {
        let expression = crate::parse(text).unwrap();
        let resource = AuthorizationCheck { resource: "pods".to_owned(), ..AuthorizationCheck::default() };
        let authorizer = Authorization::for_request(Arc::new(OnlyPods), resource);
        let mut scope = Scope::default();
        let value = Value::Authorization(Arc::new(authorizer));
        scope.variables.insert("authorizer", (value, ExpressionShape::Known));
        let outcome = evaluate_expression(&expression, &scope, CALL_LIMIT);
        (outcome.result, outcome.cost)
    }

    #[test]
    fn checks_are_answered_by_their_source_and_cost_what_the_server_charges() {
        for (text, allowed) in [
            ("authorizer.group('').resource('pods').namespace('a').name('b').check('get').allowed()", true),
            ("authorizer.group('').resource('pods').subresource('log').check('list').allowed()", false),
            ("authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').allowed()", false),
            ("authorizer.requestResource.check('get').allowed()", true),
            ("authorizer.path('/healthz').check('get').allowed()", false),
            ("authorizer.requestResource.labelSelector('a=b').check('get').errored()", false),
        ] {
            let (result, cost) = evaluate(text);
            assert!(matches!(result, Ok(Value::Bool(it)) if it == allowed), "{text}: {result:?}");
            assert!(cost > 350_000, "{text}: {cost}");
        }
        assert_eq!(evaluate("authorizer.group('').resource('pods').check('get').allowed()").1, 350_004);
    }

    #[test]
    fn wrong_names_are_errors_and_the_reason_is_not_known() {
        let error = |text: &str| evaluate(text).0.unwrap_err().message;
        assert_eq!(error("authorizer.path(' ')"), "path must not be empty");
        assert_eq!(error("authorizer.group('').resource('')"), "resource must not be empty");
        assert_eq!(error("authorizer.serviceAccount('a', '_')"), "Invalid service account name");
        assert_eq!(error("authorizer.serviceAccount('a.b', 'b')"), "Invalid service account namespace");
        assert!(error("authorizer.requestResource.check('get').reason()").contains("not supported"));
        assert!(error("authorizer.resource('pods')").contains("no such overload"));
    }
}
