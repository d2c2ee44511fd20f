//! Texts that an expression matches and texts that it does not, made from the expression itself.

use std::collections::BTreeSet;

use kvrules_ir::RegexPattern;
use kvrules_regex::ast::Node;
use kvrules_regex::{Regex, fold_orbit};

/// At most so many texts are made from one part of an expression.
const MOST: usize = 24;

/// Texts are not made longer than this by repeating what need not be repeated.
const LONG: usize = 200;

/// Longer texts are not made at all.
const LONGEST: usize = 5000;

/// Matching all texts of an expression may take so much: the bytes of its automaton times those of the texts. An expression such as
/// `\pL{1000}` takes thousands of steps for each letter, and an engine of each target takes them.
const MOST_WORK: u64 = 1_000_000_000_000;

/// Texts from the expression, and each with something before, behind, within or taken away.
pub(super) fn pattern_texts(pattern: &RegexPattern) -> Vec<String> {
    kvrules_regex::parse(&pattern.0).map_or_else(|_| Vec::new(), |regex| texts_of(&regex))
}

/// The same for an expression that is read already.
pub(crate) fn texts_of(regex: &Regex) -> Vec<String> {
    let mut made = texts_of_part(regex.ast());
    let most = regex
        .compile_matcher()
        .map_or(u64::MAX, |matcher| MOST_WORK / byte_count(matcher.byte_size().max(1)));
    if made.iter().map(|text| byte_count(text.len())).sum::<u64>().saturating_mul(BENT) > most {
        made.sort_by_key(String::len);
    }
    let mut texts = BTreeSet::new();
    let mut bytes = 0_u64;
    for text in made {
        bytes = bytes.saturating_add(byte_count(text.len()).saturating_mul(BENT));
        if bytes > most && !texts.is_empty() {
            break;
        }
        texts.extend(near_misses(&text));
        texts.insert(text);
    }
    texts.into_iter().collect()
}

/// True if the expression can be parsed, and strings can be made from it.
pub(super) fn is_complete(pattern: &RegexPattern) -> bool {
    let Ok(regex) = kvrules_regex::parse(&pattern.0) else { return false };
    shortest_length(regex.ast()) <= LONGEST && regex.compile_matcher().is_ok()
}

/// About so many times as long as a text are the texts that [`near_misses`] makes of it, with it.
const BENT: u64 = 18;

