//! The rules of a node, before and after.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::build::{Builder, Force, Hints};
use super::cel::{self, Form};
use super::edit::{Attempt, Edit};
use super::judge::{Judge, RULE, Verdict};
use super::keyword::{RULES, list, text};
use super::place::{Down, shown};
use crate::bound::Bound;
use crate::report::{Change, Limit, Site};

/// So many values of a node are made for one rule, and so many of them paired with each other for an update.
const VALUES: usize = 300;
const PAIRED: usize = 48;
/// So many of those that show a difference are tried in whole objects.
const KEPT: usize = 8;

/// What became of the rules of a node.
pub(super) fn edits(old: &Value, new: &Value, downs: &[Down]) -> Vec<Edit> {
    if old.get(RULES) == new.get(RULES) {
        return Vec::new();
    }
    let pairs = pairs(list(old, RULES), list(new, RULES));
    pairs.into_iter().filter_map(|pair| edit((old, new), pair, downs)).collect()
}

/// A rule and where it stands in its list.
type Numbered<'r> = (usize, &'r Value);
/// Whether two rules may be one.
type Fits<'f> = &'f dyn Fn(&Value, &Value) -> bool;
type Pair<'r> = (Option<Numbered<'r>>, Option<Numbered<'r>>);

/// Which rule became which: one that says the same, else one with the same message, else the only ones left.
fn pairs<'r>(old: &'r [Value], new: &'r [Value]) -> Vec<Pair<'r>> {
    let mut left: Vec<Numbered<'r>> = new.iter().enumerate().collect();
    let mut pairs: Vec<Pair<'r>> = old.iter().enumerate().map(|rule| (Some(rule), None)).collect();
    let same_text =
        |one: &Value, other: &Value| is_same(one, other) && text(one, "message") == text(other, "message");
    let same_message = |one: &Value, other: &Value| {
        !text(one, "message").is_empty() && text(one, "message") == text(other, "message")
    };
    let ways: [Fits<'_>; 3] = [&same_text, &is_same, &same_message];
    for fits in ways {
        for (before, after) in pairs.iter_mut().filter(|(_, after)| after.is_none()) {
            let Some((_, rule)) = before else { continue };
            let found = left.iter().position(|(_, other)| fits(rule, other));
            *after = found.map(|at| left.remove(at));
        }
    }
    let mut open = pairs.iter_mut().filter(|(_, after)| after.is_none());
    if let (Some(only), None, 1) = (open.next(), open.next(), left.len()) {
        only.1 = left.pop();
    }
    pairs.extend(left.into_iter().map(|rule| (None, Some(rule))));
    pairs
}

/// Whether two rules say the same at the same times.
fn is_same(one: &Value, other: &Value) -> bool {
    cel::form(text(one, "rule"), text(other, "rule")) == Form::Same
        && cel::is_transition(text(one, "rule")) == cel::is_transition(text(other, "rule"))
        && one.get("optionalOldSelf") == other.get("optionalOldSelf")
}

fn edit((old, new): (&Value, &Value), (before, after): Pair<'_>, downs: &[Down]) -> Option<Edit> {
    const TOLD: [&str; 6] =
        ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];
    let said = |rule: Option<Numbered<'_>>, key: &str| {
        let value = rule?.1.get(key)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let one_sided = before.is_none() || after.is_none();
    let limits: Vec<Limit> = TOLD
        .into_iter()
        .filter(|key| *key == "rule" || !one_sided)
        .map(|key| Limit { key: key.to_owned(), before: said(before, key), after: said(after, key) })
        .filter(|limit| limit.before != limit.after)
        .collect();
    if limits.is_empty() {
        return None;
    }
    let what = match (before, after) {
        (None, _) => "rule added",
        (_, None) => "rule removed",
        _ => "rule",
    };
    let is_message = limits.iter().any(|limit| limit.key != "rule" && limit.key != "optionalOldSelf");
    let mut change = Change::new(shown(downs), what, limits);
    change.old = before.map_or(Site::Nowhere, |(index, _)| site(downs, index));
    change.new = after.map_or(Site::Nowhere, |(index, _)| site(downs, index));
    let says_so =
        |rules: &Value, (_, rule): Numbered<'_>| list(rules, RULES).iter().any(|other| is_same(rule, other));
    let stays = match (before, after) {
        (None, Some(added)) => says_so(old, added),
        (Some(gone), None) => says_so(new, gone),
        _ => false,
    };
    for (side, rule) in [("old", before), ("new", after)] {
        let error = rule.and_then(|(_, rule)| kvrules_cel::parse(text(rule, "rule")).err());
        if error.is_some() {
            change.notes.push(format!("the {side} rule cannot be read, so the API server refuses it"));
        }
    }
    if stays {
        change.notes.push("another rule of the field says the same".to_owned());
    }
    let bound = if stays { Bound::Equal } else { bound(before, after) };
    let mut edit = Edit {
        change,
        downs: downs.to_vec(),
        keys: vec![vec![RULES.to_owned()]],
        bound,
        refused: Vec::new(),
        accepted: Vec::new(),
        looked_at: 0,
        is_message,
        moves_status: false,
    };
    if bound != Bound::Equal {
        look(&mut edit, (old, before), (new, after));
    }
    Some(edit)
}

