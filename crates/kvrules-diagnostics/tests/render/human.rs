//! The human format where sources are awkward: line ends, byte-order marks, ends of files, very long lines.

use crate::sample::{raise_finding, render, span_of};
use kvrules_diagnostics::render::{RenderFormat, RenderOptions};
use kvrules_diagnostics::{FileId, Level, Sources, Span};
use proptest::prelude::*;

/// One finding at the first `part` of `text`, shown.
fn shown(text: &str, part: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add_file("a.yaml", text);
    shown_at(&sources, span_of(&sources, file, part))
}

fn shown_at(sources: &Sources, span: Span) -> String {
    render(RenderFormat::Human, &[raise_finding("KV001", "x", Level::Error, span, "m")], sources)
}

#[test]
fn carriage_returns_are_not_shown() {
    insta::assert_snapshot!(shown("a: 1\r\nb: 2\r\n", "2\r\n"), @"
    error[KV001]: m
     --> a.yaml:2:4
      |
    2 | b: 2
      |    ^
    ");
}

#[test]
fn a_byte_order_mark_moves_no_caret() {
    insta::assert_snapshot!(shown("\u{feff}ab: 1\n", "ab"), @"
    error[KV001]: m
     --> a.yaml:1:1
      |
    1 | ab: 1
      | ^^
    ");
}

#[test]
fn a_finding_at_the_end_of_the_file_stands_after_the_last_character() {
    let mut sources = Sources::default();
    let ended = sources.add_file("ended.yaml", "a: 1\n");
    let open = sources.add_file("open.yaml", "a: 1");
    let empty = sources.add_file("empty.yaml", "");
    let at = |file| shown_at(&sources, Span::new(file, 99, 120));
    insta::assert_snapshot!(at(ended) + &at(open) + &at(empty), @"
    error[KV001]: m
     --> ended.yaml:2:1
      |
    2 |
      | ^
    error[KV001]: m
     --> open.yaml:1:5
      |
    1 | a: 1
      |     ^
    error[KV001]: m
     --> empty.yaml:1:1
      |
    1 |
      | ^
    ");
}

#[test]
fn far_places_of_one_file_are_quoted_apart() {
    let mut sources = Sources::default();
    let file = sources.add_file("a.yaml", format!("first: 1\nsecond: 2\n{}last: 3\n", "#\n".repeat(5000)));
    let at = |part| span_of(&sources, file, part);
    let finding = raise_finding("KV001", "x", Level::Error, at("last"), "m")
        .with_secondary_label(at("first"), "here")
        .with_secondary_label(at("second"), "and here");
    insta::assert_snapshot!(render(RenderFormat::Human, &[finding], &sources), @"
    error[KV001]: m
        --> a.yaml:5003:1
         |
    5003 | last: 3
         | ^^^^
         |
        ::: a.yaml:1:1
         |
       1 | first: 1
         | ----- here
       2 | second: 2
         | ------ and here
    ");
}

#[test]
fn a_finding_over_thousands_of_lines_is_shown_on_its_first() {
    let text = "a: 1\n".repeat(30_000);
    insta::assert_snapshot!(shown(&text, &text), @"
    error[KV001]: m
     --> a.yaml:1:1
      |
    1 | a: 1
      | ^^^^
    ");
}

#[test]
fn a_megabyte_on_one_line_is_cut_to_the_width() {
    let text = format!("[{}]", "1,".repeat(500_000));
    let mut sources = Sources::default();
    let file = sources.add_file("a.json", text.as_str());
    for (start, end) in [(0, 1), (500_000, 500_010), (1_000_001, 1_000_002), (0, 1_000_002)] {
        let shown = shown_at(&sources, Span::new(file, start, end));
        let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!((100..=150).contains(&longest), "{longest} columns:\n{shown}");
        assert!(shown.contains(&format!("a.json:1:{}\n", start + 1)));
    }
}

#[test]
fn the_width_can_be_chosen() {
    let mut sources = Sources::default();
    let file = sources.add_file("a.json", "1,".repeat(500));
    let finding = [raise_finding("KV001", "x", Level::Error, Span::new(file, 400, 401), "m")];
    let width = |width| {
        let options = RenderOptions { width: Some(width), ..RenderOptions::default() };
        let shown = kvrules_diagnostics::render::render_diagnostics(
            RenderFormat::Human,
            &finding,
            &sources,
            &options,
        );
        shown.lines().map(|line| line.chars().count()).max().unwrap()
    };
    assert!(width(60) <= 66 && width(60) >= 50, "{}", width(60));
    assert!(width(0) < 50);
}

/// The columns in which a terminal shows `text`, given that only `名` is wide.
fn columns(text: &str) -> usize {
    text.chars().map(|character| if character == '名' { 2 } else { 1 }).sum()
}

proptest! {
    // Add a failing case as a test of its own, not as a regression file.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn carets_stand_under_what_they_mark(
        before in "[ \t]{0,40}[aé名\t ]{0,300}",
        after in "[aé名\t ]{0,300}",
        above in "[aé名\t ]{0,20}",
        mark in "[Mé名]{1,9}M",
    ) {
        let text = format!("{above}\n{before}<{mark}>{after}\n");
        let mut sources = Sources::default();
        let file = sources.add_file("a.yaml", text.as_str());
        let outer = span_of(&sources, file, &format!("<{mark}>"));
        let shown = shown_at(&sources, Span::new(file, outer.start + 1, outer.end - 1));
        let mut lines = shown.lines().skip(3);
        let (source, carets) = (lines.next().unwrap(), lines.next().unwrap());
        let at = source.find(&format!("<{mark}>")).unwrap() + 1;
        prop_assert_eq!(carets.find('^').unwrap(), columns(source.get(..at).unwrap()), "{}", shown);
        prop_assert_eq!(carets.matches('^').count(), columns(&mark), "{}", shown);
        let column = before.chars().count() + 2;
        prop_assert!(shown.contains(&format!("--> a.yaml:2:{column}\n")), "{}", shown);
    }

    #[test]
    fn a_name_or_text_with_anything_in_it_stays_on_its_line(
        name in any::<String>(),
        message in any::<String>(),
    ) {
        let mut sources = Sources::default();
        let file = sources.add_file(name, "a: 1\n");
        let finding = raise_finding("KV001", "x", Level::Error, Span::new(file, 0, 1), message.clone())
            .with_label(message);
        let shown = render(RenderFormat::Human, std::slice::from_ref(&finding), &sources);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{}", shown);
        prop_assert_eq!(shown.lines().count(), 5, "{}", shown);
        prop_assert_eq!(render(RenderFormat::Concise, &[finding], &sources).lines().count(), 1);
    }
}

#[test]
fn sentinels_in_a_text_do_not_disturb_the_places() {
    let mut sources = Sources::default();
    let file = sources.add_file("a.yaml", "\u{fdd0}0\u{fdd0}: 1\n");
    let finding = raise_finding("KV001", "x", Level::Error, Span::new(file, 8, 9), "\u{fdd0}0\u{fdd0}:1")
        .with_secondary_label(Span::new(FileId(9), 0, 0), "lost");
    insta::assert_snapshot!(render(RenderFormat::Human, &[finding], &sources), @"
    error[KV001]: �0�:1
     --> a.yaml:1:5
      |
    1 | �0�: 1
      |     ^
    ");
}
