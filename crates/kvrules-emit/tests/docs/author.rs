//! Texts of authors in Markdown: a text keeps its words, its markup where that is harmless, and no power over the page.

use kvrules_pages::{AuthorNotation, Text};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};

use crate::hostile::{PIECES, hostile, visible};
use crate::sphinx::{has, python};

const AUTHOR: &str = "**short** and *plain*, see [the `docs`](https://a.example/b) or [this](javascript:run)\n\n- one\n- \
                      `two`\n\n3. three\n\n> [!WARNING]\n> mind *this*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls \
                      | wc\n```\n\n<script>alert(1)</script>\n";

fn markdown(text: &str) -> Text {
    Text::of_author(text, AuthorNotation::Markdown)
}

#[test]
fn markdown_is_laid_out_in_every_format() {
    let text = markdown(AUTHOR);
    insta::assert_snapshot!([text.markdown, text.restructuredtext, text.html].join("\n\n=====\n\n"));
}

#[test]
fn plain_words_are_only_words() {
    let text = Text::of_author("**a** `b`", AuthorNotation::Plain);
    assert_eq!(text.plain, "**a** `b`");
    assert_eq!(text.markdown, r"\*\*a\*\* \`b\`");
    assert_eq!(text.html, "<bdi>**a** `b`</bdi>");
    assert_eq!(Text::of_author(" \n", AuthorNotation::Plain).plain, "(none)");
}

#[test]
fn blocks_deeper_than_anybody_writes_are_words() {
    let deep = "> ".repeat(20_000) + "end";
    assert!(markdown(&deep).markdown.contains("end"));
}

/// Tags for stressed words where stars could be read as something else.
const OURS: [&str; 4] = ["<em>", "</em>", "<strong>", "</strong>"];

/// The words of Markdown, and whether it holds HTML.
fn words(text: &str, options: Options) -> (String, bool) {
    let mut words = String::new();
    let mut is_html = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(wording) | Event::Code(wording) => words.push_str(&wording),
            Event::InlineHtml(wording) if OURS.contains(&&*wording) => {}
            Event::Html(wording) | Event::InlineHtml(wording) => {
                is_html = true;
                words.push_str(&wording);
            }
            _ => {}
        }
    }
    (visible(&words), is_html)
}

fn written(text: &str) -> String {
    words(text, Options::ENABLE_TABLES | Options::ENABLE_GFM).0
}

/// Code that others read before Markdown does is written as HTML, and has tests of its own.
fn is_read_by_others(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let wording = markdown(text);
    let everything =
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let (words, is_html) = words(&wording.markdown, everything);
    let expected = match written(text) {
        nothing if nothing.is_empty() => "(none)".to_owned(),
        words => words,
    };
    if !is_read_by_others(text) {
        prop_assert!(!is_html, "{}", wording.markdown);
        prop_assert_eq!(&words, &expected, "{}", wording.markdown);
    }
    prop_assert!(
        !wording.html.contains("<script") && !wording.html.contains("javascript:\""),
        "{}",
        wording.html
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_markdown_of_an_author_breaks_a_page_or_loses_words(text in hostile()) {
        check(&text)?;
    }
}

/// Reads a list of texts and answers for each the problems and the words.
const READ: &str = r#"
import json, sys
from docutils import nodes
from docutils.core import publish_doctree

answers = []
for text in json.load(sys.stdin):
    tree = publish_doctree(text, settings_overrides={"report_level": 2, "halt_level": 5, "warning_stream": False,
        "doctitle_xform": False, "docinfo_xform": False})
    problems = [node.astext() for node in tree.findall(nodes.system_message) if node["level"] > 1]
    for node in list(tree.findall(nodes.system_message)):
        node.parent.remove(node)
    answers.append([problems, tree.astext()])
json.dump(answers, sys.stdout)
"#;

#[test]
fn docutils_finds_the_words_of_markdown_again() {
    if !has("docutils") {
        return;
    }
    let next = |index: usize| PIECES[(index * 11 + 5) % PIECES.len()];
    let texts: Vec<String> = PIECES
        .iter()
        .enumerate()
        .flat_map(|(index, piece)| {
            [
                (*piece).to_owned(),
                format!("a {piece} b"),
                format!("*{piece}* and **{piece}**"),
                format!("- {piece}\n- {}\n\n{piece}", next(index)),
                format!("[{piece}](https://a.example/{index}) {piece}"),
                format!("```\n{piece}\n  {}\n```", next(index)),
            ]
        })
        .collect();
    let wording: Vec<String> = texts.iter().map(|text| markdown(text).restructuredtext).collect();
    let answer = python(&["-c", READ], &serde_json::to_string(&wording).unwrap()).expect("docutils reads");
    let answers: Vec<(Vec<String>, String)> = serde_json::from_str(&answer).unwrap();
    for ((text, wording), (problems, words)) in texts.iter().zip(&wording).zip(answers) {
        assert!(problems.is_empty(), "{text:?}\n{wording}\n{problems:?}");
        let expected = match written(text) {
            nothing if nothing.is_empty() => "(none)".to_owned(),
            words => words,
        };
        assert_eq!(visible(&words).replace('\0', ""), expected, "{text:?}\n{wording}");
    }
    println!("docutils read {} texts of authors", texts.len());
}
