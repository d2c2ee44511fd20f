//! Random rules in the words of RuleSets, and what they mean by the guide: the judge's own reading of `docs/guide/rule-set-words.md`.

use serde_json::{Map, Value as Json, json};

use super::conditions::{Nature, condition, required_conditions};
use super::said::{Change, Order, Path, Said};
use super::values::{Step, Test, read_path};
use crate::Random;

/// A rule as it is written, and what it means.
#[derive(Clone, Debug)]
pub struct AuthoredRule {
    pub rule: Json,
    pub meaning: Said,
    /// True if it is about the stored object.
    pub is_about_updates: bool,
}

/// The schema of `spec` of the objects that the rules are about.
pub fn spec_schema() -> Json {
    let text = || json!({"type": "string", "maxLength": 20});
    let with_default = json!({"type": "string", "maxLength": 20, "default": "a"});
    let item = json!({"type": "object", "properties": {
        "k": text(), "n": {"type": "integer"}, "q": text(), "d": with_default, "x": {"type": "number"},
    }});
    json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "m": {"type": "integer"}, "s": text(), "t": text(), "q": text(), "on": {"type": "boolean"},
        "x": {"type": "number"},
        "l": {"type": "array", "maxItems": 4, "items": item},
        "f": {"type": "array", "maxItems": 4, "items": text()},
        "p": {"type": "object", "maxProperties": 4, "additionalProperties": {"type": "integer"}},
        "o": {"type": "object", "properties": {"a": text(), "b": {"type": "integer"}, "c": {"type": "integer"}}},
        "dn": {"type": "integer", "default": 3}, "ds": {"type": "string", "maxLength": 20, "default": "ab"},
        "e": {"type": "object", "default": {}, "properties": {"b": {"type": "integer", "default": 1}, "a": text()}},
        "nn": nullable(json!({"type": "integer"})), "ns": nullable(text()),
        "r": {"type": "object", "required": ["i"], "properties": {"i": nullable(json!({"type": "integer"})), "t": nullable(text())}},
        "g": {"type": "array", "maxItems": 4, "items": nullable(json!({"type": "integer"}))},
    }})
}

/// A schema that admits null as well.
fn nullable(mut schema: Json) -> Json {
    schema["nullable"] = json!(true);
    schema
}

/// Types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Number,
    Text,
    Truth,
    Texts,
    Objects,
    Map,
    Object,
}

/// The values at which rules may look: from the object, from an item of `spec.l`, from `spec.o`, or the value itself.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// What `each` names, if it is not the object.
    pub(super) each: Option<&'static str>,
    pub(super) fields: &'static [(&'static str, Kind)],
}

pub(super) const PLACES: [Place; 6] = [
    Place {
        each: None,
        fields: &[
            ("spec.n", Kind::Integer),
            ("spec.m", Kind::Integer),
            ("spec.s", Kind::Text),
            ("spec.t", Kind::Text),
            ("spec.q", Kind::Text),
            ("spec.on", Kind::Truth),
            ("spec.x", Kind::Number),
            ("spec.f", Kind::Texts),
            ("spec.l", Kind::Objects),
            ("spec.p", Kind::Map),
            ("spec.o", Kind::Object),
            ("spec.o.a", Kind::Text),
            ("spec.o.b", Kind::Integer),
            ("spec.l[*].k", Kind::Text),
            ("spec.l[*].n", Kind::Integer),
            ("spec.f[*]", Kind::Text),
            ("spec.p[*]", Kind::Integer),
            ("spec.dn", Kind::Integer),
            ("spec.ds", Kind::Text),
            ("spec.e.b", Kind::Integer),
            ("spec.e.a", Kind::Text),
            ("spec.l[*].d", Kind::Text),
            ("spec.nn", Kind::Integer),
            ("spec.ns", Kind::Text),
            ("spec.r.i", Kind::Integer),
            ("spec.r.t", Kind::Text),
            ("spec.g[*]", Kind::Integer),
        ],
    },
    Place {
        each: Some("spec.l[*]"),
        fields: &[
            ("k", Kind::Text),
            ("n", Kind::Integer),
            ("q", Kind::Text),
            ("d", Kind::Text),
            ("x", Kind::Number),
        ],
    },
    Place { each: Some("spec.o"), fields: &[("a", Kind::Text), ("b", Kind::Integer), ("c", Kind::Integer)] },
    Place { each: Some("spec.f[*]"), fields: &[("", Kind::Text)] },
    Place { each: Some("spec.p[*]"), fields: &[("", Kind::Integer)] },
    Place { each: Some("spec.g[*]"), fields: &[("", Kind::Integer)] },
];

