//! Compares two schemas of one value, keyword by keyword.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Told, Walk, site};
use crate::bound::Bound;
use crate::json_schema::build::Attempt;
use crate::json_schema::flat_schema::Flat;
use crate::json_schema::keywords::{self, OF_SIZES, OF_VALUES, RULES};
use crate::json_schema::schema_edit::{Edit, Fit};
use crate::json_schema::source::Part;
use crate::json_schema::value_kinds::Kinds;
use crate::json_schema::value_step::{Down, render_place};
use crate::json_schema::values::{Excess, excess, is_checked};
use crate::report::{Change, ChangedLimit};

/// As many attempts are made for one difference.
const MOST: usize = 40;

impl<'s> Walk<'s, '_> {
    pub(super) fn details(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        self.values(old, new);
        self.sizes(old, new);
        self.others(old, new);
        self.branches(old, new);
        self.rules(old, new);
        self.required(old, new);
        let kinds = old.kinds().and(new.kinds());
        if kinds.meets(Kinds::OBJECT) {
            self.fields(old, new);
        }
        if kinds.meets(Kinds::ARRAY) {
            self.items(old, new);
        }
    }

    /// Notes a difference of the value itself.
    pub(super) fn note(
        &mut self,
        (old, new): (&Flat<'s>, &Flat<'s>),
        what: &'static str,
        keywords: &[&'static str],
        bound: Bound,
        (refused, accepted): (Vec<Attempt<'s>>, Vec<Attempt<'s>>),
    ) -> Option<&mut Change> {
        let limits = keywords.iter().map(|key| limit(key, text_of(old, key), text_of(new, key))).collect();
        let edit = Edit {
            change: Change::new(render_place(&self.downs), what, limits),
            downs: self.downs.clone(),
            fits: vec![Fit { downs: self.downs.clone(), is_deep: false, keywords: keywords.to_vec() }],
            bound: self.bound(bound),
            refused: refused.into_iter().take(MOST).collect(),
            accepted: accepted.into_iter().take(MOST).collect(),
        };
        let place = |flat: &Flat<'_>| keywords.iter().find_map(|key| flat.place(key)).or_else(|| site(flat));
        self.push(edit, place(old), place(new));
        self.found.last_mut().map(|edit| &mut edit.change)
    }

    /// Compares the documented defaults, which decide nothing.
    pub(super) fn default(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let text = |flat: &Flat<'_>| flat.default.as_ref().map(|(value, _)| brief(value));
        if text(old) == text(new) {
            return;
        }
        let mut change =
            Change::new(render_place(&self.downs), "default", vec![limit("default", text(old), text(new))]);
        change
            .notes
            .push("validators do not apply defaults; programs that do will use another value".to_owned());
        let edit = Edit {
            change,
            downs: self.downs.clone(),
            fits: Vec::new(),
            bound: Bound::Equal,
            refused: Vec::new(),
            accepted: Vec::new(),
        };
        let place =
            |flat: &Flat<'_>| flat.default.as_ref().map(|(_, place)| place.clone()).or_else(|| site(flat));
        self.push(edit, place(old), place(new));
    }

    fn values(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let differing: Vec<&'static str> =
            OF_VALUES.into_iter().filter(|key| differs(old, new, key)).collect();
        if differing.is_empty() {
            return;
        }
        let (lost, won) = (excess(old, new), excess(new, old));
        let bound = match (lost.is_none, won.is_none) {
            (true, true) => Bound::Equal,
            (false, true) => Bound::Tighter,
            (true, false) => Bound::Looser,
            (false, false) => Bound::Open,
        };
        let attempts =
            |values: Vec<Value>| values.into_iter().map(Attempt::Like).chain([Attempt::Anything]).collect();
        let formats: BTreeSet<&str> = old.texts("format").into_iter().chain(new.texts("format")).collect();
        let change =
            self.note((old, new), "value", &differing, bound, (attempts(lost.values), attempts(won.values)));
        let unchecked =
            formats.into_iter().filter(|format| differing.contains(&"format") && !is_checked(format));
        let notes = unchecked.map(|format| format!("no validator checks the format `{format}`"));
        if let Some(change) = change {
            change.notes.extend(notes);
        }
    }

    fn sizes(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        for key in OF_SIZES.into_iter().filter(|key| differs(old, new, key)) {
            let is_most = key.starts_with("max");
            let of = |flat: &Flat<'_>| {
                let count = if is_most { flat.at_most(key) } else { Some(flat.at_least(key)) };
                count.and_then(|count| i64::try_from(count).ok()).unwrap_or(i64::MAX)
            };
            let (before, after) = (of(old), of(new));
            let beyond = |bound: i64| {
                let count = if is_most { bound.saturating_add(1) } else { bound.saturating_sub(1) };
                let count = usize::try_from(count).ok().filter(|count| *count <= 300);
                let made = if key.ends_with("Items") { Attempt::Items } else { Attempt::Fields };
                count.map(made).into_iter().collect()
            };
            let kind = if key.ends_with("Items") { Kinds::ARRAY } else { Kinds::OBJECT };
            let bound = of_kind(old, new, kind, Bound::of_order(before, after, is_most));
            self.note((old, new), "size", &[key], bound, (beyond(after), beyond(before)));
        }
    }

    fn required(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let (before, after) = (old.required(), new.required());
        let place = |flat: &Flat<'_>| flat.place("required").or_else(|| site(flat));
        for name in before.symmetric_difference(&after) {
            let (was, is) = (before.contains(name), after.contains(name));
            let bound = if is { Bound::Tighter } else { Bound::Looser };
            let attempts = || vec![Attempt::Without((*name).to_owned())];
            let mut downs = self.downs.clone();
            downs.push(Down::Field((*name).to_owned()));
            let word = |it: bool| it.then(|| "true".to_owned());
            let limits = vec![limit("required", word(was), word(is))];
            let edit = Edit {
                change: Change::new(render_place(&downs), "required", limits),
                downs: self.downs.clone(),
                fits: vec![Fit { downs: self.downs.clone(), is_deep: false, keywords: vec!["required"] }],
                bound: self.bound(of_kind(old, new, Kinds::OBJECT, bound)),
                refused: attempts(),
                accepted: attempts(),
            };
            self.push(edit, place(old), place(new));
        }
    }

    fn fields(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let is_blurred = old.patterns() != new.patterns();
        let mut names = old.names();
        names.extend(new.names().into_iter().filter(|name| !old.declares(name)));
        for name in &names {
            let told = match (old.declares(name), new.declares(name)) {
                (true, false) => Told::FieldRemoved,
                (false, true) => Told::FieldAdded,
                _ => Told::Value,
            };
            let (one, other) = (old.field(name), new.field(name));
            self.walk_below(Down::Field((*name).to_owned()), |walk| walk.node(&one, &other, told));
        }
        self.blurred += usize::from(is_blurred);
        let patterns: BTreeSet<&str> = old.patterns().into_iter().chain(new.patterns()).collect();
        for pattern in &patterns {
            let others: Vec<&str> = patterns.iter().copied().filter(|other| other != pattern).collect();
            let name = keywords::name_for(pattern, &others).or_else(|| keywords::name_for(pattern, &[]));
            let Some(name) = name.filter(|name| !names.contains(&name.as_str())) else { continue };
            let (one, other) = (old.field(&name), new.field(&name));
            self.walk_below(Down::Key(name, format!("/{pattern}/")), |walk| {
                walk.node(&one, &other, Told::Value)
            });
        }
        let is_free = |name: &&str| {
            !names.contains(name) && !patterns.iter().any(|pattern| keywords::matches(pattern, name))
        };
        if let Some(name) =
            ["unknownField", "unknown-field", "unknown_field", "0", "Ünknown"].into_iter().find(is_free)
        {
            let (one, other) = (old.field(name), new.field(name));
            self.walk_below(Down::Key(name.to_owned(), "*".to_owned()), |walk| {
                walk.node(&one, &other, Told::UnknownFields);
            });
        }
        self.blurred -= usize::from(is_blurred);
    }

    fn items(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let tuple = old.tuple().max(new.tuple());
        for index in 0..tuple {
            let (one, other) = (old.item(index), new.item(index));
            self.walk_below(Down::Item(index), |walk| walk.node(&one, &other, Told::Value));
        }
        let (one, other) = (old.item(tuple), new.item(tuple));
        self.walk_below(Down::Items(tuple), |walk| walk.node(&one, &other, Told::Value));
    }

    /// Keywords that are compared whole.
    fn others(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let free = || vec![Attempt::Anything];
        if old.flag("uniqueItems") != new.flag("uniqueItems") {
            let bound = if new.flag("uniqueItems") { Bound::Tighter } else { Bound::Looser };
            let bound = of_kind(old, new, Kinds::ARRAY, bound);
            let attempts = || vec![Attempt::DuplicateItem];
            self.note((old, new), "list type", &["uniqueItems"], bound, (attempts(), attempts()));
        }
        let counted = ["contains", "minContains", "maxContains"];
        let differing: Vec<&'static str> =
            counted.into_iter().filter(|key| !self.is_same(old, new, key)).collect();
        if !differing.is_empty() {
            let bound = of_kind(old, new, Kinds::ARRAY, presence(old, new, "contains"));
            let attempts = || (0..4).map(Attempt::Items).chain(free()).collect();
            self.note((old, new), "list type", &differing, bound, (attempts(), attempts()));
        }
        if !self.is_same(old, new, "propertyNames") {
            self.names(old, new);
        }
        if !self.is_same(old, new, "dependentRequired") {
            self.dependents(old, new);
        }
    }

    /// Compares the constraints on names of fields.
    fn names(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let of = |flat: &Flat<'s>, source| {
            let parts = flat.parts.iter().filter_map(|(fields, place)| {
                Some(Part { value: fields.get("propertyNames")?, place: place.clone() })
            });
            Flat::new(source, &parts.collect::<Vec<_>>(), &|_| false)
        };
        let (one, other) = (of(old, self.old), of(new, self.new));
        let only_values = [&one, &other].into_iter().all(|flat| {
            flat.parts.iter().all(|(fields, _)| {
                fields.keys().all(|key| OF_VALUES.contains(&key.as_str()) || !keywords::decides(key))
            })
        });
        let (lost, won) = (texts_only(&one, &other), texts_only(&other, &one));
        let bound = match (lost.is_none, won.is_none, only_values) {
            (true, true, true) => Bound::Equal,
            (false, true, true) => Bound::Tighter,
            (true, false, true) => Bound::Looser,
            _ => Bound::Open,
        };
        let attempts = |values: Vec<Value>| {
            values.iter().filter_map(Value::as_str).map(|name| Attempt::With(name.to_owned())).collect()
        };
        self.note(
            (old, new),
            "names of fields",
            &["propertyNames"],
            bound,
            (attempts(lost.values), attempts(won.values)),
        );
    }

    /// Compares the fields that are required if another field is present.
    fn dependents(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        let of = |flat: &Flat<'s>| -> BTreeSet<(&'s str, &'s str)> {
            let maps = flat.all("dependentRequired").filter_map(Value::as_object).flatten();
            maps.flat_map(|(name, others)| {
                let others = others.as_array().into_iter().flatten().filter_map(Value::as_str);
                others.map(move |other| (name.as_str(), other))
            })
            .collect()
        };
        let (before, after) = (of(old), of(new));
        let bound = match (before.is_subset(&after), after.is_subset(&before)) {
            (true, true) => Bound::Equal,
            (true, false) => Bound::Tighter,
            (false, true) => Bound::Looser,
            _ => Bound::Open,
        };
        let bound = of_kind(old, new, Kinds::OBJECT, bound);
        let attempts = || {
            before.symmetric_difference(&after).map(|(name, _)| Attempt::With((*name).to_owned())).collect()
        };
        self.note((old, new), "required", &["dependentRequired"], bound, (attempts(), attempts()));
    }

    /// Rules in CEL, which are left to who runs them.
    fn rules(&mut self, old: &Flat<'s>, new: &Flat<'s>) {
        if !self.is_same(old, new, RULES)
            && let Some(change) =
                self.note((old, new), "rule", &[RULES], Bound::Open, (Vec::new(), Vec::new()))
        {
            change.notes.push(
                "no validator of JSON Schema runs rules in CEL; they are compared in CustomResourceDefinitions".to_owned(),
            );
        }
    }

    /// True if a keyword is the same in both.
    pub(super) fn is_same(&mut self, old: &Flat<'s>, new: &Flat<'s>, key: &str) -> bool {
        let (one, other): (Vec<_>, Vec<_>) = (old.all(key).collect(), new.all(key).collect());
        one.len() == other.len()
            && one
                .iter()
                .zip(&other)
                .all(|(one, other)| self.same.of_keyword(key, (one, other), self.is_apart))
    }
}

