//! Branches below the root that refer to fields which the schema does not declare. The server looks for them in branches
//! of the root alone.

use std::collections::HashMap;

use kvrules_diagnostics::{Diagnostic, Span};
use kvrules_kubernetes::keywords::{BRANCH_LISTS, EMBEDDED_RESOURCE, PRESERVE_UNKNOWN_FIELDS};
use kvrules_syntax::{Entry, Node};

use crate::lints;
use crate::plain;
use crate::schema_location::join_names;
use crate::schema_tree::{Keyword, KeywordSet, SchemaTree};
use crate::text::did_you_mean;

const BRANCHES: KeywordSet =
    KeywordSet::from_keywords(&[Keyword::AllOf, Keyword::AnyOf, Keyword::OneOf, Keyword::Not]);

/// Looks at every schema of the spine.
pub(super) fn check_undeclared_fields(tree: &SchemaTree<'_>, findings: &mut Vec<Diagnostic>) {
    for schema in tree.schemas().filter(|schema| schema.is_spine() && schema.has_any(BRANCHES)) {
        let name = schema.name();
        // The server itself validates branches at the root.
        if name.is_empty() {
            continue;
        }
        let mut comparison = SpineComparison { declared: HashMap::new(), findings };
        for branch in schema_branches(schema.owner()) {
            comparison.compare_branch(branch, schema.owner(), &name);
        }
    }
}

fn schema_branches(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let listed = BRANCH_LISTS.into_iter().filter_map(move |junctor| node.get(junctor)).flat_map(Node::items);
    listed.chain(node.get("not"))
}

/// Fields that a schema declares.
#[derive(Default)]
struct DeclaredFields<'d> {
    by_name: HashMap<&'d str, Node<'d>>,
    /// The names in their order.
    names: Vec<&'d str>,
}

/// The branches of one schema next to its spine.
struct SpineComparison<'d, 'f> {
    /// Declarations of the schemas of the spine, for the many branches that may mention one.
    declared: HashMap<Span, DeclaredFields<'d>>,
    findings: &'f mut Vec<Diagnostic>,
}

impl<'d> SpineComparison<'d, '_> {
    /// Compares a branch with the schema of the spine at the same path.
    fn compare_branch(&mut self, branch: Node<'d>, spine: Node<'d>, name: &str) {
        for inner in schema_branches(branch) {
            self.compare_branch(inner, spine, name);
        }
        if is_open(spine) {
            return;
        }
        if let (Some(inner), Some(items)) = (branch.get("items"), spine.get("items").filter(|it| it.is_map()))
        {
            self.compare_branch(inner, items, &format!("{name}[]"));
        }
        let values = spine.get("additionalProperties").filter(|values| values.is_map());
        let Some(properties) = branch.get("properties") else { return };
        for entry in properties.entries_with_merged() {
            let below = join_names(name, entry.key.text());
            let declared = self.declared.entry(spine.span()).or_insert_with(|| DeclaredFields::new(spine));
            match declared.by_name.get(entry.key.text()).copied().or(values) {
                Some(own) => self.compare_branch(entry.value, own, &below),
                None => self.findings.push(undeclared_finding(entry, &below, &declared.names)),
            }
        }
    }
}

impl<'d> DeclaredFields<'d> {
    fn new(spine: Node<'d>) -> Self {
        let mut declared = Self::default();
        for own in spine.get("properties").into_iter().flat_map(Node::entries_with_merged) {
            declared.by_name.insert(own.key.text(), own.value);
            declared.names.push(own.key.text());
        }
        declared
    }
}

/// True if undeclared fields are kept.
fn is_open(spine: Node<'_>) -> bool {
    let is_true = |keyword: &str| spine.get(keyword).is_some_and(plain::is_true);
    is_true(PRESERVE_UNKNOWN_FIELDS)
        || is_true("additionalProperties")
        || is_true(EMBEDDED_RESOURCE)
        || spine.get("properties").is_some_and(Node::is_open)
}

fn undeclared_finding(entry: Entry<'_>, name: &str, declared: &[&str]) -> Diagnostic {
    let message = format!("undeclared field `{name}` of a branch is pruned before validation");
    let finding = lints::IDLE_CONSTRAINT.diagnostic_at(entry.key.span(), message);
    let help = did_you_mean(entry.key.text(), declared.iter().copied());
    finding.with_help(help.unwrap_or_else(|| "declare it next to the branch, with its type".to_owned()))
}
