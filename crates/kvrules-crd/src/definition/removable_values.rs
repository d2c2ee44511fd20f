//! Rules such as `self == oldSelf` of fields that may be removed: a server evaluates them if there is a value before and after the update, so that
//! two updates, one that removes the field and one that sets it, change the value.
// apiextensions schema/cel/validation.go, Validator.Validate: a transition rule is skipped without an old value

use kvrules_cel::types::escape_property;
use kvrules_diagnostics::Diagnostic;
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::Node;

use crate::lints;
use crate::schema_review::SchemaVersion;

/// The findings about a version.
pub(super) fn removal_findings(version: &SchemaVersion<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    visit(version.node, "", &mut findings);
    findings
}

fn visit(schema: Node<'_>, path: &str, findings: &mut Vec<Diagnostic>) {
    let required: Vec<&str> =
        schema.get("required").into_iter().flat_map(Node::items).map(Node::text).collect();
    let has_presence_rule = |name: &str| {
        let rules = schema.get(VALIDATIONS).into_iter().flat_map(Node::items);
        // Whatever it says of the presence of both is taken to be about this.
        rules.filter_map(|rule| rule.get("rule")).any(|rule| {
            let text = rule.text();
            text.contains(&format!("has(self.{name})")) && text.contains("oldSelf")
        })
    };
    for entry in schema.get("properties").into_iter().flat_map(Node::entries) {
        let name = entry.key.text();
        let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let stays =
            required.contains(&name) || entry.value.get("default").is_some() || has_presence_rule(name);
        if !stays && !entry.value.is_templated() {
            findings.extend(unchanging_rule(entry.value).map(|rule| finding(rule, name, path)));
        }
        visit(entry.value, &below, findings);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(keyword) {
            visit(inner, &format!("{path}[*]"), findings);
        }
    }
}

/// The expression of a rule of a schema that says that its value does not change.
fn unchanging_rule(schema: Node<'_>) -> Option<Node<'_>> {
    let rules = schema.get(VALIDATIONS)?.items();
    rules.filter_map(|rule| rule.get("rule")).find(|rule| {
        let text: String = rule.text().split_whitespace().collect();
        ["self==oldSelf", "oldSelf==self"].contains(&text.as_str())
    })
}

fn finding(rule: Node<'_>, name: &str, path: &str) -> Diagnostic {
    let escaped = escape_property(name);
    let field = escaped.as_deref().unwrap_or(name);
    let message = format!(
        "`{name}` can be removed and set to another value: it is optional, and the rule is evaluated only for updates that keep it"
    );
    let place = if path.is_empty() { "the whole object".to_owned() } else { format!("`{path}`") };
    lints::REMOVABLE_VALUE.diagnostic_at(rule.span(), message).with_help(format!(
        "write a rule for {place} too: `has(self.{field}) == has(oldSelf.{field})`, or `!has(oldSelf.{field}) || has(self.{field})` if it may be set later"
    ))
}
