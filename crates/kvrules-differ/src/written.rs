//! A rule as it stands in the annotation, with its keys taken as the deployed validator takes them.

use kvrules_syntax::{Kind, Node};
use serde_json::{Map, Value};

/// What is written in a rule. Keys match without regard to letter case and the last one counts, as in the validator.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// `rule`; empty where there is none.
    pub kind: String,
    /// `name`; empty where there is none.
    pub name: String,
    /// `message`; empty where there is none.
    pub message: String,
    /// `path`, with its prefix.
    pub path: Option<String>,
    /// `valid`, with its prefix.
    pub valid: Option<String>,
    /// `justWarning`
    pub just_warning: bool,
    /// `min` and `max`, or `minLength` and `maxLength`, where they are numbers: their texts.
    pub bounds: [Option<String>; 2],
    /// Which of the two are paths.
    pub bounds_are_paths: [bool; 2],
    /// Bounds and members of `values` that are paths, with their prefix.
    pub arguments: Vec<String>,
    /// `values`, in their order.
    pub values: Vec<String>,
    /// Whether a member of `values` is `null`, which is the empty text for the validator.
    pub has_null_value: bool,
    /// `regex`
    pub regex: String,
    /// Whether a key is there that the two models do not read alike: known but for letter case, written twice in
    /// different cases, or the older `included`.
    pub keys_differ: bool,
}

/// The keys that the validator knows.
const KEYS: [&str; 12] = [
    "rule",
    "name",
    "path",
    "message",
    "valid",
    "justWarning",
    "min",
    "max",
    "minLength",
    "maxLength",
    "values",
    "regex",
];

impl Written {
    /// Reads a rule; one that is no object has no key.
    pub(crate) fn new(rule: Node<'_>) -> Self {
        let text = |key: &str| get(rule, key).and_then(Node::as_str).map(str::to_owned);
        let kind = text("rule").unwrap_or_default();
        let of_kind: &[&str] = match kind.as_str() {
            "integer" => &["min", "max"],
            "string" => &["minLength", "maxLength"],
            _ => &[],
        };
        let bounds: Vec<_> = of_kind.iter().map(|key| last(rule, key)).collect();
        let number = |at: usize| {
            bounds
                .get(at)
                .copied()
                .flatten()
                .filter(|node| node.kind() == Kind::Number)
                .map(|node| node.text().to_owned())
        };
        let values: Vec<Node<'_>> = match kind.as_str() {
            "enum" => last(rule, "values").into_iter().flat_map(Node::items).collect(),
            _ => Vec::new(),
        };
        let is_path =
            |node: &Node<'_>| node.as_str().filter(|text| text.starts_with("jsonpath::")).map(str::to_owned);
        let path = |at: usize| bounds.get(at).copied().flatten().is_some_and(|node| is_path(&node).is_some());
        Self {
            name: text("name").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            path: last(rule, "path").and_then(Node::as_str).map(str::to_owned),
            valid: last(rule, "valid").and_then(Node::as_str).map(str::to_owned),
            just_warning: get(rule, "justWarning").is_some_and(|node| node.kind() == Kind::True),
            bounds: [number(0), number(1)],
            bounds_are_paths: [path(0), path(1)],
            has_null_value: values.iter().any(|node| node.kind() == Kind::Null),
            arguments: bounds.iter().flatten().chain(&values).filter_map(is_path).collect(),
            values: values.iter().map(|node| node.text().to_owned()).collect(),
            regex: text("regex").unwrap_or_default(),
            keys_differ: keys_differ(rule),
            kind,
        }
    }
}

/// The values of a key in their order.
fn all<'d>(rule: Node<'d>, key: &str) -> impl Iterator<Item = Node<'d>> {
    let key = fold(key);
    rule.entries().filter(move |entry| fold(entry.key.text()) == key).map(|entry| entry.value)
}

/// The value of a text or a truth value: the last; `null` leaves the one before.
fn get<'d>(rule: Node<'d>, key: &str) -> Option<Node<'d>> {
    all(rule, key).filter(|value| value.kind() != Kind::Null).last()
}

/// The value of any other key: the last; `null` takes away the one before.
fn last<'d>(rule: Node<'d>, key: &str) -> Option<Node<'d>> {
    all(rule, key).last().filter(|value| value.kind() != Kind::Null)
}

/// Unicode simple folding, as far as it leads to letters of our keys.
pub(crate) fn fold(key: &str) -> String {
    key.chars()
        .map(|letter| match letter {
            'ſ' => 's',
            '\u{212a}' => 'k',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// The rule with its keys spelled as the validator takes them, and without the older ones.
pub(crate) fn respelled(rule: &Map<String, Value>) -> Map<String, Value> {
    let mut respelled = Map::new();
    for (key, value) in rule {
        let known = KEYS.iter().find(|known| fold(known) == fold(key));
        if key != "included" && !(value.is_null() && known.is_some()) {
            respelled.insert(known.map_or_else(|| key.clone(), |known| (*known).to_owned()), value.clone());
        }
    }
    respelled
}

fn keys_differ(rule: Node<'_>) -> bool {
    rule.entries().any(|entry| {
        let key = entry.key.text();
        let alike = KEYS.iter().any(|known| *known != key && fold(known) == fold(key));
        alike || key == "included"
    })
}
