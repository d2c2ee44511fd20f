//! Flavor extra specs of OpenStack: definitions, how Nova applies them, and what they mean.
//!
//! A [`Document`] holds definitions as an operator writes them, and [`parse_definitions`] reads one with everything that is wrong in
//! it. [`shipped_document`] is the document of Nova's own. From definitions a [`DefinitionRegistry`] is made, which finds the one that
//! decides about a key, and a [`Checker`] that reports what is wrong with a flavor. [`nova`] decides as Nova does,
//! crashes included, and [`glance`] reads, checks and writes Glance's metadata definitions.
//!
//! ```
//! use kvrules_extra_specs::{Checker, DefinitionRegistry, ValidationMode, shipped_document};
//!
//! let registry = DefinitionRegistry::new([shipped_document().expand_definitions()]);
//! let checker = Checker::new(&registry, ValidationMode::Strict);
//! let findings = checker.check_specs([("hw:cpu_pollllicy", "dedicated")]);
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
pub mod lints;
mod mode;
pub mod nova;
mod overlap;
mod portable;
pub mod python;
mod registry;
mod shipped;

pub use check::{Checker, Finding};
pub use compare::{RegistryNote, RegistryNoteKind, cross_check};
pub use definition::{Definition, EnumMember, Namespace, Parameter, Status, Value, ValueType};
pub use document::{
    Document, Entry, KIND, VERSION, document_schema, is_definitions, parse_definitions, read_document,
    write_json, write_yaml,
};
pub use flavor::{
    Flavor, FlavorSpec, Flavors, Image, is_flavors, parse_arguments, read_document_flavors, read_flavor_file,
    read_flavors,
};
pub use json_schema::{ExtraSpecsSchema, json_schema};
pub use mode::{UnknownValidation, ValidationMode};
pub use overlap::{DefinitionOverlap, find_overlaps, may_share_keys};
pub use registry::{ConflictKind, DefinitionConflict, DefinitionMatch, DefinitionRegistry, MatchKind};
pub use shipped::{SHIPPED_YAML, shipped_document};
