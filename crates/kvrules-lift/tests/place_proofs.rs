//! Proofs between the rules of one place, which share what is known of their terms.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use kvrules_ir::Formula;
use kvrules_lift::{ContradictionSearch, PlaceFormulas, PlaceProofs, is_implied};
use serde_json::json;
use support::{holds, schema};

/// Rules of the object, some of which imply others.
const RULES: &[&str] = &[
    "has(self.n) && self.n > 3",
    "has(self.n) && self.n >= 4",
    "self.n in [2, 3, 4]",
    "self.n > 1 && self.n < 5",
    "!has(self.m) || self.m > 1",
    "(has(self.n) ? self.n : 0) <= 5",
    "size(self.text) > 0",
    "self.text != ''",
    "self.text.startsWith('ab')",
    "self.text.startsWith('a')",
    "self.text == 'abc'",
    "self.list.all(x, x.n > 1)",
    "self.list.all(x, x.n > 0)",
    "self.list.all(x, x.name != 'a')",
    "!self.list.exists(y, y.name == 'a')",
    "self.list.exists(x, x.name == 'a')",
    "self.list.exists(x, x.name != 'b')",
    "self.map.all(k, self.map[k] > 3)",
    "self.map.all(key, self.map[key] > 2)",
    "self.words.all(w, w.size() > 2)",
    "self.words.all(w, w != '')",
    "has(self.n) != has(self.m)",
    "[has(self.n), has(self.m)].exists_one(x, x)",
];

/// The answers for the rules of a place are those for each pair by itself, loops with equal variables included.
#[test]
fn proofs_that_share_terms_agree_with_proofs_of_pairs() {
    let schema = schema();
    let texts = RULES;
    let formulas: Vec<Formula> = texts.iter().map(|text| holds(text, &schema)).collect();
    let place = PlaceFormulas::new(&schema, formulas.iter().collect());
    let mut proofs = PlaceProofs::new(&place);
    let mut proved = 0;
    for (one, premise) in formulas.iter().enumerate() {
        for (other, conclusion) in formulas.iter().enumerate() {
            let alone = is_implied(&[premise], conclusion, &schema);
            proved += usize::from(alone);
            assert_eq!(
                proofs.prove_implication(one, other),
                alone,
                "{} implies {}",
                texts[one],
                texts[other]
            );
        }
    }
    assert!(proved > RULES.len(), "{proved}");
}

#[test]
fn contradictions_are_found_across_loops_with_equal_variables() {
    let schema = schema();
    let cases: [(&[&str], ContradictionSearch); 5] = [
        (
            &["self.list.exists(x, x.n > 3)", "true", "self.list.all(x, x.n < 3)"],
            ContradictionSearch::Found(vec![0, 2]),
        ),
        (&["self.list.exists(x, x.n > 3)", "self.list.exists(x, x.n < 3)"], ContradictionSearch::Nothing),
        (&["self.map.exists(k, k == 'a')", "self.words.exists(k, k == 'b')"], ContradictionSearch::Nothing),
        (&["self.n > 3", "self.n < 9", "self.n == 2"], ContradictionSearch::Found(vec![0, 2])),
        (
            &["self.words.all(w, w == 'a')", "self.words.exists(w, w != 'a')"],
            ContradictionSearch::Found(vec![0, 1]),
        ),
    ];
    for (texts, expected) in cases {
        let formulas: Vec<Formula> = texts.iter().map(|text| holds(text, &schema)).collect();
        let place = PlaceFormulas::new(&schema, formulas.iter().collect());
        let all: Vec<usize> = (0..texts.len()).collect();
        assert_eq!(PlaceProofs::new(&place).find_contradiction(&all), expected, "{texts:?}");
    }
}

/// Numbers of rules, all compared with each other: the work is that of preparing each once, and a few parts for each pair.
#[test]
fn comparing_the_rules_of_a_place_takes_few_steps_for_a_pair() {
    let steps = |count: usize| {
        let names = (0..count).map(|at| (format!("f{at}"), json!({"type": "integer"})));
        let schema = json!({"type": "object", "properties": names.collect::<serde_json::Map<_, _>>()});
        let text = |at: usize| format!("!has(self.f{at}) || self.f{at} > {at} || self.f{at} == 0");
        let formulas: Vec<Formula> = (0..count).map(|at| holds(&text(at), &schema)).collect();
        let place = PlaceFormulas::new(&schema, formulas.iter().collect());
        let mut proofs = PlaceProofs::new(&place);
        for one in 0..count {
            for other in 0..count {
                assert_eq!(proofs.prove_implication(one, other), one == other);
            }
        }
        assert_eq!(proofs.find_contradiction(&(0..count).collect::<Vec<_>>()), ContradictionSearch::Nothing);
        proofs.steps_used()
    };
    // Four times the rules are sixteen times the pairs.
    let (few, many) = (steps(10), steps(40));
    assert!(few < 80_000 && many < 24 * few, "{few} {many}");
}

#[test]
fn formulas_that_are_too_large_together_are_reported_as_such() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
    let rule = |from: usize| {
        let parts = (0..400).map(|at| format!("self.n == {} && self.s != '{at}'", from + at));
        holds(&parts.collect::<Vec<_>>().join(" || "), &schema)
    };
    let formulas: Vec<Formula> = (0..12).map(|at| rule(at * 7)).collect();
    let place = PlaceFormulas::new(&schema, formulas.iter().collect());
    let found = PlaceProofs::new(&place).find_contradiction(&(0..12).collect::<Vec<_>>());
    assert_eq!(found, ContradictionSearch::TooLarge);
}
