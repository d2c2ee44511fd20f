//! RuleSets as sides of a comparison: as the schema of their subject with their rules.
//!
//! A RuleSet is compared with another one, or with the definition that has the rules. In both cases the schemas are compared as
//! versions of a definition are, by the same proofs.

use std::collections::BTreeMap;

use kvrules_apiserver::definition::{AuthoredObjects, DOCUMENT_FIELD, ResourceVersion};
use kvrules_diagnostics::{Level, Span};
use kvrules_generate::PlaceStep;
use kvrules_lift::definition_rules;
use kvrules_rule_set::{AuthoredRule, RuleSet, RuleSeverity};
use kvrules_schema_keywords::VALIDATIONS;
use kvrules_sources::FileReading;
use serde_json::{Value, json};

use super::pair::{Found, MatchedUnits};
use super::{ComparableKind, ComparableUnit, CrdVersion, UnitContent};
use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction};
use crate::schema::{Version, compare_versions};

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
    for (_, severity) in RuleSeverity::ALL {
        let sides = [old, new].map(|set| severity_version(set, severity));
        if sides.iter().all(|version| definition_rules(&version.schema).is_empty()) {
            continue;
        }
        let [mut before, mut after] = sides;
        add_fields(&mut before.schema, &new.subject.version.schema);
        add_fields(&mut after.schema, &old.subject.version.schema);
        let mut compared = compare_placed(&before, &after);
        let (of_old, of_new) = (rule_sites(old, &before), rule_sites(new, &after));
        for change in &mut compared.changes {
            let rules = [find_rule(&change.old, &of_old, old), find_rule(&change.new, &of_new, new)];
            relocate(&mut change.old, &of_old, old.span);
            relocate(&mut change.new, &of_new, new.span);
            show_words(change, rules, [old, new]);
            if severity != RuleSeverity::Error {
                keep_acceptance(change, severity);
            }
        }
        result.changes.extend(compared.changes);
        result.compared += compared.compared;
        result.steps += compared.steps;
    }
    result
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
    let sites = rule_sites(&whole, &version);
    let mut compared =
        if is_new { compare_placed(&theirs, &version) } else { compare_placed(&version, &theirs) };
    for change in &mut compared.changes {
        relocate(if is_new { &mut change.new } else { &mut change.old }, &sites, first.span);
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

/// True if one side has RuleSets and the other definitions.
pub(super) fn are_comparable(old: &[ComparableKind], new: &[ComparableKind]) -> bool {
    let has = |kinds: &[ComparableKind], name: &str| kinds.iter().any(|kind| kind.name == name);
    (has(old, "RuleSet") && has(new, "schema")) || (has(old, "schema") && has(new, "RuleSet"))
}

/// True if a RuleSet is about a version of a definition.
pub(super) fn is_about(set: &RuleSet, definition: &CrdVersion) -> bool {
    let [subject, defined] = [&set.subject.version, &definition.version];
    (&subject.group, &subject.version, &subject.kind) == (&defined.group, &defined.version, &defined.kind)
}

fn compare_placed(old: &ResourceVersion, new: &ResourceVersion) -> Comparison {
    let head = json!({"apiVersion": new.api_version(), "kind": new.kind, "metadata": {"name": "example"}});
    let side = |version: &'_ ResourceVersion| version.has_status();
    compare_versions(
        Version { schema: &old.schema, has_status: side(old) },
        Version { schema: &new.schema, has_status: side(new) },
        &head,
    )
}

/// The version of the subject with the rules of a severity; without rules, if none has it.
fn severity_version(set: &RuleSet, severity: RuleSeverity) -> ResourceVersion {
    set.version_with(severity).unwrap_or_else(|| set.subject.version.clone())
}

fn subject_name(set: &RuleSet) -> String {
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
fn keep_acceptance(change: &mut Change, severity: RuleSeverity) {
    if !matches!(change.direction, Direction::Equal | Direction::MessageOnly) {
        change.notes.push(format!("rules with the severity `{}` reject nothing", severity.as_str()));
        change.direction = Direction::MessageOnly;
    }
    change.proved = true;
    change.at_most = None;
    (change.refused, change.accepted) = (None, None);
}

/// The locations of the rules in a schema, by the tokens that lead to their entries.
fn rule_sites(set: &RuleSet, version: &ResourceVersion) -> BTreeMap<Vec<String>, Span> {
    let names = version.authored.as_ref().map(|authored| authored.rule_names.clone()).unwrap_or_default();
    let mut sites = BTreeMap::new();
    for rule in definition_rules(&version.schema) {
        let wanted = names.get(&rule.name_by_place());
        let span = set.rules.iter().find(|known| wanted == Some(&known.name)).map(|known| known.span);
        let tokens = entry_tokens(&version.schema, &rule.place, rule.index);
        sites.extend(span.map(|span| (tokens, span)));
    }
    sites
}

fn entry_tokens(schema: &Value, place: &[PlaceStep], index: usize) -> Vec<String> {
    let (mut tokens, mut node) = (Vec::new(), schema);
    for step in place {
        let below: Vec<String> = match step {
            PlaceStep::Field(name) => vec!["properties".to_owned(), name.clone()],
            PlaceStep::Any if node.get("items").is_some() => vec!["items".to_owned()],
            PlaceStep::Any => vec!["additionalProperties".to_owned()],
        };
        node = below.iter().try_fold(node, |node, token| node.get(token)).unwrap_or(&Value::Null);
        tokens.extend(below);
    }
    tokens.extend([VALIDATIONS.to_owned(), index.to_string()]);
    tokens
}

/// The rule that a site in the schema belongs to.
fn find_rule<'s>(
    site: &ChangeSite,
    sites: &BTreeMap<Vec<String>, Span>,
    set: &'s RuleSet,
) -> Option<&'s AuthoredRule> {
    let ChangeSite::Pointer(pointer) = site else { return None };
    let (_, span) = sites.iter().find(|(tokens, _)| pointer.starts_with(tokens))?;
    set.rules.iter().find(|rule| rule.span == *span)
}

