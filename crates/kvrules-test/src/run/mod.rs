//! Runs a case: the definition of the object's kind decides first, then policies and RuleSets, or rules of templates.

mod compare;
mod definition;
mod policy;
mod rule_set;
mod template;

use std::sync::Arc;

use kvrules_apiserver::policy::{AuthorizationCheck, AuthorizationSource};
use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};

use crate::answer::{AnswerVerdict, CaseAnswer};
use crate::document::text_field;
use crate::model::{AuthorizerDecision, CaseInput, Expectation, TestCase};
use crate::subject::{PolicySubject, Subject};

pub use compare::Mismatch;
use compare::compare_answer;
pub(crate) use template::evaluate_object;

/// The result of a case.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// All in all.
    pub status: CaseStatus,
    /// The answer; none of a case that is not run.
    pub answer: Option<CaseAnswer>,
    /// Differences from the expectation.
    pub mismatches: Vec<Mismatch>,
}

/// Status of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseStatus {
    /// As expected.
    Passed,
    /// Different from the expectation.
    Failed,
    /// Not evaluated: the case or what it refers to is wrong.
    Broken,
    /// Not run, for a named reason.
    Skipped,
}

impl CaseStatus {
    /// Returns its name for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Broken => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// Runs a case.
pub fn run_case(case: &TestCase) -> CaseResult {
    if case.skipped.is_some() {
        return CaseResult { status: CaseStatus::Skipped, answer: None, mismatches: Vec::new() };
    }
    run_case_on(case, &case.subject)
}

/// Runs a case on the servers of Kubernetes versions. If some answer otherwise than expected, the result is that of the newest of them,
/// and the first difference names them all.
pub fn run_case_on_servers(case: &TestCase, versions: KubernetesVersions) -> CaseResult {
    let run = |server: KubernetesVersion| {
        let input = CaseInput { server, ..case.input.clone() };
        (server, run_case(&TestCase { input, ..case.clone() }))
    };
    let mut results: Vec<(KubernetesVersion, CaseResult)> = versions.iter().map(run).collect();
    let is_bad = |result: &CaseResult| matches!(result.status, CaseStatus::Failed | CaseStatus::Broken);
    let bad = results.iter().filter(|(_, result)| is_bad(result)).map(|(server, _)| *server);
    let Some(servers) = KubernetesVersions::from_versions(bad) else {
        return results.pop().map_or_else(|| run_case(case), |(_, result)| result);
    };
    let newest = results.into_iter().rev().find(|(_, result)| is_bad(result));
    let Some((_, mut result)) = newest else { return run_case(case) };
    if let Some(first) = result.mismatches.first_mut().filter(|_| servers != KubernetesVersions::default()) {
        first.message = format!("on Kubernetes {servers}: {}", first.message);
    }
    result
}

/// Skips a case whose answer is unknown because its policy needs what only its own engine has, such as a cluster. Cases about other
/// rules have to give all that is needed.
pub(crate) fn skip_unknown(case: &mut TestCase) {
    let is_restated = case.subject.policies.as_ref().is_some_and(PolicySubject::is_restated);
    if !is_restated || case.skipped.is_some() {
        return;
    }
    let answer = answer_case(case, &case.subject);
    if answer.verdict == AnswerVerdict::Unevaluated {
        case.skipped = Some(answer.reason);
    }
}

/// Runs a case with other rules.
pub(crate) fn run_case_on(case: &TestCase, subject: &Subject) -> CaseResult {
    let answer = answer_case(case, subject);
    if answer.verdict == AnswerVerdict::Unevaluated {
        let mismatches = vec![Mismatch::sentence(case.span, answer.reason.clone())];
        return CaseResult { status: CaseStatus::Broken, answer: Some(answer), mismatches };
    }
    let of_example = rule_set::compare_example(case, subject);
    // Of the rules that a case names, unknown ones are reported as such and not as satisfied.
    let rules = case.expected.rules.iter().cloned();
    let (known, unknown): (Vec<_>, Vec<_>) = rules.partition(|rule| case.subject.has_rule(&rule.text));
    let mut mismatches = of_example
        .unwrap_or_else(|| compare_answer(&Expectation { rules: known, ..case.expected.clone() }, &answer));
    mismatches.extend(unknown.into_iter().map(|rule| {
        let message = format!("no rule is named `{}`", rule.text);
        Mismatch::sentence(rule.span, message)
    }));
    let status = if mismatches.is_empty() { CaseStatus::Passed } else { CaseStatus::Failed };
    CaseResult { status, answer: Some(answer), mismatches }
}

/// Returns the answer of the rules about a case.
pub fn answer_case(case: &TestCase, subject: &Subject) -> CaseAnswer {
    let input = &case.input;
    let object = if input.object.is_null() { &input.old_object } else { &input.object };
    let (api_version, kind) = (text_field(object, "apiVersion"), text_field(object, "kind"));
    let definition = subject.find_definition(api_version, kind);
    let is_written = !input.object.is_null();
    let mut answer = None;
    let mut request = input.clone();
    if let Some(definition) = definition.filter(|_| is_written) {
        let stored = definition::answer_definition(definition, case);
        if !matches!(stored.verdict, AnswerVerdict::Accepted) {
            return stored;
        }
        request.object = stored.stored.clone();
        answer = Some(stored);
    }
    let by_sets = rule_set::answer_rule_sets(subject, case, &request);
    let by_policies = subject.policies.as_ref().map(|policies| {
        let definition = definition.map(|it| &it.document);
        policy::answer_policies(policies, &request, definition)
    });
    if let Some(answered) = by_policies.into_iter().chain(by_sets).reduce(rule_set::merge_answers) {
        let before = answer.unwrap_or_default();
        return CaseAnswer { stored: before.stored, ..answered };
    }
    if let Some(template) = &subject.template {
        return template::answer_template(template, input);
    }
    answer.unwrap_or_else(|| CaseAnswer::unevaluated(no_rules(subject, api_version, kind)))
}

/// The reason why nothing applies to an object of a kind.
fn no_rules(subject: &Subject, api_version: &str, kind: &str) -> String {
    if kind.is_empty() || api_version.is_empty() {
        return "the object has no `apiVersion` and `kind`".to_owned();
    }
    let known = subject.definitions.iter().filter_map(|definition| {
        definition.document.pointer("/spec/names/kind").and_then(serde_json::Value::as_str)
    });
    let of_sets = subject.rule_sets.iter().map(|set| set.set.subject.version.kind.as_str());
    let known: Vec<&str> = known.chain(of_sets).collect();
    format!("the object is of the kind `{kind}` in `{api_version}`; the rules are about {}", known.join(", "))
}

/// The decisions of a case as an authorizer.
#[derive(Debug)]
struct Decisions(Vec<AuthorizerDecision>);

impl AuthorizationSource for Decisions {
    fn allows_action(&self, check: &AuthorizationCheck) -> bool {
        let is_it = |it: &&AuthorizerDecision| {
            it.group == check.group
                && it.resource == check.resource
                && it.subresource == check.subresource
                && it.namespace == check.namespace
                && it.verb == check.verb
        };
        self.0.iter().find(is_it).is_some_and(|it| it.is_allowed)
    }
}

/// Returns the authorizer of a case.
fn to_authorizer(decisions: &[AuthorizerDecision]) -> Arc<dyn AuthorizationSource> {
    Arc::new(Decisions(decisions.to_vec()))
}
