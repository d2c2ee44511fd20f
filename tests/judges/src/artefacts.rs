//! The judge of artefacts: what each target of a random RuleSet answers about random objects, against what the words mean and what the target
//! claims. Targets of definitions likewise, against what the rules in CEL say. Schemas run in the `jsonschema` crate, expressions in the interpreter of the `cel` crate, and definitions and policies in the
//! emulation of the server, which is held to recorded answers elsewhere.

mod annotations;
mod definition_requests;
mod definitions;
mod engines;
mod extra_specs;
mod kinds;
mod markers;
mod requests;

use kvrules::{Emitter, Exactness, FileId, Request, SourceFile, TargetOutput, all_targets, compile_targets};
use serde_json::Value as Json;

use self::engines::{Answer, engines_of};
use crate::words::{AuthoredRule, Situation, random_object, random_rule, rule_set_text, with_defaults};
use crate::{Budget, Judge, Random, Tally};

/// Most rules of one RuleSet.
const RULES: i64 = 3;

/// Objects for one RuleSet.
const OBJECTS: usize = 50;

pub(crate) static JUDGE: Judge = Judge {
    name: "artefacts",
    claims: "verdicts of the targets of RuleSets, definitions, annotations and extra specs, by their fidelity",
    claims_in_tests: 64000,
    common_kinds: &[
        "admission-policy by the server's emulation",
        "annotation: admission-policy by the server's emulation",
        "annotation: annotation by the judge's evaluator",
        "annotation: cel by the interpreter of `cel`",
        "annotation: crd by the server's emulation",
        "annotation: json-schema by jsonschema",
        "annotation: openapi by jsonschema",
        "annotation: warnings of admission-policy by the server's emulation",
        "cel by the server's emulation",
        "crd by the interpreter of `cel`",
        "crd by the server's emulation",
        "definition: admission-policy by the server's emulation",
        "definition: json-schema by jsonschema",
        "definition: openapi by jsonschema",
        "extra specs: glance-metadefs by jsonschema",
        "extra specs: glance-metadefs: keys without definition",
        "extra specs: json-schema by jsonschema",
        "extra specs: json-schema: keys without definition",
        "json-schema by jsonschema",
        "kube-rs by the server's emulation",
        "kubebuilder by the server's emulation",
        "openapi by jsonschema",
        "policy of a RuleSet, custom kind: CREATE",
        "policy of a RuleSet, custom kind: DELETE",
        "policy of a RuleSet, custom kind: UPDATE",
        "policy of a RuleSet, custom kind: UPDATE scale",
        "policy of a RuleSet, custom kind: UPDATE status",
        "policy of a RuleSet, deployments: CREATE",
        "policy of a RuleSet, deployments: DELETE",
        "policy of a RuleSet, deployments: UPDATE",
        "policy of a RuleSet, deployments: UPDATE scale",
        "policy of a RuleSet, deployments: UPDATE status",
        "policy of a RuleSet, namespaces: CREATE",
        "policy of a RuleSet, namespaces: DELETE",
        "policy of a RuleSet, namespaces: UPDATE",
        "policy of a RuleSet, namespaces: UPDATE finalize",
        "policy of a RuleSet, namespaces: UPDATE status",
        "policy of a RuleSet, pods: CONNECT exec",
        "policy of a RuleSet, pods: CREATE",
        "policy of a RuleSet, pods: CREATE binding",
        "policy of a RuleSet, pods: CREATE eviction",
        "policy of a RuleSet, pods: DELETE",
        "policy of a RuleSet, pods: UPDATE",
        "policy of a RuleSet, pods: UPDATE ephemeralcontainers",
        "policy of a RuleSet, pods: UPDATE resize",
        "policy of a RuleSet, pods: UPDATE status",
        "policy of a definition: CREATE",
        "policy of a definition: DELETE",
        "policy of a definition: UPDATE",
        "policy of a definition: UPDATE scale",
        "policy of a definition: UPDATE status",
    ],
    rare_kinds: &[],
    run,
};

fn run(seed: u64, budget: &Budget) -> Tally {
    let mut tally = Tally::default();
    let mut case = 0;
    while !budget.is_spent(&tally) {
        match case % 9 {
            2 | 5 => definitions::judge_definition(seed, case, &mut tally),
            3 => requests::judge_requests(seed, case, false, &mut tally),
            4 => requests::judge_requests(seed, case, true, &mut tally),
            7 => definition_requests::judge_definition_requests(seed, case, &mut tally),
            8 => extra_specs::judge_extra_specs(seed, case, &mut tally),
            6 => annotations::judge_annotation(seed, case, &mut tally),
            _ => judge_rule_set(seed, case, &mut tally),
        }
        case += 1;
    }
    tally
}

