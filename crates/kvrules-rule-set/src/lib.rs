//! RuleSets: rules for Kubernetes resources and JSON documents in words.
//!
//! A document is read with the schema of its subject into conditions, whose meaning is a plain evaluation ([`Condition::holds_for`]).
//! Each condition is lowered to CEL at the deepest place of the schema at which it means the same, so that a RuleSet becomes the
//! versions of a definition ([`RuleSet::versions`]): what is known of definitions, targets, proofs and costs, holds for RuleSets.
//!
//! ```
//! use kvrules_diagnostics::FileId;
//! use kvrules_rule_set::{SubjectDefinitions, read_rule_set};
//!
//! let text = "\
//! apiVersion: kvrules.dev/v1alpha1
//! kind: RuleSet
//! metadata: {name: web}
//! spec:
//!   subject: {apiVersion: apps/v1, kind: Deployment}
//!   rules:
//!   - {name: replicas, path: spec.replicas, integer: {min: 2, max: 10}}
//! ";
//! let stream = kvrules_syntax::parse_stream(FileId(0), text);
//! let mut findings = Vec::new();
//! let set = read_rule_set(&stream.documents[0], &SubjectDefinitions::default(), &mut findings).unwrap();
//! assert!(findings.is_empty());
//! assert_eq!(set.rules[0].expression, "self >= 2 && self <= 10");
//! ```

mod changes;
mod compared;
mod condition;
mod conditions;
mod confirm;
mod defaulted;
mod describe;
mod document;
mod document_schema;
mod document_subject;
mod document_types;
mod evaluation_memory;
mod examples;
mod expressions;
mod failing_values;
mod field_path;
mod include;
mod label_selection;
mod layout;
pub mod lints;
mod lower;
mod mapping;
mod meaning;
mod message;
mod offer;
mod parameters;
mod parts;
mod path;
mod path_advice;
mod place;
mod priced;
mod quantified;
mod raw_defaults;
mod reader;
mod repairs;
mod review;
mod rule_reader;
mod rule_set;
mod schema_reference;
mod selection;
mod shape;
mod subject;
mod subject_definitions;
mod subject_reader;
mod subresource_update;
mod unknown_subject;
mod violations;
mod words;

pub use changes::RuleChange;
pub use compared::ComparedAs;
pub use condition::{Affix, Bounds, Comparison, Condition, StoredTest, ValueFormat, ValueTest};
pub use confirm::{MeaningDeparture, RuleConfirmation, confirm_meaning};
pub use document::{included_files, read_rule_set, subject_file};
pub use document_schema::rule_set_schema;
pub use document_types::may_be_null;
pub use examples::ExampleDifference;
pub use failing_values::FailingValue;
pub use include::included_name;
pub use layout::{LayoutRefusal, RuleSetLayout, lay_out_rule_set};
pub use lower::to_cel;
pub use meaning::{EvaluateCel, EvaluatedValue};
pub use message::to_message;
pub use offer::{FieldOffer, OfferedPathField, OfferedWord, UnknownField, offer_fields, offer_words};
pub use parameters::RuleSetParameters;
pub use parts::{RuleBoundary, RulePart};
pub use path::{LocatedPath, PathError, PathStep, RulePath, parse_located};
pub use priced::PricedRules;
pub use raw_defaults::default_violation;
pub use rule_reader::{REQUIRED_KEYS, RULE_KEYS, read_single_rule};
pub use rule_set::{AuthoredRule, RuleExample, RuleSet, RuleSeverity};
pub use schema_reference::{ResolvedSchema, SchemaDocument};
pub use subject::{RuleSubject, built_in_subresources};
pub use subject_definitions::{SubjectDefinitions, SubjectFile, is_of_kind, is_rule_set};
pub use subresource_update::{copy_field, nest_value, write_subresource};
pub use unknown_subject::UnknownSubject;
pub use words::{ExampleObject, WORDS, Word, WordExample};
