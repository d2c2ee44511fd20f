//! Classes of differences from the server that were found once, each with neighbours; answers are from the sources of
//! cel-go and of Kubernetes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_cel::check::{TypeEnvironment, check_expression};
use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression};
use kvrules_cel::parse;
use kvrules_cel::value::{ErrorKind, Value};

/// Returns the result of an expression: a string as it is, anything else as `format` writes it; or its error.
fn answer(source: &str) -> String {
    let run =
        |source: &str| evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT).result;
    match run(source) {
        Ok(Value::String(text)) => text.to_string(),
        Ok(_) => match run(&format!("'%s'.format([{source}])")) {
            Ok(Value::String(text)) => text.to_string(),
            other => panic!("{source}: {other:?}"),
        },
        Err(error) => format!("error: {error}"),
    }
}

fn hold(answers: &[(&str, &str)]) {
    for (source, expected) in answers {
        assert_eq!(answer(source), *expected, "{source}");
    }
}

#[test]
fn format_writes_as_version_2_of_the_library_of_strings() {
    hold(&[
        ("string(1234567.0)", "1.234567e+06"),
        ("string(999999.0)", "999999"),
        ("string(0.0001)", "0.0001"),
        ("string(0.00001)", "1e-05"),
        ("string(double('inf'))", "+Inf"),
        ("string(-double('inf'))", "-Inf"),
        ("string(double('nan'))", "NaN"),
        ("'%s'.format([1234567.0])", "1.234567e+06"),
        ("'%s'.format([double('-inf')])", "-Inf"),
        ("'%f'.format([1234567.0])", "1,234,567.000000"),
        ("'%f'.format([-1234.5])", "-1,234.500000"),
        ("'%f'.format([999.9999999])", "1,000.000000"),
        ("'%.3f'.format([1234.5])", "1,234.500"),
        ("'%.0f'.format([2.5])", "2"),
        ("'%.0f'.format([1e21])", "1,000,000,000,000,000,000,000"),
        ("'%.2f'.format([1.005])", "1.00"),
        ("'%.1f'.format([-0.01])", "-0.0"),
        ("'%f'.format([0.0])", "0.000000"),
        ("'%f %f'.format(['Infinity', '-Infinity'])", "∞ -∞"),
        ("'%f'.format(['NaN'])", "NaN"),
        ("'%.256f'.format([0.5])", "0.5"),
        ("'%e'.format([2.71828])", "2.718280\u{202f}×\u{202f}10⁰⁰"),
        ("'%e'.format([-1234.5])", "-1.234500\u{202f}×\u{202f}10⁰³"),
        ("'%e'.format([0.000012])", "1.200000\u{202f}×\u{202f}10⁻⁰⁵"),
        ("'%e'.format([1e123])", "1.000000\u{202f}×\u{202f}10¹²³"),
        ("'%.2e'.format([2.71828])", "2.718280\u{202f}×\u{202f}10⁰⁰"),
        ("'%.18e'.format([2.71828])", "   2.718280\u{202f}×\u{202f}10⁰⁰"),
        ("'%.5e'.format(['Infinity'])", "    ∞"),
        ("'%s'.format([[1.5, 2.0]])", "[1.500000, 2.000000]"),
        ("'%s'.format([[double('inf')]])", "[\"+Inf\"]"),
        ("'%s'.format([{'b': 1, 'a': 2}])", "{\"a\":2, \"b\":1}"),
        ("'%s'.format([{10: 1, 9: 'x'}])", "{10:1, 9:\"x\"}"),
        ("'%s'.format([{true: null, false: []}])", "{false:[], true:null}"),
        ("'%s'.format([[duration('90s')]])", "[duration(\"90s\")]"),
        ("'%s'.format([[timestamp('2024-01-02T03:04:05.5Z')]])", "[timestamp(\"2024-01-02T03:04:05.5Z\")]"),
        ("'%s'.format([['a\\n\\u0000', b'b', int, 1u]])", "[\"a\\n\\x00\", b\"b\", int, 1]"),
        ("'%s %s'.format([b'ab', google.protobuf.Duration])", "ab google.protobuf.Duration"),
        ("'%s %s %s'.format([null, true, duration('1h')])", "null true 3600s"),
        ("'%x %X %x %X'.format([255, -255, 'hi', b'hi~'])", "ff -FF 6869 68697E"),
        ("'%b %b %b'.format([5, -5, true])", "101 -101 1"),
        ("'%o %o'.format([8, 8u])", "10 10"),
        ("'%d%%'.format([18446744073709551615u])", "18446744073709551615%"),
        ("'é%s'.format(['ü'])", "éü"),
        ("string(duration('9223372036.854775807s'))", "9223372036.854776s"),
        ("string(duration('1ns'))", "0.000000001s"),
    ]);
}

