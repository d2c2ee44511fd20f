//! Texts that meet a schema and several conditions at once, or the proof that there are none.

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

/// Conditions on one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TextConditions {
    /// Sets that it is in.
    pub(crate) inside: Vec<TextSet>,
    /// Sets that it is not in.
    pub(crate) outside: Vec<TextSet>,
    /// The least and the greatest number of its code points.
    pub(crate) length: (usize, Option<usize>),
}

/// Work that one proof may spend on texts.
pub(crate) struct TextSearches {
    steps: StepBudget,
}

/// Automata of sets, and answers about conditions. They depend on nothing else, so the proofs of a thread share them.
#[derive(Default)]
struct KnownTexts {
    automata: HashMap<TextSet, Option<Rc<Automaton>>>,
    answers: HashMap<TextConditions, bool>,
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

impl TextConditions {
    /// The conditions of a schema whose values are texts in CEL; `None` for other schemas.
    pub(crate) fn of_schema(node: &Json) -> Option<Self> {
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
        Some(Self {
            inside: pattern.into_iter().chain(values.map(TextSet::OneOf)).collect(),
            outside: Vec::new(),
            length: (count("minLength").unwrap_or(0), count("maxLength")),
        })
    }

    /// Restricts the number of code points to one number, or to others.
    pub(crate) fn add_size(&mut self, number: i64, is_equal: bool) {
        match (usize::try_from(number), is_equal) {
            (Ok(number), true) => self.length = (number, Some(number)),
            (Err(_), true) => self.length = (1, Some(0)),
            (Ok(0), false) => self.length.0 = self.length.0.max(1),
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
        Self { steps: StepBudget::new(MOST_STEPS) }
    }
}

impl TextSearches {
    /// True if it is certain that no text meets the conditions.
    pub(crate) fn is_empty(&self, conditions: TextConditions) -> bool {
        if matches!(conditions.length, (least, Some(most)) if least > most) {
            return true;
        }
        let is_one = |set: &TextSet| matches!(set, TextSet::Only(_));
        let is_endless = conditions.length.1.is_none() && conditions.outside.iter().all(is_one);
        if conditions.inside.is_empty() && is_endless {
            return false;
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(answer) = known.answers.get(&conditions) {
                return *answer;
            }
            let found = known.search(&conditions, &self.steps);
            if found == Some(TextSearch::TooLarge) {
                return false;
            }
            let is_empty = found == Some(TextSearch::Nothing);
            known.answers.insert(conditions, is_empty);
            is_empty
        })
    }
}

impl KnownTexts {
    fn search(&mut self, conditions: &TextConditions, steps: &StepBudget) -> Option<TextSearch> {
        if self.bytes > MOST_BYTES || self.answers.len() > MOST_ANSWERS {
            *self = Self::default();
        }
        let inside = self.automata(&conditions.inside)?;
        let outside = self.automata(&conditions.outside)?;
        let inside: Vec<&Automaton> = inside.iter().map(Rc::as_ref).collect();
        let outside: Vec<&Automaton> = outside.iter().map(Rc::as_ref).collect();
        let demands = TextDemands { matches: &inside, lacks: &outside, length: conditions.length };
        Some(demands.search_within(steps))
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
