//! The checks, one file each. They read the tree of schemas and do not depend on each other's findings, except that no
//! value is compared with a contradictory schema.

mod branches;
mod contradictions;
mod cycles;
mod examples;
mod exclusions;
mod keywords;
mod names;
mod patterns;
mod references;
mod values;

use kvrules_diagnostics::Diagnostic;

use crate::lints::UNCHECKED_SCHEMA;
use crate::tree::SchemaTree;

/// Limits of a check, so that documents of any size end.
struct CheckLimits {
    /// Number of schemas that are proved to be contradictory or not.
    proofs: usize,
    /// Number of branches and of properties that are proved to be without effect or not.
    combinations: usize,
    /// Number of schemas whose defaults and examples are compared with them.
    values: usize,
}

/// Returns the findings in the schemas of a document.
pub(crate) fn find_problems(tree: &SchemaTree<'_>) -> Vec<Diagnostic> {
    find_problems_within(tree, &CheckLimits { proofs: 20_000, combinations: 2_000, values: 20_000 })
}

fn find_problems_within(tree: &SchemaTree<'_>, limits: &CheckLimits) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for site in &tree.sites {
        values::check_values(site, &mut findings);
        patterns::check_patterns(site, &mut findings);
        keywords::check_keywords(site, &mut findings);
    }
    names::check_names(tree, &mut findings);
    references::check_references(tree, &mut findings);
    let endless = cycles::check_cycles(tree, &mut findings);
    let contradictory = contradictions::check_contradictions(tree, &endless, limits.proofs, &mut findings);
    branches::check_branches(tree, &contradictory, limits.combinations, &mut findings);
    exclusions::check_exclusions(tree, &contradictory, limits.combinations, &mut findings);
    examples::check_examples(tree, &contradictory, limits.values, &mut findings);
    findings
}

/// Reports that a check reached its limit, at the start of the document.
fn too_many(tree: &SchemaTree<'_>, purpose: &str, limit: usize, count: usize) -> Option<Diagnostic> {
    let root = tree.sites.first()?;
    let message = format!("only {limit} of {count} schemas are checked {purpose}");
    let help = "split the document";
    Some(UNCHECKED_SCHEMA.diagnostic_at(root.node.span().first_byte(), message).with_help(help))
}

#[cfg(test)]
mod tests {
    use kvrules_diagnostics::FileId;
    use kvrules_kubernetes::keywords::SchemaDialect;
    use kvrules_syntax::parse_stream;

    use super::{CheckLimits, find_problems_within};
    use crate::SchemaLanguage;
    use crate::tree::SchemaTree;

    /// The messages with a limit of two schemas for each check.
    fn messages(schemas: &str) -> Vec<String> {
        let text = format!("{{\"properties\": {{{schemas}}}}}");
        let stream = parse_stream(FileId(0), &text);
        let root = stream.documents.first().and_then(kvrules_syntax::Document::root).expect("a document");
        let tree = SchemaTree::read_document(root, SchemaLanguage::JsonSchema, SchemaDialect::Draft202012);
        let limits = CheckLimits { proofs: 2, combinations: 2, values: 2 };
        find_problems_within(&tree, &limits).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn a_check_that_reaches_its_limit_is_reported() {
        let schema =
            |name: &str| format!("\"{name}\": {{\"minLength\": 1, \"maxLength\": 2, \"default\": \"a\"}}");
        let (a, b, c) = (schema("a"), schema("b"), schema("c"));
        assert!(messages(&format!("{a}, {b}")).is_empty());
        let found = messages(&format!("{a}, {b}, {c}"));
        let expected = [
            "only 2 of 3 schemas are checked for contradictions",
            "only 2 of 3 schemas are checked for values that they reject",
        ];
        assert_eq!(found, expected);
    }
}
