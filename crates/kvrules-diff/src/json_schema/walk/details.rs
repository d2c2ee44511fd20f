//! Compares two schemas of one value, keyword by keyword.

use std::collections::BTreeSet;

use kvrules_kubernetes::keywords::{KeywordRole, VALIDATIONS};
use serde_json::Value;

use super::{ChangeName, SchemaWalk, schema_site};
use crate::bound::ImpliedDirection;
use crate::json_schema::build::SchemaAttempt;
use crate::json_schema::flat_schema::FlatSchema;
use crate::json_schema::keywords::{self, keywords_of_role};
use crate::json_schema::schema_edit::{RefusalFilter, SchemaEdit};
use crate::json_schema::source::SchemaPart;
use crate::json_schema::value_kinds::ValueKinds;
use crate::json_schema::value_step::{ValueStep, render_place};
use crate::json_schema::values::{SchemaExcess, find_excess, is_checked};
use crate::report::{Change, ChangedLimit};

/// As many attempts are made for one difference.
const MOST: usize = 40;

impl<'s> SchemaWalk<'s, '_> {
    pub(super) fn compare_details(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        self.compare_values(old, new);
        self.compare_sizes(old, new);
        self.compare_other_keywords(old, new);
        self.compare_branches(old, new);
        self.compare_cel_rules(old, new);
        self.compare_required(old, new);
        let kinds = old.allowed_kinds().intersection_with(new.allowed_kinds());
        if kinds.intersects_with(ValueKinds::OBJECT) {
            self.compare_fields(old, new);
        }
        if kinds.intersects_with(ValueKinds::ARRAY) {
            self.compare_items(old, new);
        }
    }

    /// Notes a difference of the value itself.
    pub(super) fn note_difference(
        &mut self,
        (old, new): (&FlatSchema<'s>, &FlatSchema<'s>),
        what: &'static str,
        keywords: &[&'static str],
        bound: ImpliedDirection,
        (refused, accepted): (Vec<SchemaAttempt<'s>>, Vec<SchemaAttempt<'s>>),
    ) -> Option<&mut Change> {
        let limits =
            keywords.iter().map(|key| keyword_limit(key, text_of(old, key), text_of(new, key))).collect();
        let edit = SchemaEdit {
            change: Change::new(render_place(&self.downs), what, limits),
            downs: self.downs.clone(),
            fits: vec![RefusalFilter {
                downs: self.downs.clone(),
                is_deep: false,
                keywords: keywords.to_vec(),
            }],
            bound: self.field_bound(bound),
            refused: refused.into_iter().take(MOST).collect(),
            accepted: accepted.into_iter().take(MOST).collect(),
        };
        let place = |flat: &FlatSchema<'_>| {
            keywords.iter().find_map(|key| flat.keyword_place(key)).or_else(|| schema_site(flat))
        };
        self.push_edit(edit, place(old), place(new));
        self.found.last_mut().map(|edit| &mut edit.change)
    }

    /// Compares the documented defaults, which decide nothing.
    pub(super) fn compare_defaults(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let text = |flat: &FlatSchema<'_>| flat.default.as_ref().map(|(value, _)| render_brief(value));
        if text(old) == text(new) {
            return;
        }
        let mut change = Change::new(
            render_place(&self.downs),
            "default",
            vec![keyword_limit("default", text(old), text(new))],
        );
        change
            .notes
            .push("validators do not apply defaults; programs that do will use another value".to_owned());
        let edit = SchemaEdit {
            change,
            downs: self.downs.clone(),
            fits: Vec::new(),
            bound: ImpliedDirection::Equal,
            refused: Vec::new(),
            accepted: Vec::new(),
        };
        let place = |flat: &FlatSchema<'_>| {
            flat.default.as_ref().map(|(_, place)| place.clone()).or_else(|| schema_site(flat))
        };
        self.push_edit(edit, place(old), place(new));
    }

    fn compare_values(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let differing: Vec<&'static str> =
            keywords_of_role(KeywordRole::Value).filter(|key| keyword_differs(old, new, key)).collect();
        if differing.is_empty() {
            return;
        }
        let (lost, won) = (find_excess(old, new), find_excess(new, old));
        let bound = match (lost.is_none, won.is_none) {
            (true, true) => ImpliedDirection::Equal,
            (false, true) => ImpliedDirection::Tighter,
            (true, false) => ImpliedDirection::Looser,
            (false, false) => ImpliedDirection::Open,
        };
        let attempts = |values: Vec<Value>| {
            values.into_iter().map(SchemaAttempt::Like).chain([SchemaAttempt::Anything]).collect()
        };
        let formats: BTreeSet<&str> =
            old.keyword_texts("format").into_iter().chain(new.keyword_texts("format")).collect();
        let change = self.note_difference(
            (old, new),
            "value",
            &differing,
            bound,
            (attempts(lost.values), attempts(won.values)),
        );
        let unchecked =
            formats.into_iter().filter(|format| differing.contains(&"format") && !is_checked(format));
        let notes = unchecked.map(|format| format!("no validator checks the format `{format}`"));
        if let Some(change) = change {
            change.notes.extend(notes);
        }
    }

    fn compare_sizes(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        for key in keywords_of_role(KeywordRole::Size).filter(|key| keyword_differs(old, new, key)) {
            let is_most = key.starts_with("max");
            let of = |flat: &FlatSchema<'_>| {
                let count = if is_most { flat.at_most(key) } else { Some(flat.at_least(key)) };
                count.and_then(|count| i64::try_from(count).ok()).unwrap_or(i64::MAX)
            };
            let (before, after) = (of(old), of(new));
            let beyond = |bound: i64| {
                let count = if is_most { bound.saturating_add(1) } else { bound.saturating_sub(1) };
                let count = usize::try_from(count).ok().filter(|count| *count <= 300);
                let made = if key.ends_with("Items") { SchemaAttempt::Items } else { SchemaAttempt::Fields };
                count.map(made).into_iter().collect()
            };
            let kind = if key.ends_with("Items") { ValueKinds::ARRAY } else { ValueKinds::OBJECT };
            let bound = of_kind(old, new, kind, ImpliedDirection::of_order(before, after, is_most));
            self.note_difference((old, new), "size", &[key], bound, (beyond(after), beyond(before)));
        }
    }

    fn compare_required(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let (before, after) = (old.required_fields(), new.required_fields());
        let place = |flat: &FlatSchema<'_>| flat.keyword_place("required").or_else(|| schema_site(flat));
        for name in before.symmetric_difference(&after) {
            let (was, is) = (before.contains(name), after.contains(name));
            let bound = if is { ImpliedDirection::Tighter } else { ImpliedDirection::Looser };
            let attempts = || vec![SchemaAttempt::Without((*name).to_owned())];
            let mut downs = self.downs.clone();
            downs.push(ValueStep::Field((*name).to_owned()));
            let word = |it: bool| it.then(|| "true".to_owned());
            let limits = vec![keyword_limit("required", word(was), word(is))];
            let edit = SchemaEdit {
                change: Change::new(render_place(&downs), "required", limits),
                downs: self.downs.clone(),
                fits: vec![RefusalFilter {
                    downs: self.downs.clone(),
                    is_deep: false,
                    keywords: vec!["required"],
                }],
                bound: self.field_bound(of_kind(old, new, ValueKinds::OBJECT, bound)),
                refused: attempts(),
                accepted: attempts(),
            };
            self.push_edit(edit, place(old), place(new));
        }
    }

    fn compare_fields(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let is_blurred = old.field_patterns() != new.field_patterns();
        let mut names = old.declared_names();
        names.extend(new.declared_names().into_iter().filter(|name| !old.declares_field(name)));
        for name in &names {
            let change_name = match (old.declares_field(name), new.declares_field(name)) {
                (true, false) => ChangeName::FieldRemoved,
                (false, true) => ChangeName::FieldAdded,
                _ => ChangeName::Value,
            };
            let (one, other) = (old.field_schemas(name), new.field_schemas(name));
            self.walk_below(ValueStep::Field((*name).to_owned()), |walk| {
                walk.compare_nodes(&one, &other, change_name);
            });
        }
        self.blurred += usize::from(is_blurred);
        let patterns: BTreeSet<&str> = old.field_patterns().into_iter().chain(new.field_patterns()).collect();
        for pattern in &patterns {
            let others: Vec<&str> = patterns.iter().copied().filter(|other| other != pattern).collect();
            let name = keywords::name_for(pattern, &others).or_else(|| keywords::name_for(pattern, &[]));
            let Some(name) = name.filter(|name| !names.contains(&name.as_str())) else { continue };
            let (one, other) = (old.field_schemas(&name), new.field_schemas(&name));
            self.walk_below(ValueStep::Key(name, format!("/{pattern}/")), |walk| {
                walk.compare_nodes(&one, &other, ChangeName::Value);
            });
        }
        let is_free = |name: &&str| {
            !names.contains(name) && !patterns.iter().any(|pattern| keywords::pattern_matches(pattern, name))
        };
        if let Some(name) =
            ["unknownField", "unknown-field", "unknown_field", "0", "Ünknown"].into_iter().find(is_free)
        {
            let (one, other) = (old.field_schemas(name), new.field_schemas(name));
            self.walk_below(ValueStep::Key(name.to_owned(), "*".to_owned()), |walk| {
                walk.compare_nodes(&one, &other, ChangeName::UnknownFields);
            });
        }
        self.blurred -= usize::from(is_blurred);
    }

    fn compare_items(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let tuple = old.tuple_length().max(new.tuple_length());
        for index in 0..tuple {
            let (one, other) = (old.item_schemas(index), new.item_schemas(index));
            self.walk_below(ValueStep::Item(index), |walk| {
                walk.compare_nodes(&one, &other, ChangeName::Value);
            });
        }
        let (one, other) = (old.item_schemas(tuple), new.item_schemas(tuple));
        self.walk_below(ValueStep::Items(tuple), |walk| walk.compare_nodes(&one, &other, ChangeName::Value));
    }

    /// Keywords that are compared whole.
    fn compare_other_keywords(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let free = || vec![SchemaAttempt::Anything];
        if old.has_flag("uniqueItems") != new.has_flag("uniqueItems") {
            let bound = if new.has_flag("uniqueItems") {
                ImpliedDirection::Tighter
            } else {
                ImpliedDirection::Looser
            };
            let bound = of_kind(old, new, ValueKinds::ARRAY, bound);
            let attempts = || vec![SchemaAttempt::DuplicateItem];
            self.note_difference((old, new), "list type", &["uniqueItems"], bound, (attempts(), attempts()));
        }
        let counted = ["contains", "minContains", "maxContains"];
        let differing: Vec<&'static str> =
            counted.into_iter().filter(|key| !self.is_same(old, new, key)).collect();
        if !differing.is_empty() {
            let bound = of_kind(old, new, ValueKinds::ARRAY, presence_bound(old, new, "contains"));
            let attempts = || (0..4).map(SchemaAttempt::Items).chain(free()).collect();
            self.note_difference((old, new), "list type", &differing, bound, (attempts(), attempts()));
        }
        if !self.is_same(old, new, "propertyNames") {
            self.compare_names(old, new);
        }
        if !self.is_same(old, new, "dependentRequired") {
            self.compare_dependents(old, new);
        }
    }

    /// Compares the constraints on names of fields.
    fn compare_names(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let of = |flat: &FlatSchema<'s>, source| {
            let parts = flat.parts.iter().filter_map(|(fields, place)| {
                Some(SchemaPart { value: fields.get("propertyNames")?, place: place.clone() })
            });
            FlatSchema::new(source, &parts.collect::<Vec<_>>(), &|_| false)
        };
        let (one, other) = (of(old, self.old), of(new, self.new));
        let only_values = [&one, &other].into_iter().all(|flat| {
            flat.parts.iter().all(|(fields, _)| {
                fields.keys().all(|key| keywords::limits_value(key) || !keywords::is_deciding(key))
            })
        });
        let (lost, won) = (texts_only(&one, &other), texts_only(&other, &one));
        let bound = match (lost.is_none, won.is_none, only_values) {
            (true, true, true) => ImpliedDirection::Equal,
            (false, true, true) => ImpliedDirection::Tighter,
            (true, false, true) => ImpliedDirection::Looser,
            _ => ImpliedDirection::Open,
        };
        let attempts = |values: Vec<Value>| {
            values.iter().filter_map(Value::as_str).map(|name| SchemaAttempt::With(name.to_owned())).collect()
        };
        self.note_difference(
            (old, new),
            "names of fields",
            &["propertyNames"],
            bound,
            (attempts(lost.values), attempts(won.values)),
        );
    }

    /// Compares the fields that are required if another field is present.
    fn compare_dependents(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        let of = |flat: &FlatSchema<'s>| -> BTreeSet<(&'s str, &'s str)> {
            let maps = flat.keyword_values("dependentRequired").filter_map(Value::as_object).flatten();
            maps.flat_map(|(name, others)| {
                let others = others.as_array().into_iter().flatten().filter_map(Value::as_str);
                others.map(move |other| (name.as_str(), other))
            })
            .collect()
        };
        let (before, after) = (of(old), of(new));
        let bound = match (before.is_subset(&after), after.is_subset(&before)) {
            (true, true) => ImpliedDirection::Equal,
            (true, false) => ImpliedDirection::Tighter,
            (false, true) => ImpliedDirection::Looser,
            _ => ImpliedDirection::Open,
        };
        let bound = of_kind(old, new, ValueKinds::OBJECT, bound);
        let attempts = || {
            before
                .symmetric_difference(&after)
                .map(|(name, _)| SchemaAttempt::With((*name).to_owned()))
                .collect()
        };
        self.note_difference((old, new), "required", &["dependentRequired"], bound, (attempts(), attempts()));
    }

    /// Rules in CEL, which are not evaluated here.
    fn compare_cel_rules(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>) {
        if !self.is_same(old, new, VALIDATIONS)
            && let Some(change) = self.note_difference(
                (old, new),
                "rule",
                &[VALIDATIONS],
                ImpliedDirection::Open,
                (Vec::new(), Vec::new()),
            )
        {
            change.notes.push(
                "no validator of JSON Schema runs rules in CEL; they are compared in CustomResourceDefinitions".to_owned(),
            );
        }
    }

    /// True if a keyword is the same in both.
    pub(super) fn is_same(&mut self, old: &FlatSchema<'s>, new: &FlatSchema<'s>, key: &str) -> bool {
        let (one, other): (Vec<_>, Vec<_>) =
            (old.keyword_values(key).collect(), new.keyword_values(key).collect());
        one.len() == other.len()
            && one
                .iter()
                .zip(&other)
                .all(|(one, other)| self.same.of_keyword(key, (one, other), self.is_apart))
    }
}

