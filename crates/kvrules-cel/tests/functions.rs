//! Results of functions and operators: expressions that are true, and the messages of those that fail.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression};
use kvrules_cel::parse;
use kvrules_cel::value::{ErrorKind, Value};
use proptest::prelude::*;

/// Facts of the CEL specification, of cel-go's extension libraries and of Kubernetes' libraries.
const TRUE: &[&str] = &[
    // numbers
    "1 + 2 * 3 == 7",
    "7 / -2 == -3 && 7 % -2 == 1 && -7 % 2 == -1",
    "1 < 1.5 && 2u > 1 && 1.0 <= 1u && 9223372036854775807 <= 9223372036854775808.0",
    "dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) != '1'",
    "int('-12') == -12 && int(3.9) == 3 && int(-3.9) == -3 && uint(3.9) == 3u && double('1e3') == 1000.0",
    "string(1.0) == '1' && string(1e6) == '1e+06' && string(1e21) == '1e+21' && string(0.00001) == '1e-05' && string(-1.5) == '-1.5'",
    "int(timestamp('1970-01-01T00:01:00Z')) == 60",
    // strings count code points
    "size('é😀') == 2 && 'é😀x'.charAt(1) == '😀' && 'é😀x'.substring(1, 2) == '😀' && 'aé'.indexOf('é') == 1",
    "'tacocat'.indexOf('a', 3) == 5 && 'tacocat'.lastIndexOf('a') == 5 && 'tacocat'.lastIndexOf('a', 4) == 1",
    "'tacocat'.indexOf('') == 0 && 'tacocat'.lastIndexOf('') == 7 && 'a'.indexOf('b') == -1",
    "'hello hello'.replace('he', 'we', 1) == 'wello hello' && 'ab'.replace('', '_') == '_a_b_'",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b']",
    "'a,b'.split(',', 0) == [] && ['x', 'y'].join('-') == 'x-y' && ['x', 'y'].join() == 'xy'",
    "'  a\\t'.trim() == 'a' && 'TacoÇ'.lowerAscii() == 'tacoÇ' && 'é'.upperAscii() == 'é'",
    "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'",
    "'abc'.contains('') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'a' < 'b' && 'Z' < 'a'",
    "'%s|%d|%.2f|%x|%b|%o|%X|%e|%%'.format(['a', 7, 1.5, 255, 5, 8, 'hi', 1234.5]) == 'a|7|1.50|ff|101|10|6869|1.234500\u{202f}×\u{202f}10⁰³|%'",
    "'%s %s %s'.format([[1, 'a'], {'k': true}, null]) == '[1, \"a\"] {\"k\":true} null'",
    "bytes('é').size() == 2 && string(b'abc') == 'abc' && b'a' + b'b' == b'ab'",
    // regular expressions
    "'abc123'.matches('[0-9]+') && !'abc'.matches('^b') && matches('a.c', 'a\\\\.c')",
    "'abc 123 456'.find('[0-9]+') == '123' && 'abc'.find('[0-9]') == ''",
    "'1 2 3'.findAll('[0-9]') == ['1', '2', '3'] && '1 2 3'.findAll('[0-9]', 2) == ['1', '2']",
    // lists and maps
    "1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && [1, 2] + [3] == [1, 2, 3] && size({'a': 1}) == 1",
    "{'a': 1, 'b': 2} == {'b': 2, 'a': 1} && [[1], [2]][1][0] == 2",
    "[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2, 2].exists_one(x, x == 1)",
    "[1, 2, 3].map(x, x * 2) == [2, 4, 6] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
    "[1, 2, 3].filter(x, x != 2) == [1, 3] && {'a': 1}.map(k, k) == ['a']",
    "['a', 'b'].all(i, v, i < 2 && v != '') && {'a': 1}.exists(k, v, k == 'a' && v == 1)",
    "['a', 'b'].existsOne(i, v, i == 1) && ['a'].transformList(i, v, v + string(i)) == ['a0']",
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10) == {'b': 20}",
    "['x', 'y'].transformMapEntry(i, v, {v: i}) == {'x': 0, 'y': 1}",
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sortBy(x, x) == ['a', 'b'] && [1, 2].reverse() == [2, 1]",
    "[1, 1, 2].distinct() == [1, 2] && [1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3]",
    "lists.range(3) == [0, 1, 2] && [1, 2].first().value() == 1 && !dyn([]).last().hasValue()",
    "[1, 2, 3].sum() == 6 && [1.5, 2.0].sum() == 3.5 && ['b', 'a'].min() == 'a' && [1, 3, 2].max() == 3",
    "[1, 2, 2].isSorted() && ![2, 1].isSorted() && [1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2",
    "sets.contains([1, 2], [1]) && sets.equivalent([1, 2, 2], [2, 1]) && !sets.intersects([1], [2])",
    // errors absorbed
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "!(false && 1 / 0 == 1) && !(1 / 0 == 1 && false)",
    "[0, 1].exists(x, 1 / x == 1) && ![0, 2].all(x, 1 / x == 1)",
    // optionals
    "{'a': 1}.?a.value() == 1 && !{'a': 1}.?b.hasValue() && {'a': 1}[?'b'].orValue(3) == 3",
    "{'a': {'b': 2}}.?a.b.value() == 2 && !{}.?a.?b.hasValue() && [1][?0].value() == 1 && ![1][?1].hasValue()",
    "optional.of(1).optMap(x, x + 1).value() == 2 && optional.none().or(optional.of(2)).value() == 2",
    "[?optional.of(1), ?optional.none()] == [1] && {?'a': optional.none()} == {}",
    "optional.ofNonZeroValue('') == optional.none() && [optional.of(1), optional.none()].unwrapOpt() == [1]",
    "optional.of({'a': 1}).optFlatMap(m, m.?a).value() == 1 && has({'a': 1}.a) && !has({'a': 1}.b)",
    // time
    "duration('1h30m').getMinutes() == 90 && duration('1.5s') < duration('2s') && string(duration('90s')) == '90s'",
    "timestamp('2024-02-29T12:34:56.789Z').getDayOfYear() == 59",
    "timestamp('2024-02-29T12:34:56.789Z').getMilliseconds() == 789",
    "timestamp('2024-02-29T23:30:00Z').getDate('+01:00') == 1 && timestamp('2024-02-29T00:00:00Z').getMonth() == 1",
    "timestamp('2024-01-01T00:00:00Z') + duration('24h') == timestamp('2024-01-02T00:00:00Z')",
    "timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')",
    // types
    "type(1) == int && type('') == string && type(type(1)) == type && type(null) == null_type && type([]) == list",
    "type(quantity('1')) != string && type(timestamp('2024-01-01T00:00:00Z')) == google.protobuf.Timestamp",
    // quantities
    "quantity('1.5Gi').isGreaterThan(quantity('1Gi')) && quantity('1k').asInteger() == 1000",
    "!quantity('2.5Gi').isInteger() && quantity('2.5Gi').compareTo(quantity('2560Mi')) == 0",
    "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').sub(20000) == quantity('30k')",
    "sign(quantity('-1')) == -1 && quantity('50.5').asApproximateFloat() == 50.5 && !isQuantity('x') && !isQuantity('')",
    "isQuantity('1.3Gi') && !isQuantity('1.3 Gi') && !isQuantity('10Mo') && quantity('1e3') == quantity('1k')",
    // networks
    "ip('::1').family() == 6 && ip('127.0.0.1').isLoopback() && !isIP('127.0.0.1.0') && string(ip('::0001')) == '::1'",
    "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD') && !isIP('::ffff:1.2.3.4') && !isIP('01.2.3.4')",
    "cidr('192.168.0.0/24').containsIP('192.168.0.9') && !cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))",
    "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/16')) && !cidr('10.0.0.0/16').containsCIDR('10.0.0.0/8')",
    "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24') && cidr('::1/64').prefixLength() == 64",
    "cidr('192.168.0.1/24').ip() == ip('192.168.0.1') && isCIDR('1.2.3.4/32') && !isCIDR('1.2.3.4/33') && !isCIDR('1.2.3.4')",
    "url('https://example.com:80/a%20b?k=a&k=b&l').getHost() == 'example.com:80'",
    "url('https://example.com:80/a').getPort() == '80' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://e.com/a%20b?k=a&k=b').getEscapedPath() == '/a%20b' && url('https://e.com?k=a&k=b').getQuery()['k'] == ['a', 'b']",
    "isURL('https://example.com') && !isURL('../x') && isURL('/path') && url('/path').getScheme() == ''",
    // versions
    "semver('1.2.3').major() == 1 && semver('1.10.0').isGreaterThan(semver('1.9.0')) && !isSemver('v1.0') && isSemver('v1.0', true)",
    "semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1 && !isSemver('01.0.0')",
    // formats
    "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('My').hasValue()",
    "format.named('dns1123Subdomain').value().validate('a..b').hasValue() && !format.named('nope').hasValue()",
    "!format.qualifiedName().validate('example.com/MyName').hasValue() && format.labelValue().validate('-').hasValue()",
    "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && format.date().validate('2021-13-01').hasValue()",
    "!format.dns1123LabelPrefix().validate('my-').hasValue() && format.dns1035Label().validate('1a').hasValue()",
];

