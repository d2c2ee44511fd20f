//! A text that other texts are put into.

/// A piece of the result.
#[derive(Clone, Debug)]
enum Piece {
    /// These bytes of the original text.
    Kept(usize, usize),
    /// A text that was put in.
    Inserted(String),
}

/// A text with texts that were put in.
#[derive(Clone, Debug)]
pub(super) struct EditedText<'t> {
    original: &'t str,
    pieces: Vec<Piece>,
}

impl<'t> EditedText<'t> {
    pub(super) fn new(original: &'t str) -> Self {
        Self { original, pieces: vec![Piece::Kept(0, original.len())] }
    }

    /// The text as it is now.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|piece| self.piece_text(piece)).collect()
    }

    fn piece_text<'p>(&self, piece: &'p Piece) -> &'p str
    where
        't: 'p,
    {
        match piece {
            Piece::Kept(start, end) => self.original.get(*start..*end).unwrap_or_default(),
            Piece::Inserted(text) => text,
        }
    }

    /// Puts a text in at a byte offset of the text as it is now.
    pub(super) fn insert_text(&mut self, at: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut left = at;
        let mut pieces = Vec::new();
        let mut is_placed = false;
        for piece in std::mem::take(&mut self.pieces) {
            let len = self.piece_text(&piece).len();
            if is_placed || left > len {
                left = left.saturating_sub(len);
                pieces.push(piece);
                continue;
            }
            is_placed = true;
            match piece {
                Piece::Kept(start, end) => {
                    let middle = start + left;
                    pieces.extend([
                        Piece::Kept(start, middle),
                        Piece::Inserted(text.to_owned()),
                        Piece::Kept(middle, end),
                    ]);
                }
                Piece::Inserted(mut own) => {
                    own.insert_str(left, text);
                    pieces.push(Piece::Inserted(own));
                }
            }
        }
        self.pieces = pieces;
    }

    /// The texts that were put in, each with its byte offset in the original text.
    pub(super) fn into_insertions(self) -> Vec<(usize, String)> {
        let (mut at, mut insertions) = (0, Vec::<(usize, String)>::new());
        for piece in self.pieces {
            match piece {
                Piece::Kept(_, end) => at = end,
                Piece::Inserted(text) => match insertions.last_mut() {
                    Some((known, before)) if *known == at => before.push_str(&text),
                    _ => insertions.push((at, text)),
                },
            }
        }
        insertions
    }
}
