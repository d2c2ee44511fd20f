//! Proofs that a difference has no effect in one direction: what the accepting side requires implies the rule or keyword of the
//! other side.
//!
//! An object that one side accepts satisfies its schema and all its rules, and so does the stored object of an update. So a
//! rule or keyword of the other side that these imply rejects none of them. The implication is searched for at the place of the
//! difference, then around it.

use std::cell::Cell;
use std::rc::Rc;

use kvrules_generate::{PlaceStep, schema_at_place};
use kvrules_ir::{Formula, Term};
use kvrules_lift::{DefinitionRule, PlacedFormula, RuleTiming};
use serde_json::Value;

use super::conjuncts::are_required;
use super::edit::ObjectEdit;
use super::formulas::{SideRules, keywords_formula, place_steps};
use super::keyword::{
    JUNCTORS, LIST_KEYS, LIST_TYPE, RULES, find_property, has_branches, keyword_list, keyword_text,
    keyword_texts,
};
use super::premises::PremiseSearch;
use super::value_shape::see_same_values;
use super::walk::is_open as is_open_node;
use crate::bound::ImpliedDirection;
use crate::report::{Direction, ExclusionProof};

/// The most rules that are lifted for one comparison, and for each rule that differs, so that the last one has as many as the first.
const MOST_LIFTED: usize = 1_200;
const LIFTED_FOR_EACH: usize = 4;

/// Searches proofs for the differences of two schemas.
pub(super) struct ExclusionSearch<'s> {
    old: SideRules<'s>,
    new: SideRules<'s>,
    /// Number of implications that were examined.
    examined: Cell<u64>,
    /// True if proofs are explained.
    explains_proofs: bool,
}

impl<'s> ExclusionSearch<'s> {
    /// A search for `number` rules that differ.
    pub(super) fn new(old: &'s Value, new: &'s Value, number: usize, explains_proofs: bool) -> Self {
        let lifts = Rc::new(Cell::new(MOST_LIFTED.max(LIFTED_FOR_EACH * number)));
        Self {
            old: SideRules::new(old, Rc::clone(&lifts)),
            new: SideRules::new(new, lifts),
            examined: Cell::new(0),
            explains_proofs,
        }
    }

    /// The number of implications that were examined.
    pub(super) fn examined(&self) -> u64 {
        self.examined.get()
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
        let search = PremiseSearch::new(accepting, &conclusion, edit, is_tightening, self.explains_proofs);
        let found = search.find_premises();
        self.examined.set(self.examined.get() + search.examined());
        match found {
            Some((by, explanation)) => {
                edit.proofs.push(ExclusionProof { excludes: direction, by, explanation });
            }
            None => edit.open_questions.extend(Self::opaque_rules(accepting, &conclusion)),
        }
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
