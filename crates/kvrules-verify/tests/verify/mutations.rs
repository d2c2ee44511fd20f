//! Artefacts broken on purpose: each break is caught, and what is not broken is not blamed.

use kvrules_elaborate::catalog::Catalog;
use kvrules_emit::{Artefact, Emission, Emitter, Request};
use kvrules_ir::ElaboratedSet;
use kvrules_verify::{ClaimFinding, Report, verify_with};

use crate::rules::{counts, faults, sets, targets};

const RULES: &str = r#"
vm.kubevirt.io/validations: |
  [
    {"name": "memory", "rule": "integer", "message": "more memory", "path": "jsonpath::.spec.domain.memory.guest",
     "valid": "jsonpath::.spec.domain.memory.guest", "min": 1073741824},
    {"name": "cores", "rule": "integer", "message": "few cores", "path": "jsonpath::.spec.domain.cpu.cores",
     "valid": "jsonpath::.spec.domain.firmware.serial", "min": 2, "max": 8},
    {"name": "bus", "rule": "enum", "message": "another bus", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
     "valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio", "scsi"]},
    {"name": "machine", "rule": "regex", "message": "another machine", "path": "jsonpath::.spec.domain.machine.type",
     "regex": "^q35"},
    {"name": "model", "rule": "string", "message": "long model", "path": "jsonpath::.spec.domain.cpu.model",
     "valid": "jsonpath::.spec.domain.cpu.model", "maxLength": 5, "justWarning": true}
  ]
"#;

/// The rule that a break is about, what stands in the artefact, and what is put there.
type Break = (&'static str, &'static str, &'static str);

const CEL: [Break; 8] = [
    ("memory", ">= 0", "> 0"),
    ("memory", "!has(", "has("),
    ("cores", ">= 2", "> 2"),
    ("cores", "<= 8", "< 8"),
    ("cores", "cores) &&", "cores) ||"),
    ("bus", "['scsi', 'virtio']", "['scsi']"),
    ("bus", ".all(", ".exists("),
    ("machine", "'^q35'", "'q35'"),
];

const DEFINITION: [Break; 8] = [
    ("memory", ">= 0", "> 0"),
    ("cores", ">= 2", "> 2"),
    ("cores", "<= 8", "< 8"),
    ("cores", "!has(self.firmware) ||", "has(self.firmware) ||"),
    ("cores", "cores) &&", "cores) ||"),
    ("bus", "self.bus == 'scsi' || ", ""),
    ("bus", "has(self.bus) &&", "!has(self.bus) ||"),
    ("machine", "matches('^q35')", "matches('q35')"),
];

const SCHEMA: [Break; 8] = [
    ("memory", "1073741824", "1073741823"),
    ("cores", "minimum: 2", "minimum: 3"),
    ("cores", "maximum: 8", "maximum: 7"),
    ("cores", "- cpu", "- other"),
    ("bus", "- scsi", "- virtio"),
    ("bus", "- bus", "- other"),
    ("machine", "^q35", "q35"),
    ("machine", "- machine", "- other"),
];

const ANNOTATION: [Break; 7] = [
    ("memory", "1073741824", "1073741825"),
    ("memory", "\"valid\"", "\"invalid\""),
    ("cores", "firmware.serial", "cpu.model"),
    ("cores", "\"max\"", "\"most\""),
    ("bus", "\"virtio\", ", ""),
    ("machine", "^q35", "q35"),
    ("model", "\"justWarning\": true", "\"justWarning\": false"),
];

const POLICIES: [Break; 3] =
    [("model", "- Warn", "- Deny"), ("bus", "- Deny", "- Warn"), ("model", "<= 5", "< 5")];

/// Breaks of the rules that decide which requests are evaluated.
const JUDGED: [Break; 8] = [
    ("bus", "- CREATE", "- DELETE"),
    ("bus", "- UPDATE", "- CONNECT"),
    ("bus", "- virtualmachines\n", "- virtualmachineinstances\n"),
    ("bus", "- virtualmachines\n", "- virtualmachines/status\n"),
    ("bus", "- kubevirt.io\n", "- example.com\n"),
    ("bus", "      - v1\n", "      - v9\n"),
    ("bus", "matchPolicy: Equivalent", "matchPolicy: Exact"),
    ("bus", "matchPolicy: Equivalent", "namespaceSelector: {matchLabels: {a: b}}"),
];

fn broken(target: &'static Emitter, sets: &[ElaboratedSet], from: &str, to: &str) -> (Report, bool) {
    let emit = |emitter: &Emitter, request: &Request<'_>| -> Result<Emission, kvrules_emit::EmitError> {
        let mut emission = emitter.emit_rule_sets(request)?;
        for file in &mut emission.files {
            // A JSON document is broken as its YAML is.
            if file.text.starts_with('{') {
                let value: serde_json::Value = serde_json::from_str(&file.text).unwrap();
                file.text = kvrules_syntax::to_yaml(&value).unwrap();
                file.path = file.path.replace(".json", ".yaml");
            }
            file.text = file.text.replace(from, to);
        }
        Ok(emission)
    };
    let found = {
        let mut emission = target.emit_rule_sets(&Request::for_virtual_machines(sets)).unwrap();
        let text = emission.files.pop().unwrap().text;
        let json = serde_json::from_str::<serde_json::Value>(&text).ok().filter(serde_json::Value::is_object);
        json.map_or(text, |value| kvrules_syntax::to_yaml(&value).unwrap()).contains(from)
    };
    (
        verify_with(
            &emit,
            &[target],
            &Request::for_virtual_machines(sets),
            Catalog::kubevirt_vm(),
            &|_, _| (),
        ),
        found,
    )
}

