//! The texts of a file that people read: string literals and doc comments of product crates, pages, and templates.

use std::ops::Range;

use super::mask;
use crate::scan::{body_after, code_only, comments_and_literals, test_ranges, words};
use crate::workspace::Source;

/// Kind of a text, which the list of words selects by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// String literal of a product crate.
    Message,
    /// Doc comment that clap shows.
    Help,
    /// Heading of a page.
    Heading,
    /// Page under `docs`, page at the root, or template of a page.
    Page,
    /// Doc comment of a file or of a public item.
    PublicDocs,
    /// Doc comment of another item.
    PrivateDocs,
    /// First line of any other comment.
    Comment,
}

impl Kind {
    /// All kinds except comments, for which most phrases would have too many matches.
    const ALL: [Self; 6] =
        [Self::Message, Self::Help, Self::Heading, Self::Page, Self::PublicDocs, Self::PrivateDocs];

    /// The kinds for a name in the list.
    pub(super) fn named(name: &str) -> Option<Vec<Self>> {
        Some(match name {
            "all" => Self::ALL.to_vec(),
            "messages" => vec![Self::Message],
            "help" => vec![Self::Help],
            "headings" => vec![Self::Heading],
            "pages" => vec![Self::Page, Self::Heading],
            "public-docs" => vec![Self::PublicDocs, Self::Help],
            "docs" => vec![Self::PublicDocs, Self::PrivateDocs, Self::Help],
            "comments" => vec![Self::Comment],
            _ => return None,
        })
    }

    /// Name for the error.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Message => "a message",
            Self::Help => "help",
            Self::Heading => "a heading",
            Self::Page => "a page",
            Self::PublicDocs | Self::PrivateDocs => "a doc comment",
            Self::Comment => "a comment",
        }
    }
}

/// A stretch of prose.
pub(super) struct Text {
    pub(super) kind: Kind,
    /// Offset in the file.
    pub(super) start: usize,
    /// Its bytes, with everything but prose replaced, so that offsets stay.
    pub(super) masked: String,
}

/// Pages that quote earlier versions, so their words stay.
const WITH_OLD_WORDS: [&str; 2] = ["CHANGELOG.md", "docs/internals/wording.md"];

pub(super) fn texts(source: &Source) -> Vec<Text> {
    let path = source.path.as_str();
    let is_product = path.starts_with("crates/") && path.contains("/src/");
    if source.is_rust() {
        let mut texts = opening_comments(&source.text);
        if is_product && !source.is_test() {
            texts.extend(texts_of_rust(&source.text));
        }
        return texts;
    }
    let is_page = (path.starts_with("docs/") || !path.contains('/')) && !WITH_OLD_WORDS.contains(&path);
    if path.ends_with(".md") && is_page {
        return texts_of_page(&source.text);
    }
    if path.ends_with(".j2") {
        let lines = lines_with_offsets(&source.text);
        return lines
            .map(|(start, line)| Text { kind: Kind::Page, start, masked: mask::template(line) })
            .collect();
    }
    Vec::new()
}

/// The first line of each block of comments that are not documentation.
fn opening_comments(text: &str) -> Vec<Text> {
    let is_comment = |range: &Range<usize>| {
        let comment = &text[range.clone()];
        comment.starts_with("//") && doc_marker(comment).is_none()
    };
    let comments: Vec<_> = comments_and_literals(text).into_iter().filter(is_comment).collect();
    let continues = |at: usize| at > 0 && is_continued(text, &comments[at - 1], &comments[at]);
    let opening = comments.iter().enumerate().filter(|(at, _)| !continues(*at));
    let to_text = |range: &Range<usize>| {
        let start = range.start + "//".len();
        Text { kind: Kind::Comment, start, masked: mask::markdown(&text[start..range.end]) }
    };
    opening.map(|(_, range)| to_text(range)).collect()
}

