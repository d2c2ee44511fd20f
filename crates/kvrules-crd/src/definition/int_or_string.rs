//! A `type` next to `x-kubernetes-int-or-string`. A server of Kubernetes 1.36 accepts integers and strings there whatever the
//! type is, and crashes at some that are lists or maps.

use kvrules_diagnostics::SourceFile;
use kvrules_diagnostics::{Diagnostic, Fix};
use kvrules_syntax::Entry;
use kvrules_syntax::edit::Rewriter;

use crate::lints;
use crate::schema_tree::{Keyword, KeywordSet, Schema, SchemaTree};
use crate::text::backtick_text;

/// Looks at every schema of the spine.
pub(super) fn check_int_or_string(
    source: &SourceFile,
    tree: &SchemaTree<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    const BOTH: [Keyword; 2] = [Keyword::IntOrString, Keyword::Type];
    let is_both = |schema: &Schema<'_, '_>| {
        BOTH.iter().all(|keyword| schema.has_any(KeywordSet::from_keywords(&[*keyword])))
    };
    for schema in tree.schemas().filter(|schema| schema.is_spine() && is_both(schema)) {
        let entry = schema.entry(Keyword::Type).filter(|entry| entry.value.as_str().is_some());
        if let Some(entry) = entry.filter(|_| schema.is_true(Keyword::IntOrString)) {
            findings.push(RedundantType { source, schema, entry }.finding());
        }
    }
}

/// A type next to `x-kubernetes-int-or-string`.
struct RedundantType<'a, 'd> {
    source: &'a SourceFile,
    schema: Schema<'a, 'd>,
    /// The type.
    entry: Entry<'d>,
}

impl RedundantType<'_, '_> {
    fn finding(&self) -> Diagnostic {
        let Self { schema, entry, .. } = *self;
        let ty = entry.value.text();
        let is_container = ty == "array" || schema.entry(Keyword::AdditionalProperties).is_some();
        let crashes = is_container && schema.is_between_rules();
        let message = if crashes {
            format!(
                "`type: {ty}` next to `x-kubernetes-int-or-string`, with rules above and below, crashes the server"
            )
        } else {
            format!("the type {} has no effect next to `x-kubernetes-int-or-string`", backtick_text(ty))
        };
        let finding = lints::TYPE_BESIDE_INT_OR_STRING.diagnostic_at(entry.key.span(), message);
        let finding = finding.with_help("remove one of the two: values may be integers and strings");
        Diagnostic { fix: self.fix(), ..finding }
    }

    /// Without the type of a scalar the server does the same. A format may hang on it, and what is in a list or a map does.
    fn fix(&self) -> Option<Fix> {
        let is_scalar = matches!(self.entry.value.text(), "string" | "integer");
        if !is_scalar || self.schema.entry(Keyword::Format).is_some() {
            return None;
        }
        let edit = Rewriter::new(self.source).remove_entry(self.schema.owner(), self.entry)?;
        Some(Fix::safe_fix("remove the type", [edit]))
    }
}
