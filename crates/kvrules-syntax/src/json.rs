//! JSON as people write it inside annotations: parsed strictly, and continued after errors.
//!
//! Every departure from the standard is one [`Problem`](crate::Problem) at the smallest place that shows it, and
//! the value that was plainly meant is kept, so that the rest of the rules can still be checked.

mod container;
mod parser;
mod scalar;
mod string;
mod unescape;

use kvrules_diagnostics::FileId;

use crate::{Document, Notation, ProblemKind, scalar_map::ScalarMap};
use parser::Parser;

/// Reads the one value that the document's text holds.
pub(crate) fn parse_one(document: Document<'_>) -> Document<'_> {
    let mut parser = Parser::new(document, 0);
    if parser.at_end_after_trivia() {
        parser.problem(ProblemKind::JsonEmpty, parser.at..parser.at, "");
    } else {
        parser.value();
        if !parser.at_end_after_trivia() {
            parser.trailing();
        }
    }
    parser.finish()
}

/// Reads a file of JSON values, one behind the other.
pub(crate) fn parse_documents(file: FileId, text: &str, base: u32) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    loop {
        let document = Document::new(file, text.into(), ScalarMap::with_base(base));
        let document = document.written_in(Notation::Json(None));
        let mut parser = Parser::new(document, at);
        if parser.at_end_after_trivia() {
            return documents;
        }
        parser.value();
        let next_begins = !parser.at_end_after_trivia() && parser.peek_is(|c| matches!(c, '{' | '['));
        if !next_begins && !parser.at_end_after_trivia() {
            parser.trailing();
        }
        at = parser.at;
        documents.push(parser.finish());
    }
}