fn texts_of_rust(text: &str) -> Vec<Text> {
    let code = code_only(text);
    let tests = test_ranges(&code);
    let is_tested = |at: usize| tests.iter().any(|range| range.contains(&at));
    let (help, public) = (clap_ranges(&code), public_ranges(&code));
    let mut texts = Vec::new();
    let mut docs: Option<Range<usize>> = None;
    for range in comments_and_literals(text).into_iter().filter(|range| !is_tested(range.start)) {
        let marker = doc_marker(&text[range.clone()]);
        let joined = docs.clone().filter(|docs| marker.is_some() && is_continued(text, docs, &range));
        if let Some(joined) = joined {
            docs = Some(joined.start..range.end);
            continue;
        }
        texts.extend(docs.take().map(|docs| doc_text(text, &code, docs, &help, &public)));
        if marker.is_some() {
            docs = Some(range);
        } else {
            texts.extend(message(text, &code, range));
        }
    }
    texts.extend(docs.map(|docs| doc_text(text, &code, docs, &help, &public)));
    texts
}

fn doc_marker(comment: &str) -> Option<&str> {
    let marker = comment.get(..3)?;
    (marker == "//!" || marker == "///" && !comment.starts_with("////")).then_some(marker)
}

/// True if a comment continues in the next line.
fn is_continued(text: &str, comment: &Range<usize>, next: &Range<usize>) -> bool {
    let between = &text[comment.end..next.start];
    doc_marker(&text[comment.clone()]) == doc_marker(&text[next.clone()])
        && between.trim().is_empty()
        && between.matches('\n').count() == 1
}

fn doc_text(
    text: &str,
    code: &str,
    docs: Range<usize>,
    help: &[Range<usize>],
    public: &[Range<usize>],
) -> Text {
    let comment = &text[docs.clone()];
    let item = item_after(code, docs.end);
    let within = |ranges: &[Range<usize>]| ranges.iter().any(|range| range.contains(&item));
    let kind = if comment.starts_with("//!") {
        Kind::PublicDocs
    } else if within(help) {
        Kind::Help
    } else if code[item..].starts_with("pub ") || within(public) {
        Kind::PublicDocs
    } else {
        Kind::PrivateDocs
    };
    Text { kind, start: docs.start, masked: mask::doc_comment(comment) }
}

/// Offset of the item that a doc comment documents: its attributes are skipped.
fn item_after(code: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            return at;
        }
        let mut depth = 0_usize;
        let end = code[at..].find(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            c == ']' && depth == 0
        });
        let Some(end) = end else { return at };
        at += end + 1;
    }
}

/// The items whose doc comments are help.
fn clap_ranges(code: &str) -> Vec<Range<usize>> {
    let derives = code.match_indices("#[derive(").filter_map(|(at, _)| {
        let list = code[at..].split(')').next()?;
        let is_clap = ["Parser", "Args", "Subcommand", "ValueEnum"]
            .iter()
            .any(|name| words(list, name).next().is_some());
        is_clap.then(|| at..body_after(code, at + list.len()).map_or(at, |body| body.end))
    });
    derives.collect()
}

/// The bodies of public enums and traits, where everything is public without a word.
fn public_ranges(code: &str) -> Vec<Range<usize>> {
    let items = ["enum", "trait"].into_iter().flat_map(|keyword| words(code, keyword));
    items.filter(|at| code[..*at].ends_with("pub ")).filter_map(|at| body_after(code, at)).collect()
}

/// The text of a string literal of more than one word. Reasons of attributes are for readers of the code.
fn message(text: &str, code: &str, range: Range<usize>) -> Option<Text> {
    let literal = &text[range.clone()];
    let before = code[..range.start].trim_end();
    let is_shown = !["reason =", "feature =", "expect("].iter().any(|end| before.ends_with(end));
    let open =
        literal.find('"').filter(|open| literal[..*open].bytes().all(|byte| matches!(byte, b'r' | b'#')))?;
    let close = literal.rfind('"').filter(|close| *close > open)?;
    let inner = &literal[open + 1..close];
    let is_prose = is_shown && inner.contains(char::is_whitespace);
    is_prose.then(|| Text {
        kind: Kind::Message,
        start: range.start + open + 1,
        masked: mask::literal(inner, literal.starts_with('r')),
    })
}

