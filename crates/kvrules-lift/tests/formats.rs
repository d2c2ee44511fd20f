//! Patterns in place of formats, and the server's functions, on texts that are nearly valid.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kvrules_cel::ast::Expression;
use kvrules_cel::eval::{CALL_LIMIT, ExpressionShape, Scope, evaluate_expression};
use kvrules_cel::value::Value;
use kvrules_generate::PseudoRandom;
use kvrules_lift::definition_rules;
use kvrules_lift::rewrite::find_form;
use serde_json::json;

/// The texts that each format is tried with.
const TEXTS: usize = 6_000;

/// The form of a rule about a text without the functions of newer servers.
fn as_pattern(rule: &str) -> String {
    let schema = json!({"type": "string", "x-kubernetes-validations": [{"rule": rule}]});
    let is_old =
        |text: &str| !["isIP", "ip(", "isCIDR", "cidr(", "format."].iter().any(|name| text.contains(name));
    let found = find_form(&definition_rules(&schema)[0], &mut |text| is_old(text).then_some(0));
    found.unwrap_or_else(|| panic!("no form of {rule}"))
}

fn evaluate(expression: &Expression, text: &str) -> bool {
    let mut scope = Scope::default();
    scope.variables.insert("self", (Value::String(text.into()), ExpressionShape::Known));
    match evaluate_expression(expression, &scope, CALL_LIMIT).result {
        Ok(Value::Bool(value)) => value,
        other => panic!("{text:?}: {other:?}"),
    }
}

/// Compares a rule with its form on texts, and returns the numbers of valid and invalid ones.
fn compare(rule: &str, texts: &[String]) -> (usize, usize) {
    let pattern = kvrules_cel::parse(&as_pattern(rule)).unwrap();
    let server = kvrules_cel::parse(rule).unwrap();
    let mut counts = (0, 0);
    for text in texts {
        let is_valid = evaluate(&server, text);
        assert_eq!(evaluate(&pattern, text), is_valid, "{rule}: {text:?}");
        if is_valid {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }
    counts
}

fn pick<'t>(random: &mut PseudoRandom, from: &[&'t str]) -> &'t str {
    random.choose_one(from).copied().unwrap()
}

fn four(random: &mut PseudoRandom) -> String {
    let good = ["0", "1", "9", "10", "99", "100", "199", "200", "249", "255"];
    let any = ["0", "255", "256", "01", "", "1000", "a"];
    let from: &[&str] = if random.number_below(6) == 0 { &any } else { &good };
    let count = if random.number_below(10) == 0 { random.number_below(6) } else { 4 };
    (0..count).map(|_| pick(random, from)).collect::<Vec<_>>().join(".")
}

/// Groups with colons, often with an ellipsis, and now and then with an address of IPv4 at the end.
fn address(random: &mut PseudoRandom) -> String {
    if random.number_below(4) == 0 {
        return four(random);
    }
    let mut groups: Vec<String> = Vec::new();
    if random.number_below(3) == 0 {
        let zeros = random.number_below(7);
        groups.extend((0..zeros).map(|_| pick(random, &["0", "00", "0000"]).to_owned()));
        groups.push(pick(random, &["ffff", "FFFF", "fffF", "fff", "0ffff"]).to_owned());
    } else {
        let names = ["0", "1", "ab", "Ff", "123", "beef", "ffff", "0000", "12345", "g"];
        let from = if random.number_below(4) == 0 { &names[..] } else { &names[..8] };
        for _ in 0..random.number_below(9) {
            groups.push(pick(random, from).to_owned());
        }
    }
    groups.extend((0..random.number_below(4)).map(|_| "0".to_owned()));
    if random.number_below(3) == 0 {
        groups.push(four(random));
    }
    if random.number_below(3) > 0 {
        groups.insert(random.number_below(groups.len() + 1), String::new());
    }
    let mut text = groups.join(":");
    if text.starts_with(':') && random.number_below(8) > 0 {
        text.insert(0, ':');
    }
    if text.ends_with(':') && random.number_below(8) > 0 {
        text.push(':');
    }
    text
}

