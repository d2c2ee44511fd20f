//! YAML events into documents.

mod input;
mod libyaml;
mod reader;
mod repair;

use std::borrow::Cow;

use kvrules_diagnostics::FileId;
use saphyr_parser::Parser;

use crate::{Document, ProblemKind, offset::to_offset};
use input::TextInput;
use libyaml::OverwrittenScalar;
use reader::Reader;
use repair::IndentationRepair;

/// Limit on repairs of indentation in one document before it is given up.
const MAX_REPAIRS: usize = 64;

/// Reads all YAML documents of a text that is at offset `base` of its file.
///
/// If a document cannot be read to its end, what was read is kept, a problem reports where it stopped, and reading
/// goes on at the next `---`.
pub fn parse_yaml(file: FileId, text: &str, base: u32) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let ascii = text.is_ascii();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let base = base.saturating_add(to_offset(at));
        let region = InputText { text: rest, ascii };
        let Err(stop) = read_documents(file, region, base, TextChanges::default(), &mut documents) else {
            break;
        };
        at += read_again(file, rest, base, *stop, &mut documents);
    }
    documents
}

/// State of the parser at an error: its position, and what it had read of the document.
struct ParserStop<'s> {
    partial: Document<'s>,
    /// Offset of the document's first byte.
    begin: usize,
    /// Offset just past the last event.
    reached: usize,
    /// Offset of the error.
    error: usize,
    info: String,
}

/// A text to read.
#[derive(Clone, Copy)]
struct InputText<'s> {
    text: &'s str,
    /// True if the text is known to be ASCII; determined once for a whole file.
    ascii: bool,
}

/// Changes of a text relative to the file, byte for byte.
#[derive(Clone, Copy, Debug, Default)]
struct TextChanges<'r> {
    /// Values that were blanked.
    repairs: &'r [IndentationRepair],
    /// Scalars that were overwritten.
    scalars: &'r [OverwrittenScalar],
}

/// Reads documents until the end or the first error.
fn read_documents<'s>(
    file: FileId,
    text: InputText<'s>,
    base: u32,
    changes: TextChanges<'_>,
    documents: &mut Vec<Document<'s>>,
) -> Result<(), Box<ParserStop<'s>>> {
    let mut reader = Reader::new(file, text, base, changes);
    for event in Parser::new(TextInput::new(text.text)) {
        match event {
            Ok((event, span)) => documents.extend(reader.event(event, span)),
            Err(error) => {
                let (begin, reached) = (reader.begin, reader.reached);
                let at = reader.offset(error.marker().index());
                let kind = problem_kind(error.info());
                let partial = reader.give_up(kind, at, error.info());
                let info = error.info().to_owned();
                return Err(Box::new(ParserStop { partial, begin, reached, error: at, info }));
            }
        }
    }
    Ok(())
}

fn problem_kind(info: &str) -> ProblemKind {
    if info.contains("recursion limit") { ProblemKind::TooDeep } else { ProblemKind::Yaml }
}

/// Reads the document that stopped once more: with the layouts that libyaml reads, and with accidents of indentation
/// undone. If it still stops, what was read is kept.
///
/// Returns the offset where the next document begins.
fn read_again<'s>(
    file: FileId,
    text: &'s str,
    base: u32,
    stop: ParserStop<'s>,
    documents: &mut Vec<Document<'s>>,
) -> usize {
    let begin = stop.begin;
    let end = next_document(text, stop.reached.max(stop.error));
    let Some(original) = text.get(begin..end) else {
        documents.push(stop.partial);
        return next_document(text, stop.reached);
    };
    let base = base.saturating_add(to_offset(begin));
    let (mut reached, mut halt) = (stop.reached, ParseError { info: stop.info, error: stop.error - begin });
    let mut partial = vec![stop.partial];
    let (mut rewritten, mut scalars) = (original.to_owned(), Vec::new());
    if let Some(overlay) = libyaml::build_overlay(original) {
        match read_changed(
            file,
            original,
            &overlay.text,
            base,
            TextChanges { repairs: &[], scalars: &overlay.scalars },
        ) {
            Ok(whole) => {
                documents.extend(whole);
                return end;
            }
            Err(further) if further.halt.error > halt.error => {
                (halt, reached) = (further.halt, begin + further.reached);
                partial = further.partial;
                (rewritten, scalars) = (overlay.text, overlay.scalars);
            }
            Err(_) => {}
        }
    }
    if let Some(whole) = read_repaired(file, original, rewritten, base, &scalars, halt) {
        documents.extend(whole);
        return end;
    }
    documents.extend(partial);
    next_document(text, reached)
}

/// Error of a rewritten text.
struct ParseError {
    info: String,
    error: usize,
}

/// Result of reading a rewritten text until its error.
struct PartialRead<'s> {
    halt: ParseError,
    reached: usize,
    partial: Vec<Document<'s>>,
}

/// Reads a text as `rewritten`. The documents refer to the text as it is written.
fn read_changed<'s>(
    file: FileId,
    text: &'s str,
    rewritten: &str,
    base: u32,
    changes: TextChanges<'_>,
) -> Result<Vec<Document<'s>>, PartialRead<'s>> {
    let mut documents = Vec::new();
    let result =
        read_documents(file, InputText { text: rewritten, ascii: false }, base, changes, &mut documents);
    let mut read: Vec<_> = documents.into_iter().map(|document| referring_to(text, document)).collect();
    result.map_or_else(
        |stop| {
            let ParserStop { partial, reached, error, info, .. } = *stop;
            read.push(referring_to(text, partial));
            Err(PartialRead { halt: ParseError { info, error }, reached, partial: std::mem::take(&mut read) })
        },
        |()| Ok(()),
    )?;
    Ok(read)
}

/// Undoes accidents of indentation until the text can be read.
fn read_repaired<'s>(
    file: FileId,
    text: &'s str,
    mut rewritten: String,
    base: u32,
    scalars: &[OverwrittenScalar],
    mut halt: ParseError,
) -> Option<Vec<Document<'s>>> {
    let mut repairs: Vec<IndentationRepair> = Vec::new();
    while repairs.len() < MAX_REPAIRS {
        let repair = repair::find_repair(&rewritten, &halt.info, halt.error)?;
        repair.blank(&mut rewritten);
        repairs.push(repair);
        repairs.sort_by_key(|repair| repair.value.start);
        match read_changed(file, text, &rewritten, base, TextChanges { repairs: &repairs, scalars }) {
            Ok(documents) => return Some(documents),
            Err(further) => halt = further.halt,
        }
    }
    None
}

/// A document of a rewritten text, as one of the text itself: no byte of it has moved.
fn referring_to<'s>(text: &'s str, document: Document<'_>) -> Document<'s> {
    let Document { file, map, side, nodes, problems, notation, .. } = document;
    Document { notation, side, nodes, problems, ..Document::new(file, Cow::Borrowed(text), map) }
}

/// The offset of the first `---` line behind `from`, or the end of the text.
fn next_document(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("\n---")) {
        let line = at + found + 1;
        let after = text.as_bytes().get(line + 3);
        if after.is_none_or(u8::is_ascii_whitespace) {
            return line;
        }
        at = line;
    }
    text.len()
}
