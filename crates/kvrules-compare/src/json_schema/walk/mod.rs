//! The walk over two schemas at once, which notes every place where they differ.

mod branches;
mod details;

use std::collections::{HashMap, HashSet};

use kvrules_regex::StepBudget;

use crate::bound::Bound;
use crate::json_schema::build::Attempt;
use crate::json_schema::flat_schema::Flat;
use crate::json_schema::schema_edit::{Edit, Fit};
use crate::json_schema::schema_equality::Same;
use crate::json_schema::source::{Part, SchemaSource};
use crate::json_schema::value_step::{Down, render_place};
use crate::report::{Change, ChangeSite, ChangedLimit};

/// Result of a walk.
#[derive(Default)]
pub(super) struct Walked<'s> {
    /// Every difference.
    pub(super) edits: Vec<Edit<'s>>,
    /// Number of nodes that were compared.
    pub(super) compared: usize,
    /// The steps that it took: nodes of branches, and schemas that were held against others.
    pub(super) steps: u64,
}

/// Every difference of two schemas.
pub(super) fn edits<'s>(
    old: &'s SchemaSource,
    new: &'s SchemaSource,
    is_apart: &dyn Fn(&str) -> bool,
) -> Walked<'s> {
    let (Some(one), Some(other)) = (old.root(), new.root()) else { return Walked::default() };
    let same = Same::new(old, new);
    let mut walk = Walk {
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
    walk.node(&[one], &[other], Told::Value);
    let steps =
        walk.inner.steps_used() + walk.same.compared() + u64::try_from(walk.count).unwrap_or(u64::MAX);
    Walked { edits: walk.found, compared: walk.count, steps }
}

/// Name of a difference if one side does not constrain a value, or allows none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// By what is different in it.
    Value,
    FieldAdded,
    FieldRemoved,
    /// As being about fields that are not declared.
    UnknownFields,
}

/// The places of the parts of two nodes.
type Pair = (Vec<Vec<String>>, Vec<Vec<String>>);

pub(super) struct Walk<'s, 'a> {
    pub(super) old: &'s SchemaSource,
    pub(super) new: &'s SchemaSource,
    pub(super) is_apart: &'a dyn Fn(&str) -> bool,
    pub(super) same: Same<'s>,
    pub(super) downs: Vec<Down>,
    pub(super) found: Vec<Edit<'s>>,
    /// Nodes that were compared, and which differences there are in them; nothing while they are being compared.
    seen: HashMap<Pair, Option<(usize, usize)>>,
    /// Nodes that are being compared, also outside of the part that is walked by itself: a schema may lead back to them.
    open: HashSet<Pair>,
    /// Number of fields on the way that stand for others that may be different.
    pub(super) blurred: usize,
    pub(super) count: usize,
    /// Nodes that may still be compared inside of branches, which are gone through once for each way that leads to them.
    inner: StepBudget,
    depth: usize,
}

/// So many nodes are compared inside of branches.
const MOST_INNER: u64 = 5_000;

/// A value that all schemas take.
pub(super) static ANY: serde_json::Value = serde_json::Value::Bool(true);

