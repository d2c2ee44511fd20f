//! Repairs: two runs give the same file, nothing beside the edits moves, and safe ones leave the meaning of every rule.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::{collections::BTreeMap, fs, path::PathBuf, sync::LazyLock};

use kvrules::{
    Applicability, Catalog, Diagnostic, FileId, FileReading, FixOptions, FixedFile, SourceFile, fix_file,
    is_offered,
};
use kvrules_ir::ElaboratedRule;
use kvrules_syntax::{edit::apply_edits, markdown::find_fenced_blocks};
use kvrules_tests::{repository_root, template_bundles};
use proptest::prelude::*;

/// A text with a name that says what it is.
struct Case {
    name: String,
    source: SourceFile,
}

fn case(name: &str, file: &str, text: &str) -> Case {
    Case { name: name.to_owned(), source: SourceFile::new(FileId(0), file, text) }
}

/// Every example of every page.
fn examples() -> Vec<Case> {
    let mut cases = Vec::new();
    for lint in kvrules::all_lints() {
        let page = kvrules::lint_page(lint.code).unwrap();
        for block in
            find_fenced_blocks(page).into_iter().filter(|block| ["yaml", "json"].contains(&block.language))
        {
            let name = format!("{} at {}", lint.code, block.range.start);
            let file = format!("example.{}", block.language);
            cases.push(case(&name, &file, &page[block.range.clone()]));
        }
    }
    cases
}

fn repaired(source: &SourceFile, unsafe_fixes: bool) -> FixedFile {
    let accept = |_: &SourceFile, reading: &FileReading| reading.diagnostics.clone();
    fix_file(source, Catalog::kubevirt_vm(), &FixOptions { unsafe_fixes, accept: &accept })
}

fn codes(found: &[Diagnostic]) -> Vec<&'static str> {
    found.iter().map(|found| found.code).collect()
}

/// Repairs a text and holds the result to what is promised of every result.
fn retained(case: &Case, unsafe_fixes: bool) -> FixedFile {
    let (name, fixed) = (&case.name, repaired(&case.source, unsafe_fixes));
    assert!(fixed.circle.is_empty(), "{name}: {:?}", fixed.circle);
    let again = repaired(&fixed.source, unsafe_fixes);
    assert_eq!(again.source.text(), fixed.source.text(), "{name}: the second run changes something");
    assert_eq!(again.applied, [], "{name}");
    let errors = |reading: &FileReading| {
        codes(&reading.diagnostics).into_iter().filter(|code| code.starts_with("KV0")).count()
    };
    let before = kvrules::read_rules(&case.source);
    assert!(errors(&fixed.reading) <= errors(&before), "{name}: harder to read than before");
    // Only where a keyword says the same, a rule goes.
    let removed = fixed.applied.iter().filter(|repair| repair.code == "KC311").count();
    assert!(fixed.reading.count_rules() + removed >= before.count_rules(), "{name}: a rule is lost");
    fixed
}

/// The rules that have a meaning, in their order.
fn meanings(reading: &FileReading) -> Vec<&ElaboratedRule> {
    reading.sets.iter().flat_map(|set| &set.rules).collect()
}

/// Every rule that had a meaning before has it afterwards, on objects that show every case of both. Returns the number of objects.
fn means_the_same(name: &str, before: &FileReading, after: &FileReading) -> usize {
    let mut compared = 0;
    let after = meanings(after);
    let mut rest = after.iter();
    for rule in meanings(before) {
        // Rules that had no meaning before may be in between.
        let same = rest.by_ref().find(|other| {
            let objects = kvrules::verify::generate_objects(&[rule, other]);
            compared += objects.len();
            rule.severity == other.severity
                && objects.iter().all(|object| {
                    let holds =
                        |rule: &ElaboratedRule| kvrules_eval::predicate_holds(&rule.predicate, object);
                    holds(rule) == holds(other)
                })
        });
        assert!(same.is_some(), "{name}: `{}` means something else", rule.name);
    }
    compared
}

#[test]
fn examples_are_repaired_once_and_never_get_worse() {
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    for case in examples() {
        for unsafe_fixes in [false, true] {
            let fixed = retained(&case, unsafe_fixes);
            for repair in fixed.applied.iter().filter(|_| unsafe_fixes) {
                *applied.entry(repair.code).or_default() += 1;
            }
            for refused in &fixed.refused {
                println!("{}: refused {} {}", case.name, refused.code, refused.title);
            }
        }
    }
    println!("{applied:?}");
    assert!(applied.len() > 20, "{applied:?}");
}

