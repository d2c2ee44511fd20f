//! Texts that meet a schema and several conditions at once, or the proof that there are none.

mod candidates;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use kvrules_ir::{Constant, Term, TermCall};
use kvrules_regex::ast::{Anchor, Node};
use kvrules_regex::{Automaton, Regex, StepBudget, TextDemands, TextSearch};
use serde_json::Value as Json;

/// Automata are made again when those that are kept take more bytes than this.
const MOST_BYTES: u64 = 16 << 20;

/// The most answers that are kept.
const MOST_ANSWERS: usize = 10_000;

/// All walks of a proof together take no more steps than this.
const MOST_STEPS: u64 = 400_000;

/// There are more characters than this.
const CHARACTERS: usize = 1_000_000;

/// A set of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextSet {
    /// The texts that a pattern finds something in.
    Pattern(String),
    /// One text.
    Only(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    /// Some texts.
    OneOf(Vec<String>),
}

/// The number of a set in a [`TextSearches`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TextSetId(usize);

/// Conditions on one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TextConditions<S = TextSetId> {
    /// Sets that it is in.
    inside: Vec<S>,
    /// Sets that it is not in.
    outside: Vec<S>,
    /// The least and the greatest number of its code points.
    length: (usize, Option<usize>),
}

/// Work that one proof may spend on texts, and the sets that it is about.
pub(crate) struct TextSearches {
    steps: StepBudget,
    sets: Vec<TextSet>,
    numbers: HashMap<TextSet, TextSetId>,
    answers: HashMap<TextConditions, bool>,
}

/// Automata of sets, and answers about conditions. They depend on nothing else, so the proofs of a thread share them.
#[derive(Default)]
struct KnownTexts {
    automata: HashMap<TextSet, Option<Rc<Automaton>>>,
    answers: HashMap<TextConditions<TextSet>, bool>,
    /// Texts that were found with all steps, and conditions for which none was.
    texts: HashMap<TextConditions<TextSet>, Option<String>>,
    bytes: u64,
}

thread_local! {
    static KNOWN: RefCell<KnownTexts> = RefCell::default();
}

impl TextSet {
    /// The set that a function of CEL tests for, and the value that it tests.
    pub(crate) fn of_call(call: &TermCall) -> Option<(&Term, Self)> {
        let [subject, Term::Constant(Constant::Text(text))] = call.arguments.as_slice() else { return None };
        let set = match call.function.as_str() {
            "matches" => Self::Pattern,
            "startsWith" => Self::StartsWith,
            "endsWith" => Self::EndsWith,
            "contains" => Self::Contains,
            _ => return None,
        };
        Some((subject, set(text.clone())))
    }

    /// True if a text is in the set; `None` if that is not known.
    fn contains(&self, text: &str) -> Option<bool> {
        Some(match self {
            Self::Pattern(pattern) => kvrules_regex::compile_matcher(pattern).ok()?.is_match(text),
            Self::Only(only) => text == only,
            Self::StartsWith(start) => text.starts_with(start),
            Self::EndsWith(end) => text.ends_with(end),
            Self::Contains(part) => text.contains(part),
            Self::OneOf(texts) => texts.iter().any(|it| it == text),
        })
    }

    /// The texts, if the set lists them.
    fn listed(&self) -> Option<&[String]> {
        match self {
            Self::Only(text) => Some(std::slice::from_ref(text)),
            Self::OneOf(texts) => Some(texts),
            _ => None,
        }
    }

    fn to_regex(&self) -> Option<Regex> {
        let literal = |text: &String| Node::concat(text.chars().map(Node::literal));
        let (start, end) = (Node::Anchor(Anchor::TextStart), Node::Anchor(Anchor::TextEnd));
        let node = match self {
            Self::Pattern(pattern) => return kvrules_regex::parse(pattern).ok(),
            Self::Only(text) => Node::concat([start, literal(text), end]),
            Self::StartsWith(text) => Node::concat([start, literal(text)]),
            Self::EndsWith(text) => Node::concat([literal(text), end]),
            Self::Contains(text) => literal(text),
            Self::OneOf(texts) => {
                let any = Node::group(None, Node::alternate(texts.iter().map(literal)));
                Node::concat([start, any, end])
            }
        };
        Some(Regex::from_ast(node))
    }
}

impl<S> TextConditions<S> {
    /// Takes in that the text is in a set, or that it is not.
    pub(crate) fn add_set(&mut self, set: S, is_inside: bool) {
        if is_inside { self.inside.push(set) } else { self.outside.push(set) }
    }

    /// Restricts the number of code points to one number, or to others.
    pub(crate) fn add_size(&mut self, number: i64, is_equal: bool) {
        let (least, most) = &mut self.length;
        match (usize::try_from(number), is_equal) {
            (Ok(number), true) => {
                *least = number.max(*least);
                *most = Some(most.map_or(number, |most| most.min(number)));
            }
            (Err(_), true) => self.length = (1, Some(0)),
            (Ok(0), false) => *least = (*least).max(1),
            (_, false) => {}
        }
    }