fn site(downs: &[Down], index: usize) -> Site {
    let tokens = downs.iter().flat_map(Down::tokens);
    Site::Pointer(tokens.chain([RULES.to_owned(), index.to_string()]).collect())
}

fn bound(before: Option<Numbered<'_>>, after: Option<Numbered<'_>>) -> Bound {
    let (Some((_, before)), Some((_, after))) = (before, after) else {
        return if before.is_none() { Bound::Tighter } else { Bound::Looser };
    };
    let (one, other) = (text(before, "rule"), text(after, "rule"));
    // Whether a rule runs at all depends on whether it speaks of the value before.
    let same_time = cel::is_transition(one) == cel::is_transition(other)
        && before.get("optionalOldSelf") == after.get("optionalOldSelf");
    match cel::form(one, other) {
        Form::Same if same_time => Bound::Equal,
        Form::Stricter if same_time => Bound::Tighter,
        Form::Milder if same_time => Bound::Looser,
        _ => Bound::Open,
    }
}

/// Looks for values of the node on which the two rules differ.
fn look(edit: &mut Edit, old: (&Value, Option<Numbered<'_>>), new: (&Value, Option<Numbered<'_>>)) {
    let mut hints = Hints { lists_for_texts: true, ..Hints::default() };
    let rules = [old.1, new.1].map(|rule| rule.map(|(_, rule)| text(rule, "rule")).unwrap_or_default());
    for rule in rules {
        cel::hints(rule, &mut hints);
    }
    let builder = Builder::with(hints);
    let (one, other) = (alone(old.0, old.1), alone(new.0, new.1));
    let (first, second) = (Judge::new(&one), Judge::new(&other));
    let place = [Down::Property(INNER.to_owned())];
    let made = (0..VALUES).filter_map(|number| {
        let schema = if number % 2 == 0 { &one } else { &other };
        builder.object(schema, &place, Force::Free, number / 2)
    });
    let mut made: Vec<Value> = made.collect();
    let mut known = HashSet::new();
    made.retain(|object| known.insert(object.to_string()));
    let mut found = Found::new(old.0, new.0);
    for object in &made {
        edit.looked_at += 1;
        found.take(object, None, &first.create(object), &second.create(object));
    }
    if rules.iter().any(|rule| cel::is_transition(rule)) {
        for before in made.iter().take(PAIRED) {
            for after in made.iter().take(PAIRED) {
                edit.looked_at += 1;
                let verdicts = (first.update(after, before), second.update(after, before));
                found.take(after, Some(before), &verdicts.0, &verdicts.1);
            }
        }
    }
    edit.refused = found.refused.attempts();
    edit.accepted = found.accepted.attempts();
}

/// Values on which two rules differ, those first that all other rules of the node let through.
struct Found {
    /// The nodes with all their rules.
    whole: (Judge, Judge),
    refused: Kept,
    accepted: Kept,
}

#[derive(Default)]
struct Kept {
    good: Vec<Attempt>,
    others: Vec<Attempt>,
}

impl Found {
    fn new(old: &Value, new: &Value) -> Self {
        let judge = |node: &Value| Judge::new(&json!({"type": "object", "properties": {INNER: node}}));
        Self { whole: (judge(old), judge(new)), refused: Kept::default(), accepted: Kept::default() }
    }

    /// Takes up a value on which the rules differ.
    fn take(&mut self, object: &Value, before: Option<&Value>, old: &Verdict, new: &Verdict) {
        let by_rule = |verdict: &Verdict| verdict.refusals.iter().any(|refusal| refusal.by == RULE);
        if old.accepts() && by_rule(new) {
            self.refused.take(object, before, &self.whole.0);
        }
        if new.accepts() && by_rule(old) {
            self.accepted.take(object, before, &self.whole.1);
        }
    }
}

impl Kept {
    fn take(&mut self, object: &Value, before: Option<&Value>, whole: &Judge) {
        if self.good.len() >= KEPT {
            return;
        }
        let is_good = match before {
            Some(before) => whole.create(before).accepts() && whole.update(object, before).accepts(),
            None => whole.create(object).accepts(),
        };
        let Some(value) = object.get(INNER).cloned() else { return };
        let attempt = match before {
            Some(before) => Attempt::Update(before.get(INNER).cloned().unwrap_or(Value::Null), value),
            None => Attempt::Exactly(value),
        };
        if is_good {
            self.good.push(attempt);
        } else if self.others.len() < KEPT {
            self.others.push(attempt);
        }
    }

    /// What is to be tried: the values, and last whole objects as they come, in which a rule may see more than alone.
    fn attempts(self) -> Vec<Attempt> {
        self.good.into_iter().chain(self.others).take(KEPT).chain([Attempt::Free]).collect()
    }
}

/// The field that a node stands under when it is looked at alone.
const INNER: &str = "v";

/// A schema in which there is nothing but a node with one of its rules.
fn alone(node: &Value, rule: Option<Numbered<'_>>) -> Value {
    let mut node = node.as_object().cloned().unwrap_or_else(Map::new);
    let rules = rule.map(|(_, rule)| rule.clone()).into_iter().collect();
    node.insert(RULES.to_owned(), Value::Array(rules));
    json!({"type": "object", "properties": {INNER: node}})
}
