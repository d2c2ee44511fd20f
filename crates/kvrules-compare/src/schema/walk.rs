//! The walk over two schemas at once, which notes every place where they differ.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::edit::{Attempt, Edit};
use super::keyword::{
    EMBEDDED, INT_OR_STRING, JUNCTORS, LIST_KEYS, LIST_TYPE, PRESERVE, RULES, default, flag, has_branches,
    is_meta, list, names, properties, property, schema, size, text, texts,
};
use super::place::{Down, render_place};
use super::rules;
use super::values::difference;
use super::work_budget::Work;
use crate::bound::Bound;
use crate::report::{Change, ChangeSite, ChangedLimit};

/// Every difference of two schemas.
pub(super) fn edits(old: &Value, new: &Value, work: &Work) -> Vec<Edit> {
    let mut walk = Walk { downs: Vec::new(), found: Vec::new(), work };
    walk.node(old, new, Seen::default());
    walk.found
}

/// Returns the number of nodes of two schemas; nodes of both count once.
pub(super) fn count(old: &Value, new: &Value) -> usize {
    let nothing = Value::Null;
    let below = |down: Down| {
        let (one, other) = (down.of(old), down.of(new));
        match (one, other) {
            (None, None) => 0,
            (one, other) => count(one.unwrap_or(&nothing), other.unwrap_or(&nothing)),
        }
    };
    let properties = names(old, new).into_iter().map(|name| Down::Property(name.clone()));
    1 + properties.chain([Down::Items, Down::Values]).map(below).sum::<usize>()
}

/// Known facts of the way to a node.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Rules or branches above or at the node see what its values are made into.
    exposed: bool,
    /// The number of fields of the parent is limited.
    counted: bool,
}

/// Keywords that limit a value by itself.
const OF_VALUES: [&str; 13] = [
    "type",
    INT_OR_STRING,
    "enum",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "nullable",
];

struct Walk<'w> {
    downs: Vec<Down>,
    found: Vec<Edit>,
    work: &'w Work,
}

