//! Functions of the libraries, each row read off the source that is named above its table: what a call gives, or the words of
//! its error.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_cel::eval::{CALL_LIMIT, Scope, evaluate_expression, instantiation_problem};
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
    // Values of other types have hashes, but the result of such maps is not supported here, which the error states.
    for source in
        ["{0.0 / 0.0: 1}.size()", "{null: 1}.size()", "{[1]: 1}.size()", "{duration('1s'): 1}.size()"]
    {
        let result = evaluate_expression(&parse(source).unwrap(), &Scope::default(), CALL_LIMIT).result;
        assert_eq!(result.unwrap_err().kind, ErrorKind::Unsupported, "{source}");
    }
}

/// apiserver pkg/cel/library/quantity.go; apimachinery api/resource/quantity.go, ParseQuantity and AsInt64.
#[test]
fn quantities_are_read_and_compared_as_the_server_does() {
    let unread = "error: quantities must match the regular expression \
                  '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    hold(&[
        ("quantity('50k').asInteger()", "50000"),
        ("quantity('1.5Gi').isInteger()", "false"),
        ("quantity('1.5Gi').asInteger()", "error: cannot convert value to integer"),
        ("quantity('9999999999999999999999').isInteger()", "false"),
        ("quantity('50k').asApproximateFloat() == 50000.0", "true"),
        ("quantity('1') == quantity('1000m')", "true"),
        ("quantity('1Ki').compareTo(quantity('1k'))", "1"),
        ("quantity('50k').add(20) == quantity('50020')", "true"),
        ("quantity('50k').sub(quantity('100k')).asInteger()", "-50000"),
        ("sign(quantity('-50k'))", "-1"),
        ("quantity('2a')", unread),
        ("quantity('')", unread),
        ("isQuantity('1E')", "true"),
        ("isQuantity('1e3')", "true"),
        ("isQuantity('5.')", "true"),
        ("isQuantity('1Ki1')", "false"),
        ("quantity(dyn(1))", "error: no such overload: quantity(int)"),
        ("quantity('1').add(dyn('a'))", "error: no such overload: add(kubernetes.Quantity, string)"),
    ]);
}

/// apiserver pkg/cel/library/ip.go, parseIPAddr and ipIsCanonical.
#[test]
fn addresses_are_read_as_the_server_reads_them() {
    hold(&[
        ("ip('192.168.0.1').family()", "4"),
        ("ip('::1').family()", "6"),
        ("ip('::ffff:1.2.3.4')", "error: IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"),
        ("ip('fe80::1%eth0')", "error: IP address \"fe80::1%eth0\" with zone value is not allowed"),
        (
            "ip('127.0.0.1.0')",
            "error: IP Address \"127.0.0.1.0\" parse error during conversion from string: ParseAddr(\"127.0.0.1.0\"): IPv4 \
             address too long",
        ),
        ("isIP('::ffff:1.2.3.4')", "false"),
        ("isIP('1.2.3.4/24')", "false"),
        ("ip.isCanonical('::1')", "true"),
        ("ip.isCanonical('::0')", "false"),
        ("ip.isCanonical('2001:DB8::1')", "false"),
        ("ip('0.0.0.0').isUnspecified()", "true"),
        ("ip('127.0.0.5').isLoopback()", "true"),
        ("ip('224.0.0.1').isLinkLocalMulticast()", "true"),
        ("ip('169.254.1.1').isLinkLocalUnicast()", "true"),
        ("ip('192.168.0.1').isGlobalUnicast()", "true"),
        ("string(ip('2001:DB8::1'))", "2001:db8::1"),
        ("ip('::1') == ip('0:0:0:0:0:0:0:1')", "true"),
    ]);
}

/// apiserver pkg/cel/library/cidr.go; a text that is no address gives the error of the network, `MaybeNoSuchOverloadErr(arg)`.
#[test]
fn networks_contain_what_the_server_says() {
    let unread = |text: &str, reason: &str| {
        let parse = "network address parse error during conversion from string";
        format!("error: {parse}: {parse}: netip.ParsePrefix({text:?}): {reason}")
    };
    hold(&[
        ("cidr('192.168.0.0/24').containsIP('192.168.0.1')", "true"),
        ("cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))", "false"),
        ("cidr('192.168.0.0/24').containsIP('::1')", "false"),
        ("cidr('192.168.0.0/24').containsIP('a')", "error: no such overload"),
        ("cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", "false"),
        ("cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", "true"),
        ("cidr('192.168.0.0/24').containsCIDR('a')", &unread("a", "no '/'")),
        ("cidr('192.168.0.1/24').prefixLength()", "24"),
        ("cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')", "true"),
        ("string(cidr('192.168.0.1/24').ip())", "192.168.0.1"),
        ("string(cidr('2001:DB8::/32'))", "2001:db8::/32"),
        ("cidr('192.168.0.0/33')", &unread("192.168.0.0/33", "prefix length out of range")),
        ("cidr('1.2.3.4/024')", &unread("1.2.3.4/024", "bad bits after slash: \"024\"")),
        ("isCIDR('::ffff:1.2.3.0/120')", "false"),
        ("isCIDR('fe80::1%eth0/64')", "false"),
        ("isCIDR('10.0.0.0/8')", "true"),
    ]);
}

