//! Values that are tried one after the other, where a formula does not say which one it needs.

use kvrules_apiserver::object::ValueSchema;
use kvrules_cel::value::Value;
use kvrules_generate::{ObjectGenerator, ValueStep, find_part, parts_of, sample_format, schema_of_part};
use kvrules_ir::{Collection, Constant, Formula, Term, TermRelation};
use serde_json::{Value as Json, json};

use super::workpiece::{Binding, Workpiece};
use crate::synthesise::collector::candidate_values;
use crate::texts::{TextSet, find_text_in};

/// Number of values that are tried at one place.
const TRIES: usize = 60;

impl Workpiece<'_> {
    /// Tries values at the places that a formula names until it holds.
    pub(super) fn try_candidates(&mut self, formula: &Formula) -> bool {
        let mut terms = Vec::new();
        formula.visit_terms(&mut |term| {
            if !terms.contains(&term) {
                terms.push(term);
            }
        });
        let values = candidate_values(formula);
        let start = self.chance.number_below(terms.len());
        terms.rotate_left(start);
        terms.into_iter().any(|term| {
            if let Some(way) = self.way_of(term) {
                return self.make_present(&way) && self.try_parts(&way, &values, formula);
            }
            match term {
                Term::Variable(variable) => match self.binding(*variable).cloned() {
                    Some(Binding::Key(way)) => self.try_keys(&way, &values, formula),
                    _ => false,
                },
                Term::Collect(it) => self.try_results(it, &values, formula),
                _ => false,
            }
        })
    }

    /// Tries values at the parts that a list is made of.
    fn try_results(&mut self, it: &Collection, values: &[Json], formula: &Formula) -> bool {
        let Some(way) = self.way_of(&it.range) else { return false };
        parts_of(find_part(&self.value, &way)).into_iter().any(|step| {
            let entry: Vec<ValueStep> = way.iter().cloned().chain([step]).collect();
            let result = self.with_entry(it.entry, &entry, |piece| piece.way_of(&it.result));
            result.is_some_and(|way| self.make_present(&way) && self.try_parts(&way, values, formula))
        })
    }

    fn try_parts(&mut self, way: &[ValueStep], values: &[Json], formula: &Formula) -> bool {
        let Some(old) = find_part(&self.value, way).cloned() else { return false };
        if old.is_object() || old.is_array() {
            return false;
        }
        let node = schema_of_part(self.schema, way).cloned().unwrap_or_default();
        let near = self.numbers_near(&old, formula);
        let of_schema = schema_values(&node);
        let start = self.chance.number_below(values.len());
        let (before, from) = values.split_at(start.min(values.len()));
        let all = near.iter().chain(&of_schema).chain(from).chain(before);
        let schema = ValueSchema::new(&node);
        let allowed: Vec<Json> =
            all.filter(|value| schema.allows_value(value)).take(TRIES).cloned().collect();
        for value in allowed {
            if !self.may_work() {
                break;
            }
            if self.write_part(way, value) && self.holds(formula) {
                return true;
            }
        }
        self.write_part(way, old);
        false
    }

    fn try_keys(&mut self, way: &[ValueStep], values: &[Json], formula: &Formula) -> bool {
        values
            .iter()
            .filter_map(Json::as_str)
            .take(TRIES)
            .any(|name| self.attempt(|piece| piece.rename_key(way, name) && piece.holds(formula)))
    }

    /// The numbers that a part would need if it were added on one side of a comparison, or taken away.
    fn numbers_near(&mut self, old: &Json, formula: &Formula) -> Vec<Json> {
        let (Formula::Compare { left, right, .. }, Some(old)) = (formula, old.as_i64()) else {
            return Vec::new();
        };
        let (Some(Value::Int(left)), Some(Value::Int(right))) = (self.value_of(left), self.value_of(right))
        else {
            return Vec::new();
        };
        let gap = right.saturating_sub(left);
        let steps = [gap, gap.saturating_neg()]
            .into_iter()
            .flat_map(|step| [step, step.saturating_sub(1), step.saturating_add(1)]);
        steps.map(|step| json!(old.saturating_add(step))).collect()
    }

    /// Writes texts that meet all conditions that formulas have on them, which one after the other would undo.
    pub(super) fn write_texts<'f>(&mut self, formulas: impl IntoIterator<Item = &'f Formula>) {
        let mut found: Vec<(&Term, Vec<(TextSet, bool)>)> = Vec::new();
        for (term, set, is_inside) in formulas.into_iter().filter_map(text_condition) {
            match found.iter_mut().find(|(known, _)| *known == term) {
                Some((_, sets)) => sets.push((set, is_inside)),
                None => found.push((term, vec![(set, is_inside)])),
            }
        }
        for (term, sets) in found {
            let Some(way) = self.way_of(term) else { continue };
            let Some(node) = schema_of_part(self.schema, &way).cloned() else { continue };
            if let Some(text) = find_text_in(&node, &sets)
                && self.make_present(&way)
            {
                self.write_part(&way, text.into());
            }
        }
    }
}

/// The condition of a formula on one text: the set that it has to be in, or not. It may be absent if the formula says so.
fn text_condition(formula: &Formula) -> Option<(&Term, TextSet, bool)> {
    match formula {
        Formula::Not(inner) => text_condition(inner).map(|(term, set, is_inside)| (term, set, !is_inside)),
        Formula::Compare { left: Term::Call(call), relation: TermRelation::Equal, right } => {
            let Term::Constant(Constant::Boolean(truth)) = right else { return None };
            let (term, set) = TextSet::of_call(call)?;
            Some((term, set, *truth))
        }
        Formula::Any(parts) => match parts.as_slice() {
            [Formula::Not(absent), other] | [other, Formula::Not(absent)] => {
                let Formula::Defined(absent) = &**absent else { return None };
                text_condition(other).filter(|(term, ..)| *term == absent)
            }
            _ => None,
        },
        _ => None,
    }
}

/// True if a formula is a condition on one text.
pub(super) fn is_text_condition(formula: &Formula) -> bool {
    text_condition(formula).is_some()
}

/// True if a schema allows a part, apart from what is below it.
pub(super) fn is_allowed(node: &Json, part: &Json) -> bool {
    part.is_object() || part.is_array() || ValueSchema::new(node).allows_value(part)
}

/// Values that a schema proposes.
fn schema_values(node: &Json) -> Vec<Json> {
    let listed = node.get("enum").and_then(Json::as_array).into_iter().flatten().cloned();
    let bounds =
        ["minimum", "maximum", "default"].into_iter().filter_map(|keyword| node.get(keyword)).cloned();
    let format = node.get("format").and_then(Json::as_str).and_then(sample_format).map(|text| json!(text));
    let made = (0..4).map(|index| ObjectGenerator::new(node).generate_valid(index));
    listed.chain(bounds).chain(format).chain(made).collect()
}
