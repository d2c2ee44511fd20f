//! The texts that objects are in, as jobs: whole files, or some lines at a time.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use super::threads::SendJob;
use crate::failure::Failure;
use crate::inputs::InputSource as Found;
use crate::paths::has_extension;
use crate::text::{UnreadFile, open_file};

/// Lines are handed on when they have so many bytes together.
const ENOUGH: usize = 128 << 10;
/// No line is longer. An object in a cluster has no more than one or two million bytes.
const LONGEST: usize = 64 << 20;

/// A file or standard input.
#[derive(Debug)]
pub(super) struct Input {
    found: Found,
    /// Its name for the user.
    pub(super) name: String,
    /// True if each of its lines is a document.
    pub(super) by_lines: bool,
}

/// A part of an input.
pub(super) struct Job<'i> {
    pub(super) input: &'i Input,
    pub(super) part: InputPart,
}

/// Part of an input.
pub(super) enum InputPart {
    /// All of it, still to be read.
    Whole,
    /// Some lines, and the number of the first.
    Lines(Vec<u8>, u32),
    /// A part that could not be read, and its line.
    Unread(UnreadFile, Option<u32>),
}

/// The inputs that were found; `lines` says that all are read by lines.
pub(super) fn eval_inputs(found: Vec<Found>, lines: bool) -> Vec<Input> {
    let input = |found: Found| {
        let name = found.name();
        let by_lines = lines || has_extension(Path::new(&name), &["ndjson", "jsonl"]);
        Input { found, name, by_lines }
    };
    found.into_iter().map(input).collect()
}

impl Input {
    /// True if it was found in a directory, by a glob, or by way of the configuration.
    pub(super) fn is_searched(&self) -> bool {
        matches!(self.found, Found::Searched(_))
    }

    /// All of its text.
    pub(super) fn read(&self) -> Result<String, UnreadFile> {
        self.found.read()
    }
}

/// Gives all parts of all inputs in their order; of an input read by lines no more than a part is held.
pub(super) fn send_jobs<'i>(inputs: &'i [Input], give: SendJob<'_, Job<'i>>) -> Result<(), Failure> {
    inputs.iter().try_for_each(|input| {
        let mut give = |part| give(Job { input, part });
        match &input.found {
            _ if !input.by_lines => give(InputPart::Whole),
            Found::Stdin(_) => send_lines(&input.name, io::stdin().lock(), &mut give),
            Found::File(path) | Found::Searched(path) => match open_file(path, input.found.path_origin()) {
                Ok(Some(file)) => send_lines(&input.name, BufReader::new(file), &mut give),
                Ok(None) => send_lines(&input.name, io::empty(), &mut give),
                Err(unread) => give(InputPart::Unread(unread, None)),
            },
        }
    })
}

fn send_lines(name: &str, mut from: impl BufRead, give: SendJob<'_, InputPart>) -> Result<(), Failure> {
    let (mut bytes, mut first, mut line) = (Vec::new(), 1_u32, 1_u32);
    loop {
        let before = bytes.len();
        let read = from.by_ref().take(LONGEST as u64).read_until(b'\n', &mut bytes);
        let is_long = bytes.len() - before >= LONGEST && !bytes.ends_with(b"\n");
        if is_long || read.is_err() {
            bytes.truncate(before);
        }
        let ends = !matches!(read, Ok(1..));
        if ends || is_long || bytes.len() >= ENOUGH {
            // An empty input yields one empty part, so that it is not overlooked.
            if !bytes.is_empty() || (ends && line == 1) {
                give(InputPart::Lines(std::mem::take(&mut bytes), first))?;
            }
            first = line.saturating_add(1);
        }
        if is_long {
            give(InputPart::Unread(too_long(name), Some(line)))?;
        }
        match if is_long { from.skip_until(b'\n').map(|_| 1) } else { read } {
            Ok(0) => return Ok(()),
            Ok(_) => line = line.saturating_add(1),
            Err(error) => return give(InputPart::Unread(UnreadFile::new(name, &error), None)),
        }
    }
}

fn too_long(name: &str) -> UnreadFile {
    let message = format!("this line is longer than {} MiB", LONGEST >> 20);
    let help = Some("write each object in a line of its own".to_owned());
    UnreadFile { name: name.to_owned(), at: None, message, help }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &[u8]) -> Vec<(u32, Result<usize, String>)> {
        let mut parts = Vec::new();
        let given = send_lines("a", text, &mut |part| {
            parts.push(match part {
                InputPart::Lines(bytes, first) => (first, Ok(bytes.len())),
                InputPart::Unread(unread, line) => (line.unwrap_or_default(), Err(unread.message)),
                InputPart::Whole => (0, Ok(0)),
            });
            Ok(())
        });
        given.unwrap();
        parts
    }

    #[test]
    fn lines_are_handed_on_together_and_each_part_knows_its_first() {
        assert_eq!(parts(b""), [(1, Ok(0))]);
        assert_eq!(parts(b"a\nb\nc"), [(1, Ok(5))]);
        let long = [vec![b'x'; ENOUGH], b"\ny\n".to_vec()].concat();
        assert_eq!(parts(&long), [(1, Ok(ENOUGH + 1)), (2, Ok(2))]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_and_those_around_it_are_read() {
        let too_long = || Err("this line is longer than 64 MiB".to_owned());
        let text = [b"a\n".to_vec(), vec![b'x'; LONGEST + 5], b"\nb\n".to_vec()].concat();
        assert_eq!(parts(&text), [(1, Ok(2)), (2, too_long()), (3, Ok(2))]);
        assert_eq!(parts(&vec![b'x'; LONGEST]), [(1, too_long())]);
    }
}
