//! Verdicts for people.

use kvrules::eval::{
    Evaluation, EvaluationFault, FoundValue, RuleAnswer, RuleDifference, RuleStatus, SpecAnswer, SpecVerdict,
    UnsoundRules, ValidatorAnswer,
};
use kvrules::render::{RenderFormat, RenderOptions, one_line as plain};

use super::crd;
use super::json::verdict_word;
use super::policy;
use crate::terminal::{ColorPainter, render_findings};

/// The verdict on an object in a line, and below it each rule that there is something to say about. Nothing when no
/// engine answered.
pub(super) fn render_evaluation(
    file: &str,
    evaluation: &Evaluation,
    trace: bool,
    paint: ColorPainter,
) -> String {
    if let Some(answer) = &evaluation.policy {
        let title = paint.bold(&plain(&object_title(file, evaluation)));
        let word = policy::verdict_word(answer, paint);
        return format!("{title}: {word}\n{}", policy::describe_answer(answer, trace, paint));
    }
    if let Some(answer) = &evaluation.crd {
        let title = paint.bold(&plain(&object_title(file, evaluation)));
        return format!(
            "{title}: {}\n{}",
            crd::verdict_word(answer, paint),
            crd::describe_answer(file, answer)
        );
    }
    let spec = evaluation.spec.as_ref().map(|answer| spec_word(answer, paint));
    let ssp = evaluation.ssp.as_ref().map(|answer| ssp_word(answer, paint));
    let verdict = match (spec, ssp) {
        (None, None) => return String::new(),
        (Some(spec), None) => spec,
        (None, Some(ssp)) => ssp,
        (Some(spec), Some(ssp)) => {
            let differ =
                if evaluation.has_engine_difference() { paint.bold("; they differ") } else { String::new() };
            format!("{spec} by meaning, {ssp} by the deployed validator{differ}")
        }
    };
    let rules = || evaluation.spec.iter().flat_map(|answer| &answer.rules);
    let but = if rules().any(RuleAnswer::is_unevaluated) { ", but not every rule was evaluated" } else { "" };
    let mut text = format!("{}: {verdict}{but}\n", paint.bold(&plain(&object_title(file, evaluation))));
    for rule in rules() {
        text += &spec_rule(rule, paint);
    }
    if let Some(answer) = &evaluation.ssp {
        let label = if evaluation.spec.is_some() { "validator: " } else { "" };
        text += &ssp_text(answer, label);
    }
    for one in &evaluation.differences {
        text.extend(render_difference(one).lines().map(|line| format!("  {line}\n")));
    }
    text
}

/// Renders the findings in rules.
pub(super) fn render_unsound(unsound: &UnsoundRules, color: bool) -> String {
    let options = RenderOptions { color, ..RenderOptions::default() };
    render_findings(RenderFormat::Human, &unsound.diagnostics, &unsound.sources, &options)
}

/// Returns the reason why something was not evaluated.
pub(super) fn render_fault(file: &str, evaluation: &Evaluation, fault: &EvaluationFault) -> String {
    let name = evaluation.name.as_ref().map(|name| format!("`{name}`: ")).unwrap_or_default();
    let message = format!("{file}:{}:{}: {name}{}", fault.at.line, fault.at.column, fault.message);
    plain(&message).into_owned()
}

/// Returns the title of an object: its name, or else its location.
pub(super) fn object_title(file: &str, evaluation: &Evaluation) -> String {
    let place = || format!("{file}:{}:{}", evaluation.at.line, evaluation.at.column);
    evaluation.name.clone().unwrap_or_else(place)
}

/// Describes how the engines differ, and the names of the differences that explain it, each on a line.
pub(super) fn render_difference(difference: &RuleDifference) -> String {
    let RuleDifference { rule, spec, ssp, named } = difference;
    let rule = rule.as_ref().map_or_else(|| "overall".to_owned(), |rule| format!("rule `{rule}`"));
    let what = format!("differs: {rule}: {spec} by its meaning, {ssp} for the deployed validator");
    let mut text = format!("{}\n", plain(&what));
    let named_lines = named.iter().map(|named| format!("  {} {}: {}\n", named.id, named.name, named.summary));
    text.extend(named_lines);
    if named.is_empty() {
        text += "  no named difference explains it; please report it\n";
    }
    text
}

fn spec_word(answer: &SpecAnswer, paint: ColorPainter) -> String {
    let word = answer.verdict.as_str();
    match answer.verdict {
        SpecVerdict::Satisfied => paint.green(word),
        SpecVerdict::Warned => paint.yellow(word),
        SpecVerdict::Rejected => paint.red(word),
    }
}

fn ssp_word(answer: &ValidatorAnswer, paint: ColorPainter) -> String {
    let word = verdict_word(answer);
    if answer.is_allowed() { paint.green(word) } else { paint.red(word) }
}

/// Describes a rule that is violated, not evaluated, or traced. Empty for any other rule.
fn spec_rule(rule: &RuleAnswer, paint: ColorPainter) -> String {
    let Some(reason) = &rule.reason else { return String::new() };
    let kind = if rule.severity == Some("warning") { " (warning)" } else { "" };
    let outcome = match (rule.is_violated(), rule.severity) {
        (true, Some("warning")) => paint.yellow(rule.outcome),
        (true, _) => paint.red(rule.outcome),
        (false, _) => rule.outcome.to_owned(),
    };
    let message = if rule.is_violated() { format!(": {}", plain(&rule.message)) } else { String::new() };
    let mut text = format!("  rule `{}` {outcome}{kind}{message}\n", plain(&rule.name));
    // The failures of values are printed below, with the location of each.
    if !rule.values.iter().any(|value| !value.failures.is_empty()) {
        text.extend(["    ", &plain(reason), "\n"]);
    }
    let guard = rule.guard.iter().flatten();
    text.extend(guard.map(|found| format!("    guard found {}\n", plain(&render_value(found)))));
    text.extend(rule.values.iter().map(|found| format!("    {}\n", plain(&render_value(found)))));
    text
}

/// A value with its place and origin, and why it fails.
pub(super) fn render_value(found: &FoundValue) -> String {
    let origin = match found.origin {
        "default" => " (default)",
        "zero" => " (not set)",
        _ => "",
    };
    let passes = if found.failures.is_empty() { "" } else { ": " };
    let FoundValue { location, value, failures, .. } = found;
    format!("{location} = {value}{origin}{passes}{}", failures.join("; "))
}

fn ssp_text(answer: &ValidatorAnswer, label: &str) -> String {
    let whole = [
        ("the VirtualMachine does not decode", &answer.vm_error),
        ("the rules do not decode", &answer.parse_error),
        ("it panics", &answer.panic),
    ];
    let mut text = String::new();
    for (what, why) in whole {
        text.extend(why.iter().map(|why| single_line(&format!("{label}{what}: {why}"))));
    }
    let statuses = answer.status.iter().flatten();
    text.extend(
        statuses.map(|status| single_line(&format!("{label}rule `{}` {}", status.name, ssp_status(status)))),
    );
    let causes = answer.causes.iter().flatten();
    text.extend(causes.map(|cause| single_line(&format!("{label}cause {}: {}", cause.field, cause.message))));
    text
}

fn single_line(text: &str) -> String {
    format!("  {}\n", plain(text))
}

fn ssp_status(status: &RuleStatus) -> String {
    match &status.error {
        Some(error) => format!("in error: {error}"),
        None if status.skipped => "skipped".to_owned(),
        None if status.satisfied => format!("satisfied: {}", status.message),
        None => format!("violated: {}", status.message),
    }
}
