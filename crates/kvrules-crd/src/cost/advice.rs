//! Advice for expressions that no bounds make affordable.

use kvrules_cel::ast::{ExprKind, Expression};
use kvrules_cel::types::{RESERVED, escape_property};

/// Returns what to change in an expression that exceeds its budget with any bounds, in the imperative.
pub fn advise_simplification(expression: &str) -> String {
    // Few expressions need to be parsed again.
    let may_select = RESERVED.iter().any(|word| expression.contains(&format!(".{word}")));
    let parsed = if may_select { kvrules_cel::parse(expression).ok() } else { None };
    match parsed.as_ref().and_then(find_reserved_field) {
        // The server looks up the limits of `self.namespace` under this name, and the field is declared as `__namespace__`.
        Some((field, escaped)) => format!(
            "write `.{escaped}` instead of `.{field}`: the server knows no bounds of a field that is selected by a reserved word"
        ),
        None => "simplify the rule: bounds alone do not suffice; results of `string(…)`, `format(…)` and `orValue(…)` \
                 count as unbounded"
            .to_owned(),
    }
}

/// The first field that is selected by a reserved word, and its escaped name.
fn find_reserved_field(expression: &Expression) -> Option<(&str, String)> {
    let mut found = None;
    expression.root.visit_nodes(&mut |node| {
        if let ExprKind::Select { field, .. } = &node.kind
            && RESERVED.contains(&field.as_str())
            && found.is_none()
        {
            found = escape_property(field).map(|escaped| (field.as_str(), escaped));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserved_word_is_named_with_its_escaped_form() {
        let advice = advise_simplification("self.all(p, self.all(q, p.namespace == q.namespace))");
        assert!(advice.starts_with("write `.__namespace__` instead of `.namespace`"), "{advice}");
        for other in ["self.all(p, p.__namespace__ == string(p))", "self.", "namespace"] {
            assert!(advise_simplification(other).starts_with("simplify the rule"), "{other}");
        }
    }
}