impl Walk<'_> {
    fn node(&mut self, old: &Value, new: &Value, seen: Seen) {
        if old == new {
            return;
        }
        let has_rules = |node: &Value| !list(node, RULES).is_empty();
        let exposed =
            seen.exposed || [old, new].into_iter().any(|node| has_rules(node) || has_branches(node));
        let seen = Seen { exposed, ..seen };
        self.values(old, new, seen);
        self.branches(old, new);
        self.rules(old, new);
        if text(old, "type") != text(new, "type") {
            return;
        }
        self.counts(old, new);
        self.list_type(old, new, seen);
        self.openness(old, new);
        self.embedded(old, new);
        self.properties(old, new, seen);
        for down in [Down::Items, Down::Values] {
            if let (Some(one), Some(other)) = (down.of(old), down.of(new)) {
                let is_keyed =
                    texts(old, LIST_KEYS) != texts(new, LIST_KEYS) || text(old, LIST_TYPE) == "map";
                self.walk_below(down, one, other, Seen { exposed: exposed || is_keyed, counted: false });
            }
        }
    }

    fn walk_below(&mut self, down: Down, old: &Value, new: &Value, seen: Seen) {
        let is_property = matches!(down, Down::Property(_));
        self.downs.push(down);
        if !is_property && default(old) != default(new) {
            let limits = vec![limit("default", old, new)];
            self.note(
                "default",
                limits,
                Bound::Open,
                (vec![Attempt::Anything], vec![Attempt::Anything]),
                &["default"],
            );
        }
        self.node(old, new, seen);
        self.downs.pop();
    }

    /// Notes a difference at the node. `at` is the path from the node to what is written, on both sides.
    fn note(
        &mut self,
        what: &'static str,
        limits: Vec<ChangedLimit>,
        bound: Bound,
        (refused, accepted): (Vec<Attempt>, Vec<Attempt>),
        at: &[&str],
    ) -> &mut Edit {
        let mut pointer: Vec<String> = self.downs.iter().flat_map(Down::tokens).collect();
        pointer.extend(at.iter().map(|token| (*token).to_owned()));
        let mut change = Change::new(render_place(&self.downs), what, limits);
        change.old = ChangeSite::Pointer(pointer.clone());
        change.new = ChangeSite::Pointer(pointer);
        let edit = Edit {
            change,
            downs: self.downs.clone(),
            keys: vec![at.iter().map(|token| (*token).to_owned()).collect()],
            bound,
            refused,
            accepted,
            looked_at: 0,
            is_cut: false,
            is_message: false,
            pair: None,
            moves_status: false,
        };
        self.found.push(edit);
        let last = self.found.len() - 1;
        // What was pushed is there.
        #[expect(clippy::indexing_slicing, reason = "the index of what was just pushed")]
        &mut self.found[last]
    }

    fn values(&mut self, old: &Value, new: &Value, seen: Seen) {
        let differing: Vec<&str> = OF_VALUES.into_iter().filter(|key| differs(old, new, key)).collect();
        let Some(first) = differing.first().copied() else { return };
        let limits = differing.iter().map(|key| limit(key, old, new)).collect();
        let (lost, won) = (difference(old, new, self.work), difference(new, old, self.work));
        let is_cut = lost.is_cut || won.is_cut;
        let mut bound = match (lost.exact && lost.values.is_empty(), won.exact && won.values.is_empty()) {
            (true, true) => Bound::Equal,
            (false, true) => Bound::Tighter,
            (true, false) => Bound::Looser,
            (false, false) => Bound::Open,
        };
        // What rules see of a value depends on its type, and on a format that stands for one.
        let retyped = differing.iter().any(|key| matches!(*key, "type" | INT_OR_STRING))
            || (differing.contains(&"format")
                && [old, new].into_iter().any(|node| TYPED.contains(&text(node, "format"))));
        let renulled = differing.contains(&"nullable")
            || ([old, new].into_iter().any(|node| flag(node, "nullable")) && differs(old, new, "enum"));
        if (retyped && seen.exposed) || renulled {
            bound = Bound::Open;
        }
        let attempts = |values: Vec<Value>| -> Vec<Attempt> {
            let null = renulled.then_some(Attempt::Exactly(Value::Null));
            values.into_iter().take(12).map(Attempt::Like).chain(null).chain([Attempt::Anything]).collect()
        };
        let edit = self.note("value", limits, bound, (attempts(lost.values), attempts(won.values)), &[first]);
        edit.keys = keys(&differing);
        edit.is_cut = is_cut;
    }

    fn branches(&mut self, old: &Value, new: &Value) {
        let all = JUNCTORS.into_iter().chain(["not"]);
        let differing: Vec<&str> = all.filter(|key| differs(old, new, key)).collect();
        let Some(first) = differing.first().copied() else { return };
        let none = |node: &Value| !has_branches(node);
        let bound = match (none(old), none(new)) {
            (true, _) => Bound::Tighter,
            (_, true) => Bound::Looser,
            _ => Bound::Open,
        };
        let limits = differing.iter().map(|key| limit(key, old, new)).collect();
        let edit = self.note(
            "branches",
            limits,
            bound,
            (vec![Attempt::Anything], vec![Attempt::Anything]),
            &[first],
        );
        edit.keys = keys(&differing);
    }

    fn counts(&mut self, old: &Value, new: &Value) {
        for key in ["minItems", "maxItems", "minProperties", "maxProperties"] {
            if !differs(old, new, key) {
                continue;
            }
            let is_most = key.starts_with("max");
            let none = if is_most { i64::MAX } else { 0 };
            let (before, after) = (size(old, key).unwrap_or(none), size(new, key).unwrap_or(none));
            let beyond = |bound: i64| {
                let counts = if is_most {
                    [bound.saturating_add(1), bound.saturating_add(2)]
                } else {
                    [bound.saturating_sub(1), 0]
                };
                let counts = counts.into_iter().filter_map(|count| usize::try_from(count).ok());
                counts.filter(|count| *count <= 300).map(Attempt::Count).collect()
            };
            let is_root = self.downs.is_empty();
            let fields = [old, new].map(|node| declared_fields(node, is_root));
            let says_nothing = key.ends_with("Properties")
                && fields.iter().all(|(must, may)| match (is_most, may) {
                    (true, Some(may)) => before.min(*may) == after.min(*may),
                    (true, None) => false,
                    (false, _) => before.max(*must) == after.max(*must),
                });
            let bound = match Bound::of_order(before.max(0), after.max(0), is_most) {
                _ if says_nothing => Bound::Equal,
                bound => bound,
            };
            let attempts = (beyond(after), beyond(before));
            self.note("size", vec![limit(key, old, new)], bound, attempts, &[key]);
        }
    }

    fn list_type(&mut self, old: &Value, new: &Value, seen: Seen) {
        let keys: Vec<&str> =
            [LIST_TYPE, LIST_KEYS].into_iter().filter(|key| differs(old, new, key)).collect();
        let Some(first) = keys.first().copied() else { return };
        let apart = |node: &Value| matches!(text(node, LIST_TYPE), "set" | "map");
        let bound = match (apart(old), apart(new)) {
            _ if seen.exposed => Bound::Open,
            (false, false) => Bound::Equal,
            (false, true) => Bound::Tighter,
            (true, false) => Bound::Looser,
            (true, true) => Bound::Open,
        };
        let attempts = || vec![Attempt::DuplicateItem, Attempt::Count(2)];
        let limits = keys.iter().map(|key| limit(key, old, new)).collect();
        let edit = self.note("list type", limits, bound, (attempts(), attempts()), &[first]);
        edit.keys = self::keys(&keys);
    }

    /// Compares whether undeclared fields are allowed.
    fn openness(&mut self, old: &Value, new: &Value) {
        let kind = |node: &Value| match (flag(node, PRESERVE), node.get("additionalProperties")) {
            (true, _) => 3,
            (_, Some(Value::Object(_))) => 2,
            (_, Some(Value::Bool(true))) => 1,
            _ => 0,
        };
        let (before, after) = (kind(old), kind(new));
        if before == after {
            return;
        }
        let bound = match (before, after) {
            (0, _) => Bound::Looser,
            (_, 0) => Bound::Tighter,
            _ => Bound::Open,
        };
        let key = if before == 3 || after == 3 { PRESERVE } else { "additionalProperties" };
        let known = |name: &&str| property(old, name).is_none() && property(new, name).is_none();
        let name = ["unknownField", "anotherField"].into_iter().find(known).unwrap_or("unknownFieldOfNone");
        let attempts = || others(name);
        let limits = vec![limit(key, old, new)];
        let edit = self.note("unknown fields", limits, bound, (attempts(), attempts()), &[key]);
        edit.keys = keys(&[PRESERVE, "additionalProperties"]);
    }

    fn embedded(&mut self, old: &Value, new: &Value) {
        if differs(old, new, EMBEDDED) {
            let attempts = || {
                let names = ["apiVersion", "kind", "metadata"];
                let with = names.map(|name| Attempt::WithValue(name.to_owned(), json!("v1")));
                with.into_iter().chain([Attempt::Without(names[0].to_owned()), Attempt::Anything]).collect()
            };
            self.note(
                "embedded resource",
                vec![limit(EMBEDDED, old, new)],
                Bound::Open,
                (attempts(), attempts()),
                &[EMBEDDED],
            );
        }
    }

    fn properties(&mut self, old: &Value, new: &Value, seen: Seen) {
        let is_root = self.downs.is_empty();
        let counted = [old, new]
            .into_iter()
            .any(|node| node.get("minProperties").or(node.get("maxProperties")).is_some());
        for name in names(old, new) {
            let seen = Seen { counted, ..seen };
            if is_root && is_meta(name) {
                let (one, other) = (of_every_object(old, name), of_every_object(new, name));
                self.walk_below(Down::Property(name.clone()), &one, &other, seen);
                continue;
            }
            match (property(old, name), property(new, name)) {
                (Some(one), Some(other)) => {
                    self.presence(name, (old, one), (new, other), seen);
                    self.walk_below(Down::Property(name.clone()), one, other, seen);
                }
                (None, Some(added)) => {
                    let bound = declared(added, (old, new), seen, (Bound::Looser, Bound::Tighter));
                    self.field("field added", name, bound);
                }
                (Some(removed), None) => {
                    let bound = declared(removed, (new, old), seen, (Bound::Tighter, Bound::Looser));
                    self.field("field removed", name, bound);
                }
                (None, None) => {}
            }
        }
        let all: Vec<&str> = texts(old, "required").into_iter().chain(texts(new, "required")).collect();
        let mut told: HashSet<&str> = HashSet::new();
        for name in all {
            let in_both = property(old, name).is_some() && property(new, name).is_some();
            let is_always_there = is_root && is_meta(name);
            if !in_both && !is_always_there && told.insert(name) {
                self.requirement(name, must(old, name), must(new, name));
            }
        }
    }

    /// A field that only one side declares.
    fn field(&mut self, what: &'static str, name: &str, bound: Bound) {
        let mut attempts = vec![Attempt::With(name.to_owned())];
        attempts.extend(others(name));
        // What is null is dropped as if it was not there.
        attempts.push(Attempt::WithValue(name.to_owned(), Value::Null));
        attempts.push(Attempt::Without(name.to_owned()));
        let mut at = self.downs.clone();
        at.push(Down::Property(name.to_owned()));
        let edit = self.note(what, Vec::new(), bound, (attempts.clone(), attempts), &["properties", name]);
        edit.change.at = render_place(&at);
        let (here, gone) = (edit.change.old.clone(), ChangeSite::Absent);
        let is_added = what == "field added";
        edit.change.old = if is_added { gone.clone() } else { here };
        if !is_added {
            edit.change.new = gone;
        }
    }

    /// Compares whether a field that both sides declare is required, and its default.
    fn presence(
        &mut self,
        name: &str,
        (old, one): (&Value, &Value),
        (new, other): (&Value, &Value),
        seen: Seen,
    ) {
        let (before, after) = (must(old, name), must(new, name));
        if before != after {
            self.requirement(name, before, after);
        }
        if default(one) == default(other) {
            return;
        }
        let disturbs = seen.exposed
            || seen.counted
            || [one, other].into_iter().any(|it| has_branches(it) || it.get(RULES).is_some());
        let bound = if disturbs { Bound::Open } else { Bound::Equal };
        let attempts = || {
            vec![Attempt::Without(name.to_owned()), Attempt::Anything, Attempt::RemoveField(name.to_owned())]
        };
        let limits = vec![limit("default", one, other)];
        let mut at = self.downs.clone();
        at.push(Down::Property(name.to_owned()));
        let edit =
            self.note("default", limits, bound, (attempts(), attempts()), &["properties", name, "default"]);
        edit.change.at = render_place(&at);
        edit.change.notes.push("objects without the field are stored with another value".to_owned());
    }

    fn requirement(&mut self, name: &str, before: bool, after: bool) {
        if before == after {
            return;
        }
        let bound = if after { Bound::Tighter } else { Bound::Looser };
        let word = |is: bool| Some(if is { "required" } else { "optional" });
        let attempts = || vec![Attempt::Without(name.to_owned())];
        let mut at = self.downs.clone();
        at.push(Down::Property(name.to_owned()));
        let limits = vec![ChangedLimit::new("presence", word(before), word(after))];
        let edit = self.note("required", limits, bound, (attempts(), attempts()), &["required"]);
        edit.keys.push(["properties", name, "default"].map(str::to_owned).to_vec());
        edit.change.at = render_place(&at);
    }

    fn rules(&mut self, old: &Value, new: &Value) {
        let found = rules::edits(old, new, &self.downs, self.work);
        self.found.extend(found);
    }
}

