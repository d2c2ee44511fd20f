//! Messages of validations. The answer to a request names no field for a policy, so the place of the rule is part of the text.

use kvrules_apiserver::definition::ResourceVersion;
use kvrules_generate::{PlaceStep, place_text};
use kvrules_lift::DefinitionRule;
use serde_json::Value;

use super::layout::ended_line;
use super::names::LoopNames;
use super::place::{PlaceElement, RulePlace, write_place};
use super::stored::StoredPlace;
use super::{rewrite_at, write_rule};
use crate::cel::quoted_text;

/// The message of a rule, with its place.
// apiextensions schema/cel/validation.go, ruleMessageOrDefault
pub(super) fn constant_message(version: &ResourceVersion, rule: &DefinitionRule) -> String {
    let text = message_or_rule(rule);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if text.contains(['\n', '\r']) { line } else { text };
    // The message of a rule that is written elsewhere names its paths from the object.
    if version.authored.is_some() { text } else { format!("{}{text}", location_prefix(rule)) }
}

/// The message, or the rule.
pub(super) fn message_or_rule(rule: &DefinitionRule) -> String {
    let own = rule.source.message.trim();
    if own.is_empty() { format!("failed rule: {}", rule.source.rule.trim()) } else { own.to_owned() }
}

/// The field that the server names for the rule, and a colon.
fn location_prefix(rule: &DefinitionRule) -> String {
    let below = rule.source.field_path.trim();
    let place = place_text(&rule.place);
    let location = match (place.is_empty(), below.starts_with('.')) {
        (true, true) => below.trim_start_matches('.').to_owned(),
        _ => format!("{place}{below}"),
    };
    if location.is_empty() { location } else { format!("{location}: ") }
}

/// The message that a rule computes, unless the place has several values in loops of their own.
pub(super) fn message_expression(
    version: &ResourceVersion,
    rule: &DefinitionRule,
    schema: &Value,
) -> Option<String> {
    let source = &rule.source;
    let parsed = Some(&source.message_expression).filter(|text| !text.is_empty());
    let expression = kvrules_cel::parse(parsed?).ok()?;
    let mut names = LoopNames::beside(&expression, &source.rule);
    let is_transition = source.is_transition_rule();
    let loops = rule.place.iter().filter(|step| **step == PlaceStep::Any).count();
    let stored = match (loops, is_transition) {
        (0, true) => StoredPlace::named(source.optional_old_self),
        (_, false) if source.message_expression.contains("oldSelf") => return None,
        (_, false) if version.excuses_unchanged() => StoredPlace::compared(schema),
        (_, false) => StoredPlace::Ignored,
        _ => return None,
    };
    let start = RulePlace::of_object(version, schema, stored);
    let text = if loops == 0 {
        at_one_place(rule, start, &expression, &mut names)
    } else {
        at_first_violation(rule, start, &expression, &mut names)
    };
    // The message of a rule that is written elsewhere names its paths itself.
    let prefix = if version.authored.is_some() { String::new() } else { location_prefix(rule) };
    let text = ended_line(&text?);
    let whole = if prefix.is_empty() {
        format!("string({text})")
    } else {
        format!("{} + ({text})", quoted_text(&prefix))
    };
    kvrules_cel::parse(&whole).is_ok().then_some(whole)
}

/// The message for the only value at a place.
fn at_one_place(
    rule: &DefinitionRule,
    start: RulePlace<'_>,
    expression: &kvrules_cel::ast::Expression,
    names: &mut LoopNames,
) -> Option<String> {
    let mut text = None;
    let mut body = |place: &RulePlace<'_>, names: &mut LoopNames| {
        text = rewrite_at(expression, place, names).ok().map(|rewritten| rewritten.text);
        Ok(String::new())
    };
    write_place(start, &rule.place, names, &mut body).ok()?;
    text
}

/// The message for the first element that violates the rule, in one loop.
fn at_first_violation(
    rule: &DefinitionRule,
    start: RulePlace<'_>,
    expression: &kvrules_cel::ast::Expression,
    names: &mut LoopNames,
) -> Option<String> {
    let at = rule.place.iter().position(|step| *step == PlaceStep::Any)?;
    let (around, below) = (rule.place.get(..at)?, rule.place.get(at + 1..)?);
    if below.contains(&PlaceStep::Any) {
        return None;
    }
    let (own, _) = rule.check_types().ok()?;
    let field = match around.last() {
        Some(PlaceStep::Field(name)) => name.as_str(),
        _ => "item",
    };
    let mut text = None;
    let mut of_range = |range: &RulePlace<'_>, names: &mut LoopNames| {
        let range = range.clone();
        let element = PlaceElement::of_range(range, field, names)?;
        let mut made = String::new();
        let mut of_element = |place: &RulePlace<'_>, names: &mut LoopNames| {
            made = rewrite_at(expression, place, names)?.text;
            Ok(write_rule(&own, &rewrite_at(&own, place, names)?, place, names))
        };
        let condition = write_place(element.place, below, names, &mut of_element)?;
        let (range, variable) = (element.range, element.variable);
        text = Some(format!("{range}.filter({variable}, !({condition})).map({variable}, {made})[0]"));
        Ok(String::new())
    };
    write_place(start, around, names, &mut of_range).ok()?;
    text
}
