//! The rules of a node, before and after.

use std::collections::HashSet;

use kvrules_generate::schema_at_place;
use serde_json::{Value, json};

use super::RuleNames;
use super::build::{ExpressionHints, ForcedContent, ObjectGenerator};
use super::cel::{self, FormRelation};
use super::edit::{ObjectAttempt, ObjectEdit, RulePair};
use super::formulas::place_steps;
use super::keyword::{RULES, keyword_list, keyword_text};
use super::node_rules::{INNER, NodeRules};
use super::place::{NodeStep, render_place};
use super::schema_evaluator::{AdmissionVerdict, RULE, SchemaEvaluator};
use super::slice::with_one_rule;
use super::work_budget::WorkBudget;
use crate::bound::ImpliedDirection;
use crate::report::{Change, ChangeSite, ChangedLimit};
use kvrules_regex::StepBudget;

/// Number of values of a node that are made for one rule, and so many of them paired with each other for an update.
const VALUES: usize = 300;
const PAIRED: usize = 48;
/// Number of those that show a difference that are tried in whole objects.
const KEPT: usize = 8;
/// Number of values that are checked against all rules of the node.
const MOST_ASKED: usize = 60;
/// The most rules that are run for one pair to see whether all others let a value through, and the least.
const MAX_KEPT: u64 = 30_000;
const LEAST_HELD: u64 = 400;
/// Number of values that are tried for one pair of rules.
const MOST_RUNS: u64 = 4_000;
/// The least, if there is so much left.
const LEAST_RUNS: u64 = 40;

/// Compares the rules of a node.
pub(super) fn find_edits(
    old: &Value,
    new: &Value,
    downs: &[NodeStep],
    namesakes: &Namesakes<'_>,
) -> Vec<ObjectEdit> {
    if old.get(RULES) == new.get(RULES) {
        return Vec::new();
    }
    let [before, after] = [(old, 0), (new, 1)].map(|(node, side)| {
        let mut rules = number_rules(node);
        for rule in &mut rules {
            rule.namesake = namesakes.name_of(side, downs, rule.at);
        }
        rules
    });
    let mut pairs = pair_rules(&before, &after);
    pairs.retain(|(one, other)| one.map(|rule| rule.rule) != other.map(|rule| rule.rule));
    let unmatched = UnmatchedRules { rules: (&before, &after), downs };
    pairs.into_iter().filter_map(|pair| unmatched.edit(pair)).collect()
}

/// The rules of a node on both sides.
struct UnmatchedRules<'s> {
    rules: (&'s [NumberedRule<'s>], &'s [NumberedRule<'s>]),
    downs: &'s [NodeStep],
}

/// Looks for values on which two rules of a node differ, if their formulas do not show any.
pub(super) struct RuleValueSearch<'s> {
    schemas: [&'s Value; 2],
    work: &'s WorkBudget,
    /// The node of the last difference: most have the same one.
    last: Option<(Vec<NodeStep>, RuleNode<'s>)>,
}

impl<'s> RuleValueSearch<'s> {
    pub(super) fn new(schemas: [&'s Value; 2], work: &'s WorkBudget) -> Self {
        Self { schemas, work, last: None }
    }

    /// Adds attempts with such values to one of `number` edits that are left.
    pub(super) fn add_attempts(&mut self, edit: &mut ObjectEdit, number: usize) {
        if self.last.as_ref().is_none_or(|(downs, _)| *downs != edit.downs) {
            let place = place_steps(&edit.downs);
            let [old, new] = self.schemas.map(|schema| schema_at_place(schema, &place));
            let Some((old, new)) = old.zip(new) else { return };
            let crowds = (NodeRules::new(old), NodeRules::new(new));
            self.last = Some((edit.downs.clone(), RuleNode { old, new, crowds, work: self.work }));
        }
        if let Some((_, node)) = &self.last {
            node.look(edit, number);
        }
    }
}

/// A node with rules, before and after.
struct RuleNode<'s> {
    old: &'s Value,
    new: &'s Value,
    /// All its rules, ready to evaluate.
    crowds: (NodeRules<'s>, NodeRules<'s>),
    work: &'s WorkBudget,
}

/// A rule of a node.
#[derive(Debug)]
struct NumberedRule<'r> {
    /// Position in its list.
    at: usize,
    rule: &'r Value,
    /// Canonical text, and whether it reads the value before.
    says: (String, bool),
    /// Its name, if a rule of the other side has it too.
    namesake: Option<&'r str>,
}

