//! Measures of suites: which rules and branches the cases reach, and which changes of the rules they notice.

mod branches;
mod coverage;
mod equivalence;
mod keyword_witness;
mod lcov;
mod mutants;
mod mutate;
mod sites;
mod suggest;
mod template_coverage;
mod template_mutants;
mod witness;

pub use coverage::{BoundaryCoverage, BranchCoverage, CoverageCount, RuleCoverage, measure_coverage};
pub use lcov::render_lcov;
pub use mutants::Mutant;
pub use mutate::{MutantResult, MutantStatus, MutationReport, measure_mutants};
pub use sites::{MeasuredRules, RuleSite, SiteKind, collect_rules};
pub use suggest::suggest_cases;