    /// Restricts the number of code points by `length < constant` (or `constant < length`), or by its opposite.
    pub(crate) fn add_length(&mut self, constant: &Constant, is_length_left: bool, holds: bool) {
        let Constant::Integer(bound) = constant else { return };
        let (least, most) = &mut self.length;
        let mut at_most = |bound: i64| {
            // Fewer than none contradicts every length.
            let Ok(bound) = usize::try_from(bound) else {
                (*least, *most) = (1, Some(0));
                return;
            };
            *most = Some(most.map_or(bound, |most| most.min(bound)));
        };
        match (is_length_left, holds) {
            (true, true) => at_most(bound.saturating_sub(1)),
            (false, false) => at_most(*bound),
            (true, false) => *least = (*least).max(usize::try_from(*bound).unwrap_or(0)),
            (false, true) => *least = (*least).max(usize::try_from(bound.saturating_add(1)).unwrap_or(0)),
        }
    }
}

impl Default for TextSearches {
    fn default() -> Self {
        Self {
            steps: StepBudget::new(MOST_STEPS),
            sets: Vec::new(),
            numbers: HashMap::new(),
            answers: HashMap::new(),
        }
    }
}

impl TextSearches {
    /// Lets the next proof have all steps.
    pub(crate) fn renew_steps(&mut self) {
        self.steps = StepBudget::new(MOST_STEPS);
    }

    /// The number of a set.
    pub(crate) fn number_of(&mut self, set: &TextSet) -> TextSetId {
        if let Some(known) = self.numbers.get(set) {
            return *known;
        }
        let number = TextSetId(self.sets.len());
        self.sets.push(set.clone());
        self.numbers.insert(set.clone(), number);
        number
    }

    /// The conditions of a schema whose values are texts in CEL; `None` for other schemas.
    pub(crate) fn conditions_of_schema(&mut self, node: &Json) -> Option<TextConditions> {
        // Some formats make other values of texts.
        let is_text = node.get("type").is_some_and(|ty| ty == "string")
            && node.get("nullable") != Some(&Json::Bool(true))
            && !node.get("format").is_some_and(|format| {
                matches!(format.as_str(), Some("byte" | "date" | "date-time" | "datetime" | "duration"))
            });
        if !is_text {
            return None;
        }
        let count = |keyword: &str| node.get(keyword)?.as_u64().and_then(|count| usize::try_from(count).ok());
        let pattern =
            node.get("pattern").and_then(Json::as_str).map(|pattern| TextSet::Pattern(pattern.to_owned()));
        let values = node.get("enum").and_then(Json::as_array);
        let values = values.map(|values| values.iter().filter_map(Json::as_str).map(str::to_owned).collect());
        let sets = pattern.into_iter().chain(values.map(TextSet::OneOf));
        Some(TextConditions {
            inside: sets.map(|set| self.number_of(&set)).collect(),
            outside: Vec::new(),
            length: (count("minLength").unwrap_or(0), count("maxLength")),
        })
    }

    /// True if it is certain that no text meets the conditions.
    pub(crate) fn is_empty(&mut self, conditions: &TextConditions) -> bool {
        if matches!(conditions.length, (least, Some(most)) if least > most) {
            return true;
        }
        if conditions.inside.is_empty() && self.leaves_others(conditions) {
            return false;
        }
        if let Some(answer) = self.answers.get(conditions) {
            return *answer;
        }
        let written = self.written_out(conditions);
        let answer = KNOWN.with_borrow_mut(|known| known.is_empty(&written, &self.steps));
        // A search that had no steps left may have them the next time.
        if let Some(answer) = answer {
            self.answers.insert(conditions.clone(), answer);
        }
        answer.unwrap_or(false)
    }

    /// True if the conditions exclude single texts alone, and fewer than there are of one character.
    fn leaves_others(&self, conditions: &TextConditions) -> bool {
        let is_one = |id: &TextSetId| matches!(self.sets.get(id.0), Some(TextSet::Only(_)));
        conditions.length.1.is_none_or(|most| most > 0)
            && conditions.outside.len() < CHARACTERS
            && conditions.outside.iter().all(is_one)
    }

    /// Returns a text that meets the conditions, if one is found.
    pub(crate) fn find_text(&mut self, conditions: &TextConditions) -> Option<String> {
        let written = self.written_out(conditions);
        KNOWN.with_borrow_mut(|known| known.find_text(&written, &self.steps))
    }

    fn written_out(&self, conditions: &TextConditions) -> TextConditions<TextSet> {
        let sets = |ids: &[TextSetId]| ids.iter().filter_map(|id| self.sets.get(id.0)).cloned().collect();
        TextConditions {
            inside: sets(&conditions.inside),
            outside: sets(&conditions.outside),
            length: conditions.length,
        }
    }
}

/// Returns a text of a schema that is in some sets and not in others. `None` if none was found.
pub(crate) fn find_text_in(node: &Json, sets: &[(TextSet, bool)]) -> Option<String> {
    let mut searches = TextSearches::default();
    let mut conditions = searches.conditions_of_schema(node)?;
    for (set, is_inside) in sets {
        let number = searches.number_of(set);
        conditions.add_set(number, *is_inside);
    }
    let written = searches.written_out(&conditions);
    KNOWN.with_borrow_mut(|known| known.find_known_text(written, &searches.steps))
}

