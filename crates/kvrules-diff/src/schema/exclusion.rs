//! Proofs that a difference has no effect in one direction: what the accepting side requires implies the rule or keyword of the
//! other side.
//!
//! An object that one side accepts satisfies its schema and all its rules, and so does the stored object of an update. So a
//! rule or keyword of the other side that these imply rejects none of them. The implication is searched for at the place of the
//! difference, then around it.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{
    DefinitionRule, PlacedFormula, RuleTiming, certify_implication, explain_claim, is_implied,
    stored_value_exists,
};
use serde_json::Value;

use super::conjuncts::are_required;
use super::edit::ObjectEdit;
use super::formulas::{SideRules, keywords_formula, place_steps};
use super::keyword::{
    JUNCTORS, LIST_KEYS, LIST_TYPE, RULES, find_property, has_branches, keyword_list, keyword_text,
    keyword_texts,
};
use super::value_shape::see_same_values;
use super::walk::is_open as is_open_node;
use crate::bound::ImpliedDirection;
use crate::report::{Direction, ExclusionProof, ProofExplanation};

/// The most rules that are lifted for one comparison.
const MOST_LIFTED: usize = 1_200;
/// The most implications that are examined for one comparison, and for one difference in one direction.
const MOST_EXAMINED: usize = 4_000;
const MOST_FOR_EACH: usize = 60;
/// The most rules that are premises together.
const MOST_PREMISES: usize = 12;

/// Searches proofs for the differences of two schemas.
pub(super) struct ExclusionSearch<'s> {
    old: SideRules<'s>,
    new: SideRules<'s>,
    /// Number of implications that may still be examined.
    left: Cell<usize>,
    /// True if proofs are explained.
    explains_proofs: bool,
}

impl<'s> ExclusionSearch<'s> {
    pub(super) fn new(old: &'s Value, new: &'s Value, explains_proofs: bool) -> Self {
        let lifts = Rc::new(Cell::new(MOST_LIFTED));
        Self {
            old: SideRules::new(old, Rc::clone(&lifts)),
            new: SideRules::new(new, lifts),
            left: Cell::new(MOST_EXAMINED),
            explains_proofs,
        }
    }

    /// The rules of both sides, the old ones first.
    pub(super) fn sides(&self) -> [&SideRules<'s>; 2] {
        [&self.old, &self.new]
    }

