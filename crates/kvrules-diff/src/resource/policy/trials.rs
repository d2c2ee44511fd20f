//! Requests that both sides are asked about.

use kvrules_apiserver::policy::{
    Binding, BindingOutcome, Decision, DecisionOrigin, Policy, PolicyOutcome, Request, answer_from_reports,
    report_request,
};
use kvrules_crd::RunResources;
use serde_json::{Map, Value, json};

use super::objects::PolicyObjects;
use super::read_paths::ReadPaths;
use super::request_space::{PLACEHOLDERS, RequestSpace, with_objects};
use super::variables::all_expressions;
use crate::report::{RequestSubject, Witness, WriteKind};

/// Number of kinds of requests that objects are made for, and of objects for each.
const KINDS: usize = 10;
const FEW: usize = 3;
const OBJECTS: usize = 60;
/// Number of attempts to make objects that the schema of a resource accepts.
const MOST_ATTEMPTS: usize = 240;

/// The answer of one side.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestAnswer {
    /// True if the constraints match it.
    pub(super) is_matched: bool,
    /// The text of the denial.
    pub(super) denial: Option<String>,
    /// Failed validations and errors.
    pub(super) decisions: Vec<Decision>,
    /// The match condition that is false.
    pub(super) skipped_by: Option<usize>,
    /// True if the emulation cannot answer.
    pub(super) is_unknown: bool,
}

/// A request with the answers of both sides.
pub(super) struct TrialedRequest {
    pub(super) request: Request,
    pub(super) old: RequestAnswer,
    pub(super) new: RequestAnswer,
    /// True if the type of its objects is known.
    is_typed: bool,
}

/// A policy with a binding that applies it, ready for requests.
struct PolicySide {
    policy: Policy,
    binding: Binding,
}

/// The name of both in trials.
const NAME: &str = "policy";

impl PolicySide {
    /// A policy by itself is tried with a binding that denies; a binding with a policy that denies everything.
    fn new(content: &Value, is_binding: bool) -> Self {
        let mut spec = content.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
        let named = |spec: Map<String, Value>| json!({"metadata": {"name": NAME}, "spec": spec});
        if !is_binding {
            return Self {
                policy: Policy::from_json(&named(spec)),
                binding: Binding::for_policy(NAME, NAME),
            };
        }
        spec.insert("policyName".to_owned(), json!(NAME));
        spec.shift_remove("paramRef");
        let content = named(spec);
        let denying = json!({"metadata": {"name": NAME}, "spec": {"validations": [{"expression": "false"}]}});
        Self { policy: Policy::from_json(&denying), binding: Binding::from_json(&content) }
    }

    fn answer(&self, request: &Request) -> RequestAnswer {
        let sides = (std::slice::from_ref(&self.policy), std::slice::from_ref(&self.binding));
        let reports = report_request(sides.0, sides.1, request);
        let mut answer = RequestAnswer::default();
        for report in &reports {
            match &report.outcome {
                PolicyOutcome::Bound(bound) => {
                    for it in bound {
                        answer.add_outcome(&it.outcome);
                    }
                }
                PolicyOutcome::Unsupported(_) => answer.is_unknown = true,
                PolicyOutcome::NeedsConversion(_) => answer.is_matched = true,
                PolicyOutcome::Exempt | PolicyOutcome::NotMatched(_) => {}
            }
        }
        answer.denial =
            answer_from_reports(sides.0, sides.1, request, &reports).denial.map(|denial| denial.cause);
        answer
    }
}

impl RequestAnswer {
    /// The decision of a part of the policy, if it denies.
    pub(super) fn find_decision(&self, is_own: impl Fn(DecisionOrigin) -> bool) -> Option<ShownBy<'_>> {
        let found = self.decisions.iter().find(|decision| is_own(decision.origin) && !decision.is_ignored);
        found.map(ShownBy::Decision)
    }

    fn add_outcome(&mut self, outcome: &BindingOutcome) {
        match outcome {
            BindingOutcome::NotMatched(_) => {}
            BindingOutcome::ParamError(decision) => {
                self.is_matched = true;
                self.decisions.push(decision.clone());
            }
            BindingOutcome::NoParams => self.is_matched = true,
            BindingOutcome::Evaluated(params) => {
                self.is_matched = true;
                for param in params {
                    self.decisions.extend(param.decisions.iter().cloned());
                    self.skipped_by = self.skipped_by.or(param.skipped_by);
                }
            }
            BindingOutcome::Unsupported(_) => self.is_unknown = true,
        }
    }
}

