//! Claims over all rules and objects: elaboration gives a normal form, evaluation always answers and its explanation
//! agrees, the emulator of the deployed validator never falls over, and whatever differs between the two has a name.
//!
//! Every run sees the same cases. `KVRULES_PROPERTY_CASES=100000` asks for so many, and for others each time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::{Catalog, CatalogField};
use kvrules_eval::{Explanation, Outcome, Program, explain_rule, predicate_holds};
use kvrules_ir::{ElaboratedRule, Predicate, ValueType};
use kvrules_syntax::parse_json;
use kvrules_tests::spec::{read_rules, show_predicate};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

/// Runs a check on so many cases, or on as many as the environment asks for.
fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let requested = std::env::var("KVRULES_PROPERTY_CASES").ok().and_then(|count| count.parse().ok());
    let config = ProptestConfig {
        cases: requested.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = match requested {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    if let Err(error) = runner.run(strategy, test) {
        panic!("{error}");
    }
}

/// Every path of the catalog, through every item of lists and with a key that maps of the base machine have.
fn catalog_paths() -> Vec<String> {
    fn below(field: CatalogField<'_>, path: &str, depth: usize, paths: &mut Vec<String>) {
        for next in field.child_fields().filter(|_| depth < 12) {
            let path = match field.value_type() {
                ValueType::List => format!("{path}[*]"),
                ValueType::Map => format!("{path}.memory"),
                _ => format!("{path}.{}", next.name()),
            };
            paths.push(path.clone());
            below(next, &path, depth + 1, paths);
        }
    }
    let mut paths = Vec::new();
    below(Catalog::kubevirt_vm().root(), "", 0, &mut paths);
    paths
}

/// Paths that rules are mostly about, where a random choice from the whole catalog would seldom meet a value.
const USUAL: [&str; 16] = [
    ".spec.domain.cpu.cores",
    ".spec.domain.cpu.sockets",
    ".spec.domain.cpu.model",
    ".spec.domain.memory.guest",
    ".spec.domain.resources.requests.memory",
    ".spec.domain.devices.disks[*].disk.bus",
    ".spec.domain.devices.disks[*].name",
    ".spec.domain.devices.disks[*].bootOrder",
    ".spec.domain.devices.disks[*].cdrom.tray",
    ".spec.domain.devices.interfaces[*].ports[*].port",
    ".spec.domain.devices.interfaces[*].model",
    ".spec.domain.devices.interfaces[0].macAddress",
    ".spec.livenessProbe.httpGet.port",
    ".spec.terminationGracePeriodSeconds",
    ".spec.hostname",
    ".metadata.labels.memory",
];

/// Paths that are no field, or that no predicate says.
const ODD: [&str; 22] = [
    "",
    ".",
    "..",
    ".spec..name",
    ".spec.domain.*",
    ".spec.domain.devices.disks[0:2].name",
    ".spec.domain.devices.disks[-1].name",
    ".spec.domain.devices.disks[0,1].name",
    ".spec.domain.devices.disks[7]",
    ".spec.domain.devices.disks[?(@.name=='a')].name",
    ".spec.domain['cpu','memory']",
    ".spec 'x'",
    "spec.domain",
    ".spec.domain.devices.disks[",
    "}{.spec",
    "{range .spec}{end}",
    ".spec.nope",
    ".spec.domain.cpu[0]",
    ".spec.domain.devices.disks[*][*].name",
    ".metadata.labels['a\\.b/c']",
    "[0]",
    "['spec']['domain']",
];

fn path() -> impl Strategy<Value = String> {
    let odd = select(ODD.map(str::to_owned).to_vec());
    let usual = select(USUAL.map(str::to_owned).to_vec());
    prop_oneof![8 => usual, 5 => select(catalog_paths()), 2 => odd, 1 => "[.\\[\\]*'a-z0-9@?(){}:,-]{0,16}"]
}

fn reference() -> impl Strategy<Value = String> {
    path().prop_map(|path| format!("jsonpath::{path}"))
}

/// Numbers as they may be written, up to beyond any machine's.
fn number() -> impl Strategy<Value = Value> {
    let written = [
        "0",
        "1",
        "2",
        "-0",
        "-1",
        "1.5",
        "-1.5",
        "2.0",
        "1e3",
        "1073741824",
        "9007199254740993",
        "1e19",
        "1e-7",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "1e300",
        "0.1",
        "80",
    ];
    select(written.to_vec()).prop_map(|text| serde_json::from_str(text).expect("a number is JSON"))
}

/// Texts in which quantities, names and troublesome characters meet.
fn text() -> impl Strategy<Value = String> {
    let usual = [
        "",
        "a",
        "virtio",
        "sata",
        "1Gi",
        "1.5Gi",
        "100m",
        "1e3",
        "8Ei",
        "9223372036854775808",
        "é",
        "e\u{301}",
        "😀",
        "true",
        "0",
        "80",
        "closed",
        "a\nb",
        " 1Gi ",
        "1GB",
        "-0",
        "\u{212a}",
    ];
    prop_oneof![4 => select(usual.map(str::to_owned).to_vec()), 1 => "\\PC{0,8}", 1 => any::<String>()]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![1 => Just(Value::Null), 2 => any::<bool>().prop_map(Value::from), 3 => number(), 5 => text().prop_map(Value::from)]
}

fn anything() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
        let key = select(vec!["spec", "domain", "name", "bus", "disk", "cores", "memory", "x"]);
        let object = prop::collection::vec((key, inner), 0..3).prop_map(|pairs| {
            Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        });
        prop_oneof![list, object]
    })
}

