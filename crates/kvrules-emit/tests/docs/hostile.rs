//! Texts that try to break a page: read back with a Markdown parser, they are still only texts.

use kvrules_ir::{ElaboratedSet, RegexPattern, Subject, ValueTest};
use kvrules_pages::{DocumentOptions, HTML, build_document, render_document};
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::support::*;

/// Pieces of which hostile texts are made.
pub(crate) const PIECES: &[&str] = &[
    "`",
    "``",
    "a`b",
    "|",
    "a | b",
    "{{",
    "{{#include x}}",
    "{% raw %}",
    "..",
    ".. note:: x",
    "::",
    "<script>alert(1)</script>",
    "<!-- ",
    "-->",
    "*",
    "**",
    "_",
    "__",
    "a_b",
    "x_",
    "`x`_",
    "|x|",
    "[1]_",
    "[a](b)",
    "![",
    "]",
    "&amp;",
    "&",
    "#",
    "# h",
    "- ",
    "+ ",
    "1. ",
    "12) ",
    "(i) ",
    "=====",
    "-----",
    "~~~",
    "> ",
    "\\",
    "\\\\",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{85}",
    "\u{2028}",
    "\u{c}",
    "\0",
    "\u{1b}[31m",
    "שלום",
    "\u{202e}",
    "磁盘总线",
    "한국어",
    "é",
    "e\u{301}",
    "🖥️",
    "http://a.b/c_",
    "a@b.c",
    ":x:",
    ":ref:`x`",
    "$x$",
    "^x^",
    "~x~",
    "~~x~~",
    "\"",
    "'",
    "word",
    " ",
    "    code",
    "{#id}",
    "{.c}",
    "\u{feff}",
    "A. ",
    "• ",
    ">>> 1",
    "__ x",
    "-a  x",
    "/V x",
    "+---+",
    "Always.",
    "<a id=\"x\">",
    "</details>",
    "\u{a0}",
    "\u{200b}",
    "%}",
    "www.a.b",
    "self",
];

pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop_oneof![
        19 => proptest::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat()),
        1 => Just("long ".repeat(2000)),
    ]
}

/// A set with one text in every place where an author can write one.
pub(crate) fn set_of(text: &str, other: &str) -> ElaboratedSet {
    let pattern = ValueTest::Matches(RegexPattern(text.to_owned()));
    let mut subject = memory();
    text.clone_into(&mut subject.text);
    let rules = vec![
        Plan::new(text, disk_bus(), one_of(&[text, other])).guarded(disk_bus()).saying(text).rule(),
        Plan::new(other, subject, pattern).saying(other).rule(),
    ];
    let mut set = set(text, &[text, other], rules);
    set.left_out.push(left_out(text, text));
    set
}

/// Returns a text without blanks and invisible characters.
pub(crate) fn visible(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || is_mark(c);
    let plain: String = text.chars().filter(|c| !blank(*c)).collect();
    // Code shows them as escapes.
    let mut parts = plain.split("\\u{");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').unwrap_or((part, ""));
        match u32::from_str_radix(number, 16).ok().and_then(char::from_u32) {
            Some(c) if is_mark(c) => shown.push_str(rest),
            _ => shown.extend(["\\u{", part]),
        }
    }
    shown
}

/// Characters that pages leave out or show as escapes: they act on a display.
fn is_mark(c: char) -> bool {
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || direction || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

pub(crate) fn named(text: &str) -> String {
    if visible(text).is_empty() { "(noname)".to_owned() } else { visible(text) }
}

/// A page as a reader sees it.
#[derive(Debug, Default)]
struct Seen {
    headings: Vec<(HeadingLevel, String)>,
    items: Vec<String>,
    codes: Vec<String>,
    html: Vec<String>,
    blocks: usize,
}

fn read(markdown: &str) -> Seen {
    let options =
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut seen = Seen::default();
    let mut text = String::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Item) => text.clear(),
            Event::End(TagEnd::Heading(level)) => seen.headings.push((level, visible(&text))),
            Event::End(TagEnd::Item) => seen.items.push(visible(&text)),
            Event::Text(wording) => text.push_str(&wording),
            Event::Code(wording) => {
                text.push_str(&wording);
                seen.codes.push(wording.into_string());
            }
            Event::Html(wording) | Event::InlineHtml(wording) => seen.html.push(wording.into_string()),
            Event::SoftBreak
            | Event::End(_)
            | Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Strong | Tag::Link { .. } | Tag::HtmlBlock) =>
                {}
            _ => seen.blocks += 1,
        }
    }
    seen
}

