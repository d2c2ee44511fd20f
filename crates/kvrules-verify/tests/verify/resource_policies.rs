//! Policies with the rules of CustomResourceDefinitions: they answer requests as the server does that evaluates the rules itself.

use std::collections::BTreeMap;

use kvrules_apiserver::definition::{ResourceVersion, WrittenSubresource};
use kvrules_diagnostics::Exactness;
use kvrules_emit::resource_policy::convert_rules;
use kvrules_emit::{Emission, EmitError, Emitter, Request, find_emitter};
use kvrules_verify::{ClaimFinding, Report, verify_resources_with};
use serde_json::{Value, json};

use crate::resource_schemas::real_versions;

fn emit_policies(target: &Emitter, request: &Request<'_>) -> Result<Emission, EmitError> {
    (target.resources.as_ref().unwrap().emit)(request)
}

fn verify(versions: &[ResourceVersion]) -> Report {
    let request = Request { resources: versions, ..Request::for_virtual_machines(&[]) };
    verify_resources_with(&emit_policies, &[find_emitter("admission-policy").unwrap()], &request)
}

/// The faults of a report.
fn faults(report: &Report) -> Vec<String> {
    let of_rules =
        report.targets.iter().flat_map(|target| &target.rules).filter_map(|rule| match &rule.finding {
            ClaimFinding::Fault(fault) => Some(format!("{} {}: {fault:?}", rule.sets[0], rule.rule)),
            _ => None,
        });
    let of_sets = report.targets.iter().flat_map(|target| &target.sets);
    let of_sets = of_sets.filter_map(|set| Some(format!("{}: {:?}", set.set, set.fault.as_ref()?)));
    of_rules.chain(of_sets).collect()
}

/// Every thirty-second version of the recorded definitions; all with `KVRULES_VERIFY_POLICIES=all`.
#[test]
fn policies_of_real_definitions_answer_as_the_server_does() {
    let all = std::env::var("KVRULES_VERIFY_POLICIES").is_ok_and(|value| value == "all");
    let versions: Vec<_> = real_versions().into_iter().filter(|version| version.is_served).collect();
    let step = if all { 1 } else { 32 };
    let versions: Vec<_> = versions.into_iter().step_by(step).collect();
    if versions.is_empty() {
        return;
    }
    let mut results = BTreeMap::<String, usize>::new();
    for version in &versions {
        for entry in convert_rules(version).fidelity.iter().skip(1) {
            let cause = entry.fidelity.cause().unwrap_or_default();
            *results.entry(format!("{} {cause}", entry.fidelity.as_str())).or_default() += 1;
        }
    }
    let report = verify(&versions);
    for (result, count) in &results {
        println!("{count} {result}");
    }
    let found = faults(&report);
    for fault in found.iter().take(60) {
        println!("{}", fault.chars().take(900).collect::<String>());
    }
    for rule in report.targets.iter().flat_map(|target| &target.rules) {
        if let ClaimFinding::Inconclusive(cause) = &rule.finding {
            println!("inconclusive: {} {}: {cause}", rule.sets[0], rule.rule);
        }
    }
    println!(
        "{} versions: {} requests, {:?}",
        versions.len(),
        report.comparisons,
        report.targets[0].count_results()
    );
    assert_eq!(found.len(), 0);
}

