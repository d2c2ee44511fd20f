//! The rules of a node, before and after.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::build::{Builder, Force, Hints};
use super::cel::{self, Form};
use super::edit::{Attempt, Edit, RulePair};
use super::judge::{AdmissionVerdict, RULE, SchemaEvaluator};
use super::keyword::{RULES, list, text};
use super::node_rules::{Crowd, INNER};
use super::place::{Down, render_place};
use super::slice::with_one_rule;
use super::work_budget::Work;
use crate::bound::Bound;
use crate::report::{Change, ChangeSite, ChangedLimit};
use kvrules_regex::StepBudget;

/// So many values of a node are made for one rule, and so many of them paired with each other for an update.
const VALUES: usize = 300;
const PAIRED: usize = 48;
/// So many of those that show a difference are tried in whole objects.
const KEPT: usize = 8;
/// So many values are held against all rules of the node.
const MOST_ASKED: usize = 60;
/// The most rules that are run for one pair to see whether all others let a value through, and the least.
const MOST_HELD: u64 = 30_000;
const LEAST_HELD: u64 = 400;
/// So many values are tried for one pair of rules.
const MOST_RUNS: u64 = 4_000;
/// The least, where there is so much left.
const LEAST_RUNS: u64 = 40;

/// Compares the rules of a node.
pub(super) fn edits(old: &Value, new: &Value, downs: &[Down], work: &Work) -> Vec<Edit> {
    if old.get(RULES) == new.get(RULES) {
        return Vec::new();
    }
    let (before, after) = (numbered(old), numbered(new));
    let crowds = (Crowd::new(old), Crowd::new(new));
    let node = Node { old, new, rules: (&before, &after), crowds, downs, work };
    let mut pairs = pairs(&before, &after);
    pairs.retain(|(one, other)| one.map(|rule| rule.rule) != other.map(|rule| rule.rule));
    let number = pairs.len();
    pairs.into_iter().enumerate().filter_map(|(at, pair)| node.edit(pair, number - at)).collect()
}

/// A node with rules, before and after.
struct Node<'s> {
    old: &'s Value,
    new: &'s Value,
    rules: (&'s [Numbered<'s>], &'s [Numbered<'s>]),
    /// All its rules, ready to judge.
    crowds: (Crowd<'s>, Crowd<'s>),
    downs: &'s [Down],
    work: &'s Work,
}

/// A rule of a node.
#[derive(Debug)]
struct Numbered<'r> {
    /// Position in its list.
    at: usize,
    rule: &'r Value,
    /// Canonical text, and whether it reads the value before.
    says: (String, bool),
}

/// True if two rules may be paired.
type Fits<'f> = &'f dyn Fn(&Numbered<'_>, &Numbered<'_>) -> bool;
type Pair<'r> = (Option<&'r Numbered<'r>>, Option<&'r Numbered<'r>>);

fn numbered(node: &Value) -> Vec<Numbered<'_>> {
    let says = |rule: &Value| (cel::spelling(text(rule, "rule")), cel::is_transition(text(rule, "rule")));
    list(node, RULES).iter().enumerate().map(|(at, rule)| Numbered { at, rule, says: says(rule) }).collect()
}

