//! Reads the text of a file, or returns the error. Every file that a user or another file names is opened here.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use kvrules::Position;

use crate::failure::io_reason;

/// Offsets in a text are 32 bits wide.
const LONGEST: u64 = u32::MAX as u64;
/// Files that other files name are shorter.
const LONGEST_NAMED: u64 = 256 << 20;
/// Number of bytes that are read before they are examined.
const PART: u64 = 8 << 20;
/// Number of bytes of a file that suffice to recognise its encoding.
const HEAD: usize = 1024;

/// A file that could not be read.
#[derive(Debug)]
pub(crate) struct UnreadFile {
    /// The file as the user knows it.
    pub(crate) name: String,
    /// Location in it, if the error is in its text.
    pub(crate) at: Option<Position>,
    /// The reason.
    pub(crate) message: String,
    /// Advice on what to do.
    pub(crate) help: Option<String>,
}

impl UnreadFile {
    /// A file that the operating system does not hand out.
    pub(crate) fn new(name: impl Into<String>, error: &io::Error) -> Self {
        Self { name: name.into(), at: None, message: io_reason(error), help: None }
    }

    /// A file or directory that could not be examined in a walk.
    pub(crate) fn walking(error: &ignore::Error) -> Self {
        match error {
            ignore::Error::WithPath { path, err } => {
                Self { name: path.to_string_lossy().into_owned(), ..Self::walking(err) }
            }
            ignore::Error::WithDepth { err, .. } => Self::walking(err),
            ignore::Error::Io(error) => Self::new("", error),
            other => Self { name: String::new(), at: None, message: other.to_string(), help: None },
        }
    }
}

impl std::fmt::Display for UnreadFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.at {
            Some(at) => write!(formatter, "{}:{}:{}: {}", self.name, at.line, at.column, self.message),
            None => write!(formatter, "{}: {}", self.name, self.message),
        }
    }
}

/// The origin of a path, which decides which kinds of files it may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOrigin {
    /// An argument of the command line: any file, such as the pipe that `<(…)` of a shell makes.
    Argument,
    /// The search of a directory: regular files alone.
    Search,
    /// Another file: regular files up to 256 MiB. A pipe or a terminal would be waited for without end.
    File,
}

/// Reads a file.
pub(crate) fn read_text(path: &Path, origin: PathOrigin) -> Result<String, UnreadFile> {
    let name = path.to_string_lossy().into_owned();
    match open_file(path, origin)? {
        Some(file) => read_text_from(name, file),
        None => Ok(String::new()),
    }
}

/// Opens a file; `None` for one without content.
pub(crate) fn open_file(path: &Path, origin: PathOrigin) -> Result<Option<File>, UnreadFile> {
    let unread = |error: io::Error| UnreadFile::new(path.to_string_lossy(), &error);
    if origin == PathOrigin::Argument {
        return File::open(path).map(Some).map_err(unread);
    }
    // Examined before it is opened, because opening a pipe waits for whoever writes to it.
    let metadata = fs::metadata(path).map_err(unread)?;
    let refuse = |message: &str| {
        let (name, message) = (path.to_string_lossy().into_owned(), message.to_owned());
        Err(UnreadFile { name, at: None, message, help: None })
    };
    if let Some(message) = irregular_kind(&metadata) {
        return refuse(message);
    }
    if origin == PathOrigin::File && metadata.len() > LONGEST_NAMED {
        return refuse("larger than 256 MiB");
    }
    // Files of the kernel, such as those of /proc, have the length 0, and some of them have no end.
    if metadata.len() == 0 { Ok(None) } else { File::open(path).map(Some).map_err(unread) }
}

/// The kind of a file that is not regular, as a reason not to read it.
fn irregular_kind(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("is a directory");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return Some("this is a named pipe, not a regular file");
        }
        if kind.is_socket() {
            return Some("this is a socket, not a regular file");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("this is a device, not a regular file");
        }
    }
    Some("this is not a regular file")
}

