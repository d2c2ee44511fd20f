//! Whether a server takes an object by a structural schema and its rules.
//!
//! An object is taken when the server stores all of it: what it would drop as unknown counts as refused, as it is under
//! strict field validation, which `kubectl` asks for by default. Of an update, errors at what has not changed are excused
//! as the server excuses them.

use kvrules_cel::crd::CompiledSchema;
use serde_json::Value;

use super::complete::complete;
use super::keyword::{
    EMBEDDED, INT_OR_STRING, JUNCTORS, LIST_KEYS, LIST_TYPE, default, flag, list, properties, schema, size,
    text, texts,
};
use super::place::{Step, path_text};
use super::scalar::{self, Patterns, Said};

/// A schema, ready to judge objects.
#[derive(Debug)]
pub struct Judge {
    schema: Value,
    rules: CompiledSchema,
    patterns: Patterns,
}

/// One reason to refuse an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Where in the object.
    pub path: Vec<Step>,
    /// The keyword of the schema, or `rule`, or `unknown field`.
    pub keyword: &'static str,
    /// Why, in a few words.
    pub text: String,
}

/// What a server says of an object.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Why it refuses the object; nothing where it does not.
    pub refusals: Vec<Refusal>,
    /// Whether something in it could not be judged, so that it may be refused for that.
    pub doubtful: bool,
}

impl Verdict {
    /// Whether the object is taken.
    pub fn accepts(&self) -> bool {
        self.refusals.is_empty() && !self.doubtful
    }

    /// Whether it is not.
    pub fn refuses(&self) -> bool {
        !self.refusals.is_empty()
    }

    /// The first reason, with its place.
    pub fn reason(&self) -> String {
        self.refusals.first().map(Refusal::told).unwrap_or_default()
    }
}

impl Refusal {
    /// The reason with its place.
    pub fn told(&self) -> String {
        let at = path_text(&self.path);
        if at.is_empty() { self.text.clone() } else { format!("{at}: {}", self.text) }
    }
}

impl Judge {
    /// Makes a schema ready, the value of `openAPIV3Schema`.
    pub fn new(schema: &Value) -> Self {
        Self { schema: schema.clone(), rules: CompiledSchema::new(schema), patterns: Patterns::default() }
    }

    /// What becomes of a new object.
    pub fn create(&self, object: &Value) -> Verdict {
        self.judge(object, None)
    }

    /// What becomes of an update of a stored object.
    pub fn update(&self, object: &Value, old: &Value) -> Verdict {
        self.judge(object, Some(old))
    }

    fn judge(&self, object: &Value, old: Option<&Value>) -> Verdict {
        let completed = complete(object, &self.schema);
        let old = old.map(|old| complete(old, &self.schema).object);
        let mut walk = Walk { patterns: &self.patterns, found: Verdict::default(), path: Vec::new() };
        let unknown = completed.unknown.into_iter().map(|path| Refusal {
            path,
            keyword: UNKNOWN,
            text: "unknown field, which would be dropped".to_owned(),
        });
        walk.found.refusals.extend(unknown);
        let object = &completed.object;
        let unchanged = old.as_ref().is_some_and(|old| old == object);
        walk.node(&self.schema, object, Old { value: old.as_ref(), unchanged });
        let mut found = walk.found;
        let blocks = |refusal: &Refusal| BLOCKING.contains(&refusal.keyword);
        if !found.refusals.iter().any(blocks) {
            let report = self.rules.validate(object, old.as_ref());
            found.refusals.extend(report.errors.into_iter().map(|failure| Refusal {
                path: read_path(&failure.field),
                keyword: RULE,
                text: if failure.detail.is_empty() { "duplicate value".to_owned() } else { failure.detail },
            }));
        }
        found
    }
}

/// What the refusal by a rule has for a keyword.
pub(super) const RULE: &str = "rule";
/// What the refusal of an unknown field has for a keyword.
pub(super) const UNKNOWN: &str = "unknown field";
/// After these the server does not run rules.
const BLOCKING: [&str; 6] = ["type", "required", "enum", "maxLength", "maxItems", "maxProperties"];

/// What is known of the value before an update.
#[derive(Clone, Copy)]
struct Old<'v> {
    value: Option<&'v Value>,
    unchanged: bool,
}

