//! Loops in place of the functions of the sets library, which servers before Kubernetes 1.30 do not have. Each is proved.

#![allow(clippy::indexing_slicing, reason = "tests")]

use kvrules_lift::definition_rules;
use kvrules_lift::rewrite::find_form;
use serde_json::json;

/// The form of a rule about two lists without the sets library.
fn as_loop(rule: &str) -> Option<String> {
    let list = json!({"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 9}});
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {"a": list, "b": list, "c": list},
        "x-kubernetes-validations": [{"rule": rule}]});
    let is_old = |text: &str| !text.contains("sets.");
    find_form(&definition_rules(&schema)[0], &mut |text| is_old(text).then_some(0))
}

#[test]
fn functions_of_sets_become_loops() {
    for (rule, wanted) in [
        ("sets.contains(self.a, self.b)", "self.b.all(it, it in self.a)"),
        ("sets.contains(self.a, ['x', 'y'])", "['x', 'y'].all(it, it in self.a)"),
        ("sets.contains(['x', 'y'], self.a)", "self.a.all(it, it in ['x', 'y'])"),
        ("!sets.intersects(self.a, self.b)", "!self.a.exists(it, it in self.b)"),
        ("sets.equivalent(self.a, ['x'])", "self.a.all(it, it in ['x']) && ['x'].all(it, it in self.a)"),
    ] {
        assert_eq!(as_loop(rule).as_deref(), Some(wanted), "{rule}");
    }
}

#[test]
fn a_list_that_may_be_absent_is_no_empty_list() {
    // Without `c` the rule ends in an error, and the loop holds if `b` is empty.
    assert_eq!(as_loop("sets.contains(self.c, self.b)"), None);
    let guarded = as_loop("!has(self.c) || sets.contains(self.c, self.b)");
    assert_eq!(guarded.as_deref(), Some("!has(self.c) || self.b.all(it, it in self.c)"));
}