fn definition(schema: &Value) -> ResourceVersion {
    let version = json!({"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}}});
    let definition = json!({"metadata": {"name": "ponds.a.io"}, "spec": {"group": "a.io",
        "names": {"kind": "Pond", "plural": "ponds"}, "versions": [version]}});
    ResourceVersion::of_definition(&definition).remove(0)
}

/// A version with rules at the field `spec` of the root.
fn with_rules(spec: &Value, rules: &[&str]) -> ResourceVersion {
    let mut spec = spec.clone();
    let rules: Value = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    spec.as_object_mut().unwrap().insert("x-kubernetes-validations".to_owned(), rules);
    definition(&json!({"type": "object", "properties": {"spec": spec}}))
}

/// A schema with every form of data that a policy sees in another way.
fn spec_of_all_forms() -> Value {
    let text = json!({"type": "string"});
    let entry = json!({"type": "object", "required": ["name"], "properties":
        {"name": text, "n": {"type": "integer"}, "t": {"type": "string", "format": "date-time"}}});
    json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "m": {"type": "integer", "nullable": true}, "d": {"type": "number"}, "e": {"type": "number"},
        "t": {"type": "string", "format": "date-time"}, "u": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"}, "wait": {"type": "string", "format": "duration"},
        "bytes": {"type": "string", "format": "byte"}, "s": {"type": "string", "nullable": true}, "p": text,
        "x-y": {"type": "integer"}, "namespace": text, "in": text, "a__b": text, "either": {"x-kubernetes-int-or-string": true},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
        "list": {"type": "array", "items": text}, "numbers": {"type": "array", "items": {"type": "number"}},
        "times": {"type": "array", "items": {"type": "string", "format": "date-time"}},
        "entries": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": entry},
        "plain": {"type": "array", "items": entry},
        "map": {"type": "object", "additionalProperties": text},
        "o": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "nullable": true}}},
        "maybe": {"type": "object", "nullable": true, "properties": {"a": {"type": "integer"}}},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
    }})
}

#[test]
fn every_form_of_data_is_rewritten_exactly() {
    let rules = [
        "self.x__dash__y > 1",
        "has(self.x__dash__y) || self.__namespace__ == 'a'",
        "!has(self.__in__) || self.__in__ == 'b'",
        "self.a__underscores__b != 'x'",
        "self.?x__dash__y.orValue(3) < 3",
        "has(self.?o.a) || self.n > 1",
        "self.d > 1.5",
        "self.d + 1.5 > 3.0",
        "self.d < self.e",
        "self.d == self.e",
        "string(self.d) == '1'",
        "self.numbers.sum() > 2.0",
        "self.numbers.all(n, n * 2.0 > 1.0)",
        "self.numbers.exists(n, n == self.d)",
        "self.d in self.numbers",
        "2.0 in self.numbers",
        "self.numbers.map(n, n + 1.0).exists(n, n > 2.0)",
        "self.t < self.u",
        "self.t == self.u",
        "self.t.getFullYear() > 2000",
        "self.times.all(t, t > self.t)",
        "self.times == [timestamp('2024-01-01T00:00:00Z')]",
        "self.times == self.times.filter(t, t > self.t)",
        "self.numbers == [1.0, 2.5]",
        "self.t in self.times",
        "self.day < timestamp('2024-06-01T00:00:00Z')",
        "has(self.t) ? self.t < timestamp('2024-06-01T00:00:00Z') : true",
        "self.?t.orValue(timestamp('2024-01-01T00:00:00Z')) < self.u",
        "type(self.either) == int ? self.either > 1 : self.either == 'a'",
        "self.either == 1 || self.either == '1'",
        "has(self.m)",
        "!has(self.m) || self.m > 1",
        "self.m == 1",
        "self.s == 'a'",
        "!(self.s == 'a')",
        "self.s in ['a', 'b']",
        "has(self.maybe) == has(self.m)",
        "!has(self.maybe.a)",
        "has(self.?maybe.a) || self.?maybe.?a.orValue(2) > 1",
        "self.?s.hasValue() || self.n == 1",
        "self.set == ['a', 'b']",
        "self.set != ['b', 'a']",
        "['a', 'b'] == self.set",
        "self.list == ['a', 'b']",
        "'a' in self.set && size(self.set) < 3",
        "self.set.all(a, a in self.list)",
        "self.entries.all(e, e.n > 1)",
        "self.entries.exists(e, e.t > self.t)",
        "self.entries.filter(e, e.n > 1).size() < 2",
        "self.entries.filter(e, has(e.t)).all(e, e.t > self.u)",
        "self.entries.map(e, e.name).exists(n, n == self.p)",
        "self.entries[0].t < self.t",
        "self.plain.exists_one(e, e.name == self.p)",
        "self.map.all(k, self.map[k] != k)",
        "'a' in self.map && self.map['a'] == 'b'",
        "has(self.map.a) || self.map == {'b': 'c'}",
        "self.map.a == 'x'",
        "(has(self.list) ? self.list : []).all(i, i != 'a')",
        "(has(self.entries) ? self.entries : []).all(e, e.n > 0)",
        "self.?entries.orValue([]).all(e, e.n > 0)",
        "self.?t.optMap(v, v > self.u).orValue(true)",
        "self.list.all(object, object != self.p)",
        "self.list.all(i, v, i > 0 || v == self.p)",
        "self.map.all(k, v, v != self.p)",
        "self.embedded.kind == 'Pod'",
        "has(self.embedded.metadata.name)",
        "/* no comment */ self.n > 1".trim_start_matches("/* no comment */ "),
        "self.n > 1 // more\n || self.p == 'a' // end",
        "(self.n) > (1) && !(self.p == ')')",
        "self.o == {}".replace("self.o == {}", "has(self.o) && self.o.a > 1").leak(),
        "[self.n, self.m].all(x, x > 1)",
        "dyn(self.n) == 1",
        "self.list.join(',') == 'a,b'",
        "self.list.indexOf('a') == 0",
    ];
    let version = with_rules(&spec_of_all_forms(), &rules);
    let claims = convert_rules(&version).fidelity;
    for (entry, rule) in claims.iter().skip(1).zip(rules) {
        assert_eq!(entry.fidelity.exactness(), Exactness::Exact, "{rule}: {entry:?}");
    }
    let report = verify(&[version]);
    assert_eq!(faults(&report), [""; 0]);
    let count = report.targets[0].count_results();
    assert_eq!((count.exact, count.inconclusive), (rules.len(), 0), "{report:?}");
}

