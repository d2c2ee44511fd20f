//! The two models over the recorded cases: every rule agrees, or differs by a named difference.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test shows its counts and may stop at the first surprise"
)]

use std::collections::BTreeMap;

use kvrules_diagnostics::FileId;
use kvrules_syntax::parse_json;
use kvrules_template_validator::divergence::{DIFFERENCES, compare_annotation};
use serde_json::Value;

/// Number of times a difference was named.
#[derive(Default)]
struct Count {
    explains: usize,
    over: Vec<String>,
}

#[derive(Default)]
struct Tally {
    cases: usize,
    agreeing_cases: usize,
    rules: usize,
    agreeing_rules: usize,
    named: usize,
    unexplained: Vec<String>,
    counts: BTreeMap<&'static str, Count>,
}

impl Tally {
    fn note(&mut self, id: &str, agree: bool, named: &[&'static str]) {
        for name in named {
            let count = self.counts.entry(name).or_default();
            if agree { count.over.push(id.to_owned()) } else { count.explains += 1 }
        }
        match (agree, named.is_empty()) {
            (false, true) => self.unexplained.push(id.to_owned()),
            (false, false) => self.named += 1,
            _ => {}
        }
    }

    fn case(&mut self, row: &Value, machine: &str) {
        let id = row["id"].as_str().unwrap();
        let comparison = compare_annotation(row["rules"].as_str().unwrap(), machine).unwrap();
        self.cases += 1;
        if comparison.is_by_rule() {
            let rules = &comparison.rules;
            if comparison.answer.status.as_ref().is_some_and(|status| status.len() != rules.len()) {
                self.unexplained.push(format!("{id}: a rule is not read by one of the models"));
            }
            self.agreeing_cases += usize::from(rules.iter().all(|rule| rule.agree));
            let effect = comparison.spec_allows == comparison.ssp_allows;
            if !effect && rules.iter().all(|rule| rule.agree) {
                self.unexplained.push(format!("{id} as a whole"));
            }
        } else {
            let agree = comparison.spec_allows == comparison.ssp_allows;
            self.agreeing_cases += usize::from(agree);
            self.note(id, agree, &comparison.whole);
        }
        for (at, rule) in comparison.rules.iter().enumerate() {
            self.rules += 1;
            self.agreeing_rules += usize::from(rule.agree);
            let outcome = rule.context.spec.outcome().map_or("left out", |outcome| outcome.as_str());
            let id = format!("{id}#{at} spec {outcome}, ssp {:?}", rule.context.ssp);
            self.note(&id, rule.agree, &rule.named);
        }
    }

    /// No difference without a name, and no name where the outcomes agree.
    fn hold(&self) {
        assert!(self.unexplained.is_empty(), "{:?}", self.unexplained);
        let over: Vec<_> =
            self.counts.iter().filter(|(_, count)| !count.over.is_empty()).map(|(id, _)| id).collect();
        assert!(over.is_empty(), "{over:?}");
    }

    fn print(&self) {
        println!("cases {}, agreeing {}", self.cases, self.agreeing_cases);
        println!(
            "rules {}, agreeing {}; differing and named {}",
            self.rules, self.agreeing_rules, self.named
        );
        for difference in DIFFERENCES {
            let (explains, over) =
                self.counts.get(difference.id).map_or((0, &[][..]), |count| (count.explains, &count.over));
            println!("{} {}: differs {explains}, agrees {}", difference.id, difference.name, over.len());
            for id in over.iter().take(6) {
                println!("    {id}");
            }
        }
        println!("unexplained {}", self.unexplained.len());
        for id in self.unexplained.iter().take(40) {
            println!("    {id}");
        }
    }
}

/// The text of the machine as it is written, since the spelling of numbers counts.
fn machine(line: &str) -> &str {
    let document = parse_json(FileId(0), line);
    let vm = document.root().and_then(|row| row.get("vm")).unwrap();
    line.get(vm.span().to_range()).unwrap()
}

/// Compares on each recorded case, its annotation on the object of the case so many lines further on.
fn recorded(name: &str, shift: usize) -> Option<Tally> {
    let text = kvrules_testdata::read_text(name)?;
    let mut tally = Tally::default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    for (line, other) in lines.iter().zip(lines.iter().cycle().skip(shift)) {
        let row: Value = serde_json::from_str(line).unwrap();
        tally.case(&row, machine(other));
    }
    tally.print();
    Some(tally)
}

#[test]
fn every_recorded_rule_agrees_or_differs_by_a_name() {
    let Some(tally) = recorded("kubevirt/evaluator-cases.jsonl", 0) else { return };
    tally.hold();
}

#[test]
fn every_rule_of_the_examples_agrees_or_differs_by_a_name() {
    let Some(tally) = recorded("kubevirt/semantics-examples.jsonl", 0) else { return };
    tally.hold();
}

#[test]
fn rules_on_objects_of_other_cases_differ_by_a_name_too() {
    let Some(tally) = recorded("kubevirt/evaluator-cases.jsonl", 29) else { return };
    tally.hold();
}