/// apiserver pkg/cel/library/semverlib.go, normalizeAndParse; blang/semver v4, Parse and Compare.
#[test]
fn versions_are_read_and_compared_as_the_server_does() {
    hold(&[
        ("semver('1.2.3').major()", "1"),
        ("semver('1.2')", "error: No Major.Minor.Patch elements found"),
        ("semver('v1.2.3')", "error: Invalid character(s) found in major number \"v1\""),
        ("semver('v1.2', true).patch()", "0"),
        ("semver('01.02.03', true).minor()", "2"),
        ("semver('00.0.0', true).major()", "0"),
        ("semver('1.2-a', true)", "error: short version cannot contain PreRelease/Build meta data"),
        ("semver('1.2.3.4', true)", "error: Invalid character(s) found in patch number \"3.4\""),
        ("semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))", "true"),
        ("semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))", "true"),
        ("semver('1.2.3+a').compareTo(semver('1.2.3+b'))", "0"),
        ("isSemver('1.2.3-01')", "false"),
        ("isSemver('1.2.3-')", "false"),
        ("isSemver('')", "false"),
        ("isSemver(' 1.0.0', true)", "false"),
        ("isSemver('v1', true)", "true"),
    ]);
}

/// apiserver pkg/cel/library/regex.go, find and findAll: a pattern that is not constant is read when it is used, and the words of
/// its error have a beginning of their own.
#[test]
fn patterns_of_find_are_read_as_the_server_reads_them() {
    hold(&[
        ("'abc 123'.find('[0-9]+')", "123"),
        ("'abc'.find('[0-9]+')", ""),
        ("'123 abc 456'.findAll('[0-9]+')", "[\"123\", \"456\"]"),
        ("'123 abc 456'.findAll('[0-9]+', 1)", "[\"123\"]"),
        ("'123'.findAll('[0-9]', 0)", "[]"),
        ("'123'.findAll('[0-9]', -5)", "[\"1\", \"2\", \"3\"]"),
        ("'abc'.findAll('x')", "[]"),
        ("'ab'.findAll('')", "[\"\", \"\", \"\"]"),
        ("'a\\nb'.find('a.b')", ""),
        ("'é'.find('.')", "é"),
        ("'abc'.find('(' + '')", "error: Illegal regex: error parsing regexp: missing closing ): `(`"),
        ("'abc'.findAll('[' + '')", "error: Illegal regex: error parsing regexp: missing closing ]: `[`"),
        (
            "'abc'.findAll('a*' + '*', 2)",
            "error: Illegal regex: error parsing regexp: invalid nested repetition operator: `**`",
        ),
        ("'abc'.matches('(' + '')", "error: error parsing regexp: missing closing ): `(`"),
    ]);
}

/// cel-go ext/comprehensions.go; common/types/map.go, mutableMap.Insert.
#[test]
fn loops_of_two_variables_give_what_the_server_gives() {
    hold(&[
        ("[1, 2].all(i, v, i < v)", "true"),
        ("[1, 2].exists(i, v, v / i == 2)", "true"),
        ("[1, 2].existsOne(i, v, v == 2)", "true"),
        ("[1, 2].exists_one(i, v, v == 2)", "true"),
        ("[0, 1].existsOne(i, v, 1 / v == 1)", "error: division by zero"),
        ("{'a': 1}.all(k, v, k == 'a' && v == 1)", "true"),
        ("[3, 4].transformList(i, v, i + v)", "[3, 5]"),
        ("[3, 4].transformList(i, v, v > 3, v)", "[4]"),
        ("[3, 4].transformMap(i, v, v * 2)", "{0:6, 1:8}"),
        ("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v)", "{\"b\":2}"),
        ("[1].transformMap(i, v, 1 / 0)", "error: division by zero"),
        ("[1, 2].transformMapEntry(i, v, {v: 1, v + 10: 2}).size()", "4"),
        ("[1, 2].transformMapEntry(i, v, v > 1, {v: i})", "{2:1}"),
        ("[1, 2].transformMapEntry(i, v, {})", "{}"),
        ("[1, 2].transformMapEntry(i, v, {'a': v})", "error: insert failed: key a already exists"),
    ]);
}

