//! Rules such as `self == oldSelf` of fields that may be removed: a server evaluates them if there is a value before and after the update, so that
//! two updates, one that removes the field and one that sets it, change the value.
// apiextensions schema/cel/validation.go, Validator.Validate: a transition rule is skipped without an old value

use kvrules_cel::types::escape_property;
use kvrules_diagnostics::{Diagnostic, SourceFile};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::Node;

use crate::lints;
use crate::schema_review::SchemaVersion;

/// The findings about a version.
pub(super) fn removal_findings(source: &SourceFile, version: &SchemaVersion<'_>) -> Vec<Diagnostic> {
    if !version.node.is_alias() && !source.span_text(version.node.span()).contains("oldSelf") {
        return Vec::new();
    }
    let mut search = RemovalSearch { around: Vec::new(), findings: Vec::new() };
    search.visit_schema(version.node, "");
    search.findings
}

/// A walk through a schema.
struct RemovalSearch<'d> {
    /// The rules about updates of the schemas around.
    around: Vec<&'d str>,
    findings: Vec<Diagnostic>,
}

impl<'d> RemovalSearch<'d> {
    fn visit_schema(&mut self, schema: Node<'d>, path: &str) {
        let required: Vec<&str> =
            schema.get("required").into_iter().flat_map(Node::items).map(Node::text).collect();
        let count = self.around.len();
        self.around.extend(rules_of(schema).map(Node::text).filter(|rule| rule.contains("oldSelf")));
        for entry in schema.get("properties").into_iter().flat_map(Node::entries) {
            let name = entry.key.text();
            let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let stays =
                required.contains(&name) || entry.value.get("default").is_some() || self.is_kept(name);
            if !stays && !entry.value.is_templated() {
                let rule = rules_of(entry.value).find(|rule| is_unchanging(rule.text()));
                self.findings.extend(rule.map(|rule| finding(rule, name, path)));
            }
            self.visit_schema(entry.value, &below);
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(keyword) {
                self.visit_schema(inner, &format!("{path}[*]"));
            }
        }
        self.around.truncate(count);
    }

    /// True if a rule about updates of a schema around may keep the field: it names the field, or says that nothing changes.
    fn is_kept(&self, name: &str) -> bool {
        let escaped = escape_property(name);
        let field = escaped.as_deref().unwrap_or(name);
        self.around.iter().any(|rule| rule.contains(field) || is_unchanging(rule))
    }
}

fn rules_of(schema: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    schema.get(VALIDATIONS).into_iter().flat_map(Node::items).filter_map(|rule| rule.get("rule"))
}

/// True for a rule that says that its value does not change.
fn is_unchanging(rule: &str) -> bool {
    let text: String = rule.split_whitespace().collect();
    ["self==oldSelf", "oldSelf==self"].contains(&text.as_str())
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
