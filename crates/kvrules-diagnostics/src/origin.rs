//! The memory of where a node came from.

use std::hash::{Hash, Hasher};

use crate::Span;

/// Location of a node, if it was written at all.
///
/// Two origins always compare equal and hash alike, so a type that carries one can derive `Eq` and `Hash` and
/// still compare by meaning: the same rule written twice is the same rule.
///
/// ```
/// use kvrules_diagnostics::{FileId, Origin, Span};
/// let here = Origin::from(Span::new(FileId(0), 3, 8));
/// assert_eq!(here, Origin::default());
/// assert_eq!(here.span().map(|span| span.start), Some(3));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(Option<Span>);

impl Origin {
    /// The span, unless the node was made and not read.
    pub fn span(self) -> Option<Span> {
        self.0
    }
}

impl From<Span> for Origin {
    fn from(span: Span) -> Self {
        Self(Some(span))
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Hash for Origin {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
