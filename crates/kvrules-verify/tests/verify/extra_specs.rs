//! Definitions of extra specs: those of Nova, odd ones, and any.

use std::cell::Cell;
use std::collections::BTreeSet;

use kvrules_diagnostics::{Exactness, FileId};
use kvrules_emit::{EMITTERS, ExtraSpecEmitter, Fidelity, Request, find_emitter};
use kvrules_extra_specs::{
    Definition, DefinitionRegistry, EnumMember, Parameter, Status, Value, ValueType, parse_definitions,
    shipped_document,
};
use kvrules_verify::extra_specs::verify_definitions;
use kvrules_verify::{ClaimFault, ClaimFinding, Report, RuleReport};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

/// Definitions unlike Nova's: names that meet, bounds of every kind, patterns that engines read differently.
const ODD: &str = r"
kind: ExtraSpecDefinitions
version: 1
definitions:
- {name: 'acme:level', description: x, value: {type: integer, min: -12, max: 105}}
- {name: 'acme:debt', description: x, value: {type: integer, max: -3}}
- {name: 'acme:any', description: x, value: {type: integer, min: 17}}
- {name: 'acme:vast', description: x, value: {type: integer, max: 9223372036854775808}}
- {name: 'acme:word', description: x, value: {type: string, pattern: '\w+'}}
- {name: 'acme:other', description: x, value: {type: string, pattern: '\W\D\S?'}}
- {name: 'acme:blank', description: x, value: {type: string, pattern: '\d \d|\s'}}
- {name: 'acme:if', description: x, value: {type: string, pattern: '(a)?(?(1)b|c)'}}
- {name: 'acme:a.{x}', description: x, value: {type: string, enum: ['x', 'y z', '']}, parameters: [{name: x, pattern: '[a-z]+'}]}
- {name: 'acme:a.b', description: x, value: {type: boolean}}
- {name: 'acme:a.{y}c', description: x, value: {type: integer}, parameters: [{name: y, pattern: 'c*'}]}
- {name: 'acme:b{x}', description: x, value: {type: integer}, parameters: [{name: x, pattern: '(?:\.[0-9])?'}]}
- {name: 'acme:b', description: x, value: {type: boolean}}
- {name: 'acme:{x}if', description: x, value: {type: integer}, parameters: [{name: x, pattern: '(a)?(?(1)b|c)'}]}
";

fn odd() -> Vec<Definition> {
    let (document, problems) = parse_definitions(FileId(1), ODD);
    assert_eq!(document.definitions.len(), 14, "{problems:#?}");
    document.expand_definitions()
}

fn verified(definitions: &[Definition]) -> Report {
    let request = Request { definitions, ..Request::for_virtual_machines(&[]) };
    verify_definitions(&|form, request| (form.emit)(request), EMITTERS, &request)
}

fn reported(report: &Report) {
    for target in &report.targets {
        let count = target.count_results();
        println!(
            "{}: {} definitions: {} exact, {} as claimed, {} not said, {} wrong, {} inconclusive",
            target.target,
            target.rules.len(),
            count.exact,
            count.as_claimed,
            count.unsupported,
            count.faults,
            count.inconclusive
        );
    }
    println!("{} pairs, {} comparisons", report.objects, report.comparisons);
}

fn faults(report: &Report) -> Vec<String> {
    let rules = report.targets.iter().flat_map(|target| {
        let of_rule = |rule: &RuleReport| match &rule.finding {
            ClaimFinding::Fault(fault) => {
                Some(format!("{} {} {:?}: {fault:?}", target.target, rule.rule, rule.claim))
            }
            _ => None,
        };
        let of_set = target
            .sets
            .iter()
            .filter_map(|set| Some(format!("{}: {:?}", target.target, set.fault.as_ref()?)));
        target.rules.iter().filter_map(of_rule).chain(of_set).collect::<Vec<_>>()
    });
    rules.collect()
}

#[test]
fn every_claim_about_novas_definitions_holds() {
    let definitions = shipped_document().expand_definitions();
    let report = verified(&definitions);
    reported(&report);
    assert_eq!(faults(&report), [""; 0]);
    assert_eq!((definitions.len(), report.extra_specs, report.is_inconclusive()), (525, 525, false));
    let count =
        |name: &str| report.targets.iter().find(|target| target.target == name).unwrap().count_results();
    let schema = count("json-schema");
    assert!(schema.exact > 400 && schema.unsupported == 0, "{schema:?}");
    assert_eq!(count("glance-metadefs").unsupported, 5);
    assert!(report.comparisons > 100_000);
}

#[test]
fn every_claim_about_odd_definitions_holds_and_names_that_meet_are_told() {
    let definitions = odd();
    let report = verified(&definitions);
    reported(&report);
    assert_eq!(faults(&report), [""; 0]);
    let schema = report.targets.iter().find(|target| target.target == "json-schema").unwrap();
    let claim = |name: &str| &schema.rules.iter().find(|rule| rule.rule == name).unwrap().claim;
    for name in ["acme:a.b", "acme:a.{x}"] {
        let Fidelity::Narrower(cause) = claim(name) else { panic!("{name}: {:?}", claim(name)) };
        assert!(cause.starts_with("the pattern of another name also matches its keys"), "{cause}");
    }
    assert!(matches!(claim("acme:{x}if"), Fidelity::Wider(_)));
}

/// Definitions of Nova's, of each family one.
fn one_of_each_family() -> Vec<Definition> {
    let mut families = BTreeSet::new();
    let mut all = shipped_document().expand_definitions();
    all.retain(|one| one.family.as_ref().is_none_or(|family| families.insert(family.clone())));
    all
}

