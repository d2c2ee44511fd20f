//! Small helps for wording.

use kvrules_diagnostics::most_alike;

use crate::schema_review::ROOT;

/// Least similarity of two words for a suggestion. Names of fields are short, and the beginning of one is often a name
/// of its own.
const LIKE: f64 = 0.65;

/// Number of words that are compared for a suggestion. Nothing that people write has more at one place.
const CANDIDATES: usize = 256;

/// Number of characters of user text that a message shows.
const SHOWN: usize = 60;

/// A text of the author in backticks, on one line and not too long.
pub(crate) fn backtick_text(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", line.get(..end).unwrap_or_default()),
        None => format!("`{line}`"),
    }
}

/// A number with commas between its thousands, as budgets are written.
pub fn format_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a part of a budget in per cent, with as many digits as help.
///
/// ```
/// use kvrules_crd::share_percent;
/// assert_eq!([0, 1, 123, 1000].map(|cost| share_percent(cost, 10_000)), ["0 %", "<0.1 %", "1.2 %", "10.0 %"]);
/// ```
pub fn share_percent(cost: u64, limit: u64) -> String {
    // In tenths of a percent.
    let tenths = u128::from(cost) * 1000 / u128::from(limit.max(1));
    match tenths {
        0 if cost > 0 => "<0.1 %".to_owned(),
        0 => "0 %".to_owned(),
        tenths if tenths > 100_000 => "over 10,000 %".to_owned(),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// The label with what the server says; empty if it has no words, since the type of its error says it all.
pub(crate) fn server_words(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("the server says `{}`", words.replace('`', "'")) }
}

/// The words of the server on one line, with the author's texts in backticks instead of quotation marks.
pub(crate) fn backtick_quotes(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    let mut inside = false;
    let chars: Vec<char> = line.chars().collect();
    for (index, char) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| chars.get(at));
        let opens = before.is_none_or(|before| !before.is_alphanumeric());
        match char {
            '"' => text.push('`'),
            // An apostrophe stands behind a letter.
            '\'' if inside || opens => {
                inside = !inside;
                text.push('`');
            }
            char => text.push(*char),
        }
    }
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let text = if is_paired { text } else { text.replace('`', "") };
    text.trim_end_matches('.').to_owned()
}

/// `did you mean …?`, where something is near enough.
pub(crate) fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    let candidates = candidates.into_iter().take(CANDIDATES).map(|candidate| (candidate, candidate));
    most_alike(word, LIKE, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Number of characters of the server's text that are shown.
const MOST_SHOWN: usize = 200;

/// The words of the server on one line.
pub(crate) fn to_one_line(words: &str) -> String {
    let mut line = without_root(&words.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some((end, _)) = line.char_indices().nth(MOST_SHOWN) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Shows the root of a schema by its own name. What the server itself calls `version.schema.openAPIV3Schema` stays.
fn without_root(words: &str) -> String {
    let mut parts = words.split(ROOT);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_quoted = shown.ends_with('.');
        shown.push_str(if is_quoted { ROOT } else { "openAPIV3Schema" });
        shown.push_str(part);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_between_thousands() {
        assert_eq!([0, 999, 1000, 12_345_678].map(format_thousands), ["0", "999", "1,000", "12,345,678"]);
    }

    #[test]
    fn quotation_marks_become_backticks_and_apostrophes_stay() {
        assert_eq!(backtick_quotes("isn't 'a b' of \"c\"."), "isn't `a b` of `c`");
    }
}
