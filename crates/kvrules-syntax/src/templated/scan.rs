//! Finds the position of a tag in YAML: inside brackets, in a block of text, or anywhere else.
//!
//! This looks at lines as an editor does, before there is anything that could be parsed.

/// Context of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanContext {
    /// A value among others in brackets, without quotation marks.
    Flow,
    /// Any other text.
    Text,
}

/// A block scalar that is not over.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The column of the key or item that it belongs to; its content is indented more.
    holder: usize,
    /// The column of its content, once there was any.
    content: Option<usize>,
}

/// The state at some byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockScan {
    block: Option<Block>,
    quote: Option<u8>,
    /// True if the last byte was a backslash, or the first of two single quotation marks.
    hides: bool,
    /// Brackets that are open.
    flow: u32,
    here: ScanState,
    last: u8,
}

/// State before the next byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScanState {
    /// A value, or what else is written.
    #[default]
    Inside,
    /// Nothing: a value may begin.
    Fresh,
    /// A mark before a value: `-`, `?`, an anchor or a tag.
    Mark,
    /// The header of a block scalar.
    Header,
    /// A comment, which may follow such a header.
    Comment { of_header: bool },
}

impl BlockScan {
    /// True if tags alone on a line, from this column on, are the first content of a block scalar.
    pub(crate) fn begins_content(&self, column: usize) -> bool {
        self.block.is_some_and(|block| column > block.holder && block.content.is_none())
    }

    /// Returns the indentation for the content of a block scalar that has none yet.
    pub(crate) fn indent_of_new_block(&self) -> Option<usize> {
        self.block.filter(|block| block.content.is_none()).map(|block| block.holder + 2)
    }

    /// Notes that a block scalar has content at this column.
    pub(crate) fn content(&mut self, column: usize) {
        if let Some(block) = &mut self.block {
            block.content.get_or_insert(column);
        }
    }

    pub(crate) fn begin_line(&mut self, line: &str) {
        self.last = b'\n';
        if line.starts_with("---") {
            *self = Self { last: b'\n', ..Self::default() };
        }
        self.here = if self.quote.is_none() { ScanState::Fresh } else { ScanState::Inside };
        let column = line.len() - line.trim_start_matches(' ').len();
        match self.block {
            Some(_) if line.trim().is_empty() => {}
            Some(block) if column > block.holder => self.content(column),
            _ => self.block = None,
        }
    }

    /// Goes over text without tags.
    pub(crate) fn text(&mut self, text: &str) {
        if self.block.is_none() {
            text.bytes().for_each(|byte| self.byte(byte));
        }
    }

    /// Goes over a tag that stands for a value.
    pub(crate) fn value(&mut self) -> ScanContext {
        if matches!(self.here, ScanState::Comment { .. }) {
            return ScanContext::Text;
        }
        (self.here, self.last) = (ScanState::Inside, b'_');
        let in_flow = self.flow > 0 && self.quote.is_none() && self.block.is_none();
        if in_flow { ScanContext::Flow } else { ScanContext::Text }
    }

    pub(crate) fn end_line(&mut self, line: &str) {
        let is_header = matches!(self.here, ScanState::Header | ScanState::Comment { of_header: true });
        if is_header && self.block.is_none() {
            self.block = Some(Block { holder: holder_column(line), content: None });
        }
    }

    fn byte(&mut self, byte: u8) {
        let in_comment = matches!(self.here, ScanState::Comment { .. }) && byte != b'\n';
        if in_comment || self.quoted(byte) {
            return;
        }
        let before = std::mem::replace(&mut self.last, byte);
        let fresh = self.here == ScanState::Fresh;
        match byte {
            b'\n' => self.here = ScanState::Fresh,
            b' ' | b'\t' | b'\r' if before == b':' || self.here == ScanState::Mark => {
                self.here = ScanState::Fresh;
            }
            b' ' | b'\t' | b'\r' => {}
            b'#' if matches!(before, b' ' | b'\t' | b'\n') => {
                self.here = ScanState::Comment { of_header: self.here == ScanState::Header };
            }
            b'"' | b'\'' if fresh => self.quote = Some(byte),
            b'[' | b'{' if fresh || self.flow > 0 => {
                (self.flow, self.here) = (self.flow.saturating_add(1), ScanState::Fresh);
            }
            b']' | b'}' if self.flow > 0 => (self.flow, self.here) = (self.flow - 1, ScanState::Inside),
            b',' | b':' if self.flow > 0 => self.here = ScanState::Fresh,
            b'|' | b'>' if fresh && self.flow == 0 => self.here = ScanState::Header,
            b'-' | b'?' | b'&' | b'!' if fresh => self.here = ScanState::Mark,
            b'-' | b'+' | b'0'..=b'9' if self.here == ScanState::Header => {}
            b'-' | b'?' => self.here = ScanState::Inside,
            _ if self.here == ScanState::Mark => {}
            _ => self.here = ScanState::Inside,
        }
    }

    /// Goes over a byte inside quotation marks; false where it is not inside any.
    fn quoted(&mut self, byte: u8) -> bool {
        let Some(quote) = self.quote else { return false };
        if std::mem::take(&mut self.hides) {
            return true;
        }
        if byte == b'\\' && quote == b'"' {
            self.hides = true;
        } else if byte == quote {
            // In `''`, the first quote closes the scalar and the second opens it again, which leads to the same
            // state.
            self.here = if quote == b'\'' { ScanState::Fresh } else { ScanState::Inside };
            (self.quote, self.last) = (None, byte);
        }
        true
    }
}

/// The column of the key, or of the dash, that a block scalar belongs to.
fn holder_column(line: &str) -> usize {
    let mut column = line.len() - line.trim_start_matches(' ').len();
    while let Some(rest) = line.get(column..).and_then(|rest| rest.strip_prefix("- ")) {
        let item = rest.trim_start_matches(' ');
        if item.starts_with(['|', '>']) {
            break;
        }
        column = line.len() - item.len();
    }
    column
}