fn pattern() -> impl Strategy<Value = String> {
    let usual = [
        "",
        "^$",
        "a",
        "^virtio$",
        "(?i)K",
        "\\d+",
        "\\pL",
        "(?=a)",
        "(a)\\1",
        "a{1001}",
        "(((a{30}){30}){30})",
        "[",
        "(?s).",
        "\\Q.\\E",
        "[[:alpha:]]",
        "x*",
        "(?U)a+",
        "\\C",
        "\\x{10FFFF}",
        "(?P<n>a)(?P<n>b)",
        "\\pN|\\PN",
        "^.{2,4}$",
    ];
    prop_oneof![3 => select(usual.map(str::to_owned).to_vec()), 1 => "[a-c(){}\\[\\]|*+?^$.\\\\0-3,:<>=!]{0,10}"]
}

fn bound() -> impl Strategy<Value = Value> {
    prop_oneof![5 => number(), 2 => reference().prop_map(Value::from), 1 => scalar()]
}

fn arguments() -> impl Strategy<Value = Value> {
    let value = prop_oneof![4 => text().prop_map(Value::from), 2 => number(), 1 => reference().prop_map(Value::from), 1 => scalar()];
    let of = |kind, low: &'static str, high: &'static str| {
        (prop::option::of(bound()), prop::option::of(bound())).prop_map(move |(min, max)| {
            let mut rule = json!({ "rule": kind });
            min.into_iter().for_each(|min| rule[low] = min);
            max.into_iter().for_each(|max| rule[high] = max);
            rule
        })
    };
    prop_oneof![
        4 => of("integer", "min", "max"),
        3 => of("string", "minLength", "maxLength"),
        3 => prop::collection::vec(value, 0..4).prop_map(|values| json!({"rule": "enum", "values": values})),
        3 => pattern().prop_map(|regex| json!({"rule": "regex", "regex": regex})),
        1 => scalar().prop_map(|kind| json!({ "rule": kind })),
    ]
}

fn rule() -> impl Strategy<Value = Value> {
    let guard = prop::option::weighted(0.5, reference());
    let text = prop_oneof![9 => Just(json!("m")), 1 => scalar()];
    (arguments(), reference(), guard, any::<bool>(), any::<bool>(), text).prop_map(
        |(mut rule, path, guard, same, warning, message)| {
            if let Some(guard) = guard {
                rule["valid"] = Value::from(if same { path.clone() } else { guard });
            }
            rule["path"] = path.into();
            rule["message"] = message;
            if warning {
                rule["justWarning"] = true.into();
            }
            rule
        },
    )
}

fn annotation() -> impl Strategy<Value = String> {
    prop::collection::vec(rule(), 1..4).prop_map(|mut rules| {
        rules.iter_mut().enumerate().for_each(|(at, rule)| rule["name"] = format!("r{at}").into());
        Value::from(rules).to_string()
    })
}

fn base() -> Value {
    json!({"metadata": {"name": "vm"}, "spec": {"template": {
        "metadata": {"labels": {"memory": "x", "a.b/c": "y"}},
        "spec": {
            "hostname": "virtio", "terminationGracePeriodSeconds": 30,
            "livenessProbe": {"httpGet": {"port": 80}},
            "volumes": [{"name": "a"}],
            "domain": {
                "cpu": {"cores": 2, "sockets": 1, "model": "host"},
                "memory": {"guest": "2Gi"},
                "resources": {"requests": {"memory": "1Gi"}},
                "devices": {
                    "disks": [
                        {"name": "a", "disk": {"bus": "virtio"}, "bootOrder": 1}, {"name": "b", "cdrom": {"bus": "sata"}}, {"name": "c"}
                    ],
                    "interfaces": [{"name": "i", "model": "virtio", "ports": [{"port": 80}, {"port": 22}]}, {"name": "j", "ports": []}]
                }
            }
        }
    }}})
}

