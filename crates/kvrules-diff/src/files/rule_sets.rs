//! RuleSets as sides of a comparison: as the schema of their subject with their rules.
//!
//! A RuleSet is compared with another one, or with the definition that has the rules. In both cases the schemas are compared as
//! versions of a definition are, by the same proofs.

pub(super) mod placed_rules;
pub(super) mod rule_changes;

use kvrules_apiserver::definition::{AuthoredObjects, DOCUMENT_FIELD, ResourceVersion};
use kvrules_diagnostics::Level;
use kvrules_lift::definition_rules;
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity, RuleSubject};
use kvrules_sources::FileReading;
use serde_json::{Value, json};

use super::pair::{Found, MatchedUnits};
use super::{ComparableUnit, CrdVersion, UnitContent};
use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction};
use crate::schema::{RuleNames, Version, VersionContext, compare_versions_in};
use placed_rules::PlacedRules;
use rule_changes::join_moved_rules;

/// The RuleSets of a file.
pub(super) fn to_units(reading: &FileReading) -> Vec<ComparableUnit> {
    let unit = |set: &RuleSet| ComparableUnit {
        name: set.name.clone(),
        at: set.span.start,
        content: UnitContent::RuleSet(Box::new(set.clone())),
    };
    reading.rule_sets.iter().map(unit).collect()
}

/// The first error in the RuleSets of a file: with rules left out, the result would be wrong.
pub(super) fn find_error(reading: &FileReading) -> Option<&kvrules_diagnostics::Diagnostic> {
    let is_error = |found: &&kvrules_diagnostics::Diagnostic| {
        found.level == Level::Error && found.code.starts_with("KR")
    };
    reading.diagnostics.iter().find(is_error)
}

/// Compares two RuleSets.
pub(super) fn compare_rule_sets(old: &RuleSet, new: &RuleSet) -> Comparison {
    let mut result = Comparison::default();
    result.changes.extend(compare_heads(old, new));
    if subject_name(old) != subject_name(new) {
        return result;
    }
    let mut of_rules = Vec::new();
    for (_, severity) in RuleSeverity::ALL {
        let sides = [old, new].map(|set| severity_version(set, severity));
        if sides.iter().all(|version| definition_rules(&version.schema).is_empty()) {
            continue;
        }
        let [mut before, mut after] = sides;
        add_fields(&mut before.schema, &new.subject.version.schema);
        add_fields(&mut after.schema, &old.subject.version.schema);
        let placed = [PlacedRules::new(old, &before), PlacedRules::new(new, &after)];
        let compared = compare_placed(&before, &after, placed.each_ref().map(PlacedRules::names));
        result.compared += compared.compared;
        result.steps += compared.steps;
        for mut change in compared.changes {
            let rules = locate_rules(&mut change, &placed);
            show_words(&mut change, rules, &placed, &old.subject);
            if severity != RuleSeverity::Error {
                keep_acceptance(&mut change, severity);
            }
            of_rules.push((change, rules));
        }
    }
    result.changes.extend(join_moved_rules(of_rules));
    result
}

/// The rules that a change is about, to which its sites are moved.
fn locate_rules<'s>(change: &mut Change, placed: &[PlacedRules<'s>; 2]) -> [Option<&'s AuthoredRule>; 2] {
    let [old, new] = placed;
    let rules = [old.rule_at(&change.old), new.rule_at(&change.new)];
    old.relocate(&mut change.old);
    new.relocate(&mut change.new);
    rules
}

/// Compares RuleSets about one version with a definition of it; `is_new` if they are the new side.
pub(super) fn compare_with_definition(
    sets: &[&RuleSet],
    definition: &CrdVersion,
    is_new: bool,
) -> Comparison {
    let Some((first, others)) = sets.split_first() else { return Comparison::default() };
    let mut whole = (*first).clone();
    whole.rules.extend(others.iter().flat_map(|set| set.rules.iter().cloned()));
    let version = severity_version(&whole, RuleSeverity::Error);
    let theirs = ResourceVersion { schema: definition.version.schema.clone(), ..version.clone() };
    let placed = PlacedRules::new(&whole, &version);
    let [old, new] = if is_new { [&theirs, &version] } else { [&version, &theirs] };
    let mut compared = compare_placed(old, new, Default::default());
    for change in &mut compared.changes {
        placed.relocate(if is_new { &mut change.new } else { &mut change.old });
    }
    compared.changes.extend(whole.rules.iter().filter_map(|rule| reporting_rule(rule, is_new)));
    compared
}

