//! Walks over two schemas at once, and records every difference.

use std::collections::HashSet;

use kvrules_kubernetes::keywords::{KEYWORDS, KeywordRole};
use serde_json::{Value, json};

use super::RuleNames;
use super::edit::{ObjectAttempt, ObjectEdit};
use super::keyword::{
    EMBEDDED, INT_OR_STRING, JUNCTORS, LIST_KEYS, LIST_TYPE, PRESERVE, RULES, default_value, find_property,
    has_branches, is_meta, keyword_flag, keyword_list, keyword_schema, keyword_size, keyword_text,
    keyword_texts, properties, property_names,
};
use super::place::{NodeStep, render_place};
use super::rules::{self, Namesakes};
use super::value_shape::TYPED;
use super::values::find_excess;
use super::work_budget::WorkBudget;
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit};

/// Every difference of two schemas.
pub(super) fn find_edits(
    old: &Value,
    new: &Value,
    work: &WorkBudget,
    rule_names: &[RuleNames; 2],
) -> Vec<ObjectEdit> {
    let namesakes = Namesakes::new(rule_names);
    let mut walk = NodeWalk { downs: Vec::new(), found: Vec::new(), work, namesakes };
    walk.node(old, new, AncestorFacts::default());
    walk.found
}

/// Returns the number of nodes of two schemas; nodes of both count once.
pub(super) fn count_nodes(old: &Value, new: &Value) -> usize {
    let nothing = Value::Null;
    let below = |down: NodeStep| {
        let (one, other) = (down.of(old), down.of(new));
        match (one, other) {
            (None, None) => 0,
            (one, other) => count_nodes(one.unwrap_or(&nothing), other.unwrap_or(&nothing)),
        }
    };
    let properties = property_names(old, new).into_iter().map(|name| NodeStep::Property(name.clone()));
    1 + properties.chain([NodeStep::Items, NodeStep::Values]).map(below).sum::<usize>()
}

/// Known facts of the way to a node.
#[derive(Clone, Copy, Debug, Default)]
struct AncestorFacts {
    /// Rules or branches above or at the node see what its values are made into.
    exposed: bool,
    /// The number of fields of the parent is limited.
    counted: bool,
}

/// Keywords that limit a value by itself. A structural schema has no `const`.
fn value_keywords() -> impl Iterator<Item = &'static str> {
    let keywords = KEYWORDS.iter().filter(|keyword| keyword.role == KeywordRole::Value);
    keywords.map(|keyword| keyword.name).filter(|name| *name != "const")
}

struct NodeWalk<'w> {
    downs: Vec<NodeStep>,
    found: Vec<ObjectEdit>,
    work: &'w WorkBudget,
    namesakes: Namesakes<'w>,
}

