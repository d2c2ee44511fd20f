//! Functions of the libraries, each row read off the source that is named above its table: what a call gives, or the words of
//! its error.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_cel::crd::CompiledSchema;
use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate, instantiation_problem};
use kvrules_cel::parse;
use kvrules_cel::value::{ErrorKind, Value};
use serde_json::json;

/// What an expression gives: a text as it is, anything else as `format` writes it; or why it fails.
fn answer(source: &str) -> String {
    let run = |source: &str| evaluate(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT).result;
    match run(source) {
        Ok(Value::String(text)) => text.to_string(),
        Ok(_) => match run(&format!("'%s'.format([{source}])")) {
            Ok(Value::String(text)) => text.to_string(),
            other => panic!("{source}: {other:?}"),
        },
        Err(error) => format!("error: {error}"),
    }
}

fn hold(rows: &[(&str, &str)]) {
    assert!(rows.len() >= 10, "{}", rows.len());
    for (source, expected) in rows {
        assert_eq!(answer(source), *expected, "{source}");
    }
}

/// apiserver pkg/cel/library/lists.go: isSorted, sum, cmp, indexOf; which overload is called, the first element decides
/// (cel-go common/types/types.go, `defaultIsAssignableRuntimeType`).
#[test]
fn lists_of_unknown_types_are_taken_by_their_first_element() {
    hold(&[
        ("[dyn(1), dyn(2)].sum()", "3"),
        ("[dyn(1.5)].sum()", "1.5"),
        ("[dyn(1), dyn(1.5)].sum()", "error: no such overload"),
        ("[dyn(1), dyn(true)].sum()", "error: no such overload"),
        ("[dyn('a')].sum()", "error: no such overload: sum(list)"),
        ("[dyn(true)].sum()", "error: no such overload: sum(list)"),
        ("[dyn(duration('1s')), dyn(timestamp('2020-01-01T00:00:00Z'))].sum()", "2020-01-01T00:00:01Z"),
        ("[18446744073709551615u, 1u].sum()", "error: unsigned integer overflow"),
        ("[dyn(1), dyn('a')].max()", "1"),
        ("[dyn(1), dyn(2.5)].max()", "2.5"),
        ("[dyn(1), dyn(null)].max()", "error: no such overload"),
        ("[dyn(null), dyn(1)].max()", "error: no such overload: max(list)"),
        ("[dyn({'a': 1})].min()", "error: no such overload: min(list)"),
        ("[].min()", "error: min called on empty list"),
        ("[dyn(2), dyn(1), dyn(null)].isSorted()", "false"),
        ("[dyn(1), dyn(2), dyn(null)].isSorted()", "error: no such overload"),
        ("[dyn('a'), dyn(1)].isSorted()", "true"),
        ("[1, 2, 1].indexOf(1)", "0"),
        ("[1, 2, 1].lastIndexOf(1)", "2"),
        ("[dyn(1), dyn('a')].indexOf(dyn('a'))", "1"),
        ("[dyn(1.0)].indexOf(dyn(1))", "0"),
        ("[[1]].indexOf([2])", "-1"),
    ]);
}

/// cel-go ext/strings.go, joinValSeparator.
#[test]
fn texts_are_joined_until_one_is_none() {
    hold(&[
        ("['a', 'b'].join()", "ab"),
        ("['a', 'b'].join('-')", "a-b"),
        ("[].join('-')", ""),
        ("dyn([]).join()", ""),
        ("[dyn('a'), dyn('b')].join(',')", "a,b"),
        ("dyn(['a', 'b']).join(',')", "a,b"),
        ("[dyn('a'), dyn(1)].join(',')", "error: join: invalid input: 1"),
        ("[dyn('a'), dyn(true)].join()", "error: join: invalid input: true"),
        ("[dyn('a'), dyn(1234567.5)].join()", "error: join: invalid input: 1.2345675e+06"),
        ("[dyn('a'), dyn(2u)].join()", "error: join: invalid input: 2"),
        ("[dyn('a'), dyn(null)].join()", "error: join: invalid input: 0"),
        ("[dyn(1), dyn('a')].join(',')", "error: no such overload: join(list, string)"),
        ("dyn([1]).join()", "error: no such overload: join(list)"),
    ]);
}

