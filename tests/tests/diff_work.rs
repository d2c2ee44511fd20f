//! The work that `kvrules diff` takes on large inputs, counted in steps.
//!
//! Each input took minutes or gigabytes once. What is too large to be decided says so.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use kvrules::diff::{self, Diff, Direction, SideFile};
use kvrules::{Catalog, FileId, SourceFile};
use kvrules_tests::spec::annotated_machine;
use serde_json::{Map, Value, json};

fn part(file: u32, text: String) -> Vec<SideFile> {
    let source = SourceFile::new(FileId(file), "x.yaml", text);
    let units = diff::read_units(&source, Catalog::kubevirt_vm()).unwrap();
    vec![SideFile { path: String::new(), source, units }]
}

/// Returns the changes from `made(0)` to `made(1)`, and the steps to find them.
fn compared(made: &dyn Fn(usize) -> String) -> (Diff, u64) {
    let diff = diff::compare_sides(&part(0, made(0)), &part(1, made(1))).unwrap();
    let steps = diff.pairs.iter().map(|pair| pair.steps).sum();
    println!("{steps} steps, {:?}", diff.counts);
    (diff, steps)
}

/// Every change that is unknown says that it is too large, and nothing is passed over.
fn hold_to_what_is_known(diff: &Diff) {
    for change in diff.changes().filter(|change| change.direction == Direction::Unknown) {
        assert!(change.notes.iter().any(|note| note.contains("too large")), "{change:?}");
    }
}

fn rules(count: usize, one: &dyn Fn(usize) -> Value) -> String {
    let rule = |number: usize| {
        let mut rule = json!({"name": format!("r{number}"), "message": "m"});
        rule.as_object_mut().unwrap().extend(one(number).as_object().unwrap().clone());
        rule
    };
    annotated_machine(&Value::Array((0..count).map(rule).collect()).to_string())
}

fn json_schema(schema: Value) -> String {
    let mut schema = schema;
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema.to_string()
}

fn definition(spec: Value) -> String {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.a.b"},
        "spec": {"group": "a.b", "names": names, "scope": "Namespaced", "versions": [version]},
    })
    .to_string()
}

fn fields(count: usize, one: &dyn Fn(usize) -> Value) -> Value {
    let all: Map<String, Value> = (0..count).map(|number| (format!("f{number}"), one(number))).collect();
    json!({"type": "object", "properties": all})
}

#[test]
fn three_hundred_changed_rules_take_few_cases() {
    const PATHS: [&str; 3] = ["cores", "sockets", "threads"];
    let path = |number: usize| format!("jsonpath::.spec.domain.cpu.{}", PATHS[number % 3]);
    let integers = |side: usize| {
        rules(
            300,
            &|number| json!({"path": path(number), "valid": path(number + 1), "rule": "integer", "min": 1 + side, "max": 10 + number + side}),
        )
    };
    let (diff, steps) = compared(&integers);
    assert_eq!((diff.compared, diff.count_changes(Direction::Unknown)), (300, 0));
    assert!(steps < 600_000, "{steps}");
}

