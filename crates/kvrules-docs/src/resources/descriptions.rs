//! Descriptions by authors as text of pages.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kvrules_pages::{AuthorNotation, Text};

/// Descriptions as text, each made once: versions of a definition repeat most of them, and definitions those of common types.
#[derive(Debug)]
pub(super) struct DescriptionTexts<'a> {
    notation: AuthorNotation,
    known: Mutex<HashMap<&'a str, Option<Text>>>,
}

impl<'a> DescriptionTexts<'a> {
    /// For descriptions in a notation.
    pub(super) fn in_notation(notation: AuthorNotation) -> Self {
        Self { notation, known: Mutex::default() }
    }

    /// Returns a description as text; `None` if it has no words.
    pub(super) fn find_text(&self, description: &'a str) -> Option<Text> {
        if description.is_empty() {
            return None;
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(description).cloned();
        found.unwrap_or_else(|| {
            let text = Text::of_description(description, self.notation);
            known().insert(description, text.clone());
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_descriptions_are_made_into_text_once() {
        let texts = DescriptionTexts::in_notation(AuthorNotation::Plain);
        let (one, other) = (texts.find_text("The depth."), texts.find_text("The width."));
        assert_ne!(one, other);
        assert_eq!(one, Text::of_description("The depth.", AuthorNotation::Plain));
        assert_eq!((texts.find_text("The depth."), texts.find_text("")), (one, None));
        assert_eq!((texts.find_text(" "), texts.known.into_inner().unwrap().len()), (None, 3));
    }
}
