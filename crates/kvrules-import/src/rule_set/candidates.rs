//! Candidates: rules of a RuleSet that may say the same as a rule of a definition.

use std::cmp::Reverse;

use kvrules_generate::PlaceStep;
use kvrules_rule_set::{PathStep, RulePath};
use serde_json::{Map, Value as Json, json};

use super::clauses::{Clause, to_clauses};
use super::literal::{Atom, Literal, Part};

/// The entry of a rule, without its name and message.
pub(super) type RuleEntry = Map<String, Json>;

/// The most rules of a candidate, most of which may be superfluous.
const MOST_RULES: usize = 10;

/// The paths from which a rule is written: the value of `each`, and what stands before every other path.
#[derive(Clone, Debug, Default)]
pub(super) struct Perspective {
    each: RulePath,
    prefix: RulePath,
    /// Tests of one value also require it.
    pub(super) is_strict: bool,
    /// Rules about items also require the list.
    requires_lists: bool,
}

impl Perspective {
    /// The perspectives for a rule at a place, those first that readers prefer.
    pub(super) fn all_for(place: &[PlaceStep]) -> Vec<Self> {
        let whole = RulePath(place.iter().map(to_path_step).collect());
        let after_items = whole.0.iter().rposition(|step| *step == PathStep::Each).map_or(0, |at| at + 1);
        let (each, prefix) = whole.0.split_at(after_items);
        let absolute =
            Self { each: RulePath(each.to_vec()), prefix: RulePath(prefix.to_vec()), ..Self::default() };
        let at_place = Self { each: whole.clone(), ..Self::default() };
        let is_in_metadata = whole.0.first() == Some(&PathStep::Field("metadata".to_owned()));
        let mut all = vec![absolute.clone()];
        if !absolute.prefix.0.is_empty() && !is_in_metadata {
            all.push(at_place);
        }
        let strict: Vec<_> = all.iter().map(|it| Self { is_strict: true, ..it.clone() }).collect();
        let with_lists: Vec<_> =
            strict.iter().map(|it| Self { requires_lists: true, ..it.clone() }).collect();
        all.extend(strict.into_iter().chain(with_lists));
        all
    }

    /// The perspective from the value at a place.
    pub(super) fn of_place(place: &[PlaceStep]) -> Self {
        let each = RulePath(place.iter().map(to_path_step).collect());
        Self { each, ..Self::default() }
    }

    /// The same for the items of a list.
    fn of_items(&self, list: &RulePath) -> Self {
        let each = RulePath(vec![PathStep::Each]);
        let each = self.each.join_path(&self.prefix).join_path(list).join_path(&each);
        Self { each, prefix: RulePath::default(), ..self.clone() }
    }

    /// True if no value of the object is between it and the paths.
    fn is_of_object(&self) -> bool {
        self.each.0.is_empty()
    }

    fn text_of(&self, path: &RulePath) -> String {
        self.prefix.join_path(path).to_string()
    }

    /// Adds the path of a word, unless it is the value of `each`.
    fn put_path(&self, entry: &mut RuleEntry, path: &RulePath) -> Option<()> {
        let text = self.text_of(path);
        if text.is_empty() {
            return (!self.is_of_object()).then_some(());
        }
        entry.insert("path".to_owned(), text.into());
        Some(())
    }

    /// Starts the entry of a rule.
    pub(super) fn start_entry(&self) -> RuleEntry {
        let mut entry = RuleEntry::new();
        if !self.each.0.is_empty() {
            entry.insert("each".to_owned(), self.each.to_string().into());
        }
        entry
    }

    /// A rule with one word about a path.
    pub(super) fn one_word(&self, path: &RulePath, word: &str, argument: Json) -> Option<RuleEntry> {
        let mut entry = self.start_entry();
        self.put_path(&mut entry, path)?;
        entry.insert(word.to_owned(), argument);
        Some(entry)
    }
}

fn to_path_step(step: &PlaceStep) -> PathStep {
    match step {
        PlaceStep::Field(name) => PathStep::Field(name.clone()),
        PlaceStep::Any => PathStep::Each,
    }
}

