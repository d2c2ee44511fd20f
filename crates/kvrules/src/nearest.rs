//! Did you mean?

/// The candidate that is spelled most like `word`, when one is near enough to be meant.
///
/// ```
/// use kvrules::config::nearest;
/// assert_eq!(nearest("opnapi", ["cel", "openapi"]), Some("openapi"));
/// assert_eq!(nearest("xml", ["cel", "openapi"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let word = plain(word);
    let scored = candidates.into_iter().map(|candidate| {
        let candidate_plain = plain(candidate);
        // Where one is the beginning of the other, as `rst` is not but `open` is, a prefix is as good as a slip.
        let begun = word.len() >= 3 && candidate_plain.starts_with(&word);
        let score = if begun { 1.0 } else { strsim::normalized_damerau_levenshtein(&word, &candidate_plain) };
        (score, candidate)
    });
    let near = scored.filter(|(score, _)| *score >= 0.6);
    near.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, candidate)| candidate)
}
