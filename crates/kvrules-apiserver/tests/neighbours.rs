//! Classes of differences from the server about rules of schemas that were found once, each with neighbours; answers are from
//! the sources of cel-go and of Kubernetes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_apiserver::cost::{RuleSite, measure_node, review_schema};
use kvrules_apiserver::crd::CompiledSchema;
use kvrules_apiserver::policy::acceptance::review_policy;
use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression, instantiation_problem};
use kvrules_cel::parse;
use serde_json::{Value as Json, json};

fn fields() -> Json {
    json!({
        "i": {"type": "integer"}, "s": {"type": "string", "maxLength": 20}, "d": {"type": "number"},
        "l": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 5}},
        "v": {"x-kubernetes-int-or-string": true, "maxLength": 5},
    })
}

/// The cost of a rule on `spec`, or the server's words.
fn cost(rule: &str) -> Result<u64, String> {
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields()}}});
    let cost = RuleSite::new(&schema, "properties[spec]").and_then(|site| site.rule_cost(rule));
    cost.map(|cost| cost.expression).map_err(|error| error.to_string())
}

#[test]
fn what_format_is_given_may_be_of_several_types() {
    let costs = [
        ("'%d of %s'.format([self.i, self.s]) != ''", 15),
        ("'%s'.format([[1, 'a']]) == 'x'", 22),
        ("'%s'.format([{'a': 1, 'b': 'x'}]) == 'x'", 42),
        ("'%s %s'.format([self.i, [self.s, self.i]]) == 'x'", 28),
        ("'%s'.format([[1, 'a'].size()]) == '2'", 23),
        ("'%s'.format([{1: 'a', 'b': 2}]) == ''", 41),
        ("'%s'.format([[dyn(1), 'a', null, [true]]]) == ''", 32),
        ("'%s %d'.format(['a', 1]) == ''", 11),
        ("'%f %s'.format([self.d, self.i]) == ''", 15),
    ];
    for (rule, expected) in costs {
        assert_eq!(cost(rule), Ok(expected), "{rule}");
    }
    let mixed = "expected type 'int' but found 'string'";
    let refused = [
        ("[1, 'a'].size() == 2", mixed),
        ("dyn([1, 'a']).size() == 2", mixed),
        ("'%s'.format([1]).size() == [1, 'a'].size()", mixed),
        ("{'a': 1, 'b': 'x'}.size() == 2", mixed),
        ("{1: true, 'b': false}.size() == 2", mixed),
        ("['%s'.format([1, 'a'])] == []", "too many arguments supplied to string.format (expected 1, got 2)"),
        ("[self.i, self.v].size() == 2", "expected type 'int' but found 'dyn'"),
        (
            "'%d'.format(['a']) == ''",
            "error during formatting: decimal clause can only be used on integers, was given string",
        ),
        ("'%d %s'.format([1]) == ''", "index 1 out of range"),
        ("'a%'.format([1]) == ''", "unexpected end of string"),
        (
            "'%.2'.format([1]) == ''",
            "could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
        ),
        (
            "'%.f'.format([1.0]) == ''",
            "error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax",
        ),
        ("'%q'.format([1]) == ''", "could not parse formatting clause: unrecognized formatting clause \"q\""),
        ("'%f'.format([1]) == ''", "fixed-point clause can only be used on doubles, was given int"),
        ("'%e'.format([true]) == ''", "scientific clause can only be used on doubles, was given bool"),
        ("'%b'.format([1.5]) == ''", "only integers and bools can be formatted as binary, was given double"),
        ("'%o'.format([true]) == ''", "octal clause can only be used on integers, was given bool"),
        (
            "'%x'.format([1.5]) == ''",
            "only integers, byte buffers, and strings can be formatted as hex, was given double",
        ),
        ("'%s'.format([optional.of(1)]) == ''", "types, durations, and timestamps, was given optional_type"),
        ("'%s'.format([[ip('1.1.1.1')]]) == ''", "types, durations, and timestamps, was given net.IP"),
    ];
    for (rule, words) in refused {
        let error = cost(rule).unwrap_err();
        assert!(error.contains(words), "{rule}: {error}");
    }
}

