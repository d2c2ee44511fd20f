//! Walks over two schemas at once, and records every difference.

mod branches;
mod details;

use std::collections::{HashMap, HashSet};

use kvrules_regex::StepBudget;

use crate::bound::ImpliedDirection;
use crate::json_schema::build::SchemaAttempt;
use crate::json_schema::flat_schema::FlatSchema;
use crate::json_schema::schema_edit::{RefusalFilter, SchemaEdit};
use crate::json_schema::schema_equality::SchemaEquality;
use crate::json_schema::source::{SchemaPart, SchemaSource};
use crate::json_schema::value_step::{ValueStep, render_place};
use crate::report::{Change, ChangeSite, ChangedLimit};

/// Result of a walk.
#[derive(Default)]
pub(super) struct WalkResult<'s> {
    /// Every difference.
    pub(super) edits: Vec<SchemaEdit<'s>>,
    /// Number of nodes that were compared.
    pub(super) compared: usize,
    /// The steps that it took: nodes of branches, and schemas that were checked against others.
    pub(super) steps: u64,
}

/// Every difference of two schemas.
pub(super) fn find_edits<'s>(
    old: &'s SchemaSource,
    new: &'s SchemaSource,
    is_apart: &dyn Fn(&str) -> bool,
) -> WalkResult<'s> {
    let (Some(one), Some(other)) = (old.root_part(), new.root_part()) else { return WalkResult::default() };
    let same = SchemaEquality::new(old, new);
    let mut walk = SchemaWalk {
        old,
        new,
        is_apart,
        same,
        downs: Vec::new(),
        found: Vec::new(),
        seen: HashMap::new(),
        open: HashSet::new(),
        blurred: 0,
        count: 0,
        inner: StepBudget::new(MOST_INNER),
        depth: 0,
    };
    walk.compare_nodes(&[one], &[other], ChangeName::Value);
    let steps =
        walk.inner.steps_used() + walk.same.compared_count() + u64::try_from(walk.count).unwrap_or(u64::MAX);
    WalkResult { edits: walk.found, compared: walk.count, steps }
}

/// Name of a difference if one side does not constrain a value, or allows none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeName {
    /// By what is different in it.
    Value,
    FieldAdded,
    FieldRemoved,
    /// As being about fields that are not declared.
    UnknownFields,
}

/// The places of the parts of two nodes.
type PlacePair = (Vec<Vec<String>>, Vec<Vec<String>>);

pub(super) struct SchemaWalk<'s, 'a> {
    pub(super) old: &'s SchemaSource,
    pub(super) new: &'s SchemaSource,
    pub(super) is_apart: &'a dyn Fn(&str) -> bool,
    pub(super) same: SchemaEquality<'s>,
    pub(super) downs: Vec<ValueStep>,
    pub(super) found: Vec<SchemaEdit<'s>>,
    /// Nodes that were compared, and which differences there are in them; nothing while they are being compared.
    seen: HashMap<PlacePair, Option<(usize, usize)>>,
    /// Nodes that are being compared, also outside of the part that is walked by itself: a schema may lead back to them.
    open: HashSet<PlacePair>,
    /// Number of fields on the way that stand for others that may be different.
    pub(super) blurred: usize,
    pub(super) count: usize,
    /// Nodes that may still be compared inside of branches, which are visited once for each way that leads to them.
    inner: StepBudget,
    depth: usize,
}

/// Number of nodes that are compared inside of branches.
const MOST_INNER: u64 = 5_000;

/// A value that all schemas take.
pub(super) static ANY: serde_json::Value = serde_json::Value::Bool(true);

