//! Random rules of annotations, in both versions, and their meaning by `docs/internals/meaning.md`.

use serde_json::{Value as Json, json};

use super::world::{Node, TEXTS, World};
use crate::Random;
use crate::decisions::evaluate::{PATTERNS, is_pattern_match};
use crate::decisions::value::read_quantity;

/// Verdict of a rule about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Skipped,
    Satisfied,
    Violated,
}

/// A rule, in version 201902.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationRule(pub(crate) Json);

/// Quantities, in base units.
const AMOUNTS: [i64; 6] = [0, 1, 2, 1 << 30, 3 << 29, 1 << 31];

impl AnnotationRule {
    pub(crate) fn generate(world: &World, name: &str, random: &mut Random) -> Self {
        let paths = world.root.paths();
        let of_kind = |wanted: &dyn Fn(&Node) -> bool| -> Vec<&String> {
            paths.iter().filter(|(_, node)| wanted(node)).map(|(path, _)| path).collect()
        };
        let leaves = of_kind(&|node| matches!(node, Node::Integer | Node::Text | Node::Quantity));
        let path = (*random.choose(&leaves)).clone();
        let node = world.node_at(&path).unwrap_or(Node::Text);
        let path = with_index(&path, random);
        let mut rule = json!({"name": name, "path": format!("jsonpath::{path}"), "message": "m"});
        match random.below(4) {
            0 => {}
            1 => rule["valid"] = rule["path"].clone(),
            2 => rule["valid"] = json!(format!("jsonpath::{}", near_path(&path, random))),
            _ => {
                let guards = of_kind(&|_| true);
                rule["valid"] = json!(format!("jsonpath::{}", random.choose(&guards)));
            }
        }
        if random.chance(1, 4) {
            rule["justWarning"] = json!(true);
        }
        let single = |wanted: &dyn Fn(&Node) -> bool| -> Vec<&String> {
            of_kind(wanted).into_iter().filter(|path| !path.contains("[*]")).collect()
        };
        let integers = single(&|node| matches!(node, Node::Integer));
        let texts = single(&|node| matches!(node, Node::Text));
        let kind = match (node, random.below(6)) {
            (Node::Text, 0 | 1) => "string",
            (Node::Text, 2 | 3) => "regex",
            (_, 4) | (Node::Text, _) => "enum",
            (_, 5) => "string",
            _ => "integer",
        };
        rule["rule"] = json!(kind);
        match kind {
            "integer" if node == Node::Quantity => {
                add_bounds(&mut rule, ["min", "max"], random, &[], |random| json!(random.choose(&AMOUNTS)));
            }
            "integer" => add_bounds(&mut rule, ["min", "max"], random, &integers, |random| {
                json!(random.between(-1, 4))
            }),
            "string" => add_bounds(&mut rule, ["minLength", "maxLength"], random, &integers, |random| {
                json!(random.between(0, 3))
            }),
            "regex" => rule["regex"] = json!(random.choose(&PATTERNS).0),
            _ => {
                let count = 1 + random.below(4);
                let mut values: Vec<String> = (0..count)
                    .map(|_| match node {
                        Node::Integer => random.between(0, 4).to_string(),
                        Node::Quantity => (*random.choose(&["1Gi", "1536Mi", "2Gi", "0"])).to_owned(),
                        _ if random.chance(1, 6) => format!("jsonpath::{}", random.choose(&texts)),
                        _ => (*random.choose(&TEXTS)).to_owned(),
                    })
                    .collect();
                values.sort();
                values.dedup();
                rule["values"] = json!(values);
            }
        }
        Self(rule)
    }

    /// An argument that is a path.
    pub(crate) fn path(&self, key: &str) -> Option<&str> {
        self.0[key].as_str().and_then(|text| text.strip_prefix("jsonpath::"))
    }

    /// The verdict about an object, from where paths start.
    pub(crate) fn verdict(&self, world: &World, object: &Json) -> Verdict {
        if self.path("valid").is_some_and(|guard| world.values_at(object, guard).is_empty()) {
            return Verdict::Skipped;
        }
        if self.is_satisfied(world, object) == Some(true) { Verdict::Satisfied } else { Verdict::Violated }
    }

