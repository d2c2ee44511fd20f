//! Sentences about predicates of every shape, and their agreement with the evaluator.

use kvrules_emit::{Request, find_emitter};
use kvrules_eval::predicate_holds;
use kvrules_ir::{
    ElaboratedRule, Interval, Operand, OperandRelation, Place, PlaceBase, PlaceStep, Predicate, RegexPattern,
    Severity, Subject, ValueTest, ValueType,
};
use kvrules_pages::prose;
use serde_json::{Value, json};

use crate::support::*;

fn wording(predicate: Predicate) -> String {
    let rule = ElaboratedRule { predicate, ..Plan::new("x", memory(), one_of(&["a"])).rule() };
    prose::describe_requirements(&rule, Subject::virtual_machine()).to_plain()
}

fn test(place: Place, test: ValueTest) -> Predicate {
    Predicate::Test { place, test }
}

fn text(path: &str) -> Place {
    root(path, ValueType::String)
}

#[test]
fn constants_are_said() {
    assert_eq!(wording(Predicate::True), "Every virtual machine passes this rule.");
    assert_eq!(wording(Predicate::False), "No virtual machine passes this rule.");
    let never = Predicate::negation_of(Predicate::Present(text("spec.hostname?")));
    assert_eq!(wording(never), "The hostname must not be set.");
    let none = Predicate::each_element(
        disks(),
        Predicate::negation_of(Predicate::Present(element("disk?.bus!", ValueType::String))),
    );
    assert_eq!(wording(none), "No disk may have `disk`.");
    assert_eq!(wording(Predicate::each_element(disks(), Predicate::False)), "There must be no disk.");
}

/// The page of a rule about objects of a kind, with one place below `.spec.template`.
fn page_about(kind: Option<&str>, predicate: Predicate) -> String {
    let rule = ElaboratedRule { predicate, ..Plan::new("x", memory(), one_of(&["a"])).rule() };
    let subject = Subject { kind: kind.map(str::to_owned), ..Subject::default() };
    let sets = [set("x", &[], vec![rule])];
    let request = Request { subject: &subject, ..Request::for_virtual_machines(&sets) };
    let emission = find_emitter("markdown").unwrap().emit_rule_sets(&request).unwrap();
    emission.files.into_iter().find(|file| file.path == "x.md").unwrap().text
}

#[test]
fn pages_about_other_objects_say_what_these_are_and_whole_paths() {
    let page = page_about(Some("Deployment"), Predicate::Present(text("spec.hostname?")));
    assert!(page.contains("Paths start at the Deployment itself."), "{page}");
    assert!(page.contains("`.spec.template.spec.hostname` must be set."), "{page}");
    assert!(page.contains("Error: a Deployment that violates the rule is rejected."), "{page}");
    let page = page_about(None, Predicate::True);
    assert!(page.contains("Paths start at the object itself."), "{page}");
    assert!(page.contains("Every object passes this rule."), "{page}");
    assert!(page.contains("Error: an object that violates the rule is rejected."), "{page}");
    // The kind alone does not make an object a VirtualMachine of KubeVirt.
    let page = page_about(Some("VirtualMachine"), Predicate::False);
    assert!(page.contains("No VirtualMachine passes this rule."), "{page}");
}

#[test]
fn pages_about_virtual_machines_start_paths_at_the_template() {
    let page = file("markdown", &[windows()], "windows10-desktop-large.md");
    assert!(page.contains("Paths start at `.spec.template` of the VirtualMachine."), "{page}");
    assert!(page.contains("Error: a virtual machine that violates the rule is rejected."), "{page}");
    assert!(!page.contains("`.spec.template.spec"), "{page}");
}

