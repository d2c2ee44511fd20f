//! Values whose type the compiler does not know: equality across types, optionals, and messages of Protocol Buffers. The answers are
//! read off cel-go 0.26 and `k8s.io/apiserver` of Kubernetes 1.36.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::crd::CompiledSchema;
use kvrules_apiserver::definition::review_definition;
use kvrules_apiserver::server::ServerFeatures;
use serde_json::{Value as Json, json};

fn schema(rule: &str) -> Json {
    let text = json!({"type": "string"});
    json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}], "properties": {
        "i": {"type": "integer"},
        "l": {"type": "array", "items": {"type": "integer"}},
        "none": {"type": "array", "items": {"type": "integer"}},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        "empty": {"type": "object", "additionalProperties": {"type": "integer"}},
        "o": {"type": "object", "properties": {"a": {"type": "integer"}, "z": text}},
        "n": {"type": "object", "properties": {"a": {"type": "integer", "nullable": true}, "z": text}},
        "u": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "integer"}}},
        "s": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
    }})
}

fn answer_on(rule: &str, server: &str) -> String {
    let object = json!({
        "i": 5, "l": [1, 2], "none": [], "m": {"a": 1}, "empty": {}, "o": {"a": 1}, "n": {"a": null}, "u": {"a": 1, "q": 2},
        "s": ["a"],
    });
    let server = ServerFeatures::of_version(server.parse().unwrap());
    let report = CompiledSchema::new(&schema(rule)).on_server(server).validate_object(&object, None);
    match report.errors.first().map(|error| error.detail.as_str()) {
        None => "holds".to_owned(),
        Some(detail) if detail.starts_with("failed rule") => "fails".to_owned(),
        Some(detail) => {
            detail.split([':', '(']).next().unwrap().trim_end_matches(" evaluating rule").to_owned()
        }
    }
}

fn hold(answers: &[(&str, &str)]) {
    for (rule, expected) in answers {
        assert_eq!(answer_on(rule, "1.36"), *expected, "{rule}");
    }
}

const NO_OVERLOAD: &str = "'no such overload'";

#[test]
fn what_a_schema_describes_compares_only_with_its_like() {
    for value in ["o", "l", "m", "s", "n", "u"] {
        for other in ["3", "'a'", "true", "1.5", "duration('1s')"] {
            let of = |rule: String| answer_on(&rule, "1.36");
            assert_eq!(of(format!("dyn(self.{value}) == {other}")), NO_OVERLOAD, "{value} {other}");
            assert_eq!(of(format!("!(dyn(self.{value}) == {other})")), NO_OVERLOAD, "{value} {other}");
            // The other way round and as `!=` it is an answer.
            assert_eq!(of(format!("dyn({other}) == self.{value}")), "fails", "{value} {other}");
            assert_eq!(of(format!("dyn(self.{value}) != {other}")), "holds", "{value} {other}");
            assert_eq!(of(format!("dyn({other}) != self.{value}")), "holds", "{value} {other}");
        }
        hold(&[
            (&format!("dyn(self.{value}) != null"), "holds"),
            (&format!("dyn(self.{value}) == null"), "fails"),
            (&format!("null == dyn(self.{value})"), "fails"),
        ]);
    }
    for value in ["quantity('1')", "url('http://a.b')", "ip('::1')", "cidr('::/1')", "semver('1.0.0')"] {
        hold(&[
            (&format!("dyn({value}) == 3"), NO_OVERLOAD),
            (&format!("dyn(3) == {value}"), "fails"),
            (&format!("dyn({value}) != 3"), "holds"),
            (&format!("dyn({value}) == {value}"), "holds"),
        ]);
    }
    hold(&[("dyn(self.i) == 'a'", "fails"), ("dyn([1]) == 3", "fails"), ("dyn({'a': 1}) == 3", "fails")]);
}

#[test]
fn inside_of_literals_what_cannot_be_compared_counts_as_equal() {
    hold(&[
        ("[dyn(self.o)] == [dyn(3)]", "holds"),
        ("{'a': dyn(self.l)} == {'a': dyn('x')}", "holds"),
        ("[dyn(3)] == [dyn(self.o)]", "fails"),
        ("([dyn(self.o)] + [dyn(1)]) == [dyn(3), dyn(1)]", NO_OVERLOAD),
        ("([dyn(self.o)] + [dyn(1)]) == [dyn(3), dyn(2)]", "fails"),
        ("[dyn(self.o)].indexOf(dyn(3)) == -1", "holds"),
    ]);
}

#[test]
fn membership_asks_the_element_of_a_declared_list_and_otherwise_the_item() {
    hold(&[
        ("dyn(self.o) in [dyn(3)]", "fails"),
        ("dyn(3) in [dyn(self.o)]", "fails"),
        ("dyn(self.o) in [dyn({'a': 1})]", "holds"),
        ("dyn({'a': 1}) in [dyn(self.o)]", "holds"),
        ("'a' in dyn(self.o)", "holds"),
        ("'z' in dyn(self.o)", "fails"),
        ("dyn(1) in dyn(self.o)", NO_OVERLOAD),
        ("dyn(1) in dyn(self.m)", NO_OVERLOAD),
        ("dyn(1) in {'a': 1}", "fails"),
        ("sets.contains([dyn(self.o)], [dyn({'a': 1})])", "holds"),
        ("sets.intersects([dyn(3)], [dyn(self.o)])", "fails"),
        ("dyn(self.m)[1] == 1", NO_OVERLOAD),
    ]);
}