/// Result of a walk over parts of two schemas, for the caller that made them part of something else.
pub(super) struct InnerResult<'s> {
    pub(super) bound: ImpliedDirection,
    pub(super) refused: Vec<(Vec<ValueStep>, SchemaAttempt<'s>)>,
    pub(super) accepted: Vec<(Vec<ValueStep>, SchemaAttempt<'s>)>,
    pub(super) limits: Vec<ChangedLimit>,
}

impl<'s> SchemaWalk<'s, '_> {
    /// Notes the differences of what must hold of a value.
    pub(super) fn compare_nodes(
        &mut self,
        old: &[SchemaPart<'s>],
        new: &[SchemaPart<'s>],
        change_name: ChangeName,
    ) {
        self.count += 1;
        if self.same.are_same_parts(old, new, self.is_apart) {
            self.count += old.iter().map(|part| count_schemas(part.value)).sum::<usize>();
            return;
        }
        let mut one = FlatSchema::new(self.old, old, self.is_apart);
        let mut other = FlatSchema::new(self.new, new, self.is_apart);
        if one.named != other.named {
            one = FlatSchema::new(self.old, old, &|_| false);
            other = FlatSchema::new(self.new, new, &|_| false);
        }
        if self.depth > 0 && !self.inner.try_take(1) {
            return self.too_large(&one, &other);
        }
        self.compare_defaults(&one, &other);
        // A schema that takes no value has no parts, as one that takes every value.
        let places = |flat: &FlatSchema<'_>| {
            flat.parts.iter().map(|(_, place)| place).chain(&flat.never).cloned().collect::<Vec<_>>()
        };
        let pair = (places(&one), places(&other));
        if let Some(known) = self.seen.get(&pair) {
            let known = *known;
            return self.repeat_edits(known);
        }
        if !self.open.insert(pair.clone()) {
            return;
        }
        self.seen.insert(pair.clone(), None);
        let start = self.found.len();
        self.compare_flat(&one, &other, change_name);
        self.open.remove(&pair);
        self.seen.insert(pair, Some((start, self.found.len())));
    }

    /// A difference that is not gone into.
    fn too_large(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let attempts = || vec![SchemaAttempt::Anything];
        if let Some(change) =
            self.note_difference((old, new), "value", &[], ImpliedDirection::Open, (attempts(), attempts()))
        {
            change.notes.push("too large to decide: branches lead to too many schemas".to_owned());
        }
    }

    /// Says of differences that were found already that they are here too.
    fn repeat_edits(&mut self, known: Option<(usize, usize)>) {
        let here = render_place(&self.downs);
        let Some((start, end)) = known else { return };
        for edit in self.found.get_mut(start..end).into_iter().flatten() {
            let note = format!("the same schema is at `{here}`");
            if edit.change.notes.len() < 4 {
                edit.change.notes.push(note);
            }
        }
    }

    fn compare_flat(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>, change_name: ChangeName) {
        match (old.never.is_some(), new.never.is_some()) {
            (true, true) => {}
            (false, false)
                if change_name == ChangeName::Value
                    && !(self.downs.is_empty() && (old.is_any() || new.is_any())) =>
            {
                self.compare_details(old, new);
            }
            (false, false) if !old.is_any() && !new.is_any() => self.compare_details(old, new),
            (false, false) if old.is_any() && new.is_any() => {}
            (is_never, will_be_never) => self.note_whole(old, new, change_name, (is_never, will_be_never)),
        }
    }

    /// A difference as one: a field comes or goes, and either side does not mention it or forbids it.
    fn note_whole(
        &mut self,
        old: &FlatSchema<'s>,
        new: &FlatSchema<'s>,
        change_name: ChangeName,
        (is_never, will_be_never): (bool, bool),
    ) {
        let what = match change_name {
            ChangeName::FieldAdded => "field added",
            ChangeName::FieldRemoved => "field removed",
            ChangeName::UnknownFields => "unknown fields",
            ChangeName::Value => "value",
        };
        let free = |bound| InnerResult {
            bound,
            refused: vec![(Vec::new(), SchemaAttempt::Anything)],
            accepted: vec![(Vec::new(), SchemaAttempt::Anything)],
            limits: Vec::new(),
        };
        let mut inner = match (is_never, will_be_never) {
            (true, _) => free(ImpliedDirection::Looser),
            (_, true) => free(ImpliedDirection::Tighter),
            _ => self.walk_inner(|walk| walk.compare_details(old, new)),
        };
        if change_name == ChangeName::UnknownFields {
            inner.limits = vec![details::keyword_limit(
                "additionalProperties",
                render_constraints(old),
                render_constraints(new),
            )];
        } else if change_name == ChangeName::Value {
            inner.limits =
                vec![details::keyword_limit("schema", render_constraints(old), render_constraints(new))];
        }
        let mut fits = vec![RefusalFilter { downs: self.downs.clone(), is_deep: true, keywords: Vec::new() }];
        if let Some((_, parent)) = self.downs.split_last() {
            let keywords = vec!["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];
            fits.push(RefusalFilter { downs: parent.to_vec(), is_deep: false, keywords });
        }
        let nested = |all: Vec<(Vec<ValueStep>, SchemaAttempt<'s>)>| {
            all.into_iter()
                .map(|(downs, attempt)| {
                    nested_attempt(SchemaPart { value: &ANY, place: Vec::new() }, downs, attempt)
                })
                .collect()
        };
        let edit = SchemaEdit {
            change: Change::new(render_place(&self.downs), what, inner.limits),
            downs: self.downs.clone(),
            fits,
            bound: self.field_bound(inner.bound),
            refused: nested(inner.refused),
            accepted: nested(inner.accepted),
        };
        self.push_edit(edit, schema_site(old), schema_site(new));
    }

    /// Notes a difference with where it is written.
    pub(super) fn push_edit(
        &mut self,
        mut edit: SchemaEdit<'s>,
        old: Option<Vec<String>>,
        new: Option<Vec<String>>,
    ) {
        edit.change.old = old.map_or(ChangeSite::Absent, ChangeSite::Pointer);
        edit.change.new = new.map_or(ChangeSite::Absent, ChangeSite::Pointer);
        self.found.push(edit);
    }

    /// Returns the bound of a difference where a field may stand for others.
    pub(super) fn field_bound(&self, bound: ImpliedDirection) -> ImpliedDirection {
        if self.blurred > 0 && bound != ImpliedDirection::Equal { ImpliedDirection::Open } else { bound }
    }

    /// Does something one step down.
    pub(super) fn walk_below(&mut self, down: ValueStep, work: impl FnOnce(&mut Self)) {
        self.downs.push(down);
        work(self);
        self.downs.pop();
    }

    /// Runs a part of the walk and returns its findings separately, with locations relative to its start.
    pub(super) fn walk_inner(&mut self, work: impl FnOnce(&mut Self)) -> InnerResult<'s> {
        let (downs, found) = (std::mem::take(&mut self.downs), std::mem::take(&mut self.found));
        let seen = std::mem::take(&mut self.seen);
        self.depth += 1;
        work(self);
        self.depth -= 1;
        self.downs = downs;
        self.seen = seen;
        let edits = std::mem::replace(&mut self.found, found);
        let mut inner = InnerResult {
            bound: ImpliedDirection::Equal,
            refused: Vec::new(),
            accepted: Vec::new(),
            limits: Vec::new(),
        };
        for edit in edits {
            inner.bound = inner.bound.combine_with(edit.bound);
            let at = |attempts: Vec<SchemaAttempt<'s>>| {
                attempts.into_iter().take(EACH).map(|it| (edit.downs.clone(), it)).collect::<Vec<_>>()
            };
            inner.refused.extend(at(edit.refused.clone()));
            inner.accepted.extend(at(edit.accepted.clone()));
        }
        inner
    }
}