/// A rule that only warns or reports, which no definition has.
fn reporting_rule(rule: &AuthoredRule, is_new: bool) -> Option<Change> {
    let name = (rule.severity != RuleSeverity::Error).then(|| rule.name.clone())?;
    let (before, after) = if is_new { (None, Some(name)) } else { (Some(name), None) };
    let mut change = Change::new("", "rule", vec![ChangedLimit::new("rule", before, after)]);
    let site = ChangeSite::Span(rule.span);
    if is_new {
        change.new = site;
    } else {
        change.old = site;
    }
    change.notes.push(format!("rules with the severity `{}` reject nothing", rule.severity.as_str()));
    change.direction = Direction::MessageOnly;
    change.proved = true;
    Some(change)
}

/// RuleSets about one version, with the definition that they are compared with.
pub(super) type RuleSetGroup<'s> = (Vec<Found<'s>>, Found<'s>);

/// Takes RuleSets of one side that are about a definition of the other one out of what has no partner. True for those of the new side.
pub(super) fn pair_with_definitions<'s>(matched: &mut MatchedUnits<'s>) -> Vec<(RuleSetGroup<'s>, bool)> {
    let MatchedUnits { removed, added, .. } = matched;
    let new = take_groups(added, removed).into_iter().map(|group| (group, true));
    let mut groups: Vec<_> = new.collect();
    groups.extend(take_groups(removed, added).into_iter().map(|group| (group, false)));
    groups
}

fn take_groups<'s>(sets: &mut Vec<Found<'s>>, definitions: &mut Vec<Found<'s>>) -> Vec<RuleSetGroup<'s>> {
    let mut groups = Vec::new();
    definitions.retain(|definition| {
        let UnitContent::Schema(schema) = &definition.1.content else { return true };
        let is_group = |unit: &Found<'_>| rule_set_of(*unit).is_some_and(|set| is_about(set, schema));
        let (group, rest): (Vec<_>, Vec<_>) = sets.iter().copied().partition(is_group);
        if group.is_empty() {
            return true;
        }
        *sets = rest;
        groups.push((group, *definition));
        false
    });
    groups
}

/// The RuleSet that a unit is.
pub(super) fn rule_set_of((_, unit): Found<'_>) -> Option<&RuleSet> {
    match &unit.content {
        UnitContent::RuleSet(set) => Some(set),
        _ => None,
    }
}

/// True if a RuleSet is about a version of a definition.
pub(super) fn is_about(set: &RuleSet, definition: &CrdVersion) -> bool {
    let [subject, defined] = [&set.subject.version, &definition.version];
    (&subject.group, &subject.version, &subject.kind) == (&defined.group, &defined.version, &defined.kind)
}

fn compare_placed(old: &ResourceVersion, new: &ResourceVersion, rule_names: [RuleNames; 2]) -> Comparison {
    let head = json!({"apiVersion": new.api_version(), "kind": new.kind, "metadata": {"name": "example"}});
    let [old, new] = [old, new].map(|side| Version { schema: &side.schema, has_status: side.has_status() });
    compare_versions_in(old, new, &head, &VersionContext { rule_names, ..VersionContext::default() })
}

/// The version of the subject with the rules of a severity; without rules, if none has it.
fn severity_version(set: &RuleSet, severity: RuleSeverity) -> ResourceVersion {
    set.version_with(severity).unwrap_or_else(|| set.subject.version.clone())
}

pub(super) fn subject_name(set: &RuleSet) -> String {
    let version = &set.subject.version;
    match set.subject.objects {
        AuthoredObjects::OfVersion => format!("{} {}", version.api_version(), version.kind),
        AuthoredObjects::OfAnyKind => "any".to_owned(),
        AuthoredObjects::Documents => format!("documents of {}", version.kind),
    }
}

/// Differences of what is next to the rules.
fn compare_heads(old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut add = |key: &str, limits: [Option<String>; 2], direction: Direction, note: &str| {
        let [before, after] = limits;
        if before == after {
            return;
        }
        let mut change = Change::new("", "value", vec![ChangedLimit::new(key, before, after)]);
        (change.old, change.new) = (ChangeSite::Span(old.span), ChangeSite::Span(new.span));
        change.direction = direction;
        change.notes.push(note.to_owned());
        changes.push(change);
    };
    let subjects = [old, new].map(|set| Some(subject_name(set)));
    add("subject", subjects, Direction::Incomparable, "the rules are about objects of another kind");
    let selections =
        [old, new].map(|set| set.selection.as_ref().map(|selection| selection.to_json().to_string()));
    let (at_most, note) = match &selections {
        [None, Some(_)] => {
            (Some(Direction::Loosened), "it can only be milder: the rules are evaluated for fewer requests")
        }
        [Some(_), None] => {
            (Some(Direction::Tightened), "it can only be stricter: the rules are evaluated for more requests")
        }
        _ => (None, "the selected objects are not compared"),
    };
    add("match", selections, Direction::Unknown, note);
    if let Some(change) = changes.last_mut().filter(|change| change.direction == Direction::Unknown) {
        change.at_most = at_most;
    }
    changes
}

