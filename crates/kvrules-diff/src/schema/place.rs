//! Places: in an object, and in the schema that it is checked against.

use std::fmt::Write as _;

use serde_json::Value;

/// One step into an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectStep {
    /// To a field, or to the value of a key.
    Field(String),
    /// To an element of a list.
    Item(usize),
}

/// One step from a node of a schema to one below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NodeStep {
    /// Under `properties`.
    Property(String),
    /// `items`
    Items,
    /// `additionalProperties`
    Values,
}

impl NodeStep {
    /// The tokens that lead there in the schema.
    pub(crate) fn tokens(&self) -> Vec<String> {
        match self {
            Self::Property(name) => vec!["properties".to_owned(), name.clone()],
            Self::Items => vec!["items".to_owned()],
            Self::Values => vec!["additionalProperties".to_owned()],
        }
    }

    /// The node there, if there is one.
    pub(crate) fn of<'s>(&self, node: &'s Value) -> Option<&'s Value> {
        let below = match self {
            Self::Property(name) => node.get("properties")?.get(name),
            Self::Items => node.get("items"),
            Self::Values => node.get("additionalProperties"),
        };
        below.filter(|below| below.is_object())
    }
}

/// A place in a schema as users write it: `spec.disks[*].name`, `spec.labels.*`.
pub(crate) fn render_place(downs: &[NodeStep]) -> String {
    let mut text = String::new();
    for down in downs {
        match down {
            NodeStep::Property(name) => push_name(&mut text, name),
            NodeStep::Items => text.push_str("[*]"),
            NodeStep::Values if text.is_empty() => text.push('*'),
            NodeStep::Values => text.push_str(".*"),
        }
    }
    text
}

/// A place in an object as users write it: `spec.disks[0].name`.
pub fn path_text(steps: &[ObjectStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            ObjectStep::Field(name) => push_name(&mut text, name),
            ObjectStep::Item(index) => _ = write!(text, "[{index}]"),
        }
    }
    text
}

/// The steps of a path as the server writes it, `spec.list[0].x` or `spec.map[key]`, where keys may have dots in them: the
/// object shows which it has.
pub(super) fn read_path(path: &str, object: &Value) -> Vec<ObjectStep> {
    let (mut steps, mut rest, mut at) = (Vec::new(), path, Some(object));
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let found = at.and_then(|value| next_step(rest, value));
        let Some((step, behind)) = found else {
            let name = rest.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(rest);
            steps.push(ObjectStep::Field(name.to_owned()));
            break;
        };
        at = at.and_then(|value| match &step {
            ObjectStep::Field(name) => value.get(name),
            ObjectStep::Item(index) => value.get(index),
        });
        steps.push(step);
        rest = behind;
    }
    steps
}

/// The longest first step of a path that a value has, and the rest of the path.
fn next_step<'p>(path: &'p str, value: &Value) -> Option<(ObjectStep, &'p str)> {
    let inner = path.strip_prefix('[');
    if value.is_array() {
        let (index, rest) = inner?.split_once(']')?;
        return Some((ObjectStep::Item(index.parse().ok()?), rest));
    }
    let after = |name: &str| {
        let bracketed = inner.and_then(|inner| inner.strip_prefix(name)?.strip_prefix(']'));
        bracketed
            .or_else(|| path.strip_prefix(name))
            .filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let names = value.as_object()?.keys().filter_map(|name| Some((name, after(name)?)));
    let (name, rest) = names.max_by_key(|(name, _)| name.len())?;
    Some((ObjectStep::Field(name.clone()), rest))
}

fn push_name(text: &mut String, name: &str) {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    if !is_plain {
        let _ = write!(text, "['{}']", name.replace('\'', "\\'"));
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(name);
}
