//! The tokens of an expression, as coarse as brackets and operators need.

/// The tokens of the source with their offsets; blanks are tokens too.
pub(super) fn split_tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let char = rest.chars().next()?;
        let offset = source.len() - rest.len();
        let (token, after) = rest.split_at_checked(token_length(rest, char)).unwrap_or((rest, ""));
        rest = after;
        Some((offset, token))
    })
}

/// Returns the number of bytes of the token that starts here; strings and comments are one token.
fn token_length(rest: &str, char: char) -> usize {
    match char {
        '"' | '\'' => string_length(rest, char, false),
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        'a'..='z' | 'A'..='Z' | '_' => word_length(rest),
        '0'..='9' => run_length(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'.'),
        '&' | '|' | '<' | '>' | '=' | '!' => {
            run_length(rest, |byte| byte == b'=' || char::from(byte) == char)
        }
        _ => char.len_utf8(),
    }
}

/// The number of bytes up to the first that is not of an ASCII token.
fn run_length(rest: &str, is_of_token: impl Fn(u8) -> bool) -> usize {
    rest.bytes().position(|byte| !is_of_token(byte)).unwrap_or(rest.len())
}

/// A name, or a string with a prefix such as `r`.
fn word_length(rest: &str) -> usize {
    let length = run_length(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    let prefix = word.len() <= 2 && word.chars().all(|c| "rRbB".contains(c));
    match after.chars().next() {
        Some(quote @ ('"' | '\'')) if prefix => {
            length + string_length(after, quote, word.contains(['r', 'R']))
        }
        _ => length,
    }
}

fn string_length(rest: &str, quote: char, raw: bool) -> usize {
    let triple = if quote == '"' { "\"\"\"" } else { "'''" };
    let mark = if rest.starts_with(triple) { triple } else { triple.get(..1).unwrap_or(triple) };
    let mut escaped = true; // skips the opening mark
    for (index, char) in rest.char_indices() {
        let closes = index >= mark.len() && !escaped && char == quote;
        if closes && rest.get(index..).is_some_and(|rest| rest.starts_with(mark)) {
            return index + mark.len();
        }
        escaped = index + 1 >= mark.len() && !escaped && !raw && char == '\\';
    }
    quote.len_utf8() // never closed: the parser says so
}