/// Writes a random rule with a name.
pub fn random_rule(random: &mut Random, name: &str) -> AuthoredRule {
    rule_about(random, name, 6)
}

/// Writes a random rule with a name, often about the stored object.
pub fn random_update_rule(random: &mut Random, name: &str) -> AuthoredRule {
    rule_about(random, name, 1)
}

/// Writes a rule in CEL about updates of a number, which may reject one that changes nothing.
pub fn random_growth_rule(random: &mut Random, name: &str) -> AuthoredRule {
    let path = *random.choose(&["spec.n", "spec.m", "spec.dn"]);
    growth_rule(name, read_path(path).unwrap_or_default(), random.chance(1, 2))
}

/// The rule that a number grows.
pub(super) fn growth_rule(name: &str, path: Path, strictly: bool) -> AuthoredRule {
    let fields: Vec<&str> = path
        .iter()
        .filter_map(|step| match step {
            Step::Field(name) => Some(name.as_str()),
            Step::Each => None,
        })
        .collect();
    let (optional, plain) = (fields.join(".?"), fields.join("."));
    let operator = if strictly { ">" } else { ">=" };
    let cel = format!(
        "!self.?{optional}.hasValue() || !oldSelf.?{optional}.hasValue() || self.{plain} {operator} oldSelf.{plain}"
    );
    AuthoredRule {
        rule: json!({"name": name, "cel": cel}),
        meaning: Said::Changes(path, Change::Grows { strictly }),
        is_about_updates: true,
    }
}

/// Writes a rule; of those about the whole object, one of `of` is about the stored one.
fn rule_about(random: &mut Random, name: &str, of: usize) -> AuthoredRule {
    let place = if random.chance(1, 2) { PLACES[0] } else { *random.choose(&PLACES) };
    let mut rule = Map::new();
    rule.insert("name".to_owned(), name.into());
    let mut meaning = None;
    let mut is_about_updates = false;
    if let Some(each) = place.each {
        rule.insert("each".to_owned(), each.into());
    }
    if place.each.is_none() && random.chance(1, of) {
        let (word, value, said) = stored_word(random);
        rule.extend([("path".to_owned(), value.0), (word.to_owned(), value.1)]);
        meaning = Some(said);
        is_about_updates = true;
    }
    let demand = meaning.unwrap_or_else(|| {
        if random.chance(1, 4) {
            let (words, said) = required_conditions(random, place);
            rule.extend(words);
            return said;
        }
        demanded(random, place, &mut rule)
    });
    let mut said = demand;
    if random.chance(1, 2) {
        let (when, case) = condition(random, place, (2, Nature::Case));
        rule.insert("when".to_owned(), when);
        said = Said::Or(vec![Said::Not(Box::new(case)), said]);
    }
    let meaning = match place.each.and_then(read_path) {
        None => said,
        Some(path) => match path.split_last() {
            // A rule is not evaluated without a value, and a null item is one without.
            Some((Step::Each, list)) => {
                let unset = Said::Not(Box::new(Said::Set(Path::new())));
                Said::Each(list.to_vec(), Box::new(Said::Or(vec![unset, said])))
            }
            _ => Said::Within(path, Box::new(said)),
        },
    };
    AuthoredRule { rule: Json::Object(rule), meaning, is_about_updates }
}

/// Adds words to a rule, and returns what they require.
fn demanded(random: &mut Random, place: Place, rule: &mut Map<String, Json>) -> Said {
    if place.fields.len() > 2 && random.chance(1, 5) {
        let (word, value, said) = word_of_paths(random, place);
        rule.insert(word.to_owned(), value);
        return said;
    }
    let (path, kind) = *random.choose(place.fields);
    if !path.is_empty() {
        rule.insert("path".to_owned(), path.into());
    }
    let mut all = Vec::new();
    for _ in 0..if random.chance(1, 5) { 2 } else { 1 } {
        let found = word_of_path(random, place, path, kind);
        let (word, value, demand) = found.unwrap_or(("required", true.into(), WordMeaning::Required));
        if !rule.contains_key(word) {
            rule.insert(word.to_owned(), value);
            all.push(demand);
        }
    }
    let steps = read_path(path).unwrap_or_default();
    Said::And(all.into_iter().map(|word| word.demanded_of(steps.clone())).collect())
}