fn catches(kind: fn(Artefact) -> bool, breaks: &[Break]) {
    let all = sets(RULES, "rules");
    let (mut caught, mut kinds) = (0, 0);
    for target in targets().into_iter().filter(|target| target.rule_set_artefact().is_some_and(&kind)) {
        kinds += 1;
        for (rule, from, to) in breaks {
            let mut alone = all.clone();
            alone[0].rules.retain(|known| known.name == *rule);
            let (report, found) = broken(target, &alone, from, to);
            assert!(found, "{}: `{from}` does not stand in what is made of `{rule}`", target.name);
            let fault = report.targets[0].rules.iter().any(|found| found.finding.is_fault());
            assert!(fault, "{}: `{from}` → `{to}` in `{rule}` is not caught", target.name);
            caught += 1;
        }
    }
    println!("{caught} breaks caught in {kinds} targets");
    assert!(kinds > 0);
}

#[test]
fn broken_rules_of_definitions_are_caught() {
    catches(|artefact| matches!(artefact, Artefact::ValidationRules), &CEL);
}

#[test]
fn broken_definitions_are_caught() {
    catches(|artefact| artefact == Artefact::Definition, &DEFINITION);
}

#[test]
fn broken_policies_are_caught() {
    catches(|artefact| artefact == Artefact::Policies, &CEL);
    catches(|artefact| artefact == Artefact::Policies, &POLICIES);
}

#[test]
fn policies_that_are_not_asked_about_every_object_are_caught() {
    catches(|artefact| artefact == Artefact::Policies, &JUDGED);
}

#[test]
fn broken_schemas_are_caught() {
    catches(|artefact| matches!(artefact, Artefact::Schema(_)), &SCHEMA);
}

#[test]
fn broken_annotations_are_caught() {
    catches(|artefact| artefact == Artefact::Annotation, &ANNOTATION);
}

#[test]
fn nothing_is_caught_where_nothing_is_broken() {
    let all = sets(RULES, "rules");
    for target in targets() {
        let (report, _) = broken(target, &all, "\u{0}", "");
        println!("{}", counts(&report));
        assert_eq!(faults(&report), Vec::<String>::new());
    }
}

#[test]
fn a_rule_that_goes_lost_beside_others_is_caught() {
    let all = sets(RULES, "rules");
    let emit = |emitter: &Emitter, request: &Request<'_>| {
        let mut emission = emitter.emit_rule_sets(request)?;
        if request.sets[0].rules.len() > 1 {
            emission.files[0].text = emission.files[0].text.replace("<= 8", "<= 9");
        }
        Ok(emission)
    };
    let target =
        targets().into_iter().find(|target| target.rule_set_artefact() == Some(Artefact::Policies)).unwrap();
    let report = verify_with(
        &emit,
        &[target],
        &Request::for_virtual_machines(&all),
        Catalog::kubevirt_vm(),
        &|_, _| (),
    );
    assert!(report.targets[0].rules.iter().all(|rule| !rule.finding.is_fault()));
    assert!(report.targets[0].sets[0].fault.is_some(), "{:?}", report.targets[0].sets);
}

#[test]
fn a_claim_that_nothing_shows_is_caught() {
    let all = sets(RULES, "rules");
    let emit = |emitter: &Emitter, request: &Request<'_>| {
        let mut emission = emitter.emit_rule_sets(request)?;
        for rule in &mut emission.fidelity {
            rule.fidelity = kvrules_emit::Fidelity::Wider("it may".to_owned());
        }
        Ok(emission)
    };
    let target = targets()
        .into_iter()
        .find(|target| target.rule_set_artefact() == Some(Artefact::Annotation))
        .unwrap();
    let report = verify_with(
        &emit,
        &[target],
        &Request::for_virtual_machines(&all),
        Catalog::kubevirt_vm(),
        &|_, _| (),
    );
    assert!(report.targets[0].rules.iter().all(|rule| matches!(rule.finding, ClaimFinding::Fault(_))));
}
