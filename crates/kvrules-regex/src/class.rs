//! Sets of characters, and which characters are the same except for case.
//!
//! The set arithmetic and the case tables are `regex-syntax`'s: Unicode's simple case folding, which is also Go's.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A set of characters as ascending ranges that neither overlap nor touch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    ranges: Vec<(char, char)>,
}

impl Class {
    /// The set of these ranges, both ends included, in any order.
    pub fn new(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        Self::from_set(&to_set(ranges))
    }

    /// The ranges, both ends included.
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// True if the character is in the set.
    pub fn contains(&self, char: char) -> bool {
        let at = self.ranges.partition_point(|(_, high)| *high < char);
        self.ranges.get(at).is_some_and(|(low, _)| *low <= char)
    }

    /// True if no character is in the set, so that nothing matches.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The characters that are not in the set.
    #[must_use]
    pub fn to_negated(&self) -> Self {
        let mut set = to_set(self.ranges.iter().copied());
        set.negate();
        Self::from_set(&set)
    }

    /// The number of characters in the set.
    pub fn len(&self) -> usize {
        const SURROGATES: u32 = 0x800;
        let count = |(low, high): &(char, char)| {
            let spans = *low < '\u{E000}' && *high >= '\u{E000}';
            u32::from(*high) - u32::from(*low) + 1 - if spans { SURROGATES } else { 0 }
        };
        self.ranges.iter().map(|range| usize::try_from(count(range)).unwrap_or(usize::MAX)).sum()
    }

    /// True if some character is in both sets.
    pub(crate) fn intersects_with(&self, other: &Self) -> bool {
        let (mut own, mut its) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some((low, high)), Some((its_low, its_high))) = (own.peek(), its.peek()) {
            if low <= its_high && its_low <= high {
                return true;
            }
            if high < its_high {
                own.next()
            } else {
                its.next()
            };
        }
        false
    }

    pub(crate) fn from_set(set: &ClassUnicode) -> Self {
        let set = join_ranges(set.iter().map(|range| (range.start(), range.end())));
        Self { ranges: set.iter().map(|range| (range.start(), range.end())).collect() }
    }
}

/// The characters that equal this one except for case, itself included, ascending.
///
/// ```
/// assert_eq!(kvrules_regex::fold_orbit('k'), ['K', 'k', '\u{212A}']);
/// ```
pub fn fold_orbit(char: char) -> Vec<char> {
    let set = fold_case(to_set([(char, char)]));
    set.iter().flat_map(|range| range.start()..=range.end()).collect()
}

/// The set of these ranges.
pub(crate) fn to_set(ranges: impl IntoIterator<Item = (char, char)>) -> ClassUnicode {
    let set = ClassUnicode::new(ranges.into_iter().map(|(low, high)| ClassUnicodeRange::new(low, high)));
    join_ranges(set.iter().map(|range| (range.start(), range.end())))
}

/// The set of ascending ranges, with those joined that touch across the surrogates. `regex-syntax` leaves these apart,
/// and the negation of two such ranges comes out wrong.
fn join_ranges(ranges: impl Iterator<Item = (char, char)>) -> ClassUnicode {
    let mut joined: Vec<ClassUnicodeRange> = Vec::new();
    for (low, high) in ranges {
        match joined.last_mut() {
            Some(last) if low == '\u{E000}' && last.end() == '\u{D7FF}' => {
                *last = ClassUnicodeRange::new(last.start(), high);
            }
            _ => joined.push(ClassUnicodeRange::new(low, high)),
        }
    }
    ClassUnicode::new(joined)
}

/// The set with every case variant of its members.
pub(crate) fn fold_case(mut set: ClassUnicode) -> ClassUnicode {
    // This fails only if the crate has no case tables; they are enabled by default.
    let _ = set.try_case_fold_simple();
    set
}

/// The characters between two code points. Surrogates are code points in Go and never characters of a text,
/// so a range of nothing else is not a range.
pub(crate) fn char_range(low: u32, high: u32) -> Option<(char, char)> {
    let low = char::from_u32(low).unwrap_or('\u{E000}');
    let high = char::from_u32(high).unwrap_or('\u{D7FF}');
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_across_the_surrogates_are_one() {
        let class = Class::new([('\u{D7FF}', '\u{D7FF}'), ('\u{E000}', '\u{E000}')]);
        assert_eq!(class.ranges(), [('\u{D7FF}', '\u{E000}')]);
        assert_eq!(class.to_negated().ranges(), [('\0', '\u{D7FE}'), ('\u{E001}', char::MAX)]);
        assert_eq!(class.to_negated().to_negated(), class);
    }
}
