//! Did you mean?

use crate::sentences::quote_names;

/// Minimum similarity of a suggestion.
const LIKE: f64 = 0.6;

/// The candidate with the most similar spelling, if it is similar enough for a suggestion. Of equals the first.
///
/// Letter case, white space and separators do not count, and the beginning of a candidate is as good as a slip. A candidate
/// that the word begins with, as `max` in `maximum`, is near when nothing is nearer. The word itself is never suggested.
///
/// ```
/// use kvrules_diagnostics::find_nearest;
/// assert_eq!(find_nearest("opnapi", ["cel", "openapi"]), Some("openapi"));
/// assert_eq!(find_nearest("restr", ["markdown", "restructuredtext"]), Some("restructuredtext"));
/// assert_eq!(find_nearest("maximum", ["min", "max"]), Some("max"));
/// assert_eq!(find_nearest("xml", ["cel", "openapi"]), None);
/// ```
pub fn find_nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // A suggestion must differ from the word itself.
    let candidates = candidates.into_iter().filter(|candidate| *candidate != word);
    let word = normalize_word(word);
    let score = |candidate: &str| {
        let candidate = normalize_word(candidate);
        if word.len() >= 3 && candidate.starts_with(&word) {
            return 1.0;
        }
        let longer =
            candidate.len() >= 3 && word.len() <= 3 * candidate.len() && word.starts_with(&candidate);
        let alike = word_similarity(&word, &candidate, LIKE);
        if longer { alike.max(LIKE) } else { alike }
    };
    first_best(LIKE, candidates.map(|candidate| (score(candidate), candidate)))
}

/// Returns the suggestion of the nearest candidate, if there is one.
///
/// ```
/// use kvrules_diagnostics::suggest_nearest;
/// assert_eq!(suggest_nearest("opnapi", ["cel", "openapi"]).as_deref(), Some("did you mean `openapi`?"));
/// ```
pub fn suggest_nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    find_nearest(word, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Returns the suggestion of the nearest name, or of all.
///
/// ```
/// use kvrules_diagnostics::suggest_name;
/// assert_eq!(suggest_name("xml", &["cel", "openapi"]), "known: `cel`, `openapi`");
/// ```
pub fn suggest_name(word: &str, known: &[&str]) -> String {
    let listed = || format!("known: {}", quote_names(known, known.len()));
    suggest_nearest(word, known.iter().copied()).unwrap_or_else(listed)
}

/// The choice whose text is spelled most like `word`, of those that reach `least`, from 0 to 1 for the same. Of equals the
/// first.
///
/// ```
/// use kvrules_diagnostics::most_alike;
/// assert_eq!(most_alike("cpu_polcy", 0.8, [("cpu_policy", 1), ("cpu_quota", 2)]), Some(1));
/// assert_eq!(most_alike("policy", 0.8, [("cpu_policy", 1)]), None);
/// ```
pub fn most_alike<'c, T>(
    word: &str,
    least: f64,
    choices: impl IntoIterator<Item = (&'c str, T)>,
) -> Option<T> {
    let may_reach = |text: &str| text != word && length_similarity(word, text) >= least;
    let mut choices = choices.into_iter().filter(|(text, _)| may_reach(text)).peekable();
    // Nearly all words differ too much in length: the annotations of each template are compared with the name of ours.
    choices.peek()?;
    let word = normalize_word(word);
    let score = |text: &str| word_similarity(&word, &normalize_word(text), least);
    first_best(least, choices.map(|(text, choice)| (score(text), choice)))
}

/// An upper bound of the similarity of two words by their lengths: each edit changes a length by one at the most.
fn length_similarity(word: &str, other: &str) -> f64 {
    if !(word.is_ascii() && other.is_ascii()) {
        return 1.0;
    }
    let length = |text: &str| text.bytes().filter(|byte| is_counted(char::from(*byte))).count();
    let (one, other) = (length(word), length(other));
    let longest = one.max(other).max(1);
    1.0 - as_f64(one.abs_diff(other)) / as_f64(longest)
}

/// True for the characters that count in comparisons.
fn is_counted(letter: char) -> bool {
    !matches!(letter, '-' | '_' | ' ' | '\t' | '\n')
}

/// Returns the similarity of two words, from 0 to 1 for the same; 0 if certainly below `least`. Nearly all pairs are,
/// and counting their letters shows it in a fraction of the time: each template's annotations are compared with the
/// name of ours.
fn word_similarity(word: &str, candidate: &str, least: f64) -> f64 {
    let longest = word.chars().count().max(candidate.chars().count());
    if 1.0 - fewest_edits(word, candidate) / as_f64(longest.max(1)) < least {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(word, candidate)
}

/// No fewer edits make one word of the other: each replaces, adds or takes away one letter, or exchanges two.
fn fewest_edits(word: &str, candidate: &str) -> f64 {
    // Letters modulo 64 share a counter. That can only lower the result, which is a lower bound.
    let mut counts = [0_i32; 64];
    for (text, step) in [(word, 1), (candidate, -1)] {
        for letter in text.chars() {
            if let Some(count) = counts.get_mut(letter as usize % 64) {
                *count += step;
            }
        }
    }
    let more: i32 = counts.iter().filter(|count| **count > 0).sum();
    let less: i32 = counts.iter().filter(|count| **count < 0).sum();
    f64::from(more.max(-less))
}

/// A length as `strsim` computes with it.
#[expect(clippy::cast_precision_loss, reason = "words are short")]
fn as_f64(length: usize) -> f64 {
    length as f64
}

/// Returns the characters of a word that count.
fn normalize_word(text: &str) -> String {
    if text.is_ascii() {
        return text
            .chars()
            .filter(|letter| is_counted(*letter))
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
    }
    text.to_lowercase().chars().filter(|letter| is_counted(*letter)).collect()
}

fn first_best<T>(least: f64, scored: impl Iterator<Item = (f64, T)>) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for (score, choice) in scored.filter(|(score, _)| *score >= least) {
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, choice));
        }
    }
    best.map(|(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_that_are_passed_over_are_unlike(one in "[abcé-]{0,9}", other in "[abcé-]{0,9}", least in 0.0..1.0) {
            let alike = strsim::normalized_damerau_levenshtein(&one, &other);
            let similarity = word_similarity(&one, &other, least);
            let is_same = (similarity - alike).abs() < f64::EPSILON;
            prop_assert!(is_same || (similarity <= 0.0 && alike < least), "{similarity} {alike}");
            let (one_word, other_word) = (normalize_word(&one), normalize_word(&other));
            let alike = strsim::normalized_damerau_levenshtein(&one_word, &other_word);
            prop_assert!(length_similarity(&one, &other) >= alike, "{one} {other}");
        }
    }

    #[test]
    fn annotations_of_others_are_passed_over() {
        let most = 0.2 * as_f64("vm.kubevirt.io/validations".len());
        for key in ["openshift.io/display-name", "template.kubevirt.io/version", "iconClass", "tags"] {
            assert!(fewest_edits(key, "vm.kubevirt.io/validations") > most, "{key}");
        }
    }
}