/// Sizes are multiplied, which in WebAssembly would exceed a `usize`.
fn byte_count(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn near_misses(text: &str) -> Vec<String> {
    let mut front = text.chars();
    front.next();
    let mut back = text.chars();
    back.next_back();
    let swapped = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let mut bent =
        vec![front.as_str().to_owned(), back.as_str().to_owned(), text.chars().map(swapped).collect()];
    for extra in ["a", "0", "\n", "é", "-"] {
        bent.extend([format!("{extra}{text}"), format!("{text}{extra}")]);
    }
    bent.extend([format!("{text}{text}"), format!("a\n{text}"), format!("{text}\nb")]);
    bent
}

/// Texts that the part would match if its anchors allowed: every alternative, the ends of every class, the fewest and
/// more repetitions.
fn texts_of_part(node: &Node) -> Vec<String> {
    let mut texts = match node {
        Node::Empty | Node::Anchor(_) => vec![String::new()],
        Node::Literal { char, fold: false } => vec![char.to_string()],
        Node::Literal { char, fold: true } => fold_orbit(*char).into_iter().map(String::from).collect(),
        Node::Any { newline } => {
            let all = ["a", "é", "😀", "\n"];
            all.into_iter().filter(|text| *newline || *text != "\n").map(str::to_owned).collect()
        }
        Node::Class(class) => {
            class.ranges().iter().flat_map(|(low, high)| [*low, *high]).map(String::from).collect()
        }
        Node::Group { node, .. } => texts_of_part(node),
        Node::Repeat { node, min, max, .. } => repeat_part(node, *min, *max),
        Node::Concat(parts) => {
            parts.iter().map(texts_of_part).fold(vec![String::new()], |texts, part| join_texts(&texts, &part))
        }
        Node::Alternate(parts) => parts.iter().flat_map(texts_of_part).collect(),
    };
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    sample_texts(texts)
}

fn repeat_part(node: &Node, min: u32, max: Option<u32>) -> Vec<String> {
    let unit = texts_of_part(node);
    let most = max.unwrap_or(min.saturating_add(2)).min(min.saturating_add(2)).min(1000);
    let mut texts = Vec::new();
    for times in [min, min.saturating_add(1), most].into_iter().filter(|times| *times <= most) {
        let longest =
            if times <= min.max(1) { LONGEST } else { LONG.max(usize::try_from(min).unwrap_or(0) + 2) };
        let times = usize::try_from(times).unwrap_or(0);
        let fits = |text: &&String| text.len().saturating_mul(times) <= longest;
        texts.extend(unit.iter().filter(fits).map(|text| text.repeat(times)));
    }
    texts
}

/// The number of characters of the shortest text that a part matches if its anchors allow.
fn shortest_length(node: &Node) -> usize {
    match node {
        Node::Empty | Node::Anchor(_) => 0,
        Node::Literal { .. } | Node::Any { .. } | Node::Class(_) => 1,
        Node::Group { node, .. } => shortest_length(node),
        Node::Repeat { node, min, .. } => {
            shortest_length(node).saturating_mul(usize::try_from(*min).unwrap_or(usize::MAX))
        }
        Node::Concat(parts) => parts.iter().map(shortest_length).fold(0, usize::saturating_add),
        Node::Alternate(parts) => parts.iter().map(shortest_length).min().unwrap_or(0),
    }
}

/// Every text of the left before some of the right, and the reverse.
fn join_texts(left: &[String], right: &[String]) -> Vec<String> {
    let fits = |text: &String| text.len() <= LONGEST;
    if left.len() * right.len() <= MOST {
        return left
            .iter()
            .flat_map(|left| right.iter().map(move |right| format!("{left}{right}")))
            .filter(fits)
            .collect();
    }
    let longest = left.len().max(right.len());
    let pair = |at: usize| {
        let left = left.get(at % left.len())?;
        Some(format!("{left}{}", right.get(at % right.len())?))
    };
    if left.is_empty() || right.is_empty() {
        Vec::new()
    } else {
        (0..longest).filter_map(pair).filter(fits).collect()
    }
}

fn sample_texts(texts: Vec<String>) -> Vec<String> {
    let stride = texts.len().div_ceil(MOST).max(1);
    texts.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_stars_make_short_texts() {
        for depth in [3, 24, 200] {
            let pattern = format!("^{}a{}$", "(".repeat(depth), ")*".repeat(depth));
            let texts = pattern_texts(&RegexPattern(pattern));
            assert!(texts.iter().any(|text| text.len() > 1));
            let most = texts.iter().map(String::len).max();
            assert!(most < Some(3 * LONG), "{depth} {most:?}");
        }
    }

    #[test]
    fn of_an_expression_that_is_slow_to_match_few_texts_are_made() {
        let work = |pattern: &str| {
            let regex = kvrules_regex::parse(pattern).unwrap();
            let bytes: usize = texts_of(&regex).iter().map(String::len).sum();
            (bytes, byte_count(bytes * regex.compile_matcher().unwrap().byte_size()))
        };
        let (bytes, of_slow) = work(r"\pL{1000}");
        // The shortest text and its variants are made in any case.
        assert!((1..20_000).contains(&bytes) && of_slow < 2 * MOST_WORK, "{bytes} {of_slow}");
        let (bytes, of_long) = work("^[a-z0-9.-]{1,253}$");
        assert!(bytes > 500 && of_long < MOST_WORK, "{bytes} {of_long}");
        assert!(pattern_texts(&RegexPattern("^[a-z0-9.-]{1,253}$".to_owned())).len() > 20);
    }

    #[test]
    fn texts_that_must_be_long_are_made_and_longer_ones_are_not() {
        let longest =
            |pattern: &str| pattern_texts(&RegexPattern(pattern.to_owned())).iter().map(String::len).max();
        assert!(longest("^a{1000}$") >= Some(1000));
        assert!(longest("^((a{1000}){1}b{1000}){1}(a{900}){1}c{900}$") >= Some(3800));
        assert_eq!(longest("^a{1000}b{1000}c{1000}d{1000}e{1000}f{1000}$"), None);
        assert!(!is_complete(&RegexPattern("^a{1000}b{1000}c{1000}d{1000}e{1000}f{1000}$".to_owned())));
    }
}