/// Requests that are matched by at least one side, with objects on which their expressions differ.
pub(super) struct PolicyTrials {
    trialed: Vec<TrialedRequest>,
    obstacle: Option<&'static str>,
    steps: u64,
}

impl PolicyTrials {
    pub(super) fn new([old, new]: [&Value; 2], is_binding: bool, run: &RunResources) -> Self {
        let sides = [PolicySide::new(old, is_binding), PolicySide::new(new, is_binding)];
        let obstacle = sides.iter().any(|side| side.policy.param_kind.is_some());
        let obstacle =
            obstacle.then_some("requests were tried without parameters, which are objects of a cluster");
        let mut paths = ReadPaths::default();
        for text in [old, new].into_iter().flat_map(all_expressions) {
            paths.add_expression(&text);
        }
        let mut trials = Self { trialed: Vec::new(), obstacle, steps: 0 };
        let key = if is_binding { "/spec/matchResources" } else { "/spec/matchConstraints" };
        let constraints: Vec<&Value> = [old, new].iter().filter_map(|side| side.pointer(key)).collect();
        for kind in trials.request_kinds(&constraints, &sides) {
            let objects = PolicyObjects::new(&kind, &paths, run);
            trials.try_objects(&kind, &sides, objects, is_binding);
        }
        // Denials by an error come last, and objects of guessed types: a real object may not lead to it.
        trials.trialed.sort_by_key(|it| {
            let has_error = |side: &RequestAnswer| side.decisions.iter().any(|decision| decision.is_error);
            (!it.is_typed, [&it.old, &it.new].into_iter().any(has_error))
        });
        trials
    }

    /// Requests of different kinds that one of the sides matches. Those that only one side matches come first.
    fn request_kinds(&mut self, constraints: &[&Value], sides: &[PolicySide; 2]) -> Vec<Request> {
        let all = RequestSpace::of_constraints(constraints).all_requests().requests;
        let mut kinds: Vec<([bool; 2], Request)> = Vec::new();
        for request in all {
            self.steps += 1;
            let [old, new] = sides.each_ref().map(|side| {
                side.policy.matches_request(&request).unwrap_or(false)
                    && side.binding.matches_request(&request).unwrap_or(false)
            });
            if !old && !new {
                continue;
            }
            let alike = |it: &Request| {
                let parts = |it: &Request| {
                    [&it.operation, &it.group, &it.resource, &it.subresource].map(String::clone)
                };
                parts(it) == parts(&request)
            };
            let known = kinds.iter().filter(|(matched, _)| *matched == [old, new]);
            let (count, is_new) = (known.clone().count(), !known.clone().any(|(_, it)| alike(it)));
            // Of the requests that only one side matches, several differ in labels alone.
            if count < KINDS && (is_new || (old != new && count < FEW)) {
                kinds.push(([old, new], request));
            }
        }
        kinds.sort_by_key(|(matched, _)| *matched == [true, true]);
        kinds.into_iter().map(|(_, request)| request).collect()
    }

    fn try_objects(
        &mut self,
        kind: &Request,
        sides: &[PolicySide; 2],
        mut objects: PolicyObjects<'_>,
        is_binding: bool,
    ) {
        if !objects.fits_scope(&kind.namespace) && kind.resource != "namespaces" {
            return;
        }
        let model = if kind.object.is_null() { &kind.old_object } else { &kind.object };
        let metadata = model.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        let (mut wanted, is_typed) = (if is_binding { 1 } else { OBJECTS }, objects.is_typed());
        for number in 0..MOST_ATTEMPTS {
            if wanted == 0 {
                break;
            }
            let Some(request) = make_request(kind, number, &metadata, &mut objects) else { continue };
            wanted -= 1;
            let [old, new] = sides.each_ref().map(|side| side.answer(&request));
            self.steps += 2;
            if !old.is_unknown && !new.is_unknown {
                self.trialed.push(TrialedRequest { request, old, new, is_typed });
            }
        }
    }

