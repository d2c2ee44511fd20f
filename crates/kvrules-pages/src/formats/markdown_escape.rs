//! Escapes text of any author for Markdown.

use std::fmt::Write as _;

/// Words on one line. `starts` says that nothing stands before them, so that they may come to begin a line.
pub(super) fn escape_text(text: &str, starts: bool) -> String {
    let one_line = crate::prose::one_line(text);
    let one_line = if starts { one_line.trim_start() } else { &one_line };
    let mut out = String::with_capacity(one_line.len() + 8);
    let mut rest = one_line;
    if starts {
        let (marker, after) = split_marker(rest);
        out.push_str(&marker);
        rest = after;
    }
    let mut chars = rest.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // mdBook, Jekyll and others read `{{` and `{%` before Markdown does; mdBook reads `{#` in headings.
            '{' | '}' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '&' if chars.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '#') => {
                out.push_str("&amp;");
            }
            '_' if is_word(before) && is_word(chars.peek().copied()) => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#' | '^' | '=' => out.extend(['\\', c]),
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// Splits off what would make the line a list item, a heading's underline or a definition, and defuses it.
fn split_marker(text: &str) -> (String, &str) {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at_checked(digits).unwrap_or((text, ""));
    let mut chars = rest.chars();
    match chars.next() {
        Some(c @ ('.' | ')')) if digits > 0 && ends_word(chars.as_str()) => {
            (format!("{number}\\{c}"), chars.as_str())
        }
        Some(c @ ('-' | '+' | ':')) if digits == 0 => (format!("\\{c}"), chars.as_str()),
        _ => (number.to_owned(), rest),
    }
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

/// Between two of these an underscore is only an underscore.
fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric())
}

/// Returns code in a line of Markdown.
pub fn escape_code(code: &str) -> String {
    let code = &*crate::prose::show_marks(code);
    // Characters in backticks cannot be escaped, so code that other tools expand before Markdown is written as
    // HTML.
    if is_read_by_others(code) {
        return format!("<code>{}</code>", encode_entities(code));
    }
    let fence = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{code}{pad}{fence}")
}

/// True if a template language that runs before Markdown would read this as its own.
pub(super) fn is_read_by_others(code: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| code.contains(mark))
}

fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns code with all punctuation as entities of HTML.
pub fn encode_entities(code: &str) -> String {
    code.chars().fold(String::new(), |mut out, c| {
        if c.is_ascii_punctuation() {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_any_run_inside() {
        assert_eq!(escape_code("a"), "`a`");
        assert_eq!(escape_code("a``b`"), "``` a``b` ```");
        assert_eq!(escape_code("{{a}}"), "<code>&#123;&#123;a&#125;&#125;</code>");
    }

    #[test]
    fn ordinary_words_stay_as_they_are() {
        let plain = "This VM requires more memory (at least 2 GiB), snake_case & co. - 1.5!";
        assert_eq!(escape_text(plain, true), plain);
    }

    #[test]
    fn what_opens_a_block_does_so_no_longer() {
        assert_eq!(escape_text("- a", true), "\\- a");
        assert_eq!(escape_text("12. a", true), "12\\. a");
        assert_eq!(escape_text("1.5 a", true), "1.5 a");
        assert_eq!(escape_text("# a", true), "\\# a");
        assert_eq!(escape_text("> a", true), "&gt; a");
        assert_eq!(escape_text("a\n\n- b", true), "a - b");
    }
}