fn check(text: &str, other: &str) -> Result<(), TestCaseError> {
    let sets = [set_of(text, other)];
    let files = files("markdown", &sets, &[]).expect("the built-in templates are right");
    let page = read(&files[1].text);
    let titles: Vec<&str> = page.headings.iter().map(|(_, title)| title.as_str()).collect();
    let (first, second) = (named(text), named(other));
    prop_assert_eq!(titles, vec![&*first, &*first, &*second, "Rulesthatarenotchecked"]);
    prop_assert_eq!(page.blocks, 0, "{}", files[1].text);
    let message = |text: &str| {
        let wording = if visible(text).is_empty() { "(none)".to_owned() } else { visible(text) };
        format!("Message:{wording}")
    };
    prop_assert!(page.items.contains(&message(text)), "{:?}", page.items);
    prop_assert!(page.items.contains(&message(other)), "{:?}", page.items);
    for html in &page.html {
        let ours = ["<!--Generatedbykvrules", "<aid=\"", "</a>", "<code>", "</code>"];
        prop_assert!(ours.iter().any(|tag| visible(html).starts_with(tag)), "{html:?}");
    }
    let plain = |text: &&str| visible(text) == **text && !text.starts_with('"') && !text.ends_with('"');
    let is_shown = |text: &str| page.codes.iter().any(|code| code == text);
    for value in
        [text, other].iter().filter(|value| plain(value) && !value.is_empty() && !value.contains('{'))
    {
        // Other tests cover characters that a page cannot show as they are.
        prop_assert!(
            is_shown(value) || value.contains(['\u{200b}', '\u{200c}', '\u{200d}', '\u{ad}']),
            "{value:?}"
        );
    }
    let index = read(&files[0].text);
    prop_assert_eq!(&index.headings.last().unwrap().1, &first);
    prop_assert_eq!(index.blocks, 0, "{}", files[0].text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(100), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_markdown_page(text in hostile(), other in hostile()) {
        check(&text, &other)?;
    }
}

#[test]
fn no_single_piece_breaks_a_markdown_page() {
    for piece in PIECES {
        check(piece, "b").unwrap();
        check(&format!("a {piece}"), piece).unwrap();
        check(&format!("{piece} a"), &format!("{piece}{piece}")).unwrap();
    }
}

/// The tags of a page of HTML, and its words.
fn tags_and_words(html: &str) -> (Vec<String>, String) {
    let (mut tags, mut words) = (Vec::new(), String::new());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        words.push_str(before);
        let (tag, after) = after.split_once('>').expect("a tag is closed");
        tags.push(tag.split([' ', '\n']).next().unwrap_or_default().trim_start_matches('/').to_owned());
        rest = after;
    }
    words.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    (tags, entities.iter().fold(words, |words, (entity, c)| words.replace(entity, c)))
}

fn check_html(text: &str, other: &str) -> Result<(), TestCaseError> {
    let sets = [set_of(text, other)];
    let document = build_document(&sets, Subject::virtual_machine(), &DocumentOptions::with_version("0.0.0"));
    let files = render_document(&HTML, &document, &[]).expect("the built-in templates are right");
    let known = [
        "!DOCTYPE", "!--", "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "a",
        "section", "dl", "dt", "dd", "code", "bdi", "ul", "li", "strong", "details", "summary", "span",
        "svg", "desc", "path", "circle", "rect", "text", "header", "nav", "search", "div", "aside", "footer",
    ];
    // The script of the page itself has no text of authors in it.
    let (before, script) = files[1].text.split_once("<script>").expect("a page has a script");
    let (_, after) = script.split_once("</script>").expect("it ends");
    let (tags, words) = tags_and_words(&format!("{before}{after}"));
    let unknown: Vec<&String> = tags.iter().filter(|tag| !known.contains(&tag.as_str())).collect();
    prop_assert!(unknown.is_empty(), "{unknown:?}");
    for text in [text, other] {
        prop_assert!(visible(&words).contains(&visible(text)), "{text:?} in {words}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(100), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_page_of_html(text in hostile(), other in hostile()) {
        check_html(&text, &other)?;
    }
}

#[test]
fn anchors_are_unique_and_explicit_only_where_headings_do_not_make_them() {
    let names = ["disk-bus", "Disk bus", "a.b", "disk-bus-2", "磁盘"];
    let rule = |name: &&str| Plan::new(name, disk_bus(), one_of(&["a"])).rule();
    let page = file("markdown", &[set("x", &[], names.iter().map(rule).collect())], "x.md");
    let anchors: Vec<&str> = page.lines().filter(|line| line.starts_with("<a ")).collect();
    assert_eq!(
        anchors,
        [
            "<a id=\"disk-bus-2\"></a>",
            "<a id=\"a.b\"></a>",
            "<a id=\"disk-bus-2-2\"></a>",
            "<a id=\"rules\"></a>"
        ]
    );
}