/// Pairs old rules with new ones: by text, else by message, else the only ones left.
fn pairs<'r>(old: &'r [Numbered<'r>], new: &'r [Numbered<'r>]) -> Vec<Pair<'r>> {
    let mut left: Vec<&Numbered<'r>> = new.iter().collect();
    let mut pairs: Vec<Pair<'r>> = old.iter().map(|rule| (Some(rule), None)).collect();
    let same_text = |one: &Numbered<'_>, other: &Numbered<'_>| {
        is_same(one, other) && text(one.rule, "message") == text(other.rule, "message")
    };
    let same_message = |one: &Numbered<'_>, other: &Numbered<'_>| {
        !text(one.rule, "message").is_empty() && text(one.rule, "message") == text(other.rule, "message")
    };
    let ways: [Fits<'_>; 3] = [&same_text, &is_same, &same_message];
    for fits in ways {
        for (before, after) in pairs.iter_mut().filter(|(_, after)| after.is_none()) {
            let Some(rule) = before else { continue };
            let found = left.iter().position(|other| fits(rule, other));
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

/// True if two rules express the same and run at the same times.
fn is_same(one: &Numbered<'_>, other: &Numbered<'_>) -> bool {
    one.says == other.says && one.rule.get("optionalOldSelf") == other.rule.get("optionalOldSelf")
}

impl Node<'_> {
    /// The edit that a pair of rules comes to, one of `number` that are left.
    fn edit(&self, (before, after): Pair<'_>, number: usize) -> Option<Edit> {
        const TOLD: [&str; 6] =
            ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];
        let said = |rule: Option<&Numbered<'_>>, key: &str| {
            let value = rule?.rule.get(key)?;
            Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let one_sided = before.is_none() || after.is_none();
        let limits: Vec<ChangedLimit> = TOLD
            .into_iter()
            .filter(|key| *key == "rule" || !one_sided)
            .map(|key| ChangedLimit {
                key: key.to_owned(),
                before: said(before, key),
                after: said(after, key),
            })
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
        let mut change = Change::new(render_place(self.downs), what, limits);
        change.old = before.map_or(ChangeSite::Absent, |rule| site(self.downs, rule.at));
        change.new = after.map_or(ChangeSite::Absent, |rule| site(self.downs, rule.at));
        let says_so =
            |rules: &[Numbered<'_>], rule: &Numbered<'_>| rules.iter().any(|other| is_same(rule, other));
        let stays = match (before, after) {
            (None, Some(added)) => says_so(self.rules.0, added),
            (Some(gone), None) => says_so(self.rules.1, gone),
            _ => false,
        };
        change.notes.extend(unreadable(before, after));
        if stays {
            change.notes.push("another rule of the field is equivalent".to_owned());
        }
        let bound = if stays { Bound::Equal } else { bound(before, after) };
        let mut edit = Edit {
            change,
            downs: self.downs.to_vec(),
            keys: vec![vec![RULES.to_owned()]],
            bound,
            refused: Vec::new(),
            accepted: Vec::new(),
            looked_at: 0,
            is_cut: false,
            is_message,
            pair: Some(pair(before, after)),
            moves_status: false,
        };
        if bound != Bound::Equal {
            self.look(&mut edit, (before, after), number);
        }
        Some(edit)
    }

    /// Looks for values of the node on which the two rules differ.
    fn look(&self, edit: &mut Edit, (before, after): Pair<'_>, number: usize) {
        let share = Work::share(&self.work.runs, number, (LEAST_RUNS, MOST_RUNS));
        let mut hints = Hints { lists_for_texts: true, ..Hints::default() };
        let rules = [before, after].map(|rule| rule.map(|rule| text(rule.rule, "rule")).unwrap_or_default());
        for rule in rules {
            cel::hints(rule, &mut hints);
        }
        let builder = Builder::with(hints);
        let pair = pair(before, after);
        let alone = |node, rule: &Option<Value>| json!({"type": "object", "properties": {INNER: with_one_rule(node, &pair, rule.as_ref())}});
        let (one, other) = (alone(self.old, &pair.old), alone(self.new, &pair.new));
        let (first, second) = (SchemaEvaluator::new(&one), SchemaEvaluator::new(&other));
        let place = [Down::Property(INNER.to_owned())];
        let made = (0..VALUES).take_while(|_| share.try_take(1)).filter_map(|number| {
            let schema = if number % 2 == 0 { &one } else { &other };
            builder.object(schema, &place, Force::Anything, number / 2)
        });
        let mut made: Vec<Value> = made.collect();
        let mut known = HashSet::new();
        made.retain(|object| known.insert(object.to_string()));
        let held = Work::share(&self.work.held, number, (LEAST_HELD, MOST_HELD));
        let mut found = Found::new(self, &held);
        for object in &made {
            edit.looked_at += 1;
            found.take(object, None, &first.evaluate_create(object), &second.evaluate_create(object));
        }
        if rules.iter().any(|rule| cel::is_transition(rule)) {
            for before in made.iter().take(PAIRED) {
                for after in made.iter().take(PAIRED).take_while(|_| share.try_take(1)) {
                    edit.looked_at += 1;
                    let verdicts =
                        (first.evaluate_update(after, before), second.evaluate_update(after, before));
                    found.take(after, Some(before), &verdicts.0, &verdicts.1);
                }
            }
        }
        self.work.runs.try_take(share.steps_used());
        self.work.held.try_take(held.steps_used());
        edit.is_cut = share.steps_left() == 0;
        edit.refused = found.refused.attempts();
        edit.accepted = found.accepted.attempts();
    }
}

fn pair(before: Option<&Numbered<'_>>, after: Option<&Numbered<'_>>) -> RulePair {
    let rule = |numbered: Option<&Numbered<'_>>| numbered.map(|numbered| numbered.rule.clone());
    RulePair { old: rule(before), new: rule(after) }
}

/// Says of each side whose rule is no CEL that the server rejects it.
fn unreadable(before: Option<&Numbered<'_>>, after: Option<&Numbered<'_>>) -> Vec<String> {
    let sides = [("old", before), ("new", after)].into_iter();
    let is_error = |rule: &Numbered<'_>| kvrules_cel::parse(text(rule.rule, "rule")).is_err();
    let broken = sides.filter(|(_, rule)| rule.is_some_and(is_error));
    broken
        .map(|(side, _)| format!("the {side} rule has a syntax error, so the API server rejects it"))
        .collect()
}

fn site(downs: &[Down], index: usize) -> ChangeSite {
    let tokens = downs.iter().flat_map(Down::tokens);
    ChangeSite::Pointer(tokens.chain([RULES.to_owned(), index.to_string()]).collect())
}

fn bound(before: Option<&Numbered<'_>>, after: Option<&Numbered<'_>>) -> Bound {
    let (Some(before), Some(after)) = (before, after) else {
        return if before.is_none() { Bound::Tighter } else { Bound::Looser };
    };
    let (before, after) = (before.rule, after.rule);
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

/// Values on which two rules differ, those first that all other rules of the node let through.
struct Found<'n> {
    node: &'n Node<'n>,
    /// Number of rules that may still be run to see whether the others accept a value.
    held: &'n StepBudget,
    refused: Kept,
    accepted: Kept,
}

#[derive(Default)]
struct Kept {
    good: Vec<Attempt>,
    others: Vec<Attempt>,
    /// Number of values that were evaluated with all rules of the node.
    asked: usize,
}

impl<'n> Found<'n> {
    fn new(node: &'n Node<'n>, held: &'n StepBudget) -> Self {
        Self { node, held, refused: Kept::default(), accepted: Kept::default() }
    }

    /// Takes up a value on which the rules differ.
    fn take(
        &mut self,
        object: &Value,
        before: Option<&Value>,
        old: &AdmissionVerdict,
        new: &AdmissionVerdict,
    ) {
        let by_rule = |verdict: &AdmissionVerdict| verdict.refusals.iter().any(|refusal| refusal.by == RULE);
        if old.is_accepted() && by_rule(new) {
            self.refused.take(object, before, &self.node.crowds.0, self.held);
        }
        if new.is_accepted() && by_rule(old) {
            self.accepted.take(object, before, &self.node.crowds.1, self.held);
        }
    }
}

impl Kept {
    fn take(&mut self, object: &Value, before: Option<&Value>, crowd: &Crowd<'_>, held: &StepBudget) {
        if self.good.len() >= KEPT || self.asked >= MOST_ASKED {
            return;
        }
        self.asked += 1;
        let is_good = match before {
            Some(before) => crowd.accepts(before, None, held) && crowd.accepts(object, Some(before), held),
            None => crowd.accepts(object, None, held),
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

    /// Returns the attempts to make: the values, and last whole objects unchanged, in which a rule may see more than
    /// alone.
    fn attempts(self) -> Vec<Attempt> {
        self.good.into_iter().chain(self.others).take(KEPT).chain([Attempt::Anything]).collect()
    }
}