/// Headings, paragraphs, items of lists and rows of tables; blocks of code are left out.
fn texts_of_page(text: &str) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    let mut block: Option<Range<usize>> = None;
    let mut is_code = false;
    let as_text = |block: Range<usize>| Text {
        kind: if text[block.clone()].starts_with('#') { Kind::Heading } else { Kind::Page },
        start: block.start,
        masked: mask::markdown(&text[block]),
    };
    for (start, line) in lines_with_offsets(text) {
        let content = line.trim_start();
        let is_fence = content.starts_with("```");
        is_code ^= is_fence;
        let is_prose = !is_fence && !is_code && !content.is_empty();
        let opens =
            content.starts_with(['#', '|', '-', '*']) || content.starts_with(|c: char| c.is_ascii_digit());
        if !is_prose || opens {
            texts.extend(block.take().map(as_text));
        }
        if is_prose {
            let from = block.map_or(start, |block| block.start);
            block = Some(from..start + line.len());
        }
        if content.starts_with('#') {
            texts.extend(block.take().map(as_text));
        }
    }
    texts.extend(block.map(as_text));
    texts
}

fn lines_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extracted(path: &str, text: &str) -> Vec<(Kind, String)> {
        let texts = texts(&Source { path: path.into(), text: text.into() });
        texts.into_iter().map(|text| (text.kind, text.masked.trim().replace("\n        ", "\n"))).collect()
    }

    #[test]
    fn literals_and_doc_comments_of_a_crate_are_extracted() {
        let text = "//! A file.\n/// An\n/// item.\n#[x(\"a b\")]\npub fn f() {\n    g(\"word\", \"a word\"); // a b\n}\n\
            /// Another.\nfn g() {}\n";
        let kinds: Vec<(Kind, String)> = extracted("crates/a/src/b.rs", text);
        let expected = [
            (Kind::Comment, "a b"),
            (Kind::PublicDocs, "A file."),
            (Kind::PublicDocs, "An\n    item."),
            (Kind::Message, "a b"),
            (Kind::Message, "a word"),
            (Kind::PrivateDocs, "Another."),
        ];
        assert_eq!(kinds, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn the_first_lines_of_comments_are_extracted_from_every_rust_file() {
        let text = "//! A file.\n// One,\n// continued.\n\n//\nfn f() {} // \u{e9}\n//";
        let texts = extracted("xtask/src/a.rs", text);
        let expected = ["One,", "", "\u{e9}"];
        assert_eq!(texts, expected.map(|text| (Kind::Comment, text.to_owned())));
    }

    #[test]
    fn doc_comments_of_arguments_are_help() {
        let text = "/// The command.\n#[derive(Debug, clap::Args)]\nstruct A {\n    /// An option.\n    a: u8,\n}\n/// B.\nstruct B;\n";
        let kinds: Vec<Kind> =
            extracted("crates/a/src/b.rs", text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::Help, Kind::Help, Kind::PrivateDocs]);
    }

    #[test]
    fn variants_of_a_public_enum_are_public() {
        let text = "/// An enum.\npub enum A {\n    /// A variant.\n    B,\n}\n";
        let kinds: Vec<Kind> =
            extracted("crates/a/src/b.rs", text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::PublicDocs, Kind::PublicDocs]);
    }

    #[test]
    fn a_page_is_split_into_its_blocks() {
        let text = "# Head\nOne\nparagraph\n\n- item\n- item\n```\ncode\n```\n| row |\n";
        let texts = extracted("docs/a.md", text);
        let expected = ["# Head", "One\nparagraph", "- item", "- item", "| row |"];
        assert_eq!(texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), expected);
        assert_eq!(texts[0].0, Kind::Heading);
    }
}
