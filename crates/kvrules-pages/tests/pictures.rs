//! Every picture is well-formed, harmless and readable: texts neither overlap nor leave the picture, and the same data gives the
//! same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::cmp::Ordering;

use kvrules_diagnostics::Exactness;
use kvrules_pages::pictures::{
    ChangeDirection, CostBar, CostCell, CostGrid, CostRow, CostShare, FidelityMatrix, FidelityRow, LinePoint,
    NumberBound, NumberLine, Picture, StateDiagram, TextFont, TimelineChange, TimelineStep, TreeField,
    draw_cost_bars, draw_cost_grid, draw_fidelity_matrix, draw_number_line, draw_pattern, draw_regex,
    draw_rule_tree, draw_state_diagram, draw_terminal, draw_timeline, estimate_width, fit_text,
};
use proptest::prelude::*;

/// A text with its box on the picture.
#[derive(Debug)]
struct TextBox {
    text: String,
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

fn number(node: roxmltree::Node<'_, '_>, name: &str) -> i32 {
    node.attribute(name).unwrap().parse().unwrap()
}

fn text_box(node: roxmltree::Node<'_, '_>) -> TextBox {
    let text = node.text().unwrap_or_default().to_owned();
    let font = match node.attribute("font-size") {
        None => TextFont::Words,
        Some("12") => TextFont::Code,
        Some(size) => {
            assert_eq!(size, "11");
            TextFont::Small
        }
    };
    let (x, y, width) = (number(node, "x"), number(node, "y"), estimate_width(&text, font));
    if let Some(transform) = node.attribute("transform") {
        assert_eq!(transform, format!("rotate(-90 {x} {y})"));
        return TextBox { text, left: x - font.size() + 2, top: y - width, right: x + 4, bottom: y };
    }
    let left = match node.attribute("text-anchor") {
        None => x,
        Some("middle") => x - width / 2,
        Some(end) => {
            assert_eq!(end, "end");
            x - width
        }
    };
    TextBox { text, left, top: y - font.size() + 2, right: left + width, bottom: y + 3 }
}

/// Checks what holds for every picture, and returns its texts.
fn texts_of(picture: &Picture) -> Vec<String> {
    let inline = picture.to_inline();
    assert!(!inline.contains('\n'), "{inline}");
    // In HTML an element of SVG needs no namespace.
    let inline = inline.replacen("<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"", 1);
    check_svg(&inline, picture);
    check_svg(&picture.to_file(), picture)
}

fn check_svg(svg: &str, picture: &Picture) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let mut children = root.children();
    assert_eq!(children.next().unwrap().tag_name().name(), "title");
    assert_eq!(children.next().unwrap().tag_name().name(), "desc");
    assert!(!picture.title().is_empty());
    let known = ["svg", "title", "desc", "style", "text", "path", "rect", "circle"];
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{svg}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on") && !attribute.name().contains("href"), "{svg}");
            assert!(!attribute.value().contains("url("), "{svg}");
        }
        check_place(node, picture);
    }
    let texts: Vec<TextBox> = root
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .map(text_box)
        .collect();
    for (index, one) in texts.iter().enumerate() {
        let inside =
            one.left >= 0 && one.top >= 0 && one.right <= picture.width() && one.bottom <= picture.height();
        assert!(inside, "{one:?} leaves {} × {}", picture.width(), picture.height());
        for other in texts.iter().skip(index + 1) {
            let apart = one.right <= other.left
                || other.right <= one.left
                || one.bottom <= other.top
                || other.bottom <= one.top;
            assert!(apart, "{one:?} overlaps {other:?}\n{svg}");
        }
    }
    texts.into_iter().map(|text| text.text).collect()
}