/// An expression and the text with which it fails.
const FAILS: &[(&str, &str)] = &[
    ("1 / 0", "division by zero"),
    ("1 % 0", "modulus by zero"),
    ("9223372036854775807 + 1", "integer overflow"),
    ("0u - 1u", "unsigned integer overflow"),
    ("[1][1]", "index out of bounds: 1"),
    ("{'a': 1}.b", "no such key: b"),
    ("{'a': 1}['b']", "no such key: b"),
    ("dyn(1) + 'a'", "no such overload"),
    ("dyn('a') && true", "no such overload"),
    ("dyn(1).matches('a')", "no such overload"),
    ("quantity(dyn(1))", "no such overload: quantity(int)"),
    ("quantity('2.5Gi').asInteger()", "cannot convert value to integer"),
    ("'a'.charAt(2)", "index out of range: 2"),
    ("'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"),
    ("optional.none().value()", "optional.none() dereference"),
    ("[1].min() / 0", "division by zero"),
    ("dyn([]).min()", "min called on empty list"),
];

#[test]
fn these_expressions_are_true() {
    for source in TRUE {
        let outcome = evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT);
        assert!(matches!(outcome.result, Ok(Value::Bool(true))), "{source}: {:?}", outcome.result);
    }
}

#[test]
fn these_expressions_fail_with_these_words() {
    for (source, text) in FAILS {
        let outcome = evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT);
        let error = outcome.result.expect_err(source);
        assert_eq!(error.message, *text, "{source}");
    }
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (source, name) in [
        ("authorizer.path('/').check('get').allowed()", "`authorizer`"),
        ("math.greatest(1, 2)", "`greatest`"),
        ("'%.40000f'.format([1.0])", "40000 digits"),
    ] {
        let outcome = evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT);
        let error = outcome.result.expect_err(source);
        assert_eq!(error.kind, ErrorKind::Unsupported, "{source}: {error}");
        assert!(error.message.contains(name), "{error}");
    }
}

