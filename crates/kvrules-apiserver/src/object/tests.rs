//! Tests of admission; each answer is read off the server's source.

use serde_json::{Value as Json, json};

use super::*;

fn of_root(root: &Json) -> ObjectSchema {
    ObjectSchema::new(root)
}

fn object(spec: &Json) -> Json {
    json!({"apiVersion": "a.b/v1", "kind": "A", "metadata": {"name": "a"}, "spec": spec})
}

fn fields(answer: &Admission) -> Vec<&str> {
    answer.errors.iter().map(|error| error.field.as_str()).collect()
}

fn texts(answer: &Admission) -> Vec<String> {
    answer.errors.iter().map(Failure::to_message).collect()
}

#[test]
fn an_update_excuses_what_the_server_excuses() {
    let rows: Vec<Json> =
        include_str!("tests/updates.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() >= 40, "{}", rows.len());
    for row in rows {
        let mut spec = row["spec"].clone();
        spec["type"] = "object".into();
        let schema = of_root(&json!({"type": "object", "properties": {"spec": spec}}));
        let answer = schema.admit_object(&object(&row["new"]), Some(&object(&row["old"])));
        let expected: Vec<&str> = row["errors"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
        assert_eq!(fields(&answer), expected, "{}: {:?}", row["why"], texts(&answer));
        assert_eq!(answer.warnings.len() as u64, row["warnings"].as_u64().unwrap(), "{}", row["why"]);
        // A creation is rejected for the errors that an update excuses, except those of transition rules, which
        // only run on updates.
        let is_refused = !schema.admit_object(&object(&row["new"]), None).is_accepted();
        assert!(is_refused || row["spec"].to_string().contains("oldSelf"), "{}", row["why"]);
    }
}

#[test]
fn nothing_at_the_root_is_ever_excused() {
    let rule = json!([{"rule": "has(self.spec.b)"}]);
    let spec = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    let roots = [
        json!({"type": "object", "properties": {"spec": spec}, "x-kubernetes-validations": rule}),
        json!({"type": "object", "properties": {"spec": spec, "metadata": {"type": "object"}}, "x-kubernetes-validations": rule}),
        json!({"type": "object", "properties": {
            "spec": spec, "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
        }, "x-kubernetes-validations": rule}),
    ];
    for root in roots {
        let answer = of_root(&root).admit_object(&object(&json!({})), Some(&object(&json!({}))));
        assert_eq!(texts(&answer), ["<nil>: Invalid value: failed rule: has(self.spec.b)"]);
    }
    let root = json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}});
    let answer = of_root(&root).admit_object(&object(&json!({})), Some(&object(&json!({}))));
    assert_eq!(fields(&answer), ["b"]);
}

#[test]
fn rules_and_keywords_of_kind_and_api_version_apply() {
    let kind = |keywords: Json| json!({"type": "object", "properties": {"kind": keywords}});
    let rule = kind(json!({"type": "string", "x-kubernetes-validations": [{"rule": "self == 'x'"}]}));
    let listed = kind(json!({"type": "string", "enum": ["x"]}));
    let version = json!({"type": "object", "properties": {"apiVersion": {
        "type": "string", "maxLength": 3, "x-kubernetes-validations": [{"rule": "self.startsWith('x')"}],
    }}});
    let sent = object(&json!({}));
    for old in [None, Some(&sent)] {
        assert_eq!(
            texts(&of_root(&rule).admit_object(&sent, old)),
            ["kind: Invalid value: \"A\": failed rule: self == 'x'"]
        );
        assert_eq!(
            texts(&of_root(&listed).admit_object(&sent, old)),
            ["kind: Unsupported value: \"A\": supported values: \"x\""]
        );
        let reported = texts(&of_root(&version).admit_object(&sent, old));
        assert_eq!(
            reported.first().map(String::as_str),
            Some("apiVersion: Too long: may not be more than 3 bytes")
        );
    }
}

