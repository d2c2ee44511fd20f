//! Properties of generated expressions: canonical text reads back as the same tree, all forms find the same matches,
//! and reading never fails in any other way than with an error.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a surprise"
)]

use kvrules_regex::ast::{Anchor, Node};
use kvrules_regex::{Class, Regex, fold_orbit, parse};
use proptest::prelude::*;

fn char_strategy() -> impl Strategy<Value = char> {
    prop_oneof![
        4 => prop::char::range('a', 'e'),
        2 => prop::sample::select(vec!['k', 'S', '0', '-', '^', ']', '[', '\\', '{', '}', '&', '~', '(', '/', ' ']),
        1 => prop::sample::select(vec!['\n', '\t', '\u{7}', 'é', 'ſ', 'Σ', 'K', '😀', '\u{D7FF}', '\u{E000}']),
        1 => any::<char>(),
    ]
}

fn class_strategy() -> impl Strategy<Value = Class> {
    let range = (char_strategy(), char_strategy()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let single = char_strategy().prop_map(|char| (char, char));
    let ranges = prop::collection::vec(prop_oneof![range, single], 0..5).prop_map(Class::new);
    let named = prop::sample::select(vec![r"\d", r"\W", r"\s", r"[^\S]", r"\pL", r"\P{Greek}", r"(?i)[k-m]"]);
    let named = named.prop_map(|text| match parse(text).unwrap().ast() {
        Node::Class(class) => class.clone(),
        other => panic!("{text} is {other:?}"),
    });
    prop_oneof![
        3 => ranges.clone(),
        1 => ranges.prop_map(|class| class.to_negated()),
        1 => named,
    ]
}

fn leaf() -> impl Strategy<Value = Node> {
    use Anchor::{LineEnd, LineStart, NotWordBoundary, TextEnd, TextStart, WordBoundary};
    let anchors = vec![TextStart, TextEnd, LineStart, LineEnd, WordBoundary, NotWordBoundary];
    prop_oneof![
        1 => Just(Node::Empty),
        6 => char_strategy().prop_map(Node::literal),
        2 => char_strategy().prop_map(Node::literal_any_case),
        2 => class_strategy().prop_map(Node::class),
        1 => any::<bool>().prop_map(|newline| Node::Any { newline }),
        2 => prop::sample::select(anchors).prop_map(Node::Anchor),
    ]
}

fn tree() -> impl Strategy<Value = Node> {
    leaf().prop_recursive(5, 24, 4, |inner| {
        let names = prop::option::of(prop::sample::select(vec!["n", "1x", "_"]));
        let counts = prop::sample::select(vec![
            (0, None),
            (1, None),
            (0, Some(1)),
            (0, Some(0)),
            (1, Some(1)),
            (2, Some(3)),
            (2, None),
        ]);
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..5).prop_map(Node::concat),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(Node::alternate),
            1 => (names, inner.clone()).prop_map(|(name, node)| Node::group(name.map(str::to_owned), node)),
            2 => (inner, counts, any::<bool>())
                .prop_map(|(node, (min, max), greedy)| Node::repeat(node, min, max, greedy)),
        ]
    })
}

/// A small source of choices, so that one number determines a text.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Writes a text that the expression would match if its anchors allowed.
fn sample(node: &Node, choices: &mut Choices, out: &mut String) {
    match node {
        Node::Empty | Node::Anchor(_) => {}
        Node::Literal { char, fold: false } => out.push(*char),
        Node::Literal { char, fold: true } => out.push(*choices.pick(&fold_orbit(*char))),
        Node::Any { .. } => out.push(*choices.pick(&['a', '\n', 'é', '-'])),
        Node::Class(class) if class.is_empty() => {}
        Node::Class(class) => {
            let (low, high) = *choices.pick(class.ranges());
            out.push(*choices.pick(&[low, high]));
        }
        Node::Group { node, .. } => sample(node, choices, out),
        Node::Repeat { node, min, max, .. } => {
            let most = max.unwrap_or(min + 2).min(min + 2);
            let times = *min as usize + choices.below((most - min) as usize + 1);
            (0..times).for_each(|_| sample(node, choices, out));
        }
        Node::Concat(parts) => parts.iter().for_each(|part| sample(part, choices, out)),
        Node::Alternate(parts) => sample(choices.pick(parts), choices, out),
    }
}

