//! The checks, one file each. They read the tree of schemas and do not depend on each other's findings, except that no
//! value is compared with a contradictory schema.

mod contradictions;
mod cycles;
mod examples;
mod keywords;
mod patterns;
mod references;
mod values;

use kvrules_diagnostics::Diagnostic;

use crate::tree::SchemaTree;

/// Returns the findings in the schemas of a document.
pub(crate) fn find_problems(tree: &SchemaTree<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for site in &tree.sites {
        values::check_values(site, &mut findings);
        patterns::check_patterns(site, &mut findings);
        keywords::check_keywords(site, &mut findings);
    }
    references::check_references(tree, &mut findings);
    let endless = cycles::check_cycles(tree, &mut findings);
    let contradictory = contradictions::check_contradictions(tree, &endless, &mut findings);
    examples::check_examples(tree, &contradictory, &mut findings);
    findings
}
