//! Texts of authors in reStructuredText: docutils reads the same words in them, and in our output, as we do.

use kvrules_ir::Subject;
use kvrules_pages::{
    AuthorNotation, DocumentOptions, MARKDOWN, RESTRUCTUREDTEXT, Text, build_document, render_document,
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};

use crate::hostile::{PIECES, hostile, visible};
use crate::sphinx::{has, python};
use crate::support::*;

fn read(text: &str) -> Text {
    Text::of_author(text, AuthorNotation::ReStructuredText)
}

const AUTHOR: &str = "\
**short** and *plain*, ``code`` and :command:`ls`, see `the docs <https://a.example/b>`_,
named_ or `this <javascript:run>`__; |substituted| stays.

.. _named: https://n.example/x_y

- one
- ``two``

  with more

3. three
4. four

.. warning:: mind *this*

   and that

.. note::
   :class: x

   again

.. code-block:: sh
   :linenos:

   ls | wc

It is code::

   a
     b

=====  =====
a      b
=====  =====
1      ``2``
3      4
=====  =====

+----+----+
| c  | d  |
+====+====+
| 5  | 6  |
+----+----+

.. list-table::
   :header-rows: 1

   * - e
     - f
   * - 7
     - 8

Heading
-------

   A quote.

.. raw:: html

   <script>alert(1)</script>
";

#[test]
fn restructuredtext_is_laid_out_in_every_format() {
    let text = read(AUTHOR);
    insta::assert_snapshot!([text.markdown, text.restructuredtext, text.html].join("\n\n=====\n\n"));
}

/// The words of Markdown.
fn words(markdown: &str) -> String {
    let everything =
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let events = Parser::new_ext(markdown, everything);
    let words = events.fold(String::new(), |mut out, event| {
        if let Event::Text(wording) | Event::Code(wording) = event {
            out.push_str(&wording);
        }
        out
    });
    visible(&words)
}

/// Letters and digits, which no markup is made of.
fn letters(text: &str) -> String {
    visible(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(300), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_restructuredtext_of_an_author_breaks_a_page(text in hostile()) {
        let wording = read(&text);
        prop_assert!(!wording.html.contains("<script") && !wording.html.contains("javascript:\""), "{}", wording.html);
        // Markup that other tools expand before Markdown is written as HTML, and has tests of its own.
        if !["{{", "{%", "{#"].iter().any(|mark| text.contains(mark)) {
            let (plain, markdown) = (letters(&wording.plain), letters(&words(&wording.markdown)));
            // Titles of admonitions are ours.
            if !text.contains("note::") {
                prop_assert_eq!(markdown, plain, "{}", wording.markdown);
            }
        }
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
        "doctitle_xform": False, "docinfo_xform": False, "file_insertion_enabled": False, "raw_enabled": False})
    problems = [node.astext() for node in tree.findall(nodes.system_message) if node["level"] > 1]
    for node in list(tree.findall(nodes.system_message)):
        node.parent.remove(node)
    answers.append([problems, tree.astext()])
json.dump(answers, sys.stdout)
"#;

fn docutils(texts: &[String]) -> Vec<(Vec<String>, String)> {
    let answer = python(&["-c", READ], &serde_json::to_string(texts).unwrap()).expect("docutils reads");
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn docutils_takes_whatever_becomes_of_an_authors_restructuredtext() {
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
                format!("*{piece}* and **{piece}** and ``{piece}``"),
                format!("- {piece}\n- {}\n\n{piece}", next(index)),
                format!("`{piece} <https://a.example/{index}>`_ {piece}"),
                format!(".. note:: {piece}\n\n   {}", next(index)),
                format!("::\n\n  {piece}\n    {}", next(index)),
                format!("=== ===\n{piece} b\n=== ===\n1   2\n=== ==="),
            ]
        })
        .collect();
    let wording: Vec<String> = texts.iter().map(|text| read(text).restructuredtext).collect();
    for ((text, wording), (problems, words)) in texts.iter().zip(&wording).zip(docutils(&wording)) {
        assert!(problems.is_empty(), "{text:?}\n{wording}\n{problems:?}");
        assert_eq!(
            letters(&words),
            letters(&read(text).plain.replace("(none)", "none")),
            "{text:?}\n{wording}"
        );
    }
    println!("docutils read {} texts of authors", texts.len());
}

