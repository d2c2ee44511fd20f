//! The formats of pages: how words are escaped and marked up in each, and the templates that lay them out.

/// Returns the built-in templates of a format: those that every format has, and its own.
macro_rules! built_in_templates {
    ($format:literal, $extension:literal, [$($name:literal),*]) => {
        &[$(($name, include_str!(concat!("../../templates/", $format, "/", $name, ".", $extension, ".j2")))),*]
    };
    ($format:literal, $extension:literal $(, $own:literal)*) => {
        built_in_templates!($format, $extension, [
            "index", "rule_set", "group", "_set", "_rule", "_facts", "_rule_body", "extra_specs_index", "extra_specs", "_extra_spec",
            "_extra_spec_body", "resource", "_resource", "_resource_entry", "_resource_rule" $(, $own)*
        ])
    };
}

mod fact_layout;
mod html;
mod html_cel;
mod html_escape;
mod markdown;
mod restructuredtext;

mod markdown_escape;
mod restructuredtext_escape;

pub use fact_layout::{LaidOutFact, PageLinks, lay_out_fact};
pub use html::HTML;
pub use markdown::MARKDOWN;
pub use markdown_escape::{encode_entities, escape_code};
pub use restructuredtext::RESTRUCTUREDTEXT;

use super::author::{AuthorNotation, Block, has_words, parse_blocks, parse_comment, to_plain_text};
use super::document::Text;
use super::fact_picture::FactPicture;
use crate::code_language::CodeLanguage;
use crate::prose::Prose;

/// A format of pages.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Name for users, and folder of its templates.
    pub name: &'static str,
    /// The extension of its files.
    pub extension: &'static str,
    /// Its built-in templates: the part of the name before `.EXTENSION.j2`, and the text.
    pub(crate) templates: &'static [(&'static str, &'static str)],
    /// Running text.
    pub(crate) inline: fn(&Prose) -> String,
    /// Blocks of text; of one paragraph its running text alone.
    pub(crate) blocks: fn(&[Block]) -> String,
    /// A heading of a level, 1 the highest, of a title that is escaped.
    pub(crate) heading: fn(&str, usize) -> String,
    /// Text that is shown as it is, over several lines.
    pub(crate) verbatim: fn(&str) -> String,
    /// Code that leads to a place of our own: an address, in reStructuredText a label.
    pub(crate) refer: fn(&str, &str) -> String,
    /// Code, escaped, that others can refer to by an anchor.
    pub(crate) target: fn(&str, &str) -> String,
    /// A picture; unset in formats without pictures, whose words say the same.
    pub(crate) picture: Option<fn(&FactPicture) -> String>,
    /// Items of a list within an item.
    pub(crate) list: fn(&[String]) -> String,
    /// A block of code in a language.
    pub(crate) code_block: fn(&str, CodeLanguage) -> String,
    /// True if pages show fields as a tree that folds.
    pub(crate) is_folded: bool,
    /// True if pages have a search of their own, and so an index file.
    pub(crate) search: bool,
    /// Indentation of what continues an item of the list of facts; 0 in formats without.
    pub(crate) fact_indent: usize,
}

/// Every format, ordered by name.
pub const FORMATS: [&Format; 3] = [&HTML, &MARKDOWN, &RESTRUCTUREDTEXT];

impl Text {
    /// Words of ours.
    pub fn from_prose(prose: &Prose) -> Self {
        if let Some(words) = prose.unmarked_words() {
            let [plain, markdown, restructuredtext, html] = [words; 4].map(str::to_owned);
            return Self { plain, markdown, restructuredtext, html };
        }
        Self {
            plain: prose.to_plain(),
            markdown: (MARKDOWN.inline)(prose),
            restructuredtext: (RESTRUCTUREDTEXT.inline)(prose),
            html: (HTML.inline)(prose),
        }
    }

    /// The words in a format.
    pub fn in_format(&self, format: &Format) -> &str {
        match format.name {
            "markdown" => &self.markdown,
            "restructuredtext" => &self.restructuredtext,
            _ => &self.html,
        }
    }

    /// An author's words.
    pub fn of_author(text: &str, notation: AuthorNotation) -> Self {
        let blocks = parse_blocks(text, notation);
        if !blocks.iter().any(has_words) {
            return Self::from_prose(&"(none)".into());
        }
        Self {
            plain: to_plain_text(&blocks),
            markdown: (MARKDOWN.blocks)(&blocks),
            restructuredtext: (RESTRUCTUREDTEXT.blocks)(&blocks),
            html: (HTML.blocks)(&blocks),
        }
    }
}

impl Text {
    /// Items of a list below the words before it, each a line of words and code.
    pub fn of_items(items: &[Prose]) -> Self {
        let items = items.iter().map(|item| vec![Block::Paragraph(item.clone())]).collect();
        let list = [Block::List { start: None, items }];
        Self {
            plain: format!("\n{}", to_plain_text(&list)),
            markdown: format!("\n{}", (MARKDOWN.blocks)(&list)),
            restructuredtext: format!("\n\n{}", (RESTRUCTUREDTEXT.blocks)(&list)),
            html: (HTML.blocks)(&list),
        }
    }