/// The names that rules of both sides have.
pub(super) struct Namesakes<'n> {
    names: &'n [RuleNames; 2],
    shared: HashSet<&'n str>,
}

impl<'n> Namesakes<'n> {
    pub(super) fn new(names: &'n [RuleNames; 2]) -> Self {
        let [old, new] =
            names.each_ref().map(|side| side.values().map(String::as_str).collect::<HashSet<_>>());
        Self { names, shared: old.intersection(&new).copied().collect() }
    }

    /// The name of the rule at a place, if a rule of the other side has it too. `side` is 0 for the old one.
    fn name_of(&self, side: usize, downs: &[NodeStep], index: usize) -> Option<&'n str> {
        let names = self.names.get(side).filter(|names| !names.is_empty())?;
        let name = names.get(&rule_tokens(downs, index))?;
        self.shared.get(name.as_str()).copied()
    }
}

/// True if two rules may be paired.
type RulePredicate<'f> = &'f dyn Fn(&NumberedRule<'_>, &NumberedRule<'_>) -> bool;
type NumberedPair<'r> = (Option<&'r NumberedRule<'r>>, Option<&'r NumberedRule<'r>>);

fn number_rules(node: &Value) -> Vec<NumberedRule<'_>> {
    let says = |rule: &Value| {
        (cel::canonical_spelling(keyword_text(rule, "rule")), cel::is_transition(keyword_text(rule, "rule")))
    };
    keyword_list(node, RULES)
        .iter()
        .enumerate()
        .map(|(at, rule)| NumberedRule { at, rule, says: says(rule), namesake: None })
        .collect()
}