#[test]
fn what_format_cannot_write_fails_with_the_servers_words() {
    hold(&[
        (
            "'%d'.format(['a'])",
            "error: error during formatting: decimal clause can only be used on integers, was given string",
        ),
        (
            "'%d'.format([1.5])",
            "error: error during formatting: decimal clause can only be used on integers, was given double",
        ),
        (
            "'%f'.format([1])",
            "error: error during formatting: fixed-point clause can only be used on doubles, was given int",
        ),
        (
            "'%f'.format(['nan'])",
            "error: error during formatting: fixed-point clause can only be used on doubles, was given string",
        ),
        (
            "'%e'.format([null])",
            "error: error during formatting: scientific clause can only be used on doubles, was given null_type",
        ),
        (
            "'%s'.format([optional.none()])",
            "error: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
        ),
        ("'%s'.format([[ip('::1')]])", "error: error during formatting: no formatting function for net.IP"),
        (
            "'%s'.format([{'a': quantity('1')}])",
            "error: error during formatting: no formatting function for kubernetes.Quantity",
        ),
        (
            "'%s'.format([b'\\xff'])",
            "error: error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string",
        ),
        ("'%s %s'.format([1])", "error: index 1 out of range"),
        ("'%'.format([])", "error: index 0 out of range"),
        ("'%'.format([1])", "error: unexpected end of string"),
        (
            "'%.'.format([1])",
            "error: could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
        ),
        (
            "'%.99999999999999999999f'.format([1.0])",
            "error: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \"99999999999999999999\": value out of range",
        ),
        (
            "'%5d'.format([1])",
            "error: could not parse formatting clause: unrecognized formatting clause \"5\"",
        ),
        (
            "'%é'.format([1])",
            "error: could not parse formatting clause: unrecognized formatting clause \"Ã\"",
        ),
    ]);
    let outcome =
        evaluate_expression(&parse("'%.40000f'.format([1.0])").unwrap(), &Scope::default(), CALL_LIMIT);
    assert_eq!(outcome.result.unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn lists_are_ordered_by_what_can_be_compared() {
    hold(&[
        ("[1, 2, 2].isSorted()", "true"),
        ("[2, 1].isSorted()", "false"),
        ("[1.0, double('nan'), 0.0].isSorted()", "true"),
        ("[double('nan'), 1.0].min()", "NaN"),
        ("[1.0, double('nan'), 0.5].min()", "0.5"),
        ("[1.0, double('nan'), 2.0].max()", "2"),
        ("dyn([1, 'a']).isSorted()", "true"),
        ("dyn([2, 'a', 1]).min()", "1"),
        ("dyn([1, 1.5]).max()", "1.5"),
        ("dyn([null]).isSorted()", "error: no such overload: isSorted(list)"),
        ("dyn([[1]]).min()", "error: no such overload: min(list)"),
        ("dyn([]).max()", "error: max called on empty list"),
        ("dyn([1.5]).sum()", "1.5"),
        ("dyn([1, 2]).sum()", "3"),
        ("dyn(['a']).sum()", "error: no such overload: sum(list)"),
        ("[9223372036854775807, 1].sum()", "error: integer overflow"),
        ("[duration('1m'), duration('1s')].sum()", "61s"),
        ("[1.5, 2.5].sum()", "4"),
        ("[1u, 2u].sum()", "3"),
        ("dyn(ip('::1')).size()", "error: no such overload"),
    ]);
}

#[test]
fn urls_have_the_parts_that_go_gives_them() {
    let part = |text: &str, part: &str| answer(&format!("url('{text}').{part}()"));
    let parts = [
        ("https://e.com/with space/", "getEscapedPath", "/with%20space/"),
        ("https://e.com/a%20b", "getEscapedPath", "/a%20b"),
        ("https://e.com/a%2Fb", "getEscapedPath", "/a%2Fb"),
        ("https://e.com/a%2fb c", "getEscapedPath", "/a/b%20c"),
        ("https://e.com/é", "getEscapedPath", "/%C3%A9"),
        ("https://e.com/a:b;c,d@e&f=g+h$!*()[]", "getEscapedPath", "/a:b;c,d@e&f=g+h$!*()[]"),
        ("https://e.com/a\"<>", "getEscapedPath", "/a%22%3C%3E"),
        ("https://e.com", "getEscapedPath", ""),
        ("https://e.com?a=b", "getEscapedPath", ""),
        ("/a/b#c", "getEscapedPath", "/a/b"),
        ("mailto:a@b", "getEscapedPath", ""),
        ("HTTPS://E.com:80/", "getScheme", "https"),
        ("HTTPS://E.com:80/", "getHost", "E.com:80"),
        ("https://u:p@e.com:80/", "getHost", "e.com:80"),
        ("https://e.com:/", "getHost", "e.com:"),
        ("https://e.com:/", "getPort", ""),
        ("https://e.com:/", "getHostname", "e.com"),
        ("https://[::1]:80/", "getHostname", "::1"),
        ("https://[::1]/", "getPort", ""),
        ("https://[fe80::1%25eth0]:1/", "getHostname", "fe80::1%eth0"),
        ("https://%C3%A9.com/", "getHost", "é.com"),
        ("https://e.com/?k=a&k=b&l", "getQuery", "{\"k\":[\"a\", \"b\"], \"l\":[\"\"]}"),
        ("https://e.com/?a+b=c%20d&x;y=1&%zz=1", "getQuery", "{\"a b\":[\"c d\"]}"),
        ("https://e.com/?a=b#c=d", "getQuery", "{\"a\":[\"b\"]}"),
        ("mongodb://a:1,b:2/c", "getHost", "a:1,b:2"),
        ("///a/b", "getHost", ""),
        ("///a/b", "getEscapedPath", "///a/b"),
    ];
    for (text, name, expected) in parts {
        assert_eq!(part(text, name), expected, "{text} {name}");
    }
    let refused = [
        ("", "parse \"\": empty url"),
        ("a/b", "parse \"a/b\": invalid URI for request"),
        (":a", "parse \":a\": missing protocol scheme"),
        ("https://e.com/%zz", "parse \"https://e.com/%zz\": invalid URL escape \"%zz\""),
        ("https://e.com/%1", "parse \"https://e.com/%1\": invalid URL escape \"%1\""),
        ("https://e .com/", "parse \"https://e .com/\": invalid character \" \" in host name"),
        ("https://e%41.com/", "parse \"https://e%41.com/\": invalid URL escape \"%41\""),
        ("https://e.com:a/", "parse \"https://e.com:a/\": invalid port \":a\" after host"),
        ("https://a:b:c/", "parse \"https://a:b:c/\": invalid port \":b:c\" after host"),
        ("https://[::1/", "parse \"https://[::1/\": missing ']' in host"),
        ("https://[1.2.3.4]/", "parse \"https://[1.2.3.4]/\": invalid IP-literal"),
        ("https://[@e.com/t", "parse \"https://[@e.com/t\": net/url: invalid userinfo"),
        ("https://a[::1]/", "parse \"https://a[::1]/\": invalid IP-literal"),
        ("https://a b@e.com/", "parse \"https://a b@e.com/\": net/url: invalid userinfo"),
        ("https://e.com/\\n", "parse \"https://e.com/\\n\": net/url: invalid control character in URL"),
    ];
    for (text, reason) in refused {
        let expected = format!("error: URL parse error during conversion from string: {reason}");
        assert_eq!(part(text, "getHost"), expected, "{text}");
        assert_eq!(answer(&format!("isURL('{text}')")), "false", "{text}");
        let validated = answer(&format!("format.uri().validate('{text}').value()[0]"));
        assert_eq!(validated, reason, "{text}");
    }
}

#[test]
fn positions_outside_of_a_text_are_not_found() {
    hold(&[
        ("'abc'.indexOf('a', 30)", "-1"),
        ("'abc'.indexOf('c', 3)", "-1"),
        ("'abc'.indexOf('c', 2)", "2"),
        ("'abc'.indexOf('', 30)", "30"),
        ("'abc'.indexOf('', -1)", "-1"),
        ("'abc'.indexOf('a', -1)", "error: index out of range: -1"),
        ("'abc'.lastIndexOf('a', 30)", "-1"),
        ("'abc'.lastIndexOf('a', 3)", "-1"),
        ("'abc'.lastIndexOf('a', 2)", "0"),
        ("'abc'.lastIndexOf('bc', 2)", "1"),
        ("'abc'.lastIndexOf('', 7)", "7"),
        ("'abc'.lastIndexOf('a', -2)", "error: index out of range: -2"),
        ("'abc'.lastIndexOf('')", "3"),
        ("''.indexOf('a')", "-1"),
        ("''.lastIndexOf('a')", "-1"),
        ("''.indexOf('')", "0"),
        ("'éaé'.lastIndexOf('é', 1)", "0"),
        ("'abc'.indexOf('abcd')", "-1"),
        ("'abc'.charAt(3)", ""),
        ("'abc'.charAt(4)", "error: index out of range: 4"),
        ("'abc'.substring(4)", "error: index out of range: 4"),
    ]);
}

#[test]
fn the_last_of_equal_keys_counts() {
    hold(&[
        ("{1: 1, 1: 2}.size()", "1"),
        ("{1: 1, 1: 2}[1]", "2"),
        ("{'a': 1, 'b': 2, 'a': 3}", "{\"a\":3, \"b\":2}"),
        ("{'a': 1, ?'a': optional.none()}", "{}"),
        ("{?'a': optional.of(1), 'a': 2}", "{\"a\":2}"),
        ("{true: 1, 1 == 1: 2}", "{true:2}"),
        ("['x', 'x'].transformMapEntry(i, v, {v: i})", "error: insert failed: key x already exists"),
        ("{?'a': 1}", "error: cannot initialize optional entry 'a' from non-optional value 1"),
        ("[?1]", "error: cannot initialize optional list element from non-optional value 1"),
    ]);
}

#[test]
fn a_test_of_what_an_optional_does_not_have_is_false() {
    hold(&[
        ("has({}.?x.y)", "false"),
        ("has({'x': {}}.?x.y)", "false"),
        ("has({'x': {'y': 1}}.?x.y)", "true"),
        ("has({}.?x.?y.z)", "false"),
        ("has(optional.none().y)", "false"),
        ("has(optional.of({'y': 1}).y)", "true"),
        ("has(optional.of({}).y)", "false"),
        ("has({}[?'x'].y)", "false"),
        ("has({'x': {'y': {}}}.?x.y.z)", "false"),
        ("has({}.x)", "false"),
        ("has({}.x.y)", "error: no such key: x"),
    ]);
}

#[test]
fn numbers_compare_across_types_as_doubles() {
    for source in [
        "dyn(9223372036854775807) == 9223372036854775808.0",
        "dyn(9007199254740993) == 9007199254740992.0",
        "9223372036854775807 <= 9223372036854775808.0",
        "!(9223372036854775807 < 9223372036854775808.0)",
        "dyn(18446744073709551615u) == 18446744073709551616.0",
        "!(18446744073709551615u < 18446744073709551616.0)",
        "dyn(-9223372036854775808) == -9223372036854775808.0",
        "-9223372036854775808 > -9223372036854777856.0",
        "1 < 1.5 && 2 > 1.5 && 1u < 1.5 && 2u > 1.5",
        "0u > -1.0 && 0u > -1 && -1 < 0u",
        "dyn(1) == 1u && dyn(1u) == 1 && dyn(1.0) == 1u",
        "9223372036854775807 < 9223372036854775808u",
        "dyn(9223372036854775807) != 9223372036854775808u",
        "9007199254740993 >= 9007199254740992.0 && 9007199254740993 <= 9007199254740992.0",
        "dyn(0) == -0.0 && !(dyn(0) < -0.0)",
        "dyn(double('nan')) != double('nan') && dyn(1) != double('nan')",
        "double('inf') > 9223372036854775807 && -double('inf') < -9223372036854775808",
        "dyn(1) in [1.0] && dyn(1.0) in [1] && !(dyn(1.5) in [1])",
        "{1: 'a'}[dyn(1.0)] == 'a' && {1: 'a'}[dyn(1u)] == 'a'",
        "[1, 2][dyn(1.0)] == 2 && [1, 2][dyn(1u)] == 2",
    ] {
        assert_eq!(answer(source), "true", "{source}");
    }
}

#[test]
fn timestamps_have_parts_in_named_zones() {
    let noon = "timestamp('2024-07-04T12:30:45.678Z')";
    let parts = [
        ("getHours('America/New_York')", "8"),
        ("getHours('Asia/Kolkata')", "18"),
        ("getMinutes('Asia/Kolkata')", "0"),
        ("getMinutes('Asia/Kathmandu')", "15"),
        ("getDate('Pacific/Kiritimati')", "5"),
        ("getDayOfMonth('Pacific/Kiritimati')", "4"),
        ("getDayOfWeek('Pacific/Kiritimati')", "5"),
        ("getDayOfYear('Pacific/Kiritimati')", "186"),
        ("getMonth('Europe/Berlin')", "6"),
        ("getFullYear('Europe/Berlin')", "2024"),
        ("getSeconds('Europe/Berlin')", "45"),
        ("getMilliseconds('Europe/Berlin')", "678"),
        ("getHours('')", "12"),
        ("getHours('UTC')", "12"),
        ("getHours('Local')", "12"),
        ("getHours('+01:00')", "13"),
        ("getHours('-07:30')", "5"),
        ("getMinutes('-07:30')", "0"),
        ("getHours('02:00')", "14"),
        ("getHours('1:0')", "13"),
        ("getHours('-00:30')", "12"),
        ("getHours('Mars/Phobos')", "error: unknown time zone Mars/Phobos"),
        ("getHours('utc')", "error: unknown time zone utc"),
        ("getHours('../UTC')", "error: time: invalid location name"),
        ("getHours('/UTC')", "error: time: invalid location name"),
        ("getHours('a:00')", "error: strconv.Atoi: parsing \"a\": invalid syntax"),
        ("getHours('1:')", "error: strconv.Atoi: parsing \"\": invalid syntax"),
        ("getMilliseconds('Mars/Phobos')", "error: unknown time zone Mars/Phobos"),
    ];
    for (part, expected) in parts {
        assert_eq!(answer(&format!("{noon}.{part}")), expected, "{part}");
    }
}

#[test]
fn nesting_has_the_limits_of_the_servers_parser() {
    let refusal = |source: &str| parse(source).err().map(|error| error.issues[0].message.clone());
    let rules = Some("expression recursion limit exceeded: 250".to_owned());
    let operations = Some("max recursion depth exceeded".to_owned());
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        [open.repeat(count), inner.to_owned(), close.repeat(count)].concat()
    };
    let chain = |operator: &str, count: usize| vec!["a"; count + 1].join(operator);
    let cases = [
        ("choices in first branches", nested("true ? (", "true", ") : false", 200), None),
        ("choices in first branches", nested("true ? (", "true", ") : false", 249), None),
        ("choices in first branches", nested("true ? (", "true", ") : false", 250), rules.clone()),
        ("choices in second branches", nested("true ? 1 : ", "1", "", 249), None),
        ("choices in second branches", nested("true ? 1 : ", "1", "", 250), rules.clone()),
        ("parentheses", nested("(", "1", ")", 249), None),
        ("parentheses", nested("(", "1", ")", 250), rules.clone()),
        ("lists", nested("[", "1", "]", 249), None),
        ("lists", nested("[", "1", "]", 250), rules.clone()),
        ("calls", nested("f(", "1", ")", 250), rules.clone()),
        ("left operands", nested("(", "1", " + 1)", 248), None),
        ("left operands", nested("(", "1", " + 1)", 249), rules.clone()),
        ("right operands", nested("(1 + ", "1", ")", 124), None),
        ("right operands", nested("(1 + ", "1", ")", 125), rules.clone()),
        ("right operands of comparisons", nested("(1 == ", "1", ")", 125), rules),
        ("sums", chain(" + ", 250), None),
        ("sums", chain(" + ", 251), operations.clone()),
        ("products", chain(" * ", 251), operations.clone()),
        ("comparisons", chain(" == ", 251), operations.clone()),
        ("selections", chain(".", 250), None),
        ("selections", chain(".", 251), operations.clone()),
        ("indices", format!("a{}", "[0]".repeat(251)), operations.clone()),
        ("member calls", format!("a{}", ".f()".repeat(251)), operations),
        ("and", chain(" && ", 1000), None),
        ("or", chain(" || ", 1000), None),
        ("elements", format!("[{}]", vec!["a.b"; 1000].join(", ")), None),
        ("signs", format!("{}1", "-".repeat(1000)), None),
    ];
    for (what, source, expected) in cases {
        assert_eq!(refusal(&source), expected, "{what}, {} bytes", source.len());
    }
}

#[test]
fn reserved_words_after_a_dot_are_told_as_such() {
    let reported = [
        ("self.true", "1:6", "Syntax error: mismatched input 'true' expecting IDENTIFIER"),
        ("self.false", "1:6", "Syntax error: mismatched input 'false' expecting IDENTIFIER"),
        ("self.null", "1:6", "Syntax error: mismatched input 'null' expecting IDENTIFIER"),
        ("self.a.true", "1:8", "Syntax error: mismatched input 'true' expecting IDENTIFIER"),
        ("self.`s` == 'a'", "1:6", "unsupported syntax: '`'"),
    ];
    for (source, place, message) in reported {
        let error = parse(source).unwrap_err();
        let issue = &error.issues[0];
        assert_eq!(
            (format!("{}:{}", issue.line, issue.column).as_str(), issue.message.as_str()),
            (place, message),
            "{source}"
        );
    }
    let env = TypeEnvironment::new();
    let issues =
        check_expression(&parse("timestamp(-62135596801) == timestamp(0)").unwrap(), &env).unwrap_err();
    assert_eq!(
        (issues[0].line, issues[0].column, issues[0].message.as_str()),
        (1, 11, "invalid timestamp argument")
    );
}
