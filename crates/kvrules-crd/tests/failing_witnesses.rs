//! Objects that show that a rule ends in an error: what they need is taken from the formulas of the rules.

mod support;

use std::collections::BTreeMap;

use kvrules_crd::{RunResources, StoredResources, check_in_run};
use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::parse_stream;
use serde_json::{Value, json};

/// The findings that a rule of a definition with a schema ends in an error: the message and the help.
fn failures(schema: &Value) -> Vec<String> {
    let found = support::findings_about_objects(schema);
    let failing = found.iter().filter(|it| it.code == "KC307");
    failing.map(|it| format!("{}; {}", it.message, it.help.clone().unwrap_or_default())).collect()
}

fn rules(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({ "rule": text })).collect()
}

/// A schema with `spec`, which has a captain, and `status`, which has a log of entries with a kind and a result.
fn boat(texts: &[&str]) -> Value {
    let text = json!({"type": "string"});
    let entry = json!({"type": "object", "required": ["kind", "result"], "properties": {
        "kind": {"type": "string", "pattern": "^[A-Z][a-z]+$"}, "result": text, "crew": text,
    }});
    json!({"type": "object", "x-kubernetes-validations": rules(texts), "properties": {
        "spec": {"type": "object", "properties": {"captain": text, "berth": text}},
        "status": {"type": "object", "properties": {"log": {"type": "array", "items": entry}}},
    }})
}

const LAUNCHED: &str = "has(oldSelf.status) && has(oldSelf.status.log) && oldSelf.status.log.exists(e, e.kind == 'Launched' && e.result == 'Yes')";

#[test]
fn an_update_is_found_whose_stored_list_has_the_item_that_the_rule_waits_for() {
    let rule = format!("{LAUNCHED} ? has(oldSelf.spec.captain) == has(self.spec.captain) : true");
    let found = failures(&boat(&[&rule]));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.contains("where `spec` is absent") && finding.contains("Launched"), "{finding}");
}

#[test]
fn an_update_is_found_although_rules_of_items_end_in_errors_as_well() {
    let mut schema = boat(&[]);
    schema["properties"]["spec"]["x-kubernetes-validations"] =
        rules(&["self.captain == oldSelf.captain || self.berth != oldSelf.berth"]);
    let cargo = json!({"type": "object", "required": ["name"], "x-kubernetes-validations": rules(&["self.weight > 0"]),
        "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}}});
    schema["properties"]["spec"]["properties"]["cargo"] =
        json!({"type": "array", "minItems": 1, "items": cargo});
    schema["properties"]["spec"]["required"] = json!(["captain", "cargo"]);
    let found = failures(&schema);
    let of = |name: &str| found.iter().filter(|it| it.contains(name)).count();
    assert_eq!((of("where `berth` is absent"), of("where `weight` is absent")), (1, 1), "{found:?}");
}

#[test]
fn an_item_without_a_field_is_found_although_the_others_of_its_list_have_to_pass() {
    let rules = [
        "!has(self.status) || !has(self.status.log) || self.status.log.filter(e, e.kind == 'Launched').all(e, e.crew != '')",
        "!has(self.status) || !has(self.status.log) || self.status.log.all(e, e.result in ['Yes', 'No'])",
    ];
    let found = failures(&boat(&rules));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.contains("where `crew` is absent"), "{finding}");
}

#[test]
fn what_is_around_the_value_passes_its_rules() {
    let harbour = json!({"type": "object", "required": ["group", "name"], "properties": {
        "group": {"type": "string"}, "name": {"type": "string", "minLength": 1},
    }});
    let mooring = json!({"type": "object", "x-kubernetes-validations": rules(&["has(self.rope) || self.ropes.size() > 0"]),
        "properties": {"rope": {"type": "string"}, "ropes": {"type": "array", "items": {"type": "string"}}}});
    let spec = json!({"type": "object", "x-kubernetes-validations": rules(&[
            "has(self.harbour) != has(self.harbours)",
            "!has(self.harbour) || self.harbour.group == 'harbours.example.com'",
            "!has(self.harbours) || self.harbours.all(h, h.group == 'harbours.example.com')",
            "!has(self.mooring) || has(self.tide) && self.tide > 4 && self.tide < 7",
            "has(self.crew) && self.crew.size() > 5",
        ]),
        "properties": {"harbour": harbour, "harbours": {"type": "array", "items": harbour},
            "crew": {"type": "array", "items": {"type": "string"}}, "tide": {"type": "integer"}, "mooring": mooring}});
    let found = failures(&json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}}));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.contains("where `ropes` is absent"), "{finding}");
}

#[test]
fn a_rule_that_another_one_guards_has_no_finding() {
    let guarded = ["has(self.spec) && has(self.spec.captain)", "self.spec.captain != self.spec.berth"];
    let found = failures(&boat(&guarded));
    assert_eq!(found.len(), 1, "{found:?}");
    let guarded = [
        "has(self.spec) ? has(self.spec.captain) && has(self.spec.berth) : false",
        "self.spec.captain != self.spec.berth",
    ];
    assert_eq!(failures(&boat(&guarded)), Vec::<String>::new());
}