/// A place of a value, counted in the order in which the tree is walked.
fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, left)),
        Value::Object(members) => members.values_mut().find_map(|member| nth(member, left)),
        _ => None,
    }
}

/// A VirtualMachine in which some values were exchanged, emptied or put beside others.
fn machine() -> impl Strategy<Value = Value> {
    let edit = prop_oneof![6 => scalar(), 2 => anything(), 1 => Just(json!([])), 1 => Just(json!({}))];
    prop::collection::vec((0_usize..60, edit, 0_u8..4), 0..5).prop_map(|edits| {
        let mut machine = base();
        for (at, edit, how) in edits {
            let Some(place) = nth(&mut machine, &mut (at + 2)) else { continue };
            match (how, &mut *place) {
                (0, Value::Array(items)) => items.push(edit),
                (1, Value::Object(members)) => {
                    drop(members.swap_remove(&members.keys().next().cloned().unwrap_or_default()))
                }
                _ => *place = edit,
            }
        }
        machine
    })
}

fn object() -> impl Strategy<Value = Value> {
    let members = prop::collection::vec((select(vec!["spec", "metadata", "kind"]), anything()), 0..3);
    let random = members.prop_map(|pairs| {
        Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    });
    prop_oneof![5 => machine(), 1 => random]
}

fn accepted(annotation: &str) -> Vec<ElaboratedRule> {
    read_rules(annotation).into_iter().filter_map(|rule| rule.rule.ok()).collect()
}

/// The predicate put together again, part by part, by the constructors that keep the normal form.
fn rebuilt(predicate: &Predicate) -> Predicate {
    let all = |parts: &[Predicate]| parts.iter().map(rebuilt).collect::<Vec<_>>();
    match predicate {
        Predicate::True | Predicate::False | Predicate::Test { .. } | Predicate::Compare { .. } => {
            predicate.clone()
        }
        Predicate::All(parts) => Predicate::all_of(all(parts)),
        Predicate::Any(parts) => Predicate::any_of(all(parts)),
        Predicate::Not(inner) => Predicate::negation_of(rebuilt(inner)),
        Predicate::Each { list, holds } => Predicate::each_element(list.clone(), rebuilt(holds)),
        Predicate::Some { list, holds } => Predicate::some_element(list.clone(), rebuilt(holds)),
        Predicate::Present(place) => Predicate::presence_of(place.clone()),
    }
}

#[test]
fn a_rule_set_elaborated_twice_gives_the_same() {
    check(1_000, &annotation(), |annotation| {
        prop_assert_eq!(accepted(&annotation), accepted(&annotation));
        Ok(())
    });
}

#[test]
fn a_predicate_put_together_again_is_the_same() {
    check(2_000, &annotation(), |annotation| {
        for rule in accepted(&annotation) {
            for predicate in [&rule.predicate, &rule.applies] {
                prop_assert_eq!(&rebuilt(predicate), predicate, "{}", show_predicate(predicate));
                prop_assert_eq!(&Predicate::all_of([predicate.clone(), predicate.clone()]), predicate);
                prop_assert_eq!(&Predicate::any_of([predicate.clone(), predicate.clone()]), predicate);
            }
            // The requirement no longer contains what the guard implies, so a second implication changes nothing.
            let again = Predicate::implication_of(rule.applies.clone(), rule.predicate.clone());
            prop_assert_eq!(again, rule.predicate.clone(), "{}", show_predicate(&rule.predicate));
        }
        Ok(())
    });
}

/// The outcome by what is told of the values; none where paths are compared, of which single values tell nothing.
fn reported(rule: &ElaboratedRule, explanation: &Explanation) -> Option<Outcome> {
    if explanation.guard.as_ref().is_some_and(Vec::is_empty) {
        return Some(Outcome::Skipped);
    }
    let passes = |()| explanation.values.iter().all(|value| value.passes_tests());
    match rule.requirement.compared_with.is_empty().then_some(()).map(passes) {
        _ if explanation.values.is_empty() => Some(Outcome::Violated),
        Some(true) => Some(Outcome::Satisfied),
        Some(false) => Some(Outcome::Violated),
        None => None,
    }
}

#[test]
fn evaluation_always_answers_and_its_explanation_agrees() {
    let outcomes: RefCell<BTreeMap<&str, usize>> = RefCell::default();
    check(2_500, &(annotation(), object()), |(annotation, object)| {
        // The predicate assumes the declared types, so for an object with other types the explanation may differ.
        let is_typed = kvrules_template_validator::Machine::decode_json(&object.to_string()).is_ok();
        for rule in accepted(&annotation) {
            let (Ok(program), Ok(explanation)) = (Program::new(&rule), explain_rule(&rule, &object)) else {
                continue;
            };
            let verdict = program.evaluate_object(&object);
            *outcomes.borrow_mut().entry(verdict.outcome.as_str()).or_default() += 1;
            prop_assert_eq!(verdict, explanation.verdict);
            prop_assert_eq!(predicate_holds(&rule.predicate, &object), verdict.outcome != Outcome::Violated);
            prop_assert!(!explanation.reason.is_empty());
            if let Some(reported) = reported(&rule, &explanation).filter(|_| is_typed) {
                prop_assert_eq!(
                    verdict.outcome,
                    reported,
                    "{}: {:?}",
                    show_predicate(&rule.predicate),
                    explanation
                );
            }
        }
        Ok(())
    });
    println!("meaning: outcomes {:?}", outcomes.borrow());
}

