//! Two structural schemas, as CustomResourceDefinitions have them.
//!
//! `walk` notes every place where they differ, with what the kind of the difference says of its direction: a bound that goes
//! up, a rule that is added. `values` decides which values two nodes allow, `cel` and `rules` compare rules, `build` makes
//! objects, `schema_evaluator` has the answers of a server to them, and `witness_search` puts it together: the direction, and whole objects that
//! show it.

mod blame;
mod build;
mod cel;
mod conjuncts;
mod edit;
mod exclusion;
mod formula_values;
mod formulas;
mod keyword;
mod node_rules;
mod overlay;
mod place;
mod premises;
mod rule_reads;
mod rules;
mod satisfied_values;
mod schema_evaluator;
mod shrink;
mod slice;
mod trial;
mod valid_objects;
mod value_shape;
mod values;
mod version;
mod walk;
mod witness_search;
mod work_budget;
mod write_search;

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub use place::{ObjectStep, path_text};
pub use schema_evaluator::{AdmissionVerdict, ObjectRefusal, SchemaEvaluator};
pub use version::Version;

pub(crate) use cel::{FormRelation, canonical_spelling, compare_forms};
pub(crate) use shrink::shrink_object;
pub(crate) use witness_search::{TOO_LARGE, values_in};

use build::{ExpressionHints, ObjectGenerator};
use edit::ObjectEdit;
use exclusion::ExclusionSearch;
use kvrules_regex::StepBudget;
use rules::RuleValueSearch;
use witness_search::{SearchResult, VersionPair};
use work_budget::WorkBudget;

use crate::bound::ImpliedDirection;
use crate::report::Comparison;

/// Compares two versions; a schema by itself, the value of `openAPIV3Schema`, has no subresources. `head` has the fields that
/// every object gets: `apiVersion`, `kind` and a name.
///
/// ```
/// use kvrules_diff::schema::{Version, compare_versions};
/// use kvrules_diff::WriteKind;
/// use serde_json::json;
///
/// let with = |most: u32| json!({"type": "object", "properties": {"status": {"type": "integer", "maximum": most}}});
/// let (old, new) = (with(9), with(5));
/// let version = |schema| Version { schema, has_status: true };
/// let comparison = compare_versions(version(&old), version(&new), &json!({}));
/// let shown = comparison.changes[0].refused.as_ref().unwrap();
/// assert_eq!((shown.write, &shown.object), (WriteKind::Status, &json!({"status": 6})));
/// ```
pub fn compare_versions<'s>(
    old: impl Into<Version<'s>>,
    new: impl Into<Version<'s>>,
    head: &Value,
) -> Comparison {
    compare_versions_in(old.into(), new.into(), head, &VersionContext::default())
}

/// The names of rules in a schema, by the tokens that lead to their entries.
pub(crate) type RuleNames = BTreeMap<Vec<String>, String>;

/// Facts that a comparison of versions uses next to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct VersionContext {
    /// True if the proofs that rules imply each other are explained.
    pub(crate) explains_proofs: bool,
    /// Names of the rules of the old and the new version: rules with the same name are compared with each other.
    pub(crate) rule_names: [RuleNames; 2],
}

