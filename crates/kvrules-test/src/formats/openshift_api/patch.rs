//! JSON Patches of definitions.

use kvrules_syntax::pointer::unescape_token;
use serde_json::Value;

use crate::document::{field, text_field};

/// Applies one operation of a JSON Patch: `add`, `remove`, `replace`, `copy`, `move` or `test`.
///
/// # Errors
///
/// The path does not exist, the operation is unknown, or a test fails.
// RFC 6902, section 4
pub(super) fn apply_operation(document: &mut Value, operation: &Value) -> Result<(), String> {
    let path = text_field(operation, "path");
    let value = field(operation, "value").clone();
    match text_field(operation, "op") {
        "add" => insert_value(document, path, value, false),
        "replace" => insert_value(document, path, value, true),
        "remove" => remove_value(document, path).map(|_| ()),
        "test" if document.pointer(path) == Some(&value) => Ok(()),
        "test" => Err(format!("the patch expects another value at `{path}`")),
        "copy" => {
            let from = text_field(operation, "from");
            let copied = document.pointer(from).cloned().ok_or_else(|| missing(from))?;
            insert_value(document, path, copied, false)
        }
        "move" => {
            let moved = remove_value(document, text_field(operation, "from"))?;
            insert_value(document, path, moved, false)
        }
        other => Err(format!("unknown operation `{other}` of a JSON Patch")),
    }
}

fn missing(path: &str) -> String {
    format!("the patch names `{path}`, which the definition does not have")
}

/// Returns the value around a path, and the last step.
fn parent_of<'v>(document: &'v mut Value, path: &str) -> Result<(&'v mut Value, String), String> {
    let (parent, last) = path.rsplit_once('/').ok_or_else(|| missing(path))?;
    let parent = document.pointer_mut(parent).ok_or_else(|| missing(path))?;
    Ok((parent, unescape_token(last)))
}

fn insert_value(document: &mut Value, path: &str, value: Value, is_replaced: bool) -> Result<(), String> {
    let (parent, last) = parent_of(document, path)?;
    match parent {
        Value::Object(fields) if !is_replaced || fields.contains_key(&last) => {
            fields.insert(last, value);
            Ok(())
        }
        Value::Array(items) if last == "-" && !is_replaced => {
            items.push(value);
            Ok(())
        }
        Value::Array(items) => {
            let index: usize = last.parse().map_err(|_| missing(path))?;
            if !is_replaced && index <= items.len() {
                items.insert(index, value);
                return Ok(());
            }
            let item = items.get_mut(index).filter(|_| is_replaced).ok_or_else(|| missing(path))?;
            *item = value;
            Ok(())
        }
        _ => Err(missing(path)),
    }
}

fn remove_value(document: &mut Value, path: &str) -> Result<Value, String> {
    let (parent, last) = parent_of(document, path)?;
    let removed = match parent {
        Value::Object(fields) => fields.shift_remove(&last),
        Value::Array(items) => {
            last.parse::<usize>().ok().filter(|index| *index < items.len()).map(|index| items.remove(index))
        }
        _ => None,
    };
    removed.ok_or_else(|| missing(path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_change_the_document_or_fail() {
        let mut document = json!({"a/b": [1, 2], "c": {}});
        for operation in [
            json!({"op": "remove", "path": "/a~1b/0"}),
            json!({"op": "add", "path": "/a~1b/-", "value": 3}),
            json!({"op": "replace", "path": "/a~1b/0", "value": 4}),
            json!({"op": "add", "path": "/c/d", "value": true}),
            json!({"op": "move", "from": "/c/d", "path": "/e"}),
            json!({"op": "test", "path": "/e", "value": true}),
        ] {
            apply_operation(&mut document, &operation).unwrap();
        }
        assert_eq!(document, json!({"a/b": [4, 3], "c": {}, "e": true}));
        for operation in [
            json!({"op": "remove", "path": "/none"}),
            json!({"op": "replace", "path": "/c/none", "value": 1}),
            json!({"op": "test", "path": "/e", "value": false}),
            json!({"op": "merge", "path": "/e"}),
        ] {
            assert!(apply_operation(&mut document, &operation).is_err(), "{operation}");
        }
    }
}
