//! Text of authors in the descriptions of schemas, where it must not be taken for ours.

/// A line of a list: a name and what is said of it.
pub(crate) fn list_entry(name: &str, wording: &str) -> String {
    format!("- {}: {}", as_code(name), one_line(wording))
}

/// A name in backticks. Names with backticks of their own lose them.
pub(crate) fn as_code(name: &str) -> String {
    format!("`{}`", one_line(name).replace('`', "'"))
}

/// Text that means itself where Markdown is read, as in the descriptions of OpenAPI.
pub(crate) fn as_markdown(text: &str) -> String {
    let special = |c: char| r"\`*_<>[]&~|".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Text without line breaks and other control characters, which could begin a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    let parts = text.split(|c: char| c.is_whitespace() || c.is_control());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A noun with its article, at the beginning of a sentence.
pub(crate) fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    format!("{} {}", if vowel { "An" } else { "A" }, one_line(noun))
}