/// Result of a walk over parts of two schemas, for the caller that made them part of something else.
pub(super) struct Inner<'s> {
    pub(super) bound: Bound,
    pub(super) refused: Vec<(Vec<Down>, Attempt<'s>)>,
    pub(super) accepted: Vec<(Vec<Down>, Attempt<'s>)>,
    pub(super) limits: Vec<ChangedLimit>,
}

impl<'s> Walk<'s, '_> {
    /// Notes the differences of what must hold of a value.
    pub(super) fn node(&mut self, old: &[Part<'s>], new: &[Part<'s>], told: Told) {
        self.count += 1;
        if self.same.parts(old, new, self.is_apart) {
            self.count += old.iter().map(|part| nodes(part.value)).sum::<usize>();
            return;
        }
        let mut one = Flat::new(self.old, old, self.is_apart);
        let mut other = Flat::new(self.new, new, self.is_apart);
        if one.named != other.named {
            one = Flat::new(self.old, old, &|_| false);
            other = Flat::new(self.new, new, &|_| false);
        }
        if self.depth > 0 && !self.inner.try_take(1) {
            return self.too_large(&one, &other);
        }
        self.default(&one, &other);
        let places = |flat: &Flat<'_>| flat.parts.iter().map(|(_, place)| place.clone()).collect::<Vec<_>>();
        let pair = (places(&one), places(&other));
        if let Some(known) = self.seen.get(&pair) {
            let known = *known;
            return self.again(known);
        }
        if !self.open.insert(pair.clone()) {
            return;
        }
        self.seen.insert(pair.clone(), None);
        let start = self.found.len();
        self.compare(&one, &other, told);
        self.open.remove(&pair);
        self.seen.insert(pair, Some((start, self.found.len())));
    }

    /// A difference that is not gone into.
    fn too_large(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let attempts = || vec![Attempt::Anything];
        if let Some(change) = self.note((old, new), "value", &[], Bound::Open, (attempts(), attempts())) {
            change.notes.push("too large to decide: branches lead to too many schemas".to_owned());
        }
    }

    /// Says of differences that were found already that they are here too.
    fn again(&mut self, known: Option<(usize, usize)>) {
        let here = render_place(&self.downs);
        let Some((start, end)) = known else { return };
        for edit in self.found.get_mut(start..end).into_iter().flatten() {
            let note = format!("the same schema is at `{here}`");
            if edit.change.notes.len() < 4 {
                edit.change.notes.push(note);
            }
        }
    }

    fn compare(&mut self, old: &Flat<'s>, new: &Flat<'s>, told: Told) {
        match (old.never.is_some(), new.never.is_some()) {
            (true, true) => {}
            (false, false)
                if told == Told::Value && !(self.downs.is_empty() && (old.is_any() || new.is_any())) =>
            {
                self.details(old, new);
            }
            (false, false) if !old.is_any() && !new.is_any() => self.details(old, new),
            (false, false) if old.is_any() && new.is_any() => {}
            (is_never, will_be_never) => self.note_whole(old, new, told, (is_never, will_be_never)),
        }
    }

    /// A difference as one: a field comes or goes, and either side says nothing of it or forbids it.
    fn note_whole(
        &mut self,
        old: &Flat<'s>,
        new: &Flat<'s>,
        told: Told,
        (is_never, will_be_never): (bool, bool),
    ) {
        let what = match told {
            Told::FieldAdded => "field added",
            Told::FieldRemoved => "field removed",
            Told::UnknownFields => "unknown fields",
            Told::Value => "value",
        };
        let free = |bound| Inner {
            bound,
            refused: vec![(Vec::new(), Attempt::Anything)],
            accepted: vec![(Vec::new(), Attempt::Anything)],
            limits: Vec::new(),
        };
        let mut inner = match (is_never, will_be_never) {
            (true, _) => free(Bound::Looser),
            (_, true) => free(Bound::Tighter),
            _ => self.inner(|walk| walk.details(old, new)),
        };
        if told == Told::UnknownFields {
            inner.limits = vec![details::limit(
                "additionalProperties",
                render_constraints(old),
                render_constraints(new),
            )];
        } else if told == Told::Value {
            inner.limits = vec![details::limit("schema", render_constraints(old), render_constraints(new))];
        }
        let mut fits = vec![Fit { downs: self.downs.clone(), is_deep: true, keywords: Vec::new() }];
        if let Some((_, parent)) = self.downs.split_last() {
            let keywords = vec!["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];
            fits.push(Fit { downs: parent.to_vec(), is_deep: false, keywords });
        }
        let nested = |all: Vec<(Vec<Down>, Attempt<'s>)>| {
            all.into_iter()
                .map(|(downs, attempt)| also(Part { value: &ANY, place: Vec::new() }, downs, attempt))
                .collect()
        };
        let edit = Edit {
            change: Change::new(render_place(&self.downs), what, inner.limits),
            downs: self.downs.clone(),
            fits,
            bound: self.bound(inner.bound),
            refused: nested(inner.refused),
            accepted: nested(inner.accepted),
        };
        self.push(edit, site(old), site(new));
    }

    /// Notes a difference with where it is written.
    pub(super) fn push(&mut self, mut edit: Edit<'s>, old: Option<Vec<String>>, new: Option<Vec<String>>) {
        edit.change.old = old.map_or(ChangeSite::Absent, ChangeSite::Pointer);
        edit.change.new = new.map_or(ChangeSite::Absent, ChangeSite::Pointer);
        self.found.push(edit);
    }

    /// Returns the bound of a difference where a field may stand for others.
    pub(super) fn bound(&self, bound: Bound) -> Bound {
        if self.blurred > 0 && bound != Bound::Equal { Bound::Open } else { bound }
    }

    /// Does something one step down.
    pub(super) fn walk_below(&mut self, down: Down, work: impl FnOnce(&mut Self)) {
        self.downs.push(down);
        work(self);
        self.downs.pop();
    }

    /// Runs a part of the walk and returns its findings apart, with locations relative to its start.
    pub(super) fn inner(&mut self, work: impl FnOnce(&mut Self)) -> Inner<'s> {
        let (downs, found) = (std::mem::take(&mut self.downs), std::mem::take(&mut self.found));
        let seen = std::mem::take(&mut self.seen);
        self.depth += 1;
        work(self);
        self.depth -= 1;
        self.downs = downs;
        self.seen = seen;
        let edits = std::mem::replace(&mut self.found, found);
        let mut inner =
            Inner { bound: Bound::Equal, refused: Vec::new(), accepted: Vec::new(), limits: Vec::new() };
        for edit in edits {
            inner.bound = inner.bound.with(edit.bound);
            let at = |attempts: Vec<Attempt<'s>>| {
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
pub(super) fn also<'s>(part: Part<'s>, downs: Vec<Down>, attempt: Attempt<'s>) -> Attempt<'s> {
    Attempt::Nested(part, downs, Box::new(attempt))
}

/// Returns the location of a schema.
pub(super) fn site(flat: &Flat<'_>) -> Option<Vec<String>> {
    flat.never.clone().or_else(|| flat.parts.first().map(|(_, place)| place.clone()))
}

/// Returns the constraints on a value as written in the schema; `None` if unconstrained.
fn render_constraints(flat: &Flat<'_>) -> Option<String> {
    match (flat.never.is_some(), flat.is_any()) {
        (true, _) => Some("false".to_owned()),
        (_, true) => None,
        _ => flat
            .parts
            .first()
            .map(|(fields, _)| details::brief(&serde_json::Value::Object((*fields).clone()))),
    }
}

/// Returns the number of schemas in a schema; references are not followed.
fn nodes(value: &serde_json::Value) -> usize {
    let below = |key: &str| value.get(key).map_or(0, |below| 1 + nodes(below));
    let of_fields: usize = value
        .get("properties")
        .and_then(serde_json::Value::as_object)
        .map_or(0, |fields| fields.values().map(|field| 1 + nodes(field)).sum());
    of_fields + below("items") + below("additionalProperties")
}
