//! The output of the `annotation` target is read as the same rules.

use kvrules_diagnostics::FileId;
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::{annotation, elaborate_rule_set};
use kvrules_emit::{Emission, Request, find_emitter};
use kvrules_ir::{AuthoredRule, ElaboratedSet};

const RULES: &str = r#"[
  {"name": "memory", "path": "spec.domain.memory.guest", "rule": "integer", "message": "1\n2 é \"",
   "min": 1.50, "max": 99999999999999999999999999},
  {"rule": "integer", "name": "below", "path": "spec.domain.cpu.cores", "message": "m", "min": -0.125, "max": 1e3},
  {"rule": "integer", "name": "path", "path": "/spec.domain.cpu.cores", "message": "m"},
  {"rule": "integer", "name": "other", "path": "spec.domain.cpu.cores", "message": "m",
   "max": "spec.domain.cpu.sockets", "valid": "$.spec.domain.cpu"},
  {"rule": "enum", "name": "bus", "path": "spec.domain.devices.disks[*].disk.bus", "message": "m",
   "included": ["virtio", "1", "jsonpath::.spec.domain.machine.type"], "justWarning": true},
  {"rule": "string", "name": "length", "path": "spec.domain.machine.type", "message": "", "minLength": 2},
  {"rule": "regex", "name": "pattern", "path": "spec.domain.machine.type", "message": "m", "regex": "^q\\d+$"},
  {"rule": "regex", "name": "broken", "path": "spec.domain.machine.type", "message": "m", "regex": "("}
]"#;

/// The rule sets of a text.
fn sets(text: &str) -> Vec<ElaboratedSet> {
    let stream = kvrules_syntax::parse_stream(FileId(0), text);
    let found = stream.documents.iter().flat_map(annotation::find_annotations);
    let elaborated = found.map(|found| {
        let set = annotation::read_rule_set(&found, "rules");
        let elaboration = elaborate_rule_set(&set, Catalog::kubevirt_vm());
        ElaboratedSet {
            name: set.name,
            used_by: Vec::new(),
            rules: elaboration.rules,
            left_out: elaboration.left_out,
        }
    });
    elaborated.collect()
}

fn emit(sets: &[ElaboratedSet]) -> Emission {
    find_emitter("annotation").unwrap().emit_rule_sets(&Request::for_virtual_machines(sets)).unwrap()
}

#[test]
fn rules_of_every_kind_are_written_in_one_order() {
    insta::assert_snapshot!("rules", emit(&sets(RULES)).files[0].text);
}

/// Writes sets and reads them again; what comes back is equal, down to the digits of bounds. Gives the number of rules.
fn round_trip(sets: &[ElaboratedSet]) -> usize {
    let emission = emit(sets);
    assert!(emission.fidelity.iter().all(|entry| entry.fidelity.as_str() == "exact"));
    let mut rules = 0;
    for (set, file) in sets.iter().zip(&emission.files) {
        let again = self::sets(&file.text);
        let again = again.first().map(|set| set.rules.clone()).unwrap_or_default();
        let wanted = set.rules.iter().map(wording);
        assert_eq!(
            wanted.collect::<Vec<_>>(),
            again.iter().map(wording).collect::<Vec<_>>(),
            "{}",
            file.text
        );
        let constraints = |rules: &[kvrules_ir::ElaboratedRule]| {
            let written = rules.iter().map(|rule| rule.written.0.clone().unwrap());
            written.map(|rule| digits(&rule.constraint)).collect::<Vec<_>>()
        };
        assert_eq!(constraints(&set.rules), constraints(&again), "{}", file.text);
        rules += again.len();
    }
    rules
}

/// A rule without the place that it was read from.
fn wording(rule: &kvrules_ir::ElaboratedRule) -> impl PartialEq + std::fmt::Debug + use<> {
    let rule = rule.clone();
    let requirement = format!("{:?}", rule.requirement);
    (rule.name, rule.message, rule.severity, rule.applies, rule.predicate, requirement)
}

/// Bounds that are numbers.
fn digits(constraint: &kvrules_ir::Constraint) -> Vec<kvrules_kubernetes::quantity::Quantity> {
    use kvrules_ir::{BoundValue, Constraint};
    let (Constraint::Integer { min, max } | Constraint::String { min_length: min, max_length: max }) =
        constraint
    else {
        return Vec::new();
    };
    let number = |bound: &BoundValue| match bound {
        BoundValue::Number(number) => Some(number.clone()),
        BoundValue::Path(_) => None,
    };
    [min, max].into_iter().flatten().filter_map(number).collect()
}

#[test]
fn what_is_written_is_read_as_the_same_rules() {
    let sets = sets(RULES);
    let left_out: Vec<&str> = sets[0].left_out.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(left_out, ["broken"], "{:?}", sets[0].left_out);
    assert_eq!(round_trip(&sets), 7);
}

#[test]
fn rules_of_the_bundles_come_back_the_same() {
    let Some(files) = kvrules_testdata::list_files("kubevirt/templates", "yaml") else { return };
    let rules: usize =
        files.iter().map(|path| round_trip(&sets(&std::fs::read_to_string(path).unwrap()))).sum();
    println!("{rules} of {rules} rules of {} bundles come back the same", files.len());
    assert!(rules > 100, "{rules}");
}

#[test]
fn a_rule_that_was_made_and_not_read_is_not_written() {
    let mut sets = sets(RULES);
    sets[0].rules[0].written = AuthoredRule(None);
    let emission = emit(&sets);
    assert_eq!(emission.fidelity[0].fidelity.as_str(), "unsupported");
    assert!(!emission.files[0].text.contains("\"memory\""));
}