/// Pairs old rules with new ones: by name if both sides have it, else by text, else by message, else the only ones left.
fn pair_rules<'r>(old: &'r [NumberedRule<'r>], new: &'r [NumberedRule<'r>]) -> Vec<NumberedPair<'r>> {
    let mut left: Vec<&NumberedRule<'r>> = new.iter().collect();
    let mut pairs: Vec<NumberedPair<'r>> = old.iter().map(|rule| (Some(rule), None)).collect();
    let same_text = |one: &NumberedRule<'_>, other: &NumberedRule<'_>| {
        is_same(one, other) && keyword_text(one.rule, "message") == keyword_text(other.rule, "message")
    };
    let same_message = |one: &NumberedRule<'_>, other: &NumberedRule<'_>| {
        !keyword_text(one.rule, "message").is_empty()
            && keyword_text(one.rule, "message") == keyword_text(other.rule, "message")
    };
    let same_name = |one: &NumberedRule<'_>, other: &NumberedRule<'_>| one.namesake == other.namesake;
    let ways: [(bool, RulePredicate<'_>); 4] =
        [(true, &same_name), (false, &same_text), (false, &is_same), (false, &same_message)];
    for (by_name, fits) in ways {
        for (before, after) in pairs.iter_mut().filter(|(_, after)| after.is_none()) {
            let Some(rule) = before.filter(|rule| rule.namesake.is_some() == by_name) else { continue };
            let found =
                left.iter().position(|other| other.namesake.is_some() == by_name && fits(rule, other));
            *after = found.map(|at| left.remove(at));
        }
    }
    // A rule whose name a rule of another place has now is paired with none of its own place.
    let mut open = pairs
        .iter_mut()
        .filter(|(before, after)| after.is_none() && before.is_some_and(|rule| rule.namesake.is_none()));
    let mut unnamed = left.iter().enumerate().filter(|(_, rule)| rule.namesake.is_none());
    if let (Some(only), None, Some((at, _)), None) =
        (open.next(), open.next(), unnamed.next(), unnamed.next())
    {
        only.1 = Some(left.remove(at));
    }
    pairs.extend(left.into_iter().map(|rule| (None, Some(rule))));
    pairs
}

/// True if two rules express the same and run at the same times.
fn is_same(one: &NumberedRule<'_>, other: &NumberedRule<'_>) -> bool {
    one.says == other.says && one.rule.get("optionalOldSelf") == other.rule.get("optionalOldSelf")
}

impl UnmatchedRules<'_> {
    /// The edit that a pair of rules comes to.
    fn edit(&self, (before, after): NumberedPair<'_>) -> Option<ObjectEdit> {
        const REPORTED: [&str; 6] =
            ["rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];
        let show = |rule: Option<&NumberedRule<'_>>, key: &str| {
            let value = rule?.rule.get(key)?;
            Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let one_sided = before.is_none() || after.is_none();
        let limits: Vec<ChangedLimit> = REPORTED
            .into_iter()
            .filter(|key| *key == "rule" || !one_sided)
            .map(|it| ChangedLimit { key: it.to_owned(), before: show(before, it), after: show(after, it) })
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
        change.old = before.map_or(ChangeSite::Absent, |rule| rule_site(self.downs, rule.at));
        change.new = after.map_or(ChangeSite::Absent, |rule| rule_site(self.downs, rule.at));
        let says_so = |rules: &[NumberedRule<'_>], rule: &NumberedRule<'_>| {
            rules.iter().any(|other| is_same(rule, other))
        };
        let stays = match (before, after) {
            (None, Some(added)) => says_so(self.rules.0, added),
            (Some(gone), None) => says_so(self.rules.1, gone),
            _ => false,
        };
        change.notes.extend(unreadable_notes(before, after));
        if stays {
            change.notes.push("another rule of the field is equivalent".to_owned());
        }
        let bound = if stays { ImpliedDirection::Equal } else { pair_bound(before, after) };
        Some(ObjectEdit {
            change,
            downs: self.downs.to_vec(),
            keys: vec![vec![RULES.to_owned()]],
            bound,
            // Whole objects unchanged, in which a rule may see more than alone.
            refused: vec![ObjectAttempt::Anything],
            accepted: vec![ObjectAttempt::Anything],
            looked_at: 0,
            is_cut: false,
            is_message,
            pair: Some(to_rule_pair(before, after)),
            moves_status: false,
            proofs: Vec::new(),
            open_questions: Vec::new(),
        })
    }
}

impl RuleNode<'_> {
    /// Looks for values of the node on which the two rules differ.
    fn look(&self, edit: &mut ObjectEdit, number: usize) {
        let Some(pair) = edit.pair.clone() else { return };
        let share = WorkBudget::share(&self.work.runs, number, (LEAST_RUNS, MOST_RUNS));
        let mut hints = ExpressionHints { lists_for_texts: true, ..ExpressionHints::default() };
        let rules = [&pair.old, &pair.new]
            .map(|rule| rule.as_ref().map(|rule| keyword_text(rule, "rule")).unwrap_or_default());
        for rule in rules {
            cel::collect_hints(rule, &mut hints);
        }
        let builder = ObjectGenerator::with_hints(hints);
        let alone = |node, rule: &Option<Value>| json!({"type": "object", "properties": {INNER: with_one_rule(node, &pair, rule.as_ref())}});
        let (one, other) = (alone(self.old, &pair.old), alone(self.new, &pair.new));
        let (first, second) = (SchemaEvaluator::new(&one), SchemaEvaluator::new(&other));
        let place = [NodeStep::Property(INNER.to_owned())];
        let made = (0..VALUES).take_while(|_| share.try_take(1)).filter_map(|number| {
            let schema = if number % 2 == 0 { &one } else { &other };
            builder.build_object(schema, &place, ForcedContent::Anything, number / 2)
        });
        let mut made: Vec<Value> = made.collect();
        let mut known = HashSet::new();
        made.retain(|object| known.insert(object.to_string()));
        let retained = WorkBudget::share(&self.work.retained, number, (LEAST_HELD, MAX_KEPT));
        let mut found = DifferingValues::new(self, &retained);
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
        self.work.retained.try_take(retained.steps_used());
        edit.is_cut = share.steps_left() == 0;
        edit.refused.splice(0..0, found.refused.attempts());
        edit.accepted.splice(0..0, found.accepted.attempts());
    }
}

fn to_rule_pair(before: Option<&NumberedRule<'_>>, after: Option<&NumberedRule<'_>>) -> RulePair {
    let rule = |numbered: Option<&NumberedRule<'_>>| numbered.map(|numbered| numbered.rule.clone());
    RulePair { old: rule(before), new: rule(after) }
}

/// Says of each side whose rule is not CEL that the server rejects it.
fn unreadable_notes(before: Option<&NumberedRule<'_>>, after: Option<&NumberedRule<'_>>) -> Vec<String> {
    let sides = [("old", before), ("new", after)].into_iter();
    let is_error = |rule: &NumberedRule<'_>| kvrules_cel::parse(keyword_text(rule.rule, "rule")).is_err();
    let broken = sides.filter(|(_, rule)| rule.is_some_and(is_error));
    broken
        .map(|(side, _)| format!("the {side} rule has a syntax error, so the API server rejects it"))
        .collect()
}

fn rule_site(downs: &[NodeStep], index: usize) -> ChangeSite {
    ChangeSite::Pointer(rule_tokens(downs, index))
}

/// The tokens that lead to a rule of a node.
fn rule_tokens(downs: &[NodeStep], index: usize) -> Vec<String> {
    let tokens = downs.iter().flat_map(NodeStep::tokens);
    tokens.chain([RULES.to_owned(), index.to_string()]).collect()
}

fn pair_bound(before: Option<&NumberedRule<'_>>, after: Option<&NumberedRule<'_>>) -> ImpliedDirection {
    let (Some(before), Some(after)) = (before, after) else {
        return if before.is_none() { ImpliedDirection::Tighter } else { ImpliedDirection::Looser };
    };
    let (before, after) = (before.rule, after.rule);
    let (one, other) = (keyword_text(before, "rule"), keyword_text(after, "rule"));
    // A rule with `oldSelf` runs only on updates, so its form is comparable only with that of another such rule.
    let same_time = cel::is_transition(one) == cel::is_transition(other)
        && before.get("optionalOldSelf") == after.get("optionalOldSelf");
    match cel::compare_forms(one, other) {
        FormRelation::Same if same_time => ImpliedDirection::Equal,
        FormRelation::Stricter if same_time => ImpliedDirection::Tighter,
        FormRelation::Milder if same_time => ImpliedDirection::Looser,
        _ => ImpliedDirection::Open,
    }
}

/// Values on which two rules differ, those first that all other rules of the node let through.
struct DifferingValues<'n> {
    node: &'n RuleNode<'n>,
    /// Number of rules that may still be run to see whether the others accept a value.
    retained: &'n StepBudget,
    refused: KeptValues,
    accepted: KeptValues,
}

#[derive(Default)]
struct KeptValues {
    good: Vec<ObjectAttempt>,
    others: Vec<ObjectAttempt>,
    /// Number of values that were evaluated with all rules of the node.
    evaluated: usize,
}

impl<'n> DifferingValues<'n> {
    fn new(node: &'n RuleNode<'n>, retained: &'n StepBudget) -> Self {
        Self { node, retained, refused: KeptValues::default(), accepted: KeptValues::default() }
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
            self.refused.take(object, before, &self.node.crowds.0, self.retained);
        }
        if new.is_accepted() && by_rule(old) {
            self.accepted.take(object, before, &self.node.crowds.1, self.retained);
        }
    }
}

impl KeptValues {
    fn take(&mut self, object: &Value, before: Option<&Value>, crowd: &NodeRules<'_>, retained: &StepBudget) {
        if self.good.len() >= KEPT || self.evaluated >= MOST_ASKED {
            return;
        }
        self.evaluated += 1;
        let is_good = match before {
            Some(before) => {
                crowd.accepts_object(before, None, retained)
                    && crowd.accepts_object(object, Some(before), retained)
            }
            None => crowd.accepts_object(object, None, retained),
        };
        let Some(value) = object.get(INNER).cloned() else { return };
        let attempt = match before {
            Some(before) => ObjectAttempt::Update(before.get(INNER).cloned().unwrap_or(Value::Null), value),
            None => ObjectAttempt::Exactly(value),
        };
        if is_good {
            self.good.push(attempt);
        } else if self.others.len() < KEPT {
            self.others.push(attempt);
        }
    }

    /// Returns the attempts to make.
    fn attempts(self) -> Vec<ObjectAttempt> {
        self.good.into_iter().chain(self.others).take(KEPT).collect()
    }
}
