//! Escapes text of any author for reStructuredText.

/// Words on one line. `starts` says that nothing stands before them, so that they may come to begin a block.
pub(super) fn escape_text(text: &str, starts: bool) -> String {
    let one_line = crate::prose::one_line(text);
    let one_line = if starts { one_line.trim_start() } else { &one_line };
    let mut out = String::new();
    if starts && opens_block(one_line) {
        out.push('\\');
    }
    let mut chars = one_line.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        let is_first_escaped = out == "\\" && before.is_none();
        let special = match c {
            '\\' | '`' | '*' | '|' => true,
            // A word that ends with `_` is a reference; inside a word it is only an underscore.
            '_' => !chars.peek().is_some_and(char::is_ascii_alphanumeric),
            // `::` at the end of a paragraph announces a literal block.
            ':' => before == Some(':'),
            _ => false,
        };
        if special && !is_first_escaped {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    // A line of one mark alone is a heading's underline.
    let is_line = out.starts_with('\\') && out.trim_end().chars().all(|c| c == '\\');
    if starts && is_line { format!("\\ {out}") } else { out }
}

/// Words within markup, where nothing may close it.
pub(super) fn escape_inside(words: &str) -> String {
    crate::prose::one_line(words).chars().fold(String::new(), |mut out, c| {
        if matches!(c, '\\' | '`' | '*' | '|' | '_' | '<' | '>') {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

/// True if a line that begins like this may be read as a list item, a directive, a field or another block.
fn opens_block(line: &str) -> bool {
    let is_number = |word: &str| {
        let is_roman = |c: char| matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x' | 'l' | 'c' | 'd' | 'm');
        let is_letter = word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic());
        is_letter || word.chars().all(|c| c.is_ascii_digit()) || word.chars().all(is_roman)
    };
    let first = line.split(' ').next().unwrap_or_default();
    let enumerates = first.strip_suffix(['.', ')']).is_some_and(is_number);
    enumerates || line.starts_with(|c: char| c.is_ascii_punctuation() || matches!(c, '•' | '‣' | '⁃'))
}

/// Code on one line.
pub(super) fn escape_code(code: &str) -> String {
    let code = crate::prose::show_marks(code);
    let code = crate::prose::one_line(&code);
    let code = code.trim();
    if code.is_empty() {
        return String::new();
    }
    // Inline literals have no escapes. The role `literal` can express backticks that would end a literal early.
    let breaks = code.starts_with('`') || code.ends_with('`') || code.contains("``");
    if !breaks {
        return format!("``{code}``");
    }
    let escaped: String = code
        .chars()
        .flat_map(|c| matches!(c, '\\' | '`').then_some('\\').into_iter().chain(std::iter::once(c)))
        .collect();
    format!(":literal:`{escaped}`")
}

/// True if code may stand directly after what has been written.
pub(super) fn may_precede_code(written: &str) -> bool {
    written.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(')
}

/// True if text may stand directly after code.
pub(super) fn may_follow_code(text: &str) -> bool {
    text.chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_stay_as_they_are() {
        let plain = "This VM requires more memory (at least 2 GiB), snake_case & co. - 1.5!";
        assert_eq!(escape_text(plain, true), plain);
    }

    #[test]
    fn what_opens_a_block_does_so_no_longer() {
        assert_eq!(escape_text(".. note:: a", true), "\\.. note:\\: a");
        assert_eq!(escape_text("1. a", true), "\\1. a");
        assert_eq!(escape_text("*a*", true), "\\*a\\*");
        assert_eq!(escape_text("a_ b__", false), "a\\_ b\\_\\_");
        assert_eq!(escape_text("a\u{85}b\u{2028}::", false), "a b :\\:");
    }

    #[test]
    fn code_with_backticks_takes_the_role() {
        assert_eq!(escape_code("a`b"), "``a`b``");
        assert_eq!(escape_code("`a\\"), ":literal:`\\`a\\\\`");
    }
}
