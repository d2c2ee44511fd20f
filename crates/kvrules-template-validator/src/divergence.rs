//! Compares the meaning of a rule (`spec_result`) with its outcome in the deployed validator (`ssp`), on one VirtualMachine.
//!
//! The two models differ in places. Each such place is a [`Difference`]: an id, a page under `docs/differences`, and
//! a predicate that says whether it applies to a rule and an object. [`compare_annotation`] evaluates a VirtualMachine by both
//! models and names, rule by rule, the differences that apply; [`PreparedAnnotation`] does so for many VirtualMachines. Some
//! differences show in a rule alone: [`predict_differences`] says what the validator will do with it, whatever the object is.
//!
//! The way is: `written_rule` reads the rules as each model takes them, `spec_result` and `probe` say what each finds, `context`
//! holds both for the predicates in `differences/`, and `compare` puts them side by side. `standalone_rule` holds a rule
//! without an object, for `prediction`.
//!
//! ```
//! let rules = r#"[{"name": "r", "message": "m", "rule": "integer",
//!     "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824}]"#;
//! let machine = r#"{"spec": {"template": {"spec": {"domain": {"memory": {"guest": "1.5Gi"}}}}}}"#;
//! let comparison = kvrules_template_validator::divergence::compare_annotation(rules, machine).unwrap();
//! assert!(comparison.spec_allows && !comparison.ssp_allows);
//! assert_eq!(comparison.rules[0].named, ["D1"]);
//! ```

mod compare;
mod prediction;

mod differences;

mod difference;

mod context;
mod standalone_rule;

mod probe;
mod spec_result;
mod text_tests;

mod json;
mod paths;
mod written_rule;

pub use compare::{ModelComparison, PreparedAnnotation, RuleComparison, compare_annotation};
pub use context::{DifferenceContext, RuleContext, SspOutcome, effects_agree};
pub use difference::Difference;
pub use differences::{DIFFERENCES, PAGES};
pub use prediction::{PredictedDifference, predict_differences};
pub use probe::{PathResults, ValidatorResults};
pub use spec_result::{EvaluatedRule, SpecResult};
pub use standalone_rule::{DifferenceEffect, DifferenceSign, StandaloneRule};
pub use written_rule::WrittenRule;

/// Every named difference, in the order of their ids.
pub fn all_differences() -> &'static [&'static Difference] {
    DIFFERENCES
}

/// The page of a difference, by its id or its name.
///
/// ```
/// let page = kvrules_template_validator::divergence::difference_page("d1").unwrap();
/// assert!(page.starts_with("# D1 unreadable-quantity"));
/// assert_eq!(kvrules_template_validator::divergence::difference_page("unreadable-quantity"), Some(page));
/// assert_eq!(kvrules_template_validator::divergence::difference_page("D0"), None);
/// ```
pub fn difference_page(difference: &str) -> Option<&'static str> {
    let is_named = |known: &&&Difference| {
        known.id.eq_ignore_ascii_case(difference) || known.name.eq_ignore_ascii_case(difference)
    };
    let known = DIFFERENCES.iter().find(is_named)?;
    PAGES.iter().find(|(id, _)| *id == known.id).map(|(_, page)| *page)
}