/// Texts made from the expression, and the same with something put before, behind or within, or taken away.
fn texts(node: &Node, seed: u64) -> Vec<String> {
    let mut choices = Choices(seed);
    let mut out = vec![String::new(), "aéb".to_owned(), "k\nS".to_owned()];
    for _ in 0..4 {
        let mut text = String::new();
        sample(node, &mut choices, &mut text);
        let extra = *choices.pick(&['a', '\n', 'é', ' ', 'Z', '0']);
        out.extend([format!("{extra}{text}"), format!("{text}{extra}"), text.chars().skip(1).collect()]);
        out.push(text.chars().flat_map(|char| [char, extra]).collect());
        out.push(text);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_text_reads_back_as_the_same_tree(node in tree()) {
        let regex = Regex::from_ast(node);
        let text = regex.to_re2();
        let again = parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(again.ast(), regex.ast(), "{}", text);
    }

    #[test]
    fn every_form_finds_the_same_matches(node in tree(), seed in any::<u64>()) {
        let regex = Regex::from_ast(node);
        let again = parse(&regex.to_re2()).unwrap();
        let (ours, theirs) = (regex.compile_matcher().unwrap(), again.compile_matcher().unwrap());
        for text in texts(regex.ast(), seed) {
            prop_assert_eq!(ours.is_match(&text), theirs.is_match(&text));
        }
    }

    #[test]
    fn listed_texts_are_all_that_match(node in tree(), seed in any::<u64>()) {
        use Anchor::{TextEnd, TextStart};
        let whole = Node::concat([Node::Anchor(TextStart), Node::group(None, node), Node::Anchor(TextEnd)]);
        let regex = Regex::from_ast(whole);
        prop_assert!(regex.is_anchored());
        let matcher = regex.compile_matcher().unwrap();
        if let Some(listed) = regex.literal_alternatives() {
            for text in texts(regex.ast(), seed).iter().chain(&listed) {
                prop_assert_eq!(matcher.is_match(text), listed.contains(text), "{} on {:?}", regex.to_re2(), text);
            }
        }
    }

    #[test]
    fn reading_any_text_answers(pattern in r"[ab^$.|?*+()\[\]{}\\,0-9<>:=!PiswdQEpxL\-\[:é]{0,24}") {
        match parse(&pattern) {
            Ok(regex) => prop_assert_eq!(&parse(&regex.to_re2()).unwrap(), &regex),
            Err(error) => prop_assert!(pattern.get(error.span.clone()).is_some(), "{:?}", error),
        }
    }
}

/// Another engine to compare with: `node`, where it is installed, runs what we print for ECMAScript.
mod ecma {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use serde_json::{Value, json};

    use super::{Regex, Strategy, parse, texts, tree};

    const SCRIPT: &str = "\
        const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));\
        console.log(JSON.stringify(rows.map(({pattern, texts}) => {\
            try { const r = new RegExp(pattern, 'u'); return texts.map(t => r.test(t)); }\
            catch (e) { return String(e); }\
        })));";

    /// Returns the answers of `node` for each row; `None` if it is not installed.
    fn ask_node(rows: &Value) -> Option<Vec<Value>> {
        let mut child = Command::new("node")
            .args(["-e", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(rows.to_string().as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        serde_json::from_slice(&output.stdout).ok()
    }

    /// Hand-picked patterns, then generated ones, with texts.
    fn cases() -> Vec<(Regex, Vec<String>)> {
        let picked = [
            r"(?m)^a$",
            r"(?i)straße|k",
            r"\bé\B",
            r"^*a",
            r"\x{D800}|b",
            r"[^\x00-\x{10FFFF}]|c",
            r"\pL+\PL",
            r"[\d-z/&&~~]",
            r"a{1000}",
            r"(?s).\z",
            r"(?i)\W",
            r"(?P<n>a)(?P<n>b)",
            "[[:punct:]]+",
        ];
        let mut runner = TestRunner::deterministic();
        let mut out: Vec<_> = picked.iter().map(|pattern| parse(pattern).unwrap()).collect();
        out.extend((0..3000).map(|_| Regex::from_ast(tree().new_tree(&mut runner).unwrap().current())));
        (1u64..)
            .zip(out)
            .map(|(seed, regex)| (texts(regex.ast(), seed), regex))
            .map(|(t, r)| (r, t))
            .collect()
    }

    #[test]
    fn an_ecma_engine_finds_the_same_matches() {
        let cases = cases();
        let row =
            |(regex, texts): &(Regex, Vec<String>)| json!({ "pattern": regex.to_ecma(), "texts": texts });
        let Some(answers) = ask_node(&cases.iter().map(row).collect()) else {
            println!("skipped: `node` is not installed");
            return;
        };
        assert_eq!(answers.len(), cases.len());
        let (mut pairs, mut matched) = (0, 0);
        for ((regex, texts), answer) in cases.iter().zip(&answers) {
            let own = regex.compile_matcher().unwrap();
            let ours: Vec<bool> = texts.iter().map(|text| own.is_match(text)).collect();
            assert_eq!(*answer, json!(ours), "{} as {} on {texts:?}", regex.to_re2(), regex.to_ecma());
            pairs += ours.len();
            matched += ours.iter().filter(|found| **found).count();
        }
        println!("node agreed on {pairs} texts of {} expressions, {matched} of them matches", cases.len());
    }
}