    /// Decides a default, and the declaration of a field with one, that no rule reads.
    pub(super) fn decide_unread_default(&self, edit: &mut ObjectEdit) {
        let bound = match edit.change.what {
            "field added" => ImpliedDirection::Looser,
            "field removed" => ImpliedDirection::Tighter,
            "default" => ImpliedDirection::Equal,
            _ => return,
        };
        let key = edit.keys.first().map(Vec::as_slice).unwrap_or_default();
        let ([properties, name], true) =
            (key.get(..2).unwrap_or_default(), edit.bound == ImpliedDirection::Open)
        else {
            return;
        };
        let place = place_steps(&edit.downs);
        let sides = [&self.old, &self.new];
        let is_free = |side: &&SideRules<'_>| {
            is_free_field(side.schema, &place, name) && side.rules_do_not_read(&place, name).unwrap_or(false)
        };
        // In a node that accepts undeclared fields, a declaration restricts the values as well.
        let is_closed = |side: &&SideRules<'_>| {
            schema_at_place(side.schema, &place).is_some_and(|node| !is_open_node(node))
        };
        if properties == "properties" && sides.iter().all(is_free) && sides.iter().all(is_closed) {
            edit.bound = bound;
        }
    }

    /// Excludes the directions of a difference that it is proved not to have.
    pub(super) fn exclude_directions(&self, edit: &mut ObjectEdit) {
        if edit.bound == ImpliedDirection::Equal || edit.moves_status {
            return;
        }
        if matches!(edit.bound, ImpliedDirection::Open | ImpliedDirection::Looser) {
            self.exclude(edit, Direction::Loosened);
        }
        if matches!(edit.bound, ImpliedDirection::Open | ImpliedDirection::Tighter) {
            self.exclude(edit, Direction::Tightened);
        }
        let excludes = |direction| edit.proofs.iter().any(|proof| proof.excludes == direction);
        edit.bound = edit.bound.without(excludes(Direction::Tightened), excludes(Direction::Loosened));
    }

    fn exclude(&self, edit: &mut ObjectEdit, direction: Direction) {
        let is_tightening = direction == Direction::Tightened;
        let (accepting, other) = if is_tightening { (&self.old, &self.new) } else { (&self.new, &self.old) };
        if is_required_by_keywords(accepting, other, edit) {
            edit.proofs.push(ExclusionProof { excludes: direction, by: Vec::new(), explanation: None });
            return;
        }
        let conclusion = match required_condition(edit, other, !is_tightening) {
            Some(Ok(conclusion)) => conclusion,
            Some(Err(reason)) => {
                edit.open_questions.push(reason);
                return;
            }
            None => return,
        };
        let names = conclusion.field_names();
        if !see_same_values(
            (self.old.schema, self.new.schema),
            &conclusion.place,
            &conclusion.formula,
            &names,
        ) {
            if edit.pair.is_some() {
                edit.open_questions
                    .push("the types or defaults of what the rule reads have changed".to_owned());
            }
            return;
        }
        match self.find_premises(accepting, &conclusion, &names, edit.pair.is_some()) {
            Some((by, explanation)) => {
                edit.proofs.push(ExclusionProof { excludes: direction, by, explanation });
            }
            None => edit.open_questions.extend(Self::opaque_rules(accepting, &conclusion)),
        }
    }

    /// The rules of a side that imply a condition together with its schema; none if the schema does alone. With the explanation, if it was
    /// asked for.
    fn find_premises(
        &self,
        accepting: &SideRules<'_>,
        conclusion: &PlacedFormula,
        names: &HashSet<String>,
        is_rule: bool,
    ) -> Option<(Vec<String>, Option<ProofExplanation>)> {
        let left = Cell::new(MOST_FOR_EACH.min(self.left.get()));
        let before = left.get();
        let found = (0..=conclusion.place.len()).rev().find_map(|above| {
            let around = Surroundings { accepting, conclusion, above, left: &left };
            let explained = |premises: &[&PlacedFormula]| {
                let names = premises.iter().map(|premise| premise.name.clone()).collect();
                (names, self.explains_proofs.then(|| around.explain(premises)))
            };
            let candidates = around.candidates(names);
            let is_own_place = above == conclusion.place.len();
            if is_own_place && is_rule && around.implies(&[]) {
                return Some(explained(&[]));
            }
            let mut alone = candidates.iter().filter(|rule| around.is_on_way(&rule.place));
            let one = alone.find(|rule| around.implies(&[rule]));
            let all: Vec<&PlacedFormula> = candidates.iter().take(MOST_PREMISES).collect();
            let together = || (all.len() > 1 && around.implies(&all)).then(|| around.needed(all.clone()));
            one.map(|rule| vec![rule]).or_else(together).map(|premises| explained(&premises))
        });
        self.left.set(self.left.get().saturating_sub(before - left.get()));
        found
    }

    /// Reasons for which rules of the same place are not premises.
    fn opaque_rules(accepting: &SideRules<'_>, conclusion: &PlacedFormula) -> Vec<String> {
        let own = accepting.rules_at(&conclusion.place);
        let reason = |(index, rule): (usize, &DefinitionRule)| {
            let reason = accepting.rule_formula(index).err()?;
            Some(format!("the rule `{}` is not part of a proof: {reason}", rule.source.rule.trim()))
        };
        own.filter_map(reason).take(3).collect()
    }
}

/// True if the node of the accepting side has keywords that require what those of the edit require on the other side.
fn is_required_by_keywords(accepting: &SideRules<'_>, other: &SideRules<'_>, edit: &ObjectEdit) -> bool {
    let place = place_steps(&edit.downs);
    let [accepting, other] = [accepting, other].map(|side| schema_at_place(side.schema, &place));
    accepting.zip(other).is_some_and(|(accepting, other)| are_required(accepting, other, edit))
}

/// True if only rules can depend on a field of a node: no count of fields, no branches, no key of a list.
fn is_free_field(schema: &Value, place: &[PlaceStep], name: &str) -> bool {
    let nodes =
        (0..=place.len()).map(|length| schema_at_place(schema, place.get(..length).unwrap_or_default()));
    let mut nodes = nodes.collect::<Option<Vec<_>>>().unwrap_or_default();
    let Some(own) = nodes.pop() else { return false };
    let is_key = |node: &&Value| {
        keyword_texts(node, LIST_KEYS).contains(&name) || keyword_text(node, LIST_TYPE) == "set"
    };
    let has_count = ["minProperties", "maxProperties"].iter().any(|key| own.get(*key).is_some());
    let is_plain = |field: &Value| !has_branches(field) && keyword_list(field, RULES).is_empty();
    !has_count
        && !branches_may_read(own, name)
        && !nodes.iter().any(|node| branches_may_read(node, name))
        && !nodes.last().is_some_and(is_key)
        && find_property(own, name).is_none_or(is_plain)
}