    /// `None` if an argument has no value.
    fn is_satisfied(&self, world: &World, object: &Json) -> Option<bool> {
        let only = |path: &str| match world.values_at(object, path).as_slice() {
            [value] => Some(value.clone()),
            _ => None,
        };
        let limit = |key: &str| match (self.path(key), &self.0[key]) {
            (Some(path), _) => only(path)?.as_i64().map(Some),
            (None, Json::Null) => Some(None),
            (None, limit) => limit.as_i64().map(Some),
        };
        let [min, max, fewest, most] = ["min", "max", "minLength", "maxLength"].map(limit);
        let (bounds, lengths) = ([min?, max?], [fewest?, most?]);
        let listed: Option<Vec<String>> = self.0["values"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|value| match value.as_str().and_then(|text| text.strip_prefix("jsonpath::")) {
                Some(path) => only(path).map(|value| text_of(&value)),
                None => Some(text_of(value)),
            })
            .collect();
        let listed = listed?;
        let is_within = |number: i64, [least, most]: [Option<i64>; 2]| {
            least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
        };
        let passes = |value: &Json| {
            let text = text_of(value);
            match self.0["rule"].as_str() {
                Some("integer") => integer_of(value).is_some_and(|number| is_within(number, bounds)),
                Some("string") => is_within(text.chars().count() as i64, lengths),
                Some("regex") => {
                    let pattern = self.0["regex"].as_str().unwrap_or_default();
                    is_pattern_match(pattern, &text).unwrap_or(false)
                }
                _ => listed.contains(&text),
            }
        };
        let values = self.path("path").map(|path| world.values_at(object, path)).unwrap_or_default();
        Some(!values.is_empty() && values.iter().all(passes))
    }

    /// The rule as an author writes it in version 201901, which has no prefix of paths and no warnings.
    fn in_first_version(&self) -> Json {
        let mut rule = self.0.clone();
        if let Some(fields) = rule.as_object_mut() {
            fields.remove("justWarning");
            if let Some(values) = fields.remove("values") {
                fields.insert("included".to_owned(), values);
            }
        }
        rule
    }
}

/// An annotation with rules, in one of the versions.
pub(crate) fn write_annotation(rules: &[AnnotationRule], is_first_version: bool) -> String {
    let rules: Vec<Json> = rules
        .iter()
        .map(|rule| if is_first_version { rule.in_first_version() } else { rule.0.clone() })
        .collect();
    let name = if is_first_version { "validations" } else { "vm.kubevirt.io/validations" };
    format!("{name}: |\n  {}\n", Json::Array(rules))
}

/// The text of a scalar.
pub(crate) fn text_of(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number of base units, if it is whole.
pub(crate) fn integer_of(value: &Json) -> Option<i64> {
    const BILLION: i128 = 1_000_000_000;
    match value {
        Json::String(text) => {
            let billionths = read_quantity(text)?;
            (billionths % BILLION == 0).then(|| i64::try_from(billionths / BILLION).ok())?
        }
        value => value.as_i64(),
    }
}

fn add_bounds(
    rule: &mut Json,
    [least, most]: [&str; 2],
    random: &mut Random,
    others: &[&String],
    bound: impl Fn(&mut Random) -> Json,
) {
    let mut add = |rule: &mut Json, key: &str| {
        let other = !others.is_empty() && random.chance(1, 4);
        rule[key] = if other { json!(format!("jsonpath::{}", random.choose(others))) } else { bound(random) };
    };
    let which = if rule["name"].as_str().is_some_and(|name| name.len() % 2 == 0) { 0 } else { 1 };
    add(rule, [least, most][which]);
    if rule["path"].as_str().is_some_and(|path| path.len() % 3 != 0) {
        add(rule, [most, least][which]);
    }
}

/// A path with one item in place of all, sometimes.
fn with_index(path: &str, random: &mut Random) -> String {
    if random.chance(1, 8) {
        path.replacen("[*]", if random.chance(1, 2) { "[0]" } else { "[1]" }, 1)
    } else {
        path.to_owned()
    }
}

/// A path that starts as another does.
fn near_path(path: &str, random: &mut Random) -> String {
    let ends: Vec<usize> = path.match_indices(['.', '[']).map(|(at, _)| at).skip(1).collect();
    if ends.is_empty() { path.to_owned() } else { path[..*random.choose(&ends)].to_owned() }
}