/// What one word about one path means.
pub(super) enum WordMeaning {
    Required,
    Forbidden,
    NotEmpty(Test),
    Test(Test),
    Order(Order, Path),
    Among(Path),
}

impl WordMeaning {
    /// In a rule: a word about a value passes if there is none; `[*]` stands for every item.
    fn demanded_of(self, path: Path) -> Said {
        if let Some(at) = path.iter().position(|step| *step == Step::Each)
            && !matches!(self, Self::Among(_))
        {
            let (list, rest) = (path[..at].to_vec(), path[at + 1..].to_vec());
            return Said::Each(list, Box::new(self.demanded_of(rest)));
        }
        match self {
            Self::Required => Said::Set(path),
            Self::Forbidden => Said::Not(Box::new(Said::Set(path))),
            Self::NotEmpty(test) => Said::Passes { path, test, if_absent: false },
            Self::Test(test) => Said::Passes { path, test, if_absent: true },
            Self::Order(how, other) => Said::Compares { one: path, how, other, if_absent: true },
            Self::Among(to) => Said::Among(path, to),
        }
    }

    /// In `when`: a word about an absent value does not hold; `[*]` means that some item satisfies it.
    pub(super) fn case_of(self, path: Path) -> Said {
        if let Some(at) = path.iter().position(|step| *step == Step::Each) {
            let (list, rest) = (path[..at].to_vec(), path[at + 1..].to_vec());
            let inner = Said::Not(Box::new(self.case_of(rest)));
            return Said::Not(Box::new(Said::Each(list, Box::new(inner))));
        }
        match self {
            Self::Required => Said::Set(path),
            Self::Forbidden => Said::Not(Box::new(Said::Set(path))),
            Self::Test(test) | Self::NotEmpty(test) => Said::Passes { path, test, if_absent: false },
            Self::Order(how, other) => Said::Compares { one: path, how, other, if_absent: false },
            Self::Among(to) => Said::Among(path, to),
        }
    }
}

/// A random word that fits a path.
pub(super) fn word_of_path(
    random: &mut Random,
    place: Place,
    path: &str,
    kind: Kind,
) -> Option<(&'static str, Json, WordMeaning)> {
    // A value itself is always there.
    if !path.is_empty() && random.chance(1, 4) {
        return Some(if random.chance(1, 2) {
            ("required", true.into(), WordMeaning::Required)
        } else {
            ("forbidden", true.into(), WordMeaning::Forbidden)
        });
    }
    let other = same_kind(random, place, path, kind);
    if let Some(other) = other.filter(|_| kind == Kind::Integer && random.chance(1, 4)) {
        let words = [
            ("atLeast", Order::AtLeast),
            ("atMost", Order::AtMost),
            ("above", Order::Above),
            ("below", Order::Below),
            ("equals", Order::Equal),
            ("notEquals", Order::Different),
        ];
        let (word, how) = *random.choose(&words);
        return Some((word, other.into(), WordMeaning::Order(how, read_path(other)?)));
    }
    if path == "spec.f[*]" && random.chance(1, 3) {
        return Some(("refersTo", "spec.l[*].k".into(), WordMeaning::Among(read_path("spec.l[*].k")?)));
    }
    if let Some((word, value, meaning)) = word_of_content(random, kind).filter(|_| random.chance(1, 3)) {
        return Some((word, value, meaning));
    }
    let (word, value, test) = test_word(random, kind)?;
    Some((word, value, WordMeaning::Test(test)))
}

/// Another path of the same kind, both without `[*]`.
fn same_kind(random: &mut Random, place: Place, path: &str, kind: Kind) -> Option<&'static str> {
    let others: Vec<&'static str> = place
        .fields
        .iter()
        .filter(|(other, of)| *other != path && *of == kind && !other.contains('*') && !path.contains('*'))
        .map(|(other, _)| *other)
        .collect();
    (!others.is_empty()).then(|| *random.choose(&others))
}

