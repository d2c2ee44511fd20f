//! Running text in pieces, before any markup.

use std::borrow::Cow;

use kvrules_diagnostics::render::needs_escape;

/// A piece of running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// A path, a value, an expression: shown as code, on one line.
    Code(String),
    /// Words with stress.
    Emphasis(String),
    /// Words with more of it.
    Strong(String),
    /// Words that lead elsewhere.
    Link {
        /// The words.
        text: String,
        /// Address of the link.
        url: String,
    },
}

/// Running text: words and code.
///
/// ```
/// use kvrules_pages::prose::Prose;
/// let prose = Prose::from("the bus must be ").code("virtio").text(".");
/// assert_eq!(prose.to_plain(), "the bus must be `virtio`.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose(Vec<Inline>);

impl Prose {
    /// Returns the words if they are letters with single blanks between them, which no format escapes: most labels.
    pub(crate) fn unmarked_words(&self) -> Option<&str> {
        let [Inline::Text(text)] = self.0.as_slice() else { return None };
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        text.split(' ').all(is_word).then_some(text.as_str())
    }

    /// A piece of code alone.
    pub fn of_code(code: impl Into<String>) -> Self {
        Self::default().code(code)
    }

    /// Adds words.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Inline::Text(last)) => last.push_str(text),
            _ => self.0.push(Inline::Text(text.to_owned())),
        }
        self
    }

    /// Adds code.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        match self.0.last_mut() {
            // Adjacent pieces of code are merged, because a reader sees them as one.
            Some(Inline::Code(last)) => last.push_str(&code.into()),
            _ => self.0.push(Inline::Code(code.into())),
        }
        self
    }

    /// Adds words with stress.
    #[must_use]
    pub fn emphasis(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            Some(Inline::Emphasis(last)) => last.push_str(text),
            _ => self.0.push(Inline::Emphasis(text.to_owned())),
        }
        self
    }

    /// Adds words with more stress.
    #[must_use]
    pub fn strong(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            Some(Inline::Strong(last)) => last.push_str(text),
            _ => self.0.push(Inline::Strong(text.to_owned())),
        }
        self
    }

    /// Adds words that lead elsewhere.
    #[must_use]
    pub fn link(mut self, words: &str, leads_to: &str) -> Self {
        match self.0.last_mut() {
            Some(Inline::Link { text, url }) if url == leads_to => text.push_str(words),
            _ => self.0.push(Inline::Link { text: words.to_owned(), url: leads_to.to_owned() }),
        }
        self
    }

    /// Adds all of another text.
    #[must_use]
    pub fn add_prose(self, other: &Self) -> Self {
        other.0.iter().fold(self, |prose, piece| match piece {
            Inline::Text(text) => prose.text(text),
            other => {
                let mut prose = prose;
                prose.0.push(other.clone());
                prose
            }
        })
    }

    /// Texts with `between` between them, and `last` before the last.
    pub fn join_with(parts: &[Self], between: &str, last: &str) -> Self {
        let count = parts.len();
        let gap = |index: usize| match index {
            0 => "",
            _ if index + 1 == count => last,
            _ => between,
        };
        parts
            .iter()
            .enumerate()
            .fold(Self::default(), |prose, (index, part)| prose.text(gap(index)).add_prose(part))
    }

    /// With a capital first letter where it begins with words.
    #[must_use]
    pub fn to_capitalised(mut self) -> Self {
        if let Some(Inline::Text(text)) = self.0.first_mut() {
            let mut letters = text.chars();
            if let Some(first) = letters.next() {
                *text = first.to_uppercase().chain(letters).collect();
            }
        }
        self
    }

    /// Up to the end of the first sentence.
    #[must_use]
    pub fn first_sentence(&self) -> Self {
        let mut first = Self::default();
        for piece in &self.0 {
            let Inline::Text(text) = piece else {
                first.0.push(piece.clone());
                continue;
            };
            match sentence_end(text) {
                Some(end) => return first.text(text.get(..end).unwrap_or(text)),
                None => first = first.text(text),
            }
        }
        first
    }

    /// True if the prose is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Inline] {
        &self.0
    }

    /// Without markup, code in backticks: for messages and descriptions.
    pub fn to_plain(&self) -> String {
        let piece = |piece: &Inline| match piece {
            Inline::Text(text)
            | Inline::Emphasis(text)
            | Inline::Strong(text)
            | Inline::Link { text, .. } => text.clone(),
            Inline::Code(code) => format!("`{code}`"),
        };
        self.0.iter().map(piece).collect()
    }
}

impl From<&str> for Prose {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<String> for Prose {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// Returns the end of a sentence in a text that continues after it. An abbreviation is followed by a small letter.
fn sentence_end(text: &str) -> Option<usize> {
    let ends = text.match_indices(". ").find(|(at, _)| {
        let next = text.get(at + 2..).and_then(|rest| rest.trim_start().chars().next());
        next.is_none_or(|c| !c.is_lowercase())
    });
    ends.map(|(at, _)| at + 1)
}

/// Code with what cannot be seen or turns the direction of what is around it as escapes: `\u{202e}`. Line breaks stay.
pub(crate) fn show_marks(code: &str) -> Cow<'_, str> {
    let is_unseen = |c: char| !matches!(c, '\n' | '\t') && needs_escape(c);
    if !code.contains(is_unseen) {
        return Cow::Borrowed(code);
    }
    let show = |out: &mut String, c: char| match c {
        c if is_unseen(c) => out.extend(c.escape_default()),
        c => out.push(c),
    };
    let mut shown = String::with_capacity(code.len() + 8);
    code.replace("\r\n", "\n").chars().for_each(|c| show(&mut shown, c));
    Cow::Owned(shown)
}

/// Author's words on one line: breaks, blanks and controls of any kind become single spaces.
///
/// Python, and with it reStructuredText, ends lines at more characters than a newline.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if is_plain_line(text) {
        return Cow::Borrowed(text);
    }
    let is_blank = |c: char| {
        let overrides = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c == ' ' || c.is_control() || overrides || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    let starts = text.starts_with(is_blank);
    let ends = text.ends_with(is_blank);
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    let edge = |here: bool| if here { " " } else { "" };
    if words.is_empty() {
        return Cow::Borrowed(edge(starts));
    }
    Cow::Owned(format!("{}{}{}", edge(starts), words.join(" "), edge(ends)))
}

/// True if a text has only visible ASCII characters and single spaces, as most have.
fn is_plain_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) && !bytes.windows(2).any(|pair| pair == b"  ")
}