#[test]
fn keywords_of_the_name_apply() {
    let root = json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {
        "name": {"type": "string", "pattern": "^b"}, "generateName": {"type": "string", "enum": ["b-"]},
    }}}});
    let answer = of_root(&root).admit_object(&object(&json!({})), None);
    assert_eq!(
        texts(&answer),
        ["metadata.name: Invalid value: \"a\": metadata.name in body should match '^b'"]
    );
    let generated = json!({"metadata": {"generateName": "b-"}});
    assert!(of_root(&root).admit_object(&generated, None).is_accepted());
    let generated = json!({"metadata": {"generateName": "c-"}});
    assert_eq!(
        fields(&of_root(&root).admit_object(&generated, None)),
        ["metadata.generateName", "metadata.name"]
    );
}

#[test]
fn labels_that_are_no_strings_cannot_be_read() {
    let sent = json!({"metadata": {"name": "a", "labels": {"a": 1}}, "spec": {}});
    let answer = of_root(&json!({"type": "object"})).admit_object(&sent, None);
    let detail = "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string";
    assert_eq!(
        (answer.errors.len(), answer.errors[0].reason.as_str(), answer.errors[0].detail.as_str()),
        (1, "BadRequest", detail)
    );
}

#[test]
fn unknown_fields_of_metadata_are_warned_of() {
    let sent = json!({"metadata": {"name": "a", "nmae": 1, "ownerReferences": [
        {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "1", "x": 1},
    ]}});
    let answer = of_root(&json!({"type": "object"})).admit_object(&sent, None);
    assert_eq!(
        answer.warnings,
        ["unknown field \"metadata.nmae\"", "unknown field \"metadata.ownerReferences[0].x\""]
    );
    assert_eq!(answer.stored["metadata"].get("nmae"), None);
}

#[test]
fn a_resource_within_is_judged_with_its_metadata() {
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let schema = of_root(&json!({"type": "object", "properties": {"r": resource}}));
    let requested = |metadata: Json| {
        let sent =
            json!({"metadata": {"name": "a"}, "r": {"apiVersion": "v1", "kind": "A", "metadata": metadata}});
        texts(&schema.admit_object(&sent, None))
    };
    assert_eq!(requested(json!({"generateName": "x", "namespace": "a"})), [""; 0]);
    assert_eq!(
        requested(json!({"name": "a/b"})),
        ["r.metadata.name: Invalid value: \"a/b\": may not contain '/'"]
    );
    assert!(
        requested(json!({"namespace": "A"}))[0].starts_with("r.metadata.namespace: Invalid value: \"A\"")
    );
    assert!(
        requested(json!({"labels": {"a": "b c"}}))[0]
            .starts_with("r.metadata.labels: Invalid value: \"b c\"")
    );
    assert!(requested(json!({"finalizers": ["a b"]}))[0].starts_with("r.metadata.finalizers"));
    assert!(requested(json!({"annotations": {"a": 1}}))[0].starts_with(
        "r.metadata: Invalid value: {\"annotations\":{\"a\":1}}: json: cannot unmarshal number"
    ));
    let sent = json!({"metadata": {"name": "a"}, "r": {"apiVersion": 1, "kind": "A"}});
    assert_eq!(
        texts(&schema.admit_object(&sent, None)),
        ["r.apiVersion: Invalid value: 1: must be a string"]
    );
}