#[test]
fn an_object_equals_a_map_with_the_same_fields() {
    hold(&[
        ("dyn(self.o) == {'a': 1}", "holds"),
        ("{'a': 1} == dyn(self.o)", "holds"),
        ("dyn(self.o) == dyn(self.m)", "holds"),
        ("dyn(self.m) == dyn(self.o)", "holds"),
        ("dyn(self.o) == {'a': 2}", "fails"),
        ("dyn(self.o) == {'a': 1.0}", "holds"),
        ("dyn(self.o) == {'b': 1}", "fails"),
        ("dyn(self.o) == {'a': 'x'}", "fails"),
        ("dyn(self.m) == {'a': dyn('x')}", "fails"),
        // The field `q` is known to no schema, so that no literal has it.
        ("dyn(self.u) == {'a': 1, 'q': 2}", NO_OVERLOAD),
        ("{'a': 1, 'q': 2} == dyn(self.u)", "fails"),
        // A null is a field for the size and none for the comparison.
        ("dyn(self.n) == {'a': null}", "fails"),
        ("dyn(self.n) == {'z': 'x'}", "holds"),
        ("[[dyn(self.o)]] == [[dyn({'a': 1})]]", "holds"),
        ("type(self.o) == map", "holds"),
        ("type(self.m) == map && type(self.l) == list", "holds"),
    ]);
}

#[test]
fn a_value_that_is_no_optional_passes_or_and_or_value() {
    for rule in [
        "dyn(self.l).orValue([]).size() == 2",
        "dyn(self.i).orValue(0) == 5",
        "dyn(self.l).or(optional.of(dyn([]))) == [1, 2]",
        "dyn(self).i.orValue(1 / 0) == 5",
        "dyn(null).orValue(3) == null",
    ] {
        for server in ["1.29", "1.36"] {
            assert_eq!(answer_on(rule, server), "holds", "{rule}");
        }
        // cel-go 0.28 and later
        assert_eq!(answer_on(rule, "1.37"), NO_OVERLOAD, "{rule}");
    }
    hold(&[
        ("dyn(self.i).hasValue()", "'no such overload"),
        ("dyn(self.i).value() == 5", "'no such overload"),
        ("dyn(self.i / 0).orValue(1) == 1", "division by zero"),
    ]);
}

#[test]
fn a_declared_list_or_map_is_never_a_zero_value() {
    hold(&[
        ("optional.ofNonZeroValue(self.none).hasValue()", "holds"),
        ("optional.ofNonZeroValue(self.empty).hasValue()", "holds"),
        ("optional.ofNonZeroValue([]).hasValue()", "fails"),
        ("optional.ofNonZeroValue({}).hasValue()", "fails"),
        ("optional.ofNonZeroValue('').hasValue()", "fails"),
    ]);
}

#[test]
fn messages_are_values_of_the_types_they_wrap() {
    hold(&[
        ("google.protobuf.Duration{seconds: 1, nanos: 5} == duration('1.000000005s')", "holds"),
        ("google.protobuf.Duration{} == duration('0s')", "holds"),
        ("google.protobuf.Timestamp{seconds: 1} == timestamp('1970-01-01T00:00:01Z')", "holds"),
        ("google.protobuf.Int64Value{value: 3} == 3", "holds"),
        ("google.protobuf.Int32Value{value: 3000000000} == 3", "integer overflow"),
        ("google.protobuf.UInt64Value{value: 3u} == 3u", "holds"),
        ("google.protobuf.StringValue{value: 'a'} + 'b' == 'ab'", "holds"),
        ("google.protobuf.BoolValue{} == false", "holds"),
        ("google.protobuf.BytesValue{value: b'a'} == b'a'", "holds"),
        ("google.protobuf.DoubleValue{value: 1.5} == 1.5", "holds"),
        ("google.protobuf.Struct{fields: {'a': 1}} == {'a': 1}", "holds"),
        ("google.protobuf.ListValue{values: [dyn(1), dyn('a')]} == [dyn(1), dyn('a')]", "holds"),
        ("google.protobuf.Value{string_value: 'a'} == 'a'", "holds"),
        ("google.protobuf.Value{} == null", "holds"),
        ("google.protobuf.Int64Value{?value: optional.none()} == 0", "holds"),
        ("google.protobuf.Int64Value{value: self.i / 0} == 0", "division by zero"),
    ]);
}

#[test]
fn fields_of_messages_are_checked() {
    let errors = |rule: &str| {
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
            {"type": "object", "properties": {"spec": schema(rule)}}}});
        let names = json!({"plural": "ponds", "kind": "Pond", "singular": "pond", "listKind": "PondList"});
        let review = review_definition(
            &json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": "ponds.example.com"},
                "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
            }),
            None,
        );
        review.all_errors().first().map(|error| error.detail.clone()).unwrap_or_default()
    };
    assert_eq!(errors("google.protobuf.Int64Value{value: 3} == 3"), "");
    assert!(
        errors("google.protobuf.Duration{minutes: 1} == duration('1m')")
            .contains("undefined field 'minutes'")
    );
    assert!(
        errors("google.protobuf.Duration{seconds: 'a'} == duration('1m')")
            .contains("expected type of field 'seconds' is 'int' but provided type is 'string'")
    );
    assert!(
        errors("google.protobuf.Int64Value{value: 3} == 'a'").contains("no matching overload for '_==_'")
    );
    assert!(errors("int{value: 3} == 3").contains("is not a message type"));
}