#[test]
fn safe_repairs_of_examples_leave_the_meaning_of_rules() {
    let (mut objects, mut files) = (0, 0);
    for case in examples() {
        let fixed = retained(&case, false);
        if fixed.repaired_count() > 0 {
            files += 1;
            objects += means_the_same(&case.name, &kvrules::read_rules(&case.source), &fixed.reading);
        }
    }
    println!("{files} examples repaired, {objects} objects compared");
    assert!(files > 15 && objects > 100, "{files} files, {objects} objects");
}

#[test]
fn each_repair_alone_resolves_its_finding() {
    let mut repairs = 0;
    for case in examples() {
        for found in kvrules::read_rules(&case.source).diagnostics {
            let Some(fix) = &found.fix else { continue };
            repairs += 1;
            let text = apply_edits(case.source.text(), &fix.edits).expect("edits that fit the text");
            let after = kvrules::read_rules(&SourceFile::new(FileId(0), case.source.name(), text));
            let count = |found_in: &[Diagnostic]| {
                found_in
                    .iter()
                    .filter(|other| other.code == found.code && other.message == found.message)
                    .count()
            };
            let before = kvrules::read_rules(&case.source);
            assert!(
                count(&after.diagnostics) < count(&before.diagnostics),
                "{}: {} stays: {}",
                case.name,
                found.code,
                fix.title
            );
        }
    }
    println!("{repairs} repairs");
    assert!(repairs > 40, "{repairs}");
}

#[test]
fn pages_and_lints_tell_of_the_repairs_that_findings_offer() {
    let mut offered: BTreeMap<&str, Vec<Applicability>> = BTreeMap::new();
    for case in examples() {
        for found in kvrules::read_rules(&case.source).diagnostics {
            let fix = found.fix.as_ref().map(|fix| fix.applicability);
            offered.entry(found.code).or_default().extend(fix);
        }
    }
    for lint in kvrules::all_lints() {
        let (code, page) = (lint.code, kvrules::lint_page(lint.code).unwrap());
        let shown = offered.get(code).map(Vec::as_slice).unwrap_or_default();
        let kinds = [Applicability::Unsafe, Applicability::Safe];
        let reported = kinds.into_iter().filter(|kind| page.contains(&format!("\nFix: {}: ", kind.as_str())));
        let reported: Vec<_> = reported.collect();
        assert_eq!(reported.last().copied(), lint.fix, "{code}: what the page tells and what the lint says");
        for kind in shown {
            assert!(reported.contains(kind), "{code}: the page lacks `Fix: {}: `", kind.as_str());
        }
        let in_place = IN_PLACE.contains(&code);
        assert_eq!(shown.is_empty(), lint.fix.is_none() || in_place, "{code}: no example with a repair");
    }
}

/// Lints whose repairs are shown in `repairs_in_place.rs` and in no example.
const IN_PLACE: [&str; 3] = ["KV102", "KV404", "KV411"];

#[test]
fn titles_of_repairs_are_in_house_style() {
    let mut seen = 0;
    for case in examples() {
        for fix in kvrules::read_rules(&case.source).diagnostics.into_iter().filter_map(|found| found.fix) {
            seen += 1;
            let title = fix.title;
            assert!(title.starts_with(|c: char| c.is_ascii_lowercase()), "{title}");
            assert!(!title.ends_with('.') && title.matches('`').count() % 2 == 0, "{title}");
            let last = fix.edits.iter().map(|edit| edit.span.to_range().end).max();
            assert!(
                last.is_some_and(|last| last <= case.source.text().len()),
                "{title}: outside of the text"
            );
        }
    }
    assert!(seen > 40, "{seen}");
}

/// The examples of rules in the documentation, without the folders of books and sites beside them.
fn example_files() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository_root().join("docs/examples")).unwrap();
    let mut files: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn files_without_mistakes_stay_as_they_are() {
    for path in example_files() {
        let (name, text) = (path.to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap());
        let fixed = retained(&case(&name, &name, &text), true);
        let safe = retained(&case(&name, &name, &text), false);
        println!("{name}: {} safe, {} in all", safe.repaired_count(), fixed.repaired_count());
    }
}