#[test]
fn what_cannot_be_rewritten_is_unsupported_with_its_reason() {
    let rules = [
        ("self.bytes == b'a'", "the rule reads a value of the format `byte`"),
        ("self.set + ['a'] == ['a']", "the rule adds to a list of the type `set`"),
        ("self.plain == self.plain", "the rule compares lists whose items"),
        ("self.embedded == self.embedded", "the rule compares fields that the schema does not describe"),
        ("[self.o].all(x, has(x.b))", "the rule passes on a whole value"),
    ];
    let version = with_rules(&spec_of_all_forms(), &rules.map(|(rule, _)| rule));
    let claims = convert_rules(&version).fidelity;
    for (entry, (rule, cause)) in claims.iter().skip(1).zip(rules) {
        let own = entry.fidelity.cause().unwrap_or_default();
        assert!(
            entry.fidelity.exactness() == Exactness::Unsupported && own.starts_with(cause),
            "{rule}: {entry:?}"
        );
    }
    assert_eq!(faults(&verify(&[version])), [""; 0]);
}

/// Rules about the stored object, which run on updates only.
#[test]
fn transition_rules_are_rewritten_exactly() {
    let rules = [
        "self.n >= oldSelf.n",
        "self == oldSelf",
        "self.set == oldSelf.set",
        "self.entries == oldSelf.entries",
        "self.o == oldSelf.o",
        "self.o != oldSelf.o || self.n == oldSelf.n",
        "self.map == oldSelf.map",
        "self.list == oldSelf.list",
        "!has(oldSelf.s) || has(self.s) && self.s == oldSelf.s",
        "oldSelf.set.all(a, a in self.set)",
        "self.t >= oldSelf.t",
        "oldSelf.entries.all(o, self.entries.exists(e, e.name == o.name && e.n >= o.n))",
        "self.d >= oldSelf.d",
        "has(self.maybe) || !has(oldSelf.maybe)",
        "self.maybe == oldSelf.maybe",
        "self.plain.size() >= oldSelf.plain.size()",
    ];
    let mut spec = spec_of_all_forms();
    for hidden in ["bytes", "embedded", "times", "wait", "plain"] {
        spec["properties"].as_object_mut().unwrap().shift_remove(hidden);
    }
    spec["properties"]["plain"] = json!({"type": "array", "items": {"type": "string"}});
    let version = with_rules(&spec, &rules);
    let claims = convert_rules(&version).fidelity;
    for (entry, rule) in claims.iter().skip(1).zip(rules) {
        assert_eq!(entry.fidelity.exactness(), Exactness::Exact, "{rule}: {entry:?}");
    }
    let report = verify(&[version]);
    assert_eq!(faults(&report), [""; 0]);
    assert_eq!(report.targets[0].count_results().inconclusive, 0);
}

