//! Whole pages, as a reader gets them.

use kvrules_emit::{Fidelity, Request, find_emitter};
use kvrules_ir::{ElaboratedSet, Interval, OperandRelation, RegexPattern, ValueTest, ValueType};

use crate::support::*;

/// One rule of each kind.
fn kinds() -> ElaboratedSet {
    let text = |path: &str| {
        selector(&format!(".{}", path.replace(['?', '!'], "")), vec![], root(path, ValueType::String))
    };
    let hostname = || text("spec.hostname?");
    let memory_limit = root("spec.domain.resources!.limits!.memory?", ValueType::Quantity);
    let serial = selector(
        ".spec.domain.devices.disks[*].serial",
        vec![disks()],
        element("serial!", ValueType::String),
    );
    let ports = root("spec.domain.devices.interfaces", ValueType::List);
    let port = selector(
        ".spec.domain.devices.interfaces[*].ports[*].port",
        vec![ports, element("ports", ValueType::List)],
        element("port", ValueType::Integer),
    );
    let rules = vec![
        Plan::new("lengths", hostname(), ValueTest::Length(interval(Some(1), Some(15)))),
        Plan::new("pattern", serial.clone(), ValueTest::Matches(RegexPattern("^[A-Z0-9|]+$".to_owned())))
            .guarded(serial),
        Plan::new("cores", cores(), ValueTest::Integer(interval(Some(2), Some(64)))),
        Plan::new("memory-below-limit", memory(), ValueTest::Integer(Interval::default()))
            .compared(OperandRelation::AtMost, memory_limit),
        Plan::new("any-integer", cores(), ValueTest::Integer(Interval::default())).guarded(memory()),
        Plan::new("unguarded-list", disk_bus(), one_of(&["virtio"])),
        Plan::new("same-as", hostname(), one_of(&["a"]))
            .compared(OperandRelation::Equal, root("spec.subdomain!", ValueType::String)),
        Plan::new("ports", port, ValueTest::Integer(interval(Some(1024), None))),
    ];
    let mut set = set("kinds", &[], rules.into_iter().map(Plan::rule).collect());
    set.left_out.push(left_out("odd", "`.spec.nodeSelector` names the unknown field `x`"));
    set
}

#[test]
fn the_windows_rules_are_said() {
    let sets = [windows()];
    insta::assert_snapshot!("windows_md", file("markdown", &sets, "windows10-desktop-large.md"));
    insta::assert_snapshot!("windows_rst", file("restructuredtext", &sets, "windows10-desktop-large.rst"));
}

#[test]
fn every_kind_of_rule_is_said() {
    let sets = [kinds()];
    insta::assert_snapshot!("kinds_md", file("markdown", &sets, "kinds.md"));
    insta::assert_snapshot!("kinds_rst", file("restructuredtext", &sets, "kinds.rst"));
}

#[test]
fn the_index_names_every_set_and_its_users() {
    let families = ["centos-stream9", "fedora", "rhel9"];
    let many: Vec<String> = families
        .iter()
        .flat_map(|family| {
            ["large", "medium", "small", "tiny", "large-arm64"].map(|size| format!("{family}-{size}"))
        })
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let memory = || {
        Plan::new(
            "minimal-required-memory",
            memory(),
            ValueTest::Integer(interval(Some(1_610_612_736), None)),
        )
    };
    let sets =
        [windows(), set("centos-stream9-large", &many, vec![memory().rule()]), set("lonely", &[], vec![])];
    insta::assert_snapshot!("index_md", file("markdown", &sets, "index.md"));
    insta::assert_snapshot!("index_rst", file("restructuredtext", &sets, "index.rst"));
    insta::assert_snapshot!("many_md", file("markdown", &sets, "centos-stream9-large.md"));
}

#[test]
fn documents_say_every_rule_exactly() {
    let sets = [windows(), kinds()];
    for target in ["markdown", "restructuredtext"] {
        let request = Request { version: "0.0.0", ..Request::for_virtual_machines(&sets) };
        let emission = find_emitter(target).unwrap().emit_rule_sets(&request).unwrap();
        assert_eq!(emission.fidelity.len(), sets[0].rules.len() + sets[1].rules.len());
        assert!(emission.fidelity.iter().all(|rule| rule.fidelity == Fidelity::Exact));
        assert_eq!(emission.files.len(), 3);
    }
}

#[test]
fn sets_of_one_name_have_pages_and_titles_of_their_own() {
    let sets = [windows(), set("windows10-desktop-large", &[], vec![])];
    assert!(
        file("markdown", &sets, "windows10-desktop-large-2.md").contains("# windows10-desktop-large (2)\n")
    );
}
