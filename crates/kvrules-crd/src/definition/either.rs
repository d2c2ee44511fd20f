//! A `type` beside `x-kubernetes-int-or-string`. A server of Kubernetes 1.36 takes whole numbers and texts there whatever the
//! type is, and crashes at some that are lists or maps.

use kvrules_diagnostics::Fix;
use kvrules_diagnostics::SourceFile;
use kvrules_syntax::edit::Rewriter;
use kvrules_syntax::{Entry, Node};

use super::meant::children;
use crate::finding::{Finding, FindingKind};
use crate::place::Place;
use crate::plain;
use crate::text::code;

/// Looks at a schema and all below it.
pub(super) fn check(source: &SourceFile, root: &Place<'_>, findings: &mut Vec<Finding>) {
    Walk { source, findings }.node(root, false);
}

struct Walk<'a> {
    source: &'a SourceFile,
    findings: &'a mut Vec<Finding>,
}

impl Walk<'_> {
    /// Looks at a node with rules above it or none; whether there are rules on it or below.
    fn node(&mut self, place: &Place<'_>, above: bool) -> bool {
        let has_rules =
            place.owner.get("x-kubernetes-validations").is_some_and(|rules| rules.items().count() > 0);
        let mut below = false;
        for child in children(place).iter().filter(|child| child.branch.is_none()) {
            below |= self.node(child, above || has_rules);
        }
        let is_either = place.owner.get("x-kubernetes-int-or-string").is_some_and(plain::is_true);
        if let Some(entry) =
            place.owner.entry("type").filter(|entry| is_either && entry.value.as_str().is_some())
        {
            self.findings.push(self.told(place, entry, above && below));
        }
        has_rules || below
    }

    fn told(&self, place: &Place<'_>, entry: Entry<'_>, between_rules: bool) -> Finding {
        let ty = entry.value.text();
        let crashes = between_rules && (ty == "array" || place.owner.get("additionalProperties").is_some());
        let message = if crashes {
            format!(
                "`type: {ty}` beside `x-kubernetes-int-or-string`, between rules above and below, makes the server crash"
            )
        } else {
            format!("the type {} has no effect beside `x-kubernetes-int-or-string`", code(ty))
        };
        let finding = Finding::new(FindingKind::TypeOfEither, entry.key.span(), message);
        let finding =
            finding.help("take out the one that is not meant: values may be whole numbers and texts");
        Finding { fix: self.fix(place.owner, entry), ..finding }
    }

    /// Without the type of a scalar the server does the same. A format may hang on it, and what is in a list or a map does.
    fn fix(&self, schema: Node<'_>, entry: Entry<'_>) -> Option<Fix> {
        let is_scalar = matches!(entry.value.text(), "string" | "integer");
        if !is_scalar || schema.get("format").is_some() {
            return None;
        }
        let edit = Rewriter::new(self.source).remove_entry(schema, entry)?;
        Some(Fix::safe("take out the type", [edit]))
    }
}