/// Compares versions as [`compare_versions`] does.
pub(crate) fn compare_versions_in(
    old: Version<'_>,
    new: Version<'_>,
    head: &Value,
    context: &VersionContext,
) -> Comparison {
    let work = WorkBudget::default();
    let mut edits = walk::find_edits(old.schema, new.schema, &work, &context.rule_names);
    edits.extend(version::compare_subresources(old, new));
    let compared = walk::count_nodes(old.schema, new.schema);
    if edits.is_empty() {
        return Comparison { compared, ..Comparison::default() };
    }
    let mut hints = ExpressionHints::default();
    for version in [old, new] {
        hints_of(version.schema, &mut hints);
    }
    let rules = edits.iter().filter(|edit| edit.pair.is_some()).count();
    let exclusion = ExclusionSearch::new(old.schema, new.schema, rules, context.explains_proofs);
    narrow_edits(&mut edits, &exclusion);
    let head = head.as_object().cloned().unwrap_or_else(Map::new);
    let mut bench = VersionPair::new(old, new, &hints, &head, StepBudget::default());
    bench.exclusion = Some(&exclusion);
    let of_rules = |most: u64, for_rule: u64| StepBudget::new(work_budget::at_least(most, rules, for_rule));
    let parts = of_rules(MOST_STEPS_IN_PARTS, PART_STEPS_OF_RULE);
    bench.within(of_rules(MOST_STEPS_TO_CONFIRM, CONFIRMATIONS_OF_RULE * bench.evaluation_cost()));
    let rule_work = WorkBudget::for_rules(rules);
    let mut values = RuleValueSearch::new([old.schema, new.schema], &rule_work);
    let in_parts = find_in_parts(edits, &bench, &parts, &hints, &mut values);
    let confirmed = bench.steps().steps_used();
    let whole = of_rules(MOST_STEPS, WHOLE_STEPS_OF_RULE);
    let number = in_parts.len();
    let mut changes = Vec::new();
    for (at, (edit, mut found)) in in_parts.into_iter().enumerate() {
        bench.within(WorkBudget::share(&whole, number - at, (LEAST_STEPS, MOST_STEPS)));
        bench.look(&edit, &mut found);
        changes.push(witness_search::to_change(edit, found));
        whole.try_take(bench.steps().steps_used());
    }
    let searched = whole.steps_used() + parts.steps_used() + confirmed;
    let steps = searched + work.used() + rule_work.used() + exclusion.examined();
    Comparison { changes, compared, steps }
}

/// Searches for each edit in the parts of the schemas that decide it.
fn find_in_parts(
    edits: Vec<ObjectEdit>,
    bench: &VersionPair<'_>,
    steps: &StepBudget,
    hints: &ExpressionHints,
    values: &mut RuleValueSearch<'_>,
) -> Vec<(ObjectEdit, SearchResult)> {
    let number = edits.len();
    let mut in_parts = Vec::new();
    for (at, mut edit) in edits.into_iter().enumerate() {
        let least = if edit.pair.is_some() { LEAST_STEPS_OF_RULE } else { LEAST_STEPS };
        let part = WorkBudget::share(steps, number - at, (least, MOST_STEPS_IN_PART));
        let mut found = SearchResult::default();
        if edit.bound != ImpliedDirection::Equal {
            find_in_part(&edit, bench, &part, hints, &mut found);
        }
        // Most rules are decided by their formulas; values are made at random only for the others.
        if edit.pair.is_some() && !found.is_settled(edit.bound) {
            values.add_attempts(&mut edit, number - at);
            find_in_part(&edit, bench, &part, hints, &mut found);
        }
        in_parts.push((edit, found));
        steps.try_take(part.steps_used());
    }
    in_parts
}

/// Excludes directions by proof, and adds the values of formulas that show the others.
fn narrow_edits(edits: &mut [ObjectEdit], exclusion: &ExclusionSearch<'_>) {
    let mut rules_left = edits.iter().filter(|edit| edit.pair.is_some()).count();
    let mut values = MOST_FORMULA_VALUES.max(FORMULA_VALUES_OF_RULE * rules_left);
    for edit in edits {
        exclusion.decide_unread_default(edit);
        exclusion.exclude_directions(edit);
        if edit.pair.is_some() {
            let share = Cell::new(values / rules_left.max(1));
            let most = share.get();
            formula_values::add_attempts(edit, exclusion, &share);
            values -= most - share.get();
            rules_left -= 1;
        }
    }
}

/// The number of steps in which what was found in parts of the schemas may be checked against all of them.
const MOST_STEPS_TO_CONFIRM: u64 = 2_500_000;

