//! `concise`: one line a finding, `file:line:column: level[code] message`.
//!
//! The form that compilers have always used, so editors can jump to it and `grep` can count it. Labels and help
//! are left to the other formats.

use std::fmt::Write as _;

use super::escape;
use super::source_location::SourceLocation;
use crate::{Diagnostic, Sources};

pub(super) fn render_concise(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().fold(String::new(), |mut out, diagnostic| {
        if let Some(SourceLocation { file, start, .. }) =
            SourceLocation::from_span(diagnostic.primary.span, sources)
        {
            let _ = write!(
                out,
                "{}:{}:{}: ",
                escape::escape_line(file),
                start.position.line,
                start.position.column
            );
        }
        let Diagnostic { code, level, message, .. } = diagnostic;
        let _ = writeln!(out, "{}[{code}] {}", level.as_str(), escape::escape_line(message));
        out
    })
}