/// Returns the schema of a field that every object has; nothing is dropped from metadata.
fn of_every_object(root: &Value, name: &str) -> Value {
    let kind = if name == "metadata" { "object" } else { "string" };
    let mut node = property(root, name).cloned().unwrap_or_else(|| json!({"type": kind}));
    if let Some(fields) = node.as_object_mut().filter(|_| name == "metadata") {
        fields.insert(PRESERVE.to_owned(), Value::Bool(true));
    }
    node
}

/// Returns the least number of fields of an object, and the greatest if only declared fields are allowed.
fn declared_fields(node: &Value, is_root: bool) -> (i64, Option<i64>) {
    let required = texts(node, "required");
    let filled = properties(node)
        .filter(|(name, below)| default(below).is_some() && !required.contains(&name.as_str()))
        .count();
    let mut must = required.clone();
    must.sort_unstable();
    must.dedup();
    let is_resource = is_root || flag(node, EMBEDDED);
    let meta = ["apiVersion", "kind", "metadata"];
    let more = meta.iter().filter(|name| is_resource && property(node, name).is_none()).count();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let is_closed = !flag(node, PRESERVE) && node.get("additionalProperties").is_none();
    (count(must.len() + filled), is_closed.then(|| count(properties(node).count() + more)))
}

/// Returns the bound of a declaration that only the second of two nodes has: in a closed node it accepts values, in an
/// open node it constrains them.
fn declared(
    field: &Value,
    (without, with): (&Value, &Value),
    seen: Seen,
    (closed, open): (Bound, Bound),
) -> Bound {
    let is_seen = seen.exposed || seen.counted;
    let is_filled = default(field).is_some() && is_seen;
    if is_filled {
        Bound::Open
    } else if !is_open(without) {
        closed
    } else if flag(without, PRESERVE) && flag(with, PRESERVE) && !is_seen {
        open
    } else {
        Bound::Open
    }
}