/// Shapes are inside the picture.
fn check_place(node: roxmltree::Node<'_, '_>, picture: &Picture) {
    let (width, height) = (picture.width(), picture.height());
    match node.tag_name().name() {
        "rect" => {
            let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| number(node, name));
            assert!(x >= 0 && y >= 0 && w >= 0 && h >= 0 && x + w <= width && y + h <= height, "{node:?}");
        }
        "circle" => {
            let [x, y, r] = ["cx", "cy", "r"].map(|name| number(node, name));
            assert!(x >= r && y >= r && x + r <= width && y + r <= height, "{node:?}");
        }
        "path" => {
            let path = node.attribute("d").unwrap();
            let numbers = path
                .split(|char: char| !char.is_ascii_digit() && char != '-')
                .filter(|part| !part.is_empty());
            for (index, value) in numbers.enumerate() {
                let value: i32 = value.parse().unwrap_or_else(|_| panic!("{path}"));
                let most = if index % 2 == 0 { width } else { height };
                assert!((0..=most).contains(&value), "{path} in {width} × {height}");
            }
        }
        _ => {}
    }
}

/// Names, code, markup, invisible and wide characters, and long texts.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}(\\.[a-z]{1,12}){0,3}",
        Just("</text><script>alert(1)</script>&amp;\"'".to_owned()),
        Just("\u{1b}[31m\u{0}\u{202e}\r\n\u{ffff}\u{85}".to_owned()),
        "\\PC{0,40}",
        "[\u{4e00}-\u{4e20}W]{0,60}",
        Just(String::new()),
        Just("x".repeat(3000)),
    ]
}

fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_text(), 0..most)
}

