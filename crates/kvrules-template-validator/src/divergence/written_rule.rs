//! A rule as it is in the annotation, with its keys taken as the deployed validator takes them.

use kvrules_syntax::{Node, SyntaxKind};
use serde_json::{Map, Value};

/// Written form of a rule. Keys match without regard to letter case and the last one counts, as in the validator.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the text of its own")]
pub struct WrittenRule {
    /// `rule`; empty if missing.
    pub kind: String,
    /// `name`; empty if missing.
    pub name: String,
    /// `message`; empty if missing.
    pub message: String,
    /// `path`, with its prefix.
    pub path: Option<String>,
    /// `valid`, with its prefix.
    pub valid: Option<String>,
    /// `justWarning`
    pub just_warning: bool,
    /// `min` and `max`, or `minLength` and `maxLength`, where they are numbers: their texts.
    pub bounds: [Option<String>; 2],
    /// For each bound, true if it is a path.
    pub bounds_are_paths: [bool; 2],
    /// Bounds and members of `values` that are paths, with their prefix.
    pub arguments: Vec<String>,
    /// `values`, in their order.
    pub values: Vec<String>,
    /// True if a member of `values` is `null`, which is the empty string for the validator.
    pub has_null_value: bool,
    /// `regex`
    pub regex: String,
    /// True if the two models read a key differently: known except for letter case, written twice in different cases,
    /// or the older `included`.
    pub keys_differ: bool,
    /// True if the validator may refuse to decode a value because of its type or text.
    pub(crate) is_odd: bool,
}

/// The keys that the validator knows.
pub(crate) const KEYS: [&str; 12] = [
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

impl WrittenRule {
    /// Reads a rule; one that is not an object has no key.
    pub fn new(rule: Node<'_>) -> Self {
        let found = FoundEntries::new(rule);
        let text = |key: WrittenKey| found.get(key).and_then(Node::as_str).map(str::to_owned);
        let kind = text(WrittenKey::Rule).unwrap_or_default();
        let bounds = match kind.as_str() {
            "integer" => [WrittenKey::Min, WrittenKey::Max].map(|key| found.last(key)),
            "string" => [WrittenKey::MinLength, WrittenKey::MaxLength].map(|key| found.last(key)),
            _ => [None; 2],
        };
        let number = |node: Node<'_>| (node.kind() == SyntaxKind::Number).then(|| node.text().to_owned());
        let values = found.last(WrittenKey::Values).filter(|_| kind == "enum");
        let values: Vec<Node<'_>> = values.into_iter().flat_map(Node::items).collect();
        let is_path = |node: &Node<'_>| node.as_str().is_some_and(is_path);
        let paths = bounds.iter().flatten().chain(&values).filter(|node| is_path(node));
        Self {
            name: text(WrittenKey::Name).unwrap_or_default(),
            message: text(WrittenKey::Message).unwrap_or_default(),
            path: found.last(WrittenKey::Path).and_then(Node::as_str).map(str::to_owned),
            valid: found.last(WrittenKey::Valid).and_then(Node::as_str).map(str::to_owned),
            just_warning: found
                .get(WrittenKey::JustWarning)
                .is_some_and(|node| node.kind() == SyntaxKind::True),
            bounds: bounds.map(|bound| bound.and_then(number)),
            bounds_are_paths: bounds.map(|bound| bound.is_some_and(|node| is_path(&node))),
            has_null_value: values.iter().any(|node| node.kind() == SyntaxKind::Null),
            arguments: paths.map(|node| node.text().to_owned()).collect(),
            values: values.iter().map(|node| node.text().to_owned()).collect(),
            regex: text(WrittenKey::Regex).unwrap_or_default(),
            keys_differ: found.keys_differ,
            is_odd: found.is_odd,
            kind,
        }
    }

    /// True if the kind is one of the four.
    pub fn is_known_kind(&self) -> bool {
        ["integer", "string", "enum", "regex"].contains(&self.kind.as_str())
    }
}

/// The known keys, in the order of [`KEYS`].
#[derive(Clone, Copy)]
enum WrittenKey {
    Rule,
    Name,
    Path,
    Message,
    Valid,
    JustWarning,
    Min,
    Max,
    MinLength,
    MaxLength,
    Values,
    Regex,
}

/// The entries of a rule by key, found in a single pass.
struct FoundEntries<'d> {
    /// The last value of each key.
    last: [Option<Node<'d>>; KEYS.len()],
    /// The last that is not null.
    not_null: [Option<Node<'d>>; KEYS.len()],
    keys_differ: bool,
    is_odd: bool,
}

impl<'d> FoundEntries<'d> {
    fn new(rule: Node<'d>) -> Self {
        let (mut last, mut not_null) = ([None; KEYS.len()], [None; KEYS.len()]);
        let (mut keys_differ, mut is_odd) = (false, !rule.is_map());
        for entry in rule.entries() {
            let key = entry.key.text();
            keys_differ |= key == "included";
            let slots = KEYS.iter().zip(&mut last).zip(&mut not_null);
            for ((known, last), not_null) in slots.filter(|((known, _), _)| matches_key(known, key)) {
                keys_differ |= *known != key;
                is_odd |= is_odd_at(known, entry.value);
                *last = Some(entry.value);
                if entry.value.kind() != SyntaxKind::Null {
                    *not_null = Some(entry.value);
                }
            }
        }
        Self { last, not_null, keys_differ, is_odd }
    }

    /// The value of a string or a boolean: the last; `null` leaves the one before.
    fn get(&self, key: WrittenKey) -> Option<Node<'d>> {
        self.not_null.get(key as usize).copied().flatten()
    }

    /// The value of any other key: the last; `null` takes away the one before.
    fn last(&self, key: WrittenKey) -> Option<Node<'d>> {
        self.last.get(key as usize).copied().flatten().filter(|value| value.kind() != SyntaxKind::Null)
    }
}