/// Returns the excess in strings alone, because names are strings.
fn texts_only(one: &FlatSchema<'_>, other: &FlatSchema<'_>) -> SchemaExcess {
    let mut found = find_excess(one, other);
    found.values.retain(Value::is_string);
    // A JSON object's keys are strings, so a schema that accepts no string accepts no key.
    found.is_none |= found.values.is_empty()
        && one.allowed_kinds().intersection_with(ValueKinds::STRING) != ValueKinds::STRING;
    found
}

/// Returns the bound of a keyword that is only on one side.
pub(super) fn presence_bound(old: &FlatSchema<'_>, new: &FlatSchema<'_>, key: &str) -> ImpliedDirection {
    match (old.keyword_values(key).next().is_some(), new.keyword_values(key).next().is_some()) {
        (false, true) => ImpliedDirection::Tighter,
        (true, false) => ImpliedDirection::Looser,
        _ => ImpliedDirection::Open,
    }
}

/// Returns the bound of a difference that is about values of one kind alone.
fn of_kind(
    old: &FlatSchema<'_>,
    new: &FlatSchema<'_>,
    kind: ValueKinds,
    bound: ImpliedDirection,
) -> ImpliedDirection {
    if old.allowed_kinds().union_with(new.allowed_kinds()).intersects_with(kind) {
        bound
    } else {
        ImpliedDirection::Equal
    }
}

fn keyword_differs(old: &FlatSchema<'_>, new: &FlatSchema<'_>, key: &str) -> bool {
    text_of(old, key) != text_of(new, key)
}

/// Returns the text of a keyword, from all parts.
fn text_of(flat: &FlatSchema<'_>, key: &str) -> Option<String> {
    let mut texts: Vec<String> = flat.keyword_values(key).map(render_brief).collect();
    texts.dedup();
    (!texts.is_empty()).then(|| texts.join(" and "))
}

/// A value in a line.
pub(super) fn render_brief(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn keyword_limit(key: &str, before: Option<String>, after: Option<String>) -> ChangedLimit {
    ChangedLimit::new(key, before, after)
}
