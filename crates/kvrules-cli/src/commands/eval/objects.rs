//! The texts that objects stand in: whole files, or one line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::text::{Unread, read, read_text};

/// A text, or why it could not be read.
pub(super) struct Piece {
    /// The file as the user knows it.
    pub(super) file: String,
    /// The line that this is, when objects are read by lines.
    pub(super) line: Option<u32>,
    pub(super) text: Result<String, Unread>,
}

/// What is done with a piece.
type Take<'t> = &'t mut dyn FnMut(Piece) -> Result<(), Failure>;

/// The files that are asked for.
pub(super) struct Objects<'p> {
    paths: &'p [PathBuf],
    lines: bool,
}

impl<'p> Objects<'p> {
    pub(super) fn new(paths: &'p [PathBuf], lines: bool) -> Result<Self, Failure> {
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            return Err(Failure::new("standard input (`-`) can be read only once"));
        }
        Ok(Self { paths, lines })
    }

    /// Whether every file is read by lines.
    pub(super) fn is_all_lines(&self) -> bool {
        self.paths.iter().all(|path| self.by_lines(path))
    }

    fn by_lines(&self, path: &Path) -> bool {
        let extension = path.extension().unwrap_or_default();
        self.lines || ["ndjson", "jsonl"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    }

    /// Hands out the texts in their order; of a file read by lines, no more than one is held.
    pub(super) fn each(&self, take: Take<'_>) -> Result<(), Failure> {
        for path in self.paths {
            match (is_stdin(path), self.by_lines(path)) {
                (true, true) => lines("<stdin>", io::stdin().lock(), take)?,
                (true, false) => {
                    let file = "<stdin>".to_owned();
                    let text = read(file.clone(), io::stdin().lock());
                    take(Piece { file, line: None, text })?;
                }
                (false, by_lines) => file(path, by_lines, take)?,
            }
        }
        Ok(())
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn file(path: &Path, by_lines: bool, take: Take<'_>) -> Result<(), Failure> {
    let name = path.to_string_lossy().into_owned();
    if !by_lines {
        return take(Piece { file: name, line: None, text: read_text(path) });
    }
    match File::open(path) {
        Ok(file) => lines(&name, BufReader::new(file), take),
        Err(error) => {
            let text = Err(Unread::new(name.clone(), &error));
            take(Piece { file: name, line: None, text })
        }
    }
}

fn lines(name: &str, mut from: impl BufRead, take: Take<'_>) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        match from.read_until(b'\n', &mut bytes) {
            Ok(0) => break,
            Ok(_) if bytes.trim_ascii().is_empty() => {}
            Ok(_) => {
                let text = read(name.to_owned(), bytes.as_slice()).map_err(|unread| shifted(unread, line));
                take(Piece { file: name.to_owned(), line: Some(line), text })?;
            }
            Err(error) => {
                let text = Err(Unread::new(name, &error));
                return take(Piece { file: name.to_owned(), line: None, text });
            }
        }
    }
    Ok(())
}

/// Moves the place of a bad byte in a line to where the line stands in its file.
fn shifted(mut unread: Unread, line: u32) -> Unread {
    if let Some(at) = &mut unread.at {
        at.line += line - 1;
    }
    unread
}