/// A word about what a value must not be, or what is in it.
fn word_of_content(random: &mut Random, kind: Kind) -> Option<(&'static str, Json, WordMeaning)> {
    let text = |random: &mut Random| (*random.choose(&["a", "b", "ab", "1"])).to_owned();
    let denied = |test: Test| WordMeaning::Test(Test::Fails(Box::new(test)));
    let choice = random.below(6);
    Some(match (kind, choice) {
        (Kind::Integer, _) => {
            let values: Vec<i64> = (0..=random.between(0, 2)).collect();
            let test = Test::OneOf(values.iter().map(ToString::to_string).collect());
            ("notIn", json!(values), denied(test))
        }
        (Kind::Text, 0) => {
            let mut values = vec![text(random), "c".to_owned(), "d".to_owned()];
            values.truncate(random.between(1, 3) as usize);
            ("notIn", json!(values), denied(Test::OneOf(values)))
        }
        (Kind::Text, 1) => {
            let pattern = *random.choose(&["^a", "b$", "^[ab]+$", "a|b"]);
            ("notPattern", pattern.into(), denied(Test::Matches(pattern.to_owned())))
        }
        (Kind::Text, 2 | 3) => {
            let mut texts = vec![text(random), "c".to_owned(), "dd".to_owned()];
            texts.truncate(random.between(1, 3) as usize);
            let value = if texts.len() == 1 && random.chance(1, 2) { json!(texts[0]) } else { json!(texts) };
            if choice == 2 {
                ("startsWith", value, WordMeaning::Test(Test::Starts(texts)))
            } else {
                ("endsWith", value, WordMeaning::Test(Test::Ends(texts)))
            }
        }
        (Kind::Text, 4) | (Kind::Texts, 0..=3) => {
            let text = text(random);
            ("contains", json!(text), WordMeaning::Test(Test::Contains(vec![text])))
        }
        (Kind::Text, _) => {
            ("notEmpty", true.into(), WordMeaning::NotEmpty(Test::Characters { least: 1, most: u64::MAX }))
        }
        (Kind::Texts | Kind::Objects | Kind::Map, _) => {
            ("notEmpty", true.into(), WordMeaning::NotEmpty(Test::Items { least: 1, most: u64::MAX }))
        }
        (Kind::Number | Kind::Truth | Kind::Object, _) => return None,
    })
}

fn test_word(random: &mut Random, kind: Kind) -> Option<(&'static str, Json, Test)> {
    let texts = ["a", "b", "ab", ""];
    Some(match kind {
        Kind::Number => number_word(random),
        Kind::Integer => match random.below(2) {
            0 => bounds_word(random, "integer"),
            _ => {
                let values: Vec<i64> = (0..=random.between(0, 2)).map(|value| value * 2).collect();
                let test = Test::OneOf(values.iter().map(ToString::to_string).collect());
                ("in", json!(values), test)
            }
        },
        Kind::Text => match random.below(5) {
            0 => {
                let (json, least, most) = counts(random);
                ("length", json, Test::Characters { least, most })
            }
            1 => {
                let pattern = *random.choose(&["^a", "b$", "^[ab]+$", "a|b", "^(a, b) or c$"]);
                ("pattern", pattern.into(), Test::Matches(pattern.to_owned()))
            }
            2 => format_word(random),
            3 => bounds_word(random, "quantity"),
            _ => {
                let count = random.between(1, 3) as usize;
                let start = random.below(texts.len());
                let values: Vec<&str> = texts.iter().cycle().skip(start).take(count).copied().collect();
                // An empty text is written with quotation marks.
                let test = Test::OneOf(values.iter().map(|value| (*value).to_owned()).collect());
                ("in", json!(values), test)
            }
        },
        Kind::Truth => {
            let value = random.chance(1, 2);
            ("in", json!([value]), Test::OneOf(vec![value.to_string()]))
        }
        Kind::Texts | Kind::Objects | Kind::Map => {
            if kind == Kind::Objects && random.chance(1, 2) {
                let keys: &[&str] = if random.chance(1, 2) { &["k"] } else { &["k", "n"] };
                let paths = keys.iter().filter_map(|key| read_path(key)).collect();
                ("uniqueBy", json!(keys), Test::Unique(paths))
            } else if kind == Kind::Texts && random.chance(1, 3) {
                ("uniqueBy", json!([]), Test::Unique(Vec::new()))
            } else {
                let (json, least, most) = counts(random);
                ("items", json, Test::Items { least, most })
            }
        }
        Kind::Object => return None,
    })
}

fn format_word(random: &mut Random) -> (&'static str, Json, Test) {
    let formats = [
        ("ip", Test::Ip),
        ("cidr", Test::Cidr),
        ("quantity", Test::Quantity),
        ("dns-label", Test::DnsLabel),
        ("dns-subdomain", Test::DnsSubdomain),
    ];
    let (name, test) = random.choose(&formats);
    ("format", (*name).into(), test.clone())
}