impl<'v> Old<'v> {
    fn below(self, old: Option<&'v Value>, new: &Value) -> Self {
        Self { value: old, unchanged: self.unchanged || old.is_some_and(|old| old == new) }
    }

    fn item(self, list: &Value, items: &Value, item: &Value) -> Self {
        if text(list, LIST_TYPE) != "map" {
            return Self { value: None, ..self };
        }
        let keys = texts(list, LIST_KEYS);
        let olds = self.value.and_then(Value::as_array);
        let same = |old: &&Value| keys.iter().all(|key| key_of(old, key, items) == key_of(item, key, items));
        self.below(olds.and_then(|olds| olds.iter().find(same)), item)
    }
}

/// A key of an element; one that is left out counts as its default.
fn key_of<'v>(item: &'v Value, key: &str, items: &'v Value) -> Option<&'v Value> {
    item.get(key).or_else(|| default(super::keyword::property(items, key)?))
}

struct Walk<'p> {
    patterns: &'p Patterns,
    found: Verdict,
    path: Vec<Step>,
}

impl Walk<'_> {
    fn refuse(&mut self, old: Old<'_>, keyword: &'static str, text: String) {
        if !old.unchanged {
            self.found.refusals.push(Refusal { path: self.path.clone(), keyword, text });
        }
    }

    fn node(&mut self, node: &Value, value: &Value, old: Old<'_>) {
        if value.is_null() && flag(node, "nullable") {
            if !list(node, "enum").is_empty() {
                self.refuse(old, "enum", "`null` is none of the values that `enum` lists".to_owned());
            }
            return;
        }
        match scalar::judge(node, value, self.patterns) {
            Said::Fits => {}
            Said::Refused(keyword) => {
                self.refuse(old, keyword, told(node, keyword, value));
                if keyword == "type" {
                    return;
                }
            }
            Said::Doubtful => self.found.doubtful |= !old.unchanged,
        }
        match value {
            Value::Array(items) => self.items(node, items, old),
            Value::Object(fields) => self.fields(node, fields, old),
            _ => {}
        }
        self.branches(node, value, old);
    }

    fn count(&mut self, node: &Value, count: usize, keys: [&'static str; 2], old: Old<'_>) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let [least, most] = keys;
        if let Some(bound) = size(node, most).filter(|bound| count > *bound) {
            self.refuse(old, most, format!("{count} is more than `{most}` {bound}"));
        }
        if let Some(bound) = size(node, least).filter(|bound| count < *bound) {
            self.refuse(old, least, format!("{count} is less than `{least}` {bound}"));
        }
    }

    fn items(&mut self, node: &Value, items: &[Value], old: Old<'_>) {
        self.count(node, items.len(), ["minItems", "maxItems"], old);
        let Some(below) = schema(node, "items") else { return };
        let had_doubles =
            || old.value.and_then(Value::as_array).is_some_and(|items| has_doubles(node, below, items));
        let is_double = has_doubles(node, below, items) && !had_doubles();
        if is_double {
            self.refuse(
                old,
                LIST_TYPE,
                format!("an element stands twice in a list of the type `{}`", text(node, LIST_TYPE)),
            );
        }
        for (index, item) in items.iter().enumerate() {
            self.path.push(Step::Item(index));
            self.node(below, item, old.item(node, below, item));
            self.path.pop();
        }
    }

    fn fields(&mut self, node: &Value, fields: &serde_json::Map<String, Value>, old: Old<'_>) {
        self.count(node, fields.len(), ["minProperties", "maxProperties"], old);
        for name in texts(node, "required") {
            if !fields.contains_key(name) {
                self.refuse(old, "required", format!("`{name}` is required"));
            }
        }
        if flag(node, EMBEDDED) {
            for name in ["apiVersion", "kind"].into_iter().filter(|name| !fields.contains_key(*name)) {
                self.refuse(old, "required", format!("`{name}` is required"));
            }
        }
        let values = schema(node, "additionalProperties");
        for (name, value) in fields {
            let known = super::keyword::property(node, name);
            if known.is_none() && node.get("additionalProperties") == Some(&Value::Bool(false)) {
                self.refuse(old, "additionalProperties", format!("`{name}` may not be there"));
            }
            if let Some(below) = known.or(values) {
                let before = old.value.and_then(|old| old.get(name));
                self.path.push(Step::Field(name.clone()));
                self.node(below, value, old.below(before, value));
                self.path.pop();
            }
        }
    }

    fn branches(&mut self, node: &Value, value: &Value, old: Old<'_>) {
        for junctor in JUNCTORS {
            let branches = list(node, junctor);
            // Beside the extension, this is how the two types are said and nothing more.
            if branches.is_empty()
                || (flag(node, INT_OR_STRING) && branches.iter().any(|it| it.get("type").is_some()))
            {
                continue;
            }
            let verdicts: Vec<_> = branches.iter().map(|branch| self.branch(branch, value)).collect();
            let fitting = verdicts.iter().filter(|verdict| verdict.accepts()).count();
            let doubtful = verdicts.iter().filter(|it| it.doubtful && !it.refuses()).count();
            let (least, most) = match junctor {
                "allOf" => (branches.len(), branches.len()),
                "anyOf" => (1, branches.len()),
                _ => (1, 1),
            };
            if fitting + doubtful < least || fitting > most {
                self.refuse(old, junctor, format!("`{junctor}` is not kept"));
            } else if fitting < least || fitting + doubtful > most {
                self.found.doubtful |= !old.unchanged;
            }
        }
        if let Some(branch) = schema(node, "not") {
            let verdict = self.branch(branch, value);
            if verdict.accepts() {
                self.refuse(old, "not", "`not` is not kept".to_owned());
            } else if !verdict.refuses() {
                self.found.doubtful |= !old.unchanged;
            }
        }
    }

    fn branch(&self, branch: &Value, value: &Value) -> Verdict {
        let mut walk = Walk { patterns: self.patterns, found: Verdict::default(), path: Vec::new() };
        walk.node(branch, value, Old { value: None, unchanged: false });
        walk.found
    }
}