#[test]
fn in_released_bundles_only_what_the_deployed_validator_cannot_read_is_repaired() {
    for (name, text) in template_bundles() {
        let case = case(&name, &name, &text);
        let fixed = retained(&case, true);
        let of_machines = |repair: &kvrules::AttemptedRepair| repair.code == "KV911";
        let other: Vec<_> = fixed.applied.iter().filter(|repair| !of_machines(repair)).collect();
        println!("{name}: {} repairs, other than KV911: {}", fixed.repaired_count(), other.len());
        means_the_same(&name, &kvrules::read_rules(&case.source), &fixed.reading);
        assert!(!codes(fixed.remaining_findings()).contains(&"KV911"), "{name}");
    }
}

#[test]
fn what_is_unsafe_waits_to_be_asked_for() {
    for case in examples() {
        for found in kvrules::read_rules(&case.source).diagnostics.iter().filter(|found| found.fix.is_some())
        {
            let kind = found.fix.as_ref().unwrap().applicability;
            assert_eq!(is_offered(found, false), kind == Applicability::Safe);
            assert_eq!(is_offered(found, true), kind != Applicability::DisplayOnly);
        }
    }
}

/// A slip of the pen, made at a place of a text.
#[derive(Clone, Copy, Debug)]
enum Slip {
    Lose,
    Put(&'static str),
    Curl,
    Single,
    Dedent,
}

fn slip() -> impl Strategy<Value = Slip> {
    prop_oneof![
        Just(Slip::Lose),
        Just(Slip::Curl),
        Just(Slip::Single),
        Just(Slip::Dedent),
        prop::sample::select(vec![
            ",", "\"", "'", ":", "[", "]", "{", "}", "\\d", "// x\n", "True", "1Gi", ".5", "\t", " # y\n",
            "é", "\u{a0}", "&a ", "${A}", "{{ x }}",
        ])
        .prop_map(Slip::Put),
    ]
}

/// The text with a slip at the nearest place where it makes sense.
fn slipped(text: &str, at: prop::sample::Index, slip: Slip) -> String {
    let boundary = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let at = boundary(at.index(text.len() + 1));
    let (before, rest) = text.split_at(at);
    let next = |what: &str, with: &str| match rest.find(what) {
        Some(found) => format!("{before}{}{with}{}", &rest[..found], &rest[found + what.len()..]),
        None => text.to_owned(),
    };
    match slip {
        Slip::Lose => format!("{before}{}", rest.chars().skip(1).collect::<String>()),
        Slip::Put(what) => format!("{before}{what}{rest}"),
        Slip::Curl => next("\"", "”"),
        Slip::Single => next("\"", "'"),
        Slip::Dedent => next("\n  ", "\n"),
    }
}

/// The texts that slips are made in: examples of the documentation, some of the pages, and a template of each bundle.
static TEXTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    for path in example_files() {
        texts.push((path.to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()));
    }
    let examples = examples().into_iter().step_by(3);
    texts.extend(examples.map(|case| (case.source.name().to_owned(), case.source.text().to_owned())));
    let one = |text: &str| text.split("\n---\n").nth(1).unwrap_or(text).to_owned();
    texts.extend(template_bundles().into_iter().map(|(name, text)| (name, one(&text))));
    texts.sort();
    texts
});

fn is_yaml(text: &str) -> bool {
    saphyr_parser::Parser::new_from_str(text).all(|event| event.is_ok())
}

proptest! {
    #[test]
    fn whatever_slips_are_made_repairs_end_and_break_nothing(
        which in any::<prop::sample::Index>(),
        slips in prop::collection::vec((any::<prop::sample::Index>(), slip()), 1..4),
        crlf in any::<bool>(),
        unsafe_fixes in any::<bool>(),
    ) {
        let (name, text) = which.get(&TEXTS);
        let text = slips.iter().fold(text.clone(), |text, (at, slip)| slipped(&text, *at, *slip));
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let case = case(&format!("{name} {slips:?}"), name, &text);
        let fixed = retained(&case, unsafe_fixes);
        prop_assert!(!is_yaml(&text) || is_yaml(fixed.source.text()), "{}: no YAML any more", case.name);
        if !unsafe_fixes {
            means_the_same(&case.name, &kvrules::read_rules(&case.source), &fixed.reading);
        }
    }
}
