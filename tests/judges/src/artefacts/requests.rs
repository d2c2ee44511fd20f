//! Requests for policies: each operation, for an object and for its subresources. The meaning of a rule is that it holds for the object
//! that a request stores; a request that stores none violates no rule.

use kvrules::{FileId, Request as CompileRequest, SourceFile, TargetOutput, compile_targets, find_emitter};
use kvrules_apiserver::policy::Request;
use serde_json::Value as Json;

use super::engines::{Answer, PolicyEngine};
use super::kinds::{Kind, Shown, Subresource, random_built_in_kind, random_pond_kind};
use super::{RULES, claims_of, refute};
use crate::words::{
    AuthoredRule, Situation, random_growth_rule, random_object, random_rule, rule_set, with_defaults,
};
use crate::{Random, Tally};

/// Requests of each kind for one RuleSet.
const ROUNDS: usize = 12;

/// A request, and what the server stores.
pub(super) struct StoringRequest {
    pub(super) request: Request,
    /// The object that it stores; `None` if it stores none.
    pub(super) after: Option<Json>,
    /// The object that is stored before.
    pub(super) before: Option<Json>,
}

impl StoringRequest {
    /// Operation and subresource.
    pub(super) fn name(&self) -> String {
        let Request { operation, subresource, .. } = &self.request;
        if subresource.is_empty() { operation.clone() } else { format!("{operation} {subresource}") }
    }

    /// Writes the request for people.
    pub(super) fn describe(&self) -> String {
        let Request { object, old_object, .. } = &self.request;
        let shown = |object: &Option<Json>| object.as_ref().map_or("none".to_owned(), Json::to_string);
        format!(
            "{}\nobject {object}\noldObject {old_object}\nbefore {}\nafter {}",
            self.name(),
            shown(&self.before),
            shown(&self.after)
        )
    }
}

/// Judges the policy of a generated RuleSet about a custom kind, or about a built-in one.
pub(super) fn judge_requests(seed: u64, case: u64, is_built_in: bool, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let kind = if is_built_in { random_built_in_kind(&mut random) } else { random_pond_kind(&mut random) };
    let rules = random_rules(&mut random, &kind);
    let text = to_text(&kind, &rules);
    let Some(output) = compile_policy(&text, &rules) else {
        tally.unjudged("a rule about a kind with subresources is refused");
        return;
    };
    let Some(engine) = PolicyEngine::of_output(&output) else { return };
    for _ in 0..ROUNDS {
        for asked in random_requests(&mut random, &kind, &rules) {
            let family = if is_built_in { kind.plural } else { "custom kind" };
            let claim = format!("policy of a RuleSet, {family}: {}", asked.name());
            let Answer::Accepted(accepted) = engine.answer(&asked.request) else {
                tally.unjudged(&format!("{claim}: no answer"));
                continue;
            };
            let refutation = asked.refute(&output, &rules, accepted).map(|reason| {
                let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
                format!("{text}\n{}\n{reason}\n{}", asked.describe(), files.join("\n---\n"))
            });
            tally.judge(&claim, format!("seed {seed}, case {case}"), refutation);
        }
    }
}

impl StoringRequest {
    fn refute(&self, output: &TargetOutput, rules: &[AuthoredRule], accepted: bool) -> Option<String> {
        match &self.after {
            Some(after) => {
                let given = Situation { value: after, stored: self.before.as_ref() };
                refute(&claims_of(output, rules, given), accepted)
            }
            None => (!accepted).then(|| "rejected, and no object is stored".to_owned()),
        }
    }
}

fn random_rules(random: &mut Random, kind: &Kind) -> Vec<AuthoredRule> {
    let count = random.between(1, RULES) as usize;
    let mut rules = Vec::new();
    while rules.len() < count {
        let name = format!("rule-{}", rules.len());
        let rule =
            if random.chance(1, 8) { random_growth_rule(random, &name) } else { random_rule(random, &name) };
        rules.extend(kind.moves.move_rule(&rule));
    }
    rules
}

