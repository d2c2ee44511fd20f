//! Regular expressions as schemas have them, run by engines that are not ours: that of a schema validator, and `node`.

use std::io::Write;
use std::process::{Command, Stdio};

use kvrules_emit::schema::quantity_pattern::pattern_between;
use kvrules_regex::parse;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Expressions with every construct that means something else in ECMA-262 than in RE2, or is written differently.
const PATTERNS: [&str; 26] = [
    r"(?m)^a$",
    r"(?m)^$",
    r"^a$",
    r"a\z",
    r"\Aa",
    r"(?i)straße|k",
    r"(?i)^[k-m]+$",
    r"(?i)\W",
    r"(?s)a.b",
    r"a.b",
    r"(?U)a+",
    r"^*a",
    r"[^\x00-\x{10FFFF}]|c",
    r"\pL+\PL",
    r"\p{Greek}",
    r"[\d-z/&&~~]",
    r"[[:punct:]]+",
    r"[[:^alpha:]]",
    r"\Q(a\E",
    r"(?P<n>a)(?P<n2>b)",
    r"(?:a|b){2,3}$",
    r"a{0}",
    r"\x41|\x{e9}|\052",
    r"[]a]",
    r"\w\s\D",
    r"😀|[😀-😎]",
];

#[test]
fn a_schema_validator_finds_the_matches_that_we_find() {
    let pairs = std::cell::Cell::new((0_usize, 0_usize));
    let text = "[abkK(SszZ-]{0,3}[\n\t é😀ſKΣ\u{7}]{0,2}[abcß0*/&.~\\]\\[A]{0,3}|straße|STRASSE";
    let texts = prop::collection::vec(text, 60);
    let config = ProptestConfig {
        cases: kvrules_testdata::case_count(12),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let run = proptest::test_runner::TestRunner::new(config).run(&texts, |texts| {
        for pattern in PATTERNS {
            let regex = parse(pattern).unwrap();
            let matcher = regex.compile_matcher().unwrap();
            let printed = regex.to_ecma();
            let validator = jsonschema::draft202012::new(&json!({ "pattern": printed })).unwrap();
            for text in &texts {
                let ours = matcher.is_match(text);
                prop_assert_eq!(
                    validator.is_valid(&json!(text)),
                    ours,
                    "{} as {} on {:?}",
                    pattern,
                    printed,
                    text
                );
                let (all, found) = pairs.get();
                pairs.set((all + 1, found + usize::from(ours)));
            }
        }
        Ok(())
    });
    run.unwrap();
    let (all, found) = pairs.get();
    println!("the validator agreed on {all} texts, {found} of them matches");
    assert!(found > all / 10 && found < all * 9 / 10, "{found} of {all}");
}

/// Texts around a bound, in many spellings.
fn spellings() -> Vec<String> {
    let numbers =
        ["1610612736", "1610612735", "1.5", "1.5000", "0.00146484375", ".", "0", "16106127.36", "+01.6"];
    let suffixes =
        ["", "Ki", "Gi", "Ti", "k", "G", "E", "m", "n", "e3", "E-02", "e+9", "e20", "e-21", "e30", "i"];
    let blanks = ["", " ", "\t", "\u{85}", "\u{2028}", "\u{7f}"];
    let spelled = |number: &str| suffixes.map(|suffix| format!("{number}{suffix}"));
    let texts = numbers.iter().flat_map(|number| spelled(number));
    texts.flat_map(|text| blanks.map(|blank| format!("{blank}{text}{}", blank.trim_end()))).collect()
}

const SCRIPT: &str = "\
    const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));\
    console.log(JSON.stringify(rows.map(({pattern, texts}) => texts.map(text => {\
        const [one, other] = ['u', ''].map(flags => new RegExp(pattern, flags).test(text));\
        return one === other ? one : null;\
    }))));";

/// Returns the answers of `node`; `None` if it is not installed.
fn ask_node(rows: &Value) -> Option<Vec<Vec<Option<bool>>>> {
    let mut command = Command::new("node");
    let mut child = command.args(["-e", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(rows.to_string().as_bytes()).ok()?;
    serde_json::from_slice(&child.wait_with_output().ok()?.stdout).ok()
}

#[test]
fn an_ecma_engine_reads_the_patterns_of_quantities_as_re2_does() {
    let texts = spellings();
    let bounds = [(Some(1_610_612_736), None), (None, Some(1_610_612_736)), (Some(0), Some(2)), (None, None)];
    let patterns = bounds.map(|(min, max): (Option<i64>, Option<i64>)| {
        pattern_between(min.map(Into::into).as_ref(), max.map(Into::into).as_ref()).pattern
    });
    let rows = patterns.iter().map(|pattern| json!({ "pattern": pattern, "texts": texts })).collect();
    let Some(answers) = ask_node(&rows) else {
        println!("skipped: `node` is not installed");
        return;
    };
    for (pattern, answers) in patterns.iter().zip(&answers) {
        let own = regex::Regex::new(pattern).unwrap();
        let ours: Vec<Option<bool>> = texts.iter().map(|text| Some(own.is_match(text))).collect();
        assert_eq!(*answers, ours, "{pattern}");
    }
    let matched = answers.iter().flatten().filter(|answer| **answer == Some(true)).count();
    println!("node agreed on {} texts for {} patterns, {matched} matches", texts.len(), patterns.len());
    assert!(matched > texts.len() / 2, "{matched}");
}