/// True if branches of a node may depend on a field with a name: they name it, or are about all fields.
fn branches_may_read(node: &Value, name: &str) -> bool {
    fn reads(value: &Value, name: &str) -> bool {
        const ABOUT_ALL: [&str; 4] =
            ["minProperties", "maxProperties", "additionalProperties", "uniqueItems"];
        match value {
            Value::Object(keywords) => keywords.iter().any(|(key, value)| {
                let lists_objects = || {
                    key == "enum"
                        && value
                            .as_array()
                            .is_some_and(|all| all.iter().any(|it| it.is_object() || it.is_array()))
                };
                key == name || ABOUT_ALL.contains(&key.as_str()) || lists_objects() || reads(value, name)
            }),
            Value::Array(values) => values.iter().any(|value| reads(value, name)),
            Value::String(text) => text == name,
            _ => false,
        }
    }
    JUNCTORS.into_iter().chain(["not"]).filter_map(|key| node.get(key)).any(|branches| reads(branches, name))
}

/// The condition that a side has at a difference; `None` if it is not one that has a formula, an error if it should have.
fn required_condition(
    edit: &ObjectEdit,
    side: &SideRules<'_>,
    is_old: bool,
) -> Option<Result<PlacedFormula, String>> {
    let place = place_steps(&edit.downs);
    if let Some(pair) = &edit.pair {
        let rule = if is_old { &pair.old } else { &pair.new }.as_ref()?;
        let index = side.find_rule(&place, rule)?;
        let word = if is_old { "old" } else { "new" };
        return Some(
            side.rule_formula(index).map_err(|reason| format!("the {word} rule has no formula: {reason}")),
        );
    }
    let node = schema_at_place(side.schema, &place)?;
    let formula = match edit.change.what {
        "value" | "size" => {
            let keywords: Option<Vec<String>> = edit.keys.iter().map(|key| key.first().cloned()).collect();
            keywords_formula(node, &keywords?)?
        }
        "required" => {
            let name = edit.keys.iter().find_map(|key| key.get(1))?;
            Formula::is_defined(Term::Root("self".to_owned()).with_field(name.clone()))
        }
        _ => return None,
    };
    let name = edit.change.what.to_owned();
    Some(Ok(PlacedFormula { place, timing: RuleTiming::Always, formula: Rc::new(formula), name }))
}

/// True if the text of a rule may be about what is at a step from its place.
fn names_step(rule: &DefinitionRule, step: &PlaceStep) -> bool {
    match step {
        PlaceStep::Field(name) => rule.source.rule.contains(name.as_str()),
        PlaceStep::Any => true,
    }
}

/// True for a rule of another place about which a rule around both says something, so that it is of use together with that one.
fn is_linked(rule: &DefinitionRule, linking: &[&DefinitionRule]) -> bool {
    linking.iter().any(|around| {
        rule.place.starts_with(&around.place)
            && rule.place.get(around.place.len()).is_some_and(|step| names_step(around, step))
    })
}

/// An implication at the place of a condition, or some steps around it.
struct Surroundings<'a> {
    accepting: &'a SideRules<'a>,
    conclusion: &'a PlacedFormula,
    /// Number of steps to the place.
    above: usize,
    left: &'a Cell<usize>,
}