const SPLIT: &str = "self.split('.').all(x, x.size() > 0)";

const BOUNDED: u64 = 250;

const UNBOUNDED: u64 = 19_503_504;

/// The cost of [`SPLIT`] on the one node that has it.
fn split_cost(schema: &Json) -> u64 {
    let report = review_schema(schema, "spec.validation", false);
    let rule = report.rules.iter().find(|rule| rule.rule == SPLIT).unwrap();
    rule.max_cost.unwrap()
}

#[test]
fn below_a_rule_the_names_of_a_resource_have_the_bounds_of_its_type() {
    let text = || json!({"type": "string", "maxLength": 10, "x-kubernetes-validations": [{"rule": SPLIT}]});
    let object = |name: &str| json!({"type": "object", "properties": {name: text()}});
    let with = |mut schema: Json, entries: Json| {
        schema.as_object_mut().unwrap().extend(entries.as_object().unwrap().clone());
        schema
    };
    let ruled = || json!({"x-kubernetes-validations": [{"rule": "true"}]});
    let embedded =
        || json!({"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let below = |name: &str, schema: Json| json!({"type": "object", "properties": {name: schema}});
    let plain = json!({"type": "string"});
    let all = json!({"type": "object", "properties": {
        "apiVersion": text(), "kind": plain,
        "metadata": {"type": "object", "properties": {"name": plain, "generateName": plain}},
    }});
    let cases = [
        ("apiVersion, no rule above", object("apiVersion"), BOUNDED),
        ("kind, no rule above", object("kind"), BOUNDED),
        ("apiVersion below a root rule", with(object("apiVersion"), ruled()), UNBOUNDED),
        ("kind below a root rule", with(object("kind"), ruled()), UNBOUNDED),
        ("another property below a root rule", with(object("api"), ruled()), BOUNDED),
        ("all declared", with(all, ruled()), BOUNDED),
        ("an ordinary object's kind", with(below("spec", with(object("kind"), ruled())), ruled()), BOUNDED),
        ("embedded, no rule", below("e", with(object("kind"), embedded())), BOUNDED),
        ("embedded with a rule", below("e", with(with(object("kind"), embedded()), ruled())), UNBOUNDED),
        ("embedded below a rule", with(below("e", with(object("kind"), embedded())), ruled()), UNBOUNDED),
        (
            "embedded below a rule, apiVersion",
            with(below("e", with(object("apiVersion"), embedded())), ruled()),
            UNBOUNDED,
        ),
        (
            "embedded below a rule, another",
            with(below("e", with(object("spec"), embedded())), ruled()),
            BOUNDED,
        ),
        (
            "embedded's metadata.name below a rule",
            with(below("e", with(below("metadata", object("name")), embedded())), ruled()),
            UNBOUNDED,
        ),
        (
            "embedded's metadata.generateName below a rule",
            with(below("e", with(below("metadata", object("generateName")), embedded())), ruled()),
            UNBOUNDED,
        ),
        (
            "embedded's metadata.namespace below a rule",
            with(below("e", with(below("metadata", object("namespace")), embedded())), ruled()),
            BOUNDED,
        ),
        (
            "embedded's metadata.name, no rule",
            below("e", with(below("metadata", object("name")), embedded())),
            BOUNDED,
        ),
        (
            "in a list of embedded",
            below(
                "l",
                json!({"type": "array", "maxItems": 1, "items": with(with(object("kind"), embedded()), ruled())}),
            ),
            UNBOUNDED,
        ),
        (
            "in a map of embedded",
            below(
                "m",
                json!({"type": "object", "maxProperties": 1, "additionalProperties": with(with(object("kind"), embedded()), ruled())}),
            ),
            UNBOUNDED,
        ),
        (
            "in a list of objects",
            below("l", json!({"type": "array", "maxItems": 1, "items": with(object("kind"), ruled())})),
            BOUNDED,
        ),
        ("a rule beside it", below("spec", with(below("a", object("kind")), ruled())), BOUNDED),
    ];
    for (what, schema, expected) in cases {
        assert_eq!(split_cost(&schema), expected, "{what}");
    }
}

#[test]
fn names_of_types_with_dots_cost_as_much_as_other_names() {
    for name in [
        "google.protobuf.Timestamp",
        "google.protobuf.Duration",
        "net.IP",
        "net.CIDR",
        "kubernetes.Quantity",
        "kubernetes.URL",
        "kubernetes.Semver",
        "kubernetes.NamedFormat",
        "int",
        "list",
        "optional_type",
    ] {
        assert_eq!(cost(&format!("type(self.v) == {name}")), Ok(4), "{name}");
        assert_eq!(cost(&format!("type(self.v) != {name} && true")), Ok(4), "{name}");
        assert_eq!(cost(&format!("type(self.v) in [{name}]")), Ok(15), "{name}");
        let run = evaluate_expression(
            &parse(&format!("type(1) == {name}")).unwrap(),
            &Scope::default(),
            CALL_LIMIT,
        );
        assert_eq!((run.result.is_ok(), run.cost), (true, 2), "{name}");
    }
    assert_eq!(cost("type(ip('192.168.0.1')) == net.IP"), Ok(4));
}

#[test]
fn the_sum_of_nothing_is_a_zero_of_the_type_of_the_elements() {
    let list = |items: Json| json!({"type": "array", "items": items});
    let schema = |rule: &str| {
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "du": list(json!({"type": "string", "format": "duration"})),
            "i": list(json!({"type": "integer"})),
            "d": list(json!({"type": "number"})),
            "o": list(json!({"type": "object", "properties": {"du": list(json!({"type": "string", "format": "duration"}))}})),
            "m": {"type": "object", "additionalProperties": list(json!({"type": "string", "format": "duration"}))},
        }, "x-kubernetes-validations": [{"rule": rule}]}}})
    };
    let object = json!({"spec": {"du": [], "i": [], "d": [], "o": [{"du": []}], "m": {"k": []}}});
    let holds = [
        "self.du.sum() == duration('0')",
        "type(self.du.sum()) == google.protobuf.Duration",
        "self.i.sum() == 0",
        "type(self.i.sum()) == int",
        "self.d.sum() == 0.0",
        "type(self.d.sum()) == double",
        "string(self.d.sum() + 1.5) == '1.5'",
        "self.du.filter(x, true).sum() == duration('0')",
        "self.i.map(x, duration(string(x) + 's')).sum() == duration('0')",
        "type(self.i.map(x, uint(x)).sum()) == uint",
        "type(self.i.map(x, double(x)).sum()) == double",
        "self.o.all(x, x.du.sum() == duration('0'))",
        "self.m.all(k, self.m[k].sum() == duration('0'))",
        "self.m.all(k, v, v.sum() < duration('1s'))",
        "self.o[0].du.sum() == duration('0')",
        "(self.du + self.du).sum() == duration('0')",
        "self.du.slice(0, 0).sum() == duration('0')",
        "self.?du.orValue([]).sum() == duration('0')",
        "[duration('1s')].filter(x, x < duration('0')).sum() == duration('0')",
        "type([].sum()) == int",
        "type(dyn([]).sum()) == int",
    ];
    for rule in holds {
        let report = CompiledSchema::new(&schema(rule)).validate_object(&object, None);
        assert!(report.errors.is_empty(), "{rule}: {:?}", report.errors);
    }
}