#[test]
fn a_text_is_found_that_one_pattern_matches_and_another_does_not() {
    let rule = "!has(self.spec) || !has(self.spec.berth) || self.spec.berth.matches('^[a-z]{1,9}$') || !self.spec.berth.matches('^[a-z]{3,12}$') || self.spec.captain != ''";
    let found = failures(&boat(&[rule]));
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.contains("where `captain` is absent") && finding.contains("aaaaaaaaaa"), "{finding}");
}

/// The findings of sense in the recorded definitions, each of which was read. A count that is less shows that some are no longer found.
#[test]
fn errors_of_rules_of_recorded_definitions_are_found() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut failing = Vec::new();
    for directory in ["kubernetes/crds", "kubernetes/crds-2"] {
        for path in kvrules_testdata::list_files(directory, "yaml").unwrap_or_default() {
            let text = std::fs::read_to_string(&path).unwrap();
            let source = SourceFile::new(FileId(0), "crd.yaml", &*text);
            let stream = parse_stream(FileId(0), &text);
            let documents: Vec<_> = stream.documents.iter().collect();
            let (stored, run) = (StoredResources::default(), RunResources::default());
            for finding in check_in_run(&source, &documents, &stored, &run).findings {
                *counts.entry(finding.code.to_string()).or_default() += 1;
                if finding.code == "KC307" {
                    failing.push(format!("{}: {}", path.display(), finding.message));
                }
            }
        }
    }
    if counts.is_empty() {
        return;
    }
    println!("{counts:?}");
    assert!(counts.get("KC307").is_some_and(|count| *count >= 93), "{counts:?}");
    for definition in ["securitypolicies", "workloads"] {
        assert!(failing.iter().any(|it| it.contains(definition)), "{definition}");
    }
}

/// A disk with an integer or a string in each field.
fn disk(texts: &[&str]) -> Value {
    let size = json!({"x-kubernetes-int-or-string": true, "maxLength": 9});
    json!({"type": "object", "x-kubernetes-validations": rules(texts), "properties": {
        "size": size, "limit": size, "words": {"type": "array", "maxItems": 4, "items": size},
    }})
}

#[test]
fn a_function_of_texts_or_an_order_is_reported_where_the_value_may_have_another_type() {
    let cases = [
        ("!has(self.size) || quantity(self.size).isGreaterThan(quantity('0'))", "`self.size` is an integer"),
        ("!has(self.size) || isQuantity(self.size)", "`self.size` is an integer"),
        ("!has(self.size) || self.size.matches('^[0-9]+%?$')", "`self.size` is an integer"),
        ("!has(self.size) || self.size > 0", "`self.size` is a string"),
        ("!has(self.size) || self.size >= 'a'", "`self.size` is an integer"),
        (
            "!has(self.size) || !has(self.limit) || quantity(self.size).compareTo(quantity(self.limit)) <= 0",
            "the argument of `quantity` is an integer",
        ),
        ("!has(self.words) || self.words.all(w, isQuantity(w))", "`self.words[]` is an integer"),
    ];
    for (rule, expected) in cases {
        let found = failures(&disk(&[rule]));
        let [finding] = found.as_slice() else { panic!("{rule}: {found:?}") };
        assert!(finding.contains(expected), "{rule}: {finding}");
        assert!(finding.contains("no such overload"), "{rule}: {finding}");
    }
}

#[test]
fn a_divisor_that_may_be_zero_is_reported() {
    let pond = |rule: &str, least: Option<i64>| {
        let mut parts = json!({"type": "integer"});
        if let Some(least) = least {
            parts["minimum"] = least.into();
        }
        failures(
            &json!({"type": "object", "required": ["whole", "parts"], "x-kubernetes-validations": rules(&[rule]),
            "properties": {"whole": {"type": "integer"}, "parts": parts}}),
        )
    };
    for rule in ["self.whole / self.parts < 8", "self.whole % self.parts == 0"] {
        let found = pond(rule, None);
        let [finding] = found.as_slice() else { panic!("{rule}: {found:?}") };
        assert!(finding.contains("where a divisor is zero, although the schema accepts that"), "{finding}");
        assert!(finding.contains("or set `minimum`") && finding.contains("by zero"), "{finding}");
        assert_eq!(pond(rule, Some(1)), Vec::<String>::new(), "{rule}");
    }
    for rule in ["self.parts == 0 || self.whole / self.parts < 8", "self.whole / 2 < 8"] {
        assert_eq!(pond(rule, None), Vec::<String>::new(), "{rule}");
    }
}

#[test]
fn rules_that_read_both_types_or_test_the_type_are_not_reported() {
    let rules = [
        "!has(self.size) || isQuantity(string(self.size))",
        "!has(self.size) || quantity(string(self.size)).isGreaterThan(quantity('0')) || string(self.size) == ''",
        "!has(self.size) || type(self.size) == string || self.size > 0",
        "!has(self.size) || (type(self.size) == int ? self.size > 0 : self.size.matches('^[0-9]+%$'))",
        "!has(self.size) || (type(self.size) == string && self.size.startsWith('a')) || type(self.size) == int",
        "!has(self.size) || self.size == 'auto' || self.size == 1",
        "!has(self.words) || self.words.all(w, type(w) == int || w.endsWith('%'))",
    ];
    for rule in rules {
        assert_eq!(failures(&disk(&[rule])), Vec::<String>::new(), "{rule}");
    }
}
