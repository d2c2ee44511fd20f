//! Regular expressions of tests, parsed, compiled and made automata when first asked for.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use kvrules_ir::{RegexPattern, ValueTest};
use kvrules_regex::ast::Node;
use kvrules_regex::{Automaton, Matcher, Regex, StepBudget};

/// The compiled forms of a set or a pattern.
#[derive(Debug)]
pub(crate) struct CompiledPattern {
    regex: Option<Regex>,
    matcher: OnceCell<Option<Matcher>>,
    automaton: OnceCell<Option<Rc<Automaton>>>,
}

/// All automata together take no more bytes than this.
const MOST_BYTES: u64 = 64 << 20;

/// All searches of automata together take no more steps than this.
const MOST_STEPS: u64 = 60_000_000;

/// Compiled patterns by their text, and sets by their members.
#[derive(Debug)]
pub(crate) struct PatternCache {
    bytes: StepBudget,
    /// The steps that searches may take.
    pub(crate) steps: StepBudget,
    expressions: BTreeMap<String, Rc<CompiledPattern>>,
    sets: BTreeMap<BTreeSet<String>, Rc<CompiledPattern>>,
    /// True if a pattern cannot be used, so that no answer about it proves anything.
    pub(crate) are_broken: bool,
}

impl Default for PatternCache {
    fn default() -> Self {
        Self {
            bytes: StepBudget::new(MOST_BYTES),
            steps: StepBudget::new(MOST_STEPS),
            expressions: BTreeMap::new(),
            sets: BTreeMap::new(),
            are_broken: false,
        }
    }
}

impl PatternCache {
    /// A pattern by its text.
    pub(crate) fn compile_pattern(&mut self, pattern: &str) -> Rc<CompiledPattern> {
        if let Some(known) = self.expressions.get(pattern) {
            self.are_broken |= known.regex.is_none();
            return Rc::clone(known);
        }
        let compiled = Rc::new(CompiledPattern::new(kvrules_regex::parse(pattern).ok()));
        self.are_broken |= compiled.regex.is_none();
        self.expressions.insert(pattern.to_owned(), Rc::clone(&compiled));
        compiled
    }

    /// A set or a pattern of a test; none for other tests.
    pub(crate) fn compile_test(&mut self, test: &ValueTest) -> Option<Rc<CompiledPattern>> {
        match test {
            ValueTest::Matches(RegexPattern(pattern)) => Some(self.compile_pattern(pattern)),
            ValueTest::OneOf(texts) => {
                let known = self.sets.entry(texts.clone());
                Some(Rc::clone(known.or_insert_with(|| Rc::new(CompiledPattern::new(Some(one_of(texts)))))))
            }
            ValueTest::Integer(_) | ValueTest::Length(_) => None,
        }
    }

    /// The automaton of a pattern; `None` if it is too large, alone or together with the others.
    pub(crate) fn find_automaton(&self, compiled: &CompiledPattern) -> Option<Rc<Automaton>> {
        let automaton = compiled.automaton.get_or_init(|| {
            let automaton = compiled.regex.as_ref()?.to_automaton()?;
            let bytes = u64::try_from(automaton.byte_size()).unwrap_or(u64::MAX);
            self.bytes.try_take(bytes).then(|| Rc::new(automaton))
        });
        automaton.clone()
    }

    /// True if the work limit is reached.
    pub(crate) fn are_exhausted(&self) -> bool {
        self.bytes.steps_left() == 0 || self.steps.steps_left() == 0
    }

    /// True if a string passes a test for sets or patterns; `None` for other tests, or if the pattern cannot be used.
    pub(crate) fn passes_test(&mut self, test: &ValueTest, value: &str) -> Option<bool> {
        match test {
            ValueTest::OneOf(texts) => Some(texts.contains(value)),
            ValueTest::Matches(RegexPattern(pattern)) => {
                let matched = self.compile_pattern(pattern).is_match(value);
                self.are_broken |= matched.is_none();
                matched
            }
            ValueTest::Integer(_) | ValueTest::Length(_) => None,
        }
    }
}

impl CompiledPattern {
    fn new(regex: Option<Regex>) -> Self {
        Self { regex, matcher: OnceCell::new(), automaton: OnceCell::new() }
    }

    fn is_match(&self, text: &str) -> Option<bool> {
        let matcher = self.matcher.get_or_init(|| self.regex.as_ref()?.compile_matcher().ok());
        Some(matcher.as_ref()?.is_match(text))
    }

    /// A short text that matches, where one is plain to see.
    pub(crate) fn sample_match(&self) -> Option<String> {
        let mut text = String::new();
        write_sample(self.regex.as_ref()?.ast(), &mut text)?;
        Some(text)
    }
}

/// The expression that matches these texts and no others.
fn one_of(texts: &BTreeSet<String>) -> Regex {
    use kvrules_regex::ast::Anchor;
    let text = |text: &String| Node::concat(text.chars().map(Node::literal));
    let any = Node::group(None, Node::alternate(texts.iter().map(text)));
    Regex::from_ast(Node::concat([Node::Anchor(Anchor::TextStart), any, Node::Anchor(Anchor::TextEnd)]))
}

/// Writes what the first way through an expression reads. Places such as `\b` are passed by, so the text may not match.
fn write_sample(node: &Node, text: &mut String) -> Option<()> {
    match node {
        Node::Empty | Node::Anchor(_) => {}
        Node::Literal { char, .. } => text.push(*char),
        Node::Any { .. } => text.push('a'),
        Node::Class(class) => text.push(
            *['a', '0', 'A']
                .iter()
                .find(|c| class.contains(**c))
                .or(class.ranges().first().map(|(low, _)| low))?,
        ),
        Node::Group { node, .. } => write_sample(node, text)?,
        Node::Repeat { node, min, .. } => {
            for _ in 0..*min {
                write_sample(node, text)?;
            }
        }
        Node::Concat(parts) => parts.iter().try_for_each(|part| write_sample(part, text))?,
        Node::Alternate(parts) => write_sample(parts.first()?, text)?,
    }
    (text.len() <= 4096).then_some(())
}
