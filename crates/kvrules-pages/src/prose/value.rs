//! Values and expressions of the author's as code that can be distinguished by eye.

use std::fmt::Write as _;

use kvrules_ir::Scalar;

/// A text as it is, or in quotes with escapes where the bare text would mislead: when it is empty, begins or ends with a
/// blank or a quote, or holds something that cannot be seen.
pub fn text_code(text: &str) -> String {
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c == '"');
    let plain = !edge(text.chars().next()) && !edge(text.chars().next_back()) && !text.contains(is_unseen);
    if plain { text.to_owned() } else { format!("\"{}\"", escape_text(text)) }
}

/// A regular expression; what cannot be seen in it is spelled as the dialect spells it.
pub fn pattern_code(pattern: &str) -> String {
    let spelled = |mut out: String, c: char| {
        match c {
            '\n' => out.push_str(r"\n"),
            '\r' => out.push_str(r"\r"),
            '\t' => out.push_str(r"\t"),
            c if is_unseen(c) => {
                let _ = write!(out, r"\x{{{:X}}}", u32::from(c));
            }
            c => out.push(c),
        }
        out
    };
    match pattern {
        "" => "\"\"".to_owned(),
        // Escapes have no effect between `\Q` and `\E`.
        quoted if quoted.contains(r"\Q") && quoted.contains(is_unseen) => text_code(quoted),
        pattern => {
            let spelled = pattern.chars().fold(String::new(), spelled);
            // A group makes leading and trailing blanks visible.
            if spelled.trim() == spelled { spelled } else { format!("(?:{spelled})") }
        }
    }
}

/// A constant.
pub(crate) fn scalar_code(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Integer(number) => number.to_string(),
        Scalar::Text(text) => text_code(text),
        Scalar::Boolean(truth) => truth.to_string(),
    }
}

/// A text between quotes: quotes, backslashes and what cannot be seen as escapes.
pub(crate) fn escape_text(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '\\' | '"' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unseen(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
        out
    })
}

/// Controls, blanks other than the space, and marks without width that reorder or join what is around them.
fn is_unseen(c: char) -> bool {
    !matches!(c, ' '..='~')
        && (c.is_control()
            || (c.is_whitespace() && c != ' ')
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_cannot_be_read_off_is_quoted() {
        assert_eq!(text_code("virtio"), "virtio");
        assert_eq!(text_code("a b\\c"), "a b\\c");
        assert_eq!(text_code(""), "\"\"");
        assert_eq!(text_code(" a"), "\" a\"");
        assert_eq!(text_code("a\n\u{202e}\\"), "\"a\\n\\u{202e}\\\\\"");
        assert_eq!(text_code("\"a\""), "\"\\\"a\\\"\"");
    }

    #[test]
    fn an_expression_stays_one_that_means_the_same() {
        assert_eq!(pattern_code("^a|b$"), "^a|b$");
        assert_eq!(pattern_code("a\nb\u{feff}"), r"a\nb\x{FEFF}");
        assert_eq!(pattern_code(" a"), "(?: a)");
    }
}
