//! The comparison of two units of different notations.

use std::collections::{BTreeMap, HashMap};

use kvrules_generate::schema_at_place_mut;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_rule_set::RuleSeverity;
use serde_json::{Value, json};

use super::super::rule_sets::placed_rules::{entry_tokens, premise_name};
use super::super::rule_sets::{keep_acceptance, without_document};
use super::super::{ComparableUnit, UnitContent};
use super::common_schema::CommonSchema;
use super::engine::{SideEngine, confirm_examples};
use super::other_fields::join_other_fields;
use super::policy_writes::{WriteEntries, reads_stored};
use super::side::read_side;
use super::side_rules::{SideRule, SideRules};
use crate::report::{Change, ChangeSite, ChangedLimit, Comparison, Direction, WriteKind};
use crate::schema::{RuleNames, Version, VersionContext, compare_versions_in};

/// A unit, with the bindings if it is a policy.
pub(super) type BoundUnit<'s> = (&'s ComparableUnit, Vec<&'s Value>);

/// Two units of different notations about the same objects.
pub(super) struct NotationPair<'s> {
    pub(super) units: [BoundUnit<'s>; 2],
    pub(super) common: CommonSchema,
    pub(super) explains_proofs: bool,
}

/// The writes that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    All,
    Creations,
    Updates,
}

impl Writes {
    fn entries_of(self, entries: &WriteEntries) -> Vec<&Value> {
        match self {
            Self::All => entries.all(),
            Self::Creations => entries.creation.iter().filter(|entry| !reads_stored(entry)).collect(),
            Self::Updates => entries.update.iter().collect(),
        }
    }
}

/// The schema of one side with its rules of a severity.
#[derive(Clone)]
struct PlacedSide<'r> {
    schema: Value,
    rules: BTreeMap<Vec<String>, &'r SideRule>,
    /// The rules by what a proof calls them.
    premises: HashMap<String, &'r SideRule>,
    word: &'static str,
}

