//! Answers of each engine about an object, and their differences.

use std::borrow::Cow;

use kvrules_eval::{Outcome, Verdict, explain_rule};
use kvrules_ir::OmissionKind;
use kvrules_template_validator::divergence::{ModelComparison, SspOutcome, effects_agree};
use kvrules_template_validator::{Machine, ValidatorAnswer as SspAnswer};
use serde_json::Value;

use super::answer::{NamedDifference, RuleAnswer, RuleDifference, SpecAnswer, SpecVerdict};
use super::rules::PreparedRules;

/// Evaluates the rules on an object by their meaning; returns the answer and the verdict of each rule that has one.
pub(super) fn evaluate_meaning(
    prepared: &PreparedRules,
    object: &Value,
    trace: bool,
) -> (SpecAnswer, Vec<Verdict>) {
    let (mut verdict, mut answers, mut verdicts) = (SpecVerdict::Satisfied, Vec::new(), Vec::new());
    for (rule, program) in &prepared.rules {
        let wording = program.evaluate_object(object);
        let violated = wording.outcome == Outcome::Violated;
        if wording.rejects_object() {
            verdict = SpecVerdict::Rejected;
        } else if violated && verdict == SpecVerdict::Satisfied {
            verdict = SpecVerdict::Warned;
        }
        let explanation = if trace || violated { explain_rule(rule, object).ok() } else { None };
        answers.push(RuleAnswer::new(rule, wording.outcome, explanation, trace));
        verdicts.push(wording);
    }
    let left_out = prepared.left_out.iter();
    answers.extend(left_out.map(|rule| {
        let is_ignored = rule.cause.kind == OmissionKind::UnknownRule;
        let answer = if is_ignored { RuleAnswer::ignored } else { RuleAnswer::not_evaluated };
        answer(&rule.name, rule.cause.text.clone())
    }));
    (SpecAnswer { verdict, rules: answers }, verdicts)
}

/// The JSON of an object: as it is written, if it is JSON already and has no parameters, since the validator quotes it.
pub(super) fn text_of<'t>(object: &Value, written: &'t str) -> Cow<'t, str> {
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(written).is_ok();
    if !written.contains("${") && is_json() { Cow::Borrowed(written) } else { Cow::Owned(object.to_string()) }
}

/// Returns the answer of the deployed validator.
pub(super) fn run_validator(prepared: &PreparedRules, object: &str) -> SspAnswer {
    let machine = match Machine::decode_json(object) {
        Ok(machine) => machine,
        Err(error) => return SspAnswer { vm_error: Some(error.to_string()), ..SspAnswer::default() },
    };
    match &prepared.ssp {
        Ok(rules) => rules.evaluate_machine(&machine),
        Err(error) => SspAnswer { parse_error: Some(error.to_string()), ..SspAnswer::default() },
    }
}

/// Returns the differences between two answers, by name. The names are looked up only on a difference: that is slow.
pub(super) fn find_differences(
    prepared: &PreparedRules,
    (spec, verdicts): (&SpecAnswer, &[Verdict]),
    answer: &SspAnswer,
    (text, object): (&str, &Value),
) -> Vec<RuleDifference> {
    let compare = || prepared.as_both_engines().compare_differing_rules(answer, text, object);
    match &answer.status {
        None if spec.verdict == SpecVerdict::Rejected => Vec::new(),
        None => vec![whole_difference(spec.verdict, answer, &compare())],
        Some(statuses) => {
            let outcomes: Vec<_> = statuses.iter().map(SspOutcome::new).collect();
            if is_same_effect(prepared, verdicts, &outcomes) { Vec::new() } else { by_rule(&compare()) }
        }
    }
}

/// True if each rule has the same effect in both.
fn is_same_effect(prepared: &PreparedRules, verdicts: &[Verdict], outcomes: &[SspOutcome]) -> bool {
    let agrees = |(member, outcome): (&super::rules::RuleListMember, &SspOutcome)| {
        let wording = member.rule.and_then(|at| verdicts.get(at));
        let rejects = wording.is_some_and(|wording| wording.rejects_object());
        effects_agree(wording.map(|wording| wording.outcome), rejects, member.only_warns, outcome)
    };
    prepared.members.len() == outcomes.len() && prepared.members.iter().zip(outcomes).all(agrees)
}

fn by_rule(comparison: &ModelComparison) -> Vec<RuleDifference> {
    let differing = comparison.rules.iter().filter(|rule| !rule.agree);
    let differences = differing.map(|rule| {
        let outcome = rule.context.spec.outcome();
        RuleDifference {
            rule: Some(rule.context.written.name.clone()),
            spec: outcome.map_or("left out", Outcome::as_str).to_owned(),
            ssp: rule.context.ssp.to_string(),
            named: named_differences(&rule.named),
        }
    });
    differences.collect()
}

fn whole_difference(
    verdict: SpecVerdict,
    answer: &SspAnswer,
    comparison: &ModelComparison,
) -> RuleDifference {
    let causes = [
        ("object rejected", &answer.vm_error),
        ("rules rejected", &answer.parse_error),
        ("crash", &answer.panic),
    ];
    let cause = causes.into_iter().find_map(|(what, words)| Some(format!("{what}: {}", words.as_ref()?)));
    RuleDifference {
        rule: None,
        spec: verdict.as_str().to_owned(),
        ssp: cause.unwrap_or_default(),
        named: named_differences(&comparison.whole),
    }
}

fn named_differences(ids: &[&'static str]) -> Vec<NamedDifference> {
    let known =
        kvrules_template_validator::divergence::DIFFERENCES.iter().filter(|known| ids.contains(&known.id));
    let named = |known: &&kvrules_template_validator::divergence::Difference| NamedDifference {
        id: known.id,
        name: known.name,
        summary: known.summary,
    };
    known.map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::by_rule;

    #[test]
    fn a_difference_without_a_name_is_told_without_one() {
        let rules = r#"[{"name": "r", "rule": "nope", "message": "m", "path": "jsonpath::.spec"}]"#;
        let machine = r#"{"spec": {"template": {}}}"#;
        let mut comparison =
            kvrules_template_validator::divergence::compare_annotation(rules, machine).unwrap();
        assert_eq!(by_rule(&comparison)[0].named[0].id, "D6");
        comparison.rules[0].named.clear();
        assert_eq!(by_rule(&comparison).len(), 1);
        assert!(by_rule(&comparison)[0].named.is_empty());
    }
}