#[test]
fn a_resource_within_says_what_it_is() {
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let schema = of_root(&json!({"type": "object", "properties": {"r": resource}}));
    let cases = [
        (json!({"apiVersion": "v1", "kind": "A"}), vec![]),
        (json!({}), vec!["r.apiVersion: Required value", "r.kind: Required value"]),
        (
            json!({"apiVersion": "", "kind": "A"}),
            vec!["r.apiVersion: Invalid value: \"\": must not be empty"],
        ),
        (json!({"apiVersion": "v1", "kind": ""}), vec!["r.kind: Invalid value: \"\": must not be empty"]),
        (json!({"apiVersion": "v1", "kind": 1}), vec!["r.kind: Invalid value: 1: must be a string"]),
        (
            json!({"apiVersion": "a/b/c", "kind": "1A"}),
            vec![
                "r.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
                "r.kind: Invalid value: \"1A\": may have mixed case, but should otherwise match: a DNS-1035 label",
            ],
        ),
    ];
    for (resource, expected) in cases {
        let found = texts(&schema.admit_object(&json!({"metadata": {"name": "a"}, "r": resource}), None));
        assert_eq!(found.len(), expected.len(), "{resource}: {found:?}");
        assert!(found.iter().zip(&expected).all(|(found, wanted)| found.starts_with(wanted)), "{found:?}");
    }
}

/// Costs the square of the size of the list.
const SQUARE: &str = "self.l.all(x, self.l.all(y, x == y || true))";

#[test]
fn rules_that_run_out_of_their_budgets_end_the_evaluation() {
    let requested = |size: usize, rules: Json| {
        let list = json!({"type": "array", "items": {"type": "integer"}});
        let root = json!({"type": "object", "properties": {"spec": {
            "type": "object", "properties": {"l": list}, "x-kubernetes-validations": rules,
        }}});
        texts(&of_root(&root).admit_object(&object(&json!({"l": vec![1; size]})), None))
    };
    let rule = |rule: &str| json!({"rule": rule});
    let last = rule("false");
    // One evaluation may cost 1,000,000, and what follows it is not evaluated.
    let too_much = "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost \
                    exceeds limit for rule: ";
    let found = requested(600, json!([rule(SQUARE), last]));
    assert_eq!(found, [format!("spec: Invalid value: \"object\": {too_much}{SQUARE}")]);
    let reported = json!({"rule": "false", "messageExpression": format!("string({SQUARE})")});
    let found = requested(600, json!([reported, last]));
    let words =
        "no further validation rules will be run due to call cost exceeds limit for messageExpression: ";
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(&format!("spec: Invalid value: \"object\": {words}")), "{found:?}");
    // All together may cost 10,000,000.
    let mut rules = vec![rule(SQUARE); 40];
    rules.push(last.clone());
    let out = "running out of cost budget, no further validation rules will be run";
    let found = requested(300, rules.into());
    assert_eq!(found, [format!("spec: Invalid value: \"object\": validation failed due to {out}")]);
    let spent = CompiledSchema::new(&json!({
        "type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}},
        "x-kubernetes-validations": [rule(SQUARE)],
    }));
    let each = spent.validate_object(&json!({"l": vec![1; 300]}), None).cost;
    let mut rules = vec![rule(SQUARE); usize::try_from(10_000_000 / each).unwrap()];
    rules.extend([reported, last]);
    let found = requested(300, rules.into());
    assert_eq!(
        found,
        [format!("spec: Invalid value: \"object\": messageExpression evaluation failed due to {out}")]
    );
}