/// True if the validator may refuse to decode a value; false only if it surely decodes.
fn is_odd_at(key: &str, value: Node<'_>) -> bool {
    let path = || !value.as_str().is_some_and(|text| is_path(text) && text.contains("::."));
    match (key, value.kind()) {
        ("path", _) => path(),
        (_, SyntaxKind::Null) => false,
        ("valid", _) => path(),
        ("justWarning", kind) => !matches!(kind, SyntaxKind::True | SyntaxKind::False),
        ("min" | "max" | "minLength" | "maxLength", SyntaxKind::Number) => {
            value.text().contains(['e', 'E', 'x', 'o', '.'])
        }
        ("values", SyntaxKind::List) => {
            value.items().any(|item| item.kind() != SyntaxKind::Null && item.as_str().is_none_or(is_path))
        }
        ("min" | "max" | "minLength" | "maxLength" | "values", _) => true,
        (_, kind) => kind != SyntaxKind::String,
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with("jsonpath::")
}

/// Unicode simple folding, as far as it leads to letters of our keys.
pub(crate) fn fold_case(key: &str) -> String {
    key.chars().map(fold_letter).collect()
}

/// True if a key is a known one except for letter case.
pub(crate) fn matches_key(known: &str, key: &str) -> bool {
    // Fast path, because this is called for every key of every rule and almost every key is ASCII.
    if key.is_ascii() {
        return known.eq_ignore_ascii_case(key);
    }
    known.chars().map(fold_letter).eq(key.chars().map(fold_letter))
}

fn fold_letter(letter: char) -> char {
    match letter {
        'ſ' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    }
}

/// The rule with its keys spelled as the validator takes them, and without the older ones.
pub(crate) fn respell_rule(rule: &Map<String, Value>) -> Map<String, Value> {
    let mut respelled = Map::new();
    for (key, value) in rule {
        let known = KEYS.iter().find(|known| matches_key(known, key));
        if key != "included" && !(value.is_null() && known.is_some()) {
            respelled.insert(known.map_or_else(|| key.clone(), |known| (*known).to_owned()), value.clone());
        }
    }
    respelled
}