fn any_exactness() -> impl Strategy<Value = Option<Exactness>> {
    prop::option::of(prop::sample::select(Exactness::ALL.to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn number_lines_are_readable(
        lower in prop::option::of((any_text(), any::<bool>())),
        upper in prop::option::of((any_text(), any::<bool>())),
        points in prop::collection::vec((any_text(), -1..=1), 0..6),
        unit in "[a-z]{0,10}",
    ) {
        let bound = |(value, is_included)| NumberBound { value, is_included };
        let points = points.into_iter().map(|(value, side): (String, i32)| LinePoint { value, side: side.cmp(&0) }).collect();
        let line = NumberLine { lower: lower.map(bound), upper: upper.map(bound), points, unit };
        texts_of(&draw_number_line(&line));
    }

    #[test]
    fn dots_of_integers_are_true(lower in prop::option::of(any::<i64>()), upper in prop::option::of(any::<i64>())) {
        let line = NumberLine::from_integers(lower, upper, None, "");
        let passes = |value: i64| lower.is_none_or(|lower| value >= lower) && upper.is_none_or(|upper| value <= upper);
        for bound in line.lower.iter().chain(&line.upper) {
            prop_assert!(bound.is_included && passes(bound.value.parse().unwrap()));
        }
        for point in &line.points {
            prop_assert_eq!(passes(point.value.parse().unwrap()), point.side == Ordering::Equal);
        }
        texts_of(&draw_number_line(&line));
    }

    #[test]
    fn matrices_are_readable(
        targets in texts(20),
        rules in prop::collection::vec((any_text(), prop::collection::vec(any_exactness(), 0..20)), 0..70),
    ) {
        let rules: Vec<_> = rules.into_iter().map(|(name, fidelity)| FidelityRow { name, fidelity }).collect();
        let more = rules.len() > 60;
        let shown = texts_of(&draw_fidelity_matrix(&FidelityMatrix { targets, rules }));
        prop_assert_eq!(more, shown.iter().any(|text| text.starts_with("not shown: ") && text.ends_with(" rules")));
    }

    #[test]
    fn costs_are_readable(
        bars in prop::collection::vec((any_text(), prop::option::of(any::<u64>()), prop::option::of(any::<u64>())), 0..50),
    ) {
        let bars: Vec<_> = bars.into_iter().map(|(label, cost, budget)| CostBar { label, cost, budget }).collect();
        let shown = texts_of(&draw_cost_bars(&bars));
        let is_over = |bar: &&CostBar| bar.cost.zip(bar.budget).is_some_and(|(cost, budget)| cost > budget);
        let over = bars.iter().take(40).filter(is_over).count();
        let told = shown.iter().filter(|text| text.contains(", over the budget of ")).count();
        prop_assert_eq!(over, told);
    }

    #[test]
    fn grids_are_readable(
        versions in texts(20),
        rows in prop::collection::vec((any_text(), prop::collection::vec((any_text(), 0..4_usize), 0..20)), 0..50),
    ) {
        let shares = [CostShare::Low, CostShare::High, CostShare::Over, CostShare::Unknown];
        let cell = |(text, share): (String, usize)| CostCell { text, share: shares[share] };
        let rows = rows.into_iter().map(|(label, cells)| CostRow { label, cells: cells.into_iter().map(cell).collect() });
        texts_of(&draw_cost_grid(&CostGrid { versions, rows: rows.collect() }));
    }

    #[test]
    fn states_are_readable(
        changes in prop::collection::vec(("[a-f]|\\PC{0,9}", "[a-f]|[A-Z]{1,30}"), 0..45),
        initial in prop::collection::vec("[a-f]", 0..3),
        may_stay in any::<bool>(),
    ) {
        let picture = draw_state_diagram(&StateDiagram { changes, initial, may_stay });
        texts_of(&picture);
    }

    #[test]
    fn trees_are_readable(
        fields in prop::collection::vec((0..14_usize, any_text(), texts(5)), 0..120),
    ) {
        let fields: Vec<_> = fields.into_iter().map(|(depth, name, rules)| TreeField { depth, name, rules }).collect();
        let ruled = fields.iter().filter(|field| !field.rules.is_empty()).count();
        let picture = draw_rule_tree(&fields);
        let shown = texts_of(&picture);
        prop_assert!(shown.len() >= ruled.min(40));
    }

    #[test]
    fn timelines_are_readable(
        steps in prop::collection::vec((any_text(), prop::collection::vec((0..4_usize, any_text()), 0..12)), 0..30),
    ) {
        let directions = [ChangeDirection::Tightened, ChangeDirection::Loosened, ChangeDirection::Incomparable, ChangeDirection::Unknown];
        let change = |(direction, text): (usize, String)| TimelineChange { direction: directions[direction], text };
        let steps: Vec<_> = steps.into_iter().map(|(version, changes)| TimelineStep { version, changes: changes.into_iter().map(change).collect() }).collect();
        texts_of(&draw_timeline(&steps));
    }

    #[test]
    fn patterns_are_readable(pattern in any_pattern()) {
        let Ok(regex) = kvrules_regex::parse(&pattern) else { return Ok(()) };
        let picture = draw_regex(&regex);
        texts_of(&picture);
        prop_assert_eq!(draw_regex(&regex).to_file(), picture.to_file());
    }

    #[test]
    fn shortened_texts_fit(text in any_text(), width in 30..400) {
        for font in [TextFont::Words, TextFont::Code, TextFont::Small] {
            let fitting = fit_text(&text, font, width);
            prop_assert!(estimate_width(&fitting, font) <= width);
            prop_assert!(fitting == text || (fitting.ends_with('…') && estimate_width(&text, font) > width - 1));
        }
    }
}

#[test]
fn a_terminal_keeps_its_lines_and_colours() {
    let output =
        "\u{1b}[1;31merror\u{1b}[0m: a & b\n  \u{1b}[34m|\u{1b}[0m <x>\u{1b}]8;;https://evil\u{1b}\\\n";
    let file = draw_terminal("kvrules check", output).to_file();
    let document = roxmltree::Document::parse(&file).unwrap();
    let lines: Vec<String> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .map(|node| {
            node.descendants()
                .filter(roxmltree::Node::is_text)
                .filter_map(|node| node.text())
                .collect::<String>()
        })
        .map(|line| line.replace('\u{a0}', " "))
        .collect();
    assert_eq!(lines, ["$ kvrules check", "error: a & b", "  | <x>]8;;https://evil\\"]);
    assert!(file.contains("<tspan class=\"kvp-fail\" font-weight=\"bold\">error</tspan>"), "{file}");
    let plain = format!("{}\n", "x".repeat(100_000)).repeat(200);
    assert!(draw_terminal("a", &plain).to_file().len() < 60_000);
}

/// Patterns of every construct.
fn any_pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z]{1,5}",
        Just("[a-z0-9-]".to_owned()),
        Just("[^/\\s]".to_owned()),
        Just("\\w".to_owned()),
        Just("\\pL".to_owned()),
        Just(".".to_owned()),
        Just("(?i)k".to_owned()),
        Just("^".to_owned()),
        Just("$".to_owned()),
        Just("\\b".to_owned()),
        Just("<\u{4e00}&\u{202e}".to_owned()),
        Just("(?s).".to_owned()),
        Just("[^\\x00-\\x{10FFFF}]".to_owned()),
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..6).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..6).prop_map(|parts| format!("({})", parts.join("|"))),
            (
                inner.clone(),
                prop::sample::select(vec!["*", "+", "?", "{3}", "{0,9}", "{2,}", "{1,63}", "{0}", "*?"])
            )
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
            inner.prop_map(|part| format!("(?P<name>{part})")),
        ]
    })
}