/// Whether an element stands twice in a list where none may.
fn has_doubles(node: &Value, below: &Value, items: &[Value]) -> bool {
    match text(node, LIST_TYPE) {
        "set" => doubles(items.iter().map(|item| vec![Some(item)])),
        "map" => {
            let keys = texts(node, LIST_KEYS);
            doubles(items.iter().map(|item| keys.iter().map(|key| key_of(item, key, below)).collect()))
        }
        _ => false,
    }
}

/// Whether two of some keys are the same.
fn doubles<'v>(keys: impl Iterator<Item = Vec<Option<&'v Value>>>) -> bool {
    let mut seen: Vec<Vec<Option<&Value>>> = Vec::new();
    for key in keys {
        if seen.contains(&key) {
            return true;
        }
        seen.push(key);
    }
    false
}

/// The refusal of a value by a keyword.
fn told(node: &Value, keyword: &str, value: &Value) -> String {
    let limit = node.get(keyword).map(Value::to_string).unwrap_or_default();
    let shown = match value {
        Value::Array(_) | Value::Object(_) => scalar::type_of(value).to_owned(),
        other => other.to_string(),
    };
    match keyword {
        "type" => format!("{shown} is not of the type {}", type_words(node)),
        _ => format!("{shown} does not keep `{keyword}` {limit}"),
    }
}

/// The types that a node allows.
pub(super) fn type_words(node: &Value) -> String {
    if flag(node, INT_OR_STRING) { "integer or string".to_owned() } else { text(node, "type").to_owned() }
}

/// A path as the rules of a CRD tell it: `spec.list[0].x`, `spec.map[key]`.
fn read_path(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        if let Some(name) = pieces.next().filter(|name| !name.is_empty()) {
            steps.push(Step::Field(name.to_owned()));
        }
        for piece in pieces {
            let inner = piece.trim_end_matches(']');
            steps.push(inner.parse().map_or_else(|_| Step::Field(inner.to_owned()), Step::Item));
        }
    }
    steps
}

/// The names that a schema always has in every object: of none of them a change is told.
pub(super) fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// All properties of two nodes, those of the first first.
pub(super) fn names<'s>(old: &'s Value, new: &'s Value) -> Vec<&'s String> {
    let mut names: Vec<&String> = properties(old).map(|(name, _)| name).collect();
    let more: Vec<&String> =
        properties(new).map(|(name, _)| name).filter(|name| !names.contains(name)).collect();
    names.extend(more);
    names
}
