//! The documents of emitted files.

use std::collections::BTreeSet;
use std::path::Path;

use kvrules_diagnostics::FileId;
use kvrules_emit::OutputFile;
use kvrules_syntax::pointer::unescape_token;
use kvrules_syntax::value::{ValueReader, request_value};
use kvrules_syntax::{Document, parse_stream};
use serde_json::Value;

use super::RunError;

/// Every document of every file, in their order.
pub(crate) fn parse_documents(files: &[OutputFile]) -> Result<Vec<Value>, RunError> {
    let mut documents = Vec::new();
    for file in files {
        let broken = |reason: &str| RunError(format!("`{}` cannot be read: {reason}", file.path));
        if Path::new(&file.path).extension().is_some_and(|extension| extension == "json") {
            documents.push(serde_json::from_str(&file.text).map_err(|error| broken(&error.to_string()))?);
            continue;
        }
        for document in &parse_stream(FileId(0), &file.text).documents {
            if let Some(problem) = document.problems().first() {
                return Err(broken(&problem.detail));
            }
            let value =
                document.root().map(|root| ValueReader::for_kubernetes().read_value(root)).transpose();
            let value = value.map_err(|error| broken(&error.message))?;
            documents.extend(value.filter(|value| !value.is_null()));
        }
    }
    Ok(documents)
}

/// Every document of a definition that users wrote, read as an API server reads it.
pub(super) fn as_served(name: &str, text: &str) -> Result<Vec<Value>, RunError> {
    let stream = parse_stream(FileId(0), text);
    let roots = stream.documents.iter().filter_map(Document::root);
    let values = roots.map(|root| request_value(root, &BTreeSet::new()));
    let too_large = || RunError(format!("`{name}` is larger than an API server accepts"));
    values.map(|value| value.ok_or_else(too_large)).collect()
}

/// The documents of a kind, such as `ValidatingAdmissionPolicy`.
pub(super) fn of_kind<'d>(documents: &'d [Value], kind: &str) -> Vec<&'d Value> {
    documents.iter().filter(|document| document.get("kind").and_then(Value::as_str) == Some(kind)).collect()
}

/// Returns the value at a JSON pointer in which `*` is the only member.
pub(super) fn value_at_pointer<'d>(document: &'d Value, pointer: &str) -> Option<&'d Value> {
    let step = |value: &'d Value, token: &str| match (value, token) {
        (Value::Object(fields), "*") if fields.len() == 1 => fields.values().next(),
        (Value::Array(items), "*") if items.len() == 1 => items.first(),
        (Value::Object(fields), token) => fields.get(&unescape_token(token)),
        (Value::Array(items), token) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    };
    pointer.split('/').skip(1).try_fold(document, step)
}
