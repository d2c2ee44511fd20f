//! Verdicts for machines.

use kvrules::eval::{AdmissionAnswer, CrdAnswer, Evaluation, RuleDifference, SpecAnswer, ValidatorAnswer};
use kvrules::render::json_text;
use serde::Serialize;

use crate::text::UnreadFile;

/// Result for one object.
#[derive(Debug, Serialize)]
pub(super) struct Record<'j> {
    file: &'j str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    name: Option<&'j str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'j SpecAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssp: Option<SspRecord<'j>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crd: Option<&'j CrdAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'j AdmissionAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    differ: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<&'j [RuleDifference]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Answer of the deployed validator.
#[derive(Debug, Serialize)]
struct SspRecord<'j> {
    verdict: &'static str,
    #[serde(flatten)]
    answer: &'j ValidatorAnswer,
}

/// The record of an object.
pub(super) fn evaluation_record<'j>(file: &'j str, evaluation: &'j Evaluation) -> Record<'j> {
    let both = evaluation.spec.is_some() && evaluation.ssp.is_some();
    let ssp = evaluation.ssp.as_ref();
    Record {
        file,
        line: Some(evaluation.at.line),
        column: Some(evaluation.at.column),
        name: evaluation.name.as_deref(),
        spec: evaluation.spec.as_ref(),
        ssp: ssp.map(|answer| SspRecord { verdict: verdict_word(answer), answer }),
        crd: evaluation.crd.as_ref(),
        policy: evaluation.policy.as_ref(),
        differ: both.then(|| evaluation.has_engine_difference()),
        differences: (both || !evaluation.differences.is_empty()).then_some(&evaluation.differences),
        error: evaluation.fault.as_ref().map(|fault| fault.message.clone()),
    }
}

/// The record of a text that could not be read.
pub(super) fn unread_record<'j>(file: &'j str, line: Option<u32>, unread: &UnreadFile) -> Record<'j> {
    let (line, column) = match unread.at {
        Some(at) => (Some(at.line), Some(at.column)),
        None => (line, None),
    };
    let error = Some(unread.message.clone());
    Record {
        file,
        line,
        column,
        name: None,
        spec: None,
        ssp: None,
        crd: None,
        policy: None,
        differ: None,
        differences: None,
        error,
    }
}

/// A record as a line, or as an item of an array after others.
pub(super) fn render_record(record: &Record<'_>, lines: bool) -> String {
    // The keys are strings and all types are ours, so serializing cannot fail.
    let text = serde_json::to_string(record).unwrap_or_default();
    let text = json_text(&text);
    if lines { format!("{text}\n") } else { format!(",\n{text}") }
}

/// `allowed` or `denied`.
pub(super) fn verdict_word(answer: &ValidatorAnswer) -> &'static str {
    if answer.is_allowed() { "allowed" } else { "denied" }
}
