//! Issues of the checker that are errors at a request. At a request objects are maps without types, so that the checker with types
//! rejects more than the evaluation does.

use kvrules_cel::issue::Issue;

/// Functions whose operands may differ in their types.
const LENIENT: [&str; 4] = ["_?_:_", "orValue", "or", "_[?_]"];

/// True if an issue is an error at a request too, or a comparison that never holds.
pub(super) fn is_wrong_at_requests(issue: &Issue) -> bool {
    let message = issue.message.as_str();
    if message.starts_with("undefined field") {
        return true;
    }
    let quoted = message.split('\'').nth(1).unwrap_or_default();
    if message.ends_with("does not support field selection")
        || message.contains("cannot be range of a comprehension")
    {
        return is_scalar(quoted);
    }
    let Some((function, types)) = message
        .strip_prefix("found no matching overload for '")
        .and_then(|rest| rest.split_once("' applied to '"))
    else {
        return false;
    };
    let types = types.trim_end_matches('\'');
    if LENIENT.contains(&function) || mentions_object(types) {
        return false;
    }
    match function {
        "_==_" | "_!=_" => are_never_equal(types),
        // Lists of any items can be added.
        "_+_" => types.matches("list(").count() < 2,
        _ => true,
    }
}

/// True for types whose values have no fields and no items.
fn is_scalar(ty: &str) -> bool {
    ["int", "uint", "double", "bool", "string"].contains(&ty)
}

/// True if a type is that of an object with fields, also inside of others. Its values are maps at a request.
fn mentions_object(types: &str) -> bool {
    types.contains("selfType:")
}

/// True if two scalars of different types are compared. Numbers of different types can be equal, and a comparison with null is
/// redundant at worst.
fn are_never_equal(types: &str) -> bool {
    let types: Vec<&str> = types.trim_matches(['(', ')']).split(", ").collect();
    let is_number = |ty: &&str| ["int", "uint", "double"].contains(ty);
    let [left, right] = types.as_slice() else { return false };
    is_scalar(left) && is_scalar(right) && !(is_number(left) && is_number(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_issues_that_are_errors_at_requests_are_relevant() {
        let overload = |function: &str, types: &str| {
            format!("found no matching overload for '{function}' applied to '{types}'")
        };
        let is_relevant = |message: &str| is_wrong_at_requests(&Issue::without_location(message));
        for message in [
            "undefined field 'a'",
            "type 'int' does not support field selection",
            "expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
            &overload("_==_", "(int, string)"),
            &overload("_<_", "(int, string)"),
            &overload("startsWith", "int.(string)"),
            &overload("_+_", "(string, int)"),
        ] {
            assert!(is_relevant(message), "{message}");
        }
        for message in [
            "expected type 'string' but found 'int'",
            "expression of type 'selfType:object.spec' cannot be range of a comprehension (must be list, map, or dynamic)",
            &overload("_==_", "(int, null)"),
            &overload("_==_", "(int, double)"),
            &overload("_==_", "(selfType:object.spec, selfType:object.status)"),
            &overload("@in", "(string, selfType:object.metadata)"),
            &overload("_[_]", "(selfType:object.spec, string)"),
            &overload("_?_:_", "(bool, int, string)"),
            &overload("_+_", "(list(selfType:object.spec.a[*]), list(selfType:object.spec.b[*]))"),
            &overload("orValue", "optional_type(int).(string)"),
        ] {
            assert!(!is_relevant(message), "{message}");
        }
    }
}
