//! Node of the schema where a rule is placed, and the field that the server reports.

use kvrules_emit::Fidelity;
use kvrules_ir::{Predicate, Severity, ValueTest, ValueType};
use serde_json::{Value, json};

use super::cases::{between, disks, guarded_bus, memory, one_of, place, test};
use super::support::{Server, rule, schema, set, standalone};

/// Nodes with what is said there.
type Validations = Vec<(String, Vec<String>)>;

/// The nodes with validations, as pointers, and what is said there.
fn validations(schema: &Value) -> Validations {
    let mut found = Vec::new();
    look(schema, "", &mut found);
    found
}

fn look(node: &Value, path: &str, found: &mut Validations) {
    if let Some(rules) = node.get("x-kubernetes-validations").and_then(Value::as_array) {
        let texts =
            rules.iter().map(|rule| rule["rule"].as_str().unwrap().split_whitespace().collect::<Vec<_>>());
        found.push((path.to_owned(), texts.map(|words| words.join(" ")).collect()));
    }
    for (name, below) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        look(below, &format!("{path}.{name}"), found);
    }
    if let Some(items) = node.get("items") {
        look(items, &format!("{path}[]"), found);
    }
}

fn placed(predicate: Predicate) -> Validations {
    let emission = standalone(&set(vec![rule("r", predicate)]));
    validations(&schema(&emission.files[0].text))
}

fn one(node: &str, rule: &str) -> Validations {
    vec![(node.to_owned(), vec![rule.to_owned()])]
}

fn unless_absent(path: &str, wanted: ValueTest) -> Predicate {
    let found = place(path, ValueType::String);
    Predicate::any_of([Predicate::negation_of(Predicate::presence_of(found.clone())), test(found, wanted)])
}

#[test]
fn a_demand_on_elements_stands_below_the_list() {
    let bus = ".spec.template.spec.domain.devices.disks[].disk";
    assert_eq!(placed(guarded_bus(&["sata"])), one(bus, "has(self.bus) && self.bus == 'sata'"));
}

#[test]
fn a_value_that_may_be_absent_is_judged_at_its_own_node() {
    assert_eq!(placed(unless_absent("a?|b?|c?", one_of(&["x"]))), one(".a.b.c", "self == 'x'"));
    assert_eq!(placed(unless_absent("größe?", one_of(&["x"]))), one(".größe", "self == 'x'"));
}

#[test]
fn a_value_that_must_be_there_is_asked_for_where_something_always_is() {
    let guest = test(memory(), ValueTest::Integer(between(1024, None)));
    let found = placed(guest);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, ".spec.template");
    assert!(found[0].1[0].starts_with("has(self.spec) && has(self.spec.domain.memory)"), "{found:?}");
}

#[test]
fn what_must_not_be_there_is_refused_where_it_is() {
    let found = placed(Predicate::negation_of(Predicate::presence_of(place("a?|b?", ValueType::String))));
    assert_eq!(found, one(".a.b", "false"));
}

#[test]
fn each_part_of_a_conjunction_stands_by_itself() {
    let some = Predicate::some_element(disks(), Predicate::presence_of(place("^disk?", ValueType::Object)));
    let found = placed(Predicate::all_of([some, guarded_bus(&["sata"])]));
    let nodes: Vec<&str> = found.iter().map(|(node, _)| node.as_str()).collect();
    assert_eq!(nodes, [".spec.template", ".spec.template.spec.domain.devices.disks[].disk"]);
}

#[test]
fn parts_that_stand_at_one_node_are_one_rule() {
    let both = [
        unless_absent("a?|b?", one_of(&["x", "y"])),
        unless_absent("a?|b?", ValueTest::Length(between(1, 1))),
    ];
    assert_eq!(placed(Predicate::all_of(both)), one(".a.b", "self in ['x', 'y'] && size(self) == 1"));
}

#[test]
fn a_comparison_stands_where_both_values_are_seen() {
    let field = |name: &str| kvrules_ir::Operand::Integer(place(name, ValueType::Integer));
    let compare = Predicate::Compare {
        left: field("a?|x"),
        relation: kvrules_ir::OperandRelation::AtMost,
        right: field("a?|y"),
    };
    let absent = Predicate::negation_of(Predicate::presence_of(place("a?", ValueType::Object)));
    assert_eq!(placed(Predicate::any_of([absent, compare])), one(".a", "self.x <= self.y"));
}

#[test]
fn the_server_names_the_field_that_is_wrong() {
    let guest = test(memory(), ValueTest::Integer(between(1024, None)));
    let rules = vec![rule("memory", guest), rule("bus", guarded_bus(&["sata"]))];
    let server = Server::new(&schema(&standalone(&set(rules)).files[0].text));
    let devices = json!({ "disks": [{ "disk": { "bus": "sata" } }, { "disk": { "bus": "ide" } }] });
    let object = json!({ "spec": { "template": { "spec": { "domain": { "devices": devices } } } } });
    let refused = server.refused(&object);
    let domain = "spec.template.spec.domain";
    assert_eq!(refused, [format!("{domain}.devices.disks[1].disk.bus"), format!("{domain}.memory.guest")]);
}

#[test]
fn a_rule_that_only_warns_is_not_said() {
    let mut warns = rule("warns", guarded_bus(&["sata"]));
    warns.severity = Severity::Warning;
    let emission = standalone(&set(vec![warns]));
    assert!(
        matches!(&emission.fidelity[0].fidelity, Fidelity::Unsupported(cause) if cause.contains("warns"))
    );
    assert_eq!(validations(&schema(&emission.files[0].text)), []);
}