/// cel-go common/types/string.go and timestamp.go, ConvertToType: a point in time keeps the zone in which it was written, which
/// shows in its text alone; the parts of a day are those in UTC (cel.DefaultUTCTimeZone).
#[test]
fn timestamps_keep_the_zone_in_which_they_are_written() {
    hold(&[
        ("string(timestamp('2020-01-01T00:30:00+01:00'))", "2020-01-01T00:30:00+01:00"),
        ("string(timestamp('2020-01-01T00:30:00-09:30'))", "2020-01-01T00:30:00-09:30"),
        ("string(timestamp('2020-01-01T00:30:00+00:00'))", "2020-01-01T00:30:00Z"),
        ("string(timestamp('2020-01-01T00:30:00.250+01:00'))", "2020-01-01T00:30:00.25+01:00"),
        ("string(timestamp(1577836800))", "2020-01-01T00:00:00Z"),
        ("string(timestamp(timestamp('2020-01-01T00:30:00+01:00')))", "2020-01-01T00:30:00+01:00"),
        ("string(timestamp('2020-01-01T00:30:00+01:00') + duration('1h'))", "2020-01-01T01:30:00+01:00"),
        ("string(duration('1h') + timestamp('2020-01-01T00:30:00+01:00'))", "2020-01-01T01:30:00+01:00"),
        ("string(timestamp('2020-01-01T00:30:00+01:00') - duration('1h'))", "2019-12-31T23:30:00+01:00"),
        (
            "'%s'.format([[timestamp('2020-01-01T00:30:00+01:00')]])",
            "[timestamp(\"2020-01-01T00:30:00+01:00\")]",
        ),
        ("timestamp('2020-01-01T00:30:00+01:00').getHours()", "23"),
        ("timestamp('2020-01-01T00:30:00+01:00').getFullYear()", "2019"),
        ("timestamp('2020-01-01T00:30:00+01:00').getHours('+01:00')", "0"),
        ("timestamp('2020-01-01T00:30:00+01:00') == timestamp('2019-12-31T23:30:00Z')", "true"),
        ("timestamp('2020-01-01T00:30:00+01:00') in [timestamp('2019-12-31T23:30:00Z')]", "true"),
        ("timestamp('2020-01-01T00:30:00+01:00') < timestamp('2020-01-01T00:00:00Z')", "true"),
        ("int(timestamp('1970-01-01T01:00:00+01:00'))", "0"),
        ("timestamp('0000-01-01T00:00:0' + '0Z')", "error: timestamp overflow"),
        ("timestamp('9999-12-31T23:59:59-0' + '1:00')", "error: timestamp overflow"),
        ("timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"),
        (
            "timestamp('2020-01-01t00:00:00' + 'Z')",
            "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ),
    ]);
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
        let report = CompiledSchema::new(&schema).validate(&json!({"spec": {"t": time}}), None);
        assert!(report.errors.is_empty(), "{time} {rule}: {:?}", report.errors);
    }
}

/// cel-go interpreter/interpretable.go, evalMap.Eval: bytes have no hash in Go, and the program panics; when its keys and values
/// are constants, as soon as the program is made (interpreter/decorators.go, maybeBuildMapLiteral).
#[test]
fn bytes_are_no_keys_of_maps() {
    let unhashable = "runtime error: hash of unhashable type types.Bytes";
    let problem = |source: &str| instantiation_problem(&parse(source).unwrap());
    for source in [
        "{b'a': 1}.size() == 1",
        "{dyn(b'a'): 1}.size() == 1",
        "{bytes('a'): 1}.size() == 1",
        "true || {b'a': 1}.size() == 1",
        "{'k': {b'a': 1}}.size() == 1",
        "[1].all(x, {b'a': 1}.size() == 1)",
    ] {
        assert_eq!(problem(source).as_deref(), Some(unhashable), "{source}");
    }
    for source in ["{bytes('a' + 'b'): 1}.size()", "{b'a': 1 + 1}.size()", "[b'a'].map(x, {x: 1}).size()"] {
        assert_eq!(problem(source), None, "{source}");
        assert_eq!(answer(source), format!("error: internal error: {unhashable}"), "{source}");
    }
    // Other types have hashes; what comes of them is not decided here, and said so.
    for source in ["{1.5: 1}.size()", "{null: 1}.size()", "{[1]: 1}.size()", "{duration('1s'): 1}.size()"] {
        let result = evaluate(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT).result;
        assert_eq!(result.unwrap_err().kind, ErrorKind::Unsupported, "{source}");
    }
}
