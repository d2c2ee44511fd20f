//! Did you mean?

/// The candidate that is spelled most like the word, when one is near enough to be meant. Of equals the first.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    best(word, 0.6, candidates.into_iter().map(|candidate| (candidate, candidate)))
}

/// The choice whose text is most like the word, of those that reach `least` (0 to 1). Of equals the first.
pub(super) fn best<'c, T>(
    word: &str,
    least: f64,
    choices: impl IntoIterator<Item = (&'c str, T)>,
) -> Option<T> {
    let plain = |text: &str| text.trim().to_lowercase().replace('-', "_");
    let word = plain(word);
    let mut best: Option<(f64, T)> = None;
    for (text, choice) in choices {
        let score = strsim::normalized_damerau_levenshtein(&word, &plain(text));
        if score >= least && best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, choice));
        }
    }
    best.map(|(_, choice)| choice)
}