#[test]
fn what_scaling_reads_must_be_what_it_expects() {
    let number = json!({"x-kubernetes-preserve-unknown-fields": true});
    let fields = json!({"type": "object", "properties": {"replicas": number, "selector": number}});
    let version = json!({
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": fields, "status": fields}}},
        "subresources": {"scale": {
            "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector",
        }},
    });
    let schema = ObjectSchema::of_version(&json!({"spec": {"scope": "Cluster"}}), &version).unwrap();
    let spec = |replicas: Json| json!({"metadata": {"name": "a"}, "spec": {"replicas": replicas}});
    let status = |status: Json| json!({"metadata": {"name": "a"}, "status": status});
    let cases = [
        (spec(json!(0)), ""),
        (spec(json!(2_147_483_647)), ""),
        (spec(json!(-1)), ".spec.replicas: Invalid value: -1: should be a non-negative integer"),
        (
            spec(json!(2_147_483_648_i64)),
            ".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
        ),
        (
            spec(json!(1.0)),
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1 is of the type float64, expected int64",
        ),
        (
            spec(json!("1")),
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1 is of the type string, expected int64",
        ),
        (
            spec(json!({"a": [1, true]})),
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: map[a:[1 true]] is of the type map[string]interface {}, expected int64",
        ),
        (json!({"metadata": {"name": "a"}}), ""),
        (
            status(json!({"replicas": -2})),
            ".status.replicas: Invalid value: -2: should be a non-negative integer",
        ),
        (status(json!({"selector": "a=b"})), ""),
        (
            status(json!({"selector": 1})),
            ".status.selector: Invalid value: \"\": .status.selector accessor error: 1 is of the type int64, expected string",
        ),
    ];
    for (sent, expected) in cases {
        for old in [None, Some(&sent)] {
            assert_eq!(texts(&schema.admit_object(&sent, old)).join("; "), expected, "{sent}");
        }
    }
    let version = json!({
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": fields, "status": fields}}},
        "subresources": {"status": {}, "scale": version["subresources"]["scale"]},
    });
    let schema = ObjectSchema::of_version(&json!({}), &version).unwrap();
    // A create drops the status. A write to the status keeps the other fields, and only the status is validated.
    assert!(schema.admit_object(&status(json!({"replicas": -2})), None).is_accepted());
    let answer = schema.admit_status(&status(json!({"replicas": -2})), &spec(json!(-1)));
    assert_eq!(texts(&answer), [".status.replicas: Invalid value: -2: should be a non-negative integer"]);
}

#[test]
fn a_path_through_a_scalar_is_an_error_of_scaling() {
    let version = json!({
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "string"}}}},
        "subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
    });
    let schema = ObjectSchema::of_version(&json!({}), &version).unwrap();
    let answer = schema.admit_object(&json!({"metadata": {"name": "a"}, "spec": "x"}), None);
    // The path of the error is that of the step that fails.
    assert_eq!(
        texts(&answer),
        [
            ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}"
        ]
    );
}

#[test]
fn an_error_of_a_rule_shows_the_type_and_a_false_rule_the_value() {
    let rules = |rule: &str| json!([{"rule": rule}]);
    let properties = json!({"o": {"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": rules("self.a > 1")},
        "s": {"type": "string", "x-kubernetes-validations": rules("int(self) > 1")},
        "n": {"type": "number", "x-kubernetes-validations": rules("self > 1.0")},
        "l": {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "x-kubernetes-validations": rules("self.size() > 1")},
        "t": {"type": "string", "x-kubernetes-validations": rules("self.size() > 9")}});
    let schema = of_root(&json!({"type": "object", "properties": properties}));
    let sent =
        json!({"metadata": {"name": "a"}, "o": {}, "s": "x", "n": 0.0, "l": [], "t": "\u{0}\u{feff}\n"});
    assert_eq!(
        texts(&schema.admit_object(&sent, None)),
        [
            "l: Invalid value: failed rule: self.size() > 1",
            "n: Invalid value: 0: failed rule: self > 1.0",
            "o: Invalid value: \"object\": no such key: a evaluating rule: self.a > 1",
            "s: Invalid value: \"string\": type conversion error from 'string' to 'int' evaluating rule: int(self) > 1",
            "t: Invalid value: \"\\x00\\ufeff\\n\": failed rule: self.size() > 9",
        ]
    );
}

