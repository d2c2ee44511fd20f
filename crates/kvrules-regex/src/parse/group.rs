//! Groups: opening, closing, flags and names.

use super::limits::SizedNode;
use super::{Parsed, Parser};
use crate::ast::{Anchor, Node};
use crate::error::RegexErrorKind as Kind;

/// The flags in force, one bit each.
#[derive(Clone, Copy, Default)]
pub(super) struct FlagSet(u8);

impl FlagSet {
    const FOLD: u8 = 1;
    const MULTI_LINE: u8 = 2;
    const DOT_NEWLINE: u8 = 4;
    const SWAP_GREED: u8 = 8;

    /// `i`: case is ignored.
    pub(super) fn fold(self) -> bool {
        self.0 & Self::FOLD != 0
    }

    /// `s`: the dot matches the line feed too.
    pub(super) fn dot_newline(self) -> bool {
        self.0 & Self::DOT_NEWLINE != 0
    }

    /// `U`: quantifiers are lazy unless marked.
    pub(super) fn swap_greed(self) -> bool {
        self.0 & Self::SWAP_GREED != 0
    }

    /// Returns the meaning of `^`.
    pub(super) fn start_anchor(self) -> Anchor {
        if self.0 & Self::MULTI_LINE != 0 { Anchor::LineStart } else { Anchor::TextStart }
    }

    /// Returns the meaning of `$`.
    pub(super) fn end_anchor(self) -> Anchor {
        if self.0 & Self::MULTI_LINE != 0 { Anchor::LineEnd } else { Anchor::TextEnd }
    }

    /// Sets a flag by its letter; returns true if there is such a flag.
    fn set(&mut self, letter: char, on: bool) -> bool {
        let bit = match letter {
            'i' => Self::FOLD,
            'm' => Self::MULTI_LINE,
            's' => Self::DOT_NEWLINE,
            'U' => Self::SWAP_GREED,
            _ => return false,
        };
        self.0 = if on { self.0 | bit } else { self.0 & !bit };
        true
    }
}

/// An open group.
pub(super) struct GroupFrame {
    kind: FrameKind,
    /// Offset of its `(`.
    open: usize,
    /// The flags to go back to behind it.
    flags: FlagSet,
    branches: Vec<SizedNode>,
    pub(super) sequence: Vec<SizedNode>,
}

enum FrameKind {
    Plain,
    Capture(Option<String>),
}

impl GroupFrame {
    /// The pattern itself, which is not a group but holds pieces as one does.
    pub(super) fn root() -> Self {
        Self::new(FrameKind::Plain, 0, FlagSet::default())
    }

    fn new(kind: FrameKind, open: usize, flags: FlagSet) -> Self {
        Self { kind, open, flags, branches: Vec::new(), sequence: Vec::new() }
    }
}

/// End of the letters after `(?`.
enum FlagList {
    /// `(?i)`: for the rest of the group around it.
    Setting(FlagSet),
    /// `(?i:`: for a group of their own.
    Group(FlagSet),
}