#[test]
fn the_cost_limit_ends_an_evaluation_and_nothing_absorbs_it() {
    let source = "true || lists.range(400).all(a, lists.range(400).all(b, a + b >= 0))";
    assert!(evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT).result.is_ok());
    let source = "lists.range(400).all(a, lists.range(400).all(b, a + b >= 0)) || true";
    let outcome = evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT);
    assert_eq!(outcome.result.unwrap_err().kind, ErrorKind::Cancelled);
    assert!(outcome.cost > CALL_LIMIT);
}

#[test]
fn deep_expressions_do_not_bring_the_evaluator_down() {
    for (open, close) in [("(", ")"), ("!(", ")"), ("[", "][0]"), ("size([", "])"), ("true?(", "):1")] {
        let source = format!("{}1{}", open.repeat(120), close.repeat(120));
        let _ =
            parse(&source).map(|expression| evaluate_expression(&expression, &Scope::default(), CALL_LIMIT));
    }
    let sum = format!("1{}", "+1".repeat(240));
    let outcome = evaluate_expression(&parse(&sum).unwrap(), &Scope::default(), CALL_LIMIT);
    assert!(matches!(outcome.result, Ok(Value::Int(241))));
}

const ATOMS: &[&str] = &[
    "1",
    "-1",
    "9223372036854775807",
    "1.5",
    "2u",
    "'a'",
    "'é😀'",
    "''",
    "b'a'",
    "null",
    "true",
    "[]",
    "[1, 2]",
    "{'a': 1}",
    "dyn(1)",
    "optional.none()",
    "optional.of('x')",
    "duration('1h')",
    "timestamp('9999-12-31T23:59:59Z')",
    "quantity('1Gi')",
    "ip('::1')",
    "cidr('::1/0')",
    "url('/a')",
    "int",
];
const CALLS: &[&str] = &[
    "({a} + {b})",
    "({a} - {b})",
    "({a} * {b})",
    "({a} / {b})",
    "({a} % {b})",
    "({a} == {b})",
    "({a} < {b})",
    "({a} in {b})",
    "(-({a}))",
    "!({a})",
    "size({a})",
    "string({a})",
    "int({a})",
    "{a}.sub({b})",
    "{a}.split({b})",
    "{a}.substring({b})",
    "{a}.slice({b}, {b})",
    "{a}.flatten({b})",
    "{a}.sort()",
    "{a}[{b}]",
    "{a}[?{b}]",
    "{a}.map(x, {b})",
    "{a}.all(x, x == {b})",
    "{a}.sortBy(x, {b})",
    "{a}.optMap(x, {b})",
    "'%s'.format([{a}])",
    "{a}.transformMap(k, v, {b})",
    "{a}.getHours()",
    "({a} ? {b} : {a})",
    "{a}.matches({b})",
    "{a}.masked()",
    "{a}.indexOf({b}, {b})",
    "{a}.replace({b}, {b}, {b})",
    "uint({a})",
    "{a}.containsIP({b})",
    "{a}.orValue({b})",
];

proptest! {
    #[test]
    fn any_expression_gives_a_value_or_an_error(
        atoms in prop::collection::vec(prop::sample::select(ATOMS), 4),
        calls in prop::collection::vec(prop::sample::select(CALLS), 3),
    ) {
        let fill = |call: &str, a: &str, b: &str| call.replace("{a}", a).replace("{b}", b);
        let left = fill(calls[0], atoms[0], atoms[1]);
        let right = fill(calls[1], atoms[2], atoms[3]);
        let source = fill(calls[2], &format!("({left})"), &format!("({right})"));
        let _ = parse(&source).map(|expression| evaluate_expression(&expression, &Scope::default(), CALL_LIMIT));
    }
}