#[test]
fn a_diagram_spells_its_pattern() {
    let shown = |pattern: &str| texts_of(&draw_pattern(pattern).unwrap());
    assert_eq!(shown("^(virtio|scsi)$"), ["\"virtio\"", "\"scsi\""]);
    assert_eq!(shown("^a+b{2,3}c?$"), ["\"a\"", "\"b\"", "2 to 3 times", "\"c\""]);
    assert_eq!(shown("^$|^[a-z]+$|^(x)$"), ["a–z", "\"x\""]);
    assert_eq!(shown("q35"), ["any text", "\"q35\"", "any text"]);
    assert_eq!(shown("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"), ["0–9 a–z", "- 0–9 a–z", "0–9 a–z"]);
    assert_eq!(shown("^[^/]+"), ["not /", "any text"]);
    assert_eq!(shown("^(?i:on|off)$"), ["\"on\" (any case)", "\"off\" (any case)"]);
    assert_eq!(shown("^a|b$"), ["any text", "start of text", "\"a\"", "\"b\"", "end of text", "any text"]);
}

#[test]
fn a_huge_pattern_has_a_small_picture() {
    let many: Vec<String> = (0..2000).map(|index| format!("a{index}[xy]")).collect();
    let nested = format!("^{}a{}$", "(b|".repeat(300), ")*".repeat(300));
    for pattern in [format!("^({})$", many.join("|")), many.concat(), nested] {
        let picture = draw_pattern(&pattern).unwrap();
        assert_eq!(texts_of(&picture), ["This pattern is too large for a railroad diagram."]);
        assert!(picture.to_file().len() < 2500);
    }
}

#[test]
fn a_long_pattern_goes_on_in_another_row() {
    let picture =
        draw_pattern("^[a-z]+[0-9]+[A-Z]+x[a-f]{2,9}y[0-3]?z(abc|def|ghi)[a-m]+-[n-z]+_[0-9]*$").unwrap();
    texts_of(&picture);
    assert!(picture.width() < 500 && picture.height() > 100, "{} × {}", picture.width(), picture.height());
}

#[test]
fn the_description_says_what_the_picture_shows() {
    let changes = [("Pending", "Running"), ("Running", "Done"), ("Running", "Failed")];
    let changes = changes.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
    let diagram = StateDiagram { changes, initial: vec!["Pending".to_owned()], may_stay: true };
    assert_eq!(
        draw_state_diagram(&diagram).description(),
        "A new object has Pending. Pending may change to Running. Running may change to Done or Failed. Done cannot change any \
         more. Failed cannot change any more. A value may also stay as it is."
    );
    let line = NumberLine::from_integers(Some(0), Some(63), Some(0), "characters");
    assert_eq!(draw_number_line(&line).description(), "At most 63 characters. 64 is outside. Not to scale.");
    let none = NumberLine::from_integers(Some(3), Some(2), None, "");
    assert!(!none.has_bounds());
    let bar = |budget| CostBar { label: "spec".to_owned(), cost: Some(20_000_000), budget };
    let limited = draw_cost_bars(&[bar(Some(10_000_000))]);
    assert_eq!(limited.description(), "spec: 20,000,000, over the budget of 10,000,000.");
    let unlimited = draw_cost_bars(&[bar(None)]);
    assert_eq!(unlimited.description(), "spec: 20,000,000.");
    assert!(!texts_of(&unlimited).concat().contains("budget"));
}