/// Returns the excess in strings alone, because names are strings.
fn texts_only(one: &Flat<'_>, other: &Flat<'_>) -> Excess {
    let mut found = excess(one, other);
    found.values.retain(Value::is_string);
    // What is no text is no name.
    found.is_none |= found.values.is_empty() && one.kinds().and(Kinds::STRING) != Kinds::STRING;
    found
}

/// Returns the bound of a keyword that is only on one side.
pub(super) fn presence(old: &Flat<'_>, new: &Flat<'_>, key: &str) -> Bound {
    match (old.all(key).next().is_some(), new.all(key).next().is_some()) {
        (false, true) => Bound::Tighter,
        (true, false) => Bound::Looser,
        _ => Bound::Open,
    }
}

/// Returns the bound of a difference that is about values of one kind alone.
fn of_kind(old: &Flat<'_>, new: &Flat<'_>, kind: Kinds, bound: Bound) -> Bound {
    if old.kinds().or(new.kinds()).meets(kind) { bound } else { Bound::Equal }
}

fn differs(old: &Flat<'_>, new: &Flat<'_>, key: &str) -> bool {
    text_of(old, key) != text_of(new, key)
}

/// Returns the text of a keyword, from all parts.
fn text_of(flat: &Flat<'_>, key: &str) -> Option<String> {
    let mut texts: Vec<String> = flat.all(key).map(brief).collect();
    texts.dedup();
    (!texts.is_empty()).then(|| texts.join(" and "))
}

/// A value in a line.
pub(super) fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn limit(key: &str, before: Option<String>, after: Option<String>) -> ChangedLimit {
    ChangedLimit::new(key, before, after)
}