fn judge_rule_set(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    let count = random.between(1, RULES);
    let rules: Vec<AuthoredRule> =
        (0..count).map(|index| random_rule(&mut random, &format!("rule-{index}"))).collect();
    let text = rule_set_text(&rules);
    let reading = kvrules::read_rules(&SourceFile::new(FileId(0), "pond.yaml", text));
    let Some(set) = reading.rule_sets.first().filter(|set| set.rules.len() == rules.len()) else {
        tally.unjudged("a rule is refused");
        return;
    };
    let versions = set.versions();
    let request = Request {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    let targets: Vec<&Emitter> = all_targets().iter().copied().filter(|it| it.authored.is_some()).collect();
    let Ok(outputs) = compile_targets(&targets, &request) else {
        tally.unjudged("a target fails");
        return;
    };
    let objects: Vec<(Json, Option<Json>)> =
        (0..OBJECTS).map(|index| random_pair(&mut random, &rules, index)).collect();
    for output in &outputs {
        let engines = engines_of(output);
        if engines.is_empty() && output.output_files().next().is_some() {
            tally.unjudged(&format!("{}: no engine reads it", output.target));
        }
        for engine in engines {
            let kind = format!("{} by {}", output.target, engine.name);
            for (object, stored) in &objects {
                // Schemas see what people write, and admission what a server has completed.
                let completed = with_defaults(object);
                let seen = if engine.sees_defaults { &completed } else { object };
                let Answer::Accepted(accepted) = (engine.answer)(seen, stored.as_ref()) else {
                    tally.unjudged(&format!("{kind}: no answer"));
                    continue;
                };
                let given = Situation { value: &completed, stored: stored.as_ref() };
                let refutation = refute(&claims_of(output, &rules, given), accepted);
                let shown = refutation.map(|reason| {
                    let rules: Vec<String> = rules.iter().map(|rule| rule.rule.to_string()).collect();
                    let files: Vec<&str> = output.output_files().map(|file| file.text.as_str()).collect();
                    let stored = stored.as_ref().map(|it| format!("\nstored {it}")).unwrap_or_default();
                    format!(
                        "{}\nobject {object}{stored}\n{reason}\n{}",
                        rules.join("\n"),
                        files.join("\n---\n")
                    )
                });
                tally.judge(&kind, format!("seed {seed}, case {case}"), shown);
            }
        }
    }
}

/// An object, and for some an object that it replaces, which the rules accept.
fn random_pair(random: &mut Random, rules: &[AuthoredRule], index: usize) -> (Json, Option<Json>) {
    let object = random_object(random);
    if !index.is_multiple_of(3) {
        return (object, None);
    }
    // A server excuses what the stored object violates already.
    let stored = (0..20).map(|_| with_defaults(&random_object(random))).find(|stored| {
        rules.iter().all(|rule| rule.meaning.holds(Situation { value: stored, stored: None }))
    });
    (object, stored)
}

/// The claim of a target about a rule, and whether an object passes the rule.
struct Claim {
    rule: String,
    holds: bool,
    exactness: Exactness,
}

/// What a target claims of each rule.
fn claims_of(output: &TargetOutput, rules: &[AuthoredRule], given: Situation<'_>) -> Vec<Claim> {
    let claim = |rule: &AuthoredRule| {
        let name = rule.rule["name"].as_str().unwrap_or_default();
        let found = output.resources.fidelity.iter().find(|claim| claim.rule == name);
        let exactness = found.map_or(Exactness::Unsupported, |claim| claim.fidelity.exactness());
        Claim { rule: name.to_owned(), holds: rule.meaning.holds(given), exactness }
    };
    rules.iter().map(claim).collect()
}

/// The reason why an answer contradicts the claims.
fn refute(claims: &[Claim], accepted: bool) -> Option<String> {
    let violated =
        |wanted: &[Exactness]| claims.iter().find(|claim| wanted.contains(&claim.exactness) && !claim.holds);
    if accepted {
        let claim = violated(&[Exactness::Exact, Exactness::Narrower])?;
        return Some(format!("accepted, and {} is violated", claim.rule));
    }
    let is_restrictive =
        |claim: &Claim| matches!(claim.exactness, Exactness::Narrower | Exactness::Incomparable);
    let may_reject_more = claims.iter().any(is_restrictive);
    // A part of a rule that a target does not claim to express may reject what violates the rule.
    let is_violated = violated(&[Exactness::Exact, Exactness::Wider, Exactness::Unsupported]).is_some();
    (!may_reject_more && !is_violated).then(|| "rejected, and no rule is violated".to_owned())
}