/// The places of rules: in lists, maps, lists with keys, below nulls; without and with the stored value.
#[test]
fn rules_at_every_kind_of_place_are_rewritten_exactly() {
    let rules = json!([{"rule": "self > 2", "message": "too small"}]);
    let transitions = json!([{"rule": "self > 2"}, {"rule": "self >= oldSelf"},
        {"rule": "!oldSelf.hasValue() || self >= oldSelf.value()", "optionalOldSelf": true}]);
    let number = |rules: &Value, is_nullable: bool| json!({"type": "integer", "nullable": is_nullable, "x-kubernetes-validations": rules});
    let object = |field: Value| json!({"type": "object", "nullable": true, "properties": {"x-y": field}});
    let keyed = |field: Value| {
        json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"], "items":
            {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
                "port": {"type": "integer", "default": 80}, "in": field}}})
    };
    for is_nullable in [false, true] {
        let (plain, changed) = (number(&rules, is_nullable), number(&transitions, is_nullable));
        let places = [
            changed.clone(),
            object(changed.clone()),
            object(object(changed.clone())),
            json!({"type": "array", "items": plain}),
            json!({"type": "array", "nullable": true, "items": object(plain.clone())}),
            json!({"type": "object", "additionalProperties": changed}),
            json!({"type": "object", "additionalProperties": object(changed.clone())}),
            json!({"type": "object", "additionalProperties": {"type": "array", "items": plain}}),
            keyed(changed.clone()),
            keyed(object(changed.clone())),
            keyed(keyed(changed.clone())),
            keyed(json!({"type": "array", "items": plain})),
            json!({"type": "array", "items": keyed(plain)}),
        ];
        for place in places {
            let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"items": place}}}});
            let report = verify(&[definition(&schema)]);
            assert_eq!(faults(&report), [""; 0], "{place}");
            let count = report.targets[0].count_results();
            assert_eq!((count.unsupported, count.inconclusive), (1, 0), "{place} {report:?}");
        }
    }
}

