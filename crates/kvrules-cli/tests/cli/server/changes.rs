//! Findings after any changes are those of the text that results.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};

use super::editor::{Editor, fresh_findings, shown_findings, to_position, uri};
use crate::place::{BAD, ODD, Place};

/// Number of changes between two comparisons.
const STEP: u32 = 25;

/// A generator of numbers that needs no crate.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        // The generator of Steele and Vigna, splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(below.max(1)).unwrap()).unwrap()
    }

    fn boundary(&mut self, text: &str) -> usize {
        let mut at = self.roll(text.len() + 1);
        while !text.is_char_boundary(at) || text.get(..at).unwrap().ends_with('\r') {
            at -= 1;
        }
        at
    }
}

/// Pieces that are put in: of rules, of YAML, and characters of several units.
const PIECES: [&str; 18] = [
    "",
    "",
    "a",
    "\n",
    "  ",
    ": ",
    "\"",
    "𝒳",
    "é",
    "\r\n",
    "- ",
    "{",
    "}",
    ",",
    "[]",
    "\"max\": 3, ",
    "# kvrules: ignore\n",
    "spec",
];

/// Makes random changes, in one and several parts at a time, and now and then starts anew.
fn change_at_random(seed: u64, changes: u32, start: &str, encoding: &str) {
    let place = Place::with(&[("a.yaml", start)]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &[encoding]);
    let (mut dice, mut text, mut version) = (Dice(seed), start.to_owned(), 1);
    editor.open_file(&uri, &text);
    for change in 1..=changes {
        version += 1;
        let mut parts = Vec::new();
        for _ in 0..=dice.roll(3) {
            if dice.roll(40) == 0 {
                start.clone_into(&mut text);
                parts.push(json!({"text": text}));
                continue;
            }
            let (from, length) = (dice.boundary(&text), dice.roll(12));
            let mut to = (from + length).min(text.len());
            while !text.is_char_boundary(to) || text.get(..to).unwrap().ends_with('\r') {
                to += 1;
            }
            let piece = PIECES.get(dice.roll(PIECES.len())).unwrap();
            let end = |at: usize| to_position(&text, u64::try_from(at).unwrap(), encoding);
            let range = json!({"start": end(from), "end": end(to)});
            text.replace_range(from..to, piece);
            parts.push(json!({"range": range, "text": piece}));
        }
        editor.change_file(&uri, version, &parts);
        if change % STEP == 0 {
            place.write("a.yaml", &text);
            let shown = shown_findings(&editor.findings(&uri, version));
            let fresh = fresh_findings(&place, "a.yaml", encoding);
            assert_eq!(shown, fresh, "seed {seed}, change {change}:\n{text}");
        }
    }
    editor.leave();
}

#[test]
fn findings_after_random_changes_are_those_of_a_fresh_check() {
    let policy = include_str!("policy.yaml");
    let texts = [BAD, ODD, policy, "# 𝒳\nextra_specs: {'hw:cpu_policy': dedicted}\n"];
    let changes = kvrules_testdata::case_count(250);
    for (seed, (text, encoding)) in (0..).zip(texts.iter().zip(["utf-8", "utf-16"].into_iter().cycle())) {
        change_at_random(seed, changes, text, encoding);
    }
}

#[test]
fn outdated_versions_are_not_answered() {
    let place = Place::with(&[]);
    let uri = uri(&place.path("a.yaml"));
    let mut editor = Editor::open(&place, &["utf-8"]);
    editor.open_file(&uri, BAD);
    for version in 2..200 {
        let text = if version % 2 == 0 { ODD } else { BAD };
        editor.change_file(&uri, version, &[json!({"text": text})]);
    }
    let mut versions: Vec<Option<i64>> = Vec::new();
    while versions.last() != Some(&Some(199)) {
        let seen = editor.next_publication();
        versions.push(seen);
    }
    assert!(versions.is_sorted(), "{versions:?}");
    let codes: Vec<Value> = editor.findings(&uri, 199).iter().map(|found| found["code"].clone()).collect();
    assert_eq!(codes, ["KV205"]);
    editor.leave();
}