impl NotationPair<'_> {
    /// Compares the units by the objects that they accept, with examples that their engines confirm.
    ///
    /// # Errors
    ///
    /// The reason why no validator takes a JSON Schema.
    pub(super) fn compare(&self) -> Result<Comparison, String> {
        let [(one, first), (other, second)] = &self.units;
        let engines = [
            SideEngine::new(one, &self.common.kind, first)?,
            SideEngine::new(other, &self.common.kind, second)?,
        ];
        let sides = self.units.each_ref().map(|(unit, bindings)| read_side(unit, &self.common, bindings));
        let mut result = Comparison::default();
        for (_, severity) in RuleSeverity::ALL {
            let has_rules = |side: &SideRules| side.rules.iter().any(|rule| rule.severity == severity);
            if severity == RuleSeverity::Error || sides.iter().any(has_rules) {
                let compared = self.compare_severity(&sides, severity, engines.each_ref());
                result.compared += compared.compared;
                result.steps += compared.steps;
                result.changes.extend(compared.changes);
            }
        }
        let [old, new] = &sides;
        result.changes.extend(compare_selections(old, new));
        result.changes.extend(opaque_changes(old, new));
        Ok(result)
    }

    /// Compares the rules of a severity: for all writes at once, or for creations and updates if a side requires something of some of these
    /// alone.
    fn compare_severity(
        &self,
        sides: &[SideRules; 2],
        severity: RuleSeverity,
        engines: [&SideEngine; 2],
    ) -> Comparison {
        let own = |side: &SideRules| {
            side.rules.iter().any(|rule| rule.severity == severity && rule.entries.differ())
        };
        if !sides.iter().any(own) {
            return self.compare_writes(sides, severity, Writes::All, engines);
        }
        let mut created = self.compare_writes(sides, severity, Writes::Creations, engines);
        let updated = self.compare_writes(sides, severity, Writes::Updates, engines);
        let is_same = |one: &Change, other: &Change| {
            (&one.at, one.what, &one.limits, one.direction)
                == (&other.at, other.what, &other.limits, other.direction)
        };
        let (both, only): (Vec<Change>, Vec<Change>) = updated
            .changes
            .into_iter()
            .partition(|change| created.changes.iter().any(|other| is_same(other, change)));
        for change in &mut created.changes {
            if !both.iter().any(|other| is_same(other, change)) {
                change.notes.insert(0, "in creations".to_owned());
            }
        }
        let only = only.into_iter().map(|mut change| {
            change.notes.insert(0, "in updates".to_owned());
            change
        });
        created.changes.extend(only);
        created.steps += updated.steps;
        created
    }

    fn compare_writes(
        &self,
        sides: &[SideRules; 2],
        severity: RuleSeverity,
        writes: Writes,
        engines: [&SideEngine; 2],
    ) -> Comparison {
        let [old, new] = sides;
        let placed = [self.place_rules(0, old, severity, writes), self.place_rules(1, new, severity, writes)];
        let mut compared = self.compare_placed(&placed);
        compared.changes.retain(|change| change.what != "default" || change.direction != Direction::Equal);
        let is_rejecting = severity == RuleSeverity::Error;
        let stored =
            (writes == Writes::Updates && is_rejecting).then(|| self.accepted_object(&placed)).flatten();
        for change in &mut compared.changes {
            if let Some(stored) = &stored {
                let witnesses = [&mut change.refused, &mut change.accepted].into_iter().flatten();
                witnesses.filter(|witness| witness.previous.is_none()).for_each(|witness| {
                    witness.previous = Some(stored.clone());
                    witness.write = WriteKind::Update;
                });
            }
            self.show_rules(change, &placed);
            if is_rejecting {
                confirm_examples(change, engines);
            } else {
                keep_acceptance(change, severity);
            }
        }
        if self.common.is_of_side {
            compared.changes = join_other_fields(compared.changes, sides);
        }
        compared
    }

    /// An object that satisfies the rules of both sides: one that is rejected if nothing else is accepted.
    fn accepted_object(&self, [old, new]: &[PlacedSide<'_>; 2]) -> Option<Value> {
        let is_definition = |side: &&PlacedSide<'_>| side.word == DEFINITION;
        let (base, other) = if is_definition(&new) { (new, old) } else { (old, new) };
        let mut both = base.clone();
        other.rules.values().for_each(|rule| both.add_rule(rule, Writes::Creations));
        let mut nothing = both.schema.clone();
        let entries = nothing.as_object_mut()?.entry(VALIDATIONS).or_insert_with(|| json!([]));
        entries.as_array_mut()?.push(json!({"rule": "false"}));
        let [both, nothing] = [&both.schema, &nothing].map(|schema| Version { schema, has_status: false });
        let compared = compare_versions_in(both, nothing, &self.common.head(), &VersionContext::default());
        compared.changes.into_iter().find_map(|change| change.refused).map(|witness| witness.object)
    }

    fn place_rules<'r>(
        &self,
        side: usize,
        read: &'r SideRules,
        severity: RuleSeverity,
        writes: Writes,
    ) -> PlacedSide<'r> {
        let unit = self.units.get(side).map(|(unit, _)| *unit);
        let base = unit.filter(|_| severity == RuleSeverity::Error).map(|unit| self.common.base_of(unit));
        let word = unit.map_or("", |unit| notation_word(unit));
        let mut placed = PlacedSide {
            schema: base.unwrap_or_else(|| self.common.types()),
            rules: BTreeMap::new(),
            premises: HashMap::new(),
            word,
        };
        if writes == Writes::Creations {
            drop_transition_rules(&mut placed.schema);
        }
        read.rules
            .iter()
            .filter(|rule| rule.severity == severity)
            .for_each(|rule| placed.add_rule(rule, writes));
        placed
    }

    fn compare_placed(&self, [old, new]: &[PlacedSide<'_>; 2]) -> Comparison {
        let has_status = self.units.iter().any(|(unit, _)| {
            matches!(&unit.content, UnitContent::Schema(definition) if definition.version.has_status())
        });
        let context =
            VersionContext { explains_proofs: self.explains_proofs, rule_names: [old.names(), new.names()] };
        let [old, new] = [old, new].map(|side| Version { schema: &side.schema, has_status });
        compare_versions_in(old, new, &self.common.head(), &context)
    }

    /// Makes the examples of a change whole: documents as they are, and objects with what every object has.
    fn complete_examples(&self, change: &mut Change, reads_names: bool) {
        let head = self.common.head();
        for witness in [&mut change.refused, &mut change.accepted].into_iter().flatten() {
            for object in std::iter::once(&mut witness.object).chain(&mut witness.previous) {
                match &self.common.documents {
                    Some(subject) => *object = subject.evaluated_object(std::mem::take(object)),
                    None => add_head(object, &head, reads_names),
                }
            }
            if self.common.documents.is_some() {
                witness.because = without_document(&witness.because);
            }
        }
        if self.common.documents.is_some() {
            change.at = without_document(&change.at);
        }
    }

    /// Says a change in the words of the sides: the names of rules, what they require, and where they are.
    fn show_rules(&self, change: &mut Change, sides: &[PlacedSide<'_>; 2]) {
        self.complete_examples(change, reads_names(sides));
        let [old, new] = sides;
        for proof in &mut change.proofs {
            let side = if proof.excludes == Direction::Tightened { old } else { new };
            for premise in &mut proof.by {
                if let Some(rule) = side.premises.get(premise.as_str()) {
                    *premise = format!("`{}` of the {}", rule.name, side.word);
                }
            }
        }
        let rules = [old.rule_at(&change.old), new.rule_at(&change.new)];
        for limit in change.limits.iter_mut().filter(|limit| limit.key == "rule") {
            let text =
                |rule: Option<&SideRule>, own: Option<String>| rule.map(|rule| rule.text.clone()).or(own);
            limit.before = text(rules[0], limit.before.take());
            limit.after = text(rules[1], limit.after.take());
        }
        if rules.iter().any(Option::is_some) {
            // Each notation has messages of its own.
            change.limits.retain(|limit| {
                !["message", "messageExpression", "fieldPath", "reason"].contains(&limit.key.as_str())
            });
            if change.direction == Direction::MessageOnly {
                change.direction = Direction::Equal;
            }
        }
        let shown: Vec<String> = rules.iter().flatten().map(|rule| format!("rule `{}`", rule.name)).collect();
        if !shown.is_empty() {
            let shown = shown.join(" → ");
            change.at = if change.at.is_empty() { shown } else { format!("{} ({shown})", change.at) };
        }
        old.relocate(&mut change.old);
        new.relocate(&mut change.new);
    }
}

impl<'r> PlacedSide<'r> {
    fn add_rule(&mut self, rule: &'r SideRule, writes: Writes) {
        for entry in writes.entries_of(&rule.entries) {
            let Some(Value::Object(node)) = schema_at_place_mut(&mut self.schema, &rule.place) else {
                return;
            };
            let entries = node.entry(VALIDATIONS).or_insert_with(|| json!([]));
            let Some(entries) = entries.as_array_mut() else { return };
            let index = entries.len();
            entries.push(entry.clone());
            let text = entry.get("rule").and_then(Value::as_str).unwrap_or_default();
            self.premises.entry(premise_name(&rule.place, text)).or_insert(rule);
            self.rules.insert(entry_tokens(&self.schema, &rule.place, index), rule);
        }
    }

    fn names(&self) -> RuleNames {
        // A rule of several entries is several rules of the schema.
        let is_single = |rule: &SideRule| rule.entries.all().len() == 1;
        let named = self.rules.iter().filter(|(_, rule)| is_single(rule));
        named.map(|(tokens, rule)| (tokens.clone(), rule.name.clone())).collect()
    }

    fn rule_at(&self, site: &ChangeSite) -> Option<&'r SideRule> {
        let ChangeSite::Pointer(pointer) = site else { return None };
        let entries = pointer.iter().enumerate().filter(|(_, token)| *token == VALIDATIONS);
        entries.filter_map(|(at, _)| pointer.get(..at + 2)).find_map(|tokens| self.rules.get(tokens)).copied()
    }

    /// Replaces a site in the common schema with that of its rule. A definition has its own schema.
    fn relocate(&self, site: &mut ChangeSite) {
        if self.word != DEFINITION && matches!(site, ChangeSite::Pointer(_)) {
            *site = self.rule_at(site).map_or(ChangeSite::Absent, |rule| rule.site.clone());
        }
    }
}

