//! Flavor extra specs of OpenStack: definitions, how Nova applies them, and what they mean.
//!
//! A [`Document`] holds definitions as an operator writes them, and [`read`] reads one with everything that is wrong in
//! it. [`shipped`] is the document of Nova's own. From definitions a [`Registry`] is made, which finds the one that
//! decides about a key, and a [`Checker`] that reports what is wrong with a flavor. [`nova`] decides as Nova does,
//! crashes included, and [`glance`] reads, checks and writes Glance's metadata definitions.
//!
//! ```
//! use kvrules_extra_specs::{Checker, Registry, Validation, shipped};
//!
//! let registry = Registry::new([shipped().definitions()]);
//! let checker = Checker::new(&registry, Validation::Strict);
//! let findings = checker.check([("hw:cpu_pollllicy", "dedicated")]);
//! assert_eq!(findings[0].help.as_deref(), Some("did you mean `hw:cpu_policy`?"));
//! ```

mod check;
mod compare;
mod definition;
mod document;
mod flavor;
mod form;
pub mod glance;
mod index;
mod json_schema;
mod mode;
pub mod nova;
mod overlap;
mod portable;
pub mod python;
mod registry;
mod shipped;
mod targets;

pub use check::{Checker, Finding, FindingKind};
pub use compare::{Note, NoteKind, cross_check};
pub use definition::{Definition, EnumMember, Namespace, Parameter, Status, Value, ValueType};
pub use document::{
    Document, Entry, KIND, Problem, ProblemKind, VERSION, is_definitions, read, read_document, schema,
    write_json, write_yaml,
};
pub use flavor::{Flavor, Flavors, Misshapen, Spec, arguments, flavors, is_flavors};
pub use json_schema::{ExtraSpecsSchema, json_schema};
pub use mode::{UnknownValidation, Validation};
pub use overlap::{Overlap, overlaps};
pub use registry::{Conflict, ConflictKind, How, Match, Registry};
pub use shipped::{SHIPPED_YAML, shipped};
pub use targets::{Artefact, Choice, Chosen, Made, TARGETS, Target};
