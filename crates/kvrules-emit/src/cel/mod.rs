//! Predicates as CEL, the language in which the Kubernetes API server evaluates rules.
//!
//! [`lower_predicate`] turns a predicate into an [`Expr`], which prints itself with no more parentheses than needed. Where the
//! expression is read decides how fields are named and what can be seen; that is the [`Dialect`].
//!
//! Two habits of the server shape what is emitted:
//! - Selecting an absent field is an error, so a field that may be absent is asked for with `has()` first, and each
//!   question is asked once.
//! - A rule that ends in an error refuses the object, as does one that is false, and `&&`, `||`, `all` and `exists`
//!   pass over an error wherever another part decides. So a part that may fail needs no guard, unless it is
//!   below a negation.

mod lower;
mod served;

mod compare;
mod test;

mod constant;
mod quantity;

mod names;
mod place;

mod context;
mod unsupported;

mod expr;
mod print;
mod simplify;

mod shared;
mod variables;

mod dialect;
mod explain;
mod field_path;
mod header;
mod join;
mod message;
mod phrases;
mod yaml;

pub use dialect::{Dialect, FieldTypes};
pub use expr::{Expr, Operator};
pub use lower::{LoweredPredicate, lower_predicate};
pub use message::rule_message;
pub use unsupported::UnsupportedReason;

pub(crate) use explain::explain_rule;
pub(crate) use field_path::field_path;
pub(crate) use header::{header_comment, to_comment, version_comment};
pub(crate) use lower::lower_sharing;
pub(crate) use names::{is_reserved_variable, loop_variable};
pub(crate) use print::quoted_text;
pub(crate) use served::to_served;
pub(crate) use shared::SharedParts;
pub(crate) use variables::shared_variables;
pub(crate) use yaml::{expression_text, rule_text, yaml_text};