fn addresses() -> Vec<String> {
    let mut random = PseudoRandom::with_seed(7);
    let mut texts: Vec<String> = (0..TEXTS).map(|_| address(&mut random)).collect();
    let ends = ["", "ffff:1:2", "ffff:1.2.3.4", "1.2.3.4", "ffff", "ffff:1", "ffff:0:1", "ffff:0:1.2.3.4"];
    // Every number of groups before and after an ellipsis.
    for (before, after) in (0..9).flat_map(|before| (0..9).map(move |after| (before, after))) {
        for (zero, end) in ["0", "1"].into_iter().flat_map(|zero| ends.map(|end| (zero, end))) {
            let head = vec![zero; before].join(":");
            let tail = vec![zero; after].into_iter().chain([end]).filter(|it| !it.is_empty());
            let tail = tail.collect::<Vec<_>>().join(":");
            texts.extend([format!("{head}::{tail}"), format!("{head}:{tail}"), format!("{head}:{tail}::")]);
        }
    }
    texts.extend(["fe80::1%eth0", "", ":", "::", ":::", "1.2.3.4\n", "\n::1", "::1 "].map(str::to_owned));
    texts
}

#[test]
fn patterns_of_addresses_accept_what_servers_accept() {
    let texts = addresses();
    for (rule, least) in [
        ("isIP(self)", 1_000),
        ("isIP(self) && ip(self).family() == 4", 500),
        ("isIP(self) && ip(self).family() == 6", 500),
        ("!isIP(self)", 1_000),
    ] {
        let (valid, invalid) = compare(rule, &texts);
        assert!(valid >= least && invalid >= least, "{rule}: {valid} {invalid}");
    }
}

#[test]
fn patterns_of_networks_accept_what_servers_accept() {
    let lengths = [
        "/0", "/9", "/10", "/32", "/33", "/64", "/99", "/128", "/129", "/1280", "/01", "/", "/+1", "/-1",
        "/a", "",
    ];
    let mut random = PseudoRandom::with_seed(11);
    let texts: Vec<String> = addresses().into_iter().map(|text| text + pick(&mut random, &lengths)).collect();
    for rule in [
        "isCIDR(self)",
        "isCIDR(self) && cidr(self).ip().family() == 4",
        "isCIDR(self) && cidr(self).ip().family() == 6",
    ] {
        let (valid, invalid) = compare(rule, &texts);
        assert!(valid > 200 && invalid > 200, "{rule}: {valid} {invalid}");
    }
}

#[test]
fn patterns_of_named_formats_accept_what_servers_accept() {
    let pieces =
        ["a", "Z", "0", "-", ".", "_", "ab", "9f", "=", "+", "/", "é", " ", "\n", "0123abcd", "0123-4567"];
    for name in ["dns1123Label", "dns1123Subdomain", "dns1035Label", "labelValue", "uuid", "byte"] {
        let mut random = PseudoRandom::with_seed(name.len() as u64);
        let mut texts = Vec::new();
        for _ in 0..TEXTS {
            let (most, known) = (1 + random.number_below(14), 1 + random.number_below(pieces.len()));
            let count = random.number_below(most);
            texts.push((0..count).map(|_| pick(&mut random, &pieces[..known])).collect::<String>());
        }
        texts.extend((60..66).chain(250..256).map(|length| "a".repeat(length)));
        let groups = |dash: &str| [8, 4, 4, 4, 12].map(|length| "0aF9".repeat(length / 4)).join(dash);
        texts.extend([groups("-"), groups(""), groups("--"), groups("-") + "-"]);
        texts.extend(["YWI=", "YQ==", "YWJj", "Y===", "====", "YWI"].map(str::to_owned));
        let (valid, invalid) = compare(&format!("!format.{name}().validate(self).hasValue()"), &texts);
        assert!(valid > 1 && invalid > 100, "{name}: {valid} {invalid}");
    }
}

#[test]
fn formats_that_no_pattern_says_have_no_form() {
    let schema = |rule: &str| json!({"type": "string", "x-kubernetes-validations": [{"rule": rule}]});
    for rule in [
        "!format.date().validate(self).hasValue()",
        "!format.uri().validate(self).hasValue()",
        // Without the guard it ends in an error.
        "ip(self).family() == 4",
        "isCIDR(self) && cidr(self).prefixLength() <= 24",
    ] {
        let is_old = |text: &str| !["ip(", "cidr(", "format."].iter().any(|name| text.contains(name));
        let schema = schema(rule);
        let found = find_form(&definition_rules(&schema)[0], &mut |text| is_old(text).then_some(0));
        assert_eq!(found, None, "{rule}");
    }
}
