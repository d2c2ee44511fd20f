//! YAML events into documents.

mod reader;
mod repair;

use std::borrow::Cow;

use kvrules_diagnostics::FileId;
use saphyr_parser::Parser;

use crate::{Document, ProblemKind, offset::index};
use reader::Reader;
use repair::Repair;

/// How many accidents of indentation are repaired in one document before it is given up.
const MAX_REPAIRS: usize = 64;

/// Reads all YAML documents of a text that stands at offset `base` of its file.
///
/// Where a document cannot be read to its end, what was read is kept, a problem says where it stopped, and reading
/// goes on at the next `---`.
pub fn parse_yaml(file: FileId, text: &str, base: u32) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let ascii = text.is_ascii();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let base = base.saturating_add(index(at));
        let region = Region { text: rest, ascii };
        let Err(stop) = read(file, region, base, &[], &mut documents) else { break };
        at += if let Some((document, len)) = repaired(file, rest, base, &stop) {
            documents.push(document);
            len
        } else {
            documents.push(stop.partial);
            next_document(rest, stop.reached)
        };
    }
    documents
}

/// Where the parser stopped, and what it had read of the document until then.
struct Stop<'s> {
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
struct Region<'s> {
    text: &'s str,
    /// Whether the text is known to be ASCII; looked up once for a whole file.
    ascii: bool,
}

/// Reads documents until the end or the first error.
fn read<'s>(
    file: FileId,
    text: Region<'s>,
    base: u32,
    repairs: &[Repair],
    documents: &mut Vec<Document<'s>>,
) -> Result<(), Box<Stop<'s>>> {
    let mut reader = Reader::new(file, text, base, repairs);
    for event in Parser::new_from_str(text.text) {
        match event {
            Ok((event, span)) => documents.extend(reader.event(event, span)),
            Err(error) => {
                let (begin, reached) = (reader.begin, reader.reached);
                let at = reader.offset(error.marker().index());
                let kind = problem_kind(error.info());
                let partial = reader.give_up(kind, at, error.info());
                return Err(Box::new(Stop {
                    partial,
                    begin,
                    reached,
                    error: at,
                    info: error.info().to_owned(),
                }));
            }
        }
    }
    Ok(())
}

fn problem_kind(info: &str) -> ProblemKind {
    if info.contains("recursion limit") { ProblemKind::TooDeep } else { ProblemKind::Yaml }
}

/// Reads the document that stopped once more, with accidents of indentation undone.
///
/// Returns the document and the offset where the next one begins.
fn repaired<'s>(file: FileId, text: &'s str, base: u32, stop: &Stop<'s>) -> Option<(Document<'s>, usize)> {
    let begin = stop.begin;
    let end = next_document(text, stop.reached.max(stop.error));
    let original = text.get(begin..end)?;
    let mut blanked = original.to_owned();
    let mut repairs: Vec<Repair> = Vec::new();
    let (mut info, mut error) = (stop.info.clone(), stop.error - begin);
    while repairs.len() < MAX_REPAIRS {
        let repair = repair::find(&blanked, &info, error)?;
        repair.blank(&mut blanked);
        repairs.push(repair);
        repairs.sort_by_key(|repair| repair.value.start);
        let mut documents = Vec::new();
        let region = Region { text: &blanked, ascii: false };
        match read(file, region, base + index(begin), &repairs, &mut documents) {
            Ok(()) => {
                let document = owned(documents.into_iter().next()?);
                return Some((document, end));
            }
            Err(stop) => (info, error) = (stop.info, stop.error),
        }
    }
    None
}

fn owned<'s>(document: Document<'_>) -> Document<'s> {
    let Document { file, text, map, side, nodes, problems, notation, .. } = document;
    let fresh = Document::new(file, Cow::Owned(text.into_owned()), map);
    Document { notation, side, nodes, problems, ..fresh }
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
