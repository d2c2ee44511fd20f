//! Test suites for rules: readers of the formats that people have, one model of cases, results, coverage and mutants.
//!
//! [`find_suites`] reads the suites in files and folders into [`TestCase`]s, and [`run_case`] compares the answer of the
//! engine that the rules have (the API server's validation of objects, its admission policies, the rules of templates) with
//! what the case expects.

mod answer;
mod document;
mod files;
mod find;
mod format;
mod formats;
mod measure;
mod model;
mod own_format;
mod policies;
mod report;
mod rule_files;
mod rule_set_files;
mod run;
mod subject;
mod unknown_keys;
pub mod verdicts;

pub use answer::{AnswerVerdict, AnswerWarning, CaseAnswer, Violation};
pub use document::SuiteDocument;
pub use files::{ParsedFile, SuiteFiles, SuiteLibrary};
pub use find::{FoundSuites, find_format, find_suites};
pub use format::SuiteFormat;
pub use formats::FORMATS;
pub use measure::{
    BoundaryCoverage, BranchCoverage, CoverageCount, MeasuredRules, Mutant, MutantResult, MutantStatus,
    MutationReport, RuleCoverage, RuleSite, SiteKind, collect_rules, measure_coverage, measure_mutants,
    render_lcov, suggest_cases,
};
pub use model::{
    AuthorizerDecision, CaseInput, CaseWrites, Expectation, ExpectedText, ExpectedVerdict, TestCase,
    TestSuite, TextMatching, ViolationCount,
};
pub use own_format::{
    API_VERSION, CaseObject, ExactText, KIND, ObjectFile, ObjectSource, PatternText, RuleTest, RuleTestsFile,
    TestText, TestUser, TestVerdict, apply_merge_patch, suite_schema,
};
pub use report::describe_result;
pub use run::{CaseResult, CaseStatus, Mismatch, answer_case, run_case, run_case_on_servers};
pub use subject::{
    DefinitionSubject, NamedRule, PolicySubject, RuleOrigin, RuleSetSubject, Subject, TemplateSubject,
    rule_slug,
};
