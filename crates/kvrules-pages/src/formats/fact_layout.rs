//! Facts in a format, whatever their kinds are.

use serde::Serialize;

use super::{Format, hang_blocks};
use crate::code_language::CodeLanguage;
use crate::fact::{Fact, FactValue, Piece, Reference};
use crate::prose::{Prose, text_code};

/// Addresses of links between descriptions.
pub trait PageLinks {
    /// The address of a description: a label in reStructuredText. `None` if it is described nowhere.
    fn address_of(&self, reference: &Reference) -> Option<String>;

    /// True if names of families can be linked to where they are listed.
    fn has_targets(&self) -> bool;
}

/// Links between the files of a format.
impl PageLinks for Format {
    fn address_of(&self, reference: &Reference) -> Option<String> {
        let page = reference.page.as_ref()?;
        if self.name == "restructuredtext" {
            return reference.label.clone();
        }
        let file = if page.is_empty() { String::new() } else { format!("{page}.{}", self.extension) };
        let anchor = reference.anchor.as_ref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
        Some(format!("{file}{anchor}"))
    }

    fn has_targets(&self) -> bool {
        true
    }
}

/// A fact in a format.
#[derive(Clone, Debug, Serialize)]
pub struct LaidOutFact {
    /// The label, which is escaped.
    pub label: String,
    /// `line`, `list` or `code`.
    pub form: &'static str,
    /// The value, indented so that it can follow the label in an item of a list. A list begins on a line of its own.
    pub value: String,
}

/// Lays out a fact.
pub fn lay_out_fact(format: &Format, fact: &Fact, links: &dyn PageLinks) -> LaidOutFact {
    let (form, value) = match &fact.value {
        FactValue::Line(line) => {
            ("line", hang_blocks(&render_pieces(format, line, links), format.fact_indent))
        }
        FactValue::List(items) => {
            let items: Vec<String> = items.iter().map(|item| render_pieces(format, item, links)).collect();
            ("list", hang_blocks(&(format.list)(&items), format.fact_indent))
        }
        FactValue::Code(code) => ("code", (format.code_block)(code, CodeLanguage::of_fact(&fact.kind))),
    };
    LaidOutFact { label: fact.label.in_format(format).to_owned(), form, value }
}

fn render_pieces(format: &Format, pieces: &[Piece], links: &dyn PageLinks) -> String {
    pieces.iter().map(|piece| render_piece(format, piece, links)).collect()
}

fn render_piece(format: &Format, piece: &Piece, links: &dyn PageLinks) -> String {
    let code = |name: &str| (format.inline)(&Prose::of_code(text_code(name)));
    match piece {
        Piece::Words(words) if format.fact_indent == 0 => words.as_str().replace('\n', " "),
        Piece::Words(words) => words.as_str().to_owned(),
        Piece::Text(text) => text.in_format(format).to_owned(),
        Piece::Code(code) => (format.inline)(&Prose::of_code(code)),
        Piece::Link { text, url: Some(url) } => (format.inline)(&Prose::default().link(text, url)),
        Piece::Link { text, url: None } => (format.inline)(&Prose::from(text.as_str())),
        Piece::Reference(reference) => match links.address_of(reference) {
            Some(address) => (format.refer)(&text_code(&reference.name), &address),
            None => code(&reference.name),
        },
        Piece::Target { name, anchor } if links.has_targets() => (format.target)(&code(name), anchor),
        Piece::Target { name, .. } => code(name),
        Piece::Picture(picture) => format.picture.map(|draw| draw(picture)).unwrap_or_default(),
    }
}