/// The rules for a part; `None` if words cannot express it.
pub(super) fn to_rules(part: &Part, view: &Perspective) -> Option<Vec<RuleEntry>> {
    let clauses = to_clauses(part)?;
    let mut rules: Vec<RuleEntry> = Vec::new();
    for clause in &clauses {
        // A clause without words may be superfluous.
        for rule in clause_rules(clause, view).unwrap_or_default() {
            if !rules.iter_mut().any(|known| merge_rules(known, &rule)) {
                rules.push(rule);
            }
        }
    }
    (1..=MOST_RULES).contains(&rules.len()).then_some(rules)
}

/// Adds the words of a rule to those of another with the same value and condition.
fn merge_rules(known: &mut RuleEntry, rule: &RuleEntry) -> bool {
    let is_frame = |key: &str| matches!(key, "each" | "path" | "when");
    if ["each", "path", "when"].iter().any(|key| known.get(*key) != rule.get(*key))
        || !rule.contains_key("path")
    {
        return false;
    }
    let words = rule.iter().filter(|(word, _)| !is_frame(word));
    let is_other = |word: &str, argument: &Json| known.get(word).is_some_and(|known| known != argument);
    if words.clone().any(|(word, argument)| is_other(word, argument) || word == "forbidden") {
        return false;
    }
    let when = known.shift_remove("when");
    known.extend(words.map(|(word, argument)| (word.clone(), argument.clone())));
    known.extend(when.map(|when| ("when".to_owned(), when)));
    true
}

/// The rules of one clause: one of its literals is required, unless another holds.
fn clause_rules(clause: &Clause, view: &Perspective) -> Option<Vec<RuleEntry>> {
    // A test passes without a value, so that nobody would require the absence.
    let is_guard =
        |literal: &Literal| clause.iter().any(|other| other.is_positive && other.is_without(literal));
    let mut demands: Vec<(usize, &Literal)> = clause.iter().enumerate().collect();
    demands.sort_by_key(|(at, literal)| Reverse((!is_guard(literal), preference(literal), *at)));
    demands.into_iter().find_map(|(at, required)| rules_with(required, at, clause, view))
}

/// The rules that require one literal of a clause.
fn rules_with(required: &Literal, at: usize, clause: &Clause, view: &Perspective) -> Option<Vec<RuleEntry>> {
    let others =
        clause.iter().enumerate().filter(|(other, it)| *other != at && !is_covered(required, it, view));
    let others: Vec<&Literal> = others.map(|(_, literal)| literal).collect();
    if let (Atom::Loop(list, inner), true, true) = (&required.atom, required.is_positive, others.is_empty()) {
        let of_items = to_rules(inner, &view.of_items(list))?;
        // An expression that reads a list without a test ends in an error without it.
        let of_list =
            if view.requires_lists { Some(view.one_word(list, "required", true.into())?) } else { None };
        return Some(of_list.into_iter().chain(of_items).collect());
    }
    let mut conditions = Vec::new();
    for literal in &others {
        // A test of a value fails without one.
        let is_test = |other: &Literal| other.opposite().is_positive && other.is_without(literal);
        let is_implied = others.iter().any(|other| other != literal && is_test(other));
        if !is_implied {
            conditions.push(Json::Object(state_of(&literal.opposite(), view)?));
        }
    }
    let mut entry = demand_of(required, view, &mut conditions)?;
    if view.is_strict && entry.contains_key("path") && required.is_positive {
        let after_path = entry.keys().take_while(|key| matches!(key.as_str(), "each" | "path")).count();
        entry.shift_insert(after_path, "required".to_owned(), true.into());
    }
    match conditions.len() {
        0 => {}
        1 => _ = entry.insert("when".to_owned(), conditions.remove(0)),
        _ => _ = entry.insert("when".to_owned(), Json::Array(conditions)),
    }
    Some(vec![entry])
}

/// True if a requirement passes without the value whose absence a literal states. With `required` next to it, it does so only if the
/// literal is about the value itself, which is a contradiction.
fn is_covered(required: &Literal, absence: &Literal, view: &Perspective) -> bool {
    let is_own = |own: &RulePath| matches!(&absence.atom, Atom::Present(absent) if absent == own);
    let is_required_too = view.is_strict && !matches!(required.atom, Atom::Loop(..));
    let is_of_value = matches!(&required.atom, Atom::Test(path, ..) if is_own(path));
    required.is_without(absence) && (!is_required_too || is_of_value)
}

