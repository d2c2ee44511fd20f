//! Descriptions by authors as text of pages.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kvrules_pages::{AuthorNotation, Format, Text};

/// Descriptions as text, each made once: versions of a definition repeat most of them, and definitions those of common types.
#[derive(Debug)]
pub(super) struct DescriptionTexts<'a> {
    notation: AuthorNotation,
    format: Option<&'static Format>,
    known: Mutex<HashMap<&'a str, Option<Text>>>,
}

impl<'a> DescriptionTexts<'a> {
    /// For descriptions in a notation, which are written in one format or in all.
    pub(super) fn in_notation(notation: AuthorNotation, format: Option<&'static Format>) -> Self {
        Self { notation, format, known: Mutex::default() }
    }

    /// Returns a description as text; `None` if it has no words.
    pub(super) fn find_text(&self, description: &'a str) -> Option<Text> {
        if description.is_empty() {
            return None;
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(description).cloned();
        found.unwrap_or_else(|| {
            let text = Text::of_description(description, self.notation, self.format);
            known().insert(description, text.clone());
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use kvrules_pages::{FORMATS, HTML};

    use super::*;

    #[test]
    fn equal_descriptions_are_made_into_text_once() {
        let texts = DescriptionTexts::in_notation(AuthorNotation::Plain, None);
        let (one, other) = (texts.find_text("The depth."), texts.find_text("The width."));
        assert_ne!(one, other);
        assert_eq!(one, Text::of_description("The depth.", AuthorNotation::Plain, None));
        assert_eq!((texts.find_text("The depth."), texts.find_text("")), (one, None));
        assert_eq!((texts.find_text(" "), texts.known.into_inner().unwrap().len()), (None, 3));
    }
    #[test]
    fn descriptions_in_one_format_are_those_of_all_formats() {
        let words = "The *depth* of `x`.";
        let in_all = Text::of_description(words, AuthorNotation::Markdown, None).unwrap();
        let in_html = Text::of_description(words, AuthorNotation::Markdown, Some(&HTML)).unwrap();
        assert_eq!((&in_html.html, &in_html.plain), (&in_all.html, &in_all.plain));
        assert!(in_html.markdown.is_empty() && in_html.restructuredtext.is_empty());
        for format in FORMATS {
            let one = Text::of_description(words, AuthorNotation::Markdown, Some(format)).unwrap();
            let texts = [
                (&one.markdown, &in_all.markdown),
                (&one.restructuredtext, &in_all.restructuredtext),
                (&one.html, &in_all.html),
            ];
            assert_eq!(texts.iter().filter(|(one, all)| one == all).count(), 1, "{}", format.name);
        }
    }
}
