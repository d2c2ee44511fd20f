//! Compares admission policies and bindings by the requests that they deny; webhooks, which run elsewhere, by what is written.
//!
//! Constraints of what is matched are compared as sets of requests (`matching`). Expressions are compared by their form after
//! variables are put in (`expressions`), and both sides are asked about requests that are made for them (`trials`).

mod expressions;
mod matching;
mod object_types;
mod objects;
mod proofs;
mod read_paths;
mod request_space;
mod trials;
mod variables;

use kvrules_crd::RunResources;
use serde_json::{Value, json};

use super::differences::{Difference, differences};
use super::{Verdict, leaves, to_change};
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, Comparison, Direction};
use trials::{PolicyTrials, ShownBy, TrialedRequest};

/// Compares two resources of the group `admissionregistration.k8s.io` of one kind. `run` has the definitions of custom kinds.
///
/// ```
/// use kvrules_diff::{Direction, resource::compare_policies};
/// use serde_json::json;
///
/// let with = |rules: &[&str]| {
///     let validations: Vec<_> = rules.iter().map(|rule| json!({"expression": rule})).collect();
///     let resources = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]});
///     let constraints = json!({"resourceRules": [resources]});
///     json!({"kind": "ValidatingAdmissionPolicy", "spec": {"matchConstraints": constraints, "validations": validations}})
/// };
/// let most = "object.spec.replicas < 5";
/// let run = kvrules_crd::RunResources::default();
/// let changes = compare_policies(&with(&[most]), &with(&[most, "object.spec.replicas > 1"]), &run).changes;
/// assert_eq!((changes.len(), changes[0].direction), (1, Direction::Tightened));
/// let denied = &changes[0].refused.as_ref().unwrap().object;
/// assert!(denied["spec"]["replicas"].as_i64() <= Some(1));
/// ```
pub fn compare_policies(old: &Value, new: &Value, run: &RunResources) -> Comparison {
    let sides = (content(old), content(new));
    let mut rest = (sides.0.clone(), sides.1.clone());
    let kind = old.get("kind").and_then(Value::as_str).unwrap_or_default();
    let compared = leaves(&sides.0).max(leaves(&sides.1));
    if !matches!(kind, POLICY | BINDING) {
        let found = differences(&rest.0, &rest.1);
        let changes = found.iter().map(|difference| to_change(difference, &verdict(difference))).collect();
        return Comparison { changes, compared, steps: 0 };
    }
    take_own_parts(&mut rest.0);
    take_own_parts(&mut rest.1);
    let trials = PolicyTrials::new([&sides.0, &sides.1], kind == BINDING, run);
    let mut changes = matching::compare_matching(&sides.0, &sides.1, &trials);
    changes.extend(differences(&rest.0, &rest.1).iter().map(|difference| other_change(difference, &trials)));
    let mut steps = trials.steps();
    if kind == POLICY {
        let (found, proof_steps) = expressions::compare_expressions(&sides.0, &sides.1, &trials, run);
        changes.extend(found);
        steps += proof_steps;
    }
    Comparison { changes, compared, steps }
}

const POLICY: &str = "ValidatingAdmissionPolicy";
const BINDING: &str = "ValidatingAdmissionPolicyBinding";

/// Takes out what is not compared as it is written.
fn take_own_parts(content: &mut Value) {
    let Some(spec) = content.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for key in [
        "matchConstraints",
        "matchResources",
        "matchConditions",
        "validations",
        "variables",
        "auditAnnotations",
    ] {
        spec.shift_remove(key);
    }
}

/// Completes a change with requests that show it: those for which `show` returns what in the answer does.
fn decide_change<'t>(
    mut change: Change,
    bound: ImpliedDirection,
    trials: &'t PolicyTrials,
    show: &dyn Fn(&'t TrialedRequest, bool) -> Option<ShownBy<'t>>,
) -> Change {
    change.objects = trials.count();
    let find = |refused: bool, opposite: ImpliedDirection| {
        let may_be =
            bound == ImpliedDirection::Open || (bound != ImpliedDirection::Equal && bound != opposite);
        may_be.then(|| trials.find_request(refused, &|request| show(request, refused))).flatten()
    };
    let refused = find(true, ImpliedDirection::Looser);
    let accepted = find(false, ImpliedDirection::Tighter);
    change.notes.extend(refused.or(accepted).and_then(|(request, _)| request.type_note()));
    change.refused = refused.map(|(request, by)| request.to_witness(true, by));
    change.accepted = accepted.map(|(request, by)| request.to_witness(false, by));
    change.conclude(bound, "request");
    if !change.proved {
        change.notes.extend(trials.obstacle().map(str::to_owned));
    }
    change
}

