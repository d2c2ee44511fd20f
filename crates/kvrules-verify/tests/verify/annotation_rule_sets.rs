//! RuleSets about VirtualMachines as annotations: every claim holds, and broken annotations and claims are found out.

use kvrules_diagnostics::{Exactness, FileId};
use kvrules_emit::{Emission, Emitter, Fidelity, Request, find_emitter};
use kvrules_rule_set::{RuleSet, SubjectDefinitions, read_rule_set};
use kvrules_verify::{ClaimFinding, Report, verify_resources_with};
use serde_json::{Value, json};

/// The fields of machines that the rules are about.
fn machines() -> Value {
    let text = || json!({"type": "string"});
    let quantity = || {
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"})
    };
    let disk = json!({"type": "object", "required": ["name"], "properties": {"name": text(),
        "disk": {"type": "object", "properties": {"bus": text(), "readonly": {"type": "boolean"}}}}});
    let domain = json!({"type": "object", "required": ["devices"], "properties": {
        "cpu": {"type": "object", "properties": {"cores": {"type": "integer", "format": "int32"}, "sockets": {"type": "integer", "format": "int32"},
            "model": text()}},
        "devices": {"type": "object", "properties": {"disks": {"type": "array", "maxItems": 256, "items": disk}}},
        "firmware": {"type": "object", "properties": {"serial": text(), "uuid": text()}},
        "machine": {"type": "object", "properties": {"type": text()}},
        "memory": {"type": "object", "properties": {"guest": quantity()}}}});
    let spec = json!({"type": "object", "required": ["domain"], "properties": {
        "domain": domain, "hostname": text(), "nodeSelector": {"type": "object", "additionalProperties": text()}}});
    let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["template"],
        "properties": {"runStrategy": text(), "template": {"type": "object", "properties": {"spec": spec}}}}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "virtualmachines.kubevirt.io"},
        "spec": {"group": "kubevirt.io", "scope": "Namespaced",
            "names": {"kind": "VirtualMachine", "plural": "virtualmachines", "singular": "virtualmachine", "listKind": "VirtualMachineList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

/// Words below `spec.template.spec`, and whether the annotation has words for them.
const DEMANDS: &[(&str, bool)] = &[
    (r#""path": "P.domain.memory.guest", "quantity": {"min": "1Gi", "max": "64Gi"}"#, true),
    (r#""path": "P.domain.memory.guest", "quantity": {"min": "1Gi"}, "required": true"#, true),
    (r#""path": "P.domain.cpu.cores", "integer": {"min": 2, "max": 8}"#, true),
    (r#""path": "P.domain.cpu.cores", "integer": {"max": 8}, "required": true"#, false),
    (r#""path": "P.domain.cpu.model", "length": {"min": 3, "max": 9}"#, true),
    (r#""path": "P.domain.machine.type", "pattern": "^(q35|pc-q35)""#, true),
    (r#""path": "P.domain.devices.disks[*].disk.bus", "in": ["virtio", "sata"]"#, true),
    (r#""each": "P.domain.devices.disks[*]", "path": "disk.bus", "in": ["virtio"]"#, true),
    (r#""each": "P.domain.devices.disks[*]", "path": "disk.bus", "required": true"#, false),
    (r#""path": "P.domain.devices.disks[*].disk.readonly", "in": [true]"#, true),
    (r#""path": "P.hostname", "required": true"#, false),
    (r#""path": "P.domain.firmware", "required": true"#, false),
    (r#""path": "P.domain.cpu.sockets", "atMost": "P.domain.cpu.cores""#, true),
    (r#""path": "P.hostname", "forbidden": true"#, false),
    (r#""exactlyOneOf": ["P.hostname", "P.domain.cpu.model"]"#, false),
    (r#""allOrNone": ["P.domain.firmware.serial", "P.domain.firmware.uuid"]"#, false),
    (r#""path": "P.nodeSelector[\"a.b/c\"]", "in": ["d"]"#, true),
    (r#""path": "P.hostname", "format": "dns-label""#, false),
    (r#""path": "P.domain.devices.disks", "items": {"max": 3}"#, false),
    (r#""path": "P.domain.devices.disks", "uniqueBy": ["name"]"#, false),
    (r#""path": "P.hostname", "immutable": "always""#, false),
    (r#""path": "spec.runStrategy", "in": ["Always"]"#, false),
    (r#""cel": "!has(self.spec.runStrategy)""#, false),
];

const CONDITIONS: &[&str] = &[
    "",
    r#", "when": {"path": "P.domain.firmware.serial", "required": true}"#,
    r#", "when": {"path": "P.domain.firmware", "required": true}"#,
    r#", "when": {"path": "P.hostname", "in": ["a"]}"#,
    r#", "when": {"not": {"path": "P.hostname", "required": true}}"#,
];

fn read_set(rules: &[String]) -> RuleSet {
    let named: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(index, rule)| format!(r#"{{"name": "rule-{index}", {rule}}}"#))
        .collect();
    let text = format!(
        r#"{{"apiVersion": "kvrules.dev/v1alpha1", "kind": "RuleSet", "metadata": {{"name": "machines"}},
            "spec": {{"subject": {{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}}, "rules": [{}]}}}}"#,
        named.join(", ")
    );
    let text = text.replace("P.", "spec.template.spec.");
    let definitions = SubjectDefinitions { of_run: vec![machines()], ..SubjectDefinitions::default() };
    let stream = kvrules_syntax::parse_stream(FileId(0), &text);
    let mut findings = Vec::new();
    let set = read_rule_set(&stream.documents[0], &definitions, &mut findings);
    set.unwrap_or_else(|| panic!("{text}: {findings:?}"))
}

fn verify_set(set: &RuleSet, emit: &(dyn Fn(&Emitter, &Request<'_>) -> Emission + Sync)) -> Report {
    let versions = set.versions();
    let request = Request {
        resources: &versions,
        authored: std::slice::from_ref(set),
        ..Request::for_virtual_machines(&[])
    };
    let targets = [find_emitter("annotation").unwrap()];
    verify_resources_with(&|emitter, request| Ok(emit(emitter, request)), &targets, &request)
}

fn emit(emitter: &Emitter, request: &Request<'_>) -> Emission {
    emitter.emit_versions(request).unwrap()
}

#[test]
fn every_claim_about_annotations_holds() {
    let (mut exact, mut narrower, mut unsupported, mut objects) = (0, 0, 0, 0);
    for condition in CONDITIONS {
        // A rule about items has its own scope, in which no path leads to other fields.
        let demands: Vec<_> = DEMANDS
            .iter()
            .filter(|(demand, _)| {
                condition.is_empty() || !(demand.contains("\"each\"") || demand.contains("\"cel\""))
            })
            .collect();
        let set =
            read_set(&demands.iter().map(|(demand, _)| format!("{demand}{condition}")).collect::<Vec<_>>());
        let report = verify_set(&set, &emit);
        assert!(report.all_claims_hold(), "{condition}\n{report:#?}");
        assert!(!report.is_inconclusive(), "{condition}\n{report:#?}");
        objects += report.comparisons;
        let rules = &report.targets[0].rules;
        assert_eq!(rules.len(), demands.len(), "{condition}");
        for rule in rules {
            match rule.claim.exactness() {
                Exactness::Exact => exact += 1,
                Exactness::Unsupported => unsupported += 1,
                _ => narrower += 1,
            }
            assert!(rule.claim.cause().is_none_or(|cause| !cause.is_empty()), "{rule:?}");
            let index: usize = rule.rule.strip_prefix("rule-").unwrap().parse().unwrap();
            let is_said = rule.claim.exactness() != Exactness::Unsupported;
            if condition.is_empty() {
                assert_eq!(is_said, demands[index].1, "{}: {rule:?}", demands[index].0);
            }
        }
    }
    println!("{exact} rules exact, {narrower} narrower, {unsupported} unsupported; {objects} comparisons");
    assert!(
        exact > 0 && narrower > 9 && unsupported > 50 && objects > 5_000,
        "{exact} {narrower} {unsupported} {objects}"
    );
}

/// The words of the annotation, and those that replace them.
const BREAKS: [(&str, &str); 8] = [
    ("1073741824", "1073741823"),
    ("\"max\": 8", "\"max\": 9"),
    ("\"virtio\", \"sata\"", "\"virtio\", \"sata\", \"scsi\""),
    ("^(q35", "(q35"),
    ("\"minLength\": 3", "\"minLength\": 2"),
    ("\"valid\": \"jsonpath::.spec.domain.firmware\"", "\"valid\": \"jsonpath::.spec.domain.machine\""),
    ("\"true\"", "\"true\", \"false\""),
    ("b/c']", "b/d']"),
];

#[test]
fn broken_annotations_are_found_out() {
    let mut rules: Vec<String> =
        DEMANDS.iter().filter(|(_, is_said)| *is_said).map(|(demand, _)| (*demand).to_owned()).collect();
    rules.push(format!("{}{}", DEMANDS[1].0, CONDITIONS[2]));
    let set = read_set(&rules);
    assert!(verify_set(&set, &emit).all_claims_hold());
    for (from, to) in BREAKS {
        let found = std::sync::atomic::AtomicBool::new(false);
        let broken = |emitter: &Emitter, request: &Request<'_>| {
            let mut emission = emit(emitter, request);
            for file in &mut emission.files {
                found.fetch_or(file.text.contains(from), std::sync::atomic::Ordering::Relaxed);
                file.text = file.text.replace(from, to);
            }
            emission
        };
        assert!(!verify_set(&set, &broken).all_claims_hold(), "{from}");
        assert!(found.into_inner(), "{from}");
    }
}

#[test]
fn false_claims_about_annotations_are_found_out() {
    let set = read_set(&[DEMANDS[2].0.to_owned(), DEMANDS[16].0.to_owned(), DEMANDS[13].0.to_owned()]);
    let claim = |rule: usize, fidelity: Fidelity| {
        let lying = move |emitter: &Emitter, request: &Request<'_>| {
            let mut emission = emit(emitter, request);
            let at_place = emission.fidelity.get_mut(rule).unwrap();
            at_place.fidelity = fidelity.clone();
            emission
        };
        verify_set(&set, &lying)
    };
    let names: Vec<String> =
        verify_set(&set, &emit).targets[0].rules.iter().map(|rule| rule.rule.clone()).collect();
    let at = |name: &str| names.iter().position(|known| known == name).unwrap();
    // The first is narrower, the second exact, and the third is not written.
    let lies = [
        (at("rule-0"), Fidelity::Exact),
        (at("rule-1"), Fidelity::Narrower("of something".to_owned())),
        (at("rule-1"), Fidelity::Unsupported("nothing".to_owned())),
        (at("rule-2"), Fidelity::Exact),
    ];
    for (rule, fidelity) in lies {
        let report = claim(rule, fidelity.clone());
        assert!(!report.all_claims_hold(), "{fidelity:?} {report:#?}");
        let faulty =
            report.targets[0].rules.iter().filter(|rule| matches!(rule.finding, ClaimFinding::Fault(_)));
        assert_eq!(faulty.count(), 1, "{fidelity:?}");
    }
}
