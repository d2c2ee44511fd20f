//! Compares the results of kvrules-solver with brute force: every pair of many small rules, evaluated on every object of
//! a small world, and predicates made at random.
//!
//! A "yes" must hold on every object. A "no" must come with an object that shows it, evaluated anew here. What is unknown
//! is counted and printed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

mod searched;

use std::collections::BTreeMap;

use kvrules_eval::{Outcome, Program, predicate_holds};
use kvrules_ir::{
    ElaboratedRule, Interval, Operand, OperandRelation, Place, PlaceBase, PlaceStep, Predicate, Presence,
    RegexPattern, Scalar, ValueTest, ValueType,
};
use kvrules_solver::{ProofAnswer, Prover, SearchResult, UnknownReason, always_holds, find_object};
use kvrules_tests::spec::read_rules;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use searched::{
    StrictnessComparison, check_contradiction, check_equivalence, check_implication, compare_strictness,
    never_applies, never_satisfied,
};

/// Rules over few places, without their names: the kind, the path, the guard and the arguments.
fn pool() -> Vec<ElaboratedRule> {
    const CPU: &str = ".spec.domain.cpu";
    let integers =
        [r#""min": 1"#, r#""min": 2"#, r#""max": 2"#, r#""max": 1"#, r#""min": 2, "max": 3"#, r#""min": 4"#];
    let texts = [
        r#""rule": "enum", "values": ["a"]"#,
        r#""rule": "enum", "values": ["a", "b"]"#,
        r#""rule": "enum", "values": ["b", "ab", "aba"]"#,
        r#""rule": "regex", "regex": "^(a|b)$""#,
        r#""rule": "regex", "regex": "^a|b$""#,
        r#""rule": "regex", "regex": "a""#,
        r#""rule": "regex", "regex": ".*""#,
        r#""rule": "regex", "regex": "a^""#,
        r#""rule": "regex", "regex": "^[ab]+$""#,
        r#""rule": "string", "minLength": 1"#,
        r#""rule": "string", "maxLength": 1"#,
        r#""rule": "string", "minLength": 1, "maxLength": 1"#,
        r#""rule": "string", "minLength": 3"#,
    ];
    let mut written: Vec<String> = Vec::new();
    let mut add = |path: &str, guards: &[&str], keys: &str| {
        for guard in guards {
            let guard =
                if guard.is_empty() { String::new() } else { format!(r#", "valid": "jsonpath::{guard}""#) };
            written.push(format!(
                r#"{{"name": "r", "message": "m", "path": "jsonpath::{path}"{guard}, {keys}}}"#
            ));
        }
    };
    for bounds in integers {
        let keys = format!(r#""rule": "integer", {bounds}"#);
        add(".spec.domain.cpu.cores", &["", CPU], &keys);
        add(
            ".spec.domain.devices.disks[*].bootOrder",
            &["", ".spec.domain.devices.disks[*].bootOrder"],
            &keys,
        );
    }
    for keys in [
        r#""max": "jsonpath::.spec.domain.cpu.sockets""#,
        r#""min": "jsonpath::.spec.domain.cpu.sockets""#,
        r#""min": "jsonpath::.spec.domain.cpu.sockets", "max": "jsonpath::.spec.domain.cpu.sockets""#,
        r#""min": "jsonpath::.spec.domain.cpu.cores""#,
        r#""min": 2, "max": "jsonpath::.spec.domain.cpu.sockets""#,
    ] {
        add(".spec.domain.cpu.cores", &["", CPU], &format!(r#""rule": "integer", {keys}"#));
    }
    for keys in texts {
        add(".spec.domain.machine.type", &["", ".spec.domain.machine"], keys);
        add(
            ".spec.domain.devices.disks[*].disk.bus",
            &["", ".spec.domain.devices.disks[*].disk.bus", ".spec.domain.devices.disks[*].disk"],
            keys,
        );
        add(".spec.domain.devices.disks[0].disk.bus", &["", ".spec.domain.devices.disks[0].disk"], keys);
    }
    add(".spec.domain.machine.type", &[""], r#""rule": "enum", "values": ["a", "jsonpath::.spec.hostname"]"#);
    add(".spec.domain.machine.type", &[""], r#""rule": "enum", "values": ["jsonpath::.spec.hostname"]"#);
    for keys in [r#""min": 1"#, r#""min": 1024"#, r#""min": "1Ki""#, r#""max": 1000"#] {
        let keys = keys.replace("\"1Ki\"", "1024.0");
        add(
            ".spec.domain.memory.guest",
            &["", ".spec.domain.memory.guest"],
            &format!(r#""rule": "integer", {keys}"#),
        );
    }
    add(".spec.domain.memory.guest", &[""], r#""rule": "enum", "values": ["1Ki", "1024"]"#);
    add(".spec.domain.memory.guest", &[""], r#""rule": "regex", "regex": "^[0-9]+Ki$""#);
    let read = read_rules(&format!("[{}]", written.join(",")));
    assert_eq!(read.len(), written.len());
    read.into_iter()
        .zip(&written)
        .map(|(read, text)| read.rule.unwrap_or_else(|why| panic!("{text}: {why:?}")))
        .collect()
}

/// Every choice of one option for each part.
fn product(parts: &[(&str, Vec<Option<Value>>)]) -> Vec<Value> {
    let mut all = vec![json!({})];
    for (name, options) in parts {
        let mut next = Vec::new();
        for object in &all {
            for option in options {
                let mut object = object.clone();
                if let Some(value) = option {
                    object[*name] = value.clone();
                }
                next.push(object);
            }
        }
        all = next;
    }
    all
}

fn options(values: impl IntoIterator<Item = Value>) -> Vec<Option<Value>> {
    std::iter::once(None).chain(values.into_iter().map(Some)).collect()
}

/// Parts of the small world: all objects of each are looked at together with a few of the others.
fn world() -> Vec<Value> {
    let words = ["", "a", "b", "ab", "ba", "aba", "1", "é", "ab1"];
    let numbers = [0, 1, 2, 3, 4, 5].map(|number| json!(number));
    let cpus =
        options(product(&[("cores", options(numbers.clone())), ("sockets", options(numbers.clone()))]));
    let machines = options(product(&[("type", options(words.map(Value::from)))]));
    let memories = options(product(&[(
        "guest",
        options(["0", "100m", "1", "1000", "1024", "1Ki", "2Ki", "1.5Gi"].map(Value::from)),
    )]));
    let buses: Vec<_> = product(&[("bus", options(["", "a", "b", "ab", "aba", "x"].map(Value::from)))]);
    let mut disks = vec![json!(null)];
    disks
        .extend(product(&[("disk", options(buses)), ("bootOrder", options([json!(1), json!(2), json!(4)]))]));
    let mut lists = vec![json!([])];
    for one in &disks {
        lists.push(json!([one]));
        lists.extend(disks.iter().map(|other| json!([one, other])));
    }
    let machine = |cpu: Option<&Value>,
                   machine: Option<&Value>,
                   memory: Option<&Value>,
                   disks: Option<&Value>,
                   host: &str| {
        let mut domain = json!({"devices": {}});
        for (name, value) in [("cpu", cpu), ("machine", machine), ("memory", memory)] {
            if let Some(value) = value {
                domain[name] = value.clone();
            }
        }
        if let Some(disks) = disks {
            domain["devices"]["disks"] = disks.clone();
        }
        json!({"spec": {"template": {"spec": {"domain": domain, "hostname": host}}}})
    };
    let mut all = Vec::new();
    let (some_lists, some_machines) =
        ([lists[0].clone(), lists[2].clone(), lists[9].clone()], [&machines[0], &machines[3]]);
    for (at, cpu) in cpus.iter().enumerate() {
        let (list, kind) = (&some_lists[at % 3], some_machines[at % 2]);
        all.push(machine(cpu.as_ref(), kind.as_ref(), None, Some(list), "a"));
    }
    for kind in &machines {
        all.extend(
            ["", "a", "b", "ab"].map(|host| machine(cpus[9].as_ref(), kind.as_ref(), None, None, host)),
        );
        all.extend(
            lists
                .iter()
                .step_by(5)
                .map(|list| machine(cpus[9].as_ref(), kind.as_ref(), None, Some(list), "a")),
        );
    }
    all.extend(
        lists.iter().map(|list| machine(cpus[20].as_ref(), machines[3].as_ref(), None, Some(list), "a")),
    );
    for memory in &memories {
        all.extend(machines.iter().map(|kind| machine(None, kind.as_ref(), memory.as_ref(), None, "a")));
    }
    all
}

fn outcome(rule: &ElaboratedRule, object: &Value) -> Outcome {
    Program::new(rule).unwrap().evaluate_object(object).outcome
}

fn keeps(rule: &ElaboratedRule, object: &Value) -> bool {
    outcome(rule, object) != Outcome::Violated
}

/// Answers by what they are.
#[derive(Default, Debug)]
struct Count {
    yes: usize,
    no: usize,
    unknown: BTreeMap<UnknownReason, usize>,
}

impl Count {
    /// Counts an answer; `shown` is whether brute force leaves room for a yes, `shows` whether an object proves a no.
    fn take(
        &mut self,
        answer: &ProofAnswer,
        room: bool,
        shows: impl Fn(&Value) -> bool,
        what: impl Fn() -> String,
    ) {
        match answer {
            ProofAnswer::Yes => {
                assert!(room, "yes, and an object says no: {}", what());
                self.yes += 1;
            }
            ProofAnswer::No(Some(object)) => {
                assert!(shows(object), "the object shows nothing: {} {object}", what());
                self.no += 1;
            }
            ProofAnswer::No(None) => self.no += 1,
            ProofAnswer::Unknown(doubt) => *self.unknown.entry(*doubt).or_default() += 1,
        }
    }

    fn all(&self) -> usize {
        self.yes + self.no + self.unknown.values().sum::<usize>()
    }
}

fn text(rule: &ElaboratedRule) -> String {
    let requirement = &rule.requirement;
    let guard = requirement.guard.as_ref().map(|guard| guard.text.as_str());
    format!(
        "{} ({guard:?}) {:?} {:?}",
        requirement.subject.text, requirement.tests, requirement.compared_with
    )
}

/// Number of unknown answers to each question; zero for all others.
const UNKNOWN: [(&str, usize); 3] = [("contradicts", 12), ("equivalent", 6), ("implies", 62)];

#[test]
fn what_is_said_of_rules_holds_on_every_object_of_a_small_world() {
    let (rules, world) = (pool(), world());
    let outcomes: Vec<Vec<Outcome>> = rules
        .iter()
        .map(|rule| {
            let program = Program::new(rule).unwrap();
            world.iter().map(|object| program.evaluate_object(object).outcome).collect()
        })
        .collect();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for (rule, seen) in rules.iter().zip(&outcomes) {
        let what = || text(rule);
        let room = seen.iter().all(|outcome| *outcome == Outcome::Skipped);
        let applies = |object: &Value| outcome(rule, object) != Outcome::Skipped;
        counts.entry("never applies").or_default().take(&never_applies(rule), room, applies, what);
        let room = !seen.contains(&Outcome::Violated);
        counts.entry("always holds").or_default().take(
            &always_holds(rule),
            room,
            |object| !keeps(rule, object),
            what,
        );
        let room = !seen.contains(&Outcome::Satisfied);
        let satisfied = |object: &Value| outcome(rule, object) == Outcome::Satisfied;
        counts.entry("never satisfied").or_default().take(&never_satisfied(rule), room, satisfied, what);
    }
    let mut pairs_asked = 0_usize;
    for (at, (one, seen)) in rules.iter().zip(&outcomes).enumerate() {
        for (and, (other, also)) in rules.iter().zip(&outcomes).enumerate() {
            // Of the pairs without a common field, a part is enough.
            if one.requirement.subject.leaf != other.requirement.subject.leaf && (at * 31 + and) % 7 != 0 {
                continue;
            }
            pairs_asked += 1;
            let what = || format!("{} / {}", text(one), text(other));
            let pairs = || seen.iter().zip(also);
            let kept = |outcome: &Outcome| *outcome != Outcome::Violated;
            let follows = pairs().all(|(one, other)| !kept(one) || kept(other));
            let shows = |object: &Value| keeps(one, object) && !keeps(other, object);
            counts.entry("implies").or_default().take(&check_implication(one, other), follows, shows, what);
            let same = pairs().all(|(one, other)| kept(one) == kept(other));
            let differs = |object: &Value| keeps(one, object) != keeps(other, object);
            counts.entry("equivalent").or_default().take(&check_equivalence(one, other), same, differs, what);
            let both = |(one, other): (&Outcome, &Outcome)| {
                *one == Outcome::Satisfied && *other == Outcome::Satisfied
            };
            let apart = !pairs().any(both);
            let together = |object: &Value| {
                outcome(one, object) == Outcome::Satisfied && outcome(other, object) == Outcome::Satisfied
            };
            let answer = check_contradiction(one, other);
            counts.entry("contradicts").or_default().take(&answer, apart, together, what);
            let applies = |outcome: &Outcome| *outcome != Outcome::Skipped;
            let each = seen.contains(&Outcome::Satisfied)
                && also.contains(&Outcome::Satisfied)
                && pairs().any(|(one, other)| applies(one) && applies(other));
            assert!(!(answer == ProofAnswer::No(None) && each && apart), "each alone can be: {}", what());
            let shown = match compare_strictness(one, other) {
                StrictnessComparison::Equal => same,
                StrictnessComparison::Tighter(object) => shows(&object),
                StrictnessComparison::Looser(object) => !keeps(one, &object) && keeps(other, &object),
                StrictnessComparison::Incomparable(lost, won) => {
                    shows(&lost) && !keeps(one, &won) && keeps(other, &won)
                }
                StrictnessComparison::Unknown(_) => true,
            };
            assert!(shown, "{}", what());
        }
    }
    println!("{} rules, {pairs_asked} pairs, {} objects", rules.len(), world.len());
    for (question, count) in &counts {
        println!(
            "{question}: {} asked, {} yes, {} no, unknown {:?}",
            count.all(),
            count.yes,
            count.no,
            count.unknown
        );
        let known = UNKNOWN.iter().find(|(name, _)| name == question).map_or(0, |(_, known)| *known);
        assert_eq!(count.unknown.values().sum::<usize>(), known, "{question}: unknown, and how many may be");
    }
    for question in ["implies", "equivalent", "contradicts"] {
        assert!(counts[question].yes > 100, "{question}");
    }
    assert!(counts["always holds"].yes > 3 && counts["never satisfied"].yes > 3);
}

// Random predicates, including some that no rule can have.

fn place(base: PlaceBase, names: &[(&str, Presence)], value_type: ValueType) -> Place {
    let step = |(name, presence): &(&str, Presence)| PlaceStep::Field {
        name: (*name).to_owned(),
        presence: *presence,
    };
    let default = (names.last().map(|(name, _)| *name) == Some("d")).then(|| Scalar::Integer(1.into()));
    Place { base, steps: names.iter().map(step).collect(), value_type, default }
}

use Presence::{Defaulted, Optional};

/// Places: numbers, texts, and a list with both.
fn numbers(depth: u32) -> Vec<Place> {
    let mut places = vec![
        place(PlaceBase::Root, &[("n", Optional)], ValueType::Integer),
        place(PlaceBase::Root, &[("o", Optional), ("d", Defaulted)], ValueType::Integer),
    ];
    if depth > 0 {
        places.push(place(PlaceBase::Element(0), &[("n", Optional)], ValueType::Integer));
    }
    places
}

fn texts(depth: u32) -> Vec<Place> {
    let mut places = vec![
        place(PlaceBase::Root, &[("t", Optional)], ValueType::String),
        place(PlaceBase::Root, &[("o", Optional), ("s", Optional)], ValueType::IntOrString),
        Place {
            steps: vec![
                PlaceStep::Field { name: "l".to_owned(), presence: Defaulted },
                PlaceStep::Item(0),
                PlaceStep::Field { name: "t".to_owned(), presence: Optional },
            ],
            ..place(PlaceBase::Root, &[], ValueType::String)
        },
    ];
    if depth > 0 {
        places.push(place(PlaceBase::Element(0), &[("t", Optional)], ValueType::String));
    }
    places
}

fn interval() -> impl Strategy<Value = Interval> {
    (proptest::option::of(0..4_i32), proptest::option::of(0..4_i32))
        .prop_map(|(min, max)| Interval { min: min.map(Into::into), max: max.map(Into::into) })
}

fn atom(depth: u32) -> impl Strategy<Value = Predicate> {
    let any = || select(numbers(depth).into_iter().chain(texts(depth)).collect::<Vec<_>>());
    let patterns = ["a", "^a", "b$", "^(a|b)$", "^[ab]*$", ".", "^$", "^1|a$", "a^", "[^a]", "^\\d+$"];
    let sets = [vec!["a"], vec!["a", "b"], vec!["1", "ab"], vec!["", "b", "2"], vec!["é"]];
    let sets = sets.map(|set| ValueTest::OneOf(set.into_iter().map(str::to_owned).collect()));
    let test = |place: Place, test: ValueTest| Predicate::Test { place, test };
    let number = move || select(numbers(depth));
    let words = move || select(texts(depth));
    let relation = || select(vec![OperandRelation::AtLeast, OperandRelation::AtMost, OperandRelation::Equal]);
    prop_oneof![
        3 => any().prop_map(Predicate::Present),
        4 => (number(), interval()).prop_map(move |(place, interval)| test(place, ValueTest::Integer(interval))),
        2 => (words(), interval()).prop_map(move |(place, interval)| test(place, ValueTest::Length(interval))),
        3 => (words(), select(sets.to_vec())).prop_map(move |(place, set)| test(place, set)),
        3 => (words(), select(patterns.to_vec()))
            .prop_map(move |(place, pattern)| test(place, ValueTest::Matches(RegexPattern(pattern.to_owned())))),
        1 => (any(), interval()).prop_map(move |(place, interval)| test(place, ValueTest::Integer(interval))),
        2 => (number(), relation(), number()).prop_map(|(left, relation, right)| Predicate::Compare {
            left: Operand::Integer(left),
            relation,
            right: Operand::Integer(right),
        }),
        1 => (number(), relation(), words()).prop_map(|(left, relation, right)| Predicate::Compare {
            left: Operand::Integer(left),
            relation,
            right: Operand::Length(right),
        }),
        2 => (words(), words()).prop_map(|(left, right)| Predicate::Compare {
            left: Operand::Text(left),
            relation: OperandRelation::Equal,
            right: Operand::Text(right),
        }),
    ]
}

/// Predicates as they are written, for the constructors would make some of them simpler.
fn predicate(depth: u32) -> BoxedStrategy<Predicate> {
    let leaf = atom(depth).boxed();
    let tree = leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::All),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Predicate::Any),
            inner.prop_map(|inner| Predicate::Not(Box::new(inner))),
        ]
    });
    if depth > 0 {
        return tree.boxed();
    }
    let list = || place(PlaceBase::Root, &[("l", Defaulted)], ValueType::List);
    let each = predicate(1).prop_map(move |holds| Predicate::Each { list: list(), holds: Box::new(holds) });
    let some = predicate(1).prop_map(move |holds| Predicate::Some { list: list(), holds: Box::new(holds) });
    let not = some.clone().prop_map(|some| Predicate::Not(Box::new(some)));
    prop_oneof![4 => tree, 2 => each, 2 => some, 1 => not].boxed()
}

/// Every object with few values at these places.
fn objects() -> Vec<Value> {
    let words = || options(["", "a", "b", "ab", "1", "é"].map(Value::from));
    let numbers = || options([0, 1, 2, 4].map(Value::from));
    let inner = product(&[
        ("d", options([0, 1, 3].map(Value::from))),
        ("s", options([json!(1), json!("1"), json!("a")])),
    ]);
    let elements = product(&[
        ("n", options([0, 2].map(Value::from))),
        ("t", options(["a", "ab", "1"].map(Value::from))),
    ]);
    let mut lists = vec![json!([])];
    lists.extend(elements.iter().map(|one| json!([one])));
    lists.extend(elements.iter().step_by(2).map(|one| json!([null, one])));
    lists.extend(elements.iter().zip(elements.iter().skip(5)).map(|(one, other)| json!([one, other])));
    product(&[("n", numbers()), ("t", words()), ("o", options(inner)), ("l", options(lists))])
}

#[test]
fn what_is_found_of_predicates_made_at_random_holds_on_every_object() {
    let objects = objects();
    let config = ProptestConfig {
        cases: kvrules_testdata::case_count(1500),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let counts = std::cell::RefCell::new(BTreeMap::<String, usize>::new());
    let parts = proptest::collection::vec((predicate(0), any::<bool>()), 1..4);
    let run = runner.run(&parts, |parts| {
        let requested: Vec<_> = parts.iter().map(|(predicate, holds)| (predicate, *holds)).collect();
        let shows = |object: &Value| {
            requested.iter().all(|(predicate, wanted)| predicate_holds(predicate, object) == *wanted)
        };
        let counted = match find_object(&requested) {
            SearchResult::Object(object) => {
                prop_assert!(shows(&object), "{object} shows nothing");
                "found".to_owned()
            }
            SearchResult::Nothing => {
                // Patterns are compiled again for each object, so only some objects are tested.
                let all = objects.iter().step_by(17).find(|object| shows(object));
                prop_assert!(all.is_none(), "{:?} was not found", all);
                "nothing".to_owned()
            }
            SearchResult::Unknown(doubt) => {
                let brute = if objects.iter().step_by(17).any(shows) { "there is one" } else { "none seen" };
                format!("unclear ({doubt:?}, {brute})")
            }
        };
        *counts.borrow_mut().entry(counted).or_default() += 1;
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
    println!("{} objects; {:?}", objects.len(), counts.borrow());
    let counts = counts.into_inner();
    assert!(counts["nothing"] > 100 && counts["found"] > 200, "{counts:?}");
    let unclear: usize =
        counts.iter().filter(|(what, _)| what.starts_with("unclear")).map(|(_, count)| count).sum();
    if kvrules_testdata::is_quick_run() {
        assert_eq!(unclear, 11, "{counts:?}");
    }
}

/// An answer without the object that shows it.
fn word(answer: &ProofAnswer) -> &'static str {
    match answer {
        ProofAnswer::Yes => "yes",
        ProofAnswer::No(_) => "no",
        ProofAnswer::Unknown(_) => "unknown",
    }
}

#[test]
fn a_prover_that_remembers_says_what_single_questions_say() {
    let rules: Vec<_> = pool().into_iter().step_by(4).collect();
    let mut prover = Prover::with_cases(u64::MAX);
    for one in &rules {
        for other in &rules {
            let requested = (check_implication(one, other), check_contradiction(one, other));
            let remembered = (prover.prove_implication(one, other), prover.prove_contradiction(one, other));
            for (alone, beside) in [(requested.0, remembered.0), (requested.1, remembered.1)] {
                // An object from another question may answer one that is unknown without it.
                let (alone, beside) = (word(&alone), word(&beside));
                assert!(alone == beside || (alone, beside) == ("unknown", "no"), "{alone} {beside}");
            }
        }
    }
}

/// Many rules of one kind on one field.
fn many(number: usize, keys: impl Fn(usize) -> String) -> Vec<ElaboratedRule> {
    let written: Vec<String> = (0..number)
        .map(|index| format!(r#"{{"name": "r{index}", "message": "m", {}}}"#, keys(index)))
        .collect();
    read_rules(&format!("[{}]", written.join(","))).into_iter().filter_map(|read| read.rule.ok()).collect()
}

/// The cases and steps that it takes to relate each rule to each, and how many answers are unknown.
fn work(rules: &[ElaboratedRule]) -> (u64, u64, usize) {
    let mut prover = Prover::default();
    let mut unknown = 0;
    for (at, rule) in rules.iter().enumerate() {
        for other in &rules[..at] {
            let answers = [
                prover.prove_implication(rule, other),
                prover.prove_implication(other, rule),
                prover.prove_contradiction(rule, other),
            ];
            unknown += answers.iter().filter(|answer| word(answer) == "unknown").count();
        }
    }
    let (cases, steps) = prover.work_done();
    (cases, steps, unknown)
}

#[test]
fn many_rules_on_one_field_take_few_searches() {
    let integers = many(250, |index| {
        format!(
            r#""path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer", "min": {index}, "max": {}"#,
            1000 + index
        )
    });
    let (cases, _, unknown) = work(&integers);
    println!("250 integers: {cases} cases, {unknown} unknown");
    assert!(integers.len() == 250 && cases < 20_000 && unknown == 0, "{cases} {unknown}");
    let patterns = many(113, |index| {
        format!(
            r#""path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "^[a-z]{{1,{}}}-v{index}.*$""#,
            5 + index % 20
        )
    });
    let (cases, steps, unknown) = work(&patterns);
    println!("113 patterns: {cases} cases, {steps} steps, {unknown} unknown");
    assert!(patterns.len() == 113 && steps <= 60_000_000 && cases <= 40_000, "{cases} {steps} {unknown}");
}

#[test]
fn patterns_that_blow_up_side_by_side_stop_at_their_steps() {
    let patterns = many(8, |index| {
        let letter = ["a", "b"][index % 2];
        format!(
            r#""path": "jsonpath::.spec.hostname", "rule": "regex", "regex": "^(a|b)*{letter}(a|b){{{}}}$""#,
            7 + index / 2
        )
    });
    let (cases, steps, unknown) = work(&patterns);
    println!("8 patterns: {cases} cases, {steps} steps, {unknown} unknown");
    assert!(patterns.len() == 8 && steps <= 60_000_000, "{steps}");
}
