//! Puts what an attempt asks for into an object that is valid already.

use kvrules_generate::ObjectGenerator;
use serde_json::{Map, Value, json};

use super::edit::ObjectAttempt;
use super::keyword::{find_property, keyword_schema};
use super::place::NodeStep;

/// The key of maps that objects are made with.
const KEY: &str = "k";

/// The object with what an attempt asks for at a place, and the object that is stored before if an update shows it. `None` if the
/// place cannot be reached.
pub(super) fn overlay_attempt(
    base: &Value,
    schema: &Value,
    downs: &[NodeStep],
    attempt: &ObjectAttempt,
    number: usize,
) -> Option<(Value, Option<Value>)> {
    let overlay = Overlay { schema, downs, number };
    let put = |value: &Value| overlay.edit(base, &|_, _| Some(value.clone()));
    let field = |name: &str, value: Option<&Value>| {
        overlay.edit(base, &|node, fields| Some(overlay.with_field(node, fields, name, value)))
    };
    let object = match attempt {
        ObjectAttempt::Like(value) | ObjectAttempt::Exactly(value) => put(value)?,
        ObjectAttempt::Update(before, after) => return Some((put(after)?, Some(put(before)?))),
        ObjectAttempt::With(name) => field(name, None)?,
        ObjectAttempt::WithValue(name, value) => field(name, Some(value))?,
        ObjectAttempt::Without(name) => overlay.without(base, name)?,
        ObjectAttempt::RemoveField(name) => {
            return Some((overlay.without(base, name)?, Some(field(name, None)?)));
        }
        ObjectAttempt::Count(count) => {
            overlay.edit(base, &|node, value| overlay.resized(node, value, *count))?
        }
        ObjectAttempt::DuplicateItem => overlay.edit(base, &|node, value| {
            let count = value.as_array().map_or(0, Vec::len).max(1);
            let mut items = overlay.resized(node, value, count)?;
            let last = items.as_array()?.last().cloned();
            items.as_array_mut()?.extend(last);
            Some(items)
        })?,
        ObjectAttempt::Anything => overlay.edit(base, &|_, value| Some(value.clone()))?,
    };
    Some((object, None))
}

struct Overlay<'a> {
    schema: &'a Value,
    downs: &'a [NodeStep],
    number: usize,
}

/// Makes a value of the node's of what is there.
type ValueEdit<'f> = &'f dyn Fn(&Value, &Value) -> Option<Value>;

impl Overlay<'_> {
    fn edit(&self, base: &Value, edit: ValueEdit<'_>) -> Option<Value> {
        self.edit_below(base, self.schema, self.downs, edit)
    }

    fn edit_below(
        &self,
        value: &Value,
        node: &Value,
        downs: &[NodeStep],
        edit: ValueEdit<'_>,
    ) -> Option<Value> {
        let Some((down, rest)) = downs.split_first() else { return edit(node, value) };
        let node = down.of(node)?;
        let below = |value: Option<&Value>| match value.filter(|value| !value.is_null()) {
            Some(value) => self.edit_below(value, node, rest, edit),
            None => self.edit_below(&self.generate(node), node, rest, edit),
        };
        match down {
            NodeStep::Property(name) => {
                let mut fields = value.as_object().cloned().unwrap_or_default();
                let inner = below(fields.get(name))?;
                fields.insert(name.clone(), inner);
                Some(Value::Object(fields))
            }
            NodeStep::Values => {
                let mut fields = value.as_object().cloned().unwrap_or_default();
                let key = fields.keys().next().cloned().unwrap_or_else(|| KEY.to_owned());
                let inner = below(fields.get(&key))?;
                fields.insert(key, inner);
                Some(Value::Object(fields))
            }
            NodeStep::Items => {
                let mut items = value.as_array().cloned().unwrap_or_default();
                let last = items.pop();
                items.push(below(last.as_ref())?);
                Some(Value::Array(items))
            }
        }
    }

    fn generate(&self, node: &Value) -> Value {
        ObjectGenerator::new(node).generate_valid(self.number)
    }

    /// The fields with another one, which gets any value unless one is given.
    fn with_field(&self, node: &Value, value: &Value, name: &str, given: Option<&Value>) -> Value {
        let mut fields = value.as_object().cloned().unwrap_or_default();
        let below = find_property(node, name).or_else(|| keyword_schema(node, "additionalProperties"));
        let generate = || below.map_or_else(|| json!("a"), |below| self.generate(below));
        if let Some(given) = given {
            fields.insert(name.to_owned(), given.clone());
        } else if !fields.contains_key(name) {
            fields.insert(name.to_owned(), generate());
        }
        Value::Object(fields)
    }

    fn without(&self, base: &Value, name: &str) -> Option<Value> {
        self.edit(base, &|_, value| {
            let fields = value.as_object()?.iter().filter(|(known, _)| *known != name);
            Some(Value::Object(
                fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>(),
            ))
        })
    }

    /// A list of so many items, or a map of so many entries.
    fn resized(&self, node: &Value, value: &Value, count: usize) -> Option<Value> {
        if let Some(below) = keyword_schema(node, "items") {
            let mut items = value.as_array().cloned().unwrap_or_default();
            items.truncate(count);
            let more = (items.len()..count).map(|at| ObjectGenerator::new(below).generate_valid(at));
            items.extend(more);
            return Some(Value::Array(items));
        }
        let below = keyword_schema(node, "additionalProperties")?;
        let known = value.as_object().cloned().unwrap_or_default().into_iter();
        let more = (0..count).map(|at| (format!("{KEY}{at}"), self.generate(below)));
        Some(Value::Object(known.chain(more).take(count).collect()))
    }
}