impl Surroundings<'_> {
    /// The rules here and below that mention what the condition mentions, those at the same place first.
    fn candidates(&self, names: &HashSet<String>) -> Vec<PlacedFormula> {
        let Some(way) = self.conclusion.place.get(..self.above) else { return Vec::new() };
        let is_own = self.above == self.conclusion.place.len();
        let fields = self.conclusion.place.iter().filter_map(|step| match step {
            PlaceStep::Field(name) => Some(name),
            PlaceStep::Any => None,
        });
        let names: Vec<&String> = names.iter().chain(fields).collect();
        // The text shows too many rules, but never too few; lifting takes longer.
        let may_mention = |rule: &DefinitionRule| {
            let in_place = |name: &String| rule.place.contains(&PlaceStep::Field(name.clone()));
            names.is_empty()
                || names.iter().any(|name| rule.source.rule.contains(name.as_str()) || in_place(name))
        };
        let mentions = |formula: &PlacedFormula| {
            let own = formula.field_names();
            own.is_empty() || names.is_empty() || names.iter().any(|name| own.contains(*name))
        };
        let linking = self.linking_rules();
        let rules = self.accepting.rules.iter().enumerate();
        let mut found: Vec<PlacedFormula> = rules
            .filter(|(_, rule)| rule.place.starts_with(way))
            // Above the own place, each rule must be new there or be one around the place.
            .filter(|(_, rule)| is_own || self.is_related(rule))
            .filter(|(_, rule)| self.is_on_way(&rule.place) || is_linked(rule, &linking))
            .filter(|(_, rule)| may_mention(rule))
            .filter_map(|(index, _)| self.accepting.rule_formula(index).ok())
            .filter(mentions)
            .collect();
        // Those of the same place first, then those that share most.
        found.sort_by_cached_key(|formula| {
            let shared = formula.field_names().iter().filter(|name| names.contains(name)).count();
            (formula.place != self.conclusion.place, std::cmp::Reverse(shared))
        });
        found.truncate(4 * MOST_PREMISES);
        found
    }

    /// True for places around the place, and for those in it.
    fn is_on_way(&self, place: &[PlaceStep]) -> bool {
        self.conclusion.place.starts_with(place) || place.starts_with(&self.conclusion.place)
    }

    /// The rules around the place, which may compare what is in it with what is not.
    fn linking_rules(&self) -> Vec<&DefinitionRule<'static>> {
        let place = &self.conclusion.place;
        let is_around = |rule: &&DefinitionRule| {
            rule.place.len() < place.len()
                && place.starts_with(&rule.place)
                && place.get(rule.place.len()).is_some_and(|step| names_step(rule, step))
        };
        self.accepting.rules.iter().filter(is_around).collect()
    }

    /// True for rules on the way to the place and directly below nodes on the way.
    fn is_related(&self, rule: &DefinitionRule) -> bool {
        let place = &self.conclusion.place;
        let shared = rule.place.iter().zip(place).take_while(|(one, other)| one == other).count();
        rule.place.len() <= shared + 2
    }

    /// True if it is proved, for creations and for updates.
    fn implies(&self, premises: &[&PlacedFormula]) -> bool {
        let Some(node) = self.node() else { return false };
        self.writes(premises).iter().all(|is_update| {
            let Some(left) = self.left.get().checked_sub(1) else { return false };
            self.left.set(left);
            self.question(premises, *is_update).is_some_and(|(premises, conclusion)| {
                is_implied(&premises.iter().collect::<Vec<_>>(), &conclusion, node)
            })
        })
    }

    /// Explains what [`Self::implies`] proves.
    fn explain(&self, premises: &[&PlacedFormula]) -> ProofExplanation {
        let node = self.node().unwrap_or(&Value::Null);
        let certificate = |is_update: &bool| {
            let (premises, conclusion) = self.question(premises, *is_update)?;
            certify_implication(&premises.iter().collect::<Vec<_>>(), &conclusion, node)
        };
        let certificates: Vec<_> = self.writes(premises).iter().map(certificate).collect();
        let (lines, value) = explain_claim(&certificates, node);
        ProofExplanation { lines, value }
    }

    /// The schema of the values that the proof is about.
    fn node(&self) -> Option<&Value> {
        schema_at_place(self.accepting.schema, self.conclusion.place.get(..self.above)?)
    }

    /// The writes to examine: a premise that may read the stored value says something else in an update.
    fn writes(&self, premises: &[&PlacedFormula]) -> &'static [bool] {
        let has_optional = premises.iter().any(|premise| premise.timing == RuleTiming::Optional);
        match self.conclusion.timing {
            RuleTiming::Always if !has_optional => &[false],
            RuleTiming::Update => &[true],
            RuleTiming::Always | RuleTiming::Optional => &[false, true],
        }
    }

    /// The premises and the conclusion as the place sees them.
    fn question(&self, premises: &[&PlacedFormula], is_update: bool) -> Option<(Vec<Formula>, Formula)> {
        let seen = |formula: &PlacedFormula| formula.seen_from(self.above, is_update, self.accepting.schema);
        let conclusion = seen(self.conclusion)?;
        let mut premises: Vec<Formula> = premises.iter().filter_map(|premise| seen(premise)).collect();
        if is_update {
            premises.push(stored_value_exists());
        }
        Some((premises, conclusion))
    }

    /// Those premises without which the others do not imply the condition.
    fn needed<'f>(&self, mut premises: Vec<&'f PlacedFormula>) -> Vec<&'f PlacedFormula> {
        let mut at = 0;
        while at < premises.len() {
            let removed = premises.remove(at);
            if !self.implies(&premises) {
                premises.insert(at, removed);
                at += 1;
            }
        }
        premises
    }
}
