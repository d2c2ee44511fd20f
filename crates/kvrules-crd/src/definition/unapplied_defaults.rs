//! Defaults in a field that an object may lack: a server fills defaults in where the object around them is there.
// apiextensions schema/defaulting/algorithm.go, Default

use kvrules_diagnostics::{Diagnostic, Fix, SourceFile};
use kvrules_kubernetes::keywords::VALIDATIONS;
use kvrules_syntax::edit::{Rewriter, ScalarEdit};
use kvrules_syntax::{Entry, Node, Notation};

use crate::lints;
use crate::schema_review::SchemaVersion;

/// The findings about fields of the object that are neither required nor defaulted, and have defaults inside.
pub(super) fn default_findings(source: &SourceFile, version: &SchemaVersion<'_>) -> Vec<Diagnostic> {
    let root = version.node;
    if root.get("required").is_some_and(|names| names.may_have_parameters() || names.is_templated()) {
        return Vec::new();
    }
    let required = required_names(root);
    let is_optional = |entry: &Entry<'_>| {
        !required.contains(&entry.key.text())
            && !is_demanded(root, entry.key.text())
            && entry.value.get("default").is_none()
            && !entry.value.is_templated()
    };
    let fields = root.get("properties").into_iter().flat_map(Node::entries);
    fields.filter(is_optional).filter_map(|entry| default_finding(source, entry)).collect()
}

fn default_finding(source: &SourceFile, entry: Entry<'_>) -> Option<Diagnostic> {
    let name = entry.key.text();
    let inside = first_default(entry.value, name)?;
    let message =
        format!("the default of `{inside}`, which is required, does not apply to an object without `{name}`");
    let finding = lints::UNAPPLIED_DEFAULT.diagnostic_at(entry.key.span(), message);
    // A server takes no default that lacks a required field, whatever the defaults in it are.
    let part = |required: &&str| {
        let default = entry.value.get("properties")?.get(required)?.get("default")?.source_text();
        (!default.contains('\n')).then(|| format!("{required}: {default}"))
    };
    let parts: Option<Vec<String>> = required_names(entry.value).iter().map(part).collect();
    let Some(parts) = parts else {
        return Some(finding.with_help(format!("require it: `required: [{name}]`")));
    };
    let default = format!("{{{}}}", parts.join(", "));
    let edit =
        entry.value.entry("type").filter(|_| entry.value.notation() == Notation::Yaml).and_then(|behind| {
            Rewriter::new(source).insert_after(entry.value, behind, "default", ScalarEdit::Literal(&default))
        });
    let title = format!("write `default: {default}`, with which a server stores the field in every object");
    let finding = finding.fix_if(edit.map(|edit| Fix::not_safe(title, [edit])));
    Some(finding.with_help(format!("write `default: {default}` for it, or require it: `required: [{name}]`")))
}

/// True if a rule of the object may demand the field.
fn is_demanded(root: Node<'_>, name: &str) -> bool {
    let rules = root.get(VALIDATIONS).into_iter().flat_map(Node::items).filter_map(|rule| rule.get("rule"));
    rules.map(Node::text).any(|rule| rule.contains(&format!("has(self.{name})")))
}

fn required_names(schema: Node<'_>) -> Vec<&str> {
    schema.get("required").into_iter().flat_map(Node::items).map(Node::text).collect()
}

/// The path of the first field with a default that is required wherever the object at `path` is there: its author expects it in every object.
fn first_default(schema: Node<'_>, path: &str) -> Option<String> {
    let required = required_names(schema);
    schema.get("properties")?.entries().filter(|entry| required.contains(&entry.key.text())).find_map(
        |entry| {
            let name = format!("{path}.{}", entry.key.text());
            if entry.value.get("default").is_some() { Some(name) } else { first_default(entry.value, &name) }
        },
    )
}