#[test]
fn rules_on_the_elements_of_one_list_are_compared_a_few_at_a_time() {
    let lists = |side: usize| {
        rules(60, &|number| {
            let more = ["virtio".to_owned(), format!("b{number}"), format!("side{side}")];
            json!({"path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "rule": "enum", "values": more})
        })
    };
    let (diff, steps) = compared(&lists);
    assert_eq!((diff.compared, diff.count_changes(Direction::Unknown)), (60, 0));
    assert!(steps < 60_000, "{steps}");
}

#[test]
fn rules_that_are_all_renamed_and_changed_are_told_apart_by_known_objects() {
    let renamed = |side: usize| {
        rules(120, &|number| {
            let name = format!("{side}-{number}");
            let path = "jsonpath::.spec.domain.cpu.cores";
            json!({"name": name, "path": path, "rule": "integer", "min": 1, "max": 10 + 2 * number + side})
        })
    };
    let (diff, steps) = compared(&renamed);
    assert_eq!((diff.compared, diff.count_changes(Direction::Unknown)), (240, 0));
    assert!(steps < 120_000, "{steps}");
}

#[test]
fn references_that_fan_out_take_no_work_for_each_way() {
    let fan = |key: &'static str| {
        move |side: usize| {
            let reference = |number: usize| json!({"$ref": format!("#/$defs/n{}", number + 1)});
            let mut all = Map::new();
            for number in 0..20 {
                let both = json!([reference(number), reference(number)]);
                let inner = json!({"a": reference(number), "b": reference(number)});
                all.insert(
                    format!("n{number}"),
                    json!({key: if key == "properties" { inner } else { both }}),
                );
            }
            all.insert("n20".to_owned(), json!({"type": "integer", "maximum": 5 + side}));
            json_schema(json!({"$ref": "#/$defs/n0", "$defs": all}))
        }
    };
    for key in ["properties", "allOf", "anyOf"] {
        let (diff, steps) = compared(&fan(key));
        assert!(!diff.is_empty(), "{key}");
        hold_to_what_is_known(&diff);
        assert!(steps < 3_100_000, "{key}: {steps}");
    }
}

#[test]
fn references_in_cycles_under_branches_stop_at_their_steps() {
    let cycles = |side: usize| {
        let reference = |number: usize| json!({"$ref": format!("#/$defs/n{number}")});
        let any: Vec<Value> = (0..12).map(reference).collect();
        let one = json!({"type": "object", "properties": {"x": {"anyOf": any}}, "minProperties": side});
        let all: Map<String, Value> = (0..12).map(|number| (format!("n{number}"), one.clone())).collect();
        json_schema(json!({"$ref": "#/$defs/n0", "$defs": all}))
    };
    let (diff, steps) = compared(&cycles);
    assert!(!diff.is_empty());
    assert!(steps < 3_500_000, "{steps}");
}

#[test]
fn patterns_of_fields_that_overlap_are_compared_one_by_one() {
    let patterns = |side: usize| {
        let pattern = |number: usize| {
            (format!("a.*{number}"), json!({"type": "integer", "maximum": 10 + number + side}))
        };
        json_schema(
            json!({"type": "object", "patternProperties": (0..100).map(pattern).collect::<Map<_, _>>()}),
        )
    };
    let (diff, steps) = compared(&patterns);
    assert!(diff.changes().count() >= 90, "{:?}", diff.counts);
    hold_to_what_is_known(&diff);
    assert!(steps < 3_100_000, "{steps}");
}

#[test]
fn fields_that_all_change_have_a_share_of_the_work_each() {
    let changed = |side: usize| {
        fields(600, &|number| json!({"type": "integer", "minimum": side, "maximum": 10 + number + side}))
    };
    for made in [definition, json_schema] {
        let (diff, steps) = compared(&|side| made(changed(side)));
        assert_eq!(
            (diff.count_changes(Direction::Incomparable), diff.count_changes(Direction::Unknown)),
            (600, 0)
        );
        assert!(steps < 1_500_000, "{steps}");
    }
}

#[test]
fn parts_of_all_of_that_all_change_are_decided_or_too_large() {
    let changed = |side: usize| {
        let mut node = fields(400, &|_| json!({"type": "integer"}));
        let part =
            |number: usize| json!({"properties": {format!("f{number}"): {"maximum": 10 + number + side}}});
        node["allOf"] = Value::Array((0..400).map(part).collect());
        node
    };
    for made in [definition, json_schema] {
        let (diff, steps) = compared(&|side| made(changed(side)));
        assert!(!diff.is_empty());
        hold_to_what_is_known(&diff);
        assert!(steps < 3_500_000, "{steps}");
    }
}

/// A node with a rule for each of its fields, of which `changed` have another bound on each side.
fn rules_of_fields(count: usize, side: usize, changed: &dyn Fn(usize) -> bool) -> String {
    let mut node = fields(count, &|_| json!({"type": "integer"}));
    let rule = |number: usize| {
        let most = 100 + number + if changed(number) { side } else { 0 };
        json!({"rule": format!("!has(self.f{number}) || self.f{number} < {most}"), "message": format!("m{number}")})
    };
    node["x-kubernetes-validations"] = Value::Array((0..count).map(rule).collect());
    definition(node)
}

#[test]
fn five_hundred_rules_of_one_node_are_decided_one_by_one() {
    let (diff, steps) = compared(&|side| rules_of_fields(500, side, &|_| true));
    assert_eq!((diff.count_changes(Direction::Loosened), diff.count_changes(Direction::Unknown)), (500, 0));
    assert!(steps < 6_000_000, "{steps}");
    let own = |number: usize| json!({ format!("f{number}"): 100 + number });
    for (number, change) in diff.changes().enumerate() {
        assert_eq!(change.accepted.as_ref().unwrap().object["spec"], own(number));
    }
}

#[test]
fn fields_next_to_a_rule_that_all_change_are_decided() {
    let changed = |side: usize| {
        let mut node = fields(500, &|number| match number % 3 {
            0 => json!({"type": "integer", "maximum": 10 + number + side}),
            1 => json!({"type": "string", "maxLength": 10 + side}),
            _ => {
                json!({"type": "string", "maxLength": 9, "pattern": if side == 0 { "^[a-z]+$" } else { "^[a-z0-9]+$" }})
            }
        });
        node["x-kubernetes-validations"] =
            json!([{"rule": "!has(self.f0) || !has(self.f3) || self.f0 <= self.f3"}]);
        definition(node)
    };
    let (diff, steps) = compared(&changed);
    assert_eq!((diff.count_changes(Direction::Loosened), diff.count_changes(Direction::Unknown)), (500, 0));
    assert!(steps < 3_500_000, "{steps}");
}

#[test]
fn required_fields_that_all_change_are_decided() {
    let changed = |side: usize| {
        let mut node =
            fields(500, &|number| json!({"type": "integer", "minimum": 0, "maximum": 10 + number + side}));
        node["required"] = (0..500).map(|number| format!("f{number}")).collect::<Vec<_>>().into();
        definition(node)
    };
    let (diff, steps) = compared(&changed);
    assert_eq!((diff.count_changes(Direction::Loosened), diff.count_changes(Direction::Unknown)), (500, 0));
    assert!(steps < 4_000_000, "{steps}");
}

#[test]
fn rules_with_other_patterns_have_a_text_that_shows_it() {
    let changed = |side: usize| {
        let rule = json!({"rule": format!("self.matches('^[a-z]{{1,{}}}$')", 5 + side)});
        definition(fields(
            60,
            &|_| json!({"type": "string", "maxLength": 20, "x-kubernetes-validations": [rule]}),
        ))
    };
    let (diff, _) = compared(&changed);
    assert_eq!((diff.count_changes(Direction::Loosened), diff.count_changes(Direction::Unknown)), (60, 0));
}

#[test]
fn five_hundred_rules_with_other_patterns_are_decided() {
    let rule = |side: usize| json!([{"rule": format!("self.matches('^[a-z]{{1,{}}}$')", 5 + side)}]);
    let of_fields = |side: usize| {
        definition(fields(
            500,
            &|_| json!({"type": "string", "maxLength": 20, "x-kubernetes-validations": rule(side)}),
        ))
    };
    let of_one_node = |side: usize| {
        let mut node = fields(500, &|_| json!({"type": "string", "maxLength": 20}));
        let rule = |number: usize| {
            let most = 5 + number % 7 + side;
            json!({"rule": format!("!has(self.f{number}) || self.f{number}.matches('^[a-z]{{1,{most}}}$')"), "message": format!("m{number}")})
        };
        node["x-kubernetes-validations"] = Value::Array((0..500).map(rule).collect());
        definition(node)
    };
    for changed in [&of_fields as &dyn Fn(usize) -> String, &of_one_node] {
        let (diff, steps) = compared(changed);
        assert_eq!(
            (diff.count_changes(Direction::Loosened), diff.count_changes(Direction::Unknown)),
            (500, 0)
        );
        assert!(steps < 7_000_000, "{steps}");
    }
}

#[test]
fn a_rule_around_two_fields_and_a_rule_of_the_other_field_are_premises_together() {
    let changed = |side: usize| {
        let mut node = fields(2, &|_| json!({"type": "integer"}));
        node["required"] = json!(["f0", "f1"]);
        node["properties"]["f0"]["x-kubernetes-validations"] =
            json!([{"rule": format!("self < {}", 100 + side)}]);
        node["properties"]["f1"]["x-kubernetes-validations"] = json!([{"rule": "self < 50"}]);
        node["x-kubernetes-validations"] = json!([{"rule": "self.f0 <= self.f1"}]);
        definition(node)
    };
    let (diff, _) = compared(&changed);
    let change = diff.changes().next().unwrap();
    assert_eq!((change.direction, change.proved), (Direction::Equal, true), "{change:?}");
}

#[test]
fn one_rule_of_five_hundred_that_changes_takes_few_steps() {
    let (diff, steps) = compared(&|side| rules_of_fields(500, side, &|number| number == 250));
    assert_eq!(diff.count_changes(Direction::Loosened), 1);
    assert!(steps < 1_600_000, "{steps}");
}

#[test]
fn a_rule_that_another_one_hides_is_told_by_itself() {
    let hidden = |by: &str, side: usize| {
        let mut node = fields(1, &|_| json!({"type": "integer"}));
        let most = 200 + side;
        node["x-kubernetes-validations"] =
            json!([{"rule": by, "message": "a"}, {"rule": format!("self.f0 < {most}"), "message": "b"}]);
        definition(node)
    };
    let (diff, _) = compared(&|side| hidden("self.f0 < 100", side));
    let change = diff.changes().next().unwrap();
    assert_eq!(
        (change.direction, change.proofs[0].by.as_slice()),
        (Direction::Equal, ["`self.f0 < 100` of `spec`".to_owned()].as_slice())
    );
    // No formula has a map that is written out, so that the rule proves nothing.
    let (diff, _) = compared(&|side| hidden("{'n': self.f0}['n'] < 100", side));
    let change = diff.changes().next().unwrap();
    assert_eq!(change.direction, Direction::Unknown);
    assert!(change.notes.iter().any(|note| note.starts_with("by itself the rule is milder")), "{change:?}");
}

#[test]
fn rules_of_one_node_that_all_change_stop_at_their_steps() {
    let changed = |side: usize| {
        let mut node = fields(5, &|_| json!({"type": "integer"}));
        let rule = |number: usize| json!({"rule": format!("!has(self.f{0}) || self.f{0} < {1}", number % 5, 100 + number + side)});
        node["x-kubernetes-validations"] = Value::Array((0..60).map(rule).collect());
        definition(node)
    };
    let (diff, steps) = compared(&changed);
    assert!(!diff.is_empty());
    assert!(steps < 3_200_000, "{steps}");
}