/// Limits of a count: `min`, `max`, both, or both equal.
fn counts(random: &mut Random) -> (Json, u64, u64) {
    let (least, most) = (random.below(3) as u64, random.below(3) as u64);
    match random.below(3) {
        0 => (json!({ "min": least + 1 }), least + 1, u64::MAX),
        1 => (json!({ "max": most }), 0, most),
        _ => (json!({"min": least, "max": least + most}), least, least + most),
    }
}

fn limit(limit: &Json, is_lower: bool, included: bool) -> Test {
    let limit = super::values::written(limit);
    if is_lower { Test::Above { limit, included } } else { Test::Below { limit, included } }
}

/// `integer` or `quantity` with `min` and `max`.
fn bounds_word(random: &mut Random, word: &'static str) -> (&'static str, Json, Test) {
    let texts = ["1", "1Ki", "512Mi", "1Gi"];
    let at = random.below(3);
    let (low, high) = match word {
        "integer" => (json!(at as i64 - 1), json!(at as i64 + random.between(0, 2))),
        _ => (json!(texts[at]), json!(texts[at + random.below(2)])),
    };
    match random.below(3) {
        0 => (word, json!({ "min": low }), limit(&low, true, true)),
        1 => (word, json!({ "max": high }), limit(&high, false, true)),
        _ => {
            let both = Test::All(vec![limit(&low, true, true), limit(&high, false, true)]);
            (word, json!({"min": low, "max": high}), both)
        }
    }
}

/// `number` with limits that are included or not.
fn number_word(random: &mut Random) -> (&'static str, Json, Test) {
    let low = random_number(random, -2, 2);
    let high = random_number(random, 3, 6);
    let lower = random.chance(1, 2);
    let mut bounds = Map::new();
    let mut tests = Vec::new();
    if random.chance(2, 3) {
        bounds.insert(if lower { "min" } else { "above" }.to_owned(), low.clone());
        tests.push(limit(&low, true, lower));
    }
    if tests.is_empty() || random.chance(1, 2) {
        let upper = random.chance(1, 2);
        bounds.insert(if upper { "max" } else { "below" }.to_owned(), high.clone());
        tests.push(limit(&high, false, upper));
    }
    ("number", Json::Object(bounds), Test::All(tests))
}

/// A number with or without a half, from bounds in halves.
pub(super) fn random_number(random: &mut Random, least: i64, most: i64) -> Json {
    let halves = random.between(least, most);
    if halves % 2 == 0 { json!(halves / 2) } else { json!(halves as f64 / 2.0) }
}

/// A word about several paths.
pub(super) fn word_of_paths(random: &mut Random, place: Place) -> (&'static str, Json, Said) {
    let mut paths: Vec<&str> = Vec::new();
    for _ in 0..random.between(2, 3) {
        let (path, _) = random.choose(place.fields);
        if !path.contains('*') && !paths.contains(path) && !path.starts_with("spec.o.") {
            paths.push(path);
        }
    }
    if paths.len() < 2 {
        paths = if place.each.is_none() {
            vec!["spec.n", "spec.s"]
        } else {
            place.fields.iter().map(|(path, _)| *path).take(2).collect()
        };
    }
    let read: Vec<Path> = paths.iter().filter_map(|path| read_path(path)).collect();
    let count = |least, most| Said::Count { paths: read.clone(), least, most };
    let (word, said) = match random.below(4) {
        0 => ("exactlyOneOf", count(1, 1)),
        1 => ("atMostOneOf", count(0, 1)),
        2 => ("atLeastOneOf", count(1, usize::MAX)),
        _ => ("allOrNone", Said::Together(read)),
    };
    (word, json!(paths), said)
}

/// A word about an update, with its path.
fn stored_word(random: &mut Random) -> (&'static str, (Json, Json), Said) {
    let (path, word, value, change) = match random.below(5) {
        0 => ("spec.s", "immutable", json!("always"), Change::Never),
        1 => ("spec.n", "immutable", json!("onceSet"), Change::OnceSet),
        2 => ("spec.s", "immutable", json!("whileSet"), Change::WhileSet),
        3 => {
            let path = *random.choose(&["spec.f", "spec.p"]);
            (path, "noRemoval", json!(true), Change::OnlyAdded)
        }
        _ => {
            let steps = vec![
                ("a".to_owned(), vec!["b".to_owned(), "ab".to_owned()]),
                ("b".to_owned(), vec!["ab".to_owned()]),
            ];
            ("spec.s", "transitions", json!({"a": ["b", "ab"], "b": ["ab"]}), Change::Steps(steps))
        }
    };
    (word, (path.into(), value), Said::Changes(read_path(path).unwrap_or_default(), change))
}
