//! Strings similar to those that rules require.

use kvrules_ir::ValueType;

use super::candidate::Candidate;

/// Texts that are worth asking about anywhere.
pub(super) fn usual_texts() -> impl Iterator<Item = &'static str> {
    ["", "x", "é"].into_iter()
}

/// The number of texts that [`similar_texts`] makes of one.
pub(super) const NEAR: usize = 7;

/// A text and those that an engine could take for it.
pub(super) fn similar_texts(text: &str) -> Vec<String> {
    let swapped = |c: char| -> Vec<char> {
        if c.is_lowercase() { c.to_uppercase().collect() } else { c.to_lowercase().collect() }
    };
    let mut shorter = text.chars();
    shorter.next_back();
    vec![
        text.to_owned(),
        text.chars().flat_map(swapped).collect(),
        shorter.as_str().to_owned(),
        format!("{text}x"),
        format!("x{text}"),
        format!("{text} "),
        format!("{text}\n"),
    ]
}

/// Texts of these lengths, in one byte, two bytes and two units of UTF-16 a character.
pub(super) fn of_lengths(lengths: &[usize], value_type: ValueType) -> Vec<String> {
    let letters = match value_type {
        ValueType::Quantity | ValueType::Integer | ValueType::Number => ["1", "2", "9"],
        _ => ["x", "é", "😀"],
    };
    let digits = |length: &usize| (*length < 18).then(|| "1".repeat(*length));
    let signed = |length: &usize| (1..18).contains(length).then(|| format!("-{}", "1".repeat(*length - 1)));
    let mixed = lengths.iter().flat_map(|length| [digits(length), signed(length)]).flatten();
    lengths.iter().flat_map(|length| letters.map(|letter| letter.repeat(*length))).chain(mixed).collect()
}

/// A text with its last character repeated up to a length.
pub(super) fn pad_text(text: &str, length: usize) -> String {
    let last = text.chars().next_back().unwrap_or('x');
    let more = length.saturating_sub(text.chars().count());
    text.chars().chain(std::iter::repeat_n(last, more)).collect()
}

/// A text where a time belongs.
pub(super) fn time_candidate(text: &str) -> Candidate {
    let is_moment = text.len() == 20 && text.ends_with('Z') && text.get(10..11) == Some("T");
    if is_moment { Candidate::new(text) } else { Candidate::in_files(text) }
}