/// A rule about a whole value, whose unchanged form is excused: with keyed lists, unknown fields and nulls below.
#[test]
fn unchanged_values_are_excused_as_the_server_does() {
    let entry = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["p"], "items":
            {"type": "object", "required": ["p"], "properties": {"p": {"type": "integer"}, "q": {"type": "string"}}}}}});
    let list = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": entry});
    let unknown = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "integer"}}});
    for below in [
        json!({"entries": list}),
        json!({"entries": list, "x-y": {"type": "string", "nullable": true}}),
        json!({"u": unknown}),
        json!({"m": {"type": "object", "additionalProperties": list}}),
        json!({"u": {"x-kubernetes-preserve-unknown-fields": true}}),
        json!({"o": {"type": "object", "nullable": true, "properties": {"entries": list}}, "n": {"type": "integer"}}),
        json!({"e": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}),
        json!({"set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}),
    ] {
        let mut properties = below.clone();
        properties["count"] = json!({"type": "integer"});
        let spec = json!({"type": "object", "properties": properties});
        let report = verify(&[with_rules(&spec, &["has(self.count) && self.count > 1"])]);
        assert_eq!(faults(&report), [""; 0], "{below}");
        assert_eq!(report.targets[0].count_results().exact, 1, "{below}");
    }
}

/// A request for the scale of an object is not shown to the policy, and a duration may be written in words.
#[test]
fn departures_are_shown_by_requests() {
    // A server rejects a scale that adds a `spec` without the required fields.
    let spec = json!({"type": "object", "required": ["most", "wait"], "properties": {"replicas": {"type": "integer"},
        "most": {"type": "integer"}, "wait": {"type": "string", "format": "duration"}}});
    let version =
        with_rules(&spec, &["self.replicas <= self.most", "self.wait < duration('1h')", "self.most > 1"]);
    let scale = WrittenSubresource {
        name: "scale".to_owned(),
        fields: vec!["spec.replicas".to_owned()],
        shows_object: false,
        is_evaluated: false,
    };
    let version = ResourceVersion { subresources: vec![scale], ..version };
    let claims: Vec<_> =
        convert_rules(&version).fidelity.iter().map(|entry| entry.fidelity.as_str()).collect();
    assert_eq!(claims, ["unsupported", "wider", "narrower", "exact"]);
    let report = verify(&[version]);
    assert_eq!(faults(&report), [""; 0]);
    assert_eq!(report.targets[0].count_results().as_claimed, 2, "{report:?}");
}

/// A comparison that could not fail would prove nothing: policies with one part changed are found out.
#[test]
fn changed_policies_are_found_out() {
    let entry = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
        "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}, {"rule": "self >= oldSelf"}]}}});
    let spec = json!({"type": "object", "properties": {"m": {"type": "string", "nullable": true}, "d": {"type": "number"},
        "t": {"type": "string", "format": "date-time"}, "a": {"type": "integer"}, "b": {"type": "integer"},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "entries": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": entry}}});
    let rules = [
        "!has(self.m) || self.m.startsWith('a')",
        "!has(self.d) || self.d + 1.0 > 2.0",
        "self.a < self.b",
        "self.set == oldSelf.set",
        "!has(self.t) || self.t < timestamp('2024-06-01T00:00:00Z')",
    ];
    let versions = [with_rules(&spec, &rules)];
    let request = Request { resources: &versions, ..Request::for_virtual_machines(&[]) };
    let targets = [find_emitter("admission-policy").unwrap()];
    assert_eq!(faults(&verify(&versions)), [""; 0]);
    for (from, to) in [
        ("!has(object.spec) ||", "object.spec == null ||"),
        ("object.spec.a < object.spec.b", "object.spec.b < object.spec.a"),
        ("object.spec.m != null", "true"),
        ("double(object.spec.d)", "object.spec.d"),
        ("timestamp(object.spec.t)", "object.spec.t"),
        ("? true\n        : ", "? true\n        : !true && "),
        ("!has(oldObject.spec) ||", ""),
        ("size(object.spec.set) == size(oldObject.spec.set)", "true"),
        ("old.name != entry.name ||", ""),
        ("item in object.spec.set", "true"),
        ("matchPolicy: Exact", "matchPolicy: Equivalent"),
        ("- UPDATE", "- DELETE"),
        ("- ponds/status", "- ponds/scale"),
        ("!has(entry.n) ||", ""),
    ] {
        let broken = |target: &Emitter, request: &Request<'_>| {
            let mut emission = emit_policies(target, request)?;
            for file in &mut emission.files {
                file.text = file.text.replace(from, to);
            }
            Ok(emission)
        };
        let text = emit_policies(targets[0], &request).unwrap().files.remove(0).text;
        assert!(text.contains(from), "{from}: {text}");
        assert!(!verify_resources_with(&broken, &targets, &request).all_claims_hold(), "{from} {to}");
    }
}