/// The report about a JSON Schema in which each value's schema was changed, and how many were.
fn changed(definitions: &[Definition], change: impl Fn(&mut Map<String, Json>) -> bool) -> (Report, usize) {
    let number = Cell::new(0);
    let request = Request { definitions, ..Request::for_virtual_machines(&[]) };
    let emit = |form: &ExtraSpecEmitter, request: &Request<'_>| {
        let mut emission = (form.emit)(request);
        let mut document: Json = serde_json::from_str(&emission.files[0].text).unwrap();
        for keyword in ["properties", "patternProperties"] {
            for schema in document[keyword].as_object_mut().unwrap().values_mut() {
                number.set(number.get() + usize::from(change(schema.as_object_mut().unwrap())));
            }
        }
        emission.files[0].text = document.to_string();
        emission
    };
    let report = verify_definitions(&emit, &[find_emitter("json-schema").unwrap()], &request);
    (report, number.get())
}

fn departs(report: &Report, wanted: Exactness) -> usize {
    let departs = |finding: &ClaimFinding| matches!(finding, ClaimFinding::Fault(ClaimFault::UnclaimedDeparture { way, .. }) if *way == wanted);
    report.targets[0].rules.iter().filter(|rule| departs(&rule.finding)).count()
}

#[test]
fn every_schema_that_takes_less_than_its_definition_is_found() {
    let definitions = one_of_each_family();
    let (report, number) =
        changed(&definitions, |schema| match schema.get_mut("enum").and_then(Json::as_array_mut) {
            Some(members) => members.pop().is_some(),
            None => schema.insert("pattern".to_owned(), json!("^unlikely$")) != Some(json!("^unlikely$")),
        });
    println!("{number} narrowed, {} found", departs(&report, Exactness::Narrower));
    assert!(number > 80);
    assert_eq!(departs(&report, Exactness::Narrower), number);
}

#[test]
fn every_exact_schema_that_takes_more_than_its_definition_is_found() {
    let definitions = one_of_each_family();
    let (report, number) = changed(&definitions, |schema| {
        let lenient =
            schema.get("pattern").and_then(Json::as_str).is_some_and(|pattern| pattern.contains("|[^\\x00"));
        let of_members = schema.remove("enum").is_some();
        !lenient && (schema.remove("pattern").is_some() || of_members)
    });
    println!("{number} widened, {} found", departs(&report, Exactness::Wider));
    assert!(number > 30);
    assert_eq!(departs(&report, Exactness::Wider), number);
}

fn value() -> impl Strategy<Value = ValueType> {
    let bound = proptest::option::of(-120_i128..120);
    let word = prop::sample::select(vec!["", "a", "A b", "é", "7", "true", "x-y"]);
    let members = prop::collection::btree_set(word, 1..4).prop_map(|words| {
        words.into_iter().map(|word| EnumMember::Plain(word.to_owned())).collect::<Vec<_>>()
    });
    let pattern = prop::sample::select(vec![
        r"[a-c]+",
        r"\d{1,3}",
        r"\w*x",
        r"(?i:k)s",
        r".*",
        r"[^a]b?",
        r"a\.b",
        r"^x$",
        r"\S+ \S",
        r"(?:on|off)",
        r"[\d-]+",
    ]);
    prop_oneof![
        (bound.clone(), bound).prop_filter_map("an empty range", |(min, max)| {
            let (min, max) =
                if min.is_some() && max.is_some() { (min.min(max), max.max(min)) } else { (min, max) };
            Some(ValueType::Integer { min, max })
        }),
        Just(ValueType::Boolean),
        members.prop_map(|members| ValueType::String { members: Some(members), pattern: None }),
        pattern.prop_map(|pattern| ValueType::String { members: None, pattern: Some(pattern.to_owned()) }),
        Just(ValueType::String { members: None, pattern: None }),
    ]
}

fn name() -> impl Strategy<Value = (String, Vec<Parameter>)> {
    let local = prop::sample::select(vec!["p", "pp", "p.q", "p.{x}", "{x}p", "p{x}", "{x}.{y}"]);
    let pattern = || prop::sample::select(vec!["[pq]+", r"\d+", "(?:p)?", "(:[a-c])*", r"\w{1,3}", "q|pp"]);
    (prop::sample::select(vec!["a:", "b:", ""]), local, pattern(), pattern()).prop_map(
        |(space, local, one, other)| {
            let parameter = |name: &str, pattern: &str| Parameter {
                name: name.to_owned(),
                pattern: pattern.to_owned(),
                description: String::new(),
            };
            let all = [parameter("x", one), parameter("y", other)];
            let used = all.into_iter().filter(|one| local.contains(&one.to_placeholder()));
            (format!("{space}{local}"), used.collect())
        },
    )
}

fn definition() -> impl Strategy<Value = Definition> {
    (name(), value()).prop_map(|((name, parameters), r#type)| Definition {
        name,
        parameters,
        description: "d".to_owned(),
        status: Status::Supported,
        value: Value { r#type, description: String::new() },
        virt_drivers: Vec::new(),
        requires: Vec::new(),
        since: None,
        image_property: None,
        family: None,
        origin: kvrules_diagnostics::Origin::default(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: kvrules_testdata::case_count(48), ..ProptestConfig::default() })]

    #[test]
    fn no_target_departs_from_any_definitions_in_a_way_that_it_does_not_claim(
        definitions in prop::collection::vec(definition(), 1..6),
    ) {
        let definitions = DefinitionRegistry::new([definitions]).in_force();
        let report = verified(&definitions);
        // A claimed departure may remain unproven if several definitions match a name, because then few values are
        // left. An unclaimed departure is always an error.
        let departs = |found: &String| !found.contains("UnprovenDeparture");
        let broken: Vec<_> = faults(&report).into_iter().filter(departs).collect();
        prop_assert_eq!(broken, Vec::<String>::new());
    }
}