impl Parser<'_> {
    /// Opens a capturing group whose opening is that many bytes long.
    pub(super) fn open_capture(&mut self, name: Option<String>, bytes: usize) {
        self.open(FrameKind::Capture(name), bytes);
    }

    fn open(&mut self, kind: FrameKind, bytes: usize) {
        let frame = GroupFrame::new(kind, self.cursor.pos(), self.flags);
        self.outer.push(std::mem::replace(&mut self.frame, frame));
        self.cursor.advance(bytes);
    }

    /// Ends a branch, at `|` or at the end of the group.
    pub(super) fn end_branch(&mut self) -> Parsed<()> {
        let piece = SizedNode::concat(std::mem::take(&mut self.frame.sequence));
        piece.check_limits().map_err(|limit| self.limit_error(limit))?;
        self.frame.branches.push(piece);
        Ok(())
    }

    /// Reads `)`.
    pub(super) fn close_group(&mut self) -> Parsed<()> {
        self.end_branch()?;
        let Some(outer) = self.outer.pop() else {
            let pos = self.cursor.pos();
            return self.error_at(Kind::UnexpectedParen, 0..self.pattern.len(), pos..pos + 1);
        };
        self.cursor.bump();
        let inner = std::mem::replace(&mut self.frame, outer);
        self.flags = inner.flags;
        let piece = SizedNode::alternate(inner.branches);
        match inner.kind {
            FrameKind::Plain => self.push(piece),
            FrameKind::Capture(name) => {
                piece.check_limits().map_err(|limit| self.limit_error(limit))?;
                self.push(SizedNode::group(name, piece))
            }
        }
    }

    /// The tree, when the pattern is at its end.
    pub(super) fn finish(&mut self) -> Parsed<Node> {
        if !self.outer.is_empty() {
            let open = self.frame.open;
            return self.error_at(Kind::MissingParen, 0..self.pattern.len(), open..open + 1);
        }
        self.end_branch()?;
        let piece = SizedNode::alternate(std::mem::take(&mut self.frame.branches));
        piece.check_limits().map_err(|limit| self.limit_error(limit))?;
        Ok(piece.node)
    }

    /// Reads what `(?` begins.
    pub(super) fn flag_group(&mut self) -> Parsed<()> {
        let rest = self.cursor.rest();
        for opening in ["(?P<", "(?<"] {
            // Go requires one more character before it parses a name.
            if rest.len() > opening.len() && rest.starts_with(opening) {
                return self.named_group(opening.len());
            }
        }
        match self.flag_list()? {
            FlagList::Setting(flags) => self.flags = flags,
            FlagList::Group(flags) => {
                self.open(FrameKind::Plain, 0);
                self.flags = flags;
            }
        }
        Ok(())
    }

    fn named_group(&mut self, opening: usize) -> Parsed<()> {
        let start = self.cursor.pos();
        let rest = self.cursor.rest();
        let closed = rest.find('>');
        let fragment = start..closed.map_or(self.cursor.end(), |at| start + at + 1);
        let name = closed.and_then(|at| rest.get(opening..at)).unwrap_or_default();
        if !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
            self.open_capture(Some(name.to_owned()), fragment.len());
            return Ok(());
        }
        if rest.starts_with("(?<=") || rest.starts_with("(?<!") {
            return self.error_at(Kind::LookBehind, fragment, start..start + 4);
        }
        self.error(Kind::BadGroupName, fragment)
    }

    fn flag_list(&mut self) -> Parsed<FlagList> {
        let start = self.cursor.pos();
        self.cursor.advance(2);
        let mut flags = self.flags;
        let (mut on, mut complete) = (true, true);
        while let Some(char) = self.cursor.bump() {
            match char {
                '-' if on => (on, complete) = (false, false),
                ':' if complete => return Ok(FlagList::Group(flags)),
                ')' if complete => return Ok(FlagList::Setting(flags)),
                _ if flags.set(char, on) => complete = true,
                _ => break,
            }
        }
        let fragment = start..self.cursor.pos();
        let rest = self.pattern.get(start..).unwrap_or_default();
        // Go's error ends at the `P`. The span also shows the character that makes it a reference or a call.
        let more = usize::from(rest.starts_with("(?P=") || rest.starts_with("(?P>"));
        let span = start..fragment.end + more;
        self.error_at(perl_kind(rest), fragment, span)
    }
}

/// Returns the Perl construct that begins here; RE2 has none of them.
fn perl_kind(rest: &str) -> Kind {
    let mut chars = rest.chars().skip(2);
    match (chars.next(), chars.next()) {
        (Some('=' | '!'), _) => Kind::LookAhead,
        (Some('>'), _) => Kind::AtomicGroup,
        (Some('('), _) => Kind::Conditional,
        (Some('#'), _) => Kind::Comment,
        (Some('|'), _) => Kind::BranchReset,
        (Some('\''), _) => Kind::QuotedGroupName,
        (Some('P'), Some('=')) => Kind::BackReference,
        (Some('R' | '&' | '0'..='9' | '+'), _) | (Some('P'), Some('>')) | (Some('-'), Some('0'..='9')) => {
            Kind::Recursion
        }
        _ => flags_kind(rest),
    }
}

/// Returns the error of a list of flags: it is incomplete, or has an invalid letter.
fn flags_kind(rest: &str) -> Kind {
    let stop = rest.chars().skip(2).find(|char| !matches!(char, 'i' | 'm' | 's' | 'U' | '-'));
    if matches!(stop, None | Some(':' | ')')) { Kind::IncompleteFlags } else { Kind::InvalidFlag }
}
