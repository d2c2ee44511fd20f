//! Expressions in CEL as formulas over the values that they name.
//!
//! An expression lifts to two formulas: it evaluates to true exactly where the first holds, and to false exactly where the
//! second holds. Where neither does, the server reports an error. What has no formula is opaque, with the construct that is
//! the reason. A lift is confirmed on objects, and a lift that the server contradicts is opaque as well.

mod atoms;
mod certificate;
mod confirm;
mod contradiction;
mod decide;
mod evaluate;
mod examine;
mod facts;
mod failures;
mod field_reads;
mod folding;
mod functions;
mod lift_rule;
mod lifter;
mod loops;
mod message;
mod message_order;
mod opaque;
mod optionals;
mod placed;
mod policy;
mod proof;
mod quick_hash;
mod restate;
pub mod rewrite;
mod rule_schema;
mod rules;
mod satisfy;
mod selections;
mod set_functions;
mod show;
mod state;
mod synthesise;
mod terms;
mod texts;
mod unknown_values;

pub use atoms::replace_term;
pub use certificate::{Certificate, CertificateReport, ReportedCase, explain_claim};
pub use confirm::{Confirmation, FormulaVerdict, agrees_on, confirm_rule, is_confirmed};
pub use evaluate::FormulaScope;
pub use examine::{RuleSense, certify_constant_rule, examine_rule, may_end_in_error};
pub use failures::{
    RuleFailure, RuleFailures, RuleOfPlace, is_unforeseen_error, make_case_values, make_passing_value,
};
pub use field_reads::{PlaceRead, place_reads, reads_place};
pub use lift_rule::{LiftedRule, lift_mixed_rule, lift_rule};
pub use lifter::lift_expression;
pub use message::{MessageContradiction, find_message_contradiction};
pub use opaque::{Opaque, OpaqueKind};
pub use placed::{PlacedFormula, RuleTiming, stored_value_exists};
pub use policy::{
    FailingRequest, FailingRequests, LiftOfKinds, LiftedPolicyExpression, ObjectRule, PolicyLifter,
    PolicyRequests, PolicySubject, inline_variables, lift_for_kinds, object_rules, rename_roots,
};
pub use proof::{ContradictionSearch, PlaceFormulas, PlaceProofs, certify_implication, is_implied};
pub use restate::{RestatedKeyword, certify_keyword, find_restated_keyword};
pub use rule_schema::ValuesSchema;
pub use rules::{DefinitionRule, RulePlace, definition_rules, rule_name, rule_places, value_rules};
pub use satisfy::{FormulaGoal, FormulaSatisfier};
pub use selections::require_decided_selections;
pub use show::{SentencePart, describe_formula, show_formula};
pub use state::LiftedExpression;
pub use synthesise::RuleValues;