impl NodeWalk<'_> {
    fn node(&mut self, old: &Value, new: &Value, seen: AncestorFacts) {
        if old == new {
            return;
        }
        let has_rules = |node: &Value| !keyword_list(node, RULES).is_empty();
        let exposed =
            seen.exposed || [old, new].into_iter().any(|node| has_rules(node) || has_branches(node));
        let seen = AncestorFacts { exposed, ..seen };
        self.values(old, new, seen);
        self.branches(old, new);
        self.rules(old, new);
        if keyword_text(old, "type") != keyword_text(new, "type") {
            return;
        }
        self.counts(old, new);
        self.list_type(old, new, seen);
        self.openness(old, new);
        self.embedded(old, new);
        self.properties(old, new, seen);
        for down in [NodeStep::Items, NodeStep::Values] {
            if let (Some(one), Some(other)) = (down.of(old), down.of(new)) {
                let is_keyed = keyword_texts(old, LIST_KEYS) != keyword_texts(new, LIST_KEYS)
                    || keyword_text(old, LIST_TYPE) == "map";
                self.walk_below(
                    down,
                    one,
                    other,
                    AncestorFacts { exposed: exposed || is_keyed, counted: false },
                );
            }
        }
    }

    fn walk_below(&mut self, down: NodeStep, old: &Value, new: &Value, seen: AncestorFacts) {
        let is_property = matches!(down, NodeStep::Property(_));
        self.downs.push(down);
        if !is_property && default_value(old) != default_value(new) {
            let limits = vec![keyword_limit("default", old, new)];
            self.note(
                "default",
                limits,
                ImpliedDirection::Open,
                (vec![ObjectAttempt::Anything], vec![ObjectAttempt::Anything]),
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
        bound: ImpliedDirection,
        (refused, accepted): (Vec<ObjectAttempt>, Vec<ObjectAttempt>),
        at: &[&str],
    ) -> &mut ObjectEdit {
        let mut pointer: Vec<String> = self.downs.iter().flat_map(NodeStep::tokens).collect();
        pointer.extend(at.iter().map(|token| (*token).to_owned()));
        let mut change = Change::new(render_place(&self.downs), what, limits);
        change.old = ChangeSite::Pointer(pointer.clone());
        change.new = ChangeSite::Pointer(pointer);
        let edit = ObjectEdit {
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
            proofs: Vec::new(),
            open_questions: Vec::new(),
        };
        self.found.push(edit);
        let last = self.found.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the index of what was just pushed")]
        &mut self.found[last]
    }

    fn values(&mut self, old: &Value, new: &Value, seen: AncestorFacts) {
        let differing: Vec<&str> = value_keywords().filter(|key| keyword_differs(old, new, key)).collect();
        let Some(first) = differing.first().copied() else { return };
        let limits = differing.iter().map(|key| keyword_limit(key, old, new)).collect();
        let (lost, won) = (find_excess(old, new, self.work), find_excess(new, old, self.work));
        let is_cut = lost.is_cut || won.is_cut;
        let mut bound = match (lost.exact && lost.values.is_empty(), won.exact && won.values.is_empty()) {
            (true, true) => ImpliedDirection::Equal,
            (false, true) => ImpliedDirection::Tighter,
            (true, false) => ImpliedDirection::Looser,
            (false, false) => ImpliedDirection::Open,
        };
        // The CEL type of a value depends on `type`, and on the formats that have a CEL type of their own.
        let retyped = differing.iter().any(|key| matches!(*key, "type" | INT_OR_STRING))
            || (differing.contains(&"format")
                && [old, new].into_iter().any(|node| TYPED.contains(&keyword_text(node, "format"))));
        let renulled = differing.contains(&"nullable")
            || ([old, new].into_iter().any(|node| keyword_flag(node, "nullable"))
                && keyword_differs(old, new, "enum"));
        if (retyped && seen.exposed) || renulled {
            bound = ImpliedDirection::Open;
        }
        let attempts = |values: Vec<Value>| -> Vec<ObjectAttempt> {
            let null = renulled.then_some(ObjectAttempt::Exactly(Value::Null));
            values
                .into_iter()
                .take(12)
                .map(ObjectAttempt::Like)
                .chain(null)
                .chain([ObjectAttempt::Anything])
                .collect()
        };
        let edit = self.note("value", limits, bound, (attempts(lost.values), attempts(won.values)), &[first]);
        edit.keys = keyword_paths(&differing);
        edit.is_cut = is_cut;
    }

    fn branches(&mut self, old: &Value, new: &Value) {
        let all = JUNCTORS.into_iter().chain(["not"]);
        let differs = |key: &&str| keyword_differs(old, new, key) && !are_reordered(old, new, key);
        let differing: Vec<&str> = all.filter(differs).collect();
        let Some(first) = differing.first().copied() else { return };
        let none = |node: &Value| !has_branches(node);
        let bound = match (none(old), none(new)) {
            (true, _) => ImpliedDirection::Tighter,
            (_, true) => ImpliedDirection::Looser,
            _ => ImpliedDirection::Open,
        };
        let limits = differing.iter().map(|key| keyword_limit(key, old, new)).collect();
        let edit = self.note(
            "branches",
            limits,
            bound,
            (vec![ObjectAttempt::Anything], vec![ObjectAttempt::Anything]),
            &[first],
        );
        edit.keys = keyword_paths(&differing);
    }

    fn counts(&mut self, old: &Value, new: &Value) {
        for key in ["minItems", "maxItems", "minProperties", "maxProperties"] {
            if !keyword_differs(old, new, key) {
                continue;
            }
            let is_most = key.starts_with("max");
            let none = if is_most { i64::MAX } else { 0 };
            let (before, after) =
                (keyword_size(old, key).unwrap_or(none), keyword_size(new, key).unwrap_or(none));
            let beyond = |bound: i64| {
                let counts = if is_most {
                    [bound.saturating_add(1), bound.saturating_add(2)]
                } else {
                    [bound.saturating_sub(1), 0]
                };
                let counts = counts.into_iter().filter_map(|count| usize::try_from(count).ok());
                counts.filter(|count| *count <= 300).map(ObjectAttempt::Count).collect()
            };
            let is_root = self.downs.is_empty();
            let fields = [old, new].map(|node| declared_fields(node, is_root));
            let says_nothing = key.ends_with("Properties")
                && fields.iter().all(|(must, may)| match (is_most, may) {
                    (true, Some(may)) => before.min(*may) == after.min(*may),
                    (true, None) => false,
                    (false, _) => before.max(*must) == after.max(*must),
                });
            let bound = match ImpliedDirection::of_order(before.max(0), after.max(0), is_most) {
                _ if says_nothing => ImpliedDirection::Equal,
                bound => bound,
            };
            let attempts = (beyond(after), beyond(before));
            self.note("size", vec![keyword_limit(key, old, new)], bound, attempts, &[key]);
        }
    }

    fn list_type(&mut self, old: &Value, new: &Value, seen: AncestorFacts) {
        let keys: Vec<&str> =
            [LIST_TYPE, LIST_KEYS].into_iter().filter(|key| keyword_differs(old, new, key)).collect();
        let Some(first) = keys.first().copied() else { return };
        let apart = |node: &Value| matches!(keyword_text(node, LIST_TYPE), "set" | "map");
        let bound = match (apart(old), apart(new)) {
            _ if seen.exposed => ImpliedDirection::Open,
            (false, false) => ImpliedDirection::Equal,
            (false, true) => ImpliedDirection::Tighter,
            (true, false) => ImpliedDirection::Looser,
            (true, true) => ImpliedDirection::Open,
        };
        let attempts = || vec![ObjectAttempt::DuplicateItem, ObjectAttempt::Count(2)];
        let limits = keys.iter().map(|key| keyword_limit(key, old, new)).collect();
        let edit = self.note("list type", limits, bound, (attempts(), attempts()), &[first]);
        edit.keys = self::keyword_paths(&keys);
    }

    /// Compares whether undeclared fields are allowed.
    fn openness(&mut self, old: &Value, new: &Value) {
        let kind = |node: &Value| match (keyword_flag(node, PRESERVE), node.get("additionalProperties")) {
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
            (0, _) => ImpliedDirection::Looser,
            (_, 0) => ImpliedDirection::Tighter,
            _ => ImpliedDirection::Open,
        };
        let key = if before == 3 || after == 3 { PRESERVE } else { "additionalProperties" };
        let known = |name: &&str| find_property(old, name).is_none() && find_property(new, name).is_none();
        let name = ["unknownField", "anotherField"].into_iter().find(known).unwrap_or("unknownFieldOfNone");
        let attempts = || other_typed_values(name);
        let limits = vec![keyword_limit(key, old, new)];
        let edit = self.note("unknown fields", limits, bound, (attempts(), attempts()), &[key]);
        edit.keys = keyword_paths(&[PRESERVE, "additionalProperties"]);
    }

    fn embedded(&mut self, old: &Value, new: &Value) {
        if keyword_differs(old, new, EMBEDDED) {
            let attempts = || {
                let names = ["apiVersion", "kind", "metadata"];
                let with = names.map(|name| ObjectAttempt::WithValue(name.to_owned(), json!("v1")));
                with.into_iter()
                    .chain([ObjectAttempt::Without(names[0].to_owned()), ObjectAttempt::Anything])
                    .collect()
            };
            self.note(
                "embedded resource",
                vec![keyword_limit(EMBEDDED, old, new)],
                ImpliedDirection::Open,
                (attempts(), attempts()),
                &[EMBEDDED],
            );
        }
    }

    fn properties(&mut self, old: &Value, new: &Value, seen: AncestorFacts) {
        let is_root = self.downs.is_empty();
        let counted = [old, new]
            .into_iter()
            .any(|node| node.get("minProperties").or(node.get("maxProperties")).is_some());
        for name in property_names(old, new) {
            let seen = AncestorFacts { counted, ..seen };
            if is_root && is_meta(name) {
                let (one, other) = (of_every_object(old, name), of_every_object(new, name));
                self.walk_below(NodeStep::Property(name.clone()), &one, &other, seen);
                continue;
            }
            match (find_property(old, name), find_property(new, name)) {
                (Some(one), Some(other)) => {
                    self.presence(name, (old, one), (new, other), seen);
                    self.walk_below(NodeStep::Property(name.clone()), one, other, seen);
                }
                (None, Some(added)) => {
                    let bound = declaration_bound(
                        added,
                        (old, new),
                        seen,
                        (ImpliedDirection::Looser, ImpliedDirection::Tighter),
                    );
                    self.field("field added", name, bound);
                }
                (Some(removed), None) => {
                    let bound = declaration_bound(
                        removed,
                        (new, old),
                        seen,
                        (ImpliedDirection::Tighter, ImpliedDirection::Looser),
                    );
                    self.field("field removed", name, bound);
                }
                (None, None) => {}
            }
        }
        let all: Vec<&str> =
            keyword_texts(old, "required").into_iter().chain(keyword_texts(new, "required")).collect();
        let mut reported: HashSet<&str> = HashSet::new();
        for name in all {
            let in_both = find_property(old, name).is_some() && find_property(new, name).is_some();
            let is_always_there = is_root && is_meta(name);
            if !in_both && !is_always_there && reported.insert(name) {
                self.requirement(name, is_mandatory(old, name), is_mandatory(new, name));
            }
        }
    }

    /// A field that only one side declares.
    fn field(&mut self, what: &'static str, name: &str, bound: ImpliedDirection) {
        let mut attempts = vec![ObjectAttempt::With(name.to_owned())];
        attempts.extend(other_typed_values(name));
        // The server drops a null as if the field was absent.
        attempts.push(ObjectAttempt::WithValue(name.to_owned(), Value::Null));
        attempts.push(ObjectAttempt::Without(name.to_owned()));
        let mut at = self.downs.clone();
        at.push(NodeStep::Property(name.to_owned()));
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
        seen: AncestorFacts,
    ) {
        let (before, after) = (is_mandatory(old, name), is_mandatory(new, name));
        if before != after {
            self.requirement(name, before, after);
        }
        if default_value(one) == default_value(other) {
            return;
        }
        let disturbs = seen.exposed
            || seen.counted
            || [one, other].into_iter().any(|it| has_branches(it) || it.get(RULES).is_some());
        let bound = if disturbs { ImpliedDirection::Open } else { ImpliedDirection::Equal };
        let attempts = || {
            vec![
                ObjectAttempt::Without(name.to_owned()),
                ObjectAttempt::Anything,
                ObjectAttempt::RemoveField(name.to_owned()),
            ]
        };
        let limits = vec![keyword_limit("default", one, other)];
        let mut at = self.downs.clone();
        at.push(NodeStep::Property(name.to_owned()));
        let edit =
            self.note("default", limits, bound, (attempts(), attempts()), &["properties", name, "default"]);
        edit.change.at = render_place(&at);
        edit.change.notes.push("objects without the field are stored with another value".to_owned());
    }

    fn requirement(&mut self, name: &str, before: bool, after: bool) {
        if before == after {
            return;
        }
        let bound = if after { ImpliedDirection::Tighter } else { ImpliedDirection::Looser };
        let word = |is: bool| Some(if is { "required" } else { "optional" });
        let attempts = || vec![ObjectAttempt::Without(name.to_owned())];
        let mut at = self.downs.clone();
        at.push(NodeStep::Property(name.to_owned()));
        let limits = vec![ChangedLimit::new("presence", word(before), word(after))];
        let edit = self.note("required", limits, bound, (attempts(), attempts()), &["required"]);
        edit.keys.push(["properties", name, "default"].map(str::to_owned).to_vec());
        edit.change.at = render_place(&at);
    }

    fn rules(&mut self, old: &Value, new: &Value) {
        let found = rules::find_edits(old, new, &self.downs, &self.namesakes);
        self.found.extend(found);
    }
}

/// Returns the schema of a field that every object has; nothing is dropped from metadata.
fn of_every_object(root: &Value, name: &str) -> Value {
    let kind = if name == "metadata" { "object" } else { "string" };
    let mut node = find_property(root, name).cloned().unwrap_or_else(|| json!({"type": kind}));
    if let Some(fields) = node.as_object_mut().filter(|_| name == "metadata") {
        fields.insert(PRESERVE.to_owned(), Value::Bool(true));
    }
    node
}

/// Returns the least number of fields of an object, and the greatest if only declared fields are allowed.
fn declared_fields(node: &Value, is_root: bool) -> (i64, Option<i64>) {
    let required = keyword_texts(node, "required");
    let filled = properties(node)
        .filter(|(name, below)| default_value(below).is_some() && !required.contains(&name.as_str()))
        .count();
    let mut must = required.clone();
    must.sort_unstable();
    must.dedup();
    let is_resource = is_root || keyword_flag(node, EMBEDDED);
    let meta = ["apiVersion", "kind", "metadata"];
    let more = meta.iter().filter(|name| is_resource && find_property(node, name).is_none()).count();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let is_closed = !keyword_flag(node, PRESERVE) && node.get("additionalProperties").is_none();
    (count(must.len() + filled), is_closed.then(|| count(properties(node).count() + more)))
}

/// Returns the bound of a declaration that only the second of two nodes has: in a closed node it accepts values, in an
/// open node it constrains them.
fn declaration_bound(
    field: &Value,
    (without, with): (&Value, &Value),
    seen: AncestorFacts,
    (closed, open): (ImpliedDirection, ImpliedDirection),
) -> ImpliedDirection {
    let is_seen = seen.exposed || seen.counted;
    let is_filled = default_value(field).is_some() && is_seen;
    if is_filled {
        ImpliedDirection::Open
    } else if !is_open(without) {
        closed
    } else if keyword_flag(without, PRESERVE) && keyword_flag(with, PRESERVE) && !is_seen {
        open
    } else {
        ImpliedDirection::Open
    }
}

/// Keywords of a node as paths from it.
fn keyword_paths(keywords: &[&str]) -> Vec<Vec<String>> {
    keywords.iter().map(|keyword| vec![(*keyword).to_owned()]).collect()
}

/// Values of a field that may be of another type.
fn other_typed_values(name: &str) -> Vec<ObjectAttempt> {
    let values = [json!("a"), json!(1), json!(true), json!({"a": 1}), json!([1])];
    values.map(|value| ObjectAttempt::WithValue(name.to_owned(), value)).to_vec()
}

/// True if an object must have a field: it is required, and has no default.
fn is_mandatory(node: &Value, name: &str) -> bool {
    keyword_list(node, "required").iter().any(|known| known.as_str() == Some(name))
        && find_property(node, name).is_none_or(|below| default_value(below).is_none())
}

pub(super) fn is_open(node: &Value) -> bool {
    keyword_flag(node, PRESERVE)
        || keyword_schema(node, "additionalProperties").is_some()
        || keyword_flag(node, "additionalProperties")
}

/// True if the value of a keyword differs; an empty value counts as absent.
/// True if two nodes have the same branches in different orders.
fn are_reordered(old: &Value, new: &Value, key: &str) -> bool {
    const MOST: usize = 64;
    let (one, other) = (keyword_list(old, key), keyword_list(new, key));
    let count = |branches: &[Value], branch: &Value| branches.iter().filter(|it| *it == branch).count();
    !one.is_empty()
        && one.len() == other.len()
        && one.len() <= MOST
        && one.iter().all(|branch| count(one, branch) == count(other, branch))
}

fn keyword_differs(old: &Value, new: &Value, key: &str) -> bool {
    let text_of = |node: &Value| {
        node.get(key)
            .filter(|value| match value {
                Value::Null | Value::Bool(false) => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(values) => !values.is_empty(),
                _ => true,
            })
            .cloned()
    };
    text_of(old) != text_of(new)
}

/// Returns the values of a keyword on both sides.
fn keyword_limit(key: &str, old: &Value, new: &Value) -> ChangedLimit {
    let text_of = |node: &Value| {
        node.get(key).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    ChangedLimit::new(key, text_of(old), text_of(new))
}
