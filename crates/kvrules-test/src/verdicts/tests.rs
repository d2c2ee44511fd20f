//! The evaluator on small texts: named differences, rules by template, parameters.

use kvrules_diagnostics::{FileId, SourceFile};

use super::{Engine, Evaluation, Evaluator, Options, SpecVerdict};

/// Two templates, each with a limit of its own, and two of one name.
const BUNDLE: &str = r#"
kind: List
items:
- kind: Template
  metadata: {name: small}
  parameters: [{name: MAX, value: "2"}]
  objects:
  - kind: VirtualMachine
    metadata:
      annotations:
        vm.kubevirt.io/validations: |
          [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": ${MAX}}]
- kind: Template
  metadata:
    name: large
    annotations:
      validations: |
        [{"name": "cores", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 64}]
- kind: Template
  metadata: {name: twice, annotations: {validations: "[]"}}
- kind: Template
  metadata: {name: twice, annotations: {validations: "[]"}}
"#;

fn source(text: impl Into<String>) -> SourceFile {
    SourceFile::new(FileId(0), "vm.yaml", text)
}

/// A VirtualMachine with this metadata, and with this in its domain.
fn machine(metadata: &str, domain: &str) -> SourceFile {
    source(format!(
        "kind: VirtualMachine\nmetadata: {metadata}\nspec: {{template: {{spec: {{domain: {domain}}}}}}}\n"
    ))
}

fn evaluator(engine: Engine, parameters: &[(&str, &str)]) -> Evaluator {
    let parameters =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Evaluator::new(Options { engine, parameters, ..Options::default() })
}

fn with_bundle(parameters: &[(&str, &str)]) -> Evaluator {
    let mut evaluator = evaluator(Engine::Both, parameters);
    evaluator.use_rules(&source(BUNDLE), None).unwrap();
    evaluator
}

fn one(evaluator: &mut Evaluator, source: &SourceFile) -> Evaluation {
    let mut evaluated = evaluator.evaluate_objects(source);
    assert_eq!(evaluated.len(), 1);
    evaluated.remove(0)
}

/// The only rule on a memory, asked of a VirtualMachine with this domain.
fn of_memory(domain: &str) -> Evaluation {
    let rules = r#"[{"name": "r", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.memory.guest", "min": 1}]"#;
    let mut evaluator = evaluator(Engine::Both, &[]);
    evaluator.use_rules(&source(format!("vm.kubevirt.io/validations: '{rules}'")), None).unwrap();
    one(&mut evaluator, &machine("{}", domain))
}

#[test]
fn a_rule_on_which_the_engines_differ_names_the_difference() {
    let evaluation = of_memory("{memory: {guest: 1.5Gi}}");
    let [difference] = evaluation.differences.as_slice() else { panic!("{:?}", evaluation.differences) };
    assert_eq!(difference.rule.as_deref(), Some("r"));
    assert_eq!(difference.spec, "satisfied");
    assert!(difference.ssp.starts_with("error: mismatching type"), "{}", difference.ssp);
    assert_eq!(difference.named.iter().map(|named| named.id).collect::<Vec<_>>(), ["D1"]);
}

#[test]
fn engines_that_agree_have_no_difference() {
    for domain in ["{memory: {guest: 1Gi}}", "{}", "{memory: {guest: 0}}"] {
        let evaluation = of_memory(domain);
        assert!(
            evaluation.spec.is_some() && evaluation.differences.is_empty(),
            "{:?}",
            evaluation.differences
        );
    }
}

#[test]
fn an_object_that_the_validator_refuses_differs_as_a_whole() {
    let evaluation = of_memory("{memory: {guest: 1Gi}, machine: {type: 1}}");
    let [difference] = evaluation.differences.as_slice() else { panic!("{:?}", evaluation.differences) };
    assert!(difference.rule.is_none() && difference.ssp.starts_with("object rejected: "));
    assert_eq!((difference.spec.as_str(), difference.named[0].id), ("satisfied", "D20"));
    // Both deny: the one for the missing value, the other because it crashes.
    assert!(of_memory("{memory: {}}").differences.is_empty());
}

#[test]
fn differences_serialize_with_their_names() {
    let json = serde_json::to_value(&of_memory("{memory: {guest: 1.5Gi}}").differences).unwrap();
    assert_eq!(json[0]["named"][0]["name"], "unreadable-quantity");
    assert_eq!(json[0]["rule"], "r");
}

#[test]
fn an_empty_annotation_leaves_the_rules_to_the_template() {
    let rules = r#"[{"name": "r", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": 1}]"#;
    let template = format!(
        "kind: Template\nmetadata: {{name: t, annotations: {{validations: '{rules}'}}}}\nobjects:\n\
         - kind: VirtualMachine\n  metadata: {{annotations: {{vm.kubevirt.io/validations: ''}}}}\n\
        \u{20} spec: {{template: {{spec: {{domain: {{cpu: {{cores: 4}}}}}}}}}}\n"
    );
    assert!(one(&mut evaluator(Engine::Both, &[]), &source(template.clone())).is_rejected());
    let mut given = evaluator(Engine::Both, &[]);
    given.use_rules(&source(template), None).unwrap();
    assert!(one(&mut given, &machine("{}", "{cpu: {cores: 4}}")).is_rejected());
}

#[test]
fn each_machine_is_judged_by_the_template_that_its_label_names() {
    let mut evaluator = with_bundle(&[]);
    let mut verdict = |metadata: &str| {
        let evaluation = one(&mut evaluator, &machine(metadata, "{cpu: {cores: 4}}"));
        evaluation.spec.map(|spec| spec.verdict)
    };
    assert_eq!(verdict("{labels: {vm.kubevirt.io/template: small}}"), Some(SpecVerdict::Rejected));
    assert_eq!(verdict("{labels: {vm.kubevirt.io/template: large}}"), Some(SpecVerdict::Satisfied));
    assert_eq!(verdict("{annotations: {vm.kubevirt.io/template: small}}"), Some(SpecVerdict::Rejected));
}

#[test]
fn the_label_may_stand_on_the_template_of_the_instance() {
    let vm = "kind: VirtualMachine\nspec: {template: {metadata: {labels: {vm.kubevirt.io/template: small}}, \
              spec: {domain: {cpu: {cores: 4}}}}}";
    let evaluation = one(&mut with_bundle(&[]), &source(vm));
    assert_eq!(evaluation.spec.map(|spec| spec.verdict), Some(SpecVerdict::Rejected));
}

#[test]
fn a_machine_that_chooses_no_rule_set_is_a_fault_that_says_what_to_do() {
    let fault = |metadata: &str| {
        let evaluation = one(&mut with_bundle(&[]), &machine(metadata, "{}"));
        evaluation.fault.map(|fault| fault.message).unwrap_or_default()
    };
    let none = fault("{}");
    assert!(
        none.contains("no label `vm.kubevirt.io/template`") && none.contains("`--template NAME`"),
        "{none}"
    );
    let other = fault("{labels: {vm.kubevirt.io/template: other}}");
    assert!(other.contains("no rule set of the template `other`"), "{other}");
    let twice = fault("{labels: {vm.kubevirt.io/template: twice}}");
    assert_eq!(twice, "`vm.yaml` has 2 rule sets of a template `twice`");
}

#[test]
fn a_template_by_its_name_is_for_every_machine() {
    let mut evaluator = evaluator(Engine::Spec, &[]);
    evaluator.use_rules(&source(BUNDLE), Some("small")).unwrap();
    let evaluation =
        one(&mut evaluator, &machine("{labels: {vm.kubevirt.io/template: large}}", "{cpu: {cores: 4}}"));
    assert_eq!(evaluation.spec.map(|spec| spec.verdict), Some(SpecVerdict::Rejected));
    assert!(evaluator.use_rules(&source(BUNDLE), Some("twice")).is_err());
    assert!(evaluator.use_rules(&source("[]"), None).is_err());
}

#[test]
fn a_given_parameter_comes_before_the_value_in_the_rules_template() {
    let vm = machine("{labels: {vm.kubevirt.io/template: small}}", "{cpu: {cores: 4}}");
    let verdict =
        |parameters: &[(&str, &str)]| one(&mut with_bundle(parameters), &vm).spec.map(|spec| spec.verdict);
    assert_eq!(verdict(&[("MAX", "4")]), Some(SpecVerdict::Satisfied));
    assert_eq!(verdict(&[]), Some(SpecVerdict::Rejected));
}

#[test]
fn a_parameter_in_rules_without_a_template_is_what_is_given() {
    let rules = r#"[{"name": "r", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": ${MAX}}]"#;
    let mut evaluator = evaluator(Engine::Spec, &[("MAX", "3"), ("MIN", "1")]);
    evaluator.use_rules(&source(format!("vm.kubevirt.io/validations: '{rules}'")), None).unwrap();
    let evaluation = one(&mut evaluator, &machine("{}", "{cpu: {cores: 4}}"));
    assert_eq!(evaluation.spec.map(|spec| spec.verdict), Some(SpecVerdict::Rejected));
    assert_eq!(evaluator.unused_parameters(), ["MIN"]);
}

#[test]
fn a_parameter_that_no_template_has_is_told() {
    let evaluator = evaluator(Engine::Ssp, &[("NAME", "v"), ("NONE", "x"), ("OTHER", "y")]);
    let template = "kind: Template\nparameters: [{name: NAME}]\nobjects: [{kind: VirtualMachine, spec: {}}]";
    let worker = &mut evaluator.clone();
    worker.evaluate_objects(&source(template));
    assert_eq!(evaluator.unused_parameters(), ["NONE", "OTHER"]);
}

#[test]
fn an_evaluator_can_be_cloned_into_other_threads() {
    let evaluator = with_bundle(&[]);
    let vm = machine("{labels: {vm.kubevirt.io/template: small}}", "{cpu: {cores: 4}}");
    let rejects = std::thread::scope(|scope| {
        let ask = |mut evaluator: Evaluator| one(&mut evaluator, &vm).is_rejected();
        let workers: Vec<_> = (0..2).map(|_| (evaluator.clone(), ask)).collect();
        let workers: Vec<_> =
            workers.into_iter().map(|(evaluator, ask)| scope.spawn(move || ask(evaluator))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(rejects, [true, true]);
}

#[test]
fn a_bundle_judges_its_own_machines_as_they_judge_themselves() {
    for name in ["common-templates-v0.25.0", "common-templates-v0.35.0", "common-templates-s390x-v0.35.0"] {
        let path = format!("kubevirt/templates/{name}.yaml");
        let Some(text) = kvrules_testdata::read_text(&path) else { return };
        let bundle = source(text);
        let own = evaluator(Engine::Both, &[("NAME", "v")]).evaluate_objects(&bundle);
        let mut by_label = evaluator(Engine::Both, &[("NAME", "v")]);
        by_label.use_rules(&bundle, None).unwrap();
        let by_label = by_label.evaluate_objects(&bundle);
        let verdict = |evaluated: &Evaluation| {
            let faults = evaluated.fault.as_ref().map(|fault| fault.message.clone());
            (evaluated.spec.as_ref().map(|spec| spec.verdict), evaluated.ssp.clone(), faults)
        };
        let agreed = own.iter().zip(&by_label).filter(|(own, other)| verdict(own) == verdict(other)).count();
        let differing = own.iter().filter(|evaluated| !evaluated.differences.is_empty());
        let (all, differing) = (own.len(), differing.count());
        println!("{name}: {agreed}/{all} alike by label; {differing} differ between the engines");
        let unnamed = own
            .iter()
            .flat_map(|evaluated| &evaluated.differences)
            .filter(|reported| reported.named.is_empty());
        assert_eq!((own.len(), agreed, unnamed.count()), (by_label.len(), all, 0));
    }
}
