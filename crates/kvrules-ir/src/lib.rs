//! Rule sets as they are read and rules as they are elaborated: types, and the constructors that keep them in
//! normal form.
//!
//! Two trees stand here. A [`Rule`] is what its author wrote, free of its notation. An [`ElaboratedRule`] is what
//! it means: a [`Predicate`] over an object, in which every question of absence, default and type is decided. The
//! evaluator interprets the second, every emitter lowers it, and neither knows the first.

mod cause;
mod elaborated;
mod formula;
mod members;
mod path;
mod place;
mod predicate;
mod rule;
mod subject;

pub use cause::{OmissionCause, OmissionKind};
pub use elaborated::{
    AuthoredRule, ElaboratedRule, ElaboratedSet, OmittedRule, OmittedRuleContent, Requirement, RuleSetUser,
    Selector,
};
pub use formula::{
    Collection, Constant, EntryVariables, Formula, Quantification, Term, TermCall, TermRelation, VariableId,
};
pub use path::{FilterOperator, FilterTerm, Path, PathFilter, PathSegment, PathSlice, PathStep};
pub use place::{Place, PlaceBase, PlaceStep, Presence, Scalar, ValueType};
pub use predicate::{Interval, Operand, OperandRelation, Predicate, RegexPattern, ValueTest};
pub use rule::{AnnotationDialect, BoundValue, Constraint, EnumValue, Rule, RuleSet, Severity};
pub use subject::{Subject, Subresource};