    /// A description by an author; of one without markup the paragraphs, lists and indented lines. If one format is given, the texts in
    /// the others are empty.
    pub fn of_description(text: &str, notation: AuthorNotation, format: Option<&Format>) -> Option<Self> {
        let blocks = match notation {
            AuthorNotation::Plain => parse_comment(text),
            notation => parse_blocks(text, notation),
        };
        // In Markdown a list would swallow the list of facts behind it.
        let end = if matches!(blocks.last(), Some(Block::List { .. })) { "\n\n<!-- -->" } else { "" };
        let write = |own: &Format, end: &str| match format {
            Some(format) if format.name != own.name => String::new(),
            _ => (own.blocks)(&blocks) + end,
        };
        blocks.iter().any(has_words).then(|| Self {
            plain: to_plain_text(&blocks),
            markdown: write(&MARKDOWN, end),
            restructuredtext: write(&RESTRUCTUREDTEXT, ""),
            html: write(&HTML, ""),
        })
    }

    /// The first sentence of an author's words, for lists.
    pub fn of_summary(text: &str, notation: AuthorNotation) -> Self {
        let wording = parse_blocks(text, notation);
        let first = match wording.first() {
            Some(Block::Paragraph(prose)) => prose.first_sentence(),
            _ => to_plain_text(&wording).lines().next().unwrap_or_default().into(),
        };
        let is_expressed = has_words(&Block::Paragraph(first.clone()));
        Self::from_prose(&if is_expressed { first } else { "(none)".into() })
    }
}

impl From<&Prose> for Text {
    fn from(prose: &Prose) -> Self {
        Self::from_prose(prose)
    }
}

/// Blocks behind a label, whose lines after the first are indented. A label can only be followed by a paragraph, so another
/// block needs an empty line before it.
pub(super) fn hang_blocks(text: &str, indent: usize) -> String {
    match (indent, begins_block(text)) {
        (0, _) => text.to_owned(),
        (_, true) => hanging_indent(&format!("\n\n{text}"), indent),
        (_, false) => hanging_indent(text, indent),
    }
}

/// True if text that is escaped begins with a list, a table, code or another block.
fn begins_block(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < text.len() && number.starts_with(". ");
    let marks = ["- ", ".. ", "::\n", "> ", "| ", "<pre>"];
    is_numbered || begins_fence(text) || marks.iter().any(|mark| text.starts_with(mark))
}

/// True if text begins with a fenced block, whose first line names its language. Behind the marks of code in a line is a blank.
fn begins_fence(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let language = first.trim_start_matches('`');
    let is_name = !language.is_empty() && language.chars().all(|char| char.is_ascii_lowercase());
    first.len() - language.len() >= 3 && is_name
}

/// Items of a list below a label.
fn dashed_list(items: &[String]) -> String {
    items.iter().flat_map(|item| ["\n- ".to_owned(), hang_blocks(item, 2)]).collect()
}

/// Lines behind the first moved to the right, save empty ones.
fn hanging_indent(text: &str, width: usize) -> String {
    let pad = " ".repeat(width);
    let line = |(index, line): (usize, &str)| match line {
        line if index == 0 || line.is_empty() => line.to_owned(),
        line => format!("{pad}{line}"),
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Words on one line without the blanks around them, and those blanks: markup does not begin or end with any.
fn split_blanks(text: &str) -> (&'static str, String, &'static str) {
    let line = crate::prose::one_line(text);
    let blank = |is_there: bool| if is_there { " " } else { "" };
    let before = blank(line.starts_with(char::is_whitespace));
    let after = blank(line.ends_with(char::is_whitespace));
    (before, line.trim().to_owned(), after)
}

/// An address without what would end it early, each such character as the percent encoding of its bytes.
fn encode_address(url: &str) -> String {
    let breaks = |c: char| !c.is_ascii_graphic() || r#"<>\`{}|"'*_()[]^$"#.contains(c);
    let mut buffer = [0; 4];
    url.chars().fold(String::new(), |mut out, c| {
        if breaks(c) {
            out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmarked_words_are_the_same_in_every_format() {
        for words in ["Type", "a", "Accepted if", "List type", "I", "x y z", "http", "true"] {
            let prose = Prose::from(words);
            assert_eq!(prose.unmarked_words(), Some(words));
            for format in FORMATS {
                assert_eq!((format.inline)(&prose), words, "{}", format.name);
            }
            assert_eq!(prose.to_plain(), words);
        }
        let others = ["", " a", "a ", "a  b", "a.", "a_b", "1 a", "\u{e4}", "a\nb"].map(Prose::from);
        assert!(others.iter().chain([&Prose::of_code("a")]).all(|prose| prose.unmarked_words().is_none()));
    }
}
