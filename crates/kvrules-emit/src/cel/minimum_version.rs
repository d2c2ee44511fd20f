//! The oldest Kubernetes that takes an entry of `x-kubernetes-validations`.
//!
//! A server takes new expressions only with what the release before it knew, so that it can be rolled back. Its environment
//! (`k8s.io/apiserver/pkg/cel/environment/base.go`) dates quantities 1.28 and the string library with `format()` 1.29: new
//! expressions may use them from 1.29 and from 1.30 on. The fields are those of `ValidationRule` in
//! `apiextensions.k8s.io/v1`: `messageExpression` came with 1.27, `reason` and `fieldPath` with 1.28. Rules themselves are
//! beta, and so on by default, from 1.25 on.

use serde_json::Value;

/// The first minor release that takes an entry, such as `1.30`.
pub(crate) fn minimum_version(entry: &Value) -> &'static str {
    let texts = || ["rule", "messageExpression"].into_iter().filter_map(|key| entry.get(key)?.as_str());
    let calls = |function: &str| texts().any(|text| text.contains(function));
    let has = |key: &str| entry.get(key).is_some();
    if calls(".format(") {
        "1.30"
    } else if calls("uantity(") {
        "1.29"
    } else if has("fieldPath") || has("reason") {
        "1.28"
    } else if has("messageExpression") {
        "1.27"
    } else {
        "1.25"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_entry_needs_the_release_that_knows_all_of_it() {
        let cases = [
            (json!({"rule": "self.a > 1", "message": "m"}), "1.25"),
            (json!({"rule": "self.a > 1", "messageExpression": "'a'"}), "1.27"),
            (json!({"rule": "self.a > 1", "fieldPath": ".a"}), "1.28"),
            (json!({"rule": "isQuantity(self.a)", "reason": "FieldValueRequired"}), "1.29"),
            (json!({"rule": "self.a > 1", "messageExpression": "'%d'.format([self.a])"}), "1.30"),
        ];
        for (entry, release) in cases {
            assert_eq!(minimum_version(&entry), release, "{entry}");
        }
    }
}
