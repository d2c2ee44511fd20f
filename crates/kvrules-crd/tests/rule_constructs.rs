//! Rules with durations, quantities, optionals, formats, addresses, maps and transitions: right ones have no finding of sense, and wrong
//! ones have theirs.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};

/// An object with many kinds of fields, of which none is required.
fn service() -> Value {
    let text = |most: u32| json!({"type": "string", "maxLength": most});
    let integer = json!({"type": "integer"});
    let time = json!({"type": "string", "format": "date-time"});
    let port = json!({"type": "object", "required": ["name"], "properties": {
        "name": text(40), "port": {"type": "integer", "minimum": 1, "maximum": 65535}, "weight": integer}});
    json!({"type": "object", "properties": {
        "timeout": text(20), "interval": {"type": "string", "format": "duration"}, "start": time, "end": time,
        "cpu": text(20), "memory": text(20), "address": text(50), "network": text(50), "url": text(200), "host": text(253),
        "labels": {"type": "object", "maxProperties": 8, "additionalProperties": text(63)},
        "limits": {"type": "object", "maxProperties": 8, "additionalProperties": integer},
        "zones": {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": text(20)},
        "names": {"type": "array", "maxItems": 5, "items": text(20)},
        "ports": {"type": "array", "maxItems": 8, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": port},
        "replicas": {"type": "integer", "minimum": 0}, "mode": {"type": "string", "enum": ["Auto", "Manual", "Off"]},
        "paused": {"type": "boolean", "default": false}, "min": integer, "max": integer,
        "any": {"x-kubernetes-int-or-string": true},
    }})
}

/// The codes of the findings for a rule of the object, which the server accepts.
fn codes(rule: &str) -> Vec<String> {
    let is_optional = rule.contains("oldSelf.optMap") || rule.contains("oldSelf.value()");
    let mut written = json!({ "rule": rule });
    if is_optional {
        written["optionalOldSelf"] = true.into();
    }
    let mut object = service();
    object["x-kubernetes-validations"] = json!([written]);
    let found = support::findings_about_objects(
        &json!({"type": "object", "required": ["spec"], "properties": {"spec": object}}),
    );
    found.iter().map(|it| it.code.to_string()).collect()
}

const RIGHT: &[&str] = &[
    "!has(self.timeout) || !self.timeout.matches('^[0-9]+s$') || duration(self.timeout) >= duration('1s')",
    "!has(self.interval) || self.interval >= duration('10s')",
    "!has(self.start) || !has(self.end) || self.start < self.end",
    "!has(self.cpu) || isQuantity(self.cpu) && quantity(self.cpu).isGreaterThan(quantity('100m'))",
    "!has(self.memory) || isQuantity(self.memory) && quantity(self.memory).compareTo(quantity('64Mi')) >= 0",
    "!has(self.address) || isIP(self.address) && ip(self.address).family() == 4 && !ip(self.address).isLoopback()",
    "!has(self.network) || isCIDR(self.network) && cidr(self.network).prefixLength() <= 24",
    "!has(self.address) || !has(self.network) || !isCIDR(self.network) || !isIP(self.address) || cidr(self.network).containsIP(self.address)",
    "!has(self.url) || isURL(self.url) && url(self.url).getScheme() in ['http', 'https']",
    "!has(self.host) || !format.dns1123Subdomain().validate(self.host).hasValue()",
    "!has(self.labels) || self.labels.all(k, v, k != v && size(v) > 0)",
    "!has(self.limits) || self.limits.all(name, limit, limit > 0 || name.startsWith('x-'))",
    "!has(self.ports) || self.ports.all(i, p, i > 0 || p.name == 'main')",
    "self.?mode.orValue('Auto') != 'Manual' || has(self.replicas)",
    "self.?limits[?'cpu'].orValue(1) < 100",
    "oldSelf.optMap(o, o.?replicas.orValue(0)).orValue(0) <= self.?replicas.orValue(0)",
    "!has(oldSelf.mode) || has(self.mode) && self.mode == oldSelf.mode",
    "!has(self.min) || !has(self.max) || self.min <= self.max",
    "!has(self.min) || !has(self.max) || self.max - self.min in [1, 2, 4] || self.min + self.max < 0",
    "!has(self.any) || (type(self.any) == int ? int(self.any) > 0 : string(self.any).endsWith('%'))",
    "!has(self.names) || self.names.all(x, self.names.exists_one(y, x == y))",
    "!has(self.ports) || self.ports.all(p, !has(p.weight) || self.ports.filter(q, has(q.weight) && q.weight == p.weight).size() == 1)",
    "!has(self.names) || self.names.filter(n, n != '').map(n, n + 'a').size() == self.names.size()",
    "!has(self.ports) || self.ports.map(p, has(p.port), p.port).size() == self.ports.size()",
    "!has(self.names) || self.names.isSorted() || self.names.size() < 2",
];

/// Rules with the code of the finding about each.
const WRONG: &[(&str, &str)] = &[
    ("KC307", "duration(self.timeout) > duration('1s') || self.min > 3"),
    ("KC307", "self.interval > duration('1s')"),
    ("KC308", "!has(self.interval) || self.interval > duration('0s') || self.interval <= duration('0s')"),
    ("KC308", "!has(self.min) || !has(self.max) || self.min > self.max || self.max >= self.min"),
    ("KC308", "has(self.start) && has(self.end) && self.start < self.end && self.end < self.start"),
    ("KC307", "self.start < self.end"),
    ("KC307", "quantity(self.cpu).isLessThan(quantity('2'))"),
    ("KC307", "!has(self.cpu) || quantity(self.cpu).isLessThan(quantity(self.memory))"),
    ("KC307", "!has(self.cpu) || quantity(self.cpu).compareTo(quantity(self.memory)) == 0"),
    ("KC307", "!has(self.timeout) || duration(self.timeout) < duration(self.host)"),
    ("KC307", "!has(self.timeout) || timestamp(self.timeout) < timestamp(self.cpu)"),
    ("KC307", "!has(self.network) || cidr(self.network).containsIP(self.address) || self.host == 'a'"),
    ("KC307", "!has(self.timeout) || semver(self.timeout).isLessThan(semver(self.cpu))"),
    ("KC307", "!has(self.url) || url(self.url).getHost() == self.host"),
    ("KC307", "isIP(self.address)"),
    ("KC308", "!has(self.address) || isIP(self.address) || !isIP(self.address)"),
    ("KC308", "has(self.network) && isCIDR(self.network) && !isCIDR(self.network)"),
    ("KC307", "self.labels['app'] == 'x'"),
    ("KC307", "!has(self.labels) || self.labels['app'] != ''"),
    ("KC308", "!has(self.labels) || self.labels.all(k, v, size(v) <= 63)"),
    ("KC308", "!has(self.labels) || self.labels.all(k, k in self.labels)"),
    ("KC307", "self.limits.exists(k, v, k == 'cpu' && v > 3)"),
    ("KC307", "!has(self.ports) || self.ports[0].port > 80"),
    ("KC307", "!has(self.ports) || self.ports.all(i, p, p.port > 1024)"),
    ("KC308", "!has(self.ports) || self.ports.all(p, self.ports.exists_one(q, q.name == p.name))"),
    ("KC308", "!has(self.zones) || self.zones.all(x, self.zones.exists_one(y, x == y))"),
    ("KC308", "!has(self.zones) || self.zones.all(x, self.zones.filter(y, y == x).size() == 1)"),
    ("KC308", "!has(self.ports) || self.ports.all(p, !has(p.port) || p.port < 70000)"),
    ("KC307", "oldSelf.value().replicas <= self.replicas"),
    ("KC309", "self.?mode.orValue('Auto') != 'manual'"),
    ("KC309", "!has(self.mode) || self.mode in ['Auto', 'On']"),
    ("KC308", "self.?mode.orValue('Auto') in ['Auto', 'Manual', 'Off']"),
    ("KC307", "!has(self.ports) || self.ports.map(p, p.port).size() == self.ports.size()"),
    ("KC308", "!has(self.ports) || self.ports.map(p, p.name).size() == self.ports.size()"),
    ("KC308", "!has(self.labels) || size(self.labels.map(k, k)) <= size(self.labels)"),
    ("KC308", "!has(self.paused) || self.paused || !self.paused"),
    ("KC307", "self.mode == oldSelf.mode"),
    ("KC307", "format.dns1123Label().validate(self.host).hasValue() == false"),
    ("KC308", "self.?replicas.orValue(0) >= 0"),
];

#[test]
fn right_rules_have_no_finding() {
    for rule in RIGHT {
        assert_eq!(codes(rule), Vec::<String>::new(), "{rule}");
    }
}

#[test]
fn wrong_rules_have_one_finding() {
    for (code, rule) in WRONG {
        assert_eq!(codes(rule), [*code], "{rule}");
    }
}

/// The number is that of an item of another list, which may be longer.
#[test]
fn a_count_of_items_that_may_be_missing_is_not_taken_to_be_one() {
    let rule = "!has(self.names) || !has(self.zones) || self.names.all(i, n, self.zones.filter(z, z == self.zones[i]).size() == 1)";
    assert!(!codes(rule).contains(&"KC308".to_owned()));
}