/// Of a difference inside another no more attempts are kept.
const EACH: usize = 6;

/// An attempt on what another schema takes too.
pub(super) fn nested_attempt<'s>(
    part: SchemaPart<'s>,
    downs: Vec<ValueStep>,
    attempt: SchemaAttempt<'s>,
) -> SchemaAttempt<'s> {
    SchemaAttempt::Nested(part, downs, Box::new(attempt))
}

/// Returns the location of a schema.
pub(super) fn schema_site(flat: &FlatSchema<'_>) -> Option<Vec<String>> {
    flat.never.clone().or_else(|| flat.parts.first().map(|(_, place)| place.clone()))
}

/// Returns the constraints on a value as written in the schema; `None` if unconstrained.
fn render_constraints(flat: &FlatSchema<'_>) -> Option<String> {
    match (flat.never.is_some(), flat.is_any()) {
        (true, _) => Some("false".to_owned()),
        (_, true) => None,
        _ => flat
            .parts
            .first()
            .map(|(fields, _)| details::render_brief(&serde_json::Value::Object((*fields).clone()))),
    }
}

/// Returns the number of schemas in a schema; references are not followed.
fn count_schemas(value: &serde_json::Value) -> usize {
    let below = |key: &str| value.get(key).map_or(0, |below| 1 + count_schemas(below));
    let of_fields: usize = value
        .get("properties")
        .and_then(serde_json::Value::as_object)
        .map_or(0, |fields| fields.values().map(|field| 1 + count_schemas(field)).sum());
    of_fields + below("items") + below("additionalProperties")
}