/// The number of steps that searches in whole schemas may take. A step is a schema node that is prepared, or an
/// object that is evaluated.
const MOST_STEPS: u64 = 1_500_000;

/// The least that a search has, if there is so much left.
const LEAST_STEPS: u64 = 10_000;

/// Number of values that are made from formulas for all rules of a comparison.
const MOST_FORMULA_VALUES: usize = 12_000;

/// The least steps and values of each rule that differs, however many others differ: the last is decided as well as the first.
const PART_STEPS_OF_RULE: u64 = 15_000;
const WHOLE_STEPS_OF_RULE: u64 = 25_000;
const CONFIRMATIONS_OF_RULE: u64 = 6;
const FORMULA_VALUES_OF_RULE: usize = 60;

/// The same in a part of the schemas with one rule, where an object takes few steps.
const LEAST_STEPS_OF_RULE: u64 = 1_000;

/// The number of steps that all searches in parts of the schemas may take, and that for one difference.
const MOST_STEPS_IN_PARTS: u64 = 1_500_000;
const MOST_STEPS_IN_PART: u64 = 300_000;

/// Searches for objects that show an edit, in the part of the schemas that decides it and in the whole schemas.
fn find_in_part(
    edit: &ObjectEdit,
    bench: &VersionPair<'_>,
    steps: &StepBudget,
    hints: &ExpressionHints,
    found: &mut SearchResult,
) {
    let versions = [bench.old.version, bench.new.version];
    if let Some((old, new)) = slice::slice_schemas((versions[0].schema, versions[1].schema), edit) {
        let [old, new] = [(versions[0], &old), (versions[1], &new)]
            .map(|(version, schema)| Version { schema, has_status: version.has_status });
        let part = VersionPair::new(old, new, hints, &bench.head, steps.clone());
        part.look(edit, found);
        steps.try_take(part.steps().steps_used());
        found.is_cut = false;
        found.confirm(bench, &edit.downs);
    }
}

/// `number` objects made from a schema, which it may accept or reject, for comparing two schemas.
pub fn generate_objects(schema: &Value, number: usize) -> Vec<Value> {
    let mut hints = ExpressionHints::default();
    hints_of(schema, &mut hints);
    let builder = ObjectGenerator::with_hints(hints);
    (0..number)
        .filter_map(|number| builder.build_object(schema, &[], build::ForcedContent::Anything, number))
        .collect()
}

/// The values that all rules and branches of a schema refer to.
fn hints_of(schema: &Value, hints: &mut ExpressionHints) {
    match schema {
        Value::Object(keywords) => {
            for rule in keyword::keyword_list(schema, keyword::RULES) {
                cel::collect_hints(keyword::keyword_text(rule, "rule"), hints);
            }
            for (keyword, value) in keywords {
                if keyword::JUNCTORS.contains(&keyword.as_str()) || keyword == "not" {
                    listed_in(value, hints);
                }
                hints_of(value, hints);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| hints_of(part, hints)),
        _ => {}
    }
}

/// The values that branches list: an object that meets none or several of them has such values, which its node does not name.
fn listed_in(branches: &Value, hints: &mut ExpressionHints) {
    const MOST: usize = 60;
    match branches {
        Value::Object(keywords) => {
            for value in keyword::keyword_list(branches, "enum") {
                let text = value.as_str().map(str::to_owned);
                hints
                    .texts
                    .extend(text.filter(|text| hints.texts.len() < MOST && !hints.texts.contains(text)));
                let number = value.as_i64();
                hints
                    .integers
                    .extend(number.filter(|it| hints.integers.len() < MOST && !hints.integers.contains(it)));
            }
            keywords.values().for_each(|value| listed_in(value, hints));
        }
        Value::Array(parts) => parts.iter().for_each(|part| listed_in(part, hints)),
        _ => {}
    }
}
