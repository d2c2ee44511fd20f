//! YAML as targets have it.

use serde_json::Value;

use crate::EmitError;

/// A document as YAML that readers of YAML 1.1, such as Kubernetes, take for the same: `on` and `1_000` stand in quotation
/// marks.
pub(crate) fn to_yaml(document: &Value) -> Result<String, EmitError> {
    kvrules_syntax::to_yaml(document).map_err(|error| EmitError { message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use kvrules_syntax::{SyntaxKind, parse_stream, yaml11::read_as_yaml11};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_one_for_readers_of_either_version() {
        let words =
            ["y", "n", "yes", "no", "on", "off", "true", "null", "0644", "0b11", "1_000", "-0x1f", "1e3"];
        for word in words.into_iter().flat_map(|word| [word.to_owned(), word.to_uppercase()]) {
            let document = json!({ word.clone(): [word], "a": {"b": word} });
            let text = to_yaml(&document).unwrap();
            assert_eq!(serde_yaml::from_str::<Value>(&text).unwrap(), document);
            let stream = parse_stream(FileId(0), &text);
            let root = stream.documents[0].root().unwrap();
            let [item, value] =
                [root.entries().next().unwrap().value.items().next(), root.get("a").unwrap().get("b")];
            for node in [Some(root.entries().next().unwrap().key), item, value].into_iter().flatten() {
                assert_eq!(
                    (node.kind(), node.text(), read_as_yaml11(node)),
                    (SyntaxKind::String, word.as_str(), None),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn numbers_stay_numbers() {
        assert_eq!(to_yaml(&json!([10, 1.5, -3, true])).unwrap(), "- 10\n- 1.5\n- -3\n- true\n");
    }
}
