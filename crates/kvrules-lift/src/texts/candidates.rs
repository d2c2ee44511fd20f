//! Texts that are likely to meet conditions: to try them is much cheaper than to search automata.

use super::{TextConditions, TextSet};

/// Texts that many patterns accept.
const USUAL: [&str; 12] = ["", "a", "A", "0", "/", "-", "a-b", "a.b", "a/b", "a b", "10", "1Gi"];

/// The most characters that are put into a text to make it long enough.
const LONGEST_FILL: usize = 4096;

/// Returns texts that may meet conditions: texts of the sets alone, and put together.
pub(super) fn likely_texts(conditions: &TextConditions<TextSet>) -> Vec<String> {
    let (mut start, mut end, mut middle, mut whole) = ("", "", String::new(), Vec::new());
    for set in &conditions.inside {
        match set {
            TextSet::StartsWith(text) if text.len() > start.len() => start = text,
            TextSet::EndsWith(text) if text.len() > end.len() => end = text,
            TextSet::Contains(text) if !middle.contains(text.as_str()) => middle.push_str(text),
            TextSet::Pattern(pattern) => whole.extend(kvrules_generate::text_matching(pattern)),
            _ => {}
        }
    }
    let least = conditions.length.0;
    let filled = |fill: &str| {
        let length = [start, &middle, end].iter().map(|part| part.chars().count()).sum::<usize>();
        let fill = fill.repeat(least.saturating_sub(length).min(LONGEST_FILL));
        format!("{start}{middle}{fill}{end}")
    };
    let around = |text: &str| format!("{start}{text}{middle}{end}");
    let mut texts = vec![filled("a"), filled("0"), filled("-")];
    // Patterns that are not anchored at both ends may meet in one text.
    if whole.len() > 1 {
        texts.push(around(&whole.concat()));
    }
    for text in &whole {
        texts.extend([text.clone(), around(text), format!("{text}{middle}{end}"), format!("{start}{text}")]);
    }
    texts.extend(USUAL.iter().map(|text| around(text)));
    texts
}