#[test]
fn durations_of_fields_may_be_in_words_and_those_of_expressions_not() {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "d": {"type": "string", "format": "duration"},
    }, "x-kubernetes-validations": [{"rule": "self.d >= duration('1h')"}]}}});
    let compiled = CompiledSchema::new(&schema);
    for text in ["1h", "60m", "1d 2h", "3600 seconds", "1 week", "PT1H", "1 hours", "1d", "60 mins"] {
        let report = compiled.validate_object(&json!({"spec": {"d": text}}), None);
        assert!(report.errors.is_empty(), "{text}: {:?}", report.errors);
    }
    for text in ["59m", "3599 sec", "2 min"] {
        let report = compiled.validate_object(&json!({"spec": {"d": text}}), None);
        assert_eq!(report.errors[0].detail, "failed rule: self.d >= duration('1h')", "{text}");
    }
    assert!(cost("duration('1d') > duration('1h')").unwrap_err().contains("invalid duration argument"));
}

#[test]
fn constants_that_fail_are_refused_before_an_object_is_seen() {
    let problems = [
        ("int(18446744073709551615u) == 1", "integer overflow"),
        ("uint(-1) == 1u", "unsigned integer overflow"),
        ("string(b'\\xff') == 'a'", "invalid UTF-8 in bytes, cannot convert to string"),
        ("{0: 1}[dyn(b'')] == 1", "invalid qualifier type: types.Bytes"),
        ("{0: 1}[dyn(null)] == 1", "invalid qualifier type: types.Null"),
        ("self.l[dyn(duration('1s'))] == ''", "invalid qualifier type: types.Duration"),
        ("self.l[?dyn(b'')].hasValue()", "invalid qualifier type: types.Bytes"),
        ("{0: 1}[dyn(int)] == 1", "invalid qualifier type: *types.Type"),
        ("{0: 1}[dyn([1])] == 1", "invalid qualifier type: *types.baseList"),
        ("int('x') == 1", "type conversion error from 'string' to 'int'"),
        ("int('1.5') == 1", "type conversion error from 'string' to 'int'"),
        ("uint('-1') == 1u", "type conversion error from 'string' to 'uint'"),
        ("uint('+1') == 1u", "type conversion error from 'string' to 'uint'"),
        ("double('1e400') == 1.0", "type conversion error from 'string' to 'double'"),
        ("double('+nan') == 1.0", "type conversion error from 'string' to 'double'"),
        ("bool('yes')", "type conversion error from 'string' to 'bool'"),
        ("int(1e19) == 1", "integer overflow"),
        ("int(double('nan')) == 1", "integer overflow"),
        ("uint(-1.5) == 1u", "unsigned integer overflow"),
        (
            "duration(dyn('1d')) == duration('1h')",
            "type conversion error from 'string' to 'google.protobuf.Duration'",
        ),
        (
            "timestamp(dyn('x')) == timestamp(0)",
            "type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ),
        ("self.s.find('(') == ''", "error parsing regexp: missing closing ): `(`"),
        ("self.s.findAll(string('[')) == []", "error parsing regexp: missing closing ]: `[`"),
        ("self.s.matches(string('a**'))", "error parsing regexp: invalid nested repetition operator: `**`"),
        ("self.l.all(x, int('x') == 1)", "type conversion error from 'string' to 'int'"),
        ("true || int('x') == 1", "type conversion error from 'string' to 'int'"),
        ("int(dyn(true)) == 1", "no such overload: int(bool)"),
    ];
    for (rule, problem) in problems {
        assert_eq!(cost(rule), Err(format!("program instantiation failed: {problem}")), "{rule}");
    }
    for rule in [
        "int(self.s) == 1",
        "self.l.all(string, int(string) == 1)",
        "1 / 0 == 1",
        "dyn(1) / 0 == 1",
        "[1][5] == 1",
        "{'a': 1}['b'] == 1",
        "double('0x1p-2') == 0.25 && double('Infinity') > 1.0",
        "self.s.matches(self.s)",
        "quantity('x').isInteger()",
        "ip('x').family() == 4",
        "{0: 1}[dyn(0.5)] == 1",
    ] {
        assert!(cost(rule).is_ok(), "{rule}: {:?}", cost(rule));
    }
    // A message has errors as well, with another text.
    let schema = json!({"type": "object", "x-kubernetes-validations": [
        {"rule": "true", "messageExpression": "string(int('x'))"}]});
    let report = review_schema(&schema, "spec.validation", false);
    let details: Vec<&str> = report.rules[0].errors.iter().map(|error| error.detail.as_str()).collect();
    assert_eq!(
        details,
        ["messageExpression instantiation failed: type conversion error from 'string' to 'int'"]
    );
    assert!(instantiation_problem(&parse("int('1') == 1").unwrap()).is_none());
    let policy = |expression: &str| {
        review_policy(
            &json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                "metadata": {"name": "p"}, "spec": {
                "matchConstraints": {"resourceRules": [
                    {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
                "validations": [{"expression": expression}],
            }}),
        )
    };
    let refusals = policy("object.spec.n == int('x')");
    let reported: Vec<(&str, &str)> =
        refusals.iter().map(|it| (it.field.as_str(), it.message.as_str())).collect();
    let words = "Internal error: program instantiation failed: type conversion error from 'string' to 'int'";
    assert_eq!(reported, [("spec.validations[0].expression", words)]);
    assert!(policy("object.spec.n == int('1')").is_empty());
}

#[test]
fn the_type_of_a_node_decides_how_often_what_is_below_it_is_evaluated() {
    let leaf = json!({"type": "string"});
    let cases = [
        ("a number with items", json!({"type": "number", "items": leaf}), "items", 1),
        (
            "a number with items and a bound",
            json!({"type": "number", "maxItems": 5, "items": leaf}),
            "items",
            1,
        ),
        ("a text with items", json!({"type": "string", "items": leaf}), "items", 1),
        ("an integer with items", json!({"type": "integer", "items": leaf}), "items", 1),
        (
            "a boolean with values",
            json!({"type": "boolean", "additionalProperties": leaf}),
            "additionalProperties",
            1,
        ),
        ("a list with a bound", json!({"type": "array", "maxItems": 5, "items": leaf}), "items", 5),
        ("a list without a bound", json!({"type": "array", "items": leaf}), "items", 1_048_576),
        ("a list with a negative bound", json!({"type": "array", "maxItems": -1, "items": leaf}), "items", 0),
        ("an object with items", json!({"type": "object", "items": leaf}), "items", 1),
        (
            "an object with items and a bound",
            json!({"type": "object", "maxItems": 3, "items": leaf}),
            "items",
            1,
        ),
        (
            "a map with a bound",
            json!({"type": "object", "maxProperties": 4, "additionalProperties": leaf}),
            "additionalProperties",
            4,
        ),
        (
            "a map without a bound",
            json!({"type": "object", "additionalProperties": leaf}),
            "additionalProperties",
            1_048_576,
        ),
        (
            "a map of anything with properties",
            json!({"type": "object", "maxProperties": 6, "additionalProperties": true, "properties": {"a": leaf}}),
            "properties[a]",
            6,
        ),
        (
            "a map of anything without a bound",
            json!({"type": "object", "additionalProperties": true, "properties": {"a": leaf}}),
            "properties[a]",
            1_048_576,
        ),
        (
            "no map",
            json!({"type": "object", "additionalProperties": null, "properties": {"a": leaf}}),
            "properties[a]",
            1,
        ),
        (
            "an object with a bound",
            json!({"type": "object", "maxProperties": 6, "properties": {"a": leaf}}),
            "properties[a]",
            1,
        ),
        (
            "a list with properties",
            json!({"type": "array", "maxItems": 7, "items": leaf, "properties": {"a": leaf}}),
            "properties[a]",
            7,
        ),
        (
            "a list with properties, no bound",
            json!({"type": "array", "items": leaf, "properties": {"a": leaf}}),
            "properties[a]",
            1_048_576,
        ),
        (
            "a number with properties",
            json!({"type": "number", "properties": {"a": leaf}}),
            "properties[a]",
            1,
        ),
        ("int or string with items", json!({"x-kubernetes-int-or-string": true, "items": leaf}), "items", 1),
    ];
    for (what, schema, step, expected) in cases {
        let root = json!({"type": "object", "properties": {"v": schema}});
        let (_, cardinality) = measure_node(&root, &format!("properties[v].{step}")).unwrap();
        assert_eq!(cardinality.evaluations, expected, "{what}");
    }
    let path = |schema: Json| {
        let report = review_schema(&schema, "spec.validation", false);
        report.rules[0].errors.iter().any(|error| error.detail == "must be a valid path")
    };
    let rule = json!([{"rule": "true", "fieldPath": ".b"}]);
    let below = |values: Json| json!({"type": "object", "properties": {"v": {"type": "object", "additionalProperties": values, "x-kubernetes-validations": rule}}});
    assert!(path(below(Json::Null)));
    assert!(!path(below(json!({"type": "string"}))));
}

#[test]
fn reading_objects_costs_what_their_names_and_values_cost() {
    let run = |rule: &str, list: Json| {
        let schema = json!({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "object", "properties": {
            "x": {"type": "integer"}, "y": {"type": "string"}, "name-of-a-field": {"type": "boolean"},
        }}}}, "x-kubernetes-validations": [{"rule": rule}]});
        CompiledSchema::new(&schema).validate_object(&json!({"l": list}), None).cost
    };
    // The selection of the list twice and of its element, the comparison of objects, the call, the comparison.
    let find = "self.l.indexOf(self.l[0]) == 0";
    let base = run(find, json!([{}]));
    let costs = [
        (json!([{"x": 1}]), 1),
        (json!([{"y": "a"}]), 0),
        (json!([{"y": "0123456789"}]), 1),
        (json!([{"x": 1, "y": "01234567890123456789"}]), 3),
        (json!([{"x": 1}, {"x": 2}, {"y": "a"}]), 2),
        (json!([{"name-of-a-field": true}]), 4), // as `name__dash__of__dash__a__dash__field`
    ];
    for (list, more) in costs {
        assert_eq!(run(find, list.clone()), base + more, "{list}");
        assert_eq!(
            run("self.l.lastIndexOf(self.l[0]) >= 0", list.clone()),
            run(find, list.clone()),
            "{list}"
        );
    }
}