/// Keywords of a node as paths from it.
fn keys(keywords: &[&str]) -> Vec<Vec<String>> {
    keywords.iter().map(|keyword| vec![(*keyword).to_owned()]).collect()
}

/// The formats that stand for a type of their own in rules.
const TYPED: [&str; 5] = ["byte", "date", "date-time", "datetime", "duration"];

/// Values of a field that may be of another type.
fn others(name: &str) -> Vec<Attempt> {
    let values = [json!("a"), json!(1), json!(true), json!({"a": 1}), json!([1])];
    values.map(|value| Attempt::WithValue(name.to_owned(), value)).to_vec()
}

/// True if an object must have a field: it is required, and has no default.
fn must(node: &Value, name: &str) -> bool {
    list(node, "required").iter().any(|known| known.as_str() == Some(name))
        && property(node, name).is_none_or(|below| default(below).is_none())
}

fn is_open(node: &Value) -> bool {
    flag(node, PRESERVE)
        || schema(node, "additionalProperties").is_some()
        || flag(node, "additionalProperties")
}

/// True if the value of a keyword differs; an empty value counts as absent.
fn differs(old: &Value, new: &Value, key: &str) -> bool {
    let said = |node: &Value| {
        node.get(key)
            .filter(|value| match value {
                Value::Null | Value::Bool(false) => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(values) => !values.is_empty(),
                _ => true,
            })
            .cloned()
    };
    said(old) != said(new)
}

/// Returns the values of a keyword on both sides.
fn limit(key: &str, old: &Value, new: &Value) -> ChangedLimit {
    let said = |node: &Value| {
        node.get(key).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    ChangedLimit::new(key, said(old), said(new))
}
