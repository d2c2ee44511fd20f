//! What a rule means (`spec`) against what the deployed validator does with it (`ssp`), on one VirtualMachine.
//!
//! The two models differ in places. Each such place is a [`Difference`]: an id, a page under `docs/differences`, and
//! a predicate that says whether it applies to a rule and an object. [`compare`] judges a VirtualMachine by both
//! models and names, rule by rule, the differences that apply.
//!
//! The way is: `written` reads the rules as each model takes them, `spec` and `probe` say what each finds, `context`
//! holds both for the predicates in `differences/`, and `compare` puts them side by side.
//!
//! ```
//! let rules = r#"[{"name": "r", "message": "m", "rule": "integer",
//!     "path": "jsonpath::.spec.domain.memory.guest", "min": 1073741824}]"#;
//! let machine = r#"{"spec": {"template": {"spec": {"domain": {"memory": {"guest": "1.5Gi"}}}}}}"#;
//! let comparison = kvrules_differ::compare(rules, machine).unwrap();
//! assert!(comparison.spec_allows && !comparison.ssp_allows);
//! assert_eq!(comparison.rules[0].named, ["D1"]);
//! ```

mod probe;
mod spec;
mod written;

mod judge;

mod context;
mod differences;

mod compare;

pub use compare::{Comparison, RuleComparison, compare};
pub use context::{Context, RuleContext, SspOutcome};
pub use differences::{DIFFERENCES, Difference};
pub use probe::{Found, Seen};
pub use spec::{Read, Spec};
pub use written::Written;
