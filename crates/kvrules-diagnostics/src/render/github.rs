//! `github`: workflow commands, which GitHub Actions shows next to the changed lines.
//!
//! A command is one line, `::level key=value,…::message`; the documentation of the workflow commands gives the
//! escapes. Columns are left out where a finding spans lines: the runner refuses them there.

use std::fmt::Write as _;

use super::escape;
use super::source_location::SourceLocation;
use crate::{Diagnostic, Level, Sources};

pub(super) fn render_github(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().fold(String::new(), |mut out, diagnostic| {
        write_command(&mut out, diagnostic, SourceLocation::from_span(diagnostic.primary.span, sources));
        out
    })
}

fn write_command(out: &mut String, diagnostic: &Diagnostic, place: Option<SourceLocation<'_>>) {
    let word = match diagnostic.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let _ = write!(out, "::{word} ");
    if let Some(SourceLocation { file, start, end }) = place {
        let (start, end) = (start.position, end.position);
        // A span that includes the line break ends at column 1 of the next line, which is not part of it.
        let whole = end.column == 1 && end.line > start.line;
        let last = end.line - u32::from(whole);
        let _ = write!(out, "file={},line={},endLine={last},", escape_property(file), start.line);
        if start.line == last {
            let _ = write!(out, "col={},", start.column);
        }
        if start.line == end.line {
            let _ = write!(out, "endColumn={},", end.column);
        }
    }
    let _ = write!(out, "title={}::{}", escape_property(diagnostic.code), escape_data(&diagnostic.message));
    if let Some(help) = &diagnostic.help {
        let _ = write!(out, "%0Ahelp: {}", escape_data(help));
    }
    out.push('\n');
}

/// The text after the second `::`.
fn escape_data(text: &str) -> String {
    let escaped: String = text.split_inclusive(['\r', '\n']).flat_map(harmless).collect();
    // The percent sign goes first, or the escapes themselves would be escaped.
    escaped.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A part that may end with a line break, which has an escape of its own: the log that holds the command is read at terminals.
fn harmless(part: &str) -> [String; 2] {
    let text = part.trim_end_matches(['\r', '\n']);
    [escape::escape_line(text).into_owned(), part.get(text.len()..).unwrap_or_default().to_owned()]
}

/// The value of a property, where a colon or a comma would end it.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_colons_and_commas_but_no_line_break() {
        assert_eq!(escape_data("50 %: a, b\r\nc"), "50 %25: a, b%0D%0Ac");
    }

    #[test]
    fn a_log_is_not_moved_about_in() {
        assert_eq!(escape_data("a\u{1b}[2J\n\u{202e}b\tc"), "a\\u{1b}[2J%0A\\u{202e}b\\tc");
    }

    #[test]
    fn a_property_has_no_colon_and_no_comma() {
        assert_eq!(escape_property("C:\\a,b\n100%"), "C%3A\\a%2Cb%0A100%25");
    }

    #[test]
    fn an_escape_in_the_text_is_escaped_once() {
        assert_eq!(escape_data("%0A"), "%250A");
        assert_eq!(escape_property("%3A"), "%253A");
    }
}