impl TextConditions<TextSet> {
    /// True if none of the texts that a set lists meets the conditions; `None` if no set lists texts.
    fn is_listed_nowhere(&self) -> Option<bool> {
        let lists = self.inside.iter().filter_map(TextSet::listed);
        let listed = lists.min_by_key(|texts| texts.len())?;
        for text in listed {
            if self.are_met_by(text)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// True if a text meets the conditions; `None` if that is not known.
    fn are_met_by(&self, text: &str) -> Option<bool> {
        let length = text.chars().count();
        if length < self.length.0 || self.length.1.is_some_and(|most| length > most) {
            return Some(false);
        }
        let inside = self.inside.iter().map(|set| (set, true));
        for (set, is_inside) in inside.chain(self.outside.iter().map(|set| (set, false))) {
            if set.contains(text)? != is_inside {
                return Some(false);
            }
        }
        Some(true)
    }

    /// One of some texts that are likely to meet the conditions, if one does.
    fn likely_text(&self) -> Option<String> {
        candidates::likely_texts(self).into_iter().find(|text| self.are_met_by(text) == Some(true))
    }

    /// A text that a set lists and that meets the conditions.
    fn listed_text(&self) -> Option<String> {
        let listed = self.inside.iter().filter_map(TextSet::listed).flatten();
        listed.into_iter().find(|text| self.are_met_by(text) == Some(true)).cloned()
    }
}

impl KnownTexts {
    /// True if no text meets the conditions, false if one does or that is not known. `None` if there were too few steps.
    fn is_empty(&mut self, conditions: &TextConditions<TextSet>, steps: &StepBudget) -> Option<bool> {
        if let Some(answer) = self.answers.get(conditions) {
            return Some(*answer);
        }
        if self.bytes > MOST_BYTES || self.answers.len() > MOST_ANSWERS {
            *self = Self::default();
        }
        // Listed texts are tried one by one, which takes no automata.
        let is_empty = match conditions.is_listed_nowhere() {
            Some(is_empty) => is_empty,
            None if conditions.likely_text().is_some() => false,
            None => match self.search(conditions, steps) {
                Some(TextSearch::TooLarge) => return None,
                found => found == Some(TextSearch::Nothing),
            },
        };
        self.answers.insert(conditions.clone(), is_empty);
        Some(is_empty)
    }

    fn find_known_text(&mut self, conditions: TextConditions<TextSet>, steps: &StepBudget) -> Option<String> {
        if let Some(known) = self.texts.get(&conditions) {
            return known.clone();
        }
        if self.texts.len() > MOST_ANSWERS {
            *self = Self::default();
        }
        let found = self.find_text(&conditions, steps);
        self.texts.insert(conditions, found.clone());
        found
    }

    fn find_text(&mut self, conditions: &TextConditions<TextSet>, steps: &StepBudget) -> Option<String> {
        let known = conditions.listed_text().or_else(|| conditions.likely_text());
        known.or_else(|| match self.search(conditions, steps) {
            Some(TextSearch::Found(text)) => Some(text),
            _ => None,
        })
    }

    fn search(&mut self, conditions: &TextConditions<TextSet>, steps: &StepBudget) -> Option<TextSearch> {
        let inside = self.automata(&conditions.inside)?;
        let outside = self.automata(&conditions.outside)?;
        let inside: Vec<&Automaton> = inside.iter().map(Rc::as_ref).collect();
        let outside: Vec<&Automaton> = outside.iter().map(Rc::as_ref).collect();
        let (least, most) = conditions.length;
        let bounded = TextDemands { matches: &inside, lacks: &outside, length: (least, most) };
        // To count up to a greatest length takes so many times more states, and one of the shortest texts is mostly shorter.
        let half = StepBudget::new(steps.steps_left() / 2);
        let found = TextDemands { length: (least, None), ..bounded }.search_within(&half);
        steps.try_take(half.steps_used());
        let is_answer = match &found {
            TextSearch::Nothing => true,
            TextSearch::Found(text) => most.is_none_or(|most| text.chars().count() <= most),
            TextSearch::TooLarge => most.is_none(),
        };
        Some(if is_answer { found } else { bounded.search_within(steps) })
    }

    fn automata(&mut self, sets: &[TextSet]) -> Option<Vec<Rc<Automaton>>> {
        sets.iter().map(|set| self.automaton(set)).collect()
    }

    fn automaton(&mut self, set: &TextSet) -> Option<Rc<Automaton>> {
        if let Some(known) = self.automata.get(set) {
            return known.clone();
        }
        let made = set.to_regex().and_then(|regex| regex.to_automaton()).map(Rc::new);
        let size = made.as_ref().map_or(0, |automaton| automaton.byte_size());
        self.bytes = self.bytes.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        self.automata.insert(set.clone(), made.clone());
        made
    }
}
