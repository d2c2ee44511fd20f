//! CEL with the classes of its words, for styles to colour. Text that is invalid CEL stays the same text.

use super::html_escape::escape_html;

/// Values that an expression is given, and the words of the language.
const WORDS: [&str; 14] = [
    "self",
    "oldSelf",
    "object",
    "oldObject",
    "request",
    "params",
    "namespaceObject",
    "authorizer",
    "variables",
    "true",
    "false",
    "null",
    "in",
    "has",
];

/// Returns CEL as a block, its strings, numbers, words, calls and comments in elements of their own.
pub(super) fn highlight_cel(text: &str) -> String {
    let mut out = String::from("<pre class=\"cel\"><code>");
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, class) = next_token(rest, first);
        let (token, after) = rest.split_at(length);
        let token = escape_html(token);
        match class {
            Some(class) => out.extend(["<span class=\"", class, "\">", &token, "</span>"]),
            None => out.push_str(&token),
        }
        rest = after;
    }
    out + "</code></pre>"
}

/// The length of the next token in bytes, and its class.
fn next_token(text: &str, first: char) -> (usize, Option<&'static str>) {
    match first {
        '"' | '\'' => (string_length(text, first), Some("s")),
        '/' if text.starts_with("//") => (text.find('\n').unwrap_or(text.len()), Some("c")),
        '0'..='9' => (run_length(text, |c| c.is_ascii_alphanumeric() || c == '.'), Some("n")),
        c if c.is_ascii_alphabetic() || c == '_' => {
            let length = run_length(text, |c| c.is_ascii_alphanumeric() || c == '_');
            let (word, after) = text.split_at(length);
            let class = match word {
                word if WORDS.contains(&word) => Some("k"),
                _ if after.starts_with('(') => Some("f"),
                _ => None,
            };
            (length, class)
        }
        c => (c.len_utf8(), None),
    }
}

fn run_length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// The length of a string with its quotes; without an end, to the end of the line.
fn string_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_words_calls_and_comments_have_classes() {
        let code = highlight_cel("has(self.a) && self.b.startsWith('<\\'x') // 1\n|| n > 10u");
        assert_eq!(
            code,
            "<pre class=\"cel\"><code><span class=\"k\">has</span>(<span class=\"k\">self</span>.a) &amp;&amp; <span \
             class=\"k\">self</span>.b.<span class=\"f\">startsWith</span>(<span \
             class=\"s\">&#39;&lt;\\&#39;x&#39;</span>) <span class=\"c\">// 1</span>\n|| n &gt; <span \
             class=\"n\">10u</span></code></pre>"
        );
        assert_eq!(
            highlight_cel("'a\nb"),
            "<pre class=\"cel\"><code><span class=\"s\">&#39;a</span>\nb</code></pre>"
        );
    }
}