/// cel-go cel/library.go, optionalLib; common/types/optional.go.
#[test]
fn optionals_give_what_the_server_gives() {
    hold(&[
        ("optional.of(1).optMap(x, x + 1).value()", "2"),
        ("optional.of(optional.of(1)).optFlatMap(x, x).value()", "1"),
        ("optional.none().orValue(3)", "3"),
        ("optional.of(1).or(optional.of(2)).value()", "1"),
        ("optional.none().value()", "error: optional.none() dereference"),
        ("optional.ofNonZeroValue(0).hasValue()", "false"),
        ("optional.ofNonZeroValue('').orValue('x')", "x"),
        ("[optional.of(1), optional.none()].unwrapOpt()", "[1]"),
        ("optional.unwrap([optional.of(1), optional.none()])", "[1]"),
        ("[1, 2][?5].hasValue()", "false"),
        ("{'a': 1}[?'b'].orValue(4)", "4"),
        ("{?'a': optional.none(), ?'b': optional.of(1)}", "{\"b\":1}"),
        ("[?optional.of(1), ?optional.none()]", "[1]"),
        ("optional.of(1) == optional.of(1)", "true"),
        ("optional.none() == optional.of(1)", "false"),
        ("optional.of({'a': 1}).a.orValue(2)", "1"),
    ]);
}

/// cel-go ext/strings.go: charAt, indexOfOffset, lastIndexOfOffset, replaceN, splitN, substrRange, quote.
#[test]
fn positions_and_parts_of_texts_are_those_of_the_server() {
    hold(&[
        ("'abc'.charAt(3)", ""),
        ("'abc'.charAt(4)", "error: index out of range: 4"),
        ("'héllo'.charAt(1)", "é"),
        ("'abc'.indexOf('', 4)", "4"),
        ("'abc'.indexOf('c', -1)", "error: index out of range: -1"),
        ("'abc'.lastIndexOf('', 1)", "1"),
        ("'a,b'.split(',', 0)", "[]"),
        ("'a,b'.split(',', 1)", "[\"a,b\"]"),
        ("'a,b,c'.split(',', -1)", "[\"a\", \"b\", \"c\"]"),
        ("'aaa'.replace('', 'b', 2)", "babaa"),
        ("'aaa'.replace('a', 'b', -1)", "bbb"),
        ("'tacocat'.substring(4, 3)", "error: invalid substring range. start: 4, end: 3"),
        ("'tacocat'.substring(8)", "error: index out of range: 8"),
        ("'ABCÉ'.lowerAscii()", "abcÉ"),
        ("strings.quote('a\"b\\\\c\\n\\u0007é')", "\"a\\\"b\\\\c\\n\\aé\""),
    ]);
}

/// cel-go ext/sets.go and ext/lists.go, version 3.
#[test]
fn sets_and_lists_give_what_the_server_gives() {
    hold(&[
        ("sets.contains([1, 2], [1, 1])", "true"),
        ("sets.contains([1], dyn([1.0, 1u]))", "true"),
        ("sets.contains([1], [2])", "false"),
        ("sets.equivalent([1, 2], [2, 1, 1])", "true"),
        ("sets.equivalent([], [1])", "false"),
        ("sets.intersects([1], [])", "false"),
        ("[1].slice(0, 2)", "error: cannot slice(0, 2), list is length 1"),
        ("[1, 2].slice(-1, 1)", "error: cannot slice(-1, 1), negative indexes not supported"),
        (
            "[1, 2].slice(2, 1)",
            "error: cannot slice(2, 1), start index must be less than or equal to end index",
        ),
        ("[[1]].flatten(-1)", "error: level must be non-negative"),
        ("dyn([[1, [2]], [3]]).flatten()", "[1, [2], 3]"),
        ("[dyn(1), dyn('a')].sort()", "error: list elements must have the same type"),
        ("[dyn([1])].sort()", "error: list elements must be comparable"),
        ("[3, 1, 2].sortBy(x, -x)", "[3, 2, 1]"),
        ("[1, 1, 2].distinct()", "[1, 2]"),
        ("lists.range(3)", "[0, 1, 2]"),
        ("lists.range(-1)", "[]"),
        ("[].last().hasValue()", "false"),
        ("['a', 'b'].reverse()", "[\"b\", \"a\"]"),
    ]);
}
