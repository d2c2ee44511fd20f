//! Measures of suites: which rules and branches the cases reach, and which changes of the rules they notice.

mod branches;
mod coverage;
mod equivalence;
mod keyword_witness;
mod lcov;
mod mutant_status;
mod mutants;
mod mutate;
mod policy_witness;
mod reach;
mod rule_set_cases;
mod rule_set_coverage;
mod rule_set_edits;
mod rule_set_mutants;
mod rule_set_witness;
mod sites;
mod suggest;
mod template_coverage;
mod template_mutants;
mod template_witness;
mod witness;

pub use coverage::{BoundaryCoverage, BranchCoverage, CoverageCount, RuleCoverage};
pub use lcov::render_lcov;
pub use mutant_status::MutantStatus;
pub use mutants::Mutant;
pub use mutate::{MutantResult, MutationReport, measure_mutants};
pub use sites::{MeasuredRules, RuleSite, SiteKind, collect_rules};
pub use suggest::suggest_cases;

/// Measures the coverage of every rule of a document.
pub fn measure_coverage(rules: &MeasuredRules<'_>) -> Vec<RuleCoverage> {
    if rules.document.is_string() {
        return template_coverage::measure_template(rules);
    }
    if rules.is_rule_set() {
        return rule_set_coverage::measure_rule_set(rules);
    }
    coverage::measure_expressions(rules)
}
