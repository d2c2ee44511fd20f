//! Comparisons that are made to hold by writing one of their sides.

use kvrules_cel::value::Value;
use kvrules_generate::{ValueStep, find_part, parts_of, schema_of_part};
use kvrules_ir::{Collection, Formula, Term, TermRelation};
use serde_json::{Value as Json, json};

use super::candidates::is_allowed;
use super::workpiece::{Binding, Workpiece};

/// A side of a comparison that is written, so that it is in a relation to the other.
#[derive(Clone, Copy)]
struct Side<'t> {
    term: &'t Term,
    other: &'t Term,
    relation: TermRelation,
    is_left: bool,
}

impl Workpiece<'_> {
    /// Changes the value so that two terms have values in a relation.
    pub(super) fn make_related(&mut self, left: &Term, relation: TermRelation, right: &Term) -> bool {
        let formula = Formula::Compare { left: left.clone(), relation, right: right.clone() };
        if !self.make_defined(left) || !self.make_defined(right) {
            return self.try_candidates(&formula);
        }
        if self.holds(&formula) {
            return true;
        }
        // Any of the three terms of `a + b <= c` may have to give way, and not only one that is a side by itself.
        if self.chance.number_below(3) == 0 && self.try_candidates(&formula) {
            return true;
        }
        let left_side = Side { term: left, other: right, relation, is_left: true };
        let right_side = Side { term: right, other: left, relation, is_left: false };
        let mut sides = [left_side, right_side];
        if self.chance.number_below(2) == 0 {
            sides.reverse();
        }
        let is_written = sides
            .iter()
            .any(|side| self.attempt(|piece| piece.write_side(side, &formula) && piece.holds(&formula)));
        is_written || self.try_candidates(&formula)
    }

    fn write_side(&mut self, side: &Side<'_>, formula: &Formula) -> bool {
        if let Some(way) = self.way_of(side.term) {
            return self.write_related(&way, side, formula);
        }
        match side.term {
            Term::Variable(variable) => {
                let Some(Binding::Key(way)) = self.binding(*variable).cloned() else { return false };
                match self.value_of(side.other) {
                    Some(Value::String(text)) if side.relation == TermRelation::Equal => {
                        self.rename_key(&way, &text)
                    }
                    Some(Value::String(text)) => self.rename_key(&way, &format!("{text}-other")),
                    _ => false,
                }
            }
            Term::Call(call) if call.function == "size" => {
                let Some(count) = self.wanted_count(side) else { return false };
                match call.arguments.first() {
                    Some(Term::Collect(of)) => self.select_entries(of, count),
                    Some(of) => {
                        self.way_of(of).is_some_and(|way| self.resize_part(&way, count))
                            || self.resize_key(of, count)
                    }
                    None => false,
                }
            }
            Term::Tally(parts) => {
                let Some(count) = self.wanted_count(side) else { return false };
                let start = self.chance.number_below(parts.len());
                let (before, from) = parts.split_at(start.min(parts.len()));
                from.iter().chain(before).enumerate().all(|(number, part)| {
                    if number < count { self.make_hold(part) } else { self.make_fail(part) }
                })
            }
            _ => false,
        }
    }

    /// The number that a size or count has to be.
    fn wanted_count(&mut self, side: &Side<'_>) -> Option<usize> {
        let Value::Int(other) = self.value_of(side.other)? else { return None };
        let further = i64::from(self.chance.number_below(2) == 0);
        let count = match (side.relation, side.is_left) {
            (TermRelation::Equal, _) | (TermRelation::LessOrEqual, false) => other,
            (TermRelation::NotEqual, _) if other > 0 && further == 0 => other - 1,
            (TermRelation::NotEqual, _) | (TermRelation::Less, false) => other.saturating_add(1),
            (TermRelation::Less, true) => other.saturating_sub(1 + further).max(0),
            (TermRelation::LessOrEqual, true) => other.saturating_sub(further).max(0),
        };
        usize::try_from(count).ok()
    }

    fn resize_key(&mut self, term: &Term, size: usize) -> bool {
        let Term::Variable(variable) = term else { return false };
        let Some(Binding::Key(way)) = self.binding(*variable).cloned() else { return false };
        self.rename_key(&way, &"k".repeat(size))
    }

    /// Has so many entries of a list or map selected.
    fn select_entries(&mut self, of: &Collection, count: usize) -> bool {
        let Some(way) = self.way_of(&of.range) else { return false };
        let mut number = 0;
        loop {
            let step = parts_of(find_part(&self.value, &way)).into_iter().nth(number);
            let is_wanted = number < count;
            let entry = match step {
                Some(step) => way.iter().cloned().chain([step]).collect(),
                None if is_wanted => match self.add_entry(&way) {
                    Some(entry) => entry,
                    None => return false,
                },
                None => return true,
            };
            let is_made = self.with_entry(of.entry, &entry, |piece: &mut Self| {
                let condition = if is_wanted { &of.selected } else { &of.left_out };
                piece.attempt(|piece| piece.make_hold(condition))
            });
            if !is_made || !self.may_work() {
                return false;
            }
            number += 1;
        }
    }

    /// Writes a part that is in a relation to the other side.
    fn write_related(&mut self, way: &[ValueStep], side: &Side<'_>, formula: &Formula) -> bool {
        let copied = self.way_of(side.other).and_then(|other| find_part(&self.value, &other).cloned());
        let other = copied.or_else(|| self.value_of(side.other).as_ref().and_then(scalar_json));
        let Some(other) = other else { return false };
        let mut parts = related_parts(&other, side.relation, side.is_left);
        let node = schema_of_part(self.schema, way).cloned().unwrap_or_default();
        if side.relation != TermRelation::Equal {
            parts.extend(node.get("enum").and_then(Json::as_array).into_iter().flatten().cloned());
        }
        parts
            .into_iter()
            .any(|part| is_allowed(&node, &part) && self.write_part(way, part) && self.holds(formula))
    }
}

/// Values that are in a relation to another.
fn related_parts(other: &Json, relation: TermRelation, is_left: bool) -> Vec<Json> {
    let mut parts = match relation {
        TermRelation::Equal | TermRelation::LessOrEqual => vec![other.clone()],
        TermRelation::NotEqual | TermRelation::Less => Vec::new(),
    };
    if relation == TermRelation::Equal {
        return parts;
    }
    match other {
        Json::Number(number) => {
            let both = number.as_i64().map(|number| [number.saturating_sub(1), number.saturating_add(1)]);
            let [before, after] = both.unwrap_or_default();
            let (first, second) = if is_left { (before, after) } else { (after, before) };
            parts.extend([json!(first), json!(second)]);
        }
        Json::Bool(truth) => parts.push(json!(!truth)),
        Json::String(text) => {
            parts.extend([json!("example"), json!(format!("{text}a")), json!("other"), json!("")]);
        }
        _ => {}
    }
    parts
}

/// A scalar of the language as JSON.
fn scalar_json(value: &Value) -> Option<Json> {
    Some(match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Uint(number) => json!(number),
        Value::Double(number) => json!(number),
        Value::String(text) => json!(&**text),
        _ => return None,
    })
}