#[test]
fn values_of_other_types_are_said_to_be_compared_as_text() {
    let quantity = root("spec.domain.resources!.requests!.memory?", ValueType::Quantity);
    assert_eq!(
        wording(test(quantity.clone(), one_of(&["2Gi"]))),
        "The requested memory must be written as `2Gi`; it must be set."
    );
    assert_eq!(
        wording(test(quantity, ValueTest::Length(interval(None, Some(1))))),
        "The requested memory must have at most 1 character when written as a string; it must be set."
    );
    let cpu = root("spec.domain.resources!.requests!.cpu?", ValueType::Quantity);
    assert_eq!(
        wording(test(cpu, ValueTest::Integer(interval(Some(1), Some(4))))),
        "The requested CPU must be an integer between 1 and 4; it must be set."
    );
    let mut key = root("spec.nodeSelector?", ValueType::String);
    key.steps.push(PlaceStep::Key("a.b/c'\n".to_owned()));
    assert_eq!(
        wording(test(key, one_of(&["", "b "]))),
        "`.spec.nodeSelector['a.b/c\\'\\n']` must be `\"\"` or `\"b \"`; it must be set."
    );
    assert_eq!(
        wording(test(text("spec.hostname?"), ValueTest::Matches(RegexPattern("^a".to_owned())))),
        "The hostname must contain a match of the regular expression `^a`; it must be set."
    );
}

#[test]
fn comparisons_name_both_sides() {
    let sockets = root("spec.domain.cpu?.sockets!", ValueType::Integer);
    let rule = Plan::new("x", cores(), ValueTest::Integer(Interval::default()))
        .compared(OperandRelation::AtLeast, sockets.clone())
        .compared(OperandRelation::AtMost, root("spec.most?", ValueType::Integer));
    assert_eq!(
        prose::describe_requirements(&rule.rule(), Subject::virtual_machine()).to_plain(),
        "The number of CPU cores must be at least the number of CPU sockets and at most the value of `.spec.most`, \
         and `.spec.domain.cpu` must be set. `.spec.most` must be set."
    );
    let length = Predicate::Compare {
        left: Operand::Length(text("spec.hostname?")),
        relation: OperandRelation::AtMost,
        right: Operand::Integer(sockets),
    };
    assert_eq!(
        wording(length),
        "The number of characters in the hostname must be at most the number of CPU sockets, and the hostname must be \
         set, and `.spec.domain.cpu` must be set."
    );
}

#[test]
fn conditions_that_are_not_about_the_element_itself_are_spelled_out() {
    let bus = || element("bus!", ValueType::String);
    let outer = Predicate::implication_of(
        Predicate::Present(text("spec.hostname?")),
        Predicate::each_element(disks(), test(bus(), one_of(&["a"]))),
    );
    assert_eq!(wording(outer), "When the hostname is set, every disk's `bus` must be `a`.");
    let kind = test(element("type!", ValueType::String), one_of(&["ssd"]));
    let inner = Predicate::each_element(
        disks(),
        Predicate::implication_of(kind.clone(), test(bus(), one_of(&["a"]))),
    );
    assert_eq!(
        wording(inner),
        "For every disk: when the disk's `type` is `ssd`, the disk's `bus` must be `a`."
    );
    let some = Predicate::some_element(disks(), Predicate::all_of([kind, test(bus(), one_of(&["a"]))]));
    assert_eq!(
        wording(some),
        "For at least one disk it must hold that the disk's `type` is `ssd` and the disk's `bus` is `a`."
    );
    let either = Predicate::any_of([
        test(text("spec.hostname?"), one_of(&["a"])),
        test(text("spec.subdomain!"), one_of(&["b"])),
    ]);
    assert_eq!(
        wording(either),
        "At least one of these must hold: the hostname is `a`; or `.spec.subdomain` is `b`."
    );
}

#[test]
fn inner_lists_speak_of_both_elements() {
    let ports = Place { base: PlaceBase::Element(0), ..element("slot?.ports", ValueType::List) };
    let same = Predicate::Compare {
        left: Operand::Text(element("name!", ValueType::String)),
        relation: OperandRelation::Equal,
        right: Operand::Text(Place { base: PlaceBase::Element(1), ..element("name!", ValueType::String) }),
    };
    let each = Predicate::each_element(
        root("spec.domain.devices.interfaces", ValueType::List),
        Predicate::implication_of(
            Predicate::Present(element("slot?", ValueType::Object)),
            Predicate::each_element(ports, same),
        ),
    );
    let plain = wording(each);
    assert!(
        plain.starts_with("In every interface, every port's `name` must be equal to the interface's `name`."),
        "{plain}"
    );
}

