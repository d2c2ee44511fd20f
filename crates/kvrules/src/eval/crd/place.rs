//! From the path of a field, as the server writes it, to the node in the text, and values as the server reads them.

use kvrules_elaborate::object::{self, NotJsonError};
use kvrules_syntax::Node;
use serde_json::{Number, Value};

/// The node that a path leads to, or the last one on the way that is there.
///
/// Names stand behind dots and keys of maps in brackets, and both may have dots of their own: the longest that fits is taken.
pub(super) fn node_at<'d>(root: Node<'d>, path: &str) -> Node<'d> {
    let (mut node, mut rest) = (root, path);
    while !rest.is_empty() {
        let Some((next, after)) = resolve_step(node, rest) else { return node };
        (node, rest) = (next, after);
    }
    node
}

fn resolve_step<'d, 'p>(node: Node<'d>, rest: &'p str) -> Option<(Node<'d>, &'p str)> {
    if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && node.is_list()
    {
        return Some((node.items().nth(index.parse().ok()?)?, after));
    }
    let name = rest.strip_prefix('.').unwrap_or(rest);
    let after = |key: &str| {
        let bracketed = rest.strip_prefix('[').and_then(|rest| rest.strip_prefix(key)?.strip_prefix(']'));
        let ends = |after: &&str| after.is_empty() || after.starts_with(['.', '[']);
        bracketed.or_else(|| name.strip_prefix(key).filter(ends))
    };
    let fitting = node.entries().filter_map(|entry| Some((entry, after(entry.key.text())?)));
    // The longest key counts, and the last one of duplicates.
    let (entry, after) = fitting.max_by_key(|(entry, _)| entry.key.text().len())?;
    Some((entry.value, after))
}

/// The JSON of a node as it reaches the server. YAML is made JSON on the way, and there `5.0` becomes `5`.
pub(super) fn served_json(node: Node<'_>, text: &str) -> Result<Value, NotJsonError> {
    let mut value = object::server_value(node)?;
    if !text.starts_with(['{', '[']) {
        whole_numbers(&mut value);
    }
    Ok(value)
}

fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Larger floats keep their exponent, and so remain floats.
            let float =
                number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15);
            if let Some(float) = float {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
                let whole = float as i64;
                *number = Number::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}