/// Reads a text from anything, under the name that messages call it.
pub(crate) fn read_text_from(name: String, from: impl io::Read) -> Result<String, UnreadFile> {
    let mut bytes = Vec::new();
    // Read one byte more than the limit, to detect a longer input.
    let mut from = from.take(LONGEST + 1);
    loop {
        let before = bytes.len();
        match from.by_ref().take(PART).read_to_end(&mut bytes) {
            Ok(0) => break,
            // A NUL byte means that the input is not text. Stop here, because a device may be endless.
            Ok(_) if bytes.get(before..).is_some_and(|part| part.contains(&0)) => break,
            Ok(_) => {}
            Err(error) => return Err(UnreadFile::new(name, &error)),
        }
    }
    if bytes.len() as u64 > LONGEST {
        let help = Some("split it into several files".to_owned());
        return Err(UnreadFile { name, at: None, message: "larger than 4 GiB".to_owned(), help });
    }
    decode_text(name, bytes)
}

fn decode_text(name: String, bytes: Vec<u8>) -> Result<String, UnreadFile> {
    if is_utf16(&bytes) {
        let at = Some(Position { line: 1, column: 1 });
        let help = Some("save it as UTF-8".to_owned());
        return Err(UnreadFile { name, at, message: "this is UTF-16, not UTF-8".to_owned(), help });
    }
    // Neither YAML nor JSON may contain a NUL byte, in any encoding.
    // `contains` reads words at a time, and nearly no file has one.
    if bytes.contains(&0)
        && let Some(good) = bytes.iter().position(|byte| *byte == 0)
    {
        let at = Some(position_after(bytes.get(..good).unwrap_or_default()));
        let help = Some("this looks like a binary file".to_owned());
        return Err(UnreadFile { name, at, message: "unexpected zero byte".to_owned(), help });
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let bad = bytes.get(good).copied().unwrap_or_default();
        let message = match error.utf8_error().error_len() {
            Some(_) => format!("not UTF-8: unexpected byte 0x{bad:02X}"),
            None => "not UTF-8: the file ends within a character".to_owned(),
        };
        let help = Some("save it as UTF-8".to_owned());
        UnreadFile { name, at: Some(position_after(bytes.get(..good).unwrap_or_default())), message, help }
    })
}

/// Line and column just after `good`, which is UTF-8.
fn position_after(good: &[u8]) -> Position {
    let line = good.split(|byte| *byte == b'\n').count();
    let last = good.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let column = String::from_utf8_lossy(last).trim_start_matches('\u{feff}').chars().count() + 1;
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}

/// True if a file begins with the byte-order mark of UTF-16, or has a zero in every other byte as Latin text has.
fn is_utf16(bytes: &[u8]) -> bool {
    let marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let head = bytes.get(..bytes.len().min(HEAD)).unwrap_or_default();
    let zeros = |first: usize| head.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = head.len() / 2;
    marked || (half > 1 && ((even == 0 && odd * 10 >= half * 9) || (odd == 0 && even * 10 >= half * 9)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoding_error(bytes: &[u8]) -> String {
        decode_text("a".to_owned(), bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn the_first_bad_byte_has_a_line_and_a_column() {
        assert_eq!(decoding_error(b"a: 1\nb\xc3\xa9: \xff"), "a:2:5: not UTF-8: unexpected byte 0xFF");
        assert_eq!(decoding_error(b"a: \xc3"), "a:1:4: not UTF-8: the file ends within a character");
    }

    #[test]
    fn a_zero_byte_is_no_text() {
        assert_eq!(decoding_error(b"a: 1\nb: \x00\x01\xff"), "a:2:4: unexpected zero byte");
    }

    #[test]
    fn a_device_without_an_end_is_not_read_to_its_end() {
        let unread = read_text_from("a".to_owned(), io::repeat(0)).unwrap_err();
        assert_eq!(unread.to_string(), "a:1:1: unexpected zero byte");
        let unread =
            read_text_from("a".to_owned(), io::repeat(b'a').take(PART + 7).chain(io::repeat(0))).unwrap_err();
        assert_eq!(unread.at, Some(Position { line: 1, column: u32::try_from(PART).unwrap() + 8 }));
    }

    #[test]
    fn utf_16_is_known_with_and_without_a_mark() {
        let text: Vec<u8> = "rules: []\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoding_error(&text), "a:1:1: this is UTF-16, not UTF-8");
        let text: Vec<u8> = "\u{feff}rules: []\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoding_error(&text), "a:1:1: this is UTF-16, not UTF-8");
    }
}