/// The literal that is best as a requirement is the one that authors would call so.
fn preference(literal: &Literal) -> u8 {
    match (&literal.atom, literal.is_positive) {
        (Atom::Count(..), true) => 6,
        (Atom::Test(_, "in", _), true) => 2,
        // Empty is nearly absent.
        (Atom::Test(_, _, bounds), true) if *bounds == json!({"max": 0}) => 2,
        (Atom::Test(..) | Atom::Compares(..) | Atom::Loop(..) | Atom::Refers(..), true) => 5,
        (Atom::Present(_), true) => 4,
        (Atom::Present(_), false) => 3,
        (Atom::Test(..), false) => 1,
        _ => 0,
    }
}

/// The entry of a rule that requires a literal.
fn demand_of(literal: &Literal, view: &Perspective, conditions: &mut Vec<Json>) -> Option<RuleEntry> {
    let mut entry = view.start_entry();
    match (&literal.atom, literal.is_positive) {
        (Atom::Test(path, ..), false) => {
            // "Not this value" has no word of its own.
            view.put_path(&mut entry, path)?;
            entry.insert("forbidden".to_owned(), true.into());
            conditions.push(Json::Object(state_of(&literal.opposite(), view)?));
        }
        (Atom::Refers(from, to), true) => {
            view.put_path(&mut entry, from)?;
            entry.insert("refersTo".to_owned(), view.text_of(to).into());
        }
        (Atom::Loop(list, inner), true) => {
            let (below, inner) = single_literal(inner)?;
            let mut words = words_of(&inner, view)?;
            words.shift_remove("path");
            let each = RulePath(vec![PathStep::Each]);
            view.put_path(&mut entry, &list.join_path(&each).join_path(&below))?;
            entry.extend(words);
        }
        _ => entry.extend(words_of(literal, view)?),
    }
    Some(entry)
}

/// A literal as a condition of `when`.
fn state_of(literal: &Literal, view: &Perspective) -> Option<RuleEntry> {
    if let Atom::Loop(list, inner) = &literal.atom {
        // "Some item is not so" is what a path with `[*]` says in a condition.
        let (below, inner) = single_literal(inner)?;
        let mut entry = RuleEntry::new();
        let each = RulePath(vec![PathStep::Each]);
        view.put_path(&mut entry, &list.join_path(&each).join_path(&below))?;
        let mut words = words_of(&inner.opposite(), view)?;
        words.shift_remove("path");
        entry.extend(words);
        return Some(if literal.is_positive { negation_of(entry) } else { entry });
    }
    if let Some(words) = words_of(literal, view) {
        return Some(words);
    }
    words_of(&literal.opposite(), view).map(negation_of)
}

fn negation_of(entry: RuleEntry) -> RuleEntry {
    [("not".to_owned(), Json::Object(entry))].into_iter().collect()
}

/// The one literal of a part about items, with its path.
fn single_literal(part: &Part) -> Option<(RulePath, Literal)> {
    let clauses = to_clauses(part)?;
    let [clause] = clauses.as_slice() else { return None };
    let required: Vec<&Literal> =
        clause.iter().filter(|one| !clause.iter().any(|other| other.is_without(one))).collect();
    let [literal] = required.as_slice() else { return None };
    let path = match &literal.atom {
        Atom::Test(path, ..) | Atom::Present(path) => path.clone(),
        _ => return None,
    };
    Some((path, (*literal).clone()))
}

/// The words of a literal that has some.
fn words_of(literal: &Literal, view: &Perspective) -> Option<RuleEntry> {
    let mut entry = RuleEntry::new();
    match (&literal.atom, literal.is_positive) {
        (Atom::Present(path), is_positive) => {
            view.put_path(&mut entry, path)?;
            let word = if is_positive { "required" } else { "forbidden" };
            entry.insert(word.to_owned(), true.into());
        }
        (Atom::Test(path, word, argument), true) => {
            view.put_path(&mut entry, path)?;
            entry.insert((*word).to_owned(), argument.clone());
        }
        (Atom::Compares(one, word, other), true) => {
            view.put_path(&mut entry, one)?;
            entry.insert((*word).to_owned(), view.text_of(other).into());
        }
        (Atom::Count(word, paths), true) => {
            let paths: Vec<String> = paths.iter().map(|path| view.text_of(path)).collect();
            entry.insert((*word).to_owned(), json!(paths));
        }
        _ => return None,
    }
    Some(entry)
}