/// apiserver pkg/cel/common/values.go, UnstructuredToVal: what an object has is read without bounds on its year.
#[test]
fn timestamps_of_objects_have_their_own_text_and_any_year() {
    let rows = [
        (
            "2020-01-01T00:30:00+01:00",
            "string(self.t) == '2020-01-01T00:30:00+01:00' && self.t.getHours() == 23",
        ),
        ("2020-01-01T00:30:00.5Z", "string(self.t) == '2020-01-01T00:30:00.5Z'"),
        ("0000-01-01T00:00:00Z", "string(self.t) == '0000-01-01T00:00:00Z' && self.t.getFullYear() == 0"),
        ("0000-01-01T00:00:00+01:00", "string(self.t) == '0000-01-01T00:00:00+01:00'"),
        ("0000-01-01T00:00:00+01:00", "self.t.getFullYear() == -1 && self.t.getMonth() == 11"),
        ("9999-12-31T23:59:59-01:00", "string(self.t) == '9999-12-31T23:59:59-01:00'"),
        (
            "9999-12-31T23:59:59-01:00",
            "self.t.getFullYear() == 10000 && self.t > timestamp('9999-12-31T23:59:59Z')",
        ),
        ("0000-01-01T00:00:00Z", "int(self.t) == -62167219200"),
        ("0000-12-31T23:59:59Z", "string(self.t + duration('1s')) == '0001-01-01T00:00:00Z'"),
        ("2020-02-29T12:00:00-00:30", "string(self.t - duration('24h')) == '2020-02-28T12:00:00-00:30'"),
    ];
    for (time, rule) in rows {
        let schema = json!({"type": "object", "properties": {"spec": {
            "type": "object", "properties": {"t": {"type": "string", "format": "date-time"}},
            "x-kubernetes-validations": [{"rule": rule}],
        }}});
        let report = CompiledSchema::new(&schema).validate_object(&json!({"spec": {"t": time}}), None);
        assert!(report.errors.is_empty(), "{time} {rule}: {:?}", report.errors);
    }
}