/// Says a change of a rule in words: the names of the rules, and what they require. The rest of an entry follows from these, unless the
/// author wrote it.
fn show_words(change: &mut Change, [old, new]: [Option<&AuthoredRule>; 2], sets: [&RuleSet; 2]) {
    let [first, _] = sets;
    if first.subject.is_of_documents() {
        for witness in [&mut change.refused, &mut change.accepted].into_iter().flatten() {
            let document = |value: &mut Value| {
                let object = std::mem::take(value);
                *value = first.subject.evaluated_object(object);
            };
            document(&mut witness.object);
            witness.previous.as_mut().map(document);
            witness.because = without_document(&witness.because);
        }
        change.at = without_document(&change.at);
    }
    for premise in change.proofs.iter_mut().flat_map(|proof| &mut proof.by) {
        let is_it = |rule: &&AuthoredRule| premise.starts_with(&format!("`{}`", rule.expression.trim()));
        let found = sets.iter().flat_map(|set| &set.rules).find(is_it);
        if let Some(rule) = found {
            *premise = format!("`{}`", rule.name);
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
    let named = |rule: &AuthoredRule| format!("rule `{}`", rule.name);
    let shown = match (old.map(named), new.map(named)) {
        (Some(old), Some(new)) if old == new => new,
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (one, other) => one.or(other).unwrap_or_default(),
    };
    change.at = if change.at.is_empty() { shown } else { format!("{} ({shown})", change.at) };
}

/// A path or a sentence about a document, which is in a field of the object that was compared.
fn without_document(text: &str) -> String {
    match text.strip_prefix(DOCUMENT_FIELD) {
        Some(rest) => rest.trim_start_matches('.').to_owned(),
        None => text.to_owned(),
    }
}

/// The location of the rule that a site in the schema belongs to, else of the RuleSet.
fn relocate(site: &mut ChangeSite, sites: &BTreeMap<Vec<String>, Span>, whole: Span) {
    let ChangeSite::Pointer(pointer) = &*site else { return };
    let found = sites.iter().find(|(tokens, _)| pointer.starts_with(tokens)).map(|(_, span)| *span);
    *site = ChangeSite::Span(found.unwrap_or(whole));
}

/// Adds the fields of another schema: of the schema of a built-in kind, each RuleSet has only the fields that it names.
fn add_fields(schema: &mut Value, other: &Value) {
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