    /// Number of requests that were tried.
    pub(super) fn count(&self) -> usize {
        self.trialed.len()
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// The reason for which the requests do not show everything.
    pub(super) fn obstacle(&self) -> Option<&'static str> {
        self.obstacle
    }

    /// A request that only the new side denies, or only the old one, and the decision by which a change does so. One without another
    /// reason for the denial comes first.
    pub(super) fn find_request<'t>(
        &'t self,
        refused: bool,
        show: &dyn Fn(&'t TrialedRequest) -> Option<ShownBy<'t>>,
    ) -> Option<(&'t TrialedRequest, ShownBy<'t>)> {
        // Without the parameters, errors say nothing.
        if self.obstacle.is_some() {
            return None;
        }
        let denied = self.trialed.iter().filter(|it| {
            let (one, other) = if refused { (&it.old, &it.new) } else { (&it.new, &it.old) };
            one.denial.is_none() && other.denial.is_some()
        });
        let mut shown = denied.filter_map(|it| Some((it, show(it)?)));
        let first = shown.next()?;
        let is_only = |(request, by): &(&TrialedRequest, ShownBy<'_>)| {
            let denying = if refused { &request.new } else { &request.old };
            matches!(by, ShownBy::Denial) || denying.decisions.iter().filter(|it| !it.is_ignored).count() == 1
        };
        if is_only(&first) {
            return Some(first);
        }
        let is_typed = first.0.is_typed;
        shown.find(|it| it.0.is_typed == is_typed && is_only(it)).or(Some(first))
    }
}

/// Part of an answer that shows a change.
#[derive(Clone, Copy)]
pub(super) enum ShownBy<'t> {
    /// The request is denied at all.
    Denial,
    /// This decision denies it.
    Decision(&'t Decision),
}

/// The `number`th request of a kind; `None` if the server rejects its objects.
fn make_request(
    kind: &Request,
    number: usize,
    metadata: &Map<String, Value>,
    objects: &mut PolicyObjects<'_>,
) -> Option<Request> {
    let made = objects.make_object(number, metadata);
    let other = objects.make_object(number + 1, metadata);
    let object = objects.admitted(made, None)?;
    let mut request = with_objects(Request { object: object.clone(), ..kind.clone() });
    if request.operation == "UPDATE" {
        let stored = if number % 2 == 1 { objects.admitted(other, None)? } else { object.clone() };
        request.object = objects.admitted(object, Some(&stored))?;
        request.old_object = stored;
    }
    Some(request)
}

impl TrialedRequest {
    /// A note if the resource is named, and the types of its fields are not known.
    pub(super) fn type_note(&self) -> Option<String> {
        let Request { group, resource, .. } = &self.request;
        let is_placeholder =
            PLACEHOLDERS.contains(&group.as_str()) || PLACEHOLDERS.contains(&resource.as_str());
        let name = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
        (!self.is_typed && !is_placeholder).then(|| {
            format!("the types of the fields of `{name}` are guessed; give its definition with `--schema`")
        })
    }

    pub(super) fn to_witness(&self, refused: bool, by: ShownBy<'_>) -> Witness {
        let request = &self.request;
        let denying = if refused { &self.new } else { &self.old };
        let is_deletion = request.object.is_null();
        let object = if is_deletion { &request.old_object } else { &request.object };
        let is_update = request.operation == "UPDATE";
        Witness {
            object: object.clone(),
            previous: is_update.then(|| request.old_object.clone()),
            write: if is_update { WriteKind::Update } else { WriteKind::Create },
            because: match by {
                ShownBy::Denial => denying.denial.clone().unwrap_or_default(),
                ShownBy::Decision(decision) => decision.message.clone(),
            },
            request: Some(RequestSubject::of_request(request)),
        }
    }
}