/// A part that is compared as it is written, with a request that shows its effect if there is one.
fn other_change(difference: &Difference<'_>, trials: &PolicyTrials) -> Change {
    let verdict = verdict(difference);
    let change = to_change(difference, &verdict);
    let bound = match verdict.direction {
        Direction::Tightened => ImpliedDirection::Tighter,
        Direction::Loosened => ImpliedDirection::Looser,
        _ => return change,
    };
    if difference.keys.contains(&"paramRef") {
        return change;
    }
    let is_of_errors = difference.keys.contains(&"failurePolicy");
    decide_change(change, bound, trials, &|request, refused| {
        if !is_of_errors {
            return Some(ShownBy::Denial);
        }
        let denying = if refused { &request.new } else { &request.old };
        denying.decisions.iter().find(|decision| decision.is_error).map(ShownBy::Decision)
    })
}

/// The site of a part of a resource.
fn resource_site(steps: &[&str], index: Option<usize>) -> ChangeSite {
    let steps = steps.iter().map(|step| (*step).to_owned());
    ChangeSite::Resource(steps.chain(index.map(|index| index.to_string())).collect())
}

/// Returns a policy as a server stores it, without its metadata and with the defaults of admissionregistration's `defaults.go`
/// (SetDefaults_ValidatingAdmissionPolicySpec, SetDefaults_MatchResources).
fn content(policy: &Value) -> Value {
    let mut content = policy.clone();
    if let Some(map) = content.as_object_mut() {
        map.retain(|key, _| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    }
    let is_policy = policy.get("kind").and_then(Value::as_str) == Some(POLICY);
    let defaults: [(&str, &str, &str); 3] = [
        ("/spec", "failurePolicy", "Fail"),
        ("/spec/matchConstraints", "matchPolicy", "Equivalent"),
        ("/spec/matchResources", "matchPolicy", "Equivalent"),
    ];
    for (at, key, default) in defaults.into_iter().filter(|(_, key, _)| is_policy || *key != "failurePolicy")
    {
        if let Some(map) = content.pointer_mut(at).and_then(Value::as_object_mut) {
            map.entry(key).or_insert_with(|| json!(default));
        }
    }
    content
}

/// Returns the effect of a single difference on the requests that are admitted.
fn verdict(difference: &Difference<'_>) -> Verdict {
    use Direction::{Loosened, MessageOnly, Tightened, Unknown};
    let keys = difference.keys.get(1..).unwrap_or_default();
    let has = |side: Option<&Value>, action: &str| {
        side.and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == action))
    };
    let (before, after) = (difference.before, difference.after);
    let is = |side: Option<&Value>, text: &str| side.is_some_and(|value| value == text);
    match keys {
        ["failurePolicy"] if is(after, "Ignore") => {
            Verdict::new(Loosened, "on an error, requests are admitted")
        }
        ["failurePolicy"] if is(before, "Ignore") => {
            Verdict::new(Tightened, "on an error, requests are denied")
        }
        ["validationActions"] if has(before, "Deny") && !has(after, "Deny") => Verdict::new(Loosened, ""),
        ["validationActions"] if !has(before, "Deny") && has(after, "Deny") => Verdict::new(Tightened, ""),
        ["validationActions"] => Verdict::new(MessageOnly, ""),
        ["paramRef", "parameterNotFoundAction"] if is(before, "Deny") => {
            Verdict::new(Loosened, "requests are admitted if there is no such parameter")
        }
        ["paramRef", "parameterNotFoundAction"] if is(after, "Deny") => {
            Verdict::new(Tightened, "requests are denied if there is no such parameter")
        }
        ["paramRef" | "paramKind", ..] => {
            Verdict::new(Unknown, "the parameters are objects of a cluster, and their contents are not known")
        }
        ["policyName"] => Verdict::new(Unknown, "the binding is about another policy"),
        _ => Verdict::new(Unknown, "compared by text, not by the requests that are admitted"),
    }
}
