//! Messages as bytes: a header with the length, an empty line, and JSON.
//!
//! A client that breaks these rules gets an error, and the next message is looked for. Memory is taken as bytes arrive and never by
//! what a header announces.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read as _, Write};

/// The longest message: as much as a file that another file names may have.
const LONGEST_MESSAGE: u64 = 256 << 20;
/// The longest line of a header.
const LONGEST_LINE: u64 = 4096;

/// Something that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// Bytes that are none, with the reason.
    Malformed(String),
}

/// Reads messages from a stream.
pub(crate) struct FrameReader<R> {
    input: R,
    /// Frames that were read and not yet returned.
    waiting: VecDeque<Frame>,
}

impl<R: BufRead> FrameReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, waiting: VecDeque::new() }
    }

    /// Reads the next frame; `None` at the end of the stream.
    pub(crate) fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        if let Some(frame) = self.waiting.pop_front() {
            return Ok(Some(frame));
        }
        let (mut length, mut fault) = (None, None);
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                return Ok(fault.map(Frame::Malformed));
            }
            match read_header(&line) {
                Header::Length(number) => length = Some(number),
                Header::Other => {}
                Header::Malformed { fault: reason, length: found } => {
                    fault = fault.or(Some(reason));
                    length = found.or(length);
                }
                Header::End => match (length, fault.take()) {
                    (Some(length), fault) => {
                        self.waiting.extend(fault.map(Frame::Malformed));
                        let Some(body) = self.read_body(length)? else { return Ok(self.waiting.pop_front()) };
                        self.waiting.push_back(body);
                        return Ok(self.waiting.pop_front());
                    }
                    (None, Some(fault)) => return Ok(Some(Frame::Malformed(fault))),
                    // An empty line between messages.
                    (None, None) => {}
                },
            }
        }
    }

    fn read_body(&mut self, length: u64) -> io::Result<Option<Frame>> {
        if length > LONGEST_MESSAGE {
            io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
            let reason = format!("message of {length} bytes exceeds the limit of {LONGEST_MESSAGE}");
            return Ok(Some(Frame::Malformed(reason)));
        }
        let mut body = Vec::new();
        let read = self.input.by_ref().take(length).read_to_end(&mut body)?;
        Ok((read as u64 == length).then_some(Frame::Message(body)))
    }
}

/// A line of a header.
enum Header {
    Length(u64),
    Other,
    End,
    Malformed { fault: String, length: Option<u64> },
}

fn read_header(line: &[u8]) -> Header {
    const NAME: &str = "content-length:";
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Header::End;
    }
    let lower = text.to_ascii_lowercase();
    // The rest of a message that is longer than its header says may stand before the header.
    let Some(at) = lower.rfind(NAME) else {
        let is_header = lower.starts_with("content-type:");
        let fault = "unexpected text in place of a header".to_owned();
        return if is_header { Header::Other } else { Header::Malformed { fault, length: None } };
    };
    let value = lower.get(at + NAME.len()..).unwrap_or_default().trim();
    match (value.parse(), at) {
        (Ok(length), 0) => Header::Length(length),
        (Ok(length), _) => {
            Header::Malformed { fault: "unexpected text before a header".to_owned(), length: Some(length) }
        }
        (Err(_), _) => Header::Malformed { fault: "invalid Content-Length".to_owned(), length: None },
    }
}

/// Writes one message.
pub(crate) fn write_message(output: &mut dyn Write, message: &serde_json::Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<String> {
        let mut reader = FrameReader::new(bytes);
        let mut found = Vec::new();
        while let Some(frame) = reader.next_frame().unwrap() {
            found.push(match frame {
                Frame::Message(body) => String::from_utf8_lossy(&body).into_owned(),
                Frame::Malformed(reason) => format!("! {reason}"),
            });
        }
        found
    }

    #[test]
    fn messages_follow_one_another() {
        let bytes = b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]";
        assert_eq!(frames(bytes), ["{}", "[1]"]);
    }

    #[test]
    fn the_next_message_is_found_after_garbage_and_wrong_lengths() {
        assert_eq!(
            frames(b"hello\r\n\r\nContent-Length: 2\r\n\r\n{}"),
            ["! unexpected text in place of a header", "{}"]
        );
        assert_eq!(
            frames(b"Content-Length: 2\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}"),
            ["{\"", "! unexpected text before a header", "{}"]
        );
        assert_eq!(
            frames(b"Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}"),
            ["! invalid Content-Length", "{}"]
        );
        assert_eq!(frames(b"Content-Length: 99\r\n\r\n{}"), Vec::<String>::new());
        assert_eq!(
            frames(&vec![b'x'; 3 * usize::try_from(LONGEST_LINE).unwrap()]),
            ["! unexpected text in place of a header"]
        );
    }

    #[test]
    fn a_length_that_nothing_follows_takes_no_memory() {
        assert_eq!(
            frames(b"Content-Length: 99999999999999\r\n\r\n{}"),
            ["! message of 99999999999999 bytes exceeds the limit of 268435456"]
        );
    }
}