/// Well-formed texts that mean the same to docutils and to us.
const WELL_FORMED: &[&str] = &[
    "a **b** *c* ``d`` `e <https://a.example>`_ `f <https://a.example>`__.",
    "(*a*), \"``b``\" and 'c*d' 2*3*4 snake_case __init__",
    "a\\*b\\* \\`c\\` d\\\\e f\\ *g*",
    "see https://a.example/b_c, or <https://d.example>.",
    "- a\n- b\n\n  c\n\n  - d\n\n- e",
    "* a\n  b\n* c",
    "1. a\n2. b\n\n#. c",
    "1. is no list\nhere",
    "a::\n\n  b *c*\n\n    d\n\ne ::\n\n  f\n\n::\n\n  g",
    ".. note:: a *b*\n\n.. warning::\n\n   c\n\n   - d\n\n.. tip::\n   e",
    ".. code-block:: sh\n\n   a | b\n\n.. code::\n\n   c",
    "=== ===\na   b\n=== ===\n1   2 *x*\n3\n    4\n=== ===",
    "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n| c |   |\n+---+---+",
    "term\n  what it *means*\n\nother\n  more",
    "  quoted\n\nnot",
    "Head\n====\n\ntext",
    "name_ and `two words`_\n\n.. _name: https://a.example\n.. _two words: https://b.example",
    ">>> 1 + 1\n2\n\nend",
    ":strong:`a` :literal:`b` :emphasis:`c`",
    "a *b\nc* d",
];

#[test]
fn docutils_reads_the_same_words_before_and_after() {
    if !has("docutils") {
        return;
    }
    let texts: Vec<String> = WELL_FORMED.iter().map(|text| (*text).to_owned()).collect();
    let wording: Vec<String> = texts.iter().map(|text| read(text).restructuredtext).collect();
    let (before, after) = (docutils(&texts), docutils(&wording));
    for (text, ((problems, words), (trouble, ours))) in texts.iter().zip(before.iter().zip(&after)) {
        assert!(problems.is_empty(), "{text:?} is not well-formed: {problems:?}");
        assert!(trouble.is_empty(), "{text:?}: {trouble:?}");
        assert_eq!(visible(ours), visible(words), "{text:?}");
        assert_eq!(visible(&plain_of_markdown(text)), visible(words), "{text:?}");
    }
}

/// Returns the words of the Markdown as a reader sees them; titles of admonitions are ours.
fn plain_of_markdown(text: &str) -> String {
    let wording = words(&read(text).markdown);
    ["Note", "Warning", "Tip"].iter().fold(wording, |wording, title| wording.replace(title, ""))
}

#[test]
fn a_message_of_any_block_stands_below_its_label() {
    if !has("docutils") {
        return;
    }
    let messages = ["- a\n- b", ".. note::\n\n   c", "::\n\n   d", "2. e", "f\n\n- g", "plain"];
    for message in messages {
        let rule = Plan::new("x", disk_bus(), one_of(&["virtio"])).saying(message).rule();
        let sets = [set("x", &[], vec![rule])];
        let making = DocumentOptions {
            notation: AuthorNotation::ReStructuredText,
            ..DocumentOptions::with_version("0")
        };
        let document = build_document(&sets, Subject::virtual_machine(), &making);
        let page = |format| render_document(format, &document, &[]).unwrap().remove(1).text;
        let (problems, words) = docutils(&[page(&RESTRUCTUREDTEXT)]).remove(0);
        assert!(problems.is_empty(), "{message:?}: {problems:?}");
        assert!(
            letters(&words)
                .contains(&format!("Message{}", letters(message).replace("note", "").replace('2', ""))),
            "{words}"
        );
        let markdown = page(&MARKDOWN);
        let is_list = markdown.contains("- **Message:** \n\n  - a\n  - b\n");
        assert_eq!(is_list, message.starts_with("- a"), "{markdown}");
    }
}