fn to_text(kind: &Kind, rules: &[AuthoredRule]) -> String {
    let set = rule_set((kind.api_version, kind.kind), rules);
    let definition = kind.definition.as_ref().map(|it| format!("{it}\n---\n")).unwrap_or_default();
    format!("{definition}{set}\n")
}

/// The policy of a RuleSet; `None` if a rule is refused.
fn compile_policy(text: &str, rules: &[AuthoredRule]) -> Option<TargetOutput> {
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "rules.yaml", text));
    let set = reading.rule_sets.first().filter(|set| set.rules.len() == rules.len())?;
    let versions = set.versions();
    let request = CompileRequest {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..CompileRequest::for_virtual_machines(&[])
    };
    let target = find_emitter("admission-policy")?;
    compile_targets(&[target], &request).ok()?.into_iter().next()
}

/// One request of each operation and subresource.
fn random_requests(random: &mut Random, kind: &Kind, rules: &[AuthoredRule]) -> Vec<StoringRequest> {
    let complete = |object: Json| if kind.definition.is_some() { with_defaults(&object) } else { object };
    let new_object = |random: &mut Random| complete(kind.to_object(&random_object(random)));
    let accept = |object: &Json, stored: Option<&Json>| {
        rules.iter().all(|rule| rule.meaning.holds(Situation { value: object, stored }))
    };
    let sent = new_object(random);
    let created = kind.stored_by_write(&sent, None);
    let mut requests = vec![StoringRequest {
        request: Request::for_creation(kind.group, kind.plural, created.clone()),
        after: Some(created),
        before: None,
    }];
    // Policies excuse what the stored object violates already.
    let Some(stored) = (0..20).map(|_| new_object(random)).find(|it| accept(it, None)) else {
        return requests;
    };
    let updated = kind.stored_by_write(&sent, Some(&stored));
    requests.push(StoringRequest {
        request: Request::for_update(kind.group, kind.plural, updated.clone(), stored.clone()),
        after: Some(updated),
        before: Some(stored.clone()),
    });
    requests.push(StoringRequest {
        request: Request::for_deletion(kind.group, kind.plural, stored.clone()),
        after: None,
        before: Some(stored.clone()),
    });
    requests.extend(kind.subresources.iter().filter_map(|it| to_request(kind, it, &stored, &sent)));
    requests
}

/// A request for a subresource of a stored object.
fn to_request(kind: &Kind, subresource: &Subresource, stored: &Json, sent: &Json) -> Option<StoringRequest> {
    let after = subresource.stored_by_write(stored, sent)?;
    let (shown, old) = subresource.shown_by_write(stored, &after);
    let request = Request {
        operation: subresource.operation.to_owned(),
        subresource: subresource.name.to_owned(),
        // The version is that of the resource, whatever the kind of the object.
        version: kind.api_version.rsplit('/').next().unwrap_or_default().to_owned(),
        ..Request::for_update(kind.group, kind.plural, shown, old)
    };
    let stores = subresource.shows != Shown::Other;
    Some(StoringRequest { request, after: stores.then_some(after), before: Some(stored.clone()) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_for_the_scale_shows_the_count_and_stores_the_object() {
        let random = &mut Random::of_case(1, 0);
        let kinds = (0..100).map(|_| random_built_in_kind(random));
        let kind = kinds.into_iter().find(|kind| kind.plural == "deployments").expect("a Deployment");
        let scale = kind.subresources.iter().find(|it| it.name == "scale").expect("a scale");
        let object = |count: u8| json!({"kind": "Deployment", "spec": {"replicas": count, "paused": true}});
        let asked = to_request(&kind, scale, &object(1), &object(2)).expect("a request");
        assert_eq!((asked.name().as_str(), &asked.after), ("UPDATE scale", &Some(object(2))));
        assert_eq!(asked.request.object["spec"], json!({"replicas": 2}));
        assert_eq!(asked.request.old_object["spec"], json!({"replicas": 1}));
        assert_eq!((asked.request.group.as_str(), asked.request.version.as_str()), ("apps", "v1"));
    }
}
