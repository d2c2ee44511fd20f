//! Many patterns for keys, of which the few that may match a key are found without trying all.
//!
//! Almost every pattern ends with a text of its own, as in `trait{group}:HW_CPU_X86_AVX2`. These ends are kept in a
//! tree that is read from the end of the key; what is left is sorted out by how patterns begin. Measured against one
//! automaton of all patterns, this is faster and needs no time to build.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use kvrules_regex::python::{PythonError, PythonMatcher, PythonRegex};

/// Patterns in an order.
#[derive(Debug, Default)]
pub(crate) struct PatternIndex {
    entries: Vec<IndexEntry>,
    ends: Vec<EndNode>,
    /// Patterns that cannot be matched. They are always candidates.
    broken: Vec<usize>,
}

#[derive(Debug)]
struct IndexEntry {
    pattern: Result<PythonRegex, PythonError>,
    begin: String,
    matcher: OnceLock<Result<PythonMatcher, PythonError>>,
}

#[derive(Debug, Default)]
struct EndNode {
    children: Vec<(u8, usize)>,
    here: Vec<usize>,
}

/// Result of matching a string with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternVerdict {
    Match,
    NoMatch,
    /// The class of the error that Python raises.
    Broken(&'static str),
    /// It cannot be determined.
    Undecided,
}

impl PatternIndex {
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let mut index = Self { entries: Vec::new(), ends: vec![EndNode::default()], broken: Vec::new() };
        for pattern in patterns {
            index.add(PythonRegex::new(pattern));
        }
        index
    }

    fn add(&mut self, pattern: Result<PythonRegex, PythonError>) {
        let number = self.entries.len();
        let (begin, end) = pattern.as_ref().map(PythonRegex::literal_ends).unwrap_or_default();
        match &pattern {
            Ok(_) => self.put(&end, number),
            // `re.fullmatch` raises an error for an invalid pattern whatever the name is, so the pattern is a
            // candidate for every name.
            Err(_) => self.broken.push(number),
        }
        self.entries.push(IndexEntry { pattern, begin, matcher: OnceLock::new() });
    }

    fn put(&mut self, end: &str, number: usize) {
        let mut at = 0;
        // Bytes are enough: two texts end alike exactly if their UTF-8 does.
        for byte in end.bytes().rev() {
            let next = self.ends.len();
            let Some(node) = self.ends.get_mut(at) else { return };
            if let Some((_, child)) = node.children.iter().find(|(other, _)| *other == byte) {
                at = *child;
                continue;
            }
            node.children.push((byte, next));
            self.ends.push(EndNode::default());
            at = next;
        }
        if let Some(node) = self.ends.get_mut(at) {
            node.here.push(number);
        }
    }

    /// The patterns that may match, in their order, including those that cannot be matched.
    pub(crate) fn candidates(&self, text: &str) -> Vec<usize> {
        let mut found = self.broken.clone();
        let mut node = self.ends.first();
        let mut bytes = text.bytes().rev();
        while let Some(here) = node {
            // The end of the pattern fits already; its literal beginning excludes most of the rest.
            let fits = |number: &&usize| {
                self.entries.get(**number).is_some_and(|entry| text.starts_with(&entry.begin))
            };
            found.extend(here.here.iter().filter(fits));
            node = bytes
                .next()
                .and_then(|byte| here.children.iter().find(|(other, _)| *other == byte))
                .and_then(|(_, child)| self.ends.get(*child));
        }
        // The order of registration decides among patterns, here and in Nova.
        found.sort_unstable();
        found
    }

    /// Matches a string with one pattern.
    pub(crate) fn match_pattern(&self, number: usize, text: &str) -> PatternVerdict {
        match self.matcher(number).map(|matcher| matcher.try_full_match(text)) {
            Ok(Some(true)) => PatternVerdict::Match,
            // Matching a pattern with backreferences stops after a maximum number of steps.
            Ok(None) => PatternVerdict::Undecided,
            Err(Some(error)) => {
                error.python_class().map_or(PatternVerdict::Undecided, PatternVerdict::Broken)
            }
            Ok(Some(false)) | Err(None) => PatternVerdict::NoMatch,
        }
    }

    /// Returns the captures of a pattern's groups; empty if it does not match.
    pub(crate) fn captures(&self, number: usize, text: &str) -> BTreeMap<String, String> {
        let taken = self.matcher(number).ok().and_then(|matcher| matcher.named_captures(text));
        taken.into_iter().flatten().map(|(name, text)| (name, text.to_owned())).collect()
    }

    fn matcher(&self, number: usize) -> Result<&PythonMatcher, Option<&PythonError>> {
        let entry = self.entries.get(number).ok_or(None)?;
        let regex = entry.pattern.as_ref().map_err(Some)?;
        // Compiled on first use, because a run needs only a few of the several hundred patterns.
        entry.matcher.get_or_init(|| regex.compile_matcher()).as_ref().map_err(Some)
    }

    /// The first pattern that does not say no, and what it says.
    pub(crate) fn first(&self, text: &str) -> Option<(usize, PatternVerdict)> {
        self.candidates(text)
            .into_iter()
            .map(|number| (number, self.match_pattern(number, text)))
            .find(|(_, verdict)| *verdict != PatternVerdict::NoMatch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::name_pattern;

    #[test]
    fn a_key_that_only_patterns_take_is_asked_of_few_of_them() {
        let definitions = crate::shipped_document().expand_definitions();
        let patterns: Vec<_> = definitions
            .iter()
            .filter(|one| one.is_patterned())
            .map(|one| name_pattern(&one.pieces()))
            .collect();
        let index = PatternIndex::new(patterns.iter().map(String::as_str));
        assert!(patterns.len() > 400);
        for key in ["trait1:HW_CPU_X86_AVX2", "resources:VCPU", "hw:numa_cpus.0", "hww:cpu_policy"] {
            let candidates = index.candidates(key);
            assert!(candidates.len() <= 4, "{key}: {candidates:?}");
        }
    }
}
