//! Keys of suites that their format does not have.

use kvrules_diagnostics::Diagnostic;
use serde_json::Value;

use crate::document::SuiteDocument;
use crate::files::suite_error;

/// Returns findings about the keys of a mapping that its format does not know.
pub(crate) fn unknown_keys(
    document: &SuiteDocument,
    pointer: &str,
    is_known: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let mapping = if pointer.is_empty() { Some(&document.value) } else { document.value.pointer(pointer) };
    let keys = mapping.and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys());
    let unknown = keys.filter(|key| !is_known(key));
    let finding = |key: &String| {
        let span = document.span_at(&format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")));
        suite_error(
            span,
            format!("unknown key `{key}`: the case may expect something that kvrules does not compare"),
        )
    };
    unknown.map(finding).collect()
}