/// Drops the rules that no creation evaluates.
fn drop_transition_rules(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            if let Some(Value::Array(entries)) = keywords.get_mut(VALIDATIONS) {
                entries.retain(|entry| !reads_stored(entry));
            }
            keywords.values_mut().for_each(drop_transition_rules);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_transition_rules),
        _ => {}
    }
}

/// Adds what every object has, and gives it the usual name, unless rules read names: an update does not change them.
fn add_head(object: &mut Value, head: &Value, reads_names: bool) {
    let (Some(fields), Some(head)) = (object.as_object_mut(), head.as_object()) else { return };
    for (name, value) in head {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if !reads_names {
        for name in ["generateName", "namespace"] {
            metadata.shift_remove(name);
        }
        metadata.insert("name".to_owned(), json!("example"));
    }
}

/// True if a rule of the sides reads the names of objects.
fn reads_names(sides: &[PlacedSide<'_>; 2]) -> bool {
    let reads = |text: String| {
        ["metadata.name", "metadata.generateName", "metadata.namespace"]
            .iter()
            .any(|name| text.contains(name))
    };
    let rules = sides.iter().flat_map(|side| side.rules.values());
    rules.flat_map(|rule| rule.entries.all()).any(|entry| reads(entry.to_string()))
}

const DEFINITION: &str = "definition";

/// The word for a unit of a notation.
pub(super) fn notation_word(unit: &ComparableUnit) -> &'static str {
    match &unit.content {
        UnitContent::Rules(_) => "template",
        UnitContent::Schema(_) => DEFINITION,
        UnitContent::JsonSchema(_) => "JSON Schema",
        UnitContent::RuleSet(_) => "RuleSet",
        UnitContent::Policy(policy) if policy.kind == "ValidatingAdmissionPolicy" => "policy",
        UnitContent::Policy(policy) => policy.kind,
        UnitContent::ExtraSpecs(_) => "document of extra specs",
    }
}

/// The requests that are evaluated: those that a side leaves out pass it.
fn compare_selections(old: &SideRules, new: &SideRules) -> Option<Change> {
    let limits = [&old.selection, &new.selection].map(Clone::clone);
    let at_most = match &limits {
        [None, None] => return None,
        [None, Some(_)] => Some(Direction::Loosened),
        [Some(_), None] => Some(Direction::Tightened),
        [Some(_), Some(_)] => None,
    };
    let [before, after] = limits;
    let mut change = Change::new("", "value", vec![ChangedLimit::new("match", before, after)]);
    change.at_most = at_most;
    change.notes.push(match at_most {
        Some(Direction::Loosened) => {
            "it can only be milder: the rules are evaluated for fewer requests".to_owned()
        }
        Some(_) => "it can only be stricter: the rules are evaluated for more requests".to_owned(),
        None => "the selected objects are not compared".to_owned(),
    });
    Some(change)
}

/// Parts that no rule of a schema expresses: the new side may reject more because of its own, and the old side of those of its own.
fn opaque_changes(old: &SideRules, new: &SideRules) -> Vec<Change> {
    let mut changes = Vec::new();
    for (side, is_new) in [(old, false), (new, true)] {
        for part in &side.opaque {
            let own = Some(part.name.clone());
            let (before, after) = if is_new { (None, own) } else { (own, None) };
            let what = if is_new { "rule added" } else { "rule removed" };
            let mut change = Change::new(
                format!("rule `{}`", part.name),
                what,
                vec![ChangedLimit::new("rule", before, after)],
            );
            *(if is_new { &mut change.new } else { &mut change.old }) = part.site.clone();
            change.at_most = Some(if is_new { Direction::Tightened } else { Direction::Loosened });
            change.notes.push(format!("it could not be decided: {}", part.reason));
            if part.severity != RuleSeverity::Error {
                keep_acceptance(&mut change, part.severity);
            }
            changes.push(change);
        }
    }
    changes
}
