//! Amounts and lists in sentences.

/// Returns a number with its noun.
///
/// ```
/// use kvrules_diagnostics::count_noun;
///
/// assert_eq!([0, 1, 2].map(|number| count_noun(number, "file")), ["0 files", "1 file", "2 files"]);
/// ```
pub fn count_noun(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns names in backticks as a list: `most` of them, and the number of the others.
///
/// ```
/// use kvrules_diagnostics::quote_names;
///
/// assert_eq!(quote_names(&["a", "b"], 2), "`a`, `b`");
/// assert_eq!(quote_names(&["a", "b", "c"], 2), "`a`, `b` and 1 more");
/// ```
pub fn quote_names<T: AsRef<str>>(names: &[T], most: usize) -> String {
    let shown: Vec<_> = names.iter().take(most).map(|name| format!("`{}`", name.as_ref())).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns words as a list in a sentence, with a conjunction before the last.
///
/// ```
/// use kvrules_diagnostics::join_words;
///
/// assert_eq!(join_words(&["a", "b", "c"], "or"), "a, b or c");
/// assert_eq!(join_words(&["a"], "or"), "a");
/// ```
pub fn join_words<T: AsRef<str>>(words: &[T], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {conjunction} {last}", others.join(", ")),
        None => String::new(),
    }
}