#[test]
fn the_emulator_never_panics() {
    check(2_000, &(annotation(), object()), |(annotation, object)| {
        let answer = kvrules_template_validator::evaluate_annotation(&annotation, &object.to_string());
        let ends = [
            answer.vm_error.is_some(),
            answer.parse_error.is_some(),
            answer.panic.is_some(),
            answer.status.is_some(),
        ];
        prop_assert_eq!(ends.iter().filter(|is| **is).count(), 1, "an answer has one end");
        Ok(())
    });
}

#[test]
fn texts_that_are_no_rules_are_survived() {
    check(1_000, &("\\PC{0,40}|[\\[\\]{}\":,a-z0-9 .*-]{0,60}", object()), |(annotation, object)| {
        let _any_answer_will_do = accepted(&annotation);
        let _any_answer_will_do =
            kvrules_template_validator::evaluate_annotation(&annotation, &object.to_string());
        prop_assert!(parse_json(FileId(0), &annotation).problems().len() < 100);
        Ok(())
    });
}

/// Results for the rules that both models evaluated.
#[derive(Default)]
struct Differing {
    agree: usize,
    named: usize,
    unexplained: usize,
    open: usize,
    over: usize,
    /// By the outcomes, the shortest case without a name, and the shortest with one though the two agree.
    shortest: BTreeMap<String, String>,
}

impl Differing {
    fn note(
        &mut self,
        (outcomes, open): (String, bool),
        agree: bool,
        named: &[&'static str],
        case: impl Fn() -> String,
    ) {
        self.agree += usize::from(agree);
        match (agree, named.is_empty()) {
            (true, false) => {
                self.over += 1;
                self.keep(format!("agree {named:?}"), case());
            }
            (true, true) => {}
            (false, false) => self.named += 1,
            (false, true) => {
                self.unexplained += usize::from(!open);
                self.open += usize::from(open);
                let key = if open { format!("{outcomes} (rounded)") } else { outcomes };
                self.keep(key, case());
            }
        }
    }

    fn keep(&mut self, outcomes: String, case: String) {
        let shortest = self.shortest.entry(outcomes).or_insert_with(|| case.clone());
        if case.len() < shortest.len() {
            *shortest = case;
        }
    }
}

/// True if a bound is one that the validator rounds. D7 is not recognised where another difference meets it: the other
/// bound is a path, or the value is an object that has the name of its type for a text.
fn is_rounded(rule: &Value) -> bool {
    let bounds = ["min", "max", "minLength", "maxLength"].map(|key| rule[key].as_f64());
    bounds.into_iter().flatten().any(|bound| bound.abs() >= 9e15 || bound.fract() != 0.0)
}

#[test]
fn whatever_differs_has_a_name() {
    let seen: RefCell<Differing> = RefCell::default();
    check(1_000, &(rule(), object()), |(mut rule, object)| {
        rule["name"] = "r".into();
        let open = is_rounded(&rule);
        let (annotation, machine) = (Value::from(vec![rule]).to_string(), object.to_string());
        let comparison = kvrules_template_validator::divergence::compare_annotation(&annotation, &machine)
            .expect("a value is JSON");
        let case = || format!("{annotation} on {machine}");
        for rule in &comparison.rules {
            let spec = rule.context.spec.outcome().map_or("left out", |outcome| outcome.as_str());
            let outcomes = format!("{spec} / {}", rule.context.ssp);
            seen.borrow_mut().note((outcomes, open), rule.agree, &rule.named, case);
        }
        if !comparison.is_by_rule() {
            let agree = comparison.spec_allows == comparison.ssp_allows;
            seen.borrow_mut().note(("whole".to_owned(), false), agree, &comparison.whole, case);
        }
        Ok(())
    });
    let seen = seen.into_inner();
    let Differing { agree, named, unexplained, open, over, shortest } = &seen;
    println!(
        "differences: {agree} agree ({over} of them named), {named} differ by a name, {unexplained} without, \
         {open} where rounding meets another difference"
    );
    shortest.iter().take(40).for_each(|(outcomes, case)| println!("  {outcomes}: {case}"));
    assert_eq!(*unexplained, 0, "differences without a name");
}