/// A rule that only warns or reports accepts every object.
pub(super) fn keep_acceptance(change: &mut Change, severity: RuleSeverity) {
    if !matches!(change.direction, Direction::Equal | Direction::MessageOnly) {
        change.notes.push(format!("rules with the severity `{}` reject nothing", severity.as_str()));
        change.direction = Direction::MessageOnly;
    }
    change.proved = true;
    change.at_most = None;
    (change.refused, change.accepted) = (None, None);
}

/// Says a change of a rule in words: the names of the rules, and what they require. The rest of an entry follows from these, unless the
/// author wrote it.
fn show_words(
    change: &mut Change,
    [old, new]: [Option<&AuthoredRule>; 2],
    placed: &[PlacedRules<'_>; 2],
    subject: &RuleSubject,
) {
    if subject.is_of_documents() {
        for witness in [&mut change.refused, &mut change.accepted].into_iter().flatten() {
            let document = |value: &mut Value| {
                let object = std::mem::take(value);
                *value = subject.evaluated_object(object);
            };
            document(&mut witness.object);
            witness.previous.as_mut().map(document);
            witness.because = without_document(&witness.because);
        }
        change.at = without_document(&change.at);
    }
    for proof in &mut change.proofs {
        // The old rules imply that nothing is newly rejected, and the new ones that nothing is newly accepted.
        let [old, new] = placed;
        let (side, word) = if proof.excludes == Direction::Tightened { (old, "old") } else { (new, "new") };
        for premise in &mut proof.by {
            if let Some(rule) = side.named_by_proof(premise) {
                *premise = format!("`{}` of the {word} RuleSet", rule.name);
            }
        }
    }
    if old.is_none() && new.is_none() {
        return;
    }
    let requirement = |rule: &AuthoredRule| rule.requirement.clone();
    for limit in change.limits.iter_mut().filter(|limit| limit.key == "rule") {
        (limit.before, limit.after) = (old.map(requirement), new.map(requirement));
    }
    let is_own = |rule: Option<&AuthoredRule>| rule.is_some_and(AuthoredRule::has_own_message);
    change.limits.retain(|limit| match limit.key.as_str() {
        "message" => is_own(old) || is_own(new),
        "messageExpression" | "fieldPath" => false,
        _ => true,
    });
    // A message that follows from the requirement is no difference of its own.
    let has_message = change.limits.iter().any(|limit| limit.key != "rule");
    if change.direction == Direction::MessageOnly && !has_message {
        change.direction = Direction::Equal;
    }
    let named = |rule: &AuthoredRule| format!("rule `{}`", rule.name);
    let shown = match (old.map(named), new.map(named)) {
        (Some(old), Some(new)) if old == new => new,
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (one, other) => one.or(other).unwrap_or_default(),
    };
    change.at = if change.at.is_empty() { shown } else { format!("{} ({shown})", change.at) };
}

/// A path or a sentence about a document, which is in a field of the object that was compared.
pub(super) fn without_document(text: &str) -> String {
    match text.strip_prefix(DOCUMENT_FIELD) {
        Some(rest) => rest.trim_start_matches('.').to_owned(),
        None => text.to_owned(),
    }
}

/// Adds the fields of another schema: of the schema of a built-in kind, each RuleSet has only the fields that it names.
pub(super) fn add_fields(schema: &mut Value, other: &Value) {
    let (Some(own), Some(theirs)) = (schema.as_object_mut(), other.as_object()) else { return };
    for keyword in ["items", "additionalProperties"] {
        if let (Some(own), Some(theirs)) = (own.get_mut(keyword), theirs.get(keyword)) {
            add_fields(own, theirs);
        }
    }
    let Some(fields) = theirs.get("properties").and_then(Value::as_object) else { return };
    let properties = own.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    for (name, field) in fields {
        match properties.get_mut(name) {
            Some(known) => add_fields(known, field),
            None => _ = properties.insert(name.clone(), field.clone()),
        }
    }
}
