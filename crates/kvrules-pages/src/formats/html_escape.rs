//! Text as a part of HTML.

use kvrules_diagnostics::render::needs_escape;

/// Text in HTML. Controls, which have no place there, become blanks, and marks that turn the direction of text escapes.
pub(super) fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    add_escaped(&mut out, text);
    out
}

/// Adds text to HTML.
pub(super) fn add_escaped(out: &mut String, text: &str) {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let escaped = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&#39;",
            '\n' => continue,
            c if c.is_control() => " ",
            c if needs_escape(c) => "",
            _ => continue,
        };
        out.push_str(text.get(start..at).unwrap_or_default());
        if escaped.is_empty() {
            out.extend(c.escape_default());
        }
        out.push_str(escaped);
        start = at + c.len_utf8();
    }
    out.push_str(text.get(start..).unwrap_or_default());
}