#[test]
fn a_null_within_a_default_stays_and_is_refused() {
    let took =
        |schema: Json| json!({"type": "object", "default": {"took": null}, "properties": {"took": schema}});
    let refused =
        [json!({"x-kubernetes-int-or-string": true}), json!({"type": "string"}), json!({"type": "object"})];
    for schema in refused {
        let schema = of_root(&json!({"type": "object", "properties": {"spec": took(schema)}}));
        let answer = schema.admit_object(&json!({"metadata": {"name": "a"}}), None);
        assert_eq!(fields(&answer), ["spec.took"], "{:?}", texts(&answer));
        // A null that is sent is dropped.
        assert!(
            schema
                .admit_object(&json!({"metadata": {"name": "a"}, "spec": {"took": null}}), None)
                .is_accepted()
        );
    }
    let nullable = of_root(
        &json!({"type": "object", "properties": {"spec": took(json!({"type": "string", "nullable": true}))}}),
    );
    assert!(nullable.admit_object(&json!({"metadata": {"name": "a"}}), None).is_accepted());
}

#[test]
fn integers_beyond_64_bits_are_floats() {
    let schema = |ty: &str| of_root(&json!({"type": "object", "properties": {"v": {"type": ty}}}));
    for large in ["18446744073709551615", "9223372036854775808", "-9223372036854775809", "1e30"] {
        let sent: Json =
            serde_json::from_str(&format!(r#"{{"metadata": {{"name": "a"}}, "v": {large}}}"#)).unwrap();
        assert!(schema("number").admit_object(&sent, None).is_accepted(), "{large}");
        assert!(fields(&schema("integer").admit_object(&sent, None)).contains(&"v"), "{large}");
    }
    let sent: Json =
        serde_json::from_str(r#"{"metadata": {"name": "a"}, "v": 9223372036854775807}"#).unwrap();
    assert!(schema("integer").admit_object(&sent, None).is_accepted());
}

/// `kubeOpenAPIResultToFieldErrors`: the path of the status is put before the fields, while the words are of a schema whose root is
/// the status (`ValidateStatusUpdate`, `statusSchemaValidator`).
#[test]
fn words_of_a_written_status_begin_at_the_status() {
    let text = json!({"type": "string", "maxLength": 2, "pattern": "^a"});
    let fields = json!({
        "conditions": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["x"]}},
        "seen": {"type": "integer", "minimum": 1},
        "name": text,
        "either": {"anyOf": [{"type": "string", "format": "ipv4"}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "kind": {"type": "string", "enum": ["K"]},
    });
    let status = json!({"type": "object", "required": ["seen"], "properties": fields, "maxProperties": 3});
    let schema = json!({"type": "object", "properties": {"status": status}});
    let schema = ObjectSchema::new(&schema).with_status(true).without_metadata_checks();
    let write = |status: Json| texts(&schema.admit_status(&json!({"status": status}), &json!({}))).join("; ");
    let conditions = "conditions in body should have at least 1 items";
    let cases = [
        (
            json!({"seen": 0}),
            "status.seen: Invalid value: 0: seen in body should be greater than or equal to 1",
        ),
        (
            json!({"seen": "a"}),
            "status.seen: Invalid value: \"string\": seen in body must be of type integer: \"string\"",
        ),
        (json!({}), "status.seen: Required value"),
        (
            json!({"seen": 1, "conditions": []}),
            &format!("status.conditions: Invalid value: 0: {conditions}") as &str,
        ),
        (
            json!({"seen": 1, "conditions": ["y"]}),
            "status.conditions[0]: Unsupported value: \"y\": supported values: \"x\"",
        ),
        (
            json!({"seen": 1, "name": "b"}),
            "status.name: Invalid value: \"b\": name in body should match '^a'",
        ),
        (json!({"seen": 1, "name": "abc"}), "status.name: Too long: may not be more than 2 bytes"),
        (
            json!({"seen": 1, "map": {"q": "z"}}),
            "status.map.q: Invalid value: \"string\": map.q in body must be of type integer: \"string\"",
        ),
        (
            json!({"seen": 1, "either": "z"}),
            "status.either: Invalid value: \"z\": either in body must be of type ipv4: \"z\"; \
             status: Invalid value: \"\": \"either\" must validate at least one schema (anyOf)",
        ),
        (json!("z"), "status: Invalid value: \"string\":  in body must be of type object: \"string\""),
        (
            json!({"seen": 1, "name": "a", "map": {}, "conditions": ["x"]}),
            "status: Too many: 4: must have at most 3 items",
        ),
    ];
    for (status, expected) in cases {
        let mut expected: Vec<_> = expected.split("; ").collect();
        let found = write(status.clone());
        let mut found: Vec<_> = found.split("; ").collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{status}");
    }
    // Below `status`, `kind` is an ordinary field, so its error is excused if the update does not change it.
    let stored = json!({"status": {"seen": 1, "kind": "L"}});
    let kept = json!({"status": {"seen": 2, "kind": "L"}});
    assert!(schema.admit_status(&kept, &stored).is_accepted());
}

/// apiextensions customresource/status_strategy.go passes the option for ratcheting from 1.33 on; strategy.go from 1.30 on.
#[test]
fn servers_before_1_33_excuse_nothing_that_a_write_to_the_status_leaves_as_it_is() {
    let phase = json!({"type": "string", "enum": ["ok"]});
    let part = json!({"type": "object", "properties": {"n": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.n < 3", "message": "n is too large"}]});
    let fields = json!({"phase": phase, "part": part, "count": {"type": "integer"}});
    let inner = json!({"type": "object", "properties": fields});
    let root = json!({"type": "object", "properties": {"spec": inner, "status": inner}});
    let on = |minor: &str, with: &str, stored: Json, written: Json| {
        let server = ServerFeatures::of_version(minor.parse().unwrap());
        let schema = of_root(&root).with_status(true).without_metadata_checks().on_server(server);
        let (stored, written) = (json!({with: stored}), json!({with: written}));
        let answer = match with {
            "status" => schema.admit_status(&written, &stored),
            _ => schema.admit_object(&written, Some(&stored)),
        };
        answer.is_accepted()
    };
    let unchanged = [
        (json!({"phase": "old", "count": 1}), json!({"phase": "old", "count": 2})),
        (json!({"part": {"n": 4}, "count": 1}), json!({"part": {"n": 4}, "count": 2})),
    ];
    for (stored, written) in unchanged {
        let accepted = |with: &str| {
            ["1.29", "1.30", "1.32", "1.33", "1.36"]
                .map(|minor| on(minor, with, stored.clone(), written.clone()))
        };
        assert_eq!(accepted("status"), [false, false, false, true, true], "{written}");
        assert_eq!(accepted("spec"), [false, true, true, true, true], "{written}");
    }
}

/// kube-openapi pkg/validation/errors, ExceedsMaximum and ExceedsMinimum print a float64 with `%v`, and a bound that is compared as an
/// int64 as an integer.
#[test]
fn floats_from_a_million_on_have_an_exponent_in_errors() {
    let field = json!({"type": "number", "minimum": -2e6, "maximum": 1_500_000});
    let rule = json!([{"rule": "self.f <= 2.0", "message": "too much"}]);
    let rules =
        json!({"type": "object", "properties": {"f": {"type": "number"}}, "x-kubernetes-validations": rule});
    let schema = json!({"type": "object", "properties": {"n": field, "r": rules}});
    let schema = of_root(&schema).without_metadata_checks();
    let cases = [
        (
            json!({"n": 2_000_000.5}),
            "n: Invalid value: 2.0000005e+06: n in body should be less than or equal to 1.5e+06",
        ),
        (json!({"n": -1e7}), "n: Invalid value: -1e+07: n in body should be greater than or equal to -2e+06"),
        (
            json!({"n": 2_000_000}),
            "n: Invalid value: 2000000: n in body should be less than or equal to 1500000",
        ),
        (json!({"n": 1e21}), "n: Invalid value: 1e+21: n in body should be less than or equal to 1.5e+06"),
        (json!({"r": {"f": 1_234_567.5}}), "r: Invalid value: too much"),
    ];
    for (object, expected) in cases {
        assert_eq!(texts(&schema.admit_object(&object, None)), [expected], "{object}");
    }
}