/// Asserts that the page states the evaluator's result.
fn agrees(rule: &ElaboratedRule, absent: &Value, verdict: &str) {
    let broken = !predicate_holds(&rule.predicate, absent);
    let skipped = !predicate_holds(&rule.applies, absent);
    let page = file("markdown", &[set("x", &[], vec![rule.clone()])], "x.md");
    let line = page.lines().find(|line| line.starts_with("- **If absent:**")).unwrap();
    assert_eq!(broken, verdict == "violated", "{page}");
    assert_eq!(skipped, verdict == "does not apply", "{page}");
    assert!(line.trim_end_matches('.').ends_with(verdict), "{line}");
}

#[test]
fn what_is_said_of_absent_values_is_what_the_evaluator_does() {
    let vm = |spec: Value| json!({ "spec": { "template": { "spec": spec } } });
    let empty = vm(json!({}));
    let no_disk = vm(json!({ "domain": { "devices": { "disks": [{ "name": "a" }] } } }));
    for rule in &windows().rules {
        let verdict = if rule.name.contains("memory") { "violated" } else { "does not apply" };
        agrees(rule, &empty, verdict);
        agrees(rule, &no_disk, verdict);
    }
    let unguarded = Plan::new("x", disk_bus(), one_of(&["a"])).rule();
    agrees(&unguarded, &empty, "violated");
    agrees(&unguarded, &no_disk, "violated");
    let cores = Plan::new("x", cores(), ValueTest::Integer(interval(Some(1), None))).rule();
    agrees(&cores, &empty, "violated");
    let guarded =
        Plan::new("x", memory(), ValueTest::Integer(interval(Some(1), None))).guarded(memory()).rule();
    agrees(&guarded, &empty, "does not apply");
    let ports = selector(
        ".p",
        vec![root("spec.domain.devices.interfaces", ValueType::List), element("ports", ValueType::List)],
        element("port!", ValueType::Integer),
    );
    let ports = Plan::new("x", ports, ValueTest::Integer(interval(Some(1), None))).rule();
    agrees(&ports, &empty, "violated");
    agrees(&ports, &vm(json!({ "domain": { "devices": { "interfaces": [{}] } } })), "violated");
}

#[test]
fn warnings_say_should() {
    let rule = Plan::new("x", memory(), ValueTest::Integer(interval(Some(0), None))).warning().rule();
    assert_eq!(rule.severity, Severity::Warning);
    assert_eq!(
        prose::describe_requirements(&rule, Subject::virtual_machine()).to_plain(),
        "The guest's memory should be at least 0 bytes; it should be set."
    );
}

#[test]
fn warnings_about_conditions_that_exclude_each_other_say_should() {
    let both = [text("spec.hostname?"), text("spec.subdomain?")].map(Predicate::Present);
    let predicate = Predicate::any_of(both.map(Predicate::negation_of));
    let rule = ElaboratedRule { predicate, ..Plan::new("x", memory(), one_of(&["a"])).warning().rule() };
    assert_eq!(
        prose::describe_requirements(&rule, Subject::virtual_machine()).to_plain(),
        "It should not be that the hostname is set and `.spec.subdomain` is set."
    );
}

#[test]
fn elements_below_one_item_are_named_by_their_path() {
    let mut ports = root("spec.domain.devices.interfaces", ValueType::List);
    ports.steps.push(PlaceStep::Item(0));
    ports.steps.extend(element("ports", ValueType::List).steps);
    let port = test(element("port!", ValueType::Integer), ValueTest::Integer(interval(Some(1), None)));
    assert_eq!(
        wording(Predicate::each_element(ports, port)),
        "`port` of every item of `.spec.domain.devices.interfaces[0].ports` must be at least 1."
    );
}
