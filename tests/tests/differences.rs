//! Compares the meaning of rules with the deployed validator: over every recorded case each difference has a name, and
//! no name is given where the two agree. A clone alone shows each named difference on recorded cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use kvrules_template_validator::divergence::{DIFFERENCES, compare_annotation};
use kvrules_tests::conformance::row::CaseRow;
use kvrules_tests::repository_root;

/// Results for the rules of a family, and for the annotations that the validator refused as a whole.
#[derive(Default)]
struct Tally {
    agree: usize,
    named: BTreeMap<&'static str, usize>,
    differ: usize,
    unexplained: Vec<String>,
    over: Vec<String>,
}

impl Tally {
    fn note(&mut self, id: &str, agree: bool, named: &[&'static str]) {
        match (agree, named.is_empty()) {
            (true, empty) => {
                self.agree += 1;
                self.over.extend((!empty).then(|| format!("{id} {named:?}")));
            }
            (false, false) => {
                self.differ += 1;
                named.iter().for_each(|name| *self.named.entry(name).or_default() += 1);
            }
            (false, true) => self.unexplained.push(id.to_owned()),
        }
    }

    fn case(&mut self, line: &str) {
        let row = CaseRow::parse(line.as_bytes()).expect("a recorded case is JSON");
        let id = row.string_member("id").unwrap_or_default();
        let rules = row.string_member("rules").expect("a recorded case has rules");
        let comparison =
            compare_annotation(&rules, row.raw_member("vm").expect("a machine")).expect("a machine is JSON");
        if !comparison.is_by_rule() {
            self.note(&id, comparison.spec_allows == comparison.ssp_allows, &comparison.whole);
        }
        for (at, rule) in comparison.rules.iter().enumerate() {
            self.note(&format!("{id}#{at}"), rule.agree, &rule.named);
        }
    }

    fn total(&self) -> usize {
        self.agree + self.differ + self.unexplained.len()
    }
}

fn lines(path: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("the file opens");
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

#[test]
fn over_all_recorded_cases_every_difference_has_a_name_and_no_agreement_has_one() {
    let Some(path) = kvrules_testdata::find_path("kubevirt/evaluator-cases.jsonl") else { return };
    let mut families: BTreeMap<String, Tally> = BTreeMap::new();
    for line in lines(&path) {
        let family = CaseRow::parse(line.as_bytes())
            .ok()
            .and_then(|row| row.string_member("family"))
            .unwrap_or_default();
        families.entry(family).or_default().case(&line);
    }
    let mut sum: BTreeMap<&str, usize> = BTreeMap::new();
    for (family, tally) in &families {
        let mut names: Vec<_> = tally.named.iter().collect();
        names.sort_by_key(|(id, _)| id[1..].parse::<u32>().unwrap_or_default());
        let names: Vec<_> = names.into_iter().map(|(id, count)| format!("{id} {count}")).collect();
        println!(
            "{family}: {}/{} agree, {} differ by a name ({}), {} unexplained, {} named though they agree",
            tally.agree,
            tally.total(),
            tally.differ,
            names.join(", "),
            tally.unexplained.len(),
            tally.over.len()
        );
        tally.named.iter().for_each(|(id, count)| *sum.entry(id).or_default() += count);
    }
    let count = |of: fn(&Tally) -> usize| families.values().map(of).sum::<usize>();
    println!(
        "all: {}/{} agree, {} differ by a name, {} unexplained, {} named though they agree",
        count(|tally| tally.agree),
        count(Tally::total),
        count(|tally| tally.differ),
        count(|tally| tally.unexplained.len()),
        count(|tally| tally.over.len())
    );
    for difference in DIFFERENCES {
        println!(
            "  {} {}: {}",
            difference.id,
            difference.name,
            sum.get(difference.id).copied().unwrap_or_default()
        );
    }
    let unexplained: Vec<_> = families.values().flat_map(|tally| &tally.unexplained).collect();
    let over: Vec<_> = families.values().flat_map(|tally| &tally.over).collect();
    assert!(unexplained.is_empty(), "without a name: {unexplained:?}");
    assert!(over.is_empty(), "named though they agree: {over:?}");
}

#[test]
fn the_selection_in_the_repository_shows_every_named_difference() {
    let mut tally = Tally::default();
    for line in lines(&repository_root().join("tests/conformance/differences.jsonl")) {
        tally.case(&line);
    }
    assert!(
        tally.unexplained.is_empty() && tally.over.is_empty(),
        "{:?} {:?}",
        tally.unexplained,
        tally.over
    );
    let shown: BTreeSet<&str> = tally.named.keys().copied().collect();
    let known: BTreeSet<&str> = DIFFERENCES.iter().map(|difference| difference.id).collect();
    assert_eq!(shown, known, "a difference without a case, or a case of none");
    println!("selection: {}/{} named differences on {} rules", shown.len(), known.len(), tally.differ);
}
